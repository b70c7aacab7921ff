"""Four plies of 4×4×4 from six positions: our alpha-beta, readable and compiled, and easyAI's, in one run.

All find the same values, and ours visit the nodes that are stated here. easyAI plays a 4×4×4 game on numpy and takes
seconds, as the readable search does, so these have two positions only.
"""

from contextlib import suppress
from functools import partial

import search

from ttt import Board
from ttt.heuristics import WIN_VALUE, LineWeights
from ttt.search import alphabeta

WEIGHTS = LineWeights(0, 1, 10, 100, 0)
POSITIONS = {  # each side's cells, the value four plies ahead, and the nodes with the best gain first
    "empty": (0, 0, -4, 17_356),
    "corner": (1, 0, -18, 15_842),
    "edge": (2, 0, -19, 19_652),
    "mid6": (0x10010000000080, 0x8800000000000010, -8, 10_803),
    "mid12": (0x4000001C8040, 0x516010000000000, -92, 6_146),
    "mid20": (0x300002040180C801, 0xC822008120420000, 90, 5_189),
}
SLOW = ("corner", "mid20")


def easyai(board):
    """A function that searches with easyAI's Negamax, on a 4×4×4 game written with numpy."""
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
                return -WIN_VALUE
            marks = self.cells[lines]
            own, other = (marks == self.current_player).sum(axis=1), (marks == self.opponent_index).sum(axis=1)
            return int((worth[own] * (other == 0) - worth[other] * (own == 0)).sum())

        def show(self):
            """easyAI requires this, but never calls it here."""

    def run():
        asked = Negamax(4, win_score=WIN_VALUE)
        asked(Cube())
        return round(asked.alpha)

    return run


def measure(rounds=5):
    """The fewest seconds that each installed system takes for each position, by (position, system)."""
    runs = {}
    for name, (x, o, value, nodes) in POSITIONS.items():
        board = Board((4, 4, 4), x=x, o=o)
        ours = {"ttt, readable": partial(alphabeta, board, 4, WEIGHTS, order="best-gain")}
        if search.compiles():
            from ttt.search import compiled

            ours["ttt, compiled"] = partial(compiled.alphabeta, board, 4, WEIGHTS, order="best-gain")
        if name not in SLOW:
            ours.pop("ttt, readable")
        assert all((run().value, run().nodes) == (value, nodes) for run in ours.values())
        runs |= {(name, system): run for system, run in ours.items()}
        with suppress(ImportError):
            if name in SLOW:
                runs[name, "easyAI"] = easyai(board)
                assert runs[name, "easyAI"]() == value
    return search.least(runs, rounds)
