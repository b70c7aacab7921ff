"""The judge of a search: what its heuristic is asked leaves the sandbox, and a search of ours is nowhere in it."""

import csv
import html
import tomllib
from pathlib import Path

import pytest
from conftest import need
from typer.testing import CliRunner

from ttt import Board
from ttt.cli import app
from ttt.exercises.answers import call, heuristic
from ttt.grading import alpha_beta, batch, feedback, judge, marking, sandbox
from ttt.grading.alpha_beta import Question

FOLDER = Path(__file__).parent / "submissions"
RIGHT, WRONG, HOSTILE = (
    tomllib.loads((FOLDER / f"alpha_beta_{kind}.toml").read_text()) for kind in ("right", "wrong", "hostile")
)
KEY = alpha_beta.key()
LEVELS = sandbox.LEVELS[sandbox.LEVELS.index(sandbox.isolation_level()) :]

NEGAMAX = """
from math import inf

def alpha_beta(board, depth, heuristic):
    root = board.turn

    def worth(board, depth, alpha, beta):
        if board.over:
            return -1000 if board.winner else 0
        if depth == 0:
            value = heuristic(board, root)
            return value if board.turn == root else -value
        for move in board.moves:
            alpha = max(alpha, -worth(board.play(move), depth - 1, -beta, -alpha))
            if alpha >= beta:
                break
        return alpha

    return worth(board, depth, -inf, inf)
"""
MINIMAX = NEGAMAX.replace("if alpha >= beta", "if False").replace("-beta, -alpha", "-inf, inf")
# The value is honest work, and what the heuristic is asked isn't alpha-beta's.
VALUES_ALONE = {
    "never cuts": MINIMAX,
    "asks for everything first and cuts on what it knows": MINIMAX.replace("def alpha_beta", "def minimax")
    + """
def alpha_beta(board, depth, heuristic):
    known = {}

    def noted(board, player):
        if (board, player) not in known:
            known[board, player] = heuristic(board, player)
        return known[board, player]

    minimax(board, depth, noted)
    return negamax(board, depth, known.__getitem__)
""".replace("known.__getitem__", "lambda board, player: known[board, player]")
    + NEGAMAX.replace("def alpha_beta", "def negamax"),
    "asks in another order": MINIMAX.replace("in board.moves", "in board.moves[::-1]"),
    "asks each board once": MINIMAX.replace("def alpha_beta", "def minimax")
    + """
def alpha_beta(board, depth, heuristic):
    from functools import cache
    return minimax(board, depth, cache(heuristic))
""",
    "threads ask beforehand": NEGAMAX.replace("def alpha_beta", "def negamax")
    + """
from threading import Thread

def alpha_beta(board, depth, heuristic):
    known, waiting = {}, [(board, depth)]
    while waiting:
        node, left = waiting.pop()
        if left and not node.over:
            waiting += [(node.play(move), left - 1) for move in node.moves]
        elif not node.over:
            known[node] = None

    def ask(boards):
        for node in boards:
            known[node] = heuristic(node, board.turn)

    threads = [Thread(target=ask, args=(list(known)[part::4],)) for part in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return negamax(board, depth, lambda node, player: known[node])
""",
}


def ask(source, questions=KEY.questions, level="full", **options):
    return judge.ask(source, questions, "alpha_beta", level, takes=KEY.takes, **options)


def said(source, level="full"):
    """What a submission says to one question, in words."""
    answers = ask(source, [Question(Board(), 1, "open-lines")], level)
    assert not answers.problem
    return next(iter([*answers.values.values(), *(odd.words for odd in answers.odd.values())]))


@pytest.fixture(scope="module", autouse=True)
def full_isolation():
    need("sandbox")


# ---------------------------------------------------------------------------------------------- what is asked


def test_the_judge_hears_what_the_heuristic_is_asked_in_its_order_and_the_function_gets_its_values():
    scope = {}
    exec(NEGAMAX, scope)
    here = [call(scope["alpha_beta"], KEY.takes, question) for question in KEY.questions]
    answers = ask(NEGAMAX)
    assert not answers.problem and not answers.odd and any(one.asked for one in here)
    assert [answers.values[place] for place in range(len(here))] == [one.returned for one in here]
    assert [tuple(answers.asked.get(place, ())) for place in range(len(here))] == [one.asked for one in here]


