"""Game trees: grown from a board or from numbers, searched by alpha-beta step by step and put into words, and drawn.

What people watch, practise with and fill in (`ttt.widgets.tree`) and the check under an exercise are made of it. Styles
are in `trees.css` beside this file. All numbers are seen from MAX, the side to move at the root.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import pairwise
from math import inf
from pathlib import Path
from typing import Any, NamedTuple

from ttt.board import Board, opponent, require_board
from ttt.heuristics import Heuristic
from ttt.record import BadSearch, Search, Step, counted
from ttt.search import alphabeta, minimax
from ttt.svg import Picture, draw, signed, text

SIDE, PITCH, LEVEL = 50, 57, 106  # a board, from board to board, and from ply to ply; in pixels
TOP, MARGIN = 16, 24  # above the root, and beside the tree
STEM = 22  # from a board to where its edges part, below its label
NOTE = 14  # the height of a line of notes below a board's label
LEFT = 96  # the width of the level names
MOST_NODES = 400  # that are still readable when drawn
MOST_POSITIONS = 2_000  # different ones on one ply, beyond which a tree isn't counted to its end

Moves = tuple[int, ...]
Bounds = tuple[float, float]


class TreeTooLarge(BadSearch):
    """A tree has more nodes than can be drawn; the message says what can be drawn instead."""


# ----------------------------------------------------------------------------------------------------------- grown


@dataclass
class Node:
    """A node of a tree. Nodes are numbered in the order in which minimax would visit them.

    Args:
        parent: the number of the node above; -1 for the root.
        path: the moves from the root to this node.
        board: the board that the last of them led to; None in a tree of numbers.
        children: the numbers of the nodes below.
        size: the number of nodes in its subtree, itself included; they are numbered from `number` on.
    """

    number: int
    parent: int
    path: Moves
    board: Board | None
    children: list[int] = field(default_factory=list)
    size: int = 1

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
    def name(self) -> str:
        """The node in a few words: the move that leads to it, or its place among numbers."""
        if not self.ply:
            return "the root"
        if self.board is None:
            return f"node {'.'.join(map(str, self.path))}"
        before = f" (after {', '.join(map(str, self.path[:-1]))})" if self.ply > 1 else ""
        return f"{opponent(self.board.turn)} at cell {self.move}{before}"


@dataclass
class GameNode(Node):
    """A node of a game tree, which has a board."""

    board: Board


def game_tree(
    root: Board,
    depth: int,
    order: Callable[[Board, Moves], Iterable[int]] = lambda board, _: board.moves,
    most: float = inf,
) -> list[GameNode]:
    """The nodes of the game tree below a board, each under its number.

    Args:
        depth: how many plies there are at most.
        order: the moves from a board, in their order, given the moves that lead to it.
        most: how many nodes are enough: with more than these, the tree grows no further.
    """
    nodes: list[GameNode] = []

    def grow(board: Board, parent: int, path: Moves) -> int:
        node = GameNode(len(nodes), parent, path, board)
        nodes.append(node)
        if not board.over and len(path) < depth and len(nodes) <= most:
            node.children = [grow(board.play(move), node.number, (*path, move)) for move in order(board, path)]
        node.size = len(nodes) - node.number
        return node.number

    grow(root, -1, ())
    return nodes


def plies(board: Any, depth: int | None) -> int:
    """How many plies of a board's tree there are to draw. Raises `BadSearch`."""
    require_board(board, "A tree", BadSearch)
    if len(board.shape) > 2:
        raise BadSearch("Trees are drawn of flat boards only, such as 3×3.")
    if board.over:
        raise BadSearch("The game is over, so there is no tree to look at. Choose an earlier position.")
    if depth is None:
        return len(board.moves)
    if not isinstance(depth, int) or isinstance(depth, bool) or depth < 1:
        raise BadSearch(f"A depth is a whole number of plies, 1 or more, not {depth!r}.")
    return min(depth, len(board.moves))


