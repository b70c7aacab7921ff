"""What the lessons on chance and learning build, against values found in other ways: exact ones, and proven bounds."""

import re
from functools import cache
from math import sqrt
from random import Random

import nbformat
import numpy as np
import pytest
from conftest import ROOT
from kept import LESSONS
from lab.checks.yours import labs_version
from numbers_told import numbers
from oracles import POSITIONS, UNFINISHED

from ttt import Board, exact, greedy
from ttt.heuristics import LineWeights
from ttt.players.perfect import outcome
from ttt.search import minimax


def defined(lesson, *ids, **given):
    """What some cells of a lesson define, with the lab's functions where a student's would stand."""
    names = {"Board": Board, "Random": Random} | given
    cells = {cell.id: cell.source for cell in nbformat.read(ROOT / "notebooks" / f"{lesson}.ipynb", 4).cells}
    for name in ids:
        exec(cells[name], names)
    return names


def test_on_ice_every_board_is_worth_what_its_chances_say():
    @cache
    def worth(board):
        """The value for X, from the probability of each cell that a choice may end in."""
        if board.over:
            return {"X": 1, "O": -1, None: 0}[board.winner]
        choices = []
        for choice in board.moves:
            chances = {cell: 0.5 / len(board.moves) + 0.5 * (cell == choice) for cell in board.moves}
            assert sum(chances.values()) == pytest.approx(1)
            choices.append(sum(chance * worth(board.play(cell)) for cell, chance in chances.items()))
        return max(choices) if board.turn == "X" else min(choices)

    slippery = labs_version("slippery")
    assert all(slippery(board) == pytest.approx(worth(board)) for board in POSITIONS)


def test_the_average_of_regret_matching_is_a_third_each_within_the_bound_of_the_algorithm(rounds=1_000):
    beats = {("rows", "diagonals"), ("diagonals", "centre"), ("centre", "rows")}

    def share(mine, theirs):
        return 0.5 if mine == theirs else float((mine, theirs) in beats)

    given = {
        "share": share,
        "chance_of": None,
        "yours": lambda _: labs_version("chance_of"),
        "reveal": print,
        "answers": "123",
    }
    names = defined("11_tournament", "11-r5", **given)
    last, average = names["learn_by_regret"](rounds)
    # The squares of all regrets above 0 grow by at most 3 a round, and each of two players may lose its largest regret.
    bound = 2 * sqrt(1 + 3 * rounds) / rounds
    assert sum(average) == pytest.approx(1)
    assert min(average @ names["table"]) >= 0.5 - bound
    assert max(abs(average - 1 / 3)) <= 8 / 3 * bound  # mixes that nobody exploits by more than the bound are so near
    assert max(abs(last - 1 / 3)) > 0.2


@pytest.fixture(scope="module")
def lesson():
    """The tree and the number of lesson 13."""
    given = {name: labs_version(task) for name, task in (("bound", "ucb1"), ("record", "back_up"))}
    given |= {"C": 1.4, "judged": None, "yours": lambda _: labs_version("judged")}
    tree, number = ("12-n", "11-83", "11-84", "11-85", "11-88"), ("13-11", "13-11b", "13-19")
    return defined("13_a_tree_that_learns", *tree, *number, **given)


@pytest.fixture(scope="module")
def weights(lesson):
    return lesson["learned"](*lesson["self_play"](lesson["grow"], 200, Random(5)))


@pytest.mark.parametrize("by_number", [False, True])
def test_with_many_games_the_tree_finds_a_best_move_wherever_the_choice_matters(lesson, weights, by_number):
    grow, tried = lesson["grow_by"](weights) if by_number else lesson["grow"], 0
    for board in UNFINISHED[::84]:
        ends = {move: outcome(board.play(move), board.turn) for move in board.moves}
        if len(board.moves) < 6 and len({*ends.values()}) > 1:
            root, tried = lesson["Node"](board), tried + 1
            grow(root, 1000, Random(1))
            assert ends[max(root.children, key=lambda move: root.children[move].visits)] == max(ends.values()), board
    assert tried > 10


def test_a_node_has_as_many_visits_as_its_children_and_the_one_of_its_own(lesson):
    root = lesson["Node"](Board())
    lesson["grow"](root, 500, Random(3))
    fresh = [(root, 0)]
    while fresh:
        node, own = fresh.pop()
        below = [*node.children.values()]
        assert node.visits == own + sum(child.visits for child in below) or node.board.over
        assert node is root or node.board.over or 0 <= node.wins <= node.visits
        fresh += [(child, 1) for child in below]


def test_the_number_learned_from_its_own_games_agrees_with_the_exact_values_and_loses_less_than_heuristic_1(
    lesson, weights
):
    boards = [board for board in UNFINISHED if board.x | board.o]
    ends = np.array([-outcome(board, board.turn) for board in boards])  # for the side that has just moved
    numbers = np.array([weights @ lesson["counts"](board) for board in boards])
    lost, drawn, won = (numbers[ends == end].mean() for end in (-1, 0, 1))
    assert lost < drawn - 0.1 < won - 0.2

    def judge(board, player):
        return 100 if board.winner == player else round(float(weights @ lesson["counts"](board)), 6)

    by_hand = exact("perfect", greedy(LineWeights(0, 1, 3, 100))).x_wins
    assert exact("perfect", greedy(judge)).x_wins < by_hand / 2


@pytest.mark.parametrize("path", [path for path in LESSONS if path.name[:2] > "10"], ids=lambda path: path.stem)
def test_every_number_in_the_prose_but_years_and_19_in_20_is_shown_by_a_cell(path):
    told = [*numbers(path)]
    alone = [
        (number, words) for number, words, cell in told if not cell and not re.fullmatch("19|1[89]..|20..", number)
    ]
    assert len(told) > 15 and not alone


def test_every_large_number_in_the_prose_of_the_other_lessons_is_shown_by_a_cell_or_known():
    known = {len(POSITIONS), minimax(Board()).nodes, 9 * 8 * 7 * 6 * 5, 100_000}
    from_elsewhere = {"2,929", "3,339"}  # Patashnik's own moves, and the nodes of a game that a reader may write
    for path in LESSONS:
        told = {number.removeprefix("−") for number, _, cell in numbers(path) if "," in number and not cell}
        assert told <= {f"{number:,}" for number in known} | from_elsewhere, path.stem
