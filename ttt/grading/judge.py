"""The judge: asks a sandboxed submission about boards, and believes nothing but numbers.

Where a function is given a heuristic, each call of that leaves the sandbox as a line, and the value comes back as one:
the judge sees every board that is looked at, in order, and inside no value is known before it has been asked for.
"""

from __future__ import annotations

import json
import os
import random
import secrets
import selectors
import signal
import subprocess
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from threading import Thread
from typing import Any, NamedTuple

from ttt.board import Board, BoardError, Mark
from ttt.exercises import ANSWER_MISTAKES, STOPS, Answer
from ttt.exercises.answers import heuristic
from ttt.grading.sandbox import SEARCHES, Sandbox, require, sandboxed
from ttt.heuristics import TOO_LARGE

SECONDS = 60.0  # with waiting; `sandbox.LIMITS` and the runner inside limit the seconds of computing
MIXED_IN = 200  # of the other questions are asked among the first ones
LONGEST_LINE = 4096
MOST_BYTES = 8 << 20
LONGEST_WORDS = 300
GRACE = 0.5  # seconds for a process to end once its output has
TOO_MUCH = b'{"problem": "it wrote far more than the answers that it was asked for, and was stopped"}'
HEURISTIC = "heuristic"  # what it is called among the things that a function takes
MOST_CALLS = 100_000  # of heuristics, for all questions
TOO_MANY_CALLS = "It asked the heuristic about far more boards than there are to look at, and was stopped."

Number = int | float


class Odd(NamedTuple):
    """What came instead of a number: the name of the mistake, and what it was, in words."""

    mistake: str
    words: str


Asked = Sequence[tuple[Board, Mark]]  # what a heuristic was asked, in order
Decided = Callable[[Mapping[int, Answer], Mapping[int, Odd]], bool]


class Question(NamedTuple("Question", [("board", Board), ("player", Mark)])):
    """A question of an exercise, as the judge asks it: a board, and the player to see it from."""

    @cached_property
    def code(self) -> int:
        """The question as the sandbox is told it: X's cells, O's cells, two bits for the winner, one for the player."""
        cells = self.board.x << len(self.board) | self.board.o
        return cells << 3 | "-XO".index(self.board.winner or "-") << 1 | "XO".index(self.player)


@dataclass(frozen=True)
class Answers:
    """What came back. Questions are named by their places in what was asked.

    Args:
        values: the finite numbers.
        odd: what came instead of a number.
        printed: whether the function printed something while it was asked.
        problem: a sentence on why there are no answers, or not all; "" if all are there.
        started: False if the function is still the stub that was handed out.
        seconds: how long it took.
        isolation: the level that it ran under.
        late: whether something took too long and was given up, which on a quiet machine might not happen.
        stopped: whether the program came to a stop, or was stopped, before it had answered everything.
        asked: by question, what the function asked the heuristic that it was given, in order.
    """

    values: dict[int, Number]
    odd: dict[int, Odd]
    printed: bool
    problem: str
    started: bool
    seconds: float
    isolation: str
    late: bool = False
    stopped: bool = False
    asked: Mapping[int, Asked] = field(default_factory=dict)

    def taken(self, places: Iterable[int]) -> dict[int, Answer]:
        """The numbers given to some questions as answers, with what the heuristic was asked for them."""
        return taken({place: self.values[place] for place in places if place in self.values}, self.asked)


def taken(values: Mapping[int, Number], asked: Mapping[int, Asked]) -> dict[int, Answer]:
    """Numbers as answers, by question, with what the heuristic was asked for them."""
    return {place: Answer(value, tuple(asked.get(place, ()))) for place, value in values.items()}


def ask(
    source: str,
    questions: Sequence[Question | tuple[Any, ...]],
    function: str,
    isolation: str = "full",
    *,
    takes: Sequence[str] = ("board", "player"),
    places: Sequence[int] | None = None,
    first: Sequence[int] = (),
    decided: Decided | None = None,
) -> Answers:
    """Run a submission's source in a sandbox and put questions to its function, in random order.

    The source and the questions go into the sandbox; no right answer is ever there, and no heuristic.
    Raises `TooLittleIsolation`.

    Args:
        takes: what the function is given, as in `Exercise`.
        places: the questions to ask, by their places; all of them unless told otherwise.
        first: those to ask before the others, at random among some of the others.
        decided: whether the answers to those, numbers and odd ones, decide everything, so that no more is asked.
    """
    require(isolation)
    begun = time.monotonic()
    order, early = _ordered(range(len(questions)) if places is None else places, first)
    searches = HEURISTIC in takes
    heard = _Heard(order, secrets.randbelow(10**9), _Heuristics(questions, takes) if searches else None)
    absent = tuple(SEARCHES) if searches else ()
    with sandboxed(isolation, Sandbox(absent=absent)) as process:
        head = {"source": source, "function": function, "first": heard.first, "absent": absent}
        message = _message(head, [questions[place] for place in order], takes)
        telling = Thread(target=_tell, args=(process, message), daemon=True)
        telling.start()
        for lines in _lines(process, begun + SECONDS, 2 * len(order) + 100 + (MOST_CALLS if searches else 0)):
            replies = heard.take(lines)
            if replies:
                telling.join()
                if not _replied(process, replies):
                    heard.stop(TOO_MANY_CALLS)
            if decided and len(order) - len(heard.waiting) >= early:
                heard.enough = not heard.problem and decided(taken(heard.values, heard.asked), heard.odd)
                decided = None
            if heard.finished or heard.enough:
                break
        ending = 0 if heard.finished or heard.enough else _ending(process, begun)
    return _answers(heard, ending, time.monotonic() - begun, isolation)


