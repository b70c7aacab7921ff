"""The perfect player wins every game in which it moves first, whatever the other side does."""

import random

import pytest

from ttt import Board
from ttt.qubic import forced
from ttt.qubic.perfect import NotQubic, choose

CUBE = Board(shape=(4, 4, 4))
MEMORY = forced.scratch()


def never(board):
    raise AssertionError(f"left the path at {board!r}")


def at_random(board, rng):
    return rng.choice(board.moves)


def stubborn(board, rng):
    """Wins or stops a line, else breaks the forced win in sight."""
    must = forced.holes(board.o, board.x) or forced.holes(board.x, board.o)
    if must:
        return must.bit_length() - 1
    moves = rng.sample(board.moves, len(board.moves))
    if not forced.winning_line(board.x, board.o, MEMORY):
        return moves[0]
    return next((m for m in moves if not forced.winning_line(board.x, board.o | 1 << m, MEMORY)), moves[0])


def threatening(board, rng):
    """Makes a three whenever it can, which leads off the main paths."""
    moves = rng.sample(board.moves, len(board.moves))
    made = [m for m in moves if forced.holes(board.o | 1 << m, board.x)]
    return made[0] if made and not forced.holes(board.x, board.o) else stubborn(board, rng)


@pytest.mark.parametrize("defender, games", [(at_random, 700), (stubborn, 200), (threatening, 200)])
def test_moving_first_it_wins_every_game_and_promises_so_at_every_move(defender, games):
    rng = random.Random(games)
    for _ in range(games):
        board = CUBE
        while not board.over:
            if board.turn == "X":
                choice = choose(board, never)
                assert choice.promise, board
            board = board.play(choice.cell if board.turn == "X" else defender(board, rng))
        assert board.winner == "X"


def test_off_the_path_it_asks_the_fallback_and_promises_nothing():
    second = choose(CUBE.play(0), lambda board: board.moves[-1])
    assert (second.cell, second.promise) == (63, False)


def test_it_plays_on_the_cube_only():
    with pytest.raises(NotQubic):
        choose(Board(), never)
