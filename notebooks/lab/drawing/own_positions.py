"""What a position of any game says of itself, and what it calls its moves."""

import re
from typing import Any

from lab.timeouts import explained
from ttt.board import Board
from ttt.position import BadGame
from ttt.svg import Picture, draw, text
from ttt.words import short_repr, without_addresses

FONT_SIZE = 14  # pixels
LETTER_WIDTH, LINE_HEIGHT = 8.54, 17.5  # pixels, of monospaced text in this size


def position_text(position: Any) -> str:
    """A position's own text, or the error it raises."""
    try:
        return without_addresses(str(position))
    except Exception as error:
        return explained(error, type(position).__name__)


def named_parts(said: str) -> list[tuple[str, str]]:
    """What two spaces or more keep apart in a single line, such as heaps: the name before a colon, and the rest."""
    parts = [] if "\n" in said else re.split(" {2,}", said.strip())
    named = (part.rpartition(": ") for part in parts)
    return [(name, rest) for name, _, rest in named] if len(parts) > 1 else []


def called(position: Any, move: Any) -> str:
    """A position's name for a move: its own `describe(move)`, a cell's number, or the move as text.

    Raises `BadGame` if `describe` returns no text.
    """
    describe = getattr(position, "describe", None)
    if describe is None:
        name = ", ".join(map(str, move)) if isinstance(move, tuple) else str(move)
        return " ".join(without_addresses(name).split()) or short_repr(move)
    name = describe(move)
    if not isinstance(name, str) or not name.strip():
        call = f"{type(position).__name__}.describe({short_repr(move)})"
        raise BadGame(f"`{call}` must return a text, not {short_repr(name)}.")
    return " ".join(without_addresses(name).split())


def move_name(position: Any, move: Any) -> str:
    """A position's name for a move, or the error that its `describe` raises."""
    try:
        return called(position, move)
    except Exception as error:
        return explained(error, type(position).__name__)


def move_told(side: str, name: str, position: Any) -> str:
    """Who makes which move: "X plays 4", or "X: take 2 from heap 1" in a game that describes its moves."""
    return f"{side}: {name}" if hasattr(position, "describe") else f"{side} plays {name}"


def brief(position: Any) -> str:
    """A position's own text in brackets, if it is short."""
    said = position_text(position)
    return f" ({said})" if len(said) < 48 and "\n" not in said else ""


def picture(position: Any, title: str, last: Any = None, caption: str = "") -> Picture:
    """A position as a picture to save: a board's drawing, or another game's text."""
    if isinstance(position, Board):
        last = last if type(position) is Board else None  # others have moves of their own
        return draw(position, last=last, caption=caption)
    said = f"{position_text(position)}\n{caption}".rstrip()
    lines = said.splitlines() or [""]
    rows = [text(complex(8, 20 + n * LINE_HEIGHT), line, FONT_SIZE, anchor="start") for n, line in enumerate(lines)]
    body = f'<g font-family="monospace" style="white-space:pre">{"".join(rows)}</g>'
    width = round(LETTER_WIDTH * max(map(len, lines))) + 16
    return Picture(width, round(LINE_HEIGHT * len(lines)) + 14, body, title, said)
