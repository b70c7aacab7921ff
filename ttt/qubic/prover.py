"""The prover: finds afresh, in well under a minute, that the first player wins 4×4×4, and writes the certificate.

1. **The proof** is found by depth-first proof-number search (df-pn; A. Nagai, "Df-pn algorithm for searching AND/OR
   trees and its applications", 2002) over canonical positions in which all forced replies have been played, with
   the forced-win search at every node (L. V. Allis and P. N. A. Schoo, "Qubic solved again", 1992).
2. **The certificate** is what remains of it: the attacker's move in every strategic position (`certificate`). Other
   moves are looked for that leave the defender fewer replies, and of all ways to put these together simulated annealing
   picks one that needs few positions. O. Patashnik's proof ("Qubic: 4×4×4 tic-tac-toe", 1980) had 2,929.

A is the attacker, the first player; D the defender. OR: A is to move; AND: D is. Everything here needs numba, and
repeats exactly: the same effort gives the same certificate.
"""

# mypy: disable-error-code="no-any-return"
# The kernels read numpy tables and call each other through numba: their numbers are Any to mypy.

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

import numpy as np

from ttt.board import Board
from ttt.qubic import forced
from ttt.qubic.certificate import Certificate
from ttt.symmetry import automorphisms

try:
    import numba

    _settings: Any = numba.config
    HAVE_NUMBA = not _settings.DISABLE_JIT
except ImportError:  # the prover says so when it is asked to prove
    HAVE_NUMBA = False

Kernel = TypeVar("Kernel", bound=Callable[..., Any])


def njit(function: Kernel) -> Kernel:
    """numba's decorator, where numba is there; the type stays the function's own."""
    compiled: Kernel = numba.njit(function) if HAVE_NUMBA else function
    return compiled


_world: Any = forced.compiled()
place, lines_held, holes, forced_win = (_world[n] for n in ("place", "lines_held", "holes", "forced_win"))
LOW, HIGH = (np.array(table, np.int64) for table in (forced.LOW, forced.HIGH))
BIT = np.array([1 << cell for cell in range(64)], np.uint64).astype(np.int64)
SIGN = np.int64(-(2**63))
INFINITE = 1_000_000_000
WON, LOST, OR, AND, QUIET = 1, 2, 3, 4, 5  # QUIET: an AND in which A threatens nothing, so that D has every reply
CANDIDATES = 16
MOST_WAITING = 40  # positions in which D goes on with threes, in a move that is only looked into
NODES, EDGES, SLOTS = 4_000_000, 16_000_000, 1 << 23
POSITIONS, OPTIONS, NEEDS = 3_000_000, 12_000_000, 40_000_000


class NumbaMissing(RuntimeError):
    """The prover needs numba; without it the search would take hours."""


class TooBig(MemoryError):
    """The search outgrew its tables."""


class Stopped(Exception):
    """The prover was asked to stop."""


@dataclass(frozen=True)
class Progress:
    """How far the prover has come.

    Args:
        stage: what it is doing, in words.
        proof, disproof: the root's proof and disproof number, while the proof is searched for.
        nodes: nodes in the table of the proof search.
        memory: bytes in use by the tables.
        strategic: strategic positions in the smallest proof so far, once there is one.
    """

    stage: str
    proof: int
    disproof: int
    nodes: int
    memory: int
    strategic: int | None = None


@dataclass(frozen=True)
class Proof:
    """What was found: the certificate, the nodes and expanded nodes of the proof search, and the tables' bytes."""

    certificate: Certificate
    nodes: int
    expanded: int
    memory: int


# ---- positions ----------------------------------------------------------------------------------------------------


def _images() -> np.ndarray[Any, Any]:
    """Where each byte of a mask goes under each automorphism: [automorphism, byte, its bits]."""
    images = np.zeros((192, 8, 256), np.int64)
    for n, image in enumerate(automorphisms(Board(shape=(4, 4, 4)))):
        for cell in range(64):
            byte, bit = divmod(cell, 8)
            images[n, byte, [bits for bits in range(256) if bits >> bit & 1]] |= BIT[image[cell]]
    return images


IMAGES = _images()


