"""Heuristics: a number for a board, seen from one player's side; higher is better for that player."""

from collections.abc import Callable
from contextlib import suppress
from math import inf, isfinite
from numbers import Integral, Number
from typing import Any

from ttt.board import Board, Line, Mark, geometry, opponent, require_board, shown
from ttt.position import Position, play_of, require_position

Heuristic = Callable[[Any, Mark], Any]  # students write these; `number` judges what they return
WIN = 100_000  # what a win counts in a search with a heuristic, whose values must stay below it in size


class HeuristicError(TypeError):
    """A heuristic doesn't fit the board, or what it returned is not a number, or too large a one."""


class LineWeights:
    """A heuristic that weighs lines by their marks: those of the player count for, those of the opponent against it.

    The weights are what a line counts with no mark, with one, and so on up to k; one with marks of both sides counts
    nothing. Raises `HeuristicError` when it is called on a board with another k. Sources: the Flash lab's heuristic
    functions 1, (0, 1, 3, 0), and 2, (0, 1, 1, 1); the 3D project report, (0, 1, 2, 3, 0).

    >>> LineWeights(0, 1, 3, 0)(Board.from_text("XX- -O- ---"), "X")
    2
    """

    def __init__(self, *weights: float) -> None:
        self.weights = weights
        self.__name__ = f"LineWeights{weights}"
        if len(weights) < 2 or any(number(weight) is None for weight in weights):
            raise HeuristicError(f"LineWeights() needs a number for 0, 1 and more marks, not {weights}.")

    def __call__(self, board: Board, player: Mark) -> float:
        require_board(board, str(self))
        rival = opponent(player)
        if len(self.weights) != board.k + 1:
            raise HeuristicError(
                f"{self} has {len(self.weights)} weights; lines of {board.k} cells need {board.k + 1}, from 0 marks on."
            )
        total: float = 0
        for marks in board.lines:
            own, other = marks.count(player), marks.count(rival)
            if not other:
                total += self.weights[own]
            if not own:
                total -= self.weights[other]
        return total

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LineWeights) and self.weights == other.weights

    def __hash__(self) -> int:
        return hash(self.weights)

    def __repr__(self) -> str:
        return self.__name__


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


def gain(board: Board) -> dict[int, int]:
    """For each free cell, what a mark there gains the side to move at once, by lines weighed 1, 10, 100 and so on.

    A mark gains what the cell's lines become worth to its own side, and what they lose for the other. Source: the 3D
    project report weighs lines by their marks; the powers of ten are ours.

    >>> gain(Board.from_text("XX- OO- ---"))[5]
    11
    """
    own, other = (board.x, board.o) if board.turn == "X" else (board.o, board.x)
    through = geometry(board.shape, board.k).through
    return {
        cell: sum([gained((own & line).bit_count(), (other & line).bit_count()) for line in through[cell]])
        for cell in board.moves
    }


def gained(own: int, other: int) -> int:
    """What a mark gains in a line with so many marks of either side: built on, spoiled for the other, or dead."""
    if other:
        return 0 if own else 10 ** (other - 1)
    return 10**own - 10 ** (own - 1) if own else 1


def number(answer: object) -> int | float | None:
    """The plain int or float that an answer stands for, or None where it is no number.

    Numbers are int, float, Fraction, Decimal, and numpy's integers and floats; True, NaN, infinity, and a fraction too
    large for a float are none.

    >>> number(0.5), number(10**30) == 10**30, number(True), number("3"), number(float("inf"))
    (0.5, True, None, None, None)
    """
    if isinstance(answer, bool) or not isinstance(answer, Number):
        return None
    if isinstance(answer, Integral):
        return int(answer)
    real: Any = answer
    with suppress(OverflowError, ValueError, TypeError):  # a large Fraction; Decimal's signalling NaN; a complex number
        if isfinite(real):
            return float(real)
    return None


def value(heuristic: Heuristic, board: Position, player: Mark, below: float = inf) -> float:
    """What a heuristic says about a board, as a plain number.

    Raises `HeuristicError` where it says something else, or a number that is not below the limit in size.
    """
    answer = heuristic(board, player)
    worth = number(answer)
    if worth is not None and abs(worth) < below:
        return worth
    advice = "is its return missing?" if answer is None else "it must be a finite number."
    if worth is not None:
        advice = f"a win counts {below:,}, and an unfinished board must count less, between -{below:,} and {below:,}."
    name = getattr(heuristic, "__name__", "The heuristic")
    raise HeuristicError(f"{name} returned {shown(answer)} for {shown(board)}: {advice}")


def move_values(heuristic: Heuristic, board: Position) -> dict[Any, float]:
    """For each move, the heuristic's value for the side to move once it has played it.

    >>> move_values(open_lines, Board())
    {0: 3, 1: 2, 2: 3, 3: 2, 4: 4, 5: 2, 6: 3, 7: 2, 8: 3}
    """
    require_position(board, "move_values()")
    play = play_of(board)
    return {move: value(heuristic, play(board, move), board.turn) for move in board.moves if not board.over}
