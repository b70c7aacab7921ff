"""Plots that say one thing each, in the colours of the boards, with hatching so that a grey print stays readable.

Each is a `Plot`, a matplotlib figure that can also say in words what it shows. Given anything that it can't draw, a
plot raises `BadPlot`.
"""

from __future__ import annotations

import io
import math
from base64 import b64encode
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from html import escape
from itertools import accumulate, count, zip_longest
from math import isfinite, nan, prod
from statistics import fmean
from typing import Any, TypeVar

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.colors import LinearSegmentedColormap, Normalize, to_rgb
from matplotlib.container import ErrorbarContainer
from matplotlib.figure import Figure
from matplotlib.patches import Patch, Rectangle
from matplotlib.patheffects import withStroke
from matplotlib.text import Text
from matplotlib.ticker import MaxNLocator

from ttt.arena import Match, Result
from ttt.board import Board
from ttt.heuristics import number
from ttt.search import Search
from ttt.svg import INK, layer_names, signed
from ttt.tournament.ratings import Rating

ENDS = {"X": ("x_wins", "X wins", "///"), "-": ("draws", "draws", ""), "O": ("o_wins", "O wins", "...")}
COLOURS = ("#0072B2", "#D55E00", "#3CA750", "#7F2B51", "#745823", "#02387E", "#000000")  # for colour-blind readers too
MARKERS = "osD^vPX*"
DASHES = ("-", "--", "-.", ":")
HATCHES = ("", "///", "...", "xxx", "\\\\\\", "++", "oo")
EVEN = LinearSegmentedColormap.from_list("O to X", [INK["O"], "#F7F7F7", INK["X"]])  # white where both are equal
COUNTS = colormaps["Greens"]
WORTH = colormaps["PRGn"]  # purple below 0, green above; neither is a player's colour
BELOW: dict[str, Any] = {"loc": "outside lower center", "frameon": False}
LATER = 6  # from this move on, cutoffs are counted together
MANY = 12  # in words, a line with more points is described by its two ends
SEARCHES = "searches, such as [minimax(board, depth) for depth in (1, 2, 3)]"
RESULTS = 'results, such as [exact("random", "perfect")]'
PLAIN = str.maketrans({"$": "", "{": "(", "}": ")", "\n": " "})  # formulas and line breaks, to be read aloud

Searches = Mapping[str, Search | Sequence[Search]] | Sequence[Search] | Search  # by label, or else by method
Points = Mapping[Any, float]  # from x to y
Thing = TypeVar("Thing")


class BadPlot(ValueError):
    """This can't be drawn; the message says what can."""


class Plot(Figure):
    """A matplotlib figure that a notebook shows as a cell's last value, with words for those who can't see it.

    Args:
        height: in inches.
    """

    def __init__(self, height: float) -> None:
        super().__init__(figsize=(8, height), dpi=110, layout="constrained")

    @property
    def words(self) -> str:
        """What is drawn: the title, what the axes count, and the numbers of every line, bar and table.

        It is read off the figure, so it includes whatever was added to the axes.
        """
        title = self.get_suptitle() or next((axes.get_title("left") for axes in self.axes), "")
        sentences = [title, *(sentence for axes in self.axes for sentence in _described(axes))]
        plain = (sentence.translate(PLAIN).rstrip(".") for sentence in sentences if sentence)
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
    results = _given(results, Result, RESULTS)
    figure, axes = _figure(title, 1.5 + 0.5 * len(results))
    names = [f"X {result.x}\nO {result.o}" for result in results]
    left = np.zeros(len(results))
    for mark, (field, label, hatch) in ENDS.items():
        shares = [100 * getattr(result, field) for result in results]
        bars = axes.barh(names, shares, left=left, color=INK[mark], hatch=hatch, edgecolor="white", label=label)
        texts = [f"{share:.1f}" if share >= 5 else "" for share in shares]
        box = {"facecolor": "white", "edgecolor": "none", "pad": 1.5}
        axes.bar_label(bars, texts, label_type="center", color="black", bbox=box, fontsize=9)
        left += shares
    axes.invert_yaxis()
    axes.set(xlabel="per cent of the games", xlim=(0, 100))
    figure.legend(ncols=3, **BELOW)
    return figure


