"""The tasks of lessons: what is wrong is refused in words that help, and what is right is right in any style."""

import builtins
import keyword
import linecache
import re
import tomllib
from functools import cache
from inspect import signature
from itertools import product
from math import inf
from pathlib import Path

import nbformat
import pytest
from conftest import ROOT, naming, sampled
from lab import check, hint
from lab.checks import calling, causes, exercise, notebook, source, tasks, visits
from lab.checks.calling import ENDLESS, NOTHING, PRINTED, STOPS
from lab.checks.exercise import each_way, edited
from lab.checks.tasks import TASKS
from lab.timeouts import Clock
from own_names import run

from ttt import Board
from ttt.players.rules import threats
from ttt.search import alphabeta

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
WRITTEN = tomllib.loads(Path(__file__).with_name("tasks.toml").read_text(encoding="utf-8"))
GIVEN = exercise.GIVEN | {"__name__": "__main__", "Board": Board, "threats": threats, "visited": 0}


@pytest.fixture(autouse=True)
def seconds(monkeypatch):
    """The seconds a call may take: no end of them, on any machine, unless a test says that its function never ends."""
    seconds = {"each": inf}
    for module in (notebook, causes, exercise):
        monkeypatch.setattr(module, "Clock", lambda: Clock(**seconds))
    monkeypatch.setattr("lab.checks.source.MAX_REPAIR_SECONDS", 60.0)  # so that a slow machine finds the line, too
    return seconds


def function(task, code):
    """The function that a cell defines, whose text can be read as a notebook's."""
    return run(dict(GIVEN), code.strip() + "\n")[tasks.named(task)]


def of_a_board(task):
    return "board" in tasks.TAKES[task]


def code_of(task, changes):
    """The code of a row: as it is, or edits of the task's right function, or of the wrong row that is named first."""
    if len(changes) == 1:
        return changes[0]
    if len(changes) % 2 == 0:
        return edited(TASKS[task]["right"], changes)
    name, *more = changes
    return edited(code_of(task, WRITTEN[task]["wrong"][name][2:]), more)


def cases(kind):
    return [
        pytest.param(task, code, id=f"{task}: {name}") for task in WRITTEN for name, code in WRITTEN[task][kind].items()
    ]


def test_each_task_is_done_rightly_and_wrongly():
    assert WRITTEN.keys() == TASKS.keys() and all(about["right"] and about["wrong"] for about in WRITTEN.values())


@pytest.mark.parametrize(("task", "code"), sampled(cases("right"), 3))
def test_what_is_right_is_right_in_any_style(task, code):
    found = check(function(task, code_of(task, [code] if isinstance(code, str) else code)), task)
    assert found.right, found
    assert task != "in_order" or re.search(naming("nodes", "18,297"), found.message)


@pytest.mark.parametrize(("task", "code"), sampled(cases("wrong"), 4))
def test_what_is_wrong_is_refused_by_the_mistakes_name_in_words_that_help(task, code, seconds, monkeypatch):
    mistake, words, *changes = code
    if mistake == ENDLESS:
        seconds["each"] = 0.2
        monkeypatch.setattr("lab.checks.source.MAX_REPAIR_SECONDS", 0.2)  # every search it repairs is endless, too
    wrong = function(task, code_of(task, changes))
    found = check(wrong, task)
    assert (found.outcome, found.mistake) == ("not yet", mistake) and re.search(naming(*words), found.message), found
    assert found.picture or len(signature(wrong).parameters) < len(tasks.TAKES[task]) or not of_a_board(task)


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


BOTH = [*product(filter(of_a_board, TASKS), WAYS)]


@pytest.mark.parametrize(("task", "way"), sampled(BOTH, 16))
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


def test_a_gap_in_the_middle_is_not_started_either():
    loop = edited(TASKS["must_block"]["right"], ['cells.append(line[marks.index("-")])', "..."])
    assert check(function("must_block", loop)).outcome == "not started"


