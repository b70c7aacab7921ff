"""Plots of games: how they end, who does how well against whom, what moves are worth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from math import isfinite, isnan, nan
from typing import Any, TypeVar

import numpy as np
from matplotlib import colormaps
from matplotlib.colors import LinearSegmentedColormap, Normalize, to_hex

from ttt.arena import Match, Result
from ttt.board import Board, require_board
from ttt.plots.figure import BELOW, BLACK, DASHES, HATCHED, BadPlot, Plot, draw_line, listed, new_figure, readable_on
from ttt.svg import INK, Picture, draw

ENDS = {"X": ("x_wins", "X wins", "///"), "-": ("draws", "draws", ""), "O": ("o_wins", "O wins", "\\\\\\")}
EVEN = LinearSegmentedColormap.from_list("O to X", [INK["O"], "#F7F7F7", INK["X"]])  # white where both are equal
COUNTS = colormaps["Greens"]
WORTH = colormaps["PRGn"]  # purple below 0, green above; neither is a player's colour
MOST_POINTS = 400  # of a line through every game
WANTED: dict[Any, str] = {
    Result: 'results, such as [exact("random", "perfect")]',
}

Thing = TypeVar("Thing")


def outcomes(results: Sequence[Result], title: str) -> Plot:
    """A bar for each result: X's wins, draws and O's wins in per cent of the games."""
    results = _given(results, Result)
    figure, axes = new_figure(title, 1.5 + 0.5 * len(results), "per cent of the games")
    names = [f"X {result.x}\nO {result.o}" for result in results]
    left = np.zeros(len(results))
    for mark, (field, label, hatch) in ENDS.items():
        shares = [100 * getattr(result, field) for result in results]
        bars = axes.barh(names, shares, left=left, facecolor=INK[mark], hatch=hatch, label=label, **HATCHED)
        texts = [f"{share:.1f}" if share >= 5 else "" for share in shares]
        box = {"facecolor": "white", "edgecolor": "none", "pad": 1.5}
        axes.bar_label(bars, texts, label_type="center", color=BLACK, bbox=box, fontsize=9)
        figure.say(f"{label}: {listed(names, shares)}")
        left += shares
    axes.invert_yaxis()
    axes.set_xlim(0, 100)
    figure.legend(ncols=3, **BELOW)
    return figure


def convergence(played: Match, truth: Result, title: str) -> Plot:
    """The shares of X's wins, draws and O's wins after each game of a match, beside the exact shares."""
    figure, axes = new_figure(title, 3.6, "games played (log scale)", "per cent of the games")
    drawn = np.unique(np.geomspace(1, len(played.games), MOST_POINTS).round().astype(int))
    for (mark, (field, label, _)), dashes in zip(ENDS.items(), DASHES, strict=False):
        winner = None if mark == "-" else mark
        won = list(accumulate(end == winner for end in played.winners))
        shares = {int(games): 100 * won[games - 1] / games for games in drawn}
        draw_line(figure, label, shares, linestyle=dashes, color=INK[mark])
        axes.axhline(100 * getattr(truth, field), color=INK[mark], linewidth=0.8)
    axes.set(xscale="log", ylim=(0, 100))
    axes.xaxis.set_major_formatter("{x:,.0f}")
    figure.legend(ncols=3, **BELOW)
    return figure


def columns(heights: Mapping[Any, float], title: str, x: str, y: str) -> Plot:
    """A column for each key, as high as its number, which is written above it."""
    figure, axes = new_figure(title, 3.2, x, y)
    names = [str(key) for key in heights]
    bars = axes.bar(names, list(heights.values()), color=INK["X"])
    axes.bar_label(bars, [f"{height:,}" for height in heights.values()], padding=2, fontsize=9)
    axes.margins(y=0.12)
    figure.say(listed(names, heights.values()))
    return figure


def heat(board: Board, values: Mapping[int, float], title: str, label: str = "") -> Picture:
    """What each move is worth, as numbers and colours on the board; the highest numbers with a sign are framed.

    Args:
        values: a number for each free cell, or for some, seen from the side to move: `search.values`.
        label: what the numbers are, if they are counts that favour neither side; they have no sign.
    """
    require_board(board, "heat()")
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
    shares = {(result.x, result.o): result.points for result in _given(results, Result)}
    first, second = (list(dict.fromkeys(names)) for names in zip(*shares, strict=True))
    second.sort(key=[*first, *second].index)  # a player of both sides has the same place in both
    figure, axes = new_figure(title, 1.9 + 0.55 * max(3, len(first)), "plays O", "plays X", "Downwards")
    grid = np.array([[shares.get((x, o), nan) for o in second] for x in first])
    mesh = axes.pcolormesh(grid, cmap=EVEN, norm=Normalize(0, 1), edgecolors=INK["-"], linewidth=0.8)
    for (row, column), share in np.ndenumerate(grid):
        if not isnan(share):
            ink = BLACK if readable_on(mesh.to_rgba(share)) == "black" else "white"
            axes.text(column + 0.5, row + 0.5, f"{share:.2f}", color=ink, ha="center", va="center", fontsize=10)
            figure.say(f"{first[row]} against {second[column]}: {share:.2f}")
    axes.invert_yaxis()  # the first row on top
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    axes.set_xticks(np.arange(len(second)) + 0.5, second, rotation=30, ha="right", rotation_mode="anchor")
    axes.set_yticks(np.arange(len(first)) + 0.5, first)
    figure.colorbar(mesh, ax=axes, label="X's share of the points")
    return figure


def _given(things: Any, kind: type[Thing]) -> list[Thing]:
    """The things to draw, given as one or as many. Raises `BadPlot` unless there are some and all are of this kind."""
    try:
        found = [things] if isinstance(things, kind) else list(things)
    except TypeError:
        found = []
    if not found or not all(isinstance(one, kind) for one in found):
        raise BadPlot(f"This plot needs {WANTED[kind]}, one or more, not {things!r}.")
    return found
