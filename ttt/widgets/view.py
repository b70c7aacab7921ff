"""A board on screen: it shows a position and reports the cell that a person chooses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import traitlets

from ttt.board import Board, require_board
from ttt.players.rules import threats
from ttt.svg import Picture, draw, layer_names, signed, spoken
from ttt.widgets.snapshot import Announcer, script, style

LOOKS = {"slanted": "Slanted", "turned": "Turned", "side": "Side by side"}  # how layers are arranged


class BoardView(Announcer):
    """A board to play on with mouse or keyboard, which also works with screen readers.

    Args:
        board: the position to show, flat or with layers.
        on_play: called with the index of the cell that a person chose. Without it the board can only be looked at.
        look: how layers are arranged: in a stack seen from the front ("slanted") or from a corner ("turned"), or side
            by side ("side").

    Change what is shown with `show`, `say` and `think`, and by setting `look`, `threats` (whether to draw lines that
    need one more mark) and `numbers` (of the cells). Raises `TraitError` for another look.
    """

    _esm = script("board.js")
    _css = style("board.css")

    size = traitlets.List(traitlets.Int()).tag(sync=True)  # layers, rows, columns
    layers = traitlets.List(traitlets.Unicode()).tag(sync=True)  # their names; none on a flat board
    names = traitlets.List(traitlets.Unicode()).tag(sync=True)
    marks = traitlets.Unicode().tag(sync=True)
    turn = traitlets.Unicode().tag(sync=True)  # the mark that a click would make, or ""
    last = traitlets.Int(-1).tag(sync=True)
    winning = traitlets.List(traitlets.Int()).tag(sync=True)
    values = traitlets.List(traitlets.Unicode()).tag(sync=True)
    best = traitlets.List(traitlets.Int()).tag(sync=True)
    hint = traitlets.Int(-1).tag(sync=True)
    numbers = traitlets.Bool(False).tag(sync=True)
    look = traitlets.Enum(list(LOOKS), "side").tag(sync=True)
    lines = traitlets.List(traitlets.Dict()).tag(sync=True)  # through layers: completed lines or threats
    threats = traitlets.Bool(False).tag(sync=True)
    thinking = traitlets.Dict().tag(sync=True)  # seconds and note, or empty

    def __init__(
        self, board: Board | None = None, on_play: Callable[[int], None] | None = None, *, look: str = "side"
    ) -> None:
        super().__init__(look=look)
        self._playable = on_play is not None
        self.show(Board() if board is None else board)
        if on_play is not None:
            self.on_request("play", on_play, getattr(on_play, "__name__", "on_play"))

    def show(
        self,
        board: Board,
        *,
        last: int | None = None,
        values: Mapping[int, float] | None = None,
        hint: int | None = None,
        playable: bool = True,
    ) -> None:
        """Show a position, in a single update.

        Args:
            last: the cell of the last move.
            values: a number for each free cell; the highest are framed.
            hint: a cell to point out.
            playable: whether a click makes a move now.
        """
        require_board(board, type(self).__name__)
        known = values or {}
        highest = max(known.values(), default=None)
        with self.hold_sync():
            self.board = board
            self.size = list(board.layout)
            self.layers = layer_names(board)
            self.names = [spoken(board, cell) for cell in range(len(board))]
            self.marks = "".join(board)
            self.turn = board.turn if playable and self._playable and not board.over else ""
            self.last = -1 if last is None else last
            self.winning = sorted({cell for line in board.winning_lines for cell in line})
            self.values = [signed(known[cell]) if cell in known else "" for cell in range(len(board))]
            self.best = [cell for cell, number in known.items() if number == highest]
            self.hint = -1 if hint is None else hint
            self.lines = _drawn_lines(board)

    def think(self, seconds: float | None = None, note: str = "") -> None:
        """Show a clock, started this many seconds ago, and a note on how far the thinking is; None hides it."""
        self.thinking = {} if seconds is None else {"seconds": seconds, "note": note}

    def snapshot(self) -> Picture:
        return draw(self.board, last=None if self.last < 0 else self.last)

    def __repr__(self) -> str:
        return "\n".join(filter(None, [self.status["text"], str(self.board)]))


def _drawn_lines(board: Board) -> list[dict[str, Any]]:
    """The lines to draw through a board's layers: threats during the game, completed lines at its end."""
    if board.layout[0] == 1:
        return []
    if board.over:
        return [{"mark": board.winner, "cells": list(line), "free": -1} for line in board.winning_lines]
    return [
        {"mark": mark, "cells": list(line), "free": next(cell for cell in line if board[cell] == "-")}
        for mark in "XO"
        for line in threats(board, mark)
    ]
