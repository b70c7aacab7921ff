"""Monte-Carlo tree search, against exact minimax values and its own book-keeping."""

import pickle
from math import log, sqrt
from random import Random

import pytest
from oracles import UNFINISHED

from ttt.board import Board
from ttt.search import minimax
from ttt.search.mcts import MctsNode, mcts

SHAPES = [Board(), Board((4, 4)), Board((3, 4), 3), Board((4, 4, 4)), Board((2, 2, 2)), Board((1, 1)), Board((5,), 2)]


def test_the_same_seed_gives_the_same_search_and_another_one_another():
    assert mcts(Board(), 300, rng=Random(4)) == mcts(Board(), 300, rng=Random(4))
    assert mcts(Board(), 300, rng=Random(4)) != mcts(Board(), 300, rng=Random(5))


def test_it_finds_a_best_move_of_minimax_and_comes_close_to_its_value():
    sample = Random(1).sample(UNFINISHED, 16)
    found = [mcts(board, 2000, rng=Random(seed)) for seed, board in enumerate(sample)]
    truth = [minimax(board) for board in sample]
    assert all(one.move in exact.best_moves for one, exact in zip(found, truth, strict=True))
    assert all(abs(one.value - exact.value) < 0.2 for one, exact in zip(found, truth, strict=True))


@pytest.mark.parametrize("board", SHAPES, ids=lambda board: "x".join(map(str, board.shape)))
@pytest.mark.parametrize("playouts", [1, 7, 200])
def test_the_counts_of_the_tree_fit_together_on_any_board(board, playouts):
    found = mcts(board, playouts, rng=Random(2))
    assert found.playouts == playouts and found.method == "mcts"
    assert found.nodes <= playouts + 1 and found.nodes_per_ply[0] == 1
    assert found.depth == len(found.nodes_per_ply) - 1 >= len(found.principal_variation) > 0
    assert found.nodes_per_ply[1] == min(playouts, len(board.moves)) == len(found.move_values)
    assert found.interior >= found.depth and found.leaves >= 1 and found.cutoffs == 0
    assert found.move == found.best_moves[0] == found.principal_variation[0]
    assert found.value == found.values[found.move] and -1 <= found.value <= 1
    assert pickle.loads(pickle.dumps(found)) == found


def test_a_new_node_comes_with_every_playout_until_the_ends_of_games_are_in_the_tree():
    assert mcts(Board((4, 4, 4)), 500, rng=Random(1)).nodes == 501
    last = Board.from_text("XOX XOO -X-")
    assert mcts(last, 50, rng=Random(1)).nodes_per_ply == (1, 2, 2)


def test_a_board_where_the_game_is_over_is_worth_its_result_and_has_no_move():
    for text, value in (("XXX OO- ---", -1), ("XOX XOO OXX", 0)):
        found = mcts(Board.from_text(text), 10, rng=Random(1))
        assert (found.move, found.value, found.nodes, found.best_moves) == (None, value, 1, ())


def test_a_child_is_chosen_by_its_bound_and_the_best_move_by_visits_then_mean():
    root = MctsNode(Board.from_text("XOX XOO -X-"), Random(1))
    one, other = root.expand(Random(1)), root.expand(Random(1))
    root.visits, one.visits, other.visits = 12, 10, 2
    one.total, other.total = 5, 0
    balance = 0.5 / (sqrt(log(12) / 2) - sqrt(log(12) / 10))  # the exploration at which UCB1 is the same for both
    assert root.select(0.999 * balance) is one and root.select(1.001 * balance) is other
    move, second = root.children
    other.total = 2  # a better mean, of fewer visits
    assert root.best() == (move,)
    other.visits = 10
    assert root.best() == (move,)
    other.total = 6
    assert root.best() == (second,)
