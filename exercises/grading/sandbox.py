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
from functools import cache
from pathlib import Path
from threading import Event, Thread
from typing import Any

from exercises.grading import GradingError, bubblewrap, syscalls
from exercises.grading.bubblewrap import FUNCTION, Kind

LEVELS = ("full", "limits")  # of isolation, the better one first
PATIENCE = 40.0  # seconds that a process may wait without computing
LOOK = 5.0  # seconds between two looks at how long it has computed
LONGEST_LINE = 512 << 10  # bytes
MOST_BYTES, MOST_LINES = 64 << 20, 500_000
CHUNK = 1 << 16


class NotStarted(GradingError):
    """The sandbox did not start, which says nothing about the submission."""


@cache
def reached() -> str:
    """The best level that this machine reaches. Raises `GradingError` if there is none."""
    for level in LEVELS if sys.platform in ("linux", "darwin") else ():
        if level == "full" and not (shutil.which("bwrap") and syscalls.known()):
            continue
        with suppress(OSError, NotStarted), sandboxed(level, FUNCTION, {"kind": "function"}):
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
    with ExitStack() as opened:
        passed: tuple[int, ...] = ()
        if level == "full":
            place = "/"
            passed = (opened.enter_context(_piped(syscalls.seccomp_filter())),)
            command = bubblewrap.command(kind, passed[0])
        else:
            place = opened.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))
            command = [sys.executable, *bubblewrap.python(_copied(kind, Path(place)))]
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=bubblewrap.environment(place),
            cwd=place,
            pass_fds=passed,
            start_new_session=True,
        )
        opened.callback(_kill, process)
        sandbox = Sandbox(process)
        with sandbox.watched():
            sandbox.send({**order, "limits": _limits(level, kind)})
            if next(sandbox.lines, None) != {"started": True}:
                raise NotStarted("The sandbox did not start.")
            yield sandbox


@contextmanager
def _piped(data: bytes) -> Iterator[int]:
    """A descriptor from which the data can be read."""
    read, write = os.pipe()
    os.write(write, data)
    os.close(write)
    yield read
    os.close(read)


def _copied(kind: Kind, place: Path) -> Path:
    """A copy of the files that a sandbox sees, since a submission could write into them."""
    home = place / bubblewrap.HOME.name
    packages = bubblewrap.packages(kind.everything)
    mounts = shutil.ignore_patterns(*(package.name for package in packages))
    shutil.copytree(bubblewrap.files(kind.modules, kind.without), home, ignore=mounts)
    for package in packages:
        (home / "packages" / package.name).symlink_to(package)
    return home


def _limits(level: str, kind: Kind) -> dict[str, object]:
    """What `inside.py` sets before it runs anything: limits by name, and the filter where bubblewrap sets none."""
    found: dict[str, object] = {
        "RLIMIT_CPU": kind.seconds,
        "RLIMIT_AS": kind.memory,
        "RLIMIT_FSIZE": kind.disk,
        "RLIMIT_NOFILE": 256 if kind.everything else 64,
        "RLIMIT_CORE": 0,
    }
    if level == "full":
        found["RLIMIT_NPROC"] = 16
    elif syscalls.known():
        found["filter"] = syscalls.seccomp_filter().hex()
    return found


def _kill(process: subprocess.Popen[bytes]) -> None:
    try:
        os.killpg(process.pid, 9)
    except OSError:  # nobody is left, or on macOS only what has ended
        process.kill()
    for pipe in (process.stdin, process.stdout):
        with suppress(OSError):
            if pipe:
                pipe.close()
    process.wait()


def line_of(data: object) -> bytes:
    """A line of JSON."""
    return json.dumps(data).encode("ascii") + b"\n"


class Sandbox:
    """A sandboxed process, and what is heard of it: nothing of that is trusted.

    Attributes:
        lines: what it says, line by line, until it ends or writes too much; None for what is not JSON.
    """

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self.lines = self._said()
        self._waited = Event()  # it was killed, since it was waiting

    def send(self, line: object) -> None:
        """Write a line of JSON, or one that is bytes already, to the process, which may have ended."""
        assert self.process.stdin
        with suppress(OSError):
            self.process.stdin.write(line if isinstance(line, bytes) else line_of(line))
            self.process.stdin.flush()

    def _said(self) -> Iterator[Any]:
        assert self.process.stdout
        rest, size, count = b"", 0, 0
        while size <= MOST_BYTES and count <= MOST_LINES and len(rest) <= LONGEST_LINE:
            chunk = os.read(self.process.stdout.fileno(), CHUNK)
            if not chunk:
                return
            *whole, rest = (rest + chunk).split(b"\n")
            size, count = size + len(chunk), count + len(whole)
            yield from map(_sense, whole)
        yield {"problem": "It wrote far more than the answers that it was asked for, and was stopped."}

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Kill the process if it waits without computing. A busy machine makes nobody late."""
        done = Event()

        def watch() -> None:
            last, idle = 0.0, 0
            while not done.wait(LOOK):
                now = self._computed()
                idle = idle + 1 if now - last < LOOK / 100 else 0
                last = now
                if idle * LOOK >= PATIENCE:
                    self._waited.set()
                    self.process.kill()
                    return

        Thread(target=watch, daemon=True).start()
        try:
            yield
        finally:
            done.set()

    def _computed(self) -> float:
        """The CPU time that the program has used so far; the wall clock where a system doesn't tell.

        bubblewrap starts a process that starts the program, so the program is the last of a chain of children.
        """
        number = self.process.pid
        try:
            while children := Path(f"/proc/{number}/task/{number}/children").read_text(encoding="ascii").split():
                number = int(children[0])
            fields = Path(f"/proc/{number}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
            return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        except (OSError, ValueError):
            return 0.0 if Path("/proc/self/stat").exists() else time.monotonic()

    def why_it_ended(self) -> str:
        """Why the process said no more, in a sentence."""
        try:
            status = self.process.wait(1)
        except subprocess.TimeoutExpired:
            return "It closed its output and went on."
        number = status - 128 if status > 128 else -status  # bubblewrap reports a signal as a status above 128
        if self._waited.is_set():
            return "It was stopped, since it was waiting for something."
        if number in (signal.SIGXCPU, signal.SIGKILL):
            return "It was stopped after much computing, or took too much memory. Is there an endless loop?"
        if number in (signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT):
            return "It brought Python down: recursion without end, or too much memory?"
        return "It ended the program before it had answered everything."


def _sense(line: bytes) -> Any:
    if len(line) <= LONGEST_LINE:
        with suppress(ValueError, RecursionError):
            return json.loads(line)
    return None
