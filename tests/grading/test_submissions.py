"""Finding submissions: every layout in a folder and in a zip, and malicious names."""

import os
import re
import resource
import stat
import unicodedata
import zipfile
from pathlib import Path
from random import Random

import pytest
from conftest import folder

from ttt.grading import entries, submissions
from ttt.grading.grade import GradingError
from ttt.grading.release import ROOT
from ttt.grading.roster import Person, file_names, paired, plain
from ttt.grading.sheet import Sheet

FOLDERS = {"ann/heuristic_1.ipynb": "a", "Bo Ek/heuristic_1.py": "b", "ann/.ipynb_checkpoints/heuristic_1.ipynb": "old"}
FLAT = {"ann.ipynb": "a", "Bo Ek.py": "b", "__MACOSX/._ann.ipynb": "", "roster.csv": "student\n"}
NBGRADER = {
    "submitted/ann/heuristic_1/heuristic_1.ipynb": "a",
    "submitted/ann/heuristic_1/timestamp.txt": "2026-11-20 18:00:00.000000 UTC",
    "submitted/ann/interface/interface.ipynb": "another exercise",
    "submitted/Bo Ek/heuristic_1/heuristic_1.ipynb": "b",
    "source/heuristic_1/heuristic_1.ipynb": "the solution",
}
MOODLE = {
    "ann_101_assignsubmission_file/my work.ipynb": "a",
    "ann_101_assignsubmission_onlinetext/onlinetext.html": "see the file",
    "Bo Ek_102_assignsubmission_file/heuristic_1.ipynb": "b",
}
OLD_MOODLE = {name.replace("/", "_/"): text for name, text in MOODLE.items()}  # before Moodle 4.1
MOODLE_FLAT = {"ann_101_assignsubmission_file_a.ipynb": "a", "Bo Ek_102_assignsubmission_file_h_1.py": "b"}
CANVAS = {"ann_7_71_heuristic_1.ipynb": "a", "Bo Ek_LATE_8_81_heuristic_1-3.ipynb": "b"}
LAYOUTS = {
    "a folder a student": FOLDERS,
    "a file a student": FLAT,
    "nbgrader": NBGRADER,
    "Moodle": MOODLE,
    "Moodle before 4.1": OLD_MOODLE,
    "Moodle without folders": MOODLE_FLAT,
    "Canvas": CANVAS,
}


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


@pytest.mark.parametrize("nasty", ["../../escaped", "/escaped", "..\\..\\escaped", "ann/../../escaped"])
def test_a_name_that_leads_out_of_a_zip_is_left_out_and_reported(nasty, tmp_path):
    place = tmp_path / "a" / "b"
    place.mkdir(parents=True)
    with submissions.opened(zipped(place, FOLDERS | {f"{nasty}/heuristic_1.py": "bad"})) as (those, notes):
        assert {one.student for one in those} == {"ann", "Bo Ek"}
        assert all(one.file.is_relative_to(one.file.parent) and one.file.stem.isdigit() for one in those)
    assert len(notes) == 1 and "the name leads out of the zip" in notes[0]
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
    monkeypatch.setattr(entries, "LARGEST", 1000)
    monkeypatch.setattr(entries, "CHUNK", 100)
    told = found(zipped(tmp_path, FOLDERS | {"eve/heuristic_1.py": "x" * 10_000_000}))
    assert told["eve"][1].status == "problem" and "is larger than" in told["eve"][1].notes[0]
    assert told["ann"][0] == "a"
    monkeypatch.setattr(entries, "MOST_FILES", 3)
    with pytest.raises(GradingError, match="more than the 3 allowed"):
        found(tmp_path / "download.zip")


