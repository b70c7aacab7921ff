"""The command `ttt grade`, run as a teacher runs it: real submissions, real sandboxes, and real accidents."""

import csv
import json
import os
import pty
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
import zipfile
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ttt.cli import app
from ttt.grading import batch, heuristic_1, sandbox
from ttt.grading.batch import Task
from ttt.grading.gradebook import SEED, Record

ROOT = Path(__file__).parents[2]
LEVEL = sandbox.isolation_level()
TTT = [sys.executable, "-m", "ttt", "grade"]
RIGHT = """
from ttt import opponent

def heuristic_1(board, player):
    def count(mark, other, n):
        return sum(1 for line in board.lines if line.count(mark) == n and other not in line)

    other = opponent(player)
    return 3 * count(player, other, 2) + count(player, other, 1) - 3 * count(other, player, 2) - count(other, player, 1)
"""
SWAPPED = RIGHT + "\nright = heuristic_1\ndef heuristic_1(board, player):\n    return -right(board, player)\n"
STUB = "def heuristic_1(board, player):\n    raise NotImplementedError\n"
SLOW = "import time\ntime.sleep(0.5)\n" + RIGHT


def notebook(source):
    cells = [{"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": source, "id": "a"}]
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells})


@pytest.fixture
def handed_in(tmp_path):
    """Makes a folder of STUDENT.py from their sources."""

    def make(sources):
        folder = tmp_path / "handed in"
        folder.mkdir(exist_ok=True)
        for student, source in sources.items():
            (folder / f"{student}.py").write_text(source)
        return folder

    return make


def in_terminal(*arguments, command=TTT):
    """The command as a program of its own, with workers."""
    environment = os.environ | {"NO_COLOR": "1", "COLUMNS": "200"}
    command = [*command, *map(str, arguments), "--isolation", LEVEL]
    return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300)


