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

from collections.abc import Iterator, Sequence
from functools import partial, reduce
from math import prod
from operator import and_, index
from typing import NoReturn

from ttt.geometry import MAX_CELLS, MAX_DIMENSIONS, BoardShape, Line, board_shape, mask_of, shape_in_words
from ttt.words import short_repr

Mark = str  # "X", "O" or "-"
Cell = int | tuple[int, ...]  # an index, or coordinates


class BoardError(ValueError):
    """An impossible request to a board; the message says what is possible instead."""


class OffBoard(BoardError, IndexError):
    """The board has no such cell."""


class CellTaken(BoardError):
    """The cell already holds a mark."""


class CellAssigned(BoardError):
    """A board never changes, so its cells can't be assigned."""


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

    __slots__ = ("_kind", "_o", "_winner", "_x")
    _kind: BoardShape
    _x: int
    _o: int
    _winner: Mark | None

    def __init__(self, shape: tuple[int, ...] = (3, 3), k: int | None = None, *, x: int = 0, o: int = 0) -> None:
        self._kind = board_shape(*_checked(shape, k))
        try:
            self._x, self._o = index(x), index(o)
        except TypeError:
            wrong = f"not {x!r} and {o!r}. For text, use `Board.from_text`"
            raise BoardError(f"`x` and `o` must be bit masks (whole numbers), {wrong}.") from None
        self._winner = _winner(self._kind, self._x, self._o)

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
            needed = f"{size} for a {shape_in_words(sides)} board, not {len(marks)}"
            raise BoardError(f"The text must have one mark (X, O or -) for each cell: {needed}.")
        x, o = (mask_of(cell for cell, mark in enumerate(marks) if mark == side) for side in "XO")
        return cls(shape, k, x=x, o=o)

    @property
    def shape(self) -> tuple[int, ...]:
        """Cells along each side: (rows, columns) or (layers, rows, columns)."""
        return self._kind.shape

    def __len__(self) -> int:
        """The number of cells."""
        return self._kind.size

    def cell(self, place: Cell, *more: object) -> int:
        """A cell's index, given an index or coordinates. Raises `OffBoard`."""
        if more:
            call = f"play({(place, *more)})"
            raise OffBoard(f"Coordinates must be a tuple, in brackets of their own: write `{call}`.")
        cells, places = self._kind.cells, self._kind.places
        try:
            return cells[tuple(map(_index, place)) if isinstance(place, tuple) else _index(place)]
        except (TypeError, KeyError):
            cells_are = f"an index from 0 to {len(places) - 1} or coordinates from {places[0]} to {places[-1]}"
            raise OffBoard(f"There is no cell {place!r}. A cell is {cells_are}.") from None

    def coordinates(self, cell: Cell) -> tuple[int, ...]:
        """A cell's coordinates: (row, column) or (layer, row, column), from 0 at the top left. Raises `OffBoard`."""
        return self._kind.places[self.cell(cell)]

    def __getitem__(self, cell: Cell) -> Mark:
        """The mark in a cell: `board[row, column]` or `board[index]`. Raises `OffBoard`."""
        bit = 1 << self.cell(cell)
        return "X" if self._x & bit else "O" if self._o & bit else "-"

    def __setitem__(self, cell: object, mark: object) -> NoReturn:
        raise CellAssigned("A board never changes: `board.play(cell)` returns a new board.")

    def __iter__(self) -> Iterator[Mark]:
        """The marks of all cells in order."""
        x, o = self._x, self._o
        return iter(["X" if x & bit else "O" if o & bit else "-" for bit in self._kind.bits])

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
        return self._kind.free[self._x | self._o]

    @property
    def turn(self) -> Mark:
        """Whose turn it is: "X" when both have as many marks, else "O"."""
        return "X" if self._x.bit_count() == self._o.bit_count() else "O"

    def play(self, cell: Cell, *more: object) -> Board:
        """The board after the side to move has marked a free cell, given by index or coordinates, as in `play((1, 2))`.

        Raises `OffBoard`, `GameOver` and `CellTaken`.
        """
        kind, x, o = self._kind, self._x, self._o
        if more or type(cell) is not int or not 0 <= cell < kind.size:
            cell = self.cell(cell, *more)
        bit = 1 << cell
        if self._winner is not None or (x | o) & bit:
            raise self._refusal(cell)
        board = _new(Board)
        board._kind, board._winner = kind, None
        if x.bit_count() == o.bit_count():
            player, marks = "X", x | bit
            board._x, board._o = marks, o
        else:
            player, marks = "O", o | bit
            board._x, board._o = x, marks
        for line in kind.through[cell]:
            if line & marks == line:
                board._winner = player
        return board

    def _refusal(self, cell: int) -> BoardError:
        if self.over:
            end = "it was drawn" if self._winner is None else f"{self._winner} has won"
            return GameOver(f"The game is over: {end}.")
        free = ", ".join(map(str, self.moves))
        return CellTaken(f"Cell {cell}, {self.coordinates(cell)}, is taken by {self[cell]}. Free cells: {free}.")

    @property
    def k(self) -> int:
        """How many in a row win."""
        return self._kind.k

    @property
    def line_cells(self) -> tuple[Line, ...]:
        """Every line as a tuple of its cells: rows first, then columns, then diagonals."""
        return self._kind.line_cells

    @property
    def line_masks(self) -> tuple[int, ...]:
        """Every line as a bit mask, in the order of `line_cells`."""
        return self._kind.lines

    def lines_through(self, cell: Cell) -> tuple[int, ...]:
        """The lines through a cell, as bit masks. Raises `OffBoard`."""
        if type(cell) is not int or not 0 <= cell < self._kind.size:
            cell = self.cell(cell)
        return self._kind.through[cell]

    @property
    def lines(self) -> tuple[tuple[Mark, ...], ...]:
        """Every line as a tuple of its marks, in the order of `line_cells`."""
        marks = tuple(self)
        return tuple([marks[cells] for cells in self._kind.slices])

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
        return self._winner is not None or self._x | self._o == self._kind.full

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Board):
            return NotImplemented
        return self._x == other._x and self._o == other._o and self._kind is other._kind

    def __hash__(self) -> int:
        return hash((self._x, self._o))

    def __reduce__(self) -> tuple[object, ...]:
        return partial(Board, self.shape, self.k, x=self._x, o=self._o), ()

    @property
    def layout(self) -> tuple[int, int, int]:
        """The board's layout on a page: (layers, rows, columns). A flat board is one layer."""
        return self._kind.layout

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
        from ttt import svg  # deferred until a board is shown

        return str(svg.draw(self))


