"""Drawings of boards as SVG: crisp at any size, readable on light and dark pages, with the board's text inside.

A drawing doesn't know the page it will appear on, so it has no paper of its own, and its colours are middle tones:
those of marks and grid have a contrast of at least 3:1 against white and against black. X and O differ in shape, and in
a blue and an orange that colour-blind readers can tell apart.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise, product

from ttt.board import Board, Line, Mark, require_board

INK = {"X": "#0072B2", "O": "#D55E00", "-": "#808080"}  # the colours of the marks, and of the grid; on a light page
DARK_INK = {"X": "#4AA3E8", "O": "#FFA858"}  # and on a dark page, for widgets, which know theirs
TEXT = "#757575"
CELL = 48
SHAPES = {"X": "m14 14l20 20m0-20l-20 20", "O": "m12.5 24a11.5 11.5 0 1 0 23 0a11.5 11.5 0 1 0-23 0"}  # in a cell
MARGIN = 6
GAP = 24
WIDEST = 860  # where a row of pictures wraps


@dataclass(frozen=True)
class Picture:
    """A drawing for a notebook to show; `str(picture)` is the SVG.

    Args:
        width, height: in pixels.
        body: the SVG elements inside. Marks have the classes `mark-X` and `mark-O`, winning lines `won`.
        title: what it shows, in a few words.
        text: the same in plain text, for screen readers.
    """

    width: int
    height: int
    body: str
    title: str
    text: str

    def __str__(self) -> str:
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{self.width}" height="{self.height}" '
            f'viewBox="0 0 {self.width} {self.height}" font-family="system-ui,sans-serif" '
            f'style="max-width:100%;height:auto">'
            f"<title>{escape(self.title)}</title><desc>{escape(self.text)}</desc>{self.body}</svg>"
        )

    def _repr_svg_(self) -> str:
        return str(self)

    def __repr__(self) -> str:
        return self.text


def draw(
    board: Board,
    *,
    values: Mapping[int, float | str] | None = None,
    fills: Mapping[int, str] | None = None,
    lines: Iterable[Line] = (),
    player: Mark = "-",
    last: int | None = None,
    numbers: bool = False,
    caption: str = "",
) -> Picture:
    """Draw a board: its marks, its winning lines, and whatever else is asked for. Layers are drawn side by side.

    Args:
        values: a number for each free cell, written into it with its sign; the highest are framed. Texts are written
            as they are. A screen reader hears them in place of the free cells.
        fills: a colour for the background of each of these cells, light enough for black numbers.
        lines: lines to draw across the board, in the colour of `player`.
        last: the cell of the last move, marked with a dot.
        numbers: whether to write each free cell's index into it. A screen reader hears it, too.
        caption: a text below the board.

    Raises `BoardError` for anything else.
    """
    require_board(board, "draw()")
    places, values, fills = corners(board), values or {}, fills or {}
    width = max(x for x, _ in places) + CELL + MARGIN
    height = max(y for _, y in places) + CELL + MARGIN
    parts = [_fill(*places[cell], colour) for cell, colour in fills.items()]
    parts += [_grid(board, places), *(_line(places, line, INK[player], 4, 0.8) for line in lines)]
    parts += [_line(places, line, INK[board[line[0]]], 16, 0.4, "won") for line in board.winning_lines]
    parts += [_marks(board, mark, places) for mark in "XO" if mark in tuple(board)]
    if last is not None:
        parts.append(_dot(*places[board.cell(last)], INK[board[last]]))
    parts += _values(values, fills, places)
    if numbers:
        parts += [text(places[cell][0] + 9, places[cell][1] + 14, str(cell), 11) for cell in board.moves]
    if names := layer_names(board):
        firsts, middle = places[:: len(board) // len(names)], board.layout[2] * CELL / 2
        parts += [text(x + middle, height + 12, name, 11) for (x, _), name in zip(firsts, names, strict=True)]
        height += 16
    if caption:
        width = max(width, 9 * len(caption))
        parts.append(text(width / 2, height + 16, caption, 15))
        height += 22
    indices = {cell: str(cell) for cell in board.moves} if numbers else {}
    in_text = _in_text(board, {**indices, **values})
    return Picture(width, height, "".join(parts), _state(board), f"{in_text}\n{caption}" if caption else in_text)


def beside(pictures: Sequence[Picture], title: str = "", scale: float = 1) -> Picture:
    """Put pictures side by side, in rows as wide as a notebook; `scale` makes them smaller or larger."""
    x = y = row = width = 0
    parts = []
    for picture in pictures:
        if x and scale * (x + picture.width) > WIDEST:
            x, y, row = 0, y + row + GAP, 0
        parts.append(f'<g transform="translate({x},{y})">{picture.body}</g>')
        x += picture.width + GAP
        row = max(row, picture.height)
        width = max(width, x - GAP)
    body = f'<g transform="scale({scale:g})">{"".join(parts)}</g>'
    text = "\n\n".join(picture.text for picture in pictures)
    title = title or f"{len(pictures)} boards side by side"
    return Picture(math.ceil(scale * width), math.ceil(scale * (y + row)), body, title, text)


def strip(boards: Sequence[Board], title: str = "") -> Picture:
    """Draw the positions of a game in order, each with the move that led to it."""
    pictures = [draw(boards[0], caption="start")]
    for before, after in pairwise(boards):
        move = ((before.x | before.o) ^ (after.x | after.o)).bit_length() - 1
        pictures.append(draw(after, last=move, caption=f"{before.turn} plays {move}"))
    return beside(pictures, title, scale=0.75)


def spoken(board: Board, cell: int) -> str:
    """Name a cell's place, counted from 1: "row 1, column 2", with its layer only if the board has layers."""
    place = [coordinate + 1 for coordinate in board.coordinates(cell)]
    names = ["row", "column"] if len(place) > 1 else ["cell"]
    layers = place[: -len(names)]
    parts = [f"layer {' '.join(map(str, layers))}"] if layers else []
    return ", ".join(parts + [f"{name} {n}" for name, n in zip(names, place[len(layers) :], strict=True)])


