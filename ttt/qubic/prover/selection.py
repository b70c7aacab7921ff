"""The selection of one move for each position, such that together they need few positions: by simulated annealing."""

# mypy: disable-error-code="no-any-return"
# Kernels read numpy tables and call each other through numba: to mypy their numbers are Any.

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ttt.qubic.prover.forced import njit
from ttt.qubic.prover.positions import INFINITE
from ttt.qubic.prover.proof_graph import ProofGraph, needed

LONGEST = 1_000_000  # entries in the stack and in the log; more than the change of one move takes


class Selection(NamedTuple):
    """One move for each position, and how often each position is needed then; 0 is the position to be proved."""

    first_move: Any  # of each position; one entry more than there are positions
    first_need: Any  # of each move; one entry more than there are moves
    pool: Any
    cost: Any
    chosen: Any
    times: Any  # how many chosen moves need the position
    used: Any  # the positions needed, in any order
    at: Any  # where a position stands there
    size: Any  # how many there are
    stack: Any
    log: Any


def new_selection(graph: ProofGraph) -> tuple[Selection, list[int]]:
    """The part of a graph that is proved and can be reached, renumbered from 0, and each position's old number."""
    numbers, known = [0], {0: 0}
    first_move, first_need, pool = [0], [0], []
    for n in numbers:
        for needs in moves_of(graph, n).values():
            if all(graph.cost[other] < INFINITE for other in needs):
                for other in needs:
                    if other not in known:
                        known[other] = len(numbers)
                        numbers.append(other)
                pool += [known[other] for other in needs]
                first_need.append(len(pool))
        first_move.append(len(first_need) - 1)
    rows = first_move, first_need, pool, graph.cost[numbers], first_move[:-1]
    sizes = len(numbers), len(numbers), len(numbers), 1, LONGEST, (LONGEST, 3)
    tables = [np.array(row, np.int64) for row in rows] + [np.zeros(size, np.int64) for size in sizes]
    return Selection(*tables), numbers


def moves_of(graph: ProofGraph, position: int) -> dict[int, list[int]]:
    """The numbers of a position's moves, each with the positions that the move needs."""
    first = graph.first_move[position]
    return {move: needed(graph, move).tolist() for move in range(first, first + graph.moves[position])}


def reached(c: Selection, chosen: Any) -> set[int]:
    """The positions that these moves need, from the position to be proved on."""
    seen, todo = {0}, [0]
    while todo:
        fresh = set(needs(c, chosen[todo.pop()]).tolist()) - seen
        seen |= fresh
        todo += fresh
    return seen


@njit
def needs(c: Selection, move: int) -> Any:
    """The positions that a move needs."""
    return c.pool[c.first_need[move] : c.first_need[move + 1]]


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
def cheapest_move(c: Selection, n: int) -> int:
    """The move that seems to add the fewest positions; equally good ones are equally likely."""
    best, alike, chosen = INFINITE, 0, c.chosen[n]
    for move in range(c.first_move[n], c.first_move[n + 1]):
        cost = 0
        for other in needs(c, move):
            if not c.times[other]:
                cost += c.cost[other]
        alike = alike + 1 if cost == best else 1
        if cost < best or (cost == best and np.random.randint(alike) == 0):
            best, chosen = cost, move
    return chosen


@njit
def change(c: Selection, n: int, by: int, logged: int) -> int:
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
            c.chosen[n] = cheapest_move(c, n)
        else:
            leave(c, n)
        for other in needs(c, c.chosen[n]):
            c.stack[height] = other
            height += 1
    return logged


@njit
def undo(c: Selection, logged: int) -> None:
    """Take back the changes in the log."""
    for entry in range(logged - 1, -1, -1):
        n, before = c.log[entry, 0], c.times[c.log[entry, 0]]
        c.times[n], c.chosen[n] = c.log[entry, 1], c.log[entry, 2]
        if c.times[n] and not before:
            enter(c, n)
        elif before and not c.times[n]:
            leave(c, n)


@njit
def anneal(c: Selection, steps: int, temperature: float, best: Any) -> None:
    """Change moves at random; keep a change that needs no more positions, and at high temperatures some that do.

    `best` holds the smallest number of positions so far, and then the moves chosen for it.
    """
    for _ in range(steps):
        n = c.used[np.random.randint(c.size[0])]
        moves = c.first_move[n + 1] - c.first_move[n]
        if moves < 2:
            continue
        old, new, size, logged = c.chosen[n], c.first_move[n] + np.random.randint(moves), c.size[0], 0
        if old == new:
            continue
        new_comes = np.random.randint(2)
        for turn in range(2):
            move, by = (new, 1) if turn == new_comes else (old, -1)
            for other in needs(c, move):
                logged = change(c, other, by, logged)
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
