"""The selection of one move for each position, such that together they need few positions: by simulated annealing."""

import math
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from ttt.qubic.prover.positions import INFINITE
from ttt.qubic.prover.proof_graph import POSITIONS, ProofGraph, needed

LONGEST = 1_000_000  # entries in the stack and in the log; more than the change of one move takes


class Selection(NamedTuple):
    """One move for each position, and how often each position is needed then; 0 is the position to be proved."""

    chosen: Any  # of each position
    times: Any  # how many chosen moves need the position
    used: Any  # the positions needed, in any order
    at: Any  # where a position stands there
    size: Any  # how many there are
    stack: Any
    log: Any


def new_selection(g: ProofGraph) -> Selection:
    """The first move for each position, and no position needed."""
    many = g.total[POSITIONS]
    sizes = many, many, many, 1, LONGEST, (LONGEST, 3)
    return Selection(g.positions["first"][:many].astype(np.int64), *(np.zeros(size, np.int64) for size in sizes))


@njit
def enter(c: Selection, n: int) -> None:
    """Count a position among those that are needed."""
    c.at[n], c.used[c.size[0]] = c.size[0], n
    c.size[0] += 1


@njit
def leave(c: Selection, n: int) -> None:
    """Count a position no more among those that are needed."""
    c.size[0] -= 1
    last = c.used[c.size[0]]
    c.used[c.at[n]], c.at[last] = last, c.at[n]


@njit
def cheapest_move(g: ProofGraph, c: Selection, n: int) -> int:
    """The move that seems to add the fewest positions; equally good ones are equally likely."""
    best, alike, chosen, first = INFINITE, 0, c.chosen[n], g.positions[n].first
    for move in range(first, first + g.positions[n].moves):
        cost = 0
        for other in needed(g, move):
            if not c.times[other]:
                cost += g.positions[other].cost
        alike = alike + 1 if cost == best else 1
        if cost < best or (cost == best and np.random.randint(alike) == 0):
            best, chosen = cost, move
    return chosen


@njit
def change(g: ProofGraph, c: Selection, n: int, by: int, logged: int) -> int:
    """One move more (`by` 1) or less (-1) needs this position; so do its needs, if it enters or leaves with that.

    What is changed is written to the log, from `logged` on. Returns the log's new length.
    """
    height = 1
    c.stack[0] = n
    while height:
        height -= 1
        n = c.stack[height]
        c.log[logged] = n, c.times[n], c.chosen[n]
        logged += 1
        before = c.times[n]
        c.times[n] += by
        if before and c.times[n]:
            continue
        if by > 0:
            enter(c, n)
            c.chosen[n] = cheapest_move(g, c, n)
        else:
            leave(c, n)
        for other in needed(g, c.chosen[n]):
            c.stack[height] = other
            height += 1
    return logged


@njit
def undo(c: Selection, logged: int) -> None:
    """Take back the changes in the log."""
    for n, times, chosen in c.log[:logged][::-1]:
        before, c.times[n], c.chosen[n] = c.times[n], times, chosen
        if times and not before:
            enter(c, n)
        elif before and not times:
            leave(c, n)


@njit
def anneal(g: ProofGraph, c: Selection, steps: int, temperature: float, best: Any) -> None:
    """Change moves at random; keep a change that needs no more positions, and at high temperatures some that do.

    `best` holds the smallest number of positions so far, and then the moves chosen for it.
    """
    for _ in range(steps):
        n = c.used[np.random.randint(c.size[0])]
        first, moves = g.positions[n].first, g.positions[n].moves
        if moves < 2:
            continue
        old, new, size, logged = c.chosen[n], first + np.random.randint(moves), c.size[0], 0
        if old == new:
            continue
        new_comes = np.random.randint(2)
        for turn in range(2):
            move, by = (new, 1) if turn == new_comes else (old, -1)
            for other in needed(g, move):
                logged = change(g, c, other, by, logged)
        more = c.size[0] - size
        if more > 0 and np.random.random() >= math.exp(-more / temperature):
            undo(c, logged)
            continue
        c.chosen[n] = new
        if c.size[0] < best[0]:
            best[0] = c.size[0]
            best[1:] = c.chosen


@njit
def seed(number: int) -> None:
    """Start numba's random numbers afresh."""
    np.random.seed(number)
