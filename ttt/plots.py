"""Plots that say one thing each, in the colours of the boards, with hatching so that a grey print stays readable.

Each is a `Plot`, a matplotlib figure that can also say in words what it shows; only `heat` is a drawing of the board.
Given anything that it can't draw, a plot raises `BadPlot`.
"""

from __future__ import annotations

import io
import math
from base64 import b64encode
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from html import escape
from itertools import accumulate, count, zip_longest
from math import isfinite, isnan, nan, prod
from statistics import fmean
from typing import Any, TypeVar

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, Normalize, to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from ttt.arena import Match, Result
from ttt.board import Board
from ttt.heuristics import number
from ttt.search import Search
from ttt.svg import INK, Picture, draw, signed
from ttt.tournament.ratings import Rating

ENDS = {"X": ("x_wins", "X wins", "///"), "-": ("draws", "draws", ""), "O": ("o_wins", "O wins", "...")}
COLOURS = (INK["X"], INK["O"], "#3CA750", "#7F2B51", "#745823", "#02387E", "#000000")  # for colour-blind readers too
MARKERS = "osD^vPX*"
DASHES = ("-", "--", "-.", ":")
HATCHES = ("", "///", "...", "xxx", "\\\\\\", "++", "oo")
EVEN = LinearSegmentedColormap.from_list("O to X", [INK["O"], "#F7F7F7", INK["X"]])  # white where both are equal
COUNTS = colormaps["Greens"]
WORTH = colormaps["PRGn"]  # purple below 0, green above; neither is a player's colour
BELOW: dict[str, Any] = {"loc": "outside lower center", "frameon": False}
LATER = 6  # from this move on, cutoffs are counted together
MANY = 12  # in words, a line with more points is described by its two ends
WANTED = {
    Search: "searches, such as [minimax(board, depth) for depth in (1, 2, 3)]",
    Result: 'results, such as [exact("random", "perfect")]',
    Rating: "ratings, such as tournament(players).ratings",
}
PLAIN = str.maketrans({"$": "", "{": "(", "}": ")", "\n": " "})  # formulas and line breaks, to be read aloud

Searches = Mapping[str, Search | Sequence[Search]] | Sequence[Search] | Search  # by label, or else by method
Points = Mapping[Any, float]  # from x to y
Thing = TypeVar("Thing")


class BadPlot(ValueError):
    """This can't be drawn; the message says what can."""


class Plot(Figure):
    """A matplotlib figure that a notebook shows as a cell's last value, with words for those who can't see it.

    Args:
        title: what the plot says, its first sentence.
        height: in inches.
    """

    def __init__(self, title: str, height: float) -> None:
        super().__init__(figsize=(8, height), dpi=110, layout="constrained")
        self._sentences = [title]

    def say(self, *sentences: str) -> None:
        """Add to the words that stand for the picture."""
        self._sentences += sentences

    @property
    def words(self) -> str:
        """What is drawn: the title, what the axes count, and the numbers of every line, bar and table."""
        plain = (sentence.translate(PLAIN).rstrip(".") for sentence in self._sentences if sentence)
        return " ".join(sentence if sentence.endswith(("?", "!")) else f"{sentence}." for sentence in plain)

    def _ipython_display_(self) -> None:
        """Show the picture as HTML, which has room for the words; a plain image has none."""
        from IPython.display import display

        picture = io.BytesIO()
        self.savefig(picture, format="png")
        source = f"data:image/png;base64,{b64encode(picture.getvalue()).decode()}"
        show: Any = display
        show({"text/html": f'<img alt="{escape(self.words)}" src="{source}">', "text/plain": self.words}, raw=True)


