"""The controls round a board on screen: menus, buttons, and those that step through a game."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ipywidgets

PACE = 1000  # milliseconds per move in a replay


class Replay(ipywidgets.VBox):  # type: ignore[misc]
    """The controls of a replay, hidden until it is opened.

    Args:
        show: called with the number of moves to show, when it is changed by hand or by the clock.
        step: called with the number of moves to go forward, or back if it is negative.
        close: called when a person closes the replay.

    `at` is the number of moves that are shown, None while the replay is closed.
    """

    def __init__(
        self, show: Callable[[int], object], step: Callable[[int], object], close: Callable[[], object]
    ) -> None:
        self.at: int | None = None
        self._show = show
        narrow, close_by = ipywidgets.Layout(width="110px"), {"description_width": "initial"}
        # not a slider, whose handle has no accessible name
        self._number = ipywidgets.BoundedIntText(description="Move", max=0, layout=narrow, style=close_by)
        self._number.observe(lambda change: self.at in (None, change.new) or show(change.new), "value")
        # not shown, since its own buttons have no names
        self._clock = ipywidgets.Play(interval=PACE, max=0, layout=ipywidgets.Layout(display="none"))
        ipywidgets.jslink((self._clock, "value"), (self._number, "value"))
        pause = button("Play", self._play_or_pause)
        self._clock.observe(lambda change: pause.set_trait("description", "Pause" if change.new else "Play"), "playing")
        back, forward = button("◀ Back", lambda: step(-1)), button("Forward ▶", lambda: step(1))
        buttons = row(back, pause, forward, button("Close replay", close), self._clock)
        super().__init__([buttons, self._number], layout=ipywidgets.Layout(display="none"))

    def at_move(self, at: int, moves: int) -> None:
        """Show the controls, with so many moves shown out of so many."""
        self._number.max = self._clock.max = moves
        self.at = self._number.value = at
        self.layout.display = ""

    def leave(self) -> None:
        self.pause()
        self.at = None
        self.layout.display = "none"

    def play(self) -> None:
        """Show one move a second from now on."""
        self._clock.playing = True

    def pause(self) -> None:
        self._clock.playing = False

    def _play_or_pause(self) -> None:
        if self.at == self._number.max:
            self._show(0)
        self._clock.playing = not self._clock.playing


def button(label: str, action: Callable[[], object]) -> ipywidgets.Button:
    made = ipywidgets.Button(description=label, layout=ipywidgets.Layout(width="auto"))
    made.on_click(lambda _button: action())
    return made


def row(*widgets: ipywidgets.Widget) -> ipywidgets.HBox:
    """Widgets side by side, wrapped on a narrow page."""
    layout = ipywidgets.Layout(flex_flow="row wrap", align_items="center", grid_gap="4px 16px", overflow="visible")
    return ipywidgets.HBox(widgets, layout=layout)


def dropdown(label: str, options: list[Any], value: Any) -> ipywidgets.Dropdown:
    layout, style = ipywidgets.Layout(width="auto"), {"description_width": "initial"}
    return ipywidgets.Dropdown(description=label, options=options, value=value, layout=layout, style=style)


def checkbox(label: str) -> ipywidgets.Checkbox:
    return ipywidgets.Checkbox(description=label, indent=False, layout=ipywidgets.Layout(width="auto"))
