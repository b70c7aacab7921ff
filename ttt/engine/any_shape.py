"""The engine for any shape: what the readable search finds, node for node, by the loops in `any_shape_kernel`.

It searches boards of up to 64 cells whose leaves are judged by the open lines or not at all. Where numba is installed
the loops run as machine code, compiled once on each machine; elsewhere as plain Python, slower but the same.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import cache
from importlib import import_module
from itertools import accumulate, chain
from math import inf, perm
from time import perf_counter
from typing import Any, TypeVar

from ttt.board import FEW_CELLS, Board, geometry
from ttt.engine import any_shape_kernel as kernel
from ttt.engine.any_shape_kernel import INFINITE, Notes, Rules, Shape, Small, Table
from ttt.engine.compiling import Ints, compiles, ints, signed, zeros
from ttt.heuristics import open_lines
from ttt.progress import THREADS, bar
from ttt.search.options import Options
from ttt.search.ordering import gained, most_lines
from ttt.search.result import Search
from ttt.search.tree import Tree
from ttt.symmetry import automorphisms

MOST_CELLS = 64
LONGEST_GAIN = 16  # marks in a row; the powers of ten of longer lines are beyond the loops' numbers
MANY_LEAVES = 1_000_000  # a search of so many is worth a progress bar, and a way to stop it
NO_OPTION = Options()

Result = TypeVar("Result")


def can_search(tree: Tree, window: tuple[float, float] = (-inf, inf)) -> bool:
    """Whether the loops can search a tree: it has moves and no watcher, and its numbers fit."""
    too_long = tree.board.k > LONGEST_GAIN and _options(tree).order == "best-gain"
    return (
        tree.depth > 0
        and tree.watch is None
        and len(tree.board) <= MOST_CELLS
        and (tree.heuristic is None or tree.heuristic is open_lines)
        and not too_long
        and all(abs(bound) >= INFINITE or bound == int(bound) for bound in window)
    )


def search(tree: Tree, method: str, window: tuple[float, float] = (-inf, inf)) -> Search:
    """What the readable search would find of a tree that this engine can search, node for node."""
    alpha, beta = (int(max(-INFINITE, min(INFINITE, bound))) for bound in window)
    unjudged = tree.heuristic is None or tree.depth == len(tree.board.moves)
    is_small = unjudged and len(tree.board) <= FEW_CELLS and tree.options in (None, NO_OPTION)
    return tree.found(method, (search_small if is_small else search_any)(tree, alpha, beta))


def prepare() -> float:
    """Have both loops ready to run; the seconds that took, to compile them or to load them."""
    begun = perf_counter()
    for options in (NO_OPTION, Options(table=True)):
        search(Tree(Board(), 1, None, False, options=options), "")
    return perf_counter() - begun


def _options(tree: Tree) -> Options:
    return tree.options or NO_OPTION


def search_small(tree: Tree, alpha: int, beta: int) -> int:
    """Search a small board without options: the value; the tree has the rest."""
    board, depth, width = tree.board, tree.depth, len(tree.board.moves)
    exhausted, cuts, stop = zeros(depth), zeros(depth * width), zeros(1)
    counts = kernel.Counts(exhausted, cuts, _unknown(len(board)).copy(), stop)
    small, sides, wins_at = _small(board.shape, board.k), _sides(board), _wins_at(depth, tree.win, tree.bonus)
    small_tree = kernel.functions()["small_tree"]

    def run() -> tuple[int, int]:
        found: tuple[int, int] = small_tree(*sides, alpha, beta, tree.options is not None, wins_at, small, counts)
        return found

    def visited() -> int:
        return sum(_counted(exhausted, cuts, width)[0])

    worth, line = _patiently(tree, run, visited, stop)
    tree.nodes, tree.cutoffs = _counted(exhausted, cuts, width)
    tree.leaves = sum(tree.nodes) - sum(_list(exhausted)) - sum(tree.cutoffs)
    known = enumerate(_list(counts.values))
    tree.values = {cell: value for cell, value in known if value != INFINITE}
    tree.line = _unpacked(line, depth, *sides, small)
    return worth


def _counted(exhausted: Ints, cuts: Ints, width: int) -> tuple[list[int], list[int]]:
    """The nodes of every ply, and the cutoffs by moves tried, from how the interior nodes ended."""
    nodes, cutoffs = zeros(len(exhausted) + 1), zeros(width)
    kernel.functions()["tally"](exhausted, cuts, nodes, cutoffs)
    return _list(nodes), _list(cutoffs)


def _unpacked(line: int, depth: int, mine: int, theirs: int, small: Small) -> tuple[int, ...]:
    """The moves of a packed line: as many as there are until a side has won or the search ends."""
    moves: tuple[int, ...] = ()
    while len(moves) < depth and not small.wins[theirs]:
        moves += (line & 15,)
        mine, theirs, line = theirs, mine | 1 << (line & 15), line >> 4
    return moves


def search_any(tree: Tree, alpha: int, beta: int) -> int:
    """Search any board with any options: the value; the tree has the rest."""
    options, board = _options(tree), tree.board
    shape = _shape(board.shape, board.k, options.order == "most-lines", options.symmetry)
    notes = _notes(tree, shape)
    ahead = open_lines(board, board.turn) if tree.heuristic else 0
    any_tree = kernel.functions()["any_tree"]

    def run() -> int:
        worth = 0
        for _ in tree.depths():
            notes.values[:] = _unknown(len(board))
            worth = any_tree(*_sides(board), ahead, alpha, beta, _rules(tree), shape, notes)
        return worth

    worth = _patiently(tree, run, lambda: int(sum(notes.nodes)), notes.stop)
    tree.nodes, tree.cutoffs, tree.leaves = _list(notes.nodes), _list(notes.cutoffs), int(notes.leaves[0])
    tried = zip(_list(notes.moves), _list(notes.values), strict=False)
    tree.values = {move: value for move, value in tried if value != INFINITE}
    tree.line = tuple(_list(notes.line))[: int(notes.length[0])]
    return worth


def _rules(tree: Tree) -> Rules:
    """How the loop is to search, and how deep."""
    options = _options(tree)
    return Rules(
        depth=tree.depth,
        win=tree.win,
        bonus=tree.bonus,
        judged=tree.heuristic is not None,
        cutting=tree.options is not None,
        greedy=options.order == "best-gain",
        killer=options.killer,
        table=options.table,
        symmetry=options.symmetry,
        deepening=options.deepening,
        pvs=options.pvs,
    )


def _notes(tree: Tree, shape: Shape) -> Notes:
    """The loop's notes, still empty."""
    options, size, plies = _options(tree), len(tree.board), tree.depth + 1
    own, other = (_images_of(side, shape, size) for side in _sides(tree.board))
    unseen = [0] * (len(own) * tree.depth)
    return Notes(
        nodes=zeros(plies),
        leaves=zeros(1),
        cutoffs=ints(tree.cutoffs),
        values=_unknown(size).copy(),
        moves=zeros(plies * size),
        gains=zeros(size),
        line=zeros(plies * plies),
        length=zeros(plies),
        killers=ints([kernel.NO_MOVE] * (2 * plies)),
        own_images=ints(own + unseen),
        other_images=ints(other + unseen),
        keys=zeros(2 * plies),
        known=_new_table() if options.table or options.deepening else _no_table(),
        stop=zeros(1),
    )


