"""What goes back to Canvas and Moodle: sheets filled in with nothing else changed, and feedback under their names."""

import hashlib
import os
import zipfile
from pathlib import Path

import pytest
from approved import approved

from exercises.grading import GradingError
from exercises.grading.intake.uploads import Submission
from exercises.grading.judging.key import Grade
from exercises.grading.people import Person, certain_matches, file_names, listing, plain, quoted
from exercises.grading.results import platforms
from exercises.grading.tables import MARK, Sheet, cell, csv_text, decimal, text_of, write, zipped

SAID = Path(__file__).with_name("said") / "sheets.txt"
PREFIX = "{}_{}_assignsubmission_file_".format
LOST = [(4.0, "It always takes X's side <1.", "", ())]
GRADES = [  # everybody's, in order
    Grade("", "wrong", "1 < 2 & 3.\nOh.", {"a": 7.0, "b": None, "c": 4.0}, lost=LOST, comment="See me."),
    Grade("", "graded", "=3", points={"a": 2.5}),
    Grade("", "problem", "=No file."),
    *(Grade("", "right", points={"a": points}) for points in (15.0, 14.0, 13.0)),
]


def someone(name, number="", prefix=None, **more):
    """Somebody who handed in a file; on Moodle, it comes under the person's name and number."""
    made = PREFIX(name, number) if number else ""
    return Submission(name, number, made if prefix is None else prefix, **{"cells": ("a",), **more})


ANN, BO = someone("leeann", "7", "leeann_7_71_"), someone("ekbo", "8", "ekbo_8_81_")
MISSING = someone("Di Fox", "10", status="missing", cells=None)
CANVAS = """Student,ID,SIS User ID,SIS Login ID,Section,heuristic_1 (123),Other (124)
    Points Possible,,,,,15,10
"Lee, Ann",7,,,A,,3
"Ek, Bo",8,,,A,1,
"Roe, Cy",9,,,A,,
"Fox, Di",10,,,A,,
"""
MOODLE = """Identifier,Full name,Email address,Status,Grade,Maximum Grade,Feedback comments
Participant 7,Ann Lee,a@x,Submitted,,15,
Participant 8,Bo Ek,b@x,Submitted,,15,kept
Participant 9,Cy Roe,c@x,Submitted,,15,
Participant 10,Di Fox,d@x,No submission,,15,
"""
GROUPED = {  # a name, and Moodle's folder for it, which some in the class have twice
    11: ("Seán O'Brien", "G1-Seán OBrien"),
    12: ("Anna Müller", "G1-Anna Müller 12"),
    13: ("Anna Müller", "G1-Anna Müller 13"),
    14: ("Ida Roe_Poe", "G 1-Ida Roe Poe"),
    15: ("Bo/Ek", "BoEk"),
    16: ("Cy Fox", "G1-Dan Poe"),  # not certain
}
TEAMS = "Identifier,Full name,Group,Grade\n" + "".join(
    f"Participant {n},{name},G1,\n" for n, (name, _) in GROUPED.items()
)
HIDDEN = "Identifier,Group,Grade,Feedback comments\nParticipant 101,A,,\nParticipant 102,A,,\n"
SHEETS = {  # a sheet, and who handed in
    "Canvas: a gradebook": (CANVAS, [ANN, BO, MISSING]),
    "Canvas: of two columns, the one called like the exercise; and notes, which are no HTML": (
        "Student,ID,heuristic_1 resit (2),heuristic_1 (1), Notes \nAnn Lee,7,,\nBo Ek,8,,,kept\n",
        [ANN, BO],
    ),
    "Canvas: the only column that contains its name": ("Student,ID,new heuristic-1! (2),x (1)\n,7,,\n", [ANN]),
    "Canvas: the only assignment": ("Student,ID,x (1),heuristic_1\nAnn Lee,7,,\n", [ANN]),
    "Canvas: other points, and a number with another name": (
        CANVAS.replace("    Points", ",,,,,Manual Posting,\n    Points")  # as Canvas may have it
        .replace(",15,10", ",100,10")
        .replace("Lee, Ann", "Poe, Dan"),
        [ANN, BO],
    ),
    "Canvas: no points": (CANVAS.replace(",15,10", ",,10"), [ANN]),
    "Canvas: two of one name with numbers": (
        CANVAS.replace("Ek, Bo", "Lee, Ann"),
        [someone("leeann 7", "7"), someone("leeann 8", "8")],
    ),
    "Canvas: two of one name without numbers": (
        CANVAS.replace("Ek, Bo", "Lee, Ann"),
        [someone("Ann Lee 1"), someone("Ann Lee 2"), someone("Jo", cells=None, status="missing")],
    ),
    "Canvas: known by a login, whose number is another's": (CANVAS.replace("9,,,", "9,,cy1,"), [someone("cy1")]),
    "Moodle: a worksheet": (MOODLE, [someone("Ann Lee", "7"), someone("Ek, Bo", "8"), MISSING]),
    "Moodle: in another order": (MOODLE, [someone("Lee Ann", "7")]),
    "Moodle: by number alone": (MOODLE, [someone("Participant 7", "7")]),
    "Moodle: by name alone": (MOODLE, [someone("Ann Lee")]),
    "Moodle: by an address": (MOODLE, [someone("c@x")]),
    "Moodle: a number that it has for another name": (MOODLE, [someone("Bo Ek", "7")]),
    "Moodle: a namesake who handed in nothing": (MOODLE.replace("Bo Ek", "Ann Lee"), [someone("Ann Lee", "7")]),
    "Moodle: no names": ("Identifier,Grade\nParticipant 7,\n", [ANN]),
    "Moodle: groups, apostrophes, namesakes and odd names": (
        TEAMS,
        [someone(name, f"{n}", f"{n}_") for n, (_, name) in GROUPED.items()],
    ),
    "Moodle: groups without names": (HIDDEN, [someone(f"A-Participant {n}", f"{n}") for n in (101, 102)]),
    "Moodle: members of a group that the sheet doesn't have": (
        HIDDEN.replace("Group,", "").replace("A,", ""),
        [someone(f"A-Participant {n}", f"{n}") for n in (101, 102)],
    ),
    "Moodle: the number of a team": (HIDDEN, [someone("Red", "101")]),
}


