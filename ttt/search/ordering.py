"""Move ordering for alpha-beta: the sooner it tries a good move, the more it can cut off."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ttt.board import Board
from ttt.heuristics import gain
from ttt.position import Position
from ttt.search.record import BadSearch
from ttt.symmetry import TooManySymmetries, automorphisms, canonical
from ttt.words import unknown_name

Order = Callable[[Any], Sequence[Any]]
ORDERS: dict[str, Order] = {
    "row-major": lambda board: board.moves,
    "most-lines": lambda board: sorted(board.moves, key=lambda cell: -len(board.lines_through(cell))),
    "best-gain": lambda board: sorted(board.moves, key=gain(board).__getitem__, reverse=True),
}


def _checked(order: Order) -> Order:
    """A function of the caller's that orders moves. Raises `BadSearch` if it loses or repeats one."""

    def checked(board: Any) -> Sequence[Any]:
        found = order(board)
        moves = tuple(found) if isinstance(found, Iterable) else ()
        if len(moves) != len(board.moves) or {*moves} != {*board.moves}:
            asked = f"return each of the moves {board.moves} of {board!r} once"
            raise BadSearch(f"Your order {getattr(order, '__name__', order)} must {asked}, not {moves or found}.")
        return moves

    return checked


class Moves:
    """Orders a node's moves by what the search has seen so far.

    Raises `BadSearch` for an unknown order, and for an order or a symmetry that the root doesn't have.
    """

    def __init__(self, root: Any, order: str | Order, symmetry: bool = False) -> None:
        if not callable(order) and order not in list(ORDERS):
            raise BadSearch(unknown_name("order", order, ORDERS))
        if not callable(order) and order != "row-major" and not isinstance(root, Board):
            raise BadSearch(f"The order {order} works on boards only. For a game of your own, leave out `order`.")
        if symmetry:
            if not isinstance(root, Board):
                raise BadSearch("`symmetry` works on boards only. For a game of your own, leave it out.")
            try:
                automorphisms(root)
            except TooManySymmetries as error:
                raise BadSearch(f"{error} Search without symmetry.") from None
        self.order, self.symmetry = _checked(order) if callable(order) else ORDERS[order], symmetry
        self.best: dict[Position, Any] = {}  # from a shallower search
        self.killers: dict[int, tuple[Any, ...]] = {}  # the last two of each ply

    def ordered(self, board: Any, ply: int) -> Sequence[Any]:
        """A shallower search's best move, then the killers, then the rest; of mirror images, only the first."""
        moves, killers = self.order(board), self.killers.get(ply, ())
        first = [move for move in (self.best.get(board), *killers) if move in moves]
        moves = tuple(dict.fromkeys([*first, *moves]))
        if self.symmetry:
            different: dict[Board, int] = {}
            for move in moves:
                different.setdefault(canonical(board.play(move)), move)
            moves = tuple(different.values())
        return moves

    def note_killer(self, move: Any, ply: int) -> None:
        """Remember a move that caused a cutoff; the last two per ply are kept."""
        killers = self.killers.get(ply, ())
        if move not in killers:
            self.killers[ply] = (move, *killers[:1])