@njit
def image(n: int, stones: int) -> int:
    """Where the stones go under the automorphism of this number."""
    moved = IMAGES[n, 0, stones & 255]
    for byte in range(1, 8):
        moved |= IMAGES[n, byte, (stones >> (8 * byte)) & 255]
    return moved


@njit
def canonical(a: int, d: int) -> tuple[int, int]:
    """The least image of a position, by A's mask and then D's, compared as unsigned numbers."""
    best_a, best_d = image(0, a), image(0, d)
    for n in range(1, 192):
        new_a = image(n, a)
        if (new_a ^ SIGN) <= (best_a ^ SIGN):
            new_d = image(n, d)
            if new_a != best_a or (new_d ^ SIGN) < (best_d ^ SIGN):
                best_a, best_d = new_a, new_d
    return best_a, best_d


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


class Scratch(NamedTuple):
    """Scratch of the forced-win search, and the winning lines that were found for one AND node."""

    line: Any
    stack: Any
    seen: Any
    lines: Any


def _scratch() -> Scratch:
    zeros = np.zeros
    return Scratch(
        zeros(forced.DEPTH, np.int64),
        zeros(forced.FRAME * forced.DEPTH, np.int64),
        zeros(2 * forced.SEEN, np.int64),
        zeros((8, forced.DEPTH + 1), np.int64),
    )


@njit
def follows(a: int, d: int, line: Any) -> bool:
    """Whether A, to move, wins by the threes of a line found elsewhere; its first entry is its length."""
    for n in range(1, line[0] + 1):
        bit = BIT[line[n]]
        must = holes(d, a)
        if (a | d) & bit or (must and must != bit):
            return False
        a |= bit
        threat = holes(a, d)
        if threat & (threat - 1):
            return True
        if not threat:
            return False
        d |= threat
    return False


@njit
def open_replies(a: int, d: int, most: int, s: Scratch) -> tuple[int, bool]:
    """D's replies to which A has no forced win, and whether A threatens anything at all.

    A is given a move for nothing: if he has no forced win even then, every reply counts as open. Otherwise the lines
    that won before are tried first against each reply. Stops where more than `most` replies are open.
    """
    length = forced_win(a, d, s.line, s.stack, s.seen)
    if not length:
        return ~(a | d), False
    known, still_open, todo = 0, a & 0, ~(a | d)
    s.lines[0, 0] = length
    s.lines[0, 1 : length + 1] = s.line[:length]
    known = 1
    while todo:
        bit = todo & -todo
        todo ^= bit
        won = False
        for n in range(min(known, 8)):
            if follows(a, d | bit, s.lines[n]):
                won = True
                break
        if won:
            continue
        length = forced_win(a, d | bit, s.line, s.stack, s.seen)
        if length:
            at = known if known < 8 else 1 + known % 7
            s.lines[at, 0] = length
            s.lines[at, 1 : length + 1] = s.line[:length]
            known += 1
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


# ---- the proof: df-pn ---------------------------------------------------------------------------------------------


class Tree(NamedTuple):
    """The proof search's table. Nodes have numbers; `slots` finds them, `kids` holds their children in a row.

    `total` counts nodes, kids and expanded nodes; `at` is the depth reached, so that the search can be resumed.
    """

    a: Any
    d: Any
    proof: Any
    disproof: Any
    kind: Any
    replies: Any
    first: Any
    kid_count: Any
    kids: Any
    slots: Any
    total: Any
    at: Any
    path: Any
    most_proof: Any
    most_disproof: Any


def _tree() -> Tree:
    def empty(size: int, kind: Any) -> Any:
        return np.empty(size, kind)

    masks = [empty(NODES, np.int64) for _ in range(3)]
    numbers = [empty(NODES, np.int32) for _ in range(3)]
    path = [np.zeros(80, np.int64) for _ in range(3)]
    kinds, counts, kids = empty(NODES, np.int8), empty(NODES, np.int8), empty(EDGES, np.int32)
    slots, total, at = np.zeros(SLOTS, np.int32), np.zeros(3, np.int64), np.zeros(1, np.int64)
    a, d, replies = masks
    return Tree(a, d, numbers[0], numbers[1], kinds, replies, numbers[2], counts, kids, slots, total, at, *path)


