"""The review form, `review.csv`: where a person overrides the marks of a part, or adds a comment.

The form has a row for each student, a column for each part, and one for a comment. A cell that is left empty changes
nothing. The form is read on every run, so what it says holds even if everything is graded again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ttt.grading.grade import CHANGED, RIGHT, WAITING, GradingError, PartMarks, total
from ttt.grading.gradebook import Record, write, write_table
from ttt.grading.roster import plain
from ttt.grading.sheet import Sheet, csv_text, decimal
from ttt.store import escape_formula, unescape_formula

FORM = "review.csv"
STUDENT, COMMENT = "student", "comment"
FULL = "All marks were given by hand."


@dataclass(frozen=True)
class Row:
    """What a person has filled in for a student, and the number of the row, as a spreadsheet counts them."""

    number: int
    cells: dict[str, str]
    comment: str


def load(form: Path, rubric: Sequence[PartMarks]) -> tuple[dict[str, list[Row]], list[str]]:
    """The rows in which something is filled in, by student, and a sentence for each column that is not known.

    Raises `GradingError` if the file is not such a form.
    """
    if not form.exists():
        return {}, []
    sheet, _ = _opened(form)
    names = [part.name for part in rubric]
    rows = defaultdict(list)
    for number, (student, comment, *marks) in enumerate(sheet.cells(STUDENT, COMMENT, *names), 2):
        cells = {name: cell.strip() for name, cell in zip(names, marks, strict=True) if cell.strip()}
        if cells or comment.strip():
            rows[unescape_formula(student)].append(Row(number, cells, plain(unescape_formula(comment))))
    known = {STUDENT, COMMENT, *names}
    others = [head for head in sheet.rows[0] if head.strip() and head.strip().casefold() not in known]
    return dict(rows), [
        f"{FORM}: the column {plain(head)} is not a part of the exercise, so it is ignored." for head in others
    ]


def applied(records: Sequence[Record], form: Path, rubric: Sequence[PartMarks]) -> tuple[list[Record], list[str]]:
    """The records with the marks and comments from the form, and a sentence for each row that can't be used.

    Raises `GradingError` if the file is not such a form.
    """
    rows, notes = load(form, rubric)
    reviewed = []
    for record in records:
        mine = rows.pop(record.student, [])
        if len(mine) > 1:
            numbers = ", ".join(str(row.number) for row in mine)
            notes.append(f"{FORM} has several rows for {record.student} ({numbers}); none of them is used.")
        elif mine:
            notes += _mistakes(mine[0], record.student, rubric)
            record = _with(record, mine[0], rubric)
        reviewed.append(record)
    for student, lost in rows.items():
        notes += [f"{FORM}, row {row.number}: there is no student {plain(student)!r}; it is not used." for row in lost]
    return reviewed, notes


def add_students(form: Path, students: Sequence[str], rubric: Sequence[PartMarks]) -> None:
    """Add empty rows to the form for the students who have none, and write it if it is missing.

    Nothing that is in the form is changed. Raises `GradingError` if the file is not such a form, or can't be written.
    """
    names = [part.name for part in rubric]
    if not form.exists():
        empty = [None] * (len(names) + 1)
        write_table(form, [STUDENT, *names, COMMENT], ([student, *empty] for student in students))
        return
    sheet, column = _opened(form)
    known = {unescape_formula(student) for (student,) in sheet.cells(STUDENT)}
    width = len(sheet.rows[0])
    added = [_row(escape_formula(student), column, width) for student in students if student not in known]
    if added:
        write(form, sheet.mark + csv_text([*sheet.rows, *added], sheet.delimiter, sheet.end))


def _opened(form: Path) -> tuple[Sheet, int]:
    """The form, and its column for the students. Raises `GradingError` if the file is not such a form."""
    sheet = Sheet.read(form)
    column = sheet.column(STUDENT)
    if column is None:
        raise GradingError(f"{form} needs a column named {STUDENT}. Move the file away to get a new one.")
    return sheet, column


def _row(student: str, column: int, width: int) -> list[str]:
    row = [""] * width
    row[column] = student
    return row


def _with(record: Record, row: Row, rubric: Sequence[PartMarks]) -> Record:
    """The record with what a person has filled in. If nothing could be graded, other parts count 0.

    If all marks are given by hand, what the judge says no longer holds.
    """
    before = record.parts or tuple(part._replace(got=None) for part in rubric)
    parts = tuple(_overridden(part, row.cells.get(part.name, "")) for part in before)
    changes = "; ".join(_changes(before, parts))
    marked = f"Marked by hand: {changes}." if changes else ""
    record = replace(record, comment=f"{marked} {row.comment}".strip())
    if parts == before:
        return record
    if not record.parts:
        parts = tuple(part._replace(got=part.got or 0.0) for part in parts)
    judged, record = record.status, replace(record, parts=parts, score=total(parts), status=_status(parts))
    if record.status != RIGHT or judged == WAITING:
        return record
    return replace(record, reason="", misconception="", example=None, comment=f"{FULL} {row.comment}".strip())


def _status(parts: Sequence[PartMarks]) -> str:
    if any(part.got is None for part in parts):
        return WAITING
    return RIGHT if all(part.full for part in parts) else CHANGED


def _overridden(part: PartMarks, cell: str) -> PartMarks:
    marks = _marks(cell, part.most)
    return part if marks is None else part._replace(got=marks)


def _changes(before: Iterable[PartMarks], after: Iterable[PartMarks]) -> Iterator[str]:
    """For each part that a person has marked, what it has now."""
    for old, new in zip(before, after, strict=True):
        if old != new:
            instead = "" if old.got is None else f" instead of {old.got:g}"
            yield f"{new.got:g} of {new.most:g}{instead} for {new.title}"


def _mistakes(row: Row, student: str, rubric: Sequence[PartMarks]) -> Iterator[str]:
    """A sentence for each cell that is not a number of marks."""
    for part in rubric:
        cell = row.cells.get(part.name)
        if cell and _marks(cell, part.most) is None:
            yield (
                f"{FORM}, row {row.number}: {plain(cell, 20)!r} for {student} in the column {part.name} is not a "
                f"number from 0 to {part.most:g}; the marks stay as they were."
            )


def _marks(cell: str, most: float) -> float | None:
    """The number in a cell; None if there is none from 0 to the most possible."""
    marks = decimal(cell)
    return marks if marks is not None and 0 <= marks <= most else None
