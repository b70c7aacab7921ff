"""The notebook's widgets: boards to play on, game trees, and the questions at the end of a lesson.

Each is a `panel`. `game` plays on a `board_view`, with `hints`; `own_game` plays any other game; `tree` shows
alpha-beta at work, with `practice`; `calls` shows what a recursive function does.
"""

from ttt.widgets.board_view import BoardView
from ttt.widgets.calls import call_tree
from ttt.widgets.filling import fill_in
from ttt.widgets.game import CubeGame, GameBoard
from ttt.widgets.guesses import guess, reveal
from ttt.widgets.recap import recap
from ttt.widgets.tree import Explorer

__all__ = [
    "BoardView",
    "CubeGame",
    "Explorer",
    "GameBoard",
    "call_tree",
    "fill_in",
    "guess",
    "recap",
    "reveal",
]
