"""The prover's book, A's moves with the strategic positions that each needs, and which of them together need few."""

# mypy: disable-error-code="no-any-return"
# The kernels read numpy tables and call each other through numba: their numbers are Any to mypy.

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ttt.qubic.forced import Scratch
from ttt.qubic.positions import (
    AND,
    BIT,
    INFINITE,
    LOST,
    OR,
    SLOTS,
    WON,
    canonical,
    count,
    forced_win,
    hashed,
    njit,
    open_replies,
    scores,
    settle,
)

POSITIONS, OPTIONS, NEEDS = 3_000_000, 12_000_000, 40_000_000
MOST_WAITING = 40  # positions in which D goes on with threes, in a move that is only looked into


class Book(NamedTuple):
    """Strategic positions and, for each, moves that answer it, each with the positions that D can still choose from.

    `cost` is the least number of positions in a proof found so far, counted as a tree; `least` is how many it
    takes at least, for moves with few open replies. A position's moves stand in a row, as do a move's needs.
    """

    a: Any
    d: Any
    least: Any
    cost: Any
    first: Any
    moves: Any
    looked: Any
    slots: Any
    total: Any
    cell: Any
    need: Any
    needs: Any
    pool: Any
    rest: Any


def new_book() -> Book:
    def empty(size: int, kind: Any = np.int32) -> Any:
        return np.empty(size, kind)

    masks = [empty(POSITIONS, np.int64) for _ in range(2)]
    numbers = [empty(POSITIONS) for _ in range(4)]
    slots, total, looked = np.zeros(SLOTS, np.int32), np.zeros(3, np.int64), np.zeros(POSITIONS, np.bool_)
    moves = empty(OPTIONS, np.int8), empty(OPTIONS), empty(OPTIONS), empty(NEEDS)
    return Book(*[*masks, *numbers, looked, slots, total, *moves, np.zeros((5000, 4), np.int64)])


@njit
def find(b: Book, a: int, d: int, create: bool) -> int:
    """The number of a canonical position; -1 if it is new and is not to be created."""
    slot = hashed(a, d, SLOTS)
    while b.slots[slot]:
        n = b.slots[slot] - 1
        if b.a[n] == a and b.d[n] == d:
            return n
        slot = (slot + 1) & (SLOTS - 1)
    if not create:
        return -1
    n = b.total[0]
    b.total[0] += 1
    b.slots[slot] = n + 1
    b.a[n], b.d[n], b.least[n], b.cost[n], b.first[n], b.moves[n] = a, d, 1, INFINITE, 0, 0
    return n


@njit
def queue(b: Book, waiting: int, a: int, d: int) -> int:
    """Put a position with D to move on the waiting list, once: many orders of D's threes lead to the same one."""
    for n in range(waiting):
        if b.rest[n, 0] == a and b.rest[n, 1] == d:
            return waiting
    b.rest[waiting, 0], b.rest[waiting, 1] = a, d
    return waiting + 1


@njit
def needs_of(b: Book, s: Scratch, n: int, cell: int, most: int, quiet: bool) -> int:
    """Write what a move needs to the end of the pool; how many positions, or -1 if too many or the move is no good.

    Moves that threaten nothing are looked into only if `quiet`.
    """
    a, d, kind = settle(b.a[n] | BIT[cell], b.d[n], False)
    if kind in (LOST, WON):
        return -1
    end, found, done, waiting = b.total[2], 0, 0, 1
    if kind == OR:
        a, d = canonical(a, d)
        b.pool[end] = find(b, a, d, True)
        return 1
    b.rest[0, 0], b.rest[0, 1] = a, d
    while done < waiting:
        if waiting > (4_900 if quiet else MOST_WAITING):
            return -1
        a, d = b.rest[done, 0], b.rest[done, 1]
        done += 1
        replies, threat = open_replies(a, d, most, s)
        if (not threat and not quiet) or (threat and count(replies) > most):
            return -1
        while replies:
            bit = replies & -replies
            replies ^= bit
            new_a, new_d, kind = settle(a, d | bit, True)
            if kind == LOST:
                return -1
            if kind == AND:
                waiting = queue(b, waiting, new_a, new_d)
            elif kind == OR and (threat or not forced_win(new_a, new_d, s.line, s.stack, s.seen)):
                new_a, new_d = canonical(new_a, new_d)
                known = False
                for other in range(found):
                    if b.rest[other, 2] == new_a and b.rest[other, 3] == new_d:
                        known = True
                        break
                if not known:
                    if found >= most:
                        return -1
                    b.rest[found, 2], b.rest[found, 3] = new_a, new_d
                    found += 1
    for other in range(found):
        b.pool[end + other] = find(b, b.rest[other, 2], b.rest[other, 3], True)
    return found


