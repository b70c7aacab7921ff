"""What people play on and work with in a notebook: boards, game trees, and the questions at the end of a lesson.

Each is a `panel`. `game` is a game on a `board_view`, with `hints`, and `own_game` any other; `tree` is what alpha-beta
walks through, with `practice`; `calls` is what a recursive function does.
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
