"""The review form, `review.csv`, where a person overrides a part's points or adds a comment.

A row is for one student, or for all with a certain mistake; a student's own cells come first. The form is read on every
run, so it applies even if everything is graded again. An empty cell changes nothing.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from exercises.grading import GradingError
from exercises.grading.judging.key import CHANGED_BY_HAND, RIGHT, WAITING, Grade, Part, Row
from exercises.grading.people import MARK, plain
from exercises.grading.tables import Sheet, cell, csv_text, decimal, text_of, write

REVIEW_FORM = "review.csv"
MISTAKE = "mistake"  # the column that applies a row to all with this mistake
GRADER = "grader"  # the column that says what the grader gave; it is written anew on every run


def reviewed(grades: Sequence[Grade], form: Path, parts: Sequence[Part]) -> tuple[list[Grade], list[str]]:
    """Apply a person's entries to the grades; return the grades and a note for each unusable cell.

    Raises `GradingError` if the file is not a review form.
    """
    columns = [*(part.name for part in parts), "comment"]
    if not form.exists():
        write(form, csv_text([["student", MISTAKE, *columns, GRADER]]))
    sheet = replace(Sheet.read(form), mark=MARK)
    if sheet.column("student") is None:
        raise GradingError(f"{form} needs a column named student. To get a new form, move the file away.")
    known = {"student", MISTAKE, *columns, GRADER, ""}
    heads = [head for head in sheet.rows[0] if head.strip().casefold() not in known]
    notes = [f"{REVIEW_FORM}: there is no part {plain(head, 40)}, so its column is ignored." for head in heads]
    filled = defaultdict(list)  # rows that are not empty, by student or mistake
    for whose, cells in zip(_owners(sheet), sheet.cells(*columns), strict=True):
        if any(map(str.strip, cells)):
            filled[whose].append(dict(zip(columns, map(str.strip, cells), strict=True)))
    mistakes = Counter(mistake for grade in grades for mistake in _mistakes(grade))
    _complete(sheet, grades, [mistake for mistake, times in mistakes.items() if times > 1], parts)
    students = {grade.student for grade in grades}
    for (student, mistake), rows in [*filled.items()]:
        if student and student not in students:
            notes.append(f"{REVIEW_FORM}: there is no student {plain(student, 60)!r}, so the row is ignored.")
        elif not student and mistake not in mistakes:
            notes.append(f"{REVIEW_FORM}: nobody has the mistake {plain(mistake, 60)!r}, so the row is ignored.")
        elif len(rows) > 1:
            notes.append(f"{REVIEW_FORM} has several rows for {student or mistake}, so none of them is used.")
            del filled[student, mistake]
    found = []
    for grade in grades:
        shared = [(mistake, filled["", mistake][0]) for mistake in _mistakes(grade) if ("", mistake) in filled]
        own = filled.get((grade.student, ""), [{}])[0]
        entered = _merged(columns, own, dict(shared), notes)
        found.append(_with(grade, entered, parts, notes) if own or shared else grade)
    return found, [*dict.fromkeys(notes)]


def _mistakes(grade: Grade) -> list[str]:
    """The names of a grade's mistakes."""
    return [*filter(None, grade.mistake.split("; "))]


def _merged(
    columns: Sequence[str], own: Mapping[str, str], shared: Mapping[str, Mapping[str, str]], notes: list[str]
) -> dict[str, str]:
    """A student's own cells; where they are empty, those of the rows for the student's mistakes; and all comments."""
    cells = {}
    for column in columns[:-1]:
        given = {mistake: row[column] for mistake, row in shared.items() if row[column]}
        cells[column] = own.get(column) or min(given.values(), key=lambda text: decimal(text) or 0, default="")
        if not own.get(column) and len({*given.values()}) > 1:
            told = f"{REVIEW_FORM}: the rows {' and '.join(given)} both fill in {column}"
            notes.append(f"{told}, so who made both mistakes gets the lower number, {cells[column]}.")
    comments = [row["comment"] for row in (own, *shared.values()) if row]
    return cells | {"comment": " ".join(text_of(comment) for comment in comments if comment)}


