"""The engine of the tic-tac-toe lab: boards, heuristics, players, searches and exact results.

Boards to play on, checks and plots are in `lab`.

>>> from ttt import Board, PLAYERS, exact
>>> Board.from_text("X-O -X- --O").turn
'X'
>>> PLAYERS["random"].policy(Board.from_text("XOX XOO -X-"))
{6: 0.5, 8: 0.5}
"""

from importlib import import_module
from importlib.util import find_spec

from ttt import search, svg
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
)
from ttt.arena.tournament import tournament
from ttt.board import Board, opponent
from ttt.heuristics import open_for, open_lines
from ttt.players import PLAYERS, Player, beatable, greedy, searcher
from ttt.position import Position
from ttt.symmetry import automorphisms, canonical

__all__ = [
    "PLAYERS",
    "Board",
    "Game",
    "Match",
    "Player",
    "Position",
    "Result",
    "automorphisms",
    "beatable",
    "best_reply",
    "canonical",
    "exact",
    "greedy",
    "match",
    "open_for",
    "open_lines",
    "opponent",
    "play",
    "reachable",
    "search",
    "searcher",
    "shortest_loss",
    "strength_for",
    "sure_win",
    "svg",
    "tournament",
]


def __getattr__(name: str) -> object:
    """Say where a name is that the other package has."""
    if not name.startswith("_") and find_spec("lab") and name in import_module("lab").__all__:
        raise ImportError(f"{name} is in lab: from lab import {name}")
    raise AttributeError(f"module 'ttt' has no attribute {name!r}")
