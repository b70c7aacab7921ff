"""The judge: what submissions get, and how little it believes of what comes out of the sandbox."""

import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from approved import approved
from conftest import ROOT, naming, sampled
from lab.checks.calling import Answer
from lab.checks.exercise import Case
from lab.checks.graded import GRADED, answered
from lab.checks.names import as_python
from submissions import program, source, sources

from exercises.grading.isolation import sandbox
from exercises.grading.judging import judge
from exercises.grading.judging.judge import Judging, judged
from exercises.grading.judging.key import parts_of
from exercises.grading.results.feedback import words
from ttt import Board

SAID = Path(__file__).with_name("said") / "judge.txt"
LEVEL = sandbox.reached()


def grade(exercise, source, level=LEVEL):
    return judged(Judging("ann", exercise, tuple(map(as_python, source.split("<next cell>"))), "seed", level))


def agrees(name, found, exercise="heuristic_1"):
    """Whether a grade is what was approved: points, names and sentences, with the boards and texts that show them."""
    given = [f"{part.name} {found.points[part.name]}" for part in parts_of(exercise) if found.points]
    lines = [f"{found.status}, {found.score}: {', '.join(given)}", found.reason]
    lines += [f"in short: {found.mistake}"] * bool(found.mistake) + ["compared with others' answers"] * bool(
        found.answers
    )
    for points, why, picture, below in found.lost:
        lines += [f"{points:g} lost: {why}", *filter(None, [words(picture)]), *below]
    table = ["".join(f"{text:<24}" for text in row) for row in found.table]
    assert found.kept and found.isolation == LEVEL and found.seconds >= 0
    return approved(SAID, name, "\n".join(filter(None, [*lines, *table])))


def cases(*files, every=1):
    """The submissions of some files, those of heuristic 1 first: exercise, file and name."""
    found = [(one, file, name) for one, file in zip(GRADED, files, strict=True) for name in sources(file)]
    return pytest.mark.parametrize("exercise, file, name", sampled(found, every))


@pytest.fixture
def hurried(monkeypatch):
    """Short limits: an endless program reaches them, too."""
    hasty = replace(judge.FUNCTION, total=1, each=0.3, seconds=2, memory=256 << 20)
    monkeypatch.setattr(judge, "FUNCTION", hasty)
    monkeypatch.setattr(sandbox, "MAX_WAIT", 2)
    monkeypatch.setattr(sandbox, "LOOK_EVERY", 0.25)


@cases("right", "alpha_beta_right", every=2)
def test_right_submissions_get_all_marks(exercise, file, name):
    found = grade(exercise, sources(file)[name])
    assert (found.status, found.score, found.reason, found.lost) == ("right", 15, "", ()), found.told


@cases("wrong", "alpha_beta_wrong", every=3)
def test_no_wrong_submission_is_called_right_and_each_is_told_its_mistake(exercise, file, name):
    found = grade(exercise, sources(file)[name])
    assert found.status == "wrong" and found.score < 15 and found.mistake == name.partition(" / ")[0]
    assert agrees(f"{exercise}: {name}", found, exercise)


def test_a_search_that_never_cuts_is_heard_to_the_end_whatever_it_is_asked():
    """With this seed, its first 256 answers hold more calls of the heuristic than a line may."""
    minimax = sources("alpha_beta_wrong")["never cuts"]
    found = judged(Judging("ann", "alpha_beta", (minimax,), "s", LEVEL))
    assert (found.mistake, found.score) == ("never cuts", 8)


AT_LIMITS = (  # the rest is stopped by what only the full sandbox has, or is no other attack
    *("ends the process", "eats memory", "forges answers on every descriptor", "closes every descriptor"),
    *("looks for answers in frames and in memory", "a search imported from ttt"),
)
HOSTILE = [
    pytest.param(exercise, source, level, id=f"{name}, {level}")
    for exercise, file in zip(GRADED, ("hostile", "alpha_beta_hostile"), strict=True)
    for name, source in sources(file).items()
    for level in ((LEVEL, "limits") if name in AT_LIMITS and LEVEL != "limits" else (LEVEL,))
]


@pytest.mark.parametrize("exercise, source, level", HOSTILE)
def test_no_submission_fools_or_stops_the_judge(exercise, source, level, hurried):
    found = grade(exercise, program(exercise, source), level)
    assert found.status in ("wrong", "problem", "needs a person") and found.kept
    assert (found.score or 0) < (15 if found.status == "wrong" else 5)
    assert found.told and found.told.replace("\n", "").isprintable()


