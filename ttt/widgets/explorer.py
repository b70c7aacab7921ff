"""The pruning explorer: the game tree of a position, and alpha-beta walking through it step by step."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from html import escape
from itertools import zip_longest
from math import inf
from operator import index
from pathlib import Path
from typing import Any

import anywidget
import traitlets

from ttt.board import Board, Line, opponent
from ttt.heuristics import Heuristic
from ttt.players import explained
from ttt.search import ORDERS, BadSearch, Search, Step, alphabeta, minimax
from ttt.svg import INK, WIDEST, Picture, signed, spoken
from ttt.widgets.still import Canvas, Still

_HERE = Path(__file__).parent
MOST_NODES = 400  # what can still be read when it is drawn
FEW_CELLS = 9  # so few that a tree can be counted to its end at once
SIDE, PITCH, LEVEL, MARGIN = 45, 57, 106, 24  # a board, from board to board, from ply to ply, round the tree; in pixels
LEFT = 96  # where the names of the levels stand
POSITIONS: dict[str, tuple[str, int | None]] = {
    "O has to block": ("O-- OXX X--", None),
    "Much to cut off": ("X-- O-O --X", None),
    "Order is everything": ("--X --X OO-", None),
    "X wins in two ways": ("-X- -XO --O", None),
    "The first two plies": ("--- --- ---", 2),
}
Path_ = tuple[int, ...]  # the moves from the root to a node


class TreeTooLarge(BadSearch):
    """A tree has more nodes than can be drawn; the message says which part of it can."""


@dataclass(frozen=True)
class Setting:
    """Which search is looked at: the position, how far it goes, and the pieces of alpha-beta."""

    board: Board
    depth: int | None = None
    heuristic: Heuristic | None = None
    order: str = "row-major"
    killer: bool = False
    table: bool = False
    symmetry: bool = False
    pvs: bool = False

    @property
    def pieces(self) -> dict[str, Any]:
        """What alpha-beta uses besides the window, as it takes it."""
        return {name: getattr(self, name) for name in ("order", "killer", "table", "symmetry", "pvs")}

    def alphabeta(self, watch: Callable[[Step], None] | None = None, **other: Any) -> Search:
        return alphabeta(self.board, self.depth, self.heuristic, watch=watch, **{**self.pieces, **other})

    def minimax(self) -> Search:
        return minimax(self.board, self.depth, self.heuristic)


@dataclass
class Node:
    """A node of the game tree. They are numbered in the order in which minimax would visit them.

    Args:
        size: the nodes below it and itself, which are numbered from `number` on.
    """

    number: int
    parent: int
    path: Path_
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
    """What becomes of a node and of those numbered after it; the words are for the first one only.

    Args:
        state: "new" before the search comes there, "open" while it is below, "done"; never visited: "cut" off,
            the "twin" of another move, or "known" from the table.
    """

    first: int
    count: int
    state: str
    label: str = ""
    window: str = ""


@dataclass(frozen=True)
class Frame:
    """A step of the search as it is shown. All numbers are seen from the side to move at the root, which is MAX.

    Args:
        kind: as in `Step`. The return from a node is shown together with its value at the parent; a cut after the
            last move, which cuts nothing off, is not shown.
        node: the node at hand.
        alpha: what MAX has at least.
        beta: what MIN lets MAX have at most.
        value: what came back.
        came: the child that it came back from, or -1.
        tip: the end of the line that is highlighted.
        visits: the nodes that alpha-beta has visited so far.
        test: whether alpha or beta only asks a question, as PVS does.
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


@dataclass
class Open:
    """A node that the search is below of, all seen from MAX.

    Args:
        entry: alpha and beta when the search came there.
        by: the move that alpha (at a MAX node) or beta (at a MIN node) comes from.
        results: for each move tried, between which bounds its value lies.
    """

    node: Node
    entry: tuple[float, float]
    alpha: float
    beta: float
    by: int | None = None
    cut: bool = False
    results: dict[int, tuple[float, float]] = field(default_factory=dict)
    twins: set[int] = field(default_factory=set)

    @property
    def is_max(self) -> bool:
        return self.node.ply % 2 == 0

    def bounds(self) -> tuple[float, float]:
        """Between which bounds the node's value lies, as far as the moves tried tell."""
        lows, highs = zip(*self.results.values(), strict=True)
        if self.is_max:
            return max(lows), inf if self.cut else max(highs)
        return -inf if self.cut else min(lows), min(highs)


def located(steps: Sequence[Step]) -> Iterator[tuple[Path_, Step]]:
    """The steps, each with the moves that lead to its node."""
    boards: list[Board] = []
    path: Path_ = ()
    for step in steps:
        if step.kind in ("visit", "leaf"):
            path = (*path[: step.ply - 1], _move(boards[step.ply - 1], step.board)) if step.ply else ()
            boards[step.ply :] = [step.board]
        path = path[: step.ply]
        yield path, step


