"""Guesses as data: what is read from what people type, how far off they were, and their records, hostile ones too."""

import json
from itertools import permutations
from math import inf, nan

import numpy
import pytest

from ttt.guesses import MIME, BadGuess, Guess, how_far_off, in_notebook, in_words, number, pairs_in_order, signed_tau

NUMBERS = {
    "500000": 500_000,
    " 500,000 ": 500_000,
    "1,234,567.5": 1_234_567.5,
    "500 000": 500_000,
    "500_000": 500_000,
    "500\u202f000": 500_000,
    "5e5": 500_000,
    "5E-1": 0.5,
    ".5": 0.5,
    "3.": 3,
    "+7": 7,
    "-3": -3,
    "−3": -3,
    "30%": 0.3,
    "30 %": 0.3,
    "100 %": 1.0,
}
NO_NUMBERS = [
    "",
    "  ",
    "ten",
    "1/3",
    "5,00",
    "1,2345",
    "1.000.000",
    "0,500",
    "1e-320",
    "0x10",
    "nan",
    "inf",
    "1e999",
    "9" * 150,
    "5 5",
    "%",
]
FIRST = ("a corner", "an edge cell", "the centre")


@pytest.mark.parametrize("text, value", NUMBERS.items())
def test_a_number_may_be_written_as_people_write_numbers(text, value):
    assert number(text) == value and type(number(text)) is type(value)


@pytest.mark.parametrize("text", NO_NUMBERS)
def test_what_is_no_number_is_refused_with_what_to_write(text):
    with pytest.raises(BadGuess, match=r"Write|too large"):
        number(text)


@pytest.mark.parametrize("text", ["0" * 5000 + "1", "1" * 40_000 + "x", "1" * 40_000], ids=["zeros", "an x", "ones"])
def test_numbers_of_thousands_of_digits_are_none(text):
    """Zeros ended in a ValueError, and looking for the x took half a minute."""
    with pytest.raises(BadGuess, match="is not a number"):
        number(text)


def test_messages_say_what_was_wrong():
    for text, said in {
        "ten": "'ten' is not a number. Write a number, such as 500000.",
        "": "The field is empty. Write a number, such as 500000.",
        "0,5": "'0,5' is not a number. Write its decimals after a point, as in 0.5.",
    }.items():
        with pytest.raises(BadGuess) as caught:
            number(text)
        assert str(caught.value) == said


@pytest.mark.parametrize("value", [True, None, nan, inf, -inf, 1j, [1], 10**200])
def test_a_number_in_code_is_a_real_and_finite_one(value):
    with pytest.raises(BadGuess):
        number(value)
    assert type(number(numpy.int64(3))) is int and type(number(numpy.float64(0.5))) is float


@pytest.mark.parametrize(
    "guess, truth, words",
    [
        (500_000, 549_946, "too low by a factor of 1.1"),
        (5_478, 549_946, "too low by a factor of 100"),
        (10**9, 549_946, "too high by a factor of 1,818"),
        (549_946, 549_946, "right"),
        (540_000, 549_946, "too low by 2 %"),
        (200, 100, "too high by a factor of 2"),
        (0, 549_946, "too low by 549,946"),
        (0.3, 0.585, "too low by 0.285"),
        (30, 0.585, "too high by 29.41"),
        (3, -3, "too high by 6"),
        (0.5, 1.0, "too low by 0.5"),
        (2, 1, "too high by 1"),
        (45, 57.2, "too low by 12.2"),
        (99, 93.87, "too high by 5.13"),
        (101, 76, "too high by a factor of 1.3"),
        ("a corner", "the centre", "not right"),
        ("a corner", "a corner", "right"),
    ],
)
def test_large_numbers_are_compared_by_factors_and_others_by_differences(guess, truth, words):
    assert how_far_off(guess, truth) == words


def test_the_rank_correlation_is_kendalls():
    """Against its definition by signs, on every order of four."""
    for order in permutations("abcd"):
        places = [order.index(item) for item in "abcd"]
        signs = [1 if places[i] < places[j] else -1 for i in range(4) for j in range(i + 1, 4)]
        right, pairs = pairs_in_order(order, tuple("abcd"))
        assert pairs == 6 and signed_tau(right, pairs) == f"{sum(signs) / 6:.2g}".replace("-", "−")
    assert "0 of the 6 pairs" in how_far_off(tuple("dcba"), tuple("abcd"))


