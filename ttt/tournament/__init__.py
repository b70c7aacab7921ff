"""Tournaments: everybody against everybody, from both sides; who beats whom, and how strong each is on one scale.

>>> from ttt.tournament import tournament
>>> found = tournament(["random", "flash-clever", "perfect"])
>>> [one.player for one in found.ratings]
['perfect', 'flash-clever', 'random']

Source: the article on seeking by line counts, which ends in a challenge: send in your own player.
"""

from ttt.tournament.games import LATE, TOO_LATE, BadTournament, RemotePlayer
from ttt.tournament.ratings import Rating, wilson
from ttt.tournament.record import Loss, Pairing, Tournament
from ttt.tournament.schedule import tournament

__all__ = [
    "LATE",
    "TOO_LATE",
    "BadTournament",
    "Loss",
    "Pairing",
    "Rating",
    "RemotePlayer",
    "Tournament",
    "tournament",
    "wilson",
]
