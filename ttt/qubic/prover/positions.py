"""Positions as the prover knows them: up to symmetry, and after all forced replies have been played.

A is the attacker, the first player; D is the defender. In an OR position A is to move, in an AND position D is.
"""

# mypy: disable-error-code="no-any-return"
# Kernels read numpy tables and call each other through numba: to mypy their numbers are Any.

from __future__ import annotations

from typing import Any

import numpy as np

from ttt.board import Board
from ttt.qubic.prover.forced import BIT, HIGH, LOW, Scratch, forced_win, free_cells, lines_held, njit, winning_cells
from ttt.symmetry import automorphisms

SIGN = np.int64(-(2**63))
INFINITE = 1_000_000_000
WON, LOST, OR, AND, QUIET = 1, 2, 3, 4, 5  # QUIET: an AND in which A threatens nothing, so that D has every reply
SLOTS = 1 << 23


def _images() -> np.ndarray[Any, Any]:
    """Where each automorphism takes each byte of a mask: [byte, its bits, automorphism]."""
    images = np.zeros((8, 256, 192), np.int64)
    for n, image in enumerate(automorphisms(Board(shape=(4, 4, 4)))):
        for cell in range(64):
            byte, bit = divmod(cell, 8)
            images[byte, [bits for bits in range(256) if bits >> bit & 1], n] |= BIT[image[cell]]
    return images


IMAGES = _images()


@njit
def image(n: int, stones: int) -> int:
    """Where the automorphism with this number takes the stones."""
    moved = IMAGES[0, stones & 255, n]
    for byte in range(1, 8):
        moved |= IMAGES[byte, (stones >> (8 * byte)) & 255, n]
    return moved


@njit
def canonical(a: int, d: int) -> tuple[int, int]:
    """The least image of a position, by A's mask and then D's, compared as unsigned numbers.

    All automorphisms move A's stones at once, a row of images for each byte; D's are moved only where A's are least.
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
def slot_of(slots: Any, known_a: Any, known_d: Any, a: int, d: int) -> int:
    """The slot of a canonical position in a table: it holds the position's number + 1, or 0 if the position is new."""
    h = (a * 31 + 7) ^ (d * 0x1E3779B97F4A7C15)
    h = (h ^ (h >> 29)) * 0x2545F4914F6CDD1D
    slot = (h ^ (h >> 31)) & (SLOTS - 1)
    while slots[slot] and (known_a[slots[slot] - 1] != a or known_d[slots[slot] - 1] != d):
        slot = (slot + 1) & (SLOTS - 1)
    return slot


@njit
def count(bits: int) -> int:
    """How many bits are set."""
    n = 0
    while bits:
        bits &= bits - 1
        n += 1
    return n


@njit
def play_forced(a: int, d: int, attacking: bool) -> tuple[int, int, int]:
    """The position after all forced replies, and its kind: WON, LOST, OR or AND. A full board is LOST for A."""
    while True:
        own, other, won, lost, free = (a, d, WON, LOST, OR) if attacking else (d, a, LOST, WON, AND)
        if winning_cells(own, other):
            return a, d, won
        must = winning_cells(other, own)
        if must & (must - 1):
            return a, d, lost
        if not must:
            return a, d, LOST if (a | d) == -1 else free
        if attacking:
            a |= must
        else:
            d |= must
        attacking = not attacking


@njit
def spoilers(a: int, d: int, line: Any, length: int) -> int:
    """The replies that may spoil a line by which A wins if D passes: on its way, or making a three beside it."""
    attacker, defender, cells = a, d, a & 0  # a zero of the masks' own type
    for n in range(length):
        attacker |= BIT[line[n]]
        stops = winning_cells(attacker, defender)
        cells |= BIT[line[n]] | stops
        defender |= stops
    a1l, a1h, _, _, _, _ = lines_held(a)
    _, _, d2l, d2h, _, _ = lines_held(defender)
    return cells | free_cells(d2l & ~a1l, d2h & ~a1h, a | d)[0]


@njit
def open_replies(a: int, d: int, most: int, s: Scratch) -> tuple[int, bool]:
    """D's replies after which A has no forced win, and whether A threatens anything at all.

    First D passes: if A has no forced win even then, every reply counts as open. Otherwise D has to spoil that win, and
    every other that is found on the way. The search stops when more than `most` replies are open.
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
def scores(a: int, d: int) -> Any:
    """How promising each cell is for A: open lines through it, lines that A has begun, open twos of D's it stops."""
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
