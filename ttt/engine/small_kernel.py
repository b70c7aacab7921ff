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

# Where things stand in `m`; each has a row of up to 16 numbers, by ply where nothing else is said.
ROW = 17
NODES, CUTOFFS, VALUES, WINS_AT, FREE, LEFT, BITS, BETAS, BESTS, LINES = range(0, 10 * ROW, ROW)
LEAVES, STOP, LINE = range(10 * ROW, 10 * ROW + 3)
SIZE = 10 * ROW + 3


def small_tree(
    t: Numbers, m: Numbers, mine: int, theirs: int, alpha: int, beta: int, cutting: int, depth: int, full: int
) -> int:
    """What a position is worth, with the counts, the best line and the root's values in `m`.

    Args:
        t: for each set of cells, whether it wins; and for each set of one cell, that cell.
        m: `WINS_AT` has what a win at each ply is worth, `FREE` the free cells there by number, `VALUES` is `INFINITE`.
        cutting: 1 where alpha and beta cut off, else 0.
        full: all cells.

    A line is packed into a number, four bits a move, the first move lowest, above the last one a 1. Each turn takes the
    next free cell of the current node, or passes the node's value up. For speed it doesn't call itself, the last free
    cell is played without going there, children are counted when their parent is left, and sets are joined and split
    by + and -.
    """
    one, none, to_free, to_wins = unsigned(1), unsigned(0), unsigned(FREE), unsigned(WINS_AT)
    to_bits, to_left, to_betas = unsigned(BITS), unsigned(LEFT), unsigned(BETAS)  # these five rows are the stack
    to_bests, to_lines = unsigned(BESTS), unsigned(LINES)
    mine, theirs, full = unsigned(mine), unsigned(theirs), unsigned(full)
    cells, free = full + one, full - mine - theirs
    last, last_but_one = unsigned(depth - 1), unsigned(depth)
    if m[FREE] == depth:
        last_but_one -= one + one
    ply, best, line, ended, alone, left = none, -INFINITE, 1, 0, 0, 0
    m[NODES] += 1
    while True:
        if free:
            bit = free & -free
            free -= bit
            both = mine + bit
            if t[both]:
                value, below = m[ply + to_wins], 1
                ended += 1
            elif ply == last:
                value, below = 0, 1
                ended += 1
            elif ply == last_but_one:
                rest = full - both - theirs
                value, below = 0, 16 + t[cells + rest]
                alone += 1
                if t[theirs + rest]:
                    value = -m[last + to_wins]
                if cutting and value <= alpha:
                    m[CUTOFFS] += 1
            else:
                m[ply + to_bits], m[ply + to_left] = bit, free
                m[ply + to_betas], m[ply + to_bests], m[ply + to_lines] = beta, best, line
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
            bit, free = unsigned(m[ply + to_bits]), unsigned(m[ply + to_left])
            alpha, beta = -beta, m[ply + to_betas]
            best, line = m[ply + to_bests], m[ply + to_lines]
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
