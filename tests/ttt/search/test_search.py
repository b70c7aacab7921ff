"""The readable searches, against the definition of a position's worth, which shares no code with them."""

from fractions import Fraction
from functools import partial
from itertools import product
from random import Random

import numpy as np
import pytest
from conftest import naming, sampled
from games import GAMES
from oracles import after, distance, nodes, worth

from ttt import Board, open_for, open_lines
from ttt.heuristics import LineWeights
from ttt.search import BadSearch, alphabeta, mcts, minimax, negamax, plain_alphabeta

try:
    from ttt.search import compiled
except ImportError:
    compiled = None

SWITCHES = ("killer", "table", "symmetry", "deepening")
ALL = {"order": "best-gain", **dict.fromkeys(SWITCHES, True)}
OPTIONS = [  # with the nodes of the whole search on 3×3, which are 18,297 without any
    ({"order": "most-lines"}, 7_275),
    ({"order": "best-gain"}, 1_940),
    ({"killer": True}, 7_112),
    ({"table": True}, 4_866),
    ({"symmetry": True}, 3_082),
    ({"deepening": True}, 13_566),
    (ALL, 1_102),
]


def few_free(positions, cells):
    return [board for board in positions if len(board.moves) <= cells]


def some(positions, cells):
    """Some of the positions with at most this many free cells, always the same."""
    return sampled(Random(5).sample(sorted(few_free(positions, cells), key=str), 1000), 8)


def test_the_whole_tree_has_549946_nodes_and_255168_leaves_of_which_alpha_beta_visits_18297():
    found = minimax(Board())
    assert (found.value, found.nodes, found.leaves, found.interior) == (0, 549_946, 255_168, 294_778)
    assert found.nodes_per_ply == (1, 9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872)
    assert found.best_moves == tuple(range(9)) and not found.cutoffs
    found = alphabeta(Board())
    assert (found.value, found.nodes) == (0, 18_297)
    assert sum(found.cutoffs_by_move) == found.cutoffs > 0


def test_minimax_and_negamax_agree_with_the_definition_in_value_and_nodes(positions):
    for board in some(positions, 5):
        values = {move: -worth(board.play(move)) for move in board.moves if not board.over}
        for found in (minimax(board), negamax(board)):
            assert (found.value, found.nodes, found.player) == (worth(board), nodes(board), board.turn)
            assert found.values == values
            assert found.best_moves == tuple(move for move in values if values[move] == worth(board))


def test_the_plain_alpha_beta_visits_what_the_full_one_visits_in_any_game_on_any_board_and_to_any_depth(positions):
    for start in (*some(positions, 5), *GAMES[:4]):
        found = alphabeta(start)
        assert plain_alphabeta(start) == (found.value, found.nodes) and found.value == worth(start)
    chance = Random(3)
    for shape, k in (((4, 4), 4), ((3, 4), 3), ((4, 4, 4), 4)):
        weights = LineWeights(*[chance.randint(-9, 9) for _ in range(k + 1)])
        board = after(0, 5, 1, 6, board=Board(shape, k))
        for depth in range(4):
            found = alphabeta(board, depth, weights)
            assert plain_alphabeta(board, depth, weights) == (found.value, found.nodes)


@pytest.mark.parametrize("options, visited", OPTIONS, ids=str)
def test_every_option_saves_nodes_and_leaves_the_value(positions, options, visited):
    assert alphabeta(Board(), **options).nodes == visited
    for board in some(positions, 6):
        found = alphabeta(board, **options)
        assert found.value == worth(board)
        assert all(-worth(board.play(move)) == value for move, value in found.move_values)


def test_the_counts_of_a_search_fit_together_and_its_principal_variation_has_the_value(positions):
    for board in some(positions, 6):
        plain = [search(board) for search in (minimax, negamax, alphabeta)]
        for found in (*plain, alphabeta(board, **ALL)):
            assert found.nodes == found.interior + found.leaves == sum(found.nodes_per_ply)
            assert len(found.nodes_per_ply) <= found.depth + 1
            assert found.cutoffs == sum(found.cutoffs_by_move) <= found.interior
        for found in plain:
            end = after(*found.principal_variation, board=board)
            assert end.over and found.value == {None: 0, board.turn: 1}.get(end.winner, -1)
            assert found.principal_variation[:1] == (() if board.over else (found.move,))


def test_sooner_loses_as_late_as_it_can(positions):
    for board in some(positions, 5):
        sign, n = distance(board)
        if not board.over:
            assert minimax(board, sooner=True).value == sign * (1 + len(board.moves) - n)


def test_a_depth_stops_the_search_there_and_the_heuristic_judges():
    found = minimax(Board(), 2, open_lines)
    assert found.nodes_per_ply == (1, 9, 72) and found.leaves == 72 and found.depth == 2
    assert found.value == 1 and found.move == 4
    assert minimax(Board(), 0, open_lines).value == open_lines(Board(), "X")


def test_a_win_in_sight_is_worth_more_than_any_heuristic_says():
    board = Board.from_text("XX- OO- ---")
    assert minimax(board, 1, open_lines).value == 100_000
    assert alphabeta(board, 3, open_lines).value == 100_002


