"""A whole class before the judge: right in every hand, known mistakes, and hostile ones. No verdict may be wrong."""

import os
import signal
import subprocess
import time
import tomllib
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from conftest import need

from ttt import Board, opponent
from ttt.checks import check
from ttt.exercises import ANSWER_MISTAKES, STOPS
from ttt.grading import heuristic_1, judge, marking
from ttt.grading.inside.submission import function_in
from ttt.grading.judge import Question
from ttt.grading.key import Key
from ttt.grading.sandbox import TooLittleIsolation

FOLDER = Path(__file__).parent / "submissions"
RIGHT, WRONG, HOSTILE = (tomllib.loads((FOLDER / f"{kind}.toml").read_text()) for kind in ("right", "wrong", "hostile"))
KEY = heuristic_1.key()


@cache
def mark(source):
    return marking.mark(KEY, source)


def checked(source):
    """What the check under the exercise says of the same code: whether it is right, and the mistake."""
    found = check(function_in(source, "heuristic_1")[0])
    return found.right, found.mistake


def ask(source, questions=KEY.questions, **options):
    return judge.ask(source, questions, "heuristic_1", **options)


@pytest.fixture(scope="module", autouse=True)
def full_isolation():
    need("sandbox")


def children():
    return Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()


def lines(board):
    marks = "".join(board)
    return [marks[0:3], marks[3:6], marks[6:9], marks[0::3], marks[1::3], marks[2::3], marks[0::4], marks[2:7:2]]


def by_hand(board, player):
    worth = {"--X": 1, "-XX": 3, "--O": -1, "-OO": -3}
    value = sum(worth.get("".join(sorted(line)), 0) for line in lines(board))
    return value if player == "X" else -value


def test_there_are_at_least_sixty_submissions_in_the_class():
    assert len(RIGHT) >= 20 and len(WRONG) >= 25 and len(HOSTILE) >= 15


def test_the_key_is_right_on_every_position_from_both_sides():
    assert len(KEY.questions) == 2 * 5478
    assert all(value == by_hand(q.board, q.player) for q, value in zip(KEY.questions, KEY.values, strict=True))


@pytest.mark.parametrize("name", RIGHT)
def test_right_submissions_get_full_marks_and_pass_the_check(name):
    source = RIGHT[name].replace("<next cell>", "\f")
    answers, grade = mark(source)
    assert (grade.status, grade.score, grade.reason) == ("right", 15, ""), answers.problem
    assert len(answers.values) == 10_956 and answers.isolation == "full"
    assert checked(source) == (True, "")


@pytest.mark.parametrize("name", WRONG)
def test_wrong_submissions_lose_marks_and_judge_and_check_name_their_mistake(name):
    _, grade = mark(WRONG[name])
    assert (grade.status, grade.misconception) == ("wrong", name) and grade.score < 15 and grade.reason
    assert grade.case and grade.case.given != str(grade.case.right)
    assert grade.case.right == by_hand(grade.case.board, grade.case.player)
    assert checked(WRONG[name]) == (False, name)


REPEATABLE = [name for name in WRONG if name != "state kept between calls"]
KNOWN = [name for name in REPEATABLE if name not in ANSWER_MISTAKES]


@pytest.mark.parametrize("name", [*REPEATABLE, "a table of guesses", "equal to everything", "a float that lies"])
def test_a_submission_gets_the_grade_that_it_would_get_if_it_were_asked_everything(name, monkeypatch):
    source = (WRONG | HOSTILE)[name]
    answers, grade = mark(source)
    monkeypatch.setattr(Key, "decided", lambda *_: False)
    all_answers, all_grade = marking.mark(KEY, source)
    assert replace(grade, seconds=0) == replace(all_grade, seconds=0)
    assert len(all_answers.values) + len(all_answers.odd) == 10_956
    assert answers.values.items() <= all_answers.values.items()


