"""What a notebook keeps of a widget for those who read it where no kernel runs, as on a Git host's page.

A host shows an image/png beside a widget that it can't run, JupyterLab, Notebook and VS Code prefer the widget. The
pictures are drawn here rather than by matplotlib, whose first import would have students wait for their board.
"""

from __future__ import annotations

import math
import struct
import sys
import zlib
from base64 import b64encode
from collections.abc import Callable
from typing import Any

from ttt.board import Board, Mark
from ttt.svg import CELL, INK, MARGIN, corners

FINE = 2  # pixels of a picture for one on the page
Box = tuple[float, float, float, float]  # left, top, right, bottom


class Canvas:
    """Pixels, clear at first, to draw strokes and rings on, in pixels of the page."""

    def __init__(self, width: float, height: float, fine: float = FINE) -> None:
        self.fine = fine
        self._across = math.ceil(width * fine)
        self._rows = [bytearray(4 * self._across) for _ in range(math.ceil(height * fine))]

    @property
    def size(self) -> dict[str, int]:
        """How large the picture stands on a page."""
        scale = max(self.fine, 1)
        return {"width": round(self._across / scale), "height": round(len(self._rows) / scale)}

    def stroke(self, x: float, y: float, to_x: float, to_y: float, ink: str, width: float, opacity: float = 1) -> None:
        """A straight line with round ends."""
        x, y, to_x, to_y, wide = (self.fine * n for n in (x, y, to_x, to_y, width))
        along, down = to_x - x, to_y - y
        square = along**2 + down**2 or 1

        def distance(column: float, row: float) -> float:
            part = min(1, max(0, ((column - x) * along + (row - y) * down) / square))
            return math.hypot(column - x - part * along, row - y - part * down)

        box = min(x, to_x), min(y, to_y), max(x, to_x), max(y, to_y)
        self._paint(box, distance, ink, wide, opacity)

    def ring(self, x: float, y: float, radius: float, ink: str, width: float) -> None:
        """A circle's outline; a disc where the outline is twice as wide as the radius."""
        x, y, radius, wide = (self.fine * n for n in (x, y, radius, width))
        box = x - radius, y - radius, x + radius, y + radius
        self._paint(box, lambda column, row: abs(math.hypot(column - x, row - y) - radius), ink, wide, 1)

    def grid(self, x: float, y: float, rows: int, columns: int, unit: float, width: float) -> None:
        """The lines between cells of this side, from the upper left corner on."""
        for n in range(1, columns):
            self.stroke(x + n * unit, y, x + n * unit, y + rows * unit, INK["-"], width)
        for n in range(1, rows):
            self.stroke(x, y + n * unit, x + columns * unit, y + n * unit, INK["-"], width)

    def mark(self, mark: Mark, x: float, y: float, unit: float, ink: str, width: float) -> None:
        """A mark in the middle of a cell of this side; an empty cell has none."""
        arm = 0.21 * unit
        if mark == "X":
            self.stroke(x - arm, y - arm, x + arm, y + arm, ink, width)
            self.stroke(x - arm, y + arm, x + arm, y - arm, ink, width)
        elif mark == "O":
            self.ring(x, y, 0.24 * unit, ink, width)

    def png(self) -> bytes:
        """The picture as a file."""
        header = struct.pack(">IIBBBBB", self._across, len(self._rows), 8, 6, 0, 0, 0)
        pixels = zlib.compress(b"".join(b"\0" + row for row in self._rows))
        return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", header) + _chunk(b"IDAT", pixels) + _chunk(b"IEND", b"")

    def _paint(
        self, box: Box, distance: Callable[[float, float], float], ink: str, width: float, opacity: float
    ) -> None:
        """Colour the pixels that are no farther from a shape than half a width, softly at the edge."""
        colour, reach = bytes.fromhex(ink[1:]), width / 2 + 0.5
        left, top, right, bottom = (math.floor(n) for n in box)
        margin = math.ceil(reach)
        for row in range(max(top - margin, 0), min(bottom + margin + 1, len(self._rows))):
            for column in range(max(left - margin, 0), min(right + margin + 1, self._across)):
                cover = reach - distance(column + 0.5, row + 0.5)
                if cover > 0:
                    self._blend(row, column, colour, min(cover, 1) * opacity)

    def _blend(self, row: int, column: int, colour: bytes, cover: float) -> None:
        """Lay a colour over what a pixel has."""
        pixels, at = self._rows[row], 4 * column
        before = pixels[at + 3] / 255 * (1 - cover)
        whole = cover + before
        mixed = [
            round((new * cover + old * before) / whole) for new, old in zip(colour, pixels[at : at + 3], strict=True)
        ]
        pixels[at : at + 4] = bytes([*mixed, round(255 * whole)])


class Still:
    """A widget of which a notebook keeps a picture, as it is when it is shown.

    `kept` switches that off, for one widget (`game.kept = False`) or for all (`Still.kept = False`), for front ends
    that would show the picture in the widget's place.
    """

    kept = sys.platform != "emscripten"  # in the browser's Python, drawing takes too long

    def still(self) -> Canvas:
        """The picture that is kept."""
        raise NotImplementedError

    def _repr_mimebundle_(self, **arguments: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        shown = super()._repr_mimebundle_(**arguments)  # type: ignore[misc]
        data, metadata = shown if isinstance(shown, tuple) else (shown, {})
        data = data | {"text/plain": repr(self)}
        if self.kept:
            picture = self.still()
            data["image/png"] = b64encode(picture.png()).decode()
            metadata = metadata | {"image/png": picture.size}
        return data, metadata


def still(board: Board, last: int | None = None) -> Canvas:
    """A board as its drawing has it, but for all that is written: pixels hold no text that could be read aloud."""
    places = corners(board)
    canvas = Canvas(max(x for x, _ in places) + CELL + MARGIN, max(y for _, y in places) + CELL + MARGIN)
    middles = [(x + CELL / 2, y + CELL / 2) for x, y in places]
    _, rows, columns = board.layout
    for left, top in places[:: rows * columns]:
        canvas.grid(left, top, rows, columns, CELL, 2)
    for cell in {cell for line in board.winning_lines for cell in line}:
        x, y = middles[cell]
        canvas.stroke(x, y, x, y, INK[board[cell]], 40, 0.3)
    for (x, y), mark in zip(middles, board, strict=True):
        canvas.mark(mark, x, y, CELL, INK[mark], 6)
    if last is not None:
        x, y = middles[last]
        canvas.ring(x + 17, y + 17, 1.5, INK[board[last]], 3)
    return canvas


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
