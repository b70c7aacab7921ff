"""What a program finds out about a redesigned interface, on the solution and on changes of it."""

import re
from math import inf

import pytest
from conftest import ROOT, naming
from lab import check
from lab.checks import interface

SOLUTION = (ROOT / "exercises/grading/solutions/interface.md").read_text()
[CODE, *_] = re.findall(r"```python\n(.*?)```", SOLUTION, re.DOTALL)


@pytest.fixture(autouse=True)
def no_hurry(monkeypatch):
    """An interface may take as long as it needs, on any machine."""
    monkeypatch.setattr(interface, "MAX_ANSWER_SECONDS", inf)


def checked(changes):
    code = CODE
    for old, new in changes.items():
        assert old in code, old
        code = code.replace(old, new)
    names = {}
    exec(code, names)
    return check(names["interface"], "interface")


def test_the_solution_is_right():
    assert checked({}).right


CHANGES = {
    "self.opponent.choose(self.board, Random())": ("self.board.moves[-1]", ("(b) not yet", "heuristic 2", "plays 4")),
    "(you + 1, computer)": ("(you, computer)", ("(d) not yet", "score should be (1, 0)", "(0, 0)")),
    '"You {}, computer {}".format(*self.score)': ('"Good luck!"', ("(d) not yet", "not on the screen")),
    "or cell not in self.board.moves:\n            return": (
        ":\n            return\n        if self.board[cell] != '-':\n            cell = self.board.moves[0]",
        ("(a) not yet", "play(4)", "already taken"),
    ),
    "        self.board = Board()\n": (
        "        self.board = getattr(self, 'board', Board())\n",
        ("(a) not yet", "new_game()", "leaves marks"),
    ),
    "    return Interface()": ("    return 7", ("(a) not yet", "`7`", "not a widget")),
}


@pytest.mark.parametrize("old", CHANGES)
def test_each_part_that_fails_is_told_with_its_evidence(old):
    new, words = CHANGES[old]
    found = checked({old: new})
    assert not found.right and re.search(naming(*words), found.message), found.message
