"""The searches, readable and compiled, against the definition of a position's worth, which shares no code with them."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial
from itertools import product
from random import Random

import numpy as np
import pytest
from conftest import sampled
from games import GAMES
from oracles import UNFINISHED, after, nodes, worth

from ttt import Board, open_for, open_lines, search, symmetry
from ttt.heuristics import WIN_VALUE, LineWeights
from ttt.search import ORDERS, alphabeta, minimax, negamax, plain_alphabeta

try:
    from ttt.search import compiled
except ImportError:
    compiled = None

SWITCHES = ("killer", "table", "symmetry", "deepening")
SHAPES = [((3, 3), 3), ((3, 3), 3), ((3, 3), 2), ((2, 4), 3), ((3, 4), 3), ((4, 4), 4)]
OPTIONS = [
    {"order": order, **dict(zip(SWITCHES, on, strict=True))}
    for order, *on in product(ORDERS, *[(False, True)] * len(SWITCHES))
]
canonical = cache(symmetry.canonical)


def scattered(seed, spread, board, player):
    """A number from -spread to spread that depends on the position up to symmetry, and is the other side's negative."""
    same = canonical(board)
    value = hash((seed, same.x, same.o)) % (2 * spread + 1) - spread
    return value if player == "X" else -value


def drawn(chance):
    """A position, plies to look ahead, a heuristic or none, whether sooner is better, and options of alpha-beta."""
    board = Board(*chance.choice(SHAPES))
    for move in chance.sample(range(len(board)), chance.randint(0, len(board))):
        board = board if board.over else board.play(move)
    free, options = len(board.moves), chance.choice(OPTIONS)
    depth = chance.choice([None, free, 20, 0]) if free < 7 else 2 if free > 12 else 3 if free > 9 else 4
    weights = LineWeights(*[chance.randint(-3, 3) for _ in range(board.k + 1)])
    spread = partial(scattered, chance.random(), chance.choice([1, 2, 4, 1000]))
    heuristic = chance.choice([None, weights, weights if options["symmetry"] else spread])
    return board, depth, heuristic, chance.choice([False, heuristic is None]), options


def nothing(board, player):
    return 0


def truth(board, depth, heuristic, sooner):
    """What a position is worth; without a heuristic, a win counts 1, and with `sooner` 1 more for each ply left."""
    value = worth(board, depth, heuristic or nothing)
    if heuristic or not value:
        return value
    return (1 if value > 0 else -1) * (1 + sooner * (abs(value) - WIN_VALUE))


def require_counts_that_fit(found):
    assert found.nodes == found.interior + found.leaves == sum(found.nodes_per_ply)
    assert found.depth == len(found.nodes_per_ply) - 1
    assert found.cutoffs == sum(found.cutoffs_by_move) <= found.interior


def test_every_search_finds_the_worth_of_a_position_and_of_its_moves_with_any_options():
    """Ends of games and depths of 0 are among them. The whole trees are those of minimax, as far as it is quick."""
    chance = Random(11)
    for board, depth, heuristic, sooner, options in sampled([drawn(chance) for _ in range(1500)], 6):
        ahead = min(len(board.moves), 20 if depth is None else depth)
        deeper = {} if board.over or not ahead else {move: board.play(move) for move in board.moves}
        values = {move: -truth(later, ahead - 1, heuristic, sooner) for move, later in deeper.items()}
        value = truth(board, ahead, heuristic, sooner)
        best = tuple(move for move in values if values[move] == value)
        how, said = {"depth": depth, "heuristic": heuristic}, (board, depth, heuristic, sooner, options)
        searches = [alphabeta(board, **how, sooner=sooner, **options)]
        plain, order = alphabeta(board, **how, sooner=sooner), options["order"]
        if len(board.moves) < 7:
            searches += [minimax(board, **how, sooner=sooner), negamax(board, **how, sooner=sooner)]
            for whole in searches[1:]:
                assert (whole.values, whole.best_moves, whole.cutoffs) == (values, best, 0), said
                assert whole.nodes == nodes(board, ahead) and whole.player == board.turn
        if compiled and isinstance(heuristic, LineWeights | None):
            assert compiled.minimax(board, **how, sooner=sooner).values == values, said
            searches.append(alphabeta(board, **how, sooner=sooner, order=order))
            assert compiled.alphabeta(board, **how, sooner=sooner, order=order) == searches[-1], said
        for found in (*searches, plain):
            assert found.value == value and found.move in (best or [None]), said
            assert all(values[move] == known for move, known in found.move_values), said
            require_counts_that_fit(found)
        for found in (plain, *searches[1:]):
            end = after(*found.principal_variation, board=board)
            plies = ahead - len(found.principal_variation)
            assert end.over or plies == 0
            assert truth(end, plies, heuristic, sooner) == (value if end.turn == board.turn else -value), said
        if not sooner and (depth is not None or heuristic is None):
            assert plain_alphabeta(board, **how) == (value, plain.nodes), said