def test_the_sandbox_is_told_nothing_of_a_heuristic():
    head, codes = judge._message({}, KEY.questions, KEY.takes).decode().splitlines()
    assert "null" in codes and "numbers" not in head + codes and "open" not in head + codes


def test_two_calls_that_are_given_up_in_between_do_not_shift_the_replies():
    source = """
import signal
class Now(Exception):
    pass

def alarm(*_):
    raise Now

def alpha_beta(board, depth, heuristic):
    signal.signal(signal.SIGALRM, alarm)
    given_up = 0
    right = {move: heuristic(board.play(move), "X") for move in board.moves}
    for n in range(400):
        try:
            signal.setitimer(signal.ITIMER_REAL, 1e-6 * (1 + n))
            while True:
                heuristic(board, "O")
        except Now:
            given_up += 1
    after = {move: heuristic(board.play(move), "X") for move in board.moves}
    return f"{given_up} given up, {after == right}"
"""
    assert said(source) == "the text '400 given up, True'"


@pytest.mark.parametrize(
    "asked, said_of_it",
    [
        ("board.moves, 'X'", "TypeError: heuristic() needs a Board, not a tuple"),
        ("board, 'Y'", 'BoardError: A player is "X" or "O", not \'Y\''),
        (
            "Board(), 'X'",
            "ValueError: heuristic() was asked about Board(), to which no game leads from the board given",
        ),
        ("Board((4, 4)), 'X'", "ValueError: heuristic() was asked about Board(shape=(4, 4)), to which no game leads"),
    ],
)
def test_what_is_no_question_for_a_heuristic_gets_a_reason(asked, said_of_it):
    source = f"from ttt import Board\ndef alpha_beta(board, depth, heuristic):\n    return heuristic({asked})"
    answers = ask(source, [Question(Board().play(4), 1, "open-lines")])
    assert answers.odd[0].words.startswith(said_of_it) and "(line 3: return heuristic(" in answers.odd[0].words
    assert not answers.asked.get(0)


def test_a_heuristic_that_is_asked_about_a_finished_board_or_for_the_other_side_answers():
    board = Board.from_text("XX- OO- ---")
    source = "def alpha_beta(board, depth, heuristic):\n    return heuristic(board.play(2), 'O')"
    answers = ask(source, [Question(board, 1, "numbers to 99, spring")])
    assert answers.values == {0: heuristic("numbers to 99, spring")(board.play(2), "O")}
    assert answers.asked[0] == [(board.play(2), "O")]


def test_who_asks_without_end_is_stopped_with_a_sentence(monkeypatch):
    monkeypatch.setattr(judge, "MOST_CALLS", 2000)
    for name in ("asks without end", "asks without end and reads no reply"):
        answers = ask(HOSTILE[name])
        assert answers.problem == judge.TOO_MANY_CALLS and not answers.late and not answers.values


# ---------------------------------------------------------------------------------------------- what is not there


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", sandbox.SEARCHES)
def test_what_would_do_the_search_is_refused_with_a_sentence_and_is_not_there(name, level):
    source = f"""
import importlib.machinery, os, sys, ttt
sys.modules.pop("ttt.{name}", None)
folder = os.path.join(os.path.dirname(ttt.__file__), "{name}")

def alpha_beta(board, depth, heuristic):
    try:
        import ttt.{name}
    except ImportError as error:
        refused = str(error)
    sys.meta_path[:] = [importlib.machinery.BuiltinImporter, importlib.machinery.PathFinder]
    try:
        import ttt.{name}
        return refused + str([os.listdir(folder), ttt.{name}.__file__])
    except ImportError:
        return refused + str(os.path.exists(folder))
"""
    refused = f"ttt.{name} is not there: in this exercise the search is yours to write"
    assert said(source, level) in (f"the text '{refused}[[], None]'", f"the text '{refused}False'")


def test_the_other_parts_of_the_package_are_there():
    source = """
from ttt import *
from ttt.symmetry import canonical
import ttt.board, ttt.heuristics

def alpha_beta(board, depth, heuristic):
    return open_lines(canonical(board), opponent("X")) + isinstance(board, Board)
"""
    assert said(source) == 1


# ---------------------------------------------------------------------------------------------- who wants more


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_submissions_gain_no_mark(name):
    grade = marking.grade(KEY, ask(HOSTILE[name]))
    assert grade.score == 0 and grade.status in ("wrong", "problem") and grade.reason
    assert "found" not in str(grade.case and grade.case.given)


