"""What the explorer tells: alpha-beta's way through a whole game tree, frame by frame, with the reasons in words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import zip_longest
from math import inf
from typing import Any

from ttt.board import Board, opponent
from ttt.heuristics import Heuristic
from ttt.search import ORDERS, BadSearch, Search, Step, alphabeta, minimax
from ttt.search.result import counted
from ttt.search.tree import plies_of, require_board
from ttt.svg import signed

MOST_NODES = 400  # what can still be read when it is drawn
FEW_CELLS = 9  # so few that a tree can be counted to its end at once
Moves = tuple[int, ...]  # the moves from the root to a node


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


def located(steps: Sequence[Step]) -> Iterator[tuple[Moves, Step]]:
    """The steps, each with the moves that lead to its node."""
    boards: list[Board] = []
    path: Moves = ()
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


def grown(board: Board, depth: int, ordered: Callable[[Moves, Board], Sequence[int]]) -> list[Node]:
    """The nodes of the whole tree, the moves of each in the order given."""
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
        tellers = {"visit": self._visit, "leaf": self._leaf, "twin": self._twin, "value": self._value, "cut": self._cut}
        for (path, step), following in zip(places, [*steps[1:], None], strict=True):
            node = self.at[path]
            if step.kind == "return":
                self._return(node, step, following)
            else:
                tellers[step.kind](node, step)
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
        size = counted(twin.size, "node")
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
        moves = counted(len(node.children), "move")
        tries = f"{opponent(node.board.turn)} tries cell {node.move}"
        if self._asks(node.ply - 1):
            question = self._question(self.open[node.ply - 1])
            return f"{tries}, as a test only: is it worth {question} for {self.max}?"
        return f"{tries}{', now for its value' if again else ''}. {node.board.turn} to move has {moves}."

    def _ending(self, node: Node, value: float) -> str:
        mover, amount = opponent(node.board.turn), f"{signed(value)} for {self.max}"
        if node.board.winner:
            return f"{mover} plays cell {node.move} and completes a line: {amount}."
        if node.board.over:
            return f"{mover} plays cell {node.move} and the board is full, a draw: {amount}."
        if node.children:
            saved = counted(node.size - 1, "node")
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
        """The last frame sums up, and shows the best line; by then both bounds have come to the value."""
        value = self.search.value
        line = self.search.principal_variation
        tip = next(node.number for node in self.nodes if node.path == line)
        visited = f"Alpha-beta visited {self.search.nodes} nodes, minimax visits {self.minimax.nodes}."
        text = f"The search is over: {self._finding()}. {visited}"
        self.frames[-1] = replace(self.frames[-1], tip=tip, text=text, alpha=value, beta=value)


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


def _require_drawable(setting: Setting) -> None:
    board = setting.board
    require_board(board)
    if len(board.shape) > 2:
        raise BadSearch("The explorer draws flat boards only, such as 3×3.")
    if board.over:
        raise BadSearch("The game is over, so there is no tree to look at. Choose an earlier position.")
    free = len(board.moves)
    depth = free if setting.depth is None else plies_of(board, setting.depth)
    if not depth:
        raise BadSearch("The explorer looks one ply ahead at least, not 0.")
    nodes = _tree_size(board, depth)
    if nodes > MOST_NODES:
        fits = max(plies for plies in range(depth) if _tree_size(board, plies) <= MOST_NODES)
        size = f"{nodes:,}" if free <= FEW_CELLS else f"more than {MOST_NODES}"
        raise TreeTooLarge(
            f"This tree has {size} nodes, too many to draw; up to {MOST_NODES} can be. "
            f"Look only {counted(fits, 'ply', 'plies')} ahead (depth={fits}: {_tree_size(board, fits)} nodes), "
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


def _tried(steps: Sequence[Step]) -> dict[Moves, list[int]]:
    """For each node that alpha-beta visited, the moves it tried there, in order."""
    tried: dict[Moves, list[int]] = {}
    for path, step in located(steps):
        if step.kind == "value" and step.move is not None:
            tried.setdefault(path, []).append(step.move)
    return tried


def _in_order(setting: Setting, tried: dict[Moves, list[int]], path: Moves, board: Board) -> list[int]:
    first = tried.get(path, [])
    return [*first, *(move for move in ORDERS[setting.order](board) if move not in first)]


def _kept(nodes: Sequence[Node], visited: set[int], looks: Sequence[Change]) -> list[bool]:
    """Which nodes stay when the parts left out are folded: those visited, and the first of each part cut off."""
    return [
        node.number in visited or (node.parent in visited and looks[node.number].state != "known") for node in nodes
    ]


def _move(before: Board, after: Board) -> int:
    return ((before.x | before.o) ^ (after.x | after.o)).bit_length() - 1


def _loss(rest: Sequence[Node]) -> str:
    """How much a cut saves, as the end of the sentence."""
    nodes = counted(sum(child.size for child in rest), "node")
    return f": {counted(len(rest), 'move')} {'is' if len(rest) == 1 else 'are'} cut off ({nodes})."