def seen_by_max(step: Step) -> tuple[float, float, float | None]:
    """A step's alpha, beta and value, seen from the side to move at the root rather than at the node."""
    if step.ply % 2 == 0:
        return step.alpha, step.beta, step.value
    return -step.beta, -step.alpha, None if step.value is None else -step.value


def grown(board: Board, depth: int, ordered: Callable[[Path_, Board], Sequence[int]]) -> list[Node]:
    """The nodes of the whole tree, the moves of each in the order given."""
    nodes: list[Node] = []

    def grow(board: Board, parent: int, path: Path_) -> int:
        node = Node(len(nodes), parent, path, board)
        nodes.append(node)
        if not board.over and len(path) < depth:
            node.children = [grow(board.play(move), node.number, (*path, move)) for move in ordered(path, board)]
        node.size = len(nodes) - node.number
        return node.number

    grow(board, -1, ())
    return nodes


def tidy(nodes: Sequence[Node], shown: Sequence[bool]) -> list[float]:
    """How far to the right each node stands, neighbours being 1 apart: parents over the middle of their children.

    Subtrees are pushed together until they touch. Source: Reingold and Tilford 1981.
    """
    outlines: dict[int, list[tuple[float, float]]] = {}
    offsets = [0.0] * len(nodes)
    for node in reversed(nodes):
        children = [child for child in node.children if shown[child]]
        outlines[node.number] = [(0, 0), *_beside(children, outlines, offsets)]
    places = [0.0] * len(nodes)
    for node in nodes[1:]:
        places[node.number] = places[node.parent] + offsets[node.number]
    least = min(left for left, _ in outlines[0])
    return [place - least for place in places]


def _beside(
    children: list[int], outlines: dict[int, list[tuple[float, float]]], offsets: list[float]
) -> list[tuple[float, float]]:
    """Put subtrees side by side under their parent; the outline of them all."""
    outline: list[tuple[float, float]] = []
    for child in children:
        pairs = enumerate(zip(outline, outlines[child], strict=False))
        at = max((right - left + (1 if ply == 0 else 1.25) for ply, ((_, right), (left, _)) in pairs), default=0)
        offsets[child] = at
        moved = [(left + at, right + at) for left, right in outlines[child]]
        outline = [(min(old, new)[0], (new or old)[1]) for old, new in _pairs(outline, moved)]
    middle = (offsets[children[0]] + offsets[children[-1]]) / 2 if children else 0
    for child in children:
        offsets[child] -= middle
    return [(left - middle, right - middle) for left, right in outline]


def _pairs(old: list[tuple[float, float]], new: list[tuple[float, float]]) -> Iterator[Any]:
    """Ply by ply what stands left and what stands right; where one is missing, the other twice."""
    for left, right in zip_longest(old, new):
        yield left or right, right or left


