"""A game tree on screen: watch alpha-beta search it, and practise."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from html import escape
from typing import Any

from lab.boards.panel import ZOOM, Panel, attributes, button, menu, stepper
from lab.boards.practice import CUT, LEAVES, VISITED, Practice
from lab.drawing.layout import LEFT, STYLE, Tree, chip, node_attributes
from lab.drawing.narration import WORTH, explain_step, line_at_work, node_name, saving_in_words
from lab.drawing.trees import GameNode, Look, SearchTree
from lab.drawing.words import normalise_number
from ttt.board import Board
from ttt.notation import signed
from ttt.position import Position
from ttt.search import ORDERS
from ttt.svg import Picture

POSITIONS = {
    "X has to block": Board.from_text("X-- XO- OXO"),
    "O has to block": Board.from_text("O-- OXX X--"),
    "Much to cut off": Board.from_text("X-- O-O --X"),
    "Order is everything": Board.from_text("--X --X OO-"),
    "X wins in two ways": Board.from_text("-X- -XO --O"),
}


def framed(tree: Tree, looks: Sequence[Look], over: str = "", about: str = "") -> str:
    """A tree in a frame that scrolls and zooms; the level names stay in place."""
    size = f"--wide:{tree.width};--left:{LEFT};--high:{tree.height}"
    words = f"Drawing of the tree.{about}"
    scroll = attributes(class_="scroll", tabindex=0, role="group", aria_label=words)
    svg = attributes(viewBox=f"0 0 {tree.width} {tree.height}", role="tree", aria_label="Game tree")
    columns = f'<div class="columns" aria-hidden="true">{"<i></i>" * round(tree.width / tree.pitch)}</div>'
    return (
        f'<div class="drawing" style="{size}">{STYLE}<div{scroll}><div class="tree">'
        f'<svg class="levels" viewBox="0 0 {LEFT} {tree.height}" aria-hidden="true">{tree.levels()}</svg>'
        f'<div class="sheet"><svg{svg}>{tree.drawn(looks)}</svg>{columns}{over}</div></div></div></div>'
    )


@lru_cache(maxsize=8)
def laid_out(tree: SearchTree) -> tuple[Tree, str]:
    """A tree with its layout, and its drawing before the search."""
    layout = Tree(tree.nodes)
    return layout, framed(layout, tree.steps[0].looks)


class Explorer(Panel):
    """Watch alpha-beta think: the game tree of a position, step by step, with the reason for every cut.

    Args:
        board: the position, on a flat board or of another game; by default one with something to see.
        order: of the moves, as for `alphabeta`.

    All values are seen from X, who is MAX: alpha is X's bound and beta O's. `step` is the number of the step shown,
    from 0, and `go_to` shows another; `tree` holds the search, and `practice` the questions during practice.

    Raises `BadSearch`, also for more than 400 nodes.

    >>> Explorer(Board.from_text("O-- OXX X--"))
    Alpha-beta visits 29 of 49 nodes: O plays 2, worth 0 to X.
    """

    def __init__(self, board: Position | None = None, order: str = "row-major") -> None:
        super().__init__()
        self.practice: Practice | None = None
        self._positions: dict[str, Any] = {**POSITIONS} if board is None else {"Your own": board, **POSITIONS}
        self._position, self._order = next(iter(self._positions)), order
        self._show(SearchTree(self._positions[self._position], order))

    def go_to(self, step: int) -> None:
        """Show another step of the search."""
        self._show(self.tree, step)

    when_step = go_to

    def picture(self) -> Picture:
        """Draw the whole tree, at the end of the search."""
        end, tree = self.tree.steps[-1], laid_out(self.tree)[0]
        title = f"The game tree of {self.tree.board.turn} to move, with what alpha-beta cuts off"
        words = f"{self!r}\n{self.tree.board}"
        drawing = tree.drawn(end.looks, {end.node.number}, self.tree.variation)
        return tree.picture(drawing, explain_step(self.tree, end), title, words)

    snapshot = picture

    def __repr__(self) -> str:
        return saving_in_words(self.tree)

    def practise(self, seed: int | None = None) -> None:
        """Ask what comes next in searches of small trees: a node's worth, alpha and beta, visited or cut off.

        The same seed gives the same questions; without one they differ each time.
        """
        self._left = self.tree, self.step
        self.practice = Practice(seed)
        self._ask()

    when_practise = practise

    def _ask(self) -> None:
        if self.practice:
            question = self.practice.question
            self._show(question.tree, question.step - 1, question.ask, question.node)

    def _show(self, tree: SearchTree, number: int = 0, text: str = "", about: GameNode | None = None) -> None:
        """Show a step of a tree, with a ring where it is or what it is about; only the step's changes are sent."""
        self.tree, self.step = tree, max(0, min(number, len(tree.steps) - 1))
        step, last = tree.steps[self.step], len(tree.steps) - 1
        ringed = about or step.node
        practice = self.practice
        hidden = about if practice and not practice.verdict and practice.question.kind == "worth" else None
        bounds = f"alpha = {signed(step.alpha.value)}, beta = {signed(step.beta.value)}"
        parts = {
            "step": {"value": str(self.step)},
            "read-out": {"text": f"Step {self.step} of {last}, {step.visits} of {len(tree.nodes)} nodes visited"},
            "bounds": {"text": f"At {node_name(step.node)}: {bounds}"},
        }
        parts |= laid_out(tree)[0].trail(tree.variation if step.kind == "end" else ringed)
        for n, (kind, _) in enumerate(WORTH):
            parts[f"line-{n}"] = {"class": "work" if kind == line_at_work(step) else ""}
        for node, seen in zip(tree.nodes, step.looks, strict=True):
            look = seen._replace(label="?") if node is hidden else seen  # else its alpha or beta is the answer
            parts[str(node.number)] = node_attributes(node, look, ringed=node is ringed)
            parts[f"label-{node.number}"] = {"text": look.label}
            parts[f"chip-{node.number}"] = chip(look.label)
        with self.hold_sync():
            self.html = self._asked(practice) if practice else self._page()
            self.room = max((explain_step(tree, step) for step in tree.steps), key=len)
            self.parts = parts
            self.say(text or explain_step(tree, step))

    def _page(self) -> str:
        """The tree with the steps, the code, and menus of positions and move orders."""
        tree = self.tree
        lines = ""
        for n, (_, line) in enumerate(WORTH):
            lines += f'<span data-part="line-{n}" style="--depth:{line.count("    ")}">{escape(line)}\n</span>'
        orders = ORDERS if isinstance(tree.board, Board) else [tree.order]
        menus = menu("Position", "position", {name: name for name in self._positions}, self._position)
        menus += menu("Move order", "order", {order: order for order in orders}, tree.order)
        return (
            f'<div class="bar">{stepper(len(tree.steps) - 1)}{button("Next cut", "next_cut")}'
            f'{button("Practise", "practise")}<span class="read-out" data-part="read-out"></span>{ZOOM}</div>'
            f'<div class="watch">{laid_out(tree)[1]}'
            f'<div class="code"><p data-part="bounds"></p><pre>{lines}</pre></div></div>'
            f'<details><summary>Options</summary><div class="options">{menus}</div></details>'
        )

    def _asked(self, practice: Practice) -> str:
        """A tree with a question about it and a note on its leaves."""
        question, answered = practice.question, practice.answered
        score = f"{sum(answered)} of {len(answered)} right" if answered else ""
        asked = button("Next question", "next_question", data_key="next")
        if not practice.verdict:
            plain = attributes(type="text", autocomplete="off", spellcheck="false")
            inputs = (f'<label>{name} <input name="{name}"{plain}></label>' for name in question.answer)
            note = "<small>Type inf for +∞, and -inf for −∞.</small>" if "alpha" in question.answer else ""
            fields = f"{''.join(inputs)}<button>Answer</button>{note}"
            if "next" in question.answer:
                choices = (f'<button name="next" value="{it}">{it.capitalize()}</button>' for it in (VISITED, CUT))
                fields = "".join(choices)
            asked = f'<form data-do="answer" class="verbs" data-key="{len(answered)}">{fields}</form>'
        stop = button("Stop", "stop_practising", data_key="stop", aria_label="Stop practising")
        return (
            f'<div class="bar" data-key="practice">{asked}{stop}<span class="score">{score}</span>{ZOOM}</div>'
            f'{laid_out(self.tree)[1]}<p class="about">{LEAVES[self.tree.numbers is None]}</p>'
        )

    def when_next_cut(self) -> None:
        cuts = [number for number, step in enumerate(self.tree.steps) if step.kind == "cut" and number > self.step]
        self.go_to(cuts[0] if cuts else len(self.tree.steps) - 1)

    def when_order(self, order: str) -> None:
        """Search in another move order, and stay at the start or the end."""
        before, at_end = self.tree, self.step == len(self.tree.steps) - 1
        self._order, tree = order, replace(before, order=order)
        text = f"{saving_in_words(tree)} In {before.order} order it was {before.visited}."
        self._show(tree, len(tree.steps) if at_end else 0, text)

    def when_position(self, name: str) -> None:
        """Search another position, in the same move order if it is a board, as the other orders need one."""
        position = self._positions[name]
        self._position = name
        self._show(SearchTree(position, self._order if isinstance(position, Board) else "row-major"))

    def when_answer(self, given: Mapping[str, str]) -> None:
        """Judge an answer and show its step; an answer that should be a number but isn't doesn't count."""
        if self.practice is None or self.practice.verdict:
            return  # no open question
        unread = [text for name, text in given.items() if name != "next" and normalise_number(text) is None]
        if unread:
            wrong = f"“{unread[0]}” is not a number" if unread[0].strip() else "A number is missing"
            self.say(f"{self.practice.question.ask} {wrong}. Write one such as −1, -inf or inf.", "error")
            return
        self.practice.judge(given)
        self._show(self.tree, self.practice.question.step, self.practice.verdict, self.practice.question.node)

    def when_next_question(self) -> None:
        if self.practice and self.practice.verdict:
            self.practice.go_on()
            self._ask()

    def when_stop_practising(self) -> None:
        """Return to the tree shown before the practice."""
        if self.practice:
            self.practice = None
            self._show(*self._left)
