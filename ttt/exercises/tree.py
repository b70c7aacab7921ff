"""The tree of a search that went wrong: what the right search visits, and what only one of the two asks about."""

from __future__ import annotations

from collections.abc import Sequence

from ttt.board import opponent
from ttt.drawing.svg import Picture, signed
from ttt.drawing.trees import GameNode, Look, Tree, game_tree
from ttt.exercises.asking import Answer
from ttt.exercises.exercise import Case, Node

MOST_SHOWN = 80  # nodes that are still readable when drawn
YOURS, NOT_YOURS = "only yours", "not yours"
TOLD = {
    YOURS: "Ringed, “only yours”: there only your function asks the heuristic.",
    NOT_YOURS: "Ringed, “not yours”: there it should ask, and does not.",
}


def tree_picture(case: Case, answer: Answer) -> Picture | None:
    """The tree that the right search visits, with alpha and beta; None where it is not known, or too large."""
    board, depth, _ = case.question
    nodes = game_tree(board, depth) if case.tree else []
    visited = {node.moves: node for node in case.tree}
    asked = _places(nodes, answer.asked)
    right = {n.number for n in nodes if n.ply == depth and n.path in visited and not n.board.over}
    drawn = {n.number for n in nodes if n.path in visited} | asked
    for node in reversed(nodes):  # what is above them
        if node.number in drawn and node.ply:
            drawn.add(node.parent)
    shown = [node.number in drawn or node.parent in drawn for node in nodes]  # with the first of each part cut off
    if not 0 < sum(shown) <= MOST_SHOWN:
        return None
    notes = dict.fromkeys(asked - right, YOURS) | dict.fromkeys(right - asked, NOT_YOURS)
    looks, lines = [], [str(board)]
    for node in nodes:
        look, words = _look(node, visited.get(node.path), notes.get(node.number, ""))
        looks.append(look)
        lines += [words] if shown[node.number] else []
    said = ["Below each board: what comes back, and alpha and beta on arrival. Dashed: cut off."]
    said += [told for note, told in TOLD.items() if note in notes.values()]
    tree = Tree(nodes, shown, notes=2)
    title = f"The game tree of {board.turn} to move, with what alpha-beta cuts off"
    return tree.picture(tree.drawn(looks, ringed=notes), "\n".join(said), title, "\n".join([*said, *lines]))


def _places(nodes: Sequence[GameNode], asked: Sequence[str]) -> set[int]:
    """The nodes that a function asked about. A board that is there several times is taken in the order of the tree."""
    found: set[int] = set()
    last = -1
    for text in asked:
        same = [node.number for node in nodes if "".join(node.board) == text[:-1] and node.number not in found]
        if same:
            last = next((number for number in same if number > last), same[0])
            found.add(last)
    return found


def _look(node: GameNode, visit: Node | None, note: str) -> tuple[Look, str]:
    """A node with what is noted below it, in lines that are narrower than the distance between boards; and in words."""
    state, label, found, window = "cut", " ", "cut off", ""
    if visit:
        state, label = "done", signed(visit.value)
        found = f"worth {label}"
        if node.children:
            alpha = "−∞" if visit.alpha is None else signed(visit.alpha)
            beta = "+∞" if visit.beta is None else signed(visit.beta)
            found, window = f"worth {label}, α {alpha} β {beta} on arrival", f"α {alpha}\nβ {beta}"
    name = f"{opponent(node.board.turn)} at cell {node.move}" if node.ply else "root"
    words = f"{'  ' * node.ply}{name}: {found}{f' ({note})' if note else ''}"
    return Look(state, label, note.replace(" ", "\n") or window), words
