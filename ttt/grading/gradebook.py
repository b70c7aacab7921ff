"""The gradebook: grades are kept as they are reached, in SQLite, and written out as CSV files for people and platforms.

A grade is kept under the student, with a digest of what was handed in and of what judged it: as long as neither changes
it stands, however often the command is run or killed.
"""

from __future__ import annotations

import csv
import io
import json
import re
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from ttt.board import Board
from ttt.grading.grade import Case
from ttt.grading.roster import Person, letters, paired
from ttt.store import escape_formula

COLUMNS = ("student", "score", "max_score", "status", "reason", "seconds", "isolation")
CANVAS_POINTS = "points possible"
TABLE = """
create table if not exists grades (
    exercise text, student text, digest text, isolation text, record text,
    kept_at text default current_timestamp, primary key (exercise, student))
"""


class GradebookError(RuntimeError):
    """A gradebook, or a file of a platform's, can't be read or written; the message says what to do."""


@dataclass(frozen=True)
class Record:
    """One line of the gradebook; score is None where nothing could be graded.

    Args:
        parts: for each part of the exercise what it asks, the points got and the points possible.
        number: what Canvas or Moodle knows the student by.
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

    @property
    def person(self) -> Person:
        """The student, to be looked for in other lists."""
        return Person((self.student,), (self.number,))


class Gradebook:
    """The grades of one exercise that have been reached so far, in a file that outlives any end of the program.

    Raises `GradebookError` where the file is no gradebook or can't be written.
    """

    def __init__(self, path: Path, exercise: str) -> None:
        self._path = path
        self._exercise = exercise
        try:
            self._database = sqlite3.connect(path, timeout=30, isolation_level=None)  # each statement is committed
            self._database.execute(TABLE)
        except sqlite3.Error as error:
            raise GradebookError(
                f"{path} can't be used as a gradebook: {error}. Move it away, or choose another --out."
            ) from None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._database.close()

    def keep(self, record: Record, digest: str) -> None:
        """Keeps a grade, in place of the student's earlier one; once this returns, nothing loses it."""
        values = (self._exercise, record.student, digest, record.isolation, _as_json(record))
        try:
            self._database.execute(
                "insert or replace into grades (exercise, student, digest, isolation, record) values (?, ?, ?, ?, ?)",
                values,
            )
        except sqlite3.Error as error:
            raise GradebookError(f"{self._path} can't be written: {error}. What was kept before is safe.") from None

    def kept(self, student: str, digest: str) -> Record | None:
        """The grade that was kept for a submission with this digest, if there is one."""
        query = "select record from grades where exercise = ? and student = ? and digest = ?"
        row = self._database.execute(query, (self._exercise, student, digest)).fetchone()
        return _from_json(row[0]) if row else None

    def forget(self) -> None:
        """Starts over: no grade of this exercise is left."""
        self._database.execute("delete from grades where exercise = ?", (self._exercise,))


def _as_json(record: Record) -> str:
    fields = asdict(record)
    if record.example:
        board = record.example.board
        fields["example"] |= {"board": ["".join(board), board.shape, board.k]}
    return json.dumps(fields)


def _from_json(text: str) -> Record:
    fields = json.loads(text)
    fields["parts"] = tuple(tuple(part) for part in fields["parts"])
    if fields["example"]:
        marks, shape, k = fields["example"]["board"]
        fields["example"] = Case(**fields["example"] | {"board": Board.from_text(marks, tuple(shape), k)})
    return Record(**fields)


# ------------------------------------------------------------------------------------------------- files


def write(path: Path, text: str) -> None:
    """Writes a file whole or not at all: whoever reads it meanwhile finds the old one. Raises `GradebookError`."""
    part = path.with_name(f".{path.name}.part")
    try:
        part.write_text(text, encoding="utf-8", newline="")
        part.replace(path)
    except OSError as error:
        with suppress(OSError):
            part.unlink()
        raise GradebookError(f"{path} can't be written: {error.strerror}. Is it open in another program?") from None


def write_grades(path: Path, records: Iterable[Record]) -> None:
    """`grades.csv`: a line for each student, in which no cell can be taken for a formula."""
    rows = [[_cell(getattr(record, column)) for column in COLUMNS] for record in records]
    write(path, _csv([COLUMNS, *rows]))


def _cell(value: str | float | None) -> str:
    """A cell as a spreadsheet shows it: numbers stay numbers, and what begins like a formula gets an apostrophe."""
    if value is None:
        return ""
    if isinstance(value, str):
        return escape_formula(value)
    return f"{value:.10g}"


def _csv(rows: Iterable[Sequence[str]], delimiter: str = ",", end: str = "\n") -> str:
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator=end).writerows(rows)
    return text.getvalue()


# ------------------------------------------------------------------------------------------------- Canvas and Moodle


@dataclass(frozen=True)
class Sheet:
    """A CSV file as a platform has written it, with all that is needed to write it back alike."""

    path: Path
    rows: list[list[str]]
    delimiter: str
    end: str
    mark: str  # the byte order mark, where it has one

    def column(self, *names: str) -> int | None:
        """The place of the first column with one of these names."""
        heads = [head.strip().casefold() for head in self.rows[0]]
        return next((heads.index(name) for name in names if name in heads), None)

    def filled(self, column: int, cells: dict[int, str]) -> str:
        """The file's text with some cells of one column changed, and all else as it was."""
        rows = [list(row) for row in self.rows]
        for n, text in cells.items():
            rows[n] += [""] * (column + 1 - len(rows[n]))
            rows[n][column] = text
        return self.mark + _csv(rows, self.delimiter, self.end)


