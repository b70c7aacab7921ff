"""Searching 3×3 to its end from the empty board: our searches, easyAI's, OpenSpiel's, and a C program's, in one run.

Every system takes its turn in every round, so that a busy machine slows all of them down; what counts is the least
processor time. A node is a position each time it is visited, the root and the leaves included. easyAI has no minimax
without cutoffs, but a window that is not a number never cuts; it counts wins higher the sooner they come, so its
alpha-beta tree is that of our `sooner=True`. OpenSpiel is its states, and its own `alpha_beta_search`. Systems that are
not installed are left out.
"""

import ctypes
import importlib.util
import math
import subprocess
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from ttt import Board
from ttt.search import alphabeta, minimax

MINIMAX, ALPHABETA = "minimax, 549,946 nodes", "alpha-beta, 18,297 nodes"
ENOUGH = 0.05  # seconds of a turn
LINES = Board().line_cells
MASKS = [sum(1 << cell for cell in line) for line in LINES]


def in_c():
    """The C program next to this file, compiled here and now."""
    with tempfile.TemporaryDirectory() as folder:
        library, source = Path(folder) / "library.so", Path(__file__).with_suffix(".c")
        subprocess.run(["cc", "-O3", "-march=native", "-shared", "-fPIC", source, "-o", library], check=True)
        search = ctypes.CDLL(str(library)).search
    search.restype = ctypes.c_long
    return {MINIMAX: lambda: search(0), ALPHABETA: lambda: search(1)}


def ours(minimax=minimax, alphabeta=alphabeta):
    return {MINIMAX: lambda: minimax(Board()).nodes, ALPHABETA: lambda: alphabeta(Board()).nodes}


def compiles():
    """Whether searches are compiled here: numba is installed."""
    return importlib.util.find_spec("numba") is not None


def compiled():
    """Ours by numba, once they are compiled."""
    if not compiles():
        return {}
    from ttt.search import compiled

    runs = ours(compiled.minimax, compiled.alphabeta)
    for run in runs.values():
        run()
    return runs


def bare():
    """A student's own recursion on `Board`."""

    def search(board, alpha, beta):
        if board.over:
            return -1 if board.winner else 0
        for move in board.moves:
            alpha = max(alpha, -search(board.play(move), -beta, -alpha))
            if alpha >= beta:
                break
        return alpha

    def full(board):
        if board.over:
            return -1 if board.winner else 0
        return max([-full(board.play(move)) for move in board.moves])

    return {MINIMAX: lambda: full(Board()), ALPHABETA: lambda: search(Board(), -math.inf, math.inf)}


def bitboards():
    """Plain Python with whole numbers."""
    wins = [any(cells & mask == mask for mask in MASKS) for cells in range(512)]

    def search(mine, theirs, alpha, beta, cuts):
        free = 511 & ~(mine | theirs)
        if wins[theirs] or not free:
            return -1 if wins[theirs] else 0
        best = -2
        while free:
            bit = free & -free
            free ^= bit
            best = max(best, -search(theirs, mine | bit, -beta, -alpha, cuts))
            if cuts:
                alpha = max(alpha, best)
                if alpha >= beta:
                    break
        return best

    return {MINIMAX: lambda: search(0, 0, -2, 2, False), ALPHABETA: lambda: search(0, 0, -2, 2, True)}


def easyai():
    from easyAI.AI.Negamax import negamax
    from easyAI.games.TicTacToe import TicTacToe

    def run(*window):
        return negamax(TicTacToe([]), 9, 9, lambda game: game.scoring(), *window)

    return {MINIMAX: lambda: run(math.nan, math.nan), ALPHABETA: lambda: run(-math.inf, math.inf)}


def openspiel():
    import pyspiel
    from open_spiel.python.algorithms.minimax import alpha_beta_search

    game = pyspiel.load_game("tic_tac_toe")

    def full(state):
        if state.is_terminal():
            return state.player_return(0)
        values = [full(state.child(action)) for action in state.legal_actions()]
        return max(values) if state.current_player() == 0 else min(values)

    return {MINIMAX: lambda: full(game.new_initial_state()), ALPHABETA: lambda: alpha_beta_search(game)}


SYSTEMS = {
    "C": in_c,
    "ttt, compiled": compiled,
    "ttt, readable": ours,
    "a recursion on Board": bare,
    "Python on bitboards": bitboards,
    "OpenSpiel": openspiel,
    "easyAI": easyai,
}


def measure(rounds=5):
    """The fewest seconds that each installed system takes for each task, by (task, system)."""
    there = {}
    for name, system in SYSTEMS.items():
        with suppress(ImportError, OSError, subprocess.CalledProcessError):
            there[name] = system()
    runs = {(task, name): run for name, tasks in there.items() for task, run in tasks.items()}
    assert all(f" {runs[task, 'ttt, readable']():,} " in task for task in (MINIMAX, ALPHABETA))
    return least(runs, rounds)


def least(runs, rounds):
    """The fewest seconds that each function takes; all take their turn in every round."""
    seconds = dict.fromkeys(runs, math.inf)
    for _ in range(rounds):
        for name, run in runs.items():
            end = time.process_time() + ENOUGH
            while True:
                begun = time.process_time()
                run()
                now = time.process_time()
                seconds[name] = min(seconds[name], now - begun)
                if now > end:
                    break
    return seconds
