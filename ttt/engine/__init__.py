"""The fast engines: what the searches find, node for node, by loops that numba compiles where it is installed."""

from __future__ import annotations

from typing import Any

from ttt.board import Board
from ttt.heuristics import Heuristic
from ttt.record import Options, Search


def search(
    method: str,
    board: Board,
    depth: int,
    heuristic: Heuristic | None,
    *,
    win: int,
    bonus: int,
    cuts: bool,
    window: tuple[float, float],
    **options: Any,
) -> Search | None:
    """What the readable search would find, or None where the engine can't search that."""
    from ttt.engine import any_shape
    from ttt.search.tree import Tree

    tree = Tree(board, depth, heuristic, bool(bonus), options=Options(**options) if cuts else None)
    return any_shape.search(tree, method, window) if any_shape.can_search(tree, window) else None
