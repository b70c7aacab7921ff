"""Runs many short calls on other processes, in batches that take a process about half a second."""

import os
import pickle
from collections import deque
from collections.abc import Callable, Hashable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from contextlib import contextmanager
from math import ceil
from threading import Thread
from time import perf_counter, sleep
from typing import Any, TypeVar

BATCH_SECONDS = 0.5  # of work for a process at a time
MAX_BATCH_SECONDS = 1
FIRST_BATCHES = 8  # under way at a time; each that is done makes room for one more

Name = TypeVar("Name", bound=Hashable)
_watched: set[int] = set()  # processes that end with their parent


@contextmanager
def pool(n_jobs: int, executor: Executor | None) -> Iterator[Executor | None]:
    """The executor to use: the one given, one with new processes, or None for this process."""
    if executor or n_jobs == 1:
        yield executor
        return
    from joblib.externals.loky import ProcessPoolExecutor  # missing from Python in a browser

    processes = ProcessPoolExecutor(n_jobs, initializer=_end_with_parent, initargs=(os.getpid(),))
    try:
        yield processes
    finally:
        processes.shutdown(kill_workers=True)


def in_batches(calls: Mapping[Name, Callable[[], Any]], executor: Executor) -> Iterator[tuple[Name, Any]]:
    """Make each call, and yield its name and result when its batch is done. Raises what calls and processes raise.

    The first batches are single calls, and show how many fit into the next. A batch that takes too long comes back
    with what it has. Calls travel as bytes, which may hold functions of a notebook, and which dask doesn't look into.
    """
    from joblib.externals.loky.backend.reduction import dumps

    todo, size, room = deque(calls), 1, FIRST_BATCHES
    under_way: dict[Future[Any], list[Name]] = {}
    try:
        while todo or under_way:
            while todo and len(under_way) < room:
                batch = [todo.popleft() for _ in range(min(size, len(todo)))]
                work = bytes(dumps([calls[name] for name in batch]))
                under_way[executor.submit(_make_calls, work, os.getpid())] = batch
            for future in wait(under_way, return_when=FIRST_COMPLETED).done:
                results, seconds = future.result()
                batch = under_way.pop(future)
                todo.extendleft(reversed(batch[len(results) :]))
                size, room = ceil(BATCH_SECONDS * len(results) / seconds), room + 1
                yield from zip(batch, results, strict=False)
    finally:
        for future in under_way:
            future.cancel()


def _make_calls(work: bytes, parent: int) -> tuple[list[Any], float]:
    """The results of the first calls, of as many as fit into a second, and how long they took."""
    _end_with_parent(parent)
    results, start, seconds = [], perf_counter(), 0.0
    for call in pickle.loads(work):
        results.append(call())
        seconds = perf_counter() - start
        if seconds > MAX_BATCH_SECONDS:
            break
    return results, seconds


def _end_with_parent(parent: int) -> None:
    """In a process with this parent, start a thread that ends the process soon after the parent."""
    if os.getppid() == parent and os.getpid() not in _watched:
        _watched.add(os.getpid())
        Thread(target=_watch, args=(parent,), daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:  # Windows doesn't tell
        sleep(1)
    os._exit(1)
