"""The check in the notebook: what it says of every kind of answer, what it refuses, and hints and expectations."""

import linecache
import re
import sys
import time
from html import unescape
from itertools import count
from math import inf
from pathlib import Path
from threading import Thread

import lab
import pytest
from approved import approved, read
from conftest import naming
from lab import expect, hand_in, hint
from lab import timeouts as limits
from lab.checks import calling as asking
from lab.checks import notebook, tasks
from lab.checks import verdict as checking
from lab.checks.calling import Answer, answers, ask, heuristic_named, packed, taken
from lab.checks.graded import forms, load
from lab.checks.notebook import NotYetRight
from lab.drawing.cards import folded_hints, notice
from lab.timeouts import Clock
from own_names import fewer, unhurried
from test_mistakes import RIGHT, function
from textbook import kinds

from exercises.grading.judging.judge import unpacked
from ttt import Board, opponent
from ttt.heuristics import LineWeights
from ttt.search import alphabeta

SAID = Path(__file__).parent / "said" / "checking.txt"


@pytest.fixture(autouse=True)
def few(monkeypatch):
    """Few questions, and any time for them."""
    unhurried(monkeypatch)
    monkeypatch.setattr(notebook, "load", fewer)


def check(function, task="heuristic_1"):
    """The check of a function of any name."""
    return lab.check(function, task)


# --------------------------------------------------------------------------------------------- all that a student reads


def right(board, player, lines=range(8), table=RIGHT):
    """Heuristic 1 by a table of what lines count, and by the numbers of the lines."""
    there = kinds(board, player)
    return sum(table.get(there[line], 0) for line in lines)


def weighed(**changes):
    """Heuristic 1 with other weights for some kinds of lines: `mine_theirs`, after a letter."""
    table = RIGHT | {(int(kind[1]), int(kind[2])): worth for kind, worth in changes.items()}
    return lambda board, player: right(board, player, table=table)


def not_written(board, player):
    raise NotImplementedError


def half_written(board, player):
    if player == "O":
        raise NotImplementedError
    return right(board, player)


def accumulates(board, player, seen=[]):  # noqa: B006
    """With other answers where questions are repeated."""
    seen.append(1)
    return right(board, player) + (len(seen) > len(fewer("heuristic_1").once) + 5)


def changes(board, player):
    board[0] = player
    return 0


def pokes(board, player):
    board._x |= 1 << (board.moves or [0])[0]
    return right(board, player)


def with_gaps(board, player):
    """Without lines like X-X."""
    lost = {(player, "-", player): 3, (opponent(player), "-", opponent(player)): -3}
    return right(board, player) - sum(lost.get(line, 0) for line in board.lines)


def with_a_wrong_line(board, player):
    """With 0, 1, 5 for two lines."""
    return right(board, player, range(2, 8)) + RIGHT.get(counted(board, player, 0, 1, 5), 0)


def counted(board, player, *line):
    marks = [board[cell] for cell in line]
    return marks.count(player), marks.count(opponent(player))


def stopped(board, player, calls=[]):  # noqa: B006
    """As by the button ■, after 500 calls."""
    calls.append(1)
    if len(calls) == 501:
        raise KeyboardInterrupt
    return right(board, player)


def stopped_at_once(board):
    raise KeyboardInterrupt


def stopped_after_one_mistake(board, player, calls=[]):  # noqa: B006
    calls.append(1)
    if len(calls) == 6:
        raise KeyboardInterrupt
    return right(board, player) + (board == Board() and player == "O")


def minimax(board, depth, heuristic, player):
    """The student's own."""
    return heuristic(board, player)


def alpha_beta(board, depth, heuristic):
    return minimax(board, depth, heuristic, board.turn)


def by_the_lab(board, depth, heuristic):
    return alphabeta(board, depth, heuristic).value


def corners_and_more(board):
    """With an edge and taken corners, once there are two marks."""
    return [0, 2, 6, 8, 7] if len(board.moves) < 8 else [cell for cell in (0, 2, 6, 8) if cell in board.moves]