@njit
def add_move(b: Book, n: int, cell: int, needs: int) -> bool:
    """Give a position the move whose needs stand at the end of the pool, unless it has one that needs the same."""
    end = b.total[2]
    for move in range(b.first[n], b.first[n] + b.moves[n]):
        if b.needs[move] == needs:
            same = True
            for other in range(needs):
                same = same and b.pool[b.need[move] + other] == b.pool[end + other]
            if same:
                return False
    if b.first[n] + b.moves[n] != b.total[1]:  # its moves go to the end, so that they stand in a row
        for move in range(b.moves[n]):
            old, new = b.first[n] + move, b.total[1] + move
            b.cell[new], b.need[new], b.needs[new] = b.cell[old], b.need[old], b.needs[old]
        b.first[n] = b.total[1]
        b.total[1] += b.moves[n]
    move = b.total[1]
    b.cell[move], b.need[move], b.needs[move] = cell, end, needs
    b.total[1] += 1
    b.total[2] += needs
    b.moves[n] += 1
    return True


@njit
def look(b: Book, s: Scratch, n: int, most: int) -> None:
    """Find all moves of a position that leave few open replies; or the first one that leaves none."""
    promise = scores(b.a[n], b.d[n])
    b.looked[n] = True
    fewest = most + 1
    for cell in np.argsort(-promise, kind="mergesort"):
        if promise[cell] < 0:
            break
        needs = needs_of(b, s, n, cell, most, False)
        if needs == 0:
            b.first[n], b.moves[n] = b.total[1], 0
            add_move(b, n, cell, 0)
            b.cost[n] = 1
            return
        if needs > 0:
            add_move(b, n, cell, needs)
            fewest = min(fewest, needs)
    b.least[n] = min(max(b.least[n], 1 + fewest), b.cost[n])


@njit
def cheapest(b: Book, s: Scratch, n: int, most_cost: int, most: int) -> int:
    """The least number of positions that prove this one, if no more than `most_cost`; else a number above that.

    Iterative deepening on the cost, with what is known to be needed at least as the lower bound.
    """
    if b.least[n] > most_cost or b.cost[n] <= b.least[n]:
        return b.least[n]
    if not b.looked[n]:
        look(b, s, n, most)
    while b.least[n] <= most_cost and b.cost[n] > b.least[n]:
        target = b.least[n]
        next_target = INFINITE
        for move in range(b.first[n], b.first[n] + b.moves[n]):
            needs = b.pool[b.need[move] : b.need[move] + b.needs[move]]
            total = 1
            for other in needs:
                total += b.least[other]
            for other in needs:
                if total > target:
                    break
                if b.cost[other] > b.least[other]:
                    before = b.least[other]
                    total += cheapest(b, s, other, target - total + before, most) - before
            if total <= target:
                b.cost[n] = total
                break
            next_target = min(next_target, total)
        if b.cost[n] > target:
            b.least[n] = min(max(target + 1, next_target), b.cost[n])
    return b.cost[n] if b.cost[n] <= most_cost else max(b.least[n], most_cost + 1)


@njit
def settle_costs(b: Book, order: Any) -> None:
    """Carry costs up from the fullest boards."""
    for n in order:
        for move in range(b.first[n], b.first[n] + b.moves[n]):
            total = 1
            for other in b.pool[b.need[move] : b.need[move] + b.needs[move]]:
                total = min(INFINITE, total + b.cost[other])
            b.cost[n] = min(b.cost[n], total)
        b.least[n] = min(b.least[n], b.cost[n])


# ---- the choice: which moves together need few positions ----------------------------------------------------------


class Choice(NamedTuple):
    """A choice of one move for each position, and the positions that are needed then, with how often."""

    first: Any  # of each position's moves; one entry more than there are positions
    need: Any  # of each move's needs; one entry more than there are moves
    pool: Any
    cost: Any
    chosen: Any
    times: Any  # how many chosen moves need the position
    used: Any  # the positions needed, in any order
    at: Any  # where a position stands there
    size: Any  # how many there are
    stack: Any
    log: Any


