"""Guess, then see: records a guess before the result is shown, and says how far off it was.

    guess(nodes=...)             as in a lesson: a field for your guess
    reveal("nodes", counted)     shows the result next to the guess

A cell's output contains a record of the guess, of type `MIME`. When a cell runs again, JupyterLab's page sends
the records in its output (`jupyter/lab.js`), so a guess survives a restart.
"""

from collections.abc import Mapping, Sequence
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
from ttt import heuristics
from ttt.board import Board
from ttt.search.search import count_phrase
from ttt.svg import Picture

display: Any = ipython.display  # untyped
MIME = "application/vnd.ttt.guess+json"
CELL = "cell "  # a guessed cell is a text with this prefix
SMALL = 100  # up to this size, numbers are compared by difference
WIDE = 540  # pixels; width of the scale for guess and result
MOST = 10**100  # a guess must be smaller in size
HOW = {
    "number": "Type a number and press Guess.",
    "between": "Move the slider and press Guess.",
    "choices": "Choose one.",
    "board": "Click a cell.",
    "order": "Press the names in order, first to last. Press a name again to take it back.",
}

Value = int | float | str | tuple[str, ...]  # a number, a choice or a cell, an order
_kept: dict[str, dict[str, Any]] = {}  # the record of each question, by name, while the kernel runs


