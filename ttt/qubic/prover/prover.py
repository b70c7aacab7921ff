"""Finds afresh that the first player wins 4×4×4, and makes the certificate.

1. **The proof** is found by depth-first proof-number search (`dfpn`) over canonical positions in which all forced
   replies have been played (`positions`), with a search for forced wins at every node (`forced`).
2. **The certificate** is what remains of it: the attacker's move in every strategic position
   (`ttt.qubic.certificate`). Moves that leave the defender few replies, and other proofs if there is time, give a
   choice of moves (`proof_graph`), and simulated annealing selects some that together need few positions
   (`selection`). O. Patashnik's proof ("Qubic: 4×4×4 tic-tac-toe", 1980) had 2,929.

A is the attacker, the first player; D is the defender. In an OR position A is to move, in an AND position D is. A's
moves are a choice: the second is one of four that are known to have small proofs, and later ones are among the most
promising. Every reply of D's is searched. The results can be repeated: the same effort gives the same certificate.
"""

import lzma
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numba
import numpy as np

from ttt.qubic import certificate
from ttt.qubic.certificate import Certificate, Position
from ttt.qubic.prover.dfpn import CHILDREN, NODES, PROOF, is_full, new_tree, search, start
from ttt.qubic.prover.positions import IMAGES, LOST, OR, canonical, play_forced
from ttt.qubic.prover.proof_graph import (
    MOST_REPLIES,
    NEEDS,
    POSITIONS,
    add_move,
    add_needs,
    keep_proved_moves,
    most_promising,
    needed,
    new_graph,
    position,
    propagate_costs,
    search_moves,
)
from ttt.qubic.prover.selection import anneal, change, new_selection, seed
from ttt.qubic.prover.threats import BIT, count, new_scratch, signed


class ProverError(RuntimeError):
    """The prover can't find a proof: numba is switched off, or the search outgrew its tables."""


@dataclass(frozen=True)
class Proof:
    """The certificate, the nodes of the proof searches, and the bytes used in the tables."""

    certificate: Certificate
    nodes: int
    memory: int


def to_bytes(moves: Certificate) -> bytes:
    """The content of a certificate's file, which `certificate.from_bytes` reads. Raises `NotACertificate`."""
    certificate.require_moves(moves)
    packed = lzma.compress(certificate.in_columns(moves), lzma.FORMAT_RAW, filters=certificate.FILTERS)
    return certificate.HEADER.pack(certificate.MAGIC, len(moves)) + packed


# What is spent on making the proof small, for each value of `minimise`.
PROOFS = 1, 1, 7  # proofs that are searched for; the certificate combines what is good in each
SEARCHES = 0, 5_000, 10_000_000  # positions that are searched for moves that need fewer positions
SLACK = 0, 0, 2  # how many positions more than the best move a move may need to be tried as well
CHANGES = 0, 10_000_000, 60_000_000  # of moves, that the annealing tries
SHARES = (16, 8, 4, 1000, 32, 12, 6)  # each leads `dfpn.search` to another proof
MOST_OPEN = 12  # open replies after a move that is tried to make the proof smaller
WORK, STEPS = 250, 500_000  # expansions, and changes of moves, from one report to the next
Report = Callable[[str, str], object]


def prove(progress: Report = lambda stage, figures: None, minimise: int = 1, position: Position = (0, 0)) -> Proof:
    """Prove afresh that the first player wins, and make the certificate.

    Args:
        progress: called a few times a second with what is being done and how far it is, both in words. What it raises
            stops the prover.
        minimise: 0 takes the proof as it is found; 1 spends some seconds on a smaller one, 2 some minutes, which
            gives the certificate that comes with the lab.
        position: the first player's and the second's cells as masks, the first player to move. It must be won in the
            way of the proof; otherwise the search ends only when its tables are full.

    Raises `ProverError`.
    """
    if numba.config.DISABLE_JIT:
        raise ProverError("Without compiling, the prover would take hours: unset NUMBA_DISABLE_JIT.")
    prover = _Prover(progress)
    for share in SHARES[: PROOFS[minimise]]:
        prover.search(share, position)
    if SEARCHES[minimise]:
        prover.improve(SEARCHES[minimise], SLACK[minimise])
    return Proof(prover.certificate(CHANGES[minimise]), prover.nodes, prover.memory)


