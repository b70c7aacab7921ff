"""A progress bar for whatever takes longer than two seconds."""

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sized
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import Any, TypeVar

from ttt.runtime.limits import THREADS

_shown: list[Any] = []  # the bar that is on screen

Item = TypeVar("Item")
Result = TypeVar("Result")


def progress(items: Iterable[Item], unit: str, total: int | None = None) -> Iterator[Item]:
    """Yield the items, and show a bar that counts them if they take more than two seconds."""
    known = len(items) if isinstance(items, Sized) else total
    with bar(unit, known, delay=2) as update:
        for done, item in enumerate(items, 1):
            yield item
            update(done)


@contextmanager
def bar(unit: str, total: int | None = None, delay: float = 0) -> Iterator[Callable[[int], object]]:
    """Show a temporary progress bar; yield its update function, which takes the number done so far.

    Only in a notebook or a terminal, not if TQDM_DISABLE is set, and not while another bar counts what this is part of.
    """
    notebook = "IPython" in sys.modules and sys.modules["IPython"].get_ipython()
    if _shown or "TQDM_DISABLE" in os.environ or not (notebook or sys.stderr.isatty()):
        yield lambda done: None
        return
    from tqdm.auto import tqdm  # loaded with the first bar rather than with the package

    tqdm.monitor_interval = 0  # no monitor thread: Python in a browser has none, and forking needs there to be none
    how = {"unit": f" {unit}", "unit_scale": total is None, "delay": delay, "miniters": 1, "leave": False}
    with tqdm(total=total, **how) as shown:
        _shown.append(shown)
        try:
            yield lambda done: shown.update(done - shown.n)
        finally:
            _shown.remove(shown)
            shown.total = shown.n  # otherwise a notebook shows a failure


def interruptible(run: Callable[[], Result], stop: Callable[[], object], done: Callable[[], int], unit: str) -> Result:
    """Run machine code in a thread, so that an interrupt can stop it, and show a bar if it takes more than two seconds.

    `stop` makes it return soon, and `done` tells how many units it has done so far.
    """
    if not THREADS:
        return run()
    with ThreadPoolExecutor(1) as thread:
        running = thread.submit(run)
        try:
            if not wait([running], timeout=2).done:
                with bar(unit) as update:
                    while not wait([running], timeout=0.2).done:
                        update(done())
            return running.result()
        finally:
            stop()
