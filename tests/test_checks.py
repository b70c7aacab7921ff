"""The check under the exercise: what it says of right, wrong and missing answers."""

import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from threading import Thread
from types import ModuleType

import pytest

from ttt import Board, exercises, opponent
from ttt.checks import check, expect, hand_in, hint
from ttt.exercises import checking
from ttt.limits import timeout


def counted(board, player, n):
    """How many lines have exactly n marks of a player and none of the opponent, counted cell by cell."""
    found = 0
    for cells in [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]:
        marks = [board[cell] for cell in cells]
        found += marks.count(player) == n and marks.count("-") == 3 - n
    return found


def right(board, player):
    rival = opponent(player)
    mine = 3 * counted(board, player, 2) + counted(board, player, 1)
    return mine - (3 * counted(board, rival, 2) + counted(board, rival, 1))


def test_the_cases_hold_the_right_values_and_lines():
    for case in exercises.load("heuristic_1").cases:
        assert case.value == right(case.board, case.player)
        numbers = {mark: [counted(case.board, mark, n) for n in (1, 2)] for mark in "XO"}
        assert [*case.terms.values()] == [*numbers["X"], *numbers["O"]] and [*case.terms] == ["x1", "x2", "o1", "o2"]
        assert {one.player: len(one.lines) for one in case.drawings} == {m: sum(lines) for m, lines in numbers.items()}


def test_right_is_right_in_every_kind_of_number():
    numpy = pytest.importorskip("numpy")
    for kind in (int, float, Fraction, numpy.int64, numpy.float32):
        found = check(lambda board, player, kind=kind: kind(right(board, player)))
        assert found.right and found.outcome == "right" and not found.mistake and found.picture is None


def test_the_untouched_stub_is_not_started():
    def heuristic_1(board, player):
        raise NotImplementedError

    found = check(heuristic_1)
    assert found.outcome == "not started" and not found.right
    assert str(found).startswith("○ Not started. Write your function")


def test_a_function_that_is_finished_for_half_of_the_boards_has_been_started():
    def heuristic_1(board, player):
        if player == "O":
            raise NotImplementedError
        return right(board, player)

    found = check(heuristic_1)
    assert (found.outcome, found.mistake) == ("not yet", "stops with an error")
    assert "stopped with NotImplementedError, in line" in found.message


BY_HAND = [  # written out here once more, apart from the table that the cases were made of
    ("blocked lines counted", lambda lines, p, o: sum(3 * (p2 == 2) + (p2 == 1) - 3 * (o2 == 2) - (o2 == 1)
                                                      for p2, o2 in ((x.count(p), x.count(o)) for x in lines))),
    ("the 3 forgotten", lambda lines, p, o: sum((p in x and x.count(p) < 3 and o not in x)
                                                - (o in x and x.count(o) < 3 and p not in x) for x in lines)),
    ("heuristic 2 instead", lambda lines, p, o: sum(o not in x for x in lines) - sum(p not in x for x in lines)),
    ("opponent ignored", lambda lines, p, o: sum(
        {1: 1, 2: 3}.get(x.count(p), 0) for x in lines if o not in x)),
    ("completed lines counted", lambda lines, p, o: sum({1: 1, 2: 3, 3: 3}.get(x.count(p), 0) for x in lines
                                                        if o not in x)
     - sum({1: 1, 2: 3, 3: 3}.get(x.count(o), 0) for x in lines if p not in x)),
]  # fmt: skip


@pytest.mark.parametrize("name, formula", BY_HAND, ids=[name for name, _ in BY_HAND])
def test_a_mistake_made_by_hand_is_named(name, formula):
    found = check(lambda board, player: formula(board.lines, player, opponent(player)))
    assert (found.outcome, found.mistake) == ("not yet", name)


def slices(board, skip=(), extra=()):
    marks = list(board)
    lines = {
        "rows": [marks[0:3], marks[3:6], marks[6:9]],
        "columns": [marks[0::3], marks[1::3], marks[2::3]],
        "main": [marks[0::4]],
        "other": [marks[2:7:2]],
    }
    return [line for name, some in lines.items() if name not in skip for line in some * (2 if name in extra else 1)]


