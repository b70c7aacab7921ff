"""Guess, then see: what counts as a guess, how far off it is, and what is kept."""

import json
import re
from math import inf, nan
from pathlib import Path

import numpy as np
import pytest
from approved import approved
from conftest import naming
from lab.boards import guesses
from lab.boards.guesses import MIME, Guess, guess, read_number, reveal
from reader import Session, drawn, heard

from ttt import Board

SAID = Path(__file__).parent / "said" / "guesses.txt"
FIRST = Board.from_text("X-- -O- ---")
NAMES = ["random", "open-lines", "perfect"]
UNGUESSED = naming("not guessed yet")


@pytest.fixture(autouse=True)
def shown(monkeypatch):
    """What a new kernel shows: widgets and texts."""
    kept = []

    def display(data, raw=False, **where):
        kept.append(json.loads(json.dumps(data | {"where": where})) if raw else data)

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


RESULTS = [  # options, a guess, the result
    ({}, 500_000, 549_946),
    ({}, 549_946, 549_946),
    ({}, 2_000_000, 549_946),
    ({}, 2_000, 549_946),
    ({}, 5_516, 549_946),  # a little less than a hundred times
    ({}, 660_000, 549_946),
    ({}, 542_000, 549_946),
    ({}, 400, 200),
    ({}, 399, 200),  # a little less than twice
    ({}, 0.5, 0.58),
    ({}, 0.5849, 0.58490206),  # as shown
    ({}, 100, 98),
    ({}, 101, 98),
    ({}, 100, 100.5),
    ({}, 109.7, 100),  # a little less than 10 per cent
    ({}, 5000, 1),
    ({}, 5000, 2),
    ({}, -5, 300),
    ({}, 0, 300),
    ({}, 0, 0),
    ({}, 1, "a text"),
    ({"between": (0, 100)}, 45, 57.2),
    ({"between": (-50, 50)}, 45, -20),
    ({"between": (0, 100)}, 50, 85),  # whose number would touch that of the end
    ({"choices": ["a", "b"]}, "a", "b"),
    ({"choices": ["X", "O"]}, "X", "X"),
    ({"choices": ["<b>", "<i>"]}, "<b>", "<i>"),
    ({"board": FIRST}, 2, 2),
    ({"board": FIRST}, 1, {6, 2}),
    ({"board": FIRST}, 6, frozenset({6, 2})),
    ({"order": [*"ab"]}, "b, a", [*"ab"]),
    ({"order": [*"abc"]}, [*"abc"], (*"acb",)),
    ({"order": [*"abc"]}, [*"abc"], [*"abc"]),
    ({"order": [*"abc"]}, [*"abc"], [*"abd"]),
]


def result(shown, options, given, truth):
    """What the cells say, and how the card looks."""
    guess(**options, one=given)
    reveal("one", truth)
    kind = re.search(r'class="ttt-card ([^"]*)"', shown[-1]["text/html"])[1]
    told = [said(shown), f"[{kind}]", *heard(shown[-1]["text/html"])]
    return "\n".join([f"{options}, {given!r} and {truth!r}", shown[-2]["text/plain"], *told])


@pytest.mark.usefixtures("sent")
def test_a_result_says_how_far_off_the_guess_was(shown):
    told = "\n\n".join(result(shown, *case) for case in RESULTS)
    result(shown, {"between": (-10, 30)}, 15, 10)
    assert approved(SAID, "a scale", drawn(shown[-1]["text/html"]))
    assert approved(SAID, "results", re.sub(r"frozenset\(.*?\)|{\d, \d}", "{2, 6}", told))


def typed(*numbers):
    return [("guess", {"guess": number}) for number in numbers]


USES = [  # a question, and what the page reports
    (
        {"between": (0, 100)},
        [("guess", {"guess": typed}) for typed in ("150", "many", "", "0,5", " 37 ", "-1", "0", "101", "100")],
    ),
    ({}, [("guess", {"guess": typed}) for typed in ("1,000,000", "0", "inf", "-2.5")]),
    ({"choices": ["X", "a <corner>"]}, [("guess", "X"), ("guess", "a <corner>"), ("guess", "O")]),
    ({"board": FIRST}, [("play", "7"), ("play", "0"), ("play", "1")]),
    (
        {"order": NAMES},
        [("place", name) for name in ("random", "random", "perfect", "open-lines", "perfect", "random")],
    ),
]


def test_all_that_a_question_says_and_shows_while_it_is_answered(shown):
    parts = []
    for options, reports in USES:
        widget = asked(shown, one=..., **options)
        session, output = Session(widget), f"guess-{widget.model_id}"
        assert shown[-1]["where"] == {"display_id": output, "update": False}
        for report in reports:
            session.do(report)
            assert shown[-1]["where"] == {"display_id": output, "update": shown[-1][MIME]["guess"] is not None}
            session.told.append(f"kept: {json.dumps(shown[-1][MIME], ensure_ascii=False)}")
            assert heard(shown[-1]["text/html"]) == [said(shown)] and said(shown) == repr(widget)
        parts.append(str(session))
        guesses._asked.clear()
        parts.append(drawn(widget.html) if options is not USES[3][0] else "")
    assert approved(SAID, "questions", "\n\n".join(parts))


def test_a_question_without_a_guess_shows_only_the_result(shown):
    guess(first=..., choices=["a corner", "the centre"])
    assert said(shown) == "Choose one. Not guessed yet." and shown[-1][MIME]["guess"] is None
    for name in ("first", "never asked"):
        reveal(name, "X")
        assert said(shown) == "It is X." and 'class="ttt-card you strip"' in shown[-1]["text/html"]


ON_THE_PAGE = [  # the page's reports in order, and the guess
    ({}, [("guess", {"guess": "0"})], 0),
    ({"choices": ["1,000 games", "never"]}, [("guess", "1,000 games")], "1,000 games"),
    ({"board": FIRST}, [("play", "7")], 7),
    ({"order": NAMES}, [("place", "perfect"), ("place", "random")], ["perfect", "random", "open-lines"]),
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
    asked(shown, one=..., **options)
    assert shown[-1][MIME] == sent[0] and not UNGUESSED.search(said(shown))


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
    *(({}, given) for given in ("500", None, True, nan, inf, -(10**100), [1], "many" * 20)),
    ({"choices": ["X", "O"]}, "Z"),
    *(({"order": ["a", "b"]}, given) for given in ("a", "a, a", 5, ["a", "c"])),
    *(({"between": (0, 100)}, given) for given in (-1, 101)),
    *(({"board": FIRST}, given) for given in (0, 9, "X", 1.5)),
]


def test_an_invalid_guess_is_refused_with_what_would_be_valid():
    refused = []
    for options, given in REFUSED:
        with pytest.raises(ValueError) as caught:
            guess(**options, one=given)
        refused.append(f"{given!r:.60}: {caught.value}")
    for names in ({}, {"one": 1, "two": 2}):
        with pytest.raises(ValueError) as caught:
            guess(**names)
        refused.append(f"{names}: {caught.value}")
    assert approved(SAID, "refused", "\n".join(refused))
    assert read_number(10**100 - 1) == 10**100 - 1
