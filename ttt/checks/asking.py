"""Asking a student's function one question, and taking its answer as plain data: in the notebook and in the sandbox.

A question is a board and what else the function is given: a player, a depth, the name of a heuristic. A heuristic is
handed over as a function that notes what it is asked, in order, since that is part of the answer.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout, suppress
from contextvars import ContextVar
from copy import deepcopy
from functools import cache, lru_cache, wraps
from math import inf, isinf
from pkgutil import resolve_name
from types import CodeType, FunctionType, MappingProxyType
from typing import Any, NamedTuple

from ttt.board import Board, Mark, copy
from ttt.heuristics import Heuristic, number, open_lines
from ttt.runtime.limits import Clock, explained, line_of

Question = tuple[Any, ...]  # a board, and what else the function is given
Function = Callable[..., Any]
Value = int | float | tuple[int, ...] | None  # what a function returned: a number, or cells in their order
Explain = Callable[[BaseException, str], str]  # a sentence on an error, for a function of this name

STOPS = "stops with an error"
ENDLESS = "endless loop"
UNWRITTEN = "not written yet"
INTERRUPTED = "interrupted"
REFUSED = "not allowed here"
CHANGED = "the board changed"
NOTHING = "nothing returned"
PRINTED = "printed instead of returned"
PLAIN = (int, float, str, tuple, list, dict, set, type(None))  # types of what is kept from call to call
MOST_CALLS = 20_000  # of a heuristic, for one question; the largest tree that is asked about has fewer leaves
TOO_LARGE = 10**15  # in size; no value comes near it
LONGEST = 300  # characters of an answer or an error in words
ENDS = (ENDLESS, INTERRUPTED)  # after which no more is asked
HOPELESS = 100  # answers from the first on that fail in the same way; then no more is asked


class Answer(NamedTuple):
    """What a function answered."""

    value: Value = None  # the number or the cells that it returned; what stands in a text, where that came instead
    asked: tuple[str, ...] = ()  # what it asked its heuristic, in order, as `written` writes it
    fault: str = ""  # the name of the mistake in the way of answering; "" if a number or cells were returned
    words: str = ""  # what came instead, or the error with its line

    @property
    def digest(self) -> str:
        """A digest of what was asked; "" if nothing was."""
        if not self.asked:
            return ""
        from hashlib import sha256  # which takes a while to load

        return sha256(" ".join(self.asked).encode()).hexdigest()[:16]


plain_number = lru_cache(Answer)  # most functions answer few numbers many times


def packed(answer: Answer) -> list[Any]:
    """An answer as JSON holds it."""
    return [answer.value, " ".join(answer.asked), answer.fault, answer.words]


def unpacked(data: object) -> Answer:
    """The answer that `packed` made plain. Raises `ValueError` for anything else, since anybody may have written it."""
    match data:
        case [list() | tuple() as cells, str(asked), str(fault), str(words)]:
            value: Value = tuple(cells)
            sound = all(type(cell) is int and 0 <= cell < 10**4 for cell in cells)
        case [None, str(asked), str(fault), str(words)]:
            value, sound = None, bool(fault)
        case [int() | float() as value, str(asked), str(fault), str(words)]:
            sound = not isinstance(value, bool) and abs(value) < TOO_LARGE
        case _:
            sound = False
    if not sound:
        raise ValueError("This is no answer.")
    return Answer(value, tuple(asked.split()), fault[:60], _clean(words))


def packed_question(question: Question) -> list[Any]:
    """A question as JSON holds it: the board's marks, shape and k, and the rest as it is."""
    board, *rest = question
    return ["".join(board), list(board.shape), board.k, *rest]


def unpacked_question(data: Sequence[Any]) -> Question:
    """The question that `packed_question` made plain."""
    marks, shape, k, *rest = data
    return (Board.from_text(marks, tuple(shape), k), *rest)


def heuristic_named(name: str) -> Heuristic:
    """The heuristic that a question names: "open-lines", or made-up numbers, as "numbers to 9, seed".

    Made-up numbers are whole, from -9 to 9 for instance, and depend on the board, the player and the seed alone. With
    few of them there are many ties. Raises `ValueError` for any other name.
    """
    if name == "open-lines":
        return open_lines
    from hashlib import blake2b, sha256

    words, _, seed = name.partition(", ")
    most = words.removeprefix("numbers to ")
    if not most.isdecimal():
        raise ValueError(f"There is no heuristic {name!r}: it is open-lines, or numbers to N, seed.")
    key, size = sha256(seed.encode()).digest(), 2 * int(most) + 1

    def made_up_number(board: Board, player: Mark) -> int:
        digest = blake2b(written(board, player).encode(), key=key, digest_size=8).digest()
        return int.from_bytes(digest, "big") % size - int(most)

    return made_up_number


