"""Puts a search into words: a sentence for each step, and for each cut the reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf

from ttt.board import opponent
from ttt.heuristics import Heuristic
from ttt.search import Step
from ttt.search.result import counted
from ttt.svg import signed
from ttt.widgets.frames import Change, Frame, Node, located, seen_by_max

Bounds = tuple[float, float]


@dataclass
class OpenNode:
    """A node on the path to the current one. All numbers are seen from MAX.

    Args:
        entry: alpha and beta when the search got there.
        by: the move that alpha (at a MAX node) or beta (at a MIN node) comes from.
        results: for each move tried, the bounds of its value.
        skipped: the children that mirror another move.
    """

    node: Node
    entry: Bounds
    alpha: float
    beta: float
    by: int | None = None
    cut: bool = False
    results: dict[int, Bounds] = field(default_factory=dict)
    skipped: set[int] = field(default_factory=set)

    @property
    def is_max(self) -> bool:
        return self.node.ply % 2 == 0

    @property
    def window(self) -> Bounds:
        return self.alpha, self.beta

    @property
    def best(self) -> float:
        """What the side to move here is sure of so far."""
        return self.alpha if self.is_max else self.beta

    def bounds(self) -> Bounds:
        """The bounds of the node's value, as far as the moves tried tell."""
        lows, highs = zip(*self.results.values(), strict=True)
        if self.is_max:
            return max(lows), inf if self.cut else max(highs)
        return -inf if self.cut else min(lows), min(highs)

    def learn(self, move: int, value: float) -> None:
        """Move alpha or beta if this value is better for the side to move."""
        if self.is_max and value > self.alpha:
            self.alpha, self.by = value, move
        elif not self.is_max and value < self.beta:
            self.beta, self.by = value, move

    def shown(self) -> Change:
        return Change(self.node.number, 1, "open", f"α {signed(self.alpha)} β {signed(self.beta)}")


