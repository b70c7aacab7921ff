"""Long jobs, on one machine or many: every task is done by a worker, and one that dies costs no more than its task.

`each` takes any `concurrent.futures.Executor`, and a `WorkerPool` where a broken one is to be replaced: `processes` on
this machine, `cluster` on dask, which comes with `pip install "ttt[cluster]"`. A department starts its cluster with
dask's own deployments, with this package installed wherever a worker runs, and passes the scheduler's address on:

- by hand: `dask scheduler`, then on each machine `dask worker tcp://HOST:8786 --nworkers auto --nthreads 1`;
- SLURM: `from dask_jobqueue import SLURMCluster; cluster = SLURMCluster(cores=8, memory="16GB"); cluster.scale(64)`;
- Kubernetes: `from dask_kubernetes.operator import KubeCluster; KubeCluster(name="ttt", image=IMAGE, n_workers=8)`;

and then, while that session is open, `ttt grade … --dask ADDRESS` with `tcp://HOST:8786`, or with what
`cluster.scheduler_address` says. Whoever reaches that address can run anything there, so keep it inside, or use dask's
TLS. Submissions are judged in a jail on the workers, each of which needs bubblewrap. A task takes its submission along:
no folder is shared, but for the exercise `interface`, whose pictures the workers write.
"""

from __future__ import annotations

import csv
import gc
import hashlib
import importlib
import io
import os
import signal
import sys
import threading
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from itertools import chain, islice
from pathlib import Path
from types import FrameType
from typing import Any, TypeVar

from ttt.store import escape_formula, unescape_formula

Task = TypeVar("Task")
Answer = TypeVar("Answer")
Row = dict[str, str]
Key = tuple[str, ...]

TICK = 0.2  # seconds between looks for an interrupt
GRACE = 4.0  # seconds that an interrupt leaves to what is in work
FINISHING = b"\nFinishing what is in work; press Ctrl+C again to stop now.\n"
CONNECT = 10  # seconds in which a cluster answers
FACES = ("__main__.py", "plots.py", "svg.py", "widgets")
AHEAD = 200  # tasks that a cluster is given at least, so that one which grows by itself sees the need


class NoCluster(RuntimeError):
    """There is no such cluster, or not with this package; the message says what to do."""


@dataclass(frozen=True)
class FailedTask:
    """What comes in an answer's place for a task that killed its worker, and did so again when it was tried alone."""

    why: str


@dataclass(frozen=True)
class WorkerPool:
    """Who does the work, and how to replace it.

    Args:
        start: opens an executor of so many workers; once more where one broke.
        workers: how many of them; 0 for as many as there are.
        ahead: tasks that are handed over before they are asked for; with a pool that breaks they are the suspects.
        dies: whether an exception says that the worker has died.
        far: whether the workers see another machine's files.
    """

    start: Callable[[int], AbstractContextManager[Executor]]
    workers: int = 0
    ahead: int | None = None
    dies: Callable[[BaseException], bool] = lambda error: False
    far: bool = False


# ------------------------------------------------------------------------------------------------- every task


def each(
    work: Callable[[Task], Answer], tasks: Iterable[Task], pool: WorkerPool | Executor | None = None
) -> Generator[tuple[Task, Answer | FailedTask], None, None]:
    """Every task with its answer, once, in the order in which they come.

    Where a worker dies, the tasks that it may have died of are tried once more, each alone: one that kills again is
    `FailedTask`. An interrupt leaves what is in work a few seconds, hands it over, and is raised then.

    Args:
        work: what is done with a task; other processes must be able to import it.
        pool: this very process, unless given. Where an executor breaks, its `BrokenExecutor` is raised.

    Raises what the work raises, and leaves the executor without work then.

    >>> list(each(abs, [-1, 2]))
    [(-1, 1), (2, 2)]
    """
    if pool is None:
        yield from ((task, work(task)) for task in tasks)
        return
    team, waiting = pool if isinstance(pool, WorkerPool) else given(pool), iter(tasks)
    if not (first := list(islice(waiting, 1))):
        return  # and no worker starts
    waiting = chain(first, waiting)
    with _interrupts() as interrupted:
        while suspects := (yield from _round(work, waiting, team, team.workers, interrupted)):
            for task in suspects:
                if (yield from _round(work, iter([task]), team, 1, interrupted)):
                    yield task, FailedTask("the process that worked on it ended, twice")


