"""A progress bar on whatever takes longer than two seconds."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sized
from contextlib import contextmanager
from typing import TypeVar

THREADS = sys.platform != "emscripten"  # Python in a browser has none

Item = TypeVar("Item")


def progress(items: Iterable[Item], unit: str, total: int | None = None) -> Iterator[Item]:
    """The items, with a bar that counts them once they take more than two seconds, and goes away at the end.

    Nothing is shown where they are left in the middle before that: to stop early is no failure.
    """
    known = len(items) if isinstance(items, Sized) else total
    with bar(unit, known, delay=2) as reach:
        for done, item in enumerate(items, 1):
            yield item
            reach(done)


@contextmanager
def bar(unit: str, total: int | None = None, delay: float = 0) -> Iterator[Callable[[int], object]]:
    """A bar that goes away at the end, and what moves it on to so many.

    Nothing is shown where nobody looks on: neither in what goes to a file, nor with TQDM_DISABLE set.
    """
    notebook = "IPython" in sys.modules and sys.modules["IPython"].get_ipython()
    if "TQDM_DISABLE" in os.environ or not (notebook or sys.stderr.isatty()):
        yield lambda done: None
        return
    from tqdm.auto import tqdm  # loaded with the first bar rather than with the package

    tqdm.monitor_interval = 0  # no thread on the side: Python in a browser has none, and who forks wants none
    with tqdm(total=total, unit=f" {unit}", unit_scale=total is None, delay=delay, miniters=1, leave=False) as shown:
        try:
            yield lambda done: shown.update(done - shown.n)
        finally:
            shown.total = shown.n  # or a notebook shows a failure
