"""The conversation with a submitted interface, which runs in a jail: one line of JSON there, one line back.

The jail is that of the other exercise, with the installed packages in it besides, and with the time and memory that it
takes to load them.
"""

from __future__ import annotations

import json
import os
import resource
import select
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import Any, Self

from ttt.grading import sandbox

PATIENCE = 20.0  # seconds for one answer; running a notebook takes the longest
LIFETIME = 60.0  # seconds for everything
LARGEST = 8_000_000  # bytes of one answer; the largest is an interface with its pictures
STAGE = Path(__file__).with_name("stage.py")
LIMITS = sandbox.LIMITS | {resource.RLIMIT_CPU: 40, resource.RLIMIT_AS: 4 << 30, resource.RLIMIT_NOFILE: 256}
ROOM = 32 << 20  # bytes of files in /tmp, where packages keep their caches
SETTINGS = {"HOME": "/tmp", "PATH": "/usr/bin:/bin", "OPENBLAS_NUM_THREADS": "1", "MPLBACKEND": "agg"}


class Gone(RuntimeError):
    """The interface answers no more; the message says why."""


class Actor:
    """A process on the stage of `stage.py`, to be asked; what it answers is anything at all.

    Raises `judge.TooLittleIsolation`.
    """

    def __init__(self, isolation: str = "full") -> None:
        sandbox.require(isolation)
        self._jail = sandbox.sandboxed(isolation, sandbox.Sandbox(STAGE, LIMITS, ROOM, sandbox.SITE, SETTINGS))
        self._end = monotonic() + LIFETIME
        self._unread = b""

    def __enter__(self) -> Self:
        self._process = self._jail.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._jail.__exit__(kind, error, trace)

    def ask(self, do: str, **details: object) -> dict[str, Any]:
        """Ask for one thing; returns what came back, always a dictionary. Raises `Gone`."""
        assert self._process.stdin
        try:
            self._process.stdin.write(json.dumps({"do": do, **details}).encode() + b"\n")
            self._process.stdin.flush()
        except OSError:
            raise Gone("It ended itself.") from None
        try:
            answer = json.loads(self._line())
        except (ValueError, RecursionError):
            raise Gone("What it answers can't be read.") from None
        return answer if isinstance(answer, dict) else {}

    def _line(self) -> bytes:
        """The next line. The process may write what it likes, so neither time nor size is left to it."""
        assert self._process.stdout
        until = min(monotonic() + PATIENCE, self._end)
        while b"\n" not in self._unread:
            if len(self._unread) > LARGEST:
                raise Gone("It answers more than can be read.")
            if not select.select([self._process.stdout], [], [], max(0.0, until - monotonic()))[0]:
                raise Gone("It did not answer in time: an endless loop?")
            said = os.read(self._process.stdout.fileno(), 1 << 16)
            if not said:
                raise Gone("It ended itself.")
            self._unread += said
        line, _, self._unread = self._unread.partition(b"\n")
        return line
