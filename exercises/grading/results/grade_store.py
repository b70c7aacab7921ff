"""Stores each grade of an exercise as soon as it is known, so that a killed run loses nothing.

A grade is valid while the submission and the grader's files stay the same. If the same submission is graded again, the
better grade is kept.
"""

import json
import secrets
from dataclasses import asdict
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any
from unicodedata import normalize

from exercises.grading import ROOT, GradingError
from exercises.grading.judging.key import Grade
from exercises.grading.tables import write

JUDGING = (
    *("exercises/grading/**/*.py", "notebooks/lab/*.py", "notebooks/lab/checks/*.*"),
    *("ttt/*.py", "ttt/players/*.py", "ttt/search/*.py"),  # interfaces are also tested with players
)


class GradeStore:
    """The grades in a folder of results: in `kept/`, a file for each student. Raises `GradingError` if it is unusable,
    or if its grades are for another exercise."""

    def __init__(self, results: Path, exercise: str) -> None:
        self._folder = results / "kept"
        about = self._read("about.json")
        if about.get("exercise", exercise) != exercise:
            other = about["exercise"]
            raise GradingError(f"{results} already holds results of {other}. Choose another folder for {exercise}.")
        self.seed = str(about.get("seed", secrets.token_hex(16)))  # draws the questions students don't have
        if not about:
            write(self._folder / "about.json", json.dumps({"exercise": exercise, "seed": self.seed}))

    def kept(self, student: str, digest: str) -> Grade | None:
        """The student's grade, if it is for a submission with this digest."""
        found = self._read(_file_name(student))
        return Grade(**found["grade"]) if found.get("digest") == digest else None

    def keep(self, grade: Grade, digest: str) -> Grade:
        """Store a grade unless the same submission has a better one; return the valid one."""
        before = self.kept(grade.student, digest)
        if before is not None and (before.score or 0) > (grade.score or 0):
            return before
        text = json.dumps({"digest": digest, "grade": asdict(grade)})
        write(self._folder / _file_name(grade.student), text)
        return grade

    def _read(self, name: str) -> dict[str, Any]:
        """What a file holds; nothing if there is none."""
        try:
            found: dict[str, Any] = json.loads((self._folder / name).read_text(encoding="utf-8"))
            if not isinstance(found, dict):
                raise ValueError("it is not a record")
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as error:
            told = f"{self._folder / name} can't be read: {error}."
            raise GradingError(f"{told} Remove it, or choose another folder.") from None
        return found


def _file_name(student: str) -> str:
    """A name that every file system keeps apart from others: names may differ in case alone, or contain a slash."""
    return f"{sha256(normalize('NFC', student).encode('utf-8', 'backslashreplace')).hexdigest()[:32]}.json"


@cache
def _judging() -> bytes:
    paths = [path for pattern in JUDGING for path in sorted(ROOT.glob(pattern)) if path.is_file()]
    return b"".join(path.read_bytes() for path in paths)


def digest(cells: tuple[str, ...]) -> str:
    """A digest of a submission and of every file that affects its grade."""
    return sha256(_judging() + "\f".join(cells).encode("utf-8", "backslashreplace")).hexdigest()[:32]
