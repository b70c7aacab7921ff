"""The compiled search finds what the readable one finds, and visits what it visits: the whole record."""

import importlib
import random
import subprocess
import sys

import pytest
from conftest import sampled
from games import Nim
from lab.statistics import random_positions, sweep
from lab.statistics.table import POSITION
from oracles import after, worth

from ttt import Board
from ttt.board import BoardError
from ttt.heuristics import WIN_VALUE, HeuristicError, LineWeights, open_lines
from ttt.search import ORDERS, BadSearch, alphabeta, minimax

pytest.importorskip("numba")
from ttt.search import compiled

SHAPES = [
    ((3, 3), 3), ((3, 3), 2), ((4, 4), 4), ((3, 4), 3), ((5, 5), 4), ((7, 7), 5), ((8, 8), 5), ((1, 7), 3), ((2, 3), 1),
    ((1, 1), 1), ((2, 2, 2, 2), 2), ((3, 3, 3), 3), ((4, 4, 4), 4), ((2,) * 5, 2), ((1, 15), 15),
]  # fmt: skip


def test_minimax_is_the_same_search_on_every_position(positions):
    for board in sampled(sorted(positions, key=str), 4):
        if len(board.moves) <= 4:
            assert compiled.minimax(board) == minimax(board)
            assert compiled.minimax(board, sooner=True) == minimax(board, sooner=True)
        else:
            assert compiled.minimax(board).value == worth(board)


@pytest.mark.parametrize("order", ORDERS)
def test_alphabeta_is_the_same_search_in_each_order(positions, order):
    boards = [board for board in sorted(positions, key=str) if len(board.moves) < 9]
    for board in random.Random(7).sample(boards, 50):
        assert compiled.alphabeta(board, order=order) == alphabeta(board, order=order)
        assert compiled.alphabeta(board, sooner=True) == alphabeta(board, sooner=True)


@pytest.mark.parametrize(("shape", "k"), SHAPES, ids=str)
def test_boards_of_every_shape_are_the_same_search_with_any_weights(shape, k):
    chance = random.Random(k)
    for _ in range(3):
        board = Board(shape, k)
        for move in chance.sample(board.moves, chance.randint(0, len(board) - 1)):
            board = board if board.over or board.play(move).over else board.play(move)
        free = 0 if board.over else len(board.moves)
        depth = next(plies for plies in (5, 4, 3, 2) if free**plies < 5_000 or plies == 2)
        weights = LineWeights(*[chance.randint(-9, 40) for _ in range(k + 1)])
        for heuristic in (None, open_lines, weights):
            how = {"depth": depth, "heuristic": heuristic, "order": chance.choice([*ORDERS])}
            assert compiled.alphabeta(board, **how) == alphabeta(board, **how)
            assert compiled.minimax(board, 2, heuristic) == minimax(board, 2, heuristic)


def test_a_board_that_is_over_and_a_depth_of_none_are_leaves():
    won = after(0, 3, 1, 4, 2, board=Board())
    for board, depth in ((won, None), (Board(), 0), (won, 3)):
        for heuristic in (None, open_lines):
            assert compiled.minimax(board, depth, heuristic) == minimax(board, depth, heuristic)
            assert compiled.alphabeta(board, depth, heuristic) == alphabeta(board, depth, heuristic)


def crosses(board, player):
    """Any other heuristic."""
    return sum(mark == player for mark in board)


REFUSED = [
    (Board(), {"depth": 2, "heuristic": crosses}, "no heuristic but open_lines, and LineWeights of whole numbers"),
    (Board(), {"depth": 2, "heuristic": LineWeights(0, 0.5, 1, 2)}, "LineWeights of whole numbers"),
    (Board(), {"depth": 2, "heuristic": LineWeights(0, 1, WIN_VALUE // 8, 0)}, "together count less than a win"),
    (Board((9, 9)), {"depth": 1}, "up to 64 cells"),
    (Board((1, 40), 20), {"depth": 1, "order": "best-gain"}, "up to 15 in a row"),
    (Nim(5), {}, "takes boards of up to 64 cells.* Use the one of the same name in ttt.search"),
    (Board(), {"order": sorted}, "can't call your order"),
    (Board(), {"depth": -1}, "The depth must be"),
    (Board((4, 4)), {}, "16 free cells"),
    (Board(), {"depth": 2, "heuristic": LineWeights(0, 1, 2)}, r"\(0, 1, 2\).* needs 4"),
]


@pytest.mark.parametrize("board, how, sentence", REFUSED, ids=lambda part: str(part)[:40])
def test_what_is_not_compiled_is_refused_in_a_sentence(board, how, sentence):
    for search in (compiled.alphabeta, *([compiled.minimax] if "order" not in how else [])):
        with pytest.raises((BoardError, BadSearch, HeuristicError), match=sentence):
            search(board, **how)


def test_weights_that_come_just_short_of_a_win_are_compiled():
    weights = LineWeights(0, 1, WIN_VALUE // 8 - 1, 0)
    assert compiled.minimax(Board(), 2, weights) == minimax(Board(), 2, weights)


def test_compiled_searches_are_methods_with_their_own_names_that_find_what_the_readable_ones_find():
    boards, names = random_positions(Board(), 6, seed=3), ("alphabeta", "minimax")
    how = {"depth": [2, 3], "heuristic": [None, open_lines], "order": ["row-major", "best-gain"]}
    several = sweep(boards, method=[*names, *(f"compiled.{name}" for name in names)], **how)
    found = [*POSITION, "heuristic", "order", "depth", "value", "move", "nodes", "leaves", "cutoffs"]
    for name in names:
        readable, fast = (several[several["method"] == method] for method in (name, f"compiled.{name}"))
        assert readable[found].reset_index(drop=True).equals(fast[found].reset_index(drop=True)) and len(fast)
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


def test_a_long_search_can_be_stopped():
    """By the interrupt that Jupyter and Ctrl-C send, and by a time limit; the searches would take days.

    The clock of the time limit jumps when the search has begun, so that no machine is too slow or too fast.
    """
    script = """
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
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "interrupted True\nlate True\n"
