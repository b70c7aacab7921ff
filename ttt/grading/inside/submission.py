"""A submission, read inside the sandbox: its cells are run one statement at a time, and what fails is passed over.

What shows, plays or measures is replaced by a stand-in that does nothing. What goes wrong is put into words, with the
line of the submission that it came from.
"""

from __future__ import annotations
import __future__

import ast
import gc
import io
import os
import re
import signal
import sys
import time
from collections.abc import Callable, Collection, Iterator
from functools import lru_cache
from math import inf
from types import FrameType, ModuleType
from typing import Any, TextIO

import ttt
from ttt.board import Board

# Seconds of computing rather than of waiting, so that a busy machine changes nothing. pandas takes half a second, and
# four where Python has not compiled it before.
ALL_SECONDS = {"imports": 8.0, "statements": 1.0}  # for all of a kind outside of functions
MOST_SECONDS = {"imports": 8.0, "statements": 0.5}  # for each
LEAST_SECONDS = 0.05  # for each in any case
PATIENCE = 20.0  # seconds with waiting
MOST_BOARDS = 20_000  # whose lines are remembered, which takes some 15 MB
NO_ANSWER = "no answer in time: is there an endless loop?"
LONGEST = 200  # characters of an answer or an error in words
CELL_END = "\f"  # stands between the cells of a notebook
FUTURES = sum({getattr(__future__, name).compiler_flag for name in __future__.all_feature_names})
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)

# A line that only a notebook knows: %magic, !shell and ?help, also behind an equals sign, and help?
MAGIC = re.compile(r"(\s*)(?:(?:[\w.,*][\w.,\s*]*=\s*)?[%!?].*|[%\w.*]+\?{1,2}\s*)")
RUNS_ITS_CELL = ("%%time", "%%timeit", "%%capture", "%%prun")

# What shows, plays or measures: no value depends on it.
SHOWS = (
    *("ttt.arena", "ttt.checks", "ttt.exercises", "ttt.plots", "ttt.svg", "ttt.widgets"),
    *("IPython", "IPython.display", "ipywidgets", "matplotlib", "matplotlib.pyplot"),
)
GIVEN = ("Board", "opponent")  # which the notebook imports from ttt, so that a program may be without
PLAYS = ("BoardView", "Game", "GameBoard", "Match", "Result", "exact", "match", "play", "plots", "svg")

lines_of: dict[str, list[str]] = {}  # the submission's text, by the file name that each of its cells is given
missing: dict[str, str] = {}  # why there is no such name: what the statement that should define it stopped with


class Output(io.TextIOBase):
    """An output that only remembers whether something was printed."""

    printed = False

    def write(self, text: str) -> int:
        self.printed = True
        return len(text)


class StandIn(ModuleType):
    """Stands in for what shows, plays or measures: has every name, takes every call, and does nothing."""

    def __call__(self, *_: object, **__: object) -> StandIn:
        return self

    def __getattr__(self, name: str) -> StandIn:
        if name.startswith("_"):
            raise AttributeError(name)
        return self

    def __iter__(self) -> Iterator[Any]:
        return iter(())


class TooLong(BaseException):
    """A statement or an answer took too long."""


# ---------------------------------------------------------------------------------------------- before it is read


def private_output() -> TextIO:
    """The pipe to the judge on a descriptor of its own; the usual descriptors lead nowhere from now on."""
    pipe = os.fdopen(os.dup(1), "w", encoding="ascii")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nowhere, descriptor)
    return pipe


class Absent:
    """Says why a part of ttt can't be imported, where it would do the student's work."""

    def __init__(self, names: Collection[str]) -> None:
        self.modules = {f"ttt.{name}" for name in names}
        ttt.__all__ = [name for name in ttt.__all__ if f"ttt.{ttt._MODULE[name]}" not in self.modules]

    def find_spec(self, fullname: str, _path: object, _target: object = None) -> None:
        """Leave a module to Python's other finders. Raises `ImportError` if it is absent."""
        if ".".join(fullname.split(".")[:2]) in self.modules:
            raise ImportError(f"{fullname} is not there: in this exercise the search is yours to write")


def prepare(absent: Collection[str] = ()) -> None:
    """Make ready for the submission: stand-ins for what shows, no waiting, and lines worked out once for a board.

    Args:
        absent: the parts of ttt that are not there.
    """
    sys.meta_path.insert(0, Absent(absent))
    gc.set_threshold(50_000)
    threads = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
    os.environ |= dict.fromkeys((*threads, "TQDM_DISABLE"), "1")
    sys.modules |= {name: StandIn(name) for name in SHOWS}
    vars(ttt).update({name: StandIn(name) for name in PLAYS})
    time.sleep = lambda _seconds: None
    work_out: Callable[[Board], Any] = vars(Board)["lines"].fget
    Board.lines = property(lru_cache(MOST_BOARDS)(work_out), doc=work_out.__doc__)  # type: ignore[assignment,method-assign]


# ---------------------------------------------------------------------------------------------- reading it


def function_in(source: str, name: str) -> tuple[Any, str, bool]:
    """The function of that name, or None, what is wrong, and whether a statement took too long and was stopped."""
    session = Session(name)
    for number, cell in enumerate(source.split(CELL_END)):
        session.read(cell, f"submission {number}")
    function = session.names.get(name)
    if callable(function):
        return function, "", session.late
    return None, session.problem or f"there is no function {name}", session.late