def convergence(played: Match, truth: Result, title: str) -> Plot:
    """The shares of X's wins, draws and O's wins after each game of a match, beside the exact shares."""
    figure, axes = _figure(title, 3.6)
    games = range(1, len(played.games) + 1)
    for (mark, (field, label, _)), dashes in zip(ENDS.items(), DASHES, strict=False):
        winner = None if mark == "-" else mark
        won = accumulate(end == winner for end in played.winners)
        shares = [100 * wins / n for wins, n in zip(won, games, strict=True)]
        axes.plot(games, shares, dashes, color=INK[mark], label=label)
        axes.axhline(100 * getattr(truth, field), color=INK[mark], linewidth=1, alpha=0.6)
    axes.set(xscale="log", xlabel="games played (log scale)", ylabel="per cent of the games", ylim=(0, 100))
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.legend(ncols=3, loc="upper right", frameon=False)
    return figure


def columns(heights: Mapping[Any, float], title: str, x: str, y: str) -> Plot:
    """A column for each key, as high as its number, which is written above it."""
    figure, axes = _figure(title, 3.2)
    bars = axes.bar([str(key) for key in heights], list(heights.values()), color=INK["X"])
    axes.bar_label(bars, [f"{height:,}" for height in heights.values()], padding=2, fontsize=9)
    axes.set(xlabel=x, ylabel=y)
    axes.margins(y=0.12)
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
    figure, axes = _curves(series, title, 3.6)
    depths = sorted(set().union(*series.values()))
    for dashes, (label, heights) in zip(("-", "--", ":"), _references(depths, b, widths).items(), strict=False):
        axes.plot(list(heights), list(heights.values()), dashes, color=INK["-"], linewidth=1.2, label=label, zorder=1)
    axes.set(xlabel="depth (plies)", ylabel="nodes (log scale)", yscale="log", xticks=depths)
    axes.yaxis.set_major_formatter("{x:,.0f}")
    return _with_legend(figure)


def branching(searches: Searches, title: str) -> Plot:
    """The effective branching factor by depth of searches that looked ahead; see `effective_branching`."""
    series = {
        label: _by_depth([one for one in found if one.depth], lambda one: effective_branching(one.nodes, one.depth))
        for label, found in _series(searches).items()
    }
    for label, factors in series.items():
        if not factors:
            raise BadPlot(f"{label} looked no ply ahead: leave it out of this plot.")
    figure, axes = _curves(series, title, 3)
    axes.set(xlabel="depth (plies)", ylabel="effective branching factor\n(moves per node)", ylim=(0, None))
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    return _with_legend(figure)


def shares_by_ply(searches: Searches, title: str) -> Plot:
    """How the nodes of searches are spread over the plies of the tree, in per cent."""
    counts = {label: (one.nodes_per_ply for one in found) for label, found in _series(searches).items()}
    figure, axes = _curves({label: dict(enumerate(_per_cent(found))) for label, found in counts.items()}, title, 3)
    axes.set(xlabel="plies below the root", ylabel="per cent of the nodes", ylim=(0, None))
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    return _with_legend(figure)


def cutoffs_by_move(searches: Searches, title: str) -> Plot:
    """How often the first move tried cut off the rest, how often the second, and so on, in per cent."""
    figure, axes = _figure(title, 3)
    series = _series(searches)
    width = 0.8 / len(series)
    for n, (label, found) in enumerate(series.items()):
        cuts = _per_cent(one.cutoffs_by_move for one in found)
        if not cuts:
            raise BadPlot(f"{label} cut nothing off: leave it out of this plot.")
        heights = [*cuts[: LATER - 1], sum(cuts[LATER - 1 :])]
        places = [place + (n + 0.5) * width - 0.4 for place in range(len(heights))]
        axes.bar(places, heights, width, label=label, edgecolor="white", **_fill(n))
    axes.set(xlabel="the move that cut off (1: the first tried)", ylabel="per cent of the cutoffs")
    axes.set_xticks(range(LATER), [*map(str, range(1, LATER)), f"{LATER} or later"])
    return _with_legend(figure)


def learned(searches: Searches, truth: Search, title: str) -> Plot:
    """What each move seems to be worth after more and more playouts; grey lines show what moves are really worth.

    Args:
        searches: Monte Carlo searches of one board.
        truth: what minimax finds for it.
    """
    found = sorted(_given(searches, Search, "searches, such as mcts(board, 100)"), key=lambda one: one.playouts)
    series = {
        f"cell {cell}, exactly {signed(worth)}": {one.playouts: one.values[cell] for one in found if cell in one.values}
        for cell, worth in truth.move_values
    }
    figure, axes = _curves(series, title, 3.6)
    for worth in sorted(set(truth.values.values())):
        axes.axhline(worth, color=INK["-"], linewidth=2, alpha=0.5, zorder=0)
    axes.set(xscale="log", xlabel="playouts (log scale)", ylabel=f"worth to {truth.player}")
    axes.xaxis.set_major_formatter("{x:,.0f}")
    return _with_legend(figure)


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


