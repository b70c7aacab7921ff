"""Plots of searches, from a table with one row per search: from `sweep` or `tabulate`."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from math import ceil
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.ticker import MaxNLocator

from lab.plots import figure
from lab.plots.figure import Style, axes_for, label_of, log_scale, say, styles, text_colour, with_legend
from lab.statistics import compare, summary
from lab.statistics.summaries import LEVEL, MIN_POSITIONS, RESAMPLES, require_level
from lab.statistics.sweep_file import FOUND, SETTING
from lab.statistics.table import cost_column, position_columns, require_columns
from ttt.svg import INK
from ttt.words import count_phrase

if TYPE_CHECKING:
    from pandas import DataFrame, Series

MAX_BANDS = 3  # three are drawn as thin lines, because filled bands would overlap
LETTERS_PER_INCH = 11  # side by side below an axis
MAX_LINE = 24  # letters of a label beside an axis
MAX_LABELS = 32  # one above the other below an axis
MAX_DOTS = 5000  # of a drawing; more become an image in it
GOLDEN = 0.618034  # fractional parts of its multiples are spread evenly, so dots at these heights don't hide each other
GREY: dict[str, Any] = {"color": INK["-"], "linewidth": 1.2, "linestyle": "--", "zorder": 0}  # the look of a level
COUNTED = {"depth": "depth (plies)", "marks": "marks on the board", "ply": "plies below the root"}
COSTS = (*FOUND[2:], "seconds", "baseline", "ratio")  # on a log scale, where equal factors are equally long


def curves(
    frame: DataFrame,
    x: str = "depth",
    y: str | None = None,
    hue: str | Sequence[str] | None = None,
    *,
    col: str | None = None,
    yscale: str | None = None,
    level: float = LEVEL,
    ax: Axes | None = None,
    title: str = "",
) -> Axes:
    """Plot one column against another: a line through medians, a band for the middle half, for each value of a third.

    `hue` is that third column, or several, such as ["order", "killer"]. `y` is by default the nodes, or the seconds if
    a search counted no nodes. If x has texts, there are points with bars instead, in the order of the sweep. If y is
    True or False, the line is the share in per cent, and the band its interval as in `summary`: Wilson's, over
    positions, at a level of 95 per cent by default. Three bands are drawn as edges, and more not at all.

    `yscale` is "log" or "linear"; by default it is "log" for nodes, other counts, seconds and ratios above 0. `col`
    gives each of its values its own axes, and the first are returned.

    Raises `KeyError` and `ValueError`. Warns if depths or other settings have different positions.
    """
    if col and ax:
        raise ValueError("Give `ax` or `col`, not both: `col` creates its own axes.")
    require_level(level)
    y = cost_column(frame, y)
    across = [x, *([hue] if isinstance(hue, str) else hue or ())]
    rows = _known(frame, y, *across, *([col] if col else ()))
    shares, texts = rows[y].dtype.kind == "b", rows[x].dtype.kind not in "iuf"
    lines, parts = styles(rows, hue), styles(rows, col)
    repeated = rows.duplicated([*across, *([col] if col else ())]).any()
    middle = _middle_in_words(level if shares else None, MAX_BANDS if texts else len(lines)) if repeated else ""
    found = []
    for part in parts:  # a comprehension would be a call of its own, and the warning would name it
        found.append(_positions(part.rows, *across, where=f" in {part.label}" if col else ""))
    notes = ", ".join(filter(None, dict.fromkeys([middle, *found])))
    words = f"{_axis(rows, x)}\n{notes}".rstrip(), f"per cent {y}" if shares else y
    axes = figure.small_multiples(parts, title, *words) if col else [axes_for(ax, title, *words)]
    for part, panel in zip(parts, axes, strict=True):
        for n, line in enumerate(lines):
            some = line._replace(rows=line.rows[line.rows.index.isin(part.rows.index)], label=line.label or y)
            if len(some.rows):
                table = _middles(some.rows, x, y, level if shares else None)
                if texts:
                    _draw_points(panel, some, table, _places(rows[x]), 0.7 * ((n + 0.5) / len(lines) - 0.5))
                else:
                    _draw_curve(panel, some, table, len(lines))
    if texts:
        _label_places(axes, rows[x])
    else:
        _scale_across(axes[0], rows[x])
    _scale_upwards(axes, rows[y], yscale)
    return with_legend(axes[0]) if hue else axes[0]


def _known(frame: DataFrame, y: str, *others: str) -> DataFrame:
    """The rows that have a value in all these columns. Raises `KeyError` and `ValueError`."""
    require_columns(frame, y, *others)
    rows = frame.dropna(subset=[y, others[0]]).reset_index(drop=True)
    if rows.empty:
        raise ValueError(f"No row has both {others[0]!r} and {y!r}. Choose other columns.")
    return rows


def _axis(rows: DataFrame, x: str) -> str:
    """What an axis shows, in words."""
    other_game = x == "marks" and "shape" in rows and rows["shape"].isna().all()
    return "moves made" if other_game else COUNTED.get(x, x)


def _places(column: Series[Any]) -> list[Any]:
    return [value for value in figure.values_of(column) if (column == value).any()]


def _middle_in_words(level: float | None, lines: int) -> str:
    """What the lines show, and what the bands do if there are few enough to draw them."""
    middle, around = ("share", f"{100 * level:g} % interval") if level else ("median", "middle half")
    return f"{middle} and {around}" if lines <= MAX_BANDS else middle


def _label_places(axes: Sequence[Axes], places: Series[Any]) -> None:
    """Write the values below axes, upwards if they have no room side by side, and leave some out if they are many."""
    numbers = places.dtype.kind in "iuf"
    texts = [f"{value:g}" if numbers else label_of(f"{places.name}", value) for value in _places(places)]
    drawing: Any = axes[0].get_figure()
    longest = max(map(len, texts))
    upright = longest * len(texts) > LETTERS_PER_INCH * axes[0].get_window_extent().width / drawing.dpi
    step = ceil(len(texts) / MAX_LABELS) if upright else 1
    if upright and isinstance(drawing, figure.Plot):
        drawing.set_figheight(drawing.get_figheight() + 0.06 * longest)
    for ax in axes:
        ax.set_xticks(range(0, len(texts), step), texts[::step], rotation=90 if upright else 0)
        ax.set_xlim(-0.6, len(texts) - 0.4)


def _positions(rows: DataFrame, *columns: str, where: str = "") -> str:
    """The number of positions searched, in words, with a warning if settings have different ones."""
    names = position_columns(rows)
    if not names:
        return ""
    numbers = rows.groupby(names, sort=False, dropna=False).ngroup()
    settings = [rows[name] for name in columns if name in SETTING]
    searched = numbers.groupby(settings, observed=True).agg(frozenset) if settings else numbers.iloc[:1]
    if searched.nunique() == 1:
        return count_phrase(numbers.nunique(), "position") + _behind_points(numbers, [rows[name] for name in columns])
    sizes = searched.map(len).groupby(level=0, observed=True, sort=False).unique()
    name = f"{settings[0].name}"
    labels = [label_of(name, value).removeprefix(f"{name} ") for value in sizes.index]
    each = ", ".join(f"{' or '.join(map(str, some))} at {label}" for label, some in zip(labels, sizes, strict=True))
    advice = "use `random_positions` with `free=...`, or choose rows"
    warnings.warn(f"The positions differ by {name}{where}: {each}. To compare, {advice}.", stacklevel=3)
    return f"different positions by {name}" if where else f"different positions by {name}: {each}"


def _behind_points(numbers: Series[int], columns: list[Series[Any]]) -> str:
    """How many of the positions, given by their numbers, each point has if it hasn't all."""
    counts = numbers.groupby(columns, observed=True).nunique()
    if counts.min() == numbers.nunique():
        return ""
    return f" ({' to '.join(dict.fromkeys(map(str, (counts.min(), counts.max()))))} a point)"


