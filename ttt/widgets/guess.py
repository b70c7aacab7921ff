"""Guess, then see: a form that keeps a guess in the notebook, and the result beside it, with how far off it was.

A guess lives in three places. The kernel has it as long as it runs. The notebook keeps it among the cell's results, as
text and as a record, so that it is handed in with the notebook. And after a restart it is read from the notebook's
file, if that has been saved since and the front end says where it is, as JupyterLab, Notebook and VS Code do.

The form is there until the result has been shown. Then only the text stays, so that no notebook is left with a form
that nothing answers.
"""

from __future__ import annotations

import json
import math
import os
import sys
from html import escape
from pathlib import Path
from typing import Any

import traitlets
from IPython import display as ipython

from ttt.guesses import MIME, BadGuess, Guess, Value, by_factor, how_far_off, in_notebook, in_words, number
from ttt.svg import INK, Picture, text
from ttt.widgets.snapshot import Announcer, script, style

display: Any = ipython.display  # which has no types
LARGEST = 20 << 20  # bytes of a notebook
WIDTH, EDGE = 440, 30  # of a drawing, in pixels
TICKS = 8  # powers of ten with a number each, at most
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def guess(name: str, value: object = None, *, choices: list[str] | None = None, order: list[str] | None = None) -> None:
    """Ask for a guess before a result is seen: a number, one of several choices, or an order.

    The form below the cell keeps the guess in the notebook. A number may be written as 500000, 500,000, 5e5 or 30 %.
    `reveal` with the same name shows the result beside it.

    Args:
        name: what the guess is called, once in a notebook.
        value: the guess itself, which is then kept without the form.
        choices: what to choose from.
        order: what to put in order.

    Raises `BadGuess` for a value that is no guess of this kind.
    """
    if choices is not None and order is not None:
        raise BadGuess("A guess has choices or an order, not both.")
    if choices is not None:
        asked = Guess(name, "choice", tuple(choices))
    elif order is not None:
        asked = Guess(name, "order", tuple(order))
    else:
        asked = Guess(name)
    question = _question(asked)
    if value is not None:
        question.record = question.record.guessed(value)
    question.ask(with_form=value is None)


def reveal(name: str, truth: object) -> None:
    """Show a result beside the guess of this name, and how far off the guess was.

    Args:
        truth: the number, the right choice, or the list in the right order.

    Raises `BadGuess` for a result of another kind than the guess.
    """
    question = _known(Guess(name).name)
    if question is None:
        _shown[name] = truth
        display(_Shown(f"{_it_is(_plain(truth))} No guess was made.", announced=True))
    else:
        question.reveal(truth)


class GuessForm(Announcer):
    """The form for a guess.

    Args:
        guess: the question, and what was guessed before.
        on_guess: called with what was typed, chosen or put in order. Its errors are shown.
    """

    keep_snapshot = False
    _esm = script("guess.js")
    _css = style("controls.css", "guess.css")

    form = traitlets.Dict().tag(sync=True)  # kind, options, and what was entered last
    asking = traitlets.Bool(True).tag(sync=True)  # whether the form is shown

    def __init__(self, guess: Guess, on_guess: Any) -> None:
        super().__init__()
        self.form = {"kind": guess.kind, "options": list(guess.options), "entry": _entry(guess.latest)}
        self._on_guess = on_guess
        self.on_request("guess", self._guessed, "The form")
        if guess.truth is not None:
            self.say("The result has been shown. A guess from now on is kept beside the first one.")

    def _guessed(self, given: object) -> None:
        try:
            self._on_guess(given)
        except BadGuess as error:
            self.say(str(error), "error")
        else:
            self.form = self.form | {"entry": given}

    def __repr__(self) -> str:
        return "A form for your guess: " + (", ".join(self.form["options"]) or "a number")


def _entry(value: Value | None) -> str | list[str]:
    """What stands in the form for a guess that was made before."""
    if isinstance(value, int | float):
        return f"{value:,}"
    return list(value) if isinstance(value, tuple) else value or ""


