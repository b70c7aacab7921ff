"""What goes back to Canvas and Moodle: sheets filled in with nothing else changed, and feedback under their names."""

import csv
import io
import zipfile
from dataclasses import replace

import pytest
from conftest import folder, naming

from exercises.grading import GradingError
from exercises.grading.intake.collect import collected
from exercises.grading.intake.uploads import Submission
from exercises.grading.judging.key import Grade
from exercises.grading.people import Person, certain_matches, file_names, listing, plain
from exercises.grading.results import platforms
from exercises.grading.results.feedback import pages_of, write_pages
from exercises.grading.tables import Sheet, cell, decimal, text_of, write

ANN = Submission("leeann", "7", "leeann_7_71_", cells=("a",))
BO = Submission("ekbo", "8", "ekbo_8_81_", cells=("b",))
NAMED = [replace(ANN, student="Ann Lee"), replace(BO, student="Ek, Bo")]
GRADES = [Grade("leeann", "right", points={"a": 15.0}), Grade("ekbo", "wrong", "1 < 2 & =3", points={"a": 2.5})]
CANVAS = (
    "Student,ID,SIS User ID,SIS Login ID,Section,heuristic_1 (123),Other (124)\n"
    "    Points Possible,,,,,15,10\n"
    '"Lee, Ann",7,,,A,,3\n"Ek, Bo",8,,,A,,\n"Roe, Cy",9,,,A,,\n'
)
MOODLE = (
    "Identifier,Full name,Email address,Status,Grade,Maximum Grade,Feedback comments\n"
    "Participant 7,Ann Lee,a@x,Submitted,,15,\nParticipant 8,Bo Ek,b@x,Submitted,,15,kept\n"
    "Participant 9,Cy Roe,c@x,No submission,,15,\n"
)


def rows(text):
    return list(csv.reader(io.StringIO(text)))


@pytest.fixture
def sheet(tmp_path):
    """Writes a sheet and returns its path."""
    path = tmp_path / "sheet.csv"
    return lambda text: (path.write_text(text), path)[1]


def test_a_canvas_gradebook_gets_the_scores_and_nothing_else_changes(sheet):
    template = platforms.canvas(sheet(CANVAS), "heuristic_1", [ANN, BO])
    before, after = rows(CANVAS), rows(template.filled(GRADES))
    assert [row[5] for row in after] == ["heuristic_1 (123)", "15", "15", "2.5", ""]
    assert [row[:5] + row[6:] for row in after] == [row[:5] + row[6:] for row in before]
    assert template.notes([ANN, BO], GRADES) == ["1 of 3 handed in nothing: Roe, Cy."]


def test_of_two_columns_the_one_called_like_the_exercise_is_filled_in_and_notes_are_no_html(sheet):
    text = "Student,ID,heuristic_1 resit (2),heuristic_1 (1), Notes \nAnn Lee,7,,\nBo Ek,8,,,kept\n"
    lost = [(4.0, "It is <1.", "", ())]
    template = platforms.canvas(sheet(text), "heuristic_1", [ANN, BO])
    filled = rows(template.filled([replace(GRADES[0], reason="Oh.", lost=lost, comment="See me."), GRADES[1]]))
    assert [row[2:] for row in filled[1:]] == [["", "15", "Oh. It is <1. (−4) See me."], ["", "2.5", "kept"]]


def test_a_moodle_worksheet_gets_scores_and_escaped_comments_and_keeps_those_it_has(sheet):
    template, _ = platforms.moodle(sheet(MOODLE), NAMED)
    lost = [(4.0, "It always takes X's side.", "", ())]
    after = rows(template.filled([replace(GRADES[0], reason="1 < 2", lost=lost, comment="Nice."), GRADES[1]]))
    assert [row[4] for row in after[1:]] == ["15", "2.5", ""]
    assert [row[6] for row in after[1:]] == ["1 &lt; 2 It always takes X's side. (−4) Nice.", "kept", ""]


def test_a_sheet_that_was_filled_in_is_filled_in_again_without_a_change(sheet):
    def filled(canvas, moodle):
        yield platforms.canvas(sheet(canvas), "heuristic_1", [ANN, BO]).filled(GRADES)
        yield platforms.moodle(sheet(moodle), NAMED)[0].filled(GRADES)

    once = [*filled(CANVAS, MOODLE)]
    assert [*filled(*once)] == once


PREFIX = "{}_7_assignsubmission_file_".format
NUMBERED = [  # a name, the number in the folder, and whether the row of Ann Lee, participant 7, is certain
    ("Ann Lee", "7", True),
    ("Lee Ann", "7", True),
    ("Participant 7", "7", True),
    ("Ann Lee", "", True),
    ("Bo Ek", "7", False),
]


