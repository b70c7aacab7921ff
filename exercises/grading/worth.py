"""The key of the exercise worth in lesson 06: what a board is worth to X if both sides play as well as they can."""

from typing import Any

from exercises.grading.key import boards_file, function, settings, slips
from ttt.checks.exercise import positions

SETTINGS = settings("worth")
SLIPS = slips("worth", [SETTINGS["right"]], SETTINGS["mistakes"])
worth = function("worth", SETTINGS["right"])


def students_file() -> dict[str, Any]:
    """What students have of the exercise: boards with few free cells, and the mistakes that have names."""
    boards = [board for board in positions() if len(board.moves) <= 5][::45]
    return boards_file("worth", worth, sorted(boards, key=lambda board: len(board.moves)), SLIPS)
