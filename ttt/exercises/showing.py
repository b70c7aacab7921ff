"""What the check shows: the board that went wrong, with what counts on it, or the tree of a search."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ttt.board import Board, Mark, opponent
from ttt.exercises.answers import Answer, Drawing
from ttt.exercises.exercise import Case, TreeNode
from ttt.svg import Picture, beside, draw, signed
from ttt.trees import GameNode, Look, Tree, game_tree

MOST_SHOWN = 80  # nodes that are still readable when drawn
MOST_NODES = 5000  # of a tree that is looked through
YOURS, NOT_YOURS = "only yours", "not yours"


def picture(case: Case, answer: Answer | None = None, more: Sequence[Drawing] = ()) -> Picture | None:
    """The tree of the right search, beside what was asked; or the board, once for each drawing.

    Args:
        answer: the answer that was given, if the question is answered wrongly.
        more: what a mistake adds to the case's own drawings.
    """
    if not isinstance(case.question[0], Board):  # a tree on paper
        return None
    tree = answer and case.tree and _tree_picture(case, answer)
    if tree:
        return tree
    if isinstance(case.value, tuple):
        return _cells_picture(case, answer)
    drawings = [*case.drawings, *more]
    pictures = [draw(case.board, lines=one.lines, player=one.player, caption=one.caption) for one in drawings]
    return beside(pictures or [draw(case.board, numbers=True)])


def _cells_picture(case: Case, answer: Answer | None) -> Picture:
    """The board with a dot in each right cell, and beside it one with a dot in each cell that was given."""
    given = answer.value if answer and isinstance(answer.value, tuple) else ()
    right = case.value if isinstance(case.value, tuple) else ()
    marked = {"right": right, "yours": given} if answer else {"right": right}
    pictures = []
    for caption, cells in marked.items():
        free = {cell: "●" for cell in cells if cell in case.board.moves}
        pictures.append(draw(case.board, values=free, numbers=not free, caption=caption))
    return beside(pictures)


def question_in_words(name: str, takes: Sequence[str], case: Case) -> str:
    """What a function was given besides the board and the player, and the line that asks it the same; "" if nothing.

    Args:
        name: the function's.
        takes: what it is given, as in `Exercise`.
    """
    if "heuristic" not in takes:
        return ""
    board, depth, heuristic = case.question
    plies = "1 ply" if depth == 1 else f"{depth} plies"
    called = f'{name}({board!r}, {depth}, heuristic_named("{heuristic}"))'
    where = f"{case.player} is to move, and the search looks {plies} ahead"
    if board.over:
        where = f"the game is over; {case.player} would be to move"
    return f"Here {where}.\nYou can ask it yourself: {called}"


# ---------------------------------------------------------------------------------------------------- the tree


def _tree_picture(case: Case, answer: Answer) -> Picture | None:
    """What the right search visits, with alpha, beta and what comes back, and what only one of the two asks about.

    None if that is too much to be drawn.
    """
    nodes = game_tree(case.board, case.question[1], most=MOST_NODES)
    visited = {node.moves: node for node in case.tree}
    asked = _places(nodes, answer.asked)
    right = {n.number for n in nodes if n.ply == case.question[1] and n.path in visited and not n.board.over}
    seen = {node.number for node in nodes if node.path in visited}
    shown = _shown(nodes, seen | asked)
    if sum(shown) > MOST_SHOWN:
        return None
    notes = dict.fromkeys(asked - right, YOURS) | dict.fromkeys(right - asked, NOT_YOURS)
    looks = [_look(node, visited.get(node.path), notes.get(node.number, "")) for node in nodes]
    tree = Tree(nodes, shown, notes=2)
    cut = any(shown[node.number] and node.path not in visited for node in nodes)
    said = _legend(cut, notes.values())
    words = "\n".join([said, *_in_words(nodes, shown, looks, visited)])
    title = f"The game tree of {case.player} to move, with what alpha-beta cuts off"
    return tree.picture(tree.drawn(looks, ringed=notes), said, title, words)


def _places(nodes: Sequence[GameNode], asked: Sequence[tuple[Board, Mark]]) -> set[int]:
    """The nodes that a function asked about. A board that is there several times is taken in the order of the tree."""
    found: set[int] = set()
    last = -1
    for board, _ in asked:
        same = [node.number for node in nodes if node.board == board]
        fresh = [number for number in same if number > last] or [number for number in same if number not in found]
        if fresh:
            last = fresh[0]
            found.add(last)
    return found


def _shown(nodes: Sequence[GameNode], wanted: set[int]) -> list[bool]:
    """Which nodes are drawn: those that are wanted, what is above them, and the first of each part cut off."""
    drawn = set(wanted) | {0}
    for node in reversed(nodes):
        if node.number in drawn and node.ply:
            drawn.add(node.parent)
    stubs = {node.number for node in nodes if node.parent in drawn}
    return [number in drawn | stubs for number in range(len(nodes))]


def _look(node: GameNode, visit: TreeNode | None, note: str) -> Look:
    """A node with what is noted below it, in lines that are narrower than the distance between boards."""
    noted = note.split()
    if visit is None:
        return Look("cut", " ", "\n".join(noted))
    if node.children:
        noted = noted or _window(visit)
    return Look("done", signed(visit.value), "\n".join(noted))


def _window(visit: TreeNode) -> list[str]:
    """Alpha and beta on arrival."""
    alpha = "−∞" if visit.alpha is None else signed(visit.alpha)
    beta = "+∞" if visit.beta is None else signed(visit.beta)
    return [f"α {alpha}", f"β {beta}"]


def _legend(cut: bool, notes: Iterable[str]) -> str:
    parts = ["Below each board: what comes back, and alpha and beta on arrival."]
    if cut:
        parts[0] += " Dashed: cut off."
    told = {
        YOURS: "Ringed, “only yours”: there only your function asks the heuristic.",
        NOT_YOURS: "Ringed, “not yours”: there it should ask, and does not.",
    }
    present = set(notes)
    return "\n".join(parts + [sentence for note, sentence in told.items() if note in present])


def _in_words(
    nodes: Sequence[GameNode], shown: Sequence[bool], looks: Sequence[Look], visited: dict[tuple[int, ...], TreeNode]
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
        note = f" ({said})" if said in (YOURS, NOT_YOURS) else ""
        yield f"{'  ' * node.ply}{name}: {found}{note}"
