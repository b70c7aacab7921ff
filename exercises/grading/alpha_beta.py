"""The key to the exercise alpha-beta, which is in `lab/checks/alpha_beta.toml`: its points.

A function whose values are those of a right search with a known change, or with two, loses what the changes cost, and
is otherwise judged by the changed search: for whom and how deep it asks the heuristic, how much it cuts, and in which
order. What no change explains is judged by the share of questions of each part.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from itertools import chain, combinations, count, groupby, islice, product
from math import isclose, isfinite
from random import Random
from statistics import fmean
from typing import Any, NamedTuple

from lab.checks.calling import Answer, Question, ask, heuristic_named
from lab.checks.exercise import Case, Exercise, each_way, edited, function, mistake_named
from lab.checks.graded import BOARDS, answered, forms, load, played, questions, settings
from lab.checks.verdict import Verdict, short
from lab.timeouts import Clock

from exercises.grading.key import CHANGES, Earned, Key, Lost, full_points, parts_of, total
from ttt.board import Board, own_and_other

_NAME = "alpha_beta"
DEPTHS = ("now", "one", "deeper", "deeper", "deeper")  # the parts with values where no game ends, by depth
EARLY, LATE = range(4, 10), range(2, 6)  # numbers of free cells where no game ends, and where some do
TIES = (99, 1, 99, 9)  # the largest made-up numbers: small ones make ties
TRIES = 500  # to find a board
FULL, HALF = 0.6, 0.25  # of the boards that alpha-beta saves: all points for cuts, and half of them
FAR = 1e7  # beyond every number that a heuristic or a win can be worth
LEAST = 5  # points; below, a person should look at what no known change explains
Worth = Callable[[int, int, int], float]
MEASURED, BY_DEPTH = "another worth for a win", "deeper step by step"
NO_CUT = "\n            if alpha >= beta:\n                break\n"
WORTH = [
    "    def go(",
    "    top = depth\n\n    def go(",
    "1000",
    "worth(top - depth, depth, len(board.moves))",
]  # as measured


@dataclass(eq=False)
class Search:
    """A right search with known changes, and its answers as far as they were needed."""

    changes: tuple[str, ...]
    costs: tuple[float, ...]
    source: str
    cuts: bool = True
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

    part: str  # "" for a question that students have, too
    case: Case
    answer: Answer
    place: int

    def value_as(self, search: Search) -> bool:
        """Whether the value is that of this search, but for rounding."""
        return alike(self.answer, search.answer(self.case.question))

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
        asks = bool(calls) == bool(search.answer(self.case.question).asked)
        return len(self.answer.asked) == len(calls) and asks and not twice

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


def alike(one: Answer, other: Answer) -> bool:
    """Whether two answers have the same value, but for rounding."""
    if one.value == other.value:
        return True
    return None not in (one.value, other.value) and isclose(one.value, other.value)  # type: ignore[arg-type]


@cache
def make_key(seed: str = "") -> Key:
    """Build the key; the seed draws the questions students don't have."""
    exercise = load(_NAME)
    small, deep = questions(Random(f"{_NAME} {seed}"))
    own = [*drawn(Random(f"points {seed}"))]
    fresh = [*small[::2], *deep, *(question for _, question in own)]
    more = answered(function(_NAME, forms(_NAME)[0]), fresh)
    return Key(replace(exercise, cases=(*exercise.cases, *more)), partial(_points, [part for part, _ in own]))


def _points(parts: Sequence[str], exercise: Exercise, answers: Sequence[Answer], about: Verdict) -> Earned:
    """The points by part, and what each known change and each part has lost."""
    first = len(exercise.cases) - len(parts)
    given = [*map(numbered, answers[: len(exercise.cases)])]
    given += [Answer()] * (len(exercise.cases) - len(given))
    every = [*map(Asked, (*[""] * first, *parts), exercise.cases, given, count())]
    own = every[first:]
    if len({one.answer.value for one in own}) == 1:
        value = own[0].answer.value
        told = about.sentence if value is None else f"Your function always returns {short(value)}."
        return Earned(dict.fromkeys(full_points(_NAME), 0), [Lost(total(_NAME), told, about.place)])
    found = [by_changes(every, search, about) for search in explaining(own)] or [by_share(own)]
    best = max(found, key=lambda earned: (sum(earned.points.values()), earned.mistake == about.mistake))
    number = sum(not one.case.answered_by(one.answer) for one in every[:first])
    if best.lost or not number:
        return best
    told = f"Your function is wrong on {number} of {first} other questions."  # the others happen to miss this mistake
    return Earned({**best.points, "order": best.points["order"] - 1}, [Lost(1, told, about.place)])


