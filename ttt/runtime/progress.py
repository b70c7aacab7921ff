"""A progress bar for whatever takes longer than two seconds."""

import os
import sys
from collections.abc import Iterable, Iterator
from multiprocessing import parent_process
from operator import length_hint
from typing import Any, TypeVar

_shown: list[Any] = []  # the bar that is on screen

Item = TypeVar("Item")


def progress(items: Iterable[Item], unit: str, total: int | None = None) -> Iterator[Item]:
    """Yield the items, and show a bar that counts them if they take more than two seconds.

    Only in a notebook or a terminal, not if TQDM_DISABLE is set, and not while another bar counts what this is part of,
    as in a process that was started for it.
    """
    notebook = "IPython" in sys.modules and sys.modules["IPython"].get_ipython()
    part = _shown or parent_process() or "TQDM_DISABLE" in os.environ
    if part or not (notebook or sys.stderr.isatty()):
        yield from items
        return
    from tqdm.auto import tqdm  # loaded with the first bar rather than with the package

    tqdm.monitor_interval = 0  # no monitor thread: Python in a browser has none, and forking needs there to be none
    bar = tqdm(total=total or length_hint(items) or None, unit=f" {unit}", delay=2, miniters=1, leave=False)
    _shown.append(bar)
    try:
        for item in items:
            yield item
            bar.update()
    finally:
        _shown.remove(bar)
        bar.total = bar.n  # otherwise a notebook shows a failure
        bar.close()
