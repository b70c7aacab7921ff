"""Finding submissions: every layout in a folder and in a zip, and malicious names."""

import os
import zipfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from ttt.grading import submissions
from ttt.grading.grade import GradingError
from ttt.grading.roster import Person, paired, plain

FOLDERS = {"ann/heuristic_1.ipynb": "a", "Bo Ek/heuristic_1.py": "b", "ann/.ipynb_checkpoints/heuristic_1.ipynb": "old"}
FLAT = {"ann.ipynb": "a", "Bo Ek.py": "b", "notes.txt": "", "__MACOSX/._ann.ipynb": "", "roster.csv": "student\n"}
NBGRADER = {
    "submitted/ann/heuristic_1/heuristic_1.ipynb": "a",
    "submitted/ann/heuristic_1/timestamp.txt": "2026-11-20 18:00:00.000000 UTC",
    "submitted/ann/interface/interface.ipynb": "another exercise",
    "submitted/Bo Ek/heuristic_1/heuristic_1.ipynb": "b",
    "source/heuristic_1/heuristic_1.ipynb": "the solution",
}
MOODLE = {
    "ann_101_assignsubmission_file_/my work.ipynb": "a",
    "ann_101_assignsubmission_onlinetext_/onlinetext.html": "see the file",
    "Bo Ek_102_assignsubmission_file_/heuristic_1.ipynb": "b",
}
MOODLE_FLAT = {"ann_101_assignsubmission_file_a.ipynb": "a", "Bo Ek_102_assignsubmission_file_h_1.py": "b"}
CANVAS = {"ann_7_71_heuristic_1.ipynb": "a", "Bo Ek_LATE_8_81_heuristic_1-3.ipynb": "b"}
LAYOUTS = {
    "a folder a student": FOLDERS,
    "a file a student": FLAT,
    "nbgrader": NBGRADER,
    "Moodle": MOODLE,
    "Moodle without folders": MOODLE_FLAT,
    "Canvas": CANVAS,
}


def folder(place, files):
    for name, text in files.items():
        path = place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return place


def zipped(place, files, above=""):
    path = place / "download.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(above + name, text)
    return path


def found(source):
    """What each student is graded on, and all else that is known of them."""
    with submissions.opened(source) as (those, _):
        return {one.student: (one.file.read_text() if one.file else None, one) for one in those}


@pytest.mark.parametrize("files", LAYOUTS.values(), ids=LAYOUTS)
def test_every_layout_is_found_in_a_folder_in_a_zip_and_in_a_zip_with_one_more_folder(files, tmp_path):
    sources = [folder(tmp_path / "in", files), zipped(tmp_path, files)]
    (tmp_path / "more").mkdir()
    sources.append(zipped(tmp_path / "more", files, above="hand ins/"))
    for source in sources:
        assert {student: text for student, (text, _) in found(source).items()} == {"ann": "a", "Bo Ek": "b"}


def test_a_single_student_is_a_class(tmp_path):
    for n, files in enumerate(({"ann/heuristic_1.ipynb": "a"}, {"submitted/ann/heuristic_1/heuristic_1.ipynb": "a"})):
        assert found(folder(tmp_path / str(n), files))["ann"][0] == "a"
    assert found(tmp_path / "1" / "submitted")["ann"][0] == "a"
    assert found(folder(tmp_path, {"ann.py": "a"}) / "ann.py")["ann"][0] == "a"


def test_the_numbers_of_canvas_and_moodle_are_known(tmp_path):
    assert found(zipped(tmp_path, CANVAS))["Bo Ek"][1].number == "8"
    assert found(zipped(tmp_path, MOODLE))["ann"][1].number == "101"


def test_two_students_of_one_name_stay_two(tmp_path):
    both = found(zipped(tmp_path, {"Ann_1_assignsubmission_file_/h.py": "a", "Ann_2_assignsubmission_file_/h.py": "b"}))
    assert {student: text for student, (text, _) in both.items()} == {"Ann 1": "a", "Ann 2": "b"}