@njit
def use(c: Choice, n: int, logged: int) -> int:
    """One more move needs this position, and so on; a position that comes in takes the move that seems cheapest."""
    height = 1
    c.stack[0] = n
    while height:
        height -= 1
        n = c.stack[height]
        c.log[logged] = n, c.times[n], c.chosen[n]
        logged += 1
        c.times[n] += 1
        if c.times[n] > 1:
            continue
        c.at[n], c.used[c.size[0]] = c.size[0], n
        c.size[0] += 1
        best, alike = INFINITE, 0
        for move in range(c.first[n], c.first[n + 1]):
            cost = 0
            for other in c.pool[c.need[move] : c.need[move + 1]]:
                if not c.times[other]:
                    cost += c.cost[other]
            alike = alike + 1 if cost == best else 1
            if cost < best or (cost == best and np.random.randint(alike) == 0):
                best, c.chosen[n] = cost, move
        for other in c.pool[c.need[c.chosen[n]] : c.need[c.chosen[n] + 1]]:
            c.stack[height] = other
            height += 1
    return logged


@njit
def drop(c: Choice, n: int, logged: int) -> int:
    """One move less needs this position, and so on."""
    height = 1
    c.stack[0] = n
    while height:
        height -= 1
        n = c.stack[height]
        c.log[logged] = n, c.times[n], c.chosen[n]
        logged += 1
        c.times[n] -= 1
        if c.times[n]:
            continue
        c.size[0] -= 1
        last = c.used[c.size[0]]
        c.used[c.at[n]], c.at[last] = last, c.at[n]
        for other in c.pool[c.need[c.chosen[n]] : c.need[c.chosen[n] + 1]]:
            c.stack[height] = other
            height += 1
    return logged


@njit
def undo(c: Choice, logged: int) -> None:
    for entry in range(logged - 1, -1, -1):
        n, before = c.log[entry, 0], c.times[c.log[entry, 0]]
        c.times[n], c.chosen[n] = c.log[entry, 1], c.log[entry, 2]
        if c.times[n] and not before:
            c.at[n], c.used[c.size[0]] = c.size[0], n
            c.size[0] += 1
        elif before and not c.times[n]:
            c.size[0] -= 1
            last = c.used[c.size[0]]
            c.used[c.at[n]], c.at[last] = last, c.at[n]


@njit
def anneal(c: Choice, steps: int, temperature: float, best: Any) -> None:
    """Change moves at random; keep what needs no more positions, and at times, if it is hot, what needs more."""
    for _ in range(steps):
        n = c.used[np.random.randint(c.size[0])]
        moves = c.first[n + 1] - c.first[n]
        if moves < 2:
            continue
        old, new, size, logged = c.chosen[n], c.first[n] + np.random.randint(moves), c.size[0], 0
        if old == new:
            continue
        drop_first = np.random.randint(2)
        for turn in range(2):
            if turn == drop_first:
                for other in c.pool[c.need[new] : c.need[new + 1]]:
                    logged = use(c, other, logged)
            else:
                for other in c.pool[c.need[old] : c.need[old + 1]]:
                    logged = drop(c, other, logged)
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
    """Begin numba's random numbers anew."""
    np.random.seed(number)


@njit
def wins_within(b: Book, s: Scratch, n: int, cell: int, member: Any) -> bool:
    """Whether a move answers every reply by a forced win or a position of the certificate."""
    a, d, kind = settle(b.a[n] | BIT[cell], b.d[n], False)
    if kind == LOST:
        return False
    b.rest[0, 0], b.rest[0, 1] = a, d
    if kind == OR:
        a, d = canonical(a, d)
        found = find(b, a, d, False)
        return found >= 0 and member[found]
    done, waiting = 0, 1
    while done < waiting and waiting < 4_900:
        a, d = b.rest[done, 0], b.rest[done, 1]
        done += 1
        replies, threat = open_replies(a, d, 64, s)
        while replies:
            bit = replies & -replies
            replies ^= bit
            if not threat and forced_win(a, d | bit, s.line, s.stack, s.seen):
                continue
            new_a, new_d, kind = settle(a, d | bit, True)
            if kind == LOST:
                return False
            if kind == AND:
                waiting = queue(b, waiting, new_a, new_d)
            elif kind == OR:
                new_a, new_d = canonical(new_a, new_d)
                found = find(b, new_a, new_d, False)
                if found < 0 or not member[found]:
                    return False
    return True


@njit
def first_move(b: Book, s: Scratch, n: int, member: Any) -> int:
    """Of the moves that win with the help of the certificate's positions the most promising one; -1 if none does."""
    promise = scores(b.a[n], b.d[n])
    for cell in np.argsort(-promise, kind="mergesort"):
        if promise[cell] >= 0 and wins_within(b, s, n, cell, member):
            return cell
    return -1
