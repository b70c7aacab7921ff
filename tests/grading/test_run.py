"""Grading a class, from the files to the grades: the same in every shape, however often it is killed."""

import csv
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import zipfile
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
from approved import all_approved
from conftest import TIMEOUT, folder, naming
from page_words import shown
from submissions import sources

from exercises.grading import GradingError, run
from exercises.grading.isolation import sandbox
from exercises.grading.judging import judge
from exercises.grading.judging.key import Grade
from exercises.grading.results.grade_store import GradeStore
from exercises.grading.run import Options, closing_message, graded

pytestmark = pytest.mark.usefixtures("here")
LEVEL = sandbox.reached()
SAID = Path(__file__).with_name("said")
RIGHT, WRONG = sources("right")["four counters"], sources("wrong")
ODD = "def heuristic_1(board, player):\n    return sum(map(ord, ''.join(board))) % 7 * len(board.moves)\n"
STUDENTS = {
    "ann": RIGHT,
    "bo": RIGHT.replace("for line", "for row").replace("line.", "row."),
    "cy": ODD,
    "di": f"# mine\n{ODD}",
    "ed": WRONG["signs swapped"],
    "fay": WRONG["always seen from X"],
    "gus": "",
    "hal": "x = 1",
    "list": WRONG["parts returned instead of the value"],
    "markup": "def heuristic_1(board, player):\n    '<b>\u202e'\n    return 1 / len(board.moves)\n",
    "state": WRONG["state kept between calls"],
    "stops": "def heuristic_1(board, player):\n    return board.line\n",
    "text": WRONG["text returned"],
}
THREE = {name: STUDENTS[name] for name in ("ann", "ed", "hal")}  # right, wrong, a problem


def notebook(source):
    return json.dumps({"cells": [{"cell_type": "code", "source": source, "outputs": []}]})


SHAPES = {
    "plain": lambda n, name, source: (f"{name}/heuristic_1.ipynb", notebook(source)),
    "programs": lambda n, name, source: (f"{name}.py", source),
    "moodle": lambda n, name, source: (f"{name}_{n}_assignsubmission_file/heuristic_1.ipynb", notebook(source)),
    "canvas": lambda n, name, source: (f"{name}_{n}_9{n}_heuristic_1.ipynb", notebook(source)),
    "exercises": lambda n, name, source: (f"submitted/{name}/heuristic_1/heuristic_1.ipynb", notebook(source)),
}


def handed_in(place, shape="programs", students=STUDENTS):
    return folder(place, dict(SHAPES[shape](n, *student) for n, student in enumerate(students.items(), 100)))


def grade(source, out, **options):
    """Grade what was handed in; returns the folder of results."""
    graded(Options(source, out, isolation=LEVEL, **options))
    return out


def rows_of(path):
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def table(out):
    """The rows of grades.csv, by student."""
    return {row["student"]: row for row in rows_of(out / "grades.csv")}


def marks(out):
    return {name: (row["score"], row["status"], row["mistake"]) for name, row in table(out).items()}


TRACES = ["json", "random", "abc", "typing", "collections", "sitecustomize", "jinja2", "typer"]
TRACES += ["exercises/__init__", "ttt/__init__"]


@pytest.mark.parametrize("command", ["grade . --out {}", "tournament json.py random"])
def test_nothing_that_is_handed_in_is_imported_by_the_command_or_the_grader(command, tmp_path):
    """The folder of submissions is the current one, and each of them would leave a trace."""
    trace = tmp_path / "trace"
    leaving = f"if __name__ != '__main__':\n    open({str(trace)!r}, 'a').write(__name__)\n"
    place = folder(tmp_path / "in", {f"{name}.py": leaving for name in TRACES})
    words = [Path(sys.executable).with_name("ttt"), *command.format(tmp_path / "out").split()]
    words += ["--isolation", LEVEL]
    here = os.environ | {"PYTHONPATH": ""}  # stands for the current folder
    done = subprocess.run(words, cwd=place, env=here, capture_output=True, text=True, check=False)
    assert not trace.exists() and "Traceback" not in done.stderr
    assert (done.returncode == 0) == ("grade" in command)
    if "grade" in command:
        rows = table(tmp_path / "out")
        assert set(rows) == {name.removesuffix("/__init__") for name in TRACES}
        assert {(row["status"], row["score"]) for row in rows.values()} == {("problem", "")}