def test_what_canvas_calls_late_is_noted_and_graded(tmp_path):
    graded = found(zipped(tmp_path, CANVAS))
    assert "Handed in late." in graded["Bo Ek"][1].notes and not graded["ann"][1].notes


@pytest.mark.parametrize(
    "due, said", [("2026-11-20T18:00+00:00", ()), ("2026-11-20T16:30+00:00", ("Handed in late, by 1:30:00.",))]
)
def test_nbgraders_time_stamp_tells_who_is_late(due, said, tmp_path):
    with submissions.opened(folder(tmp_path, NBGRADER)) as (those, _):
        checked = submissions.checked_for_lateness(those, submissions.moment(due))
    assert [one.notes for one in checked] == [said, ()]
    assert checked[1].handed_in is None


def test_a_time_stamp_may_name_a_zone_and_a_broken_one_is_noted(tmp_path):
    stamps = {"a": "2026-11-20 18:00:00 Europe/Oslo", "b": "yesterday", "c": "2026-11-20 18:00:00.5"}
    files = {f"{name}/heuristic_1.py": "" for name in stamps} | {f"{n}/timestamp.txt": t for n, t in stamps.items()}
    told = {student: one for student, (_, one) in found(folder(tmp_path, files)).items()}
    assert told["a"].handed_in == datetime(2026, 11, 20, 17, tzinfo=UTC)
    assert told["b"].handed_in is None and told["b"].notes == ("Its time stamp can't be read.",)
    assert told["c"].handed_in == datetime(2026, 11, 20, 18, microsecond=500_000, tzinfo=UTC)


def test_a_day_without_an_hour_lasts_until_its_end():
    assert submissions.moment("2026-11-21") - submissions.moment("2026-11-20T00:00") > timedelta(hours=47, minutes=59)
    with pytest.raises(GradingError, match="'Friday' is not a time"):
        submissions.moment("Friday")


@pytest.mark.parametrize(
    "names, newest",
    [
        (["h.ipynb", "h-1.ipynb", "h-10.ipynb", "h-9.ipynb"], "h-10.ipynb"),
        (["h.ipynb", "h (1).ipynb"], "h (1).ipynb"),
        (["heuristic_1.ipynb", "heuristic_1-1.ipynb", "scratch.ipynb"], "heuristic_1-1.ipynb"),
        (["a.ipynb", "b.ipynb"], None),
        (["heuristic_1.ipynb", "heuristic_1.py"], None),
        (["h-1.ipynb", "h (1).ipynb"], None),
    ],
)
def test_the_newest_of_several_uploads_is_graded_if_the_names_tell_which_that_is(names, newest, tmp_path):
    files = {f"leeann_7_{70 + n}_{name}": name for n, name in enumerate(names)}
    text, one = found(zipped(tmp_path, files))["leeann"]
    assert text == newest and one.status == ("" if newest else "submitted twice")
    assert any("Handed in" in note for note in one.notes)


def test_an_exercise_in_a_deeper_folder_counts_unless_there_is_one_at_the_top(tmp_path):
    files = {"ann/heuristic_1.py": "top", "ann/backup/heuristic_1.py": "old", "bo/my/heuristic_1.py": "deep"}
    assert {s: text for s, (text, _) in found(folder(tmp_path, files)).items()} == {"ann": "top", "bo": "deep"}


def test_the_same_name_twice_in_one_zip_is_reported(tmp_path):
    path = zipped(tmp_path, {"ann/heuristic_1.py": "1"})
    with zipfile.ZipFile(path, "a") as archive, pytest.warns(UserWarning, match="Duplicate"):
        archive.writestr("ann/heuristic_1.py", "2")
    assert found(path)["ann"][1].status == "submitted twice"


