"""The engine finds what the readable search finds, and visits what it visits: the whole record."""

import functools
import itertools
import json
import os
import pty
import random
import subprocess
import sys
import termios
from contextlib import suppress
from pathlib import Path

import pytest

import ttt
from ttt import Board
from ttt.heuristics import WIN, LineWeights, open_lines
from ttt.search import alphabeta, engine, minimax, negamax
from ttt.symmetry import automorphisms

SWITCHES = ("killer", "table", "symmetry", "deepening", "pvs")
OPTIONS = {
    "no option": {},
    "most lines": {"order": "most-lines"},
    "best gain": {"order": "best-gain"},
    **{name: {name: True} for name in SWITCHES},
    "sooner": {"sooner": True},
    "window": {"window": (-1, 1)},
}
ALL = {"order": "best-gain", **dict.fromkeys(SWITCHES, True)}
MODES = {
    "without JIT": "import os; os.environ['NUMBA_DISABLE_JIT'] = '1'",
    "without numba": "import sys; sys.modules['numba'] = None",
}


def after(moves, *shape):
    """The board after these moves."""
    return functools.reduce(Board.play, moves, Board(*shape))


def every_combination():
    """Every way to switch the options on and off."""
    for order, *on in itertools.product(("row-major", "most-lines", "best-gain"), *[(False, True)] * len(SWITCHES)):
        yield {"order": order, **dict(zip(SWITCHES, on, strict=True))}


def larger():
    """Searches on boards of other shapes: what to search with, the board, and how."""
    four, cube, small_cube = Board((4, 4)), Board((4, 4, 4)), Board((3, 3, 3))
    tens = LineWeights(0, 1, 10, 100, 0)
    middle = after((0, 63, 21, 42, 22, 41), (4, 4, 4))
    last_cell = after((63, 0, 54, 1, 45, *range(2, 28)), (8, 8))
    nearly_full = after((0, 1, 2, 3, 5, 4, 6, 7, 9, 8, 10), (4, 4))
    for options in ({}, ALL, {"order": "most-lines", "killer": True}, {"table": True, "pvs": True}):
        yield alphabeta, four, {"depth": 5, **options}
        yield alphabeta, nearly_full, options
        yield alphabeta, small_cube, {"depth": 3, "heuristic": open_lines, **options}
        yield (
            alphabeta,
            middle,
            {"depth": 3, "heuristic": tens, **options | {"symmetry": False}},
        )
        yield alphabeta, last_cell, {"depth": 2, "heuristic": open_lines, **options | {"symmetry": False}}
        yield alphabeta, after((12, 0, 6), (5, 5), 4), {"depth": 3, "heuristic": open_lines, **options}
        yield alphabeta, after((5, 0), (4, 4), 3), {"depth": 4, "sooner": True, **options}
    yield minimax, four, {"depth": 3}
    yield minimax, four, {"depth": 3, "heuristic": open_lines}
    yield negamax, nearly_full, {}
    yield minimax, cube, {"depth": 2, "heuristic": open_lines}
    yield minimax, last_cell, {"depth": 2}
    yield alphabeta, last_cell, {"depth": 2, "heuristic": open_lines, "symmetry": True, "table": True}
    yield alphabeta, middle, {"depth": 2, "heuristic": open_lines, "symmetry": True, "window": (-3, 20)}
    yield alphabeta, Board((4, 4), 2), {"depth": 12, "window": (-1, 1)}
    yield alphabeta, Board((1, 7), 3), {"order": "best-gain"}
    yield alphabeta, Board((2,) * 6, 2), {"depth": 2, "order": "best-gain", "heuristic": LineWeights(0, 1, 0)}
    yield alphabeta, Board((2, 2, 2, 2)), {"table": True}
    yield minimax, Board((2, 3), 1), {}
    yield minimax, Board((1, 1)), {"heuristic": open_lines}