def _per_cent(counts: Iterable[Sequence[int]]) -> list[float]:
    return [100 * share for share in shares(counts)]


def _references(depths: Sequence[int], b: float | None, widths: Sequence[int]) -> dict[str, dict[int, float]]:
    """The curves to compare with, by label: a number of nodes for each depth."""
    curves: dict[str, dict[int, float]] = {}
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
        return {label: _given(found, Search, SEARCHES) for label, found in searches.items()}
    series = defaultdict(list)
    for one in _given(searches, Search, SEARCHES):
        series[one.method].append(one)
    return dict(series)


def _given(things: Any, kind: type[Thing], wanted: str) -> list[Thing]:
    """The things to draw, given as one or as many. Raises `BadPlot` unless there are some and all are of this kind."""
    try:
        found = [things] if isinstance(things, kind) else list(things)
    except TypeError:
        found = []
    if not found or not all(isinstance(one, kind) for one in found):
        raise BadPlot(f"This plot needs {wanted}, one or more, not {things!r}.")
    return found


def _by_depth(searches: Iterable[Search], figure: Callable[[Search], float]) -> dict[int, float]:
    """For each depth, in order, the mean of a figure over the searches of that depth."""
    figures = defaultdict(list)
    for one in searches:
        figures[one.depth].append(figure(one))
    return {depth: fmean(figures[depth]) for depth in sorted(figures)}


# ------------------------------------------------------------------------------------------------- tables in colour


def heat(board: Board, values: Mapping[int, float], title: str, label: str = "") -> Plot:
    """What each move is worth, as numbers and colours on the board; the highest are framed. Layers are side by side.

    Args:
        values: a number for each free cell, or for some, seen from the side to move: `search.values`.
        label: what the numbers are, if they are counts that favour neither side.
    """
    if not isinstance(values, Mapping):
        raise BadPlot(f"This plot needs a number for each cell, such as minimax(board).values, not {values!r}.")
    figure, panels, size = _panels(board, title)
    worth = {cell: values[cell] for cell in board.moves if cell in values}
    texts = {cell: f"{value:g}" if label else signed(value) for cell, value in worth.items()}
    most = max((abs(value) for value in worth.values() if isfinite(value)), default=0) or 1
    grids = np.array([worth.get(cell, nan) for cell in range(len(board))]).reshape(board.layout)
    for axes, grid in zip(panels, grids, strict=True):
        mesh = _cells(axes, grid, COUNTS if label else WORTH, Normalize(0 if label else -most, most))
    small = min([12, *(1.2 * size / len(text) for text in texts.values())])
    for cell, (layer, row, column) in enumerate(np.ndindex(board.layout)):
        if board[cell] != "-":
            _write(panels[layer], row, column, board[cell], INK[board[cell]], size / 2, "bold")
        elif cell in worth:
            _write(panels[layer], row, column, texts[cell], readable_on(mesh.to_rgba(worth[cell])), small)
            if worth[cell] == max(worth.values()):
                _frame(panels[layer], row, column)
    figure.colorbar(mesh, ax=panels, label=label or f"worth to {board.turn}, who is to move", shrink=0.9, fraction=0.05)
    figure.legend(handles=[Patch(fill=False, linewidth=2, label="the highest")], **BELOW)
    return figure


