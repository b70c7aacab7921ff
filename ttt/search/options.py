"""The options of alpha-beta: which of them are switched on, and what the search learns on its way if they are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf
from typing import TYPE_CHECKING

from ttt.board import Board
from ttt.record import Options
from ttt.search.ordering import ORDERS
from ttt.symmetry import canonical

if TYPE_CHECKING:
    from ttt.search.tree import Node

EXACT, AT_LEAST, AT_MOST = 0, 1, 2


NO_OPTION = Options()


class Memory:
    """What one search has learned: killer moves, positions, and the best moves so far, as its options ask for."""

    def __init__(self, options: Options, plies: int) -> None:
        self.options = options
        self.reorders = options.killer or options.symmetry or options.deepening
        self.ordered = ORDERS[options.order]
        self.killers: list[tuple[int, ...]] = [()] * plies
        self.table: dict[tuple[Board, int], tuple[float, int]] = {}
        self.best: dict[Board, int] = {}

    def moves(self, node: Node) -> Sequence[int]:
        """A node's moves in the order in which they are tried."""
        moves = self.ordered(node.board)
        if not self.reorders:
            return moves
        first = [self.best[node.board]] if node.board in self.best else []
        first += [cell for cell in self.killers[node.ply] if cell in moves and cell not in first]
        moves = (*first, *(cell for cell in moves if cell not in first))
        return tuple(self.distinct(node, moves)) if self.options.symmetry else moves

    def distinct(self, node: Node, moves: Sequence[int]) -> Iterator[int]:
        """The moves without those that lead to a mirror image of what an earlier one leads to."""
        seen = set()
        for move in moves:
            image = canonical(node.board.play(move))
            if image in seen:
                node.tell("symmetric", -inf, inf, None, move)
            else:
                seen.add(image)
                yield move

    def recall(self, node: Node) -> float | None:
        """A node's value, where the table knows one that is exact or outside the window."""
        known = self.table.get(self.key(node)) if self.options.table else None
        if known is None:
            return None
        value, kind = known
        return value if settles(kind, value, node.alpha, node.beta) else None

    def cut(self, node: Node, move: int) -> None:
        """Remember the move as a killer."""
        killers = self.killers[node.ply]
        if self.options.killer and move not in killers:
            self.killers[node.ply] = (move, *killers[:1])

    def remember(self, node: Node) -> None:
        """Keep what was found: the move for a deeper search, the value for the table."""
        if self.options.deepening:
            self.best[node.board] = node.line[0]
        if self.options.table:
            self.table[self.key(node)] = node.best, bound_kind(node.best, node.alpha, node.beta)

    def key(self, node: Node) -> tuple[Board, int]:
        """What a node is looked up by: the position, and how deep it was searched."""
        return canonical(node.board) if self.options.symmetry else node.board, node.tree.depth - node.ply


def bound_kind(value: float, alpha: float, beta: float) -> int:
    """What the value that a search with this window found says of the true one: the value itself, or a bound."""
    if value >= beta:
        return AT_LEAST
    if value <= alpha:
        return AT_MOST
    return EXACT


def settles(kind: int, value: float, alpha: float, beta: float) -> bool:
    """Whether a value that was found earlier, with another window, makes it needless to search with this one."""
    return kind == EXACT or (kind == AT_LEAST and value >= beta) or (kind == AT_MOST and value <= alpha)
