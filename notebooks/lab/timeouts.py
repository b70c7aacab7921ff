"""Time limits for student code that runs in the notebook's own process, in a check or on a board.

An exception is raised in the thread running the function, as by Ctrl-C, and again until the function has
ended, because `except:` would catch it. Python raises it between two of its own instructions, so a call into C returns
first, as does a sleep outside the main thread. The one thing that can't be ended from inside the process is a loop in C
that never lets another thread run, such as `sum(itertools.count())`: then only *Kernel → Restart Kernel* helps.
"""

import _thread
import linecache
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from math import inf
from pathlib import Path
from time import monotonic, process_time
from types import FrameType
from typing import Any

import ttt

# The folders of the lab's modules, of the engine's and of Python's own.
OURS: tuple[str, ...] = (__file__.removesuffix("timeouts.py"), str(ttt.__file__).removesuffix("__init__.py"))
STANDARD = os.__file__.removesuffix("os.py")
THREADS = sys.platform != "emscripten"  # Python in a browser has none
POLL_SECONDS = 0.05  # polling interval, and pause before raising again, in seconds
MAX_WAITING_SECONDS = 30.0  # of a call that computes almost nothing, as in `sleep` or `input()`
ALMOST_NOTHING = 0.05  # of the time spent waiting; on a busy machine, a call that computes still gets more
MAX_MESSAGE = 1000  # characters of an error's text


class Waiting(TimeoutError):
    """A call has waited too long without computing, and for so many seconds."""


def cpu_clock(thread: threading.Thread) -> Callable[[], float]:
    """The CPU time of a thread, in seconds; of the whole process where the platform has no such clock."""
    if THREADS and hasattr(time, "pthread_getcpuclockid"):  # not on Windows and macOS
        return partial(time.clock_gettime, time.pthread_getcpuclockid(thread.ident or 0))
    return process_time


class Clock:
    """Limits the CPU time of a student's calls in this thread, so that a busy machine makes no difference.

    A call that takes longer than `each` counts as endless. All calls together may take `total`. A call that hardly
    computes may take `patience` by the clock on the wall.
    """

    def __init__(self, total: float = inf, each: float = 4, patience: float | None = None) -> None:
        self.total, self.each = total, each  # CPU seconds for all calls together, and for one call
        self.patience = MAX_WAITING_SECONDS if patience is None else patience
        self.used = 0.0  # CPU seconds used by all calls so far
        self._cpu: Callable[[], float] = process_time  # until calls are monitored, see `ticking`
        self.runs = False  # whether a call is running
        self._begun = 0.0, 0.0  # start of the call: (CPU time, wall time)
        self._late: TimeoutError | None = None  # if the call has taken too long
        self._lock = threading.Lock()  # so that no exception arrives after the call

    @property
    def over(self) -> bool:
        """Whether the time for all calls has run out."""
        return self.used > self.total

    @contextmanager
    def ticking(self) -> Iterator[None]:
        """Monitor calls meanwhile: from another thread, or line by line where there are no threads, as in a browser."""
        if not THREADS:
            before = sys.gettrace()
            sys.settrace(self._look)
            try:
                yield
            finally:
                sys.settrace(before)
            return
        worker, done = threading.current_thread(), threading.Event()
        self._cpu = cpu_clock(worker)

        def watch() -> None:
            while not done.wait(POLL_SECONDS):
                with self._lock:
                    if self._is_late():
                        interrupt(worker)

        threading.Thread(target=watch, daemon=True).start()
        try:
            yield
        finally:
            done.set()

    def run(self, function: Callable[..., Any], *given: Any) -> Any:
        """Run a call, return its result. Raises `TimeoutError` if it is too slow, even if it catches all exceptions."""
        self.begin()
        try:
            return function(*given)
        finally:
            self.runs = False  # first of all, before an exception can still arrive
            self.end()

    def begin(self) -> None:
        """Note that a call begins."""
        self._late, self._begun = None, (self._cpu(), monotonic())
        self.runs = True

    def end(self) -> None:
        """Note that the call has ended; no exception arrives after this. Raises `TimeoutError` if it took too long."""
        with suppress(KeyboardInterrupt, SystemExit), self._lock:  # an exception may be on its way
            self.used += self._cpu() - self._begun[0]
        if self._late:
            if THREADS:
                _take_back(threading.current_thread())
            raise self._late

    def _is_late(self) -> bool:
        """Whether a call is running and has taken too long."""
        if not self.runs:
            return False
        computed, passed = self._cpu() - self._begun[0], monotonic() - self._begun[1]
        if computed > self.each:
            self._late = TimeoutError()
        elif passed > self.patience and computed < ALMOST_NOTHING * passed:
            self._late = Waiting(self.patience)
        return self._late is not None

    def _look(self, _frame: FrameType, _event: str, _argument: object) -> Any:
        """Called at each line that runs."""
        if self._is_late():
            raise TimeoutError
        return self._look


