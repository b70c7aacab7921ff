"""A progress bar for whatever takes longer than two seconds."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sized
from contextlib import contextmanager
from typing import TypeVar

THREADS = sys.platform != "emscripten"  # Python in a browser has none

Item = TypeVar("Item")


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

    Only in a notebook or a terminal, and not if TQDM_DISABLE is set.
    """
    notebook = "IPython" in sys.modules and sys.modules["IPython"].get_ipython()
    if "TQDM_DISABLE" in os.environ or not (notebook or sys.stderr.isatty()):
        yield lambda done: None
        return
    from tqdm.auto import tqdm  # loaded with the first bar rather than with the package

    tqdm.monitor_interval = 0  # no monitor thread: Python in a browser has none, and forking needs there to be none
    with tqdm(total=total, unit=f" {unit}", unit_scale=total is None, delay=delay, miniters=1, leave=False) as shown:
        try:
            yield lambda done: shown.update(done - shown.n)
        finally:
            shown.total = shown.n  # otherwise a notebook shows a failure