def outcomes(results: Sequence[Result], title: str) -> Plot:
    """A bar for each result: X's wins, draws and O's wins in per cent of the games."""
    results = _given(results, Result)
    figure, axes = _figure(title, 1.5 + 0.5 * len(results), "per cent of the games")
    names = [f"X {result.x}\nO {result.o}" for result in results]
    left = np.zeros(len(results))
    for mark, (field, label, hatch) in ENDS.items():
        shares = [100 * getattr(result, field) for result in results]
        bars = axes.barh(names, shares, left=left, color=INK[mark], hatch=hatch, edgecolor="white", label=label)
        texts = [f"{share:.1f}" if share >= 5 else "" for share in shares]
        box = {"facecolor": "white", "edgecolor": "none", "pad": 1.5}
        axes.bar_label(bars, texts, label_type="center", color="black", bbox=box, fontsize=9)
        figure.say(f"{label}: {_listed(names, shares)}")
        left += shares
    axes.invert_yaxis()
    axes.set_xlim(0, 100)
    figure.legend(ncols=3, **BELOW)
    return figure


def convergence(played: Match, truth: Result, title: str) -> Plot:
    """The shares of X's wins, draws and O's wins after each game of a match, beside the exact shares."""
    figure, axes = _figure(title, 3.6, "games played (log scale)", "per cent of the games")
    for (mark, (field, label, _)), dashes in zip(ENDS.items(), DASHES, strict=False):
        winner = None if mark == "-" else mark
        won = accumulate(end == winner for end in played.winners)
        shares = {games: 100 * wins / games for games, wins in enumerate(won, 1)}
        _line(figure, label, shares, linestyle=dashes, color=INK[mark])
        axes.axhline(100 * getattr(truth, field), color=INK[mark], linewidth=1, alpha=0.6)
    axes.set(xscale="log", ylim=(0, 100))
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.legend(ncols=3, loc="upper right", frameon=False)
    return figure


def columns(heights: Mapping[Any, float], title: str, x: str, y: str) -> Plot:
    """A column for each key, as high as its number, which is written above it."""
    figure, axes = _figure(title, 3.2, x, y)
    names = [str(key) for key in heights]
    bars = axes.bar(names, list(heights.values()), color=INK["X"])
    axes.bar_label(bars, [f"{height:,}" for height in heights.values()], padding=2, fontsize=9)
    axes.margins(y=0.12)
    figure.say(_listed(names, heights.values()))
    return figure


# -------------------------------------------------------------------------------------------- what searches cost


def nodes_by_depth(searches: Searches, title: str, b: float | None = None, widths: Sequence[int] = ()) -> Plot:
    """The nodes of searches by depth, on a log scale: a line for each label, or else for each method.

    Args:
        searches: searches of several depths; for equal depths the mean is drawn.
        b: a branching factor; b^d and b^(d/2) are drawn for reference.
        widths: the moves at each ply, for which the nodes of the least tree are drawn; see `least_tree`.
    """
    series = {label: _by_depth(found, lambda one: one.nodes) for label, found in _series(searches).items()}
    depths = sorted(set().union(*series.values()))
    references = _references(depths, b, widths)
    figure = _lines(title, "depth (plies)", "nodes (log scale)", series, references, yscale="log")
    figure.axes[0].yaxis.set_major_formatter("{x:,.0f}")
    return figure


def branching(searches: Searches, title: str) -> Plot:
    """The effective branching factor by depth of searches that looked ahead; see `effective_branching`."""
    series = {}
    for label, found in _series(searches).items():
        deep = [one for one in found if one.depth]
        if not deep:
            raise BadPlot(f"{label} looked no ply ahead: leave it out of this plot.")
        series[label] = _by_depth(deep, lambda one: effective_branching(one.nodes, one.depth))
    return _lines(title, "depth (plies)", "effective branching factor\n(moves per node)", series, ylim=(0, None))


def shares_by_ply(searches: Searches, title: str) -> Plot:
    """How the nodes of searches are spread over the plies of the tree, in per cent."""
    series = {}
    for label, found in _series(searches).items():
        spread = shares(one.nodes_per_ply for one in found)
        series[label] = {ply: 100 * share for ply, share in enumerate(spread)}
    return _lines(title, "plies below the root", "per cent of the nodes", series, ylim=(0, None))


