"""The sandbox: a process that sees Python, a folder with the few files it needs, and nothing else of this machine.

Below the level "full" it sees, and can change, whatever the user can. `inside.py` sets the limits and the filter of
system calls before any of it is run. Limits on threads count by user: each sandbox has its own, or a user namespace.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from math import inf
from pathlib import Path
from threading import Thread
from typing import Any

import psutil

from exercises.grading import GradingError, bubblewrap, syscalls

LEVELS = ("full", "limits")  # of isolation, the better one first
WAITING = 15.0  # seconds in all that a submission may wait without computing, so that none takes more than 60
LOOK = 1.0  # seconds between two looks at what it does
BUSY = (psutil.STATUS_RUNNING, psutil.STATUS_DISK_SLEEP)  # all else is waiting, also being stopped, or half dead
LONGEST_LINE = 512 << 10  # bytes
MOST_BYTES, MOST_LINES = 64 << 20, 500_000
MEGABYTE = 1 << 20


@dataclass(frozen=True)
class Kind:
    """What is asked in a sandbox, what is there, and how long it may take."""

    name: str  # what is asked
    without: tuple[str, ...]  # patterns of what is left out of `ttt`, but for what is needed to ask
    everything: bool = False  # whether all installed packages are there
    total: float = 30  # seconds of CPU time for all answers, of which pandas takes a third
    each: float = 4  # the same for one answer
    patience: float = inf  # how many times as long an answer may wait; who waits too long is stopped from outside
    seconds: int = 45  # of CPU time for the whole process
    memory: int = 768 * MEGABYTE
    disk: int = MEGABYTE  # for files in /tmp, where it starts


FUNCTION = Kind("function", without=("*",))
NOT_FOR_PLAYERS = ("__main__.py", "checks/*", "jupyter/*", "plots/*", "statistics.py", "widgets/*")
PLAYER = Kind("player", NOT_FOR_PLAYERS, total=60, each=2, patience=2, seconds=90)
NOT_FOR_INTERFACES = ("__main__.py", "checks/[!i]*")  # of the checks, interface.py is needed
INTERFACES = Kind("interface", NOT_FOR_INTERFACES, True, seconds=60, memory=4096 * MEGABYTE, disk=32 * MEGABYTE)

STOPPED, CRASHED = (signal.SIGXCPU, signal.SIGKILL), (signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT)
ENDS: dict[int, str] = dict.fromkeys(STOPPED, "It computed for too long, or took too much memory: an endless loop?")
ENDS |= dict.fromkeys(CRASHED, "It brought Python down: recursion without end, or too much memory?")
WAITED = f"It was stopped, since it had waited for {WAITING:g} seconds without computing."
ENDED = "It ended the program before it had answered everything."
FLOODED = "It wrote far more than the answers that it was asked for, and was stopped."


_running: set[subprocess.Popen[bytes]] = set()


class NotStarted(GradingError):
    """The sandbox did not start, which says nothing about the submission."""


class Sandbox:
    """A sandboxed process, and what is heard of it: nothing of that is trusted."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._awaited = False  # whether somebody waits for what it says
        self._flooded = False
        self.waited = False  # whether it was stopped because it only waited
        self.lines = self._said()  # until it ends or writes too much; None for what is not JSON
        Thread(target=self._watch, daemon=True).start()

    def send(self, line: str) -> None:
        """Write a line of JSON to the process, which may have ended."""
        assert self._process.stdin
        self._awaited = True
        with suppress(OSError):
            self._process.stdin.write(line.encode("ascii") + b"\n")
            self._process.stdin.flush()
        self._awaited = False

    def _said(self) -> Iterator[Any]:
        assert self._process.stdout
        left = MOST_BYTES
        for _ in range(MOST_LINES):
            most = min(left, LONGEST_LINE)
            self._awaited = True
            line = self._process.stdout.readline(most)
            self._awaited = False
            left -= len(line)
            if not line.endswith(b"\n"):
                self._flooded = len(line) == most
                return
            said = None
            with suppress(ValueError, RecursionError):
                said = json.loads(line)
            yield said
        self._flooded = True

    def _watch(self) -> None:
        """Kill a process that waits too long without computing. One that waits for a busy core loses nothing."""
        idle = before = 0.0
        while self._process.poll() is None and idle < WAITING:
            time.sleep(LOOK)
            computed, busy = before, False
            with suppress(psutil.Error):
                program = self._program()
                computed, busy = sum(program.cpu_times()[:2]), program.status() in BUSY
            if self._awaited and not busy:
                idle += max(0, LOOK - (computed - before))
            before = computed
        if idle >= WAITING:
            self.waited = True
            self._process.kill()

    def _program(self) -> psutil.Process:
        """The process in which the submission runs: the last child of bubblewrap, or the process itself."""
        first = psutil.Process(self._process.pid)
        return (first.children(recursive=True) or [first])[-1]

    def why_it_ended(self) -> str:
        """Why the process said no more, in a sentence."""
        if self._flooded:
            return FLOODED
        try:
            status = self._process.wait(1)
        except subprocess.TimeoutExpired:
            return "It closed its output and went on."
        if self.waited:
            return WAITED
        number = status - 128 if status > 128 else -status  # bubblewrap reports a signal as a status above 128
        return ENDS.get(number, ENDED)


