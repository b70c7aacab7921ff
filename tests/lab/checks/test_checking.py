"""The check in the notebook: its three outcomes, what it shows, what it refuses, and hints and expectations."""

import linecache
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from html import unescape
from itertools import count
from math import inf
from pathlib import Path

import lab
import pytest
from conftest import naming
from lab import expect, hand_in, hint
from lab import timeouts as limits
from lab.checks import calling as asking
from lab.checks import causes, notebook, tasks
from lab.checks import verdict as checking
from lab.checks.calling import Answer, answers, ask, heuristic_named, packed, taken
from lab.checks.graded import forms, load
from lab.checks.notebook import NotYetRight
from lab.drawing.cards import prose
from lab.timeouts import Clock
from test_mistakes import RIGHT, function
from test_points import right

from exercises.grading.judging.judge import unpacked
from ttt import Board, opponent
from ttt.heuristics import LineWeights
from ttt.search import alphabeta


@pytest.fixture(autouse=True)
def no_hurry(monkeypatch):
    """A function that comes to an end may take as long as it needs, on any machine."""
    for module in (notebook, causes):
        monkeypatch.setattr(module, "Clock", lambda: Clock(each=inf))
    monkeypatch.setattr("lab.checks.source.MAX_REPAIR_SECONDS", 60.0)  # so that a slow machine finds the line, too


def check(function, task="heuristic_1"):
    """The check of a function of any name."""
    return lab.check(function, task)


CHANGED = """✗ Not yet. Your function was asked twice about the same board and did something different the second \
time. Either it uses chance or a clock, or it keeps something from one call to the next: a counter, a list or a dict \
from outside the function, or a default value that it changes. What it keeps, initialise inside the function.
For O, the right value on this board is −2; yours is −1.
These lines count here: one with exactly one O, one with exactly two X.
- - O
O X X
X X O
the lines that count"""
TREE = """✗ Not yet. Your function keeps searching when alpha equals beta. The remaining moves can't improve the \
result, so cut there, too: test `alpha >= beta`.
Below each board: its value, and alpha and beta on arrival. Dashed: cut off. Ringed “only yours”: only \
your function asks the heuristic there.
The value, 1,000, is right, but your function asks the heuristic 7 times; alpha-beta asks it 6 times.
Try it yourself: `alpha_beta(Board.from_text('X-- X-X O-O'), 2, heuristic_named("numbers to 99, 60b2cc4997"))`
X - -
X - X
O - O
the root: worth +1000, α −∞ β +∞ on arrival
  O's move 1: worth −1000, α −∞ β +∞ on arrival
    X's move 2 (after 1): worth −54
    X's move 4 (after 1): worth −1000
    X's move 7 (after 1): worth −87
  O's move 2: worth −1000, α −1000 β +∞ on arrival
    X's move 1 (after 2): worth +93
    X's move 4 (after 2): worth −1000
    X's move 7 (after 2): cut off (only yours)
  O's move 4: worth −85, α −1000 β +∞ on arrival
    X's move 1 (after 4): worth +66
    X's move 2 (after 4): worth −85
    X's move 7 (after 4): worth −85
  O's move 7: worth +1000"""


def not_written(board, player):
    raise NotImplementedError


