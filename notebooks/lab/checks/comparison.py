"""The check of a reader's own comparison: any question is right, so it looks only at what every comparison has."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from lab.checks.causes import DOTS, gaps_in
from lab.checks.tasks import OF_ITS_OWN
from lab.checks.verdict import Check
from lab.statistics import board_of, random_positions
from lab.timeouts import explained
from ttt.board import Board

ABOUT = OF_ITS_OWN["comparison"]


def check_comparison(comparison: Callable[[list[Board]], Any]) -> Check:
    """Check a function that compares two searches on the boards that it is given."""
    if gaps_in(comparison):
        return Check("not started", DOTS)
    boards = _boards()
    try:
        pairs = comparison(list(boards))
    except Exception as error:
        return Check("not yet", f"{explained(error, 'comparison')}.".replace("..", "."), "stops with an error")
    mistake = _mistake(pairs, boards)
    return Check("not yet", ABOUT["mistakes"][mistake], mistake) if mistake else Check("right", ABOUT["done"])


@cache
def _boards() -> Sequence[Board]:
    return random_positions(Board(shape=(4, 4)), 12, seed=11, free=5)


def _mistake(pairs: Any, boards: Sequence[Board]) -> str:
    """The first thing that is missing from a comparison of these boards, by name; "" if nothing is."""
    from pandas import DataFrame

    if not isinstance(pairs, DataFrame):
        return "no table"
    if not {"ratio", "baseline"} <= {*pairs}:
        return "rows instead of ratios"
    compared = {board_of(row) for _, row in pairs.iterrows()}
    if not compared <= {*boards}:
        return "other positions"
    if len(compared) < len(boards):
        return "positions left out"
    same = [name for name in ("board", "depth") if name in pairs]
    if pairs.groupby(same, dropna=False)["baseline"].nunique().max() > 1:
        return "two things changed"
    costs = pairs.select_dtypes("number").drop(columns="ratio")  # of whatever was compared, such as the nodes
    ours = costs.astype(float).div(pairs["baseline"].astype(float), axis=0)
    if not any(np.allclose(ours[name], pairs["ratio"].astype(float)) for name in ours if name != "baseline"):
        return "ratios of its own"
    return ""
