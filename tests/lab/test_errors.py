"""Errors in a student's notebook: the student's own lines and the message, but all of an error inside the lab."""

import json
import os
import re

import pytest
from conftest import edition, naming
from jupyter_client.manager import start_new_kernel

MOST = 25  # lines
SAVED = """%time
def my_games(board):
    inner = 1
    return inner
class Mine: pass
from pathlib import Path as my_path
total = 3
one, other = 1, 2
"""
EARLY = "print(later)\nlater = 1"  # a cell that uses a name above the line that binds it
START = """
from ttt import Board, exact, svg
from lab import GameBoard
from ttt.players import greedy
def mine(board):
    return board.nonsense
def judge(board, player):
    return board.nonsense
"""
OWN = "return board.nonsense"  # the line that fails
ENDLESS = "a function keeps calling itself"
CASES = {  # a cell, and what its error must name
    "a player": ('exact(mine, "random")', OWN),
    "a heuristic": ('exact(greedy(judge), "random")', OWN),
    "a heuristic that returns nothing": (
        'exact(greedy(lambda board, player: None), "random")',
        "HeuristicError",
        "<lambda> returned None",
    ),
    "a cell that is taken": ("Board().play(0).play(0)", "CellTaken", "cell 0"),
    "a board to play on": ("GameBoard(3)", "PlayerError", "3"),
    "endless recursion": ("def endless(board):\n    return endless(board)\nendless(1)", "RecursionError", ENDLESS),
    "a search without an end": (
        "def search(board):\n    return max(search(board.play(move)) for move in board.moves if not board.over)\n"
        "search(Board())",
        "ValueError: max()",
    ),
    "a recursion through the lab": (
        "def deep(board):\n    exact(deep, 'random')\n    return 0\ndeep(Board())",
        "RecursionError",
        ENDLESS,
    ),
    "interact": ("from ipywidgets import interact\ndef f(x): exact(mine, 'random')\ninteract(f, x=(0, 3));", OWN),
    "a button": (
        "from ipywidgets import Button\nb = Button()\nb.on_click(lambda _: exact(mine, 'random'))\nb.click()",
        OWN,
    ),
    "a display": ("class Shown:\n    def _repr_html_(self):\n        return exact(mine, 'random')\nShown()", OWN),
    "a chain": (
        "try:\n    exact(mine, 'random')\nexcept AttributeError as error:\n    raise ValueError('second') from error",
        "direct cause",
    ),
    "a chain from None": (
        "try:\n    exact(mine, 'random')\nexcept AttributeError:\n    raise ValueError('only this') from None",
        "ValueError: only this",
    ),
    "a chain without own lines": ("try:\n    exact(mine, 'random')\nfinally:\n    Board().play(99)", "OffBoard"),
    "an unusual error": (
        "class Odd(Exception):\n    def __bool__(self):\n        return False\nraise Odd('mine')",
        "Odd: mine",
    ),
    "a library": ("import pandas as pd\npd.DataFrame({'a': [1]})['b']", "KeyError: 'b'"),
    "a syntax error": ("1/", "SyntaxError"),
    "a product": ("x = 2\n2x", "SyntaxError", "Write `*` in a product: `2 * x`, not `2x`."),
}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Runs a cell and returns what it shows as text, also as sent. The notebook was saved with two cells of code."""
    edition()
    notebook = tmp_path_factory.mktemp("errors") / "lesson.ipynb"
    cells = [{"cell_type": "code", "source": source} for source in (SAVED, EARLY)]
    notebook.write_text(json.dumps({"cells": [{"cell_type": "markdown", "source": "elsewhere = 1"}, *cells]}))
    manager, client = start_new_kernel(env=os.environ | {"JPY_SESSION_NAME": str(notebook)})

    def run(source, codes=r"\x1b\[[\d;]*m"):
        messages = []
        client.execute_interactive(source, output_hook=messages.append, timeout=120)
        shown = []
        for message in messages:
            content = message["content"]
            shown += content.get("traceback", ()) or [content.get("text", "")]
        return re.sub(codes, "", "\n".join(filter(None, shown)))

    run(START)
    yield run
    client.stop_channels()
    manager.shutdown_kernel(now=True)


def in_the_lab(shown):
    return [line for line in shown.splitlines() if re.search(r"/ttt/|-packages|/lib/python", line)]


@pytest.mark.parametrize("case", CASES)
def test_an_error_shows_the_readers_own_lines_and_the_message(run, case):
    source, *words = CASES[case]
    shown = run(source)
    assert naming(*words).search(shown), shown
    assert not in_the_lab(shown) and len(shown.splitlines()) <= MOST, shown


@pytest.mark.parametrize("source, message", [("1 / 0", "ZeroDivisionError: division"), ("1 +", "SyntaxError: invalid")])
def test_the_line_with_the_message_is_bold_also_where_python_cannot_read_a_cell(run, source, message):
    [bold] = [line for line in run(source, codes=r"\x1b\[(?!1m)[\d;]*m").splitlines() if line.startswith("\x1b[1m")]
    assert message in bold


def test_a_bug_of_the_lab_is_shown_whole_with_what_to_do(run):
    shown = run("svg.draw(Board(), caption=3)")
    assert "svg.py" in shown and "object of type 'int' has no len()" in shown
    assert naming("inside the lab", "report it").search(shown)


def test_everything_is_still_there_if_you_ask_for_it(run):
    run('exact(mine, "random")')
    assert OWN in (again := run("%tb")) and not in_the_lab(again)
    run("%xmode Verbose")
    assert "games.py" in run("%tb")
    run("%xmode Context")
    shown = run("import sys, traceback\nprint(''.join(traceback.format_tb(sys.last_value.__traceback__)))")
    assert "games.py" in shown  # the error itself is unchanged


def test_a_name_that_a_cell_defines_says_to_run_that_cell(run):
    advice = naming("another cell", "run that cell")
    for name in ("my_games", "Mine", "my_path", "total", "one", "other"):
        assert f"`{name}` is defined in another cell of this notebook. Run that cell first." in run(name)
    for other in ("inner", "elsewhere", "nowhere", EARLY):  # a local name, one in Markdown, none, this cell's own
        assert not advice.search(run(other))


def test_a_message_keeps_its_own_notes_and_ours_do_not_stay(run):
    shown = run("error = ValueError('mine')\nerror.add_note('a note')\nraise error")
    assert shown.count("\na note") == 1
    run("try:\n    never_defined_here\nexcept NameError as caught:\n    error = caught\nraise error")
    assert run("print(getattr(error, '__notes__', 'none'))").strip() == "none"


def test_of_more_than_twelve_calls_the_first_three_and_the_last_are_shown(run):
    for number, arrows in ((12, 12), (13, 4)):
        calls = "".join(f"def f{n}(): return f{n + 1}()\n" for n in range(number - 2))
        shown = run(f"{calls}def f{number - 2}(): return 1 / 0\nf0()")
        assert len(re.findall("^-+> ", shown, re.MULTILINE)) == arrows
    calls = "def one(n):\n    return one(n - 1) if n else two(20)\ndef two(n):\n    return two(n - 1) if n else 1 / 0\n"
    shown = run(f"{calls}one(20)")
    assert re.findall(r"^-+> (\d+)", shown, re.MULTILINE) == ["5", "2", "2", "4"]
