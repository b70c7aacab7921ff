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
from ttt.search.options import bound_kind, settles

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


# The same for numba.
numpy: Any = None


def zeros_array(many: int) -> Ints:
    """`zeros` as an array."""
    return numpy.zeros(many, numpy.int64)  # type: ignore[no-any-return]


def count_bits_in_pairs(mask: int) -> int:
    """`count_bits`: pairs of bits are added up, then pairs of pairs, and so on."""
    mask -= (mask >> 1) & 0x5555555555555555
    mask = (mask & 0x3333333333333333) + ((mask >> 2) & 0x3333333333333333)
    return ((mask + (mask >> 4) & 0x0F0F0F0F0F0F0F0F) * 0x0101010101010101) >> 56


class Counts(NamedTuple):
    """What a search counts, and what it finds out about the root's moves.

    Args:
        nodes, cutoffs: by ply, and by the number of moves tried before.
        leaves: one number.
        values: for each cell, what the move is worth at the root, where known exactly; else `INFINITE`.
        stop: not 0 once the search is to stop.
    """

    nodes: Ints
    cutoffs: Ints
    leaves: Ints
    values: Ints
    stop: Ints


def small_tree(
    mine: int, theirs: int, alpha: int, beta: int, cutting: bool, wins_at: Ints, wins: Ints, cells: Ints, counts: Counts
) -> tuple[int, int]:
    """Search a board of up to 16 cells without options: the value, and the best line.

    Args:
        wins_at: what a win at each ply is worth; it ends with the last ply searched.
        wins: for each set of cells, whether it wins.
        cells: for each set of one cell, that cell.

    A line is packed into a number, four bits a move, the first move lowest, above the last one a 1. Long, because this
    is the innermost loop, where a call takes as long as a node. Each turn takes the next free cell of the current node,
    or passes the node's value up. For speed, the last free cell is played without going there, the stack has a row for
    each variable, and sets are joined and split by + and -.
    """
    nodes, cutoffs, leaves, values, stop = counts
    depth, one, none = len(wins_at), unsigned(1), unsigned(0)
    mine, theirs, full = unsigned(mine), unsigned(theirs), unsigned(len(wins) - 1)
    free = full - mine - theirs
    last, last_but_one = unsigned(depth - 1), unsigned(depth)
    if count_bits(free) == depth:
        last_but_one -= one + one
    ply, best, line, ended, alone = none, -INFINITE, 1, 0, 0
    bits, frees, betas = zeros(depth), zeros(depth), zeros(depth)  # these five rows are the stack
    bests, lines = zeros(depth), zeros(depth)
    nodes[0] += 1
    while True:
        if free:
            bit = free & -free
            free -= bit
            both = mine + bit
            nodes[ply + one] += 1
            if wins[both]:
                value, below = wins_at[ply], 1
                ended += 1
            elif ply == last:
                value, below = 0, 1
                ended += 1
            elif ply == last_but_one:
                bit_left = full - both - theirs
                value, below = 0, 1 << 4 | cells[bit_left]
                alone += 1
                if wins[theirs + bit_left]:
                    value = -wins_at[last]
                if cutting and value <= alpha:
                    cutoffs[0] += 1
            else:
                bits[ply], frees[ply] = bit, free
                betas[ply], bests[ply], lines[ply] = beta, best, line
                ply += one
                mine, theirs = theirs, both
                free = full - mine - theirs
                alpha, beta = -beta, -alpha
                best, line = -INFINITE, 1
                continue
        else:
            if ply == 0 or stop[0]:
                nodes[depth] += alone
                leaves[0] += ended + alone
                return best, line
            ply -= one
            value, below = -best, line
            bit, free = unsigned(bits[ply]), unsigned(frees[ply])
            alpha, beta = -beta, betas[ply]
            best, line = bests[ply], lines[ply]
            mine, theirs = theirs - bit, mine
        if ply == 0 and alpha < value < beta:
            values[cells[bit]] = value
        if value > best:
            best = value
            line = below << 4 | cells[bit]
            if cutting and value > alpha:
                alpha = value
                if value >= beta:
                    tried = count_bits(full - mine - theirs) - count_bits(free)
                    cutoffs[tried - 1] += 1
                    free = none


class Shape(NamedTuple):
    """A board of up to 64 cells, flat lists throughout.

    Args:
        k: how many in a row win.
        full: all cells as a mask.
        bits: each cell as a mask.
        starts, through: the lines through a cell are `through[starts[cell]:starts[cell + 1]]`, as masks.
        worths: what a mark gains in a line, by the own marks there · (k + 1) + the other side's.
        order: the cells in the order in which they are tried.
        images: for each cell its image under each automorphism, as a mask; empty where symmetry doesn't matter.
    """

    k: int
    full: int
    bits: Ints
    starts: Ints
    through: Ints
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
    """What `any_tree` works with; lists with a row for each ply are flat.

    Args:
        moves: each ply's moves in the order in which they are tried.
        gains: what these moves gain.
        mirrored: the canonical position after each of these moves: the mover's cells, and the other side's.
        own_images, other_images: the position whose moves are being compared, in all its mirror images.
        keys: the key of each ply's node in the table.
        line, length: the best line below the last node of each ply.
        killers: for each ply two moves that cut off another node.
        known: the table.
    """

    moves: Ints
    gains: Ints
    mirrored: Ints
    own_images: Ints
    other_images: Ints
    keys: Ints
    line: Ints
    length: Ints
    killers: Ints
    known: Table


