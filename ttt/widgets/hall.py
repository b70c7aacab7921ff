"""The boards as an app without code, large enough for a hall: what `ttt app` serves by way of Voilà."""

from __future__ import annotations

from pathlib import Path

import anywidget
import ipywidgets

from ttt.widgets.cube import CubeGame
from ttt.widgets.explorer import Explorer
from ttt.widgets.game import GameBoard

_HERE = Path(__file__).parent


class Top(anywidget.AnyWidget):
    """The app's title, and the choice between a light page and a dark one."""

    _esm = _HERE / "hall.js"
    _css = _HERE / "hall.css"


class Hall(ipywidgets.VBox):  # type: ignore[misc]
    """The app: its title, and three boards, one behind the other."""

    def __init__(self) -> None:
        flat = GameBoard().add_class("ttt-hall-flat")
        self.boards = {"3×3": flat, "4×4×4": CubeGame(), "Alpha-beta": Explorer()}
        tabs = ipywidgets.Tab(list(self.boards.values()), titles=list(self.boards), selected_index=0)
        super().__init__([Top(), tabs.add_class("ttt-hall")])

    def __repr__(self) -> str:
        return "\n\n".join(f"{title}:\n{board!r}" for title, board in self.boards.items())
