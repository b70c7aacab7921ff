"""The review form: what a person has entered stays, over every later run and whatever students are called."""

import csv

from exercises.grading.judging.key import Grade, parts_of
from exercises.grading.results.review import REVIEW_FORM, reviewed
from exercises.grading.tables import Sheet, csv_text, write

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


def test_a_change_of_points_is_one_more_row_of_what_was_lost_so_that_they_add_up(tmp_path):
    form = tmp_path / REVIEW_FORM
    points = {part.name: part.points for part in PARTS}
    wrong = Grade("ann", "wrong", points=points | {"counts": 0}, lost=[(4, "It is wrong.", "", ())])
    write(form, csv_text([["student", "counts", "comment"], ["ann", "2", "Half of it"], ["bo", "3", ""]]))
    right = Grade("bo", "right", "Everything is right.", points)
    (ann, bo), _ = reviewed([wrong, right], form, PARTS)
    assert ann.told.splitlines()[-1].endswith("one and two marks count”: 2 instead of 0. (+2)")
    assert ann.score == sum(points.values()) - sum(lost for lost, *_ in ann.lost) and "Half of it" in ann.comment
    assert (bo.status, bo.reason, bo.lost[0][0]) == ("graded", "", 1)


def test_a_row_says_what_the_grader_gave_even_after_a_person_has_changed_it(tmp_path):
    form = tmp_path / REVIEW_FORM
    points = {part.name: part.points for part in PARTS} | {"lines": 2, "form": -3}
    grades = [
        Grade("ann", "wrong", points=points),
        Grade("bo", "problem"),
        Grade("cy", "needs a person", points={"lines": None}),
    ]
    reviewed(grades, form, PARTS)
    assert rows(form)[0][-1] == "grader"
    ann, bo, cy = (row[-1] for row in rows(form)[1:])
    assert (
        ann.startswith(f"{sum(points.values())} of 15: lines 2 of ") and ann.endswith("form -3") and "state" not in ann
    )
    assert bo == "problem" and cy == "needs a person"
    text = form.read_text().replace("ann,,", "ann,,1", 1)
    write(form, text)
    (changed, *_), _ = reviewed(grades, form, PARTS)
    assert changed.points["lines"] == 1 and rows(form)[1][-1] == ann
    (changed, *_), notes = reviewed([Grade("ann", "wrong", points=points | {"lines": 3}), *grades[1:]], form, PARTS)
    assert "lines 3 of" in rows(form)[1][-1] and notes == []


def test_full_marks_for_what_could_not_be_graded_do_not_make_it_right(tmp_path):
    form = tmp_path / REVIEW_FORM
    full = {part.name: str(part.points) for part in PARTS}
    write(form, csv_text([["student", *full], ["ann", *full.values()], ["bo", *full.values()]]))
    grades = [Grade("ann", "problem", "No cell."), Grade("bo", "wrong", points=dict.fromkeys(full, 0))]
    (ann, bo), _ = reviewed(grades, form, PARTS)
    assert (ann.status, ann.score, bo.status) == ("graded", 15, "right")
