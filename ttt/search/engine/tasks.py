"""What the searches of `ttt.search` find, node for node, on a board of up to 64 cells: by `kernel` or `small_kernel`.

Where numba is installed they run as machine code, compiled once on each machine; elsewhere as plain Python.
"""

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, field
from functools import lru_cache
from math import inf, perm
from typing import Any, ClassVar

from ttt.board import Board, geometry
from ttt.heuristics import Heuristic, LineWeights, open_lines
from ttt.runtime.progress import interruptible
from ttt.search.engine import kernel, small_kernel
from ttt.search.engine.compiling import Ints, compiled, compiles, ints, signed
from ttt.search.engine.tables import Weights, gain, table, worth
from ttt.search.record import Options, Search

LONGEST_LINE = 15  # cells; the numbers of longer ones are beyond the kernel's
MANY_LEAVES = 1_000_000  # a search of so many is worth a progress bar, and a way to stop it
PLACES = 1 << 12  # in the first table of a search; each further one is so many times as large
GROWTH = 8


def search(
    method: str,  # what the record calls the search
    board: Board,
    depth: int,  # plies to look ahead, no more than there are
    heuristic: Heuristic | None = None,  # or `open_lines`, or a `LineWeights` of whole numbers
    *,
    win: int = 1,
    bonus: int = 0,  # how much more a win counts for each ply that was left
    cuts: bool = False,  # whether it is alpha-beta
    window: tuple[float, float] = (-inf, inf),  # at the root, whole numbers or infinite
    bounds: bool = False,
    machine_code: bool = True,  # whether to compile it where numba is installed
    **options: Any,
) -> Search | None:
    """What the readable search finds, or None where this one can't search the board with these `Options`.

    With bounds, it leaves out moves that the other side's best reply leaves without a chance; the order has to be the
    best gain first, and lines have to weigh 1, 10 and 100.
    """
    weights = _weights(heuristic, board, win)
    whole = all(abs(bound) >= kernel.INFINITE or bound == int(bound) for bound in window)
    if weights is None or not whole or depth < 1 or len(board) > kernel.SIZE or board.k > LONGEST_LINE:
        return None
    used = Options(**options)
    to_the_end = heuristic is None or depth == len(board.moves)
    is_small = len(board) <= small_kernel.MOST_CELLS and depth < small_kernel.MOST_CELLS
    task = (Small if to_the_end and is_small and used == Options() else General)(
        board, depth, weights, (win, bonus), used, cuts, bounds, machine_code
    )
    return task.search(window, method)


@dataclass
class Task:
    """One search: the rows that a kernel works on, and what it counted there, as a `Search`."""

    board: Board
    depth: int
    weights: Weights  # what lines are worth
    win: tuple[int, int]  # what a win is worth, and how much more for each ply that was left
    options: Options
    cuts: bool  # this and the two below: as for `search`
    bounds: bool
    machine_code: bool
    kernel: ClassVar[Any]
    m: Ints = field(init=False)  # the row that the kernel changes
    alpha, beta = -kernel.INFINITE, kernel.INFINITE

    def __post_init__(self) -> None:
        self.machine_code = self.machine_code and compiles()
        self.run: Callable[..., int] = compiled(self.kernel) if self.machine_code else self.kernel.search

    def search(self, window: tuple[float, float], method: str) -> Search:
        """Search the board, in a thread if that takes long."""
        limit = self.kernel.INFINITE
        self.alpha, self.beta = (int(max(-limit, min(limit, bound))) for bound in window)
        many = perm(len(self.board.moves), self.depth) >= MANY_LEAVES
        long = many and (self.machine_code or not self.bounds)  # plain Python with bounds takes milliseconds
        value = interruptible(self.value, self.stop, self.visited, "nodes") if long else self.value()
        return self.found(int(value), method)

    def value(self) -> int:
        """Search: what the root is worth."""
        raise NotImplementedError

    def found(self, value: int, method: str) -> Search:
        """The record of the search."""
        raise NotImplementedError

    def stop(self) -> None:
        """Have a search that is running end soon, with nothing found."""
        self.m[self.kernel.STOP] = 1

    def visited(self) -> int:
        """How many nodes have been visited so far."""
        return sum(self.m[self.kernel.NODES : self.kernel.CUTOFFS])


class Small(Task):
    """A search of a small board to the end of the game, or without a heuristic, and without options."""

    kernel: ClassVar[Any] = small_kernel

    def value(self) -> int:
        board = self.board
        self.m = copy(_small_memory(len(board), len(board.moves), self.depth, self.win, self.machine_code))
        mine, theirs = (board.x, board.o) if board.turn == "X" else (board.o, board.x)
        sets, full = _sets(board.shape, board.k, self.machine_code)
        return self.run(sets, self.m, mine, theirs, self.alpha, self.beta, int(self.cuts), self.depth, full)

    def found(self, value: int, method: str) -> Search:
        k, m = small_kernel, self.m[: small_kernel.FOUND]
        line, packed = [], m[k.LINE]
        while packed > 1:
            line.append(packed % 16)
            packed //= 16
        values = [(cell, m[k.VALUES + cell]) for cell in self.board.moves if m[k.VALUES + cell] != k.INFINITE]
        return Search(
            method=method,
            board=self.board,
            value=value,
            move_values=tuple(values),
            principal_variation=tuple(line),
            depth=self.depth,
            nodes_per_ply=tuple(m[k.NODES : k.CUTOFFS]),
            leaves=m[k.LEAVES],
            cutoffs_by_move=tuple(m[k.CUTOFFS : k.VALUES]),
        )


