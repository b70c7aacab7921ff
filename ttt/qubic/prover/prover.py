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

# mypy: disable-error-code="no-any-return"
# The tables are numpy's and the functions numba's: to mypy their numbers are Any.

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numba
import numpy as np

from ttt.qubic import certificate
from ttt.qubic.certificate import Certificate, Position
from ttt.qubic.prover.dfpn import EDGES, NODES, new_tree, search, start
from ttt.qubic.prover.forced import BIT, new_scratch, signed
from ttt.qubic.prover.positions import IMAGES, LOST, OR, SLOTS, canonical, count, play_forced
from ttt.qubic.prover.proof_graph import (
    MOST_REPLIES,
    add_move,
    find,
    most_promising,
    needs_of,
    new_graph,
    propagate_costs,
    search_moves,
)
from ttt.qubic.prover.selection import anneal, change, moves_of, new_selection, reached, seed


class ProverError(RuntimeError):
    """The prover can't find a proof: numba is switched off, or the search outgrew its tables."""


class Stopped(Exception):
    """The prover was asked to stop."""


@dataclass(frozen=True)
class Progress:
    """How far the prover has come.

    Args:
        stage: what it is doing, in words.
        proof, disproof: the root's proof and disproof number, while it searches for the proof.
        nodes: nodes of the proof searches so far.
        memory: bytes used in the tables.
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
    """The certificate, the nodes of the proof searches, and the bytes used in the tables."""

    certificate: Certificate
    nodes: int
    memory: int


class Effort(NamedTuple):
    """What is spent on making the proof small.

    Args:
        proofs: how many proofs are searched for; the certificate combines what is good in each.
        searches: how many positions are searched for moves that need fewer positions.
        slack: how many positions more than the best move a move may need to be tried as well.
        steps: how many changes of moves the annealing tries.
    """

    proofs: int
    searches: int
    slack: int
    steps: int


EFFORTS = Effort(1, 0, 0, 0), Effort(1, 5_000, 0, 10_000_000), Effort(7, 10_000_000, 2, 60_000_000)
SHARES = (16, 8, 4, 1000, 32, 12, 6)  # each leads `dfpn.search` to another proof
MOST_OPEN = 12  # open replies after a move that is tried to make the proof smaller
WORK, STEPS = 250, 500_000  # expansions and annealing steps from one report to the next
Report = Callable[[Progress], object]


def prove(
    progress: Report | None = None,
    stop: Callable[[], bool] | None = None,
    minimise: int = 1,
    position: Position = (0, 0),
) -> Proof:
    """Prove afresh that the first player wins, and make the certificate.

    Args:
        progress: called a few times a second.
        stop: called as often; the prover stops when it returns True. Ctrl-C works as well.
        minimise: 0 takes the proof as it is found; 1 spends some seconds on a smaller one, 2 some minutes, which
            gives the certificate that comes with the lab.
        position: the first player's and the second's cells as masks, the first player to move. It must be won in the
            way of the proof; otherwise the search ends only when its tables are full.

    Raises `ProverError` and `Stopped`.
    """
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        raise ProverError("Without compiling, the prover would take hours: unset NUMBA_DISABLE_JIT.")
    prover, effort = _Prover(progress, stop), EFFORTS[minimise]
    for share in SHARES[: effort.proofs]:
        prover.search(share, position)
    if effort.searches:
        prover.improve(effort)
    return Proof(prover.certificate(effort.steps), prover.nodes, prover.memory)


class _Prover:
    """A proof in the making: its tables, and the long computations in pieces, so that they can be stopped."""

    def __init__(self, progress: Report | None, stop: Callable[[], bool] | None) -> None:
        self.tree, self.graph, self.scratch = new_tree(), new_graph(), new_scratch()
        self.progress, self.stop = progress, stop
        self.nodes = self.strategic = 0

    @property
    def memory(self) -> int:
        """The bytes of the tables that have been written to."""
        nodes, children, _ = map(int, self.tree.total)
        positions, moves, needs = map(int, self.graph.total)
        return 38 * nodes + 4 * children + 4 * SLOTS * 2 + 33 * positions + 9 * moves + 4 * needs + IMAGES.nbytes

    def report(self, stage: str) -> None:
        """Report the progress, and stop if asked to."""
        if self.progress:
            numbers = int(self.tree.proof[0]), int(self.tree.disproof[0]), self.nodes
            self.progress(Progress(stage, *numbers, self.memory, self.strategic or None))
        if self.stop and self.stop():
            raise Stopped("The prover was asked to stop.")

    def search(self, share: int, position: Position) -> None:
        """Search until the first player's win is proved, and copy the proof to the graph."""
        self.tree, before = new_tree(), self.nodes
        tree = self.tree
        root = start(tree, self.scratch, *signed(certificate.canonical(*position)))
        while not search(tree, self.scratch, WORK, share):
            self.nodes = before + int(tree.total[0])
            self.report("searching for another proof" if before else "searching for the proof")
            if tree.total[0] > NODES - 200 or tree.total[1] > EDGES - 200:
                raise ProverError("The proof search outgrew its tables.")
        self.nodes = before + int(tree.total[0])
        self.copy_proof(root)

    def copy_proof(self, root: int) -> None:
        """Copy every proved move below a node of the search to the graph."""
        tree, todo, copied = self.tree, [root], set[int]()
        while todo:
            n = todo.pop()
            if n in copied or tree.child_count[n] <= 0:
                continue
            copied.add(n)
            children = tree.children[tree.first[n] : tree.first[n] + tree.child_count[n]].tolist()
            proved = [child for child in children if tree.proof[child] == 0]
            todo += proved
            if tree.kind[n] == OR:
                self.copy_moves(n, proved)
        self.propagate_costs()

    def copy_moves(self, n: int, children: list[int]) -> None:
        """Copy an OR node's moves that lead to these proved nodes."""
        a, d = self.tree.a[n], self.tree.d[n]
        position = find(self.graph, a, d)
        wanted = {(self.tree.a[child], self.tree.d[child]) for child in children}
        for cell in range(64 if a else 1):
            if (a | d) & BIT[cell]:
                continue
            after_a, after_d, kind = play_forced(a | BIT[cell], d, False)
            after = canonical(after_a, after_d)
            if kind != LOST and after in wanted:
                wanted.discard(after)
                needs = needs_of(self.graph, self.scratch, position, cell, MOST_REPLIES, True)
                if needs >= 0:
                    add_move(self.graph, position, cell, needs)

    def propagate_costs(self) -> None:
        propagate_costs(self.graph, self.fullest_first(range(int(self.graph.total[0]))))

    def fullest_first(self, positions: Iterable[int]) -> Any:
        """Positions, those with most stones first."""
        numbers = np.fromiter(positions, np.int64)
        stones = [count(a) for a in self.graph.a[numbers]]
        return numbers[np.argsort(-np.array(stones), kind="stable")]

    def cheapest_proof(self) -> list[int]:
        """The positions of the cheapest proof that need others, from D's second reply on, the emptiest boards first."""
        graph, seen, todo = self.graph, {0}, [0]
        while todo:
            moves = moves_of(graph, todo.pop()).values()
            needs = min(moves, key=lambda needs: (int(graph.cost[needs].sum()), needs))
            fresh = [other for other in needs if other not in seen]
            seen |= set(fresh)
            todo += fresh
        needy = [int(n) for n in self.fullest_first(seen) if graph.cost[n] > 1 and count(graph.a[n]) >= 2]
        return needy[::-1]

    def improve(self, effort: Effort) -> None:
        """Search for moves that need fewer positions, from the emptiest boards on, as far as the effort goes.

        A position's moves are tried in the order of how many positions they need. Those that cost a little more than
        the best are tried as well, since the selection may prefer them.
        """
        graph, left = self.graph, effort.searches
        for position in self.cheapest_proof():
            if not graph.searched[position]:
                search_moves(graph, self.scratch, position, MOST_OPEN)
            for needs in sorted(moves_of(graph, position).values(), key=len):
                left -= self.find_cost(position, needs, effort.slack)
            graph.least[position] = min(graph.least[position], graph.cost[position])
            self.report("searching for shorter ways")
            if left < 0:
                break

    def find_cost(self, position: int, needs: list[int], slack: int) -> int:
        """Find out what a move costs, as long as it may pay; return how many positions were searched for that."""
        graph, total, searches = self.graph, 1 + len(needs), 0
        for other in needs:
            if total > graph.cost[position] + slack:
                break
            if graph.cost[other] > graph.least[other]:
                if not graph.searched[other]:
                    search_moves(graph, self.scratch, other, MOST_OPEN)
                searches += 1
            total += int(graph.cost[other]) - 1
        graph.cost[position] = min(int(graph.cost[position]), total)
        return searches

    def certificate(self, steps: int) -> Certificate:
        """The positions and moves of a small proof."""
        self.propagate_costs()
        selection, numbers = new_selection(self.graph)
        seed(1980)
        change(selection, 0, 1, 0)
        best = np.concatenate((selection.size, selection.chosen))
        pieces = steps // STEPS
        for piece in range(pieces):
            anneal(selection, STEPS, 1.5 * 0.1 ** (piece / pieces), best)
            self.strategic = int(best[0])
            self.report("selecting moves that need few positions")
        return self.most_promising_moves({numbers[n] for n in reached(selection, best[1:])})

    def most_promising_moves(self, positions: set[int]) -> Certificate:
        """Each position's most promising move that wins, and only the positions needed then, until nothing changes."""
        while True:
            self.report("taking the most promising of equally good moves")
            members = np.zeros(int(self.graph.total[0]), np.bool_)
            members[list(positions)] = True
            graph = self.graph._replace(members=members)
            moves: dict[int, int] = {}
            todo = [0]
            while todo:
                n = todo.pop()
                if n not in moves:
                    moves[n] = int(most_promising(graph, self.scratch, n))
                    needs = needs_of(graph, self.scratch, n, moves[n], MOST_REPLIES, True)
                    todo += graph.pool[graph.total[2] : graph.total[2] + needs].tolist()
            if moves.keys() == positions:
                a, d = (table[list(moves)].view(np.uint64).tolist() for table in (graph.a, graph.d))
                return dict(zip(zip(a, d, strict=True), moves.values(), strict=True))
            positions = set(moves)
            self.strategic = len(positions)
