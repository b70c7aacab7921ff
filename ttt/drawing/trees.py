"""Game trees: grown from a board or from numbers, searched by alpha-beta step by step and put into words, and drawn.

What people watch, practise with and fill in (`ttt.widgets`) and the check under an exercise are made of it. Styles are
in `trees.css` beside this file. All numbers are seen from MAX, the side to move at the root.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Container, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import count
from math import inf, isfinite
from pathlib import Path
from typing import Any, NamedTuple

from ttt.board import Board, opponent, require_board
from ttt.drawing.svg import Picture, draw, signed, text
from ttt.heuristics import Heuristic
from ttt.search.alphabeta import Moves
from ttt.search.minimax import leaf
from ttt.search.record import BadSearch, counted, plies_to_search, require_sense

SIDE, PITCH, LEVEL = 50, 57, 106  # a board, from board to board, and from ply to ply; in pixels
TOP, MARGIN = 16, 24  # above the root, and beside the tree
STEM = 22  # from a board to where its edges part, below its label
NOTE = 14  # the height of a line of notes below a board's label
LEFT = 96  # the width of the level names
STYLE = f"<style>{' '.join(Path(__file__).with_suffix('.css').read_text('utf-8').split())}</style>"


@dataclass(eq=False)
class GameNode:
    """A node of a tree. Nodes are numbered in the order in which minimax would visit them."""

    number: int
    parent: int  # the number of the node above; -1 for the root
    path: tuple[int, ...]  # the moves from the root
    board: Any  # what the last of them led to; None in a tree of numbers
    children: list[GameNode] = field(default_factory=list, repr=False)
    size: int = 1  # the nodes of its subtree, itself included; they are numbered from `number` on
    worth: float = 0  # of a leaf
    window: tuple[float, float] = (-inf, inf)  # alpha and beta at the node above, when its turn came
    value: float | None = None  # what came back; None where the search never came
    bounds: tuple[float, float] = (-inf, inf)  # what the true value lies between

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
    def symbol(self) -> str:
        return {"MAX": "▲", "MIN": "▼"}[self.side] if self.children else "●"

    @property
    def mover(self) -> str:
        """The side whose move led here; nobody in a tree of numbers."""
        return "" if self.board is None else opponent(self.board.turn)

    @property
    def name(self) -> str:
        """The node in a few words: the move that leads to it, or its place among numbers."""
        if not self.path:
            return "the root"
        if self.board is None:
            return f"node {'.'.join(map(str, self.path))}"
        before = f" (after {', '.join(map(str, self.path[:-1]))})" if self.ply > 1 else ""
        return f"{self.mover} at cell {self.move}{before}"

    @property
    def label(self) -> str:
        """What came back, as the tree shows it: "+1", or, where it is only a bound, "≥ +1" or "≤ 0"."""
        low, high = self.bounds
        sign = "≥ " if low == self.value else "≤ "
        return ("" if low == high else sign) + signed(self.value or 0)


def game_tree(
    root: Board,
    depth: int,
    order: Callable[[Board, int], Iterable[int]] = lambda board, ply: board.moves,
    most: float = inf,
) -> list[GameNode]:
    """The nodes of the game tree below a board, so many plies deep; with more than `most` it grows no further."""

    def below(node: GameNode, board: Board) -> Iterable[tuple[int, Board]]:
        ends = board.over or node.ply == depth or node.number >= most
        return () if ends else ((move, board.play(move)) for move in order(board, node.ply))

    return _grown(root, below)


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


class Bound(NamedTuple):
    """Alpha or beta, and the node that it comes back from; the root for an infinite one."""

    value: float
    node: GameNode


class Look(NamedTuple):
    """How a node looks."""

    state: str  # "new" before a search reaches it, "open" while the search is below it, then "done"; or "cut" off
    label: str = ""  # what stands below the board
    note: str = ""  # lines below the label


@dataclass
class Step:
    """One step of a search."""

    kind: str  # "visit" a node, find it to be a "leaf", get a child's "value", "cut" off what is left; or the "end"
    node: GameNode
    alpha: Bound
    beta: Bound
    child: GameNode  # that was searched last; before there is one, the node itself
    rest: Sequence[GameNode] = ()  # the moves after that
    text: str = ""  # the step in words
    looks: tuple[Look, ...] = ()  # how each node looks after it

    @property
    def visits(self) -> int:
        """How many nodes have been visited so far."""
        return sum(look.state in ("open", "done") for look in self.looks)


def search(root: GameNode, cuts: bool = True) -> Iterator[Step]:
    """Search a tree by alpha-beta, or by minimax where nothing is cut off; what is found is noted on the nodes."""

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
    """A position's whole game tree, and each step of alpha-beta in it. Raises `BadSearch`, also for too many nodes."""

    board: Board
    depth: int | None = None
    heuristic: Heuristic | None = None
    order: str = "row-major"
    most: int = 400  # nodes that are still readable when drawn

    def __post_init__(self) -> None:
        self.nodes = self._grown()  # a node's moves are in the order in which alpha-beta tries them
        self._max, self._min = self.board.turn, opponent(self.board.turn)
        self.steps = list(self._told())  # in words, with how the tree looks after each of them
        self.visited = self.steps[-1].visits  # how many of the nodes alpha-beta visited

    def _grown(self) -> list[GameNode]:
        """The tree, with what its leaves are worth."""
        require_board(self.board, "A tree", BadSearch)
        require_sense(self.board, self.depth, self.heuristic)
        order, plies = Moves(self.order).ordered, plies_to_search(self.board, self.depth)
        if len(self.board.shape) > 2:
            raise BadSearch("Trees are drawn of flat boards only, such as 3×3.")
        if plies == 0:
            raise BadSearch("There is no tree to look at: the game is over, or the depth is 0.")
        nodes = game_tree(self.board, plies, order, self.most)
        if len(nodes) > self.most:
            fits = next(n for n in count() if len(game_tree(self.board, n + 1, most=self.most)) > self.most)
            raise BadSearch(
                f"This tree has more than {self.most} nodes, too many here. "
                f"Look only {counted(fits, 'ply', 'plies')} ahead (depth={fits}), or start later in the game."
            )
        for node in nodes:
            if not node.children:
                side = self.board.turn if node.is_max else opponent(self.board.turn)
                worth = leaf(node.board, side, node.ply, plies, self.heuristic, sooner=False)
                node.worth = worth if node.is_max else -worth
        return nodes

    def _told(self) -> Iterator[Step]:
        """The steps, each with its sentence and how the nodes look after it."""
        looks = [Look("new")] * len(self.nodes)
        for step in search(self.nodes[0]):
            looks[step.node.number] = Look("open", f"α {signed(step.alpha.value)} β {signed(step.beta.value)}")
            for node in (step.node, step.child):
                if node.value is not None:
                    looks[node.number] = Look("done", node.label)
            for node in step.rest if step.kind == "cut" else ():
                looks[node.number : node.number + node.size] = [Look("cut")] * node.size
                looks[node.number] = Look("cut", f"cut, {node.size}")
            step.looks = tuple(looks)
            step.text = getattr(self, f"_{step.kind}")(step)
            yield step

    def __str__(self) -> str:
        """What alpha-beta saves here, in one sentence of at most 110 characters."""
        return f"Alpha-beta visits {self.visited} of {len(self.nodes)} nodes: {self._result(self.steps[-1])}."

    def _result(self, end: Step) -> str:
        return f"{self._max} gets {signed(end.alpha.value)} with cell {end.alpha.node.move}"

    def _visit(self, step: Step) -> str:
        node = step.node
        if not node.path:
            return f"{self._max} to move looks for the highest value (MAX), {self._min} for the lowest (MIN)."
        moves = counted(len(node.children), "move")
        return f"{node.mover} tries cell {node.move}. {node.board.turn} to move has {moves}."

    def _leaf(self, step: Step) -> str:
        node = step.node
        judge = "the heuristic says" if self.heuristic else "an unfinished game counts"
        end = f". The depth limit is reached: {judge}"
        if node.board.over:
            end = " and completes a line:" if node.board.winner else " and the board is full, a draw:"
        return f"{node.mover} plays cell {node.move}{end} {signed(node.worth)} for {self._max}."

    def _value(self, step: Step) -> str:
        """What a move turned out to be worth, and what that does to alpha or beta."""
        child, (alpha, beta) = step.child, step.child.window
        worth = child.label.replace("≥", "at least").replace("≤", "at most")
        known = f"Cell {child.move} is worth {worth} for {self._max}"
        name, verb, better, before, now = "alpha", "rises", "higher", alpha, step.alpha.value
        if not step.node.is_max:
            name, verb, better, before, now = "beta", "falls", "lower", beta, step.beta.value
        if before == now:
            return f"{known}, no {better} than {name}, which stays {signed(before)}."
        return f"{known}: {name} {verb} from {signed(before)} to {signed(now)}."

    def _cut(self, step: Step) -> str:
        """Why the rest of a node's moves need not be tried."""
        node, rest = step.node, step.rest
        low, high = f"at least {signed(step.alpha.value)}", f"{self._max} to at most {signed(step.beta.value)}"
        here, there, above = step.alpha, step.beta, self._min
        has, gets = f"{self._min} already holds {high}", f"{self._max} gets {low}"
        if not node.is_max:
            here, there, above = step.beta, step.alpha, self._max
            has, gets = f"{self._max} already has {low}", f"{self._min} holds {high}"
        up = node.ply + 1 - there.node.ply
        place = f", {up} plies up" if up > 1 else ""
        where = " at the root" if up == node.ply else place
        gain, move = f"cell {node.move}", f"play cell {node.move}"
        if up > 1:
            gain, move = "coming here", "let it come to this"
        so = f"{gain} gains {above} nothing" if here.value == there.value else f"{above} will not {move}"
        verb = "is" if len(rest) == 1 else "are"
        size = counted(sum(child.size for child in rest), "node")
        return (
            f"{has} with cell {there.node.move}{where}. Here {gets} with cell {here.node.move}, so {so}: "
            f"{counted(len(rest), 'move')} {verb} cut off ({size})."
        )

    def _end(self, step: Step) -> str:
        visits = f"Alpha-beta visited {step.visits} nodes, minimax visits {len(self.nodes)}."
        return f"The search is over: {self._result(step)}. {visits}"


