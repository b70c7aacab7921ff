"""An exercise as students get it: boards with their values, and the values that known mistakes give there."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from ttt.board import Board, Line, Mark


@dataclass(frozen=True)
class Drawing:
    """Lines to be highlighted on a board, in a player's colour."""

    player: Mark
    caption: str
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class Case:
    """A board seen from one player's side, with its right value.

    Args:
        explanation: a sentence on what makes up the value.
        terms: the numbers that make up the value, under the names that the notebook gives them.
        drawings: what makes up the value, to be shown on the board.
    """

    board: Board
    player: Mark
    value: int
    explanation: str = ""
    terms: Mapping[str, int] = field(default_factory=dict)
    drawings: Sequence[Drawing] = ()


@dataclass(frozen=True)
class Mistake:
    """A known mistake: its name, a sentence for the student who made it, and the values it gives on the cases."""

    name: str
    sentence: str
    values: tuple[int, ...] = ()


@dataclass(frozen=True)
class Exercise:
    """What students get of an exercise.

    Args:
        name: the exercise's name, which is also that of the function to be written.
        shape, k: the board it is about.
        cases: what the check asks, the simplest boards first.
        worked: what the notebook works out by hand.
        mistakes: the known mistakes that show in the values.
        hints: each tells a little more than the one before.
    """

    name: str
    shape: tuple[int, ...]
    k: int
    cases: tuple[Case, ...]
    worked: tuple[Case, ...]
    mistakes: tuple[Mistake, ...]
    hints: tuple[str, ...]

    def diagnose(self, values: Sequence[object]) -> Mistake | None:
        """The known mistake that gives exactly these values on the cases, or None."""
        return next((mistake for mistake in self.mistakes if list(mistake.values) == list(values)), None)

    def to_json(self) -> str:
        """The exercise as text, from which `from_json` makes it again."""
        return json.dumps(asdict(self), ensure_ascii=False, indent=1, default=_text) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Exercise:
        """The exercise that a text describes."""
        data: dict[str, Any] = json.loads(text)
        shape, k = tuple(data["shape"]), data["k"]
        return cls(
            data["name"],
            shape,
            k,
            tuple(_case(case, shape, k) for case in data["cases"]),
            tuple(_case(case, shape, k) for case in data["worked"]),
            tuple(Mistake(m["name"], m["sentence"], tuple(m["values"])) for m in data["mistakes"]),
            tuple(data["hints"]),
        )


def _text(board: Board) -> str:
    """The board's marks with a space between rows, as `Board.from_text` reads it."""
    columns, marks = board.shape[-1], "".join(board)
    return " ".join(marks[start : start + columns] for start in range(0, len(marks), columns))


def _case(data: Mapping[str, Any], shape: tuple[int, ...], k: int) -> Case:
    drawings = tuple(Drawing(d["player"], d["caption"], tuple(map(tuple, d["lines"]))) for d in data["drawings"])
    return Case(**{**data, "board": Board.from_text(data["board"], shape, k), "drawings": drawings})


def path_of(name: str) -> Path:
    """The file that holds what students get of an exercise."""
    return Path(__file__).with_name(f"{name}.json")


@cache
def load(name: str) -> Exercise:
    """The exercise of that name."""
    return Exercise.from_json(path_of(name).read_text(encoding="utf-8"))


# Mistakes in what kind of answer a function gives, whichever exercise it is.
ANSWER_MISTAKES = {
    mistake.name: mistake
    for mistake in (
        Mistake(
            "printed instead of returned",
            "Your function prints its value but returns None. Printing shows a number on the screen; return hands it "
            "to the code that called the function. Write return instead of print.",
        ),
        Mistake("nothing returned", "Your function returns None. Is a return missing at its end?"),
        Mistake(
            "text returned",
            "Your function returns text. Return the number itself: without quotes, str() or an f-string.",
        ),
        Mistake("tuple returned", "Your function returns a tuple or a list. Return one number."),
        Mistake("no number", "Your function returns something that is not a finite number. Return one number."),
        Mistake(
            "the board changed",
            "Your function tries to change the board. It should only look at it: leave the board as it is.",
        ),
        Mistake(
            "state kept between calls",
            "Called twice with the same board, your function returns two different values. Something is kept from one "
            "call to the next: set your counters to 0 inside the function, and use no list or dict from outside it.",
        ),
    )
}
