"""Where the names of a student's function come from, in the grader: what a student names is the student's.

The notebook's tests try the same functions. Here, each runs in the sandbox; of those that are right, a few do.
"""

import json
from pathlib import Path

import pytest
from approved import approved
from conftest import sampled
from lab.checks import names
from lab.checks.graded import GRADED
from lab.checks.names import as_python
from own_names import TABLES, cases, code, filled, handed_out, stub

from exercises.grading.isolation import sandbox
from exercises.grading.judging.judge import Judging, judged, taken_over, undefined

SAID = Path(__file__).with_name("said") / "names.txt"
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


def grade(exercise, cells):
    return judged(Judging("ann", exercise, tuple(map(as_python, cells)), "seed", LEVEL))


# ------------------------------------------------------------------------------------------ the names of our own cells


def chain(exercise, names_of_helpers):
    """A right function that asks a helper with each of these names, one after another."""
    first, *_ = [*names_of_helpers, "last"]
    links = zip(names_of_helpers, [*names_of_helpers[1:], "last"], strict=True)
    helpers = [f"def {name}(*given):\n    return {other}(*given)\n" for name, other in links]
    last = FUNCTION[exercise].replace("def heuristic_1", "def last").replace("helping", "last")
    main = f"def {exercise}({ASKED[exercise]}):\n    return {first}({PASSED[exercise]})\n"
    return helpers, last, main


@pytest.mark.parametrize("exercise", GRADED)
def test_a_helper_may_have_any_name_that_a_handed_out_cell_binds_wherever_it_is(exercise):
    taken = sorted({*names.bound(handed_out(exercise)), *LIKELY} - {exercise, "opponent", "inf"})
    helpers, last, main = chain(exercise, taken)
    wrong = [one.replace("return", "return 3 *") for one in helpers]
    for notebook in (
        filled(exercise, [main, last, *helpers]),
        filled(exercise, [*wrong, *helpers, last, main, "as handed out"]),
        filled(exercise, [main], end=[*helpers, last]),
        ["\n".join(filled(exercise, [*helpers, last, main]))],  # a program
    ):
        found = grade(exercise, notebook)
        assert len(taken) > 45 and found.score == 15, found.reason


@pytest.mark.parametrize("exercise", GRADED)
def test_no_cell_below_the_students_binds_a_likely_name(exercise):
    cells = handed_out(exercise)
    assert names.bound(cells[cells.index(stub(exercise)) + 1 :]).keys().isdisjoint(LIKELY)


# ---------------------------------------------------------------------------------------------- the names of a student

OWN_MISTAKE = LINES.replace("value += (0, 1, 3, 0)[mine]", "value += sum([(0, 1, 3, 9)[mine]])")
CASES = {
    **{
        f"{table}: {name}": case
        for table in ("in_the_way", "wrong", "not_to_blame")
        for name, case in cases(table, "task").items()
        if case[1] in GRADED and not TABLES[table][name].get("notebook_only")
    },
    "its own mistake": ([OWN_MISTAKE], "heuristic_1"),
    "its own mistake, and a name in the way": ([OWN_MISTAKE, "sum = 3"], "heuristic_1"),
}


@pytest.mark.parametrize("name", CASES)
def test_the_page_tells_first_which_name_is_odd_and_where_and_blames_no_other(name):
    """What another cell has taken of Python or of the first cell costs nothing."""
    cells, exercise = CASES[name]
    found = grade(exercise, filled(exercise, cells))
    assert (found.score == 15) == name.startswith("in_the_way")
    assert approved(SAID, name, f"{found.score:g} of 15, {found.status}, mistake: {found.mistake}\n{found.told}")


RIGHT = cases("right", "task")


@pytest.mark.parametrize("cells, exercise", sampled(RIGHT.values(), 4), ids=sampled(RIGHT, 4))
def test_a_right_function_gets_all_points_in_any_style(cells, exercise):
    found = grade(exercise, filled(exercise, cells))
    assert (found.score, found.reason) == (15, ""), found.reason


def test_text_that_is_there_but_defines_nothing_is_not_called_deleted():
    told = [
        f"{name}: {undefined([*map(as_python, filled('alpha_beta', cells))], 'alpha_beta', [*map(code, beside)])}"
        for name, (cells, beside) in cases("there", "beside").items()
    ]
    assert approved(SAID, "there", "\n".join(told))


def test_remarks_survive_the_way_out_of_the_sandbox_and_nonsense_does_not():
    found = [names.Remark("left over", "board", 2, "one", 3, 1), names.Remark("kept", "found", 2, "", 1, 1)]
    assert taken_over(json.loads(json.dumps(found))) == found
    odd = [["left over", "a b", 1, "", 0, 0, ""], ["x", "a", 1, "", 0, 0, ""], ["kept", "a", -1, "", 0, 0, ""], 3, None]
    assert taken_over(odd) == taken_over("left over") == []
