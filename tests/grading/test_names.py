"""Where the names of a student's function come from, in the grader: what a student names is the student's.

The notebook's tests try the same functions. Here, each runs in the sandbox; of those that are right, a few do.
"""

import json
import re
import sys

import pytest
from conftest import naming, sampled
from lab.checks import names
from lab.checks.graded import GRADED
from lab.checks.names import as_python
from own_names import TABLES, cases, code, filled, handed_out, stub

from exercises.grading.intake.reading import not_python
from exercises.grading.isolation import sandbox
from exercises.grading.judging.judge import Judging, judged, taken_over, undefined

LEVEL = sandbox.reached()
LIKELY = [
    *("alphabeta", "alpha_beta_helper", "ab", "better", "best", "board", "calls", "count", "counted", "depth"),
    *("evaluate", "exact", "helper", "judge", "max_value", "maximize", "maximizer", "min_value", "minimax"),
    *("minimize", "minimizer", "move", "moves", "negamax", "player", "plays", "results", "score", "search", "show"),
    *("solve", "state", "tree", "value", "values"),
]
LINES, SEARCH = code(["lines"]), code(["helping"])
FUNCTION = {"heuristic_1": LINES, "alpha_beta": SEARCH}
ASKED = {"heuristic_1": "board, player", "alpha_beta": "board, depth, heuristic"}
PASSED = {"heuristic_1": "board, player", "alpha_beta": "board, depth, heuristic, -inf, inf, board.turn"}


def grade(exercise, cells, beside=()):
    return judged(Judging("ann", exercise, tuple(map(as_python, cells)), "seed", LEVEL, tuple(beside)))


# ------------------------------------------------------------------------------------------ the names of our own cells


def chain(exercise, names_of_helpers):
    """A right function that asks a helper with each of these names, one after another."""
    first, *_ = [*names_of_helpers, "last"]
    links = zip(names_of_helpers, [*names_of_helpers[1:], "last"], strict=True)
    helpers = [f"def {name}(*given):\n    return {other}(*given)\n" for name, other in links]
    last = FUNCTION[exercise].replace("def heuristic_1", "def last").replace("helping", "last")
    main = f"def {exercise}({ASKED[exercise]}):\n    return {first}({PASSED[exercise]})\n"
    return helpers, last, main


WHERE = {  # in which cells the helpers are, the right function and the one that is asked
    "the function first": lambda helpers, last, main: [main, last, *helpers],
    "each twice, the cell as handed out below": lambda helpers, last, main: [
        *(one.replace("return", "return 3 *") for one in helpers),
        *[*helpers, last, main, "as handed out"],
    ],
}


@pytest.mark.parametrize("how", WHERE)
@pytest.mark.parametrize("exercise", GRADED)
def test_a_helper_may_have_any_name_that_a_handed_out_cell_binds(exercise, how):
    taken = sorted({*names.bound(handed_out(exercise))} - {exercise, "opponent", "inf"})
    found = grade(exercise, filled(exercise, WHERE[how](*chain(exercise, taken))))
    assert len(taken) > 15 and found.score == 15, found.reason


@pytest.mark.parametrize("exercise", GRADED)
def test_a_helper_may_have_these_names_at_the_end_and_in_a_program_and_in_the_sandbox(exercise):
    taken = sorted({*names.bound(handed_out(exercise)), *LIKELY} - {exercise, "opponent", "inf"})
    helpers, last, main = chain(exercise, taken)
    assert grade(exercise, filled(exercise, [main], end=[*helpers, last])).score == 15
    program = "\n".join(filled(exercise, [*helpers, last, main]))
    assert grade(exercise, [program]).score == 15


@pytest.mark.parametrize("exercise", GRADED)
def test_no_cell_below_the_students_binds_a_likely_name(exercise):
    cells = handed_out(exercise)
    assert names.bound(cells[cells.index(stub(exercise)) + 1 :]).keys().isdisjoint(LIKELY)


# ---------------------------------------------------------------------------------------------- the names of a student


WRONG = {
    name: case
    for name, case in cases("wrong", "task", "told", "unsaid").items()
    if case[1] in GRADED and not TABLES["wrong"][name].get("notebook_only")
}


@pytest.mark.parametrize("cells, exercise, words, unsaid", WRONG.values(), ids=WRONG)
def test_the_page_tells_first_which_name_is_odd_and_where(cells, exercise, words, unsaid):
    found = grade(exercise, filled(exercise, cells))
    assert found.score < 15 and re.search(naming(*words), found.told), found.told
    assert not unsaid or unsaid not in found.told