def cutoffs_by_move(searches: Searches, title: str) -> Plot:
    """How often the first move tried cut off the rest, how often the second, and so on, in per cent."""
    figure, axes = _figure(title, 3, "the move that cut off (1: the first tried)", "per cent of the cutoffs")
    names = [*map(str, range(1, LATER)), f"{LATER} or later"]
    series = _series(searches)
    width = 0.8 / len(series)
    for n, (label, found) in enumerate(series.items()):
        cuts = [100 * share for share in shares(one.cutoffs_by_move for one in found)]
        if not cuts:
            raise BadPlot(f"{label} cut nothing off: leave it out of this plot.")
        heights = [*cuts[: LATER - 1], sum(cuts[LATER - 1 :])]
        places = [place + (n + 0.5) * width - 0.4 for place in range(len(heights))]
        colour, hatch = COLOURS[n % len(COLOURS)], HATCHES[n % len(HATCHES)]
        axes.bar(places, heights, width, label=label, edgecolor="white", facecolor=colour, hatch=hatch)
        figure.say(f"{label}: {_listed(names, heights)}")
    axes.set_xticks(range(LATER), names)
    return _with_legend(figure)


def learned(searches: Searches, truth: Search, title: str) -> Plot:
    """What each move seems to be worth after more and more playouts; grey lines show what moves are really worth.

    Args:
        searches: Monte Carlo searches of one board.
        truth: what minimax finds for it.
    """
    found = sorted(_given(searches, Search), key=lambda one: one.playouts)
    series = {}
    for cell, worth in truth.move_values:
        points = {one.playouts: one.values[cell] for one in found if cell in one.values}
        series[f"cell {cell}, exactly {signed(worth)}"] = points
    figure = _lines(title, "playouts (log scale)", f"worth to {truth.player}", series, xscale="log")
    for worth in sorted(set(truth.values.values())):
        figure.axes[0].axhline(worth, color=INK["-"], linewidth=2, alpha=0.5, zorder=0)
    figure.axes[0].xaxis.set_major_formatter("{x:,.0f}")
    return figure


def least_tree(widths: Sequence[int]) -> tuple[int, ...]:
    """The fewest nodes that alpha-beta without a table can visit, at the root and at each ply below it.

    To be sure of a value, a search must see at least all answers to one move at every second ply, for one side and
    for the other: at ply d that is the product of the widths of every second ply, plus that of the others, minus the
    one node in both. If the width is b everywhere, that is b^⌈d/2⌉ + b^⌊d/2⌋ - 1.

    Args:
        widths: the moves at the root, at the ply below it, and so on, such as `range(64, 60, -1)` for four plies from
            an empty 4×4×4 board. No game may end in between.

    Source: Knuth and Moore 1975, "An analysis of alpha-beta pruning", section 6.

    >>> least_tree(range(64, 60, -1)), sum(least_tree(range(64, 60, -1)))
    ((1, 64, 126, 4030, 7810), 12031)
    """
    plies = [widths[:ply] for ply in range(len(widths) + 1)]
    return tuple(prod(above[::2]) + prod(above[1::2]) - 1 for above in plies)


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


def shares(counts: Iterable[Sequence[int]]) -> tuple[float, ...]:
    """Several lists of counts, added up place by place, as shares of the total; () if nothing was counted.

    >>> shares([(1, 3), (1, 2, 1)])
    (0.25, 0.625, 0.125)
    """
    sums = [sum(column) for column in zip_longest(*counts, fillvalue=0)]
    return tuple(one / sum(sums) for one in sums) if any(sums) else ()


def _references(depths: Sequence[int], b: float | None, widths: Sequence[int]) -> dict[str, Points]:
    """The curves to compare with, by label: a number of nodes for each depth."""
    curves: dict[str, Points] = {}
    if b is not None:
        if (number(b) or 0) <= 0:
            raise BadPlot(f"A branching factor is a number above 0, not {b!r}.")
        curves[f"${b:g}^d$"] = {depth: b**depth for depth in depths}
        curves[f"${b:g}^{{d/2}}$"] = {depth: b ** (depth / 2) for depth in depths}
    if widths:
        least = list(accumulate(least_tree(widths)))
        curves["least tree (Knuth and Moore)"] = {depth: least[depth] for depth in depths if depth < len(least)}
    return curves


