"""What goes back to Canvas and Moodle: their own sheets, filled in, and feedback files under their names."""

import html
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from exercises.grading import GradingError
from exercises.grading.intake.uploads import Submission, moodle_prefix
from exercises.grading.judging.key import MISSING, Grade, total
from exercises.grading.people import Person, certain_matches, letters, listing, plain
from exercises.grading.tables import Sheet, cell, decimal, write, zipped

PAGE = "feedback.html"  # the file name a student sees on Moodle or Canvas
COLUMNS = {"Canvas": ("student", "id"), "Moodle": ("grade", "identifier")}  # columns a sheet must have, number last
MEANT = {
    "Canvas": "It must be the gradebook as a CSV file: export it in Canvas under Grades, with all columns.",
    "Moodle": "It must be the grading worksheet, a CSV file with the columns Identifier and Grade: download it "
    "in Moodle from the assignment's submissions, with English as your language.",
}


class Template(NamedTuple):
    """A sheet exported from a platform, and how to fill it in."""

    sheet: Sheet
    people: Mapping[int, str]  # names of the people listed, by row
    owners: Mapping[int, int]  # the row certain to belong to each submission, by its index
    grades: int  # a column
    comments: int | None  # a column, if there is one
    escaped: bool  # whether comments are HTML
    doubts: list[str]  # notes on what to check

    def filled(self, grades: Sequence[Grade]) -> str:
        """The sheet's text with everybody's score, and a comment where it was empty."""
        cells = {}
        for place, row in self.owners.items():
            grade = grades[place]
            words = f"{grade.told} {grade.comment}".replace("\n", " ").strip()
            if grade.score is not None:
                cells[row, self.grades] = cell(grade.score)
            if self.comments is not None and not self.sheet.rows[row + 1][self.comments].strip():
                cells[row, self.comments] = cell(html.escape(words, quote=False) if self.escaped else words)
        return self.sheet.filled(cells)

    def notes(self, submissions: Sequence[Submission], grades: Sequence[Grade]) -> list[str]:
        """Notes on what to check, on students not in the sheet, and on those in it without a submission."""
        lost = [grade.student for n, grade in enumerate(grades) if n not in self.owners and grade.score is not None]
        here = {row for n, row in self.owners.items() if submissions[n].status != MISSING}
        nothing = [name for row, name in self.people.items() if row not in here]
        notes = [*self.doubts]
        if lost:
            notes.append(f"{self.sheet.path.name} has no certain match for {', '.join(lost)}. Enter these by hand.")
        if nothing:
            strangers = any(n not in self.owners and one.status != MISSING for n, one in enumerate(submissions))
            what = "can't be matched to a submission with certainty" if strangers else "handed in nothing"
            notes.append(f"{len(nothing)} of {len(self.people)} {what}: {listing(nothing, None)}.")
        return notes


def canvas(path: Path, exercise: str, submissions: Sequence[Submission]) -> Template:
    """A gradebook exported from Canvas. Raises `GradingError`."""
    sheet = _sheet(path, "Canvas")
    rows = sheet.cells("student", "sis login id", "sis user id", "id")
    places = [row for row, cells in enumerate(rows) if cells[-1].strip()]
    listed = [Person(rows[row][:-1], rows[row][-1]) for row in places]
    matches, left_out = _matched(submissions, listed, path)
    column = _assignment(sheet, exercise)
    doubts = [
        f"In Canvas, Points Possible is {row[column] or 'empty'}, but the exercise has {total(exercise)} points."
        for row in sheet.rows[1:3]
        if row[0].strip().casefold() == "points possible" and decimal(row[column]) != total(exercise)
    ]
    doubts += left_out.values()
    people = _told_apart({row: (rows[row][0], rows[row][-1]) for row in places})
    owners = {n: places[m] for n, m in matches.items()}
    return Template(sheet, people, owners, column, sheet.column("notes"), False, doubts)


def _assignment(sheet: Sheet, exercise: str) -> int:
    """The assignment's column: the one named like the exercise, or containing its name, or the only one."""
    assignments = {n: head for n, head in enumerate(sheet.rows[0]) if re.search(r"\(\d+\)\s*$", head)}
    wanted = letters(exercise)
    same = [n for n, head in assignments.items() if letters(head.rpartition("(")[0]) == wanted]
    similar = [n for n, head in assignments.items() if wanted in letters(head)]
    for columns in (same, similar, list(assignments)):
        if len(columns) == 1:
            return columns[0]
    there = f"The assignments are {', '.join(assignments.values())}" if assignments else "The sheet has no assignments"
    raise GradingError(f"Which column of {sheet.path} is {exercise}? Its heading must contain that name. {there}.")


