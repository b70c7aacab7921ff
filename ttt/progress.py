"""A progress bar on whatever takes longer than two seconds."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sized
from typing import TypeVar

THREADS = sys.platform != "emscripten"  # Python in a browser has none

Item = TypeVar("Item")


def progress(items: Iterable[Item], unit: str, total: int | None = None) -> Iterator[Item]:
    """The items, with a bar that counts them once they take more than two seconds, and goes away at the end.

    Nothing is shown where they are left in the middle before that: to stop early is no failure.
    """
    from tqdm.auto import tqdm  # loaded with the first bar rather than with the package

    if not THREADS:
        tqdm.monitor_interval = 0  # it would warn that it cannot look after its bars on the side
    known = len(items) if isinstance(items, Sized) else total
    silent = "TQDM_DISABLE" in os.environ  # which tqdm heeds in terminals alone
    bar = tqdm(total=known, unit=f" {unit}", delay=2, leave=False, disable=silent)
    try:
        for item in items:
            yield item
            bar.update()
    finally:
        bar.total = bar.n
        bar.close()
