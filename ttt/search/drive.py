"""Between a tree and the loops in `kernel`: what they need to know beforehand, and what they tell afterwards."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import cache
from itertools import accumulate, chain
from math import perm
from typing import TypeVar

from ttt.board import Board, geometry
from ttt.heuristics import open_lines
from ttt.progress import THREADS, bar
from ttt.search import kernel
from ttt.search.engine import INFINITE, LONGEST_GAIN
from ttt.search.kernel import Ints, Notes, Rules, Shape, Small, Table, ints, signed, zeros
from ttt.search.ordering import gained, most_lines
from ttt.search.pieces import Pieces
from ttt.search.tree import Tree
from ttt.symmetry import automorphisms

MANY_LEAVES = 1_000_000  # so many and somebody might want to see how far the search is, or to stop it

Result = TypeVar("Result")


def search_small(tree: Tree, pieces: Pieces | None, alpha: int, beta: int) -> int:
    """Search a small board with no piece: the value; the tree has the rest."""
    board, depth, width = tree.board, tree.depth, len(tree.board.moves)
    exhausted, cuts, stop = zeros(depth), zeros(depth * width), zeros(1)
    counts = kernel.Counts(exhausted, cuts, _unknown(len(board)).copy(), stop)
    small, sides, prizes = _small(board.shape, board.k), _sides(board), _prizes(depth, tree.win, tree.haste)

    def run() -> tuple[int, int]:
        return kernel.small_tree(*sides, alpha, beta, pieces is not None, prizes, small, counts)

    def visited() -> int:
        return sum(_counted(exhausted, cuts, width)[0])

    worth, line = _patiently(tree, run, visited, stop)
    tree.nodes, tree.cutoffs = _counted(exhausted, cuts, width)
    tree.leaves = sum(tree.nodes) - sum(_list(exhausted)) - sum(tree.cutoffs)
    known = enumerate(_list(counts.values))
    tree.values = {cell: value for cell, value in known if value != INFINITE}
    tree.lines[0] = _unpacked(line, depth, *sides, small)
    return worth


def _counted(exhausted: Ints, cuts: Ints, width: int) -> tuple[list[int], list[int]]:
    """The nodes of every ply, and the cutoffs by moves tried, from how the interior nodes ended."""
    nodes, cutoffs = zeros(len(exhausted) + 1), zeros(width)
    kernel.tally(exhausted, cuts, nodes, cutoffs)
    return _list(nodes), _list(cutoffs)


def _unpacked(line: int, depth: int, mine: int, theirs: int, small: Small) -> tuple[int, ...]:
    """The moves of a packed line: as many as there are until somebody has won, or the search is at its end."""
    moves: tuple[int, ...] = ()
    while len(moves) < depth and not small.wins[theirs]:
        moves += (line & 15,)
        mine, theirs, line = theirs, mine | 1 << (line & 15), line >> 4
    return moves


def search_any(tree: Tree, pieces: Pieces | None, alpha: int, beta: int) -> int:
    """Search any board with any pieces: the value; the tree has the rest."""
    used, board, deepest = pieces or Pieces(), tree.board, tree.depth
    shape = _shape(board.shape, board.k, used.order == "most-lines", used.symmetry)
    notes = _notes(tree, used, shape)
    ahead = open_lines(board, board.turn) if tree.heuristic else 0

    def run() -> int:
        worth = 0
        for depth in range(1, deepest + 1) if used.deepening else [deepest]:
            notes.values[:] = _unknown(len(tree.board))
            rules = _rules(tree, depth, pieces)
            worth = kernel.any_tree(*_sides(board), ahead, alpha, beta, rules, shape, notes)
        return worth

    worth = _patiently(tree, run, lambda: int(sum(notes.nodes)), notes.stop)
    tree.nodes, tree.cutoffs, tree.leaves = _list(notes.nodes), _list(notes.cutoffs), int(notes.leaves[0])
    tried = zip(_list(notes.moves), _list(notes.values), strict=False)
    tree.values = {move: value for move, value in tried if value != INFINITE}
    tree.lines[0] = tuple(_list(notes.line))[: int(notes.length[0])]
    return worth


def _rules(tree: Tree, depth: int, pieces: Pieces | None) -> Rules:
    """How the loop is to search so deep."""
    used = pieces or Pieces()
    return kernel.Rules(
        depth=depth,
        win=tree.win,
        haste=tree.haste,
        judged=tree.heuristic is not None,
        cutting=pieces is not None,
        greedy=used.order == "best-gain",
        killer=used.killer,
        table=used.table,
        symmetry=used.symmetry,
        deepening=used.deepening,
        pvs=used.pvs,
    )


def _notes(tree: Tree, pieces: Pieces, shape: Shape) -> Notes:
    """The loop's notes, still empty."""
    size, plies = len(tree.board), tree.depth + 1
    own, other = (_images_of(side, shape, size) for side in _sides(tree.board))
    unseen = [0] * (len(own) * tree.depth)
    return kernel.Notes(
        nodes=zeros(plies),
        leaves=ints([0]),
        cutoffs=ints(tree.cutoffs),
        values=_unknown(size).copy(),
        moves=zeros(plies * size),
        gains=zeros(size),
        line=zeros(plies * plies),
        length=zeros(plies),
        killers=ints([kernel.NOBODY] * (2 * plies)),
        own_images=ints(own + unseen),
        other_images=ints(other + unseen),
        keys=zeros(2 * plies),
        known=kernel.table() if pieces.table or pieces.deepening else _no_table(),
        stop=ints([0]),
    )


