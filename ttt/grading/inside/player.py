"""Asks a submitted player for its moves, inside the sandbox: gets one board after another, and answers with a cell.

The process holds the board that it is asked about and nothing else: no opponent, no arena, and no seed but its own. Who
looks for more finds nothing. Nobody trusts what is said here.
"""

from __future__ import annotations

import json
import os
import random
import sys
from collections.abc import Mapping
from contextlib import suppress
from math import prod
from operator import index
from types import ModuleType
from typing import Any

from ttt.board import Board, geometry, position
from ttt.grading.inside import submission

ARENA = ("ttt.arena", "ttt.tournament", "ttt.jobs", "ttt.statistics", "ttt.grading")


def main() -> None:
    """Read the submission, then answer one board after another."""
    order = json.loads(sys.stdin.buffer.readline())
    requests = os.fdopen(os.dup(0), "rb")
    answers = submission.private_output()
    function, problem = ready(order)

    def say(what: object) -> None:
        answers.write(json.dumps(what) + "\n")
        answers.flush()

    say({"ready": problem})
    lines, size = geometry(tuple(order["shape"]), order["k"]), prod(order["shape"])
    for line in requests if function else ():
        number, x, o = json.loads(line)
        board = position(lines, x & (1 << size) - 1, o & (1 << size) - 1, None)
        say([number, *answered(function, board)])
    os._exit(0)


def ready(order: dict[str, Any]) -> tuple[Any, str]:
    """The submission's function and "", or None and what is wrong. Stand-ins take the arena's place."""
    sys.stdout = sys.stderr = submission.Output()
    submission.prepare()
    sys.modules |= {name: submission.StandIn(name) for name in ARENA} | without_bars()
    function, problem, _ = submission.function_in(order["source"], order["function"])
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


def answered(function: Any, board: Board) -> tuple[str, object]:
    """What the player answers: ("cell", n), ("policy", pairs), or ("lost", why)."""
    try:
        return understood(board, function(board))
    except BaseException as error:
        return "lost", f"stopped with {submission.in_words(error)}"


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
