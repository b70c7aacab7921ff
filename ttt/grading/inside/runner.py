"""Asks a submission's function about boards, inside the sandbox, and writes each answer as a line of JSON.

It reads all that it will be told (a line with the source, one with the questions) before any of the submission's code
runs. It knows no right answer, and the judge outside, which trusts nothing that this process says, checks every line.
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
from math import prod
from types import FrameType
from typing import Any

from ttt.board import Unchangeable, geometry, position
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
    answers, output = private_output(), Output()
    sys.stdout, sys.stderr = output, Output()
    prepare()
    dumps, numbered, timer = json.dumps, asked(order, questions), Timer()
    function, problem, late = function_in(order["source"], order["function"])
    answers.write(dumps({"problem": problem, "late": late}) + "\n")
    answers.flush()
    output.printed = False
    timer.begin()
    for place, board, player in numbered if function else ():
        timer.question = place
        answers.write(answered(place, function, board, player, dumps))
        if timer.ticked:  # what is known must not be lost, whatever comes
            timer.ticked = False
            answers.flush()
            if timer.given_up >= MOST_GIVEN_UP:
                problem = "it gave no answer on some boards and was stopped. Is there an endless loop?"
                break
    answers.write(dumps({"printed": output.printed, "problem": problem, "late": timer.given_up > 0}) + "\n")
    answers.flush()
    os._exit(0)


def asked(order: dict[str, Any], codes: list[int]) -> Iterator[tuple[int, Any, str]]:
    """Each question's number, board and player, out of the code that `judge.Question` describes."""
    lines, size = geometry(tuple(order["shape"]), order["k"]), prod(order["shape"])
    rest = (1 << size) - 1
    for place, code in enumerate(codes, order["first"]):
        board = position(lines, code >> 3 + size, code >> 3 & rest, (None, "X", "O")[code >> 1 & 3])
        yield place, board, "XO"[code & 1]


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


def answered(place: int, function: Any, board: Any, player: str, dumps: Callable[[Any], str]) -> str:
    """The line with the function's answer: its number, or the mistake and, in words, what came instead.

    Each mistake has the name that the exercises give it, but "stub" for what is still as it was handed out.
    """
    try:
        answer = function(board, player)
        plain = answer if type(answer) is int else number(answer)
        if plain is not None and -TOO_LARGE < plain < TOO_LARGE:
            return f"[{place},{plain}]\n"
        mistake, words = wrong_kind(answer), described(answer)
    except NotImplementedError as error:
        mistake, words = "stub", in_words(error)
    except TooLong as error:
        mistake, words = "endless loop", in_words(error)
    except Unchangeable as error:
        mistake, words = "the board changed", in_words(error)
    except BaseException as error:
        mistake, words = "stops with an error", in_words(error)
    return dumps([place, mistake, words]) + "\n"


if __name__ == "__main__":
    main()
