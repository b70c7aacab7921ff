"""Heuristics by name: the package's, weights of lines, and functions in your own files."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any

from ttt.board import Board, Mark
from ttt.heuristics import Heuristic, open_lines
from ttt.limits import explained
from ttt.loader import NoPlayer, load, sources
from ttt.players.cube import open_lines_worth

MAY_CHANGE = "may change"  # the version of a function whose source isn't known


class BadSweep(ValueError):
    """What was asked for is not a grid of searches; the message says what to do."""


@dataclass(frozen=True)
class LineWeights:
    """A heuristic: a line with n marks of one side alone is worth weights[n] to it, and as much less to the other.

    Args:
        weights: for 0, 1, 2, … marks, up to one less than win, since a completed line ends the game.

    >>> LineWeights((0, 1, 5))(Board.from_text("XX- --- --O"), "X")
    5
    """

    weights: tuple[int, ...]

    def __call__(self, board: Board, player: Mark) -> int:
        """What a board is worth to a player."""
        return open_lines_worth(board, player, self.weights)

    def __str__(self) -> str:
        return f"line-weights:{','.join(map(str, self.weights))}"


@dataclass(frozen=True)
class FileHeuristic:
    """A heuristic in your own file, which carries its source, so that workers on other machines can run it.

    Args:
        file: the name of a program or a notebook.
        name: the function in it.
        sources: the source text of the program, or of each code cell, by a name for it.
    """

    file: str
    name: str
    sources: tuple[tuple[str, str], ...]

    def __call__(self, board: Board, player: Mark) -> Any:
        """What the function says. Raises `BadSweep` where it fails."""
        function = _loaded(self)
        try:
            return function(board, player)
        except Exception as error:
            raise BadSweep(f"On {board!r}, {explained(error, str(self))}.") from None

    def __str__(self) -> str:
        return f"{self.file}:{self.name}"

    @property
    def __name__(self) -> str:
        return str(self)


CUBE_WEIGHTS = LineWeights((0, 1, 10, 100))  # what the 4×4×4 engine has built in
HEURISTICS: dict[str, Heuristic | None] = {"none": None, "open-lines": open_lines}


def heuristic_from(text: str) -> Heuristic | None:
    """The heuristic that a text names: none, open-lines, line-weights:0,1,3, or your own as FILE.py:NAME.

    line-weights has the worth of a line with 0, 1, 2, … marks of one side alone; see `LineWeights`. A notebook can be
    named in place of a program: FILE.ipynb:NAME. Raises `BadSweep`.

    >>> heuristic_from("line-weights:0,1,3")
    LineWeights(weights=(0, 1, 3))
    """
    path, colon, name = text.rpartition(":")
    if path == "line-weights":
        try:
            return LineWeights(tuple(map(int, name.split(","))))
        except ValueError:
            raise BadSweep(f"{text!r} needs whole numbers, such as line-weights:0,1,3.") from None
    if colon and not name:
        raise BadSweep(f"{text!r} lacks the name of a function: write {text}NAME.")
    if not colon:
        more = " Or write line-weights:0,1,3, or FILE.py:NAME for your own."
        return HEURISTICS[known(text, HEURISTICS, "heuristic", more)]
    try:
        heuristic = FileHeuristic(Path(path).name, name, tuple(sources(Path(path)).items()))
    except NoPlayer as error:
        raise BadSweep(str(error)) from None
    _loaded(heuristic)
    return heuristic


def name_of(heuristic: Heuristic | None) -> str:
    """The name of a heuristic: its text, or a function's own name."""
    if heuristic is None:
        return "none"
    if isinstance(heuristic, (LineWeights, FileHeuristic)):
        return str(heuristic)
    return getattr(heuristic, "__name__", "heuristic").strip("<>").replace("_", "-")


def version_of(heuristic: Heuristic | None) -> str:
    """A digest of a heuristic's source, "" for the package's own; what a function does may change at any time."""
    if isinstance(heuristic, FileHeuristic):
        texts = [text for _, text in heuristic.sources]  # wherever the file is
        return hashlib.sha256(repr(texts).encode()).hexdigest()
    of_the_package = isinstance(heuristic, LineWeights) or heuristic in HEURISTICS.values()
    return "" if of_the_package else MAY_CHANGE


@cache
def _loaded(heuristic: FileHeuristic) -> Heuristic:
    """The function, which each process loads once."""
    missing = f"There is no heuristic {heuristic}: the file must define a function {heuristic.name}(board, player)."
    try:
        return load(dict(heuristic.sources), heuristic.name)
    except NoPlayer as error:
        raise BadSweep(f"{missing} {error}") from None


def known(name: str, names: Iterable[str], kind: str, more: str = "") -> str:
    """The name, if it is one of these. Raises `BadSweep`."""
    every = list(names)
    if name not in every:
        close = get_close_matches(str(name), every, n=1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        raise BadSweep(f"There is no {kind} {name!r}.{hint} Choose from {', '.join(every)}.{more}")
    return name
