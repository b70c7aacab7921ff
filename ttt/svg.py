"""Drawings of boards as SVG: crisp at any size, legible on a light and on a dark page, with the board's text inside.

A drawing can't know the page that it will stand on, and no grey is legible on both, so it brings its own white paper.
The marks are middle tones, at least 3:1 against white and against black. X and O differ by shape, and by a blue and an
orange that colour-blind readers can tell apart.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise

from ttt.board import Board, Line, Mark

INK = {"X": "#0072B2", "O": "#D55E00", "-": "#808080"}
CELL = 48
MARGIN = 6
GAP = 24
WIDEST = 860  # where a row of pictures wraps
STYLE = (
    "text{font-family:system-ui,sans-serif;fill:#757575;text-anchor:middle}"
    ".value{font-size:20px;font-weight:700}.long{font-size:14px;font-weight:700}.longer{font-size:11px;font-weight:700}.small{font-size:11px}.caption{font-size:15px}"
)


@dataclass(frozen=True)
class Picture:
    """A drawing that a notebook shows; `str(picture)` is the SVG.

    Args:
        width, height: in pixels.
        body: the SVG inside.
        title: what it shows, in a few words.
        text: the same in plain text, for those who can't see it.
    """

    width: int
    height: int
    body: str
    title: str
    text: str

    def __str__(self) -> str:
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{self.width}" height="{self.height}" '
            f'viewBox="0 0 {self.width} {self.height}" style="max-width:100%;height:auto">'
            f"<title>{escape(self.title)}</title><desc>{escape(self.text)}</desc><style>{STYLE}</style>"
            f'<path d="M0 0h{self.width}v{self.height}H0z" fill="#fff"/>{self.body}</svg>'
        )

    def _repr_svg_(self) -> str:
        return str(self)

    def __repr__(self) -> str:
        return self.text


def draw(
    board: Board,
    *,
    values: Mapping[int, float | str] | None = None,
    lines: Iterable[Line] = (),
    player: Mark = "-",
    last: int | None = None,
    numbers: bool = False,
    caption: str = "",
) -> Picture:
    """A board: its marks, the winning line, and what else is asked for. Layers stand side by side.

    Args:
        values: a number for each free cell, written into it with its sign; the highest are framed. Or texts, as they
            stand.
        lines: lines to draw across the board, in the colour of `player`.
        last: the cell of the last move, marked with a dot.
        numbers: whether to write each free cell's index into it.
        caption: a text below the board.

    Raises `TypeError` for what is no board.
    """
    if not isinstance(board, Board):
        raise TypeError(f"A board can be drawn, and {board!r} is none. Board.from_text makes one of a text.")
    places = corners(board)
    width = max(x for x, _ in places) + CELL + MARGIN
    bottom = max(y for _, y in places) + CELL + MARGIN
    parts = [_grid(board, places), *(_stroke(places, line, INK[player], 4, 0.8) for line in lines)]
    parts += [_stroke(places, line, INK[board[line[0]]], 16, 0.4) for line in board.winning_lines]
    parts += [_mark(board[cell], *places[cell]) for cell in range(len(board)) if board[cell] != "-"]
    if last is not None:
        parts.append(_dot(*places[board.cell(last)], INK[board[last]]))
    if values:
        highest = max((value for value in values.values() if not isinstance(value, str)), default=None)
        parts += [_value(value, *places[cell], value == highest) for cell, value in values.items()]
    if numbers:
        parts += [_text(places[cell][0] + 9, places[cell][1] + 14, str(cell), "small") for cell in board.moves]
    if names := layer_names(board):
        firsts = places[:: len(board) // len(names)]
        middle = board.layout[2] * CELL / 2
        parts += [_text(x + middle, bottom + 12, name, "small") for (x, _), name in zip(firsts, names, strict=True)]
        bottom += 16
    if caption:
        parts.append(_text(width / 2, bottom + 16, caption, "caption"))
        width, bottom = max(width, 9 * len(caption)), bottom + 22
    return Picture(width, bottom, "".join(parts), _state(board), "\n".join(filter(None, [str(board), caption])))


def beside(pictures: Sequence[Picture], title: str = "", scale: float = 1) -> Picture:
    """Pictures side by side, in rows as wide as a notebook; scale makes them smaller or larger."""
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
    """The positions of a game in order, each with the move that led to it."""
    pictures = [draw(boards[0], caption="start")]
    for before, after in pairwise(boards):
        move = ((before.x | before.o) ^ (after.x | after.o)).bit_length() - 1
        pictures.append(draw(after, last=move, caption=f"{before.turn} plays {move}"))
    return beside(pictures, title, scale=0.75)


def spoken(board: Board, cell: int) -> str:
    """A cell's place in words, counted from 1: "row 1, column 2", with its layer only where there are layers."""
    place = [coordinate + 1 for coordinate in board.coordinates(cell)]
    names = ["row", "column"] if len(place) > 1 else ["cell"]
    layers = place[: -len(names)]
    parts = [f"layer {' '.join(map(str, layers))}"] if layers else []
    return ", ".join(parts + [f"{name} {n}" for name, n in zip(names, place[len(layers) :], strict=True)])


