"""The judge: asks a jailed submission about boards, and believes nothing but numbers."""

from __future__ import annotations

import json
import math
import os
import random
import secrets
import selectors
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from threading import Thread
from typing import Any

from ttt.board import Board, Mark
from ttt.grading.jail import TooLittleIsolation, isolation_level, jailed, require

__all__ = ["Answers", "Question", "TooLittleIsolation", "ask", "isolation_level"]

SECONDS = 5.0
LONGEST_LINE = 4096
MOST_BYTES = 8 << 20
Number = int | float


@dataclass(frozen=True)
class Question:
    """What a submission is asked: a board, and the side to see it from."""

    board: Board
    player: Mark


@dataclass(frozen=True)
class Answers:
    """What came back.

    Args:
        values: the finite numbers.
        odd: what came instead of a number, in words.
        printed: whether the function printed something while it was asked.
        problem: one sentence on why there are no answers, or no more; "" where there are all.
        started: False where the function is still the stub that was handed out.
        seconds: how long it took.
        isolation: the level that it ran under.
    """

    values: dict[Question, Number]
    odd: dict[Question, str]
    printed: bool
    problem: str
    started: bool
    seconds: float
    isolation: str


def ask(source: str, questions: Sequence[Question], function: str = "heuristic_1", isolation: str = "full") -> Answers:
    """Run a submission's source in the jail and put questions to its function, in random order.

    Into the jail go the source, the boards and the players; no right answer is ever there. Raises `TooLittleIsolation`.
    """
    require(isolation)
    begun = time.monotonic()
    order = list(questions)
    random.Random(secrets.randbits(128)).shuffle(order)
    heard = _Heard(order)
    with jailed(isolation) as process:
        Thread(target=_tell, args=(process, _told(source, function, order)), daemon=True).start()
        for lines in _lines(process, begun + SECONDS):
            heard.take(lines)
        ending = process.poll() if heard.finished else _ending(process, begun)
    stub = bool(heard.stubs) and not heard.values and not heard.odd
    problem = heard.problem or ("" if heard.complete or stub else _why(ending))
    return Answers(heard.values, heard.odd, heard.printed, problem, not stub, time.monotonic() - begun, isolation)


@dataclass
class _Heard:
    """What has been understood of a submission's lines so far."""

    order: list[Question]
    values: dict[Question, Number] = field(default_factory=dict)
    odd: dict[Question, str] = field(default_factory=dict)
    stubs: set[int] = field(default_factory=set)
    seen: set[int] = field(default_factory=set)
    printed: bool = False
    problem: str = ""
    finished: bool = False

    @property
    def complete(self) -> bool:
        return len(self.seen) == len(self.order)

    def take(self, lines: list[bytes]) -> None:
        """Make sense of lines; what makes none is passed over, and the first answer to a question counts."""
        try:
            all_said = json.loads(b"[%s]" % b",".join(lines))
        except (ValueError, RecursionError):
            all_said = [_sense(line) for line in lines]
        for said in all_said:
            if isinstance(said, dict):
                self._take_note(said)
            elif isinstance(said, list) and len(said) in (2, 3):
                self._take_answer(*said)

    def _take_note(self, said: dict[str, Any]) -> None:
        if isinstance(said.get("problem"), str) and not self.seen:
            self.problem = _sentence(said["problem"])
            self.finished = bool(self.problem)
        if isinstance(said.get("printed"), bool):
            self.printed, self.finished = said["printed"], True

    def _take_answer(self, number: object, value: object, words: object = None) -> None:
        """An answer is [number of the question, value], or [number, "odd" or "stub", words]."""
        if type(number) is not int or not 0 <= number < len(self.order) or number in self.seen:
            return
        self.seen.add(number)
        if type(value) is int or (type(value) is float and math.isfinite(value)):
            self.values[self.order[number]] = value
        elif value == "stub":
            self.stubs.add(number)
        else:
            self.odd[self.order[number]] = str(words)[:LONGEST_LINE]


def _sense(line: bytes) -> Any:
    with suppress(ValueError, RecursionError):
        return json.loads(line)
    return None


def _sentence(text: str) -> str:
    text = " ".join(text.split())[:300]
    return text and text[0].upper() + text[1:].rstrip(".") + "."


def _told(source: str, function: str, order: Sequence[Question]) -> bytes:
    """Everything that goes into the jail: a line with the source, and one with the questions."""
    board = order[0].board if order else Board()
    head = {"source": source, "function": function, "shape": board.shape, "k": board.k}
    return f"{json.dumps(head)}\n[{','.join(map(_as_json, order))}]\n".encode("ascii")


@cache
def _as_json(question: Question) -> str:
    board = question.board
    return json.dumps([board.x, board.o, board.winner, question.player])


def _tell(process: subprocess.Popen[bytes], text: bytes) -> None:
    """Write it all, from a thread of its own: the submission may never read."""
    assert process.stdin
    with suppress(OSError, ValueError):
        process.stdin.write(text)
        process.stdin.close()


def _lines(process: subprocess.Popen[bytes], deadline: float) -> Iterator[list[bytes]]:
    """The submission's lines, some at a time, until it ends, says too much, or the time is up."""
    assert process.stdout
    rest, total = b"", 0
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while total <= MOST_BYTES and selector.select(max(deadline - time.monotonic(), 0)):
            chunk = os.read(process.stdout.fileno(), 1 << 16)
            if not chunk:
                return
            total += len(chunk)
            *lines, rest = (rest + chunk).split(b"\n")
            yield [line for line in lines if len(line) <= LONGEST_LINE]
            if len(rest) > LONGEST_LINE:
                return


def _ending(process: subprocess.Popen[bytes], begun: float) -> int | None:
    """How the process ended: its exit status, or None where it had to be stopped."""
    if time.monotonic() - begun >= SECONDS:
        return None
    try:
        return process.wait(0.5)
    except subprocess.TimeoutExpired:
        return None


def _why(ending: int | None) -> str:
    """Why there are not all answers, in a sentence."""
    if ending is None:
        return f"Stopped after {SECONDS:g} seconds or too much output. Is there an endless loop?"
    return "The function ended the program, or used more memory or time than it may, before it had answered everything."