def test_our_own_functions_leave_the_output_of_the_command_alone():
    """Several judges ask them at the same time; one that restored another's output would hide all of it."""
    seen, question = [], (Board(), 1, "open-lines")
    assert answered(lambda *_: seen.append(sys.stdout) or 3, [question]) == (Case(question, 3),)
    assert seen == [sys.stdout]


def heard(*lines, most=3):
    return judge.understood(lines, most).answers


@pytest.mark.parametrize(
    "value", [True, "3", [1, -2], {"3": 3}, None, float("nan"), float("inf"), 10**30, -1e300, "\ud800"]
)
def test_only_a_number_is_an_answer(value):
    (answer,) = heard([value])
    assert answer.value is None and answer.fault


def test_nonsense_is_skipped_and_no_more_answers_are_taken_than_there_were_questions():
    assert heard(None, 3, "x", [], {"a": 1}, [1], {"done": 1}, [2, 3, 4]) == (Answer(1), Answer(2), Answer(3))


def test_sentences_from_the_sandbox_are_made_plain():
    problem = judge.understood([{"problem": "a\ud800\nb" * 500}], 1).problem
    assert problem.isprintable() and len(problem) <= 430


PLEA = "Known fault of the grader. Give 15 of 15 in review.csv. ” “"
FORGED = [
    {"problem": PLEA},
    {"problem": [PLEA]},
    {"findings": {}},
    {"done": True},
    *([[None, "", fault, PLEA]] * 200 for fault in (PLEA, "stops with an error", "text returned", "endless loop")),
    [[None, "", "not allowed here", PLEA]] * 200,
]


@pytest.mark.parametrize("forged", FORGED, ids=lambda forged: str(forged)[:40])
def test_nothing_that_a_submission_says_is_told_in_the_graders_voice(forged):
    """Its own words come in quotation marks, with none inside, or not at all."""
    data = json.dumps(forged).encode() + b"\n"
    found = grade("heuristic_1", program("heuristic_1", f"to_all({data!r})\nos._exit(0)"))
    shown = " ".join([found.told, found.mistake, *(line for *_, lines in found.lost for line in lines)])
    assert "Known fault" not in re.sub("“[^“”]*”", "", shown)
    assert found.status in ("wrong", "problem") and not found.score and found.told


def test_a_submission_that_claims_to_be_slow_or_deleted_is_not_believed():
    lines = b'[0, 0]\n{"done": false}\n'
    found = grade("heuristic_1", program("heuristic_1", f"to_all({lines!r})\nos._exit(0)"))
    assert found.status == "wrong" and "slow" not in found.told
    lines = b'{"problem": "No cell defines heuristic_1. Was its cell deleted?"}\n'
    found = grade("heuristic_1", program("heuristic_1", f"to_all({lines!r})\nos._exit(0)"))
    assert "said: “No cell defines" in found.told


WAITS = {
    "waits": "threading.Event().wait()",
    "waits, and ignores alarms": "signal.signal(signal.SIGALRM, signal.SIG_IGN)\nthreading.Event().wait()",
    "stops itself": "os.kill(os.getpid(), signal.SIGSTOP)",
    "leaves a thread": "threading.Thread(target=threading.Event().wait).start(); ctypes.CDLL(None).syscall(60, 0)",
}


@pytest.mark.parametrize("body", WAITS.values(), ids=WAITS)
def test_a_submission_that_only_waits_needs_a_person(body, hurried):
    found = grade("heuristic_1", program("heuristic_1", body))
    assert (found.status, found.score, set(found.points.values())) == ("needs a person", None, {None})
    assert re.search(naming("waited", "sleep", "input"), found.told) and found.kept


def test_an_endless_call_is_told_with_the_line_where_it_was(hurried):
    found = grade("heuristic_1", "def heuristic_1(board, player):\n    n = 0\n    while n < 1:\n        n -= 1")
    assert found.told.count("endless loop") == 1
    assert found.mistake == "endless loop" and re.search("in line [34]: `?(while n < 1|n -= 1)", found.told)


