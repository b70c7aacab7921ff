"""Why a function is wrong, in the notebook: by its names, its source, one call that is watched, or its answers.

The explanations are tried in this order; the first that is sure of something is told.
"""

import ast
import dis
import linecache
import sys
import traceback
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from inspect import getsource, unwrap
from textwrap import dedent
from types import CodeType, FrameType
from typing import Any

from lab.checks import calling, names, tasks
from lab.checks.calling import NOTHING, STOPS, Answer, Question
from lab.checks.exercise import Exercise, comparable
from lab.checks.source import cause, shown_in
from lab.checks.verdict import CHANGES, Verdict, share_wrong
from lab.timeouts import Clock, explained, is_own
from ttt.board import Board, GameOver

# What a search with right values does besides: no slip, so a repair would only switch it off.
IDEAS = ("boards asked again", "boards remembered", "deeper step by step", "moves in another order")
DOTS = "Your function still contains `...`. Replace it with your own code, run that cell, then this one."
NO_RETURN = (
    "Your function returns nothing where it ends {line}, and the call that asked goes on with `None`. Is a `return`"
    " missing there?"
)
MISSING = " Is a `return` missing, at its end or in one of its branches?"
HIDDEN = "An `except` in your function hides an error: {}. Catch only errors that you expect, or leave out `try`."
MAX_STEPS = 10_000  # to watch


@dataclass(frozen=True)
class Wrong:
    """A wrong function, with its answers and what they prove."""

    function: Callable[..., Any]
    exercise: Exercise
    answers: Sequence[Answer]
    found: Verdict
    changed: Sequence[str]  # the outside data that have changed from call to call

    @property
    def answer(self) -> Answer:
        """The answer that is shown."""
        return self.answers[self.found.place]

    @property
    def question(self) -> Question:
        """The question that is shown."""
        return self.exercise.questions[self.found.place]

    def asked_again(self) -> Answer:
        """The answer to that question, when it is asked once more and no cache knows it."""
        calling.forget(self.function)
        return next(calling.answers(self.exercise.through(self.function), [self.question], Clock(), with_cause))

    @property
    def keeps(self) -> bool:
        """Whether it gives another answer when it is asked once more; the line of an error may not be the same."""
        if self.answer.fault in calling.ENDS:
            return False
        both = (self.asked_again(), self.answer)
        again, before = (one._replace(words=one.words.partition(", in line ")[0]) for one in both)
        return comparable(again) != comparable(before)


def why(wrong: Wrong) -> str:
    """Why a function is wrong, in a sentence or a few."""
    return next(filter(None, (explain(wrong) for explain in EXPLANATIONS)))


def _names(wrong: Wrong) -> str:
    """What is odd about the names that the function uses, if that explains its answers."""
    function, cells = wrong.function, cells_of(wrong.function)
    stops = wrong.found.sentence if wrong.answer.fault == STOPS else ""
    odd = remarks(function, wrong.exercise, wrong.changed)

    def helps(kind: str) -> bool:
        with names.as_before(function, [one for one in odd if one.kind == kind], cells):
            return wrong.exercise.asked[wrong.found.place].bettered_by(wrong.asked_again(), wrong.answer)

    changes = next((one.sentence for one in wrong.found.mistakes if one.name == CHANGES), "")
    fits = names.fitting(odd, stops, changes, False, helps)
    if not fits:
        return ""
    only_follows = {one.kind for one in fits} == {"order"}  # the error from it
    return "\n".join([*names_told(fits, wrong.exercise, cells), *([stops] if stops and not only_follows else [])])


def _gaps(wrong: Wrong) -> str:
    return DOTS if gaps_in(wrong.function) else ""


def _source(wrong: Wrong) -> str:
    """A slip that the source shows, and whose repair makes all answers right."""
    exercise, answers = wrong.exercise, wrong.answers
    right = all(answer.value == case.value for answer, case in zip(answers, exercise.asked, strict=False))
    if wrong.found.mistake in IDEAS and right:
        return ""
    return cause(wrong.function, exercise, answers)


def _call(wrong: Wrong) -> str:
    """What is seen in one call: an error that is hidden, or where `None` is returned."""
    function, fault, words = wrong.function, wrong.answer.fault, wrong.answer.words
    if fault in calling.ENDS:
        return ""
    if not words and (hidden := calling.hidden_error(wrong.exercise.through(function), [wrong.question])):
        return HIDDEN.format(hidden.partition(" stopped with ")[2] or hidden)
    if wrong.found.mistake == NOTHING:
        own = [line for code, line in _nothing_returned(wrong) if code is getattr(unwrap(function), "__code__", None)]
        told = wrong.found.sentence.replace(MISSING, "") if own and "`return " in own[-1] else wrong.found.sentence
        return f"{told} It does so {own[-1]}." if own else ""
    for code, line in _nothing_returned(wrong) if "'NoneType'" in words else ():
        if code.co_name in (*calling.globals_read(code), *code.co_freevars):  # calls itself
            return NO_RETURN.format(line=line)
    return ""


