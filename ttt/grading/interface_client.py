"""The client of a submitted interface, which runs in a sandbox behind `inside/interface_server.py`.

A request and its answer are one line of JSON each. The sandbox is the usual one with the installed packages in it, and
with the time and memory that it takes to load them.
"""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from subprocess import Popen
from typing import Any

from ttt.exercises.interface import InterfaceError, called
from ttt.grading import sandbox
from ttt.grading.conversation import Conversation, NoAnswer, sentence

PATIENCE = 20.0  # seconds of computing for one answer; running the notebook takes the longest
LIFETIME = 40.0  # seconds of computing for everything
LARGEST = 8_000_000  # bytes of one answer
SERVER = "interface_server"
LIMITS = sandbox.LIMITS | {resource.RLIMIT_CPU: int(LIFETIME), resource.RLIMIT_AS: 4 << 30, resource.RLIMIT_NOFILE: 256}
DISK = 32 << 20  # bytes of files in /tmp, where packages keep their caches
ENVIRONMENT = {"HOME": "/tmp", "PATH": "/usr/bin:/bin", "OPENBLAS_NUM_THREADS": "1", "MPLBACKEND": "agg"}


@contextmanager
def connected(isolation: str = "full") -> Iterator[Client]:
    """A client of a new server. Raises `TooLittleIsolation`."""
    sandbox.require(isolation)
    with sandbox.sandboxed(isolation, sandbox.Sandbox(SERVER, LIMITS, DISK, sandbox.SITE, ENVIRONMENT)) as process:
        yield Client(process)


class Client:
    """Sends requests to the server. Its answers can't be trusted: the submission could write anything."""

    def __init__(self, process: Popen[bytes]) -> None:
        self._conversation = Conversation(process, LARGEST)
        self._left = LIFETIME

    def ask(self, do: str, **details: Any) -> dict[str, Any]:
        """Send a request; returns the answer, which is always a dictionary. Raises `InterfaceError`."""
        try:
            answer = self._conversation.ask({"do": do, **details}, min(PATIENCE, self._left))
        except NoAnswer as error:
            name = called(do, details.get("cell"), details.get("number"))
            raise InterfaceError(sentence(name, str(error))) from None
        finally:
            self._left -= self._conversation.computed
        return answer if isinstance(answer, dict) else {}
