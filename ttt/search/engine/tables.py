"""What the search of any shape looks up: lines, gains, orders and symmetries as one row of whole numbers."""

from functools import lru_cache

from ttt.board import Board, geometry
from ttt.heuristics import gained
from ttt.search.engine import kernel
from ttt.search.engine.compiling import Ints, ints
from ttt.symmetry import automorphisms

Weights = tuple[int, ...]  # what a line is worth to the one side that has marks in it, by their number

MANY_LINES = 8  # through a cell: with more, a mark that completes one may gain less than another


@lru_cache(32)
def table(
    shape: tuple[int, ...], k: int, weights: Weights, order: str, symmetry: bool, machine_code: bool
) -> tuple[Ints, int]:
    """The row `t` of the kernel, and what its `ORDER` says."""
    board = geometry(shape, k)
    lines = [[n for n, line in enumerate(board.line_cells) if cell in line] for cell in range(board.size)]
    counts = list(map(len, lines))
    by_lines = order == "most-lines"
    cells = sorted(range(board.size), key=lambda cell: -counts[cell]) if by_lines else list(range(board.size))

    t = [0] * kernel.THROUGH
    t[kernel.K], t[kernel.CELLS], t[kernel.LINES] = k, board.size, len(board.line_cells)
    t[kernel.ORDERED : kernel.ORDERED + board.size] = cells
    t[kernel.SCORES : kernel.SCORES + board.size] = counts if by_lines else [0] * board.size
    for side in (0, 1):
        for own in range(k):
            for other in range(k - own):
                code = 256 * side + (16 * other + own if side == 0 else 16 * own + other)
                t[kernel.OWN_CHANGE + code], t[kernel.OTHER_CHANGE + code] = _changes(own, other, k, weights)
                t[kernel.RANK + code] = gained(own, other)
    for cell in range(board.size):
        t[kernel.STARTS + cell] = (len(t) - kernel.THROUGH) // k
        for n in lines[cell]:
            t += [n, *(other for other in board.line_cells[n] if other != cell)]
    t[kernel.STARTS + board.size] = (len(t) - kernel.THROUGH) // k
    t[kernel.IMAGES] = len(t)
    if symmetry:
        t += [cell for image in automorphisms(Board(shape, k)) for cell in image]
    t[kernel.IMAGES_END] = len(t)
    return ints(t, machine_code), _order(order, weights, k, max(counts))


def gain(own: int, other: int, k: int, weights: Weights) -> int:
    """What a mark adds to the evaluation in a line with so many marks of either side."""
    if own == k - 1 and not other:
        return kernel.WINNING
    return worth(own + 1, other, weights) - worth(own, other, weights)


def worth(own: int, other: int, weights: Weights) -> int:
    """What a line is worth to a side by its marks of either side."""
    if own and other:
        return 0
    return weights[own] if own else -weights[other] if other else 0


def _changes(own: int, other: int, k: int, weights: Weights) -> tuple[int, int]:
    """How a mark of the first side changes what the other cells of a line gain that side, and the other one."""
    if own == k - 1 or own + other == k - 1:
        return 0, 0  # such a mark wins, or takes the last cell
    mine = gain(own + 1, other, k, weights) - gain(own, other, k, weights)
    theirs = gain(other, own + 1, k, weights) - gain(other, own, k, weights)
    return mine, theirs


def _order(order: str, weights: Weights, k: int, most_lines: int) -> int:
    """Whether moves have a fixed order, or go by their gains, or by ranks of their own."""
    if order != "best-gain":
        return kernel.IN_FIXED
    tens = all(weights[n] == 10 ** (n - 1) for n in range(1, k))
    return kernel.IN_GAINS if tens and most_lines <= MANY_LINES else kernel.IN_RANKS
