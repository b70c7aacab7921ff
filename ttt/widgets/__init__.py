"""What people play on and work with in a notebook: boards, game trees, and the questions at the end of a lesson.

Every widget is a `panel`: Python says as HTML what is to be seen, and one small script keeps the page like it. `game`
is a game on a `board_view`, with `thinking` and `hints`; `tree` is what alpha-beta walks through, with `practice`, and
`filling` is a tree to fill in; `guesses` are made before a result, and `recap` asks a lesson's questions; `driver`
plays on a student's interface.
"""

from ttt.widgets.board_view import BoardView
from ttt.widgets.driver import check_interface
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
    "check_interface",
    "fill_in",
    "guess",
    "recap",
    "reveal",
]