SAID = [  # a function, and all that its check says
    (right, """✓ Right. Your function gives the right value on every board.
Next: let it play."""),
    (not_written, "○ Not started. Write your function in the cell above, run that cell, then this one."),
    (lambda board, player: right(board, player) + (board.x == 1 and player == "O"), """✗ Not yet. Your function is \
wrong in 9 of 10,956 calls.
For O, the right value on this board is −3; yours is −2.
These lines count here: three with exactly one X.
X - -
- - -
- - -
the lines that count"""),
    (lambda board, player: right(board, player, slice(7), RIGHT | {(2, 0): 4}), """✗ Not yet. Your function leaves out \
the other diagonal (cells 2, 4, 6). Does it go through all of `board.lines`?
Not every kind of line counts as in the formula. A line with two of your marks counts 4; it should count 3.
For X, the right value on this board is 3; yours is 2.
These lines count here: three with exactly one X.
- - X
- - -
- - -
check this line"""),
    (lambda board, player: right(board, player) + 2 * right(board, player, slice(7, 8)), """✗ Not yet. Your function \
counts the other diagonal (cells 2, 4, 6) 3 times. Count each line once.
For X, the right value on this board is 3; yours is 5.
These lines count here: three with exactly one X.
- - X
- - -
- - -
check this line"""),
    (lambda board, player: right(board, player) if player == "X" else 7, """✗ Not yet. Your function gives the right \
values only for X. Is the other side always `opponent(player)`?
For O, your function always returns 7. It should add up the lines of the board it is given.
For O, the right value on this board is 0; yours is 7.
No line counts here.
- - -
- - -
- - -
the lines that count"""),
    (lambda board, player: 0 if not board.winner else 9 if board.winner == player else -9, """✗ Not yet. Your function \
always returns 9 on boards that you have won. Your function always returns −9 on boards that the opponent has won. On \
all other boards it always returns 0. Your function looks at nothing else. Count the lines.
For X, the right value on this board is 3; yours is 0.
These lines count here: three with exactly one X.
X - -
- - -
- - -
the lines that count"""),
    (lambda board, player: str(right(board, player)), """✗ Not yet. Your function returns text. Return the number \
itself, without quotes, `str()` or an f-string.
The number itself is right: 0.
- - -
- - -
- - -"""),
]  # fmt: skip


@pytest.mark.parametrize(("function", "said"), SAID)
def test_a_check_says_this_and_nothing_else(function, said):
    assert str(check(function)) == said


def test_state_is_shown_where_it_was_asked_again():
    assert str(check(accumulates)) == CHANGED


def test_a_search_that_cuts_too_late_is_shown_as_a_tree_with_the_bounds_at_each_board():
    search = forms("alpha_beta")[0]
    told = "✓ Right. Your function gives the right value on every board tested, and looks only at the boards it must."
    assert str(check(function("alpha_beta", search), "alpha_beta")) == f"{told}\nNext: let it play."
    found = check(function("alpha_beta", search.replace("alpha >= beta", "alpha > beta")), "alpha_beta")
    assert str(found) == TREE
    drawn = re.findall("([αβ] [−+\\d∞]+)", re.sub("<desc>.*?</desc>", "", str(found.picture), flags=re.DOTALL))
    assert drawn == re.findall("([αβ] [−+\\d∞]+)", TREE)


def test_what_each_kind_of_line_counts_is_a_table_with_what_is_wrong_marked():
    found = check(lambda board, player: right(board, player, table=RIGHT | {(2, 0): 4, (0, 1): 2}))
    table = unescape(re.search("<table>(.*)</table>", found._repr_html_())[1])
    rows = [re.findall("<t[dh][^>]*>(.*?)</t[dh]>", row) for row in table.split("</tr>")]
    assert rows[:-1] == [
        ["", "opponent's marks"],
        ["", "0", "1", "2", "3"],
        ["0 yours", "0", "<b>✗ 2</b> <small>not −1</small>", "−3", "0"],
        ["1 yours", "1", "0", "0", ""],
        ["2 yours", "<b>✗ 4</b> <small>not 3</small>", "0", "", ""],
        ["3 yours", "0", "", "", ""],
    ]


def half_written(board, player):
    if player == "O":
        raise NotImplementedError
    return right(board, player)


def accumulates(board, player, seen=[]):  # noqa: B006
    seen.append(1)
    return right(board, player) + len(seen) // 9000


def changes(board, player):
    board[0] = player
    return 0


def pokes(board, player):
    board._x |= 1 << (board.moves or [0])[0]
    return right(board, player)


