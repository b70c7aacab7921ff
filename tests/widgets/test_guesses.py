"""Guess, then see: what counts as a guess, how far off it is, and what is kept of it."""

import json
import re
from math import inf, nan

import numpy as np
import pytest

from ttt import Board
from ttt.widgets import guesses
from ttt.widgets.guesses import MIME, Guess, guess, how_far_off, in_words, reveal, value

FIRST = Board.from_text("X-- -O- ---")
NAMES = ["random", "open-lines", "perfect"]


@pytest.fixture(autouse=True)
def shown(monkeypatch):
    """What is shown, widgets and texts, of a kernel that has just been started."""
    kept = []

    def display(data, raw=False, **where):
        kept.append(json.loads(json.dumps(data)) if raw else data)

    monkeypatch.setattr(guesses, "display", display)
    monkeypatch.setattr(guesses, "_kept", {})
    return kept


@pytest.fixture
def sent(monkeypatch):
    """The records that the page sends with a cell; before it sends any, there is a page that can."""
    records = []
    monkeypatch.setattr(guesses, "_sent", lambda: records)
    return records


def asked(shown, **question):
    """The widget of a question."""
    guess(**question)
    return next(widget for widget in reversed(shown) if isinstance(widget, Guess))


def said(shown):
    return shown[-1]["text/plain"]


@pytest.mark.parametrize(
    "options, given, truth, words",
    [
        ({}, 500_000, 549_946, "It is 549,946. You guessed 500,000: 9 % too low."),
        ({"between": (0, 100)}, 45, 57.2, "It is 57.2. You guessed 45: 12.2 too low."),
        ({"choices": ["a", "b"]}, "a", "b", "It is “b”. You guessed “a”: not right."),
        ({"board": FIRST}, 2, 2, "It is cell 2. You guessed cell 2: right."),
        ({"board": FIRST}, 1, {2, 6}, "It is cell 2 or 6. You guessed cell 1: not right."),
        ({"order": ["a", "b"]}, "b, a", ["a", "b"], "The order is: a, b. You guessed b, a: 0 of the 1 pairs are in"),
    ],
)
@pytest.mark.usefixtures("sent")
def test_a_guess_is_told_and_its_result_says_how_far_off_it_was(shown, options, given, truth, words):
    guess(**options, one=given)
    assert said(shown) == f"Your guess: {in_words(value(given, **options))}."
    reveal("one", truth)
    assert said(shown).startswith(words)


def test_an_unfilled_guess_is_said_and_not_counted(shown):
    guess(first=..., choices=["a corner", "the centre"])
    assert said(shown).startswith("Not guessed yet")
    assert shown[-1][MIME]["guess"] is None
    for name in ("first", "never asked"):
        reveal(name, "X")
        assert said(shown) == "It is “X”. No guess was made."


ON_THE_PAGE = [  # what the page reports, one after another, and the guess
    ({}, [("guess", {"guess": "500,000"})], 500_000),
    ({}, [("guess", {"guess": " 0,5 "})], 0.5),
    ({}, [("guess", {"guess": "0"})], 0),
    ({"between": (0, 1)}, [("slide", 0.25), ("guess", "0.25")], 0.25),
    ({"between": (0, 100)}, [("slide", 37), ("guess", "37")], 37),
    ({"choices": ["1,000 games", "never"]}, [("guess", "1,000 games")], "1,000 games"),
    ({"board": FIRST}, [("play", "7")], "cell 7"),
    ({"order": NAMES}, [("place", "perfect"), ("place", "random")], ["perfect", "random", "open-lines"]),
    (
        {"order": NAMES},
        [
            ("place", "random"),
            ("place", "random"),
            ("place", "perfect"),
            ("place", "open-lines"),
        ],  # the first taken back
        ["perfect", "open-lines", "random"],
    ),
]