def _series(searches: Searches) -> dict[str, list[Search]]:
    """The searches by label: as they are labelled, or else by method."""
    if isinstance(searches, Mapping) and searches:
        return {label: _given(found, Search) for label, found in searches.items()}
    series = defaultdict(list)
    for one in _given(searches, Search):
        series[one.method].append(one)
    return dict(series)


def _by_depth(searches: Iterable[Search], figure: Callable[[Search], float]) -> Points:
    """For each depth, in order, the mean of a figure over the searches of that depth."""
    figures = defaultdict(list)
    for one in searches:
        figures[one.depth].append(figure(one))
    return {depth: fmean(figures[depth]) for depth in sorted(figures)}


# ------------------------------------------------------------------------------------------------- tables in colour


def heat(board: Board, values: Mapping[int, float], title: str, label: str = "") -> Picture:
    """What each move is worth, as numbers and colours on the board; the highest numbers with a sign are framed.

    Args:
        values: a number for each free cell, or for some, seen from the side to move: `search.values`.
        label: what the numbers are, if they are counts that favour neither side; they have no sign.
    """
    if not isinstance(values, Mapping):
        raise BadPlot(f"This plot needs a number for each cell, such as minimax(board).values, not {values!r}.")
    worth = {cell: values[cell] for cell in board.moves if cell in values}
    most = max((abs(value) for value in worth.values() if isfinite(value)), default=0) or 1
    colours = COUNTS if label else WORTH
    tint = Normalize(0 if label else -2 * most, 2 * most)  # of the colours the lighter half
    fills = {cell: to_hex(colours(tint(max(-most, min(most, value))))) for cell, value in worth.items()}
    counts = {cell: f"{value:g}" for cell, value in worth.items()}
    meaning = label or f"worth to {board.turn}, who is to move"
    return draw(board, values=counts if label else worth, fills=fills, caption=f"{title}: {meaning}")


def crosstable(results: Sequence[Result], title: str) -> Plot:
    """Who does how well against whom: a row for each X, a column for each O, and X's share of the points in each cell.

    A win is a point for the winner, a draw half a point for both. Of several results for one pair the last counts.
    """
    shares = {(result.x, result.o): share_of_points(result) for result in _given(results, Result)}
    first, second = (list(dict.fromkeys(names)) for names in zip(*shares, strict=True))
    second.sort(key=[*first, *second].index)  # a player of both sides has the same place in both
    figure, axes = _figure(title, 1.9 + 0.55 * max(3, len(first)), "plays O", "plays X", "Downwards")
    grid = np.array([[shares.get((x, o), nan) for o in second] for x in first])
    mesh = axes.pcolormesh(grid, cmap=EVEN, norm=Normalize(0, 1), edgecolors=INK["-"], linewidth=0.8)
    for (row, column), share in np.ndenumerate(grid):
        if not isnan(share):
            ink = readable_on(mesh.to_rgba(share))
            axes.text(column + 0.5, row + 0.5, f"{share:.2f}", color=ink, ha="center", va="center", fontsize=10)
            figure.say(f"{first[row]} against {second[column]}: {share:.2f}")
    axes.invert_yaxis()  # the first row on top
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    axes.set_xticks(np.arange(len(second)) + 0.5, second, rotation=30, ha="right", rotation_mode="anchor")
    axes.set_yticks(np.arange(len(first)) + 0.5, first)
    figure.colorbar(mesh, ax=axes, label="X's share of the points")
    return figure


def ratings(found: Sequence[Rating], title: str) -> Plot:
    """A dot for each player at its rating, with a bar over the 95 per cent interval; the best on top."""
    order = sorted(_given(found, Rating), key=lambda one: one.elo)
    x = "rating (Elo points; 0 is the average, bars: 95 % intervals)"
    figure, axes = _figure(title, 1.4 + 0.35 * len(order), x)
    style: dict[str, Any] = {"fmt": "o", "color": INK["X"], "ecolor": INK["-"], "capsize": 3}
    margins = [one.margin for one in order]
    axes.errorbar([one.elo for one in order], [one.player for one in order], xerr=margins, **style)
    axes.axvline(0, color=INK["-"], linewidth=0.8, zorder=0)
    figure.say(", ".join(f"{one.player} = {one.elo:,.0f} ± {one.margin:,.0f}" for one in order))
    return figure


