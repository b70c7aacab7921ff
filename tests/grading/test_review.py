"""The review form: what a person has entered stays, over every later run and whatever students are called."""

import csv

from exercises.grading.judging.key import Grade, parts_of
from exercises.grading.results.review import REVIEW_FORM, reviewed
from exercises.grading.tables import Sheet, write

PARTS = parts_of("heuristic_1")
NAMES = ("'t Hooft", "=1+1", "-ann", "@bo", "Lee, Cy", "Zoë", "''")


def rows(form):
    with form.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def test_what_a_person_enters_stays_over_every_later_run_whatever_a_student_is_called(tmp_path):
    form, grades = tmp_path / REVIEW_FORM, [Grade(name, "problem") for name in NAMES]
    assert reviewed(grades, form, PARTS) == (grades, [])
    sheet = Sheet.read(form)
    columns = sheet.column("lines"), sheet.column("comment")
    for row in sheet.rows[1:]:
        for column, entered in zip(columns, ("2", f"seen: {row[0]}"), strict=True):
            row[column] = entered
    write(form, sheet.filled({}))
    entered = rows(form)
    for _ in range(3):
        found, notes = reviewed(grades, form, PARTS)
        assert [grade.points["lines"] for grade in found] == [2] * len(NAMES)
        assert all("seen:" in grade.comment for grade in found)
        assert rows(form) == entered and len(entered) == 1 + len(NAMES)
        assert all("empty parts" in note for note in notes)