def corners(board: Board) -> list[tuple[int, int]]:
    """Each cell's upper left corner in pixels."""
    _, rows, columns = board.layout
    places = []
    for cell in range(len(board)):
        rest, column = divmod(cell, columns)
        layer, row = divmod(rest, rows)
        places.append((MARGIN + column * CELL + layer * (columns * CELL + GAP), MARGIN + row * CELL))
    return places


def layer_names(board: Board) -> list[str]:
    """The names of a board's layers, "layer 1" and so on; a flat board's one layer has none."""
    layers, rows, columns = board.layout
    firsts = range(0, len(board), rows * columns) if layers > 1 else ()
    return [spoken(board, first).partition(", row")[0] for first in firsts]


def _grid(board: Board, places: list[tuple[int, int]]) -> str:
    """The lines between the cells of each layer."""
    _, rows, columns = board.layout
    path = []
    for first in range(0, len(board), rows * columns):
        x, y = places[first]
        path += [f"M{x + n * CELL} {y}v{rows * CELL}" for n in range(1, columns)]
        path += [f"M{x} {y + n * CELL}h{columns * CELL}" for n in range(1, rows)]
    return f'<path d="{"".join(path)}" stroke="{INK["-"]}" stroke-width="2" stroke-linecap="round"/>'


def _mark(mark: Mark, x: int, y: int) -> str:
    style = f'fill="none" stroke="{INK[mark]}" stroke-width="6" stroke-linecap="round"'
    if mark == "X":
        return f'<path d="M{x + 14} {y + 14}l20 20m0-20l-20 20" {style}/>'
    return f'<circle cx="{x + CELL // 2}" cy="{y + CELL // 2}" r="11.5" {style}/>'


def _stroke(places: list[tuple[int, int]], line: Line, ink: str, width: int, opacity: float) -> str:
    points = " ".join(f"{x + CELL // 2},{y + CELL // 2}" for x, y in (places[cell] for cell in line))
    return (
        f'<polyline points="{points}" fill="none" stroke="{ink}" stroke-width="{width}" '
        f'stroke-opacity="{opacity}" stroke-linecap="round" stroke-linejoin="round"/>'
    )


def _dot(x: int, y: int, ink: str) -> str:
    return f'<circle cx="{x + CELL - 7}" cy="{y + CELL - 7}" r="3" fill="{ink}"/>'


def _value(value: float | str, x: int, y: int, highest: bool) -> str:
    frame = f'<rect x="{x + 5}" y="{y + 8}" width="{CELL - 10}" height="{CELL - 16}" rx="7" fill="none" '
    frame += f'stroke="{INK["-"]}" stroke-width="2"/>'
    text = value if isinstance(value, str) else signed(value)
    wide = len(text) + text.count("%")
    kind = "value" if wide < 4 else "long" if wide < 5 else "longer"
    return (frame if highest else "") + _text(x + CELL / 2, y + CELL / 2 + 7, text, kind)


def signed(number: float) -> str:
    """A value as one writes it: whole numbers with their sign, as +3, 0 or −1, others to two places, as 0.58."""
    if math.isinf(number):
        return "+∞" if number > 0 else "−∞"
    text = f"{int(number):+}" if number == int(number) else f"{float(number):.2f}"
    return {"+0": "0", "-0.00": "0.00"}.get(text, text).replace("-", "−")


def _text(x: float, y: float, text: str, kind: str) -> str:
    return f'<text x="{x:g}" y="{y:g}" class="{kind}">{escape(text)}</text>'


def _state(board: Board) -> str:
    end = "a draw" if board.winner is None else f"{board.winner} has won"
    return f"Tic-tac-toe: {end if board.over else f'{board.turn} to move'}"
