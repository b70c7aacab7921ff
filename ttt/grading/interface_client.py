"""The client of a submitted interface, which runs in a sandbox behind `inside/interface_server.py`.

A request and its answer are one line of JSON each. The sandbox is the usual one with the installed packages in it, and
with the time and memory that it takes to load them.
"""

from __future__ import annotations

import json
import os
import resource
import select
from collections.abc import Iterator
from contextlib import contextmanager
from subprocess import Popen
from time import monotonic
from typing import Any

from ttt.grading import sandbox

PATIENCE = 20.0  # seconds for one answer; running the notebook takes the longest
LIFETIME = 60.0  # seconds for everything
LARGEST = 8_000_000  # bytes of one answer; the largest is an interface with its pictures
SERVER = "interface_server"
LIMITS = sandbox.LIMITS | {resource.RLIMIT_CPU: 40, resource.RLIMIT_AS: 4 << 30, resource.RLIMIT_NOFILE: 256}
DISK = 32 << 20  # bytes of files in /tmp, where packages keep their caches
ENVIRONMENT = {"HOME": "/tmp", "PATH": "/usr/bin:/bin", "OPENBLAS_NUM_THREADS": "1", "MPLBACKEND": "agg"}


class InterfaceError(Exception):
    """The interface does not do what it must, or no longer answers; the message says what is wrong."""


@contextmanager
def connected(isolation: str = "full") -> Iterator[Client]:
    """A client of a new server. Raises `TooLittleIsolation`."""
    sandbox.require(isolation)
    with sandbox.sandboxed(isolation, sandbox.Sandbox(SERVER, LIMITS, DISK, sandbox.SITE, ENVIRONMENT)) as process:
        yield Client(process)


class Client:
    """Sends requests to the server. Its answers can't be trusted: the submission could write anything."""

    def __init__(self, process: Popen[bytes]) -> None:
        self._process = process
        self._end = monotonic() + LIFETIME
        self._unread = b""

    def ask(self, do: str, **details: object) -> dict[str, Any]:
        """Send a request; returns the answer, which is always a dictionary. Raises `InterfaceError`."""
        assert self._process.stdin
        try:
            self._process.stdin.write(json.dumps({"do": do, **details}).encode() + b"\n")
            self._process.stdin.flush()
        except OSError:
            raise InterfaceError("It ended itself.") from None
        try:
            answer = json.loads(self._line())
        except (ValueError, RecursionError):
            raise InterfaceError("Its answer can't be read.") from None
        return answer if isinstance(answer, dict) else {}

    def _line(self) -> bytes:
        """The next line, within the limits of time and size."""
        assert self._process.stdout
        until = min(monotonic() + PATIENCE, self._end)
        while b"\n" not in self._unread:
            if len(self._unread) > LARGEST:
                raise InterfaceError("Its answer is too long to be read.")
            if not select.select([self._process.stdout], [], [], max(0.0, until - monotonic()))[0]:
                raise InterfaceError("It did not answer in time: an endless loop?")
            received = os.read(self._process.stdout.fileno(), 1 << 16)
            if not received:
                raise InterfaceError("It ended itself.")
            self._unread += received
        line, _, self._unread = self._unread.partition(b"\n")
        return line
