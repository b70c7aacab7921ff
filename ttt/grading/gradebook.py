"""The gradebook: grades are stored as they are reached, and exported to CSV files for people, Canvas and Moodle.

A grade is stored under the student, with a digest of the submission and of the code that judged it. It stands until one
of them changes, however often the command is run or killed.
"""

from __future__ import annotations

import html
import re
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from ttt.board import Board
from ttt.exercises import TreeNode
from ttt.grading.grade import Case, GradingError, PartMarks
from ttt.grading.platforms import moodle_number
from ttt.grading.roster import Person, alike, letters, paired, plain, repeated
from ttt.grading.sheet import Sheet, csv_text, decimal
from ttt.store import Store, escape_formula, written_whole

COLUMNS = ("misconception", "status", "reason", "comment", "seconds", "isolation")  # after the marks
KIND = "grades of "
SEED = ""  # what the seed is kept under, among the students
CANVAS_POINTS = "points possible"


@dataclass(frozen=True)
class Record:
    """A student's line in the gradebook; score is None where nothing could be graded.

    Args:
        wrong: as in `Grade`.
        comment: what a person says in the review form.
        number: the student's number in Canvas or Moodle.
        late: whether something took too long, so that another try may come to more.
    """

    student: str
    status: str
    reason: str
    score: float | None
    max_score: float
    seconds: float = 0
    isolation: str = ""
    misconception: str = ""
    parts: tuple[PartMarks, ...] = ()
    example: Case | None = None
    wrong: tuple[tuple[int, float | None], ...] = ()
    comment: str = ""
    number: str = ""
    late: bool = False

    @property
    def words(self) -> str:
        """What is said to the student, by the judge and by a person."""
        return " ".join(filter(None, (self.reason, self.comment)))


class Gradebook(Store):
    """The grades of one exercise that have been reached so far, each stored at once.

    Raises `StoreError` if the file can't be used, and `GradingError` if it holds another exercise's grades.
    """

    def __init__(self, path: Path, exercise: str) -> None:
        super().__init__(path, f"{KIND}{exercise}")
        if others := [kind.removeprefix(KIND) for kind in self.kinds() if kind != f"{KIND}{exercise}"]:
            self.close()
            raise GradingError(
                f"{path.parent} holds the results of {', '.join(others)}. Choose another folder for {exercise}."
            )

    @cached_property
    def seed(self) -> str:
        """Draws the questions that students don't have. The same work gets the same marks, so it is kept."""
        kept = self.kept(SEED)
        if not isinstance(kept, str):
            kept = secrets.token_hex(16)
            self.keep(SEED, kept)
        return kept

    def keep_record(self, record: Record, digest: str) -> None:
        """Store a record in place of the student's earlier one."""
        self.keep(record.student, _fields(record), digest)

    def kept_record(self, student: str, digest: str) -> Record | None:
        """The student's record, if it was reached for a submission with this digest."""
        fields = self.kept(student, digest)
        try:
            return _record(fields) if fields else None
        except (TypeError, ValueError, KeyError, AttributeError):  # of another version, or damaged: it is graded again
            return None


def _fields(record: Record) -> dict[str, Any]:
    """The record as JSON holds it; the opposite of `_record`."""
    fields = asdict(record)
    if record.example:
        example = fields["example"]
        example["board"] = _board_data(record.example.board)
        example["asked"] = [(_board_data(board), player) for board, player in record.example.asked]
    return fields


def _board_data(board: Board) -> tuple[str, tuple[int, ...], int]:
    return "".join(board), board.shape, board.k


def _record(fields: dict[str, Any]) -> Record:
    fields["parts"] = tuple(PartMarks(*part) for part in fields["parts"])
    fields["wrong"] = tuple((place, value) for place, value in fields["wrong"])
    if example := fields["example"]:
        given = {
            "board": _board(example["board"]),
            "drawings": tuple((m, caption, tuple(map(tuple, lines))) for m, caption, lines in example["drawings"]),
            "rest": tuple(example["rest"]),
            "tree": tuple(TreeNode(tuple(moves), *rest) for moves, *rest in example["tree"]),
            "asked": tuple((_board(board), player) for board, player in example["asked"]),
        }
        fields["example"] = Case(**example | given)
    return Record(**fields)


def _board(data: tuple[str, Sequence[int], int]) -> Board:
    marks, shape, k = data
    return Board.from_text(marks, tuple(shape), k)


# ------------------------------------------------------------------------------------------------- files


def write(path: Path, text: str) -> None:
    """Write a file in one step, so that no reader finds half of it. Raises `GradingError`."""
    try:
        with written_whole(path) as part:
            part.write_text(text, encoding="utf-8", newline="")
    except FileNotFoundError:
        raise GradingError(f"{path} can't be written: there is no folder {path.parent}.") from None
    except OSError as error:
        raise GradingError(f"{path} can't be written: {error.strerror}. Is it open in another program?") from None


def write_table(path: Path, columns: Sequence[str], rows: Iterable[Sequence[str | float | None]]) -> None:
    """Write a CSV file in which numbers are numbers, None is empty, and no cell can be taken for a formula."""
    write(path, csv_text([columns, *([_cell(value) for value in row] for row in rows)]))


