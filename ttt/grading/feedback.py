"""A feedback page for each student: the score and its parts, and one board where it went wrong.

A page has no scripts and loads no files. It allows nothing but its own style, and all text on it is escaped, so that
nothing a student has handed in can act in the browser that opens it.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from pathlib import Path

from ttt import svg
from ttt.grading.gradebook import Record, write
from ttt.grading.pages import render
from ttt.grading.roster import file_names

STYLE = render("feedback.css")
DIGEST = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()


def write_pages(folder: Path, records: Sequence[Record], exercise: str) -> dict[str, Path]:
    """Write a page for each student into an existing folder; returns the pages. Raises `GradingError`."""
    names = file_names([record.student for record in records])
    for record in records:
        write(folder / names[record.student], page(record, exercise))
    return {student: folder / name for student, name in names.items()}


def page(record: Record, exercise: str) -> str:
    """The page as HTML."""
    return render(
        "feedback.html",
        record=record,
        title=exercise.replace("_", " ").capitalize(),
        picture=svg.draw(record.example.board) if record.example else None,
        right=sum(got == possible for _, got, possible in record.parts),
        style=STYLE,
        digest=DIGEST,
    )
