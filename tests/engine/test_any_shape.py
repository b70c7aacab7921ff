"""The engine for any shape finds what the readable search finds, and visits what it visits: the whole record."""

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
from math import inf
from pathlib import Path

import pytest

from ttt import Board
from ttt.engine import any_shape
from ttt.heuristics import open_lines
from ttt.record import Options
from ttt.search import Step, alphabeta, minimax, negamax
from ttt.search.tree import Tree

OPTIONS = {
    "no option": {},
    "most lines": {"order": "most-lines"},
    "best gain": {"order": "best-gain"},
    "killer": {"killer": True},
    "table": {"table": True},
    "symmetry": {"symmetry": True},
    "deepening": {"deepening": True},
    "pvs": {"pvs": True},
    "sooner": {"sooner": True},
    "window": {"window": (-1, 1)},
}
ALL = {"order": "best-gain", "killer": True, "table": True, "symmetry": True, "deepening": True, "pvs": True}
MODES = {
    "without JIT": "import os; os.environ['NUMBA_DISABLE_JIT'] = '1'",
    "without numba": "import sys; sys.modules['numba'] = None",
}


def after(moves, *shape):
    """The board after these moves."""
    return functools.reduce(Board.play, moves, Board(*shape))


def every_combination():
    """Every way to switch the options on and off."""
    switches = ("killer", "table", "symmetry", "deepening", "pvs", "sooner")
    for order, *on in itertools.product(("row-major", "most-lines", "best-gain"), *[(False, True)] * len(switches)):
        yield {"order": order, **dict(zip(switches, on, strict=True))}


def larger():
    """Searches on boards of other shapes: what to search with, the board, and how."""
    four, cube, small_cube = Board((4, 4)), Board((4, 4, 4)), Board((3, 3, 3))
    middle = after((0, 63, 21, 42, 22, 41), (4, 4, 4))
    last_cell = after((63, 0, 54, 1, 45), (8, 8))
    nearly_full = after((0, 1, 2, 3, 5, 4, 6, 7, 9, 8, 10), (4, 4))
    for options in ({}, ALL, {"order": "most-lines", "killer": True}, {"table": True, "pvs": True}):
        yield alphabeta, four, {"depth": 5, **options}
        yield alphabeta, nearly_full, options
        yield alphabeta, small_cube, {"depth": 3, "heuristic": open_lines, **options}
        yield alphabeta, middle, {"depth": 3, "heuristic": open_lines, **options | {"symmetry": False}}
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
    yield alphabeta, Board((4, 4), 2), {"depth": 16, "window": (-1, 1)}
    yield alphabeta, Board((1, 7), 3), {"order": "best-gain"}
    yield alphabeta, Board((2, 2, 2, 2)), {"table": True}
    yield minimax, Board((2, 3), 1), {}
    yield minimax, Board((1, 1)), {"heuristic": open_lines}


def small():
    """Searches on 3×3 that are long enough to tell a wrong count."""
    for options in (*OPTIONS.values(), ALL, ALL | {"order": "most-lines", "sooner": True}):
        yield alphabeta, after((4, 0)), options
        yield alphabeta, Board(), {"depth": 4, "heuristic": open_lines, **options}
    yield negamax, after((4, 0)), {}
    yield minimax, after((0,)), {"depth": 4, "heuristic": open_lines, "sooner": True}


def figures(fast):
    """What the searches above find and cost, as plain data."""
    return [search(board, fast=fast, **how).record() for search, board, how in (*small(), *larger())]


@pytest.fixture(scope="module")
def readable_figures():
    return json.loads(json.dumps(figures(fast=False)))


@pytest.fixture
def never_readable(monkeypatch):
    """A fast search that is passed on to the readable one fails."""
    can_search = any_shape.can_search

    def must(tree, *how):
        assert can_search(tree, *how) or not tree.depth
        return can_search(tree, *how)

    monkeypatch.setattr(any_shape, "can_search", must)


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
def test_every_combination_of_options_is_the_same_search(positions):
    boards = sorted((board for board in positions if 3 <= len(board.moves) <= 6), key=str)
    for board, options in zip(random.Random(3).sample(boards, 192), every_combination(), strict=True):
        assert alphabeta(board, fast=True, **options) == alphabeta(board, **options)
        judged = {"depth": 3, "heuristic": open_lines, "window": (-4, 2), **options}
        assert alphabeta(board, fast=True, **judged) == alphabeta(board, **judged)


@pytest.mark.usefixtures("never_readable")
@pytest.mark.parametrize("options", [{}, {"table": True}, {"order": "most-lines", "table": True, "pvs": True}, ALL])
def test_the_whole_of_3x3_is_the_same_search(options):
    assert alphabeta(Board(), fast=True, **options) == alphabeta(Board(), **options)


