"""Long jobs on several cores or on a cluster: tasks go to executors, and their answers come back in the tasks' order.

Any `concurrent.futures.Executor` will do: those of `workers(4)` on this machine, `Client(ADDRESS).get_executor()` of a
dask cluster, whose workers need this version of ttt, or your own.
"""

import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future
from contextlib import contextmanager
from itertools import islice
from typing import Any, TypeVar

Task = TypeVar("Task")
Answer = TypeVar("Answer")


class WorkerDied(RuntimeError):
    """The process that worked on a task ended, as when memory runs out; the message names the task."""


def each(
    work: Callable[[Task], Answer], tasks: Iterable[Task], executors: Sequence[Executor] = (), ahead: int = 64
) -> Iterator[Answer]:
    """Yield the answer to each task, in the order of the tasks; without an executor, do one after the other, here.

    At most `ahead` tasks are handed out before the first answer is there. Raises what the work raises, and
    `WorkerDied`; then waiting tasks are cancelled.

    >>> list(each(abs, [-1, 2]))
    [1, 2]
    """
    if not executors:
        yield from map(work, tasks)
        return
    waiting, running = iter(tasks), deque[tuple[Task, Future[Answer], Executor]]()
    try:
        while True:
            for task in islice(waiting, ahead - len(running)):
                idlest = min(executors, key=[one for _, future, one in running if not future.done()].count)
                running.append((task, idlest.submit(work, task), idlest))
            if not running:
                return
            yield running[0][1].result()
            running.popleft()
    except Exception as error:
        if not _died(error):
            raise
        names = [f"{task}" for task, future, _ in running if _died(future.exception())] or ["a task"]
        raise WorkerDied(f"The process that worked on {names[0]} ended. Is there enough memory?") from None
    finally:
        for _, future, _ in running:
            future.cancel()


def _died(error: BaseException | None) -> bool:
    return isinstance(error, BrokenExecutor) or type(error).__name__ == "KilledWorker"  # as dask calls it


@contextmanager
def workers(count: int) -> Iterator[list[Executor]]:
    """Processes on this machine, which end with this one, however it ends; each has tasks of its own."""
    from concurrent.futures import ProcessPoolExecutor  # missing from Python in a browser
    from multiprocessing import Pipe, get_context

    parent, alive = Pipe(duplex=False)
    settings: Any = {"mp_context": get_context("spawn"), "initializer": _begin, "initargs": (parent,)}
    executors: list[Executor] = [ProcessPoolExecutor(1, **settings) for _ in range(count)]
    try:
        yield executors
    finally:
        alive.close()  # which ends them
        for executor in executors:
            executor.shutdown(cancel_futures=True)


def _begin(parent: Any) -> None:
    """Make this process a worker, which shows no progress bar and leaves interrupts to its parent."""
    os.environ["TQDM_DISABLE"] = "1"
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: Any) -> None:
    try:
        parent.recv()
    finally:  # nothing is ever sent: its end has been closed
        os._exit(1)
