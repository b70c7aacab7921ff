"""Runs many short tasks on other processes, in batches that take a process about half a second."""

import os
import pickle
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from contextlib import contextmanager, suppress
from functools import lru_cache
from math import ceil
from threading import Thread
from time import perf_counter, sleep
from traceback import format_exception
from typing import Any

BATCH_SECONDS = 0.5  # of work for a process at a time
MAX_BATCH_SECONDS = 1
FIRST_BATCHES = 8  # under way at a time; each that is done makes room for one more

Batches = Generator[tuple[int, Any], None, None]


@contextmanager
def pool(n_jobs: int, executor: Any) -> Iterator[Executor | None]:
    """The executor to use: the one given, one with new processes, or None for this process. Raises `ValueError`."""
    if executor is not None and n_jobs > 1:
        raise ValueError("Give `n_jobs` or `executor`, not both: the executor has its own processes.")
    if hasattr(executor, "get_executor"):  # dask's Client
        executor = executor.get_executor(pure=False)
    if executor is not None and not isinstance(executor, Executor):
        raise ValueError(f"`executor` must be an executor of `concurrent.futures` or dask's client, not {executor!r}.")
    if executor or n_jobs == 1:
        yield executor
        return
    from joblib.externals.loky import ProcessPoolExecutor  # missing from Python in a browser

    processes = ProcessPoolExecutor(n_jobs, initializer=_end_with_parent, initargs=(os.getpid(),))
    try:
        yield processes
    finally:
        processes.shutdown(kill_workers=True)


def in_batches(function: Callable[[Any], Any], tasks: Sequence[Any], executor: Executor) -> Batches:
    """Call a function with each task, and yield the task's number and the result when its batch is done.

    The first batches are single tasks, and show how many fit into the next. A batch that takes too long comes back
    with what it has. All travels as bytes, which may hold functions of a notebook, and which dask doesn't look into.
    Raises what calls and processes raise. An error that the function returns has a note with its traceback.
    """
    from joblib.externals.loky import ProcessPoolExecutor
    from joblib.externals.loky.backend.reduction import dumps

    work, todo, size, room = bytes(dumps(function)), deque(range(len(tasks))), 1, FIRST_BATCHES
    under_way: dict[Future[Any], list[int]] = {}
    try:
        while todo or under_way:
            while todo and len(under_way) < room:
                batch = [todo.popleft() for _ in range(min(size, len(todo)))]
                sent = bytes(dumps([tasks[n] for n in batch]))
                under_way[executor.submit(_call, work, sent)] = batch
            for future in wait(under_way, return_when=FIRST_COMPLETED).done:
                results, seconds = future.result()
                batch = under_way.pop(future)
                todo.extendleft(reversed(batch[len(results) :]))
                size, room = ceil(BATCH_SECONDS * len(results) / seconds), room + 1
                yield from zip(batch, results, strict=False)
    finally:
        if not isinstance(executor, ProcessPoolExecutor):  # loky's can't be ended once a future is cancelled
            for future in under_way:
                future.cancel()


def _call(work: bytes, sent: bytes) -> tuple[list[Any], float]:
    """The results of the first tasks, of as many as fit into a second, and how long they took."""
    function, results, start, seconds = _loaded(work), [], perf_counter(), 0.0
    for task in pickle.loads(sent):
        result = function(task)
        results.append(_portable(result) if isinstance(result, Exception) else result)
        seconds = perf_counter() - start
        if seconds > MAX_BATCH_SECONDS:
            break
    return results, seconds


@lru_cache(1)
def _loaded(work: bytes) -> Any:
    return pickle.loads(work)


def _portable(error: Exception) -> Exception:
    """An error that can be sent to another process, with its traceback as a note."""
    error.add_note("".join(format_exception(error)).strip())
    with suppress(Exception):
        pickle.loads(pickle.dumps(error))
        return error
    other = RuntimeError(f"{type(error).__name__}: {error}")
    vars(other)["__notes__"] = error.__notes__
    return other


def _end_with_parent(parent: int) -> None:
    """In a new process, start a thread that ends it soon after its parent."""

    def watch() -> None:
        while os.getppid() == parent:  # Windows doesn't tell
            sleep(1)
        os._exit(1)

    Thread(target=watch, daemon=True).start()
