"""The key of the exercise: what students get follows from it, and a variant follows from its settings."""

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from ttt.exercises import Exercise, load
from ttt.grading import batch, heuristic_1, judge, marking
from ttt.grading.sandbox import isolation_level

ROOT = Path(__file__).parents[2]
KEY = heuristic_1.key()


def test_what_students_get_is_what_the_key_says():
    kept = load("heuristic_1")
    assert kept == KEY.worked_out() == Exercise.from_json(KEY.worked_out().to_json())


def test_the_cases_tell_the_right_function_and_every_known_mistake_apart():
    exercise = KEY.worked_out()
    answers = {tuple(case.value for case in exercise.cases): {""}}
    for mistake in exercise.mistakes:
        answers.setdefault(mistake.values, set()).add(mistake.name)
    assert all(len(names) == 1 for names in answers.values())
    assert len(exercise.cases) <= 24


def test_the_parts_sum_up_to_15_marks_and_none_is_empty():
    assert sum(part.marks for part in KEY.parts) == KEY.points == 15
    assert all(part.questions for part in KEY.parts)
    assert len(KEY.parts[-1].questions) == 2 * 5478


def test_the_parts_are_called_the_same_wherever_they_stand():
    folder = ROOT / "exercises"
    notebook = json.loads((folder / "heuristic_1" / "heuristic_1.ipynb").read_text(encoding="utf-8"))
    pages = ["".join(cell["source"]) for cell in notebook["cells"]]
    told = [re.findall(r"^\| (.+) \| (\d) \|$", page, re.MULTILINE) for page in pages if "How it is marked" in page]
    readme = (folder / "README.md").read_text(encoding="utf-8").partition("## How marks come about")[2]
    named = [(part.title, str(part.marks)) for part in KEY.parts]
    assert told == [named] and re.findall(r"^\| (.+) \| (\d) \|$", readme, re.MULTILINE)[:6] == named


def test_who_is_wrong_in_no_known_way_is_told_on_how_much_and_shown_the_simplest_board():
    odd = [place for place, question in enumerate(KEY.questions) if len(question.board.moves) in (8, 5)]
    values = dict(enumerate(KEY.values)) | dict.fromkeys(odd, 77)
    graded = marking.grade(KEY, judge.Answers(values, {}, False, "", True, 0, "full"))
    assert (graded.status, graded.misconception) == ("wrong", "")
    assert graded.reason == f"Wrong on {len(odd):,} of 10,956: every position, seen from both sides."
    assert len(graded.case.board.moves) == 8 and graded.case.given == "77"
    assert batch._record("ann", graded).reason.endswith(f"both sides. {batch.SHOWN}")
    known = replace(graded, misconception="signs swapped")
    assert batch.SHOWN not in batch._record("ann", known).reason


SETTINGS = {
    "other weights": ("shape = [3, 3]\nk = 3\nweights = [0, 1, 4, 0]\n", (0, 1, 4, 0)),
    "4x4": ("shape = [4, 4]\nk = 4\nweights = [0, 1, 3, 9, 0]\n", (0, 1, 3, 9, 0)),
}
TRIED = """
import json
from ttt import checks
from ttt.grading import heuristic_1, marking
KEY = heuristic_1.key()
WORTH = {worth}
def right(board, player):
    other = "O" if player == "X" else "X"
    return sum((0 if other in line else WORTH[line.count(player)]) - (0 if player in line else WORTH[line.count(other)])
               for line in board.lines)
source = '''{source}'''
answers, grade = marking.mark(KEY, source, {level!r})
wrong = marking.mark(KEY, source.replace("(0 if player in line", "-(0 if player in line"), {level!r})[1]
print(json.dumps([checks.check(right).outcome, checks.check(lambda b, p: -right(b, p)).mistake,
                  grade.status, grade.score, wrong.misconception, len(KEY.questions)]))
"""
SOURCE = """
def heuristic_1(board, player):
    WORTH = {worth}
    other = "O" if player == "X" else "X"
    return sum((0 if other in line else WORTH[line.count(player)]) - (0 if player in line else WORTH[line.count(other)])
               for line in board.lines)
"""


@pytest.mark.parametrize("settings, worth", SETTINGS.values(), ids=SETTINGS)
def test_a_variant_follows_from_its_settings_in_the_check_and_in_the_grading(settings, worth, tmp_path):
    shutil.copytree(ROOT / "ttt", tmp_path / "ttt", ignore=shutil.ignore_patterns("__pycache__"))
    toml = tmp_path / "ttt" / "grading" / "heuristic_1.toml"
    toml.write_text(settings + toml.read_text()[toml.read_text().index("[marks]") :])
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    run = [sys.executable, "-m", "ttt", "variant"]
    done = subprocess.run(run, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0 and str(tmp_path) in done.stdout, done.stderr
    level = isolation_level()
    tried = TRIED.format(worth=worth, source=SOURCE.format(worth=worth), level=level)
    done = subprocess.run([sys.executable, "-c", tried], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    check, mistake, status, score, misconception, questions = json.loads(done.stdout)
    assert (check, mistake, status, score, misconception) == ("right", "signs swapped", "right", 15, "opponent added")
    assert questions >= 10_000
