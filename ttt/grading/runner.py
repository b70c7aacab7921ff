"""What runs inside the jail: the submission's code, and the answers that it gives.

It reads all that it will be told (a line with the source, one with the questions) before any of the submission's code
runs, and writes a JSON line for each answer. It knows no right answer. Nobody trusts what it says: it is the
submission's own process, and the judge outside checks every line.
"""

import __future__

import ast
import gc
import io
import json
import os
import re
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from math import prod
from numbers import Real
from time import perf_counter
from types import ModuleType
from typing import Any, TextIO

from ttt.board import Board, geometry, position

STATEMENT_SECONDS = 0.5  # for each statement outside of functions
LEAST_SECONDS = 0.02  # for each of them once they have had a second in all
IMPORT_SECONDS = 2.0
QUESTION_SECONDS = 0.5  # of computing; a question that lasts from one such moment to the next is given up
MOST_GIVEN_UP = 2
MOST_THREADS = 16
MOST_KNOWN = 20_000  # positions whose lines are kept, which is some 15 MB
MOST = 10**15  # no heuristic comes near it
LONGEST = 200  # characters told of an answer that is no number
CELL_END = "\f"  # between the cells of a notebook
FUTURES = sum({getattr(__future__, name).compiler_flag for name in __future__.all_feature_names})
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)

# A line that only a notebook knows: %magic, !shell and ?help, also behind an equals sign, and help?
MAGIC = re.compile(r"(\s*)(?:(?:[\w.,\s*]+=\s*)?[%!?].*|[%\w.*]+\?{1,2}\s*)")
RUNS_ITS_CELL = ("%%time", "%%timeit", "%%capture", "%%prun")

# What shows, plays or measures: no value depends on it, so nothing stands in for it.
SHOWS = (
    *("ttt.arena", "ttt.checks", "ttt.plots", "ttt.svg", "ttt.widgets"),
    *("IPython", "IPython.display", "ipywidgets", "matplotlib", "matplotlib.pyplot"),
)
PLAYS = ("BoardView", "Game", "GameBoard", "Match", "Result", "exact", "match", "play", "plots", "svg")

lines_of: dict[str, list[str]] = {}  # the submission's text, by the file name that its cells are given


class Notice(io.TextIOBase):
    """An output that only notes that something was printed."""

    printed = False

    def write(self, text: str) -> int:
        self.printed = True
        return len(text)


class Nothing(ModuleType):
    """Stands in for what shows, plays or measures: takes every call, has every name, and does nothing."""

    def __call__(self, *_: object, **__: object) -> "Nothing":
        return self

    def __getattr__(self, name: str) -> "Nothing":
        if name.startswith("_"):
            raise AttributeError(name)
        return self

    def __iter__(self) -> Iterator[Any]:
        return iter(())


class TooLong(BaseException):
    """Something took too long."""


def main() -> None:
    order = json.loads(sys.stdin.buffer.readline())
    questions = json.loads(sys.stdin.buffer.readline() or "[]")
    answers, notice = private_output(), Notice()
    sys.stdout, sys.stderr = notice, Notice()
    settle()
    remember_lines()
    dumps, numbered, watch = json.dumps, asked(order, questions), Watch()
    function, problem = defined(order["source"], order["function"])
    answers.write(dumps({"problem": problem}) + "\n")
    answers.flush()
    notice.printed = False
    watch.begin()
    for number, board, player in numbered if function else ():
        watch.question = number
        answers.write(answered(number, function, board, player, dumps))
        if watch.ticked:  # what is known must not be lost to what comes
            watch.ticked = False
            answers.flush()
            if watch.given_up >= MOST_GIVEN_UP:
                problem = "it gave no answer on some boards and was stopped. Is there an endless loop?"
                break
    answers.write(dumps({"printed": notice.printed, "problem": problem}) + "\n")
    answers.flush()
    os._exit(0)


def asked(order: dict[str, Any], questions: list[int]) -> Iterator[tuple[int, Any, str]]:
    """Each question's number, board and player, which come as the number that a `judge.Question` is."""
    lines, size = geometry(tuple(order["shape"]), order["k"]), prod(order["shape"])
    rest = (1 << size) - 1
    for number, told in enumerate(questions, order["first"]):
        board = position(lines, told >> 3 + size, told >> 3 & rest, (None, "X", "O")[told >> 1 & 3])
        yield number, board, "XO"[told & 1]