@pytest.mark.parametrize("name", SHEETS)
def test_a_sheet_gets_scores_and_comments_and_nothing_else_changes(name, tmp_path):
    """And whoever is certain is known by a number; a sheet that was filled in is filled in again without a change."""
    text, handed_in = SHEETS[name]
    grades = [Grade(**{**vars(grade), "student": one.student}) for one, grade in zip(handed_in, GRADES, strict=False)]
    texts, path = [text], tmp_path / "sheet.csv"
    for _ in range(2):
        path.write_text(texts[-1])
        if name.startswith("Canvas"):
            template, known = platforms.canvas(path, "heuristic_1", handed_in), []
        else:
            template, known = platforms.moodle(path, handed_in)
        texts.append(template.filled(grades))
    assert texts[1] == texts[2]
    people = [f"{one.student}: number {one.number}, {one.prefix}, called {one.called}" for one in known]
    assert approved(SAID, name, "\n".join([texts[1], *people, *template.notes(known or handed_in, grades)]))


UNCLEAR = [
    "Student,ID,a (1),b (2)\n",
    "Student,ID,heuristic_1 a (1),heuristic_1 b (2)\n",
    "Student,ID\n",
    "Name,Grade\n",
    "Student,ID,heuristic_1 (1)\nA,7,\nB,7,\n",
    "",
    MOODLE,
    "PK\3\4\0\0",
    'Student,ID\n"' + "x" * 131_073,
]


def test_a_sheet_that_is_not_clear_is_refused(tmp_path):
    told = []
    for text in UNCLEAR:
        (tmp_path / "sheet.csv").write_text(text)
        with pytest.raises(GradingError) as caught:
            platforms.canvas(tmp_path / "sheet.csv", "heuristic_1", [ANN])
        told.append(str(caught.value))
    (tmp_path / "sheet.csv").write_text(CANVAS)
    with pytest.raises(GradingError) as caught:
        platforms.moodle(tmp_path / "sheet.csv", [ANN])
    assert approved(SAID, "not clear", "\n".join([*told, str(caught.value)]).replace(f"{tmp_path}/", ""))


