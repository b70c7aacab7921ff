"""SVG drawings of boards: in a notebook, as a tree's node, and under the cells of a playable board.

A drawing has no background. Its colours are variables that a page may set; the defaults have a contrast of at least 3:1
against white and against black. X and O differ in shape, and in a blue and an orange for colour-blind readers.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise, product
from typing import Any

from ttt.board import Board, BoardError, Mark, require_board
from ttt.geometry import Line
from ttt.notation import in_cell, spoken

INK = {"X": "#0072B2", "O": "#D55E00", "-": "#808080"}  # the colours of marks and grid on a light page
DARK_INK = {"X": "#4AA3E8", "O": "#FFA858", "-": "#8A8A8A"}  # and on a dark page
TEXT, DARK_TEXT = "#757575", "#A8A8A8"
TEXT_INK = f"var(--ttt-text,{TEXT})"  # the page's, if it sets one
CELL_SIZE = 48
MARGIN = 6
GAP = 22  # between layers and between pictures
FLAT, LAYERED = 1.5, 1.3  # scale of a board shown by itself, drawn or playable
CAPTION = 13  # size of a caption on screen, whatever the picture's scale
CAPTION_SIZE = "var(--ttt-caption,15px)"  # which the picture sets
MAX_ROW_WIDTH = 700  # where a row of pictures wraps, so that none is cut off next to a file list on a narrow screen

# Points and vectors are complex numbers, x + yj. A look is three vectors: to the next cell of a
# row, to the next row, and to the next layer (direction only).
LOOKS: dict[str, tuple[complex, complex, complex]] = {
    "slanted": (46, -15 + 26j, 1j),
    "turned": (36 + 17j, -36 + 17j, 1j),
    "side": (CELL_SIZE, CELL_SIZE * 1j, 1),
}
DARK_STYLE = (
    "@media (prefers-color-scheme:dark){svg:root{"
    f"--ttt-x:{DARK_INK['X']};--ttt-o:{DARK_INK['O']};--ttt-grid:{DARK_INK['-']};--ttt-text:{DARK_TEXT}}}}}"
)


def ink(mark: Mark) -> str:
    """The colour of a mark or the grid: the page's, if it sets one. Raises `BoardError` for any other mark."""
    if mark not in INK:
        raise BoardError(f'A mark must be "X", "O" or "-", not {mark!r}.')
    return f"var(--ttt-{'grid' if mark == '-' else mark.lower()},{INK[mark]})"


@dataclass(frozen=True)
class Picture:
    """A drawing to show in a notebook; `str(picture)` is the SVG."""

    width: int  # in pixels
    height: int
    body: str  # the SVG elements inside
    title: str  # a short title
    text: str  # the same in plain text, for screen readers
    scale: float = 1  # scale on screen

    def __str__(self) -> str:
        width, height = round(self.scale * self.width), round(self.scale * self.height)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{width}" height="{height}" '
            f'viewBox="0 0 {self.width} {self.height}" font-family="system-ui,sans-serif" '
            f'style="max-width:100%;height:auto;--ttt-caption:{CAPTION / self.scale:g}px">'
            f"<title>{escape(self.title)}</title><desc>{escape(self.text)}</desc>"
            f"<style>{DARK_STYLE}</style>{self.body}</svg>"
        )

    def _repr_svg_(self) -> str:
        return str(self)

    def __repr__(self) -> str:
        return self.text


