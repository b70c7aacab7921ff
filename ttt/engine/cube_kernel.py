"""The inner functions of the 4×4×4 engine: plain Python on a list, or compiled on an array.

Every line has one small code, X's count + 4·O's, kept up to date as stones come and go, and for each side every cell
has a *gain*: what a mark there adds to the evaluation at once. So nothing is ever evaluated anew: a child is worth
-(evaluation + gain) to the other side, and with one ply left a node is worth its evaluation + the best gain.

All that a search works on is one row of whole numbers, `m`, with named places in it: numba passes one array down a
recursion at little cost, and many at a great one. Side 0 is X; a value is seen from the side to move. The functions are
longer than elsewhere, since a call costs more than what it would hold.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module

from ttt.engine.compiling import compiled_copies
from ttt.engine.cube_tables import (
    BIT,
    CELLS,
    ENDS,
    IN_BEST_GAIN,
    IN_ROW_MAJOR,
    INFINITE,
    LINES,
    ORDERED,
    OTHER_CHANGE,
    OWN_CHANGE,
    SLOT,
    SYMMETRIES,
    TAKEN,
    THROUGH,
    WIN,
    WINNING,
)
from ttt.search.options import bound_kind, settles

Numbers = list[int]
place: Callable[[int], int] = int

FEW = 3  # stones, while which symmetry is looked for; beyond that hardly a position has any
PLIES = 66  # rows for each ply, with one to spare below the last
ENTRY = 4  # numbers in a place of the table: X's cells, O's cells, what is known and how deep, the value
PLACES = ((4, 1_021), (6, 65_521), (64, 1_048_573))  # in the table, by depth; all prime

# Where things stand in `m`: the settings, then what is counted, then what is worked on.
ORDER, CUT, BOUNDS, KILLER, TABLE, SYMMETRY, DEEPENING, PVS, STOP, STONES, LEAVES = range(11)
NODES = 16  # by ply
CUTOFFS = NODES + PLIES + 1  # by the number of moves tried before
VALUES = CUTOFFS + CELLS  # of the root's moves, where known exactly
CODES = VALUES + CELLS  # of the lines
MARKS = CODES + LINES  # of the cells: 0 free, 1 X, 2 O
PLACED = MARKS + CELLS  # the cells with stones, as they were placed
KILLERS = PLACED + CELLS  # two for each ply
REPLIES = KILLERS + 2 * PLIES  # the gains after the second-to-last move
GAINS = REPLIES + CELLS  # for each ply a row of X's and a row of O's
UNTRIED = GAINS + 2 * CELLS * PLIES  # for each ply, the gains of the moves that it has still to try
VARIATION = UNTRIED + CELLS * PLIES  # for each ply the best line from there, -1 after its end
STABLE = VARIATION + PLIES * PLIES  # for each ply with few stones, the symmetries that keep it; -1 after the last
IMAGES = STABLE + SYMMETRIES * (FEW + 1)  # where each symmetry takes each cell
MEMORY = IMAGES + SYMMETRIES * CELLS  # and then the table, where there is one


def highest(m: Numbers, row: int) -> int:
    """The highest gain in a row."""
    return max(m[row : row + CELLS])


def first(m: Numbers, row: int, gain: int) -> int:
    """The first cell with this gain."""
    return m.index(gain, row) - row


def copy(m: Numbers, source: int, target: int, length: int) -> None:
    """Copy one stretch of `m` to another."""
    m[target : target + length] = m[source : source + length]


# The same three for numba. The loops also end with `m`, which they never reach: numba would unroll a loop whose length
# it knows. `place` makes a number unsigned: numba then skips the test for negative places, and can use vectors.


def highest_by_loop(m: Numbers, row: int) -> int:
    """The highest gain in a row."""
    best, start = m[row], place(row)
    for cell in range(min(CELLS, len(m))):
        best = max(best, m[start + cell])
    return best


def first_by_loop(m: Numbers, row: int, gain: int) -> int:
    """The first cell with this gain."""
    cell = 0
    while m[row + cell] != gain:
        cell += 1
    return cell


def copy_by_loop(m: Numbers, source: int, target: int, length: int) -> None:
    """Copy one stretch of `m` to another."""
    start, end = place(source), place(target)
    for i in range(min(length, len(m))):
        m[end + i] = m[start + i]


def put(m: Numbers, side: int, cell: int, own: int, other: int) -> None:
    """Put a stone, and update the codes of its lines and the gains of their free cells."""
    base, step = 16 * side, 1 + 3 * side
    for i in range(SLOT * cell, ENDS[cell], 4):
        line = CODES + THROUGH[i]
        code = m[line]
        m[line] = code + step
        mine = OWN_CHANGE[base + code]
        if mine:  # else both sides have marks in the line, and it is worth nothing to either
            one, two, three = THROUGH[i + 1], THROUGH[i + 2], THROUGH[i + 3]
            m[own + one] += mine
            m[own + two] += mine
            m[own + three] += mine
            theirs = OTHER_CHANGE[base + code]
            if theirs:
                m[other + one] += theirs
                m[other + two] += theirs
                m[other + three] += theirs
    m[own + cell] = m[other + cell] = TAKEN
    m[MARKS + cell] = 1 + side
    m[PLACED + m[STONES]] = cell
    m[STONES] += 1


def take_back(m: Numbers, side: int, cell: int) -> None:
    """Take the last stone away; the gains can stay, since every ply has its own."""
    step = 1 + 3 * side
    for i in range(SLOT * cell, ENDS[cell], 4):
        m[CODES + THROUGH[i]] -= step
    m[MARKS + cell] = 0
    m[STONES] -= 1


def last_ply(m: Numbers, row: int, ply: int, stones: int, evaluation: int, beta: int) -> int:
    """A node with one ply left: its evaluation + the best gain. Counts every leaf that alpha-beta would look at."""
    best, leaves = -INFINITE, 0
    order = IN_BEST_GAIN if m[CUT] == 0 else m[ORDER]
    if order == IN_BEST_GAIN:
        gain = highest(m, row)
        best = WIN if gain >= WINNING else evaluation + gain
        if best >= beta:
            m[CUTOFFS] += 1
            leaves = 1
        elif stones <= FEW and m[SYMMETRY]:
            leaves = count_distinct(m, row, ply)
        else:
            leaves = CELLS - stones
    else:
        for i in range(CELLS):
            gain = m[row + i] if order == IN_ROW_MAJOR else m[row + ORDERED[order + i]]
            if gain >= 0:
                leaves += 1
                value = WIN if gain >= WINNING else evaluation + gain
                if value > best:
                    best = value
                    if value >= beta:
                        m[CUTOFFS + leaves - 1] += 1
                        break
    m[NODES + ply] += 1
    m[NODES + ply + 1] += leaves
    m[LEAVES] += leaves
    return best


def last_reply(m: Numbers, side: int, cell: int, ply: int, evaluation: int, beta: int) -> int:
    """What the position after a side's move is worth to the other, which has the last ply."""
    base, stones = 16 * side, m[STONES]
    copy(m, GAINS + CELLS * (2 * ply - 1 - side), REPLIES, CELLS)
    for i in range(SLOT * cell, ENDS[cell], 4):
        change = OTHER_CHANGE[base + m[CODES + THROUGH[i]]]
        if change:
            m[REPLIES + THROUGH[i + 1]] += change
            m[REPLIES + THROUGH[i + 2]] += change
            m[REPLIES + THROUGH[i + 3]] += change
    m[REPLIES + cell] = TAKEN
    if stones >= FEW:
        return last_ply(m, REPLIES, ply, stones + 1, evaluation, beta)
    m[MARKS + cell], m[PLACED + stones], m[STONES] = 1 + side, cell, stones + 1
    value = last_ply(m, REPLIES, ply, stones + 1, evaluation, beta)
    m[MARKS + cell], m[STONES] = 0, stones
    return value


