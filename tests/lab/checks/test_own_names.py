"""Where the names of a student's function come from, in the notebook."""

import re

import pytest
from conftest import naming, sampled
from lab.checks import names
from lab.checks.notebook import check, hand_in
from own_names import IMPORTS, Notebook, cases, code, handed_out, stub


@pytest.fixture
def notebook(monkeypatch):
    notebook = Notebook(monkeypatch)
    notebook.run(IMPORTS)
    return notebook


LINES, SUM, SIDE, SIDES = (code([name]) for name in ("lines", "sum", "side", "two sides"))
WRONG = cases("wrong", "task", "told", "unsaid")


@pytest.mark.parametrize("cells, task, words, unsaid", WRONG.values(), ids=WRONG)
def test_the_check_tells_first_which_name_is_odd_and_where(notebook, cells, task, words, unsaid):
    notebook.run(*cells)
    told = check(notebook.names[task])
    assert told.outcome == "not yet" and re.search(naming(*words), told.message), told.message
    assert not unsaid or unsaid not in told.message


IN_THE_WAY = cases("in_the_way", "task", "told")


@pytest.mark.parametrize("cells, task, words", IN_THE_WAY.values(), ids=IN_THE_WAY)
def test_a_name_that_another_cell_has_taken_is_told_and_hand_in_says_that_the_function_is_right(
    notebook, cells, task, words
):
    notebook.run(*cells)
    told = check(notebook.names[task])
    assert told.outcome == "not yet" and re.search(naming(*words, "restart"), told.message), told.message
    told = hand_in(task)
    assert told.right and re.search(naming(*words, "right", "restart"), told.message), told.message
    assert not check(notebook.names[task]).right  # nothing is put back for good


NOT_TO_BLAME = cases("not_to_blame", "task", "unsaid")


@pytest.mark.parametrize("cells, task, unsaid", NOT_TO_BLAME.values(), ids=NOT_TO_BLAME)
def test_a_wrong_functions_own_names_are_not_accused(notebook, cells, task, unsaid):
    notebook.run(*cells)
    told = check(notebook.names[task])
    assert told.outcome == "not yet" and unsaid not in told.message


RIGHT = {name: case for name, case in cases("right", "task").items() if "as handed out" not in case[0]}


@pytest.mark.parametrize("cells, task", sampled(RIGHT.values(), 2), ids=sampled(RIGHT, 2))
def test_a_right_function_is_right_in_any_style(notebook, cells, task):
    notebook.run(*cells)
    assert check(notebook.names[task], task).right and hand_in(task).right


# ------------------------------------------------------------- what a notebook with one namespace can't avoid


def test_the_cell_as_handed_out_below_does_not_hide_that_the_function_is_right(notebook):
    notebook.run(LINES, stub("heuristic_1"))
    told = hand_in()
    assert told.right and re.search(naming("In [3], line 1", "handed out", "delete that cell", "restart"), told.message)
    assert check(notebook.names["heuristic_1"]).outcome == "not started"


def test_a_wrong_function_above_the_cell_as_handed_out_is_told_its_mistake(notebook):
    notebook.run(LINES.replace("1, 3", "1, 2"), stub("heuristic_1"))
    told = hand_in()
    assert told.outcome == "not yet" and re.search(naming("should count 3", "delete that cell"), told.message)


@pytest.mark.parametrize(
    "name, cell, outcome", [("with_wins", "def with_wins", "not yet"), ("hand_in", "hand_in()", "right")]
)
def test_a_helper_named_like_a_tool_of_the_last_cells_is_told_beside_that_the_function_is_right(
    notebook, name, cell, outcome
):
    tool = next(given for given in handed_out("heuristic_1") if cell in given)
    notebook.run(SIDE.replace("side", name), SIDES.replace("side", name), tool)
    told = hand_in()
    assert told.outcome == outcome and "right value on every board" in told.message
    assert re.search(naming("In [4]", "line 2", f"`{name}`", "restart"), told.message) and "lose" not in told.message


def test_only_the_cell_as_handed_out_has_not_been_started(notebook):
    notebook.run(stub("heuristic_1"), "def heuristic1(board, player):\n    return 0")
    told = check(notebook.names["heuristic_1"])
    assert told.outcome == "not started" and re.search(naming("`heuristic1`", "rename", "`heuristic_1`"), told.message)
    assert hand_in().outcome == "not started"


FIXED = """def fixed(board):
    wins = [move for move in board.moves if board.play(move).winner]
    return wins[0] if wins else greedy(heuristic_1).policy(board)"""


def test_a_function_that_calls_one_as_handed_out_is_told_which_one_and_its_cell(notebook):
    notebook.run("from ttt.players import greedy", stub("heuristic_1"), FIXED)
    told = check(notebook.names["fixed"])
    assert told.outcome == "not yet" and "cell above" not in told.message
    assert re.search(naming("`heuristic_1`", "not written yet", "In [3]"), told.message)


# ---------------------------------------------------------------------- the order of running is what counts


