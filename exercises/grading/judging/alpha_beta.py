"""The key to the exercise alpha-beta, which is in `lab/checks/alpha_beta.toml`: its points.

A function whose values are those of a right search with a known change, or with two, loses what the changes cost, and
is otherwise judged by the changed search: for whom and how deep it asks the heuristic, how much it cuts, and in which
order. What no change explains is judged by the share of questions of each part.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from itertools import combinations, count, groupby
from math import inf, isclose, isfinite
from random import Random
from statistics import fmean
from threading import Lock
from typing import Any, NamedTuple

from lab.checks.calling import MOST_CALLS, Answer, Question
from lab.checks.exercise import Case, Exercise, each_way, edited, function, mistake_named
from lab.checks.graded import answered, forms, load, made, questions, settings
from lab.checks.search_trace import leaves
from lab.checks.shared_tree import Node, answer_of, named, root
from lab.checks.verdict import Verdict, short

from exercises.grading.judging.key import CHANGES, Earned, Key, Lost, full_points, parts_of, total
from exercises.grading.judging.search_questions import only_win, questions_for_cuts, questions_for_points
from ttt.board import Board

_NAME = "alpha_beta"
FULL, HALF = 0.6, 0.25  # of the boards that alpha-beta saves: all points for cuts, and half of them
FAR = 1e7  # beyond every number that a heuristic or a win can be worth
FEW = 12  # questions that tell which pairs of changes are likely
UNENDED = ("one", "deeper")  # the parts where no game ends, but for depth 0
LEAST = 5  # points; below, a person should look at what no known change explains
Worth = Callable[[int, int, int], float]
_asking = Lock()  # the grader judges in several threads
MEASURED, BY_DEPTH, AGAIN = "another worth for a win", "deeper step by step", "boards asked again"
MOVE, MOSTLY = "returns the move", 0.9
FAILS, MANY = "fails on some boards", 4
BY_LEAVES, AT_ONCE = "heuristic asked at another depth", "never looks ahead"
NO_CUT = "\n            if alpha >= beta:\n                break\n"
# A win's worth as measured.
WORTH = ["    def go(", "    top = depth\n\n    def go(", "1000", "worth(top - depth, depth, len(board.moves))"]


@dataclass(eq=False)
class Search:
    """A right search with known changes, and its answers as far as they were needed."""

    changes: tuple[str, ...]
    costs: tuple[float, ...]
    source: str
    cuts: bool = True
    worth: Worth | None = None  # of a win, as measured
    base: "Search | None" = None  # the same search, with the usual worth of a win

    def __post_init__(self) -> None:
        self.found: dict[Question, Answer] = {}
        self.won: set[Question] = set()  # questions where it sees a win

    @cached_property
    def function(self) -> Callable[..., Any]:
        """The search itself."""
        return function(_NAME, edited(self.source, WORTH) if self.worth else self.source, worth=self.worth)

    def with_change(self, name: str, worth: Worth | None = None) -> "Search":
        """This search with another change, which costs more."""
        costs = (settings(_NAME)["costs"][name], *self.costs)
        return Search((name, *self.changes), costs, self.source, self.cuts, worth or self.worth, self)

    def answer(self, question: Question) -> Answer:
        """What it answers, asked once; without a win it is what its base answers."""
        found = self.found.get(question)
        if found is None and self.base:
            found = self.base.answer(question)
            found = None if question in self.base.won and self.worth is not self.base.worth else found
        if found is None:
            with _asking:
                wins = root(question[0], question[2]).wins
                wins.clear()
                found = self.found[question] = numbered(answer_of(self.function, question))
                self.won |= {question} if wins else set()
        return found


class Asked(NamedTuple):
    """A question for a part, with its right answer and the function's, and its place among all questions."""

    part: str  # "" for a question that students have, too
    case: Case
    answer: Answer
    place: int

    def value_as(self, search: Search) -> bool:
        """Whether the value is that of this search, but for rounding, and has been looked for where no game ends."""
        due = search.answer(self.case.question)
        return alike(self.answer, due) and (self.part not in UNENDED or bool(self.answer.asked) >= bool(due.asked))

    def calls(self, search: Search) -> list[str]:
        """The calls of the heuristic for a side and at a depth for which this search asks it, but for ended games."""
        board, due = self.case.question[0], {*search.answer(self.case.question).asked}
        kinds = {(call[-1], call.count("-")) for call in due}
        like = (call for call in {*self.answer.asked} - due if (call[-1], call.count("-")) in kinds)
        due |= {call for call in like if call[:-1] in unfinished(board, len(board.moves) - call.count("-"))}
        return [call for call in self.answer.asked if call in due]

    def equals(self, search: Search) -> bool:
        """Whether both the value and the boards asked about are those of this search."""
        return self.answer.asked == search.answer(self.case.question).asked and self.value_as(search)

    def asks_well(self, search: Search) -> bool:
        """Whether the heuristic is asked only for the sides and at the depths for which this search asks it."""
        due = search.answer(self.case.question).asked
        if self.answer.asked == due:
            return True
        calls = self.calls(search)
        twice = len(calls) > len(due) and self.same_boards(search)
        return len(self.answer.asked) == len(calls) and bool(calls) == bool(due) and not twice

    def same_boards(self, search: Search) -> bool:
        """Whether the heuristic is asked about the boards that this search asks about, in the same order."""
        due = search.answer(self.case.question).asked
        if self.answer.asked == due:
            return True
        return [call for call, _ in groupby(self.calls(search))] == [call for call, _ in groupby(due)]

    def settled(self, search: Search) -> bool:
        """Whether the boards asked about settle the value: it stays the same whatever all others are worth."""
        board, depth, name = self.case.question
        says, seen = named(name), {call[:-1] for call in self.answer.asked}
        if seen.issuperset(call[:-1] for call in search.answer(self.case.question).asked):
            return True

        def value(far: float) -> float:
            return search.function(board, depth, lambda b, who: says(b, who) if "".join(b) in seen else far)  # type: ignore[no-any-return]

        return all(alike(Answer(value(far)), self.answer) for far in (-FAR, FAR))

    def boards(self, search: Search) -> tuple[int, int, int]:
        """How many boards minimax asks about, this search, and the function."""
        board, due = self.case.question[0], {*search.answer(self.case.question).asked}
        every = unfinished(board, len(board.moves) - min(call.count("-") for call in due))
        return len(every), len(due), len({*self.calls(search)})


