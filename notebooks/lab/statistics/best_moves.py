"""Whether a search plays one of the best moves, found by solving the game."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from lab.statistics.names import simple
from lab.statistics.table import board_of
from ttt.board import Board
from ttt.words import short_repr

if TYPE_CHECKING:
    from pandas import DataFrame, Series

MAX_CELLS_TO_SOLVE = 10  # free cells of a board to solve exactly
MAX_POSITIONS_TO_SOLVE = 500_000  # of other games
_solved: dict[Any, int] = {}  # the exact results of positions


def right(frame: DataFrame) -> Series[bool]:
    """Whether each search plays one of the best moves, according to minimax to the end of the game; empty without one.

    Raises `ValueError` for more than ten free cells, and for other games if they are too large.
    """
    from pandas import Series

    known = frame["move"].notna()
    moves = [row["move"] in map(simple, _best_moves(board_of(row))) for _, row in frame[known].iterrows()]
    found = Series(moves, frame.index[known], dtype=bool)
    return found if known.all() else found.astype("boolean").reindex(frame.index)


def lucky(frame: DataFrame) -> Series[float]:
    """The probability that a random mover plays one of the best moves in each search's position.

    It is 1 if every move is best; only below 1 does the choice matter. Raises `ValueError` as `right` does.
    """
    from pandas import Series

    boards = [board_of(row) for _, row in frame.iterrows()]
    return Series([len(_best_moves(board)) / len(board.moves) for board in boards], frame.index, dtype=float)


@cache
def _best_moves(position: Any) -> tuple[Any, ...]:
    if isinstance(position, Board) and len(position.moves) > MAX_CELLS_TO_SOLVE:
        raise ValueError(f"{len(position.moves)} free cells on {position!r} are too many to find the best moves.")
    values = {move: -_exact(position.play(move)) for move in position.moves}
    return tuple(move for move, value in values.items() if value == max(values.values()))


def _exact(position: Any) -> int:
    """The result for the side to move if both sides play their best: 1, 0 or -1."""
    if position.over:
        return 0 if position.winner is None else 1 if position.winner == position.turn else -1
    if position not in _solved:
        if len(_solved) >= MAX_POSITIONS_TO_SOLVE:
            _solved.clear()
            raise ValueError(f"{short_repr(position)} belongs to a game too large to find the best moves.")
        _solved[position] = max(-_exact(position.play(move)) for move in position.moves)
    return _solved[position]