@pytest.fixture(scope="module")
def first(tmp_path_factory):
    """A class that was graded once: its submissions, the results, and what the command said at the end."""
    place = tmp_path_factory.mktemp("class")
    options = Options(handed_in(place / "in"), place / "out", isolation=LEVEL)
    return options.source, options.out, closing_message(options, *graded(options)).replace(str(place), "PLACE")


def test_a_class_gets_these_grades_and_pages(first):
    """Nothing that is handed in has an effect on a page, and nobody's page has a script."""
    _, out, told = first
    pages = {path.stem: path.read_text() for path in sorted((out / "feedback").iterdir())}
    assert not any("<script" in page or "\u202e" in page for page in pages.values())
    sheets = {}
    for name in ("grades.csv", "review.csv"):
        rows = [row | {"seconds": "", "isolation": ""} for row in rows_of(out / name)]
        sheets[name] = "\n".join(", ".join(f"{head} {text}" for head, text in row.items() if text) for row in rows)
    pages = {"class.html": (out / "class.html").read_text(), **pages}
    texts = {"the command": told, **sheets, **{name: shown(page) for name, page in pages.items()}}
    assert all_approved(SAID / "class.txt", texts)


@pytest.mark.parametrize("shape, workers", [("plain", 1), ("moodle", 16), ("canvas", None), ("exercises", None)])
def test_the_same_class_gets_the_same_grades_in_every_shape_from_any_number_of_workers(shape, workers, first, tmp_path):
    source = handed_in(tmp_path / "in", shape, THREE)
    if shape in ("moodle", "canvas"):
        source = Path(shutil.make_archive(source, "zip", source))
    out = grade(source, tmp_path / "out", workers=workers)
    assert marks(out) == of_three(first)
    assert (out / "feedback.zip").exists() == (shape in ("moodle", "canvas"))


def of_three(first):
    return {name: marks(first[1])[name] for name in THREE}


@pytest.fixture
def asked(monkeypatch):
    """Whose submissions are judged."""
    asked, judged = [], run.judged
    monkeypatch.setattr(run, "judged", lambda task: (asked.append(task.student), judged(task))[1])
    return asked


def test_a_later_run_judges_what_has_changed_and_keeps_what_a_person_has_entered(first, asked, tmp_path):
    source, out = handed_in(tmp_path / "in", students=THREE), tmp_path / "out"
    assert marks(grade(source, out)) == of_three(first) and sorted(asked) == sorted(THREE)
    asked.clear()
    form = (out / "review.csv").read_text().replace("ed,,,,,,", 'ed,,"2,5",,,,').replace("ann,,", "ann,,99")
    (out / "review.csv").write_text(form)
    (source / "hal.py").write_text(RIGHT)
    for regrade in (False, True):
        page = (grade(source, out, regrade=regrade) / "class.html").read_text()
        assert re.search("99.*ann", page) and sorted(asked) == (sorted(THREE) if regrade else ["hal"])
        asked.clear()
        rows = table(out)
        assert [row["score"] for row in rows.values()] == ["15", "11.5", "15"]
        assert (rows["ed"]["lines"], rows["ed"]["status"]) == ("2.5", "graded")


def test_a_grade_never_falls_when_the_same_work_is_graded_again(tmp_path):
    store = GradeStore(tmp_path, "heuristic_1")
    better, worse = Grade("ann", "right", points={"a": 15}), Grade("ann", "wrong", points={"a": 9})
    assert store.keep(worse, "digest") == worse and store.keep(better, "digest") == better
    assert store.keep(worse, "digest").score == 15 and store.kept("ann", "digest").score == 15
    store.keep(replace(better, reason="in other words"), "digest")
    assert store.kept("ann", "digest").reason == "in other words"
    assert store.keep(worse, "other work").score == 9


def test_a_folder_holds_the_grades_of_one_exercise(tmp_path):
    seed = GradeStore(tmp_path, "heuristic_1").seed
    assert GradeStore(tmp_path, "heuristic_1").seed == seed
    with pytest.raises(GradingError, match=naming("results of heuristic_1", "another folder for alpha_beta")):
        GradeStore(tmp_path, "alpha_beta")


def test_results_need_a_folder_of_their_own(tmp_path):
    source = handed_in(tmp_path / "in", students={"ann": RIGHT})
    with pytest.raises(GradingError, match=naming("--out", "folder of its own")):
        grade(source, source)
    (tmp_path / "out").touch()
    with pytest.raises(GradingError, match=naming("out", "not a directory", "choose another")):
        grade(source, tmp_path / "out")


