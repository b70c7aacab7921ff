"""The line-counting computer, against the steps of its listing on a string of marks.

The listing plays O; for X to move the marks are swapped.
"""

import pytest
from oracles import LINES, UNFINISHED, marks_for_o

from ttt import PLAYERS

ROWS, COLUMNS, DIAGONALS = LINES[:3], LINES[3:6], ((0, 4, 8), (2, 4, 6))


def listed_move(board):
    """The method cpuMakeMoveHard. cpuMakeMove, a random move, is returned as None."""
    marks = marks_for_o(board)
    for count, player in ((2, "O"), (2, "X"), (1, "O"), (1, "X")):
        move = sought(marks, player, count)
        if move is not None:
            return move
    return None


def sought(marks, player, count):
    """The method seekCpuMove looks into the first row, column and diagonal with this many marks."""
    row, column, diagonal = (
        next((line for line in lines if [marks[cell] for cell in line].count(player) == count), None)
        for lines in (ROWS, COLUMNS, DIAGONALS)
    )
    for step in range(3):
        for line in (row, column):
            if line and marks[line[step]] == "-":
                return line[step]
        if step < 2 and diagonal == DIAGONALS[step]:
            for cell in diagonal:
                if marks[cell] == "-":
                    return cell
    return None


def test_line_counts_plays_as_the_listing_on_every_position_for_either_side():
    for board in UNFINISHED:
        move = listed_move(board)
        expected = dict.fromkeys(board.moves, 1 / len(board.moves)) if move is None else {move: 1.0}
        assert PLAYERS["line-counts"].policy(board) == pytest.approx(expected)
