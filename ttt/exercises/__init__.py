"""Exercises: what students get of each, and the check, the expectations and the hints that go with it.

An exercise asks for a function. It says what the function is given (a board, and for instance a player, or a depth and
a heuristic), and what type of answer it returns. What is here is plain data, a JSON file for each exercise; only the
grading has the key. Known mistakes are recognised by a digest of the answers that they give. Beyond these, an exercise
says which module names its mistakes: `fitting` does so where a function adds up what lines are worth, and needs numpy
for it; `searching` where a function searches a tree.
"""

from ttt.exercises.answers import ANSWER_MISTAKES, NO_MOVE_COUNTED, STOPS, Answer, Drawing, Mistake, Question
from ttt.exercises.checking import Check, Hint, check, expect, hand_in, hint, misnamed
from ttt.exercises.exercise import Case, Exercise, KnownMistake, TreeNode, load, positions
from ttt.exercises.traits import in_common

__all__ = [
    "ANSWER_MISTAKES",
    "NO_MOVE_COUNTED",
    "STOPS",
    "Answer",
    "Case",
    "Check",
    "Drawing",
    "Exercise",
    "Hint",
    "KnownMistake",
    "Mistake",
    "Question",
    "TreeNode",
    "check",
    "expect",
    "hand_in",
    "hint",
    "in_common",
    "load",
    "misnamed",
    "positions",
]
