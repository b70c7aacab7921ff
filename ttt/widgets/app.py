"""The boards as an app without code, large enough for a projector: what `ttt app` serves through Voilà."""

from __future__ import annotations

from pathlib import Path

import anywidget
import ipywidgets

from ttt.widgets.cube import CubeGame
from ttt.widgets.explorer import Explorer
from ttt.widgets.game import GameBoard

_HERE = Path(__file__).parent


class Header(anywidget.AnyWidget):
    """The app's title, and the choice between a light page and a dark one."""

    _esm = _HERE / "app.js"
    _css = _HERE / "app.css"


class App(ipywidgets.VBox):  # type: ignore[misc]
    """The app: its title, and three boards on tabs."""

    def __init__(self) -> None:
        flat = GameBoard().add_class("ttt-app-flat")
        self.boards = {"3×3": flat, "4×4×4": CubeGame(), "Alpha-beta": Explorer()}
        tabs = ipywidgets.Tab(list(self.boards.values()), titles=list(self.boards), selected_index=0)
        super().__init__([Header(), tabs.add_class("ttt-app")])

    def __repr__(self) -> str:
        return "\n\n".join(f"{title}:\n{board!r}" for title, board in self.boards.items())
