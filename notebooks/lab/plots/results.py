"""Plots of games: how they end, who scores how well against whom, and what moves are worth."""

from collections.abc import Mapping, Sequence
from math import isfinite, isnan, nan
from typing import Any

import numpy as np
from matplotlib import colormaps, pyplot
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, Normalize, to_hex

from lab.plots.figure import BLACK, SIZE, colours, from_zero, log_scale, panels, say, with_legend
from ttt.arena import Match, Result
from ttt.board import Board, require_board
from ttt.svg import INK, Picture, draw
from ttt.words import count_phrase

SHARES = {  # (field of a result, label, colour of its bars, colour of the numbers on them, dashes)
    "X": ("x_wins", "X wins", "#0073B2", "#FFFFFF", "-"),  # hardly another X, but as dark on a dark page
    "-": ("draws", "draws", "#D9D9D9", "#010101", "--"),
    "O": ("o_wins", "O wins", "#F2A065", "#010101", "-."),  # a lighter O, so that the bars also differ in grey
}
MIN_LABELLED = 8  # per cent; a narrower part has no room for its number
EVEN = LinearSegmentedColormap.from_list("O to X", ["#E59B66", "#F7F7F7", "#66AADB"])  # light, for black numbers on top


def outcomes(results: Sequence[Result] | Result, title: str = "") -> Axes:
    """One bar per result: X's wins, draws and O's wins in per cent of the games, from left to right."""
    results = [results] if isinstance(results, Result) else results
    [ax] = panels(title, "per cent of the games", "", 1.2 + 0.55 * len(results))
    names = [f"X {result.x}, O {result.o}" for result in results]
    left = np.zeros(len(results))
    small: list[list[str]] = [[] for _ in results]  # segments too narrow for their numbers
    for field, label, colour, on_it, _ in SHARES.values():
        widths = [100 * getattr(result, field) for result in results]
        bars = ax.barh(range(len(widths)), widths, 0.5, left, color=colour, label=label)
        texts = [f"{share:.1f}" if share >= MIN_LABELLED else "" for share in widths]
        for n, share in enumerate(widths):
            if 0 < share < MIN_LABELLED:
                small[n].append(f"{label} {share:.1f}" if share >= 0.1 else f"{label} {share:.1g}")
        ax.bar_label(bars, texts, label_type="center", color=on_it, fontsize=SIZE, fontweight="bold")
        say(ax, label, dict(zip(names, widths, strict=True)))
        left += widths
    above: dict[str, Any] = {"va": "bottom", "fontsize": SIZE, "parse_math": False}  # so bars are as wide as the plot
    for n, (name, texts) in enumerate(zip(names, small, strict=True)):
        ax.text(0, n - 0.3, name, **above)
        ax.text(100, n - 0.3, ", ".join(texts), ha="right", **above)
    ax.set(xlim=(0, 100), ylim=(len(results) - 0.7, -0.75), xticks=[], yticks=[])  # the numbers are in the bars
    ax.grid(False)
    ax.spines["bottom"].set_visible(False)
    return with_legend(ax)


def convergence(played: Match, truth: Result, title: str = "") -> Axes:
    """The shares of X's wins, draws and O's wins after each game of a match, together with the exact shares."""
    [ax] = panels(title, "games played", "per cent of the games")
    games = np.arange(1, len(played.games) + 1)
    winners = np.array([winner or "-" for winner in played.winners])
    lines = dict(zip("XO", colours(), strict=False)) | {"-": INK["-"]}
    for mark, (field, label, _, _, dashes) in SHARES.items():
        shares = 100 * np.cumsum(winners == mark) / games
        exact = 100 * getattr(truth, field)
        ax.plot(games, shares, label=label, linestyle=dashes, color=lines[mark])
        ax.axhline(exact, color=lines[mark], linewidth=0.8)
        say(ax, label, {f"after {count_phrase(len(games), 'game')}": shares[-1], "exactly": exact})
    from_zero(ax)
    log_scale(ax, "x")
    return with_legend(ax)


def heat(board: Board, values: Mapping[int, float], title: str, label: str = "") -> Picture:
    """Show what moves are worth to the side to move, as in `search.values`, in numbers and colours; frame the best.

    With a label, such as "lines through the cell", the numbers are counts of that and none is framed.
    """
    require_board(board, "heat()")
    worth = {cell: values[cell] for cell in board.moves if not isnan(values.get(cell, nan))}
    most = max((abs(value) for value in worth.values() if isfinite(value)), default=0) or 1
    colours = colormaps["Greens" if label else "PRGn"]  # purple below 0, green above; neither is a player's colour
    tint = Normalize(0 if label else -2 * most, 2 * most)  # uses the lighter half of the colours
    fills = {cell: to_hex(colours(tint(np.clip(value, -most, most)))) for cell, value in worth.items()}
    shown: Any = {cell: f"{value:g}" for cell, value in worth.items()} if label else worth
    caption = f"{title}: {label or f'value for {board.turn}, the side to move'}"
    return draw(board, values=shown, fills=fills, caption=caption)


def crosstable(results: Sequence[Result], title: str = "") -> Axes:
    """Who scores how well against whom: a row per X, a column per O, and X's share of the points in each cell.

    A win gives the winner one point, a draw half a point each. If a pair has several results, the last one counts.
    """
    if not results:
        raise ValueError("`crosstable()` needs at least one result, as in `tournament(...).results`.")
    shares = {(result.x, result.o): result.points for result in results}
    first, second = (list(dict.fromkeys(names)) for names in zip(*shares, strict=True))
    second.sort(key=[*first, *second].index)  # a player on both sides has the same place in both
    height = min(1.9 + 0.55 * max(3, len(first)), 6.4)  # fits in a window
    [ax] = panels(title, "plays O", "plays X", height)
    grid = np.array([[shares.get((x, o), np.nan) for o in second] for x in first])
    mesh = ax.pcolormesh(grid, cmap=EVEN, norm=Normalize(0, 1), edgecolors=INK["-"], linewidth=0.8)
    for (x, o), share in shares.items():
        place = second.index(o) + 0.5, first.index(x) + 0.5
        ax.text(*place, f"{share:.2f}", color=BLACK, ha="center", va="center", fontsize=10)
        say(ax, x, {f"against {o}": f"{share:.2f}"})
    ax.invert_yaxis()  # the first row on top
    ax.grid(False)
    ax.spines[:].set_visible(False)
    ax.set_xticks(np.arange(len(second)) + 0.5, second)
    ax.set_yticks(np.arange(len(first)) + 0.5, first)
    pyplot.colorbar(mesh, ax=ax, label="X's share of the points")
    return ax
