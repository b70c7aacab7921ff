"""A game tree to fill in: the leaves are given; for the rest, the widget says what is wrong and why."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from lab.boards.panel import ZOOM, Panel, attributes, button
from lab.boards.tree import framed
from lab.drawing.cards import prose
from lab.drawing.layout import CHIP, SIDE, Tree
from lab.drawing.narration import node_name
from lab.drawing.trees import GameNode, Look, SearchTree, search
from lab.drawing.words import normalise_number
from ttt.board import Board
from ttt.notation import signed
from ttt.position import Position
from ttt.svg import Picture

MAX_FILL_IN_NODES = 60  # in a tree to fill in


def fill_in(board: Position) -> FillIn:
    """Show a position's game tree with empty nodes; the reader fills in what each is worth to X.

    A win for X is worth 1, a win for O −1, a draw 0. Raises `BadSearch`, also for a tree of more than 60 nodes.

    >>> from ttt import Board
    >>> fill_in(Board.from_text("--X X-O OXO"))
    A tree to fill in: 10 of 10 nodes are empty.
    """
    return FillIn(SearchTree(board, max_nodes=MAX_FILL_IN_NODES).nodes)


class FillIn(Panel):
    """A game tree for a person to fill in; `fill_in` makes one. All dicts are keyed by node number."""

    def __init__(self, nodes: list[GameNode]) -> None:
        super().__init__()
        list(search(nodes[0], cuts=False))
        self.nodes = nodes
        inner = sorted((node for node in nodes if node.children), key=lambda node: -node.ply)  # leaves first
        self.solution = {node.number: signed(node.value or 0) for node in inner}
        self.answers: dict[int, str] = {}  # as typed
        self.verdicts: dict[int, tuple[str, str]] = {}  # ("right", "wrong" or "shown", why the answer is wrong)
        self._tree = Tree(nodes)
        self._refresh()
        self.say("Fill in what each board is worth to X: +1, 0 or −1. Begin at the bottom, then press Check.")

    def check(self, answers: Mapping[Any, str]) -> None:
        """Say which answers are right, and what is wrong with the others."""
        self.answers = {int(number): answer.strip() for number, answer in answers.items() if answer.strip()}
        self.verdicts = {}
        for number in self.solution:
            if number in self.answers:
                why = self._why(self.nodes[number], self.answers[number])
                self.answers[number] = normalise_number(self.answers[number]) or self.answers[number]
                self.verdicts[number] = ("wrong" if why else "right", why)
        self._refresh()
        kinds = [kind for kind, _ in self.verdicts.values()]
        right, wrong, empty = kinds.count("right"), kinds.count("wrong"), len(self.solution) - len(kinds)
        if right == len(self.solution):
            self.say(f"All correct! The root is worth {self.solution[0]} to X.", "end")
        elif kinds:
            counts = {"✓ {} right": right, "✗ {} wrong": wrong, "○ {} empty": empty}
            self.say(f"{', '.join(words.format(number) for words, number in counts.items() if number)}.")
        else:
            self.say("Nothing is filled in yet. Start just above the leaves.", "error")

    when_check = check

    def when_show(self) -> None:
        """Fill in whatever isn't right yet, after at least one attempt."""
        if not self.verdicts:
            self.say("Try first: fill in at least one node and press Check.", "error")
        elif self.tone != "end":
            right = {number: verdict for number, verdict in self.verdicts.items() if verdict[0] == "right"}
            self.answers, self.verdicts = {**self.solution}, dict.fromkeys(self.solution, ("shown", "")) | right
            self._refresh()
            self.say("The rest is filled in. Go through it from the leaves up and see where each number comes from.")

    def snapshot(self) -> Picture:
        looks = [Look("done", "?" if node.children else signed(node.worth)) for node in self.nodes]
        lines = [f"{'  ' * node.ply}{node_name(node)}: {looks[node.number].label}" for node in self.nodes]
        words = "\n".join([f"{self!r}", f"{self.nodes[0].board}", *lines])
        return self._tree.picture(self._tree.drawn(looks), repr(self), "A game tree to fill in", words)

    def __repr__(self) -> str:
        empty = len(self.solution) - len(self.answers)
        return f"A tree to fill in: {empty} of {len(self.solution)} nodes {'is' if empty == 1 else 'are'} empty."

    def _why(self, node: GameNode, answer: str) -> str:
        """What is wrong with an answer, and where to find the right one; "" if nothing is wrong."""
        number = normalise_number(answer)
        if number == self.solution[node.number]:
            return ""
        if number is None:
            return f"Write a number, such as −1, not “{answer}”."
        below = [child.number for child in node.children if child.children]
        if any(self.verdicts.get(child, ("", ""))[0] != "right" for child in below):
            return "The value comes from the nodes below. Correct those first."
        values = [child.value or 0 for child in node.children]
        if len(values) < 2:
            return "A node with only one child is worth as much as that child."
        extreme, other, opposite = ("largest", "smallest", min) if node.is_max else ("smallest", "largest", max)
        hint = f" You chose the {other}." if number == signed(opposite(values)) else ""
        return f"{node.side} takes the {extreme} of {', '.join(map(signed, values))}.{hint}"

    def _refresh(self) -> None:
        looks = [Look("done", "" if node.children else signed(node.worth)) for node in self.nodes]
        fields = "".join(self._field(self.nodes[number]) for number in self.solution)
        root = str(self.nodes[0].board).replace("\n", "; ")
        if isinstance(self.nodes[0].board, Board):
            root = root.replace("-", "empty")
        tree = framed(self._tree, looks, fields, f" At the root: {root}.")
        reasons = defaultdict[str, str](str)  # the signs of the nodes with the same reason
        for sign, number in enumerate(self._wrong(), 1):
            reasons[self.verdicts[number][1]] += f"<b>{sign}</b> "
        told = "".join(f"<li>{signs}{prose(why)}</li>" for why, signs in reasons.items())
        self.html = (
            f'<form data-do="check" autocomplete="off" spellcheck="false">'
            f'<div class="watch">{tree}<ul class="reasons">{told}</ul></div>'
            f'<div class="verbs"><button>Check</button>{button("Show the rest", "show")}{ZOOM}</div></form>'
        )

    def _wrong(self) -> list[int]:
        """The nodes with a wrong answer, in the order of the reasons."""
        return [number for number, (kind, _) in self.verdicts.items() if kind == "wrong"]

    def _field(self, node: GameNode) -> str:
        """The input for a node's value, below its board; labelled with the node, its level and the nodes below."""
        x, y = self._tree.place(node)
        kind, why = self.verdicts.get(node.number, ("", ""))
        values = self.answers | {child.number: signed(child.worth) for child in node.children if not child.children}
        below = [f"{node_name(child)} {values.get(child.number, 'to be filled in')}" for child in node.children]
        place = f"--x:{x + SIDE / 2:g};--y:{y + SIDE + CHIP}{'' if node.path else f';{self._tree.ride}'}"
        given = attributes(
            type="text",
            name=node.number,
            value=self.answers.get(node.number, ""),
            class_=f"fill {kind}",
            style=place,
            title=why or None,
            aria_label=f"{node_name(node)}, {node.side}. Below: {'; '.join(below)}",
            aria_invalid="true" if kind == "wrong" else None,
        )
        sign = self._wrong().index(node.number) + 1 if kind == "wrong" else "✓" if kind == "right" else ""
        return f'<input{given}><b class="sign {kind}" style="{place}" aria-hidden="true">{sign}</b>'