def remember_lines() -> None:
    """Work out a board's lines once for each position: functions ask for them often, and from both sides."""
    known: dict[tuple[Any, int, int], Any] = {}
    work_out: Callable[[Any], Any] = vars(Board)["lines"].fget

    def lines(board: Any) -> Any:
        key = board._geometry, board._x, board._o
        found = known.get(key)
        if found is None:
            found = work_out(board)
            if len(known) < MOST_KNOWN:
                known[key] = found
        return found

    Board.lines = property(lines, doc=Board.lines.__doc__)  # type: ignore[assignment,method-assign]


def private_output() -> TextIO:
    """The pipe to the judge on a descriptor of its own, with the usual ones leading nowhere."""
    pipe = os.fdopen(os.dup(1), "w", encoding="ascii")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nowhere, descriptor)
    return pipe


def settle() -> None:
    """Make ready for the submission: few threads, and nothing that shows."""
    import ttt

    gc.set_threshold(50_000)
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_NPROC, (MOST_THREADS, MOST_THREADS))
    os.environ |= dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    sys.modules |= {name: Nothing(name) for name in SHOWS}
    vars(ttt).update({name: Nothing(name) for name in PLAYS})


class Watch:
    """Interrupts a question that takes too long."""

    def __init__(self) -> None:
        self.question = self.last = -1
        self.given_up = 0
        self.ticked = False

    def begin(self) -> None:
        signal.signal(signal.SIGPROF, self.tick)
        signal.setitimer(signal.ITIMER_PROF, QUESTION_SECONDS, QUESTION_SECONDS)

    def tick(self, _signal: int, _frame: object) -> None:
        self.ticked = True
        if self.question == self.last:
            self.given_up += 1
            raise TooLong
        self.last = self.question


# ---------------------------------------------------------------------------------------------- running a submission


def defined(source: str, name: str) -> tuple[Any, str]:
    """The function of that name once all of the source has been run, or None and what is wrong."""
    session = Session(name)
    for number, cell in enumerate(source.split(CELL_END)):
        session.read(cell, f"submission {number}")
    function = session.names.get(name)
    if callable(function):
        return function, ""
    return None, session.problem or f"there is no function {name}"


class Session:
    """The submission's names, as its cells are run."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.problem = ""
        self.running = False
        self.seconds = 1.0  # left for the statements outside of functions
        self.flags = 0  # of `from __future__ import ...`, which hold for all that follows
        module = sys.modules["submission"] = ModuleType("submission")
        self.names = vars(module)
        self.names |= {"display": Nothing("display"), "get_ipython": Nothing("get_ipython")}

    def read(self, cell: str, file: str) -> None:
        """Run a cell. One that can't be read is passed over, unless the function stands in it."""
        lines_of[file] = cell.split("\n")
        try:
            statements = parsed(cell, file)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            if re.search(rf"^\s*(async\s+)?def\s+{self.name}\b", cell, re.MULTILINE):
                self.names.pop(self.name, None)
                self.problem = f"the code can't be read: {told(error)}"
            return
        for statement in statements:
            for part in split(statement):
                self.run(part, file)

    def run(self, statement: ast.stmt, file: str) -> None:
        """Run a statement. One that fails is passed over, and remembered where it is to define the function."""
        failure = self.failure(statement, file)
        if failure and defines(statement, self.name):
            self.problem = failure
            if isinstance(statement, DEFINITIONS):
                self.names.pop(self.name, None)

    def failure(self, statement: ast.stmt, file: str) -> str:
        """What goes wrong in a statement, or ""; it is not left to run for long."""
        importing = isinstance(statement, (ast.Import, ast.ImportFrom))
        begun = perf_counter()
        try:
            code = compile(ast.Module([statement], []), file, "exec", self.flags, dont_inherit=True)
            self.flags |= code.co_flags & FUTURES
            self.running = True
            signal.signal(signal.SIGALRM, self.stop)
            limit = max(min(STATEMENT_SECONDS, self.seconds), LEAST_SECONDS)
            signal.setitimer(signal.ITIMER_REAL, IMPORT_SECONDS if importing else limit)
            exec(code, self.names)
        except BaseException as error:
            self.running = False
            return told(error)
        finally:
            self.running = False
            signal.setitimer(signal.ITIMER_REAL, 0)
            self.seconds -= 0 if importing else perf_counter() - begun
        return ""

    def stop(self, _signal: int, _frame: object) -> None:
        if self.running:
            raise TooLong


