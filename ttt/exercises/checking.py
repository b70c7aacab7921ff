"""The check under an exercise: right, not yet, or not started; if not yet, a board and the likely mistake."""

from __future__ import annotations

import contextlib
import io
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cache
from html import escape
from itertools import cycle
from math import inf
from typing import Any

from ttt.board import UNCHANGEABLE, Board, BoardError
from ttt.exercises.answers import (
    ANSWER_MISTAKES,
    ANSWER_TYPES,
    NO_MOVE_COUNTED,
    STOPS,
    Answer,
    Call,
    Mistake,
    Question,
    call,
    digest_of,
    short,
)
from ttt.exercises.exercise import Case, Exercise
from ttt.exercises.searching import asked_in_words
from ttt.exercises.showing import picture, question_in_words
from ttt.exercises.traits import in_common
from ttt.limits import explained, timeout
from ttt.progress import THREADS
from ttt.svg import Picture

CHANGED = "After the call the board's marks were different."
SECONDS = 5.0  # an exercise's function is done in far less; this long means an endless loop
SECONDS_EVERYWHERE = 30.0  # for all positions of the game
Function = Callable[..., Any]
SIGNS = {"right": "✓ Right.", "not yet": "✗ Not yet.", "not started": "○ Not started."}


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
        return f"{SIGNS[self.outcome]} {self.message}" + (f"\n{self.picture.text}" if self.picture else "")

    __repr__ = __str__

    def _repr_html_(self) -> str:
        title, _, rest = f"{SIGNS[self.outcome]} {self.message}".partition("\n")
        lines = "".join(f"<p>{escape(line)}</p>" for line in rest.splitlines())
        return f'<div role="status"><p><strong>{escape(title)}</strong></p>{lines}{self.picture or ""}</div>'


# ---------------------------------------------------------------------------------------------------------- the check


def check(exercise: Exercise, function: Function) -> Check:
    """Try a function on an exercise's cases, and say how it did."""
    if not callable(function):
        told = f"The check needs the function itself, not {function!r}: write its name without brackets or quotes."
        return Check("not yet", told)
    return _tried(exercise, function)


@dataclass(frozen=True)
class _Asked:
    """A function's calls for the probes, and those for the cases once more."""

    calls: list[Call]
    again: list[Call]
    printed: bool


class _Unwritten(Exception):
    """The function is still as it was handed out."""


def _tried(exercise: Exercise, function: Function) -> Check:
    _ = exercise.probes  # worked out before the function's time begins
    try:
        with timeout(SECONDS) as late:
            asked = _asked(exercise, function, late)
        found = _judged(exercise, asked)
        if found.right and exercise.everywhere and THREADS and not _right_everywhere(exercise, function):
            told = (
                f"Your function is right on {len(asked.calls)} boards, but not on every board of the game. Does it "
                "treat some boards differently? The formula holds for all of them alike."
            )
            return Check("not yet", told)
    except _Unwritten:
        return Check("not started", "Write your function in the cell above, run that cell, and then this one.")
    except TimeoutError:
        endless = ANSWER_MISTAKES["endless loop"]
        return Check("not yet", f"{endless.sentence} It took too long and was stopped.", endless.name)
    except Exception as error:
        if str(error) in (UNCHANGEABLE, CHANGED):
            return Check("not yet", f"{ANSWER_MISTAKES['the board changed'].sentence}\n({error})", "the board changed")
        said = explained(error, getattr(function, "__name__", "Your function"))
        recursion = "Your function calls itself without end." if isinstance(error, RecursionError) else ""
        lines = [recursion, f"{said.removesuffix('.')}.", *getattr(error, "__notes__", [])]
        return Check("not yet", "\n".join(filter(None, lines)), STOPS)
    return found


def _asked(exercise: Exercise, function: Function, late: threading.Event) -> _Asked:
    cases = exercise.probes[: len(exercise.cases)]  # they come first
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        try:
            calls = [_call(exercise, function, question, late) for question in exercise.probes]
        except NotImplementedError:
            if all(_is_unwritten(exercise, function, question) for question in exercise.probes):
                raise _Unwritten from None
            raise
        again = [_call(exercise, function, question, late) for question in reversed(cases)][::-1]
    return _Asked(calls, again, bool(printed.getvalue()))


