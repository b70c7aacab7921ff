"""The key to an exercise: questions, points and grades."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import import_module
from typing import NamedTuple

from lab.checks import graded
from lab.checks import verdict as verdicts
from lab.checks.calling import REFUSED, STOPS, UNWRITTEN, Answer
from lab.checks.exercise import Exercise, Mistake, mistake_named
from lab.checks.graded import GRADED
from lab.checks.verdict import Verdict

from exercises.grading import GradingError

INTERFACE = "interface"  # has its own check
EXERCISES = (*GRADED, INTERFACE)
# The outcomes of a submission, in the order of the summary.
RIGHT, WRONG = "right", "wrong"
CHANGED_BY_HAND = "graded"  # a person has changed the points, to less than full marks
WAITING = "needs a person"  # to mark it or a part of it, or to confirm the marks
UNTOUCHED = "not started"  # still as it was handed out
PROBLEM = "problem"  # it can't be read or has no function
TWICE, MISSING = "submitted twice", "missing"
STATUSES = (RIGHT, WRONG, CHANGED_BY_HAND, WAITING, UNTOUCHED, PROBLEM, TWICE, MISSING)


class Part(NamedTuple):
    """A part of an exercise that earns points."""

    name: str  # a single word
    title: str  # in the notebook's words
    points: int
    least: int = 0  # below 0 for a deduction


FORM = Part("form", "the number is returned as it is: not printed, not as text, not in a list", 0, least=-3)
STATE = Part("state", "the same question always gets the same answer", 0, least=-10)
CHANGES = Part("changes", "known mistakes, each at its cost", 0, least=-15)
WORSE = "What it keeps makes many of its later values wrong."
OFTEN = 0.2  # of the values
MOST_CHANCE = 10  # between the largest and the smallest number that is added to values
HIDING = {*verdicts.FAULTS, STOPS, UNWRITTEN, REFUSED}  # mistakes that hide the answer
# Mistakes that are named for want of a better explanation, so only where the values are right.
UNCERTAIN = ("", "no number", "number too large", "cuts too much", "looks at other boards", "boards asked again")
INTERFACE_PARTS = (  # in the notebook's words
    Part("a", "(a) the interface works", 4),
    Part("b", "(b) heuristic 2 plays", 4),
    Part("c", "(c) the interface is better", 4),  # only a person can judge this
    Part("d", "(d) the scores of both sides are shown", 3),
)


class Lost(NamedTuple):
    """What a wrong function loses, and why."""

    points: float
    sentence: str
    place: int | None = None  # the index of the question to show
    mistakes: tuple[Mistake, ...] = ()  # that the picture of a formula's lines shows


class Earned(NamedTuple):
    """The points by part of a function, and what it has lost."""

    points: dict[str, float]
    lost: Sequence[Lost] = ()
    mistake: str = ""  # the names of the known changes that explain the answers, if the points know them
    unsure: bool = False  # whether a person should confirm the points, because nothing explains the answers


class Key(NamedTuple):
    """An exercise with what only instructors know."""

    exercise: Exercise  # the judge's questions; those in the students' file come first
    judged: Callable[[Exercise, Sequence[Answer], Verdict], Earned]  # for a wrong function

    def earned(self, answers: Sequence[Answer], about: Verdict) -> Earned:
        """The points by part. A number that was printed, or is in a text or a list, is judged as that number."""
        points = full_points(self.exercise.name)
        if about.outcome == "right":
            return Earned(points)
        if not answers or about.outcome == "not started":
            return Earned(dict.fromkeys(points, 0), [Lost(sum(points.values()), about.sentence)])
        numbers, kept = self.exercise.numbers(answers), self.exercise.changes(answers)
        form, worse, chance = numbers != list(answers), False, None
        changes = verdicts.changes_told(self.exercise, numbers) if kept else ""
        if kept and len(answers) == len(self.exercise.questions):  # besides, it loses what its first answers lose
            chance = without_chance(self.exercise, numbers)
            worse = not chance and not self.exercise.weights and often_wrong(self.exercise, numbers)
            steady = chance or numbers
            numbers = [steady[self.exercise.again.get(place, place)] for place in range(len(numbers))]
        found = verdicts.verdict(self.exercise, numbers) if form or kept else about
        if chance and self.exercise.weights and (found.outcome == "right" or found.mistake):
            added = mistake_named("chance added", self.exercise.name)
            found = replace(found, outcome="wrong", mistakes=(*found.mistakes, added))
        judged = Earned(points)
        if found.outcome == "wrong":
            judged = self.judged(self.exercise, numbers, found)
        lost, points = [*judged.lost], points | judged.points
        costs = [(FORM, verdicts.FAULTS[about.mistakes[0].name], 3)] if form else []
        costs += [(STATE, changes, 4)] if kept else []
        costs += [(STATE, WORSE, 6)] if worse else []
        for part, told, cost in costs:
            if taken := min(cost, sum(points.values())):
                points[part.name] -= taken
                lost.append(Lost(taken, told, about.place))
        return judged._replace(points=points, lost=lost)


def without_chance(exercise: Exercise, answers: Sequence[Answer]) -> list[Answer] | None:
    """The answers without the little that chance, a clock or a counter adds to them; None if that is not why they
    change from call to call."""
    values = [answer.value for answer in answers if isinstance(answer.value, int | float)]
    if len(values) < len(answers):
        return None
    rounded = [answer._replace(value=round(value)) for answer, value in zip(answers, values, strict=True)]
    if all(rounded[now].value == rounded[then].value for now, then in exercise.again.items()) and rounded != [*answers]:
        return rounded
    off = [value - case.value for value, case in zip(values, exercise.cases, strict=False)]  # type: ignore[operator]
    if not 0 < max(off) - min(off) <= MOST_CHANCE:
        return None
    return [answer._replace(value=case.value) for answer, case in zip(answers, exercise.asked, strict=True)]


def often_wrong(exercise: Exercise, answers: Sequence[Answer]) -> bool:
    """Whether many values are wrong when they are asked for again, after other calls, and were right at first."""
    asked = exercise.asked
    wrong = [answers[now].value != asked[now].value == answers[then].value for now, then in exercise.again.items()]
    return sum(wrong) > OFTEN * len(wrong)


@cache
def key(name: str, seed: str = "") -> Key:
    """Load the key to a graded exercise; the seed draws the questions students don't have, if any."""
    found: Key = import_module(f"exercises.grading.judging.{name}").make_key(seed)
    return found