class _Prover:
    """A proof in the making: its tables, and the long computations in pieces, so that they can be stopped."""

    def __init__(self, progress: Report) -> None:
        self.tree, self.graph, self.scratch = new_tree(), new_graph(), new_scratch()
        self.progress = progress
        self.nodes = 0

    @property
    def memory(self) -> int:
        """The bytes of the tables that have been written to."""
        tables = (*self.tree[:2], self.tree.children, *self.graph[:3])
        used = (*self.tree.total[[NODES, NODES, CHILDREN]], *self.graph.total)
        written = sum(table[:1].nbytes * int(many) for table, many in zip(tables, used, strict=True))
        return written + self.tree.slots.nbytes + self.graph.slots.nbytes + IMAGES.nbytes

    def report(self, stage: str, figures: str) -> None:
        """Report the progress."""
        self.progress(stage, f"{figures}, {self.nodes:,} nodes, {self.memory >> 20:,} MB")

    def search(self, share: int, root: Position) -> None:
        """Search until the first player's win is proved, and copy the proof to the graph."""
        tree, before, done = new_tree(), self.nodes, False
        self.tree = tree
        start(tree, self.scratch, *signed(certificate.canonical(*root)))
        while not done:
            done = search(tree, self.scratch, WORK, share)
            self.nodes = before + int(tree.total[NODES])
            proof, disproof = tree.numbers[0].tolist()
            self.report("Searching for a proof", f"proof number {proof:,}, disproof number {disproof:,}")
            if is_full(tree):
                raise ProverError("The proof search outgrew its tables.")
        self.copy_proof()

    def copy_proof(self) -> None:
        """Copy every proved move of the search to the graph."""
        tree, todo, copied = self.tree, [0], set[int]()
        while todo:
            n = todo.pop()
            node = tree.nodes[n]
            if n in copied or node["many"] <= 0:
                continue
            copied.add(n)
            children = tree.children[node["first"] : node["first"] + node["many"]]
            proved = children[tree.numbers[children, PROOF] == 0].tolist()
            todo += proved
            if node["kind"] == OR:
                self.copy_moves(node["a"], node["d"], set(tree.nodes[["a", "d"]][proved].tolist()))
        self.propagate_costs()

    def copy_moves(self, a: Any, d: Any, wanted: set[Position]) -> None:
        """Copy a position's moves that lead to these positions."""
        n = position(self.graph, a, d)
        for cell in range(64 if a else 1):
            if (a | d) & BIT[cell]:
                continue
            after_a, after_d, kind = play_forced(a | BIT[cell], d, False)
            after = canonical(after_a, after_d)
            if kind != LOST and after in wanted:
                wanted.discard(after)
                needs = add_needs(self.graph, self.scratch, n, cell, MOST_REPLIES, True)
                if needs >= 0:
                    add_move(self.graph, n, cell, needs)

    def propagate_costs(self) -> None:
        """Work out the costs of all positions."""
        propagate_costs(self.graph, self.fullest_first(range(int(self.graph.total[POSITIONS]))))

    def fullest_first(self, numbers: Iterable[int]) -> Any:
        """Positions, those with most stones first."""
        known = np.fromiter(numbers, np.int64)
        stones = np.bitwise_count(self.graph.positions["a"][known].view(np.uint64))
        return known[np.argsort(-stones.astype(np.int64), kind="stable")]

    def moves_of(self, n: int) -> list[list[int]]:
        """For each move of a position, the positions that it needs."""
        first = self.graph.positions["first"][n]
        return [needed(self.graph, move).tolist() for move in range(first, first + self.graph.positions["moves"][n])]

    def cheapest_proof(self) -> list[int]:
        """The positions of the cheapest proof that need others, from D's second reply on, the emptiest boards first."""
        cost, seen, todo = self.graph.positions["cost"], {0}, [0]
        while todo:
            needs = min(self.moves_of(todo.pop()), key=lambda needs: (int(cost[needs].sum()), needs))
            fresh = [other for other in needs if other not in seen]
            seen |= set(fresh)
            todo += fresh
        emptiest_first = self.fullest_first(seen)[::-1].tolist()
        return [n for n in emptiest_first if cost[n] > 1 and count(self.graph.positions["a"][n]) >= 2]

    def improve(self, left: int, slack: int) -> None:
        """Search for moves that need fewer positions, from the emptiest boards on, until so many have been searched.

        A position's moves are tried in the order of how many positions they need. Those that cost a little more than
        the best are tried as well, since the selection may prefer them.
        """
        positions = self.graph.positions
        for n in self.cheapest_proof():
            if not positions["searched"][n]:
                search_moves(self.graph, self.scratch, n, MOST_OPEN)
            for needs in sorted(self.moves_of(n), key=len):
                left -= self.find_cost(n, needs, slack)
            positions["least"][n] = min(positions["least"][n], positions["cost"][n])
            self.report("Searching for shorter ways", f"{left:,} searches left")
            if left < 0:
                break

    def find_cost(self, n: int, needs: list[int], slack: int) -> int:
        """Find out what a move costs, as long as it may pay; return how many positions were searched for that."""
        positions, total, searches = self.graph.positions, 1 + len(needs), 0
        for other in needs:
            if total > positions["cost"][n] + slack:
                break
            if positions["cost"][other] > positions["least"][other]:
                if not positions["searched"][other]:
                    search_moves(self.graph, self.scratch, other, MOST_OPEN)
                searches += 1
            total += int(positions["cost"][other]) - 1
        positions["cost"][n] = min(int(positions["cost"][n]), total)
        return searches

    def certificate(self, changes: int) -> Certificate:
        """The positions and moves of a small proof."""
        self.propagate_costs()
        keep_proved_moves(self.graph)
        selection = new_selection(self.graph)
        seed(1980)
        change(self.graph, selection, 0, 1, 0)
        best = np.concatenate((selection.size, selection.chosen))
        pieces = changes // STEPS
        for piece in range(pieces):
            anneal(self.graph, selection, STEPS, 1.5 * 0.1 ** (piece / pieces), best)
            self.report("Selecting moves that need few positions", f"{best[0]:,} strategic positions")
        selected = {0}
        todo = [0]
        while todo:
            fresh = set(needed(self.graph, best[1 + todo.pop()]).tolist()) - selected
            selected |= fresh
            todo += fresh
        return self.most_promising_moves(selected)

    def most_promising_moves(self, positions: set[int]) -> Certificate:
        """Each position's most promising move that wins, and only the positions needed then, until nothing changes."""
        while True:
            self.report("Taking the most promising of equally good moves", f"{len(positions):,} strategic positions")
            members = np.zeros(int(self.graph.total[POSITIONS]), np.bool_)
            members[list(positions)] = True
            graph = self.graph._replace(members=members)
            moves: dict[int, int] = {}
            todo = [0]
            while todo:
                n = todo.pop()
                if n not in moves:
                    moves[n] = int(most_promising(graph, self.scratch, n))
                    needs = add_needs(graph, self.scratch, n, moves[n], MOST_REPLIES, True)
                    todo += graph.pool[graph.total[NEEDS] : graph.total[NEEDS] + needs].tolist()
            if moves.keys() == positions:
                a, d = (graph.positions[side][list(moves)].view(np.uint64).tolist() for side in "ad")
                return dict(zip(zip(a, d, strict=True), moves.values(), strict=True))
            positions = set(moves)
