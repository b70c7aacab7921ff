"""The time of a student's call is its own: others may use the processor meanwhile, and waiting is not computing."""

import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from itertools import count
from math import inf

import pytest
from conftest import naming
from lab import GameBoard, timeouts
from lab.boards import game
from lab.checks.calling import answers
from lab.timeouts import Clock, Waiting, explain_timeout, timeout

from ttt import Board

BUSY = "while True: pass"
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


@contextmanager
def busy_process():
    process = subprocess.Popen([sys.executable, "-c", BUSY])
    try:
        yield
    finally:
        process.kill()
        process.wait()


@needs_clock
@pytest.mark.parametrize("meanwhile", [busy_thread, busy_process])
def test_a_right_function_is_not_endless_because_something_else_computes_meanwhile(meanwhile):
    with meanwhile(), timeout(0.3):
        computes(0.2)
    clock = Clock(total=10, each=0.3)
    with meanwhile(), clock.ticking():
        clock.run(computes, 0.2)
    assert 0.2 <= clock.used < 0.3


@needs_clock
def test_a_call_that_computes_too_long_is_endless_in_every_thread():
    ends = []

    def limited():
        with pytest.raises(TimeoutError) as ended, timeout(0.2):
            computes(60)
        ends.append(ended.type)

    limited()
    thread = threading.Thread(target=limited)
    thread.start()
    thread.join()
    assert ends == [TimeoutError, TimeoutError]


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


@pytest.mark.parametrize(
    "computed, passed, late",
    [
        (0, 29, None),
        (0, 31, Waiting),
        (0.1, 31, Waiting),  # a loop with a sleep in it
        (3.9, 31, None),  # on a machine that has much else to do
        (3.9, 60, None),
        (4.1, 4.1, TimeoutError),
        (4.1, 300, TimeoutError),
    ],
)
def test_what_a_call_is_called_depends_on_what_it_computed_and_on_the_time_that_passed(
    monkeypatch, computed, passed, late
):
    clock = Clock(each=4)
    monkeypatch.setattr(timeouts, "process_time", lambda: 0)
    monkeypatch.setattr(timeouts, "monotonic", lambda: 100)
    clock._cpu = timeouts.process_time
    clock.begin()
    monkeypatch.setattr(timeouts, "monotonic", lambda: 100 + passed)
    clock._cpu = lambda: computed
    assert clock._is_late() == (late is not None) and (late is None or type(clock._late) is late)


def test_the_time_of_all_calls_adds_up():
    clock, now = Clock(total=10, each=4), count(0, 3)  # each look at the clock is three seconds later
    clock._cpu = lambda: next(now)
    for used in (3, 6, 9, 12):
        assert not clock.over
        clock.run(int)
        assert clock.used == used
    assert clock.over


def test_without_a_clock_for_each_thread_the_process_is_timed(monkeypatch):
    monkeypatch.delattr(time, "pthread_getcpuclockid", raising=False)
    assert timeouts.cpu_clock(threading.current_thread()) is time.process_time
    with pytest.raises(TimeoutError), timeout(0.2):
        computes(60)


def test_students_have_the_seconds_that_the_lab_says():
    assert f"within {game.MAX_THINKING_SECONDS:g} s" in " ".join(GameBoard.__doc__.split())
    given = game.MAX_THINKING_SECONDS, game.MAX_JUDGING_SECONDS, Clock().each, Clock().patience, Clock().total
    assert given == (10, 5, 4, 30, inf)
