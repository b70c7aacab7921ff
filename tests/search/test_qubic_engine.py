"""Looking ahead on 4×4×4 against what it must equal: minimax, the measured counts, and itself with the compiler on."""

from functools import cache, partial
from itertools import product
from random import Random

import pytest
from oracles import CUBE, after, after_random

from ttt import Board, qubic
from ttt.heuristics import WIN
from ttt.qubic import lookahead
from ttt.qubic.lookahead import WEIGHTS
from ttt.search import alphabeta, engine, minimax
from ttt.search.engine.compiling import compiles
from ttt.search.record import BadSearch

POSITIONS = {
    "empty": (0, 0),
    "corner": (1, 0),
    "edge": (2, 0),
    "mid6": (0x10010000000080, 0x8800000000000010),
    "mid12": (0x4000001C8040, 0x516010000000000),
    "mid20": (0x300002040180C801, 0xC822008120420000),
}
BOARDS = {name: Board(shape=(4, 4, 4), x=x, o=o) for name, (x, o) in POSITIONS.items()}
VALUES = (-4, -18, -19, -8, -92, 90)
COUNTS = {
    "row-major": (69_628, 86_808, 40_658, 477_082, 488_093, 59_325),
    "most-lines": (24_604, 24_290, 43_643, 68_970, 170_034, 43_328),
    "best-gain": (17_356, 15_842, 19_652, 10_803, 6_146, 5_189),
}
MINIMAX = (15_503_105, 14_538_196, 14_538_196, 10_364_821, 6_627_805, 3_315_317)
FAST = {"depth": 4, "heuristic": WEIGHTS, "fast": True}
SEARCHES = {
    **{order: (partial(alphabeta, order=order, **FAST), COUNTS[order]) for order in COUNTS},
    "all that saves nodes": (qubic.search, (615, 2_669, 4_064, 3_791, 410, 291)),
    "minimax": (partial(minimax, **FAST), MINIMAX),
}
SWITCHES = ("killer", "table", "symmetry", "deepening", "pvs", "bounds")


def worth(board, player):
    """An independent evaluation: every line anew, from its marks."""
    total = 0
    for marks in board.lines:
        kinds = set(marks) - {"-"}
        if len(kinds) == 1:
            total += (1 if kinds == {player} else -1) * 10 ** (4 - marks.count("-") - 1)
    return total


@cache
def late_boards():
    """Boards with 15 to 18 free cells, so that plain minimax can see three plies of them."""
    return [after_random(Random(seed), 49 - seed) for seed in range(4)]


@pytest.mark.parametrize("name", SEARCHES)
def test_four_plies_have_the_measured_values_and_nodes(name):
    if name == "minimax" and not compiles():
        pytest.skip("numba is not there, or off")
    search, counts = SEARCHES[name]
    found = [search(board) for board in BOARDS.values()]
    assert [one.value for one in found] == list(VALUES)
    assert [one.nodes for one in found] == list(counts)
    for one in found:
        assert one.nodes == sum(one.nodes_per_ply) == one.leaves + one.interior
        assert one.cutoffs == sum(one.cutoffs_by_move)
        assert one.values[one.move] == one.value and one.move in one.best_moves


def test_values_are_those_of_an_independent_minimax():
    for board in late_boards():
        for depth in (1, 2, 3):
            oracle = minimax(board, depth, worth)
            found, every = qubic.search(board, depth), minimax(board, depth, WEIGHTS, fast=True)
            assert found.value == every.value == oracle.value
            assert found.move in oracle.best_moves and every.nodes_per_ply == oracle.nodes_per_ply


@pytest.mark.parametrize("order", COUNTS)
def test_every_option_is_the_readable_one_node_for_node(order):
    for on in product((False, True), repeat=5):
        how = {"order": order, **dict(zip(SWITCHES, on, strict=False))}
        for board in late_boards()[:2]:
            assert alphabeta(board, 3, WEIGHTS, fast=True, **how) == alphabeta(board, 3, WEIGHTS, **how)


def test_no_option_changes_the_value_at_any_stage_of_the_game():
    rng = Random(11)
    for on in product((False, True), repeat=6):
        board = after_random(rng, rng.randrange(50))
        how = {"win": WIN, "bonus": 1, "cuts": True, "order": "best-gain", **dict(zip(SWITCHES, on, strict=True))}
        assert qubic.search(board, 0).value == alphabeta(board, 0, WEIGHTS).value
        for depth in (1, 2, 3):
            switched = engine.search("", board, depth, WEIGHTS, **how)
            assert qubic.search(board, depth).value == switched.value == alphabeta(board, depth, WEIGHTS).value


@pytest.mark.parametrize("name", BOARDS)
def test_the_best_line_leads_to_the_value(name):
    for depth in (1, 2, 3, 4, 5):
        board = BOARDS[name]
        search = qubic.search(board, depth)
        end = after(*search.principal_variation, board=board)
        if end.winner:
            left = depth - len(search.principal_variation)
            assert search.value == (1 if end.winner == board.turn else -1) * (WIN + left)
        else:
            assert (len(search.principal_variation), worth(end, board.turn)) == (depth, search.value)


def test_a_win_counts_more_the_sooner_it_comes():
    three = after(0, 16, 1, 17, 2, 60)
    assert [qubic.search(three, depth).value for depth in (1, 2, 3, 4)] == [100_000, 100_001, 100_002, 100_003]
    assert qubic.search(three).move == 3


def test_one_move_is_enough_where_a_side_could_win_at_once():
    threatened = after(0, 4, 21, 5, 60, 6)
    stopped = qubic.search(threatened)
    assert (stopped.move, stopped.nodes_per_ply[:2]) == (7, (1, 1))
    assert stopped.value == alphabeta(threatened, 4, WEIGHTS, fast=True).value > -WIN
    lost = qubic.search(after(33, 8, 50, 9, 23, 10, board=threatened))
    assert (lost.value, lost.nodes_per_ply) == (-100_002, (1, 1, 1))
    assert {lost.move, *lost.principal_variation} == {7, 11}


def test_a_finished_game_is_a_leaf():
    search = qubic.search(after(0, 16, 1, 17, 2, 18, 3))
    assert (search.value, search.nodes, search.leaves, search.move, search.depth) == (-100_000, 1, 1, None, 0)
    assert qubic.search(BOARDS["mid20"], 0).value == worth(BOARDS["mid20"], "X")


def test_a_search_says_that_it_used_bounds():
    method = "4×4×4 engine: alpha-beta, best-gain, table, symmetry, bounds"
    assert qubic.search(BOARDS["mid20"], 1).method == method


MISTAKES = [
    *((board, 1, "4×4×4") for board in (Board(), "X", Board(shape=(4, 4, 4), k=3))),
    *((CUBE, depth, "depth") for depth in (-1, 2.5, "two")),
]


@pytest.mark.parametrize("board, depth, said", MISTAKES)
def test_mistakes_are_explained(board, depth, said):
    with pytest.raises(BadSearch, match=said):
        qubic.search(board, depth)


@pytest.mark.skipif(not compiles(), reason="numba is not there, or off")
def test_compiled_and_plain_are_the_same_to_the_last_figure(monkeypatch):
    found = []
    for long in (1, 6):
        monkeypatch.setattr(lookahead, "LONG", long)
        found.append([qubic.search(board, depth) for board in BOARDS.values() for depth in (1, 2, 4, 5)])
    assert found[0] == found[1]
