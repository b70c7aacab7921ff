"""Calls a student's function on one question and records the answer as plain data, in the notebook or the sandbox.

A question is a board and the function's other arguments: a player, a depth, the name of a heuristic. A heuristic is
passed as a function that records the calls it gets, in order, because they are part of the answer.
"""

from __future__ import annotations

import dis
import io
import re
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import redirect_stdout, suppress
from copy import deepcopy
from functools import lru_cache
from inspect import getsource, unwrap
from itertools import islice
from math import isinf
from traceback import walk_tb
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import Any, NamedTuple

from lab.timeouts import Clock, Waiting, explained, line_of
from ttt.board import Board, CellAssigned, Mark
from ttt.heuristics import Heuristic, as_number, open_lines

Question = tuple[Any, ...]  # a board and the other arguments
Function = Callable[..., Any]
Value = int | float | tuple[int, ...] | None  # what a function returned: a number, or cells in order
Explain = Callable[[BaseException, str], str]  # turns an error in the function of this name into a sentence
Noted = tuple[Heuristic, list[str]]  # a heuristic, and its calls
Kept = dict[tuple[int, str], tuple[Any, str, Any]]  # what a function keeps between calls: where, the name, and a copy

STOPS = "stops with an error"
ENDLESS = "endless loop"
WAITS = "waiting"
UNWRITTEN = "not written yet"
INTERRUPTED = "interrupted"
REFUSED = "not allowed here"
CHANGED = "the board changed"
RAISED = {STOPS, REFUSED, ENDLESS, WAITS, INTERRUPTED, CHANGED}  # reported before answers of the wrong type
NOTHING = "nothing returned"
COLLECTION = "collection returned"  # a tuple, a list, a dictionary, a set or an array
PRINTED = "printed instead of returned"
MOST_CALLS = 20_000  # calls of a heuristic per question; the largest tree in a question has fewer leaves
PLAIN = (int, float, str, tuple, list, dict, set, type(None))  # types of values that may be kept from call to call
TOO_LARGE = 10**15  # absolute value; no right value comes near it
LONGEST = 300  # max. characters of an answer or error message
SLIPS = (NameError, TypeError, AttributeError)  # errors that nobody raises on purpose
ENDS = (ENDLESS, WAITS, INTERRUPTED)  # stop asking after these
MAX_PRINTED = 1_000_000  # characters a call may print
MAX_PRINTED_LINE = 1000  # characters of the last line, in which a number is looked for
WRAPPED = ("func", "fget", "__func__", "__self__", "__wrapped__")  # where partials, methods and caches keep a function
MAX_OBJECTS = 1000  # to look at
HOPELESS = 100  # give up when the first 100 answers all fail in the same way,
SAMPLED = 97  # and so does every 97th of the others


class Answer(NamedTuple):
    """A function's answer to one question."""

    value: Value = None  # the number or cells returned; the number inside a text, if a text came instead
    asked: tuple[str, ...] = ()  # the calls of the heuristic, in order, as `written` writes them
    fault: str = ""  # the mistake that hides the answer, by name; "" if a number or cells were returned
    words: str = ""  # what came instead, or the error message with its line


plain_number = lru_cache(Answer)  # most functions give the same few numbers many times


def packed(answer: Answer) -> list[Any]:
    """Pack an answer for JSON."""
    return [answer.value, " ".join(answer.asked), answer.fault, answer.words]


def heuristic_named(name: str) -> Heuristic:
    """The heuristic of this name: "open-lines", or made-up numbers, such as "numbers to 9, seed".

    Made-up numbers are whole, for instance from -9 to 9, and depend only on the board, the player and the seed. With
    a small range there are many ties. Raises `ValueError` for any other name.
    """
    if name == "open-lines":
        return open_lines
    from hashlib import blake2b, sha256

    words, _, seed = name.partition(", ")
    most = words.removeprefix("numbers to ")
    if not most.isdecimal():
        raise ValueError(f"There is no heuristic {name!r}. The heuristics are `open-lines` and `numbers to N, seed`.")
    key, size = sha256(seed.encode()).digest(), 2 * int(most) + 1

    def made_up_number(board: Board, player: Mark) -> int:
        digest = blake2b(written(board, player).encode(), key=key, digest_size=8).digest()
        return int.from_bytes(digest, "big") % size - int(most)

    return made_up_number


def written(board: Board, player: Mark) -> str:
    """A call of a heuristic as text: the board's marks and the player."""
    return f"{''.join(board)}{player}"


