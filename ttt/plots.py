"""Plots that say one thing each, in the boards' own colours, told apart by hatching in a grey print as well."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ttt.arena import Match, Result
from ttt.svg import INK

ENDS = {"X": ("x_wins", "X wins", "///"), "-": ("draws", "draws", ""), "O": ("o_wins", "O wins", "...")}


def outcomes(results: Sequence[Result], title: str) -> Figure:
    """A bar for each result, divided into X's wins, draws and O's wins in per cent of the games."""
    figure, axes = _figure(title, 1.5 + 0.5 * len(results))
    names = [f"X {result.x}\nO {result.o}" for result in results]
    left = [0.0] * len(results)
    for mark, (field, label, hatch) in ENDS.items():
        shares = [100 * getattr(result, field) for result in results]
        bars = axes.barh(names, shares, left=left, color=INK[mark], hatch=hatch, edgecolor="white", label=label)
        texts = [f"{share:.1f}" if share >= 5 else "" for share in shares]
        box = {"facecolor": "white", "edgecolor": "none", "pad": 1.5}
        axes.bar_label(bars, texts, label_type="center", color="black", bbox=box, fontsize=9)
        left = [start + share for start, share in zip(left, shares, strict=True)]
    axes.invert_yaxis()
    axes.set(xlabel="per cent of the games", xlim=(0, 100))
    figure.legend(ncols=3, loc="outside lower center", frameon=False)
    return figure


def convergence(played: Match, truth: Result, title: str) -> Figure:
    """The share of games that X, nobody and O have won after each game of a match, beside the exact shares."""
    figure, axes = _figure(title, 3.6)
    games = range(1, len(played.games) + 1)
    for mark, (field, label, _) in ENDS.items():
        winner = None if mark == "-" else mark
        won = accumulate(end == winner for end in played.winners)
        style = {"X": "-", "-": "--", "O": "-."}[mark]
        shares = [100 * count / n for count, n in zip(won, games, strict=True)]
        axes.plot(games, shares, style, color=INK[mark], label=label)
        axes.axhline(100 * getattr(truth, field), color=INK[mark], linewidth=1, alpha=0.6)
    axes.set(xscale="log", xlabel="games played (log scale)", ylabel="per cent of the games", ylim=(0, 100))
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.legend(ncols=3, loc="upper right", frameon=False)
    return figure


def columns(heights: Mapping[Any, float], title: str, x: str, y: str) -> Figure:
    """A column for each key, as high as its number, which stands above it."""
    figure, axes = _figure(title, 3.2)
    bars = axes.bar([str(key) for key in heights], list(heights.values()), color=INK["X"])
    axes.bar_label(bars, [f"{height:,}" for height in heights.values()], padding=2, fontsize=9)
    axes.set(xlabel=x, ylabel=y)
    axes.margins(y=0.12)
    return figure


def _figure(title: str, height: float) -> tuple[Figure, Axes]:
    """A figure that a notebook shows once, where it is a cell's last value."""
    figure, axes = plt.subplots(figsize=(8, height), dpi=110, layout="constrained")
    plt.close(figure)
    axes.set_title(title, loc="left", fontweight="bold")
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes
