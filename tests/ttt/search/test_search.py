"""The readable searches, against oracles that share no code with them."""

from fractions import Fraction
from functools import partial
from itertools import product
from random import Random

import numpy as np
import pytest
from conftest import naming, sampled
from games import GAMES, nodes
from lab.statistics import sweep
from oracles import DISTANCES, after
from textbook import below, searched

from ttt import Board, open_for, open_lines
from ttt.heuristics import HeuristicError, LineWeights
from ttt.search import BadSearch, alphabeta, mcts, minimax, negamax, plain_alphabeta
from ttt.search.ordering import Moves

try:
    from ttt.search import compiled
except ImportError:
    compiled = None

SWITCHES = ("killer", "table", "symmetry", "deepening")
OPTIONS = [{"order": "most-lines"}, {"order": "best-gain"}, *({name: True} for name in SWITCHES)]
ALL = {"order": "best-gain", **dict.fromkeys(SWITCHES, True)}


def few_free(positions, cells):
    return [board for board in positions if len(board.moves) <= cells]


def some(positions, cells):
    """Some of the positions with at most this many free cells, always the same."""
    return sampled(Random(5).sample(sorted(few_free(positions, cells), key=str), 1000), 4)


def test_the_whole_tree_has_549946_nodes_and_255168_leaves_of_which_alpha_beta_visits_18297():
    for search in (minimax, negamax):
        found = search(Board())
        assert (found.value, found.nodes, found.leaves, found.interior) == (0, 549_946, 255_168, 294_778)
        assert found.nodes_per_ply == (1, 9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872)
        assert found.best_moves == tuple(range(9)) and not found.cutoffs
    found = alphabeta(Board())
    assert (found.value, found.nodes) == (0, 18_297)
    assert sum(found.cutoffs_by_move) == found.cutoffs > 0


def test_minimax_and_negamax_agree_with_the_oracle_in_value_and_nodes(positions):
    for board in few_free(positions, 6):
        for found in (minimax(board), negamax(board)):
            assert (found.value, found.nodes) == (DISTANCES[board][0], nodes(board))
            assert found.player == board.turn


def test_alpha_beta_full_and_plain_visits_what_a_textbook_one_visits(positions):
    for board in few_free(positions, 6):
        book, found = searched(board, below(board), highest=board.turn == "X"), alphabeta(board)
        assert found.value == (book.values[()] if board.turn == "X" else -book.values[()])
        assert found.nodes == len(book.arrived)
        assert plain_alphabeta(board) == (found.value, found.nodes)


def test_the_plain_alpha_beta_visits_what_the_full_one_visits_in_any_game_on_any_board_and_to_any_depth():
    for game in GAMES[:4]:
        found = alphabeta(game)
        assert plain_alphabeta(game) == (found.value, found.nodes)
    chance = Random(3)
    for shape, k in (((4, 4), 4), ((3, 4), 3), ((4, 4, 4), 4)):
        weights = LineWeights(*[chance.randint(-9, 9) for _ in range(k + 1)])
        board = after(0, 5, 1, 6, board=Board(shape, k))
        for depth in range(4):
            found = alphabeta(board, depth, weights)
            assert plain_alphabeta(board, depth, weights) == (found.value, found.nodes)


@pytest.mark.parametrize("options", [*OPTIONS, ALL], ids=str)
def test_every_option_leaves_the_value_on_any_position(positions, options):
    assert alphabeta(Board(), **options).nodes < 18_297
    if options == {"symmetry": True}:
        assert alphabeta(Board(), **options).nodes_per_ply[:2] == (1, 3)
    for board in some(positions, 6):
        found = alphabeta(board, **options)
        assert found.value == DISTANCES[board][0]
        if found.move is not None:
            assert -DISTANCES[board.play(found.move)][0] == found.value


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


def test_minimax_knows_what_every_move_is_worth_and_alpha_beta_only_what_it_proved(positions):
    for board in few_free(positions, 5):
        full, pruned = minimax(board), alphabeta(board)
        assert full.values == {move: -DISTANCES[board.play(move)][0] for move in board.moves if not board.over}
        assert full.best_moves == tuple(move for move, value in full.values.items() if value == full.value)
        assert all(full.values[move] == value for move, value in pruned.move_values)
        assert set(pruned.best_moves) <= set(full.best_moves)


def test_sooner_loses_as_late_as_it_can(positions):
    for board in few_free(positions, 5):
        sign, n = DISTANCES[board]
        if not board.over:
            assert minimax(board, sooner=True).value == sign * (1 + len(board.moves) - n)


def test_of_the_moves_that_cut_off_at_a_ply_the_last_two_are_tried_first():
    moves = Moves(Board(), "row-major")
    for move in (3, 5, 7, 7):
        moves.note_killer(move, 2)
    assert moves.ordered(Board(), 2) == (7, 5, 0, 1, 2, 3, 4, 6, 8)
    assert moves.ordered(Board(), 1) == Board().moves


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
    for board in finished:
        sign, free = DISTANCES[board][0], len(board.moves)
        for depth, heuristic, sooner in product((None, 0, 1, 3, 20), (None, open_lines), (False, True)):
            left = free if depth is None else min(depth, free)
            win = 1 + sooner * left if heuristic is None else 100_000 + left
            for search in searches:
                found = search(board, depth, heuristic, sooner=sooner)
                assert (found.value, found.nodes, found.move, found.best_moves) == (sign * win, 1, None, ())
            if not sooner and (depth is not None or heuristic is None):
                assert plain_alphabeta(board, depth, heuristic) == (sign * win, 1)


