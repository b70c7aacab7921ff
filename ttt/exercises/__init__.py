"""Exercises: what students get of each, and the check, the expectations and the hints that go with it.

An exercise asks for a function of a board and a player that returns a number. What is here is plain data, a JSON
file for each exercise; only the grading has the key. An exercise says which module names its mistakes: `fitting` does
so where a function adds up what lines are worth, and needs numpy for it.
"""

from ttt.exercises.checking import Check, Hint, NotYetRight, check, expect, hand_in, hint, misnamed
from ttt.exercises.exercise import ANSWER_MISTAKES, STOPS, Case, Drawing, Exercise, Mistake, Question, load, positions
from ttt.exercises.traits import shared

__all__ = [
    "ANSWER_MISTAKES",
    "STOPS",
    "Case",
    "Check",
    "Drawing",
    "Exercise",
    "Hint",
    "Mistake",
    "NotYetRight",
    "Question",
    "check",
    "expect",
    "hand_in",
    "hint",
    "load",
    "misnamed",
    "positions",
    "shared",
]