@pytest.mark.parametrize("packing", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_member_packed_in_a_rare_way_is_never_unpacked(packing, tmp_path, monkeypatch):
    """1.7 kB of bzip2 took 4.2 GB of memory, and the grader was killed."""
    with zipfile.ZipFile(tmp_path / "download.zip", "w") as archive:
        archive.writestr("ann/heuristic_1.py", "a", zipfile.ZIP_DEFLATED)
        archive.writestr("eve/heuristic_1.py", "e", packing)
    told = found(tmp_path / "download.zip")
    assert told["ann"][0] == "a" and (told["eve"][0], told["eve"][1].status) == (None, "problem")
    assert "Packed in a way that is not read" in told["eve"][1].notes[0]


def test_a_member_that_is_too_large_is_refused_before_it_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr(entries, "LARGEST", 1000)
    monkeypatch.setattr(entries, "_chunks", lambda entry: [b"a"] if "ann" in entry.path.parts else pytest.fail("read"))
    with zipfile.ZipFile(tmp_path / "download.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("ann/heuristic_1.py", "a")
        archive.writestr("eve/heuristic_1.py", "x" * 1001)
    assert found(tmp_path / "download.zip")["eve"][1].status == "problem"


@pytest.mark.parametrize("count", [5, 40])
def test_what_is_unpacked_to_be_compared_does_not_stay(count, tmp_path, monkeypatch):
    """40 notebooks of 20 MB of blanks in a student's zip filled the temporary folder."""
    inner = folder(tmp_path / "inner", {f"{n:02}{'x' * n}.ipynb": "{}" for n in range(count)})
    with zipfile.ZipFile(tmp_path / "work.zip", "w") as archive:
        for path in sorted(inner.iterdir()):
            archive.write(path, path.name)
    files = {"eve/work.zip": (tmp_path / "work.zip").read_bytes(), "ann/heuristic_1.py": "a"}
    unpacked = []
    monkeypatch.setattr(submissions, "untouched", lambda path, exercise: unpacked.append(path) or False)
    source = zipped(tmp_path, files)
    with submissions.opened(source) as (those, _):
        assert {one.student: one.status for one in those} == {"ann": "", "eve": "submitted twice"}
        assert not any(path.exists() for path in unpacked) and len(unpacked) == (count if count == 5 else 0)


def test_a_file_out_of_reach_is_its_own_rows_problem(tmp_path, monkeypatch):
    """A file in a folder that may be listed but not entered stopped the whole class."""
    lstat = Path.lstat

    def refused(self):
        if "eve" in self.parts:
            raise PermissionError(13, "Permission denied")
        return lstat(self)

    monkeypatch.setattr(Path, "lstat", refused)
    told = found(folder(tmp_path, FOLDERS | {"eve/heuristic_1.py": "e"}))
    assert told["ann"][0] == "a" and told["eve"][1].status == "problem"
    assert "Permission denied" in told["eve"][1].notes[0]


def test_a_full_disk_is_a_problem_of_what_is_unpacked_then(tmp_path, monkeypatch):
    chunks = entries._chunks

    def full(entry):
        if "eve" in entry.path.parts:
            raise OSError(28, "No space left on device")
        yield from chunks(entry)

    monkeypatch.setattr(entries, "_chunks", full)
    told = found(zipped(tmp_path, FOLDERS | {"eve/heuristic_1.py": "e"}))
    assert told["ann"][0] == "a" and "No space left" in told["eve"][1].notes[0]


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
    files = {"results/grades.db": "", "results/feedback/ann.html": "", "results/similar.html": ""}
    source = folder(tmp_path / "in", FOLDERS | files)
    with submissions.opened(source, out=source / "results") as (those, _):
        assert {one.student for one in those} == {"ann", "Bo Ek"}
    source = folder(tmp_path / "in 2", FOLDERS | {"grades.db": "", "feedback/ann.html": ""})
    assert set(found(source)) == {"ann", "Bo Ek"}


@pytest.mark.parametrize("more", [{}, {"eve/work.pdf": ""}, {"eve/feedback/ann.html": ""}])
def test_a_folder_with_a_gradebook_in_it_has_a_row(more, tmp_path):
    """It was taken for results, so who handed that in was in no list."""
    told = found(folder(tmp_path, FOLDERS | {"eve/grades.db": ""} | more))
    assert set(told) == {"ann", "Bo Ek", "eve"} and told["eve"][1].status == "problem"


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


# ------------------------------------------------------------------------------------------------- whose file is it


def graded(source):
    """The text that each student is graded on."""
    return {student: text for student, (text, _) in found(source).items()}


def notes(source):
    """What is noted of each student."""
    return {student: " ".join(one.notes) for student, (_, one) in found(source).items()}


@pytest.mark.parametrize(
    "name",
    [
        "ann_101_assignsubmission_file_heuristic_1.py",
        "Ann Lee_7_assignsubmission_file_/heuristic_1.py".replace("/", "_"),
        "leeann_7_71_heuristic_1.py",
        "LATE_7_71_heuristic_1.py",
        "anon_7_71_heuristic_1.py",
        "7_71_heuristic_1.py",
    ],
)
def test_a_file_that_a_student_names_like_a_classmates_is_the_students_own(name, tmp_path):
    files = {"leeann_7_71_heuristic_1.py": "right", f"eve_9_91_{name}": "wrong", "bo_8_81_h.py": "b"}
    told = found(zipped(tmp_path, files))
    assert {one.number: text for text, one in told.values()} == {"7": "right", "9": "wrong", "8": "b"}
    flat = {f"{who}_{n}_assignsubmission_file_{file}": file for who, n, file in [("Ann", 7, "h.py"), ("Eve", 9, name)]}
    (tmp_path / "moodle").mkdir()
    told = found(zipped(tmp_path / "moodle", flat))
    assert {one.number: text for text, one in told.values()} == {"7": "h.py", "9": name}


PIECES = (
    *(
        "ann",
        "7",
        "71",
        "_",
        "_7_71_",
        "LATE_",
        "anon_",
        "_assignsubmission_file_",
        "heuristic_1",
        "-1",
        "(1)",
        "-Copy1",
    ),
    *(" ", "_text", "submitted", "grades.db", "Participant_101", "é", "CON", "\u202e"),
)


def downloaded(platform, rng, count=8):
    """A download as the platform makes it of names that students chose: its files, and whose number each has."""
    files, numbers = {}, {}
    for n in range(count):
        name = rng.choice([f"person{n}", "".join(rng.choices(PIECES, k=3)) + "x"])
        file = "".join(rng.choices(PIECES, k=rng.randint(1, 5))) + rng.choice([".py", ".ipynb"])
        number = str(70 + n)
        if platform == "Canvas":
            name = re.sub(r"\W", "", re.sub(r"_(\d+)_", r"\1", name).lower())
            path = f"{name}_{rng.choice(['', 'LATE_'])}{number}_{100 + n}_{file}"
        elif platform == "Canvas without names":
            number = "".join(rng.choices("aZ19", k=4)) + str(n)
            path = f"{rng.choice(['', 'LATE_'])}anon_{number}_{100 + n}_{file}"
        else:
            between = "/" if platform == "Moodle" else "_"
            path = f"{name.replace('_', ' ')}_{number}_assignsubmission_file{between}{file}"
        files[path], numbers[number] = str(n), str(n)
    return files, numbers


@pytest.mark.parametrize("platform", ["Canvas", "Canvas without names", "Moodle", "Moodle without folders"])
def test_whatever_students_call_themselves_and_their_files_each_is_graded_on_their_own(platform, tmp_path):
    rng = Random(1)
    for _ in range(60):
        files, numbers = downloaded(platform, rng)
        assert {one.number: text for text, one in found(zipped(tmp_path, files)).values()} == numbers


def test_one_file_named_as_a_platform_would_does_not_make_a_folder_that_platforms(tmp_path):
    files = {"ann.py": "a", "bo.py": "b", "ann_7_71_heuristic_1.py": "c", "ann_7_assignsubmission_file_h.py": "d"}
    told = found(folder(tmp_path, files))
    assert sorted(text for text, _ in told.values()) == ["a", "b", "c", "d"]
    assert not any(one.number or one.prefix for _, one in told.values())


def test_a_number_that_two_names_have_is_nobodys(tmp_path):
    files = {"ann_7_71_h.py": "a", "x_7_1001_91_h.py": "x", "bo_8_81_h.py": "b"}  # whose name on Canvas is x_7
    told = found(zipped(tmp_path, files))
    assert {name: one.number for name, (_, one) in told.items()} == {"ann": "", "x": "", "bo": "8"}
    assert "Somebody else has the number 7" in " ".join(told["ann"][1].doubts)


def test_a_link_to_a_classmates_file_is_not_followed(tmp_path):
    source = folder(tmp_path, FOLDERS)
    (source / "eve").mkdir()
    (source / "eve" / "heuristic_1.py").symlink_to(source / "ann" / "heuristic_1.ipynb")
    (source / "fay").symlink_to(source / "ann", target_is_directory=True)
    (source / "gus.py").symlink_to(source / "Bo Ek" / "heuristic_1.py")
    told = found(source)
    for name in ("eve", "fay", "gus.py"):
        text, one = told[name.removesuffix(".py")]
        assert text is None and one.status == "problem" and "links are not followed" in one.notes[0]


def test_a_link_in_a_zip_is_not_a_program(tmp_path):
    path = zipped(tmp_path, FOLDERS)
    with zipfile.ZipFile(path, "a") as archive:
        link = zipfile.ZipInfo("eve/heuristic_1.py")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "../ann/heuristic_1.ipynb")
    text, one = found(path)["eve"]
    assert text is None and "links are not followed" in one.notes[0]


def test_a_student_called_submitted_loses_nobody(tmp_path):
    files = FOLDERS | {"submitted/heuristic_1.py": "s", "source/heuristic_1.py": "t"}
    everybody = {"ann": "a", "Bo Ek": "b", "submitted": "s", "source": "t"}
    assert graded(folder(tmp_path / "1", files)) == everybody
    nasty = {"submitted/x/heuristic_1/heuristic_1.py": "x", "submitted/heuristic_1.py": "s"}
    assert graded(folder(tmp_path / "2", files | nasty)) == everybody
    assert set(graded(folder(tmp_path / "3", {"submitted/x/heuristic_1/heuristic_1.py": "x"} | FLAT))) >= {"ann"}


def test_nbgraders_tree_may_stand_among_an_instructors_programs(tmp_path):
    files = NBGRADER | {"tools/tidy.py": "", "nbgrader_config.py": "", "gradebook.db": ""}
    assert graded(folder(tmp_path, files)) == {"ann": "a", "Bo Ek": "b"}


@pytest.mark.parametrize("name", ["grades.db", "feedback", "results", "CON", "timestamp.txt", "heuristic_1", "source"])
def test_a_student_may_be_called_anything(name, tmp_path):
    files = {f"{name}/heuristic_1.py": "x", "grades.csv": "", "feedback/ann.html": ""} | FOLDERS
    source = folder(tmp_path, files)
    if name != "grades.db":
        (source / "grades.db").write_text("")
    assert {"ann": "a", "Bo Ek": "b", name: "x"}.items() <= graded(source).items()


def test_a_database_that_a_student_hands_in_hides_nothing(tmp_path):
    files = FOLDERS | {"ann/grades.db": "", "ann/feedback/x.html": "", "cy_101_assignsubmission_file/grades.db": ""}
    assert {"ann": "a", "Bo Ek": "b"}.items() <= graded(folder(tmp_path, files)).items()


def test_nobody_can_be_called_as_anothers_page_is():
    names = file_names(["a/b"])
    taken = names["a/b"].removesuffix(".html")
    for students in (["a/b", taken], ["a/b", taken.upper()], ["CON", "con", "COM¹"], ["Kim", "\N{KELVIN SIGN}im"]):
        made = [unicodedata.normalize("NFKC", name.casefold()) for name in file_names(students).values()]
        assert len(set(made)) == len(students) and not any(name.startswith(("con.", "com")) for name in made)


# ------------------------------------------------------------------------------------------------- Moodle and Canvas


def test_moodles_teams_and_blind_participants_are_told_apart(tmp_path):
    blind = {f"Participant_{n}_assignsubmission_file/h.py": str(n) for n in (101, 102)}
    assert graded(zipped(tmp_path, blind)) == {"Participant 101": "101", "Participant 102": "102"}
    teams = {"Team A_5_assignsubmission_file/h.py": "a", "Default group_assignsubmission_file/h.py": "d"}
    told = found(folder(tmp_path / "teams", teams))
    assert {name: (text, one.number) for name, (text, one) in told.items()} == {
        "Team A": ("a", "5"),
        "Default group": ("d", ""),
    }


def test_canvas_without_names_keeps_the_students_apart_and_knows_who_was_late(tmp_path):
    files = {"anon_Ab3xY_71_99_h.py": "a", "LATE_anon_Zz9qQ_72_h.py": "b", "anon_12345_73_h.py": "c"}
    told = found(zipped(tmp_path, files))
    assert {name: text for name, (text, _) in told.items()} == {"anon Ab3xY": "a", "anon Zz9qQ": "b", "anon 12345": "c"}
    assert told["anon Zz9qQ"][1].notes == ("Handed in late.",) and told["anon Ab3xY"][1].prefix == "anon_Ab3xY_71_"


def test_a_file_dropped_among_a_platforms_download_is_graded_without_a_number(tmp_path):
    told = found(folder(tmp_path, CANVAS | {"cy.ipynb": "c", "roster.csv": "student\n"}))
    assert told["cy"][0] == "c" and told["cy"][1].number == "" and len(told) == 3


WORKSHEET = (
    "Identifier,Full name,Email address,Status,Grade,Maximum grade,Last modified (submission),Feedback comments\n"
    'Participant 101,ann,a@x.edu,Submitted for grading,,15.00,"Friday, 20 November 2026, 5:30 PM",\n'
    'Participant 102,Bo Ek,b@x.edu,Submitted for grading - 2 hours 3 mins late,,15.00,"Saturday, 21 November 2026, '
    '8:05 AM",\n'
    "Participant 103,Cy,c@x.edu,No submission,,15.00,-,\n"
)


def test_moodles_worksheet_tells_who_was_late(tmp_path):
    (tmp_path / "worksheet.csv").write_text(WORKSHEET)
    with submissions.opened(zipped(tmp_path, MOODLE)) as (those, _):
        checked = submissions.checked_with_worksheet(those, tmp_path / "worksheet.csv")
    told = {one.student: one for one in checked}
    assert not any("late" in note for note in told["ann"].notes)
    assert told["Bo Ek"].notes == ("Moodle says: 2 hours 3 mins late.",)


def test_a_team_without_a_number_gets_no_participants(tmp_path):
    (tmp_path / "worksheet.csv").write_text("Identifier,Full name,Group,Grade\nParticipant 1,ann,Default group,\n")
    files = {"Default group_assignsubmission_file/h.py": "", "Team A_1_assignsubmission_file/h.py": ""}
    with submissions.opened(zipped(tmp_path, files)) as (those, _):
        default, team = submissions.checked_with_worksheet(those, tmp_path / "worksheet.csv")
    assert default.number == default.prefix == "" and team.prefix == "Team A_1_assignsubmission_file_"


def test_folders_within_folders_without_end_are_not_followed(tmp_path):
    assert len(found(zipped(tmp_path, {f"{'a/' * 5000}heuristic_1.py": "deep"}))) == 1


def test_pages_go_back_to_moodle_and_canvas_under_the_names_they_expect(tmp_path):
    cases = (
        (MOODLE, ["Bo Ek_102_assignsubmission_file_feedback.html", "ann_101_assignsubmission_file_feedback.html"]),
        (CANVAS, ["Bo Ek_LATE_8_81_feedback.html", "ann_7_71_feedback.html"]),
    )
    page = tmp_path / "page.html"
    page.write_text("a page")
    for files, expected in cases:
        with submissions.opened(zipped(tmp_path, files)) as (those, _):
            pages = dict.fromkeys((one.student for one in those), page)
            said = submissions.write_feedback_zip(tmp_path / "feedback.zip", those, pages)
        with zipfile.ZipFile(tmp_path / "feedback.zip") as bundle:
            assert sorted(bundle.namelist()) == expected and bundle.read(expected[0]) == b"a page"
        assert said == []


def test_a_worksheet_gives_those_without_a_number_their_way_back_and_the_others_are_reported(tmp_path):
    (tmp_path / "worksheet.csv").write_text(WORKSHEET)
    (tmp_path / "page.html").write_text("a page")
    with submissions.opened(folder(tmp_path / "in", {"Cy/heuristic_1.py": "", "zed/heuristic_1.py": ""})) as (those, _):
        pages = dict.fromkeys(("Cy", "zed"), tmp_path / "page.html")
        assert submissions.write_feedback_zip(tmp_path / "feedback.zip", those, pages) == []
        assert not (tmp_path / "feedback.zip").exists()
        those = submissions.checked_with_worksheet(those, tmp_path / "worksheet.csv")
        (said,) = submissions.write_feedback_zip(tmp_path / "feedback.zip", those, pages)
    assert said == "feedback.zip has no page for zed, whose numbers are not known."
    assert zipfile.ZipFile(tmp_path / "feedback.zip").namelist() == ["Cy_103_assignsubmission_file_feedback.html"]


# ------------------------------------------------------------------------------------------- every upload has a row


@pytest.mark.parametrize("name", ["work.html", "work.pdf", "work.docx", "work.rar", "work", "work.txt"])
def test_what_cannot_be_graded_has_a_row_that_says_what_it_is(name, tmp_path):
    layouts = (
        {f"eve/{name}": "x"} | FOLDERS,
        {f"eve_9_91_{name}": "x"} | CANVAS,
        {f"eve_9_assignsubmission_file/{name}": "x"} | MOODLE,
        {f"eve_9_assignsubmission_file_{name}": "x"} | MOODLE_FLAT,
        {f"submitted/eve/heuristic_1/{name}": "x"} | NBGRADER,
    )
    for n, files in enumerate(layouts):
        _, one = found(folder(tmp_path / str(n), files))["eve"]
        assert one.status == "problem" and f"only {name}." in one.notes[0]
    assert found(folder(tmp_path / "flat", {name.replace("work", "eve"): ""} | FLAT))["eve"][1].status == "problem"


def test_text_typed_into_a_form_has_a_row(tmp_path):
    layouts = (
        {"eve_9_text.html": "print()", "ann_7_71_h.py": "a", "LATE_x_8_link.html": ""},
        {"eve_9_assignsubmission_onlinetext/onlinetext.html": "", "ann_7_assignsubmission_file/h.py": "a"},
    )
    for n, files in enumerate(layouts):
        told = found(folder(tmp_path / str(n), files))
        assert told["ann"][0] == "a" and told["eve"][1].status == "problem" and told["eve"][1].number == "9"
        assert "typed into a form can't be graded" in told["eve"][1].notes[0]


def test_a_notebook_that_a_browser_saved_as_text_is_graded(tmp_path):
    files = FOLDERS | {"eve/heuristic_1.ipynb.txt": "e", "fay/heuristic_1.py.txt": "f"}
    for source in (folder(tmp_path / "in", files), zipped(tmp_path, files)):
        told = found(source)
        assert told["eve"][0] == "e" and told["eve"][1].file.suffix == ".ipynb"
        assert told["eve"][1].notes == ("Graded: heuristic_1.ipynb.txt, read as a notebook.",)
        assert told["fay"][0] == "f" and told["fay"][1].file.suffix == ".py"


def nested(place, files):
    """The bytes of a zip."""
    place.mkdir(exist_ok=True)
    return zipped(place, files).read_bytes()


def test_a_zip_that_a_student_hands_in_is_opened_and_a_zip_inside_it_is_not(tmp_path):
    inner = nested(tmp_path / "inner", {"heuristic_1.py": "too deep"})
    work = nested(tmp_path / "work", {"my/heuristic_1.ipynb": "e", "../../escaped.py": "", "more.zip": "", "x.png": ""})
    only = nested(tmp_path / "only", {"again.zip": inner})
    files = CANVAS | {"eve_9_91_work.zip": work, "fay_6_61_only.zip": only, "gus_5_51_bad.zip": b"PK\3\4 nothing"}
    source = zipped(tmp_path, files)
    told = found(source)
    assert told["eve"][0] == "e" and "Graded: work.zip/my/heuristic_1.ipynb" in told["eve"][1].notes[-1]
    assert any("the name leads out of the zip: ../../escaped.py." in note for note in told["eve"][1].notes)
    assert told["fay"][0] is None and "only/again.zip" not in told["fay"][1].notes[0]
    assert "again.zip" in told["fay"][1].notes[0]
    assert told["gus"][1].status == "problem" and "can't be read" in told["gus"][1].notes[0]
    assert not list(tmp_path.rglob("*escaped*"))
    with zipfile.ZipFile(source) as archive:
        archive.extractall(tmp_path / "out")
    assert graded(tmp_path / "out") == {name: text for name, (text, _) in told.items()}


def test_a_students_zip_of_a_million_files_concerns_only_that_student(tmp_path, monkeypatch):
    monkeypatch.setattr(entries, "MOST_FILES", 20)
    work = nested(tmp_path / "work", {f"{n}.py": "" for n in range(30)})
    told = found(zipped(tmp_path, CANVAS | {"eve_9_91_work.zip": work}))
    assert told["eve"][1].status == "problem" and "30 files in the zip" in told["eve"][1].notes[0]
    assert told["ann"][0] == "a"


def test_a_class_of_zips_does_not_run_out_of_open_files(tmp_path):
    work = nested(tmp_path / "work", {"heuristic_1.py": "w"})
    source = zipped(tmp_path, {f"s{n}_{n + 1}_{n + 100}_work.zip": work for n in range(100)})
    usual = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, usual[1]))
    try:
        assert len(found(source)) == 100
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, usual)