@njit
def node(t: Tree, s: Scratch, a: int, d: int, kind: int, no_win: bool, after_three: bool) -> int:
    """The number of a settled position, which is evaluated when it is first met.

    An OR node is proved by a forced win, unless it is known that there is none (`no_win`); one that A came to by
    a three of his own counts 6. An AND node counts its open replies.
    """
    a, d = canonical(a, d)
    slot = hashed(a, d, SLOTS)
    while t.slots[slot]:
        n = t.slots[slot] - 1
        if t.a[n] == a and t.d[n] == d:
            return n
        slot = (slot + 1) & (SLOTS - 1)
    n = t.total[0]
    t.total[0] += 1
    t.slots[slot] = n + 1
    t.a[n], t.d[n], t.kind[n], t.kid_count[n], t.replies[n] = a, d, kind, -1, 0
    t.proof[n], t.disproof[n] = 6 if after_three else 1, 1
    if kind == AND:
        replies, threat = open_replies(a, d, 64, s)
        t.replies[n], t.proof[n], t.kind[n] = replies, count(replies), AND if threat else QUIET
    elif not no_win and forced_win(a, d, s.line, s.stack, s.seen):
        t.proof[n], t.kind[n] = 0, WON
    if t.proof[n] == 0:
        t.disproof[n] = INFINITE
    return n


@njit
def adopt(t: Tree, parent: int, kid: int) -> None:
    """Make a node a child, once."""
    first = t.first[parent]
    for edge in range(first, first + t.kid_count[parent]):
        if t.kids[edge] == kid:
            return
    t.kids[first + t.kid_count[parent]] = kid
    t.kid_count[parent] += 1


@njit
def expand(t: Tree, s: Scratch, n: int) -> None:
    """Find a node's children: A's best candidates, up to the first that proves it, or all of D's open replies."""
    a, d = t.a[n], t.d[n]
    t.first[n], t.kid_count[n] = t.total[1], 0
    t.total[2] += 1
    if t.kind[n] == OR:
        promise = scores(a, d)
        least = max(np.sort(promise)[64 - CANDIDATES], 0)
        for cell in range(64 if a else 1):
            if promise[cell] >= least:
                new_a, new_d, kind = settle(a | BIT[cell], d, False)
                if kind != LOST:
                    kid = node(t, s, new_a, new_d, kind, True, kind == OR)
                    adopt(t, n, kid)
                    if t.proof[kid] == 0:
                        break
    else:
        todo = t.replies[n]
        while todo:
            bit = todo & -todo
            todo ^= bit
            new_a, new_d, kind = settle(a, d | bit, True)
            if kind == LOST:
                t.kid_count[n] = 0
                t.proof[n], t.disproof[n] = INFINITE, 0
                return
            if kind != WON:
                adopt(t, n, node(t, s, new_a, new_d, kind, t.kind[n] == AND, False))
    t.total[1] += t.kid_count[n]
    if t.kid_count[n] == 0:
        t.proof[n], t.disproof[n] = (INFINITE, 0) if t.kind[n] == OR else (0, INFINITE)


@njit
def start(t: Tree, s: Scratch, a: int, d: int) -> int:
    """Begin a search at a position with A to move; its node."""
    root = node(t, s, a, d, OR, False, False)
    t.at[0], t.path[0], t.most_proof[0], t.most_disproof[0] = 0, root, INFINITE, INFINITE
    return root