def _round(
    work: Callable[[Task], Answer],
    waiting: Iterator[Task],
    pool: WorkerPool,
    workers: int,
    interrupted: threading.Event,
) -> Generator[tuple[Task, Answer], None, list[Task]]:
    """Do what is waiting until nothing is, or the executor breaks; returns what workers may have died of."""
    running: dict[Future[Answer], Task] = {}
    suspects: list[Task] = []
    with pool.start(workers) as executor, _left_without_work(running):
        try:
            while True:
                for task in islice(waiting, None if pool.ahead is None else pool.ahead - len(running)):
                    suspects.append(task)  # until it is handed over
                    running[executor.submit(work, task)] = suspects.pop()
                if not running:
                    return suspects
                for future in _some(running, interrupted):
                    if _killed(future, pool):
                        suspects.append(running.pop(future))
                    else:
                        answer = future.result()
                        yield running.pop(future), answer
                if interrupted.is_set():
                    yield from ((running.pop(future), future.result()) for future in _last(running))
                    raise KeyboardInterrupt
        except BrokenExecutor as broken:
            if not pool.dies(broken):
                raise
            return [*suspects, *running.values()]


def _killed(future: Future[Answer], pool: WorkerPool) -> bool:
    """Whether a worker died, if that broke nothing else. Raises `BrokenExecutor` where it did."""
    error = None if future.cancelled() else future.exception()
    if isinstance(error, BrokenExecutor):
        raise error
    return error is not None and pool.dies(error)


def _some(running: dict[Future[Answer], Task], interrupted: threading.Event) -> list[Future[Answer]]:
    """The futures that are done, of which there is one at least unless an interrupt has come."""
    while True:
        done = wait(running, TICK, FIRST_COMPLETED).done
        if done or interrupted.is_set():
            return [future for future in running if future in done]


def _last(running: dict[Future[Answer], Task]) -> list[Future[Answer]]:
    """Cancel what is not yet in work; what is done of the rest after a few seconds."""
    left = [future for future in running if not future.cancel()]
    return [future for future in wait(left, GRACE).done if not future.exception()]


@contextmanager
def _left_without_work(running: dict[Future[Answer], Task]) -> Iterator[None]:
    try:
        yield
    finally:
        for future in running:
            future.cancel()


@contextmanager
def _interrupts() -> Iterator[threading.Event]:
    """Told of an interrupt instead of raising it at once, which could hit a lock's own code. A second one is raised."""
    interrupted = threading.Event()

    def tell(number: int, frame: FrameType | None) -> None:
        if interrupted.is_set():
            raise KeyboardInterrupt
        interrupted.set()
        if sys.stderr.isatty():  # written past its buffer, which may be in use
            os.write(sys.stderr.fileno(), FINISHING)

    if threading.current_thread() is not threading.main_thread():
        yield interrupted
        return
    before = signal.signal(signal.SIGINT, tell)
    try:
        yield interrupted
    finally:
        signal.signal(signal.SIGINT, before)


# ------------------------------------------------------------------------------------------------- who does the work


def pool(workers: int = 0, dask: str = "") -> WorkerPool | None:
    """What `--workers N --dask ADDRESS` ask for: a cluster, or processes, 0 for one a core; None for this process."""
    if dask:
        return cluster(dask)
    count = workers or os.cpu_count() or 1
    return processes(count) if count > 1 else None


