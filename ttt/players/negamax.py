"""Negamax to the end of the game: it knows whether a board is won, drawn or lost, but not how soon.

Source: the blog post on a tic-tac-toe made in half an hour, `MiniMax`. It makes and undoes moves on one array; here
`play` returns a new board, and every position is searched once. Its faults are kept: it plays the first cell that leads
to the best end, however far off, so it misses immediate wins; and where all moves lose it blocks nothing.
"""

from functools import lru_cache

from ttt.board import Board, Mark
from ttt.heuristics import move_values
from ttt.players.player import Player, Policy, best_moves, evenly

MOST_FREE_CELLS = 12  # about 140,000 positions, a second's work; each further cell takes three times as long
MOST_REMEMBERED = 2**19


def outcome(board: Board, player: Mark) -> int:
    """How the game ends for a player if both sides play their best: won +1, drawn 0, lost −1, as a heuristic.

    Raises `PlayerError` for a board with more than 12 free cells.

    >>> outcome(Board(), "X"), outcome(Board.from_text("XX- O-- O--"), "O")
    (0, -1)
    """
    NEGAMAX.require_board(board)
    end = max(-1, min(1, solved(board)))
    return end if player == board.turn else -end


@lru_cache(MOST_REMEMBERED)
def solved(board: Board) -> int:
    """How the game ends for the side to move, and how soon: its best move leaves the other side the worst value.

    A loss is worth -1, and 1 less for each cell that is still free at the end; a win as much above 0; a draw 0.
    """
    if board.over:
        return -1 - len(board.moves) if board.winner else 0
    return max(-solved(board.play(cell)) for cell in board.moves)


def _negamax(board: Board) -> Policy:
    """Searches to the end, and takes the first of the best moves in reading order."""
    return evenly(best_moves(move_values(outcome, board))[:1])


NEGAMAX = Player("negamax", _negamax, reach=MOST_FREE_CELLS, sees=outcome)
