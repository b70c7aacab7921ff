"""The verifier: checks every step of the proof that the first player wins 4×4×4, in plain Python.

It shares nothing with the prover but the board's lines and their symmetries, which it checks. It plays the
certificate's moves, tries every reply, and accepts only a forced win (threes, each with one reply, until two come at
once) or another position of the certificate. It accepts only one certificate for the same positions: none is
superfluous, and every move is the first, in the order of `promising`, that wins with the help of the others.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ttt import symmetry
from ttt.qubic.certificate import Certificate, Position, canonical, checked
from ttt.qubic.forced import ANY, CELLS, CUBE, FULL, THROUGH, ForcedWins, Masks, bits, free_cells, lines_held

Progress = Callable[[int, int], object]
MOST_WAYS = 8  # lines of forced wins that are remembered


class ProofError(Exception):
    """The certificate proves nothing; `position` says where, as the masks of attacker and defender."""

    def __init__(self, what: str, attacker: int, defender: int) -> None:
        marks = "".join("-XO"[(attacker >> cell & 1) + 2 * (defender >> cell & 1)] for cell in range(64))
        super().__init__(f"{what} Board: {' / '.join(marks[n : n + 16] for n in range(0, 64, 16))}")
        self.position = attacker, defender


@dataclass(frozen=True)
class Verification:
    """What was checked: strategic positions, positions in which the defender moves freely, his replies, forced wins."""

    strategic: int
    positions: int
    replies: int
    forced_wins: int


def verify(certificate: Certificate, progress: Progress = lambda *_: None) -> Verification:
    """Check the proof from the empty board to its last forced win.

    Args:
        certificate: the moves to be checked.
        progress: called with the number of strategic positions reached so far, and of all in the certificate.

    Raises `ProofError`, and `NotACertificate` for entries that make no sense.
    """
    check = Check(checked(certificate))
    lines = set(CELLS.values())
    if set(symmetry.images(CUBE, FULL)) != {FULL} or not all(lines.issuperset(symmetry.images(CUBE, n)) for n in lines):
        raise ProofError("The symmetries do not keep the lines.", 0, 0)
    reached = [check.certified(0, 0)]
    for position in reached:
        reached += sorted(check.entry(position).difference(reached))
        progress(len(reached), len(certificate))
    superfluous = certificate.keys() - set(reached)
    if superfluous:
        raise ProofError("The proof doesn't need this position.", *min(superfluous))
    return Verification(len(reached), check.positions, check.replies, check.forced_wins)


class Check:
    """The steps of the proof, each checked by itself, and counts of what was checked."""

    def __init__(self, certificate: Certificate) -> None:
        self.certificate = certificate
        self.positions = self.replies = self.forced_wins = 0
        self.needs: dict[Position, set[Position]] = {}  # what `defend` has found
        self.search = ForcedWins()
        self.ways = [ANY]  # the lines of recent forced wins, tried first, since they often win again
        self.killer = 0  # the last reply, tried first in the next position

    def certified(self, a: int, d: int) -> Position:
        """The certificate's position with these cells, up to symmetry."""
        position = canonical(a, d)
        if position not in self.certificate:
            raise ProofError("The certificate has no move for this position, and there is no forced win.", *position)
        return position

    def entry(self, position: Position) -> set[Position]:
        """The positions that this entry's move relies on; the move has to be the first that wins."""
        (a, d), move = position, 1 << self.certificate[position]
        first = next((cell for cell in promising(a, d) if cell == move or self.wins(a | cell, d)), 0)
        if first != move:
            raise ProofError(f"The move, {self.certificate[position]}, is not the first that wins.", a, d)
        return self.defend(a | move, d)

    def wins(self, a: int, d: int) -> bool:
        """Whether the attacker wins from here, the defender to move."""
        try:
            self.defend(a, d)
        except ProofError:
            return False
        return True

    def defend(self, a: int, d: int) -> set[Position]:
        """The defender is to move, and nothing may save him. Returns the certificate's positions this relies on."""
        if (a, d) in self.needs:
            return self.needs[a, d]
        (a1, a2, a3), (d1, d2, d3), empty = lines_held(a), lines_held(d), ~(a | d) & FULL
        if d3 & ~a1 or not empty:
            raise ProofError("The defender completes a line, or the board is full.", a, d)
        winning, _ = free_cells(a3 & ~d1, empty)
        replies = winning or empty
        if not winning:
            self.positions += 1
        elif winning & (winning - 1):
            replies = 0  # the defender can't stop two threes
        needed = set[Position]()
        self.search.hopeless.clear()
        for reply in bits(replies, self.killer):
            self.killer = reply
            if not winning:
                self.replies += 1
            if self.refuted((a, d, a1, a2, d1, d2), reply):
                self.forced_wins += 1
            else:
                needed |= self.answer(a, d | reply, d2 & THROUGH[reply] & ~a1)
        self.needs[a, d] = needed
        return needed

    def refuted(self, masks: Masks, reply: int) -> bool:
        """Whether the attacker has a forced win after this reply."""
        for way in self.ways:
            if self.search.find(masks, reply, way=way):
                others = [known for known in self.ways if known is not way and known is not ANY]
                self.ways = [self.search.line[:], *others[: MOST_WAYS - 1], ANY]
                return True
        return False

    def answer(self, a: int, d: int, threats: int) -> set[Position]:
        """The positions relied on after a reply that leaves no forced win; `threats` are the threes that it makes."""
        if threats & (threats - 1):
            raise ProofError("The defender has two threes at once.", a, d)
        if threats:
            return self.defend(a | CELLS[threats] & ~d, d)
        return {self.certified(a, d)}


def promising(a: int, d: int) -> list[int]:
    """The free cells, as masks, the most promising first, then by number.

    A cell's score counts the lines through it: 2 for each without a stone of the defender's, 3 more if the attacker has
    one there, and 2 if the defender alone has just two.
    """
    (a1, _, _), (d1, d2, d3) = lines_held(a), lines_held(d)
    parts = (2, ~d1), (3, a1 & ~d1), (2, d2 & ~d3 & ~a1)

    def score(cell: int) -> int:
        return sum(weight * (THROUGH[cell] & lines).bit_count() for weight, lines in parts)

    return sorted(bits(~(a | d) & FULL), key=score, reverse=True)
