"""The first player's winning strategy on 4×4×4: forced wins, and the moves of the proof in between."""

from functools import cache
from typing import NamedTuple

from ttt import symmetry
from ttt.board import Board, BoardError, GameOver, own_and_other, require_board
from ttt.qubic import certificate, forced
from ttt.qubic.forced import EMPTY, lowest
from ttt.qubic.verifier import ProofChecker


class Choice(NamedTuple):
    """A move, whether it is part of a win against every defence, and the reason as a sentence."""

    cell: int
    promise: bool
    why: str


def choose(board: Board) -> Choice | None:
    """Complete a line, or force a win, or block a three, or play the certificate's move; None if it has none.

    A promise is backed by proof. The certificate has no moves for the second player, or where the first player has left
    the proof. Raises `GameOver`, and `BoardError` unless this is 4×4×4.
    """
    require_board(board, "The proof")
    if board.shape != EMPTY.shape or board.k != EMPTY.k:
        raise BoardError(f"The proof covers only 4×4×4 with four in a row, not {board!r}.")
    if board.over:
        raise GameOver("The game is over: there is no move left to choose.")
    own, other = own_and_other(board, board.turn)
    if forced.winning_cells(own, other):
        return Choice(lowest(forced.winning_cells(own, other)), True, "This completes a line.")
    line = forced.winning_line(own, other)
    if line:
        return Choice(line[0], True, "From here every three forces a reply, until there are two threes at once.")
    stop = forced.winning_cells(other, own)
    if stop:
        if board.turn == "X" and _proof().wins(own | stop & -stop, other):
            return Choice(lowest(stop), True, "This blocks a line, and the first player still wins.")
        return Choice(lowest(stop), False, "This blocks a line.")
    move = proved_move(own, other) if board.turn == "X" else None
    if move is None:
        return None
    return Choice(move, True, "From here the first player wins, whatever the other side does.")


def proved_move(attacker: int, defender: int) -> int | None:
    """The certificate's move in a position (in any orientation) with the first player to move; None if it has none."""
    position = certificate.least_image(attacker, defender)
    moves = _proof().certificate
    if position not in moves:
        return None
    images = zip(symmetry.images(EMPTY, attacker), symmetry.images(EMPTY, defender), strict=True)
    turn = symmetry.automorphisms(EMPTY)[list(images).index(position)]
    return turn.index(moves[position])


@cache
def _proof() -> ProofChecker:
    """The steps of the shipped proof."""
    return ProofChecker(certificate.load())
