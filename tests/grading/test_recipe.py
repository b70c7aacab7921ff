"""The recipe for a new exercise in exercises/README.md, followed in a copy of the package."""

import csv
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import need

ROOT = Path(__file__).parents[2]
RECIPE = (ROOT / "exercises" / "README.md").read_text().partition("## A new exercise")[2]
KEY = re.search(r"```python\n(.*?)```", RECIPE, re.DOTALL)[1]
COMMANDS = [re.sub(r"^ttt ", "", command) for command in re.findall(r"`(ttt (?:variant|grade) [^`]+)`", RECIPE)]
RIGHT = "def wins_at_once(board):\n    return len([cell for cell in board.moves if board.play(cell).winner])\n"
SUBMISSIONS = {
    "right": RIGHT,
    "whether": RIGHT.replace("len(", "int(0 < len(").replace("])", "]))"),
    "list": RIGHT.replace("len(", "("),
}


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """A copy of the package with the recipe's key, and submissions for it."""
    place = tmp_path_factory.mktemp("lab")
    shutil.copytree(ROOT / "ttt", place / "ttt", ignore=shutil.ignore_patterns("__pycache__"))
    (place / "ttt" / "grading" / "wins_at_once.py").write_text(KEY)
    (place / "SUBMISSIONS").mkdir()
    for student, source in SUBMISSIONS.items():
        (place / "SUBMISSIONS" / f"{student}.py").write_text(source)
    return place


def run(lab, *arguments):
    environment = os.environ | {"PYTHONPATH": str(lab)}
    done = subprocess.run([sys.executable, *arguments], cwd=lab, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr + done.stdout
    return done.stdout


def test_a_new_exercise_is_one_short_file_which_the_check_and_the_judge_follow(lab):
    need("sandbox")
    assert len(KEY.splitlines()) < 60 and [command.split()[0] for command in COMMANDS] == ["variant", "grade"]
    run(lab, "-m", "ttt", *COMMANDS[0].split())
    checked = "from ttt.checks import check, hint\n" + RIGHT
    checked += "print(check(wins_at_once, 'wins_at_once').right, hint('wins_at_once'))\n"
    checked += "print(check(lambda board: min(1, wins_at_once(board)), 'wins_at_once').mistake)"
    assert run(lab, "-c", checked).splitlines() == [
        "True Hint 1 of 2: Two of your marks and a free cell in a line: there you win.",
        "whether, not how many",
    ]
    run(lab, "-m", "ttt", *COMMANDS[1].split())
    with (lab / "RESULTS" / "grades.csv").open(newline="") as file:
        rows = {row["student"]: row for row in csv.DictReader(file)}
    assert {student: float(row["score"]) for student, row in rows.items()} == {"right": 1, "whether": 0, "list": 0}
    assert rows["whether"]["misconception"] == "whether, not how many"
    assert rows["list"]["misconception"] == "tuple returned"
