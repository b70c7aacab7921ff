"""What a class has handed in, in any layout: one row for each student, read in a process that may fail."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Timer
from typing import Any

from exercises.grading import ROOT, GradingError
from exercises.grading.people import plain

SECONDS = 60.0  # that a student's files may take to read
LAYOUTS = (
    "a folder of STUDENT/{0}.ipynb, of STUDENT.ipynb or of STUDENT.py, an nbgrader tree "
    "submitted/STUDENT/{0}/{0}.ipynb, or a Moodle or Canvas download, zipped or not"
)
GAVE_UP = "The files can't be read: they take too long, or more memory than they may."


@dataclass(frozen=True)
class Submission:
    """What one student has handed in: the code to grade, or why there is none.

    Args:
        student: a unique name, safe to print.
        number: the student's number on the platform, if it is known.
        prefix: how a file's name must begin for the platform to give it back to this student, if that is known.
        file: the name of the file to grade.
        status: why there is nothing to grade: "missing", "submitted twice" or "problem"; otherwise "".
        notes: sentences on what was found, for the student.
        cells: the code cells of a notebook; a program is one cell.
        guesses: the records of guesses in the notebook's outputs, as `ttt.guesses` writes them. Anybody can write one.
        alike: a digest of the code, the same for any names and layout; "" where there is little code.
    """

    student: str
    number: str = ""
    prefix: str = ""
    file: str = ""
    status: str = ""
    notes: tuple[str, ...] = ()
    cells: tuple[str, ...] | None = None
    guesses: tuple[Any, ...] = ()
    alike: str = ""

    def noted(self, note: str, **changes: Any) -> Submission:
        """The same with one more note, and with other fields changed."""
        return replace(self, notes=(*self.notes, note), **changes)


@dataclass(frozen=True)
class Class:
    """All that was handed in.

    Args:
        submissions: one for each student, sorted by name.
        notes: sentences on what belongs to nobody.
        shape: "nbgrader", "platform" or "plain".
    """

    submissions: list[Submission]
    notes: list[str] = field(default_factory=list)
    shape: str = "plain"


def collected(source: Path, exercise: str, leave_out: Path | None = None, seconds: float = SECONDS) -> Class:
    """What is in a folder or a zip, without the folder to leave out. Raises `GradingError` if there is nothing."""
    order = {"source": str(source), "exercise": exercise, "leave_out": str(leave_out.absolute()) if leave_out else ""}
    found: list[Submission] = []
    about: dict[str, Any] = {}
    while not about or len(found) < about["students"]:
        begun: dict[str, Any] = {}
        before = len(found)
        for said in _lines({**order, "first": before}, seconds):
            if "problem" in said:
                raise GradingError(f"{source}: {said['problem']} What can be graded: {LAYOUTS.format(exercise)}.")
            if "begun" in said:
                begun = said
            elif "students" in said:
                about = said
            else:
                found.append(_submission(said))
                begun = {}
        if not about or (not begun and len(found) < about["students"]):
            raise GradingError(f"{source} can't be read: it takes too long, or more memory than it may.")
        if begun:
            found.append(Submission(begun["begun"], begun["number"], begun["prefix"], "", "problem", (GAVE_UP,)))
    return Class(found, about["notes"], about["shape"])


def _lines(order: dict[str, Any], seconds: float) -> Iterator[dict[str, Any]]:
    """What the reading process says, until it ends or says nothing for too long."""
    command = [sys.executable, "-S", "-m", "exercises.grading.reading", json.dumps(order)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=os.environ | {"PYTHONPATH": str(ROOT)}
    ) as process:
        assert process.stdout is not None
        try:
            while True:
                clock = Timer(seconds, process.kill)
                clock.start()
                line = process.stdout.readline()
                clock.cancel()
                if not line.endswith(b"\n"):
                    return
                yield json.loads(line)
        finally:
            process.kill()


def _submission(said: dict[str, Any]) -> Submission:
    for name in ("notes", "guesses", "cells"):
        said[name] = None if said[name] is None else tuple(said[name])
    return Submission(**said)


# ---------------------------------------------------------------------------------------------- which exercise


def defines(cells: Sequence[str], function: str) -> bool:
    """Whether code looks as if it defined a function of this name; it is not read as Python, which it might not be."""
    pattern = re.compile(rf"^[ \t]*(?:async )?def[ \t]+{function}\b|^[ \t]*{function}[ \t]*=(?!=)", re.MULTILINE)
    return any(pattern.search(cell) for cell in cells)


def without_other_exercises(
    submissions: Sequence[Submission], exercise: str, functions: dict[str, str]
) -> list[Submission]:
    """The submissions; one that is clearly another exercise's is a problem of that student's.

    Args:
        functions: for each exercise, the function that is handed in.

    Raises `GradingError` if all that were handed in are: nothing is graded then.
    """
    checked, others = [], Counter[str]()
    graded = 0
    for one in submissions:
        other = _other(one.cells or (), exercise, functions)
        graded += one.cells is not None
        if other:
            others[other] += 1
            what = f"This is a submission of {other}, not of {exercise}."
            one = one.noted(what, status="problem", cells=None)
        checked.append(one)
    if graded and sum(others.values()) == graded:
        other, count = others.most_common(1)[0]
        raise GradingError(
            f"These are submissions of {other} ({count} of {graded}), not of {exercise}: nothing was graded. "
            f"Write --exercise {plain(other)}."
        )
    return checked


def _other(cells: Sequence[str], exercise: str, functions: dict[str, str]) -> str:
    """The other exercise whose function is defined, where this one's is not; else ""."""
    if defines(cells, functions[exercise]):
        return ""
    return next((name for name, function in functions.items() if defines(cells, function)), "")
