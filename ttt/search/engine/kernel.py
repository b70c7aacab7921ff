"""The search of boards of any shape, with every option: plain Python on lists, or compiled on arrays.

Every line has one small code, X's count + 16·O's, kept up to date as marks come and go, and for each side every cell
has a *gain*: what a mark there adds to the evaluation at once. So nothing is ever evaluated anew: a child is worth
-(evaluation + gain) to the other side. The evaluation is that of a `LineWeights`; without a heuristic it stays 0.

All that a search looks up is one row of whole numbers, `t` (see `tables`), and all that it changes another, `m`, both
with named places: numba hands two arrays down a recursion at little cost, and many at a great one. Side 0 is X; a
value is seen from the side to move. Functions are longer here than elsewhere, since a call costs more than its work.
"""

from __future__ import annotations

Numbers = list[int]

SIZE = 64  # cells at most, and the length of a row that has a number for each
PLIES = 66  # rows for each ply, with one to spare below the last
WINNING = 1 << 50  # the gain of a mark that completes a line
WINS = 1 << 49  # more than all other gains together
TAKEN = -(1 << 60)  # the gain of a cell that has a mark, whatever is added to it
FREE = -(1 << 59)  # less than the gain of any free cell
FIRST = 1 << 57  # added to the score of the moves that are tried first
INFINITE = 1 << 58  # beyond every value
FEW = 3  # marks, while which a search with bounds looks for symmetry; beyond that hardly a position has any

# Where things stand in `t`. A code is below 256, for either side.
K, CELLS, LINES, IMAGES, IMAGES_END, STARTS = 0, 1, 2, 3, 4, 5
ORDERED = STARTS + SIZE + 1  # the cells in the order in which they are tried
SCORES = ORDERED + SIZE  # that order as a score of each cell
OWN_CHANGE = SCORES + SIZE  # what a mark changes in the gains of a line's other cells, for its own side
OTHER_CHANGE = OWN_CHANGE + 512  # the same for the other side
RANK = OTHER_CHANGE + 512  # what a mark in the line adds to a cell's score where moves go by their gains
THROUGH = RANK + 512  # the lines through each cell, k numbers each: which line, and its other cells

# Where things stand in `m`: the settings, then what is counted, then what is worked on.
CUTS, BOUNDS, ORDER, KILLER, TABLE, SYMMETRY, DEEPENING, PVS, QUICK, WIN, BONUS, STOP, MARKED, LEAVES, REPLY = range(15)
PLACES, USED, TABLE_START, TWINS, TWINS_WIDTH = range(15, 20)
NODES = 20  # by ply
CUTOFFS = NODES + PLIES + 1  # by the number of moves tried before
VALUES = CUTOFFS + SIZE + 1  # of the root's moves, where known exactly
TRIED = VALUES + SIZE  # the root's moves in the order in which they were tried
MARKS = TRIED + SIZE  # of the cells: 0 free, 1 X, 2 O
PLACED = MARKS + SIZE  # the cells with marks; the last one's is of the side that is not to move
KILLERS = PLACED + SIZE  # two for each ply
GAINS = KILLERS + 2 * PLIES  # for each ply a row of X's and a row of O's
UNTRIED = GAINS + 2 * SIZE * PLIES  # for each ply the scores of the moves still to try; at the last one, gains
VARIATION = UNTRIED + SIZE * PLIES  # for each ply the best line from there, -1 after its end
CODES = VARIATION + PLIES * PLIES  # of the lines; then the twins, and the table, where there is one

IN_FIXED, IN_GAINS, IN_RANKS = 0, 1, 2  # what `ORDER` says; by gains, ranks are the gains
ENTRY = 5  # numbers in a place of the table: X's cells, O's cells, plies left, what is known, the value; or, where
# the third is less than 0, the value is the move to try first
EXACT, AT_LEAST, AT_MOST = 1, 2, 3
STOPPED, FULL = 1, 2  # what `STOP` says; full is the table, and the search is to begin anew with a larger one
INLINED = {"highest", "first", "copy", "spread", "put", "take_back", "last_ply", "last_reply"}  # into their callers
BIT = tuple(1 << cell if cell < SIZE - 1 else -(1 << cell) for cell in range(SIZE))  # as a signed 64-bit number


def highest(m: Numbers, row: int, cells: int) -> int:
    """The highest number in a row."""
    return max(m[row : row + cells])


def first(m: Numbers, row: int, gain: int) -> int:
    """The first cell with this number."""
    return m.index(gain, row) - row


