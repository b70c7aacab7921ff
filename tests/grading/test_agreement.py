"""The check under the exercise and the judge accept and refuse the same answers, and name the same mistakes.

`test_judge.py` puts whole submissions, right and wrong, to both.
"""

import pytest
from conftest import need

from ttt.checks import check
from ttt.exercises import STOPS
from ttt.grading import heuristic_1, marking
from ttt.grading.inside.submission import function_in

NUMBERS = ["float(n)", "Fraction(n)", "Decimal(n)", "numpy.int64(n)", "numpy.float32(n)", "numpy.float64(n)", "Mine(n)"]
NO_NUMBERS = [
    *("True if n == 1 else n", "numpy.True_ if n == 1 else n", "False if n == 0 else n", "None if n == 0 else n"),
    *("1 + 0j if n == 1 else n", "'3' if n == 3 else n", "str(n)", "[n]", "{n}", "numpy.array([n])", "n or ''"),
    *("float('nan')", "float('inf')", "n if n < 5 else float('inf')", "Decimal('sNaN')", "Decimal(n) / 3"),
]
MANNERS = {
    "return board[9]": STOPS,
    "return board.play(0).play(0)": STOPS,
    "raise Nothing": STOPS,
    "if player == 'O': raise NotImplementedError\n    return n": STOPS,
    "board[0] = player": "the board changed",
    "return Pair(n, 0)": "tuple returned",
    "return Items([n])": "tuple returned",
    "return Text(n)": "text returned",
    "return numpy.str_(n)": "text returned",
    "return {n}": "no number",
    "return 10**15": "number too large",
    "return float(10**15) if n == 3 else n": "number too large",
}
KIND = """
from collections import namedtuple
from decimal import Decimal
from fractions import Fraction
import numpy

class Mine(int):
    pass

class Items(list):
    pass

class Text(str):
    pass

class Nothing(Exception):
    pass

Pair = namedtuple("Pair", "a b")

def right(board, player):
    other = "O" if player == "X" else "X"
    counts = [(line.count(player), line.count(other)) for line in board.lines]
    return 3 * counts.count((2, 0)) + counts.count((1, 0)) - 3 * counts.count((0, 2)) - counts.count((0, 1))

def heuristic_1(board, player):
    n = right(board, player)
    return %s
"""


def verdicts(source):
    """What the check and the judge say: whether it is right, and the mistake."""
    found = check(function_in(source, "heuristic_1")[0])
    graded = marking.mark(heuristic_1.key(), source)[1]
    return (found.right, found.mistake), (graded.status == "right", graded.misconception)


@pytest.fixture(scope="module", autouse=True)
def full_isolation():
    need("sandbox")


@pytest.mark.parametrize("kind", NUMBERS)
def test_both_accept_every_kind_of_number(kind):
    pytest.importorskip("numpy")
    assert verdicts(KIND % kind) == ((True, ""), (True, ""))


@pytest.mark.parametrize("kind", NO_NUMBERS)
def test_both_refuse_what_is_not_a_number_even_if_it_is_equal_to_one(kind):
    pytest.importorskip("numpy")
    (checked, _), (judged, _) = verdicts(KIND % kind)
    assert checked is judged is False


@pytest.mark.parametrize("manner", MANNERS)
def test_both_name_the_same_mistake_in_the_way_of_answering(manner):
    pytest.importorskip("numpy")
    source = KIND.replace("return %s", manner)
    assert verdicts(source) == ((False, MANNERS[manner]), (False, MANNERS[manner]))