class Teller:
    """Tells a search: makes of each step a frame with the words for it."""

    def __init__(self, nodes: list[Node], heuristic: Heuristic | None) -> None:
        self.nodes = nodes
        self.at = {node.path: node for node in nodes}
        self.max = nodes[0].board.turn
        self.min = opponent(self.max)
        self.heuristic = heuristic
        self.open: list[Open] = []
        self.frames: list[Frame] = []
        self.visits = 0
        self.visited: set[int] = set()
        self.bounds: dict[int, tuple[float, float]] = {}  # of the nodes that the search is done with
        self.returned: list[Change] = []  # to be shown together with the value at the parent

    def tell(self, steps: Sequence[Step]) -> list[Frame]:
        places = list(located(steps))
        for (path, step), following in zip(places, [*steps[1:], None], strict=True):
            node = self.at[path]
            if step.kind == "return":
                self._return(node, step, following)
            else:
                getattr(self, f"_{step.kind}")(node, step)
        return self.frames

    def _show(self, step: Step, node: Node, text: str, *changes: Change, came: int = -1) -> None:
        here = self.open[node.ply] if node.ply < len(self.open) else None
        alpha, beta, value = seen_by_max(step)
        if here and step.kind != "leaf":
            alpha, beta = here.alpha, here.beta
        every = (*self.returned, *changes)
        self.returned = []
        test = any(self._asks(ply) for ply in range(node.ply))
        self.frames.append(
            Frame(step.kind, node.number, alpha, beta, value, came, node.number, self.visits, test, text, every)
        )

    def _enter(self, node: Node, step: Step) -> list[Change]:
        """Come to a node, for the first time or again."""
        alpha, beta, _ = seen_by_max(step)
        self.open[node.ply :] = [Open(node, (alpha, beta), alpha, beta)]
        self.visits += 1
        again = node.number in self.visited
        self.visited.add(node.number)
        return [Change(node.number, node.size, "new")] if again else []

    def _visit(self, node: Node, step: Step) -> None:
        again = self._enter(node, step)
        self._show(step, node, self._arrival(node, bool(again)), *again, self._opened(node))

    def _leaf(self, node: Node, step: Step) -> None:
        again = self._enter(node, step)
        alpha, beta, value = seen_by_max(step)
        assert value is not None
        recalled = bool(node.children)
        low = -inf if recalled and value <= alpha else value
        high = inf if recalled and value >= beta else value
        self.bounds[node.number] = low, high
        changes = [Change(node.number, 1, "done", label(value, low, high))]
        if recalled:
            changes.append(Change(node.number + 1, node.size - 1, "known"))
        self._show(step, node, self._ending(node, value), *again, *changes)

    def _twin(self, node: Node, step: Step) -> None:
        twin = self._child(node, step)
        self.open[node.ply].twins.add(twin.number)
        size = _count(twin.size, "node")
        text = f"Cell {step.move} leads to the mirror image of what another move here leads to: {size} left out."
        self._show(step, node, text, Change(twin.number, twin.size, "twin", f"twin, {twin.size}"))

    def _value(self, node: Node, step: Step) -> None:
        here, child = self.open[node.ply], self._child(node, step)
        value = seen_by_max(step)[2]
        assert value is not None
        here.results[child.move] = self.bounds[child.number]
        before = here.alpha, here.beta
        if here.is_max and value > here.alpha:
            here.alpha, here.by = value, step.move
        elif not here.is_max and value < here.beta:
            here.beta, here.by = value, step.move
        self._show(step, node, self._news(here, child, value, before), self._opened(node), came=child.number)

    def _cut(self, node: Node, step: Step) -> None:
        here = self.open[node.ply]
        rest = self._untried(here)
        here.cut = bool(rest)
        if not rest:  # it would have been the end of the node anyway
            return
        changes = [Change(child.number, child.size, "cut", f"cut, {child.size}") for child in rest]
        came = self._child(node, step).number
        self._show(step, node, f"{self._reason(here)}{_loss(rest)}", self._opened(node), *changes, came=came)

    def _return(self, node: Node, step: Step, following: Step | None) -> None:
        value = seen_by_max(step)[2]
        assert value is not None
        here = self.open[node.ply]
        here.alpha, here.beta = here.entry
        low, high = self.bounds[node.number] = here.bounds()
        done = Change(node.number, 1, "done", label(value, low, high))
        if following and following.kind == "value":
            self.returned.append(done)
        elif following:
            self._show(step, node, f"The test says {worth(value, low, high)}: worth a closer look.", done)
        else:
            self._show(step, node, "", done)

    def _untried(self, here: Open) -> list[Node]:
        children = (self.nodes[child] for child in here.node.children)
        return [child for child in children if child.move not in here.results and child.number not in here.twins]

    def _child(self, node: Node, step: Step) -> Node:
        assert step.move is not None
        return self.at[(*node.path, step.move)]

    def _opened(self, node: Node) -> Change:
        here = self.open[node.ply]
        return Change(node.number, 1, "open", "", f"α {signed(here.alpha)} β {signed(here.beta)}")

    def _asks(self, ply: int) -> bool:
        """Whether the node at this ply only asks a question about the move it tries, with a window of its own."""
        if ply + 1 >= len(self.open):
            return False
        here, below = self.open[ply], self.open[ply + 1]
        return below.entry != (here.alpha, here.beta)

    def _question(self, here: Open) -> str:
        """What a node asks about the move it tries."""
        if here.is_max:
            return f"more than {signed(here.alpha)}"
        return f"less than {signed(here.beta)}"

    def _arrival(self, node: Node, again: bool) -> str:
        if not node.ply:
            return f"{self.max} to move looks for the highest value (MAX), {self.min} for the lowest (MIN)."
        moves = _count(len(node.children), "move")
        tries = f"{opponent(node.board.turn)} tries cell {node.move}{', now for its value' if again else ''}"
        if self._asks(node.ply - 1):
            question = self._question(self.open[node.ply - 1])
            return f"{tries}, as a test only: is it worth {question} for {self.max}?"
        return f"{tries}. {node.board.turn} to move has {moves}."

    def _ending(self, node: Node, value: float) -> str:
        mover, amount = opponent(node.board.turn), f"{signed(value)} for {self.max}"
        if node.board.winner:
            return f"{mover} plays cell {node.move} and completes a line: {amount}."
        if node.board.over:
            return f"{mover} plays cell {node.move} and the board is full, a draw: {amount}."
        if node.children:
            saved = _count(node.size - 1, "node")
            known = worth(value, *self.bounds[node.number])
            return f"{mover} plays cell {node.move}. The table knows this position: {known}. That saves {saved}."
        judge = "the heuristic says" if self.heuristic else "the unfinished game counts"
        return f"{mover} plays cell {node.move}. No deeper than here: {judge} {amount}."

    def _news(self, here: Open, child: Node, value: float, before: tuple[float, float]) -> str:
        known = f"Cell {child.move} is {worth(value, *self.bounds[child.number])} for {self.max}"
        if before == (here.alpha, here.beta):
            side, stays = ("higher than alpha", here.alpha) if here.is_max else ("lower than beta", here.beta)
            return f"{known}, no {side}, which stays {signed(stays)}."
        if here.is_max:
            return f"{known}: alpha rises from {signed(before[0])} to {signed(value)}."
        return f"{known}: beta falls from {signed(before[1])} to {signed(value)}."

    def _reason(self, here: Open) -> str:
        """Why the rest of a node's moves need not be tried."""
        above = self._holder(here)
        gets = (
            f"{self.max} gets at least {signed(here.alpha)}"
            if here.is_max
            else f"{self.min} holds {self.max} to at most {signed(here.beta)}"
        )
        if self._asks(above.node.ply):
            tried = self.open[above.node.ply + 1].node.move
            question = f"whether cell {tried} is worth {self._question(above)} for {self.max}"
            return f"The only question is {question}. Here {gets} with cell {here.by}, which answers it"
        return f"{self._other_way(above, here)} Here {gets} with cell {here.by}, so {self._refusal(above, here)}"

    def _holder(self, here: Open) -> Open:
        """The node above whose side has something better, or as good: where the bound that cuts comes from."""
        bound = 1 if here.is_max else 0
        for above in reversed(self.open[: here.node.ply]):
            below = self.open[above.node.ply + 1]
            if below.entry[bound] != (above.alpha, above.beta)[bound]:
                return above
            if above.is_max != here.is_max and above.entry[bound] != (above.alpha, above.beta)[bound]:
                return above
        raise AssertionError("nothing cuts but what is known above")

    def _other_way(self, above: Open, here: Open) -> str:
        up = here.node.ply - above.node.ply
        where = " at the root" if above.node.ply == 0 else f", {up} plies up" if up > 1 else ""
        if above.is_max:
            return f"{self.max} already has at least {signed(above.alpha)} with cell {above.by}{where}."
        return f"{self.min} already holds {self.max} to at most {signed(above.beta)} with cell {above.by}{where}."

    def _refusal(self, above: Open, here: Open) -> str:
        who = self.max if above.is_max else self.min
        worse = here.beta < above.alpha if above.is_max else here.alpha > above.beta
        if here.node.ply - above.node.ply > 1:
            return f"{who} will not let it come to this" if worse else f"coming here gains {who} nothing"
        return f"{who} will not play cell {here.node.move}" if worse else f"cell {here.node.move} gains {who} nothing"


