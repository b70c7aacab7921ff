"""A time limit for a student's function, which runs in the student's own process."""

from __future__ import annotations

import _thread
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from time import monotonic
from types import FrameType
from typing import Any

from ttt.progress import THREADS


@contextmanager
def timeout(seconds: float) -> Iterator[threading.Event]:
    """Interrupt what takes longer, and raise `TimeoutError`; the event tells whether it was interrupted."""
    with (_watched if THREADS else _traced)(seconds) as late:
        yield late


@contextmanager
def _watched(seconds: float) -> Iterator[threading.Event]:
    """A thread interrupts the main one, as Ctrl-C does, again and again until it stops.

    This works on every system; alarms don't.
    """
    done, late = threading.Event(), threading.Event()

    def watch() -> None:
        for n in count():
            if done.wait(seconds if n == 0 else 0.5):
                return
            late.set()
            _thread.interrupt_main()

    if threading.current_thread() is not threading.main_thread():
        yield late
        return
    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield late
    except BaseException as error:
        if late.is_set():
            raise TimeoutError from error
        raise
    finally:
        done.set()
        watcher.join()


@contextmanager
def _traced(seconds: float) -> Iterator[threading.Event]:
    """Where there are no threads, as in a browser, the clock is read at every line that is run."""
    late, deadline, before = threading.Event(), monotonic() + seconds, sys.gettrace()

    def look(frame: FrameType, event: str, argument: object) -> Any:
        if monotonic() > deadline:
            late.set()
            raise TimeoutError
        return look

    sys.settrace(look)
    try:
        yield late
    finally:
        sys.settrace(before)