def canvas_sheet(template: Path, exercise: str) -> tuple[Sheet, int]:
    """A gradebook that Canvas has exported, and the exercise's column. Raises `GradebookError` where it is none."""
    sheet = _sheet(template)
    if sheet.column("student") is None or sheet.column("id") is None:
        raise GradebookError(f"{template} is no Canvas gradebook: export it in Canvas under Grades, with all columns.")
    return sheet, _assignment(sheet, exercise)


def moodle_sheet(template: Path) -> tuple[Sheet, int, int]:
    """A worksheet of Moodle's, with the columns of who it is and of the grade. Raises `GradebookError`."""
    sheet = _sheet(template)
    identifier, grade = sheet.column("identifier"), sheet.column("grade")
    if identifier is None or grade is None:
        raise GradebookError(
            f"{template} is no Moodle grading worksheet: it needs the columns Identifier and Grade. "
            "Download it in Moodle from the assignment's submissions, with English as your language."
        )
    return sheet, identifier, grade


def fill_canvas(template: Path, target: Path, records: Sequence[Record], exercise: str) -> list[str]:
    """Fills the exercise's column of a gradebook that Canvas has exported; returns sentences on what didn't fit.

    Raises `GradebookError` where it is no such file, or the column isn't clear.
    """
    sheet, column = canvas_sheet(template, exercise)
    names = [sheet.column(name) for name in ("student", "sis login id", "sis user id", "id")]
    people = [Person(_cells(row, names), _cells(row, [sheet.column("id")])) for row in sheet.rows]
    students = [n for n in range(1, len(people)) if any(map(str.strip, people[n].numbers))]
    notes = _filled(sheet, target, records, column, {n: people[n] for n in students})
    return [*_other_points(sheet, column, records), *notes]


def fill_moodle(template: Path, target: Path, records: Sequence[Record]) -> list[str]:
    """Fills the grades into a grading worksheet that Moodle has exported; returns sentences on what didn't fit.

    Raises `GradebookError` where it is no such file.
    """
    sheet, identifier, grade = moodle_sheet(template)
    names = [sheet.column(name) for name in ("full name", "email address", "id number", "username")]
    people = {
        n: Person(_cells(row, names), tuple(re.findall(r"\d+\s*$", _cells(row, [identifier])[0])))
        for n, row in enumerate(sheet.rows[1:], 1)
    }
    return _filled(sheet, target, records, grade, people)


def _sheet(path: Path) -> Sheet:
    try:
        text = path.read_bytes().decode("utf-8")
        mark = "\ufeff" if text.startswith("\ufeff") else ""
        text = text.removeprefix(mark)
        first = text.partition("\n")[0]
        delimiter = max(",;\t", key=first.count)
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise GradebookError(f"{path} can't be read as a CSV file: {error}.") from None
    if not rows:
        raise GradebookError(f"{path} is empty.")
    return Sheet(path, rows, delimiter, "\r\n" if first.endswith("\r") else "\n", mark)


def _cells(row: Sequence[str], columns: Iterable[int | None]) -> tuple[str, ...]:
    return tuple(row[n] if n is not None and n < len(row) else "" for n in columns)


def _assignment(sheet: Sheet, exercise: str) -> int:
    """The column of the exercise: the one assignment with its name in its own, or the only assignment that there is."""
    assignments = {n: head for n, head in enumerate(sheet.rows[0]) if re.search(r"\(\d+\)\s*$", head)}
    wanted = letters(exercise)
    exact = [n for n, head in assignments.items() if letters(head.rpartition("(")[0]) == wanted]
    for columns in (exact, [n for n, head in assignments.items() if wanted in letters(head)], list(assignments)):
        if len(columns) == 1:
            return columns[0]
    names = ", ".join(assignments.values()) or "none"
    raise GradebookError(
        f"Which column of {sheet.path} is {exercise}? One assignment's name must hold it; there are: {names}."
    )


def _other_points(sheet: Sheet, column: int, records: Sequence[Record]) -> list[str]:
    """A sentence where Canvas expects another number of points than the exercise has."""
    most = f"{max((record.max_score for record in records), default=0):g}"
    for row in sheet.rows[1:3]:
        points = _cells(row, [column])[0].strip().removesuffix(".00").removesuffix(".0")
        if row and row[0].strip().casefold() == CANVAS_POINTS and points != most:
            return [f"Canvas has {points or 'no'} points possible in this column, the exercise {most}."]
    return []


def _filled(sheet: Sheet, target: Path, records: Sequence[Record], column: int, people: dict[int, Person]) -> list[str]:
    """Writes the sheet with the scores of all whom it knows; returns a sentence on those it doesn't."""
    scored = [record for record in records if record.score is not None]
    places = list(people)
    matches = paired([record.person for record in scored], list(people.values()))
    write(target, sheet.filled(column, {places[m]: _cell(scored[n].score) for n, m in matches.items()}))
    lost = [record.student for n, record in enumerate(scored) if n not in matches]
    if not lost:
        return []
    return [f"Not found, or not for certain, in {sheet.path.name}: {', '.join(lost)}. Enter these by hand."]
