"""The perfect player wins every game in which it moves first, whatever the other side does."""

import random

import pytest
from oracles import CUBE

from ttt import PLAYERS, Board
from ttt.qubic import forced
from ttt.qubic.strategy import choose


def why(board):
    """What is said of X's move."""
    if forced.winning_cells(board.x, board.o):
        return "This completes a line."
    if forced.winning_line(board.x, board.o):
        return "From here every three forces a reply, until there are two threes at once."
    if forced.winning_cells(board.o, board.x):
        return "This blocks a line, and the first player still wins."
    return "From here the first player wins, whatever the other side does."


def at_random(board, rng):
    return rng.choice(board.moves)


def breaking(board, rng):
    """The moves that win or stop a line; else those that break the forced win in sight; else all."""
    if must := forced.winning_cells(board.o, board.x) or forced.winning_cells(board.x, board.o):
        return [must.bit_length() - 1]
    moves = rng.sample(board.moves, len(board.moves))
    if not forced.winning_line(board.x, board.o):
        return moves
    return [m for m in moves if not forced.winning_line(board.x, board.o | 1 << m)] or moves


def stubborn(board, rng):
    """Always breaks the forced win in sight."""
    return breaking(board, rng)[0]


def cube_hard(board, rng):
    """Plays like cube-hard, but the first two replies are random: otherwise all games would be the same."""
    return rng.choice(board.moves) if board.o.bit_count() < 2 else PLAYERS["cube-hard"].choose(board, rng)


@pytest.mark.parametrize("defender, games", [(at_random, 20), (stubborn, 8), (cube_hard, 3)])
def test_moving_first_it_wins_every_game_and_promises_so_at_every_move(defender, games):
    rng = random.Random(games)
    for _ in range(games):
        board = CUBE
        while not board.over:
            if board.turn == "X":
                choice = choose(board)
                assert choice is not None and choice.promise and choice.why == why(board), board
                board = board.play(choice.cell)
            else:
                board = board.play(defender(board, rng))
        assert board.winner == "X"


def test_of_two_threes_it_blocks_one_and_promises_nothing():
    x, o = (sum(1 << cell for cell in cells) for cells in ((0, 13, 38, 54, 63), (7, 20, 22, 23, 39)))
    choice = choose(Board(CUBE.shape, x=x, o=o))  # with a mark in both 21 and 55, X would win
    assert choice.cell in (21, 55) and not choice.promise and choice.why == "This blocks a line."


def test_off_the_path_the_player_plays_like_cube_hard():
    assert PLAYERS["cube-perfect"].policy(CUBE.play(0)) == PLAYERS["cube-hard"].policy(CUBE.play(0))
