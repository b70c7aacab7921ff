"""Plots of searches, from a table with a row for each: of `sweep`, or `pandas.DataFrame` of a list of `Search`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from ttt.drawing.svg import INK
from ttt.plots.figure import HATCHED, Kind, axes_for, kinds, label_of, log_scale, say, short, with_legend
from ttt.search.record import counted
from ttt.statistics import compare, interval

if TYPE_CHECKING:
    from pandas import DataFrame

MOST_BANDS = 3  # of more, nobody can tell which is which
CROWDED = 20  # points, from which on a line would join neighbours that have nothing to do with one another
FEW = 12  # values of a column that colours lines, or by which rows are chosen
LATER = 6  # from this move on, cutoffs are counted together
FEWEST = 10  # positions that an interval is worked out from
GOLDEN = 0.618034  # the fractions of its multiples lie evenly: dots at such heights don't hide each other
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
    in_order = rows[x].dtype.kind in "iuf"
    if not in_order:
        rows[x] = [label_of(x, one) for one in rows[x]]
    estimator = estimator or ("mean" if share else "median")
    parts = kinds(rows, hue)
    banded = len(parts) <= MOST_BANDS
    around = f" and {'middle half' if estimator == 'median' else '95 % interval'}" if banded else ""
    several = rows.duplicated([x, hue] if hue else x).any()  # searches at one point
    height = f"{'per cent ' if share else ''}{y}" + (f"\n({estimator}{around})" if several else "")
    ax = axes_for(ax, title, COUNTED.get(x, x), height)
    across: Any = ax.xaxis
    if not in_order:
        across.update_units(rows[x].unique())  # words keep their order, whichever line begins
    for kind in parts:
        _draw_curve(ax, kind, x, y, estimator, banded, joined=in_order and rows[x].nunique() <= CROWDED)
    if x in COUNTED:
        across.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    elif in_order and 0 < 10 * rows[x].min() <= rows[x].max():
        log_scale(ax, "x")
    heights = np.concatenate([line.get_ydata() for line in ax.lines])
    if 0 < 100 * min(heights) <= max(heights):
        log_scale(ax, "y")
    elif min(heights) >= 0:
        ax.set_ylim(bottom=0)
    return with_legend(ax) if hue else ax


def _draw_curve(ax: Axes, kind: Kind, x: str, y: str, estimator: str, banded: bool, joined: bool) -> None:
    """A line through the middles, in a band; where neighbours have nothing to do with one another, points and bars."""
    bands, told = {}, {}
    for place, some in kind.rows.groupby(x, observed=True, sort=joined):
        low, middle, high = np.percentile(some[y], (25, 50, 75))
        if estimator == "mean":
            (low, high), middle = interval(some, y, "mean"), some[y].mean()
        bands[place] = low, middle, high
        told[f"{place}"] = f"{short(middle)} ({short(low)} to {short(high)})" if low < high else short(middle)
    places, (lows, middles, highs) = list(bands), np.array([*bands.values()]).T
    dashes = kind.dashes if joined else "none"
    ax.plot(places, middles, color=kind.colour, marker=kind.marker, markersize=5, linestyle=dashes, label=kind.label)
    if banded and joined and len(places) > 1:
        ax.fill_between(places, lows, highs, color=kind.colour, alpha=0.18, linewidth=0)
    elif banded:
        ax.vlines(places, lows, highs, color=kind.colour, linewidth=1.2)
    say(ax, kind.label or y, told)


def reference(ax: Axes, y: float | Sequence[float] | Mapping[Any, float], label: str) -> Axes:
    """A grey line to compare with: a number for a level, a list for x = 0, 1, 2 and so on, or a mapping from x to y."""
    drawn = sum(line.get_color() == INK["-"] for line in ax.lines)
    look: dict[str, Any] = {"color": INK["-"], "linewidth": 1.4, "linestyle": ("--", ":", "-.")[drawn % 3], "zorder": 1}
    if isinstance(y, Mapping | Sequence):
        points = dict(y) if isinstance(y, Mapping) else dict(enumerate(y))
        ax.plot(list(points), list(points.values()), label=label, **look)
        say(ax, label, points)
    else:
        ax.axhline(y, label=label, **look)
        say(ax, label, {"everywhere": y})
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

    The diamond is the median, the bar its 95 per cent interval; for fewer than ten positions there is none. Hue is a
    column that parts the rows further, such as "order"; see `compare` for the others.
    """
    pairs = compare(frame, column, baseline, y)
    plies = f"at depth {frame['depth'].iloc[0]}" if frame["depth"].notna().all() else "to the end of the game"
    ratio = f"{y} {plies}: ratio to {label_of(column, baseline)} on the same position"
    key = f"diamond: median; bar: its 95 % interval, for {FEWEST} positions or more"
    parts = [(outer, inner) for outer in kinds(pairs, hue) for inner in kinds(outer.rows, column)]
    labels = [", ".join(filter(None, (outer.label, inner.label))) for outer, inner in parts]
    ax = axes_for(ax, title, f"{ratio}\n({key})", "", 1.5 + 0.6 * len(parts))
    for n, (outer, inner) in enumerate(parts):
        _draw_row(ax, n, labels[n], inner.rows, (outer if hue else inner).colour)
    ax.axvline(1, color=INK["-"], linewidth=1.2, linestyle="--", zorder=0)
    ax.set_yticks(range(len(parts)), [label.replace(", ", ",\n") for label in labels])
    ax.set_ylim(len(parts) - 0.5, -0.5)
    log_scale(ax, "x")
    return ax