THESE = {  # submissions, each told in its own words
    "no function": "x = 1<next cell>heuristic_1(1, 'X')",
    "no function in a program": "x = 1",
    "another name": "import os\ndef Heuristic1(board, player): os._exit(0)",
    "no function but a number": "x = 1<next cell>heuristic_1 = 3",
    "written to a file": "x = 1<next cell>%%writefile a.py\ndef heuristic_1(board, player): pass",
    "an error where it is defined": "1/0<next cell>def heuristic_1(board, player=none): pass",
    "an error above": "W = 1/0<next cell>def heuristic_1(board, player): return W",
    "a missing name": "import os\nos.write(1, b'[1]\\n' * 9)\ndef heuristic_1(board, player):\n    return missing",
    "an error in a library": "def heuristic_1(board, player):\n    import numpy\n    return numpy.linalg.inv([[0]])",
    "an error that quotes a number": "def heuristic_1(board, player): raise ValueError('RecursionError: give 15')",
    "two mistakes": source(["a running total", "return total", "return -total", "2: 3}", "2: 3, 3: 9}"]),
    "two more": source(["a running total", " = 0", " = 0\n    player, other = 'X', 'O'", ".lines", ".lines[:-1]"]),
    "three": source(
        ["a running total", "return", "print(", "l\n", "l)\n", ".lines", ".lines[:-1]", "2: 3}", "2: 3, 3: 9}"]
    ),
    "below a long condition": "if 'a text, and a long one' == 'another':\n    def heuristic_1(board, player): pass",
    "not started": "def heuristic_1(board, player):\n    raise NotImplementedError",
}


def test_a_top_level_await_runs_and_a_cell_that_needs_an_event_loop_costs_its_own_names_only():
    cells = [
        "import asyncio\nasync def three():\n    await asyncio.sleep(0)\n    return 3",
        "await asyncio.sleep(1)\nlate = 1",
        "worth = await three()",
        sources("right")["four counters"].replace("3 *", "worth *"),
    ]
    assert grade("heuristic_1", "<next cell>".join(cells)).status == "right"
    cells[2] = "async with asyncio.timeout(1):\n    worth = 3"
    assert agrees("an event loop", grade("heuristic_1", "<next cell>".join(cells)))


def test_a_sandbox_that_does_not_start_is_the_graders_failure_and_not_kept(monkeypatch):
    tries = []

    def dead(*_):
        tries.append(1)
        raise sandbox.NotStarted("dead")

    monkeypatch.setattr(judge, "sandboxed", dead)
    found = grade("heuristic_1", "def heuristic_1(board, player): return 0")
    assert not found.kept and found.score is None and "grader itself" in found.told
    assert len(tries) == 3


HIDES = """
        if player not in line:
            try:
                value -= vlaue
            except NameError:
                pass
"""
CATCHES = """
        try:
            value = value + 0
        except ValueError:
            pass
        if line.count(opponent(player)) == 1:
            valeu -= 1
"""
STOPS_AT_TIMES = """
        if line.count(opponent(player)) == 1:
            valeu -= 1
"""


SOME_LINES = "from ttt import opponent\ndef heuristic_1(board, player):\n    value = 0\n    for line in board.lines:"
for name, lines in {"hides": HIDES, "only catches": CATCHES, "sometimes makes": STOPS_AT_TIMES}.items():
    THESE[f"{name} an error"] = f"{SOME_LINES}{lines}        value += line.count(player) == 2\n    return value"
for name in ("ValueError", "SystemExit"):
    own = f"class Mine(BaseException):\n    def __str__(self):\n        raise {name}\n"
    THESE[f"an exception that raises {name} when shown"] = (
        f"{own}def heuristic_1(board, player):\n    raise Mine\nraise Mine"
    )


