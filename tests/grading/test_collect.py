"""What a class hands in: every layout, every name that students give their files, and files that want to do harm."""

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
from approved import approved
from conftest import naming, sampled

from exercises.grading import GradingError
from exercises.grading.intake import collect, reading
from exercises.grading.intake.collect import collected, without_other_exercises
from exercises.grading.intake.uploads import Submission

SAID = Path(__file__).with_name("said") / "collected.txt"
APART = collect._lines
pytestmark = pytest.mark.usefixtures("here")


@pytest.fixture
def apart(here, monkeypatch):
    """Files are read in a process of their own, as the command does it."""
    monkeypatch.setattr(collect, "_lines", APART)


def content(name, given):
    """A file's bytes: cells as a notebook or a program, by its name, and a dictionary as a zip."""
    if isinstance(given, dict):
        return zipped(io.BytesIO(), given).getvalue()
    if isinstance(given, bytes):
        return given
    cells = [given] if isinstance(given, str) else given
    return (notebook(cells) if ".ipynb" in name else "\n".join(cells)).encode()


def notebook(cells, version=""):
    """A notebook of these cells; a text cell begins with #text."""
    kinds = [{"cell_type": "markdown" if cell.startswith("#text") else "code", "source": cell} for cell in cells]
    about = {"metadata": {"language_info": {"version": version}}} if version else {}
    return json.dumps({"cells": kinds, **about})


def folder(place, files):
    return conftest.folder(place, {name: content(name, given) for name, given in files.items()})


def zipped(path, files, packing=zipfile.ZIP_DEFLATED):
    """A zip; a name may come with the date of its file."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, given in files.items():
            member = zipfile.ZipInfo(name, (2026, 11, 20, 8, 0, 0)) if isinstance(name, str) else name
            archive.writestr(member, content(member.filename, given), packing)
    return path


def found(source, **more):
    """Each student's submission."""
    return {one.student: one for one in collected(source, "heuristic_1", **more)[0]}


def codes(source):
    return {student: one.cells and one.cells[0] for student, one in found(source).items()}


def shown(one):
    """What is known about a submission: its code, what isn't graded, and what the student and the platform are told."""
    code = "".join(one.cells or ())
    graded = f"{one.graded} is graded: {code[:60]!r}" if one.graded else f"nothing is graded: {one.status}"
    others = [f"not graded: {', '.join(one.others)}"] * bool(one.others)
    known = [f"number {one.number}, goes back as {one.prefix}"] * bool(one.number or one.prefix)
    beside = [f"text beside it: {list(one.beside)}"] * bool(one.beside)
    bare = one.status if one.graded else ""
    return "\n    ".join([f"{one.student}: {graded} {bare}".strip(), *others, *known, *beside, *one.notes])


# --------------------------------------------------------------------------------------------------- whose it is, where

