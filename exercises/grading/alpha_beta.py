"""The key to the exercise alpha-beta, which is in `lab/checks/alpha_beta.toml`: its points.

A function whose values are those of a right search with a known change, or with two, loses what the changes cost, and
is otherwise judged by the changed search: for whom and how deep it asks the heuristic, how much it cuts, and in which
order. What no change explains is judged by groups of questions, by shape of the board, side to move and depth.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from itertools import combinations, groupby, islice, product
from math import isclose
from random import Random
from statistics import fmean
from typing import Any, NamedTuple

from lab.checks.calling import Answer, Question, ask, heuristic_named
from lab.checks.exercise import Case, Exercise, each_way, edited, function, mistake_named
from lab.checks.graded import BOARDS, answered, forms, load, played, questions, settings
from lab.checks.verdict import Verdict, compared
from lab.timeouts import Clock

from exercises.grading.key import CHANGES, Earned, Key, parts_of
from ttt.board import Board, own_and_other

_NAME = "alpha_beta"
DEPTHS = ("now", "one", "deeper", "deeper", "deeper")  # the parts with values where no game ends, by depth
EARLY, LATE = range(4, 10), range(2, 6)  # numbers of free cells where no game ends, and where some do
TIES = (99, 1, 99, 9)  # the largest made-up numbers: small ones make ties
ON_3X3 = 0.6  # how much of a part its groups on 3×3 are worth
TRIES = 500  # to find a board
FULL, HALF = 0.6, 0.25  # of the boards that alpha-beta saves: all points for cuts, and half of them
FAR = 1e7  # beyond every number that a heuristic or a win can be worth
TOTAL = 15
LEAST = 5  # points by groups; below, a person should look at what no known change explains
MEASURED = "another worth for a win"
NEVER, NO_CUT = "never cuts", "\n            if alpha >= beta:\n                break\n"
WORTH = ["    def go(", "    top = depth\n\n    def go(", "1000", "worth(top - depth, depth)"]  # as measured


@dataclass(eq=False)
class Search:
    """A right search with known changes, and its answers as far as they were needed."""

    changes: tuple[str, ...]
    cost: float
    source: str
    given: Any = None

    def __post_init__(self) -> None:
        self.found: dict[Question, Answer] = {}

    @cached_property
    def function(self) -> Callable[..., Any]:
        """The search itself."""
        return function(_NAME, self.source, worth=self.given)

    def answer(self, question: Question) -> Answer:
        """What it answers, asked once."""
        if question not in self.found:
            self.found[question] = numbered(ask(self.function, question, Clock()))
        return self.found[question]


class Asked(NamedTuple):
    """A question for a part, with its right answer and the function's, and its place among all questions."""

    part: str
    case: Case
    answer: Answer
    place: int

    @property
    def group(self) -> tuple[object, ...]:
        """What is right or wrong together; its first item tells whether the board is 3×3."""
        board, depth, _ = self.case.question
        return board.shape == (3, 3), *((board.turn, depth) if self.part in DEPTHS else ())

    def value_as(self, search: Search) -> bool:
        """Whether the value is that of this search, but for rounding."""
        value, other = self.answer.value, search.answer(self.case.question).value
        return value == other or (value is not None and other is not None and isclose(value, other))  # type: ignore[arg-type]

    def calls(self, search: Search) -> list[str]:
        """The calls of the heuristic for a side and at a depth for which this search asks it."""
        kinds = {(call[-1], call.count("-")) for call in search.answer(self.case.question).asked}
        return [call for call in self.answer.asked if (call[-1], call.count("-")) in kinds]

    def equals(self, search: Search) -> bool:
        """Whether both the value and the boards asked about are those of this search."""
        return self.answer.asked == search.answer(self.case.question).asked and self.value_as(search)

    def asks_well(self, search: Search) -> bool:
        """Whether the heuristic is asked only for the sides and at the depths for which this search asks it."""
        calls = self.calls(search)
        twice = self.same_boards(search) and calls != [*search.answer(self.case.question).asked]
        return len(self.answer.asked) == len(calls) > 0 and not twice

    def same_boards(self, search: Search) -> bool:
        """Whether the heuristic is asked about the boards that this search asks about, in the same order."""
        return once_each(self.calls(search)) == once_each(search.answer(self.case.question).asked)

    def settled(self, search: Search) -> bool:
        """Whether the boards asked about settle the value: it stays the same whatever all others are worth."""
        board, depth, name = self.case.question
        says, seen = heuristic_named(name), {call[:-1] for call in self.answer.asked}
        if seen.issuperset(call[:-1] for call in search.answer(self.case.question).asked):
            return True

        def value(far: float) -> float:
            return search.function(board, depth, lambda b, who: says(b, who) if "".join(b) in seen else far)  # type: ignore[no-any-return]

        return all(isclose(value(far), self.answer.value or 0) for far in (-FAR, FAR))

    def saved(self, search: Search) -> float:
        """The share of the boards that this search saves which the function saves, too."""
        board, due = self.case.question[0], {*search.answer(self.case.question).asked}
        every = len(leaves(board, len(board.moves) - min(call.count("-") for call in due)))
        most = every - len(due)
        return max(0, every - max(len({*self.calls(search)}), len(due))) / most if most else 1