IN_THE_WAY = cases("in_the_way", "task", "told")


@pytest.mark.parametrize("cells, exercise, words", IN_THE_WAY.values(), ids=IN_THE_WAY)
def test_what_another_cell_has_taken_of_python_or_of_the_first_cell_costs_nothing(cells, exercise, words):
    found = grade(exercise, filled(exercise, cells))
    assert (found.score, found.status) == (15, "right") and re.search(naming(*words), found.reason), found.reason


def test_with_a_name_put_back_only_the_functions_own_mistake_costs_points():
    wrong = LINES.replace("value += (0, 1, 3, 0)[mine]", "value += sum([(0, 1, 3, 9)[mine]])")
    alone, both = (grade("heuristic_1", filled("heuristic_1", [wrong, *more])) for more in ([], ["sum = 3"]))
    assert alone.score == both.score and alone.mistake == both.mistake == "completed lines counted"
    assert "`sum = 3`" in both.reason and alone.reason in both.reason


NOT_TO_BLAME = cases("not_to_blame", "task", "unsaid")


@pytest.mark.parametrize("cells, exercise, unsaid", NOT_TO_BLAME.values(), ids=NOT_TO_BLAME)
def test_a_wrong_functions_own_names_are_not_accused(cells, exercise, unsaid):
    found = grade(exercise, filled(exercise, cells))
    assert found.score < 15 and unsaid not in found.told


RIGHT = cases("right", "task")


@pytest.mark.parametrize("cells, exercise", sampled(RIGHT.values(), 4), ids=sampled(RIGHT, 4))
def test_a_right_function_gets_all_points_in_any_style(cells, exercise):
    found = grade(exercise, filled(exercise, cells))
    assert (found.score, found.reason) == (15, ""), found.reason


# ------------------------------------------------------------------------------------------ text that defines nothing


THERE = cases("there", "beside", "told")


@pytest.mark.parametrize("cells, beside, words", THERE.values(), ids=THERE)
def test_text_that_is_there_is_not_called_deleted(cells, beside, words):
    told = undefined([*map(as_python, filled("alpha_beta", cells))], "alpha_beta", [*map(code, beside)])
    assert re.search(naming(*words), told), told
    assert ("deleted" in told) == ("deleted" in words)


NESTED = """def alpha_beta(board, depth, heuristic):
    note = f"{"X" if board.turn == "X" else "O"}"
    return shown(note)"""
GENERIC = "def alpha_beta[T](board: T, depth, heuristic):\n    return heuristic(board, board.turn)"
HELPER = "def shown[T](note: T):\n    return note"
ASKS = "def alpha_beta(board, depth, heuristic):\n    return shown(0)"


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="this Python reads the syntax of 3.12")
@pytest.mark.parametrize(
    "cells, version, words",
    [
        ([NESTED], "3.13.1", ["cell 2", "Python 3.13.1", "3.11", "line 2", "instructor"]),
        ([GENERIC], "3.12", ["Python 3.12", "3.11", "line 1", "instructor"]),
        ([NESTED], "", ["not valid in Python 3.11", "line 2", "instructor"]),
        ([GENERIC], "", ["not valid in Python 3.11", "line 1", "instructor"]),
        ([ASKS, HELPER], "3.13", ["cell 3", "Python 3.13", "line 1"]),
        (["def alpha_beta(board:\n    pass"], "", ["is not valid Python,"]),
        ([GENERIC], "{}.{}.9".format(*sys.version_info), ["is not valid Python,"]),
        ([ASKS, "def other[T](note): pass"], "3.13", []),
        ([ASKS, HELPER], "", []),  # told with the error that follows
    ],
)
def test_syntax_of_a_newer_python_is_not_called_invalid(cells, version, words):
    told = not_python(["import os", *cells], "alpha_beta", version)
    assert re.search(naming(*words), told) and bool(told) == bool(words), told


def test_remarks_survive_the_way_out_of_the_sandbox_and_nonsense_does_not():
    found = [names.Remark("left over", "board", 2, "one", 3, 1), names.Remark("kept", "found", 2, "", 1, 1)]
    assert taken_over(json.loads(json.dumps(found))) == found
    odd = [["left over", "a b", 1, "", 0, 0, ""], ["x", "a", 1, "", 0, 0, ""], ["kept", "a", -1, "", 0, 0, ""], 3, None]
    assert taken_over(odd) == taken_over("left over") == []
