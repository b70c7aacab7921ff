"""Guess, then see: what counts as a guess, how far off it is, and what is kept of it."""

import json
from math import inf, nan

import numpy as np
import pytest
from IPython import display
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from ttt.widgets import guesses
from ttt.widgets.guesses import MIME, guess, how_far_off, in_words, reveal, value


@pytest.fixture(autouse=True)
def shown(monkeypatch):
    """What is shown, of a kernel that has just been started."""
    kept = []
    monkeypatch.setattr(display, "display", lambda data, raw: kept.append(json.loads(json.dumps(data))))
    monkeypatch.setattr(guesses, "_kept", {})
    return kept


def said(shown):
    return shown[-1]["text/plain"]


@pytest.mark.parametrize(
    "options, given, truth, words",
    [
        ({}, 500_000, 549_946, "It is 549,946. You guessed 500,000: too low by a factor of 1.1."),
        ({"choices": ["a", "b"]}, "a", "b", "It is “b”. You guessed “a”: not right."),
        ({"order": ["a", "b"]}, "b, a", ["a", "b"], "The order is: a, b. You guessed b, a: 0 of the 1 pairs are in"),
    ],
)
def test_a_guess_is_told_and_its_result_says_how_far_off_it_was(shown, options, given, truth, words):
    guess(**options, one=given)
    assert said(shown) == f"Your guess: {in_words(value(given, **options))}."
    reveal("one", truth)
    assert said(shown).startswith(words)


def test_an_unfilled_guess_is_said_and_not_counted(shown):
    guess(first=..., choices=["a corner", "the centre"])
    assert said(shown).startswith("Not guessed yet") and said(shown).endswith('Choose from "a corner", "the centre".')
    assert shown[-1][MIME]["guess"] is None
    for name in ("first", "never asked"):
        reveal(name, "X")
        assert said(shown) == "It is “X”. No guess was made."


def test_one_that_is_made_or_changed_after_its_result_counts_as_late(shown):
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
    guess(mark="<b>", choices=["<b>", "<i>"])
    assert 'role="status"' in shown[-1]["text/html"] and "<b>" not in shown[-1]["text/html"]


@pytest.mark.parametrize(
    "given, meant", [(5e5, 500_000), (np.int64(3), 3), (0.5, 0.5), (-2, -2), (10**15, 10**15), (np.float64(2), 2)]
)
def test_numbers_of_every_kind_are_numbers(given, meant):
    assert value(given) == meant and type(value(given)) is type(meant)


REFUSED = [
    *((given, {}, "Write a number, such as 500000") for given in ("500", None, True, nan, inf, 10**101, [1], "many")),
    ("Z", {"choices": ["X", "O"]}, 'one of "X", "O", not \'Z\''),
    *((given, {"order": ["a", "b"]}, 'each of them once: "a", "b"') for given in ("a", "a, a", 5, ["a", "c"])),
]


@pytest.mark.parametrize("given, options, words", REFUSED)
def test_what_is_no_guess_is_refused_with_what_there_is(given, options, words):
    with pytest.raises(ValueError, match=words):
        guess(**options, one=given)


def test_a_notebook_shows_why_a_guess_is_refused_and_no_line_of_the_lab(capsys):
    shell = InteractiveShell(config=Config({"HistoryManager": {"enabled": False}}))
    shell.run_cell("from ttt import guess\nguess(nodes='half')")
    shown = capsys.readouterr().out
    assert "Write a number" in shown and "Traceback" not in shown and "guesses.py" not in shown


@pytest.mark.parametrize("names", [{}, {"one": 1, "two": 2}])
def test_one_guess_has_one_name(names):
    with pytest.raises(ValueError, match="one guess with its name"):
        guess(**names)


OFF = [
    (549_946, 549_946, "right"),
    (1_000, 549_946, "too low by a factor of 550"),
    (560_000, 549_946, "too high by 2 %"),
    (45, 57.2, "too low by 12.2"),
    (0.5, 0.58, "too low by 0.08"),
    (0.5849, 0.58490206, "right"),  # as shown
    (100, 100.5, "too low by 0.5 %"),
    (-5, 300, "too low by 305"),
    (("a", "b", "c", "d"), ("a", "b", "d", "c"), "5 of the 6 pairs are in the right order"),
]


@pytest.mark.parametrize("guessed, truth, words", OFF)
def test_large_numbers_are_compared_by_factors_others_by_differences_and_orders_by_pairs(guessed, truth, words):
    assert how_far_off(guessed, truth) == words


def test_results_are_written_as_people_write_them():
    assert [in_words(one) for one in (549_946, 0.58499, -3, 2e20, "X")] == ["549,946", "0.585", "−3", "2e+20", "“X”"]
