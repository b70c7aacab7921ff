"""The line-counting computer, against a rendering of its listing.

The rendering works on a 3×3 list of lists with the listing's own names and control flow, and shares nothing with the
package. It plays O, as in the listing; for X to move the marks are swapped.
"""

import pytest
from oracles import UNFINISHED, other

from ttt import PLAYERS, Board, sure_win
from ttt.players import WrongBoard


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
    marks = "".join(board)
    if board.turn == "X":
        marks = marks.translate(str.maketrans("XO", "OX"))
    move = Listing([list(marks[start : start + 3]) for start in (0, 3, 6)]).cpu_make_move_hard()
    return None if move is None else 3 * move[0] + move[1]


def policy(text):
    return PLAYERS["line-counts"].policy(Board.from_text(text))


def test_line_counts_plays_as_the_listing_on_every_position_for_either_side():
    assert len(UNFINISHED) == 4520
    for board in UNFINISHED:
        move = listed_move(board)
        expected = dict.fromkeys(board.moves, 1 / len(board.moves)) if move is None else {move: 1.0}
        assert PLAYERS["line-counts"].policy(board) == pytest.approx(expected)


def test_chance_decides_on_the_empty_board_alone():
    assert [board for board in UNFINISHED if listed_move(board) is None] == [Board()]
    assert PLAYERS["line-counts"].policy(Board()) == pytest.approx(dict.fromkeys(range(9), 1 / 9))


def test_a_full_main_diagonal_hides_a_win_in_the_other_one():
    board = Board.from_text("O-- -XO XOX")  # O X X is the main diagonal, and - X X the other one
    assert board.turn == "X" and board.play(2).winner == "X"
    assert policy("O-- -XO XOX") == {3: 1.0}


def test_it_overlooks_nine_wins_and_sixteen_threats_and_all_for_that_reason():
    overlooked = {"win": [], "threat": []}
    for board in UNFINISHED:
        (move, *others), rival = PLAYERS["line-counts"].policy(board), other(board.turn)
        wins, threats = completing(board, board.turn), completing(board, rival)
        kind, player, cells = ("win", board.turn, wins) if wins else ("threat", rival, threats)
        if cells and move not in cells:
            overlooked[kind].append(board)
            assert not others and cells <= {2, 6}
            main_diagonal = [board[0], board[4], board[8]]
            assert main_diagonal.count(player) == 2 and "-" not in main_diagonal
    assert [len(boards) for boards in overlooked.values()] == [9, 16]


def completing(board, player):
    lines = [(cells, [board[cell] for cell in cells]) for cells in board.line_cells]
    return {cells[marks.index("-")] for cells, marks in lines if marks.count(player) == 2 and marks.count("-") == 1}


def test_a_fork_beats_it_as_o_for_sure():
    assert sure_win("line-counts").moves == (0, 4, 5, 3, 2, 1, 8)


def test_as_x_it_can_be_beaten_after_seven_of_its_nine_openings():
    lines = {cell: sure_win("line-counts", "X", Board().play(cell)) for cell in range(9)}
    assert [cell for cell, line in lines.items() if line is None] == [0, 6]
    assert lines[1].moves == (2, 0, 5, 8, 4, 3, 6)


def test_line_counts_cannot_play_other_boards_and_says_so():
    message = "line-counts plays on 3×3 with 3 in a row, not on 4×4 with 4 in a row"
    with pytest.raises(WrongBoard, match=message):
        PLAYERS["line-counts"].policy(Board(shape=(4, 4)))
