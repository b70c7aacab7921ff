"""The inner loops of the engine for any shape: plain Python, or compiled.

A position is two sets of cells as bit masks, `mine` of the side to move and `theirs`; a move swaps them. Every value
is seen from the side to move. Neither loop calls itself: the nodes above the current one wait on a stack, since numba
is slow at recursion with arrays, and a leaf's value is found where it is met, without going there.

Compiled, every number is an int64. But what `small_tree` looks up places by, masks and plies, is a uint64: numba then
skips the test for negative places.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

from ttt.engine.compiling import Ints, compiled_copies, compiles
from ttt.search.bounds import bound_kind, settles

Unsigned = list[int]  # compiled, an array of uint64
Table = dict[tuple[int, int, int], tuple[int, int]]  # mine, theirs, plies below → a value, and its `bound_kind`

INFINITE = 1 << 40  # beyond every value
BEST_MOVE = -1  # in place of the plies below: the entry is the move to try first
NO_MOVE = -1  # no killer yet
NOT_YET = -1  # how many moves a node has that was just reached

unsigned: Callable[[int], int] = int
count_bits: Callable[[int], int] = int.bit_count


def zeros(many: int) -> Ints:
    """A row of the stack."""
    return [0] * many


def unsigned_zeros(many: int) -> Unsigned:
    """A row of the stack for masks."""
    return [0] * many


# The same three for numba.
numpy: Any = None


def zeros_array(many: int) -> Ints:
    """`zeros` as an array."""
    return numpy.zeros(many, numpy.int64)  # type: ignore[no-any-return]


def unsigned_zeros_array(many: int) -> Unsigned:
    """`unsigned_zeros` as an array."""
    return numpy.zeros(many, numpy.uint64)  # type: ignore[no-any-return]


def count_bits_in_pairs(mask: int) -> int:
    """`count_bits`: pairs of bits are added up, then pairs of pairs, and so on."""
    mask -= (mask >> 1) & 0x5555555555555555
    mask = (mask & 0x3333333333333333) + ((mask >> 2) & 0x3333333333333333)
    return ((mask + (mask >> 4) & 0x0F0F0F0F0F0F0F0F) * 0x0101010101010101) >> 56


class Small(NamedTuple):
    """A board of up to 16 cells.

    Args:
        full: all cells as a mask.
        wins: for each set of cells, whether it wins.
        sizes: for each set of cells, how many they are.
        cells: for each bit, its cell.
    """

    full: int
    wins: list[bool]
    sizes: Unsigned
    cells: Ints


class Counts(NamedTuple):
    """What `small_tree` counts, from which all else follows: how each interior node ended.

    Args:
        exhausted: for each ply, the nodes with every move tried.
        cuts: for each ply, and for each number of moves that were left out, the nodes that were cut.
        values: for each cell, what the move is worth at the root, where known exactly; else `INFINITE`.
        stop: not 0 once the search is to stop.
    """

    exhausted: Ints
    cuts: Ints
    values: Ints
    stop: Ints


def small_tree(
    mine: int, theirs: int, alpha: int, beta: int, cutting: bool, wins_at: Ints, small: Small, counts: Counts
) -> tuple[int, int]:
    """Search a small board without options: the value, and the best line, four bits a move, its first move lowest.

    Long, because this is the innermost loop, where a call takes as long as a node. Each turn takes the next free cell
    of the current node, or passes the node's value up. For speed, moves are not counted one by one, the last free cell
    is played without going there, the stack has a row for each variable, and sets are joined and split by + and -.
    `wins_at` says what a win at each ply is worth, and ends with the last ply searched.
    """
    full, wins, sizes, cells = small
    exhausted, cuts, values, stop = counts
    mine, theirs, full = unsigned(mine), unsigned(theirs), unsigned(full)
    ply, one = unsigned(0), unsigned(1)
    depth, last = len(wins_at), unsigned(len(wins_at) - 1)
    free = full - mine - theirs
    width = sizes[free]
    inner = depth - 2 if width == depth else depth - 1  # from this ply on no move is gone into
    high = depth - 10  # down to this ply it is checked whether to stop
    line = alone = 0
    best = unknown = -INFINITE
    bits, frees = unsigned_zeros(depth), unsigned_zeros(depth)  # these five rows are the stack
    betas, bests, lines = zeros(depth), zeros(depth), zeros(depth)
    while True:
        if free:
            bit = free & -free
            both = mine + bit
            free -= bit
            if wins[both]:
                value, below = wins_at[ply], 0
            elif ply < inner:
                bits[ply], frees[ply] = bit, free
                betas[ply], bests[ply], lines[ply] = beta, best, line
                ply += one
                mine, theirs = theirs, both
                free = full - mine - theirs
                best = unknown
                alpha, beta = -beta, -alpha
                continue
            elif ply == last:
                value = below = 0
            else:
                bit_left = full - both - theirs
                below = cells[bit_left]
                value = -wins_at[last] if wins[theirs + bit_left] else 0
                if cutting and value <= alpha:
                    cuts[last * width] += 1
                else:
                    alone += 1
        else:
            exhausted[ply] += 1
            if ply == 0 or (ply <= high and stop[0]):
                break
            ply -= one
            value, below = -best, line
            bit, free = bits[ply], frees[ply]
            mine, theirs = theirs - bit, mine
            alpha, beta = -beta, betas[ply]
            best, line = bests[ply], lines[ply]
        if ply == 0 and not cutting:
            values[cells[bit]] = value
        while value > best:
            best = value
            line = below << 4 | cells[bit]
            if not cutting or value <= alpha:
                break
            alpha = value
            if value < beta:
                if ply == 0:
                    values[cells[bit]] = value
                break
            cuts[ply * width + sizes[free]] += 1
            if ply == 0:
                exhausted[last] += alone
                return best, line
            ply -= one
            value, below = -best, line
            bit, free = bits[ply], frees[ply]
            mine, theirs = theirs - bit, mine
            alpha, beta = -beta, betas[ply]
            best, line = bests[ply], lines[ply]
    exhausted[last] += alone
    return best, line


def tally(exhausted: Ints, cuts: Ints, nodes: Ints, cutoffs: Ints) -> None:
    """Add up the nodes of every ply, the root and what each interior node has tried; and the cutoffs by moves tried."""
    width = len(cutoffs)
    nodes[0] = 1
    for ply in range(len(exhausted)):
        nodes[ply + 1] = exhausted[ply] * (width - ply)
        for left in range(width - ply):
            many, tried = cuts[ply * width + left], width - ply - left
            nodes[ply + 1] += many * tried
            cutoffs[tried - 1] += many


class Shape(NamedTuple):
    """A board of up to 64 cells, flat lists throughout.

    Args:
        k: how many in a row win.
        full: all cells as a mask.
        bits: each cell as a mask.
        starts, through: the lines through a cell are `through[starts[cell]:starts[cell + 1]]`, as masks.
        lines, line_cells: all lines as masks, and the k cells of each.
        worths: what a mark gains in a line, by the own marks there · (k + 1) + the other side's.
        order: the cells in the order in which they are tried.
        images: for each automorphism, the image of each cell, as a mask; empty where symmetry doesn't matter.
    """

    k: int
    full: int
    bits: Ints
    starts: Ints
    through: Ints
    lines: Ints
    line_cells: Ints
    worths: Ints
    order: Ints
    images: Ints


class Rules(NamedTuple):
    """How to search: the depth, what leaves are worth, and the options."""

    depth: int
    win: int
    bonus: int
    judged: bool  # by the open lines, where the game goes on
    cutting: bool
    greedy: bool  # the best gain first
    killer: bool
    table: bool
    symmetry: bool
    deepening: bool
    pvs: bool


class Notes(NamedTuple):
    """What `any_tree` counts and learns; lists with a row for each ply are flat.

    Args:
        nodes, leaves, cutoffs: the counts.
        values: for each of the root's moves, in the order tried, what it is worth, where known exactly.
        moves, gains: each ply's moves in the order in which they are tried; what they gain, while they are sorted.
        line, length: the best line below the last node of each ply.
        killers: for each ply two moves that cut off another node.
        own_images, other_images: each ply's position in all its mirror images.
        keys: the key of each ply's node in the table.
        known: the table.
        stop: not 0 once the search is to stop.
    """

    nodes: Ints
    leaves: Ints
    cutoffs: Ints
    values: Ints
    moves: Ints
    gains: Ints
    line: Ints
    length: Ints
    killers: Ints
    own_images: Ints
    other_images: Ints
    keys: Ints
    known: Table
    stop: Ints


def any_tree(
    mine: int, theirs: int, ahead: int, alpha: int, beta: int, rules: Rules, shape: Shape, notes: Notes
) -> int:
    """Search any board with any options, and note what was found and counted: the value.

    `ahead` is how many more lines are open for the side to move than for the other. Long for the same reason as
    `small_tree`, and built the same way: each turn searches the next move of the current node, or passes the node's
    value up. A move that is scouted and turns out to be better is searched again in the next turn.
    """
    size, depth = len(shape.bits), rules.depth
    nodes, leaves = notes.nodes, notes.leaves
    ply = tried = int(0)  # noqa: RUF046, UP018  numba would compile what is called with a literal 0 a second time
    best, floor, scouting = -INFINITE, alpha, False
    width = NOT_YET
    nodes[0] += 1
    stack = [(mine, theirs, ahead, alpha, beta, best, floor, tried, width, scouting)] * depth
    while True:
        if width == NOT_YET:
            width = arrange(mine, theirs, ply, rules, shape, notes)
        if tried < width:
            move = notes.moves[ply * size + tried]
            both = mine | shape.bits[move]
            nodes[ply + 1] += 1
            won, closed = closes(mine, both, move, shape)
            settled = True
            if won:
                value = rules.win + rules.bonus * (depth - ply - 1)
            elif ply + 1 == depth:
                value = ahead + closed if rules.judged and both | theirs != shape.full else 0
            else:
                upper = alpha + 1 if scouting else beta
                if rules.symmetry:
                    reflect(move, ply, shape, notes)
                settled, value = recall(theirs, both, -upper, -alpha, ply + 1, rules, notes)
                value = -value
            if not settled:
                stack[ply] = mine, theirs, ahead, alpha, beta, best, floor, tried, width, scouting
                ply += 1
                mine, theirs, ahead = theirs, both, -ahead - closed
                alpha, beta = -upper, -alpha
                best, floor, tried, width, scouting = -INFINITE, alpha, 0, NOT_YET, False
                continue
            leaves[0] += 1
            notes.length[ply + 1] = 0
        else:
            remember(mine, theirs, best, floor, beta, ply, rules, notes)
            if ply == 0 or notes.stop[0]:
                return best
            ply -= 1
            value = -best
            mine, theirs, ahead, alpha, beta, best, floor, tried, width, scouting = stack[ply]
            move = notes.moves[ply * size + tried]
        if scouting and alpha < value < beta:
            scouting = False
            continue
        if ply == 0 and alpha < value < beta:
            notes.values[tried] = value
        if value > best:
            best = value
            lengthen(move, ply, depth, notes)
            if rules.cutting and value > alpha:
                alpha = value
                if value >= beta:
                    cut(move, ply, tried, notes)
                    width = 0
        tried += 1
        scouting = rules.pvs


def closes(mine: int, both: int, move: int, shape: Shape) -> tuple[bool, int]:
    """Whether a move wins, and how many lines it closes for the other side."""
    closed = 0
    for n in range(shape.starts[move], shape.starts[move + 1]):
        line = shape.through[n]
        if line & both == line:
            return True, 0
        if not line & mine:
            closed += 1
    return False, closed


def lengthen(move: int, ply: int, depth: int, notes: Notes) -> None:
    """A better move: it and the best line below it are the best line here."""
    length, line = notes.length, notes.line
    here, below = ply * depth, (ply + 1) * depth
    line[here] = move
    for n in range(length[ply + 1]):
        line[here + 1 + n] = line[below + n]
    length[ply] = length[ply + 1] + 1


def cut(move: int, ply: int, tried: int, notes: Notes) -> None:
    """Count a cutoff, and note the move as its ply's killer."""
    notes.cutoffs[tried] += 1
    killers = notes.killers
    if move != killers[2 * ply] and move != killers[2 * ply + 1]:
        killers[2 * ply + 1] = killers[2 * ply]
        killers[2 * ply] = move


