"""A game tree on screen: to watch alpha-beta go through it, and to practise with it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from ttt.board import Board
from ttt.drawing.svg import Picture, read, signed
from ttt.drawing.trees import LEFT, STYLE, Look, SearchTree, Tree, named
from ttt.heuristics import Heuristic
from ttt.search import ORDERS, alphabeta
from ttt.widgets.panel import Panel, attributes, button, field, menu, slider
from ttt.widgets.practice import CUT, VISITED, Practice

POSITIONS: dict[str, tuple[Board, int | None]] = {
    "X has to block": (Board.from_text("-XO -O- --X"), 2),
    "O has to block": (Board.from_text("O-- OXX X--"), None),
    "Much to cut off": (Board.from_text("X-- O-O --X"), None),
    "Order is everything": (Board.from_text("--X --X OO-"), None),
    "X wins in two ways": (Board.from_text("-X- -XO --O"), None),
    "The empty board": (Board(), 2),
}


def drawn(tree: Tree, looks: Sequence[Look], over: str = "", about: str = "") -> str:
    """A tree in the page, which may be scrolled sideways while the names of its levels stay; and what lies over it."""
    scroll = attributes(class_="scroll", tabindex=0, role="group", aria_label=f"Drawing of the tree.{about}")
    size = attributes(width=tree.width, height=tree.height, role="tree", aria_label="Game tree")
    return (
        f'{STYLE}<div class="tree"><svg width="{LEFT}" height="{tree.height}" aria-hidden="true">{tree.levels()}</svg>'
        f"<div{scroll}><svg{size}>{tree.drawn(looks)}</svg>{over}</div></div>"
    )


@lru_cache(maxsize=8)
def page(tree: SearchTree) -> tuple[str, str]:
    """The drawing of a tree, and the menus of positions and of orders, with the nodes that each order costs."""
    nodes = {order: alphabeta(tree.board, tree.depth, tree.heuristic, order=order).nodes for order in ORDERS}
    orders = {order: f"{order} ({count} nodes)" for order, count in nodes.items()}
    here = next((name for name, (board, _) in POSITIONS.items() if board == tree.board), "")
    names = ({} if here else {"": "your own"}) | {name: name for name in POSITIONS}
    menus = menu("Position", "position", names, here) + menu("Order of the moves", "order", orders, tree.order)
    options = f'<details><summary>Options</summary><div class="options">{menus}</div></details>'
    return drawn(Tree(tree.nodes), tree.steps[0].looks), options


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
            board, plies = next(iter(POSITIONS.values()))
            depth = plies if depth is None else depth
        self.practice: Practice | None = None
        self._show(SearchTree(board, depth, heuristic, order))

    @property
    def step(self) -> int:
        """The number of the step that is shown."""
        return self._step

    @step.setter
    def step(self, number: int) -> None:
        self._show(self.tree, number)

    def change(self, **changes: Any) -> None:
        """Change the board, depth, heuristic or order; whatever isn't named stays the same.

        Raises `BadSearch`; then nothing changes.

        >>> explorer = Explorer()
        >>> explorer.change(order="best-gain")
        >>> explorer
        Alpha-beta visits 14 of 26 nodes: X gets 0 with cell 6.
        """
        tree = replace(self._left[0] if self.practice else self.tree, **changes)
        self.on_stop_practising()
        before = self.tree
        earlier = f" Before, it was {before.visited}." if changes.keys() == {"order"} else ""
        at_end = self.step == len(before.steps) - 1
        self._show(tree, len(tree.steps) - 1 if at_end else 0, f"{tree}{earlier}")

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

        The same seed gives the same questions; without one they differ each time.
        """
        self._left = self.tree, self.step
        self.practice = Practice(seed)
        self._ask(self.practice)

    on_practise = practise

    def _ask(self, practice: Practice) -> None:
        self._show(practice.tree, practice.question.step - 1, practice.question.ask)

    def _show(self, tree: SearchTree, number: int = 0, text: str = "") -> None:
        """Show a step of a tree; the drawing itself stays, and how its nodes look is sent apart."""
        self.tree, self._step = tree, max(0, min(number, len(tree.steps) - 1))
        step, parts = tree.steps[self._step], {}
        for node, look in zip(tree.nodes, step.looks, strict=True):
            kind = "node ringed" if node is step.node else "node"
            parts[str(node.number)] = {"data-state": look.state, "class": kind, "aria-label": named(node, look)}
            parts[f"label-{node.number}"] = {"text": look.label}
        drawing, options = page(tree)
        with self.hold_sync():
            self.html = self._asked(self.practice) + drawing if self.practice else self._controls() + drawing + options
            self.parts = parts
            self.say(text or step.text)

    def _controls(self) -> str:
        step, last = self.tree.steps[self._step], len(self.tree.steps) - 1
        window = f"α {signed(step.alpha.value)} · β {signed(step.beta.value)}"
        return (
            f'<div class="verbs"><label>Step {slider("Step", "step", self._step, last)} {self._step}/{last}</label>'
            f"{button('Next cut', 'next_cut')}{button('Practise', 'practise')}"
            f'<span class="read-out">{step.node.side} · {window} · visited {step.visits} of {len(self.tree.nodes)}'
            "</span></div>"
        )

    def _asked(self, practice: Practice) -> str:
        """The controls of a practice."""
        asked = button("Next question", "next_question", data_key="next")
        if not practice.verdict:
            fields = "".join(field(name, name) for name in practice.question.answer) + "<button>Answer</button>"
            if "next" in practice.question.answer:
                choices = (f'<button name="next" value="{it}">{it.capitalize()}</button>' for it in (VISITED, CUT))
                fields = "".join(choices)
            key = len(practice.answered)
            asked = f'<form data-do="answer" class="verbs" style="margin:0" data-key="{key}">{fields}</form>'
        stop = button("Stop practising", "stop_practising", data_key="stop")
        return f'<div class="verbs" data-key="practice">{asked}{stop}<span class="score">{practice.score}</span></div>'

    def on_step(self, number: int) -> None:
        self.step = number

    def on_next_cut(self, _value: object) -> None:
        cuts = [number for number, step in enumerate(self.tree.steps) if step.kind == "cut" and number > self.step]
        self.step = cuts[0] if cuts else len(self.tree.steps) - 1
        if not cuts:
            self.say(f"No more cuts. {self.tree.steps[-1].text}")

    def on_order(self, order: str) -> None:
        self.change(order=order)

    def on_position(self, name: str) -> None:
        if name in POSITIONS:
            board, depth = POSITIONS[name]
            self.change(board=board, depth=depth)
            self.step = 0  # another search is watched from its beginning

    def on_answer(self, given: Mapping[str, str]) -> None:
        """Judge an answer, and show the step that it is about; what should be a number and is none doesn't count."""
        if self.practice is None or self.practice.verdict:
            return  # nothing is asked, or it is answered already
        unread = [text for name, text in given.items() if name != "next" and read(text) is None]
        if unread:
            wrong = f"“{unread[0]}” is not a number" if unread[0].strip() else "A field is empty"
            self.say(f"{self.practice.question.ask} {wrong}: write −1, for instance, or -inf or inf.", "error")
            return
        self.practice.judge(given)
        self._show(self.tree, self.practice.question.step, self.practice.verdict)

    def on_next_question(self, _value: object) -> None:
        if self.practice and self.practice.verdict:
            self.practice.go_on()
            self._ask(self.practice)

    def on_stop_practising(self, _value: object = None) -> None:
        """Go back to what was shown before the practice."""
        if self.practice:
            self.practice = None
            self._show(*self._left)
