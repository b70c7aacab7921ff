"""The review form: a person's marks and comments stand, and nothing that is written in it is lost."""

from dataclasses import replace

import pytest

from ttt.grading import review
from ttt.grading.grade import GradingError, PartMarks
from ttt.grading.gradebook import Record

RUBRIC = (PartMarks("a", "it works", None, 4), PartMarks("c", "it is better", None, 4))
JUDGED = (RUBRIC[0]._replace(got=4.0), RUBRIC[1]._replace(got=0.0))
OPEN = (RUBRIC[0]._replace(got=4.0), RUBRIC[1])
ANN = Record("ann", "wrong", "Because.", 4.0, 8, parts=JUDGED)
GONE = Record("gone", "missing", "", None, 8)


@pytest.fixture
def form(tmp_path):
    """Writes a form and returns its path."""

    def write(text, encoding="utf-8"):
        path = tmp_path / "review.csv"
        path.write_bytes(text.encode(encoding))
        return path

    return write


def one(record, form):
    (reviewed,), notes = review.applied([record], form, RUBRIC)
    return reviewed, notes


def test_an_empty_row_changes_nothing(tmp_path):
    form = tmp_path / "review.csv"
    assert one(ANN, form) == (ANN, [])
    review.add_students(form, ["ann", "=bo"], RUBRIC)
    assert form.read_text() == "student,a,c,comment\nann,,,\n'=bo,,,\n" and one(ANN, form) == (ANN, [])


@pytest.mark.parametrize(
    "text", ["student,a,c,comment\nann,,3.5,Nice.\n", "\ufeffComment;c;Student\r\nNice.;3,5;ann\r\n"]
)
def test_marks_and_a_comment_are_taken_from_any_spreadsheets_form(text, form):
    reviewed, notes = one(ANN, form(text))
    assert [part.got for part in reviewed.parts] == [4, 3.5] and (reviewed.score, reviewed.status) == (7.5, "graded")
    assert reviewed.comment == "Marked by hand: 3.5 of 4 instead of 0 for it is better. Nice."
    assert (reviewed.reason, notes) == ("Because.", [])


def test_a_part_that_waits_for_a_person_waits_until_it_has_marks(form):
    waiting = replace(ANN, status="needs a person", parts=OPEN)
    assert one(waiting, form("student,a,c\nann,3,\n"))[0].status == "needs a person"
    assert one(waiting, form("student,a,c\nann,3,4\n"))[0].status == "graded"
    done = one(waiting, form("student,a,c\nann,,4\n"))[0]
    assert (done.status, done.score, done.comment) == ("right", 8, "Marked by hand: 4 of 4 for it is better.")


def test_a_comment_alone_leaves_the_status(form):
    assert one(ANN, form("student,comment\nann,Hello\n"))[0] == replace(ANN, comment="Hello")
    assert one(GONE, form("student,comment\ngone,Ill\n"))[0] == replace(GONE, comment="Ill")


def test_somebody_without_a_grade_gets_the_marks_that_a_person_gives(form):
    reviewed = one(GONE, form("student,a,c\ngone,2,\n"))[0]
    assert (reviewed.score, reviewed.status, [part.got for part in reviewed.parts]) == (2, "graded", [2, 0])


def test_a_zero_that_a_person_gives_is_a_mark_like_any_other(form):
    reviewed = one(GONE, form("student,a,c\ngone,0,0\n"))[0]
    assert (reviewed.score, reviewed.status, [part.got for part in reviewed.parts]) == (0, "graded", [0, 0])
    assert reviewed.comment == "Marked by hand: 0 of 4 for it works; 0 of 4 for it is better."
    assert one(GONE, form("student,a,c\ngone,0,\n"))[0].score == 0
    waiting = replace(ANN, status="needs a person", parts=OPEN)
    assert one(waiting, form("student,a,c\nann,,0\n"))[0].parts == JUDGED


def test_marks_where_nothing_was_marked_replace_none(form):
    assert one(GONE, form("student,a,c\ngone,2,\n"))[0].comment == "Marked by hand: 2 of 4 for it works."


@pytest.mark.parametrize("cell", ["five", "5", "-1", "nan", "inf", "=1+1", "1;2"])
def test_a_senseless_mark_gets_a_sentence_and_the_rest_of_its_row_counts(cell, form):
    reviewed, notes = one(ANN, form(f"student,a,c,comment\nann,{cell},1,Hello\n"))
    assert [part.got for part in reviewed.parts] == [4, 1] and reviewed.comment.endswith("Hello")
    assert len(notes) == 1 and repr(cell) in notes[0] and "row 2" in notes[0] and "0 to 4" in notes[0]


def test_rows_for_nobody_and_several_for_one_are_told_and_not_used(form):
    text = "student,a,c\nzed,1,\nann,1,\nann,,\nann,2,\nzoe,,\n"
    reviewed, notes = one(ANN, form(text))
    assert reviewed == ANN and len(notes) == 2 and "(3, 5)" in notes[0] and "'zed'" in notes[1]


def test_a_column_that_is_no_part_is_told(form):
    assert one(ANN, form("student,a,beter,c\nann,,3,\n"))[1] == [
        "review.csv: the column beter is not a part of the exercise, so it is ignored."
    ]


@pytest.mark.parametrize("text", ["", "name,a\nann,3\n", "\0\1"])
def test_what_is_not_a_form_is_refused(text, form):
    with pytest.raises(GradingError, match=r"review\.csv"):
        review.applied([ANN], form(text), RUBRIC)
    with pytest.raises(GradingError, match=r"review\.csv"):
        review.add_students(form(text), ["ann"], RUBRIC)


def test_students_are_added_to_a_form_and_nothing_in_it_changes(form):
    text = '\ufeffMine;Student;a;c;comment\r\n"x;y";ann;;3,5;"two\r\nlines"\r\nodd\r\n'
    path = form(text)
    review.add_students(path, ["ann", "bo"], RUBRIC)
    assert path.read_bytes().decode() == text + ";bo;;;\r\n"
    before = path.stat().st_mtime_ns
    review.add_students(path, ["ann", "bo"], RUBRIC)
    assert path.stat().st_mtime_ns == before


def test_marks_by_hand_are_told_once_for_all_parts(form):
    comment = one(ANN, form("student,a,c\nann,2,3\n"))[0].comment
    assert comment.count("Marked by hand: ") == 1 and "2 of 4" in comment and "; 3 of 4" in comment
