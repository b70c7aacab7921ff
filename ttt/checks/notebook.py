"""What a notebook calls: the check, expectations, hints and what is handed in, and the challenge's ladder."""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import cycle
from typing import Any

from ttt.checks import asking
from ttt.checks.asking import INTERRUPTED, Answer, Clock
from ttt.checks.checking import Check, explained, lines_picture, misnamed, verdict
from ttt.checks.exercise import Exercise, load
from ttt.checks.ladder import ladder
from ttt.drawing.prose import COLUMN, prose
from ttt.runtime.progress import progress

__all__ = ["Check", "Hint", "NotYetRight", "check", "expect", "hand_in", "hint", "ladder"]

SLOW = 30.0  # seconds of computing; a function that takes longer for all questions is told that it is slow


class NotYetRight(AssertionError):
    """Raised where nbgrader validates a notebook, since it looks for errors alone."""


def check(function: Callable[..., Any], exercise: str = "heuristic_1") -> Check:
    """Try a function on what its exercise asks, and say how it did. Put it last in a cell to see the answer.

    Raises `NotYetRight` if the function is not right and nbgrader's Validate runs the cell.
    """
    if not callable(function):
        told = f"The check needs the function itself, not {function!r}: write its name without brackets or quotes."
        return Check("not yet", told)
    asked = load(exercise)
    given = _answers(function, asked)
    found = verdict(asked, given)
    if found.outcome == "right":
        right = "the right cells" if asked.returns == "cells" else "the right value"
        every = "every board" if asked.weights else "every board asked"
        looks = ", and looks at just the boards that it must" if "heuristic" in asked.takes else ""
        return Check("right", f"Your function gives {right} on {every}{looks}.")
    if found.outcome == "wrong":
        if found.place == len(given):  # it was stopped before anything was wrong
            again = "Run the cell again to have all of them asked."
            told = Check("not yet", f"{found.sentence}\n{again}", found.mistake)
        else:
            lines, picture = explained(asked, found, given)
            told = Check("not yet", "\n".join([found.sentence, *lines]), found.mistake, picture)
    else:
        told = Check("not started", "Write your function in the cell above, run that cell, and then this one.")
    if os.environ.get("NBGRADER_EXECUTION") == "validate":
        raise NotYetRight(told.message)
    return told


def _answers(function: Callable[..., Any], exercise: Exercise) -> tuple[Answer, ...]:
    """The answers to all questions, or to those before an interrupt. A slow function is told so on the way."""
    page, clock, told = sys.stdout, Clock(), False
    answers: list[Answer] = []
    with asking.withheld(exercise.withheld, exercise.refusal), suppress(KeyboardInterrupt):
        asked = asking.answers(function, exercise.questions, clock)
        for answer in progress(asked, "questions", len(exercise.questions)):
            answers.append(answer)
            if clock.used > SLOW and not told:
                told = True
                print(_so_far(exercise, answers, clock.used), file=page)
    if len(answers) > 1 and answers[-1].fault == INTERRUPTED:
        answers.pop()
    return tuple(answers)


def _so_far(exercise: Exercise, answers: Sequence[Answer], seconds: float) -> str:
    """What is said of a slow function while it is still asked."""
    number, wrong = len(answers), len(exercise.wrong(answers))
    state = f"Still right after {number:,} questions"
    if wrong:
        state = f"After {number:,} questions, {wrong:,} answers are wrong"
    each = f"{1000 * seconds / number:,.1f} ms a call"
    return f"{state}; your function is slow, {each}. The check goes on; the button ■ above stops it."


def hand_in(exercise: str = "heuristic_1") -> Check:
    """Check the function that this notebook would hand in now. Raises `NotYetRight` as `check` does.

    Choose Kernel → Restart Kernel and Run All Cells first. Then nothing is left over from cells that you have since
    changed or deleted, just as when the notebook is marked.
    """
    names = vars(sys.modules["__main__"])
    function = names.get(exercise)
    if not callable(function):
        missing = f"There is no {exercise}: run all cells, from the top. If its cell shows an error, mend that first."
        return Check("not started", misnamed(exercise, names) or missing)
    found = check(function, exercise)
    last = {"right": "\nSave the notebook and hand it in.", "not yet": "\nHanded in like this, it loses marks."}
    return replace(found, message=found.message + last.get(found.outcome, ""))


def expect(*question: Any, exercise: str = "heuristic_1", **expected: object) -> Check:
    """Check the numbers that you worked out by hand for one of the exercise's boards, or for its tree."""
    asked = load(exercise)
    paper = question[0] if len(question) == 1 else question
    right = next((terms for worked, terms in asked.worked if worked == paper), None)
    if right is None:
        told = "Only this exercise's boards can be checked here, each for the player asked about"
        return Check("not yet", f"{told}, and each number by its name: value=...")
    if unknown := expected.keys() - right.keys():
        return Check("not yet", f"There is no {', '.join(sorted(unknown))} here: it can be {', '.join(right)}.")
    missing = [name for name, answer in expected.items() if answer is ...]
    wrong = [name for name, answer in expected.items() if answer not in (..., right[name])]
    if len(missing) == len(expected):
        return Check("not started", "Put your numbers in place of the three dots, and run the cell again.")
    told = f"Look again at {', '.join(wrong)}." if wrong else "That is what it comes to."
    if missing:
        told = f"{told if wrong else 'Right so far.'}\nStill to work out: {', '.join(missing)}."
    shown = asked.weights and (wrong or not missing)
    picture = lines_picture(asked, question) if shown else None
    return Check("not yet" if wrong or missing else "right", told, picture=picture)


class Hint(str):
    """A hint, shown as running text."""

    def _repr_html_(self) -> str:
        return f"<p {COLUMN}>{prose(self)}</p>"

    __repr__ = str.__str__


_hints: dict[str, Iterator[Hint]] = {}  # those to come, by the exercise's name


def hint(exercise: str = "heuristic_1") -> Hint:
    """The next hint. Each one tells a little more; after the last, the first comes again."""
    texts = load(exercise).hints
    hints = (Hint(f"Hint {n} of {len(texts)}: {text}") for n, text in enumerate(texts, 1))
    return next(_hints.setdefault(exercise, cycle(hints)))
