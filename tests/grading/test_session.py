"""A function in a student's own notebook or program, with the lines that only a notebook knows."""

import re

import pytest
from conftest import naming
from lab.checks.names import as_python

from exercises.grading.isolation import inside
from ttt import Board


@pytest.fixture(autouse=True)
def short(monkeypatch):
    """A loop is stopped soon."""
    monkeypatch.setitem(inside.MAX_SECONDS, "statements", 0.5)


def session(*cells):
    """What is known after these cells."""
    return inside.Session({"function": "my_player", "cells": [*map(as_python, cells)]})


MAGIC = (
    "%%time\ndef best(): return 4",
    "%matplotlib inline\nfiles = !ls\nn = %time 3\nBoard?\nfirst = True",
    "%%bash\nls -l",
    "def my_player(board):\n    %time x = 3\n    return best() if first else 0",
)
FAILING = (
    "from ttt import Board, nothing, opponent",
    "x = 1 / 0\nprint(3)\nbest = 4",
    "import sys\nsys.exit()",
    "1 +",
    "def my_player(board): return best if opponent('X') == 'O' else 0",
)
PLAYERS = {
    "magics and shell commands do nothing": MAGIC,
    "what fails is passed over one statement at a time": FAILING,
    "a cell's last expression is run": ("table = []", "table.append(4)", "def my_player(board): return table[-1]"),
    "what stands below counts": ("def my_player(board): return best", "while True: pass", "best = 4"),
    "an import from the future holds below": (
        "from __future__ import annotations",
        "def my_player(board: Unknown): return 4",
    ),
}


@pytest.mark.parametrize("cells", PLAYERS.values(), ids=PLAYERS)
def test_a_notebook_is_run_cell_by_cell_with_the_lines_that_only_it_knows(cells):
    assert session(*cells).function()(Board()) == 4


@pytest.mark.parametrize(
    "cells, words",
    [
        (("def my_player(board): return 4", "def my_player(board:\n    return 5"), ["cell 2", "SyntaxError"]),
        (("def my_player(board): return 4", "def my_player(board=none): pass"), ["cell 2", "NameError", "'none'"]),
        (("y = 1 / 0", "y = z", "my_player = y"), ["cell 1", "ZeroDivisionError", "y = 1 / 0", "cell 3", "'y'"]),
    ],
)
def test_without_a_function_the_cell_that_fails_is_named_and_no_older_definition_is_left(cells, words):
    with pytest.raises(inside.NoFunction, match=naming("my_player", *words)):
        session(*cells).function()


@pytest.mark.parametrize(
    "above, reason",
    [("exact = 1 / 0", "ZeroDivisionError"), ("exact = 1 +", "SyntaxError"), ("", "from ttt import exact")],
)
def test_a_name_that_is_missing_when_the_function_is_asked_is_traced_to_what_failed(above, reason):
    run = session(above, "def my_player(board):\n    return exact")
    with pytest.raises(NameError) as raised:
        run.function()(Board())
    assert re.search(naming("my_player", "NameError", reason), run.explained(raised.value, "my_player"))
