"""The notes of a search that somebody watches: whatever happens is told."""

from __future__ import annotations

from typing import Any

from ttt.board import Board
from ttt.record import Step, Watch
from ttt.search.notes import Notes


class WatchedNotes(Notes):
    """Notes of alpha-beta, each of which is told as a `Step`."""

    def __init__(self, watch: Watch, *search: Any) -> None:
        super().__init__(*search)
        self.watch = watch
        self.here: list[Any] = [None] * (self.depth + 1)  # for each ply the node, alpha and beta

    def visit_or_recall(self, board: Board, ply: int, alpha: float, beta: float) -> float | None:
        known = super().visit_or_recall(board, ply, alpha, beta)
        self.here[ply] = board, alpha, beta
        self._tell("visit" if known is None else "leaf", ply, known)
        if known is not None:
            self._tell_above(ply, known)
        return known

    def better(self, move: int, ply: int, worth: float, alpha: float, beta: float) -> None:
        super().better(move, ply, worth, alpha, beta)
        self.here[ply] = self.here[ply][0], max(alpha, worth), beta

    def cut(self, move: int, ply: int, tried: int) -> None:
        super().cut(move, ply, tried)
        self._tell("cut", ply, self.here[ply][1], move)

    def remember(self, board: Board, ply: int, worth: float, alpha: float, beta: float) -> None:
        super().remember(board, ply, worth, alpha, beta)
        self.here[ply] = board, alpha, beta
        self._tell("return", ply, worth)
        self._tell_above(ply, worth)

    def _tell_above(self, ply: int, worth: float) -> None:
        """The value that comes back to the node above."""
        if ply:
            above, below = self.here[ply - 1][0], self.here[ply][0]
            move = ((above.x | above.o) ^ (below.x | below.o)).bit_length() - 1
            self._tell("value", ply - 1, -worth, move)

    def _tell(self, kind: str, ply: int, value: float | None, move: int | None = None) -> None:
        board, alpha, beta = self.here[ply]
        self.watch(Step(kind, board, ply, alpha, beta, value, move))
