"""The board: a position as a value. It knows its lines, whose turn it is, and whether anybody has won.

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

import itertools
import operator
from collections.abc import Callable, Iterable, Iterator
from functools import cache, reduce
from math import prod
from typing import NoReturn

Mark = str  # "X", "O" or "-"
Line = tuple[int, ...]  # the cells that win together

_new = object.__new__  # found at once where boards are made by the hundred thousand
FEW_CELLS = 16  # so few that a table with an entry for each set of cells is small


class BoardError(ValueError):
    """What was asked of a board makes no sense; the message says why and what would."""


class BadShape(BoardError):
    """A board needs sides of one cell or more, and a line that fits on it."""


class OffBoard(BoardError, IndexError):
    """There is no such cell on this board."""


class CellTaken(BoardError):
    """The cell has a mark already."""


class GameOver(BoardError):
    """Nobody can play any more: the game is won or drawn."""


class WrongNumberOfMarks(BoardError):
    """A text must have one mark for each cell."""


class UnknownMark(BoardError):
    """Marks are X, O and - (a free cell)."""


class UnreachableBoard(BoardError):
    """No game leads to this board: X begins, the sides take turns, and a completed line ends it."""


class Unchangeable(BoardError, TypeError):
    """A board never changes: playing gives a new one."""


def opponent(player: Mark) -> Mark:
    """The other side's mark: "O" for "X", and "X" for "O".

    Raises `UnknownMark` for anything else.
    """
    if player == "X":
        return "O"
    if player == "O":
        return "X"
    raise UnknownMark(f'A player is "X" or "O", not {player!r}.')


class Geometry:
    """What all boards of one shape share: the lines, derived once, as cells and as bit masks."""

    def __init__(self, shape: tuple[int, ...], k: int) -> None:
        self.shape = shape
        self.k = k
        self.size = prod(shape)
        self.full = (1 << self.size) - 1
        self.lines: tuple[Line, ...] = tuple(_derive_lines(shape, k))
        self.bits = tuple(1 << cell for cell in range(self.size))
        self.picks = tuple(_pick(line) for line in self.lines)
        self._cells = {name: cell for cell in range(self.size) for name in (cell, self.coordinates(cell))}
        self.masks = tuple(_mask(line) for line in self.lines)
        through: list[list[int]] = [[] for _ in range(self.size)]
        for line, mask in zip(self.lines, self.masks, strict=True):
            for cell in line:
                through[cell].append(mask)
        self.through = tuple(map(tuple, through))
        self._moves: dict[int, tuple[int, ...]] = {}

    def moves(self, taken: int) -> tuple[int, ...]:
        """The cells that are free where these are taken; small boards meet the same ones over and over."""
        moves = self._moves.get(taken)
        if moves is None:
            moves = tuple(cell for cell, bit in enumerate(self.bits) if not taken & bit)
            if self.size <= FEW_CELLS:
                self._moves[taken] = moves
        return moves

    def cell(self, place: int | tuple[int, ...]) -> int:
        """The index of a cell that is given by its index or its coordinates. Raises `OffBoard`."""
        try:
            known = self._cells.get(place) if type(place) in (int, tuple) else None
        except TypeError:
            known = None
        if known is not None:
            return known
        if isinstance(place, tuple):
            return self._at(place)
        try:
            cell = operator.index(place)
        except TypeError:
            raise OffBoard(f"A cell is {self._range()}, not {place!r}.") from None
        if not 0 <= cell < self.size:
            raise OffBoard(f"There is no cell {cell}: a cell is {self._range()}.")
        return cell

    def coordinates(self, cell: int) -> tuple[int, ...]:
        """A cell's coordinates, (row, column) or (layer, row, column), from 0 at the top left."""
        place = []
        for side in reversed(self.shape):
            cell, coordinate = divmod(cell, side)
            place.append(coordinate)
        return tuple(reversed(place))

    def _at(self, place: tuple[int, ...]) -> int:
        try:
            coordinates = [operator.index(coordinate) for coordinate in place]
        except TypeError:
            coordinates = []
        if len(coordinates) != len(self.shape) or not all(
            0 <= coordinate < side for coordinate, side in zip(coordinates, self.shape, strict=True)
        ):
            raise OffBoard(f"There is no cell {place!r}: a cell is {self._range()}.")
        cell = 0
        for coordinate, side in zip(coordinates, self.shape, strict=True):
            cell = cell * side + coordinate
        return cell

    def _range(self) -> str:
        last = tuple(side - 1 for side in self.shape)
        first = (0,) * len(self.shape)
        return f"an index from 0 to {self.size - 1} or coordinates from {first} to {last}"