def _middles(rows: DataFrame, x: str, y: str, level: float | None) -> DataFrame:
    """The middle at each place, and what is drawn around it: the interval of a share, or the middle half."""
    if level:
        return 100 * summary(rows, x, y, level=level)[["low", "middle", "high"]]
    table = rows.astype({y: float}).groupby(x, observed=True)[y].quantile([0.25, 0.5, 0.75]).unstack()
    return table.set_axis(["low", "middle", "high"], axis=1)


def _draw_points(ax: Axes, kind: Style, table: DataFrame, places: list[Any], aside: float) -> None:
    """Draw points with bars, beside those of other lines."""
    table = table.loc[[value for value in places if value in table.index]]
    across = [places.index(value) + aside for value in table.index]
    reach = [table["middle"] - table["low"], table["high"] - table["middle"]]
    look: dict[str, Any] = {"color": kind.colour, "fmt": kind.marker, "markersize": 6, "elinewidth": 1.6}
    ax.errorbar(across, table["middle"], reach, label=kind.label, **look)
    _say_middles(ax, kind.label, table)


def _draw_curve(ax: Axes, kind: Style, table: DataFrame, lines: int) -> None:
    """Draw a line through the middles, in a band or between thin lines."""
    places, look = [*table.index], {"color": kind.colour, "linestyle": kind.dashes}
    drawn: Any = {"marker": kind.marker, "markersize": 6, "linewidth": 2, "label": kind.label, **look}
    ax.plot(places, table["middle"], **drawn)
    if lines < MAX_BANDS:
        ax.fill_between(places, table["low"], table["high"], color=kind.colour, alpha=0.18, linewidth=0)
    elif lines == MAX_BANDS:
        ax.plot(places, table[["low", "high"]], color=kind.colour, linestyle=kind.dashes, linewidth=0.6)
    _say_middles(ax, kind.label, table)


