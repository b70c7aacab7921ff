"""Heuristics: a number for a board, seen from one player's side; higher is better for that player."""

from __future__ import annotations

from collections.abc import Callable
from math import isnan
from numbers import Integral, Real
from typing import Any

from ttt.board import Board, Line, Mark, opponent

Heuristic = Callable[[Board, Mark], Any]  # students write these: what they return is checked by `value`


class HeuristicError(TypeError):
    """A heuristic returned something that is not a number."""


def open_for(board: Board, player: Mark) -> tuple[Line, ...]:
    """The lines that a player can still complete: those without a mark of the other side, as cells.

    An empty line is open for both sides, and a player's own full line is open for that player.

    >>> open_for(Board.from_text("X-- -O- ---"), "X")
    ((0, 1, 2), (6, 7, 8), (0, 3, 6), (2, 5, 8))
    """
    rival = opponent(player)
    return tuple(cells for cells, marks in zip(board.line_cells, board.lines, strict=True) if rival not in marks)


def open_lines(board: Board, player: Mark) -> int:
    """Heuristic 2: the lines still open for the player, minus the lines still open for the opponent.

    Source: the Flash lab, section 1, "Heuristic function 2".

    >>> open_lines(Board.from_text("X-- -O- ---"), "X")
    -1
    """
    return len(open_for(board, player)) - len(open_for(board, opponent(player)))


def value(heuristic: Heuristic, board: Board, player: Mark) -> float:
    """What a heuristic says of a board, made sure to be a number: Python's own, of whatever kind the answer is.

    Raises `HeuristicError` where it is none, with the likely reason.
    """
    answer = heuristic(board, player)
    name = getattr(heuristic, "__name__", "The heuristic")
    if answer is None:
        raise HeuristicError(f"{name} returned None, on {board!r}: is its return missing?")
    if isinstance(answer, Integral):
        return int(answer)
    if not isinstance(answer, Real) or isnan(answer):
        raise HeuristicError(f"{name} returned {answer!r} for {board!r}: it must be a number.")
    return float(answer)


def move_values(heuristic: Heuristic, board: Board) -> dict[int, float]:
    """For each free cell, the heuristic's value for the side to move once it has played there.

    >>> move_values(open_lines, Board())
    {0: 3, 1: 2, 2: 3, 3: 2, 4: 4, 5: 2, 6: 3, 7: 2, 8: 3}
    """
    return {cell: value(heuristic, board.play(cell), board.turn) for cell in board.moves if not board.over}
