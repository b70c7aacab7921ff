"""Guess, then see: what counts as a guess, how far off it is, and what is kept."""

import json
import re
from math import inf, nan

import numpy as np
import pytest
from conftest import naming
from lab.boards import guesses
from lab.boards.guesses import MIME, Guess, NumberGuess, guess, read_number, reveal

from ttt import Board

FIRST = Board.from_text("X-- -O- ---")
NAMES = ["random", "open-lines", "perfect"]
UNGUESSED = naming("not guessed yet")


@pytest.fixture(autouse=True)
def shown(monkeypatch):
    """What a new kernel shows: widgets and texts."""
    kept = []

    def display(data, raw=False, **where):
        kept.append(json.loads(json.dumps(data)) if raw else data)

    monkeypatch.setattr(guesses, "display", display)
    monkeypatch.setattr(guesses, "get_ipython", object)  # not a plain script
    monkeypatch.setattr(guesses, "_asked", {})
    return kept


@pytest.fixture
def sent(monkeypatch):
    """The records that the page sends with a cell: none yet, but it is a page that can."""
    records = []
    monkeypatch.setattr(guesses, "told_by_page", {"ttt_guesses": records}.get)
    return records


def asked(shown, **question):
    """The widget of a question."""
    guess(**question)
    return next(widget for widget in reversed(shown) if isinstance(widget, Guess))


def said(shown):
    return shown[-1]["text/plain"]


ORDERED = "The order is: {}. You guessed {}: {} in the right order."
RESULTS = [  # options, a guess, the result, what the card says and how it looks
    ({}, 500_000, 549_946, "It is 549,946. You guessed 500,000: 9 % too low.", "you"),
    ({}, 549_946, 549_946, "It is 549,946. You guessed 549,946: ✓ right.", "good"),
    ({}, 2_000_000, 549_946, "It is 549,946. You guessed 2,000,000: your guess is 3.6 times as large.", "you"),
    ({}, 2_000, 549_946, "It is 549,946. You guessed 2,000: the result is 275 times as large.", "you"),
    ({}, 660_000, 549_946, "It is 549,946. You guessed 660,000: 20 % too high.", "you"),
    ({}, 400, 200, "It is 200. You guessed 400: your guess is 2 times as large.", "you"),
    ({}, 0.5, 0.58, "It is 0.58. You guessed 0.5: 0.08 too low.", "you"),
    ({}, 0.5849, 0.58490206, "It is 0.5849. You guessed 0.5849: ✓ right.", "good"),  # as shown
    ({}, 100, 98, "It is 98. You guessed 100: 2 too high.", "you"),
    ({}, 100, 100.5, "It is 100.5. You guessed 100: 0.5 % too low.", "you"),
    ({}, -5, 300, "It is 300. You guessed −5: 305 too low.", "you"),
    ({"between": (0, 100)}, 45, 57.2, "It is 57.2. You guessed 45: 12.2 too low.", "you"),
    ({"choices": ["a", "b"]}, "a", "b", "It is “b”. You guessed “a”: ✗ not right.", "soon"),
    ({"board": FIRST}, 2, 2, "It is cell 2. You guessed cell 2: ✓ right.", "good"),
    ({"board": FIRST}, 1, {2, 6}, "It is cell 2 or 6. You guessed cell 1: ✗ not right.", "soon"),
    ({"order": [*"ab"]}, "b, a", [*"ab"], ORDERED.format("a, b", "b, a", "0 of 1 pair"), "you"),
    ({"order": [*"abc"]}, [*"abc"], [*"acb"], ORDERED.format("a, c, b", "a, b, c", "2 of 3 pairs"), "you"),
]


@pytest.mark.parametrize("options, given, truth, told, edge", RESULTS)
@pytest.mark.usefixtures("sent")
def test_a_guess_is_shown_and_its_result_says_how_far_off_it_was(shown, options, given, truth, told, edge):
    guess(**options, one=given)
    question = guesses._asked["one"]
    assert said(shown) == f"Your guess: {question.in_words(question.guessed)}."
    reveal("one", truth)
    assert said(shown) == told
    assert re.findall(r"<p>(.*?)</p>", shown[-1]["text/html"])[0].startswith("<strong>")
    assert re.match(r'<div class="ttt-card (\w+)', shown[-1]["text/html"])[1] == edge


