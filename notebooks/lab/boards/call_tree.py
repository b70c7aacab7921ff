"""Recursion in pictures: the calls of a recursive function as a tree that grows call by call."""

from collections.abc import Callable, Sequence
from functools import cache
from html import escape
from inspect import unwrap
from typing import Any, NamedTuple

from lab.boards.panel import Panel, attributes, stepper
from lab.drawing.layout import STYLE, Tree
from lab.drawing.own_positions import move_name
from lab.drawing.trees import GameNode, Look
from ttt.board import Board, require_board
from ttt.svg import Picture

MOST = 31  # calls; a reader can't follow more


class Call(GameNode):
    """A call of the function, with its board and its return value."""

    children: list["Call"]  # type: ignore[assignment]
    answer = ""

    @property
    def side(self) -> str:
        return "calls itself"


class Step(NamedTuple):
    """A call or a return, and a sentence about it."""

    call: Call
    look: Look
    words: str


def call_tree(function: Callable[..., Any], board: Board, *more: object) -> "CallTree":
    """Draw how a recursive function works on this board, call by call, with each return value.

    `more` holds the function's other arguments. If `functools.cache` remembers an answer, the tree says so.

    Raises `ValueError` for more than 31 calls.
    """
    require_board(board, "call_tree()")
    if not callable(function):
        raise ValueError(f"`call_tree()` needs a function and then a board, not {function!r:.50}.")
    return CallTree(function, board, *more)


class CallTree(Panel):
    """The calls of a function; `step` is the number of the step shown, from 0."""

    def __init__(self, function: Callable[..., Any], *arguments: Any) -> None:
        super().__init__()
        self.nodes: list[Call] = []
        self.steps: list[Step] = []
        self.step = 0
        self._run(function, arguments)
        self._tree = Tree(self.nodes, notes=1)
        self._refresh()

    def _run(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        """Run the function, replacing its own name by `call`, which records each call and passes it on."""
        inner, name = unwrap(function), getattr(function, "__name__", "The function")
        names = getattr(inner, "__globals__", {})
        own = {key: found for key, found in names.items() if found is function or found is inner}
        caches = hasattr(function, "cache_info")
        answer = cache(inner) if caches else inner  # a fresh cache, so the reader's own stays untouched
        open_calls: list[Call] = []
        asked: list[Any] = []

        def call(board: Board, *more: Any, **named: Any) -> Any:
            open_calls.append(self._called(open_calls, board, name))
            known = caches and (board, more, named) in asked
            asked.append((board, more, named))
            result = answer(board, *more, **named)
            self._returned(open_calls.pop(), f"{result!r:.12}", known)
            return result

        names.update(dict.fromkeys(own, call))
        try:
            call(*arguments)
        finally:
            names.update(own)

    def _called(self, above: Sequence[Call], board: Board, name: str) -> Call:
        """Record a call below others. Raises `ValueError` for too many, or a board that isn't one move on."""
        if len(self.nodes) == MOST:
            raise ValueError(f"{name} calls itself more than {MOST} times here. Start with fewer free cells.")
        node, words = Call(len(self.nodes), -1, (), board), f"{name} is called with this board."
        for parent in above[-1:]:
            moves = [move for move in parent.board.moves if parent.board.play(move) == board]
            if not moves:
                raise ValueError(f"{name} must call itself with a board that is one move further on.")
            node.parent, node.path = parent.number, (*parent.path, moves[0])
            node.names = (*parent.names, move_name(parent.board, moves[0]))
            parent.children.append(node)
            words = f"{name} calls itself with the board after {parent.board.turn} plays cell {moves[0]}."
        self.nodes.append(node)
        self.steps.append(Step(node, Look("open"), words))
        return node

    def _returned(self, node: Call, answer: str, known: bool) -> None:
        """Record a return value; a call that made no other calls gets a single step."""
        node.size, node.answer = len(self.nodes) - node.number, answer
        words = f"It returns {answer}."
        if node.children:
            below = ", ".join(child.answer for child in node.children)
            words = f"Back on this board: its calls returned {below}, so it returns {answer}."
        elif known:
            words = f"The cache remembers this board and returns {answer}."
        elif node.board.over:
            words = f"The game is over: it returns {answer}."
        if not node.children:
            words = f"{self.steps.pop().words} {words}"
        self.steps.append(Step(node, Look("done", escape(answer), "cached" if known else ""), words))

    def _looks(self, step: int) -> list[Look]:
        looks = [Look("new")] * len(self.nodes)
        for call, look, _ in self.steps[: step + 1]:
            looks[call.number] = look
        return looks

    def snapshot(self) -> Picture:
        drawing = STYLE + self._tree.drawn(self._looks(len(self.steps)))
        return Picture(self._tree.width, self._tree.height, drawing, "The tree of a function's calls", repr(self))

    def __repr__(self) -> str:
        return f"Calls: {len(self.nodes)}. {self.steps[-1].words}"

    def _refresh(self) -> None:
        last, tree, shown = len(self.steps) - 1, self._tree, self.steps[self.step]
        scroll = attributes(class_="scroll calls", tabindex=0, role="group", aria_label="Drawing of the calls.")
        size = attributes(width=tree.width, viewBox=f"0 0 {tree.width} {tree.height}", role="tree", aria_label="Calls")
        self.html = (
            f'<div class="bar">{stepper("Step", "step", last, self.step)}</div>'
            f"<div{scroll}>{STYLE}<svg{size}>{tree.drawn(self._looks(self.step), {shown.call.number})}</svg></div>"
        )
        self.room = max((step.words for step in self.steps), key=len)
        self.say(shown.words)

    def on_step(self, number: int) -> None:
        self.step = max(0, min(number, len(self.steps) - 1))
        self._refresh()