class Tale:
    """All that the explorer shows of one setting: the tree, the frames, and what the search cost.

    Raises `BadSearch` and `TreeTooLarge`.
    """

    def __init__(self, setting: Setting) -> None:
        _require_drawable(setting)
        self.setting = setting
        steps: list[Step] = []
        self.search = setting.alphabeta(steps.append)
        self.minimax = setting.minimax()
        tried = _tried(steps)
        self.nodes = grown(setting.board, self.search.depth, lambda path, board: _in_order(setting, tried, path, board))
        teller = Teller(self.nodes, setting.heuristic)
        self.frames = teller.tell(steps)
        self._finish()
        self.places = tidy(self.nodes, [True] * len(self.nodes))
        self.kept = _kept(self.nodes, teller.visited, self.looks(len(self.frames) - 1))
        self.folded = tidy(self.nodes, self.kept)

    def looks(self, step: int) -> list[Change]:
        """How each node looks at a step: the last change of it."""
        looks = [Change(node.number, 1, "new") for node in self.nodes]
        for frame in self.frames[: step + 1]:
            for change in frame.changes:
                for number in range(change.first, change.first + change.count):
                    looks[number] = change if number == change.first else replace(change, label="", window="")
        return looks

    def sentence(self) -> str:
        """What alpha-beta saves here, in one sentence of at most 110 characters."""
        return f"Alpha-beta visits {self.search.nodes} of {self.minimax.nodes} nodes: {self._finding()}."

    def _finding(self) -> str:
        value = f"{self.search.player} gets {signed(self.search.value)}"
        return value if self.search.move is None else f"{value} with cell {self.search.move}"

    def _finish(self) -> None:
        """The last frame sums up, and shows the best line."""
        line = self.search.principal_variation
        tip = next(node.number for node in self.nodes if node.path == line)
        visited = f"Alpha-beta visited {self.search.nodes} nodes, minimax visits {self.minimax.nodes}."
        text = f"The search is over: {self._finding()}. {visited}"
        self.frames[-1] = replace(self.frames[-1], tip=tip, text=text)