class Narrator:
    """Makes a frame of each step of a search, with a sentence that explains it."""

    def __init__(self, nodes: list[Node], heuristic: Heuristic | None) -> None:
        self.nodes = nodes
        self.by_path = {node.path: node for node in nodes}
        self.max = nodes[0].board.turn
        self.min = opponent(self.max)
        self.heuristic = heuristic
        self.path: list[OpenNode] = []  # from the root to the current node, or to the child that it came back from
        self.frames: list[Frame] = []
        self.visits = 0
        self.visited: set[int] = set()
        self.bounds: dict[int, Bounds] = {}  # of finished nodes
        self.returned: list[Change] = []  # to be shown together with the value at the parent

    def narrate(self, steps: Sequence[Step]) -> list[Frame]:
        handlers = {
            "visit": self._visit,
            "leaf": self._leaf,
            "symmetric": self._skip,
            "value": self._value,
            "cut": self._cut,
        }
        for (path, step), following in zip(list(located(steps)), [*steps[1:], None], strict=True):
            if step.kind == "return":
                self._return(self.by_path[path], step, following)
            else:
                handlers[step.kind](self.by_path[path], step)
        return self.frames

    def _show(self, step: Step, node: Node, text: str, *changes: Change, came: int = -1) -> None:
        alpha, beta = self.path[node.ply].window
        value = seen_by_max(step)[2]
        test = any(self._is_test(ply) for ply in range(node.ply))
        changes = (*self.returned, *changes)
        self.returned = []
        frame = Frame(step.kind, node.number, alpha, beta, value, came, node.number, self.visits, test, text, changes)
        self.frames.append(frame)

    # ------------------------------------------------------------------------------------------ one kind of step each

    def _enter(self, node: Node, step: Step) -> list[Change]:
        """Put a node on the path. If it was visited before, its subtree looks new again."""
        alpha, beta, _ = seen_by_max(step)
        self.path[node.ply :] = [OpenNode(node, (alpha, beta), alpha, beta)]
        again = node.number in self.visited
        self.visits += 1
        self.visited.add(node.number)
        return [Change(node.number, node.size, "new")] if again else []

    def _visit(self, node: Node, step: Step) -> None:
        again = self._enter(node, step)
        self._show(step, node, self._arrival(node, bool(again)), *again, self.path[node.ply].shown())

    def _leaf(self, node: Node, step: Step) -> None:
        changes = self._enter(node, step)
        alpha, beta, value = seen_by_max(step)
        assert value is not None
        recalled = bool(node.children)
        low = -inf if recalled and value <= alpha else value
        high = inf if recalled and value >= beta else value
        self.bounds[node.number] = low, high
        changes.append(Change(node.number, 1, "done", label(value, (low, high))))
        if recalled:
            changes.append(Change(node.number + 1, node.size - 1, "known"))
        self._show(step, node, self._end(node, value), *changes)

    def _skip(self, node: Node, step: Step) -> None:
        child = self._child(node, step)
        self.path[node.ply].skipped.add(child.number)
        text = f"Cell {step.move} mirrors another move here, so it is skipped ({counted(child.size, 'node')})."
        self._show(step, node, text, Change(child.number, child.size, "mirror", f"mirror, {child.size}"))

    def _value(self, node: Node, step: Step) -> None:
        here, child = self.path[node.ply], self._child(node, step)
        value = seen_by_max(step)[2]
        assert value is not None
        before = here.window
        here.results[child.move] = self.bounds[child.number]
        here.learn(child.move, value)
        self._show(step, node, self._news(here, child, value, before), here.shown(), came=child.number)

    def _cut(self, node: Node, step: Step) -> None:
        here = self.path[node.ply]
        rest = self._untried(here)
        here.cut = bool(rest)
        if not rest:  # the node was finished anyway
            return
        changes = [Change(child.number, child.size, "cut", f"cut, {child.size}") for child in rest]
        verb = "is" if len(rest) == 1 else "are"
        size = counted(sum(child.size for child in rest), "node")
        text = f"{self._reason(here)}: {counted(len(rest), 'move')} {verb} cut off ({size})."
        self._show(step, node, text, here.shown(), *changes, came=self._child(node, step).number)

    def _return(self, node: Node, step: Step, following: Step | None) -> None:
        value = seen_by_max(step)[2]
        assert value is not None
        here = self.path[node.ply]
        here.alpha, here.beta = here.entry
        self.bounds[node.number] = here.bounds()
        done = Change(node.number, 1, "done", label(value, here.bounds()))
        if following and following.kind == "value":
            self.returned.append(done)
        else:
            self._show(step, node, f"The test says {worth(value, here.bounds())}: look again more closely.", done)

    def _untried(self, here: OpenNode) -> list[Node]:
        children = (self.nodes[child] for child in here.node.children)
        return [child for child in children if child.move not in here.results and child.number not in here.skipped]

    def _child(self, node: Node, step: Step) -> Node:
        assert step.move is not None
        return self.by_path[*node.path, step.move]

    # ---------------------------------------------------------------------------------------------------- the sentences

    def _is_test(self, ply: int) -> bool:
        """Whether the node at this ply only tests the move it tries, with a window other than its own."""
        return ply + 1 < len(self.path) and self.path[ply + 1].entry != self.path[ply].window

    def _question(self, here: OpenNode) -> str:
        """What a node asks about the move it tests."""
        return f"{'more' if here.is_max else 'less'} than {signed(here.best)}"

    def _arrival(self, node: Node, again: bool) -> str:
        if not node.ply:
            return f"{self.max} to move looks for the highest value (MAX), {self.min} for the lowest (MIN)."
        tries = f"{opponent(node.board.turn)} tries cell {node.move}"
        if self._is_test(node.ply - 1):
            question = self._question(self.path[node.ply - 1])
            return f"{tries}, as a test only: is it worth {question} for {self.max}?"
        purpose = ", now for its value" if again else ""
        return f"{tries}{purpose}. {node.board.turn} to move has {counted(len(node.children), 'move')}."

    def _end(self, node: Node, value: float) -> str:
        """What a leaf is worth, and why."""
        mover, amount = opponent(node.board.turn), f"{signed(value)} for {self.max}"
        plays = f"{mover} plays cell {node.move}"
        if node.board.winner:
            return f"{plays} and completes a line: {amount}."
        if node.board.over:
            return f"{plays} and the board is full, a draw: {amount}."
        if node.children:
            known = worth(value, self.bounds[node.number])
            return f"{plays}. The table knows this position: {known}. That saves {counted(node.size - 1, 'node')}."
        judge = "the heuristic says" if self.heuristic else "an unfinished game counts"
        return f"{plays}. The depth limit is reached: {judge} {amount}."

    def _news(self, here: OpenNode, child: Node, value: float, before: Bounds) -> str:
        """What a move turned out to be worth, and what that does to alpha or beta."""
        known = f"Cell {child.move} is {worth(value, self.bounds[child.number])} for {self.max}"
        bound, verb, better = ("alpha", "rises", "higher") if here.is_max else ("beta", "falls", "lower")
        if before == here.window:
            return f"{known}, no {better} than {bound}, which stays {signed(here.best)}."
        return f"{known}: {bound} {verb} from {signed(before[0 if here.is_max else 1])} to {signed(value)}."

    def _reason(self, here: OpenNode) -> str:
        """Why the rest of a node's moves need not be tried."""
        above = self._cutting(here)
        now = f"Here {self._claim(here)} with cell {here.by}"
        if self._is_test(above.node.ply):
            tested = self.path[above.node.ply + 1].node.move
            question = f"whether cell {tested} is worth {self._question(above)} for {self.max}"
            return f"The only question is {question}. {now}, which answers it"
        elsewhere = f"{self._claim(above, already=True)} with cell {above.by}{_where(above, here)}"
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
        worse = here.best < above.best if above.is_max else here.best > above.best
        if here.node.ply - above.node.ply > 1:
            return f"{who} will not let it come to this" if worse else f"coming here gains {who} nothing"
        return f"{who} will not play cell {here.node.move}" if worse else f"cell {here.node.move} gains {who} nothing"


def _where(above: OpenNode, here: OpenNode) -> str:
    """How far above another node a node is, where that needs saying."""
    plies = here.node.ply - above.node.ply
    if above.node.ply == 0:
        return " at the root"
    return f", {plies} plies up" if plies > 1 else ""


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
