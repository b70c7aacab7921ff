"""Grading a class, from the files to the grades: the same in every shape, however often it is killed."""

import csv
import json
import os
import re
import subprocess
import sys
import threading
import time
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
from exercises.grading.judging.key import Grade, full_points
from exercises.grading.results.grade_store import GradeStore
from exercises.grading.run import LAST, Options, closing_message, graded

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
    "markup": "def heuristic_1(board, player):\n    '<b>\u202e'\n    return 1 / len(board.moves)\n",
    "state": WRONG["state kept between calls"],
    "stops": "def heuristic_1(board, player):\n    return board.line\n",
}


def handed_in(place, students=STUDENTS):
    return folder(place, {f"{name}.py": source for name, source in students.items()})


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


TRACES = ["json", "random", "abc", "typing", "collections", "sitecustomize", "jinja2", "typer"]
TRACES += ["exercises/__init__", "ttt/__init__"]


@pytest.mark.parametrize("command", ["grade . --out {}", "tournament json.py random"])
def test_nothing_that_is_handed_in_is_imported_by_the_command_or_the_grader(command, tmp_path):
    """The folder of submissions is the current one, and each of them would leave a trace."""
    trace = tmp_path / "trace"
    leaving = f"if __name__ != '__main__':\n    open({str(trace)!r}, 'a').write(__name__)\n"
    files = {f"{name}.{kind}": leaving for name in TRACES for kind in ("py", "ipynb")}
    words = [Path(sys.executable).with_name("ttt"), *command.format(tmp_path / "out").split(), "--isolation", LEVEL]
    here = os.environ | {"PYTHONPATH": ""}  # stands for the current folder
    place = folder(tmp_path / "in", files)
    done = subprocess.run(words, cwd=place, env=here, capture_output=True, text=True, check=False)
    assert not trace.exists() and "Traceback" not in done.stderr
    assert (done.returncode == 0) == ("grade" in command)
    if "grade" in command:
        given = {name: row["status"] for name, row in table(tmp_path / "out").items()}
        assert given == {name.removesuffix("/__init__"): "submitted twice" for name in TRACES}


def results(out, told):
    """All that is in a folder of results, as texts, but for the pages; and what the command said."""
    texts = {"the command": told.replace(str(out.parent), "PLACE")}
    for name in ("grades.csv", "review.csv"):
        rows = []
        for row in rows_of(out / name):
            if row.get("isolation"):
                assert float(row["seconds"]) > 0 and row["isolation"] == LEVEL
            rows.append(", ".join(f"{head} {text}" for head, text in row.items() if text and head not in LAST[4:]))
        texts[name] = "\n".join([*rows, "columns: " + ", ".join(row)])
    for name in ("canvas.csv", "moodle.csv"):
        if (out / name).exists():
            texts[name] = (out / name).read_text()
    if (out / "feedback.zip").exists():
        texts["feedback.zip"] = "\n".join(zipfile.ZipFile(out / "feedback.zip").namelist())
    return texts | {"class.html": shown((out / "class.html").read_text()).replace(str(out.parent), "PLACE")}


@pytest.fixture(scope="module")
def first(tmp_path_factory):
    """A class that was graded once: its submissions, the results, and what the command said at the end."""
    place = tmp_path_factory.mktemp("class")
    options = Options(handed_in(place / "in"), place / "out", isolation=LEVEL)
    return options.source, options.out, closing_message(options, *graded(options))


def test_a_class_gets_these_grades_and_pages(first):
    """Nothing that is handed in has an effect on a page, and nobody's page has a script."""
    _, out, told = first
    pages = {path.stem: path.read_text() for path in sorted((out / "feedback").iterdir())}
    assert not any("<script" in page or "\u202e" in page for page in pages.values())
    texts = results(out, told) | {name: shown(page) for name, page in pages.items()}
    assert all_approved(SAID / "class.txt", texts)


FULL = full_points("heuristic_1")


@pytest.fixture
def asked(monkeypatch):
    """Whose submissions are judged, by a judge that believes what a file says it gets."""
    asked = []

    def judged(task):
        asked.append(task.student)
        status, points = task.cells[0].removeprefix("# ").rsplit(" ", 1)
        if status == "failed":
            return Grade(task.student, "problem", "The grader itself failed.", kept=False)
        points = FULL | {"counts": None if points == "?" else float(points)}
        mistake, reason = "weights swapped" * (status == "wrong"), f"{task.exercise}; beside it: {list(task.beside)}."
        return Grade(task.student, status, reason, points, mistake, seconds=1.5, isolation=task.level)

    monkeypatch.setattr(run, "judged", judged)
    return asked


