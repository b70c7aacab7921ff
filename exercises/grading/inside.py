"""Runs a submission inside the sandbox, and writes what its function answers as lines of JSON.

It is told what to do in its first line, before any of the submission is run, and it knows no right answer. Nobody
outside trusts what it says. A function is asked all its questions one after another; a player is asked about the boards
that come in, as the tournament finds out which it can reach; an interface is played on by its own check.
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
from itertools import islice
from types import ModuleType
from typing import Any, NoReturn

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

Order = Mapping[str, Any]
Tell = Callable[[object], None]


def main() -> None:
    """Read what is asked, run the submission, and answer."""
    requests = os.fdopen(os.dup(0), "rb")
    order = json.loads(requests.readline())
    limit(order["limits"])
    sys.path[:0] = [HOME, os.path.join(HOME, "packages")]  # noqa: PTH118
    from ttt.exercises import asking
    from ttt.loader import NoPlayer

    tell = private_output()
    tell({"started": True})
    sys.meta_path.append(Absent(order.get("refusal", "")))
    gc.set_threshold(50_000)
    with asking.withheld(order.get("withheld", ()), order.get("refusal", "")):
        try:
            {"function": ask_function, "player": ask_player, "interface": ask_interface}[order["kind"]](
                order, map(json.loads, requests), tell
            )
        except NoPlayer as error:
            tell({"problem": str(error)})
    os._exit(0)


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


def private_output() -> Tell:
    """What writes a line to the judge, through a descriptor of its own; the usual ones lead nowhere from now on."""
    pipe = os.fdopen(os.dup(1), "w", encoding="ascii")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nowhere, descriptor)
    dumps = json.dumps

    def tell(said: object) -> None:
        pipe.write(dumps(said) + "\n")
        pipe.flush()

    return tell


# ---------------------------------------------------------------------------------------------- what isn't there


class Missing:
    """Stands for a name of a part of `ttt` that isn't there: it can be imported, and what uses it stops."""

    def __init__(self, name: str, why: str) -> None:
        self._name, self._why = name, why

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise RuntimeError(self._why or f"{self._name} is {NOT_HERE}")

    def __getattr__(self, name: str) -> Missing:
        if name.startswith("__"):
            raise AttributeError(name)
        return Missing(f"{self._name}.{name}", self._why)

    __call__ = __getitem__ = __iter__ = __len__ = __mro_entries__ = __enter__ = __bool__ = __add__ = __lt__ = _refuse


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

        def find(name: str) -> object:
            if name.startswith("__"):
                raise AttributeError(name)
            return Missing(name, self.why) if spec.name.startswith("ttt.") else Nothing()

        vars(module).update(__getattr__=find, __all__=[])
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Nothing is left to do."""


# ---------------------------------------------------------------------------------------------- its cells


class Late(BaseException):
    """A statement takes too long."""


def budget() -> Callable[[ast.stmt], Any]:
    """What each statement outside of functions is run in, so that all take no longer than they may."""
    left = dict(ALL_SECONDS)

    @contextmanager
    def limited(statement: ast.stmt) -> Iterator[None]:
        kind = "imports" if isinstance(statement, (ast.Import, ast.ImportFrom)) else "statements"

        def stop(alarm: int, _frame: object) -> None:
            if kind == "statements" or alarm == signal.SIGPROF:  # an import may wait for a disk
                raise Late("it takes too long")

        computing = max(min(EACH_SECONDS[kind], left[kind]), LEAST_SECONDS)
        timers = {signal.SIGPROF: signal.ITIMER_PROF, signal.SIGALRM: signal.ITIMER_REAL}
        begun = time.process_time()
        try:
            for (alarm, timer), seconds in zip(timers.items(), (computing, WAITING), strict=True):
                signal.signal(alarm, stop)
                signal.setitimer(timer, seconds, AGAIN)
            yield
        finally:
            for alarm, timer in timers.items():
                signal.signal(alarm, signal.SIG_IGN)
                signal.setitimer(timer, 0)
            left[kind] -= time.process_time() - begun

    return limited


def session(order: Order) -> Any:
    """The submission's names, after all its cells have been run: a `ttt.loader.Session`."""
    import ttt
    from ttt import loader

    time.sleep = lambda _seconds: None
    run = loader.Session(order["function"], budget(), {name: getattr(ttt, name) for name in ("Board", "opponent")})
    for number, cell in enumerate(order["cells"], 1):
        run.read(cell, f"cell {number}" if len(order["cells"]) > 1 else "the program")
    return run


# ---------------------------------------------------------------------------------------------- what is asked


def questions(packed: list[list[Any]]) -> Iterator[tuple[Any, ...]]:
    """Questions that `judge.packed` made plain; boards are made without a look at whether they can be reached."""
    from ttt.board import geometry, position

    for shape, k, x, o, winner, rests in packed:
        board = position(geometry(tuple(shape), k), x, o, winner)
        for rest in rests:
            yield (board, *rest)


def ask_function(order: Order, requests: Iterator[Any], tell: Tell) -> None:
    """Ask a function all its questions, and send its answers some at a time, a plain number as it is."""
    from ttt.exercises.asking import Clock, answers, packed

    asked = list(questions(next(requests)))
    function = session(order).function()
    plainly = (
        answer.value if type(answer.value) is int and not answer.asked and not answer.fault else packed(answer)
        for answer in answers(function, asked, Clock(**order["clock"]))
    )
    number = order["first"]
    while some := list(islice(plainly, SENT)):
        tell([number, *some])
        number += len(some)
    tell({"done": True})


def ask_player(order: Order, requests: Iterator[Any], tell: Tell) -> None:
    """Ask a player about the boards that come in: what goes back is its policy, or why there is none."""
    from ttt.exercises.asking import Clock
    from ttt.players import Player, PlayerError

    run = session(order)
    player = Player("the player", run.function())
    clock = Clock(**order["clock"])

    def policies(board: Any, times: int) -> object:
        if clock.used > clock.total:
            return f"the player took more than {clock.total:g} seconds for all boards"
        try:
            return [sorted(clock.run(lambda: player.policy(board)).items()) for _ in range(times)]
        except PlayerError as error:
            return str(error)
        except TimeoutError:
            return f"the player took more than {clock.each:g} seconds for a move"
        except BaseException as error:
            return run.explained(error, order["function"])

    tell({"ready": True})
    with clock.ticking():
        for number, times, boards in requests:
            for (board,) in questions(boards):
                tell([number, policies(board, times)])


def ask_interface(order: Order, _requests: Iterator[Any], tell: Tell) -> None:
    """Play on an interface, and tell what is found by part: whether it holds, and the evidence."""
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    from ttt import widgets
    from ttt.exercises.interface import Trial
    from ttt.widgets.driver import InterfaceDriver

    InteractiveShell.instance(config=Config({"HistoryManager": {"enabled": False}}))
    vars(widgets)["check_interface"] = lambda: None  # it would play all the games once more
    driver = InterfaceDriver(session(order).names)
    findings = Trial(lambda do, **details: getattr(driver, do)(**details)).findings()
    tell({"findings": {part: [bool(one.holds), str(one.evidence)] for part, one in findings.items()}})


if __name__ == "__main__":
    main()
