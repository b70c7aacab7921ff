"""A feedback page for each student: the score and its parts, and one board where it went wrong."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from ttt.grading import pages
from ttt.grading.gradebook import Record, write

LONGEST_NAME = 80  # bytes
RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)  # no file names on Windows
TAGGED = re.compile(r".*-[0-9a-f]{8}", re.DOTALL | re.IGNORECASE)


def write_pages(folder: Path, records: Sequence[Record], exercise: str) -> None:
    """Write a page for each student into an existing folder. Raises `GradingError`."""
    names = file_names([record.student for record in records])
    for record in records:
        write(folder / names[record.student], page(record, exercise))


def page(record: Record, exercise: str) -> str:
    """The page as HTML."""
    return pages.render("feedback.html", record=record, title=pages.title(exercise))


def file_names(students: Sequence[str]) -> dict[str, str]:
    """A file name for each student that every system accepts, no two the same in any case.

    It is the student's own name where possible; otherwise a few characters are added, always the same ones. A name that
    could be such a name already gets them, too.

    >>> file_names(["Ann Lee"])
    {'Ann Lee': 'Ann Lee.html'}
    """
    safe = {student: _safe(student) for student in students}
    times = Counter(name.casefold() for name in safe.values())
    return {
        student: f"{name}.html" if name == student and _alone(name, times) else f"{name}-{_tag(student)}.html"
        for student, name in safe.items()
    }


def _alone(name: str, times: Counter[str]) -> bool:
    return times[name.casefold()] == 1 and not TAGGED.fullmatch(name)


def _safe(student: str) -> str:
    name = re.sub(r"[^\w .-]", "_", student).strip(" .-")
    name = name.encode()[:LONGEST_NAME].decode(errors="ignore").rstrip(" .")
    return "student" if not name or RESERVED.fullmatch(name) else name


def _tag(student: str) -> str:
    return hashlib.sha256(student.encode()).hexdigest()[:8]