def _say_middles(ax: Axes, label: str, table: DataFrame) -> None:
    numbers = {}
    for place, low, middle, high in table[["low", "middle", "high"]].itertuples():
        around = f" ({figure.in_four_digits(low)} to {figure.in_four_digits(high)})" if low < high else ""
        numbers[f"{place}"] = figure.in_four_digits(middle) + around
    say(ax, label, numbers)


def _scale_across(ax: Axes, places: Series[Any]) -> None:
    """Use a log scale for a wide range, but not for what is counted; whole numbers have whole ticks."""
    if places.name not in COUNTED and 0 < 10 * places.min() <= places.max():
        log_scale(ax, "x")
    elif places.name in COUNTED or places.dtype.kind in "iu":
        ax.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))


def _scale_upwards(axes: Sequence[Axes], heights: Series[Any], yscale: str | None) -> None:
    """Use the scale asked for or, for costs, a log scale, with ratios compared with 1; others start at 0."""
    least = heights.min()
    scale = yscale or ("log" if heights.name in COSTS and least > 0 else "linear")
    if scale not in ("log", "linear") or (scale == "log" and not least > 0):
        raise ValueError(f"`yscale` must be 'linear', or 'log' if {heights.name} is above 0, not {yscale!r}.")
    if scale == "log":
        log_scale(axes[0], "y")
    for ax in axes:
        if heights.name == "ratio":
            ax.axhline(1, **GREY)
        elif scale == "linear" and least >= 0:
            figure.from_zero(ax)


def spread(
    frame: DataFrame,
    x: str = "setting",
    y: str | None = None,
    *,
    yscale: str | None = None,
    ax: Axes | None = None,
    title: str = "",
) -> Axes:
    """Plot how a column is distributed for each value of another, as a box, because a median says nothing of the rest.

    The line in a box is the median, the box the middle half of the searches, and its whiskers 90 per cent; dots are the
    searches beyond. `y` and `yscale` are as for `curves`. Raises `KeyError` and `ValueError`.
    """
    y = cost_column(frame, y)
    rows = _known(frame, y, x)
    across = f"{_axis(rows, x)}\nmedian, half and 90 % of {count_phrase(len(rows), 'search', 'searches')}"
    ax = axes_for(ax, title, across, y)
    groups = {value: rows[y][rows[x] == value].to_numpy(float) for value in _places(rows[x])}
    box, line = (
        {"facecolor": (*to_rgb(figure.COLOURS[0]), 0.35), "edgecolor": figure.COLOURS[0]},
        {"color": figure.COLOURS[0]},
    )
    dots = {"marker": ".", "markersize": 3, "markeredgecolor": figure.COLOURS[0], "rasterized": len(rows) > MAX_DOTS}
    look: dict[str, Any] = {"boxprops": box, "whiskerprops": line, "capprops": line, "flierprops": dots}
    look |= {"medianprops": {"color": text_colour(), "linewidth": 1.6}, "patch_artist": True, "manage_ticks": False}
    ax.boxplot([*groups.values()], positions=range(len(groups)), widths=0.6, whis=(5, 95), **look)
    for value, some in groups.items():
        quantiles = np.quantile(some, (0.05, 0.25, 0.5, 0.75, 0.95, 1))
        say(
            ax, label_of(x, value), dict(zip(("5 %", "25 %", "median", "75 %", "95 %", "most"), quantiles, strict=True))
        )
    _label_places([ax], rows[x])
    _scale_upwards([ax], rows[y], yscale)
    return ax