def spoken_rows(board: Board) -> str:
    """A flat board in words, row by row.

    >>> spoken_rows(Board.from_text("X-O -X- --O"))
    'X, empty, O; empty, X, empty; empty, empty, O'
    """
    words = ["empty" if mark == "-" else mark for mark in board]
    columns = board.layout[2]
    return "; ".join(", ".join(words[first : first + columns]) for first in range(0, len(words), columns))


def corners(board: Board) -> list[tuple[int, int]]:
    """The upper left corner of each cell, in pixels."""
    across = board.layout[2] * CELL + GAP  # from layer to layer
    places = product(*map(range, board.layout))
    return [(MARGIN + layer * across + column * CELL, MARGIN + row * CELL) for layer, row, column in places]


def layer_names(board: Board) -> list[str]:
    """The names of a board's layers, "layer 1" and so on; none for a flat board."""
    layers, rows, columns = board.layout
    if layers == 1:
        return []
    return [spoken(board, first).partition(", row")[0] for first in range(0, len(board), rows * columns)]


def _grid(board: Board, places: list[tuple[int, int]]) -> str:
    """The lines between the cells of each layer."""
    _, rows, columns = board.layout
    path = []
    for first in range(0, len(board), rows * columns):
        x, y = places[first]
        path += [f"M{x + n * CELL} {y}v{rows * CELL}" for n in range(1, columns)]
        path += [f"M{x} {y + n * CELL}h{columns * CELL}" for n in range(1, rows)]
    return f'<path class="grid" d="{"".join(path)}" stroke="{INK["-"]}" stroke-width="2" stroke-linecap="round"/>'


def _marks(board: Board, mark: Mark, places: list[tuple[int, int]]) -> str:
    """All marks of one side, as one path."""
    path = "".join(f"M{x} {y}{SHAPES[mark]}" for (x, y), each in zip(places, board, strict=True) if each == mark)
    style = f'fill="none" stroke="{INK[mark]}" stroke-width="6" stroke-linecap="round"'
    return f'<path class="mark-{mark}" d="{path}" {style}/>'