def require_drawable(board: Board, depth: int) -> None:
    """Raise `TreeTooLarge` for more nodes than can be drawn."""
    sizes = _sizes(board, depth)
    if sizes[-1] <= MOST_NODES:
        return
    size = f"{sizes[-1]:,}" if len(sizes) > depth else f"more than {MOST_NODES}"
    fits = max(plies for plies, nodes in enumerate(sizes) if nodes <= MOST_NODES)
    raise TreeTooLarge(
        f"This tree has {size} nodes, too many to draw; the limit is {MOST_NODES}. "
        f"Look only {counted(fits, 'ply', 'plies')} ahead (depth={fits}: {sizes[fits]} nodes), "
        "or start later in the game."
    )


def _sizes(board: Board, depth: int) -> list[int]:
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


# -------------------------------------------------------------------------------------------------------- searched


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
class Frame:
    """One step of a search as it is shown.

    Args:
        kind: as in `Step`. The return from a node is shown together with its value at the parent; a cut after the
            last move cuts nothing off and isn't shown.
        node: the number of the current node.
        alpha: what MAX has at least.
        beta: what MIN lets MAX have at most.
        value: what came back.
        came: the child that it came back from, or -1.
        visits: the nodes that alpha-beta has visited so far.
        text: the step in words.
        looks: how each node looks after it.
    """

    kind: str
    node: int
    alpha: float
    beta: float
    value: float | None
    came: int
    visits: int
    text: str
    looks: tuple[Look, ...]


@dataclass
class _Open:
    """A node on the path to the current one, with alpha and beta on arrival and now.

    Args:
        by: the move that alpha (at a MAX node) or beta (at a MIN node) comes from.
        results: for each child tried, the bounds of its value.
    """

    node: GameNode
    entry: Bounds
    window: Bounds
    by: int | None = None
    cut: bool = False
    results: dict[int, Bounds] = field(default_factory=dict)

    @property
    def best(self) -> float:
        """What the side to move here is sure of so far."""
        return self.window[0 if self.node.is_max else 1]

    def bounds(self) -> Bounds:
        """The bounds of the node's value, as far as the moves tried tell."""
        lows, highs = zip(*self.results.values(), strict=True)
        if self.node.is_max:
            return max(lows), inf if self.cut else max(highs)
        return -inf if self.cut else min(lows), min(highs)