def test_students_whose_names_differ_in_case_or_by_a_slash_have_grades_of_their_own(tmp_path):
    store, names = GradeStore(tmp_path, "heuristic_1"), ("ann", "Ann", "a/n", "..", "a" * 300, "\udcff")
    for points, name in enumerate(names):
        store.keep(Grade(name, "wrong", points={"a": points}), "digest")
    assert [store.kept(name, "digest").score for name in names] == [*range(len(names))]
    assert store.keep(Grade("Zoe\u0308", "wrong"), "digest") and store.kept("Zo\u00eb", "digest")
    files = [path.name.casefold() for path in (tmp_path / "kept").iterdir()]
    assert len({*files}) == len(files) == len(names) + 2


def test_damaged_grades_are_told_and_not_overwritten(tmp_path):
    store = GradeStore(tmp_path, "heuristic_1")
    store.keep(Grade("ann", "right"), "digest")
    [path] = [path for path in (tmp_path / "kept").iterdir() if path.name != "about.json"]
    path.write_text("{")
    with pytest.raises(GradingError, match=naming(path.name, "can't be read", "Remove it")):
        store.kept("ann", "digest")


def test_a_submission_on_which_the_grader_itself_fails_is_tried_again(first, monkeypatch, tmp_path):
    source = handed_in(tmp_path / "in", students=THREE)
    monkeypatch.setattr(run, "judged", lambda task: Grade(task.student, "problem", "failed", kept=False))
    assert {score for score, _, _ in marks(grade(source, tmp_path / "out")).values()} == {""}
    page = (tmp_path / "out/feedback/ann.html").read_text()
    assert "No points yet" in page and "Hand in again" not in page
    monkeypatch.undo()
    assert marks(grade(source, tmp_path / "out")) == of_three(first)


def kept(out):
    """How many grades are stored."""
    return len([*(out / "kept").glob("[!.]*.json")])


@pytest.mark.slow
def test_kills_lose_nothing(first, tmp_path):
    """The command is killed each time it has stored one more grade, until it reaches its end."""
    out = tmp_path / "out"
    kills = 0
    while True:
        before = kept(out)
        process = subprocess.Popen(command(first[0], out), stdout=subprocess.DEVNULL, start_new_session=True)
        while process.poll() is None and kept(out) <= before:
            with suppress(subprocess.TimeoutExpired):
                process.wait(0.05)
        if process.poll() is not None:
            break
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        kills += 1
        assert kept(out) > before
    assert process.returncode == 0 and kills >= 5
    assert marks(out) == marks(first[1])


SPENDS = """
from time import process_time

def spend(seconds):
    end = process_time() + seconds
    while process_time() < end:
        pass
"""


def slow(seconds, when):
    """A right function that computes for so long on some calls, on every machine."""
    return SPENDS + RIGHT.replace("    other =", f"    if {when}:\n        spend({seconds})\n    other =")


def test_who_is_too_slow_needs_a_person_and_holds_up_nobody(asked, tmp_path, monkeypatch):
    monkeypatch.setattr(judge, "FUNCTION", replace(judge.FUNCTION, total=2))
    students = {"ann": slow(0.1, "len(board.moves) == 9"), "cy": slow(0.01, "True"), "di": RIGHT}
    out = grade(handed_in(tmp_path / "in", students=students), tmp_path / "out", workers=3)
    rows = table(out)
    assert [row["status"] for row in rows.values()] == ["right", "needs a person", "right"]
    told = (
        r"Your function is slow: in 2 seconds of computing it answered [\d,]+ of the 11,166 calls, all of them right."
    )
    assert re.fullmatch(rf"{told} Your instructor will read it and give the points\.", rows["cy"]["reason"])
    assert sorted(asked) == sorted(students)
    asked.clear()
    assert table(grade(tmp_path / "in", out)) == rows and not asked


def test_a_file_whose_name_is_not_text_stops_nobody(tmp_path):
    for name in (b"ann_7_71_heuristic_1.py", b"lee\xff_8_72_heuristic_1.py", b"bo_9_73_heuri\xffstic_1.py"):
        (tmp_path / "in").mkdir(exist_ok=True)
        (tmp_path / "in" / os.fsdecode(name)).write_text(RIGHT)
    out = grade(tmp_path / "in", tmp_path / "out")
    assert [row["score"] for row in table(out).values()] == ["15"] * 3 and (out / "class.html").exists()
    with zipfile.ZipFile(out / "feedback.zip") as archive:
        assert len(archive.namelist()) == 3