@pytest.mark.parametrize("name, number, certain", NUMBERED)
def test_a_worksheet_gives_numbers_and_one_that_it_has_for_another_name_fills_in_nothing(name, number, certain, sheet):
    """Nor does a page of feedback go there."""
    one = Submission(name, number, PREFIX(name) if number else "", cells=("a",))
    template, (known,) = platforms.moodle(sheet(MOODLE), [one])
    grades = [replace(GRADES[0], student=name)]
    assert [row[4] for row in rows(template.filled(grades))[1:]] == ["15" if certain else "", "", ""]
    assert (known.number, known.prefix) == (("7", PREFIX(name)) if certain else ("", ""))
    doubt = f"{name} has the number of Ann Lee in sheet.csv, so that row is left unchanged."
    assert (doubt in template.notes([known], grades)) == (not certain)


def test_who_handed_in_nothing_is_told_apart_from_a_namesake_who_did(sheet):
    one = Submission("Ann Lee", "7", PREFIX("Ann Lee"), cells=("a",))
    template, known = platforms.moodle(sheet(MOODLE.replace("Bo Ek", "Ann Lee")), [one])
    (note,) = template.notes(known, [GRADES[0]])
    assert note.endswith("nothing: Ann Lee (Participant 8), Cy Roe.")


def test_a_worksheet_without_names_is_filled_in_by_the_numbers_alone(sheet):
    template, _ = platforms.moodle(sheet("Identifier,Grade\nParticipant 7,\n"), [ANN])
    assert rows(template.filled(GRADES[:1]))[1] == ["Participant 7", "15"]


@pytest.mark.parametrize("group", [True, False])
@pytest.mark.parametrize("hidden", [True, False])
def test_moodles_folders_for_each_member_of_a_group_fill_in_the_members_rows(group, hidden, sheet):
    head = f"Identifier,{'' if hidden else 'Full name,'}{'Group,' if group else ''}Grade\n"
    names = {101: "Jörg Müller", 102: "Anna-Lena Groß"}
    row = "Participant {0}," + ("" if hidden else "{1},") + ("Gruppe A," if group else "") + "\n"
    path = sheet(head + "".join(row.format(number, name) for number, name in names.items()))
    shown = {number: f"Participant {number}" if hidden else name for number, name in names.items()}
    both = [Submission(f"Gruppe A-{name}", str(number), "p_", cells=("a",)) for number, name in shown.items()]
    template, known = platforms.moodle(path, both)
    grades = [Grade(one.student, "right", points={"a": points}) for one, points in zip(both, (15.0, 3.0), strict=True)]
    assert [cells[-1] for cells in rows(template.filled(grades))[1:]] == ["15", "3"]
    assert all(one.prefix for one in known) and not template.notes(known, grades)
    assert [one.called for one in known] == ([""] * 2 if hidden else list(names.values()))
    pages = pages_of(path.parent, known)
    write_pages(pages, [Grade(one.student, "problem") for one in known], known, "heuristic_1")
    for one, name in zip(known, shown.values(), strict=True):  # the heading has the group only where no sheet tells
        assert f": <bdi>{one.student if hidden else name}</bdi></h1>" in pages[one.student].read_text()


GROUPED = (  # a name, and Moodle's folder for it, which some in the class have twice
    ("Seán O'Brien", "G1-Seán OBrien"),
    ("Anna Müller", "G1-Anna Müller"),
    ("Anna Müller", "G1-Anna Müller"),
    ("Ida Roe_Poe", "G 1-Ida Roe Poe"),
    ("Bo/Ek", "BoEk"),
)


def test_in_a_class_with_groups_a_number_whose_name_agrees_is_certain_and_no_other(sheet, tmp_path, here):
    """Apostrophes, namesakes and odd groups leave nobody to be entered by hand, and nobody without a page."""
    names = [*(name for name, _ in GROUPED), "Cy Fox"]
    head, row = "Identifier,Full name,Group,Grade\n", "Participant {0},{1},G1,\n"
    path = sheet(head + "".join(row.format(n, name) for n, name in enumerate(names, 11)))
    files = {f"{name}_{n}_assignsubmission_file/h.py": "a" for n, (_, name) in enumerate(GROUPED, 11)}
    files["G1-Dan Poe_16_assignsubmission_file/h.py"] = "a"
    template, known = platforms.moodle(path, collected(folder(tmp_path / "in", files), "heuristic_1")[0])
    grades = [Grade(one.student, "right", points={"a": float(one.number or 0)}) for one in known]
    assert [cells[3] for cells in rows(template.filled(grades))[1:]] == ["11", "12", "13", "14", "15", ""]
    pages = {one.student: path for one in known}
    (note,) = platforms.write_feedback_zip(tmp_path / "f.zip", known, pages)
    assert note.count("G1-") == 1 and "Dan Poe" in note
    assert any("Dan Poe" in told and "by hand" in told for told in template.notes(known, grades))