class Grid:
    """The geometry of a drawn board. A cell is a parallelogram; its content stays upright."""

    def __init__(self, board: Board, look: str = "side") -> None:
        if look not in LOOKS:
            raise BoardError(f"There is no look {look!r}. The looks are {', '.join(LOOKS)}.")
        layers, rows, columns = board.layout
        self.across, self.down, towards = LOOKS[look if layers > 1 else "side"]
        wide = columns * abs(self.across.real) + rows * abs(self.down.real)
        high = columns * self.across.imag + rows * self.down.imag
        self.step = complex(towards.real * (wide + GAP), towards.imag * (high + 2 * GAP / 3))
        self.scale = wide / columns / CELL_SIZE, high / rows / CELL_SIZE  # scale of a cell's content
        first = complex(MARGIN + rows * max(0, -self.down.real), MARGIN)
        self.corners = [
            first + layer * self.step + row * self.down + column * self.across
            for layer, row, column in product(*map(range, board.layout))
        ]
        self.width = wide + (layers - 1) * self.step.real + 2 * MARGIN
        self.height = high + (layers - 1) * self.step.imag + 2 * MARGIN

    def centre(self, cell: int) -> complex:
        return self.corners[cell] + (self.across + self.down) / 2

    def outline(self, cell: int, part: float = 1) -> str:
        """The path round a cell, or round this part of it, centred."""
        across, down = part * self.across, part * self.down
        return f"M{_at(self.centre(cell) - (across + down) / 2)}l{_at(across)}l{_at(down)}l{_at(-across)}z"

    def mark(self, cell: int, mark: Mark) -> str:
        """The path of a mark in a cell."""
        centre, (wide, high) = self.centre(cell), self.scale
        if mark == "X":
            w, h = 20 * wide, 20 * high
            return f"M{_at(centre - complex(w, h) / 2)}l{w:g} {h:g}m0 {-h:g}l{-w:g} {h:g}"
        w, h = 11.5 * wide, 11.5 * high
        return f"M{_at(centre - w)}a{w:g} {h:g} 0 1 0 {2 * w:g} 0a{w:g} {h:g} 0 1 0 {-2 * w:g} 0"


def _at(point: complex) -> str:
    return f"{point.real:g} {point.imag:g}"


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
    look: str = "side",
) -> Picture:
    """Draw a board: its marks, its winning lines, and any extras.

    Args:
        values: a number for each free cell, written with its sign; the highest are framed unless all are
            equal. Texts are written unchanged. Screen readers read these instead of the free cells.
        fills: a colour for the background of each of these cells, light enough for black numbers, unless the page sets
            `--ttt-on-fill`.
        lines: lines to draw across the board, in the colour of `player`; each is a tuple of cells.
        last: the cell of the last move, which is tinted.
        numbers: whether to write each free cell's index into it, also for screen readers.
        caption: a text below the board.
        look: how layers are arranged, one of `LOOKS`.

    Raises `BoardError` for anything but a board, for cells it doesn't have, and for an unknown player or look.
    """
    require_board(board, "draw()")
    grid, values, fills = Grid(board, look), _by_cell(board, "values", values), _by_cell(board, "fills", fills)
    lines, colour_of_lines = _checked_lines(board, lines), ink(player)
    width, height = grid.width, grid.height
    parts = [f'<path class="fill" d="{grid.outline(cell, 0.92)}" fill="{colour}"/>' for cell, colour in fills.items()]
    if last is not None:
        part, thick = (0.8, 2) if grid.down.real else (0.92, 1)  # slanted cells are low, so the edge needs more room
        edge, colour = f'd="{grid.outline(board.cell(last), part)}" stroke-width="{thick}"', ink(board[last])
        parts.append(f'<path class="last" {edge} fill="{colour}" fill-opacity="0.22" stroke="{colour}"/>')
    parts += [*_grid(board, grid), *(line(grid, cells, colour_of_lines, 4, 0.8) for cells in lines)]
    parts += [_bar(grid, won, ink(board[won[0]])) for won in board.winning_lines]
    for mark in sorted({*board} - {"-"}, reverse=True):
        path = "".join(grid.mark(cell, mark) for cell, each in enumerate(board) if each == mark)
        parts.append(_path(f"mark-{mark}", path, ink(mark), 6 * min(1, sum(grid.scale) / 2)))
    parts += _values(values, fills, grid)
    if numbers:
        slanted = bool(grid.down.real)  # no room for both
        parts += [number(grid, cell) for cell in board.moves if not (slanted and cell in values)]
        values = {cell: str(cell) for cell in board.moves} | dict(values)
    if board.layout[0] > 1:
        height += 0 if grid.step.imag else 16
        parts += _layer_names(board, grid)
    if caption:
        x, anchor = (width / 2, "middle") if 9 * len(caption) < width else (MARGIN, "start")
        parts.append(text(complex(x, height + 16), caption, CAPTION_SIZE, anchor=anchor))
        width, height = max(width, 9 * len(caption)), height + 22
    end = "a draw" if board.winner is None else f"{board.winner} has won"
    title = f"Tic-tac-toe: {end if board.over else f'{board.turn} to move'}"
    said = f"{_in_text(board, values)}\n{caption}".rstrip()
    scale = FLAT if board.layout[0] == 1 else LAYERED
    return Picture(math.ceil(width), math.ceil(height), "".join(parts), title, said, scale)


