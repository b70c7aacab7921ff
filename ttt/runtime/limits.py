"""Ending a student's function that takes too long, in the student's own process: in a check, and on a board.

An exception is raised in the thread that runs the function, as Ctrl-C does, and raised again until the function has
ended, since `except:` would catch it. Python raises it between two of its own instructions, so a call into C returns
first, as does a sleep in another thread than the main one. What can't be ended from inside the process is a loop in C
that never lets another thread run, such as `sum(itertools.count())`: then only *Kernel → Restart Kernel* helps.
"""

import _thread
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from time import monotonic
from types import FrameType
from typing import Any

LAB = __file__[: -len("runtime/limits.py")]  # the folder of the lab's modules, and that of Python's own
STANDARD = os.__file__.removesuffix("os.py")
THREADS = sys.platform != "emscripten"  # Python in a browser has none
AGAIN = 0.05  # seconds between two exceptions
LONGEST = 1  # seconds, in the end, for a thread that is asleep


@contextmanager
def timeout(seconds: float) -> Iterator[threading.Event]:
    """End what takes longer, and raise `TimeoutError`, even if it catches every exception. Works in any thread.

    Where several functions are called one after another, the event tells that the time is over, and not to go on.
    """
    late = threading.Event()
    try:
        with (_watched if THREADS else _traced)(seconds, late):
            yield late
    finally:
        if late.is_set():
            raise TimeoutError


def interrupt(thread: threading.Thread) -> None:
    """Raise an exception in a thread: `KeyboardInterrupt` in the main one, in others `SystemExit`, which is silent.

    The main thread gets a signal, as from Ctrl-C, unless somebody else handles those.
    """
    if thread is threading.main_thread() and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        if sys.platform == "win32":
            _thread.interrupt_main()
        else:
            signal.pthread_kill(thread.ident or 0, signal.SIGINT)
    else:
        _raise_in(thread, SystemExit)


def end(thread: threading.Thread) -> None:
    """Interrupt a thread again and again, in the background, until it has ended."""

    def insist() -> None:
        pause = AGAIN
        while thread.is_alive():
            interrupt(thread)
            thread.join(AGAIN)
            _take_back(thread)
            thread.join(pause)
            pause = min(2 * pause, LONGEST)

    threading.Thread(target=insist, daemon=True).start()


def _raise_in(thread: threading.Thread, error: type[BaseException] | None) -> None:
    """Have Python raise an exception in a thread at its next instruction; None replaces one that is still to come."""
    import ctypes  # loaded only for what takes too long

    raised = None if error is None else ctypes.py_object(error)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident or 0), raised)


def _take_back(thread: threading.Thread) -> None:
    """Take back an exception that a thread has not come to, such as one that sleeps.

    While one is to come, Python looks out for it in all threads, which slows them down, and in 3.11 a debugger or the
    tracing below hang. It stops looking where one is raised, so one is raised here.
    """
    _raise_in(thread, None)
    with suppress(SystemExit):
        _raise_in(threading.current_thread(), SystemExit)
        while True:
            pass


@contextmanager
def _watched(seconds: float, late: threading.Event) -> Iterator[None]:
    """Another thread watches the clock. This works on every system; alarms don't."""
    worker, done = threading.current_thread(), threading.Event()

    def watch() -> None:
        if done.wait(seconds):
            return
        late.set()
        while not done.is_set():
            interrupt(worker)
            done.wait(AGAIN)

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        while watcher.is_alive():
            with suppress(KeyboardInterrupt, SystemExit):  # one more may come before the watcher has heard
                done.set()
                watcher.join()
        if late.is_set():
            _take_back(worker)


@contextmanager
def _traced(seconds: float, late: threading.Event) -> Iterator[None]:
    """Where there are no threads, as in a browser, the clock is read at every line that is run."""
    deadline, before = monotonic() + seconds, sys.gettrace()

    def look(frame: FrameType, event: str, argument: object) -> Any:
        if monotonic() > deadline:
            late.set()
            raise TimeoutError
        return look

    sys.settrace(look)
    try:
        yield
    finally:
        sys.settrace(before)


def explained(error: BaseException, name: str) -> str:
    """One sentence on what went wrong and whose fault it is.

    If it was the student's own code, it tells the line that failed, and the function if that is another than `name`.
    """
    if isinstance(error, KeyboardInterrupt):
        return f"{name} was interrupted before it had answered."
    said = f"{name} stopped with {type(error).__name__}: {error}".removesuffix(": ")
    where = line_of(error, name)
    if where is None:
        return str(error) if type(error).__module__.startswith("ttt.") else said
    return f"{said.removesuffix('.')}, {where}" if where else said


def line_of(error: BaseException, name: str) -> str | None:
    """The student's line in which an error was raised, such as "in line 3: while True".

    It is "" where the line can't be read, and None where no code of the student's ran.
    """
    import linecache  # these are loaded only for a mistake
    import traceback

    students = [(frame.f_code, line) for frame, line in traceback.walk_tb(error.__traceback__) if is_own(frame)]
    if not students:
        return None
    code, number = students[-1]
    line = linecache.getline(code.co_filename, number).strip().removesuffix(":")  # a full stop may follow
    function = "" if code.co_name.startswith("<") or code.co_name == name else f" of {code.co_name}"
    return f"in line {number}{function}: {line}" if line else ""


def is_own(frame: FrameType) -> bool:
    """Whether a frame runs the reader's or student's own code: of a cell, or of a file that belongs to no library."""
    if frame.f_globals.get("__name__") == "__main__":
        return True
    from pathlib import Path  # loaded only for a mistake

    file = frame.f_code.co_filename
    return Path(file).is_file() and not file.startswith((LAB, STANDARD)) and "-packages" not in file
