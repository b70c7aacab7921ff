"""A game tree to fill in: its leaves are given, and whoever fills in the rest is told what is wrong, and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf, isfinite
from typing import Any

import traitlets

from ttt import trees
from ttt.board import Board, Mark, opponent
from ttt.record import plies_of
from ttt.search import BadSearch
from ttt.svg import Picture, read_number, signed, spoken_rows, text
from ttt.trees import SIDE, Look, Tree, game_tree
from ttt.widgets.snapshot import Announcer, script, style

MOST_NODES = 60  # that somebody will fill in
CUT = "cut"  # the answer for a node that alpha-beta never visits
RIGHT, WRONG, SHOWN = "right", "wrong", "shown"  # what is known of an answer


def fill_in(tree: Board | Sequence[Any], depth: int | None = None, alphabeta: bool = False) -> FillIn:
    """Show a game tree with empty nodes, for a student to fill in what each is worth.

    All values are seen from MAX, who moves at the root. A won game is worth 1, a lost one −1, anything else 0.

    Args:
        tree: a board, whose game tree is grown; or numbers in lists in lists: the numbers are the leaves.
        depth: how many plies of a board's tree to show; by default to the end of the game.
        alphabeta: whether to fill in what alpha-beta does: what each node returns, and which nodes it cuts off.

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
    def is_max(self) -> bool:
        return self.ply % 2 == 0

    @property
    def cut(self) -> bool:
        """Whether the search comes to the node above and leaves this one out."""
        return self.window is not None and self.value is None

    @property
    def name(self) -> str:
        """The node in a few words: the move that leads to it, or its place among numbers."""
        if not self.ply:
            return "the root"
        if self.board is None:
            return f"node {'.'.join(map(str, self.path))}"
        before = f" (after {', '.join(map(str, self.path[:-1]))})" if self.ply > 1 else ""
        return f"{opponent(self.board.turn)} at cell {self.move}{before}"