BY_MANNER = [
    ("stops with an error", half_written),
    ("collection returned", lambda board, player: (right(board, player), 0)),
    ("no number", lambda board, player: right(board, player) > 0),
    ("no number", lambda board, player: float("nan")),
    ("number too large", lambda board, player: 10**15),
    ("the board changed", changes),
    ("the board changed", pokes),
]


@pytest.mark.parametrize("name, wrong", BY_MANNER, ids=[f"{n} {one[0]}" for n, one in enumerate(BY_MANNER)])
def test_a_mistake_in_the_way_of_answering_is_named(name, wrong):
    found = check(wrong)
    assert (found.outcome, found.mistake) == ("not yet", name) and found.message
    if "board" in name:  # what a function does to a board stays with it
        assert check(right).right


def test_of_lines_told_apart_by_their_order_those_that_count_wrongly_are_named_and_marked():
    def with_gaps(board, player):
        lost = {(player, "-", player): 3, (opponent(player), "-", opponent(player)): -3}
        return right(board, player) - sum(lost.get(line, 0) for line in board.lines)

    found = check(with_gaps)
    assert found.mistake == "lines told apart by their order"
    assert re.search(naming("doesn't count lines like `X-X` or `O-O`"), found.message)
    exercise, board = load("heuristic_1"), Board.from_text("X-X -O- ---")
    given = checking.verdict(exercise, tuple(answers(with_gaps, exercise.questions, Clock(each=inf))))
    for player in "XO":
        picture = checking._formula_picture(exercise, (board, player), given)
        assert re.findall('class="line" points="(.*?)"', str(picture)) == ["30 30 78 30 126 30"]


def test_right_missing_and_wrong_cells_are_marked_on_one_board():
    for cells, signs in ([0], {"●", "○"}), ([0, 1, 2], {"●", "○", "✗"}), ([], {"○"}):
        marked = check(lambda board, cells=cells: cells, "free_corners").picture
        assert signs == {*re.findall("[●○✗]", marked.text)}
    on_a_mark = check(lambda board: [0, 2, 6, 8], "free_corners").picture
    assert "shaded" in on_a_mark.text and str(on_a_mark).count('class="fill"') == 1
    assert str(check(lambda board: None, "free_corners").picture).count("<text") == 0


def test_without_numpy_the_check_still_says_what_it_can(monkeypatch):
    monkeypatch.setitem(sys.modules, "lab.checks.line_sums", None)
    monkeypatch.delattr("lab.checks.line_sums", raising=False)
    known, other = (check(lambda board, player, f=f: f * right(board, player)) for f in (-1, 7))
    assert (known.mistake, other.mistake) == ("signs swapped", "") and other.picture


def test_an_error_is_told_with_its_line_and_what_is_returned_cannot_get_into_the_page():
    def broken(board, player):
        return len(board.rows)

    assert "return len(board.rows)" in check(broken).message
    assert re.search(naming("ZeroDivisionError", "no answer"), check(lambda board: 1 / 0, "my_fork").message)
    assert "<script>" not in check(lambda board, player: "<script>alert(1)</script>")._repr_html_()
    told = "`check()` needs your function itself, not `3`. Pass just its name: `check(heuristic_1)`."
    assert check(3).message == told


def test_an_exercise_that_is_unknown_is_told_with_the_one_that_comes_close():
    for asked in (lambda: check(right, "alphabeta"), lambda: hint("alphabeta"), lambda: load("../alphabeta")):
        with pytest.raises(ValueError, match=naming("There is no", "alphabeta", "Did you mean", "alpha_beta")):
            asked()


# ------------------------------------------------------------------------------------------- what may not be called


def test_the_check_of_heuristic_1_accepts_no_line_weights_and_that_of_alpha_beta_no_search():
    def alpha_beta(board, depth, heuristic):
        return alphabeta(board, depth, heuristic).value

    found = check(alpha_beta, "alpha_beta")
    assert found.mistake == "not allowed here" and load("alpha_beta").refusal in found.message
    theirs = LineWeights(0, 1, 3, 0)
    assert load("heuristic_1").refusal in check(theirs).message
    assert load("heuristic_1").refusal in check(lambda board, player: theirs(board, player)).message


