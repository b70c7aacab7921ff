"""The gradebook: what is kept stays, and no file can be turned against the person who opens it."""

import csv
import io
import json
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from ttt import Board
from ttt.grading import gradebook
from ttt.grading.grade import Case, GradingError, PartMarks
from ttt.grading.gradebook import Gradebook, Record
from ttt.store import StoreError

EXAMPLE = Case(Board(shape=(4, 4, 4)).play(7), "O", -3, "'the text 3'")
RUBRIC = (PartMarks("all", "every position", None, 3),)
PARTS = (PartMarks("all", "every position", 0, 3),)
ANN = Record(
    "Ann Lee",
    "wrong",
    "Rows are missing.",
    12.5,
    15,
    0.25,
    "full",
    "rows missing",
    PARTS,
    EXAMPLE,
    ((3, 7.5), (4, None)),
)
BO = Record("Bo Ek", "right", "", 15.0, 15, 0.2, "full", number="8")
CY = Record("Cy", "missing", "Nothing was handed in.", None, 15)

CANVAS = (
    "\ufeffStudent,ID,SIS User ID,SIS Login ID,Section,Essay (11),Heuristic 1 (12),Final Score\r\n"
    "    Points Possible,,,,,10,15,(read only)\r\n"
    '"Lee, Ann",7,s7,alee,A,=1+1,,88.0\r\n'
    '"Somebody, Else",8,s8,ek,A,9,3,70.0\r\n'
    '"Student, Test",99,,x,A,,,\r\n'
)
MOODLE = (
    "Identifier,Full name,Email address,Status,Grade,Maximum Grade\n"
    "Participant 7,Ann Lee,a@x.edu,Submitted,,15.00\n"
    "Participant 8,Another Name,b@x.edu,Submitted,1.00,15.00\n"
)


def table(path):
    return list(csv.reader(io.StringIO(path.read_bytes().decode("utf-8-sig"), newline="")))


@pytest.fixture
def sheet(tmp_path):
    """Writes a platform's file and returns its path."""

    def write(text):
        path = tmp_path / "template.csv"
        path.write_bytes(text.encode())
        return path

    return write


def test_a_kept_grade_comes_back_complete_after_the_gradebook_is_closed(tmp_path):
    with Gradebook(tmp_path / "grades.db", "heuristic_1") as book:
        book.keep_record(ANN, "digest")
        book.keep_record(BO, "other")
    with Gradebook(tmp_path / "grades.db", "heuristic_1") as book:
        assert book.kept_record("Ann Lee", "digest") == ANN and book.kept_record("Bo Ek", "other") == BO


def test_a_grade_stands_for_one_submission(tmp_path):
    with Gradebook(tmp_path / "grades.db", "heuristic_1") as book:
        book.keep_record(ANN, "digest")
        assert book.kept_record("Ann Lee", "changed") is None
        book.keep_record(replace(ANN, score=15.0), "changed")
        assert book.kept_record("Ann Lee", "digest") is None and book.kept_record("Ann Lee", "changed").score == 15
        book.keep_record(BO, "other")
        book.forget(["Ann Lee"])
        assert book.kept_record("Ann Lee", "changed") is None and book.kept_record("Bo Ek", "other") == BO
        book.forget()
        assert book.kept_record("Bo Ek", "other") is None


def test_a_gradebook_is_for_one_exercise(tmp_path):
    with Gradebook(tmp_path / "grades.db", "heuristic_1") as book:
        book.keep_record(ANN, "digest")
    with pytest.raises(GradingError, match="holds the results of heuristic_1"):
        Gradebook(tmp_path / "grades.db", "interface")


@pytest.mark.parametrize(
    "result", ['{"student": "Ann Lee"}', "[1]", '"text"', '{"parts": 3, "wrong": 4, "example": 5}']
)
def test_a_kept_grade_of_another_form_is_none(result, tmp_path):
    with Gradebook(tmp_path / "grades.db", "heuristic_1") as book:
        book.keep("Ann Lee", json.loads(result), "digest")
        assert book.kept_record("Ann Lee", "digest") is None


def test_a_file_that_is_not_a_gradebook_is_refused_and_left_alone(tmp_path):
    path = tmp_path / "grades.db"
    path.write_text("my notes, and rather long ones so that they fill a page" * 100)
    with pytest.raises(StoreError, match=r"grades\.db can't be used"):
        Gradebook(path, "heuristic_1")
    assert path.read_text().startswith("my notes")


