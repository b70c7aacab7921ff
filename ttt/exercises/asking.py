"""Asking a student's function one question, and taking its answer as plain data: in the notebook and in the sandbox.

A question is a board and what else the function is given: a player, a depth, the name of a heuristic. A heuristic is
handed over as a function that notes what it is asked, in order, since that is part of the answer.
"""

from __future__ import annotations

import io
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from hashlib import blake2b, sha256
from importlib import import_module
from math import isinf
from time import process_time
from types import FrameType
from typing import Any, NamedTuple

from ttt.board import Board, Mark, geometry, position
from ttt.heuristics import Heuristic, number, open_lines
from ttt.limits import THREADS, explained, timeout

Question = tuple[Any, ...]  # a board, and what else the function is given
Function = Callable[..., Any]
Explain = Callable[[BaseException, str], str]
Value = int | float | tuple[int, ...] | None  # what a function returned: a number, or cells in their order

STOPS = "stops with an error"
ENDLESS = "endless loop"
UNWRITTEN = "not written yet"
INTERRUPTED = "interrupted"
REFUSED = "not allowed here"
CHANGED = "the board changed"
MOST_CALLS = 20_000  # of a heuristic, for one question; the largest tree that is asked about has fewer leaves
TOO_LARGE = 10**15  # in size; no value comes near it
LONGEST = 300  # characters of an answer or an error in words
AGAIN = 0.05  # seconds between two interrupts of the same call
HOPELESS = 100  # answers from the first on that fail in the same way; then no more is asked


class Answer(NamedTuple):
    """What a function answered.

    Args:
        value: the number or the cells that it returned; None where there is a fault.
        asked: what it asked its heuristic, in order, as `written` writes it.
        fault: the name of the mistake in the way of answering; "" if a number or cells came.
        words: what came instead, or the error with its line.
    """

    value: Value = None
    asked: tuple[str, ...] = ()
    fault: str = ""
    words: str = ""

    @property
    def digest(self) -> str:
        """A digest of what was asked; "" if nothing was."""
        text = " ".join(self.asked)
        return text and sha256(text.encode()).hexdigest()[:16]


def packed(answer: Answer) -> list[Any]:
    """An answer as JSON holds it."""
    value = list(answer.value) if isinstance(answer.value, tuple) else answer.value
    return [value, " ".join(answer.asked), answer.fault, answer.words]


def unpacked(data: object) -> Answer:
    """The answer that `packed` made plain. Raises `ValueError` for anything else, since anybody may have written it."""
    if not isinstance(data, list) or len(data) != 4 or not all(isinstance(text, str) for text in data[1:]):
        raise ValueError("This is no answer.")
    value, asked, fault, words = data
    if isinstance(value, list) and all(type(cell) is int and 0 <= cell < 10**4 for cell in value):
        value = tuple(value)
    elif value is not None and not (type(value) in (int, float) and -TOO_LARGE < value < TOO_LARGE):
        raise ValueError("This is no answer.")
    if value is None and not fault:
        raise ValueError("This is no answer.")
    clean = words[:LONGEST].encode("utf-8", "backslashreplace").decode()
    return Answer(value, tuple(asked.split()), fault[:60], clean)


def packed_question(question: Question) -> list[Any]:
    """A question as JSON holds it: the board's marks, shape and k, and the rest as it is."""
    board, *rest = question
    return ["".join(board), list(board.shape), board.k, *rest]


def unpacked_question(data: Sequence[Any]) -> Question:
    """The question that `packed_question` made plain."""
    marks, shape, k, *rest = data
    return (Board.from_text(marks, tuple(shape), k), *rest)


# ------------------------------------------------------------------------------------------- the heuristics it is given


def heuristic_named(name: str) -> Heuristic:
    """The heuristic that a question names: "open-lines", or made-up numbers, as "numbers to 9, seed".

    Made-up numbers are whole, from -9 to 9 for instance, and depend on the board, the player and the seed alone. With
    few of them there are many ties. Raises `ValueError` for any other name.

    >>> heuristic_named("numbers to 9, spring")(Board(), "X") == heuristic_named("numbers to 9, spring")(Board(), "X")
    True
    """
    if name == "open-lines":
        return open_lines
    words, _, seed = name.partition(", ")
    most = words.removeprefix("numbers to ")
    if not most.isdecimal():
        raise ValueError(f"There is no heuristic {name!r}: it is open-lines, or numbers to N, seed.")
    return _made_up(int(most), seed)


def _made_up(most: int, seed: str) -> Heuristic:
    key = sha256(seed.encode()).digest()

    def made_up_number(board: Board, player: Mark) -> int:
        digest = blake2b(written(board, player).encode(), key=key, digest_size=8).digest()
        return int.from_bytes(digest, "big") % (2 * most + 1) - most

    return made_up_number


