"""The Flash lab's computers, against the steps of the sheet's listing on a string of marks.

The listing plays O; for X to move the marks are swapped.
"""

from random import Random

from oracles import LINES, UNFINISHED, marks_for_o, with_mark

from ttt import PLAYERS, Board, play


def listed_move(board):
    """Section 6 of the sheet: searchWinningMove, then calculateHeuristic2 of each free cell."""
    marks = marks_for_o(board)
    for line in LINES:
        found = [marks[cell] for cell in line]
        if "-" in found and 2 in (found.count("X"), found.count("O")):
            return line[found.index("-")]
    optimal, most = None, -9
    for cell in (cell for cell in range(9) if marks[cell] == "-"):
        lines = [{with_mark(marks, cell, "O")[place] for place in line} for line in LINES]
        open_o, open_x = (sum(rival not in line for line in lines) for rival in "XO")
        if open_o - open_x > most:
            optimal, most = cell, open_o - open_x
    return optimal


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