def once_each(calls: Iterable[str]) -> list[str]:
    """The calls, each once where it is made several times in a row."""
    return [call for call, _ in groupby(calls)]


@cache
def make_key(seed: str = "") -> Key:
    """Build the key; the seed draws the questions students don't have."""
    exercise = load(_NAME)
    small, deep = questions(Random(f"{_NAME} {seed}"))
    own = [*drawn(Random(f"points {seed}"))]
    fresh = [*small[::2], *deep, *(question for _, question in own)]
    more = answered(function(_NAME, forms(_NAME)[0]), fresh)
    return Key(replace(exercise, cases=(*exercise.cases, *more)), partial(_points, [part for part, _ in own]))


def _points(parts: Sequence[str], exercise: Exercise, answers: Sequence[Answer], _verdict: Verdict) -> Earned:
    """The points by part, and a sentence for each change and for each part that lost some."""
    first = len(exercise.cases) - len(parts)
    given = [numbered(answers[n]) if n < len(answers) else Answer() for n in range(first, len(exercise.cases))]
    every = [Asked(*one, n) for n, one in enumerate(zip(parts, exercise.cases[first:], given, strict=True), first)]
    found = [by_changes(every, search) for search in explaining(every)]
    if not all(one.value_as(changed()[0]) for one in every):
        found.append(by_groups(every, exercise))
    best = max(found, key=lambda earned: sum(earned.points.values()))
    if sum(best.points.values()) == TOTAL and (
        number := len(exercise.wrong(answers[:first]))
    ):  # the questions happen to miss this mistake
        told = [f"Your function is wrong on {number} of {first} other questions. (−1)"]
        return Earned({**best.points, "order": best.points["order"] - 1}, told)
    return best


# ---------------------------------------------------------------------------------------------------- known changes


@cache
def changed() -> list[Search]:
    """The right search, and right searches with one known change that has a cost."""
    found = [Search((), 0, forms(_NAME)[0])]
    for name, way, cost in costed():
        sources = dict.fromkeys(edited(form, way) for form in forms(_NAME))
        found += [Search((name,), cost, source) for source in sources if source]
    return sorted(found, key=lambda search: search.cost)


def costed() -> Iterator[tuple[str, list[str], float]]:
    """The ways to make each change that has a cost."""
    edits = settings(_NAME)["edits"]
    for name, cost in settings(_NAME)["costs"].items():
        costs = cost if isinstance(cost, list) else [cost] * len(edits[name])
        for ways, one in zip(edits[name], costs, strict=True):
            yield from (
                (name, way, one) for way in each_way([ways]) if name == NEVER or NO_CUT not in way
            )  # cuts are measured


@cache
def changed_twice() -> list[Search]:
    """Right searches with two of the changes that are made often."""
    common = [(name, way, cost) for name, way, cost in costed() if name in settings(_NAME)["together"]["common"]]
    found = []
    for (name, way, cost), (other, more, price) in combinations(common, 2):
        sources = {edited(edited(form, way), more) or edited(edited(form, more), way) for form in forms(_NAME)[:2]}
        found += [Search((name, other), cost + price, source) for source in sources - {""} if name != other]
    return sorted(found, key=lambda search: search.cost)


def explaining(every: Sequence[Asked]) -> list[Search]:
    """The searches that give all these values: with one change, or else with two."""
    right = changed()[0]
    order = sorted(every, key=lambda one: (one.value_as(right), one.case.question[1], len(one.case.question[0].moves)))

    def among(searches: Sequence[Search]) -> list[Search]:
        return [search for search in searches if all(one.value_as(search) for one in order)]

    exact = next((search for search in changed() if all(one.equals(search) for one in order)), None)
    if exact or all(one.value_as(right) for one in order):
        return [exact or right]
    worth = measured(every)
    own = [Search((MEASURED,), settings(_NAME)["costs"][MEASURED], edited(right.source, WORTH), worth)]
    both = [
        Search((MEASURED, *one.changes), own[0].cost + one.cost, edited(one.source, WORTH), worth)
        for one in (*changed()[1:], *changed_twice())
        if MEASURED not in one.changes and edited(one.source, WORTH)
    ]
    return among(changed()) or (among(own) if worth else []) or among(changed_twice()) or (among(both) if worth else [])


