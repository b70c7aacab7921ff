"""The review form: what a person has entered stays, over every later run and whatever students are called."""

import codecs
import csv
import re
from dataclasses import replace

from conftest import naming

from exercises.grading.judging.key import Grade, parts_of
from exercises.grading.results.review import REVIEW_FORM, reviewed
from exercises.grading.tables import Sheet, csv_text, write

PARTS = parts_of("heuristic_1")
NAMES = ("'t Hooft", "=1+1", "-ann", "@bo", "Lee, Cy", "Zoë", "''")


def rows(form):
    with form.open(encoding="utf-8-sig", newline="") as file:
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
    assert ann.by_hand == "Points changed by hand: “what one and two marks count”."
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
    grades = [
        Grade("ann", "problem", "No cell."),
        Grade("bo", "wrong", "No.", dict.fromkeys(full, 0), lost=[(4, "It is wrong.", "", ())]),
    ]
    (ann, bo), _ = reviewed(grades, form, PARTS)
    assert (ann.status, ann.score, bo.status, bo.reason, bo.lost) == ("graded", 15, "right", "", [])


def test_a_reason_of_the_graders_stays_until_a_person_has_marked_what_it_is_about(tmp_path):
    form = tmp_path / REVIEW_FORM
    waiting = Grade("ann", "needs a person", "The check said: “(a) Not yet.”", {"a": 0, "b": 4, "c": None, "d": 3})
    for marks, reason in ({"c": "1"}, waiting.reason), ({"a": "2", "c": "1"}, ""), ({"a": "4", "c": "4"}, ""):
        write(form, csv_text([["student", *marks], ["ann", *marks.values()]]))
        (found,), _ = reviewed([waiting], form, parts_of("interface"))
        assert found.reason == reason and found.status != "needs a person"


def test_a_comment_of_ones_own_does_not_cancel_the_row_for_a_mistake(tmp_path):
    form, full = tmp_path / REVIEW_FORM, {part.name: part.points for part in PARTS}
    both = {"ann": "weights swapped", "bo": "collection returned; weights swapped", "cy": "signs swapped"}
    grades = [Grade(name, "wrong", points=full | {"counts": 0}, mistake=mistake) for name, mistake in both.items()]
    head = ["student", "mistake", "counts", "comment"]
    entered = [["ann", "", "", "See me."], ["bo", "", "1", ""], ["", "weights swapped", "3", "Half right."]]
    write(form, csv_text([head, *entered]))
    (ann, bo, cy), notes = reviewed(grades, form, PARTS)
    assert [grade.points["counts"] for grade in (ann, bo, cy)] == [3, 1, 0] and notes == []
    assert (ann.comment, bo.comment, cy.comment) == ("See me. Half right.", "Half right.", "")


def test_each_row_and_each_cell_that_cannot_be_used_is_told_and_no_other(tmp_path):
    form, full = tmp_path / REVIEW_FORM, {part.name: part.points for part in PARTS}
    entered = [
        *(["nobody", "", "2", ""], ["", "no such", "1", ""], ["ann", "", "2", ""], ["ann", "", "3", ""]),
        *(["bo", "", "3.5", "-4"], ["cy", "", "3", "-3"], ["di", "", "0", "0"], ["ed", "", "x", ""]),
    ]
    write(
        form, csv_text([["student", "mistake", "lines", "form", "line", "Style"], *([*row, "", ""] for row in entered)])
    )
    points = full | {"lines": 1, "form": -1}
    made = {"ann": "a; b", "bo": "a", "cy": "b", "di": "c"}
    grades = [
        Grade(name, "wrong", points=points, mistake=made.get(name, "")) for name in ("ann", "bo", "cy", "di", "ed")
    ]
    found, notes = reviewed(grades, form, PARTS)
    assert notes == [
        "review.csv: there is no part line, so its column is ignored.",
        "review.csv: there is no part Style, so its column is ignored.",
        "review.csv: there is no student 'nobody', so the row is ignored.",
        "review.csv: nobody has the mistake 'no such', so the row is ignored.",
        "review.csv has several rows for ann, so none of them is used.",
        "review.csv: '3.5' for bo in the column lines is no number from 0 to 3, so the points stay.",
        "review.csv: '-4' for bo in the column form is no number from -3 to 0, so the points stay.",
        "review.csv: 'x' for ed in the column lines is no number from 0 to 3, so the points stay.",
    ]
    assert [(one.points["lines"], one.points["form"]) for one in found] == [(1, -1), (1, -1), (3, -3), (0, 0), (1, -1)]
    assert [row[1] for row in rows(form)[1 + len(entered) :]] == ["a", "b"]  # the mistakes that two have made


def test_of_two_rows_that_fill_in_one_cell_the_lower_number_counts_and_a_note_says_so(tmp_path):
    form, full = tmp_path / REVIEW_FORM, {part.name: part.points for part in PARTS}
    both = Grade("ann", "wrong", points=full | {"counts": 0}, mistake="weights swapped; bracket lost")
    entered = [["", "weights swapped", "3"], ["", "bracket lost", "2"]]
    write(form, csv_text([["student", "mistake", "counts"], *entered]))
    (ann, _), notes = reviewed([both, replace(both, student="bo")], form, PARTS)
    assert ann.points["counts"] == 2 and len(notes) == 1
    assert re.search(naming("weights swapped", "bracket lost", "counts", "2"), notes[0])


def test_what_the_grader_says_of_a_review_is_not_in_the_instructors_name(tmp_path):
    form = tmp_path / REVIEW_FORM
    write(form, csv_text([["student", "lines", "comment"], ["ann", "2", ""], ["bo", "2", "On paper."]]))
    grades = [Grade(name, "problem", "Hand in one that Jupyter opens.") for name in ("ann", "bo")]
    (ann, bo), _ = reviewed(grades, form, PARTS)
    assert (ann.comment, bo.comment) == ("", "On paper.")
    assert ann.told == bo.told == "Points given by hand."


def test_the_form_has_one_byte_order_mark_however_often_it_is_read(tmp_path):
    """By it, Excel knows that the names are in UTF-8."""
    form = tmp_path / REVIEW_FORM
    for _ in range(3):
        reviewed([Grade("Zoë", "problem")], form, PARTS)
        assert form.read_bytes().count(codecs.BOM_UTF8) == 1 and form.read_bytes().startswith(codecs.BOM_UTF8)
