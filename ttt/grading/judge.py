"""The judge: asks a jailed submission about boards, and believes nothing but numbers."""

from __future__ import annotations

import json
import os
import random
import secrets
import selectors
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Thread
from typing import Any, Self

from ttt.board import Board, Mark
from ttt.grading.sandbox import TooLittleIsolation, isolation_level, jailed, require

__all__ = ["Answers", "Question", "TooLittleIsolation", "ask", "isolation_level"]

SECONDS = 5.0
MIXED_IN = 400  # of the other questions are asked among the first ones
LONGEST_LINE = 4096
MOST_BYTES = 8 << 20
MOST = 10**15  # no heuristic comes near it
LONGEST_WORDS = 300
TOO_MUCH = b'{"problem": "it wrote far more than the answers that it was asked for, and was stopped"}'
Number = int | float


class Question(int):
    """What a submission is asked: a board, and the side to see it from.

    It is the number by which the jail is told: X's cells and O's cells as bits, then two bits for the winner and one
    for the player. There are thousands, and no other key is looked up as fast.
    """

    board: Board
    player: Mark

    def __new__(cls, board: Board, player: Mark) -> Self:
        cells = board.x << len(board) | board.o
        question = super().__new__(cls, cells << 3 | "-XO".index(board.winner or "-") << 1 | "XO".index(player))
        question.board, question.player = board, player
        return question

    def __repr__(self) -> str:
        return f"Question({self.board!r}, {self.player!r})"


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


@dataclass(frozen=True)
class First:
    """Questions to be asked before the others, and what to make of the answers.

    Args:
        questions: these, at random among some of the others.
        suffice: whether the answers to them, numbers and odd ones, leave nothing to be found out by asking more.
    """

    questions: Sequence[Question] = ()
    suffice: Callable[[dict[Question, Number], dict[Question, str]], bool] = lambda values, odd: False


def ask(
    source: str,
    questions: Sequence[Question],
    function: str = "heuristic_1",
    isolation: str = "full",
    first: First | None = None,
) -> Answers:
    """Run a submission's source in the jail and put questions to its function, in random order.

    Into the jail go the source, the boards and the players; no right answer is ever there. Where the answers to the
    first questions suffice, the process is ended there and then. Raises `TooLittleIsolation`.
    """
    require(isolation)
    begun = time.monotonic()
    order, early = _ordered(questions, first or First())
    heard = _Heard(order, secrets.randbelow(10**9))
    with jailed(isolation) as process:
        Thread(target=_tell, args=(process, _told(source, function, heard)), daemon=True).start()
        for lines in _lines(process, begun + SECONDS, 2 * len(order) + 100):
            heard.take(lines)
            if first and len(order) - len(heard.waiting) >= early:
                heard.finished = heard.enough = not heard.problem and first.suffice(heard.values, heard.odd)
                first = None
            if heard.finished:
                break
        ending = 0 if heard.finished else _ending(process, begun)
    return _answers(heard, ending, time.monotonic() - begun, isolation)


def _ordered(questions: Sequence[Question], first: First) -> tuple[list[Question], int]:
    """The questions in random order, and how many of them are the first ones with those mixed in."""
    rng, chosen = random.Random(secrets.randbits(128)), set(first.questions)
    order = sorted((question for question in questions if question not in chosen), key=lambda _: rng.random())
    early = [*first.questions, *order[:MIXED_IN]]
    rng.shuffle(early)
    return [*early, *order[MIXED_IN:]], len(early)


@dataclass
class _Heard:
    """What has been understood of a submission's lines so far.

    The questions are numbered as they are asked, from a first number that nobody can know beforehand.
    """

    order: list[Question]
    first: int
    values: dict[Question, Number] = field(default_factory=dict)
    odd: dict[Question, str] = field(default_factory=dict)
    stubs: list[Question] = field(default_factory=list)
    printed: bool = False
    problem: str = ""
    finished: bool = False
    enough: bool = False

    def __post_init__(self) -> None:
        self.waiting = dict(enumerate(self.order, self.first))

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
        """What is said besides answers: at the start and the end what is wrong, and at the end whether it printed."""
        if isinstance(said.get("problem"), str):
            self.problem = self.problem or _sentence(said["problem"])
        if isinstance(said.get("printed"), bool):
            self.printed, self.finished = said["printed"], True

    def _take_answer(self, number: object, value: object, words: object = None) -> None:
        """An answer is [number of the question, value], or [number, "odd" or "stub", words]."""
        question = self.waiting.pop(number, None) if type(number) is int else None
        if question is None:
            return
        if type(value) in (int, float) and -MOST < value < MOST:  # type: ignore[operator]
            self.values[question] = value  # type: ignore[assignment]
        elif value == "stub":
            self.stubs.append(question)
        else:
            self.odd[question] = _clean(words) if isinstance(words, str) else "something odd"