def any_tree(
    mine: int, theirs: int, ahead: int, alpha: int, beta: int, rules: Rules, shape: Shape, counts: Counts, notes: Notes
) -> int:
    """Search any board with any options, and note what was found and counted: the value.

    `ahead` is how many more lines are open for the side to move than for the other. Long for the same reason as
    `small_tree`, and built the same way: each turn searches the next move of the current node, or passes the node's
    value up. A move that is scouted and turns out to be better is searched again in the next turn.
    """
    nodes, cutoffs, leaves, values, stop = counts
    size, depth = len(shape.bits), rules.depth
    ply = tried = int(0)  # noqa: RUF046, UP018  numba would compile what is called with a literal 0 a second time
    best, floor, scouting = -INFINITE, alpha, False
    width = NOT_YET
    nodes[0] += 1
    stack = [(mine, theirs, ahead, alpha, beta, best, floor, tried, width, scouting)] * depth
    while True:
        if width == NOT_YET:
            width = arrange(mine, theirs, ply, rules, shape, notes)
        if tried < width:
            place = ply * size + tried
            move = notes.moves[place]
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
                settled, value = recall(theirs, both, -upper, -alpha, ply + 1, place, rules, notes)
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
            if ply == 0 or stop[0]:
                return best
            ply -= 1
            value = -best
            mine, theirs, ahead, alpha, beta, best, floor, tried, width, scouting = stack[ply]
            move = notes.moves[ply * size + tried]
        if scouting and alpha < value < beta:
            scouting = False
            continue
        if ply == 0 and alpha < value < beta:
            values[move] = value
        if value > best:
            best = value
            lengthen(move, ply, depth, notes)
            if rules.cutting and value > alpha:
                alpha = value
                if value >= beta:
                    cutoffs[tried] += 1
                    note_killer(move, ply, notes)
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


def note_killer(move: int, ply: int, notes: Notes) -> None:
    """Note a move that cut off another node as its ply's killer."""
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
    if rules.greedy:
        sort_by_gain(mine, theirs, start, end, shape, notes)
    if rules.killer:
        to_front(notes.killers[2 * ply + 1], start, end, notes.moves)
        to_front(notes.killers[2 * ply], start, end, notes.moves)
    if rules.deepening and (mine, theirs, BEST_MOVE) in notes.known:
        to_front(notes.known[mine, theirs, BEST_MOVE][0], start, end, notes.moves)
    if rules.symmetry:
        end = drop_symmetric(mine, theirs, start, end, shape, notes)
    return end - start


def to_front(move: int, start: int, end: int, moves: Ints) -> None:
    """Move a move to the front, if it is there; the others keep their order."""
    for n in range(start, end):
        if moves[n] == move:
            while n > start:
                moves[n] = moves[n - 1]
                n -= 1
            moves[start] = move
            return


def sort_by_gain(mine: int, theirs: int, start: int, end: int, shape: Shape, notes: Notes) -> None:
    """Sort the moves by their gains, the largest first; equal ones keep their order."""
    moves, gains = notes.moves, notes.gains
    for n in range(start, end):
        move, gain = moves[n], 0
        for m in range(shape.starts[move], shape.starts[move + 1]):
            line = shape.through[m]
            gain += shape.worths[count_bits(line & mine) * (shape.k + 1) + count_bits(line & theirs)]
        while n > start and gains[n - 1] < gain:
            moves[n], gains[n] = moves[n - 1], gains[n - 1]
            n -= 1
        moves[n], gains[n] = move, gain


def drop_symmetric(mine: int, theirs: int, start: int, end: int, shape: Shape, notes: Notes) -> int:
    """Keep only the first of several moves that lead to mirror images: where the moves then end."""
    moves, mirrored = notes.moves, notes.mirrored
    reflect(mine, shape, notes.own_images)
    reflect(theirs, shape, notes.other_images)
    kept = start
    for n in range(start, end):
        own, other = least_image(moves[n], shape, notes)
        seen = False
        for m in range(start, kept):
            if mirrored[2 * m] == own and mirrored[2 * m + 1] == other:
                seen = True
                break
        if not seen:
            moves[kept] = moves[n]
            mirrored[2 * kept], mirrored[2 * kept + 1] = own, other
            kept += 1
    return kept


def reflect(cells: int, shape: Shape, images: Ints) -> None:
    """Note all mirror images of a set of cells."""
    many = len(images)
    for n in range(many):
        images[n] = 0
    while cells:
        start = many * count_bits((cells & -cells) - 1)
        cells &= cells - 1
        for n in range(many):
            images[n] |= shape.images[start + n]


def least_image(move: int, shape: Shape, notes: Notes) -> tuple[int, int]:
    """The canonical position after a move: the mover's cells, and the other side's."""
    own, other = INFINITE, 0
    own_images, other_images = notes.own_images, notes.other_images
    start = move * len(own_images)
    for n in range(len(own_images)):
        mine, theirs = own_images[n] | shape.images[start + n], other_images[n]
        if n == 0 or mine < own or (mine == own and theirs < other):
            own, other = mine, theirs
    return own, other


def recall(
    mine: int, theirs: int, alpha: int, beta: int, ply: int, place: int, rules: Rules, notes: Notes
) -> tuple[bool, int]:
    """Whether the table settles a node, and by what value; `place` is where the move to it is noted."""
    if not rules.table:
        return False, 0
    if rules.symmetry:
        mine, theirs = notes.mirrored[2 * place + 1], notes.mirrored[2 * place]
    notes.keys[2 * ply], notes.keys[2 * ply + 1] = mine, theirs
    key = mine, theirs, rules.depth - ply
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


@cache
def functions() -> dict[str, Any]:
    """The functions by name: compiled, or as they are where numba is missing."""
    if not compiles():
        return globals()
    numpy = import_module("numpy")
    replacements = {"zeros": zeros_array, "count_bits": count_bits_in_pairs, "numpy": numpy, "unsigned": numpy.uint64}
    return compiled_copies(globals(), replacements)
