"""The engine for 4×4×4, which keeps every cell's gain up to date: plain Python at once, compiled for long searches.

It finds what `ttt.search` finds with a line's worth as the heuristic, and counts the same way: a line with n marks of
one side alone is worth 1, 10 or 100 to it, a win 100,000 and 1 more for each ply that was left; a value is seen from
the side to move. Source: the 3D project report weighs lines by their marks; the powers of ten are ours.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ttt.board import Board
from ttt.engine import cube_kernel as kernel
from ttt.engine import cube_tables as tables
from ttt.engine.compiling import compiles, ints, zeros
from ttt.progress import interruptible
from ttt.record import BadSearch, Options, Search
from ttt.search.tree import Tree

LONG = 8  # plies from which a search is worth the second that numba takes to load
LONG_WITHOUT_BOUNDS = 5
DEFAULT_DEPTH = 4


@dataclass(frozen=True)
class Setting(Options):
    """What alpha-beta uses: the options of `ttt.search.alphabeta`, and one more.

    Args:
        bounds: whether it leaves out moves that the other side's best reply leaves without a chance.
    """

    bounds: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.bounds and self.order != "best-gain":
            raise BadSearch('Bounds need moves in the order of their gain: give order="best-gain".')


NO_OPTION = Setting()
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
    return _searched(Engine(board, depth, BEST, compiled))


def minimax(board: Board, depth: int, *, compiled: bool | None = None) -> Search:
    """Every move and every answer to it. Four plies from the empty board are 15.5 million nodes.

    Args and errors as for `search`.

    >>> minimax(Board(shape=(4, 4, 4)), 2).nodes  # 1 + 64 + 64 * 63
    4097
    """
    return _searched(Engine(board, depth, None, compiled))


def alphabeta(board: Board, depth: int, *, compiled: bool | None = None, **options: Any) -> Search:
    """Alpha-beta with its options one at a time, to see what each saves.

    Args:
        board, depth, compiled: as for `search`.
        options: those of `ttt.search.alphabeta` (order, killer, table, symmetry, deepening, pvs), and `bounds`: see
            `Setting`.

    Raises `BadSearch`.

    >>> alphabeta(Board(shape=(4, 4, 4)), 2).nodes < 4097
    True
    >>> alphabeta(Board(shape=(4, 4, 4)), 2, order="best-gain", bounds=True).nodes
    65
    """
    return _searched(Engine(board, depth, Setting(**options), compiled))


def _searched(engine: Engine) -> Search:
    """What the engine finds; an interrupt can stop machine code, too."""
    if not engine.compiled:
        return engine.search()
    return interruptible(engine.search, engine.stop, engine.visited, "nodes")


class Engine:
    """One search: the board as the inner functions want it, and what they counted, as a `Search`.

    Args:
        board, depth, compiled: as for `search`.
        setting: what alpha-beta uses; None for minimax.
    """

    def __init__(self, board: Board, depth: int, setting: Setting | None, compiled: bool | None = None) -> None:
        _require_cube(board)
        self.method = "minimax" if setting is None else str(setting)
        self.tree = Tree(board, depth, None, False, options=setting)
        setting = setting or NO_OPTION
        if compiled is None:
            compiled = self.tree.depth >= (LONG if setting.bounds else LONG_WITHOUT_BOUNDS)
        memory = _memory(self.tree, setting)
        size = len(memory) + kernel.ENTRY * memory[kernel.TABLE]
        self.compiled = compiled and compiles()
        if self.compiled:
            self.memory, self.visit = zeros(size), kernel.compiled_visit()
            self.memory[: len(memory)] = ints(memory)
        else:
            self.memory, self.visit = memory + [0] * (size - len(memory)), kernel.visit

    def search(self) -> Search:
        """Search the root, once or ply after ply."""
        worth = self.root()
        for depth in self.tree.depths():
            if depth:
                self.memory[kernel.VALUES : kernel.CODES] = _UNKNOWN
                worth = self.visit(*self.arguments(depth))
        return self.found(int(worth))

    def stop(self) -> None:
        """Have a search that is running end soon, with nothing found."""
        self.memory[kernel.STOP] = 1

    def root(self) -> int:
        """The root's worth as it stands; where nothing is searched it is the only leaf."""
        if not self.tree.depth:
            self.memory[kernel.NODES] = self.memory[kernel.LEAVES] = 1
        if self.tree.board.winner:
            return -tables.WIN
        worth = sum(tables.WORTH[code] for code in self.numbers(kernel.CODES, kernel.MARKS))
        return worth if self.tree.board.turn == "X" else -worth

    def arguments(self, depth: int) -> tuple[Any, ...]:
        """What the inner function is called with for a search of the root."""
        board, limit = self.tree.board, tables.INFINITE
        side = "XO".index(board.turn)
        return self.memory, side, depth, 0, -limit, limit, self.root(), _signed(board.x), _signed(board.o)

    def found(self, worth: int) -> Search:
        """The record of the search."""
        tree = self.tree
        tree.nodes = self.numbers(kernel.NODES, kernel.NODES + tree.depth + 1)
        tree.leaves = int(self.memory[kernel.LEAVES])
        tree.cutoffs = self.numbers(kernel.CUTOFFS, kernel.VALUES)
        values = self.numbers(kernel.VALUES, kernel.CODES)
        tree.values = {cell: value for cell, value in enumerate(values) if value != tables.TAKEN}
        line = [*self.numbers(kernel.VARIATION, kernel.VARIATION + tree.depth), -1]
        tree.line = tuple(line[: line.index(-1)]) if tree.depth else ()
        return tree.found(f"4×4×4 engine: {self.method}", worth)

    def visited(self) -> int:
        """How many nodes have been visited so far."""
        return sum(self.numbers(kernel.NODES, kernel.CUTOFFS))

    def numbers(self, start: int, end: int) -> list[int]:
        """What stands in the memory there."""
        return list(map(int, self.memory[start:end]))


