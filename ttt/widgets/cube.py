"""The game on 4×4×4 on screen: its opponents, and the looks of a board with layers."""

from __future__ import annotations

from random import Random

import ipywidgets
import traitlets

from ttt.board import Board, Mark, require_board
from ttt.players import PLAYERS, AnyPlayer, Player
from ttt.players.player import WrongBoard
from ttt.widgets.controls import checkbox, row
from ttt.widgets.game import GameBoard
from ttt.widgets.view import LOOKS

START = Board(shape=(4, 4, 4))
SIMPLE = ("random", "flash-clever")  # players for 3×3 that can play on the cube too


class CubeGame(GameBoard):
    """A game of 4×4×4 between a person and a player, on a board in the notebook.

    Args:
        opponent: a player, a registered name, or your own function from a board to a cell.
        person: your mark; X begins.
        start: the 4×4×4 board to start from.
        look: how the layers are arranged: "slanted", "turned" or "side".
        seconds: how long a player of your own may think about a move, or None.
        rng: the random generator for the opponent.

    All else is as on `GameBoard`. Raises `WrongBoard` if `start` has another shape.

    >>> game = CubeGame("flash-clever")
    >>> game.play(0)
    >>> game.message
    'O plays layer 1, row 1, column 4. Your move.'
    """

    def __init__(
        self,
        opponent: AnyPlayer = "cube-medium",
        *,
        person: Mark = "X",
        start: Board = START,
        look: str = "slanted",
        seconds: float | None = 10,
        rng: Random | None = None,
    ) -> None:
        require_board(start, "CubeGame")
        if not PLAYERS["cube-hard"].plays_on(start):
            shape = "×".join(map(str, start.shape))
            raise WrongBoard(
                f"CubeGame needs a 4×4×4 board with 4 in a row, not {shape} with {start.k}. GameBoard takes any board."
            )
        super().__init__(opponent, person=person, start=start, seconds=seconds, rng=rng)
        self.view.look = look

    def _players(self) -> list[Player]:
        cube = [player for name, player in PLAYERS.items() if name.startswith("cube-")]
        return [*(PLAYERS[name] for name in SIMPLE), *cube]

    def _arranged(self) -> list[ipywidgets.Widget]:
        """The board, with its controls beside it, or below it on a narrow page."""
        style = {"button_width": "auto", "description_width": "initial"}
        looks = [(label, look) for look, label in LOOKS.items()]
        look = ipywidgets.ToggleButtons(description="View", options=looks, value="side", style=style)
        traitlets.link((look, "value"), (self.view, "look"))
        threats = checkbox("Show threats")
        ipywidgets.jslink((threats, "value"), (self.view, "threats"))
        controls = [
            row(*self._buttons),
            self._replay,
            self._score,
            self._about,
            row(self._opponents, self._side),
            look.add_class("ttt-looks"),
            row(threats, self._numbers),
        ]
        panel = ipywidgets.VBox(controls, layout=ipywidgets.Layout(flex="1 1 220px", margin="52px 0 0", grid_gap="8px"))
        self.view.layout = ipywidgets.Layout(flex="1 1 340px", max_width="480px", min_width="0")
        board = row(self.view, panel)
        board.layout.align_items = "flex-start"
        return [board]
