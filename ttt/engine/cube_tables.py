"""What the 4×4×4 engine looks up: the lines through each cell, and what a stone changes in a line.

All of it is derived once, from the board's own lines, as flat tuples of whole numbers: plain Python reads them as they
are, and numba as arrays.
"""

from __future__ import annotations

from functools import cache

from ttt.board import Board
from ttt.search.ordering import gained, most_lines
from ttt.symmetry import automorphisms

CUBE = Board(shape=(4, 4, 4))
CELLS = 64
LINES = 76
CODES = 16  # a line's code is X's count + 4·O's, each 3 at most: the fourth would have ended the game
SLOT = 28  # a cell's entry: seven lines at most, each with its number and its three other cells

WEIGHTS = (0, 1, 10, 100)  # what a line is worth to the one side that has marks in it, by their number
WIN = 100_000  # and 1 more for each ply that was left
WINNING = 1 << 20  # the gain of a mark that completes a line; more than all other gains together
TAKEN = -(1 << 40)  # the gain of a cell that has a mark, whatever is added to it
INFINITE = 1 << 40


def _gain(own: int, other: int) -> int:
    """What a mark gains its side in a line with so many marks of either side: built on, spoiled, or dead."""
    return WINNING if own == 3 and not other else gained(own, other)


def _counts(side: int, code: int) -> tuple[int, int]:
    """A side's own marks in a line, and the other's; side 0 is X."""
    marks = (code % 4, code // 4)
    return marks[side], marks[1 - side]


def _worth(own: int, other: int) -> int:
    """What a line is worth to a side by its marks of either side."""
    if own and other:
        return 0
    return WEIGHTS[own] - WEIGHTS[other]


def _change(side: int, code: int, seen_by: int) -> int:
    """How a stone of a side changes what the free cells of a line gain one of the sides."""
    own, other = _counts(side, code)
    if own == 3 or own + other > 3:
        return 0  # such a stone is never placed: it wins, or there is no room for it
    if seen_by == side:
        return _gain(own + 1, other) - _gain(own, other)
    return _gain(other, own + 1) - _gain(other, own)


def _lines_through(cell: int) -> list[int]:
    return [number for number, line in enumerate(CUBE.line_cells) if cell in line]


def _slot(cell: int) -> list[int]:
    """A cell's lines, each with its other cells, and zeros up to the length of a slot."""
    numbers = []
    for line in _lines_through(cell):
        numbers += [line, *(other for other in CUBE.line_cells[line] if other != cell)]
    return numbers + [0] * (SLOT - len(numbers))


BIT = tuple(1 << cell if cell < CELLS - 1 else -(1 << cell) for cell in range(CELLS))  # as a signed 64-bit number
ORDERED = (*CUBE.moves, *most_lines(CUBE))  # the cells in row-major order, and then those with the most lines first
IN_ROW_MAJOR, IN_MOST_LINES, IN_BEST_GAIN = 0, CELLS, -1  # where an order starts there; the last one isn't fixed
THROUGH = tuple(number for cell in range(CELLS) for number in _slot(cell))
ENDS = tuple(SLOT * cell + 4 * len(_lines_through(cell)) for cell in range(CELLS))
WORTH = tuple(_worth(*_counts(0, code)) for code in range(CODES))  # of a line, to X, by its code
OWN_CHANGE = tuple(_change(side, code, side) for side in (0, 1) for code in range(CODES))
OTHER_CHANGE = tuple(_change(side, code, 1 - side) for side in (0, 1) for code in range(CODES))

SYMMETRIES = 192


@cache
def images() -> tuple[int, ...]:
    """For each of the 192 symmetries, the cell that each cell goes to."""
    return tuple(cell for image in automorphisms(CUBE) for cell in image)