@pytest.mark.usefixtures("never_readable")
def test_the_whole_of_3x3_has_549946_nodes():
    found = minimax(Board(), fast=True)
    assert (found.nodes, found.leaves, found.cutoffs, found.best_moves) == (549_946, 255_168, 0, tuple(range(9)))
    assert found.nodes_per_ply == (1, 9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872)


@pytest.mark.usefixtures("never_readable")
def test_boards_of_every_shape_are_the_same_search(readable_figures):
    assert json.loads(json.dumps(figures(fast=True))) == readable_figures


@pytest.mark.parametrize("mode", MODES)
def test_plain_python_is_the_same_search(mode, readable_figures):
    script = (
        f"{MODES[mode]}; import json, test_any_shape as t; from ttt.engine.compiling import compiles; "
        "print(json.dumps([compiles(), t.figures(True)]))"
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path])}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=environment, check=True)
    assert json.loads(done.stdout) == [False, readable_figures]


def crosses(board, player):
    """Any other heuristic."""
    return sum(mark == player for mark in board)


@pytest.mark.parametrize(
    ("board", "how"),
    [
        (Board(), {"depth": 2, "heuristic": crosses}),
        (Board(), {"window": (-0.5, 0.5), "depth": 3}),
        (Board((9, 9)), {"depth": 1}),
        (Board((1, 40), 20), {"depth": 1, "order": "best-gain"}),
        (after((0, 3, 1, 4, 2)), {}),
        (Board(), {"depth": 0}),
    ],
)
def test_what_the_engine_cannot_search_is_searched_readably(board, how):
    options = Options(how.get("order", "row-major"))
    tree = Tree(board, how.get("depth"), how.get("heuristic"), False, options=options)
    assert not any_shape.can_search(tree, how.get("window", (-inf, inf)))
    assert alphabeta(board, fast=True, **how) == alphabeta(board, **how)


def test_who_watches_is_told_every_step():
    steps: list[Step] = []
    found = minimax(after((0, 4, 8)), depth=2, fast=True, watch=steps.append)
    assert sum(step.kind in ("visit", "leaf") for step in steps) == found.nodes


def test_a_readable_search_leaves_numba_alone():
    script = (
        "import sys; from ttt import Board; from ttt.search import minimax; minimax(Board(), 2); "
        "print('numba' in sys.modules, 'numpy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


@pytest.mark.parametrize("package", ["engine", "search"])
def test_every_module_can_be_imported_first(package):
    folder = Path(any_shape.__file__).parents[1] / package
    modules = [f"ttt.{package}.{path.stem}" for path in sorted(folder.glob("[a-z]*.py"))]
    assert len(modules) >= 6
    for module in modules:
        subprocess.run([sys.executable, "-c", f"import {module}"], check=True)


def shown_on(screen):
    """What a terminal has shown, once nobody writes to it any more."""
    shown = b""
    with suppress(OSError), os.fdopen(screen, "rb", 0) as file:
        while part := file.read(4096):
            shown += part
    return shown.decode()


def interrupted(deadline, search):
    """The kernel's interrupt, as Jupyter and Ctrl-C send it, so many seconds into a search that is compiled by then."""
    script = f"""
import _thread, threading, time
from ttt import Board, qubic
from ttt.search import alphabeta, minimax
{search.format(depth=1)}
begun = time.monotonic()
threading.Timer({deadline}, _thread.interrupt_main).start()
try:
    {search.format(depth=15)}
except KeyboardInterrupt:
    print(time.monotonic() - begun)
"""
    noisy = {name: value for name, value in os.environ.items() if name != "TQDM_DISABLE"}
    screen, terminal = pty.openpty()
    termios.tcsetwinsize(terminal, (24, 80))
    to = {"stdout": subprocess.PIPE, "stderr": terminal}
    done = subprocess.run([sys.executable, "-c", script], **to, text=True, check=True, timeout=120, env=noisy)
    os.close(terminal)
    return float(done.stdout), shown_on(screen)


@pytest.mark.parametrize(
    "search",
    [
        "minimax(Board((4, 4)), {depth}, fast=True)",
        "alphabeta(Board((4, 4)), {depth}, killer=True, fast=True)",
        "qubic.minimax(Board((4, 4, 4)), {depth}, compiled=True)",
    ],
)
def test_a_long_search_can_be_stopped_and_shows_how_far_it_is(search):
    seconds, shown = interrupted(3, search)
    assert seconds < 8
    assert "nodes" in shown


def test_without_a_folder_to_write_to_the_engine_runs_all_the_same(tmp_path):
    script = "from ttt import Board; from ttt.search import alphabeta; print(alphabeta(Board(), fast=True).nodes)"
    script = (
        "import numba.core.caching as c\n"
        "for locator in c.CacheImpl._locator_classes: locator.from_function = classmethod(lambda *_: None)\n" + script
    )
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=environment, check=True)
    assert done.stdout == "18297\n"
