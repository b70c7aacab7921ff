"""Names the mistakes of a function that searches a tree, from what it asked the heuristic that it was given.

What was asked shows where a search has been: which boards, in which order, how deep, and for whom. So a mistake is
found however the function was written, and with whatever else is wrong with it. The first sign that applies is told.
Mistakes that are known by all their answers come before that; their names and sentences are here, too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import groupby

from ttt.board import Board, opponent
from ttt.exercises.asking import Answer
from ttt.exercises.exercise import SENTENCES, Case, Mistake


@dataclass(frozen=True)
class Visit:
    """A question, and what a function asked the heuristic to answer it."""

    case: Case
    answer: Answer

    @property
    def root(self) -> Board:
        """The board that the search begins with."""
        root: Board = self.case.question[0]
        return root

    @property
    def depth(self) -> int:
        """The plies to look ahead."""
        depth: int = self.case.question[1]
        return depth

    @cached_property
    def boards(self) -> list[str]:
        """The marks of the boards that were asked about, in order."""
        return [text[:-1] for text in self.answer.asked]

    @cached_property
    def leaves(self) -> list[str]:
        """The unfinished boards at that depth, in the order of the moves: what minimax asks about."""
        return list(_leaves(self.root, self.depth))

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
    def value_is_right(self) -> bool:
        """Whether the value that came back is right."""
        return self.answer.value == self.case.value

    @property
    def asked_rightly(self) -> bool:
        """Whether the heuristic was asked what it must be asked."""
        return self.answer.digest == self.case.digest

    def plies(self, marks: str) -> int:
        """How far below the root a board is."""
        return "".join(self.root).count("-") - marks.count("-")

    def board(self, marks: str) -> Board:
        """The board of such marks."""
        return Board.from_text(marks, self.root.shape, self.root.k)


def _leaves(board: Board, depth: int) -> Iterator[str]:
    if not board.over and depth == 0:
        yield "".join(board)
    for move in board.moves if depth and not board.over else ():
        yield from _leaves(board.play(move), depth - 1)


def diagnosed(cases: Sequence[Case], answers: Sequence[Answer]) -> Mistake | None:
    """The mistake of a function that gives these answers; None if none is sure."""
    visits = [Visit(case, answer) for case, answer in zip(cases, answers, strict=False)]
    if all(visit.value_is_right and visit.asked_rightly for visit in visits):
        return None
    for name, applies in SIGNS:
        if applies(visits):
            return Mistake(name, SENTENCES["alpha_beta"][name])
    return None


def asked_in_words(case: Case, answer: Answer) -> str:
    """How what a function asked the heuristic differs from what the right search asks it, as the rest of a sentence."""
    visit = Visit(case, answer)
    if not visit.is_known:
        return "the heuristic is not asked about the boards that alpha-beta asks it about, or not in the same order"
    if not _misses(visit) and not _has_more(visit):
        if any(text[-1] != visit.root.turn for text in answer.asked):
            return f"the heuristic is not asked for {visit.root.turn}, the side to move at the root"
        return "the heuristic is not asked about the boards in the order of the moves"
    if len(answer.asked) == len(visit.right):
        return "the heuristic is asked about other boards than alpha-beta asks it about"
    return f"your function asks the heuristic {_times(len(answer.asked))}, and alpha-beta {_times(len(visit.right))}"


def _times(number: int) -> str:
    return {0: "not at all", 1: "once", 2: "twice"}.get(number, f"{number} times")


def _misses(visit: Visit) -> bool:
    """Whether the right search asks about boards that were not asked about."""
    return bool(Counter(visit.right) - Counter(visit.boards))


def _has_more(visit: Visit) -> bool:
    """Whether boards were asked about that the right search does not ask about."""
    return bool(Counter(visit.boards) - Counter(visit.right))


# -------------------------------------------------------------------------------------------------------- the signs

Sign = Callable[[list[Visit]], bool]


def _other_sign(visits: list[Visit]) -> bool:
    wrong = [visit for visit in visits if not visit.value_is_right or not visit.asked_rightly]
    turned = [visit.asked_rightly and visit.answer.value == -_number(visit.case.value) for visit in wrong]
    return all(turned) and not all(visit.root.over for visit in wrong)


def _number(value: object) -> float:
    return value if isinstance(value, (int, float)) else 0


def _never_asks(visits: list[Visit]) -> bool:
    return not any(visit.boards for visit in visits)


def _asks_at_the_root_alone(visits: list[Visit]) -> bool:
    return all(visit.depth == 0 for visit in visits if visit.boards)


def _asks_about_ends(won: bool) -> Sign:
    """Whether boards that are won, or full without a winner, are asked about, and otherwise the last ply alone."""

    def applies(visits: list[Visit]) -> bool:
        ends = False
        for visit in visits:
            for board in map(visit.board, visit.boards):
                ends = ends or (board.over and bool(board.winner) == won)
                if not board.over and visit.plies("".join(board)) != visit.depth:
                    return False
        return ends

    return applies


def _gives_ends(right: Callable[[float], bool], given: Callable[[float], bool]) -> Sign:
    """Whether a finished root with such a worth gets such another one."""

    def applies(visits: list[Visit]) -> bool:
        ends = [visit for visit in visits if visit.root.over and not visit.value_is_right]
        return any(right(_number(visit.case.value)) and given(_number(visit.answer.value)) for visit in ends)

    return applies


def _asks_for(player: Callable[[str, Visit], str]) -> Sign:
    """Whether the heuristic is always asked for this player, and not always for the side to move at the root."""

    def applies(visits: list[Visit]) -> bool:
        asked = [(text[:-1], text[-1], visit) for visit in visits for text in visit.answer.asked]
        always = all(mark == player(marks, visit) for marks, mark, visit in asked)
        return always and any(mark != visit.root.turn for _, mark, visit in asked)

    return applies


def _turn(marks: str, visit: Visit) -> str:
    return visit.root.turn if visit.plies(marks) % 2 == 0 else opponent(visit.root.turn)


def _asks_for_others(visits: list[Visit]) -> bool:
    return any(text[-1] != visit.root.turn for visit in visits for text in visit.answer.asked)


def _all_plies(further: int) -> Sign:
    """Whether all boards asked about are so many plies further down than they should be, if any can be."""

    def applies(visits: list[Visit]) -> bool:
        asked = ((visit, marks) for visit in visits for marks in visit.boards)
        return all(visit.plies(marks) == max(0, visit.depth + further) for visit, marks in asked)

    return applies


def _sorts(visits: list[Visit]) -> bool:
    """Whether whole families of boards are asked about early, each in the moves' order, to sort them."""
    early = 0
    for visit in visits:
        families = [
            ["".join(board.play(move)) for move in board.moves]
            for board in map(visit.board, {_above(visit, marks) for marks in visit.boards} - {""})
            if not board.over
        ]
        whole = [family for family in families if _stands_in(family, visit.boards)]
        asked = {marks for family in whole for marks in family}
        if any(visit.plies(marks) < visit.depth and marks not in asked for marks in visit.boards):
            return False
        early += any(visit.plies(marks) < visit.depth for marks in asked)
    again = any(max(Counter(visit.boards).values(), default=0) > 1 for visit in visits if visit.depth == 1)
    return bool(early) and again


