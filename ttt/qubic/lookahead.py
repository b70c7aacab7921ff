"""Looking ahead on 4×4×4 with all that saves nodes: at once in plain Python, compiled where it takes long.

A line with n marks of one side alone weighs 1, 10 or 100, a win 100,000 and 1 more for each ply that was left; a value
is seen from the side to move. Source: the 3D project report weighs lines by their marks; the powers of ten are ours.
"""

from dataclasses import replace
from typing import Any

from ttt.board import Board
from ttt.heuristics import WIN, LineWeights
from ttt.search import engine, minimax
from ttt.search.record import BadSearch, Options, Search, plies_of

WEIGHTS = LineWeights(0, 1, 10, 100, 0)
OPTIONS = Options("best-gain", table=True, symmetry=True)
LONG = 6  # plies from which a search is worth the second that numba takes to load


def search(board: Board, depth: int = 4) -> Search:
    """The best move on 4×4×4, some plies ahead; the value is minimax's own.

    Beside the options that `ttt.search.alphabeta` has, too, it uses bounds: it leaves out moves that the other side's
    best reply leaves without a chance. Raises `BadSearch`.

    >>> found = search(Board(shape=(4, 4, 4)))
    >>> found.value, found.nodes
    (-4, 615)
    """
    if not isinstance(board, Board) or board.shape != (4, 4, 4) or board.k != 4:
        raise BadSearch(f"This engine plays 4×4×4 with 4 in a row, not {board!r}. ttt.search plays every board.")
    method, plies = f"4×4×4 engine: {OPTIONS}, bounds", plies_of(board, depth, 65)
    how: dict[str, Any] = {"win": WIN, "bonus": 1, "cuts": True, "bounds": True, "machine_code": plies >= LONG}
    found = engine.search(method, board, plies, WEIGHTS, **how, **vars(OPTIONS))
    return found or replace(minimax(board, plies, WEIGHTS), method=method)  # it is over, or there are no plies
