"""Submitted players in a tournament: a sandbox for each game, a clock for each move, and a reason for every loss.

The player's source and one board after another go into the sandbox. The opponent, the arena and the tournament's seed
stay outside. The player's `random` is seeded with a number of its own for each game, so that every run draws the same,
and nobody can tell what the other draws.
"""

from __future__ import annotations

import hashlib
import resource
import secrets
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any

from ttt.board import Board
from ttt.grading import sandbox
from ttt.grading.conversation import Conversation, NoAnswer, sentence
from ttt.grading.inside.submission import CELL_END, seems_to_define
from ttt.grading.roster import plain
from ttt.grading.source import Unreadable, read_source
from ttt.loader import FUNCTION, NoPlayer

__all__ = ["Contestant", "NoPlayer", "contestant"]

# Seconds of computing.
SECONDS = 2.0  # for a move
MOVES = 10  # for a whole game, the time of so many moves
READY = 12.0  # until a submission has been read and run, imports included
LARGEST = 1 << 16  # bytes of an answer
LONGEST = 200  # characters of a reason
DECIDING = (
    *("contest.py", "conversation.py", "sandbox.py", "syscalls.py", "source.py"),
    *("inside/player.py", "inside/submission.py"),
)

Answer = int | dict[int, float] | str  # a cell, cells with their probabilities, or why the game is lost


@dataclass(frozen=True)
class Contestant:
    """A submitted player.

    Args:
        name: what tables call it.
        source: its code, as `source.read_source` gives it.
        isolation: the level of the sandbox that it plays in.
        seconds: of computing, its time for a move.
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
    def session(self, board: Board, seed: int) -> Iterator[Callable[[Board], Answer]]:
        """What to ask for each move of a game, where `random` has this seed. Raises `sandbox.TooLittleIsolation`."""
        with self._sandboxed() as process:
            yield _Session(self, process, board, seed).move

    def problem(self, board: Board) -> str:
        """Why it can't play on a board at all, found out in its sandbox; "" if it can. Raises `TooLittleIsolation`."""
        with self._sandboxed() as process:
            return _Session(self, process, board, 0).problem

    @contextmanager
    def _sandboxed(self) -> Iterator[subprocess.Popen[bytes]]:
        """The sandbox of a game."""
        sandbox.require(self.isolation)
        limits = sandbox.LIMITS | {resource.RLIMIT_CPU: int(MOVES * self.seconds + READY) + 1}
        with sandbox.sandboxed(self.isolation, sandbox.Sandbox("player", limits)) as process:
            yield process


def contestant(path: Path, isolation: str = "full", seconds: float = SECONDS) -> Contestant:
    """The player in a file, a notebook or a program that defines `my_player(board)`. Raises `NoPlayer`."""
    try:
        source = read_source(path)
    except Unreadable as unreadable:
        raise NoPlayer(f"{path}: {unreadable}") from None
    if not seems_to_define(source.replace(CELL_END, "\n"), FUNCTION):
        raise NoPlayer(f"{path} has no player: it must define a function {FUNCTION}(board) that returns a free cell.")
    return Contestant(plain(path.stem, 60), source, isolation, seconds)


class _Session:
    """The conversation with a player in its sandbox: a board goes in and an answer comes out, until it has lost."""

    def __init__(self, player: Contestant, process: subprocess.Popen[bytes], board: Board, seed: int) -> None:
        self._player = player
        self._conversation = Conversation(process, LARGEST)
        self._left = MOVES * player.seconds
        self._lost = ""
        self.problem = ""  # why it can't play at all, if the file itself says so
        order = {"source": player.source, "function": FUNCTION, "shape": board.shape, "k": board.k, "seed": seed}
        match self._asked(order, READY):
            case {"ready": ""}:
                pass
            case {"ready": str(problem)}:
                self.problem = sentence("", plain(problem, LONGEST)).strip()
                self._lose(f"can't play: {problem}")
            case why:
                self._lose(why if isinstance(why, str) else "can't be started")

    def move(self, board: Board) -> Answer:
        """What the player answers, or a sentence on why it has lost."""
        if not self._lost:
            question = secrets.randbelow(10**9)
            seconds = min(self._player.seconds, self._left)
            answer = _answer(question, self._asked([question, board.x, board.o], seconds))
            self._left -= self._conversation.computed
            if not isinstance(answer, str):
                return answer
            if self._left <= 0:
                answer = f"gave no answer within {MOVES * self._player.seconds:.3g} s for the whole game"
            self._lose(answer)
        return self._lost

    def _asked(self, what: object, seconds: float) -> Any:
        """What comes back in time; text says why nothing did."""
        try:
            said = self._conversation.ask(what, seconds)
        except NoAnswer as error:
            return str(error)
        return said if isinstance(said, (list, dict)) else "answered what can't be read"

    def _lose(self, why: str) -> None:
        self._lost = sentence(self._player.name, plain(why, LONGEST))


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
