"""Runs a submission inside the sandbox and writes its answers as lines of JSON, which are not trusted outside.

The first line of input, read before any submitted code runs, says what to do. This code knows no right answers.
"""

import ctypes
import gc
import json
import os
import resource
import signal
import struct
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from importlib.machinery import ModuleSpec
from types import ModuleType
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
    from lab.checks.student_code import NoFunction

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


class TooSlow(BaseException):
    """A statement takes too long. Few programs catch this."""


def session(order: Any) -> Any:
    """Run all cells of the submission; return its `lab.checks.student_code.Session`."""
    from lab.checks import student_code as loader

    import ttt

    left = dict(MAX_SECONDS)

    def stop(*_: object) -> None:
        raise TooSlow("code outside functions takes too long")

    @contextmanager
    def limited(statement: object) -> Iterator[None]:
        """Stop a statement after half of the seconds left for its kind, even if it catches the exception."""
        kind = "imports" if type(statement).__name__.startswith("Import") else "statements"
        begun = time.process_time()
        try:
            signal.signal(signal.SIGPROF, stop)
            signal.setitimer(signal.ITIMER_PROF, left[kind] / 2, AGAIN)
            with kept_by(run, statement):
                yield
        finally:
            signal.signal(signal.SIGPROF, signal.SIG_IGN)
            signal.setitimer(signal.ITIMER_PROF, 0)
            left[kind] = max(LEAST, left[kind] - time.process_time() + begun)  # C code may have used more than is left

    given = {name: getattr(ttt, name) for name in ("Board", "opponent")}
    run: Any = loader.Session(order["function"], limited, given, order.get("handed_out", ()))
    run.kept = {}
    for number, cell in enumerate(order["cells"], 1):
        run.read(cell, f"Cell {number}" if len(order["cells"]) > 1 else "The program")
    return run


@contextmanager
def kept_by(run: Any, statement: Any) -> Iterator[None]:
    """Copy what the function keeps before a statement may call it, or what it uses; what is set anew counts anew."""
    import ast

    from lab.checks.calling import remember, used_by
    from lab.checks.student_code import defined

    function, nodes = run.names.get(run.name), ast.walk(statement)
    used = [*map(id, used_by(function))] if callable(function) else []
    if any(isinstance(node, ast.Name) and id(run.names.get(node.id)) in used for node in nodes):
        remember(function, run.kept)
    yield
    anew = set() if isinstance(statement, ast.FunctionDef | ast.ClassDef) else defined(statement)
    for name in anew - (run.own if run.is_handed_out(statement) else set()):
        run.kept.pop((id(run.names), name), None)


def _explained(run: Any, error: BaseException, name: str) -> str:
    """Word an error, even one that raises another when it is shown."""
    try:
        return str(run.explained(error, name))
    except BaseException:
        return f"{name} stopped with {type(error).__name__}, which raises another error when it is shown"


def _names_of(run: Any, order: Any) -> Any:
    """What is odd about the names that the function uses, and the cells, numbered from 1, as in messages."""
    from lab.checks import names

    cells = ["", *order["cells"]]
    given = names.bound(cells, run.is_handed_out)
    changed = [name for owner, name, value in run.kept.values() if owner is run.names and owner[name] != value]
    return names.remarks(run.function(), order.get("takes", ()), names.bound(cells), given, changed), cells


def _as_before(run: Any, order: Any) -> Any:
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
    run = session(order)
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

    run = session(order)
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
    tell({"findings": Trial(session(order).names.get("interface")).findings()})


if __name__ == "__main__":
    __name__ = "inside"  # in `__main__` is the student's code, whose line a message names
    _main()
