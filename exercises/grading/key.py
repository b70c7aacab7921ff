"""The key of an exercise: what is asked, the points for what is right, the grade, and what students' files say."""

import json
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from exercises.grading import GradingError
from ttt.checks.asking import Answer, Question, ask, packed_question
from ttt.checks.checking import Verdict
from ttt.checks.exercise import Exercise, digest
from ttt.checks.tasks import each_way, edited, function
from ttt.runtime.limits import Clock

GRADED = ("heuristic_1", "alpha_beta")  # asked in the sandbox
INTERFACE = "interface"  # which has a check of its own
EXERCISES = (*GRADED, INTERFACE)
# What became of a submission, in the order in which they are counted.
RIGHT, WRONG = "right", "wrong"
CHANGED = "graded"  # a person has changed the points, and they are not full
WAITING = "needs a person"  # who must mark it, or a part, or confirm that
NOT_STARTED = "not started"  # still as it was handed out
PROBLEM = "problem"  # it can't be read, or has no function
TWICE, MISSING = "submitted twice", "missing"
STATUSES = (RIGHT, WRONG, CHANGED, WAITING, NOT_STARTED, PROBLEM, TWICE, MISSING)


class Part(NamedTuple):
    """What points are given for."""

    name: str  # in one word
    title: str  # in the words of the notebook
    points: int
    least: int = 0  # where points are taken off


FORM = Part("form", "the number itself is returned, not printed, as a text or in a list", 0, least=-3)


class Key(NamedTuple):
    """An exercise with what only instructors have."""

    exercise: Exercise  # what the judge asks; the questions of the students' file come first
    earned: Callable[[Exercise, Sequence[Answer], Verdict], dict[str, int]]  # the points by part for wrong answers

    def points(self, answers: Sequence[Answer], verdict: Verdict) -> dict[str, int]:
        """The points by part. A number that was printed, or came in a text or a list, is judged as the number."""
        points = {part.name: part.points for part in parts_of(self.exercise.name)}
        if verdict.outcome == "right":
            return points
        if not answers or verdict.outcome == "not started":
            return dict.fromkeys(points, 0)
        returned, numbers = True, list(answers)
        if any(answer.fault or isinstance(answer.value, tuple) for answer in answers):  # few need a closer look
            numbers = self.exercise.numbers(answers)
            returned = numbers == list(answers)
        if returned or self.exercise.wrong(numbers) or len(numbers) < len(self.exercise.questions):
            points |= self.earned(self.exercise, numbers, verdict)
        if not returned:
            points[FORM.name] = max(FORM.least, -sum(points.values()))
        return points


@cache
def key(name: str, seed: str = "") -> Key:
    """The key of a graded exercise; the seed draws the questions that students don't have, where there are such."""
    found: Key = import_module(f"exercises.grading.{name}").key(seed)
    return found


@dataclass(frozen=True)
class Grade:
    """The points for a submission, and what is told of it."""

    student: str  # a unique name
    status: str  # one of `STATUSES`
    reason: str = ""  # why points were lost, for the student to read
    points: Mapping[str, float | None] = field(default_factory=dict)  # by part; None where a person must give them
    mistake: str = ""  # the name of the mistake that explains the answers
    lines: Sequence[str] = ()  # what the feedback page says of one question that was answered wrongly
    picture: str = ""  # the same drawn, as SVG
    table: Sequence[Sequence[str]] = ()  # what lines count in the function, and what they should
    wrong: Sequence[int] = ()  # the places of the questions that were answered wrongly
    answers: str = ""  # a digest of wrong answers that no mistake explains
    seconds: float = 0  # how long the submission ran
    isolation: str = ""  # the level at which it ran
    comment: str = ""  # what a person says in the review form
    kept: bool = True  # False where the grader itself failed, so that the next run tries again
    again: bool = False  # whether it may have been short of time, and is to be asked once more when no other is

    @property
    def score(self) -> float | None:
        """All points earned so far; None where none have been given."""
        given = [points for points in self.points.values() if points is not None]
        return sum(given) if given else None


def settings(name: str) -> dict[str, Any]:
    """What `NAME.toml` beside this file says of an exercise."""
    return tomllib.loads(Path(__file__).with_name(f"{name}.toml").read_text(encoding="utf-8"))


@cache
def parts_of(exercise: str) -> tuple[Part, ...]:
    """What points are given for. Raises `GradingError` if the exercise is not one that is graded."""
    if exercise not in EXERCISES:
        raise GradingError(f"There is no exercise {exercise!r} to grade. The exercises are {', '.join(EXERCISES)}.")
    parts = [Part(part, title, points) for part, (points, title) in settings(exercise)["parts"].items()]
    return (*parts, FORM) if exercise in GRADED else (*parts,)


def total(exercise: str) -> int:
    """The points for a right submission."""
    return sum(part.points for part in parts_of(exercise))


def text_of(name: str) -> str:
    """What stands in the file of what students have of an exercise."""
    return written(import_module(f"exercises.grading.{name}").students_file())


def written(data: Mapping[str, Any]) -> str:
    """Plain data as JSON, with a line for each case, hint and mistake."""
    json_of = partial(json.dumps, ensure_ascii=False)
    rows = []
    for name, value in data.items():
        text = json_of(value)
        if name in ("cases", "hints", "worked"):
            text = "[\n " + ",\n ".join(map(json_of, value)) + "\n]"
        elif name == "mistakes":
            text = "{\n " + ",\n ".join(f"{json_of(key)}: {json_of(one)}" for key, one in value.items()) + "\n}"
        rows.append(f'"{name}": {text}')
    return "{" + ",\n".join(rows) + "}\n"


# Mistakes that are known by their answers: by name the sentence, and the functions that make it.
Slips = Mapping[str, tuple[str, Sequence[Callable[..., Any]]]]
# The ways to make a mistake: each what is replaced everywhere and by what, by turns; a list there is that many ways.
Ways = Sequence[Sequence[Any]]


def slips(name: str, forms: Sequence[str], told: Mapping[str, tuple[str, Ways]]) -> Slips:
    """Mistakes by name, each with its sentence and its ways, as edits of the forms of the right function they fit."""
    made = {}
    for mistake, (sentence, ways) in told.items():
        texts = dict.fromkeys(edited(form, way) for way in each_way(ways) for form in forms)
        made[mistake] = sentence, [function(name, text) for text in texts if text]
    return made


def answered(function: Callable[..., Any], questions: Sequence[Question]) -> list[Answer]:
    """What a function of ours, which ends by itself, answers to questions; nobody watches the clock."""
    clock = Clock()
    return [ask(function, question, clock) for question in questions]


def known(slips: Slips, questions: Sequence[Question], right: Sequence[Answer]) -> dict[str, tuple[str, list[str]]]:
    """The mistakes as the students' file has them: by name the sentence, and the digests of the answers they give."""
    found: dict[str, tuple[str, list[str]]] = {}
    taken = {digest(right)}
    for name, (sentence, functions) in slips.items():
        digests = dict.fromkeys(digest(answered(function, questions)) for function in functions)
        found[name] = sentence, [text for text in digests if text not in taken]
        taken.update(digests)
    return found


def packed_case(question: Question, right: Answer) -> list[Any]:
    """A case as the students' file has it."""
    row = [packed_question(question), list(right.value) if isinstance(right.value, tuple) else right.value]
    return [*row, right.digest] if right.asked else row
