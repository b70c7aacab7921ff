"""The keys of what is checked in lessons: their files are what the keys say, and each slip gets its name."""

import pytest

from ttt import exercises
from ttt.checks import check
from ttt.grading import batch
from ttt.players.rules import fork
from ttt.search import minimax

NAMES = ("my_fork", "worth", "my_player")
SLIPS = [
    (name, slip.name, function)
    for name in NAMES
    for slip in batch.key_of(name).slips
    for function in slip.functions
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_students_get_what_the_key_says(name):
    key = batch.key_of(name)
    assert key.worked_out() == exercises.load(name) and check(key.right, name).right


@pytest.mark.parametrize("name, mistake, function", SLIPS, ids=lambda part: part if isinstance(part, str) else "")
def test_each_slip_gets_its_name(name, mistake, function):
    found = check(function, name)
    assert (found.outcome, found.mistake) == ("not yet", mistake) and found.picture


def test_the_right_answers_are_those_of_the_labs_own_players():
    for case in exercises.load("my_fork").cases:
        assert case.value == tuple(sorted(fork(case.board)))
    for case in exercises.load("worth").cases:
        assert case.value == minimax(case.board).value * (1 if case.board.turn == "X" else -1)
