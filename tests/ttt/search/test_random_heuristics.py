"""All options of alpha-beta, and minimax, with heuristics drawn at random, against the definition of worth."""

from dataclasses import dataclass
from functools import cache, partial
from itertools import cycle, islice, product
from random import Random

import pytest
from conftest import sampled
from games import worth

from ttt import Board, symmetry
from ttt.heuristics import LineWeights
from ttt.search import alphabeta, minimax

ORDERS = ("row-major", "most-lines", "best-gain")
FLAGS = ("killer", "table", "symmetry", "deepening")
SHAPES = [((3, 3), 3), ((3, 3), 3), ((3, 3), 2), ((2, 4), 3), ((3, 4), 3), ((4, 4), 4)]
OPTIONS = [
    {"order": order, **dict(zip(FLAGS, on, strict=True))}
    for order, *on in product(ORDERS, *[(False, True)] * len(FLAGS))
]


def drawn():
    """Any number of positions, each with plies to look ahead, a heuristic, and the options in turn."""
    chance = Random(11)
    for options in cycle(chance.sample(OPTIONS, len(OPTIONS))):
        board = Board(*chance.choice(SHAPES))
        for move in chance.sample(range(len(board)), chance.randint(0, len(board) // 2)):
            after = board.play(move)
            board = board if after.over else after
        free = len(board.moves)
        depth = 2 if free > 12 else 3 if free > 9 else 4 if free > 6 else min(free, 5)
        scattering = partial(scattered, chance.random(), chance.choice([1, 2, 4, 1000]))
        weights = LineWeights(*[chance.randint(-3, 3) for _ in range(board.k + 1)])
        yield board, depth, weights if options["symmetry"] else scattering, options


def scattered(seed, spread, board, player):
    """A number from -spread to spread that depends on the position up to symmetry, and is the other side's negative."""
    same = canonical(board)
    value = hash((seed, same.x, same.o)) % (2 * spread + 1) - spread
    return value if player == "X" else -value


canonical = cache(symmetry.canonical)


@dataclass(frozen=True)
class Maze:
    """A game in which many ways lead to the same few rooms, so that a table is asked with all kinds of bounds."""

    seed: int
    ply: int = 0
    room: int = 0

    turn = property(lambda self: "XO"[self.ply % 2])
    moves, over, winner = (0, 1, 2), False, None

    def play(self, door):
        return Maze(self.seed, self.ply + 1, Random(hash((self.seed, self.ply, self.room, door))).randrange(12))


def of_room(maze, player):
    return Random(hash((maze.seed, maze.room))).randint(-4, 4) * (1 if player == "X" else -1)


def test_with_all_options_the_value_and_the_moves_are_those_of_minimax():
    for board, depth, heuristic, options in sampled(islice(drawn(), 1500), 12):
        found = alphabeta(board, depth, heuristic, **options)
        values = {move: -worth(board.play(move), depth - 1, heuristic) for move in board.moves}
        assert found.value == values[found.move] == max(values.values()), (board, depth, options)
        assert all(values[move] == value for move, value in found.move_values), (board, depth, options)
        if len(values) < 7:  # on larger boards minimax is slow
            assert minimax(board, depth, heuristic).values == values


@pytest.mark.parametrize("on", [{}, {"killer": True}, {"deepening": True}], ids=str)
def test_a_bound_in_the_table_is_never_taken_for_a_value(on):
    for maze in map(Maze, sampled(range(40), 3)):
        assert alphabeta(maze, 7, of_room, table=True, **on).value == worth(maze, 7, of_room)
