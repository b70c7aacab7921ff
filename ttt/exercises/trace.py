"""Names the mistakes of a function that searches a tree, from what it asked the heuristic that it was given.

What was asked shows where a search has been: which boards, in which order, how deep, and for whom. So a mistake is
found however the function was written, and with whatever else is wrong with it. The first sign that applies is told.
Mistakes that are known by all their answers come before that; their names and sentences are here, too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, reduce
from itertools import chain, groupby
from typing import Any, NamedTuple

from ttt.board import Board, Mark, opponent
from ttt.exercises.asking import Answer
from ttt.exercises.exercise import SENTENCES, Case, Mistake


class Call(NamedTuple):
    """A call of the heuristic: about which marks, for which player, and how far below the root.

    Args:
        depth: how far below the root it should have been.
        side: the side to move at the root, for which it should have been.
    """

    marks: str
    player: Mark
    ply: int
    depth: int
    side: Mark

    @property
    def turn(self) -> Mark:
        """The side to move on the board."""
        return opponent(self.side) if self.ply % 2 else self.side


class Visit:
    """A question, and what a function asked the heuristic to answer it."""

    def __init__(self, case: Case, answer: Answer) -> None:
        self.case = case
        self.root: Board = case.question[0]
        self.depth: int = case.question[1]
        self.right_value: Any = case.value
        self.value: Any = answer.value
        self.value_is_right = answer.value == case.value
        self.asked_rightly = answer.digest == case.digest
        free, side = "".join(self.root).count("-"), self.root.turn
        self.calls = [Call(text[:-1], text[-1], free - text.count("-"), self.depth, side) for text in answer.asked]
        self.boards = [call.marks for call in self.calls]

    @cached_property
    def leaves(self) -> list[str]:
        """The unfinished boards at that depth, in the order of the moves: what minimax asks about."""
        return ["".join(board) for board, left in _tree(self.root, self.depth) if not left and not board.over]

    @cached_property
    def right(self) -> list[str]:
        """What the right search asks about, in order; what minimax does where it is not known."""
        ends = [reduce(Board.play, node.moves, self.root) for node in self.case.tree if len(node.moves) == self.depth]
        return ["".join(board) for board in ends if not board.over] if self.case.tree else self.leaves

    @property
    def is_known(self) -> bool:
        """Whether it is known what the right search asks about."""
        return bool(self.case.tree) or not self.depth or self.root.over

    @property
    def misses(self) -> bool:
        """Whether the right search asks about boards that were not asked about."""
        return bool(Counter(self.right) - Counter(self.boards))

    @property
    def has_more(self) -> bool:
        """Whether boards were asked about that the right search does not ask about."""
        return bool(Counter(self.boards) - Counter(self.right))


def _tree(board: Board, left: int) -> Iterator[tuple[Board, int]]:
    """The nodes of a game tree in the order of the moves, each with the plies that are left below it."""
    yield board, left
    if left and not board.over:
        for move in board.moves:
            yield from _tree(board.play(move), left - 1)


def diagnosed(cases: Sequence[Case], answers: Sequence[Answer]) -> Mistake | None:
    """The mistake of a function that gives these answers, by the first sign that applies; None if none is sure."""
    visits = [Visit(case, answer) for case, answer in zip(cases, answers, strict=False)]
    if all(visit.value_is_right and visit.asked_rightly for visit in visits):
        return None
    signs = chain.from_iterable(look(visits) for look in (_values, _ends, _players, _plies, _cuts))
    name = next(signs, None)
    return Mistake(name, SENTENCES["alpha_beta"][name]) if name else None


def asked_in_words(case: Case, answer: Answer) -> str:
    """How what a function asked the heuristic differs from what the right search asks it, as the rest of a sentence."""
    visit = Visit(case, answer)
    if not visit.is_known:
        return "the heuristic is not asked about the boards that alpha-beta asks it about, or not in the same order"
    if not visit.misses and not visit.has_more:
        if any(call.player != call.side for call in visit.calls):
            return f"the heuristic is not asked for {visit.root.turn}, the side to move at the root"
        return "the heuristic is not asked about the boards in the order of the moves"
    if len(visit.calls) == len(visit.right):
        return "the heuristic is asked about other boards than alpha-beta asks it about"
    return f"your function asks the heuristic {_times(visit.calls)}, and alpha-beta {_times(visit.right)}"


def _times(calls: Sequence[object]) -> str:
    return {0: "not at all", 1: "once", 2: "twice"}.get(len(calls), f"{len(calls)} times")


# -------------------------------------------------------------------- the signs of each mistake, the plainest first


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
    if any(right and given == 1000 for right, given in wrong):
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
    if not all(_in_order(visit.boards, visit.leaves) for visit in visits):
        yield "moves in another order"


def _sorts(visits: list[Visit]) -> bool:
    """Whether the only boards asked about too early are all the moves of a node, in order: that is, to sort them."""
    early = 0
    for visit in visits:
        inner = [board for board, left in _tree(visit.root, visit.depth) if left and not board.over]
        families = [["".join(board.play(move)) for move in board.moves] for board in inner]
        whole = {marks for family in families if " ".join(family) in " ".join(visit.boards) for marks in family}
        too_early = [call.marks for call in visit.calls if call.ply < call.depth]
        if not whole.issuperset(too_early):
            return False
        early += len(too_early)
    again = any(len(set(visit.boards)) < len(visit.boards) for visit in visits if visit.depth == 1)
    return bool(early) and again


def _in_order(some: Iterable[str], all_of_them: Iterable[str]) -> bool:
    left = iter(all_of_them)
    return all(marks in left for marks in some)


def _cuts(visits: list[Visit]) -> Iterator[str]:
    """Mistakes about what is cut off, where the boards asked about are at the right depth and in order."""
    if any(not visit.value_is_right and visit.asked_rightly for visit in visits if visit.depth == 0):
        yield "heuristic's value changed"
    right = all(visit.value_is_right for visit in visits)
    if right and all(visit.boards == visit.leaves for visit in visits):
        yield "never cuts"
    known = [visit for visit in visits if visit.is_known]
    misses, has_more = any(visit.misses for visit in known), any(visit.has_more for visit in known)
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
