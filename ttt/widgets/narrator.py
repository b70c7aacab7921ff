"""Puts a search into words: a frame for each step, with a sentence that explains it, and for each cut the reason."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from math import inf

from ttt.board import opponent
from ttt.record import counted
from ttt.svg import signed
from ttt.trees import GameNode
from ttt.widgets.trace import Event, Trace

Bounds = tuple[float, float]


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


def looks_after(frames: Iterable[Frame], nodes: int) -> list[Change]:
    """How each node looks after these frames: its last change, or "new"."""
    looks = [Change(number, 1, "new") for number in range(nodes)]
    for change in (change for frame in frames for change in frame.changes):
        below = replace(change, label="")
        looks[change.first : change.first + change.count] = [change, *[below] * (change.count - 1)]
    return looks


@dataclass
class OpenNode:
    """A node on the path to the current one. All numbers are seen from MAX.

    Args:
        entry: alpha and beta when the search got there.
        window: alpha and beta now.
        by: the move that alpha (at a MAX node) or beta (at a MIN node) comes from.
        results: for each child tried, the bounds of its value.
        skipped: the children that mirror another move.
    """

    node: GameNode
    entry: Bounds
    window: Bounds
    by: int | None = None
    cut: bool = False
    results: dict[int, Bounds] = field(default_factory=dict)
    skipped: set[int] = field(default_factory=set)

    @property
    def is_max(self) -> bool:
        return self.node.ply % 2 == 0

    @property
    def best(self) -> float:
        """What the side to move here is sure of so far."""
        return self.window[0 if self.is_max else 1]

    def bounds(self) -> Bounds:
        """The bounds of the node's value, as far as the moves tried tell."""
        lows, highs = zip(*self.results.values(), strict=True)
        if self.is_max:
            return max(lows), inf if self.cut else max(highs)
        return -inf if self.cut else min(lows), min(highs)

    def learn(self, move: int, value: float) -> None:
        """Move alpha or beta if this value is better for the side to move."""
        alpha, beta = self.window
        if self.is_max and value > alpha:
            self.window, self.by = (value, beta), move
        elif not self.is_max and value < beta:
            self.window, self.by = (alpha, value), move

    def shown(self) -> Change:
        alpha, beta = self.window
        return Change(self.node.number, 1, "open", f"α {signed(alpha)} β {signed(beta)}")