def test_a_damaged_member_concerns_only_its_student(tmp_path):
    path = zipped(tmp_path, FOLDERS)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("eve/heuristic_1.py", os.urandom(500), zipfile.ZIP_DEFLATED)
        start = archive.getinfo("eve/heuristic_1.py").header_offset
    data = bytearray(path.read_bytes())
    data[start + 60 : start + 200] = bytes(140)
    path.write_bytes(data)
    told = found(path)
    assert told["ann"][0] == "a" and told["eve"][1].status == "problem" and "damaged" in told["eve"][1].notes[0]


def test_compressible_files_are_not_unpacked_unless_they_are_graded(tmp_path, monkeypatch):
    monkeypatch.setattr(entries, "LARGEST", 1 << 20)
    more = {f"ann/big{n}.py": "x" * (1 << 20) for n in range(20)}
    with submissions.opened(zipped(tmp_path, FOLDERS | more)) as (those, _):
        place = next(one.file for one in those).parent
        assert sum(file.stat().st_size for file in place.iterdir()) < 100


def test_a_folder_that_cannot_be_opened_has_a_row(tmp_path, monkeypatch):
    source = folder(tmp_path, FOLDERS | {"eve/heuristic_1.py": "e"})
    scandir = os.scandir

    def refusing(place):
        if place == source / "eve":
            raise PermissionError(13, "Permission denied", str(place))
        return scandir(place)

    monkeypatch.setattr(os, "scandir", refusing)
    text, one = found(source)["eve"]
    assert text is None and one.status == "problem" and "Can't be opened (Permission denied)" in one.notes[0]


