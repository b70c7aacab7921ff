"""The gains engine: depth-limited search of 4×4×4, in plain Python at once, and compiled where it has much to do.

It finds what `ttt.search` finds with a line's worth as the heuristic, and counts the same way: a line with n marks of
one side alone is worth 1, 10 or 100 to it, a win 100,000 and 1 more for each ply that was left; a value is seen from
the side to move. Source: the 3D project report weighs lines by their marks; the powers of ten are ours.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import Any

from ttt.board import Board
from ttt.progress import THREADS
from ttt.qubic import kernels, tables
from ttt.search.engine import compiles
from ttt.search.pieces import Pieces
from ttt.search.result import Search
from ttt.search.tree import BadSearch, Tree

LONG = 8  # plies from which a search is worth the second that numba takes to load
LONG_WITHOUT_BOUNDS = 5
PATIENCE = 2.0  # seconds of thought that are worth it
POLL = 0.01  # seconds between two looks at the clock
DEFAULT_DEPTH = 4
WIDER = 10  # times as long as the last, so does a search take that looks one ply further, or less


@dataclass(frozen=True)
class Setting(Pieces):
    """What a search uses: the pieces of `ttt.search.alphabeta`, and two more.

    Args:
        cut: whether it cuts off at all; minimax does not.
        bounds: whether it leaves out moves that the other side's best reply leaves without a chance.
    """

    cut: bool = True
    bounds: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.bounds and not (self.cut and self.order == "best-gain"):
            raise BadSearch('Bounds need moves in the order of their gain: give order="best-gain".')

    def __str__(self) -> str:
        """The search in words: "alpha-beta, best-gain, bounds"."""
        return super().__str__() + ", bounds" * self.bounds if self.cut else "minimax"


BEST = Setting("best-gain", table=True, symmetry=True, bounds=True)


def search(board: Board, depth: int = DEFAULT_DEPTH, *, compiled: bool | None = None) -> Search:
    """The best move on 4×4×4, some plies ahead, with all that saves nodes; the value is minimax's own.

    Args:
        board: a 4×4×4 board.
        depth: how many plies to look ahead.
        compiled: whether numba compiles the search; unless told, it does where that is worth the second it takes.
            Where numba is missing the same source runs as it is.

    Raises `BadSearch`.

    >>> found = search(Board(shape=(4, 4, 4)))
    >>> found.value, found.nodes
    (-4, 615)
    """
    return Engine(board, depth, BEST, compiled).search()


def minimax(board: Board, depth: int, *, compiled: bool | None = None) -> Search:
    """Every move and every answer to it. Four plies from the empty board are 15.5 million nodes.

    Args and errors as for `search`.

    >>> minimax(Board(shape=(4, 4, 4)), 2).nodes  # 1 + 64 + 64 * 63
    4097
    """
    return Engine(board, depth, Setting(cut=False), compiled).search()


def alphabeta(
    board: Board,
    depth: int,
    *,
    order: str = "row-major",
    killer: bool = False,
    table: bool = False,
    symmetry: bool = False,
    deepening: bool = False,
    pvs: bool = False,
    bounds: bool = False,
    compiled: bool | None = None,
) -> Search:
    """Alpha-beta with its pieces one at a time, so that one can see what each saves.

    The pieces are those of `ttt.search.alphabeta`; for `bounds` see `Setting`, for the rest `search`.

    >>> alphabeta(Board(shape=(4, 4, 4)), 2).nodes < 4097
    True
    """
    setting = Setting(order, killer, table, symmetry, deepening, pvs, bounds=bounds)
    return Engine(board, depth, setting, compiled).search()


def think(
    board: Board,
    seconds: float = 1.0,
    *,
    stop: Callable[[], bool] | None = None,
    depth: int | None = None,
    compiled: bool | None = None,
) -> Search:
    """Search one ply deep, then two, and so on while there is time; the last search that was completed.

    Args:
        board: a 4×4×4 board.
        seconds: how long to think. One ply is searched even in no time.
        stop: is asked a hundred times a second whether to stop at once.
        depth: how many plies to look ahead at most.
        compiled: as for `search`.

    It ends early where a win or a loss is certain, and, in a browser, before a search that might take too long; there
    nobody is asked. How deep it comes depends on the machine: for a fact, use `search`.
    Raises `BadSearch`.

    >>> think(Board(shape=(4, 4, 4)), seconds=60, depth=3).depth
    3
    """
    deadline = time.monotonic() + seconds
    thought = Thought(board, depth, compiled if compiled is not None else None if seconds >= PATIENCE else False)
    if not THREADS:
        thought.run(deadline)
        return thought.found
    thought.start()
    try:
        while thought.is_alive() and time.monotonic() < deadline and not (stop and stop()):
            thought.join(POLL)
    finally:
        thought.stop()
    return thought.found


class Engine:
    """One search: the board as the inner functions want it, and what they counted, as a `Search`."""

    def __init__(self, board: Board, depth: int, setting: Setting, compiled: bool | None = None) -> None:
        if not isinstance(board, Board) or board.shape != (4, 4, 4) or board.k != 4:
            raise BadSearch(f"This engine plays 4×4×4 with 4 in a row, not {board!r}. ttt.search knows every board.")
        self.setting = setting
        self.tree = Tree(board, depth, None, False)
        if compiled is None:
            compiled = self.tree.depth >= (LONG if setting.bounds else LONG_WITHOUT_BOUNDS)
        self.memory: Any = _memory(board, setting, self.tree.depth)
        self.visit: Callable[..., int] = kernels.visit
        if compiled and compiles():
            from ttt.qubic import compiled as fast

            self.memory = fast.array(self.memory)
            self.visit = fast.functions()["visit"]

    def search(self) -> Search:
        """Search the root, once or ply after ply."""
        deepest, worth = self.tree.depth, self.root()
        for depth in range(1 if self.setting.deepening else max(deepest, 1), deepest + 1):
            self.memory[kernels.VALUES : kernels.CODES] = _UNKNOWN
            worth = self.visit(*self.arguments(depth))
        return self.found(int(worth))

    def root(self) -> int:
        """The root's worth as it stands; where nothing is searched it is the only leaf."""
        if not self.tree.depth:
            self.memory[kernels.NODES] = self.memory[kernels.LEAVES] = 1
        if self.tree.board.winner:
            return -tables.WIN
        worth = sum(tables.WORTH[code] for code in self.numbers(kernels.CODES, kernels.MARKS))
        return worth if self.tree.board.turn == "X" else -worth

    def arguments(self, depth: int) -> tuple[Any, ...]:
        """What the inner function is called with for a search of the root."""
        board, limit = self.tree.board, tables.INFINITE
        x, o = (cells - (1 << 64) * (cells >> 63) for cells in (board.x, board.o))  # as signed 64-bit numbers
        return self.memory, int(board.turn == "O"), depth, 0, -limit, limit, self.root(), x, o

    def found(self, worth: int) -> Search:
        """The record of the search."""
        tree = self.tree
        tree.nodes = self.numbers(kernels.NODES, kernels.NODES + tree.depth + 1)
        tree.leaves = int(self.memory[kernels.LEAVES])
        tree.cutoffs = self.numbers(kernels.CUTOFFS, kernels.VALUES)
        values = self.numbers(kernels.VALUES, kernels.CODES)
        tree.values = {cell: value for cell, value in enumerate(values) if value != tables.TAKEN}
        line = [*self.numbers(kernels.VARIATION, kernels.VARIATION + tree.depth), -1]
        tree.lines[0] = tuple(line[: line.index(-1)]) if tree.depth else ()
        return tree.found(f"gains engine: {self.setting}", worth)

    def numbers(self, start: int, end: int) -> list[int]:
        """What stands in the memory there."""
        return list(map(int, self.memory[start:end]))