@cache
def unfinished(board: Board, depth: int) -> set[str]:
    """The unfinished boards this many plies ahead, as text: those that minimax asks the heuristic about."""
    return {"".join(leaf) for leaf in {*leaves(board, depth)}}


def saved(asked: Sequence[Asked], search: Search) -> float:
    """The share of the boards that this search saves which the function saves, too."""
    every, due, given = map(sum, zip(*(one.boards(search) for one in asked), strict=True))
    return (every - given) / (every - due) if every > due else 0


def alike(one: Answer, other: Answer) -> bool:
    """Whether two answers have the same value, but for rounding, or the same fault."""
    try:
        return isclose(one.value, other.value)  # type: ignore[arg-type]
    except TypeError:  # not both are numbers
        return (one.value, one.fault) == (other.value, other.fault)


@cache
def make_key(seed: str = "") -> Key:
    """Build the key; the seed draws the questions students don't have."""
    exercise = load(_NAME)
    small, deep = questions(Random(f"{_NAME} {seed}"))
    own = [*questions_for_points(Random(f"points {seed}"))]
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
    found = [by_changes(every, search, about) for search in explaining(own)]
    found = found or ([returning_moves(own)] if gives_moves(own) else [by_share(own), *but_for_failures(every, about)])
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
        found += [Search((name,), (cost,), source, NO_CUT not in way) for source in made(_NAME, name, way)]
    return sorted(found, key=lambda search: search.costs)


@cache
def changed_by(name: str) -> list[Search]:
    """The right searches with just this change."""
    return [search for search in changed() if name in search.changes]


