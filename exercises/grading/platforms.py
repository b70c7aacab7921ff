"""What goes back to Canvas and Moodle: their own sheets filled in, and the feedback under their names."""

import html
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from exercises.grading import GradingError
from exercises.grading.key import MISSING, Grade, total
from exercises.grading.people import Person, letters, listing, paired, plain
from exercises.grading.tables import Sheet, cell, decimal, write, zipped
from exercises.grading.uploads import Submission, moodle_prefix

PAGE = "feedback.html"  # what a student finds on Moodle or Canvas


class Template(NamedTuple):
    """A sheet that a platform has exported, and what to fill in."""

    sheet: Sheet
    people: Mapping[int, str]  # the names of those whom it lists, by their rows
    owners: Mapping[int, list[int]]  # by the place of a submission the rows that are certainly its; several for a team
    grades: int  # a column
    comments: int | None  # a column, if there is one
    escaped: bool  # whether comments are HTML
    doubts: list[str]  # sentences on what to look at

    def filled(self, grades: Sequence[Grade]) -> str:
        """The sheet's text with everybody's score, and a comment where there is none yet."""
        cells = {}
        for place, rows in self.owners.items():
            grade = grades[place]
            words = f"{grade.reason} {grade.comment}".strip()
            for row in rows:
                if grade.score is not None:
                    cells[row, self.grades] = cell(grade.score)
                if self.comments is not None and not self.sheet.rows[row + 1][self.comments].strip():
                    cells[row, self.comments] = cell(html.escape(words, quote=False) if self.escaped else words)
        return self.sheet.filled(cells)

    def notes(self, submissions: Sequence[Submission], grades: Sequence[Grade]) -> list[str]:
        """Sentences on what to look at, on who is not in the sheet, and on those in it who handed in nothing."""
        lost = [grade.student for n, grade in enumerate(grades) if n not in self.owners and grade.score is not None]
        here = {row for n, rows in self.owners.items() if submissions[n].status != MISSING for row in rows}
        nothing = [name for row, name in self.people.items() if row not in here]
        notes = [*self.doubts]
        if lost:
            notes.append(f"No certain match in {self.sheet.path.name} for {', '.join(lost)}. Enter these by hand.")
        if nothing:
            strangers = any(n not in self.owners and one.status != MISSING for n, one in enumerate(submissions))
            what = "have no submission that is certainly theirs" if strangers else "handed in nothing"
            notes.append(f"{len(nothing)} of {len(self.people)} {what}: {listing(nothing)}.")
        return notes


def canvas(path: Path, exercise: str, submissions: Sequence[Submission]) -> Template:
    """A gradebook exported from Canvas. Raises `GradingError`."""
    sheet = _sheet(path, "student", "id", "a Canvas gradebook: export it in Canvas under Grades, with all columns.")
    rows = sheet.cells("student", "sis login id", "sis user id", "id")
    places = [row for row, cells in enumerate(rows) if cells[-1].strip()]
    listed = [Person(rows[row][:-1], rows[row][-1]) for row in places]
    matches = paired([Person((one.student,), one.number) for one in submissions], listed)
    column = _assignment(sheet, exercise)
    doubts = [
        f"Canvas has {row[column] or 'no'} points possible in this column, the exercise {total(exercise)}."
        for row in sheet.rows[1:3]
        if row[0].strip().casefold() == "points possible" and decimal(row[column]) != total(exercise)
    ]
    for n in _another_name(submissions, listed, matches):
        who = f"{submissions[n].student} is {plain(listed[matches[n]].names[0], 60)}"
        doubts.append(f"{who} by the number in the file's name alone: is it the same person?")
    people = {row: plain(rows[row][0], 60) for row in places}
    owners = {n: [places[m]] for n, m in matches.items()}
    return Template(sheet, people, owners, column, sheet.column("notes"), False, doubts)