class Thought(threading.Thread):
    """Searches ply after ply on the side, so that whoever waits can look at the clock."""

    def __init__(self, board: Board, depth: int | None, compiled: bool | None) -> None:
        super().__init__(daemon=True)
        self.board, self.compiled = board, compiled
        self.most = len(board.moves) if depth is None else depth
        self.engine = Engine(board, min(self.most, 1), BEST, False)
        self.found = self.engine.search()
        self.stopped = False

    def run(self, deadline: float = inf) -> None:
        """Search two plies deep, then three, until there is no more to find or somebody says stop.

        Where nobody can, a search is not begun that would not be done in time.
        """
        now = time.monotonic()
        for depth in range(2, self.most + 1):
            before, now = now, time.monotonic()
            if now + WIDER * (now - before) > deadline:
                break
            if abs(self.found.value) >= tables.WIN or self.found.depth < depth - 1:
                break
            self.engine = Engine(self.board, depth, BEST, self.compiled)
            if self.stopped:
                break
            found = self.engine.search()
            if self.stopped:
                break
            self.found = found

    def stop(self) -> None:
        """Stop at once, with what has been found so far."""
        self.stopped = True
        self.engine.memory[kernels.STOP] = 1
        self.join(10 * POLL)


_UNKNOWN = [tables.TAKEN] * tables.CELLS
_LINES_THROUGH = [(end - tables.SLOT * cell) // 4 for cell, end in enumerate(tables.ENDS)]
_ORDERS = {"row-major": kernels.IN_ROW_MAJOR, "most-lines": kernels.IN_MOST_LINES, "best-gain": kernels.IN_BEST_GAIN}


def _memory(board: Board, setting: Setting, depth: int) -> list[int]:
    """What the inner functions work on, with the board and the setting in it."""
    places = next(places for most, places in kernels.PLACES if depth <= most) if setting.table else 0
    m = [0] * (kernels.MEMORY + kernels.ENTRY * places)
    m[kernels.ORDER] = _ORDERS[setting.order]
    m[kernels.CUT], m[kernels.BOUNDS], m[kernels.KILLER] = setting.cut, setting.bounds, setting.killer
    m[kernels.TABLE], m[kernels.SYMMETRY] = places, setting.symmetry
    m[kernels.DEEPENING], m[kernels.PVS] = setting.deepening, setting.pvs
    m[kernels.KILLERS : kernels.REPLIES] = [-1] * (2 * kernels.PLIES)
    m[kernels.VALUES : kernels.CODES] = _UNKNOWN
    m[kernels.GAINS : kernels.GAINS + 2 * tables.CELLS] = _LINES_THROUGH * 2
    for cell in range(0 if board.winner else tables.CELLS):
        if (board.x | board.o) >> cell & 1:
            side = board.o >> cell & 1
            own, other = kernels.GAINS + tables.CELLS * side, kernels.GAINS + tables.CELLS * (1 - side)
            kernels.put(m, side, cell, own, other)
    if setting.symmetry and m[kernels.STONES] <= kernels.FEW:
        m[kernels.IMAGES : kernels.HOMEWARD] = tables.images()
        m[kernels.HOMEWARD : kernels.MEMORY] = tables.homeward()
    return m
