"""Grading a class, from the files to the grades: the same in every shape, however often it is killed."""

import csv
import io
import json
import os
import signal
import sqlite3
import subprocess
import sys
import zipfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace

import pytest
from submissions import sources
from typer.testing import CliRunner

from exercises.grading import GradingError, feedback, run, sandbox
from exercises.grading.book import Book
from exercises.grading.grade import Grade
from exercises.grading.judge import Task
from exercises.grading.key import key
from exercises.grading.run import Options, graded, reached
from ttt.cli import app

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


def handed_in(place, shape="programs", students=STUDENTS, zipped=False):
    files = dict(SHAPES[shape](n, name, source) for n, (name, source) in enumerate(students.items(), 100))
    for name, text in files.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(text)
    if not zipped:
        return place
    path = place.with_suffix(".zip")
    with zipfile.ZipFile(path, "w") as archive:
        for name in files:
            archive.write(place / name, name)
    return path


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
    source = handed_in(place / "in")
    graded(Options(source, place / "out", isolation=LEVEL))
    return source, place / "out"


def test_grades_are_those_of_the_judge_and_everybody_has_a_row(first):
    rows = table(first[1])
    assert list(rows) == sorted(STUDENTS)
    assert [rows[name]["score"] for name in ("Student 00", "Student 06")] == ["15", "15"]
    assert rows["Student 01"]["mistake"] == "signs swapped" and rows["Student 04"]["status"] == "problem"
    for name in STUDENTS:
        page = (first[1] / "feedback" / f"{name}.html").read_text()
        assert name in page and "<script" not in page
    assert sum(
        float(rows["Student 01"][part]) for part in ("lines", "counts", "blocked", "completed", "sides")
    ) == float(rows["Student 01"]["score"])


@pytest.mark.parametrize("shape, zipped", [("plain", False), ("moodle", True), ("canvas", True), ("nbgrader", False)])
def test_the_same_class_gets_the_same_grades_in_every_shape(shape, zipped, first, tmp_path):
    source = handed_in(tmp_path / "in", shape, zipped=zipped)
    graded(Options(source, tmp_path / "out", isolation=LEVEL))
    assert marks(tmp_path / "out") == marks(first[1])
    assert (tmp_path / "out/feedback.zip").exists() == (shape in ("moodle", "canvas"))
    tree = tmp_path / "out/nbgrader/feedback/Student 01/heuristic_1/heuristic_1.html"
    assert tree.exists() == (shape == "nbgrader")


@pytest.mark.parametrize("workers", [1, 16])
def test_any_number_of_workers_reaches_the_same_grades(workers, first, tmp_path):
    graded(Options(first[0], tmp_path / "out", isolation=LEVEL, workers=workers))
    assert marks(tmp_path / "out") == marks(first[1])


def test_an_executor_of_any_kind_will_do(first):
    tasks = [Task(name, "heuristic_1", (STUDENTS[name],), "", LEVEL) for name in list(STUDENTS)[:4]]
    with ThreadPoolExecutor(2) as executor:
        found = {grade.student: grade.score for grade in reached(tasks, executor)}
    assert found == {name: float(table(first[1])[name]["score"]) for name in found} and len(found) == 4


