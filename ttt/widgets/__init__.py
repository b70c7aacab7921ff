"""The boards people play on in a notebook, and the tree that alpha-beta walks through.

`game` is a game on a board, and `cube` what 4×4×4 adds to it; `view` is the board itself. In the `explorer`, `trace`
records a search, `narrator` puts it into words, `tree` draws it, and `practice` asks about it; `filling` is a tree to
fill in. `driver` plays on a student's interface. What runs in the page is `board.js` and `explorer.js`, with what both
use in `common.js`.

`guess` asks for a guess before a result is seen, and `recap` asks a lesson's questions at its end.
"""

from ttt.widgets.cube import CubeGame
from ttt.widgets.driver import check_interface
from ttt.widgets.explorer import Explorer
from ttt.widgets.filling import fill_in
from ttt.widgets.game import GameBoard
from ttt.widgets.guess import guess, reveal
from ttt.widgets.recap import recap
from ttt.widgets.view import BoardView

__all__ = [
    "BoardView",
    "CubeGame",
    "Explorer",
    "GameBoard",
    "check_interface",
    "fill_in",
    "guess",
    "recap",
    "reveal",
]