def moodle(path: Path, submissions: Sequence[Submission]) -> tuple[Template, list[Submission]]:
    """A worksheet from Moodle, and the submissions, numbered as in the sheet if names agree. Raises `GradingError`."""
    sheet = _sheet(path, "Moodle")
    rows = sheet.cells("identifier", "full name", "email address", "id number", "username")
    numbers = [cells[0].rpartition(" ")[2] for cells in rows]  # of "Participant 101"
    teams = sheet.column("group") is not None  # whose numbers may be participants', so a name must agree
    names = [cells[1] or (cells[0] if teams else "") for cells in rows]
    listed = [Person((name, *cells[2:], cells[0]), n) for name, cells, n in zip(names, rows, numbers, strict=True)]
    owners, left_out = _matched(submissions, listed, path)
    known = [replace(one, number="", prefix="") if n in left_out else one for n, one in enumerate(submissions)]
    for n, row in owners.items():
        prefix = known[n].prefix or moodle_prefix(known[n].student, numbers[row])
        known[n] = replace(
            known[n], number=known[n].number or numbers[row], prefix=prefix, called=plain(rows[row][1], 60)
        )
    people = _told_apart({row: (cells[1] or cells[0], cells[0]) for row, cells in enumerate(rows)})
    points, comments = sheet.column("grade") or 0, sheet.column("feedback comments")
    return Template(sheet, people, owners, points, comments, True, [*left_out.values()]), known


def _told_apart(people: Mapping[int, tuple[str, str]]) -> dict[int, str]:
    """The names of people with their numbers; a name alone, if nobody else has it."""
    times = Counter(name for name, _ in people.values())
    return {
        row: plain(name, 60) if times[name] == 1 else f"{plain(name, 60)} ({plain(number, 20)})"
        for row, (name, number) in people.items()
    }


def _matched(
    submissions: Sequence[Submission], listed: Sequence[Person], path: Path
) -> tuple[dict[int, int], dict[int, str]]:
    """Each submission's person, by index; and a note on each with a listed person's number but another name."""
    matches = certain_matches([Person((one.student,), one.number) for one in submissions], listed)
    left_out = {}
    for n, m in matches.items():
        one, name = submissions[n], listed[m].names[0]
        if name and _possible_letters(one).isdisjoint(listed[m].letters):
            told = f"{one.student} has the number of {plain(name, 60)} in {path.name}"
            left_out[n] = f"{told}, so that row is left unchanged."
    return {n: m for n, m in matches.items() if n not in left_out}, left_out


def _possible_letters(one: Submission) -> set[str]:
    """The letters that a student's name may have: a folder's name may begin with a group, and end with a number."""
    names = (one.student, one.student.removesuffix(f" {one.number}"))
    starts = [(name, n) for name in names for n in range(len(name)) if not n or name[n - 1] == "-"]
    return Person(tuple(name[n:] for name, n in starts)).letters


def _sheet(path: Path, platform: str) -> Sheet:
    """Read a platform's sheet. Raises `GradingError`, also if a number occurs twice: a grade could go astray."""
    try:
        sheet = Sheet.read(path)
    except GradingError as error:
        raise GradingError(f"{error} {MEANT[platform]}") from None
    whose = [name for name, columns in COLUMNS.items() if None not in map(sheet.column, columns)]
    if platform not in whose:
        other = f" It is from {whose[0]}, so use `--{whose[0].lower()}`." if whose else ""
        raise GradingError(f"{path} is not a sheet from {platform}.{other or ' ' + MEANT[platform]}")
    number = COLUMNS[platform][-1]
    times = Counter(text.strip() for (text,) in sheet.cells(number) if text.strip())
    for text, count in times.items():
        if count > 1:
            raise GradingError(f"{path} has more than one row for {plain(text, 60)}: download it again.")
    return sheet


def write_feedback_zip(target: Path, submissions: Sequence[Submission], pages: Mapping[str, Path]) -> list[str]:
    """Write a zip from which the platform, if any, gives every student their page; return notes on who is left out."""
    target.unlink(missing_ok=True)
    if not any(one.prefix for one in submissions):
        return []
    names = {one.student: f"{one.prefix}{PAGE}".encode(errors="replace").decode() for one in submissions if one.prefix}
    write(target, zipped({name: pages[student].read_bytes() for student, name in names.items()}))
    left = [one.student for one in submissions if not one.prefix and one.status != MISSING]
    why = "because the number on the platform is not certain"
    return [f"{target.name} has no page for {listing(left, None)} {why}."] if left else []
