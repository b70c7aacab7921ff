"""The 3D report's player with its flaws, and the levels: what they do, how well, and how much they look at."""

from random import Random

import pytest
from oracles import CUBE, after, after_random

from ttt.heuristics import WIN_VALUE, LineWeights, gain
from ttt.players import cube
from ttt.players.cube import report_search
from ttt.players.player import best_moves
from ttt.qubic.forced import winning_line
from ttt.search import alphabeta, minimax

CORNER = CUBE.play(0)
EVERYONE = (cube.REPORT, cube.EASY, cube.MEDIUM, cube.HARD)
MARKS, POWERS = LineWeights(0, 1, 2, 3, 0), LineWeights(0, 1, 10, 100, 0)


def match(level, below, games, seed):
    """The share of games that a level wins, from random openings that are each played twice."""
    rng, won = Random(seed), 0
    for game in range(games):
        if game % 2 == 0:
            opening = after_random(rng, 4)
        board, side = opening, "XO"[game % 2]
        while not board.over:
            board = board.play((level if board.turn == side else below).choose(board, rng))
        won += board.winner == side
    return won / games


def test_the_cut_saves_calls_and_changes_the_value():
    cut = report_search(CORNER, heuristic=POWERS)
    assert (cut.value, cut.calls) == (-19, 7_408)
    assert alphabeta(CORNER, 4, POWERS, order="best-gain").value == -18


def test_without_the_cut_the_report_finds_what_minimax_finds():
    for seed in range(4):
        board = after_random(Random(seed), 50)
        for heuristic in (MARKS, POWERS):
            for depth in (1, 2, 3):
                found = report_search(board, depth, nearest=None, heuristic=heuristic)
                oracle = minimax(board, depth, heuristic)
                assert found.value == oracle.value and found.move in oracle.best_moves
                assert found.calls <= oracle.nodes


def test_the_cut_misses_a_win_in_one_that_is_far_off():
    board = after(0, 47, 1, 59, 2, 61, 63, 62)
    assert board.play(3).winner == "X"
    far = report_search(board, 1, last=(63, 62))
    assert far.move != 3 and far.value < WIN_VALUE
    assert report_search(board, 1, last=(63, 62), nearest=None) == (3, WIN_VALUE, 57)  # with all 56 moves


def test_a_win_is_worth_more_the_more_plies_are_left_and_the_last_marks_are_by_default_the_highest_cells():
    board = after(0, 47, 1, 59, 2, 61)
    assert report_search(board, 2, nearest=None)[:2] == (3, WIN_VALUE + 1)
    assert report_search(board, 2) == report_search(board, 2, last=(2, 61))


@pytest.mark.parametrize("player", EVERYONE, ids=lambda player: player.name)
def test_everyone_is_a_policy_that_never_changes_its_mind(player):
    for board in (CORNER, after_random(Random(1), 55)):
        policy = player.policy(board)
        assert policy == player.policy(board)
        assert set(policy) <= set(board.moves) and sum(policy.values()) == pytest.approx(1)
    assert player.policy(after(0, 16, 1, 17, 2, 18)) == {3: 1.0}  # everyone completes a line rather than block one


def test_easy_stops_a_three_unless_it_can_win_and_does_not_see_two_coming_and_hard_does():
    threatened = after(0, 16, 1, 20, 2)
    assert cube.EASY.policy(threatened) == cube.HARD.policy(threatened) == {3: 1.0}
    coming = after(1, 21, 2, 25, 4, 38, 8)  # X's next move in 0 makes two threes
    assert len(cube.EASY.policy(coming)) == len(coming.moves)
    assert cube.HARD.choose(coming, Random(0)) in (0, 3, 12)


def test_medium_takes_what_gains_most_once_it_has_stopped_a_three():
    rich = [cell for cell in CUBE.moves if sum(cell in line for line in CUBE.line_cells) == 7]
    assert cube.MEDIUM.policy(CUBE) == dict.fromkeys(rich, 1 / 16)
    threatened = after(1, 48, 2, 49, 4, 50, 8, 30)
    assert best_moves(gain(threatened)) == (0,) and threatened.play(7).play(51).winner == "O"
    assert cube.MEDIUM.policy(threatened) == cube.HARD.policy(threatened) == {51: 1.0}


def test_each_level_beats_the_one_below():
    assert match(cube.MEDIUM, cube.EASY, games=40, seed=4) >= 0.8
    assert match(cube.HARD, cube.MEDIUM, games=30, seed=4) >= 0.6  # of 100 it won 81


def forced_win(board):
    """A forced win of the side to move, as cells; tests/ttt/qubic compares it with trying everything."""
    return winning_line(*((board.x, board.o) if board.turn == "X" else (board.o, board.x)))


def test_hard_forces_a_win_else_blocks_else_takes_the_best_gain_that_leaves_none():
    rng = Random(0)
    for plies in (1, 6, 10, 14, 18) * 8:
        board = after_random(rng, plies)
        (cell,), gains = cube.HARD.policy(board), gain(board)
        lines = zip(board.line_cells, board.lines, strict=True)
        stops = {cells[marks.index("-")] for cells, marks in lines if marks.count("-") == 1 and board.turn not in marks}
        if forced_win(board):
            assert cell == forced_win(board)[0]
        elif stops:
            assert cell == min(stops)
        else:
            leaves_none = [free for free in board.moves if not forced_win(board.play(free))]
            assert cell == best_moves({free: gains[free] for free in leaves_none or board.moves})[0]