def crosstable(results: Sequence[Result], title: str, ends: bool = False) -> Plot:
    """Who does how well against whom: a row for each X, a column for each O, and X's share of the points in each cell.

    A win is a point for the winner, a draw half a point for both. Of several results for one pair the last counts.

    Args:
        ends: whether to write X's wins, draws and O's wins below, in per cent.
    """
    table = {(result.x, result.o): result for result in _given(results, Result, RESULTS)}
    first, second = (list(dict.fromkeys(names)) for names in zip(*table, strict=True))
    second.sort(key=[*first, *second].index)  # a player of both sides has the same place in both
    points = np.full((len(first), len(second)), nan)
    for (x, o), result in table.items():
        points[first.index(x), second.index(o)] = share_of_points(result)
    figure, axes = _figure(title, 1.9 + 0.55 * max(3, len(first)))
    mesh = _cells(axes, points, EVEN, Normalize(0, 1))
    for (x, o), result in table.items():
        row, column = first.index(x), second.index(o)
        ink = readable_on(mesh.to_rgba(points[row, column]))
        _write(axes, row - 0.15 if ends else row, column, f"{points[row, column]:.2f}", ink, 10)
        if ends:
            parts = (result.x_wins, result.draws, result.o_wins)
            _write(axes, row + 0.22, column, " ".join(f"{100 * part:.0f}" for part in parts), ink, 7)
    note = "\n(small: per cent of X's wins, of draws, of O's wins)" if ends else ""
    axes.set(xlabel=f"plays O{note}", ylabel="plays X", aspect="auto")
    axes.set_xticks(np.arange(len(second)) + 0.5, second, rotation=30, ha="right", rotation_mode="anchor")
    axes.set_yticks(np.arange(len(first)) + 0.5, first)
    figure.colorbar(mesh, ax=axes, label="X's share of the points")
    return figure


def ratings(found: Sequence[Rating], title: str) -> Plot:
    """A dot for each player at its rating, with a bar over the 95 per cent interval; the best on top."""
    found = _given(found, Rating, "ratings, such as tournament(players).ratings")
    figure, axes = _figure(title, 1.4 + 0.35 * len(found))
    order = sorted(found, key=lambda one: one.elo)
    bars = [(one.interval[1] - one.interval[0]) / 2 for one in order]
    style: dict[str, Any] = {"fmt": "o", "color": INK["X"], "ecolor": INK["-"], "capsize": 3}
    axes.errorbar([one.elo for one in order], [one.player for one in order], xerr=bars, **style)
    axes.axvline(0, color=INK["-"], linewidth=0.8, zorder=0)
    axes.set(xlabel="rating (Elo points; 0 is the average, bars: 95 % intervals)")
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


def _panels(board: Board, title: str) -> tuple[Plot, list[Axes], float]:
    """A figure with axes for each layer of a board, at most four side by side, and the size of a cell in points."""
    layers, rows, columns = board.layout
    across = min(layers, 4)
    down = math.ceil(layers / across)
    inch = min(0.8, 6.2 / (across * columns))
    figure = Plot(1.4 + down * (rows * inch + 0.3))
    figure.suptitle(title, x=0.01, ha="left", fontweight="bold")
    panels = list(figure.subplots(down, across, squeeze=False, sharex=True, sharey=True).flat)
    for spare in panels[layers:]:
        spare.remove()
    for axes, name in zip_longest(panels[:layers], layer_names(board)):
        axes.set_title(name or "", fontsize=10)
        axes.set(xlabel="column", ylabel="row")
        axes.set_xticks(np.arange(columns) + 0.5, range(1, columns + 1))
        axes.set_yticks(np.arange(rows) + 0.5, range(1, rows + 1))
        axes.label_outer()
    return figure, panels[:layers], 72 * inch


def _cells(axes: Axes, numbers: Any, colours: Any, norm: Normalize) -> Any:
    """Coloured squares, the first row on top."""
    mesh = axes.pcolormesh(numbers, cmap=colours, norm=norm, edgecolors=INK["-"], linewidth=0.8)
    axes.set(ylim=(len(numbers), 0), aspect="equal")
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    return mesh


def _write(axes: Axes, row: float, column: float, text: str, ink: str, size: float, weight: str = "normal") -> None:
    """A text in the middle of a cell; the size is in points."""
    axes.text(column + 0.5, row + 0.5, text, color=ink, ha="center", va="center", fontsize=size, fontweight=weight)


def _frame(axes: Axes, row: float, column: float) -> None:
    """A black frame just inside a cell, with a white edge to stand out from dark colours."""
    edge = [withStroke(linewidth=5, foreground="white")]
    corner = column + 0.06, row + 0.06
    axes.add_patch(Rectangle(corner, 0.88, 0.88, fill=False, edgecolor="black", linewidth=2, path_effects=edge))


# ------------------------------------------------------------------------------------------------- what all share


def _with_legend(figure: Plot) -> Plot:
    """The figure, made higher for a legend below it, which has two columns where the names are short."""
    labels = [label for axes in figure.axes for label in axes.get_legend_handles_labels()[1]]
    across = 2 if max(map(len, labels)) <= 45 else 1
    figure.legend(ncols=across, **BELOW)
    figure.set_figheight(figure.get_figheight() + 0.22 * math.ceil(len(labels) / across))
    return figure


