"""Measures of searches: ratios to a baseline, right moves, how sure a number is, and the width of a tree."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from ttt.board import Board
from ttt.search import minimax
from ttt.statistics.sweeps import POSITION, SETTING, board_of

if TYPE_CHECKING:
    from pandas import DataFrame, Series

RESAMPLES = 1000
MOST_FREE = 10  # cells of a board whose exact value is looked for


def compare(frame: DataFrame, column: str, baseline: Any, y: str = "nodes") -> DataFrame:
    """Each search's cost as a ratio to the baseline's on the same position, with all else equal: a row for each pair.

    Args:
        frame: searches of one depth. Of those that differ only in the seed, the median counts.
        column: what differs within a pair, such as "order" or "killer"; "setting" for methods, whose options differ.
        baseline: the value of that column to divide by, such as "row-major" or False.

    The columns are those that a pair shares, the column, y, `baseline` (its cost), and `ratio`. Raises `ValueError`.
    """
    depths, values = frame["depth"].sort_values().unique(), list(frame[column].dropna().unique())
    if len(depths) > 1:
        mixed, deepest = ", ".join(map(str, depths)), frame["depth"].max()
        raise ValueError(f"Depths {mixed} are mixed: choose one, frame.query('depth == {deepest}').")
    if baseline not in values:
        raise ValueError(f"There is no {column} {baseline!r} to compare with, but {', '.join(map(repr, values))}.")
    shared = ["heuristic", "playouts", "depth"]  # a setting is all of the method and its options
    if column != "setting":
        shared = [name for name in SETTING if name not in (column, "setting", "seed")]
    same = [*POSITION, *shared]
    costs = frame.groupby([*same, column], observed=True, dropna=False, sort=False)[y].median().reset_index()
    base = costs[costs[column] == baseline].drop(columns=column).rename(columns={y: "baseline"})
    pairs = costs[costs[column] != baseline].merge(base, on=same)
    if pairs.empty:
        both = f"No position was searched both with {column} {baseline!r} and another one, all else equal"
        raise ValueError(f"{both}; for methods, whose options differ, compare by 'setting'.")
    if not (pairs["baseline"] > 0).all():
        raise ValueError(f"The {y} of {baseline!r} are not above 0 everywhere, so there is no ratio to them.")
    return pairs.assign(ratio=pairs[y].astype(float) / pairs["baseline"].astype(float))


def interval(frame: DataFrame, y: str, estimator: str = "median", seed: int = 0) -> tuple[float, float]:
    """A 95 per cent interval of the median or the mean over positions, by the percentile bootstrap.

    Searches of one position, as with several seeds, count once, by their own median or mean. For fewer than some ten
    positions the interval is too narrow. Source: Efron and Tibshirani 1993, "An introduction to the bootstrap", 13.3.
    """
    position = [name for name in POSITION if name in frame]
    numbers = frame.astype({y: float})
    values = (numbers.groupby(position, sort=False)[y].agg(estimator) if position else numbers[y]).dropna().to_numpy()
    draws = np.random.default_rng(seed).choice(values, (RESAMPLES, len(values)))
    low, high = np.percentile(getattr(np, estimator)(draws, axis=1), (2.5, 97.5))
    return float(low), float(high)


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
