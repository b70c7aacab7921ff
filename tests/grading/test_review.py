"""The review form: what a person has entered stays, over every later run and whatever students are called."""

import codecs
import csv
from dataclasses import replace

import pytest

from exercises.grading.judging.key import Grade, parts_of
from exercises.grading.results.review import REVIEW_FORM, reviewed
from exercises.grading.tables import Sheet, csv_text, write

PARTS = parts_of("heuristic_1")
FULL = {part.name: part.points for part in PARTS}
LOST = [(4, "It is wrong.", "", ())]
NAMES = ("'t Hooft", "=1+1", "-ann", "@bo", "Lee, Cy", "Zoë", "''")


@pytest.fixture
def form(tmp_path):
    return tmp_path / REVIEW_FORM


def entered(form, grades, head, *rows, parts=PARTS):
    """The grades and notes with these rows in the form."""
    write(form, csv_text([head.split(), *rows]))
    return reviewed(grades, form, parts)


def rows(form):
    with form.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.reader(file))


def test_what_a_person_enters_stays_over_every_later_run_whatever_a_student_is_called(form):
    grades = [Grade(name, "problem") for name in NAMES]
    assert reviewed(grades, form, PARTS) == (grades, [])
    sheet = Sheet.read(form)
    columns = sheet.column("lines"), sheet.column("comment")
    for row in sheet.rows[1:]:
        for column, text in zip(columns, ("2", f"seen: {row[0]}"), strict=True):
            row[column] = text
    write(form, sheet.filled({}))
    before = rows(form)
    for _ in range(3):
        found, notes = reviewed(grades, form, PARTS)
        assert [grade.points["lines"] for grade in found] == [2] * len(NAMES)
        assert all("seen:" in grade.comment for grade in found)
        assert rows(form) == before and len(before) == 1 + len(NAMES)
        assert all("empty parts" in note for note in notes)


def test_a_change_of_points_is_one_more_row_of_what_was_lost_so_that_they_add_up(form):
    wrong = Grade("ann", "wrong", points=FULL | {"counts": 0}, lost=LOST)
    right = Grade("bo", "right", "Everything is right.", FULL)
    filled = ["ann", "2", "Half of it"], ["bo", "3", ""]
    (ann, bo), _ = entered(form, [wrong, right], "student counts comment", *filled)
    told = "Your instructor changed “what one and two marks count”: 2 instead of 0."
    assert ann.lost == [*LOST, (-2, told, "", ())] and ann.comment == "Half of it"
    assert ann.by_hand == "Points changed by hand: “what one and two marks count”."
    assert ann.score == sum(FULL.values()) - sum(lost for lost, *_ in ann.lost)
    assert (bo.status, bo.reason, bo.lost[0][0]) == ("graded", "", 1)


def test_a_row_says_what_the_grader_gave_even_after_a_person_has_changed_it(form):
    points = FULL | {"lines": 2, "form": -3}
    others = [Grade("bo", "problem"), Grade("cy", "needs a person", points={"lines": None})]
    reviewed([Grade("ann", "wrong", points=points), *others], form, PARTS)
    earned = "11 of 15: lines 2 of 3, counts 4 of 4, blocked 3 of 3, completed 2 of 2, sides 3 of 3, form -3"
    assert [row[-1] for row in rows(form)] == ["grader", earned, "problem", "needs a person"]
    write(form, form.read_text().replace("ann,,", "ann,,1", 1))
    for lines in (2, 3):
        (changed, *_), notes = reviewed([Grade("ann", "wrong", points=points | {"lines": lines}), *others], form, PARTS)
        told = earned.replace("11", f"{9 + lines}").replace("lines 2", f"lines {lines}")
        assert (changed.points["lines"], rows(form)[1][-1], notes) == (1, told, [])


def test_full_marks_for_what_could_not_be_graded_do_not_make_it_right(form):
    full = [str(points) for points in FULL.values()]
    nothing = Grade("bo", "wrong", "No.", dict.fromkeys(FULL, 0), lost=LOST)
    grades, head = [Grade("ann", "problem", "No cell."), nothing], " ".join(["student", *FULL])
    (ann, bo), notes = entered(form, grades, head, ["ann", *full], ["bo", *full])
    assert (ann.status, ann.score, bo.status, bo.reason, bo.lost, notes) == ("graded", 15, "right", "", [], [])


def test_parts_that_are_left_empty_count_0_if_nothing_could_be_graded_and_a_note_says_so(form):
    (ann,), notes = entered(form, [Grade("ann", "problem")], "student lines", ["ann", "2"])
    assert ann.points == dict.fromkeys(FULL, 0) | {"lines": 2}
    assert notes == ["review.csv: empty parts count 0 for ann, because nothing could be graded."]


