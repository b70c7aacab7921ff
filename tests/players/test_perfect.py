"""The perfect player against retrograde analysis, and the beatable one between random and perfect."""

from itertools import pairwise
from math import exp

import pytest
from oracles import DISTANCES, UNFINISHED, other

from ttt import PLAYERS, Board, exact, reachable
from ttt.players import WrongBoard, beatable
from ttt.players.perfect import prospect


def best_by_distance(board):
    """The moves that win soonest, else draw, else lose latest, by what retrograde analysis says of what follows."""

    def rank(move):
        sign, n = DISTANCES[board.play(move)]  # as the other side sees it
        return -sign, n * sign

    ranks = {move: rank(move) for move in board.moves}
    return [move for move in board.moves if ranks[move] == max(ranks.values())]


def test_perfect_wins_soonest_and_loses_latest_on_every_position_ties_even():
    assert len(UNFINISHED) == 4520
    for board in UNFINISHED:
        best = best_by_distance(board)
        assert PLAYERS["perfect"].policy(board) == dict.fromkeys(best, 1 / len(best))


def test_a_prospect_is_halved_for_every_move_that_the_end_is_away():
    assert len(DISTANCES) == 5478
    for board, (sign, n) in DISTANCES.items():
        assert prospect(board, board.turn) == sign / 2**n == -prospect(board, other(board.turn))


@pytest.mark.parametrize("side", ["X", "O"])
def test_perfect_never_loses_by_any_of_its_choices_against_all_moves_there_are(side):
    assert {board.winner for board in reachable("perfect", side)} == {side, None}


def test_beatable_is_random_at_strength_0_and_perfect_at_strength_1_on_every_position():
    weakest, strongest = beatable(0), beatable(1)
    for board in UNFINISHED:
        assert weakest.policy(board) == pytest.approx(PLAYERS["random"].policy(board))
        assert strongest.policy(board) == PLAYERS["perfect"].policy(board)


@pytest.mark.parametrize("strength", [0.1, 0.5, 0.9])
def test_in_between_every_move_can_come_and_the_better_is_the_likelier(strength):
    player = beatable(strength)
    for board in UNFINISHED:
        policy = player.policy(board)
        worth = {}
        for move in board.moves:
            sign, n = DISTANCES[board.play(move)]
            worth[move] = -sign / 2**n
        assert set(policy) == set(board.moves)
        for one in board.moves:
            odds = exp((worth[one] - worth[board.moves[0]]) * 8 * strength / (1 - strength))
            assert policy[one] == pytest.approx(odds * policy[board.moves[0]])
            assert all(policy[one] > policy[two] for two in board.moves if worth[one] > worth[two])


@pytest.mark.parametrize("opponent", ["random", "rules"])
def test_the_stronger_it_is_the_more_it_wins_and_the_less_it_loses(opponent):
    players = [beatable(fifth / 5) for fifth in range(6)]
    as_x = [exact(player, opponent) for player in players]
    as_o = [exact(opponent, player) for player in players]
    shares = [(x.x_wins, -x.o_wins, o.o_wins, -o.x_wins) for x, o in zip(as_x, as_o, strict=True)]
    for weaker, stronger in pairwise(shares):
        assert all(less <= more + 1e-12 for less, more in zip(weaker, stronger, strict=True))
        assert weaker[1] < stronger[1] and weaker[3] < stronger[3]


def test_it_misses_a_fork_more_often_than_a_threat_and_a_threat_more_often_than_a_win():
    win, threat, fork = (Board.from_text(text) for text in ("XX- OO- ---", "XX- -O- ---", "X-- -O- --X"))
    policies = [beatable(0.5).policy(board) for board in (win, threat, fork)]
    missed = [1 - policies[0][2], 1 - policies[1][2], policies[2][2] + policies[2][6]]
    assert missed == sorted(missed)


@pytest.mark.parametrize("strength", [-0.1, 1.5, float("nan")])
def test_a_strength_is_a_number_from_0_to_1(strength):
    with pytest.raises(ValueError, match=r"from 0 \(random\) to 1 \(perfect\), not "):
        beatable(strength)


def test_almost_perfect_is_no_overflow():
    player = beatable(1 - 1e-12)
    for board in UNFINISHED:
        assert player.policy(board) == pytest.approx(PLAYERS["perfect"].policy(board))


def test_a_beatable_player_says_its_strength():
    assert (beatable(0.25).name, PLAYERS["beatable"].name) == ("beatable(0.25)", "beatable")


def test_both_play_to_the_end_on_other_boards_and_say_so_where_it_is_too_far():
    assert prospect(Board(shape=(3, 4)), "X") > 0  # 3 in a row on 3×4 is a win for the first player
    for name in ("perfect", "beatable"):
        with pytest.raises(WrongBoard, match=f"{name} searches to the end"):
            PLAYERS[name].policy(Board(shape=(4, 4)))
