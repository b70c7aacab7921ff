"""The command `ttt`: grades a class and builds the student edition, which does not include this package."""

import os
from pathlib import Path

ROOT = Path(__file__).parents[2]  # the lab's repository
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # submissions are judged in parallel, so numpy needs no threads


class GradingError(RuntimeError):
    """Grading can't continue as requested; the message says why and what to do."""
