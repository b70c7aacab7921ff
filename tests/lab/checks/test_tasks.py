"""The tasks of lessons: what a check says of everything that students write, and that it asks no more than needed."""

import ast
import builtins
import keyword
import linecache
import re
import tomllib
from functools import cache
from math import inf
from pathlib import Path

import nbformat
import pytest
from approved import approved, read
from conftest import ROOT, naming
from lab import check, hint
from lab.checks import notebook, source, tasks, visits
from lab.checks.calling import ask
from lab.checks.exercise import GIVEN, SENTENCES, Mistake, comparable, edited
from lab.checks.graded import GRADED, forms
from lab.checks.slips import shown
from lab.checks.tasks import TASKS
from lab.timeouts import Clock
from own_names import fewer, function, unhurried

from ttt import Board
from ttt.search import alphabeta

HERE = Path(__file__).parent
FUNCTIONS = tomllib.loads((HERE / "functions.toml").read_text(encoding="utf-8"))
TASKS_OF = {
    "00_play": ["free_corners"],
    "01_random_play": ["endings"],
    "02_open_lines": ["best_cell", "my_open_lines"],
    "03_heuristic_1": ["lines_with"],
    "../exercises/heuristic_1/heuristic_1": ["fixed"],
    "04_rules": ["must_block"],
    "05_eight_rules": ["my_fork", "can_lose"],
    "06_minimax": ["minimax", "worth_to_mover"],
    "07_looking_ahead": ["depth", "quiet_worth"],
    "08_alpha_beta": ["cuts", "in_order"],
    "09_three_dimensions": ["cube", "proved"],
    "11_tournament": ["expected", "slippery", "chance_of"],
    "12_boxes_and_numbers": ["reward", "updated"],
    "13_a_tree_that_learns": ["ucb1", "back_up", "judged"],
}
LESSONS = {task: lesson for lesson, tasks in TASKS_OF.items() for task in tasks}
ON_ALL = "all boards: "  # begins the names of functions that are asked about all boards, not only some
TREES = visits._trees


def said(task):
    return HERE / "said" / f"{task}.txt"


def smaller(trees):
    """Of each 3×3 board, one after two moves more."""
    return [
        (board.play(board.moves[0]).play(board.moves[-2]) if len(board) == 9 else board, *more)
        for board, *more in trees
    ]


@cache
def node_counter(in_order):
    """Counts alpha-beta's nodes for an order of moves, each board with its window once."""

    @cache
    def counted(board, alpha, beta):
        if board.over:
            return {"X": 1, "O": -1, None: 0}[board.winner], 1
        is_x, nodes, best = board.turn == "X", 1, None
        for move in in_order(board):
            value, more = counted(board.play(move), alpha, beta)
            nodes += more
            best = value if best is None else max(best, value) if is_x else min(best, value)
            alpha, beta = (max(alpha, best), beta) if is_x else (alpha, min(beta, best))
            if alpha >= beta:
                break
        return best, nodes

    return counted


@pytest.fixture(autouse=True)
def few(monkeypatch):
    """There are fewer questions, and the whole tree isn't searched, which takes seconds for each order of moves."""
    unhurried(monkeypatch)
    monkeypatch.setattr(notebook, "load", fewer)
    monkeypatch.setattr(visits, "_trees", lambda task: smaller(TREES(task)))

    def counted(search, question, visits=visits.visits):
        if question != (Board(),):
            return visits(search, question)
        return node_counter(search.__globals__["in_order"])(Board(), -inf, inf)[1]

    monkeypatch.setattr(visits, "visits", counted)


def code_of(task, name):
    """A row's code: as it is, or edits of another row's, or of the task's right function."""
    code = FUNCTIONS[task].get(name) or (TASKS[task]["right"] if task in TASKS else forms(task)[0])
    if isinstance(code, str):
        return code
    source = edited(code_of(task, code[0]), code[1:])
    assert source, (task, name)
    return source


# --------------------------------------------------------------------------------------------- all that students write


def card(found):
    """What a check says, and which mistake it is."""
    return f"{found}\n({found.mistake})".removesuffix("\n()")


