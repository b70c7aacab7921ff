"""A player that thinks in the background.

A player can tell more than its move. It, or its rule, may have these attributes, functions of the board:

- `remark(board) -> str`: what it can promise from here; said with its move. May also be a string.
- `progress(board) -> str`: how far its thinking is, such as "depth 5"; called while it thinks, shown beside the clock.
- `best_so_far(board) -> cell | None`: what it would play if it had to move now; called when it is stopped.
"""

from __future__ import annotations

import ctypes
from contextlib import suppress
from operator import index
from random import Random
from threading import Event, Thread
from time import monotonic
from typing import Any

from ttt.board import Board, BoardError
from ttt.players import PLAYERS, Player


class Thought:
    """A player thinking about a board in a thread of its own, from now on.

    Afterwards either `cell` or `error` is set. A thought that is dropped is over at once, whatever it finds later.
    """

    def __init__(self, player: Player, board: Board, rng: Random) -> None:
        self.player = player
        self.board = board
        self.cell: int | None = None
        self.remark = ""
        self.error: BaseException | None = None
        self.over = Event()  # there is a result, or nobody waits for one
        self.taken = Event()  # the result is on the board
        self._rng = rng
        self._begun = monotonic()
        self._thread = Thread(target=self._think, name=f"{player.name} thinks", daemon=True)
        try:
            self._thread.start()
        except RuntimeError:  # no threads, as in JupyterLite
            self._think()

    @property
    def seconds(self) -> float:
        """How long it has been thinking."""
        return monotonic() - self._begun

    def _think(self) -> None:
        try:
            self.cell = self.player.choose(self.board, self._rng)
            remark = self.asked("remark")
            self.remark = f"{self.player.name}: “{remark}”" if remark else ""
        except BaseException as error:  # raised again by result()
            self.error = error
        finally:
            self.over.set()

    def result(self) -> int:
        """The cell found. Raises whatever stopped the player."""
        if self.error:
            raise self.error
        assert self.cell is not None
        return self.cell

    def asked(self, question: str) -> Any:
        """The player's answer, or None if it doesn't answer this question; a fault here must not cost the move."""
        player = self.player
        answer = getattr(player, question, None) or getattr(player.rule, question, None)
        with suppress(Exception):
            return answer(self.board) if callable(answer) else answer
        return None

    def best_so_far(self) -> int | None:
        """The free cell that the player would choose now; None if it doesn't say."""
        with suppress(BoardError, TypeError):
            cell = self.asked("best_so_far")
            return index(cell) if self.board[cell] == "-" else None
        return None

    def drop(self) -> None:
        """Forget the player and end its thread, since an endless loop would slow down everything else.

        Only students' players are ended like this. The lab's own players finish by themselves, and one of them might be
        in the middle of loading or compiling something.
        """
        self.over.set()
        self.taken.set()
        if self._thread.is_alive() and self.player not in PLAYERS.values():
            thread = ctypes.c_ulong(self._thread.ident or 0)
            ctypes.pythonapi.PyThreadState_SetAsyncExc(thread, ctypes.py_object(SystemExit))  # ends silently
