"""A game tree to fill in: its leaves are given, and whoever fills in the rest is told what is wrong, and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from ttt.board import Board
from ttt.drawing.svg import Picture, read, signed
from ttt.drawing.trees import SIDE, GameNode, Look, SearchTree, Tree, number_tree, search
from ttt.search import BadSearch
from ttt.widgets.panel import Panel, attributes, button
from ttt.widgets.tree import drawn

MOST_NODES = 60  # of a board's tree that somebody will fill in
CUT = "cut"  # the answer for a node that alpha-beta never visits


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
        return FillIn(SearchTree(tree, depth, most=MOST_NODES).nodes, alphabeta)
    if not isinstance(tree, list | tuple):
        raise BadSearch(f"fill_in() needs a Board or numbers in lists, such as [[3, 5], [2, 9]], not {tree!r:.50}.")
    if depth is not None:
        raise BadSearch("A tree of numbers is as deep as its lists, so leave depth out.")
    return FillIn(number_tree(tree), alphabeta)


class FillIn(Panel):
    """A game tree that a person fills in; `fill_in` makes one.

    Attributes:
        nodes: the tree, each node under its number.
        solution: the right answer for each node, by its number; what is below a cut has none.
        asked: the numbers of those that have to be filled in.
        answers: what was filled in.
        verdicts: "right", "wrong" or "shown" for each answer, and what is wrong with it.
    """

    def __init__(self, nodes: list[GameNode], alphabeta: bool) -> None:
        super().__init__()
        list(search(nodes[0], cuts=alphabeta))
        self.nodes, self.alphabeta = nodes, alphabeta
        reached = [nodes[0], *(child for node in nodes if node.value is not None for child in node.children)]
        self.solution = {each.number: CUT if each.value is None else signed(each.value) for each in reached}
        self.asked = {each.number for each in reached if each.value is None or each.children}
        self.answers: dict[int, str] = {}
        self.verdicts: dict[int, tuple[str, str]] = {}
        self._tree = Tree(nodes, notes=2 if alphabeta else 1)
        self._refresh()

    def check(self, answers: Mapping[int, str]) -> None:
        """Say which answers, by the number of the node, are right, and of the others what is wrong with them."""
        self.answers = {number: answer.strip().lower() for number, answer in answers.items() if answer.strip()}
        judged = {number: self._why(self.nodes[number]) for number in sorted(self.answers.keys() & self.solution)}
        self.verdicts = {number: ("wrong" if why else "right", why) for number, why in judged.items()}
        self._refresh()
        self.say(*self._score())

    def show(self, _value: object = None) -> None:
        """Fill in whatever isn't right yet, once something has been tried."""
        if not self.verdicts:
            self.say("Try it first: fill in at least one node and check it.", "error")
            return
        shown = dict.fromkeys(self.asked, ("shown", ""))
        self.verdicts = shown | {number: known for number, known in self.verdicts.items() if known[0] == "right"}
        self.answers = {number: self.solution[number] for number in self.verdicts}
        self._refresh()
        self.say("The rest is filled in. Go through it from the leaves up, and see where each number comes from.")

    on_show = show

    def on_check(self, fields: Mapping[str, str]) -> None:
        self.check({int(number): answer for number, answer in fields.items()})

    def snapshot(self) -> Picture:
        said, looks = repr(self), []
        words = [said] + [str(self.nodes[0].board)] * (self.nodes[0].board is not None)
        for node in self.nodes:
            known = self.verdicts.get(node.number, ("wrong", ""))[0] != "wrong"
            found = self.answers[node.number] if known else "?"
            looks.append(Look("cut" if found == CUT else "done", found if node.children else signed(node.worth)))
            words.append(f"{'  ' * node.ply}{node.name}: {looks[-1].label}")
        return self._tree.picture(self._tree.drawn(looks), said, "A game tree to fill in", "\n".join(words))

    def __repr__(self) -> str:
        if self.alphabeta:  # how many there are would say how many are cut off
            return "A tree to fill in: what does alpha-beta return, and what does it cut off?"
        return f"A tree to fill in: {len(self.asked - self.answers.keys())} of {len(self.asked)} nodes are empty."

    def _score(self) -> tuple[str, str]:
        """What is said after a check, and its tone."""
        wrong = sum(kind == "wrong" for kind, _ in self.verdicts.values())
        right, empty = len(self.verdicts) - wrong, len(self.asked - self.verdicts.keys())
        if not self.verdicts:
            return "Nothing is filled in yet. Begin just above the leaves.", "error"
        if not wrong and not empty:
            return f"All of it is right: the root is worth {self.solution[0]} to MAX.", "end"
        said = f"{right} right, {wrong} not yet" if wrong else f"{right} right so far"
        if not self.alphabeta:
            return f"{said}, {empty} empty." if empty else f"{said}.", ""
        return f"{said}." if wrong else f"{said}. Something is missing still.", ""

    def _is_right(self, number: int) -> bool:
        """Whether the answer is the right one, as exactly as the tree shows it: to two decimals."""
        answer = self.answers.get(number, "")
        return (read(answer) or answer) == self.solution[number]

    def _why(self, node: GameNode) -> str:
        """What is wrong with an answer, without what the right one is where the nodes below tell it."""
        name, answer = _begun(node), self.answers[node.number]
        window = "when its turn comes, alpha is {} and beta {} at the node above".format(*map(signed, node.window))
        values = [child.value for child in node.children if child.value is not None]
        if self._is_right(node.number):
            return ""
        if node.value is None:
            return f"{name} is cut off: {window}, so alpha is no longer below beta."
        if answer == CUT:
            return f"{name} is visited: {window}, so alpha is still below beta."
        if read(answer) is None:
            return f"{name} needs a number, such as −1, not “{answer}”."
        if not all(self._is_right(child.number) for child in node.children if child.number in self.asked):
            return f"{name} depends on the nodes below it. Put those right first."
        if len(node.children) < 2:
            whose = "has only one child, which is" if values else "is"
            return f"{name} {whose} worth {self.solution[node.number]}."
        extreme, other, opposite = "largest", "smallest", min(values)
        if not node.is_max:
            extreme, other, opposite = "smallest", "largest", max(values)
        whose = "its children" if len(values) == len(node.children) else "the children that are visited"
        hint = f" You took the {other}." if read(answer) == signed(opposite) else ""
        return f"{name}: {node.side} takes the {extreme} of {whose}: {', '.join(map(signed, values))}.{hint}"

    def _refresh(self) -> None:
        looks = [Look("done", "" if node.children else signed(node.worth)) for node in self.nodes]
        from_the_leaves = sorted(self.nodes, key=lambda node: -node.ply)
        fields = [self._field(node) for node in from_the_leaves if node.children or self.alphabeta]
        root = str(self.nodes[0].board or "").replace("-", "empty").replace("\n", "; ")
        position = f'<p class="spoken">At the root: {root}.</p>' if root else ""
        how = "<span>Write “cut” where alpha-beta never comes.</span>" if self.alphabeta else ""
        told = "".join(f"<li>{escape(why)}</li>" for _, why in self.verdicts.values() if why)
        self.html = (
            f'<form data-do="check" autocomplete="off" spellcheck="false">{position}'
            f'{drawn(self._tree, looks, "".join(fields))}<div class="verbs">'
            f"<button>Check</button>{button('Show the rest', 'show')}{how}</div></form>"
            f'<ul class="reasons">{told}</ul>'
        )

    def _field(self, node: GameNode) -> str:
        """Where a node's value is typed in, below its board; named after the node, its level, and what is below it."""
        x, y = self._tree.place(node)
        kind, why = self.verdicts.get(node.number, ("", ""))
        label = f"{_begun(node)}, worth {signed(node.worth)}: cut, or leave it empty"
        if node.children:
            side = f", {node.board.turn} to move" if node.board else ""
            below = []
            for child in node.children:
                found = self.answers.get(child.number, "to be filled in") if child.children else signed(child.worth)
                below.append(f"{child.name} {found}")
            label = f"{_begun(node)}, {node.side}{side}. Below: {'; '.join(below)}"
        given = attributes(
            type="text",
            name=node.number,
            value=self.answers.get(node.number, ""),
            class_=f"fill {kind}".strip(),
            style=f"left:{x + SIDE / 2:g}px;top:{y + SIDE + (4 if node.children else 22):g}px",
            title=why or None,
            aria_label=label,
            aria_invalid="true" if kind == "wrong" else None,
        )
        return f"<input{given}>"


def _begun(node: GameNode) -> str:
    """The node's name as a sentence begins with it."""
    return node.name[0].upper() + node.name[1:]
