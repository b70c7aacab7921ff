"""Plots of what searches cost, and of what more playouts gain: a line or a bar for each kind of search.

Each takes searches (one, many, or a mapping from labels to them), a table as `ttt.statistics.sweep` returns it, or the
name of a file that it has written. Of several searches at one place, the line is the median, and the band around it is
the middle half. A title that isn't given is worked out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import accumulate
from numbers import Real
from typing import TYPE_CHECKING, Any

from ttt.board import Board
from ttt.heuristics import number
from ttt.plots.figure import (
    COLOURS,
    HATCHED,
    HATCHES,
    BadPlot,
    Band,
    Bands,
    Plot,
    Points,
    draw_lines,
    listed,
    new_figure,
    rounded,
    with_legend,
)
from ttt.plots.measures import (
    effective_branching,
    groups,
    kept,
    label_of,
    least_tree,
    lists_of,
    measured,
    notable,
    quartiles,
    ratios,
    table_of,
)
from ttt.search import Search, alphabeta
from ttt.statistics import POSITION
from ttt.svg import INK, signed

if TYPE_CHECKING:
    from pandas import DataFrame

LATER = 6  # from this move on, cutoffs are counted together
MOST_FREE = 10  # cells of a board that is searched to the end for its exact value
COUNTED = ("depth", "marks")  # columns of small numbers; others have a log scale on the x-axis
NAMES = {  # of columns, on an axis
    "depth": "depth (plies)",
    "marks": "marks on the board",
    "ratio": "ratio to the baseline",
    "branching": "effective branching factor",
}


def lines(
    data: Any,
    x: str = "depth",
    y: str = "nodes",
    title: str = "",
    *,
    by: str = "setting",
    where: Mapping[str, Any] | None = None,
    log: bool | None = None,
) -> Plot:
    """One column of the searches by another: a line for each value of a third column.

    Args:
        data: the searches, or a table made from them, such as that of `ratios`.
        x: a column; if it isn't one of numbers, its values are drawn side by side, without a line.
        y: a column of numbers. Searches without an x or a y are left out.
        by: the column that makes the lines; "" for a single line of all searches.
        where: which searches to draw, as for `kept`; all unless given.
        log: whether y has a log scale; unless given, it has if the greatest number is 100 times the least.
    """
    table = kept(table_of(data, *filter(None, (x, y, by))), where or {}).dropna(subset=[x, y])
    if table.empty:
        raise BadPlot(f"No search has both {x} and {y}: choose other columns.")
    parts = groups(table, by) if by else {y: table}
    series = {label: _spread(rows, x, y) for label, rows in parts.items()}
    title = title or _least(series, x, y)
    log = True if log is None and y == "ratio" else log
    figure = draw_lines(title, NAMES.get(x, x), NAMES.get(y, y), series, log=log, log_x=x not in COUNTED, bottom=0)
    if y == "ratio":
        figure.axes[0].axhline(1, color=INK["-"], linewidth=1.2, linestyle="--", zorder=0)
    return figure


def nodes_by_depth(
    data: Any, title: str = "", b: float | None = None, widths: Sequence[int] = (), *, by: str = "setting"
) -> Plot:
    """The nodes of searches by depth, on a log scale: a line for each label, or else for each setting.

    Args:
        data: searches of several depths.
        b: a branching factor; b^d and b^(d/2) are drawn for reference.
        widths: the moves at each ply, for which the nodes of the least tree are drawn; see `least_tree`.
        by: the column that makes the lines.
    """
    table = measured(table_of(data, "depth", "nodes", by), "nodes")
    series = {label: _spread(rows, "depth", "nodes") for label, rows in groups(table, by).items()}
    references = _references(sorted(set().union(*series.values())), b, widths)
    return draw_lines(title or _saving(table, by), NAMES["depth"], "nodes", series, references, log=True)


def branching(data: Any, title: str = "", *, by: str = "setting") -> Plot:
    """The effective branching factor by depth of searches that looked ahead; see `effective_branching`."""
    table = measured(table_of(data, "depth", "nodes", by), "nodes")
    for label, rows in groups(table, by).items():
        if not (rows["depth"] > 0).any():
            raise BadPlot(f"{label} looked no ply ahead: leave it out of this plot.")
    table = table[table["depth"] > 0]
    sizes = list(zip(table["nodes"].astype(int), table["depth"].astype(int), strict=True))
    width = {size: effective_branching(*size) for size in set(sizes)}
    widths = [width[size] for size in sizes]
    return lines(table.assign(branching=widths), "depth", "branching", title, by=by, log=False)


def shares_by_ply(data: Any, title: str = "", *, by: str = "setting") -> Plot:
    """How the nodes of a search are spread over the plies of its tree, in per cent."""
    table = table_of(data, "nodes_per_ply", by)
    series = {label: _plies(lists_of(rows, "nodes_per_ply")) for label, rows in groups(table, by).items()}
    label, points = next(iter(series.items()))
    most = max(points, key=lambda ply: points[ply][1])
    title = title or f"Ply {most} has the most nodes of {label}: {points[most][1]:.0f} %"
    return draw_lines(title, "plies below the root", "per cent of the nodes", series, bottom=0)


def cutoffs_by_move(data: Any, title: str = "", *, by: str = "setting") -> Plot:
    """How often the first move tried cut off the rest, how often the second, and so on, in per cent.

    The cutoffs of all searches count alike, so that a search with many counts for more than one with few.
    """
    names = [*map(str, range(1, LATER)), f"{LATER} or later"]
    series = {}
    for label, rows in groups(table_of(data, "cutoffs_by_move", by), by).items():
        cuts = [0] * LATER
        for counts in lists_of(rows, "cutoffs_by_move"):
            for tried, count in enumerate(counts):
                cuts[min(tried, LATER - 1)] += count
        if not any(cuts):
            raise BadPlot(f"{label} cut nothing off: leave it out of this plot.")
        series[label] = [100 * count / sum(cuts) for count in cuts]
    axis = "the move that cut off (1: the first tried)"
    figure, axes = new_figure(title or _first_moves(series), 3, axis, "per cent of the cutoffs")
    width = 0.8 / len(series)
    for n, (label, heights) in enumerate(series.items()):
        places = [place + (n + 0.5) * width - 0.4 for place in range(LATER)]
        colour, hatch = COLOURS[n % len(COLOURS)], HATCHES[n % len(HATCHES)]
        axes.bar(places, heights, 0.92 * width, label=label, facecolor=colour, hatch=hatch, **HATCHED)
        figure.say(f"{label}: {listed(names, heights)}")
    axes.set_xticks(range(LATER), names)
    return with_legend(figure)


# ------------------------------------------------------------------------------------------- what playouts learn


def learned(data: Any, truth: Search, title: str = "") -> Plot:
    """What each move seems to be worth after more and more playouts; grey lines show what moves are really worth.

    Args:
        data: Monte-Carlo searches of one board.
        truth: what minimax finds for it.
    """
    table = _by_playouts(data, "move_values").sort_values("playouts", kind="stable")
    if set(_positions(table)) != set(_positions(table_of(truth, *POSITION))):
        raise BadPlot("This plot needs searches of one board, and the truth about the same board.")
    series: dict[str, Bands] = {}
    for cell, worth in truth.move_values:
        points = defaultdict[int, list[float]](list)
        for playouts, values in zip(table["playouts"], map(_values, table["move_values"]), strict=True):
            if cell in values:
                points[int(playouts)].append(values[cell])
        series[f"cell {cell}, exactly {signed(worth)}"] = {x: quartiles(some) for x, some in points.items()}
    last = table.iloc[-1]
    quality = "is best" if last["move"] in truth.best_moves else "is not best"
    title = title or f"After {last['playouts']:,} playouts it plays {last['move']}, which {quality}"
    figure = draw_lines(title, "playouts", f"worth to {truth.player}", series, log_x=True)
    for worth in sorted(set(truth.values.values())):
        figure.axes[0].axhline(worth, color=INK["-"], linewidth=1.5, zorder=0)
    return figure


def playout_error(data: Any, truth: Any = None, title: str = "", *, measure: str = "value", by: str = "method") -> Plot:
    """How far Monte-Carlo searches are from the truth, by playouts.

    Args:
        data: Monte-Carlo searches of one position or of many, perhaps with several seeds.
        truth: minimax searches to the end of the game, one for each of the positions; they are made unless given.
        measure: "value" for the error of the value, |value - minimax's|, from 0 to 2, with its median and middle half;
            "move" for the per cent of the searches that play a best move, with Wilson's 95 per cent interval.
        by: the column that makes the lines.
    """
    if measure not in ("value", "move"):
        raise BadPlot(f"The measure is 'value' or 'move', not {measure!r}.")
    table = measured(_by_playouts(data, "value", by), "value")
    exact = _exact(table, truth)
    worth, best = zip(*(exact[position] for position in _positions(table)), strict=True)
    right = [move in moves for move, moves in zip(table["move"], best, strict=True)]
    parts = groups(table.assign(error=abs(table["value"] - list(worth)), right=right), by)
    if measure == "value":
        series = {label: _spread(rows, "playouts", "error") for label, rows in parts.items()}
        title = title or _last(series, "At {x} playouts, the median error of {label} is {y}")
        return draw_lines(title, "playouts", "error of the value", series, log_x=True, bottom=0)
    series = {label: {x: _rate(some) for x, some in rows.groupby("playouts")["right"]} for label, rows in parts.items()}
    title = title or _last(series, "With {x} playouts, {label} plays a best move in {y} % of the searches")
    y = "per cent of the searches\nthat play a best move"
    return draw_lines(title, "playouts", y, series, band="95 % interval", log_x=True, bottom=0)


# ------------------------------------------------------------------------------------------------- helpers


def _spread(rows: DataFrame, x: str, y: str) -> Bands:
    """The quartiles of y at each x, in order."""
    try:
        return {place: quartiles(some) for place, some in rows.groupby(x)[y] if some.notna().any()}
    except (TypeError, ValueError):
        raise BadPlot(f"The column {y!r} is not one of numbers.") from None


def wilson(share: float, games: float) -> tuple[float, float]:
    """The 95 per cent confidence interval of a share that was observed so often."""
    square = 1.959964**2
    middle = (share + square / (2 * games)) / (1 + square / games)
    half = (square * share * (1 - share) / games + square**2 / (4 * games**2)) ** 0.5 / (1 + square / games)
    return min(share, max(0.0, middle - half)), max(share, min(1.0, middle + half))


def _rate(some: Sequence[bool]) -> Band:
    """How often something is so, in per cent, between the ends of its 95 per cent interval."""
    share = sum(some) / len(some)
    low, high = wilson(share, len(some))
    return 100 * low, 100 * share, 100 * high


def _plies(counts: Sequence[Sequence[int]]) -> Bands:
    """The quartiles of each ply's share of the nodes, in per cent; a search that ends above a ply has none there."""
    if not all(counts):
        raise BadPlot("The column 'nodes_per_ply' must hold the nodes of one ply or more in every row.")
    plies = range(max(map(len, counts)))
    shares = [[100 * count / sum(one) for count in one] + [0] * (len(plies) - len(one)) for one in counts]
    return {ply: quartiles([one[ply] for one in shares]) for ply in plies}


