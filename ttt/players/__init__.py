"""The players, by name: `PLAYERS["random"]`, `PLAYERS["flash-clever"]` and so on."""

from collections.abc import Callable
from typing import Any

from ttt.heuristics import open_lines
from ttt.players import cube, flash, line_counts, negamax, perfect, rules
from ttt.players.perfect import beatable
from ttt.players.player import Player, PlayerError, Policy, best_moves, evenly, greedy

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
]

AnyPlayer = Player | str | Callable[[Any], Any]


class _Registry(dict[str, Player]):
    def __missing__(self, name: str) -> Player:
        from difflib import get_close_matches  # loaded only for a mistake

        close = get_close_matches(str(name), self, n=1)
        suggestion = f" Did you mean {close[0]!r}?" if close else ""
        raise PlayerError(f"There is no player {name!r}.{suggestion} The players are {', '.join(self)}.")


_FLASH = (flash.RANDOM, flash.CLEVER, flash.MENDED, greedy(open_lines))
_FLAT = (line_counts.LINE_COUNTS, rules.CODED, rules.DOCUMENTED, negamax.NEGAMAX, perfect.PERFECT, perfect.BEATABLE)
_CUBE = (cube.REPORT, cube.EASY, cube.MEDIUM, cube.HARD, cube.CERTAIN)

PLAYERS: dict[str, Player] = _Registry((player.name, player) for player in _FLASH + _FLAT + _CUBE)


def as_player(player: AnyPlayer) -> Player:
    """The player given as a player, a registered name, or a plain function from a board to a cell.

    Raises `PlayerError` for a name that is not registered, and for anything else, such as a heuristic.

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