def written(board: Board, player: Mark) -> str:
    """What a heuristic is asked, as text: the board's marks and the player."""
    return f"{''.join(board)}{player}"


def _noting(name: str, asked: list[str]) -> Heuristic:
    """A heuristic that notes what it is asked. It raises `TypeError` for what is no question."""
    says = heuristic_named(name)

    def heuristic(board: Board, player: Mark) -> Any:
        if not isinstance(board, Board) or player not in ("X", "O"):
            raise TypeError(f"heuristic(board, player) needs a Board and 'X' or 'O', not {board!r} and {player!r}")
        asked.append(written(board, player))
        if len(asked) > MOST_CALLS:
            raise _TooMuch
        return says(board, player)

    return heuristic


class _TooMuch(BaseException):
    """A function took too much time, or asked its heuristic far too often."""


# ------------------------------------------------------------------------------------------------------------ asking


def ask(function: Function, question: Question, clock: Clock, explain: Explain = explained) -> Answer:
    """What a function answers to a question, whatever it does.

    Args:
        explain: puts an error into words, given the function's name, with the line that it came from.
    """
    asked: list[str] = []
    given_board, *rest = question
    x, o, winner = given_board.x, given_board.o, given_board.winner
    board = position(geometry(given_board.shape, given_board.k), x, o, winner)  # which may be tampered with
    given = [_noting(part, asked) if isinstance(part, str) and part not in ("X", "O") else part for part in rest]
    screen, sys.stdout = sys.stdout, io.StringIO()
    try:
        returned = clock.run(lambda: function(board, *given))
        printed = sys.stdout.getvalue()
    except NotImplementedError as error:
        return Answer(None, (), UNWRITTEN, _error(error, function, explain))
    except (_TooMuch, TimeoutError):
        return Answer(None, (), ENDLESS, "no answer in time")
    except NotYours as error:
        return Answer(None, (), REFUSED, str(error)[:LONGEST])
    except KeyboardInterrupt:
        return Answer(None, (), INTERRUPTED, "it was interrupted")
    except BaseException as error:
        changes = str(error).startswith("A board never changes")
        return Answer(None, (), CHANGED if changes else STOPS, _error(error, function, explain))
    finally:
        sys.stdout = screen
    if board != given_board:
        return Answer(None, (), CHANGED, "after the call the board's marks were different")
    value, fault = plain(returned, board)
    if fault == "nothing returned" and printed:
        fault = "printed instead of returned"
    return Answer(value, tuple(asked), fault, described(returned) if fault else "")


def answers(
    function: Function, questions: Iterable[Question], clock: Clock, explain: Explain = explained
) -> Iterator[Answer]:
    """What a function answers to questions, one after the other.

    No more is asked after an endless loop or an interrupt, when the clock has run out, or when the first answers all
    fail alike.
    """
    faults: list[str] = []
    explain = _remembering(explain)
    with clock.ticking():
        for question in questions:
            if clock.left <= 0:
                return
            answer = ask(function, question, clock, explain)
            yield answer
            faults.append(answer.fault)
            if answer.fault in (ENDLESS, INTERRUPTED):
                return
            if len(faults) == HOPELESS and answer.fault and len(set(faults)) == 1:
                return


def plain(returned: object, board: Board) -> tuple[Value, str]:
    """What was returned about a board, as plain data, and the name of the mistake if it is nothing of the kind.

    >>> plain(3, Board()), plain(None, Board()), plain([(0, 1), 0], Board())
    ((3, ''), (None, 'nothing returned'), ((0, 1), ''))
    """
    if type(returned) is int and -TOO_LARGE < returned < TOO_LARGE:  # as nearly always
        return returned, ""
    if returned is None:
        return None, "nothing returned"
    if isinstance(returned, str):
        return None, "text returned"
    if isinstance(returned, (tuple, list, set, frozenset)):
        with suppress(TypeError, ValueError, IndexError):
            return tuple(sorted({board.cell(cell) for cell in returned})), ""
        return None, "tuple returned" if isinstance(returned, (tuple, list)) else "no number"
    found = number(returned)
    if found is None:
        return None, "no number"
    return (found, "") if abs(found) < TOO_LARGE else (None, "number too large")


def described(returned: object) -> str:
    """What was returned instead of a number, in words."""
    if isinstance(returned, float) and isinf(returned):
        return "infinity" if returned > 0 else "−infinity"
    try:
        text = repr(returned)
    except BaseException:
        text = f"a {type(returned).__name__} that can't be written out"
    return text[:LONGEST].encode("utf-8", "backslashreplace").decode()