def reference(ax: Axes, y: float | Sequence[float] | Mapping[Any, float], label: str) -> Axes:
    """Draw a grey line for comparison: a number for a level, a list for x = 0, 1, 2, …, or a mapping from x to y."""
    drawn = sum(line.get_color() == INK["-"] for line in ax.lines)
    look: dict[str, Any] = {**GREY, "linestyle": ("--", ":", "-.")[drawn % 3], "label": label}
    if isinstance(y, Mapping | Sequence):
        points = dict(y) if isinstance(y, Mapping) else dict(enumerate(y))
        ax.plot(list(points), list(points.values()), **look)
    else:
        points = {"everywhere": y}
        ax.axhline(y, **look)
    say(ax, label, points)
    return with_legend(ax)


def paired(
    frame: DataFrame,
    column: str,
    baseline: Any,
    y: str | None = None,
    *,
    hue: str | None = None,
    level: float = LEVEL,
    ax: Axes | None = None,
    title: str = "",
) -> Axes:
    """Plot costs relative to the baseline's on the same position: a row of dots for each other value of a column.

    The diamond is the median, the bar its interval as in `summary`: by the bootstrap over positions, at a level of 95
    per cent by default (none for fewer than ten positions). The lowest median is on top. `hue` is a column that divides
    the rows further, such as "order"; see `compare` for the others. Needs searches of one depth.
    """
    y = cost_column(frame, y)
    pairs = compare(frame, column, baseline, y)
    if "ratio" not in pairs:
        raise ValueError(f"Ratios need `{y}` above 0 in every row with {column} {baseline!r}. Summarise differences.")
    require_columns(pairs, *([hue] if hue else ()))
    depths = sorted(frame["depth"].dropna().unique())
    if len(depths) > 1:
        mixed = ", ".join(map(str, depths))
        raise ValueError(f"The depths {mixed} are mixed. Choose one, as in `frame.query('depth == {depths[-1]}')`.")
    plies = f" at depth {depths[0]}" if depths else ""
    parts = [(outer, inner) for outer in styles(pairs, hue) for inner in styles(outer.rows, column)]
    parts.sort(key=lambda part: part[1].rows["ratio"].median())
    across = f"{y}{plies}, ratio to {label_of(column, baseline)}\nmedian and {100 * level:g} % interval"
    names = [", ".join(filter(None, (outer.label, inner.label))) for outer, inner in parts]
    labels = [fill(name, MAX_LINE, break_on_hyphens=False) for name in names]
    height = 0.5 + 0.12 * max(label.count("\n") for label in labels)
    ax = axes_for(ax, title, across, "", 1.4 + height * len(parts))
    for n, (outer, inner) in enumerate(parts):
        table = summary(inner.rows.assign(row=n), "row", "ratio", level=level)
        _draw_row(ax, n, names[n], np.sort(inner.rows["ratio"]), table.loc[n], (outer if hue else inner).colour)
    ax.axvline(1, **GREY)
    ax.set_yticks(range(len(parts)), labels)
    ax.set_ylim(len(parts) - 0.5, -0.7)
    log_scale(ax, "x")
    return ax


