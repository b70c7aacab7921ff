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
from pathlib import Path
from threading import Thread
from typing import Any

from exercises.grading import GradingError, bubblewrap, syscalls
from ttt.arena.round_robin import MOVE_SECONDS, PLAYER_SECONDS

LEVELS = ("full", "limits")  # of isolation, the better one first
WAITING = 40.0  # seconds that a process may wait without computing
LOOK = 5.0  # seconds between two looks at how long it has computed
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
    patience: float = 8  # how many times as long an answer may wait
    seconds: int = 45  # of CPU time for the whole process
    memory: int = 768 * MEGABYTE
    disk: int = MEGABYTE  # for files in /tmp, where it starts


FUNCTION = Kind("function", without=("*",))
NOT_FOR_PLAYERS = ("__main__.py", "exercises/*", "jupyter/*", "plots/*", "statistics/*", "widgets/*")
PLAYER = Kind("player", NOT_FOR_PLAYERS, total=PLAYER_SECONDS, each=MOVE_SECONDS, patience=5, seconds=90)
NOT_FOR_INTERFACES = ("__main__.py", "exercises/*.json")
INTERFACES = Kind("interface", NOT_FOR_INTERFACES, True, seconds=60, memory=4096 * MEGABYTE, disk=32 * MEGABYTE)

STOPPED, CRASHED = (signal.SIGXCPU, signal.SIGKILL), (signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT)
ENDS: dict[int, str] = dict.fromkeys(STOPPED, "It computed for too long, or took too much memory: an endless loop?")
ENDS |= dict.fromkeys(CRASHED, "It brought Python down: recursion without end, or too much memory?")


class NotStarted(GradingError):
    """The sandbox did not start, which says nothing about the submission."""


class Sandbox:
    """A sandboxed process, and what is heard of it: nothing of that is trusted."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._awaited = self._idle = False  # whether somebody waits for it, and whether it was killed for doing nothing
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
            self._awaited = True
            line = self._process.stdout.readline(min(left, LONGEST_LINE))
            self._awaited = False
            left -= len(line)
            if not line.endswith(b"\n"):
                break
            said = None
            with suppress(ValueError, RecursionError):
                said = json.loads(line)
            yield said
        if line:
            yield {"problem": "It wrote far more than the answers that it was asked for, and was stopped."}

    def _watch(self) -> None:
        """Kill the process if it neither answers nor computes. A busy machine makes nobody late."""
        before = waited = 0.0
        while self._process.poll() is None and not self._idle:
            time.sleep(LOOK)
            now = self._computed()
            waited = waited + LOOK if self._awaited and now - before < LOOK / 100 else 0
            before = now
            if waited >= WAITING:
                self._idle = True
                self._process.kill()

    def _computed(self) -> float:
        """The seconds of CPU time that the program has used so far; the wall clock where a system doesn't tell."""
        number = self._process.pid  # of bubblewrap, whose last child is the program
        try:
            while children := Path(f"/proc/{number}/task/{number}/children").read_text(encoding="ascii").split():
                number = int(children[0])
            fields = Path(f"/proc/{number}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
            return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        except OSError:
            return time.monotonic()

    def why_it_ended(self) -> str:
        """Why the process said no more, in a sentence."""
        try:
            status = self._process.wait(1)
        except subprocess.TimeoutExpired:
            return "It closed its output and went on."
        if self._idle:
            return "It was stopped, since it was waiting for something."
        number = status - 128 if status > 128 else -status  # bubblewrap reports a signal as a status above 128
        return ENDS.get(number, "It ended the program before it had answered everything.")


@contextmanager
def sandboxed(level: str, kind: Kind, order: Mapping[str, Any]) -> Iterator[Sandbox]:
    """A process that runs `inside.py` with this order; killed with all its children at the end. Raises `NotStarted`."""
    limits = {"CPU": kind.seconds, "AS": kind.memory, "FSIZE": kind.disk, "NOFILE": 256, "CORE": 0}
    what = bubblewrap.contents(kind.without, kind.everything)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as place:
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
        try:
            sandbox = Sandbox(process)
            clock = {"total": kind.total, "each": kind.each, "patience": kind.patience}
            calls = syscalls.seccomp_filter().hex() if syscalls.known() else ""
            sandbox.send(json.dumps({"kind": kind.name, **order, "clock": clock, "limits": limits, "filter": calls}))
            if next(sandbox.lines, None) != {"started": True}:
                raise NotStarted("The sandbox did not start.")
            yield sandbox
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except OSError:  # nobody is left, or on macOS only what has ended
                process.kill()
            with suppress(OSError), process:  # which closes its pipes and waits for it
                pass


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