NAMES = {101: "Ann Lee", 102: "Bo Ek", 103: "Cy Roe", 104: "Di Poe", 105: "Ed Fox", 106: "Flo Orr", 107: "Gus Fox"}
MOODLE = "Identifier,Full name,Grade,Feedback comments\n"
MOODLE += "".join(f"Participant {number},{name},,\n" for number, name in NAMES.items())
CANVAS = "Student,ID,heuristic_1 (5)\nPoints Possible,,10\n"
CANVAS += "".join(f"{name},{number},\n" for number, name in enumerate(NAMES.values(), 7))
NOTEBOOK = {"cells": [{"cell_type": "code", "source": "# wrong 1"}, {"cell_type": "markdown", "source": "My text."}]}
HANDED_IN = {  # each person's folder and files, which say what they get
    "Ann Lee_101": {"h.py": "# right 4", "h-Copy1.py": "# wrong 0", "h-Copy2.py": "# wrong 1"},
    "Bo Ek_102": {"heuristic_1.ipynb": json.dumps(NOTEBOOK)},
    "Cy Roe_103": {"work.pdf": ""},
    "Di Poe_104": {"a.py": "1", "b.py": "2"},
    "Ed Fox_105": {"heuristic_1.py": "# needs a person ?"},
    "Flo Orr_106": {"heuristic_1.py": "# not started 0", "old/heuristic_1.py": ""},
    "Gil Zoe_107": {"heuristic_1.py": "# wrong 1"},  # the number of somebody else
    "Hal \udcff_108": {"heuristic_\udcff.py": "# failed 0"},  # a name that is not text
    "Ida_109": {"heuristic_1.py": "def heuristic_1(board)\n    return 0"},
    **{f"Student {n}_{n}": {".nothing": ""} for n in range(995, 1001)},
}


def test_what_a_command_writes_and_says_at_first_and_when_it_is_typed_again(asked, tmp_path):
    names = {f"{whose}_assignsubmission_file": own for whose, own in HANDED_IN.items()}
    files = {f"{whose}/{name}": source for whose, own in names.items() for name, source in own.items()}
    source, out = folder(tmp_path / "in", files | {"notes.csv": ""}), tmp_path / "out"
    folder(tmp_path, {"c.csv": CANVAS, "m.csv": MOODLE})

    def typed(**more):
        asked.clear()
        options = Options(source, out, isolation=LEVEL, **more)
        return results(out, closing_message(options, *graded(options)))

    first = typed(canvas=tmp_path / "c.csv", moodle=tmp_path / "m.csv")
    judged = ["Ann Lee", "Bo Ek", "Ed Fox", "Flo Orr", "Gil Zoe", "Hal �"]
    assert sorted(asked) == judged
    form = (out / "review.csv").read_text()
    for name, filled in {"Ann Lee,,": "99", "Cy Roe,,": "1", "Bo Ek,,,": '"2,5"', "Ed Fox,,,": "3"}.items():
        form = form.replace(name, f"{name}{filled}")
    (out / "review.csv").write_text(form)
    (source / "Flo Orr_106_assignsubmission_file/heuristic_1.py").write_text("# right 4")
    again = typed(workers=1)
    assert asked == ["Flo Orr", "Hal �"]
    assert typed(regrade=True, workers=1) == again and asked == judged
    changed = {f"again: {name}": text for name, text in again.items() if text != first[name]}
    assert all_approved(SAID / "run.txt", first | changed)


def test_as_many_are_judged_at_the_same_time_as_there_are_workers(monkeypatch, tmp_path):
    source = handed_in(tmp_path / "in", dict.fromkeys("abcdef", "x = 1"))
    monkeypatch.setattr(run, "cores", lambda: 2)
    for workers, at_once in ((3, 3), (0, 2)):
        together, threads = threading.Barrier(at_once), set()

        def judged(task, together=together, threads=threads):
            together.wait(TIMEOUT / 1000)
            threads.add(threading.get_ident())
            return Grade(task.student, "problem")

        monkeypatch.setattr(run, "judged", judged)
        grade(source, tmp_path / f"{workers}", workers=workers, exercise="interface")
        assert len(threads) == at_once


def test_an_interrupted_command_stops_what_runs_and_starts_nothing_more(monkeypatch, tmp_path):
    begun, told, sent, stopped = [], [], [], threading.Event()
    send, kill_all = sandbox.Sandbox.send, sandbox.kill_all

    def judged(task):
        begun.append(task.student)
        if task.student == "a":
            told.append(judge.judged(task).told)
        elif task.student == "b":
            while len(sent) < 2:  # it has started, and is asked
                time.sleep(0.01)
            raise KeyboardInterrupt
        elif task.student > "b":
            stopped.wait(TIMEOUT / 1000)
        return Grade(task.student, "problem")

    monkeypatch.setattr(run, "judged", judged)
    monkeypatch.setattr(sandbox.Sandbox, "send", lambda box, line: (sent.append(line), send(box, line)))
    monkeypatch.setattr(sandbox, "kill_all", lambda: (kill_all(), stopped.set()))
    students = {"a": f"{RIGHT}\nwhile True:\n    pass", **dict.fromkeys("bcd", "x = 1")}
    source = handed_in(tmp_path / "in", {"0": "x = 1"} | students)
    with pytest.raises(KeyboardInterrupt):
        grade(source, tmp_path / "out", workers=2)
    assert told == [sandbox.OVER] and "d" not in begun
    begun.clear()
    monkeypatch.setattr(run, "judged", lambda task: (begun.append(task.student), Grade(task.student, "problem"))[1])
    grade(source, tmp_path / "out", workers=1)
    assert begun == ["a", "b", "c", "d"]  # the grade that was there before is kept


