"""A progress bar for anything that takes more than two seconds."""

import os
import sys
from collections.abc import Iterable, Iterator
from multiprocessing import parent_process
from operator import length_hint
from typing import Any, TypeVar

_shown: list[Any] = []  # the bar now on screen

Item = TypeVar("Item")


def progress(items: Iterable[Item], unit: str, total: int | None = None) -> Iterator[Item]:
    """Yield the items, with a bar that counts them if they take more than two seconds.

    The bar shows only in a notebook or terminal where tqdm is installed, not if TQDM_DISABLE is set, and not inside
    work that another bar counts, as in a worker process.
    """
    bar = _bar(unit, total or length_hint(items) or None)
    if bar is None:
        yield from items
        return
    _shown.append(bar)
    try:
        for item in items:
            yield item
            bar.update()
    finally:
        _shown.remove(bar)
        bar.total = bar.n  # otherwise a notebook shows the bar as failed
        bar.close()


def _bar(unit: str, total: int | None) -> Any:
    notebook = "IPython" in sys.modules and sys.modules["IPython"].get_ipython()
    part = _shown or parent_process() or "TQDM_DISABLE" in os.environ
    if part or not (notebook or sys.stderr.isatty()):
        return None
    try:
        from tqdm.auto import tqdm  # loaded with the first bar
    except ImportError:
        return None
    tqdm.monitor_interval = 0  # no monitor thread: Python in a browser has none, and forking needs there to be none
    return tqdm(total=total, unit=f" {unit}", delay=2, miniters=1, leave=False)
