"""Ratings: how strong players are, on one scale, from who scored how much against whom.

The model is Bradley and Terry's: i takes the share γᵢ / (γᵢ + γⱼ) of the points against j, a draw being half a point
for both. On Elo's scale the rating is 400 · log₁₀ γ, so 400 points more are ten times the odds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, log, sqrt

ELO = 400 / log(10)  # Elo points to a unit of log γ
PRIOR = 1.0  # games that each player is taken to have drawn against one of average strength
CLOSE = 1e-9
LONGEST_STEP = 0.5
MOST_STEPS = 1000
CERTAIN = 1.959964  # standard errors to either side: 95 per cent

Points = Mapping[tuple[str, str], tuple[float, float]]


@dataclass(frozen=True)
class Rating:
    """How strong a player is.

    Args:
        player: its name.
        elo: its rating; the average of all that play is 0.
        error: the standard error of that.
        share: its share of the points that it played for.
    """

    player: str
    elo: float
    error: float
    share: float

    @property
    def interval(self) -> tuple[float, float]:
        """Where the rating lies with a confidence of 95 per cent."""
        return self.elo - CERTAIN * self.error, self.elo + CERTAIN * self.error


def ratings(points: Points) -> list[Rating]:
    """The ratings of all players, the best first.

    Each player is taken to have drawn one game more, against somebody of average strength: without that who has won
    everything, or lost it, would be infinitely far off. It draws all ratings a little together, and less so the more
    games there are. The errors follow from Fisher's information. A draw tells more than the half win that it counts
    as, so where there are many the errors are too large rather than too small.

    Args:
        points: for each two players, in one order, the points of the first and the games; of a pair that comes in both
            orders both count.

    Sources: Bradley and Terry 1952, "Rank analysis of incomplete block designs"; Hunter 2004, "MM algorithms for
    generalized Bradley-Terry models", for when there is a summit. That steps of a half climb: Bach 2010,
    "Self-concordant analysis for logistic regression".

    >>> [(one.player, round(one.elo)) for one in ratings({("a", "b"): (75, 100)})]
    [('a', 95), ('b', -95)]
    """
    players = list(dict.fromkeys(name for pair in points for name in pair))
    won, played = _summed(points, players)
    logs = _likeliest(won, played)
    errors, average = _errors(logs, played), sum(logs) / len(logs)
    found = [
        Rating(name, ELO * (logs[n] - average), ELO * errors[n], won[n] / sum(played[n]))
        for n, name in enumerate(players)
    ]
    return sorted(found, key=lambda one: (-one.elo, one.player))


def wilson(share: float, games: float) -> tuple[float, float]:
    """Where a share lies with a confidence of 95 per cent, after so many games of which it was seen.

    For shares of points it is too wide rather than too narrow: games of which some are drawn vary less.

    Source: Wilson 1927, "Probable inference, the law of succession, and statistical inference".

    >>> tuple(round(end, 4) for end in wilson(0.0, 50))
    (0.0, 0.0713)
    """
    square = CERTAIN**2
    middle = (share + square / (2 * games)) / (1 + square / games)
    half = CERTAIN * sqrt(share * (1 - share) / games + square / (4 * games**2)) / (1 + square / games)
    return min(share, max(0.0, middle - half)), max(share, min(1.0, middle + half))


def _summed(points: Points, players: Sequence[str]) -> tuple[list[float], list[list[float]]]:
    """Each player's points, and the games of each against each."""
    place = {name: n for n, name in enumerate(players)}
    won, played = [0.0] * len(players), [[0.0] * len(players) for _ in players]
    for (one, other), (score, games) in points.items():
        i, j = place[one], place[other]
        won[i] += score
        won[j] += games - score
        played[i][j] += games
        played[j][i] += games
    return won, played


def _likeliest(won: Sequence[float], played: Sequence[Sequence[float]]) -> list[float]:
    """The log γ of each player, 0 for average strength. Newton's steps, cut to a half, climb to the only summit."""
    logs = [0.0] * len(won)
    for _ in range(MOST_STEPS):
        surplus = [
            won[i] + PRIOR / 2 - PRIOR * _share(log) - sum(n * _share(log - logs[j]) for j, n in enumerate(played[i]))
            for i, log in enumerate(logs)
        ]
        spread = _inverse(_information(logs, played))
        steps = [sum(a * b for a, b in zip(row, surplus, strict=True)) for row in spread]
        shorter = min(1.0, LONGEST_STEP / max(CLOSE, *map(abs, steps)))
        logs = [log + shorter * step for log, step in zip(logs, steps, strict=True)]
        if max(map(abs, steps)) < CLOSE:
            break
    return logs


def _share(ahead: float) -> float:
    """The share of the points that so much more of log γ takes."""
    return 1 / (1 + exp(-ahead)) if ahead > 0 else exp(ahead) / (1 + exp(ahead))


def _information(logs: Sequence[float], played: Sequence[Sequence[float]]) -> list[list[float]]:
    """Fisher's information on all log γ: what each game tells, and the prior's."""

    def told(ahead: float, games: float) -> float:
        return games * _share(ahead) * _share(-ahead)

    between = [[told(log - other, n) for other, n in zip(logs, played[i], strict=True)] for i, log in enumerate(logs)]
    return [
        [told(log, PRIOR) + sum(between[i]) if i == j else -between[i][j] for j in range(len(logs))]
        for i, log in enumerate(logs)
    ]


def _errors(logs: Sequence[float], played: Sequence[Sequence[float]]) -> list[float]:
    """The standard error of each log γ less the average of all."""
    spread = _inverse(_information(logs, played))
    means = [sum(row) / len(row) for row in spread]
    overall = sum(means) / len(means)
    return [sqrt(max(0.0, spread[i][i] - 2 * means[i] + overall)) for i in range(len(logs))]


def _inverse(matrix: Sequence[Sequence[float]]) -> list[list[float]]:
    """The inverse of a positive definite matrix, by elimination: no pivot is ever 0."""
    size = len(matrix)
    rows = [[*row, *(float(i == j) for j in range(size))] for i, row in enumerate(matrix)]
    for i in range(size):
        rows[i] = [value / rows[i][i] for value in rows[i]]
        for j in range(size):
            if j != i and (times := rows[j][i]):
                rows[j] = [value - times * pivot for value, pivot in zip(rows[j], rows[i], strict=True)]
    return [row[size:] for row in rows]