def _record(name: str) -> dict[str, Any]:
    """A question's record: the latest guess, the result once shown, and whether the guess came after it."""
    return _kept.setdefault(name, {"name": name, "guess": None, "truth": None, "late": False})


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
        between: the ends of a range, for a slider.
        board: choose one of its free cells.
        named: three dots, or the guess, under its name.

    Raises `ValueError` for a value that is not a guess of this kind.
    """
    if len(named) != 1:
        raise NoGuess("Give one guess by name, such as `guess(nodes=...)`.")
    [(name, given)] = named.items()
    asked = Guess(name, choices=choices, order=order, between=between, board=board)
    if given is not ...:
        asked.take(given)
    asked.show()


def reveal(name: str, truth: object) -> None:
    """Show a result next to the guess with this name, and how far off it was.

    The result is a number, a choice, an ordered list, a cell, or a set of cells that are all right.
    """
    others = [other for other, record in _kept.items() if record["guess"] is not None and name not in _kept]
    kept = _record(name)
    guessed = kept["guess"]
    result = kept["truth"] = _result(truth, guessed)
    said, picture = "You didn't guess.", ""
    if guessed is not None:
        when = "After seeing the result, you guessed" if kept["late"] else "You guessed"
        said = f"{when} {in_words(guessed)}: {how_far_off(guessed, result)}."
        picture = _scale(guessed, result)
    elif others:
        said = f"There is no guess called `{name}`, only {', '.join(f'`{other}`' for other in others)}."
    heading = f"{'The order is:' if isinstance(result, tuple) else 'It is'} {in_words(result)}."
    told = f"<p><strong>{prose(heading)}</strong></p> <p>{prose(said)}</p>{picture}"
    _show(f"{heading} {said}", card("you strip scale" if picture else "you strip", told), kept)


def _result(truth: Any, guessed: Value | None) -> Value:
    if isinstance(truth, set | frozenset):
        return CELL + " or ".join(map(str, sorted(truth)))
    if isinstance(truth, list | tuple):
        return tuple(map(str, truth))
    if isinstance(truth, str):
        return truth
    number = value(truth)
    return f"{CELL}{number}" if str(guessed).startswith(CELL) else number


class Guess(Panel):
    """The input for a guess: a field, a slider, a button per choice, a board, or names to put in order."""

    def __init__(self, name: str, **kinds: Any) -> None:
        super().__init__()
        self._name, self._kept = name, _record(name)
        self._kinds = {kind: given for kind, given in kinds.items() if given is not None}
        self._kind = next(iter(self._kinds), "number")
        self._placed: list[str] = []  # the names put in order so far
        self._slid = sum(kinds["between"] or ()) / 2
        self._sent = _sent()
        before = [dict(self._kept), *(self._sent or ())]
        self._kept["guess"] = None
        for record in before:
            if record["name"] == name and record["guess"] is not None and self._kept["guess"] is None:
                with suppress(ValueError):  # the question may have changed
                    self.take(record["guess"])
                    self._kept["late"] = record["late"]
        self._refresh()

    def take(self, given: Any) -> None:
        """Take a guess. Raises `ValueError` for a value that is not a guess of this kind."""
        guessed, kept = value(given, **self._kinds), self._kept
        kept["late"] |= kept["truth"] is not None and guessed != kept["guess"]
        kept["guess"] = guessed
        self._placed = list(guessed) if isinstance(guessed, tuple) else []
        self._refresh()

    def show(self, update: bool = False) -> None:
        """Show the question and, for later readers of the notebook, the guess with its record."""
        if not update:
            display(self)
        html = f'<p class="ttt-kept">{escape(repr(self))}</p>'
        _show(repr(self), html, self._kept, display_id=f"guess-{self.model_id}", update=update)

    def on_guess(self, given: Any) -> None:
        """Take a guess from the page: a form with a number, or the text of a button or cell."""
        if isinstance(given, Mapping):
            given = given["guess"]
        if self._kind in ("number", "between"):
            number = parse_number(given)
            given = given if number is None else number
        self.take(given)
        self.show(update=True)

    on_play = on_guess

    def on_slide(self, number: float) -> None:
        self._slid = number
        self._refresh()

    def on_place(self, name: str) -> None:
        """Put a name in the next place, or take it back; the last remaining name is placed automatically."""
        if name in self._placed:
            self._placed.remove(name)
        else:
            self._placed.append(name)
        left = [other for other in self._kinds["order"] if other not in self._placed]
        if len(left) < 2:
            self.on_guess([*self._placed, *left])
        self._refresh()

    def __repr__(self) -> str:
        guessed, name = self._kept["guess"], self._name
        if guessed is None:
            return f"Not guessed yet. {HOW[self._kind]}"
        late = " (You made it after seeing the result.)" if self._kept["late"] else ""
        written = f"{guessed:_}" if isinstance(guessed, int) else repr(guessed)
        keep = "" if self._sent is not None else f" To keep it, write `{name}={written}` in this cell."
        return f"Your guess: {in_words(guessed)}.{late}{keep}"

    def _refresh(self) -> None:
        self.html = f'<div class="guess">{getattr(self, f"_{self._kind}")()}</div>'
        self.say(repr(self))

    def _number(self) -> str:
        given = attributes(type="text", name="guess", size=12, autocomplete="off", value=self._kept["guess"])
        written = f"<label>Your guess <input{given}></label> <button>Guess</button>"
        return f'<form data-do="guess" class="verbs">{written}</form>'

    def _between(self) -> str:
        low, high = self._kinds["between"]
        step, places = (1, 0) if high - low >= 10 else (0.01, 2)
        slid = f"{self._slid:.{places}f}"
        ends = attributes(
            type="range", data_do="slide", min=low, max=high, step=step, value=slid, aria_label="Your guess"
        )
        chosen = button(f"Guess {slid}", "guess", data_value=slid)
        return f'<div class="verbs"><span>{in_words(low)} <input{ends}> {in_words(high)}</span> {chosen}</div>'

    def _choices(self) -> str:
        buttons = ""
        for choice in self._kinds["choices"]:
            pressed = str(choice == self._kept["guess"]).lower()
            buttons += button(choice, "guess", data_value=choice, aria_pressed=pressed)
        return f'<div class="verbs">{buttons}</div>'

    def _board(self) -> str:
        chosen = self._kept["guess"]
        hint = chosen and int(chosen.removeprefix(CELL))
        scene = Scene(self._kinds["board"], hint=hint, playable=True, numbers=True)
        return board_html(scene).replace(", hint", ", your guess")  # a guess looks like a hint

    def _order(self) -> str:
        """A button for each name, with its place. Buttons don't move, so that quick presses hit the right name."""
        places, buttons = {name: f"{place}. " for place, name in enumerate(self._placed, 1)}, ""
        for at, name in enumerate(self._kinds["order"]):
            given = {"data_value": name, "data_at": f"0 0 {at}", "aria_pressed": str(name in places).lower()}
            buttons += button(f"{places.get(name, '')}{name}", "place", tabindex=-1, **given)
        return f'<div class="verbs">{buttons}</div>'


def _sent() -> list[dict[str, Any]] | None:
    """The records in the cell's previous output; None if the page doesn't send them."""
    with suppress(AttributeError, KeyError, TypeError):  # not JupyterLab, or the lab's extension is missing
        shell: Any = get_ipython()
        records: list[dict[str, Any]] = shell.kernel.get_parent()["metadata"]["ttt_guesses"]
        return records
    return None


