"""What every search shares: which nodes are leaves and what they are worth, the counts, and the record at the end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from math import inf
from typing import Any

from ttt import board as boards
from ttt.board import Board
from ttt.heuristics import Heuristic, value
from ttt.progress import progress
from ttt.record import BadSearch, Options, Search, Step, Watch, plies_of
from ttt.search.options import NO_OPTION, Memory

WIN = 100_000  # more than any heuristic says of an unfinished board
MANY_CELLS = 16  # with so many free cells a search without a table would never reach the end


class Tree:
    """A board and everything that follows from it, as far as a search looks, with the counts of what it visits.

    Args:
        board: the root.
        depth: the plies to look ahead; None for to the end of the game.
        heuristic: judges unfinished boards at that depth; without one they count 0.
        sooner: whether a win counts 1 more for each ply that was left.
        watch: is told every step.
        options: what alpha-beta uses; None for a search that never cuts off.
        from_root: whether the search's values are seen from the side to move at the root, as minimax's are; else from
            the side to move at each node.

    Raises `BadSearch`.
    """

    def __init__(
        self,
        board: Board,
        depth: int | None,
        heuristic: Heuristic | None,
        sooner: bool,
        watch: Watch | None = None,
        options: Options | None = None,
        from_root: bool = False,
    ) -> None:
        require_board(board)
        if heuristic is not None and not callable(heuristic):
            raise BadSearch(f"{heuristic!r} is no heuristic: give a function (board, player) → number.")
        self.board = board
        self.cuts = options is not None
        self.options = options or NO_OPTION
        self.depth = plies_of(board, depth, MANY_CELLS + 1 if self.options.table else MANY_CELLS)
        self.heuristic = heuristic
        self.win, self.bonus = (1, int(sooner)) if heuristic is None else (WIN, 1)
        self.watch = watch
        self.from_root = from_root
        self.nodes = [0] * (self.depth + 1)
        self.leaves = 0
        self.cutoffs = [0] * (len(board.moves) + 1)
        self.values: dict[int, float] = {}  # of the root's moves, as far as known exactly
        self.line: tuple[int, ...] = ()  # the best line from the root

    @cached_property
    def path(self) -> list[Node]:
        """The node that is being searched at each ply."""
        return [Node(self, ply) for ply in range(len(self.nodes))]

    @cached_property
    def memory(self) -> Memory:
        """What the search learns on its way."""
        return Memory(self.options, plies=len(self.nodes))

    def depths(self) -> Iterator[int]:
        """How deep to search, once or, with deepening, again and again; the tree ends there each time."""
        deepest = self.depth
        for depth in range(min(1, deepest), deepest + 1) if self.options.deepening else [deepest]:
            self.depth = depth
            self.values.clear()
            yield depth

    def enter(self, board: Board, ply: int, alpha: float = -inf, beta: float = inf) -> Node:
        """Visit a node: count it, find out whether it is a leaf, and tell the watcher."""
        self.nodes[ply] += 1
        node = self.path[ply]
        node.board, node.alpha, node.beta = board, alpha, beta
        node.tried, node.best, node.line = 0, -inf, ()
        worth = self.end(board, ply)
        if worth is None:
            worth = self.memory.recall(node)
        node.is_leaf = worth is not None
        if worth is not None:
            node.worth = node.sign * worth
            self.leaves += 1
        node.tell("leaf" if node.is_leaf else "visit", alpha, beta, worth)
        return node

    def end(self, board: Board, ply: int) -> float | None:
        """What a board is worth to the side to move, where the game or the depth ends; else None."""
        if board.winner:  # the side that moved last
            return -(self.win + self.bonus * (self.depth - ply))
        if ply < self.depth:  # a full board is never above the last ply
            return None
        return 0 if self.heuristic is None or board.over else value(self.heuristic, board, board.turn)

    def found(self, method: str, worth: float) -> Search:
        """The record of the search, once it is over."""
        return Search(
            method=method,
            board=self.board,
            value=worth,
            move_values=tuple(self.values.items()),
            principal_variation=self.line,
            depth=self.depth,
            nodes_per_ply=tuple(self.nodes),
            leaves=self.leaves,
            cutoffs_by_move=tuple(self.cutoffs),
        )


class Node:
    """A position while it is searched. There is one object for each ply, which is used for all its nodes in turn.

    Attributes:
        is_leaf, worth: whether nothing is searched below it, and what it is worth then.
        tried: how many moves have come back with a value.
        best, line: the best of these values, seen from the side to move, and the moves that lead to it.
    """

    __slots__ = ("alpha", "best", "beta", "board", "is_leaf", "line", "ply", "sign", "tree", "tried", "worth")
    board: Board
    alpha: float
    beta: float
    is_leaf: bool
    worth: float
    tried: int
    best: float
    line: tuple[int, ...]

    def __init__(self, tree: Tree, ply: int) -> None:
        self.tree = tree
        self.ply = ply
        self.sign = -1 if tree.from_root and ply % 2 else 1

    def moves(self) -> Iterable[int]:
        """The moves in the order in which they are tried, with a progress bar at the root."""
        moves = self.tree.memory.moves(self)
        return progress(moves, "moves") if self.ply == 0 else moves

    def note(self, move: int, value: float, alpha: float = -inf) -> float:
        """Note what a move turned out to be worth, alpha being what is sure already; returns the value."""
        worth = self.sign * value
        self.tried += 1
        self.tell("value", alpha, self.beta, worth, move)
        if self.ply == 0 and alpha < worth < self.beta:
            self.tree.values[move] = worth
        if worth > self.best:
            self.best = worth
            self.line = (move, *self.tree.path[self.ply + 1].line)
        return value

    def cut(self, move: int) -> None:
        """Note that a move cut off the remaining ones."""
        self.tree.cutoffs[self.tried - 1] += 1
        self.tree.memory.cut(self, move)
        self.tell("cut", self.best, self.beta, self.best, move)

    def leave(self, value: float) -> float:
        """Note that the search is done with the node; returns its value."""
        self.tree.line = self.line  # the root is left last
        self.tree.memory.remember(self)
        self.tell("return", self.alpha, self.beta, self.best)
        return value

    def tell(self, kind: str, alpha: float, beta: float, value: float | None = None, move: int | None = None) -> None:
        """Tell the watcher, if there is one, a step."""
        if self.tree.watch:
            self.tree.watch(Step(kind, self.board, self.ply, alpha, beta, value, move))


def require_board(board: Any) -> None:
    """Raises `BadSearch` unless it is a board."""
    boards.require_board(board, "A search", BadSearch)