def _owners(sheet: Sheet) -> list[tuple[str, str]]:
    """Whom each row is for: a student, or all with a mistake."""
    return [
        (text_of(student), "" if student else text_of(mistake)) for student, mistake in sheet.cells("student", MISTAKE)
    ]


def _complete(sheet: Sheet, grades: Sequence[Grade], mistakes: Sequence[str], parts: Sequence[Part]) -> None:
    """Write the form with a row for each student and mistake, and with the grader's own points at the end of a row."""
    place, by_mistake, last = map(sheet.column, ("student", MISTAKE, GRADER))
    wanted = [(grade.student, "") for grade in grades]
    if by_mistake is not None:
        wanted += [("", mistake) for mistake in mistakes]
    known = _owners(sheet)
    for whose in wanted:
        if whose not in known:
            new = dict(zip((place, by_mistake), map(cell, whose), strict=True))
            sheet.rows.append([new.get(n, "") for n in range(len(sheet.rows[0]))])
    cells = {}
    if last is not None:
        earned = {(grade.student, ""): _in_words(grade, parts) for grade in grades}
        cells = {(row, last): earned.get(whose, "") for row, whose in enumerate(_owners(sheet))}
    write(sheet.path, sheet.filled(cells))


def _in_words(grade: Grade, parts: Sequence[Part]) -> str:
    """What the grader gave, such as "11 of 15: values 7 of 8, cuts 4 of 4", next to which a person enters points."""
    if grade.score is None:
        return grade.status
    words = []
    for part in parts:
        points = grade.points.get(part.name)
        given = "?" if points is None else f"{points:g}"
        if part.points:
            words.append(f"{part.name} {given} of {part.points}")
        elif points:
            words.append(f"{part.name} {given}")
    return f"{grade.score:g} of {sum(part.points for part in parts)}: {', '.join(words)}"


def _with(grade: Grade, cells: Mapping[str, str], parts: Sequence[Part], notes: list[str]) -> Grade:
    """Apply a person's entries to a grade. If nothing could be graded, other parts count 0."""
    points = {part.name: grade.points.get(part.name, None if grade.points else 0.0) for part in parts}
    changes, titles, changed = list[Row](), list[str](), False
    for part in parts:
        text, before = cells[part.name], grade.points.get(part.name)
        number = decimal(text)
        if number is not None and part.least <= number <= part.points:
            points[part.name] = number
            changed |= number != before or grade.status == WAITING  # it confirms the points that are proposed
            if before is not None and before != number:
                told = f"Your instructor changed “{part.title}”: {number:g} instead of {before:g}."
                changes.append((before - number, told, "", ()))
                titles.append(f"“{part.title}”")
        elif text:
            what = f"{plain(text, 20)!r} for {grade.student} in the column {part.name}"
            notes.append(f"{REVIEW_FORM}: {what} is no number from {part.least} to {part.points}, so the points stay.")
    comment = plain(cells["comment"])
    if not changed:
        return replace(grade, comment=comment)
    # full marks for what nobody could grade say nothing about it
    right = bool(grade.points) and all(points[part.name] == part.points for part in parts)
    status = WAITING if None in points.values() else RIGHT if right else CHANGED_BY_HAND
    if not grade.points and not all(cells[part.name] for part in parts):
        notes.append(f"{REVIEW_FORM}: empty parts count 0 for {grade.student}, because nothing could be graded.")
    lost, by_hand = [*grade.lost, *changes], "Points given by hand."
    if titles:
        by_hand = f"Points changed by hand: {', '.join(titles)}."
    if status == RIGHT or (grade.status == WAITING and changes):  # the grader's reason would contradict the points
        grade = Grade(grade.student, status, seconds=grade.seconds, isolation=grade.isolation)
        by_hand, lost = " ".join(told for _, told, *_ in changes) or by_hand, []
    elif grade.status == RIGHT or not grade.points:  # nor is there anything to hand in again
        grade = replace(grade, reason="")
    return replace(grade, points=points, status=status, comment=comment, by_hand=by_hand, lost=lost)
