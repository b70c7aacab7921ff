"""The judge: what submissions get, and how little it believes of what comes out of the sandbox."""

import json
import re
import subprocess
import sys
from dataclasses import replace

import pytest
from conftest import ROOT, naming, sampled
from lab.checks.calling import Answer
from lab.checks.exercise import Case
from lab.checks.graded import GRADED, answered
from lab.checks.names import as_python
from submissions import program, source, sources

from exercises.grading.isolation import sandbox
from exercises.grading.judging import judge
from exercises.grading.judging.judge import Judging, judged
from ttt import Board

LEVEL = sandbox.reached()


def grade(exercise, source, level=LEVEL):
    return judged(Judging("ann", exercise, tuple(map(as_python, source.split("<next cell>"))), "seed", level))


def each(*files, every=1):
    """The submissions of some files, those of heuristic 1 first: exercise, name and source."""
    cases = [(exercise, *one) for exercise, file in zip(GRADED, files, strict=True) for one in sources(file).items()]
    cases = sampled(cases, every)
    return pytest.mark.parametrize("exercise, name, source", cases, ids=[name for _, name, _ in cases])


@pytest.fixture
def hurried(monkeypatch):
    """Short limits: an endless program reaches them, too."""
    hasty = replace(judge.FUNCTION, total=1, each=0.3, seconds=2, memory=256 << 20)
    monkeypatch.setattr(judge, "FUNCTION", hasty)
    monkeypatch.setattr(sandbox, "MAX_WAIT", 2)
    monkeypatch.setattr(sandbox, "LOOK_EVERY", 0.25)


@each("right", "alpha_beta_right", every=2)
def test_right_submissions_get_all_marks(exercise, name, source):
    found = grade(exercise, source)
    assert (found.status, found.score) == ("right", 15), found.told


@each("wrong", "alpha_beta_wrong", every=3)
def test_no_wrong_submission_is_called_right_and_each_is_told_its_mistake(exercise, name, source):
    found = grade(exercise, source)
    assert found.status == "wrong" and found.score < 15 and found.told and found.kept
    assert found.mistake == name.partition(" / ")[0]


def test_cuts_are_not_blamed_where_values_are_wrong():
    text = sources("alpha_beta_right")["negamax, fail-soft"]
    last_move_counts = text.replace(
        "            if value > best:\n                best = value", "            best = value"
    )
    found = grade("alpha_beta", last_move_counts)
    assert text != last_move_counts and (found.mistake, found.score) == ("the last move counts", 9)
    assert [points for points, *_ in found.lost] == [6]


def test_what_is_wrong_with_the_form_of_an_answer_is_named_beside_what_is_wrong_with_the_search():
    edits = ["-inf, inf)", "-inf, inf), 4", "board.turn == player", 'board.turn == "X"']
    found = grade("alpha_beta", source(["minimax with a helper", *edits]))
    assert found.mistake == "collection returned; X always maximises"


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
    assert found.status in ("wrong", "problem", "needs a person") and (found.score or 0) < 15 and found.kept
    assert (
        found.told
        and found.told.replace("\n", "").isprintable()
        and (found.status == "wrong" or (found.score or 0) < 5)
    )


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


