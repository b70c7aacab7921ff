"""What the searches share: which nodes are leaves and what those are worth, the counts, and what is remembered."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from math import inf, isclose
from typing import Any

from ttt.board import Board, Mark, geometry, require_board
from ttt.heuristics import WIN, Heuristic, LineWeights, gain, open_lines, value
from ttt.runtime.progress import progress
from ttt.search import engine
from ttt.search.record import MANY_CELLS, BadSearch, Options, Search, plies_of
from ttt.symmetry import TooManySymmetries, automorphisms, canonical, images


class Notes:
    """What one search counts on its way, and what it remembers if its options ask for that.

    Its arguments are those of `minimax`; without options the search never cuts off. Raises `BadSearch`.
    """

    def __init__(
        self,
        method: str,
        board: Board,
        depth: int | None,
        heuristic: Heuristic | None,
        sooner: bool,
        options: Options | None = None,
    ) -> None:
        self.method, self.board, self.heuristic, self.sooner = method, board, heuristic, sooner
        self.cuts, self.options = options is not None, options or Options()
        require_board(board, "A search", BadSearch)
        if heuristic is not None and not callable(heuristic):
            raise BadSearch(f"{heuristic!r} is no heuristic: give a function (board, player) → number.")
        if self.options.symmetry:
            try:
                automorphisms(board)
            except TooManySymmetries as error:
                raise BadSearch(f"{error} Search it without symmetry.") from None
            if heuristic is not None and heuristic is not open_lines and not isinstance(heuristic, LineWeights):
                self.heuristic = compared(heuristic)
        self.reorders = self.options.order != "row-major" or self.options.killer or self.options.deepening
        self.win, self.bonus = (1, int(sooner)) if heuristic is None else (WIN, 1)
        self.look_ahead(plies_of(board, depth, MANY_CELLS + self.options.table))
        self.nodes = [0] * (self.depth + 1)
        self.leaves = 0
        self.cutoffs = [0] * len(board.moves)
        self.values: dict[int, float] = {}  # of the root's moves, as far as known exactly
        self.lines: list[tuple[int, ...]] = [()] * (self.depth + 1)  # the best below the last node of each ply
        self.killers: list[tuple[int, ...]] = [()] * (self.depth + 1)
        self.best: dict[Board, int] = {}
        self.table: dict[tuple[Board, int], tuple[float, float]] = {}  # the least and the most that a node is worth

    def look_ahead(self, plies: int) -> None:
        """End the tree so many plies below the root."""
        self.depth = plies
        self.losses = [-self.win - self.bonus * (plies - ply) for ply in range(plies + 1)]  # by ply

    def visit(self, board: Board, ply: int, alpha: float = -inf, beta: float = inf) -> float | None:
        """Count a node. What it is worth to the side to move if the game or the depth ends there; else None."""
        self.nodes[ply] += 1
        if board.winner is not None:  # the side that moved last
            worth: float = self.losses[ply]
        elif ply < self.depth:  # a full board is never above the last ply
            return None
        else:
            worth = 0 if self.heuristic is None or board.over else value(self.heuristic, board, board.turn, WIN)
        self.leaves += 1
        self.lines[ply] = ()
        return worth

    def visit_or_recall(self, board: Board, ply: int, alpha: float, beta: float) -> float | None:
        """The same, and what the table knows of the node where that is exact or outside the window."""
        worth = self.visit(board, ply)
        if worth is None:
            least, most = self.table.get(self.key(board, ply), (-inf, inf))
            if least == most or least >= beta or most <= alpha:
                worth = least if most == inf else most
                self.leaves += 1
                self.lines[ply] = ()
        return worth

    def remember(self, board: Board, ply: int, worth: float, alpha: float, beta: float) -> None:
        """Keep what was found at a node: the move for a deeper search, the value for the table."""
        if self.options.deepening:
            self.best[board] = self.lines[ply][0]
        if self.options.table:
            self.table[self.key(board, ply)] = bounds(worth, alpha, beta)

    def key(self, board: Board, ply: int) -> tuple[Board, int]:
        """What a node is looked up by: the position, and how deep it is searched."""
        return canonical(board) if self.options.symmetry else board, self.depth - ply

    def moves(self, board: Board, ply: int) -> Iterable[int]:
        """A node's moves in the order in which they are tried, with a progress bar at the root."""
        moves = self.order(board, ply) if self.reorders else board.moves
        if self.options.symmetry:  # of moves that lead to mirror images, the first
            first: dict[Board, int] = {}
            for move in moves:
                first.setdefault(canonical(board.play(move)), move)
            moves = tuple(first.values())
        return moves if ply else progress(moves, "moves")

    def order(self, board: Board, ply: int) -> tuple[int, ...]:
        """The moves by their scores: the best of a shallower search, the killers, then as the order has it."""
        first = {cell: rank for rank, cell in enumerate(reversed(self.killers[ply]), 1)}
        if board in self.best:
            first[self.best[board]] = 3
        if self.options.order == "row-major" and not first:
            return board.moves
        scores = SCORES[self.options.order](board)
        return tuple(sorted(board.moves, key=lambda cell: (first.get(cell, 0), scores.get(cell, 0)), reverse=True))

    def better(self, move: int, ply: int, worth: float, alpha: float, beta: float) -> None:
        """Note a move that is worth more than those before it."""
        self.lines[ply] = (move, *self.lines[ply + 1])
        if ply == 0 and alpha < worth < beta:
            self.values[move] = worth

    def cut(self, move: int, ply: int, tried: int) -> None:
        """Note that a move cut off the remaining ones, after so many others."""
        self.cutoffs[tried] += 1
        if self.options.killer and move not in self.killers[ply]:
            self.killers[ply] = (move, *self.killers[ply][:1])

    def depths(self) -> Iterator[int]:
        """How deep to search, once or, with deepening, again and again; the tree ends there each time."""
        deepest = self.depth
        for depth in range(min(1, deepest), deepest + 1) if self.options.deepening else [deepest]:
            self.look_ahead(depth)
            self.values.clear()
            yield depth

    def by_engine(self, window: tuple[float, float] = (-inf, inf)) -> Search | None:
        """What the fast engine finds of the same tree; None where it can't search it."""
        if not self.depth:
            return None
        how: dict[str, Any] = {"win": self.win, "bonus": self.bonus, "cuts": self.cuts, "window": window}
        return engine.search(self.method, self.board, self.depth, self.heuristic, **how, **vars(self.options))

    def record(self, worth: float) -> Search:
        """The record of the search, once it is over."""
        return Search(
            method=self.method,
            board=self.board,
            value=worth,
            move_values=tuple(self.values.items()),
            principal_variation=self.lines[0],
            depth=self.depth,
            nodes_per_ply=tuple(self.nodes),
            leaves=self.leaves,
            cutoffs_by_move=tuple(self.cutoffs),
        )