def _assignment(sheet: Sheet, exercise: str) -> int:
    """The column of the assignment with the exercise's name, then with the name in its own, then the only one."""
    assignments = {n: head for n, head in enumerate(sheet.rows[0]) if re.search(r"\(\d+\)\s*$", head)}
    wanted = letters(exercise)
    same = [n for n, head in assignments.items() if letters(head.rpartition("(")[0]) == wanted]
    similar = [n for n, head in assignments.items() if wanted in letters(head)]
    for columns in (same, similar, list(assignments)):
        if len(columns) == 1:
            return columns[0]
    heads = ", ".join(assignments.values()) or "none"
    raise GradingError(f"Which column of {sheet.path} is {exercise}? One must have it in its name; found: {heads}.")


def moodle(path: Path, submissions: Sequence[Submission]) -> tuple[Template, list[Submission]]:
    """A worksheet from Moodle, and the submissions with its numbers where names agree. Raises `GradingError`."""
    where = "Download it in Moodle from the assignment's submissions, with English as your language."
    what = f"a Moodle grading worksheet: it needs the columns Identifier and Grade. {where}"
    sheet = _sheet(path, "grade", "identifier", what)
    rows = sheet.cells("group", "identifier", "full name", "email address", "id number", "username")
    teams = list(dict.fromkeys(cells[0] for cells in rows if cells[0].strip()))
    ours = [Person((one.student,), one.number) for one in submissions]
    known = list(submissions)
    doubts = []
    # a team's number is not a participant's, so teams are found by their names alone
    by_team = paired([Person(one.names) for one in ours], [Person((team,)) for team in teams])
    owners = {n: [row for row, cells in enumerate(rows) if cells[0] == teams[m]] for n, m in by_team.items()}
    if not by_team:
        numbers = ["" if teams else cells[1].rpartition(" ")[2] for cells in rows]  # of "Participant 101"
        listed = [Person((*cells[2:], cells[1]), number) for cells, number in zip(rows, numbers, strict=True)]
        matches = paired(ours, listed)
        for n in _another_name(submissions, listed, matches):
            name = plain(rows[matches.pop(n)][2], 60)
            known[n] = replace(submissions[n], number="", prefix="")
            whose = f"{submissions[n].student} has the number of {name} in {path.name}"
            doubts.append(f"{whose}: that row is left as it was.")
        for n, row in matches.items():
            owners[n] = [row]
            prefix = known[n].prefix or moodle_prefix(known[n].student, numbers[row])
            known[n] = replace(known[n], number=known[n].number or numbers[row], prefix=prefix)
    people = {row: plain(cells[2] or cells[1], 60) for row, cells in enumerate(rows)}
    column = sheet.column("grade") or 0
    return Template(sheet, people, owners, column, sheet.column("feedback comments"), True, doubts), known


def _another_name(submissions: Sequence[Submission], listed: Sequence[Person], matches: Mapping[int, int]) -> list[int]:
    """Those who have a listed person's number, and not the name that the sheet has for it."""
    found = []
    for n, m in matches.items():
        one = submissions[n]
        names = Person((one.student, one.student.removesuffix(f" {one.number}")))  # which tells two of one name apart
        if listed[m].names[0] and names.letters.isdisjoint(listed[m].letters):
            found.append(n)
    return found


def _sheet(path: Path, column: str, number: str, what: str) -> Sheet:
    """A sheet with these columns, and no number twice: a grade could go into the wrong row."""
    sheet = Sheet.read(path)
    if sheet.column(column) is None or sheet.column(number) is None:
        raise GradingError(f"{path} is not {what}")
    times = Counter(text.strip() for (text,) in sheet.cells(number) if text.strip())
    for text, count in times.items():
        if count > 1:
            raise GradingError(f"{path} has more than one row for {plain(text, 60)}: download it again.")
    return sheet


def write_feedback_zip(target: Path, submissions: Sequence[Submission], pages: Mapping[str, Path]) -> list[str]:
    """Write a zip from which the platform, if there is one, gives every student their page; tells who is left out."""
    target.unlink(missing_ok=True)
    if not any(one.prefix for one in submissions):
        return []
    write(target, zipped({one.prefix + PAGE: pages[one.student].read_bytes() for one in submissions if one.prefix}))
    left = [one.student for one in submissions if not one.prefix and one.status != MISSING]
    why = "whose number on the platform is not certain"
    return [f"{target.name} has no page for {listing(left)}, {why}."] if left else []