def ttt_grade(*arguments):
    """The command in this process, which judges one submission after another; it ends without a traceback."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("ttt.pools.processes", lambda workers: None)
        done = CliRunner().invoke(app, ["grade", *map(str, arguments), "--isolation", LEVEL])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.output
    return done


def grades(out):
    with (out / "grades.csv").open(newline="", encoding="utf-8") as file:
        return {row["student"]: row for row in csv.DictReader(file)}


def test_a_class_is_graded_told_and_shown(handed_in, tmp_path):
    folder = handed_in(
        {"Ann": RIGHT, "=Bo": SWAPPED, "Cy": STUB, "Di": "def heuristic_1(board, player:\n", "Ed": SWAPPED}
    )
    (folder / "Fay").mkdir()
    (folder / "Fay" / "heuristic_1.ipynb").write_text(notebook(RIGHT))
    (folder / "Gus").mkdir()
    out = tmp_path / "new" / "results"
    done = in_terminal(folder, "--out", out, "--workers", 2)
    assert done.returncode == 0, done.stderr
    rows = grades(out)
    assert {student: row["status"] for student, row in rows.items()} == {
        **{"'=Bo": "wrong", "Ann": "right", "Cy": "not started", "Di": "problem", "Ed": "wrong", "Fay": "right"},
        "Gus": "missing",
    }
    assert rows["Ann"]["score"] == rows["Fay"]["score"] == rows["Ann"]["max_score"] == "15"
    assert float(rows["Cy"]["score"]) == 0 and rows["Gus"]["score"] == "" and rows["Ann"]["isolation"] == LEVEL
    assert "sign" in rows["Ed"]["reason"] and float(rows["Ed"]["seconds"]) > 0
    assert len(list((out / "feedback").iterdir())) == 7
    assert "signs swapped" in (out / "feedback" / "Ed.html").read_text()
    for said in (f"Isolation: {LEVEL}", "7 students", "right         │        2", "signs swapped │        2"):
        assert said in done.stdout
    assert f"Mean score of the 6 graded: {30 / 6:.2f} of 15" in done.stdout
    assert [rows["Ed"][part] for part in ("singles", "all", "misconception")] == ["0", "0", "signs swapped"]
    assert [rows["Ann"][part] for part in ("singles", "all", "misconception")] == ["2", "3", ""]
    assert "signs swapped" in (out / "statistics.html").read_text()
    alike = re.findall("<h2><bdi>(.*?)</bdi> and <bdi>(.*?)</bdi></h2>", (out / "similar.html").read_text())
    assert sorted(alike) == [("=Bo", "Ed"), ("Ann", "Fay")]


def test_the_second_run_grades_what_has_changed_and_regrade_all(handed_in, tmp_path):
    out = tmp_path / "results"
    ttt_grade(handed_in({"ann": RIGHT, "bo": SWAPPED}), "--out", out)
    first = kept(out)
    ttt_grade(handed_in({"bo": RIGHT, "cy": STUB}), "--out", out)
    second = kept(out)
    assert second["ann"] == first["ann"] and second["bo"] != first["bo"]
    assert [row["status"] for row in grades(out).values()] == ["right", "right", "not started"]
    second = age(out)
    ttt_grade(handed_in({}), "--out", out, "--regrade")
    third = kept(out)
    assert third.keys() == second.keys() and all(third[student] != second[student] for student in second)


def kept(out):
    """What the gradebook holds on students: each line once."""
    database = sqlite3.connect(f"file:{out / 'grades.db'}?mode=ro", uri=True, timeout=30)
    rows = database.execute("select key, version, result, kept_at from results where key != ?", (SEED,)).fetchall()
    database.close()
    assert len({row[0] for row in rows}) == len(rows)
    return {student: rest for student, *rest in rows}


def age(out):
    """What the gradebook holds, kept long ago: its clock ticks in seconds, and a second run may end in the same one."""
    with closing(sqlite3.connect(out / "grades.db")) as database, database:
        database.execute("update results set kept_at = '2020-02-02 02:02:02'")
    return kept(out)


def kept_so_far(out):
    try:
        return kept(out)
    except sqlite3.OperationalError:
        return {}


def start(folder, out, **streams):
    return subprocess.Popen(
        [*TTT, str(folder), "--out", str(out), "--isolation", LEVEL], start_new_session=True, **streams
    )


def wait_for(number, out, grader):
    deadline = time.monotonic() + 60
    while len(kept_so_far(out)) < number and time.monotonic() < deadline and grader.poll() is None:
        time.sleep(0.02)


def test_killed_three_times_it_loses_no_grade_and_gives_none_twice(handed_in, tmp_path):
    students = {f"s{n:02}": f"{SLOW}# {n}" for n in range(20)}
    folder, out = handed_in(students), tmp_path / "results"
    before = {}
    for number in (3, 8, 13):
        grader = start(folder, out, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_for(number, out, grader)
        grader.kill()
        assert grader.wait() == -signal.SIGKILL
        time.sleep(0.2)
        now = kept(out)
        assert number <= len(now) < len(students) and {student: now[student] for student in before} == before
        before = now
    assert in_terminal(folder, "--out", out).returncode == 0
    after = kept(out)
    assert after.keys() == students.keys() and {student: after[student] for student in before} == before
    assert [row["score"] for row in grades(out).values()] == ["15"] * len(students)


def test_ctrl_c_keeps_what_is_done_and_says_how_to_go_on(handed_in, tmp_path):
    folder, out = handed_in({f"s{n}": f"{SLOW}# {n}" for n in range(30)}), tmp_path / "results"
    screen, terminal = pty.openpty()
    grader = start(folder, out, stdin=terminal, stdout=terminal, stderr=terminal)
    os.close(terminal)
    wait_for(3, out, grader)
    os.killpg(grader.pid, signal.SIGINT)
    shown = b""
    with open(screen, "rb", buffering=0) as file:  # noqa: PTH123
        try:
            while part := file.read(4096):
                shown += part
        except OSError:  # the other end is closed
            pass
    assert grader.wait(60) == 130
    assert b"press Ctrl+C again to stop now." in shown
    assert b"Interrupted: run the same command again" in shown and b"Traceback" not in shown
    assert 3 <= len(kept(out)) == len(grades(out)) < 30


def test_a_submission_that_breaks_our_own_code_is_tried_again_next_time(handed_in, tmp_path, monkeypatch):
    folder, out = handed_in({"ann": RIGHT, "bo": SWAPPED}), tmp_path / "results"

    def broken(tasks, workers):
        for task in tasks:
            yield task, batch.failed(task, "KeyError: 'our fault'") if task.student == "bo" else _right(task)

    with monkeypatch.context() as patched:
        patched.setattr(batch, "graded", broken)
        assert ttt_grade(folder, "--out", out).exit_code == 0
    row = grades(out)["bo"]
    assert (row["status"], row["score"]) == ("problem", "") and "KeyError: 'our fault'" in row["reason"]
    assert kept(out).keys() == {"ann"}
    ttt_grade(folder, "--out", out)
    assert grades(out)["bo"]["status"] == "wrong" and kept(out).keys() == {"ann", "bo"}


def _right(task):
    return Record(task.student, "right", "", 15, 15, isolation="full")


def test_the_platforms_files_are_filled_in(handed_in, tmp_path):
    (tmp_path / "c.csv").write_text(
        'Student,ID,SIS Login ID,Heuristic 1 (3)\nPoints Possible,,,10\n"Lee, Ann",1,ann,\n'
    )
    (tmp_path / "m.csv").write_text("Identifier,Full name,Grade\nParticipant 1,ann,\n")
    out, templates = tmp_path / "results", ("--canvas", tmp_path / "c.csv", "--moodle", tmp_path / "m.csv")
    done = ttt_grade(handed_in({"ann": RIGHT, "zed": STUB}), "--out", out, *templates)
    assert (out / "canvas.csv").read_text().endswith('"Lee, Ann",1,ann,15\n')
    assert (out / "moodle.csv").read_text().endswith("Participant 1,ann,15\n")
    for said in ("10 points possible", "in c.csv for zed.", "in m.csv for zed."):
        assert said in done.stdout


def test_a_moodle_download_is_graded_from_the_zip_to_the_files_that_go_back(tmp_path):
    with zipfile.ZipFile(tmp_path / "download.zip", "w") as download:
        download.writestr("Ann Lee_101_assignsubmission_file/heuristic_1.ipynb", notebook(RIGHT))
        download.writestr("Bo Ek_102_assignsubmission_file/Ann Lee_101_assignsubmission_file.py", STUB)
        download.writestr("Cy_103_assignsubmission_file/heuristic_1.pdf", "%PDF")
    (tmp_path / "worksheet.csv").write_text(
        "Identifier,Full name,Status,Grade,Last modified (submission),Feedback comments\n"
        'Participant 101,Ann Lee,Submitted,,"Friday, 20 November 2026, 5:30 PM",\n'
        'Participant 102,Bo Ek,Submitted,,"Friday, 20 November 2026, 6:30 PM",\n'
        'Participant 103,Cy,Submitted - 3 mins late,,"Friday, 20 November 2026, 5:33 PM",\n'
    )
    out, worksheet = tmp_path / "results", ("--moodle", tmp_path / "worksheet.csv")
    done = ttt_grade(tmp_path / "download.zip", "--out", out, *worksheet)
    rows = list(csv.DictReader((out / "moodle.csv").open(newline="", encoding="utf-8")))
    assert [row["Grade"] for row in rows] == ["15", "0", ""] and done.exit_code == 0
    comments = [row["Feedback comments"] for row in rows]
    assert "late" not in comments[0] + comments[1] and "3 mins late" in comments[2]
    with zipfile.ZipFile(out / "feedback.zip") as pages:
        assert len(pages.namelist()) == 3
        assert "15 of 15 marks" in pages.read("Ann Lee_101_assignsubmission_file_feedback.html").decode()


def marked(name, status="wrong", mistake=""):
    parts = tuple(part._replace(got=0.5) for part in batch.rubric("heuristic_1"))
    return Record(name, status, "", 3, 15, misconception=mistake, parts=parts)


def told(folder, out, records, monkeypatch, end=None, more=()):
    """What the command says where the judge reaches these records, by student, and is interrupted or not."""

    def graded(tasks, pool):
        for task in tasks:
            yield task, records[task.student]
        if end:
            raise end

    monkeypatch.setattr(batch, "graded", graded)
    return ttt_grade(folder, "--out", out, *more)


def test_those_whom_a_teacher_must_look_at_are_named(handed_in, tmp_path, monkeypatch):
    records = {f"s{n:02}": marked(f"s{n:02}", "problem") for n in range(12)} | {"t": marked("t", "right")}
    folder = handed_in(dict.fromkeys(records, STUB))
    (folder / "u").mkdir()
    for name in ("first.ipynb", "second.ipynb"):
        (folder / "u" / name).write_text(notebook(RIGHT + name))
    done = told(folder, tmp_path / "results", records, monkeypatch)
    assert "Problem: s00, s01, s02, s03, s04, s05, s06, s07, s08, s09 and 2 more.\n" in done.stdout
    assert "Submitted twice: u.\n" in done.stdout


def test_one_is_one_and_an_interrupt_after_the_last_grade_changes_nothing(handed_in, tmp_path, monkeypatch):
    folder, out = handed_in({"ann": STUB}), tmp_path / "results"
    done = told(folder, out, {"ann": marked("ann")}, monkeypatch, KeyboardInterrupt())
    assert done.exit_code == 0 and "Interrupted" not in done.stdout and "Everything is in" in done.stdout
    assert "\n1 student\n" in done.stdout and "\nScore of the 1 graded: 3.00 of 15." in done.stdout


def test_mistakes_that_are_not_shown_are_counted(handed_in, tmp_path, monkeypatch):
    records = {f"s{n}": marked(f"s{n}", mistake=f"mistake {n}") for n in range(7)}
    done = told(handed_in(dict.fromkeys(records, STUB)), tmp_path / "results", records, monkeypatch)
    assert "\nand 2 more, in statistics.html\n" in done.stdout


def review(out, **rows):
    """Fill in rows of the form as a person does in a spreadsheet: each student's cells by column."""
    with (out / "review.csv").open(newline="", encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    for line in lines:
        line |= rows.get(line["student"], {})
    with (out / "review.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, lines[0], delimiter=";")
        writer.writeheader()
        writer.writerows(lines)


def test_what_a_person_says_in_the_form_is_kept_at_regrade_and_told_everywhere(handed_in, tmp_path):
    folder, out = handed_in({"ann": STUB, "bo": SWAPPED}), tmp_path / "results"
    template = tmp_path / "m.csv"
    template.write_text("Identifier,Full name,Grade,Feedback comments\nParticipant 1,bo,,\n")
    ttt_grade(folder, "--out", out)
    assert [line["student"] for line in csv.DictReader((out / "review.csv").open())] == ["ann", "bo"]
    review(out, bo={"pairs": "1,5", "comment": "Explained it well."})
    for options in ((), ("--regrade",)):
        done = ttt_grade(folder, "--out", out, "--moodle", template, *options)
        assert done.exit_code == 0 and "review.csv" not in done.stdout
        row = grades(out)["bo"]
        assert (row["score"], row["pairs"], row["status"]) == ("1.5", "1.5", "graded")
        assert "1.5 of 3 instead of 0" in row["comment"] and row["comment"].endswith("Explained it well.")
        page = (out / "feedback" / "bo.html").read_text()
        assert "Explained it well." in page and "1.5 of 15 marks" in page
        sheet = (out / "moodle.csv").read_text()
        assert "Participant 1,bo,1.5," in sheet and "sign" in sheet and "Explained it well." in sheet


def test_where_all_marks_are_given_by_hand_the_mistake_is_forgotten(handed_in, tmp_path):
    folder, out = handed_in({"ann": SWAPPED}), tmp_path / "results"
    ttt_grade(folder, "--out", out)
    review(out, ann={part.name: part.most for part in batch.rubric("heuristic_1")} | {"comment": "I see."})
    ttt_grade(folder, "--out", out)
    row = grades(out)["ann"]
    assert (row["status"], row["score"], row["misconception"], row["reason"]) == ("right", "15", "", "")
    assert row["comment"] == "All marks were given by hand. I see."
    assert "sign" not in (out / "statistics.html").read_text().partition("<h2>Mistakes")[2]


def test_a_bad_row_of_the_form_gets_a_sentence_and_a_form_that_is_none_stops_the_command(handed_in, tmp_path):
    folder, out = handed_in({"ann": RIGHT, "bo": STUB}), tmp_path / "results"
    ttt_grade(folder, "--out", out)
    review(out, ann={"pairs": "much", "comment": "Well done."})
    with (out / "review.csv").open("a") as file:
        file.write("zed;1;;;;;;\n")
    done = ttt_grade(folder, "--out", out)
    assert "'much'" in done.stdout and "'zed'" in done.stdout and grades(out)["ann"]["comment"] == "Well done."
    assert "much" in (out / "review.csv").read_text() and "zed;1" in (out / "review.csv").read_text()
    (out / "review.csv").write_text("name\nann\n")
    done = ttt_grade(folder, "--out", out)
    assert done.exit_code == 1 and "needs a column named student" in done.stderr


def test_a_grade_never_falls_on_a_rerun(handed_in, tmp_path, monkeypatch):
    """What was late is judged again each time, and got 12, 9, 12 and 12 marks in four runs."""
    folder, out = handed_in({"ann": RIGHT}), tmp_path / "results"
    late = replace(marked("ann"), score=12, isolation=LEVEL, late=True)
    for score, expected in ((12, "12"), (9, "12"), (None, "12"), (13, "13"), (12, "13")):
        told(folder, out, {"ann": replace(late, score=score)}, monkeypatch)
        assert grades(out)["ann"]["score"] == expected
    told(folder, out, {"ann": replace(late, score=3)}, monkeypatch, more=["--regrade"])
    assert grades(out)["ann"]["score"] == "3"


def test_marks_by_hand_where_the_grader_failed_leave_the_other_parts_open(handed_in, tmp_path, monkeypatch):
    folder, out = handed_in({"ann": RIGHT}), tmp_path / "results"
    ttt_grade(folder, "--out", out)
    review(out, ann={"pairs": "2"})
    failed = batch.failed(Task("ann", folder, "", "heuristic_1", LEVEL, 15), "our fault")
    told(folder, out, {"ann": failed}, monkeypatch, more=["--regrade"])
    row = grades(out)["ann"]
    assert (row["score"], row["pairs"], row["blocked"], row["status"]) == ("2", "2", "", "needs a person")


def test_a_stale_exercise_is_refused_before_anything_is_made(handed_in, tmp_path, monkeypatch):
    stale = heuristic_1.key_for(heuristic_1.settings() | {"weights": [0, 1, 4, 0]})
    monkeypatch.setattr(heuristic_1, "key", lambda: stale)
    done = ttt_grade(handed_in({"ann": RIGHT}), "--out", tmp_path / "results")
    assert done.exit_code == 1 and "Run `ttt variant` first" in done.output and not (tmp_path / "results").exists()


ANOTHERS = "def alpha_beta(board, depth, heuristic):\n    return 0\n"


def test_a_class_of_another_exercise_is_not_graded_and_that_is_named(handed_in, tmp_path):
    """25 students got zero marks."""
    folder = handed_in({"ann": ANOTHERS, "bo": ANOTHERS, "cy": "x = 1\n"})
    done = ttt_grade(folder, "--out", tmp_path / "results")
    assert done.exit_code == 1 and not (tmp_path / "results").exists()
    assert "2 of 3 have alpha_beta, so nothing is graded" in done.stderr and "--exercise alpha_beta" in done.stderr


@pytest.mark.parametrize("others", [{"bo": RIGHT}, {"bo": "x = 1\n", "cy": "y = 2\n"}], ids=["one right", "none"])
def test_a_stray_of_another_exercise_is_a_row(others, handed_in, tmp_path):
    done = ttt_grade(handed_in({"ann": ANOTHERS} | others), "--out", tmp_path / "results")
    assert done.exit_code == 0 and grades(tmp_path / "results")["ann"]["status"] == "problem"


def test_results_of_another_exercise_are_not_mixed_with_these(handed_in, tmp_path):
    folder, out = handed_in({"ann": STUB}), tmp_path / "results"
    ttt_grade(folder, "--out", out)
    before = (out / "grades.csv").read_text()
    handed_in({"ann": "def interface():\n    return None\n"})
    done = ttt_grade(folder, "--exercise", "interface", "--out", out)
    assert done.exit_code == 1 and "holds the results of heuristic_1" in done.stderr
    assert (out / "grades.csv").read_text() == before


@pytest.mark.parametrize(
    "damage", ["[marks", "weights = 3", "k = 'three'", ""], ids=["broken", "type", "text", "empty"]
)
def test_settings_that_make_no_sense_are_told_in_a_sentence(damage, handed_in, tmp_path):
    shutil.copytree(ROOT / "ttt", tmp_path / "ttt")
    (tmp_path / "ttt" / "grading" / "heuristic_1.toml").write_text(damage)
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); from ttt.cli import main; main()"
    done = in_terminal(
        handed_in({"ann": STUB}), "--out", tmp_path / "out", command=[sys.executable, "-c", code, "grade"]
    )
    assert done.returncode == 1 and "heuristic_1.toml in ttt/grading can't be used" in done.stderr
    assert "Traceback" not in done.stderr and not (tmp_path / "out").exists()


def test_a_gradebook_damaged_anywhere_is_told_in_a_sentence_or_graded_again(handed_in, tmp_path, monkeypatch):
    folder, out = handed_in({f"s{n:02}": STUB for n in range(40)}), tmp_path / "results"
    records = {f"s{n:02}": marked(f"s{n:02}") for n in range(40)}
    told(folder, out, records, monkeypatch)
    whole = (out / "grades.db").read_bytes()
    for place in range(0, len(whole), len(whole) // 30):
        for damaged in (whole[:place], whole[:place] + b"\xff" * 200 + whole[place + 200 :]):
            (out / "grades.db").write_bytes(damaged)
            done = told(folder, out, records, monkeypatch)
            assert done.exception is None or isinstance(done.exception, SystemExit), place
            assert done.exit_code == 0 or "can't be used" in done.stderr


@pytest.mark.parametrize(
    "option, said",
    [
        ("canvas", "not a Canvas gradebook"),
        ("moodle", "not a Moodle grading worksheet"),
    ],
)
def test_lists_that_will_not_do_are_refused_before_anything_is_graded(option, said, handed_in, tmp_path):
    (tmp_path / "list.csv").write_text("name,marks\nann,3\n")
    folder = handed_in({"ann": RIGHT})
    arguments = ["grade", folder, "--out", tmp_path / "out", f"--{option}", tmp_path / "list.csv", "--isolation", LEVEL]
    done = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert done.exit_code == 1 and said in done.stderr and not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "options, message",
    [
        (["--exercise", "chess"], "There is no exercise 'chess'; the exercises are alpha_beta, heuristic_1"),
        (["--isolation", "some"], "The levels of isolation are full, limits, not 'some'."),
        (["--canvas", "nowhere.csv"], "does not exist"),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(options, message, handed_in, tmp_path):
    done = CliRunner().invoke(app, ["grade", str(handed_in({"ann": STUB})), "--out", str(tmp_path / "out"), *options])
    assert done.exit_code in (1, 2) and message in " ".join(done.stderr.replace("│", " ").split())


def test_an_exercise_of_a_lesson_is_graded_if_it_asks_for_a_number(handed_in, tmp_path):
    right = """
def worth(board):
    if board.over:
        return {"X": 1, "O": -1, None: 0}[board.winner]
    values = [worth(board.play(move)) for move in board.moves]
    return max(values) if board.turn == "X" else min(values)
"""
    folder = handed_in({"ann": right, "bo": right.replace("max", "min")})
    done = ttt_grade(folder, "--exercise", "worth", "--out", tmp_path / "out")
    assert done.exit_code == 0, done.stderr
    assert {student: row["status"] for student, row in grades(tmp_path / "out").items()} == {
        "ann": "right",
        "bo": "wrong",
    }
    done = ttt_grade(folder, "--exercise", "my_fork", "--out", tmp_path / "another")
    assert done.exit_code == 1 and "my_fork is for the check alone" in done.stderr


def test_a_variant_of_an_exercise_without_a_key_is_refused():
    done = CliRunner().invoke(app, ["variant", "interface"])
    assert done.exit_code == 1 and "no key for 'interface'" in done.stderr


def test_an_unknown_layout_and_an_empty_folder_are_told(handed_in, tmp_path):
    done = ttt_grade(handed_in({}), "--out", tmp_path / "results")
    assert done.exit_code == 1 and "contains no submissions" in done.stderr
    assert not (tmp_path / "results").exists()


def test_results_that_cannot_be_written_are_told_before_anything_is_graded(handed_in, tmp_path):
    (tmp_path / "file").write_text("")
    for out in (tmp_path / "file", tmp_path / "file" / "results"):
        done = ttt_grade(handed_in({"ann": SLOW}), "--out", out)
        assert done.exit_code == 1 and "can't be created or written" in done.stderr
    (tmp_path / "results" / "grades.db").mkdir(parents=True)
    done = ttt_grade(handed_in({"ann": SLOW}), "--out", tmp_path / "results")
    assert done.exit_code == 1 and "can't be used" in done.stderr


def test_less_isolation_than_is_asked_for_is_refused_with_what_to_install(handed_in, tmp_path, monkeypatch):
    monkeypatch.setattr(sandbox, "isolation_level", lambda: "limits")
    folder = handed_in({"ann": RIGHT})
    done = CliRunner().invoke(app, ["grade", str(folder), "--out", str(tmp_path / "out")])
    assert done.exit_code == 1 and "apt install bubblewrap" in done.stderr and "--isolation limits" in done.stderr
    assert not (tmp_path / "out").exists()


def test_playing_loads_nothing_of_the_grading():
    code = "import sys, ttt.cli; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "ttt.cli" in loaded and not {"sqlite3", "matplotlib", "tqdm", "ttt.grading"} & set(loaded)


def test_the_interface_exercise_is_graded_with_the_same_command_and_waits_for_a_person(tmp_path):
    source = tmp_path / "submitted" / "ann"
    source.mkdir(parents=True)
    shutil.copy(ROOT / "exercises" / "interface" / "interface.ipynb", source)
    content = json.loads((source / "interface.ipynb").read_text())
    content["cells"].append(json.loads(notebook("print('mine')"))["cells"][0])
    (source / "interface.ipynb").write_text(json.dumps(content))
    done = ttt_grade(tmp_path / "submitted", "--exercise", "interface", "--out", tmp_path / "results")
    assert done.exit_code == 0, done.stderr
    (row,) = csv.DictReader((tmp_path / "results" / "grades.csv").open())
    assert (row["student"], row["status"]) == ("ann", "needs a person") and (row["c"], row["score"]) == ("", "4")
    form = tmp_path / "results" / "review.csv"
    assert [line["student"] for line in csv.DictReader(form.open())] == ["ann"]
    form.write_text("student,a,b,c,d,comment\nann,4,4,3.5,3,Well made.\n")
    digests = kept(tmp_path / "results")
    assert ttt_grade(tmp_path / "submitted", "--exercise", "interface", "--out", tmp_path / "results").exit_code == 0
    (row,) = csv.DictReader((tmp_path / "results" / "grades.csv").open())
    assert (row["status"], float(row["score"])) == ("graded", 14.5) and row["comment"].endswith("Well made.")
    assert kept(tmp_path / "results") == digests


def test_the_bundle_is_written_by_a_command_that_overwrites_nothing(tmp_path):
    done = CliRunner().invoke(app, ["release", str(tmp_path)])
    assert done.exit_code == 0 and "The student bundle is" in done.stdout
    assert "Its exercises are alpha_beta, challenge, heuristic_1, interface." in done.stdout
    assert (tmp_path / "tic-tac-toe-lab.zip").exists()
    done = CliRunner().invoke(app, ["release", str(tmp_path)])
    assert done.exit_code == 1 and "exists already" in done.stderr and isinstance(done.exception, SystemExit)
