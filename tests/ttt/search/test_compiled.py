"""The compiled search finds what the readable one finds, and visits what it visits: the whole record.

test_search.py compares them on 3×3 and other small boards, and with the definition of worth.
"""

import importlib
import random
import subprocess
import sys

import pytest
from lab.statistics import random_positions, sweep

from ttt import Board
from ttt.heuristics import LineWeights, open_lines
from ttt.search import ORDERS, alphabeta, minimax

pytest.importorskip("numba")
from ttt.search import compiled

SHAPES = [
    ((5, 5), 4), ((7, 7), 5), ((8, 8), 5), ((1, 7), 3), ((2, 3), 1), ((1, 1), 1), ((2, 2, 2, 2), 2), ((3, 3, 3), 3),
    ((4, 4, 4), 4), ((2,) * 5, 2), ((1, 15), 15),
]  # fmt: skip


@pytest.mark.parametrize(("shape", "k"), SHAPES, ids=str)
def test_boards_of_every_shape_are_the_same_search_with_any_weights(shape, k):
    chance = random.Random(k)
    for heuristic in (None, open_lines, LineWeights(*[chance.randint(-9, 40) for _ in range(k + 1)])):
        board = Board(shape, k)
        for move in chance.sample(board.moves, chance.randint(0, len(board) - 1)):
            board = board if board.over or board.play(move).over else board.play(move)
        free = 0 if board.over else len(board.moves)
        depth = next(plies for plies in (5, 4, 3, 2) if free**plies < 5_000 or plies == 2)
        for order in ORDERS:
            how = {"depth": depth, "heuristic": heuristic, "order": order}
            assert compiled.alphabeta(board, **how) == alphabeta(board, **how)
        assert compiled.minimax(board, 2, heuristic) == minimax(board, 2, heuristic)


def test_compiled_searches_are_methods_of_a_sweep_with_their_own_names_and_options():
    boards, names = random_positions(Board(), 2, seed=3), ("alphabeta", "minimax")
    how = {"depth": [2, 3], "heuristic": [None, open_lines], "order": ["row-major", "best-gain"]}
    several = sweep(boards, method=[*names, *(f"compiled.{name}" for name in names)], **how)
    rest = several[["heuristic", "order", "depth", "value", "move", "nodes", "leaves", "cutoffs"]]
    for name in names:
        readable, fast = (rest[several["method"] == method] for method in (name, f"compiled.{name}"))
        assert readable.reset_index(drop=True).equals(fast.reset_index(drop=True)) and len(fast)
    assert "compiled.alphabeta, best-gain" in several["setting"].tolist()
    assert sweep(Board(), 2, method=compiled.alphabeta)["method"].tolist() == ["compiled.alphabeta"]
    with pytest.raises(ValueError, match="no option 'killer'"):
        sweep(Board(), 2, method="compiled.alphabeta", killer=True)
    with pytest.raises(ValueError, match="no heuristic but open_lines"):
        sweep(Board(), 2, method="compiled.alphabeta", heuristic=lambda board, player: 0)


def test_without_numba_the_import_says_what_is_missing(monkeypatch):
    monkeypatch.delitem(sys.modules, "ttt.search.compiled")
    monkeypatch.delattr("ttt.search.compiled")
    monkeypatch.setitem(sys.modules, "numba", None)
    with pytest.raises(ImportError, match=r"need numba: .*pip install numba"):
        importlib.import_module("ttt.search.compiled")
    with pytest.raises(ImportError, match="need numba"):
        sweep(Board(), 1, method="compiled.minimax")


SCRIPT = """
import signal, threading
from ttt import Board, open_lines
from lab import timeouts as limits
from ttt.search import compiled
compiled.alphabeta(Board(), 3, open_lines)
walk, begun, ended = compiled.walk, threading.Event(), threading.Event()
def walked(*arguments):
    begun.set()
    value = walk(*arguments)
    ended.set()
    return value
compiled.walk = walked
def interrupt():
    begun.wait()
    signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
try:
    threading.Thread(target=interrupt).start()
    compiled.alphabeta(Board((5, 5)), 10, open_lines)
except KeyboardInterrupt:
    print("interrupted", ended.wait(600))
begun.clear(), ended.clear()
limits.monotonic = limits.process_time = lambda: 60.0 * begun.is_set()
try:
    with limits.timeout(1):
        compiled.alphabeta(Board((5, 5)), 10, open_lines)
except TimeoutError:
    print("late", ended.wait(600))
"""


def test_a_long_search_can_be_stopped():
    """By the interrupt that Jupyter and Ctrl-C send, and by a time limit; the searches would take days.

    The clock of the time limit jumps when the search has begun, so that no machine is too slow or too fast.
    """
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
    assert done.stdout == "interrupted True\nlate True\n"
