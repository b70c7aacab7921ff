"""What goes back to Canvas, Moodle and nbgrader: their own sheets filled in, and the feedback under their names."""

from __future__ import annotations

import html
import io
import re
import zipfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from exercises.grading import GradingError
from exercises.grading.grade import MISSING, Grade
from exercises.grading.people import Person, alike, letters, listing, paired, plain
from exercises.grading.tables import Sheet, cell, decimal, make_folder, write
from exercises.grading.uploads import Submission, moodle_prefix

PAGE = "feedback.html"  # what a student finds on Moodle or Canvas
POINTS = "points possible"  # in the first column of a Canvas gradebook, in a row that is nobody's


@dataclass(frozen=True)
class Template:
    """A sheet that a platform has exported, and where it wants grades and comments.

    Args:
        owners: by the place of a submission its row, if it is certainly in the sheet; several for a team.
        people: the names of those whom the sheet lists, by their rows.
        grades, comments: the columns to be filled in; there may be none for comments.
    """

    sheet: Sheet
    owners: Mapping[int, list[int]]
    people: Mapping[int, str]
    grades: int
    comments: int | None

    def filled(self, grades: Sequence[Grade], escaped: bool) -> str:
        """The sheet's text with everybody's score, and a comment where there is none yet."""
        cells = {}
        for place, rows in self.owners.items():
            grade = grades[place]
            for row in rows:
                if grade.score is not None:
                    cells[row, self.grades] = cell(grade.score)
                if self.comments is not None and not "".join(self.sheet.rows[row + 1][self.comments :][:1]).strip():
                    cells[row, self.comments] = cell(html.escape(grade.words, quote=False) if escaped else grade.words)
        return self.sheet.filled(cells)

    def notes(self, submissions: Sequence[Submission], grades: Sequence[Grade]) -> list[str]:
        """Sentences on those who are not in the sheet, and on those in it who handed in nothing."""
        lost = [grade.student for n, grade in enumerate(grades) if n not in self.owners and grade.score is not None]
        here = {row for n, rows in self.owners.items() if submissions[n].status != MISSING for row in rows}
        nothing = [name for row, name in self.people.items() if row not in here]
        notes = []
        if lost:
            notes.append(f"No certain match in {self.sheet.path.name} for {', '.join(lost)}. Enter these by hand.")
        if nothing:
            strangers = any(n not in self.owners and one.status != MISSING for n, one in enumerate(submissions))
            what = "have no submission that is certainly theirs" if strangers else "handed in nothing"
            notes.append(f"{len(nothing)} of {len(self.people)} {what}: {listing(nothing)}.")
        return notes


def canvas(path: Path, exercise: str, submissions: Sequence[Submission], most: float) -> tuple[Template, list[str]]:
    """A gradebook exported from Canvas, and sentences on what to look at. Raises `GradingError`."""
    sheet = Sheet.read(path)
    if sheet.column("student") is None or sheet.column("id") is None:
        raise GradingError(f"{path} is not a Canvas gradebook: export it in Canvas under Grades, with all columns.")
    _require_distinct(sheet, "id")
    column = _assignment(sheet, exercise)
    rows = sheet.cells("student", "sis login id", "sis user id", "id")
    people = {row: Person(names[:-1], names[-1]) for row, names in enumerate(rows) if names[-1].strip()}
    places = list(people)
    ours = _people(submissions)
    matches = {n: places[m] for n, m in paired(ours, list(people.values())).items()}
    notes = _other_points(sheet, column, most)
    for n, row in matches.items():
        bare = ours[n].names[0].removesuffix(f" {ours[n].number}")  # it stands there where two have the same name
        if not alike(Person((bare,)), people[row]):
            name = plain(rows[row][0], 60)
            notes.append(f"{ours[n].names[0]} is {name} by the number in the file's name alone: is it the same person?")
    names = {row: plain(rows[row][0], 60) for row in people}
    owners = {n: [row] for n, row in matches.items()}
    return Template(sheet, owners, names, column, sheet.column("notes")), notes


