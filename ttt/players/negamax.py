"""Negamax to the end of the game: it knows whether a board is won, drawn or lost, but not how soon.

Source: `MiniMax` in the blog post on a half-hour tic-tac-toe. There, moves are made and undone on one array; here
`play` returns a new board, and every position is searched once. Its flaws are kept: it plays the first cell that leads
to the best result, however far off, so it misses immediate wins; and if all moves lose, it blocks nothing.
"""

from functools import lru_cache

from ttt.board import Board, Mark
from ttt.heuristics import move_values
from ttt.players.player import Player, Policy, best_moves, evenly

MOST_FREE_CELLS = 12  # about 140,000 positions in a second; each further cell triples the time
MOST_REMEMBERED = 2**19


def outcome(board: Board, player: Mark) -> int:
    """A heuristic: the result for a player if both sides play their best. Win +1, draw 0, loss −1.

    Raises `PlayerError` for a board with more than 12 free cells.

    >>> outcome(Board(), "X"), outcome(Board.from_text("XX- O-- O--"), "O")
    (0, -1)
    """
    NEGAMAX.require_board(board)
    end = max(-1, min(1, solved(board)))
    return end if player == board.turn else -end


@lru_cache(MOST_REMEMBERED)
def solved(board: Board) -> int:
    """The result for the side to move, and how soon: its best move leaves the other side the worst value.

    A loss is worth -1, minus 1 for each cell still free at the end; a win as much above 0; a draw 0.
    """
    if board.over:
        return -1 - len(board.moves) if board.winner else 0
    return max(-solved(board.play(cell)) for cell in board.moves)


def _negamax(board: Board) -> Policy:
    """Searches to the end and takes the first of the best moves in reading order."""
    return evenly(best_moves(move_values(outcome, board))[:1])


NEGAMAX = Player("negamax", _negamax, reach=MOST_FREE_CELLS, sees=outcome)
