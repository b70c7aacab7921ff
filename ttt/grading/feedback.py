"""A feedback page for each student: the score and its parts, and one board where it went wrong."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ttt.grading import pages
from ttt.grading.gradebook import Record, write
from ttt.grading.roster import file_names


def write_pages(folder: Path, records: Sequence[Record], exercise: str) -> dict[str, Path]:
    """Write a page for each student into an existing folder; returns the pages. Raises `GradingError`."""
    names = file_names([record.student for record in records])
    for record in records:
        write(folder / names[record.student], page(record, exercise))
    return {student: folder / name for student, name in names.items()}


def page(record: Record, exercise: str) -> str:
    """The page as HTML."""
    return pages.render("feedback.html", record=record, title=pages.title(exercise))
