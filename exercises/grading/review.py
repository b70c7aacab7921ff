"""The review form, `review.csv`: where a person overrides the marks of a part, or adds a comment.

It has a row for each student, a column for each part, and one for a comment. An empty cell changes nothing. The form is
read on every run, so what it says holds even if everything is graded again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

from exercises.grading import GradingError
from exercises.grading.grade import CHANGED, RIGHT, WAITING, Grade
from exercises.grading.key import Part
from exercises.grading.people import plain
from exercises.grading.tables import Sheet, cell, csv_text, decimal, text_of, write

FORM = "review.csv"


def reviewed(grades: Sequence[Grade], form: Path, parts: Sequence[Part]) -> tuple[list[Grade], list[str]]:
    """The grades with what a person has filled in, and a sentence for each cell that can't be used.

    The form gets empty rows for the students who have none; nothing else in it changes. Raises `GradingError` if the
    file is not such a form.
    """
    columns = ["student", *(part.name for part in parts), "comment"]
    if not form.exists():
        write(form, csv_text([columns]))
    sheet = Sheet.read(form)
    column = sheet.column("student")
    if column is None:
        raise GradingError(f"{form} needs a column named student. Move the file away to get a new one.")
    notes = [
        f"{FORM}: there is no part {plain(head, 40)}, so that column is not used."
        for head in sheet.rows[0]
        if head.strip() and head.strip().casefold() not in columns
    ]
    rows: defaultdict[str, list[dict[str, str]]] = defaultdict(list)
    for cells in sheet.cells(*columns):
        rows[text_of(cells[0])].append(dict(zip(columns[1:], map(str.strip, cells[1:]), strict=True)))
    for student in [grade.student for grade in grades if grade.student not in rows]:
        sheet.rows.append([cell(student) if n == column else "" for n in range(len(sheet.rows[0]))])
    write(form, sheet.filled({}))
    found = []
    for grade in grades:
        filled = [row for row in rows.pop(grade.student, []) if any(row.values())]
        if len(filled) > 1:
            notes.append(f"{FORM} has several rows for {grade.student}; none of them is used.")
        found.append(_with(grade, filled[0], parts, notes) if len(filled) == 1 else grade)
    strangers = [student for student, each in rows.items() if any(any(row.values()) for row in each)]
    notes += [f"{FORM}: there is no student {plain(student, 60)!r}; the row is not used." for student in strangers]
    return found, notes


def _with(grade: Grade, cells: Mapping[str, str], parts: Sequence[Part], notes: list[str]) -> Grade:
    """A grade with what a person has filled in. Where nothing could be graded, other parts count 0."""
    marks = {part.name: grade.marks.get(part.name, None if grade.marks else 0.0) for part in parts}
    changes = []
    for part in parts:
        text, before = cells[part.name], grade.marks.get(part.name)
        number = decimal(text)
        if number is not None and 0 <= number <= part.marks:
            marks[part.name] = number
            if number != before:
                instead = "" if before is None else f" instead of {before:g}"
                changes.append(f"{number:g} of {part.marks}{instead} for “{part.title}”")
        elif text:
            what = f"{plain(text, 20)!r} for {grade.student} in the column {part.name}"
            notes.append(f"{FORM}: {what} is not a number from 0 to {part.marks}; the marks stay as they were.")
    by_hand = f"Marked by hand: {'; '.join(changes)}." if changes else ""
    grade = grade.changed(comment=f"{by_hand} {plain(text_of(cells['comment']))}".strip())
    if not changes:
        return grade
    if None in marks.values():
        return grade.changed(marks=marks, status=WAITING)
    right = all(marks[part.name] == part.marks for part in parts)
    return grade.changed(marks=marks, status=RIGHT if right else CHANGED)