def test_what_is_no_file_has_a_row_and_is_never_waited_for(tmp_path):
    source = folder(tmp_path, FOLDERS)
    (source / "eve").mkdir()
    os.mkfifo(source / "eve" / "heuristic_1.py")
    assert "Not an ordinary file" in found(source)["eve"][1].notes[0]


@pytest.mark.parametrize(
    "names, picked",
    [
        (["heuristic_1.ipynb", "heuristic_1-Copy1.ipynb"], "heuristic_1.ipynb"),
        (["heuristic_1-Copy1.ipynb", "scratch.ipynb"], "heuristic_1-Copy1.ipynb"),
        (["mine.ipynb", "mine - Copy (2).ipynb"], "mine.ipynb"),
        (["Heuristic 1.ipynb", "other.py"], "Heuristic 1.ipynb"),
        (["heuristic_1.py", "notes.zip"], "heuristic_1.py"),
    ],
)
def test_a_copy_gives_way_to_its_original_and_the_note_says_so(names, picked, tmp_path):
    files = {f"leeann_7_{70 + n}_{name}": name for n, name in enumerate(names)}
    text, one = found(zipped(tmp_path, files))["leeann"]
    (other,) = {*names} - {picked}
    assert text == picked and one.status == ""
    assert one.notes[-1] == f"Graded: {picked}. Also handed in: {other}."


