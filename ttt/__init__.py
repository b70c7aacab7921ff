"""The tic-tac-toe lab: boards, players and games, from random play to perfect play.

>>> from ttt import Board, PLAYERS, exact
>>> Board.from_text("X-O -X- --O").turn
'X'
>>> PLAYERS["random"].policy(Board.from_text("XOX XOO -X-"))
{6: 0.5, 8: 0.5}
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ttt import plots, qubic, search, svg
    from ttt.arena import Game, Match, Result, exact, match, play, shortest_loss, strength_for
    from ttt.board import Board, opponent
    from ttt.heuristics import open_for, open_lines
    from ttt.players import PLAYERS, Player, beatable, greedy
    from ttt.symmetry import automorphisms, canonical
    from ttt.widgets import BoardView, CubeGame, Explorer, GameBoard

__all__ = [
    "PLAYERS",
    "Board",
    "BoardView",
    "CubeGame",
    "Explorer",
    "Game",
    "GameBoard",
    "Match",
    "Player",
    "Result",
    "automorphisms",
    "beatable",
    "canonical",
    "exact",
    "greedy",
    "match",
    "open_for",
    "open_lines",
    "opponent",
    "play",
    "plots",
    "qubic",
    "search",
    "shortest_loss",
    "strength_for",
    "svg",
]

_ROOMS = {
    "arena": ("Game", "Match", "Result", "exact", "match", "play", "shortest_loss", "strength_for"),
    "board": ("Board", "opponent"),
    "heuristics": ("open_for", "open_lines"),
    "players": ("PLAYERS", "Player", "beatable", "greedy"),
    "symmetry": ("automorphisms", "canonical"),
    "widgets": ("BoardView", "CubeGame", "Explorer", "GameBoard"),
    "plots": (),
    "qubic": (),
    "search": (),
    "svg": (),
}


def __dir__() -> list[str]:
    return sorted(__all__)


def __getattr__(name: str) -> Any:
    """Every name is loaded when it is first used, so that `import ttt` is quick and nothing heavy comes unasked."""
    for room, names in _ROOMS.items():
        if name == room or name in names:
            module = importlib.import_module(f"ttt.{room}")
            globals()[name] = module if name == room else getattr(module, name)
            return globals()[name]
    raise AttributeError(f"module 'ttt' has no attribute {name!r}")