class _Question:
    """A question of the notebook: its guess, and where they are shown."""

    def __init__(self, record: Guess) -> None:
        self.record = record
        self._form: GuessForm | None = None
        self._handles: dict[str, Any] = {}

    def ask(self, with_form: bool) -> None:
        """Show the form and the guess."""
        self._close()
        self._handles = {}
        if with_form:
            self._form = GuessForm(self.record, self._keep)
            self._show("form", self._form)
        self._show("guess", _Shown(_told(self.record), self.record))

    def reveal(self, truth: object) -> None:
        """Show the result beside the guess; from now on the form is closed."""
        self.record = self.record.revealed(truth)
        record = self.record
        display(_Shown(_result(record), record, _picture(record.latest, record.truth), announced=True))
        self._close()
        self._update("guess", _Shown(_told(self.record), self.record))

    def _keep(self, given: object) -> None:
        self.record = self.record.guessed(given)
        self._update("guess", _Shown(_told(self.record), self.record))
        if self._form is not None:
            until = " You can change it until the result is shown." if self.record.truth is None else ""
            self._form.say(f"Kept: {in_words(self.record.value(given))}.{until}")

    def _close(self) -> None:
        if self._form is not None:
            self._form.asking = False
            self._form.say(_told(self.record))
            self._update("form", _Shown(""))
            self._form = None

    def _show(self, part: str, shown: object) -> None:
        handle = display(shown, display_id=True)
        if handle is not None:  # outside of a notebook there is none
            self._handles[part] = handle

    def _update(self, part: str, shown: object) -> None:
        if part in self._handles:
            self._handles[part].update(shown)


# By name, as long as the kernel runs: questions, and results of questions that nobody had asked when they were shown.
_questions: dict[str, _Question] = {}
_shown: dict[str, object] = {}


def _question(asked: Guess) -> _Question:
    """The question of this name, with what was guessed in this kernel or before it was started."""
    known = _known(asked.name)
    if known is None or (known.record.kind, known.record.options) != (asked.kind, asked.options):
        known = _questions[asked.name] = _Question(asked)
    if asked.name in _shown:
        known.record = known.record.revealed(_shown.pop(asked.name))
    return known


def _known(name: str) -> _Question | None:
    """The question of this name, if this kernel has asked it or the notebook's file keeps a guess."""
    if name not in _questions and (kept := _in_file(name)) is not None:
        _questions[name] = _Question(kept)
    return _questions.get(name)


def _in_file(name: str) -> Guess | None:
    """The guess that the notebook's file keeps, if the front end says which file that is.

    A result without a guess may be its author's, who keeps results in the notebook, and doesn't count as shown.
    """
    try:
        path = Path(getattr(sys.modules["__main__"], "__vsc_ipynb_file__", "") or os.environ["JPY_SESSION_NAME"])
        if path.suffix != ".ipynb" or path.stat().st_size > LARGEST:
            return None
        kept = in_notebook(json.loads(path.read_text("utf-8"))).get(name)
    except (KeyError, OSError, ValueError, RecursionError):  # no such file, or no notebook
        return None
    return kept if kept is not None and kept.latest is not None else None


# ------------------------------------------------------------------------------------------------- what is shown


class _Shown:
    """A sentence among a cell's results, with the record of a guess and a drawing.

    Args:
        announced: whether screen readers are to say the sentence when it appears.
    """

    def __init__(
        self, words: str, record: Guess | None = None, picture: Picture | None = None, announced: bool = False
    ) -> None:
        self._words, self._record, self._picture = words, record, picture
        self._role = ' role="status"' if announced else ""

    def __repr__(self) -> str:
        return self._words

    def _repr_mimebundle_(self, **_arguments: Any) -> dict[str, Any]:
        record = {} if self._record is None else {MIME: self._record.record}
        html = f"<div{self._role}><p>{escape(self._words)}</p></div>{self._picture or ''}" if self._words else ""
        return {"text/plain": self._words, "text/html": html} | record


def _told(guess: Guess) -> str:
    """What was guessed, and whether that was after the result had been shown; nothing before the first guess."""
    later = "" if guess.later is None else in_words(guess.later)
    if guess.guess is not None:
        before = f"Your guess: {in_words(guess.guess)}."
        return f"{before} Changed after the result was shown: {later}." if later else before
    if later:
        return f"Guessed after the result was shown: {later}."
    return "" if guess.truth is None else "There was no guess before the result was shown."


def _result(guess: Guess) -> str:
    """The result beside the guess."""
    if guess.truth is None or guess.latest is None:
        return f"{_it_is(guess.truth)} No guess was made."
    when = "You guessed" if guess.later is None else "After the result was shown, you guessed"
    return f"{_it_is(guess.truth)} {when} {in_words(guess.latest)}: {how_far_off(guess.latest, guess.truth)}."


def _it_is(truth: Value | None) -> str:
    if truth is None:
        return ""
    return f"The order is: {in_words(truth)}." if isinstance(truth, tuple) else f"It is {in_words(truth)}."


def _plain(truth: object) -> Value:
    """A result as plain data, without knowing the question. Raises `BadGuess`."""
    if isinstance(truth, list | tuple):
        return tuple(map(str, truth))
    return truth if isinstance(truth, str) else number(truth)


