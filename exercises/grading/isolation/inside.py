"""Runs a submission inside the sandbox and writes its answers as lines of JSON, which are not trusted outside.

The first line of input, read before any submitted code runs, says what to do. This code knows no right answers.
"""

import ast
import codeop
import ctypes
import gc
import json
import linecache
import os
import resource
import signal
import struct
import sys
import time
from collections.abc import Callable, Collection, Coroutine, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from importlib.machinery import ModuleSpec
from types import CoroutineType, ModuleType
from typing import Any

_HOME = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120 - pathlib takes a while to load
# CPU seconds for code outside functions; each statement may take half of what is left. pandas takes half a
# second, and several where Python has not compiled it before.
MAX_SECONDS = {"imports": 20.0, "statements": 4.0}
LEAST = 0.1  # seconds left for the next statement, whatever those before it took
AGAIN = 0.05  # seconds before stopping a statement again if it goes on
ABSENT = ("ttt", "lab", "IPython", "ipywidgets", "matplotlib")  # missing modules of these can still be imported
FEW = 20  # questions that are asked again to see whether the function hides errors
SENT, SENT_CALLS = 256, 5000  # answers per line at most, and calls of the heuristic: a line must not be too long


def _main() -> None:
    """Read the order, limit this process for good, run the submission, and answer."""
    requests = map(json.loads, os.fdopen(os.dup(0), "rb"))
    pipe, dumps = os.fdopen(os.dup(1), "w", encoding="ascii"), json.dumps
    order = next(requests)
    for name, most in order["limits"].items():
        with suppress(ValueError, OSError, AttributeError):  # already lower, or unknown on this system
            resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (most, most))
    if order["filter"]:
        instructions = ctypes.create_string_buffer(bytes.fromhex(order["filter"]))
        program = struct.pack("HP", len(instructions) // 8, ctypes.addressof(instructions))
        prctl = ctypes.CDLL(None).prctl
        prctl(38, 1, 0, 0, 0)  # PR_SET_NO_NEW_PRIVS, as bubblewrap has; without it the kernel refuses a filter
        prctl(22, 2, program, 0, 0)  # PR_SET_SECCOMP, SECCOMP_MODE_FILTER
    sys.path[:0] = [_HOME, os.path.join(_HOME, "packages")]  # noqa: PTH118
    Absent.refusal = order.get("refusal", "")
    sys.meta_path.append(Absent)  # first: the engine imports all of its parts, and not all are here
    from lab import timeouts

    timeouts.OURS += (_HOME + os.sep,)  # a message names the student's line, not one of a library, and all are here

    def tell(said: object) -> None:
        pipe.write(dumps(said) + "\n")
        pipe.flush()

    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nowhere, descriptor)
    tell({"started": True})
    time.sleep = lambda _seconds: None
    gc.set_threshold(50_000)
    try:
        globals()[f"ask_{order['kind']}"](order, requests, tell)
    except NoFunction as error:
        tell({"problem": str(error)})
    os._exit(0)


class Absent(ModuleType):
    """Stands in for modules the sandbox lacks, and finds them; using a missing part of `ttt` or
    `lab` raises an error."""

    __all__ = ()
    refusal = ""

    def __getattr__(self, name: str) -> "Absent":
        if name.startswith("__"):
            raise AttributeError(name)
        return Absent(f"{self.__name__}.{name}")

    def __call__(self, *_: object, **__: object) -> "Absent":
        if self.__name__.startswith(("ttt.", "lab.")):
            name = self.__name__.rpartition(".")[2]
            raise RuntimeError(self.refusal or f"`{name}` is not available when a submission is judged")
        return self

    __getitem__ = __iter__ = __len__ = __mro_entries__ = __enter__ = __add__ = __lt__ = __call__

    @classmethod
    def find_spec(cls, name: str, *_: object) -> ModuleSpec | None:
        return ModuleSpec(name, cls, is_package=True) if name.partition(".")[0] in ABSENT else None  # type: ignore[arg-type]

    @classmethod
    def create_module(cls, spec: ModuleSpec) -> "Absent":
        return cls(spec.name)

    @staticmethod
    def exec_module(module: ModuleType) -> None:
        pass


class NoFunction(ValueError):
    """The code doesn't define the required function; the message says why."""


class Nothing:
    """Stands in for `display` and IPython: has every attribute, accepts every call, and does nothing."""

    def __call__(self, *_: object, **__: object) -> "Nothing":
        return self

    def __getattr__(self, name: str) -> "Nothing":
        if name.startswith("__"):
            raise AttributeError(name)
        return self


