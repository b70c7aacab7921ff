"""Grading a class, from the files to the grades: the same in every shape, however often it is killed."""

import csv
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pandas as pd
import pytest
from submissions import sources

from exercises.grading import GradingError, feedback, run, sandbox
from exercises.grading.book import Book
from exercises.grading.key import Grade, key, parts_of
from exercises.grading.run import Options, graded

LEVEL = sandbox.reached()
RIGHT, WRONG = sources("right")["four counters"], sources("wrong")
SIX = [RIGHT, *(WRONG[name] for name in ("signs swapped", "always seen from X", "blocked lines counted")), "x = 1", ""]
STUDENTS = {f"Student {n:02}": SIX[n % len(SIX)] + f"\n# {n}\n" for n in range(12)}


def notebook(source):
    return json.dumps({"cells": [{"cell_type": "code", "source": source, "outputs": []}]})


SHAPES = {
    "plain": lambda n, name, source: (f"{name}/heuristic_1.ipynb", notebook(source)),
    "programs": lambda n, name, source: (f"{name}.py", source),
    "moodle": lambda n, name, source: (f"{name}_{n}_assignsubmission_file/heuristic_1.ipynb", notebook(source)),
    "canvas": lambda n, name, source: (f"{name}_{n}_9{n}_heuristic_1.ipynb", notebook(source)),
    "nbgrader": lambda n, name, source: (f"submitted/{name}/heuristic_1/heuristic_1.ipynb", notebook(source)),
}


def handed_in(place, shape="programs", students=STUDENTS):
    for n, (name, source) in enumerate(students.items(), 100):
        path, text = SHAPES[shape](n, name, source)
        (place / path).parent.mkdir(parents=True, exist_ok=True)
        (place / path).write_text(text)
    return place


def grade(source, out, **options):
    """Grade what was handed in; returns the folder of results."""
    graded(Options(source, out, isolation=LEVEL, **options))
    return out


def table(out):
    """The rows of grades.csv, by student."""
    with (out / "grades.csv").open(encoding="utf-8", newline="") as file:
        return {row["student"]: row for row in csv.DictReader(file)}


def marks(out):
    return {name: (row["score"], row["status"], row["mistake"]) for name, row in table(out).items()}


@pytest.fixture(scope="module")
def first(tmp_path_factory):
    """A class that was graded once: its submissions, and the results."""
    place = tmp_path_factory.mktemp("class")
    return handed_in(place / "in"), grade(place / "in", place / "out")


def test_grades_are_those_of_the_judge_and_everybody_has_a_row(first):
    rows = table(first[1])
    assert list(rows) == sorted(STUDENTS)
    assert [rows[name]["score"] for name in ("Student 00", "Student 06")] == ["15", "15"]
    one = rows["Student 01"]
    assert one["mistake"] == "signs swapped" and rows["Student 04"]["status"] == "problem"
    assert sum(float(one[part.name]) for part in parts_of("heuristic_1")) == float(one["score"])
    for name in STUDENTS:
        page = (first[1] / "feedback" / f"{name}.html").read_text()
        assert name in page and "<script" not in page


@pytest.mark.parametrize("shape", ["plain", "moodle", "canvas", "nbgrader"])
def test_the_same_class_gets_the_same_grades_in_every_shape(shape, first, tmp_path):
    source = handed_in(tmp_path / "in", shape)
    if shape in ("moodle", "canvas"):
        source = Path(shutil.make_archive(source, "zip", source))
    out = grade(source, tmp_path / "out")
    assert marks(out) == marks(first[1])
    assert (out / "feedback.zip").exists() == (shape in ("moodle", "canvas"))
    assert (out / "nbgrader/feedback/Student 01/heuristic_1/heuristic_1.html").exists() == (shape == "nbgrader")


@pytest.mark.parametrize("workers", [1, 16])
def test_any_number_of_workers_reaches_the_same_grades(first, tmp_path, workers):
    assert marks(grade(first[0], tmp_path / "out", workers=workers)) == marks(first[1])


def test_a_rerun_judges_nothing_again_and_a_changed_file_alone(monkeypatch, tmp_path):
    source, out = handed_in(tmp_path / "in"), tmp_path / "out"
    asked = []
    judged = run.judged
    monkeypatch.setattr(run, "judged", lambda task: (asked.append(task.student), judged(task))[1])
    grade(source, out)
    assert sorted(asked) == sorted(STUDENTS)
    asked.clear()
    (source / "Student 01.py").write_text(RIGHT)
    assert table(grade(source, out))["Student 01"]["score"] == "15" and asked == ["Student 01"]


def test_a_grade_never_falls_when_the_same_work_is_graded_again(tmp_path):
    with Book(tmp_path, "heuristic_1") as book:
        better, worse = Grade("ann", "right", marks={"a": 15}), Grade("ann", "wrong", marks={"a": 9})
        assert book.keep(worse, "digest") == worse and book.keep(better, "digest") == better
        assert book.keep(worse, "digest").score == 15 and book.kept("ann", "digest").score == 15
        assert book.keep(worse, "other work").score == 9


