"""The board: a position as a value. It knows its lines, whose turn it is, and who has won.

>>> from ttt import Board
>>> board = Board().play(4).play((0, 0))
>>> print(board)
O - -
- X -
- - -
>>> board.turn, board.moves
('X', (1, 2, 3, 5, 6, 7, 8))
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, partial, reduce
from itertools import product
from math import prod
from operator import and_, index
from typing import NoReturn

Mark = str  # "X", "O" or "-"
Line = tuple[int, ...]  # the cells that win together
Cell = int | tuple[int, ...]  # an index, or coordinates

MOST_SETS = 1 << 16  # max. sets of taken cells whose free cells are cached


class BoardError(ValueError):
    """An impossible request to a board; the message says what is possible instead."""


class OffBoard(BoardError, IndexError):
    """The board has no such cell."""


class CellTaken(BoardError):
    """The cell already holds a mark."""


class GameOver(BoardError):
    """No move is left: the game is won or drawn."""


class Board:
    """A position: the marks on the board and everything they imply.

    Cells are numbered from 0 in row-major order, and coordinates are accepted wherever a cell is. X moves first, so
    the marks tell whose turn it is. A board is immutable and hashable: it can be the key of a dictionary.

    Args:
        shape: cells along each side, (rows, columns) or (layers, rows, columns) or more.
        k: how many in a row win; by default the length of the shortest side.
        x, o: each side's cells as bit masks (bit n is cell n), for engines; otherwise use `from_text`.

    Raises `BoardError`, also for marks that no game can reach.

    >>> Board.from_text("X-O -X- --O").play((2, 0)).winner is None
    True
    >>> len(Board(shape=(4, 4, 4)).lines)
    76
    """

    __slots__ = ("_geometry", "_o", "_winner", "_x")
    _geometry: Geometry
    _x: int
    _o: int
    _winner: Mark | None

    def __init__(self, shape: tuple[int, ...] = (3, 3), k: int | None = None, *, x: int = 0, o: int = 0) -> None:
        self._geometry = geometry(*_checked(shape, k))
        try:
            self._x, self._o = index(x), index(o)
        except TypeError:
            raise BoardError(
                f"`x` and `o` must be bit masks (whole numbers), not {x!r} and {o!r}. For text, use `Board.from_text`."
            ) from None
        self._winner = _winner(self._geometry, self._x, self._o)

    @classmethod
    def from_text(cls, text: str, shape: tuple[int, ...] = (3, 3), k: int | None = None) -> Board:
        """Make a board from text: X, O and - in row-major order; spaces, / and line breaks don't matter.

        Raises `BoardError`.

        >>> Board.from_text("X-O / -X- / --O").turn
        'X'
        """
        if not isinstance(text, str):
            raise BoardError(f"`Board.from_text()` needs text such as 'X-O -X- --O', not {text!r}.")
        marks = "".join(text.replace("/", " ").split())
        for mark in marks:
            if mark not in "XO-":
                raise BoardError(f"{mark!r} is not a mark. The marks are X and O, and - for a free cell.")
        sides = _checked(shape, k)[0]
        size = prod(sides)
        if len(marks) != size:
            needed = f"{size} for a {by(sides)} board, not {len(marks)}"
            raise BoardError(f"The text must have one mark (X, O or -) for each cell: {needed}.")
        x, o = (_mask(cell for cell, mark in enumerate(marks) if mark == side) for side in "XO")
        return cls(shape, k, x=x, o=o)

    @property
    def shape(self) -> tuple[int, ...]:
        """Cells along each side: (rows, columns) or (layers, rows, columns)."""
        return self._geometry.shape

    def __len__(self) -> int:
        """The number of cells."""
        return self._geometry.size

    def cell(self, place: Cell, *more: object) -> int:
        """A cell's index, given an index or coordinates. Raises `OffBoard`."""
        if more:
            call = f"play({(place, *more)})"
            raise OffBoard(f"Coordinates must be a tuple, in brackets of their own: write `{call}`.")
        cells, places = self._geometry.cells, self._geometry.places
        try:
            return cells[tuple(map(index, place)) if isinstance(place, tuple) else index(place)]
        except (TypeError, KeyError):
            raise OffBoard(
                f"There is no cell {place!r}. A cell is an index from 0 to {len(places) - 1} "
                f"or coordinates from {places[0]} to {places[-1]}."
            ) from None

    def coordinates(self, cell: Cell) -> tuple[int, ...]:
        """A cell's coordinates: (row, column) or (layer, row, column), from 0 at the top left. Raises `OffBoard`."""
        return self._geometry.places[self.cell(cell)]

    def __getitem__(self, cell: Cell) -> Mark:
        """The mark in a cell: `board[row, column]` or `board[index]`. Raises `OffBoard`."""
        bit = 1 << self.cell(cell)
        return "X" if self._x & bit else "O" if self._o & bit else "-"

    def __setitem__(self, cell: object, mark: object) -> NoReturn:
        raise BoardError("A board never changes: `board.play(cell)` returns a new board.")

    def __iter__(self) -> Iterator[Mark]:
        """The marks of all cells in order."""
        x, o = self._x, self._o
        return iter(["X" if x & bit else "O" if o & bit else "-" for bit in self._geometry.bits])

    @property
    def x(self) -> int:
        """X's cells as a bit mask: bit n is cell n."""
        return self._x

    @property
    def o(self) -> int:
        """O's cells as a bit mask: bit n is cell n."""
        return self._o

    @property
    def moves(self) -> tuple[int, ...]:
        """The free cells."""
        return self._geometry.free[self._x | self._o]

    @property
    def turn(self) -> Mark:
        """Whose turn it is: "X" when both have as many marks, else "O"."""
        return "X" if self._x.bit_count() == self._o.bit_count() else "O"

    def play(self, cell: Cell, *more: object) -> Board:
        """The board after the side to move has marked a free cell, given by index or coordinates, as in `play((1, 2))`.

        Raises `OffBoard`, `GameOver` and `CellTaken`.
        """
        geometry, x, o = self._geometry, self._x, self._o
        if more or type(cell) is not int or not 0 <= cell < geometry.size:
            cell = self.cell(cell, *more)
        bit = 1 << cell
        if self._winner is not None or (x | o) & bit:
            raise self._refusal(cell)
        board = _new(Board)
        board._geometry, board._winner = geometry, None
        if x.bit_count() == o.bit_count():
            player, marks = "X", x | bit
            board._x, board._o = marks, o
        else:
            player, marks = "O", o | bit
            board._x, board._o = x, marks
        for line in geometry.through[cell]:
            if line & marks == line:
                board._winner = player
        return board

    def _refusal(self, cell: int) -> BoardError:
        """Why a cell can't be played."""
        if self.over:
            end = "it was drawn" if self._winner is None else f"{self._winner} has won"
            return GameOver(f"The game is over: {end}.")
        free = ", ".join(map(str, self.moves))
        return CellTaken(f"Cell {cell}, {self.coordinates(cell)}, is taken by {self[cell]}. Free cells: {free}.")

    @property
    def k(self) -> int:
        """How many in a row win."""
        return self._geometry.k

    @property
    def line_cells(self) -> tuple[Line, ...]:
        """Every line as a tuple of its cells: rows first, then columns, then diagonals."""
        return self._geometry.line_cells

    @property
    def lines(self) -> tuple[tuple[Mark, ...], ...]:
        """Every line as a tuple of its marks, in the order of `line_cells`."""
        marks = tuple(self)
        return tuple([marks[cells] for cells in self._geometry.slices])

    @property
    def winner(self) -> Mark | None:
        """The side that has completed a line: "X", "O" or None."""
        return self._winner

    @property
    def winning_lines(self) -> tuple[Line, ...]:
        """The completed lines: none, one, or the few that the last move completed together."""
        full = (self._winner,) * self.k
        return tuple(cells for cells, marks in zip(self.line_cells, self.lines, strict=True) if marks == full)

    @property
    def over(self) -> bool:
        """Whether the game is over: somebody has won, or no cell is free."""
        return self._winner is not None or self._x | self._o == self._geometry.full

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Board):
            return NotImplemented
        return self._x == other._x and self._o == other._o and self._geometry is other._geometry

    def __hash__(self) -> int:
        return hash((self._x, self._o))

    def __reduce__(self) -> tuple[object, ...]:
        return partial(Board, self.shape, self.k, x=self._x, o=self._o), ()

    @property
    def layout(self) -> tuple[int, int, int]:
        """The board's layout on a page: (layers, rows, columns). A flat board is one layer."""
        *above, rows, columns = (1, *self.shape)
        return prod(above), rows, columns

    def in_layers(self, cells: Sequence[str]) -> list[list[Sequence[str]]]:
        """Arrange texts for all cells as layers of rows; a flat board is one layer."""
        _, rows, columns = self.layout
        lines = [cells[start : start + columns] for start in range(0, len(cells), columns)]
        return [lines[start : start + rows] for start in range(0, len(lines), rows)]

    def __str__(self) -> str:
        """The marks, one line of text per row and a blank line between layers; `from_text` reads them back."""
        return "\n\n".join("\n".join(" ".join(row) for row in layer) for layer in self.in_layers(tuple(self)))

    def __repr__(self) -> str:
        """The call that rebuilds the board."""
        details = [] if self.shape == (3, 3) else [f"shape={self.shape}"]
        if self.k != min(self.shape):
            details.append(f"k={self.k}")
        if not self._x:
            return f"Board({', '.join(details)})"
        text = " / ".join(" ".join(map("".join, layer)) for layer in self.in_layers(tuple(self)))
        return f"Board.from_text({', '.join([repr(text), *details])})"

    def _repr_svg_(self) -> str:
        """The drawing that a notebook shows."""
        from ttt.drawing import svg  # deferred until a board is shown

        return str(svg.draw(self))