def _draw_row(ax: Axes, n: int, label: str, pairs: DataFrame, colour: str) -> None:
    """The ratios as dots, their median with its interval, and the median in figures beside the row."""
    ratios = np.sort(pairs["ratio"])
    told = {"median": np.median(ratios)}
    positions = counted(len(ratios), "position")
    heights = n + 0.5 * ((GOLDEN * np.arange(len(ratios)) + 0.5) % 1) - 0.25
    ax.plot(ratios, heights, "o", color=colour, markersize=3.5, markeredgewidth=0)
    if len(ratios) >= FEWEST:
        told["from"], told["to"] = interval(pairs, "ratio")
        ax.plot((told["from"], told["to"]), (n, n), color="#000000", linewidth=2.5, solid_capstyle="butt")
    ax.plot(told["median"], n, "D", color="#000000", markersize=6)
    ax.text(1.02, n, f"{told['median']:.2g}×\n{positions}", transform=ax.get_yaxis_transform(), va="center", fontsize=9)
    say(ax, f"{label} on {positions}", told)


def cutoffs(frame: DataFrame, hue: str | None = None, *, ax: Axes | None = None, title: str = "") -> Axes:
    """How often the first move tried cut off the rest, how often the second, and so on, in per cent of all cutoffs.

    The cutoffs of all searches count alike, so that a search with many counts for more than one with few.
    """
    names = [*map(str, range(1, LATER)), f"{LATER} or later"]
    ax = axes_for(ax, title, "the move that cut off (1: the first tried)", "per cent of the cutoffs", 3.2)
    parts = kinds(frame, hue)
    width = 0.8 / len(parts)
    for n, kind in enumerate(parts):
        counts = [sum(one) for one in zip_longest(*kind.rows["cutoffs_by_move"], fillvalue=0)] + [0] * LATER
        heights = np.array([*counts[: LATER - 1], sum(counts[LATER - 1 :])])
        if not heights.any():
            raise ValueError(f"{kind.label or 'The searches'} cut nothing off: leave them out.")
        heights = 100 * heights / heights.sum()
        places = np.arange(LATER) + (n + 0.5) * width - 0.4
        ax.bar(places, heights, 0.92 * width, label=kind.label, facecolor=kind.colour, hatch=kind.hatch, **HATCHED)
        say(ax, kind.label or "cutoffs", dict(zip(names, heights, strict=True)))
    ax.set_xticks(range(LATER), names)
    return with_legend(ax) if hue else ax


def shares_by_ply(frame: DataFrame, hue: str | None = None, *, ax: Axes | None = None, title: str = "") -> Axes:
    """How the nodes of a search are spread over the plies of its tree, in per cent."""
    shares = [[100 * nodes / sum(plies) for nodes in plies] for plies in frame["nodes_per_ply"]]
    spread = frame.assign(share=shares, ply=[[*range(len(plies))] for plies in shares])
    each = spread.explode(["ply", "share"]).astype({"ply": int, "share": float})
    ax = curves(each, "ply", "share", hue, ax=ax, title=title)
    ax.set(ylabel="per cent of the nodes", yscale="linear")
    ax.set_ylim(bottom=0)
    return ax


def view(frame: DataFrame) -> None:
    """Choose x, y, hue, which rows, and median or mean; the plot is shown with the line of code that makes it.

    Rows are chosen by a query, as in `frame.query("depth == 4")`; some are offered, and others can be typed.
    """
    from IPython import get_ipython
    from ipywidgets import Combobox, interact

    variables = getattr(get_ipython(), "user_ns", {})
    name = next((name for name, value in variables.items() if value is frame and not name.startswith("_")), "frame")
    numbers = list(frame.select_dtypes(["number", "bool", "boolean"]).dropna(axis="columns", how="all"))
    flat = [column for column in frame if not isinstance(frame[column].iloc[0], list | tuple)]
    differing = [column for column in flat if frame[column].nunique() > 1]
    few = [column for column in differing if frame[column].nunique() <= FEW]
    queries = [f"{column} == {value!r}" for column in few for value in frame[column].dropna().unique().tolist()]

    def show(x: str, y: str, hue: str | None, rows: str, estimator: str) -> None:
        chosen, named = f"{name}.query({rows!r})" if rows else name, f", {hue!r}" if hue else ""
        print(f"plots.curves({chosen}, {x!r}, {y!r}{named}, estimator={estimator!r})")
        try:
            curves(frame.query(rows) if rows else frame, x, y, hue, estimator=estimator)
        except Exception as error:  # a query that is half typed, or leaves nothing
            print(error)
        else:
            pyplot.show()

    def first(options: list[Any], *wanted: str) -> list[Any]:
        """The options, those that are wanted first."""
        return sorted(options, key=lambda one: [*wanted, one].index(one))

    rows = Combobox(options=queries, placeholder="all, or a query", continuous_update=False)
    x, y = first(differing, "playouts", "depth", "marks"), first(numbers, "nodes")
    interact(show, x=x, y=y, hue=first([*few, None], "setting", "order"), rows=rows, estimator=["median", "mean"])