ROWS = [pytest.param(task, name, id=f"{task}: {name}") for task, rows in FUNCTIONS.items() for name in rows]


@pytest.mark.parametrize(("task", "name"), ROWS)
def test_a_check_says_this_and_nothing_else(task, name, monkeypatch):
    if name.startswith(ON_ALL):
        monkeypatch.setattr(notebook, "load", tasks.load)
        monkeypatch.setattr(visits, "_trees", TREES)
    assert approved(said(task), name, card(check(function(task, code_of(task, name)), task)))


@pytest.mark.parametrize("task", [*TASKS, *GRADED])
def test_a_task_asks_these_questions_and_has_these_hints(task, monkeypatch):
    monkeypatch.setattr(notebook, "_hints", {})  # none has been given yet
    exercise = tasks.load(task)
    first, *_, last = exercise.once
    asked = f"{len(exercise.once):,} questions, {len(exercise.again):,} of them again, the first and last of which are"
    asked = f"{asked} {exercise.call(first)} on `{first[0]!r}` and {exercise.call(last)} on `{last[0]!r}`."
    assert approved(said(task), "questions and hints", "\n".join([asked, *(hint(task) for _ in (*exercise.hints, ""))]))


@pytest.mark.parametrize("task", [task for task in TASKS if TASKS[task].get("mistakes")])
def test_every_known_mistake_has_answers_of_its_own_and_these_words(task):
    """Of what they say about the text, only what the function has that makes the mistake."""
    questions, clock = tasks.load(task).once, Clock(each=inf)
    alike, told = {}, {}
    for mistake, code in [(Mistake("right", ""), TASKS[task]["right"]), *tasks.load(task).mistakes]:
        made = tasks.load(task).through(function(task, code))
        given = tuple(comparable(ask(made, question, clock)) for question in questions[:: 3 + len(questions) // 24])
        same = alike.setdefault(given, [])
        for name, other in same:
            asked = (question for n in range(99) for question in questions[n::99])
            assert name == mistake.name or any(ask(made, one, clock) != ask(other, one, clock) for one in asked), name
        same.append((mistake.name, made))
        told[f"{mistake.name}: {shown(mistake.sentence, ast.parse(code), tasks.named(task))}"] = None
    assert approved(said(task), "known mistakes", "\n".join([*told][1:]))


@pytest.mark.parametrize("task", ["answers", *GRADED])
def test_the_mistakes_in_graded_exercises_and_in_the_type_of_an_answer_have_these_words(task):
    told = {name: one[-1] if isinstance(one, list) else one for name, one in SENTENCES[task].items()}
    assert approved(said(task), "known mistakes", "\n".join(f"{name}: {sentence}" for name, sentence in told.items()))


def test_each_task_is_done_rightly_and_wrongly_and_no_text_is_left_over():
    assert FUNCTIONS.keys() >= TASKS.keys()
    for task, rows in FUNCTIONS.items():
        told = read(said(task))
        assert {*told} - {*rows} <= {"questions and hints", "known mistakes", "the lesson's answer"}
        assert {"✓", "✗"} <= {text[0] for text in told.values()}, task


# Of each kind of answer, a task, and the function's parameters.
KINDS = {"cells": "free_corners", "number": "worth_to_mover", "truth": "proved", "move": "fixed", "order": "in_order"}
NO_ANSWERS = [  # the function's only line, or two
    *("pass", "return 'cell 4'", "return board.free", "print(board)", "raise ValueError", "return {name}(board)"),
    *("return [None]", "return [True]", "return [4.5]", "return range(3)", "return map(str, board)", "return board"),
    *("return {{0: 1, 1: 2}}", "import numpy\n    return numpy.array([1, 2])", "return object", "return board.lines"),
    *("return (4, 'X')", "return {{-1}}", "return inf - inf", "return [[4]]", "print(4)", "return (4 for _ in board)"),
    "class Odd:\n        def __repr__(self): return 1 / 0\n    return Odd()",
]


@pytest.mark.parametrize("task", KINDS.values())
def test_what_is_no_answer_is_told_as_such(task):
    told = ""
    for body in NO_ANSWERS:
        body = body.format(name=tasks.named(task))
        found = check(function(task, f"def {tasks.named(task)}(board):\n    {body}"), task)
        told += f"{body}: {' | '.join(found.message.splitlines()[:2])} ({found.mistake})\n"
    assert approved(said("no_answers"), task, told)


ENDLESS = "def {}({}):\n    while board: board = board"


@pytest.mark.parametrize("task", ["free_corners", "cube", "alpha_beta"])
def test_an_endless_loop_and_a_depth_that_is_never_less_are_told_where_they_were_stopped(task, monkeypatch):
    unhurried(monkeypatch, each=0.2)
    loop = ENDLESS.format(tasks.named(task), ", ".join(tasks.TAKES[task]))
    told = check(function(task, loop), task).message.splitlines()[0]
    if task == "cube":
        found = check(function(task, edited(TASKS[task]["right"], ["depth - 1", "depth"])), task)
        assert re.search(naming("endless loop", "in line", "depth - 1"), found.message), found
    assert approved(said("no_answers"), f"{task}: an endless loop", told)


@pytest.mark.parametrize("task", TASKS)
def test_a_gap_of_three_dots_is_not_started(task):
    given, name = ", ".join(tasks.TAKES[task]), tasks.named(task)
    for body in ("...  # your work", "global visited\n    visited = 0\n    ...", f"return ... or {name}({given})"):
        found = check(function(task, f"def {name}({given}):\n    {body}"), task)
        assert found.outcome == "not started", found


def test_a_function_whose_cell_was_edited_or_failed_since_is_not_judged(monkeypatch):
    right = function("my_open_lines", TASKS["my_open_lines"]["right"])
    cell = "".join(linecache.getlines(right.__code__.co_filename))
    right.__globals__["In"] = ["", cell, "check(my_open_lines)"]
    assert check(right).right
    right.__globals__["In"] += [cell.replace("board, player):", "board, player)"), "check(my_open_lines)"]
    assert approved(said("no_answers"), "a cell that failed since", card(check(right)))
    right.__globals__["In"] += [cell, "check(my_open_lines)"]
    assert check(right).right
    edited = {"ttt_edited": ["x = 1", "x = 2\ndef my_open_lines(board, player):"]}
    monkeypatch.setattr(source, "told_by_page", edited.get)
    assert approved(said("no_answers"), "a cell that was edited since", card(check(right)))


# ------------------------------------------------------------------------------------------------------- the lessons


@cache
def given_and_answered(lesson, name):
    """The code of a lesson that defines a function of this name: in its cells, and in its answers."""
    cells = nbformat.read(ROOT / "notebooks" / f"{lesson}.ipynb", 4).cells
    answers = [code for cell in cells for code in re.findall(r"```python\n(.*?)```", cell.source, re.DOTALL)]
    codes = [[cell.source for cell in cells if cell.cell_type == "code"], answers]
    return tuple([code for code in part if f"def {name}(" in code] for part in codes)


@pytest.mark.parametrize("task", LESSONS)
def test_a_lessons_folded_answer_is_right_and_what_it_hands_out_is_not(task):
    given, answers = given_and_answered(LESSONS[task], tasks.named(task))
    found = check(function(task, answers[-1]))
    assert found.right and approved(said(task), "the lesson's answer", str(found))
    assert check(function(task, given[0])).outcome == "not started"


@pytest.mark.parametrize("task", sorted({*LESSONS} - {"in_order"}))
def test_the_lines_that_a_lesson_gives_are_known_and_none_is_to_be_repaired(task):
    stub = given_and_answered(LESSONS[task], tasks.named(task))[0][0]
    lines = [line for line in stub.splitlines() if line.startswith("    ")]
    given = [line for line in lines if "..." not in line and '"""' not in line]
    assert given == [line for line in tasks.load(task).given if line.startswith("    ")]


# ------------------------------------------------------------------------------------------------- which task it is


WORTHS = [  # parameters, what the notebook has, and the task
    ("board", "heuristic_1 in_order weights", "minimax"),
    ("board, depth", "heuristic_1", "depth"),
    ("board, plies=2", "heuristic_1", "depth"),
    ("board, depth, alpha=-inf, beta=inf", "heuristic_1", "depth"),
    ("board, alpha=-inf, beta=inf", "in_order", "cuts"),
    ("board, depth, alpha=-inf, beta=inf", "weights", "cube"),
    *((given, "", "minimax") for given in ("board, memo={}", "board, depth=0", "board, player=None", "board, is_max")),
    ("board, alpha=-inf, beta=inf", "", "minimax"),
]


@pytest.mark.parametrize(("given", "there", "task"), WORTHS)
def test_worth_is_known_by_its_parameters_and_its_notebook(given, there, task, monkeypatch):
    for name in {"heuristic_1", "in_order", "weights"} - {*there.split()}:
        monkeypatch.delitem(GIVEN, name)  # which `function` copies
    worth = function("cuts", f"def worth({given}): return 0")
    assert tasks.task_of(worth) == tasks.task_of(cache(worth)) == task


def test_a_function_of_another_name_is_told_which_there_are_and_can_be_named():
    def mine(board):
        return [cell for cell in (0, 2, 6, 8) if cell in board.moves]

    assert approved(said("no_answers"), "no task of that name", str(check(mine)))
    assert check(mine, "free_corners").right
    found = check(function("cuts", "def worth(board, a, b, c, d): return 0"))
    assert re.search(naming("worth(board, a, b, c, d)", "worth(board, depth, alpha, beta)"), found.message)
    mine.__name__ = "Free_corner"
    assert re.search(naming("rename", "free_corners"), check(mine).message)


def test_a_search_that_still_asks_for_the_order_of_lesson_08_is_told_what_to_use():
    asked = function("cube", TASKS["cube"]["right"])
    del asked.__globals__["in_order"]
    assert approved(said("no_answers"), "no order in the notebook", card(check(asked, "cube")))


@pytest.mark.parametrize("task", LESSONS)
def test_a_sentence_about_a_mistake_names_only_what_every_function_for_the_task_has(task):
    """Names that a student may choose are in no sentence: only the task's, the given cell's, the lab's and Python's."""
    handed_out = "".join(given_and_answered(LESSONS[task], tasks.named(task))[0])
    known = {*re.findall(r"\w+", handed_out), *tasks.TAKES[task], *map(tasks.named, TASKS)}
    known |= {*GIVEN, *dir(builtins), *keyword.kwlist, *dir(Board), "x"}  # x as in mathematics
    for said, _ in {**TASKS[task].get("mistakes", {}), **TASKS[task].get("slower", {})}.values():
        code = " ".join(re.findall("`([^`]*)`", said))
        assert {*re.findall(r"(?<![\w.'\"])[A-Za-z_]\w*\b(?!['\"])", code)} <= known, said


@pytest.mark.parametrize("task", LESSONS)
def test_what_comes_next_after_a_task_needs_nothing_that_its_lesson_imports_later(task):
    above = []
    for cell in nbformat.read(ROOT / "notebooks" / f"{LESSONS[task]}.ipynb", 4).cells:
        if cell.cell_type == "code":
            above.append(cell.source)
            if re.search(rf"^check\({tasks.named(task)}\b", cell.source, re.MULTILINE):
                break
    _, _, following = TASKS[task]["done"].partition("Next:")
    for called in re.findall(r"(\w+)\(", following):
        assert re.search(rf"\b{called}\b", "\n".join(above)), called


def test_visits_are_the_calls_of_a_search_of_itself():
    for board in (Board().play(0).play(4), Board.from_text("XOX OX- -XO"), Board.from_text("XXX OO- ---")):
        nodes = alphabeta(board).nodes
        assert visits.visits(function("cuts", TASKS["cuts"]["right"]), (board,)) == (nodes if nodes > 1 else 0)
    board = Board().play(0).play(4).play(8)
    assert visits.visits(function("cuts", code_of("cuts", "two functions")), (board,)) == alphabeta(board).nodes
    assert node_counter(GIVEN["in_order"])(board, -inf, inf)[1] == alphabeta(board).nodes
    assert node_counter(GIVEN["in_order"])(Board(), -inf, inf)[1] == visits.NUMBERED
