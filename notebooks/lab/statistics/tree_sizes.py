"""The sizes of trees: the width that a number of nodes stands for, and the least that alpha-beta must see."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np


def effective_branching(nodes: Any, depth: Any) -> Any:
    """The width b of a uniform tree of this depth and size: nodes = 1 + b + b² + … + b^depth.

    Takes numbers or columns. Source: Nilsson 1971, as in Russell and Norvig's "Artificial intelligence", section 3.6.

    >>> round(float(effective_branching(53, 5)), 2)
    1.92
    """

    def width(nodes: float, depth: float) -> float:
        roots = np.roots([1] * int(depth) + [1 - nodes])
        return max((root.real for root in roots if abs(root.imag) < 1e-9), default=np.nan)

    return np.vectorize(width, otypes=[float])(nodes, depth)[()]


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
