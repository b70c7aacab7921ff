"""Stores each grade of an exercise as soon as it is known, so that a killed run loses nothing.

A grade is valid while the submission and the grader's files stay the same. If the same submission is graded again, the
better grade is kept.
"""

import json
import secrets
import sqlite3
from contextlib import AbstractContextManager
from dataclasses import asdict
from functools import cache
from hashlib import sha256
from pathlib import Path

from exercises.grading import ROOT, GradingError
from exercises.grading.key import Grade

NAME = "grades.db"
JUDGING = (
    *("exercises/grading/*.py", "exercises/grading/*.toml", "notebooks/lab/*.py", "notebooks/lab/checks/*.*"),
    *("ttt/*.py", "ttt/players/*.py", "ttt/search/*.py"),  # interfaces are also tested with players
)
TABLES = """
create table if not exists about (name text primary key, value);
create table if not exists grades (student text primary key, digest, grade);
"""


class Book(AbstractContextManager["Book"]):
    """The grades in a folder. Raises `GradingError` if they belong to another exercise or the file is unusable."""

    def __init__(self, folder: Path, exercise: str) -> None:
        path = folder / NAME
        if folder.is_file():
            raise GradingError(f"{folder} is a file, but `--out` needs a folder.")
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._file = sqlite3.connect(path, timeout=60, isolation_level=None)
            self._file.execute("pragma journal_mode = wal")
            self._file.executescript(TABLES)
        except (OSError, sqlite3.Error) as error:
            raise GradingError(f"{path} can't be used: {error}. Choose another folder, or move the file.") from None
        other = self._about("exercise", exercise)
        if other != exercise:
            self._file.close()
            raise GradingError(f"{folder} already holds results of {other}. Choose another folder for {exercise}.")
        self.seed = self._about("seed", secrets.token_hex(16))  # draws the questions students don't have

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def _about(self, name: str, value: str) -> str:
        """The value stored under a name; stores this one first if there is none."""
        self._file.execute("insert or ignore into about values (?, ?)", (name, value))
        (kept,) = self._file.execute("select value from about where name = ?", (name,)).fetchone()
        return str(kept)

    def kept(self, student: str, digest: str) -> Grade | None:
        """The student's grade, if it is for a submission with this digest."""
        query = "select grade from grades where student = ? and digest = ?"
        row = self._file.execute(query, (student, digest)).fetchone()
        return Grade(**json.loads(row[0])) if row else None

    def keep(self, grade: Grade, digest: str) -> Grade:
        """Store a grade unless the same submission has a better one; return the valid one."""
        before = self.kept(grade.student, digest)
        if before is not None and (before.score or 0) > (grade.score or 0):
            return before
        row = (grade.student, digest, json.dumps(asdict(grade)))
        self._file.execute("insert or replace into grades values (?, ?, ?)", row)
        return grade


@cache
def _judging() -> bytes:
    found = {pattern: [path for path in sorted(ROOT.glob(pattern)) if path.is_file()] for pattern in JUDGING}
    if empty := [pattern for pattern, paths in found.items() if not paths]:  # else grades would outlive their grader
        raise GradingError(f"The grader's files are incomplete: nothing matches {', '.join(empty)}.")
    return b"".join(path.read_bytes() for paths in found.values() for path in paths)


def digest(cells: tuple[str, ...]) -> str:
    """A digest of a submission and of every file that affects its grade."""
    return sha256(_judging() + "\f".join(cells).encode("utf-8", "backslashreplace")).hexdigest()[:32]
