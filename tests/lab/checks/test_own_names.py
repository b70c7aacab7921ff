"""Where the names of a student's function come from, in the notebook."""

from pathlib import Path

import pytest
from approved import approved
from lab.checks import names
from lab.checks.graded import GRADED
from lab.checks.names import Remark
from lab.checks.notebook import check, hand_in
from own_names import IMPORTS, Notebook, cases, code, fewer, handed_out, stub

SAID = Path(__file__).parent / "said" / "names.txt"


@pytest.fixture
def notebook(monkeypatch):
    """A notebook, whose functions are asked few questions: the mistakes in their values are another matter."""
    monkeypatch.setattr("lab.checks.notebook.load", fewer)
    notebook = Notebook(monkeypatch)
    notebook.run(IMPORTS)
    return notebook


LINES, SUM, SIDE, SIDES = (code([name]) for name in ("lines", "sum", "side", "two sides"))
STUB = stub("heuristic_1")
FIXED = """def fixed(board):
    wins = [move for move in board.moves if board.play(move).winner]
    return wins[0] if wins else greedy(heuristic_1).policy(board)"""


def with_a_tool(name, cell):
    """A helper named like a tool of the exercise's last cells."""
    tool = next(given for given in handed_out("heuristic_1") if cell in given)
    return [SIDE.replace("side", name), SIDES.replace("side", name), tool], "heuristic_1"


TABLES = ("in_the_way", "wrong", "not_to_blame")
CASES = {  # cells, and the task whose function is checked; of a graded exercise, it is also handed in
    **{f"{table}: {name}": case for table in TABLES for name, case in cases(table, "task").items()},
    "right, but the cell as handed out is below": ([LINES, STUB], "heuristic_1"),
    "wrong, and the cell as handed out is below": ([LINES.replace("1, 3", "1, 2"), STUB], "heuristic_1"),
    "a helper named like a function of the tournament": with_a_tool("with_wins", "def with_wins"),
    "a helper named like a tool": with_a_tool("hand_in", "hand_in()"),
    "as handed out, and another name": ([STUB, "def heuristic1(board, player):\n    return 0"], "heuristic_1"),
    "calls one as handed out": (["from ttt.players import greedy", STUB, STUB, FIXED], "fixed"),
    "run out of order": (["sum = 1", SUM, "del sum", "x = 3", "sum = 2"], "heuristic_1"),
    "deleted since": (["sum = 1", SUM, "del sum", "x = 3", "sum = 2", "del sum"], "heuristic_1"),
    "renamed since": ([SUM, "sum = 2", "total = 2"], "heuristic_1"),
    "magic": ([SUM, "%time sum = 2", "%%time\nsum = 3"], "heuristic_1"),
}


@pytest.mark.parametrize("name", CASES)
def test_a_check_and_hand_in_say_which_name_is_odd_and_where_and_nothing_else(notebook, name):
    cells, task = CASES[name]
    notebook.run(*cells)
    found = check(notebook.names[task])
    handed_in = hand_in(task) if task in GRADED else found
    other = "" if handed_in.message.startswith(found.message) else f"\n{handed_in}"
    assert approved(SAID, name, f"{found}{other}")
    assert [found.right, handed_in.right] == [False, True] or not name.startswith("in_the_way")


RIGHT = {name: case for name, case in cases("right", "task").items() if "as handed out" not in case[0]}


@pytest.mark.parametrize("cells, task", RIGHT.values(), ids=RIGHT)
def test_a_right_function_is_right_in_any_style(notebook, cells, task):
    notebook.run(*cells)
    assert check(notebook.names[task], task).right and hand_in(task).right


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


CELLS = ["", f"max = 3\nfound = []  # `mine`, {'which makes a line longer than what is shown of it' * 2}"]
REMARKS = [
    *[Remark("order", "board"), Remark("taken", "side", 4, "", 1, 1), Remark("redefined", "side", 4, "f", 1, 2)],
    *[Remark("rebound", "max", 4, "", 1, 1), Remark("rebound", "inf", 4, "g"), Remark("rebound inside", "sum", 4, "g")],
    *[Remark("left over", "board", 4, "", 1, 1, "b"), Remark("left over", "n", 4), Remark("left over", "n", 4, "g")],
    Remark("the lab's", "minimax", 4),
]
KEPT = [Remark("kept", name, 4, "", 1, at) for name, at in (("a", 1), ("b", 0), ("found", 2))]


def test_remarks_are_told_in_these_words_and_all_that_is_kept_in_one_sentence():
    kept = [KEPT[0]._replace(kind=kind) for kind in ("kept by all", "kept for one player", "kept in a table")]
    every = [names.told(some, "f(board, n)", CELLS, "In [{}]") for some in (*zip(REMARKS), KEPT, *zip(kept))]
    assert approved(SAID, "remarks", "\n".join(told for [told] in every))
    assert len(names.told(REMARKS, "f(board, n)", CELLS, "{}")) == 5
