"""The tree of a search that went wrong: what the right search visits, and what only one of the two asks about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ttt.board import opponent
from ttt.exercises.asking import Answer
from ttt.exercises.exercise import Case, Node
from ttt.svg import Picture, signed
from ttt.trees import GameNode, Look, Tree, game_tree

MOST_SHOWN = 80  # nodes that are still readable when drawn
YOURS, NOT_YOURS = "only yours", "not yours"
TOLD = {
    YOURS: "Ringed, “only yours”: there only your function asks the heuristic.",
    NOT_YOURS: "Ringed, “not yours”: there it should ask, and does not.",
}


def tree_picture(case: Case, answer: Answer) -> Picture | None:
    """The tree that the right search visits, with alpha and beta; None where it is not known, or too large."""
    if not case.tree:
        return None
    nodes = game_tree(case.question[0], case.question[1])
    visited = {node.moves: node for node in case.tree}
    asked = _places(nodes, answer.asked)
    right = {n.number for n in nodes if n.ply == case.question[1] and n.path in visited and not n.board.over}
    shown = _shown(nodes, {node.number for node in nodes if node.path in visited} | asked)
    if sum(shown) > MOST_SHOWN:
        return None
    notes = dict.fromkeys(asked - right, YOURS) | dict.fromkeys(right - asked, NOT_YOURS)
    looks = [_look(node, visited.get(node.path), notes.get(node.number, "")) for node in nodes]
    said = ["Below each board: what comes back, and alpha and beta on arrival. Dashed: cut off."]
    said += [told for note, told in TOLD.items() if note in notes.values()]
    tree = Tree(nodes, shown, notes=2)
    words = "\n".join([*said, *_in_words(nodes, shown, looks, visited)])
    title = f"The game tree of {case.question[0].turn} to move, with what alpha-beta cuts off"
    return tree.picture(tree.drawn(looks, ringed=notes), "\n".join(said), title, words)


def _places(nodes: Sequence[GameNode], asked: Sequence[str]) -> set[int]:
    """The nodes that a function asked about. A board that is there several times is taken in the order of the tree."""
    found: set[int] = set()
    last = -1
    for text in asked:
        same = [node.number for node in nodes if "".join(node.board) == text[:-1]]
        fresh = [number for number in same if number > last] or [number for number in same if number not in found]
        if fresh:
            last = fresh[0]
            found.add(last)
    return found


def _shown(nodes: Sequence[GameNode], wanted: set[int]) -> list[bool]:
    """Which nodes are drawn: those that are wanted, what is above them, and the first of each part cut off."""
    drawn = {0, *wanted}
    for node in reversed(nodes):
        if node.number in drawn and node.ply:
            drawn.add(node.parent)
    stubs = {node.number for node in nodes if node.parent in drawn}
    return [number in drawn | stubs for number in range(len(nodes))]


def _look(node: GameNode, visit: Node | None, note: str) -> Look:
    """A node with what is noted below it, in lines that are narrower than the distance between boards."""
    noted = note.split()
    if visit is None:
        return Look("cut", " ", "\n".join(noted))
    return Look("done", signed(visit.value), "\n".join(noted or (_window(visit) if node.children else [])))


def _window(visit: Node) -> list[str]:
    """Alpha and beta on arrival."""
    alpha = "−∞" if visit.alpha is None else signed(visit.alpha)
    beta = "+∞" if visit.beta is None else signed(visit.beta)
    return [f"α {alpha}", f"β {beta}"]


def _in_words(
    nodes: Sequence[GameNode], shown: Sequence[bool], looks: Sequence[Look], visited: Mapping[tuple[int, ...], Node]
) -> Iterator[str]:
    """A line for each node, further in with every ply."""
    yield str(nodes[0].board)
    for node, look in zip(nodes, looks, strict=True):
        if not shown[node.number]:
            continue
        name = f"{opponent(node.board.turn)} at cell {node.move}" if node.ply else "root"
        visit = visited.get(node.path)
        found = "cut off"
        if visit:
            window = f", {' '.join(_window(visit))} on arrival" if node.children else ""
            found = f"worth {signed(visit.value)}{window}"
        said = " ".join(look.note.split())
        yield f"{'  ' * node.ply}{name}: {found}{f' ({said})' if said in TOLD else ''}"