class SearchTree:
    """A position's whole game tree, and each step of alpha-beta in it, as the search itself tells them.

    Args:
        order: of the moves, as for `alphabeta`.

    Attributes:
        nodes: the tree. A node's moves come in the order in which alpha-beta tried them, then the others.
        frames: the steps.
        search, minimax: what alpha-beta and minimax found, and what they cost.

    Raises `BadSearch` and `TreeTooLarge`.
    """

    def __init__(
        self, board: Board, depth: int | None = None, heuristic: Heuristic | None = None, order: str = "row-major"
    ) -> None:
        require_drawable(board, plies(board, depth))
        self.board, self.depth, self.heuristic, self.order = board, depth, heuristic, order
        steps: list[Step] = []
        self.search: Search = alphabeta(board, depth, heuristic, order=order, watch=steps.append)
        self.minimax: Search = minimax(board, depth, heuristic)
        self._max, self._min = board.turn, opponent(board.turn)
        paths = _paths(steps)
        self.nodes = game_tree(board, self.search.depth, _tried(steps, paths))
        self._by_path = {node.path: node for node in self.nodes}
        self._looks = [Look("new")] * len(self.nodes)
        self._path: list[_Open] = []  # from the root to the current node
        self._bounds: dict[int, Bounds] = {}  # of finished nodes
        self._visits = 0
        self.frames: list[Frame] = []
        for step, path in zip(steps, paths, strict=True):
            self._tell(step, self._by_path[path])

    def sentence(self) -> str:
        """What alpha-beta saves here, in one sentence of at most 110 characters."""
        return f"Alpha-beta visits {self.search.nodes} of {self.minimax.nodes} nodes: {self._result()}."

    def _result(self) -> str:
        value = f"{self._max} gets {signed(self.search.value)}"
        return value if self.search.move is None else f"{value} with cell {self.search.move}"

    def _tell(self, step: Step, node: GameNode) -> None:
        """Show a step. The search tells its numbers from the side to move."""
        alpha, beta, value = step.alpha, step.beta, step.value
        if not node.is_max:
            alpha, beta = -step.beta, -step.alpha
            value = None if step.value is None else -step.value
        if step.kind in ("visit", "leaf"):
            self._path[node.ply :] = [_Open(node, (alpha, beta), (alpha, beta))]
            self._visits += 1
        here = self._path[node.ply]
        child = node if step.move is None else self._by_path[*node.path, step.move]
        if step.kind == "visit":
            self._open(here)
            self._show("visit", here, None, self._arrival(node))
        elif step.kind == "leaf" and value is not None:
            self._done(node, value, (value, value))
            self._show("leaf", here, value, self._end(node, value))
        elif step.kind == "value" and value is not None:
            self._show("value", here, value, self._news(here, child, value), child.number)
        elif step.kind == "cut":
            self._cut(here, child)
        elif step.kind == "return" and value is not None:
            here.window = here.entry
            self._done(node, value, here.bounds())
            if not node.ply:
                here.window = value, value
                self._show("return", here, value, self._summary())

    def _show(self, kind: str, here: _Open, value: float | None, text: str, came: int = -1) -> None:
        alpha, beta = here.window
        frame = Frame(kind, here.node.number, alpha, beta, value, came, self._visits, text, tuple(self._looks))
        self.frames.append(frame)

    def _open(self, here: _Open) -> None:
        alpha, beta = map(signed, here.window)
        self._looks[here.node.number] = Look("open", f"α {alpha} β {beta}")

    def _done(self, node: GameNode, value: float, bounds: Bounds) -> None:
        self._bounds[node.number] = bounds
        self._looks[node.number] = Look("done", label(value, bounds))

    def _cut(self, here: _Open, came: GameNode) -> None:
        rest = [self.nodes[number] for number in here.node.children if number not in here.results]
        here.cut = bool(rest)
        if not rest:  # the node was finished anyway
            return
        for child in rest:
            self._looks[child.number : child.number + child.size] = [Look("cut")] * child.size
            self._looks[child.number] = Look("cut", f"cut, {child.size}")
        verb = "is" if len(rest) == 1 else "are"
        size = counted(sum(child.size for child in rest), "node")
        text = f"{self._reason(here)}: {counted(len(rest), 'move')} {verb} cut off ({size})."
        self._show("cut", here, None, text, came.number)

    # ------------------------------------------------------------------------------------------------ the sentences

    def _arrival(self, node: GameNode) -> str:
        if not node.ply:
            return f"{self._max} to move looks for the highest value (MAX), {self._min} for the lowest (MIN)."
        tries = f"{opponent(node.board.turn)} tries cell {node.move}"
        return f"{tries}. {node.board.turn} to move has {counted(len(node.children), 'move')}."

    def _end(self, node: GameNode, value: float) -> str:
        """What a leaf is worth, and why."""
        plays = f"{opponent(node.board.turn)} plays cell {node.move}"
        amount = f"{signed(value)} for {self._max}"
        if node.board.winner:
            return f"{plays} and completes a line: {amount}."
        if node.board.over:
            return f"{plays} and the board is full, a draw: {amount}."
        judge = "the heuristic says" if self.heuristic else "an unfinished game counts"
        return f"{plays}. The depth limit is reached: {judge} {amount}."

    def _news(self, here: _Open, child: GameNode, value: float) -> str:
        """What a move turned out to be worth, and what that does to alpha or beta, which are moved."""
        before, (alpha, beta) = here.best, here.window
        here.results[child.number] = self._bounds[child.number]
        bound, verb, better = ("alpha", "rises", "higher") if here.node.is_max else ("beta", "falls", "lower")
        known = f"Cell {child.move} is {worth(value, self._bounds[child.number])} for {self._max}"
        if value <= before if here.node.is_max else value >= before:
            self._open(here)
            return f"{known}, no {better} than {bound}, which stays {signed(before)}."
        here.window, here.by = (value, beta) if here.node.is_max else (alpha, value), child.move
        self._open(here)
        return f"{known}: {bound} {verb} from {signed(before)} to {signed(value)}."

    def _reason(self, here: _Open) -> str:
        """Why the rest of a node's moves need not be tried."""
        above = self._cutting(here)
        up = here.node.ply - above.node.ply
        where = f", {up} plies up" if up > 1 else ""
        if above.node.ply == 0:
            where = " at the root"
        elsewhere = f"{self._claim(above, already=True)} with cell {above.by}{where}"
        return f"{elsewhere}. Here {self._claim(here)} with cell {here.by}, so {self._refusal(above, here)}"

    def _claim(self, here: _Open, already: bool = False) -> str:
        """What the side to move at a node is sure of."""
        if here.node.is_max:
            return f"{self._max} {'already has' if already else 'gets'} at least {signed(here.best)}"
        return f"{self._min} {'already holds' if already else 'holds'} {self._max} to at most {signed(here.best)}"

    def _cutting(self, here: _Open) -> _Open:
        """The node above where the bound that cuts comes from: its side has something as good there, or better."""
        bound = 1 if here.node.is_max else 0
        above = [each for each in self._path[: here.node.ply] if each.node.is_max != here.node.is_max]
        return next(each for each in reversed(above) if each.entry[bound] != each.window[bound])

    def _refusal(self, above: _Open, here: _Open) -> str:
        """What follows for the side that has something else: it won't come here, or gains nothing by it."""
        who = self._max if above.node.is_max else self._min
        worse = here.best != above.best  # it could not be better, or there would be no cut
        if here.node.ply - above.node.ply > 1:
            return f"{who} will not let it come to this" if worse else f"coming here gains {who} nothing"
        return f"{who} will not play cell {here.node.move}" if worse else f"cell {here.node.move} gains {who} nothing"

    def _summary(self) -> str:
        visits = f"Alpha-beta visited {self.search.nodes} nodes, minimax visits {self.minimax.nodes}."
        return f"The search is over: {self._result()}. {visits}"