def _values(text: str) -> dict[int, float]:
    """The worth of each move: "4=1 0=-1" is {4: 1, 0: -1}."""
    try:
        pairs = (pair.split("=") for pair in text.split())
        return {int(cell): float(worth) for cell, worth in pairs}
    except ValueError:
        raise BadPlot(f"The values of moves are written as '4=1 0=-1', not as {text!r}.") from None


def _by_playouts(data: Any, *columns: str) -> DataFrame:
    """The Monte-Carlo searches, as a table with these columns. Raises `BadPlot` if there are none."""
    table = table_of(data, *POSITION, "playouts", "move", *columns)
    table = table[table["playouts"].notna()]
    if table.empty:
        raise BadPlot("This plot needs searches by playouts, such as mcts(board, 1000).")
    return table


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


def _positions(table: DataFrame) -> list[tuple[str, int, str]]:
    """Which position each row is about."""
    return list(zip(table["shape"], table["k"], table["board"], strict=True))


def _exact(table: DataFrame, truth: Any) -> dict[tuple[str, int, str], tuple[float, set[int]]]:
    """The exact value and the best moves of every position of the table."""
    if truth is None:
        return {position: _solved(*position) for position in set(_positions(table))}
    known = table_of(truth, *POSITION, "value", "best_moves")
    moves = [set(map(int, text.split())) for text in known["best_moves"]]
    found = dict(zip(_positions(known), zip(known["value"], moves, strict=True), strict=True))
    missing = set(_positions(table)) - set(found)
    if missing:
        raise BadPlot(f"The truth has no search of {missing.pop()[2]}.")
    return found


