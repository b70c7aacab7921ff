"""A player that thinks in the background, and how it is ended: by Stop or by the clock.

It thinks in a thread of its own, so the board is free at once, whatever becomes of the thread: `limits` says what can
be ended and what can't.

A player, or its rule, may have a method `remark(board)`: what it can promise from here, which is said with its move.
"""

from __future__ import annotations

from contextlib import nullcontext, suppress
from math import inf
from random import Random
from threading import Event, Thread
from time import monotonic

from ttt.board import Board
from ttt.players import PLAYERS, Player
from ttt.runtime.limits import THREADS, end, timeout


class Thought:
    """A player thinking about a board, from now on. When it is `over`, there is a `cell`, or an `error`.

    Args:
        seconds: how long it may think, or None. The lab's own players may think as long as they like: they finish by
            themselves, and their move is the point of them.
    """

    def __init__(self, player: Player, board: Board, rng: Random, seconds: float | None = None) -> None:
        self.player, self.board, self._rng = player, board, rng
        self._registered = player in PLAYERS.values()  # one of the lab's players
        self.limit = None if self._registered else seconds
        self._deadline = inf if self.limit is None else monotonic() + self.limit
        self.cell: int | None = None
        self.error: BaseException | None = None
        self.remark = ""
        self.over = Event()
        self.thread = Thread(target=self._think, daemon=True)
        if THREADS:
            self.thread.start()
        else:
            self._think()

    def wait(self, seconds: float = inf) -> bool:
        """Wait until it is over, for so long at most, or until its time is up; tells whether nothing is left to do."""
        pause = min(seconds, self._deadline - monotonic())
        return self.over.wait(None if pause == inf else max(pause, 0)) or self.late

    @property
    def late(self) -> bool:
        """Whether its time was up before it had a move."""
        return self.cell is None and monotonic() >= self._deadline

    def _think(self) -> None:
        try:
            with nullcontext() if THREADS or self.limit is None else timeout(self.limit):
                cell = self.player.choose(self.board, self._rng)
            with suppress(Exception):  # a remark must not cost the move
                remark = getattr(self.player, "remark", None) or getattr(self.player.rule, "remark", None)
                self.remark = f"{self.player.name}: “{remark(self.board)}”" if remark else ""
            self.cell = cell
        except BaseException as error:  # for the thread that waits, unless it no longer does
            self.error = None if self.over.is_set() else error
        self.over.set()

    def drop(self) -> None:
        """Wait no longer, and end a student's player, since an endless loop would slow down everything else.

        The lab's own finish by themselves, and one of them might be in the middle of loading or compiling something.
        """
        ended = self.over.is_set()
        self.over.set()
        if not (ended or self._registered):
            end(self.thread)
