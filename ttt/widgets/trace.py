"""What the explorer shows: a whole game tree, and alpha-beta's way through it, frame by frame."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ttt.board import Board
from ttt.heuristics import Heuristic
from ttt.search import ORDERS, BadSearch, Search, Step, alphabeta, minimax
from ttt.search.result import counted
from ttt.search.tree import plies_of, require_board
from ttt.svg import signed
from ttt.widgets.frames import Change, Moves, located, whole_tree
from ttt.widgets.layout import tidy
from ttt.widgets.narrator import Narrator

MOST_NODES = 400  # that are still readable when drawn
MOST_POSITIONS = 2_000  # different ones on one ply, beyond which a tree isn't counted to its end
OPTIONS = ("order", "killer", "table", "symmetry", "pvs")


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

    @property
    def options(self) -> dict[str, Any]:
        """Alpha-beta's options, as `alphabeta` takes them."""
        return {name: getattr(self, name) for name in OPTIONS}

    def alphabeta(self, watch: Callable[[Step], None] | None = None, **other: Any) -> Search:
        return alphabeta(self.board, self.depth, self.heuristic, watch=watch, **{**self.options, **other})

    def minimax(self) -> Search:
        return minimax(self.board, self.depth, self.heuristic)


class Trace:
    """Everything that the explorer shows for one setting: the tree, the frames, and what the search cost.

    Raises `BadSearch` and `TreeTooLarge`.
    """

    def __init__(self, setting: Setting) -> None:
        _require_drawable(setting)
        self.setting = setting
        steps: list[Step] = []
        self.search = setting.alphabeta(steps.append)
        self.minimax = setting.minimax()
        self.nodes = whole_tree(setting.board, self.search.depth, _ordered_as_tried(setting, steps))
        narrator = Narrator(self.nodes, setting.heuristic)
        self.frames = narrator.narrate(steps)
        self._sum_up()
        self.kept = self._kept(narrator.visited)
        self.places = tidy([node.children for node in self.nodes])
        self.folded = tidy([[child for child in node.children if self.kept[child]] for node in self.nodes])

    def looks(self, step: int) -> list[Change]:
        """How each node looks at a step: its last change so far."""
        looks = [Change(node.number, 1, "new") for node in self.nodes]
        for frame in self.frames[: step + 1]:
            for change in frame.changes:
                below = replace(change, label="")
                looks[change.first : change.first + change.count] = [change, *[below] * (change.count - 1)]
        return looks

    def sentence(self) -> str:
        """What alpha-beta saves here, in one sentence of at most 110 characters."""
        return f"Alpha-beta visits {self.search.nodes} of {self.minimax.nodes} nodes: {self._result()}."

    def _result(self) -> str:
        value = f"{self.search.player} gets {signed(self.search.value)}"
        return value if self.search.move is None else f"{value} with cell {self.search.move}"

    def _sum_up(self) -> None:
        """Have the last frame sum up and show the best line; by then both bounds have reached the value."""
        value = self.search.value
        tip = next(node.number for node in self.nodes if node.path == self.search.principal_variation)
        visits = f"Alpha-beta visited {self.search.nodes} nodes, minimax visits {self.minimax.nodes}."
        text = f"The search is over: {self._result()}. {visits}"
        self.frames[-1] = replace(self.frames[-1], tip=tip, text=text, alpha=value, beta=value)

    def _kept(self, visited: set[int]) -> list[bool]:
        """Which nodes stay when what was left out is folded: those visited, and the first node of each part cut off."""
        looks = self.looks(len(self.frames) - 1)
        stubs = {node.number for node in self.nodes if node.parent in visited and looks[node.number].state != "known"}
        return [number in visited | stubs for number in range(len(self.nodes))]


def _ordered_as_tried(setting: Setting, steps: Sequence[Step]) -> Callable[[Moves, Board], Sequence[int]]:
    """An order of moves for each node: those that alpha-beta tried there, in its order, then the others."""
    tried: dict[Moves, list[int]] = {}
    for path, step in located(steps):
        if step.kind == "value" and step.move is not None:
            tried.setdefault(path, []).append(step.move)

    def ordered(path: Moves, board: Board) -> list[int]:
        return list(dict.fromkeys([*tried.get(path, []), *ORDERS[setting.order](board)]))

    return ordered


def _require_drawable(setting: Setting) -> None:
    board = setting.board
    require_board(board)
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
