"""The key of the exercise my_fork in lesson 05: the cells where the side to move gets two threats at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from exercises.grading.key import boards_file, slip
from ttt.board import Board, Mark, opponent
from ttt.exercises.exercise import positions


def students_file() -> dict[str, Any]:
    """What students have of the exercise: boards with and without a fork, and the mistakes that have names."""
    boards = [board for board in positions() if not board.over]
    forked = [board for board in boards if my_fork(board)]
    asked = list(dict.fromkeys([*forked[::25], *boards[::150]]))
    return boards_file("my_fork", my_fork, asked, SLIPS, returns="cells")


def my_fork(board: Board) -> list[int]:
    """The free cells where the side to move gets two threats at once."""
    return cells_with(board, lambda after: threats(after, board.turn) >= 2)


def cells_with(board: Board, holds: Callable[[Board], bool]) -> list[int]:
    """The free cells after which something holds."""
    return [cell for cell in board.moves if holds(board.play(cell))]


def threats(board: Board, player: Mark, blocked: bool = False) -> int:
    """How many lines lack just one mark of the player; those that are blocked count on demand."""
    return sum(line.count(player) == 2 and (blocked or "-" in line) for line in board.lines)


SLIPS = (
    slip(
        "threats of the other side",
        "Your function counts the threats of the other side. After play it is the other side's turn, so keep "
        "board.turn before you play.",
        lambda board: cells_with(board, lambda after: threats(after, after.turn) >= 2),
        lambda board: cells_with(board, lambda after: threats(after, opponent(board.turn)) >= 1),
    ),
    slip(
        "threats of one side only",
        "Your function counts the threats of the same side on every board. Count those of the side to move, which is X "
        "on some boards and O on others.",
        lambda board: cells_with(board, lambda after: threats(after, "X") >= 2),
        lambda board: cells_with(board, lambda after: threats(after, "O") >= 2),
    ),
    slip(
        "blocked lines counted",
        "Your function counts lines whose third cell is taken. A threat needs a free cell.",
        lambda board: cells_with(board, lambda after: threats(after, board.turn, True) >= 2),
    ),
    slip(
        "one threat is enough",
        "Your function takes one threat for a fork. It needs two at once.",
        lambda board: cells_with(board, lambda after: threats(after, board.turn) >= 1),
    ),
    slip(
        "three threats left out",
        "Your function leaves out cells that make three threats. Two or more are a fork: write >= 2.",
        lambda board: cells_with(board, lambda after: threats(after, board.turn) == 2),
    ),
    slip(
        "asked about the board before the move",
        "Your function asks about the board before the move. Ask about board.play(cell).",
        lambda board: cells_with(board, lambda after: threats(board, board.turn) >= 2),
    ),
    slip("no cell found", "Your function finds no fork on any board.", lambda board: []),
    slip("every cell", "Your function takes every free cell for a fork.", lambda board: list(board.moves)),
    slip(
        "one of several cells",
        "Your function stops at the first fork. Go through all free cells before you return.",
        lambda board: my_fork(board)[:1],
    ),
)