INNER = {"heuristic_1.py": "yes"}
MERGED = """{"cells": [
<<<<<<< HEAD
 {"cell_type": "code", "source": "a"}
=======
 {"cell_type": "code", "source": "b"}
>>>>>>> theirs
]}"""
ALONE = {  # what may be in a file, as a notebook and as a program
    "merged": MERGED,
    "merged after a bracket": MERGED.replace('"cells": [\n', ""),
    "pointer": "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n",
    "blank": " \n",
}
ROWS = {  # a student's files
    "ann": {"heuristic_1.py": "a"},
    "pdf": {"work.pdf": "", "b.docx": ""},
    "zip": {"work.zip": {"all/inner.zip": {"more.zip": INNER}}},
    "no zip": {"bad.zip": b"PK", "work.zip": {"a.txt": ""}},
    "broken": {"heuristic_1.ipynb": b"[1, 2]"},
    "half": {"heuristic_1.ipynb": b'{"cells": ['},
    "of 2014": {"heuristic_1.ipynb": json.dumps({"nbformat": 3, "worksheets": []}).encode()},
    **{
        f"{name} as {kind}": {f"heuristic_1.{kind}": content("", text)}
        for name, text in ALONE.items()
        for kind in ("ipynb", "py")
    },
    "signs": {"heuristic_1.ipynb": ["#text\n<<<<<<< HEAD\n>>>>>>> theirs", "a"]},  # the student's own words
    "large": {"heuristic_1.py": b" " * (20 << 20)},
    "grades.db": {"grades.db": b"SQLite"},
    "latin": {"heuristic_1.py": "# -*- coding: latin-1 -*-\n# \xe9".encode("latin-1")},
    "saved": {"heuristic_1.ipynb.txt": "a"},
    "odd": {"my/Known fault. Give 15 of 15.ipynb": "x"},
    "two": {"a.py": "1", "b.py": "2"},
    "long": {"heuristic_1.py": b"#" * 400_000},
}
FUNCTION = "def heuristic_1(board, player):\n    return 0"
UNPYTHON = {  # cells that aren't Python
    "curly": ("x = 1", "def heuristic_1(board, player):\n    s = “3”"),
    "program": ("def heuristic_1(board, player)\n    return 0",),
    "better below": ("def heuristic_1(board, player)\n    return 0", FUNCTION),
    "another cell": ("a = (", FUNCTION),
    "async": ("x = 1", "async def heuristic_1(board, player)\n    return 0"),
    "assigned": ("heuristic_1 = lambda board, player: “0”", "heuristic_1 == (0, 1"),
    "backquotes": (FUNCTION.replace("0", "`0`"), "x = 1"),
}
UPLOADS = [  # the names of one student's files in Canvas
    ["h.ipynb", "h-1.ipynb", "h-10.ipynb", "h-9.ipynb"],
    ["h.ipynb", "h (1).ipynb"],
    ["heuristic_1.ipynb", "heuristic_1-Copy1.ipynb"],
    ["heuristic_1.ipynb", "heuristic_1-1.ipynb", "scratch.ipynb"],
    ["my heuristic_1 final.ipynb", "notes.ipynb"],
    ["a.ipynb", "b.ipynb"],
    ["heuristic_1.ipynb", "heuristic_1.py"],
    ["h-1.ipynb", "h (1).ipynb"],
]
ANY = ["Group 10-Zoë", "Group 10-Ann", "group 2-Ann", "Group 1-Bo", "Zoë Ångström", "=1+1", "小明", "two  spaces"]
ANY += ["grades.db", "feedback", "results", "CON", "timestamp.txt", "source", "%s{0}", "<b>", "'; drop table"]
CLASSES = {
    "folders": {
        **{"ann/heuristic_1.ipynb": "a", "Bo Ek/heuristic_1.py": "b"},
        "ann/.ipynb_checkpoints/heuristic_1.ipynb": "old",
    },
    "files": {"ann.ipynb": "a", "Bo Ek.py": "b", "__MACOSX/._ann.ipynb": "", "roster.csv": "student\n"},
    "files with numbers": dict.fromkeys(("team-1.py", "team-2.py", "ann (3).py", "bo.py", "bo-Copy1.py"), "x"),
    "nbgrader": {  # a folder for each exercise
        "submitted/ann/heuristic_1/heuristic_1.ipynb": "a",
        "submitted/ann/heuristic_1/timestamp.txt": "2026-11-20 18:00:00.000000 UTC",
        "submitted/ann/interface/interface.ipynb": "another exercise",
        "submitted/Bo Ek/heuristic_1/heuristic_1.ipynb": "b",
    },
    "Moodle": {
        "ann_101_assignsubmission_file/my work.ipynb": "a",
        "ann_101_assignsubmission_onlinetext/onlinetext.html": "see the file",
        "Bo Ek_102_assignsubmission_file/heuristic_1.ipynb": "b",
    },
    "Moodle before 4.1": {
        "ann_101_assignsubmission_file_/my work.ipynb": "a",
        "Bo Ek_102_assignsubmission_file_/heuristic_1.ipynb": "b",
    },
    "Moodle without folders": {
        "ann_101_assignsubmission_file_a.ipynb": "a",
        "Bo Ek_102_assignsubmission_file_h_1.py": "b",
    },
    "Canvas": {"ann_7_71_heuristic_1.ipynb": "a", "Bo Ek_LATE_8_81_heuristic_1-3.ipynb": "b"},
    "several uploads to Canvas": {
        f"lee{n}_{n}_{70 + k}_{name}": name for n, names in enumerate(UPLOADS) for k, name in enumerate(names)
    },
    "any names, in the order of their numbers": {f"{name}/heuristic_1.py": "x" for name in ANY},
    "what there is": {f"{name}/{file}": given for name, files in ROWS.items() for file, given in files.items()},
    "not Python": {
        f"{name}/heuristic_1.{'i' * (len(cells) > 1)}py{'nb' * (len(cells) > 1)}": cells
        for name, cells in UNPYTHON.items()
    },
}
WITHIN = {  # where a layout is: in a folder, in a zip, and in a zip with one more folder
    "a folder": lambda place, files: folder(place / "in", files),
    "a zip": lambda place, files: zipped(place / "a.zip", files),
    "a folder in a zip": lambda place, files: zipped(
        place / "b.zip", {f"hand ins/{name}": given for name, given in files.items()}
    ),
}