def _answers(wrong: Wrong) -> str:
    """What the answers prove, as far as the source has what it says."""
    return shown_in(wrong.function, wrong.found.sentence) or share_wrong(wrong.exercise, wrong.found.wrong)


EXPLANATIONS = (_names, _gaps, _source, _call, _answers)


def _nothing_returned(wrong: Wrong) -> list[tuple[CodeType, str]]:
    """Where the student's own code returns `None` while the question that is shown is answered, with the lines."""
    found: list[tuple[CodeType, str]] = []

    def look(frame: FrameType, event: str, what: Any) -> Any:
        code = frame.f_code
        if not is_own(frame) or len(found) > MAX_STEPS:
            return None
        if event == "return" and what is None and dis.opname[code.co_code[frame.f_lasti]].startswith("RETURN"):
            text = linecache.getline(code.co_filename, frame.f_lineno or 0).strip()
            found.append((code, f"in line {frame.f_lineno}: `{text}`"))
        return look

    before = sys.gettrace()
    sys.settrace(look)
    try:
        calling.ask(wrong.exercise.through(wrong.function), wrong.question, Clock())
    finally:
        sys.settrace(before)
    return found


# ------------------------------------------------------------------------------------------- names, gaps and errors


def cells_of(function: Callable[..., Any]) -> Sequence[str]:
    """The cells that this notebook has run, by number, as Python."""
    own = names.behind(function)
    return (*map(names.as_python, own[0].__globals__.get("In", ()) if own else ()),)


def remarks(function: Callable[..., Any], exercise: Exercise, changed: Sequence[str] = ()) -> list[names.Remark]:
    """What is odd about the names that a wrong function uses."""
    with suppress(Exception):  # a student's object may do anything when it is looked at
        return names.remarks(function, exercise.takes, names.bound(cells_of(function)), changed=changed)
    return []


def names_told(found: Iterable[names.Remark], exercise: Exercise, cells: Sequence[str]) -> list[str]:
    call = f"{exercise.function or exercise.name}({', '.join(exercise.takes)})"
    return names.told(found, call, cells, "In [{}]")


def gaps_in(function: Callable[..., Any]) -> int:
    """How many `...` a function contains, as where a lesson leaves a gap; those in type hints don't count."""
    with suppress(OSError, TypeError, SyntaxError):  # the source can't be read
        nodes = [*ast.walk(ast.parse(dedent(getsource(unwrap(function)))))]
        types = [part for node in nodes if isinstance(node, ast.Subscript) for part in ast.walk(node.slice)]
        return sum(isinstance(node, ast.Constant) and node.value is ... and node not in types for node in nodes)
    return 0


def with_cause(error: BaseException, name: str) -> str:
    """An error as a sentence, with the student's line, and the cause if a recursion fails."""
    told = explained(error, name)
    if isinstance(error, NotImplementedError) and (other := calling.raised_by(error)) != name:
        return f"Your function calls `{other}`, which is not written yet. Write that one first."
    if isinstance(error, RecursionError) and (calls := _calls(error)):
        (before, line), (last, _) = calls[-2:]
        if before == last:
            told = f"Your function calls itself again with the same board, {line}, so it never ends."
            return f"{told} Call it with another board, such as `board.play(move)`, or not at all."
        return f"Your function never stops calling itself, {line}. Does it `return` when the game is over?"
    ended = isinstance(error, GameOver) or (isinstance(error, ValueError) and "empty" in str(error))
    if ended and any(name in calling.globals_read(frame.f_code) for frame, _ in traceback.walk_tb(error.__traceback__)):
        return f"{told}. Does it `return` a value when the game is over, also after a draw?"
    if type(error) is NameError and (where := tasks.of_a_lesson(error.name)):
        return f"{told}. {where}"
    return told


def _calls(error: BaseException) -> list[tuple[Board, str]]:
    """The boards passed to a student's functions when an error occurred, each with the line being run."""
    calls = []
    for frame, number in traceback.walk_tb(error.__traceback__):
        code = frame.f_code
        board = frame.f_locals.get(code.co_varnames[0]) if code.co_argcount else None
        if isinstance(board, Board) and number and is_own(frame):
            calls.append((board, f"in line {number}: `{linecache.getline(code.co_filename, number).strip()}`"))
    return calls if len(calls) > 1 else []
