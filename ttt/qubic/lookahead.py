"""Looking ahead on 4×4×4, by lines that weigh 1, 10 or 100: at once in plain Python, compiled where it takes long.

A line with n marks of one side alone is worth that to it, a win 100,000 and 1 more for each ply that was left; a value
is seen from the side to move. Source: the 3D project report weighs lines by their marks; the powers of ten are ours.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ttt import search as readable
from ttt.board import Board
from ttt.heuristics import WIN, LineWeights
from ttt.search import engine
from ttt.search.record import BadSearch, Options, Search, plies_of

WEIGHTS = LineWeights(0, 1, 10, 100, 0)
BEST: dict[str, Any] = {"order": "best-gain", "table": True, "symmetry": True, "bounds": True}
LONG = 6  # plies from which a search with bounds is worth the second that numba takes to load
LONG_WITHOUT_BOUNDS = 4


def search(board: Board, depth: int = 4) -> Search:
    """The best move on 4×4×4, some plies ahead, with all that saves nodes; the value is minimax's own.

    Args:
        board: a 4×4×4 board.
        depth: how many plies to look ahead.

    Raises `BadSearch`.

    >>> found = search(Board(shape=(4, 4, 4)))
    >>> found.value, found.nodes
    (-4, 615)
    """
    return alphabeta(board, depth, **BEST)


def minimax(board: Board, depth: int) -> Search:
    """Every move and every answer to it. Four plies from the empty board are 15.5 million nodes.

    It finds and visits what `ttt.search.minimax` does with these weights. Args and errors as for `search`.

    >>> minimax(Board(shape=(4, 4, 4)), 2).nodes  # 1 + 64 + 64 * 63
    4097
    """
    return _search("minimax", board, depth, cuts=False)


def alphabeta(board: Board, depth: int, *, bounds: bool = False, **options: Any) -> Search:
    """Alpha-beta with its options one at a time, to see what each saves.

    Args:
        board, depth: as for `search`.
        bounds: whether to leave out moves that the other side's best reply leaves without a chance.
        options: those of `ttt.search.alphabeta`, which visits the same: order, killer, table, symmetry, deepening, pvs.

    Raises `BadSearch`.

    >>> alphabeta(Board(shape=(4, 4, 4)), 2).nodes < 4097
    True
    >>> alphabeta(Board(shape=(4, 4, 4)), 2, order="best-gain", bounds=True).nodes
    65
    """
    used = Options(**options)
    if bounds and used.order != "best-gain":
        raise BadSearch('Bounds need moves in the order of their gain: give order="best-gain".')
    return _search(f"{used}, bounds" if bounds else str(used), board, depth, cuts=True, bounds=bounds, **options)


def _search(method: str, board: Board, depth: int, bounds: bool = False, **how: Any) -> Search:
    """What the engine finds; a board that is over, and no plies, are left to the readable search."""
    if not isinstance(board, Board) or board.shape != (4, 4, 4) or board.k != 4:
        raise BadSearch(f"This engine plays 4×4×4 with 4 in a row, not {board!r}. ttt.search plays every board.")
    method, plies = f"4×4×4 engine: {method}", plies_of(board, depth)
    how |= {
        "win": WIN,
        "bonus": 1,
        "bounds": bounds,
        "machine_code": plies >= (LONG if bounds else LONG_WITHOUT_BOUNDS),
    }
    found = engine.search(method, board, plies, WEIGHTS, **how)
    return found or replace(readable.minimax(board, plies, WEIGHTS), method=method)