def written(board: Board, player: Mark) -> str:
    """What a heuristic is asked, as text: the board's marks and the player."""
    return f"{''.join(board)}{player}"


def _noting(name: str, asked: list[str]) -> Heuristic:
    """A heuristic that notes what it is asked. It raises `TypeError` for what is no question, and at last gives up."""
    says = heuristic_named(name)

    def heuristic(board: Board, player: Mark) -> Any:
        if not isinstance(board, Board) or player not in ("X", "O"):
            raise TypeError(f"heuristic(board, player) needs a Board and 'X' or 'O', not {board!r} and {player!r}")
        if len(asked) == MOST_CALLS:
            raise TimeoutError
        asked.append(written(board, player))
        return says(board, player)

    return heuristic


def ask(function: Function, question: Question, clock: Clock, explain: Explain = explained) -> Answer:
    """What a function answers to a question, whatever it does. Inside `clock.ticking()`, it is stopped in time."""
    board, *given = question
    asked: list[str] = []
    if len(given) == 2 and isinstance(given[1], str):  # a depth, and the name of a heuristic
        given[1] = _noting(given[1], asked)
    own = copy(board)  # which may be tampered with
    try:
        answer = taken(clock.run(function, own, *given), board)
    except BaseException as error:
        return _failure(error, getattr(function, "__name__", "Your function"), explain)
    if own != board:
        return Answer(None, (), CHANGED, "after the call the board's marks were different")
    return answer._replace(asked=tuple(asked)) if asked else answer


def answers(
    function: Function, questions: Iterable[Question], clock: Clock, explain: Explain = explained, once: float = inf
) -> Iterator[Answer]:
    """What a function answers to questions, until it is stopped, the clock has run out, or the first all fail alike.

    After so many questions, asked `once`, they come again: before each, what the function keeps is put back.
    """
    faults = set()
    put_back = remembered(function)
    with clock.ticking(), redirect_stdout(io.StringIO()) as page:
        for count, question in enumerate(questions, 1):
            if count > once:
                put_back()
            answer = ask(function, question, clock, explain)
            if page.tell():
                if answer.fault == NOTHING:
                    answer = answer._replace(fault=PRINTED, value=number_in(page.getvalue()))
                page.seek(0)
                page.truncate()
            yield answer
            faults.add(answer.fault if answer.value is None else "")
            if answer.fault and (answer.fault in ENDS or (count == HOPELESS and faults == {answer.fault})):
                return
            if clock.over:
                return


def taken(returned: object, board: Board) -> Answer:
    """What was returned about a board, as plain data, or with the name of the mistake if it is nothing of the kind."""
    if type(returned) is int and -TOO_LARGE < returned < TOO_LARGE:
        return plain_number(returned)  # the usual case, decided quickly
    fault = "no number"
    if returned is None:
        fault = NOTHING
    elif isinstance(returned, str):
        return Answer(number_in(returned), (), "text returned", _described(returned))
    elif isinstance(returned, (tuple, list, set, frozenset)):
        with suppress(TypeError, ValueError, IndexError):
            return Answer(tuple(sorted({board.cell(cell) for cell in returned})))
        fault = "tuple returned"
        if len(returned) == 1 and (found := number(next(iter(returned)))) is not None and abs(found) < TOO_LARGE:
            return Answer(found, (), fault, _described(returned))
    elif (found := number(returned)) is not None:
        if abs(found) < TOO_LARGE:
            return Answer(found)
        fault = "number too large"
    return Answer(None, (), fault, _described(returned))


def number_in(text: str) -> float | None:
    """The one number in the last line of a text; None if there is none, or more than one."""
    numbers = re.findall(r"[-−]?\d+(?:\.\d+)?", text.strip().rpartition("\n")[2])
    if len(numbers) != 1 or len(numbers[0]) > len(str(TOO_LARGE)):
        return None
    value = float(numbers[0].replace("−", "-"))
    return int(value) if value.is_integer() else value