def last_two(m: Numbers, side: int, ply: int, alpha: int, beta: int, evaluation: int, threat: int) -> int:
    """A quiet node with two plies left: a move is tried only where the other side's best reply leaves it a chance.

    Quiet: neither side could win at once, so no move or reply here wins. Wherever I play, the other side's best cell is
    still there to be played, unless I take it or spoil one of the other's own lines through it. So a move is worth at
    most the evaluation + its gain - that cell's gain, the threat, corrected for the few moves that hinder it. Moves are
    tried by this bound; once it is no better than alpha, no later one is.
    """
    own, other = GAINS + CELLS * (2 * ply + side), GAINS + CELLS * (2 * ply + 1 - side)
    untried, line = UNTRIED + CELLS * ply, VARIATION + PLIES * ply
    m[NODES + ply] += 1
    few = m[STONES] < FEW and m[SYMMETRY] != 0  # with three stones it costs more here than it saves
    copy(m, own, untried, CELLS)
    cell = first(m, other, threat)
    m[untried + cell] += threat
    for i in range(SLOT * cell, ENDS[cell], 4):
        spoiled = OTHER_CHANGE[16 * side + m[CODES + THROUGH[i]]]
        if spoiled < 0:
            m[untried + THROUGH[i + 1]] -= spoiled
            m[untried + THROUGH[i + 2]] -= spoiled
            m[untried + THROUGH[i + 3]] -= spoiled
    best, tried = -INFINITE, 0
    while True:
        gain = highest(m, untried)
        if gain < 0:
            break
        if evaluation + gain - threat <= alpha:
            best = alpha
            break
        cell = first(m, untried, gain)
        value = -last_reply(m, side, cell, ply + 1, -evaluation - m[own + cell], -alpha)
        if ply == 0 and alpha < value < beta:
            m[VALUES + cell] = value
        best = max(best, value)
        if value > alpha:
            alpha = value
            m[line], m[line + 1], m[line + 2] = cell, first(m, REPLIES, highest(m, REPLIES)), -1
            if value >= beta:
                m[CUTOFFS + tried] += 1
                break
        tried += 1
        m[untried + cell] = TAKEN
        if few:
            if tried == 1:
                find_symmetries(m, ply)
            drop_symmetric(m, ply, cell)
    return best


