"""The proof graph: strategic positions, A's moves in each, and the positions that each of these moves needs in turn."""

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from ttt.qubic.prover.positions import (
    AND,
    INFINITE,
    LOST,
    OR,
    SLOTS,
    WON,
    canonical,
    find,
    open_replies,
    play_forced,
    scores,
    slot_of,
)
from ttt.qubic.prover.threats import BIT, Scratch, count, forced_win

MOST_POSITIONS, MOST_MOVES, MOST_NEEDS = 3_000_000, 12_000_000, 40_000_000
MOST_REPLIES = 64  # more than D can have
MOST_WAITING, MOST_WAITING_AFTER_THREES = 4_900, 40
POSITIONS, MOVES, NEEDS = range(3)  # places in `total`
POSITION = np.dtype(
    [
        ("a", "i8"),
        ("d", "i8"),
        ("least", "i4"),  # the fewest positions that a proof can have, counting only moves with few open replies
        ("cost", "i4"),  # the fewest positions in a proof found so far, counted as a tree
        ("first", "i4"),  # its moves stand in a row from here
        ("moves", "i4"),  # how many
        ("searched", "?"),  # whether all its moves with few open replies have been searched for
    ]
)
MOVE = np.dtype([("cell", "i1"), ("first", "i4"), ("needs", "i4")])  # what it needs stands in the pool


class ProofGraph(NamedTuple):
    """Positions by number, and moves by number; the moves of a position stand in a row, as do the needs of a move."""

    positions: Any
    moves: Any
    pool: Any  # the positions that moves need
    slots: Any  # where positions are looked up
    total: Any  # positions, moves and needs so far
    members: Any  # which positions moves may need; empty if any


def new_graph() -> ProofGraph:
    """A graph without positions."""
    positions, moves, pool = np.zeros(MOST_POSITIONS, POSITION), np.zeros(MOST_MOVES, MOVE), np.zeros(MOST_NEEDS, "i4")
    return ProofGraph(positions, moves, pool, np.zeros(SLOTS, "i4"), np.zeros(3, "i8"), np.zeros(0, "?"))


@njit
def position(g: ProofGraph, a: int, d: int) -> int:
    """The number of a canonical position, which is added if it is new."""
    n = find(g.slots, g.positions, g.total, a, d)
    if not g.positions[n].least:
        g.positions[n].least, g.positions[n].cost = 1, INFINITE
    return n


@njit
def may_be_needed(g: ProofGraph, a: int, d: int) -> bool:
    """Whether a canonical position is a member, or members don't matter."""
    if not len(g.members):
        return True
    slot = slot_of(g.slots, g.positions, a, d)
    return g.slots[slot] > 0 and g.members[g.slots[slot] - 1]


@njit
def add_needs(g: ProofGraph, s: Scratch, n: int, cell: int, most: int, quiet: bool) -> int:
    """Write the positions that a move needs to the end of the pool, and return their number; -1 if the move won't do.

    It won't do if it loses, if it needs more than `most` positions or one that is not a member, and unless `quiet` also
    if it threatens nothing, or D can go on with many threes. Many orders of D's threes lead to the same position.
    """
    a, d, kind = play_forced(g.positions[n].a | BIT[cell], g.positions[n].d, False)
    if kind in (LOST, WON):
        return -1
    waiting, found = [(a, d)], [canonical(a, d)]
    if kind == AND:
        found.clear()
    else:
        waiting.clear()
        if not may_be_needed(g, *found[0]):
            return -1
    for a, d in waiting:
        if len(waiting) > (MOST_WAITING if quiet else MOST_WAITING_AFTER_THREES):
            return -1
        replies, threat = open_replies(a, d, most, s)
        if (not threat and not quiet) or (threat and count(replies) > most):
            return -1
        while replies:
            bit = replies & -replies
            replies ^= bit
            new_a, new_d, kind = play_forced(a, d | bit, True)
            if kind == LOST:
                return -1
            if kind == AND and (new_a, new_d) not in waiting:
                waiting.append((new_a, new_d))
            elif kind == OR and (threat or not forced_win(new_a, new_d, s)):
                need = canonical(new_a, new_d)
                if need not in found:
                    found.append(need)
                if len(found) > most or not may_be_needed(g, *need):
                    return -1
    for i, (a, d) in enumerate(found):
        g.pool[g.total[NEEDS] + i] = position(g, a, d)
    return len(found)


@njit
def needed(g: ProofGraph, move: int) -> Any:
    """The positions that a move needs."""
    first = g.moves[move].first
    return g.pool[first : first + g.moves[move].needs]


@njit
def add_move(g: ProofGraph, n: int, cell: int, needs: int) -> None:
    """Give a position the move whose needs stand at the end of the pool, unless it has one that needs the same."""
    first, many, end = g.positions[n].first, g.positions[n].moves, g.total[MOVES]
    pool_end = g.total[NEEDS]
    for move in range(first, first + many):
        if g.moves[move].needs == needs and (needed(g, move) == g.pool[pool_end : pool_end + needs]).all():
            return
    if first + many != end:  # its moves go to the end, so that they stand in a row
        g.moves[end : end + many] = g.moves[first : first + many]
        g.positions[n].first = end
        end += many
    g.moves[end].cell, g.moves[end].first, g.moves[end].needs = cell, pool_end, needs
    g.positions[n].moves += 1
    g.total[MOVES] = end + 1
    g.total[NEEDS] += needs


@njit
def search_moves(g: ProofGraph, s: Scratch, n: int, most: int) -> None:
    """Find all moves of a position that need at most `most` positions, or the first one that needs none."""
    promise = scores(g.positions[n].a, g.positions[n].d)
    g.positions[n].searched = True
    fewest = most + 1
    for cell in np.argsort(-promise, kind="mergesort"):
        if promise[cell] < 0:
            break
        needs = add_needs(g, s, n, cell, most, False)
        if needs == 0:
            g.positions[n].moves, g.positions[n].cost = 0, 1
            add_move(g, n, cell, 0)
            return
        if needs > 0:
            add_move(g, n, cell, needs)
            fewest = min(fewest, needs)
    g.positions[n].least = min(max(g.positions[n].least, 1 + fewest), g.positions[n].cost)


@njit
def propagate_costs(g: ProofGraph, order: Any) -> None:
    """Work out the costs of positions from those that they need; `order` has the fullest boards first."""
    for n in order:
        first = g.positions[n].first
        for move in range(first, first + g.positions[n].moves):
            total = 1
            for other in needed(g, move):
                total = min(INFINITE, total + g.positions[other].cost)
            g.positions[n].cost = min(g.positions[n].cost, total)
        g.positions[n].least = min(g.positions[n].least, g.positions[n].cost)


@njit
def keep_proved_moves(g: ProofGraph) -> None:
    """Take out the moves that need a position without a proof."""
    for n in range(g.total[POSITIONS]):
        first, kept = g.positions[n].first, 0
        for move in range(first, first + g.positions[n].moves):
            if (g.positions[needed(g, move)].cost < INFINITE).all():
                g.moves[first + kept] = g.moves[move]
                kept += 1
        g.positions[n].moves = kept


@njit
def most_promising(g: ProofGraph, s: Scratch, n: int) -> int:
    """The most promising move that needs members only; -1 if there is none."""
    promise = scores(g.positions[n].a, g.positions[n].d)
    for cell in np.argsort(-promise, kind="mergesort"):
        if promise[cell] >= 0 and add_needs(g, s, n, cell, MOST_REPLIES, True) >= 0:
            return cell
    return -1
