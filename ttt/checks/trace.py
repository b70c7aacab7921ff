"""Names the mistakes of a function that searches a tree by what it asked its heuristic, and draws the tree.

What was asked shows where a search has been: which boards, in which order, how deep, and for whom. So a mistake is
found however the function was written, and with whatever else is wrong with it. The first sign that applies is told.
Mistakes that are known by all their answers come before that; their names and sentences are here, too.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import chain, groupby, islice
from typing import Any, NamedTuple

from ttt.board import Board, Mark, opponent
from ttt.checks.asking import Answer, Question, heuristic_named
from ttt.checks.exercise import SENTENCES, Case, Mistake
from ttt.drawing.layout import Tree
from ttt.drawing.narration import named
from ttt.drawing.svg import Picture, signed
from ttt.drawing.trees import GameNode, Look, game_tree, search

WIN = 1000  # what a won game is worth
SMALL_TREE = 45  # nodes that are still readable when drawn


class Call(NamedTuple):
    """A call of the heuristic."""

    marks: str  # of the board that it was asked about
    player: Mark  # for whom
    ply: int  # how far below the root
    depth: int  # how far below the root it should have been
    side: Mark  # the side to move at the root, for which it should have been

    @property
    def turn(self) -> Mark:
        """The side to move on the board."""
        return opponent(self.side) if self.ply % 2 else self.side


class Visit:
    """A question, and what a function asked the heuristic to answer it."""

    def __init__(self, case: Case, answer: Answer) -> None:
        self.root, self.depth, _ = case.question
        self.right_value: Any = case.value
        self.value: Any = answer.value
        self.value_is_right = answer.value == case.value
        self.asked_rightly = answer.digest == case.digest
        self.tree = searched(case.question)  # tells what the right search asks about; empty where it is too large
        free, side = "".join(self.root).count("-"), self.root.turn
        self.calls = [Call(text[:-1], text[-1], free - text.count("-"), self.depth, side) for text in answer.asked]
        self.boards = [call.marks for call in self.calls]

    @cached_property
    def leaves(self) -> list[str]:
        """The unfinished boards at that depth, in the order of the moves: what minimax asks about."""
        nodes = game_tree(self.root, self.depth)
        return ["".join(node.board) for node in nodes if node.ply == self.depth and not node.board.over]

    @cached_property
    def right(self) -> list[str]:
        """What the right search asks about, in order; what minimax does where it is not known."""
        asked = ["".join(node.board) for node in self.tree if is_asked(node, self.depth)]
        return asked if self.tree else self.leaves


def searched(question: Question) -> list[GameNode]:
    """The game tree that a question is about, with what the right search finds in it; none where it is too large."""
    board, depth, name = question
    nodes = game_tree(board, depth, most=SMALL_TREE)
    if len(nodes) > SMALL_TREE:
        return []
    heuristic = heuristic_named(name)
    for node in nodes:
        if node.board.winner:
            node.worth = WIN if node.board.winner == board.turn else -WIN
        elif node.ply == depth and not node.board.over:
            node.worth = heuristic(node.board, board.turn)
    list(search(nodes[0]))
    return nodes


def is_asked(node: GameNode, depth: int) -> bool:
    """Whether the right search asks the heuristic about a node."""
    return node.value is not None and node.ply == depth and not node.board.over


def diagnosed(cases: Sequence[Case], answers: Sequence[Answer]) -> list[Mistake]:
    """The mistake of a function that gives these answers, by the first sign that applies; [] if none is sure."""
    visits = [Visit(case, answer) for case, answer in zip(cases, answers, strict=False)]
    if all(visit.value_is_right and visit.asked_rightly for visit in visits):
        return []
    signs = chain.from_iterable(look(visits) for look in (_values, _ends, _players, _plies, _cuts))
    return [Mistake(name, SENTENCES["alpha_beta"][name]) for name in islice(signs, 1)]


def asked_in_words(case: Case, answer: Answer) -> str:
    """How what a function asked the heuristic differs from what the right search asks it, as the rest of a sentence."""
    visit = Visit(case, answer)
    if any(call.player != call.side for call in visit.calls):
        return f"the heuristic is not asked for {visit.root.turn}, the side to move at the root"
    yours, right = len(visit.calls), len(visit.right)
    if yours == right or not visit.tree:
        return "the heuristic is not asked about the boards that alpha-beta asks it about, or not in the same order"
    times = {0: "not at all", 1: "once", 2: "twice"}
    told = [times.get(number, f"{number} times") for number in (yours, right)]
    return f"your function asks the heuristic {told[0]}, and alpha-beta {told[1]}"


def _values(visits: list[Visit]) -> Iterator[str]:
    """Mistakes seen in the values, or where nothing is asked below the root."""
    wrong = [visit for visit in visits if not visit.value_is_right or not visit.asked_rightly]
    turned = all(visit.asked_rightly and visit.value == -visit.right_value for visit in wrong)
    if turned and not all(visit.root.over for visit in wrong):
        yield "sign of the value"
    if not any(visit.calls for visit in visits):
        yield "heuristic never asked"
    if all(visit.depth == 0 for visit in visits if visit.calls):
        yield "depth not counted down"


def _ends(visits: list[Visit]) -> Iterator[str]:
    """Mistakes about games that are over: as boards asked about, or as the root."""
    try:
        asked = [(Board.from_text(call.marks, v.root.shape, v.root.k), call) for v in visits for call in v.calls]
    except ValueError:  # it asks about boards of another shape
        return
    over = [board for board, _ in asked if board.over]
    if over and all(board.over or call.ply == call.depth for board, call in asked):
        yield "end of the game tested after the depth" if any(board.winner for board in over) else "draws not seen"
    wrong = [(v.right_value, v.value) for v in visits if v.root.over and not v.value_is_right]
    if any(right and given == WIN for right, given in wrong):
        yield "sign of the win"
    if wrong:
        yield "another worth for a win" if any(right for right, _ in wrong) else "draws worth something"


def _players(visits: list[Visit]) -> Iterator[str]:
    """Mistakes about the player for whom the heuristic is asked."""
    calls = [call for visit in visits for call in visit.calls]
    if all(call.player == call.side for call in calls):
        return
    if all(call.player == call.turn for call in calls):
        yield "heuristic asked for the side to move"
    if all(call.player != call.turn for call in calls):
        yield "heuristic asked for the side that has moved"
    if all(call.player != call.side for call in calls):
        yield "heuristic asked for the other side"
    yield "always seen from X" if all(call.player == "X" for call in calls) else "heuristic asked for both sides"


def _plies(visits: list[Visit]) -> Iterator[str]:
    """Mistakes about how deep the boards are that are asked about, and about their order."""
    calls = [call for visit in visits for call in visit.calls]
    for name, further in (("one ply less", -1), ("one ply more", 1)):
        if all(call.ply == max(0, call.depth + further) for call in calls):
            yield name
    if _sorts(visits):
        yield "moves in another order"
    if any(call.ply != call.depth for call in calls):
        yield "heuristic asked at another depth"
    if all(len(list(run)) > 1 for visit in visits for _, run in groupby(visit.calls)):
        yield "heuristic asked twice"
    for visit in visits:
        leaves = iter(visit.leaves)
        if not all(marks in leaves for marks in visit.boards):
            yield "moves in another order"


def _sorts(visits: list[Visit]) -> bool:
    """Whether the only boards asked about too early are all the moves of a node, in order: that is, to sort them."""
    early = 0
    for visit in visits:
        inner = [node for node in game_tree(visit.root, visit.depth) if node.children]
        families = [["".join(child.board) for child in node.children] for node in inner]
        whole = {marks for family in families if " ".join(family) in " ".join(visit.boards) for marks in family}
        too_early = [call.marks for call in visit.calls if call.ply < call.depth]
        if not whole.issuperset(too_early):
            return False
        early += len(too_early)
    again = any(len(set(visit.boards)) < len(visit.boards) for visit in visits if visit.depth == 1)
    return bool(early) and again


def _cuts(visits: list[Visit]) -> Iterator[str]:
    """Mistakes about what is cut off, where the boards asked about are at the right depth and in order."""
    if any(not visit.value_is_right and visit.asked_rightly for visit in visits if visit.depth == 0):
        yield "heuristic's value changed"
    right = all(visit.value_is_right for visit in visits)
    if right and all(visit.boards == visit.leaves for visit in visits):
        yield "never cuts"
    known = [(Counter(visit.right), Counter(visit.boards)) for visit in visits if visit.tree]
    misses, has_more = any(right - asked for right, asked in known), any(asked - right for right, asked in known)
    if misses and _narrow(visits):
        yield "window too narrow at the start"
    if misses and not has_more:
        yield "cuts too much"
    if right:
        yield "cuts too little" if has_more and not misses else "looks at other boards"


def _narrow(visits: list[Visit]) -> bool:
    """Whether values are wrong only beyond a bound, and stay beyond it."""
    wrong: list[tuple[float, float]] = [(v.right_value, v.value) for v in visits if not v.value_is_right]
    kept: list[float] = [visit.value for visit in visits if visit.value_is_right and visit.depth]
    if len(wrong) < 3:
        return False
    low, high = max(map(max, wrong)), min(map(min, wrong))
    return sum(value > low for value in kept) >= 3 > sum(value < low for value in kept) or (
        sum(value < high for value in kept) >= 3 > sum(value > high for value in kept)
    )


YOURS, NOT_YOURS = "only yours", "not yours"
TOLD = {
    YOURS: "Ringed, “only yours”: there only your function asks the heuristic.",
    NOT_YOURS: "Ringed, “not yours”: there it should ask, and does not.",
}


def tree_picture(case: Case, answer: Answer) -> Picture | None:
    """The tree that the right search visits, with alpha and beta; None where it is too large, or a leaf."""
    board, depth, _ = case.question
    nodes = searched(case.question)
    if len(nodes) < 2:
        return None
    asked, right = _places(nodes, answer.asked), {node.number for node in nodes if is_asked(node, depth)}
    drawn = {node.number for node in nodes if node.value is not None} | asked
    for node in reversed(nodes):  # what is above them
        if node.number in drawn and node.ply:
            drawn.add(node.parent)
    shown = [node.number in drawn or node.parent in drawn for node in nodes]  # with the first of each part cut off
    notes = dict.fromkeys(asked - right, YOURS) | dict.fromkeys(right - asked, NOT_YOURS)
    looks, lines = [], [str(board)]
    for node in nodes:
        look, words = _look(node, notes.get(node.number, ""))
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


def _look(node: GameNode, note: str) -> tuple[Look, str]:
    """A node with what is noted below it, in lines that are narrower than the distance between boards; and in words."""
    state, label, found, window = "cut", " ", "cut off", ""
    if node.value is not None:
        state, label = "done", signed(node.value)
        found = f"worth {label}"
        if node.children:
            alpha, beta = map(signed, node.window)
            found, window = f"worth {label}, α {alpha} β {beta} on arrival", f"α {alpha}\nβ {beta}"
    words = f"{'  ' * node.ply}{named(node)}: {found}{f' ({note})' if note else ''}"
    return Look(state, label, note.replace(" ", "\n") or window), words
