"""Game trees: grown from a board or from numbers, searched by alpha-beta step by step and put into words, and drawn.

What people watch, practise with and fill in (`ttt.widgets.tree`) and the check under an exercise are made of it. Styles
are in `trees.css` beside this file. All numbers are seen from MAX, the side to move at the root.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Container, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from itertools import count, takewhile
from math import inf, isfinite
from pathlib import Path
from typing import Any, NamedTuple

from ttt.board import Board, opponent
from ttt.heuristics import Heuristic
from ttt.record import BadSearch, Options, counted
from ttt.search.notes import Notes
from ttt.svg import Picture, draw, signed, text

SIDE, PITCH, LEVEL = 50, 57, 106  # a board, from board to board, and from ply to ply; in pixels
TOP, MARGIN = 16, 24  # above the root, and beside the tree
STEM = 22  # from a board to where its edges part, below its label
NOTE = 14  # the height of a line of notes below a board's label
LEFT = 96  # the width of the level names
MOST_NODES = 400  # that are still readable when drawn


# ----------------------------------------------------------------------------------------------------------- grown


@dataclass(eq=False)
class GameNode:
    """A node of a tree. Nodes are numbered in the order in which minimax would visit them.

    Args:
        parent: the number of the node above; -1 for the root.
        path: the moves from the root to this node.
        board: the board that the last of them led to; None in a tree of numbers.
        children: the nodes below.
        size: the number of nodes in its subtree, itself included; they are numbered from `number` on.
        worth: what a leaf is worth.

    What a search notes:
        window: alpha and beta at the node above when this node's turn came.
        value: what came back; None where the search never came.
        bounds: what the true value lies between.
    """

    number: int
    parent: int
    path: tuple[int, ...]
    board: Any
    children: list[GameNode] = field(default_factory=list, repr=False)
    size: int = 1
    worth: float = 0
    window: tuple[float, float] = (-inf, inf)
    value: float | None = None
    bounds: tuple[float, float] = (-inf, inf)

    @property
    def move(self) -> int:
        return self.path[-1]

    @property
    def ply(self) -> int:
        return len(self.path)

    @property
    def is_max(self) -> bool:
        return self.ply % 2 == 0

    @property
    def side(self) -> str:
        return "MAX" if self.is_max else "MIN"

    @property
    def name(self) -> str:
        """The node in a few words: the move that leads to it, or its place among numbers."""
        if not self.ply:
            return "the root"
        if self.board is None:
            return f"node {'.'.join(map(str, self.path))}"
        before = f" (after {', '.join(map(str, self.path[:-1]))})" if self.ply > 1 else ""
        return f"{opponent(self.board.turn)} at cell {self.move}{before}"

    @property
    def label(self) -> str:
        """What came back, as the tree shows it: "+1", or, where it is only a bound, "≥ +1" or "≤ 0"."""
        value, (low, high) = signed(self.value or 0), self.bounds
        if low == high:
            return value
        return f"≥ {value}" if low == self.value else f"≤ {value}"


def game_tree(
    root: Board,
    depth: int,
    order: Callable[[Board, int], Iterable[int]] = lambda board, ply: board.moves,
    most: float = inf,
) -> list[GameNode]:
    """The nodes of the game tree below a board, each under its number.

    Args:
        depth: how many plies there are at most.
        order: the moves from a board so many plies below the root, in their order.
        most: how many nodes are enough: with more than these, the tree grows no further.
    """

    def below(node: GameNode, board: Board) -> Iterator[tuple[int, Board]]:
        if not board.over and node.ply < depth and node.number < most:
            yield from ((move, board.play(move)) for move in order(board, node.ply))

    return _grown(root, below)


def search_tree(
    board: Board,
    depth: int | None = None,
    heuristic: Heuristic | None = None,
    order: str = "row-major",
    most: int = MOST_NODES,
) -> list[GameNode]:
    """The game tree that `alphabeta`, given the same, searches, with what its leaves are worth.

    Raises `BadSearch`, also for more nodes than `most`.
    """
    notes = Notes("alpha-beta", board, depth, heuristic, False, Options(order))
    if len(board.shape) > 2:
        raise BadSearch("Trees are drawn of flat boards only, such as 3×3.")
    if notes.depth == 0:
        raise BadSearch("There is no tree to look at: the game is over, or the depth is 0.")
    nodes = game_tree(board, notes.depth, notes.order, most)
    if len(nodes) > most:
        trees = (game_tree(board, plies, most=most) for plies in count(1))
        fits = len(list(takewhile(lambda tree: len(tree) <= most, trees)))
        raise BadSearch(
            f"This tree has more than {most} nodes, too many here. "
            f"Look only {counted(fits, 'ply', 'plies')} ahead (depth={fits}), or start later in the game."
        )
    for node in nodes:
        worth = notes.visit(node.board, node.ply)
        if worth is not None:
            node.worth = worth if node.is_max else -worth
    return nodes


def number_tree(numbers: Sequence[Any]) -> list[GameNode]:
    """The nodes of a tree of numbers in lists in lists: the numbers are its leaves. Raises `BadSearch`."""

    def below(node: GameNode, given: Any) -> Iterable[tuple[int, Any]]:
        if isinstance(given, list | tuple) and given:
            return enumerate(given, 1)
        if type(given) in (int, float) and isfinite(given):
            node.worth = given
            return ()
        raise BadSearch(f"A tree holds numbers and lists of numbers, such as [[3, 5], [2, 9]], but not {given!r}.")

    return _grown(numbers, below)


def _grown(root: Any, below: Callable[[GameNode, Any], Iterable[tuple[int, Any]]]) -> list[GameNode]:
    """The nodes of a tree, given what is below a node: moves, and what they lead to."""
    nodes: list[GameNode] = []

    def grow(here: Any, parent: int, path: tuple[int, ...]) -> GameNode:
        node = GameNode(len(nodes), parent, path, here if isinstance(here, Board) else None)
        nodes.append(node)
        node.children = [grow(after, node.number, (*path, move)) for move, after in below(node, here)]
        node.size = len(nodes) - node.number
        return node

    grow(root, -1, ())
    return nodes


# -------------------------------------------------------------------------------------------------------- searched


class Bound(NamedTuple):
    """Alpha or beta, and which move at which node it comes from; infinite ones come from none."""

    value: float
    node: GameNode
    move: int = -1


class Look(NamedTuple):
    """How a node looks.

    Args:
        state: "new" before a search reaches the node, "open" while it is below, then "done"; or "cut" off.
        label: what stands below the board.
        note: what stands below the label, in a tree with notes: one or more lines.
    """

    state: str
    label: str = ""
    note: str = ""


@dataclass(frozen=True)
class Step:
    """One step of a search.

    Args:
        kind: "visit" a node; find it to be a "leaf"; get a child's "value" back; "cut" the children after that one off;
            or the "end".
        node: the current node.
        alpha: what MAX has at least.
        beta: what MIN lets MAX have at most.
        child: the one that was searched last; the node itself before there is one.
        text: the step in words.
        looks: how each node looks after it.
    """

    kind: str
    node: GameNode
    alpha: Bound
    beta: Bound
    child: GameNode
    text: str = ""
    looks: tuple[Look, ...] = ()

    @property
    def rest(self) -> list[GameNode]:
        """The moves after the one that was searched last."""
        return self.node.children[self.node.children.index(self.child) + 1 :]

    @property
    def visits(self) -> int:
        """How many nodes have been visited so far."""
        return sum(look.state in ("open", "done") for look in self.looks)


def search(root: GameNode, cuts: bool = True) -> Iterator[Step]:
    """Search a tree by alpha-beta, or by minimax where nothing is cut off; what is found is noted on the nodes."""

    def visit(node: GameNode, alpha: Bound, beta: Bound) -> Generator[Step, None, float]:
        """What a node is worth to MAX, as far as it lies between alpha and beta."""
        if not node.children:
            node.value, node.bounds = node.worth, (node.worth, node.worth)
            yield Step("leaf", node, alpha, beta, node)
            return node.worth
        yield Step("visit", node, alpha, beta, node)
        values = []
        for tried, child in enumerate(node.children, 1):
            child.window = alpha.value, beta.value
            value = yield from visit(child, alpha, beta)
            values.append(value)
            if node.is_max and value > alpha.value:
                alpha = Bound(value, node, child.move)
            if not node.is_max and value < beta.value:
                beta = Bound(value, node, child.move)
            yield Step("value", node, alpha, beta, child)
            rest = node.children[tried:]
            if cuts and rest and alpha.value >= beta.value:
                for each in rest:
                    each.window = alpha.value, beta.value
                yield Step("cut", node, alpha, beta, child)
                break
        best = max if node.is_max else min
        low, high = (best(bounds) for bounds in zip(*(child.bounds for child in node.children), strict=True))
        node.value, node.bounds = best(values), (low, high)
        if node is root:
            yield Step("end", node, alpha, beta, node)
        return node.value

    yield from visit(root, Bound(-inf, root), Bound(inf, root))


class SearchTree:
    """A position's whole game tree, and each step of alpha-beta in it.

    Args:
        order: of the moves, as for `alphabeta`.

    Attributes:
        nodes: the tree; a node's moves are in the order in which alpha-beta tries them.
        steps: the steps in words, and how the tree looks after each of them.
        visited: how many of the nodes alpha-beta visited.

    Raises `BadSearch`.
    """

    def __init__(
        self, board: Board, depth: int | None = None, heuristic: Heuristic | None = None, order: str = "row-major"
    ) -> None:
        self.nodes = search_tree(board, depth, heuristic, order)
        self.board, self.depth, self.heuristic, self.order = board, depth, heuristic, order
        self._max, self._min = board.turn, opponent(board.turn)
        self.steps = list(self._told())

    @property
    def visited(self) -> int:
        return sum(node.value is not None for node in self.nodes)

    def __str__(self) -> str:
        """What alpha-beta saves here, in one sentence of at most 110 characters."""
        return f"Alpha-beta visits {self.visited} of {len(self.nodes)} nodes: {self._result(self.steps[-1])}."

    def _result(self, end: Step) -> str:
        return f"{self._max} gets {signed(end.alpha.value)} with cell {end.alpha.move}"

    def _told(self) -> Iterator[Step]:
        looks = [Look("new")] * len(self.nodes)
        for step in search(self.nodes[0]):
            node = step.node
            looks[node.number] = Look("open", f"α {signed(step.alpha.value)} β {signed(step.beta.value)}")
            for done in (node, step.child):
                if done.value is not None:
                    looks[done.number] = Look("done", done.label)
            for child in step.rest if step.kind == "cut" else []:
                looks[child.number : child.number + child.size] = [Look("cut")] * child.size
                looks[child.number] = Look("cut", f"cut, {child.size}")
            yield replace(step, text=getattr(self, f"_{step.kind}")(step), looks=tuple(looks))

    # --------------------------------------------------------------------------- the sentences, a method for each kind

    def _visit(self, step: Step) -> str:
        node = step.node
        if node.ply == 0:
            return f"{self._max} to move looks for the highest value (MAX), {self._min} for the lowest (MIN)."
        tries = f"{opponent(node.board.turn)} tries cell {node.move}"
        return f"{tries}. {node.board.turn} to move has {counted(len(node.children), 'move')}."

    def _leaf(self, step: Step) -> str:
        """What a leaf is worth, and why."""
        board = step.node.board
        plays = f"{opponent(board.turn)} plays cell {step.node.move}"
        amount = f"{signed(step.node.worth)} for {self._max}"
        if board.winner:
            return f"{plays} and completes a line: {amount}."
        if board.over:
            return f"{plays} and the board is full, a draw: {amount}."
        judge = "the heuristic says" if self.heuristic else "an unfinished game counts"
        return f"{plays}. The depth limit is reached: {judge} {amount}."

    def _value(self, step: Step) -> str:
        """What a move turned out to be worth, and what that does to alpha or beta."""
        child = step.child
        worth = child.label.replace("≥", "at least").replace("≤", "at most")
        known = f"Cell {child.move} is worth {worth} for {self._max}"
        alpha, beta = child.window
        name, verb, better, before, now = "alpha", "rises", "higher", alpha, step.alpha.value
        if not step.node.is_max:
            name, verb, better, before, now = "beta", "falls", "lower", beta, step.beta.value
        if before == now:
            return f"{known}, no {better} than {name}, which stays {signed(before)}."
        return f"{known}: {name} {verb} from {signed(before)} to {signed(now)}."

    def _cut(self, step: Step) -> str:
        """Why the rest of a node's moves need not be tried."""
        node, rest = step.node, step.rest
        here, there = (step.alpha, step.beta) if node.is_max else (step.beta, step.alpha)
        up = node.ply - there.node.ply
        where = f", {up} plies up" if up > 1 else ""
        if there.node.ply == 0:
            where = " at the root"
        low, high = f"at least {signed(step.alpha.value)}", f"{self._max} to at most {signed(step.beta.value)}"
        who = self._min if node.is_max else self._max  # has something else, as good or better
        if node.is_max:
            has, gets = f"{self._min} already holds {high}", f"{self._max} gets {low}"
        else:
            has, gets = f"{self._max} already has {low}", f"{self._min} holds {high}"
        if here.value == there.value:
            so = f"{'coming here' if up > 1 else f'cell {node.move}'} gains {who} nothing"
        else:
            so = f"{who} will not {'let it come to this' if up > 1 else f'play cell {node.move}'}"
        verb = "is" if len(rest) == 1 else "are"
        size = counted(sum(child.size for child in rest), "node")
        return (
            f"{has} with cell {there.move}{where}. Here {gets} with cell {here.move}, so {so}: "
            f"{counted(len(rest), 'move')} {verb} cut off ({size})."
        )

    def _end(self, step: Step) -> str:
        visits = f"Alpha-beta visited {self.visited} nodes, minimax visits {len(self.nodes)}."
        return f"The search is over: {self._result(step)}. {visits}"