def test_a_student_who_hands_in_something_else_is_a_problem_and_one_who_hands_in_nothing_is_missing(tmp_path):
    files = {"ann_7_71_heuristic_1.py": "", "bo_8_81_work.pdf": "", "cy_9_91_work.zip": ""}
    told = found(zipped(tmp_path, files))
    assert told["bo"][1].status == "problem" and "work.pdf" in told["bo"][1].notes[0]
    (folder(tmp_path / "in", FOLDERS) / "cy").mkdir()
    assert found(tmp_path / "in")["cy"][1].status == "missing"


def test_the_roster_shows_who_is_missing_and_who_is_not_on_it(tmp_path):
    roster = tmp_path / "roster.csv"
    roster.write_text('\ufeffID,Student\n1,Ann Lee\n2,"Ek, Bo"\n3,Cy\n4,\n', encoding="utf-8")
    files = {"leeann_7_71_heuristic_1.py": "", "ekbo_8_81_heuristic_1.py": "", "dan_9_91_heuristic_1.py": ""}
    with submissions.opened(zipped(tmp_path, files)) as (those, _):
        told = {one.student: one for one in submissions.checked_against_roster(those, roster)}
    assert {name: one.status for name, one in told.items()} == {"leeann": "", "ekbo": "", "dan": "", "Cy": "missing"}
    assert told["dan"].notes == ("Not on the roster.",) and told["Cy"].file is None


@pytest.mark.parametrize("text", ["name\nAnn\n", "", "\0"])
def test_a_roster_without_a_column_of_students_is_refused(text, tmp_path):
    roster = folder(tmp_path, {"roster.csv": text}) / "roster.csv"
    with pytest.raises(GradingError, match="roster"):
        submissions.checked_against_roster([], roster)


@pytest.mark.parametrize("nasty", ["../../escaped", "/escaped", "..\\..\\escaped", "ann/../../escaped"])
def test_a_name_that_leads_out_of_a_zip_is_left_out_and_reported(nasty, tmp_path):
    place = tmp_path / "a" / "b"
    place.mkdir(parents=True)
    with submissions.opened(zipped(place, FOLDERS | {f"{nasty}/heuristic_1.py": "bad"})) as (those, notes):
        assert {one.student for one in those} == {"ann", "Bo Ek"}
        assert all(one.file.is_relative_to(one.file.parent) and one.file.stem.isdigit() for one in those)
    assert len(notes) == 1 and "was left out: its name leads out of the zip" in notes[0]
    assert not list(tmp_path.rglob("*escaped*")) and not Path("/escaped").exists()


def test_nothing_that_was_unpacked_is_left(tmp_path):
    with submissions.opened(zipped(tmp_path, FOLDERS)) as (those, _):
        files = [one.file for one in those]
        assert all(file.exists() for file in files)
    assert not any(file.exists() or file.parent.exists() for file in files)


@pytest.mark.parametrize(
    "name", ["Zoë Ångström", "=1+1", "小明", "two  spaces", "%s{0}", "<b>", "'; drop table grades"]
)
def test_a_name_is_kept_as_it_is_written(name, tmp_path):
    assert name in found(zipped(tmp_path, {f"{name}/heuristic_1.py": "", "ann/heuristic_1.py": ""}))


def test_names_that_databases_and_terminals_refuse_are_made_plain_and_stay_distinct(tmp_path):
    for n in (1, 2):
        folder(tmp_path, {f"{os.fsdecode(b'a' + bytes([255, n]))}/heuristic_1.py": str(n)})
    students = found(tmp_path)
    assert sorted(text for text, _ in students.values()) == ["1", "2"]
    assert all(student.isprintable() and student.encode() for student in students)


def test_a_link_to_somewhere_else_is_not_followed(tmp_path):
    (tmp_path / "solution.py").write_text("secret")
    source = folder(tmp_path / "in", FOLDERS)
    (source / "eve").mkdir()
    (source / "eve" / "heuristic_1.py").symlink_to(tmp_path / "solution.py")
    text, one = found(source)["eve"]
    assert text is None and one.status == "problem" and "a link" in one.notes[0].lower()