def _by_cell(board: Board, name: str, given: Mapping[int, Any] | None) -> dict[int, Any]:
    """What is given for cells, by their index. Raises `BoardError` for anything but a dictionary, and for no cell."""
    if not isinstance(given, Mapping | None):
        raise BoardError(f"`{name}` must be a dictionary, such as {{0: 1}}, not {given!r}.")
    return {board.cell(cell): content for cell, content in (given or {}).items()}


def _checked_lines(board: Board, lines: Iterable[Sequence[int]]) -> list[Line]:
    """Lines by the indices of their cells. Raises `BoardError` for anything but a list of tuples of cells."""
    given: list[Any] = [*lines] if isinstance(lines, Iterable) else [lines]
    if not all(isinstance(cells, Sequence) for cells in given):
        raise BoardError(f"`lines` must be a list of lines, such as [(0, 1, 2)], not {lines!r}.")
    return [tuple(map(board.cell, cells)) for cells in given]


def beside(pictures: Sequence[Picture], title: str = "", scale: float = 1) -> Picture:
    """Put pictures side by side, in rows as wide as a notebook; `scale` resizes them. Raises `BoardError`."""
    if not isinstance(pictures, Sequence) or not all(isinstance(picture, Picture) for picture in pictures):
        raise BoardError(f"`beside()` needs a list of pictures, such as `[svg.draw(board)]`, not {pictures!r}.")
    x = y = row = width = 0
    parts = []
    for picture in pictures:
        if x and scale * (x + picture.width) > MAX_ROW_WIDTH:
            x, y, row = 0, y + row + GAP, 0
        parts.append(f'<g transform="translate({x},{y})">{picture.body}</g>')
        x += picture.width + GAP
        row = max(row, picture.height)
        width = max(width, x - GAP)
    text = "\n\n".join(picture.text for picture in pictures)
    title = title or ("One board" if len(pictures) == 1 else f"{len(pictures)} boards side by side")
    return Picture(math.ceil(width), math.ceil(y + row), "".join(parts), title, text, scale)


def strip(boards: Sequence[Board], title: str = "") -> Picture:
    """Draw a game's positions in order, each with the move that led to it. Raises `BoardError` for other boards."""
    return beside(frames(boards), title, scale=0.75)


def frames(boards: Sequence[Board]) -> list[Picture]:
    """The pictures of `strip`, one for each position. Raises `BoardError` for boards that are not a game's."""
    if not isinstance(boards, Sequence) or not boards:
        raise BoardError(f"`strip()` needs a list of boards, such as `game.boards`, not {boards!r}.")
    for board in boards:
        require_board(board, "strip()")
    pictures = [draw(boards[0], caption="start")]
    for before, after in pairwise(boards):
        moves = [cell for cell in before.moves if after[cell] != "-"]
        if not moves:
            raise BoardError(f"`strip()` needs the boards of a game in order: {after!r} doesn't follow {before!r}.")
        pictures.append(draw(after, last=moves[0], caption=f"{before.turn} plays {moves[0]}"))
    return pictures


def _in_text(board: Board, values: Mapping[int, float | str]) -> str:
    """The board as text, with values in their cells: one line per row, with a blank line between layers."""
    if not values:
        return str(board)
    words = {cell: in_cell(value) for cell, value in values.items()}
    cells = [words.get(cell, mark) for cell, mark in enumerate(board)]
    width = max(map(len, cells))
    layers = board.in_layers([cell.rjust(width) for cell in cells])
    return "\n\n".join("\n".join(map(" ".join, layer)) for layer in layers)


def text(
    place: complex, words: str, size: float | str, weight: int = 400, anchor: str = "middle", colour: str = TEXT_INK
) -> str:
    """A line of text as an SVG element."""
    height = size if isinstance(size, str) else f"{size:g}"
    style = f'font-size="{height}" font-weight="{weight}" text-anchor="{anchor}" fill="{colour}"'
    return f'<text x="{place.real:g}" y="{place.imag:g}" {style}>{escape(words)}</text>'


def _grid(board: Board, grid: Grid) -> Iterator[str]:
    """The lines between each layer's cells; in a stack also the outlines, with thin lines joining the corners."""
    layers, rows, columns = board.layout
    wide, high = columns * grid.across, rows * grid.down
    rim = 1 if grid.step.imag else 0
    path, first = "", grid.corners[0]
    if layers > 1 and rim:
        yield _path("posts", "".join(_posts(first, wide, high, layers, grid.step)), ink("-"), 0.7)
    for corner in grid.corners[:: rows * columns]:
        for n in range(1 - rim, columns + rim):
            path += f"M{_at(corner + n * grid.across)}l{_at(high)}"
        for n in range(1 - rim, rows + rim):
            path += f"M{_at(corner + n * grid.down)}l{_at(wide)}"
    yield _path("grid", path, ink("-"), 2)