class Board:
    """A position: the marks on the board, and all that follows from them.

    Args:
        shape: cells along each side, (rows, columns) or (layers, rows, columns) or more.
        k: how many in a row win; the shortest side unless told otherwise.
        x, o: the cells of either side as bit masks (bit n is cell n), for engines; people use `from_text`.

    Cells are numbered from 0 in row-major order, and coordinates are accepted wherever a cell is. X moves first, so
    the marks tell whose turn it is. A board is immutable and hashable: it can be the key of a dictionary.

    Raises `BadShape` and `UnreachableBoard`.

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
        self._x = operator.index(x)
        self._o = operator.index(o)
        self._winner = _reachable_winner(self._geometry, self._x, self._o)

    @classmethod
    def from_text(cls, text: str, shape: tuple[int, ...] = (3, 3), k: int | None = None) -> Board:
        """The board that a text draws: X, O and - in row-major order; spaces, / and line ends don't matter.

        Raises `WrongNumberOfMarks`, `UnknownMark`, `UnreachableBoard` and `BadShape`.

        >>> Board.from_text("X-O / -X- / --O").turn
        'X'
        """
        size = prod(_checked(shape, k)[0])
        marks = [mark for mark in text if not mark.isspace() and mark != "/"]
        for mark in marks:
            if mark not in ("X", "O", "-"):
                raise UnknownMark(f"{mark!r} is no mark: use X, O and - for a free cell.")
        if len(marks) != size:
            raise WrongNumberOfMarks(
                f"A {_by(shape)} board has {size} cells; the text has {len(marks)} marks (X, O and -)."
            )
        x, o = (_mask(cell for cell, mark in enumerate(marks) if mark == side) for side in "XO")
        return cls(shape, k, x=x, o=o)

    @property
    def shape(self) -> tuple[int, ...]:
        """Cells along each side: (rows, columns) or (layers, rows, columns)."""
        return self._geometry.shape

    @property
    def layout(self) -> tuple[int, int, int]:
        """How the board is laid out on a page: layers, rows and columns. A flat board is one layer."""
        *above, rows, columns = (1, *self.shape)
        return prod(above), rows, columns

    @property
    def k(self) -> int:
        """How many in a row win."""
        return self._geometry.k

    @property
    def x(self) -> int:
        """X's cells as a bit mask: bit n is cell n."""
        return self._x

    @property
    def o(self) -> int:
        """O's cells as a bit mask: bit n is cell n."""
        return self._o

    @property
    def line_cells(self) -> tuple[Line, ...]:
        """Every line as a tuple of its cells: rows first, then columns, then diagonals."""
        return self._geometry.lines

    @property
    def lines(self) -> tuple[tuple[Mark, ...], ...]:
        """Every line as a tuple of its marks, in the order of `line_cells`."""
        marks = tuple(self)
        return tuple(marks_of(marks) for marks_of in self._geometry.picks)

    @property
    def moves(self) -> tuple[int, ...]:
        """The free cells."""
        return self._geometry.moves(self._x | self._o)

    @property
    def turn(self) -> Mark:
        """Whose turn it is: "X" when both have as many marks, else "O"."""
        return "X" if self._x.bit_count() == self._o.bit_count() else "O"

    @property
    def winner(self) -> Mark | None:
        """Who has completed a line: "X", "O" or None."""
        return self._winner

    @property
    def winning_lines(self) -> tuple[Line, ...]:
        """The completed lines: none, one, or the few that one last move completed together."""
        mine = {"X": self._x, "O": self._o, None: 0}[self._winner]
        geometry = self._geometry
        return tuple(
            line for line, mask in zip(geometry.lines, geometry.masks, strict=True) if mine and mask & mine == mask
        )

    @property
    def winning_line(self) -> Line | None:
        """The cells of the (first) completed line, or None."""
        return next(iter(self.winning_lines), None)

    @property
    def over(self) -> bool:
        """Whether the game has ended: somebody has won, or no cell is free."""
        return self._winner is not None or self._x | self._o == self._geometry.full

    def play(self, cell: int | tuple[int, ...]) -> Board:
        """The board after the side to move has marked a free cell, given by index or coordinates.

        Raises `OffBoard`, `GameOver` and `CellTaken`.
        """
        geometry, x, o = self._geometry, self._x, self._o
        index = cell if type(cell) is int and 0 <= cell < geometry.size else geometry.cell(cell)
        bit = 1 << index
        if self._winner is not None or (x | o) & bit:
            raise self._refusal(index)
        board = _new(Board)
        board._geometry, board._winner = geometry, None
        if x.bit_count() == o.bit_count():
            turn = "X"
            mine = board._x = x | bit
            board._o = o
        else:
            turn = "O"
            board._x = x
            mine = board._o = o | bit
        for mask in geometry.through[index]:
            if mask & mine == mask:
                board._winner = turn
                break
        return board

    def _refusal(self, cell: int) -> BoardError:
        """Why a cell can't be played."""
        if self.over:
            end = "it is a draw" if self._winner is None else f"{self._winner} has won"
            return GameOver(f"The game is over: {end}.")
        return CellTaken(
            f"Cell {cell}, {self.coordinates(cell)}, is taken by {self[cell]}; "
            f"free are {', '.join(map(str, self.moves))}."
        )

    def coordinates(self, cell: int | tuple[int, ...]) -> tuple[int, ...]:
        """A cell's coordinates: (row, column) or (layer, row, column), from 0 at the top left. Raises `OffBoard`."""
        return self._geometry.coordinates(self._geometry.cell(cell))

    def cell(self, place: int | tuple[int, ...]) -> int:
        """A cell's index, whether it is given by index or coordinates. Raises `OffBoard`."""
        return self._geometry.cell(place)

    def __getitem__(self, cell: int | tuple[int, ...]) -> Mark:
        """The mark in a cell: `board[row, column]` or `board[index]`. Raises `OffBoard`."""
        index = self._geometry.cell(cell)
        return "X" if self._x >> index & 1 else "O" if self._o >> index & 1 else "-"

    def __setitem__(self, cell: object, mark: object) -> NoReturn:
        raise Unchangeable("A board never changes: board.play(cell) returns a new board.")

    def __iter__(self) -> Iterator[Mark]:
        """The marks of all cells in order."""
        x, o = self._x, self._o
        return iter(["X" if x & bit else "O" if o & bit else "-" for bit in self._geometry.bits])

    def __len__(self) -> int:
        """The number of cells."""
        return self._geometry.size

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Board):
            return NotImplemented
        same = self._x == other._x and self._o == other._o
        return same and self.shape == other.shape and self.k == other.k

    def __hash__(self) -> int:
        return hash((self._x, self._o))

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (self.shape, self.k, self._x, self._o)

    def __str__(self) -> str:
        """The marks, a text line a row, and an empty one between layers; `from_text` reads it back."""
        return "\n\n".join("\n".join(" ".join(row) for row in layer) for layer in _layers(self))

    def __repr__(self) -> str:
        """The call that rebuilds the board."""
        details = []
        if self.shape != (3, 3):
            details.append(f"shape={self.shape}")
        if self.k != min(self.shape):
            details.append(f"k={self.k}")
        if not self._x:
            return f"Board({', '.join(details)})"
        text = " / ".join(" ".join(layer) for layer in _layers(self))
        return f"Board.from_text({', '.join([repr(text), *details])})"

    def _repr_svg_(self) -> str:
        """The drawing that a notebook shows."""
        from ttt import svg  # a face, which stands above the board: loaded when one looks at it

        return str(svg.draw(self))