def test_one_of_two_gaps_filled_is_judged():
    gap = "@cache\ndef worth(board, depth):\n"
    gap += "    if board.over:\n        return {'X': 100, 'O': -100, None: 0}[board.winner]\n"
    gap += "    GAP\n    values = [worth(board.play(move), ...) for move in board.moves]\n"
    gap += "    return max(values) if board.turn == 'X' else min(values)"
    assert check(function("depth", gap.replace("GAP", "..."))).outcome == "not started"
    found = check(function("depth", gap.replace("GAP", "if depth == 0: return heuristic_1(board, 'X')")))
    assert (found.outcome, found.mistake) == ("not yet", "depth not counted down")


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
    assert bool(found.picture) == of_a_board(task)


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
    assert check(function(task, answers[-1])).right
    assert check(function(task, given[0])).outcome == "not started"


@pytest.mark.parametrize("task", sorted({*LESSONS} - {"in_order"}))
def test_the_lines_that_a_lesson_gives_are_known_and_none_is_to_be_repaired(task):
    stub = given_and_answered(LESSONS[task], tasks.named(task))[0][0]
    lines = [line for line in stub.splitlines() if line.startswith("    ")]
    given = [line for line in lines if "..." not in line and '"""' not in line]
    assert given == [line for line in tasks.load(task).given if line.startswith("    ")]


def test_a_repair_of_a_line_that_the_lesson_gives_is_not_told():
    right = TASKS["slippery"]["right"].replace("(value + slips)", "(value + slips / len(stays))")
    asked = tasks.load("slippery")
    for change, line in (("", "values ="), ("sum(stays) / len(stays)", "slips =")):
        wrong = function("slippery", right.replace(change, f"({change})") if change else right)
        given = [*calling.answers(wrong, asked.questions, Clock(each=inf))]
        assert line in source.cause(wrong, asked, given, closely=True)


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


def test_a_parameter_too_many_is_told_and_with_a_default_value_it_is_none_too_many(monkeypatch):
    for name in ("heuristic_1", "in_order", "weights"):
        monkeypatch.delitem(GIVEN, name)
    found = check(function("minimax", "def worth(board, is_max): return 0"))
    assert re.search(naming("worth(board)", "worth(board, is_max)", "only the board", "default"), found.message)
    right = TASKS["minimax"]["right"].replace("def worth(board)", "def worth(board, depth=0)")
    assert check(function("minimax", right)).right


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


# ------------------------------------------------------------------------------------------- boards that are visited


def test_visits_are_the_calls_of_a_search_of_itself():
    for board in (Board().play(0).play(4), Board.from_text("XOX OX- -XO"), Board.from_text("XXX OO- ---")):
        right = function("cuts", TASKS["cuts"]["right"])
        nodes = alphabeta(board).nodes
        assert visits.visits(right, (board,)) == (nodes if nodes > 1 else 0)
    search = function("cuts", WRITTEN["cuts"]["right"]["two functions"])
    board = Board().play(0).play(4).play(8)
    assert visits.visits(search, (board,)) == alphabeta(board).nodes


def test_chance_is_refused_where_it_can_only_be_right_by_luck():
    drawn = "from random import choice\n" + edited(
        TASKS["expected"]["right"], ["sum(values) / len(values)", "choice(values)"]
    )
    assert re.search(naming("random numbers", "average"), check(function("expected", drawn)).message)
    shuffled = "from random import shuffle\ndef in_order(board):\n    moves = [*board.moves]\n    shuffle(moves)\n"
    assert re.search(naming("at random"), check(function("in_order", f"{shuffled}    return moves")).message)


