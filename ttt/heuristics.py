"""Heuristics: a number for a board, from one player's point of view; higher is better for that player."""

from collections.abc import Callable
from contextlib import suppress
from math import inf, isfinite
from numbers import Integral, Number
from typing import Any

from ttt.board import Board, Mark, own_and_other, require_board
from ttt.geometry import Line
from ttt.position import Position, require_attributes
from ttt.words import short_repr

Heuristic = Callable[[Any, Mark], Any]  # written by students; `as_number` validates what they return
WIN_VALUE = 100_000  # worth of a win in a search with a heuristic, whose values must be smaller in size


class HeuristicError(TypeError):
    """A heuristic doesn't fit the board, or returned something that is not a number or is too large."""


class LineWeights:
    """A heuristic that weighs lines by their marks: the player's lines count for the player, the opponent's against.

    The weights are for lines with no mark, one mark, and so on up to k; a line with marks of both sides counts 0.
    Raises `HeuristicError` if called on a board with another k. Sources: the Flash lab's heuristic functions 1,
    (0, 1, 3, 0), and 2, (0, 1, 1, 1); the 3D project report, (0, 1, 2, 3, 0).

    >>> LineWeights(0, 1, 3, 0)(Board.from_text("XX- -O- ---"), "X")
    2
    """

    def __init__(self, *weights: float) -> None:
        self.weights = weights
        self.__name__ = f"LineWeights{weights}"
        if len(weights) < 2 or any(as_number(weight) is None for weight in weights):
            raise HeuristicError(f"`LineWeights()` needs one number each for 0, 1 and more marks, not {weights}.")

    def __call__(self, board: Board, player: Mark) -> float:
        require_board(board, str(self))
        own, other = own_and_other(board, player)
        if len(self.weights) != board.k + 1:
            raise HeuristicError(
                f"{self} has {len(self.weights)} weights, but on a board with `k={board.k}` it needs {board.k + 1}."
            )
        total: float = 0
        for line in board.line_masks:  # an empty line counts as much for one side as for the other
            mine, theirs = line & own, line & other
            if mine and not theirs:
                total += self.weights[mine.bit_count()]
            elif theirs and not mine:
                total -= self.weights[theirs.bit_count()]
        return total

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LineWeights) and self.weights == other.weights

    def __hash__(self) -> int:
        return hash(self.weights)

    def __repr__(self) -> str:
        return self.__name__


def open_for(board: Board, player: Mark) -> tuple[Line, ...]:
    """The lines a player can still complete, as cells: those without a mark of the other side.

    An empty line is open for both sides, and a player's own full line is open for that player.

    >>> open_for(Board.from_text("X-- -O- ---"), "X")
    ((0, 1, 2), (6, 7, 8), (0, 3, 6), (2, 5, 8))
    """
    require_board(board, "open_for()")
    _, other = own_and_other(board, player)
    return tuple(cells for cells, line in zip(board.line_cells, board.line_masks, strict=True) if not line & other)


def open_lines(board: Board, player: Mark) -> int:
    """Heuristic 2: the number of lines still open for the player minus the number still open for the opponent.

    Source: the Flash lab, section 1, "Heuristic function 2".

    >>> open_lines(Board.from_text("X-- -O- ---"), "X")
    -1
    """
    require_board(board, "open_lines()")
    own, other = own_and_other(board, player)
    lines = board.line_masks
    return sum([not line & other for line in lines]) - sum([not line & own for line in lines])


def gain(board: Board) -> dict[int, int]:
    """The immediate gain of a mark in each free cell for the side to move, with lines weighed 1, 10, 100 and so on.

    A mark gains what its lines become worth to its own side plus what they lose for the other side.

    >>> gain(Board.from_text("XX- OO- ---"))[5]
    11
    """
    require_board(board, "gain()")
    own, other = own_and_other(board, board.turn)
    return {
        cell: sum([gained((own & line).bit_count(), (other & line).bit_count()) for line in board.lines_through(cell)])
        for cell in board.moves
    }


def gained(own: int, other: int) -> int:
    """The gain of a mark in a line with these numbers of marks: building, spoiling, or nothing in a dead line."""
    if other:
        return 0 if own else 10 ** (other - 1)
    return 10**own - 10 ** (own - 1) if own else 1


def as_number(answer: object) -> int | float | None:
    """Convert an answer to a plain int or float; None if it is not a number.

    Numbers are int, float, Fraction, Decimal, and numpy's integers and floats, but not True, NaN, infinity or a
    fraction too large for a float.

    >>> as_number(0.5), as_number(10**30) == 10**30, as_number(True), as_number("3"), as_number(float("inf"))
    (0.5, True, None, None, None)
    """
    if type(answer) is int or (type(answer) is float and isfinite(answer)):
        return answer  # nearly always; `isinstance` takes several times as long
    if isinstance(answer, bool) or not isinstance(answer, Number):
        return None
    if isinstance(answer, Integral):
        return int(answer)
    real: Any = answer
    with suppress(OverflowError, ValueError, TypeError):  # a large Fraction; Decimal's signalling NaN; a complex number
        if isfinite(real):
            return float(real)
    return None


def heuristic_value(heuristic: Heuristic, board: Position, player: Mark, below: float = inf) -> float:
    """A heuristic's value for a board, as a plain number.

    Raises `HeuristicError` if the heuristic returns anything else, or a number not smaller in size than `below`.
    """
    answer = heuristic(board, player)
    worth = as_number(answer)
    if worth is not None and abs(worth) < below:
        return worth
    if worth is not None:
        advice = f"a win counts {below:,}, so an unfinished board must count between -{below:,} and {below:,}."
    elif answer is None:
        advice = "is its `return` missing?"
    else:
        advice = "it must be a finite number."
    name = getattr(heuristic, "__name__", "The heuristic")
    raise HeuristicError(f"{name} returned {short_repr(answer)} for {short_repr(board)}: {advice}")


def move_values(heuristic: Heuristic, board: Position) -> dict[Any, float]:
    """The heuristic's value after each move, for the side that makes the move.

    >>> move_values(open_lines, Board())
    {0: 3, 1: 2, 2: 3, 3: 2, 4: 4, 5: 2, 6: 3, 7: 2, 8: 3}
    """
    require_attributes(board, "move_values()")
    return {move: heuristic_value(heuristic, board.play(move), board.turn) for move in board.moves if not board.over}
