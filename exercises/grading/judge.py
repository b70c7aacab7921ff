"""The judge: has a submission asked in the sandbox, and believes nothing but its answers.

The questions go into the sandbox, and no right answer ever does. What comes back is compared out here, by the same
`verdict` that the check in the notebook gives.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from threading import Event
from typing import Any

from exercises.grading import GradingError, sandbox
from exercises.grading import interface as interface_key
from exercises.grading.alike import answers_digest
from exercises.grading.grade import NOT_STARTED, PROBLEM, RIGHT, WAITING, WRONG, Grade, parts_of
from exercises.grading.key import INTERFACE, key
from exercises.grading.people import plain
from ttt.exercises.asking import STOPS, TOO_LARGE, Answer, Question, unpacked
from ttt.exercises.checking import explained, misnamed, verdict
from ttt.exercises.interface import Finding

CLOCK = {"total": 30, "each": 4, "patience": 8}  # seconds of computing: pandas takes a third of it
TRIES = 3  # to start a sandbox, on a machine that is busy
LONGEST_LINE = 512 << 10  # bytes
MOST_BYTES = 64 << 20  # of all lines
CHUNK = 1 << 16


class NotStarted(GradingError):
    """The sandbox did not start, which says nothing about the submission."""


@dataclass(frozen=True)
class Heard:
    """What came back.

    Args:
        answers: to the first questions, in order.
        problem: why there are none, or no more; "" if all that were to come are there.
        names: what the submission defines, where it does not define the function.
        findings: of the check of an interface.
        done: whether the program said itself that this is all.
    """

    answers: tuple[Answer, ...] = ()
    problem: str = ""
    names: tuple[str, ...] = ()
    findings: Any = None
    done: bool = False


@dataclass(frozen=True)
class Task:
    """A submission to be judged, as a worker anywhere is handed it."""

    student: str
    exercise: str
    cells: tuple[str, ...]
    seed: str
    level: str


def judged(task: Task) -> Grade:
    """The grade of a submission. What goes wrong in the grader is told, and not kept."""
    try:
        for last in range(TRIES):
            try:
                begun = time.monotonic()
                grade = _interface(task) if task.exercise == INTERFACE else _function(task)
                return grade.changed(seconds=round(time.monotonic() - begun, 2), isolation=task.level)
            except NotStarted:
                if last == TRIES - 1:
                    raise
    except Exception as error:
        reason = plain(f"The grader itself failed here, so there is no grade yet: {type(error).__name__}: {error}", 300)
        return Grade(task.student, PROBLEM, reason, kept=False)
    raise AssertionError("unreachable")


def _function(task: Task) -> Grade:
    """The grade for a function."""
    judges = key(task.exercise, task.seed)
    exercise = judges.exercise
    heard = answers_of(
        task.cells,
        exercise.name,
        packed_questions(task.exercise, task.seed),
        len(exercise.questions),
        level=task.level,
        withheld=exercise.withheld,
        refusal=exercise.refusal,
    )
    if not heard.answers:
        close = misnamed(exercise.name, heard.names)
        nothing = {part.name: 0.0 for part in judges.parts}
        return Grade(task.student, PROBLEM, f"{heard.problem} {close}".strip(), nothing)
    found = verdict(exercise, heard.answers)
    marks = {name: float(marks) for name, marks in judges.marks(heard.answers, found).items()}
    if found.outcome == "right":
        return Grade(task.student, RIGHT, "", marks)
    if found.outcome == "not started":
        return Grade(task.student, NOT_STARTED, found.sentence, marks)
    shown = explained(exercise, found, heard.answers)
    return Grade(
        task.student,
        WRONG,
        " ".join(filter(None, (found.sentence, heard.problem))),
        marks,
        found.mistake,
        tuple(shown.lines),
        str(shown.picture or ""),
        found.wrong[:500],
        "" if found.mistake else answers_digest(heard.answers),
    )


def _interface(task: Task) -> Grade:
    """What the check of an interface found, in the submission's own process: all provisional."""
    nothing = {part.name: 0.0 for part in parts_of(INTERFACE)}
    if interface_key.is_handed_out(task.cells):
        return Grade(task.student, NOT_STARTED, "The notebook is still as it was handed out.", nothing)
    heard = answers_of(task.cells, INTERFACE, level=task.level, kind="interface")
    findings = {}
    with suppress(AttributeError, TypeError, ValueError):
        findings = {part: Finding(holds is True, plain(str(said))) for part, (holds, said) in heard.findings.items()}
    if not findings:
        return Grade(task.student, WAITING, heard.problem or "The interface could not be played on.", nothing)
    earned = interface_key.marks(findings)
    marks = {part.name: float(earned[part.name]) if part.name in findings else None for part in parts_of(INTERFACE)}
    evidence = " ".join(f"({part}) {one.evidence}" for part, one in findings.items())
    reason = f"{evidence} This is what the check says; it counts once a person has confirmed it."
    return Grade(task.student, WAITING, reason, marks)


