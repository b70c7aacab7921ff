"""The engine for any shape: what the readable search finds, node for node, by the loops in `any_shape_kernel`.

It searches boards of up to 64 cells whose leaves are judged by the open lines or not at all. Where numba is installed
the loops run as machine code, compiled once on each machine; elsewhere as plain Python, slower but the same.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from itertools import accumulate, chain
from math import inf, perm
from typing import Any

from ttt.board import FEW_CELLS, Board, geometry
from ttt.engine import any_shape_kernel as kernel
from ttt.engine.compiling import Ints, compiles, ints, signed, zeros
from ttt.heuristics import open_lines
from ttt.progress import interruptible
from ttt.record import Search
from ttt.search.options import NO_OPTION
from ttt.search.ordering import gained, most_lines
from ttt.search.tree import Tree
from ttt.symmetry import automorphisms

MOST_CELLS = 64
LONGEST_GAIN = 16  # marks in a row; the powers of ten of longer lines are beyond the loops' numbers
MANY_LEAVES = 1_000_000  # a search of so many is worth a progress bar, and a way to stop it

Moves = tuple[int, ...]
Found = tuple[int, Moves, Moves]  # the root's value, the best line, and the root's moves in the order tried


def can_search(tree: Tree, window: tuple[float, float] = (-inf, inf)) -> bool:
    """Whether the loops can search a tree: it has moves and no watcher, and its numbers fit."""
    too_long = tree.board.k > LONGEST_GAIN and tree.options.order == "best-gain"
    return (
        tree.depth > 0
        and tree.watch is None
        and len(tree.board) <= MOST_CELLS
        and (tree.heuristic is None or tree.heuristic is open_lines)
        and not too_long
        and all(abs(bound) >= kernel.INFINITE or bound == int(bound) for bound in window)
    )


def search(tree: Tree, method: str, window: tuple[float, float] = (-inf, inf)) -> Search:
    """What the readable search would find of a tree that this engine can search, node for node."""
    alpha, beta = (int(max(-kernel.INFINITE, min(kernel.INFINITE, bound))) for bound in window)
    size, plies, width = len(tree.board), tree.depth, len(tree.board.moves)
    counts = kernel.Counts(zeros(plies + 1), zeros(width), zeros(1), _unknown(size).copy(), zeros(1))
    unjudged = tree.heuristic is None or plies == width
    is_small = unjudged and size <= FEW_CELLS and plies < FEW_CELLS and tree.options == NO_OPTION
    searched = search_small if is_small else search_any

    def run() -> Found:
        return searched(tree, alpha, beta, counts)

    def stop() -> None:
        counts.stop[0] = 1

    is_long = perm(width, plies) >= MANY_LEAVES
    found = interruptible(run, stop, lambda: int(sum(counts.nodes)), "nodes") if is_long else run()
    worth, tree.line, tried = found
    tree.nodes, tree.cutoffs, tree.leaves = _list(counts.nodes), _list(counts.cutoffs), int(counts.leaves[0])
    values = _list(counts.values)
    tree.values = {move: values[move] for move in tried if values[move] != kernel.INFINITE}
    return tree.found(method, worth)


def search_small(tree: Tree, alpha: int, beta: int, counts: kernel.Counts) -> Found:
    """Search a small board without options."""
    board, wins_at = tree.board, _wins_at(tree.depth, tree.win, tree.bonus)
    small_tree = kernel.functions()["small_tree"]
    wins, cells = _sets(board.shape, board.k)
    worth, packed = small_tree(*_sides(board), alpha, beta, tree.cuts, wins_at, wins, cells, counts)
    line = []
    while packed > 1:
        line.append(packed & 15)
        packed >>= 4
    return worth, tuple(line), board.moves


def search_any(tree: Tree, alpha: int, beta: int, counts: kernel.Counts) -> Found:
    """Search any board with any options."""
    board, worth = tree.board, 0
    shape = _shape(board.shape, board.k, tree.options.order == "most-lines", tree.options.symmetry)
    notes = _notes(tree, shape)
    ahead = open_lines(board, board.turn) if tree.heuristic else 0
    any_tree = kernel.functions()["any_tree"]
    for _ in tree.depths():
        counts.values[:] = _unknown(len(board))
        worth = any_tree(*_sides(board), ahead, alpha, beta, _rules(tree), shape, counts, notes)
    tried = _list(notes.moves)[: len(board.moves)]
    return worth, tuple(_list(notes.line))[: int(notes.length[0])], tuple(tried)


def _rules(tree: Tree) -> kernel.Rules:
    """How the loop is to search, and how deep."""
    options = tree.options
    return kernel.Rules(
        depth=tree.depth,
        win=tree.win,
        bonus=tree.bonus,
        judged=tree.heuristic is not None,
        cutting=tree.cuts,
        greedy=options.order == "best-gain",
        killer=options.killer,
        table=options.table,
        symmetry=options.symmetry,
        deepening=options.deepening,
        pvs=options.pvs,
    )


def _notes(tree: Tree, shape: kernel.Shape) -> kernel.Notes:
    """The loop's notes, still empty."""
    size, plies = len(tree.board), tree.depth + 1
    return kernel.Notes(
        moves=zeros(plies * size),
        gains=zeros(plies * size),
        mirrored=zeros(2 * plies * size),
        own_images=zeros(len(shape.images) // size),
        other_images=zeros(len(shape.images) // size),
        keys=zeros(2 * plies),
        line=zeros(plies * plies),
        length=zeros(plies),
        killers=ints([kernel.NO_MOVE] * (2 * plies)),
        known=_new_table() if tree.options.table or tree.options.deepening else _no_table(),
    )


def _sides(board: Board) -> tuple[int, int]:
    """The cells of the side to move and of the other, as the loops take them."""
    mine, theirs = (board.x, board.o) if board.turn == "X" else (board.o, board.x)
    return signed(mine), signed(theirs)


@cache
def _unknown(cells: int) -> Ints:
    """A value for each cell, none of them known: to be copied, since the loops write there."""
    return ints([kernel.INFINITE] * cells)


def _list(numbers: Ints) -> list[int]:
    """A loop's numbers as Python's own."""
    plain: list[int] = numbers.tolist() if compiles() else list(numbers)  # type: ignore[attr-defined]
    return plain


def _new_table() -> kernel.Table:
    """An empty table."""
    if not compiles():
        return {}
    numba: Any = import_module("numba")
    number, tuples = numba.int64, numba.types.UniTuple
    table: kernel.Table = numba.typed.Dict.empty(tuples(number, 3), tuples(number, 2))
    return table


@cache
def _no_table() -> kernel.Table:
    """The table of all searches that use none: making one takes longer than a small search."""
    return _new_table()


@cache
def _sets(shape: tuple[int, ...], k: int) -> tuple[Ints, Ints]:
    """For each set of cells of a small board, whether it wins; and for each set of one cell, that cell."""
    board = geometry(shape, k)
    sets = range(board.full + 1)
    wins = [any(cells & line == line for line in board.masks) for cells in sets]
    return ints(wins), ints(max(cells.bit_length() - 1, 0) for cells in sets)


@cache
def _wins_at(depth: int, win: int, bonus: int) -> Ints:
    """What a win at each ply is worth."""
    return ints(win + bonus * (depth - ply - 1) for ply in range(depth))


@cache
def _shape(shape: tuple[int, ...], k: int, by_lines: bool, symmetry: bool) -> kernel.Shape:
    """A board's shape as the loop takes it."""
    board, empty = geometry(shape, k), Board(shape, k)
    images = automorphisms(empty) if symmetry else ()
    return kernel.Shape(
        k=k,
        full=signed(board.full),
        bits=ints(board.bits),
        starts=ints(accumulate(map(len, board.through), initial=0)),
        through=ints(chain(*board.through)),
        worths=ints(_worths(k)),
        order=ints(most_lines(empty) if by_lines else empty.moves),
        images=ints(1 << image[cell] for cell in range(board.size) for image in images),
    )


def _worths(k: int) -> list[int]:
    """What a mark gains in a line, by how many marks both sides have there; 0 in lines too long for the loop."""
    if k > LONGEST_GAIN:
        return [0] * (k + 1) ** 2
    return [gained(own, other) for own in range(k + 1) for other in range(k + 1)]
