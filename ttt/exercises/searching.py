"""Names the mistakes of a function that searches a tree, from what it asked the heuristic that it was given.

What was asked shows where a search has been: which boards, in which order, how deep, and for whom. So a mistake is
found however the function was written, and with whatever else is wrong with it. The first that applies is told.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import groupby

from ttt.board import Board, Mark, opponent
from ttt.exercises.answers import Answer, Mistake, Question, Value
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

    @cached_property
    def right(self) -> list[Board] | None:
        """What the right search asks about, in order; None where it is not known."""
        if self.depth == 0:
            return self.leaves
        if not self.case.tree:
            return None
        ends = [reduce(Board.play, node.moves, self.root) for node in self.case.tree if len(node.moves) == self.depth]
        return [board for board in ends if not board.over]

    @property
    def boards(self) -> list[Board]:
        """The boards that were asked about, in order."""
        return [board for board, _ in self.asked]

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


def asked_in_words(case: Case, answer: Answer) -> str:
    """How what a function asked the heuristic differs from what the right search asks it, as the rest of a sentence."""
    visit = Visit(case, answer)
    if visit.right is None:
        return "the heuristic is not asked about the boards that alpha-beta asks it about, or not in the same order"
    if not _misses(visit) and not _has_more(visit):
        if any(player != case.player for _, player in visit.asked):
            return f"the heuristic is not asked for {case.player}, the side to move at the root"
        return "the heuristic is not asked about the boards in the order of the moves"
    if len(visit.asked) == len(visit.right):
        return "the heuristic is asked about other boards than alpha-beta asks it about"
    return f"your function asks the heuristic {_times(len(visit.asked))}, and alpha-beta {_times(len(visit.right))}"


def _times(number: int) -> str:
    return {1: "once", 2: "twice"}.get(number, f"{number} times")


def diagnosed(exercise: Exercise, answers: Sequence[Answer], shown: Question) -> Mistake | None:
    """The mistake of a function that gives these answers to the exercise's probes; None if none is sure."""
    visits = [Visit(exercise.case(place), answer) for place, answer in enumerate(answers)]
    wrong = [visit for visit in visits if not visit.case.is_answered_by(visit.answer)]
    if not wrong:
        return None
    if all(map(_has_other_sign, wrong)) and not all(visit.root.over for visit in wrong):
        return _mistake("sign of the value")
    for name, applies in SIGNS.items():
        if applies(visits):
            return _mistake(name)
    values_right = all(visit.answer.value == visit.case.value for visit in visits)
    if values_right and all(visit.boards == visit.leaves for visit in visits):
        return _mistake("never cuts")
    known = [visit for visit in visits if visit.right is not None]
    missing, more = any(map(_misses, known)), any(map(_has_more, known))
    if missing and not more:
        return _mistake("cuts too much")
    return _mistake("cuts too little" if more and not missing else "looks at other boards") if values_right else None


def _mistake(name: str) -> Mistake:
    return Mistake(name, SENTENCES[name])


def _misses(visit: Visit) -> bool:
    """Whether the right search asks about boards that were not asked about."""
    return bool(Counter(visit.right) - Counter(visit.boards))


def _has_more(visit: Visit) -> bool:
    """Whether boards were asked about that the right search does not ask about."""
    return bool(Counter(visit.boards) - Counter(visit.right))


def _never_asks(visits: list[Visit]) -> bool:
    return not any(visit.asked for visit in visits)


def _asks_at_the_root_alone(visits: list[Visit]) -> bool:
    return all(visit.depth == 0 for visit in visits if visit.asked)


def _gives_ends(right: Callable[[float], bool], given: Callable[[float], bool]) -> Callable[[list[Visit]], bool]:
    """Whether a finished root with such a worth gets such another one."""

    def applies(visits: list[Visit]) -> bool:
        ends = [visit for visit in visits if visit.root.over and visit.answer.value != visit.case.value]
        return any(right(_number(visit.case.value)) and given(_number(visit.answer.value)) for visit in ends)

    return applies


def _number(value: Value) -> float:
    return value if isinstance(value, (int, float)) else 0


