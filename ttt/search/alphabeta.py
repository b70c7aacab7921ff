"""Alpha-beta: minimax that leaves out what cannot matter, with options that can be switched on one by one."""

from collections.abc import Callable
from math import inf
from numbers import Real
from typing import Any

from ttt.board import Board
from ttt.heuristics import Heuristic
from ttt.search.notes import Notes
from ttt.search.record import BadSearch, Options, Search


def alphabeta(
    board: Board,
    depth: int | None = None,
    heuristic: Heuristic | None = None,
    *,
    window: tuple[float, float] = (-inf, inf),
    sooner: bool = False,
    fast: bool = False,
    order: str = "row-major",
    killer: bool = False,
    table: bool = False,
    symmetry: bool = False,
    deepening: bool = False,
    pvs: bool = False,
) -> Search:
    """Minimax that stops at a node as soon as it is sure that no play leads there.

    Alpha is what the side to move has elsewhere already, beta what the other side would let it have. Once a move is
    worth beta or more, the other side would not have come here, so the remaining moves are cut off.

    Args:
        board, depth, heuristic, sooner, fast: as for `minimax`, and the value is the same.
        window: alpha and beta at the root. A value outside is a bound only.
        order, killer, table, symmetry, deepening, pvs: what else to use; see `ttt.search.record.Options`.

    With symmetry, a heuristic of your own is asked about all mirror images of each board that it judges.

    Raises `BadSearch`, also for symmetry on a board that has too many symmetries, or with a heuristic that tells mirror
    images apart, and `HeuristicError`.

    Sources: Knuth and Moore 1975 for the window; Marsland 1986 for the options.

    >>> alphabeta(Board()).nodes
    18297
    >>> alphabeta(Board(), table=True, symmetry=True).value
    0
    """
    _require_window(window)
    used = Options(order, killer, table, symmetry, deepening, pvs)
    notes = Notes(str(used), board, depth, heuristic, sooner, used)
    if fast and (found := notes.by_engine(window)):
        return found
    worth = _recursion(notes)
    for _ in notes.depths():
        value = worth(board, *window, 0)
    return notes.record(value)


def _recursion(notes: Notes) -> Callable[[Board, float, float, int], float]:
    """The search itself, with what it needs at each node in local names, which are quick."""
    options = notes.options
    visit = notes.visit_or_recall if options.table else notes.visit
    remembers, pvs = options.table or options.deepening, options.pvs
    moves, better = notes.moves, notes.better

    def worth(board: Board, alpha: float, beta: float, ply: int) -> float:
        """What a board is worth to the side to move, as far as it lies between alpha and beta."""
        known = visit(board, ply, alpha, beta)
        if known is not None:
            return known
        best, floor = -inf, alpha
        for tried, move in enumerate(moves(board, ply)):
            ask = scout if pvs and tried else worth
            value = -ask(board.play(move), -beta, -alpha, ply + 1)
            if value > best:
                best = value
                better(move, ply, best, alpha, beta)
                alpha = max(alpha, best)
                if alpha >= beta:
                    notes.cut(move, ply, tried)
                    break
        if remembers:
            notes.remember(board, ply, best, floor, beta)
        return best

    def scout(board: Board, alpha: float, beta: float, ply: int) -> float:
        """The same for PVS: ask first whether a move is better, and only then what it is worth."""
        value = worth(board, beta - 1, beta, ply)
        return worth(board, alpha, beta, ply) if alpha < value < beta else value

    return worth


def _require_window(window: Any) -> None:
    """Raises `BadSearch` unless there are an alpha and a larger beta."""
    match window:
        case (Real() as alpha, Real() as beta) if alpha < beta:
            return
    raise BadSearch(f"A window is two numbers, alpha and a larger beta, such as (-1, 1), not {window!r}.")
