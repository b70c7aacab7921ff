"""The key of the exercise: what students get follows from it, and a variant follows from its settings."""

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from ttt import Board, opponent
from ttt.exercises import Answer, Exercise, check, load
from ttt.grading import batch, heuristic_1, judge, marking
from ttt.grading.heuristic_1 import total, weighed
from ttt.grading.judge import Question
from ttt.grading.sandbox import isolation_level

ROOT = Path(__file__).parents[2]
KEY = heuristic_1.key()


def test_what_students_get_is_what_the_key_says():
    kept = load("heuristic_1")
    assert kept == KEY.worked_out() == Exercise.from_json(KEY.worked_out().to_json())


TABLES = {
    "the lab's": [0, 1, 3, 0],
    "README's times four": [0, 1, 4, 0],
    "one weight": [0, 0, 2, 0],
    "multiples": [0, 2, 6, 0],
    "completed lines": [0, 1, 3, 5],
    "falling": [0, 2, 1, 0],
    "negative": [0, -1, 2, 0],
}


@cache
def variant(name):
    """The key and the students' exercise for a table of weights."""
    key = heuristic_1.key_for(heuristic_1.settings() | {"weights": TABLES[name]})
    return key, key.worked_out()


@pytest.mark.parametrize("table", TABLES)
def test_no_slip_passes_the_check_and_fails_the_judge_nor_the_reverse(table):
    key, exercise = variant(table)
    slips = heuristic_1.slips(Board(), TABLES[table])
    wrong = key.slipped(key.questions) != list(key.values)
    cases = [key.places[Question(case.board, case.player)] for case in exercise.cases]
    passes_check, passes_judge = ~wrong[:, cases].any(1), ~wrong.any(1)
    assert (passes_check == passes_judge).all()
    assert len(slips) == len(wrong) and (~passes_judge).sum() >= 400 and len(cases) <= 40


def test_slips_have_the_values_that_their_functions_give_and_the_check_refuses_them():
    key, exercise = variant("the lab's")
    slips = heuristic_1.slips(Board(), [0, 1, 3, 0])
    some = key.questions[::97]
    values = key.slipped(some)
    for slip, row in list(zip(slips, values, strict=True))[::20]:
        assert [slip.function(one.board, one.player) for one in some] == row.tolist(), slip.name
    wrong = key.slipped(key.questions) != list(key.values)
    for slip, refused in list(zip(slips, wrong.any(1), strict=True))[::20]:
        assert check(exercise, slip.function).right != refused, slip.name


def test_a_pair_beside_an_opponents_mark_is_refused_and_so_is_a_limit_of_5():
    def beside(board, player):
        rival = opponent(player)
        found = KEY.right(board, player)
        return found + 3 * sum(line.count(player) == 2 and line.count(rival) == 1 for line in board.lines)

    limited = [lambda board, player: min(5, KEY.right(board, player)), lambda *asked: max(-5, KEY.right(*asked))]
    for function in (beside, *limited):
        assert check(load("heuristic_1"), function).outcome == "not yet"


def test_slips_in_what_a_line_counts_are_named_by_the_lines_that_they_change():
    _, exercise = variant("README's times four")
    right, lines = weighed([0, 1, 4, 0]), Board().line_cells
    kinds = [(a, b) for a in range(4) for b in range(4 - a)]
    changed = [slip for slip in heuristic_1.slips(Board(), [0, 1, 4, 0]) if (slip.lines, slip.done) == (lines, int)]
    for slip in changed[::15]:
        off = [kind for kind in kinds if slip.worth(*kind) != right(*kind)]
        asked = [Answer(slip.function(*probe)) for probe in exercise.probes]
        found = exercise.diagnosed(asked, exercise.probes[0]) if off else None
        if off and all(min(kind) > 0 for kind in off):
            assert found.name == "blocked lines counted", slip.name
        if off and all(max(kind) == 3 for kind in off):
            assert found.name == "completed lines counted", slip.name
        assert not off or found, slip.name


def test_order_in_a_line_is_blamed_only_where_it_matters():
    """Many other worths at once fit a model of orders as well, which would be a wrong diagnosis."""
    exercise = variant("the lab's")[1]
    many = total(lambda own, other: (4 if own == 1 and other != 1 else 0) - (3 if other < 2 and own != 1 else 2))
    found = exercise.diagnosed([Answer(many(*probe)) for probe in exercise.probes], exercise.probes[0])
    assert found.name == "many kinds of lines" and found.sentence.count("should count") == 3


def test_last_years_answer_earns_only_the_parts_on_which_it_is_right():
    key, _ = variant("README's times four")
    assert [part.title for part in key.still_earned()] == [heuristic_1.settings()["parts"]["singles"]]
    assert KEY.still_earned() == []
    assert heuristic_1.key_for(heuristic_1.settings() | {"weights": [0, 2, 5, 0]}).still_earned() == []


def test_hints_and_terms_follow_the_weights():
    for table, words in {"the lab's": "four", "completed lines": "six"}.items():
        assert f"There are {words} kinds of line that count" in variant(table)[1].hints[-1]
    assert [*variant("completed lines")[1].worked[2].terms] == ["x1", "x2", "x3", "o1", "o2", "o3"]
    value = {table: variant(table)[1].worked[2].value for table in ("the lab's", "README's times four")}
    assert value == {"the lab's": 2, "README's times four": 3}


def test_weights_that_make_no_exercise_are_refused():
    for weights in ([0, 0, 0, 0], [0, 1, 3], [0, 1, 3, 9, 0]):
        with pytest.raises(ValueError, match="weights needs 4 numbers"):
            heuristic_1.key_for(heuristic_1.settings() | {"weights": weights})


def test_the_parts_sum_up_to_15_marks_and_none_is_empty():
    assert sum(part.marks for part in KEY.parts) == 15
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
    assert graded.reason.startswith(f"Wrong on {len(odd):,} of 10,956: every position, seen from both sides.")
    assert len(graded.case.board.moves) == 8 and graded.case.given == "77"
    assert batch._record("ann", graded).reason.endswith(f" {batch.SHOWN}")
    known = replace(graded, misconception="signs swapped")
    assert batch.SHOWN not in batch._record("ann", known).reason


SETTINGS = {
    "other weights": ("weights = [0, 1, 4, 0]\n", (0, 1, 4, 0)),
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