def _right_everywhere(exercise: Exercise, function: Function) -> bool:
    """Whether a function is right not only on the probes, but on every position. Raises `TimeoutError`."""
    with contextlib.redirect_stdout(io.StringIO()), timeout(SECONDS_EVERYWHERE) as late:
        calls = ((question, _call(exercise, function, question, late)) for question in exercise.questions)
        return digest_of(_answer(exercise, question, call) for question, call in calls) == exercise.everywhere


def _is_unwritten(exercise: Exercise, function: Function, question: Question) -> bool:
    """Whether a function stops at a question as it does where nothing has been written yet."""
    try:
        call(function, exercise.takes, question)
    except NotImplementedError:
        return True
    except Exception:
        return False
    return False


def _call(exercise: Exercise, function: Function, question: Question, late: threading.Event) -> Call:
    asked = question[0]
    board = Board(asked.shape, asked.k, x=asked.x, o=asked.o)
    try:
        made = call(function, exercise.takes, (board, *question[1:]))
    except Exception as error:
        error.add_note(question_in_words(exercise.name, exercise.takes, Case(question, None)))
        raise
    if late.is_set():  # the function has caught the interrupt
        raise TimeoutError
    if board != asked:
        raise BoardError(CHANGED)
    return made


def _answer(exercise: Exercise, question: Question, call: Call) -> Answer:
    """What a call gave, as plain data."""
    return Answer(ANSWER_TYPES[exercise.returns].plain(call.returned, question[0]), call.asked)


def _judged(exercise: Exercise, asked: _Asked) -> Check:
    first, second = (
        [_answer(exercise, question, call) for question, call in zip(exercise.probes, calls, strict=False)]
        for calls in (asked.calls, asked.again)
    )
    changed = first[: len(second)] != second
    wrong = exercise.wrong(first)
    if not wrong and not changed:
        return Check("right", _all_right(exercise))
    calls, answers = asked.calls, first
    if not wrong:  # the first answers are right, but not all of the second
        wrong, calls, answers = exercise.wrong(second), asked.again, second
    shown = min(wrong)
    mistake = _answer_mistake(exercise, asked)
    if mistake is None and changed:
        mistake = ANSWER_MISTAKES["state kept between calls"]
    if mistake is None:
        mistake = exercise.diagnosed(first, exercise.probes[shown])
    told = mistake.sentence if mistake else in_common(exercise.takes, exercise.probes, wrong)
    said = told or "Some boards come out wrong. Here is one."
    share = f"{len(answers) - len(wrong)} of {len(answers)} boards come out right."
    words = short(calls[shown].returned)
    return _not_yet(exercise, exercise.case(shown), answers[shown], words, mistake, [said, share])


def _all_right(exercise: Exercise) -> str:
    """The sentence on a function that is right, with how much was asked."""
    every = "every board" if exercise.everywhere and THREADS else "every board asked"
    looks = ", and looks at just the boards that it must" if "heuristic" in exercise.takes else ""
    return f"Your function gives {ANSWER_TYPES[exercise.returns].right} on {every}{looks}."


def _answer_mistake(exercise: Exercise, asked: _Asked) -> Mistake | None:
    """The mistake in the type of answer, if some answers are of the wrong type."""
    wrong = ANSWER_TYPES[exercise.returns].wrong
    questions = [*exercise.probes, *exercise.probes[: len(asked.again)]]
    calls = list(zip(questions, [*asked.calls, *asked.again], strict=True))
    name = next(filter(None, (wrong(call.returned, question[0]) for question, call in calls)), "")
    if name == "nothing returned" and asked.printed:
        name = "printed instead of returned"
    infinite = any(isinstance(call.returned, float) and call.returned in (inf, -inf) for _, call in calls)
    if name == "no number" and infinite and "depth" in exercise.takes:
        return replace(ANSWER_MISTAKES[name], sentence=f"Your function returns infinity. {NO_MOVE_COUNTED}")
    return ANSWER_MISTAKES.get(name)


