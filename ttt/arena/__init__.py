"""Games between players: single games, matches, exact results over all games, and tournaments."""

from ttt.arena.games import Match, Result, wilson

__all__ = ["Match", "Result", "wilson"]