def _above(visit: Visit, marks: str) -> str:
    """A board from which a move leads to this one; "" for the root."""
    root = "".join(visit.root)
    played = [cell for cell, (now, before) in enumerate(zip(marks, root, strict=False)) if now != before]
    last = opponent(_turn(marks, visit))
    mine = [cell for cell in played if marks[cell] == last]
    return marks[: mine[-1]] + "-" + marks[mine[-1] + 1 :] if mine and len(marks) == len(root) else ""


def _stands_in(family: Sequence[str], boards: Sequence[str]) -> bool:
    size = len(family)
    return any(list(boards[place : place + size]) == family for place in range(len(boards) - size + 1))


def _any_ply(visits: list[Visit]) -> bool:
    return any(visit.plies(marks) != visit.depth for visit in visits for marks in visit.boards)


def _asks_again(visits: list[Visit]) -> bool:
    """Whether the heuristic is asked about every board more than once, one time after the other."""
    runs = [len(list(run)) for visit in visits for _, run in groupby(visit.answer.asked)]
    return min(runs, default=0) > 1


def _other_order(visits: list[Visit]) -> bool:
    """Whether boards are asked about in another order than that of the moves."""
    return any(not _in_order(visit.boards, visit.leaves) for visit in visits)


def _in_order(some: Sequence[str], all_of_them: Sequence[str]) -> bool:
    left = iter(all_of_them)
    return all(marks in left for marks in some)


