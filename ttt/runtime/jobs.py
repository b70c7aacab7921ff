"""Processes for long jobs, which end with the one that has started them."""

import os
import pickle
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor
from contextlib import contextmanager
from threading import Thread
from typing import Any


@contextmanager
def processes(count: int, functions: Sequence[Callable[..., Any] | str | None] = ()) -> Iterator[Executor]:
    """So many processes. Raises `ValueError` if they can't import the functions, `RuntimeError` if they don't start."""
    from concurrent.futures import ProcessPoolExecutor  # missing from Python in a browser
    from multiprocessing import Pipe, get_context

    parent, alive = Pipe(duplex=False)
    pool = ProcessPoolExecutor(count, get_context("spawn"), _begin, (parent,))
    try:
        _require_importable(functions, pool)
        yield pool
    finally:
        alive.close()  # which ends them, also amid a task
        pool.shutdown(cancel_futures=True)


def _require_importable(functions: Sequence[Any], pool: Executor) -> None:
    """Let one of the processes import the functions. Raises `ValueError` if it can't, `RuntimeError` if it ended."""
    try:
        pool.submit(_load, pickle.dumps(functions)).result()
    except BrokenExecutor:
        advice = 'In a script, start below `if __name__ == "__main__":`, since each process runs the script, too.'
        raise RuntimeError(f"A process ended as it started. {advice}") from None
    except RuntimeError:  # this is such a process, which has run the script up to here
        raise SystemExit(1) from None
    except (pickle.PicklingError, AttributeError, ImportError, TypeError) as error:
        advice = "define it in a file that can be imported, or use one process"
        raise ValueError(f"A function can't be sent to other processes: {advice} ({error}).") from None


def _load(functions: bytes) -> None:
    pickle.loads(functions)


def _begin(parent: Any) -> None:
    """Make this process a worker, which shows no progress bar, leaves interrupts to its parent, and ends with it."""
    os.environ["TQDM_DISABLE"] = "1"
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: Any) -> None:
    try:
        parent.recv()
    finally:  # nothing is ever sent: its other end has been closed
        os._exit(1)