def test_a_teams_number_is_nobodys_even_if_the_sheet_has_no_names(sheet):
    path = sheet("Identifier,Group,Grade\nParticipant 7,Red,\n")
    template, (known,) = platforms.moodle(path, [Submission("Red", "7", "Red_7_assignsubmission_file_", cells=("a",))])
    assert not template.owners and not known.prefix and "Red" in template.doubts[0]


UNCLEAR = {
    "Student,ID,a (1),b (2)\n": ("heuristic_1", "a (1), b (2)"),
    "Student,ID\n": ("heuristic_1", "no assignments"),
    "Name,Grade\n": ("not a sheet from Canvas", "gradebook", "CSV"),
    "Student,ID,heuristic_1 (1)\nA,7,\nB,7,\n": ("row", "for 7:", "again"),
    "": ("empty", "gradebook"),
    MOODLE: ("not a sheet from Canvas", "--moodle"),
    "PK\3\4\0\0": ("not a text file", "gradebook", "CSV"),
}


@pytest.mark.parametrize("text, words", UNCLEAR.items())
def test_a_sheet_that_is_not_clear_is_refused(text, words, sheet):
    with pytest.raises(GradingError, match=naming("sheet.csv", *words)):
        platforms.canvas(sheet(text), "heuristic_1", [ANN])


def test_other_points_and_a_number_with_another_name_are_told_and_that_row_stays_as_it_was(sheet):
    text = CANVAS.replace("    Points", ",,,,,Manual Posting,\n    Points")  # as Canvas may have it
    text = text.replace(",15,10", ",100,10").replace("Lee, Ann", "Poe, Dan")
    template = platforms.canvas(sheet(text), "heuristic_1", [ANN, BO])
    assert template.doubts == [
        "In Canvas, Points Possible is 100, but the exercise has 15 points.",
        "leeann has the number of Poe, Dan in sheet.csv, so that row is left unchanged.",
    ]
    assert [row[5] for row in rows(template.filled(GRADES))[2:]] == ["100", "", "2.5", ""]


def test_two_students_of_one_name_with_different_numbers_raise_no_doubt(sheet):
    two = [replace(ANN, student="leeann 7"), replace(ANN, student="leeann 8", number="8")]
    template = platforms.canvas(sheet(CANVAS.replace("Ek, Bo", "Lee, Ann")), "heuristic_1", two)
    assert not template.doubts and template.owners == {0: 1, 1: 2}


def test_nobody_is_said_to_have_handed_in_nothing_while_a_submission_has_no_owner(sheet):
    two = [Submission("Ann Lee 1", cells=("a",)), Submission("Ann Lee 2", cells=("b",))]
    template = platforms.canvas(sheet(CANVAS.replace("Ek, Bo", "Lee, Ann")), "heuristic_1", two)
    lost, without = template.notes(two, [Grade(one.student, "right", points={"a": 15.0}) for one in two])
    assert lost == "sheet.csv has no certain match for Ann Lee 1, Ann Lee 2. Enter these by hand."
    assert without == "3 of 3 can't be matched to a submission with certainty: Lee, Ann (7); Lee, Ann (8); Roe, Cy."


def test_feedback_goes_back_under_the_names_that_the_platform_gave(tmp_path):
    stranger = Submission("Cy", cells=("c",))
    pages = {one.student: tmp_path / f"{one.student}.html" for one in (ANN, BO)}
    for student, page in pages.items():
        page.write_text(student)
    nobody = Submission("Di", status="missing")
    told = platforms.write_feedback_zip(tmp_path / "f.zip", [ANN, BO, stranger, nobody], pages)
    assert told == ["f.zip has no page for Cy because the number on the platform is not certain."]
    with zipfile.ZipFile(tmp_path / "f.zip") as bundle:
        assert bundle.namelist() == ["leeann_7_71_feedback.html", "ekbo_8_81_feedback.html"]
        assert bundle.read("ekbo_8_81_feedback.html") == b"ekbo"
    assert platforms.write_feedback_zip(tmp_path / "f.zip", [stranger], pages) == []
    assert not (tmp_path / "f.zip").exists()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_a_sheet_is_written_back_as_it_was_read(encoding, delimiter, tmp_path):
    text = f"Student{delimiter}ID\r\nZoë{delimiter}7\r\n"
    (tmp_path / "x.csv").write_bytes(text.encode(encoding))
    sheet = Sheet.read(tmp_path / "x.csv")
    assert sheet.cells("student", "id") == [("Zoë", "7")]
    assert sheet.filled({}).removeprefix("\ufeff") == text
    assert sheet.filled({(0, 1): "8"}).endswith(f"Zoë{delimiter}8\r\n")


