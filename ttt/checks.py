"""The check under an exercise: right, not yet, or not started; and where not yet, the board and the likely mistake.

It knows a few boards with their values, and the values that known mistakes give there, all as plain data
(`heuristic_1.json`). It does not know how to work them out.
"""

from __future__ import annotations

import _thread
import contextlib
import io
import json
import os
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from itertools import count
from numbers import Real
from pathlib import Path
from time import monotonic
from types import FrameType
from typing import Any

from ttt.board import Board, Mark, Unchangeable
from ttt.players import explained
from ttt.progress import THREADS
from ttt.svg import Picture, beside, draw

SECONDS = 5.0  # an exercise's function is done in a blink; this long means an endless loop
NUMBERS = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight")
Counts = Mapping[int, Sequence[tuple[int, ...]]]  # number of marks -> the lines with as many of one side alone


@dataclass(frozen=True)
class Case:
    """A board seen from a side, with its right value and the lines that make it up."""

    board: Board
    player: Mark
    value: int
    own: Counts
    other: Counts


@dataclass(frozen=True)
class Mistake:
    """A known mistake: its short name, a sentence for who made it, and the values it gives on the cases."""

    name: str
    sentence: str
    values: tuple[int, ...] = ()


class NotYetRight(AssertionError):
    """Raised where nbgrader validates a notebook, which looks for errors alone."""


@dataclass(frozen=True)
class Check:
    """What a check found.

    Args:
        outcome: "right", "not yet" or "not started".
        message: what to know, in a few sentences.
        mistake: the name of the known mistake that fits, or "".
        picture: a board where it went wrong.
    """

    outcome: str
    message: str
    mistake: str = ""
    picture: Picture | None = None

    @property
    def right(self) -> bool:
        """Whether everything is right."""
        return self.outcome == "right"

    def __str__(self) -> str:
        return f"{self._sign} {self.message}" + (f"\n{self.picture.text}" if self.picture else "")

    __repr__ = __str__

    def _repr_html_(self) -> str:
        title, _, rest = f"{self._sign} {self.message}".partition("\n")
        lines = "".join(f"<p>{escape(line)}</p>" for line in rest.splitlines())
        return f'<div role="status"><p><strong>{escape(title)}</strong></p>{lines}{self.picture or ""}</div>'

    @property
    def _sign(self) -> str:
        return {"right": "✓ Right.", "not yet": "✗ Not yet.", "not started": "○ Not started."}[self.outcome]


# ------------------------------------------------------------------------------------------------------ what is known


@cache
def _data() -> dict[str, Any]:
    data: dict[str, Any] = json.loads(Path(__file__).with_name("heuristic_1.json").read_text(encoding="utf-8"))
    return data


def _case(data: Mapping[str, Any]) -> Case:
    shape, k = tuple(_data()["shape"]), _data()["k"]
    sides = ({int(n): [tuple(line) for line in lines] for n, lines in data[side].items()} for side in ("own", "other"))
    return Case(Board.from_text(data["board"], shape, k), data["player"], data["value"], *sides)


@cache
def cases() -> tuple[Case, ...]:
    """The boards that the check looks at, the simplest first."""
    return tuple(_case(data) for data in _data()["cases"])


@cache
def mistakes() -> tuple[Mistake, ...]:
    """The known mistakes that show in the values."""
    return tuple(Mistake(m["name"], m["sentence"], tuple(m["values"])) for m in _data()["mistakes"])


MANNERS = {
    manner.name: manner
    for manner in (
        Mistake(
            "printed instead of returned",
            "Your function prints its value but returns None. Printing shows a number to people; return hands it to "
            "whoever called. Write return where you wrote print.",
        ),
        Mistake("nothing returned", "Your function returns None. Is a return missing at its end?"),
        Mistake(
            "text returned",
            "Your function returns a text. Return the number itself: without quotes, str() or an f-string.",
        ),
        Mistake("tuple returned", "Your function returns a tuple or a list. Return one number: the difference."),
        Mistake("no number", "Your function returns something that is not a number. Return one number."),
        Mistake(
            "the board changed",
            "Your function tries to change the board. A heuristic only looks: count marks in board.lines, and leave "
            "the board as it is.",
        ),
        Mistake(
            "state kept between calls",
            "Asked twice about the same board, your function gives two different values. Something is kept from one "
            "call to the next: set your counters to 0 inside the function, and use no list or dict from outside it.",
        ),
    )
}


