"""Heuristics against a count on a plain list of marks, and what counts as a number."""

import json
import pickle
from decimal import Decimal
from fractions import Fraction
from math import inf, nan
from numbers import Integral
from random import Random

import numpy as np
import pytest
from conftest import naming, sampled
from oracles import POSITIONS

from ttt import Board, open_for, open_lines, opponent
from ttt.heuristics import HeuristicError, LineWeights, as_number, gain, heuristic_value


def weighed(lines, player, weights):
    """A sum over lines that knows nothing of open lines: by the two counts of marks in each."""
    total = 0
    for marks in lines:
        own, other = marks.count(player), marks.count(opponent(player))
        total += (0 if other else weights[own]) - (0 if own else weights[other])
    return total


SHAPES = [
    ((3, 3), 2), ((4, 4), 4), ((3, 4), 3), ((7, 7), 5), ((1, 7), 3), ((2, 3), 1), ((1, 1), 1), ((9, 9), 5),
    ((2, 2, 2, 2), 2), ((3, 3, 3), 3), ((4, 4, 4), 4),
]  # fmt: skip


def boards():
    """Boards of 3×3, and some of every shape."""
    yield from sampled(POSITIONS, 3)
    for shape, k in SHAPES:
        chance = Random(str(shape))
        for _ in range(10):
            board = Board(shape, k)
            while not board.over and chance.random() < 0.9:
                board = board.play(chance.choice(board.moves))
            yield board


def test_line_weights_open_lines_and_gains_are_what_a_count_of_marks_says():
    chance = Random(1)
    for board in boards():
        weights = [chance.choice([chance.randint(-9, 40), chance.random()]) for _ in range(board.k + 1)]
        for player in "XO":
            assert LineWeights(*weights)(board, player) == pytest.approx(weighed(board.lines, player, weights))
            assert open_lines(board, player) == weighed(board.lines, player, [0] + board.k * [1])
            lines = zip(board.line_cells, board.lines, strict=True)
            assert open_for(board, player) == tuple(cells for cells, marks in lines if opponent(player) not in marks)
        worth = LineWeights(0, *[10**n for n in range(board.k)])
        if not board.over:
            before, now = worth(board, board.turn), gain(board)
            assert now == {cell: worth(board.play(cell), board.turn) - before for cell in board.moves}


def test_line_weights_are_values_that_compare_hash_print_and_pickle():
    one = LineWeights(0, 1, 3, 0)
    assert one == eval(repr(one)) == pickle.loads(pickle.dumps(one)) and hash(one) == hash(LineWeights(0, 1, 3, 0))
    assert one != LineWeights(0, 1, 1, 1) and one.__name__ == repr(one) == "LineWeights(0, 1, 3, 0)"


NUMBERS = [3, -2.5, 0, 10**30, Fraction(1, 3), Decimal("0.25"), Decimal("1e3")]
NUMPY_NUMBERS = [np.uint8(255), np.int8(-128), np.int64(-3), np.float16(0.5), np.float32(0.5), np.longdouble(2)]
NOT_NUMBERS = [True, False, np.True_, None, "3", b"3", 1j, (1,), [1], {}, np.array([1]), np.array(1), len]
NOT_FINITE = [nan, inf, -inf, np.float32("inf"), Decimal("nan"), Decimal("snan"), Decimal("inf"), Fraction(10**400, 3)]


def test_numbers_of_all_kinds_count_and_become_plain_int_or_float():
    for answer in NUMBERS + NUMPY_NUMBERS:
        found = heuristic_value(lambda board, player, answer=answer: answer, Board(), "X")
        assert found == as_number(answer) == pytest.approx(float(answer))
        assert json.loads(json.dumps(found)) == found and -found + found == 0
        assert type(found) is (int if isinstance(answer, Integral) else float)


def test_whatever_else_a_heuristic_returns_is_refused_with_its_name():
    for answer in NOT_NUMBERS + NOT_FINITE:

        def mine(board, player, answer=answer):
            return answer

        assert as_number(answer) is None
        with pytest.raises(HeuristicError, match=naming("mine returned", repr(answer))) as raised:
            heuristic_value(mine, Board(), "X")
        assert ("missing" in str(raised.value)) == (answer is None)
