"""Plots of searches, from a table with one row per search: from `sweep` or `tabulate`."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.ticker import FixedLocator, Formatter, MaxNLocator

from lab.plots import figure
from lab.plots.figure import ALPHA, Style, colours, label_of, log_scale, say, styles, values_of, with_legend
from lab.statistics import compare, summary
from lab.statistics.summaries import LEVEL, MIN_POSITIONS, RESAMPLES, in_table, require_level
from lab.statistics.table import FOUND, SETTING, cost_column, numbers_of_positions, require_columns
from ttt.svg import INK
from ttt.words import count_phrase

if TYPE_CHECKING:
    from pandas import DataFrame, Series

MAX_BANDS = 2  # more would hide one another
MIN_IN_BAND = 4  # searches at some point; the middle half of fewer is hardly seen, and says nothing
MAX_WRAPPED = 8  # values of an axis that may have labels of several lines, or each its own tick
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
    title: str = "",
) -> Axes:
    """Plot one column against another: a line through medians, a band for the middle half, for each value of a third.

    `hue` is that third column, or several, such as ["order", "killer"]. `y` is by default the nodes, or the seconds if
    a search counted no nodes. If x has texts, there are points with bars instead, in the order of the sweep. If y is
    True or False, the line is the share in per cent, and the band its interval as in `summary`: Wilson's, over
    positions, at a level of 95 per cent by default. There are no bands around more than two lines, or around medians of
    fewer than four searches.

    `yscale` is "log" or "linear"; by default it is "log" for nodes, other counts, seconds and ratios above 0. `col`
    gives each of its values its own axes, and the first are returned.

    Raises `KeyError` and `ValueError`. Warns if depths or other settings have different positions.
    """
    require_level(level)
    names, apart = [x, *([hue] if isinstance(hue, str) else hue or ())], [col] if col else []
    y = cost_column(frame, y, *names, *apart)
    rows = _known(frame, x, y)
    lines, parts = [line._replace(label=line.label or y) for line in styles(rows, hue)], styles(rows, col)
    share = level if rows[y].dtype.kind == "b" else None
    most = rows.groupby([*names, *apart], observed=True).size().max()
    in_bands = len(lines) <= MAX_BANDS and (share or most >= MIN_IN_BAND)
    around = "bars" if not _is_number(rows[x]) else "bands" if in_bands else ""
    middle, interval = ("share", f"{100 * level:g} % interval") if share else ("median", "middle half")
    notes = [f"{middle} and {interval}" if around else middle] if most > 1 else []
    for part in parts:  # a comprehension would be a call of its own, and the warning would name it
        notes.append(_positions(part.rows, names, f" in {part.label}" if col else ""))
    note = ", ".join(filter(None, dict.fromkeys(notes)))
    upwards = f"per cent {_upwards(frame, y)}" if share else _upwards(frame, y)
    axes = figure.panels(title, _axis(rows, x), upwards, labels=[part.label for part in parts], note=note)
    for (part, ax), (n, line) in product(zip(parts, axes, strict=True), enumerate(lines)):
        some = line.rows[line.rows.index.isin(part.rows.index)]
        if len(some):
            aside = 0.7 * ((n + 0.5) / len(lines) - 0.5) if around == "bars" else 0  # beside one another
            _draw_middles(ax, line, _middles(some, x, y, share), _places(rows[x]), around, aside)
    _scale_across(axes, rows[x])
    _scale_upwards(axes, rows[y], yscale)
    return with_legend(axes[0]) if hue else axes[0]


def _known(frame: DataFrame, x: str, y: str) -> DataFrame:
    """The rows that have a value in both columns. Raises `ValueError` if there are none."""
    rows = frame.dropna(subset=[x, y]).reset_index(drop=True)
    if rows.empty:
        raise ValueError(f"No row has both {x!r} and {y!r}. Choose other columns.")
    return rows


def _axis(rows: DataFrame, x: str) -> str:
    """What an axis shows, in words."""
    other_game = x == "marks" and "shape" in rows and rows["shape"].isna().all()
    return "moves made" if other_game else COUNTED.get(x, x)


def _upwards(frame: DataFrame, y: str) -> str:
    """What is drawn upwards, in words: of a comparison, what is compared with what."""
    if "compared" not in frame.attrs:
        return y
    cost, column, baseline = frame.attrs["compared"]
    base, others = label_of(column, baseline), _places(frame[column])
    of = f"{cost}, {label_of(column, others[0])}" if len(others) == 1 else cost
    said = {"ratio": f"ratio of {of} to {base}", "difference": f"difference of {of} from {base}"}
    return (said | {"baseline": f"{cost}, {base}", "better": f"better than {base}"}).get(y, y)


def _places(column: Series[Any]) -> list[Any]:
    return [value for value in values_of(column) if (column == value).any()]


def _is_number(column: Series[Any]) -> bool:
    return column.dtype.kind in "iuf"


def _label_places(axes: Sequence[Axes], places: Series[Any]) -> None:
    """Write the values below axes, or if they are many, upright in a larger figure."""
    texts = [f"{value:g}" if _is_number(places) else label_of(f"{places.name}", value) for value in _places(places)]
    if len(texts) <= MAX_WRAPPED:
        texts = [text.replace(", ", ",\n") for text in texts]
    else:
        drawing: Any = axes[0].get_figure()
        width, height = drawing.get_size_inches()
        drawing.set_size_inches(max(width, 0.16 * len(texts)), height + 0.06 * max(map(len, texts)))
    for ax in axes:
        ax.set_xticks(range(len(texts)), texts)
        ax.set_xlim(-0.6, len(texts) - 0.4)


def _positions(rows: DataFrame, names: Sequence[str], where: str) -> str:
    """The number of positions searched, in words, with a warning if settings have different ones."""
    if "board" not in rows:
        return ""
    numbers = numbers_of_positions(rows)
    settings = [rows[name] for name in names if name in SETTING]
    searched = numbers.groupby(settings, observed=True).agg(frozenset) if settings else numbers.iloc[:1]
    if searched.nunique() == 1:
        counts = numbers.groupby([rows[name] for name in names], observed=True).nunique()
        behind = "" if counts.min() == numbers.nunique() else f" ({_from_to(counts)} a point)"
        return count_phrase(numbers.nunique(), "position") + behind
    sizes = searched.map(len).groupby(level=0, observed=True, sort=False).unique()
    name = f"{settings[0].name}"
    labels = [label_of(name, value).removeprefix(f"{name} ") for value in sizes.index]
    each = ", ".join(f"{' or '.join(map(str, some))} at {label}" for label, some in zip(labels, sizes, strict=True))
    advice = "use `random_positions` with `free=...`, or choose rows"
    warnings.warn(f"The positions differ by {name}{where}: {each}. To compare, {advice}.", stacklevel=3)
    return f"different positions by {name}" if where else f"different positions by {name}: {each}"


def _from_to(counts: Any) -> str:
    """The least and the largest number: "12 to 45", or "45" if they are equal."""
    return " to ".join(dict.fromkeys(f"{count:,}" for count in (min(counts), max(counts))))


def _middles(rows: DataFrame, x: str, y: str, share: float | None) -> DataFrame:
    """The middle at each place, and what is drawn around it: the interval of a share, or the middle half."""
    if share:
        return 100 * summary(rows, x, y, level=share)[["low", "middle", "high"]]
    table = rows.astype({y: float}).groupby(x, observed=True)[y].quantile([0.25, 0.5, 0.75]).unstack()
    return table.set_axis(["low", "middle", "high"], axis=1)


def _draw_middles(ax: Axes, line: Style, table: DataFrame, places: list[Any], around: str, aside: float) -> None:
    """Draw points with bars at the numbers of their places, or a line, perhaps in a band."""
    table = table.loc[[place for place in places if place in table.index]]
    low, middle, high = (table[name] for name in ("low", "middle", "high"))
    look: dict[str, Any] = {"color": line.colour, "marker": line.marker, "markersize": 6, "label": line.label}
    if around == "bars":
        across = [places.index(place) + aside for place in table.index]
        ax.errorbar(across, middle, np.array([middle - low, high - middle]), linestyle="", elinewidth=1.6, **look)
    else:
        ax.plot(table.index, middle, linestyle=line.dashes, linewidth=2, **look)
    if around == "bands":
        ax.fill_between(table.index, low, high, alpha=ALPHA, linewidth=0, color=line.colour)
    told = {}
    for place, *numbers in table[["middle", "low", "high"]].itertuples():
        texts = [figure.in_four_digits(number) for number in numbers]
        told[place] = "{} ({} to {})".format(*texts) if numbers[1] < numbers[2] else texts[0]
    say(ax, line.label, told)


def _scale_across(axes: Sequence[Axes], places: Series[Any]) -> None:
    """Use a log scale for a wide range, but not for what is counted; whole numbers have whole ticks."""
    if not _is_number(places):
        _label_places(axes, places)
    elif places.name not in COUNTED and 0 < 10 * places.min() <= places.max():
        log_scale(axes[0], "x")
    elif places.name in COUNTED or places.dtype.kind in "iu":
        few = places.nunique() <= MAX_WRAPPED
        whole = FixedLocator(sorted(places.unique())) if few else MaxNLocator(integer=True, min_n_ticks=1)
        axes[0].xaxis.set_major_locator(whole)


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
    frame: DataFrame, x: str = "setting", y: str | None = None, *, yscale: str | None = None, title: str = ""
) -> Axes:
    """Plot how a column is distributed for each value of another, as a box, because a median says nothing of the rest.

    The line in a box is the median, the box the middle half of the searches, and its whiskers 90 per cent; dots are the
    searches beyond. `y` and `yscale` are as for `curves`. Raises `KeyError` and `ValueError`.
    """
    y = cost_column(frame, y, x)
    rows = _known(frame, x, y)
    note = f"median, half and 90 % of {count_phrase(len(rows), 'search', 'searches')}"
    [ax] = figure.panels(title, _axis(rows, x), _upwards(frame, y), note=note)
    groups = {value: rows[y][rows[x] == value].to_numpy(float) for value in _places(rows[x])}
    colour = colours()[0]
    look: dict[str, Any] = {"patch_artist": True, "manage_ticks": False, "positions": range(len(groups)), "widths": 0.6}
    look |= {"whiskerprops": {"color": colour}, "capprops": {"color": colour}}
    look["boxprops"] = {"facecolor": (*to_rgb(colour), ALPHA), "edgecolor": colour}
    look["medianprops"] = {"color": colours()[-1], "linewidth": 1.6}
    look["flierprops"] = {"marker": ".", "markersize": 4, "markeredgecolor": colour, "rasterized": len(rows) > MAX_DOTS}
    ax.boxplot([*groups.values()], whis=(5, 95), **look)
    told = {"5 %": 0.05, "25 %": 0.25, "median": 0.5, "75 %": 0.75, "95 %": 0.95, "most": 1}
    for value, some in groups.items():
        say(ax, label_of(x, value), {name: np.quantile(some, share) for name, share in told.items()})
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
    if ax.get_yscale() == "log":
        log_scale(ax, "y")  # it may be wider now
    return with_legend(ax)


def paired(
    frame: DataFrame,
    column: str,
    baseline: Any,
    y: str | None = None,
    *,
    hue: str | None = None,
    level: float = LEVEL,
    title: str = "",
) -> Axes:
    """Plot costs relative to the baseline's on the same position: a row of dots for each other value of a column.

    The diamond is the median, the bar its interval as in `summary`: by the bootstrap over positions, at a level of 95
    per cent by default (none for fewer than ten positions). The lowest median is on top. `hue` is a column that divides
    the rows further, such as "order"; see `compare` for the others. Needs searches of one depth.
    """
    y = cost_column(frame, y, column)
    pairs, baseline = compare(frame, column, baseline, y), in_table(frame, column, baseline)
    if "ratio" not in pairs:
        raise ValueError(f"Ratios need `{y}` above 0 in every row with {column} {baseline!r}. Summarise differences.")
    require_columns(pairs, *([hue] if hue else ()))
    plies = _one_depth(frame)
    parts = [(outer, inner) for outer in styles(pairs, hue) for inner in styles(outer.rows, column)]
    parts.sort(key=lambda part: part[1].rows["ratio"].median())
    counts = _from_to([len(inner.rows) for _, inner in parts])
    note = f"median and {100 * level:g} % interval, {counts} positions".replace(" 1 positions", " 1 position")
    across = f"{y}{plies}, ratio to {label_of(column, baseline)}"
    [ax] = figure.panels(title, across, "", 1.1 + 0.55 * len(parts), note=note)
    names = [", ".join(filter(None, (outer.label, inner.label))) for outer, inner in parts]
    for n, (outer, inner) in enumerate(parts):
        table = summary(inner.rows.assign(row=n), "row", "ratio", level=level)
        _draw_row(ax, n, names[n], np.sort(inner.rows["ratio"]), table.loc[n], (outer if hue else inner).colour)
    _draw_baseline(ax, len(parts), "← fewer" if y in FOUND[2:] else "← less")
    ax.tick_params(labelleft=False)  # the names are above the dots, with the numbers
    log_scale(ax, "x")
    return ax


def _draw_baseline(ax: Axes, count: int, less: str) -> None:
    """Draw the ratio 1 in each row, below its name, down to the foot, which says which side of it is which."""
    rows, foot = np.arange(count), count - 0.3
    ax.vlines(np.ones(count), rows - 0.25, np.append(rows[:-1] + 0.3, foot), **GREY)
    ax.set_yticks(rows)
    for side, word in ((-1, less), (1, "more →")):
        place: dict[str, Any] = {"textcoords": "offset points", "ha": "right" if side < 0 else "left"}
        ax.annotate(word, (1, foot), (4 * side, 3), fontsize=figure.SIZE, color=INK["-"], **place)
    ax.set_ylim(foot, -0.7)


def _one_depth(frame: DataFrame) -> str:
    """The depth of all searches in words. Raises `ValueError` if they have several."""
    depths = sorted(frame["depth"].dropna().unique())
    if len(depths) > 1:
        mixed = ", ".join(map(str, depths))
        raise ValueError(f"The depths {mixed} are mixed. Choose one, as in `frame.query('depth == {depths[-1]}')`.")
    return f" at depth {depths[0]}" if depths else ""


def _draw_row(ax: Axes, n: int, label: str, ratios: Any, found: Series[float], colour: str) -> None:
    """Draw the ratios as dots, with their median and its interval, which are also told above."""
    middle, low, high = found[["middle", "low", "high"]]
    heights = n + 0.4 * ((GOLDEN * np.arange(len(ratios)) + 0.5) % 1) - 0.2
    dots: dict[str, Any] = {"markersize": 4.5, "markeredgewidth": 0, "alpha": 0.9, "rasterized": len(ratios) > MAX_DOTS}
    ax.plot(ratios, heights, "o", color=colour, **dots)
    text = f"{_three_digits(middle)}×"
    if low <= high:
        ax.plot((low, high), (n, n), color=colours()[-1], linewidth=2.5, solid_capstyle="butt")
        text += f" ({_three_digits(low)} to {_three_digits(high)})"
    ax.plot(middle, n, "D", color=colours()[-1], markersize=6)
    place: dict[str, Any] = {"transform": ax.get_yaxis_transform(), "va": "bottom", "wrap": True, "in_layout": False}
    ax.text(0, n - 0.27, f"{label}: {text}", fontsize=figure.SIZE, **place)
    say(ax, f"{label} on {count_phrase(len(ratios), 'position')}", {"median": text})


def _three_digits(ratio: float) -> str:
    """A ratio with three significant digits or more: 0.000612, 0.470, 1.00, 1,240."""
    return f"{ratio:#.3g}" if ratio < 100 else f"{ratio:,.0f}"


def scatter(
    frame: DataFrame,
    x: str = "nodes",
    y: str = "seconds",
    hue: str | None = None,
    *,
    level: float = LEVEL,
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
    [ax] = figure.panels(title, x, y, note=count_phrase(len(rows), "search", "searches"))
    dots: dict[str, Any] = {"markersize": 4, "markeredgewidth": 0, "alpha": 0.6, "rasterized": len(rows) > MAX_DOTS}
    for style in styles(rows, hue):
        places, heights = style.rows[x].astype(float), style.rows[y].astype(float)
        ax.plot(places, heights, style.marker, color=style.colour, **dots)
        if places.nunique() > 1:
            power, height, around = _fit(style.rows, np.log(places), np.log(heights), level)
            label = f"{style.label}: {x}^{Formatter.fix_minus(f'{power:.2f}')}{around}".removeprefix(": ")
            look: Any = {"color": style.colour, "linewidth": 2, "label": label}
            look |= {"marker": style.marker, "markersize": 4, "markevery": []}  # seen in the legend only
            fit = {end: np.exp(height) * end**power for end in (places.min(), places.max())}
            ax.plot([*fit], [*fit.values()], style.dashes, **look)
            say(ax, label, {f"{y} at {figure.in_four_digits(end)} {x}": value for end, value in fit.items()})
    for side in "xy":
        log_scale(ax, side)
    return with_legend(ax)


def _fit(rows: DataFrame, x: Any, y: Any, level: float) -> tuple[float, float, str]:
    """The slope and height of the line of least squares, and the slope's interval in words."""
    numbers = numbers_of_positions(rows).to_numpy()
    slope, height = np.polyfit(x, y, 1)
    n, rng, slopes = numbers.max() + 1, np.random.default_rng(0), []
    if n < MIN_POSITIONS:
        return slope, height, ""
    for _ in range(RESAMPLES):
        times_drawn = np.bincount(rng.integers(n, size=n), minlength=n)
        slopes.append(np.polyfit(x, y, 1, w=np.sqrt(times_drawn[numbers]))[0])
    low, high = np.percentile(slopes, (50 - 50 * level, 50 + 50 * level))
    return slope, height, Formatter.fix_minus(f" ({low:.2f} to {high:.2f})")