class FillIn(Announcer):
    """A game tree that a person fills in; `fill_in` makes one.

    Args:
        nodes: the tree, each node under its number.
        alphabeta: whether alpha-beta searches it, and not minimax.

    `answers` holds what was filled in, by the node's number, and `verdicts` what is known of each answer.
    """

    _esm = script("filling.js")
    _css = style("../trees.css", "controls.css", "explorer.css", "filling.css")

    data = traitlets.Dict().tag(sync=True)
    answers = traitlets.Dict().tag(sync=True)
    verdicts = traitlets.Dict().tag(sync=True)

    def __init__(self, nodes: list[Node], alphabeta: bool = False) -> None:
        super().__init__()
        self.nodes, self.alphabeta = nodes, alphabeta
        nodes[0].window = -inf, inf
        _search(nodes, nodes[0], -inf, inf, alphabeta)
        self._tree = EmptyTree(nodes, [True] * len(nodes), notes=2 if alphabeta else 1)
        self.data = self._as_data()
        self.on_request("check", self.check, "The tree")
        self.on_request("show", lambda _: self.show(), "The tree")

    @property
    def asked(self) -> list[Node]:
        """The nodes that have to be filled in, or marked as cut off."""
        return [node for node in self.nodes if node.cut or (node.children and node.value is not None)]

    def check(self, answers: Mapping[str, str]) -> None:
        """Say which answers are right, and of the others what is wrong with them.

        Args:
            answers: by the number of the node; "cut" for a node that is cut off.
        """
        given = {number: answer.strip() for number, answer in answers.items() if answer.strip()}
        right = {node.number for node in self.nodes if self._is_right(node, given.get(str(node.number), ""))}
        verdicts = {}
        for node in self.nodes:
            answer = given.get(str(node.number))
            if answer is None or node.window is None:  # a node below one that is cut off counts for nothing
                continue
            why = "" if node.number in right else self._why(node, answer, right)
            verdicts[str(node.number)] = {"kind": WRONG if why else RIGHT, "why": why}
        with self.hold_sync():
            self.answers, self.verdicts = given, verdicts
            self.say(*self._score())

    def show(self) -> None:
        """Fill in whatever isn't right yet, once something has been tried."""
        if not self.verdicts:
            self.say("Try it first: fill in at least one node and check it.", "error")
            return
        kinds = {number: verdict["kind"] for number, verdict in self.verdicts.items()}
        solution = {str(node.number): _solution(node) for node in self.asked}
        with self.hold_sync():
            self.answers = solution
            self.verdicts = {
                number: {"kind": RIGHT if kinds.get(number) == RIGHT else SHOWN, "why": ""} for number in solution
            }
            self.say("The rest is filled in. Go through it from the leaves up, and see where each number comes from.")

    def snapshot(self) -> Picture:
        looks = []
        for node in self.nodes:
            known = self.verdicts.get(str(node.number), {}).get("kind", WRONG) != WRONG
            label = "?" if node.children else signed(node.worth)
            if known and node.children:
                label = self.answers[str(node.number)]
            looks.append(Look("cut" if known and node.cut else "done", label))
        title = "A game tree to fill in"
        drawing, said = self._tree.drawn(looks), repr(self)
        return self._tree.picture(drawing, said, title, "\n".join([said, *self._in_words(looks)]))

    def __repr__(self) -> str:
        empty = sum(str(node.number) not in self.answers for node in self.asked)
        if self.alphabeta:  # how many there are would say how many are cut off
            return "A tree to fill in: what does alpha-beta return, and what does it cut off?"
        return f"A tree to fill in: {empty} of {len(self.asked)} nodes are empty."

    def _in_words(self, looks: Sequence[Look]) -> list[str]:
        root = [] if self.nodes[0].board is None else [str(self.nodes[0].board)]
        lines = [f"{'  ' * node.ply}{node.name}: {looks[node.number].label}" for node in self.nodes]
        return root + lines

    # ----------------------------------------------------------------------------------------------------- the answers

    def _is_right(self, node: Node, answer: str) -> bool:
        if node.window is None:
            return True
        if node.cut or not node.children:
            return (answer == CUT) == node.cut
        return _is(answer, node.value)

    def _score(self) -> tuple[str, str]:
        """What is said after a check, and its tone."""
        kinds = {number: verdict["kind"] for number, verdict in self.verdicts.items()}
        right = sum(kinds.get(str(node.number)) == RIGHT for node in self.asked)
        wrong, total = list(kinds.values()).count(WRONG), len(self.asked)
        empty = [node for node in self.asked if str(node.number) not in kinds]
        if right == total and not wrong:
            return f"All of it is right: the root is worth {signed(self.nodes[0].value or 0)} to MAX.", "end"
        if not kinds:
            return "Nothing is filled in yet. Begin just above the leaves.", "error"
        said = f"{right} right, {wrong} not yet" if wrong else f"{right} right so far"
        if not self.alphabeta:
            return f"{said}, {len(empty)} empty." if empty else f"{said}.", ""
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

    def _as_data(self) -> dict[str, Any]:
        """Everything that the page needs: the drawing, and where there is something to fill in."""
        looks = [Look("done", "" if node.children else signed(node.worth)) for node in self.nodes]
        root = self.nodes[0].board
        return {
            "drawing": self._tree.drawn(looks),
            "width": self._tree.width,
            "height": self._tree.height,
            "levels": self._tree.levels(),
            "position": "" if root is None else f"At the root: {spoken_rows(root)}.",
            "fields": [self._field(node) for node in _from_the_leaves(self.nodes) if node.children or self.alphabeta],
        }

    def _field(self, node: Node) -> dict[str, Any]:
        x, y = self._tree.place(node)
        side = f", {node.board.turn} to move" if node.board else ""
        level = f", {'MAX' if node.is_max else 'MIN'}{side}" if node.children else f", worth {signed(node.worth)}"
        return {
            "number": node.number,
            "size": node.size,
            "x": x + SIDE / 2,
            "y": y + SIDE + 4,
            "inner": bool(node.children),
            "can_be_cut": self.alphabeta and node.ply > 0,
            "name": _begun(node),
            "label": f"{_begun(node)}{level}",
            "below": [self._below(self.nodes[child]) for child in node.children],
        }

    def _below(self, child: Node) -> dict[str, Any]:
        """What a label says of a child; the page replaces `said` by what is filled in there."""
        said = "to be filled in" if child.children else signed(child.worth)
        return {"number": child.number, "name": child.name, "said": said}


class EmptyTree(Tree):
    """A tree to fill in as it is drawn. In a tree of numbers, triangles stand for MAX and MIN, and dots for leaves."""

    def face(self, node: trees.Node) -> str:
        if node.board is not None:
            return super().face(node)
        symbol = ("▼" if node.ply % 2 else "▲") if node.children else "●"
        return text(SIDE / 2, SIDE / 2 + 8, symbol, 22)


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
        grown = game_tree(tree, _plies(tree, depth), most=MOST_NODES)
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


def _plies(board: Any, depth: int | None) -> int:
    """How many plies of a board's tree there are to show."""
    if not isinstance(board, Board):
        raise BadSearch(f"fill_in() needs a Board or numbers in lists, such as [[3, 5], [2, 9]], not {board!r}.")
    if len(board.shape) > 2:
        raise BadSearch("A tree to fill in is drawn of flat boards only, such as 3×3.")
    plies = plies_of(board, depth)
    if not plies:
        raise BadSearch("Nothing can be filled in here: choose a position where the game goes on, and a depth above 0.")
    return plies


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