def opponent(player: Mark) -> Mark:
    """The other side: "O" for "X", and "X" for "O". Raises `BoardError` for anything else."""
    if player == "X":
        return "O"
    if player == "O":
        return "X"
    raise BoardError(f'A player must be "X" or "O", not {player!r}.')


def own_and_other(board: Board, player: Mark) -> tuple[int, int]:
    """A player's cells and the other side's, as bit masks. Raises `BoardError` for anything but "X" and "O"."""
    return (board.x, board.o) if opponent(player) == "O" else (board.o, board.x)


def require_board(board: object, who: str) -> None:
    """Raise `BoardError` unless this is a board; the message says who needs one."""
    if isinstance(board, Board):
        return
    if hasattr(type(board), "play"):
        raise BoardError(f"{who} works on boards only, not with a game of your own, such as {short_repr(board)}.")
    advice = "make one with `Board.from_text`"
    if isinstance(board, str):
        advice = f"write `Board.from_text({board!r})`"
    if isinstance(board, type):
        advice = f"write `{board.__name__}()`"
    raise BoardError(f"{who} needs a Board, not {short_repr(board)}: {advice}.")


_new = object.__new__  # looked up once, because searches make hundreds of thousands of boards


def _index(number: object) -> int:
    """A whole number as an int. Raises `TypeError` for anything else, also for True and False."""
    if isinstance(number, bool):
        raise TypeError
    return index(number)  # type: ignore[arg-type]


def _checked(shape: tuple[int, ...], k: int | None) -> tuple[tuple[int, ...], int]:
    """Convert shape and k to plain integers that fit together. Raises `BoardError`."""
    try:
        sides = tuple(map(index, shape))
        in_a_row = min(sides) if k is None else index(k)
    except (TypeError, ValueError):
        example = f"a tuple of whole numbers, such as (3, 3), not {shape!r} with `k={k!r}`"
        raise BoardError(f"A shape must be {example}.") from None
    if min(sides, default=0) < 1:
        raise BoardError(f"Every side of a board must have at least one cell, unlike {sides}.")
    if prod(sides) > MAX_CELLS or len(sides) > MAX_DIMENSIONS:
        most = f"{MAX_CELLS:,} cells in {MAX_DIMENSIONS} dimensions"
        raise BoardError(f"A board can have at most {most}, but {shape_in_words(sides)} has more.")
    if not 1 <= in_a_row <= max(sides):
        raise BoardError(f"On a {shape_in_words(sides)} board, `k` must be from 1 to {max(sides)}, not {in_a_row}.")
    return sides, in_a_row


def _winner(kind: BoardShape, x: int, o: int) -> Mark | None:
    """The winner on a board that a game can reach. Raises `BoardError` for any other board."""
    if x < 0 or o < 0 or x & o or (x | o) >> kind.size:
        raise BoardError("X and O must be on different cells of the board.")
    many, other = x.bit_count(), o.bit_count()
    if many - other not in (0, 1):
        rule = "X moves first, so X must have as many marks as O or one more"
        raise BoardError(f"{rule}, but X has {many} and O has {other}.")
    last, marks, others = ("X", x, o) if many > other else ("O", o, x)
    if any(mask & others == mask for mask in kind.lines):
        raise BoardError(f"{opponent(last)} had completed a line, but {last} still moved after that.")
    won = [mask for mask in kind.lines if mask & marks == mask]
    if won and not reduce(and_, won):
        raise BoardError(f"No single last move could have completed all of {last}'s lines.")
    return last if won else None