Row = tuple[float, str, str, Sequence[str]]  # points lost, why, a board or tree as SVG, and the text below it


@dataclass(frozen=True)
class Grade:
    """The grade of a submission: points and explanations."""

    student: str  # a unique name
    status: str  # one of `STATUSES`
    reason: str = ""  # what is said to the student besides what was lost
    points: Mapping[str, float | None] = field(default_factory=dict)  # by part; None if a person must give them
    mistake: str = ""  # the name of the mistake that explains the answers
    lost: Sequence[Row] = ()  # what was lost
    table: Sequence[Sequence[str]] = ()  # line weights: the function's and the right ones
    answers: str = ""  # a digest of wrong answers that no mistake explains
    seconds: float = 0  # how long the submission ran
    isolation: str = ""  # the level at which it ran
    comment: str = ""  # what a person says in the review form
    by_hand: str = ""  # that a person has changed the points, and how
    kept: bool = True  # False if the grader itself failed, so that the next run tries again

    @property
    def told(self) -> str:
        """Everything that is said about it, a line for each sentence."""
        lost = [f"{why} ({'−' if points >= 0 else '+'}{abs(points):g})" for points, why, *_ in self.lost]
        return "\n".join(filter(None, (self.reason, self.by_hand, *lost)))

    @property
    def score(self) -> float | None:
        """The points earned so far; None if none have been given."""
        given = [points for points in self.points.values() if points is not None]
        return sum(given) if given else None


@cache
def parts_of(exercise: str) -> tuple[Part, ...]:
    """The parts of an exercise. Raises `GradingError` if it is not a graded exercise."""
    if exercise not in EXERCISES:
        raise GradingError(f"There is no exercise {exercise!r} to grade. The exercises are {', '.join(EXERCISES)}.")
    if exercise == INTERFACE:
        return INTERFACE_PARTS
    found = graded.settings(exercise)["parts"]
    own = [Part(part, title, points) for part, (points, title) in found.items()]
    return (*own, *([CHANGES] if "costs" in graded.settings(exercise) else []), FORM, STATE)


def full_points(exercise: str) -> dict[str, float]:
    """The points by part for a completely right submission."""
    return {part.name: part.points for part in parts_of(exercise)}


def total(exercise: str) -> int:
    """The points for a completely right submission."""
    return sum(part.points for part in parts_of(exercise))
