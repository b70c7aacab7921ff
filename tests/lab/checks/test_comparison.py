"""The check of a reader's own comparison: any question is right, and what every comparison needs must be there."""

import re
from pathlib import Path

import pytest
from approved import approved
from lab import check
from lab.statistics import compare, random_positions, sweep

from ttt import Board, open_lines
from ttt.heuristics import LineWeights

SAID = Path(__file__).parent / "said" / "comparison.txt"


def rows_of(boards, **options):
    return sweep(boards, **{"depth": 2, "heuristic": open_lines, **options})


def pairs_of(boards, option="table", values=(False, True), **more):
    return compare(rows_of(boards, **{option: list(values)}, **more), option, baseline=values[0])


def to_the_mean(boards):
    pairs = pairs_of(boards)
    return pairs.assign(ratio=pairs.nodes / pairs.baseline.mean())


def playouts(boards):
    return compare(sweep(boards, method="mcts", playouts=[2, 8], seed=[1, 2]), "playouts", baseline=8)


def two_heuristics(boards):
    rows = rows_of(boards, heuristic=[open_lines, LineWeights(0, 1, 5, 20, 0)])
    return compare(rows, "heuristic", baseline="open_lines")


def gaps(boards):
    rows = ...  # noqa: F841
    return ...


COMPARISONS = {  # the first five are right: any question about the nodes of two searches is
    "a table": pairs_of,
    "two heuristics": two_heuristics,
    "three orders": lambda boards: pairs_of(boards, "order", ("row-major", "best-gain", "most-lines")),
    "two depths, kept apart": lambda boards: pairs_of(boards, "killer", depth=[1, 2]),
    "playouts, and the other one is the baseline": playouts,
    "gaps": gaps,
    "nothing returned": lambda boards: None,
    "the median only": lambda boards: pairs_of(boards)["ratio"].median(),
    "the rows": lambda boards: rows_of(boards, table=[False, True]),
    "without the baseline": lambda boards: pairs_of(boards).drop(columns="baseline"),
    "a sample of its own": lambda boards: pairs_of(random_positions(Board(), 12, free=4)),
    "all but the last": lambda boards: pairs_of(boards[:-1]),
    "those that change": lambda boards: pairs_of(boards).query("ratio != 1"),
    "killer moves in two orders": lambda boards: pairs_of(boards, "killer", order=["row-major", "best-gain"]),
    "a ratio to the mean": to_the_mean,
    "one way only": lambda boards: compare(rows_of(boards), "table", baseline=False),
    "an unknown option": lambda boards: rows_of(boards, cache=[False, True]),
}


@pytest.mark.parametrize("name", COMPARISONS)
def test_what_every_comparison_needs_is_missed_by_name(name, monkeypatch):
    comparison = COMPARISONS[name]
    monkeypatch.setattr(comparison, "__name__", "comparison")
    found = check(comparison)
    assert approved(SAID, name, re.sub(r"in line \d+", "in line N", f"{found}\n({found.mistake})"))
