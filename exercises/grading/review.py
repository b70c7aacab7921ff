"""The review form, `review.csv`: where a person overrides the marks of a part, or adds a comment.

It has a row for each student, a column for each part, and one for a comment. An empty cell changes nothing. The form is
read on every run, so what it says holds even if everything is graded again.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from exercises.grading import GradingError
from exercises.grading.grade import CHANGED, RIGHT, WAITING, Grade
from exercises.grading.key import Part
from exercises.grading.people import plain
from exercises.grading.tables import Sheet, cell, csv_text, decimal, text_of, write, write_table

FORM = "review.csv"


def reviewed(grades: Sequence[Grade], form: Path, parts: Sequence[Part]) -> tuple[list[Grade], list[str]]:
    """The grades with what a person has filled in, and a sentence for each cell that can't be used.

    Raises `GradingError` if the file is not such a form.
    """
    if not form.exists():
        return list(grades), []
    sheet = _sheet(form)
    names = [part.name for part in parts]
    notes = [
        f"{FORM}: there is no part {plain(head, 40)}, so that column is not used."
        for head in sheet.rows[0]
        if head.strip() and head.strip().casefold() not in {"student", "comment", *names}
    ]
    filled: dict[str, list[tuple[str, ...]]] = {}
    for student, comment, *marks in sheet.cells("student", "comment", *names):
        if any(text.strip() for text in (comment, *marks)):
            filled.setdefault(text_of(student), []).append((text_of(comment), *marks))
    found = []
    for grade in grades:
        rows = filled.pop(grade.student, [])
        if len(rows) > 1:
            notes.append(f"{FORM} has several rows for {grade.student}; none of them is used.")
        elif rows:
            comment, *marks = rows[0]
            grade = _with(grade, comment, dict(zip(names, marks, strict=True)), parts, notes)
        found.append(grade)
    notes += [f"{FORM}: there is no student {plain(student, 60)!r}; the row is not used." for student in filled]
    return found, notes


def _with(grade: Grade, comment: str, cells: dict[str, str], parts: Sequence[Part], notes: list[str]) -> Grade:
    """A grade with what a person has filled in. Where nothing could be graded, other parts count 0."""
    marks = dict(grade.marks)
    changes = []
    for part in parts:
        text = cells[part.name].strip()
        number = decimal(text) if text else None
        if text and (number is None or not 0 <= number <= part.marks):
            what = f"{plain(text, 20)!r} for {grade.student} in the column {part.name}"
            notes.append(f"{FORM}: {what} is not a number from 0 to {part.marks}; the marks stay as they were.")
        elif number is not None:
            before = marks.get(part.name)
            if number != before:
                instead = "" if before is None else f" instead of {before:g}"
                changes.append(f"{number:g} of {part.marks}{instead} for “{part.title}”")
            marks[part.name] = number
    by_hand = f"Marked by hand: {'; '.join(changes)}." if changes else ""
    grade = grade.changed(comment=f"{by_hand} {plain(comment)}".strip())
    if marks == grade.marks:
        return grade
    marks = {part.name: marks.get(part.name, None if grade.marks else 0.0) for part in parts}
    if None in marks.values():
        return grade.changed(marks=marks, status=WAITING)
    right = all(marks[part.name] == part.marks for part in parts)
    return grade.changed(marks=marks, status=RIGHT if right else CHANGED)


def add_students(form: Path, students: Sequence[str], parts: Sequence[Part]) -> None:
    """Add empty rows for the students who have none, and change nothing else. Raises `GradingError`."""
    if not form.exists():
        write_table(form, ["student", *(part.name for part in parts), "comment"], [])
    sheet = _sheet(form)
    column = sheet.column("student") or 0
    known = {text_of(student) for (student,) in sheet.cells("student")}
    rows = list(sheet.rows)
    for student in students:
        if student not in known:
            rows.append([""] * len(sheet.rows[0]))
            rows[-1][column] = cell(student)
    write(form, sheet.mark + csv_text(rows, sheet.delimiter, sheet.end))


def _sheet(form: Path) -> Sheet:
    sheet = Sheet.read(form)
    if sheet.column("student") is None:
        raise GradingError(f"{form} needs a column named student. Move the file away to get a new one.")
    return sheet
