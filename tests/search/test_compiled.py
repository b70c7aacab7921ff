"""The compiled search finds what the readable one finds, and visits what it visits: the whole record."""

import functools
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

import ttt
from ttt import Board
from ttt.heuristics import WIN, LineWeights, open_lines
from ttt.search import ORDERS, alphabeta, minimax, negamax

pytest.importorskip("numba")
from ttt.search import compiled

SHAPES = [
    ((3, 3), 3), ((3, 3), 2), ((4, 4), 4), ((3, 4), 3), ((5, 5), 4), ((7, 7), 5), ((8, 8), 5), ((1, 7), 3), ((2, 3), 1),
    ((1, 1), 1), ((2, 2, 2, 2), 2), ((3, 3, 3), 3), ((4, 4, 4), 4), ((2,) * 6, 2), ((1, 15), 15),
]  # fmt: skip


def after(moves, *shape):
    """The board after these moves."""
    return functools.reduce(Board.play, moves, Board(*shape))


@pytest.fixture
def never_readable(monkeypatch):
    """A fast search fails if it falls back on the readable one."""
    search = compiled.compiled_search

    def must(method, board, plies, *how):
        found = search(method, board, plies, *how)
        assert found or not plies
        return found

    monkeypatch.setattr(compiled, "compiled_search", must)


@pytest.mark.usefixtures("never_readable")
def test_minimax_is_the_same_search_on_every_position(positions):
    for board in positions:
        if len(board.moves) <= 6:
            assert minimax(board, fast=True) == minimax(board)
            assert negamax(board, fast=True, sooner=True) == negamax(board, sooner=True)
        else:
            assert minimax(board, fast=True).value == alphabeta(board, table=True).value


@pytest.mark.usefixtures("never_readable")
@pytest.mark.parametrize("order", ORDERS)
def test_alphabeta_is_the_same_search_in_each_order(positions, order):
    boards = [board for board in sorted(positions, key=str) if len(board.moves) < 9]
    for board in random.Random(7).sample(boards, 500):
        assert alphabeta(board, fast=True, order=order) == alphabeta(board, order=order)
        assert alphabeta(board, fast=True, sooner=True) == alphabeta(board, sooner=True)


@pytest.mark.usefixtures("never_readable")
@pytest.mark.parametrize(("shape", "k"), SHAPES, ids=str)
def test_boards_of_every_shape_are_the_same_search_with_any_weights(shape, k):
    chance = random.Random(k)
    for _ in range(12):
        board = Board(shape, k)
        for move in chance.sample(board.moves, chance.randint(0, len(board) - 1)):
            board = board if board.over or board.play(move).over else board.play(move)
        free = 0 if board.over else len(board.moves)
        depth = next(plies for plies in (5, 4, 3, 2) if free**plies < 5_000 or plies == 2)
        weights = LineWeights(*[chance.randint(-9, 40) for _ in range(k + 1)])
        for heuristic in (None, open_lines, weights):
            how = {"depth": depth, "heuristic": heuristic, "order": chance.choice([*ORDERS])}
            assert alphabeta(board, fast=True, **how) == alphabeta(board, **how)
            assert minimax(board, 2, heuristic, fast=True) == minimax(board, 2, heuristic)


def crosses(board, player):
    """Any other heuristic."""
    return sum(mark == player for mark in board)


@pytest.mark.parametrize(
    ("board", "how"),
    [
        (Board(), {"depth": 2, "heuristic": crosses}),
        (Board(), {"depth": 2, "heuristic": LineWeights(0, 0.5, 1, 2)}),
        (Board((9, 9)), {"depth": 1}),
        (Board((1, 40), 20), {"depth": 1, "order": "best-gain"}),
        (after((0, 3, 1, 4, 2)), {}),
        (Board(), {"depth": 0}),
        (after((4, 0)), {"killer": True}),
        (after((4, 0)), {"table": True, "symmetry": True}),
        (after((4, 0)), {"deepening": True}),
    ],
)
def test_what_is_not_compiled_is_searched_readably(monkeypatch, board, how):
    monkeypatch.setattr(compiled, "walk", None)
    assert alphabeta(board, fast=True, **how) == alphabeta(board, **how)


def test_weights_that_could_outrank_a_win_are_left_to_the_readable_search():
    large = WIN // 8
    assert compiled.compiled_search("", Board(), 2, LineWeights(0, 1, large, 0), False, None) is None
    assert compiled.compiled_search("", Board(), 2, LineWeights(0, 1, large - 1, 0), False, None)


def test_without_numba_a_fast_search_is_the_readable_one(monkeypatch):
    expected = alphabeta(after((4,)), fast=True)
    monkeypatch.delitem(sys.modules, "ttt.search.compiled")
    monkeypatch.delattr("ttt.search.compiled")
    monkeypatch.setitem(sys.modules, "numba", None)
    assert alphabeta(after((4,)), fast=True) == expected
    assert "ttt.search.compiled" not in sys.modules


def test_without_a_folder_to_write_to_a_fast_search_finds_the_same():
    script = (
        "import numba.core.caching as c\n"
        "for locator in c.CacheImpl._locator_classes: locator.from_function = classmethod(lambda *_: None)\n"
        "from ttt import Board; from ttt.search import alphabeta; print(alphabeta(Board(), fast=True).nodes)"
    )
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=environment, check=True)
    assert done.stdout == "18297\n"


def test_a_readable_search_leaves_numba_alone():
    script = (
        "import sys; from ttt import Board; from ttt.search import alphabeta, minimax; minimax(Board(), 2); "
        "alphabeta(Board((4, 4, 4)), 2); print('numba' in sys.modules, 'numpy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


@pytest.mark.parametrize("package", ["search", "drawing", "runtime"])
def test_every_module_can_be_imported_first(package):
    folder = Path(ttt.__file__).parent / package
    modules = [f"ttt.{package}.{path.stem}" for path in sorted(folder.glob("[a-z]*.py"))]
    assert len(modules) >= 2
    for module in modules:
        subprocess.run([sys.executable, "-c", f"import {module}"], check=True)


@pytest.mark.parametrize("stopped_by", ["KeyboardInterrupt", "TimeoutError"])
def test_a_long_search_can_be_stopped(stopped_by):
    """By the interrupt that Jupyter and Ctrl-C send, and by a time limit; the search would take days.

    The clock of the time limit jumps when the search has begun, so that no machine is too slow or too fast.
    """
    script = f"""
import signal, threading
from ttt import Board, open_lines
from ttt.runtime import limits
from ttt.search import alphabeta, compiled
alphabeta(Board(), 3, open_lines, fast=True)
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
    if "{stopped_by}" == "KeyboardInterrupt":
        threading.Thread(target=interrupt).start()
        alphabeta(Board((5, 5)), 10, open_lines, fast=True)
    else:
        limits.monotonic = limits.process_time = lambda: 60.0 * begun.is_set()
        with limits.timeout(1):
            alphabeta(Board((5, 5)), 10, open_lines, fast=True)
except {stopped_by}:
    print("stopped", ended.wait(600))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "stopped True\n"
