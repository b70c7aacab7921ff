"""A check names the cause that the source or the answers prove, and no other, and asks no more than needed."""

import ast
import sys
from math import inf
from types import TracebackType

import pytest
from conftest import sampled
from lab import check, timeouts
from lab.checks import calling, graded, notebook, tasks
from lab.checks.graded import settings
from lab.checks.slips import shown
from lab.checks.yours import yours
from lab.timeouts import Clock
from mutants import mutants
from own_names import fewer, function, unhurried

from ttt import Board


@pytest.fixture(autouse=True)
def few(monkeypatch):
    """A slow machine finds the same causes, and few questions are enough."""
    unhurried(monkeypatch)
    monkeypatch.setattr(notebook, "load", fewer)


# --------------------------------------------------------------------------------------- one token of a right function


def searching_mutants():
    """The one-token mutants of the right searches, each with its form's number."""
    for number, form in enumerate(settings("alpha_beta")["forms"].values()):
        for change, source in mutants(form.strip() + "\n"):
            yield pytest.param(source, id=f"{number}: {change}")


def leaves(board, depth):
    """The unfinished boards at a depth, in the order of the moves."""
    if board.over or depth == 0:
        return [] if board.over else [board]
    return [leaf for move in board.moves for leaf in leaves(board.play(move), depth - 1)]


def in_order(asked, boards):
    """Whether what was asked may be part of a list, in its order."""
    rest = iter(boards)
    return all(board in rest for board in asked)


SEEN = {  # by the mistake's name: what must hold of all questions with these leaves, or of one of them
    "never cuts": (all, lambda case, answer, leaves, asked: asked == leaves),
    "boards asked again": (any, lambda case, answer, leaves, asked: not in_order(asked, leaves)),
    "moves in another order": (any, lambda case, answer, leaves, asked: not in_order(asked, leaves)),
    "boards remembered": (all, lambda case, answer, leaves, asked: len(asked) <= len(case.asked)),
    "heuristic never asked": (all, lambda case, answer, leaves, asked: not asked),
    "only the first move": (all, lambda case, answer, leaves, asked: len(asked) <= 1),
    "cuts too much": (all, lambda case, answer, leaves, asked: bool(asked) == bool(case.asked)),
    "heuristic not always asked": (any, lambda case, answer, leaves, asked: case.asked and not asked),
    "cuts too little": (any, lambda case, answer, leaves, asked: len(asked) > len(case.asked)),
    "no number": (any, lambda case, answer, leaves, asked: answer.fault == "no number"),
    "heuristic asked at another depth": (any, lambda case, answer, leaves, asked: not {*asked} <= {*leaves}),
    "one ply more": (any, lambda case, answer, leaves, asked: not {*asked} <= {*leaves}),
    "one ply less": (any, lambda case, answer, leaves, asked: not {*asked} <= {*leaves}),
    "draws worth something": (any, lambda case, answer, leaves, asked: case.question[0].over and answer.value),
    "sign of the win": (any, lambda case, answer, leaves, asked: case.value and answer.value == -case.value),
}


@pytest.mark.parametrize("source", sampled(searching_mutants(), 60))
def test_what_a_search_is_told_is_seen_in_what_it_asked(source):
    found = check(function("alpha_beta", source), "alpha_beta")
    assert found.right or len(found.message.split(".")[0]) > 20
    if found.mistake not in SEEN:
        return
    exercise = graded.load("alpha_beta")
    cases = exercise.cases[: exercise.known_by]
    given = calling.answers(function("alpha_beta", source), [case.question for case in cases], Clock(each=inf))
    quantor, holds = SEEN[found.mistake]
    seen = []
    for case, answer in zip(cases, given, strict=False):
        board, depth, _ = case.question
        asked = [Board.from_text(text[:-1], board.shape, board.k) for text in answer.asked]
        seen.append(holds(case, answer, leaves(board, depth), asked))
    assert quantor(seen), found


# ------------------------------------------------------------------------------------------- what the source has


@pytest.mark.parametrize(
    ("advice", "written", "missing"),
    [
        (" Ask about the side to move: `board.turn`.", "b.turn", "b.winner"),
        (" Begin with `-inf` for X and `inf` for O.", "best = -inf if x else inf", "best = -1000 if x else inf"),
        (" Leave it only if `alpha >= beta`.", "alpha >= beta", "alpha >= beta - 1"),
        (" Compare `board.winner` with `how`.", "board.winner == how", "board.winner == 'X' or how"),
    ],
)
def test_nobody_is_advised_to_write_what_the_source_has(advice, written, missing):
    said = "Your function is wrong."
    for body, left in ((written, said), (missing, said + advice)):
        assert shown(said + advice, ast.parse(f"def f(b, alpha=-inf):\n    {body}"), "f") == left


# ------------------------------------------------------------------------------------------- asked no more than needed

COUNTING = """
calls, weight = [], 1
def count(board, mark):
    calls.append(mark)
    return weight * sum(mark not in line for line in board.lines)
def my_open_lines(board, player):
    return count(board, opponent(player)) - count(board, player)
"""


def test_a_right_function_is_asked_once_until_something_that_it_uses_changes():
    mine = function("my_open_lines", COUNTING)
    names = mine.__globals__
    assert check(mine).right
    names["calls"].clear()
    assert check(mine).right and names["calls"]  # what it keeps has changed
    exec("def count(board, mark): return weight * sum(mark not in line for line in board.lines)", names)
    assert check(mine).right
    names["weight"] = 2
    assert not check(mine).right
    names["weight"] = 1
    assert check(mine).right


def test_the_next_cell_asks_a_right_function_nothing(monkeypatch):
    mine = function("my_open_lines", tasks.TASKS["my_open_lines"]["right"])
    assert check(mine).right
    monkeypatch.setattr(calling, "answers", None)
    assert check(mine).right and yours(mine) is mine


def test_a_slow_search_is_told_as_soon_as_its_mistake_has_a_name(monkeypatch):
    monkeypatch.setattr(notebook, "PATIENT", 0.0)
    asked = []
    source = graded.forms("alpha_beta")[0].replace("depth - 1", "depth")
    search = function("alpha_beta", source)
    monkeypatch.setattr(calling, "ask", lambda *given, ask=calling.ask: asked.append(given) or ask(*given))
    found = check(search)
    assert found.mistake == "depth not counted down"
    assert sum(given[0] is search for given in asked) < len(graded.load("alpha_beta").cases)


def test_an_error_that_has_no_line_is_told_all_the_same():
    here = (lambda: sys._getframe())()
    for place in (0, 2, 4):
        nowhere = TracebackType(None, here, place, -1)
        assert isinstance(timeouts.line_of(TimeoutError().with_traceback(nowhere), "f"), str)


HIDES = """def free_corners(board):
    try:
        return len(board.moves) + (missing if {when} else 0)
    except {what}:
        return 0"""


@pytest.mark.parametrize("when", ["board == Board()", "board != Board()"])
def test_a_slip_is_hidden_where_it_is_caught_whatever_happened_before(when):
    hides, shows = (function("free_corners", HIDES.format(when=when, what=what)) for what in ("NameError", "KeyError"))
    questions = [(Board(),), (Board().play(0),)]
    line = f"in line 3: `return len(board.moves) + (missing if {when} else 0)`"
    told = f"free_corners stopped with NameError: name 'missing' is not defined, {line}"
    assert (calling.hidden_error(hides, questions), calling.hidden_error(shows, questions)) == (told, "")