def test_the_columns_are_as_documented_and_an_open_grade_is_empty(tmp_path):
    gradebook.write_grades(tmp_path / "grades.csv", [replace(ANN, comment="Ask me."), CY], RUBRIC)
    assert table(tmp_path / "grades.csv") == [
        [
            "student",
            "score",
            "max_score",
            "all",
            "misconception",
            "status",
            "reason",
            "comment",
            "seconds",
            "isolation",
        ],
        ["Ann Lee", "12.5", "15", "0", "rows missing", "wrong", "Rows are missing.", "Ask me.", "0.25", "full"],
        ["Cy", "", "15", "", "", "missing", "Nothing was handed in.", "", "0", ""],
    ]


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "\n", " =", "＝", "＠", "'="])
def test_no_cell_can_be_taken_for_a_formula(start, tmp_path):
    text = f'{start}HYPERLINK("http://x", "a,b")'
    gradebook.write_grades(tmp_path / "grades.csv", [replace(ANN, student=text, reason=text, comment=text)], RUBRIC)
    row = table(tmp_path / "grades.csv")[1]
    assert row[0] == row[6] == row[7] == f"'{text}"


def test_negative_numbers_stay_numbers(tmp_path):
    gradebook.write_grades(tmp_path / "grades.csv", [replace(ANN, score=-1.5)], RUBRIC)
    assert table(tmp_path / "grades.csv")[1][1] == "-1.5"


def test_a_file_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "grades.csv"
    gradebook.write(path, "old")

    def full(self, _):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(GradingError, match="No space left"):
        gradebook.write(path, "new")
    assert path.read_text() == "old" and list(tmp_path.iterdir()) == [path]


def test_the_canvas_column_is_filled_by_number_and_by_name_and_nothing_else_changes(tmp_path, sheet):
    notes = gradebook.fill_canvas(sheet(CANVAS), tmp_path / "canvas.csv", [ANN, BO, CY], "heuristic_1")
    expected = CANVAS.replace("=1+1,,88.0", "=1+1,12.5,88.0").replace("9,3,70.0", "9,15,70.0")
    assert (tmp_path / "canvas.csv").read_bytes().decode() == expected
    assert notes == ["Bo Ek is Somebody, Else by the number in the file's name alone: is it the same person?"]


def test_students_who_are_not_in_the_canvas_gradebook_are_reported(tmp_path, sheet):
    lost = [replace(BO, student="Nobody", number=""), replace(ANN, student="alee")]
    notes = gradebook.fill_canvas(sheet(CANVAS), tmp_path / "canvas.csv", lost, "heuristic_1")
    assert len(notes) == 1 and "Nobody" in notes[0] and "alee" not in notes[0]
    assert table(tmp_path / "canvas.csv")[2][6] == "12.5"


def test_other_points_in_canvas_are_reported(tmp_path, sheet):
    template = sheet(CANVAS.replace(",10,15,", ",10,20.0,"))
    notes = gradebook.fill_canvas(template, tmp_path / "canvas.csv", [ANN], "heuristic_1")
    assert notes == ["Canvas has 20.0 points possible in this column, the exercise 15."]


@pytest.mark.parametrize("points, most", [("15", 15), ("15.0", 15), ("15.00", 15), ("7.50", 7.5), ('"7,5"', 7.5)])
def test_the_same_points_are_the_same_however_canvas_writes_them(points, most, tmp_path, sheet):
    template = sheet(CANVAS.replace(",10,15,", f",10,{points},"))
    records = [replace(ANN, max_score=most)]
    assert gradebook.fill_canvas(template, tmp_path / "canvas.csv", records, "heuristic_1") == []


@pytest.mark.parametrize(
    "old, new, message",
    [
        ("Heuristic 1 (12)", "Lab (12)", "Which column .* Essay \\(11\\), Lab \\(12\\)"),
        ("Essay (11)", "Heuristic 1 (11)", "Which column"),
        ("Student,ID", "Name,Number", "not a Canvas gradebook"),
    ],
)
def test_a_canvas_file_whose_column_is_not_clear_is_refused(old, new, message, tmp_path, sheet):
    with pytest.raises(GradingError, match=message):
        gradebook.fill_canvas(sheet(CANVAS.replace(old, new)), tmp_path / "canvas.csv", [ANN], "heuristic_1")
    assert not (tmp_path / "canvas.csv").exists()


def test_the_only_assignment_is_filled_whatever_its_name(tmp_path, sheet):
    template = sheet("Student,ID,Homework (5)\nAnn Lee,7,\n")
    gradebook.fill_canvas(template, tmp_path / "canvas.csv", [ANN], "heuristic_1")
    assert table(tmp_path / "canvas.csv")[1] == ["Ann Lee", "7", "12.5"]


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_moodles_worksheet_is_filled_by_participant_and_by_name(delimiter, tmp_path, sheet):
    template = sheet(MOODLE.replace(",", delimiter))
    notes = gradebook.fill_moodle(template, tmp_path / "moodle.csv", [ANN, BO, replace(BO, student="Zed", number="9")])
    expected = MOODLE.replace("Submitted,,", "Submitted,12.5,").replace("1.00,15.00\n", "15,15.00\n")
    assert (tmp_path / "moodle.csv").read_text() == expected.replace(",", delimiter)
    assert len(notes) == 1 and "Zed" in notes[0]


@pytest.mark.parametrize("text", ["", "a,b\n1,2\n", "\x00\x01"])
def test_a_file_that_is_not_a_worksheet_is_refused(text, tmp_path, sheet):
    with pytest.raises(GradingError, match=r"template\.csv"):
        gradebook.fill_moodle(sheet(text), tmp_path / "moodle.csv", [ANN])