def _patiently(tree: Tree, run: Callable[[], Result], visited: Callable[[], int], stop: Ints) -> Result:
    """Run a search; a long one beside a bar that counts its nodes, so that an interrupt can stop it."""
    if not THREADS or perm(len(tree.board.moves), tree.depth) < MANY_LEAVES:
        return run()
    with ThreadPoolExecutor(1) as aside:
        running = aside.submit(run)
        try:
            if not wait([running], timeout=2).done:
                _count_up(running, visited)
            return running.result()
        finally:
            stop[0] = 1


def _count_up(running: Future[Result], visited: Callable[[], int]) -> None:
    """Show how many nodes a search has visited until it is done."""
    with bar("nodes") as reach:
        while not wait([running], timeout=0.2).done:
            reach(visited())


def _sides(board: Board) -> tuple[int, int]:
    """The cells of the side to move and of the other, as the loops take them."""
    mine, theirs = (board.x, board.o) if board.turn == "X" else (board.o, board.x)
    return signed(mine), signed(theirs)


@cache
def _unknown(moves: int) -> Ints:
    """A value for each move, none of them known: to be copied, since the loops write there."""
    return ints([INFINITE] * moves)


def _list(numbers: Ints) -> list[int]:
    """A loop's numbers as Python's own."""
    plain: list[int] = numbers.tolist() if kernel.COMPILED else list(numbers)  # type: ignore[attr-defined]
    return plain


@cache
def _no_table() -> Table:
    """The table of all searches that use none: making one takes longer than a small search."""
    return kernel.table()


@cache
def _small(shape: tuple[int, ...], k: int) -> Small:
    """A small board's sets of cells that win: those with a line, or with one cell more than a set that wins."""
    board = geometry(shape, k)
    begun = [[mask for mask in board.masks if mask & -mask == bit] for bit in board.bits]  # by their first cell
    wins = [False]
    for cells in range(1, board.full + 1):
        first = (cells & -cells).bit_length() - 1
        wins.append(wins[cells & (cells - 1)] or any(cells & line == line for line in begun[first]))
    sets = range(board.full + 1)
    sizes = kernel.unsigned_zeros(len(sets))
    sizes[:] = list(map(int.bit_count, sets))
    return kernel.Small(board.full, kernel.flags(wins), sizes, ints(cells.bit_length() - 1 for cells in sets))


@cache
def _prizes(depth: int, win: int, haste: int) -> Ints:
    """What a win at each ply is worth."""
    return ints(win + haste * (depth - ply - 1) for ply in range(depth))


@cache
def _shape(shape: tuple[int, ...], k: int, by_lines: bool, symmetry: bool) -> Shape:
    """A board's shape as the loop takes it."""
    board, empty = geometry(shape, k), Board(shape, k)
    starts = accumulate(map(len, board.through), initial=0)
    images = automorphisms(empty) if symmetry else ()
    return Shape(
        k=k,
        full=signed(board.full),
        bits=ints(map(signed, board.bits)),
        starts=ints(starts),
        through=ints(map(signed, chain(*board.through))),
        lines=ints(map(signed, board.masks)),
        line_cells=ints(chain(*board.line_cells)),
        worths=ints(_worths(k)),
        order=ints(most_lines(empty) if by_lines else empty.moves),
        images=ints(signed(1 << cell) for image in images for cell in image),
    )


def _worths(k: int) -> list[int]:
    """What a mark gains in a line, by how many marks both sides have there; 0 in lines too long for the loop."""
    if k > LONGEST_GAIN:
        return [0] * (k + 1) ** 2
    return [gained(own, other) for own in range(k + 1) for other in range(k + 1)]


def _images_of(cells: int, shape: Shape, size: int) -> list[int]:
    """A set of cells in each of its mirror images."""
    images, marked = _list(shape.images), [cell for cell in range(size) if cells >> cell & 1]
    return [sum(images[start + cell] for cell in marked) for start in range(0, len(images), size)]