def _patiently(tree: Tree, run: Callable[[], Result], visited: Callable[[], int], stop: Ints) -> Result:
    """Run a search; a long one in a thread, with a bar that counts its nodes, so that an interrupt can stop it."""
    if not THREADS or perm(len(tree.board.moves), tree.depth) < MANY_LEAVES:
        return run()
    with ThreadPoolExecutor(1) as thread:
        running = thread.submit(run)
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
    plain: list[int] = numbers.tolist() if compiles() else list(numbers)  # type: ignore[attr-defined]
    return plain


def _new_table() -> Table:
    """An empty table."""
    if not compiles():
        return {}
    numba: Any = import_module("numba")
    number, tuples = numba.int64, numba.types.UniTuple
    table: Table = numba.typed.Dict.empty(tuples(number, 3), tuples(number, 2))
    return table


@cache
def _no_table() -> Table:
    """The table of all searches that use none: making one takes longer than a small search."""
    return _new_table()


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
    sizes, last_cells = list(map(int.bit_count, sets)), ints(cells.bit_length() - 1 for cells in sets)
    if not compiles():
        return Small(board.full, wins, sizes, last_cells)
    np: Any = import_module("numpy")
    return Small(board.full, np.array(wins, np.bool_), np.array(sizes, np.uint64), last_cells)


@cache
def _wins_at(depth: int, win: int, bonus: int) -> Ints:
    """What a win at each ply is worth."""
    return ints(win + bonus * (depth - ply - 1) for ply in range(depth))


@cache
def _shape(shape: tuple[int, ...], k: int, by_lines: bool, symmetry: bool) -> Shape:
    """A board's shape as the loop takes it."""
    board, empty = geometry(shape, k), Board(shape, k)
    starts = accumulate(map(len, board.through), initial=0)
    images = automorphisms(empty) if symmetry else ()
    return Shape(
        k=k,
        full=signed(board.full),
        bits=ints(board.bits),
        starts=ints(starts),
        through=ints(chain(*board.through)),
        lines=ints(board.masks),
        line_cells=ints(chain(*board.line_cells)),
        worths=ints(_worths(k)),
        order=ints(most_lines(empty) if by_lines else empty.moves),
        images=ints(1 << cell for image in images for cell in image),
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