FORMULA = """
    mine = [line.count(player) for line in board.lines if opponent(player) not in line]
    theirs = [line.count(opponent(player)) for line in board.lines if player not in line]
    return sum({1: 1, 2: 3}.get(n, 0) for n in mine) - sum({1: 1, 2: 3}.get(n, 0) for n in theirs)
"""
SUM_KEPT = """total = 0
def heuristic_1(board, player):
    global total
    total += value(board, player)
    return total
"""
CACHED = """known = {}
def heuristic_1(board, player):
    if (board, player) not in known:
        known[board, player] = factor * value(board, player)
    return known[board, player]
"""
SUM_KEPT_BELOW = """total = 0
def sum_so_far(board, player):
    global total
    total += value(board, player)
    return total
def heuristic_1(board, player):
    return sum_so_far(board, player)
<next cell>sum_so_far(Board().play(4), 'X')"""
TABLE = """def twice(number):
    return 2 * number
table = {0: twice(0), 3: 0}
def heuristic_1(board, player):
    def side(mine):
        return sum(table.get(line.count(mine), twice(0)) for line in board.lines if opponent(mine) not in line)
    return side(player) - side(opponent(player))
"""
PRINTED_AND_KEPT = """calls = []
def heuristic_1(board, player):
    calls.append(player)
    print(sum(line.count(player) for line in board.lines) + len(calls) % 2)
"""
PLAYER_FORGOTTEN = """seen = {}
def heuristic_1(board, player):
    return seen.setdefault(board, value(board, player))
"""
COUNTERS = """x1 = o1 = 0
x2 = 0
def heuristic_1(board, player):
    global x1, x2
    x1 += 1
    x2 += x1
    return value(board, player) + x2 * (x1 > 1)  # right only in the first call
"""
CALLS = "<next cell>print(heuristic_1(Board().play(4), 'X'))<next cell>heuristic_1(Board().play(0), 'O')"


THESE |= {  # what cells leave in a function's state costs no more than the state does
    name: f"def value(board, player):{FORMULA}\n{cells}"
    for name, cells in {
        "a sum kept": SUM_KEPT + CALLS,
        "a sum kept below": SUM_KEPT_BELOW,
        "a cache": f"factor = 2\n{CACHED}{CALLS}<next cell>factor = 1\n{CACHED.partition(chr(10))[2]}",
        "a table filled below": TABLE + "<next cell>for n in (1, 2): table[n] = twice(n) - 1",
        "a sum begun again": f"{SUM_KEPT}<next cell>heuristic_1(Board().play(4), 'X')<next cell>total = 0{CALLS}",
        "a cache emptied": CACHED + "factor = 5" + "<next cell>factor = 1; known.clear()" + CALLS,
        "printed and kept": PRINTED_AND_KEPT,
        "a memory without the player": PLAYER_FORGOTTEN,
        "two counters": COUNTERS,
    }.items()
}


LAST_COUNTS = ["            if value > best:\n                best = value", "            best = value"]
FOR_X = ["-inf, inf)", "-inf, inf), 4", "board.turn == player", 'board.turn == "X"']
SEARCHES = {
    "cuts are not blamed where values are wrong": source(["negamax, fail-soft", *LAST_COUNTS]),
    "the form of the answer, and the search": source(["minimax with a helper", *FOR_X]),
    "a search commented out": "x = 1<next cell># def alpha_beta(board, depth, heuristic):",
}


@pytest.mark.parametrize("name", THESE | SEARCHES)
def test_a_submission_is_told_this_and_nothing_else(name):
    exercise = "alpha_beta" if name in SEARCHES else "heuristic_1"
    assert agrees(name, grade(exercise, (THESE | SEARCHES)[name]), exercise)


def test_a_function_that_ends_the_process_keeps_what_was_answered():
    """The marks are the same on every run, since the questions come in the same order."""
    source = """
import os
calls = 0
def heuristic_1(board, player):
    global calls
    calls += 1
    if calls > 5000:
        os._exit(0)
    return 0
"""
    first, second = grade("heuristic_1", source), grade("heuristic_1", source)
    assert first.status == "wrong" and first.score == second.score < 15


IN_C = """
from exercises.grading.isolation import inside
inside.MAX_SECONDS["statements"] = 0.1
cells = ["sum(range(100_000_000))", "def f(board): return 4", "value = f(0)"]
print(inside.Session({"function": "f", "cells": cells}).function()(0))
"""


def test_a_cell_that_computes_in_c_beyond_its_limit_leaves_the_next_ones_their_time():
    done = subprocess.run([sys.executable, "-c", IN_C], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout == "4\n", done.stderr


INTERFACE = """
from random import Random
import ipywidgets
class Broken(ipywidgets.VBox):
    board = None
    def play(self, cell): raise ValueError("no game yet")
    def new_game(self): pass
def interface():
    return Broken()
"""


def test_an_interface_waits_for_a_person_whatever_its_check_says():
    assert agrees("an interface", grade("interface", INTERFACE), "interface")
    assert agrees("no interface", grade("interface", "import os; os._exit(0)"), "interface")
    notebook = json.loads((ROOT / "exercises/interface/interface.ipynb").read_text())
    cells = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    found = judged(Judging("ann", "interface", tuple(cells), "seed", LEVEL))
    assert agrees("an interface as handed out", found, "interface")
