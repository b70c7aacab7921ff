"""Batches: as many short calls as fit in a second, one long one, and what is left when something breaks."""

import os
import pickle
import signal
import threading
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor, ThreadPoolExecutor

import pytest
from lab.statistics import batches
from lab.statistics.batches import MAX_BATCH_SECONDS, in_batches, pool


class Counting(ThreadPoolExecutor):
    """An executor that knows how many calls its batches had, and what came back."""

    def __init__(self):
        super().__init__(2)
        self.sizes, self.batches = [], []

    def submit(self, function, work, sent):
        self.sizes.append(len(pickle.loads(sent)))
        self.batches.append(super().submit(function, work, sent))
        return self.batches[-1]


clock = threading.local()  # of each thread, which only a nap moves


def now():
    return getattr(clock, "now", 0.0)


def nap(task):
    number, seconds = task
    clock.now = now() + seconds
    return number


@pytest.fixture
def dreamt(monkeypatch):
    monkeypatch.setattr(batches, "perf_counter", now)


@pytest.mark.usefixtures("dreamt")
def test_short_tasks_travel_in_large_batches_and_each_is_done_once():
    with Counting() as executor:
        found = dict(in_batches(nap, [(n, 1e-5) for n in range(20_000)], executor))
    assert found == {n: n for n in range(20_000)}
    assert executor.sizes[0] == 1 and len(executor.sizes) < 60


@pytest.mark.usefixtures("dreamt")
def test_a_batch_of_tasks_that_turn_out_long_comes_back_before_its_end():
    with Counting() as executor:
        found = dict(in_batches(nap, [(n, 0.001 if n < 20 else 0.3) for n in range(30)], executor))
    assert found == {n: n for n in range(30)} and sum(executor.sizes) > 30
    assert max(batch.result()[1] for batch in executor.batches) <= MAX_BATCH_SECONDS + 0.3


def test_functions_of_a_notebook_reach_any_executor():
    with ProcessPoolExecutor(1) as executor:
        assert dict(in_batches(lambda n: n * n, range(9), executor)) == {n: n * n for n in range(9)}


def die(number):
    if number == 5:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def test_what_was_found_before_a_process_died_is_kept():
    found = {}
    with pytest.raises(BrokenExecutor), ProcessPoolExecutor(1) as executor:
        for number, result in in_batches(die, range(100), executor):
            found[number] = result
    assert found == {n: n for n in range(len(found))} and 1 <= len(found) <= 5


def test_an_error_that_is_returned_has_its_traceback_as_a_note():
    def failing(number):
        try:
            return 1 // number
        except ZeroDivisionError as error:
            return error

    with ProcessPoolExecutor(1) as executor:
        found = dict(in_batches(failing, range(2), executor))
    assert isinstance(found[0], ZeroDivisionError) and "in failing" in "".join(found[0].__notes__) and found[1] == 1


def test_without_processes_there_is_no_executor():
    with pool(1, None) as executor:
        assert executor is None
