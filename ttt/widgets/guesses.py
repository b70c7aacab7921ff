"""Guess, then see: what somebody guessed before seeing a result, and how far off it was.

    guess(nodes=...)             as a lesson has it; a guess goes in place of the three dots
    reveal("nodes", counted)     shows the result beside the guess

What a cell shows of a guess carries a record, under the type `MIME`.
"""

from collections.abc import Sequence
from html import escape
from itertools import combinations
from typing import Any

from ttt import heuristics

MIME = "application/vnd.ttt.guess+json"
SMALL = 100  # numbers up to it are compared by their difference
MOST = 10**100  # a guess is closer to 0 than this

Value = int | float | str | tuple[str, ...]  # a number, a choice, an order
_kept: dict[str, dict[str, Any]] = {}  # the record of each question by its name, as long as the kernel runs


def _record(name: str) -> dict[str, Any]:
    """What is kept of a question: the latest guess, the result once shown, and whether the guess was changed since."""
    return _kept.setdefault(name, {"name": name, "guess": None, "truth": None, "late": False})


class NoGuess(ValueError):
    """A guess can't be taken; the message says what can."""

    def _render_traceback_(self) -> list[str]:
        """What a notebook shows: the sentence alone, since no line of the lab's is at fault."""
        return [f"{self}"]


def guess(*, choices: Sequence[str] | None = None, order: Sequence[str] | None = None, **named: object) -> None:
    """Guess a number, one of several choices, or an order, before the result is seen.

    As long as three dots stand there, nothing is guessed. `reveal` with the same name shows the result.

    Args:
        choices: what to choose from.
        order: what to put in order: a list, or a text with commas.
        named: the guess, under its name.

    Raises `ValueError` for a value that is no guess of this kind.
    """
    if len(named) != 1:
        raise NoGuess("Write one guess with its name, such as guess(nodes=500_000).")
    [(name, given)] = named.items()
    kept = _record(name)
    if given is ...:
        options = choices or order
        there_is = f" Choose from {_listed(options)}." if options else ""
        _show(f"Not guessed yet: write your guess in place of the three dots, and run the cell again.{there_is}", kept)
        return
    guessed = value(given, choices, order)
    kept["late"] |= kept["truth"] is not None and guessed != kept["guess"]
    kept["guess"] = guessed
    _show(f"Your guess: {in_words(guessed)}.{' It comes after the result was shown.' if kept['late'] else ''}", kept)


def reveal(name: str, truth: object) -> None:
    """Show a result (a number, a choice, or a list in order) beside the guess of this name, and how far off it was."""
    kept = _record(name)
    texts = tuple(map(str, truth)) if isinstance(truth, list | tuple) else truth
    result = kept["truth"] = texts if isinstance(texts, str | tuple) else value(texts)
    said = f"{'The order is:' if isinstance(result, tuple) else 'It is'} {in_words(result)}."
    if kept["guess"] is None:
        _show(f"{said} No guess was made.", kept)
        return
    when = "After the result was shown, you guessed" if kept["late"] else "You guessed"
    _show(f"{said} {when} {in_words(kept['guess'])}: {how_far_off(kept['guess'], result)}.", kept)


def value(given: Any, choices: Sequence[str] | None = None, order: Sequence[str] | None = None) -> Value:
    """What is meant by a guess. Raises `ValueError`.

    >>> value(5e5), value("O", choices=["X", "O"]), value("b, a", order=["a", "b"])
    (500000, 'O', ('b', 'a'))
    """
    if choices:
        if given in list(choices):
            return str(given)
        raise NoGuess(f"Choose one of {_listed(choices)}, not {given!r:.50}.")
    if order:
        parts = str(given).split(",") if not isinstance(given, list | tuple) else given
        ordered = tuple(str(part).strip() for part in parts)
        if sorted(ordered) == sorted(order):
            return ordered
        raise NoGuess(f"Put these in order, each of them once: {_listed(order)}.")
    number = None if isinstance(given, bool) else heuristics.number(given)
    if number is None or not abs(number) < MOST:
        raise NoGuess(f"Write a number, such as 500000 or 0.5, without commas or quotes, not {given!r:.50}.")
    return int(number) if number == int(number) else number


def _listed(options: Sequence[str]) -> str:
    return ", ".join(f'"{option}"' for option in options)


def _show(words: str, record: dict[str, Any]) -> None:
    """Show a sentence, which screen readers say, with the record of the guess."""
    from IPython import display as ipython

    display: Any = ipython.display  # which has no types
    html = f'<div role="status"><p>{escape(words)}</p></div>'
    display({"text/plain": words, "text/html": html, MIME: dict(record)}, raw=True)


def in_words(value: Value) -> str:
    """A guess or a result as text.

    >>> in_words(549946), in_words(0.58499), in_words("the centre"), in_words(("rules", "random"))
    ('549,946', '0.585', '“the centre”', 'rules, random')
    """
    if isinstance(value, str):
        return f"“{value}”"
    if isinstance(value, tuple):
        return ", ".join(value)
    long = f"{value:,.0f}" if 1000 <= abs(value) < 10**15 else f"{value:.4g}"
    return long.replace("-", "−")


def how_far_off(guess: Value, truth: Value) -> str:
    """How far off a guess was: a factor for large numbers, a difference up to 100, and for an order its right pairs.

    >>> how_far_off(500_000, 549_946), how_far_off(45, 57.2), how_far_off(("a", "b", "c"), ("b", "a", "c"))
    ('too low by a factor of 1.1', 'too low by 12.2', '2 of the 3 pairs are in the right order')
    """
    if guess == truth or in_words(guess) == in_words(truth):  # a guess can't know more digits than are shown
        return "right"
    if isinstance(guess, tuple) and isinstance(truth, tuple) and sorted(guess) == sorted(truth):
        pairs = list(combinations(truth, 2))
        right = sum(guess.index(one) < guess.index(other) for one, other in pairs)
        return f"{right} of the {len(pairs)} pairs are in the right order"
    if isinstance(guess, str | tuple) or isinstance(truth, str | tuple):
        return "not right"
    side = "low" if guess < truth else "high"
    if guess <= 0 or truth <= 1 or max(guess, truth) <= SMALL:
        return f"too {side} by {in_words(abs(guess - truth))}"
    factor = max(guess / truth, truth / guess)
    if factor < 1.05:
        return f"too {side} by {100 * abs(guess - truth) / truth:.1g} %"
    return f"too {side} by a factor of {f'{factor:.2g}' if factor < 100 else in_words(round(factor))}"
