"""A grade: the marks for what one student has handed in, and why some were lost."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

from exercises.grading import GradingError
from exercises.grading.key import GRADED, INTERFACE, INTERFACE_PARTS, Part, key

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
    """The marks for a submission, and what is told of it."""

    student: str  # a unique name
    status: str  # one of `STATUSES`
    reason: str = ""  # why marks were lost, for the student to read
    marks: Mapping[str, float | None] = field(default_factory=dict)  # by part; None where a person must mark
    mistake: str = ""  # the name of the mistake that explains the answers
    lines: Sequence[str] = ()  # what the feedback page says of one question that was answered wrongly
    picture: str = ""  # the same drawn, as SVG
    wrong: Sequence[int] = ()  # the places of the questions that were answered wrongly
    answers: str = ""  # a digest of wrong answers that no mistake explains
    seconds: float = 0  # how long the submission ran
    isolation: str = ""  # the level at which it ran
    comment: str = ""  # what a person says in the review form
    kept: bool = True  # False where the grader itself failed, so that the next run tries again

    @property
    def score(self) -> float | None:
        """All marks earned so far; None where nothing could be graded."""
        return sum(marks or 0 for marks in self.marks.values()) if self.marks else None

    @property
    def words(self) -> str:
        """What is said to the student, by the judge and by a person."""
        return " ".join(filter(None, (self.reason, self.comment)))

    def changed(self, **changes: Any) -> Self:
        """The same with other fields."""
        return replace(self, **changes)


def parts_of(exercise: str) -> tuple[Part, ...]:
    """What marks are given for. Raises `GradingError` if the exercise is not one that is graded."""
    if exercise not in EXERCISES:
        raise GradingError(f"There is no exercise {exercise!r} to grade: it is {', '.join(EXERCISES)}.")
    return INTERFACE_PARTS if exercise == INTERFACE else key(exercise).parts


def total(exercise: str) -> int:
    """The marks for a right submission."""
    return sum(part.marks for part in parts_of(exercise))
