"""The perfect player of 4×4×4: moving first, it wins every game, and it says when it can't promise that."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from ttt.board import Board, BoardError, GameOver
from ttt.qubic import certificate, forced, verifier

SHAPE = (4, 4, 4)
FORCED = "From here every three forces a reply, until two threes come at once."


class NotQubic(BoardError):
    """The perfect player knows the 4×4×4 board only."""


class Choice(NamedTuple):
    """A move, whether it is part of a win against every defence, and the reason, as a sentence."""

    cell: int
    promise: bool
    why: str


def choose(board: Board, fallback: Callable[[Board], int]) -> Choice:
    """Win at once, else stop a three, else force a win, else play the certificate's move, else ask another player.

    Args:
        board: a 4×4×4 board that is not over.
        fallback: chooses a cell where nothing is known: moving second, or when the first player has left the path.

    A promise is a proof: a line that can be completed, a forced win, or a position of the certificate. A stop promises
    a win where the proof goes through the position after it. Raises `NotQubic` and `GameOver`.
    """
    if board.shape != SHAPE or board.k != 4:
        raise NotQubic("The perfect player plays on 4×4×4, four in a row.")
    if board.over:
        raise GameOver("The game is over: there is no move left to choose.")
    mine, theirs = (board.x, board.o) if board.turn == "X" else (board.o, board.x)
    memory = _memory()
    win, stop = forced.holes(mine, theirs), forced.holes(theirs, mine)
    if win:
        return Choice(_lowest(win), True, "This completes a line.")
    line = forced.winning_line(mine, theirs, memory)
    if line:
        return Choice(line[0], True, FORCED)
    if stop:
        covered = board.turn == "X" and not stop & (stop - 1) and _holds(mine | stop, theirs)
        return Choice(_lowest(stop), covered, "This stops a line" + (", and the proof goes on." if covered else "."))
    known = certified(mine, theirs) if board.turn == "X" else None
    if known is not None:
        return Choice(known, True, "The proof that the first player wins plays here.")
    return Choice(fallback(board), False, "No proof goes through this position: this is the fallback's best.")


def certified(attacker: int, defender: int) -> int | None:
    """The certificate's move in a position with the first player to move, looked up under the 192 automorphisms."""
    position = certificate.canonical(attacker, defender)
    cell = _moves().get(position)
    if cell is None:
        return None
    image = list(zip(certificate.images(attacker), certificate.images(defender), strict=True)).index(position)
    return next(back for back in range(64) if certificate.images(1 << back)[image] == 1 << cell)


def _holds(attacker: int, defender: int) -> bool:
    """Whether the proof covers a position with the defender to move: each of his replies is answered by it."""
    try:
        _proof().defend(attacker, defender)
    except certificate.ProofError:
        return False
    return True


@cache
def _proof() -> verifier.Check:
    return verifier.Check(_moves())


@cache
def _moves() -> certificate.Certificate:
    return certificate.load()


def _lowest(cells: int) -> int:
    return (cells & -cells).bit_length() - 1


@cache
def _memory() -> forced.Scratch:
    return forced.scratch()