class Explorer(Still, anywidget.AnyWidget):
    """See alpha-beta think: the game tree of a position, step by step, with the reason for every cut.

    Args:
        board: the position, on a flat board; one that is worth a look unless given.
        depth: how many plies to look ahead; to the end of the game unless given.
        heuristic: judges unfinished boards at that depth, which count 0 without.
        pieces: order, killer, table, symmetry and pvs, as for `alphabeta`.

    All values, alpha and beta are seen from the side to move at the root, MAX. `step` tells and sets which step is
    shown, from 0 on; `frames` are all of them; `search` and `minimax` are what the two searches found.

    Raises `BadSearch`, and `TreeTooLarge` for more than 400 nodes.

    >>> Explorer(Board.from_text("O-- OXX X--"))
    Alpha-beta visits 29 of 49 nodes: O gets 0 with cell 2.
    """

    _esm = _HERE / "explorer.js"
    _css = _HERE / "explorer.css"

    story = traitlets.Dict().tag(sync=True)
    step = traitlets.Int(0).tag(sync=True)
    note = traitlets.Dict().tag(sync=True)
    _tale: Tale

    def __init__(
        self, board: Board | None = None, depth: int | None = None, heuristic: Heuristic | None = None, **pieces: Any
    ) -> None:
        super().__init__()
        self._said = 0
        start = board or Board.from_text(next(iter(POSITIONS.values()))[0])
        self._tell(Tale(_setting(Setting(start, depth, heuristic), pieces)))
        self._say("")
        self.on_msg(self._on_message)

    @property
    def board(self) -> Board:
        """The position at the root."""
        return self._tale.setting.board

    @property
    def search(self) -> Search:
        """What alpha-beta found, and what it cost."""
        return self._tale.search

    @property
    def minimax(self) -> Search:
        """What minimax finds in the same tree, and what it costs."""
        return self._tale.minimax

    @property
    def frames(self) -> tuple[Frame, ...]:
        """All steps as they are shown."""
        return tuple(self._tale.frames)

    def change(self, **changes: Any) -> None:
        """Look at another board, depth or heuristic, or with other pieces; what is not named stays.

        Raises `BadSearch` and `TreeTooLarge`; then nothing changes.

        >>> explorer = Explorer()
        >>> explorer.change(order="best-gain")
        >>> explorer
        Alpha-beta visits 17 of 49 nodes: O gets 0 with cell 2.
        """
        before, tale = self._tale, Tale(_setting(self._tale.setting, changes))
        self._tell(tale)
        was = f" Before, it was {before.search.nodes}." if before.setting.board == tale.setting.board else ""
        self._say(f"{tale.sentence()}{was if before.search.nodes != tale.search.nodes else ''}")

    def picture(self, step: int | None = None) -> Picture:
        """The whole tree as a drawing, at the end of the search or at a step of it.

        Raises `BadSearch` for a step that there is not.
        """
        last = len(self._tale.frames) - 1
        number = last if step is None else index(step)
        if not 0 <= number <= last:
            raise BadSearch(f"The steps are 0 to {last}, not {step}.")
        return drawn(self._tale, number)

    def still(self) -> Canvas:
        """The tree as it is at the end of the search, for a notebook that is read without a kernel."""
        return silhouette(self._tale)

    def _tell(self, tale: Tale) -> None:
        """Show a tale from its start, or from its end where the last one was seen to the end."""
        at_end = bool(self.story) and self.step >= len(self._tale.frames) - 1
        self._tale = tale
        with self.hold_sync():
            self.story = _as_data(tale)
            self.step = len(tale.frames) - 1 if at_end else 0

    def _say(self, text: str, tone: str = "") -> None:
        self._said += 1
        self.note = {"text": text, "tone": tone, "count": self._said}

    def _on_message(self, _widget: object, content: dict[str, Any], _buffers: object) -> None:
        changes = content.get("change")
        if not changes:
            return
        try:
            if "board" in changes:
                changes = changes | {"board": Board.from_text(changes["board"], self.board.shape, self.board.k)}
            if "position" in changes:
                text, depth = POSITIONS[changes.pop("position")]
                changes |= {"board": Board.from_text(text), "depth": depth}
            self.change(**changes)
        except Exception as error:  # nobody else would hear of it
            self._say(str(error) if isinstance(error, ValueError) else explained(error, "The explorer"), "error")

    @traitlets.validate("step")
    def _within(self, proposal: Any) -> int:
        last = len(self._tale.frames) - 1 if self.story else 0
        return min(max(int(proposal["value"]), 0), last)

    def __repr__(self) -> str:
        return self._tale.sentence()


def drawn(tale: Tale, step: int) -> Picture:
    """The tree at a step, as a drawing that needs no kernel."""
    looks, frame = tale.looks(step), tale.frames[step]
    path = _path(tale.nodes, frame.tip)
    parts = [_level_name(ply, name, side) for ply, (name, side) in enumerate(_levels(tale.nodes))]
    for node in tale.nodes[1:]:
        above = looks[node.parent]
        parts.append(_edge(tale, node, looks[node.number], node.number in path, bool(above.label or above.window)))
    parts += [_little_board(tale, node, looks[node.number], node.number == frame.node) for node in tale.nodes]
    width, height = _size(tale.nodes, tale.places)
    parts.append(_words(8, height + 16, frame.text, "start", "#757575", 14))
    title = f"The game tree of {tale.setting.board.turn} to move, with what alpha-beta cuts off"
    text = f"{tale.sentence()}\nStep {step} of {len(tale.frames) - 1}: {frame.text}\n{tale.setting.board}"
    return Picture(max(width + LEFT, 7 * len(frame.text)), height + 30, "".join(parts), title, text)


