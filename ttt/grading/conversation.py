"""A conversation with a sandboxed program: a line of JSON goes in, and a line of JSON comes out."""

from __future__ import annotations

import json
import os
import select
from contextlib import suppress
from subprocess import Popen, TimeoutExpired
from time import monotonic
from typing import Any

from ttt.grading.sandbox import cpu_seconds

CHUNK = 1 << 16
PATIENCE = 10.0  # seconds of waiting for each that may be computed: a busy machine is slow, and a program may sleep
SHORTEST = 0.01  # seconds between two looks at how long the program has computed


class NoAnswer(Exception):
    """The program gave no answer that can be read. The message says what it did instead: "ended its program"."""


class Conversation:
    """Asks a program, and trusts nothing that it says: the submission inside could write anything.

    What an answer may cost is the program's own computing, so that a busy machine makes nobody late.

    Args:
        longest: bytes of an answer.
    """

    def __init__(self, process: Popen[bytes], longest: int) -> None:
        self._process, self._longest = process, longest
        self._unread = b""
        self.computed = 0.0  # seconds for the last answer

    def ask(self, what: object, seconds: float) -> Any:
        """The answer, if it takes no longer to compute. Raises `NoAnswer`."""
        begun, until = cpu_seconds(self._process), monotonic() + PATIENCE * seconds
        self.computed = 0.0
        assert self._process.stdin
        try:
            self._process.stdin.write(json.dumps(what).encode() + b"\n")
            self._process.stdin.flush()
        except OSError:
            raise NoAnswer("ended its program") from None
        while b"\n" not in self._unread:
            left = min(seconds - self.computed, until - monotonic())
            if left <= 0:
                raise NoAnswer(self._late(seconds))
            self._read(left)
            self.computed = cpu_seconds(self._process) - begun
        line, _, self._unread = self._unread.partition(b"\n")
        try:
            return json.loads(line)
        except (ValueError, RecursionError):
            raise NoAnswer("answered what can't be read") from None

    def _read(self, seconds: float) -> None:
        """Read some more if it comes in time, but not too much."""
        assert self._process.stdout
        if len(self._unread) > self._longest:
            raise NoAnswer("answered what can't be read: it is too long")
        if select.select([self._process.stdout], [], [], max(SHORTEST, seconds))[0]:
            received = os.read(self._process.stdout.fileno(), CHUNK)
            if not received:
                raise NoAnswer(self._ending())
            self._unread += received

    def _late(self, seconds: float) -> str:
        """What a program does that is out of time."""
        if self.computed >= seconds:
            return f"gave no answer within {seconds:.3g} s: an endless loop?"
        return f"gave no answer within {PATIENCE * seconds:.3g} s: does it wait for something?"

    def _ending(self) -> str:
        """How the process ended. A negative status or one above 128 says which signal ended it."""
        with suppress(TimeoutExpired):
            status = self._process.wait(0.5)
            if status < 0 or status > 128:
                return "brought Python down: recursion without end, or too much memory?"
        return "ended its program"


def sentence(subject: str, said: str) -> str:
    """A sentence on what a subject did."""
    said = said.rstrip(".")
    return f"{subject} {said}" if said.endswith("?") else f"{subject} {said}."