# ---------------------------------------------------------------------------------------------------- known changes


@cache
def changed() -> list[Search]:
    """The right search, and right searches with one known change that has a cost."""
    found = [Search((), (), forms(_NAME)[0])]
    for name, way, cost in costed():
        sources = dict.fromkeys(edited(form, way) for form in forms(_NAME))
        found += [Search((name,), (cost,), source, NO_CUT not in way) for source in sources if source]
    return sorted(found, key=lambda search: search.costs)


def costed() -> Iterator[tuple[str, list[str], float]]:
    """The ways to make each change that has a cost, but for the worth of a win, which is measured."""
    edits = settings(_NAME)["edits"]
    for name, cost in settings(_NAME)["costs"].items():
        costs = cost if isinstance(cost, list) else [cost] * len(edits[name])
        for ways, one in zip(edits[name], costs, strict=True):
            yield from ((name, way, one) for way in each_way([ways]) if one and name != MEASURED)


@cache
def changed_twice() -> list[Search]:
    """Right searches with two of the changes that are made often."""
    common = [one for one in costed() if one[0] in settings(_NAME)["together"]["common"] and NO_CUT not in one[1]]
    found = []
    for (name, way, cost), (other, more, price) in combinations(common, 2):
        sources = {edited(edited(form, way), more) or edited(edited(form, more), way) for form in forms(_NAME)[:3]}
        found += [Search((name, other), (cost, price), source) for source in sources - {""} if name != other]
    return sorted(found, key=lambda search: sum(search.costs))


def explaining(own: Sequence[Asked]) -> list[Search]:
    """The searches that give all these values: with one change, or else with two."""
    right, worths = changed()[0], measured(own)
    order = sorted(own, key=lambda one: (one.value_as(right), one.case.question[1], len(one.case.question[0].moves)))

    def among(searches: Iterable[Search]) -> list[Search]:
        return [search for search in searches if all(one.value_as(search) for one in order)]

    def with_worth(search: Search) -> Iterator[Search]:
        source = "" if MEASURED in search.changes else edited(search.source, WORTH)
        costs = (settings(_NAME)["costs"][MEASURED], *search.costs)
        for worth in worths if source else ():
            yield Search((MEASURED, *search.changes), costs, source, search.cuts, worth)

    if all(one.value_as(right) for one in order):
        return [right]
    known, twice = changed()[1:], changed_twice()
    ways = known, with_worth(right), chain.from_iterable(map(with_worth, known)), twice
    return next(filter(None, map(among, (*ways, chain.from_iterable(map(with_worth, twice))))), [])


def measured(own: Sequence[Asked]) -> list[Worth]:
    """What a win may be worth, by plies from the root, plies left and free cells: as measured where it can be."""
    found: dict[tuple[int, int], float] = {}
    by_free: dict[int, float] = {}
    for one in own:
        board, depth, _ = one.case.question
        if (win := only_win(board, depth)) and isinstance(one.answer.value, int | float):
            winner, ply = win
            found[ply, depth - ply] = one.answer.value if winner == board.turn else -one.answer.value
            by_free[len(board.moves) - ply] = found[ply, depth - ply]
    at_once = {worth for (ply, _), worth in found.items() if not ply} - {0, 1000}
    worths: list[Worth] = [lambda *_, same=same: same for same in at_once if len(at_once) == 1]
    (low, first), (high, last) = min(by_free.items(), default=(0, 0)), max(by_free.items(), default=(0, 0))
    if min(found.values(), default=0) > 0:
        worths.append(lambda ply, left, _: found.get((ply, left), 1000))
        if high > low and isfinite(first - last):  # in proportion to the free cells
            worths.append(lambda _, __, free: first + (last - first) / (high - low) * (free - low))
    return worths