def _ordered(places: Sequence[int], first: Sequence[int]) -> tuple[list[int], int]:
    """The places in random order, and how many of them are the first ones with those mixed in."""
    rng, chosen = random.Random(secrets.randbits(128)), set(first)
    order = [place for place in places if place not in chosen]
    rng.shuffle(order)
    early = [*first, *order[:MIXED_IN]]
    rng.shuffle(early)
    return [*early, *order[MIXED_IN:]], len(early)


class _Heuristics:
    """The heuristics that a function is given, one with each question, and what they have been asked."""

    def __init__(self, questions: Sequence[tuple[Any, ...]], takes: Sequence[str]) -> None:
        board, name = takes.index("board"), takes.index(HEURISTIC)
        self.questions = [(question[board], question[name]) for question in questions]
        self.asked: defaultdict[int, list[tuple[Board, Mark]]] = defaultdict(list)

    def value(self, place: int, x: int, o: int, side: int) -> Number | None:
        """A question's heuristic of the board with these cells of X and O; None if no game leads to it from the root.

        Args:
            side: 0 for X, 1 for O.
        """
        root, name = self.questions[place]
        if (x | o) >> len(root) or root.x & ~x or root.o & ~o:  # off the board, or a mark of the root is missing
            return None
        board = _board(root.shape, root.k, x, o)
        if board is None:
            return None
        player = "XO"[side]
        self.asked[place].append((board, player))
        return _value(name, board, player)


# Submissions ask much the same, so boards and values are worked out once for many of them.


@lru_cache(1 << 18)
def _value(name: str, board: Board, player: Mark) -> Number:
    """What the heuristic of that name says."""
    value: Number = heuristic(name)(board, player)
    return value


@lru_cache(1 << 16)
def _board(shape: tuple[int, ...], k: int, x: int, o: int) -> Board | None:
    """The board with these cells of X and O; None if there is none."""
    try:
        return Board(shape, k, x=x, o=o)
    except BoardError:
        return None


@dataclass
class _Heard:
    """What has been understood of a submission's lines so far.

    The questions are numbered as they are asked, from a first number that nobody can know beforehand.
    """

    order: list[int]
    first: int
    heuristics: _Heuristics | None = None
    calls: int = 0
    values: dict[int, Number] = field(default_factory=dict)
    odd: dict[int, Odd] = field(default_factory=dict)
    stubs: dict[int, Odd] = field(default_factory=dict)
    printed: bool = False
    problem: str = ""
    late: bool = False
    finished: bool = False
    stopped: bool = False
    enough: bool = False

    def __post_init__(self) -> None:
        self.waiting = dict(enumerate(self.order, self.first))

    @property
    def asked(self) -> Mapping[int, Asked]:
        """By question, what the heuristic was asked."""
        return self.heuristics.asked if self.heuristics else {}

    def take(self, lines: list[bytes]) -> bytes:
        """Read lines; returns the replies to what heuristics are asked.

        What makes no sense is passed over, and the first answer to a question counts.
        """
        replies = []
        try:
            all_said = json.loads(b"[%s]" % b",".join(lines))
        except (ValueError, RecursionError):
            all_said = [_sense(line) for line in lines]
        for said in all_said:
            if isinstance(said, dict):
                self._take_note(said)
            elif isinstance(said, list) and len(said) in (2, 3):
                self._take_answer(*said)
            elif isinstance(said, list) and len(said) == 5 and set(map(type, said)) == {int}:
                replies.append(self._reply(*said))
        return b"".join(replies)

    def stop(self, why: str) -> None:
        """Hear no more, for a reason in a sentence."""
        self.problem, self.finished, self.stopped = self.problem or why, True, True

    def _take_note(self, said: dict[str, Any]) -> None:
        """A note: what is wrong and was late, at the start and at the end; at the end whether something was printed."""
        self.late = self.late or said.get("late") is True
        if isinstance(said.get("problem"), str):
            self.problem = self.problem or _sentence(said["problem"])
        if isinstance(said.get("printed"), bool):
            self.printed, self.finished = said["printed"], True

    def _take_answer(self, number: object, value: object, words: object = None) -> None:
        """An answer is [number of the question, value], or [number, name of the mistake or "stub", words]."""
        place = self.waiting.pop(number, None) if type(number) is int else None
        if place is None:
            return
        said = _clean(words) if isinstance(words, str) else "something odd"
        if type(value) in (int, float) and -TOO_LARGE < value < TOO_LARGE:  # type: ignore[operator]
            self.values[place] = value  # type: ignore[assignment]
        elif value == "stub":
            self.stubs[place] = Odd(STOPS, said)
        else:
            known = isinstance(value, str) and (value == STOPS or value in ANSWER_MISTAKES)
            self.odd[place] = Odd(str(value) if known else "no number", said)

    def _reply(self, call: int, number: int, x: int, o: int, side: int) -> bytes:
        """The reply to [number of the call, number of the question, X's cells, O's cells, side]."""
        place, value = self.waiting.get(number), None
        if self.heuristics and place is not None and side in (0, 1):
            value = self.heuristics.value(place, x, o, side)
        self.calls += 1
        if self.calls == MOST_CALLS:
            self.stop(TOO_MANY_CALLS)
        return f"[{call},{'null' if value is None else value}]\n".encode()


