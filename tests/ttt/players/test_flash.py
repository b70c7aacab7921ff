"""The Flash lab's computers, against a line-by-line rendering of the sheet's listing.

The rendering works on a 3×3 list of lists with the listing's own names and control flow, and shares nothing with the
package. It plays O, as in the listing; for X to move the marks are swapped.
"""

from random import Random

from oracles import UNFINISHED, rows_as_o

from ttt import PLAYERS, Board, play


class Listing:
    """Section 6 of the sheet, handler by handler."""

    def __init__(self, rows):
        self.board = rows
        self.optimalmove = [0, 0, -9]

    def play_intelligent(self):
        self.search_winning_move()
        if self.optimalmove[2] > -9:
            return self.optimalmove[0], self.optimalmove[1]
        self.try_heuristics()
        assert self.optimalmove[2] > -9, "the listing would now play randomly"
        return self.optimalmove[0], self.optimalmove[1]

    def search_winning_move(self):
        for row in range(3):
            if self.decides([(row, column) for column in range(3)]):
                return
        for column in range(3):
            if self.decides([(row, column) for row in range(3)]):
                return
        if self.decides([(index, index) for index in range(3)]):
            return
        self.decides([(index, 2 - index) for index in range(3)])

    def decides(self, cells):
        you = computer = 0
        winningmove = [-1, -1]
        for row, column in cells:
            player = self.board[row][column]
            if player == "-":
                winningmove = [row, column]
            elif player == "X":
                you += 1
            elif player == "O":
                computer += 1
        if (you == 2 or computer == 2) and winningmove[0] > -1:
            self.optimalmove = [*winningmove, 999]
            return True
        return False

    def try_heuristics(self):
        for row in range(3):
            for column in range(3):
                if self.board[row][column] == "-":
                    self.calculate_heuristic_2(row, column)

    def calculate_heuristic_2(self, possiblerow, possiblecolumn):
        boardtest = [row[:] for row in self.board]
        boardtest[possiblerow][possiblecolumn] = "O"
        open_x = open_o = 0
        lines = [[(row, column) for column in range(3)] for row in range(3)]
        lines += [[(row, column) for row in range(3)] for column in range(3)]
        lines += [[(index, index) for index in range(3)], [(index, 2 - index) for index in range(3)]]
        for line in lines:
            you = computer = 0
            for row, column in line:
                player = boardtest[row][column]
                if player == "-":
                    you += 1
                    computer += 1
                elif player == "X":
                    you += 1
                elif player == "O":
                    computer += 1
            if you == 3:
                open_x += 1
            if computer == 3:
                open_o += 1
        if open_o - open_x > self.optimalmove[2]:
            self.optimalmove = [possiblerow, possiblecolumn, open_o - open_x]


def listed_move(board):
    row, column = Listing(rows_as_o(board)).play_intelligent()
    return 3 * row + column


def wins_at_once(board):
    return [move for move in board.moves if board.play(move).winner]


def test_flash_clever_plays_as_the_listing_on_every_position_for_either_side():
    for board in UNFINISHED:
        assert PLAYERS["flash-clever"].policy(board) == {listed_move(board): 1.0}


def test_flash_fixed_always_wins_when_it_can_and_otherwise_plays_like_flash_clever():
    missed = 0
    for board in UNFINISHED:
        (fixed,), (clever,) = PLAYERS["flash-fixed"].policy(board), PLAYERS["flash-clever"].policy(board)
        if wins_at_once(board):
            assert fixed in wins_at_once(board)
            missed += clever not in wins_at_once(board)
        else:
            assert fixed == clever
    assert missed > 0


def test_the_clever_computer_plays_on_any_board():
    for board in (Board(shape=(4, 4, 4)), Board(shape=(4, 5), k=3), Board(shape=(3, 3, 3))):
        game = play("flash-clever", "random", board, rng=Random(1))
        assert game.winner == "X" and len(game.final.winning_lines[0]) == board.k