def diagnose(values: Sequence[Any]) -> Mistake | None:
    """The known mistake that gives exactly these values on the cases, or None."""
    return next((mistake for mistake in mistakes() if list(mistake.values) == list(values)), None)


def manner(answers: Sequence[Any], printed: bool) -> Mistake | None:
    """The mistake in the way of answering, where answers are no numbers at all."""
    odd = [answer for answer in answers if not is_number(answer)]
    if not odd:
        return None
    first = odd[0]
    if first is None:
        return MANNERS["printed instead of returned" if printed else "nothing returned"]
    kinds: dict[type, str] = {str: "text returned", tuple: "tuple returned", list: "tuple returned"}
    return MANNERS[kinds.get(type(first), "no number")]


def is_number(answer: object) -> bool:
    """Whether an answer counts as a number: int, float, Fraction and numpy's do; bool and NaN don't."""
    return isinstance(answer, Real) and not isinstance(answer, bool) and answer == answer


# ---------------------------------------------------------------------------------------------------------- the check


def check(function: Callable[[Board, Mark], Any]) -> Check:
    """Try a student's heuristic 1 on a few boards and say how it did; put it last in a cell to see the answer.

    Raises `NotYetRight` where nbgrader's Validate runs the cell and the function is not right.
    """
    found = _checked(function)
    if not found.right and os.environ.get("NBGRADER_EXECUTION") == "validate":
        raise NotYetRight(found.message)
    return found


def _checked(function: Callable[[Board, Mark], Any]) -> Check:
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed), (_watched if THREADS else _traced)(SECONDS) as late:
            answers = [_answer(function, case, late) for case in cases()]
            again = [_answer(function, case, late) for case in reversed(cases())][::-1]
    except NotImplementedError:
        return Check("not started", "Write your function in the cell above, run that cell, and then this one.")
    except _EndlessError:
        return Check("not yet", f"Stopped after {SECONDS:g} seconds: is there a loop that never ends?", "endless loop")
    except Unchangeable as error:
        return Check("not yet", f"{MANNERS['the board changed'].sentence}\n({error})", "the board changed")
    except Exception as error:
        return Check("not yet", explained(error, getattr(function, "__name__", "Your function")) + ".")
    return _judged(answers, again, bool(printed.getvalue()))


def _answer(function: Callable[[Board, Mark], Any], case: Case, late: threading.Event) -> Any:
    board = Board(case.board.shape, case.board.k, x=case.board.x, o=case.board.o)
    answer = function(board, case.player)
    if late.is_set():  # the function has caught the interrupt
        raise _EndlessError
    if board != case.board:
        raise Unchangeable("After the call the marks were others than before.")
    return answer


def _judged(answers: list[Any], again: list[Any], printed: bool) -> Check:
    if all(
        is_number(answer) and answer == case.value for answer, case in zip(answers + again, cases() * 2, strict=True)
    ):
        return Check("right", "Your function gives the right value on every board that this check knows.")
    mistake = manner(answers, printed)
    if mistake is None and answers != again:
        mistake = MANNERS["state kept between calls"]
    mistake = mistake or diagnose(answers)
    wrong = [n for n, case in enumerate(cases()) if not is_number(answers[n]) or answers[n] != case.value]
    shown = min(wrong, default=0)
    return _not_yet(cases()[shown], answers[shown], mistake, f"{len(cases()) - len(wrong)} of {len(cases())} boards")


def _not_yet(case: Case, answer: object, mistake: Mistake | None, share: str) -> Check:
    said = [mistake.sentence] if mistake else [f"{share} come out right. Here is one that does not."]
    said.append(
        f"For {case.player}, the right value on this board is {_shortened(case.value)}; yours is {_shortened(answer)}."
    )
    said.append(f"The lines that count: {_counted(case)}.")
    return Check("not yet", "\n".join(said), mistake.name if mistake else "", _drawn(case))


