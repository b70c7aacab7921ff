"""The numbers behind the plots of searches: least trees, effective branching, ratios, and how sure a median is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import isnan, prod
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ttt.plots.figure import BadPlot
from ttt.statistics import POSITION, BadSweep, frame_of
from ttt.statistics.settings import several
from ttt.statistics.tables import METHOD, lists_in

if TYPE_CHECKING:
    from pandas import DataFrame

OPTIONS = ("heuristic", *METHOD, "playouts")
Array = NDArray[np.float64]
RESAMPLES = 2000
BATCH = 50  # resamples drawn together, which saves time without taking much memory
FEWEST = 10  # values that an interval is worked out from


def table_of(data: Any, *columns: str) -> DataFrame:
    """The searches as a table with a row for each.

    Args:
        data: searches (one, many, or a mapping from labels to them), a table of searches, or a file's name; see
            `ttt.statistics.frame_of`.
        columns: what the table must have.

    Raises `BadPlot` if there is no search, or no such column.
    """
    needs = "This plot needs searches, such as minimax(Board(), 3), one or more"
    try:
        table = frame_of(data)
    except (BadSweep, TypeError) as why:
        raise BadPlot(f"{needs}, not {data!r}. {why}") from None
    if table.empty:
        raise BadPlot(f"{needs}, not {'an empty table' if table is data else repr(data)}.")
    _require(table, columns)
    return table


def kept(table: DataFrame, where: Mapping[str, Any]) -> DataFrame:
    """The rows that hold one of the wanted values in each of these columns.

    Args:
        where: for a column a value or a list of values, {"depth": 4} or {"order": ["row-major", "best-gain"]}; None
            stands for an empty field.

    Raises `BadPlot` if there are none.

    >>> from ttt import Board
    >>> from ttt.search import minimax
    >>> table = table_of([minimax(Board(), depth) for depth in (1, 2, 3)])
    >>> kept(table, {"depth": [2, 3]})["nodes"].tolist()
    [82, 586]
    """
    _require(table, where)
    for column, wanted in where.items():
        values = several(wanted)
        table = table[table[column].isin(values) | (table[column].isna() & (None in values))]
    if table.empty:
        raise BadPlot("No search is left to draw: choose more values.")
    return table


def _require(table: DataFrame, columns: Iterable[str]) -> None:
    missing = [column for column in columns if column not in table]
    if missing:
        raise BadPlot(f"The table has no column {missing[0]!r}; it has {', '.join(map(str, table))}.")


def groups(table: DataFrame, by: str) -> dict[str, DataFrame]:
    """The rows of each value of a column, in the order in which they come."""
    return {label_of(value, by): rows for value, rows in table.groupby(by, sort=False, dropna=False)}


def label_of(value: Any, by: str) -> str:
    """A value of a column in words.

    >>> label_of("minimax", "method"), label_of(-1.0, "value"), label_of(True, "table"), label_of(False, "table")
    ('minimax', 'value -1', 'table', 'no table')
    """
    if isinstance(value, str) and value:
        return value
    if isinstance(value, (bool, np.bool_)):
        return by if value else f"no {by}"
    if not isinstance(value, Real) or isnan(value):
        return "other"
    return f"{by} {str(value).removesuffix('.0')}"


def least_tree(widths: Sequence[int]) -> tuple[int, ...]:
    """The fewest nodes that alpha-beta without a table can visit, at the root and at each ply below it.

    To be sure of a value, a search must see at least all answers to one move at every second ply, for one side and
    for the other: at ply d that is the product of the widths of every second ply, plus that of the others, minus the
    one node in both. If the width is b everywhere, that is b^⌈d/2⌉ + b^⌊d/2⌋ - 1.

    Args:
        widths: the moves at the root, at the ply below it, and so on, such as `range(64, 60, -1)` for four plies from
            an empty 4×4×4 board. No game may end in between.

    Raises `BadPlot` if these are no widths.

    Source: Knuth and Moore 1975, "An analysis of alpha-beta pruning", section 6.

    >>> least_tree(range(64, 60, -1)), sum(least_tree(range(64, 60, -1)))
    ((1, 64, 126, 4030, 7810), 12031)
    """
    try:
        plies = [widths[:ply] for ply in range(len(widths) + 1)]
        return tuple(prod(above[::2]) + prod(above[1::2]) - 1 for above in plies)
    except TypeError:
        raise BadPlot(f"The widths of a tree are whole numbers, one for each ply, not {widths!r}.") from None


def effective_branching(nodes: int, depth: int) -> float:
    """The width b of a tree of this depth and size that is equally wide everywhere: nodes = 1 + b + b² + … + b^depth.

    Source: Nilsson 1971, as in Russell and Norvig's "Artificial intelligence", section 3.6.

    >>> round(effective_branching(53, 5), 2)
    1.92
    """
    if nodes < 1 or depth < 1:
        raise ValueError(f"A tree has at least a node and a ply, not {nodes} nodes and {depth} plies.")
    low, high = 0.0, float(nodes)
    for _ in range(100):  # halvings, more than a float's precision needs
        middle = (low + high) / 2
        too_wide = sum(middle**ply for ply in range(depth + 1)) > nodes
        low, high = (low, middle) if too_wide else (middle, high)
    return low


def ratios(data: Any, baseline: Any = None, *, y: str = "nodes", by: str = "setting") -> DataFrame:
    """Each search's cost as a ratio to the baseline's, for the same position and depth: a row for each pair.

    What differs within one setting besides (the heuristic, the number of playouts) is the same in both of a pair, too.
    Of searches that differ in nothing but the seed, the median counts.

    Args:
        data: searches, as for every plot; see `table_of`.
        baseline: one of the settings; the first unless given.
        y: the column with the cost.
        by: the column with the settings.

    Returns the columns of the pair, `by`, y, `baseline` (its cost) and `ratio`. Raises `BadPlot`.
    """
    table = planned(measured(table_of(data, *POSITION, "method", "depth", by, y), y))
    names = list(table[by].dropna().unique())
    if not names:
        raise BadPlot(f"The column {by!r} is empty: choose another one.")
    if baseline is None:
        baseline = names[0]
    if baseline not in names:
        raise BadPlot(f"There is no {by} {baseline!r} to compare with, but {', '.join(map(repr, names))}.")
    if len(names) < 2:
        raise BadPlot(f"A ratio needs at least two kinds of search; here is only {baseline!r}.")
    key = key_of(table, by)
    costs = table.groupby([*key, by], dropna=False, sort=False)[y].median().reset_index()
    of_baseline = costs[costs[by] == baseline].drop(columns=by).rename(columns={y: "baseline"})
    pairs = costs[costs[by] != baseline].merge(of_baseline, on=key)
    if pairs.empty:
        raise BadPlot(f"No position was searched to one depth both with {baseline!r} and with something else.")
    if not (pairs["baseline"] > 0).all():
        raise BadPlot(f"A ratio needs a baseline above 0, and the {y} of {baseline!r} are 0 for some positions.")
    return pairs.assign(ratio=pairs[y] / pairs["baseline"])


def planned(table: DataFrame) -> DataFrame:
    """The table with no depth where none was asked for: a tree that playouts grow is as deep as it happens to be."""
    return table.assign(depth=table["depth"].where(table["method"] != "mcts"))


def measured(table: DataFrame, y: str) -> DataFrame:
    """The searches that have a number in this column. Raises `BadPlot` if none has."""
    found = table[table[y].notna()]
    if found.empty or found[y].dtype.kind not in "iuf":
        raise BadPlot(f"The column {y!r} has no numbers: choose another one.")
    return found


def by_position(table: DataFrame, y: str, by: str) -> dict[str, Array]:
    """One number for each position, for each value of a column: the median over the position's deepest searches."""
    numbers = deepest(table, by).groupby([*POSITION, by], dropna=False, sort=False)[y].median()
    return {label: rows[y].to_numpy(dtype=float) for label, rows in groups(numbers.reset_index(), by).items()}


