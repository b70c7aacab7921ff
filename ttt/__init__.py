"""The tic-tac-toe lab: boards, players and games, from random play to perfect play.

>>> from ttt import Board, PLAYERS, exact
>>> Board.from_text("X-O -X- --O").turn
'X'
>>> PLAYERS["random"].policy(Board.from_text("XOX XOO -X-"))
{6: 0.5, 8: 0.5}
"""

import importlib
import sys
from typing import TYPE_CHECKING, Any

_EXPORTS = {  # the public names of each module
    "arena.games": "Game Match Result best_reply exact match play reachable shortest_loss strength_for sure_win",
    "arena.tournament": "tournament",
    "board": "Board opponent",
    "checks.game": "check_game",
    "checks.notebook": "check expect hand_in hint ladder",
    "heuristics": "open_for open_lines",
    "players": "PLAYERS Player beatable greedy searcher",
    "position": "Position",
    "symmetry": "automorphisms canonical",
    "widgets": "BoardView CubeGame Explorer GameBoard call_tree fill_in guess recap reveal",
}
_MODULE = {name: module for module, names in _EXPORTS.items() for name in names.split()}
_MODULES = {"plots": "plots", "search": "search", "svg": "drawing.svg"}  # exported as modules

__all__ = ["PLAYERS", "Board", "BoardView", "CubeGame", "Explorer", "Game", "GameBoard", "Match", "Player", "Position"]
__all__ += ["Result", "automorphisms", "beatable", "best_reply", "call_tree", "canonical", "check", "check_game"]
__all__ += ["exact", "expect", "fill_in", "greedy", "guess", "hand_in", "hint", "ladder", "match", "open_for"]
__all__ += ["open_lines", "opponent", "play", "plots", "reachable", "recap", "reveal", "search", "searcher"]
__all__ += ["shortest_loss", "strength_for", "sure_win", "svg", "tournament"]

if TYPE_CHECKING:  # repeated for type checkers, which get the types from here
    from ttt import plots, search
    from ttt.arena.games import Game, Match, Result, best_reply, exact, match, play, reachable, shortest_loss
    from ttt.arena.games import strength_for, sure_win  # isort: skip
    from ttt.arena.tournament import tournament
    from ttt.board import Board, opponent
    from ttt.checks.game import check_game
    from ttt.checks.notebook import check, expect, hand_in, hint, ladder
    from ttt.drawing import svg
    from ttt.heuristics import open_for, open_lines
    from ttt.players import PLAYERS, Player, beatable, greedy, searcher
    from ttt.position import Position
    from ttt.symmetry import automorphisms, canonical
    from ttt.widgets import BoardView, CubeGame, Explorer, GameBoard, call_tree, fill_in, guess, reveal
    from ttt.widgets.recap import recap
else:  # hidden from type checkers, which would assume that every name exists

    def __getattr__(name: str) -> Any:
        """Load a name on first use, so that `import ttt` is fast and loads nothing heavy."""
        if name not in __all__:
            raise AttributeError(f"module 'ttt' has no attribute {name!r}")
        module = importlib.import_module(f"ttt.{_MODULES.get(name) or _MODULE[name]}")
        globals()[name] = module if name in _MODULES else getattr(module, name)
        return globals()[name]


def __dir__() -> list[str]:
    return __all__


if "IPython" in sys.modules:
    from ttt.runtime import errors

    errors.install()