@contextmanager
def timeout(seconds: float) -> Iterator[None]:
    """Stop code that takes longer and raise `TimeoutError`, even if it catches every exception. Works in any thread."""
    clock = Clock(each=seconds)
    with clock.ticking():
        clock.begin()
        try:
            yield
        finally:
            clock.runs = False
            clock.end()


def interrupt(thread: threading.Thread) -> None:
    """Raise an exception in a thread: `KeyboardInterrupt` in the main one, `SystemExit` (which is silent) in others.

    The main thread gets a signal, as from Ctrl-C, unless other code handles it.
    """
    if thread is threading.main_thread() and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        if sys.platform == "win32":
            _thread.interrupt_main()
        else:
            signal.pthread_kill(thread.ident or 0, signal.SIGINT)
    else:
        _raise_in(thread, SystemExit)


def _raise_in(thread: threading.Thread, error: type[BaseException] | None) -> None:
    """Make Python raise an exception in a thread at its next instruction; None cancels a pending one."""
    import ctypes  # loaded only when something takes too long

    raised = None if error is None else ctypes.py_object(error)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident or 0), raised)


def _take_back(thread: threading.Thread) -> None:
    """Cancel an exception a thread has not reached yet, for example while it sleeps.

    While one is pending, Python checks for it in all threads, which slows them down and, in 3.11, makes a debugger or
    the tracing above hang. The check stops when one is raised, so one is raised here.
    """
    _raise_in(thread, None)
    with suppress(SystemExit):
        _raise_in(threading.current_thread(), SystemExit)
        while True:
            pass


def explained(error: BaseException, name: str) -> str:
    """Say in one sentence what went wrong and whose fault it is.

    If the student's own code failed, name the line, and the function unless it is `name`.
    """
    if isinstance(error, KeyboardInterrupt):
        return f"{name} was interrupted before it answered."
    text = ""
    with suppress(Exception):  # an exception of one's own may fail at that, too
        text = str(error)[:MAX_MESSAGE]
    stopped = f"{name} stopped with {type(error).__name__}"
    said = f"{stopped}: {text}".removesuffix(": ")
    where = line_of(error, name)
    if where is None:
        return text if type(error).__module__.startswith(("ttt.", "lab.")) else said
    if where and ". " in text:  # more than one sentence
        return f"{stopped}, {where}. {text}"
    return f"{said.removesuffix('.')}, {where}" if where else said


def explain_timeout(error: TimeoutError, name: str, seconds: float) -> str:
    """Say how long a function had, and the student's line where it was stopped."""
    where = line_of(error.__context__ or error, name)
    where = f", {where}" if where else ""
    if isinstance(error, Waiting):
        waited = f"{name} was still waiting after {error.args[0]:g} seconds{where}."
        return f"{waited} It computed almost nothing meanwhile, as in `sleep` or `input()`."
    return f"{name} gave no answer within {seconds:g} seconds{where}. Is there an endless loop?"


def line_of(error: BaseException, name: str) -> str | None:
    """The student's line that raised an error, such as "in line 3: `while True`".

    It is "" if the line can't be read, and None if none of the student's code ran.
    """
    students = [(frame.f_code, line) for frame, line in traceback.walk_tb(error.__traceback__) if is_own(frame)]
    if not students:
        return None
    code, number = next((one for one in reversed(students) if one[1]), students[-1])  # not every step has a line
    if not number:
        return ""
    line = linecache.getline(code.co_filename, number).strip().removesuffix(":")  # a full stop may follow
    function = "" if code.co_name.startswith("<") or code.co_name == name else f", in `{code.co_name}`"
    return f"in line {number}{function}: `{line}`" if line else ""


def is_own(frame: FrameType) -> bool:
    """Whether a frame runs the reader's or student's own code: from a cell, or a file outside any library."""
    if frame.f_globals.get("__name__") == "__main__":
        return True
    file = frame.f_code.co_filename
    return Path(file).is_file() and not file.startswith((*OURS, STANDARD)) and "-packages" not in file
