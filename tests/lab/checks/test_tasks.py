"""The tasks of lessons: what a check says of everything that students write, and that it asks no more than needed."""

import builtins
import keyword
import linecache
import os
import re
import tomllib
from functools import cache
from itertools import product
from math import inf
from pathlib import Path

import nbformat
import pytest
from approved import approved, read
from conftest import ROOT, WHOLE, naming, sampled
from lab import check, hint
from lab.checks import causes, exercise, notebook, source, tasks, visits
from lab.checks.calling import ENDLESS, NOTHING, PRINTED, STOPS
from lab.checks.exercise import each_way, edited
from lab.checks.tasks import TASKS
from lab.timeouts import Clock
from own_names import fewer, run

from ttt import Board
from ttt.players.rules import threats
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
GIVEN = exercise.GIVEN | {"__name__": "__main__", "Board": Board, "threats": threats, "visited": 0}
ON_ALL = "all boards: "  # begins the names of functions that are asked about all boards, not only some
TREES = visits._trees


def some(task):
    """A task with some of its questions; a formula needs all of them to name a mistake."""
    return tasks.load(task) if task == "heuristic_1" else fewer(task, every=7, first=12 if task == "cube" else 40)


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
def seconds(monkeypatch):
    """The seconds a call may take: no end of them, on any machine, unless a test says that its function never ends.

    There are fewer questions, and the whole tree isn't searched, which would take seconds for each order of moves.
    """
    seconds = {"each": inf}
    for module in (notebook, causes, exercise):
        monkeypatch.setattr(module, "Clock", lambda *_, **__: Clock(**seconds))
    for name in ("MAX_REPAIR_SECONDS", "MAX_PROOF_SECONDS"):  # so that a slow machine finds the line, too
        monkeypatch.setattr(f"lab.checks.source.{name}", 60.0)
    monkeypatch.setattr(notebook, "PATIENT", inf)
    monkeypatch.setattr(notebook, "load", some)
    monkeypatch.setattr(visits, "_trees", lambda task: smaller(TREES(task)))

    def counted(search, question, visits=visits.visits):
        if question != (Board(),):
            return visits(search, question)
        return node_counter(search.__globals__["in_order"])(Board(), -inf, inf)[1]

    monkeypatch.setattr(visits, "visits", counted)
    return seconds


def function(task, code):
    """The function that a cell defines, whose text can be read as a notebook's."""
    return run(dict(GIVEN), code.strip() + "\n")[tasks.named(task)]


def code_of(task, name):
    """A row's code: as it is, or edits of another row's, or of the task's right function."""
    code = FUNCTIONS[task].get(name) or TASKS[task]["right"]
    if isinstance(code, str):
        return code
    source = edited(code_of(task, code[0]), code[1:])
    assert source, (task, name)
    return source


# --------------------------------------------------------------------------------------------- all that students write


def kind(text):
    """What a verdict says in its first lines, but for names and numbers, and for the board that is shown."""
    said = re.sub(r"^(([XO] is to move|The game is over),|For [XO],|Try it yourself).*", "", text, flags=re.MULTILINE)
    return re.sub(r"`[^`]*`|[\d,]+", "", "".join(said.splitlines()[:2]))


def praise(task):
    """What is said of a right function of a lesson; "" if that depends on the function."""
    told = read(HERE / "said" / f"{task}.txt").values() if task in LESSONS and task != "in_order" else ()
    return next((text for text in told if text[0] == "✓"), "")


def first_of_each_kind():
    """Of each task, the functions that are told different things; all of them in `make test-all`.

    What is said of right functions is compared with what is said of the lessons' answers below.
    """
    for task, rows in FUNCTIONS.items():
        told, known = read(HERE / "said" / f"{task}.txt"), {}
        for name in rows:
            known.setdefault(name if WHOLE in os.environ else kind(told.get(name, name)), name)
        wanted = [name for name in known.values() if WHOLE in os.environ or told.get(name) != praise(task)]
        yield from (pytest.param(task, name, id=f"{task}: {name}") for name in wanted)


@pytest.mark.parametrize(("task", "name"), [*first_of_each_kind()])
def test_a_check_says_this_and_nothing_else(task, name, monkeypatch):
    if name.startswith(ON_ALL):
        monkeypatch.setattr(notebook, "load", tasks.load)
        monkeypatch.setattr(visits, "_trees", TREES)
    found = check(function(task, code_of(task, name)), task)
    mistake = found.mistake and f"\n({found.mistake})"
    assert approved(HERE / "said" / f"{task}.txt", name, f"{found}{mistake}")


def test_each_task_is_done_rightly_and_wrongly():
    assert FUNCTIONS.keys() >= TASKS.keys()
    for task, rows in FUNCTIONS.items():
        told = read(HERE / "said" / f"{task}.txt")
        assert told.keys() == rows.keys() and {"✓", "✗"} <= {text[0] for text in told.values()}, task


# Where a text is returned.
TEXTS = {
    "cells": "no list of cells",
    "move": STOPS,
    "number": "text returned",
    "order": STOPS,
    "truth": "text returned",
}
WAYS = {  # to do any task wrongly: what is done, the mistake's name, and what must be named
    "pass": (NOTHING, ["None", "return"]),
    "return 'cell 4'": (TEXTS, ["cell"]),
    "while board: board = board": (ENDLESS, ["endless loop", "in line 2", "while board"]),
    "return board.free": (STOPS, ["'free'", "in line 2", "return board.free"]),
    "print(board)": (PRINTED, ["return", "instead of", "print"]),
    "raise ValueError": (STOPS, ["ValueError", "in line 2"]),
    "return {name}({given})": (STOPS, ["same board", "in line 2", "return {name}({given})", "board.play(move)"]),
}