def test_a_known_mistake_is_asked_little_where_no_more_can_be_found_out():
    asked = {name: len(mark(WRONG[name])[0].values) for name in KNOWN}
    early = {name for name, number in asked.items() if number < 5000}
    # of these every board from X, or every one with a blocked line, has to be right
    assert set(KNOWN) - early <= {"always seen from X", "completed lines counted", "bracket lost", "absolute value"}
    assert set(KEY.cases) <= set(mark(WRONG["signs swapped"])[0].values)


def test_a_mistake_that_shows_on_few_boards_is_found_and_nothing_that_is_wrong_counts_as_right():
    late = "calls = []\ndef heuristic_1(board, player):\n    calls.append(1)\n    return right(board, player) + {}\n"
    right = RIGHT["four counters"].replace("def heuristic_1", "def right")
    for wrong in ("(len(calls) > 10_000)", "(player == 'O' and not board.moves)", "(len(calls) % 600 == 599)"):
        answers, grade = mark(right + late.format(wrong))
        assert grade.status == "wrong" and grade.score <= 12 and len(answers.values) == 10_956
        assert grade.misconception in ("", "state kept between calls")


def test_the_first_questions_come_in_another_order_each_time_with_others_among_them():
    first, everything = KEY.asked_first, range(len(KEY.questions))
    orders = [judge._ordered(everything, first) for _ in range(2)]
    for order, early in orders:
        assert sorted(order) == list(everything)
        assert early == len(first) + judge.MIXED_IN and set(first) < set(order[:early])
        assert set(order[: early // 4]) - set(first) and set(order[: early // 4]) & set(first)
    assert orders[0][0][: len(first)] != orders[1][0][: len(first)]


def test_the_sandbox_is_told_each_question_as_a_number():
    assert Question(Board.from_text("XX- OO- X--"), "O").code == (0b001_000_011 << 9 | 0b000_011_000) << 3 | 1
    assert len({question.code for question in KEY.questions}) == len(KEY.questions)


def test_a_submission_finds_on_its_board_what_the_question_says():
    source = """
from ttt import Board, opponent
from ttt.checks import check
def heuristic_1(board, player):
    marks, other = "".join(board), Board(board.shape, board.k, x=board.x, o=board.o)
    by_hand = tuple(tuple(marks[cell] for cell in line) for line in board.line_cells)
    assert board.lines == other.lines == by_hand == board.lines and board.winner == other.winner
    assert all(board.play(move).lines != board.lines for move in board.moves if not board.over)
    assert len(Board((4, 4, 4)).lines) == 76
    return (board.x * 1000 + board.o) * 10 + (player == "O")
"""
    answers = ask(source, KEY.questions[::7])
    expected = [(q.board.x * 1000 + q.board.o) * 10 + (q.player == "O") for q in KEY.questions[::7]]
    assert not answers.odd and answers.values == dict(enumerate(expected))


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_submissions_get_no_more_than_they_answer_and_come_to_an_end(name):
    begun = time.monotonic()
    answers = ask(HOSTILE[name], places=range(0, len(KEY.questions), 21))
    grade = marking.grade(KEY, answers)
    assert time.monotonic() - begun < judge.SECONDS + 10
    honest = {place for place, value in enumerate(KEY.values) if value == 0}
    right = {place for place, value in answers.values.items() if value == KEY.values[place]}
    assert right <= honest and grade.score == 0 and grade.status in ("wrong", "problem") and grade.reason
    assert not any(
        odd.words.startswith(("the text 'read", "the text 'wrote", "the text 'a so")) for odd in answers.odd.values()
    )
    assert not Path("/ttt-was-here").exists() and not Path("/var/tmp/ttt-was-here").exists()


def test_what_stays_after_hostile_submissions_is_nothing():
    before = set(children())
    ask(HOSTILE["forks without end"], KEY.questions[:10])
    ask(HOSTILE["starts programs"], KEY.questions[:10])
    time.sleep(0.2)
    left = subprocess.run(["pgrep", "-f", "sleep 60"], capture_output=True, text=True).stdout.split()
    assert not left and set(children()) <= before


def test_the_untouched_stub_is_not_started_and_a_missing_function_is_told():
    stub = "def heuristic_1(board, player):\n    raise NotImplementedError\n"
    assert mark(stub)[1].status == "not started"
    for source, said in {
        "x = 1": "There is no function heuristic_1.",
        "heuristic_1 = 5": "There is no function heuristic_1.",
        "def heuristic_1(board, player:\n    return 1": "The code can't be read: SyntaxError",
        "def heuristic_1(board, player):\n    return undefined": "NameError",
        "": "There is no function heuristic_1.",
        "\x00": "There is no function heuristic_1.",
        "\ud800": "There is no function heuristic_1.",
        "(" * 50_000: "There is no function heuristic_1.",
    }.items():
        answers, grade = mark(source)
        assert said in grade.reason and grade.score == 0, (source[:20], grade, answers.problem)


def test_a_name_that_is_nearly_right_is_pointed_out():
    for name in ("Heuristic_1", "heuristic1", "heuristik_1"):
        source = RIGHT["four counters"].replace("heuristic_1", name)
        assert mark(source)[1].reason == (
            f"There is no function heuristic_1. Rename {name}: the name has to be heuristic_1, letter for letter."
        )
    assert mark("def something(board, player):\n    return 1")[1].reason == "There is no function heuristic_1."


def test_many_blank_lines_do_not_take_long_where_the_function_is_missing():
    begun = time.monotonic()
    assert "Rename Heuristic_1" in mark("\n" * 200_000 + "def Heuristic_1(board, player):\n    return 1")[1].reason
    assert time.monotonic() - begun < 7


def test_an_error_in_the_code_is_the_reason_with_its_line():
    head = "def heuristic_1(board, player):\n"
    for line, said in {
        "return math.floor(2.5)": "NameError: name 'math' is not defined",
        "return totl": "NameError: name 'totl' is not defined",
        "return board.lines[9].count(player)": "IndexError: tuple index out of range",
    }.items():
        graded = mark(f"{head}    {line}")[1]
        assert graded.misconception == "stops with an error"
        assert graded.reason == f"Your function stops with {said} (line 2: {line})."
    graded = mark(f"{head}    return float('inf') if board.winner else 0")[1]
    assert graded.reason.startswith("Your function returns infinity on 1,884 of 10,956 boards.")
    assert graded.misconception == "no number" and graded.case.given == "infinity"


def test_an_error_of_the_packages_own_or_of_the_students_is_told_as_an_error():
    head = "class Nothing(Exception):\n    pass\ndef heuristic_1(board, player):\n    "
    for line, said in {
        "return board[9]": "stops with OffBoard: There is no cell 9: a cell is an index from 0 to 8 or coordinates "
        "from (0, 0) to (2, 2) (line 4: return board[9]).",
        "return board.play(0).play(0)": "stops with CellTaken: ",
        "raise Nothing": "stops with Nothing (line 4: raise Nothing).",
        "assert board is None": "stops with AssertionError (line 4: assert board is None).",
        "if player == 'O': raise NotImplementedError\n    return 1": "stops on 5,478 of 10,956 boards with NotImpl",
    }.items():
        graded = mark(head + line)[1]
        assert graded.misconception == STOPS and graded.reason.startswith(f"Your function {said}"), graded.reason


def test_a_number_that_is_too_large_is_not_called_infinite():
    graded = mark("def heuristic_1(board, player):\n    return 10**15")[1]
    said = "Your function returns the number 1000000000000000. Return a number below 10¹⁵ in size."
    assert (graded.reason, graded.misconception) == (said, "number too large")


def test_the_reason_says_what_is_right_already_and_the_case_shows_the_lines_that_count():
    _, grade = mark(WRONG["blocked lines counted"])
    assert "Right already: boards where no line holds more than one mark; boards with two marks" in grade.reason
    assert grade.case.explanation.startswith("The lines that count: ")
    captions = [caption for _, caption, _ in grade.case.drawings]
    assert captions[:2] == [f"lines of {mark} alone" for mark in (grade.case.player, opponent(grade.case.player))]
    assert captions[2].startswith("look at") and len(captions) == 3


def test_what_is_right_already_is_told_where_state_is_kept_too(monkeypatch):
    source = RIGHT["four counters"].replace("def heuristic_1", "def right")
    source += "calls = []\ndef heuristic_1(board, player):\n    calls.append(1)\n"
    source += "    return right(board, player) + (len(board.moves) < 3) * len(calls)\n"
    grade = mark(source)[1]
    assert grade.misconception == "state kept between calls" and grade.score > 0
    assert grade.reason.startswith("Called twice with the same board") and "Right already: " in grade.reason


def test_what_is_odd_is_told_in_words():
    board = [Question(Board(), "X")]
    odd = {
        "return None": "None",
        "return '3'": "the text '3'",
        "return (1, 2)": "a tuple: (1, 2)",
        "return True": "True",
        "return float('nan')": "NaN",
        "from decimal import Decimal; return Decimal('NaN')": "NaN",
        "return float('-inf')": "infinity",
        "yield 1": "a generator",
        "import numpy; return numpy.array([1])": "an ndarray: array([1])",
        "from collections import namedtuple; return namedtuple('P', 'a')(1)": "a P: P(a=1)",
        "return 1 / 0": "ZeroDivisionError: division by zero (line 2: return 1 / 0)",
        "return missing(\n        board)": "NameError: name 'missing' is not defined (line 2: return missing()",
    }
    for line, said in odd.items():
        answers = ask(f"def heuristic_1(board, player):\n    {line}\n", board)
        assert answers.odd[0].words == said and not answers.values


def test_a_submission_sees_the_board_and_nothing_of_the_judges():
    source = """
import os
def heuristic_1(board, player):
    inside = [name for name in os.listdir("/sandbox/ttt/grading") if os.listdir("/sandbox/ttt/grading/" + name)]
    return str([os.getuid() > 0, os.path.exists("/work"), sorted(os.listdir("/sandbox")), inside,
                sorted(os.environ), len(os.listdir("/proc")) < 80])
"""
    (said,) = ask(source, [Question(Board(), "X")]).odd.values()
    threads = ["MKL_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"]
    environment = sorted([*threads, "LC_CTYPE", "PATH", "PWD", "TQDM_DISABLE"])
    expected = [True, False, ["packages", "ttt"], ["inside"], environment, True]
    assert said.words == f'the text "{expected}"'


def test_a_submission_has_no_rights_and_no_right_values():
    source = """
import ctypes, re, threading
def read(path):
    try:
        return open(path).read()
    except OSError:
        return ""
def heuristic_1(board, player):
    status, values = read("/proc/self/status"), read("/sandbox/ttt/exercises/heuristic_1.json")
    memory = ctypes.CDLL(None).shmget(0, 1 << 20, 0o1666), ctypes.CDLL(None).memfd_create(b"x", 0)
    started = 0
    try:
        for started in range(100):
            threading.Thread(target=threading.Event().wait, daemon=True).start()
    except RuntimeError:
        pass
    return str([re.findall("(?:CapEff|NoNewPrivs):.(\\w+)", status), values, memory, started < 20])
"""
    (said,) = ask(source, [Question(Board(), "X")]).odd.values()
    assert said.words == "the text \"[['0000000000000000', '1'], '', (-1, -1), True]\""


def test_an_endless_loop_is_told_before_the_time_is_up_and_other_answers_are_kept():
    source = "def heuristic_1(board, player):\n    while board.winner:\n        pass\n    return 0"
    answers = ask(source)
    assert "endless loop" in answers.problem and answers.late
    assert "line 3: pass" in str(answers.odd) or "line 2: while board.winner:" in str(answers.odd)
    assert set(answers.values.values()) <= {0} and not any(
        KEY.questions[place].board.winner for place in answers.values
    )


WAITS = "import threading\ndef heuristic_1(board, player):\n    threading.Event().wait()\n"


def test_a_function_that_waits_is_not_called_an_endless_loop(monkeypatch):
    monkeypatch.setattr(judge, "SECONDS", 2)
    graded = marking.mark(KEY, WAITS)[1]
    assert (graded.status, graded.misconception) == ("problem", "") and "waiting for something" in graded.reason


@pytest.mark.parametrize(
    "source, said",
    [
        (WAITS, "Stopped after 2 seconds. Is it waiting for something?"),
        (HOSTILE["floods the pipe with empty lines"], "It wrote far more than the answers that it was asked for"),
        (HOSTILE["closes every descriptor"], "The function ended the program before it had answered everything."),
    ],
)
def test_each_way_to_give_no_answers_has_its_own_sentence(source, said, monkeypatch):
    if source == WAITS:
        monkeypatch.setattr(judge, "SECONDS", 2.0)
    assert ask(source).problem.startswith(said)


@pytest.mark.parametrize("isolation", ["full", "limits"])
def test_a_status_that_a_program_ends_with_is_not_taken_for_a_signal(isolation):
    ends = "import os, signal\ndef heuristic_1(board, player):\n    {}\n"
    for status in (signal.SIGABRT, signal.SIGBUS, signal.SIGKILL, signal.SIGSEGV, signal.SIGXCPU):
        answers = ask(ends.format(f"os._exit({int(status)})"), KEY.questions[:5], isolation=isolation)
        assert (answers.problem, answers.late) == (
            "The function ended the program before it had answered everything.",
            False,
        )
    for ending, said, late in (
        ("os.abort()", "brought Python down", False),
        ("os.kill(os.getpid(), 9)", "loop?", True),
    ):
        answers = ask(ends.format(ending), KEY.questions[:5], isolation=isolation)
        assert said in answers.problem and answers.late is late


def test_a_submission_that_has_answered_everything_is_finished_whatever_its_answers_decide(monkeypatch):
    monkeypatch.setattr(judge, "_ending", lambda *_: pytest.fail("its end was waited for"))
    answers = ask(RIGHT["lambda"], KEY.questions[:5], decided=lambda *_: False)
    assert len(answers.values) == 5 and not answers.problem


def test_a_function_that_never_gives_a_number_is_told_what_it_gives():
    answers = ask(HOSTILE["recursion without a limit"], KEY.questions[:200])
    assert "RecursionError" in answers.problem + str(answers.odd)


def test_a_function_that_is_finished_for_half_of_the_boards_has_been_started():
    source = "def heuristic_1(board, player):\n    if player == 'O':\n        raise NotImplementedError\n    return 1"
    answers = ask(source, [Question(Board(), "X"), Question(Board(), "O")])
    assert answers.started and list(answers.values.values()) == [1]
    assert answers.odd == {1: judge.Odd(STOPS, "NotImplementedError (line 3: raise NotImplementedError)")}


def test_without_namespaces_there_are_still_no_new_processes_and_no_sockets():
    board = [Question(Board(), "X")]
    for name in ("starts programs", "opens sockets", "forks without end"):
        answers = ask(HOSTILE[name], board, isolation="limits")
        assert list(answers.values.values()) == [0] or "not permitted" in str(answers.odd)


def test_a_lower_level_has_to_be_asked_for(monkeypatch):
    monkeypatch.setattr("ttt.grading.sandbox.isolation_level", lambda: "limits")
    with pytest.raises(TooLittleIsolation, match="install bubblewrap"):
        ask(RIGHT["lambda"], KEY.questions[:5])
    assert ask(RIGHT["lambda"], KEY.questions[:5], isolation="limits").isolation == "limits"
    with pytest.raises(ValueError, match="levels of isolation"):
        ask("", KEY.questions[:5], isolation="some")
