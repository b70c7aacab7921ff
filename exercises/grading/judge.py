"""The judge: has a submission asked in the sandbox, and believes nothing but its answers.

The questions go into the sandbox, and no right answer ever does. What comes back is compared out here, by the same
`verdict` that the check in the notebook gives.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from itertools import groupby
from operator import itemgetter
from typing import Any

from exercises.grading import interface as interface_key
from exercises.grading.alike import answers_digest
from exercises.grading.bubblewrap import FUNCTION, INTERFACE, Kind
from exercises.grading.grade import NOT_STARTED, PROBLEM, RIGHT, WAITING, WRONG, Grade, parts_of
from exercises.grading.key import INTERFACE as INTERFACES
from exercises.grading.key import key
from exercises.grading.people import plain
from exercises.grading.sandbox import NotStarted, line_of, sandboxed
from ttt.exercises.asking import STOPS, TOO_LARGE, Answer, Question, unpacked
from ttt.exercises.checking import explained, misnamed, verdict
from ttt.exercises.interface import Finding
from ttt.loader import DEFINES

CLOCK = {"total": 30, "each": 4, "patience": 8}  # seconds of computing: pandas takes a third of it
ENDED = "It ended."
TRIES = 3  # to start a sandbox, on a machine that is busy


@dataclass(frozen=True)
class Task:
    """A submission to be judged, as a worker anywhere is handed it."""

    student: str
    exercise: str
    cells: tuple[str, ...]
    seed: str
    level: str


@dataclass(frozen=True)
class Heard:
    """What came back.

    Args:
        answers: to the first questions, in order.
        problem: why there are none, or no more; "" if all that were to come are there.
        findings: of the check of an interface.
    """

    answers: tuple[Answer, ...] = ()
    problem: str = ""
    findings: Any = None


def judged(task: Task) -> Grade:
    """The grade of a submission. What goes wrong in the grader is told, and not kept."""
    begun = time.monotonic()
    judge = _interface if task.exercise == INTERFACES else _function
    failure: Exception | None = None
    for _ in range(TRIES):
        try:
            return judge(task).changed(seconds=round(time.monotonic() - begun, 2), isolation=task.level)
        except NotStarted as error:
            failure = error
        except Exception as error:
            failure = error
            break
    reason = f"The grader itself failed here, so there is no grade yet: {type(failure).__name__}: {failure}"
    return Grade(task.student, PROBLEM, plain(reason, 300), kept=False)


def _function(task: Task) -> Grade:
    """The grade for a function."""
    judges = key(task.exercise, task.seed)
    exercise = judges.exercise
    heard = heard_of(
        {
            "kind": "function",
            "cells": task.cells,
            "function": exercise.name,
            "withheld": exercise.withheld,
            "refusal": exercise.refusal,
        },
        FUNCTION,
        task.level,
        packed_questions(task.exercise, task.seed),
        len(exercise.questions),
    )
    if not heard.answers:
        names = [name for cell in task.cells for names in DEFINES.findall(cell) for name in names if name]
        nothing = {part.name: 0.0 for part in judges.parts}
        return Grade(task.student, PROBLEM, f"{heard.problem} {misnamed(exercise.name, names)}".strip(), nothing)
    found = verdict(exercise, heard.answers)
    grade = Grade(task.student, RIGHT, marks={**judges.marks(heard.answers, found)})
    if found.outcome == "right":
        return grade
    if found.outcome == "not started":
        return grade.changed(status=NOT_STARTED, reason=found.sentence)
    shown = explained(exercise, found, heard.answers)
    return grade.changed(
        status=WRONG,
        reason=f"{found.sentence} {heard.problem}".strip(),
        mistake=found.mistake,
        lines=shown.lines,
        picture=str(shown.picture or ""),
        wrong=found.wrong[:500],
        answers="" if found.mistake else answers_digest(heard.answers),
    )


def _interface(task: Task) -> Grade:
    """What the check of an interface found, in the submission's own process: all provisional."""
    parts = parts_of(INTERFACES)
    grade = Grade(task.student, WAITING, marks={part.name: 0.0 for part in parts})
    if interface_key.is_handed_out(task.cells):
        return grade.changed(status=NOT_STARTED, reason="The notebook is still as it was handed out.")
    heard = heard_of({"kind": "interface", "cells": task.cells, "function": INTERFACES}, INTERFACE, task.level)
    findings = {}
    with suppress(AttributeError, TypeError, ValueError):
        findings = {part: Finding(holds is True, plain(str(said))) for part, (holds, said) in heard.findings.items()}
    if not findings:
        return grade.changed(reason=heard.problem or "The interface could not be played on.")
    earned = interface_key.marks(findings)
    evidence = " ".join(f"({part}) {one.evidence}" for part, one in findings.items())
    return grade.changed(
        reason=f"{evidence} This is what the check says; it counts once a person has confirmed it.",
        marks={part.name: earned[part.name] if part.name in findings else None for part in parts},
    )


@cache
def packed_questions(exercise: str, seed: str) -> bytes:
    """The questions of an exercise as a line of JSON."""
    return line_of(packed(key(exercise, seed).exercise.questions))


def packed(questions: Iterable[Question]) -> list[list[Any]]:
    """Questions as plain data: for each board its shape, k, X's cells, O's cells and winner, then the rest of each."""
    return [
        [board.shape, board.k, board.x, board.o, board.winner, [rest for _, *rest in same]]
        for board, same in groupby(questions, itemgetter(0))
    ]


# ---------------------------------------------------------------------------------------------- what is heard


def heard_of(order: dict[str, Any], kind: Kind, level: str, questions: bytes = b"", most: int = 0) -> Heard:
    """What a submission answers in a sandbox. Raises `NotStarted`.

    Args:
        order: what `inside.py` is told.
        questions: as a line of JSON.
        most: how many there are.
    """
    first = int.from_bytes(os.urandom(3), "big")
    with sandboxed(level, kind, {**order, "first": first, "clock": CLOCK}) as sandbox:
        sandbox.send(questions)
        heard = understood(sandbox.lines, first, most)
        return replace(heard, problem=sandbox.why_it_ended()) if heard.problem == ENDED else heard


def understood(lines: Iterable[Any], first: int, most: int) -> Heard:
    """What can be understood of what is said. The first answer to each question counts."""
    answers: list[Answer] = []
    for one in lines:
        if isinstance(one, list) and one and type(one[0]) is int and one[0] == first + len(answers):
            answers += map(_answer, one[1 : 1 + most - len(answers)])
        elif isinstance(one, dict):
            if isinstance(one.get("findings"), dict):
                return Heard(findings=one["findings"])
            if one.get("done") is True:
                return Heard(tuple(answers))
            if isinstance(one.get("problem"), str):
                return Heard(tuple(answers), plain(one["problem"], 400))
    return Heard(tuple(answers), ENDED)


def _answer(data: object) -> Answer:
    """The answer that came; a plain number comes by itself."""
    if type(data) is int and -TOO_LARGE < data < TOO_LARGE:
        return Answer(data)
    try:
        return unpacked(data if isinstance(data, list) else [data, "", "", ""])
    except ValueError:
        return Answer(None, (), STOPS, "what came can't be read")
