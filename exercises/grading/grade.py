"""A grade: the marks for what one student has handed in, and why some were lost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from exercises.grading import GradingError
from exercises.grading import interface as interface_key
from exercises.grading.key import GRADED, INTERFACE, Part, key

EXERCISES = (*GRADED, INTERFACE)
# What became of a submission, in the order in which they are counted.
RIGHT, WRONG = "right", "wrong"
CHANGED = "graded"  # a person has changed the marks, and they are not full
WAITING = "needs a person"  # who must mark a part, or confirm it
NOT_STARTED = "not started"  # still as it was handed out
PROBLEM = "problem"  # it can't be read, or has no function
TWICE, MISSING = "submitted twice", "missing"
STATUSES = (RIGHT, WRONG, CHANGED, WAITING, NOT_STARTED, PROBLEM, TWICE, MISSING)


@dataclass(frozen=True)
class Grade:
    """The marks for a submission, and what is told of it.

    Args:
        student: a unique name.
        status: one of `STATUSES`.
        reason: why marks were lost, for the student to read.
        marks: by the name of the part; None for a part that a person must mark. Without any, nothing could be graded.
        mistake: the name of the mistake that explains the answers, or "".
        lines: what the feedback page says of one question that was answered wrongly.
        picture: the same drawn, as SVG.
        wrong: the questions that were answered wrongly, by their places.
        answers: a digest of wrong answers that no mistake explains, or "".
        seconds: how long the submission ran.
        isolation: the level at which it ran; "" where nothing was run.
        comment: what a person says in the review form.
        kept: False where the grader itself failed, so that the next run tries again.
    """

    student: str
    status: str
    reason: str = ""
    marks: Mapping[str, float | None] = field(default_factory=dict)
    mistake: str = ""
    lines: Sequence[str] = ()
    picture: str = ""
    wrong: Sequence[int] = ()
    answers: str = ""
    seconds: float = 0
    isolation: str = ""
    comment: str = ""
    kept: bool = True

    @property
    def score(self) -> float | None:
        """All marks earned so far; None where nothing could be graded."""
        return sum(marks or 0 for marks in self.marks.values()) if self.marks else None

    @property
    def words(self) -> str:
        """What is said to the student, by the judge and by a person."""
        return " ".join(filter(None, (self.reason, self.comment)))

    def changed(self, **changes: Any) -> Grade:
        """The same with other fields."""
        return replace(self, **changes)


def parts_of(exercise: str) -> tuple[Part, ...]:
    """What marks are given for. Raises `GradingError` if the exercise is not one that is graded."""
    if exercise not in EXERCISES:
        raise GradingError(f"There is no exercise {exercise!r} to grade: it is {', '.join(EXERCISES)}.")
    return tuple(interface_key.parts) if exercise == INTERFACE else key(exercise).parts


def total(exercise: str) -> int:
    """The marks for a right submission."""
    return sum(part.marks for part in parts_of(exercise))
