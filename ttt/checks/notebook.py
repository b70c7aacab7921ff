"""What a notebook calls: the check of every task, its hints, expectations, and the challenge's ladder."""

import ast
import linecache
import os
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from inspect import getsource, signature, unwrap
from itertools import cycle
from pkgutil import resolve_name
from textwrap import dedent
from typing import Any

from ttt.board import Board, GameOver
from ttt.checks import asking, tasks
from ttt.checks.asking import INTERRUPTED, PRINTED, Answer
from ttt.checks.checking import RAISED, Check, counts_table, explained, lines_picture, misnamed, verdict
from ttt.checks.exercise import Exercise
from ttt.checks.ladder import ladder
from ttt.checks.tasks import load
from ttt.drawing.prose import COLUMN, prose
from ttt.runtime.limits import Clock, is_own
from ttt.runtime.limits import explained as explained_error
from ttt.runtime.progress import progress

__all__ = ["Check", "Hint", "NotYetRight", "check", "expect", "hand_in", "hint", "ladder"]

SLOW = 30.0  # seconds of computing; a function that takes longer for all questions is told that it is slow
ENOUGH = 20  # errors of a function, after which no more is asked
OF_ITS_OWN = {"interface": "ttt.checks.interface:check_interface", "MisereNim": "ttt.checks.game:check_misere"}
NOT_STARTED = "Write your function in the cell above, run that cell, and then this one."
DOTS = "Three dots stand in your function: put your own code in their place, run its cell, and then this one."


class NotYetRight(AssertionError):
    """Raised where nbgrader validates a notebook, since it looks for errors alone."""


def check(function: Callable[..., Any], task: str = "") -> Check:
    """Try a function on what its task asks, and say how it did. Put it last in a cell to see the answer.

    The task is known by the function's name, and by its parameters where several tasks have it; or it is named. Raises
    `NotYetRight` if the function is not right and nbgrader's Validate runs the cell.
    """
    global _checked
    if not callable(function):
        told = f"The check needs the function itself, not {function!r}: write its name without brackets or quotes."
        return Check("not yet", told)
    try:
        task = task or tasks.task_of(function)
    except tasks.Unknown as error:
        return Check("not yet", str(error))
    if task in OF_ITS_OWN:
        return resolve_name(OF_ITS_OWN[task])(function)  # type: ignore[no-any-return]
    exercise = load(task)
    _checked = task
    found = _unasked(function, exercise) or _checked_by_asking(function, exercise)
    if not found.right and os.environ.get("NBGRADER_EXECUTION") == "validate":
        raise NotYetRight(found.message)
    return found


_checked = ""  # the task that was checked last


def _unasked(function: Callable[..., Any], exercise: Exercise) -> Check | None:
    """What is said of a function that can't be called as the task calls it."""
    with suppress(ValueError):  # some functions written in C don't tell
        try:
            signature(function).bind(*exercise.takes)
        except TypeError:
            call = f"{exercise.function or exercise.name}({', '.join(exercise.takes)})"
            name = getattr(function, "__name__", "it")
            return Check("not yet", f"The check calls {call}, and yours is {name}{signature(function)}.")
    return None


def _checked_by_asking(function: Callable[..., Any], exercise: Exercise) -> Check:
    """What is said of a function after it has been asked."""
    dots = gaps_in(function)
    untouched = dots >= tasks.TASKS.get(exercise.name, {}).get("gaps", 1)
    answers = _answers(function, exercise, untouched)
    found = verdict(exercise, answers)
    nothing = untouched or len(exercise.wrong(answers)) == len(answers)  # is done
    if dots and nothing and found.outcome == "wrong" and answers[-1].fault != PRINTED:
        return Check("not started", DOTS)
    if found.outcome == "not started":
        return Check("not started", NOT_STARTED)
    if found.outcome == "right":
        return _right(function, exercise, untouched)
    if found.place == len(answers):  # it was stopped before anything was wrong
        return Check("not yet", f"{found.sentence}\nRun the cell again to have all of them asked.", found.mistake)
    lines, picture = explained(exercise, found, answers)
    told = "\n".join([found.sentence, *lines])
    return Check("not yet", told, found.mistake, picture, counts_table(exercise, found.counts))


