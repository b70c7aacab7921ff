"""What a program finds out about a redesigned interface, on the solution and on changes of it."""

import re
from math import inf
from pathlib import Path

import pytest
from approved import approved
from conftest import ROOT
from lab import check
from lab.checks import interface

SAID = Path(__file__).parent / "said" / "interface.txt"
SOLUTION = (ROOT / "exercises/grading/solutions/interface.md").read_text()
[CODE, *_] = re.findall(r"```python\n(.*?)```", SOLUTION, re.DOTALL)


@pytest.fixture(autouse=True)
def no_hurry(monkeypatch):
    """An interface may take as long as it needs, on any machine."""
    monkeypatch.setattr(interface, "MAX_ANSWER_SECONDS", inf)


PLAY = "self.opponent.choose(self.board, Random())"
SCORE = '"You {}, computer {}".format(*self.score)'
TAKEN = "or cell not in self.board.moves:\n            return"
CHANGES = {  # what is replaced in the solution, and by what
    "the solution": ("", ""),
    "another player": (PLAY, "self.board.moves[-1]"),
    "the user's wins not counted": ("(you + 1, computer)", "(you, computer)"),
    "the computer's wins not counted": ("(you, computer + 1)", "(you, computer)"),
    "one win of the computer's counted": ("(you, computer + 1)", "(you, 1)"),
    "the score not shown": (SCORE, '"Good luck!"'),
    "no more than 2 shown": (SCORE, '"You {}, computer {}".format(*map(min, self.score, (2, 2)))'),
    "a taken cell": (TAKEN, """:
            return
        if self.board[cell] != '-':
            cell = self.board.moves[0]"""),
    "a cell of the computer's": (TAKEN, """:
            return
        if self.board[cell] == 'O':
            cell = self.board.moves[0]
        if self.board[cell] == 'X':
            return"""),
    "no answer": ("if not self.board.over:\n            self.board = ", "if False:\n            self.board = "),
    "marks left": ("        self.board = Board()\n", "        self.board = getattr(self, 'board', Board())\n"),
    "no widget": ("    return Interface()", "    return 7"),
}  # fmt: skip


@pytest.mark.parametrize("name", CHANGES)
def test_each_part_is_told_with_its_evidence(name):
    old, new = CHANGES[name]
    assert old in CODE
    names = {}
    exec(CODE.replace(old, new) if old else CODE, names)
    found = check(names["interface"], "interface")
    assert approved(SAID, name, str(found)) and found.right == (not old)
