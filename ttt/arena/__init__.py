"""Games between players: one, many, all that there are, and tournaments."""

from ttt.arena.games import Match, Result, wilson

__all__ = ["Match", "Result", "wilson"]
