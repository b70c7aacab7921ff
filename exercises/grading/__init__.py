"""Grades a class, and makes what students are handed, who have none of it: `python -m exercises.grading`."""

from pathlib import Path

ROOT = Path(__file__).parents[2]  # the lab's repository


class GradingError(RuntimeError):
    """Grading can't go on as it was asked for; the message says why and what to do."""