THEIRS = LineWeights(0, 1, 3, 0)
FUNCTIONS = {  # a task, and a function for it
    "right": ("heuristic_1", right),
    "not written": ("heuristic_1", not_written),
    "wrong in nine calls": ("heuristic_1", lambda board, player: (
        right(board, player) + (board.x == 1 and player == "O"))),
    "wrong in one call, which is asked again": ("heuristic_1", lambda board, player: (
        right(board, player) + (board == Board() and player == "X"))),
    "below zero": ("heuristic_1", lambda board, player: min(right(board, player), 2 * right(board, player))),
    "above zero": ("heuristic_1", lambda board, player: max(right(board, player), 2 * right(board, player))),
    "a diagonal and a weight": ("heuristic_1", lambda board, player: (
        right(board, player, range(7), RIGHT | {(2, 0): 4}))),
    "one wrong line for two": ("heuristic_1", with_a_wrong_line),
    "only X's and O's ends": ("heuristic_1", lambda board, player: {"X": 1, "O": -1, None: 0}[board.winner]),
    "0 at the end": ("heuristic_1", lambda board, player: 0 if board.over else right(board, player)),
    "no diagonals, and turned round": ("heuristic_1", lambda board, player: -right(board, player, range(6))),
    "one more for each of their pairs": ("heuristic_1", lambda board, player: (
        right(board, player) + kinds(board, player).count((0, 2)))),
    "a number of the board's": ("heuristic_1", lambda board, player: right(board, player) + board.x % 3),
    "nothing, on one board": ("heuristic_1", lambda board, player: (
        board.x % 7 if board != Board() or player == "X" else None)),
    "blocked lines": ("heuristic_1", weighed(n21=2, n12=-2)),
    "weights of both": ("heuristic_1", weighed(n20=4, n01=2)),
    "five weights": ("heuristic_1", weighed(n20=4, n10=5, n02=-6, n01=2, n11=1)),
    "lines like X-X": ("heuristic_1", with_gaps),
    "stopped": ("heuristic_1", stopped),
    "stopped at once": ("free_corners", stopped_at_once),
    "stopped after one mistake": ("heuristic_1", stopped_after_one_mistake),
    "weights of the lab": ("heuristic_1", THEIRS),
    "weights of the lab, inside": ("heuristic_1", lambda board, player: THEIRS(board, player)),
    "no function": ("heuristic_1", 3),
    "too few parameters": ("heuristic_1", lambda board: 0),
    "a search of the lab": ("alpha_beta", by_the_lab),
    "a search of its own called minimax": ("alpha_beta", alpha_beta),
    "a right search": ("alpha_beta", function("alpha_beta", forms("alpha_beta")[0])),
    "a search that cuts too late": ("alpha_beta", function(
        "alpha_beta", forms("alpha_beta")[0].replace("alpha >= beta", "alpha > beta"))),
    "not written for O": ("heuristic_1", half_written),
    "state": ("heuristic_1", accumulates),
    "text": ("heuristic_1", lambda board, player: str(right(board, player))),
    "markup": ("heuristic_1", lambda board, player: "<script>alert(1)</script>"),
    "too large": ("heuristic_1", lambda board, player: 10**15),
    "nearly too large": ("heuristic_1", lambda board, player: 10**15 - 1),
    "the board changed": ("heuristic_1", changes),
    "the board's inside changed": ("heuristic_1", pokes),
    "one corner": ("free_corners", lambda board: [0]),
    "cells and edges": ("free_corners", lambda board: [0, 1, 2]),
    "taken corners, too": ("free_corners", lambda board: [0, 2, 6, 8]),
    "taken corners and edges, too": ("free_corners", corners_and_more),
}  # fmt: skip


