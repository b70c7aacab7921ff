"""The sandbox: a process that sees Python, a folder with the few files it needs, and nothing else of this machine.

| level | what stops a submission |
| --- | --- |
| full | bubblewrap (no network, no other process, few files, all read-only); seccomp; limits; a clock |
| limits | on Linux seccomp; limits; a clock. It can read and write whatever the user can |

Some machines forbid namespaces, so the level that is really reached is found out by starting a sandboxed process. The
limits and, below the full level, the filter of system calls are set inside, by `inside.py`, before anything of the
submission is run; a process can't take them back. Limits on threads count by user: started by root, each sandbox has a
user of its own, started by anybody else a user namespace of its own.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from threading import Thread
from typing import Any

from exercises.grading import GradingError, bubblewrap, syscalls
from ttt.tournament import MOVE_SECONDS, PLAYER_SECONDS

LEVELS = ("full", "limits")  # of isolation, the better one first
WAITING = 40.0  # seconds that a process may wait without computing
LOOK = 5.0  # seconds between two looks at how long it has computed
LONGEST_LINE = 512 << 10  # bytes
MOST_BYTES, MOST_LINES = 64 << 20, 500_000
MEGABYTE = 1 << 20


@dataclass(frozen=True)
class Kind:
    """What is asked in a sandbox, what is there, and how long it may take.

    Args:
        name: what is asked.
        without: patterns of what is left out of `ttt`, but for what is needed to ask.
        everything: whether all installed packages are there.
        total, each: for all answers and for one, in seconds of CPU time.
        patience: how many times as long an answer may wait.
        seconds: of CPU time for the whole process.
        memory: bytes.
        disk: bytes of files in /tmp, where it starts.
    """

    name: str
    without: tuple[str, ...]
    everything: bool = False
    total: float = 30  # of which pandas takes a third
    each: float = 4
    patience: float = 8
    seconds: int = 45
    memory: int = 768 * MEGABYTE
    disk: int = MEGABYTE


FUNCTION = Kind("function", without=("*",))
NOT_FOR_PLAYERS = ("cli/*", "exercises/*", "jupyter/*", "plots/*", "qubic/prover/*", "statistics/*", "widgets/*")
PLAYER = Kind("player", NOT_FOR_PLAYERS, total=PLAYER_SECONDS, each=MOVE_SECONDS, patience=5, seconds=90)
NOT_FOR_INTERFACES = ("cli/*", "qubic/prover/*", "exercises/*.json")
INTERFACE = Kind("interface", NOT_FOR_INTERFACES, True, seconds=60, memory=4096 * MEGABYTE, disk=32 * MEGABYTE)

COMPUTED = "It was stopped after much computing, or took too much memory. Is there an endless loop?"
CRASHED = "It brought Python down: recursion without end, or too much memory?"
ENDS: dict[int, str] = {
    **dict.fromkeys((signal.SIGXCPU, signal.SIGKILL), COMPUTED),
    **dict.fromkeys((signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT), CRASHED),
}


class NotStarted(GradingError):
    """The sandbox did not start, which says nothing about the submission."""


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


@contextmanager
def sandboxed(level: str, kind: Kind, order: Mapping[str, Any]) -> Iterator[Sandbox]:
    """A process that runs `inside.py` with this order; killed with all its children at the end. Raises `NotStarted`."""
    limits = {
        "RLIMIT_CPU": kind.seconds,
        "RLIMIT_AS": kind.memory,
        "RLIMIT_FSIZE": kind.disk,
        "RLIMIT_NOFILE": 256,
        "RLIMIT_CORE": 0,
    }
    what = bubblewrap.contents(kind.without, kind.everything)
    with ExitStack() as opened:
        if level == "full":
            limits["RLIMIT_NPROC"] = 16
            place, command = "/tmp", bubblewrap.command(what, kind.disk)
        else:
            place = opened.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))
            command = bubblewrap.copied(what, Path(place))
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={"HOME": place, "PATH": "/usr/bin:/bin", "OMP_NUM_THREADS": "1"},
            cwd=place,
            start_new_session=True,
        )
        opened.callback(_kill, process)
        sandbox = Sandbox(process)
        clock = {"total": kind.total, "each": kind.each, "patience": kind.patience}
        calls = syscalls.seccomp_filter().hex() if syscalls.known() else ""
        sandbox.send({"kind": kind.name, **order, "clock": clock, "limits": limits, "filter": calls})
        if next(sandbox.lines, None) != {"started": True}:
            raise NotStarted("The sandbox did not start.")
        yield sandbox


def _kill(process: subprocess.Popen[bytes]) -> None:
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except OSError:  # nobody is left, or on macOS only what has ended
        process.kill()
    with suppress(OSError), process:  # which closes its pipes and waits for it
        pass


class Sandbox:
    """A sandboxed process, and what is heard of it: nothing of that is trusted.

    Attributes:
        lines: what it says, line by line, until it ends or writes too much; None for what is not JSON.
    """

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin and process.stdout
        self._process, self._input, self._output = process, process.stdin, process.stdout
        self._awaited = self._idle = False  # whether somebody waits for it, and whether it was killed for doing nothing
        self.lines = self._said()
        Thread(target=self._watch, daemon=True).start()

    def send(self, line: object) -> None:
        """Write a line of JSON, or one that is bytes already, to the process, which may have ended."""
        self._awaited = True
        with suppress(OSError):
            self._input.write(line if isinstance(line, bytes) else line_of(line))
            self._input.flush()
        self._awaited = False

    def _said(self) -> Iterator[Any]:
        rest, size, count = b"", 0, 0
        while size <= MOST_BYTES and count <= MOST_LINES and len(rest) <= LONGEST_LINE:
            self._awaited = True
            chunk = os.read(self._output.fileno(), 1 << 16)
            self._awaited = False
            if not chunk:
                return
            *whole, rest = (rest + chunk).split(b"\n")
            size, count = size + len(chunk), count + len(whole)
            yield from map(_sense, whole)
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
        """The seconds of CPU time that the program has used so far; the wall clock where a system doesn't tell.

        bubblewrap starts a process that starts the program, so the program is the last of a chain of children.
        """
        number = self._process.pid
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


def line_of(data: object) -> bytes:
    """A line of JSON."""
    return json.dumps(data).encode("ascii") + b"\n"


def _sense(line: bytes) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None