def _noting(name: str) -> Noted:
    """A heuristic, and the list of its calls. Raises `TypeError` for wrong arguments, and gives up after `MOST_CALLS`.

    The heuristic inside can't be taken out: not by an attribute, and not from the frame of an error or of a method of
    a student's own board or player, since no such thing gets as far as `noted`.
    """
    says = heuristic_named(name)
    asked: list[str] = []

    def note(board: Board, player: Mark) -> Any:
        asked.append(written(board, player))
        return says(board, player)

    noted, number = _closed(note), _closed(lambda: len(asked))

    def heuristic(board: Board, player: Mark) -> Any:
        if type(board) is not Board or player not in ("X", "O"):
            raise TypeError(f"`heuristic` needs a board and a player, 'X' or 'O', not `{board!r}` and `{player!r}`")
        if number() == MOST_CALLS:
            raise TimeoutError
        return noted(board, "X" if player == "X" else "O")

    return _closed(heuristic), asked


def _closed(function: Function) -> Function:
    """The function without its closure and its names; the wrapper is not written in Python, so it has neither."""
    wrapper = lru_cache(0)(function)  # keeps nothing
    wrapper.__dict__.clear()
    return wrapper


def hidden_error(function: Function, questions: Iterable[Question], explain: Explain = explained) -> str:
    """The first slip that the function hides with `except` or `suppress`, in words; "" if there is none."""
    own = [one for one in used_by(function) if isinstance(one, FunctionType)]
    files = {one.__code__.co_filename for one in own}
    found: list[BaseException] = []

    def seen(frame: FrameType, event: str, about: Any) -> Any:
        if event == "exception" and issubclass(about[0], SLIPS):
            found.append(about[1])
        return seen if frame.f_code.co_filename in files else None

    for question in questions if any(map(_catches, own)) else ():
        found.clear()  # an error of an earlier question was not hidden
        sys.settrace(seen)
        try:
            answer = ask(function, question, Clock())
        finally:
            sys.settrace(None)
        if found and answer.fault not in RAISED:
            return shortened(explain(found[0], function.__name__))
    return ""


def _catches(function: Function) -> bool:
    """Whether a function's source says `except` or `suppress`, if it can be read."""
    with suppress(OSError, TypeError):
        return bool(re.search(r"\b(except|suppress)\b", getsource(function)))
    return False


def ask(
    function: Function,
    question: Question,
    clock: Clock,
    explain: Explain = explained,
    heuristics: dict[Question, Noted] | None = None,
) -> Answer:
    """Ask a function one question, whatever it may do. Inside `clock.ticking()`, it is stopped in time.

    A search gets a new heuristic, or, of those in `heuristics`, the one that it got with the same question before.
    """
    board, *given = question
    asked: list[str] = []
    searches = len(given) == 2 and isinstance(given[1], str)  # gets a depth and the name of a heuristic
    if searches:
        known = {} if heuristics is None else heuristics
        if question not in known:
            known[question] = _noting(given[1])
        given[1], asked = known[question]
        asked.clear()
    own = Board(board.shape, board.k, x=board.x, o=board.o)  # the function may tamper with this copy
    try:
        answer = taken(clock.run(function, own, *given), board, searches)
    except BaseException as error:
        return failure(error, getattr(function, "__name__", "Your function"), explain)
    if own != board:
        return Answer(None, (), CHANGED, "after the call, the board had other marks")
    return answer._replace(asked=tuple(asked)) if asked else answer


def answers(
    function: Function,
    questions: Sequence[Question],
    clock: Clock,
    explain: Explain = explained,
    once: int = 0,
    kept: Kept | None = None,
) -> Iterator[Answer]:
    """Ask a function all questions, until it is stopped, time runs out, or its answers all fail alike.

    Before each of the first `once` questions, what it keeps is put back, as now or in `kept`; the repeats find it kept.
    """
    faults = set[str]()
    kept = {} if kept is None else kept
    remember(function, kept)
    # A search that keeps values by heuristic finds them again only with the same one.
    repeated: dict[Question, Noted] = {}
    with clock.ticking(), redirect_stdout(_Page()) as page:

        def asked(count: int) -> Answer:
            if count < once:
                put_back(kept)
            page.seek(0)
            page.truncate()
            answer = ask(function, questions[count], clock, explain, repeated if count >= once else None)
            if page.tell() and answer.fault == NOTHING:
                answer = answer._replace(fault=PRINTED, value=number_in(page.getvalue()))
            hopeless = answer.value is None and answer.fault != COLLECTION  # the numbers in it may be right
            faults.add(answer.fault if hopeless else "")
            return answer

        for count in range(len(questions)):
            answer = asked(count)
            yield answer
            if answer.fault in ENDS or clock.over:
                return
            if count + 1 == HOPELESS and answer.fault and len(faults) == 1:
                others = range(HOPELESS, len(questions), SAMPLED)
                if all({asked(other).fault} == faults for other in others):
                    return


