"""In which order a search tries the moves. The better the first ones, the more alpha-beta can cut off."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from ttt.board import Board, geometry

Order = Callable[[Board], tuple[int, ...]]


def row_major(board: Board) -> tuple[int, ...]:
    """The free cells in the order of their numbers."""
    return board.moves


def most_lines(board: Board) -> tuple[int, ...]:
    """The cells with the most lines through them first, whatever marks these lines have.

    >>> most_lines(Board())
    (4, 0, 2, 6, 8, 1, 3, 5, 7)
    """
    free = frozenset(board.moves)
    return tuple(cell for cell in _by_lines(board.shape, board.k) if cell in free)


def best_gain(board: Board) -> tuple[int, ...]:
    """The cells with the largest gains first.

    >>> best_gain(Board.from_text("XX- OO- ---"))
    (2, 5, 6, 8, 7)
    """
    gains = gain(board)
    return tuple(sorted(gains, key=lambda cell: -gains[cell]))


def gain(board: Board) -> dict[int, int]:
    """For each free cell, what a mark there gains the side to move at once.

    A line that only one side has marks in is worth 1, 10, 100 … to it for one, two, three … marks. A mark gains what
    the cell's lines become worth to its own side, and what they lose for the other. Source: the 3D project report
    weighs lines by their marks; the powers of ten are ours.

    >>> gain(Board.from_text("XX- OO- ---"))[5]
    11
    """
    own, other = (board.x, board.o) if board.turn == "X" else (board.o, board.x)
    through = geometry(board.shape, board.k).through
    return {
        cell: sum(gained((own & line).bit_count(), (other & line).bit_count()) for line in through[cell])
        for cell in board.moves
    }


def gained(own: int, other: int) -> int:
    """What a mark gains in a line with so many marks of either side: built on, spoiled for the other, or dead."""
    if other:
        return 0 if own else 10 ** (other - 1)
    return 10**own - 10 ** (own - 1) if own else 1


ORDERS: dict[str, Order] = {"row-major": row_major, "most-lines": most_lines, "best-gain": best_gain}


@cache
def _by_lines(shape: tuple[int, ...], k: int) -> tuple[int, ...]:
    """All cells, those with the most lines through them first."""
    through = geometry(shape, k).through
    return tuple(sorted(range(len(through)), key=lambda cell: -len(through[cell])))