class Session:
    """A run of a student's code: the names it defines, and why others are missing.

    A statement that fails or takes too long is skipped, as a notebook continues with its next cell. What the student's
    own statements name stays theirs: a statement as it was handed out may read these names, but not give them to
    something else.
    """

    def __init__(self, order: Any) -> None:
        from lab.checks.names import separate

        from ttt import Board, opponent

        self.name, self._left = order["function"], dict(MAX_SECONDS)
        self.own: set[str] = set()  # the names that the student's own statements have given
        handed_out = (one for text in order.get("handed_out", ()) for one in separate(ast.parse(text).body))
        self._handed_out = {*map(ast.dump, handed_out)}
        self.names: dict[str, Any] = {"__name__": "__main__", "Board": Board, "opponent": opponent}
        self.names |= {"display": Nothing(), "get_ipython": Nothing()}
        self._before = dict(self.names)
        self.kept: Any = {}  # what the function keeps between calls, see `lab.checks.calling.remember`
        self.failures: dict[str, str] = {}  # for each missing name, what went wrong where it should be defined
        self.compile = codeop.Compile()  # `from __future__ import ...` applies to everything that follows
        self.compile.flags |= ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        for number, cell in enumerate(order["cells"], 1):
            self._read(cell, f"Cell {number}" if len(order["cells"]) > 1 else "The program")

    def _read(self, source: str, title: str) -> None:
        """Run a cell or a program; text that is not Python is skipped."""
        from lab.checks.names import DEFINES, UNREADABLE, separate

        linecache.cache[title] = len(source), None, source.splitlines(keepends=True), title  # for the lines in messages
        try:
            statements = list(separate(ast.parse(source, title).body))
            codes = [self.compile(ast.Module([one], []), title, "exec") for one in statements]  # type: ignore[arg-type]
        except UNREADABLE as error:
            self._fail([one or other for one, other in DEFINES.findall(source)], error, title)
            return
        for statement, code in zip(statements, codes, strict=True):
            given = self.is_handed_out(statement)
            if given:
                self._claim()
                own = {name: self.names[name] for name in self.own & self.names.keys()}
            try:
                with self._limited(statement), kept_by(self, statement):
                    returned = eval(code, self.names)
                    if isinstance(returned, CoroutineType):
                        run_through(returned)
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                self._fail(defined(statement), error, title)
            if given:
                self.names |= own
                self._before = dict(self.names)
        self._claim()

    @contextmanager
    def _limited(self, statement: ast.stmt) -> Iterator[None]:
        """Stop a statement after half of the seconds left for its kind, even if it catches the exception."""
        kind = "imports" if type(statement).__name__.startswith("Import") else "statements"
        begun = time.process_time()
        try:
            signal.signal(signal.SIGPROF, _stop)
            signal.setitimer(signal.ITIMER_PROF, self._left[kind] / 2, AGAIN)
            yield
        finally:
            signal.signal(signal.SIGPROF, signal.SIG_IGN)
            signal.setitimer(signal.ITIMER_PROF, 0)
            # C code may have used more than is left
            self._left[kind] = max(LEAST, self._left[kind] - time.process_time() + begun)

    def _claim(self) -> None:
        """Note which names the student's own statements have given since the last time."""
        self.own |= {name for name, value in self.names.items() if self._before.get(name, self) is not value}
        self._before = dict(self.names)

    def is_handed_out(self, statement: ast.stmt) -> bool:
        """Whether a statement is as handed out, wherever it stands."""
        return bool(self._handed_out) and ast.dump(statement) in self._handed_out

    def _fail(self, names: Collection[str], error: BaseException, title: str) -> None:
        """Record why these names are missing, and forget any older definition of the function."""
        if self.name in names:
            self.names.pop(self.name, None)
        said = f"{title} stopped with {type(error).__name__}"
        with suppress(BaseException):  # an exception of the student's own may raise another when it is shown
            said = self.explained(error, title)
        self.failures = {name: said for name in names if name not in self.names} | self.failures

    def function(self) -> Callable[..., Any]:
        """The required function, once everything has been read. Raises `NoFunction`."""
        function: Callable[..., Any] | None = self.names.get(self.name)
        if not callable(function):
            raise NoFunction(f"There is no function `{self.name}`. {self.failures.get(self.name, '')}".strip())
        return function

    def explained(self, error: BaseException, name: str) -> str:
        """Word an error as `lab.timeouts.explained` does, after the reason why a missing name is missing."""
        from lab.timeouts import explained

        import ttt

        missing = getattr(error, "name", None) if isinstance(error, NameError) else None
        if missing in self.failures:
            return f"{self.failures[missing]}; so {explained(error, name)}"
        advice = f"; write `from ttt import {missing}` above it" if missing in ttt.__all__ else ""
        return explained(error, name) + advice


def defined(statement: ast.stmt) -> set[str]:
    """The names a statement defines, or fills, as in `table[2] = 3`."""
    names = set()
    for node in ast.walk(statement):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store) and isinstance(node.value, ast.Name):
            names.add(node.value.id)
        elif isinstance(node, ast.alias):
            names.add(node.asname or node.name.partition(".")[0])
    return names


def run_through(awaits: Coroutine[Any, Any, Any]) -> None:
    """Run a coroutine without an event loop, which the sandbox can't have."""
    with suppress(StopIteration):
        while True:
            awaits.send(None)


