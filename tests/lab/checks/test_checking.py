"""The check in the notebook: its three outcomes, what it shows, what it refuses, and hints and expectations."""

import linecache
import re
import sys
from concurrent.futures import ThreadPoolExecutor
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
from lab.checks.graded import load
from lab.checks.notebook import NotYetRight
from lab.drawing.cards import prose
from lab.timeouts import Clock
from submissions import sources
from test_mistakes import function
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


def test_right_not_yet_and_not_started():
    def heuristic_1(board, player):
        raise NotImplementedError("write heuristic_1 first")

    outcomes = [check(one).outcome for one in (right, lambda board, player: 1, heuristic_1)]
    assert outcomes == ["right", "not yet", "not started"]
    assert check(function("alpha_beta", sources("alpha_beta_right")["two functions"]), "alpha_beta").right


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
    ("state kept between calls", accumulates),
    ("the board changed", changes),
    ("the board changed", pokes),
]


@pytest.mark.parametrize("name, wrong", BY_MANNER, ids=[f"{n} {one[0]}" for n, one in enumerate(BY_MANNER)])
def test_a_mistake_in_the_way_of_answering_is_named(name, wrong):
    found = check(wrong)
    assert (found.outcome, found.mistake) == ("not yet", name) and found.message
    if "board" in name:  # what a function does to a board stays with it
        assert check(right).right


def test_not_yet_shows_a_board_with_both_values_and_the_lines_that_count():
    found = check(lambda board, player: right(board, player) if board.x else 0.25)
    assert found.outcome == "not yet" and {"0", "0.25"} <= {*re.findall(r"[\d.]*\d", found.message)}
    found = check(lambda board, player: right(board, player) + (len(board.moves) % 3 if board.winner else 0))
    assert not found.mistake and found.picture is not None and found._repr_html_().count("<svg") == 1


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
    assert re.search(naming("needs your function", "3", "check(heuristic_1)"), check(3).message)


def test_an_exercise_that_is_unknown_is_told_with_the_one_that_comes_close():
    for asked in (lambda: check(right, "alphabeta"), lambda: hint("alphabeta"), lambda: load("../alphabeta")):
        with pytest.raises(ValueError, match=naming("There is no", "alphabeta", "Did you mean", "alpha_beta")):
            asked()


def test_a_search_that_goes_wrong_is_shown_as_a_tree_and_can_be_asked_again():
    found = check(function("alpha_beta", sources("alpha_beta_wrong")["never cuts"]), "alpha_beta")
    assert found.mistake == "never cuts" and "only yours" in str(found.picture)
    assert re.search(naming('heuristic_named("', "is right", "asks the heuristic"), found.message)


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
    assert re.search(
        naming("5,000", f"{len(load('heuristic_1').questions):,}", "all of them right", "again"), found.message
    )
    assert found.outcome == "not yet" and not found.picture


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


@pytest.mark.parametrize(
    "board, player, given, outcome",
    [
        (PAPER, "X", {"value": 2}, "right"),
        (PAPER, "X", {"value": -2}, "not yet"),
        (PAPER, "X", {"value": ...}, "not started"),
        (PAPER, "X", {"value": "2"}, "not yet"),
        (PAPER, "X", {"x2": 1, "x1": 1, "o2": 0, "o1": 2, "value": 2}, "right"),
        (PAPER, "X", {"x2": 1, "x1": 2}, "not yet"),
        (PAPER, "X", {"x2": 1, "x1": ...}, "not yet"),
        (PAPER, "X", {"lines": 8}, "not yet"),
        (PAPER, "O", {"value": -2}, "not yet"),
        (Board(), "X", {"value": 0}, "not yet"),
    ],
)
def test_what_is_worked_out_by_hand_is_checked(board, player, given, outcome):
    assert expect(board, player, **given).outcome == outcome


def test_the_lines_that_count_are_drawn_only_after_a_second_mistake_on_paper_or_when_all_is_right(monkeypatch):
    monkeypatch.setattr(notebook, "_missed", set())
    assert not expect(PAPER, "X", x2=1, x1=2, value=...).picture
    assert not expect(PAPER, "X", x2=1, x1=..., value=...).picture
    again = expect(PAPER, "X", x2=2, x1=2, value=...)
    assert again.picture and re.search(naming("`x2` and `x1`", "`value`"), again.message)
    assert expect(PAPER, "X", x2=1, x1=1, o2=0, o1=2, value=2).picture


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
    assert re.search(naming("check(", "first"), hint())
    check(lambda board: [], "must_block")
    assert re.search(naming("1 of 3", block[0]), hint()) and re.search(naming("2 of 3", block[1]), hint())
    check(lambda board: [], "free_corners")
    assert corners[0] in hint() and re.search(naming("3 of 3", block[2]), hint("must_block"))
    assert re.search(naming("1 of 3", block[0]), hint("must_block"))


def test_a_notebook_checks_what_it_would_hand_in(monkeypatch):
    main = sys.modules["__main__"]
    monkeypatch.setattr(main, "Heuristic_1", right, raising=False)
    assert re.search(naming("rename", "heuristic_1"), hand_in().message)
    monkeypatch.setattr(main, "heuristic_1", right, raising=False)
    assert hand_in().right and re.search(naming("save", "hand it in"), hand_in().message)


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
