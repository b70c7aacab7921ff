"""A board on screen: shows a position and tells which cell a person chose."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import anywidget
import traitlets

from ttt.board import Board
from ttt.players import explained
from ttt.svg import layer_names, signed, spoken

_HERE = Path(__file__).parent


class BoardView(anywidget.AnyWidget):
    """A board that can be clicked, or played with the keyboard, and that speaks to screen readers.

    Args:
        board: the position to show; flat boards and boards with layers alike.
        on_play: called with the index of the cell that a person chose. Without it the board is only looked at.

    What is shown can be changed at any time through `show` and `say`.
    """

    _esm = _HERE / "board.js"
    _css = _HERE / "board.css"

    size = traitlets.List(traitlets.Int()).tag(sync=True)  # layers, rows, columns
    layers = traitlets.List(traitlets.Unicode()).tag(sync=True)  # the names of the layers; none on a flat board
    names = traitlets.List(traitlets.Unicode()).tag(sync=True)
    marks = traitlets.Unicode().tag(sync=True)
    turn = traitlets.Unicode().tag(sync=True)  # the mark that a click would make; "" where it makes none
    last = traitlets.Int(-1).tag(sync=True)
    winning = traitlets.List(traitlets.Int()).tag(sync=True)
    values = traitlets.List(traitlets.Unicode()).tag(sync=True)
    best = traitlets.List(traitlets.Int()).tag(sync=True)
    hint = traitlets.Int(-1).tag(sync=True)
    numbers = traitlets.Bool(False).tag(sync=True)
    status = traitlets.Dict().tag(sync=True)

    def __init__(self, board: Board | None = None, on_play: Callable[[int], None] | None = None) -> None:
        super().__init__()
        self._on_play = on_play
        self._said = 0
        self.show(Board() if board is None else board)
        self.say("")
        self.on_msg(self._on_message)

    def show(
        self,
        board: Board,
        *,
        last: int | None = None,
        values: Mapping[int, float] | None = None,
        hint: int | None = None,
    ) -> None:
        """Show a position, in one update.

        Args:
            last: the cell of the last move.
            values: a number for each free cell; the highest are framed.
            hint: a cell to point at.
        """
        known = values or {}
        highest = max(known.values(), default=None)
        with self.hold_sync():
            self.board = board
            self.size = list(board.layout)
            self.layers = layer_names(board)
            self.names = [spoken(board, cell) for cell in range(len(board))]
            self.marks = "".join(board)
            self.turn = "" if board.over or self._on_play is None else board.turn
            self.last = -1 if last is None else last
            self.winning = sorted({cell for line in board.winning_lines for cell in line})
            self.values = [signed(known[cell]) if cell in known else "" for cell in range(len(board))]
            self.best = [cell for cell, number in known.items() if number == highest]
            self.hint = -1 if hint is None else hint

    def say(self, text: str, tone: str = "") -> None:
        """Write a message above the board; screen readers speak it, even when it comes a second time.

        Args:
            tone: "end" for the end of a game, "error" for what went wrong.
        """
        self._said += 1
        self.status = {"text": text, "tone": tone, "count": self._said}

    def _on_message(self, _widget: object, content: dict[str, Any], _buffers: object) -> None:
        if self._on_play is None or "play" not in content:
            return
        try:
            self._on_play(content["play"])
        except Exception as error:  # nobody else would hear of it
            self.say(explained(error, getattr(self._on_play, "__name__", "on_play")), "error")

    def __repr__(self) -> str:
        return "\n".join(filter(None, [self.status["text"], str(self.board)]))
