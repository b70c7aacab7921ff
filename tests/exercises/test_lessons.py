"""The tasks of lessons: wrong functions are refused, and right ones in any style are right."""

import re
from functools import cache
from math import inf

import nbformat
import pytest
from conftest import ROOT

from ttt import Board
from ttt.exercises.lessons import check_task
from ttt.heuristics import LineWeights


def source(notebook, defines):
    """What a lesson's cells and answers say that define this, the first and the last of them."""
    cells = nbformat.read(ROOT / "notebooks" / f"{notebook}.ipynb", 4).cells
    codes = [cell.source for cell in cells if cell.cell_type == "code"]
    codes += [code for cell in cells for code in re.findall(r"```python\n(.*?)```", cell.source, re.DOTALL)]
    found = [code for code in codes if f"def {defines}(" in code]
    return found[0], found[-1]


def functions(code, *names):
    """The functions of these names that a notebook has after this code."""
    space = {"Board": Board, "inf": inf, "visited": 0, "weights": LineWeights(0, 1, 10, 100, 0)}
    exec(code, space)
    return [space[name] for name in names]


# ------------------------------------------------------------------------------- the value for the side to move


@cache
def loop(board):
    if board.over:
        return -1 if board.winner else 0
    best = -inf
    for move in board.moves:
        best = max(best, -loop(board.play(move)))
    return best


@cache
def from_worth(board):
    """Minimax for X, whose sign is changed where O is to move."""
    if board.over:
        value = {"X": 1, "O": -1, None: 0}[board.winner]
    else:
        values = [from_worth(board.play(move)) * (1 if board.turn == "O" else -1) for move in board.moves]
        value = max(values) if board.turn == "X" else min(values)
    return float(value if board.turn == "X" else -value)


@cache
def negated_minimum(board):
    if board.winner:
        return -1
    return -min((negated_minimum(board.play(move)) for move in board.moves), default=0)


@cache
def only_wins_of_x(board):
    if board.over:
        return -1 if board.winner == "X" else 0
    return max(-only_wins_of_x(board.play(move)) for move in board.moves)


@cache
def wins_for_the_loser(board):
    if board.over:
        return 1 if board.winner else 0
    return max(-wins_for_the_loser(board.play(move)) for move in board.moves)


@cache
def never_negates(board):
    if board.over:
        return -1 if board.winner else 0
    return max(never_negates(board.play(move)) for move in board.moves)


def seen_from_x(board):
    return loop(board) if board.turn == "X" else -loop(board)


@cache
def lowest(board):
    if board.over:
        return -1 if board.winner else 0
    return min(-lowest(board.play(move)) for move in board.moves)


def wrong_once(board):
    return 1 if board == Board.from_text("XOX OX- -XO") else loop(board)


@pytest.mark.parametrize("right", [loop, from_worth, negated_minimum])
def test_the_value_for_the_side_to_move_is_right_in_any_style(right):
    assert check_task("negamax", right).right


@pytest.mark.parametrize("wrong", [only_wins_of_x, wins_for_the_loser, never_negates, seen_from_x, lowest, wrong_once])
def test_a_wrong_value_for_the_side_to_move_is_refused(wrong):
    found = check_task("negamax", wrong)
    assert found.outcome == "not yet" and found.message and found.picture


def test_a_function_that_sees_no_win_of_o_is_refused_and_the_wrong_sign_is_named():
    assert "worth 0; yours" not in check_task("negamax", loop).message
    assert "look at the sign (on " in check_task("negamax", wins_for_the_loser).message
    assert check_task("negamax", lambda board: None).outcome == "not started"


# ------------------------------------------------------------------------------------------- the order of the moves

WORTH = source("07_alpha_beta", "in_order")[0].split("\nvalue = worth")[0]  # with its order, and minimax's import
RIGHT_ORDERS = {
    "the answer": source("07_alpha_beta", "lines_through")[1],
    "winning moves first": """
def in_order(board):
    wins = [move for move in board.moves if board.play(move).winner]
    return wins + [move for move in board.moves if move not in wins]""",
    "a generator, from the last": """
def in_order(board):
    for move in reversed(board.moves):
        yield board.coordinates(move)""",
    "by chance": """
from random import sample
in_order = lambda board: sample(board.moves, len(board.moves))""",
}
WRONG_ORDERS = {
    "only the first move, later on": (
        """
def in_order(board):
    moves = board.moves
    return moves[::-1] if len(moves) == 9 else moves[:1]""",
        "Each free cell must be among the moves, once",
    ),
    "a move twice": ("def in_order(board): return (4, *board.moves) if board[4] == '-' else board.moves", "once"),
    "taken cells": ("def in_order(board): return [4, 0, 2, 6, 8, 1, 3, 5, 7]", "Each free cell must be among"),
    "plays on a taken cell": (
        "def in_order(board): return sorted(board.moves, key=lambda cell: board.play(4).winner == 'X')",
        "CellTaken: ",
    ),
    "calls itself": ("def in_order(board): return in_order(board)[::-1]", "calls itself without end"),
    "none on some boards": ("def in_order(board):\n    if board[4] == '-': return board.moves[::-1]", "returns None"),
    "endless": ("from itertools import count\nin_order = lambda board: count()", "Each free cell|no cell"),
    "cells that are not on the board": ("def in_order(board): return [*board.moves, 9]", "cell 9|There is no cell"),
}