def copy(m: Numbers, source: int, target: int, length: int) -> None:
    """Copy one stretch of `m` to another."""
    m[target : target + length] = m[source : source + length]


# The same three for numba.


def highest_by_loop(m: Numbers, row: int, cells: int) -> int:
    best = m[row]
    for i in range(row + 1, row + cells):
        best = m[i] if m[i] > best else best
    return best


def first_by_loop(m: Numbers, row: int, gain: int) -> int:
    cell = 0
    while m[row + cell] != gain:
        cell += 1
    return cell


def copy_by_loop(m: Numbers, source: int, target: int, length: int) -> None:
    for i in range(length):
        m[target + i] = m[source + i]


def spread(t: Numbers, m: Numbers, row: int, line: int, k: int, change: int) -> None:
    """Add a change to a row, for a line's cells but the one whose line it is; quicker for lines of four."""
    if k == 4:
        one, two, three = t[line + 1], t[line + 2], t[line + 3]
        m[row + one] += change
        m[row + two] += change
        m[row + three] += change
    else:
        for i in range(line + 1, line + k):
            m[row + t[i]] += change


def put(t: Numbers, m: Numbers, side: int, cell: int, row: int) -> None:
    """Put a mark, and update the codes of its lines and the gains of their free cells."""
    k, base, step = t[K], 256 * side, 1 + 15 * side
    own, other = row + SIZE * side, row + SIZE - SIZE * side
    for n in range(t[STARTS + cell], t[STARTS + cell + 1]):
        i = THROUGH + k * n
        line = CODES + t[i]
        code = base + m[line]
        m[line] += step
        mine, theirs = t[OWN_CHANGE + code], t[OTHER_CHANGE + code]
        if mine:
            spread(t, m, own, i, k, mine)
        if theirs:
            spread(t, m, other, i, k, theirs)
    m[own + cell] = m[other + cell] = TAKEN
    m[MARKS + cell] = 1 + side
    m[PLACED + m[MARKED]] = cell
    m[MARKED] += 1


def take_back(t: Numbers, m: Numbers, side: int, cell: int) -> None:
    """Take the last mark away; the gains can stay, since every ply has its own."""
    step = 1 + 15 * side
    for n in range(t[STARTS + cell], t[STARTS + cell + 1]):
        m[CODES + t[THROUGH + t[K] * n]] -= step
    m[MARKS + cell] = 0
    m[MARKED] -= 1


def find(m: Numbers, x: int, o: int, plies: int) -> int:
    """The table's entry for a position; where it has none, a new one, in which nothing is known yet."""
    end = m[TABLE_START] + ENTRY * m[PLACES]
    entry = m[TABLE_START] + ENTRY * ((x % 2_147_483_647 * 31 + o % 2_147_483_629 + plies) % m[PLACES])
    while m[entry + 2]:
        if m[entry] == x and m[entry + 1] == o and m[entry + 2] == plies:
            return entry
        entry += ENTRY
        if entry == end:
            entry = m[TABLE_START]
    m[entry], m[entry + 1], m[entry + 2] = x, o, plies
    m[USED] += 1
    if 2 * m[USED] > m[PLACES]:
        m[STOP] = FULL
    return entry


def find_twins(t: Numbers, m: Numbers, side: int, ply: int) -> None:
    """Find out which moves lead to mirror images of one another.

    Where a symmetry leaves the position as it is, a move and its image do. Where it takes one of the mover's marks to a
    free cell, and leaves the rest as it is, one move does, and a move to that cell. Each is noted as three numbers: the
    symmetry, the one move or -1, and that cell.
    """
    cells, found = t[CELLS], m[TWINS] + m[TWINS_WIDTH] * ply
    marked, other = m[MARKED], 2 - side
    last = m[PLACED + marked - 1] if marked else 0
    for image in range(t[IMAGES] + cells, t[IMAGES_END], cells):
        if marked and m[MARKS + t[image + last]] != other:  # the last mark is the other side's
            continue
        moved, to = 0, -1
        for i in range(PLACED, PLACED + marked):
            mark, target = m[MARKS + m[i]], t[image + m[i]]
            if m[MARKS + target] != mark:
                moved += 1 if mark != other else 2
                to = target
                if moved > 1:
                    break
        if moved < 2:
            move = -1
            if moved:
                move = 0
                while m[MARKS + move] or m[MARKS + t[image + move]] != 1 + side:
                    move += 1
            m[found], m[found + 1], m[found + 2] = image, move, to
            found += 3
    m[found] = 0