def test_a_name_that_contains_the_exercises_comes_before_others(tmp_path):
    files = {"eve/heuristic_1_meine Loesung.ipynb": "e", "eve/00_play.ipynb": "lesson"}
    text, one = found(folder(tmp_path, FOLDERS | files))["eve"]
    assert text == "e" and one.notes == ("Graded: heuristic_1_meine Loesung.ipynb. Also handed in: 00_play.ipynb.",)


def test_the_notebook_as_handed_out_gives_way_to_a_program(tmp_path):
    notebook = (ROOT / "exercises" / "heuristic_1" / "heuristic_1.ipynb").read_bytes()
    files = {"eve/heuristic_1.ipynb": notebook, "eve/heuristic_1.py": "e"}
    text, one = found(folder(tmp_path, FOLDERS | files))["eve"]
    assert text == "e" and one.notes == ("Graded: heuristic_1.py. Also handed in: heuristic_1.ipynb.",)


def test_who_hands_in_twice_is_told_to_the_instructor_with_what_to_do(tmp_path):
    files = {"eve/heuristic_1.ipynb": "1", "eve/heuristic_1.py": "2"}
    _, one = found(folder(tmp_path, FOLDERS | files))["eve"]
    assert "run the command again" in " ".join(one.doubts) and "run the command again" not in " ".join(one.notes)