def _remembering(explain: Explain) -> Explain:
    """The same, but what an error says in a line is worked out once only."""
    known: dict[tuple[object, ...], str] = {}

    def remembered(error: BaseException, name: str) -> str:
        trace = error.__traceback__
        while trace and trace.tb_next:
            trace = trace.tb_next
        said = type(error), str(error), trace and trace.tb_frame.f_code, trace and trace.tb_lineno
        if said not in known:
            known[said] = explain(error, name)
        return known[said]

    return remembered


def _error(error: BaseException, function: Function, explain: Explain) -> str:
    try:
        return explain(error, getattr(function, "__name__", "Your function"))[:LONGEST]
    except BaseException:
        return type(error).__name__


# ------------------------------------------------------------------------------------------------------- the clock


class Clock:
    """The seconds that a function may take, of CPU time where the system can interrupt by that, for all its answers.

    Args:
        total: for all answers together.
        each: for one answer.
        patience: how many times as long it may wait without computing, as `sleep` does.
    """

    def __init__(self, total: float = 30, each: float = 4, patience: float = 3) -> None:
        self.total, self.each, self.patience = total, each, patience
        self.used = self._begun = 0.0
        self._question = self._late = 0  # the number of the question, and of the last one that was too long
        self._running = self._entered = False
        self._watch = threading.Event()  # set where the time by the clock on the wall is over

    @property
    def left(self) -> float:
        """The seconds of CPU time that are left."""
        return 0 if self._late else self.total - self.used

    @contextmanager
    def ticking(self) -> Iterator[None]:
        """Watch over all that runs meanwhile, with a single timer for many questions."""
        if self._entered:
            yield
            return
        self._entered = True
        self._begun = process_time() - self.used  # which is not asked for each question: it takes as long as an answer
        try:
            with _alarms(self._tick, self.each, self.each * self.patience) if _has_alarms() else self._watched():
                yield
        finally:
            self.used = process_time() - self._begun
            self._entered = False

    def run(self, call: Callable[[], Any]) -> Any:
        """What a call returns. Raises `TimeoutError` where it takes too long, even if it catches every exception."""
        if not self._entered:
            with self.ticking():
                return self.run(call)
        self._question += 1
        self._running = True
        try:
            return call()
        except BaseException:
            self._raise_if_late()
            raise
        finally:
            self._running = False
            self._raise_if_late()

    def _raise_if_late(self) -> None:
        if self._watch.is_set():
            self._late = self._question
        if self._late == self._question:
            raise TimeoutError

    def _tick(self, seen: int) -> int:
        """Interrupt the question that was there at the last tick already; returns the one that is there now."""
        self.used = process_time() - self._begun
        if self._running and (seen == self._question or self.used > self.total):
            self._late = self._question
            raise _TooMuch
        return self._question

    @contextmanager
    def _watched(self) -> Iterator[None]:
        """Where there are no such timers: all the time that is left, by the clock on the wall."""
        with suppress(TimeoutError), timeout(self.total * self.patience) as self._watch:
            yield


@contextmanager
def _alarms(tick: Callable[[int], int], computing: float, waiting: float) -> Iterator[None]:
    """Call `tick` again and again, with what it returned the last time: after seconds of computing, and of waiting."""
    timers = {signal.SIGPROF: (signal.ITIMER_PROF, computing), signal.SIGALRM: (signal.ITIMER_REAL, waiting)}
    seen = dict.fromkeys(timers, 0)

    def alarm(number: int, _frame: FrameType | None) -> None:
        try:
            seen[signal.Signals(number)] = tick(seen[signal.Signals(number)])
        except _TooMuch:
            signal.setitimer(timers[signal.Signals(number)][0], AGAIN, AGAIN)
            raise

    before = {number: signal.signal(number, alarm) for number in timers}
    for timer, seconds in timers.values():
        signal.setitimer(timer, seconds, seconds)
    try:
        yield
    finally:
        for number, (timer, _) in timers.items():
            signal.setitimer(timer, 0)
            signal.signal(number, before[number])


def _has_alarms() -> bool:
    return THREADS and hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()


# -------------------------------------------------------------------------------------------- what may not be called


class NotYours(Exception):
    """A function calls what would do the student's work."""


@contextmanager
def withheld(calls: Iterable[str], sentence: str) -> Iterator[None]:
    """Have calls raise `NotYours` with this sentence for a while.

    Args:
        calls: methods, as "ttt.heuristics.LineWeights.__call__". One that does not exist is passed over.
    """

    def refuse(*_: object, **__: object) -> None:
        raise NotYours(sentence)

    before = []
    for call in calls:
        module, owner, method = call.rsplit(".", 2)
        with suppress(ImportError, AttributeError):
            found = getattr(import_module(module), owner)
            before.append((found, method, getattr(found, method)))
            setattr(found, method, refuse)
    try:
        yield
    finally:
        for owner_, method, call_ in before:
            setattr(owner_, method, call_)
