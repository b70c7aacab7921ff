"""Grades a class, and makes what students are handed, who have none of it: the command `ttt`."""

import os
from pathlib import Path

ROOT = Path(__file__).parents[2]  # the lab's repository
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # submissions are judged side by side, so numpy needs no threads


class GradingError(RuntimeError):
    """Grading can't go on as it was asked for; the message says why and what to do."""