@cache
def _solved(shape: str, k: int, text: str) -> tuple[float, set[int]]:
    """The exact value of a position, and its best moves."""
    try:
        board = Board.from_text(text, tuple(map(int, shape.split("x"))), int(k))
    except ValueError as why:
        raise BadPlot(f"{text!r} is not a {shape} board: {why}") from None
    if len(board.moves) > MOST_FREE:
        raise BadPlot(f"{text} has {len(board.moves)} free cells, too many to find the truth here: give it as truth=….")
    worth = _worth(board)
    moves = () if board.over else board.moves
    return worth, {move for move in moves if -_worth(board.play(move)) == worth}


def _worth(board: Board) -> float:
    """The exact value to the side to move."""
    return alphabeta(board, order="best-gain", table=True, symmetry=True, fast=True).value


# ------------------------------------------------------------------------------------------------- titles


def _least(series: Mapping[str, Bands], x: str, y: str) -> str:
    """Which line is lowest, and how low, at its last place, if all of them end there."""
    shared = set.intersection(*(set(points) for points in series.values()))
    names = (NAMES.get(name, name).partition(" (")[0] for name in (y, x))
    plain = " by ".join(names).capitalize()
    if len(series) == 1 or not all(isinstance(place, Real) for place in shared) or not shared:
        return plain
    end = max(shared)
    if any(max(points) != end for points in series.values()):
        return plain
    middles = {label: points[end][1] for label, points in series.items()}
    label, *others = sorted(middles, key=middles.__getitem__)
    if middles[label] == middles[others[0]]:
        return plain
    return f"{plain}: {label} ends lowest, at {rounded(middles[label])}"