def given(executor: Executor) -> WorkerPool:
    """An executor of somebody else's, who will shut it down."""

    @contextmanager
    def start(workers: int) -> Iterator[Executor]:
        yield executor

    return WorkerPool(start)


def processes(workers: int) -> WorkerPool:
    """Processes on this machine, that leave interrupts to their parent, and end when it does, however it ends.

    Forks have at once all that the parent has loaded and worked out. They are for Linux, and safe as long as the
    parent has no other threads, whose locks nobody would open again.
    """
    return WorkerPool(_pool, workers, 2 * workers, lambda error: isinstance(error, BrokenExecutor))


@contextmanager
def _pool(workers: int) -> Iterator[Executor]:
    import multiprocessing  # loaded for the work rather than with the package: Python in a browser has none
    from concurrent.futures import ProcessPoolExecutor

    forks = sys.platform == "linux" and threading.active_count() == 1 and "numba" not in sys.modules
    context, others = multiprocessing.get_context("fork" if forks else "spawn"), multiprocessing.active_children()
    pool = ProcessPoolExecutor(workers, mp_context=context, initializer=_settle)
    try:
        _deafly(lambda: [pool.submit(int) for _ in range(workers)])
        yield pool
    except BaseException:
        for worker in set(multiprocessing.active_children()) - set(others):
            worker.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _deafly(start: Callable[[], object]) -> None:
    """Start processes that no interrupt reaches, from the first moment on: what is blocked here they inherit."""
    if sys.platform == "win32":
        start()
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        with suppress(BrokenExecutor):  # told when there is work
            start()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


_ours = threading.Event()


def disposable() -> bool:
    """Whether this process is a worker of `processes`, which may be ended and costs one task."""
    return _ours.is_set()


def _settle() -> None:
    """Make a process a worker: without bars of its own, deaf to interrupts, and gone when its parent is."""
    _ours.set()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.freeze()  # what is there already stays, and need not be looked through again and again
    os.environ["TQDM_DISABLE"] = "1"
    threading.Thread(target=_follow_parent, daemon=True).start()


def _follow_parent() -> None:
    from multiprocessing import parent_process

    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


# ------------------------------------------------------------------------------------------------- a dask cluster


def cluster(address: str) -> WorkerPool:
    """The workers of a dask cluster, at the address of its scheduler, such as tcp://HOST:8786.

    The cluster itself does a dead worker's tasks again, some times over (`distributed.scheduler.allowed-failures`).
    Raises `NoCluster` where none answers.
    """

    @contextmanager
    def start(workers: int) -> Iterator[Executor]:
        with _client(address) as client:
            yield _Cluster(client, address)

    with _client(address) as client:  # it is there, or this says why not, before anything else is done
        threads = sum(client.nthreads().values())
    return WorkerPool(start, 0, max(AHEAD, 4 * threads), lambda error: type(error).__name__ == "KilledWorker", far=True)


