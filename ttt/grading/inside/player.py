"""Asks a submitted player for its moves, inside the sandbox: gets one board after another, and answers with a cell.

The process holds the board that it is asked about and nothing else: no opponent, no arena, and no seed but its own. An
audit hook names the cheats that look for more; that they find nothing is due to the sandbox. Nobody trusts what is said
here.
"""

from __future__ import annotations

import json
import os
import random
import sys
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from math import prod
from operator import index
from types import FrameType, ModuleType
from typing import Any

import ttt
from ttt.board import Board, geometry, position
from ttt.grading.inside import submission
from ttt.grading.inside.submission import LONGEST

ARENA = ("ttt.arena", "ttt.tournament", "ttt.pools", "ttt.jobs", "ttt.statistics", "ttt.grading")
LOOKS = ("sys._getframe", "sys._current_frames", "gc.get_objects", "gc.get_referrers", "gc.get_referents")
STARTS = ("os.fork", "os.forkpty", "os.exec", "os.posix_spawn", "os.spawn", "os.system", "subprocess.Popen", "os.kill")
REACHES = ("socket.__new__", "socket.connect", "ctypes.dlopen")
MATCHES = ("exact", "match", "play", "strength_for")


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
        """What the submission does in an event, if that is a cheat; else ""."""
        frame = sys._getframe(2)  # past this method and the hook
        if event in LOOKS and self.called(frame):
            return f"looked for what is not its own, with {event}"
        if event not in ("import", "open", *STARTS, *REACHES) or not self.caused(frame):
            return ""
        what = str(details[0])[:LONGEST] if details else ""
        if event == "import" and what.startswith(ARENA):
            return f"looked at the arena, by importing {what}"
        if event == "open" and what.startswith("/proc"):
            return f"looked at the system, in {what}"
        if event in STARTS:
            return f"tried to start or stop a process, with {event}"
        if event in REACHES:
            return f"tried to get out of its process, with {event}"
        return ""

    def called(self, frame: FrameType) -> bool:
        """Whether the submission itself does it, rather than what it uses."""
        while frame.f_back and frame.f_code.co_filename.endswith("inspect.py"):
            frame = frame.f_back
        return frame.f_code.co_filename in self.files

    def caused(self, frame: FrameType | None) -> bool:
        """Whether the submission does it or has it done; what a module does while it is loaded is its own affair."""
        loading = frame is not None and frame.f_code.co_filename.startswith("<frozen importlib")
        while frame is not None and frame.f_code.co_filename not in self.files:
            if frame.f_code.co_name == "exec_module" and not loading:
                return False
            loading = loading and frame.f_code.co_filename.startswith("<frozen importlib")
            frame = frame.f_back
        return frame is not None


def main() -> None:
    """Read the submission, then answer one board after another."""
    order = json.loads(sys.stdin.buffer.readline())
    requests = os.fdopen(os.dup(0), "rb")
    answers = submission.private_output()
    watch = Watch(submission.lines_of)
    function, problem = ready(order, watch)

    def say(what: object) -> None:
        answers.write(json.dumps(what) + "\n")
        answers.flush()

    say({"ready": problem})
    lines, size = geometry(tuple(order["shape"]), order["k"]), prod(order["shape"])
    for line in requests if function else ():
        number, x, o = json.loads(line)
        board = position(lines, x & (1 << size) - 1, o & (1 << size) - 1, None)
        say([number, *answered(function, board, watch)])
    os._exit(0)


def ready(order: dict[str, Any], watch: Watch) -> tuple[Any, str]:
    """The submission's function and "", or None and what is wrong. While it is read, it may import the arena."""
    sys.stdout = sys.stderr = submission.Output()
    submission.prepare()
    sys.modules |= {name: submission.StandIn(name) for name in ARENA} | without_bars()
    sys.addaudithook(watch.hook)
    function, problem, _ = submission.function_in(order["source"], order["function"])
    for name in [name for name in sys.modules if name.startswith(ARENA)]:
        del sys.modules[name]
    vars(ttt).update({name: partial(watch.cheated, f"looked at the arena, by calling {name}") for name in MATCHES})
    random.seed(order["seed"])
    if "numpy" in sys.modules:
        with suppress(Exception):
            sys.modules["numpy"].random.seed(order["seed"])
    return function, problem


def without_bars() -> dict[str, ModuleType]:
    """tqdm's modules, with a progress bar that shows nothing."""
    modules = {name: ModuleType(name) for name in ("tqdm", "tqdm.auto")}
    for module in modules.values():
        vars(module)["tqdm"] = lambda items=(), *_, **__: items
    return modules


def answered(function: Any, board: Board, watch: Watch) -> tuple[str, object]:
    """What the player answers: ("cell", n), ("policy", pairs), or ("lost", why)."""
    watch.playing = True
    try:
        answer = function(board)
        watch.playing = False
        said = ("lost", watch.found) if watch.found else understood(board, answer)
    except BaseException as error:
        watch.playing = False
        said = ("lost", watch.found or f"stopped with {submission.in_words(error)}")
    return said


def understood(board: Board, answer: Any) -> tuple[str, object]:
    """A cell, or the cells with their probabilities; else what came instead, in words."""
    if isinstance(answer, Mapping):
        return "policy", [[cell(board, move), float(chance)] for move, chance in answer.items()]
    try:
        return "cell", cell(board, answer)
    except Exception:
        kind = "a whole number" if isinstance(answer, float) else "a cell"
        return "lost", f"returned {submission.described(answer)}, which is not {kind}"


def cell(board: Board, answer: Any) -> int:
    """The index of a cell, however it is given."""
    return board.cell(answer if isinstance(answer, tuple) else index(answer))


if __name__ == "__main__":
    main()