def test_a_zip_bomb_is_unpacked_only_up_to_the_limit(tmp_path, monkeypatch):
    monkeypatch.setattr(submissions, "LARGEST", 1000)
    monkeypatch.setattr(submissions, "CHUNK", 100)
    told = found(zipped(tmp_path, FOLDERS | {"eve/heuristic_1.py": "x" * 10_000_000}))
    assert told["eve"][1].status == "problem" and "is larger than 1,000 bytes" in told["eve"][1].notes[0]
    assert told["ann"][0] == "a"
    monkeypatch.setattr(submissions, "MOST_BYTES", 500)
    with pytest.raises(GradingError, match="unpacks to more than 500 bytes"):
        found(tmp_path / "download.zip")
    monkeypatch.setattr(submissions, "MOST_FILES", 3)
    with pytest.raises(GradingError, match="more than the 3 allowed"):
        found(tmp_path / "download.zip")


def test_a_damaged_file_in_a_zip_does_not_affect_the_others(tmp_path):
    path = tmp_path / "download.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("ann/heuristic_1.py", "whole")
        archive.writestr("eve/heuristic_1.py", "broken in the middle")
    path.write_bytes(path.read_bytes().replace(b"broken in the", b"xxxxxx in the"))
    assert found(path)["ann"][0] == "whole" and "eve" in found(path)


def test_an_incomplete_download_is_reported(tmp_path):
    path = zipped(tmp_path, FOLDERS)
    end = path.read_bytes()[-22:]
    path.write_bytes(b"PK\3\4 nothing" + end)
    with pytest.raises(GradingError, match="Is the download complete"):
        found(path)


@pytest.mark.parametrize("files", [{}, {"readme.txt": "hello"}, {"a/b/c/d.txt": ""}, {"ann/work.pdf": ""}])
def test_an_unknown_layout_is_reported_with_the_layouts_that_are_known(files, tmp_path):
    source = folder(tmp_path / "in", files)
    source.mkdir(exist_ok=True)
    for known in ("STUDENT/heuristic_1.ipynb", "STUDENT.py", "nbgrader", "Moodle", "Canvas"):
        with pytest.raises(GradingError, match=known):
            found(source)


def test_a_missing_source_and_one_that_is_not_a_zip_are_reported(tmp_path):
    with pytest.raises(GradingError, match="does not exist"):
        found(tmp_path / "nowhere")
    with pytest.raises(GradingError, match="neither a folder nor a zip"):
        found(folder(tmp_path, {"class.rar": "Rar!"}) / "class.rar")


def test_results_among_the_submissions_are_ignored(tmp_path):
    files = {"results/grades.db": "", "results/feedback/ann.html": "", "results/mine.py": ""}
    assert set(found(folder(tmp_path, FOLDERS | files))) == {"ann", "Bo Ek"}
    assert set(found(folder(tmp_path, {"grades.db": "", "feedback/ann.html": ""}))) == {"ann", "Bo Ek"}


def test_nobody_is_matched_if_two_could_be_meant():
    smiths = [Person(("Ann Smith",)), Person(("Smith, Ann",))]
    assert paired([Person(("smithann",))], smiths) == {}
    assert paired([Person(("smithann",), ("5",))], [*smiths, Person(("X",), ("5",))]) == {0: 2}
    assert paired([Person(("Ann Smith",))], smiths) == {0: 0}


@pytest.mark.parametrize("ours, theirs", [("mullerjurgen", "Müller, Jürgen"), ("Ann Marie Lee", "Lee, Ann Marie")])
def test_names_are_matched_without_accents_and_in_any_order(ours, theirs):
    assert paired([Person((ours,))], [Person(("Somebody Else",)), Person((theirs,))]) == {0: 1}


def test_a_students_text_becomes_one_short_visible_line():
    assert plain("a\tb\nc\x00\ud800\u202e") == "a b c" + 3 * "\N{REPLACEMENT CHARACTER}"
    assert len(plain("x" * 5000)) == 1000