def value(given: Any, **options: Any) -> Value:
    """Convert a guess to its value. Raises `ValueError`.

    >>> value(5e5), value("O", choices=["X", "O"]), value(4, board=Board()), value(["b", "a"], order=["a", "b"])
    (500000, 'O', 'cell 4', ('b', 'a'))
    """
    choices, order, between, board = map(options.get, ("choices", "order", "between", "board"))
    refused = f"not {given!r:.50}."
    if choices:
        if given in list(choices):
            return str(given)
        raise NoGuess(f"Choose one of {_listed(choices)}, {refused}")
    if order:
        parts = str(given).split(",") if not isinstance(given, list | tuple) else given
        ordered = tuple(str(part).strip() for part in parts)
        if sorted(ordered) == sorted(order):
            return ordered
        raise NoGuess(f"Put these in order, each exactly once: {_listed(order)}.")
    if board is not None:
        cells = {str(cell): cell for cell in board.moves}
        if (cell := str(given).removeprefix(CELL)) in cells:
            return f"{CELL}{cell}"
        raise NoGuess(f"Choose a free cell, one of {', '.join(cells)}, {refused}")
    number = None if isinstance(given, bool) else heuristics.as_number(given)
    if number is None or not abs(number) < MOST:
        raise NoGuess(f"Write a number, such as 500000 or 0.5, without quotes, {refused}")
    if between and not between[0] <= number <= between[1]:
        raise NoGuess(f"Guess a number from {between[0]} to {between[1]}, {refused}")
    return int(number) if number == int(number) else number


def _listed(options: Sequence[str]) -> str:
    return ", ".join(f'"{option}"' for option in options)


def _show(words: str, html: str, record: Mapping[str, Any], **where: Any) -> None:
    """Show a sentence, with the record of the guess attached."""
    display({"text/plain": words, "text/html": html, MIME: dict(record)}, raw=True, **where)


def in_words(value: Value) -> str:
    """A guess or a result as text.

    >>> in_words(549946), in_words(0.58499), in_words("the centre"), in_words("cell 4"), in_words(("rules", "random"))
    ('549,946', '0.585', '“the centre”', 'cell 4', 'rules, random')
    """
    if isinstance(value, str):
        return value if value.startswith(CELL) else f"“{value}”"
    if isinstance(value, tuple):
        return ", ".join(value)
    long = f"{value:,.0f}" if 1000 <= abs(value) < 10**15 else f"{value:.4g}"
    return long.replace("-", "−")


def how_far_off(guess: Value, truth: Value) -> str:
    """How far off a guess was: a difference up to 100, beyond it per cent or a factor; for an order, the right pairs.

    >>> how_far_off(500_000, 549_946), how_far_off(45, 57.2), how_far_off(1000, 549_946)
    ('9 % too low', '12.2 too low', 'the result is 550 times as large')
    >>> how_far_off("cell 4", "cell 0 or 4"), how_far_off(("a", "b", "c"), ("b", "a", "c"))
    ('right', '2 of 3 pairs in the right order')
    """
    if guess == truth or in_words(guess) == in_words(truth):  # equal in all digits shown
        return "right"
    if isinstance(guess, tuple) and isinstance(truth, tuple) and sorted(guess) == sorted(truth):
        pairs = list(combinations(truth, 2))
        right = sum(guess.index(first) < guess.index(second) for first, second in pairs)
        return f"{right} of {count_phrase(len(pairs), 'pair')} in the right order"
    if isinstance(guess, str | tuple) or isinstance(truth, str | tuple):
        cells = str(truth).removeprefix(CELL).split(" or ")
        return "right" if str(guess).removeprefix(CELL) in cells else "not right"
    side = "low" if guess < truth else "high"
    if guess <= 0 or truth <= 1 or max(guess, truth) <= SMALL:
        return f"{in_words(abs(guess - truth))} too {side}"
    factor = max(guess / truth, truth / guess)
    if factor < 2:
        percent = 100 * abs(guess - truth) / truth
        return f"{percent:.{1 if percent < 10 else 2}g} % too {side}"
    times = f"{factor:.2g}" if factor < 100 else in_words(round(factor))
    return f"{'the result' if guess < truth else 'your guess'} is {times} times as large"


def _scale(guess: Value, truth: Value) -> str:
    """Draw guess and result as two marks on one scale that starts at 0, if they are numbers."""
    if isinstance(guess, str | tuple) or isinstance(truth, str | tuple) or not (guess or truth):
        return ""
    low, high = min(0, guess, truth), max(0, guess, truth)
    zero, at, known = (8 + (WIDE - 16) * (number - low) / (high - low) for number in (0, guess, truth))
    marks = (
        f'<path d="M8 10H{WIDE - 8}M{zero:.1f} 4v12" fill="none" stroke="var(--line,#bbb)" stroke-width="2"/>'
        f'<path d="M{min(at, known):.1f} 10H{max(at, known):.1f}" stroke="var(--you,#8045bd)" stroke-width="4"/>'
        f'<path d="M{known:.1f} 2l8 8-8 8-8-8z" fill="var(--ink,#555)"/>'
        f'<circle cx="{at:.1f}" cy="10" r="6" fill="var(--you,#8045bd)" stroke="var(--page,#fff)" stroke-width="2"/>'
    )
    words = f"your guess {in_words(guess)}, the result {in_words(truth)}"
    return str(Picture(WIDE, 20, marks, "Your guess and the result on one scale, from 0", words))