@contextmanager
def sandboxed(level: str, kind: Kind, order: Mapping[str, Any]) -> Iterator[Sandbox]:
    """A process that runs `inside.py` with this order; killed with all its children at the end. Raises `NotStarted`."""
    limits = {"CPU": kind.seconds, "AS": kind.memory, "FSIZE": kind.disk, "NOFILE": 256, "CORE": 0}
    what = bubblewrap.contents(kind.without, kind.everything, tuple(order.get("withheld", ())))
    with tempfile.TemporaryDirectory(dir=bubblewrap.scratch(), ignore_cleanup_errors=True) as place:
        if level == "full":
            limits["NPROC"] = 16
        process = subprocess.Popen(
            bubblewrap.command(what, kind.disk) if level == "full" else bubblewrap.copied(what, Path(place)),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={"HOME": "/tmp" if level == "full" else place, "PATH": "/usr/bin:/bin", "OMP_NUM_THREADS": "1"},
            cwd=place,
            start_new_session=True,
        )
        _running.add(process)
        try:
            sandbox = Sandbox(process)
            clock = {"total": kind.total, "each": kind.each, "patience": kind.patience}
            calls = syscalls.seccomp_filter().hex() if syscalls.known() else ""
            sandbox.send(json.dumps({"kind": kind.name, **order, "clock": clock, "limits": limits, "filter": calls}))
            if next(sandbox.lines, None) != {"started": True}:
                raise NotStarted("The sandbox did not start.")
            yield sandbox
        finally:
            _running.discard(process)
            kill(process)
            with suppress(OSError), process:  # which closes its pipes and waits for it
                pass


def kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a process with all its children."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except OSError:  # nobody is left, or on macOS only what has ended
        process.kill()


def kill_all() -> None:
    """Kill whatever runs in a sandbox of this process, so that nobody waits for it when the command is interrupted."""
    for process in [*_running]:
        kill(process)


@cache
def reached() -> str:
    """The best level that this machine reaches. Raises `GradingError` if there is none."""
    for level in LEVELS if sys.platform in ("linux", "darwin") else ():
        if level == "full" and not (shutil.which("bwrap") and syscalls.known()):
            continue
        with suppress(OSError, NotStarted), sandboxed(level, FUNCTION, {}):
            return level
    raise GradingError("Submissions can't be isolated on this machine: it is neither Linux nor macOS.")


def require(level: str) -> None:
    """Make sure that this machine reaches a level. Raises `GradingError`, which says what to do."""
    if level not in LEVELS:
        raise GradingError(f"The levels of isolation are {' and '.join(LEVELS)}, not {level!r}.")
    if LEVELS.index(reached()) > LEVELS.index(level):
        raise GradingError(
            f"This machine reaches isolation {reached()!r}, not {level!r}. On Debian or Ubuntu install bubblewrap "
            f"(sudo apt install bubblewrap), or write --isolation {reached()} to grade without it."
        )