def silhouette(tale: Tale) -> Canvas:
    """The tree at the end of the search, without a word: visited nodes in colour, what was left out in grey."""
    width, height = _size(tale.nodes, tale.places)
    fine = min(1, WIDEST / width)
    canvas = Canvas(width, height - 40, fine)
    looks = tale.looks(len(tale.frames) - 1)
    best = _path(tale.nodes, tale.frames[-1].tip)
    for node in tale.nodes:
        inked = looks[node.number].state == "done"
        if node.ply:
            _branch(canvas, tale, node, (3.5 if node.number in best else 1.5) if inked else 0.8)
        _draw_board(canvas, tale, node, inked)
    return canvas


def _branch(canvas: Canvas, tale: Tale, node: Node, width: float) -> None:
    x, from_x = (_left(tale.places[number]) + SIDE / 2 for number in (node.number, node.parent))
    canvas.stroke(from_x, _top(node) - LEVEL + SIDE + 4, x, _top(node) - 4, "#808080", width)


def _draw_board(canvas: Canvas, tale: Tale, node: Node, inked: bool) -> None:
    """A node's board; what was not visited is thin and grey."""
    board, unit = node.board, _unit(node.board)
    x, y = _left(tale.places[node.number]), _top(node)
    _, rows, columns = board.layout
    left, top = _corner(board, 0)
    canvas.grid(x + left, y + top, rows, columns, unit, 1)
    for cell, mark in enumerate(board):
        left, top = _corner(board, cell)
        ink, width = (INK[mark], 2.6) if inked else (INK["-"], 1.4)
        canvas.mark(mark, x + left + unit / 2, y + top + unit / 2, unit, ink, width)


def label(value: float, low: float, high: float) -> str:
    """A node's value as the picture has it: exact, or how it is bounded."""
    if low == high:
        return signed(value)
    return f"≥ {signed(value)}" if low >= value else f"≤ {signed(value)}"


def worth(value: float, low: float, high: float) -> str:
    """The same in words."""
    if low == high:
        return f"worth {signed(value)}"
    return f"worth at {'least' if low >= value else 'most'} {signed(value)}"


def _setting(setting: Setting, changes: dict[str, Any]) -> Setting:
    if changes.pop("deepening", False):
        raise BadSearch("The explorer draws one search to one depth: leave deepening out.")
    return replace(setting, **changes)


def _require_drawable(setting: Setting) -> None:
    board = setting.board
    if len(board.shape) > 2:
        raise BadSearch("The explorer draws flat boards only, such as 3×3.")
    if board.over:
        raise BadSearch("The game is over, so there is no tree to look at. Choose an earlier position.")
    free = len(board.moves)
    depth = free if setting.depth is None else setting.depth
    nodes = _tree_size(board, depth)
    if nodes > MOST_NODES:
        fits = max(plies for plies in range(depth) if _tree_size(board, plies) <= MOST_NODES)
        size = f"{nodes:,}" if free <= FEW_CELLS else f"more than {MOST_NODES}"
        raise TreeTooLarge(
            f"This tree has {size} nodes, too many to draw; up to {MOST_NODES} can be. "
            f"Look only {_count(fits, 'ply', 'plies')} ahead (depth={fits}: {_tree_size(board, fits)} nodes), "
            "or start later in the game."
        )


def _tree_size(board: Board, depth: int) -> int:
    """The nodes of a whole tree; on large boards, counting stops once there are too many."""
    if len(board.moves) <= FEW_CELLS:
        return _exact_size(board, depth)
    nodes, level = 1, [board]
    for _ in range(depth):
        level = [before.play(move) for before in level if not before.over for move in before.moves]
        nodes += len(level)
        if nodes > MOST_NODES:
            break
    return nodes


@cache
def _exact_size(board: Board, depth: int) -> int:
    if board.over or depth <= 0:
        return 1
    return 1 + sum(_exact_size(board.play(move), depth - 1) for move in board.moves)


def _tried(steps: Sequence[Step]) -> dict[Path_, list[int]]:
    """For each node that alpha-beta visited, the moves it tried there, in order."""
    tried: dict[Path_, list[int]] = {}
    for path, step in located(steps):
        if step.kind == "value" and step.move is not None:
            tried.setdefault(path, []).append(step.move)
    return tried


def _in_order(setting: Setting, tried: dict[Path_, list[int]], path: Path_, board: Board) -> list[int]:
    first = tried.get(path, [])
    return [*first, *(move for move in ORDERS[setting.order](board) if move not in first)]


def _kept(nodes: Sequence[Node], visited: set[int], looks: Sequence[Change]) -> list[bool]:
    """Which nodes stay when the parts left out are folded: those visited, and the first of each part cut off."""
    return [
        node.number in visited or (node.parent in visited and looks[node.number].state != "known") for node in nodes
    ]


def _path(nodes: Sequence[Node], tip: int) -> list[int]:
    """The numbers of the nodes from one up to the root."""
    path = [tip]
    while path[-1]:
        path.append(nodes[path[-1]].parent)
    return path