def formula(lines, player):
    rival = opponent(player)
    value = {1: 1, 2: 3}
    return sum(value.get(x.count(player), 0) for x in lines if rival not in x) - sum(
        value.get(x.count(rival), 0) for x in lines if player not in x
    )


BY_LINES = [
    ("main diagonal missing", {"skip": ("main",)}),
    ("other diagonal missing", {"skip": ("other",)}),
    ("both diagonals missing", {"skip": ("main", "other")}),
    ("columns missing", {"skip": ("columns",)}),
    ("rows missing", {"skip": ("rows",)}),
    ("rows counted twice", {"extra": ("rows",)}),
    ("columns counted twice", {"extra": ("columns",)}),
    ("diagonals counted twice", {"extra": ("main", "other")}),
]


@pytest.mark.parametrize("name, lines", BY_LINES, ids=[name for name, _ in BY_LINES])
def test_lines_that_are_missing_or_counted_twice_are_named(name, lines):
    assert check(lambda board, player: formula(slices(board, **lines), player)).mistake == name


calls = []


def prints(board, player):
    print(right(board, player))


def returns_in_the_loop(board, player):
    total = 0
    for line in board.lines:
        total += formula([line], player)
        return total
    return total


def accumulates(board, player):
    calls.append(right(board, player))
    return sum(calls)


def changes(board, player):
    board[0] = player
    return 0


def pokes(board, player):
    board._x |= 1 << board.moves[0]
    return right(board, player)


BY_MANNER = [
    ("signs swapped", lambda board, player: -right(board, player)),
    ("always seen from X", lambda board, player: right(board, "X")),
    ("absolute value", lambda board, player: abs(right(board, player))),
    ("bracket lost", lambda board, player: right(board, player) + 2 * counted(board, opponent(player), 1)),
    ("returned inside the loop", returns_in_the_loop),
    ("printed instead of returned", prints),
    ("nothing returned", lambda board, player: None),
    ("text returned", lambda board, player: f"{right(board, player)}"),
    ("tuple returned", lambda board, player: (right(board, player), 0)),
    ("no number", lambda board, player: right(board, player) > 0),
    ("no number", lambda board, player: float("nan")),
    ("state kept between calls", accumulates),
    ("the board changed", changes),
    ("the board changed", pokes),
]


@pytest.mark.parametrize("name, function", BY_MANNER, ids=[name for name, _ in BY_MANNER])
def test_a_mistake_in_the_way_of_answering_is_named(name, function):
    found = check(function)
    assert (found.outcome, found.mistake) == ("not yet", name) and found.message


def test_where_only_the_second_answers_are_wrong_those_are_told():
    asked = []

    def again(board, player):
        asked.append((board, player))
        return right(board, player) + (asked.count((board, player)) > 1)

    found = check(again)
    assert found.mistake == "state kept between calls"
    assert "0 of 23 boards" in found.message and "is 3; yours is 4." in found.message


def test_not_yet_shows_one_board_with_both_values_and_the_lines_that_count():
    found = check(lambda board, player: right(board, player) + 0.5)
    assert "For X, the right value on this board is 3; yours is 3.5." in found.message
    assert "The lines that count: three lines with just one X." in found.message
    assert found.picture is not None and "lines of X alone" in str(found)
    assert found._repr_html_().count("<svg") == 1


def test_what_explains_nothing_is_told_by_what_the_wrong_boards_share():
    def odd(board, player):
        return right(board, player) + (len(board.moves) % 3 if board.winner else 0)

    found = check(odd)
    assert not found.mistake and "All boards that come out wrong have been won" in found.message
    assert "boards come out right" in found.message


def test_without_numpy_the_check_still_says_what_it_can(monkeypatch):
    monkeypatch.setitem(sys.modules, "ttt.exercises.fitting", None)
    found = check(lambda board, player: -right(board, player))
    assert (found.outcome, found.mistake) == ("not yet", "") and found.picture


def test_a_right_function_needs_no_numpy():
    source = f"import sys; from ttt.checks import check; print(check({ONE_LINE}).right, 'numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True)
    assert done.stdout.split() == ["True", "False"], done.stderr


