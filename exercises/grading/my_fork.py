"""The key of the exercise my_fork in lesson 05: the cells where the side to move gets two threats at once."""

from __future__ import annotations

from typing import Any

from exercises.grading.edits import function, settings, slips
from exercises.grading.key import boards_file
from ttt.exercises.exercise import positions

SETTINGS = settings("my_fork")
SLIPS = slips("my_fork", [SETTINGS["right"]], SETTINGS["mistakes"])
my_fork = function("my_fork", SETTINGS["right"])


def students_file() -> dict[str, Any]:
    """What students have of the exercise: boards with and without a fork, and the mistakes that have names."""
    boards = [board for board in positions() if not board.over]
    forked = [board for board in boards if my_fork(board)]
    asked = list(dict.fromkeys([*forked[::25], *boards[::150]]))
    return boards_file("my_fork", my_fork, asked, SLIPS, returns="cells")
