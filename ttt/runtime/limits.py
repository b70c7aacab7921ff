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
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from math import inf
from time import monotonic, process_time
from types import FrameType
from typing import Any

LAB = __file__[: -len("runtime/limits.py")]  # the folder of the lab's modules, and that of Python's own
STANDARD = os.__file__.removesuffix("os.py")
THREADS = sys.platform != "emscripten"  # Python in a browser has none
AGAIN = 0.05  # seconds between two looks at the clock, and two exceptions
LONGEST = 1  # seconds, in the end, for a thread that is asleep


class Clock:
    """The seconds of CPU time that a student's calls may take, so that a busy machine changes nothing.

    A call that takes longer than `each` is taken for endless. Many calls that each end may take `total` together.
    """

    def __init__(self, total: float = inf, each: float = 4, patience: float = 3) -> None:
        self.total, self.each = total, each  # for all calls together, and for one
        self.patience = patience  # how many times as long it may wait without computing, as `sleep` does
        self.used = 0.0  # by all calls so far
        self.runs = False  # whether a call runs now
        self._begun = 0.0, 0.0  # when it began: in CPU time, and on the wall
        self._late = False  # whether it takes too long
        self._lock = threading.Lock()  # so that no exception comes after the call

    @property
    def over(self) -> bool:
        """Whether the time for all calls has run out."""
        return self.used > self.total

    @contextmanager
    def ticking(self) -> Iterator[None]:
        """Watch over the calls meanwhile: in another thread, or at each line where there are none, as in a browser."""
        if not THREADS:
            before = sys.gettrace()
            sys.settrace(self._look)
            try:
                yield
            finally:
                sys.settrace(before)
            return
        worker, done = threading.current_thread(), threading.Event()

        def watch() -> None:
            while not done.wait(AGAIN):
                with self._lock:
                    if self._is_late():
                        interrupt(worker)

        threading.Thread(target=watch, daemon=True).start()
        try:
            yield
        finally:
            done.set()

    def run(self, function: Callable[..., Any], *given: Any) -> Any:
        """What a call returns. Raises `TimeoutError` if it takes too long, even if it catches every exception."""
        self.begin()
        try:
            return function(*given)
        finally:
            self.runs = False  # before anything else, where an exception could still come
            self.end()

    def begin(self) -> None:
        """A call begins."""
        self._late, self._begun = False, (process_time(), monotonic())
        self.runs = True

    def end(self) -> None:
        """The call has ended, and no exception comes any more. Raises `TimeoutError` if it took too long."""
        with suppress(KeyboardInterrupt, SystemExit), self._lock:  # one may be on its way
            self.used += process_time() - self._begun[0]
        if self._late:
            if THREADS:
                _take_back(threading.current_thread())
            raise TimeoutError

    def _is_late(self) -> bool:
        """Whether a call runs and takes too long."""
        if not self.runs:
            return False
        computed, waited = process_time() - self._begun[0], monotonic() - self._begun[1]
        self._late = computed > self.each or waited > self.each * self.patience
        return self._late

    def _look(self, _frame: FrameType, _event: str, _argument: object) -> Any:
        """At a line that is run."""
        if self._is_late():
            raise TimeoutError
        return self._look


@contextmanager
def timeout(seconds: float) -> Iterator[None]:
    """End what takes longer, and raise `TimeoutError`, even if it catches every exception. Works in any thread."""
    clock = Clock(each=seconds)
    with clock.ticking():
        clock.begin()
        try:
            yield
        finally:
            clock.runs = False
            clock.end()


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
    tracing above hang. It stops looking where one is raised, so one is raised here.
    """
    _raise_in(thread, None)
    with suppress(SystemExit):
        _raise_in(threading.current_thread(), SystemExit)
        while True:
            pass


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
