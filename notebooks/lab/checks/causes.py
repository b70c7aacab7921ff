"""Why a function is wrong, in the notebook: by its names, its source, one call that is watched, or its answers.

The explanations are tried in this order; the first that is sure of something is told.
"""

import ast
import dis
import linecache
import re
import sys
import traceback
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from inspect import getsource, unwrap
from textwrap import dedent
from types import CodeType, FrameType
from typing import Any, NamedTuple

from lab.checks import calling, names, tasks
from lab.checks.calling import NOTHING, STOPS, Answer, Question
from lab.checks.exercise import Exercise, comparable
from lab.checks.source import LOOK, cause, certain, never_reached, shown_in
from lab.checks.verdict import CHANGES, Verdict, share_wrong
from lab.timeouts import Clock, explained, is_own
from ttt.board import Board, GameOver

VAGUE = (
    "",
    "no number",
    "never looks for a win",
    "no cell found",
    "always the same number",
)  # tell little of the cause
# What a search with right values does besides: no slip, so a repair would only switch it off.
IDEAS = ("boards asked again", "boards remembered", "deeper step by step", "moves in another order")
DOTS = "Your function still contains `...`. Replace it with your own code, run that cell, then this one."
NO_RETURN = (
    "Your function returns nothing where it ends {line}, and the call that asked goes on with `None`. Is a `return`"
    " missing there?"
)
MANY = (
    "Your function returns two or more things together {line}, and the call that asked goes on with all of them, as if"
    " they were the value. Return the value alone."
)
NO_RETURN_AT_END = "The function ends {line}. Is a `return` missing there?"
NONE_THERE = "It does so {line}. What stands after `return` is still `None` there."
MISSING = " Is a `return` missing, at its end or in one of its branches?"
HIDDEN = "Your function hides an error: {}. Catch only errors that you expect, or let them show."
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
        again, before = (
            one._replace(words=one.words.partition(", in line ")[0]) for one in (self.asked_again(), self.answer)
        )
        return comparable(again) != comparable(before)

    @cached_property
    def repair(self) -> str:
        """What a repair of the source proves: a cause with its line, or at least a line; or "", if nothing."""
        values = [answer.value for answer in self.answers]
        right = values == [case.value for case in self.exercise.asked[: len(values)]]
        enough = self.answer.fault == calling.WAITS or "comes more than once" in self.answer.words
        if enough or (self.found.mistake in IDEAS and right):  # each repair would wait, too
            return ""
        told = cause(self.function, self.exercise, self.answers, self.found.mistake in VAGUE)
        return told.replace("`return 0`", "`return False`") if self.exercise.returns == "truth" else told


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
    return "" if wrong.repair.startswith(LOOK) else wrong.repair


def _call(wrong: Wrong) -> str:
    """What is seen in one call: an error that is hidden, or `None` or several things returned where it calls itself."""
    function, fault, words = wrong.function, wrong.answer.fault, wrong.answer.words
    if wrong.repair or fault in calling.ENDS:
        return ""
    asks = [] if words else [wrong.question]
    if hidden := calling.hidden_error(wrong.exercise.through(function), asks):
        return HIDDEN.format(hidden.partition(" stopped with ")[2] or hidden)
    kind = next((kind for kind in ("NoneType", "tuple", "list") if f"'{kind}'" in words), "")
    steps = _returns(wrong) if kind or fault == NOTHING else []
    last = [one for one in steps if one.kind == "NoneType" and one.code is getattr(unwrap(function), "__code__", None)]
    if fault == NOTHING and last and wrong.found.mistake == NOTHING:
        there = NONE_THERE if "`return " in last[-1].line else NO_RETURN_AT_END
        return f"{wrong.found.sentence.replace(MISSING, '')} {there.format(line=last[-1].line)}"
    for one in steps:
        if one.kind == kind and one.code.co_name in (*calling.globals_read(one.code), *one.code.co_freevars):
            return (NO_RETURN if kind == "NoneType" else MANY).format(line=one.line)
    return ""


def _answers(wrong: Wrong) -> str:
    """What the answers prove, as far as the source has what it says; and a mistake or a line that the source shows."""
    known = shown_in(wrong.function, wrong.found.sentence) or share_wrong(wrong.exercise, wrong.found.wrong)
    fact = certain(wrong.function) if wrong.found.mistake in (*VAGUE, STOPS) else ""
    dead = never_reached(wrong.function)
    if fact:
        known = re.sub(r"\. .*", ".", known)  # without advice
    more = fact or dead or wrong.repair
    place = re.search("in (line [0-9]+: `)[^`]*`", more)
    if place and place[1] in known:
        more = more.replace(place[0], "there")
    return f"{known} {more}".strip()


EXPLANATIONS = (_names, _gaps, _source, _call, _answers)


class Return(NamedTuple):
    """A place where a student's own code returns `None`, or a list or tuple."""

    code: CodeType
    number: int  # of the line
    kind: str  # the name of its type

    @property
    def line(self) -> str:
        """Where it happened, in words."""
        return f"in line {self.number}: `{linecache.getline(self.code.co_filename, self.number).strip()}`"


def _returns(wrong: Wrong) -> list[Return]:
    """Where the student's own code returns no single value while the question that is shown is answered."""
    found: list[Return] = []
    asked = getattr(unwrap(wrong.function), "__code__", None)

    def look(frame: FrameType, event: str, what: Any) -> Any:
        code = frame.f_code
        if not is_own(frame) or len(found) > MAX_STEPS:
            return None
        returns = event == "return" and dis.opname[code.co_code[frame.f_lasti]].startswith("RETURN")
        if returns and (what is None or (code is asked and isinstance(what, tuple | list))):
            found.append(Return(code, frame.f_lineno or 0, type(what).__name__))
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
        return f"Your function calls `{other}`, which is not written yet{_cell_of(other, error)}. Write that one first."
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
    if isinstance(error, ZeroDivisionError) and (below := _divisor(told.partition(": `")[2])):
        return f"{told}. Here `{below}` is 0."
    if isinstance(error, ValueError) and "'-' is not in" in str(error):
        return f'{told}. Test whether it is there first, such as `if "-" in marks`.'
    return told


def _divisor(line: str) -> str:
    """What the only division in a line divides by; "" if there are several, or it can't be read."""
    with suppress(SyntaxError):
        nodes = ast.walk(ast.parse(line.rstrip("`")))
        signs = (ast.Div, ast.FloorDiv, ast.Mod)
        below = [node.right for node in nodes if isinstance(node, ast.BinOp) and isinstance(node.op, signs)]
        return ast.unparse(below[0]) if len(below) == 1 else ""
    return ""


def _cell_of(name: str, error: BaseException) -> str:
    """The cell that defines a function in which an error occurred, in brackets; "" if nobody knows."""
    *_, (frame, _) = traceback.walk_tb(error.__traceback__)
    places = names.bound(map(names.as_python, frame.f_globals.get("In", ()))).get(name)
    return f" (In [{places[-1].cell}])" if places else ""


def _calls(error: BaseException) -> list[tuple[Board, str]]:
    """The boards passed to a student's functions when an error occurred, each with the line being run."""
    calls = []
    for frame, number in traceback.walk_tb(error.__traceback__):
        code = frame.f_code
        board = frame.f_locals.get(code.co_varnames[0]) if code.co_argcount else None
        if isinstance(board, Board) and number and is_own(frame):
            calls.append((board, f"in line {number}: `{linecache.getline(code.co_filename, number).strip()}`"))
    return calls if len(calls) > 1 else []
