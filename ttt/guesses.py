"""What somebody guessed before seeing a result: a number, a choice or an order, how far off it was, and its record.

A notebook keeps the record among a cell's results, under the type `MIME`, where `in_notebook` finds it again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from typing import Any

from ttt import heuristics

MIME = "application/vnd.ttt.guess+json"
KINDS = ("number", "choice", "order")
LONGEST = 200  # characters of a name or a choice
MOST_OPTIONS = 20
SMALL = 100  # numbers up to it are compared by their difference
MOST = 10**100  # a guess is closer to 0 than this, and not as close as 1 over this, unless it is 0
GROUPED = re.compile(r"[+-]?[1-9]\d{0,2}([, _\u00a0\u2009\u202f])\d{3}(\1\d{3})*(\.\d*)?")  # 500,000 or 500 000
PLAIN = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d{1,3})?", re.IGNORECASE)
LONGEST = 400  # characters of a number: Python reads no whole number of more than 4,300 digits

Value = int | float | str | tuple[str, ...]  # of a number, a choice, an order


class BadGuess(ValueError):
    """This is not a guess, or not an answer to this question; the message says what to write."""


@dataclass(frozen=True)
class Guess:
    """What was guessed at one question, and the result if that has been shown.

    Args:
        name: the question's name.
        kind: "number", "choice" or "order".
        options: what can be chosen or put in order; nothing for a number.
        guess: what was guessed before the result was shown.
        later: what was guessed after that, if it is something else.
        truth: the result, once it has been shown.
    """

    name: str
    kind: str = "number"
    options: tuple[str, ...] = ()
    guess: Value | None = None
    later: Value | None = None
    truth: Value | None = None

    def __post_init__(self) -> None:
        if not _is_short_text(self.name):
            raise BadGuess(f'A guess needs a name, such as "nodes", not {self.name!r:.50}.')
        if self.kind not in KINDS:
            raise BadGuess(f"A guess is a number, a choice or an order, not {self.kind!r:.50}.")
        if self.options or self.kind != "number":
            _require_options(self.options)
        for value in (self.guess, self.later, self.truth):
            if value is not None and value != self.value(value):
                raise BadGuess(f"{value!r:.50} is not written as a {self.kind}.")

    def value(self, given: object) -> Value:
        """What is meant by a value that was typed or computed. Raises `BadGuess`."""
        if self.kind == "number":
            return number(given)
        if self.kind == "choice":
            return _choice(given, self.options)
        return _order(given, self.options)

    def guessed(self, given: object) -> Guess:
        """The same with this guess, which counts as a later one if the result has been shown. Raises `BadGuess`."""
        value = self.value(given)
        if self.truth is None:
            return replace(self, guess=value)
        return replace(self, later=None if value == self.guess else value)

    def revealed(self, truth: object) -> Guess:
        """The same with its result. Raises `BadGuess`."""
        return replace(self, truth=self.value(truth))

    @property
    def latest(self) -> Value | None:
        """The last guess, from before or after the result was shown."""
        return self.guess if self.later is None else self.later

    @property
    def record(self) -> dict[str, Any]:
        """The guess as plain data."""
        return asdict(self)

    @classmethod
    def of(cls, record: object) -> Guess:
        """The guess in a record, which may come from anywhere. Raises `BadGuess`."""
        if not isinstance(record, Mapping) or not isinstance(record.get("options"), Sequence):
            raise BadGuess("This is not the record of a guess.")
        fields = {name: record.get(name) for name in ("name", "kind", "guess", "later", "truth")}
        plain = {name: tuple(value) if isinstance(value, list) else value for name, value in fields.items()}
        return cls(options=tuple(record["options"]), **plain)  # type: ignore[arg-type]  # it looks at all of them


# ------------------------------------------------------------------------------------------------- what is meant


def number(given: object) -> int | float:
    """The number that somebody has typed or computed. Raises `BadGuess`.

    Thousands may be grouped, and a number followed by % is in hundredths.

    >>> number("500,000"), number("5e5"), number("30 %"), number("2.5")
    (500000, 500000, 0.3, 2.5)
    """
    if isinstance(given, str):
        return _typed(given)
    plain = heuristics.number(given)
    if plain is None:
        raise BadGuess(f"Write a number, such as 500000, not {given!r:.50}.")
    _require_size(plain)
    return plain


def _typed(text: str) -> int | float:
    plain = text.strip().replace("−", "-")
    percent = plain.endswith("%")
    plain = plain.removesuffix("%").strip()
    if grouped := GROUPED.fullmatch(plain):
        plain = plain.replace(grouped[1], "")
    if len(plain) > LONGEST or not PLAIN.fullmatch(plain):
        point = " Write its decimals after a point, as in 0.5." if re.fullmatch(r"[+-]?\d+,\d+", plain) else ""
        written = f"{text.strip()!r:.50} is not a number." if text.strip() else "The field is empty."
        raise BadGuess(f"{written}{point or ' Write a number, such as 500000.'}")
    value = float(plain)
    _require_size(value)
    if percent:
        return value / 100
    whole = re.fullmatch(r"[+-]?\d+", plain)
    return int(plain if whole else value) if value == int(value) else value


def _require_size(value: float) -> None:
    if value != 0 and not 1 / MOST < abs(value) < MOST:
        raise BadGuess("Write 0, or a number between 1e-100 and 1e100; a minus sign may stand before it.")


def _require_options(options: tuple[str, ...]) -> None:
    different = len(set(options)) == len(options)
    if not different or not 2 <= len(options) <= MOST_OPTIONS or not all(map(_is_short_text, options)):
        raise BadGuess(
            f'Give 2 to {MOST_OPTIONS} different texts to choose from or to put in order, such as ["X", "O"].'
        )


def _is_short_text(given: object) -> bool:
    """Whether this is a text of visible characters that fits on a line."""
    return isinstance(given, str) and bool(given.strip()) and len(given) <= LONGEST and given.isprintable()


def _choice(given: object, options: Sequence[str]) -> str:
    if given in options and isinstance(given, str):
        return given
    instead = f", not {given!r:.50}" if given else ""
    raise BadGuess(f"Choose one of {_listed(options)}{instead}.")


def _order(given: object, options: Sequence[str]) -> tuple[str, ...]:
    order = tuple(given) if isinstance(given, list | tuple) else ()
    if len(order) == len(options) and all(option in order for option in options):
        return order
    raise BadGuess(f"Put these in order, each of them once: {_listed(options)}.")


def _listed(options: Iterable[str]) -> str:
    return ", ".join(f'"{option}"' for option in options)


# ------------------------------------------------------------------------------------------------- how far off


def in_words(value: Value) -> str:
    """A guess or a result as text.

    >>> in_words(549946), in_words(0.58499), in_words("the centre"), in_words(("rules", "random"))
    ('549,946', '0.585', '“the centre”', 'rules, random')
    """
    if isinstance(value, str):
        return f"“{value}”"
    if isinstance(value, tuple):
        return ", ".join(value)
    if isinstance(value, int) and abs(value) < 10**15:
        return f"{value:,}".replace("-", "−")
    whole = 1000 <= abs(value) < 10**15
    return (f"{value:,.0f}" if whole else f"{value:.4g}").replace("-", "−")


def how_far_off(guess: Value, truth: Value) -> str:
    """How far off a guess was: a factor for large numbers, a difference for others, and for an order Kendall's tau.

    Numbers up to 100 are compared by their difference: shares, games out of a hundred, and whatever can be counted.

    >>> how_far_off(500_000, 549_946), how_far_off(45, 57.2), how_far_off(("a", "b", "c"), ("b", "a", "c"))
    ('too low by a factor of 1.1', 'too low by 12.2', '2 of the 3 pairs are in the right order (Kendall’s τ = 0.33)')
    """
    if isinstance(guess, tuple) and isinstance(truth, tuple):
        right, pairs = pairs_in_order(guess, truth)
        return f"{right} of the {pairs} pairs are in the right order (Kendall’s τ = {signed_tau(right, pairs)})"
    if guess == truth:
        return "right"
    if isinstance(guess, int | float) and isinstance(truth, int | float):
        return _number_off(guess, truth)
    return "not right"


def by_factor(guess: float, truth: float) -> bool:
    """Whether two numbers are compared by their quotient rather than by their difference."""
    return guess > 0 and truth > 1 and max(guess, truth) > SMALL


def pairs_in_order(guess: Sequence[str], truth: Sequence[str]) -> tuple[int, int]:
    """How many pairs of an order are as in the right one, and how many pairs there are.

    >>> pairs_in_order("abcd", "abdc")
    (5, 6)
    """
    pairs = list(combinations(truth, 2))
    return sum(guess.index(one) < guess.index(other) for one, other in pairs), len(pairs)


def signed_tau(right: int, pairs: int) -> str:
    """Kendall's rank correlation: 1 for the right order, −1 for the order backwards, 0 where half the pairs are right.

    >>> signed_tau(5, 6), signed_tau(0, 6)
    ('0.67', '−1')
    """
    return f"{(2 * right - pairs) / pairs:.2g}".replace("-", "−")


def _number_off(guess: float, truth: float) -> str:
    side = "low" if guess < truth else "high"
    if not by_factor(guess, truth):
        return f"too {side} by {in_words(abs(guess - truth))}"
    factor = max(guess / truth, truth / guess)
    if factor < 1.05:
        return f"too {side} by {100 * abs(guess - truth) / truth:.1g} %"
    return f"too {side} by a factor of {f'{factor:.2g}' if factor < 100 else in_words(round(factor))}"


# ------------------------------------------------------------------------------------------------- in a notebook


def in_notebook(notebook: object) -> dict[str, Guess]:
    """The guesses that a notebook keeps, by name. Whatever isn't written as a guess is passed over.

    A question's record stands below its own cell and once more below the cell with the result. Together they tell all,
    also where one of them is out of date.

    Args:
        notebook: its content as plain data, which may come from anywhere.
    """
    found: dict[str, Guess] = {}
    for record in _records(notebook):
        try:
            one = Guess.of(record)
        except (BadGuess, TypeError):
            continue
        first = found.setdefault(one.name, one)
        if (first.kind, first.options) == (one.kind, one.options):
            found[one.name] = _together(first, one)
    return found


def _together(first: Guess, second: Guess) -> Guess:
    """What two records of the same question tell together."""
    fields = ("guess", "later", "truth")
    known = {name: getattr(first, name) for name in fields}
    return replace(first, **{name: getattr(second, name) if known[name] is None else known[name] for name in fields})


def _records(notebook: object) -> Iterator[object]:
    for cell in _list(notebook, "cells"):
        for output in _list(cell, "outputs"):
            data = output.get("data") if isinstance(output, dict) else None
            if isinstance(data, dict) and MIME in data:
                yield data[MIME]


def _list(part: object, name: str) -> list[Any]:
    found = part.get(name) if isinstance(part, dict) else None
    return found if isinstance(found, list) else []
