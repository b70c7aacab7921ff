"""Alpha-beta: minimax that leaves out what cannot matter, with pieces that can be switched on one by one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import inf
from numbers import Real
from typing import Any

from ttt.board import Board
from ttt.heuristics import Heuristic
from ttt.progress import progress
from ttt.search import engine
from ttt.search.ordering import ORDERS
from ttt.search.pieces import Pieces
from ttt.search.result import Search, Step, Watch
from ttt.search.tree import BadSearch, Tree
from ttt.symmetry import TooManySymmetries, automorphisms, canonical

EXACT, AT_LEAST, AT_MOST = 0, 1, 2  # what a value in the table says of the true one


def alphabeta(
    board: Board,
    depth: int | None = None,
    heuristic: Heuristic | None = None,
    *,
    order: str = "row-major",
    killer: bool = False,
    table: bool = False,
    symmetry: bool = False,
    deepening: bool = False,
    pvs: bool = False,
    sooner: bool = False,
    window: tuple[float, float] = (-inf, inf),
    fast: bool = False,
    watch: Watch | None = None,
) -> Search:
    """Minimax that stops at a node as soon as it is sure that no play leads there.

    Alpha is what the side to move has elsewhere already, beta what the other side would let it have. Once a move is
    worth beta or more, the other side would not have come here, so the remaining moves are cut off.

    Args:
        board, depth, heuristic, sooner, fast, watch: as for `minimax`, and the value is the same.
        order, killer, table, symmetry, deepening, pvs: what else to use; see `Pieces`.
        window: alpha and beta at the root. A value outside is a bound only.

    Raises `BadSearch`, as where a board has too many symmetries to search by.

    Sources: Knuth and Moore 1975 for the window; Marsland 1986 for the pieces.

    >>> alphabeta(Board()).nodes
    18297
    >>> alphabeta(Board(), table=True, symmetry=True).value
    0
    """
    tree = Tree(board, depth, heuristic, sooner, watch, remembers=table)
    pieces = Pieces(order, killer, table, symmetry, deepening, pvs)
    _require_window(window)
    if symmetry:
        _require_symmetries(board)
    if fast and (found := engine.search(tree, str(pieces), pieces, window)):
        return found
    return AlphaBeta(tree, pieces).search(*window)


def _require_window(window: Any) -> None:
    """Raises `BadSearch` unless there are an alpha and a larger beta."""
    match window:
        case (Real() as alpha, Real() as beta) if alpha < beta:
            return
    raise BadSearch(f"A window is two numbers, alpha and a larger beta, such as (-1, 1), not {window!r}.")


def _require_symmetries(board: Board) -> None:
    """Raises `BadSearch` for a board that has too many to search by them."""
    try:
        automorphisms(board)
    except TooManySymmetries as error:
        raise BadSearch(f"{error} Search it without symmetry.") from None


class AlphaBeta:
    """One search: the tree, the pieces, and what they have learned on the way."""

    def __init__(self, tree: Tree, pieces: Pieces) -> None:
        self.tree = tree
        self.pieces = pieces
        self.ordered = ORDERS[pieces.order]
        self.plain = not (pieces.killer or pieces.symmetry or pieces.deepening)
        self.forgetful = not (pieces.table or pieces.deepening)
        self.killers: list[tuple[int, ...]] = [()] * (tree.depth + 1)
        self.table: dict[tuple[Board, int], tuple[float, int]] = {}
        self.best: dict[Board, int] = {}

    def search(self, alpha: float, beta: float) -> Search:
        """Search the root, once or ply after ply."""
        tree, deepest, worth = self.tree, self.tree.depth, 0.0
        for depth in range(1, deepest + 1) if self.pieces.deepening and deepest else [deepest]:
            tree.depth = depth
            tree.values.clear()
            worth = self.visit(tree.board, alpha, beta, 0)
        return tree.found(str(self.pieces), worth)

    def visit(self, board: Board, alpha: float, beta: float, ply: int) -> float:
        """What a node is worth to the side to move there, or a bound of it where that lies outside of the window."""
        tree, pieces, watch = self.tree, self.pieces, self.tree.watch
        worth = tree.enter(board, ply)
        if worth is None and pieces.table:
            worth = self.recalled(board, alpha, beta, ply)
        if watch:
            watch(Step("visit" if worth is None else "leaf", board, ply, alpha, beta, worth))
        if worth is not None:
            return worth
        best, floor = -inf, alpha
        for tried, move in enumerate(self.moves(board, ply)):
            child = board.play(move)
            if pieces.pvs and tried:
                value = self.scouted(child, alpha, beta, ply)
            else:
                value = -self.visit(child, -beta, -alpha, ply + 1)
            if watch:
                watch(Step("value", board, ply, alpha, beta, value, move))
            if ply == 0 and alpha < value < beta:
                tree.values[move] = value
            if value > best:
                best = value
                tree.lines[ply] = (move, *tree.lines[ply + 1])
                if best > alpha:
                    alpha = best
                    if alpha >= beta:
                        self.cut(ply, tried, move)
                        if watch:
                            watch(Step("cut", board, ply, alpha, beta, best, move))
                        break
        if not self.forgetful:
            self.remember(board, ply, best, floor, beta)
        if watch:
            watch(Step("return", board, ply, floor, beta, best))
        return best

    def scouted(self, child: Board, alpha: float, beta: float, ply: int) -> float:
        """A move's value, by a window too narrow to hold a value; searched again where it turns out to be better."""
        value = -self.visit(child, -alpha - 1, -alpha, ply + 1)
        return -self.visit(child, -beta, -alpha, ply + 1) if alpha < value < beta else value

    def cut(self, ply: int, tried: int, move: int) -> None:
        """The other side would not have come here: the remaining moves are left out."""
        self.tree.cutoffs[tried] += 1
        if self.pieces.killer and move not in self.killers[ply]:
            self.killers[ply] = (move, *self.killers[ply][:1])

    def moves(self, board: Board, ply: int) -> Iterable[int]:
        """The moves in the order in which they are tried."""
        moves = self.ordered(board)
        if not self.plain:
            first = [self.best[board]] if board in self.best else []
            first += [cell for cell in self.killers[ply] if cell in moves and cell not in first]
            moves = (*first, *(cell for cell in moves if cell not in first))
            if self.pieces.symmetry:
                moves = tuple(self.unlike(board, moves, ply))
        return progress(moves, "moves") if ply == 0 else moves

    def unlike(self, board: Board, moves: Iterable[int], ply: int) -> Iterator[int]:
        """The moves that lead to boards of which none is another's mirror image."""
        seen = set()
        for move in moves:
            image = canonical(board.play(move))
            if image not in seen:
                seen.add(image)
                yield move
            elif self.tree.watch:
                self.tree.watch(Step("twin", board, ply, -inf, inf, None, move))

    def recalled(self, board: Board, alpha: float, beta: float, ply: int) -> float | None:
        """What the table knows of a node, if that settles it; it is a leaf then."""
        value, says = self.table.get(self.key(board, ply), (0, None))
        if says == EXACT or (says == AT_LEAST and value >= beta) or (says == AT_MOST and value <= alpha):
            self.tree.leaves += 1
            self.tree.lines[ply] = ()
            return value
        return None

    def remember(self, board: Board, ply: int, best: float, alpha: float, beta: float) -> None:
        """Keep what was found: the value for the table, the move for a deeper search."""
        if self.pieces.deepening:
            self.best[board] = self.tree.lines[ply][0]
        if self.pieces.table:
            says = AT_LEAST if best >= beta else AT_MOST if best <= alpha else EXACT
            self.table[self.key(board, ply)] = best, says

    def key(self, board: Board, ply: int) -> tuple[Board, int]:
        """What a node is looked up by: the position, and how deep it was searched."""
        return canonical(board) if self.pieces.symmetry else board, self.tree.depth - ply
