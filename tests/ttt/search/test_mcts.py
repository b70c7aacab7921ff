"""Monte-Carlo tree search, against exact minimax values and its own book-keeping."""

import pickle
from math import log, sqrt
from random import Random

from oracles import UNFINISHED, worth

from ttt.board import Board
from ttt.search.mcts import MctsNode, mcts

SHAPES = [Board(), Board((4, 4)), Board((3, 4), 3), Board((4, 4, 4)), Board((2, 2, 2)), Board((1, 1)), Board((5,), 2)]


def test_the_same_seed_gives_the_same_search_and_another_one_another():
    once, again, another, fresh = (mcts(Board(), 100, rng=rng) for rng in (Random(4), Random(4), Random(5), None))
    assert once == again and len({once.move_values, another.move_values, fresh.move_values}) == 3


def test_it_finds_a_best_move_and_comes_close_to_its_worth():
    for seed, board in enumerate(Random(1).sample(UNFINISHED, 16)):
        found = mcts(board, 1000, rng=Random(seed))
        assert -worth(board.play(found.move)) == worth(board) and abs(found.value - worth(board)) < 0.25


def test_the_counts_of_the_tree_fit_together_on_any_board():
    for board in SHAPES:
        for playouts in (1, 7, 100):
            found = mcts(board, playouts, rng=Random(2))
            assert found.playouts == playouts and found.method == "mcts"
            assert found.nodes <= playouts + 1 and found.nodes_per_ply[0] == 1
            assert found.depth == len(found.nodes_per_ply) - 1 >= len(found.principal_variation) > 0
            assert found.nodes_per_ply[1] == min(playouts, len(board.moves)) == len(found.move_values)
            assert found.interior >= found.depth and found.leaves >= 1 and found.cutoffs == 0
            assert found.move == found.best_moves[0] == found.principal_variation[0]
            assert found.value == found.values[found.move] and -1 <= found.value <= 1
            assert pickle.loads(pickle.dumps(found)) == found
    assert mcts(Board((4, 4, 4)), 200, rng=Random(1)).nodes == 201  # a new node comes with every playout
    assert mcts(Board.from_text("XOX XOO -X-"), 50, rng=Random(1)).nodes_per_ply == (1, 2, 2)  # until there is no more


def test_a_child_is_chosen_by_its_bound_and_the_best_move_by_visits_then_mean():
    root = MctsNode(Board.from_text("XOX XOO -X-"), Random(1))
    one, other = root.expand(Random(1)), root.expand(Random(1))
    root.visits, one.visits, other.visits = 12, 10, 2
    one.total, other.total = 5, 0
    balance = 0.5 / (sqrt(log(12) / 2) - sqrt(log(12) / 10))  # the exploration at which UCB1 is the same for both
    assert root.select(0.999 * balance) is one and root.select(1.001 * balance) is other
    move, second = root.children
    for visits, total, best in ((2, 2, move), (10, 2, move), (10, 6, second)):  # more visits, then a better mean
        other.visits, other.total = visits, total
        assert root.best() == (best,)