def share_of_points(result: Result) -> float:
    """X's share of the points: one for each win, half for each draw."""
    return result.x_wins + result.draws / 2


def readable_on(colour: Any) -> str:
    """Black or white, whichever stands out more from a colour, by the contrast that WCAG 2 defines.

    >>> readable_on("#FFFF00"), readable_on("navy")
    ('black', 'white')
    """
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]
    luminance = sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
    return "black" if (luminance + 0.05) / 0.05 > 1.05 / (luminance + 0.05) else "white"


# ------------------------------------------------------------------------------------------------- what all share


def _given(things: Any, kind: type[Thing]) -> list[Thing]:
    """The things to draw, given as one or as many. Raises `BadPlot` unless there are some and all are of this kind."""
    try:
        found = [things] if isinstance(things, kind) else list(things)
    except TypeError:
        found = []
    if not found or not all(isinstance(one, kind) for one in found):
        raise BadPlot(f"This plot needs {WANTED[kind]}, one or more, not {things!r}.")
    return found


def _figure(title: str, height: float, x: str, y: str = "", upright: str = "Upwards") -> tuple[Plot, Axes]:
    """A figure with one pair of axes, of which x and y say what they count."""
    figure = Plot(title, height)
    axes = figure.subplots()
    axes.set_title(title, loc="left", fontweight="bold")
    axes.set(xlabel=x, ylabel=y)
    axes.spines[["top", "right"]].set_visible(False)
    figure.say(f"Across: {x}", f"{upright}: {y}" if y else "")
    return figure, axes


def _lines(
    title: str, x: str, y: str, series: Mapping[str, Points], references: Mapping[str, Points] = {}, **axis: Any
) -> Plot:
    """A figure with a line for each label, told apart by colour, marker and dashes, and grey lines for reference."""
    figure, axes = _figure(title, 3.4, x, y)
    for style, (label, points) in zip(_styles(), series.items(), strict=False):
        _line(figure, label, points, **style)
    for dashes, (label, points) in zip(DASHES, references.items(), strict=False):
        _line(figure, label, points, linestyle=dashes, color=INK["-"], linewidth=1.2, zorder=1)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set(**axis)
    return _with_legend(figure)


def _line(figure: Plot, label: str, points: Points, **style: Any) -> None:
    """A line, and its points in words."""
    figure.axes[0].plot(list(points), list(points.values()), label=label, **style)
    ends = list(points.items())
    if len(ends) > MANY:
        ends = [ends[0], ends[-1]]
    listed = ", ".join(f"{_short(y)} at {_short(x)}" for x, y in ends)
    figure.say(f"{label}: {listed}")


def _styles() -> Iterator[dict[str, Any]]:
    """One line after another, told apart by colour, marker and dashes."""
    for n in count():
        marker, dashes = MARKERS[n % len(MARKERS)], DASHES[n % len(DASHES)]
        yield {"color": COLOURS[n % len(COLOURS)], "marker": marker, "linestyle": dashes, "markersize": 5}


def _with_legend(figure: Plot) -> Plot:
    """The figure, made higher for a legend below it, which has two columns where the names are short."""
    labels = figure.axes[0].get_legend_handles_labels()[1]
    across = 2 if max(map(len, labels)) <= 45 else 1
    figure.legend(ncols=across, **BELOW)
    figure.set_figheight(figure.get_figheight() + 0.22 * math.ceil(len(labels) / across))
    return figure


def _listed(names: Iterable[str], numbers: Iterable[float]) -> str:
    """Names with their numbers, in words."""
    return ", ".join(f"{name} = {_short(number)}" for name, number in zip(names, numbers, strict=False))


def _short(value: float) -> str:
    return f"{value:,.4g}" if abs(value) < 1000 else f"{value:,.0f}"