class Narrator:
    """Makes a frame of each step of a search, with a sentence that explains it."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.max = trace.search.player
        self.min = opponent(self.max)
        self.path: list[OpenNode] = []  # from the root to the current node, or to the child that it came back from
        self.frames: list[Frame] = []
        self.visits = 0
        self.visited: set[int] = set()
        self.bounds: dict[int, Bounds] = {}  # of finished nodes
        self.returned: list[Change] = []  # to be shown together with the value at the parent

    def narrate(self) -> list[Frame]:
        tell = {
            "visit": self._visit,
            "leaf": self._leaf,
            "symmetric": self._skip,
            "value": self._value,
            "cut": self._cut,
        }
        events = self.trace.events
        for event, following in zip(events, [*events[1:], None], strict=True):
            if event.kind == "return":
                self._return(event, following)
            else:
                tell[event.kind](event)
        return self.frames

    def _show(self, event: Event, text: str, *changes: Change, came: int = -1, tip: int | None = None) -> None:
        number = event.node.number
        alpha, beta = self.path[event.node.ply].window
        test = any(self._is_test(ply) for ply in range(event.node.ply))
        changes = (*self.returned, *changes)
        tip = number if tip is None else tip
        self.frames.append(
            Frame(event.kind, number, alpha, beta, event.value, came, tip, self.visits, test, text, changes)
        )
        self.returned = []

    # ------------------------------------------------------------------------------------------ one kind of step each

    def _enter(self, event: Event) -> list[Change]:
        """Put a node on the path. If it was visited before, its subtree looks new again."""
        node, window = event.node, (event.alpha, event.beta)
        self.path[node.ply :] = [OpenNode(node, window, window)]
        again = node.number in self.visited
        self.visits += 1
        self.visited.add(node.number)
        return [Change(node.number, node.size, "new")] if again else []

    def _visit(self, event: Event) -> None:
        again = self._enter(event)
        self._show(event, self._arrival(event.node, bool(again)), *again, self.path[event.node.ply].shown())

    def _leaf(self, event: Event) -> None:
        changes, node, value = self._enter(event), event.node, event.value
        assert value is not None
        recalled = bool(node.children)
        low = -inf if recalled and value <= event.alpha else value
        high = inf if recalled and value >= event.beta else value
        self.bounds[node.number] = low, high
        changes.append(Change(node.number, 1, "done", label(value, (low, high))))
        if recalled:
            changes.append(Change(node.number + 1, node.size - 1, "known"))
        self._show(event, self._end(node, value), *changes)

    def _skip(self, event: Event) -> None:
        child = event.child
        self.path[event.node.ply].skipped.add(child.number)
        text = f"Cell {child.move} mirrors another move here, so it is skipped ({counted(child.size, 'node')})."
        self._show(event, text, Change(child.number, child.size, "mirror", f"mirror, {child.size}"))

    def _value(self, event: Event) -> None:
        here, child, value = self.path[event.node.ply], event.child, event.value
        assert value is not None
        before = here.best
        here.results[child.number] = self.bounds[child.number]
        here.learn(child.move, value)
        self._show(event, self._news(here, child, value, before), here.shown(), came=child.number)

    def _cut(self, event: Event) -> None:
        here = self.path[event.node.ply]
        children = (self.trace.nodes[number] for number in here.node.children)
        rest = [child for child in children if child.number not in here.results.keys() | here.skipped]
        here.cut = bool(rest)
        if not rest:  # the node was finished anyway
            return
        changes = [Change(child.number, child.size, "cut", f"cut, {child.size}") for child in rest]
        verb = "is" if len(rest) == 1 else "are"
        size = counted(sum(child.size for child in rest), "node")
        text = f"{self._reason(here)}: {counted(len(rest), 'move')} {verb} cut off ({size})."
        self._show(event, text, here.shown(), *changes, came=event.child.number)

    def _return(self, event: Event, following: Event | None) -> None:
        node, here, value = event.node, self.path[event.node.ply], event.value
        assert value is not None
        here.window = here.entry
        bounds = self.bounds[node.number] = here.bounds()
        done = Change(node.number, 1, "done", label(value, bounds))
        if following is None:
            here.window = value, value
            self._show(event, self._summary(), done, tip=self.trace.best.number)
        elif following.kind == "value":
            self.returned.append(done)
        else:
            self._show(event, f"The test says {worth(value, bounds)}: look again more closely.", done)

    # ---------------------------------------------------------------------------------------------------- the sentences

    def _is_test(self, ply: int) -> bool:
        """Whether the node at this ply only tests the move it tries, with a window other than its own."""
        return ply + 1 < len(self.path) and self.path[ply + 1].entry != self.path[ply].window

    def _question(self, here: OpenNode) -> str:
        """What a node asks about the move it tests."""
        return f"{'more' if here.is_max else 'less'} than {signed(here.best)}"

    def _arrival(self, node: GameNode, again: bool) -> str:
        if not node.ply:
            return f"{self.max} to move looks for the highest value (MAX), {self.min} for the lowest (MIN)."
        tries = f"{opponent(node.board.turn)} tries cell {node.move}"
        if self._is_test(node.ply - 1):
            question = self._question(self.path[node.ply - 1])
            return f"{tries}, as a test only: is it worth {question} for {self.max}?"
        purpose = ", now for its value" if again else ""
        return f"{tries}{purpose}. {node.board.turn} to move has {counted(len(node.children), 'move')}."

    def _end(self, node: GameNode, value: float) -> str:
        """What a leaf is worth, and why."""
        plays = f"{opponent(node.board.turn)} plays cell {node.move}"
        amount = f"{signed(value)} for {self.max}"
        if node.board.winner:
            return f"{plays} and completes a line: {amount}."
        if node.board.over:
            return f"{plays} and the board is full, a draw: {amount}."
        if node.children:
            known = worth(value, self.bounds[node.number])
            return f"{plays}. The table knows this position: {known}. That saves {counted(node.size - 1, 'node')}."
        judge = "the heuristic says" if self.trace.setting.heuristic else "an unfinished game counts"
        return f"{plays}. The depth limit is reached: {judge} {amount}."

    def _news(self, here: OpenNode, child: GameNode, value: float, before: float) -> str:
        """What a move turned out to be worth, and what that does to alpha or beta."""
        known = f"Cell {child.move} is {worth(value, self.bounds[child.number])} for {self.max}"
        bound, verb, better = ("alpha", "rises", "higher") if here.is_max else ("beta", "falls", "lower")
        if here.best == before:
            return f"{known}, no {better} than {bound}, which stays {signed(before)}."
        return f"{known}: {bound} {verb} from {signed(before)} to {signed(value)}."

    def _reason(self, here: OpenNode) -> str:
        """Why the rest of a node's moves need not be tried."""
        above = self._cutting(here)
        now = f"Here {self._claim(here)} with cell {here.by}"
        if self._is_test(above.node.ply):
            tested = self.path[above.node.ply + 1].node.move
            question = f"whether cell {tested} is worth {self._question(above)} for {self.max}"
            return f"The only question is {question}. {now}, which answers it"
        plies = here.node.ply - above.node.ply
        where = f", {plies} plies up" if plies > 1 else ""
        if above.node.ply == 0:
            where = " at the root"
        elsewhere = f"{self._claim(above, already=True)} with cell {above.by}{where}"
        return f"{elsewhere}. {now}, so {self._refusal(above, here)}"

    def _claim(self, here: OpenNode, already: bool = False) -> str:
        """What the side to move at a node is sure of."""
        if here.is_max:
            return f"{self.max} {'already has' if already else 'gets'} at least {signed(here.best)}"
        return f"{self.min} {'already holds' if already else 'holds'} {self.max} to at most {signed(here.best)}"

    def _cutting(self, here: OpenNode) -> OpenNode:
        """The node above where the bound that cuts comes from: its side has something as good there, or better."""
        bound = 1 if here.is_max else 0
        for above in reversed(self.path[: here.node.ply]):
            below = self.path[above.node.ply + 1]
            if below.entry[bound] != above.window[bound]:
                return above
            if above.is_max != here.is_max and above.entry[bound] != above.window[bound]:
                return above
        raise AssertionError("only a bound from above can cut")

    def _refusal(self, above: OpenNode, here: OpenNode) -> str:
        """What follows for the side that has something else: it won't come here, or gains nothing by it."""
        who = self.max if above.is_max else self.min
        worse = here.best != above.best  # it could not be better, or there would be no cut
        if here.node.ply - above.node.ply > 1:
            return f"{who} will not let it come to this" if worse else f"coming here gains {who} nothing"
        return f"{who} will not play cell {here.node.move}" if worse else f"cell {here.node.move} gains {who} nothing"

    def _summary(self) -> str:
        found = self.trace
        visits = f"Alpha-beta visited {found.search.nodes} nodes, minimax visits {found.minimax.nodes}."
        return f"The search is over: {found.result()}. {visits}"


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
