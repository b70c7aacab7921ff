"""Forced wins on 4×4×4: every move a three, every reply the one cell that stops it, until two threes come at once.

The attacker looks for the win, and has the move; the defender is the other side. Both are bit masks of
cells. The search is complete: every three may be tried in every order, so "no forced win" is a fact and not a guess.

The same source runs as plain Python and, in the copies of `compiled`, as machine code, where a mask is a signed 64-bit
number. That is why the 76 lines come in two halves of 38 bits, and why the search keeps its own stack instead of
calling itself.
"""

from __future__ import annotations

from collections.abc import Callable, MutableSequence, Sequence
from functools import cache
from typing import Any, NamedTuple

from ttt.board import Board
from ttt.engine.compiling import compiled_copies, compiles

CELLS = 64
HALF = 38  # lines in each half
FRAME = 11  # numbers that the search keeps for each of its open positions
DEPTH = 34  # more threes than fit on the board
SEEN = 65_521  # a prime: places to remember a position without a forced win, two numbers each

_LINES = Board(shape=(4, 4, 4)).line_cells
LINE: Sequence[int] = tuple(sum(1 << cell for cell in line) for line in _LINES)
LOW: Sequence[int] = tuple(sum(1 << n for n in range(HALF) if cell in _LINES[n]) for cell in range(CELLS))
HIGH: Sequence[int] = tuple(sum(1 << n for n in range(HALF) if cell in _LINES[HALF + n]) for cell in range(CELLS))
# The place of a lone bit, found by its remainder: 2 is a primitive root of 131, and -2**63, which numba
# has where Python has 2**63, leaves a remainder of its own.
_PLACES = {(1 << n) % 131: n for n in range(CELLS)} | {-(1 << 63) % 131: 63}
PLACE: Sequence[int] = tuple(_PLACES.get(remainder, 0) for remainder in range(131))


def place(bit: int) -> int:
    """Which bit it is, of a number that has only one."""
    return PLACE[bit % 131]


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


def free_cells(low: int, high: int, taken: int) -> tuple[int, int]:
    """The free cells of these lines, and of them those that lie on two lines or more."""
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


def holes(mine: int, theirs: int) -> int:
    """The cells that would complete a line of mine."""
    their_low, their_high, _, _, _, _ = lines_held(theirs)
    _, _, _, _, three_low, three_high = lines_held(mine)
    return free_cells(three_low & ~their_low, three_high & ~their_high, mine | theirs)[0]


def forced_win(
    attacker: int, defender: int, line: MutableSequence[int], stack: MutableSequence[int], seen: MutableSequence[int]
) -> int:
    """How many moves the attacker needs to win by threes alone, the turn being his; 0 where he can't.

    The cells he plays are written to `line`; the one that completes four is left out unless it is the only one. `stack`
    is scratch, `seen` remembers positions without a forced win from call to call: a wrong guess there is impossible,
    since both masks are compared.

    The walk is one loop, because a function that calls itself with arrays costs numba a multiple. A position is: both
    masks, the lines with one and two stones of either side, and the cells still to be tried. No line of the attacker's
    stands at three when it is his turn, for the defender has just stopped it: so two stones and none of the
    defender's make an open two. A cell on two open twos wins; a cell on one of them makes a three.
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


class Scratch(NamedTuple):
    """What a forced-win search writes to: the line it found, its stack, and the positions known to have none."""

    line: Any
    stack: Any
    seen: Any


def scratch() -> Scratch:
    """Fresh scratch for the plain search."""
    return Scratch([0] * DEPTH, [0] * (FRAME * DEPTH), [0] * (2 * SEEN))


def winning_line(attacker: int, defender: int, memory: Scratch) -> tuple[int, ...]:
    """The attacker's cells of a forced win, in order; none where there is no such win. The turn is his."""
    return tuple(memory.line[: forced_win(attacker, defender, *memory)])


KERNELS: tuple[Callable[..., Any], ...] = (place, lines_held, free_cells, holes, forced_win)


@cache
def compiled() -> dict[str, Any]:
    """The same functions compiled, with tables of signed numbers; the plain ones where numba is off or missing."""
    kernels = {kernel.__name__: kernel for kernel in KERNELS}
    return compiled_copies(kernels) if compiles() else kernels
