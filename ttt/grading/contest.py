"""Submitted players in a tournament: a sandbox for each game, a clock for each move, and a reason for every loss.

The player's source and one board after another go into the sandbox. The opponent, the arena and the seed stay outside;
the player's `random` is seeded with the number of the game, so that every run draws the same.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
import re
import resource
import secrets
import select
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from time import monotonic
from typing import Any

from ttt.board import Board
from ttt.grading import sandbox
from ttt.grading.inside.submission import CELL_END
from ttt.grading.roster import plain
from ttt.grading.source import Unreadable, read_source
from ttt.players.loader import FUNCTION, NoPlayer

SECONDS = 2.0  # for a move
READY = 20.0  # seconds until a submission has been read and run
LARGEST = 1 << 16  # bytes of an answer
LONGEST = 200  # characters of a reason
DECIDING = ("contest.py", "sandbox.py", "syscalls.py", "source.py", "inside/player.py", "inside/submission.py")

Answer = int | dict[int, float] | str  # a cell, cells with their probabilities, or why the game is lost


@dataclass(frozen=True)
class Contestant:
    """A submitted player.

    Args:
        name: what tables call it.
        source: its code, as `source.read_source` gives it.
        isolation: the level of the sandbox that it plays in.
        seconds: its time for a move.
    """

    name: str
    source: str
    isolation: str = "full"
    seconds: float = SECONDS

    @property
    def digest(self) -> str:
        """A hash of everything that decides how it plays."""
        ours = ((Path(__file__).parent / name).read_bytes() for name in DECIDING)
        parts = (self.source.encode(), f"{self.isolation} {self.seconds:g}".encode(), *ours)
        return hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()[:16]

    @contextmanager
    def session(self, board: Board, number: int) -> Iterator[Callable[[Board], Answer]]:
        """What to ask for each move of the game with this number. Raises `sandbox.TooLittleIsolation`."""
        sandbox.require(self.isolation)
        seconds = int(self.seconds * (len(board) // 2 + 1) + READY)  # of computing, for all moves
        limits = sandbox.LIMITS | {resource.RLIMIT_CPU: seconds}
        with sandbox.sandboxed(self.isolation, sandbox.Sandbox("player", limits)) as process:
            yield _Session(self, process, board, number).move


def contestant(path: Path, isolation: str = "full", seconds: float = SECONDS) -> Contestant:
    """The player in a file, a notebook or a program that defines `my_player(board)`. Raises `NoPlayer`."""
    if isolation not in sandbox.LEVELS:
        raise NoPlayer(f"The levels of isolation are {', '.join(sandbox.LEVELS)}, not {isolation!r}.")
    try:
        source = read_source(path)
    except Unreadable as unreadable:
        raise NoPlayer(f"{path}: {unreadable}") from None
    if not any(map(_defines, source.split(CELL_END))):
        raise NoPlayer(f"{path} has no player: it must define a function {FUNCTION}(board) that returns a free cell.")
    return Contestant(plain(path.stem, 60), source, isolation, seconds)


def _defines(cell: str) -> bool:
    """Whether a cell defines the function; where it can't be read as Python, whether it looks so."""
    try:
        nodes = list(ast.walk(ast.parse(cell)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return re.search(rf"^\s*def\s+{FUNCTION}\b", cell, re.MULTILINE) is not None
    return any(
        getattr(node, "name", None) == FUNCTION
        or (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id == FUNCTION)
        for node in nodes
    )


class _Session:
    """The conversation with a player in its sandbox: a board goes in and an answer comes out, until it has lost."""

    def __init__(self, player: Contestant, process: subprocess.Popen[bytes], board: Board, number: int) -> None:
        self._player, self._process = player, process
        self._unread = b""
        self._lost = self._start(board, number)

    def move(self, board: Board) -> Answer:
        """What the player answers, or a sentence on why it has lost."""
        if not self._lost:
            question = secrets.randbelow(10**9)
            said = self._asked([question, board.x, board.o], self._player.seconds)
            answer = _answer(question, said)
            if not isinstance(answer, str):
                return answer
            self._lost = self._sentence(answer)
        return self._lost

    def _start(self, board: Board, number: int) -> str:
        """Hand over the player's source; "" once it is ready, else what is wrong."""
        order = {"source": self._player.source, "function": FUNCTION, "shape": board.shape, "k": board.k}
        match self._asked(order | {"seed": number}, READY):
            case {"ready": ""}:
                return ""
            case {"ready": str(problem)}:
                return self._sentence(f"can't play: {problem}")
            case str(why):
                return self._sentence(why)
        return self._sentence("can't be started")

    def _sentence(self, why: str) -> str:
        said = plain(why, LONGEST).rstrip(".")
        end = "" if said.endswith("?") else "."
        return f"{self._player.name} {said}{end}"

    def _asked(self, what: object, seconds: float) -> Any:
        """What comes back in time; a text says why nothing did."""
        until = monotonic() + seconds
        assert self._process.stdin
        try:
            self._process.stdin.write(json.dumps(what).encode() + b"\n")
            self._process.stdin.flush()
        except OSError:
            return "ended its program"
        line = self._line(until)
        if line is None:
            return f"gave no answer within {seconds:g} s: an endless loop?"
        try:
            said = json.loads(line)
        except (ValueError, RecursionError):
            return self._why() if not line else "answered what can't be read"
        return said if isinstance(said, (list, dict)) else "answered what can't be read"

    def _line(self, until: float) -> bytes | None:
        """The next line; empty if the process has ended, None if the time is up."""
        assert self._process.stdout
        while b"\n" not in self._unread:
            if not select.select([self._process.stdout], [], [], max(0.0, until - monotonic()))[0]:
                return None
            said = os.read(self._process.stdout.fileno(), LARGEST)
            if not said:
                return b""
            self._unread += said
            if len(self._unread) > LARGEST:
                return b"too much"
        line, _, self._unread = self._unread.partition(b"\n")
        return line

    def _why(self) -> str:
        """How the process ended."""
        with suppress(subprocess.TimeoutExpired):
            status = self._process.wait(0.5)
            if status < 0 or status > 128:  # a signal's
                return "brought Python down: recursion without end, or too much memory?"
        return "ended its program"


def _answer(question: int, said: object) -> Answer:
    """The cell or the policy that answers the question, or why there is none."""
    match said:
        case str():
            return said
        case [number, "cell", int(cell)] if number == question and type(cell) is int:
            return cell
        case [number, "policy", list(pairs)] if number == question and all(map(_pair, pairs)):
            return dict(pairs)
        case [number, "lost", str(why)] if number == question:
            return why
    return "answered what nobody asked"


def _pair(pair: object) -> bool:
    """Whether it is a cell with a probability."""
    match pair:
        case [int(cell), float(chance)]:
            return type(cell) is int and isfinite(chance)
    return False
