"""The proof search: depth-first proof-number search (df-pn) over positions, with a forced-win search at every node.

Sources: A. Nagai, "Df-pn algorithm for searching AND/OR trees and its applications", 2002; L. V. Allis and
P. N. A. Schoo, "Qubic solved again", 1992.
"""

# mypy: disable-error-code="no-any-return"
# Kernels read numpy tables and call each other through numba: to mypy their numbers are Any.

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ttt.qubic.certificate import OPENINGS
from ttt.qubic.prover.forced import BIT, Scratch, forced_win, njit, signed
from ttt.qubic.prover.positions import (
    AND,
    INFINITE,
    LOST,
    OR,
    QUIET,
    SLOTS,
    WON,
    canonical,
    count,
    open_replies,
    play_forced,
    scores,
    slot_of,
)

NODES, EDGES = 4_000_000, 16_000_000
CANDIDATES = 16
FIRST_TWO = signed(OPENINGS)


class Tree(NamedTuple):
    """The table of the proof search: nodes by number, and where the search is, so that it can be resumed."""

    a: Any  # of each node, as are the next seven
    d: Any
    proof: Any
    disproof: Any
    kind: Any
    replies: Any  # of an AND node, those that are open
    first: Any  # its children stand in a row from here
    child_count: Any  # -1 until it is expanded
    children: Any
    slots: Any  # where nodes are looked up: their numbers + 1
    total: Any  # nodes, children and expanded nodes so far
    at: Any  # the depth reached
    path: Any  # the nodes from the root to there
    most_proof: Any  # and the thresholds of each
    most_disproof: Any


def new_tree() -> Tree:
    a, d, replies = (np.empty(NODES, np.int64) for _ in range(3))
    proof, disproof, first = (np.empty(NODES, np.int32) for _ in range(3))
    kind, child_count, children = np.empty(NODES, np.int8), np.empty(NODES, np.int8), np.empty(EDGES, np.int32)
    slots, total, at = np.zeros(SLOTS, np.int32), np.zeros(3, np.int64), np.zeros(1, np.int64)
    path = [np.zeros(80, np.int64) for _ in range(3)]
    return Tree(a, d, proof, disproof, kind, replies, first, child_count, children, slots, total, at, *path)


@njit
def node(t: Tree, s: Scratch, a: int, d: int, kind: int, no_win: bool, after_three: bool) -> int:
    """The number of a position without forced replies; a new one is evaluated.

    An OR node is proved by a forced win, unless it is known that there is none (`no_win`); its proof number is 6 if A
    came to it by a three of his own. An AND node counts its open replies.
    """
    a, d = canonical(a, d)
    slot = slot_of(t.slots, t.a, t.d, a, d)
    if t.slots[slot]:
        return t.slots[slot] - 1
    n = t.total[0]
    t.total[0] += 1
    t.slots[slot] = n + 1
    t.a[n], t.d[n], t.kind[n], t.child_count[n], t.replies[n] = a, d, kind, -1, 0
    t.proof[n], t.disproof[n] = 6 if after_three else 1, 1
    if kind == AND:
        replies, threat = open_replies(a, d, 64, s)
        t.replies[n], t.proof[n], t.kind[n] = replies, count(replies), AND if threat else QUIET
    elif not no_win and forced_win(a, d, s.line, s.stack, s.seen):
        t.proof[n], t.kind[n] = 0, WON
    if t.proof[n] == 0:
        t.disproof[n] = INFINITE
    return n


@njit
def add_child(t: Tree, parent: int, child: int) -> None:
    """Make a node a child of another, once."""
    first = t.first[parent]
    for edge in range(first, first + t.child_count[parent]):
        if t.children[edge] == child:
            return
    t.children[first + t.child_count[parent]] = child
    t.child_count[parent] += 1