BOTH = [*product([task for task in TASKS if "board" in tasks.TAKES[task]], WAYS)]


@pytest.mark.parametrize(("task", "way"), sampled(BOTH, 23))
def test_what_is_no_answer_is_told_as_such_in_every_task(task, way, seconds, monkeypatch):
    given, name = ", ".join(tasks.TAKES[task]), tasks.named(task)
    mistake, words = WAYS[way]
    if mistake == ENDLESS:
        seconds["each"] = 0.2
        monkeypatch.setattr("lab.checks.source.MAX_REPAIR_SECONDS", 0.2)  # no repair helps
    if mistake == TEXTS:
        mistake = TEXTS[tasks.load(task).returns]
    found = check(function(task, f"def {name}({given}):\n    {way.format(name=name, given=given)}"), task)
    told = naming(*(word.format(name=name, given=given) for word in words))
    assert (found.outcome, found.mistake) == ("not yet", mistake) and re.search(told, found.message), found


def test_a_search_whose_depth_is_never_less_is_told_where_it_was_stopped(seconds, monkeypatch):
    seconds["each"] = 0.2
    monkeypatch.setattr("lab.checks.source.MAX_REPAIR_SECONDS", 0.2)  # every search it repairs is endless, too
    found = check(function("cube", edited(TASKS["cube"]["right"], ["depth - 1", "depth"])), "cube")
    assert found.mistake == ENDLESS and re.search(naming("endless loop", "in line", "depth - 1"), found.message), found


@pytest.mark.parametrize("task", TASKS)
def test_a_gap_of_three_dots_is_not_started(task):
    given, name = ", ".join(tasks.TAKES[task]), tasks.named(task)
    for body in ("...  # your work", "global visited\n    visited = 0\n    ...", f"return ... or {name}({given})"):
        found = check(function(task, f"def {name}({given}):\n    {body}"), task)
        assert found.outcome == "not started", found


def test_a_function_whose_cell_failed_since_is_not_judged():
    right = function("my_open_lines", TASKS["my_open_lines"]["right"])
    cell = "".join(linecache.getlines(right.__code__.co_filename))
    right.__globals__["In"] = ["", cell, "check(my_open_lines)"]
    assert check(right).right
    right.__globals__["In"] += [cell.replace("board, player):", "board, player)"), "check(my_open_lines)"]
    found = check(right)
    assert found.outcome == "not yet" and re.search(naming("old version", "error"), found.message)
    right.__globals__["In"] += [cell, "check(my_open_lines)"]
    assert check(right).right


MADE = [
    (task, mistake, sentence, way)
    for task in TASKS
    for mistake, (sentence, ways) in TASKS[task].get("mistakes", {}).items()
    for way in each_way(ways)
]


def test_the_edits_of_every_mistake_fit():
    assert not [(task, mistake, way) for task, mistake, _, way in MADE if not edited(TASKS[task]["right"], way)]


@pytest.mark.parametrize(("task", "mistake", "sentence", "way"), sampled(MADE, 90))
def test_every_mistake_with_a_name_is_known_by_its_answers(task, mistake, sentence, way):
    made = function(task, edited(TASKS[task]["right"], way))
    found = check(made, task)
    assert (found.outcome, found.mistake) == ("not yet", mistake), found
    assert found.message.startswith(source.shown_in(made, sentence)) or re.search(r"in line \d+: `", found.message)
    assert bool(found.picture) == ("board" in tasks.TAKES[task])


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
    assert found.right and str(found) == (praise(task).rstrip() or str(found))
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
        monkeypatch.delitem(GIVEN, name)
    worth = function("cuts", f"def worth({given}): return 0")
    assert tasks.task_of(worth) == tasks.task_of(cache(worth)) == task


def test_a_function_of_another_name_is_told_which_there_are_and_can_be_named():
    def mine(board):
        return [cell for cell in (0, 2, 6, 8) if cell in board.moves]

    found = check(mine)
    assert found.outcome == "not yet"
    first, tasks_told, last = found.message.splitlines()
    assert (first, last) == (
        "No task asks for a function named `mine`.",
        'Or name the task: `check(mine, "free_corners")`.',
    )
    assert tasks_told.startswith("The tasks are `free_corners(board)`, `endings(board, how)`, ")
    assert {*re.findall(r"`(\w+)\(", tasks_told)} == {tasks.named(task) for task in tasks.TAKES}
    assert check(mine, "free_corners").right
    found = check(function("cuts", "def worth(board, a, b, c, d): return 0"))
    assert re.search(naming("worth(board, a, b, c, d)", "worth(board, depth, alpha, beta)"), found.message)
    mine.__name__ = "Free_corner"
    assert re.search(naming("rename", "free_corners"), check(mine).message)


def test_the_hints_of_every_task_lead_on(monkeypatch):
    monkeypatch.setattr("lab.checks.notebook._hints", {})  # none has been given yet
    for task in TASKS:
        first, _, _ = TASKS[task]["hints"]
        assert re.search(naming("1 of 3", first), hint(task))


def test_a_search_that_still_asks_for_the_order_of_lesson_08_is_told_what_to_use():
    asked = function("cube", TASKS["cube"]["right"])
    del asked.__globals__["in_order"]
    assert re.search(naming("`in_order`", "`board.moves`"), check(asked, "cube").message)


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