def card(found):
    """All that a student reads: the verdict, the table and the board with what is drawn, and which mistake it is."""
    table = "\n".join(" | ".join(row).rstrip() for row in found.table)
    lines = re.findall('class="line" points="(.*?)"', str(found.picture))
    drawn = [" ".join(str(int(x) // 48 + int(y) // 48 * 3) for x, y in re.findall(r"(\d+) (\d+)", at)) for at in lines]
    told = [f"(with lines at {', '.join(drawn)})"] * bool(drawn)
    told += [f"({shaded} shaded)" for shaded in [str(found.picture).count('class="fill"')] if shaded]
    mistake = found.mistake and f"({found.mistake})"
    return re.sub(r"\b([Ll]ine) \d+", r"\1 N", "\n".join(filter(None, [str(found), *told, table, mistake])))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_check_says_this_and_nothing_else(name):
    task, asked = FUNCTIONS[name]
    found = check(asked, task)
    assert approved(SAID, name, card(found))
    page = " ".join(unescape(re.sub("<[^>]*>", " ", found._repr_html_())).split())
    assert not (found.table and re.search("counts [^ ]+; it should count", page))  # which the table says
    message = re.sub("A line with .*? counts .*?; it should count", "", found.message) if found.table else found.message
    said = [
        *message.replace("Try it yourself: ", "").splitlines(),
        *(cell for row in found.table for cell in row),
    ]
    words = {word for part in said for word in re.findall(r"[\w−]+", part)}
    assert words <= {*re.findall(r"[\w−]+", page)} and "<script>" not in found._repr_html_()


def test_what_a_function_does_to_a_board_stays_with_it():
    for wrong in (changes, pokes):
        assert not check(wrong).right and check(right).right


def test_a_search_that_cuts_too_late_is_drawn_with_the_bounds_at_each_board():
    found = check(*FUNCTIONS["a search that cuts too late"][::-1])
    drawn = re.findall("([αβ] [−+\\d∞]+)", re.sub("<desc>.*?</desc>", "", str(found.picture), flags=re.DOTALL))
    assert drawn == re.findall("([αβ] [−+\\d∞]+)", str(found))
    assert "The game tree of O to move, with what alpha-beta cuts off" in str(found.picture)


def test_of_lines_told_apart_by_their_order_those_that_count_wrongly_are_marked_for_either_side():
    exercise, board = load("heuristic_1"), Board.from_text("X-X -O- ---")
    given = checking.verdict(exercise, tuple(answers(with_gaps, exercise.questions, Clock(each=inf))))
    for player in "XO":
        picture = checking._formula_picture(exercise, (board, player), given)
        assert re.findall('class="line" points="(.*?)"', str(picture)) == ["30 30 78 30 126 30"]


def test_without_numpy_the_check_still_says_what_it_can(monkeypatch):
    monkeypatch.setitem(sys.modules, "lab.checks.line_sums", None)
    monkeypatch.delattr("lab.checks.line_sums", raising=False)
    known, other = (check(lambda board, player, f=f: f * right(board, player)) for f in (-1, 7))
    assert (known.mistake, other.mistake) == ("signs swapped", "") and other.picture


def test_an_exercise_that_is_unknown_is_told_with_the_one_that_comes_close():
    for asked in (lambda: check(right, "alphabeta"), lambda: hint("alphabeta"), lambda: load("../alphabeta")):
        with pytest.raises(ValueError, match=naming("There is no", "alphabeta", "Did you mean", "alpha_beta")):
            asked()


# ------------------------------------------------------------------------------------------- what may not be called


def test_the_line_of_a_file_whose_path_begins_as_the_packages_does_is_not_lost(monkeypatch):
    """Such as ttt_player.py beside the folder ttt."""
    monkeypatch.setattr(Path, "is_file", lambda path: True)
    place = f"{Path(asking.__file__).parents[1]}_player.py"
    source = "def broken(board, player):\n    return 1 / 0\n"
    linecache.cache[place] = len(source), None, source.splitlines(keepends=True), place
    names = {}
    exec(compile(source, place, "exec"), names)
    assert re.search(naming("in line 2", "return 1 / 0"), check(names["broken"]).message)


# ------------------------------------------------------------------------------------------------------- the clock


def endless(board, player):
    while True:
        try:
            pass
        except BaseException:
            continue


def test_an_endless_loop_ends_in_another_thread_even_if_it_catches_interrupts():
    ends = []
    asked = answers(endless, [(Board(), "O")], Clock(total=0.2, each=0.1, patience=inf))
    thread = Thread(target=lambda: ends.extend(asked))
    thread.start()
    thread.join()
    assert [one.fault for one in ends] == ["endless loop"]


def test_under_one_clock_each_endless_call_ends_and_disturbs_none_that_follow():
    clock = Clock()
    with clock.ticking():
        for _ in range(4):
            clock.each = 0.1
            with pytest.raises(TimeoutError):
                clock.run(endless, Board(), "X")
            clock.each = inf
            assert [clock.run(right, board, "X") for board in [Board()] * 2000] == [0] * 2000


def test_a_function_that_waits_is_called_once(monkeypatch):
    monkeypatch.setattr("lab.timeouts.MAX_WAITING_SECONDS", 0.3)
    asked = []

    def free_corners(board):
        asked.append(board)
        time.sleep(60)
        return []

    assert naming("almost nothing", "in line", "time.sleep(60)").search(lab.check(free_corners).message)
    assert len(asked) == 1


def test_no_more_is_asked_when_the_time_is_over_or_everything_fails_alike(monkeypatch):
    questions = [(Board(), "X")] * 1000
    assert len(list(answers(lambda board, player: None, questions, Clock(each=inf)))) == 100
    assert len(list(answers(right, questions, Clock(each=inf)))) == 1000
    late = [*questions[:500], *[(Board().play(0), "X")] * 500]
    some = answers(lambda board, player: right(board, player) if board.x else None, late, Clock(each=inf))
    assert len(list(some)) == 1000  # it fails on the first ones only
    monkeypatch.setattr(limits, "cpu_clock", lambda thread: count().__next__)  # it ticks whenever it is read
    assert 1 < len(list(answers(right, questions, Clock(total=20, each=inf)))) < 30


# -------------------------------------------------------------------------------------------------- as plain data


ANSWERS = [
    *(Answer(-3), Answer(0.5), Answer((0, 4)), Answer(()), Answer(2, ("X--------O", "XO-------O"))),
    *(Answer(None, (), "no number", "infinity"), Answer(None, (), "stops with an error", "f stopped with é\n")),
]


def test_an_answer_goes_through_json_unchanged():
    assert [unpacked(packed(answer)) for answer in ANSWERS] == ANSWERS


FORGED = [
    *(None, {}, [], [1, "", ""], [1, "", "", 3], [1, [], "", ""]),
    *([odd, "", "", ""] for odd in (True, "1", 10**20, float("nan"), float("inf"), None, [True], [[]], [10**9])),
]


def test_a_cell_returned_twice_is_shown_as_it_came():
    assert taken((8, 8), Board()) == Answer((8,), words="(8, 8)")
    assert taken([8, 0], Board()) == Answer((0, 8))


NUMBERS = {"-3": -3, "−3.5": -3.5, "value: 3.0": 3, "1 or 2": None, "a 7\n5\n": 5, "": None, "1" * 20: None}


def test_the_number_in_what_is_printed_is_the_only_one_of_the_last_line():
    assert {text: asking.number_in(text) for text in NUMBERS} == NUMBERS
    assert type(asking.number_in("3.0")) is int


def test_what_one_call_prints_is_not_taken_for_what_the_next_does():
    boards = [(Board(),), (Board().play(0),)]
    prints = answers(lambda board: print("7, then 8" if 0 in board.moves else 5), boards, Clock(each=inf))
    assert [answer.value for answer in prints] == [None, 5]


def test_what_is_printed_has_an_end():
    for length, fault in (999_999, "printed instead of returned"), (10**6, "stops with an error"):
        [answer] = answers(lambda board, length=length: print("x" * length), [(Board(),)], Clock(each=inf))
        assert answer.fault == fault and ("prints more than 1,000,000 characters" in answer.words) == (length == 10**6)


def test_what_searches_may_return_its_value_first_or_last_in_a_tuple_or_list():
    for returned, value in (((3, None), 3), ([8, 0], 8), ((-1000.5, "X"), -1000.5), ([7], 7), (("X", 3), 3)):
        assert taken(returned, Board(), True) == Answer(value, (), "collection returned", repr(returned))
    for returned in ((), (None, "X"), {5, 9}):
        assert taken(returned, Board(), True).value is None


def test_of_two_numbers_the_first_is_judged_unless_the_last_is_right_more_often():
    exercise = load("alpha_beta")
    one, two = (case.value for case in exercise.cases[:2])
    for pairs, judged in {
        ((one, 7), (7, two)): [one, 7],
        ((7, one), (two, 7)): [7, two],
        ((7, one), (7, two)): [one, two],
        ((one, two), (two, 8)): [one, two],
    }.items():
        given = [Answer(pair[0], (), asking.COLLECTION, repr(pair)) for pair in pairs]
        assert [answer.value for answer in exercise.numbers(given)] == judged


def test_nothing_else_is_taken_for_an_answer():
    for data in FORGED:
        with pytest.raises(ValueError):
            unpacked(data)


def test_text_from_outside_is_short_and_can_be_written_anywhere():
    words = unpacked([None, "", "stops with an error", "\ud800" * 1000]).words
    assert len(words.encode()) < 4000


def test_a_heuristic_notes_what_it_is_asked_and_takes_nothing_else():
    def asks(board, depth, heuristic):
        return heuristic(board, "O") + heuristic(board.play(0), "X")

    found = ask(asks, (Board(), 1, "numbers to 9, spring"), Clock())
    assert found.asked == ("---------O", "X--------X")
    says = heuristic_named("numbers to 9, spring")
    assert found.value == says(Board(), "O") + says(Board().play(0), "X")
    wrong = ask(lambda board, depth, heuristic: heuristic(3, "X"), (Board(), 1, "open-lines"), Clock())
    told = "`heuristic` needs a board and a player, 'X' or 'O', not `3` and `'X'`"
    assert wrong.fault == asking.STOPS and told in wrong.words
    with pytest.raises(ValueError, match=naming("no heuristic", "best", "open-lines")):
        heuristic_named("best")


# --------------------------------------------------------------------------------------- by hand, hints, handing in

PAPER = Board.from_text("XX- -O- ---")
TREE, TIES = ((4, 7, 5), (3, 9, 8), (6, 2, 1)), ((5, 6, 7), (5, 1, 2), (8, 5, 0))
NUMBERS_GIVEN = [  # one after another; lines are drawn after a second mistake, or if all is right
    ((PAPER, "X"), {"value": ...}),
    ((PAPER, "X"), {"x2": 1, "x1": ..., "o2": ...}),
    ((PAPER, "X"), {"x2": 1, "x1": 2, "value": 0}),
    ((PAPER, "X"), {"x2": 2, "x1": ...}),
    ((PAPER, "X"), {"value": "2"}),
    ((PAPER, "X"), {"x2": 1, "x1": 1, "o2": 0, "o1": 2, "value": 2}),
    ((PAPER, "X"), {"value": 3}),
    ((PAPER, "X"), {"lines": 8, "x3": 1}),
    ((PAPER, "O"), {"value": -2}),
    ((Board(), "X"), {"value": 0}),
    ((TREE,), {"exercise": "alpha_beta", "a": 4, "b": 3, "c": 2, "value": 4, "looked_at": 6}),
    ((TIES,), {"exercise": "alpha_beta", "value": 5, "looked_at": 6}),
    ((TIES,), {"exercise": "alpha_beta", "value": 5, "looked_at": 9}),
]


def test_what_is_worked_out_by_hand_is_checked(monkeypatch):
    monkeypatch.setattr(notebook, "_missed", set())
    told = [f"{given}: {expect(*question, **given)}" for question, given in NUMBERS_GIVEN]
    assert approved(SAID, "numbers worked out by hand", "\n".join(told))
    assert {*read(SAID)} == {*FUNCTIONS, "numbers worked out by hand"}


def test_the_hints_are_on_the_card_of_a_function_that_is_not_right():
    found = check(lambda board, player: 0)
    assert folded_hints(load("heuristic_1").hints) in found._repr_html_()
    assert "Hint" not in str(found) and "<details>" not in check(right)._repr_html_()


def test_hints_belong_to_the_task_that_was_checked_last_and_begin_again(monkeypatch):
    monkeypatch.setattr(notebook, "_checked", "")
    monkeypatch.setattr(notebook, "_hints", {})
    block, corners = tasks.load("must_block").hints, tasks.load("free_corners").hints
    assert hint() == "Run `check(...)` on your function first: `hint()` belongs to the last task you checked."
    check(lambda board: [], "must_block")
    assert [hint(), hint()] == [f"Hint {n} of 3: {text}" for n, text in enumerate(block[:2], 1)]
    check(lambda board: [], "free_corners")
    assert hint() == f"Hint 1 of 3: {corners[0]}" and hint("must_block") == f"Hint 3 of 3: {block[2]}"
    again = hint("must_block")
    assert again == repr(again) == f"Hint 1 of 3: {block[0]}"
    assert again._repr_html_() == notice("Hint 1 of 3", [block[0]], kind="you")


def test_a_notebook_checks_what_it_would_hand_in(monkeypatch):
    main = sys.modules["__main__"]
    missing = "There is no `heuristic_1`: run all cells from the top. If its cell raises an error, fix that first."
    assert hand_in().message == missing
    monkeypatch.setattr(main, "Heuristic_1", right, raising=False)
    assert hand_in().message == "Rename `Heuristic_1` to `heuristic_1`: the name must match letter for letter."
    monkeypatch.setattr(main, "heuristic_1", right, raising=False)
    assert hand_in().message == f"{check(right).message}\nSave the notebook and hand it in."
    monkeypatch.setattr(main, "heuristic_1", lambda board, player: 1)
    lost = "\nIf you hand it in now, you will lose marks."
    assert hand_in().message == f"{check(main.heuristic_1).message}{lost}"


def test_where_nbgrader_validates_what_is_not_right_is_an_error(monkeypatch):
    monkeypatch.setenv("NBGRADER_EXECUTION", "validate")
    with pytest.raises(NotYetRight):
        check(lambda board, player: 1)
    assert check(right).right


class Long(Exception):
    shown = 0

    def __str__(self):
        Long.shown += 1
        return "x" * 10**6


def test_a_long_error_is_put_into_words_once_and_what_is_long_is_cut():
    def raises(board):
        raise Long

    answer = ask(raises, (Board(),), Clock())
    assert Long.shown == 1 and "x" * 200 in answer.words and len(answer.words) == asking.LONGEST
    assert taken("x" * 10**6 + "\n5", Board()).value == 5
    assert taken([4] * 10**6, Board()).words.startswith("[4, 4, ")