def test_a_folder_holds_the_grades_of_one_exercise(tmp_path):
    with Book(tmp_path, "heuristic_1") as book:
        seed = book.seed
    with Book(tmp_path, "heuristic_1") as book:
        assert book.seed == seed
    with pytest.raises(GradingError, match="holds the results of heuristic_1"):
        Book(tmp_path, "alpha_beta")


def test_what_the_grader_itself_fails_at_is_tried_again(first, monkeypatch, tmp_path):
    monkeypatch.setattr(run, "judged", lambda task: Grade(task.student, "problem", "failed", kept=False))
    assert {score for score, _, _ in marks(grade(first[0], tmp_path / "out")).values()} == {""}
    monkeypatch.undo()
    assert marks(grade(first[0], tmp_path / "out")) == marks(first[1])


def kept(out):
    """How many grades are stored."""
    with suppress(sqlite3.Error):
        file = sqlite3.connect(f"file:{out / 'grades.db'}?mode=ro", uri=True, timeout=30)
        return file.execute("select count(*) from grades").fetchone()[0]
    return 0


@pytest.mark.slow
def test_kills_lose_nothing(first, tmp_path):
    """The command is killed whenever there is one grade more, until it comes to its end."""
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


def test_two_students_with_the_same_code_or_the_same_odd_answers_are_named_on_the_class_page(tmp_path):
    odd = "def heuristic_1(board, player):\n    return sum(map(ord, ''.join(board))) % 7 * len(board.moves)\n"
    renamed = RIGHT.replace("line", "row").replace("heuristic_row", "heuristic_1")
    students = {"ann": RIGHT, "bo": renamed, "cy": odd, "di": "# mine\n" + odd, "ed": WRONG["signs swapped"]}
    out = grade(handed_in(tmp_path / "in", students=students), tmp_path / "out")
    alike = (out / "class.html").read_text().partition("What is alike")[2]
    code, _, answers = alike.partition("wrong answers")
    assert "<bdi>ann</bdi>, <bdi>bo</bdi>" in code and "<bdi>cy</bdi>, <bdi>di</bdi>" in answers
    assert "<bdi>ed</bdi>" not in alike


# ---------------------------------------------------------------------------------------------- a person's marks


def fill(form, student, **cells):
    rows = pd.read_csv(form, dtype=str).set_index("student")
    rows.loc[student, list(cells)] = list(cells.values())
    rows.to_csv(form)


def test_the_class_page_names_everybody_whose_file_is_a_problem():
    grades = [Grade("Ann & Bo", "problem"), Grade("Cy", "problem"), Grade("Di", "not started")]
    page = feedback.class_page(grades, "heuristic_1", "", [])
    assert "Problem: <bdi>Ann &amp; Bo</bdi>, <bdi>Cy</bdi>." in page and "<bdi>Di</bdi>" not in page


def test_a_board_that_is_wrong_from_both_sides_is_shown_once_and_both_are_named():
    asked = key("heuristic_1").exercise
    places = [place for place, (board, _) in enumerate(asked.questions) if str(board).count("X") == 2][:2]
    assert asked.questions[places[0]][0] == asked.questions[places[1]][0]
    grades = [Grade("ann", "wrong", wrong=places), Grade("bo", "wrong", wrong=[*places[:1], places[1] + 1])]
    (_, words, number), (_, other, once) = feedback.boards_most_often_wrong(grades, "heuristic_1", "")
    assert words.endswith(", seen from X and seen from O") and other.endswith("seen from X")
    assert (number, once) == (2, 1)


def test_marks_by_hand_stand_also_when_everything_is_graded_again(first, tmp_path):
    out = grade(handed_in(tmp_path / "in"), tmp_path / "out")
    fill(out / "review.csv", "Student 04", lines="2,5", comment="=Well done")
    fill(out / "review.csv", "Student 01", lines="99")
    page = (grade(tmp_path / "in", out, regrade=True) / "class.html").read_text()
    assert re.search("99.*Student 01", page)
    row = table(out)["Student 04"]
    assert (row["score"], row["lines"], row["status"]) == ("2.5", "2.5", "graded")
    assert "=Well done" in row["comment"] and "Well done" in (out / "feedback/Student 04.html").read_text()
    changed = {name for name, was in marks(first[1]).items() if marks(out)[name] != was}
    assert changed == {"Student 04"}


def command(source, out, *more):
    return [sys.executable, "-m", "ttt", "grade", str(source), "--out", str(out), "--isolation", LEVEL, *more]


def test_the_command_says_what_there_is_and_where(first):
    done = subprocess.run(command(*first), capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "2 right" in done.stdout and str(first[1] / "grades.csv") in done.stdout
    done = subprocess.run(command(*first, "--exercise", "nonsense"), capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "heuristic_1, alpha_beta, interface" in done.stderr


@pytest.mark.skipif(os.name != "posix", reason="Windows has no exec")
def test_a_command_that_is_killed_leaves_no_grader_behind(tmp_path):
    students = {f"Student {n}": f"while True:\n    {n}\n" for n in range(4)}
    source = handed_in(tmp_path / "in", students=students)
    process = subprocess.Popen(command(source, tmp_path / "out"), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    while not (tmp_path / "out/grades.db").exists():
        assert process.poll() is None
    process.kill()
    assert process.communicate()[0] == b""  # comes back when nobody holds the pipe any more
    assert kept(tmp_path / "out") == 0