def measured(every: Sequence[Asked]) -> Callable[[int, int], float] | None:
    """What a win is worth to its winner, by plies from the root and plies left; None if that isn't a worth."""
    found: dict[tuple[int, int], float] = {}
    for one in every:
        board, depth, _ = one.case.question
        if (win := only_win(board, depth)) and isinstance(one.answer.value, int | float):
            winner, ply = win
            found[ply, depth - ply] = one.answer.value if winner == board.turn else -one.answer.value
    if not found or min(found.values()) <= 0:
        return None
    return lambda ply, left: found.get((ply, left), 1000)


def by_changes(every: Sequence[Asked], search: Search) -> Earned:
    """The points of a function with the values of this search."""
    points = {part.name: float(part.points) for part in parts_of(_NAME)}
    told = [f"{mistake_named(name, _NAME).sentence}" for name in search.changes]
    if search.changes:
        points[CHANGES.name] = -search.cost
        told[-1] += f" (−{search.cost:g})"
    asking = [one for one in every if one.part in ("one", "deeper")]
    deep = [one for one in every if one.part == "deeper"]
    judged: dict[str, float] = {
        "asked": all(one.asks_well(search) for one in asking),
        "order": all(one.same_boards(search) for one in deep),
    }
    level, saved, settled = 1.0, 1.0, True
    if search.changes and all(one.equals(search) for one in every):
        judged = {}
        told.append("Everything else is right.")
    elif not judged["order"]:
        some = [one for one in deep if " to 99" in one.case.question[2]][::2]
        settled = all(one.settled(search) for one in some)
        saved = fmean(one.saved(search) for one in some) * settled
        level = 1 if saved >= FULL else 0.5 if saved >= HALF else 0
    words = {
        "asked": "It asks the heuristic at other depths, too, or for another side.",
        "cuts": f"It skips {100 * saved:.0f} % of the boards that alpha-beta skips."
        if settled
        else "The boards that it asks the heuristic about don't settle its values.",
        "order": "It doesn't look at exactly alpha-beta's boards, in the same order.",
    }
    for part, share in (judged | {"cuts": level} | ({} if settled else {"asked": 0})).items():
        if lost := points[part] * (1 - share):
            points[part] -= lost
            told.append(f"{words[part]} (−{lost:g})")
    lost = sum(part.points for part in parts_of(_NAME)) - sum(points.values()) - search.cost
    most, rest = max(lost, search.cost), min(lost, search.cost)
    points[CHANGES.name] += max(0, rest - (TOTAL - most) / 2)  # the lesser loss takes at most half of what is left
    return Earned(points, told, "; ".join(search.changes))


# ------------------------------------------------------------------------------------------------ groups of questions


def by_groups(every: Sequence[Asked], exercise: Exercise) -> Earned:
    """The points by part: the share of groups whose answers are all right."""
    right = changed()[0]
    of = {part: [one for one in every if one.part == part] for part in dict.fromkeys(one.part for one in every)}
    judged = {part: [(one, one.value_as(right)) for one in of[part]] for part in of}
    judged["asked"] = [(one, one.asks_well(right)) for one in (*of["one"], *of["deeper"])]
    fine = {one.group for one in of["deeper"]} - {one.group for one in of["deeper"] if not one.value_as(right)}
    some = [one for one in of["deeper"] if one.group in fine and " to 99" in one.case.question[2]]
    saved = fmean([one.saved(right) for one in some if one.settled(right)] or [0])
    level = 1 if saved >= FULL else 0.5 if saved >= HALF else 0
    judged["cuts"] = [(one, one.group in fine and level > 0) for one in of["deeper"]]
    judged["order"] = [(one, one.group in fine and one.same_boards(right)) for one in of["deeper"]]
    points, told = {part.name: 0.0 for part in parts_of(_NAME)}, []
    for part in filter(lambda part: part.points, parts_of(_NAME)):
        share = earned(judged[part.name]) * (level if part.name == "cuts" else 1)
        points[part.name] = in_halves(part.points * share, part.points)
        if lost := part.points - points[part.name]:
            wrong = [one for one, good in judged[part.name] if not good] or of["deeper"]
            where = f"{len(wrong)} of {len(judged[part.name])} questions about {part.title.partition(':')[0]}"
            board = str(wrong[0].case.question[0]).replace("\n", " / ")
            shown = compared(exercise, wrong[0].place, wrong[0].answer)
            told.append(f"Your function is wrong in {where}. On {board}: {shown} (−{lost:g})")
    some_points = 0 < sum(points.values()) < LEAST and any(one.answer.asked for one in of["deeper"])
    return Earned(points, told if any(points.values()) else (), unsure=some_points)