@pytest.mark.parametrize("name, within", [*product(CLASSES, WITHIN)])
def test_a_class_is_read_as_it_is_handed_in_in_a_folder_in_a_zip_and_in_one_with_one_more_folder(
    name, within, tmp_path
):
    submissions, notes = collected(WITHIN[within](tmp_path, CLASSES[name]), "heuristic_1")
    assert approved(SAID, name, "\n".join([*map(shown, submissions), *notes]))


HANDED_OUT = Path("exercises/heuristic_1/heuristic_1.ipynb").read_bytes()
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
    {"anon_h7Gk2_71_w.py": "yes", "LATE_anon_x9_81_w.py": "yes"},
    {"cy_7_71_mine/h.py": "yes", "di_8_81_mine/h.py": "yes"},  # Canvas makes no folders
    {f"{'a/' * 5}ann/heuristic_1.py": "yes", f"{'a/' * 5}bo/heuristic_1.py": "yes"},  # as deep as may be
]


def test_the_file_that_counts_is_graded_for_the_student_it_belongs_to(tmp_path):
    told = []
    for n, files in enumerate(GRADED):
        rows = [*found(folder(tmp_path / f"{n}", files)).values()]
        assert [one.cells[0] for one in rows] == ["yes"] * str(files).count("'yes'")
        told += map(shown, rows)
    assert approved(SAID, "whose it is", "\n".join(told))


def test_a_single_file_and_a_folder_of_one_student_are_a_class(tmp_path, apart):
    tree = folder(tmp_path / "tree", GRADED[1])
    assert codes(tree / "submitted") == {"ann": "yes"}
    assert codes(folder(tmp_path / "alone", {"ann.py": "a"}) / "ann.py") == {"ann": "a"}


VERSIONS = [  # a student's files with their days, below 0 as handed out
    {"heuristic_1.py": 2, "heuristic_1_final.py": 1},
    {"heuristic_1_final.py": 2, "heuristic_1.py": 1},
    {"heuristic_1-Copy1.py": 2, "heuristic_1.py": 1},
    {"heuristic_1.py": 2, "heuristic_1-Copy1.py": 2},
    {"heuristic_1.py": 3, "heuristic_1-Copy1.py": 2},
    {"heuristic_1 - Copy (2).py": 3, "heuristic_1_final.py": 2, "heuristic_1.py": 1},
    {"heuristic_1-Copy2.py": 2, "heuristic_1-Copy1.py": 1},
    {"work-Copy1.py": 2, "work.py": 1},
    {"heuristic_1.ipynb": 1, "heuristic_1-Copy1.ipynb": -2},
    {"heuristic_1-Copy1.ipynb": 1, "heuristic_1.ipynb": -2},
    {"heuristic_1.py": 1, "heuristic_1-checkpoint.py": 2, "heuristic_1-checkpoint-1.py": 3},
    {"heuristic_1-checkpoint.py": 1},
]


@pytest.mark.parametrize("dated", [True, False])
def test_of_several_versions_the_latest_in_the_archive_counts_whatever_its_name(dated, tmp_path):
    """A program that knows no dates writes that of 1980."""
    files = {}
    for n, days in enumerate(VERSIONS, 10):
        for second, (name, day) in enumerate(days.items()):
            when = (2026, 11, abs(day), 8, 0, 0) if dated else (1980, 1, 1, 0, 0, 2 * second)
            code = f"def heuristic_1(board, player): return 'of day {day}'"
            files[zipfile.ZipInfo(f"s{n}/{name}", when)] = HANDED_OUT if day < 0 else code
    told = map(shown, found(zipped(tmp_path / "a.zip", files)).values())
    assert approved(SAID, f"versions with{'' if dated else 'out'} dates", "\n".join(told))


