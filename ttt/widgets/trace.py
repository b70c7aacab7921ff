"""What the explorer shows, as data: a whole game tree, and what alpha-beta did at each of its nodes."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from ttt.board import Board, require_board
from ttt.heuristics import Heuristic
from ttt.record import counted, plies_of
from ttt.search import ORDERS, BadSearch, Search, Step, alphabeta, minimax
from ttt.svg import signed
from ttt.trees import GameNode, Moves, game_tree

MOST_NODES = 400  # that are still readable when drawn
MOST_POSITIONS = 2_000  # different ones on one ply, beyond which a tree isn't counted to its end


class TreeTooLarge(BadSearch):
    """A tree has more nodes than can be drawn; the message says what can be drawn instead."""


@dataclass(frozen=True)
class Setting:
    """The search to look at: the position, how far it looks ahead, and alpha-beta's options."""

    board: Board
    depth: int | None = None
    heuristic: Heuristic | None = None
    order: str = "row-major"
    killer: bool = False
    table: bool = False
    symmetry: bool = False
    pvs: bool = False

    def alphabeta(self, **other: Any) -> Search:
        return alphabeta(**{**vars(self), **other})

    def minimax(self) -> Search:
        return minimax(self.board, self.depth, self.heuristic)


@dataclass(frozen=True)
class Event:
    """A step of the search at a node of the tree. All numbers are seen from the side to move at the root, MAX.

    Args:
        kind: as in `Step`.
        value: what came back; None at a visit.
        child: the node that it came back from, that cut, or that was skipped; otherwise the node itself.
    """

    kind: str
    node: GameNode
    alpha: float
    beta: float
    value: float | None
    child: GameNode


class Trace:
    """One search by alpha-beta: the whole tree, everything that happened in it, and what minimax would cost.

    Raises `BadSearch` and `TreeTooLarge`.
    """

    def __init__(self, setting: Setting) -> None:
        _require_drawable(setting)
        self.setting = setting
        steps: list[Step] = []
        self.search = setting.alphabeta(watch=steps.append)
        self.minimax = setting.minimax()
        located = list(_located(steps))
        self.nodes = _whole_tree(setting, self.search.depth, located)
        by_path = {node.path: node for node in self.nodes}
        self.best = by_path[self.search.principal_variation]  # the end of the best line
        self.events = [_event(step, path, by_path) for path, step in located]

    def result(self) -> str:
        """What alpha-beta found, in words."""
        value = f"{self.search.player} gets {signed(self.search.value)}"
        return value if self.search.move is None else f"{value} with cell {self.search.move}"

    def sentence(self) -> str:
        """What alpha-beta saves here, in one sentence of at most 110 characters."""
        return f"Alpha-beta visits {self.search.nodes} of {self.minimax.nodes} nodes: {self.result()}."


def _event(step: Step, path: Moves, by_path: dict[Moves, GameNode]) -> Event:
    """A step, with its numbers turned to MAX's side, and its boards found in the tree."""
    alpha, beta, value = step.alpha, step.beta, step.value
    if step.ply % 2:
        alpha, beta, value = -step.beta, -step.alpha, None if step.value is None else -step.value
    below = () if step.move is None else (step.move,)
    return Event(step.kind, by_path[path], alpha, beta, value, by_path[path + below])


def _located(steps: Iterable[Step]) -> Iterator[tuple[Moves, Step]]:
    """The steps, each with the moves that lead to its node."""
    boards: list[Board] = []
    for step in steps:
        if step.kind in ("visit", "leaf"):
            boards[step.ply :] = [step.board]
        yield tuple(_move(*pair) for pair in pairwise(boards[: step.ply + 1])), step


def _move(before: Board, after: Board) -> int:
    return ((before.x | before.o) ^ (after.x | after.o)).bit_length() - 1


def _whole_tree(setting: Setting, depth: int, steps: Iterable[tuple[Moves, Step]]) -> list[GameNode]:
    """All nodes of the tree. A node's moves come in the order in which alpha-beta tried them, then the others."""
    tried: defaultdict[Moves, list[int]] = defaultdict(list)
    for path, step in steps:
        if step.kind == "value" and step.move is not None:
            tried[path].append(step.move)

    def order(board: Board, path: Moves) -> Iterable[int]:
        return dict.fromkeys([*tried[path], *ORDERS[setting.order](board)])

    return game_tree(setting.board, depth, order)


def _require_drawable(setting: Setting) -> None:
    board = setting.board
    require_board(board, "A search", BadSearch)
    if len(board.shape) > 2:
        raise BadSearch("The explorer draws flat boards only, such as 3×3.")
    if board.over:
        raise BadSearch("The game is over, so there is no tree to look at. Choose an earlier position.")
    depth = len(board.moves) if setting.depth is None else plies_of(board, setting.depth)
    if not depth:
        raise BadSearch("The explorer looks at least one ply ahead, not 0.")
    sizes = _tree_sizes(board, depth)
    if sizes[-1] > MOST_NODES:
        size = f"{sizes[-1]:,}" if len(sizes) > depth else f"more than {MOST_NODES}"
        fits = max(plies for plies, nodes in enumerate(sizes) if nodes <= MOST_NODES)
        raise TreeTooLarge(
            f"This tree has {size} nodes, too many to draw; the limit is {MOST_NODES}. "
            f"Look only {counted(fits, 'ply', 'plies')} ahead (depth={fits}: {sizes[fits]} nodes), "
            "or start later in the game."
        )


def _tree_sizes(board: Board, depth: int) -> list[int]:
    """The nodes of the tree to depth 0, 1 and so on; on large boards only as far as positions are few."""
    sizes, positions = [1], Counter([board])
    while len(sizes) <= depth and len(positions) <= MOST_POSITIONS:
        following: Counter[Board] = Counter()
        for before, paths in positions.items():
            if not before.over:
                following.update({before.play(move): paths for move in before.moves})
        sizes.append(sizes[-1] + following.total())
        positions = following
    return sizes
