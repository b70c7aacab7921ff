"""A player that thinks about its move in the background."""

from contextlib import nullcontext, suppress
from random import Random
from threading import TIMEOUT_MAX, Event, Thread
from time import monotonic
from typing import Any

from lab.timeouts import THREADS, end, timeout
from ttt.players import PLAYERS, Player


class Thought:
    """A player thinking about a position in its own thread; once `over` is set, there is a `move` or an `error`.

    The lab's own players may think as long as they like: they finish by themselves, and their move is what matters.
    A player, or its rule, may have a method `remark(board)` that says what it can promise from here.
    """

    def __init__(self, player: Player, board: Any, rng: Random, seconds: float | None) -> None:
        self.player, self.board, self.rng = player, board, rng
        self.own = player not in PLAYERS.values()  # whether it is a student's player
        self.limit = seconds if self.own else None
        self.deadline = monotonic() + (TIMEOUT_MAX if self.limit is None else self.limit)
        self.move: Any = None
        self.error: BaseException | None = None
        self.remark = ""
        self.over = Event()
        self.thread = Thread(target=self.think, daemon=True)
        if THREADS:
            self.thread.start()
        else:
            self.think()

    def think(self) -> None:
        try:
            with nullcontext() if THREADS or self.limit is None else timeout(self.limit):
                move = self.player.choose(self.board, self.rng)
            with suppress(Exception):  # a faulty remark must not cost the move
                remark = getattr(self.player, "remark", None) or getattr(self.player.rule, "remark", None)
                self.remark = f"{self.player.name}: “{remark(self.board)}” " if remark else ""
            self.move = move
        except BaseException as error:  # for the waiting thread, if it still waits
            late = self.over.is_set() or monotonic() >= self.deadline
            stopped = isinstance(error, TimeoutError) and not THREADS  # by the limit above
            if not (late or stopped):
                self.error = error
        self.over.set()

    def wait(self, seconds: float = TIMEOUT_MAX) -> bool:
        """Wait at most this long, or until its time is up; return whether there is nothing left to wait for."""
        return self.over.wait(min(seconds, self.deadline - monotonic())) or monotonic() >= self.deadline

    def drop(self) -> None:
        """Stop waiting, and end a student's player, because an endless loop would slow down everything else.

        The lab's own players finish by themselves, and might just be loading or compiling something.
        """
        running = self.own and not self.over.is_set()
        self.over.set()  # first, so that the thread keeps quiet about how it ended
        if running:
            end(self.thread)
