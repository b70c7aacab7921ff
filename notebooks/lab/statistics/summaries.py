"""What a table of searches says: costs beside a baseline's, and the middle of each group."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lab.statistics.sweep_file import POSITION, SETTING, name_of
from lab.statistics.table import cost_column, require_columns, with_categories

if TYPE_CHECKING:
    from pandas import DataFrame, Series

RESAMPLES = 1000
MIN_POSITIONS = 10  # for an interval
END = -1  # as a depth: to the end of the game


def compare(frame: DataFrame, column: str, baseline: Any, y: str | None = None) -> DataFrame:
    """Each search's cost relative to the baseline's on the same position, all else being equal: one row per pair.

    Args:
        column: what differs within a pair, such as "order" or "killer"; "setting" for methods, whose options differ.
        baseline: the value of that column to divide by, such as "row-major", False, `open_lines` or
            "mcts, 100 playouts".
        y: the cost; by default the nodes, or the seconds if a search counted no nodes.

    A setting that one method lacks, such as a depth in mcts, counts as equal. Of searches that differ only in the
    seed, the median counts. The columns are those that a pair shares, the column, y, `baseline` (its cost), and
    `ratio`. Raises `KeyError` and `ValueError`.
    """
    require_columns(frame, column, *POSITION, *SETTING)
    y = cost_column(frame, y)
    frame = with_categories(frame)
    baseline = _in_table(frame, column, baseline)
    own = dict.fromkeys(name for text in frame["options"].dropna().unique() for name in json.loads(text))
    shared = [name for name in (*SETTING, *own) if name not in (column, "setting", "options", "seed")]
    if column == "setting":
        shared = ["heuristic", "depth", "times"]  # a setting says the rest
    to_the_end = frame["depth"].isna() & (frame["method"] != "mcts")
    rows = frame.assign(depth=frame["depth"].astype("Int64").mask(to_the_end, END)).dropna(subset=column)
    costs = (
        rows.groupby([*POSITION, *shared, column], dropna=False, observed=True, sort=False)[y].median().reset_index()
    )
    base = costs[costs[column] == baseline].drop(columns=column).rename(columns={y: "baseline"})
    pairs = costs[costs[column] != baseline].merge(base, on=[*POSITION], suffixes=("", " of baseline"))
    for name in shared:
        one, other = pairs[name], pairs.pop(f"{name} of baseline")
        pairs = pairs.assign(**{name: one.fillna(other)})[(one == other).fillna(False) | one.isna() | other.isna()]
    if pairs.empty:
        both = f"both with `{column}={baseline!r}` and with another `{column}`"
        raise ValueError(f"No position was searched {both}, all else being equal.")
    if not (pairs["baseline"] > 0).fillna(False).all() or pairs[y].isna().any():
        raise ValueError(f"`{y}` must be above 0 with {column} {baseline!r}, and known in every row, to give ratios.")
    ratios = pairs[y].astype(float) / pairs["baseline"].astype(float)
    return pairs.assign(depth=pairs["depth"].mask(pairs["depth"] == END), ratio=ratios)


def _in_table(frame: DataFrame, column: str, baseline: Any) -> Any:
    """A baseline as the table holds it: functions by their names. Raises `ValueError` if no search has it."""
    if baseline is None or callable(baseline):
        baseline = name_of(baseline)
    values = frame[column].dropna().unique().tolist()
    if baseline not in values:
        there = ", ".join(map(repr, values))
        raise ValueError(f"No search here has `{column}={baseline!r}`. Choose a baseline from {there}.")
    return baseline


def summary(frame: DataFrame, by: str | Sequence[str], y: str, estimator: str | None = None) -> DataFrame:
    """Each group's number of positions, and the median of y (the mean if True or False) in its 95 per cent interval.

    The columns are `n`, `middle`, `low` and `high`; `by` is a column or several, `estimator` "median" or "mean".

    Searches of one position, as with several seeds, count once, by their median or mean. The interval says how far
    off the middle of another sample of this size might lie: if you searched all positions, the middle is a
    fact and needs none. There is none for fewer than ten positions. Percentile bootstrap: Efron and Tibshirani
    1993, "An introduction to the bootstrap", section 13.3. Raises `KeyError` and `ValueError`.
    """
    import pandas

    by = [by] if isinstance(by, str) else [*by]
    require_columns(frame, *by, y)
    estimator = estimator or ("mean" if frame[y].dtype.kind == "b" else "median")
    if estimator not in ("median", "mean"):
        raise ValueError(f"`estimator` must be 'median' or 'mean', not {estimator!r}.")
    position = [name for name in POSITION if name in frame] if "board" in frame else []
    if frame[y].isna().all():
        raise ValueError(f"No row has a value of {y!r}. Choose another column.")

    def measures(group: DataFrame) -> Series[float]:
        values = group.groupby(position, sort=False, dropna=False)[y].agg(estimator) if position else group[y]
        low = high = np.nan
        if len(values) >= MIN_POSITIONS:
            draws = np.random.default_rng(0).choice(values, (RESAMPLES, len(values)))
            low, high = np.percentile(getattr(np, estimator)(draws, axis=1), (2.5, 97.5))
        return pandas.Series({"n": len(values), "middle": values.agg(estimator), "low": low, "high": high})

    groups = frame.dropna(subset=[y]).astype({y: float}).groupby(by, observed=True)
    return groups[[*position, y]].apply(measures).astype({"n": int})
