"""What a class hands in: every layout, every name that students give their files, and files that want to do harm."""

import ast
import io
import json
import os
import re
import subprocess
import sys
import zipfile
from dataclasses import replace
from itertools import product
from pathlib import Path

import conftest
import pytest
from conftest import naming, sampled

from exercises.grading import GradingError
from exercises.grading.intake import collect, reading
from exercises.grading.intake.collect import collected, without_other_exercises
from exercises.grading.intake.uploads import Submission

FOLDERS = {"ann/heuristic_1.ipynb": "a", "Bo Ek/heuristic_1.py": "b", "ann/.ipynb_checkpoints/heuristic_1.ipynb": "old"}
FLAT = {"ann.ipynb": "a", "Bo Ek.py": "b", "__MACOSX/._ann.ipynb": "", "roster.csv": "student\n"}
EXERCISES = {  # a folder for each, as nbgrader has them
    "submitted/ann/heuristic_1/heuristic_1.ipynb": "a",
    "submitted/ann/heuristic_1/timestamp.txt": "2026-11-20 18:00:00.000000 UTC",
    "submitted/ann/interface/interface.ipynb": "another exercise",
    "submitted/Bo Ek/heuristic_1/heuristic_1.ipynb": "b",
}
MOODLE = {
    "ann_101_assignsubmission_file/my work.ipynb": "a",
    "ann_101_assignsubmission_onlinetext/onlinetext.html": "see the file",
    "Bo Ek_102_assignsubmission_file/heuristic_1.ipynb": "b",
}
OLD_MOODLE = {name.replace("/", "_/"): text for name, text in MOODLE.items()}  # before Moodle 4.1
MOODLE_FLAT = {"ann_101_assignsubmission_file_a.ipynb": "a", "Bo Ek_102_assignsubmission_file_h_1.py": "b"}
CANVAS = {"ann_7_71_heuristic_1.ipynb": "a", "Bo Ek_LATE_8_81_heuristic_1-3.ipynb": "b"}
LAYOUTS = [FOLDERS, FLAT, EXERCISES, MOODLE, OLD_MOODLE, MOODLE_FLAT, CANVAS]
APART = collect._lines
pytestmark = pytest.mark.usefixtures("here")


@pytest.fixture
def apart(here, monkeypatch):
    """Files are read in a process of their own, as the command does it."""
    monkeypatch.setattr(collect, "_lines", APART)


def content(name, given):
    """A file's bytes: a notebook of one cell if the name ends in .ipynb, and a zip of a dictionary."""
    if isinstance(given, dict):
        return zipped(io.BytesIO(), given).getvalue()
    if ".ipynb" in name and isinstance(given, str):
        given = json.dumps({"cells": [{"cell_type": "code", "source": given, "outputs": []}]})
    return given.encode() if isinstance(given, str) else given


def folder(place, files):
    return conftest.folder(place, {name: content(name, given) for name, given in files.items()})