@pytest.mark.parametrize("value, words", [(1234567, "1,234,567"), (-3, "−3"), (1234.56, "1,235"), (1e30, "1e+30")])
def test_numbers_are_written_for_people(value, words):
    assert in_words(value) == words


def test_a_guess_after_the_result_leaves_the_first_one_as_it_was():
    guess = Guess("nodes").guessed("500,000").revealed(549_946)
    changed = guess.guessed(549_946)
    assert (changed.guess, changed.later, changed.truth) == (500_000, 549_946, 549_946)
    assert changed.guessed(500_000) == guess
    assert Guess("nodes").revealed(3).guessed(3).guess is None


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: Guess(""),
        lambda: Guess("a\nb"),
        lambda: Guess("nodes", "colour"),
        lambda: Guess("nodes", options=(5,)),
        lambda: Guess("first", "choice"),
        lambda: Guess("first", "choice", ("a", "a")),
        lambda: Guess("first", "choice", ("a", 5)),
        lambda: Guess("first", "choice", FIRST).guessed("the edge"),
        lambda: Guess("first", "choice", FIRST).revealed("the edge"),
        lambda: Guess("order", "order", FIRST).guessed(FIRST[:2]),
        lambda: Guess("order", "order", FIRST).guessed((*FIRST, FIRST[0])),
        lambda: Guess("order", "order", FIRST).guessed("abc"),
    ],
)
def test_what_fits_no_question_is_refused(wrong):
    with pytest.raises(BadGuess):
        wrong()


# ------------------------------------------------------------------------------------------------- records


def notebook(*records):
    """A notebook as plain data, with a cell for each record."""
    outputs = [[{"output_type": "display_data", "data": {MIME: record}}] for record in records]
    return {"cells": [{"cell_type": "code", "source": "", "outputs": output} for output in outputs]}


@pytest.mark.parametrize(
    "guess",
    [
        Guess("nodes", guess=500_000, later=3.5, truth=549_946),
        Guess("first", "choice", FIRST, "a corner"),
        Guess("order", "order", FIRST, FIRST[::-1], truth=FIRST),
    ],
)
def test_a_record_is_plain_json_and_read_back_as_it_was(guess):
    assert in_notebook(json.loads(json.dumps(notebook(guess.record)))) == {guess.name: guess}


def test_two_records_of_a_question_complete_each_other():
    """The first is out of date where the page was loaded again: then only the cell with the result has the guess."""
    asked, shown = Guess("nodes"), Guess("nodes", guess=5, truth=7)
    assert in_notebook(notebook(asked.record, shown.record)) == {"nodes": shown}
    later = Guess("nodes", guess=5, later=7, truth=7)
    assert in_notebook(notebook(later.record, shown.record)) == {"nodes": later}


GOOD = Guess("nodes", guess=5)
HOSTILE = [
    None,
    "text",
    5,
    [],
    {},
    GOOD.record | {"name": None},
    GOOD.record | {"name": "x" * 10_000},
    GOOD.record | {"name": "\ud800"},
    GOOD.record | {"name": "\u202eevil"},
    GOOD.record | {"kind": ["number"]},
    GOOD.record | {"kind": "order"},
    GOOD.record | {"options": "abc", "kind": "choice"},
    GOOD.record | {"options": [["a"], ["b"]], "kind": "choice"},
    GOOD.record | {"options": [f"{n}" for n in range(1000)], "kind": "choice"},
    GOOD.record | {"guess": "<script>"},
    GOOD.record | {"guess": "500"},
    GOOD.record | {"guess": True},
    GOOD.record | {"guess": {"a": 1}},
    GOOD.record | {"guess": [1, 2]},
    GOOD.record | {"guess": nan},
    GOOD.record | {"truth": inf},
    GOOD.record | {"truth": 10**5000},
]


@pytest.mark.parametrize("record", HOSTILE)
def test_a_hostile_record_is_passed_over_and_the_others_are_read(record):
    mine = Guess("mine", guess=5)
    assert in_notebook(notebook(record, mine.record)) == {"mine": mine}


@pytest.mark.parametrize(
    "content", [None, [], "cells", {}, {"cells": 5}, {"cells": [None, {"outputs": {}}, {"outputs": [3]}]}]
)
def test_what_is_no_notebook_keeps_no_guesses(content):
    assert in_notebook(content) == {}
