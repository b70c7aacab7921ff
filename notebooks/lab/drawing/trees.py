"""Game trees: grown from a position and searched by alpha-beta step by step.

The trees to watch, practise with and fill in (`lab.boards`) are made of these, and so is the check of an exercise.
`layout` draws a tree, and `narration` puts it into words.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Any, NamedTuple

from lab.drawing.own_positions import move_name
from ttt.board import Board, opponent
from ttt.notation import signed
from ttt.position import Position, require_position
from ttt.search.ordering import Moves
from ttt.search.record import BadSearch


@dataclass(eq=False)
class GameNode:
    """A node of a tree. Nodes are numbered in the order minimax would visit them."""

    number: int
    parent: int  # the number of the node above; -1 for the root
    path: tuple[Any, ...]  # the moves from the root
    board: Any  # the position after these moves
    names: tuple[str, ...] = ()  # the names of these moves
    is_max: bool = True  # whether the side to move wants the highest value
    children: list[GameNode] = field(default_factory=list, repr=False)
    size: int = 1  # nodes in its subtree, itself included, numbered from `number` on
    worth: float = 0  # a leaf's value
    window: tuple[float, float] = (-inf, inf)  # (alpha, beta) at the parent when this node's turn came
    value: float | None = None  # the returned value; None if never visited
    bounds: tuple[float, float] = (-inf, inf)  # lower and upper bound of the true value

    @property
    def move(self) -> Any:
        return self.path[-1]

    @property
    def ply(self) -> int:
        return len(self.path)

    @property
    def side(self) -> str:
        return "MAX" if self.is_max else "MIN"

    @property
    def mover(self) -> str:
        """The side that made the move leading here."""
        return opponent(self.board.turn)

    @property
    def label(self) -> str:
        """The value as shown in the tree: "+1", or "≥ +1" or "≤ 0" if it is only a bound."""
        low, high = self.bounds
        sign = "≥ " if low == self.value else "≤ "
        return ("" if low == high else sign) + signed(self.value or 0)


def game_tree(
    root: Position,
    depth: float,
    order: Callable[[Any, int], Iterable[Any]] = lambda board, ply: board.moves,
    max_nodes: float = inf,
    max_first: bool = True,
) -> list[GameNode]:
    """The nodes of the game tree below a position, `depth` plies deep; it stops growing beyond `max_nodes` nodes."""
    nodes: list[GameNode] = []

    def grow(board: Any, parent: int, path: tuple[Any, ...], names: tuple[str, ...]) -> GameNode:
        node = GameNode(len(nodes), parent, path, board, names, is_max=(len(path) % 2 == 0) == max_first)
        nodes.append(node)
        if not (board.over or node.ply == depth or len(nodes) > max_nodes):
            for move in order(board, node.ply):
                name = move_name(board, move)
                node.children.append(grow(board.play(move), node.number, (*path, move), (*names, name)))
        node.size = len(nodes) - node.number
        return node

    grow(root, -1, (), ())
    return nodes


class Bound(NamedTuple):
    """Alpha or beta, and the node it comes from; the root for an infinite bound."""

    value: float
    node: GameNode


class Look(NamedTuple):
    """How a node looks."""

    state: str  # "new" before the search reaches it, "open" while the search is below it, then "done"; or "cut"
    label: str = ""  # text below the board
    note: str = ""  # lines below the label


@dataclass
class Step:
    """One step of a search."""

    kind: str  # "visit" a node, find a "leaf", get a child's "value", "cut" off the rest, or "end"
    node: GameNode
    alpha: Bound
    beta: Bound
    child: GameNode  # the child searched last, or the node itself if none yet
    rest: Sequence[GameNode] = ()  # the moves after that
    looks: tuple[Look, ...] = ()  # the look of each node after this step
    visits: int = 0  # nodes visited so far


def search(root: GameNode, cuts: bool = True) -> Iterator[Step]:
    """Search a tree by alpha-beta, or by minimax without `cuts`; results are stored on the nodes.

    This is alpha-beta once more, because `ttt.search.alphabeta` keeps alpha and beta to itself.
    """

    def visit(node: GameNode, alpha: Bound, beta: Bound) -> Generator[Step, None, float]:
        if not node.children:
            node.value, node.bounds = node.worth, (node.worth, node.worth)
            yield Step("leaf", node, alpha, beta, node)
            return node.worth
        yield Step("visit", node, alpha, beta, node)
        values: list[float] = []
        for child in node.children:
            child.window = alpha.value, beta.value
            if cuts and alpha.value >= beta.value:
                continue
            value = yield from visit(child, alpha, beta)
            values.append(value)
            if node.is_max and value > alpha.value:
                alpha = Bound(value, child)
            if not node.is_max and value < beta.value:
                beta = Bound(value, child)
            yield Step("value", node, alpha, beta, child, node.children[len(values) :])
        if rest := node.children[len(values) :]:
            yield Step("cut", node, alpha, beta, node, rest)
        best = max if node.is_max else min
        low, high = (best(ends) for ends in zip(*(child.bounds for child in node.children), strict=True))
        node.value, node.bounds = best(values), (low, high)
        if node is root:
            yield Step("end", node, alpha, beta, node)
        return node.value

    yield from visit(root, Bound(-inf, root), Bound(inf, root))


@dataclass(eq=False)
class SearchTree:
    """A position's game tree and each step of alpha-beta in it. X is MAX, so all values are seen from X.

    Raises `BoardError` for anything but a board or a position, and `BadSearch`, also for too many nodes.
    """

    board: Position
    order: str = "row-major"
    max_nodes: int = 400  # nodes; a drawing of more can't be read
    depth: float = inf  # plies, at most
    numbers: Callable[[Any], float] | None = None  # the worth to X of a leaf where the game isn't over

    def __post_init__(self) -> None:
        self.nodes = self._grown()  # a node's moves are in alpha-beta's order
        self.steps = list(self._looked_at())
        self.visited = self.steps[-1].visits  # how many of the nodes alpha-beta visited

    @property
    def variation(self) -> GameNode:
        """The leaf at the end of the principal variation."""
        node = self.nodes[0]
        while node.children:
            node = next(child for child in node.children if child.bounds == (node.value, node.value))
        return node

    def _grown(self) -> list[GameNode]:
        """Grow the tree, with its leaves' values for X."""
        board = self.board
        require_position(board, "A game tree")
        if isinstance(board, Board) and len(board.shape) > 2:
            raise BadSearch("Trees can be drawn only for flat boards, such as 3×3.")
        if board.over:
            raise BadSearch("There is no tree to show: the game is over.")
        order = Moves(board, self.order).ordered
        nodes = game_tree(board, self.depth, order, self.max_nodes, max_first=board.turn == "X")
        if len(nodes) > self.max_nodes:
            raise BadSearch(f"This tree has more than {self.max_nodes} nodes. Start later in the game.")
        for node in nodes:
            if node.board.over:
                node.worth = {"X": 1, "O": -1, None: 0}[node.board.winner]
            elif not node.children and self.numbers:
                node.worth = self.numbers(node.board)
        return nodes

    def _looked_at(self) -> Iterator[Step]:
        """Yield the steps, each with the nodes' looks after it."""
        looks = [Look("new")] * len(self.nodes)
        for step in search(self.nodes[0]):
            looks[step.node.number] = Look("open", f"α {signed(step.alpha.value)} β {signed(step.beta.value)}")
            for node in (step.node, step.child):
                if node.value is not None:
                    looks[node.number] = Look("done", node.label)
            for node in step.rest if step.kind == "cut" else ():
                looks[node.number : node.number + node.size] = [Look("cut")] * node.size
                looks[node.number] = Look("cut", f"{node.size} cut")
            step.looks, step.visits = tuple(looks), sum(look.state in ("open", "done") for look in looks)
            yield step
