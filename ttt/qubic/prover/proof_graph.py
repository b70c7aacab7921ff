"""The proof graph: strategic positions, A's moves in each, and the positions that each of these moves needs in turn."""

# mypy: disable-error-code="no-any-return"
# Kernels read numpy tables and call each other through numba: to mypy their numbers are Any.

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ttt.qubic.prover.forced import BIT, Scratch, forced_win, njit
from ttt.qubic.prover.positions import (
    AND,
    INFINITE,
    LOST,
    OR,
    SLOTS,
    WON,
    canonical,
    count,
    open_replies,
    play_forced,
    scores,
    slot_of,
)

POSITIONS, MOVES, NEEDS = 3_000_000, 12_000_000, 40_000_000
MOST_REPLIES = 64  # more than D can have
MOST_WAITING, MOST_WAITING_AFTER_THREES = 4_900, 40


class ProofGraph(NamedTuple):
    """Positions by number, and moves by number; the moves of a position stand in a row, as do the needs of a move."""

    a: Any  # of each position, as are the next six
    d: Any
    least: Any  # the fewest positions that a proof can have, counting only moves with few open replies
    cost: Any  # the fewest positions in a proof found so far, counted as a tree
    first_move: Any
    moves: Any  # how many
    searched: Any  # whether all its moves with few open replies have been searched for
    slots: Any  # where positions are looked up: their numbers + 1
    total: Any  # positions, moves and needs so far
    cell: Any  # of each move, as are the next two
    first_need: Any
    needs: Any  # how many
    pool: Any  # the positions that moves need
    members: Any  # which positions moves may need; empty if any
    waiting: Any  # scratch
    found: Any  # scratch


def new_graph() -> ProofGraph:
    a, d = (np.empty(POSITIONS, np.int64) for _ in range(2))
    least, cost, first_move, moves = (np.empty(POSITIONS, np.int32) for _ in range(4))
    searched, slots, total = np.zeros(POSITIONS, np.bool_), np.zeros(SLOTS, np.int32), np.zeros(3, np.int64)
    cell, first_need, needs = np.empty(MOVES, np.int8), np.empty(MOVES, np.int32), np.empty(MOVES, np.int32)
    pool, members = np.empty(NEEDS, np.int32), np.zeros(0, np.bool_)
    waiting, found = np.zeros((5000, 2), np.int64), np.zeros((100, 2), np.int64)
    of_position = a, d, least, cost, first_move, moves, searched, slots, total
    return ProofGraph(*of_position, cell, first_need, needs, pool, members, waiting, found)


@njit
def find(g: ProofGraph, a: int, d: int) -> int:
    """The number of a canonical position, which is added if it is new."""
    slot = slot_of(g.slots, g.a, g.d, a, d)
    if g.slots[slot]:
        return g.slots[slot] - 1
    n = g.total[0]
    g.total[0] += 1
    g.slots[slot] = n + 1
    g.a[n], g.d[n], g.least[n], g.cost[n], g.first_move[n], g.moves[n] = a, d, 1, INFINITE, 0, 0
    return n


@njit
def add_once(rows: Any, length: int, a: int, d: int) -> int:
    """Add a position to a list unless it is there, and return the new length."""
    for n in range(length):
        if rows[n, 0] == a and rows[n, 1] == d:
            return length
    rows[length, 0], rows[length, 1] = a, d
    return length + 1


@njit
def add_need(g: ProofGraph, found: int, a: int, d: int) -> int:
    """Add a position to those that a move needs, and return their number; `INFINITE` if the move may not need it."""
    a, d = canonical(a, d)
    slot = slot_of(g.slots, g.a, g.d, a, d)
    if len(g.members) and not (g.slots[slot] and g.members[g.slots[slot] - 1]):
        return INFINITE
    return add_once(g.found, found, a, d)