def _figure(title: str, height: float) -> tuple[Plot, Axes]:
    """A figure with one pair of axes."""
    figure = Plot(height)
    axes = figure.subplots()
    axes.set_title(title, loc="left", fontweight="bold")
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes


def _curves(series: Mapping[str, Points], title: str, height: float) -> tuple[Plot, Axes]:
    """A figure with a line for each label."""
    figure, axes = _figure(title, height)
    for style, (label, points) in zip(_styles(), series.items(), strict=False):
        axes.plot(list(points), list(points.values()), label=label, **style)
    return figure, axes


def _styles() -> Iterator[dict[str, Any]]:
    """One line after another, told apart by colour, marker and dashes."""
    for n in count():
        marker, dashes = MARKERS[n % len(MARKERS)], DASHES[n % len(DASHES)]
        yield {"color": COLOURS[n % len(COLOURS)], "marker": marker, "linestyle": dashes, "markersize": 5}


def _fill(n: int) -> dict[str, Any]:
    """What tells the n-th kind of bars from the others."""
    return {"facecolor": COLOURS[n % len(COLOURS)], "hatch": HATCHES[n % len(HATCHES)]}


# ------------------------------------------------------------------------------------------------- in words


def _described(axes: Axes) -> Iterator[str]:
    """What one pair of axes shows, sentence by sentence; a colour bar adds nothing."""
    if axes.get_label() == "<colorbar>":
        return
    upright = "Downwards" if axes.yaxis_inverted() else "Upwards"
    labels = {"": axes.get_title(), "Across: ": axes.get_xlabel(), f"{upright}: ": axes.get_ylabel()}
    yield from (lead + label for lead, label in labels.items() if label)
    if any(isinstance(drawn, QuadMesh) for drawn in axes.collections):
        yield from _rows_described(axes)
    for drawn in axes.containers:
        yield _ratings_described(drawn, axes) if isinstance(drawn, ErrorbarContainer) else _bars_described(drawn, axes)
    for line in axes.lines:
        if not str(line.get_label()).startswith("_"):
            points: Any = line.get_xydata()
            ends = points if len(points) <= MANY else points[[0, -1]]
            yield f"{line.get_label()}: " + ", ".join(f"{_short(y)} at {_short(x)}" for x, y in ends)


def _bars_described(bars: Any, axes: Axes) -> str:
    """The length of each bar of one kind."""
    if bars.orientation == "horizontal":
        names, lengths = axes.get_yticklabels(), [bar.get_width() for bar in bars]
    else:
        names, lengths = axes.get_xticklabels(), [bar.get_height() for bar in bars]
    listed = ", ".join(f"{name.get_text()} = {_short(length)}" for name, length in zip(names, lengths, strict=False))
    return listed if bars.get_label().startswith("_") else f"{bars.get_label()}: {listed}"


def _ratings_described(points: ErrorbarContainer, axes: Axes) -> str:
    """Points with the interval of each."""
    middle, _, (bars,) = points.lines
    places: Any = middle.get_xydata()
    rows = zip(axes.get_yticklabels(), places, bars.get_segments(), strict=True)
    return ", ".join(
        f"{name.get_text()} = {x:,.0f} ± {(end[0] - start[0]) / 2:,.0f}" for name, (x, _), (start, end) in rows
    )


def _rows_described(axes: Axes) -> Iterator[str]:
    """A table or a board, row by row; two texts in one cell are read from above."""
    rows: dict[int, dict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
    for text in sorted(axes.texts, key=lambda text: text.get_position()[::-1]):
        column, row = map(int, text.get_position())
        rows[row][column].append(text.get_text())
    across, down = axes.get_xticklabels(), axes.get_yticklabels()
    for row, cells in rows.items():
        listed = (f"{_named('column', column, across)} = {' '.join(texts)}" for column, texts in sorted(cells.items()))
        yield f"{_named('row', row, down)}: " + ", ".join(listed)


def _named(kind: str, place: int, ticks: Sequence[Text]) -> str:
    """The name of a row or a column, or else its number."""
    text = ticks[place].get_text() if place < len(ticks) else ""
    return f"{kind} {place + 1}" if text.isdigit() or not text else text


def _short(value: float) -> str:
    return f"{value:,.4g}" if abs(value) < 1000 else f"{value:,.0f}"