def parsed(cell: str, file: str) -> list[ast.stmt]:
    """A cell's statements. A line that Python stumbles over and a notebook knows does nothing."""
    lines = cell.split("\n")
    first = next((number for number, line in enumerate(lines) if line.strip()), 0)
    if lines[first].startswith("%%"):
        if lines[first].split()[0] not in RUNS_ITS_CELL:
            return []
        lines[first] = ""
    while True:
        try:
            return ast.parse("\n".join(lines), file).body
        except SyntaxError as error:
            number = (error.lineno or 0) - 1
            magic = MAGIC.fullmatch(lines[number]) if 0 <= number < len(lines) else None
            if magic is None:
                raise
            lines[number] = f"{magic[1]}pass"


def split(statement: ast.stmt) -> Iterator[ast.stmt]:
    """An import of several names as one for each, so that a missing one does not lose the others."""
    if isinstance(statement, ast.ImportFrom):
        for alias in statement.names:
            yield ast.copy_location(ast.ImportFrom(statement.module, [alias], statement.level), statement)
    elif isinstance(statement, ast.Import):
        for alias in statement.names:
            yield ast.copy_location(ast.Import([alias]), statement)
    else:
        yield statement


def defines(statement: ast.stmt, name: str) -> bool:
    """Whether a statement is there to define a name."""
    return any(
        (isinstance(node, DEFINITIONS) and node.name == name)
        or (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id == name)
        for node in ast.walk(statement)
    )


# ---------------------------------------------------------------------------------------------- telling what it says


def answered(number: int, function: Any, board: Any, player: str, dumps: Callable[[Any], str]) -> str:
    """The line that tells what the function says: its number, or in words what came instead."""
    try:
        value = function(board, player)
        exact = value if type(value) is int and -MOST < value < MOST else exactly(value)
        return f"[{number},{exact}]\n" if exact is not None else dumps([number, "odd", described(value)]) + "\n"
    except NotImplementedError:
        return dumps([number, "stub", ""]) + "\n"
    except BaseException as error:
        return dumps([number, "odd", told(error)]) + "\n"


def exactly(value: Any) -> int | float | None:
    """An exact int or float for every kind of number; None for what is none."""
    kind = type(value)
    if kind is int:
        return value if -MOST < value < MOST else None
    if kind is float:
        return value if value - value == 0 else None
    if kind.__module__ in ("numpy", "fractions", "decimal") and (isinstance(value, Real) or kind.__name__ == "Decimal"):
        with suppress(OverflowError):
            exact = float(value)
            return exactly(int(exact) if exact.is_integer() else exact)
    return None


def described(value: object) -> str:
    """An answer that is no number, in words."""
    kind = type(value)
    if value is None:
        return "None"
    if kind.__name__ in ("float", "float16", "float32", "float64", "Decimal"):
        return "infinity" if value == value else "NaN"
    start = {str: "the text ", int: "the number ", bool: ""}.get(kind, f"a {kind.__name__} ")
    try:
        text = repr(value[:LONGEST] if kind is str else value)  # type: ignore[index]
    except BaseException:
        return f"{start}that can't be written out"[:LONGEST]
    return (start if text.startswith("<") else start + text)[:LONGEST].strip()


def told(error: BaseException) -> str:
    """An exception in one line, with the line of the submission that it came from."""
    try:
        message = error.msg if isinstance(error, SyntaxError) else str(error)
        said = "no answer in time, an endless loop?" if type(error) is TooLong else f"{type(error).__name__}: {message}"
        return said[:LONGEST] + place(error)
    except BaseException:
        return "an error that can't be told"


def place(error: BaseException) -> str:
    """Where in the submission an error came from, with what stands there."""
    file, number, trace = "", 0, error.__traceback__
    while trace:
        if trace.tb_frame.f_code.co_filename in lines_of:
            file, number = trace.tb_frame.f_code.co_filename, trace.tb_lineno
        trace = trace.tb_next
    if isinstance(error, SyntaxError) and error.filename in lines_of:
        file, number = error.filename, error.lineno or 0
    if not 0 < number <= len(lines_of.get(file, ())):
        return ""
    return f" (line {number}: {lines_of[file][number - 1].strip()[:80]})"


if __name__ == "__main__":
    main()
