"""What texts on the command line stand for: numbers, positions, and functions, also those in your own file."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ttt.board import Board
from ttt.exercises.loader import NoPlayer, load, sources
from ttt.heuristics import LineWeights, open_lines
from ttt.runtime.limits import explained
from ttt.statistics import every_position, random_positions

HEURISTICS: dict[str, Callable[..., Any] | None] = {"none": None, "open_lines": open_lines}


@dataclass(frozen=True)
class FromFile:
    """A function in your own file, which carries its source, so that workers on other machines can run it."""

    file: str
    name: str
    sources: tuple[tuple[str, str], ...]

    def __call__(self, *arguments: Any) -> Any:
        """What the function says. Raises `ValueError` where it fails."""
        try:
            return _loaded(self)(*arguments)
        except Exception as error:
            raise ValueError(f"On {arguments[0]!r}, {explained(error, str(self))}.") from None

    def __str__(self) -> str:
        return f"{self.file}:{self.name}"


@cache
def _loaded(own: FromFile) -> Callable[..., Any]:
    """The function, which each process loads once."""
    try:
        return load(dict(own.sources), own.name)
    except NoPlayer as error:
        raise ValueError(f"{own.file} must define a function {own.name}. {error}") from None


def in_file(text: str) -> FromFile:
    """The function that FILE.py:NAME or FILE.ipynb:NAME names. Raises `ValueError`."""
    path, _, name = text.rpartition(":")
    own = FromFile(Path(path).name, name, tuple(sources(Path(path)).items()))
    _loaded(own)
    return own


def heuristic_named(text: str) -> Callable[..., Any] | None:
    """The heuristic that a text names: none, open_lines, LineWeights(0,1,3,9), FILE.py:NAME. Raises `ValueError`."""
    if ":" in text:
        return in_file(text)
    if weights := re.fullmatch(r"LineWeights\(([-\d., ]+)\)", text):
        return LineWeights(*(float(number) if "." in number else int(number) for number in weights[1].split(",")))
    if text not in HEURISTICS:
        more = "LineWeights(0, 1, 3, 9), or FILE.py:NAME for your own"
        raise ValueError(f"There is no {text!r}: choose {', '.join(HEURISTICS)}, {more}.")
    return HEURISTICS[text]


def items(text: str) -> list[str]:
    """What commas part, other than those between brackets."""
    return [item.strip() for item in re.split(r",(?![^(]*\))", text)]


def numbers(text: str) -> list[int]:
    """Whole numbers, such as 1-4 or 1,3,5-7. Raises `ValueError`."""
    found: list[int] = []
    for item in items(text):
        if not re.fullmatch(r"[0-9]+(-[0-9]+)?", item):
            raise ValueError(f"{item!r} is not a number: write 4, 1-6 or 1,3,5.")
        first, _, last = item.partition("-")
        found += range(int(first), int(last or first) + 1)
    return found


def positions_named(text: str, board: Board, seed: int) -> list[Board]:
    """The positions that a text or a file names. Raises `ValueError`."""
    if text == "all":
        return every_position(board)
    if text.startswith("random:"):
        return random_positions(board, numbers(text.removeprefix("random:"))[0], seed)
    lines = Path(text).read_text("utf-8").splitlines() if Path(text).is_file() else items(text)
    return [board if line == "empty" else Board.from_text(line, board.shape, board.k) for line in lines if line.strip()]
