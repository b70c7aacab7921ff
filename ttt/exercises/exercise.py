"""An exercise as students get it: boards with their values, hints, and how its mistakes are named."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from functools import cache, cached_property
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any

from ttt.board import Board, Line, Mark

ENUMERABLE = 6000  # positions; of games with more, some are drawn from random games
DRAWN = 5000  # positions from random games
PROBED = 400  # positions, seen from both sides, that a function is asked about besides the cases

Question = tuple[Board, Mark]  # a board, and the player to see it from


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
    """A mistake in a function.

    Args:
        name: a short name, always the same for the same mistake.
        sentence: what the student who made it is told.
        drawings: where it shows on the board that the student is shown.
    """

    name: str
    sentence: str
    drawings: tuple[Drawing, ...] = ()


@dataclass(frozen=True)
class Exercise:
    """What students get of an exercise.

    Args:
        name: the exercise's name, which is also that of the function to be written.
        shape, k: the board it is about.
        cases: what the check asks, the simplest boards first.
        worked: what the notebook works out by hand.
        hints: each tells a little more than the one before.
        named_by: the module of `ttt.exercises` whose `diagnosed(exercise, values)` names a mistake, from the values
            that a function gives on the `probes`; "" if none does.
        probed: the right values on the `probes`.
        everywhere: the digest of the right values on all questions.
        made_from: a digest of the settings that the exercise was worked out from.
    """

    name: str
    shape: tuple[int, ...]
    k: int
    cases: tuple[Case, ...]
    worked: tuple[Case, ...]
    hints: tuple[str, ...]
    named_by: str = ""
    made_from: str = ""
    probed: tuple[int, ...] = ()
    everywhere: str = ""

    @property
    def questions(self) -> Iterator[Question]:
        """Every position, seen from both sides."""
        return ((board, player) for board in positions(self.shape, self.k) for player in "XO")

    @cached_property
    def probes(self) -> tuple[Question, ...]:
        """What a function is asked: the cases, and then boards from the whole game."""
        boards = positions(self.shape, self.k)
        some = boards[:: max(1, len(boards) // PROBED)]
        asked = [(case.board, case.player) for case in self.cases]
        return tuple(dict.fromkeys([*asked, *((board, player) for board in some for player in "XO")]))

    def diagnosed(self, values: Sequence[float], shown: Question) -> Mistake | None:
        """The mistake of a function that gives these values on the probes, or None if no explanation is exact.

        Args:
            shown: the board that the student is shown, on which the mistake is drawn if it can be.
        """
        with suppress(ImportError):  # where a module needs numpy, and there is none
            if self.named_by:
                named: Mistake | None = import_module(f"ttt.exercises.{self.named_by}").diagnosed(self, values, shown)
                return named
        return None

    def to_json(self) -> str:
        """The exercise as text, from which `from_json` makes it again, each case in a line."""
        data = asdict(self)
        several = {name: data.pop(name) for name in ("cases", "worked", "hints")}
        head = json.dumps(data, ensure_ascii=False, default=_text)[:-1]
        rows = [
            f'"{name}": [\n {rows}\n]'
            for name, some in several.items()
            for rows in [",\n ".join(json.dumps(one, ensure_ascii=False, default=_text) for one in some)]
        ]
        return ",\n".join([head, *rows]) + "}\n"

    @classmethod
    def from_json(cls, text: str) -> Exercise:
        """The exercise that a text describes."""
        data: dict[str, Any] = json.loads(text)
        shape, k = tuple(data["shape"]), data["k"]
        cases, worked = (tuple(_case(case, shape, k) for case in data[name]) for name in ("cases", "worked"))
        rest = {name: tuple(data[name]) for name in ("hints", "probed")}
        return cls(**data | rest | {"shape": shape, "cases": cases, "worked": worked})


def digest_of_values(values: Iterable[float | None]) -> str:
    """A digest of numbers, the same for equal ones of any type. It tells whether they are right, but not what is."""
    return sha256(" ".join("none" if value is None else f"{float(value):.9g}" for value in values).encode()).hexdigest()


@cache
def positions(shape: tuple[int, ...], k: int) -> tuple[Board, ...]:
    """All positions of the game, the simplest first; of a larger game those of random games, the same ones each time.

    >>> len(positions((3, 3), 3))
    5478
    """
    start = Board(shape, k)
    boards = _first_positions(start, ENUMERABLE + 1)
    if len(boards) > ENUMERABLE:
        return tuple(_random_positions(start, Random(1)))
    return tuple(sorted(boards, key=lambda board: (len(board) - len(board.moves), board.x, board.o)))


def _first_positions(start: Board, most: int) -> list[Board]:
    """The positions with the fewest marks, so many at most."""
    boards, known = [start], {start}
    for board in boards:  # which grows meanwhile
        following = () if board.over else map(board.play, board.moves)
        for after in following:
            if len(boards) == most:
                return boards
            if after not in known:
                known.add(after)
                boards.append(after)
    return boards


def _random_positions(start: Board, rng: Random) -> list[Board]:
    boards = {start: None}
    while len(boards) < DRAWN:
        board = start
        while not board.over:
            board = board.play(rng.choice(board.moves))
            boards[board] = None
    return sorted(boards, key=lambda board: len(board) - len(board.moves))


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


STOPS = "stops with an error"  # the name of the mistake where the sentence is Python's own, with the line

# Mistakes in what kind of answer a function gives, whichever exercise it is; `heuristics.wrong_kind` tells them apart.
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
        Mistake("number too large", "Your function returns too large a number. Return one below 10¹⁵ in size."),
        Mistake("endless loop", "Your function gives no answer in time: is there an endless loop?"),
        Mistake(
            "the board changed",
            "Your function tries to change the board. It should only look at it: leave the board as it is.",
        ),
        Mistake(
            "state kept between calls",
            "Called twice with the same board, your function returns two different values. Something is left to "
            "chance, or kept from one call to the next: set your counters to 0 inside the function, and use no list or "
            "dict from outside it.",
        ),
    )
}
