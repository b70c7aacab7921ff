"""The sandbox: a process that sees Python, a folder with the few files it needs, and nothing else on this machine.

Below the level "full" a submission can see and change whatever the user can. `inside.py` sets the limits and the filter
for system calls before any submitted code runs. Thread limits count per user: each sandbox has its own user
(namespace).
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

from exercises.grading import GradingError
from exercises.grading.isolation import bubblewrap, syscalls

LEVELS = ("full", "limits")  # of isolation, best first
MAX_WAIT = 15.0  # seconds that a submission may wait without computing, so that none takes more than 60
LOOK_EVERY = 1.0  # seconds between two looks at the process
BUSY = (psutil.STATUS_RUNNING, psutil.STATUS_DISK_SLEEP)  # any other status means waiting, stopped or defunct
LONGEST_LINE = 512 << 10  # bytes of a line at most
MOST_BYTES, MOST_LINES = 64 << 20, 500_000
MEGABYTE = 1 << 20


@dataclass(frozen=True)
class SandboxKind:
    """A kind of sandbox: what is asked, what is available, and the time limits."""

    name: str  # what is asked
    without: tuple[str, ...]  # patterns to leave out of `ttt` and `lab`, except files needed to ask
    everything: bool = False  # whether all installed packages are available
    total: float = 40  # seconds of CPU time for all answers, of which pandas takes a half at most
    each: float = 4  # the same for one answer
    patience: float = inf  # seconds that an answer may only wait; waiting too long is stopped from outside
    seconds: int = 45  # CPU seconds for the whole process
    memory: int = 768 * MEGABYTE
    disk: int = MEGABYTE  # bytes for files in /tmp, the working directory


FUNCTION = SandboxKind("function", without=("*",))
PLAYER = SandboxKind("player", ("lab/*",), total=60, each=2, patience=4, seconds=90)
NOT_FOR_INTERFACES = ("lab/__main__.py", "lab/grader.py", "lab/checks/[!i]*")  # interface.py is the only check needed
INTERFACES = SandboxKind("interface", NOT_FOR_INTERFACES, True, seconds=60, memory=4096 * MEGABYTE, disk=32 * MEGABYTE)

OVER = "The program used too much time or memory, so it was stopped. Is there an endless loop?"
BROKEN = "The program crashed Python. Does a function never stop calling itself, or did it use too much memory?"
SIGNALS = {"SIGXCPU": OVER, "SIGKILL": OVER, "SIGSEGV": BROKEN, "SIGBUS": BROKEN, "SIGABRT": BROKEN}  # by name
WAITED = f"The program waited {MAX_WAIT:g} seconds without computing and was stopped. Does it call `sleep` or `input`?"
ENDED = "The program ended before it had answered everything."
FLOODED = "The program produced far more output than expected, so it was stopped."


_running: set[subprocess.Popen[bytes]] = set()


class NotStarted(GradingError):
    """The sandbox did not start; the submission is not to blame."""


class Sandbox:
    """A sandboxed process and its output, none of which is trusted."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._awaited = False  # whether somebody is waiting for output
        self._flooded = False
        self.waited = False  # whether it was stopped because it only waited
        self.lines = self._said()  # until it ends or writes too much; None for a line that is not JSON
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
        """Kill a process that waits too long without computing. Waiting for a busy core doesn't count."""
        idle = before = 0.0
        while self._process.poll() is None and idle < MAX_WAIT:
            time.sleep(LOOK_EVERY)
            computed, busy = before, False
            with suppress(psutil.Error):
                program = self._program()
                computed, busy = sum(program.cpu_times()[:2]), program.status() in BUSY
            if self._awaited and not busy:
                idle += max(0, LOOK_EVERY - (computed - before))
            before = computed
        if idle >= MAX_WAIT:
            self.waited = True
            self._process.kill()

    def _program(self) -> psutil.Process:
        """The process running the submission: bubblewrap's last child, or the process itself."""
        first = psutil.Process(self._process.pid)
        return (first.children(recursive=True) or [first])[-1]

    def why_it_ended(self) -> str:
        """Why the process stopped answering, as a sentence."""
        if self._flooded:
            return FLOODED
        try:
            status = self._process.wait(1)
        except subprocess.TimeoutExpired:
            return "The program closed its output but kept running."
        if self.waited:
            return WAITED
        number = status - 128 if status > 128 else -status  # bubblewrap reports a signal as a status above 128
        with suppress(ValueError):  # no signal has this number
            return SIGNALS.get(signal.Signals(number).name, ENDED)
        return ENDED


@contextmanager
def sandboxed(level: str, kind: SandboxKind, order: Mapping[str, Any]) -> Iterator[Sandbox]:
    """Run `inside.py` with this order; kill the process and all its children at the end. Raises `NotStarted`."""
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
            with suppress(OSError), process:  # closes its pipes and waits for it
                pass


def kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a process with all its children."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except OSError:  # no process is left, or on macOS only ended ones
        process.kill()


def kill_all() -> None:
    """Kill everything in this process's sandboxes, so that an interrupted command doesn't wait for it."""
    for process in [*_running]:
        kill(process)


@cache
def reached() -> str:
    """The best level this machine can provide. Raises `GradingError` if there is none."""
    for level in LEVELS if sys.platform in ("linux", "darwin") else ():
        if level == "full" and not (shutil.which("bwrap") and syscalls.known()):
            continue
        with suppress(OSError, NotStarted), sandboxed(level, FUNCTION, {}):
            return level
    raise GradingError("Submissions can't be isolated on this machine: isolation needs Linux or macOS.")


def require(level: str) -> None:
    """Make sure this machine can provide a level. Raises `GradingError`, which says what to do."""
    if level not in LEVELS:
        raise GradingError(f"The levels of isolation are {' and '.join(LEVELS)}, not {level!r}.")
    if LEVELS.index(reached()) > LEVELS.index(level):
        raise GradingError(
            f"This machine can provide isolation {reached()!r}, not {level!r}. On Debian or Ubuntu install bubblewrap "
            f"(`sudo apt install bubblewrap`), or add `--isolation {reached()}` to grade without it."
        )
