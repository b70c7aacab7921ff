"""The proof search: depth-first proof-number search (df-pn) over positions, with a forced-win search at every node.

A node's **proof number** is how many positions must be proved at least to prove it, its **disproof number** how many to
disprove it. Sources: A. Nagai, "Df-pn algorithm for searching AND/OR trees and its applications", 2002; L. V. Allis and
P. N. A. Schoo, "Qubic solved again", 1992.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from ttt.qubic.certificate import OPENINGS
from ttt.qubic.prover.positions import (
    AND,
    INFINITE,
    LOST,
    OR,
    QUIET,
    SLOTS,
    WON,
    canonical,
    find,
    open_replies,
    play_forced,
    scores,
)
from ttt.qubic.prover.threats import BIT, PLIES, Scratch, count, forced_win, signed

MOST_NODES, MOST_CHILDREN = 4_000_000, 16_000_000
CANDIDATES = 16
FIRST_TWO = signed(OPENINGS)
PROOF, DISPROOF = 0, 1
NODES, CHILDREN, EXPANDED, DEPTH = range(4)  # places in `total`
NODE = np.dtype(
    [
        ("a", "i8"),
        ("d", "i8"),
        ("replies", "i8"),  # of an AND node, those that are open
        ("first", "i4"),  # its children stand in a row from here
        ("many", "i1"),  # how many there are; -1 until it is expanded
        ("kind", "i1"),
    ]
)


class Tree(NamedTuple):
    """The tables of the proof search, and where the search is, so that it can be resumed."""

    nodes: Any
    numbers: Any  # of each node, the proof and the disproof number
    children: Any  # the numbers of nodes
    slots: Any  # where nodes are looked up
    total: Any  # nodes, children and expanded nodes so far, and the depth reached
    path: Any  # the nodes from the root to there
    most: Any  # and the thresholds of each, for both numbers


def new_tree() -> Tree:
    """The tables of a search that has not begun."""
    nodes, numbers = np.zeros(MOST_NODES, NODE), np.zeros((MOST_NODES, 2), np.int32)
    children, slots = np.zeros(MOST_CHILDREN, np.int32), np.zeros(SLOTS, np.int32)
    path, most = np.zeros(PLIES, np.int64), np.zeros((PLIES, 2), np.int64)
    return Tree(nodes, numbers, children, slots, np.zeros(4, np.int64), path, most)


@njit
def is_full(t: Tree) -> bool:
    """Whether the tables may have no room for the children of one more node."""
    return t.total[NODES] > MOST_NODES - 100 or t.total[CHILDREN] > MOST_CHILDREN - 100


@njit
def node(t: Tree, s: Scratch, a: int, d: int, kind: int, no_win: bool, after_three: bool) -> int:
    """The number of a position without forced replies; a new one is evaluated.

    An OR node is proved by a forced win, unless it is known that there is none (`no_win`); its proof number is 6 if A
    came to it by a three of his own. An AND node counts its open replies.
    """
    a, d = canonical(a, d)
    n = find(t.slots, t.nodes, t.total, a, d)
    if t.nodes[n].kind:
        return n
    proof = 6 if after_three else 1
    if kind == AND:
        t.nodes[n].replies, threat = open_replies(a, d, 64, s)
        proof = count(t.nodes[n].replies)
        if not threat:
            kind = QUIET
    elif not no_win and forced_win(a, d, s):
        proof, kind = 0, WON
    t.nodes[n].kind, t.nodes[n].many = kind, -1
    t.numbers[n, PROOF], t.numbers[n, DISPROOF] = proof, 1 if proof else INFINITE
    return n


@njit
def add_child(t: Tree, parent: int, child: int) -> None:
    """Make a node a child of another, once."""
    first, many = t.nodes[parent].first, t.nodes[parent].many
    for edge in range(first, first + many):
        if t.children[edge] == child:
            return
    t.children[first + many] = child
    t.nodes[parent].many = many + 1


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
    a, d, attacking = t.nodes[n].a, t.nodes[n].d, t.nodes[n].kind == OR
    t.nodes[n].first, t.nodes[n].many = t.total[CHILDREN], 0
    t.total[EXPANDED] += 1
    todo = candidates(a, d) if attacking else t.nodes[n].replies
    refuted = False
    while todo and not refuted:
        bit = todo & -todo
        todo ^= bit
        if attacking:
            new_a, new_d, kind = play_forced(a | bit, d, False)
            if kind != LOST:
                child = node(t, s, new_a, new_d, kind, True, kind == OR)
                add_child(t, n, child)
                if not t.numbers[child, PROOF]:
                    break
        else:
            new_a, new_d, kind = play_forced(a, d | bit, True)
            refuted = kind == LOST
            if kind in (OR, AND):
                add_child(t, n, node(t, s, new_a, new_d, kind, t.nodes[n].kind == AND, False))
    if refuted:
        t.nodes[n].many = 0
    t.total[CHILDREN] += t.nodes[n].many
    if not t.nodes[n].many:
        proved = not attacking and not refuted
        t.numbers[n, PROOF], t.numbers[n, DISPROOF] = (0, INFINITE) if proved else (INFINITE, 0)


@njit
def start(t: Tree, s: Scratch, a: int, d: int) -> None:
    """Begin a search at a position with A to move; it is node 0."""
    t.path[0] = node(t, s, a, d, OR, False, False)
    t.most[0] = INFINITE


@njit
def search(t: Tree, s: Scratch, work: int, share: int) -> bool:
    """Go on with df-pn for `work` expansions. Returns whether it has finished; it also stops when the table is full.

    The search leaves a node when its proof or disproof number reaches a threshold. For the best child, that is the
    number of the second best and 1/`share` of it more, so that the search doesn't keep switching between the two.

    The side to move wants its own number small, the proof number for A: it is the least of the children's. The other
    number is the sum of theirs.
    """
    depth, limit = t.total[DEPTH], t.total[EXPANDED] + work
    while depth >= 0:
        t.total[DEPTH] = depth
        if t.total[EXPANDED] >= limit or is_full(t):
            return False
        n = t.path[depth]
        number = t.numbers[n]
        if number.all() and t.nodes[n].many < 0:
            expand(t, s, n)
        if not number.all():
            depth -= 1
            continue
        own, other = (PROOF, DISPROOF) if t.nodes[n].kind == OR else (DISPROOF, PROOF)
        best, least, second, total = n, INFINITE, INFINITE, 0
        for edge in range(t.nodes[n].first, t.nodes[n].first + t.nodes[n].many):
            child = t.children[edge]
            total = min(INFINITE, total + t.numbers[child, other])
            if t.numbers[child, own] < least:
                best, least, second = child, t.numbers[child, own], least
            else:
                second = min(second, t.numbers[child, own])
        number[own], number[other] = least, total
        if not number.all() or (number >= t.most[depth]).any():
            depth -= 1
            continue
        t.path[depth + 1] = best
        t.most[depth + 1, own] = min(t.most[depth, own], min(INFINITE, second + 1 + second // share))
        t.most[depth + 1, other] = t.most[depth, other] - total + t.numbers[best, other]
        depth += 1
    return True
