"""Ratings: how strong players are, on one scale, from who scored how much against whom.

The model is Bradley and Terry's: i takes the share γᵢ / (γᵢ + γⱼ) of the points against j, a draw being half a point
for both. On Elo's scale the rating is 400 · log₁₀ γ, so 400 points more are ten times the odds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log, sqrt

import numpy as np
from numpy.typing import NDArray

ELO = 400 / log(10)  # Elo points to a unit of log γ
PRIOR = 1.0  # games that each player is assumed to have drawn against one of average strength
CLOSE = 1e-9
LONGEST_STEP = 0.5
MOST_STEPS = 1000
CERTAIN = 1.959964  # standard errors to either side: 95 per cent

Points = Mapping[tuple[str, str], tuple[float, float]]
Array = NDArray[np.float64]


@dataclass(frozen=True)
class Rating:
    """How strong a player is.

    Args:
        player: its name.
        elo: its rating; the average of all players is 0.
        error: the standard error of the rating.
        share: its share of the points in its games.
    """

    player: str
    elo: float
    error: float
    share: float

    @property
    def margin(self) -> float:
        """How far the 95 per cent confidence interval reaches to either side."""
        return CERTAIN * self.error

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 per cent confidence interval of the rating."""
        return self.elo - self.margin, self.elo + self.margin


def ratings(points: Points) -> list[Rating]:
    """The ratings of all players, the best first.

    Each player is assumed to have drawn one more game, against a player of average strength: without it, a player that
    won or lost every game would be infinitely far off. This pulls all ratings together a little, and less so the more
    games there are. The errors follow from Fisher's information. A draw says more than the half win it counts as, so
    with many draws the errors are too large rather than too small.

    Args:
        points: for each pair of players, the points of the first and the number of games; both orders count.

    Sources: Bradley and Terry 1952, "Rank analysis of incomplete block designs". Existence of the maximum: Hunter 2004,
    "MM algorithms for generalized Bradley-Terry models". Convergence of damped Newton steps: Bach 2010,
    "Self-concordant analysis for logistic regression".

    >>> [(one.player, round(one.elo)) for one in ratings({("a", "b"): (75, 100)})]
    [('a', 95), ('b', -95)]
    """
    players = list(dict.fromkeys(name for pair in points for name in pair))
    won, played = _totals(points, players)
    logs, information = _most_likely(won, played)
    centre = np.eye(len(players)) - 1 / len(players)  # takes the average away
    errors = np.sqrt((centre @ np.linalg.inv(information) @ centre).diagonal())
    columns = ELO * centre @ logs, ELO * errors, (won / played.sum(axis=1))
    rows = zip(players, *(column.tolist() for column in columns), strict=True)
    return sorted((Rating(*row) for row in rows), key=lambda one: (-one.elo, one.player))


def wilson(share: float, games: float) -> tuple[float, float]:
    """The 95 per cent confidence interval of a share that was observed in so many games.

    For shares of points it is too wide rather than too narrow: drawn games vary less.

    Source: Wilson 1927, "Probable inference, the law of succession, and statistical inference".

    >>> tuple(round(end, 4) for end in wilson(0.0, 50))
    (0.0, 0.0713)
    """
    square = CERTAIN**2
    middle = (share + square / (2 * games)) / (1 + square / games)
    half = CERTAIN * sqrt(share * (1 - share) / games + square / (4 * games**2)) / (1 + square / games)
    return min(share, max(0.0, middle - half)), max(share, min(1.0, middle + half))


def _totals(points: Points, players: Sequence[str]) -> tuple[Array, Array]:
    """Each player's points, and the number of games between each pair."""
    place = {name: n for n, name in enumerate(players)}
    won, played = np.zeros(len(players)), np.zeros((len(players), len(players)))
    for (one, other), (score, games) in points.items():
        i, j = place[one], place[other]
        won[i] += score
        won[j] += games - score
        played[i, j] += games
        played[j, i] += games
    return won, played


def _most_likely(won: Array, played: Array) -> tuple[Array, Array]:
    """The log γ of each player, 0 for average strength, by Newton's method with steps of at most a half.

    Returns these, and Fisher's information about them. The last row and column of a table stand for the player of
    average strength against whom each has drawn the prior's game.
    """
    games = np.pad(played, (0, 1), constant_values=PRIOR)
    logs = np.zeros(len(games))
    for _ in range(MOST_STEPS):
        share = (1 + np.tanh((logs[:, None] - logs) / 2)) / 2  # of the points that each is expected to take from each
        weights = games * share * (1 - share)
        information = (np.diag(weights.sum(axis=1)) - weights)[:-1, :-1]
        step = np.linalg.solve(information, won + PRIOR / 2 - (games * share).sum(axis=1)[:-1])
        longest = np.abs(step).max()
        logs[:-1] += step * min(1.0, LONGEST_STEP / max(CLOSE, longest))
        if longest < CLOSE:
            break
    return logs[:-1], information