class General(Task):
    """A search of any board with any options."""

    kernel: ClassVar[Any] = kernel

    def value(self) -> int:
        places = PLACES if self.options.table or self.options.deepening else 0
        value = self.value_with(places)
        while self.m[kernel.STOP] == kernel.FULL:  # the search begins anew, which is seldom and as exact
            places *= GROWTH
            value = self.value_with(places)
        return value

    def value_with(self, places: int) -> int:
        """Search, once or ply after ply, with a table of so many places."""
        board, options = self.board, self.options
        shape = board.shape, board.k
        self.t, order = table(*shape, self.weights, options.order, options.symmetry, self.machine_code)
        self.m = ints(self.memory(self.t, order, places), self.machine_code)
        value = 0
        for depth in range(1, self.depth + 1) if options.deepening else [self.depth]:
            for cell in range(len(board)):
                self.m[kernel.VALUES + cell] = kernel.INFINITE
            value = self.run(*self.arguments(depth))
        return value

    def arguments(self, depth: int) -> tuple[Any, ...]:
        """What the kernel is called with for a search of the root."""
        board = self.board
        root = self.evaluation(), signed(board.x), signed(board.o)
        return self.t, self.m, "XO".index(board.turn), depth, 0, self.alpha, self.beta, *root

    def memory(self, t: Ints, order: int, places: int) -> list[int]:
        """The row `m` of the kernel, with the board and the options in it."""
        options, board, k = self.options, self.board, kernel
        twins = 3 * (t[k.IMAGES_END] - t[k.IMAGES]) // len(board) + 1
        start = k.CODES + t[k.LINES]
        m = [0] * (start + twins * k.PLIES + k.ENTRY * places)
        m[k.CUTS], m[k.BOUNDS], m[k.ORDER], m[k.KILLER] = self.cuts, self.bounds, order, options.killer
        m[k.TABLE], m[k.SYMMETRY] = options.table, options.symmetry
        m[k.DEEPENING], m[k.PVS] = options.deepening, options.pvs
        remembers = options.killer or options.table or options.deepening or options.symmetry
        m[k.QUICK] = self.bounds or not (remembers or (self.cuts and order == k.IN_RANKS))
        m[k.WIN], m[k.BONUS] = self.win
        m[k.TWINS], m[k.TWINS_WIDTH] = start, twins
        m[k.PLACES], m[k.TABLE_START] = places, start + twins * k.PLIES
        m[k.KILLERS : k.GAINS] = [-1] * (2 * k.PLIES)
        for cell in range(len(board)):
            lines = t[k.STARTS + cell + 1] - t[k.STARTS + cell]
            m[k.GAINS + cell] = m[k.GAINS + k.SIZE + cell] = lines * gain(0, 0, board.k, self.weights)
        for side in ("XO", "OX")["XO".index(board.turn)]:
            for cell in [cell for cell, mark in enumerate(board) if mark == side]:
                k.put(t, m, "XO".index(side), cell, k.GAINS)
        return m

    def evaluation(self) -> int:
        """What the root is worth as it stands to the side to move."""
        own = self.board.turn
        counts = [(marks.count(own), len(marks) - marks.count(own) - marks.count("-")) for marks in self.board.lines]
        return sum(worth(mine, theirs, self.weights) for mine, theirs in counts)

    def found(self, value: int, method: str) -> Search:
        k, depth = kernel, self.depth
        values = self.m[k.VALUES : k.TRIED]
        tried = self.m[k.TRIED : k.TRIED + len(self.board.moves)]
        line = [*self.m[k.VARIATION : k.VARIATION + depth], -1]
        return Search(
            method=method,
            board=self.board,
            value=value,
            move_values=tuple((move, values[move]) for move in dict.fromkeys(tried) if values[move] != k.INFINITE),
            principal_variation=tuple(line[: line.index(-1)]),
            depth=depth,
            nodes_per_ply=tuple(self.m[k.NODES : k.CUTOFFS]),
            leaves=self.m[k.LEAVES],
            cutoffs_by_move=tuple(self.m[k.CUTOFFS : k.VALUES]),
        )


def _weights(heuristic: Heuristic | None, board: Board, win: int) -> Weights | None:
    """What lines are worth by their marks; None where the kernels can't tell, or a board could count as a win."""
    if heuristic is None:
        return (0,) * (board.k + 1)
    if heuristic is open_lines:
        heuristic = LineWeights(0, *[1] * board.k)
    if not isinstance(heuristic, LineWeights) or len(heuristic.weights) != board.k + 1:
        return None
    if any(type(weight) is not int for weight in heuristic.weights):
        return None
    largest = max(map(abs, heuristic.weights[: board.k]))
    return heuristic.weights if largest * len(board.line_cells) < win else None  # type: ignore[return-value]


@lru_cache(32)
def _small_memory(cells: int, free: int, depth: int, win: tuple[int, int], machine_code: bool) -> Ints:
    """The row `m` of the small kernel, to be copied, since a search writes there."""
    k = small_kernel
    m = [0] * k.SIZE
    m[k.VALUES : k.VALUES + cells] = [k.INFINITE] * cells
    m[k.FREE : k.FREE + free] = range(free, 0, -1)
    m[k.WINS : k.WINS + depth] = [win[0] + win[1] * (depth - ply - 1) for ply in range(depth)]
    return ints(m, machine_code)


@lru_cache(32)
def _sets(shape: tuple[int, ...], k: int, machine_code: bool) -> tuple[Ints, int]:
    """For each set of cells of a small board, whether it wins; for each set of one cell, that cell; the full set."""
    board = geometry(shape, k)
    sets = range(board.full + 1)
    wins = [int(any(cells & line == line for line in board.masks)) for cells in sets]
    return ints(wins + [max(cells.bit_length() - 1, 0) for cells in sets], machine_code), board.full
