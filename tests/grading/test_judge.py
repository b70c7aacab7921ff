"""The judge: what submissions get, and how little it believes of what comes out of the sandbox."""

import json
from dataclasses import replace

import pytest
from conftest import ROOT
from submissions import program, sources

from exercises.grading import judge, sandbox
from exercises.grading.judge import Task, judged
from exercises.grading.key import GRADED
from ttt.exercises.asking import Answer

LEVEL = sandbox.reached()


def grade(exercise, source):
    return judged(Task("ann", exercise, tuple(source.split("<next cell>")), "seed", LEVEL))


def each(*files):
    """The submissions of some files, those of heuristic 1 first: exercise, name and source."""
    cases = [(exercise, *one) for exercise, file in zip(GRADED, files, strict=True) for one in sources(file).items()]
    return pytest.mark.parametrize("exercise, name, source", cases, ids=[name for _, name, _ in cases])


@pytest.fixture
def hurried(monkeypatch):
    """Limits that are reached soon: what goes on without end does so against short ones, too."""
    hasty = replace(judge.FUNCTION, total=1, each=0.3, patience=4, seconds=2, memory=256 << 20)
    monkeypatch.setattr(judge, "FUNCTION", hasty)
    monkeypatch.setattr(sandbox, "WAITING", 4)
    monkeypatch.setattr(sandbox, "LOOK", 0.5)


@each("right", "alpha_beta_right")
def test_right_submissions_get_all_marks(exercise, name, source):
    found = grade(exercise, source)
    assert (found.status, found.score) == ("right", 15), found.reason


@each("wrong", "alpha_beta_wrong")
def test_no_wrong_submission_is_called_right_and_each_is_told_its_mistake(exercise, name, source):
    found = grade(exercise, source)
    assert found.status == "wrong" and found.score < 15 and found.reason and found.kept
    assert found.mistake == name.partition(" / ")[0]


@each("hostile", "alpha_beta_hostile")
def test_no_submission_fools_or_stops_the_judge(exercise, name, source, hurried):
    found = grade(exercise, program(exercise, source))
    assert found.status in ("wrong", "problem") and found.score < 15 and found.reason and found.kept
    assert found.reason.isprintable()


def heard(*lines, most=3):
    return judge.understood(lines, most).answers


@pytest.mark.parametrize(
    "value", [True, "3", [1, -2], {"3": 3}, None, float("nan"), float("inf"), 10**30, -1e300, "\ud800"]
)
def test_what_is_no_number_is_no_answer(value):
    (answer,) = heard([value])
    assert answer.value is None and answer.fault


def test_what_makes_no_sense_is_passed_over_and_no_more_is_taken_than_was_asked():
    assert heard(None, 3, "x", [], {"a": 1}, [1], {"done": 1}, [2, 3, 4]) == (Answer(1), Answer(2), Answer(3))


def test_sentences_from_the_sandbox_are_made_plain():
    problem = judge.understood([{"problem": "a\ud800\nb" * 500}], 1).problem
    assert problem.isprintable() and len(problem) <= 400


def test_a_sandbox_that_does_not_start_is_the_graders_failure_and_not_kept(monkeypatch):
    tries = []

    def dead(*_):
        tries.append(1)
        raise sandbox.NotStarted("dead")

    monkeypatch.setattr(judge, "sandboxed", dead)
    found = grade("heuristic_1", "def heuristic_1(board, player): return 0")
    assert not found.kept and found.score is None and "grader itself" in found.reason
    assert len(tries) == judge.TRIES


def test_what_is_printed_is_no_answer_and_errors_name_the_students_line():
    found = grade(
        "heuristic_1", "import os\nos.write(1, b'[1]\\n' * 100)\ndef heuristic_1(board, player):\n    return missing"
    )
    assert found.score == 0 and "line 4" in found.reason


def test_a_function_of_another_name_is_told_its_name():
    assert "Rename Heuristic1" in grade("heuristic_1", "def Heuristic1(board, player): return 0").reason


def test_a_function_that_ends_the_process_keeps_what_was_answered():
    """The marks are the same on every run, since the questions come in the same order."""
    source = """
import os
calls = 0
def heuristic_1(board, player):
    global calls
    calls += 1
    if calls > 5000:
        os._exit(0)
    return 0
"""
    first, second = grade("heuristic_1", source), grade("heuristic_1", source)
    assert first.status == "wrong" and first.wrong == second.wrong and first.score == second.score < 15


def test_imports_that_the_notebook_makes_and_magics_do_no_harm():
    cells = [
        "%matplotlib inline\nimport matplotlib.pyplot as plt\nfrom ttt import GameBoard, exact, greedy, plots, svg"
    ]
    cells.append(sources("right")["four counters"])
    cells.append("GameBoard(greedy(heuristic_1))\nplots.outcomes([exact('random', 'random')], 'x')\nplt.plot([1])")
    assert grade("heuristic_1", "<next cell>".join(cells)).status == "right"


def test_a_slow_function_is_right_all_the_same(monkeypatch):
    """A fifth of a millisecond for each answer, of a fifth of the time: pandas takes five times as much."""
    monkeypatch.setattr(judge, "FUNCTION", replace(judge.FUNCTION, total=judge.FUNCTION.total / 5))
    slow = "\nimport time\n_f = heuristic_1\ndef heuristic_1(board, player):\n    end = time.perf_counter() + 0.0002\n"
    slow += "    while time.perf_counter() < end: pass\n    return _f(board, player)\n"
    assert grade("heuristic_1", sources("right")["four counters"] + slow).status == "right"


INTERFACE = """
from random import Random
import ipywidgets
class Broken(ipywidgets.VBox):
    board = None
    def play(self, cell): raise ValueError("no game yet")
    def new_game(self): pass
def interface():
    return Broken()
"""


def test_an_interface_waits_for_a_person_whatever_its_check_says():
    found = grade("interface", INTERFACE)
    assert found.status == "needs a person" and found.marks["a"] == 0 and found.reason


def test_the_interface_as_it_is_handed_out_has_not_been_started():
    notebook = json.loads((ROOT / "exercises/interface/interface.ipynb").read_text())
    cells = tuple("".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code")
    found = judged(Task("ann", "interface", cells, "seed", LEVEL))
    assert found.status == "not started" and found.score == 0
