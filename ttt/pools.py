"""Long jobs, on one machine or many: workers do the tasks, and a worker that dies costs only its task.

`each` takes any `concurrent.futures.Executor`, or a `WorkerPool`, which is replaced when it breaks: `processes` on this
machine, or `cluster` on dask, which comes with `pip install "ttt[cluster]"`. Start a cluster with dask's own tools,
with this package installed wherever a worker runs, and pass on the scheduler's address:

- by hand: `dask scheduler`, then on each machine `dask worker tcp://HOST:8786 --nworkers auto --nthreads 1`;
- SLURM: `from dask_jobqueue import SLURMCluster; cluster = SLURMCluster(cores=8, memory="16GB"); cluster.scale(64)`;
- Kubernetes: `from dask_kubernetes.operator import KubeCluster; KubeCluster(name="ttt", image=IMAGE, n_workers=8)`;

and then, while that session is open, `ttt grade … --dask ADDRESS`, with `tcp://HOST:8786` or the value of
`cluster.scheduler_address`. Anyone who can reach that address can run anything there, so keep it inside your network or
use dask's TLS. Submissions are judged in a sandbox on the workers, each of which needs bubblewrap. A task carries its
submission with it, so no shared folder is needed, except for the pictures of the exercise `interface`.
"""

from __future__ import annotations

import gc
import hashlib
import importlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future, wait
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from functools import cache, partial
from itertools import chain, islice
from pathlib import Path
from types import FrameType
from typing import Any, TypeVar

Task = TypeVar("Task")
Answer = TypeVar("Answer")

TICK = 0.2  # seconds between checks for an interrupt
GRACE = 4.0  # seconds that an interrupt leaves to tasks in progress
CONNECT = 10  # seconds for a cluster to answer
AHEAD = 200  # tasks that a cluster is given at least, so that an adaptive one sees what is needed


class NoCluster(RuntimeError):
    """There is no such cluster, or it lacks this package; the message says what to do."""


@dataclass(frozen=True)
class FailedTask:
    """The answer of a task that killed its worker again and again."""

    why: str


@dataclass(frozen=True)
class WorkerPool:
    """Workers, and how to start them.

    Args:
        start: opens an executor with this many workers.
        workers: how many to start, and to start again when the executor breaks; 0 for an executor that can't be
            replaced.
        ahead: how many tasks are submitted before they are needed; when the executor breaks, these are the suspects.
        far: whether the workers are on other machines.
    """

    start: Callable[[int], AbstractContextManager[Executor]]
    workers: int = 0
    ahead: int | None = None
    far: bool = False


# ------------------------------------------------------------------------------------------------- tasks


def each(
    work: Callable[[Task], Answer], tasks: Iterable[Task], pool: WorkerPool | Executor | None = None
) -> Generator[tuple[Task, Answer | FailedTask], None, None]:
    """Yield every task with its answer, once, in the order in which the answers come.

    When a worker dies, the tasks that may have killed it are tried again, each alone; one that kills again is answered
    by `FailedTask`. An interrupt leaves tasks in progress a few seconds, yields their answers, and is then raised.

    Args:
        work: the function to call with each task; other processes must be able to import it.
        pool: where to call it; by default in this process. A broken executor of the caller's is not replaced: its
            `BrokenExecutor` is raised.

    Raises what the work raises, and cancels what the executor has not begun.

    >>> list(each(abs, [-1, 2]))
    [(-1, 1), (2, 2)]
    """
    if pool is None:
        yield from ((task, work(task)) for task in tasks)
        return
    if isinstance(pool, Executor):
        executor = pool
        pool = WorkerPool(lambda workers: nullcontext(executor))
    waiting = iter(tasks)
    with interrupts() as interrupted:
        for first in waiting:  # start workers only if there is a task, and again if the executor broke before the last
            waiting = chain([first], waiting)
            for task in (yield from _round(work, waiting, pool, pool.workers, interrupted)):
                if (yield from _round(work, iter([task]), pool, 1, interrupted)):
                    yield task, FailedTask("the process that worked on it ended, twice")


def _round(
    work: Callable[[Task], Answer],
    waiting: Iterator[Task],
    pool: WorkerPool,
    workers: int,
    interrupted: threading.Event,
) -> Generator[tuple[Task, Answer | FailedTask], None, list[Task]]:
    """Do the waiting tasks until none is left or the executor breaks; return the tasks that may have broken it."""
    running: dict[Future[Answer], Task] = {}
    if pool.far:
        work = partial(_with_same_code, code(), work)
    with pool.start(workers) as executor:
        try:
            while not interrupted.is_set():
                for task in islice(waiting, None if pool.ahead is None else pool.ahead - len(running)):
                    running[_submitted(executor, work, task)] = task
                if not running:
                    return []
                done = wait(running, TICK, FIRST_COMPLETED).done
                broken = {future for future in done if workers and isinstance(future.exception(), BrokenExecutor)}
                for future in done - broken:
                    answer = _answer(future)
                    yield running.pop(future), answer
                if broken:
                    return list(running.values())
            yield from _last_answers(running)
            raise KeyboardInterrupt
        finally:
            for future in running:
                future.cancel()


def _last_answers(running: dict[Future[Answer], Task]) -> Iterator[tuple[Task, Answer]]:
    """The answers that come within a few seconds of an interrupt, from tasks that were in progress."""
    in_progress = [future for future in running if not future.cancel()]
    if sys.stderr.isatty():
        print("\nFinishing what is in progress; press Ctrl+C again to stop now.", file=sys.stderr)
    for future in wait(in_progress, GRACE).done:
        if not future.exception():
            yield running[future], future.result()