def drop_twins(t: Numbers, m: Numbers, ply: int, cell: int) -> None:
    """Leave out the moves that lead to mirror images of what a move that has been tried leads to."""
    i = m[TWINS] + m[TWINS_WIDTH] * ply
    while m[i]:
        if m[i + 1] < 0:
            m[UNTRIED + SIZE * ply + t[m[i] + cell]] = TAKEN
        elif m[i + 1] == cell:
            m[UNTRIED + SIZE * ply + m[i + 2]] = TAKEN
        i += 3


def count_distinct(t: Numbers, m: Numbers, ply: int) -> int:
    """How many moves the node one ply above has, which is the last but one, counting those to mirror images once."""
    untried = UNTRIED + SIZE * ply
    find_twins(t, m, m[MARKED] % 2, ply)
    copy(m, untried - SIZE, untried, t[CELLS])
    count = 0
    for cell in range(t[CELLS]):
        if m[untried + cell] > FREE:
            count += 1
            drop_twins(t, m, ply, cell)
    return count


def find_canonical(t: Numbers, m: Numbers, plies: int) -> int:
    """The entry for the one position that stands for all mirror images: the least of them, as signed numbers."""
    best_x = best_o = INFINITE
    for image in range(t[IMAGES], t[IMAGES_END], t[CELLS]):
        x = o = 0
        for i in range(PLACED, PLACED + m[MARKED]):
            bit = BIT[t[image + m[i]]]
            if m[MARKS + m[i]] == 1:
                x |= bit
            else:
                o |= bit
        if image == t[IMAGES] or x < best_x or (x == best_x and o < best_o):
            best_x, best_o = x, o
    return find(m, best_x, best_o, plies)


def rank(t: Numbers, m: Numbers, side: int, ply: int, hint: int) -> None:
    """Give every move its score; the highest is tried first, and of equal ones the first cell.

    The best move of a search that looked less deep comes first, then the killers, then what the order says.
    """
    own, untried, base = GAINS + SIZE * (2 * ply + side), UNTRIED + SIZE * ply, RANK + 256 * side
    if m[ORDER] == IN_GAINS:
        copy(m, own, untried, t[CELLS])
    else:
        for cell in range(t[CELLS]):
            score = TAKEN
            if m[own + cell] > FREE:
                score = t[SCORES + cell]
                if m[ORDER] == IN_RANKS:
                    for n in range(t[STARTS + cell], t[STARTS + cell + 1]):
                        score += t[base + m[CODES + t[THROUGH + t[K] * n]]]
            m[untried + cell] = score
    for n in range(2):
        killer = m[KILLERS + 2 * ply + n]
        if killer >= 0 and m[untried + killer] > FREE:
            m[untried + killer] += FIRST * (2 - n)
    if hint and m[hint + 3]:
        m[untried + m[hint + 4]] += FIRST * 4


def last_ply(t: Numbers, m: Numbers, ply: int, evaluation: int, alpha: int, beta: int) -> int:
    """A node with one ply left: its evaluation + the best gain. Counts every leaf that the search would look at."""
    best, row = -INFINITE, UNTRIED + SIZE * ply
    leaves, again = 0, 0
    if m[CUTS] == 0 or m[ORDER] == IN_GAINS:
        m[REPLY] = -1
        gain = highest(m, row, t[CELLS])
        best = m[WIN] if gain >= WINS else evaluation + gain
        if m[CUTS] and best >= beta:
            m[CUTOFFS] += 1
            leaves = 1
        elif m[SYMMETRY] and m[MARKED] <= FEW:
            leaves = count_distinct(t, m, ply + 1)
        else:
            leaves = t[CELLS] - m[MARKED]
    else:
        for i in range(ORDERED, ORDERED + t[CELLS]):
            gain = m[row + t[i]]
            if gain > FREE:
                leaves += 1
                value = m[WIN] if gain >= WINS else evaluation + gain
                if value > best:
                    if m[PVS] and leaves > 1 and alpha < value < beta:
                        again += 1
                    best = value
                    alpha = value if value > alpha else alpha
                    m[REPLY] = t[i]
                    if value >= beta:
                        m[CUTOFFS + leaves - 1] += 1
                        break
    m[NODES + ply] += 1
    m[NODES + ply + 1] += leaves + again
    m[LEAVES] += leaves + again
    return best