class _Page(io.StringIO):
    """What a call prints, which must have an end."""

    def write(self, text: str) -> int:
        if self.tell() + len(text) > MAX_PRINTED:
            raise ValueError(f"it prints more than {MAX_PRINTED:,} characters")
        return super().write(text)


def taken(returned: object, board: Board, searches: bool = False) -> Answer:
    """Turn a returned value into an `Answer`; anything but a number or cells gets the name of the mistake.

    What `searches` may return its value and more in a tuple or list, such as the best move; the first number is taken.
    """
    if type(returned) is int and -TOO_LARGE < returned < TOO_LARGE:
        return plain_number(returned)  # fast path for the usual case
    fault = "no number"
    if returned is None:
        fault = NOTHING
    elif isinstance(returned, str):
        return Answer(number_in(returned), (), "text returned", _described(returned[:LONGEST]))
    elif isinstance(returned, (tuple, list, set, frozenset)):
        return _taken_from_many(returned, board, searches)
    elif (found := as_number(returned)) is not None:
        if abs(found) < TOO_LARGE:
            return Answer(found)
        fault = "number too large"
    elif isinstance(several := _listed(returned), list):
        return Answer(_number_among(several, searches), (), COLLECTION, _described(returned))
    return Answer(None, (), fault, _described(returned))


def _listed(returned: Any) -> Any:
    """The values of a dictionary, or the elements of an array, as a list; anything else as it is."""
    if isinstance(returned, dict):
        return [*returned.values()]
    return returned.tolist() if type(returned).__name__ == "ndarray" else returned


def _taken_from_many(returned: Collection[Any], board: Board, searches: bool) -> Answer:
    """The cells returned; otherwise the only number, or the first one of what `searches`."""
    ordered = searches and isinstance(returned, (tuple, list))
    if len(returned) > LONGEST:  # more than are shown, and than any board has cells
        returned = [*islice(returned, LONGEST)]
    with suppress(TypeError, ValueError, IndexError):
        if not ordered:
            cells = tuple(sorted({board.cell(cell) for cell in returned}))
            words = _described(returned) if len(cells) < len(returned) else ""  # a cell twice is shown as it came
            return Answer(cells, words=words)
    return Answer(_number_among(returned, ordered), (), COLLECTION, _described(returned))


def _number_among(returned: Iterable[Any], first: bool) -> Value:
    """The only number of these, or the first one if that is asked for; None if there is none."""
    numbers = [number for one in returned if (number := as_number(one)) is not None and abs(number) < TOO_LARGE]
    return numbers[0] if numbers and (first or len(numbers) == 1) else None


def number_in(text: str) -> float | None:
    """The number in the last line of a text; None unless there is exactly one."""
    numbers = re.findall(r"[-−]?\d+(?:\.\d+)?", text[-MAX_PRINTED_LINE:].strip().rpartition("\n")[2])
    if len(numbers) != 1 or len(numbers[0]) > len(str(TOO_LARGE)):
        return None
    value = float(numbers[0].replace("−", "-"))
    return int(value) if value.is_integer() else value


def last_number(text: str) -> float | None:
    """The last number of a tuple, list or dict as Python writes it; None if there is none."""
    numbers = re.findall(r"(?<![\w.])-?\d+(?:\.\d+)?(?![\w.])", text)
    return float(numbers[-1]) if numbers else None


def remember(function: Function, kept: Kept) -> None:
    """Copy the plain data a function may keep between calls, except what was copied before."""
    for owner, name in _kept(function):
        with suppress(Exception):  # something inside may refuse to be copied
            value = owner[name] if isinstance(owner, dict) else getattr(owner, name)
            if (id(owner), name) not in kept:
                kept[id(owner), name] = owner, name, deepcopy(value)


