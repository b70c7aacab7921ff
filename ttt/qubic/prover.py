"""The prover: finds afresh, in about a minute, that the first player wins 4×4×4, and writes the certificate.

1. **The proof** is found by depth-first proof-number search (df-pn; A. Nagai, "Df-pn algorithm for searching AND/OR
   trees and its applications", 2002) over canonical positions in which all forced replies have been played, with
   the forced-win search at every node (L. V. Allis and P. N. A. Schoo, "Qubic solved again", 1992).
2. **The certificate** is what remains of it: the attacker's move in every strategic position (`certificate`). Moves
   that leave the defender few replies, and other proofs where there is time, give a choice, and of all ways to put
   these together simulated annealing picks one that needs few positions. O. Patashnik's proof ("Qubic: 4×4×4
   tic-tac-toe", 1980) had 2,929.

A is the attacker, the first player; D the defender. OR: A is to move; AND: D is. What A tries is a choice: his second
move is one of four that are known to have small proofs, and later ones are among the most promising. Every reply of D's
is searched. Everything here needs numba, and repeats exactly: the same effort gives the same certificate.
"""

# mypy: disable-error-code="no-any-return"
# The kernels read numpy tables and call each other through numba: their numbers are Any to mypy.

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ttt.engine.compiling import compiles
from ttt.qubic import certificate
from ttt.qubic.book import (
    Choice,
    add_move,
    anneal,
    cheapest,
    find,
    first_move,
    look,
    needs_of,
    new_book,
    seed,
    settle_costs,
    use,
)
from ttt.qubic.certificate import Certificate, Position
from ttt.qubic.dfpn import EDGES, NODES, new_tree, search, start
from ttt.qubic.positions import (
    BIT,
    IMAGES,
    INFINITE,
    LOST,
    OR,
    SLOTS,
    canonical,
    count,
    new_scratch,
    settle,
)


class NumbaMissing(RuntimeError):
    """The prover needs numba; without it the search would take hours."""


class TooBig(MemoryError):
    """The search outgrew its tables."""


class Stopped(Exception):
    """The prover was asked to stop."""


@dataclass(frozen=True)
class Progress:
    """How far the prover has come.

    Args:
        stage: what it is doing, in words.
        proof, disproof: the root's proof and disproof number, while the proof is searched for.
        nodes: nodes of the proof searches so far.
        memory: bytes in use by the tables.
        strategic: strategic positions in the smallest proof so far, once there is one.
    """

    stage: str
    proof: int
    disproof: int
    nodes: int
    memory: int
    strategic: int | None = None


@dataclass(frozen=True)
class Proof:
    """What was found: the certificate, the nodes and expanded nodes of the proof searches, and the tables' bytes."""

    certificate: Certificate
    nodes: int
    expanded: int
    memory: int


class Effort(NamedTuple):
    """What is spent on a small proof.

    Args:
        proofs: how many proofs are found, one after another; what is good in each goes into the certificate.
        looks: positions that are looked into for moves that need fewer positions.
        slack: how many positions more a move may need than the best and be looked into as well.
        steps: changes of moves that are tried in the end, to find those that together need few positions.
    """

    proofs: int
    looks: int
    slack: int
    steps: int


EFFORTS = Effort(1, 0, 0, 0), Effort(1, 5_000, 0, 10_000_000), Effort(7, 10_000_000, 2, 60_000_000)
SHARES = (16, 8, 4, 1000, 32, 12, 6)  # of which each leads the search to another proof
MOST_OPEN = 12  # open replies that a move may leave to be looked into
Report = Callable[[Progress], object]


def prove(
    progress: Report | None = None,
    stop: Callable[[], bool] | None = None,
    minimise: int = 1,
    position: Position = (0, 0),
) -> Proof:
    """Prove afresh that the first player wins, and make the certificate.

    Args:
        progress: is called a few times a second.
        stop: is asked as often; the prover stops where it says so. Ctrl-C works as well.
        minimise: 0 takes the proof as it comes; 1 looks for a smaller one for some seconds, 2 for some minutes, which
            finds the certificate that comes with the lab.
        position: the first player's and the second's cells as masks, the first player to move; the empty board by
            default. It must be won in the way of the proof, or the search does not end before its tables are full.

    Raises `NumbaMissing`, `TooBig` and `Stopped`.
    """
    if not compiles():
        raise NumbaMissing(
            "Finding the proof needs numba (pip install numba), not switched off by NUMBA_DISABLE_JIT: plain Python "
            "would take hours."
        )
    work, effort = _Work(progress, stop), EFFORTS[minimise]
    for share in SHARES[: effort.proofs]:
        work.search(share, position)
    if effort.looks:
        work.improve(effort)
    return Proof(work.certificate(effort.steps), work.nodes, work.expanded, work.memory)


