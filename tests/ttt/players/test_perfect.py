"""Negamax and the perfect player against the definition, and the beatable one between random and perfect."""

from math import exp

import pytest
from conftest import sampled
from oracles import POSITIONS, UNFINISHED, distance, other, worth

from ttt import PLAYERS, Board
from ttt.players import beatable
from ttt.players.perfect import MAX_FREE_CELLS, outcome, prospect


def test_negamax_plays_the_first_of_the_best_moves_and_perfect_wins_soonest_and_loses_latest_ties_even():
    for board in sampled(UNFINISHED, 2):
        first = next(move for move in board.moves if -worth(board.play(move)) == worth(board))
        assert PLAYERS["negamax"].policy(board) == {first: 1.0}
        ranks = {}
        for move in board.moves:
            sign, n = distance(board.play(move))  # as the other side sees it
            ranks[move] = -sign, n * sign
        best = [move for move in board.moves if ranks[move] == max(ranks.values())]
        assert PLAYERS["perfect"].policy(board) == dict.fromkeys(best, 1 / len(best))


def test_the_outcome_is_the_right_one_and_a_prospect_is_halved_for_every_move_that_the_end_is_away():
    for board in sampled(POSITIONS, 2):
        sign, n = distance(board)
        assert outcome(board, board.turn) == sign == -outcome(board, other(board.turn))
        assert prospect(board, board.turn) == sign / 2**n == -prospect(board, other(board.turn))


def test_beatable_is_random_at_strength_0_and_perfect_at_strength_1():
    weakest, almost, strongest = beatable(0), beatable(1 - 1e-12), beatable(1)
    for board in sampled(UNFINISHED, 8):
        assert weakest.policy(board) == pytest.approx(PLAYERS["random"].policy(board))
        assert strongest.policy(board) == pytest.approx(almost.policy(board)) == PLAYERS["perfect"].policy(board)


@pytest.mark.parametrize("strength", [0.1, 0.5, 0.9])
def test_in_between_every_move_can_come_and_the_better_is_the_likelier(strength):
    player = beatable(strength)
    for board in sampled(UNFINISHED, 24):
        ends = {move: distance(board.play(move)) for move in board.moves}
        weights = {move: exp(-sign / 2**n * 8 * strength / (1 - strength)) for move, (sign, n) in ends.items()}
        total = sum(weights.values())
        assert player.policy(board) == pytest.approx({move: weight / total for move, weight in weights.items()})


def test_they_play_on_other_boards_of_up_to_twelve_free_cells():
    board = Board.from_text("XOXO OXOX ---- ----", shape=(4, 4))
    assert len(board) > MAX_FREE_CELLS == 12 and PLAYERS["negamax"].policy(board)
    assert PLAYERS["perfect"].plays_on(Board((3, 4))) and not PLAYERS["perfect"].plays_on(Board((1, 13)))
