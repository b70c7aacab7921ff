"""The boards people play on in a notebook, and the tree that alpha-beta walks through."""

from ttt.widgets.cube import CubeGame
from ttt.widgets.explorer import Explorer
from ttt.widgets.game import GameBoard
from ttt.widgets.view import BoardView

__all__ = ["BoardView", "CubeGame", "Explorer", "GameBoard"]