class _Work:
    """A proof in the making: the tables, and the long ways through them in pieces, between which one can stop."""

    def __init__(self, progress: Report | None, stop: Callable[[], bool] | None) -> None:
        self.tree, self.book, self.scratch = new_tree(), new_book(), new_scratch()
        self.progress, self.stop = progress, stop
        self.nodes = self.expanded = self.strategic = 0

    @property
    def memory(self) -> int:
        """Bytes in use: of the tables, as much as has been written to."""
        nodes, kids, _ = map(int, self.tree.total)
        positions, moves, needs = map(int, self.book.total)
        return 38 * nodes + 4 * kids + 4 * SLOTS * 2 + 33 * positions + 9 * moves + 4 * needs + IMAGES.nbytes

    def tell(self, stage: str) -> None:
        """Report, and stop if asked to."""
        tree = self.tree
        if self.progress:
            numbers = int(tree.proof[0]), int(tree.disproof[0]), self.nodes
            self.progress(Progress(stage, *numbers, self.memory, self.strategic or None))
        if self.stop and self.stop():
            raise Stopped("The prover was asked to stop.")

    def search(self, share: int, position: Position) -> None:
        """Search until the first player's win is proved, and write the proof into the book."""
        tree, before = new_tree(), self.nodes
        signed = (cells - (cells >> 63 << 64) for cells in certificate.canonical(*position))
        self.tree, root = tree, start(tree, self.scratch, *signed)
        while not search(tree, self.scratch, 250, share):
            self.nodes = before + int(tree.total[0])
            self.tell("searching for another proof" if before else "searching for the proof")
            if tree.total[0] > NODES - 200 or tree.total[1] > EDGES - 200:
                raise TooBig("The proof search outgrew its table.")
        self.nodes = before + int(tree.total[0])
        self.expanded += int(tree.total[2])
        self.copy_proof(root)

    def copy_proof(self, root: int) -> None:
        """Write every proved move below a node into the book."""
        tree, todo, copied = self.tree, [root], set[int]()
        while todo:
            n = todo.pop()
            if n in copied or tree.kid_count[n] <= 0:
                continue
            copied.add(n)
            kids = tree.kids[tree.first[n] : tree.first[n] + tree.kid_count[n]].tolist()
            proved = [kid for kid in kids if tree.proof[kid] == 0]
            todo += proved
            if tree.kind[n] == OR:
                self._copy_moves(n, proved)
        self.settle()

    def _copy_moves(self, n: int, kids: list[int]) -> None:
        """Write an OR node's moves that lead to these proved nodes."""
        a, d = self.tree.a[n], self.tree.d[n]
        position = find(self.book, a, d, True)
        wanted = {(self.tree.a[kid], self.tree.d[kid]) for kid in kids}
        for cell in range(64 if a else 1):
            if not (int(a) | int(d)) >> cell & 1:
                after = settle(a | BIT[cell], d, False)
                if after[2] != LOST and canonical(after[0], after[1]) in wanted:
                    wanted.discard(canonical(after[0], after[1]))
                    needs = needs_of(self.book, self.scratch, position, cell, 64, True)
                    if needs >= 0:
                        add_move(self.book, position, cell, needs)

    def settle(self) -> None:
        settle_costs(self.book, self.order(range(int(self.book.total[0]))))

    def order(self, positions: Iterable[int]) -> Any:
        """Positions, the fullest boards first."""
        chosen = np.fromiter(positions, np.int64)
        stones = [(int(a) & (1 << 64) - 1).bit_count() for a in self.book.a[chosen]]
        return chosen[np.argsort(-np.array(stones), kind="stable")]

    def needs(self, position: int) -> list[tuple[int, list[int]]]:
        """A position's moves, each with the positions it needs."""
        book = self.book
        moves = range(book.first[position], book.first[position] + book.moves[position])
        return [(m, book.pool[book.need[m] : book.need[m] + book.needs[m]].tolist()) for m in moves]

    def reached(self) -> list[int]:
        """The positions of the cheapest proof, from D's second reply on, that take several positions."""
        seen, todo = {0}, [0]
        while todo:
            n = todo.pop()
            costs = [(sum(int(self.book.cost[o]) for o in needs), needs) for _, needs in self.needs(n)]
            fresh = [other for other in min(costs)[1] if other not in seen]
            seen |= set(fresh)
            todo += fresh
        book = self.book
        return [int(n) for n in self.order(seen) if book.cost[n] > 1 and count(book.a[n]) >= 2]

    def improve(self, effort: Effort) -> None:
        """Look for moves that need fewer positions, from the emptiest boards on, until enough have been looked into.

        A position's moves are tried by how many positions they need. Those that cost a little more than the best are
        looked into as well: the choice may like them.
        """
        left = effort.looks
        for position in reversed(self.reached()):
            if not self.book.looked[position]:
                look(self.book, self.scratch, position, MOST_OPEN)
            for _, needs in sorted(self.needs(position), key=lambda move: len(move[1])):
                left -= self.cheapen(position, needs, effort.slack)
            self.book.least[position] = min(self.book.least[position], self.book.cost[position])
            self.tell("looking for shorter ways")
            if left < 0:
                break

    def cheapen(self, position: int, needs: list[int], slack: int) -> int:
        """Find out what a move costs, if that may pay; how many positions were looked into for that."""
        book, total, looks = self.book, 1 + len(needs), 0
        for other in needs:
            if total > book.cost[position] + slack:
                break
            if book.cost[other] > book.least[other]:
                cheapest(book, self.scratch, other, 1, MOST_OPEN)  # whether it needs no position but itself
                looks += 1
            total += int(book.cost[other]) - 1
        book.cost[position] = min(int(book.cost[position]), total)
        return looks

    def certificate(self, steps: int) -> Certificate:
        """The positions and moves of a small proof."""
        self.settle()
        choice, numbers = self._choice()
        seed(1980)
        use(choice, 0, 0)
        best = np.concatenate((choice.size, choice.chosen))
        pieces = max(1, steps // 500_000)
        for piece in range(pieces if steps else 0):
            anneal(choice, 500_000, 1.5 * 0.1 ** (piece / pieces), best)
            self.strategic = int(best[0])
            self.tell("picking moves that need few positions")
        return self._first_moves({numbers[n] for n in _closure(choice, best[1:])})

    def _choice(self) -> tuple[Choice, list[int]]:
        """The book's part that is proved and can be reached, with new numbers from 0; and the old ones."""
        numbers, known = [0], {0: 0}
        first, need, pool = [0], [0], []
        for n in numbers:
            for _, needs in self.needs(n):
                if all(self.book.cost[other] < INFINITE for other in needs):
                    for other in needs:
                        if other not in known:
                            known[other] = len(numbers)
                            numbers.append(other)
                    pool += [known[other] for other in needs]
                    need.append(len(pool))
            first.append(len(need) - 1)
        size = len(numbers)
        tables = [np.array(table, np.int64) for table in (first, need, pool, self.book.cost[numbers], first[:-1])]
        scratch = [np.zeros(size, np.int64) for _ in range(3)]
        stack, log = np.zeros(1_000_000, np.int64), np.zeros((1_000_000, 3), np.int64)
        return Choice(*[*tables, *scratch, np.zeros(1, np.int64), stack, log]), numbers

    def _first_moves(self, positions: set[int]) -> Certificate:
        """Every position's most promising move that wins, and only the positions needed then, until nothing changes."""
        while True:
            self.tell("telling the most promising of equal moves")
            member = np.zeros(int(self.book.total[0]) + 1000, np.bool_)
            member[list(positions)] = True
            moves: dict[int, int] = {}
            todo = [0]
            while todo:
                n = todo.pop()
                if n not in moves:
                    moves[n] = int(first_move(self.book, self.scratch, n, member))
                    needs = needs_of(self.book, self.scratch, n, moves[n], 64, True)
                    todo += self.book.pool[self.book.total[2] : self.book.total[2] + needs].tolist()
            if moves.keys() == positions:
                full = (1 << 64) - 1
                book = self.book
                return {(int(book.a[n]) & full, int(book.d[n]) & full): cell for n, cell in moves.items()}
            positions = set(moves)
            self.strategic = len(positions)


def _closure(c: Choice, chosen: Any) -> set[int]:
    """The positions that a choice of moves needs."""
    seen, todo = {0}, [0]
    while todo:
        move = chosen[todo.pop()]
        fresh = set(c.pool[c.need[move] : c.need[move + 1]].tolist()) - seen
        seen |= fresh
        todo += fresh
    return seen