def _picture(guess: Value | None, truth: Value | None) -> Picture | None:
    """The guess and the result on a scale, or an order beside the right one; nothing for a choice."""
    if isinstance(guess, tuple) and isinstance(truth, tuple):
        return _orders(guess, truth)
    if isinstance(guess, int | float) and isinstance(truth, int | float):
        return _log_scale(guess, truth) if by_factor(guess, truth) else _scale(guess, truth)
    return None


def _log_scale(guess: float, truth: float) -> Picture:
    """Two positive numbers on a scale of powers of ten."""
    low = math.floor(math.log10(min(guess, truth)))
    high = max(math.ceil(math.log10(max(guess, truth))), low + 1)
    step = math.ceil((high - low) / TICKS)
    ticks = {(n - low) / (high - low): _power_of_ten(n) for n in range(low, high + 1, step)}
    places = [(math.log10(number) - low) / (high - low) for number in (guess, truth)]
    return _strip(ticks, places, (guess, truth))


def _scale(guess: float, truth: float) -> Picture:
    """Two numbers on a scale that has 0 in it, and 1 for numbers between them."""
    low, high = min(guess, truth, 0), max(guess, truth, 0)
    if low == 0 and high <= 1:
        high = 1
    step = 10.0 ** math.floor(math.log10(high - low))
    if high - low < 3 * step:
        step /= 5
    low, high = math.floor(low / step), math.ceil(high / step)
    ticks = {(n - low) / (high - low): in_words(n * step) for n in range(low, high + 1)}
    places = [(number / step - low) / (high - low) for number in (guess, truth)]
    return _strip(ticks, places, (guess, truth))


def _power_of_ten(exponent: int) -> str:
    return f"{10**exponent:,}" if 0 <= exponent <= 6 else f"10{str(exponent).translate(RAISED)}"


def _strip(ticks: dict[float, str], places: list[float], numbers: tuple[float, float]) -> Picture:
    """A scale with its ticks, the guess above it and the result below."""
    across = [EDGE + place * (WIDTH - 2 * EDGE) for place in (*places, *ticks)]
    at_guess, at_truth, *at_ticks = across
    marks = "".join(f"M{x:.1f} 38v8" for x in at_ticks)
    parts = [f'<path d="M{EDGE} 42H{WIDTH - EDGE}{marks}" stroke="{INK["-"]}" stroke-width="2" fill="none"/>']
    parts += [text(x, 62, words, 11) for x, words in zip(at_ticks, ticks.values(), strict=True)]
    parts.append(f'<circle cx="{at_guess:.1f}" cy="42" r="7" fill="none" stroke="{INK["O"]}" stroke-width="3"/>')
    parts.append(f'<circle cx="{at_truth:.1f}" cy="42" r="5" fill="{INK["X"]}"/>')
    parts.append(_label(at_guess, 26, f"you: {in_words(numbers[0])}", INK["O"]))
    parts.append(_label(at_truth, 82, f"it is {in_words(numbers[1])}", INK["X"]))
    words = f"On a scale: your guess {in_words(numbers[0])}, the result {in_words(numbers[1])}"
    return Picture(WIDTH, 92, "".join(parts), "Your guess and the result on a scale", words)


def _label(x: float, y: float, words: str, colour: str) -> str:
    """A text at a place on the scale, which doesn't reach beyond the drawing."""
    half = 4 * len(words)
    return text(min(max(x, half), WIDTH - half), y, words, 13, 700, colour=colour)


def _orders(guess: tuple[str, ...], truth: tuple[str, ...]) -> Picture:
    """The guessed order on the left, the right one on the right, and a line from each item to itself."""
    widest = 8 * max(map(len, truth))
    left, right = widest + 16, widest + 136
    parts = [text(left - 8, 18, "your order", 12, anchor="end"), text(right + 8, 18, "the order", 12, anchor="start")]
    for n, item in enumerate(truth):
        before, after = 44 + 26 * guess.index(item), 44 + 26 * n
        ink = INK["X"] if before == after else INK["O"]
        parts.append(f'<path d="M{left} {before}L{right} {after}" stroke="{ink}" stroke-width="2"/>')
        parts.append(text(left - 8, before + 5, item, 14, anchor="end"))
        parts.append(text(right + 8, after + 5, item, 14, anchor="start"))
    words = f"Your order: {in_words(guess)}. The order: {in_words(truth)}"
    size = right + widest + 16, 44 + 26 * len(truth)
    return Picture(*size, "".join(parts), "Your order and the order that came out", words)
