"""A game tree and a search through it, as the explorer shows them: nodes, and frames with what changes in each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from ttt.board import Board
from ttt.search import Step

Moves = tuple[int, ...]  # the moves from the root to a node


@dataclass
class Node:
    """A node of the game tree. Nodes are numbered in the order in which minimax would visit them.

    Args:
        size: the number of nodes in its subtree, itself included; they are numbered from `number` on.
    """

    number: int
    parent: int
    path: Moves
    board: Board
    children: list[int] = field(default_factory=list)
    size: int = 1

    @property
    def move(self) -> int:
        return self.path[-1]

    @property
    def ply(self) -> int:
        return len(self.path)


@dataclass(frozen=True)
class Change:
    """A change in how nodes look: `count` nodes from `first` on. The label is for the first of them only.

    Args:
        state: "new" before the search reaches the node, "open" while it is below, then "done"; or never visited:
            "cut" off, the "mirror" image of another move, or "known" from the table.
    """

    first: int
    count: int
    state: str
    label: str = ""


@dataclass(frozen=True)
class Frame:
    """One step of the search as it is shown. All numbers are seen from the side to move at the root, MAX.

    Args:
        kind: as in `Step`. The return from a node is shown together with its value at the parent; a cut after the
            last move cuts nothing off and isn't shown.
        node: the current node.
        alpha: what MAX has at least.
        beta: what MIN lets MAX have at most.
        value: what came back.
        came: the child that it came back from, or -1.
        tip: the end of the highlighted line.
        visits: the nodes that alpha-beta has visited so far.
        test: whether alpha and beta only test a move, as in PVS.
        text: the step in words.
    """

    kind: str
    node: int
    alpha: float
    beta: float
    value: float | None
    came: int
    tip: int
    visits: int
    test: bool
    text: str
    changes: tuple[Change, ...]


def located(steps: Sequence[Step]) -> Iterator[tuple[Moves, Step]]:
    """The steps, each with the moves that lead to its node."""
    boards: list[Board] = []
    for step in steps:
        if step.kind in ("visit", "leaf"):
            boards[step.ply :] = [step.board]
        yield tuple(_move(*pair) for pair in pairwise(boards[: step.ply + 1])), step


def seen_by_max(step: Step) -> tuple[float, float, float | None]:
    """A step's alpha, beta and value, seen from the side to move at the root rather than at the node."""
    if step.ply % 2 == 0:
        return step.alpha, step.beta, step.value
    return -step.beta, -step.alpha, None if step.value is None else -step.value


def whole_tree(board: Board, depth: int, ordered: Callable[[Moves, Board], Sequence[int]]) -> list[Node]:
    """All nodes of the tree, with each node's moves in the order given."""
    nodes: list[Node] = []

    def grow(board: Board, parent: int, path: Moves) -> int:
        node = Node(len(nodes), parent, path, board)
        nodes.append(node)
        if not board.over and len(path) < depth:
            node.children = [grow(board.play(move), node.number, (*path, move)) for move in ordered(path, board)]
        node.size = len(nodes) - node.number
        return node.number

    grow(board, -1, ())
    return nodes


def _move(before: Board, after: Board) -> int:
    return ((before.x | before.o) ^ (after.x | after.o)).bit_length() - 1