def test_the_store_keeps_the_best_grade_of_the_same_work_apart_for_each_student(tmp_path):
    store, names = GradeStore(tmp_path, "heuristic_1"), ("ann", "Ann", "a/n", "..", "a" * 300, "\udcff")
    for points, name in enumerate(names):
        assert store.keep(Grade(name, "wrong", points={"a": points}), "digest").score == points
    assert [store.kept(name, "digest").score for name in names] == [*range(len(names))]
    better, worse, other = (Grade("Ann", "wrong", points={"a": points}) for points in (5, 0, 5))
    assert (
        [store.keep(one, "digest").score for one in (better, worse)]
        == [5, 5]
        == [store.kept("Ann", "digest").score] * 2
    )
    assert store.keep(replace(other, reason="in other words"), "digest").reason == "in other words"
    assert store.kept("Ann", "other work") is None and store.keep(worse, "other work").score == 0
    assert store.keep(Grade("Zoe\u0308", "wrong"), "digest") and store.kept("Zo\u00eb", "digest")
    files = [path.name.casefold() for path in (tmp_path / "kept").iterdir()]
    assert len({*files}) == len(files) == len(names) + 2


def test_a_folder_holds_the_grades_of_one_exercise_and_damaged_ones_are_told_and_not_overwritten(tmp_path):
    store, told = GradeStore(tmp_path, "heuristic_1"), f"{tmp_path} already holds results of heuristic_1."
    assert GradeStore(tmp_path, "heuristic_1").seed == store.seed != GradeStore(tmp_path / "x", "heuristic_1").seed
    with pytest.raises(GradingError, match=f"^{told} Choose another folder for alpha_beta.$"):
        GradeStore(tmp_path, "alpha_beta")
    store.keep(Grade("ann", "right"), "digest")
    for path in (tmp_path / "kept").iterdir():
        for text in ("{", "[]"):
            path.write_text(text)
            with pytest.raises(GradingError, match=f"^{path} can't be read: .*Remove it, or choose another folder.$"):
                GradeStore(tmp_path, "heuristic_1").kept("ann", "digest")
        path.unlink()


def test_results_need_a_folder_of_their_own(tmp_path):
    source = handed_in(tmp_path / "in", {"ann": RIGHT})
    with pytest.raises(GradingError, match=naming("--out", "folder of its own")):
        grade(source, source)
    (tmp_path / "out").touch()
    with pytest.raises(GradingError, match=naming("out", "not a directory", "choose another")):
        grade(source, tmp_path / "out")


SPENDS = "    end = process_time() + 0.01\n    while process_time() < end:\n        pass\n"
SLOW = "from time import process_time\n" + RIGHT.replace("    other =", f"{SPENDS}    other =")


def test_who_is_too_slow_needs_a_person_and_holds_up_nobody(tmp_path, monkeypatch):
    monkeypatch.setattr(judge, "FUNCTION", replace(judge.FUNCTION, total=1))
    out = grade(handed_in(tmp_path / "in", {"cy": SLOW, "di": RIGHT}), tmp_path / "out", workers=2)
    rows = table(out)
    assert [row["status"] for row in rows.values()] == ["needs a person", "right"]
    told = (
        r"Your function is slow: in 1 seconds of computing it answered [\d,]+ of the 11,166 calls, all of them right\."
    )
    assert re.fullmatch(rf"{told} Your instructor will read it and give the points\.", rows["cy"]["reason"])
    monkeypatch.setattr(run, "judged", None)  # a grade is kept
    assert table(grade(tmp_path / "in", out)) == rows


def test_no_two_submissions_share_a_core(monkeypatch):
    monkeypatch.setattr(run.psutil, "cpu_count", lambda logical: 4)
    monkeypatch.setattr(run.os, "sched_getaffinity", lambda _: set(range(8)), raising=False)
    assert run.cores() == 4
    monkeypatch.setattr(run.os, "sched_getaffinity", lambda _: {0, 1, 2}, raising=False)
    assert run.cores() == 3


def command(source, out, *more):
    return [sys.executable, "-m", "lab.grader", "grade", str(source), "--out", str(out), "--isolation", LEVEL, *more]


@pytest.mark.skipif(os.name != "posix", reason="Windows has no exec")
def test_a_command_that_is_killed_leaves_no_grader_behind(tmp_path):
    students = {f"Student {n}": f"while True:\n    {n}\n" for n in range(4)}
    source = handed_in(tmp_path / "in", students)
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
