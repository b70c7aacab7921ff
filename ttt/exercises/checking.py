"""The check under an exercise: right, not yet, or not started; if not yet, a board and the likely mistake."""

from __future__ import annotations

import contextlib
import io
import os
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cache
from html import escape
from itertools import cycle
from typing import Any

from ttt.board import Board, Mark, Unchangeable
from ttt.exercises.exercise import (
    ANSWER_MISTAKES,
    STOPS,
    Case,
    Drawing,
    Exercise,
    Mistake,
    Question,
    digest_of_values,
)
from ttt.exercises.timeout import timeout
from ttt.exercises.traits import shared
from ttt.heuristics import Heuristic, number, wrong_kind
from ttt.players import explained
from ttt.progress import THREADS
from ttt.svg import Picture, beside, draw

SECONDS = 5.0  # an exercise's function is done in far less; this long means an endless loop
SECONDS_EVERYWHERE = 30.0  # for all positions of the game
SIGNS = {"right": "✓ Right.", "not yet": "✗ Not yet.", "not started": "○ Not started."}


class NotYetRight(AssertionError):
    """Raised where nbgrader validates a notebook, since it looks for errors alone."""


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


def check(exercise: Exercise, function: Heuristic) -> Check:
    """Try a function on an exercise's cases, and say how it did.

    Raises `NotYetRight` if the function is not right and nbgrader's Validate runs the cell.
    """
    found = _tried(exercise, function)
    if not found.right and os.environ.get("NBGRADER_EXECUTION") == "validate":
        raise NotYetRight(found.message)
    return found


@dataclass(frozen=True)
class _Asked:
    """A function's answers to the probes, and those to the cases once more."""

    answers: list[object]
    again: list[object]
    printed: bool


class _Unwritten(Exception):
    """The function is still as it was handed out."""


def _tried(exercise: Exercise, function: Heuristic) -> Check:
    _ = exercise.probes  # worked out before the function's time begins
    try:
        with timeout(SECONDS) as late:
            asked = _asked(exercise, function, late)
        found = _judged(exercise, asked)
        if found.right and THREADS and not _right_everywhere(exercise, function):
            told = (
                f"Your function is right on {len(asked.answers)} boards, but not on every board of the game. Does it "
                "treat some boards differently? The formula holds for all of them alike."
            )
            return Check("not yet", told)
    except _Unwritten:
        return Check("not started", "Write your function in the cell above, run that cell, and then this one.")
    except TimeoutError:
        endless = ANSWER_MISTAKES["endless loop"]
        return Check("not yet", f"{endless.sentence} It took too long and was stopped.", endless.name)
    except Unchangeable as error:
        return Check("not yet", f"{ANSWER_MISTAKES['the board changed'].sentence}\n({error})", "the board changed")
    except Exception as error:
        said = explained(error, getattr(function, "__name__", "Your function"))
        return Check("not yet", f"{said.removesuffix('.')}.", STOPS)
    return found


def _asked(exercise: Exercise, function: Heuristic, late: threading.Event) -> _Asked:
    cases = exercise.probes[: len(exercise.cases)]  # they come first
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        try:
            answers = [_answer(function, question, late) for question in exercise.probes]
        except NotImplementedError:
            if all(_is_unwritten(function, question) for question in exercise.probes):
                raise _Unwritten from None
            raise
        again = [_answer(function, question, late) for question in reversed(cases)][::-1]
    return _Asked(answers, again, bool(printed.getvalue()))


def _right_everywhere(exercise: Exercise, function: Heuristic) -> bool:
    """Whether a function is right not only on the probes, but on every position. Raises `TimeoutError`."""
    with contextlib.redirect_stdout(io.StringIO()), timeout(SECONDS_EVERYWHERE) as late:
        answers = (_answer(function, question, late) for question in exercise.questions)
        return digest_of_values(map(number, answers)) == exercise.everywhere


def _is_unwritten(function: Heuristic, question: Question) -> bool:
    """Whether a function stops at a question as it does where nothing has been written yet."""
    try:
        function(*question)
    except NotImplementedError:
        return True
    except Exception:
        return False
    return False