def test_a_finished_board_is_worth_at_the_root_what_it_is_worth_below(positions):
    for board in some(positions, 5):
        for move in () if board.over else board.moves:
            after = board.play(move)
            if after.over:
                for search, heuristic in product((minimax, partial(alphabeta, deepening=True)), (None, open_lines)):
                    below = minimax(board, None, heuristic, sooner=True).values[move]
                    assert search(after, None, heuristic, sooner=True).value == -below


def test_a_search_prints_as_a_sentence_in_which_one_of_a_kind_is_singular():
    text = str(alphabeta(Board.from_text("XX- OO- ---"), order="most-lines", table=True))
    assert text.startswith("alpha-beta, most-lines, table: X plays ") and "nodes" in text
    assert str(minimax(Board(), 0)) == "minimax: no move was looked at, worth 0 to X."
    assert str(minimax(Board.from_text("XOX XOO OX-"))).endswith("2 nodes (1 interior, 1 leaf), 1 ply deep.")
    assert "; 1 playout, 2 nodes (1 interior, 1 leaf), 1 ply deep." in str(mcts(Board(), 1, rng=Random(1)))


def test_searches_make_a_pandas_table():
    pandas = pytest.importorskip("pandas")
    searches = [minimax(Board(), depth) for depth in (1, 2)]
    table = pandas.DataFrame(searches)
    assert list(table["nodes"]) == [10, 82] and list(table["depth"]) == [1, 2]


def test_a_search_that_makes_no_sense_is_refused():
    for call in (
        lambda: alphabeta(Board(), -1),
        lambda: alphabeta(Board(), 2.5),
        lambda: minimax(Board(), True),
        lambda: minimax(Board(), 2, "open_lines"),
        lambda: alphabeta(Board(), order="random"),
        lambda: alphabeta(Board(), order=["row-major"]),
        lambda: plain_alphabeta(Board(), 2.5),
        lambda: plain_alphabeta(Board(), -1),
        lambda: plain_alphabeta(Board(), heuristic=open_lines),
        lambda: plain_alphabeta(Board((4, 4, 4))),
    ):
        with pytest.raises(BadSearch):
            call()


@pytest.mark.parametrize("board", [Board((2, 2, 2, 2)), Board((3, 4, 2), 2), Board((1, 9), 9)], ids=repr)
def test_symmetry_on_a_board_with_too_many_is_refused_with_what_to_do(board):
    with pytest.raises(BadSearch, match=naming("10,000 automorphisms", "without symmetry")):
        alphabeta(board, 1, symmetry=True)


@pytest.mark.parametrize("name", [*SWITCHES, "sooner"])
def test_a_switch_that_is_neither_true_nor_false_is_refused(name):
    for switch in ("False", 0, None, np.True_):
        with pytest.raises(BadSearch, match=naming(name, "True or False", f"not {switch!r}")):
            alphabeta(Board(), 1, open_lines, **{name: switch})
    with pytest.raises(BadSearch, match=naming("killer", "True or False", "not 'False'")):
        sweep(Board(), 1, heuristic=open_lines, killer="False")


def most_lines(board):
    return sorted(board.moves, key=lambda cell: -sum(cell in line for line in board.line_cells))


def test_an_order_may_be_a_function_of_ones_own(positions):
    chance = Random(2)
    for board in some(positions, 7):
        same, named = alphabeta(board, order=most_lines), alphabeta(board, order="most-lines")
        assert (same.nodes, same.move_values) == (named.nodes, named.move_values)
        shuffled = alphabeta(board, order=lambda board: chance.sample(board.moves, len(board.moves)), killer=True)
        assert shuffled.value == minimax(board).value
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


def test_a_table_is_advised_only_where_it_helps():
    for depth, words in ((None, "give a depth"), (16, "smaller depth")):
        with pytest.raises(BadSearch, match=naming(words, "table=True")):
            alphabeta(Board((4, 4)), depth)
    for shape, options in (((5, 5), {}), ((3, 6), {"table": True})):
        with pytest.raises(BadSearch) as caught:
            alphabeta(Board(shape), **options)
        assert "table" not in str(caught.value)


ENDLESS = [((4, 4), 16), ((4, 4), 15), ((4, 4), 10**6), ((4, 4, 4), 8), ((4, 4, 4), None), ((5, 5), 12)]


@pytest.mark.parametrize("shape, depth", ENDLESS)
def test_a_search_that_never_ends_is_refused_by_its_depth_and_the_free_cells(shape, depth):
    board = Board(shape)
    for search in (minimax, negamax, alphabeta):
        with pytest.raises(BadSearch, match=naming(f"{len(board)} free cells", "give a", "depth=3")):
            search(board, depth)
    for board, depth in ((Board((4, 4)).play(0), None), (Board((3, 4), 3), None), (Board((4, 4, 4)), 5)):
        for search in (minimax, negamax):
            with pytest.raises(BadSearch, match=naming(f"{len(board.moves)} free cells", "depth=3")):
                search(board, depth)
    assert minimax(Board().play(4), 10**6).nodes == 55_505


@pytest.mark.parametrize("number", [100_000, -100_000, 1e300, 10**400])
def test_a_heuristic_that_would_outrank_a_win_is_refused_with_the_limit(number):
    for search in (minimax, negamax, alphabeta):
        with pytest.raises(HeuristicError, match=naming("<lambda> returned", "win", "-100,000 and 100,000")):
            search(Board(), 1, lambda board, player: number)
    assert minimax(Board(), 0, lambda board, player: 99_999.5).value == 99_999.5


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


def test_the_empty_4x4_is_searched_to_its_end_with_a_table():
    assert alphabeta(Board((4, 4)), 10**6, order="best-gain", table=True, symmetry=True).value == 0
