"""Negamax and the perfect player against the definition, and the beatable one between random and perfect."""

from math import exp

import pytest
from conftest import sampled
from oracles import POSITIONS, UNFINISHED, distance, other, worth

from ttt import PLAYERS, Board
from ttt.players import beatable
from ttt.players.perfect import MAX_FREE_CELLS, outcome, prospect


def test_negamax_plays_the_first_of_the_best_moves_on_every_position_for_either_side():
    for board in UNFINISHED:
        best = [move for move in board.moves if -worth(board.play(move)) == worth(board)]
        assert PLAYERS["negamax"].policy(board) == {best[0]: 1.0}


def best_by_distance(board):
    """The moves that win soonest, else draw, else lose latest, by the definition of what a board is worth."""

    def rank(move):
        sign, n = distance(board.play(move))  # as the other side sees it
        return -sign, n * sign

    ranks = {move: rank(move) for move in board.moves}
    return [move for move in board.moves if ranks[move] == max(ranks.values())]


def test_perfect_wins_soonest_and_loses_latest_on_every_position_ties_even():
    for board in UNFINISHED:
        best = best_by_distance(board)
        assert PLAYERS["perfect"].policy(board) == dict.fromkeys(best, 1 / len(best))


def test_the_outcome_is_the_right_one_and_a_prospect_is_halved_for_every_move_that_the_end_is_away():
    for board in POSITIONS:
        sign, n = distance(board)
        assert outcome(board, board.turn) == sign == -outcome(board, other(board.turn))
        assert prospect(board, board.turn) == sign / 2**n == -prospect(board, other(board.turn))


def test_beatable_is_random_at_strength_0_and_perfect_at_strength_1_on_every_position():
    weakest, almost, strongest = beatable(0), beatable(1 - 1e-12), beatable(1)
    for board in sampled(UNFINISHED, 4):
        assert weakest.policy(board) == pytest.approx(PLAYERS["random"].policy(board))
        assert strongest.policy(board) == pytest.approx(almost.policy(board)) == PLAYERS["perfect"].policy(board)


@pytest.mark.parametrize("strength", [0.1, 0.5, 0.9])
def test_in_between_every_move_can_come_and_the_better_is_the_likelier(strength):
    player = beatable(strength)
    for board in sampled(UNFINISHED, 12):
        policy = player.policy(board)
        worth = {}
        for move in board.moves:
            sign, n = distance(board.play(move))
            worth[move] = -sign / 2**n
        assert set(policy) == set(board.moves)
        for one in board.moves:
            odds = exp((worth[one] - worth[board.moves[0]]) * 8 * strength / (1 - strength))
            assert policy[one] == pytest.approx(odds * policy[board.moves[0]])
            assert all(policy[one] > policy[two] for two in board.moves if worth[one] > worth[two])


def test_they_play_on_other_boards_of_up_to_twelve_free_cells():
    board = Board.from_text("XOXO OXOX ---- ----", shape=(4, 4))
    assert len(board) > MAX_FREE_CELLS == 12 and PLAYERS["negamax"].policy(board)
    assert PLAYERS["perfect"].plays_on(Board((3, 4))) and not PLAYERS["perfect"].plays_on(Board((1, 13)))
