"""How an exercise's function is asked, and how its answer is taken: as plain data that can be compared.

A function may be given a heuristic. Then what it asks the heuristic, in order, is part of its answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b, sha256
from typing import Any

from ttt.board import Board, BoardError, Line, Mark
from ttt.exercises.wording import listed
from ttt.heuristics import Heuristic, number, open_lines, wrong_kind
from ttt.players import Player, PlayerError

Question = tuple[Any, ...]  # a board, and what else the function is given, as plain data
Value = int | float | str | tuple[int, ...] | None  # what a function returned, as plain data
A_MOVE = "a free cell"  # what is right where any legal move is

# ------------------------------------------------------------------------------------------- the heuristics it is given


def heuristic(name: str) -> Heuristic:
    """The heuristic that a question names: "open-lines", or made-up numbers, as "numbers to 9, seed".

    Made-up numbers are whole, from -9 to 9 for instance, and depend on the board, the player and the seed alone. With
    few of them there are many ties. Raises `ValueError` for any other name.

    >>> heuristic("numbers to 9, spring")(Board(), "X") == heuristic("numbers to 9, spring")(Board(), "X")
    True
    """
    if name == "open-lines":
        return open_lines
    words, _, seed = name.partition(", ")
    _, _, most = words.partition("numbers to ")
    if not most.isdigit():
        raise ValueError(f"There is no heuristic {name!r}: it is open-lines, or numbers to N, seed.")
    return made_up(int(most), seed)


def made_up(most: int, seed: str) -> Heuristic:
    """The heuristic that gives each board, for each player, a number from -most to most that nobody can foresee."""
    key = sha256(seed.encode()).digest()

    def made_up_number(board: Board, player: Mark) -> int:
        digest = blake2b(written(board, player).encode(), key=key, digest_size=8).digest()
        return int.from_bytes(digest, "big") % (2 * most + 1) - most

    return made_up_number


def written(board: Board, player: Mark) -> str:
    """What a heuristic is asked, as text: the board's marks and the player."""
    return f"{''.join(board)}{player}"


@dataclass
class Recorded:
    """A heuristic that remembers what it was asked, in order.

    It is given to a student's function, which calls it as any other. Raises `TypeError` for what is no question.
    """

    heuristic: Heuristic
    asked: list[tuple[Board, Mark]] = field(default_factory=list)

    def function(self) -> Heuristic:
        """The function to call, which looks like a plain one."""

        def heuristic(board: Board, player: Mark) -> Any:
            if not isinstance(board, Board) or player not in ("X", "O"):
                raise TypeError(f"heuristic(board, player) needs a Board and 'X' or 'O', not {board!r} and {player!r}.")
            self.asked.append((board, player))
            return self.heuristic(board, player)

        return heuristic


# -------------------------------------------------------------------------------------------------- answers


@dataclass(frozen=True)
class Answer:
    """What a function answered, as plain data.

    Args:
        value: what it returned; None for what is of the wrong type.
        asked: what it asked the heuristic that it was given, in order.
    """

    value: Value
    asked: tuple[tuple[Board, Mark], ...] = ()

    @cached_property
    def digest(self) -> str:
        """A digest of what was asked; "" if nothing was."""
        return digest_of_asked(self.asked)


def digest_of_asked(asked: Iterable[tuple[Board, Mark]]) -> str:
    """A digest of the boards and players in their order, from which they can't be told; "" if there are none."""
    text = " ".join(written(board, player) for board, player in asked)
    return text and sha256(text.encode()).hexdigest()[:16]


def digest_of(answers: Iterable[Answer]) -> str:
    """A digest of answers, the same for equal numbers of any type. It tells whether they are right, but not what is."""
    return sha256(" ".join(map(_answer_text, answers)).encode()).hexdigest()


def _answer_text(answer: Answer) -> str:
    value = "none" if answer.value is None else answer.value
    if isinstance(value, (int, float)):
        value = f"{float(value):.9g}"
    elif isinstance(value, tuple):
        value = ",".join(map(str, value))
    return f"{value}:{answer.digest}" if answer.asked else value


@dataclass(frozen=True)
class Call:
    """A call of a student's function: what it returned, and what it asked its heuristic."""

    returned: object
    asked: tuple[tuple[Board, Mark], ...] = ()