ONE_LINE = (
    "lambda board, player: sum((p not in line or o in line) and -{1: 1, 2: 3}.get(line.count(o), 0) * (p not in line) "
    "or {1: 1, 2: 3}.get(line.count(p), 0) * (o not in line) for p, o in [(player, 'XO'[player == 'X'])] "
    "for line in board.lines)"
)


def test_an_error_is_told_with_its_line():
    def broken(board, player):
        return len(board.rows)

    found = check(broken)
    assert "broken stopped with AttributeError" in found.message and "return len(board.rows)" in found.message
    assert found.mistake == "stops with an error"


@pytest.mark.parametrize("given", [0, "heuristic_1"])
def test_a_value_in_place_of_the_function_is_told_how_to_be_written(given):
    """A student calls the function, or names it in quotes."""
    found = check(given)
    assert found.outcome == "not yet" and f"not {given!r}: write its name without brackets" in found.message


def test_a_line_that_ends_in_a_colon_is_quoted_without_it():
    """Or the sentence would end in a colon and a full stop."""

    def heuristic_1(board, player):
        for line in board.line:
            print(line)

    assert check(heuristic_1).message.endswith(": for line in board.line.")


def test_an_error_whose_message_is_a_sentence_has_no_full_stop_in_the_middle():
    def broken(board, player):
        return board[9]

    assert "from (0, 0) to (2, 2), in line" in check(broken).message


def test_what_a_student_returns_cannot_get_into_the_page():
    found = check(lambda board, player: "<script>alert(1)</script>" * 10)
    assert "<script>" not in found._repr_html_() and "..." in found.message


def test_an_endless_loop_is_stopped(monkeypatch):
    def endless(board, player):
        while True:
            pass

    monkeypatch.setattr(checking, "SECONDS", 0.3)
    found = check(endless)
    assert found.mistake == "endless loop" and "too long" in found.message


@pytest.mark.parametrize("in_a_thread", [False, True])
def test_a_time_limit_holds_in_every_thread_and_wakes_the_main_one(in_a_thread):
    def endless():
        while True:
            if not in_a_thread:
                time.sleep(1000)

    def limited():
        begun = time.monotonic()
        with pytest.raises(TimeoutError), timeout(0.2):
            endless()
        seconds.append(time.monotonic() - begun)

    seconds = []
    thread = Thread(target=limited)
    if in_a_thread:
        thread.start()
        thread.join()
    else:
        limited()
    assert 0.2 <= seconds[0] < 10


def test_an_endless_loop_that_catches_interrupts_is_stopped_too(monkeypatch):
    def stubborn(board, player):
        for _ in range(3):
            try:
                while True:
                    time.sleep(0.01)
            except KeyboardInterrupt:
                pass

    monkeypatch.setattr(checking, "SECONDS", 0.3)
    assert check(stubborn).outcome == "not yet"


def test_a_time_limit_is_reported_even_if_the_interrupt_is_caught():
    def stubborn():
        with suppress(BaseException):
            time.sleep(1000)

    with pytest.raises(TimeoutError), timeout(0.1) as late:
        stubborn()
    assert late.is_set()


def test_what_a_student_expects_is_checked_by_the_lines_that_count():
    board = Board.from_text("XX- -O- ---")
    assert expect(board, "X", x2=1, x1=1, o2=0, o1=2, value=2).right
    wrong = expect(board, "X", x2=1, x1=2, o2=0, o1=2, value=3)
    assert wrong.outcome == "not yet" and "Look again at x1, value." in wrong.message and wrong.picture
    assert expect(board, "X", x2=..., value=...).outcome == "not started"
    assert "There is no x_2 here" in expect(board, "X", x_2=1, value=2).message
    assert "this exercise's boards" in expect(Board(), "X", value=0).message


def test_what_is_half_filled_in_is_checked_as_far_as_it_goes():
    board = Board.from_text("XX- -O- ---")
    so_far = expect(board, "X", x2=1, x1=1, o2=..., value=...)
    assert so_far.outcome == "not yet" and so_far.picture is None
    assert so_far.message == "Right so far: x2, x1.\nStill to work out: o2, value."
    wrong = expect(board, "X", x2=2, x1=1, o2=..., value=...)
    assert "Look again at x2." in wrong.message and wrong.message.endswith("Still to work out: o2, value.")


