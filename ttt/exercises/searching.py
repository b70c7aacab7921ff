"""Names the mistakes of a function that searches a tree, from what it asked the heuristic that it was given.

What was asked shows where a search has been: which boards, in which order, how deep, and for whom. So a mistake is
found however the function was written, and with whatever else is wrong with it. The first that applies is told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

from ttt.board import Board, Mark, opponent
from ttt.exercises.answers import Answer, Mistake, Question
from ttt.exercises.exercise import Case, Exercise

Asked = tuple[tuple[Board, Mark], ...]


@dataclass(frozen=True)
class Visit:
    """A question, and what a function asked the heuristic to answer it."""

    case: Case
    answer: Answer

    @property
    def root(self) -> Board:
        """The board that the search begins with."""
        return self.case.board

    @property
    def depth(self) -> int:
        """The plies to look ahead."""
        depth: int = self.case.question[1]
        return depth

    @property
    def asked(self) -> Asked:
        """What the heuristic was asked."""
        return self.answer.asked

    @cached_property
    def leaves(self) -> list[Board]:
        """The unfinished boards at that depth, in the order of the moves: what minimax asks about."""
        return list(_leaves(self.root, self.depth))

    def plies(self, board: Board) -> int:
        """How far below the root a board is."""
        return len(self.root.moves) - len(board.moves)


def _leaves(board: Board, depth: int) -> Iterator[Board]:
    if board.over:
        return
    if depth == 0:
        yield board
        return
    for move in board.moves:
        yield from _leaves(board.play(move), depth - 1)


def diagnosed(exercise: Exercise, answers: Sequence[Answer], shown: Question) -> Mistake | None:
    """The mistake of a function that gives these answers to the exercise's probes; None if none is sure."""
    visits = [Visit(exercise.case(place), answer) for place, answer in enumerate(answers)]
    asking = [visit for visit in visits if visit.asked]
    if not asking:
        return _mistake("heuristic never asked") if any(visit.leaves for visit in visits) else None
    for name, applies in SIGNS.items():
        if applies(asking):
            return _mistake(name)
    wrong = [visit for visit in visits if not visit.case.is_answered_by(visit.answer)]
    if not wrong:
        return None
    if all(_has_other_sign(visit) for visit in wrong):
        return _mistake("sign of the value")
    if all(visit.answer.value == visit.case.value for visit in visits):
        every = all([board for board, _ in visit.asked] == visit.leaves for visit in visits)
        return _mistake("never cuts" if every else "looks at other boards")
    return None


def _mistake(name: str) -> Mistake:
    return Mistake(name, SENTENCES[name])


def _asks_for(player: Callable[[Board, Visit], Mark]) -> Callable[[list[Visit]], bool]:
    """Whether the heuristic is always asked for this player, and not always for the side to move at the root."""

    def applies(visits: list[Visit]) -> bool:
        asked = [(board, mark, visit) for visit in visits for board, mark in visit.asked]
        always = all(mark == player(board, visit) for board, mark, visit in asked)
        return always and any(mark != visit.root.turn for _, mark, visit in asked)

    return applies


def _asks_for_others(visits: list[Visit]) -> bool:
    return any(mark != visit.root.turn for visit in visits for _, mark in visit.asked)


def _all_plies(further: int) -> Callable[[list[Visit]], bool]:
    """Whether all boards asked about are so many plies further down than they should be, if any can be."""

    def applies(visits: list[Visit]) -> bool:
        asked = ((visit, board) for visit in visits for board, _ in visit.asked)
        return all(visit.plies(board) == max(0, visit.depth + further) for visit, board in asked)

    return applies


def _any_ply(visits: list[Visit]) -> bool:
    return any(visit.plies(board) != visit.depth for visit in visits for board, _ in visit.asked)


def _asks_again(visits: list[Visit]) -> bool:
    """Whether the heuristic is asked about every board more than once, one time after the other."""
    runs = [len(list(run)) for visit in visits for _, run in groupby(visit.asked)]
    return min(runs) > 1


