"""What came out of a tournament: its tables as text, CSV and HTML."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape

from ttt.arena import Result
from ttt.board import Board, Mark
from ttt.store import escape_formula
from ttt.svg import INK
from ttt.tournament.games import TOO_LATE
from ttt.tournament.ratings import Rating, ratings, wilson

STYLE = (
    ":root{color-scheme:light dark}body{font-family:system-ui,sans-serif;margin:1em}h1{font-size:1.5em}"
    "td,th{padding:.2em .6em;text-align:right}caption{caption-side:bottom}"
)


@dataclass(frozen=True)
class Pairing:
    """What came out between two players, with one of them as X.

    Args:
        result: the shares of X's wins, of draws and of O's wins.
        games: how many were played; if the result is exact, as how many it counts.
        exact: whether the shares are the exact probabilities.
    """

    result: Result
    games: int
    exact: bool

    @property
    def points(self) -> float:
        """X's share of the points."""
        return self.result.points

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 per cent confidence interval of X's share of the points, by Wilson's method."""
        return (self.points, self.points) if self.exact else wilson(self.points, self.games)


@dataclass(frozen=True)
class Loss:
    """A game that a player lost by breaking it: a crash, an illegal move, no move in time.

    Args:
        player, other: the loser and its opponent.
        side: the loser's side.
        number: the number of the game in the pairing.
        reason: what happened, in a sentence.
    """

    player: str
    other: str
    side: Mark
    number: int
    reason: str


@dataclass(frozen=True)
class Tournament:
    """What came out of a tournament.

    Args:
        board: where all games start.
        games: how many games each pair of players plays, half of them with either as X.
        seed: the seed of all chance.
        pairings: for each pair of players, one with either as X.
        losses: the games that were not played to the end.
    """

    board: Board
    games: int
    seed: int
    pairings: tuple[Pairing, ...]
    losses: tuple[Loss, ...]

    @property
    def results(self) -> tuple[Result, ...]:
        """The results alone, for `plots.crosstable` and `plots.outcomes`."""
        return tuple(pairing.result for pairing in self.pairings)

    @cached_property
    def ratings(self) -> list[Rating]:
        """The players' ratings, the best first: the Bradley-Terry model on Elo's scale. See `ttt.tournament.ratings`.

        A pairing with an exact result counts as many games as one that is played.
        """
        return ratings({(p.result.x, p.result.o): (p.points * p.games, float(p.games)) for p in self.pairings})

    @property
    def csv(self) -> str:
        """A line for each pairing: the shares, X's share of the points with its interval, the games, whether exact."""
        lines: list[Sequence[object]] = [
            ("x", "o", "x_wins", "draws", "o_wins", "x_points", "low", "high", "games", "exact")
        ]
        for p in self.pairings:
            shares = (p.result.x_wins, p.result.draws, p.result.o_wins, p.points, *p.interval)
            names = map(escape_formula, (p.result.x, p.result.o))
            lines.append((*names, *(f"{share:.6f}" for share in shares), p.games, int(p.exact)))
        return _as_csv(lines)

    @property
    def ratings_csv(self) -> str:
        """A line for each player: rating, standard error, 95 per cent interval, share of the points."""
        lines: list[Sequence[object]] = [("player", "elo", "error", "low", "high", "points")]
        for one in self.ratings:
            numbers = (f"{round(number, 2) + 0.0:.2f}" for number in (one.elo, one.error, *one.interval))
            lines.append((escape_formula(one.player), *numbers, f"{one.share:.6f}"))
        return _as_csv(lines)

    @property
    def reasons(self) -> list[str]:
        """Why games were not played to the end: a line for each reason, the most frequent first."""
        counts = Counter((loss.reason, loss.player) for loss in self.losses)
        lines = []
        for (why, player), times in counts.most_common():
            games = "game" if times == 1 else "games"
            how = "forfeited" if why == f"{player} {TOO_LATE}" else "lost"
            lines.append(f"{times:,} {games} {how}: {why}")
        return lines

    @property
    def about(self) -> str:
        """How the results were reached, in a sentence."""
        kinds = {pairing.exact for pairing in self.pairings}
        if kinds == {True}:
            return f"All results are exact; ± is what {self.games:,} games a pairing would leave open."
        some = "Results between policies are exact, the others" if True in kinds else "Results"
        return f"{some} come from {self.games:,} games a pairing, with seed {self.seed}."

    def __str__(self) -> str:
        order = [one.player for one in self.ratings]
        wide = max(map(len, order))
        points = {(p.result.x, p.result.o): f"{p.points:.2f}" for p in self.pairings}
        lines = [f"{'':{wide + 4}}    Elo  ±95 %  points"]
        for n, one in enumerate(self.ratings, 1):
            lines.append(f"{n:3} {one.player:{wide}} {_signed(one.elo):>7} {one.margin:6.0f} {one.share:7.3f}")
        lines += ["", "X's share of the points, X in the rows, O in the columns"]
        lines.append(" " * (wide + 4) + "".join(f"{n:6}" for n in range(1, len(order) + 1)))
        for n, x in enumerate(order, 1):
            lines.append(f"{n:3} {x:{wide}}" + "".join(f"{points.get((x, o), '-'):>6}" for o in order))
        return "\n".join([*lines, "", self.about, *self.reasons])

    def __repr__(self) -> str:
        return f"<Tournament: {len(self.ratings)} players, {len(self.pairings)} pairings>"

    def _repr_html_(self) -> str:
        """The tables as a notebook shows them; a tooltip on each cell gives the details."""
        order = [one.player for one in self.ratings]
        cells = {(p.result.x, p.result.o): _cell(p) for p in self.pairings}
        heads = "".join(f"<th>{n}</th>" for n in range(1, len(order) + 1))
        rows = [f"<tr><th></th><th>X \\ O</th>{heads}<th>Elo</th><th>±95 %</th><th>points</th></tr>"]
        for n, one in enumerate(self.ratings, 1):
            rated = f"<td>{_signed(one.elo)}</td><td>{one.margin:.0f}</td><td>{one.share:.3f}</td>"
            row = "".join(cells.get((one.player, o), "<td></td>") for o in order)
            rows.append(f"<tr><td>{n}</td><th>{escape(one.player)}</th>{row}{rated}</tr>")
        notes = "".join(f"<br>{escape(note)}" for note in (self.about, *self.reasons))
        caption = f"<caption>X's share of the points{notes}</caption>"
        return f'<table class="ttt-tournament">{caption}{"".join(rows)}</table>'

    @property
    def html(self) -> str:
        """A page with the tables."""
        head = '<!doctype html><html lang="en"><meta charset="utf-8"><title>Tournament</title>'
        head += '<meta name="viewport" content="width=device-width, initial-scale=1">'
        return f"{head}<style>{STYLE}</style><h1>Tournament</h1>{self._repr_html_()}</html>\n"


def _as_csv(lines: Iterable[Sequence[object]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(lines)
    return text.getvalue()


def _cell(pairing: Pairing) -> str:
    """A cell of the table, from red where O does better to blue where X does; the number is in it, too."""
    low, high = pairing.interval
    span = "exact" if pairing.exact else f"95 %: {low:.3f} to {high:.3f}, {pairing.games} games"
    colour = INK["X" if pairing.points > 0.5 else "O"]
    style = f"background:color-mix(in srgb, {colour} {45 * abs(2 * pairing.points - 1):.0f}%, transparent)"
    return f'<td style="{style}" title="{escape(f"{pairing.result}; {span}")}">{pairing.points:.2f}</td>'


def _signed(elo: float) -> str:
    """A rating as a whole number with its sign; 0 has none."""
    return f"{round(elo):+d}" if round(elo) else "0"