@pytest.mark.parametrize("code", RIGHT_ORDERS.values(), ids=RIGHT_ORDERS)
def test_an_order_that_differs_anywhere_is_the_readers_own(code):
    found = check_task("order", *functions(f"{WORTH}\n{code}", "in_order", "worth"))
    assert found.right and " nodes; 18,297 as the cells are numbered" in found.message


@pytest.mark.parametrize("code, words", WRONG_ORDERS.values(), ids=WRONG_ORDERS)
def test_an_order_without_every_move_once_is_refused_in_a_sentence(code, words):
    found = check_task("order", *functions(f"{WORTH}\n{code}", "in_order", "worth"))
    assert found.outcome == "not yet" and re.search(words, found.message), found.message


def test_an_order_is_refused_with_a_search_that_is_wrong_now():
    wrong = WORTH.replace("alpha >= beta", "alpha > -1").replace("return board.moves", "return board.moves[::-1]")
    found = check_task("order", *functions(wrong, "in_order", "worth"))
    assert found.outcome == "not yet" and "come out wrong" in found.message


def test_the_order_of_the_cells_is_not_written_yet():
    assert check_task("order", *functions(WORTH, "in_order", "worth")).outcome == "not started"


# ---------------------------------------------------------------------------------------------- a search to a depth

SEARCH = source("08_three_dimensions", "worth")[1]
NEGAMAX = """
def worth(board, depth, alpha=-inf, beta=inf):
    sign = 1 if board.turn == "X" else -1

    def to_mover(board, depth, alpha, beta):
        global visited
        visited += 1
        if board.winner:
            return -100_000
        if not board.moves or depth == 0:
            return weights(board, board.turn)
        for move in board.moves:
            alpha = max(alpha, -to_mover(board.play(move), depth - 1, -beta, -alpha))
            if beta <= alpha:
                return alpha
        return alpha

    return sign * to_mover(board, depth, -inf, inf)"""
HARD = SEARCH.replace("best = -inf if", "best = alpha if").replace("else inf", "else beta")
WRONG_SEARCHES = {
    "a win of 1": ([("100_000", "1")], "A win of X is worth 100,000"),
    "the depth before the end": ([("if board.over", "if depth and board.over")], "A win of X is worth 100,000"),
    "seen from the side to move": ([('weights(board, "X")', "weights(board, board.turn)")], "seen from X"),
    "the side to move at the root is X": ([('board.turn == "X"', "depth % 2")], "not "),
    "a win of O counted for X": ([("-100_000", "100_000")], "one of O"),
    "the bounds not handed on": ([(", alpha, beta)", ")")], "visited is"),
    "> for >=": ([("alpha >= beta", "alpha > beta")], "visited is"),
    "never cuts": ([("alpha >= beta", "False")], "visited is"),
    "the depth kept": ([("depth - 1", "depth")], "without end|no answer"),
}


@pytest.mark.parametrize("code", [SEARCH, NEGAMAX, HARD], ids=["the answer", "negamax", "fail-hard"])
def test_a_search_to_a_depth_is_right_in_any_style(code):
    found = check_task("depth", *functions(code, "worth"))
    assert found.right, found.message


@pytest.mark.parametrize("slips, words", WRONG_SEARCHES.values(), ids=WRONG_SEARCHES)
def test_a_wrong_search_to_a_depth_is_told_what_is_wrong(slips, words):
    code = SEARCH
    for right, wrong in slips:
        assert right in code
        code = code.replace(right, wrong)
    found = check_task("depth", *functions(code, "worth"))
    assert found.outcome == "not yet" and re.search(words, found.message), found.message
    assert "None" not in found.message


def test_a_search_that_is_not_written_is_not_started():
    handed_out = functions(source("08_three_dimensions", "worth")[0], "worth")
    assert check_task("depth", *handed_out).outcome == "not started"