def visit(m: Numbers, side: int, depth: int, ply: int, alpha: int, beta: int, evaluation: int, x: int, o: int) -> int:
    """What a node with a ply or more left is worth to the side to move, or a bound of it outside of the window.

    With bounds, only one move is tried where a side could win at once: a win of mine, for nothing is better, or else
    the cell that stops the other's, for every other move loses at once, and no move loses sooner.
    """
    own, other = GAINS + CELLS * (2 * ply + side), GAINS + CELLS * (2 * ply + 1 - side)
    untried, line = UNTRIED + CELLS * ply, VARIATION + PLIES * ply
    if depth == 1:
        best = last_ply(m, own, ply, m[STONES], evaluation, beta)
        m[line], m[line + 1] = first(m, own, highest(m, own)), -1
        return best
    if m[STOP]:
        return 0
    top, only = highest(m, own), -1
    if m[BOUNDS]:
        threat = highest(m, other)
        if top >= WINNING:
            only = first(m, own, top)
        elif threat >= WINNING:
            only = first(m, other, threat)
        elif depth == 2:
            return last_two(m, side, ply, alpha, beta, evaluation, threat)
    m[NODES + ply] += 1
    few = m[STONES] <= FEW and m[SYMMETRY] != 0
    floor, entry, hint, key_x, key_o = alpha, 0, -1, x, o
    remembered = m[TABLE] != 0 and only < 0 and (ply > 1 or m[DEEPENING] != 0)  # two can't come in another order
    if remembered:
        if few:
            key_x, key_o = canonical(m)
        entry = MEMORY + ENTRY * ((key_x % 2_147_483_647 * 31 + key_o % 2_147_483_629) % m[TABLE])
        if m[entry + 2] and m[entry] == key_x and m[entry + 1] == key_o:
            known, value = m[entry + 2], m[entry + 3]
            if known // 256 == depth and settles(known % 4, value, alpha, beta):
                m[LEAVES] += 1
                m[line] = -1
                return value
            if m[DEEPENING] and key_x == x and key_o == o:
                hint = known // 4 % 64
    if only < 0:
        copy(m, own, untried, CELLS)
    best, best_cell, tried, i, order = -INFINITE, 0, 0, 0, m[ORDER]
    hints = 3 if top >= WINNING else 0  # nothing that was good elsewhere is better than a win
    while True:
        cell = only
        while hints < 3 and cell < 0:
            cell = hint if hints == 0 else m[KILLERS + 2 * ply + hints - 1]
            hints += 1
            if cell >= 0 and m[untried + cell] < 0:
                cell = -1
        if cell < 0:
            if order == IN_BEST_GAIN:
                cell = first(m, untried, highest(m, untried) if tried else top)
            else:
                while i < CELLS - 1 and m[untried + ORDERED[order + i]] < 0:
                    i += 1
                cell = ORDERED[order + i]
            if m[untried + cell] < 0:
                break
        gain = m[own + cell]
        if gain >= WINNING:
            m[NODES + ply + 1] += 1
            m[LEAVES] += 1
            m[line + PLIES] = -1
            value = WIN + depth - 1
        else:
            after = -evaluation - gain
            scout = alpha + 1 if m[PVS] and tried and beta - alpha > 1 else beta
            if depth == 2:
                value = -last_reply(m, side, cell, ply + 1, after, -alpha)
                if value > best and value > alpha:
                    m[line + PLIES], m[line + PLIES + 1] = first(m, REPLIES, highest(m, REPLIES)), -1
            else:
                child_x, child_o = x, o
                if side:
                    child_o |= BIT[cell]
                else:
                    child_x |= BIT[cell]
                copy(m, GAINS + 2 * CELLS * ply, GAINS + 2 * CELLS * (ply + 1), 2 * CELLS)
                put(m, side, cell, own + 2 * CELLS, other + 2 * CELLS)
                value = -visit(m, 1 - side, depth - 1, ply + 1, -scout, -alpha, after, child_x, child_o)
                if scout < beta and alpha < value < beta:
                    value = -visit(m, 1 - side, depth - 1, ply + 1, -beta, -alpha, after, child_x, child_o)
                take_back(m, side, cell)
                if m[STOP]:
                    return 0
        if ply == 0 and alpha < value < beta:
            m[VALUES + cell] = value
        if value > best:
            best, best_cell = value, cell
            m[line] = cell
            copy(m, line + PLIES, line + 1, depth)
            if m[CUT]:
                alpha = max(alpha, best)
                if best >= beta:
                    m[CUTOFFS + tried] += 1
                    if m[KILLER] and m[KILLERS + 2 * ply] != cell:
                        m[KILLERS + 2 * ply + 1] = m[KILLERS + 2 * ply]
                        m[KILLERS + 2 * ply] = cell
                    break
        if only >= 0:
            break
        tried += 1
        m[untried + cell] = TAKEN
        if few:
            if tried == 1:
                find_symmetries(m, ply)
            drop_symmetric(m, ply, cell)
    if remembered:
        m[entry], m[entry + 1] = key_x, key_o
        m[entry + 2], m[entry + 3] = 256 * depth + 4 * best_cell + bound_kind(best, floor, beta), best
    return best


