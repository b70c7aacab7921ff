"""A submitted player's seat: runs inside the jail, gets one board after another, and answers each with a cell.

It holds the board that it is asked about and nothing else: no opponent, no arena, no seed. What reads the submission is
the judge's own `runner.py`, which comes along with the order. A hook names the cheats that look for more than there is;
that they find nothing is the jail's doing. Whoever asks believes nothing of what is said here.
"""

import json
import marshal
import os
import random
import sys
from base64 import b64decode
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from math import prod
from operator import index
from types import FrameType, ModuleType
from typing import Any

from ttt.board import Board, geometry, position

ARENA = ("ttt.arena", "ttt.tournament", "ttt.jobs", "ttt.statistics", "ttt.grading")
LOOKS = ("sys._getframe", "sys._current_frames", "gc.get_objects", "gc.get_referrers", "gc.get_referents")
STARTS = ("os.fork", "os.forkpty", "os.exec", "os.posix_spawn", "os.spawn", "os.system", "subprocess.Popen", "os.kill")
REACHES = ("socket.__new__", "socket.connect", "ctypes.dlopen")
MATCHES = ("exact", "match", "play", "strength_for")
LONGEST = 200


class Cheat(BaseException):
    """The player reached for more than the board."""


class Watch:
    """What the player reaches for, once it plays."""

    def __init__(self, files: Mapping[str, object]) -> None:
        self.files = files  # the submission's own
        self.found = ""
        self.playing = self.busy = False

    def hook(self, event: str, details: tuple[Any, ...]) -> None:
        """What Python calls at every event that can be audited."""
        if not self.playing or self.busy:
            return
        self.busy = True
        try:
            cheat = self.named(event, details)
        finally:
            self.busy = False
        if cheat:
            self.cheated(cheat)

    def cheated(self, how: str, *_: object, **__: object) -> None:
        """Remember the first cheat, and stop the player. Raises `Cheat`."""
        if self.playing:
            self.found = self.found or f"cheated: it {how}"
            raise Cheat(how)

    def named(self, event: str, details: tuple[Any, ...]) -> str:
        """What an event is called if it is a cheat of the submission's, or ""."""
        if event in LOOKS:
            return f"looked for what is not its own, with {event}" if self.near(sys._getframe(2)) else ""
        if event == "import" and str(details[0]).startswith(ARENA):
            return f"looked at the arena, by importing {details[0]}" if self.own(sys._getframe(2)) else ""
        if event == "open" and str(details[0]).startswith("/proc"):
            return f"looked at the system, in {str(details[0])[:LONGEST]}" if self.own(sys._getframe(2)) else ""
        if event in STARTS + REACHES and self.own(sys._getframe(2)):
            return (
                f"tried to {'start or stop a process' if event in STARTS else 'get out of its process'}, with {event}"
            )
        return ""

    def near(self, frame: FrameType) -> bool:
        """Whether the submission itself does it, rather than what it uses."""
        while frame.f_back and frame.f_code.co_filename.endswith("inspect.py"):
            frame = frame.f_back
        return frame.f_code.co_filename in self.files

    def own(self, frame: FrameType | None) -> bool:
        """Whether the submission does it or has it done; what a module does while it is loaded is its own affair."""
        loading = frame is not None and frame.f_code.co_filename.startswith("<frozen importlib")
        while frame is not None and frame.f_code.co_filename not in self.files:
            if frame.f_code.co_name == "exec_module" and not loading:
                return False
            loading = loading and frame.f_code.co_filename.startswith("<frozen importlib")
            frame = frame.f_back
        return frame is not None


def main() -> None:
    order = json.loads(sys.stdin.buffer.readline())
    runner = helpers(order["runner"])
    requests = os.fdopen(os.dup(0), "rb")
    answers = runner.private_output()
    watch = Watch(runner.lines_of)
    function, problem = made_ready(runner, order, watch)

    def say(what: object) -> None:
        answers.write(json.dumps(what) + "\n")
        answers.flush()

    say({"ready": problem})
    lines, size = geometry(tuple(order["shape"]), order["k"]), prod(order["shape"])
    for line in requests if function else ():
        number, x, o = json.loads(line)
        board = position(lines, x & (1 << size) - 1, o & (1 << size) - 1, None)
        say([number, *answered(runner, function, board, watch)])
    os._exit(0)


def helpers(code: str) -> Any:
    """The judge's runner as a module."""
    module = ModuleType("runner")
    exec(marshal.loads(b64decode(code)), vars(module))
    return module


def made_ready(runner: Any, order: dict[str, Any], watch: Watch) -> tuple[Any, str]:
    """The submission's function and "", or None and what is wrong. While it is read the arena may stand in it."""
    sys.stdout = sys.stderr = runner.Notice()
    runner.settle()
    runner.remember_lines()
    sys.modules |= {name: runner.Nothing(name) for name in ARENA} | without_bars()
    sys.addaudithook(watch.hook)
    function, problem = runner.defined(order["source"], order["function"])
    import ttt

    for name in ARENA:
        sys.modules.pop(name, None)
    vars(ttt).update({name: partial(watch.cheated, f"looked at the arena, by calling {name}") for name in MATCHES})
    random.seed(order["chance"])
    if "numpy" in sys.modules:
        with suppress(Exception):
            sys.modules["numpy"].random.seed(order["chance"])
    return function, problem


class Bar:
    """What stands in for tqdm's bars, which show nothing here: searches go on without."""

    n = total = 0

    def __init__(self, items: Iterable[Any] = (), *_: object, **__: object) -> None:
        self.items = items

    def __enter__(self) -> "Bar":
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def __iter__(self) -> Iterator[Any]:
        return iter(self.items)

    def update(self, *_: object) -> None:
        pass

    close = refresh = update


def without_bars() -> dict[str, ModuleType]:
    """The modules of tqdm's, with a bar that is none."""
    modules = {name: ModuleType(name) for name in ("tqdm", "tqdm.auto")}
    for module in modules.values():
        vars(module)["tqdm"] = Bar
    return modules


def answered(runner: Any, function: Any, board: Board, watch: Watch) -> tuple[str, object]:
    """What the player answers: ("cell", n), ("policy", pairs), or ("lost", why)."""
    watch.playing = True
    try:
        answer = function(board)
        watch.playing = False
        said = ("lost", watch.found) if watch.found else understood(runner, board, answer)
    except BaseException as error:
        watch.playing = False
        said = ("lost", watch.found or f"stopped with {runner.told(error)}")
    return said


def understood(runner: Any, board: Board, answer: Any) -> tuple[str, object]:
    """A cell, or the cells with their probabilities; else what came instead, in words."""
    if isinstance(answer, Mapping):
        return "policy", [[cell(board, move), float(chance)] for move, chance in answer.items()]
    try:
        return "cell", cell(board, answer)
    except Exception:
        return "lost", f"returned {runner.described(answer)}, which is no cell"


def cell(board: Board, answer: Any) -> int:
    """The index of a cell, however it is given."""
    return board.cell(answer if isinstance(answer, tuple) else index(answer))


if __name__ == "__main__":
    main()