def test_in_a_notebook_run_out_of_order_the_cell_run_last_is_quoted(notebook):
    notebook.run("sum = 1", SUM, "del sum", "x = 3", "sum = 2")
    assert re.search(naming("In [6], line 1", "`sum = 2`"), check(notebook.names["heuristic_1"]).message)
    notebook.run("del sum")
    assert check(notebook.names["heuristic_1"]).right


def test_a_variable_renamed_since_is_still_there_until_a_restart(notebook):
    notebook.run(SUM, "sum = 2", "total = 2")
    assert re.search(naming("`sum = 2`", "restart"), check(notebook.names["heuristic_1"]).message)


def test_a_cell_with_magic_is_read_as_python(notebook):
    notebook.run(SUM, "%time sum = 2", "%%time\nsum = 3")
    assert re.search(naming("In [4]", "`sum = 3`"), check(notebook.names["heuristic_1"]).message)


# ------------------------------------------------------------------------------------------------------------- as data


def test_names_bound_in_any_way_are_found():
    cell = """import a.b, c as d
from e import f as g, h
i = (j := 1)
for k, (l, m) in n: o = 1
with p as q: pass
try: pass
except r: s = 2
def t(u): v = 1
class w: x = 1
y: int = 3; z += 1
[aa for aa in bb]
cc = lambda dd: dd
async def ee(): pass
if ff: gg, *hh = ii
jj[0] = kk.ll = 1"""
    found = names.bound(["", cell])
    assert {*found} == {
        *["a", "d", "g", "h", "i", "j", "k", "l", "m", "o", "q", "s", "t", "w", "y", "z", "cc", "ee", "gg", "hh"]
    }
    assert {name for name, [place] in found.items() if place.how == "loop"} == {*"klm"}
    assert {name for name, [place] in found.items() if place.how == "def"} == {"t", "w", "cc", "ee"}
    assert found["gg"] == [names.Place(1, 14, "value")]


CELLS = ["", "max = 3\nfound = []  # `mine`"]
REMARKS = [  # what is remarked, and how it is told
    (
        names.Remark("order", "board"),
        "The check calls `f(board, n)`, but your function has `board` in another place. Write the parameters in "
        "this order.",
    ),
    (
        names.Remark("taken", "side", 4, "", 1, 1),
        "Line 4 needs your own `side`, but `side` is something else now (In [1], line 1: `max = 3`). Give one of "
        "the two another name, or take that line away; {}",
    ),
    (
        names.Remark("redefined", "side", 4, "f", 1, 2),
        "There are two `side`; the last one counts (In [1], line 2: `found = [] # 'mine'`). If line 4 of `f` "
        "needs the other one, rename one of them; {}",
    ),
    (
        names.Remark("rebound", "max", 4, "", 1, 1),
        "Line 4 needs Python's `max`, but `max` is something else now (In [1], line 1: `max = 3`). Use another "
        "name there; {}",
    ),
    (
        names.Remark("rebound", "inf", 4, "g"),
        "Line 4 of `g` needs the notebook's `inf`, but `inf` is something else now. Use another name there; {}",
    ),
    (
        names.Remark("rebound inside", "sum", 4, "g"),
        "`sum` is a variable of your own in line 4 of `g`, so it can't be called as Python's `sum` there. Give "
        "the variable another name.",
    ),
    (
        names.Remark("left over", "board", 4, "", 1, 1, "b"),
        "Line 4 reads `board`, a variable of this notebook (In [1], line 1: `max = 3`). Your parameter is `b`.",
    ),
    (
        names.Remark("left over", "n", 4),
        "Line 4 reads `n`, a variable of this notebook. The function gives it no value.",
    ),
    (
        names.Remark("left over", "n", 4, "g"),
        "Line 4 of `g` reads `n`, a variable of this notebook. Pass it to `g` as a parameter.",
    ),
    (
        names.Remark("the lab's", "minimax", 4),
        "Line 4 uses `minimax`, which comes from `ttt`.",
    ),
]
KEPT = [names.Remark("kept", name, 4, "", 1, at) for name, at in (("a", 1), ("b", 0), ("found", 2))]
BY_ALL = [one._replace(kind="kept by all") for one in KEPT[:1]]


@pytest.mark.parametrize(("remark", "told"), REMARKS)
def test_a_remark_is_told_in_these_words(remark, told):
    assert names.told([remark], "f(board, n)", CELLS, "In [{}]") == [told.format(names.RESTART)]


def test_all_that_is_kept_is_told_in_one_sentence_and_no_more_than_five_remarks_are():
    first, found = "`a` (In [1], line 1: `max = 3`)", "`found` (In [1], line 2: `found = [] # 'mine'`)"
    assert names.told(KEPT, "", CELLS, "In [{}]") == [
        f"{first}, `b` and {found} are outside your function, so they keep what earlier calls have stored. "
        "Begin the function with new ones."
    ]
    assert names.told(BY_ALL, "", CELLS, "In [{}]") == [
        f"{first} is outside your function, so it keeps what earlier calls have stored. "
        "Let each call return what it has found, and combine what the calls inside it return."
    ]
    assert len(names.told([remark for remark, _ in REMARKS], "", CELLS, "{}")) == 5
