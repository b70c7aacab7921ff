"""What a table of searches says: costs beside a baseline's, and the middle of each group with its interval."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lab.statistics.names import name_of
from lab.statistics.table import POSITION, SETTING, cost_column, numbers_of_positions, require_columns, with_categories
from ttt.arena import wilson

if TYPE_CHECKING:
    from pandas import DataFrame, Series

LEVEL = 0.95  # of an interval
RESAMPLES = 1000
MIN_POSITIONS = 10  # for an interval by resampling
END = -1  # as a depth: to the end of the game


def compare(frame: DataFrame, column: str, baseline: Any, y: str | None = None) -> DataFrame:
    """Each search's cost relative to the baseline's on the same position, all else being equal: one row per pair.

    Args:
        column: what differs within a pair, such as "order" or "killer"; "setting" for methods, whose options differ.
        baseline: the value of that column to divide by, such as "row-major", False, `open_lines` or
            "mcts, 100 playouts".
        y: the cost; by default the nodes, or the seconds if a search counted no nodes.

    A setting that one method lacks, such as a depth in mcts, counts as equal. Of searches that differ only in the
    seed, the median counts (the mean if y is True or False); failed searches are left out. Seconds are compared only
    on the same machine. The columns are those that a pair shares, the column, y, `baseline` (its cost), `difference`
    and, if all costs of the baseline are above 0, `ratio`. `summary` adds intervals, at the level that you choose:
    `summary(compare(frame, "order", "row-major"), "depth", "ratio", level=0.99)`.

    If y is True or False, the last column is `better` instead: True or False where only one of the two is True, and
    otherwise empty. So `summary(compare(frame, "playouts", 10, "right"), "playouts", "better")` gives the share of
    positions on which more playouts did better, out of those that differ. If its interval holds 0.5, either may be
    better (McNemar 1947).

    Raises `KeyError` and `ValueError`.
    """
    y = cost_column(frame, y, column, *POSITION, *SETTING)
    shares = frame[y].dtype.kind == "b"
    frame = with_categories(frame[frame["error"].isna()] if "error" in frame else frame)
    shared = _shared(frame, column, y)
    to_the_end = frame["depth"].isna() & (frame["method"] != "mcts")
    rows = frame.assign(depth=frame["depth"].astype("Int64").mask(to_the_end, END)).dropna(subset=column)
    rows[y] = rows[y].astype("Float64")
    groups = rows.groupby([*POSITION, *shared, column], dropna=False, observed=True, sort=False)[y]
    costs = (groups.mean() if shares else groups.median()).reset_index()
    baseline = in_table(frame, column, baseline)
    pairs = _paired(costs, column, baseline, y, shared)
    if pairs[[y, "baseline"]].isna().any(axis=None):
        raise ValueError(f"`{y}` must be known in every row.")
    pairs = pairs.assign(depth=pairs["depth"].mask(pairs["depth"] == END), difference=pairs[y] - pairs["baseline"])
    pairs.attrs["compared"] = (y, column, baseline)  # for the axes of plots
    if shares:
        return pairs.assign(better=(pairs["difference"] > 0).mask(pairs["difference"] == 0))
    above = (pairs["baseline"] > 0).all()
    return pairs.assign(ratio=pairs[y].astype(float) / pairs["baseline"].astype(float)) if above else pairs


def _shared(frame: DataFrame, column: str, y: str) -> list[str]:
    """The settings in which a pair must be equal."""
    own = dict.fromkeys(name for text in frame["options"].dropna().unique() for name in json.loads(text))
    shared = [name for name in (*SETTING, *own) if name not in (column, "setting", "options", "seed")]
    if column == "setting":
        shared = ["heuristic", "depth", "times"]  # a setting says the rest
    return [*shared, "machine"] if y == "seconds" and "machine" in frame else shared


def _paired(costs: DataFrame, column: str, baseline: Any, y: str, shared: list[str]) -> DataFrame:
    """Each cost and the baseline's. Raises `ValueError` if there is no pair."""
    base = costs[costs[column] == baseline].drop(columns=column).rename(columns={y: "baseline"})
    pairs = costs[costs[column] != baseline].merge(base, on=[*POSITION], suffixes=("", " of baseline"))
    for name in shared:
        one, other = pairs[name], pairs.pop(f"{name} of baseline")
        pairs = pairs.assign(**{name: one.fillna(other)})[(one == other).fillna(False) | one.isna() | other.isna()]
    if pairs.empty:
        both = f"both with `{column}={baseline!r}` and with another `{column}`"
        raise ValueError(f"No position was searched {both}, all else being equal.")
    return pairs