def remembered(function: Function) -> Callable[[], None]:
    """Copy the plain data that a function may keep from call to call; what is returned puts back what has changed."""
    copies = []
    for owner, name in _kept(function):
        with suppress(Exception):  # a copy of something inside may be refused
            copies.append((owner, name, deepcopy(owner[name] if isinstance(owner, dict) else getattr(owner, name))))

    def put_back() -> None:
        for owner, name, value in copies:
            with suppress(Exception):  # to be compared, too
                if isinstance(owner, dict) and owner[name] != value:
                    owner[name] = deepcopy(value)
                elif not isinstance(owner, dict) and getattr(owner, name) != value:
                    setattr(owner, name, deepcopy(value))

    return put_back


def _kept(function: Function) -> Iterator[tuple[Any, str]]:
    """Where a function may keep something: default values, and what it and what it uses name outside of themselves."""
    names = getattr(function, "__globals__", {})
    left, seen = [function], set()
    while left:
        owner = left.pop()
        seen.add(id(owner))
        used = [*vars(owner).values()] if isinstance(owner, type) else [type(owner)]
        if isinstance(owner, FunctionType):
            yield from ((owner, name) for name in ("__defaults__", "__kwdefaults__"))
            mentioned = _mentioned(owner.__code__) & names.keys()
            yield from ((names, name) for name in mentioned if isinstance(names[name], PLAIN))
            used = [names[name] for name in mentioned]
        inside = getattr(owner, "__dict__", {})
        yield from ((owner, name) for name, value in inside.items() if isinstance(value, PLAIN) and name[:2] != "__")
        left += [one for one in used if id(one) not in seen and getattr(one, "__module__", "") == names.get("__name__")]


def _mentioned(code: CodeType) -> set[str]:
    """The names outside of itself that code mentions, in functions inside of it, too."""
    inside = (_mentioned(part) for part in code.co_consts if isinstance(part, CodeType))
    return {*code.co_names}.union(*inside)


def _described(returned: object) -> str:
    if isinstance(returned, float) and isinf(returned):
        return "infinity" if returned > 0 else "−infinity"
    try:
        return _clean(repr(returned))
    except Exception:
        return f"a {type(returned).__name__} that can't be written out"


def _clean(text: str) -> str:
    """A text from outside: short, and without surrogates, which can't be written to a file."""
    return text[:LONGEST].encode("utf-8", "backslashreplace").decode()


def _failure(error: BaseException, name: str, explain: Explain) -> Answer:
    """The answer of a function of this name that raised an exception, which may be of the student's own class."""
    fault, words = STOPS, type(error).__name__
    if isinstance(error, TimeoutError):
        stopped = error.__context__ or error  # by the clock, or by a heuristic that was asked too often
        fault, words = ENDLESS, _clean(line_of(stopped, name) or "")
    elif isinstance(error, KeyboardInterrupt):
        fault, words = INTERRUPTED, "it was interrupted"
    elif isinstance(error, NotYours):
        fault, words = REFUSED, str(error)
    else:
        with suppress(BaseException):
            fault = CHANGED if str(error).startswith("A board never changes") else fault
            words = _clean(explain(error, name))
        fault = UNWRITTEN if isinstance(error, NotImplementedError) else fault
    return Answer(None, (), fault, words)


class NotYours(Exception):
    """A function calls what would do the student's work."""


# What the function that this thread asks may not call, each with the sentence that it gets.
_withheld: ContextVar[Mapping[str, str]] = ContextVar("withheld", default=MappingProxyType({}))


@contextmanager
def withheld(calls: Iterable[str], sentence: str) -> Iterator[None]:
    """Have methods, such as "ttt.heuristics.LineWeights.__call__", raise `NotYours` with this sentence for a while.

    They do so in this thread alone: a game that is thinking in another one is not disturbed.
    """
    for call in calls:
        _guard(call)
    before = _withheld.set(dict.fromkeys(calls, sentence))
    try:
        yield
    finally:
        _withheld.reset(before)


@cache
def _guard(call: str) -> None:
    """Have a method look, from now on, whether it may be called."""
    path, _, name = call.rpartition(".")
    owner = resolve_name(path)
    method = getattr(owner, name)

    @wraps(method)
    def guarded(*given: Any, **named: Any) -> Any:
        if call in _withheld.get():
            raise NotYours(_withheld.get()[call])
        return method(*given, **named)

    setattr(owner, name, guarded)