def test_copies_without_their_original_are_handed_in_twice(tmp_path):
    files = {f"ann/heuristic_1-Copy{n}.ipynb": str(n) for n in (1, 2)}
    assert found(folder(tmp_path, FOLDERS | files))["ann"][0] == "a"
    files = {f"eve/heuristic_1-Copy{n}.ipynb": str(n) for n in (1, 2)}
    assert found(folder(tmp_path, FOLDERS | files))["eve"][1].status == "submitted twice"


def test_a_copy_in_a_flat_folder_is_not_another_student(tmp_path):
    told = found(folder(tmp_path, FLAT | {"ann-Copy1.ipynb": "old"}))
    assert set(told) == {"ann", "Bo Ek"} and told["ann"][0] == "a"
    assert "Also handed in: ann-Copy1.ipynb" in told["ann"][1].notes[0]


def test_a_notebook_in_a_folder_of_its_own_is_graded_and_not_called_a_link(tmp_path):
    text, one = found(folder(tmp_path, FOLDERS | {"eve/my work/mine.ipynb": "e"}))["eve"]
    assert text == "e" and "Graded: my work/mine.ipynb." in one.notes


def test_files_that_are_no_submissions_are_named(tmp_path):
    with submissions.opened(folder(tmp_path, FLAT)) as (_, said):
        assert said == ["Left out, as no submissions: roster.csv."]


