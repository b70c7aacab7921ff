"""Names the mistakes of a tree search from its calls of the heuristic, and draws the tree.

The calls show where a search has been: on which boards, in which order and how deep. So a mistake is
found however the function is written and whatever else is wrong with it. Only the first sign that applies is reported.
Mistakes recognised by all their answers take precedence; their names and sentences are here, too.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache, cached_property
from itertools import islice
from typing import Any

from lab.checks.calling import Answer, Question, heuristic_named
from lab.checks.exercise import Case, Exercise, Mistake, mistake_named
from lab.checks.graded import MAX_SMALL_TREE
from lab.drawing.cards import LEGEND
from lab.drawing.layout import NOTE, Tree
from lab.drawing.narration import node_name
from lab.drawing.trees import GameNode, Look, game_tree, search
from ttt.board import Board
from ttt.notation import signed
from ttt.svg import Picture

WIN = 1000  # what a won game is worth

_read = cache(Board.from_text)  # the same boards come back in every search


class Visit:
    """A question, with the heuristic calls a function made to answer it."""

    def __init__(self, case: Case, answer: Answer) -> None:
        self.question = case.question
        self.root, self.depth, _ = case.question
        self.right_value: Any = case.value
        self.value: Any = answer.value
        self.value_is_right = answer.value == case.value
        self.right = [_read(text[:-1], self.root.shape, self.root.k) for text in case.asked]
        self.boards: list[Board] = []
        for text in answer.asked:
            with suppress(ValueError):  # a board of another shape
                self.boards.append(_read(text[:-1], self.root.shape, self.root.k))
        self.plies = [len(self.root.moves) - len(board.moves) for board in self.boards]

    @cached_property
    def tree(self) -> list[GameNode]:
        """The nodes with the right search's calls; none if there are too many."""
        return searched(self.question)


@cache
def leaves(board: Board, depth: int) -> list[Board]:
    """The unfinished boards this many plies ahead, in the order of the moves."""
    if board.over or depth == 0:
        return [] if board.over else [board]
    return [leaf for move in board.moves for leaf in leaves(board.play(move), depth - 1)]


def searched(question: Question) -> list[GameNode]:
    """The game tree of a question, with the right search's results; [] if it is too large."""
    board, depth, name = question
    nodes = game_tree(board, depth, max_nodes=MAX_SMALL_TREE)
    if len(nodes) > MAX_SMALL_TREE:
        return []
    heuristic = heuristic_named(name)
    for node in nodes:
        if node.board.winner:
            node.worth = WIN if node.board.winner == board.turn else -WIN
        elif node.ply == depth and not node.board.over:
            node.worth = heuristic(node.board, board.turn)
    list(search(nodes[0]))
    return nodes


def is_leaf(node: GameNode, depth: int) -> bool:
    """Whether minimax asks the heuristic about a node."""
    return node.ply == depth and not node.board.over


def is_asked(node: GameNode, depth: int) -> bool:
    """Whether the right search asks the heuristic about a node."""
    return node.value is not None and is_leaf(node, depth)


def diagnosed(exercise: Exercise, answers: Sequence[Answer], known: Mistake | None) -> list[Mistake]:
    """The mistake behind these answers, by the first sign that applies; [] if none is certain."""
    if known or any(answer.fault for answer in answers):
        return []
    visits = [Visit(case, answer) for case, answer in zip(exercise.cases[: exercise.known_by], answers, strict=False)]
    return [mistake_named(name, "alpha_beta") for name in islice(_signs(visits), 1)]


def _signs(visits: Sequence[Visit]) -> Iterator[str]:
    """Yield the names of mistakes the calls reveal, the most certain first."""
    plies = [(ply, visit.depth) for visit in visits for ply in visit.plies]
    if not plies:
        yield "heuristic never asked"
    ends = [visit for visit in visits if visit.root.over and not visit.value_is_right]
    if any(board.over for visit in visits for board in visit.boards):  # then the value may be the heuristic's
        ends = []
    if lost := [visit for visit in ends if visit.right_value]:
        yield "sign of the win" if all(visit.value == WIN for visit in lost) else "another worth for a win"
    if ends:
        yield "draws worth something"
    adds = any(ply < depth for ply, depth in plies) and all(map(_only_adds, visits))
    if adds and all(visit.value_is_right for visit in visits):
        yield "heuristic asked besides"
    if any(ply != depth for ply, depth in plies):
        yield "heuristic asked at another depth"
    back = [known for visit in visits if not _in_order(visit) for known in _goes_back(visit)]
    if back:
        yield "boards asked again" if all(back) else "moves in another order"
    known = [(Counter(visit.right), Counter(visit.boards)) for visit in visits]
    misses, has_more = [right - asked for right, asked in known], any(asked - right for right, asked in known)
    known_again = [{*missed} <= {*asked} for missed, (_, asked) in zip(misses, known, strict=True) if missed]
    if len(known_again) > 1 and all(known_again) and not has_more and all(visit.value_is_right for visit in visits):
        yield "boards remembered"
    if any(visit.right and not visit.boards for visit in visits):  # what comes first is never cut off
        yield "heuristic not always asked"
    if any(misses) and not has_more:
        yield "cuts too much"
    if has_more and not any(misses) and all(visit.value_is_right for visit in visits):
        yield "cuts too little"


