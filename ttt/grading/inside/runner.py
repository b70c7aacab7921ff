"""Asks a submission's function about boards, inside the sandbox, and writes each answer as a line of JSON.

It reads the source and the questions, a line each, before any of the submission's code runs. After that it is told only
the values of heuristics that the function is given: what a heuristic is asked leaves the sandbox as a line, too. It
knows no right answer, and the judge outside, which trusts nothing that this process says, checks every line.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import count
from math import prod
from threading import Lock
from types import FrameType
from typing import Any, BinaryIO, TextIO

from ttt.board import UNCHANGEABLE, Board, Mark, geometry, opponent, position
from ttt.grading.inside.submission import (
    Output,
    TooLong,
    described,
    function_in,
    importing,
    in_words,
    prepare,
    private_output,
)
from ttt.heuristics import TOO_LARGE, number, wrong_kind

QUESTION_SECONDS = 0.5  # of computing; a question that lasts from one such moment to the next is given up
MOST_GIVEN_UP = 2
ANSWERS_SECONDS = 4  # of computing, for all questions


def main() -> None:
    """Read what is asked, run the submission, and answer."""
    order = json.loads(sys.stdin.buffer.readline())
    questions = json.loads(sys.stdin.buffer.readline() or "[]")
    replies = os.fdopen(os.dup(0), "rb")
    answers, output = private_output(), Output()
    sys.stdout, sys.stderr = output, Output()
    prepare(order["absent"])
    dumps, numbered, timer = json.dumps, asked(order, questions, Outside(answers, replies)), Timer()
    function, problem, late = function_in(order["source"], order["function"])
    answers.write(dumps({"problem": problem, "late": late}) + "\n")
    answers.flush()
    output.printed = False
    timer.begin()
    for place, arguments in numbered if function else ():
        timer.question = place
        answers.write(answered(place, function, arguments, dumps))
        if timer.ticked:  # what is known must not be lost, whatever comes
            timer.ticked = False
            answers.flush()
            if timer.given_up >= MOST_GIVEN_UP:
                problem = "it gave no answer on some boards and was stopped. Is there an endless loop?"
                break
    answers.write(dumps({"printed": output.printed, "problem": problem, "late": timer.given_up > 0}) + "\n")
    answers.flush()
    os._exit(0)


def asked(order: dict[str, Any], codes: list[Any], outside: Outside) -> Iterator[tuple[int, tuple[Any, ...]]]:
    """Each question's number, and what the function is called with, out of the code that the judge's questions have."""
    lines, size = geometry(tuple(order["shape"]), order["k"]), prod(order["shape"])
    rest = (1 << size) - 1
    for place, code in enumerate(codes, order["first"]):
        if isinstance(code, int):
            board = position(lines, code >> 3 + size, code >> 3 & rest, (None, "X", "O")[code >> 1 & 3])
            yield place, (board, "XO"[code & 1])
        else:
            yield place, tuple(outside.part(place, *named) for named in zip(order["takes"], code, strict=True))


class Outside:
    """Asks the judge what a heuristic says about a board: a line goes out for each call, and one comes in.

    Both lines carry the number of the call, since a call that took too long may have been given up between them.
    """

    def __init__(self, requests: TextIO, replies: BinaryIO) -> None:
        self.requests, self.replies = requests, replies
        self.calls, self.lock = count(), Lock()

    def part(self, place: int, name: str, code: Any) -> Any:
        """A part of a question: a board, the question's heuristic, or plain data."""
        if name == "board":
            shape, k, x, o = code
            return Board(tuple(shape), k, x=x, o=o)
        return self.heuristic(place) if name == "heuristic" else code

    def heuristic(self, place: int) -> Callable[[Board, Mark], float]:
        """The heuristic of a question."""

        def heuristic(board: Board, player: Mark) -> float:
            """What the board is worth to the player. Raises `TypeError` and `ValueError`."""
            if not isinstance(board, Board):
                raise TypeError(f"heuristic() needs a Board, not {described(board)}")
            opponent(player)
            value = self.value(place, board.x, board.o, "XO".index(player))
            if value is None:
                raise ValueError(f"heuristic() was asked about {board!r}, to which no game leads from the board given")
            return value

        return heuristic

    def value(self, place: int, x: int, o: int, side: int) -> float | None:
        """The judge's reply to the question's number, X's cells, O's cells, and 0 for X or 1 for O."""
        with self.lock:
            call = next(self.calls)
            self.requests.write(f"[{call},{place},{x},{o},{side}]\n")
            self.requests.flush()
            for line in self.replies:
                number, value = json.loads(line)
                if number == call:
                    found: float | None = value
                    return found
        return None


class Timer:
    """Interrupts a question that takes too long."""

    def __init__(self) -> None:
        self.question = self.last = -1
        self.given_up = 0
        self.ticked = False

    def begin(self) -> None:
        """Start to tick, and have the process stopped when the time for all answers is up."""
        allowed = int(time.process_time()) + 1 + ANSWERS_SECONDS
        with suppress(ValueError):  # the most is less already
            resource.setrlimit(resource.RLIMIT_CPU, (allowed, allowed + 1))  # the second ends what ignores the first
        signal.signal(signal.SIGPROF, self.tick)
        signal.setitimer(signal.ITIMER_PROF, QUESTION_SECONDS, QUESTION_SECONDS)

    def tick(self, _signal: int, frame: FrameType | None) -> None:
        """Give up the question that was asked at the last tick already, unless it imports. Raises `TooLong`."""
        self.ticked = True
        if self.question == self.last and not importing(frame):
            self.given_up += 1
            raise TooLong
        self.last = self.question


def answered(place: int, function: Any, arguments: tuple[Any, ...], dumps: Callable[[Any], str]) -> str:
    """The line with the function's answer: its number, or the mistake and, in words, what came instead.

    Each mistake has the name that the exercises give it, but "stub" for what is still as it was handed out.
    """
    try:
        answer = function(*arguments)
        plain = answer if type(answer) is int else number(answer)
        if plain is not None and -TOO_LARGE < plain < TOO_LARGE:
            return f"[{place},{plain}]\n"
        mistake, words = wrong_kind(answer), described(answer)
    except NotImplementedError as error:
        mistake, words = "stub", in_words(error)
    except TooLong as error:
        mistake, words = "endless loop", in_words(error)
    except BaseException as error:
        mistake = "the board changed" if str(error) == UNCHANGEABLE else "stops with an error"
        words = in_words(error)
    return dumps([place, mistake, words]) + "\n"


if __name__ == "__main__":
    main()