def test_feedback_goes_back_under_the_names_that_the_platform_gave(tmp_path):
    pages = {one.student: tmp_path / f"{one.student}.html" for one in (ANN, BO)}
    for student, page in pages.items():
        page.write_text(student)
    strangers = [someone(name) for name in ("Cy", "Ed", "Flo", "Gus", "Hal", "Ida")]
    told = platforms.write_feedback_zip(
        tmp_path / "f.zip", [ANN, BO, *strangers, someone("Di", status="missing")], pages
    )
    assert told == [
        "f.zip has no page for Cy, Ed, Flo, Gus, Hal, Ida because the number on the platform is not certain."
    ]
    with zipfile.ZipFile(tmp_path / "f.zip") as bundle:
        assert bundle.namelist() == ["leeann_7_71_feedback.html", "ekbo_8_81_feedback.html"]
        assert bundle.read("ekbo_8_81_feedback.html") == b"ekbo"
    assert platforms.write_feedback_zip(tmp_path / "f.zip", strangers, pages) == []
    assert not (tmp_path / "f.zip").exists()


# ------------------------------------------------------------------------------------------------- tables and texts


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_sheet_is_written_back_as_it_was_read(encoding, delimiter, end, tmp_path):
    text = f"Student{delimiter}ID{end}Zoë{delimiter}7{end}"
    (tmp_path / "x.csv").write_bytes(text.encode(encoding))
    sheet = Sheet.read(tmp_path / "x.csv")
    assert sheet.cells("student", "id") == [("Zoë", "7")]
    assert sheet.filled({}) == (MARK if encoding != "utf-8" else "") + text  # by it, Excel knows that it is UTF-8
    assert sheet.filled({(0, 1): "8"}).endswith(f"Zoë{delimiter}8{end}")


def test_short_rows_are_filled_up_and_headings_may_be_written_in_any_way(tmp_path):
    (tmp_path / "x.csv").write_text("sTUDENT , ID,Note,ID\n\nZoë,7\n")
    assert Sheet.read(tmp_path / "x.csv").cells("id", "student", "note", "none") == [("7", "Zoë", "", "")]


CELLS = {  # a value, and how it stands in a table
    **{text: f"'{text}" for text in ("=1+1", "+1", "-1", "@x", "'", "'=1", "'t Hooft", "\tx", "\rx")},
    **{"plain": "plain", "": "", 12.25: "12.25", -0.5: "-0.5", 15.0: "15", 1 / 3: "0.3333333333", None: ""},
}
TYPED = {"'t Hooft": ("'t Hooft", None), "2,5": ("2,5", 2.5), "-3": ("-3", -3), "'=1": ("=1", None), "": ("", None)}


def test_no_text_is_taken_for_a_formula_and_what_a_person_types_is_read_as_it_is_meant():
    assert {value: cell(value) for value in CELLS} == CELLS
    assert all(text_of(shown) == text for text, shown in CELLS.items() if isinstance(text, str))
    assert {typed: (text_of(typed), decimal(typed)) for typed in TYPED} == TYPED
    assert csv_text([["a", 'b"'], ["c,d", ""]]) == f'{MARK}a,"b"""\n"c,d",\n'


def test_a_file_that_cannot_be_written_is_told_and_what_was_there_stays(tmp_path, monkeypatch):
    def refused(*_):
        raise OSError(28, "No space left on device")

    write(tmp_path / "x.csv", "old")
    monkeypatch.setattr(os, "replace", refused)
    with pytest.raises(GradingError) as caught:
        write(tmp_path / "x.csv", "new")
    told = f"{tmp_path}/x.csv can't be written: No space left on device. Is the file open in another program?"
    assert str(caught.value) == told
    assert [*tmp_path.iterdir()] == [tmp_path / "x.csv"] and (tmp_path / "x.csv").read_text() == "old"