def _changes_the_heuristic(visits: list[Visit]) -> bool:
    """Whether at depth 0 something else is returned than what the heuristic said."""
    return any(not visit.value_is_right and visit.asked_rightly for visit in visits if visit.depth == 0)


def _narrow(visits: list[Visit]) -> bool:
    """Whether values are wrong only beyond a bound, where they stay beyond it, and something is cut off for it."""
    wrong = [visit for visit in visits if not visit.value_is_right]
    both = [(_number(visit.case.value), _number(visit.answer.value)) for visit in wrong]
    kept = [_number(visit.case.value) for visit in visits if visit.value_is_right and visit.depth]
    if len(wrong) < 3 or not any(_misses(visit) for visit in visits if visit.is_known):
        return False
    low, high = max(map(max, both)), min(map(min, both))
    return sum(value > low for value in kept) >= 3 > sum(value < low for value in kept) or (
        sum(value < high for value in kept) >= 3 > sum(value > high for value in kept)
    )


def _never_cuts(visits: list[Visit]) -> bool:
    return all(visit.value_is_right and visit.boards == visit.leaves for visit in visits)


def _cuts(less: bool, more: bool) -> Sign:
    """Whether boards are missing, and whether others are asked about that need not be."""

    def applies(visits: list[Visit]) -> bool:
        known = [visit for visit in visits if visit.is_known]
        right = less or all(visit.value_is_right for visit in visits)
        return right and any(map(_misses, known)) == less and any(map(_has_more, known)) == more

    return applies


def _other_boards(visits: list[Visit]) -> bool:
    return all(visit.value_is_right for visit in visits)


# What shows each mistake, the plainest first.
SIGNS: tuple[tuple[str, Sign], ...] = (
    ("sign of the value", _other_sign),
    ("heuristic never asked", _never_asks),
    ("depth not counted down", _asks_at_the_root_alone),
    ("end of the game tested after the depth", _asks_about_ends(won=True)),
    ("draws not seen", _asks_about_ends(won=False)),
    ("sign of the win", _gives_ends(right=lambda worth: worth != 0, given=lambda worth: worth == 1000)),
    ("another worth for a win", _gives_ends(right=lambda worth: worth != 0, given=lambda worth: True)),
    ("draws worth something", _gives_ends(right=lambda worth: worth == 0, given=lambda worth: True)),
    ("heuristic asked for the side to move", _asks_for(_turn)),
    ("heuristic asked for the side that has moved", _asks_for(lambda marks, visit: "OX"[_turn(marks, visit) == "O"])),
    ("heuristic asked for the other side", _asks_for(lambda marks, visit: opponent(visit.root.turn))),
    ("always seen from X", _asks_for(lambda marks, visit: "X")),
    ("heuristic asked for both sides", _asks_for_others),
    ("one ply less", _all_plies(-1)),
    ("one ply more", _all_plies(1)),
    ("moves in another order", _sorts),
    ("heuristic asked at another depth", _any_ply),
    ("heuristic asked twice", _asks_again),
    ("moves in another order", _other_order),
    ("heuristic's value changed", _changes_the_heuristic),
    ("never cuts", _never_cuts),
    ("window too narrow at the start", _narrow),
    ("cuts too much", _cuts(less=True, more=False)),
    ("cuts too little", _cuts(less=False, more=True)),
    ("looks at other boards", _other_boards),
)