def costed() -> Iterator[tuple[str, list[str], float]]:
    """The ways to make each change that has a cost, but for what is measured or seen in the values."""
    edits = settings(_NAME)["edits"]
    for name, cost in settings(_NAME)["costs"].items():
        ways_of = edits.get(name, ())
        costs = cost if isinstance(cost, list) else [cost] * len(ways_of)
        for ways, one in zip(ways_of, costs, strict=True):
            yield from ((name, way, one) for way in each_way([ways]) if one and name not in (MEASURED, MOVE))


def changed_twice(some: Sequence[Asked]) -> list[Search]:
    """The right searches with two changes which fit: where one of the two matters and no game ends, that is enough."""

    def fits(names: tuple[str, ...], one: Asked) -> bool:
        matter = [name for name in names if matters(name, one.case.question)]
        both = len(matter) == len(names) and one.answer.value is not None
        return both or any(one.value_as(search) for name in matter or names for search in changed_by(name))

    likely = {names for names in {search.changes for search in pairs()} if all(fits(names, one) for one in some)}
    return [search for search in pairs() if search.changes in likely]


@cache
def matters(name: str, question: Question) -> bool:
    """Whether the value is another one with the change of this name, however it is made."""
    value = changed()[0].answer(question).value
    return any(search.answer(question).value != value for search in changed_by(name))


@cache
def pairs() -> list[Search]:
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
    first = telling(own)
    rest = [one for one in own if one not in first]
    order = [*first, *sorted(rest, key=lambda one: (one.value_as(right), len(one.case.asked)))]
    unended = [one for one in order if one.part in UNENDED]

    def among(searches: Iterable[Search]) -> list[Search]:
        found = []
        for search in searches:  # by cost
            if all(one.value_as(search) for one in order):
                if search.cuts and all(one.equals(search) for one in order):
                    return [search]
                found.append(search)
        return [max(found, key=lambda search: sum(one.equals(search) for one in order)), found[0]] if found else []

    def with_worth(searches: Iterable[Search]) -> Iterator[Search]:
        likely = (
            one for one in searches if edited(one.source, WORTH) and all(asked.value_as(one) for asked in unended)
        )
        return (search.with_change(MEASURED, worth) for search in likely for worth in worths)

    def all_ways() -> Iterator[Iterable[Search]]:
        known = changed()[1:]
        yield from (known, with_other_leaves(order), with_worth([right]), with_worth(known))
        yield from (with_other_leaves(order, worth) for worth in worths)
        twice = changed_twice(unended[:FEW])
        yield from (twice, with_worth(twice))

    return [right] if all(one.value_as(right) for one in order) else next(filter(None, map(among, all_ways())), [])


def with_other_leaves(own: Sequence[Asked], worth: Worth | None = None) -> Iterator[Search]:
    """A right search, with or without cuts, that asks just what was asked: only its depth is wrong."""
    costs = settings(_NAME)["costs"]
    for cuts in (True, False):
        if all(alike(Answer(replayed(one, cuts, worth)), one.answer) for one in own):
            boards = [(one.case.question[0], call) for one in own for call in one.answer.asked]
            further = any(call.count("-") + 1 < len(board.moves) for board, call in boards)
            names = (BY_LEAVES if further else AT_ONCE, *[MEASURED][: worth is not None])
            search = Search(names, tuple(costs[one] for one in names), forms(_NAME)[0], cuts)
            search.found = {one.case.question: one.answer for one in own}
            yield search


def replayed(one: Asked, cuts: bool, worth: Worth | None) -> Any:
    """The value of a search that asks the heuristic about just these boards, in this order; None if none does.

    Few trees are too large to be searched: there the value is taken as it is.
    """
    board, depth, name = one.case.question
    if any(call[-1] != board.turn for call in one.answer.asked):
        return None
    calls = [marks_of(call) for call in reversed(one.answer.asked)]
    left = count(MOST_CALLS, -1)

    def value(node: Node, alpha: float, beta: float) -> float:
        if node.over:
            ply, free = len(board.moves) - len(node.moves), len(node.moves)
            won = worth(ply, depth - ply, free) if worth else 1000
            return 0 if not node.won else won if node.won == board.turn else -won
        if calls and calls[-1] == (node.board.x, node.board.o):
            calls.pop()
            return node.says(board.turn)[0]
        if not next(left):
            raise LookupError
        sign = 1 if node.turn == board.turn else -1
        best = -inf
        for move in node.moves:
            best = max(best, sign * value(node.play(move), alpha, beta))
            alpha, beta = (max(alpha, best), beta) if sign > 0 else (alpha, min(beta, -best))
            if cuts and alpha >= beta:
                break
        return sign * best

    with suppress(LookupError):
        found = value(root(board, name), -inf, inf)
        return None if calls else found
    return one.answer.value


