"""The key of the exercise my_fork in lesson 05: the cells where the side to move gets two threats at once."""

from typing import Any

from exercises.grading.key import boards_file, function, settings, slips
from ttt.checks.exercise import positions

SETTINGS = settings("my_fork")
SLIPS = slips("my_fork", [SETTINGS["right"]], SETTINGS["mistakes"])
my_fork = function("my_fork", SETTINGS["right"])


def students_file() -> dict[str, Any]:
    """What students have of the exercise: boards with and without a fork, and the mistakes that have names."""
    boards = [board for board in positions() if not board.over]
    asked = dict.fromkeys([*[board for board in boards if my_fork(board)][::25], *boards[::150]])
    return boards_file("my_fork", my_fork, list(asked), SLIPS, returns="cells")