class Tree:
    """A tree with a place for each node that is shown, and room for some lines of notes below the labels."""

    def __init__(self, nodes: Sequence[GameNode], shown: Sequence[bool] | None = None, notes: int = 0) -> None:
        self.nodes = [node for node in nodes if shown is None or shown[node.number]]
        self.stem, self.level = STEM + notes * NOTE, LEVEL + notes * NOTE
        self.places = _places(self.nodes)  # how far to the right each is drawn, in boards
        self.width = round(max(self.places.values()) * PITCH) + SIDE + 2 * MARGIN
        self.height = max(node.ply for node in self.nodes) * self.level + SIDE + self.stem + TOP + 4

    def drawn(self, looks: Sequence[Look], ringed: Container[int] = ()) -> str:
        """The tree as SVG elements, with rings round some nodes."""
        parts = [self._node(node, looks[node.number], node.number in ringed) for node in self.nodes]
        return f'<g class="ttt-tree">{"".join(parts)}</g>'

    def picture(self, drawing: str, said: str, title: str, words: str) -> Picture:
        """The drawing with the names of the levels and, below it, what is said; `words` are the same in plain text."""
        lines = said.splitlines()
        parts = [STYLE + self.levels(), f'<g transform="translate({LEFT})">{drawing}</g>']
        parts += [text(complex(8, self.height + 16 + 20 * n), line, 14, anchor="start") for n, line in enumerate(lines)]
        width = max(self.width + LEFT, 8 * max(map(len, lines)))
        return Picture(width, self.height + 10 + 20 * len(lines), "".join(parts), title, words)

    def levels(self) -> str:
        """The names of the levels: MAX or MIN, and who moves; the last has leaves only, as deep as the search looks."""
        ended = all(node.children or node.board is None or node.board.over for node in self.nodes)
        inner_last = sorted(self.nodes, key=lambda node: (node.ply, len(node.children)))
        parts = []
        for ply, node in {node.ply: node for node in inner_last}.items():
            name, below = "", "the end" if ended else "depth limit"
            if node.children:
                name, below = f"{node.symbol} {node.side}", f"{node.board.turn} to move" if node.board else ""
            place = complex(8, ply * self.level + TOP + SIDE / 2)
            parts += [text(place, name, 14, 700, "start"), text(place + 16j, below, 12, anchor="start")]
        return "".join(parts)

    def place(self, node: GameNode) -> tuple[float, float]:
        """The upper left corner of a node's board."""
        return round(MARGIN + self.places[node.number] * PITCH, 1), node.ply * self.level + TOP

    def _node(self, node: GameNode, look: Look, ringed: bool) -> str:
        """A node's board with its edge, and below it its label and its note, or a stem."""
        x, y = self.place(node)
        kind = f'class="node{" ringed" if ringed else ""}" data-part="{node.number}" data-state="{look.state}"'
        middle, label = SIDE / 2, f'class="label" data-part="label-{node.number}"'
        below = [f'<text {label} x="{middle:g}" y="{SIDE + 16}">{look.label}</text>']
        if node.children:
            below.append(f'<path class="stem" d="M{middle:g} {SIDE + 1}v{self.stem - 1}"/>')
        for n, line in enumerate(look.note.splitlines()):
            below.append(f'<text class="note" x="{middle:g}" y="{SIDE + 31 + NOTE * n}">{escape(line)}</text>')
        return (
            f'<g {kind} role="treeitem" aria-level="{node.ply + 1}" aria-label="{named(node, look)}" '
            f'transform="translate({x:g},{y:g})">{self._edge(node) if node.path else ""}'
            f'<rect class="paper" width="{SIDE}" height="{SIDE}" rx="5" fill="none"/>{_face(node)}{"".join(below)}</g>'
        )

    def _edge(self, node: GameNode) -> str:
        """The line from the parent's label, with the move that is played, and the strokes of a cut."""
        dx, dy = (self.places[node.parent] - self.places[node.number]) * PITCH, SIDE + STEM - LEVEL
        middle, bend = SIDE / 2, (dy - 18) / 2  # above the moves of all siblings
        side, anchor = (-6, "end") if dx > 1 else (6, "start")
        curve = f"M{middle + dx:g} {dy}C{middle + dx:g} {bend:g} {middle:g} {bend:g} {middle:g} -18v12"
        move = f'class="move {node.mover}" x="{middle + side:g}" y="-9" text-anchor="{anchor}"'
        return (
            f'<path class="branch" d="{curve}"/>'
            f'<path class="slashes" d="M{middle + 0.72 * dx - 7:g} {bend + 2:g}l8-10m-2 10l8-10"/>'
            f"<text {move}>{node.mover}{node.move}</text>"
        )