def _answer(function: Heuristic, question: Question, late: threading.Event) -> object:
    asked, player = question
    board = Board(asked.shape, asked.k, x=asked.x, o=asked.o)
    answer: object = function(board, player)
    if late.is_set():  # the function has caught the interrupt
        raise TimeoutError
    if board != asked:
        raise Unchangeable("After the call the board's marks were different.")
    return answer


def _values(answers: Sequence[object]) -> list[int | float | None]:
    return [number(answer) for answer in answers]


def _judged(exercise: Exercise, asked: _Asked) -> Check:
    first, second, probes = _values(asked.answers), _values(asked.again), exercise.probes
    changed = first[: len(second)] != second
    wrong = {place for place, value in enumerate(first) if value != exercise.probed[place]}
    if not wrong and not changed:
        return Check("right", f"Your function gives the right value on every board{'' if THREADS else ' asked'}.")
    answers = asked.answers
    if not wrong:  # the first answers are right, but not all of the second
        wrong = {place for place, value in enumerate(second) if value != exercise.probed[place]}
        answers = asked.again
    shown = min(wrong)
    mistake = _answer_mistake([*asked.answers, *asked.again], asked.printed)
    if mistake is None and changed:
        mistake = ANSWER_MISTAKES["state kept between calls"]
    if mistake is None:
        mistake = exercise.diagnosed([value or 0 for value in first], probes[shown])
    said = mistake.sentence if mistake else shared(probes, wrong) or "Some boards come out wrong. Here is one of them."
    share = f"{len(answers) - len(wrong)} of {len(answers)} boards come out right."
    return _not_yet(_case(exercise, shown), answers[shown], mistake, [said, share])


def _case(exercise: Exercise, place: int) -> Case:
    """The case that stands first among the probes, or one made of a board and its value."""
    if place < len(exercise.cases):
        return exercise.cases[place]
    board, player = exercise.probes[place]
    return Case(board, player, exercise.probed[place])


def _answer_mistake(answers: Sequence[object], printed: bool) -> Mistake | None:
    """The mistake in the kind of answer, if some answers are not numbers."""
    name = next(filter(None, map(wrong_kind, answers)), "")
    if name == "nothing returned" and printed:
        name = "printed instead of returned"
    return ANSWER_MISTAKES.get(name)


def _not_yet(case: Case, answer: object, mistake: Mistake | None, said: list[str]) -> Check:
    values = f"For {case.player}, the right value on this board is {_short(case.value)}; yours is {_short(answer)}."
    message = "\n".join(filter(None, [*said, values, case.explanation]))
    name, drawings = (mistake.name, mistake.drawings) if mistake else ("", ())
    return Check("not yet", message, name, _drawn(case, drawings))


def _short(answer: object) -> str:
    text = repr(answer).replace("-", "−") if type(answer) in (int, float) else repr(answer)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _drawn(case: Case, more: Sequence[Drawing] = ()) -> Picture:
    """The board, once for each of the case's drawings, and once for each of a mistake's."""
    drawings = [*case.drawings, *more]
    pictures = [draw(case.board, lines=one.lines, player=one.player, caption=one.caption) for one in drawings]
    return beside(pictures or [draw(case.board)])


def hand_in(exercise: Exercise, names: Mapping[str, Any]) -> Check:
    """Check the function that a notebook would hand in now.

    Args:
        names: what the notebook defines.

    Raises `NotYetRight` as `check` does.
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


def expect(exercise: Exercise, board: Board, player: Mark, **expected: object) -> Check:
    """Check what a student has worked out by hand on one of the exercise's boards.

    Args:
        expected: the value, and the terms that make it up, under the names that the notebook gives them.
    """
    case = next((case for case in exercise.worked if (case.board, case.player) == (board, player)), None)
    if case is None:
        return Check("not yet", "Only this exercise's boards can be checked here, each for the player asked about.")
    if not expected or any(answer is ... for answer in expected.values()):
        return Check("not started", "Put your numbers in place of the three dots, and run the cell again.")
    right = {**case.terms, "value": case.value}
    if unknown := expected.keys() - right.keys():
        return Check("not yet", f"There is no {', '.join(sorted(unknown))} here: it can be {', '.join(right)}.")
    wrong = [name for name, answer in expected.items() if answer != right[name]]
    if not wrong:
        return Check("right", "That is what it comes to.", picture=_drawn(case))
    return Check("not yet", f"Look again at {', '.join(wrong)}. This is what counts.", picture=_drawn(case))


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
