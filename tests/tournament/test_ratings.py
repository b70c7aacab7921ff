"""Ratings: against the closed form for two, against a blind search for the summit, and how sure they are."""

from itertools import product
from math import exp, log, log10, sqrt

import pytest

from ttt.tournament.ratings import PRIOR, ratings, wilson

THREE = {("a", "b"): (14.5, 20.0), ("b", "c"): (11.0, 20.0), ("c", "a"): (7.0, 20.0)}


def elos(points):
    return {one.player: one.elo for one in ratings(points)}


def test_two_players_have_the_rating_of_the_closed_form():
    """Mirror images: γ and 1/γ, so that the derivative is 0 where won + ½ = n·γ/(γ + 1/γ) + γ/(γ + 1)."""
    for won, games in ((75, 100), (100, 100), (1, 3), (50, 100)):
        found = elos({("a", "b"): (won, games)})
        gamma = 10 ** (found["a"] / 400)
        assert found["b"] == pytest.approx(-found["a"], abs=1e-6)
        assert won + PRIOR / 2 == pytest.approx(games * gamma**2 / (gamma**2 + 1) + PRIOR * gamma / (gamma + 1))
    many = elos({("a", "b"): (750_000, 1_000_000)})
    assert many["a"] - many["b"] == pytest.approx(400 * log10(3), abs=0.01)


def likelihood(logs, points):
    """The logarithm of the likelihood, the prior's drawn game with it."""

    def share(ahead):
        return 1 / (1 + exp(-ahead))

    total = sum(PRIOR / 2 * (log(share(one)) + log(share(-one))) for one in logs.values())
    for (one, other), (won, games) in points.items():
        ahead = logs[one] - logs[other]
        total += won * log(share(ahead)) + (games - won) * log(share(-ahead))
    return total


def climbed(points, names):
    """The summit, by trying ever smaller steps in all directions."""
    logs, step = dict.fromkeys(names, 0.0), 1.0
    while step > 1e-7:
        around = [
            {name: logs[name] + step * way for name, way in zip(names, ways, strict=True)}
            for ways in product((-1, 0, 1), repeat=len(names))
        ]
        best = max(around, key=lambda one: likelihood(one, points))
        if likelihood(best, points) > likelihood(logs, points):
            logs = best
        else:
            step /= 2
    return logs


@pytest.mark.parametrize("points", [THREE, THREE | {("a", "b"): (20.0, 20.0), ("c", "a"): (0.0, 20.0)}])
def test_three_players_have_the_ratings_that_a_blind_search_finds(points):
    logs = climbed(points, "abc")
    mean = sum(logs.values()) / 3
    for name, elo in elos(points).items():
        assert elo == pytest.approx(400 / log(10) * (logs[name] - mean), abs=0.01)


def test_the_error_is_that_of_the_log_odds_for_two():
    """Without the prior the variance of log γ₁ − log γ₂ is 1 / (n·p·q), and each lies half of that from the middle."""
    first = ratings({("a", "b"): (750_000, 1_000_000)})[0]
    assert first.error == pytest.approx(400 / log(10) / 2 / sqrt(1_000_000 * 0.75 * 0.25), rel=1e-4)
    low, high = first.interval
    assert high - low == pytest.approx(2 * 1.96 * first.error, rel=1e-3)


def test_more_games_make_ratings_more_certain_and_all_won_or_lost_is_still_finite():
    few, many = (ratings({("a", "b"): (n, n), ("b", "c"): (n, n), ("a", "c"): (n, n)}) for n in (10, 1000))
    assert [one.player for one in few] == ["a", "b", "c"] and few[0].share == 1 and few[2].share == 0
    assert 400 < few[0].elo < many[0].elo < 5000
    even_few, even_many = (ratings({("a", "b"): (n / 2, n)})[0].error for n in (10, 1000))
    assert even_many < even_few / 5


def test_ratings_do_not_depend_on_the_order_and_their_mean_is_0():
    turned = {(other, one): (games - won, games) for (one, other), (won, games) in reversed(THREE.items())}
    assert elos(turned) == pytest.approx(elos(THREE))
    assert sum(elos(THREE).values()) == pytest.approx(0)


@pytest.mark.parametrize(
    "share, games, low, high",  # Newcombe 1998, "Two-sided confidence intervals for the single proportion", table I
    [
        (81 / 263, 263, 0.2553, 0.3662),
        (15 / 148, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1 / 29, 29, 0.0061, 0.1718),
    ],
)
def test_wilsons_interval_is_the_published_one(share, games, low, high):
    assert wilson(share, games) == pytest.approx((low, high), abs=5e-5)
