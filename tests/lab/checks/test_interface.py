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
    "the lab's": ("    return Interface()", "    from lab import GameBoard\n    return GameBoard()"),
    "no board": ("self.board", "self.position"),
    "no board of nine cells": ("self.board = Board()\n        self.show()", "self.board = 'XO'"),
    "no score": ("self.score", "self.points"),
    "an error": ("def state(self):", "def state(self):\n        self.missing"),
    "a new game at once": ("    self.count()\n", "    self.count()\n            self.board = Board()\n"),
    "a new game at the next move": ("if self.board.over or", """if self.board.over:
            self.board = Board()
        if"""),
}  # fmt: skip


def changed(old, new):
    """The solution with something replaced."""
    assert old in CODE
    names = {}
    exec(CODE.replace(old, new) if old else CODE, names)
    return names["interface"]


@pytest.mark.parametrize("name", CHANGES)
def test_each_part_is_told_with_its_evidence(name):
    found = check(changed(*CHANGES[name]), "interface")
    assert approved(SAID, name, str(found)) and found.right == (name == "the solution")


def test_a_computer_that_blocks_where_heuristic_2_would_not_is_as_good(monkeypatch):
    monkeypatch.setattr(interface, "SEED", 2)  # whose games have such a block
    assert check(changed("", ""), "interface").right


def test_an_interface_that_does_not_answer_or_is_none_is_told_so(monkeypatch):
    monkeypatch.setattr(interface, "MAX_ANSWER_SECONDS", 0.2)
    never = check(changed("def new_game(self):", "def new_game(self):\n        while True: pass"), "interface")
    none = interface.check_interface(None)
    assert approved(SAID, "no answer and no function", f"{never}\n{none}")
