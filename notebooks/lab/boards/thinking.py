"""A player that thinks about its move in the background."""

from contextlib import nullcontext
from math import inf
from random import Random
from threading import TIMEOUT_MAX, Event, Thread
from time import monotonic
from typing import Any

from lab.timeouts import THREADS, end, explain_timeout, locate, timeout
from ttt.board import BoardError
from ttt.players import PLAYERS, Player
from ttt.qubic import strategy

PROVED = PLAYERS["cube-perfect"]  # knows whether it wins
MAX_THINKING_SECONDS = 10.0  # for a student's move; the lab's own players finish by themselves


class Thought:
    """A player thinking about a position in its own thread; once `over` is set, there is a `move` or an `error`."""

    def __init__(self, player: Player, board: Any, rng: Random) -> None:
        self.player, self.board, self.rng = player, board, rng
        self.own = player not in PLAYERS.values()  # whether it is a student's player
        self.deadline = monotonic() + (MAX_THINKING_SECONDS if self.own else inf)
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
            with timeout(MAX_THINKING_SECONDS) if self.own and not THREADS else nullcontext():
                self.move = self.player.choose(self.board, self.rng)
            if self.player is PROVED:
                choice = strategy.choose(self.board)
                sure = choice is not None and choice.promise
                promise = "From here I win, whatever you do." if sure else "From here I promise nothing."
                self.remark = f"{self.player.name}: “{promise}” "
        except BaseException as error:  # for the waiting thread, if it still waits
            if not self.over.is_set():
                self.error = self._late(error) if isinstance(error, TimeoutError) else error
        self.over.set()

    def wait(self, seconds: float = TIMEOUT_MAX) -> bool:
        """Wait at most this long, or until its time is up; return whether there is nothing left to wait for."""
        left = self.deadline - monotonic()
        if not self.over.wait(min(seconds, left)) and left <= seconds:
            self.error = self._late(locate(self.thread))
            self.drop()
        return self.over.is_set()

    def _late(self, error: TimeoutError) -> BoardError:
        return BoardError(explain_timeout(error, self.player.name, MAX_THINKING_SECONDS))

    def drop(self) -> None:
        """Stop waiting, and end a student's player, because an endless loop would slow down everything else.

        The lab's own players finish by themselves, and might just be loading or compiling something.
        """
        running = self.own and not self.over.is_set()
        self.over.set()  # first, so that the thread keeps quiet about how it ended
        if running:
            end(self.thread)
