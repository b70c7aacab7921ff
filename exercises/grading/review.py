"""The review form, `review.csv`: where a person overrides the points of a part, or adds a comment.

A row is for a student, or for all who made a mistake and have no row of their own filled in. It is read on every
run, so what it says holds even if everything is graded again. An empty cell changes nothing.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from exercises.grading import GradingError
from exercises.grading.key import CHANGED, RIGHT, WAITING, Grade, Part
from exercises.grading.people import plain
from exercises.grading.tables import Sheet, cell, csv_text, decimal, text_of, write

FORM = "review.csv"
MISTAKE = "mistake"  # the column of rows for all who made one


def reviewed(grades: Sequence[Grade], form: Path, parts: Sequence[Part]) -> tuple[list[Grade], list[str]]:
    """The grades with what a person has filled in, and a sentence for each cell that can't be used.

    The form gets empty rows for the students who have none. Raises `GradingError` if the file is not such a form.
    """
    columns = ["student", MISTAKE, *(part.name for part in parts), "comment"]
    if not form.exists():
        write(form, csv_text([columns]))
    sheet = Sheet.read(form)
    place, by_mistake = sheet.column("student"), sheet.column(MISTAKE)
    if place is None:
        raise GradingError(f"{form} needs a column named student. Move the file away to get a new one.")
    heads = [head for head in sheet.rows[0] if head.strip() and head.strip().casefold() not in columns]
    notes = [f"{FORM}: there is no part {plain(head, 40)}, so that column is not used." for head in heads]
    known = set()  # who and what has a row
    filled = defaultdict(list)  # the rows in which there is anything, by student or by mistake
    for student, mistake, *cells in sheet.cells(*columns):
        whose = (text_of(student), "" if student else text_of(mistake))
        known.add(whose)
        if any(map(str.strip, cells)):
            filled[whose].append(dict(zip(columns[2:], map(str.strip, cells), strict=True)))
    wanted = [(grade.student, "") for grade in grades]
    mistakes = Counter(grade.mistake for grade in grades if grade.mistake)
    if by_mistake is not None:
        wanted += [("", mistake) for mistake, times in mistakes.items() if times > 1]
    for whose in wanted:
        if whose not in known:
            new = dict(zip((place, by_mistake), map(cell, whose), strict=True))
            sheet.rows.append([new.get(n, "") for n in range(len(sheet.rows[0]))])
    write(form, sheet.filled({}))
    found = []
    for grade in grades:
        rows = filled.pop((grade.student, ""), []) or filled.get(("", grade.mistake), [])
        if len(rows) > 1:
            notes.append(f"{FORM} has several rows for {grade.student}; none of them is used.")
        found.append(_with(grade, rows[0], parts, notes) if len(rows) == 1 else grade)
    for student, mistake in filled:
        if student:
            notes.append(f"{FORM}: there is no student {plain(student, 60)!r}; the row is not used.")
        elif mistake not in mistakes:
            notes.append(f"{FORM}: nobody has the mistake {plain(mistake, 60)!r}; the row is not used.")
    return found, notes


def _with(grade: Grade, cells: Mapping[str, str], parts: Sequence[Part], notes: list[str]) -> Grade:
    """A grade with what a person has filled in. Where nothing could be graded, other parts count 0."""
    points = {part.name: grade.points.get(part.name, None if grade.points else 0.0) for part in parts}
    changes, changed = [], False
    for part in parts:
        text, before = cells[part.name], grade.points.get(part.name)
        number = decimal(text)
        if number is not None and part.least <= number <= part.points:
            points[part.name] = number
            changed |= number != before
            if before not in (None, number):
                changes.append(f"{number:g} of {part.points} instead of {before:g} for “{part.title}”")
        elif text:
            what = f"{plain(text, 20)!r} for {grade.student} in the column {part.name}"
            notes.append(
                f"{FORM}: {what} is not a number from {part.least} to {part.points}; the points stay as they were."
            )
    comment = plain(text_of(cells["comment"]))
    if not changed:
        return replace(grade, comment=comment)
    right = all(points[part.name] == part.points for part in parts)
    status = WAITING if None in points.values() else RIGHT if right else CHANGED
    comment = f"Points given by hand{': ' if changes else ''}{'; '.join(changes)}. {comment}".strip()
    if not grade.points and not all(cells[part.name] for part in parts):
        notes.append(f"{FORM}: the parts that are empty for {grade.student} count 0, since nothing could be graded.")
    overridden = any(grade.points.get(part.name) not in (None, points[part.name]) for part in parts)
    if status == RIGHT or (grade.status == WAITING and overridden):  # what the grader says would contradict it
        grade = Grade(grade.student, status, seconds=grade.seconds, isolation=grade.isolation)
    return replace(grade, points=points, status=status, comment=comment)
