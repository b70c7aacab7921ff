"""What every exercise gives a submission: a grade, and one board where the submission went wrong."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from ttt.board import Board, Line, Mark
from ttt.exercises import TreeNode
from ttt.exercises.answers import Value

# The statuses of what a student has handed in, in the order in which they are counted.
RIGHT, WRONG = "right", "wrong"
CHANGED = "graded"  # a person has changed the marks, and they are not full
WAITING = "needs a person"  # who must mark a part
NOT_STARTED = "not started"  # still as it was handed out
PROBLEM = "problem"  # it can't be read, or doesn't run to its end
TWICE, MISSING = "submitted twice", "missing"
STATUSES = (RIGHT, WRONG, CHANGED, WAITING, NOT_STARTED, PROBLEM, TWICE, MISSING)


class GradingError(RuntimeError):
    """Grading can't go on as it was asked for; the message says why and what to do."""


class PartMarks(NamedTuple):
    """The marks for one part of an exercise.

    Args:
        name: in one word, for columns of tables.
        title: what the part asks, in the words of the notebook.
        got: the marks earned; None as long as a person must decide.
        most: the marks possible.
    """

    name: str
    title: str
    got: float | None
    most: float

    @property
    def full(self) -> bool:
        """Whether all of the part's marks are earned."""
        return self.got == self.most


@dataclass(frozen=True)
class Case:
    """One board where a submission went wrong, with the right value and, in words, what the submission gave.

    Args:
        explanation: a sentence on what makes up the right value.
        drawings: what is to be seen on the board: each time a player, a caption, and lines in that player's colour.
        rest: what the function was given besides the board and the player: how far to look, and the heuristic's name.
        tree: what the right search visits, if the board is to be shown as a tree.
        asked: what the submission asked the heuristic.
    """

    board: Board
    player: Mark
    right: Value
    given: str
    explanation: str = ""
    drawings: tuple[tuple[Mark, str, tuple[Line, ...]], ...] = ()
    rest: tuple[int | str, ...] = ()
    tree: tuple[TreeNode, ...] = ()
    asked: tuple[tuple[Board, Mark], ...] = ()


@dataclass(frozen=True)
class Grade:
    """The marks for a submission, and why some were lost.

    Args:
        status: `RIGHT`, `WRONG`, `NOT_STARTED` or `PROBLEM`; for the interface also `WAITING`.
        reason: why marks were lost, for the student to read.
        misconception: the known mistake that explains the answers.
        case: the simplest board that went wrong.
        seconds: how long the submission ran.
        isolation: the level of isolation it ran under; "" where nothing was run.
        wrong: wrong answers to some questions, the same ones for everybody: the question's place and the number given,
            or None where it was no number.
        late: whether marks were lost and something took too long, so that on a quiet machine there might be more.
    """

    parts: tuple[PartMarks, ...]
    status: str
    reason: str
    misconception: str = ""
    case: Case | None = None
    seconds: float = 0
    isolation: str = ""
    wrong: tuple[tuple[int, float | None], ...] = ()
    late: bool = False

    @property
    def score(self) -> float:
        """All marks earned so far."""
        return total(self.parts)

    @property
    def max_score(self) -> float:
        """All marks possible."""
        return sum(part.most for part in self.parts)


def total(parts: Iterable[PartMarks]) -> float:
    """The marks earned in all parts together; those that a person must decide on are not counted yet."""
    return sum(part.got or 0.0 for part in parts)
