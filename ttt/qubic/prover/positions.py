"""Positions as the prover knows them: up to symmetry, and after all forced replies have been played.

A is the attacker, the first player; D is the defender. In an OR position A is to move, in an AND position D is.
"""

from typing import Any

import numpy as np
from numba import njit

from ttt.board import Board
from ttt.qubic.prover.threats import BIT, THROUGH, Scratch, count, forced_win, free_cells, winning_cells
from ttt.symmetry import automorphisms

SIGN: Any = np.int64(-(2**63))
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
def canonical(a: int, d: int) -> tuple[int, int]:
    """The least image of a position, by A's mask and then D's, compared as unsigned numbers.

    All automorphisms move A's stones at once, a row of images for each byte; D's are moved only where A's are least.
    """
    moved = np.full(IMAGES.shape[2], SIGN)  # so that signed numbers compare as unsigned ones
    for byte in range(8):
        moved ^= IMAGES[byte, (a >> (8 * byte)) & 255]
    least_a, least_d = moved.min(), ~SIGN
    for n in np.flatnonzero(moved == least_a):
        moved_d = SIGN
        for byte in range(8):
            moved_d ^= IMAGES[byte, (d >> (8 * byte)) & 255, n]
        least_d = min(least_d, moved_d)
    return least_a ^ SIGN, least_d ^ SIGN


@njit
def slot_of(slots: Any, known: Any, a: int, d: int) -> int:
    """The slot of a canonical position in a table: it holds the position's number + 1, or 0 if the position is new."""
    h = (a * 31 + 7) ^ (d * 0x1E3779B97F4A7C15)
    h = (h ^ (h >> 29)) * 0x2545F4914F6CDD1D
    slot = (h ^ (h >> 31)) & (SLOTS - 1)
    while slots[slot] and (known[slots[slot] - 1].a != a or known[slots[slot] - 1].d != d):
        slot = (slot + 1) & (SLOTS - 1)
    return slot


@njit
def find(slots: Any, known: Any, total: Any, a: int, d: int) -> int:
    """The number of a canonical position in a table; a new one is added, with zeros for what is known of it."""
    slot = slot_of(slots, known, a, d)
    if not slots[slot]:
        known[total[0]].a, known[total[0]].d = a, d
        total[0] += 1
        slots[slot] = total[0]
    return slots[slot] - 1


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
    attacker, defender, cells = a, d, a & 0
    for n in range(length):
        attacker |= BIT[line[n]]
        stops = winning_cells(attacker, defender)
        cells |= BIT[line[n]] | stops
        defender |= stops
    return cells | free_cells(defender, a, 2)[0]


@njit
def open_replies(a: int, d: int, most: int, s: Scratch) -> tuple[int, bool]:
    """D's replies after which A has no forced win, and whether A threatens anything at all.

    First D passes: if A has no forced win even then, every reply counts as open. Otherwise D has to spoil that win, and
    every other that is found on the way. The search stops when more than `most` replies are open.
    """
    length = forced_win(a, d, s)
    if not length:
        return ~(a | d), False
    still_open, todo = a & 0, ~(a | d) & spoilers(a, d, s.line, length)
    while todo and count(still_open) <= most:
        reply = todo & -todo
        todo ^= reply
        length = forced_win(a, d | reply, s)
        if length:
            todo &= spoilers(a, d, s.line, length)
        else:
            still_open |= reply
    return still_open, True


@njit
def scores(a: int, d: int) -> Any:
    """How promising each cell is for A: open lines through it, lines that A has begun, open twos of D's it stops."""
    result = np.full(64, -1, np.int64)
    for cell in range(64):
        if not (a | d) >> cell & 1:
            result[cell] = 0
            for line in THROUGH[cell]:
                if line and not line & d:
                    result[cell] += 5 if line & a else 2
                elif not line & a and count(line & d) == 2:
                    result[cell] += 2
    return result