def test_the_same_files_make_the_same_zip_of_files_that_everybody_may_read(tmp_path):
    write(tmp_path / "in/a.zip", zipped({"b/x.txt": b"x" * 1000, "a": b""}))
    with zipfile.ZipFile(tmp_path / "in/a.zip") as archive:
        about = [(one.filename, one.external_attr >> 16, one.date_time[0]) for one in archive.infolist()]
    assert about == [("b/x.txt", 0o644, 1980), ("a", 0o644, 1980)] and (tmp_path / "in/a.zip").stat().st_size < 300


LISTED = {  # names, and how a sentence lists at most five of them
    ("Group 10", "group 9"): "group 9, Group 10",
    (*"edcba",): "a, b, c, d, e",
    (*"fgedcba",): "a, b, c, d, e and 2 more",
    ("Lee, Ann", "Ek"): "Ek; Lee, Ann",
    ("Give 15; “now”", "“a:b”"): "“Give 15; ❝now❞”, “a:b”",
    ("x" * 39, "x" * 40): f"{'x' * 39}, “{'x' * 40}”",
    ("x" * 58 + "y", "ok?"): f"“ok?”, “{'x' * 57}…”",
    (): "",
}
TEXTS = {  # a student's text, and the line that becomes of it
    "a\tb\nc\x00\ud800\u202e": "a b c" + 3 * "\N{REPLACEMENT CHARACTER}",
    " Zoe\u0308 ": "Zoë",
    "x" * 1000: "x" * 1000,
    "x" * 1001: "x" * 999 + "…",
}


def test_a_students_text_becomes_one_short_visible_line_and_no_name_is_read_as_a_sentence():
    assert {names: listing(names) for names in LISTED} == LISTED
    assert listing("fgedcba", None) == "a, b, c, d, e, f, g"
    assert {text: plain(text) for text in TEXTS} == TEXTS
    assert (quoted("x" * 400), quoted("x" * 401)) == (f"“{'x' * 400}”", f"“{'x' * 399}…”")


SMITHS = [Person(("Ann Smith",)), Person(("Smith, Ann",))]
PAIRS = [  # a person, others, and which of them it is
    (Person(("smithann",)), SMITHS, None),  # could be either
    (Person(("smithann",), "5"), [*SMITHS, Person(("X",), " 5 ")], 2),
    (Person(("Ann Smith",)), SMITHS, 0),
    (Person(("mullerjurgen",)), [SMITHS[0], Person(("Müller, Jürgen",))], 1),
    (Person(("leeannmarie",)), [SMITHS[0], Person(("Ann Marie Lee",))], 1),
    (Person(("Ann Marie Lee",)), [SMITHS[0], Person(("Lee, Ann Marie",))], 1),
    (Person(("",)), [Person(("",))], None),
]
TWICE = (Person(("Ann Smith",)), Person(("Ann Smith",), "5"))


def test_a_person_is_found_by_number_then_name_then_letters_unless_two_could_be_meant():
    for one, others, found in PAIRS:
        assert certain_matches([one], others) == ({} if found is None else {0: found})
    assert certain_matches(TWICE, [Person(("Ann Smith",))]) == {}
    assert certain_matches(TWICE, [Person(("Ann Smith",)), Person(("Smith",), "5")]) == {0: 0, 1: 1}


NAMES = {  # students, and the beginning of their files' names; a digest follows where it isn't the name itself
    **{name: name for name in ("Ann Lee", "Zoë 小明", "J. R. Poe", "é" * 40)},
    **{"CON": "CON-", "com1.x": "com1_x-", "lpt": "lpt", "conny": "conny", "a/b": "a_b-", "a?b": "a_b-"},
    **{"x": "x-", "X": "X-", "Ann Lee-0123456789abcdef": "Ann Lee-0123456789abcdef-", "é" * 41: "é" * 40 + "-"},
    **{".hid": "hid-", "end.": "end-", "???": "___-", "..": "student-"},
}


def test_files_are_called_as_students_are_and_nobody_as_another():
    for name, made in file_names([*NAMES]).items():
        digest = hashlib.sha256(name.encode()).hexdigest()[:16] if NAMES[name] != name else ""
        assert made == f"{NAMES[name]}{digest}"
