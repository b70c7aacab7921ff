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
    exhausted, cuts, stop = map(zeros, (depth, depth * width, 1))
    counts = kernel.Counts(exhausted, cuts, _unknown(board), stop)
    prizes = ints(tree.win + tree.haste * (depth - ply - 1) for ply in range(depth))
    arguments = (*_sides(board), alpha, beta, pieces is not None, prizes, _small(board.shape, board.k), counts)

    def visited() -> int:
        return sum(_counted(_list(exhausted), _list(cuts), width)[0])

    worth, line = _patiently(tree, lambda: kernel.small_tree(*arguments), visited, stop)
    tree.nodes, tree.cutoffs = _counted(_list(exhausted), _list(cuts), width)
    tree.leaves = sum(tree.nodes) - sum(_list(exhausted)) - sum(tree.cutoffs)
    known = enumerate(_list(counts.values))
    tree.values = {cell: value for cell, value in known if value != INFINITE}
    tree.lines[0] = _unpacked(line, depth, *_sides(board), _small(board.shape, board.k))
    return worth


def _counted(exhausted: list[int], cuts: list[int], width: int) -> tuple[list[int], list[int]]:
    """The nodes of every ply, the root and what each interior node has tried; and the cutoffs by the moves tried."""
    nodes = [1, *(many * (width - ply) for ply, many in enumerate(exhausted))]
    cutoffs = [0] * width
    for place, many in enumerate(cuts):
        if many:
            ply, left = divmod(place, width)
            nodes[ply + 1] += many * (width - ply - left)
            cutoffs[width - ply - left - 1] += many
    return nodes, cutoffs


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
            notes.values[:] = _unknown(board)
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
        values=_unknown(tree.board),
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


def _unknown(board: Board) -> Ints:
    """A value for each move, none of them known."""
    return ints([INFINITE] * len(board))


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
    numbers = (cells.bit_length() - 1 for cells in range(board.full + 1))
    return kernel.Small(board.full, kernel.flags(wins), ints(numbers))


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
        line_cells=ints(chain(*board.lines)),
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
