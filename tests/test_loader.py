"""The player in a student's own notebook, with the lines that only a notebook knows."""

import json

import pytest

from ttt import Board
from ttt.loader import NoPlayer, load_player


def notebook(path, *cells):
    path.write_text(json.dumps({"cells": [{"cell_type": "code", "source": cell} for cell in cells]}))
    return path


def test_magics_and_shell_commands_do_nothing(tmp_path):
    cells = (
        "%%time\ndef best(): return 4",
        "%matplotlib inline\nfiles = !ls\nn = %time 3\nBoard?\nfirst = True",
        "%%bash\nls -l",
        "def my_player(board):\n    %time x = 3\n    return best() if first else 0",
        "while True: pass",
    )
    assert load_player(notebook(tmp_path / "mine.ipynb", *cells)).policy(Board()) == {4: 1.0}


def test_the_first_cell_that_fails_is_named_if_there_is_no_player(tmp_path):
    with pytest.raises(NoPlayer, match=r"code cell 2 stopped with ZeroDivisionError"):
        load_player(notebook(tmp_path / "mine.ipynb", "x = 1", "y = 1 / 0", "my_player = y"))