# ----------------------------------------------------------------------------------------------------------- drawn


class Tree:
    """A tree with a place for each node: neighbours 1 apart or more, parents over the middle of their children.

    Each node is put as far to the left as its neighbour allows, and its subtree moved with it.

    Source: Wetherell and Shannon 1979.

    Args:
        nodes: the nodes, each under its number.
        shown: whether each node is drawn.
        notes: for how many lines there is room below the labels.

    Attributes:
        places: how far to the right each node is drawn, in boards.
        width, height: in pixels.
    """

    def __init__(self, nodes: Sequence[GameNode], shown: Sequence[bool] | None = None, notes: int = 0) -> None:
        self.nodes = [node for node in nodes if shown is None or shown[node.number]]
        self.stem, self.level = STEM + notes * NOTE, LEVEL + notes * NOTE
        self.places: dict[int, float] = {}
        free: defaultdict[int, float] = defaultdict(float)  # for each ply, the first free place

        def put(node: GameNode) -> list[GameNode]:
            """Place a node over what is below it; returns its subtree."""
            below = [child for child in node.children if child in self.nodes]
            subtree = [node, *(each for child in below for each in put(child))]
            places = [self.places[child.number] for child in below] or [free[node.ply]]
            middle = (places[0] + places[-1]) / 2
            self.places[node.number] = middle
            distance = max(0, free[node.ply] - middle)
            for each in subtree:
                self.places[each.number] += distance
                free[each.ply] = max(free[each.ply], self.places[each.number] + 1)
            return subtree

        put(nodes[0])
        self.width = round(max(self.places.values()) * PITCH) + SIDE + 2 * MARGIN
        self.height = max(node.ply for node in self.nodes) * self.level + SIDE + self.stem + TOP + 4

    def drawn(self, looks: Sequence[Look], ringed: Container[int] = ()) -> str:
        """The tree as SVG elements, with rings round some nodes."""
        parts = [self._node(node, looks[node.number], node.number in ringed) for node in self.nodes]
        return f'<g class="ttt-tree">{"".join(parts)}</g>'

    def picture(self, drawing: str, said: str, title: str, words: str) -> Picture:
        """The drawing with the names of the levels and what is said below it.

        Args:
            said: one or more lines.
            words: the same in plain text.
        """
        lines = said.splitlines()
        parts = [
            f"<style>{style()}</style>",
            self.levels(),
            f'<g transform="translate({LEFT})">{drawing}</g>',
            *(text(8, self.height + 16 + 20 * n, line, 14, anchor="start") for n, line in enumerate(lines)),
        ]
        width = max(self.width + LEFT, 8 * max(map(len, lines)))
        return Picture(width, self.height + 10 + 20 * len(lines), "".join(parts), title, words)

    def levels(self) -> str:
        """The names of the levels: MAX or MIN, and who moves; the last has leaves only, as deep as the search looks."""
        ended = all(node.children or node.board is None or node.board.over for node in self.nodes)
        names = {node.ply: ("", "the end" if ended else "depth limit") for node in self.nodes}
        for node in self.nodes:
            if node.children:
                turn = f"{node.board.turn} to move" if node.board else ""
                names[node.ply] = "▲ MAX" if node.is_max else "▼ MIN", turn
        parts = []
        for ply, (name, below) in names.items():
            middle = ply * self.level + TOP + SIDE / 2
            parts += [text(8, middle, name, 14, 700, "start"), text(8, middle + 16, below, 12, anchor="start")]
        return "".join(parts)

    def place(self, node: GameNode) -> tuple[float, float]:
        """The upper left corner of a node's board."""
        return round(MARGIN + self.places[node.number] * PITCH, 1), node.ply * self.level + TOP

    def _node(self, node: GameNode, look: Look, ringed: bool) -> str:
        """A node's board with its edge, and below it its label and its note, or a stem."""
        x, y = self.place(node)
        kind = f'class="node{" ringed" if ringed else ""}" data-part="{node.number}" data-state="{look.state}"'
        stem = f'<path class="stem" d="M{SIDE / 2:g} {SIDE + 1}v{self.stem - 1}"/>' if node.children else ""
        notes = "".join(
            f'<text class="note" x="{SIDE / 2:g}" y="{SIDE + 31 + NOTE * n}">{escape(line)}</text>'
            for n, line in enumerate(look.note.splitlines())
        )
        return (
            f'<g {kind} role="treeitem" aria-level="{node.ply + 1}" aria-label="{named(node, look)}" '
            f'transform="translate({x:g},{y:g})">{self._edge(node) if node.ply else ""}'
            f'<rect class="paper" width="{SIDE}" height="{SIDE}" rx="5" fill="none"/>{_face(node)}'
            f'<text class="label" data-part="label-{node.number}" x="{SIDE / 2:g}" y="{SIDE + 16}">{look.label}</text>'
            f"{stem}{notes}</g>"
        )

    def _edge(self, node: GameNode) -> str:
        """The line from the parent's label, with the move that is played, and the strokes of a cut."""
        dx, dy = (self.places[node.parent] - self.places[node.number]) * PITCH, SIDE + STEM - LEVEL
        middle, end = SIDE / 2, (dy - 6) / 2
        side, anchor = (-6, "end") if dx > 1 else (6, "start")
        mark = "" if node.board is None else opponent(node.board.turn)
        curve = f"M{middle + dx:g} {dy}C{middle + dx:g} {end:g} {middle:g} {end:g} {middle:g} -6"
        return (
            f'<path class="branch" d="{curve}"/>'
            f'<path class="slashes" d="M{middle + 0.72 * dx - 7:g} {0.62 * dy + 5:g}l8-10m-2 10l8-10"/>'
            f'<text class="move {mark}" x="{middle + side:g}" y="-9" text-anchor="{anchor}">{mark}{node.move}</text>'
        )


def style() -> str:
    """The style sheet of trees."""
    return " ".join(Path(__file__).with_suffix(".css").read_text("utf-8").split())


def named(node: GameNode, look: Look) -> str:
    """What a screen reader says of a node."""
    level = f", {node.side}" if node.children else ""
    state = {"new": "not visited yet", "cut": "cut off"}.get(look.state, look.label)
    return f"{node.name}{level}: {state}"


def _face(node: GameNode) -> str:
    """A node's board, made small; in a tree of numbers triangles stand for MAX and MIN, and dots for leaves."""
    if node.board is None:
        symbol = ("▲" if node.is_max else "▼") if node.children else "●"
        return text(SIDE / 2, SIDE / 2 + 8, symbol, 22)
    board = draw(node.board, last=node.move if node.ply else None)
    scale = SIDE / max(board.width, board.height)
    down = (SIDE - scale * board.height) / 2
    return f'<g class="small" transform="translate(0,{down:.4g}) scale({scale:.4g})">{board.body}</g>'