class TooSlow(BaseException):
    """A statement takes too long. Few programs catch this."""


def _stop(*_: object) -> None:
    raise TooSlow("code outside functions takes too long")


@contextmanager
def kept_by(run: Session, statement: ast.stmt) -> Iterator[None]:
    """Copy what the function keeps before a statement may call it, or what it uses; what is set anew counts anew."""
    from lab.checks.calling import remember, used_by

    function: Any = run.names.get(run.name)
    nodes = ast.walk(statement)
    used = [*map(id, used_by(function))] if callable(function) else []
    if any(isinstance(node, ast.Name) and id(run.names.get(node.id)) in used for node in nodes):
        remember(function, run.kept)
    yield
    anew = set() if isinstance(statement, ast.FunctionDef | ast.ClassDef) else defined(statement)
    for name in anew - (run.own if run.is_handed_out(statement) else set()):
        run.kept.pop((id(run.names), name), None)


def _explained(run: Session, error: BaseException, name: str) -> str:
    """Word an error, even one that raises another when it is shown."""
    try:
        return run.explained(error, name)
    except BaseException:
        return f"{name} stopped with {type(error).__name__}, which raises another error when it is shown"


def _names_of(run: Session, order: Any) -> Any:
    """What is odd about the names that the function uses, and the cells, numbered from 1, as in messages."""
    from lab.checks import names

    cells = ["", *order["cells"]]
    given = names.bound(cells, run.is_handed_out)
    changed = [name for owner, name, value in run.kept.values() if owner is run.names and owner[name] != value]
    return names.remarks(run.function(), order.get("takes", ()), names.bound(cells), given, changed), cells


def _as_before(run: Session, order: Any) -> Any:
    """Gives names with such a remark what they meant before, if that is asked for."""
    from lab.checks.names import as_before

    found, cells = _names_of(run, order) if "as_before" in order else ([], [])
    replaced = [one for one in found if one.kind == order["as_before"]]
    for one in replaced:  # so that this isn't put back before each question
        run.kept.pop((id(run.names), one.name), None)
    return as_before(run.function(), replaced, cells)


def _questions(packed: list[list[Any]]) -> Iterator[tuple[Any, ...]]:
    """Unpack questions packed by `judge.pack_questions`."""
    from ttt.board import Board

    for (shape, k), some in packed:
        for x, o, *rest in some:
            yield (Board(shape, k, x=x, o=o), *rest)


def ask_function(order: Any, requests: Iterator[Any], tell: Any) -> None:
    """Ask a function all its questions and send the answers in batches, plain numbers unchanged."""
    from lab.checks.calling import answers, hidden_error, packed
    from lab.timeouts import Clock

    asked, clock = list(_questions(next(requests))), Clock(**order["clock"])
    run = Session(order)
    some: list[Any] = []
    calls = 0  # of the heuristic
    with _as_before(run, order):
        for one in answers(run.function(), asked, clock, partial(_explained, run), order["once"], run.kept):
            some.append(one.value if type(one.value) is int and not any(one[1:]) else packed(one))
            calls += len(one.asked)
            if len(some) == SENT or calls > SENT_CALLS:
                tell(some)
                some, calls = [], 0
    tell(some)
    with suppress(BaseException):  # the submission's own objects may do anything
        tell({"names": _names_of(run, order)[0]})
        tell({"hidden": hidden_error(run.function(), asked[:FEW], partial(_explained, run))})
    tell({"done": not clock.over})


def ask_player(order: Any, requests: Iterator[Any], tell: Any) -> None:
    """Ask a player about incoming boards; send back its policy, or why there is none."""
    from lab.timeouts import Clock

    from ttt.players import Player, PlayerError

    run = Session(order)
    player = Player("the player", run.function())
    clock = Clock(**order["clock"])

    def policies(board: Any, times: int) -> object:
        if clock.used > clock.total:
            return {"late": "boards"}
        try:
            return [sorted(clock.run(player.policy, board).items()) for _ in range(times)]
        except PlayerError as error:
            return str(error)
        except TimeoutError:
            return {"late": "move"}
        except BaseException as error:
            return _explained(run, error, order["function"])

    tell({"ready": True})
    with clock.ticking():
        for number, times, boards in requests:
            for (board,) in _questions(boards):
                tell([number, policies(board, times)])


def ask_interface(order: Any, _requests: Iterator[Any], tell: Any) -> None:
    """Play on an interface and report, for each part, whether it holds, with the evidence."""
    from IPython.core.interactiveshell import InteractiveShell
    from lab.checks.interface import Trial
    from traitlets.config import Config

    import ttt

    InteractiveShell.instance(config=Config({"HistoryManager": {"enabled": False}}))
    vars(ttt)["check"] = lambda *_: None  # otherwise it would play all the games again
    tell({"findings": Trial(Session(order).names.get("interface")).findings()})


if __name__ == "__main__":
    __name__ = "inside"  # in `__main__` is the student's code, whose line a message names
    _main()