def _other_order(visits: list[Visit]) -> bool:
    """Whether boards are asked about in another order than that of the moves."""
    return any(not _in_order([board for board, _ in visit.asked], visit.leaves) for visit in visits)


def _in_order(some: list[Board], all_of_them: list[Board]) -> bool:
    left = iter(all_of_them)
    return all(board in left for board in some)


def _has_other_sign(visit: Visit) -> bool:
    value, right = visit.answer.value, visit.case.value
    numbers = isinstance(value, (int, float)) and isinstance(right, (int, float)) and value == -right
    return numbers and visit.answer.digest == visit.case.digest


# What shows each mistake, the plainest first.
SIGNS: dict[str, Callable[[list[Visit]], bool]] = {
    "end of the game tested after the depth": lambda visits: any(
        board.winner for visit in visits for board, _ in visit.asked
    ),
    "draws not seen": lambda visits: any(board.over for visit in visits for board, _ in visit.asked),
    "heuristic asked for the side to move": _asks_for(lambda board, visit: board.turn),
    "heuristic asked for the side that has moved": _asks_for(lambda board, visit: opponent(board.turn)),
    "heuristic asked for the other side": _asks_for(lambda board, visit: opponent(visit.root.turn)),
    "always seen from X": _asks_for(lambda board, visit: "X"),
    "heuristic asked for both sides": _asks_for_others,
    "one ply less": _all_plies(-1),
    "one ply more": _all_plies(1),
    "heuristic asked at another depth": _any_ply,
    "heuristic asked twice": _asks_again,
    "moves in another order": _other_order,
}

SENTENCES = {
    "heuristic never asked": (
        "Your function never asks the heuristic. An unfinished board at depth 0 is worth heuristic(board, player)."
    ),
    "end of the game tested after the depth": (
        "Your function asks the heuristic about games that are won. Test board.over before the depth: a finished game "
        "has its own worth."
    ),
    "draws not seen": (
        "Your function asks the heuristic about full boards that nobody has won. They are finished, too, and worth 0: "
        "test board.over, not only board.winner."
    ),
    "heuristic asked for the side to move": (
        "Your function asks the heuristic for the side to move on the board at the end. Ask it for the side to move at "
        "the root, on every board: keep board.turn before you go down."
    ),
    "heuristic asked for the side that has moved": (
        "Your function asks the heuristic for the side that has made the last move. Ask it for the side to move at the "
        "root, on every board: keep board.turn before you go down."
    ),
    "heuristic asked for the other side": (
        "Your function asks the heuristic for the opponent. Ask it for the side to move at the root."
    ),
    "always seen from X": (
        "Your function asks the heuristic for X, whoever is to move. Ask it for the side to move at the root, which "
        "may be O."
    ),
    "heuristic asked for both sides": (
        "Your function asks the heuristic now for one side, now for the other. Ask it for the side to move at the "
        "root, on every board: keep board.turn before you go down."
    ),
    "one ply less": (
        "Your function looks one ply less far ahead. At depth 1 it must look at the boards after each move, and at "
        "depth 0 at the board itself."
    ),
    "one ply more": (
        "Your function looks one ply further ahead. At depth 0 it must ask the heuristic about the board itself."
    ),
    "heuristic asked at another depth": (
        "Your function asks the heuristic about boards that are not at the depth asked for. Is the depth passed down "
        "one smaller with each move?"
    ),
    "heuristic asked twice": (
        "Your function asks the heuristic more than once about the same board. Keep its answer in a variable."
    ),
    "moves in another order": "Your function tries the moves in another order. Take them as board.moves gives them.",
    "sign of the value": (
        "Your function gives the right numbers with the wrong sign. The value is that of the side to move at the root."
    ),
    "never cuts": (
        "Your function never cuts: it looks at everything that minimax looks at. Is alpha raised, or beta lowered, "
        "after each move? Are both passed down with each call? And is the loop left with break as soon as "
        "alpha >= beta?"
    ),
    "looks at other boards": (
        "Your values are right, but your function does not cut where alpha-beta does. A node's loop ends as soon as "
        "alpha >= beta, no earlier and no later; only the first call begins with -inf and inf."
    ),
}
