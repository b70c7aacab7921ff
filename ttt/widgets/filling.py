"""A game tree to fill in: its leaves are given, and whoever fills in the rest is told what is wrong, and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from ttt.board import Board
from ttt.drawing.layout import SIDE, Tree
from ttt.drawing.narration import named
from ttt.drawing.svg import Picture, read, signed
from ttt.drawing.trees import GameNode, Look, SearchTree, number_tree, search
from ttt.search import BadSearch
from ttt.widgets.panel import ENLARGE, Panel, attributes, button
from ttt.widgets.tree import drawn

MOST_NODES = 60  # of a board's tree that somebody will fill in
CUT = "cut"  # the answer for a node that alpha-beta never visits


def fill_in(tree: Board | Sequence[Any], depth: int | None = None, alphabeta: bool = False) -> FillIn:
    """Show a game tree with empty nodes, for a student to fill in what each is worth.

    On boards X is MAX: what X wins is worth 1, what O wins −1, anything else 0. In a tree of numbers MAX moves first.

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
    """A game tree that a person fills in; `fill_in` makes one. All dicts are by the number of the node."""

    def __init__(self, nodes: list[GameNode], alphabeta: bool) -> None:
        super().__init__()
        list(search(nodes[0], cuts=alphabeta))
        reached = [node for node in nodes if node.parent < 0 or nodes[node.parent].value is not None]
        self.nodes, self.alphabeta = nodes, alphabeta
        # The right answer for each node, but for those below a cut.
        self.solution = {node.number: CUT if node.value is None else signed(node.value) for node in reached}
        self.asked = {node.number for node in reached if node.value is None or node.children}
        self.answers: dict[int, str] = {}  # as they were filled in
        self.verdicts: dict[int, tuple[str, str]] = {}  # "right", "wrong" or "shown", and what is wrong with the answer
        fields = (node for node in nodes if node.children or alphabeta)
        self._fields = sorted(fields, key=lambda node: -node.ply)  # from the leaves up
        self._tree = Tree(nodes, notes=2 if alphabeta else 1)
        self._refresh()

    def check(self, answers: Mapping[Any, str]) -> None:
        """Say which answers are right, and of the others what is wrong with them."""
        self.answers = {int(number): answer.strip().lower() for number, answer in answers.items() if answer.strip()}
        self.verdicts = {}
        for node in self._fields:
            if node.number in self.answers and node.number in self.solution:
                why = self._why(node, self.answers[node.number])
                self.verdicts[node.number] = ("wrong" if why else "right", why[:1].upper() + why[1:])
        self._refresh()
        kinds = [kind for kind, _ in self.verdicts.values()]
        wrong, empty = kinds.count("wrong"), len(self.asked - self.verdicts.keys())
        said = [f"{kinds.count('right')} right"]
        if wrong:
            said.append(f"{wrong} not yet")
        if empty and not self.alphabeta:
            said.append(f"{empty} empty")
        elif empty and not wrong:  # how many are missing would say how many are cut off
            said.append("but something is missing still")
        if not kinds:
            self.say("Nothing is filled in yet. Begin just above the leaves.", "error")
        elif wrong or empty:
            self.say(f"{', '.join(said)}.")
        else:
            whom = "MAX" if self.nodes[0].board is None else "X"
            self.say(f"All of it is right: the root is worth {self.solution[0]} to {whom}.", "end")

    on_check = check

    def on_show(self, _value: object = None) -> None:
        """Fill in whatever isn't right yet, once something has been tried."""
        if not self.verdicts:
            self.say("Try it first: fill in at least one node and check it.", "error")
            return
        if self.answers == {number: self.solution[number] for number in self.asked}:
            return  # there is no rest
        right = {number: known for number, known in self.verdicts.items() if known[0] == "right"}
        self.verdicts = dict.fromkeys(self.asked, ("shown", "")) | right
        self.answers = {number: self.solution[number] for number in self.verdicts}
        self._refresh()
        self.say("The rest is filled in. Go through it from the leaves up, and see where each number comes from.")

    def snapshot(self) -> Picture:
        looks, words = [], f"{self!r}\n{self.nodes[0].board or ''}"
        for node in self.nodes:
            known = self.verdicts.get(node.number, ("wrong", ""))[0] != "wrong"
            answer = self.answers[node.number] if known else "?"
            looks.append(Look("cut" if answer == CUT else "done", answer if node.children else signed(node.worth)))
            words += f"\n{'  ' * node.ply}{named(node)}: {looks[-1].label}"
        return self._tree.picture(self._tree.drawn(looks), repr(self), "A game tree to fill in", words)

    def __repr__(self) -> str:
        if self.alphabeta:
            return "A tree to fill in: what does alpha-beta return, and what does it cut off?"
        return f"A tree to fill in: {len(self.asked - self.answers.keys())} of {len(self.asked)} nodes are empty."

    def _why(self, node: GameNode, answer: str) -> str:
        """What is wrong with an answer, without what the right one is where the nodes below tell it."""
        number, solution = read(answer), self.solution[node.number]  # numbers to two decimals, as the tree shows them
        if (number or answer) == solution:
            return ""
        if CUT in (answer, solution):
            state, still = ("cut off", "no longer") if solution == CUT else ("visited", "still")
            window = "alpha is {} and beta {} at the node above".format(*map(signed, node.window))
            return f"{named(node)} is {state}: when its turn comes, {window}, so alpha is {still} below beta."
        if number is None:
            return f"{named(node)} needs a number, such as −1, not “{answer}”."
        below = [child.number for child in node.children]
        if any(self.verdicts.get(child, ("", ""))[0] != "right" for child in below if child in self.asked):
            return f"{named(node)} depends on the nodes below it. Put those right first."
        if len(below) < 2:
            return f"{named(node)} {'has only one child, which is' if below else 'is'} worth {solution}."
        values = [child.value for child in node.children if child.value is not None]
        extreme, other, opposite = ("largest", "smallest", min) if node.is_max else ("smallest", "largest", max)
        whose = "its children" if len(values) == len(below) else "the children that are visited"
        hint = f" You took the {other}." if number == signed(opposite(values)) else ""
        return f"{named(node)}: {node.side} takes the {extreme} of {whose}: {', '.join(map(signed, values))}.{hint}"

    def _refresh(self) -> None:
        looks = [Look("done", "" if node.children else signed(node.worth)) for node in self.nodes]
        fields = "".join(map(self._field, self._fields))
        root = str(self.nodes[0].board or "").replace("-", "empty").replace("\n", "; ")
        how = "<span>Write “cut” where alpha-beta never comes.</span>" if self.alphabeta else ""
        told = "".join(f"<li>{escape(why)}</li>" for _, why in self.verdicts.values() if why)
        self.html = (
            f'<form data-do="check" autocomplete="off" spellcheck="false">'
            f'{drawn(self._tree, looks, fields, root and f" At the root: {root}.")}<div class="verbs">'
            f"<button>Check</button>{button('Show the rest', 'show')}{ENLARGE}{how}</div></form>"
            f'<ul class="reasons">{told}</ul>'
        )

    def _field(self, node: GameNode) -> str:
        """Where a node's value is typed in, below its board; named after the node, its level, and what is below it."""
        x, y = self._tree.place(node)
        kind, why = self.verdicts.get(node.number, ("", ""))
        label = f"{named(node)}, worth {signed(node.worth)}: cut, or leave it empty"
        if node.children:
            below = []
            for child in node.children:
                value = self.answers.get(child.number, "to be filled in") if child.children else signed(child.worth)
                below.append(f"{named(child)} {value}")
            label = f"{named(node)}, {node.side}. Below: {'; '.join(below)}"
        given = attributes(
            type="text",
            name=node.number,
            value=self.answers.get(node.number, ""),
            class_=f"fill {kind}",
            style=f"--x:{x + SIDE / 2:g};--y:{y + SIDE + (4 if node.children else 22):g}",
            title=why or None,
            aria_label=label,
            aria_invalid="true" if kind == "wrong" else None,
        )
        return f"<input{given}>"
