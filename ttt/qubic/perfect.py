"""The perfect player of 4×4×4: moving first it wins every game, and it says when it can't promise that."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from ttt import symmetry
from ttt.board import Board, BoardError, GameOver
from ttt.qubic import certificate, forced
from ttt.qubic.forced import CUBE, lowest
from ttt.qubic.verifier import Check

FORCED = "From here every three forces a reply, until two threes come at once."


class NotQubic(BoardError):
    """The perfect player plays on the 4×4×4 board only."""


class Choice(NamedTuple):
    """A move, whether it is part of a win against every defence, and the reason as a sentence."""

    cell: int
    promise: bool
    why: str


def choose(board: Board, fallback: Callable[[Board], int]) -> Choice:
    """Win at once; otherwise stop a three, force a win, play the certificate's move, or ask another player.

    Args:
        board: a 4×4×4 board that is not over.
        fallback: chooses a cell if nothing is known: when moving second, or when the first player has left the proof.

    A promise is a proof: a line that can be completed, a forced win, or a position of the certificate. A move that
    stops a three promises a win if the proof covers the position after it. Raises `NotQubic` and `GameOver`.
    """
    if board.shape != CUBE.shape or board.k != CUBE.k:
        raise NotQubic(f"The perfect player plays on 4×4×4, four in a row, not on {board!r}.")
    if board.over:
        raise GameOver("The game is over: there is no move left to choose.")
    own, other = (board.x, board.o) if board.turn == "X" else (board.o, board.x)
    if forced.winning_cells(own, other):
        return Choice(lowest(forced.winning_cells(own, other)), True, "This completes a line.")
    line = forced.winning_line(own, other)
    if line:
        return Choice(line[0], True, FORCED)
    stop = forced.winning_cells(other, own)
    if stop:
        if board.turn == "X" and _check().wins(own | stop & -stop, other):
            return Choice(lowest(stop), True, "This stops a line, and the proof goes on.")
        return Choice(lowest(stop), False, "This stops a line.")
    known = certified(own, other) if board.turn == "X" else None
    if known is not None:
        return Choice(known, True, "The proof that the first player wins plays here.")
    return Choice(fallback(board), False, "The proof does not cover this position: this is the fallback's best move.")


def certified(attacker: int, defender: int) -> int | None:
    """The certificate's move in a position with the first player to move, in any orientation; None if it has none."""
    position = certificate.canonical(attacker, defender)
    if position not in _check().certificate:
        return None
    images = zip(symmetry.images(CUBE, attacker), symmetry.images(CUBE, defender), strict=True)
    turn = symmetry.automorphisms(CUBE)[list(images).index(position)]
    return turn.index(_check().certificate[position])


@cache
def _check() -> Check:
    """The steps of the shipped proof."""
    return Check(certificate.load())
