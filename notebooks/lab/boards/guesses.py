"""Guess, then see: records a guess before the result is shown, and says how far off it was.

A cell's output contains a record of the guess, of type `MIME`. When a cell runs again, JupyterLab's page sends
the records in its output (`jupyter/lab.js`), so a guess survives a restart.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from contextlib import suppress
from html import escape
from itertools import combinations
from typing import Any

from IPython import display as ipython
from IPython import get_ipython

from lab.boards.board_view import Scene, board_html
from lab.boards.panel import Panel, attributes, button
from lab.drawing.cards import card, prose
from lab.drawing.words import parse_number
from lab.page import told_by_page
from ttt.board import Board
from ttt.heuristics import as_number
from ttt.words import count_phrase

display: Any = ipython.display  # untyped
MIME = "application/vnd.ttt.guess+json"
VERDICTS = {"right": ("✓ ", "good"), "not right": ("✗ ", "soon")}  # the sign of a distance, and the edge of its card
MAX_GUESS = 10**100  # a guess is closer to 0 than this
MAX_BY_DIFFERENCE = 100  # up to this size, numbers are compared by difference


class NoGuess(ValueError):
    """A guess is not valid; the message says what would be."""


def guess(
    *,
    choices: Sequence[str] | None = None,
    order: Sequence[str] | None = None,
    between: tuple[float, float] | None = None,
    board: Board | None = None,
    **named: object,
) -> None:
    """Guess a number, one of several choices, an order or a cell, before you see the result.

    As long as the value is three dots, you make your guess below the cell. `reveal` with the same name shows the
    result.

    Args:
        choices: what to choose from.
        order: what to put in order.
        between: the smallest and the largest number to guess.
        board: choose one of its free cells.
        named: three dots, or the guess, under its name.

    Raises `ValueError` for a value that is not a guess of this kind.
    """
    if len(named) != 1:
        raise NoGuess("Give one guess by name, such as `guess(nodes=...)`.")
    [(name, given)] = named.items()
    kinds = [(ChoiceGuess, choices), (OrderGuess, order), (CellGuess, board)]
    kind, options = next((one for one in kinds if one[1] is not None), (NumberGuess, between))
    asked: Guess = kind(name, options)
    if given is not ...:
        asked.take(given)
    if get_ipython() is not None:
        display(asked)
    asked.keep()


def reveal(name: str, truth: object) -> None:
    """Show a result next to the guess with this name, and how far off it was.

    The result is a number, a choice, an ordered list, a cell, or a set of cells that are all right.
    """
    question = _asked.get(name)
    guessed = question.guessed if question else None
    kind, result = _as_result(truth, question)
    edge = "you"
    compared = verdict = picture = ""  # without a guess only the result, as readers of a stored lesson see it
    if question and guessed is not None:
        distance = question.distance(guessed, result) if isinstance(question, kind) else "not right"
        sign, edge = VERDICTS.get(distance, ("", "you"))
        compared, verdict = f"You guessed {question.in_words(guessed)}:", f"{sign}{distance}."
        if isinstance(question, NumberGuess) and kind is NumberGuess:
            picture = question.scale(guessed, result)
    elif not question and (others := [f"`{other}`" for other in _asked if _asked[other].guessed is not None]):
        compared = f"There is no guess called `{name}`, only {', '.join(others)}."
    heading = f"{'The order is:' if kind is OrderGuess else 'It is'} {kind.in_words(result)}."
    said = prose(compared) + (f' <span class="verdict">{prose(verdict)}</span>' if verdict else "")
    parts = "".join(f"<p>{part}</p> " for part in (f"<strong>{prose(heading)}</strong>", said) if part)
    shown = card(f"{edge} strip scale" if picture else f"{edge} strip", f"{parts.rstrip()}{picture}")
    _show(f"{heading} {compared} {verdict}".rstrip(), {"text/html": shown})


def _as_result(truth: Any, question: Guess | None) -> tuple[type[Guess], Any]:
    """The result as the answer to a kind of question. One cell is a number, so the question says what it is."""
    if isinstance(truth, set | frozenset):
        return CellGuess, truth
    if isinstance(truth, list | tuple):
        return OrderGuess, tuple(map(str, truth))
    if isinstance(truth, str):
        return ChoiceGuess, truth
    return (CellGuess, {truth}) if isinstance(question, CellGuess) else (NumberGuess, read_number(truth))


class Guess(Panel):
    """The input for a guess, and the guess. A kind of question knows what counts as one, and how to word it."""

    read: Callable[[Any], Any]  # the guess that is meant. Raises `NoGuess`
    asked: Callable[[], str]  # the input as HTML
    in_words: Callable[[Any], str]  # a guess or a result as text
    how: str  # how to make one, in a sentence or two

    def __init__(self, name: str, options: Any) -> None:
        super().__init__()
        self.name, self.options, self.sent = name, options, told_by_page("ttt_guesses")
        self.guessed: Any = None  # the latest guess
        earlier = [record["guess"] for record in self.sent or () if record["name"] == name]
        if name in _asked:
            earlier.append(_asked[name].guessed)
        _asked[name] = self
        for given in earlier:
            with suppress(NoGuess):  # there was none, or the question has changed
                self.take(given)
        self.refresh()

    def distance(self, guess: Any, truth: Any) -> str:
        """How far off a guess was, in words."""
        return "right" if guess == truth else "not right"

    def take(self, given: Any) -> None:
        """Take a guess. Raises `NoGuess`."""
        self.guessed = self.read(given)
        self.refresh()

    def when_guess(self, given: Any) -> None:
        self.take(given)
        self.keep(update=True)

    def keep(self, update: bool = False) -> None:
        """Show the guess with its record, for later readers of the notebook."""
        html, record = f'<p class="ttt-kept">{escape(repr(self))}</p>', {"name": self.name, "guess": self.guessed}
        data = {"text/html": html, MIME: record}
        _show(repr(self), data, display_id=f"guess-{self.model_id}", update=update)

    def refresh(self) -> None:
        self.html = f'<div class="guess">{self.asked()}</div>'
        self.say(repr(self), "guess")

    def __repr__(self) -> str:
        guessed = self.guessed
        if guessed is None:
            return f"{self.how} Not guessed yet."
        written = f"{guessed:_}" if isinstance(guessed, int) else repr(guessed)
        keep = "" if self.sent is not None else f" To keep it, write `{self.name}={written}` in this cell."
        return f"Your guess: {self.in_words(guessed)}.{keep}"


_asked: dict[str, Guess] = {}  # the latest question with each name, while the kernel runs


class NumberGuess(Guess):
    """A number to type, in a range if `options` holds the ends of one."""

    def __init__(self, name: str, options: Any) -> None:
        self.limits = f" from {self.in_words(options[0])} to {self.in_words(options[1])}" if options else ""
        self.how = f"Type a number{self.limits}."
        super().__init__(name, options)

    def read(self, given: Any) -> int | float:
        number = read_number(given)
        if self.options and not self.options[0] <= number <= self.options[1]:
            raise NoGuess(f"Guess a number{self.limits}, not {number}.")
        return number

    def when_guess(self, given: Any) -> None:
        number = parse_number(given["guess"])
        super().when_guess(given["guess"] if number is None else number)

    def asked(self) -> str:
        words = f"Number{self.limits}"
        given = attributes(type="text", name="guess", size=12, autocomplete="off", value=self.guessed, aria_label=words)
        send = "<button>Guess</button>" if self.guessed is None else '<button type="submit">Change guess</button>'
        return f'<form data-do="guess" class="verbs"><input{given}> {send}</form>'

    @staticmethod
    def in_words(value: float) -> str:
        """A number in at most four digits that count, or a whole one in all of them.

        >>> [NumberGuess.in_words(value) for value in (549946, 0.58499, -3, 2e20)]
        ['549,946', '0.585', '−3', '2e+20']
        """
        long = f"{value:,.0f}" if 1000 <= abs(value) < 10**15 else f"{value:.4g}"
        return long.replace("-", "−")

    def distance(self, guess: float, truth: float) -> str:
        """A difference for numbers up to 100, beyond it per cent or a factor."""
        if self.in_words(guess) == self.in_words(truth):  # equal in all digits shown
            return "right"
        side = "low" if guess < truth else "high"
        if guess <= 0 or truth <= 1 or max(guess, truth) <= MAX_BY_DIFFERENCE:
            return f"{self.in_words(abs(guess - truth))} too {side}"
        factor = max(guess / truth, truth / guess)
        if factor < 2:
            percent = 100 * abs(guess - truth) / truth
            return f"{percent:.1g} % too {side}" if percent < 9.5 else f"{percent:.0f} % too {side}"
        times = f"{factor:.2g}" if factor < 99.5 else self.in_words(round(factor))
        return f"{'the result' if guess < truth else 'your guess'} is {times} times as large"

    def scale(self, guess: float, truth: float) -> str:
        """Guess and result as two marks on one scale, which has 0 and the question's limits on it.

        All places are in per cent, so the scale is as wide as its card and its numbers are as large as the text.
        """
        low, high = (choose(0, guess, truth, *(self.options or ())) for choose in (min, max))
        if low == high:
            return ""
        zero, at, known = (f"{100 * (number - low) / (high - low):.1f}%" for number in (0, guess, truth))
        share = (truth - low) / (high - low)
        named = f'<text class="known" x="{known}" y="32">{self.in_words(truth)}</text>' if 0.15 < share < 0.85 else ""
        words = f"From {self.in_words(low)} to {self.in_words(high)}: your guess is at {at}, the result at {known}"
        return (
            f'<svg role="img" height="36"><title>{words}</title><line x2="100%" y1="10" y2="10"/>'
            f'<line x1="{zero}" x2="{zero}" y1="4" y2="16"/><line class="off" x1="{at}" x2="{known}" y1="10" y2="10"/>'
            f'<svg x="{known}"><path d="M0 2l8 8-8 8-8-8z"/></svg><circle cx="{at}" cy="10" r="6"/>'
            f'<text y="32">{self.in_words(low)}</text><text x="100%" y="32">{self.in_words(high)}</text>{named}</svg>'
        )


class ChoiceGuess(Guess):
    """A button for each choice."""

    how = "Choose one."

    def read(self, given: Any) -> str:
        if given not in list(self.options):
            raise NoGuess(f"Choose one of {_listed(self.options)}, not {given!r:.50}.")
        return str(given)

    @staticmethod
    def in_words(value: str) -> str:
        return value if value in ("X", "O") else f"“{value}”"

    def asked(self) -> str:
        buttons = ""
        for choice in self.options:
            pressed = str(choice == self.guessed).lower()
            buttons += button(choice, "guess", data_value=choice, aria_pressed=pressed)
        return f'<div class="verbs">{buttons}</div>'


class CellGuess(Guess):
    """A board, to choose one of its free cells."""

    how = "Click a cell."

    def read(self, given: Any) -> int:
        cells = {str(cell): cell for cell in self.options.moves}
        if str(given) not in cells:
            raise NoGuess(f"Choose a free cell, one of {', '.join(cells)}, not {given!r:.50}.")
        return int(cells[str(given)])

    when_play = Guess.when_guess

    def asked(self) -> str:
        scene = Scene(self.options, hint=self.guessed, hint_name="your guess", playable=True, numbers=True)
        return board_html(scene)

    @staticmethod
    def in_words(value: int | Set[int]) -> str:
        """A cell, or all the cells that are right."""
        return f"cell {' or '.join(map(str, [value] if isinstance(value, int) else sorted(value)))}"

    def distance(self, guess: int, truth: Set[int]) -> str:
        return "right" if guess in truth else "not right"


class OrderGuess(Guess):
    """Names to press in order; `placed` holds those that have a place so far."""

    how = "Press the names in order, first to last. Press a name again to take it back."

    def __init__(self, name: str, options: Any) -> None:
        self.placed: list[str] = []
        super().__init__(name, options)

    def read(self, given: Any) -> tuple[str, ...]:
        parts = given if isinstance(given, list | tuple) else str(given).split(",")
        ordered = tuple(str(part).strip() for part in parts)
        if sorted(ordered) != sorted(self.options):
            raise NoGuess(f"Put these in order, each exactly once: {_listed(self.options)}.")
        self.placed = list(ordered)
        return ordered

    def when_place(self, name: str) -> None:
        """Put a name in the next place, or take it back; the last remaining name is placed automatically."""
        if name in self.placed:
            self.placed.remove(name)
        else:
            self.placed.append(name)
        left = [other for other in self.options if other not in self.placed]
        if len(left) < 2:
            self.when_guess([*self.placed, *left])
        self.refresh()

    def asked(self) -> str:
        """A button for each name, with its place. Buttons don't move, so that quick presses hit the right name."""
        places, buttons = {name: f"{place}. " for place, name in enumerate(self.placed, 1)}, ""
        for at, name in enumerate(self.options):
            given = {"data_value": name, "data_at": f"0 0 {at}", "aria_pressed": str(name in places).lower()}
            buttons += button(f"{places.get(name, '')}{name}", "place", tabindex=-1, **given)
        return f'<div class="verbs">{buttons}</div>'

    @staticmethod
    def in_words(value: Sequence[str]) -> str:
        return ", ".join(value)

    def distance(self, guess: tuple[str, ...], truth: tuple[str, ...]) -> str:
        """How many pairs are in the right order."""
        if guess == truth or sorted(guess) != sorted(truth):
            return super().distance(guess, truth)
        pairs = list(combinations(truth, 2))
        right = sum(guess.index(first) < guess.index(second) for first, second in pairs)
        return f"{right} of {count_phrase(len(pairs), 'pair')} in the right order"


def read_number(given: Any) -> int | float:
    """A number as a plain int or float. Raises `NoGuess`.

    >>> read_number(5e5)
    500000
    """
    number = as_number(given)
    if number is None or abs(number) >= MAX_GUESS:
        raise NoGuess(f"Write a number, such as 500000 or 0.5, without quotes, not {given!r:.50}.")
    return int(number) if number == int(number) else number


def _listed(options: Sequence[str]) -> str:
    return ", ".join(f'"{option}"' for option in options)


def _show(words: str, data: Mapping[str, Any], **where: Any) -> None:
    """Show a sentence, with `data` for the page; in a plain script, just print it."""
    if get_ipython() is None:
        print(words)
    else:
        display({"text/plain": words, **data}, raw=True, **where)