def call(function: Callable[..., Any], takes: Sequence[str], question: Question) -> Call:
    """Ask a function a question. Raises what the function raises.

    Args:
        takes: what the parts of the question are, as in `Exercise`.
    """
    recorded: list[Recorded] = []
    given = []
    for name, part in zip(takes, question, strict=True):
        if name == "heuristic":
            recorded.append(Recorded(heuristic(part)))
            part = recorded[-1].function()
        given.append(part)
    returned = function(*given)
    return Call(returned, tuple(asked for one in recorded for asked in one.asked))


class AnswerType:
    """A type of answer: numbers, unless a subclass says otherwise."""

    right = "the right value"

    def plain(self, returned: object, board: Board) -> Value:
        """What was returned about a board, as plain data; None if it is of the wrong type."""
        return number(returned)

    def wrong(self, returned: object, board: Board) -> str:
        """The name of the mistake in the type of answer; "" if there is none."""
        return wrong_kind(returned)

    def compared(self, right: Value, words: str) -> str:
        """The right answer and, in words, the one that was given, as the rest of a sentence."""
        return f"the right value on this board is {short(right)}; yours is {words}."


class Cells(AnswerType):
    """Cells of the board, in any order and any container."""

    right = "the right cells"

    def plain(self, returned: object, board: Board) -> Value:
        with suppress(TypeError, BoardError):
            if not isinstance(returned, (str, Board)):
                return tuple(sorted({board.cell(cell) for cell in returned}))  # type: ignore[attr-defined]
        return None

    def wrong(self, returned: object, board: Board) -> str:
        if self.plain(returned, board) is not None:
            return ""
        return "nothing returned" if returned is None else "no list of cells"

    def compared(self, right: Value, words: str) -> str:
        return f"{_right_cells(right)} on this board; your function returns {words}."


class Move(AnswerType):
    """A legal move: a free cell, or several with their probabilities. Any of them is right."""

    right = "a legal move"

    def plain(self, returned: object, board: Board) -> Value:
        with suppress(PlayerError):
            return A_MOVE if Player("", lambda _: returned).policy(board) else None
        return None

    def wrong(self, returned: object, board: Board) -> str:
        if self.plain(returned, board):
            return ""
        if returned is None:
            return "nothing returned"
        if isinstance(returned, Mapping):
            return "no probabilities"
        with suppress(TypeError, BoardError):
            return "a taken cell" if board[returned] != "-" else "no cell"  # type: ignore[index]
        return "no cell"

    def compared(self, right: Value, words: str) -> str:
        return f"your function returns {words} on this board."


ANSWER_TYPES = {"number": AnswerType(), "cells": Cells(), "move": Move()}


def short(answer: object) -> str:
    """An answer in a few words."""
    text = repr(answer).replace("-", "−") if type(answer) in (int, float) else repr(answer)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _right_cells(cells: Value) -> str:
    if not isinstance(cells, tuple) or not cells:
        return "no cell is right"
    if len(cells) == 1:
        return f"only cell {cells[0]} is right"
    return f"cells {listed([str(cell) for cell in cells])} are right"


# ------------------------------------------------------------------------------------- mistakes in the type of answer


@dataclass(frozen=True)
class Drawing:
    """Lines to be highlighted on a board, in a player's colour."""

    player: Mark
    caption: str
    lines: tuple[Line, ...]


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


# Where a search returns infinity.
NO_MOVE_COUNTED = (
    "A best value that begins at -inf or inf was never replaced. Test for the end of the game first (a full board is "
    "one, too), begin with -inf where you take max, and with inf where you take min."
)
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
            "no list of cells",
            "Your function returns no list of cells. Return their numbers, such as [0, 4], or [] if there are none.",
        ),
        Mistake(
            "a taken cell",
            "Your function plays in a cell that is taken. board.moves has the free cells: return one of these.",
        ),
        Mistake(
            "no cell",
            "Your function returns something that is not a cell. Return the number of a free cell, one of board.moves.",
        ),
        Mistake(
            "no probabilities",
            "Your function returns a dictionary, and its numbers are not the probabilities of free cells. Return "
            "{cell: probability} with cells from board.moves, and divide each number by their sum, so that they add up "
            "to 1.",
        ),
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