def _answers(heard: _Heard, ending: int | None, seconds: float, isolation: str) -> Answers:
    """What was understood, once everything has been read."""
    stub = bool(heard.stubs) and not heard.values and not heard.odd
    odd = heard.odd if stub else heard.odd | heard.stubs
    odd = dict(sorted(odd.items()))  # so that the first one, which may be told, does not depend on chance
    complete = heard.enough or not heard.waiting
    problem = heard.problem or ("" if complete else _why(ending, heard))
    late = heard.late or (not complete and (ending is None or _killed(ending)))
    stopped = not complete and (late or heard.stopped or not heard.problem)
    return Answers(heard.values, odd, heard.printed, problem, not stub, seconds, isolation, late, stopped, heard.asked)


def _clean(text: str) -> str:
    """Text that can be written anywhere, whatever a submission has put into it."""
    return text[:LONGEST_WORDS].encode("utf-8", "backslashreplace").decode()


def _sense(line: bytes) -> Any:
    with suppress(ValueError, RecursionError):
        return json.loads(line)
    return None


def _sentence(text: str) -> str:
    text = _clean(" ".join(text.split()))
    end = "" if text.endswith("?") else "."
    return text and text[0].upper() + text[1:].rstrip(".") + end


def _message(head: dict[str, Any], questions: Sequence[tuple[Any, ...]], takes: Sequence[str]) -> bytes:
    """What goes into the sandbox at first: a line with the source, and one with the questions."""
    board = questions[0][0] if questions else Board()
    head |= {"takes": takes, "shape": board.shape, "k": board.k}
    codes = [one.code if isinstance(one, Question) else _code(one, takes) for one in questions]
    return f"{json.dumps(head)}\n{json.dumps(codes)}\n".encode("ascii")


def _code(question: tuple[Any, ...], takes: Sequence[str]) -> list[Any]:
    """A question as the sandbox is told it: boards by their cells, and of a heuristic nothing but that there is one."""
    return [None if name == HEURISTIC else _plain(part) for name, part in zip(takes, question, strict=True)]


def _plain(part: Any) -> Any:
    """A part of a question as JSON holds it."""
    return [part.shape, part.k, part.x, part.o] if isinstance(part, Board) else part


def _tell(process: subprocess.Popen[bytes], text: bytes) -> None:
    """Write everything. This needs a thread of its own, since the submission may never read."""
    assert process.stdin
    with suppress(OSError, ValueError):
        process.stdin.write(text)
        process.stdin.flush()


def _replied(process: subprocess.Popen[bytes], replies: bytes) -> bool:
    """Write replies, unless the program asks on and on and doesn't read them; returns whether they fitted in."""
    assert process.stdin
    os.set_blocking(process.stdin.fileno(), False)
    try:
        return os.write(process.stdin.fileno(), replies) == len(replies)
    except BlockingIOError:
        return False
    except BrokenPipeError:  # it has ended, and its output will tell
        return True


def _lines(process: subprocess.Popen[bytes], deadline: float, most: int) -> Iterator[list[bytes]]:
    """The submission's lines, some at a time, until it ends, the time is up, or it has written too much."""
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
    """How the process ended: its exit status, or None if its time was up."""
    if time.monotonic() - begun >= SECONDS:
        return None
    try:
        return process.wait(GRACE)
    except subprocess.TimeoutExpired:
        return 0  # it goes on, but has closed its output


def _why(ending: int | None, heard: _Heard) -> str:
    """Why there are not all answers, in a sentence."""
    told = [odd.words for odd in heard.odd.values() if odd.mistake != "endless loop"]
    if told and not heard.values:
        return _sentence(f"it came to a stop before the end, having given nothing but {told[0]}")
    if ending is None:
        return f"Stopped after {SECONDS:g} seconds. Is it waiting for something?"
    if _killed(ending):
        return "Stopped after several seconds of computing. Is there an endless loop?"
    if _signal(ending) in (signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT):
        return "The function brought Python down: recursion without end, or too much memory?"
    return "The function ended the program before it had answered everything."


def _killed(ending: int) -> bool:
    """Whether the kernel ended the process, which it does when the time for computing is up."""
    return _signal(ending) in (signal.SIGXCPU, signal.SIGKILL)


def _signal(ending: int) -> int:
    """The signal that ended the process; 0 or less if none did.

    Python reports it as a negative status, and bubblewrap as one above 128.
    """
    return ending - 128 if ending > 128 else -ending
