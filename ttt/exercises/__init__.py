"""Exercises: what students get of each, and the check, the expectations and the hints that go with it.

An exercise asks for a function of a board and a player that returns a number. What is here is plain data, a JSON
file for each exercise; only the grading has the key.
"""

from ttt.exercises.checking import Check, Hint, NotYetRight, check, expect, hint
from ttt.exercises.exercise import ANSWER_MISTAKES, Case, Drawing, Exercise, Mistake, load

__all__ = [
    "ANSWER_MISTAKES",
    "Case",
    "Check",
    "Drawing",
    "Exercise",
    "Hint",
    "Mistake",
    "NotYetRight",
    "check",
    "expect",
    "hint",
    "load",
]