def put_back(kept: Kept) -> None:
    """Restore what has changed in the data a function keeps."""
    for owner, name, value in kept.values():
        with suppress(Exception):  # or to be compared
            if isinstance(owner, dict) and owner[name] != value:
                owner[name] = deepcopy(value)
            elif not isinstance(owner, dict) and getattr(owner, name) != value:
                setattr(owner, name, deepcopy(value))


def forget(function: Function) -> None:
    """Empty the caches of a function and of what it uses."""
    for one in used_by(function):
        with suppress(Exception):  # a student's object may do anything
            one.cache_clear()


def _kept(function: Function) -> Iterator[tuple[Any, str]]:
    """Where a function may keep data: default values, and the outside names used by it and by what it calls."""
    for owner in used_by(function):
        if isinstance(owner, FunctionType):
            yield from ((owner, name) for name in ("__defaults__", "__kwdefaults__"))
            names = owner.__globals__
            known = {*globals_read(owner.__code__)} & names.keys()
            yield from ((names, name) for name in known if isinstance(names[name], PLAIN))
        inside = getattr(owner, "__dict__", {})
        yield from ((owner, name) for name, value in inside.items() if isinstance(value, PLAIN) and name[:2] != "__")


def used_by(function: Any) -> list[Any]:
    """The functions, classes and objects of a student's program that a function can reach; itself first."""
    inner = unwrap(getattr(function, "func", function))
    home = getattr(inner, "__module__", None) or type(inner).__module__
    found, left, seen = [], [function], set[int]()
    while left and len(seen) < MAX_OBJECTS:
        one = left.pop(0)
        if id(one) in seen or isinstance(one, ModuleType):
            continue
        seen.add(id(one))
        left += [getattr(one, name) for name in WRAPPED if name in dir(one)]
        left += closed_over(one)
        if getattr(one, "__module__", "") == home:
            found.append(one)
            if isinstance(one, FunctionType):
                left += [one.__globals__[name] for name in globals_read(one.__code__) if name in one.__globals__]
            else:
                left += [*vars(one).values(), *one.__bases__] if isinstance(one, type) else [type(one)]
    return found


def closed_over(function: Any) -> list[Any]:
    """What a function's closure holds."""
    found = []
    for cell in getattr(function, "__closure__", None) or ():
        with suppress(ValueError):  # empty
            found.append(cell.cell_contents)
    return found


@lru_cache(1000)
def globals_read(code: CodeType) -> tuple[str, ...]:
    """The global names that code reads, and the functions inside it, but no attributes."""
    return tuple(step.argval for step in instructions(code) if step.opname in ("LOAD_GLOBAL", "LOAD_NAME"))


def instructions(code: CodeType) -> Iterator[dis.Instruction]:
    """The instructions of code, and of the functions and comprehensions inside it."""
    yield from dis.get_instructions(code)
    for part in code.co_consts:
        if isinstance(part, CodeType):
            yield from instructions(part)


def _described(returned: object) -> str:
    if isinstance(returned, float) and isinf(returned):
        return "infinity" if returned > 0 else "−infinity"
    try:
        return shortened(repr(returned))
    except Exception:
        return f"a {type(returned).__name__} that can't be shown"


def shortened(text: str) -> str:
    """Shorten a text from outside, and escape surrogates, which can't be written to a file."""
    return text[:LONGEST].encode("utf-8", "backslashreplace").decode()


def failure(error: BaseException, name: str, explain: Explain = explained) -> Answer:
    """The answer of a function that raised an exception, possibly one of the student's own classes."""
    fault, words = STOPS, type(error).__name__
    if isinstance(error, TimeoutError):
        stopped = error.__context__ or error  # stopped by the clock, or by a heuristic called too often
        fault = WAITS if isinstance(error, Waiting) else ENDLESS
        words = shortened(line_of(stopped, name) or "")
    elif isinstance(error, KeyboardInterrupt):
        fault, words = INTERRUPTED, "it was interrupted"
    elif isinstance(error, NotYours):
        fault, words = REFUSED, str(error)
    else:
        with suppress(BaseException):
            words = shortened(explain(error, name))
        fault = CHANGED if isinstance(error, CellAssigned) else fault
        fault = UNWRITTEN if isinstance(error, NotImplementedError) and raised_by(error) == name else fault
    return Answer(None, (), fault, words)


def raised_by(error: BaseException) -> str:
    """The name of the function in which an error occurred."""
    return [frame.f_code.co_name for frame, _ in walk_tb(error.__traceback__)][-1]


class NotYours(Exception):
    """A function calls something that would do the student's work."""
