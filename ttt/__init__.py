"""The tic-tac-toe lab: boards, players and games, from random play to perfect play.

>>> from ttt import Board, PLAYERS, exact
>>> Board.from_text("X-O -X- --O").turn
'X'
>>> PLAYERS["random"].policy(Board.from_text("XOX XOO -X-"))
{6: 0.5, 8: 0.5}
"""

import importlib
import sys
from typing import Any

_EXPORTS = {  # the names of each module
    "arena.games": "Game Match Result best_reply exact match play reachable shortest_loss strength_for sure_win",
    "arena.round_robin": "tournament",
    "board": "Board opponent",
    "checks.notebook": "check expect hand_in hint ladder",
    "heuristics": "open_for open_lines",
    "players": "PLAYERS Player beatable greedy",
    "plots": "plots",  # the module itself, as also below
    "search": "search",
    "symmetry": "automorphisms canonical",
    "drawing.svg": "svg",
    "widgets": "BoardView CubeGame Explorer GameBoard call_tree fill_in guess recap reveal",
}
_MODULE = {name: module for module, names in _EXPORTS.items() for name in names.split()}

__all__ = sorted(_MODULE)


def __dir__() -> list[str]:
    return __all__


def __getattr__(name: str) -> Any:
    """Load a name when it is first used, so that `import ttt` is quick and loads nothing heavy."""
    if name not in _MODULE:
        raise AttributeError(f"module 'ttt' has no attribute {name!r}")
    module = importlib.import_module(f"ttt.{_MODULE[name]}")
    itself = _MODULE[name].endswith(name)
    globals()[name] = module if itself else getattr(module, name)
    return globals()[name]


if "IPython" in sys.modules:
    from ttt.runtime import errors

    errors.install()