@contextmanager
def _client(address: str) -> Iterator[Any]:
    try:
        dask: Any = importlib.import_module("distributed")  # loaded for a cluster alone
    except ImportError:
        raise NoCluster('A cluster needs dask: pip install "distributed>=2024.8".') from None
    try:
        client = dask.Client(address, timeout=CONNECT, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        why = f"{error}".partition("\n")[0] or "no answer"
        raise NoCluster(f"No dask scheduler answers at {address}: {why}. It looks like tcp://HOST:8786.") from None
    with client:
        yield client


class _Cluster(Executor):
    """dask's own executor, which says in this package's words what may be wrong with a cluster."""

    def __init__(self, client: Any, address: str) -> None:
        self.inner = client.get_executor(pure=False)
        self.address = address

    def submit(self, work: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        asked: Future[Any] = Future()
        inner = self.inner.submit(_far, code(), work, *arguments, **named)
        inner.add_done_callback(lambda done: self.pass_on(done, asked))
        asked.add_done_callback(lambda done: inner.cancel() if done.cancelled() else None)
        return asked

    def pass_on(self, inner: Future[Any], asked: Future[Any]) -> None:
        """What has come of the work, to whoever asked for it."""
        if not asked.set_running_or_notify_cancel():
            return
        error = NoCluster(f"The cluster at {self.address} went away.") if inner.cancelled() else inner.exception()
        if isinstance(error, (ImportError, OtherCode)):
            error = NoCluster(f"The workers of {self.address} need this version of ttt and what it needs: {error}")
        if error is None:
            asked.set_result(inner.result())
        else:
            asked.set_exception(error)


class OtherCode(RuntimeError):
    """A worker has another version of this package, and could find something else."""


def _far(wanted: str, work: Callable[..., Any], *arguments: Any) -> Any:
    """Work on another machine, if it has the same package."""
    if code() != wanted:
        raise OtherCode("its code is not the same")
    return work(*arguments)


@cache
def code() -> str:
    """A digest of this package's code, but for the faces."""
    here = Path(__file__).parent
    sources = (path for path in sorted(here.rglob("*.py")) if path.relative_to(here).parts[0] not in FACES)
    return hashlib.sha256(b"".join(hashlib.sha256(path.read_bytes()).digest() for path in sources)).hexdigest()


# ------------------------------------------------------------------------------------------------- what is kept


class NotKept(ValueError):
    """A file holds no rows of this kind; the message says what to do."""


@dataclass(frozen=True)
class Rows:
    """Answers that are kept as they come, as rows of a CSV file: whoever is cut short goes on with what is missing.

    Args:
        path: the file.
        columns: what a row has.
        key: the first of them, by which a row is known; they are texts, the last is a number.
        kind: what to call such a file.
        names: columns with what people have written; in the file no spreadsheet takes it for a formula.
    """

    path: Path
    columns: Sequence[str]
    key: Sequence[str]
    kind: str
    names: Collection[str] = ()

    def read(self) -> dict[Key, Row]:
        """The rows of the file by what they are known by; one that was torn off in the middle is none.

        Raises `NotKept` for another kind of file.
        """
        if not self.path.exists():
            return {}
        header = ",".join(self.columns)
        *lines, torn = self.path.read_bytes().decode("utf-8", "replace").split("\n")
        if lines[0] != header if lines else not header.startswith(torn):
            raise NotKept(f"{self.path} is no {self.kind}, or one with other columns: give another file.")
        every = (next(csv.reader([line]), []) for line in lines[1:])
        rows = [dict(zip(self.columns, fields, strict=True)) for fields in every if len(fields) == len(self.columns)]
        for row in rows:
            row |= {column: unescape_formula(row[column]) for column in self.names}
        return {self.name(row): row for row in rows}

    def write(self, rows: dict[Key, Row]) -> None:
        """All rows in order, in the place of what the file was: at no time is it half of that."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        beside = self.path.with_name(f"{self.path.name}.part")
        ordered = sorted(rows, key=lambda key: (*key[:-1], int(key[-1])))
        text = ",".join(self.columns) + "\n" + "".join(self.line(rows[key]) for key in ordered)
        beside.write_text(text, "utf-8", newline="")
        beside.replace(self.path)

    def kept(self, rows: dict[Key, Row], found: Iterable[Row]) -> Iterator[Row]:
        """The rows that are found, each once it is in the file and among the others; at the end all are sorted."""
        self.write(rows)
        with self.path.open("a", encoding="utf-8", newline="") as file:
            for row in found:
                file.write(self.line(row))
                file.flush()
                rows[self.name(row)] = row
                yield row
        self.write(rows)

    def name(self, row: Row) -> Key:
        """What a row is known by."""
        return tuple(row[column] for column in self.key)

    def line(self, row: Row) -> str:
        """The row as a line of the file."""
        line = io.StringIO()
        fields = (escape_formula(text) if column in self.names else text for column, text in row.items())
        csv.writer(line, lineterminator="\n").writerow(fields)
        return line.getvalue()