def test_a_reason_of_the_graders_stays_until_a_person_has_marked_what_it_is_about(form):
    said = "The check said: “(a) Not yet.”"
    for proposed in None, 1:  # 1 is confirmed below
        waiting = Grade("ann", "needs a person", said, {"a": 0, "b": 4, "c": proposed, "d": 3})
        for marks, reason in ({"c": "1"}, said), ({"a": "2", "c": "1"}, ""), ({"a": "4", "c": "4"}, ""):
            head, row = " ".join(["student", *marks]), ["ann", *marks.values()]
            (found,), _ = entered(form, [waiting], head, row, parts=parts_of("interface"))
            assert found.reason == reason and found.status != "needs a person"


def test_a_comment_of_ones_own_does_not_cancel_the_row_for_a_mistake(form):
    both = {"ann": "weights swapped", "bo": "collection returned; weights swapped", "cy": "signs swapped"}
    grades = [Grade(name, "wrong", points=FULL | {"counts": 0}, mistake=mistake) for name, mistake in both.items()]
    filled = ["ann", "", "", "See me."], ["bo", "", "1", ""], ["", "weights swapped", "3", "Half right."]
    (ann, bo, cy), notes = entered(form, grades, "student mistake counts comment", *filled)
    assert [grade.points["counts"] for grade in (ann, bo, cy)] == [3, 1, 0] and notes == []
    assert (ann.comment, bo.comment, cy.comment) == ("See me. Half right.", "Half right.", "")


def test_each_row_and_each_cell_that_cannot_be_used_is_told_and_no_other(form):
    filled = [
        *(["nobody", "", "2", ""], ["", "no such", "1", ""], ["ann", "", "2", ""], ["ann", "", "3", ""]),
        *(["bo", "", "3.5", "-4"], ["cy", "", "3", "-3"], ["di", "", "0", "0"], ["ed", "", "x", "0.5"]),
    ]
    points = FULL | {"lines": 1, "form": -1}
    made = {"ann": "a; b", "bo": "a", "cy": "b", "di": "c", "ed": ""}
    grades = [Grade(name, "wrong", points=points, mistake=mistake) for name, mistake in made.items()]
    head, wide = "student mistake lines form line Style", ([*row, "", ""] for row in filled)
    found, notes = entered(form, grades, head, *wide)
    assert notes == [
        "review.csv: there is no part line, so its column is ignored.",
        "review.csv: there is no part Style, so its column is ignored.",
        "review.csv: there is no student 'nobody', so the row is ignored.",
        "review.csv: nobody has the mistake 'no such', so the row is ignored.",
        "review.csv has several rows for ann, so none of them is used.",
        "review.csv: '3.5' for bo in the column lines is no number from 0 to 3, so the points stay.",
        "review.csv: '-4' for bo in the column form is no number from -3 to 0, so the points stay.",
        "review.csv: 'x' for ed in the column lines is no number from 0 to 3, so the points stay.",
        "review.csv: '0.5' for ed in the column form is no number from -3 to 0, so the points stay.",
    ]
    assert [(one.points["lines"], one.points["form"]) for one in found] == [(1, -1), (1, -1), (3, -3), (0, 0), (1, -1)]
    assert [row[1] for row in rows(form)[1 + len(filled) :]] == ["a", "b"]  # the mistakes that two have made


def test_of_two_rows_that_fill_in_one_cell_the_lower_number_counts_and_a_note_says_so(form):
    both = Grade("ann", "wrong", points=FULL | {"counts": 0}, mistake="weights swapped; bracket lost")
    filled = ["", "weights swapped", "3"], ["", "bracket lost", "2"]
    (ann, _), notes = entered(form, [both, replace(both, student="bo")], "student mistake counts", *filled)
    told = "review.csv: the rows weights swapped and bracket lost both fill in counts"
    assert notes == [f"{told}, so who made both mistakes gets the lower number, 2."] and ann.points["counts"] == 2


def test_what_the_grader_says_of_a_review_is_not_in_the_instructors_name(form):
    grades = [Grade(name, "problem", "Hand in one that Jupyter opens.") for name in ("ann", "bo")]
    (ann, bo), _ = entered(form, grades, "student lines comment", ["ann", "2", ""], ["bo", "2", "On paper."])
    assert (ann.comment, bo.comment) == ("", "On paper.")
    assert ann.told == bo.told == "Points given by hand."


def test_the_form_has_one_byte_order_mark_however_often_it_is_read(form):
    """By it, Excel knows that the names are in UTF-8."""
    for _ in range(3):
        reviewed([Grade("Zoë", "problem")], form, PARTS)
        assert form.read_bytes().count(codecs.BOM_UTF8) == 1 and form.read_bytes().startswith(codecs.BOM_UTF8)