def _require_cube(board: Any) -> None:
    """Raises `BadSearch` unless it is a 4×4×4 board."""
    if not isinstance(board, Board) or board.shape != (4, 4, 4) or board.k != 4:
        raise BadSearch(f"This engine plays 4×4×4 with 4 in a row, not {board!r}. ttt.search plays every board.")


def _signed(mask: int) -> int:
    """A mask as a signed 64-bit number, in plain Python too: the inner functions' keys are made of it."""
    return mask - (1 << 64) if mask >> 63 else mask


_UNKNOWN = [tables.TAKEN] * tables.CELLS
_LINES_THROUGH = [(end - tables.SLOT * cell) // 4 for cell, end in enumerate(tables.ENDS)]
_ORDERS = {"row-major": tables.IN_ROW_MAJOR, "most-lines": tables.IN_MOST_LINES, "best-gain": tables.IN_BEST_GAIN}


def _memory(tree: Tree, setting: Setting) -> list[int]:
    """What the inner functions work on, with the board and the setting in it; without the table, which follows it."""
    board = tree.board
    places = next(places for most, places in kernel.PLACES if tree.depth <= most) if setting.table else 0
    m = [0] * kernel.MEMORY
    m[kernel.ORDER] = _ORDERS[setting.order]
    m[kernel.CUT], m[kernel.BOUNDS], m[kernel.KILLER] = tree.cuts, setting.bounds, setting.killer
    m[kernel.TABLE], m[kernel.SYMMETRY] = places, setting.symmetry
    m[kernel.DEEPENING], m[kernel.PVS] = setting.deepening, setting.pvs
    m[kernel.KILLERS : kernel.REPLIES] = [-1] * (2 * kernel.PLIES)
    m[kernel.VALUES : kernel.CODES] = _UNKNOWN
    m[kernel.GAINS : kernel.GAINS + 2 * tables.CELLS] = _LINES_THROUGH * 2
    for cell in range(0 if board.winner else tables.CELLS):
        if (board.x | board.o) >> cell & 1:
            side = board.o >> cell & 1
            own, other = kernel.GAINS + tables.CELLS * side, kernel.GAINS + tables.CELLS * (1 - side)
            kernel.put(m, side, cell, own, other)
    if setting.symmetry and m[kernel.STONES] <= kernel.FEW:
        m[kernel.IMAGES : kernel.MEMORY] = tables.images()
    return m
