"""The search of small boards to the end of the game, without options: the innermost loop, compiled or plain Python.

A position is two sets of cells as bit masks, `mine` of the side to move and `theirs`; a move swaps them. Every value is
seen from the side to move. `t` and `m` are rows of whole numbers with named places, as in `kernel`.
"""

from __future__ import annotations

Numbers = list[int]

INLINED = frozenset[str]()
MOST_CELLS = 16
INFINITE = 1 << 40  # beyond every value

# Where things stand in `m`: what is found, of which three are rows of up to 16 numbers, and then what is worked on.
ROW = 17
NODES, CUTOFFS, VALUES = range(0, 3 * ROW, ROW)
LEAVES, STOP, LINE, FOUND = range(3 * ROW, 3 * ROW + 4)
FREE, WINS, BITS, FREES, BETAS, BESTS, LINES, SIZE = range(FOUND, FOUND + 8 * ROW, ROW)


def search(
    t: Numbers,  # for each set of cells, whether it wins; and for each set of one cell, that cell
    m: Numbers,  # `FREE`: how many cells are free at each ply; `WINS`: what a win there is worth; `VALUES`: `INFINITE`
    mine: int,
    theirs: int,
    alpha: int,
    beta: int,
    cutting: int,  # 1 where alpha and beta cut off, else 0
    depth: int,
    full: int,  # all cells
) -> int:
    """What a position is worth, with the counts, the best line and the root's values in `m`.

    A line is packed into a number, four bits a move, the first move lowest, above the last one a 1. Each turn takes the
    next free cell of the current node, or passes the node's value up. For speed it doesn't call itself, the last two
    cells are played without going there, children are counted when their parent is left, and sets are joined and split
    by + and -.
    """
    cells, free = full + 1, full - mine - theirs
    last, three_left = depth - 1, depth
    if m[FREE] == depth and depth > 2:
        three_left = depth - 3
    ply, best, line, ended, alone, left = 0, -INFINITE, 1, 0, 0, 0
    m[NODES] += 1
    while True:
        if free:
            bit = free & -free
            free -= bit
            both = mine + bit
            if t[both]:
                value, below = m[WINS + ply], 1
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
                        worth = m[WINS + last - 1]
                        ended += 1
                    else:
                        worth, then = 0, 16 + t[cells + alone_left]
                        alone += 1
                        if t[both + alone_left]:
                            worth = -m[WINS + last]
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
                m[ply + 2] += tried
                value = -value
            else:
                m[BITS + ply], m[FREES + ply] = bit, free
                m[BETAS + ply], m[BESTS + ply], m[LINES + ply] = beta, best, line
                ply += 1
                mine, theirs = theirs, both
                free = full - mine - theirs
                alpha, beta = -beta, -alpha
                best, line = -INFINITE, 1
                continue
        else:
            m[ply + 1] += m[ply + FREE] - left
            left = 0
            if ply == 0 or m[STOP]:
                m[depth] += alone
                m[LEAVES] += ended + alone
                m[LINE] = line
                return best
            ply -= 1
            value, below = -best, line
            bit, free = m[BITS + ply], m[FREES + ply]
            alpha, beta = -beta, m[BETAS + ply]
            best, line = m[BESTS + ply], m[LINES + ply]
            mine, theirs = theirs - bit, mine
        if ply == 0 and alpha < value < beta:
            m[VALUES + t[cells + bit]] = value
        if value > best:
            best = value
            line = below * 16 + t[cells + bit]
            if cutting and value > alpha:
                alpha = value
                if value >= beta:
                    while free:
                        free &= free - 1
                        left += 1
                    m[CUTOFFS + m[ply + FREE] - left - 1] += 1