def _posts(first: complex, wide: complex, high: complex, layers: int, step: complex) -> Iterator[str]:
    """The uprights from each layer's corners to those of the next, as far as no layer is in front of or behind them."""
    area = wide.real * high.imag - wide.imag * high.real
    behind = area / max(wide.real, -high.real) * 1j  # from the corner at the back straight down to the layer's edge
    for layer in range(layers - 1):
        for corner, start, end in ((0, behind, 0), (high, 0, 0), (wide, 0, 0), (wide + high, 0, behind)):
            yield f"M{_at(first + layer * step + corner + start)}v{(step - start - end).imag:g}"


def _path(kind: str, path: str, colour: str, width: float) -> str:
    style = f'fill="none" stroke="{colour}" stroke-width="{width:g}" stroke-linecap="round"'
    return f'<path class="{kind}" d="{path}" {style}/>'


def line(grid: Grid, cells: Line, colour: str, width: int, opacity: float) -> str:
    """A line through these cells as an SVG element."""
    points = " ".join(_at(grid.centre(cell)) for cell in cells)
    return (
        f'<polyline class="line" points="{points}" fill="none" stroke="{colour}" stroke-width="{width}" '
        f'stroke-opacity="{opacity}" stroke-linecap="round" stroke-linejoin="round"/>'
    )


def _bar(grid: Grid, won: Line, colour: str) -> str:
    """The bar of a win reaches past its marks: pale, so that they stand out, with an edge seen on any page."""
    first, last = grid.centre(won[0]), grid.centre(won[-1])
    way = last - first or 1  # where a single mark wins, the bar lies flat
    along = way / abs(way)
    first, last, side = first - 12 * along, last + 12 * along, 8j * along
    end = f"A8 8 0 0 0 {_at(last - side)}L{_at(first - side)}A8 8 0 0 0 {_at(first + side)}z"
    return (
        f'<path class="won" d="M{_at(first + side)}L{_at(last + side)}{end}" '
        f'fill="{colour}" fill-opacity="0.3" stroke="{colour}"/>'
    )


def _values(values: Mapping[int, float | str], fills: Mapping[int, str], grid: Grid) -> Iterator[str]:
    """The values, all in the same size, each in its cell; with frames round the highest numbers, if they differ."""
    words = {cell: in_cell(value) for cell, value in values.items()}
    longest = max((len(text) + text.count("%") for text in words.values()), default=0)
    size = _font_size(longest, grid)
    numbers = {value for value in values.values() if not isinstance(value, str) and value == value}  # without NaN
    for cell, value in values.items():
        colour = "var(--ttt-on-fill,#000)" if cell in fills else TEXT_INK
        if len(numbers) > 1 and value == max(numbers):
            yield _path("best", grid.outline(cell, 0.84), colour, 2)
        yield text(grid.centre(cell) + size / 3 * 1j, words[cell], size, 700, colour=colour)


def _font_size(longest: int, grid: Grid) -> float:
    """The size of values: the longest text fits into a cell, and low cells have smaller ones."""
    sizes = {1: 20, 2: 20, 3: 15, 4: 12}  # by number of letters
    return sizes.get(longest, 11) * min(1, grid.scale[1] + 0.2)


def number(grid: Grid, cell: int) -> str:
    """A cell's index: in the corner, or in the middle of a slanted cell."""
    place, anchor = (4j, "middle") if grid.down.real else (-17.5 - 9j, "start")
    return text(grid.centre(cell) + place, str(cell), 11, anchor=anchor)


def _layer_names(board: Board, grid: Grid) -> Iterator[str]:
    """The name of each layer: below it, or in a stack in the free corner next to it."""
    _, rows, columns = board.layout
    for first in range(0, len(board), rows * columns):
        name = spoken(board, first).partition(", row")[0]
        corner = grid.corners[first] + columns * grid.across + rows * grid.down.imag * 1j
        if grid.step.imag:
            yield text(corner - 4 - 1j, name, 11, anchor="end")
        else:
            yield text(corner - columns * grid.across / 2 + 14j, name, 11)
