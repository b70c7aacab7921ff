"""The Hint button: a good move, and why it is good."""

from random import Random

from ttt.board import Board, opponent
from ttt.heuristics import move_values, open_lines
from ttt.players import PLAYERS, best_moves
from ttt.players.perfect import prospect
from ttt.players.rules import threats
from ttt.qubic import strategy
from ttt.words import count_phrase

QUICK = PLAYERS["flash-fixed"]  # finds a move at once on any board
CUBE = PLAYERS["cube-hard"]  # for 4×4×4, where no win is proved
SEARCHED = 10  # search the game to its end if at most this many cells are free


def advice(board: Board, rng: Random) -> tuple[int, str]:
    """A cell and the reason: on 4×4×4 from the proof, if it knows the position; on small boards from a full search."""
    cube = CUBE.plays_on(board)
    proved = strategy.choose(board) if cube else None
    if proved is not None and proved.promise:
        return proved.cell, proved.why
    if cube or len(board.moves) > SEARCHED:
        cell = (CUBE if cube else QUICK).choose(board, rng)
        return cell, f"It {_reason(board, cell)}."
    values = move_values(prospect, board)
    cell = max(best_moves(values), key=lambda cell: open_lines(board.play(cell), board.turn))
    outlook = " You can win from here." if values[cell] > 0 else " But your opponent can still win."
    return cell, f"It {_reason(board, cell)}.{'' if values[cell] in (0, 1) else outlook}"  # a draw, or the win itself


def _reason(board: Board, cell: int) -> str:
    """Why a move is good: it wins, it blocks, or heuristic 2 says so (in words, as lesson 00 has no name for it)."""
    rival, after = opponent(board.turn), board.play(cell)
    if after.winner:
        return "completes your line"
    if any(cell in line for line in threats(board, rival)):
        return f"stops {rival}'s line"
    worth = open_lines(after, board.turn)
    if worth == 0:
        return f"leaves you with as many lines to complete as {rival}"
    more = "more" if worth > 0 else "fewer"
    return f"leaves you with {count_phrase(abs(worth), f'{more} line')} to complete than {rival}"
