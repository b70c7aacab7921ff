"""What all boards of one shape share: cells, lines and layout, computed once. In a bit mask, bit n is cell n.

>>> board_shape((3, 3), 3).line_cells[-1]
(2, 4, 6)
"""

from collections.abc import Iterable, Iterator
from functools import cache
from itertools import product
from math import prod

Line = tuple[int, ...]  # the cells that win together

MAX_CELLS, MAX_DIMENSIONS = 10_000, 6  # of a board: its lines take seconds to find
MAX_CACHED_SETS = 1 << 16  # sets of taken cells whose free cells are cached


class BoardShape:
    """A kind of board: its shape, how many in a row win, and what follows from these two."""

    def __init__(self, shape: tuple[int, ...], k: int) -> None:
        self.shape = shape
        self.k = k
        self.size = prod(shape)
        self.full = (1 << self.size) - 1  # all cells
        self.bits = tuple(1 << cell for cell in range(self.size))
        self.free = FreeCells(self.bits)
        self.places = tuple(product(*map(range, shape)))  # the coordinates of each cell
        self.cells: dict[object, int] = {place: cell for cell, place in enumerate(self.places)}
        self.cells |= {cell: cell for cell in range(self.size)}  # cells by coordinates and by index
        self.line_cells = tuple(dict.fromkeys(self._lines()))
        self.slices = tuple(
            slice(line[0], line[-1] + 1, line[-1] - line[-2] if k > 1 else 1) for line in self.line_cells
        )
        self.lines = tuple(map(mask_of, self.line_cells))  # as bit masks
        through: list[list[int]] = [[] for _ in self.bits]
        for cells, line in zip(self.line_cells, self.lines, strict=True):
            for cell in cells:
                through[cell].append(line)
        self.through = tuple(map(tuple, through))

    def _lines(self) -> Iterator[Line]:
        """Yield every line: from each cell in each direction, if k cells fit on the board."""
        for step in _directions(len(self.shape)):
            for start in self.places:
                places = (tuple(a + n * d for a, d in zip(start, step, strict=True)) for n in range(self.k))
                line = tuple(self.cells[place] for place in places if place in self.cells)
                if len(line) == self.k:
                    yield line

    @property
    def layout(self) -> tuple[int, int, int]:
        """The layout on a page: (layers, rows, columns). A flat board is one layer."""
        *above, rows, columns = (1, *self.shape)
        return prod(above), rows, columns


class FreeCells(dict[int, tuple[int, ...]]):
    """The free cells for each set of taken ones, computed on first use."""

    def __init__(self, bits: tuple[int, ...]) -> None:
        self.bits = bits

    def __missing__(self, taken: int) -> tuple[int, ...]:
        if len(self) == MAX_CACHED_SETS:
            self.clear()
        self[taken] = tuple(cell for cell, bit in enumerate(self.bits) if not taken & bit)
        return self[taken]


board_shape = cache(BoardShape)  # one per shape and k


def mask_of(cells: Iterable[int]) -> int:
    """A set of cells as a bit mask."""
    return sum(1 << cell for cell in cells)


def shape_in_words(shape: tuple[int, ...]) -> str:
    """A shape in words: "4×4×4"."""
    return "×".join(map(str, shape))


def _directions(dimensions: int) -> list[tuple[int, ...]]:
    """The directions from cell to cell, one of each opposite pair: rows, columns, then diagonals."""
    steps = product((-1, 0, 1), repeat=dimensions)
    forward = [step for step in steps if step > (0,) * dimensions]
    return sorted(forward, key=lambda step: (sum(map(abs, step)), [abs(s) for s in step], [-s for s in step]))
