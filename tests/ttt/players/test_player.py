"""Players as policies. What is said of answers that are not moves, and of what can't play, is in test_said.py."""

from decimal import Decimal
from fractions import Fraction
from functools import cache, partial
from random import Random

import numpy as np
import pytest
from conftest import sampled
from oracles import UNFINISHED, after

import ttt
from ttt import PLAYERS, Board, Player, greedy, open_lines, searcher
from ttt.heuristics import LineWeights
from ttt.players import as_player


def test_every_policy_is_a_distribution_over_free_cells():
    for board in sampled(UNFINISHED, 32):
        for player in [one for one in PLAYERS.values() if one.plays_on(board)]:
            policy = player.policy(board)
            assert set(policy) <= set(board.moves) and all(chance > 0 for chance in policy.values())
            assert sum(policy.values()) == pytest.approx(1)


def test_greedy_plays_all_cells_with_the_highest_value_alike():
    for board in sampled(UNFINISHED, 4):
        values = {cell: open_lines(board.play(cell), board.turn) for cell in board.moves}
        best = [cell for cell in board.moves if values[cell] == max(values.values())]
        assert PLAYERS["open-lines"].policy(board) == pytest.approx(dict.fromkeys(best, 1 / len(best)))


NEVER_LOSE = [(name, side) for name in ("rules", "perfect", "negamax") for side in "XO"]
FORKED = [(name, "X") for name in ("flash-clever", "flash-fixed", "rules-coded")]  # as O; see arena/test_games.py


@pytest.mark.parametrize("name, side", [*NEVER_LOSE, *FORKED])
def test_a_player_that_never_loses_loses_by_none_of_its_choices_against_any_moves(name, side):
    assert {board.winner for board in ttt.reachable(name, side)} == {side, None}
    assert ttt.shortest_loss(name, side) is ttt.sure_win(name, side) is None


def test_a_function_is_a_player_with_its_own_name():
    def last_free(board):
        """Plays last.

        This is not shown.
        """
        return board.coordinates(board.moves[-1])

    player = as_player(last_free)
    assert (player.name, player.about, player.policy(Board())) == ("last_free", "Plays last.", {8: 1.0})
    assert greedy(lambda board, player: -board.moves[0], "mine").name == "mine"


def test_choose_draws_by_the_policys_chances():
    player = Player("mostly four", lambda board: {4: 0.75, 0: 0.25})
    drawn = [player.choose(Board(), Random(seed)) for seed in range(2000)]
    assert set(drawn) == {0, 4} and 0.7 < drawn.count(4) / 2000 < 0.8


def test_probabilities_are_numbers_of_any_kind_and_a_cell_that_is_given_twice_has_both():
    shares = {0: Fraction(1, 2), 1: Decimal("0.25"), (0, 0): np.float32(0.25), 3: 0}
    assert Player("mine", lambda board: shares).policy(Board()) == {0: 0.75, 1: 0.25}


def test_what_can_be_called_with_a_board_plays_and_with_a_board_and_a_player_judges():
    assert greedy(lambda board, player, weight=3: weight).policy(Board())[0] == 1 / 9
    assert greedy(lambda *given: 0).policy(Board())[0] == 1 / 9
    for rule in (lambda board, depth=3: board.moves[0], lambda *cells: 0, partial(min, key=str), min):
        assert as_player(rule).rule is rule


def value(board, depth=9, alpha=-9, beta=9):
    """Minimax, for X, to a depth: a win counts 100, and an unfinished board counts what heuristic 1 says."""
    if board.over or depth == 0:
        return {"X": 100, "O": -100, None: 0}[board.winner] if board.over else LineWeights(0, 1, 3, 0)(board, "X")
    values = [value(board.play(move), depth - 1) for move in board.moves]
    return max(values) if board.turn == "X" else min(values)


@cache
def worth_ahead(board, depth):
    return value(board, depth)


# By plies looked ahead: the share of games lost as O against `random`, and whether any X can beat the player.
AHEAD = {1: (0.0259, True), 2: (0, False), 3: (0.0127, True)}


@pytest.mark.parametrize("depth", AHEAD)
def test_a_searcher_looks_ahead_that_many_plies_of_which_its_own_move_is_the_first(depth):
    player = searcher(worth_ahead, depth=depth)
    assert ttt.exact("random", player).x_wins == pytest.approx(AHEAD[depth][0], abs=5e-5)
    assert bool(ttt.shortest_loss(player, plays="O")) == AHEAD[depth][1]


def test_a_searcher_plays_for_its_own_side_and_shows_what_it_sees():
    board = Board.from_text("XX- OO- ---")
    assert searcher(value, depth=1).policy(board) == searcher(value).policy(board) == {2: 1}
    assert searcher(value, depth=1).policy(Board.from_text("XX- OO- X--")) == {5: 1}
    player = searcher(value, depth=2, alpha=-100, beta=100)
    assert player.heuristic(board.play(2), "X") == 100 and player.heuristic(board.play(2), "O") == -100
    assert searcher(lambda board: 7 if board.winner else 0).policy(after(0, 63, 1, 60, 2, 51)) == {3: 1}
