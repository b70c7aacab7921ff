"""The prover's own search for forced wins, compiled: what `ttt.qubic.forced` finds, many times as fast.

It shares no code with `ttt.qubic.forced`, on which the verifier relies: a fault of one is not a fault of the other. A
mask is a signed 64-bit number here. A line is a mask of its cells.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from ttt.board import Board

PLIES = 64  # more than any game has
SEEN = 65_521  # a prime: places to remember a position without a forced win, two numbers each
MOST_LINES = 7  # through a cell


def signed(numbers: Any) -> Any:
    """Unsigned 64-bit numbers as an array of numba's signed ones."""
    return np.array(numbers, np.uint64).astype(np.int64)


def _lines_through(cell: int) -> list[int]:
    """The lines through a cell, and zeros up to as many as there are through a corner."""
    lines = [line for line in _LINES if line >> cell & 1]
    return lines + [0] * (MOST_LINES - len(lines))


_LINES = [sum(1 << cell for cell in line) for line in Board(shape=(4, 4, 4)).line_cells]
LINES = signed(_LINES)
THROUGH = signed([_lines_through(cell) for cell in range(64)])
BIT = signed([1 << cell for cell in range(64)])
PLACE = np.zeros(131, np.int64)  # a lone bit's place by its remainder: 2 is a primitive root of 131
PLACE[BIT % 131] = np.arange(64)


class Scratch(NamedTuple):
    """What a forced-win search writes to: the line it found, and positions known to have none."""

    line: Any
    seen: Any


def new_scratch() -> Scratch:
    """A scratch to begin with."""
    return Scratch(np.zeros(PLIES, np.int64), np.zeros((SEEN, 2), np.int64))


@njit
def lowest(mask: int) -> int:
    """The lowest cell in a mask."""
    return PLACE[(mask & -mask) % 131]


@njit
def count(mask: int) -> int:
    """How many bits are set."""
    n = 0
    while mask:
        mask &= mask - 1
        n += 1
    return n


@njit
def free_cells(own: int, other: int, missing: int) -> tuple[int, int]:
    """The free cells of the lines in which one side misses so many stones at most, and the other has none.

    Returns these cells, and those of them that lie on two such lines or more.
    """
    once = twice = own & 0  # a zero of the masks' own type
    for line in LINES:
        free = line & ~own
        if not free & other and count(free) <= missing:
            twice |= once & free
            once |= free
    return once, twice


@njit
def winning_cells(own: int, other: int) -> int:
    """The cells that would complete a line of one side's."""
    return free_cells(own, other, 1)[0]


@njit
def threatened(own: int, other: int, cell: int) -> int:
    """The cells that would complete a line of one side's through its stone in this cell."""
    found = own & 0
    for n in range(MOST_LINES):
        free = THROUGH[cell, n] & ~own
        if not free & other and not free & (free - 1):
            found |= free
    return found


@njit
def forced_win(attacker: int, defender: int, s: Scratch) -> int:
    """The number of moves of a forced win, the attacker to move; 0 where there is none.

    The attacker's cells are written to `s.line`; the one that completes four is left out unless it is the only one.
    """
    win = winning_cells(attacker, defender)
    if win:
        s.line[0] = lowest(win)
        return 1
    return _forced_win(attacker, defender, winning_cells(defender, attacker), 0, s)


@njit(_nrt=False)  # references to the arrays are not counted: to count them would take longer than the search
def _forced_win(a: int, d: int, stop: int, depth: int, s: Scratch) -> int:
    """The same where the attacker has no open three, and has to stop these threes of the defender's.

    The positions without a forced win are remembered from call to call. Both masks are compared, so that it is never
    wrong.
    """
    known = s.seen[(a ^ (d * 0x9E3779B97F4A7)) % SEEN]
    if (known[0] == a and known[1] == d) or stop & (stop - 1):
        return 0
    cells = stop
    if not stop:
        cells, twice = free_cells(a, d, 2)
        if twice:
            s.line[depth] = lowest(twice)
            return depth + 1
    while cells:
        cell = s.line[depth] = lowest(cells)
        cells &= cells - 1
        after = a | BIT[cell]
        made = threatened(after, d, cell)
        if made & (made - 1):
            return depth + 1
        if made:
            reply = d | made
            length = _forced_win(after, reply, threatened(reply, after, lowest(made)), depth + 1, s)
            if length:
                return length
    known[0], known[1] = a, d
    return 0