def opponent(player: Mark) -> Mark:
    """The other side: "O" for "X", and "X" for "O". Raises `BoardError` for anything else."""
    if player == "X":
        return "O"
    if player == "O":
        return "X"
    raise BoardError(f'A player must be "X" or "O", not {player!r}.')


def require_board(board: object, who: str, error: type[Exception] = BoardError) -> None:
    """Raise the error unless this is a board; the message says who needs one."""
    if not isinstance(board, Board):
        advice = "make one with `Board.from_text`"
        if isinstance(board, str):
            advice = f"write `Board.from_text({board!r})`"
        if isinstance(board, type):
            advice = f"write `{board.__name__}()`"
        raise error(f"{who} needs a Board, not {shown(board)}: {advice}.")


def shown(thing: object) -> str:
    """An object's `repr`, without the scope of its class and its memory address."""
    return plain(repr(thing))


def plain(text: str) -> str:
    """Remove the scopes of classes and memory addresses from a text."""
    return re.sub(r"[\w.]*<locals>\.| at 0x\w+", "", text)


class Geometry:
    """What all boards of one shape and k share: cells and lines, computed once, also as bit masks (bit n is cell n)."""

    def __init__(self, shape: tuple[int, ...], k: int) -> None:
        self.shape = shape
        self.k = k
        self.size = prod(shape)
        self.full = (1 << self.size) - 1  # all cells
        self.bits = tuple(1 << cell for cell in range(self.size))
        self.free = Free(self.bits)
        self.places = tuple(product(*map(range, shape)))  # the coordinates of each cell
        self.cells: dict[object, int] = {place: cell for cell, place in enumerate(self.places)}
        self.cells |= {cell: cell for cell in range(self.size)}  # cells by coordinates and by index
        self.line_cells = tuple(dict.fromkeys(self._lines()))
        self.slices = tuple(
            slice(line[0], line[-1] + 1, line[-1] - line[-2] if k > 1 else 1) for line in self.line_cells
        )
        self.masks = tuple(map(_mask, self.line_cells))
        self.through = tuple(tuple(mask for mask in self.masks if mask & bit) for bit in self.bits)

    def _lines(self) -> Iterator[Line]:
        """Yield every line: from each cell in each direction, if k cells fit on the board."""
        for step in _directions(len(self.shape)):
            for start in self.places:
                places = (tuple(a + n * d for a, d in zip(start, step, strict=True)) for n in range(self.k))
                line = tuple(self.cells[place] for place in places if place in self.cells)
                if len(line) == self.k:
                    yield line