def _move(before: Board, after: Board) -> int:
    return ((before.x | before.o) ^ (after.x | after.o)).bit_length() - 1


def _count(number: int, noun: str, plural: str = "") -> str:
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


def _loss(rest: Sequence[Node]) -> str:
    """How much a cut saves, as the end of the sentence."""
    nodes = _count(sum(child.size for child in rest), "node")
    return f": {_count(len(rest), 'move')} {'is' if len(rest) == 1 else 'are'} cut off ({nodes})."


def _levels(nodes: Sequence[Node]) -> list[tuple[str, str]]:
    """For each ply, MAX or MIN, and who moves there; below the last move there are only leaves."""
    turns = {node.ply: node.board.turn for node in nodes}
    inner = {node.ply for node in nodes if node.children}
    names = {ply: ("MIN" if ply % 2 else "MAX", f"{turn} to move") for ply, turn in turns.items()}
    return [names[ply] if ply in inner else ("", "the end") for ply in sorted(turns)]


def _size(nodes: Sequence[Node], places: Sequence[float], kept: Sequence[bool] | None = None) -> tuple[int, int]:
    """The tree's width and height in pixels."""
    widest = max(place for node, place in zip(nodes, places, strict=True) if kept is None or kept[node.number])
    return round(widest * PITCH) + SIDE + 2 * MARGIN, max(node.ply for node in nodes) * LEVEL + SIDE + 56


def _as_data(tale: Tale) -> dict[str, Any]:
    """A tale as the front end takes it."""
    setting = tale.setting
    counts = {order: setting.alphabeta(order=order).nodes for order in ORDERS}
    return {
        "max": tale.search.player,
        "min": opponent(tale.search.player),
        "minimax": tale.minimax.nodes,
        "nodes": [_node_data(tale, node) for node in tale.nodes],
        "frames": [_frame_data(frame) for frame in tale.frames],
        "levels": _levels(tale.nodes),
        "sizes": [_size(tale.nodes, tale.places), _size(tale.nodes, tale.folded, tale.kept)],
        "grid": _grid(setting.board),
        "marks": "".join(setting.board),
        "columns": setting.board.layout[2],
        "cells": [spoken(setting.board, cell) for cell in range(len(setting.board))],
        "depth": setting.depth,
        "pieces": setting.pieces,
        "orders": counts,
        "positions": list(POSITIONS) if setting.board.shape == (3, 3) and setting.board.k == 3 else [],
        "position": _position(setting),
        "side": SIDE,
    }


def _position(setting: Setting) -> str:
    """The name of a position in the menu, if it is one of these."""
    known = ((name, Board.from_text(text), depth) for name, (text, depth) in POSITIONS.items())
    return next((name for name, board, depth in known if (board, depth) == (setting.board, setting.depth)), "")


def _node_data(tale: Tale, node: Node) -> dict[str, Any]:
    mover, number = opponent(node.board.turn), node.number
    level = f", {'MIN' if node.ply % 2 else 'MAX'}, {node.board.turn} to move" if node.children else ""
    return {
        "parent": node.parent,
        "ply": node.ply,
        "x": [_left(tale.places[number]), _left(tale.folded[number]) if tale.kept[number] else None],
        "y": _top(node),
        "size": node.size,
        "move": node.move if node.ply else -1,
        "mover": mover if node.ply else "",
        "name": (f"{mover} at cell {node.move}" if node.ply else "root") + level,
        **_shapes(node),
    }


def _frame_data(frame: Frame) -> dict[str, Any]:
    changes = [[c.first, c.count, c.state, c.label, c.window] for c in frame.changes]
    numbers = {"alpha": signed(frame.alpha), "beta": signed(frame.beta)}
    value = "" if frame.value is None else signed(frame.value)
    return asdict(frame) | numbers | {"value": value, "changes": changes}


def _left(place: float) -> float:
    return round(MARGIN + place * PITCH, 1)


def _top(node: Node) -> int:
    return node.ply * LEVEL + 16


def _unit(board: Board) -> float:
    """The side of a cell in pixels, so that the board is 45 pixels wide or high."""
    return SIDE / max(board.layout[1:])


def _corner(board: Board, cell: int) -> tuple[float, float]:
    """A cell's upper left corner; boards that are not square stand in the middle."""
    _, rows, columns = board.layout
    row, column = divmod(cell, columns)
    unit = _unit(board)
    return (SIDE - columns * unit) / 2 + column * unit, (SIDE - rows * unit) / 2 + row * unit


def _grid(board: Board) -> str:
    _, rows, columns = board.layout
    unit, (x, y) = _unit(board), _corner(board, 0)
    across = [f"M{x:g} {y + n * unit:g}h{columns * unit:g}" for n in range(1, rows)]
    down = [f"M{x + n * unit:g} {y:g}v{rows * unit:g}" for n in range(1, columns)]
    return "".join(across + down)