@pytest.mark.parametrize("name", VALUES_ALONE)
def test_values_alone_earn_the_values_and_not_the_leaves(name):
    _, grade = marking.mark(KEY, VALUES_ALONE[name])
    for part, asked in zip(grade.parts, KEY.parts, strict=True):
        assert part.full is not asked.asked, (name, part)
    assert grade.status == "wrong"


def test_who_is_late_on_some_boards_is_judged_again_alone_and_keeps_the_other_parts():
    source = NEGAMAX.replace("root = board.turn", "while board.over:\n        pass\n    root = board.turn", 1)
    answers, first = marking.mark(KEY, source, final=False)
    assert first.late and answers.stopped
    _, grade = marking.mark(KEY, source)
    assert (grade.status, grade.misconception) == ("problem", "endless loop")
    assert {part.name for part in grade.parts if part.full} == {"values", "sides", "deep"}


# ---------------------------------------------------------------------------------------------- a class


def test_who_asks_without_end_about_some_boards_keeps_the_other_parts(monkeypatch):
    monkeypatch.setattr(judge, "MOST_CALLS", 5000)
    endless = "\n    while depth == 4:\n        heuristic(board, board.turn)\n    root = board.turn"
    for _ in range(2):  # in random order
        _, grade = marking.mark(KEY, NEGAMAX.replace("\n    root = board.turn", endless))
        assert [part.name for part in grade.parts if part.got] == ["values", "sides"]
        assert grade.reason.startswith(judge.TOO_MANY_CALLS)


def test_the_tree_on_a_feedback_page_is_readable_on_a_phone(page, tmp_path):
    (tmp_path / "ann.py").write_text(MINIMAX)
    task = batch.Task("ann", tmp_path / "ann.py", "", "alpha_beta", sandbox.isolation_level(), 15)
    (tmp_path / "ann.html").write_text(feedback.page(batch.judged(task), "alpha_beta"))
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto((tmp_path / "ann.html").as_uri())
    assert page.locator("figure img").bounding_box()["width"] >= 500
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_class_is_graded_by_the_command_without_a_wrong_verdict(tmp_path):
    submissions = {f"right {n}": source for n, source in enumerate(RIGHT.values())}
    submissions |= {f"wrong {n}": source for n, source in enumerate(WRONG.values())}
    submissions["imports"] = HOSTILE["a search imported from ttt"]
    (tmp_path / "handed in").mkdir()
    for student, source in submissions.items():
        (tmp_path / "handed in" / f"{student}.py").write_text(source.replace("<next cell>", "\n"))
    out = tmp_path / "results"
    command = ["grade", str(tmp_path / "handed in"), "--exercise", "alpha_beta", "--out", str(out)]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0, done.output
    with (out / "grades.csv").open(newline="") as file:
        rows = {row["student"]: row for row in csv.DictReader(file)}
    right, wrong = (
        [rows[f"{kind} {n}"] for n in range(len(some))] for kind, some in (("right", RIGHT), ("wrong", WRONG))
    )
    assert len(right) >= 12 and {(row["status"], row["score"]) for row in right} == {("right", "15")}
    assert len(wrong) >= 25 and {row["status"] for row in wrong} == {"wrong"}
    names = [name.partition(" / ")[0].replace("no name", "") for name in WRONG]
    assert [row["misconception"] for row in wrong] == names and len([*filter(None, names)]) >= len(names) - 3
    minimax = wrong[names.index("never cuts")]
    parts = {part.name: (minimax[part.name] == f"{part.marks:g}", part.asked) for part in KEY.parts}
    assert minimax["score"] == "10" and all(earned is not asked for earned, asked in parts.values())
    assert "in this exercise the search is yours to write" in rows["imports"]["reason"]

    page = (out / "feedback" / f"wrong {names.index('never cuts')}.html").read_text()
    assert "never cuts" in page and "only yours" in html.unescape(page) and "the search looks" in page
    shown = (out / "statistics.html").read_text()
    assert "cuts one move late" in shown and "The boards most often wrong" in shown and ", heuristic " in shown

    written = {path: path.read_text() for path in (out / "grades.csv", *(out / "feedback").iterdir())}
    again = CliRunner().invoke(app, command)  # the grades that are kept, with their seconds and trees
    assert again.exit_code == 0, again.output
    assert {path: path.read_text() for path in written} == written