def _not_yet(
    exercise: Exercise, case: Case, answer: Answer, words: str, mistake: Mistake | None, said: list[str]
) -> Check:
    side = f"{case.player} is to move, and" if exercise.takes == ("board",) else f"For {case.player},"
    values = f"{side} {ANSWER_TYPES[exercise.returns].compared(case.value, words)}"
    if answer.value == case.value and answer.digest != case.digest:
        values = f"The value, {words}, is right, but {asked_in_words(case, answer)}."
    message = "\n".join(
        filter(None, [*said, question_in_words(exercise.name, exercise.takes, case), values, case.explanation])
    )
    name, drawings = (mistake.name, mistake.drawings) if mistake else ("", ())
    return Check("not yet", message, name, picture(case, answer, drawings))


def hand_in(exercise: Exercise, names: Mapping[str, Any]) -> Check:
    """Check the function that a notebook would hand in now.

    Args:
        names: what the notebook defines.
    """
    function = names.get(exercise.name)
    if not callable(function):
        close = misnamed(exercise.name, names)
        return Check("not started", close or f"This notebook defines no {exercise.name}, so there is nothing to mark.")
    found = check(exercise, function)
    last = {"right": "\nSave the notebook and hand it in.", "not yet": "\nHanded in like this, it loses marks."}
    return replace(found, message=found.message + last.get(found.outcome, ""))


def misnamed(name: str, names: Iterable[str]) -> str:
    """A sentence on the one of the names that comes close to the name asked for, or ""."""
    folded = {given.casefold(): given for given in names}
    close = get_close_matches(name, folded, 1, 0.8)
    return f"Rename {folded[close[0]]}: the name has to be {name}, letter for letter." if close else ""


# ------------------------------------------------------------------------------------------- expectations and hints


def expect(exercise: Exercise, question: Question, **expected: object) -> Check:
    """Check what a student has worked out by hand on one of the exercise's boards or trees.

    Args:
        question: the board and the player, or the tree.
        expected: the value, and the terms that make it up, under the names that the notebook gives them.
    """
    case = next((case for case in exercise.worked if case.question == question), None)
    if case is None:
        return Check("not yet", "Only this exercise's boards can be checked here, each for the player asked about.")
    filled = {name: answer for name, answer in expected.items() if answer is not ...}
    if not filled:
        return Check("not started", "Put your numbers in place of the three dots, and run the cell again.")
    right = {**case.terms, "value": case.value}
    if unknown := expected.keys() - right.keys():
        return Check("not yet", f"There is no {', '.join(sorted(unknown))} here: it can be {', '.join(right)}.")
    quoted = [name for name, answer in filled.items() if isinstance(answer, str) and not isinstance(right[name], str)]
    if quoted:
        return Check("not yet", f"{quoted[0]} is text, because it is in quotes. Write the number without them.")
    wrong = [name for name, answer in filled.items() if answer != right[name]]
    missing = [name for name in expected if name not in filled]
    if not wrong and not missing:
        return Check("right", "That is what it comes to.", picture=picture(case))
    to_do = f"\nStill to work out: {', '.join(missing)}." if missing else ""
    if not wrong:
        return Check("not yet", f"Right so far: {', '.join(filled)}.{to_do}")
    shown = picture(case)
    counts = " This is what counts." if shown else ""
    return Check("not yet", f"Look again at {', '.join(wrong)}.{counts}{to_do}", picture=shown)


class Hint(str):
    """A hint, shown as running text."""

    def _repr_html_(self) -> str:
        return f"<p>{escape(self)}</p>"

    def __repr__(self) -> str:
        return str(self)


def hint(exercise: Exercise) -> Hint:
    """The next hint. Each one tells a little more; after the last, the first comes again."""
    return next(_hints(exercise.name, exercise.hints))


@cache
def _hints(_name: str, hints: tuple[str, ...]) -> Iterator[Hint]:
    """An exercise's hints, again and again; each exercise goes on from its own last one."""
    return cycle([Hint(f"Hint {n} of {len(hints)}: {text}") for n, text in enumerate(hints, 1)])