def deepest(table: DataFrame, by: str) -> DataFrame:
    """Of each position the deepest searches only, for each value of a column."""
    most = table.groupby([*POSITION, by], dropna=False)["depth"].transform("max")
    return table[(table["depth"] == most) | most.isna()]


def median_interval(values: Sequence[float], seed: int = 0) -> tuple[float, float]:
    """A 95 per cent confidence interval of the median, by the percentile bootstrap.

    As many values are drawn from these, each with replacement, as there are, 2,000 times; the interval holds the
    middle 95 per cent of the 2,000 medians. The values must be independent, such as one for each of many positions
    drawn at random; of fewer than some ten, the interval is too narrow.

    Args:
        values: one for each position.
        seed: of the draws.

    Raises `BadPlot` if there is no value, or one that isn't a number.

    Source: Efron and Tibshirani 1993, "An introduction to the bootstrap", section 13.3.

    >>> median_interval([1, 2, 2, 3, 3, 3, 4, 4, 5])
    (2.0, 4.0)
    """
    rng = np.random.default_rng(seed)
    sample = np.asarray(values, dtype=float)
    if not sample.size or np.isnan(sample).any():
        raise BadPlot(f"The interval of a median needs numbers, one or more, not {values!r}.")
    batches = (rng.choice(sample, (BATCH, len(sample))) for _ in range(RESAMPLES // BATCH))
    medians = np.concatenate([np.median(batch, axis=1) for batch in batches])
    low, high = np.percentile(medians, (2.5, 97.5))
    return float(low), float(high)


def quartiles(values: Sequence[float]) -> tuple[float, float, float]:
    """The median between the two ends of the middle half of the values.

    >>> quartiles([1, 2, 3, 4, 100])
    (2.0, 3.0, 4.0)
    """
    low, median, high = (float(value) for value in np.percentile(values, (25, 50, 75)))
    return low, median, high


def lists_of(table: DataFrame, column: str) -> list[list[int]]:
    """The whole numbers in each field of a column of lists. Raises `BadPlot` if there is something else in it."""
    try:
        return lists_in(table, column)
    except BadSweep as why:
        raise BadPlot(str(why)) from None


def key_of(table: DataFrame, by: str) -> list[str]:
    """The columns in which both searches of a pair agree."""
    within = table.groupby(by, dropna=False)
    options = [name for name in OPTIONS if name != by and name in table.columns and within[name].nunique().max() > 1]
    return [*POSITION, "depth", *options]


def notable(found: Mapping[Any, float]) -> Any:
    """The label whose ratio a title names: the least, or the greatest if none is below 1."""
    least = min(found, key=found.__getitem__)
    return least if found[least] < 1 else max(found, key=found.__getitem__)