def test_a_name_counts_as_the_labs_only_where_it_means_the_labs_own_object():
    def minimax(board, depth, heuristic, player):
        return heuristic(board, player)

    def alpha_beta(board, depth, heuristic):
        return minimax(board, depth, heuristic, board.turn)

    assert check(alpha_beta, "alpha_beta").mistake != "not allowed here"


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


def test_an_endless_loop_ends_in_every_thread_even_if_it_catches_interrupts():
    def asked():
        return [one.fault for one in answers(endless, [(Board(), "O")], Clock(total=0.2, each=0.1, patience=inf))]

    with ThreadPoolExecutor() as pool:
        assert asked() == pool.submit(asked).result() == ["endless loop"]


def test_under_one_clock_each_endless_call_ends_and_disturbs_none_that_follow():
    clock = Clock()
    with clock.ticking():
        for _ in range(4):
            clock.each = 0.1
            with pytest.raises(TimeoutError):
                clock.run(endless, Board(), "X")
            clock.each = inf
            assert [clock.run(right, board, "X") for board in [Board()] * 2000] == [0] * 2000


def test_an_endless_loop_is_told_with_its_line(monkeypatch):
    def stuck(board, player):
        while player:
            player = player.lower()

    for module in (notebook, causes):
        monkeypatch.setattr(module, "Clock", lambda: Clock(each=0.2))
    monkeypatch.setattr("lab.checks.source.MAX_REPAIR_SECONDS", 0.2)  # no repair helps
    found = check(stuck)
    assert found.mistake == "endless loop" and re.search(naming("stopped in line", "player"), found.message)


def test_a_check_that_is_stopped_tells_how_far_it_came():
    calls = []

    def stopped(board, player):
        calls.append(1)
        if len(calls) > 5000:
            raise KeyboardInterrupt  # as the button ■ does
        return right(board, player)

    found = check(stopped)
    told = (
        "Your function answered 5,000 of the 11,166 calls, all of them right.\nRun this cell again to ask all of them."
    )
    assert (found.outcome, found.message, found.picture) == ("not yet", told, None)


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


@pytest.mark.parametrize(
    ("length", "fault"), [(999_999, "printed instead of returned"), (10**6, "stops with an error")]
)
def test_what_is_printed_has_an_end(length, fault):
    [answer] = answers(lambda board: print("x" * length), [(Board(),)], Clock(each=inf))
    assert answer.fault == fault and ("1,000,000 characters" in answer.words) == (length == 10**6)


def test_what_searches_may_return_its_value_first_or_last_in_a_tuple_or_list():
    for returned, value in (((3, None), 3), ([8, 0], 8), ((-1000.5, "X"), -1000.5), ([7], 7), (("X", 3), 3)):
        assert taken(returned, Board(), True) == Answer(value, (), "collection returned", repr(returned))
    for returned in ((), (None, "X"), {5, 9}):
        assert taken(returned, Board(), True).value is None


@pytest.mark.parametrize("data", FORGED)
def test_nothing_else_is_taken_for_an_answer(data):
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
    assert wrong.fault == asking.STOPS
    with pytest.raises(ValueError, match=naming("no heuristic", "best", "open-lines")):
        heuristic_named("best")


# --------------------------------------------------------------------------------------- by hand, hints, handing in

PAPER = Board.from_text("XX- -O- ---")


