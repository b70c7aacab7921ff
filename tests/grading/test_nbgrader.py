"""nbgrader from end to end with our judge in it: hand out, hand in, collect, grade, give feedback, export."""

import csv
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tomllib
from importlib.util import find_spec
from pathlib import Path

import pytest

from ttt.grading.sandbox import isolation_level

pytestmark = pytest.mark.skipif(find_spec("nbgrader") is None, reason="nbgrader is not installed")

ROOT = Path(__file__).parents[2]
SCRIPTS = sysconfig.get_path("scripts")

RIGHT = """
def heuristic_1(board, player):
    total = 0
    for line in board.lines:
        own, empty = line.count(player), line.count("-")
        other = len(line) - own - empty
        total += worth(own, other) - worth(other, own)
    return total
"""
HELPER = """
def worth(own, other):
    return (0, 1, 3, 0)[own] if not other else 0
"""
COMPLETED = HELPER.replace("(0, 1, 3, 0)", "(0, 1, 3, 9)")  # completed lines counted
HOSTILE = """
import os, sys

class Always(int):
    def __eq__(self, other):
        return True

def heuristic_1(board, player):
    print(15.0)
    return Always(0)

class Check:
    def __call__(self, function):
        return 15.0

check = Check()
sys.modules["ttt.checks"] = Check
"""


def handed_in(notebook, change):
    """A released notebook with something changed in it."""
    notebook = json.loads(json.dumps(notebook))
    change(notebook, {cell["metadata"].get("nbgrader", {}).get("grade_id"): cell for cell in notebook["cells"]})
    return notebook


def right(notebook, cells):
    cells["heuristic_1"]["source"] = HELPER + RIGHT


def partly(notebook, cells):
    cells["heuristic_1"]["source"] = COMPLETED + RIGHT


def untouched(notebook, cells):
    pass


def hostile(notebook, cells):
    cells["heuristic_1"]["source"] = HOSTILE
    cells["check_heuristic_1"]["source"] = "100.0"
    cells["check_heuristic_1"]["metadata"]["nbgrader"]["points"] = 100


def careless(notebook, cells):
    """Right, but with the helper in a new cell at the end, and the cell with the check deleted."""
    cells["heuristic_1"]["source"] = RIGHT
    notebook["cells"].remove(cells["check_heuristic_1"])
    helper = {"cell_type": "code", "id": "mine", "metadata": {}, "outputs": [], "execution_count": None}
    notebook["cells"].append(helper | {"source": HELPER})


def damaged(**marks):
    """Right, but with other marks of nbgrader's on the graded cell."""

    def change(notebook, cells):
        right(notebook, cells)
        cells["check_heuristic_1"]["metadata"]["nbgrader"] = marks

    return change


def copied(notebook, cells):
    """Right, but with a copy of every cell, and a script in a text cell."""
    right(notebook, cells)
    notebook["cells"] = [cell for cell in notebook["cells"] for _ in range(2)]
    text = {"cell_type": "markdown", "id": "text", "metadata": {}, "source": "**Mine** <script>stolen()</script>"}
    notebook["cells"].append(text)


def unreadable(notebook, cells):
    notebook["cells"] = "none"


# A part that completed lines don't touch is earned: 15 marks but 2 for completed lines and 3 for all positions.
STUDENTS = {"ann": (right, 15), "bob": (partly, 10), "cid": (untouched, 0), "dan": (hostile, 0), "eve": (careless, 15)}
DAMAGED = {
    "fay": (damaged(), 15),
    "gil": (damaged(grade_id="check_heuristic_1", schema_version=1), 15),
    "hal": (damaged(grade_id="check_heuristic_1", schema_version=99), 15),
    "ivy": (damaged(grade_id=["check_heuristic_1"], grade="yes"), 15),
    "jon": (damaged(grade_id="another", schema_version=3, grade=True, points=100), 15),
    "kay": (copied, 15),
    "lee": (unreadable, 0),
}
STUDENTS |= DAMAGED


SUBMISSIONS = Path(__file__).parent / "submissions"
RIGHT_SEARCHES, WRONG_SEARCHES = (
    tomllib.loads((SUBMISSIONS / f"alpha_beta_{kind}.toml").read_text()) for kind in ("right", "wrong")
)
SEARCHES = {"ann": RIGHT_SEARCHES["negamax, fail-soft"], "bob": WRONG_SEARCHES["never cuts"], "cid": ""}

# What one does in a terminal, command after command, without a new interpreter for each.
TERMINAL = """
import contextlib, json, os, sys
from jupyter_core.application import NoStart
from nbgrader.apps import NbGraderApp
for folder, command in json.load(sys.stdin):
    os.chdir(folder)
    app = NbGraderApp(log_level=20)
    app.initialize(command)
    with contextlib.suppress(NoStart, SystemExit):  # as an application with a command ends, or one with an error
        app.start()
    app.subapp.clear_instance()
"""


