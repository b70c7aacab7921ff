"""The key of the exercise worth in lesson 06: what a board is worth to X if both sides play as well as they can."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from exercises.grading.key import boards_file, slip
from ttt.board import Board
from ttt.exercises.exercise import positions

ENDS = {"X": 1, "O": -1, None: 0}


def students_file() -> dict[str, Any]:
    """What students have of the exercise: boards with few free cells, and the mistakes that have names."""
    boards = [board for board in positions() if len(board.moves) <= 5][::45]
    return boards_file("worth", worth, sorted(boards, key=lambda board: len(board.moves)), SLIPS)


def worth(board: Board) -> float:
    """What a board is worth to X."""
    return searched(board, max, min)


def searched(
    board: Board,
    for_x: Callable[[Iterable[float]], float],
    for_o: Callable[[Iterable[float]], float],
    ends: Mapping[str | None, float] = ENDS,
) -> float:
    """Minimax, with what each side takes of the values, and what finished games are worth."""
    if board.over:
        return ends[board.winner]
    values = [searched(board.play(move), for_x, for_o, ends) for move in board.moves]
    return (for_x if board.turn == "X" else for_o)(values)


def with_ends(**ends: float) -> Callable[[Board], float]:
    """Minimax where finished games are worth something else, by the winner; `draw` for none."""
    worths = {**ENDS, **{(None if name == "draw" else name): worth for name, worth in ends.items()}}
    return lambda board: searched(board, max, min, worths)


def first(values: Iterable[float]) -> float:
    """The first of some values."""
    return next(iter(values))


SLIPS = (
    slip(
        "max and min swapped",
        "In your function X takes the lowest value and O the highest. It is the other way round.",
        lambda board: searched(board, min, max),
    ),
    slip(
        "both sides maximise",
        "In your function both sides take the highest value. O takes the lowest.",
        lambda board: searched(board, max, max),
    ),
    slip(
        "both sides minimise",
        "In your function both sides take the lowest value. X takes the highest.",
        lambda board: searched(board, min, min),
    ),
    slip(
        "sign of the win",
        "Your function counts a won game for the wrong side. To X, a win of X is worth 1 and a win of O −1.",
        with_ends(X=-1, O=1),
    ),
    slip(
        "wins of O not seen",
        "A game that O has won is worth −1 to X; your function gives another value.",
        *(with_ends(O=0), with_ends(O=1)),
    ),
    slip(
        "another worth for a win",
        "To X, a win of X is worth 1 and a win of O −1; your function gives other values.",
        *(with_ends(X=win, O=-win) for win in (10, 100, 1000)),
    ),
    slip(
        "draws worth something",
        "A drawn game is worth 0; your function gives another value.",
        *(with_ends(draw=draw) for draw in (1, -1, 0.5)),
    ),
    slip(
        "seen from the side to move",
        "Your function sees the value from the side to move. Here it is asked what a board is worth to X.",
        lambda board: worth(board) * (1 if board.turn == "X" else -1),
    ),
    slip(
        "only the first move",
        "Your function looks at the first move only. Is there a return inside the loop?",
        lambda board: searched(board, first, first),
    ),
    slip(
        "sums up",
        "Your function adds values up. Each side takes one of them.",
        lambda board: searched(board, sum, sum),
    ),
)
