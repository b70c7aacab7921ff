"""Move ordering for alpha-beta: the sooner it tries a good move, the more it can cut off."""

from collections.abc import Callable, Sequence
from math import isclose
from typing import Any

from ttt.board import Board, require_board, unknown_name
from ttt.heuristics import WIN, Heuristic, LineWeights, gain, heuristic_value, open_lines
from ttt.position import Position
from ttt.search.search import BadSearch
from ttt.symmetry import TooManySymmetries, canonical, images

ORDERS: dict[str, Callable[[Any], Sequence[Any]]] = {
    "row-major": lambda board: board.moves,
    "most-lines": lambda board: sorted(board.moves, key=lambda cell: -len(board.lines_through(cell))),
    "best-gain": lambda board: sorted(board.moves, key=gain(board).__getitem__, reverse=True),
}


class Moves:
    """Orders a node's moves by what the search has seen so far.

    Raises `BadSearch` for an unknown order, and for one that needs a board if the root is another game's position.
    """

    def __init__(self, root: Position, order: str, symmetry: bool = False) -> None:
        if order not in list(ORDERS):
            raise BadSearch(unknown_name("order", order, ORDERS))
        if order != "row-major":
            require_board(root, f"The order {order}", BadSearch)
        self.order, self.symmetry = ORDERS[order], symmetry
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


def require_symmetry(board: Any, heuristic: Heuristic | None) -> None:
    """Raise `BadSearch` unless a search may take mirror images for one another, as far as one look can tell.

    That is a board with not too many symmetries, and a heuristic that judges all images of a board alike: those after
    each of the first four moves are tried.
    """
    require_board(board, "symmetry=True", BadSearch)
    try:
        canonical(board)
    except TooManySymmetries as error:
        raise BadSearch(f"{error} Search without symmetry.") from None
    if heuristic is None or heuristic is open_lines or isinstance(heuristic, LineWeights):
        return  # symmetries map lines to lines
    for _ in range(4):
        if board.over or board.play(board.moves[0]).over:
            return
        board = board.play(board.moves[0])
        worth = heuristic_value(heuristic, board, board.turn, WIN)
        for x, o in {*zip(images(board, board.x), images(board, board.o), strict=True)}:
            image = Board(board.shape, board.k, x=x, o=o)
            if not isclose(worth, heuristic_value(heuristic, image, board.turn, WIN), abs_tol=1e-9):
                name = getattr(heuristic, "__name__", "The heuristic")
                raise BadSearch(f"{name} tells {board!r} from its mirror image {image!r}: search without symmetry.")
