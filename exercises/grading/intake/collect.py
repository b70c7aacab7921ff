"""Collects a class's submissions from any layout: one row per student, read in a process that may fail."""

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from threading import Timer
from typing import Any

from exercises.grading import ROOT, GradingError
from exercises.grading.intake.reading import defines
from exercises.grading.intake.uploads import Submission

MAX_READING_SECONDS = 60.0  # at most, to read a student's files
LAYOUTS = "a folder of STUDENT/{0}.ipynb or STUDENT.py, or a Moodle or Canvas download, zipped or not"
GAVE_UP = "The files can't be read: they take too much time or memory."


def collected(source: Path, exercise: str, leave_out: Path | None = None) -> tuple[list[Submission], list[str]]:
    """The submissions in a folder or zip, sorted by name, and notes on files that belong to nobody.

    The folder to leave out is not read. Raises `GradingError` if nothing was handed in.
    """
    order = {"source": str(source.resolve()), "exercise": exercise}
    order["leave_out"] = str(leave_out.resolve()) if leave_out else ""
    found: list[Submission] = []
    while True:
        lines = _lines({**order, "first": len(found)})
        about: dict[str, Any] = next(lines, {"problem": "it takes too much time or memory to read"})
        if "problem" in about:
            raise GradingError(f"{source}: {about['problem']}. `ttt` reads {LAYOUTS.format(exercise)}.")
        found += map(_submission, lines)
        if len(found) == len(about["rows"]):
            return found, about["notes"]
        found.append(_submission(about["rows"][len(found)]).noted(GAVE_UP, status="problem"))


def _lines(order: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the reading process's output until it ends or is silent for too long. It imports nothing from here (-P)."""
    command = [sys.executable, "-P", "-m", "exercises.grading.intake.reading", json.dumps(order)]
    own = os.environ | {"PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=own) as process:
        assert process.stdout is not None
        try:
            while True:
                clock = Timer(MAX_READING_SECONDS, process.kill)
                clock.start()
                line = process.stdout.readline()
                clock.cancel()
                if not line.endswith(b"\n"):
                    return
                yield json.loads(line)
        finally:
            process.kill()


def _submission(said: Mapping[str, Any]) -> Submission:
    fields: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in said.items()}
    return Submission(**fields)


def without_other_exercises(submissions: Sequence[Submission], exercise: str, names: Sequence[str]) -> list[Submission]:
    """Mark submissions of another exercise as problems. Raises `GradingError` if all are."""
    found = []
    others: Counter[str] = Counter()
    for one in submissions:
        cells = one.cells or ()
        other = next((name for name in names if defines(cells, name)), "")
        if other and not defines(cells, exercise):
            others[other] += 1
            one = one.noted(f"You handed in the exercise `{other}`, not `{exercise}`.", status="problem", cells=None)
        found.append(one)
    graded = sum(one.cells is not None for one in submissions)
    if graded and others.total() == graded:
        other, number = others.most_common(1)[0]
        told = f"This class handed in the exercise {other} ({number} of {graded} submissions), not {exercise}"
        raise GradingError(f"{told}, so nothing was graded. To grade it, add `--exercise {other}`.")
    return found