def arrange(mine: int, theirs: int, ply: int, rules: Rules, shape: Shape, notes: Notes) -> int:
    """Note a node's moves in the order in which they are tried: how many there are."""
    start = end = ply * len(shape.bits)
    for cell in shape.order:
        if not (mine | theirs) & shape.bits[cell]:
            notes.moves[end] = cell
            end += 1
    width = end - start
    if rules.greedy:
        sort_by_gain(mine, theirs, start, width, shape, notes)
    if rules.killer:
        to_front(notes.killers[2 * ply + 1], start, width, notes.moves)
        to_front(notes.killers[2 * ply], start, width, notes.moves)
    if rules.deepening and (mine, theirs, BEST_MOVE) in notes.known:
        to_front(notes.known[mine, theirs, BEST_MOVE][0], start, width, notes.moves)
    return unlike(start, width, ply, shape, notes) if rules.symmetry else width


def to_front(move: int, start: int, width: int, moves: Ints) -> None:
    """Move a move to the front, if it is there; the others keep their order."""
    for n in range(start, start + width):
        if moves[n] == move:
            while n > start:
                moves[n] = moves[n - 1]
                n -= 1
            moves[start] = move
            return


def sort_by_gain(mine: int, theirs: int, start: int, width: int, shape: Shape, notes: Notes) -> None:
    """Sort the moves by their gains, the largest first; what a line gains is computed once for all its cells."""
    moves, gains, k = notes.moves, notes.gains, shape.k
    for cell in range(len(gains)):
        gains[cell] = 0
    for n in range(len(shape.lines)):
        line = shape.lines[n]
        worth = shape.worths[count_bits(line & mine) * (k + 1) + count_bits(line & theirs)]
        if worth:
            for m in range(n * k, n * k + k):
                gains[shape.line_cells[m]] += worth
    for n in range(start + 1, start + width):
        move = moves[n]
        while n > start and gains[moves[n - 1]] < gains[move]:
            moves[n] = moves[n - 1]
            n -= 1
        moves[n] = move


