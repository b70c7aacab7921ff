"""The fast engine: what the readable search finds, node for node, by the loops in `kernel`.

It takes boards of up to 64 cells, judged by the open lines or not at all. Where numba is installed the loops run as
machine code, compiled once for each machine; else they are plain Python, slower but the same.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from math import inf
from time import perf_counter

from ttt.board import FEW_CELLS, Board
from ttt.heuristics import open_lines
from ttt.search.pieces import Pieces
from ttt.search.result import Search
from ttt.search.tree import Tree

MOST_CELLS = 64
LONGEST_GAIN = 16  # marks in a row; the powers of ten of longer lines are beyond the loops' numbers
INFINITE = 1 << 40  # beyond every value
NO_PIECE = Pieces()


def search(
    tree: Tree, method: str, pieces: Pieces | None = None, window: tuple[float, float] = (-inf, inf)
) -> Search | None:
    """What the readable search would find of a tree, node for node; None where this engine can't search it.

    Without pieces nothing is cut off.
    """
    if not _can(tree, pieces) or not all(map(_fits, window)):
        return None
    from ttt.search import drive  # loaded with the first fast search, since numba comes with it

    alpha, beta = (int(max(-INFINITE, min(INFINITE, bound))) for bound in window)
    unjudged = tree.heuristic is None or tree.depth == len(tree.board.moves)
    lean = unjudged and len(tree.board) <= FEW_CELLS and pieces in (None, NO_PIECE)
    worth = (drive.search_small if lean else drive.search_any)(tree, pieces, alpha, beta)
    return tree.found(method, worth)


def prepare() -> float:
    """Have both loops ready to run, and say how many seconds that took: compiled for a new machine, or loaded."""
    begun = perf_counter()
    for pieces in (NO_PIECE, Pieces(table=True)):
        search(Tree(Board(), 1, None, False), "", pieces)
    return perf_counter() - begun


@cache
def compiles() -> bool:
    """Whether loops run as machine code: numba is there, is not switched off, and can be loaded, which this does."""
    try:
        return not import_module("numba").config.DISABLE_JIT
    except ImportError:
        return False


def _can(tree: Tree, pieces: Pieces | None) -> bool:
    """Whether the loops can search a tree: there is one, nobody watches, and its numbers fit."""
    greedy = pieces is not None and pieces.order == "best-gain"
    return (
        tree.depth > 0
        and tree.watch is None
        and len(tree.board) <= MOST_CELLS
        and (tree.heuristic is None or tree.heuristic is open_lines)
        and not (greedy and tree.board.k > LONGEST_GAIN)
    )


def _fits(bound: float) -> bool:
    """Whether a window's bound is a whole number, or no value reaches it."""
    return abs(bound) >= INFINITE or bound == int(bound)