def write_grades(path: Path, records: Iterable[Record], rubric: Sequence[PartMarks]) -> None:
    """Write `grades.csv`: a row for each student, with a column for the marks of each part."""
    parts = [part.name for part in rubric]
    rows = []
    for record in records:
        marks = {part.name: part.got for part in record.parts}
        others = [getattr(record, column) for column in COLUMNS]
        rows.append([record.student, record.score, record.max_score, *map(marks.get, parts), *others])
    write_table(path, ["student", "score", "max_score", *parts, *COLUMNS], rows)


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
    _refuse_repeated(sheet, "id")
    return sheet, _assignment(sheet, exercise)


def moodle_rows(sheet: Sheet, people: Sequence[Person]) -> dict[int, int]:
    """For each row of a Moodle worksheet that is certainly one of these people's, or their team's, the person's index.

    A team's number is not a participant's, so teams are found by their names alone.
    """
    rows = sheet.cells("group", "identifier", "full name", "email address", "id number", "username")
    teams = list(dict.fromkeys(group for group, *_ in rows))
    matches = paired([Person(person.names) for person in people], [Person((team,)) for team in teams])
    if matches:
        owners = {teams[m]: n for n, m in matches.items()}
        return {row: owners[group] for row, (group, *_) in enumerate(rows) if group in owners}
    listed = [Person(tuple(names), (moodle_number(identifier),)) for _, identifier, *names in rows]
    if any(teams):
        listed = [Person(person.names) for person in listed]
    return {row: n for n, row in paired(people, listed).items()}


def moodle_sheet(template: Path) -> tuple[Sheet, int]:
    """A grading worksheet exported from Moodle, and its column for the grade. Raises `GradingError`."""
    sheet = Sheet.read(template)
    grade = sheet.column("grade")
    if sheet.column("identifier") is None or grade is None:
        raise GradingError(
            f"{template} is not a Moodle grading worksheet: it needs the columns Identifier and Grade. "
            "Download it in Moodle from the assignment's submissions, with English as your language."
        )
    _refuse_repeated(sheet, "identifier")
    return sheet, grade


def fill_canvas(template: Path, target: Path, records: Sequence[Record], exercise: str) -> list[str]:
    """Fill in the exercise's column of a Canvas gradebook, and its column Notes if it has one.

    Returns a sentence for each problem.

    Raises `GradingError` if the file is not a Canvas gradebook, or the column isn't clear.
    """
    sheet, column = canvas_sheet(template, exercise)
    rows = sheet.cells("student", "sis login id", "sis user id", "id")
    listed = {row: Person(cells, cells[-1:]) for row, cells in enumerate(rows) if cells[-1].strip()}
    places = list(listed)
    people = _people(records)
    owners = {places[m]: n for n, m in paired(people, list(listed.values())).items()}
    notes = _other_points(sheet, column, records)
    for row, n in owners.items():
        if not alike(people[n], listed[row]):
            student, name = records[n].student, plain(rows[row][0], 60)
            notes.append(f"{student} is {name} by the number in the file's name alone: is it the same person?")
    return [*notes, *_filled(sheet, target, records, owners, column, sheet.column("notes"))]


def fill_moodle(template: Path, target: Path, records: Sequence[Record]) -> list[str]:
    """Fill grades and comments into a Moodle grading worksheet; returns a sentence for each problem.

    Raises `GradingError` if the file is not such a worksheet.
    """
    sheet, grade = moodle_sheet(template)
    owners = moodle_rows(sheet, _people(records))
    shown = [replace(record, reason=html.escape(record.words, quote=False), comment="") for record in records]
    return _filled(sheet, target, shown, owners, grade, sheet.column("feedback comments"))


def _people(records: Sequence[Record]) -> list[Person]:
    return [Person((record.student,), (record.number,)) for record in records]


def _refuse_repeated(sheet: Sheet, column: str) -> None:
    """Refuse a sheet with two rows for one person: a grade could go into the wrong one."""
    if twice := repeated([number.strip() for (number,) in sheet.cells(column) if number.strip()]):
        raise GradingError(f"{sheet.path} has more than one row for {plain(twice[0], 60)}: download it again.")


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
    most = max((record.max_score for record in records), default=0)
    for row in sheet.rows[1:3]:
        points = row[column].strip() if column < len(row) else ""
        if row and row[0].strip().casefold() == CANVAS_POINTS and decimal(points) != most:
            return [f"Canvas has {points or 'no'} points possible in this column, the exercise {most:g}."]
    return []


def _filled(
    sheet: Sheet,
    target: Path,
    records: Sequence[Record],
    owners: Mapping[int, int],
    grades: int,
    comments: int | None,
) -> list[str]:
    """Write the sheet with a score and a comment in the rows of these owners, and keep the comments that it has.

    Returns a sentence on those who are not in the sheet.

    Args:
        owners: for each row that is somebody's, the index of the record.
        grades: the column for the score.
        comments: the column for the comment, if there is one.
    """
    cells = {}
    for row, owner in owners.items():
        record = records[owner]
        if record.score is not None:
            cells[row, grades] = _cell(record.score)
        if comments is not None and not sheet.cell(row, comments).strip():
            cells[row, comments] = _cell(record.words)
    write(target, sheet.filled(cells))
    matched = set(owners.values())
    missed = [one.student for n, one in enumerate(records) if n not in matched and one.score is not None]
    if not missed:
        return []
    return [f"No certain match in {sheet.path.name} for {', '.join(missed)}. Enter these by hand."]
