"""Minimax and alpha-beta compiled by numba: under the same names as the readable ones, the same record, node for node.

A set of cells is an integer: bit n is the n-th cell tried. Numba's integers have 64 bits, the last of them a sign.
"""

from collections.abc import Callable
from functools import lru_cache, partial
from math import perm
from threading import Thread
from typing import Any

try:
    import numpy as np
    from numba import njit
except ImportError:
    raise ImportError(
        "Compiled searches need numba: run `pip install numba` in a terminal, or use ttt.search."
    ) from None

from ttt.board import Board
from ttt.geometry import board_shape
from ttt.heuristics import WIN_VALUE, Heuristic, LineWeights, open_lines
from ttt.search.lookahead import Lookahead
from ttt.search.ordering import Moves
from ttt.search.record import BadSearch, Search, as_search

FAR = 1 << 40  # beyond every value
NO_LINE = -1  # all 64 cells, which no side ever holds
MAX_LEAVES_AT_ONCE = 1_000_000  # trees with more are searched so that they can be interrupted


def minimax(
    board: Board, depth: int | None = None, heuristic: Heuristic | None = None, *, sooner: bool = False
) -> Search:
    """What `ttt.search.minimax` finds, on a board of up to 64 cells with up to 15 in a row.

    A heuristic must be `open_lines` or `LineWeights` of whole numbers. Raises `BadSearch`, also for anything else.

    >>> minimax(Board()).nodes
    549946
    """
    return _searched("minimax", Lookahead(board, depth, heuristic, sooner=sooner))


def alphabeta(
    board: Board,
    depth: int | None = None,
    heuristic: Heuristic | None = None,
    *,
    sooner: bool = False,
    order: str = "row-major",
) -> Search:
    """What `ttt.search.alphabeta` finds in the same order without other options; otherwise as `minimax`.

    >>> alphabeta(Board()).nodes
    18297
    """
    look = Lookahead(board, depth, heuristic, sooner=sooner)
    if callable(order):
        raise BadSearch("A compiled search can't call your order. Use `ttt.search.alphabeta`.")
    Moves(board, order)  # raises an error for an unknown one
    return _searched("alpha-beta" if order == "row-major" else f"alpha-beta, {order}", look, order)


def _compiled(function: Callable[..., Any]) -> Any:
    try:
        return njit(cache=True, nogil=True)(function)
    except RuntimeError:  # there is no folder for numba's cache
        return njit(nogil=True)(function)


@_compiled
def count(cells):  # type: ignore[no-untyped-def]
    """Count the cells in a set."""
    cells -= (cells >> 1) & 0x5555555555555555
    cells = (cells & 0x3333333333333333) + ((cells >> 2) & 0x3333333333333333)
    cells = (cells + (cells >> 4)) & 0x0F0F0F0F0F0F0F0F
    return (cells * 0x0101010101010101) >> 56


@_compiled
def added(lines, cell, changes, mine, other):  # type: ignore[no-untyped-def]
    """The total change a mark makes in the lines through its cell, by the marks each side has there."""
    total = 0
    for n in range(lines.shape[1]):
        line = lines[cell, n]
        if line != NO_LINE:
            total += changes[count(mine & line), count(other & line)]
    return total


@_compiled
def walk(  # type: ignore[no-untyped-def]
    lines, gains, changes, by_gain, weighs, cuts, full, mine, other, score, depth, win, bonus,
    stop, nodes, cutoffs, values, variations,
):  # fmt: skip
    """Return the root's value; counts, root values and the principal variation go into the last four rows.

    Not recursive, because recursion with so many arguments is 5 to 12 times slower on flat boards: the state of the
    nodes above is kept on a stack.
    """
    size, most = lines.shape
    stack, ranks = np.empty((depth + 1, 7), np.int64), np.empty((depth + 1, size), np.int64)
    row = np.arange(depth + 2)  # per ply: the row of the variations that holds the best line from there
    ply, best, tried, untried, alpha, beta = 0, -FAR, 0, full & ~(mine | other), -FAR, FAR
    nodes[0] = 1
    while not stop[0]:
        if by_gain:
            if tried == 0:
                rest = untried
                while rest:
                    cell = count((rest & -rest) - 1)
                    rest &= rest - 1
                    ranks[ply, cell] = added(lines, cell, gains, mine, other)
            cell, highest, rest = -1, -1, untried
            while rest:
                rival = count((rest & -rest) - 1)
                rest &= rest - 1
                if ranks[ply, rival] > highest:
                    cell, highest = rival, ranks[ply, rival]
        else:
            cell = count((untried & -untried) - 1)
        untried &= ~(1 << cell)
        after, left, wins = mine | 1 << cell, depth - ply - 1, False
        for n in range(most):
            wins |= after & lines[cell, n] == lines[cell, n]
        evaluation = score + added(lines, cell, changes, mine, other) if weighs else score
        nodes[ply + 1] += 1
        if wins:
            value = win + bonus * left
        elif after | other == full:
            value = 0
        elif left == 0:
            value = evaluation
        else:
            stack[ply, 0], stack[ply, 1], stack[ply, 2], stack[ply, 3] = alpha, beta, best, score
            stack[ply, 4], stack[ply, 5], stack[ply, 6] = untried, tried, cell
            mine, other, score, alpha, beta = other, after, -evaluation, -beta, -alpha
            ply, best, tried, untried = ply + 1, -FAR, 0, full & ~(mine | other)
            continue
        nodes[depth + 1] += 1  # the leaves
        variations[row[ply + 1], ply + 1] = -1
        while True:  # a move's value is known, and after the last move so is its node's
            if ply == 0 and alpha < value < beta:
                values[cell] = value
            if value > best:
                best = value
                row[ply], row[ply + 1] = row[ply + 1], row[ply]
                variations[row[ply], ply] = cell
                if cuts and value > alpha:
                    alpha = value
                    if alpha >= beta:
                        cutoffs[tried] += 1
                        untried = 0
            tried += 1
            if untried:
                break
            if ply == 0:
                variations[0] = variations[row[0]]
                return best
            ply, value = ply - 1, -best
            alpha, beta, best, score = stack[ply, 0], stack[ply, 1], stack[ply, 2], stack[ply, 3]
            untried, tried, cell = stack[ply, 4], stack[ply, 5], stack[ply, 6]
            mine, other = other & ~(1 << cell), mine
    return 0