@njit
def needs_of(g: ProofGraph, s: Scratch, n: int, cell: int, most: int, quiet: bool) -> int:
    """Write the positions that a move needs to the end of the pool, and return their number; -1 if the move won't do.

    It won't do if it loses, if it needs more than `most` positions or one that is not a member, and unless `quiet` also
    if it threatens nothing, or D can go on with many threes. Many orders of D's threes lead to the same position.
    """
    a, d, kind = play_forced(g.a[n] | BIT[cell], g.d[n], False)
    if kind in (LOST, WON):
        return -1
    found, done, waiting = 0, 0, 0
    if kind == OR:
        found = add_need(g, found, a, d)
    else:
        waiting = add_once(g.waiting, waiting, a, d)
    while done < waiting and found <= most:
        if waiting > (MOST_WAITING if quiet else MOST_WAITING_AFTER_THREES):
            return -1
        a, d = g.waiting[done, 0], g.waiting[done, 1]
        done += 1
        replies, threat = open_replies(a, d, most, s)
        if (not threat and not quiet) or (threat and count(replies) > most):
            return -1
        while replies and found <= most:
            bit = replies & -replies
            replies ^= bit
            new_a, new_d, kind = play_forced(a, d | bit, True)
            if kind == LOST:
                return -1
            if kind == AND:
                waiting = add_once(g.waiting, waiting, new_a, new_d)
            elif kind == OR and (threat or not forced_win(new_a, new_d, s.line, s.stack, s.seen)):
                found = add_need(g, found, new_a, new_d)
    if found > most:
        return -1
    for other in range(found):
        g.pool[g.total[2] + other] = find(g, g.found[other, 0], g.found[other, 1])
    return found


@njit
def needed(g: ProofGraph, move: int) -> Any:
    """The positions that a move needs."""
    return g.pool[g.first_need[move] : g.first_need[move] + g.needs[move]]


@njit
def add_move(g: ProofGraph, n: int, cell: int, needs: int) -> None:
    """Give a position the move whose needs stand at the end of the pool, unless it has one that needs the same."""
    first, end = g.first_move[n], g.total[1]
    fresh = g.pool[g.total[2] : g.total[2] + needs]
    for move in range(first, first + g.moves[n]):
        if g.needs[move] == needs and (needed(g, move) == fresh).all():
            return
    if first + g.moves[n] != end:  # its moves go to the end, so that they stand in a row
        for move in range(g.moves[n]):
            old, new = first + move, end + move
            g.cell[new], g.first_need[new], g.needs[new] = g.cell[old], g.first_need[old], g.needs[old]
        g.first_move[n] = end
        end += g.moves[n]
    g.cell[end], g.first_need[end], g.needs[end] = cell, g.total[2], needs
    g.total[1] = end + 1
    g.total[2] += needs
    g.moves[n] += 1


@njit
def search_moves(g: ProofGraph, s: Scratch, n: int, most: int) -> None:
    """Find all moves of a position that need at most `most` positions, or the first one that needs none."""
    promise = scores(g.a[n], g.d[n])
    g.searched[n] = True
    fewest = most + 1
    for cell in np.argsort(-promise, kind="mergesort"):
        if promise[cell] < 0:
            break
        needs = needs_of(g, s, n, cell, most, False)
        if needs == 0:
            g.first_move[n], g.moves[n] = g.total[1], 0
            add_move(g, n, cell, 0)
            g.cost[n] = 1
            return
        if needs > 0:
            add_move(g, n, cell, needs)
            fewest = min(fewest, needs)
    g.least[n] = min(max(g.least[n], 1 + fewest), g.cost[n])


@njit
def propagate_costs(g: ProofGraph, order: Any) -> None:
    """Work out the costs of positions from those that they need; `order` has the fullest boards first."""
    for n in order:
        for move in range(g.first_move[n], g.first_move[n] + g.moves[n]):
            total = 1
            for other in needed(g, move):
                total = min(INFINITE, total + g.cost[other])
            g.cost[n] = min(g.cost[n], total)
        g.least[n] = min(g.least[n], g.cost[n])


@njit
def most_promising(g: ProofGraph, s: Scratch, n: int) -> int:
    """The most promising move that needs allowed positions only; -1 if there is none."""
    promise = scores(g.a[n], g.d[n])
    for cell in np.argsort(-promise, kind="mergesort"):
        if promise[cell] >= 0 and needs_of(g, s, n, cell, MOST_REPLIES, True) >= 0:
            return cell
    return -1