@pytest.mark.parametrize("options, reports, guessed", ON_THE_PAGE)
def test_a_guess_is_made_on_the_page_and_written_into_the_output(shown, options, reports, guessed):
    widget = asked(shown, one=..., **options)
    for action, given in reports[:-1]:
        widget.do(action, given)
        assert shown[-1][MIME]["guess"] is None
    widget.do(*reports[-1])
    assert shown[-1][MIME] == {"name": "one", "guess": guessed, "truth": None, "late": False}
    assert said(shown).startswith("Your guess: ") and widget.message == said(shown)


@pytest.mark.parametrize(
    "options, report, words",
    [
        ({}, {"guess": "many"}, "Write a number, such as 500000 or 0.5, without quotes, not 'many'."),
        ({}, {"guess": ""}, "Write a number"),
        ({}, {"guess": "inf"}, "Write a number"),
    ],
)
def test_what_is_no_guess_is_told_on_the_page_and_the_earlier_guess_stays(shown, options, report, words):
    widget = asked(shown, one=3, **options)
    widget.do("guess", report)
    assert widget.message.startswith(words) and widget.tone == "error"
    assert shown[-1][MIME]["guess"] == 3


def test_the_cells_that_are_taken_cannot_be_guessed(shown):
    widget = asked(shown, one=..., board=FIRST)
    assert len(re.findall(r'class="cell free"', widget.html)) == 7
    widget.do("play", "0")
    assert widget.message == "Choose one of the free cells, 1, 2, 3, 5, 6, 7, 8, not '0'."


@pytest.mark.parametrize("options, reports, guessed", ON_THE_PAGE)
def test_a_guess_outlives_a_restart(shown, sent, monkeypatch, options, reports, guessed):
    widget = asked(shown, one=..., **options)
    for report in reports:
        widget.do(*report)
    sent.append(shown[-1][MIME])
    monkeypatch.setattr(guesses, "_kept", {})  # Python has forgotten everything
    guess(one=..., **options)
    assert shown[-1][MIME] == sent[0] and said(shown).startswith("Your guess")


def test_a_late_guess_stays_late_and_one_of_another_question_is_left(shown, sent):
    sent += [
        {"name": "other", "guess": 3, "truth": None, "late": False},
        {"name": "one", "guess": "a corner", "truth": None, "late": True},
    ]
    guess(one=..., choices=["a corner", "the centre"])
    assert shown[-1][MIME]["late"] and "after the result" in said(shown)
    for changed in ({"choices": ["an edge"]}, {"board": FIRST}, {}):  # while Python still has the guess
        guess(one=..., **changed)
        assert said(shown).startswith("Not guessed yet")


def test_where_the_page_cannot_keep_a_guess_the_typed_form_is_offered_and_is_one(shown):
    for options, report in (({}, {"guess": "1000"}), ({"choices": ["a", "b"]}, "b"), ({"board": FIRST}, "7")):
        widget = asked(shown, one=..., **options)
        widget.do("guess", report)
        typed = re.search(r"To keep it, write one=(.+) in the cell", widget.message)[1]
        assert value(eval(typed), **options) == shown[-1][MIME]["guess"]
        guesses._kept.clear()


def test_a_name_that_nobody_guessed_under_says_which_there_are(shown):
    guess(lines=8)
    guess(nodes=...)
    reveal("line", 8)
    assert said(shown) == "It is 8. No guess is called line. There are guesses called lines."


def test_one_that_is_made_or_changed_after_its_result_counts_as_late(shown, sent):
    reveal("nodes", 7)
    guess(nodes=7)
    assert shown[-1][MIME] == {"name": "nodes", "guess": 7, "truth": 7, "late": True}
    guess(lines=5)
    reveal("lines", 7)
    guess(lines=5)
    assert not shown[-1][MIME]["late"]
    guess(lines=7)
    guess(lines=7)  # once late, it stays so
    assert said(shown) == "Your guess: 7. It comes after the result was shown." and shown[-1][MIME]["late"]
    reveal("lines", 7)
    assert said(shown) == "It is 7. After the result was shown, you guessed 7: right."