def _answers(heard: _Heard, ending: int | None, seconds: float, isolation: str) -> Answers:
    """What was understood, once all of it is there."""
    stub = bool(heard.stubs) and not heard.values and not heard.odd
    odd = heard.odd if stub else heard.odd | dict.fromkeys(heard.stubs, "NotImplementedError")
    complete = heard.enough or not heard.waiting
    problem = heard.problem or ("" if complete else _why(ending, heard))
    return Answers(heard.values, odd, heard.printed, problem, not stub, seconds, isolation)


def _clean(text: str) -> str:
    """A text that can be written anywhere, whatever a submission put into it."""
    return text[:LONGEST_WORDS].encode("utf-8", "backslashreplace").decode()


def _sense(line: bytes) -> Any:
    with suppress(ValueError, RecursionError):
        return json.loads(line)
    return None


def _sentence(text: str) -> str:
    text = _clean(" ".join(text.split()))
    end = "" if text.endswith("?") else "."
    return text and text[0].upper() + text[1:].rstrip(".") + end


def _told(source: str, function: str, heard: _Heard) -> bytes:
    """Everything that goes into the jail: a line with the source, and one with the questions."""
    board = heard.order[0].board if heard.order else Board()
    head = {"source": source, "function": function, "shape": board.shape, "k": board.k, "first": heard.first}
    return f"{json.dumps(head)}\n{json.dumps(heard.order)}\n".encode("ascii")


def _tell(process: subprocess.Popen[bytes], text: bytes) -> None:
    """Write it all, from a thread of its own: the submission may never read."""
    assert process.stdin
    with suppress(OSError, ValueError):
        process.stdin.write(text)
        process.stdin.close()


def _lines(process: subprocess.Popen[bytes], deadline: float, most: int) -> Iterator[list[bytes]]:
    """The submission's lines, some at a time, until it ends, the time is up, or it says too much, which is told."""
    assert process.stdout
    rest, total = b"", 0
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while total <= MOST_BYTES and most > 0 and len(rest) <= LONGEST_LINE:
            left = deadline - time.monotonic()
            chunk = os.read(process.stdout.fileno(), 1 << 16) if left > 0 and selector.select(left) else b""
            if not chunk:
                return
            total += len(chunk)
            *lines, rest = (rest + chunk).split(b"\n")
            yield [line for line in lines[:most] if len(line) <= LONGEST_LINE]
            most -= len(lines)
    yield [TOO_MUCH]


def _ending(process: subprocess.Popen[bytes], begun: float) -> int | None:
    """How the process ended: its exit status, or None where its time was up."""
    if time.monotonic() - begun >= SECONDS:
        return None
    try:
        return process.wait(0.5)
    except subprocess.TimeoutExpired:
        return 0  # it goes on, but has closed the way that its answers take


def _why(ending: int | None, heard: _Heard) -> str:
    """Why there are not all answers, in a sentence. A status above 128 says which signal ended it."""
    told = [] if heard.values else [words for words in heard.odd.values() if not words.startswith("no answer")]
    if told:
        return _sentence(f"it came to a stop before the end, having given nothing but {told[0]}")
    if ending is None:
        return f"Stopped after {SECONDS:g} seconds. Is there an endless loop?"
    number = abs(ending) % 128
    if number in (signal.SIGXCPU, signal.SIGKILL):
        return "Stopped after some seconds of computing. Is there an endless loop?"
    if number in (signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT):
        return "The function brought Python down: recursion without end, or too much memory?"
    return "The function ended the program before it had answered everything."
