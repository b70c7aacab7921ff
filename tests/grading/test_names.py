"""Where the names of a student's function come from, and that nothing handed out takes one away."""

import linecache

import pytest
from lab.checks import names
from lab.checks.graded import GRADED
from lab.checks.notebook import check
from lab.checks.student_code import Session
from lab.timeouts import timeout

from exercises.grading.judge import undefined
from exercises.grading.reading import defines, handed_out, not_python
from ttt import Board, opponent

IN_THE_WAY = "alphabeta better board calls counted depth exact judge minimax negamax player results search show value"
SUM = """def heuristic_1(board, player):
    values = []
    for line in board.lines:
        mine, theirs = line.count(player), line.count(opponent(player))
        values.append((0, 1, 3, 0)[mine] if not theirs else -(0, 1, 3, 0)[theirs] if not mine else 0)
    return sum(values)"""
CORNERS = "def free_corners({}):\n    return [cell for cell in (0, 2, 6, 8) if {}[{}] == '-']"


def places(exercise):
    """The exercise's cells, and the number of the one that the student replaces."""
    cells = handed_out(exercise)
    return cells, next(number for number, cell in enumerate(cells) if defines([cell], exercise))


@pytest.mark.parametrize("exercise", GRADED)
def test_no_cell_as_handed_out_takes_a_name_from_the_student(exercise):
    cells, number = places(exercise)
    own = sorted(names.bound(cells).keys() - {exercise})
    mine = "\n".join(f"def {name}(*given): return 'mine'" for name in [*own, exercise])
    run = Session(exercise, lambda statement: timeout(20), handed_out=cells)
    for cell in (*cells[:number], mine, *cells[number:]):  # the stub, too, is left below
        run.read(cell, "a cell")
    assert {name: run.names[name]() for name in [*own, exercise]} == dict.fromkeys([*own, exercise], "mine")


@pytest.mark.parametrize("exercise", GRADED)
def test_the_cells_below_the_students_bind_no_likely_name(exercise):
    cells, number = places(exercise)
    assert names.bound(cells[number + 1 :]).keys().isdisjoint(IN_THE_WAY.split())


@pytest.mark.parametrize(
    "cells, words",
    [
        (["board = Board()", CORNERS.format("b", "board", "cell")], ["ine 2 reads `board`", "Your parameter is `b`"]),
        (["for n in range(9): pass", CORNERS.format("board", "board", "n")], ["reads `n`", "gives it no value"]),
        ([SUM, "sum = 3"], ["`sum` has lost its meaning since In [2], line 1: `sum = 3`", "line 6"]),
        ([SUM.replace("values =", "sum = 0; values =")], ["`sum` is a variable of your own in line 2"]),
        ([SUM.replace("board, player", "player, board")], ["`heuristic_1(board, player)`", "in this order"]),
        ([SUM.replace("def", "values = []\ndef").replace("    values = []\n", "")], ["`values` is outside"]),
        (["w = 0, 1, 2, 0", SUM.replace("(0, 1, 3, 0)", "w")], ["should count 3"]),  # a constant is no left-over
    ],
)
def test_an_odd_name_is_told_first(cells, words):
    there = {"__name__": "__main__", "Board": Board, "opponent": opponent, "In": ["", *cells]}
    for title, cell in zip(("cell 1", "cell 2"), cells, strict=False):
        linecache.cache[title] = len(cell), None, cell.splitlines(keepends=True), title
        exec(compile(cell, title, "exec"), there)
    told = check(there.get("heuristic_1") or there["free_corners"]).message
    assert all(word in told for word in words), told


@pytest.mark.parametrize(
    "cell, beside, words",
    [
        (
            "get_ipython().run_cell_magic('writefile', 'a.py', 'import os\\ndef alpha_beta(b): pass\\n')",
            "",
            "%%writefile",
        ),
        ("# def alpha_beta(board):\n#     pass", "", "commented out"),
        ("x = 1", "def alpha_beta(board): pass", "isn't code"),
        ("from mine import alpha_beta", "", "`mine`"),
        ("class A:\n    def alpha_beta(self): pass", "", "class `A`"),
        ("'''\ndef alpha_beta(board): pass\n'''", "", "quotation marks"),
        ("x = 1", "", "deleted"),
    ],
)
def test_text_that_is_there_is_not_called_deleted(cell, beside, words):
    assert words in undefined(["import os", cell], "alpha_beta", [beside])


def test_syntax_of_a_newer_python_is_not_called_invalid():
    cells = ["def alpha_beta(board:\n    pass"]
    assert "is not valid Python" in not_python(cells, "alpha_beta", "3.10.2")
    assert "written with Python 3.99.1" in not_python(cells, "alpha_beta", "3.99.1")
