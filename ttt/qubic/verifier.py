"""Verifies every step of the proof that the first player wins 4×4×4, in plain Python.

All it shares with the program that found the proof are the board's lines and their symmetries, which it checks. It
plays the certificate's moves, and after every reply accepts only a forced win (threes, each with one reply, until two
come at once) or another position of the certificate. A forced win that is found for one reply also meets those that
touch nothing in it. No position may be superfluous.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from ttt import symmetry
from ttt.progress import progress
from ttt.qubic.certificate import Certificate, Stones, least_image, require_moves
from ttt.qubic.forced import CELLS, EMPTY, FULL, THROUGH, ForcedWins, Masks, free_cells, lines_held


class ProofError(Exception):
    """The proof has a gap; `position` says where, as the attacker's and defender's masks."""

    def __init__(self, what: str, attacker: int, defender: int) -> None:
        marks = "".join("-XO"[(attacker >> cell & 1) + 2 * (defender >> cell & 1)] for cell in range(64))
        super().__init__(f"{what} Board: {' / '.join(marks[n : n + 16] for n in range(0, 64, 16))}")
        self.position = attacker, defender


@dataclass(frozen=True)
class Verification:
    """Counts of what was checked: strategic positions, positions with no reply forced, replies, forced wins."""

    strategic: int
    positions: int
    replies: int
    forced_wins: int

    def __str__(self) -> str:
        return (
            "✓ The proof holds: X wins 4×4×4.\n"
            f"All {self.replies:,} replies of O are answered, in {self.positions:,} positions where O moves freely.\n"
            f"{self.forced_wins:,} of them are met by a forced win; the proof itself contains {self.strategic:,} moves."
        )

    __repr__ = __str__


def verify(certificate: Certificate) -> Verification:
    """Check the proof from the empty board to its last forced win, with a progress bar.

    Raises `ProofError`, and `NotACertificate` for entries that make no sense.
    """
    require_moves(certificate)
    check = ProofChecker(certificate)
    lines = set(CELLS.values())
    kept = all(lines.issuperset(symmetry.images(EMPTY, line)) for line in lines)
    if set(symmetry.images(EMPTY, FULL)) != {FULL} or not kept:
        raise ProofError("The symmetries do not keep the lines.", 0, 0)
    reached = [check.strategic(0, 0)]
    for position in progress(reached, "positions", len(certificate)):  # grows during the check
        reached += sorted(check.entry(position).difference(reached))
    superfluous = certificate.keys() - set(reached)
    if superfluous:
        raise ProofError("The proof doesn't need this position.", *min(superfluous))
    return Verification(len(reached), check.positions, check.replies, check.forced_wins)


class ProofChecker:
    """Checks the proof's steps one by one, and counts them."""

    def __init__(self, certificate: Certificate) -> None:
        self.certificate = certificate
        self.positions = self.replies = self.forced_wins = 0
        self.needs: dict[Stones, set[Stones]] = {}  # what `defend` has found
        self.search = ForcedWins()
        self.killer = 0  # the last refuting reply, tried first in the next position

    def strategic(self, a: int, d: int) -> Stones:
        """The certificate's position with these cells, up to symmetry."""
        position = least_image(a, d)
        if position not in self.certificate:
            raise ProofError("The certificate has no move for this position, and there is no forced win.", *position)
        return position

    def entry(self, position: Stones) -> set[Stones]:
        """The positions that this entry's move relies on."""
        a, d = position
        return self.defend(a | 1 << self.certificate[position], d)

    def wins(self, a: int, d: int) -> bool:
        """Whether the attacker wins from here, with the defender to move."""
        try:
            self.defend(a, d)
        except ProofError:
            return False
        return True

    def defend(self, a: int, d: int) -> set[Stones]:
        """Check that nothing saves the defender, who is to move. Returns the certificate positions this relies on."""
        if (a, d) in self.needs:
            return self.needs[a, d]
        (a1, a2, a3), (d1, d2, d3), empty = lines_held(a), lines_held(d), ~(a | d) & FULL
        if d3 & ~a1 or not empty:
            raise ProofError("The defender completes a line, or the board is full.", a, d)
        masks, needed = (a, d, a1, a2, d1, d2), set[Stones]()
        self.search.hopeless.clear()
        winning, _ = free_cells(a3 & ~d1, empty)
        if not winning:
            self.positions += 1
            self.replies += empty.bit_count()
            replies = empty ^ self.refute(masks, 0, empty)
        elif winning & (winning - 1):
            replies = 0  # the defender can't stop two threes
        else:
            replies = winning
        while replies:
            reply = replies & self.killer or replies & -replies
            met = self.refute(masks, reply, replies)
            if not met:
                self.killer = reply
                needed |= self.answer(a, d | reply, d2 & THROUGH[reply] & ~a1)
            replies &= ~(met | reply)
        self.needs[a, d] = needed
        return needed

    def refute(self, masks: Masks, reply: int, replies: int) -> int:
        """The replies, including this one, that a single forced win meets; none if there is no forced win.

        With 0 for no reply, the forced win is looked for as if the defender passed.
        """
        length = self.search.find(masks, reply)
        if not length:
            return 0
        met = replies & (reply | harmless(masks, self.search.line[:length]))
        self.forced_wins += met.bit_count()
        return met

    def answer(self, a: int, d: int, threats: int) -> set[Stones]:
        """The positions relied on after a reply that leaves no forced win; `threats` are the threes it makes."""
        if threats & (threats - 1):
            raise ProofError("The defender has two threes at once.", a, d)
        if threats:
            return self.defend(a | CELLS[threats] & ~d, d)
        return {self.strategic(a, d)}


def harmless(masks: Masks, line: Sequence[int]) -> int:
    """The cells where the defender's reply doesn't change a forced win found after a pass or another reply.

    Such a reply is on none of the lines where the attacker makes a three, so each three is made and blocked as
    before. Nor does it lie on a line that the attacker has not touched and in which the defender comes to hold two
    stones, so it makes no three of his own. `line` holds the attacker's moves, as masks.
    """
    a, d, a1, a2, d1, d2 = masks
    untouched, empty, used = ~a1, ~(a | d), 0
    for cell in line:
        through = THROUGH[cell]
        made = a2 & through & ~d1
        cells, _ = free_cells(made, FULL)
        used |= cells
        if made & (made - 1):
            break
        stop = cells & empty & ~cell
        empty &= ~cells
        a1, a2 = a1 | through, a2 | a1 & through
        d1, d2 = d1 | THROUGH[stop], d2 | d1 & THROUGH[stop]
    dangerous, _ = free_cells(d2 & untouched, FULL)
    return ~(used | dangerous)