class Free(dict[int, tuple[int, ...]]):
    """The free cells for each set of taken ones, computed on first use."""

    def __init__(self, bits: tuple[int, ...]) -> None:
        self.bits = bits

    def __missing__(self, taken: int) -> tuple[int, ...]:
        if len(self) == MOST_SETS:
            self.clear()
        self[taken] = tuple(cell for cell, bit in enumerate(self.bits) if not taken & bit)
        return self[taken]


geometry = cache(Geometry)  # one per shape and k


def position(geometry: Geometry, x: int, o: int, winner: Mark | None) -> Board:
    """Make a board from parts known to fit together; nothing is checked."""
    board = _new(Board)
    board._geometry, board._x, board._o, board._winner = geometry, x, o, winner
    return board


def copy(board: Board) -> Board:
    """A new object with the same position."""
    return position(board._geometry, board._x, board._o, board._winner)


_new = object.__new__  # looked up once, because searches make hundreds of thousands of boards


def _directions(dimensions: int) -> list[tuple[int, ...]]:
    """The directions from cell to cell, one of each opposite pair: rows, columns, then diagonals."""
    steps = product((-1, 0, 1), repeat=dimensions)
    forward = [step for step in steps if step > (0,) * dimensions]
    return sorted(forward, key=lambda step: (sum(map(abs, step)), [abs(s) for s in step], [-s for s in step]))