def test_a_question_without_a_guess_says_so_and_how_to_guess(shown):
    guess(first=..., choices=["a corner", "the centre"])
    assert said(shown) == "Choose one. Not guessed yet." and shown[-1][MIME]["guess"] is None
    guess(another=..., between=(0, 5))
    assert said(shown) == "Type a number from 0 to 5. Not guessed yet."
    for name in ("first", "never asked"):
        reveal(name, "X")
        assert said(shown) == "It is X." and 'class="ttt-card you strip"' in shown[-1]["text/html"]


ON_THE_PAGE = [  # the page's reports in order, and the guess
    ({}, [("guess", {"guess": "500,000"})], 500_000),
    ({}, [("guess", {"guess": " 0,5 "})], 0.5),
    ({}, [("guess", {"guess": "0,125"})], 0.125),
    ({}, [("guess", {"guess": "0"})], 0),
    ({"between": (0, 100)}, [("guess", {"guess": "37"})], 37),
    ({"choices": ["1,000 games", "never"]}, [("guess", "1,000 games")], "1,000 games"),
    ({"board": FIRST}, [("play", "7")], 7),
    ({"order": NAMES}, [("place", "perfect"), ("place", "random")], ["perfect", "random", "open-lines"]),
    (
        {"order": NAMES},
        [("place", name) for name in ("random", "random", "perfect", "open-lines")],  # the first taken back
        ["perfect", "open-lines", "random"],
    ),
]


@pytest.mark.parametrize("options, reports, guessed", ON_THE_PAGE)
def test_a_guess_made_on_the_page_is_kept_and_survives_a_restart(shown, sent, monkeypatch, options, reports, guessed):
    widget = asked(shown, one=..., **options)
    for report in reports:
        assert shown[-1][MIME]["guess"] is None
        widget.do(*report)
    assert shown[-1][MIME] == {"name": "one", "guess": guessed}
    assert not UNGUESSED.search(said(shown)) and widget.message == said(shown)
    sent.append(shown[-1][MIME])
    monkeypatch.setattr(guesses, "_asked", {})  # Python has forgotten everything
    widget = asked(shown, one=..., **options)
    assert shown[-1][MIME] == sent[0] and not UNGUESSED.search(said(shown))
    if isinstance(widget, NumberGuess):
        assert f'value="{guessed}"' in widget.html


@pytest.mark.parametrize(
    "options, typed, words",
    [
        ({}, "many", ["500000", "'many'"]),
        ({}, "", ["500000", "''"]),
        ({}, "inf", ["inf"]),
        ({"between": (0, 100)}, "150", ["from 0 to 100", "not 150."]),
    ],
)
def test_an_invalid_guess_is_refused_on_the_page_and_the_earlier_guess_stays(shown, options, typed, words):
    widget = asked(shown, one=3, **options)
    widget.do("guess", {"guess": typed})
    assert naming("number", *words).search(widget.message) and widget.tone == "error"
    assert shown[-1][MIME]["guess"] == 3


@pytest.mark.parametrize(
    "options, given",
    [({}, 3), ({"choices": ["a", "b"]}, "b"), ({"board": FIRST}, 7), ({"order": NAMES}, ("perfect", *NAMES[:2]))],
)
def test_a_question_that_is_asked_again_keeps_its_guess_even_where_no_page_does(shown, options, given):
    guess(one=given, **options)
    before = said(shown)
    for _ in range(2):
        guess(one=..., **options)
        assert said(shown) == before and not UNGUESSED.search(before)


def test_a_guess_at_another_question_is_ignored(shown, sent):
    sent += [{"name": "other", "guess": "an edge"}, {"name": "one", "guess": "a corner"}]
    guess(one=..., choices=["a corner", "an edge"])
    assert shown[-1][MIME]["guess"] == "a corner"
    for changed in ({"choices": ["an edge"]}, {"board": FIRST}, {}):  # while Python still has the guess
        guess(one=..., **changed)
        assert UNGUESSED.search(said(shown))