def moodle(path: Path, submissions: Sequence[Submission]) -> Template:
    """A grading worksheet exported from Moodle. Raises `GradingError`."""
    sheet = Sheet.read(path)
    grades = sheet.column("grade")
    if sheet.column("identifier") is None or grades is None:
        raise GradingError(
            f"{path} is not a Moodle grading worksheet: it needs the columns Identifier and Grade. "
            "Download it in Moodle from the assignment's submissions, with English as your language."
        )
    _require_distinct(sheet, "identifier")
    rows = sheet.cells("group", "identifier", "full name", "email address", "id number", "username")
    ours = _people(submissions)
    names = {row: plain(cells[2] or cells[1], 60) for row, cells in enumerate(rows)}
    teams = list(dict.fromkeys(cells[0] for cells in rows if cells[0].strip()))
    by_team = paired([Person(one.names) for one in ours], [Person((team,)) for team in teams])
    if by_team:  # a team's number is not a participant's, so teams are found by their names alone
        owners = {n: [row for row, cells in enumerate(rows) if cells[0] == teams[m]] for n, m in by_team.items()}
    else:
        listed = [Person(tuple(cells[2:]), "" if teams else moodle_number(cells[1])) for cells in rows]
        owners = {n: [row] for n, row in paired(ours, listed).items()}
    return Template(sheet, owners, names, grades, sheet.column("feedback comments"))


def moodle_number(identifier: str) -> str:
    """The number in a worksheet's identifier, such as "Participant 101"."""
    found = re.search(r"(\d+)\s*$", identifier)
    return found[1] if found else ""


def numbered(template: Template, submissions: Sequence[Submission]) -> list[Submission]:
    """The submissions, with the numbers that a Moodle worksheet knows, so that feedback finds its way back."""
    if template.sheet.column("group") is not None:
        return list(submissions)
    known = list(submissions)
    for n, (row, *_) in template.owners.items():
        one = submissions[n]
        number = one.number or moodle_number(template.sheet.cells("identifier")[row][0])
        known[n] = replace(one, number=number, prefix=one.prefix or moodle_prefix(one.student, number))
    return known


def _people(submissions: Sequence[Submission]) -> list[Person]:
    return [Person((one.student,), one.number) for one in submissions]


def _require_distinct(sheet: Sheet, column: str) -> None:
    """Refuse a sheet with two rows for one person: a grade could go into the wrong one."""
    times = Counter(number.strip() for (number,) in sheet.cells(column) if number.strip())
    twice = [number for number, count in times.items() if count > 1]
    if twice:
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


def _other_points(sheet: Sheet, column: int, most: float) -> list[str]:
    """A sentence if Canvas expects another number of points than the exercise has."""
    for row in sheet.rows[1:3]:
        points = row[column].strip() if column < len(row) else ""
        if row and row[0].strip().casefold() == POINTS and decimal(points) != most:
            return [f"Canvas has {points or 'no'} points possible in this column, the exercise {most:g}."]
    return []


# ---------------------------------------------------------------------------------------------- feedback


def write_feedback_zip(target: Path, submissions: Sequence[Submission], pages: Mapping[str, Path]) -> list[str]:
    """Write the pages as a zip from which a platform gives every student theirs; returns sentences on those left out.

    Moodle takes it under "Upload multiple feedback files in a zip", Canvas under "Upload submissions". Where no student
    is known to a platform, no zip is written. Raises `GradingError`.
    """
    target.unlink(missing_ok=True)
    known = [one for one in submissions if one.prefix]
    if not known:
        return []
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as bundle:
        for one in known:
            entry = zipfile.ZipInfo(one.prefix + PAGE)  # the same pages always make the same zip
            bundle.writestr(entry, pages[one.student].read_bytes(), zipfile.ZIP_DEFLATED)
    write(target, data.getvalue())
    left = [one for one in submissions if not one.prefix and one.status != MISSING]
    if not left:
        return []
    return [f"{target.name} has no page for {listing(one.student for one in left)}, whom the platform gave no number."]


def write_nbgraders_tree(
    folder: Path, exercise: str, submissions: Sequence[Submission], pages: Mapping[str, Path]
) -> None:
    """Write the pages as nbgrader's feedback/STUDENT/ASSIGNMENT/NOTEBOOK.html. Raises `GradingError`."""
    for one in submissions:  # a student's name is that of their folder in nbgrader's own tree
        place = folder / "feedback" / one.student.replace("/", "_") / exercise
        make_folder(place)
        write(place / f"{exercise}.html", pages[one.student].read_bytes())