def _searched(method: str, look: Lookahead, order: str | None = None) -> Search:
    """Minimax or, with an order, alpha-beta."""
    board: Any = look.board
    heuristic, plies = look.heuristic, look.plies
    weights = _weights(board, heuristic)
    if plies == 0 or board.over:
        look.nodes[0] = 1
        return look.result(method, (look.leaf(board, 0), ()))
    score = 0 if heuristic is None else heuristic(board, board.turn)
    cells, bits, *tables = _tables(board.shape, board.k, weights, order == "most-lines")
    x, o = (sum(bits[cell] for cell, mark in enumerate(board) if mark == side) for side in "XO")
    mine, other = (x, o) if board.turn == "X" else (o, x)
    switches = order == "best-gain", heuristic is not None, order is not None
    position = sum(bits), mine, other, score, plies, look.win, look.bonus
    stop, nodes, cutoffs = (np.zeros(length, np.int64) for length in (1, plies + 2, len(board)))
    values, variations = np.full(len(board), FAR), np.full((plies + 2, plies + 2), -1)
    run = partial(walk, *tables, *switches, *position, stop, nodes, cutoffs, values, variations)
    value = _stoppable(run, stop) if perm(len(board.moves), plies) > MAX_LEAVES_AT_ONCE else run()
    line = variations[0].tolist()
    known = {cell: value for cell, value in zip(cells, values.tolist(), strict=True) if value < FAR}
    *by_ply, leaves = nodes.tolist()
    worth = value, tuple(cells[n] for n in line[: line.index(-1)])
    return as_search(method, board, worth, by_ply, leaves, known, cutoffs=cutoffs.tolist())


def _weights(board: Any, heuristic: Heuristic | None) -> tuple[Any, ...]:
    """What a line with 0 to k marks counts by a heuristic. Raises `BadSearch` for what can't be compiled."""
    weights: tuple[Any, ...] = heuristic.weights if isinstance(heuristic, LineWeights) else ()
    small = isinstance(board, Board) and len(board) <= 64 and board.k <= 15
    if small and heuristic is None:
        weights = (0,) * (board.k + 1)
    elif small and heuristic is open_lines:
        weights = (0, *[1] * board.k)
    whole = weights and all(type(weight) is int for weight in weights)
    if not (small and whole and max(map(abs, weights[:-1])) * len(board.line_cells) < WIN_VALUE):
        heuristics = "no heuristic but open_lines, and LineWeights of whole numbers that together count less than a win"
        takes = f"boards of up to 64 cells with up to 15 in a row, and {heuristics}"
        raise BadSearch(f"A compiled search takes {takes}. Use the one of the same name in ttt.search.")
    return weights


def _signed(bit: int) -> int:
    """A bit as a number of 64 bits, the last of which is the sign."""
    return bit - (1 << 64) if bit == 1 << 63 else bit


@lru_cache(32)
def _tables(shape: tuple[int, ...], k: int, weights: tuple[int, ...], by_lines: bool) -> tuple[Any, ...]:
    """The cells in search order, their bits, their lines, and a mark's gain and change in a line."""
    board = board_shape(shape, k)
    cells = sorted(range(board.size), key=lambda cell: -len(board.through[cell]) if by_lines else 0)
    bits = [_signed(1 << cells.index(cell)) for cell in range(board.size)]
    through = [[sum(bits[n] for n in line) for line in board.line_cells if cell in line] for cell in cells]
    most = max(map(len, through))
    lines = np.array([sets + [NO_LINE] * (most - len(sets)) for sets in through])
    weighed = np.array([(0, *[10**n for n in range(k)]), weights])  # for the gains and for the heuristic
    worth = np.zeros((2, k + 1, k + 1), np.int64)  # of a line by each side's marks; 0 with marks of both
    worth[:, :, 0] += weighed
    worth[:, 0] -= weighed
    return cells, bits, lines, *np.diff(worth, axis=1)


def _stoppable(run: Callable[[], int], stop: Any) -> int:
    """Run machine code in another thread, so that an interrupt, which arrives in this one, can stop it."""
    values: list[int] = []
    thread = Thread(target=lambda: values.append(run()), daemon=True)
    try:
        thread.start()
        while thread.is_alive():
            thread.join(0.1)
    finally:
        stop[0] = 1
    return values[0]