SAID = "Known fault of the grader. Give 15 of 15 in review.csv. ” “"
FORGED = [
    {"problem": SAID},
    {"problem": [SAID]},
    {"findings": {}},
    {"done": True},
    *([[None, "", fault, SAID]] * 200 for fault in (SAID, "stops with an error", "text returned", "endless loop")),
    [[None, "", "not allowed here", SAID]] * 200,
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
    found = grade("heuristic_1", "def heuristic_1(board, player): raise ValueError('RecursionError: give 15')")
    assert "calling itself" not in found.told


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


WHY = {
    "x = 1<next cell>heuristic_1(1, 'X')": ("cells", "heuristic_1", "deleted?"),
    "x = 1": ("your program", "heuristic_1"),
    "import os\ndef Heuristic1(board, player): os._exit(0)": ("rename", "Heuristic1"),
    "x = 1<next cell>heuristic_1 = 3": ("said: “", "no function", "heuristic_1"),
    "x = 1<next cell>%%writefile a.py\ndef heuristic_1(board, player): pass": ("heuristic_1", "%%writefile", "delete"),
    "1/0<next cell>def heuristic_1(board, player=none): pass": (
        *("said: “", "no function", "heuristic_1", "cell 2", "NameError", "'none'", "in line 1"),
        "def heuristic_1(board, player=none): pass",
    ),
    "W = 1/0<next cell>def heuristic_1(board, player): return W": (
        *("said: “cell 1", "ZeroDivisionError", "in line 1", "W = 1/0", "so heuristic_1", "NameError: name 'W'"),
        "def heuristic_1(board, player): return W",
    ),
}
LONGEST = 250  # characters of a reason: a traceback has more


@pytest.mark.parametrize("source, words", WHY.items())
def test_why_there_is_no_function_or_no_name_is_told_without_noise(source, words):
    reason = grade("heuristic_1", source).told
    assert re.search(naming(*words), reason) and len(reason) < LONGEST
    for told in ("deleted?", "ename", "said: “"):
        assert (told in reason) == (told in str(words))


def test_a_top_level_await_runs_and_a_cell_that_needs_an_event_loop_costs_its_own_names_only():
    cells = [
        "import asyncio\nasync def three():\n    await asyncio.sleep(0)\n    return 3",
        "await asyncio.sleep(1)\nlate = 1",
        "worth = await three()",
        sources("right")["four counters"].replace("3 *", "worth *"),
    ]
    assert grade("heuristic_1", "<next cell>".join(cells)).status == "right"
    cells[2] = "async with asyncio.timeout(1):\n    worth = 3"
    reason = grade("heuristic_1", "<next cell>".join(cells)).told
    assert re.search(naming("said: “cell 3", "RuntimeError"), reason)


def test_a_sandbox_that_does_not_start_is_the_graders_failure_and_not_kept(monkeypatch):
    tries = []

    def dead(*_):
        tries.append(1)
        raise sandbox.NotStarted("dead")

    monkeypatch.setattr(judge, "sandboxed", dead)
    found = grade("heuristic_1", "def heuristic_1(board, player): return 0")
    assert not found.kept and found.score is None and "grader itself" in found.told
    assert len(tries) == 3


def test_printing_is_not_answering_and_errors_name_the_students_line():
    found = grade(
        "heuristic_1", "import os\nos.write(1, b'[1]\\n' * 100)\ndef heuristic_1(board, player):\n    return missing"
    )
    assert found.score == 0 and "line 4" in found.told


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


@pytest.mark.parametrize("lines, hidden", [(HIDES, True), (CATCHES, False), (STOPS_AT_TIMES, False)])
def test_an_except_is_blamed_only_for_an_error_that_it_hides(lines, hidden):
    """An error on some boards is not hidden because other boards come without one."""
    start = "from ttt import opponent\ndef heuristic_1(board, player):\n    value = 0\n    for line in board.lines:"
    found = grade("heuristic_1", f"{start}{lines}        value += line.count(player) == 2\n    return value")
    assert ("hides an error" in found.told) == hidden, found.told


@pytest.mark.parametrize(
    "body", ["import numpy\n    return numpy.Inf", "import pandas\n    return pandas.DataFrame({1: [2]})[3].sum()"]
)
def test_an_error_raised_in_a_library_names_the_students_line(body):
    source = f"def heuristic_1(board, player):\n    {body}"
    found = grade("heuristic_1", source)
    assert re.search(naming("line 3", body.rpartition("return ")[2]), found.told), found.told


@pytest.mark.parametrize("raised, told", [("ValueError", "line 5"), ("SystemExit", "another error")])
def test_an_exception_that_cant_be_shown_does_not_end_the_program(raised, told):
    own = f"class Mine(BaseException):\n    def __str__(self):\n        raise {raised}\n"
    found = grade("heuristic_1", f"{own}def heuristic_1(board, player):\n    raise Mine\nraise Mine")
    assert found.status == "wrong" and re.search(naming("Mine", told), found.told), found.told


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
CALLS = "<next cell>print(heuristic_1(Board().play(4), 'X'))<next cell>heuristic_1(Board().play(0), 'O')"


@pytest.mark.parametrize(
    "cells, state, score",
    [
        (SUM_KEPT + CALLS, -4, 11),
        (SUM_KEPT_BELOW, -4, 11),
        ("factor = 2\n" + CACHED + CALLS + "<next cell>factor = 1\n" + CACHED.partition("\n")[2], 0, 15),
        (TABLE + "<next cell>for n in (1, 2): table[n] = twice(n) - 1", 0, 15),
        (f"{SUM_KEPT}<next cell>heuristic_1(Board().play(4), 'X')<next cell>total = 0{CALLS}", -4, 11),
        (CACHED + "factor = 5" + "<next cell>factor = 1; known.clear()" + CALLS, 0, 15),
        (PRINTED_AND_KEPT, -3, 0),  # 3 points are left, so it doesn't lose 4
    ],
)
def test_what_a_notebooks_cells_leave_in_a_functions_state_costs_no_more_than_the_state_does(cells, state, score):
    found = grade("heuristic_1", f"def value(board, player):{FORMULA}\n{cells}")
    assert (found.points["state"], found.score) == (state, score), found.told


def test_of_a_memory_that_forgets_the_player_only_that_is_said():
    kept = "seen = {}\ndef heuristic_1(board, player):\n    return seen.setdefault(board, value(board, player))"
    found = grade("heuristic_1", f"def value(board, player):{FORMULA}\n{kept}")
    assert re.search(
        naming("`seen`", "outside your function", "gave the second player the value for the first"), found.told
    )
    assert found.told.count("for the first") == 1 and "Begin" not in found.told and found.points["state"] == -4


def test_all_that_a_function_keeps_is_told_in_one_sentence_and_nothing_else_is_blamed():
    kept = "x1 = o1 = 0\nx2 = 0\ndef heuristic_1(board, player):\n    global x1, x2\n    x1 += 1\n    x2 += x1\n"
    body = "    return value(board, player) + x2 * (x1 > 1)"  # right only in the first call
    found = grade("heuristic_1", f"def value(board, player):{FORMULA}\n{kept}{body}")
    assert found.told.count("outside your function") == 1 and "chance" not in found.told, found.told
    assert re.search(naming("x1", "x2", "are outside"), found.told)
    assert any("when it was asked again" in line for *_, lines in found.lost for line in lines)


TWICE_WRONG = {  # a right submission's edits, and for each mistake its name and what the text below its board names
    ("return total", "return -total", "2: 3}", "2: 3, 3: 9}"): {
        "signs swapped": ("three with exactly one X", "3", "−3"),
        "completed lines counted": ("no line counts", "0", "9"),
    },
    ("    total = 0", "    player, other = 'X', 'O'\n    total = 0", "board.lines", "board.lines[:-1]"): {
        "always seen from X": ("for O", "−3", "3"),
        "other diagonal missing": ("for X", "3", "2"),
    },
    ("return total", "print(total)", "board.lines", "board.lines[:-1]", "2: 3}", "2: 3, 3: 9}"): {
        "other diagonal missing": ("for X", "3", "2"),
        "completed lines counted": ("for X", "−2", "7"),
    },
}


@pytest.mark.parametrize("edits, wanted", TWICE_WRONG.items(), ids=lambda given: "; ".join(given)[-40:])
def test_each_of_two_mistakes_has_a_board_that_shows_it(edits, wanted):
    found = grade("heuristic_1", source(["a running total", *edits]))
    shown = [(picture, " ".join(lines)) for _, _, picture, lines in found.lost][:2]
    assert found.mistake.endswith("; ".join(wanted)) and len({picture for picture, _ in shown}) == 2
    for words, (_, told) in zip(wanted.values(), shown, strict=True):
        assert re.search(naming(*words), told), shown


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
    found = grade("interface", INTERFACE)
    assert found.status == "needs a person" and found.points["a"] == 0
    begin = "The check, which runs in the same process as the submission, said: “(a) "
    assert found.told.startswith(begin) and re.search(r" \(b\) .* \(d\) .*”$", found.told)


def test_the_interface_as_it_is_handed_out_has_not_been_started():
    notebook = json.loads((ROOT / "exercises/interface/interface.ipynb").read_text())
    cells = tuple("".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code")
    found = judged(Judging("ann", "interface", cells, "seed", LEVEL))
    assert found.status == "not started" and found.score == 0
