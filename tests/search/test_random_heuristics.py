"""All options of alpha-beta with heuristics drawn at random, against a minimax and a table of bounds of our own."""

from functools import cache, partial
from itertools import combinations, product
from math import inf
from random import Random

import pytest

from ttt import Board, symmetry
from ttt.search import alphabeta, minimax, notes

FLAGS = ("killer", "table", "symmetry", "deepening", "pvs")
SHAPES = [((3, 3), 3), ((3, 3), 3), ((2, 4), 3), ((3, 4), 3), ((4, 4), 4)]
POSITIONS = 1000


def every_option():
    """Each order with each set of flags, 96 in all, without end and in an order of its own."""
    flags = [dict.fromkeys(some, True) for n in range(len(FLAGS) + 1) for some in combinations(FLAGS, n)]
    every = [{"order": order, **some} for order, some in product(("row-major", "most-lines", "best-gain"), flags)]
    chance = Random(3)
    while True:
        chance.shuffle(every)
        yield from every


def drawn(chance):
    """A position on some shape, how many plies to look ahead, and a heuristic, which often has few numbers."""
    board = Board(*chance.choice(SHAPES))
    for _ in range(chance.randint(0, len(board) // 2)):
        if board.over:
            break
        board = board.play(chance.choice(board.moves))
    free = 0 if board.over else len(board.moves)
    depth = 2 if free > 12 else 3 if free > 9 else 4 if free > 6 else min(free, 5)
    return board, depth, partial(scattered, chance.random(), chance.choice([1, 2, 4, 1000]))


def scattered(seed, spread, board, player):
    """A number from -spread to spread that depends on the position up to symmetry, and is the other side's negative."""
    same = canonical(board)
    value = hash((seed, same.x, same.o)) % (2 * spread + 1) - spread
    return value if player == "X" else -value


canonical = cache(symmetry.canonical)


@cache
def by_definition(board, depth, heuristic):
    """What a position is worth to the side to move: no alpha, no beta, no table."""
    if board.winner:
        return -100_000 - depth
    if not board.moves:
        return 0
    if not depth:
        return heuristic(board, board.turn)
    return max(-by_definition(board.play(move), depth - 1, heuristic) for move in board.moves)


def differences(positions):
    """What is wrong with searches of so many positions: the value, the move, or a bound that the table holds."""
    chance, options = Random(11), every_option()
    for _ in range(positions):
        board, depth, heuristic = drawn(chance)
        used = next(options)
        found = alphabeta(board, depth, heuristic, **used)
        moves = board.moves if depth else ()
        values = {move: -by_definition(board.play(move), depth - 1, heuristic) for move in moves}
        wanted = max(values.values()) if values else by_definition(board, depth, heuristic)
        if found.value != wanted or (found.move is not None and values[found.move] != wanted):
            yield board, depth, used, found.value, found.move, wanted
        elif any(values[move] != value for move, value in found.move_values):
            yield board, depth, used, found.move_values, values


def test_random_heuristics_with_all_options_have_the_value_of_minimax_on_a_thousand_positions():
    assert not list(differences(POSITIONS))


def test_the_plain_minimax_of_these_tests_is_that_of_the_lessons():
    chance = Random(12)
    for _ in range(100):
        board, depth, heuristic = drawn(chance)
        assert minimax(board, depth, heuristic).value == by_definition(board, depth, heuristic)


FAULTS = {
    "a bound equal to alpha is kept as exact": lambda worth, alpha, beta: (
        worth if worth >= alpha else -inf,
        worth if worth < beta else inf,
    ),
    "a bound equal to beta is kept as exact": lambda worth, alpha, beta: (
        worth if worth > alpha else -inf,
        worth if worth <= beta else inf,
    ),
    "every bound is kept as exact": lambda worth, alpha, beta: (worth, worth),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_table_that_keeps_a_bound_as_a_value_is_found_out_by_the_same_comparison(monkeypatch, fault):
    monkeypatch.setattr(notes, "bounds", FAULTS[fault])
    assert next(differences(POSITIONS), None)


def test_what_the_table_keeps_is_true_of_each_of_its_positions():
    chance, options, kept = Random(13), every_option(), 0
    for _ in range(60):
        board, depth, heuristic = drawn(chance)
        used = next(options) | {"table": True}
        for (position, left), (least, most) in entries(board, depth, heuristic, used).items():
            assert least <= by_definition(position, left, heuristic) <= most
            kept += 1
    assert kept > 1000


def entries(board, depth, heuristic, options):
    """The table after a search: what each position can be worth at least and at most, by position and depth."""
    kept = {}
    original = notes.Notes.remember

    def remember(self, *node):
        original(self, *node)
        kept.update(self.table)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(notes.Notes, "remember", remember)
        alphabeta(board, depth, heuristic, **options)
    return kept
