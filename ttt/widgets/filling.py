"""A game tree to fill in: its leaves are given, and whoever fills in the rest is told what is wrong, and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from math import inf, isfinite
from typing import Any

from ttt import trees
from ttt.board import Board, Mark
from ttt.search import BadSearch
from ttt.svg import Picture, read_number, signed, spoken_rows
from ttt.trees import SIDE, Look, Tree, game_tree
from ttt.widgets.panel import Panel, attributes, button
from ttt.widgets.tree import drawn

MOST_NODES = 60  # that somebody will fill in
CUT = "cut"  # the answer for a node that alpha-beta never visits
RIGHT, WRONG, SHOWN = "right", "wrong", "shown"  # what is known of an answer


def fill_in(tree: Board | Sequence[Any], depth: int | None = None, alphabeta: bool = False) -> FillIn:
    """Show a game tree with empty nodes, for a student to fill in what each is worth.

    All values are seen from MAX, who moves at the root. A won game is worth 1, a lost one −1, anything else 0.

    Args:
        tree: a board, whose game tree is grown; or numbers in lists in lists: the numbers are the leaves.
        depth: how many plies of a board's tree to show; by default to the end of the game.
        alphabeta: whether to fill in what alpha-beta does: what each node returns, and "cut" for those it cuts off.

    Raises `BadSearch` for anything else, and for more than 60 nodes.

    >>> fill_in([[3, 5], [2, 9]])
    A tree to fill in: 3 of 3 nodes are empty.
    """
    return FillIn(_grown(tree, depth), alphabeta)


@dataclass
class Node(trees.Node):
    """A node of a tree to fill in.

    Args:
        worth: of a leaf, seen from MAX.
        value: what the search returns from here, seen from MAX; None where the search never comes.
        window: alpha and beta of the node above when this node's turn comes; None where the search never comes there.
    """

    worth: float = 0
    value: float | None = None
    window: tuple[float, float] | None = None

    @property
    def cut(self) -> bool:
        """Whether the search comes to the node above and leaves this one out."""
        return self.window is not None and self.value is None


class FillIn(Panel):
    """A game tree that a person fills in; `fill_in` makes one.

    Args:
        nodes: the tree, each node under its number.
        alphabeta: whether alpha-beta searches it, and not minimax.

    Attributes:
        answers: what was filled in, by the node's number.
        verdicts: "right", "wrong" or "shown" for each answer, and what is wrong with it.
    """

    def __init__(self, nodes: list[Node], alphabeta: bool = False) -> None:
        super().__init__()
        self.nodes, self.alphabeta = nodes, alphabeta
        self.answers: dict[int, str] = {}
        self.verdicts: dict[int, tuple[str, str]] = {}
        nodes[0].window = -inf, inf
        _search(nodes, nodes[0], -inf, inf, alphabeta)
        self._tree = Tree(nodes, notes=2 if alphabeta else 1)
        self._refresh()

    @property
    def asked(self) -> list[Node]:
        """The nodes that have to be filled in, or marked as cut off."""
        return [node for node in self.nodes if node.cut or (node.children and node.value is not None)]

    def check(self, answers: Mapping[int, str]) -> None:
        """Say which answers are right, and of the others what is wrong with them.

        Args:
            answers: by the number of the node; "cut" for a node that is cut off.
        """
        given = {number: answer.strip().lower() for number, answer in answers.items() if answer.strip()}
        right = {node.number for node in self.nodes if self._is_right(node, given.get(node.number, ""))}
        self.answers, self.verdicts = given, {}
        for node in self.nodes:
            if node.number in given and node.window is not None:  # below one that is cut off nothing counts
                why = "" if node.number in right else self._why(node, given[node.number], right)
                self.verdicts[node.number] = WRONG if why else RIGHT, why
        self._refresh()
        self.say(*self._score())

    def show(self) -> None:
        """Fill in whatever isn't right yet, once something has been tried."""
        if not self.verdicts:
            self.say("Try it first: fill in at least one node and check it.", "error")
            return
        right = {number for number, (kind, _) in self.verdicts.items() if kind == RIGHT}
        self.answers = {node.number: _solution(node) for node in self.asked}
        self.verdicts = {number: (RIGHT if number in right else SHOWN, "") for number in self.answers}
        self._refresh()
        self.say("The rest is filled in. Go through it from the leaves up, and see where each number comes from.")

    def on_check(self, fields: Mapping[str, str]) -> None:
        numbers = {str(node.number): node.number for node in self.nodes}
        self.check({numbers[name]: str(text) for name, text in fields.items() if name in numbers})

    def on_show(self, _value: object) -> None:
        self.show()

    def snapshot(self) -> Picture:
        looks = [self._look(node) for node in self.nodes]
        said, root = repr(self), [] if self.nodes[0].board is None else [str(self.nodes[0].board)]
        lines = [f"{'  ' * node.ply}{node.name}: {looks[node.number].label}" for node in self.nodes]
        words = "\n".join([said, *root, *lines])
        return self._tree.picture(self._tree.drawn(looks), said, "A game tree to fill in", words)

    def _look(self, node: Node) -> Look:
        """A node in the drawing, with what has been found."""
        known = node.number in self.verdicts and self.verdicts[node.number][0] != WRONG
        found = self.answers[node.number] if known else "?"
        return Look("cut" if known and node.cut else "done", found if node.children else signed(node.worth))

    def __repr__(self) -> str:
        empty = sum(node.number not in self.answers for node in self.asked)
        if self.alphabeta:  # how many there are would say how many are cut off
            return "A tree to fill in: what does alpha-beta return, and what does it cut off?"
        return f"A tree to fill in: {empty} of {len(self.asked)} nodes are empty."

    # ----------------------------------------------------------------------------------------------------- the answers

    def _is_right(self, node: Node, answer: str) -> bool:
        if node.window is None:
            return True
        if node.cut or not node.children:
            return (answer == CUT) == node.cut
        return _is(answer, node.value)

    def _score(self) -> tuple[str, str]:
        """What is said after a check, and its tone."""
        right = sum(self.verdicts.get(node.number, ("", ""))[0] == RIGHT for node in self.asked)
        wrong = sum(kind == WRONG for kind, _ in self.verdicts.values())
        empty = sum(node.number not in self.verdicts for node in self.asked)
        if right == len(self.asked) and not wrong:
            return f"All of it is right: the root is worth {signed(self.nodes[0].value or 0)} to MAX.", "end"
        if not self.verdicts:
            return "Nothing is filled in yet. Begin just above the leaves.", "error"
        said = f"{right} right, {wrong} not yet" if wrong else f"{right} right so far"
        if not self.alphabeta:
            return f"{said}, {empty} empty." if empty else f"{said}.", ""
        left_out = " Something is missing still." if empty and not wrong else ""
        return f"{said}.{left_out}", ""

    def _why(self, node: Node, answer: str, right: set[int]) -> str:
        """What is wrong with an answer, without what the right one is where the nodes below tell it."""
        alpha, beta = map(signed, node.window or (-inf, inf))
        window = f"when its turn comes, alpha is {alpha} and beta {beta} at the node above"
        if node.cut:
            return f"{_begun(node)} is cut off: {window}, so alpha is no longer below beta."
        if answer == CUT:
            return f"{_begun(node)} is visited: {window}, so alpha is still below beta."
        if read_number(answer) is None:
            return f"{_begun(node)} needs a number, such as −1, not “{answer}”."
        children = [self.nodes[number] for number in node.children]
        if not right.issuperset(node.children):
            return f"{_begun(node)} depends on the nodes below it. Put those right first."
        values = [child.value for child in children if child.value is not None]
        if len(children) == 1:
            return f"{_begun(node)} has only one child, which is worth {signed(values[0])}."
        side, extreme, other = ("MAX", "largest", "smallest") if node.is_max else ("MIN", "smallest", "largest")
        whose = "its children" if len(values) == len(children) else "the children that are visited"
        opposite = min(values) if node.is_max else max(values)
        hint = f" You took the {other}." if _is(answer, opposite) else ""
        return f"{_begun(node)}: {side} takes the {extreme} of {whose}: {', '.join(map(signed, values))}.{hint}"

    # -------------------------------------------------------------------------------------------------------- the page

    def _refresh(self) -> None:
        looks = [Look("done", "" if node.children else signed(node.worth)) for node in self.nodes]
        fields = [self._field(node) for node in _from_the_leaves(self.nodes) if node.children or self.alphabeta]
        root = self.nodes[0].board
        position = "" if root is None else f'<p class="spoken">At the root: {spoken_rows(root)}.</p>'
        how = "<span>Write “cut” where alpha-beta never comes.</span>" if self.alphabeta else ""
        told = "".join(f"<li>{escape(why)}</li>" for _, why in self.verdicts.values() if why)
        self.html = (
            f'<form data-do="check">{position}{drawn(self._tree, looks, "".join(fields))}'
            f'<div class="verbs"><button>Check</button>{button("Show the rest", "show")}{how}</div></form>'
            f'<ul class="reasons">{told}</ul>'
        )

    def _field(self, node: Node) -> str:
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

    def _label(self, node: Node) -> str:
        """A field's name: the node, its level, and what is below it."""
        if not node.children:
            return f"{_begun(node)}, worth {signed(node.worth)}: cut, or leave it empty"
        side = f", {node.board.turn} to move" if node.board else ""
        below = [self.nodes[child] for child in node.children]
        said = [f"{child.name} {self._said(child)}" for child in below]
        return f"{_begun(node)}, {'MAX' if node.is_max else 'MIN'}{side}. Below: {'; '.join(said)}"

    def _said(self, child: Node) -> str:
        if not child.children:
            return signed(child.worth)
        return self.answers.get(child.number, "to be filled in")