class Course:
    """A course folder with an exchange beside it, and nbgrader used in both."""

    def __init__(self, place):
        self.place, self.folder = place, place / "course"
        for exercise in ("heuristic_1", "alpha_beta"):
            source = self.folder / "source" / exercise
            source.mkdir(parents=True)
            shutil.copy(ROOT / "exercises" / exercise / f"{exercise}.ipynb", source)
        shutil.copy(ROOT / "exercises" / "nbgrader_config.py", self.folder)
        (place / "exchange").mkdir()
        (place / "exchange").chmod(0o777)

    def nbgrader(self, *commands):
        """Run commands, each given as a folder and its words; returns what was logged."""
        exchange = ["--course=lab", f"--Exchange.root={self.place / 'exchange'}", f"--Exchange.cache={self.place}"]
        told = json.dumps([[str(folder), [*command.split(), *exchange]] for folder, command in commands])
        home = {"HOME": str(self.place), "JUPYTER_DATA_DIR": str(self.place), "JUPYTER_CONFIG_DIR": str(self.place)}
        path = {"PATH": os.pathsep.join([SCRIPTS, os.environ["PATH"]])}  # nbgrader calls alembic
        command = [sys.executable, "-c", TERMINAL]
        run = subprocess.run(command, input=told, env=os.environ | home | path, capture_output=True, text=True)
        assert run.returncode == 0, run.stderr
        return run.stderr

    def student(self, name):
        """A student's own folder."""
        folder = self.place / "students" / name
        folder.mkdir(parents=True)
        return folder


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """A course that has gone through everything once."""
    course = Course(tmp_path_factory.mktemp("nbgrader"))
    here = course.folder
    students = {student: course.student(student) for student in STUDENTS}
    course.nbgrader(
        (here, "generate_assignment heuristic_1"),
        (here, "release_assignment heuristic_1"),
        *((folder, "fetch_assignment heuristic_1") for folder in students.values()),
    )
    for student, (change, _) in STUDENTS.items():
        path = students[student] / "heuristic_1" / "heuristic_1.ipynb"
        path.write_text(json.dumps(handed_in(json.loads(path.read_text()), change)))
    for student, source in SEARCHES.items():
        notebook = json.loads((ROOT / "exercises" / "alpha_beta" / "alpha_beta.ipynb").read_text())
        cell = next(cell for cell in notebook["cells"] if cell["id"] == "ab-08")
        cell["source"] = source or cell["source"]
        folder = here / "submitted" / student / "alpha_beta"
        folder.mkdir(parents=True)
        (folder / "alpha_beta.ipynb").write_text(json.dumps(notebook))
    course.log = course.nbgrader(
        (here, "generate_assignment alpha_beta"),
        (here, f"autograde alpha_beta --Judge.isolation={isolation_level()}"),
        *((folder, f"submit heuristic_1 --student={student}") for student, folder in students.items()),
        (here, "collect heuristic_1"),
        (here, f"autograde heuristic_1 --Judge.isolation={isolation_level()}"),
        (here, "generate_feedback heuristic_1"),
        (here, "export"),
    )
    return course


def test_the_exercise_is_handed_out_with_its_stub(course):
    released = (course.folder / "release" / "heuristic_1" / "heuristic_1.ipynb").read_text()
    assert "def heuristic_1(board, player):" in released and "raise NotImplementedError" in released
    assert [path.name for path in (course.folder / "release" / "heuristic_1").iterdir()] == ["heuristic_1.ipynb"]


def test_the_exported_scores_are_the_judges_with_partial_credit(course):
    with (course.folder / "grades.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    scores = {(row["assignment"], row["student_id"]): float(row["score"]) for row in rows}
    assert {student: scores["heuristic_1", student] for student in STUDENTS} == {
        student: score for student, (_, score) in STUDENTS.items()
    }
    assert [scores["alpha_beta", student] for student in SEARCHES] == [15, 10, 0]
    assert all(float(row["max_score"]) == 15 for row in rows)


def test_damaged_and_copied_cells_stop_nobody(course):
    graded = {path.parts[-3] for path in (course.folder / "autograded").glob("*/*/heuristic_1.ipynb")}
    assert graded == STUDENTS.keys() - {"lee"} and "lee" in course.log


def test_scripts_in_text_cells_do_nothing_in_the_feedback(course):
    page = (course.folder / "feedback" / "kay" / "heuristic_1" / "heuristic_1.html").read_text()
    assert "<strong>Mine</strong>" in page and "<script>stolen" not in page


def test_feedback_says_why_marks_were_lost(course):
    pages = {
        s: (course.folder / "feedback" / s / "heuristic_1" / "heuristic_1.html").read_text()
        for s in STUDENTS
        if s != "lee"
    }
    assert "You count a completed line" in pages["bob"] and "10.0" in pages["bob"]
    assert "All of it is right." in pages["ann"] and "All of it is right." in pages["eve"]
    assert "as it was handed out" in pages["cid"]


def test_nothing_of_a_submission_is_run(course):
    graded = json.loads((course.folder / "autograded" / "ann" / "heuristic_1" / "heuristic_1.ipynb").read_text())
    shown = [cell["metadata"].get("nbgrader", {}).get("grade_id") for cell in graded["cells"] if cell.get("outputs")]
    assert shown == ["check_heuristic_1"]
    assert "kernel" not in course.log.lower()
