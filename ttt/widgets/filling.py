"""A game tree to fill in: its leaves are given, and whoever fills in the rest is told what is wrong, and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from ttt.board import Board
from ttt.search import BadSearch
from ttt.svg import Picture, read_number, signed, spoken_rows
from ttt.trees import SIDE, GameNode, Look, Tree, number_tree, search, search_tree
from ttt.widgets.panel import Panel, attributes, button
from ttt.widgets.tree import drawn

MOST_NODES = 60  # of a board's tree that somebody will fill in
CUT = "cut"  # the answer for a node that alpha-beta never visits
RIGHT, WRONG, SHOWN = "right", "wrong", "shown"  # what is known of an answer


def fill_in(tree: Board | Sequence[Any], depth: int | None = None, alphabeta: bool = False) -> FillIn:
    """Show a game tree with empty nodes, for a student to fill in what each is worth.

    All values are seen from MAX, who moves at the root. A won game is worth 1, a lost one −1, anything else 0.

    Args:
        tree: a board, whose game tree is grown; or numbers in lists in lists: the numbers are the leaves.
        depth: how many plies of a board's tree to show; by default to the end of the game.
        alphabeta: whether to fill in what alpha-beta does: what each node returns, and "cut" for those it cuts off.

    Raises `BadSearch` for anything else, and for a board's tree of more than 60 nodes.

    >>> fill_in([[3, 5], [2, 9]])
    A tree to fill in: 3 of 3 nodes are empty.
    """
    if isinstance(tree, Board):
        return FillIn(search_tree(tree, depth, most=MOST_NODES), alphabeta)
    if not isinstance(tree, list | tuple):
        raise BadSearch(f"fill_in() needs a Board or numbers in lists, such as [[3, 5], [2, 9]], not {tree!r:.50}.")
    if depth is not None:
        raise BadSearch("A tree of numbers is as deep as its lists, so leave depth out.")
    return FillIn(number_tree(tree), alphabeta)


class FillIn(Panel):
    """A game tree that a person fills in; `fill_in` makes one.

    Args:
        nodes: the tree, each node under its number.
        alphabeta: whether alpha-beta searches it, and not minimax.

    Attributes:
        solution: the right answer for each node, by its number; what is below a cut has none.
        asked: the numbers of those that have to be filled in.
        answers: what was filled in.
        verdicts: "right", "wrong" or "shown" for each answer, and what is wrong with it.
    """

    def __init__(self, nodes: list[GameNode], alphabeta: bool = False) -> None:
        super().__init__()
        list(search(nodes[0], cuts=alphabeta))
        self.nodes, self.alphabeta = nodes, alphabeta
        visited = {node.number: signed(node.value) for node in nodes if node.value is not None}
        below = [child.number for number in visited for child in nodes[number].children]
        cut = {number: CUT for number in below if number not in visited}
        self.solution = visited | cut
        self.asked = {number for number in self.solution if number in cut or nodes[number].children}
        self.answers: dict[int, str] = {}
        self.verdicts: dict[int, tuple[str, str]] = {}
        self._tree = Tree(nodes, notes=2 if alphabeta else 1)
        self._refresh()

    def check(self, answers: Mapping[int, str]) -> None:
        """Say which answers are right, and of the others what is wrong with them.

        Args:
            answers: by the number of the node; "cut" for a node that is cut off.
        """
        self.answers = {number: answer.strip().lower() for number, answer in answers.items() if answer.strip()}
        self.verdicts = {}
        for number in sorted(self.answers.keys() & self.solution.keys()):
            why = "" if self._is_right(number) else self._why(self.nodes[number], self.answers[number])
            self.verdicts[number] = WRONG if why else RIGHT, why
        self._refresh()
        self.say(*self._score())

    def show(self) -> None:
        """Fill in whatever isn't right yet, once something has been tried."""
        if not self.verdicts:
            self.say("Try it first: fill in at least one node and check it.", "error")
            return
        right = {number for number, (kind, _) in self.verdicts.items() if kind == RIGHT}
        self.answers = {number: self.solution[number] for number in self.asked}
        self.verdicts = {number: (RIGHT if number in right else SHOWN, "") for number in self.asked}
        self._refresh()
        self.say("The rest is filled in. Go through it from the leaves up, and see where each number comes from.")

    def on_check(self, fields: Mapping[str, str]) -> None:
        self.check({node.number: fields.get(str(node.number), "") for node in self.nodes})

    def on_show(self, _value: object) -> None:
        self.show()

    def snapshot(self) -> Picture:
        looks = [self._look(node) for node in self.nodes]
        said, root = repr(self), [] if self.nodes[0].board is None else [str(self.nodes[0].board)]
        lines = [f"{'  ' * node.ply}{node.name}: {looks[node.number].label}" for node in self.nodes]
        words = "\n".join([said, *root, *lines])
        return self._tree.picture(self._tree.drawn(looks), said, "A game tree to fill in", words)

    def _look(self, node: GameNode) -> Look:
        """A node in the drawing, with what has been found."""
        known = self.verdicts.get(node.number, (WRONG, ""))[0] != WRONG
        found = self.answers[node.number] if known else "?"
        return Look("cut" if known and found == CUT else "done", found if node.children else signed(node.worth))

    def __repr__(self) -> str:
        if self.alphabeta:  # how many there are would say how many are cut off
            return "A tree to fill in: what does alpha-beta return, and what does it cut off?"
        return f"A tree to fill in: {len(self.asked - self.answers.keys())} of {len(self.asked)} nodes are empty."

    # ----------------------------------------------------------------------------------------------------- the answers

    def _is_right(self, number: int) -> bool:
        """Whether the answer is the right one, as exactly as the tree shows it: to two decimals."""
        answer = self.answers.get(number, "")
        value = read_number(answer)
        return self.solution[number] == (answer if value is None else signed(value))

    def _score(self) -> tuple[str, str]:
        """What is said after a check, and its tone."""
        wrong = sum(kind == WRONG for kind, _ in self.verdicts.values())
        right, empty = len(self.verdicts) - wrong, len(self.asked - self.verdicts.keys())
        if not self.verdicts:
            return "Nothing is filled in yet. Begin just above the leaves.", "error"
        if not wrong and not empty:
            return f"All of it is right: the root is worth {signed(self.nodes[0].value or 0)} to MAX.", "end"
        said = f"{right} right, {wrong} not yet" if wrong else f"{right} right so far"
        if not self.alphabeta:
            return f"{said}, {empty} empty." if empty else f"{said}.", ""
        return f"{said}." if wrong else f"{said}. Something is missing still.", ""

    def _why(self, node: GameNode, answer: str) -> str:
        """What is wrong with an answer, without what the right one is where the nodes below tell it."""
        name = _begun(node)
        alpha, beta = map(signed, node.window)
        window = f"when its turn comes, alpha is {alpha} and beta {beta} at the node above"
        if node.value is None:
            return f"{name} is cut off: {window}, so alpha is no longer below beta."
        if answer == CUT:
            return f"{name} is visited: {window}, so alpha is still below beta."
        if read_number(answer) is None:
            return f"{name} needs a number, such as −1, not “{answer}”."
        if not all(self._is_right(child.number) for child in node.children if child.number in self.asked):
            return f"{name} depends on the nodes below it. Put those right first."
        values = [child.value for child in node.children if child.value is not None]
        if len(node.children) < 2:
            whose = "has only one child, which is" if values else "is"
            return f"{name} {whose} worth {self.solution[node.number]}."
        extreme, other, opposite = "largest", "smallest", min(values)
        if not node.is_max:
            extreme, other, opposite = "smallest", "largest", max(values)
        whose = "its children" if len(values) == len(node.children) else "the children that are visited"
        hint = f" You took the {other}." if signed(read_number(answer) or 0) == signed(opposite) else ""
        return f"{name}: {node.side} takes the {extreme} of {whose}: {', '.join(map(signed, values))}.{hint}"

    # -------------------------------------------------------------------------------------------------------- the page

    def _refresh(self) -> None:
        looks = [Look("done", "" if node.children else signed(node.worth)) for node in self.nodes]
        from_the_leaves = sorted(self.nodes, key=lambda node: -node.ply)
        fields = [self._field(node) for node in from_the_leaves if node.children or self.alphabeta]
        root = self.nodes[0].board
        position = "" if root is None else f'<p class="spoken">At the root: {spoken_rows(root)}.</p>'
        how = "<span>Write “cut” where alpha-beta never comes.</span>" if self.alphabeta else ""
        told = "".join(f"<li>{escape(why)}</li>" for _, why in self.verdicts.values() if why)
        self.html = (
            f'<form data-do="check">{position}{drawn(self._tree, looks, "".join(fields))}'
            f'<div class="verbs"><button>Check</button>{button("Show the rest", "show")}{how}</div></form>'
            f'<ul class="reasons">{told}</ul>'
        )

    def _field(self, node: GameNode) -> str:
        """Where a node's value is typed in, below its board."""
        x, y = self._tree.place(node)
        kind, why = self.verdicts.get(node.number, ("", ""))
        given = attributes(
            type="text",
            name=node.number,
            value=self.answers.get(node.number, ""),
            class_=f"fill {kind}".strip(),
            style=f"left:{x + SIDE / 2:g}px;top:{y + SIDE + (4 if node.children else 22):g}px",
            title=why or None,
            aria_label=self._label(node),
            aria_invalid="true" if kind == WRONG else None,
            autocomplete="off",
            spellcheck="false",
        )
        return f"<input{given}>"

    def _label(self, node: GameNode) -> str:
        """A field's name: the node, its level, and what is below it."""
        if not node.children:
            return f"{_begun(node)}, worth {signed(node.worth)}: cut, or leave it empty"
        side = f", {node.board.turn} to move" if node.board else ""
        said = [f"{child.name} {self._said(child)}" for child in node.children]
        return f"{_begun(node)}, {node.side}{side}. Below: {'; '.join(said)}"

    def _said(self, child: GameNode) -> str:
        return self.answers.get(child.number, "to be filled in") if child.children else signed(child.worth)


def _begun(node: GameNode) -> str:
    """The node's name as a sentence begins with it."""
    return node.name[0].upper() + node.name[1:]