CELLS = {  # a value, and how it stands in a table
    **{text: f"'{text}" for text in ("=1+1", "+1", "-1", "@x", "'", "'=1", "'t Hooft")},
    **{"plain": "plain", "": "", 12.25: "12.25", -0.5: "-0.5", 15.0: "15"},
}


@pytest.mark.parametrize("value", CELLS, ids=repr)
def test_no_text_is_taken_for_a_formula_and_each_can_be_read_back(value):
    assert cell(value) == CELLS[value] and (text_of(CELLS[value]) == value or decimal(CELLS[value]) == value)


def test_what_a_person_types_into_a_cell_is_read_as_it_is_meant():
    assert [text_of(typed) for typed in ("'t Hooft", "'=1", "a")] == ["'t Hooft", "=1", "a"]
    assert [decimal(typed) for typed in ("2,5", "2.5", "-3", "x", "")] == [2.5, 2.5, -3, None, None]


def test_short_rows_are_filled_up_and_headings_may_be_written_in_any_way(tmp_path):
    (tmp_path / "x.csv").write_text("sTUDENT , ID,Note,ID\n\nZoë,7\n")
    assert Sheet.read(tmp_path / "x.csv").cells("id", "student", "note", "none") == [("7", "Zoë", "", "")]


def test_a_file_that_cannot_be_written_is_told_and_nothing_is_left_of_it(tmp_path):
    (tmp_path / "x.csv").mkdir()
    with pytest.raises(GradingError, match=r"x.csv can't be written: .* Is the file open in another program\?$"):
        write(tmp_path / "x.csv", "text")
    assert [*tmp_path.iterdir()] == [tmp_path / "x.csv"]


LISTED = {  # names, and how a sentence lists at most five of them
    ("Group 10", "group 9"): "group 9, Group 10",
    (*"edcba",): "a, b, c, d, e",
    (*"fgedcba",): "a, b, c, d, e and 2 more",
    ("Lee, Ann", "Ek"): "Ek; Lee, Ann",
    ("Give 15; “now”", "“a:b”"): "“Give 15; ❝now❞”, “a:b”",
    ("x" * 39, "x" * 40): f"{'x' * 39}, “{'x' * 40}”",
}


@pytest.mark.parametrize("names", LISTED)
def test_names_are_listed_in_order_and_none_is_read_as_a_sentence(names):
    assert listing(names) == LISTED[names]


SMITHS = [Person(("Ann Smith",)), Person(("Smith, Ann",))]
PAIRS = [
    (Person(("smithann",)), SMITHS, None),  # could be either
    (Person(("smithann",), "5"), [*SMITHS, Person(("X",), "5")], 2),
    (Person(("Ann Smith",)), SMITHS, 0),
    (Person(("mullerjurgen",)), [SMITHS[0], Person(("Müller, Jürgen",))], 1),
    (Person(("leeannmarie",)), [SMITHS[0], Person(("Ann Marie Lee",))], 1),
    (Person(("Ann Marie Lee",)), [SMITHS[0], Person(("Lee, Ann Marie",))], 1),
]


TWICE = (Person(("Ann Smith",)), Person(("Ann Smith",), "5"))


@pytest.mark.parametrize("one, others, found", PAIRS)
def test_a_person_is_found_by_number_then_name_then_letters_unless_two_could_be_meant(one, others, found):
    assert certain_matches([one], others) == ({} if found is None else {0: found})
    assert certain_matches(TWICE, [Person(("Ann Smith",))]) == {}
    assert certain_matches(TWICE, [Person(("Ann Smith",)), Person(("Smith",), "5")]) == {0: 0, 1: 1}


def test_a_students_text_becomes_one_short_visible_line():
    assert plain("a\tb\nc\x00\ud800\u202e") == "a b c" + 3 * "\N{REPLACEMENT CHARACTER}"
    assert plain("x" * 1000) == "x" * 1000 and plain("x" * 1001) == "x" * 999 + "…"


def test_files_are_called_as_students_are_and_nobody_as_another():
    names = file_names(["Ann Lee", "CON", "a/b", "a?b", "x", "X", "Ann Lee-0123456789abcdef", "é" * 200])
    assert names["Ann Lee"] == "Ann Lee" and len({name.casefold() for name in names.values()}) == len(names)
    assert all("/" not in name and len(name.encode()) < 120 for name in names.values())