def last_reply(t: Numbers, m: Numbers, side: int, cell: int, ply: int, evaluation: int, alpha: int, beta: int) -> int:
    """What the position after a side's move is worth to the other, which has the last ply."""
    base, marked = OTHER_CHANGE + 256 * side, m[MARKED]
    k, replies = t[K], UNTRIED + SIZE * ply
    copy(m, GAINS + SIZE * (2 * ply - 1 - side), replies, t[CELLS])
    for n in range(t[STARTS + cell], t[STARTS + cell + 1]):
        i = THROUGH + k * n
        change = t[base + m[CODES + t[i]]]
        if change:
            spread(t, m, replies, i, k, change)
    m[replies + cell] = TAKEN
    m[MARKS + cell], m[PLACED + marked], m[MARKED] = 1 + side, cell, marked + 1
    value = last_ply(t, m, ply, evaluation, alpha, beta)
    m[MARKS + cell], m[MARKED] = 0, marked
    return value


def best_reply(t: Numbers, m: Numbers, ply: int) -> int:
    """The reply that the last node with one ply left found best; of several wins, without cutting, the first cell."""
    if m[REPLY] >= 0:
        return m[REPLY]
    replies, cell = UNTRIED + SIZE * ply, 0
    gain = highest(m, replies, t[CELLS])
    if gain < WINS or m[CUTS]:
        return first(m, replies, gain)
    while m[replies + cell] < WINS:
        cell += 1
    return cell


def last_two(t: Numbers, m: Numbers, side: int, ply: int, alpha: int, beta: int, evaluation: int, threat: int) -> int:
    """A quiet node with two plies left: a move is tried only where the other side's best reply leaves it a chance.

    Quiet: neither side could win at once, so no move or reply here wins. Wherever I play, the other side's best cell is
    still there to be played, unless I take it or spoil one of the other's own lines through it. So a move is worth at
    most the evaluation + its gain - that cell's gain, the threat, corrected for the few moves that hinder it. Moves are
    tried by this bound; once it is no better than alpha, no later one is.
    """
    own, other = GAINS + SIZE * (2 * ply + side), GAINS + SIZE * (2 * ply + 1 - side)
    untried, line = UNTRIED + SIZE * ply, VARIATION + PLIES * ply
    k, cells = t[K], t[CELLS]
    m[NODES + ply] += 1
    few = m[MARKED] < FEW and m[SYMMETRY] != 0  # with three marks it costs more here than it saves
    copy(m, own, untried, cells)
    cell = first(m, other, threat)
    m[untried + cell] += threat
    for n in range(t[STARTS + cell], t[STARTS + cell + 1]):
        i = THROUGH + k * n
        spoiled = t[OTHER_CHANGE + 256 * side + m[CODES + t[i]]]
        if spoiled < 0:
            spread(t, m, untried, i, k, -spoiled)
    best, tried = -INFINITE, 0
    while True:
        gain = highest(m, untried, cells)
        if gain < 0:
            break
        if evaluation + gain - threat <= alpha:
            best = alpha
            break
        cell = first(m, untried, gain)
        value = -last_reply(t, m, side, cell, ply + 1, -evaluation - m[own + cell], -beta, -alpha)
        if ply == 0 and alpha < value < beta:
            m[VALUES + cell] = value
            m[TRIED + tried] = cell
        best = value if value > best else best
        if value > alpha:
            alpha = value
            m[line], m[line + 1], m[line + 2] = cell, best_reply(t, m, ply + 1), -1
            if value >= beta:
                m[CUTOFFS + tried] += 1
                break
        tried += 1
        m[untried + cell] = TAKEN
        if few:
            if tried == 1:
                find_twins(t, m, side, ply)
            drop_twins(t, m, ply, cell)
    return best