def _line(places: list[tuple[int, int]], line: Line, ink: str, width: int, opacity: float, kind: str = "line") -> str:
    points = " ".join(f"{x + CELL // 2},{y + CELL // 2}" for x, y in (places[cell] for cell in line))
    return (
        f'<polyline class="{kind}" points="{points}" fill="none" stroke="{ink}" stroke-width="{width}" '
        f'stroke-opacity="{opacity}" stroke-linecap="round" stroke-linejoin="round"/>'
    )


def _fill(x: int, y: int, colour: str) -> str:
    return f'<path class="fill" d="M{x + 2} {y + 2}h{CELL - 4}v{CELL - 4}h{4 - CELL}z" fill="{colour}"/>'


def _dot(x: int, y: int, ink: str) -> str:
    return f'<circle cx="{x + CELL - 7}" cy="{y + CELL - 7}" r="3" fill="{ink}"/>'


def _values(values: Mapping[int, float | str], fills: Container[int], places: list[tuple[int, int]]) -> Iterator[str]:
    """The values, each in its cell, and frames round the highest of the numbers."""
    highest = max((value for value in values.values() if not isinstance(value, str)), default=None)
    size = f'width="{CELL - 10}" height="{CELL - 16}" rx="7"'
    for cell, value in values.items():
        x, y = places[cell]
        frame, ink = ("#000", "#000") if cell in fills else (INK["-"], TEXT)
        if value == highest:
            yield f'<rect x="{x + 5}" y="{y + 8}" {size} fill="none" stroke="{frame}" stroke-width="2"/>'
        words = _words(value)
        height = {1: 20, 2: 20, 3: 20, 4: 14}.get(len(words) + words.count("%"), 11)
        yield text(x + CELL / 2, y + CELL / 2 + 7, words, height, 700, colour=ink)


def _in_text(board: Board, values: Mapping[int, float | str]) -> str:
    """The board as text, with values in their cells: a line for each row, and an empty line between layers."""
    if not values:
        return str(board)
    cells = [_words(values[cell]) if cell in values else mark for cell, mark in enumerate(board)]
    width = max(map(len, cells))
    layers = board.in_layers([cell.rjust(width) for cell in cells])
    return "\n\n".join("\n".join(map(" ".join, layer)) for layer in layers)


def _words(value: float | str) -> str:
    return value if isinstance(value, str) else signed(value)


def signed(number: float) -> str:
    """Write a value with its sign: whole numbers as +3, 0 or −1, others to two places, as 0.58."""
    if math.isinf(number):
        return "+∞" if number > 0 else "−∞"
    text = f"{int(number):+}" if number == int(number) else f"{float(number):.2f}"
    return {"+0": "0", "-0.00": "0.00"}.get(text, text).replace("-", "−")


def read_number(written: str) -> float | None:
    """The number that somebody wrote, in the way of `signed` or in another; None if it is not a number.

    >>> read_number("−1"), read_number("0,5"), read_number("-inf"), read_number("one")
    (-1.0, 0.5, -inf, None)
    """
    try:
        number = float(written.replace("−", "-").replace("∞", "inf").replace(",", "."))
    except ValueError:
        return None
    return None if math.isnan(number) else number


def text(
    x: float, y: float, words: str, size: int, weight: int = 400, anchor: str = "middle", colour: str = TEXT
) -> str:
    """A line of text as an SVG element."""
    style = f'font-size="{size}" font-weight="{weight}" text-anchor="{anchor}" fill="{colour}"'
    return f'<text x="{x:g}" y="{y:g}" {style}>{escape(words)}</text>'


def _state(board: Board) -> str:
    end = "a draw" if board.winner is None else f"{board.winner} has won"
    return f"Tic-tac-toe: {end if board.over else f'{board.turn} to move'}"
