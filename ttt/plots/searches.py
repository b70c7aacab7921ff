"""Plots of searches, from a table with a row for each: of `sweep`, or `pandas.DataFrame` of a list of `Search`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from ttt.plots.figure import (
    GOLDEN,
    HATCHED,
    HATCHES,
    axes_for,
    far_apart,
    kinds,
    label_of,
    listed,
    log_scale,
    say,
    short,
    with_legend,
)
from ttt.statistics import compare, interval
from ttt.svg import INK

if TYPE_CHECKING:
    from pandas import DataFrame

MOST_BANDS = 3  # of more, nobody can tell which is which
CROWDED = 20  # points, from which on a line would join neighbours that have nothing to do with one another
FEW = 8  # places on a log scale, which has a tick at each of them
LATER = 6  # from this move on, cutoffs are counted together
MOST_DOTS = 150  # in a row; of more positions, so many are drawn, evenly by rank
FEWEST = 10  # positions that an interval is worked out from
COUNTED = {"depth": "depth (plies)", "marks": "marks on the board", "ply": "plies below the root"}


def curves(
    frame: DataFrame,
    x: str = "depth",
    y: str = "nodes",
    hue: str | None = None,
    *,
    estimator: str = "",
    ax: Axes | None = None,
    title: str = "",
) -> Axes:
    """One column by another: a line for each value of a third, through the medians, in a band over the middle half.

    Of True and False, the line is the mean in per cent, and the band its 95 per cent interval over positions; so it is
    for any column with estimator="mean", without the per cent. There is a band for up to three lines. Rows without an
    x or a y are left out.
    """
    rows = frame.dropna(subset=[x, y])
    if rows.empty:
        raise ValueError(f"No row has both {x!r} and {y!r}: choose other columns.")
    share = rows[y].dtype.kind == "b"
    rows = rows.assign(**{y: rows[y].astype(float) * (100 if share else 1)})
    estimator = estimator or ("mean" if share else "median")
    parts = kinds(rows, hue)
    banded = len(parts) <= MOST_BANDS
    around = {"median": "\n(median and middle half)", "mean": "\n(mean and 95 % interval)"}[estimator]
    if not rows.duplicated([x, hue] if hue else x).any():
        around = ""  # each point is a row
    elif not banded:
        around = f"\n({estimator})"
    ax = axes_for(ax, title, COUNTED.get(x, x), ("per cent " if share else "") + y + around)
    in_order = rows[x].dtype.kind in "iuf"
    places = {one: one if in_order else n for n, one in enumerate(rows[x].unique())}
    for label, (part, look) in parts.items():
        bands = {place: band(some, y, estimator) for place, some in part.groupby(x, observed=True)}
        _draw_curve(ax, {places[place]: bands[place] for place in bands}, label, look, in_order, banded)
        told = (_told(*bands[place]) + f" at {place}" for place in bands)
        say(ax, f"{label or y}: {', '.join(told)}")
    if not in_order:
        ax.set_xticks(range(len(places)), [label_of(x, one) for one in places])
    else:
        _scale_across(ax, x, list(places))
    _scale_upwards(ax)
    return with_legend(ax) if hue else ax


def band(frame: DataFrame, y: str, estimator: str) -> tuple[float, float, float]:
    """The median between the quartiles, or the mean in its 95 per cent interval."""
    if estimator == "median":
        low, middle, high = np.percentile(frame[y].astype(float), (25, 50, 75))
        return low, middle, high
    low, high = interval(frame, y, "mean")
    return low, float(frame[y].mean()), high


def _draw_curve(
    ax: Axes, bands: Mapping[float, Sequence[float]], label: str, look: dict[str, Any], in_order: bool, banded: bool
) -> None:
    """A line through the middles, in a band; where neighbours have nothing to do with one another, points and bars."""
    at, (low, middle, high) = list(bands), np.array(list(bands.values())).T
    joined = in_order and len(at) <= CROWDED
    ax.plot(at, middle, label=label, **(look if joined else look | {"linestyle": "none"}))
    if not banded or not (low < high).any():
        return
    if joined and len(at) > 1:
        ax.fill_between(at, low, high, color=look["color"], alpha=0.18, linewidth=0)
    else:
        ax.vlines(at, low, high, color=look["color"], linewidth=1.2)


def _told(low: float, middle: float, high: float) -> str:
    return short(middle) + (f" ({short(low)} to {short(high)})" if low < high else "")


def _scale_across(ax: Axes, x: str, places: Sequence[float]) -> None:
    """Whole numbers for what is counted in ones, a log scale for what is far apart, where a few have a tick each."""
    if x in COUNTED:
        ax.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    elif far_apart(places, 10):
        log_scale(ax, "x")
        if len(places) <= FEW:
            ax.set_xticks(places, [short(one) for one in places])
            ax.set_xticks([], minor=True)


def _scale_upwards(ax: Axes) -> None:
    """A log scale for numbers that are far apart, and else 0 in sight, with whatever is below it."""
    heights = np.concatenate([np.asarray(line.get_ydata()) for line in ax.lines])
    if far_apart(heights):
        log_scale(ax, "y")
    elif min(heights) >= 0:
        ax.set_ylim(bottom=0)


def reference(ax: Axes, y: float | Sequence[float] | Mapping[Any, float], label: str) -> Axes:
    """A grey line to compare with: a number for a level, a list for x = 0, 1, 2 and so on, or a mapping from x to y."""
    drawn = sum(line.get_color() == INK["-"] for line in ax.lines)
    look: dict[str, Any] = {"color": INK["-"], "linewidth": 1.4, "linestyle": ("--", ":", "-.")[drawn % 3], "zorder": 1}
    if isinstance(y, Mapping | Sequence):
        points = dict(y) if isinstance(y, Mapping) else dict(enumerate(y))
        ax.plot(list(points), list(points.values()), label=label, **look)
        say(ax, f"{label}: {listed(points)}")
    else:
        ax.axhline(y, label=label, **look)
        say(ax, f"{label}: {short(y)}")
    return with_legend(ax)


def paired(
    frame: DataFrame,
    column: str,
    baseline: Any,
    y: str = "nodes",
    *,
    hue: str | None = None,
    ax: Axes | None = None,
    title: str = "",
) -> Axes:
    """Costs as ratios to the baseline's on the same position: a row of dots for each other value of a column.

    The diamond is the median, the bar its 95 per cent interval; for fewer than ten positions there is none. See
    `compare`, whose arguments these are.

    Args:
        hue: a column that parts the rows further, such as "order".
    """
    pairs = compare(frame, column, baseline, y)
    plies = f"at depth {frame['depth'].iloc[0]}" if frame["depth"].notna().all() else "to the end of the game"
    ratio = f"{y} {plies}: ratio to {label_of(column, baseline)} on the same position"
    parts = {
        ", ".join(filter(None, (outer, inner))): (rows, (look if hue is None else other)["color"])
        for outer, (some, other) in kinds(pairs, hue).items()
        for inner, (rows, look) in kinds(some, column).items()
    }
    ax = axes_for(ax, title, f"{ratio}\ndiamond: median, bar: 95 % interval", "", 1.5 + 0.6 * len(parts))
    for n, (label, (rows, colour)) in enumerate(parts.items()):
        _draw_row(ax, n, label, np.sort(rows["ratio"]), interval(rows, "ratio"), colour)
    ax.axvline(1, color=INK["-"], linewidth=1.2, linestyle="--", zorder=0)
    ax.set_yticks(range(len(parts)), [label.replace(", ", ",\n") for label in parts])
    ax.set_ylim(len(parts) - 0.5, -0.5)
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    log_scale(ax, "x")
    return ax


def _draw_row(ax: Axes, n: int, label: str, ratios: Any, around: tuple[float, float], colour: str) -> None:
    """The dots of some positions, their median, its interval, and both in figures beside the row."""
    dots = ratios[np.unique(np.linspace(0, len(ratios) - 1, min(len(ratios), MOST_DOTS)).round().astype(int))]
    heights = n + 0.5 * (GOLDEN * np.arange(len(dots)) % 1) - 0.25
    ax.plot(dots, heights, "o", color=colour, markersize=3.5, markeredgewidth=0)
    middle, width = np.median(ratios), ""
    if len(ratios) >= FEWEST:
        ax.plot(around, (n, n), color="#000000", linewidth=2.5, solid_capstyle="butt")
        width = f" ({around[0]:.2g} to {around[1]:.2g})"
    ax.plot(middle, n, "D", color="#000000", markersize=6)
    positions = f"{len(ratios)} position{'s' if len(ratios) > 1 else ''}"
    beside: dict[str, Any] = {"xycoords": ("axes fraction", "data"), "textcoords": "offset points", "va": "center"}
    ax.annotate(f"{middle:.2g}×\n{positions}", (1, n), xytext=(8, 0), fontsize=9, **beside)
    say(ax, f"{label}: {middle:.2g}{width} times the baseline on {positions}")


def cutoffs(frame: DataFrame, hue: str | None = None, *, ax: Axes | None = None, title: str = "") -> Axes:
    """How often the first move tried cut off the rest, how often the second, and so on, in per cent of all cutoffs.

    The cutoffs of all searches count alike, so that a search with many counts for more than one with few.
    """
    names = [*map(str, range(1, LATER)), f"{LATER} or later"]
    ax = axes_for(ax, title, "the move that cut off (1: the first tried)", "per cent of the cutoffs", 3.2)
    parts = kinds(frame, hue)
    width = 0.8 / len(parts)
    for n, (label, (rows, look)) in enumerate(parts.items()):
        counts = np.sum([_by_move(one) for one in rows["cutoffs_by_move"]], axis=0)
        if not counts.any():
            raise ValueError(f"{label or 'The searches'} cut nothing off: leave them out.")
        heights = 100 * counts / counts.sum()
        places = np.arange(LATER) + (n + 0.5) * width - 0.4
        hatch = HATCHES[n % len(HATCHES)]
        ax.bar(places, heights, 0.92 * width, label=label, facecolor=look["color"], hatch=hatch, **HATCHED)
        say(ax, f"{label or 'cutoffs'}: {listed(dict(zip(names, heights, strict=True)))}")
    ax.set_xticks(range(LATER), names)
    return with_legend(ax) if hue else ax


def _by_move(cutoffs: Sequence[int]) -> list[int]:
    first = [*cutoffs[: LATER - 1], *[0] * LATER][: LATER - 1]
    return [*first, sum(cutoffs[LATER - 1 :])]


def shares_by_ply(frame: DataFrame, hue: str | None = None, *, ax: Axes | None = None, title: str = "") -> Axes:
    """How the nodes of a search are spread over the plies of its tree, in per cent."""
    shares = frame.assign(share=[[100 * nodes / sum(plies) for nodes in plies] for plies in frame["nodes_per_ply"]])
    shares["ply"] = [list(range(len(plies))) for plies in frame["nodes_per_ply"]]
    each = shares.explode(["ply", "share"]).astype({"ply": int, "share": float})
    ax = curves(each, "ply", "share", hue, ax=ax, title=title)
    ax.set(ylabel="per cent of the nodes", yscale="linear")
    ax.set_ylim(bottom=0)
    return ax
