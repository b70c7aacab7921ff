"""The prover's own search for forced wins, compiled: what `ttt.qubic.forced` finds, many times as fast.

A mask is a signed 64-bit number here. That is why the 76 lines come in two halves of 38 bits, and the search keeps its
own stack because a function that calls itself with arrays is slow in numba.
"""

# mypy: disable-error-code="no-any-return"
# Kernels read numpy tables and call each other through numba: to mypy their numbers are Any.

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import numba
import numpy as np

from ttt.board import Board

Kernel = TypeVar("Kernel", bound=Callable[..., Any])

HALF = 38  # lines in each half
FRAME = 11  # numbers that the search keeps for each of its open positions
DEPTH = 34  # more threes than fit on the board
SEEN = 65_521  # a prime: places to remember a position without a forced win, two numbers each


def njit(function: Kernel) -> Kernel:
    """numba's decorator; to mypy, the function keeps its type."""
    compiled: Kernel = numba.njit(function)
    return compiled


def signed(numbers: Any) -> Any:
    """Unsigned 64-bit numbers as an array of numba's signed ones."""
    return np.array(numbers, np.uint64).astype(np.int64)


_LINES = Board(shape=(4, 4, 4)).line_cells
BIT = signed([1 << cell for cell in range(64)])
LINE = signed([sum(1 << cell for cell in line) for line in _LINES])
LOW = signed([sum(1 << n for n in range(HALF) if cell in _LINES[n]) for cell in range(64)])
HIGH = signed([sum(1 << n for n in range(HALF) if cell in _LINES[HALF + n]) for cell in range(64)])
PLACE = np.zeros(131, np.int64)  # a lone bit's place by its remainder: 2 is a primitive root of 131
PLACE[BIT % 131] = np.arange(64)


class Scratch(NamedTuple):
    """What a forced-win search writes to: the line it found, its stack, and the positions known to have none."""

    line: Any
    stack: Any
    seen: Any


def new_scratch() -> Scratch:
    return Scratch(*(np.zeros(size, np.int64) for size in (DEPTH, FRAME * DEPTH, 2 * SEEN)))


@njit
def place(bit: int) -> int:
    """The place of the only bit in a mask."""
    return PLACE[bit % 131]


@njit
def lines_held(stones: int) -> tuple[int, int, int, int, int, int]:
    """The lines with one stone or more, two or more, three or more; each as a low and a high half."""
    one_low = one_high = two_low = two_high = three_low = three_high = 0
    while stones:
        bit = stones & -stones
        stones ^= bit
        low, high = LOW[place(bit)], HIGH[place(bit)]
        three_low, three_high = three_low | two_low & low, three_high | two_high & high
        two_low, two_high = two_low | one_low & low, two_high | one_high & high
        one_low, one_high = one_low | low, one_high | high
    return one_low, one_high, two_low, two_high, three_low, three_high


@njit
def free_cells(low: int, high: int, taken: int) -> tuple[int, int]:
    """The free cells of these lines, and those of them that lie on two of the lines or more."""
    once = twice = 0
    while low:
        bit = low & -low
        low ^= bit
        cells = LINE[place(bit)] & ~taken
        once, twice = once | cells, twice | once & cells
    while high:
        bit = high & -high
        high ^= bit
        cells = LINE[HALF + place(bit)] & ~taken
        once, twice = once | cells, twice | once & cells
    return once, twice


@njit
def winning_cells(own: int, other: int) -> int:
    """The cells that would complete a line of one side's."""
    other_low, other_high, _, _, _, _ = lines_held(other)
    _, _, _, _, three_low, three_high = lines_held(own)
    return free_cells(three_low & ~other_low, three_high & ~other_high, own | other)[0]


@njit
def forced_win(attacker: int, defender: int, line: Any, stack: Any, seen: Any) -> int:
    """The number of moves of a forced win, the attacker to move; 0 where there is none.

    The attacker's cells are written to `line`; the one that completes four is left out unless it is the only one.
    `stack` is scratch. `seen` remembers positions without a forced win from call to call; both masks are compared, so
    it is never wrong.

    A position on the stack is: both masks, the cells still to be tried, and the lines with one and two stones of either
    side. When it is the attacker's turn, no line of his has three stones, for the defender has just stopped it: so two
    stones and none of the defender's make an open two. A cell on two open twos wins; a cell on one makes a three.
    """
    a1l, a1h, a2l, a2h, a3l, a3h = lines_held(attacker)
    d1l, d1h, d2l, d2h, d3l, d3h = lines_held(defender)
    taken = attacker | defender
    todo, twice = free_cells(a3l & ~d1l, a3h & ~d1h, taken)
    if todo:
        line[0] = place(todo & -todo)
        return 1
    todo, twice = free_cells(d3l & ~a1l, d3h & ~a1h, taken)
    if todo & (todo - 1):
        return 0
    if not todo:
        todo, twice = free_cells(a2l & ~d1l, a2h & ~d1h, taken)
        if twice:
            line[0] = place(twice & -twice)
            return 1
    depth = 0
    while True:
        if not todo:
            at = 2 * ((attacker ^ (defender * 0x9E3779B97F4A7)) % SEEN)
            seen[at], seen[at + 1] = attacker, defender
            depth -= 1
            if depth < 0:
                return 0
            at = FRAME * depth
            attacker, defender, todo = stack[at], stack[at + 1], stack[at + 2]
            a1l, a1h, a2l, a2h = stack[at + 3], stack[at + 4], stack[at + 5], stack[at + 6]
            d1l, d1h, d2l, d2h = stack[at + 7], stack[at + 8], stack[at + 9], stack[at + 10]
            continue
        bit = todo & -todo
        todo ^= bit
        cell = place(bit)
        low, high = LOW[cell], HIGH[cell]
        three_low, three_high = a2l & ~d1l & low, a2h & ~d1h & high
        if not three_low | three_high:  # where the defender's three had to be stopped, and it gained nothing
            continue
        line[depth] = cell
        if three_low & (three_low - 1) or three_high & (three_high - 1) or (three_low and three_high):
            return depth + 1
        taken = attacker | defender | bit
        reply = (LINE[place(three_low)] if three_low else LINE[HALF + place(three_high)]) & ~taken
        at = 2 * (((attacker | bit) ^ ((defender | reply) * 0x9E3779B97F4A7)) % SEEN)
        if seen[at] == attacker | bit and seen[at + 1] == defender | reply:
            continue
        at = FRAME * depth
        stack[at], stack[at + 1], stack[at + 2] = attacker, defender, todo
        stack[at + 3], stack[at + 4], stack[at + 5], stack[at + 6] = a1l, a1h, a2l, a2h
        stack[at + 7], stack[at + 8], stack[at + 9], stack[at + 10] = d1l, d1h, d2l, d2h
        depth += 1
        attacker, defender, taken = attacker | bit, defender | reply, taken | reply
        a2l, a2h, a1l, a1h = a2l | a1l & low, a2h | a1h & high, a1l | low, a1h | high
        low, high = LOW[place(reply)], HIGH[place(reply)]
        three_low, three_high = d2l & low & ~a1l, d2h & high & ~a1h
        d2l, d2h, d1l, d1h = d2l | d1l & low, d2h | d1h & high, d1l | low, d1h | high
        if three_low | three_high:
            todo, twice = free_cells(three_low, three_high, taken)
            if todo & (todo - 1):
                todo = todo & 0
        else:
            todo, twice = free_cells(a2l & ~d1l, a2h & ~d1h, taken)
            if twice:
                line[depth] = place(twice & -twice)
                return depth + 1
