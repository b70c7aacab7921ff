"""The gradebook: grades are stored as they are reached, and exported to CSV files for people, Canvas and Moodle.

A grade is stored under the student, with a digest of the submission and of the code that judged it. It stands until one
of them changes, however often the command is run or killed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ttt.board import Board
from ttt.grading.grade import Case, GradingError
from ttt.grading.roster import Person, letters, paired
from ttt.grading.sheet import Sheet, csv_text
from ttt.store import Store, escape_formula, written_whole

COLUMNS = ("student", "score", "max_score", "status", "reason", "seconds", "isolation")
CANVAS_POINTS = "points possible"


@dataclass(frozen=True)
class Record:
    """A student's line in the gradebook; score is None where nothing could be graded.

    Args:
        parts: for each part of the exercise what it asks, the marks earned and the marks possible.
        number: the student's number in Canvas or Moodle.
    """

    student: str
    status: str
    reason: str
    score: float | None
    max_score: float
    seconds: float = 0
    isolation: str = ""
    misconception: str = ""
    parts: tuple[tuple[str, float, float], ...] = ()
    example: Case | None = None
    number: str = ""


class Gradebook(Store):
    """The grades of one exercise that have been reached so far, each stored at once. Raises `StoreError`."""

    def __init__(self, path: Path, exercise: str) -> None:
        super().__init__(path, f"grades of {exercise}")

    def keep_record(self, record: Record, digest: str) -> None:
        """Store a record in place of the student's earlier one."""
        fields = asdict(record)
        if record.example:
            board = record.example.board
            fields["example"]["board"] = ["".join(board), board.shape, board.k]
        self.keep(record.student, fields, digest)

    def kept_record(self, student: str, digest: str) -> Record | None:
        """The student's record, if it was reached for a submission with this digest."""
        fields = self.kept(student, digest)
        return _record(fields) if fields else None


def _record(fields: dict[str, Any]) -> Record:
    fields["parts"] = tuple(tuple(part) for part in fields["parts"])
    if fields["example"]:
        marks, shape, k = fields["example"]["board"]
        drawings = tuple((m, caption, tuple(map(tuple, lines))) for m, caption, lines in fields["example"]["drawings"])
        board = Board.from_text(marks, tuple(shape), k)
        fields["example"] = Case(**fields["example"] | {"board": board, "drawings": drawings})
    return Record(**fields)


# ------------------------------------------------------------------------------------------------- files


def write(path: Path, text: str) -> None:
    """Write a file in one step, so that no reader finds half of it. Raises `GradingError`."""
    try:
        with written_whole(path) as part:
            part.write_text(text, encoding="utf-8", newline="")
    except OSError as error:
        raise GradingError(f"{path} can't be written: {error.strerror}. Is it open in another program?") from None


def write_grades(path: Path, records: Iterable[Record]) -> None:
    """Write `grades.csv`, a row for each student, in which no cell can be taken for a formula."""
    rows = [[_cell(getattr(record, column)) for column in COLUMNS] for record in records]
    write(path, csv_text([COLUMNS, *rows]))


def _cell(value: str | float | None) -> str:
    if value is None:
        return ""
    return escape_formula(value) if isinstance(value, str) else f"{value:.10g}"


# ------------------------------------------------------------------------------------------------- Canvas and Moodle


def canvas_sheet(template: Path, exercise: str) -> tuple[Sheet, int]:
    """A gradebook exported from Canvas, and the exercise's column in it. Raises `GradingError`."""
    sheet = Sheet.read(template)
    if sheet.column("student") is None or sheet.column("id") is None:
        raise GradingError(f"{template} is not a Canvas gradebook: export it in Canvas under Grades, with all columns.")
    return sheet, _assignment(sheet, exercise)


def moodle_sheet(template: Path) -> tuple[Sheet, int]:
    """A grading worksheet exported from Moodle, and its column for the grade. Raises `GradingError`."""
    sheet = Sheet.read(template)
    grade = sheet.column("grade")
    if sheet.column("identifier") is None or grade is None:
        raise GradingError(
            f"{template} is not a Moodle grading worksheet: it needs the columns Identifier and Grade. "
            "Download it in Moodle from the assignment's submissions, with English as your language."
        )
    return sheet, grade


def fill_canvas(template: Path, target: Path, records: Sequence[Record], exercise: str) -> list[str]:
    """Fill in the exercise's column of a Canvas gradebook; returns a sentence for each problem.

    Raises `GradingError` if the file is not a Canvas gradebook, or the column isn't clear.
    """
    sheet, column = canvas_sheet(template, exercise)
    rows = sheet.cells("student", "sis login id", "sis user id", "id")
    people = {n: Person(row, row[-1:]) for n, row in enumerate(rows) if row[-1].strip()}
    notes = _filled(sheet, target, records, column, people)
    return [*_other_points(sheet, column, records), *notes]


def fill_moodle(template: Path, target: Path, records: Sequence[Record]) -> list[str]:
    """Fill the grades into a Moodle grading worksheet; returns a sentence for each problem.

    Raises `GradingError` if the file is not such a worksheet.
    """
    sheet, grade = moodle_sheet(template)
    rows = sheet.cells("identifier", "full name", "email address", "id number", "username")
    people = {
        n: Person(tuple(names), tuple(re.findall(r"\d+\s*$", identifier)))
        for n, (identifier, *names) in enumerate(rows)
    }
    return _filled(sheet, target, records, grade, people)


def _assignment(sheet: Sheet, exercise: str) -> int:
    """The column of the assignment with the exercise's name, then with the name in its own, then the only one."""
    assignments = {n: head for n, head in enumerate(sheet.rows[0]) if re.search(r"\(\d+\)\s*$", head)}
    wanted = letters(exercise)
    same = [n for n, head in assignments.items() if letters(head.rpartition("(")[0]) == wanted]
    similar = [n for n, head in assignments.items() if wanted in letters(head)]
    for columns in (same, similar, list(assignments)):
        if len(columns) == 1:
            return columns[0]
    names = ", ".join(assignments.values()) or "none"
    raise GradingError(
        f"Which column of {sheet.path} is {exercise}? Exactly one assignment must have it in its name; found: {names}."
    )


def _other_points(sheet: Sheet, column: int, records: Sequence[Record]) -> list[str]:
    """A sentence if Canvas expects another number of points than the exercise has."""
    most = f"{max((record.max_score for record in records), default=0):g}"
    for row in sheet.rows[1:3]:
        points = row[column].strip().removesuffix(".00").removesuffix(".0") if column < len(row) else ""
        if row and row[0].strip().casefold() == CANVAS_POINTS and points != most:
            return [f"Canvas has {points or 'no'} points possible in this column, the exercise {most}."]
    return []


def _filled(
    sheet: Sheet, target: Path, records: Sequence[Record], column: int, people: Mapping[int, Person]
) -> list[str]:
    """Write the sheet with the scores of everybody on it; returns a sentence on those who are not."""
    scored = [record for record in records if record.score is not None]
    places = list(people)
    matches = paired([Person((record.student,), (record.number,)) for record in scored], list(people.values()))
    write(target, sheet.filled(column, {places[m]: _cell(scored[n].score) for n, m in matches.items()}))
    unmatched = [record.student for n, record in enumerate(scored) if n not in matches]
    if not unmatched:
        return []
    return [f"No certain match in {sheet.path.name} for {', '.join(unmatched)}. Enter these by hand."]