# ------------------------------------------------------------------------------------------------- odd lists


@pytest.mark.parametrize(
    "data",
    [
        "student\r\nZoë\r\n".encode("utf-16"),
        "ID;student\nx;Zoë\n".encode("cp1252"),
        "\ufeffStudent\tID\nZoë\t1\n".encode(),
        b"student\nZoe\xcc\x88\n",
    ],
)
def test_a_list_is_read_however_a_spreadsheet_saved_it(data, tmp_path):
    (tmp_path / "list.csv").write_bytes(data)
    assert [plain(name) for (name,) in Sheet.read(tmp_path / "list.csv").cells("student")] == ["Zoë"]


@pytest.mark.parametrize(
    "data, said",
    [
        (b"\x81\x8d\x8f", "can't be read as a CSV file"),
        (b"\xff\xfeb", "can't be read as a CSV file"),
        (b'student\n"' + b"x" * 200_000 + b'"\n', "can't be read as a CSV file: field larger"),
        (b"student\n" + b" " * (20 << 20), "larger than 20 MB"),
        (b"\n\n", "empty"),
        (b"PK\x03\x04 and so on", "is a spreadsheet, not a CSV file"),
    ],
)
def test_a_list_that_cannot_be_read_gets_a_sentence(data, said, tmp_path):
    (tmp_path / "list.csv").write_bytes(data)
    with pytest.raises(GradingError, match=said):
        Sheet.read(tmp_path / "list.csv")


def test_who_handed_in_no_file_is_told_apart_from_who_has_no_number(tmp_path):
    (tmp_path / "page.html").write_text("a page")
    files = {"ann_1_11_heuristic_1.py": "", "onlytyped_2_text.html": "words"}
    with submissions.opened(folder(tmp_path / "in", files)) as (those, _):
        pages = dict.fromkeys(("ann", "onlytyped"), tmp_path / "page.html")
        (said,) = submissions.write_feedback_zip(tmp_path / "feedback.zip", those, pages)
    assert said == "feedback.zip has no page for onlytyped, who handed in no file."