def in_table(frame: DataFrame, column: str, baseline: Any) -> Any:
    """A baseline as the table holds it: functions by their names. Raises `ValueError` if no search has it."""
    if baseline is None or callable(baseline):
        baseline = name_of(baseline)
    values = frame[column].dropna().unique().tolist()
    if baseline not in values:
        there = ", ".join(map(repr, values))
        raise ValueError(f"No search here has `{column}={baseline!r}`. Choose a baseline from {there}.")
    return baseline


def summary(
    frame: DataFrame, by: str | Sequence[str], y: str, *, level: float = LEVEL, resamples: int = RESAMPLES
) -> DataFrame:
    """Each group's number of positions, and the median of y (the share that is True) with its confidence interval.

    The columns are `n`, `middle`, `level`, `resamples`, and the interval from `low` to `high`; `by` is a column or
    several. Searches of one position, as with several seeds, count once, by their median (their mean for shares).

    Method: if y is True or False, Wilson's interval with the number of positions (Wilson 1927, "Probable inference";
    several seeds make it cautious), without resampling. Otherwise the percentile bootstrap over positions (Efron and
    Tibshirani 1993, "An introduction to the bootstrap", section 13.3), by default with 1,000 resamples, always the
    same; none for fewer than ten positions.

    The interval, at a level of 95 per cent by default, says how far off the middle of another sample of this size
    might lie: if you searched all positions, the middle is a fact and needs none. Raises `KeyError` and `ValueError`.
    """
    from pandas import DataFrame

    by = [by] if isinstance(by, str) else [*by]
    if not by:
        raise ValueError("Choose a column to group by, such as `summary(frame, 'depth', 'nodes')`.")
    require_columns(frame, *by, y)
    require_level(level, resamples)
    if frame[y].isna().all():
        raise ValueError(f"No row has a value of {y!r}. Choose another column.")
    shares = frame[y].dtype.kind == "b"
    rows = frame.dropna(subset=[y]).astype({y: float}).reset_index(drop=True)
    each = rows[y].groupby([*(rows[name] for name in by), numbers_of_positions(rows)], observed=True)
    levels = [*range(len(by))] if len(by) > 1 else 0
    groups = (each.mean() if shares else each.median()).groupby(level=levels, observed=True)
    found = [_middle(values, shares, level, resamples) for _, values in groups]
    return DataFrame(found, index=groups.size().index)


def _middle(values: Series[float], shares: bool, level: float, resamples: int) -> dict[str, float]:
    """The columns of a summary for one group, with a value for each of its positions."""
    n, low, high = len(values), np.nan, np.nan
    middle, drawn = values.mean() if shares else values.median(), 0
    if shares:
        low, high = wilson(middle, n, level)
    elif n >= MIN_POSITIONS:
        drawn = resamples
        medians = np.median(np.random.default_rng(0).choice(values, (drawn, n)), axis=1)
        low, high = np.percentile(medians, (50 - 50 * level, 50 + 50 * level))
    return {"n": n, "middle": middle, "level": level, "resamples": drawn, "low": low, "high": high}


def require_level(level: float, resamples: int = RESAMPLES) -> None:
    """Raise `ValueError` unless this is a level between 0 and 1, and a number of resamples."""
    if not 0 < level < 1:
        raise ValueError(f"`level` must be between 0 and 1, such as 0.95, not {level!r}.")
    if not isinstance(resamples, int) or resamples < 1:
        raise ValueError(f"`resamples` must be a whole number, 1 or more, not {resamples!r}.")
