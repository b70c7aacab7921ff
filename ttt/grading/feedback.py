"""A feedback page for each student: the score and its parts, and one board where it went wrong."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ttt import exercises
from ttt.exercises import Drawing, showing
from ttt.grading import pages
from ttt.grading.grade import Case
from ttt.grading.gradebook import Record, write
from ttt.grading.roster import file_names
from ttt.svg import Picture


def write_pages(folder: Path, records: Sequence[Record], exercise: str) -> dict[str, Path]:
    """Write a page for each student into an existing folder; returns the pages. Raises `GradingError`."""
    names = file_names([record.student for record in records])
    for record in records:
        write(folder / names[record.student], page(record, exercise))
    return {student: folder / name for student, name in names.items()}


def page(record: Record, exercise: str) -> str:
    """The page as HTML."""
    picture = drawn(record.example) if record.example else None
    return pages.render("feedback.html", record=record, title=pages.title(exercise), picture=picture)


def drawn(case: Case) -> Picture | None:
    """What went wrong, as the check in the exercise shows it."""
    drawings = [Drawing(*drawing) for drawing in case.drawings]
    question = (case.board, *(case.rest or (case.player,)))
    right = exercises.Case(question, case.right, drawings=drawings, tree=case.tree)
    return showing.picture(right, exercises.Answer(None, case.asked))