class Session:
    """The submission's names, as its cells are run."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.problem = ""
        self.running = self.imports = False
        self.late = False  # whether something was given up because it took too long
        self.left = dict(ALL_SECONDS)
        self.flags = 0  # of `from __future__ import ...`, which hold for all that follows
        module = sys.modules["submission"] = ModuleType("submission")
        self.names = vars(module)
        self.names["__name__"] = "__main__"  # as in a notebook
        self.names |= {"display": StandIn("display"), "get_ipython": StandIn("get_ipython")}
        self.names |= {name: getattr(ttt, name) for name in GIVEN}

    def read(self, cell: str, file: str) -> None:
        """Run a cell. One that can't be read is passed over, unless the function stands in it."""
        lines_of[file] = cell.split("\n")
        try:
            statements = parsed(cell, file)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            if seems_to_define(cell, self.name):
                self.names.pop(self.name, None)
                self.problem = f"the code can't be read: {in_words(error)}"
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
        self.imports = isinstance(statement, (ast.Import, ast.ImportFrom))
        kind = "imports" if self.imports else "statements"
        begun = time.process_time()
        try:
            code = compile(ast.Module([statement], []), file, "exec", self.flags, dont_inherit=True)
            self.flags |= code.co_flags & FUTURES
            self.running = True
            self.set_alarms(max(min(MOST_SECONDS[kind], self.left[kind]), LEAST_SECONDS), PATIENCE)
            exec(code, self.names)
        except BaseException as error:
            self.running = False
            self.late = self.late or type(error) is TooLong
            said = in_words(error)
            missing.update(dict.fromkeys(names_of(statement), said))
            return said
        finally:
            self.running = False
            self.set_alarms(0, 0)
            self.left[kind] -= time.process_time() - begun
        return ""

    def set_alarms(self, computing: float, waiting: float) -> None:
        """Call `stop` after so many seconds of computing, and of waiting, and again and again; 0 for never."""
        for alarm, timer, seconds in (
            (signal.SIGPROF, signal.ITIMER_PROF, computing),
            (signal.SIGALRM, signal.ITIMER_REAL, waiting),
        ):
            signal.signal(alarm, self.stop)
            signal.setitimer(timer, seconds, seconds)

    def stop(self, alarm: int, frame: FrameType | None) -> None:
        """Stop the statement, unless it waits for a module from a slow disk. Raises `TooLong`."""
        allowed = alarm == signal.SIGALRM if self.imports else importing(frame)
        if self.running and not allowed:
            raise TooLong


def importing(frame: FrameType | None) -> bool:
    """Whether Python is importing a module."""
    while frame and not frame.f_code.co_filename.startswith("<frozen importlib"):
        frame = frame.f_back
    return frame is not None


def names_of(statement: ast.stmt) -> Iterator[str]:
    """The names that a statement imports, defines or sets, but not those inside what it defines."""
    for node in [statement] if isinstance(statement, DEFINITIONS) else ast.walk(statement):
        if isinstance(node, ast.alias):
            yield node.asname or node.name.partition(".")[0]
        elif isinstance(node, DEFINITIONS):
            yield node.name
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def seems_to_define(code: str, name: str) -> bool:
    """Whether code that is not read as Python, or can't be, looks as if it defined a name.

    No part of the expression can match the same text in many ways, or it would take hours on what somebody makes up.
    """
    definition = rf"^[ \t]*(?:def|async[ \t]+def|class)[ \t]+{name}\b"
    assignment = rf"\b{name}[ \t]*(?::[^=\n]{{1,100}})?=(?!=)"
    return re.search(f"{definition}|{assignment}", code, re.MULTILINE) is not None


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


# ---------------------------------------------------------------------------------------------- what it says, in words


def described(value: object) -> str:
    """An answer that is not a number, in words."""
    kind = type(value)
    if value is None:
        return "None"
    if kind.__name__ in ("float", "float16", "float32", "float64", "Decimal"):
        if value != value:
            return "NaN"
        if value in (inf, -inf):
            return "infinity"
    article = "an" if kind.__name__.lower().startswith(("a", "e", "i", "o", "nd")) else "a"
    start = {str: "the text ", int: "the number ", float: "the number ", bool: ""}.get(
        kind, f"{article} {kind.__name__}: "
    )
    try:
        text = repr(value[:LONGEST] if kind is str else value)  # type: ignore[index]
    except BaseException:
        return f"{start.rstrip(': ')} that can't be written out"[:LONGEST]
    return start.rstrip(": ")[:LONGEST] if text.startswith("<") else f"{start}{text}"[:LONGEST].strip()


def in_words(error: BaseException) -> str:
    """An exception in one line, with the line of the submission that it came from."""
    try:
        message = error.msg if isinstance(error, SyntaxError) else str(error)
        said = f"{type(error).__name__}: {message}".removesuffix(": ")
        if type(error) is TooLong:
            said = NO_ANSWER
        return said[:LONGEST].removesuffix(".") + place(error) + advice(error)
    except BaseException:
        return "an error that can't be put into words"


def advice(error: BaseException) -> str:
    """What to do about a name that is not defined because what should define it failed, or its import is missing."""
    name = error.name if isinstance(error, NameError) else ""
    failed = missing.get(name, missing.get("*", "")) if name else ""
    if failed:
        return f"; the line that should define it stopped with {failed}"
    return f"; write `from ttt import {name}` above it" if name in ttt.__all__ else ""


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