def compared(heuristic: Heuristic) -> Heuristic:
    """A heuristic that is asked about all mirror images of each board. Raises `BadSearch` where they differ."""

    def alike(board: Board, player: Mark) -> float:
        worth = value(heuristic, board, player, WIN)
        for x, o in {*zip(images(board, board.x), images(board, board.o), strict=True)}:
            image = Board(board.shape, board.k, x=x, o=o)
            if not isclose(worth, value(heuristic, image, player, WIN), abs_tol=1e-9):
                name = getattr(heuristic, "__name__", "The heuristic")
                raise BadSearch(f"{name} tells {board!r} from its mirror image {image!r}: search without symmetry.")
        return worth

    return alike


def bounds(worth: float, alpha: float, beta: float) -> tuple[float, float]:
    """The least and the most that a node can be worth, after a search with this window found this value."""
    return (worth if worth > alpha else -inf), (worth if worth < beta else inf)


@cache
def _lines_through(shape: tuple[int, ...], k: int) -> Mapping[int, float]:
    return {cell: len(lines) for cell, lines in enumerate(geometry(shape, k).through)}


Scores = Callable[[Board], Mapping[int, float]]  # by cell: the highest first, equal ones in row-major order
SCORES: dict[str, Scores] = {
    "row-major": lambda board: {},
    "most-lines": lambda board: _lines_through(board.shape, board.k),
    "best-gain": gain,
}
