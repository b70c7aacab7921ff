"""A progress bar for whatever takes longer than two seconds."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sized
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import Any, TypeVar

from ttt.limits import THREADS

EARLY = "{l_bar}{bar}| {n_fmt}/{total_fmt} [{elapsed}]"  # how many are done, and no estimate yet
ENOUGH = 0.2  # of all, before the rest is estimated: the first may take much longer than the others
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
    early = EARLY if total else None
    with tqdm(
        total=total, unit=f" {unit}", unit_scale=total is None, delay=delay, miniters=1, leave=False, bar_format=early
    ) as shown:

        def update(done: int) -> None:
            if total and done >= ENOUGH * total:
                shown.bar_format = None  # tqdm's own, with an estimate
            shown.update(done - shown.n)

        _shown.append(shown)
        try:
            yield update
        finally:
            _shown.remove(shown)
            shown.total = shown.n  # otherwise a notebook shows a failure


def interruptible(run: Callable[[], Result], stop: Callable[[], object], done: Callable[[], int], unit: str) -> Result:
    """Run machine code in a thread, so that an interrupt can stop it, and show a bar if it takes more than two seconds.

    Args:
        run: what to run; where there are no threads it runs by itself.
        stop: makes it return soon.
        done: how many units it has done so far.
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