def by_changes(every: Sequence[Asked], search: Search, about: Verdict) -> Earned:
    """The points of a function with the values of this search."""
    points, deep = full_points(_NAME), [one for one in every if one.part == "deeper"]
    lost = [
        Lost(cost, mistake_named(name, _NAME).sentence, shown(every, name, search, about))
        for name, cost in zip(search.changes, search.costs, strict=True)
    ]
    named = "" if search.changes or not about.mistake else about.sentence
    of_asking = "heuristic asked" in about.mistake
    asking = [one for one in every if one.part in ("one", "deeper") and not one.asks_well(search)]
    order = [one for one in deep if not (search.cuts and one.same_boards(search)) or about.mistake == BY_DEPTH]
    if order:
        some = [one for one in deep if " to 99" in one.case.question[2]][::2]
        settled = all(one.settled(search) for one in some)
        saved = fmean(one.saved(search) for one in some) * (settled and search.cuts)
        cuts = 0 if saved >= FULL else 2 if saved >= HALF else 4
        cuts = settings(_NAME)["cuts"].get(about.mistake, cuts) if settled and not search.changes else cuts
        points |= {"order": 0, "cuts": points["cuts"] - cuts}
        points["asked"] *= settled
        told = "Your function doesn't look at exactly alpha-beta's boards, in the same order."
        told += f" It skips {100 * saved:.0f} % of the boards that alpha-beta skips." if cuts else ""
        if not settled:
            told = "The boards that your function asks the heuristic about are not enough to prove its values."
        elif named and not of_asking:
            told = named
        seen = [one for one in every if not one.part and not one.same_boards(search)]
        lost.append(Lost(total(_NAME) - sum(points.values()), told, (seen or order)[0].place))
    if asking and points["asked"]:
        points["asked"] = 0
        told = "Your function asks the heuristic more often than alpha-beta, at other depths, or for another side."
        seen = [one for one in every if not one.part and not one.asks_well(search)]
        lost.append(Lost(1, named if named and (of_asking or not order) else told, (seen or asking)[0].place))
    lost = one_after_the_other(lost)
    if search.changes and not order and not asking:
        lost[-1] = lost[-1]._replace(sentence=f"{lost[-1].sentence} Everything else is right.")
    points[CHANGES.name] = total(_NAME) - sum(one.points for one in lost) - sum(points.values())
    return Earned(points, lost, "; ".join(search.changes))


def one_after_the_other(lost: Sequence[Lost]) -> list[Lost]:
    """What is lost, the most first; each of the others takes at most half of what is left."""
    left, found = float(total(_NAME)), list[Lost]()
    for one in sorted(lost, key=lambda one: -one.points):
        taken = min(one.points, int(left) / 2) if found else one.points
        least = f" (This costs {one.points:g} points, but at most half of what is left.)" if taken < one.points else ""
        found.append(one._replace(points=taken, sentence=one.sentence + least))
        left -= taken
    return found


def shown(every: Sequence[Asked], name: str, search: Search, about: Verdict) -> int | None:
    """The smallest question that goes wrong by this change and by none of the search's others."""
    if len(search.changes) < 2:
        return about.place
    others = [one for one in changed() if {*one.changes} & {*search.changes} - {name}]
    if search.given and name != MEASURED:
        others.append(Search((MEASURED,), (), edited(changed()[0].source, WORTH), given=search.given))
    wrong = (one for one in every if not one.value_as(changed()[0]))
    return min(wrong, key=lambda one: sum(by.answer(one.case.question).value != one.case.value for by in others)).place


# ------------------------------------------------------------------------------------------- what nothing explains


def by_share(own: Sequence[Asked]) -> Earned:
    """The points by part: the share of its questions that are answered well."""
    right, points, lost = changed()[0], full_points(_NAME), []
    good = {part: [(one, one.value_as(right)) for one in own if one.part == part] for part in points}
    good["asked"] = [(one, one.asks_well(right)) for one, _ in (*good["one"], *good["deeper"])]
    good["order"] = [(one, fine and one.same_boards(right)) for one, fine in good["deeper"]]
    saves = [(one, fine and one.saved(right) >= HALF) for one, fine in good["deeper"]]
    good["cuts"] = [(one, fine and one.settled(right)) for one, fine in saves]
    for part in filter(lambda part: part.points, parts_of(_NAME)):
        points[part.name] = in_halves(part.points * fmean(fine for _, fine in good[part.name]), part.points)
        if wrong := [one.place for one, fine in good[part.name] if not fine]:
            told = f"Not right in {len(wrong)} of {len(good[part.name])} questions: {part.title.partition(': ')[0]}."
            lost.append(Lost(part.points - points[part.name], told, wrong[0]))
    return Earned(points, lost, unsure=0 < sum(points.values()) < LEAST)


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