def test_a_finished_board_has_no_move_and_is_worth_what_it_is_as_a_leaf(positions):
    """As the root of a search to any depth, and one ply below: a win counts 1 for each ply left, if it counts more."""
    finished = [board for board in positions if board.over]
    assert len(finished) == 958
    searches = [minimax, negamax, alphabeta, partial(alphabeta, **ALL)]
    searches += [compiled.minimax, compiled.alphabeta] if compiled else []
    for board in sampled(finished, 24):
        sign, free = worth(board), len(board.moves)
        for depth, heuristic, sooner in product((None, 0, 1, 3, 20), (None, open_lines), (False, True)):
            left = free if depth is None else min(depth, free)
            win = 1 + sooner * left if heuristic is None else 100_000 + left
            for search in searches:
                found = search(board, depth, heuristic, sooner=sooner)
                assert (found.value, found.nodes, found.move, found.best_moves) == (sign * win, 1, None, ())
            if not sooner and (depth is not None or heuristic is None):
                assert plain_alphabeta(board, depth, heuristic) == (sign * win, 1)


ALL_SHORT = {"order": "best-gain", "killer": True, "symmetry": True, "deepening": True}
SENTENCES = [  # searches, and what is printed of them
    (
        lambda: alphabeta(Board.from_text("XX- OO- ---"), order="most-lines", table=True),
        "alpha-beta, most-lines, table: X plays 2, worth 1 to X, best line 2; 30 nodes (17 interior, 13 leaves), "
        "10 cutoffs, 5 plies deep.",
    ),
    (
        lambda: alphabeta(Board(), 2, open_lines, **ALL_SHORT),
        "alpha-beta, best-gain, killer, symmetry, deepening: X plays 4, worth 1 to X, best line 4 0; "
        "12 nodes (5 interior, 7 leaves), 2 cutoffs, 2 plies deep.",
    ),
    (
        lambda: minimax(Board.from_text("XOX XOO OX-")),
        "minimax: X plays 8, worth 0 to X, best line 8; 2 nodes (1 interior, 1 leaf), 1 ply deep.",
    ),
    (
        lambda: mcts(Board.from_text("XX- OO- ---"), 20, rng=Random(1)),
        "mcts: X plays 2, worth 1 to X, best line 2; 20 playouts, 9 nodes (3 interior, 6 leaves), 2 plies deep.",
    ),
    (
        lambda: mcts(Board(), 1, rng=Random(1)),
        "mcts: X plays 5, worth 1 to X, best line 5; 1 playout, 2 nodes (1 interior, 1 leaf), 1 ply deep.",
    ),
    (lambda: negamax(Board.from_text("XXX OO- ---")), "negamax: the game is already over, worth -1 to O."),
    (lambda: mcts(Board.from_text("XOX XOO OXX"), 3), "mcts: the game is already over, worth 0 to O."),
    (lambda: minimax(Board(), 0), "minimax: no move was looked at, worth 0 to X."),
    (lambda: minimax(Board(), 0, lambda *_: 99_999), "minimax: no move was looked at, worth 99999 to X."),
    (lambda: minimax(Board(), 0, lambda *_: -1000.25), "minimax: no move was looked at, worth -1000.25 to X."),
    (lambda: minimax(Board(), 0, lambda *_: 1 / 3), "minimax: no move was looked at, worth 0.333 to X."),
]


@pytest.mark.parametrize("search, sentence", SENTENCES)
def test_a_search_prints_as_a_sentence_in_which_one_of_a_kind_is_singular(search, sentence):
    assert str(search()) == repr(search()) == sentence


def most_lines(board):
    return sorted(board.moves, key=lambda cell: -sum(cell in line for line in board.line_cells))


def test_an_order_may_be_a_function_of_ones_own(positions):
    chance = Random(2)
    for board in some(positions, 7):
        same, named = alphabeta(board, order=most_lines), alphabeta(board, order="most-lines")
        assert (same.nodes, same.move_values) == (named.nodes, named.move_values)
        shuffled = alphabeta(board, order=lambda board: chance.sample(board.moves, len(board.moves)), killer=True)
        assert shuffled.value == worth(board)
    assert alphabeta(Board(), 2, order=most_lines).method == "alpha-beta, most_lines"
    for game in GAMES:
        assert alphabeta(game, 4, order=lambda position: [*position.moves][::-1]).value == minimax(game, 4).value


@pytest.mark.parametrize(
    "wrong", [lambda board: board.moves[:2], lambda board: board.moves * 2, lambda board: [9], lambda board: None]
)
def test_an_order_that_loses_or_repeats_a_move_is_refused_wherever_it_does(wrong):
    def late(board):
        return wrong(board) if len(board.moves) < 8 else board.moves

    for order in (wrong, late):
        with pytest.raises(
            BadSearch, match=naming(f"Your order {order.__name__}", "each of the moves", "of Board", "once")
        ):
            alphabeta(Board(), 3, order=order)


def test_a_heuristic_in_another_librarys_numbers_is_searched_with_and_recorded():
    for number in (np.uint8, np.float32, Fraction):
        found = minimax(Board(), 2, lambda board, player, number=number: number(len(open_for(board, player))))
        assert found.value == 5 and type(found.value) in (int, float) and "worth 5 to X" in str(found)


def test_a_heuristic_is_asked_once_for_each_leaf_where_the_depth_ends():
    asked = []

    def counted(board, player):
        asked.append(board)
        return open_lines(board, player)

    for search in (minimax, negamax, alphabeta):
        asked.clear()
        found = search(Board(), 2, counted)
        assert len(asked) == found.leaves == found.nodes_per_ply[2]
