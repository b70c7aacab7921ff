"""What searches are measured against: the best moves, found by solving the game, and the least tree."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import prod
from typing import TYPE_CHECKING, Any

from lab.statistics.names import simple
from lab.statistics.table import board_of
from ttt.board import Board
from ttt.words import short_repr

if TYPE_CHECKING:
    from pandas import DataFrame, Series

MAX_CELLS_TO_SOLVE = 10  # free cells of a board to solve exactly
MAX_POSITIONS_TO_SOLVE = 500_000  # of other games


def right(frame: DataFrame) -> Series[bool]:
    """Whether each search plays one of the best moves, according to minimax to the end of the game; empty without one.

    Raises `ValueError` for more than ten free cells, and for other games if they are too large.
    """
    from pandas import Series

    known = frame[frame["move"].notna()]
    moves = [row["move"] in map(simple, _best_moves(board_of(row))) for _, row in known.iterrows()]
    found = Series(moves, known.index, dtype=bool)
    return found if len(found) == len(frame) else found.astype("boolean").reindex(frame.index)


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


@cache
def _exact(position: Any) -> int:
    """The result for the side to move if both sides play their best: 1, 0 or -1."""
    if position.over:
        return 0 if position.winner is None else 1 if position.winner == position.turn else -1
    if _exact.cache_info().currsize >= MAX_POSITIONS_TO_SOLVE:
        _exact.cache_clear()
        raise ValueError(f"{short_repr(position)} belongs to a game too large to find the best moves.")
    return max(-_exact(position.play(move)) for move in position.moves)


def least_tree(widths: Sequence[int]) -> tuple[int, ...]:
    """The fewest nodes alpha-beta without a table can visit, at the root and at each ply below.

    To be sure of a value, it must see all replies to one move at every other ply, for one side and for the other.
    `widths` holds the number of moves at the root, one ply below, and so on; no game may end before the last ply.

    Sources: Slagle and Dixon 1969, "Experiments with some programs that search game trees"; proved by Knuth and Moore
    1975, "An analysis of alpha-beta pruning", section 6.

    >>> least_tree(range(64, 60, -1))
    (1, 64, 126, 4030, 7810)
    """
    plies = [widths[:ply] for ply in range(len(widths) + 1)]
    return tuple(prod(above[::2]) + prod(above[1::2]) - 1 for above in plies)
