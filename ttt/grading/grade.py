"""What every exercise gives a submission: a grade, and one board where the submission went wrong."""

from __future__ import annotations

from dataclasses import dataclass

from ttt.board import Board, Line, Mark


class GradingError(RuntimeError):
    """Grading can't go on as it was asked for; the message says why and what to do."""


@dataclass(frozen=True)
class Case:
    """One board where a submission went wrong, with the right value and, in words, what the submission gave.

    Args:
        explanation: a sentence on what makes up the right value.
        drawings: what is to be seen on the board: each time a player, a caption, and lines in that player's colour.
    """

    board: Board
    player: Mark
    right: float
    given: str
    explanation: str = ""
    drawings: tuple[tuple[Mark, str, tuple[Line, ...]], ...] = ()


@dataclass(frozen=True)
class Grade:
    """The marks for a submission, and why some were lost.

    Args:
        parts: for each part of the exercise what it asks, the marks earned and the marks possible.
        status: "right", "wrong", "not started" or "problem"; for the interface also "needs a person" and "graded".
        reason: why marks were lost, for the student to read.
        misconception: the known mistake that explains the answers.
        case: the simplest board that went wrong.
        seconds: how long the submission ran.
        isolation: the level of isolation it ran under; "" where nothing was run.
    """

    score: float
    max_score: float
    parts: tuple[tuple[str, float, float], ...]
    status: str
    reason: str
    misconception: str = ""
    case: Case | None = None
    seconds: float = 0
    isolation: str = ""