def position(geometry: Geometry, x: int, o: int, winner: Mark | None) -> Board:
    """A board whose parts are known to fit together; nothing is checked. For `play`, and for engines."""
    board = _new(Board)
    board._geometry, board._x, board._o, board._winner = geometry, x, o, winner
    return board


def _layers(board: Board) -> list[list[str]]:
    """The marks as layers of rows; a flat board is one layer."""
    _, rows, columns = board.layout
    marks = "".join(board)
    lines = [marks[start : start + columns] for start in range(0, len(marks), columns)]
    return [lines[start : start + rows] for start in range(0, len(lines), rows)]


def _pick(line: Line) -> Callable[[tuple[Mark, ...]], tuple[Mark, ...]]:
    """What picks a line's marks out of all of them; `itemgetter` does it fastest, but for one cell gives no tuple."""
    return operator.itemgetter(*line) if len(line) > 1 else lambda marks: (marks[line[0]],)


def _by(shape: tuple[int, ...]) -> str:
    return "×".join(map(str, shape))


def _mask(cells: Iterable[int]) -> int:
    return sum(1 << cell for cell in cells)


def _rebuild(shape: tuple[int, ...], k: int, x: int, o: int) -> Board:
    return Board(shape, k, x=x, o=o)


def _checked(shape: tuple[int, ...], k: int | None) -> tuple[tuple[int, ...], int]:
    """The shape and k as whole numbers that make sense together; raises `BadShape`."""
    try:
        sides = tuple(operator.index(side) for side in shape)
        in_a_row = min(sides) if k is None else operator.index(k)
    except (TypeError, ValueError):
        raise BadShape(f"A shape is a tuple of whole numbers such as (3, 3), not {shape!r} with k={k!r}.") from None
    if min(sides, default=0) < 1:
        raise BadShape(f"Every side of a board has one cell or more, unlike {sides}.")
    if not 1 <= in_a_row <= max(sides):
        raise BadShape(f"On a {_by(sides)} board k is from 1 to {max(sides)}, not {in_a_row}.")
    return sides, in_a_row


