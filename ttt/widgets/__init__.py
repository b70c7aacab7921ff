"""The boards people play on in a notebook."""

from ttt.widgets.game import GameBoard
from ttt.widgets.view import BoardView

__all__ = ["BoardView", "GameBoard"]