def search(
    t: Numbers, m: Numbers, side: int, depth: int, ply: int, alpha: int, beta: int, evaluation: int, x: int, o: int
) -> int:
    """What a node with a ply or more left is worth to the side to move, or a bound of it outside of the window.

    With bounds, only one move is tried where a side could win at once: a win of mine, for nothing is better, or else
    the cell that stops the other's, for every other move loses at once, and no move loses sooner.
    """
    if m[STOP]:
        return 0
    cells, row, only = t[CELLS], GAINS + 2 * SIZE * ply, -1
    untried, line, own = UNTRIED + SIZE * ply, VARIATION + PLIES * ply, row + SIZE * side
    symmetric = m[SYMMETRY]
    if m[BOUNDS]:
        if m[MARKED] > FEW:
            symmetric = 0
        if depth > 1:
            other = row + SIZE - SIZE * side
            gain, threat = highest(m, own, cells), highest(m, other, cells)
            if gain >= WINS:
                only = first(m, own, gain)
            elif threat >= WINS:
                only = first(m, other, threat)
            elif depth == 2:
                return last_two(t, m, side, ply, alpha, beta, evaluation, threat)
    m[NODES + ply] += 1
    floor, entry, hint = alpha, 0, 0
    if m[TABLE] and only < 0 and (ply > 1 or m[BOUNDS] == 0):  # one move alone comes in one order only
        entry = find_canonical(t, m, depth) if symmetric else find(m, x, o, depth)
        known, value = m[entry + 3], m[entry + 4]
        if known == EXACT or (known == AT_LEAST and value >= beta) or (known == AT_MOST and value <= alpha):
            m[LEAVES] += 1
            m[line] = -1
            return value
    if m[DEEPENING] and only < 0:
        hint = find(m, x, o, -1 - ply)
    ranked = only < 0 and m[ORDER] + m[KILLER] + m[DEEPENING] + symmetric > 0
    if ranked:
        rank(t, m, side, ply, hint)
    best, best_cell = -INFINITE, -1
    tried, i = 0, ORDERED
    while True:
        cell = only
        if ranked:
            cell = first(m, untried, highest(m, untried, cells))
            if m[untried + cell] < FREE:
                break
        elif only < 0:
            while i < ORDERED + cells and m[own + t[i]] < FREE:
                i += 1
            if i == ORDERED + cells:
                break
            cell = t[i]
            i += 1
        gain = m[own + cell]
        scout = beta
        if m[PVS] and tried and beta - alpha > 1:
            scout = alpha + 1
        if gain >= WINS or depth == 1:
            value, leaves = evaluation + gain, 1
            if gain >= WINS:
                value = m[WIN] + m[BONUS] * (depth - 1)
            if scout < beta and alpha < value < beta:
                leaves = 2
            m[NODES + ply + 1] += leaves
            m[LEAVES] += leaves
            m[line + PLIES] = -1
        elif depth == 2 and m[QUICK]:
            value = -last_reply(t, m, side, cell, ply + 1, -evaluation - gain, -scout, -alpha)
            if scout < beta and alpha < value < beta:
                value = -last_reply(t, m, side, cell, ply + 1, -evaluation - gain, -beta, -alpha)
            if value > best:
                m[line + PLIES], m[line + PLIES + 1] = best_reply(t, m, ply + 1), -1
        else:
            after = -evaluation - gain
            child_x, child_o = x, o
            if side:
                child_o |= BIT[cell]
            else:
                child_x |= BIT[cell]
            copy(m, row, row + 2 * SIZE, SIZE + cells)
            put(t, m, side, cell, row + 2 * SIZE)
            value = -search(t, m, 1 - side, depth - 1, ply + 1, -scout, -alpha, after, child_x, child_o)
            if scout < beta and alpha < value < beta:
                value = -search(t, m, 1 - side, depth - 1, ply + 1, -beta, -alpha, after, child_x, child_o)
            take_back(t, m, side, cell)
            if m[STOP]:
                return 0
        if ply == 0:
            m[TRIED + tried] = cell
            if alpha < value < beta:
                m[VALUES + cell] = value
        if value > best:
            best, best_cell = value, cell
            m[line] = cell
            copy(m, line + PLIES, line + 1, depth)
            if m[CUTS]:
                alpha = best if best > alpha else alpha
                if best >= beta:
                    m[CUTOFFS + tried] += 1
                    if m[KILLER] and m[KILLERS + 2 * ply] != cell and m[KILLERS + 2 * ply + 1] != cell:
                        m[KILLERS + 2 * ply + 1] = m[KILLERS + 2 * ply]
                        m[KILLERS + 2 * ply] = cell
                    break
        if only >= 0:
            break
        tried += 1
        if ranked:
            m[untried + cell] = TAKEN
            if symmetric:
                if tried == 1:
                    find_twins(t, m, side, ply)
                drop_twins(t, m, ply, cell)
    if hint:
        m[hint + 3], m[hint + 4] = EXACT, best_cell
    if entry:
        m[entry + 3], m[entry + 4] = EXACT, best
        if best >= beta:
            m[entry + 3] = AT_LEAST
        elif best <= floor:
            m[entry + 3] = AT_MOST
    return best
