"""The progress bar: one at a time, only on a screen, and gone when its work has ended, however it ended."""

import io
import sys
import threading
from contextlib import suppress
from types import SimpleNamespace

import pytest

from ttt import Board, exact, match, search, tournament
from ttt.progress import progress


class Screen(io.StringIO):
    """A terminal."""

    def isatty(self):
        return True


@pytest.fixture
def bars(monkeypatch):
    """The bars that are made on a terminal, each of which appears at once."""
    tqdm, made = pytest.importorskip("tqdm.auto").tqdm, []

    class Bar(tqdm):
        def __init__(self, **how):
            made.append(self)
            self.asked = how
            super().__init__(**how | {"delay": 0, "disable": False})  # tqdm read the variable when it was imported

    monkeypatch.delenv("TQDM_DISABLE", raising=False)
    monkeypatch.setattr("tqdm.auto.tqdm", Bar)
    monkeypatch.setattr("ttt.progress.sys", SimpleNamespace(modules=sys.modules, stderr=Screen()))  # not pytest's
    return made


def test_a_bar_counts_what_it_yields_and_there_is_one_at_a_time_and_no_thread_of_its_own(bars):
    threads = threading.active_count()
    assert [list(progress(range(n), "leaves")) for n in progress([2, 3], "moves")] == [[0, 1], [0, 1, 2]]
    assert list(progress(iter("abc"), "letters", 3)) == ["a", "b", "c"]
    with suppress(ZeroDivisionError):
        for item in progress([1, 0, 1], "items"):
            assert 1 / item
    growing = [1]
    for item in progress(growing, "more", 5):
        growing += [item + 1] if item < 5 else []
    assert [(bar.total, bar.n, bar.unit) for bar in bars] == [
        *[(2, 2, " moves"), (3, 3, " letters"), (1, 1, " items"), (5, 5, " more")]
    ]
    assert {(bar.asked["delay"], bar.leave) for bar in bars} == {(2, False)}  # for what takes long, and then gone
    assert [bar.asked["total"] for bar in bars] == [2, 3, 3, 5] and threading.active_count() == threads


LATE = Board.from_text("XX- OO- ---")
WORK = [  # with how many of what are counted first
    ("3 games", lambda: match("random", "random", 3)),
    ("4 playouts", lambda: search.mcts(Board(), 4)),
    ("5 moves", lambda: search.minimax(LATE)),
    ("5 moves", lambda: search.negamax(LATE)),
    ("5 moves", lambda: search.alphabeta(LATE)),
    ("2 pairings", lambda: tournament(["random", "perfect"], LATE)),
    ("1 positions", lambda: exact("random", "random", LATE)),
]


@pytest.mark.parametrize("counted, work", WORK)
def test_what_takes_long_is_counted_in_its_own_unit(bars, counted, work):
    work()
    assert f"{bars[0].n}{bars[0].unit}" == counted


def test_without_tqdm_there_is_no_bar_and_no_error(bars, monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    assert list(progress([1, 2], "items")) == [1, 2]


@pytest.mark.parametrize("place", ["a notebook", "a log", "a test", "a worker process"])
def test_there_is_a_bar_in_a_notebook_and_none_in_a_log_a_test_or_another_process(bars, monkeypatch, place):
    if place in ("a notebook", "a log"):
        monkeypatch.setattr("ttt.progress.sys.stderr", io.StringIO())
    if place == "a notebook":
        monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=object))
    if place == "a test":
        monkeypatch.setenv("TQDM_DISABLE", "1")
    if place == "a worker process":
        monkeypatch.setattr("ttt.progress.parent_process", object)
    assert list(progress([1, 2], "items")) == [1, 2] and len(bars) == (place == "a notebook")
