"""The key of the exercise worth in lesson 06: what a board is worth to X if both sides play as well as they can."""

from collections.abc import Callable, Iterable, Mapping
from functools import cache

from ttt.board import Board
from ttt.exercises import positions
from ttt.grading.key import Key, Slip, on_boards

ENDS = {"X": 1, "O": -1, None: 0}


@cache
def key() -> Key:
    """The key: the right function, boards with few free cells, and the mistakes that have names."""
    boards = [board for board in positions((3, 3), 3) if len(board.moves) <= 5]
    return on_boards("worth", worth, sorted(boards[::45], key=lambda board: len(board.moves)), SLIPS)


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


SLIPS = (
    Slip(
        "max and min swapped",
        "In your function X takes the lowest value and O the highest. It is the other way round.",
        (lambda board: searched(board, min, max),),
    ),
    Slip(
        "both sides maximise",
        "In your function both sides take the highest value. O takes the lowest.",
        (lambda board: searched(board, max, max),),
    ),
    Slip(
        "both sides minimise",
        "In your function both sides take the lowest value. X takes the highest.",
        (lambda board: searched(board, min, min),),
    ),
    Slip(
        "sign of the win",
        "Your function counts a won game for the wrong side. To X, a win of X is worth 1 and a win of O −1.",
        (lambda board: searched(board, max, min, {"X": -1, "O": 1, None: 0}),),
    ),
    Slip(
        "wins of O not seen",
        "A game that O has won is worth −1 to X; your function gives another value.",
        (
            lambda board: searched(board, max, min, {"X": 1, "O": 0, None: 0}),
            lambda board: searched(board, max, min, {"X": 1, "O": 1, None: 0}),
        ),
    ),
    Slip(
        "another worth for a win",
        "To X, a win of X is worth 1 and a win of O −1; your function gives other values.",
        tuple(
            lambda board, win=win: searched(board, max, min, {"X": win, "O": -win, None: 0}) for win in (10, 100, 1000)
        ),
    ),
    Slip(
        "draws worth something",
        "A drawn game is worth 0; your function gives another value.",
        tuple(lambda board, draw=draw: searched(board, max, min, {**ENDS, None: draw}) for draw in (1, -1, 0.5)),
    ),
    Slip(
        "seen from the side to move",
        "Your function sees the value from the side to move. Here it is asked what a board is worth to X.",
        (lambda board: worth(board) * (1 if board.turn == "X" else -1),),
    ),
    Slip(
        "only the first move",
        "Your function looks at the first move only. Is there a return inside the loop?",
        (lambda board: searched(board, lambda values: next(iter(values)), lambda values: next(iter(values))),),
    ),
    Slip(
        "sums up",
        "Your function adds values up. Each side takes one of them.",
        (lambda board: searched(board, sum, sum),),
    ),
)
