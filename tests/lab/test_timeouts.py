"""The time of a student's call is its own: others may use the processor meanwhile, and waiting is not computing."""

import linecache
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import count
from math import inf
from pathlib import Path

import pytest
from approved import approved
from conftest import naming
from lab import GameBoard, timeouts
from lab.boards import game
from lab.checks.calling import answers
from lab.timeouts import Clock, Waiting, explain_timeout, explained, timeout

from ttt import Board
from ttt.board import OffBoard

SAID = Path(__file__).with_name("said") / "timeouts.txt"
needs_clock = pytest.mark.skipif(not hasattr(time, "pthread_getcpuclockid"), reason="no CPU clock for each thread here")


def computes(seconds):
    """Compute for so many seconds of this thread's CPU time, however long that takes."""
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


@contextmanager
def busy_thread():
    """A thread that computes meanwhile, as a board does for a student's player."""
    done = threading.Event()

    def compute():
        while not done.is_set():
            pass

    thread = threading.Thread(target=compute, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


@needs_clock
def test_a_right_function_is_not_endless_because_something_else_computes_meanwhile():
    clock = Clock(total=10, each=0.2)
    with busy_thread(), clock.ticking():
        clock.run(computes, 0.1)
    assert 0.1 <= clock.used < 0.2


@needs_clock
def test_a_call_that_computes_too_long_is_endless_in_every_thread():
    def limited():
        with pytest.raises(TimeoutError) as ended, timeout(0.1):
            computes(60)
        return ended.type

    with ThreadPoolExecutor() as pool:
        assert {limited(), pool.submit(limited).result()} == {TimeoutError}


def waits(board, player):
    time.sleep(60)


def test_a_call_that_only_waits_is_waiting_not_endless(monkeypatch):
    monkeypatch.setattr(timeouts, "MAX_WAITING_SECONDS", 0.3)
    with pytest.raises(Waiting) as ended, timeout(60):
        waits(Board(), "X")
    where = f"in line {waits.__code__.co_firstlineno + 1}: `time.sleep(60)`"
    told = f"waits was still waiting after 0.3 seconds, {where}. "
    told += "It computed almost nothing meanwhile, as in `sleep` or `input()`."
    assert explain_timeout(ended.value, "waits", 60) == told
    late = TimeoutError()
    late.__context__ = ended.value.__context__  # the line in which it was stopped
    said = f"waits gave no answer within 4 seconds, {where}. Is there an endless loop?"
    assert explain_timeout(late, "waits", 4) == said
    [answer] = answers(waits, [(Board(), "X")] * 5, Clock())  # no more is asked
    assert answer.fault == "waiting" and naming("in line", "sleep(60)").search(answer.words)


CALLED = [  # the seconds that a call computed and that passed, and what it is then called
    (0, 30, None),
    (0, 30.1, Waiting),
    (1.5, 30.1, Waiting),  # a loop with a sleep in it
    (1.6, 30.1, None),  # on a machine that has much else to do
    (3.9, 60, None),
    (4, 4, None),
    (4.1, 4.1, TimeoutError),
    (4.1, 300, TimeoutError),
]


def test_what_a_call_is_called_depends_on_what_it_computed_and_on_the_time_that_passed(monkeypatch):
    for computed, passed, late in CALLED:
        clock, times = Clock(), {"computed": 7.0, "passed": 100.0}
        monkeypatch.setattr(timeouts, "monotonic", lambda times=times: times["passed"])
        clock._cpu = lambda times=times: times["computed"]
        assert not clock._is_late()
        clock.begin()
        times |= {"computed": 7.0 + computed, "passed": 100.0 + passed}
        assert (clock._is_late(), type(clock._late)) == (late is not None, late or type(None)), (computed, passed)


def test_the_time_of_all_calls_adds_up():
    clock, now = Clock(total=10, each=4), count(0, 5)  # each look at the clock is five seconds later
    clock._cpu = lambda: next(now)
    for used in (5, 10, 15):
        assert not clock.over
        clock.run(int)
        assert clock.used == used
    assert clock.over


def test_without_a_clock_for_each_thread_the_process_is_timed(monkeypatch):
    monkeypatch.delattr(time, "pthread_getcpuclockid", raising=False)
    assert timeouts.cpu_clock(threading.current_thread()) is time.process_time
    with pytest.raises(TimeoutError), timeout(0.1):
        computes(60)


def test_students_have_the_seconds_that_the_lab_says():
    assert f"within {game.MAX_THINKING_SECONDS:g} s" in " ".join(GameBoard.__doc__.split())
    given = game.MAX_THINKING_SECONDS, game.MAX_JUDGING_SECONDS, Clock().each, Clock().patience, Clock().total
    assert given == (10, 5, 4, 30, inf)


FAILING = """
class Shy(Exception):
    def __str__(self): raise ValueError
def fails(kind):
    if kind == "empty": raise ValueError
    if kind == "short": raise ValueError("It is 3.")
    if kind == "long": raise ValueError("x" * 1001)
    if kind == "two": raise ValueError("It is 3. It should be 4.")
    if kind == "shy": raise Shy("never seen")
    if kind == "the lab's": Board().play(9)
    if kind == "interrupted": raise KeyboardInterrupt
    while True: helper(kind)
def helper(kind):
    return 1 / 0
"""
KINDS = ["empty", "short", "long", "two", "shy", "the lab's", "interrupted", "helper"]


def test_an_error_is_told_in_one_sentence_with_the_students_line():
    names = {"__name__": "__main__", "Board": Board}
    linecache.cache["<cell>"] = len(FAILING), None, FAILING.splitlines(keepends=True), "<cell>"
    exec(compile(FAILING, "<cell>", "exec"), names)
    errors = [ValueError("Nobody's."), OffBoard("There is no such cell.")]
    for kind in KINDS:
        with pytest.raises(BaseException) as raised:
            names["fails"](kind)
        errors.append(raised.value)
    told = [explained(error, "fails").replace("x" * 1000, "x, a thousand times") for error in errors]
    linecache.cache["<cell>"] = 0, None, [], "<cell>"  # a line that can't be read is not told
    assert approved(SAID, "errors", "\n".join([*told, explained(errors[3], "fails")]))