def test_no_two_submissions_share_a_core(monkeypatch):
    monkeypatch.setattr(run.psutil, "cpu_count", lambda logical: 4)
    monkeypatch.setattr(run.os, "sched_getaffinity", lambda _: set(range(8)), raising=False)
    assert run.cores() == 4
    monkeypatch.setattr(run.os, "sched_getaffinity", lambda _: {0, 1, 2}, raising=False)
    assert run.cores() == 3


def test_the_closing_message_says_this_and_nothing_else(tmp_path):
    statuses = ("right", "wrong", "wrong", "graded", "needs a person", "problem", "submitted twice", "not started")
    grades = [*map(Grade, "hgfedcba", statuses), *(Grade(f"Student {n}", "missing") for n in (10, 9, 8, 7, 6, 5))]
    names = {"canvas": Path("c.csv"), "moodle": Path("m.csv")}
    message = f"""    1 right
    2 wrong
    1 graded
    1 needs a person
    1 not started
    1 problem
    1 submitted twice
    6 missing
Needs a person: d.
Problem: c.
Submitted twice: b.
Not started: a.
Missing: Student 5, Student 6, Student 7, Student 8, Student 9, Student 10.
One note.
And another.
Everything is in {tmp_path}. Start with {tmp_path}/class.html and {tmp_path}/grades.csv."""
    for given in ({}, names, {"moodle": Path("m.csv")}):
        told = closing_message(Options(tmp_path, tmp_path, **given), grades, ["One note.", "And another."])
        uploads = " and ".join(str(tmp_path / f"{name}.csv") for name in given)
        assert told == message + (f" For the platform: {uploads}." if given else "")
    (tmp_path / "feedback.zip").touch()
    told = closing_message(Options(tmp_path, tmp_path), grades[:1], [])
    assert told.endswith(f" For the platform: {tmp_path / 'feedback.zip'}.")


def test_what_is_not_graded_and_a_sheet_of_an_earlier_run_are_told(tmp_path):
    names = (
        "ann/heuristic_1",
        "ann/heuristic_1-Copy1",
        "ann/heuristic_1 - Copy",
        "bo/heuristic_1",
        "cy/h",
        "cy/h-Copy1",
    )
    source, out = folder(tmp_path / "in", {f"{name}.py": "x = 1" for name in names}), tmp_path / "out"
    out.mkdir()
    (out / "moodle.csv").touch()
    _, notes = graded(Options(source, out, isolation=LEVEL))
    assert notes == [
        "Several files: ann (“heuristic_1.py” was graded, not “heuristic_1 - Copy.py”, “heuristic_1-Copy1.py”); "
        "cy (“h.py” was graded, not “h-Copy1.py”).",
        f"{out / 'moodle.csv'} is from an earlier run. To fill it in again, add `--moodle`.",
    ]
    reason = "Graded: “h.py”. Also handed in: “h-Copy1.py”. Your program does not define `heuristic_1`."
    assert table(out)["cy"]["reason"] == reason


def command(source, out, *more):
    return [sys.executable, "-m", "lab.grader", "grade", str(source), "--out", str(out), "--isolation", LEVEL, *more]


@pytest.mark.skipif(os.name != "posix", reason="Windows has no exec")
def test_a_command_that_is_killed_leaves_no_grader_behind(tmp_path):
    students = {f"Student {n}": f"while True:\n    {n}\n" for n in range(4)}
    source = handed_in(tmp_path / "in", students=students)
    process = subprocess.Popen(command(source, tmp_path / "out"), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    while not (inside := sandboxes(process)):
        assert process.poll() is None
    process.kill()
    assert process.communicate()[0] == b""  # comes back when nobody holds the pipe any more
    _, alive = psutil.wait_procs(inside, TIMEOUT / 1000)
    assert not alive


def sandboxes(process):
    """The sandboxed processes that a command has started."""
    with suppress(psutil.Error):
        children = psutil.Process(process.pid).children(recursive=True)
        return [child for child in children if "inside.py" in " ".join(child.cmdline())]
    return []
