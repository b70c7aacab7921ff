"""A board on screen: shows a position and tells which cell a person chose."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import anywidget
import traitlets

from ttt.board import Board, BoardError, Line, Mark
from ttt.players import explained
from ttt.svg import layer_names, signed, spoken
from ttt.widgets.still import Canvas, Still, still

_HERE = Path(__file__).parent
LOOKS = {"slanted": "Slanted", "turned": "Turned", "side": "Side by side"}  # how layers may stand


class UnknownLook(BoardError):
    """Layers stand slanted, turned or side by side."""


class Threat(NamedTuple):
    """A line that one side completes with its next move there."""

    mark: Mark
    line: Line
    cell: int


def threats(board: Board) -> list[Threat]:
    """The lines on which one cell is free and one side has all the others.

    >>> threats(Board.from_text("XX- OO- ---"))
    [Threat(mark='X', line=(0, 1, 2), cell=2), Threat(mark='O', line=(3, 4, 5), cell=5)]
    """
    return [
        Threat(mark, line, line[marks.index("-")])
        for line, marks in zip(board.line_cells, board.lines, strict=True)
        for mark in "XO"
        if marks.count("-") == 1 and marks.count(mark) == board.k - 1
    ]


class BoardView(Still, anywidget.AnyWidget):
    """A board that can be clicked, or played with the keyboard, and that speaks to screen readers.

    Args:
        board: the position to show; flat boards and boards with layers alike.
        on_play: called with the index of the cell that a person chose. Without it the board is only looked at.
        look: how layers stand, in a stack seen from in front, "slanted", or from a corner, "turned", or "side" by side.

    What is shown can be changed at any time through `show`, `say` and `think`, and by setting `look`, `threats`
    (whether lines that want one more mark are drawn) and `numbers`. Raises `UnknownLook`.
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
    look = traitlets.Unicode("side").tag(sync=True)
    lines = traitlets.List(traitlets.Dict()).tag(sync=True)  # through the layers: completed, or threatened
    threats = traitlets.Bool(False).tag(sync=True)
    thinking = traitlets.Dict().tag(sync=True)  # empty while nobody thinks

    def __init__(
        self, board: Board | None = None, on_play: Callable[[int], None] | None = None, *, look: str = "side"
    ) -> None:
        super().__init__(look=look)
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
        playable: bool = True,
    ) -> None:
        """Show a position, in one update.

        Args:
            last: the cell of the last move.
            values: a number for each free cell; the highest are framed.
            hint: a cell to point at.
            playable: whether a click would make a move now.
        """
        known = values or {}
        highest = max(known.values(), default=None)
        with self.hold_sync():
            self.board = board
            self.size = list(board.layout)
            self.layers = layer_names(board)
            self.names = [spoken(board, cell) for cell in range(len(board))]
            self.marks = "".join(board)
            self.turn = board.turn if playable and self._on_play is not None and not board.over else ""
            self.last = -1 if last is None else last
            self.winning = sorted({cell for line in board.winning_lines for cell in line})
            self.values = [signed(known[cell]) if cell in known else "" for cell in range(len(board))]
            self.best = [cell for cell, number in known.items() if number == highest]
            self.hint = -1 if hint is None else hint
            self.lines = _drawn_lines(board)

    def say(self, text: str, tone: str = "") -> None:
        """Write a message above the board; screen readers speak it, even when it comes a second time.

        Args:
            tone: "end" for the end of a game, "error" for what went wrong.
        """
        self._said += 1
        self.status = {"text": text, "tone": tone, "count": self._said}

    def think(self, seconds: float | None = None, note: str = "") -> None:
        """Show a clock that runs on from so many seconds, with a note on how far the thinking is; None ends it."""
        self.thinking = {} if seconds is None else {"seconds": seconds, "note": note}

    def still(self) -> Canvas:
        """The board, for a notebook that is read without a kernel."""
        return still(self.board, None if self.last < 0 else self.last)

    @traitlets.validate("look")
    def _known_look(self, proposal: dict[str, Any]) -> str:
        if proposal["value"] not in LOOKS:
            raise UnknownLook(f"There is no look {proposal['value']!r}: layers stand {', '.join(map(repr, LOOKS))}.")
        return str(proposal["value"])

    def _on_message(self, _widget: object, content: dict[str, Any], _buffers: object) -> None:
        if self._on_play is None or "play" not in content:
            return
        try:
            self._on_play(content["play"])
        except Exception as error:  # nobody else would hear of it
            self.say(explained(error, getattr(self._on_play, "__name__", "on_play")), "error")

    def __repr__(self) -> str:
        return "\n".join(filter(None, [self.status["text"], str(self.board)]))


def _drawn_lines(board: Board) -> list[dict[str, Any]]:
    """The lines that run through a board's layers: the completed ones, before the end those that want one mark."""
    if board.layout[0] == 1:
        return []
    if board.over:
        return [{"mark": board.winner, "cells": list(line), "free": -1} for line in board.winning_lines]
    return [{"mark": threat.mark, "cells": list(threat.line), "free": threat.cell} for threat in threats(board)]
