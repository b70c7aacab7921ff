"""The tic-tac-toe lab: boards, players and games, from random play to perfect play.

>>> from ttt import Board, PLAYERS, exact
>>> Board.from_text("X-O -X- --O").turn
'X'
>>> PLAYERS["random"].policy(Board.from_text("XOX XOO -X-"))
{6: 0.5, 8: 0.5}
"""

from __future__ import annotations

import importlib
from typing import Any

from ttt.arena import Game, Match, Result, exact, match, play
from ttt.board import Board, opponent
from ttt.heuristics import open_for, open_lines
from ttt.players import PLAYERS, Player, greedy
from ttt.symmetry import automorphisms, canonical

__all__ = [
    "PLAYERS",
    "Board",
    "BoardView",
    "Game",
    "GameBoard",
    "Match",
    "Player",
    "Result",
    "automorphisms",
    "canonical",
    "exact",
    "greedy",
    "match",
    "open_for",
    "open_lines",
    "opponent",
    "play",
    "plots",
    "svg",
]

_FACES = {"BoardView": "ttt.widgets", "GameBoard": "ttt.widgets", "plots": "ttt.plots", "svg": "ttt.svg"}


def __dir__() -> list[str]:
    return sorted(__all__)


def __getattr__(name: str) -> Any:
    """The faces, loaded when first used, so that `import ttt` stays quick."""
    if name not in _FACES:
        raise AttributeError(f"module 'ttt' has no attribute {name!r}")
    module = importlib.import_module(_FACES[name])
    return module if module.__name__ == f"ttt.{name}" else getattr(module, name)
