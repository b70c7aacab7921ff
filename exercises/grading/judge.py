"""The judge: has a submission asked in the sandbox, where no right answer goes in, and compares the answers outside."""

import gc
import json
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cache
from hashlib import sha256
from itertools import groupby
from typing import Any, NamedTuple

from exercises.grading.key import INTERFACE, NOT_STARTED, PROBLEM, RIGHT, WAITING, WRONG, Grade, key, parts_of
from exercises.grading.people import plain
from exercises.grading.reading import handed_out
from exercises.grading.sandbox import FUNCTION, INTERFACES, Kind, NotStarted, sandboxed
from ttt.exercises.asking import STOPS, TOO_LARGE, Answer, Question, plain_number, unpacked
from ttt.exercises.checking import explained, misnamed, verdict
from ttt.exercises.loader import DEFINES

TRIES = 3  # to start a sandbox, on a machine that is busy


class Task(NamedTuple):
    """A submission to be judged, as a worker anywhere is handed it."""

    student: str
    exercise: str
    cells: tuple[str, ...]
    seed: str
    level: str


class Heard(NamedTuple):
    """What came back: answers to the first questions in their order, or findings, and why there are no more."""

    answers: tuple[Answer, ...] = ()
    findings: Mapping[str, Any] = {}
    problem: str | None = ""  # None where it says no more and not why


def judged(task: Task) -> Grade:
    """The grade of a submission. What goes wrong in the grader is told, and not kept."""
    begun = time.monotonic()
    judge = _interface if task.exercise == INTERFACE else _function
    for _ in range(TRIES):
        try:
            return replace(judge(task), seconds=round(time.monotonic() - begun, 2), isolation=task.level)
        except Exception as error:
            failure = f"{type(error).__name__}: {error}"
            if not isinstance(error, NotStarted):
                break
    reason = f"The grader itself failed here, so there is no grade yet: {failure}"
    return Grade(task.student, PROBLEM, plain(reason, 300), kept=False)


def _function(task: Task) -> Grade:
    judges = key(task.exercise, task.seed)
    exercise = judges.exercise
    about = {"function": exercise.name, "withheld": exercise.withheld, "refusal": exercise.refusal}
    questions = packed_questions(task.exercise, task.seed)
    heard = heard_of(task.level, FUNCTION, {"cells": task.cells, **about}, questions, len(exercise.questions))
    if not heard.answers:
        names = [name for cell in task.cells for names in DEFINES.findall(cell) for name in names if name]
        other = "" if exercise.name in names else misnamed(exercise.name, names)
        nothing = {part.name: 0.0 for part in parts_of(task.exercise)}
        return Grade(task.student, PROBLEM, f"{heard.problem} {other}".strip(), nothing)
    found = verdict(exercise, heard.answers)
    marks = judges.marks(heard.answers, found)
    if found.outcome != "wrong":
        return Grade(task.student, RIGHT if found.outcome == "right" else NOT_STARTED, found.sentence, marks)
    lines, picture = explained(exercise, found, heard.answers)
    return Grade(
        task.student,
        WRONG,
        f"{found.sentence} {heard.problem}".strip(),
        marks,
        mistake=found.mistake,
        lines=lines,
        picture=str(picture),
        wrong=found.wrong[:500],
        answers="" if found.mistake else sha256(repr(heard.answers).encode()).hexdigest(),
    )


def _interface(task: Task) -> Grade:
    """What the check of an interface found, in the submission's own process, which could say anything of itself."""
    parts = parts_of(INTERFACE)
    grade = Grade(task.student, WAITING, marks={part.name: 0.0 for part in parts})
    if list(task.cells) == handed_out(INTERFACE):
        return replace(grade, status=NOT_STARTED, reason="The notebook is still as it was handed out.")
    heard = heard_of(task.level, INTERFACES, {"cells": task.cells, "function": INTERFACE})
    findings = {}
    with suppress(TypeError, ValueError):
        findings = {part: (holds is True, plain(str(said))) for part, (holds, said) in heard.findings.items()}
    if not findings:
        return replace(grade, reason=heard.problem or "The interface could not be played on.")
    evidence = " ".join(f"({part}) {said}" for part, (_, said) in findings.items())
    marks: dict[str, float | None] = {part.name: None for part in parts}  # a person's to give
    marks |= {part.name: part.marks if findings[part.name][0] else 0 for part in parts if part.name in findings}
    reason = f"{evidence} This is what the check says; it counts once a person has confirmed it."
    return replace(grade, reason=reason, marks=marks)


@cache
def packed_questions(exercise: str, seed: str) -> str:
    """The questions of an exercise as JSON."""
    text = json.dumps(packed(key(exercise, seed).exercise.questions))
    gc.freeze()  # the key stays, and looking through it for garbage takes longer than a verdict
    return text


def packed(questions: Iterable[Question]) -> list[list[Any]]:
    """Questions as plain data: a shape, k, and the questions that follow on such boards, by their cells and winner."""
    kinds = groupby(questions, lambda question: (question[0].shape, question[0].k))
    return [[kind, [[board.x, board.o, board.winner, *rest] for board, *rest in some]] for kind, some in kinds]


def heard_of(level: str, kind: Kind, order: Mapping[str, Any], questions: str = "", most: int = 0) -> Heard:
    """What a submission answers to a line of so many questions at most, in a sandbox. Raises `NotStarted`."""
    with sandboxed(level, kind, order) as sandbox:
        sandbox.send(questions)
        heard = understood(sandbox.lines, most)
        return heard if heard.problem is not None else heard._replace(problem=sandbox.why_it_ended())


def understood(lines: Iterable[Any], most: int) -> Heard:
    """What can be understood of what is said."""
    answers: tuple[Answer, ...] = ()
    for line in lines:
        match line:
            case list(some):
                answers += tuple([_answer(data) for data in some[: most - len(answers)]])
            case {"findings": dict(findings)}:
                return Heard(findings=findings)
            case {"done": True}:
                return Heard(answers)
            case {"problem": str(why)}:
                return Heard(answers, problem=plain(why, 400))
    return Heard(answers, problem=None)


def _answer(data: object) -> Answer:
    """The answer that came; a plain number comes by itself."""
    if type(data) is int and -TOO_LARGE < data < TOO_LARGE:
        return plain_number(data)
    try:
        return unpacked(data if isinstance(data, list) else [data, "", "", ""])
    except ValueError:
        return Answer(None, (), STOPS, "what came can't be read")