def _submitted(executor: Executor, work: Callable[[Task], Answer], task: Task) -> Future[Answer]:
    """The future of a task; if the executor is broken, one that says so."""
    try:
        return executor.submit(work, task)
    except BrokenExecutor as broken:
        future: Future[Answer] = Future()
        future.set_exception(broken)
        return future


def _answer(future: Future[Answer]) -> Answer | FailedTask:
    """The answer of a task; on a cluster, which retries tasks itself, perhaps that it failed."""
    error = future.exception()
    if type(error).__name__ == "KilledWorker":
        return FailedTask("the workers of the cluster that worked on it ended")
    return future.result()


@contextmanager
def interrupts() -> Iterator[threading.Event]:
    """An event in place of `KeyboardInterrupt`, which could hit the code of a lock. A second interrupt is raised."""
    interrupted = threading.Event()

    def note(number: int, frame: FrameType | None) -> None:
        if interrupted.is_set():
            raise KeyboardInterrupt
        interrupted.set()

    if threading.current_thread() is not threading.main_thread():
        yield interrupted
        return
    before = signal.signal(signal.SIGINT, note)
    try:
        yield interrupted
    finally:
        signal.signal(signal.SIGINT, before)


# ------------------------------------------------------------------------------------------------- processes


def pool(workers: int = 0, dask: str = "") -> WorkerPool | None:
    """The pool for `--workers N --dask ADDRESS`: a cluster, or N processes, 0 for one per core; None for one."""
    if dask:
        return cluster(dask)
    count = workers or os.cpu_count() or 1
    return processes(count) if count > 1 else None


def processes(workers: int) -> WorkerPool:
    """Processes on this machine, which leave interrupts to their parent, and end when it does, however it ends.

    On Linux they are forks, which have everything that the parent has loaded and computed. Forking is safe only while
    the parent has no other threads, because a lock that one of them holds would stay locked in the fork.
    """
    return WorkerPool(_started, workers, 2 * workers)


@contextmanager
def _started(workers: int) -> Iterator[Executor]:
    import multiprocessing  # missing from Python in a browser
    from concurrent.futures import ProcessPoolExecutor

    forks = sys.platform == "linux" and threading.active_count() == 1 and "numba" not in sys.modules
    context, others = multiprocessing.get_context("fork" if forks else "spawn"), multiprocessing.active_children()
    executor = ProcessPoolExecutor(workers, mp_context=context, initializer=_set_up_worker)
    try:
        with _interrupts_blocked(), suppress(BrokenExecutor):  # which is raised again when there is work
            for _ in range(workers):
                executor.submit(int)
        yield executor
    except BaseException:
        for worker in set(multiprocessing.active_children()) - set(others):
            worker.terminate()
        raise
    finally:
        executor.shutdown(cancel_futures=True)


@contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """Block interrupts, also in the processes that are started meanwhile, which inherit this."""
    if sys.platform == "win32":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


_in_worker = threading.Event()


def disposable() -> bool:
    """Whether this process is a worker of `processes`: if it exits, that costs one task."""
    return _in_worker.is_set()


def _set_up_worker() -> None:
    """Make this process a worker: without progress bars, ignoring interrupts, and ending with its parent."""
    _in_worker.set()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.freeze()  # what was inherited stays, so the collector need not look at it
    os.environ["TQDM_DISABLE"] = "1"
    threading.Thread(target=_exit_with_parent, daemon=True).start()


def _exit_with_parent() -> None:
    from multiprocessing import parent_process

    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


# ------------------------------------------------------------------------------------------------- a dask cluster


def cluster(address: str) -> WorkerPool:
    """The workers of a dask cluster, by the address of its scheduler, such as tcp://HOST:8786.

    When a worker dies, the cluster itself retries the task (`distributed.scheduler.allowed-failures`).
    Raises `NoCluster` if there is no answer.
    """

    @contextmanager
    def start(workers: int) -> Iterator[Executor]:
        with _client(address) as client:
            try:
                yield client.get_executor(pure=False)
            except ImportError as error:
                message = f"The workers of {address} need this version of ttt and its dependencies: {error}"
                raise NoCluster(message) from None
            except CancelledError:
                raise NoCluster(f"The connection to the cluster at {address} was lost.") from None

    with _client(address) as client:  # find out now whether it answers
        threads = sum(client.nthreads().values())
    return WorkerPool(start, ahead=max(AHEAD, 4 * threads), far=True)


@contextmanager
def _client(address: str) -> Iterator[Any]:
    try:
        dask: Any = importlib.import_module("distributed")  # imported only if there is a cluster
    except ImportError:
        raise NoCluster('A cluster needs dask: pip install "distributed>=2024.8".') from None
    try:
        client = dask.Client(address, timeout=CONNECT, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        why = f"{error}".partition("\n")[0] or "no answer"
        raise NoCluster(f"No dask scheduler answers at {address}: {why}. It looks like tcp://HOST:8786.") from None
    with client:
        yield client


def _with_same_code(expected: str, work: Callable[[Task], Answer], task: Task) -> Answer:
    """Work on another machine, if it has the same version of this package."""
    if code() != expected:
        raise ImportError("the code is not the same")
    return work(task)


@cache
def code() -> str:
    """A digest of the package's source."""
    files = sorted(Path(__file__).parent.rglob("*.py"))
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()
