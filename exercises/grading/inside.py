"""Runs a submission inside the sandbox, and writes what its function answers as lines of JSON.

It is told everything in two lines before any of the submission is run, and it knows no right answer. Nobody outside
trusts what it says. A function is asked all its questions one after another; a player is asked about the boards that
come in, a line each, as the tournament finds out which it can reach; an interface is played on by its own check.
"""

from __future__ import annotations

import ast
import gc
import json
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, BinaryIO, NoReturn, TextIO

HOME = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120 - pathlib takes a while to load
# Of computing, so that a busy machine changes nothing: for all of a kind, and for each. pandas takes half a second, and
# several where Python has not compiled it before.
ALL_SECONDS = {"imports": 10.0, "statements": 2.0}
EACH_SECONDS = {"imports": 10.0, "statements": 1.0}
LEAST_SECONDS = 0.05  # for each in any case
WAITING = 20.0  # seconds that a statement may wait
AGAIN = 0.05  # seconds until one that goes on is stopped once more
ABSENT = ("ttt", "IPython", "ipywidgets", "matplotlib")  # a module of these that isn't there can be imported
NOT_HERE = "not there when a submission is judged"
SENT = 64  # answers at a time


def main() -> None:
    """Read what is asked, run the submission, and answer."""
    order = json.loads(sys.stdin.buffer.readline())
    order["questions"] = sys.stdin.buffer.readline()
    limit(order["limits"])
    sys.path[:0] = [HOME, os.path.join(HOME, "packages")]  # noqa: PTH118
    requests = os.fdopen(os.dup(0), "rb")
    answers = private_output()
    tell(answers, {"started": True})
    sys.meta_path.append(Absent(order.get("refusal", "")))
    gc.set_threshold(50_000)
    JUDGES[order["kind"]](order, requests, answers)
    os._exit(0)


def tell(answers: TextIO, said: object) -> None:
    """Write a line."""
    answers.write(json.dumps(said) + "\n")
    answers.flush()


def tell_all(answers: TextIO, numbered: Iterator[tuple[int, Any]]) -> None:
    """Write a line for each answer, a plain number in short, and send them off some at a time."""
    from ttt.exercises.asking import packed

    dumps, write = json.dumps, answers.write
    for number, answer in numbered:
        plain = type(answer.value) is int and not answer.asked and not answer.fault
        write(f"[{number}, {answer.value}]\n" if plain else f"{dumps([number, *packed(answer)])}\n")
        if number % SENT == 0:
            answers.flush()
    answers.flush()


def limit(limits: Mapping[str, Any]) -> None:
    """Limit this process for good, and refuse it system calls where bubblewrap has not done so."""
    import resource

    for name, most in limits.items():
        if name.startswith("RLIMIT"):
            with suppress(ValueError, OSError, AttributeError):  # lower already, or unknown to this system
                resource.setrlimit(getattr(resource, name), (most, most))
    if "filter" in limits:
        import ctypes
        import struct

        data = bytes.fromhex(limits["filter"])
        program = ctypes.create_string_buffer(data)
        about = struct.pack("HP", len(data) // 8, ctypes.addressof(program))
        prctl = ctypes.CDLL(None).prctl
        prctl(38, 1, 0, 0, 0)  # PR_SET_NO_NEW_PRIVS, without which the kernel refuses a filter
        prctl(22, 2, about, 0, 0)  # PR_SET_SECCOMP, SECCOMP_MODE_FILTER


def private_output() -> TextIO:
    """The pipe to the judge on a descriptor of its own; the usual descriptors lead nowhere from now on."""
    pipe = os.fdopen(os.dup(1), "w", encoding="ascii")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nowhere, descriptor)
    return pipe


# ---------------------------------------------------------------------------------------------- what isn't there


class Missing:
    """Stands for a name of a part of `ttt` that isn't there: it can be imported, and what uses it stops."""

    def __init__(self, name: str, why: str) -> None:
        self._name, self._why = name, why

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise NotHere(self._why or f"{self._name} is {NOT_HERE}")

    def __getattr__(self, name: str) -> Missing:
        if name.startswith("__"):
            raise AttributeError(name)
        return Missing(f"{self._name}.{name}", self._why)

    __call__ = __getitem__ = __iter__ = __len__ = __mro_entries__ = __enter__ = __bool__ = __add__ = __lt__ = _refuse


class NotHere(RuntimeError):
    """Something is used that isn't there when a submission is judged."""