def small():
    """Searches on 3×3 that are long enough to tell a wrong count."""
    for options in (*OPTIONS.values(), ALL, ALL | {"order": "most-lines", "sooner": True}):
        yield alphabeta, after((4, 0)), options
        yield alphabeta, Board(), {"depth": 4, "heuristic": open_lines, **options}
    yield alphabeta, Board(), ALL
    yield negamax, after((4, 0)), {}
    yield minimax, after((0,)), {"depth": 4, "heuristic": open_lines, "sooner": True}


def figures(fast):
    """What the searches above find and cost, as plain data."""
    found = [search(board, fast=fast, **how) for search, board, how in (*small(), *larger())]
    return [vars(one) | {"board": str(one.board)} for one in found]


@pytest.fixture(scope="module")
def readable_figures():
    return json.loads(json.dumps(figures(fast=False)))


@pytest.fixture
def never_readable(monkeypatch):
    """A fast search that the engine leaves to the readable one fails."""
    search = engine.search

    def must(method, board, depth, *how, **options):
        found = search(method, board, depth, *how, **options)
        assert found or not depth
        return found

    monkeypatch.setattr(engine, "search", must)


@pytest.mark.usefixtures("never_readable")
def test_minimax_is_the_same_search_on_every_position(positions):
    for board in positions:
        if len(board.moves) <= 6:
            assert minimax(board, fast=True) == minimax(board)
            assert negamax(board, fast=True, sooner=True) == negamax(board, sooner=True)
        else:
            assert minimax(board, fast=True).value == alphabeta(board, table=True).value


@pytest.mark.usefixtures("never_readable")
@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_alphabeta_is_the_same_search_with_each_option(positions, options):
    boards = [board for board in sorted(positions, key=str) if len(board.moves) < 9]
    for board in boards if not options else random.Random(7).sample(boards, 300):
        assert alphabeta(board, fast=True, **options) == alphabeta(board, **options)


@pytest.mark.usefixtures("never_readable")
def test_each_symmetry_is_seen_on_boards_that_it_alone_leaves_as_they_are(positions):
    kept = {}
    for board in sorted(positions, key=str):
        same = [turn for turn in automorphisms(board) if all(board[turn[cell]] == board[cell] for cell in range(9))]
        if len(same) == 2 and not board.over and alphabeta(board, symmetry=True) != alphabeta(board):
            kept.setdefault(same[1], board)
    assert len(kept) >= 5  # a quarter turn is never alone
    for board in kept.values():
        assert alphabeta(board, fast=True, symmetry=True) == alphabeta(board, symmetry=True)


@pytest.mark.usefixtures("never_readable")
def test_every_combination_of_options_is_the_same_search(positions):
    boards = sorted((board for board in positions if 3 <= len(board.moves) <= 6), key=str)
    for board, options in zip(random.Random(3).sample(boards, 96), every_combination(), strict=True):
        assert alphabeta(board, fast=True, sooner=True, **options) == alphabeta(board, sooner=True, **options)
        judged = {"depth": 3, "heuristic": open_lines, "window": (-4, 2), **options}
        assert alphabeta(board, fast=True, **judged) == alphabeta(board, **judged)


@pytest.mark.usefixtures("never_readable")
def test_boards_of_every_shape_are_the_same_search(readable_figures):
    assert json.loads(json.dumps(figures(fast=True))) == readable_figures


@pytest.mark.parametrize("mode", MODES)
def test_plain_python_is_the_same_search(mode, readable_figures):
    script = (
        f"{MODES[mode]}; import json, test_engine as t; from ttt.search.engine.compiling import compiles; "
        "print(json.dumps([compiles(), t.figures(True)]))"
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path])}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=environment, check=True)
    assert json.loads(done.stdout) == [False, readable_figures]


def test_a_table_that_is_full_is_made_anew_and_finds_the_same(monkeypatch):
    monkeypatch.setattr("ttt.search.engine.tasks.PLACES", 8)
    for options in ({"table": True}, {"deepening": True}, ALL):
        assert alphabeta(after((4,)), fast=True, **options) == alphabeta(after((4,)), **options)


# ------------------------------------------------------------------------------------------------- where it isn't used


def crosses(board, player):
    """Any other heuristic."""
    return sum(mark == player for mark in board)