def _saving(table: DataFrame, by: str) -> str:
    """What the cheapest kind of search costs next to the first, at the greatest depth that both have reached."""
    values = table[by].dropna().unique()
    first = label_of(values[0] if len(values) else None, by)
    if len(values) < 2:
        deep = table["depth"].max()
        nodes = table["nodes"][table["depth"] == deep].median()
        return f"At depth {deep}, {first} visits {rounded(nodes)} nodes"
    try:
        pairs = ratios(table, by=by)
    except BadPlot:
        return "Nodes by depth"
    deep = pairs["depth"].max()
    if not deep > 0:  # trees that playouts grow
        return "Nodes by depth"
    found = pairs[pairs["depth"] == deep].groupby(by, sort=False)["ratio"].median()
    value = notable(found.to_dict())
    return f"At depth {deep}, {label_of(value, by)} needs {rounded(found[value])} × the nodes of {first}"


def _first_moves(series: Mapping[str, Sequence[float]]) -> str:
    """How often the first move cuts off, where it does most and where least."""
    order = sorted(series, key=lambda label: series[label][0], reverse=True)
    most, least = (f"{series[label][0]:.0f} %" for label in (order[0], order[-1]))
    title = f"The first move tried makes {most} of the cutoffs with {order[0]}"
    return title if most == least else f"{title}; {least} with {order[-1]}"


def _last(series: Mapping[str, Bands], sentence: str) -> str:
    """A sentence about the last point of the first line."""
    label, points = next(iter(series.items()))
    x = max(points)
    return sentence.format(label=label, x=f"{x:,}", y=rounded(points[x][1]))
