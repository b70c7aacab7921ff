"""Measures of searches: ratios to a baseline, how sure a number is, right moves, and the size of a tree."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from ttt.board import Board
from ttt.search import minimax
from ttt.statistics.sweeps import CATEGORIES, POSITION, SETTING, board_of, with_categories

if TYPE_CHECKING:
    from pandas import DataFrame, Series

END = -1  # in place of a depth: to the end of the game
RESAMPLES = 1000
FEWEST = 10  # positions that an interval is worked out from
MOST_FREE = 10  # cells of a board whose exact value is looked for


def compare(frame: DataFrame, column: str, baseline: Any, y: str = "nodes") -> DataFrame:
    """Each search's cost as a ratio to the baseline's on the same position, with all else equal: a row for each pair.

    Args:
        column: what differs within a pair, such as "order" or "killer"; "setting" for methods, whose options differ.
        baseline: the value of that column to divide by, such as "row-major" or False.

    What one of two methods doesn't have, as mcts has no depth, is equal in both. Of searches that differ only in the
    seed, the median counts. The columns are those that a pair shares, the column, y, `baseline` (its cost), and
    `ratio`. Raises `KeyError` and `ValueError`.
    """
    require_columns(frame, column, y, *POSITION, *SETTING)
    frame = with_categories(frame)
    values = frame[column].dropna().unique().tolist()
    if baseline not in values:
        raise ValueError(f"There is no {column} {baseline!r} to compare with, but {', '.join(map(repr, values))}.")
    shared = [name for name in SETTING if name not in (column, "setting", "seed")]
    if column == "setting":
        shared = ["heuristic", "fast", "depth", "times"]  # a setting says the rest
    to_the_end = frame["depth"].isna() & (frame["method"] != "mcts")
    rows = frame.astype(dict.fromkeys(CATEGORIES, object)).assign(depth=frame["depth"].mask(to_the_end, END))
    costs = rows.groupby([*POSITION, *shared, column], dropna=False, sort=False)[y].median().reset_index()
    base = costs[costs[column] == baseline].drop(columns=column).rename(columns={y: "baseline"})
    others = costs[costs[column].notna() & (costs[column] != baseline)]
    pairs = others.merge(base, on=[*POSITION], suffixes=("", " of baseline"))
    for name in shared:
        own, other = pairs[name], pairs.pop(f"{name} of baseline")
        pairs = pairs.assign(**{name: own.fillna(other)})[(own == other).fillna(False) | own.isna() | other.isna()]
    if pairs.empty:
        raise ValueError(f"No position was searched both with {column} {baseline!r} and another, all else equal.")
    if not (pairs["baseline"] > 0).all():
        raise ValueError(f"The {y} of {baseline!r} are not above 0 everywhere, so there is no ratio to them.")
    types = {name: frame[name].dtype for name in (*shared, column)}
    pairs = pairs.assign(depth=pairs["depth"].mask(pairs["depth"] == END)).astype(types)
    return pairs.assign(ratio=pairs[y].astype(float) / pairs["baseline"].astype(float))


def summary(frame: DataFrame, by: str | Sequence[str], y: str, estimator: str = "") -> DataFrame:
    """How many positions each group has, and the median of y (the mean of True and False) in its 95 per cent interval.

    Searches of one position, as with several seeds, count once, by their own median or mean. The interval says how far
    the middle of another sample of so many positions might lie: if you searched all that there are, the middle is a
    fact, and needs none. There is none for fewer than ten positions. By the percentile bootstrap: Efron and Tibshirani
    1993, "An introduction to the bootstrap", section 13.3. Raises `KeyError` and `ValueError`.
    """
    import pandas

    by = [by] if isinstance(by, str) else [*by]
    require_columns(frame, *by, y)
    estimator = estimator or ("mean" if frame[y].dtype.kind == "b" else "median")
    if estimator not in ("median", "mean"):
        raise ValueError(f"The estimator is 'median' or 'mean', not {estimator!r}.")
    position = [name for name in POSITION if name in frame]

    def measures(group: DataFrame) -> Series[float]:
        values = group.groupby(position, sort=False)[y].agg(estimator) if position else group[y]
        low = high = np.nan
        if len(values) >= FEWEST:
            draws = np.random.default_rng(0).choice(values, (RESAMPLES, len(values)))
            low, high = np.percentile(getattr(np, estimator)(draws, axis=1), (2.5, 97.5))
        return pandas.Series({"n": len(values), "middle": values.agg(estimator), "low": low, "high": high})

    groups = frame.dropna(subset=[y]).astype({y: float}).groupby(by, observed=True)
    return groups[[*position, y]].apply(measures).astype({"n": int})


def require_columns(frame: DataFrame, *names: str) -> None:
    """Raises `KeyError` unless the table has these columns."""
    for name in names:
        if name not in frame:
            raise KeyError(f"There is no column {name!r}; there is {', '.join(map(str, frame))}.")


def right(frame: DataFrame) -> Series[bool]:
    """Whether each search plays one of the best moves, by minimax to the end of the game. Raises `ValueError`."""
    return frame.apply(lambda row: row["move"] in _best_moves(board_of(row)), axis=1)


def lucky(frame: DataFrame) -> Series[float]:
    """How likely a random mover is to play one of the best moves of each search's position. Raises `ValueError`.

    It is 1 where every move is best: only where it is less does a choice matter.
    """
    boards = frame.apply(board_of, axis=1)
    return boards.map(lambda board: len(_best_moves(board)) / len(board.moves))


@cache
def _best_moves(board: Board) -> frozenset[int]:
    if len(board.moves) > MOST_FREE:
        raise ValueError(f"{len(board.moves)} cells are free on {board!r}, too many to know its best moves here.")
    return frozenset(minimax(board, fast=True).best_moves)


def effective_branching(nodes: Any, depth: Any) -> Any:
    """The width b of a tree of this depth and size that is as wide everywhere: nodes = 1 + b + b² + … + b^depth.

    Takes numbers or columns. Source: Nilsson 1971, as in Russell and Norvig's "Artificial intelligence", section 3.6.

    >>> round(float(effective_branching(53, 5)), 2)
    1.92
    """

    def width(nodes: float, depth: float) -> float:
        if nodes < 1 or depth < 1:
            raise ValueError("A tree has a node and a ply at least.")
        roots = np.roots([1] * int(depth) + [1 - nodes])
        return float(max(root.real for root in roots if abs(root.imag) < 1e-9))

    return np.vectorize(width, otypes=[float])(nodes, depth)[()]


def least_tree(widths: Sequence[int]) -> tuple[int, ...]:
    """The fewest nodes that alpha-beta without a table can visit, at the root and at each ply below it.

    To be sure of a value, it must see all answers to one move at every second ply, for one side and for the other.
    Widths are the moves at the root, at the ply below it, and so on; no game may end in between.

    Sources: Slagle and Dixon 1969, "Experiments with some programs that search game trees"; proved by Knuth and Moore
    1975, "An analysis of alpha-beta pruning", section 6.

    >>> least_tree(range(64, 60, -1))
    (1, 64, 126, 4030, 7810)
    """
    plies = [widths[:ply] for ply in range(len(widths) + 1)]
    return tuple(prod(above[::2]) + prod(above[1::2]) - 1 for above in plies)


def least_nodes(frame: DataFrame) -> Series[float]:
    """The sum of the least tree of each search, for its position and depth; NaN where a game may end sooner."""

    def nodes(board: Board, depth: float) -> float:
        free = len(board.moves)
        return sum(least_tree(range(free, free - int(depth), -1))) if depth <= _soonest_end(board) else np.nan

    boards: Series[Any] = frame.apply(board_of, axis=1)
    return boards.combine(frame["depth"].astype(float), nodes)


def _soonest_end(board: Board) -> int:
    """After how many plies a game can be over at the soonest, if both sides help."""
    ends = [len(board.moves)]
    for cells, mark in product(board.line_cells, "XO"):
        missing = sum(board[cell] != mark for cell in cells)
        if all(board[cell] in (mark, "-") for cell in cells):
            ends.append(2 * missing - (mark == board.turn))
    return min(ends)