KNOWN = "✗ Not yet. `expect()` knows only this exercise's boards, each with the player named in the notebook. Pass each"
LINES = "\n".join(f"X X -\n- O -\n- - -\nlines with only {side}{end}" for side, end in (("X", "\n"), ("O", "")))
EXPECTED = [  # numbers, one after another, and what is said; lines are drawn after a second mistake, or if all is right
    ((PAPER, "X"), {"value": ...}, "○ Not started. Replace the three dots with your numbers and run this cell again."),
    ((PAPER, "X"), {"x2": 1, "x1": 2, "value": 0}, "✗ Not yet. Look again at `x1` and `value`."),
    ((PAPER, "X"), {"x2": 1, "x1": ..., "o2": ...}, "✗ Not yet. Correct so far.\nStill to work out: `x1` and `o2`."),
    ((PAPER, "X"), {"x2": 2, "x1": ...}, f"✗ Not yet. Look again at `x2`.\nStill to work out: `x1`.\n{LINES}"),
    ((PAPER, "X"), {"value": "2"}, f"✗ Not yet. Look again at `value`.\n{LINES}"),
    (
        (PAPER, "X"),
        {"x2": 1, "x1": 1, "o2": 0, "o1": 2, "value": 2},
        f"✓ Right. All these numbers are correct.\n{LINES}",
    ),
    (
        (PAPER, "X"),
        {"lines": 8, "x3": 1},
        "✗ Not yet. There is no `lines` and `x3` here. The names are `value`, `x1`, `x2`, `o1` and `o2`.",
    ),
    ((PAPER, "O"), {"value": -2}, f"{KNOWN} number by its name, such as `value=4`."),
    ((Board(), "X"), {"value": 0}, f"{KNOWN} number by its name, such as `value=4`."),
]


def test_what_is_worked_out_by_hand_is_checked(monkeypatch):
    monkeypatch.setattr(notebook, "_missed", set())
    for question, given, said in EXPECTED:
        assert str(expect(*question, **given)) == said


def test_the_trees_on_paper_are_checked():
    tree, ties = ((4, 7, 5), (3, 9, 8), (6, 2, 1)), ((5, 6, 7), (5, 1, 2), (8, 5, 0))
    assert expect(tree, exercise="alpha_beta", a=4, b=3, c=2, value=4, looked_at=6).right
    assert expect(ties, exercise="alpha_beta", value=5, looked_at=6).right
    assert not expect(ties, exercise="alpha_beta", value=5, looked_at=9).right


def test_the_hints_are_on_the_card_of_a_function_that_is_not_right_each_inside_the_one_before():
    hints, found = load("heuristic_1").hints, check(lambda board, player: 0)
    card = found._repr_html_()
    depth, places = 0, []
    for part in re.split(r"(<details>|</details>)", card):
        depth += {"<details>": 1, "</details>": -1}.get(part, 0)
        places += [(depth, number) for number, text in enumerate(hints, 1) if prose(text) in part]
    assert places == [(number, number) for number in range(1, len(hints) + 1)] and depth == 0
    assert not any(text in str(found) for text in hints)  # where nothing can be folded
    assert "<details>" not in check(right)._repr_html_()


def test_hints_belong_to_the_task_that_was_checked_last_and_begin_again(monkeypatch):
    monkeypatch.setattr(notebook, "_checked", "")
    monkeypatch.setattr(notebook, "_hints", {})
    block, corners = tasks.load("must_block").hints, tasks.load("free_corners").hints
    assert hint() == "Run `check(...)` on your function first: `hint()` belongs to the last task you checked."
    check(lambda board: [], "must_block")
    assert [hint(), hint()] == [f"Hint {n} of 3: {text}" for n, text in enumerate(block[:2], 1)]
    check(lambda board: [], "free_corners")
    assert hint() == f"Hint 1 of 3: {corners[0]}" and hint("must_block") == f"Hint 3 of 3: {block[2]}"
    assert hint("must_block") == f"Hint 1 of 3: {block[0]}"


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


def test_how_often_an_error_occurs_is_not_told_of_repeated_calls():
    calls = iter([None] * len(load("heuristic_1").cases))

    def once(board, player):
        next(calls)
        return right(board, player)

    told = verdict_of(once).sentence
    assert "StopIteration" in told and "This happens" not in told


def verdict_of(function):
    exercise = load("heuristic_1")
    return checking.verdict(exercise, tuple(answers(function, exercise.questions, Clock(each=inf))))


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