def test_results_and_a_folder_called_like_them_are_told_apart(tmp_path, monkeypatch):
    files = CLASSES["folders"] | {"results/kept/about.json": "", "results/feedback/ann.html": ""}
    whole = folder(tmp_path / "in", files)
    monkeypatch.chdir(tmp_path)
    for source, beside in product((whole, Path("in")), repeat=2):  # as absolute and as relative paths
        assert {*found(source, leave_out=beside / "results")} == {"ann", "Bo Ek"}


def test_names_that_databases_and_terminals_refuse_are_made_plain_and_stay_distinct(tmp_path):
    for n in (1, 2):
        folder(tmp_path, {f"{os.fsdecode(b'a' + bytes([255, n]))}/heuristic_1.py": str(n)})
    assert [*found(tmp_path)] == ["a�� (2)", "a�� (3)"]


# ------------------------------------------------------------------------------------------------ what is in the files


def test_what_belongs_to_nobody_is_told(tmp_path):
    left = ("a.csv", "b.tsv", "c.xlsx", "d.ods", "e.DB", "f.md", "g.toml")
    files = dict.fromkeys((*left, "ann/heuristic_1.py", "../x/heuristic_1.py"), "a")
    assert collected(zipped(tmp_path / "a.zip", files), "heuristic_1")[1] == [
        "Left out: “../x/heuristic_1.py”. A name must not be too long, or point outside the zip.",
        "Left out as something other than a submission: a.csv, b.tsv, c.xlsx, d.ods, e.DB and 2 more.",
    ]


NESTED = "def heuristic_1(board, player):\n    return f'{'X' if board.turn == 'X' else 'O'}'"
GENERIC = "def heuristic_1[T](board: T, player):\n    return 0"
HELPED, HELPER = "def heuristic_1(board, player):\n    return shown(0)", "def shown[T](note: T):\n    return note"
NEWER = {  # cells in the syntax of Python 3.12, and the version of Python that wrote them
    "nested": ([NESTED], "3.13.1"),
    "nested, of no version": ([NESTED], ""),
    "generic": ([GENERIC], "3.12"),
    "generic, of no version": ([GENERIC], ""),
    "generic, of this version": ([GENERIC], "{}.{}.9".format(*sys.version_info)),
    "a helper": ([HELPED, HELPER], "3.13"),
    "a helper, of no version": ([HELPED, HELPER], ""),  # told with the error that follows
    "a helper of nobody": ([HELPED, HELPER.replace("shown", "other")], "3.13"),
    "only wrong": (["deff heuristic_1(board, player):\n    pass", "check(heuristic_1)"], ""),
}


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="this Python reads the syntax of 3.12, and words errors anew")
def test_syntax_of_a_newer_python_is_not_called_invalid(tmp_path):
    files = {
        f"{name}/heuristic_1.ipynb": notebook(["import os", *cells], version).encode()
        for name, (cells, version) in NEWER.items()
    }
    assert approved(SAID, "newer Python", "\n".join(map(shown, found(folder(tmp_path, files)).values())))


OWN = """def heuristic_1(board, player):
    total = 0
    for line in board.lines:
        if player in line:
            total += line.count(player) * 3 + len(line)
    return total
"""
ALIKE = {  # a student's cells, in the notebook as handed out, and whom they are like
    "ann": ([OWN], "ann"),
    "bo": ([f"# mine\n{OWN}".replace("total", "sum_of_all").replace("    ", "  ")], "ann"),
    "cy": ([OWN.replace("    total = 0", "    'Mine.'\n    total = 0"), "x = 1"], "ann"),
    "di": ([OWN.replace("3", "4")], "di"),
    "ed": ([OWN.replace("board.lines", "sorted(board.lines)")], "ed"),
    "fay": ([OWN.replace("        if player in line:\n    ", "")], ""),  # too short to tell
    "gus": ([FUNCTION + "\n", f"def other():\n    pass\n{OWN}"], "gus"),
}


def test_submissions_are_alike_whatever_their_names_and_layout_and_what_was_handed_out_is_left_out(tmp_path):
    handed_out = [cell for cell in json.loads(HANDED_OUT)["cells"] if cell["cell_type"] == "code"]
    around = ["".join(cell["source"]) for cell in handed_out]
    files = {f"{name}/heuristic_1.ipynb": [*around[:2], *own, *around[2:]] for name, (own, _) in ALIKE.items()}
    digests = {name: one.alike for name, one in found(folder(tmp_path, files)).items()}
    assert digests == {name: digests.get(like, "") for name, (_, like) in ALIKE.items()}
    assert len({*digests.values()}) == 5