def marks_of(call: str) -> tuple[int, int]:
    """The marks of X and of O on the board of a call of the heuristic, as `Board` has them."""
    x, o = (sum(1 << cell for cell, one in enumerate(call[:-1]) if one == mark) for mark in ("X", "O"))
    return x, o


def telling(own: Sequence[Asked]) -> list[Asked]:
    """The cheapest questions of each part for each side, those with the largest trees first: they are the same for all
    functions, and most functions need no others."""
    cheap = sorted(own, key=lambda one: (len(one.case.asked), len(one.case.question[0].moves)), reverse=True)
    parts = {(one.part, one.case.question[0].turn): one for one in cheap}
    return sorted(parts.values(), key=lambda one: -len(one.case.asked))


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
    if min(found.values(), default=0) > 0 and {*found.values()} != {1000}:
        worths.append(lambda ply, left, _: found.get((ply, left), 1000))
        if high > low and isfinite(first - last):  # in proportion to the free cells
            worths.append(lambda _, __, free: first + (last - first) / (high - low) * (free - low))
    return worths


def by_changes(every: Sequence[Asked], search: Search, about: Verdict) -> Earned:
    """The points of a function with the values of this search."""
    named = "" if search.changes or not about.mistake else about.sentence
    lost = [
        Lost(cost, mistake_named(name, _NAME).sentence, shown(every, name, search, about))
        for name, cost in zip(search.changes, search.costs, strict=True)
    ]
    points, order = of_boards(every, search, about, named)
    asking = [one for one in every if one.part in UNENDED and not one.asks_well(search)]
    lost += order
    if asking and points["asked"] and about.mistake != AGAIN:
        points["asked"] = 0
        told = "Your function asks the heuristic more often than alpha-beta, at other depths, or for another side."
        seen = (one for one in every if not one.part and not one.asks_well(search))
        told = named if named and ("heuristic asked" in about.mistake or not order) else told
        lost.append(Lost(1, told, next(seen, asking[0]).place))
    lost = one_after_the_other(lost)
    if search.changes and FAILS not in search.changes and not order and not asking:
        lost[-1] = lost[-1]._replace(sentence=f"{lost[-1].sentence} Everything else is right.")
    points[CHANGES.name] = total(_NAME) - sum(one.points for one in lost) - sum(points.values())
    return Earned(points, lost, "; ".join(search.changes))


def but_for_failures(every: Sequence[Asked], about: Verdict) -> Iterator[Earned]:
    """The points of a function that has answers on some boards only, but on many where it must look further ahead."""
    answered = [one for one in every if one.answer.value is not None]
    deep, all_deep = ([one for one in some if one.part == "deeper"] for some in (answered, every))
    if len(all_deep) <= MANY * len(deep) and len(answered) < len(every):
        for search in explaining([one for one in answered if one.part]):
            yield by_changes(answered, search.with_change(FAILS), about)