def _shapes(node: Node) -> dict[str, Any]:
    """A node's marks as SVG paths, in a board whose upper left corner is at 0, 0."""
    board, unit = node.board, _unit(node.board)
    winning = board.winning_lines
    last = [round(n, 1) for n in (*_corner(board, node.move), unit)] if node.ply else []
    return {
        "x_marks": "".join(_cross(*_corner(board, cell), unit) for cell in range(len(board)) if board[cell] == "X"),
        "o_marks": "".join(_ring(*_corner(board, cell), unit) for cell in range(len(board)) if board[cell] == "O"),
        "won": "".join(_through(board, line) for line in winning),
        "winner": board.winner or "",
        "last": last,
    }


def _cross(x: float, y: float, unit: float) -> str:
    inset, arm = 0.28 * unit, 0.44 * unit
    return f"M{x + inset:.4g} {y + inset:.4g}l{arm:.4g} {arm:.4g}m0-{arm:.4g}l-{arm:.4g} {arm:.4g}"


def _ring(x: float, y: float, unit: float) -> str:
    r, across = 0.25 * unit, 0.5 * unit
    half = f"a{r:.4g} {r:.4g} 0 1 0 "
    return f"M{x + r:.4g} {y + across:.4g}{half}{across:.4g} 0{half}-{across:.4g} 0"


def _through(board: Board, line: Line) -> str:
    half = _unit(board) / 2
    (x, y), (to_x, to_y) = _corner(board, line[0]), _corner(board, line[-1])
    return f"M{x + half:.4g} {y + half:.4g}L{to_x + half:.4g} {to_y + half:.4g}"


def _words(x: float, y: float, text: str, anchor: str, ink: str, size: int, weight: int = 400) -> str:
    style = f"text-anchor:{anchor};fill:{ink};font-size:{size}px;font-weight:{weight}"
    return f'<text x="{x:g}" y="{y:g}" style="{style}">{escape(text)}</text>'


def _level_name(ply: int, name: str, side: str) -> str:
    y = ply * LEVEL + 16 + SIDE / 2
    return _words(8, y, name, "start", "#757575", 14, 700) + _words(8, y + 16, side, "start", "#757575", 12)


def _edge(tale: Tale, node: Node, look: Change, on_path: bool, labelled: bool) -> str:
    """The line from the parent, with the cell that is played."""
    x, y = LEFT + _left(tale.places[node.number]) + SIDE / 2, _top(node)
    from_x = LEFT + _left(tale.places[node.parent]) + SIDE / 2
    from_y = y - LEVEL + SIDE + (24 if labelled else 4)
    inked = look.state in ("open", "done")
    ink = INK[opponent(node.board.turn)] if inked else "#757575"
    style = "" if inked or look.state == "new" else 'stroke-dasharray="3 4"'
    width = 3 if on_path else 1.5
    line = f'<path d="M{from_x:g} {from_y:g}L{x:g} {y - 6:g}" stroke="#808080" stroke-width="{width}" {style}/>'
    side, anchor = (-6, "end") if x < from_x else (6, "start")
    number = _words(x + side, y - 8, str(node.move), anchor, ink, 12, 700 if inked else 400)
    return line + number + (_slashes(from_x, from_y, x, y) if look.state == "cut" and look.label else "")


def _slashes(from_x: float, from_y: float, x: float, y: float) -> str:
    """The two strokes across an edge that is cut."""
    at_x, at_y = from_x + 0.45 * (x - from_x), from_y + 0.45 * (y - 6 - from_y)
    strokes = "".join(f"M{at_x - 6 + n:g} {at_y + 4:g}l8-8" for n in (0, 5))
    return f'<path d="{strokes}" stroke="#757575" stroke-width="2" stroke-linecap="round"/>'


def _little_board(tale: Tale, node: Node, look: Change, current: bool) -> str:
    x, y = LEFT + _left(tale.places[node.number]), _top(node)
    inked = look.state in ("open", "done")
    shapes = _shapes(node)
    parts = [f'<path d="{_grid(node.board)}" stroke="#808080" stroke-width="1"/>']
    for mark, key in (("X", "x_marks"), ("O", "o_marks")):
        parts.append(_stroke(shapes[key], *((INK[mark], 2.6) if inked else ("#808080", 1.4))))
    if shapes["won"] and inked:
        parts.append(_stroke(shapes["won"], INK[shapes["winner"]], 7, 0.4))
    if current:
        frame = f'x="-4" y="-4" width="{SIDE + 8}" height="{SIDE + 8}" rx="7"'
        parts.append(f'<rect {frame} fill="none" stroke="#757575" stroke-width="2.5"/>')
    text, size = (look.label or look.window), 12 if inked else 11
    parts.append(_words(SIDE / 2, SIDE + 16, text, "middle", "#757575", size, 700 if inked else 400))
    return f'<g transform="translate({x:g},{y:g})">{"".join(parts)}</g>'


def _stroke(path: str, ink: str, width: float, opacity: float = 1) -> str:
    style = f'stroke="{ink}" stroke-width="{width:g}" stroke-opacity="{opacity:g}" stroke-linecap="round"'
    return f'<path d="{path}" fill="none" {style}/>'
