"""Games between players: one, many, all that there are, and tournaments."""

from ttt.arena.games import (
    Game,
    Match,
    Result,
    best_reply,
    exact,
    match,
    play,
    reachable,
    shortest_loss,
    strength_for,
    sure_win,
    wilson,
)
from ttt.arena.round_robin import tournament

__all__ = [
    "Game",
    "Match",
    "Result",
    "best_reply",
    "exact",
    "match",
    "play",
    "reachable",
    "shortest_loss",
    "strength_for",
    "sure_win",
    "tournament",
    "wilson",
]
