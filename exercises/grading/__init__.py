"""Grades a class, and makes what students are handed: `python -m exercises.grading`, or `ttt grade` and its neighbours.

Neither the wheel nor what students are handed has any of it.
"""

import os
from pathlib import Path

ROOT = Path(__file__).parents[2]  # the lab's repository
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # submissions are judged side by side, so numpy needs no threads


class GradingError(RuntimeError):
    """Grading can't go on as it was asked for; the message says why and what to do."""
