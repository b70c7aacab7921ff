"""Forced wins on 4×4×4: every move makes a three, every reply is the one cell that stops it, until two come at once.

The attacker is the side looking for the win, and it is his turn; the other side is the defender. Cells and lines are
bit masks: bit n is cell n, or line n. The search is complete: it tries every three in every order, so that "no forced
win" is a fact, not a guess.
"""

from collections.abc import Iterator

from ttt.board import Board

EMPTY = Board(shape=(4, 4, 4))
FULL = (1 << 64) - 1
CELLS = {1 << n: sum(1 << cell for cell in line) for n, line in enumerate(EMPTY.line_cells)}  # of each line
THROUGH = {1 << cell: sum(line for line, cells in CELLS.items() if cells >> cell & 1) for cell in range(64)}  # lines
THROUGH[0] = 0  # no cell, no lines
Masks = tuple[int, int, int, int, int, int]  # a position, as in `masks`


def winning_cells(own: int, other: int) -> int:
    """The cells that would complete a line for one side."""
    return free_cells(lines_held(own)[2] & ~lines_held(other)[0], ~(own | other))[0]


def winning_line(attacker: int, defender: int) -> tuple[int, ...]:
    """The attacker's cells in a forced win, in order; empty if there is none.

    The final cell, which completes a line, is left out unless it is the only one.
    """
    win, stop = winning_cells(attacker, defender), winning_cells(defender, attacker)
    if win:
        return (lowest(win),)
    if stop & (stop - 1):
        return ()
    search = ForcedWins()
    length = search.find(masks(attacker, defender), 0, stop)
    return tuple(lowest(cell) for cell in search.line[:length])


def masks(attacker: int, defender: int) -> Masks:
    """The cells of both sides, then the lines with one stone or more, and with two or more, of each side."""
    return attacker, defender, *lines_held(attacker)[:2], *lines_held(defender)[:2]


class ForcedWins:
    """Searches for forced wins. Remembers the last line found, as masks, and positions without a forced win."""

    def __init__(self) -> None:
        self.line = [0] * 64
        self.hopeless = set[tuple[int, int]]()

    def find(self, masks: Masks, reply: int, stop: int = 0, depth: int = 0) -> int:
        """The moves the attacker, who has no open three, needs to win from a position; 0 if there is no forced win.

        The defender first plays the cell `reply`, 0 for none; before that he has no open three but the one that the
        attacker stops in the cell `stop`, 0 for none. The depth is how many moves the attacker has played.
        """
        a, d, a1, a2, d1, d2 = masks
        lines, d, empty = THROUGH[reply], d | reply, ~(a | d | reply)
        threats, d1, d2 = d2 & lines & ~a1, d1 | lines, d2 | d1 & lines
        if threats & (threats - 1) or (a, d) in self.hopeless:
            return 0
        twos = a2 & ~d1
        if threats or stop:
            cells = stop or CELLS[threats] & empty
        else:
            once, twice = free_cells(twos, empty)
            cells = twice or once
        for cell in bits(cells, self.line[depth]):
            through = THROUGH[cell]
            made, length = twos & through, 0
            if made & (made - 1):
                length = depth + 1
            elif made:
                after = a | cell, d, a1 | through, a2 | a1 & through, d1, d2
                length = self.find(after, CELLS[made] & empty & ~cell, 0, depth + 1)
            if length:
                self.line[depth] = cell
                return length
        self.hopeless.add((a, d))
        return 0


def lines_held(stones: int) -> tuple[int, int, int]:
    """The lines with at least one of these stones, at least two, and at least three."""
    one = two = three = 0
    for cell in bits(stones):
        lines = THROUGH[cell]
        one, two, three = one | lines, two | one & lines, three | two & lines
    return one, two, three


def free_cells(lines: int, empty: int) -> tuple[int, int]:
    """The empty cells of these lines, and those on at least two of them."""
    once = twice = 0
    for line in bits(lines):
        once, twice = once | CELLS[line], twice | once & CELLS[line]
    return once & empty, twice & empty


def lowest(mask: int) -> int:
    """The index of a mask's lowest bit."""
    return (mask & -mask).bit_length() - 1


def bits(mask: int, first: int = 0) -> Iterator[int]:
    """Yield a mask's bits one by one; `first`, if among them, comes before all others."""
    if mask & first:
        yield first
        mask ^= first
    while mask:
        bit = mask & -mask
        yield bit
        mask ^= bit