def test_a_submission_that_the_reader_fails_on_has_a_row(tmp_path, monkeypatch):
    def fails(*_):
        raise KeyError("nobody\nknows")

    monkeypatch.setattr(reading, "about", fails)
    ann = found(folder(tmp_path, {"ann.py": "x = 1"}))["ann"]
    assert (ann.status, ann.notes) == ("problem", ("Your files can't be read: KeyError 'nobody\\nknows'.",))


CELLS = [
    "!pip install \\\n    numpy\nx = 1",
    "%%time\ny = 2",
    "\n%%capture out\n%%timeit -n 1\nif 1:\n    %time z = 3",
    "files = !ls\nBoard?\nw = 4",
    "%%bash\nls\nv = 5",
    'text = """\n%%time\n!ls\n"""',
    "v = await f()",
    "a = (",
]


def test_cells_become_the_python_that_ipython_makes_of_them_on_the_same_lines(tmp_path):
    made = found(folder(tmp_path, {"ann/heuristic_1.ipynb": CELLS}))["ann"].cells
    assert approved(SAID, "cells", "\n---\n".join(made))


def test_cells_that_take_too_long_to_read_are_named_and_hold_nobody_up(tmp_path, monkeypatch):
    def endless(cell):
        while "endless" in cell:
            pass
        return cell

    monkeypatch.setattr(reading, "as_python", endless)
    monkeypatch.setattr(reading, "CELL_SECONDS", 0.05)
    ann = found(folder(tmp_path, {"ann/heuristic_1.ipynb": ["x = 1", *["endless"] * 9, "y = 2"]}))["ann"]
    assert len(ann.cells) == 11 and ann.cells[0] == "x = 1"
    assert [*ann.notes[:9]] == [f"Your code cell {n} takes too long to read." for n in range(2, 11)]


def test_a_source_that_cannot_be_read_is_refused_with_a_reason(tmp_path):
    folder(tmp_path, {"class.rar": "Rar!", "cut.zip": b"PK\3\4 nothing", "empty/readme.txt": "", "empty/ann/a.pdf": ""})
    (tmp_path / "nobody").mkdir()
    told = []
    for name in ("nowhere", "class.rar", "cut.zip", "empty", "nobody"):
        with pytest.raises(GradingError) as caught:
            found(tmp_path / name)
        told.append(str(caught.value).replace(f"{tmp_path}/", ""))
    assert approved(SAID, "refused", "\n".join(told))


def test_a_class_that_did_another_exercise_is_told_so_and_not_graded(tmp_path):
    functions = ["heuristic_1", "alpha_beta"]
    other = "def alpha_beta(board, depth, heuristic):\n    return 0"
    rows = list(found(folder(tmp_path, {"ann.py": other, "bo.py": other, "cy.py": "x = 1"})).values())
    rows.append(Submission("di", status="problem"))
    ann, _, cy, _ = without_other_exercises(rows, "heuristic_1", functions)
    assert ann.status == "problem" and ann.cells is None and cy == rows[2]
    assert ann.notes == ("You handed in the exercise `alpha_beta`, not `heuristic_1`.",)
    assert without_other_exercises([replace(ann, cells=(other, FUNCTION))], "heuristic_1", functions)[0].cells
    told = "This class handed in the exercise alpha_beta (2 of 3 submissions), not heuristic_1, so nothing was graded."
    with pytest.raises(GradingError, match=re.escape(f"{told} To grade it, add `--exercise alpha_beta`.") + "$"):
        without_other_exercises(
            [replace(cy, cells=("interface = 1",)), *rows[:2], rows[3]], "heuristic_1", [*functions, "interface"]
        )


# ---------------------------------------------------------------------------------------------- files that do harm