# ----------------------------------------------------------------------------------------------------------- the search


def _search(nodes: Sequence[Node], node: Node, alpha: float, beta: float, alphabeta: bool) -> float:
    """What a node is worth to MAX, as far as it lies between alpha and beta; notes it, and the windows, in the tree."""
    best = -inf if node.is_max else inf
    for child in (nodes[number] for number in node.children):
        child.window = alpha, beta
        if alphabeta and alpha >= beta:
            continue
        value = _search(nodes, child, alpha, beta, alphabeta)
        if node.is_max:
            best = max(best, value)
            alpha = max(alpha, best)
        else:
            best = min(best, value)
            beta = min(beta, best)
    node.value = best if node.children else node.worth
    return node.value


def _grown(tree: Any, depth: int | None) -> list[Node]:
    """The nodes of a board's game tree, or of numbers in lists."""
    if not isinstance(tree, (list, tuple)):
        if not isinstance(tree, Board):
            raise BadSearch(f"fill_in() needs a Board or numbers in lists, such as [[3, 5], [2, 9]], not {tree!r:.50}.")
        grown = game_tree(tree, trees.plies(tree, depth), most=MOST_NODES)
        _require_few(grown)
        return [Node(**vars(node), worth=_worth(node.board, tree.turn)) for node in grown]
    if depth is not None:
        raise BadSearch("A tree of numbers is as deep as its lists, so leave depth out.")
    nodes: list[Node] = []

    def grow(numbers: Any, parent: int, path: tuple[int, ...]) -> int:
        node = Node(len(nodes), parent, path, board=None)
        nodes.append(node)
        _require_few(nodes)
        if not isinstance(numbers, (list, tuple)):
            node.worth = _require_number(numbers)
        elif not numbers:
            raise BadSearch("Every list in a tree of numbers needs at least one number.")
        else:
            node.children = [grow(below, node.number, (*path, place)) for place, below in enumerate(numbers, 1)]
        node.size = len(nodes) - node.number
        return node.number

    grow(tree, -1, ())
    return nodes