def unlike(start: int, width: int, ply: int, shape: Shape, notes: Notes) -> int:
    """Keep only the first of several moves that lead to mirror images: how many are left."""
    moves, kept = notes.moves, 0
    seen = [(0, 0)] * width
    for n in range(start, start + width):
        image = least_image(moves[n], ply, shape, notes)
        new = True
        for m in range(kept):
            if seen[m] == image:
                new = False
                break
        if new:
            seen[kept] = image
            moves[start + kept] = moves[n]
            kept += 1
    return kept


def least_image(move: int, ply: int, shape: Shape, notes: Notes) -> tuple[int, int]:
    """The canonical position after a move: the mover's cells, and the other side's."""
    size, images = len(shape.bits), shape.images
    many = len(images) // size
    own, other = notes.own_images[ply * many] | images[move], notes.other_images[ply * many]
    for n in range(1, many):
        mine = notes.own_images[ply * many + n] | images[n * size + move]
        theirs = notes.other_images[ply * many + n]
        if mine < own or (mine == own and theirs < other):
            own, other = mine, theirs
    return own, other


def reflect(move: int, ply: int, shape: Shape, notes: Notes) -> None:
    """Note all mirror images of the position after a move, and the least of them as its key."""
    size, images = len(shape.bits), shape.images
    many = len(images) // size
    here, below = ply * many, (ply + 1) * many
    for n in range(many):
        notes.other_images[below + n] = notes.own_images[here + n] | images[n * size + move]
        notes.own_images[below + n] = notes.other_images[here + n]
    notes.keys[2 * ply + 3], notes.keys[2 * ply + 2] = least_image(move, ply, shape, notes)


