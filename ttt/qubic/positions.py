"""Positions as the prover knows them, compiled: up to symmetry, and after all forced replies have been played.

A is the attacker, the first player; D the defender. OR: A is to move; AND: D is.
"""

# mypy: disable-error-code="no-any-return"
# The kernels read numpy tables and call each other through numba: their numbers are Any to mypy.

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from ttt.board import Board
from ttt.engine.compiling import compiles
from ttt.qubic import forced
from ttt.qubic.forced import Scratch
from ttt.symmetry import automorphisms

if compiles():
    import numba

Kernel = TypeVar("Kernel", bound=Callable[..., Any])


def njit(function: Kernel) -> Kernel:
    """numba's decorator, where numba is there; the type stays the function's own."""
    compiled: Kernel = numba.njit(function) if compiles() else function
    return compiled


_world: Any = forced.compiled()
_, lines_held, free_cells, holes, forced_win = (_world[kernel.__name__] for kernel in forced.KERNELS)
LOW, HIGH = (np.array(table, np.int64) for table in (forced.LOW, forced.HIGH))
BIT = np.array([1 << cell for cell in range(64)], np.uint64).astype(np.int64)
SIGN = np.int64(-(2**63))
INFINITE = 1_000_000_000
WON, LOST, OR, AND, QUIET = 1, 2, 3, 4, 5  # QUIET: an AND in which A threatens nothing, so that D has every reply
SLOTS = 1 << 23


def _images() -> np.ndarray[Any, Any]:
    """Where each byte of a mask goes under each automorphism: [byte, its bits, automorphism]."""
    images = np.zeros((8, 256, 192), np.int64)
    for n, image in enumerate(automorphisms(Board(shape=(4, 4, 4)))):
        for cell in range(64):
            byte, bit = divmod(cell, 8)
            images[byte, [bits for bits in range(256) if bits >> bit & 1], n] |= BIT[image[cell]]
    return images


IMAGES = _images()


@njit
def image(n: int, stones: int) -> int:
    """Where the stones go under the automorphism of this number."""
    moved = IMAGES[0, stones & 255, n]
    for byte in range(1, 8):
        moved |= IMAGES[byte, (stones >> (8 * byte)) & 255, n]
    return moved


@njit
def canonical(a: int, d: int) -> tuple[int, int]:
    """The least image of a position, by A's mask and then D's, compared as unsigned numbers.

    A's stones are moved by all automorphisms at once, a row of images for each byte, and D's where A's are least.
    """
    moved = np.full(IMAGES.shape[2], SIGN)  # so that signed numbers compare as unsigned ones
    for byte in range(8):
        row = IMAGES[byte, (a >> (8 * byte)) & 255]
        for n in range(len(moved)):
            moved[n] ^= row[n]
    best_a: Any = moved.min()
    best_d: Any = ~SIGN
    for n in range(len(moved)):
        if moved[n] == best_a:
            best_d = min(best_d, image(n, d) ^ SIGN)
    return best_a ^ SIGN, best_d ^ SIGN


@njit
def count(bits: int) -> int:
    """How many bits are set."""
    n = 0
    while bits:
        bits &= bits - 1
        n += 1
    return n


@njit
def settle(a: int, d: int, attacking: bool) -> tuple[int, int, int]:
    """The position after all forced replies, and what it is: WON, LOST, OR or AND. A full board is LOST for A."""
    while True:
        mine, theirs = (a, d) if attacking else (d, a)
        if holes(mine, theirs):
            return a, d, WON if attacking else LOST
        must = holes(theirs, mine)
        if must & (must - 1):
            return a, d, LOST if attacking else WON
        if not must:
            return a, d, LOST if (a | d) == -1 else OR if attacking else AND
        if attacking:
            a |= must
        else:
            d |= must
        attacking = not attacking


def new_scratch() -> Scratch:
    """Fresh scratch for the compiled search."""
    return Scratch(*(np.array(row, np.int64) for row in forced.scratch()))


@njit
def spoilers(a: int, d: int, line: Any, length: int) -> int:
    """The replies after which a line that wins if D passes may win no more: on its way, or making a three beside it."""
    attacker, defender, cells = a, d, a & 0  # a zero of the masks' own type
    for n in range(length):
        attacker |= BIT[line[n]]
        stops = holes(attacker, defender)
        cells |= BIT[line[n]] | stops
        defender |= stops
    a1l, a1h, _, _, _, _ = lines_held(a)
    _, _, d2l, d2h, _, _ = lines_held(defender)
    return cells | free_cells(d2l & ~a1l, d2h & ~a1h, a | d)[0]


@njit
def open_replies(a: int, d: int, most: int, s: Scratch) -> tuple[int, bool]:
    """D's replies to which A has no forced win, and whether A threatens anything at all.

    A is given a move for nothing: if he has no forced win even then, every reply counts as open. Otherwise D has to
    spoil that win, and every other that is found on the way. Stops where more than `most` replies are open.
    """
    length = forced_win(a, d, s.line, s.stack, s.seen)
    if not length:
        return ~(a | d), False
    still_open, todo = a & 0, ~(a | d) & spoilers(a, d, s.line, length)
    while todo:
        bit = todo & -todo
        todo ^= bit
        length = forced_win(a, d | bit, s.line, s.stack, s.seen)
        if length:
            todo &= spoilers(a, d, s.line, length)
        else:
            still_open |= bit
            if count(still_open) > most:
                break
    return still_open, True


@njit
def hashed(a: int, d: int, slots: int) -> int:
    h = (a * 31 + 7) ^ (d * 0x1E3779B97F4A7C15)
    h = (h ^ (h >> 29)) * 0x2545F4914F6CDD1D
    return (h ^ (h >> 31)) & (slots - 1)


@njit
def scores(a: int, d: int) -> Any:
    """How promising each cell is for A: open lines through it, lines he holds, open twos of D's that it stops."""
    a1l, a1h, _, _, _, _ = lines_held(a)
    d1l, d1h, d2l, d2h, d3l, d3h = lines_held(d)
    result = np.full(64, -1, np.int64)
    for cell in range(64):
        if not (a | d) >> cell & 1:
            low, high = LOW[cell], HIGH[cell]
            still_open = count(low & ~d1l) + count(high & ~d1h)
            held = count(low & ~d1l & a1l) + count(high & ~d1h & a1h)
            stops = count(low & d2l & ~d3l & ~a1l) + count(high & d2h & ~d3h & ~a1h)
            result[cell] = 2 * still_open + 3 * held + 2 * stops
    return result
