"""The Flash lab's computers and the line-counting one, against the steps of their listings on a string of marks.

The listings play O; for X to move the marks are swapped.
"""

from random import Random

import pytest
from conftest import sampled
from oracles import LINES, UNFINISHED, with_mark

from ttt import PLAYERS, Board, play

ROWS, COLUMNS, DIAGONALS = LINES[:3], LINES[3:6], ((0, 4, 8), (2, 4, 6))


def flash_move(marks):
    """Section 6 of the sheet: searchWinningMove, then calculateHeuristic2 of each free cell."""
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


def line_counting_move(marks):
    """The method cpuMakeMoveHard. cpuMakeMove, a random move, is returned as None."""
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


@pytest.mark.parametrize("name, listed_move", [("flash-clever", flash_move), ("line-counts", line_counting_move)])
def test_a_computer_plays_as_its_listing_on_every_position_for_either_side(name, listed_move):
    for board in sampled(UNFINISHED, 2):
        marks = "".join(board)
        move = listed_move(marks.translate(str.maketrans("XO", "OX")) if board.turn == "X" else marks)
        expected = dict.fromkeys(board.moves, 1 / len(board.moves)) if move is None else {move: 1.0}
        assert PLAYERS[name].policy(board) == pytest.approx(expected)


def test_flash_fixed_always_wins_when_it_can_and_otherwise_plays_like_flash_clever():
    missed = 0
    for board in sampled(UNFINISHED, 2):
        (fixed,), (clever,) = PLAYERS["flash-fixed"].policy(board), PLAYERS["flash-clever"].policy(board)
        wins = [move for move in board.moves if board.play(move).winner]
        assert fixed in wins if wins else fixed == clever
        missed += bool(wins) and clever not in wins
    assert missed > 0


def test_the_clever_computer_plays_on_any_board():
    for board in (Board(shape=(4, 4, 4)), Board(shape=(4, 5), k=3), Board(shape=(3, 3, 3))):
        game = play("flash-clever", "random", board, rng=Random(1))
        assert game.winner == "X" and len(game.final.winning_lines[0]) == board.k
