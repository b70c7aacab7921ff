"""A game tree on screen: to watch alpha-beta go through it, and to practise with it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from operator import index
from typing import Any

from ttt import trees
from ttt.board import Board
from ttt.heuristics import Heuristic
from ttt.search import ORDERS, BadSearch, Search, alphabeta
from ttt.svg import Picture, signed
from ttt.trees import LEFT, Frame, Look, SearchTree, Tree
from ttt.widgets.panel import Panel, attributes, button, field, menu, slider
from ttt.widgets.practice import CUT, FIELDS, NEXT, VISITED, Practice

POSITIONS: dict[str, tuple[str, int | None]] = {
    "X has to block": ("-XO -O- --X", 2),
    "O has to block": ("O-- OXX X--", None),
    "Much to cut off": ("X-- O-O --X", None),
    "Order is everything": ("--X --X OO-", None),
    "X wins in two ways": ("-X- -XO --O", None),
    "The empty board": ("--- --- ---", 2),
}
OPTIONS = ("board", "depth", "heuristic", "order")


def drawn(tree: Tree, looks: Sequence[Look], inside: str = "") -> str:
    """A tree in the page, which may be scrolled sideways while the names of its levels stay in view.

    Args:
        inside: what lies over the drawing.
    """
    names = attributes(width=LEFT, height=tree.height, aria_hidden="true")
    size = attributes(width=tree.width, height=tree.height, role="tree", aria_label="Game tree")
    scroll = attributes(class_="scroll", tabindex=0, role="group", aria_label="Drawing of the tree")
    return (
        f'<style>{trees.style()}</style><div class="tree"><svg{names}>{tree.levels()}</svg>'
        f"<div{scroll}><svg{size}>{tree.drawn(looks)}</svg>{inside}</div></div>"
    )


class Explorer(Panel):
    """Watch alpha-beta think: the game tree of a position, step by step, with the reason for every cut.

    Args:
        board: the position, on a flat board; by default one with something to see, two plies deep.
        depth: how many plies to look ahead; by default to the end of the game.
        heuristic: judges unfinished boards at that depth; without it they count 0.
        options: `order`, as for `alphabeta`.

    All values, alpha and beta are seen from the side to move at the root, MAX. `step` is the number of the step shown,
    from 0, and can be set; `frames` holds all steps; `search` and `minimax` are what the two searches found. `practise`
    asks about other trees, as the button *Practise* does.

    Raises `BadSearch`, and `TreeTooLarge` for more than 400 nodes.

    >>> Explorer(Board.from_text("O-- OXX X--"))
    Alpha-beta visits 29 of 49 nodes: O gets 0 with cell 2.
    """

    def __init__(
        self, board: Board | None = None, depth: int | None = None, heuristic: Heuristic | None = None, **options: Any
    ) -> None:
        super().__init__()
        if board is None:
            text, plies = next(iter(POSITIONS.values()))
            board, depth = Board.from_text(text), plies if depth is None else depth
        _require_options(options)
        self.practice: Practice | None = None
        self._seed = 0  # of the last practice
        self._step = 0
        self._watch(SearchTree(board, depth, heuristic, **options))
        self.say(self.frames[0].text)

    @property
    def board(self) -> Board:
        """The position at the root."""
        return self.tree.board

    @property
    def search(self) -> Search:
        """What alpha-beta found, and what it cost."""
        return self.tree.search

    @property
    def minimax(self) -> Search:
        """What minimax finds in the same tree, and what it costs."""
        return self.tree.minimax

    @property
    def frames(self) -> list[Frame]:
        """All steps."""
        return self.tree.frames

    @property
    def step(self) -> int:
        """The number of the step that is shown."""
        return self._step

    @step.setter
    def step(self, number: int) -> None:
        self._step = max(0, min(int(number), len(self.frames) - 1))
        self._refresh()
        self.say(self.frames[self._step].text)

    def change(self, **changes: Any) -> None:
        """Change the board, depth, heuristic or order; whatever isn't named stays the same.

        Raises `BadSearch` and `TreeTooLarge`; then nothing changes.

        >>> explorer = Explorer()
        >>> explorer.change(order="best-gain")
        >>> explorer
        Alpha-beta visits 14 of 26 nodes: X gets 0 with cell 6.
        """
        _require_options(changes)
        self.stop_practising()
        before = self.tree
        at_end = self.step == len(self.frames) - 1
        tree = SearchTree(**{name: getattr(before, name) for name in OPTIONS} | changes)
        self._step = len(tree.frames) - 1 if at_end else 0
        self._watch(tree)
        same_tree = all(getattr(before, name) == getattr(tree, name) for name in OPTIONS[:3])
        changed = same_tree and before.search.nodes != tree.search.nodes
        self.say(tree.sentence() + (f" Before, it was {before.search.nodes}." if changed else ""))

    def picture(self, step: int | None = None) -> Picture:
        """Draw the whole tree, at the end of the search or at the given step.

        Raises `BadSearch` if there is no such step.
        """
        last = len(self.frames) - 1
        number = last if step is None else index(step)
        if not 0 <= number <= last:
            raise BadSearch(f"The steps are 0 to {last}, not {step}.")
        frame, tree = self.frames[number], Tree(self.tree.nodes)
        title = f"The game tree of {self.board.turn} to move, with what alpha-beta cuts off"
        words = f"{self.tree.sentence()}\nStep {number} of {last}: {frame.text}\n{self.board}"
        return tree.picture(tree.drawn(frame.looks, {frame.node}), frame.text, title, words)

    def snapshot(self) -> Picture:
        return self.picture()

    def __repr__(self) -> str:
        return self.tree.sentence()

    # ------------------------------------------------------------------------------------------------------- practice

    def practise(self, seed: int | None = None) -> None:
        """Ask what comes next in the search of small trees: a node's worth, alpha and beta, visited or cut off.

        Args:
            seed: the same seed gives the same questions; by default another one each time, beginning with 1.

        >>> explorer = Explorer()
        >>> explorer.practise(seed=1)
        >>> explorer.message
        'Every move after cell 1 has been searched. What is cell 1 worth for O?'
        >>> explorer.answer("-7")
        'Right.'
        """
        self.stop_practising()
        self._seed = self._seed + 1 if seed is None else seed
        self._left = self.tree, self.step
        self.practice = Practice(self._seed)
        self._ask(self.practice)

    def answer(self, *given: str) -> str:
        """Answer the question of the practice; returns what is said to it, and shows the step that it is about.

        Args:
            given: the worth; or alpha and beta; or "visited" or "cut off". What should be a number and is none doesn't
                count as an answer.
        """
        practice = self.practice
        if practice is None or practice.was_right is not None:
            return ""  # nothing is asked, or it is answered already
        if text := practice.unreadable(given):
            refusal = f"“{text}” is not a number. Write one, such as −1."
            self.say(refusal, "error")
            return refusal
        practice.judge(given)
        self._step = practice.question.step
        self._refresh()
        self.say(practice.verdict)
        return practice.verdict

    def next_question(self) -> None:
        """Ask the next question of the practice, after the last was answered."""
        if self.practice is not None and self.practice.was_right is not None:
            self.practice.go_on()
            self._ask(self.practice)

    def stop_practising(self) -> None:
        """Go back to what was shown before the practice."""
        if self.practice is not None:
            self.practice = None
            tree, self._step = self._left
            self._watch(tree)
            self.say(self.frames[self._step].text)

    def _ask(self, practice: Practice) -> None:
        """Show a question, at the step before the one that answers it."""
        self._step = practice.question.step - 1
        self._watch(practice.tree)
        self.say(practice.question.ask)

    # --------------------------------------------------------------------------------------------------- what is seen

    def _watch(self, tree: SearchTree) -> None:
        self.tree = tree
        self._drawing = drawn(Tree(tree.nodes), tree.frames[0].looks)
        self._menus = self._options()
        self._refresh()

    def _refresh(self) -> None:
        """Show the step; the drawing itself stays, and how its nodes look is sent apart."""
        with self.hold_sync():
            self.html = self._drawing + (self._asked(self.practice) if self.practice else self._controls())
            self.parts = dict(self._looks())

    def _looks(self) -> Iterator[tuple[str, dict[str, str]]]:
        frame = self.frames[self._step]
        for node, look in zip(self.tree.nodes, frame.looks, strict=True):
            kind = "node ringed" if node.number == frame.node else "node"
            name = trees.named(node, look)
            yield str(node.number), {"data-state": look.state, "class": kind, "aria-label": name}
            yield f"label-{node.number}", {"text": look.label}

    def _read_out(self) -> str:
        """Where the search is, on one line."""
        frame = self.frames[self._step]
        level = "MAX" if self.tree.nodes[frame.node].is_max else "MIN"
        parts = [level, f"α {signed(frame.alpha)}", f"β {signed(frame.beta)}"]
        return " · ".join([*parts, f"visited {frame.visits} of {self.minimax.nodes}"])

    def _controls(self) -> str:
        last = len(self.frames) - 1
        steps = f"<label>Step {slider('Step', 'step', self._step, last)} {self._step}/{last}</label>"
        return (
            f'<div class="verbs">{steps}{button("Next cut", "next_cut")}{button("Practise", "practise")}'
            f'<span class="read-out">{self._read_out()}</span></div>'
            f"<details><summary>Options</summary>{self._menus}</details>"
        )

    def _options(self) -> str:
        tree = self.tree
        nodes = {order: alphabeta(tree.board, tree.depth, tree.heuristic, order=order).nodes for order in ORDERS}
        orders = {order: f"{order} ({count} nodes)" for order, count in nodes.items()}
        here = next((name for name, (text, _) in POSITIONS.items() if Board.from_text(text) == tree.board), "")
        names = ([] if here else [""]) + list(POSITIONS)
        menus = menu("Position", "position", {name: name or "your own" for name in names}, here)
        return f'<div class="options">{menus}{menu("Order of the moves", "order", orders, tree.order)}</div>'

    def _asked(self, practice: Practice) -> str:
        """The controls of a practice."""
        if practice.was_right is not None:
            asked = button("Next question", "next_question", data_key="next")
        elif practice.question.kind == NEXT:
            asked = button("Visited", "answer", data_value=VISITED) + button("Cut off", "answer", data_value=CUT)
        else:
            fields = "".join(field(name, name) for name in FIELDS[practice.question.kind])
            form = attributes(data_do="answers", class_="verbs", data_key=practice.answered)
            asked = f"<form{form}>{fields}<button>Answer</button></form>"
        stop = button("Stop practising", "stop_practising", data_key="stop")
        return f'<div class="verbs" data-key="practice">{asked}{stop}<span class="score">{practice.score}</span></div>'

    # ------------------------------------------------------------------------------------------- what the page reports

    def on_step(self, number: int) -> None:
        self.step = number

    def on_next_cut(self, _value: object) -> None:
        cuts = [number for number, frame in enumerate(self.frames) if frame.kind == "cut" and number > self._step]
        self.step = cuts[0] if cuts else len(self.frames) - 1

    def on_order(self, order: str) -> None:
        self.change(order=order)

    def on_position(self, name: str) -> None:
        if name in POSITIONS:
            text, depth = POSITIONS[name]
            self.change(board=Board.from_text(text), depth=depth)

    def on_practise(self, _value: object) -> None:
        self.practise()

    def on_answer(self, given: str) -> None:
        self.answer(given)

    def on_answers(self, fields: Mapping[str, str]) -> None:
        names = FIELDS.get(self.practice.question.kind, []) if self.practice else []
        self.answer(*(str(fields.get(name, "")) for name in names))

    def on_next_question(self, _value: object) -> None:
        self.next_question()

    def on_stop_practising(self, _value: object) -> None:
        self.stop_practising()


def _require_options(given: Mapping[str, Any]) -> None:
    if unknown := [name for name in given if name not in OPTIONS]:
        raise BadSearch(f"The explorer has no option {' or '.join(unknown)}; it takes {', '.join(OPTIONS)}.")