@njit
def candidates(a: int, d: int) -> int:
    """The cells that A tries: first cell 0, then those that make one of the openings, then the most promising."""
    if not a:
        return 1
    second, promise, tried = count(a) == 1, scores(a, d), a & 0
    least = 0 if second else max(np.sort(promise)[64 - CANDIDATES], 0)
    for cell in range(64):
        if promise[cell] >= least and not (second and canonical(a | BIT[cell], 0)[0] not in FIRST_TWO):
            tried |= BIT[cell]
    return tried


@njit
def expand(t: Tree, s: Scratch, n: int) -> None:
    """Find a node's children: A's candidates, up to the first that proves it, or all of D's open replies."""
    a, d = t.a[n], t.d[n]
    t.first[n], t.child_count[n] = t.total[1], 0
    t.total[2] += 1
    todo = candidates(a, d) if t.kind[n] == OR else t.replies[n]
    while todo:
        bit = todo & -todo
        todo ^= bit
        if t.kind[n] == OR:
            new_a, new_d, kind = play_forced(a | bit, d, False)
            if kind != LOST:
                child = node(t, s, new_a, new_d, kind, True, kind == OR)
                add_child(t, n, child)
                if t.proof[child] == 0:
                    break
        else:
            new_a, new_d, kind = play_forced(a, d | bit, True)
            if kind == LOST:
                t.child_count[n] = 0
                t.proof[n], t.disproof[n] = INFINITE, 0
                return
            if kind != WON:
                add_child(t, n, node(t, s, new_a, new_d, kind, t.kind[n] == AND, False))
    t.total[1] += t.child_count[n]
    if t.child_count[n] == 0:
        t.proof[n], t.disproof[n] = (INFINITE, 0) if t.kind[n] == OR else (0, INFINITE)


@njit
def start(t: Tree, s: Scratch, a: int, d: int) -> int:
    """Begin a search at a position with A to move, and return its node."""
    root = node(t, s, a, d, OR, False, False)
    t.at[0], t.path[0], t.most_proof[0], t.most_disproof[0] = 0, root, INFINITE, INFINITE
    return root


@njit
def search(t: Tree, s: Scratch, work: int, share: int) -> bool:
    """Go on with df-pn for `work` expansions. Returns whether it has finished; it also stops when the table is full.

    The search leaves a node when its proof or disproof number reaches a threshold. For the best child, that is the
    number of the second best and 1/`share` of it more, so that the search doesn't keep switching between the two.
    """
    depth, limit = t.at[0], t.total[2] + work
    while depth >= 0:
        if t.total[2] >= limit or t.total[0] > NODES - 100 or t.total[1] > EDGES - 100:
            t.at[0] = depth
            return False
        n = t.path[depth]
        if t.proof[n] and t.disproof[n] and t.child_count[n] < 0:
            expand(t, s, n)
        if t.proof[n] == 0 or t.disproof[n] == 0:
            depth -= 1
            continue
        attacking = t.kind[n] == OR
        best = n
        least = second = INFINITE
        total = 0
        for edge in range(t.first[n], t.first[n] + t.child_count[n]):
            child = t.children[edge]
            mine, theirs = (t.proof[child], t.disproof[child]) if attacking else (t.disproof[child], t.proof[child])
            total = min(INFINITE, total + theirs)
            if mine < least:
                best, least, second = child, mine, least
            elif mine < second:
                second = mine
        if least == 0:
            total = INFINITE
        if total == 0:
            least = INFINITE
        t.proof[n], t.disproof[n] = (least, total) if attacking else (total, least)
        if least == 0 or total == 0 or t.proof[n] >= t.most_proof[depth] or t.disproof[n] >= t.most_disproof[depth]:
            depth -= 1
            continue
        nearer = min(INFINITE, second + 1 + second // share)
        t.path[depth + 1] = best
        if attacking:
            t.most_proof[depth + 1] = min(t.most_proof[depth], nearer)
            t.most_disproof[depth + 1] = t.most_disproof[depth] - total + t.disproof[best]
        else:
            t.most_disproof[depth + 1] = min(t.most_disproof[depth], nearer)
            t.most_proof[depth + 1] = t.most_proof[depth] - total + t.proof[best]
        depth += 1
    t.at[0] = -1
    return True
