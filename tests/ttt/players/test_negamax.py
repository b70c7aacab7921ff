"""The negamax of the blog post, against a rendering of its listing with make and undo on one array.

The rendering keeps the listing's names and control flow and shares nothing with the package. One thing is added: scores
are remembered by grid, since the listing would search two million nodes here.
"""

from oracles import DISTANCES, UNFINISHED, other

from ttt import PLAYERS, Board
from ttt.players.negamax import MAX_FREE_CELLS, outcome


class Listing:
    scores = {}  # noqa: RUF012

    def __init__(self, marks, side_to_play):
        self.grid = [" " if mark == "-" else mark for mark in marks]
        self.side_to_play = side_to_play
        self.at_move = 9 - self.grid.count(" ")

    def switch_turn(self):
        self.side_to_play = "X" if self.side_to_play == "O" else "O"

    def make_move(self, move):
        self.grid[move] = self.side_to_play
        self.switch_turn()
        self.at_move += 1

    def undo_move(self, move):
        self.grid[move] = " "
        self.switch_turn()
        self.at_move -= 1

    def evaluate(self):
        g = self.grid
        for a, b, c in ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)):
            if g[a] != " " and g[a] == g[b] and g[b] == g[c]:
                return self.side_won_the_game()
        return 0

    def side_won_the_game(self):
        return 1 if self.side_to_play == "O" else -1

    def no_more_moves(self):
        return self.evaluate() != 0 or " " not in self.grid

    def negate_score(self, score):
        return -score if self.side_to_play == "O" else score

    def mini_max(self, at_move):
        if self.no_more_moves():
            return self.negate_score(self.evaluate())
        move = self.get_next_move(0)
        best_value = -2
        best_move = 0
        while move != -1:
            self.make_move(move)
            score = -self.remembered()
            if score > best_value:
                best_value = score
                best_move = move
            self.undo_move(move)
            move = self.get_next_move(move + 1)
        if at_move == self.at_move:
            return best_move
        return best_value

    def remembered(self):
        key = "".join(self.grid)
        if key not in self.scores:
            self.scores[key] = self.mini_max(-1)
        return self.scores[key]

    def get_next_move(self, last):
        for i in range(last, 9):
            if self.grid[i] == " ":
                return i
        return -1


def listed_move(board):
    listing = Listing(board, board.turn)
    return listing.mini_max(listing.at_move)


def test_negamax_plays_as_the_listing_on_every_position_for_either_side():
    for board in UNFINISHED:
        assert PLAYERS["negamax"].policy(board) == {listed_move(board): 1.0}


def test_outcome_is_what_retrograde_analysis_finds_on_every_position():
    for board in DISTANCES:
        sign, _ = DISTANCES[board]
        assert outcome(board, board.turn) == sign == -outcome(board, other(board.turn))


def test_negamax_plays_on_other_boards_of_up_to_twelve_free_cells():
    assert PLAYERS["negamax"].policy(Board(shape=(3, 4))) == {0: 1.0}
    board = Board.from_text("XOXO ---- ---- ----", shape=(4, 4))
    assert len(board.moves) == MAX_FREE_CELLS == 12 and PLAYERS["negamax"].policy(board)