SAID = [  # a task, a function for it (or edits of the right one), and all that its check says
    ("in_order", ["def in_order(board): return board.moves[::-1]"], """✗ Not yet. In your order, the search visits \
18,297 nodes; in the order of the cells, 18,297. The earlier a good move comes, the more is cut off.
0 1 2
3 4 5
6 7 8"""),
    ("in_order", ["def in_order(board): return [c for c in (1, 3, 5, 7, 0, 2, 6, 8, 4) if c in board.moves]"], """✗ \
Not yet. In your order, the search visits 42,094 nodes; in the order of the cells, 18,297. Turned round, your order \
needs only 7,275: its good moves come last. In `sorted`, `reverse=True` puts the highest first.
0 1 2
3 4 5
6 7 8"""),
    ("in_order", ["def in_order(board): return sorted(board.moves, key=lambda cell: cell != 4)"], """✓ Right. In your \
order, the search visits 12,123 nodes. In the order of the cells, it visits 18,297."""),
    ("cuts", ["alpha >= beta", "alpha >= beta or best == (1 if board.turn == 'X' else -1)"], """✓ Right. Your function \
finds the right values, and visits no more boards than alpha-beta does.
Next: see which boards it leaves out."""),
    ("cuts", ["alpha >= beta", "alpha > beta"], """✗ Not yet. Your function gives the right values, but from this \
board it visits 4,822 boards. Alpha-beta visits 749, so that is 4,073 too many.
Your function keeps searching when alpha equals beta. The remaining moves can't improve the result, so test `alpha >= \
beta`.
X O -
- - -
- - -"""),
    ("back_up", ["        result = 1 - result", ""], """✗ Not yet. Your function gives every node on the path the \
same result. What is a win for one side is a loss for the other: change `result` after each node.
After `back_up(path, 1)` on nodes with visits and wins 2 and 1, then 0 and 0, the wins of `path[0]` should be 1; yours \
is 2."""),
    ("chance_of", ["    if sum(above) == 0:\n        return 1 / len(regrets)\n", ""], """✗ Not yet. chance_of stopped \
with ZeroDivisionError: division by zero, in line 3: `return above[n] / sum(above)`. Here `sum(above)` is 0. This \
happens in 9 of 24 calls.
`chance_of((0, 0, 0), 0)` should be 0.333333333."""),
    ("ucb1", ["c * sqrt(", "c * sqrt(2 * "], """✗ Not yet. Your function's bonus is 1.41 times as large as it should \
be, as if there were a 2 under the root. Its only factor is `c`.
`ucb1(0, 1, 2, 1.4)` should be 1.165576456; yours is 1.648374032."""),
    ("can_lose", ["def can_lose(board, side, policy): return False"], """✗ Not yet. Your function says `False` on \
every unfinished board. Compare `board.winner` with `opponent(side)`, and pass on `side` as it is.
The game is over, and on this board `can_lose(board, 'O', PLAYERS['rules-coded'].policy)` should be True; yours is \
False.
O O X
O O X
X X X"""),
    ("depth", ["return value(board, depth)", "return value(board, depth) + (depth == 2) * board.x"], """✗ Not yet. \
Your function is wrong in 261 of 11,391 calls. Its answers are right up to depth 1; the first errors appear at depth \
2. It goes wrong in line 12: `return value(board, depth) + (depth == 2) * board.x`. With `value(board, depth)` \
instead of `value(board, depth) + (depth == 2) * board.x` it would be right.
The game is over, and on this board `worth(board, 2)` should be 100; yours is 584.
O O X
O O X
X X X"""),
    ("lines_with", ["def lines_with(board, player, n): return 1"], """✗ Not yet. Your function is wrong in 15,939 of \
25,044 calls.
X is to move, and on this board `lines_with(board, 'X', 1)` should be 0; yours is 1.
- - -
- - -
- - -"""),
    ("my_fork", ["def my_fork(board): return board.moves[:2]"], """✗ Not yet. Your function is wrong on 4,299 of 4,520 \
boards.
X is to move, and on this board the right answer is `[]`; your function returns `[0, 1]`.
✗ ✗ -
- - -
- - -
✗ too many"""),
    ("proved", ["def proved(board): return any"], """✗ Not yet. Your function returns a function, \
neither `True` nor `False`. Are the brackets of a call missing?
The game is over, and the right value on this board is True; yours is <built-in function any>.
O O X
O O X
X X X"""),
    ("proved", ["def proved(board): return board.winner"], """✗ Not yet. Your function returns text. Return `True` or \
`False`.
The game is over, and the right value on this board is True; yours is 'X'.
O O X
O O X
X X X"""),
]  # fmt: skip


@pytest.mark.parametrize(("task", "code", "said"), SAID)
def test_a_check_of_a_task_says_this_and_nothing_else(task, code, said):
    assert str(check(function(task, code_of(task, code)), task)) == said
