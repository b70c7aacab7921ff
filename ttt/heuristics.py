"""Heuristics: a number for a board, seen from one player's side; higher is better for that player."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from decimal import Decimal
from math import isfinite
from numbers import Integral, Real
from typing import Any

from ttt.board import Board, Line, Mark, opponent, require_board

Heuristic = Callable[[Board, Mark], Any]  # students write these; `number` judges what they return
TOO_LARGE = 10**15  # in size; no heuristic comes near it


class HeuristicError(TypeError):
    """A heuristic returned something that is not a number."""


def open_for(board: Board, player: Mark) -> tuple[Line, ...]:
    """The lines that a player can still complete: those without a mark of the other side, as cells.

    An empty line is open for both sides, and a player's own full line is open for that player.

    >>> open_for(Board.from_text("X-- -O- ---"), "X")
    ((0, 1, 2), (6, 7, 8), (0, 3, 6), (2, 5, 8))
    """
    require_board(board, "open_for()")
    rival = opponent(player)
    return tuple(cells for cells, marks in zip(board.line_cells, board.lines, strict=True) if rival not in marks)


def open_lines(board: Board, player: Mark) -> int:
    """Heuristic 2: the lines still open for the player, minus the lines still open for the opponent.

    Source: the Flash lab, section 1, "Heuristic function 2".

    >>> open_lines(Board.from_text("X-- -O- ---"), "X")
    -1
    """
    require_board(board, "open_lines()")
    return len(open_for(board, player)) - len(open_for(board, opponent(player)))


def number(answer: object) -> int | float | None:
    """The plain int or float that a heuristic's answer stands for, or None where the answer is not a number.

    Numbers are int, float, Fraction, Decimal, and numpy's integers and floats. Not numbers are True and False
    (numpy's too), text, None, complex numbers, lists, arrays and other containers, NaN, and infinity. Fractions,
    decimals and numpy's floats become floats; one too large for a float is not a number either.

    >>> number(Decimal("0.5")), number(10**30) == 10**30, number(True), number("3"), number(float("inf"))
    (0.5, True, None, None, None)
    """
    if isinstance(answer, bool):
        return None
    if isinstance(answer, Integral):
        return int(answer)
    if isinstance(answer, (Real, Decimal)):
        with suppress(OverflowError, ValueError):  # a Fraction too large for a float; Decimal's signalling NaN
            plain = float(answer)
            return plain if isfinite(plain) else None
    return None


def wrong_kind(answer: object) -> str:
    """What is wrong with the kind of answer that a heuristic gives, as the exercises name it; "" if it is a number.

    >>> wrong_kind(3), wrong_kind(None), wrong_kind("3"), wrong_kind((3,)), wrong_kind(True)
    ('', 'nothing returned', 'text returned', 'tuple returned', 'no number')
    """
    if answer is None:
        return "nothing returned"
    if isinstance(answer, str):
        return "text returned"
    if isinstance(answer, (tuple, list)):
        return "tuple returned"
    found = number(answer)
    if found is None:
        return "no number"
    return "" if abs(found) < TOO_LARGE else "number too large"


def value(heuristic: Heuristic, board: Board, player: Mark) -> float:
    """What a heuristic says about a board, as a plain number. Raises `HeuristicError` where it says something else."""
    answer = heuristic(board, player)
    found = number(answer)
    if found is None:
        name = getattr(heuristic, "__name__", "The heuristic")
        advice = "is its return missing?" if answer is None else "it must be a finite number."
        raise HeuristicError(f"{name} returned {answer!r} for {board!r}: {advice}")
    return found


def move_values(heuristic: Heuristic, board: Board) -> dict[int, float]:
    """For each free cell, the heuristic's value for the side to move once it has played there.

    >>> move_values(open_lines, Board())
    {0: 3, 1: 2, 2: 3, 3: 2, 4: 4, 5: 2, 6: 3, 7: 2, 8: 3}
    """
    require_board(board, "move_values()")
    return {cell: value(heuristic, board.play(cell), board.turn) for cell in board.moves if not board.over}