def _places(nodes: Sequence[GameNode]) -> dict[int, float]:
    """Parents over the middle of their children, neighbours 1 apart or more (Wetherell and Shannon 1979)."""
    places: dict[int, float] = {}
    free: defaultdict[int, float] = defaultdict(float)  # the first free place of each ply
    plies = {node.number: node.ply for node in nodes}
    for node in sorted(nodes, key=lambda node: (node.number + node.size, -node.number)):  # from the leaves up
        below = [places[child.number] for child in node.children if child.number in places] or [free[node.ply]]
        places[node.number] = (below[0] + below[-1]) / 2
        distance = max(0, free[node.ply] - places[node.number])
        for each in places.keys() & range(node.number, node.number + node.size):
            places[each] += distance
            free[plies[each]] = max(free[plies[each]], places[each] + 1)
    return places


def named(node: GameNode, look: Look) -> str:
    """What a screen reader says of a node."""
    level = f", {node.side}" if node.children else ""
    state = {"new": "not visited yet", "cut": "cut off"}.get(look.state, look.label)
    return f"{node.name}{level}: {state}"


def _face(node: GameNode) -> str:
    """A node's board, made small; in a tree of numbers triangles stand for MAX and MIN, and dots for leaves."""
    if node.board is None:
        return text(complex(SIDE / 2, SIDE / 2 + 8), node.symbol, 22)
    board = draw(node.board, last=node.move if node.path else None)
    size = f'width="{SIDE}" height="{SIDE}" viewBox="0 0 {board.width} {board.height}"'
    return f'<svg class="small" {size}>{board.body}</svg>'
