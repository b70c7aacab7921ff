"""The players, by name: `PLAYERS["random"]`, `PLAYERS["flash-clever"]` and so on."""

from collections.abc import Callable
from typing import Any

from ttt.heuristics import open_lines
from ttt.players import cube, flash, line_counts, perfect, rules
from ttt.players.perfect import beatable
from ttt.players.player import Player, PlayerError, Policy, best_moves, evenly, greedy, searcher
from ttt.words import unknown_name

__all__ = [
    "PLAYERS",
    "Player",
    "PlayerError",
    "Policy",
    "as_player",
    "beatable",
    "best_moves",
    "evenly",
    "greedy",
    "searcher",
]

AnyPlayer = Player | str | Callable[[Any], Any]


class _Registry(dict[str, Player]):
    def __missing__(self, name: str) -> Player:
        raise PlayerError(unknown_name("player", name, self))


_FLASH = (flash.RANDOM, flash.CLEVER, flash.FIXED, greedy(open_lines))
_FLAT = (line_counts.LINE_COUNTS, rules.CODED, rules.DOCUMENTED, perfect.NEGAMAX, perfect.PERFECT, perfect.BEATABLE)
_CUBE = (cube.REPORT, cube.EASY, cube.MEDIUM, cube.HARD, cube.CERTAIN)

PLAYERS: dict[str, Player] = _Registry((player.name, player) for player in _FLASH + _FLAT + _CUBE)


def as_player(player: AnyPlayer) -> Player:
    """Convert a player, a registered name or a plain function (board → cell) to a `Player`.

    Raises `PlayerError` for an unknown name and for anything else, such as a heuristic.

    >>> from ttt import Board
    >>> def first_free(board):
    ...     return board.moves[0]
    >>> as_player(first_free).policy(Board())
    {0: 1.0}
    """
    if isinstance(player, Player):
        return player
    if isinstance(player, str):
        return PLAYERS[player]
    return Player(getattr(player, "__name__", type(player).__name__), player)