def _changes_the_heuristic(visits: list[Visit]) -> bool:
    """Whether at depth 0 something else is returned than what the heuristic said."""
    asking = (visit for visit in visits if visit.depth == 0 and visit.answer.digest == visit.case.digest)
    return any(visit.answer.value != visit.case.value for visit in asking if not visit.root.over)


def _asks_about_ends(won: bool) -> Callable[[list[Visit]], bool]:
    """Whether boards that are won, or full without a winner, are asked about, and otherwise the last ply alone."""

    def applies(visits: list[Visit]) -> bool:
        asked = [(board, visit) for visit in visits for board in visit.boards]
        ends = [(board, visit) for board, visit in asked if board.over and bool(board.winner) == won]
        elsewhere = [board for board, visit in asked if visit.plies(board) != visit.depth]
        return bool(ends) and all(board.over for board in elsewhere)

    return applies


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
        asked = ((visit, board) for visit in visits for board in visit.boards)
        return all(visit.plies(board) == max(0, visit.depth + further) for visit, board in asked)

    return applies


def _any_ply(visits: list[Visit]) -> bool:
    return any(visit.plies(board) != visit.depth for visit in visits for board in visit.boards)


def _asks_again(visits: list[Visit]) -> bool:
    """Whether the heuristic is asked about every board more than once, one time after the other."""
    runs = [len(list(run)) for visit in visits for _, run in groupby(visit.asked)]
    return min(runs, default=0) > 1


def _other_order(visits: list[Visit]) -> bool:
    """Whether boards are asked about in another order than that of the moves."""
    return any(not _in_order(visit.boards, visit.leaves) for visit in visits)


def _in_order(some: list[Board], all_of_them: list[Board]) -> bool:
    left = iter(all_of_them)
    return all(board in left for board in some)


def _has_other_sign(visit: Visit) -> bool:
    value, right = visit.answer.value, visit.case.value
    numbers = isinstance(value, (int, float)) and isinstance(right, (int, float)) and value == -right
    return numbers and visit.answer.digest == visit.case.digest


# What shows each mistake, the plainest first.
SIGNS: dict[str, Callable[[list[Visit]], bool]] = {
    "heuristic never asked": _never_asks,
    "depth not counted down": _asks_at_the_root_alone,
    "end of the game tested after the depth": _asks_about_ends(won=True),
    "draws not seen": _asks_about_ends(won=False),
    "sign of the win": _gives_ends(right=lambda worth: worth != 0, given=lambda worth: worth == 1000),
    "another worth for a win": _gives_ends(right=lambda worth: worth != 0, given=lambda worth: True),
    "draws worth something": _gives_ends(right=lambda worth: worth == 0, given=lambda worth: True),
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
    "heuristic's value changed": _changes_the_heuristic,
}

SENTENCES = {
    "depth not counted down": (
        "Your function asks the heuristic only if it is called with depth 0. Pass depth - 1 down with each move."
    ),
    "sign of the win": (
        "Your function counts a won game for the wrong side. In negamax the side to move on a finished board has lost "
        "it; seen from the root, a win of the side to move there is worth 1,000, and one of the other side -1,000."
    ),
    "another worth for a win": (
        "A won game is always worth 1,000 to the winner and -1,000 to the loser, however soon it is won; your function "
        "gives other values."
    ),
    "draws worth something": "A drawn game is worth 0; your function gives another value.",
    "heuristic's value changed": (
        "At depth 0 your function does not return what the heuristic says of the board. Return its value as it is."
    ),
    "cuts too much": (
        "Your function cuts off moves that matter. Leave the loop only when alpha >= beta, after the new value has "
        "been taken into account; each side moves its own bound only."
    ),
    "cuts too little": (
        "Your values are right, but your function does not cut everywhere. Leave the loop as soon as alpha >= beta; "
        "each call must get both bounds of the board above it."
    ),
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
        "after each move? Are both passed down with each call, in negamax as -beta, -alpha? And is the loop left "
        "with break as soon as alpha >= beta?"
    ),
    "looks at other boards": (
        "Your values are right, but your function does not cut where alpha-beta does. A node's loop ends as soon as "
        "alpha >= beta, no earlier and no later; only the first call begins with -inf and inf."
    ),
}