def test_a_rerun_judges_nothing_again_and_a_changed_file_alone(first, monkeypatch, tmp_path):
    source = handed_in(tmp_path / "in")
    asked = []
    judged = run.judged
    monkeypatch.setattr(run, "judged", lambda task: (asked.append(task.student), judged(task))[1])
    options = Options(source, tmp_path / "out", isolation=LEVEL)
    graded(options)
    assert sorted(asked) == sorted(STUDENTS)
    asked.clear()
    (source / "Student 01.py").write_text(RIGHT)
    graded(options)
    assert asked == ["Student 01"] and table(tmp_path / "out")["Student 01"]["score"] == "15"


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
    options = Options(first[0], tmp_path / "out", isolation=LEVEL)
    grades, _ = graded(options)
    assert {grade.score for grade in grades} == {None}
    monkeypatch.undo()
    graded(options)
    assert marks(tmp_path / "out") == marks(first[1])


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
    command = [sys.executable, "-m", "exercises.grading", "grade", str(first[0]), "--out", str(out)]
    kills = 0
    while True:
        before = kept(out)
        process = subprocess.Popen([*command, "--isolation", LEVEL], stdout=subprocess.DEVNULL, start_new_session=True)
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
    source = handed_in(tmp_path / "in", students=students)
    graded(Options(source, tmp_path / "out", isolation=LEVEL))
    page = " ".join((tmp_path / "out/class.html").read_text().split())
    alike = page.partition("What is alike")[2]
    assert "<bdi>ann</bdi>, <bdi>bo</bdi>" in alike.partition("wrong answers")[0]
    assert "<bdi>cy</bdi>, <bdi>di</bdi>" in alike.partition("wrong answers")[2]
    assert "<bdi>ed</bdi>" not in alike


# ---------------------------------------------------------------------------------------------- a person's marks


def fill(form, student, **cells):
    rows = list(csv.reader(io.StringIO(form.read_text())))
    for row in rows[1:]:
        if row[0] == student:
            for name, value in cells.items():
                row[rows[0].index(name)] = value
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    form.write_text(text.getvalue())


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
    out = tmp_path / "out"
    options = Options(handed_in(tmp_path / "in"), out, isolation=LEVEL)
    graded(options)
    fill(out / "review.csv", "Student 04", lines="2,5", comment="=Well done")
    fill(out / "review.csv", "Student 01", lines="99")
    _, notes = graded(replace(options, regrade=True))
    row = table(out)["Student 04"]
    assert (row["score"], row["lines"], row["status"]) == ("2.5", "2.5", "graded")
    assert "=Well done" in row["comment"] and "Well done" in (out / "feedback/Student 04.html").read_text()
    assert any("99" in note and "Student 01" in note for note in notes)
    others = {name: row for name, row in marks(out).items() if name != "Student 04"}
    assert others == {name: row for name, row in marks(first[1]).items() if name != "Student 04"}


def test_a_class_of_another_exercise_is_not_graded(tmp_path):
    source = handed_in(tmp_path / "in", students={"ann": "def alpha_beta(board, depth, heuristic):\n    return 0\n"})
    with pytest.raises(GradingError, match="alpha_beta"):
        graded(Options(source, tmp_path / "out", isolation=LEVEL))
    assert not (tmp_path / "out/grades.csv").exists()


def test_the_command_says_what_there_is_and_where(first, tmp_path):
    command = [sys.executable, "-m", "ttt", "grade", str(first[0]), "--out", str(first[1]), "--isolation", LEVEL]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "2 right" in done.stdout and str(first[1] / "grades.csv") in done.stdout
    done = subprocess.run([*command, "--exercise", "nonsense"], capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "heuristic_1, alpha_beta, interface" in done.stderr


@pytest.mark.skipif(os.name != "posix", reason="Windows has no exec")
def test_a_command_that_is_killed_leaves_no_grader_behind(tmp_path):
    students = {f"Student {n}": f"while True:\n    {n}\n" for n in range(4)}
    source = handed_in(tmp_path / "in", students=students)
    command = [sys.executable, "-m", "ttt", "grade", str(source), "--out", str(tmp_path / "out"), "--isolation", LEVEL]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    while not (tmp_path / "out/grades.db").exists():
        assert process.poll() is None
    process.kill()
    assert process.communicate()[0] == b""  # comes back when nobody holds the pipe any more
    assert kept(tmp_path / "out") == 0


def test_where_the_grader_is_missing_the_command_says_where_it_is(monkeypatch, tmp_path):
    from ttt.cli import grader

    monkeypatch.setattr(grader, "GRADER", tmp_path / "nowhere")
    for command in ("grade", "release", "variant", "guesses"):
        done = CliRunner().invoke(app, [command, "x", "--out", "y"])
        assert done.exit_code == 1 and "repository" in done.output