def _in_order(visit: Visit) -> bool:
    """Whether a search may have come to all these boards in the order of the moves, and to each node once."""
    coming = iter(leaves(visit.root, visit.depth))
    return all(board in coming for board in visit.boards)


def _goes_back(visit: Visit) -> Iterator[bool]:
    """For each time a search seems to go back in the order of the moves: whether to a board that it has met before."""
    places: dict[Board, list[int]] = {}
    for place, board in enumerate(leaves(visit.root, visit.depth)):
        places.setdefault(board, []).append(place)
    met, here = set[Board](), -1
    for board in filter(places.__contains__, visit.boards):
        known = board in met
        later = [place for place in places[board][: 1 if known else None] if place > here]
        if not later:
            yield known
        here = later[0] if later else places[board][0]
        met.add(board)


def _only_adds(visit: Visit) -> bool:
    """Whether a search asks just what it should at the depth in question, and more elsewhere or about ended games."""
    asked = zip(visit.boards, visit.plies, strict=True)
    at_depth = [board for board, ply in asked if ply == visit.depth and not board.over]
    return at_depth == visit.right if visit.depth else {*at_depth} >= {*visit.right}


def asked_in_words(case: Case, answer: Answer) -> str:
    """How a function's heuristic calls differ from the right search's, in a sentence; its value is right."""
    visit = Visit(case, answer)
    yours, right = len(answer.asked), len(visit.right)
    start = f"The value, {signed(visit.right_value)}, is right, but your function"
    if yours == right or not visit.tree:
        return f"{start} doesn't ask the heuristic about the same boards as alpha-beta, or not in that order."
    times = {0: "never asks {}", 1: "asks {} once", 2: "asks {} twice"}
    told = [times.get(number, f"asks {{}} {number} times") for number in (yours, right)]
    return f"{start} {told[0].format('the heuristic')}; alpha-beta {told[1].format('it')}."


YOURS, NOT_YOURS = "only yours", "not yours"
TOLD = {
    YOURS: "“Only yours”: alpha-beta doesn't ask the heuristic there.",
    NOT_YOURS: "“Not yours”: alpha-beta asks the heuristic there, but your function doesn't.",
}


def tree_picture(case: Case, answer: Answer) -> tuple[str, Picture | None]:
    """Draw the tree the right search visits, with alpha and beta, and say how to read it.

    "" and None if it is too large or just a leaf.
    """
    visit = Visit(case, answer)
    board, nodes = visit.root, visit.tree
    if len(nodes) < 2:
        return "", None
    asked, right = _places(visit), {node.number for node in nodes if is_asked(node, visit.depth)}
    drawn = {node.number for node in nodes if node.value is not None} | asked
    for node in reversed(nodes):  # add their ancestors
        if node.number in drawn and node.ply:
            drawn.add(node.parent)
    shown = [node.number in drawn or node.parent in drawn for node in nodes]  # including the root of each cut-off part
    notes = dict.fromkeys(asked - right, YOURS) | dict.fromkeys(right - asked, NOT_YOURS)
    looks, lines = [], [str(board)]
    for node in nodes:
        look, words = _look(node, notes.get(node.number, ""))
        looks.append(look)
        lines += [words] if shown[node.number] else []
    cut = any(look.state == "cut" for look, seen in zip(looks, shown, strict=True) if seen)
    said = [f"{LEGEND}each board's value, and alpha and beta on arrival.{' Dotted: cut off.' if cut else ''}"]
    said += [told for note, told in TOLD.items() if note in notes.values()]
    tree = Tree(nodes, shown, notes=2)
    tree.height -= NOTE if notes else 2 * NOTE  # as leaves have no alpha and beta
    title = f"The game tree of {board.turn} to move, with what alpha-beta cuts off"
    return " ".join(said), tree.picture(tree.drawn(looks, ringed=notes), "", title, "\n".join(lines))


def _places(visit: Visit) -> set[int]:
    """The nodes a function asked about. If a board occurs several times, its nodes are used in tree order."""
    found: set[int] = set()
    last = -1
    for board in visit.boards:
        same = [node.number for node in visit.tree if node.board == board and node.number not in found]
        if same:
            last = next((number for number in same if number > last), same[0])
            found.add(last)
    return found


def _look(node: GameNode, note: str) -> tuple[Look, str]:
    """The look of a node, with a note in place of alpha and beta, or of a missing value; and the same in words."""
    state, label, found, window = "cut", " ", "cut off", ""
    if node.value is not None:
        state, label = "done", signed(node.value)
        found = f"worth {label}"
        if node.children:
            alpha, beta = map(signed, node.window)
            found, window = f"worth {label}, α {alpha} β {beta} on arrival", f"α {alpha}\nβ {beta}"
    words = f"{'  ' * node.ply}{node_name(node)}: {found}{f' ({note})' if note else ''}"
    return Look(state, label, note or window), words