@pytest.mark.parametrize(
    ("board", "how"),
    [
        (Board(), {"depth": 2, "heuristic": crosses}),
        (Board(), {"depth": 2, "heuristic": LineWeights(0, 0.5, 1, 2)}),
        (Board(), {"window": (-0.5, 0.5), "depth": 3}),
        (Board((9, 9)), {"depth": 1}),
        (Board((1, 40), 20), {"depth": 1, "order": "best-gain"}),
        (after((0, 3, 1, 4, 2)), {}),
        (Board(), {"depth": 0}),
    ],
)
def test_what_the_engine_cannot_search_is_searched_readably(board, how):
    readable = alphabeta(board, **how)
    judged = {name: how[name] for name in how.keys() & {"window", "order"}}
    assert engine.search("", board, readable.depth, how.get("heuristic"), cuts=True, **judged) is None or board.over
    assert alphabeta(board, fast=True, **how) == readable


def test_weights_that_could_outrank_a_win_are_left_to_the_readable_search():
    large = LineWeights(0, 1, WIN // 8, 0)
    assert engine.search("", Board(), 2, large, win=WIN, bonus=1) is None
    assert engine.search("", Board(), 2, LineWeights(0, 1, WIN // 8 - 1, 0), win=WIN, bonus=1)


def test_a_readable_search_leaves_numba_alone():
    script = (
        "import sys; from ttt import Board, qubic; from ttt.search import minimax; minimax(Board(), 2); "
        "qubic.search(Board((4, 4, 4))); print('numba' in sys.modules, 'numpy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


@pytest.mark.parametrize("package", ["search.engine", "search", "drawing", "runtime"])
def test_every_module_can_be_imported_first(package):
    folder = Path(ttt.__file__).parent / package.replace(".", "/")
    modules = [f"ttt.{package}.{path.stem}" for path in sorted(folder.glob("[a-z]*.py"))]
    assert len(modules) >= 2
    for module in modules:
        subprocess.run([sys.executable, "-c", f"import {module}"], check=True)


# ------------------------------------------------------------------------------------------------------ long searches


def shown_on(screen):
    """What a terminal has shown, once nobody writes to it any more."""
    shown = b""
    with suppress(OSError), os.fdopen(screen, "rb", 0) as file:
        while part := file.read(4096):
            shown += part
    return shown.decode()


@pytest.mark.parametrize(
    "search, deep",
    [
        ("alphabeta(Board((5, 5)), {depth}, open_lines, killer=True, fast=True)", 10),
        ("qubic.search(Board((4, 4, 4)), {depth})", 15),
    ],
)
def test_a_long_search_shows_how_far_it_is_and_can_be_stopped(search, deep):
    """By the interrupt that Jupyter and Ctrl-C send, once the bar is there; the search would take hours."""
    script = f"""
import _thread, sys
from ttt import Board, open_lines, qubic
from ttt.search import alphabeta
{search.format(depth=1)}
write = sys.stderr.write
def seen(text):
    write(text)
    if "nodes" in text:
        _thread.interrupt_main()
sys.stderr.write = seen
try:
    {search.format(depth=deep)}
except KeyboardInterrupt:
    print("stopped")
"""
    noisy = {name: value for name, value in os.environ.items() if name != "TQDM_DISABLE"}
    screen, terminal = pty.openpty()
    termios.tcsetwinsize(terminal, (24, 80))
    to = {"stdout": subprocess.PIPE, "stderr": terminal}
    done = subprocess.run([sys.executable, "-c", script], **to, text=True, check=True, env=noisy)
    os.close(terminal)
    assert done.stdout == "stopped\n"
    assert "nodes" in shown_on(screen)


def test_without_a_folder_to_write_to_the_engine_runs_all_the_same():
    script = (
        "import numba.core.caching as c\n"
        "for locator in c.CacheImpl._locator_classes: locator.from_function = classmethod(lambda *_: None)\n"
        "from ttt import Board; from ttt.search import alphabeta; print(alphabeta(Board(), fast=True).nodes)"
    )
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=environment, check=True)
    assert done.stdout == "18297\n"