def test_if_the_page_cannot_keep_a_guess_the_message_offers_a_form_to_type_in_the_cell(shown):
    for options, report in (({}, {"guess": "1000"}), ({"choices": ["a", "b"]}, "b"), ({"board": FIRST}, "7")):
        widget = asked(shown, one=..., **options)
        widget.do("guess", report)
        typed = re.search(r"keep.*`one=(.+)`.*cell", widget.message)[1]
        before = shown[-1][MIME]
        guesses._asked.clear()
        guess(**options, one=eval(typed))
        assert shown[-1][MIME] == before
        guesses._asked.clear()


def test_a_plain_script_prints_sentences(monkeypatch, capsys):
    monkeypatch.setattr(guesses, "get_ipython", lambda: None)
    guess(lines=7)
    reveal("lines", 8)
    keep = "To keep it, write `lines=7` in this cell."
    assert capsys.readouterr().out == f"Your guess: 7. {keep}\nIt is 8. You guessed 7: 1 too low.\n"


def test_a_wrong_name_gets_the_names_of_the_guesses(shown):
    for name in ("lines", "moves"):
        guess(**{name: 8})
    guess(nodes=...)
    reveal("line", 8)
    assert said(shown) == "It is 8. There is no guess called `line`, only `lines`, `moves`."


def test_the_sentence_is_announced_and_never_markup(shown):
    widget = asked(shown, mark="<b>", choices=["<b>", "<i>"])
    reveal("mark", "<i>")
    assert 'role="status"' in shown[-1]["text/html"]
    assert not any("<b>" in html for html in (widget.html, shown[-1]["text/html"], shown[-2]["text/html"]))


def marks(shown):
    """Where the scale has its zero, the guess (●) and the result (◆), from left to right; none without a scale."""
    page = shown[-1]["text/html"]
    found = [re.search(mark, page) for mark in ('x1="([^"]+)%"', '<circle cx="([^"]+)%"', '<svg x="([^"]+)%"')]
    return [float(one[1]) for one in found if one]


@pytest.mark.parametrize(
    "guessed, truth", [(1_000, 549_946), (500_000, 549_946), (90, 30), (0, 5), (0.5, 0.25), (-3, 6)]
)
def test_guess_and_result_are_marks_on_one_scale_that_begins_at_0(shown, guessed, truth):
    guess(one=guessed)
    reveal("one", truth)
    zero, first, second = marks(shown)
    assert (first - zero) * truth == pytest.approx((second - zero) * guessed, abs=0.06 * max(abs(guessed), abs(truth)))
    assert max(first, second) > zero + 99 or min(guessed, truth) < 0  # the larger one is at the end of the scale
    assert naming(f"your guess is at {first}%", f"the result at {second}%").search(shown[-1]["text/html"])


@pytest.mark.parametrize(
    "given, meant", [(5e5, 500_000), (np.int64(3), 3), (0.5, 0.5), (-2, -2), (10**15, 10**15), (np.float64(2), 2)]
)
def test_numbers_of_every_type_are_numbers(given, meant):
    assert read_number(given) == meant and type(read_number(given)) is type(meant)


REFUSED = [
    *((given, {}, ["number", "500000"]) for given in ("500", None, True, nan, inf, 10**101, [1], "many")),
    ("Z", {"choices": ["X", "O"]}, ['"X", "O"', "'Z'"]),
    *((given, {"order": ["a", "b"]}, ["order", "once", '"a", "b"']) for given in ("a", "a, a", 5, ["a", "c"])),
    *((given, {"between": (0, 100)}, ["number", "from 0 to 100", f"{given}"]) for given in (-1, 101)),
    *((given, {"board": FIRST}, ["free cell", "1, 2, 3, 5, 6, 7, 8", f"{given}"]) for given in (0, 9, "X", 1.5)),
]


@pytest.mark.parametrize("given, options, words", REFUSED)
def test_an_invalid_guess_is_refused_with_what_would_be_valid(given, options, words):
    with pytest.raises(ValueError, match=naming(*words)):
        guess(**options, one=given)


@pytest.mark.parametrize("names", [{}, {"one": 1, "two": 2}])
def test_a_guess_has_one_name(names):
    with pytest.raises(ValueError, match=naming("one guess", "guess(nodes=...)")):
        guess(**names)
