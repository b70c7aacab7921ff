"""A feedback page for each student: the score and its parts, and one board where it went wrong.

A page has no scripts and loads no files. It allows nothing but its own style, and all text on it is escaped, so that
nothing a student has handed in can act in the browser that opens it.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from ttt import svg
from ttt.grading.grade import Case
from ttt.grading.gradebook import Record, write
from ttt.grading.pages import render

LONGEST_NAME = 80  # bytes
RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)  # no file names on Windows
STYLE = render("feedback.css")
DIGEST = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()


def write_pages(folder: Path, records: Sequence[Record], exercise: str) -> None:
    """Write a page for each student into an existing folder. Raises `GradingError`."""
    names = file_names([record.student for record in records])
    for record in records:
        write(folder / names[record.student], page(record, exercise))


def page(record: Record, exercise: str) -> str:
    """The page as HTML."""
    return render(
        "feedback.html",
        record=record,
        title=exercise.replace("_", " ").capitalize(),
        picture=drawn(record.example) if record.example else None,
        right=sum(got == possible for _, got, possible in record.parts),
        style=STYLE,
        digest=DIGEST,
    )


def drawn(case: Case) -> svg.Picture:
    """The board, once for each of the case's drawings, as the check in the exercise shows it."""
    pictures = [svg.draw(case.board, lines=lines, player=mark, caption=words) for mark, words, lines in case.drawings]
    return svg.beside(pictures) if pictures else svg.draw(case.board)


def file_names(students: Sequence[str]) -> dict[str, str]:
    """A file name for each student that every system accepts, no two the same in any case.

    It is the student's own name where possible; otherwise a few characters are added, always the same ones.

    >>> file_names(["Ann Lee"])
    {'Ann Lee': 'Ann Lee.html'}
    """
    safe = {student: _safe(student) for student in students}
    times = Counter(name.casefold() for name in safe.values())
    return {
        student: f"{name}.html" if name == student and times[name.casefold()] == 1 else f"{name}-{_tag(student)}.html"
        for student, name in safe.items()
    }


def _safe(student: str) -> str:
    name = re.sub(r"[^\w .-]", "_", student).strip(" .-")
    name = name.encode()[:LONGEST_NAME].decode(errors="ignore").rstrip(" .")
    return "student" if not name or RESERVED.fullmatch(name) else name


def _tag(student: str) -> str:
    return hashlib.sha256(student.encode()).hexdigest()[:8]