@njit
def search(t: Tree, s: Scratch, work: int) -> bool:
    """Go on with df-pn for so many expansions; whether it has finished (or the table is full).

    A node is left when its proof or disproof number reaches its threshold. That of a child is a quarter above
    the second best child's, so that the search doesn't hop to and fro.
    """
    depth, limit = t.at[0], t.total[2] + work
    while depth >= 0:
        if t.total[2] >= limit or t.total[0] > NODES - 100 or t.total[1] > EDGES - 100:
            t.at[0] = depth
            return False
        n = t.path[depth]
        if t.proof[n] and t.disproof[n] and t.kid_count[n] < 0:
            expand(t, s, n)
        if t.proof[n] == 0 or t.disproof[n] == 0:
            depth -= 1
            continue
        attacking = t.kind[n] == OR
        best = n
        least = second = INFINITE
        total = 0
        for edge in range(t.first[n], t.first[n] + t.kid_count[n]):
            kid = t.kids[edge]
            mine, theirs = (t.proof[kid], t.disproof[kid]) if attacking else (t.disproof[kid], t.proof[kid])
            total = min(INFINITE, total + theirs)
            if mine < least:
                best, least, second = kid, mine, least
            elif mine < second:
                second = mine
        if least == 0:
            total = INFINITE
        if total == 0:
            least = INFINITE
        t.proof[n], t.disproof[n] = (least, total) if attacking else (total, least)
        if least == 0 or total == 0 or t.proof[n] >= t.most_proof[depth] or t.disproof[n] >= t.most_disproof[depth]:
            depth -= 1
            continue
        nearer = min(INFINITE, second + 1 + second // 4)
        t.path[depth + 1] = best
        if attacking:
            t.most_proof[depth + 1] = min(t.most_proof[depth], nearer)
            t.most_disproof[depth + 1] = t.most_disproof[depth] - total + t.disproof[best]
        else:
            t.most_disproof[depth + 1] = min(t.most_disproof[depth], nearer)
            t.most_proof[depth + 1] = t.most_proof[depth] - total + t.proof[best]
        depth += 1
    t.at[0] = -1
    return True


# ---- the book: A's moves, each with the strategic positions that it needs -----------------------------------------


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


def _book() -> Book:
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
        replies = ~(a | d)
        while replies:
            bit = replies & -replies
            replies ^= bit
            if forced_win(a, d | bit, s.line, s.stack, s.seen):
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


# ---- the way through it -------------------------------------------------------------------------------------------

MOST_OPEN = 12  # open replies that a move may leave to be looked into
PAIRS = (0x200001, 0x9, 0x1008, 0x2004000000)  # A's first two cells from which the proof is small, up to symmetry
Report = Callable[[Progress], object]


def prove(progress: Report | None = None, stop: Callable[[], bool] | None = None, minimise: int = 1) -> Proof:
    """Prove afresh that the first player wins, and make the certificate.

    Args:
        progress: is called a few times a second.
        stop: is asked as often; the prover stops where it says so. Ctrl-C works as well.
        minimise: 0 takes the proof as it comes; 1 looks for a smaller one for some seconds, 2 for about ten minutes.
            The certificate that comes with the lab is the best of many runs, some by earlier versions of this search.

    Raises `NumbaMissing`, `TooBig` and `Stopped`.
    """
    if not HAVE_NUMBA:
        raise NumbaMissing("Finding the proof needs numba (pip install numba): plain Python would take hours.")
    work = _Work(progress, stop)
    root = start(work.tree, work.scratch, 0, 0)
    work.search("searching for the proof", root)
    nodes, expanded = int(work.tree.total[0]), int(work.tree.total[2])
    work.copy_proof(root)
    if minimise:
        work.shrink(minimise)
    certificate = work.certificate((0, 10_000_000, 200_000_000)[minimise])
    return Proof(certificate, nodes, expanded, work.memory)


class _Work:
    """A proof in the making: the tables, and the long ways through them in pieces, between which one can stop."""

    def __init__(self, progress: Report | None, stop: Callable[[], bool] | None) -> None:
        self.tree, self.book, self.scratch = _tree(), _book(), _scratch()
        self.progress, self.stop = progress, stop
        self.root, self.strategic = 0, 0
        self.copied: set[int] = set()

    @property
    def memory(self) -> int:
        """Bytes in use: of the tables, as much as has been written to."""
        nodes, kids, _ = map(int, self.tree.total)
        positions, moves, needs = map(int, self.book.total)
        return 38 * nodes + 4 * kids + 4 * SLOTS * 2 + 33 * positions + 9 * moves + 4 * needs + IMAGES.nbytes

    def tell(self, stage: str) -> None:
        """Report, and stop if asked to."""
        tree = self.tree
        if self.progress:
            numbers = int(tree.proof[self.root]), int(tree.disproof[self.root]), int(tree.total[0])
            self.progress(Progress(stage, *numbers, self.memory, self.strategic or None))
        if self.stop and self.stop():
            raise Stopped("The prover was asked to stop.")

    def search(self, stage: str, root: int, most: int = 1 << 60) -> bool:
        """Search on until the root is proved; whether it was, within so many expansions."""
        self.root, last = root, int(self.tree.total[2]) + most
        while not search(self.tree, self.scratch, 250):
            self.tell(stage)
            if self.tree.total[0] > NODES - 200 or self.tree.total[1] > EDGES - 200:
                raise TooBig("The proof search outgrew its table.")
            if self.tree.total[2] >= last:
                return False
        return bool(self.tree.proof[root] == 0)

    def copy_proof(self, root: int) -> None:
        """Write every proved move below a node into the book."""
        tree, todo = self.tree, [root]
        while todo:
            n = todo.pop()
            if n in self.copied or tree.kid_count[n] <= 0:
                continue
            self.copied.add(n)
            kids = tree.kids[tree.first[n] : tree.first[n] + tree.kid_count[n]].tolist()
            proved = [kid for kid in kids if tree.proof[kid] == 0]
            todo += proved
            if tree.kind[n] == OR:
                self._copy_moves(n, proved)
        self.settle()

    def _copy_moves(self, n: int, kids: list[int]) -> None:
        a, d = self.tree.a[n], self.tree.d[n]
        position = find(self.book, a, d, True)
        if self.book.looked[position]:
            return
        wanted = {(self.tree.a[kid], self.tree.d[kid]) for kid in kids}
        for cell in range(64 if a else 1):
            if not (int(a) | int(d)) >> cell & 1:
                after = settle(a | BIT[cell], d, False)
                if after[2] != LOST and canonical(after[0], after[1]) in wanted:
                    wanted.discard(canonical(after[0], after[1]))
                    self.add(position, cell, 64, True)

    def add(self, position: int, cell: int, most: int, quiet: bool) -> None:
        """Add a move to the book if it needs no more than so many positions."""
        needs = needs_of(self.book, self.scratch, position, cell, most, quiet)
        if needs >= 0:
            add_move(self.book, position, cell, needs)

    def settle(self) -> None:
        settle_costs(self.book, self.order(range(int(self.book.total[0]))))

    def order(self, positions: Iterable[int]) -> Any:
        """Positions, the fullest boards first."""
        chosen = np.fromiter(positions, np.int64)
        stones = [(int(a) & (1 << 64) - 1).bit_count() for a in self.book.a[chosen]]
        return chosen[np.argsort(-np.array(stones), kind="stable")]

    def needs(self, position: int) -> list[tuple[int, list[int]]]:
        """A position's moves, each with the positions it needs."""
        book = self.book
        moves = range(book.first[position], book.first[position] + book.moves[position])
        return [(m, book.pool[book.need[m] : book.need[m] + book.needs[m]].tolist()) for m in moves]

    def shrink(self, effort: int) -> None:
        """Look for moves that need fewer positions: on the proof's path, then where pairs promise most."""
        stage = "looking for shorter ways"
        if effort == 1:
            self.improve(stage, reversed(self.reached(2)), 1, 0, 1_000)
            return
        for position in self.pairs():
            for budget in (2, 3):
                if self.book.cost[position] >= INFINITE:
                    self.improve(stage, [position], budget, 4)
            if self.book.cost[position] >= INFINITE:
                root = start(self.tree, self.scratch, self.book.a[position], self.book.d[position])
                if self.search("proving one position more", root, 8_000):
                    self.copy_proof(root)
        self.settle()
        self.improve(stage, self.reached(2), 2, 1)

    def pairs(self) -> list[int]:
        """Give D's first replies the moves that make a promising pair; the positions after D's second replies."""
        after: dict[int, None] = {}
        replies = next(needs for _, needs in self.needs(0))
        for position in replies:
            a, d = self.book.a[position], self.book.d[position]
            for cell in range(64):
                if not (int(a) | int(d)) >> cell & 1 and int(canonical(a | BIT[cell], 0)[0]) in PAIRS:
                    self.add(position, cell, 64, True)
            after |= dict.fromkeys(other for _, needs in self.needs(position) for other in needs)
        return list(after)

    def reached(self, stones: int) -> list[int]:
        """The positions of the cheapest proof with so many stones of each side or more that take several positions."""
        seen, todo = {0}, [0]
        while todo:
            n = todo.pop()
            costs = [(sum(int(self.book.cost[o]) for o in needs), needs) for _, needs in self.needs(n)]
            fresh = [other for other in min(costs)[1] if other not in seen]
            seen |= set(fresh)
            todo += fresh
        book = self.book
        return [int(n) for n in self.order(seen) if book.cost[n] > 1 and count(book.a[n]) >= stones]

    def improve(self, stage: str, positions: Iterable[int], budget: int, slack: int, allowance: int = 1 << 60) -> None:
        """Try each position's moves, those with the fewest needs first; what they need may cost so much, or is known.

        Moves that cost up to `slack` more than the best are looked into as well: the choice may like them.
        """
        book, scratch = self.book, self.scratch
        for position in positions:
            if not book.looked[position]:
                look(book, scratch, position, MOST_OPEN)
            for _, needs in sorted(self.needs(position), key=lambda move: len(move[1])):
                total = 1 + len(needs)
                for other in needs:
                    if total > book.cost[position] + slack:
                        break
                    if book.cost[other] > book.least[other]:
                        cheapest(book, scratch, other, budget, MOST_OPEN)
                        allowance -= 1
                    total += int(book.cost[other]) - 1
                book.cost[position] = min(int(book.cost[position]), total)
            book.least[position] = min(book.least[position], book.cost[position])
            self.tell(stage)
            if allowance < 0:
                break

    def certificate(self, steps: int) -> Certificate:
        """The positions and moves of a small proof."""
        self.settle()
        choice, numbers = self._choice()
        seed(1980)
        use(choice, 0, 0)
        best = np.concatenate((choice.size, choice.chosen))
        pieces = max(1, steps // 500_000)
        for piece in range(pieces if steps else 0):
            anneal(choice, 500_000, 1.5 * 0.1 ** (piece / pieces), best)
            self.strategic = int(best[0])
            self.tell("picking moves that need few positions")
        return self._first_moves({numbers[n] for n in _closure(choice, best[1:])})

    def _choice(self) -> tuple[Choice, list[int]]:
        """The book's part that is proved and can be reached, with new numbers from 0; and the old ones."""
        numbers, known = [0], {0: 0}
        first, need, pool = [0], [0], []
        for n in numbers:
            for _, needs in self.needs(n):
                if all(self.book.cost[other] < INFINITE for other in needs):
                    for other in needs:
                        if other not in known:
                            known[other] = len(numbers)
                            numbers.append(other)
                    pool += [known[other] for other in needs]
                    need.append(len(pool))
            first.append(len(need) - 1)
        size = len(numbers)
        tables = [np.array(table, np.int64) for table in (first, need, pool, self.book.cost[numbers], first[:-1])]
        scratch = [np.zeros(size, np.int64) for _ in range(3)]
        stack, log = np.zeros(1_000_000, np.int64), np.zeros((1_000_000, 3), np.int64)
        return Choice(*[*tables, *scratch, np.zeros(1, np.int64), stack, log]), numbers

    def _first_moves(self, positions: set[int]) -> Certificate:
        """Every position's most promising move that wins, and only the positions needed then, until nothing changes."""
        while True:
            self.tell("telling the most promising of equal moves")
            member = np.zeros(int(self.book.total[0]) + 1000, np.bool_)
            member[list(positions)] = True
            moves: dict[int, int] = {}
            todo = [0]
            while todo:
                n = todo.pop()
                if n not in moves:
                    moves[n] = int(first_move(self.book, self.scratch, n, member))
                    needs = needs_of(self.book, self.scratch, n, moves[n], 64, True)
                    todo += self.book.pool[self.book.total[2] : self.book.total[2] + needs].tolist()
            if moves.keys() == positions:
                full = (1 << 64) - 1
                book = self.book
                return {(int(book.a[n]) & full, int(book.d[n]) & full): cell for n, cell in moves.items()}
            positions = set(moves)
            self.strategic = len(positions)


def _closure(c: Choice, chosen: Any) -> set[int]:
    """The positions that a choice of moves needs."""
    seen, todo = {0}, [0]
    while todo:
        move = chosen[todo.pop()]
        fresh = set(c.pool[c.need[move] : c.need[move + 1]].tolist()) - seen
        seen |= fresh
        todo += fresh
    return seen