def test_a_number_in_quotes_is_told_from_a_wrong_number():
    board = Board.from_text("XX- -O- ---")
    for text in ("2", "-1", "two"):
        found = expect(board, "X", x2=1, value=text)
        assert found.outcome == "not yet" and "value is text" in found.message


def test_numbers_that_are_left_out_are_not_right():
    assert expect(Board.from_text("XX- -O- ---"), "X").outcome == "not started"


def test_an_exercise_gives_its_own_hints():
    exercise = exercises.load("heuristic_1")
    own = replace(exercise, name="another", hints=("Look.", "Think."))
    assert [exercises.hint(own) for _ in range(3)] == [
        "Hint 1 of 2: Look.",
        "Hint 2 of 2: Think.",
        "Hint 1 of 2: Look.",
    ]


@pytest.mark.parametrize("shape, k, number", [((2, 5), 2, 2589), ((3, 3), 3, 5478), ((2, 2), 2, 29), ((4, 4), 4, 5001)])
def test_the_positions_of_a_small_game_are_all_and_of_a_larger_one_some(shape, k, number):
    found = exercises.positions(shape, k)
    assert len(set(found)) == len(found)
    assert len(found) == number or len(found) >= 5000 == number - 1
    marks = [len(board) - len(board.moves) for board in found]
    assert marks == sorted(marks) and marks[0] == 0


def test_hints_tell_more_and_more_and_begin_again():
    given = [hint() for _ in range(12)]
    assert given[:6] == given[6:] and len(set(given)) == 6 and repr(given[0]).startswith("Hint ")


def test_no_solution_stands_in_what_students_get():
    text = "".join(path.read_text() for path in Path(exercises.__file__).parent.iterdir() if path.is_file())
    assert "3 *" not in text and "* 3" not in text


def test_a_notebook_checks_what_it_would_hand_in(monkeypatch):
    module = ModuleType("__main__")
    monkeypatch.setitem(sys.modules, "__main__", module)
    assert "defines no heuristic_1" in hand_in().message and hand_in().outcome == "not started"
    module.Heuristic_1 = right
    assert "Rename Heuristic_1" in hand_in().message
    module.heuristic_1 = right
    assert hand_in().right and "hand it in" in hand_in().message
    module.heuristic_1 = lambda board, player: 0
    assert not hand_in().right and "loses marks" in hand_in().message


def test_the_check_asks_about_each_line_in_every_state_from_both_sides():
    """A slip in one branch, for one line or one side, shows on few boards of the game."""

    def states(questions):
        return {(place, line, player) for board, player in questions for place, line in enumerate(board.lines)}

    exercise = exercises.load("heuristic_1")
    assert states(exercise.probes) == states(exercise.questions) and len(states(exercise.probes)) == 8 * 27 * 2


def completed_for_o(board, player):
    more = sum(line.count("O") == 3 for line in board.lines)
    return right(board, player) + (3 * more if player == "O" else 0)


def in_columns_at_least(board, player):
    return right(board, player) + 3 * sum(line.count(player) == 3 for line in board.lines[3:6])


def won_by_o(board, player):
    return right(board, player) if board.winner != "O" else (1000 if player == "O" else -1000)


def nothing_on_a_won_diagonal(board, player):
    won = any(len({*line}) == 1 and "-" not in line for line in board.lines[6:])
    return 0 if won else right(board, player)


def one_board_only(board, player):
    return right(board, player) + ("".join(board) == "XOXOXOOXO" or "".join(board) == "OXOXXOXOX")


@pytest.mark.parametrize(
    "function", [completed_for_o, in_columns_at_least, won_by_o, nothing_on_a_won_diagonal, one_board_only]
)
def test_what_goes_wrong_on_few_boards_does_not_pass(function):
    """The check said that these were right, and the judge took marks off."""
    assert check(function).outcome == "not yet"


def test_the_right_values_of_all_boards_are_not_told():
    exercise = exercises.load("heuristic_1")
    assert len(exercise.probed) == len(exercise.probes) < 0.1 * len(list(exercise.questions))