def _right(function: Callable[..., Any], exercise: Exercise, dots: bool) -> Check:
    """What is said of a function whose answers are right; of a search, by the boards that it visits."""
    if exercise.returns == "order":
        return tasks.ordered(function)
    if "alpha" in exercise.takes and (more := tasks.too_many(exercise.name, function)):
        return Check("not started", DOTS) if dots else more
    if exercise.done:
        return Check("right", exercise.done.replace(" Next:", "\nNext:"))
    every = "every board" if exercise.weights else "every board asked"
    looks = ", and looks at just the boards that it must" if "heuristic" in exercise.takes else ""
    return Check("right", f"Your function gives the right value on {every}{looks}.")


def gaps_in(function: Callable[..., Any]) -> int:
    """How often three dots stand in a function, as where a lesson leaves a gap; those of a type are none."""
    with suppress(OSError, TypeError, SyntaxError):  # there is no text to be read
        nodes = [*ast.walk(ast.parse(dedent(getsource(unwrap(function)))))]
        types = [part for node in nodes if isinstance(node, ast.Subscript) for part in ast.walk(node.slice)]
        return sum(isinstance(node, ast.Constant) and node.value is ... and node not in types for node in nodes)
    return 0


def _answers(function: Callable[..., Any], exercise: Exercise, dots: bool) -> tuple[Answer, ...]:
    """The answers to all questions, or to those before an interrupt. A slow function is told so on the way.

    No more is asked where three dots stand and an answer is wrong, nor in a lesson's task after so many errors.
    """
    page, clock, told, stopped = sys.stdout, Clock(), False, 0
    answers: list[Answer] = []
    asked = exercise.through(function)
    with asking.withheld(exercise.withheld, exercise.refusal), suppress(KeyboardInterrupt):
        coming = asking.answers(asked, exercise.questions, clock, _explained, len(exercise.cases))
        for answer in progress(coming, "questions", len(exercise.questions)):
            answers.append(answer)
            if clock.used > SLOW and not told:
                told = True
                print(_so_far(exercise, answers, clock.used), file=page)
            stopped += answer.fault in RAISED
            wrong = answer.fault or answer.value != exercise.asked[len(answers) - 1].value
            if (dots and wrong) or (exercise.function and stopped == ENOUGH):
                break
    if len(answers) > 1 and answers[-1].fault == INTERRUPTED:
        answers.pop()
    return tuple(answers)


def _explained(error: BaseException, name: str) -> str:
    """A sentence on an error, with the student's line; it says what is wrong with a recursion that goes wrong."""
    told = explained_error(error, name)
    if isinstance(error, RecursionError) and (calls := _calls(error)):
        (before, line), (last, _) = calls[-2:]
        if before == last:
            return f"{name} calls itself again on the same board, {line}. Call it on board.play(move)."
        return f"{name} calls itself without end, {line}."
    if isinstance(error, GameOver) or (isinstance(error, ValueError) and "empty" in str(error)):
        return f"{told}. Is there a return for boards where the game is over?"
    return told


def _calls(error: BaseException) -> list[tuple[Board, str]]:
    """The boards that a student's functions were called with when an error came, each with the line that was run."""
    calls = []
    for frame, number in traceback.walk_tb(error.__traceback__):
        code = frame.f_code
        board = frame.f_locals.get(code.co_varnames[0]) if code.co_argcount else None
        if isinstance(board, Board) and is_own(frame):
            calls.append((board, f"in line {number}: {linecache.getline(code.co_filename, number).strip()}"))
    return calls if len(calls) > 1 else []


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


_hints: dict[str, Iterator[Hint]] = {}  # those to come, by the task's name


def hint(task: str = "") -> Hint:
    """The next hint for the task that was checked last, or for the one named.

    Each hint tells a little more; after the last, the first comes again.
    """
    task = task or _checked
    if not task:
        return Hint("Check your function first: a hint belongs to the task that was checked last.")
    texts = load(task).hints
    hints = (Hint(f"Hint {n} of {len(texts)}: {text}") for n, text in enumerate(texts, 1))
    return next(_hints.setdefault(task, cycle(hints)))