def test_the_sentence_is_announced_as_text(shown):
    widget = asked(shown, mark="<b>", choices=["<b>", "<i>"])
    reveal("mark", "<i>")
    assert 'role="status"' in shown[-1]["text/html"]
    assert not any("<b>" in html for html in (widget.html, shown[-1]["text/html"], shown[-2]["text/html"]))


def bars(shown):
    return [float(width) for width in re.findall(r'<rect [^>]*width="([\d.]+)"', shown[-1]["text/html"])]


@pytest.mark.parametrize("guessed, truth", [(1_000, 549_946), (500_000, 549_946), (90, 30), (0, 5), (0.5, 0.25)])
def test_guess_and_result_are_bars_on_one_scale(shown, guessed, truth):
    guess(one=guessed)
    reveal("one", truth)
    first, second = bars(shown)
    assert (first - 1) * truth == pytest.approx((second - 1) * guessed, abs=0.06 * max(guessed, truth))


@pytest.mark.parametrize(
    "guessed, truth, options", [("a", "b", {"choices": "ab"}), (0, 0, {}), (1, 2, {"board": FIRST})]
)
def test_what_is_no_number_has_no_scale(shown, guessed, truth, options):
    guess(one=guessed, **options)
    reveal("one", truth)
    assert not bars(shown)


@pytest.mark.parametrize(
    "given, meant", [(5e5, 500_000), (np.int64(3), 3), (0.5, 0.5), (-2, -2), (10**15, 10**15), (np.float64(2), 2)]
)
def test_numbers_of_every_kind_are_numbers(given, meant):
    assert value(given) == meant and type(value(given)) is type(meant)


REFUSED = [
    *((given, {}, "Write a number, such as 500000") for given in ("500", None, True, nan, inf, 10**101, [1], "many")),
    ("Z", {"choices": ["X", "O"]}, 'one of "X", "O", not \'Z\''),
    *((given, {"order": ["a", "b"]}, 'each of them once: "a", "b"') for given in ("a", "a, a", 5, ["a", "c"])),
    *((given, {"between": (0, 100)}, "from 0 to 100") for given in (-1, 101)),
    *((given, {"board": FIRST}, "free cells, 1, 2, 3, 5") for given in (0, 9, "X", 1.5)),
]


@pytest.mark.parametrize("given, options, words", REFUSED)
def test_what_is_no_guess_is_refused_with_what_there_is(given, options, words):
    with pytest.raises(ValueError, match=words):
        guess(**options, one=given)


@pytest.mark.parametrize("names", [{}, {"one": 1, "two": 2}])
def test_one_guess_has_one_name(names):
    with pytest.raises(ValueError, match="one guess with its name"):
        guess(**names)


OFF = [
    (549_946, 549_946, "right"),
    (1_000, 549_946, "the result is 550 times as large"),
    (2_000_000, 549_946, "your guess is 3.6 times as large"),
    (560_000, 549_946, "2 % too high"),
    (700_000, 549_946, "27 % too high"),
    (45, 57.2, "12.2 too low"),
    (0.5, 0.58, "0.08 too low"),
    (0.5849, 0.58490206, "right"),  # as shown
    (100, 100.5, "0.5 % too low"),
    (-5, 300, "305 too low"),
    (("a", "b", "c", "d"), ("a", "b", "d", "c"), "5 of the 6 pairs are in the right order"),
]


@pytest.mark.parametrize("guessed, truth, words", OFF)
def test_large_numbers_are_compared_by_their_ratio_others_by_differences_and_orders_by_pairs(guessed, truth, words):
    assert how_far_off(guessed, truth) == words


def test_results_are_written_as_people_write_them():
    assert [in_words(one) for one in (549_946, 0.58499, -3, 2e20, "X")] == ["549,946", "0.585", "−3", "2e+20", "“X”"]