def recall(mine: int, theirs: int, alpha: int, beta: int, ply: int, rules: Rules, notes: Notes) -> tuple[bool, int]:
    """Whether the table settles a node, and by what value."""
    if not rules.table:
        return False, 0
    if not rules.symmetry:
        notes.keys[2 * ply], notes.keys[2 * ply + 1] = mine, theirs
    key = notes.keys[2 * ply], notes.keys[2 * ply + 1], rules.depth - ply
    if key not in notes.known:
        return False, 0
    value, kind = notes.known[key]
    return settles(kind, value, alpha, beta), value


def remember(mine: int, theirs: int, best: int, alpha: int, beta: int, ply: int, rules: Rules, notes: Notes) -> None:
    """Keep what was found: the value for the table, the move for a deeper search."""
    if rules.deepening:
        notes.known[mine, theirs, BEST_MOVE] = notes.line[ply * rules.depth], 0
    if rules.table:
        key = notes.keys[2 * ply], notes.keys[2 * ply + 1], rules.depth - ply
        notes.known[key] = best, bound_kind(best, alpha, beta)


FUNCTIONS: tuple[Callable[..., Any], ...] = (
    small_tree,
    tally,
    any_tree,
    closes,
    lengthen,
    cut,
    arrange,
    to_front,
    sort_by_gain,
    unlike,
    least_image,
    reflect,
    recall,
    remember,
    bound_kind,
    settles,
)


@cache
def functions() -> dict[str, Any]:
    """The functions by name: compiled, or as they are where numba is missing."""
    named = {function.__name__: function for function in FUNCTIONS}
    if not compiles():
        return named
    numpy = import_module("numpy")
    arrays = {"zeros": zeros_array, "unsigned_zeros": unsigned_zeros_array, "count_bits": count_bits_in_pairs}
    return compiled_copies(named | arrays, {"numpy": numpy, "unsigned": numpy.uint64})
