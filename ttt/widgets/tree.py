"""A game tree on screen: to watch alpha-beta go through it, and to practise with it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ttt import trees
from ttt.board import Board
from ttt.heuristics import Heuristic
from ttt.search import ORDERS, alphabeta
from ttt.svg import Picture, read_number, signed
from ttt.trees import LEFT, Look, SearchTree, Tree
from ttt.widgets.panel import Panel, attributes, button, field, menu, slider
from ttt.widgets.practice import CUT, VISITED, Practice

POSITIONS: dict[str, tuple[str, int | None]] = {
    "X has to block": ("-XO -O- --X", 2),
    "O has to block": ("O-- OXX X--", None),
    "Much to cut off": ("X-- O-O --X", None),
    "Order is everything": ("--X --X OO-", None),
    "X wins in two ways": ("-X- -XO --O", None),
    "The empty board": ("--- --- ---", 2),
}


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
        order: of the moves, as for `alphabeta`.

    All values, alpha and beta are seen from the side to move at the root, MAX. `step` is the number of the step shown,
    from 0, and can be set; `tree` holds the search with all steps, and `practice` the questions, while some are asked.

    Raises `BadSearch`, also for more than 400 nodes.

    >>> Explorer(Board.from_text("O-- OXX X--"))
    Alpha-beta visits 29 of 49 nodes: O gets 0 with cell 2.
    """

    def __init__(
        self,
        board: Board | None = None,
        depth: int | None = None,
        heuristic: Heuristic | None = None,
        order: str = "row-major",
    ) -> None:
        super().__init__()
        if board is None:
            text, plies = next(iter(POSITIONS.values()))
            board, depth = Board.from_text(text), plies if depth is None else depth
        self.practice: Practice | None = None
        self._practised = 0  # times
        self._watch(SearchTree(board, depth, heuristic, order))

    @property
    def step(self) -> int:
        """The number of the step that is shown."""
        return self._step

    @step.setter
    def step(self, number: int) -> None:
        self._step = max(0, min(int(number), len(self.tree.steps) - 1))
        self._refresh()
        self.say(self.tree.steps[self._step].text)

    def change(self, **changes: Any) -> None:
        """Change the board, depth, heuristic or order; whatever isn't named stays the same.

        Raises `BadSearch`; then nothing changes.

        >>> explorer = Explorer()
        >>> explorer.change(order="best-gain")
        >>> explorer
        Alpha-beta visits 14 of 26 nodes: X gets 0 with cell 6.
        """
        self.on_stop_practising(None)
        before, at_end = self.tree, self.step == len(self.tree.steps) - 1
        given = {name: getattr(before, name) for name in ("board", "depth", "heuristic", "order")}
        tree = SearchTree(**given | changes)
        self._watch(tree, len(tree.steps) - 1 if at_end else 0)
        earlier = f" Before, it was {before.visited}." if changes.keys() == {"order"} else ""
        self.say(f"{tree}{earlier}")

    def picture(self) -> Picture:
        """Draw the whole tree, at the end of the search."""
        end, tree = self.tree.steps[-1], Tree(self.tree.nodes)
        title = f"The game tree of {self.tree.board.turn} to move, with what alpha-beta cuts off"
        words = f"{self.tree}\n{self.tree.board}"
        return tree.picture(tree.drawn(end.looks, {end.node.number}), end.text, title, words)

    snapshot = picture

    def __repr__(self) -> str:
        return str(self.tree)

    def practise(self, seed: int | None = None) -> None:
        """Ask what comes next in the search of small trees: a node's worth, alpha and beta, visited or cut off.

        Args:
            seed: the same seed gives the same questions; by default another one each time, beginning with 1.
        """
        self._practised += 1
        self._left = self.tree, self.step
        self.practice = Practice(self._practised if seed is None else seed)
        self._ask(self.practice)

    def _ask(self, practice: Practice) -> None:
        """Show a question, at the step before the one that answers it."""
        self._watch(practice.tree, practice.question.step - 1)
        self.say(practice.question.ask)

    # --------------------------------------------------------------------------------------------------- what is seen

    def _watch(self, tree: SearchTree, step: int = 0) -> None:
        self.tree = tree
        self._drawing = drawn(Tree(tree.nodes), tree.steps[0].looks)
        self._menus = self._options()
        self.step = step

    def _refresh(self) -> None:
        """Show the step; the drawing itself stays, and how its nodes look is sent apart."""
        with self.hold_sync():
            self.html = self._drawing + (self._asked(self.practice) if self.practice else self._controls())
            self.parts = dict(self._looks())

    def _looks(self) -> Iterator[tuple[str, dict[str, str]]]:
        step = self.tree.steps[self._step]
        for node, look in zip(self.tree.nodes, step.looks, strict=True):
            kind = "node ringed" if node is step.node else "node"
            name = trees.named(node, look)
            yield str(node.number), {"data-state": look.state, "class": kind, "aria-label": name}
            yield f"label-{node.number}", {"text": look.label}

    def _controls(self) -> str:
        step, last = self.tree.steps[self._step], len(self.tree.steps) - 1
        window = f"α {signed(step.alpha.value)} · β {signed(step.beta.value)}"
        read_out = f"{step.node.side} · {window} · visited {step.visits} of {len(self.tree.nodes)}"
        steps = f"<label>Step {slider('Step', 'step', self._step, last)} {self._step}/{last}</label>"
        return (
            f'<div class="verbs">{steps}{button("Next cut", "next_cut")}{button("Practise", "practise")}'
            f'<span class="read-out">{read_out}</span></div>'
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
        if practice.verdict:
            asked = button("Next question", "next_question", data_key="next")
        elif "next" in practice.question.answer:
            asked = button("Visited", "next", data_value=VISITED) + button("Cut off", "next", data_value=CUT)
        else:
            fields = "".join(field(name, name) for name in practice.question.answer)
            form = attributes(data_do="answer", class_="verbs", style="margin:0", data_key=practice.answered)
            asked = f"<form{form}>{fields}<button>Answer</button></form>"
        stop = button("Stop practising", "stop_practising", data_key="stop")
        return f'<div class="verbs" data-key="practice">{asked}{stop}<span class="score">{practice.score}</span></div>'

    # ------------------------------------------------------------------------------------------- what the page reports

    def on_step(self, number: int) -> None:
        self.step = number

    def on_next_cut(self, _value: object) -> None:
        steps = self.tree.steps
        cuts = [number for number, step in enumerate(steps) if step.kind == "cut" and number > self._step]
        self.step = cuts[0] if cuts else len(steps) - 1

    def on_order(self, order: str) -> None:
        self.change(order=order)

    def on_position(self, name: str) -> None:
        if name in POSITIONS:
            text, depth = POSITIONS[name]
            self.change(board=Board.from_text(text), depth=depth)

    def on_practise(self, _value: object) -> None:
        self.practise()

    def on_next(self, given: str) -> None:
        self.on_answer({"next": given})

    def on_answer(self, given: Mapping[str, str]) -> None:
        """Judge an answer, and show the step that it is about; what should be a number and is none doesn't count."""
        if self.practice is None or self.practice.verdict:
            return  # nothing is asked, or it is answered already
        question = self.practice.question
        for name in question.answer:
            if name != "next" and read_number(given.get(name, "")) is None:
                self.say(f"“{given.get(name, '')}” is not a number. Write one, such as −1.", "error")
                return
        self.practice.judge(given)
        self.step = question.step
        self.say(self.practice.verdict)

    def on_next_question(self, _value: object) -> None:
        if self.practice and self.practice.verdict:
            self.practice.go_on()
            self._ask(self.practice)

    def on_stop_practising(self, _value: object) -> None:
        """Go back to what was shown before the practice."""
        if self.practice:
            self.practice = None
            self._watch(*self._left)