def test_the_whole_tree_has_549946_nodes_and_255168_leaves():
    found = (compiled or search).minimax(Board())
    assert (found.value, found.nodes, found.leaves, found.interior) == (0, 549_946, 255_168, 294_778)
    assert found.nodes_per_ply == (1, 9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872)
    assert found.best_moves == tuple(range(9)) and not found.cutoffs


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


@pytest.mark.parametrize("on", [{}, {"killer": True}, {"deepening": True}], ids=str)
def test_a_bound_in_the_table_is_never_taken_for_a_value(on):
    for maze in map(Maze, sampled(range(40), 3)):
        assert alphabeta(maze, 7, of_room, table=True, **on).value == worth(maze, 7, of_room)


def test_the_plain_alpha_beta_visits_what_the_full_one_visits_in_any_game_and_on_large_boards():
    for start in GAMES[:4]:
        found = alphabeta(start)
        assert plain_alphabeta(start) == (found.value, found.nodes) and found.value == worth(start)
    for depth in range(4):
        found = alphabeta(after(0, 5, 1, 6), depth, LineWeights(0, 3, -2, 5, 1))
        assert plain_alphabeta(found.board, depth, LineWeights(0, 3, -2, 5, 1)) == (found.value, found.nodes)


def most_lines(board):
    return sorted(board.moves, key=lambda cell: -sum(cell in line for line in board.line_cells))


def test_an_order_may_be_a_function_of_ones_own():
    chance = Random(2)
    for board in chance.sample(UNFINISHED, 30):
        same, named = alphabeta(board, order=most_lines), alphabeta(board, order="most-lines")
        assert (same.nodes, same.move_values) == (named.nodes, named.move_values)
        shuffled = alphabeta(board, order=lambda board: chance.sample(board.moves, len(board.moves)), killer=True)
        assert shuffled.value == worth(board)
    assert alphabeta(Board(), 2, order=most_lines).method == "alpha-beta, most_lines"
    for game in GAMES:
        assert alphabeta(game, 4, order=lambda position: [*position.moves][::-1]).value == minimax(game, 4).value


def test_a_heuristic_in_another_librarys_numbers_is_searched_with_and_recorded():
    for number in (np.uint8, np.float32, Fraction):
        found = minimax(Board(), 2, lambda board, player, number=number: number(len(open_for(board, player))))
        assert found.value == 5 and type(found.value) in (int, float) and "worth 5 to X" in str(found)


def test_a_heuristic_is_asked_once_for_each_leaf_where_the_depth_ends():
    asked = []
    for search_with in (minimax, negamax, alphabeta):
        asked.clear()
        found = search_with(Board(), 2, lambda board, player: asked.append(board) or open_lines(board, player))
        assert len(asked) == found.leaves == found.nodes_per_ply[2]
