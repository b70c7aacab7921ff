"""What an exercise's notebook imports: its check, expectations, hints and heuristics, and the challenge's ladder."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from ttt.exercises import checking
from ttt.exercises.asking import heuristic_named
from ttt.exercises.checking import Check, Hint, NotYetRight
from ttt.exercises.exercise import load
from ttt.exercises.ladder import Ladder, climb

__all__ = ["Check", "Hint", "Ladder", "NotYetRight", "check", "expect", "hand_in", "heuristic_named", "hint", "ladder"]


def check(function: Callable[..., Any], exercise: str = "heuristic_1") -> Check:
    """Try a function on what its exercise asks, and say how it did. Put it last in a cell to see the answer."""
    return checking.check(load(exercise), function)


def expect(*question: Any, exercise: str = "heuristic_1", **expected: object) -> Check:
    """Check the numbers that you worked out by hand for one of the exercise's boards, or for its tree."""
    return checking.expect(load(exercise), question, **expected)


def hint(exercise: str = "heuristic_1") -> Hint:
    """The next hint. Each one tells a little more; after the last, the first comes again."""
    return checking.hint(load(exercise))


def hand_in(exercise: str = "heuristic_1") -> Check:
    """Check the function that this notebook would hand in now.

    Choose Kernel → Restart Kernel and Run All Cells first. Then nothing is left over from cells that you have since
    changed or deleted, just as when the notebook is marked.
    """
    return checking.hand_in(load(exercise), vars(sys.modules["__main__"]))


def ladder(player: Callable[..., Any]) -> Ladder:
    """Where a player stands on the challenge's ladder, and what it misses. Put it last in a cell to see the ladder."""
    return climb(player)