def earned(judged: Sequence[tuple[Asked, bool]]) -> float:
    """The share of a part that is earned: its groups on 3×3 count three fifths together, and the others the rest."""
    groups = defaultdict[tuple[object, ...], list[bool]](list)
    for one, right in judged:
        groups[one.group].append(right)
    small, larger = (
        [all(some) for group, some in groups.items() if group[0] == is_small] for is_small in (True, False)
    )
    return ON_3X3 * sum(small) / len(small) + (1 - ON_3X3) * sum(larger) / len(larger)


def in_halves(points: float, most: int) -> float:
    """The points to the nearest half, but not all of them if something was lost."""
    return most if isclose(points, most) else min(int(2 * points + 0.5) / 2, most - 0.5)


def numbered(answer: Answer) -> Answer:
    """The answer with infinity and very large numbers as its value, too."""
    if answer.value is None and answer.fault in ("no number", "number too large"):
        with suppress(ValueError):
            return answer._replace(value=float(answer.words.strip("“”").replace("−", "-")))
    return answer


# ----------------------------------------------------------------------------------------------------- what is asked


def drawn(rng: Random) -> Iterator[tuple[str, Question]]:
    """Yield questions, each with its part: on each shape, for each side, at each depth."""

    def asked(board: Board, depth: int, ties: int = 99) -> Question:
        return board, depth, f"numbers to {ties}, {rng.getrandbits(40):x}"

    def found(shape: Board, side: str, free: Sequence[int], wanted: Callable[[Board], bool]) -> Iterator[Board]:
        """Yield such a board, unless there seems to be none."""
        tries = (played(rng, shape, rng.choice(free), lambda _: True) for _ in range(TRIES))
        yield from islice((end for end in tries if not end.over and end.turn == side and wanted(end)), 1)

    for shape, winner, left in product(BOARDS, (None, "X", "O"), (0, 2)):
        yield "over", asked(played(rng, shape, 0, lambda end, won=winner: end.over and end.winner == won), left)  # type: ignore[misc]
    for shape, side, depth in product(BOARDS, "XO", range(5)):
        goes_on, ends = partial(_ends, depth, False), partial(_ends, depth, True)
        for ties in TIES if depth < 4 or shape is BOARDS[2] else ():
            yield from ((DEPTHS[depth], asked(board, depth, ties)) for board in found(shape, side, EARLY, goes_on))
        if depth in (1, 2, 3):
            yield from (("mixed", asked(board, depth)) for board in found(shape, side, LATE, ends))
            yield from (("ends", asked(board, 3)) for board in found(shape, side, range(1, 4), lambda _: True))
            for ply in range(1, min(depth, 2) + 1):  # boards that tell what a win then is worth
                told = partial(_wins_at, depth, ply)
                yield from (("ends", asked(board, depth)) for board in found(shape, side, range(ply, ply + 1), told))
    yield "ends", asked(WON_LAST, 3)


WON_LAST = Board.from_text("-X- XOO -OX")  # a win is possible at ply 3 only, which is too rare to wait for


def _ends(depth: int, wanted: bool, board: Board) -> bool:
    """Whether some games end within the depth but others don't, or whether none does."""
    return can_end(board, depth) == wanted and len(board.moves) > depth


def _wins_at(depth: int, ply: int, board: Board) -> bool:
    win = only_win(board, depth)
    return bool(win and win[1] == ply)


@cache
def only_win(board: Board, depth: int) -> tuple[str, int] | None:
    """The winner, and when, if only that win is possible within the depth, all games end there, and it is forced."""
    if len(board.moves) > depth and not board.over:
        return None
    wins = {end for end in ends_of(board) if end[0]}
    value = function(_NAME, forms(_NAME)[0])(board, depth, lambda *_: 0)
    return wins.pop() if len(wins) == 1 and value else None  # type: ignore[return-value]


def ends_of(board: Board, ply: int = 0) -> set[tuple[str | None, int]]:
    """How games can end: winner and ply."""
    if board.over:
        return {(board.winner, ply)}
    return set().union(*(ends_of(board.play(move), ply + 1) for move in board.moves))


def can_end(board: Board, depth: int) -> bool:
    """Whether a game can end within the depth: on a full board, or with a line that one side can complete alone."""
    own, other = own_and_other(board, board.turn)
    sides = ((own, other, (depth + 1) // 2), (other, own, depth // 2))
    return len(board.moves) <= depth or any(
        not line & theirs and (line & ~mine).bit_count() <= moves
        for mine, theirs, moves in sides
        for line in board.line_masks
    )


@cache
def leaves(board: Board, depth: int) -> frozenset[Board]:
    """The boards minimax asks the heuristic about."""
    if board.over or depth == 0:
        return frozenset() if board.over else frozenset([board])
    return frozenset().union(*(leaves(board.play(move), depth - 1) for move in board.moves))
