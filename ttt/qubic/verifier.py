"""The verifier: checks every step of the proof that the first player wins 4×4×4, in plain Python.

It shares nothing with the prover but the board's lines, and their symmetries, which it checks. It plays the
certificate's moves, tries every reply, and accepts only a forced win (threes, each with one reply, until two come at
once) or another position of the certificate. What it accepts is the only certificate for its positions: none is
superfluous, and every move is the first, in the order of `promising`, that wins with the help of the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TextIO

from ttt.board import Board
from ttt.qubic import certificate as proof
from ttt.qubic.certificate import Certificate, Position, Verification

Progress = Callable[[int, int], object]
Way = list[int]  # to a forced win: the cells that the attacker may play at each depth
FULL = (1 << 64) - 1  # cells and lines are masks of a bit
ANY = [FULL] * 64
CELLS = {1 << n: sum(1 << cell for cell in line) for n, line in enumerate(Board(shape=(4, 4, 4)).line_cells)}
THROUGH = {1 << cell: sum(n for n, cells in CELLS.items() if cells >> cell & 1) for cell in range(64)}


def verify(certificate: Certificate, progress: Progress = lambda *_: None, dump: TextIO | None = None) -> Verification:
    """Check the proof from the empty board to its last forced win. Raises a `ProofError`.

    `progress` is told how many strategic positions are reached so far, and of how many. `dump` gets a line for each:
    attacker's and defender's mask, hexadecimal (bit n is cell n), and the move's cell.
    """
    check = Check(proof.checked(certificate))
    lines = {*CELLS.values()}
    if {*proof.images(FULL)} != {FULL} or not all({*proof.images(cells)} <= lines for cells in lines):
        raise proof.ProofError("The symmetries do not keep the lines.", 0, 0)
    reached = [check.certified(0, 0)]
    for position in reached:
        reached += sorted(check.entry(position).difference(reached))
        progress(len(reached), len(certificate))
        if dump:
            dump.write(f"{position[0]:016x} {position[1]:016x} {certificate[position]}\n")
    if superfluous := certificate.keys() - set(reached):
        raise proof.Superfluous("The proof doesn't need this position.", *min(superfluous))
    return Verification(len(reached), check.positions, check.replies, check.forced_wins)


class Check:
    """The steps of the proof, each checked by itself, and what was counted on the way."""

    def __init__(self, certificate: Certificate) -> None:
        self.certificate = certificate
        self.positions = self.replies = self.forced_wins = 0
        self.needs: dict[Position, set[Position]] = {}  # what `defend` has found
        self.hopeless: set[Position] = set()  # without a forced win, the attacker to move; of one turn of the defender
        self.ways, self.way, self.killer = list[Way](), [0] * 64, 0  # forced wins of late, the last one, the last reply

    def certified(self, a: int, d: int) -> Position:
        if (position := proof.canonical(a, d)) not in self.certificate:
            raise proof.NoMove("The certificate has no move for this position, and there is no forced win.", *position)
        return position

    def entry(self, position: Position) -> set[Position]:
        """The positions that this entry's move relies on; the move has to be the first that wins."""
        (a, d), move = position, 1 << self.certificate[position]
        if next((cell for cell in promising(a, d) if cell == move or self.wins(a | cell, d)), 0) != move:
            raise proof.BadMove(f"The move, {self.certificate[position]}, is not the first that wins.", a, d)
        return self.defend(a | move, d)

    def wins(self, a: int, d: int) -> bool:
        try:
            return self.defend(a, d) is not None
        except proof.ProofError:
            return False

    def defend(self, a: int, d: int) -> set[Position]:
        """The defender's turn: nothing that he plays may save him. Returns the certificate's positions relied on."""
        if (a, d) in self.needs:
            return self.needs[a, d]
        (a1, a2, a3), (d1, d2, d3), empty, needed = held(a), held(d), ~(a | d) & FULL, set[Position]()
        mine, _ = free(a3 & ~d1, empty)
        if d3 & ~a1 or not empty:
            raise proof.DefenderEscapes("The defender completes a line, or the board is full.", a, d)
        self.positions += not mine
        self.hopeless.clear()
        for reply in bits(0 if mine & (mine - 1) else mine or empty, self.killer):
            self.killer, threats = reply, d2 & THROUGH[reply] & ~a1
            self.replies += not mine
            tries = (way for way in (*self.ways, ANY) if self.forced(a, d, a1, a2, d1, d2, reply, 0, way))
            if won := next(tries, None):
                self.forced_wins += 1
                self.ways = [self.way[:], *(way for way in self.ways if way is not won)][:8]
            elif threats & (threats - 1):
                raise proof.DefenderEscapes("The defender has two threes at once.", a, d | reply)
            elif threats:
                needed |= self.defend(a | CELLS[threats] & empty & ~reply, d | reply)
            else:
                needed.add(self.certified(a, d | reply))
        return self.needs.setdefault((a, d), needed)

    def forced(self, a: int, d: int, a1: int, a2: int, d1: int, d2: int, reply: int, depth: int, way: Way) -> bool:
        """Whether the attacker wins by threes that lie on this way; on ANY, every three is tried, in every order.

        Neither side has an open three before it. a1, a2, d1, d2: the lines with one stone or more, two or more."""
        lines, d, empty = THROUGH[reply], d | reply, ~(a | d | reply)
        threats, twos, d1, d2 = d2 & lines & ~a1, a2 & ~(d1 | lines), d1 | lines, d2 | d1 & lines
        if threats & (threats - 1) or (a, d) in self.hopeless:
            return False
        cells, twice = (CELLS[threats] & empty, 0) if threats else free(twos, empty) if way is ANY else (empty, 0)
        for cell in bits(twice or cells & way[depth], self.way[depth]):
            made, b1, b2 = twos & THROUGH[cell], a1 | THROUGH[cell], a2 | a1 & THROUGH[cell]
            answer = 0 if made & (made - 1) or not made else CELLS[made] & empty & ~cell
            if made and (not answer or self.forced(a | cell, d, b1, b2, d1, d2, answer, depth + 1, way)):
                self.way[depth] = cell
                return True
        if way is ANY:
            self.hopeless.add((a, d))
        return False


def held(stones: int) -> tuple[int, int, int]:
    """The lines with one of these stones or more, two or more, three or more."""
    one = two = three = 0
    for lines in map(THROUGH.__getitem__, bits(stones)):
        one, two, three = one | lines, two | one & lines, three | two & lines
    return one, two, three


def free(lines: int, empty: int) -> tuple[int, int]:
    once = twice = 0
    for line in bits(lines):
        once, twice = once | CELLS[line], twice | once & CELLS[line]
    return once & empty, twice & empty


def promising(a: int, d: int) -> list[int]:
    """The free cells, most promising first, then by number. A cell counts, for each line through it, 2 without a
    stone of the defender's, 3 more with one of the attacker's there, and 2 where the defender alone has just two."""
    (a1, _, _), (d1, d2, d3) = held(a), held(d)
    parts = (2, ~d1), (3, a1 & ~d1), (2, d2 & ~d3 & ~a1)
    return sorted(bits(~(a | d) & FULL), key=lambda c: -sum(n * (THROUGH[c] & lines).bit_count() for n, lines in parts))


def bits(mask: int, first: int = 0) -> Iterator[int]:
    """The bits of a mask, one after another; `first` before all others if it is among them."""
    if mask & first:
        yield first
        mask ^= first
    while mask:
        yield (bit := mask & -mask)
        mask ^= bit