def find_symmetries(m: Numbers, ply: int) -> None:
    """The symmetries that leave the position as it is, but for the first, which leaves every position so."""
    found = STABLE + SYMMETRIES * ply
    oldest = m[PLACED]
    mark = m[MARKS + oldest]
    for image in range(IMAGES + CELLS, IMAGES + CELLS * SYMMETRIES, CELLS):
        same = m[MARKS + m[image + oldest]] == mark
        if same:
            for i in range(PLACED + 1, PLACED + m[STONES]):
                if m[MARKS + m[image + m[i]]] != m[MARKS + m[i]]:
                    same = False
                    break
        if same:
            m[found] = image
            found += 1
    m[found] = -1


def drop_symmetric(m: Numbers, ply: int, cell: int) -> None:
    """Leave out the moves that are symmetric to one that has been tried."""
    i = STABLE + SYMMETRIES * ply
    while m[i] >= 0:
        m[UNTRIED + CELLS * ply + m[m[i] + cell]] = TAKEN
        i += 1


def count_distinct(m: Numbers, row: int, ply: int) -> int:
    """How many moves there are, counting symmetric ones once."""
    find_symmetries(m, ply)
    copy(m, row, UNTRIED + CELLS * ply, CELLS)
    count = 0
    for cell in range(CELLS):
        if m[UNTRIED + CELLS * ply + cell] >= 0:
            count += 1
            drop_symmetric(m, ply, cell)
    return count


def canonical(m: Numbers) -> tuple[int, int]:
    """The one position that stands for all mirror images: the least.

    The last cell's bit is the sign; it is flipped meanwhile, so that signed numbers compare as sets of cells do.
    """
    sign = BIT[CELLS - 1]
    best_x = best_o = 0
    for image in range(IMAGES, IMAGES + CELLS * SYMMETRIES, CELLS):
        x = o = sign
        for i in range(PLACED, PLACED + m[STONES]):
            bit = BIT[m[image + m[i]]]
            if m[MARKS + m[i]] == 1:
                x ^= bit
            else:
                o ^= bit
        if image == IMAGES or x < best_x or (x == best_x and o < best_o):
            best_x, best_o = x, o
    return best_x ^ sign, best_o ^ sign


INLINED = {"highest", "first", "copy", "put", "take_back", "last_ply", "last_reply", "bound_kind", "settles"}


@cache
def compiled_visit() -> Callable[..., int]:
    """`visit` as machine code.

    To hand an array on costs more than what a short function does. So the short ones are inlined, and references to the
    array are not counted (`_nrt`): no function makes or keeps one, and the outermost caller holds it all the while.
    """
    loops = {"highest": highest_by_loop, "first": first_by_loop, "copy": copy_by_loop}
    replacements = loops | {"place": import_module("numpy").uint32}
    visit: Callable[..., int] = compiled_copies(globals(), replacements, INLINED, _nrt=False)["visit"]
    return visit
