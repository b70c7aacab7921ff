"""The notebook's widgets: boards to play on, game trees, and the questions at the end of a lesson.

Each is a `panel`. What is special about a `game` on boards is in `board_game`, with `hints`, and what is special about
games of your own in `own_game`. `tree` shows alpha-beta at work, with `practice`.
"""

from lab.boards.fill_in import fill_in
from lab.boards.game import CubeGame, GameBoard
from lab.boards.guesses import guess, reveal
from lab.boards.recap import recap
from lab.boards.tree import Explorer

__all__ = ["CubeGame", "Explorer", "GameBoard", "fill_in", "guess", "recap", "reveal"]
