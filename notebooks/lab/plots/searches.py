"""Plots of searches, from a table with one row per search: from `sweep` or `tabulate`."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from math import ceil
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from lab.plots.figure import (
    HATCHED,
    Style,
    axes_for,
    from_zero,
    in_four_digits,
    label_of,
    log_scale,
    say,
    small_multiples,
    styles,
    with_legend,
)
from lab.statistics import compare, summary
from lab.statistics.sweep_file import POSITION, SETTING
from lab.statistics.table import cost_column, require_columns
from ttt.svg import INK
from ttt.words import count_phrase

if TYPE_CHECKING:
    from pandas import DataFrame, Series

MAX_BANDS = 3  # three are drawn as thin lines, because filled bands would overlap
MAX_LETTERS_ACROSS = 70  # side by side below an axis
MAX_LINE = 24  # letters of a label beside an axis
MAX_LABELS = 32  # one above the other below an axis
LATER = 6  # cutoffs from this move on are counted together
GOLDEN = 0.618034  # fractional parts of its multiples are spread evenly, so dots at these heights don't hide each other
LEVEL: dict[str, Any] = {"color": INK["-"], "linewidth": 1.2, "linestyle": "--", "zorder": 0}  # the look of a level
COUNTED = {"depth": "depth (plies)", "marks": "marks on the board", "ply": "plies below the root"}


def curves(
    frame: DataFrame,
    x: str = "depth",
    y: str | None = None,
    hue: str | Sequence[str] | None = None,
    *,
    col: str | None = None,
    col_wrap: int = 4,
    estimator: str | None = None,
    ax: Axes | None = None,
    title: str = "",
) -> Axes:
    """Plot one column against another: a line through medians, a band for the middle half, for each value of a third.

    `hue` is that third column, or several, such as ["order", "killer"]. `y` is by default the nodes, or the seconds if
    a search counted no nodes.

    For True and False, the line is the mean in per cent and the band its 95 per cent interval over positions; likewise
    for any column with estimator="mean", without the per cent. Three bands are drawn as edges, and more not at
    all. `col` gives each of its values its own axes, `col_wrap` in a row, and the first are returned. Ratios get a log
    scale.

    Raises `KeyError` and `ValueError`. Warns if depths or other settings have different positions.
    """
    if estimator not in (None, "median", "mean"):
        raise ValueError(f"`estimator` must be 'median' or 'mean', not {estimator!r}.")
    if col and ax:
        raise ValueError("Give `ax` or `col`, not both: `col` creates its own axes.")
    y = cost_column(frame, y)
    places = [x, *([hue] if isinstance(hue, str) else hue or ())]
    require_columns(frame, *places, *([col] if col else ()))
    rows = frame.dropna(subset=[x, y]).reset_index(drop=True)
    if rows.empty:
        raise ValueError(f"No row has both {x!r} and {y!r}. Choose other columns.")
    upwards = y
    if rows[y].dtype.kind == "b":
        rows[y], upwards, estimator = 100 * rows[y].astype(float), f"per cent {y}", estimator or "mean"
    lines, parts = styles(rows, hue), styles(rows, col)
    repeated = rows.duplicated([*places, *([col] if col else ())]).any()
    middle = _middle_in_words(estimator, len(lines)) if repeated else ""
    found = []
    for part in parts:  # a comprehension would be a call of its own, and the warning would name it
        found.append(_positions(part.rows, *places, where=f" in {part.label}" if col else ""))
    notes = ", ".join(filter(None, dict.fromkeys([middle, *found])))
    across = f"{COUNTED.get(x, x)}\n{notes}".rstrip()
    letters = _letters(rows[x])
    if col:
        axes = small_multiples(parts, title, across, upwards, col_wrap)
    else:
        axes = [axes_for(ax, title, across, upwards, 3.6 + 0.06 * letters)]
    for part, panel in zip(parts, axes, strict=True):
        for line in lines:
            some = line._replace(rows=line.rows[line.rows.index.isin(part.rows.index)])
            if len(some.rows):
                _draw_curve(panel, some, x, y, estimator, len(lines))
    _scale(axes, rows[x], x, y)
    if letters:
        _turn_labels(axes)
    return with_legend(axes[0]) if hue else axes[0]


def _middle_in_words(estimator: str | None, lines: int) -> str:
    """What the lines show, and what the bands do if there are few enough to draw them."""
    middle = estimator or "median"
    if lines > MAX_BANDS:
        return middle
    return f"{middle} and 95 % interval" if estimator == "mean" else f"{middle} and middle half"


def _letters(places: Series[Any]) -> int:
    """The length of the longest text on an axis if they have no room side by side; otherwise 0."""
    if places.dtype.kind in "iufb":
        return 0
    texts = [*map(str, places.unique())]
    longest = max(map(len, texts))
    return longest if longest * len(texts) > MAX_LETTERS_ACROSS else 0


def _turn_labels(axes: Sequence[Axes]) -> None:
    """Write the labels below axes upwards, and leave some out if they are many."""
    ticks = axes[0].get_xticks()
    for ax in axes:
        ax.set_xticks(ticks[:: ceil(len(ticks) / MAX_LABELS)])
        ax.tick_params(axis="x", rotation=90)


def _positions(rows: DataFrame, *columns: str, where: str = "") -> str:
    """The number of positions searched, in words, with a warning if settings have different ones."""
    if "board" not in rows:
        return ""
    names = [name for name in POSITION if name in rows]
    numbers = rows.groupby(names, sort=False, dropna=False).ngroup()
    settings = [rows[name] for name in columns if name in SETTING]
    searched = numbers.groupby(settings, observed=True).agg(frozenset) if settings else numbers.iloc[:1]
    if searched.nunique() == 1:
        return count_phrase(numbers.nunique(), "position")
    sizes = searched.map(len).groupby(level=0, observed=True, sort=False).unique()
    name = f"{settings[0].name}"
    labels = [label_of(name, value).removeprefix(f"{name} ") for value in sizes.index]
    each = ", ".join(f"{' or '.join(map(str, some))} at {label}" for label, some in zip(labels, sizes, strict=True))
    advice = "use `random_positions` with `free=...`, or choose rows"
    warnings.warn(f"The positions differ by {name}{where}: {each}. To compare, {advice}.", stacklevel=3)
    return f"different positions by {name}" if where else f"different positions by {name}: {each}"


def _draw_curve(ax: Axes, kind: Style, x: str, y: str, estimator: str | None, lines: int) -> None:
    """Draw a line through the middles, in a band or between thin lines."""
    if estimator == "mean":
        table = summary(kind.rows, x, y, "mean")[["low", "middle", "high"]]
    else:
        table = kind.rows.astype({y: float}).groupby(x, observed=True)[y].quantile([0.25, 0.5, 0.75]).unstack()
    places, (lows, middles, highs) = [*table.index], table.to_numpy().T
    look: dict[str, Any] = {"color": kind.colour, "linestyle": kind.dashes}
    ax.plot(places, middles, marker=kind.marker, markersize=6, linewidth=2, label=kind.label or y, **look)
    if lines < MAX_BANDS:
        ax.fill_between(places, lows, highs, color=kind.colour, alpha=0.18, linewidth=0)
    elif lines == MAX_BANDS:
        ax.plot(places, np.transpose([lows, highs]), linewidth=0.6, **look)
    numbers = {}
    for place, low, middle, high in zip(places, lows, middles, highs, strict=True):
        numbers[f"{place}"] = (
            f"{in_four_digits(middle)} ({in_four_digits(low)} to {in_four_digits(high)})"
            if low < high
            else in_four_digits(middle)
        )
    say(ax, kind.label or y, numbers)


def _scale(axes: Sequence[Axes], places: Series[Any], x: str, y: str) -> None:
    """Use log scales for wide ranges and for ratios, which are compared with 1; otherwise start the axis at 0."""
    if x in COUNTED:
        axes[0].xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    elif places.dtype.kind in "iuf" and 0 < 10 * places.min() <= places.max():
        log_scale(axes[0], "x")
    heights = np.concatenate([line.get_ydata() for ax in axes for line in ax.lines])
    lowest, highest = np.nanmin(heights), np.nanmax(heights)
    if lowest > 0 and (y == "ratio" or 100 * lowest <= highest):
        log_scale(axes[0], "y")
    for ax in axes:
        if y == "ratio":
            ax.axhline(1, **LEVEL)
        elif lowest >= 0 and ax.get_yscale() == "linear":
            from_zero(ax)


def reference(ax: Axes, y: float | Sequence[float] | Mapping[Any, float], label: str) -> Axes:
    """Draw a grey line for comparison: a number for a level, a list for x = 0, 1, 2, …, or a mapping from x to y."""
    drawn = sum(line.get_color() == INK["-"] for line in ax.lines)
    look: dict[str, Any] = {**LEVEL, "linestyle": ("--", ":", "-.")[drawn % 3], "label": label}
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
    ax: Axes | None = None,
    title: str = "",
) -> Axes:
    """Plot costs relative to the baseline's on the same position: a row of dots for each other value of a column.

    The diamond is the median, the bar its 95 per cent interval (none for fewer than ten positions); the lowest median
    is on top. `hue` is a column that divides the rows further, such as "order"; see `compare` for the others. Needs
    searches of one depth.
    """
    y = cost_column(frame, y)
    pairs = compare(frame, column, baseline, y)
    require_columns(pairs, *([hue] if hue else ()))
    depths = sorted(frame["depth"].dropna().unique())
    if len(depths) > 1:
        mixed = ", ".join(map(str, depths))
        raise ValueError(f"The depths {mixed} are mixed. Choose one, as in `frame.query('depth == {depths[-1]}')`.")
    plies = f" at depth {depths[0]}" if depths else ""
    parts = [(outer, inner) for outer in styles(pairs, hue) for inner in styles(outer.rows, column)]
    parts.sort(key=lambda part: part[1].rows["ratio"].median())
    across = f"{y}{plies}, ratio to {label_of(column, baseline)}\nmedian and 95 % interval"
    names = [", ".join(filter(None, (outer.label, inner.label))) for outer, inner in parts]
    labels = [fill(name, MAX_LINE, break_on_hyphens=False) for name in names]
    height = 0.5 + 0.12 * max(label.count("\n") for label in labels)
    ax = axes_for(ax, title, across, "", 1.4 + height * len(parts))
    for n, (outer, inner) in enumerate(parts):
        _draw_row(ax, n, names[n], inner.rows, (outer if hue else inner).colour)
    ax.axvline(1, **LEVEL)
    ax.set_yticks(range(len(parts)), labels)
    ax.set_ylim(len(parts) - 0.5, -0.7)
    log_scale(ax, "x")
    return ax


def _draw_row(ax: Axes, n: int, label: str, pairs: DataFrame, colour: str) -> None:
    """Draw the ratios as dots, with their median and its interval in figures above."""
    ratios = np.sort(pairs["ratio"])
    _, middle, low, high = summary(pairs.assign(row=n), "row", "ratio").loc[n]
    heights = n + 0.5 * ((GOLDEN * np.arange(len(ratios)) + 0.5) % 1) - 0.25
    ax.plot(ratios, heights, "o", color=colour, markersize=3.5, markeredgewidth=0)
    text, positions = f"{_three_digits(middle)}×", count_phrase(len(ratios), "position")
    if low <= high:
        ax.plot((low, high), (n, n), color="#000000", linewidth=2.5, solid_capstyle="butt")
        text += f" ({_three_digits(low)}–{_three_digits(high)})"
    ax.plot(middle, n, "D", color="#000000", markersize=6)
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
    ax: Axes | None = None,
    title: str = "",
) -> Axes:
    """Plot one cost of each search against another on log scales, with a line of fit: y = a · x^b.

    The fit is by least squares on the logarithms. Searches that lack a cost, or have a cost of 0, are left out.
    Raises `KeyError`, and `ValueError` if none is left.
    """
    require_columns(frame, x, y, *([hue] if hue else ()))
    rows = frame[((frame[x] > 0) & (frame[y] > 0)).fillna(False)]
    if rows.empty:
        raise ValueError(f"No row has both {x!r} and {y!r} above 0. For seconds, sweep with `times=1`.")
    ax = axes_for(ax, title, f"{x}\n{count_phrase(len(rows), 'search', 'searches')}", y)
    for style in styles(rows, hue):
        places, heights = style.rows[x].astype(float), style.rows[y].astype(float)
        ax.plot(places, heights, style.marker, color=style.colour, markersize=4, markeredgewidth=0, alpha=0.5)
        if places.nunique() > 1:
            power, level = np.polyfit(np.log(places), np.log(heights), 1)
            label = f"{style.label}: {x}^{power:.2f}".removeprefix(": ")
            ends = np.array([places.min(), places.max()])
            drawn: Any = {"color": style.colour, "marker": style.marker, "linestyle": style.dashes, "linewidth": 2}
            ax.plot(ends, np.exp(level) * ends**power, label=label, **drawn)
            say(ax, label, {f"{y} at {in_four_digits(end)} {x}": np.exp(level) * end**power for end in ends})
    for side in "xy":
        log_scale(ax, side)
    return with_legend(ax)


def cutoffs(frame: DataFrame, hue: str | None = None, *, ax: Axes | None = None, title: str = "") -> Axes:
    """How often the first move tried cut off the rest, the second, and so on, in per cent of all cutoffs.

    All cutoffs count equally, so a search with many cutoffs counts for more than one with few.
    """
    require_columns(frame, "cutoffs_by_move", *([hue] if hue else ()))
    names = [*map(str, range(1, LATER)), f"{LATER}+"]
    across = "\n".join(filter(None, ("the move that cut off (1: the first tried)", _positions(frame))))
    ax = axes_for(ax, title, across, "per cent of the cutoffs", 3.2)
    parts = styles(frame, hue)
    width = 0.8 / len(parts)
    for n, kind in enumerate(parts):
        moves = np.concatenate([np.repeat(range(len(cuts)), cuts) for cuts in kind.rows["cutoffs_by_move"]])
        if not len(moves):
            raise ValueError(f"{kind.label or 'The table'} has no cutoffs to show. Choose other rows.")
        heights = 100 * np.bincount(np.minimum(moves, LATER - 1).astype(int), minlength=LATER) / len(moves)
        places = np.arange(LATER) + (n + 0.5) * width - 0.4
        ax.bar(places, heights, 0.92 * width, label=kind.label, facecolor=kind.colour, hatch=kind.hatch, **HATCHED)
        say(ax, kind.label or "cutoffs", dict(zip(names, heights, strict=True)))
    ax.set_xticks(range(LATER), names)
    return with_legend(ax) if hue else ax
