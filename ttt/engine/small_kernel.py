"""The search of small boards to the end of the game, without options: the innermost loop, compiled or plain Python.

A position is two sets of cells as bit masks, `mine` of the side to move and `theirs`; a move swaps them. Every value is
seen from the side to move. `t` and `m` are rows of whole numbers with named places, as in `kernel`.
"""

from __future__ import annotations

from collections.abc import Callable

Numbers = list[int]
unsigned: Callable[[int], int] = int  # compiled, a uint64: numba then skips the test for negative places

INLINED = frozenset[str]()
MOST_CELLS = 16
INFINITE = 1 << 40  # beyond every value

# Where things stand in `m`: rows of up to 16 numbers, and then single ones.
ROW = 17
NODES, CUTOFFS, VALUES, FREE = range(0, 4 * ROW, ROW)
LEAVES, STOP, LINE = range(4 * ROW, 4 * ROW + 3)
SIZE = 4 * ROW + 3


def small_tree(
    t: Numbers,
    m: Numbers,
    stack: tuple[Numbers, ...],
    mine: int,
    theirs: int,
    alpha: int,
    beta: int,
    cutting: int,
    depth: int,
    full: int,
) -> int:
    """What a position is worth, with the counts, the best line and the root's values in `m`.

    Args:
        t: for each set of cells, whether it wins; and for each set of one cell, that cell.
        m: `FREE` has how many cells are free at each ply, and `VALUES` is `INFINITE`.
        stack: six rows, of which the last one has what a win at each ply is worth.
        cutting: 1 where alpha and beta cut off, else 0.
        full: all cells.

    A line is packed into a number, four bits a move, the first move lowest, above the last one a 1. Each turn takes the
    next free cell of the current node, or passes the node's value up. For speed it doesn't call itself, the last two
    cells are played without going there, children are counted when their parent is left, and sets are joined and split
    by + and -.
    """
    bits, frees, betas, bests, lines, wins_at = stack
    one, none, to_free = unsigned(1), unsigned(0), unsigned(FREE)
    mine, theirs, full = unsigned(mine), unsigned(theirs), unsigned(full)
    cells, free = full + one, full - mine - theirs
    last, three_left = unsigned(depth - 1), unsigned(depth)
    if m[FREE] == depth and depth > 2:
        three_left = unsigned(depth - 3)
    ply, best, line, ended, alone, left = none, -INFINITE, 1, 0, 0, 0
    m[NODES] += 1
    while True:
        if free:
            bit = free & -free
            free -= bit
            both = mine + bit
            if t[both]:
                value, below = wins_at[ply], 1
                ended += 1
            elif ply == last:
                value, below = 0, 1
                ended += 1
            elif ply == three_left:
                rest = full - both - theirs
                reply = rest & -rest
                value, below, floor, tried = -INFINITE, 1, -beta, 0
                while tried < 2:  # the two replies; a value is seen from the other side
                    alone_left, then = rest - reply, 1
                    tried += 1
                    if t[theirs + reply]:
                        worth = wins_at[last - one]
                        ended += 1
                    else:
                        worth, then = 0, 16 + t[cells + alone_left]
                        alone += 1
                        if t[both + alone_left]:
                            worth = -wins_at[last]
                        if cutting and worth <= floor:
                            m[CUTOFFS] += 1
                    if worth > value:
                        value, below = worth, then * 16 + t[cells + reply]
                        if cutting and value > floor:
                            floor = value
                            if value >= -alpha:
                                m[CUTOFFS + tried - 1] += 1
                                break
                    reply = alone_left
                m[ply + one + one] += tried
                value = -value
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
            m[ply + one] += m[ply + to_free] - left
            left = 0
            if ply == none or m[STOP]:
                m[depth] += alone
                m[LEAVES] += ended + alone
                m[LINE] = line
                return best
            ply -= one
            value, below = -best, line
            bit, free = unsigned(bits[ply]), unsigned(frees[ply])
            alpha, beta = -beta, betas[ply]
            best, line = bests[ply], lines[ply]
            mine, theirs = theirs - bit, mine
        if ply == none and alpha < value < beta:
            m[VALUES + t[cells + bit]] = value
        if value > best:
            best = value
            line = below * 16 + t[cells + bit]
            if cutting and value > alpha:
                alpha = value
                if value >= beta:
                    while free:
                        free &= free - one
                        left += 1
                    m[CUTOFFS + m[ply + to_free] - left - 1] += 1
