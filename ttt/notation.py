"""How cells and values are written: a cell's place in words, and numbers with their sign."""

import math
from numbers import Number

from ttt.board import Board, BoardError


def spoken(board: Board, cell: int) -> str:
    """A cell's place in words, counted from 1: "row 1, column 2", with the layer if the board has layers."""
    place = [coordinate + 1 for coordinate in board.coordinates(cell)]
    names = ["row", "column"] if len(place) > 1 else ["cell"]
    layers = place[: -len(names)]
    parts = [f"layer {' '.join(map(str, layers))}"] if layers else []
    return ", ".join(parts + [f"{name} {n}" for name, n in zip(names, place[len(layers) :], strict=True)])


def in_cell(value: float | str) -> str:
    """A cell's value as it is written there: a number with its sign, or a text. Raises `BoardError` for others."""
    if not isinstance(value, str | Number):
        advice = " Is a `return` missing?" if value is None else ""
        raise BoardError(f"A cell shows a number or a text, not {value!r}.{advice}")
    return value if isinstance(value, str) else signed(value)


def signed(number: float) -> str:
    """A value with its sign: whole numbers as +3, 0 or −1, others with two decimals, such as 0.58, NaN as ?."""
    if not math.isfinite(number):
        return {math.inf: "+∞", -math.inf: "−∞"}.get(number, "?")
    text = f"{int(number):+}" if number == int(number) else f"{float(number):.2f}"
    return {"+0": "0", "-0.00": "0.00"}.get(text, text).replace("-", "−")
