"""The proof search: depth-first proof-number search (df-pn) over positions, with the forced-win search at every node.

Sources: A. Nagai, "Df-pn algorithm for searching AND/OR trees and its applications", 2002; L. V. Allis and
P. N. A. Schoo, "Qubic solved again", 1992.
"""

# mypy: disable-error-code="no-any-return"
# The kernels read numpy tables and call each other through numba: their numbers are Any to mypy.

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ttt.qubic.forced import Scratch
from ttt.qubic.positions import (
    AND,
    BIT,
    INFINITE,
    LOST,
    OR,
    QUIET,
    SLOTS,
    WON,
    canonical,
    count,
    forced_win,
    hashed,
    njit,
    open_replies,
    scores,
    settle,
)

NODES, EDGES = 4_000_000, 16_000_000
CANDIDATES = 16
OPENINGS = np.array((0x200001, 0x9, 0x1008, 0x2004000000))  # A's first two cells from which the proof is small


class Tree(NamedTuple):
    """The proof search's table. Nodes have numbers; `slots` finds them, `kids` holds their children in a row.

    `total` counts nodes, kids and expanded nodes; `at` is the depth reached, so that the search can be resumed.
    """

    a: Any
    d: Any
    proof: Any
    disproof: Any
    kind: Any
    replies: Any
    first: Any
    kid_count: Any
    kids: Any
    slots: Any
    total: Any
    at: Any
    path: Any
    most_proof: Any
    most_disproof: Any


def new_tree() -> Tree:
    def empty(size: int, kind: Any) -> Any:
        return np.empty(size, kind)

    masks = [empty(NODES, np.int64) for _ in range(3)]
    numbers = [empty(NODES, np.int32) for _ in range(3)]
    path = [np.zeros(80, np.int64) for _ in range(3)]
    kinds, counts, kids = empty(NODES, np.int8), empty(NODES, np.int8), empty(EDGES, np.int32)
    slots, total, at = np.zeros(SLOTS, np.int32), np.zeros(3, np.int64), np.zeros(1, np.int64)
    a, d, replies = masks
    return Tree(a, d, numbers[0], numbers[1], kinds, replies, numbers[2], counts, kids, slots, total, at, *path)


@njit
def node(t: Tree, s: Scratch, a: int, d: int, kind: int, no_win: bool, after_three: bool) -> int:
    """The number of a settled position, which is evaluated when it is first met.

    An OR node is proved by a forced win, unless it is known that there is none (`no_win`); one that A came to by
    a three of his own counts 6. An AND node counts its open replies.
    """
    a, d = canonical(a, d)
    slot = hashed(a, d, SLOTS)
    while t.slots[slot]:
        n = t.slots[slot] - 1
        if t.a[n] == a and t.d[n] == d:
            return n
        slot = (slot + 1) & (SLOTS - 1)
    n = t.total[0]
    t.total[0] += 1
    t.slots[slot] = n + 1
    t.a[n], t.d[n], t.kind[n], t.kid_count[n], t.replies[n] = a, d, kind, -1, 0
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
def adopt(t: Tree, parent: int, kid: int) -> None:
    """Make a node a child, once."""
    first = t.first[parent]
    for edge in range(first, first + t.kid_count[parent]):
        if t.kids[edge] == kid:
            return
    t.kids[first + t.kid_count[parent]] = kid
    t.kid_count[parent] += 1


@njit
def candidates(a: int, d: int) -> int:
    """The cells that A tries: cell 0, then those that make one of the openings, then the most promising."""
    if not a:
        return 1
    second, promise, tried = count(a) == 1, scores(a, d), a & 0
    least = 0 if second else max(np.sort(promise)[64 - CANDIDATES], 0)
    for cell in range(64):
        if promise[cell] >= least and not (second and canonical(a | BIT[cell], 0)[0] not in OPENINGS):
            tried |= BIT[cell]
    return tried


@njit
def expand(t: Tree, s: Scratch, n: int) -> None:
    """Find a node's children: A's candidates, up to the first that proves it, or all of D's open replies."""
    a, d = t.a[n], t.d[n]
    t.first[n], t.kid_count[n] = t.total[1], 0
    t.total[2] += 1
    todo = candidates(a, d) if t.kind[n] == OR else t.replies[n]
    while todo:
        bit = todo & -todo
        todo ^= bit
        if t.kind[n] == OR:
            new_a, new_d, kind = settle(a | bit, d, False)
            if kind != LOST:
                kid = node(t, s, new_a, new_d, kind, True, kind == OR)
                adopt(t, n, kid)
                if t.proof[kid] == 0:
                    break
        else:
            new_a, new_d, kind = settle(a, d | bit, True)
            if kind == LOST:
                t.kid_count[n] = 0
                t.proof[n], t.disproof[n] = INFINITE, 0
                return
            if kind != WON:
                adopt(t, n, node(t, s, new_a, new_d, kind, t.kind[n] == AND, False))
    t.total[1] += t.kid_count[n]
    if t.kid_count[n] == 0:
        t.proof[n], t.disproof[n] = (INFINITE, 0) if t.kind[n] == OR else (0, INFINITE)


@njit
def start(t: Tree, s: Scratch, a: int, d: int) -> int:
    """Begin a search at a position with A to move; its node."""
    root = node(t, s, a, d, OR, False, False)
    t.at[0], t.path[0], t.most_proof[0], t.most_disproof[0] = 0, root, INFINITE, INFINITE
    return root


@njit
def search(t: Tree, s: Scratch, work: int, share: int) -> bool:
    """Go on with df-pn for so many expansions; whether it has finished (or the table is full).

    A node is left when its proof or disproof number reaches its threshold. That of a child is above the second best
    child's by this share of it, an eighth where it says 8, so that the search doesn't hop to and fro.
    """
    depth, limit = t.at[0], t.total[2] + work
    while depth >= 0:
        if t.total[2] >= limit or t.total[0] > NODES - 100 or t.total[1] > EDGES - 100:
            t.at[0] = depth
            return False
        n = t.path[depth]
        if t.proof[n] and t.disproof[n] and t.kid_count[n] < 0:
            expand(t, s, n)
        if t.proof[n] == 0 or t.disproof[n] == 0:
            depth -= 1
            continue
        attacking = t.kind[n] == OR
        best = n
        least = second = INFINITE
        total = 0
        for edge in range(t.first[n], t.first[n] + t.kid_count[n]):
            kid = t.kids[edge]
            mine, theirs = (t.proof[kid], t.disproof[kid]) if attacking else (t.disproof[kid], t.proof[kid])
            total = min(INFINITE, total + theirs)
            if mine < least:
                best, least, second = kid, mine, least
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