def _shortened(answer: object) -> str:
    text = repr(answer).replace("-", "−") if type(answer) in (int, float) else repr(answer)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _counted(case: Case) -> str:
    """The lines that count in words: "one with 2 X alone, two with 1 O alone"."""
    rival = {"X": "O", "O": "X"}[case.player]
    parts = [
        f"{NUMBERS[len(lines)] if len(lines) < len(NUMBERS) else len(lines)} with {n} {mark} alone"
        for mark, counts in ((case.player, case.own), (rival, case.other))
        for n, lines in sorted(counts.items(), reverse=True)
        if lines and n
    ]
    return ", ".join(parts) or "none"


def _drawn(case: Case) -> Picture:
    """The lines that count, those of either side on a board of their own."""
    rival = {"X": "O", "O": "X"}[case.player]
    return beside(
        [
            draw(
                case.board,
                lines=[line for n, lines in counts.items() if n for line in lines],
                player=mark,
                caption=f"lines of {mark} alone",
            )
            for mark, counts in ((case.player, case.own), (rival, case.other))
        ]
    )


class _EndlessError(Exception):
    """The function took too long."""


@contextlib.contextmanager
def _watched(seconds: float) -> Iterator[threading.Event]:
    """Interrupts what takes too long, again and again until it lets go; tells so, and raises `_EndlessError`.

    It works from a thread that presses Ctrl-C, so to speak; this does on every system, where alarms don't.
    """
    done, fired = threading.Event(), threading.Event()

    def watch() -> None:
        for n in count():
            if done.wait(seconds if n == 0 else 0.5):
                return
            fired.set()
            _thread.interrupt_main()

    if threading.current_thread() is not threading.main_thread():
        yield fired
        return
    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield fired
    except BaseException as error:
        if fired.is_set():
            raise _EndlessError from error
        raise
    finally:
        done.set()
        watcher.join()


@contextlib.contextmanager
def _traced(seconds: float) -> Iterator[threading.Event]:
    """The same where there are no threads, as in a browser: it looks at the clock with every line that is run."""
    late, deadline, before = threading.Event(), monotonic() + seconds, sys.gettrace()

    def look(frame: FrameType, event: str, argument: object) -> Any:
        if monotonic() > deadline:
            late.set()
            raise _EndlessError
        return look

    sys.settrace(look)
    try:
        yield late
    finally:
        sys.settrace(before)


# ------------------------------------------------------------------------------------------- expectations and hints


def expect(board: Board, player: Mark, **expected: object) -> Check:
    """Check what a student has worked out by hand on one of the exercise's boards.

    Args:
        expected: x1, x2, o1, o2 (lines with as many of that mark and none of the other) and value.
    """
    worked = map(_case, _data()["worked"])
    case = next((case for case in worked if (case.board, case.player) == (board, player)), None)
    if case is None:
        return Check(
            "not yet", "Only the boards of this exercise can be checked here, from the side that is asked for."
        )
    if any(answer is ... for answer in expected.values()):
        return Check("not started", "Put your numbers in place of the three dots, and run the cell again.")
    by_mark = {case.player.lower(): case.own, ("o" if case.player == "X" else "x"): case.other}
    right = {f"{mark}{n}": len(by_mark[mark].get(n, ())) for mark in "xo" for n in range(1, board.k)}
    right["value"] = case.value
    wrong = [name for name, answer in expected.items() if name in right and answer != right[name]]
    if not wrong:
        return Check("right", "That is what it comes to.", picture=_drawn(case))
    return Check("not yet", f"Look again at {', '.join(wrong)}. Here are the lines that count.", picture=_drawn(case))


class Hint(str):
    """A hint, shown as running text."""

    def _repr_html_(self) -> str:
        return f"<p>{escape(self)}</p>"

    def __repr__(self) -> str:
        return str(self)


_hints_given = count()


def hint() -> Hint:
    """The next hint; each call tells a little more, and after the last one it starts again."""
    hints = _data()["hints"]
    n = next(_hints_given) % len(hints)
    return Hint(f"Hint {n + 1} of {len(hints)}: {hints[n]}")