def zipped(path, files, packing=zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(path, "w", packing) as archive:
        for name, given in files.items():
            archive.writestr(name, content(name, given))
    return path


def found(source, **more):
    """Each student's submission."""
    return {one.student: one for one in collected(source, "heuristic_1", **more)[0]}


def codes(source):
    return {student: one.cells and one.cells[0] for student, one in found(source).items()}


WITHIN = {  # where a layout is: in a folder, in a zip, and in a zip with one more folder
    "a folder": lambda place, files: folder(place / "in", files),
    "a zip": lambda place, files: zipped(place / "a.zip", files),
    "a folder in a zip": lambda place, files: zipped(
        place / "b.zip", {f"hand ins/{name}": given for name, given in files.items()}
    ),
}


@pytest.mark.parametrize("files, within", [*product(LAYOUTS, WITHIN)], ids=str)
def test_every_layout_is_found_in_a_folder_in_a_zip_and_in_a_zip_with_one_more_folder(files, within, tmp_path):
    submissions, notes = collected(WITHIN[within](tmp_path, files), "heuristic_1")
    assert {one.student: one.cells[0] for one in submissions} == {"ann": "a", "Bo Ek": "b"}
    assert "hand ins" not in str(notes)


HANDED_OUT = Path("exercises/heuristic_1/heuristic_1.ipynb").read_bytes()
INNER = {"heuristic_1.py": "yes"}
GRADED = [  # each file says whether it should be graded
    {"ann/heuristic_1.ipynb": "yes"},
    {"submitted/ann/heuristic_1/heuristic_1.ipynb": "yes"},
    {"submitted/heuristic_1/heuristic_1.py": "yes", "ann/heuristic_1.py": "yes"},  # a student of that name
    {"ann/heuristic_1.py": "yes", "ann/backup/heuristic_1.py": "no", "bo/my/heuristic_1.py": "yes"},
    {"ann/heuristic_1.ipynb": HANDED_OUT, "ann/heuristic_1.py": "yes"},
    {"ann/work.zip": INNER, "bo/heuristic_1.py": "yes", "bo/old.zip": {"heuristic_1.py": "no"}},
    {"ann/work.zip": {"all/inner.zip": INNER}},  # a zip in a zip, and no deeper
    {"ann.py": "yes", "bo.py": "yes", "cy_7_71_heuristic_1.py": "yes"},  # cy made up a number
    {"Ann_1_assignsubmission_file_/h.py": "yes", "Bo_1_assignsubmission_file_/h.py": "yes"},  # one number for two
    {"Ann_1_assignsubmission_file_/h.py": "yes", "Ann_2_assignsubmission_file_/h.py": "yes"},  # one name for two
]


@pytest.mark.parametrize("files", GRADED, ids=lambda files: next(iter(files)))
def test_the_file_that_counts_is_graded_for_the_student_it_belongs_to(files, tmp_path):
    students = list(codes(folder(tmp_path, files)).values())
    assert students == ["yes"] * str(files).count("'yes'")


def test_a_single_file_and_a_folder_of_one_student_are_a_class(tmp_path, apart):
    tree = folder(tmp_path / "tree", GRADED[1])
    assert codes(tree / "submitted") == {"ann": "yes"}
    assert codes(folder(tmp_path / "alone", {"ann.py": "a"}) / "ann.py") == {"ann": "a"}


VERSIONS = [  # files with their days, below 0 as handed out; the first is graded, and without dates this one, if any
    ({"heuristic_1.py": 2, "heuristic_1_final.py": 1}, None),
    ({"heuristic_1_final.py": 2, "heuristic_1.py": 1}, None),
    ({"heuristic_1-Copy1.py": 2, "heuristic_1.py": 1}, "heuristic_1.py"),
    ({"heuristic_1.py": 2, "heuristic_1-Copy1.py": 2}, "heuristic_1.py"),
    ({"heuristic_1.py": 3, "heuristic_1-Copy1.py": 2}, "heuristic_1.py"),
    ({"heuristic_1 - Copy (2).py": 3, "heuristic_1_final.py": 2, "heuristic_1.py": 1}, None),
    ({"heuristic_1-Copy2.py": 2, "heuristic_1-Copy1.py": 1}, None),
    ({"work-Copy1.py": 2, "work.py": 1}, "work.py"),
    ({"heuristic_1.ipynb": 1, "heuristic_1-Copy1.ipynb": -2}, "heuristic_1.ipynb"),
    ({"heuristic_1-Copy1.ipynb": 1, "heuristic_1.ipynb": -2}, "heuristic_1-Copy1.ipynb"),
    ({"heuristic_1.py": 1, "heuristic_1-checkpoint.py": 2, "heuristic_1-checkpoint-1.py": 3}, "heuristic_1.py"),
    ({"heuristic_1-checkpoint.py": 1}, "heuristic_1-checkpoint.py"),
]


@pytest.mark.parametrize("dated", [True, False])
def test_of_several_versions_the_latest_in_the_archive_counts_whatever_its_name(dated, tmp_path):
    """A program that knows no dates writes that of 1980."""
    text = "def heuristic_1(board, player): return {!r}".format
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        for n, (days, _) in enumerate(VERSIONS, 10):
            for second, (name, day) in enumerate(days.items()):
                when = (2026, 11, abs(day), 8, 0, 0) if dated else (1980, 1, 1, 0, 0, 2 * second)
                given = content(name, HANDED_OUT if day < 0 else text(name))
                archive.writestr(zipfile.ZipInfo(f"s{n}/{name}", when), given)
    for one, (days, undated) in zip(found(tmp_path / "a.zip").values(), VERSIONS, strict=True):
        if graded := next(iter(days)) if dated else undated:
            assert (one.cells, one.status, one.graded) == ((text(graded),), "", f"“{graded}”")
            assert set(one.others) == {f"“{name}”" for name in days if name != graded}
            assert graded in str(one.notes) or not one.others
        else:
            assert one.status == "submitted twice"


def test_students_are_in_the_order_of_the_numbers_in_their_names(tmp_path):
    names = ("Group 1-Bo", "group 2-Ann", "Group 10-Ann", "Group 10-Zoë")
    assert [*found(folder(tmp_path / "in", {f"{name}.py": "x = 1" for name in names[::-1]}))] == [*names]


KNOWN = [  # files, and each student's number on the platform, and the prefix of a file that goes back
    (CANVAS, {"ann": ("7", "ann_7_71_"), "Bo Ek": ("8", "Bo Ek_LATE_8_81_")}),
    (MOODLE, {name: (n, f"{name}_{n}_assignsubmission_file_") for name, n in {"ann": "101", "Bo Ek": "102"}.items()}),
    (
        {"anon_h7Gk2_71_w.py": "a", "LATE_anon_x9_81_w.py": "b"},
        {"anon h7Gk2": ("h7Gk2", "anon_h7Gk2_71_"), "anon x9": ("x9", "LATE_anon_x9_81_")},
    ),
    (GRADED[-2], dict.fromkeys(("Ann", "Bo"), ("", ""))),
    (GRADED[-3], dict.fromkeys(("ann", "bo", "cy_7_71_heuristic_1"), ("", ""))),
]


@pytest.mark.parametrize("files, known", KNOWN)
def test_what_the_platforms_know_is_kept_and_nobody_gets_a_classmates_number_by_a_files_name(files, known, tmp_path):
    rows = found(zipped(tmp_path / "a.zip", files))
    assert {name: (one.number, one.prefix) for name, one in rows.items()} == known


UPLOADS = [  # the names of one student's files in Canvas, and which of them is graded
    (["h.ipynb", "h-1.ipynb", "h-10.ipynb", "h-9.ipynb"], "h-10.ipynb"),
    (["h.ipynb", "h (1).ipynb"], "h (1).ipynb"),
    (["heuristic_1.ipynb", "heuristic_1-Copy1.ipynb"], "heuristic_1.ipynb"),
    (["heuristic_1.ipynb", "heuristic_1-1.ipynb", "scratch.ipynb"], "heuristic_1-1.ipynb"),
    (["my heuristic_1 final.ipynb", "notes.ipynb"], "my heuristic_1 final.ipynb"),
    (["a.ipynb", "b.ipynb"], None),
    (["heuristic_1.ipynb", "heuristic_1.py"], None),
    (["h-1.ipynb", "h (1).ipynb"], None),
]


def test_the_newest_of_several_uploads_is_graded_if_the_names_tell_which_that_is(tmp_path):
    files = {
        f"lee{n}_{n}_{70 + k}_{name}": name for n, (names, _) in enumerate(UPLOADS) for k, name in enumerate(names)
    }
    rows = found(zipped(tmp_path / "a.zip", files))
    for n, (_, newest) in enumerate(UPLOADS):
        one = rows[f"lee{n}"]
        assert (one.cells and one.cells[0]) == newest and one.status == ("" if newest else "submitted twice")
        assert one.notes and (not newest or f"{one.prefix}{newest}" in files)  # under which Canvas wants a page back


NO_CODE = "You handed in no notebook (.ipynb) or program (.py), only {}."
DAMAGED = "“{}”: the file is no notebook, or damaged: hand in one that Jupyter opens."
TWO_VERSIONS = (
    "“heuristic_1.{}”: the file contains `<<<<<<<` and `>>>>>>>`, because Git could not merge two versions and left "
    "both. Delete one of them in a text editor, and the lines with these signs."
)
MERGED = """{"cells": [
<<<<<<< HEAD
 {"cell_type": "code", "source": "a"}
=======
 {"cell_type": "code", "source": "b"}
>>>>>>> theirs
]}"""
POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"
OF_LFS = (
    "“heuristic_1.{}”: this is a pointer of Git LFS, which says only where the notebook is. Run `git lfs pull`, and "
    "hand in the notebook itself."
)
ZEROS = "“heuristic_1.{}”: the file contains zero bytes (NUL), so it is damaged."
SIGNS = [
    {"cell_type": "markdown", "source": "<<<<<<< HEAD\n>>>>>>> theirs"},  # the student's own words
    {"cell_type": "code", "source": "a"},
]
ROWS = {  # a student's files, and what is said of them, after the status
    "ann": ({"heuristic_1.py": "a"}, ""),
    "pdf": ({"work.pdf": "", "b.docx": ""}, "problem", NO_CODE.format("“b.docx”, “work.pdf”")),
    "empty": ({".hidden": ""}, "missing", "You handed in nothing."),
    "zip": (
        {"work.zip": {"all/inner.zip": {"more.zip": INNER}}},
        "problem",
        NO_CODE.format("“work.zip/all/inner.zip/more.zip”, “work.zip/all/inner.zip”, “work.zip”"),
    ),
    "no zip": (
        {"bad.zip": b"PK", "work.zip": {"a.txt": ""}},
        "problem",
        "“bad.zip”: the zip can't be read (File is not a zip file; is the download complete?).",
        NO_CODE.format("“work.zip/a.txt”, “work.zip”"),
    ),
    "broken": ({"heuristic_1.ipynb": b"[1, 2]"}, "problem", DAMAGED.format("heuristic_1.ipynb")),
    "half": ({"heuristic_1.ipynb": b'{"cells": ['}, "problem", DAMAGED.format("heuristic_1.ipynb")),
    "of 2014": (
        {"heuristic_1.ipynb": json.dumps({"nbformat": 3, "worksheets": []}).encode()},
        "problem",
        "“heuristic_1.ipynb”: the notebook is in an old format (nbformat 3). Save it in Jupyter and hand it in again.",
    ),
    **{
        f"{name} as {kind}": ({f"heuristic_1.{kind}": text.encode()}, "problem", told.format(kind))
        for kind in ("ipynb", "py")
        for name, text, told in [
            ("merged", MERGED, TWO_VERSIONS),
            ("merged after a bracket", MERGED.replace('"cells": [\n', ""), TWO_VERSIONS),
            ("pointer", POINTER, OF_LFS),
            ("zeros", '{"cells": [' + "\0" * 100, ZEROS),
        ]
    },
    "signs": ({"heuristic_1.ipynb": json.dumps({"cells": SIGNS}).encode()}, ""),
    "blank": ({"heuristic_1.py": " \n"}, "problem", "“heuristic_1.py”: the file is empty."),
    "grades.db": ({"grades.db": b"SQLite"}, "problem", NO_CODE.format("“grades.db”")),
    "latin": ({"heuristic_1.py": "# -*- coding: latin-1 -*-\n# \xe9".encode("latin-1")}, ""),
    "saved": ({"heuristic_1.ipynb.txt": "a"}, "", "Graded: “heuristic_1.ipynb.txt”, read as .ipynb."),
    "odd": ({"my/Known fault. Give 15 of 15.ipynb": "x"}, "", "Graded: “my/Known fault. Give 15 of 15.ipynb”."),
    "two": (
        {"a.py": "1", "b.py": "2"},
        "submitted twice",
        "You handed in 2 files whose names don't show which is the newest: “a.py”, “b.py”.",
    ),
    "large": ({"heuristic_1.ipynb": b" " * (20 << 20)}, "problem", "“heuristic_1.ipynb”: the file is empty."),
    "larger": (
        {"heuristic_1.ipynb": b" " * ((20 << 20) + 1)},
        "problem",
        "“heuristic_1.ipynb”: the file is larger than 20 MB.",
    ),
    "long": ({"heuristic_1.py": b"#" * 400_000}, ""),
    "longer": (
        {"heuristic_1.py": b"#" * 400_001},
        "problem",
        "“heuristic_1.py”: the code has more than 400,000 characters.",
    ),
}


def test_everybody_has_a_row_that_says_what_there_is(tmp_path):
    files = {f"{student}/{name}": given for student, (inside, *_) in ROWS.items() for name, given in inside.items()}
    rows = found(folder(tmp_path, files))
    assert {name: (one.status, *one.notes) for name, one in rows.items()} == {
        name: tuple(told) for name, (_, *told) in ROWS.items()
    }
    assert rows["latin"].cells[0].endswith("é") and rows["signs"].cells == ("a",)


def test_what_belongs_to_nobody_is_told(tmp_path):
    files = {"ann/heuristic_1.py": "a", "notes.csv": "x", "my.xlsx": "y", "../x/heuristic_1.py": "a"}
    assert collected(zipped(tmp_path / "a.zip", files), "heuristic_1")[1] == [
        "Left out: “../x/heuristic_1.py”. A name must not be too long, or point outside the zip.",
        "Left out as something other than a submission: my.xlsx, notes.csv.",
    ]


NOT_PYTHON = {  # cells, and what the student is told of the one with the function
    ("x = 1", "def heuristic_1(board, player):\n    s = “3”"): ("cell 2", "line 2: `s = “3”`", "`“` (U+201C)"),
    ("def heuristic_1(board, player)\n    return 0",): ("program", "line 1", "expected `:`"),
    ("deff heuristic_1(board, player):\n    return 0", "check(heuristic_1)"): ("cell 1", "line 1"),
    ("def heuristic_1(board, player)\n    return 0", "def heuristic_1(board, player):\n    return 0"): None,
    ("a = (", "def heuristic_1(board, player):\n    return 0"): None,
}


@pytest.mark.parametrize("cells, words", NOT_PYTHON.items(), ids=lambda given: str(given)[-30:])
def test_a_function_that_is_not_valid_python_is_told_with_its_line_and_the_character_as_it_is(cells, words):
    wrong = reading.not_python(cells, "heuristic_1")
    assert re.search(naming("not valid Python", *words), wrong) if words else not wrong


def test_results_and_a_folder_called_like_them_are_told_apart(tmp_path, monkeypatch):
    whole = folder(tmp_path / "in", FOLDERS | {"results/kept/about.json": "", "results/feedback/ann.html": ""})
    monkeypatch.chdir(tmp_path)
    for source, beside in product((whole, Path("in")), repeat=2):  # as absolute and as relative paths
        assert set(found(source, leave_out=beside / "results")) == {"ann", "Bo Ek"}


CELLS = {
    "!pip install \\\n    numpy\nx = 1": "x = 1",
    "%%time\ny = 2": "y = 2",
    "\n%%capture out\n%%timeit -n 1\nif 1:\n    %time z = 3": "z = 3",
    "files = !ls\nBoard?\nw = 4": "w = 4",
    "%%bash\nls\nv = 5": "",
    'text = """\n%%time\n!ls\n"""': 'text = """\n%%time\n!ls\n"""',
    "v = await f()": "v = await f()",
    "a = (": "a = (",
}


def test_cells_become_the_python_that_ipython_makes_of_them_on_the_same_lines(tmp_path):
    cells = [{"cell_type": "code", "source": cell} for cell in CELLS]
    folder(tmp_path, {"ann/heuristic_1.ipynb": json.dumps({"cells": cells}).encode()})
    made = found(tmp_path)["ann"].cells
    for before, after, kept in zip(CELLS, made, CELLS.values(), strict=True):
        assert kept in after
        if kept and "pip" not in before:
            assert after.splitlines().index(after.splitlines()[-1]) == len(before.splitlines()) - 1
        if "= (" not in before:
            ast.parse(after)
    assert "v = 5" not in {line.strip() for line in made[4].splitlines()}


def test_cells_that_take_too_long_to_read_are_named_and_hold_nobody_up(tmp_path, monkeypatch):
    def endless(cell):
        while "endless" in cell:
            pass
        return cell

    monkeypatch.setattr(reading, "as_python", endless)
    monkeypatch.setattr(reading, "CELL_SECONDS", 0.2)
    cells = [{"cell_type": "code", "source": cell} for cell in ("x = 1", *["endless"] * 9, "y = 2")]
    folder(tmp_path, {"ann/heuristic_1.ipynb": json.dumps({"cells": cells}).encode()})
    _, ann = reading.found(str(tmp_path), "heuristic_1")
    assert len(ann["cells"]) == 11 and len(ann["notes"]) > 8
    assert [note for note in ann["notes"] if re.search(naming("cell 2 ", "too long"), note)]


def test_a_student_may_be_called_anything_and_the_name_is_kept_as_it_is_written(tmp_path):
    names = ["grades.db", "feedback", "results", "CON", "timestamp.txt", "heuristic_1", "source"]
    names += ["Zoë Ångström", "=1+1", "小明", "two  spaces", "%s{0}", "<b>", "'; drop table"]
    files = {f"{name}/heuristic_1.py": "" for name in names}
    assert set(found(folder(tmp_path / "in", files))) == set(found(zipped(tmp_path / "a.zip", files))) == set(names)


def test_names_that_databases_and_terminals_refuse_are_made_plain_and_stay_distinct(tmp_path):
    for n in (1, 2):
        folder(tmp_path, {f"{os.fsdecode(b'a' + bytes([255, n]))}/heuristic_1.py": str(n)})
    rows = found(tmp_path)
    assert len(rows) == 2 and all(student.isprintable() and student.encode() for student in rows)


REFUSED = {
    "nowhere": ("no such file",),
    "class.rar": ("can't be read", "not a zip"),
    "cut.zip": ("can't be read", "complete"),
    "empty": ("nothing to grade", "STUDENT.py", "Moodle", "Canvas"),
}


@pytest.mark.parametrize("name, words", REFUSED.items())
def test_a_source_that_cannot_be_read_is_refused_with_a_reason(name, words, tmp_path):
    folder(tmp_path, {"class.rar": "Rar!", "cut.zip": b"PK\3\4 nothing", "empty/readme.txt": "", "empty/ann/a.pdf": ""})
    with pytest.raises(GradingError, match=naming(name, *words)):
        found(tmp_path / name)


def test_a_class_that_did_another_exercise_is_told_so_and_not_graded(tmp_path):
    functions = ["heuristic_1", "alpha_beta"]
    other = "def alpha_beta(board, depth, heuristic):\n    return 0"
    rows = list(found(folder(tmp_path, {"ann.py": other, "bo.py": other, "cy.py": "x = 1"})).values())
    rows.append(Submission("di", status="problem"))
    ann, _, cy, _ = without_other_exercises(rows, "heuristic_1", functions)
    assert ann.status == "problem" and cy.cells is not None
    assert ann.notes == ("You handed in the exercise `alpha_beta`, not `heuristic_1`.",)
    told = "This class handed in the exercise alpha_beta (2 of 3 submissions), not heuristic_1, so nothing was graded."
    with pytest.raises(GradingError, match=re.escape(f"{told} To grade it, add `--exercise alpha_beta`.") + "$"):
        without_other_exercises(
            [replace(cy, cells=("interface = 1",)), *rows[:2], rows[3]], "heuristic_1", [*functions, "interface"]
        )


# ---------------------------------------------------------------------------------------------- files that do harm


BOMB = {"heuristic_1.py": "x" * (30 << 20)}
HOSTILE = {
    "notebooks of blanks": {"work.zip": {f"a{n}.ipynb": b" " * (19 << 20) for n in sampled(range(40), 8)}},
    "fifty thousand files": {"work.zip": {f"{n}.txt": "" for n in range(50_001)}},
    "a zip that grows": {"work.zip": BOMB},
    "bzip2": lambda place: zipped(place / "work.zip", BOMB, packing=zipfile.ZIP_BZIP2),
    "lzma": lambda place: zipped(place / "work.zip", BOMB, packing=zipfile.ZIP_LZMA),
    "a wrong size": lambda place: (place / "work.zip").write_bytes(wrong_size()),
    "a zip in a zip that grows": {"work.zip": {"work.zip": BOMB}},
    "no zip": {"work.zip": b"PK\3\4" + bytes(100)},
    "deep brackets": {"heuristic_1.ipynb": b"[" * 1_000_000},
    "a long number": {"heuristic_1.ipynb": b'{"cells": ' + b"1" * 1_000_000 + b"}"},
    "surrogates": {"heuristic_1.ipynb": rb'{"cells": [{"cell_type": "code", "source": "\ud800"}]}'},
    "a cell that is not one": {"heuristic_1.ipynb": b'{"cells": [1, null, {"cell_type": "code"}]}'},
    "too large": {"heuristic_1.py": b"#" * (21 << 20)},
    "much code": {"heuristic_1.py": b"x = 1\n" * 100_000},
    "zeros": {"heuristic_1.py": bytes(1000)},
    "a link": lambda place: (place / "heuristic_1.py").symlink_to("/etc/hostname"),
    "an endless link": lambda place: (place / "work.zip").symlink_to("/dev/zero"),
    "a pipe": lambda place: os.mkfifo(place / "heuristic_1.py"),
}


def wrong_size():
    """A zip that understates how much is in it."""
    return content("work.zip", BOMB).replace((30 << 20).to_bytes(4, "little"), (1000).to_bytes(4, "little"))


def test_hostile_files_cost_only_their_own_row(tmp_path, apart):
    """They are among four good ones."""
    for n, name in enumerate(HOSTILE):
        place = tmp_path / f"{n:03} {name}"
        place.mkdir()
        made = HOSTILE[name]
        made(place) if callable(made) else folder(place, made)
    folder(tmp_path, {f"{n:03} good/heuristic_1.py": "right" for n in (0, 9, 15, 99)})
    rows = found(tmp_path)
    assert len(rows) == len(HOSTILE) + 4
    for name, one in rows.items():
        status = "submitted twice" if "blanks" in name else "problem"
        good = "good" in name
        assert (one.cells, one.status) == ((("right",), "") if good else (None, status)), name
        assert good or one.notes


def test_a_file_that_crashes_the_reader_costs_only_its_own_row(tmp_path, monkeypatch):
    """A reader that dies or hangs is started again after that row."""
    folder(tmp_path, {"ann.py": "a", "bo.py": "b", "cy.py": "c"})
    lines = collect._lines

    def dies_at_bo(order):
        for said in lines(order):
            if said.get("student") == "bo":
                return
            yield said

    monkeypatch.setattr(collect, "_lines", dies_at_bo)
    rows = found(tmp_path)
    assert rows["bo"].status == "problem" and rows["bo"].notes == (collect.GAVE_UP,)
    assert rows["ann"].cells == ("a",) and rows["cy"].cells == ("c",)


def test_the_reader_may_not_take_more_memory_than_it_is_given():
    """The limit is tried out: it might be set and have no effect."""
    code = "from exercises.grading.intake import reading as r; r.found = lambda **_: [bytearray(r.MEMORY)]; r._main()"
    done = subprocess.run([sys.executable, "-c", code, "{}"], capture_output=True, text=True)
    assert done.returncode == 1 and "MemoryError" in done.stderr


def test_a_folder_that_cannot_be_opened_has_a_row(tmp_path, monkeypatch):
    folder(tmp_path, {"ann/heuristic_1.py": "a", "shut/heuristic_1.py": "b"})
    names = Path.iterdir

    def refused(path):
        if path.name == "shut":
            raise PermissionError(13, "Permission denied")
        return names(path)

    monkeypatch.setattr(Path, "iterdir", refused)
    _, ann, shut = reading.found(str(tmp_path), "heuristic_1")
    assert shut["status"] == "problem" and "denied" in shut["notes"][0] and ann["cells"] == ("a",)


def test_names_that_point_outside_a_zip_or_take_long_to_parse_are_left_out_and_reported(tmp_path):
    names = ["../../escaped", "/escaped", "..\\..\\escaped", "ann/../../escaped"]
    names += ["_1" * 20_000, "a_LATE_" * 8_000, "-Copy1" * 9_000, "a (1)" * 9_000, "x-" * 9_000 + "9" * 9_000]
    files = FOLDERS | {f"{name}/heuristic_1.py": "bad" for name in names}
    submissions, (note,) = collected(zipped(tmp_path / "a.zip", files), "heuristic_1")
    assert {one.student for one in submissions} == {"ann", "Bo Ek"}
    assert re.search(naming("left out", "zip", "“/escaped/heuristic_1.py”", "and 4 more"), note)


def test_a_damaged_member_concerns_only_its_student(tmp_path):
    files = {"ann/heuristic_1.py": "whole", "eve/heuristic_1.py": "broken in the middle"}
    path = zipped(tmp_path / "a.zip", files, packing=zipfile.ZIP_STORED)
    path.write_bytes(path.read_bytes().replace(b"broken in the", b"xxxxxx in the"))
    rows = found(path)
    assert rows["ann"].cells == ("whole",) and rows["eve"].status == "problem"
