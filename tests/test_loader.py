"""A function in a student's own notebook or program, with the lines that only a notebook knows."""

import json
import subprocess
import sys
from contextlib import contextmanager

import pytest

from ttt import Board
from ttt.loader import NoPlayer, Session, load, load_player, sources

FAILING = ("x = 1", "y = 1 / 0", "my_player = y")


def notebook(path, *cells):
    path.write_text(json.dumps({"cells": [{"cell_type": "code", "source": cell} for cell in cells]}))
    return path


def loaded(*cells, name="my_player"):
    return load({f"cell {n}": cell for n, cell in enumerate(cells, 1)}, name)


def test_magics_and_shell_commands_do_nothing(tmp_path):
    cells = (
        "%%time\ndef best(): return 4",
        "%matplotlib inline\nfiles = !ls\nn = %time 3\nBoard?\nfirst = True",
        "%%bash\nls -l",
        "def my_player(board):\n    %time x = 3\n    return best() if first else 0",
    )
    player = load_player(notebook(tmp_path / "mine.ipynb", *cells))
    assert player.policy(Board()) == {4: 1.0}


@pytest.mark.parametrize("last", ["table.append(4)", "table.extend([1, 4])\n", "table.insert(0, 4)\ntable.append(4)"])
def test_the_last_expression_of_a_cell_is_run_as_a_notebook_runs_it(last):
    assert loaded("table = []", last, "def my_player(board): return table[-1]")(Board()) == 4


def test_what_stands_below_the_function_counts_and_what_never_ends_is_passed_over():
    assert loaded("def my_player(board): return best", "while True: pass", "best = 4")(Board()) == 4


def test_what_fails_is_passed_over_one_statement_at_a_time(capsys):
    cells = (
        "from ttt import Board, nothing, opponent",
        "x = 1 / 0\nprint(3)\nbest = 4",
        "import sys\nsys.exit()",
        "1 +",
    )
    assert loaded(*cells, "def my_player(board): return best if opponent('X') == 'O' else 0")(Board()) == 4
    assert capsys.readouterr().out == ""


def test_an_import_from_the_future_holds_for_the_cells_below():
    assert loaded("from __future__ import annotations", "def my_player(board: Unknown): return 4")(Board()) == 4


def test_a_later_definition_that_is_not_python_does_not_leave_an_older_one():
    with pytest.raises(NoPlayer, match=r"cell 2.*SyntaxError"):
        loaded("def my_player(board): return 4", "def my_player(board:\n    return 5")


def test_the_cell_that_fails_is_named_with_its_line_if_there_is_no_player(tmp_path):
    with pytest.raises(NoPlayer, match=r"cell 3 .*'y' is not.* cell 2 .*ZeroDivisionError.*y = 1 / 0"):
        load_player(notebook(tmp_path / "mine.ipynb", *FAILING))


def test_a_name_that_is_missing_when_the_function_is_asked_is_traced_to_what_failed():
    session = Session("my_player")
    session.read("best = 1 / 0\ndef my_player(board):\n    return best or exact", "cell 1")
    with pytest.raises(NameError) as raised:
        session.function()(Board())
    assert "ZeroDivisionError" in session.explained(raised.value, "my_player")
    session.names["best"] = 0
    with pytest.raises(NameError) as raised:
        session.function()(Board())
    assert "from ttt import exact" in session.explained(raised.value, "my_player")


def test_a_limit_and_names_may_be_given():
    @contextmanager
    def limit(statement):
        seen.append(type(statement).__name__)
        yield

    seen = []
    session = Session("f", limit, {"y": 2})
    session.read("x = 1\ndef f(): return x + y", "a")
    assert (session.function()(), seen) == (3, ["Assign", "FunctionDef"])


@pytest.mark.parametrize(("name", "text"), [("a.ipynb", "{}"), ("b.ipynb", "[1"), ("c.ipynb", '{"cells": [3]}')])
def test_a_file_that_is_no_notebook_is_refused(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    with pytest.raises(NoPlayer, match=name):
        sources(tmp_path / name)


def test_the_loader_needs_nothing_of_the_lab_but_time_limits():
    code = "import sys, ttt.loader; print(sorted(name for name in sys.modules if name.startswith('ttt')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['ttt', 'ttt.limits', 'ttt.loader']"