def of_boards(
    every: Sequence[Asked], search: Search, about: Verdict, named: str
) -> tuple[dict[str, float], list[Lost]]:
    """The points by part, less those for cuts and order that are lost to this search, and why."""
    points, compared = full_points(_NAME), [one for one in every if one.part in ("", "deeper")[bool(search.changes) :]]
    order = [one for one in compared if not (search.cuts and one.same_boards(search)) or about.mistake == BY_DEPTH]
    if not order:
        return points, []
    some = [one for one in every if one.part == "deeper" and one.case.question in questions_for_cuts()]
    settled = all(one.settled(search) for one in some)
    share = saved(some, search) if settled and search.cuts else 0
    cuts = 0 if share >= FULL else 2 if share >= HALF else 4
    cuts = settings(_NAME)["cuts"].get(about.mistake, cuts) if settled and not search.changes else cuts
    points |= {"order": 0, "cuts": points["cuts"] - cuts, "asked": points["asked"] * settled}
    told = "Your function doesn't look at exactly alpha-beta's boards, in the same order."
    told += f" It skips {100 * share:.0f} % of the boards that alpha-beta skips." if cuts else ""
    if not settled:
        told = "The boards that your function asks the heuristic about are not enough to prove its values."
    elif named and "heuristic asked" not in about.mistake:
        told = named
    seen = (one for one in every if not one.part and not one.same_boards(search))
    return points, [Lost(total(_NAME) - sum(points.values()), told, next(seen, order[0]).place)]


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
    if len(search.changes) < 2 or name == FAILS:
        return about.place
    others = [one for other in search.changes if other != name for one in changed_by(other)]
    if search.worth and name != MEASURED:
        others.append(Search((MEASURED,), (), changed()[0].source, worth=search.worth, base=changed()[0]))
    found: dict[int, int] = {}
    for one in every:
        if not one.value_as(changed()[0]):
            found[one.place] = sum(by.answer(one.case.question).value != one.case.value for by in others)
            if not found[one.place]:
                break
    return min(found, key=found.__getitem__)


# ------------------------------------------------------------------------------------------- what nothing explains


def gives_moves(own: Sequence[Asked]) -> bool:
    """Whether the function returns a move wherever there is one to choose, and nearly always a best one."""
    choices = [one for one in own if one.part in ("one", "deeper", "ends", "mixed")]
    if not all(one.answer.value in one.case.question[0].moves for one in choices):
        return False

    def worth(one: Asked) -> float:
        board, depth, name = one.case.question
        says = named(name)
        child = board.play(one.answer.value)
        return -changed()[0].function(child, depth - 1, lambda b, _: -says(b, board.turn))  # type: ignore[no-any-return]

    return fmean(worth(one) == one.case.value for one in choices) > MOSTLY


def returning_moves(own: Sequence[Asked]) -> Earned:
    """The points of a function that returns the move and not its value."""
    cost, told = settings(_NAME)["costs"][MOVE], mistake_named(MOVE, _NAME).sentence
    return Earned(full_points(_NAME) | {CHANGES.name: -cost}, [Lost(cost, told, own[-1].place)], MOVE)


def by_share(own: Sequence[Asked]) -> Earned:
    """The points by part: the share of its questions that are answered well."""
    right, points, lost = changed()[0], full_points(_NAME), []
    good = {part: [(one, one.value_as(right)) for one in own if one.part == part] for part in points}
    good["asked"] = [(one, one.asks_well(right)) for one, _ in (*good["one"], *good["deeper"])]
    good["order"] = [(one, fine and one.same_boards(right)) for one, fine in good["deeper"]]
    saves = [(one, fine and saved([one], right) >= HALF) for one, fine in good["deeper"]]
    good["cuts"] = [(one, fine and one.settled(right)) for one, fine in saves]
    for part in filter(lambda part: part.points, parts_of(_NAME)):
        points[part.name] = in_halves(part.points * fmean(fine for _, fine in good[part.name]), part.points)
        if wrong := [one.place for one, fine in good[part.name] if not fine]:
            told = f"Not right in {len(wrong)} of {len(good[part.name])} questions: {part.title.partition(': ')[0]}."
            lost.append(Lost(part.points - points[part.name], told, wrong[0]))
    given = [one for one in own if one.answer.value is not None and isfinite(one.answer.value)]  # type: ignore[arg-type]
    odd = 2 * sum(one.value_as(right) for one in given) < len(given) and any(one.answer.asked for one in given)
    return Earned(points, lost, unsure=sum(points.values()) < LEAST and odd)


def in_halves(points: float, most: int) -> float:
    """The points to the nearest half, but not all of them if something was lost."""
    return most if isclose(points, most) else min(int(2 * points + 0.5) / 2, most - 0.5)


def numbered(answer: Answer) -> Answer:
    """The answer with infinity and very large numbers as its value, too."""
    if answer.value is None and answer.fault in ("no number", "number too large"):
        with suppress(ValueError):
            return answer._replace(value=float(answer.words.strip("“”").replace("−", "-")))
    return answer