def _mask(cells: Iterable[int]) -> int:
    return sum(1 << cell for cell in cells)


def by(shape: tuple[int, ...]) -> str:
    """A shape in words: "4×4×4"."""
    return "×".join(map(str, shape))


def _checked(shape: tuple[int, ...], k: int | None) -> tuple[tuple[int, ...], int]:
    """Convert shape and k to plain integers that fit together. Raises `BoardError`."""
    try:
        sides = tuple(map(index, shape))
        in_a_row = min(sides) if k is None else index(k)
    except (TypeError, ValueError):
        raise BoardError(
            f"A shape must be a tuple of whole numbers, such as (3, 3), not {shape!r} with `k={k!r}`."
        ) from None
    if min(sides, default=0) < 1:
        raise BoardError(f"Every side of a board must have at least one cell, unlike {sides}.")
    if not 1 <= in_a_row <= max(sides):
        raise BoardError(f"On a {by(sides)} board, `k` must be from 1 to {max(sides)}, not {in_a_row}.")
    return sides, in_a_row


def _winner(geometry: Geometry, x: int, o: int) -> Mark | None:
    """The winner on a reachable board. Raises `BoardError` for any other board.

    A board is reachable if the numbers of marks fit, and if the side with completed lines moved last and one of
    its marks is on all of them.
    """
    if x < 0 or o < 0 or x & o or (x | o) >> geometry.size:
        raise BoardError("X and O must be on different cells of the board.")
    many, other = x.bit_count(), o.bit_count()
    if many - other not in (0, 1):
        raise BoardError(
            f"X moves first, so X must have as many marks as O or one more, but X has {many} and O has {other}."
        )
    last, marks, others = ("X", x, o) if many > other else ("O", o, x)
    if any(mask & others == mask for mask in geometry.masks):
        raise BoardError(f"{opponent(last)} had completed a line, but {last} still moved after that.")
    won = [mask for mask in geometry.masks if mask & marks == mask]
    if won and not reduce(and_, won):
        raise BoardError(f"No single last move could have completed all of {last}'s lines.")
    return last if won else None