class Absent:
    """Finds the modules that a notebook imports and the sandbox does not have."""

    def __init__(self, why: str) -> None:
        self.why = why

    def find_spec(self, name: str, _path: object, _target: object = None) -> ModuleSpec | None:
        """A module with every name; Python asks here only where it has found none."""
        return ModuleSpec(name, self, is_package=True) if name.partition(".")[0] in ABSENT else None  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """The module: a part of `ttt` that stops what uses it, or one that shows something, which does nothing here."""
        from ttt.loader import Nothing

        module = ModuleType(spec.name)
        of_ttt = spec.name.startswith("ttt.")

        def find(name: str) -> object:
            if name.startswith("__"):
                raise AttributeError(name)
            return Missing(name, self.why) if of_ttt else Nothing()

        vars(module)["__getattr__"] = find
        vars(module)["__all__"] = []
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Nothing is left to do."""


# ---------------------------------------------------------------------------------------------- its cells


class Late(BaseException):
    """A statement takes too long."""


class Budget:
    """The seconds of computing that statements outside of functions may take."""

    def __init__(self) -> None:
        self.left = dict(ALL_SECONDS)
        self.running = self.imports = False

    @contextmanager
    def __call__(self, statement: ast.stmt) -> Iterator[None]:
        """What a statement is run in. Raises `Late` in it."""
        self.imports = isinstance(statement, (ast.Import, ast.ImportFrom))
        kind = "imports" if self.imports else "statements"
        begun = time.process_time()
        try:
            self.running = True
            self._set(max(min(EACH_SECONDS[kind], self.left[kind]), LEAST_SECONDS), WAITING)
            yield
        finally:
            self.running = False
            self._set(0, 0)
            self.left[kind] -= time.process_time() - begun

    def _set(self, computing: float, waiting: float) -> None:
        for alarm, timer, seconds in (
            (signal.SIGPROF, signal.ITIMER_PROF, computing),
            (signal.SIGALRM, signal.ITIMER_REAL, waiting),
        ):
            signal.signal(alarm, self._stop)
            signal.setitimer(timer, seconds, min(seconds, AGAIN))

    def _stop(self, alarm: int, _frame: object) -> None:
        waits_for_a_disk = self.imports and alarm == signal.SIGALRM
        if self.running and not waits_for_a_disk:
            raise Late("it takes too long")


def session(order: Mapping[str, Any]) -> Any:
    """The submission's names, after all its cells have been run: a `ttt.loader.Session`."""
    import ttt
    from ttt import loader

    time.sleep = lambda _seconds: None
    given = {name: getattr(ttt, name) for name in ("Board", "opponent")}
    run = loader.Session(order["function"], Budget(), given)
    for number, cell in enumerate(order["cells"], 1):
        run.read(cell, f"cell {number}" if len(order["cells"]) > 1 else "the program")
    return run


# ---------------------------------------------------------------------------------------------- what is asked


def unpacked(question: list[Any]) -> tuple[Any, ...]:
    """A question that `judge.packed` made plain. Boards are made without a look at whether they can be reached."""
    from ttt.board import geometry, position

    shape, k, x, o, winner, *rest = question
    return (position(geometry(tuple(shape), k), x, o, winner), *rest)


def ask_function(order: Mapping[str, Any], _requests: BinaryIO, output: TextIO) -> None:
    """Ask a function all its questions."""
    from ttt.exercises.asking import Clock, answers, withheld
    from ttt.loader import NoPlayer

    questions = [unpacked(question) for question in json.loads(order["questions"])]
    with withheld(order["withheld"], order["refusal"]):
        run = session(order)
        try:
            function = run.function()
        except NoPlayer as error:
            tell(output, {"missing": str(error), "names": [name for name in run.names if name.isidentifier()][:200]})
            return
        tell_all(output, enumerate(answers(function, questions, Clock(**order["clock"])), order["first"]))
    tell(output, {"done": True})


def ask_player(order: Mapping[str, Any], requests: BinaryIO, output: TextIO) -> None:
    """Ask a player about one board after another."""
    from ttt.exercises.asking import Clock
    from ttt.loader import NoPlayer
    from ttt.players import Player, PlayerError

    run = session(order)
    try:
        player = Player("the player", run.function())
    except (NoPlayer, PlayerError) as error:
        tell(output, {"missing": str(error)})
        return
    clock = Clock(**order["clock"])
    tell(output, {"ready": True})
    for line in requests:
        number, question = json.loads(line)
        (board,) = unpacked(question)
        try:
            policy = clock.run(lambda: player.policy(board))  # noqa: B023 - it is called at once
            tell(output, [number, sorted(policy.items()), ""])
        except PlayerError as error:
            tell(output, [number, [], str(error)])
        except TimeoutError:
            tell(output, [number, [], f"the player took more than {clock.each:g} seconds for a move"])
        except BaseException as error:
            tell(output, [number, [], run.explained(error, order["function"])])


def ask_interface(order: Mapping[str, Any], _requests: BinaryIO, output: TextIO) -> None:
    """Play on an interface, and tell what is found by part: whether it holds, and the evidence."""
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    from ttt import widgets
    from ttt.exercises.interface import Trial
    from ttt.widgets.driver import InterfaceDriver

    InteractiveShell.instance(config=Config({"HistoryManager": {"enabled": False}}))
    vars(widgets)["check_interface"] = lambda: None  # it would play all the games once more
    run = session(order)
    driver = InterfaceDriver(run.names)
    findings = Trial(lambda do, **details: getattr(driver, do)(**details)).findings()
    stopped = next(iter(run.failures.values()), "")
    tell(
        output,
        {
            "findings": {part: [bool(one.holds), str(one.evidence)] for part, one in findings.items()},
            "stopped": stopped,
        },
    )


JUDGES: dict[str, Callable[[Mapping[str, Any], BinaryIO, TextIO], None]] = {
    "function": ask_function,
    "player": ask_player,
    "interface": ask_interface,
}

if __name__ == "__main__":
    main()