@cache
def packed_questions(exercise: str, seed: str) -> bytes:
    """The questions of an exercise as a line of JSON, as `packed` has them."""
    return line_of([packed(question) for question in key(exercise, seed).exercise.questions])


def packed(question: Question) -> list[Any]:
    """A question as plain data: shape, k, X's cells, O's cells and the winner of its board, then the rest."""
    board, *rest = question
    return [board.shape, board.k, board.x, board.o, board.winner, *rest]


# ---------------------------------------------------------------------------------------------- what is heard


def answers_of(
    cells: Sequence[str],
    function: str,
    questions: bytes = b"[]\n",
    most: int = 0,
    *,
    level: str = "full",
    kind: str = "function",
    withheld: Sequence[str] = (),
    refusal: str = "",
) -> Heard:
    """What a submission's function answers in a sandbox. Raises `NotStarted`.

    Args:
        questions: as a line of JSON.
        most: how many there are.
    """
    given = sandbox.INTERFACE if kind == "interface" else sandbox.FUNCTION
    first = int.from_bytes(os.urandom(3), "big")
    order = {
        "kind": kind,
        "cells": list(cells),
        "function": function,
        "first": first,
        "withheld": list(withheld),
        "refusal": refusal,
        "clock": CLOCK,
        "limits": sandbox.limits(level, given),
    }
    with sandbox.sandboxed(level, given) as process:
        with sandbox.watched(process) as waited:
            send(process, line_of(order) + questions)
            heard = _heard(lines(process), first, most)
        if heard is None:
            raise NotStarted("The sandbox did not start.")
        if heard.done or heard.problem:
            return heard
        return Heard(heard.answers, why_it_ended(process, waited))


def line_of(data: object) -> bytes:
    """A line of JSON."""
    return json.dumps(data).encode("ascii") + b"\n"


def send(process: subprocess.Popen[bytes], data: bytes) -> None:
    """Write to a sandboxed process, which may have ended."""
    assert process.stdin
    with suppress(OSError):
        process.stdin.write(data)
        process.stdin.flush()


def lines(process: subprocess.Popen[bytes]) -> Iterator[Any]:
    """What a sandboxed process says, line by line, until it ends or writes too much; None for what is not JSON."""
    assert process.stdout
    rest, total = b"", 0
    while total <= MOST_BYTES and len(rest) <= LONGEST_LINE:
        chunk = os.read(process.stdout.fileno(), CHUNK)
        if not chunk:
            return
        total += len(chunk)
        *whole, rest = (rest + chunk).split(b"\n")
        try:
            yield from json.loads(b"[%s]" % b",".join(whole))
        except (ValueError, RecursionError):
            yield from map(_sense, whole)
    yield {"problem": "It wrote far more than the answers that it was asked for, and was stopped."}


def _sense(line: bytes) -> Any:
    if len(line) <= LONGEST_LINE:
        with suppress(ValueError, RecursionError):
            return json.loads(line)
    return None


def _heard(said: Iterator[Any], first: int, most: int) -> Heard | None:
    """What can be understood; None if the sandbox never started. The first answer to each question counts."""
    if next(said, None) != {"started": True}:
        return None
    answers: list[Answer] = []
    for one in said:
        if isinstance(one, list) and one and type(one[0]) is int and one[0] == first + len(answers):
            if len(answers) < most:
                answers.append(_answer(one[1:]))
        elif isinstance(one, dict):
            if isinstance(one.get("findings"), dict):
                return Heard(findings=one["findings"], done=True)
            if one.get("done") is True:
                return Heard(tuple(answers), done=True)
            problem = one.get("missing", one.get("problem"))
            if isinstance(problem, str):
                names = one.get("names")
                known = [name for name in names if isinstance(name, str)] if isinstance(names, list) else []
                return Heard(tuple(answers), plain(problem, 400), tuple(known[:200]))
    return Heard(tuple(answers))


def _answer(data: list[Any]) -> Answer:
    """The answer that came; a plain number comes by itself."""
    try:
        if len(data) != 1:
            return unpacked(data)
        if type(data[0]) is int and -TOO_LARGE < data[0] < TOO_LARGE:
            return Answer(data[0])
        return unpacked([data[0], "", "", ""])
    except ValueError:
        return Answer(None, (), STOPS, "what came can't be read")


def why_it_ended(process: subprocess.Popen[bytes], waited: Event) -> str:
    """Why a sandboxed process said no more, in a sentence."""
    try:
        status = process.wait(1)
    except subprocess.TimeoutExpired:
        return "It closed its output and went on."
    number = status - 128 if status > 128 else -status  # bubblewrap reports a signal as a status above 128
    if waited.is_set():
        return "It was stopped, since it was waiting for something."
    if sys.platform != "win32" and number in (signal.SIGXCPU, signal.SIGKILL):
        return "It was stopped after much computing, or took too much memory. Is there an endless loop?"
    if sys.platform != "win32" and number in (signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT):
        return "It brought Python down: recursion without end, or too much memory?"
    return "It ended the program before it had answered everything."
