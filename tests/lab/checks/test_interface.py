"""What a program finds out about a redesigned interface, on the solution and on changes of it."""

import re
from math import inf

import pytest
from conftest import ROOT, naming
from lab import check
from lab.checks import interface

SOLUTION = (ROOT / "exercises/grading/solutions/interface.md").read_text()
[CODE, *_] = re.findall(r"```python\n(.*?)```", SOLUTION, re.DOTALL)
PLAY = "        if self.board.over or cell"
SAID = "not self.board.over:\n            return"
LATE = {  # a draw is shown as a game that goes on, until one more cell is clicked
    PLAY: f"        self.late = self.board.over\n        self.show()\n{PLAY}",
    "        self.board = Board()\n": "        self.board, self.late = Board(), False\n",
    SAID: SAID.replace("not self.board.over", "self.board.winner is None and not self.late"),
}
SILENT = {'None: "A draw."': 'None: "Your move: you are X."'}
ANNOUNCED_LATE = naming("(a) not yet", "draw", "late")


@pytest.fixture(autouse=True)
def no_hurry(monkeypatch):
    """An interface may take as long as it needs, on any machine."""
    monkeypatch.setattr(interface, "SECONDS", inf)


def checked(changes):
    code = CODE
    for old, new in changes.items():
        assert old in code, old
        code = code.replace(old, new)
    names = {}
    exec(code, names)
    return check(names["interface"], "interface")


def test_the_solution_is_right_and_says_that_a_game_is_drawn():
    assert checked({}).right


def test_a_drawn_game_that_is_announced_one_click_late_is_told():
    found = checked(LATE)
    assert not found.right and re.search(ANNOUNCED_LATE, found.message)


def test_an_interface_that_never_speaks_is_not_said_to_be_late():
    assert not re.search(ANNOUNCED_LATE, checked(SILENT).message)