def _draw_row(ax: Axes, n: int, label: str, ratios: Any, found: Series[float], colour: str) -> None:
    """Draw the ratios as dots, with their median and its interval in figures above."""
    middle, low, high = found[["middle", "low", "high"]]
    heights = n + 0.5 * ((GOLDEN * np.arange(len(ratios)) + 0.5) % 1) - 0.25
    dots: dict[str, Any] = {"markersize": 3.5, "markeredgewidth": 0, "rasterized": len(ratios) > MAX_DOTS}
    ax.plot(ratios, heights, "o", color=colour, **dots)
    text, positions = f"{_three_digits(middle)}×", count_phrase(len(ratios), "position")
    if low <= high:
        ax.plot((low, high), (n, n), color=text_colour(), linewidth=2.5, solid_capstyle="butt")
        text += f" ({_three_digits(low)}–{_three_digits(high)})"
    ax.plot(middle, n, "D", color=text_colour(), markersize=6)
    size = float(ax.xaxis.label.get_fontsize()) - 1.5
    ax.text(0.01, n - 0.42, f"{text}, {positions}", transform=ax.get_yaxis_transform(), va="center", fontsize=size)
    say(ax, f"{label} on {positions}", {"median": text})


def _three_digits(ratio: float) -> str:
    """A ratio with three significant digits: 0.000612, 0.470, 1.00, 1,240."""
    return f"{ratio:#.3g}" if 1e-4 <= ratio < 100 else f"{ratio:,.0f}" if ratio >= 100 else f"{ratio:.2e}"


def scatter(
    frame: DataFrame,
    x: str = "nodes",
    y: str = "seconds",
    hue: str | None = None,
    *,
    level: float = LEVEL,
    ax: Axes | None = None,
    title: str = "",
) -> Axes:
    """Plot one cost of each search against another on log scales, with a line of fit: y = a · x^b.

    The fit is by least squares on the logarithms. The interval of b is by the bootstrap over positions (1,000
    resamples), at a level of 95 per cent by default; there is none for fewer than ten positions. Searches that lack a
    cost, or have a cost of 0, are left out. Raises `KeyError`, and `ValueError` if none is left.
    """
    require_columns(frame, x, y, *([hue] if hue else ()))
    require_level(level)
    rows = frame[((frame[x] > 0) & (frame[y] > 0)).fillna(False)]
    if rows.empty:
        raise ValueError(f"No row has both {x!r} and {y!r} above 0. For seconds, sweep with `times=1`.")
    ax = axes_for(ax, title, f"{x}\n{count_phrase(len(rows), 'search', 'searches')}", y)
    dots: dict[str, Any] = {"markersize": 4, "markeredgewidth": 0, "alpha": 0.5, "rasterized": len(rows) > MAX_DOTS}
    for style in styles(rows, hue):
        places, heights = style.rows[x].astype(float), style.rows[y].astype(float)
        ax.plot(places, heights, style.marker, color=style.colour, **dots)
        if places.nunique() > 1:
            power, height, around = _fit(style.rows, np.log(places), np.log(heights), level)
            label = f"{style.label}: {x}^{power:.2f}{around}".removeprefix(": ")
            ends = np.array([places.min(), places.max()])
            ax.plot(ends, np.exp(height) * ends**power, style.dashes, color=style.colour, linewidth=2, label=label)
            say(ax, label, {f"{y} at {figure.in_four_digits(end)} {x}": np.exp(height) * end**power for end in ends})
    for side in "xy":
        log_scale(ax, side)
    return with_legend(ax)


def _fit(rows: DataFrame, x: Any, y: Any, level: float) -> tuple[float, float, str]:
    """The slope and height of the line of least squares, and the slope's interval in words."""
    names = position_columns(rows)
    positions = rows.groupby(names, sort=False, dropna=False).ngroup() if names else rows.index
    sums = (
        rows.assign(n=1, x=x, y=y, xx=x * x, xy=x * y).groupby(positions)[["n", "x", "y", "xx", "xy"]].sum().to_numpy()
    )

    def slope(n: float, x: float, y: float, xx: float, xy: float) -> float:
        return (n * xy - x * y) / (n * xx - x * x)

    power, around = slope(*sums.sum(axis=0)), ""
    if len(sums) >= MIN_POSITIONS:
        rng, each = np.random.default_rng(0), np.full(len(sums), 1 / len(sums))
        slopes = [slope(*rng.multinomial(len(sums), each) @ sums) for _ in range(RESAMPLES)]
        low, high = np.percentile(slopes, (50 - 50 * level, 50 + 50 * level))
        around = f" ({low:.2f}–{high:.2f})"
    return power, y.mean() - power * x.mean(), around