@cache
def geometry(shape: tuple[int, ...], k: int) -> Geometry:
    """The geometry of a shape, which all its boards share."""
    return Geometry(shape, k)


def _derive_lines(shape: tuple[int, ...], k: int) -> Iterator[Line]:
    """Each line once: from every cell in every direction, as far as k steps stay on the board."""
    seen = set()
    for step in _directions(len(shape)):
        for start in itertools.product(*map(range, shape)):
            end = [first + (k - 1) * stride for first, stride in zip(start, step, strict=True)]
            if all(0 <= last < side for last, side in zip(end, shape, strict=True)):
                line = tuple(_index(shape, start, step, n) for n in range(k))
                if line not in seen:  # a line of one cell has no direction
                    seen.add(line)
                    yield line


def _directions(dimensions: int) -> list[tuple[int, ...]]:
    """The ways to step from cell to cell, of each pair of opposites one: rows, columns, then diagonals."""
    steps = itertools.product((-1, 0, 1), repeat=dimensions)
    forward = [step for step in steps if step > (0,) * dimensions]
    return sorted(forward, key=lambda step: (sum(map(abs, step)), [abs(s) for s in step], [-s for s in step]))


def _index(shape: tuple[int, ...], start: tuple[int, ...], step: tuple[int, ...], n: int) -> int:
    cell = 0
    for side, first, stride in zip(shape, start, step, strict=True):
        cell = cell * side + first + n * stride
    return cell


def _reachable_winner(geometry: Geometry, x: int, o: int) -> Mark | None:
    """Who has won, on a board that a game can reach; raises `UnreachableBoard` on any other.

    A game can reach a board if the numbers of marks fit, and if whoever has completed lines moved last and did so
    with one mark that lies on all of them.
    """
    if x < 0 or o < 0 or x & o or (x | o) >> geometry.size:
        raise UnreachableBoard("The marks of X and O must lie on different cells of the board.")
    ahead = x.bit_count() - o.bit_count()
    if ahead not in (0, 1):
        raise UnreachableBoard(
            f"X has {x.bit_count()} marks and O {o.bit_count()}; X begins, so X must have as many as O or one more."
        )
    last, marks, others = ("X", x, o) if ahead else ("O", o, x)
    if any(mask & others == mask for mask in geometry.masks):
        raise UnreachableBoard(f"{opponent(last)} completed a line, and yet {last} moved after that.")
    won = [mask for mask in geometry.masks if mask & marks == mask]
    if not won:
        return None
    if not reduce(operator.and_, won):
        raise UnreachableBoard(f"{last} has lines that no single last move completed together.")
    return last
