"""The check of a reader's own comparison: any question is right, and what every comparison needs must be there."""

import pytest
from lab import check
from lab.statistics import compare, random_positions, sweep

from ttt import Board, open_lines
from ttt.heuristics import LineWeights

RIGHT = {
    "a table": {"table": [False, True]},
    "orders": {"order": ["row-major", "best-gain"]},
    "two heuristics": {"heuristic": [open_lines, LineWeights(0, 1, 5, 20, 0)]},
    "three orders": {"order": ["row-major", "best-gain", "most-lines"]},
    "two depths, kept apart": {"depth": [2, 3], "killer": [False, True]},
}
BASELINES = {"table": False, "order": "row-major", "heuristic": "open_lines", "killer": False}


def rows_of(boards, **options):
    return sweep(boards, **{"depth": 3, "heuristic": open_lines, **options})


@pytest.mark.parametrize("name", RIGHT)
def test_any_question_about_the_nodes_of_two_searches_is_right(name):
    def comparison(boards):
        column = next(option for option in RIGHT[name] if option in BASELINES)
        return compare(rows_of(boards, **RIGHT[name]), column, baseline=BASELINES[column])

    assert check(comparison).right, check(comparison)


def test_playouts_are_right_too_and_the_two_searches_may_be_swapped():
    def comparison(boards):
        rows = sweep(boards, method="mcts", playouts=[2, 8], seed=[1, 2])
        return compare(rows, "playouts", baseline=8)

    assert check(comparison).right, check(comparison)


def in_two_orders(boards):
    rows = rows_of(boards, order=["row-major", "best-gain"], killer=[False, True])
    return compare(rows, "killer", baseline=False)


def pairs_of(boards):
    return compare(rows_of(boards, table=[False, True]), "table", baseline=False)


def to_the_mean(boards):
    pairs = pairs_of(boards)
    return pairs.assign(ratio=pairs.nodes / pairs.baseline.mean())


WRONG = {
    "nothing returned": ("no table", lambda boards: None),
    "the median only": ("no table", lambda boards: pairs_of(boards)["ratio"].median()),
    "the rows": ("rows instead of ratios", lambda boards: rows_of(boards, table=[False, True])),
    "a sample of its own": ("other positions", lambda boards: pairs_of(random_positions(Board(), 12, free=4))),
    "all but the last": ("positions left out", lambda boards: pairs_of(boards[:-1])),
    "those that change": ("positions left out", lambda boards: pairs_of(boards).query("ratio != 1")),
    "killer moves in two orders": ("two things changed", in_two_orders),
    "a ratio to the mean": ("ratios of its own", to_the_mean),
    "one way only": ("stops with an error", lambda boards: compare(rows_of(boards), "table", baseline=False)),
    "an unknown option": ("stops with an error", lambda boards: rows_of(boards, cache=[False, True])),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_every_comparison_needs_is_missed_by_name(name):
    mistake, comparison = WRONG[name]
    comparison.__name__ = "comparison"
    found = check(comparison)
    assert (found.outcome, found.mistake) == ("not yet", mistake), found
    assert found.message.startswith(("Your function", "No position", "There is", "comparison stopped"))


def test_gaps_are_not_started():
    def comparison(boards):
        rows = ...  # noqa: F841
        return ...

    assert check(comparison).outcome == "not started"
