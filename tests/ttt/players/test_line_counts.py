"""The line-counting computer, against a rendering of its listing.

The rendering works on a 3×3 list of lists with the listing's own names and control flow, and shares nothing with the
package. It plays O, as in the listing; for X to move the marks are swapped.
"""

import pytest
from oracles import UNFINISHED, rows_as_o

from ttt import PLAYERS


class Listing:
    """The method cpuMakeMoveHard and what it calls. cpuMakeMove, a random move, is returned as None."""

    def __init__(self, grid):
        self.grid = grid
        self.cpu_row = self.cpu_col = -1

    def get_value(self, column, row):
        return self.grid[row][column]

    def cpu_make_move_hard(self):
        x_grid = [[1 if self.get_value(j, i) == "X" else 0 for j in range(3)] for i in range(3)]
        o_grid = [[1 if self.get_value(j, i) == "O" else 0 for j in range(3)] for i in range(3)]
        x_counts = self.counts(x_grid)
        o_counts = self.counts(o_grid)
        self.seek_cpu_move(*o_counts, 2)
        if self.cpu_col == -1 or self.cpu_row == -1:
            self.seek_cpu_move(*x_counts, 2)
        if self.cpu_col == -1 or self.cpu_row == -1:
            self.seek_cpu_move(*o_counts, 1)
        if self.cpu_col == -1 or self.cpu_row == -1:
            self.seek_cpu_move(*x_counts, 1)
        if self.cpu_col == -1 or self.cpu_row == -1:
            return None
        return self.cpu_row, self.cpu_col

    def counts(self, grid):
        row_counts = [grid[0][0] + grid[0][1] + grid[0][2],
                      grid[1][0] + grid[1][1] + grid[1][2],
                      grid[2][0] + grid[2][1] + grid[2][2]]  # fmt: skip
        col_counts = [grid[0][0] + grid[1][0] + grid[2][0],
                      grid[0][1] + grid[1][1] + grid[2][1],
                      grid[0][2] + grid[1][2] + grid[2][2]]  # fmt: skip
        diag_counts = [grid[0][0] + grid[1][1] + grid[2][2], grid[2][0] + grid[1][1] + grid[0][2]]
        return row_counts, col_counts, diag_counts

    def seek_cpu_move(self, row_counts, col_counts, diag_counts, count_seek):
        row_target = col_target = diag_target = -1
        for i in range(3):
            if row_target == -1 and row_counts[i] == count_seek:
                row_target = i
            if col_target == -1 and col_counts[i] == count_seek:
                col_target = i
            if i < 2 and diag_target == -1 and diag_counts[i] == count_seek:
                diag_target = i
        for i in range(3):
            if row_target != -1 and self.get_value(i, row_target) == "-":
                self.cpu_col, self.cpu_row = i, row_target
                break
            if col_target != -1 and self.get_value(col_target, i) == "-":
                self.cpu_col, self.cpu_row = col_target, i
                break
            if diag_target == 0 and i == 0:
                if self.get_value(0, 0) == "-":
                    self.cpu_col, self.cpu_row = 0, 0
                    break
                if self.get_value(1, 1) == "-":
                    self.cpu_col, self.cpu_row = 1, 1
                    break
                if self.get_value(2, 2) == "-":
                    self.cpu_col, self.cpu_row = 2, 2
                    break
            elif diag_target == 1 and i == 1:
                if self.get_value(2, 0) == "-":
                    self.cpu_col, self.cpu_row = 2, 0
                    break
                if self.get_value(1, 1) == "-":
                    self.cpu_col, self.cpu_row = 1, 1
                    break
                if self.get_value(0, 2) == "-":
                    self.cpu_col, self.cpu_row = 0, 2
                    break


def listed_move(board):
    move = Listing(rows_as_o(board)).cpu_make_move_hard()
    return None if move is None else 3 * move[0] + move[1]


def test_line_counts_plays_as_the_listing_on_every_position_for_either_side():
    for board in UNFINISHED:
        move = listed_move(board)
        expected = dict.fromkeys(board.moves, 1 / len(board.moves)) if move is None else {move: 1.0}
        assert PLAYERS["line-counts"].policy(board) == pytest.approx(expected)