def _require_few(nodes: Sequence[trees.Node]) -> None:
    if len(nodes) > MOST_NODES:
        raise BadSearch(
            f"This tree has more than {MOST_NODES} nodes, too many to fill in. Give a smaller depth, "
            "or start later in the game."
        )


def _worth(board: Board, player: Mark) -> float:
    """What a leaf is worth to a player; an unfinished game counts 0."""
    if board.winner is None:
        return 0
    return 1 if board.winner == player else -1


def _require_number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not isfinite(value):
        raise BadSearch(f"A tree of numbers holds numbers and lists, such as [[3, 5], [2, 9]], but not {value!r}.")
    return value


def _is(answer: str, value: float | None) -> bool:
    """Whether an answer is this value, as exactly as the tree shows it: to two decimals."""
    number = read_number(answer)
    return number is not None and value is not None and signed(number) == signed(value)


def _solution(node: Node) -> str:
    return CUT if node.value is None else signed(node.value)


def _begun(node: Node) -> str:
    """The node's name as a sentence begins with it."""
    return node.name[0].upper() + node.name[1:]


def _from_the_leaves(nodes: Sequence[Node], number: int = 0) -> list[Node]:
    """The nodes in the order in which a search knows their values: children first."""
    below = [each for child in nodes[number].children for each in _from_the_leaves(nodes, child)]
    return [*below, nodes[number]]
