"""Plots with a dot for each position: how far apart costs are, and what one kind of search costs next to another.

Each takes what the plots of searches take. Each position counts once, with the median over its deepest searches: those
with several seeds, say.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ttt.plots.figure import BadPlot, Band, Plot, in_lines, log_scale, new_figure, rounded, short, styles, with_legend
from ttt.plots.measures import (
    FEWEST,
    Array,
    by_position,
    deepest,
    groups,
    key_of,
    label_of,
    lists_of,
    measured,
    median_interval,
    notable,
    planned,
    quartiles,
    ratios,
    table_of,
)
from ttt.statistics import POSITION
from ttt.svg import INK, signed

if TYPE_CHECKING:
    from pandas import Series

MOST_DOTS = 150  # in a row; of more positions, as many are drawn, evenly by rank
LETTERS = 24  # of a row's label, in a line
WEAK = 0.3  # a rank correlation that says little
GOLDEN = 0.618034  # the fractions of its multiples lie evenly: the dots of a row don't hide each other


def distribution(data: Any, title: str = "", *, y: str = "nodes", by: str = "setting") -> Plot:
    """What a search costs, by position: a row of dots for each setting, with the median on the bar of the middle half.

    Args:
        data: searches of many positions.
        y: the column with the cost.
        by: the column with the settings.
    """
    table = planned(measured(table_of(data, *POSITION, "method", "depth", y, by), y))
    rows = by_position(table, y, by)
    bands = {label: quartiles(values.tolist()) for label, values in rows.items()}
    first, best = next(iter(bands)), min(bands, key=lambda label: bands[label][1])
    finding = f"Half of the positions take {rounded(bands[first][1])} {y} or more with {first}"
    if rounded(bands[best][1]) != rounded(bands[first][1]):
        finding += f"; {rounded(bands[best][1])} with {best}"
    return _rows(title or finding, f"{y} of a position", "middle half", rows, bands)


def paired(
    data: Any, baseline: Any = None, title: str = "", *, y: str = "nodes", by: str = "setting", seed: int = 0
) -> Plot:
    """Each setting's cost as a ratio to the baseline's, position by position.

    A dot is a position. The mark on each row is the median of the ratios, the bar its 95 per cent confidence interval
    by the percentile bootstrap (Efron and Tibshirani 1993); see `median_interval`. For fewer than ten positions there
    is none.

    Args:
        data: searches of the same positions with two settings or more.
        baseline: one of the settings; the first unless given.
        y: the column with the cost.
        by: the column with the settings.
        seed: of the bootstrap.
    """
    table = measured(table_of(data, by, y), y)
    rows = by_position(ratios(table, baseline, y=y, by=by), "ratio", by)
    name = label_of(table[by].dropna().iloc[0] if baseline is None else baseline, by)
    bands = {label: _median(values, seed) for label, values in rows.items()}
    best = notable({label: middle for label, (_, middle, _) in bands.items()})
    low, middle, high = bands[best]
    sure = f", 95 % interval {rounded(low)} to {rounded(high)}" if low < high else ""
    positions = f"{len(rows[best])} positions{sure}" if len(rows[best]) > 1 else "1 position"
    title = title or f"{best} needs {rounded(middle)} × the {y} of {name} ({positions})"
    x = f"{y}: ratio to {name} on the same position"
    return _rows(title, x, "95 % interval of the median", rows, bands, reference=1)


def nodes_by_order(data: Any, title: str = "", *, by: str = "setting") -> Plot:
    """The nodes of alpha-beta searches by how good the order of moves was.

    An order is good if the first move tried cuts off the others: across is the share of the cutoffs that the first
    move makes. Positions differ in size, so the nodes are a ratio to the fewest that any of the settings needs for the
    same position and depth.

    Args:
        data: searches of the same positions with two settings or more; those without a cutoff are left out.
        by: the column with the settings.
    """
    table = measured(table_of(data, *POSITION, "depth", "nodes", "cutoffs", "cutoffs_by_move", by), "nodes")
    table = deepest(table, by)
    table = table[table["cutoffs"] > 0]
    if table.empty or table[by].nunique() < 2:
        raise BadPlot("This plot needs searches of two kinds or more that cut off.")
    first = [counts[0] for counts in lists_of(table, "cutoffs_by_move")]
    fewest = table.groupby(key_of(table, by), dropna=False)["nodes"].transform("min")
    table = table.assign(first=100 * np.array(first) / table["cutoffs"], ratio=table["nodes"] / fewest)
    figure, axes = new_figure(
        title or _correlation(table["first"], table["ratio"]),
        3.6,
        "cutoffs by the first move tried (per cent); large marks: medians",
        "nodes, as a ratio to the fewest\nfor the same position",
    )
    for style, (label, rows) in zip(styles(), groups(table, by).items(), strict=False):
        dots = rows.sort_values("ratio").iloc[_by_rank(len(rows))]
        look = {"color": style["color"], "marker": style["marker"], "linestyle": "none"}
        axes.plot(dots["first"], dots["ratio"], **look, markersize=4, label=label)
        middle = rows[["first", "ratio"]].median()
        axes.plot(*middle, **look, markersize=11, markeredgecolor="white")
        figure.say(f"{label}: median {short(middle['first'])} per cent, {rounded(middle['ratio'])} × the fewest nodes")
    log_scale(axes, "y")
    return with_legend(figure)


def _rows(
    title: str,
    x: str,
    bar: str,
    rows: Mapping[str, Array],
    bands: Mapping[str, Band],
    reference: float | None = None,
) -> Plot:
    """A figure with a row of dots for each label, and its median on a bar, written beside it; a log scale if it can be.

    Args:
        bar: what the bar is.
        reference: where a dashed line stands.
    """
    log = all((values > 0).all() for values in rows.values())
    x = f"{x} (log scale)" if log else x
    figure, axes = new_figure(title, 1.4 + 0.6 * len(rows), f"{x}\ndiamond: median, bar: {bar}")
    for n, (style, (label, values)) in enumerate(zip(styles(), rows.items(), strict=False)):
        low, middle, high = bands[label]
        dots = np.sort(values)[_by_rank(len(values))]
        heights = n + 0.5 * (GOLDEN * np.arange(len(dots)) % 1) - 0.25
        axes.plot(dots, heights, "o", color=style["color"], markersize=3.5, markeredgewidth=0)
        axes.plot((low, high), (n, n), color="#000000", linewidth=2.5, solid_capstyle="butt")
        axes.plot(middle, n, "D", color="#000000", markersize=6)
        beside: dict[str, Any] = {"xycoords": ("axes fraction", "data"), "xytext": (8, 0)}
        axes.annotate(rounded(middle), (1, n), textcoords="offset points", va="center", **beside)
        width = f" ({short(low)} to {short(high)})" if low < high else ""
        figure.say(f"{label}: {short(middle)}{width}")
    if reference is not None:
        axes.axvline(reference, color=INK["-"], linewidth=1.2, linestyle="--", zorder=0)
    axes.set_yticks(range(len(rows)), [in_lines(label, LETTERS) for label in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    if log:
        log_scale(axes, "x")
    return figure


def _by_rank(count: int) -> Any:
    """The places of the dots to draw among so many in order of size."""
    return np.unique(np.linspace(0, count - 1, min(count, MOST_DOTS)).round().astype(int))


def _median(values: Array, seed: int) -> Band:
    """The median between the ends of its interval, if there are enough values for one."""
    middle = float(np.median(values))
    low, high = median_interval(values.tolist(), seed) if len(values) >= FEWEST else (middle, middle)
    return low, middle, high


def _correlation(first: Series, ratio: Series) -> str:
    """Whether the nodes go with the order, by Spearman's rank correlation; it needs two orders and two costs."""
    if first.nunique() < 2 or ratio.nunique() < 2:
        return "Nodes by how often the first move cuts off"
    rho = float(first.rank().corr(ratio.rank()))
    if not rho < -WEAK:
        return f"How often the first move cuts off says little about the nodes (rank correlation {signed(rho)})"
    return f"The more often the first move cuts off, the fewer the nodes (rank correlation {signed(rho)})"