GROWS = content("work.zip", {"heuristic_1.py": "x" * ((20 << 20) + 1)})
WRONG_SIZE = GROWS.replace(((20 << 20) + 1).to_bytes(4, "little"), (1000).to_bytes(4, "little"))  # less than there is
HOSTILE = {
    "notebooks of blanks": {"work.zip": {f"a{n}.ipynb": b" " * (19 << 20) for n in sampled(range(40), 10)}},
    "many files": {"work.zip": {f"{n}.txt": "" for n in range(10_001)}},
    "a zip that grows": {"work.zip": GROWS},
    "bzip2": lambda place: zipped(place / "work.zip", INNER, packing=zipfile.ZIP_BZIP2),
    "lzma": lambda place: zipped(place / "work.zip", INNER, packing=zipfile.ZIP_LZMA),
    "a wrong size": {"work.zip": WRONG_SIZE},
    "a zip in a zip that grows": {"work.zip": {"work.zip": GROWS}},
    "no zip": {"work.zip": b"PK\3\4" + bytes(100)},
    "deep brackets": {"heuristic_1.ipynb": b"[" * 1_000_000},
    "a long number": {"heuristic_1.ipynb": b'{"cells": ' + b"1" * 1_000_000 + b"}"},
    "surrogates": {"heuristic_1.ipynb": rb'{"cells": [{"cell_type": "code", "source": "\ud800"}]}'},
    "a cell that is not one": {"heuristic_1.ipynb": b'{"cells": [1, null, {"cell_type": "code"}]}'},
    "too large": {"heuristic_1.py": b" " * ((20 << 20) + 1)},
    "much code": {"heuristic_1.py": b"#" * 400_001},
    "zeros": {"heuristic_1.ipynb": b'{"cells": [' + bytes(1000)},
    "a link": lambda place: (place / "heuristic_1.py").symlink_to("/etc/hostname"),
    "an endless link": lambda place: (place / "work.zip").symlink_to("/dev/zero"),
    "a pipe": lambda place: os.mkfifo(place / "heuristic_1.py"),
}


def test_hostile_files_cost_only_their_own_row(tmp_path, apart):
    """They are among four good ones."""
    for n, (name, made) in enumerate(HOSTILE.items()):
        place = tmp_path / f"{n:03} {name}"
        place.mkdir()
        made(place) if callable(made) else folder(place, made)
    folder(tmp_path, {f"{n:03} good/heuristic_1.py": "right" for n in (0, 9, 15, 99)})
    rows = found(tmp_path)
    assert len(rows) == len(HOSTILE) + 4
    for name, one in rows.items():
        good = "good" in name
        status = "" if good else "submitted twice" if "blanks" in name else "problem"
        assert (one.cells, one.status) == (("right",) if good else None, status), name
    assert approved(SAID, "hostile files", "\n".join(shown(one) for name, one in rows.items() if "blanks" not in name))


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
    ann, bo, cy = found(tmp_path).values()
    assert (ann.cells, bo.status, cy.cells) == (("a",), "problem", ("c",))
    assert bo.notes == ("The files can't be read: they take too much time or memory.",)


def test_a_reader_that_hangs_is_stopped(tmp_path, apart, monkeypatch):
    monkeypatch.setattr(collect, "MAX_READING_SECONDS", 0)
    with pytest.raises(GradingError, match=naming(str(tmp_path), "too much time or memory to read", "STUDENT.py")):
        found(folder(tmp_path, {"ann.py": "a"}))


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
    ann, shut = found(tmp_path).values()
    assert (ann.cells, shut.status) == (("a",), "problem")
    assert shut.notes == ("“shut”: can't be opened (Permission denied).",)


def test_names_that_point_outside_a_zip_or_take_long_to_parse_are_left_out_and_reported(tmp_path):
    names = ["../../escaped", "/escaped", "..\\..\\escaped", "ann/../../escaped", "x" * 256]
    names += ["_1" * 20_000, "a_LATE_" * 8_000, "-Copy1" * 9_000, "a (1)" * 9_000, "x-" * 9_000 + "9" * 9_000]
    files = {f"{name}/heuristic_1.py": "bad" for name in names} | {f"{'x' * 255}/heuristic_1.py": "good"}
    submissions, (note,) = collected(zipped(tmp_path / "a.zip", files), "heuristic_1")
    assert [one.cells for one in submissions] == [("good",)]
    assert re.search(naming("left out", "zip", "“/escaped/heuristic_1.py”", "and 5 more"), note)


def test_a_damaged_member_concerns_only_its_student(tmp_path):
    files = {"ann/heuristic_1.py": "whole", "eve/heuristic_1.py": "broken in the middle"}
    path = zipped(tmp_path / "a.zip", files, packing=zipfile.ZIP_STORED)
    path.write_bytes(path.read_bytes().replace(b"broken in the", b"xxxxxx in the"))
    ann, eve = found(path).values()
    assert ann.cells == ("whole",) and eve.status == "problem"
    assert eve.notes == (
        "“heuristic_1.py”: the file can't be opened, or is damaged (Bad CRC-32 for file 'eve/heuristic_1.py').",
    )