def test_a_database_of_an_earlier_version_does_not_matter(tmp_path):
    with sqlite3.connect(tmp_path / "grades.db") as database:
        database.execute("create table grades (exercise text, student text, digest text, record text)")
    database.close()
    with Gradebook(tmp_path / "grades.db", "heuristic_1") as book:
        assert book.kept_record("Ann Lee", "digest") is None
        book.keep_record(ANN, "digest")
        assert book.kept_record("Ann Lee", "digest") == ANN


TEAMS = (
    "Identifier,Full name,Email address,Status,Group,Grade,Maximum grade,Feedback comments\n"
    "Participant 7,Dan,d@x.edu,Submitted,Team B,,15.00,\n"
    "Participant 8,Eve,e@x.edu,Submitted,Team A,,15.00,\n"
    "Participant 9,Fay,f@x.edu,Submitted,Team A,,15.00,mine\n"
)


def test_a_teams_number_is_not_taken_for_a_participants(tmp_path, sheet):
    notes = gradebook.fill_moodle(sheet(TEAMS), tmp_path / "moodle.csv", [replace(ANN, student="Team A", number="7")])
    rows = table(tmp_path / "moodle.csv")
    assert [row[5] for row in rows[1:]] == ["", "12.5", "12.5"] and notes == []


def test_comments_reach_moodles_worksheet_as_text_and_keep_what_was_there(tmp_path, sheet):
    team = replace(ANN, student="Team A", reason="Is 3 < 4? <b>")
    gradebook.fill_moodle(sheet(TEAMS), tmp_path / "moodle.csv", [team])
    assert [row[7] for row in table(tmp_path / "moodle.csv")[1:]] == ["", "Is 3 &lt; 4? &lt;b&gt;", "mine"]


def test_comments_reach_the_notes_of_canvas_if_they_were_exported(tmp_path, sheet):
    template = sheet("Student,ID,Notes,Heuristic 1 (12)\nAnn Lee,7,,\nBo Ek,8,ill in May,\n")
    gradebook.fill_canvas(template, tmp_path / "canvas.csv", [ANN, replace(BO, reason="Well done.")], "heuristic_1")
    assert [row[2:] for row in table(tmp_path / "canvas.csv")[1:]] == [
        ["Rows are missing.", "12.5"],
        ["ill in May", "15"],
    ]


def test_blind_participants_get_their_grades_by_number(tmp_path, sheet):
    blind = "Identifier,Status,Grade\nParticipant 101,Submitted,\nParticipant 102,Submitted,\n"
    records = [replace(ANN, student=f"Participant {n}", number=n, score=float(n)) for n in ("102", "101")]
    assert gradebook.fill_moodle(sheet(blind), tmp_path / "moodle.csv", records) == []
    assert [row[2] for row in table(tmp_path / "moodle.csv")[1:]] == ["101", "102"]


@pytest.mark.parametrize("encoding", ["utf-16", "cp1252"])
def test_a_platforms_file_that_a_spreadsheet_saved_anew_is_filled_in_utf_8(encoding, tmp_path):
    (tmp_path / "m.csv").write_bytes("Identifier;Full name;Grade\r\nParticipant 7;Zoë;\r\n".encode(encoding))
    assert gradebook.fill_moodle(tmp_path / "m.csv", tmp_path / "out.csv", [replace(ANN, number="7")]) == []
    filled = (tmp_path / "out.csv").read_bytes()
    assert filled == "\ufeffIdentifier;Full name;Grade\r\nParticipant 7;Zoë;12.5\r\n".encode()


def test_a_sheet_with_two_rows_for_one_number_is_refused(tmp_path, sheet):
    with pytest.raises(GradingError, match="more than one row for Participant 7"):
        gradebook.fill_moodle(sheet(MOODLE.replace("Participant 8", "Participant 7")), tmp_path / "m.csv", [ANN])
    with pytest.raises(GradingError, match="more than one row for 7"):
        gradebook.fill_canvas(sheet(CANVAS.replace(",8,s8", ",7,s8")), tmp_path / "c.csv", [ANN], "heuristic_1")


def test_a_team_that_is_not_in_the_worksheet_gets_nobodys_row(tmp_path, sheet):
    notes = gradebook.fill_moodle(sheet(TEAMS), tmp_path / "moodle.csv", [replace(ANN, student="★", number="7")])
    assert [row[5] for row in table(tmp_path / "moodle.csv")[1:]] == ["", "", ""] and "★" in notes[0]


def test_what_a_person_says_reaches_the_platforms_sheets(tmp_path, sheet):
    template = sheet(MOODLE.replace("Maximum Grade", "Feedback comments").replace(",15.00", ","))
    gradebook.fill_moodle(template, tmp_path / "moodle.csv", [replace(ANN, comment="Come and see me.")])
    assert table(tmp_path / "moodle.csv")[1][5] == "Rows are missing. Come and see me."
