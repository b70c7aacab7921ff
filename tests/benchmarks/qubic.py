"""Four plies of 4×4×4 from six positions: our engine beside C, easyAI and the 3D report's program, in one run.

All find the same values, but for the report's program, whose cut changes them. easyAI plays a 4×4×4 game on numpy, and
takes seconds, so it has two positions only. "bounds" is what `qubic.search` does but for its table, as the C does.
"""

import ctypes
import subprocess
from contextlib import suppress

import search
from ttt.qubic.lookahead import WEIGHTS
from ttt.search.engine import kernel, tasks
from ttt.search.engine.compiling import compiles
from ttt.search.engine.tables import table

from ttt import Board, qubic
from ttt.heuristics import WIN
from ttt.players.cube import report_search
from ttt.search.record import Options
from ttt.symmetry import automorphisms

POSITIONS = {
    "empty": (0, 0, -4),
    "corner": (1, 0, -18),
    "edge": (2, 0, -19),
    "mid6": (0x10010000000080, 0x8800000000000010, -8),
    "mid12": (0x4000001C8040, 0x516010000000000, -92),
    "mid20": (0x300002040180C801, 0xC822008120420000, 90),
}
SLOW = ("corner", "mid20")  # the positions for easyAI
BOUNDED = {"order": "best-gain", "symmetry": True}


def loop(board, bounds, **options):
    """A function that runs the compiled search alone, given its memory, as the C is given its own."""
    task = tasks.General(board, 4, WEIGHTS.weights, (WIN, 1), Options(**options), True, bounds, True)
    task.value()
    arguments = task.arguments(4)
    return lambda: task.run(*arguments)


def in_c():
    """A function that makes a function that searches a board in C."""
    library = search.c("qubic")
    library.search.restype = ctypes.c_int64
    cube = Board((4, 4, 4))
    through = [[(n, line) for n, line in enumerate(cube.line_cells) if cell in line] for cell in range(64)]
    slots = [
        [number for n, line in found for number in (n, *(other for other in line if other != cell))]
        for cell, found in enumerate(through)
    ]
    t, _ = table(cube.shape, 4, WEIGHTS.weights, "row-major", False, False)
    codes = [256 * side + 16 * o + x for side in (0, 1) for o in range(4) for x in range(4)]
    library.set_tables(
        numbers([number for slot in slots for number in slot + [0] * (28 - len(slot))]),
        numbers([28 * cell + len(slot) for cell, slot in enumerate(slots)]),
        numbers([t[kernel.OWN_CHANGE + code] for code in codes]),
        numbers([t[kernel.OTHER_CHANGE + code] for code in codes]),
        numbers([cell for image in automorphisms(cube) for cell in image]),
    )

    def searched(board, bounds):
        marks, nodes = numbers(["-XO".index(mark) for mark in board]), ctypes.c_int64()
        return lambda: library.search(marks, 4, bounds, ctypes.byref(nodes))

    return searched


def numbers(row):
    """A row of numbers for C."""
    return (ctypes.c_int64 * len(row))(*row)


def easyai(board):
    """A function that searches with easyAI: its Negamax, on a 4×4×4 game as one writes it on numpy."""
    import numpy
    from easyAI import Negamax, TwoPlayerGame

    lines, worth = numpy.array(board.line_cells), numpy.array(WEIGHTS.weights)

    class Cube(TwoPlayerGame):
        def __init__(self):
            self.players = None, None
            self.current_player = 1 if board.turn == "X" else 2
            self.cells = numpy.array(["-XO".index(mark) for mark in board], numpy.int8)

        def possible_moves(self):
            return numpy.flatnonzero(self.cells == 0).tolist()

        def make_move(self, move):
            self.cells[move] = self.current_player

        def unmake_move(self, move):
            self.cells[move] = 0

        def lose(self):
            return bool((self.cells[lines] == self.opponent_index).all(axis=1).any())

        def is_over(self):
            return self.lose() or bool(self.cells.all())

        def scoring(self):
            if self.lose():
                return -WIN
            marks = self.cells[lines]
            own, other = (marks == self.current_player).sum(axis=1), (marks == self.opponent_index).sum(axis=1)
            return int((worth[own] * (other == 0) - worth[other] * (own == 0)).sum())

        def show(self):
            """easyAI asks for this, and never calls it here."""

    def run():
        asked = Negamax(4, win_score=WIN)
        asked(Cube())
        return round(asked.alpha)

    return run


def measure(rounds=5):
    """The least seconds of every system that is there for every position, by (position, system)."""
    runs, c = {}, None
    with suppress(OSError, subprocess.CalledProcessError):
        c = in_c()
    for name, (x, o, value) in POSITIONS.items():
        board = Board(shape=(4, 4, 4), x=x, o=o)
        systems = {"qubic.search": lambda board=board: qubic.search(board).value}
        if compiles():
            systems["row-major, compiled"] = loop(board, False)
            systems["bounds, compiled"] = loop(board, True, **BOUNDED)
        if c:
            systems["row-major, C"], systems["bounds, C"] = c(board, False), c(board, True)
        if name in SLOW:
            with suppress(ImportError):
                systems["easyAI"] = easyai(board)
        assert {run() for run in systems.values()} == {value}
        systems["cube-report"] = lambda board=board: report_search(board).value
        runs |= {(name, system): run for system, run in systems.items()}
    return search.least(runs, rounds)
