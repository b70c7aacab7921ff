"""What a program finds out about a redesigned interface, on the solution and on changes of it."""

import re
from math import inf

import pytest
from conftest import ROOT
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


LINES = {  # what is said of each part, if nothing is wrong with it
    "c": "(c) is for a person to judge.",
    "a": "(a) Yes. 10 games ran to the end by the rules, and playing a taken cell changed nothing.",
    "b": "(b) Yes. All 33 moves of the computer are ones that heuristic 2 allows.",
    "d": "(d) Yes. The score is right after each game (3 won by X, 4 by O, 3 drawn) and is shown.",
}
UNTRIED = {part: f"({part}) Not yet: this was not tested, because (a) failed." for part in "bd"}
SCORE = '"You {}, computer {}".format(*self.score)'
PLAY = "self.opponent.choose(self.board, Random())"
CHANGES = [  # what is replaced in the solution and by what, and the lines that say something else
    ("", "", {}),
    (PLAY, "self.board.moves[-1]", {
        "b": "(b) Not yet: on --X / --- / --- the computer plays cell 8; by heuristic 2 it plays 4.",
        "d": LINES["d"].replace("3 won by X, 4 by O, 3 drawn", "6 won by X, 4 by O, 0 drawn")}),
    ("(you + 1, computer)", "(you, computer)", {
        "d": "(d) Not yet: after game 1 the score should be (1, 0), but `.score` says (0, 0)."}),
    (SCORE, '"Good luck!"', {
        "d": "(d) Not yet: when the score is (2, 2), these numbers are not on the screen."}),
    (SCORE, '"You {}, computer {}".format(*map(min, self.score, (2, 2)))', {
        "d": "(d) Not yet: when the score is (3, 4), these numbers are not on the screen."}),
    ("or cell not in self.board.moves:\n            return", """:
            return
        if self.board[cell] != '-':
            cell = self.board.moves[0]""", UNTRIED | {
        "a": "(a) Not yet: `.play(4)` changed the board O-- / -X- / ---, although that cell was already taken."}),
    ("or cell not in self.board.moves:\n            return", """:
            return
        if self.board[cell] == 'O':
            cell = self.board.moves[0]
        if self.board[cell] == 'X':
            return""", UNTRIED | {
        "a": "(a) Not yet: `.play(0)` changed the board O-- / -X- / ---, although that cell was already taken."}),
    ("if not self.board.over:\n            self.board = ", "if False:\n            self.board = ", UNTRIED | {
        "a": "(a) Not yet: `.play(4)` on --- / --- / --- leads to --- / -X- / ---. "
             "Expected: X in cell 4, and one more O."}),
    ("        self.board = Board()\n", "        self.board = getattr(self, 'board', Board())\n", UNTRIED | {
        "a": "(a) Not yet: `.new_game()` leaves marks on the board: O-- / -X- / ---."}),
    ("    return Interface()", "    return 7", UNTRIED | {
        "a": "(a) Not yet: `interface()` returned `7`, which is not a widget."}),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "lines"), CHANGES)
def test_each_part_is_told_with_its_evidence(old, new, lines):
    found = checked({old: new} if old else {})
    assert found.message.splitlines() == [*(LINES | lines).values()]
    assert found.right == (not lines)
