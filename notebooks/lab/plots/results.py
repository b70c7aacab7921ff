"""Plots of games: how they end, who scores how well against whom, and what moves are worth."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from html import escape
from math import isfinite, isnan, nan
from textwrap import wrap
from typing import Any

import numpy as np
from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, Normalize, to_hex

from lab.plots.figure import BLACK, colours, from_zero, log_scale, panels, say, with_legend
from ttt.arena import Match, Result
from ttt.board import Board, require_board
from ttt.svg import CAPTION_SIZE, DARK_INK, INK, MARGIN, Picture, draw, text
from ttt.words import count_phrase

SHARES = {  # (field of a result, label, colour of its bars, colour of the numbers on them, dashes)
    "X": ("x_wins", "X wins", INK["X"], "#FFFFFF", "-"),
    "-": ("draws", "draws", "#D9D9D9", BLACK, "--"),
    "O": ("o_wins", "O wins", "#F2A065", BLACK, "-."),  # a lighter O, so that the bars also differ in grey
}
DARK_SHARES = ((DARK_INK["X"], BLACK), ("#6E6E6E", "#FFFFFF"), ("#FFB26B", BLACK))  # on a dark page
_DARK = "".join(f"--bar-{n}:{colour};--on-{n}:{on_it};" for n, (colour, on_it) in enumerate(DARK_SHARES))
BARS_STYLE = f"<style>@media (prefers-color-scheme:dark){{svg:root{{color:#e0e0e0;{_DARK}}}}}</style>"
MIN_LABELLED = 9  # per cent; a narrower part has no room for its number where the page is narrow
MAX_TITLE_LETTERS = 30  # in a line
BAR, ROW, KEY = 28, 54, 82  # the height of a bar, from one to the next, and the width of a label above; in pixels
COUNTS = LinearSegmentedColormap.from_list("few to many", ["#1F9D4D1F", "#1F9D4DA6"])  # the page shines through, so
WORTH = LinearSegmentedColormap.from_list("bad to good", ["#9970ABA6", "#8080801F", "#1F9D4DA6"])  # numbers are legible
EVEN = LinearSegmentedColormap.from_list("O to X", ["#E59B66", "#F7F7F7", "#66AADB"])  # light, for black numbers on top


class Bars(Picture):
    """A drawing as wide as the page has room for: places across are in per cent, and letters keep their size."""

    def __str__(self) -> str:
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="100%" height="{self.height}" font-size="12" '
            f'fill="currentColor" font-family="system-ui,sans-serif" style="max-width:{self.width}px">'
            f"<title>{escape(self.title)}</title><desc>{escape(self.text)}</desc>{BARS_STYLE}{self.body}</svg>"
        )


def outcomes(results: Sequence[Result] | Result, title: str = "") -> Picture:
    """One bar per result: X's wins, draws and O's wins in per cent of the games, from left to right.

    A share too small for a number in its part of the bar has the number above, at the nearer side, next to its colour.
    """
    parts, words, y = [], ["Across: per cent of the games."], 14
    for line in wrap(title, MAX_TITLE_LETTERS):
        parts.append(f'<text y="{y}" font-size="15" font-weight="700">{escape(line)}</text>')
        y += 20
    for n, (_, label, *_) in enumerate(SHARES.values()):
        parts.append(f'<rect x="{KEY * n}" y="{y - 10}" width="12" height="12" fill="{_fill(n)}"/>')
        parts.append(f'<text x="{KEY * n + 17}" y="{y}">{label}</text>')
    for result in [results] if isinstance(results, Result) else results:
        name, shares = f"X {result.x}, O {result.o}", [100 * getattr(result, field) for field, *_ in SHARES.values()]
        told = [f"{label} {_number(share)}" for share, (_, label, *_) in zip(shares, SHARES.values(), strict=True)]
        parts += [_above(name, shares, y + 28), *_bar(shares, y + 34)]
        words.append(f"{name}: {', '.join(told)}.")
        y += ROW
    parts.append(f'<text y="{y + 26}">per cent of the games</text>')
    return Bars(614, y + 32, "".join(parts), title or "How the games ended", "\n".join(words))


def _bar(shares: Sequence[float], y: int) -> Iterator[str]:
    """The parts of a bar, from left to right, with their numbers."""
    left = 0.0
    for n, share in enumerate(shares):
        if share:
            yield f'<rect x="{left:.2f}%" y="{y}" width="{share:.2f}%" height="{BAR}" fill="{_fill(n)}"/>'
        if share >= MIN_LABELLED:
            place = f'x="{left + share / 2:.2f}%" y="{y + 18}" font-weight="700" text-anchor="middle"'
            yield f'<text {place} fill="{_fill(n, "on")}">{_number(share)}</text>'
        left += share


def _above(name: str, shares: Sequence[float], y: int) -> str:
    """The name of a bar, and the numbers that have no room in it: after the name, or at the right if that is nearer."""
    left, sides = 0.0, [escape(name), ""]
    for n, share in enumerate(shares):
        if 0 < share < MIN_LABELLED:
            sides[left + share / 2 > 50] += f'<tspan fill="{_fill(n)}">\u2003■</tspan> {_number(share)}'
        left += share
    right = f'<text x="100%" y="{y}" text-anchor="end">{sides[1]}</text>' if sides[1] else ""
    return f'<text y="{y}">{sides[0]}</text>{right}'


def _fill(n: int, part: str = "bar") -> str:
    """The colour of a share's bar, or of the number "on" it: the page's, if that is dark."""
    return f"var(--{part}-{n},{[*SHARES.values()][n][2 if part == 'bar' else 3]})"


def _number(share: float) -> str:
    return f"{share:.1f}" if share >= 0.1 or not share else f"{share:.1g}"


def convergence(played: Match, truth: Result, title: str = "") -> Axes:
    """The shares of X's wins, draws and O's wins after each game of a match, together with the exact shares."""
    [ax] = panels(title, "games played", "per cent of the games", note="thin lines: the exact shares")
    games = np.arange(1, len(played.games) + 1)
    winners = np.array([winner or "-" for winner in played.winners])
    lines = dict(zip("XO", colours(), strict=False)) | {"-": INK["-"]}
    for mark, (field, label, _, _, dashes) in SHARES.items():
        shares = 100 * np.cumsum(winners == mark) / games
        exact = 100 * getattr(truth, field)
        ax.plot(games, shares, label=label, linestyle=dashes, color=lines[mark])
        ax.plot(games[[0, -1]], [exact, exact], color=lines[mark], linewidth=0.8)
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
    finite = [value if label else abs(value) for value in worth.values() if isfinite(value)]
    most = max(finite, default=0) or 1
    tint = Normalize(min(finite, default=0) if label else -most, most, clip=True)
    colours = COUNTS if label else WORTH
    fills = {cell: to_hex(colours(tint(value)), keep_alpha=True) for cell, value in worth.items()}
    shown: Any = {cell: f"{value:g}" for cell, value in worth.items()} if label else worth
    picture, about = draw(board, values=shown, fills=fills), label or f"value for {board.turn}, the side to move"
    head = text(complex(MARGIN, 12), title, 15 / picture.scale, 700, "start", "currentColor")
    head += text(complex(MARGIN, 26), about, CAPTION_SIZE, anchor="start")
    body = f'{BARS_STYLE}{head}<g transform="translate(0,34)" style="--ttt-on-fill:currentColor">{picture.body}</g>'
    width, told = max(picture.width, 7 * max(len(title), len(about))), f"{picture.text}\n{title}: {about}"
    return replace(picture, width=width, height=picture.height + 34, body=body, text=told)


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