def label(value: float, bounds: Bounds) -> str:
    """A node's value as the tree shows it: exact, or as a lower or upper bound.

    >>> label(1, (1, 1)), label(1, (1, inf)), label(0, (-inf, 0))
    ('+1', '≥ +1', '≤ 0')
    """
    low, high = bounds
    if low == high:
        return signed(value)
    return f"≥ {signed(value)}" if low >= value else f"≤ {signed(value)}"


def worth(value: float, bounds: Bounds) -> str:
    """The same in words: "worth at least +1"."""
    return f"worth {label(value, bounds).replace('≥', 'at least').replace('≤', 'at most')}"


def _paths(steps: Iterable[Step]) -> list[Moves]:
    """For each step, the moves that lead to its node."""
    boards: list[Board] = []
    paths = []
    for step in steps:
        if step.kind in ("visit", "leaf"):
            boards[step.ply :] = [step.board]
        paths.append(tuple(_move(*pair) for pair in pairwise(boards[: step.ply + 1])))
    return paths


def _move(before: Board, after: Board) -> int:
    return ((before.x | before.o) ^ (after.x | after.o)).bit_length() - 1


def _tried(steps: Iterable[Step], paths: Iterable[Moves]) -> Callable[[Board, Moves], Iterable[int]]:
    """The order of the moves at each node: as they were tried, then the others."""
    tried: defaultdict[Moves, list[int]] = defaultdict(list)
    for step, path in zip(steps, paths, strict=True):
        if step.kind == "value" and step.move is not None:
            tried[path].append(step.move)
    return lambda board, path: dict.fromkeys([*tried[path], *board.moves])


# ----------------------------------------------------------------------------------------------------------- drawn


class Tree:
    """A tree with a place for each node.

    Args:
        nodes: the nodes, each under its number.
        shown: whether each node is drawn.
        notes: for how many lines there is room below the labels.

    Attributes:
        places: how far to the right each node is drawn, in boards.
        width, height: in pixels.
    """

    def __init__(self, nodes: Sequence[Node], shown: Sequence[bool] | None = None, notes: int = 0) -> None:
        self.nodes = nodes
        self.shown = [True] * len(nodes) if shown is None else shown
        self.stem, self.level = STEM + notes * NOTE, LEVEL + notes * NOTE
        self.places = tidy([[child for child in node.children if self.shown[child]] for node in nodes])
        self.width = round(max(self.places) * PITCH) + SIDE + 2 * MARGIN
        deepest = max(node.ply for node in nodes if self.shown[node.number])
        self.height = deepest * self.level + SIDE + self.stem + TOP + 18

    def drawn(self, looks: Sequence[Look], ringed: Container[int] = ()) -> str:
        """The tree as SVG elements, with rings round some nodes."""
        nodes = [node for node in self.nodes if self.shown[node.number]]
        parts = [self._node(node, looks[node.number], node.number in ringed) for node in nodes]
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
        turns = {node.ply: f"{node.board.turn} to move" if node.board else "" for node in self.nodes}
        inner = {node.ply for node in self.nodes if node.children}
        ended = all(node.children or node.board is None or node.board.over for node in self.nodes)
        parts = []
        for ply in sorted(turns):
            name, side = ("▼ MIN" if ply % 2 else "▲ MAX", turns[ply]) if ply in inner else ("", _last(ended))
            middle = ply * self.level + TOP + SIDE / 2
            parts += [text(8, middle, name, 14, 700, "start"), text(8, middle + 16, side, 12, anchor="start")]
        return "".join(parts)

    def place(self, node: Node) -> tuple[float, float]:
        """The upper left corner of a node's board."""
        return round(MARGIN + self.places[node.number] * PITCH, 1), node.ply * self.level + TOP

    def _node(self, node: Node, look: Look, ringed: bool) -> str:
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

    def _edge(self, node: Node) -> str:
        """The line from the parent's label, with the move that is played, and the strokes of a cut."""
        (from_x, from_y), (x, y) = self.place(self.nodes[node.parent]), self.place(node)
        dx, dy = from_x - x, from_y + self.stem - y + SIDE
        middle, end = SIDE / 2, (dy - 6) / 2
        side, anchor = (-6, "end") if dx > 1 else (6, "start")
        mark = "" if node.board is None else opponent(node.board.turn)
        move = f'<text class="move {mark}" x="{middle + side:g}" y="-9" text-anchor="{anchor}">{mark}{node.move}</text>'
        cut_x, cut_y = middle + 0.72 * dx, 0.62 * dy
        curve = f"M{middle + dx:g} {dy:g}C{middle + dx:g} {end:g} {middle:g} {end:g} {middle:g} -6"
        return (
            f'<path class="branch" d="{curve}"/>'
            f'<path class="slashes" d="M{cut_x - 7:g} {cut_y + 5:g}l8-10m-2 10l8-10"/>{move}'
        )


def style() -> str:
    """The style sheet of trees."""
    return " ".join(Path(__file__).with_suffix(".css").read_text("utf-8").split())


def named(node: Node, look: Look) -> str:
    """What a screen reader says of a node."""
    level = f", {'MAX' if node.is_max else 'MIN'}" if node.children else ""
    state = {"new": "not visited yet", "cut": "cut off"}.get(look.state, look.label)
    return f"{node.name}{level}: {state}"


def _last(ended: bool) -> str:
    return "the end" if ended else "depth limit"


def _face(node: Node) -> str:
    """A node's board, made small; in a tree of numbers triangles stand for MAX and MIN, and dots for leaves."""
    if node.board is None:
        symbol = ("▲" if node.is_max else "▼") if node.children else "●"
        return text(SIDE / 2, SIDE / 2 + 8, symbol, 22)
    board = draw(node.board, last=node.move if node.ply else None)
    scale = SIDE / max(board.width, board.height)
    down = (SIDE - scale * board.height) / 2
    return f'<g class="small" transform="translate(0,{down:.4g}) scale({scale:.4g})">{board.body}</g>'


def tidy(children: Sequence[Sequence[int]]) -> list[float]:
    """How far to the right each node is drawn: neighbours 1 apart or more, parents over the middle of their children.

    Each node is put as far to the left as its neighbour allows, and its subtree moved with it.

    Source: Wetherell and Shannon 1979.

    Args:
        children: for each node the numbers of its children.

    >>> tidy([[1, 2], [], []])
    [0.5, 0.0, 1.0]
    """
    places = [0.0] * len(children)
    free: defaultdict[int, float] = defaultdict(float)  # for each ply, the first free place

    def put(node: int, ply: int) -> None:
        below = children[node]
        for child in below:
            put(child, ply + 1)
        places[node] = (places[below[0]] + places[below[-1]]) / 2 if below else free[ply]
        move(node, ply, max(0, free[ply] - places[node]))

    def move(node: int, ply: int, distance: float) -> None:
        places[node] += distance
        free[ply] = max(free[ply], places[node] + 1)
        for child in children[node] if distance else []:
            move(child, ply + 1, distance)

    put(0, 0)
    return places
