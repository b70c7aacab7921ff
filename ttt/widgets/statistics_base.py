"""What all widgets here share: a snapshot for readers without a kernel, a message, and their scripts and styles."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anywidget
import traitlets

from ttt.limits import explained
from ttt.svg import DARK_INK, INK, Picture

_HERE = Path(__file__).parent


class Snapshot:
    """A widget that leaves a drawing of itself in the notebook, as it is when it is displayed.

    Hosts that can't run a widget, such as GitHub, show the drawing; JupyterLab, Notebook and VS Code prefer the widget,
    which JupyterLab and Notebook save as it is when the notebook is saved (`ttt/jupyter/`).
    `keep_snapshot = False` switches the drawing off, on one widget or on `Snapshot`, for front ends that would show it
    in the widget's place.
    """

    keep_snapshot = True

    def snapshot(self) -> Picture:
        """Draw the widget as it is now."""
        raise NotImplementedError

    def _repr_mimebundle_(self, **arguments: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        shown = super()._repr_mimebundle_(**arguments)  # type: ignore[misc]
        data, metadata = shown if isinstance(shown, tuple) else (shown, {})
        data = data | {"text/plain": repr(self)}
        if self.keep_snapshot:
            data["image/svg+xml"] = str(self.snapshot())
        return data, metadata


class Announcer(Snapshot, anywidget.AnyWidget):
    """A widget with a message above it."""

    status: traitlets.Dict[str, Any] = traitlets.Dict({"text": "", "tone": "", "count": 0}).tag(sync=True)

    def say(self, text: str, tone: str = "") -> None:
        """Write a message above the widget. Screen readers announce it, even if it is repeated.

        Args:
            tone: "end" for the end of a game, "error" for a problem.
        """
        self.status = {"text": text, "tone": tone, "count": self.status["count"] + 1}

    def on_request(self, name: str, action: Callable[[Any], object], who: str) -> None:
        """Call a function with what the page sends under this name, and report its errors, which would go unnoticed.

        Args:
            who: what an error is blamed on.
        """

        def receive(_widget: object, content: dict[str, Any], _buffers: object) -> None:
            try:
                if name in content:
                    action(content[name])
            except Exception as error:
                self.say(explained(error, who), "error")

        self.on_msg(receive)


def script(*names: str) -> str:
    """The JavaScript module of a widget, with the functions that all of them use and the shapes of the marks."""
    return "\n".join([f"const SHAPES = {json.dumps({})};", *map(read, ("statistics_common.js", *names))])


def style(*names: str) -> str:
    """The style sheets of a widget, with the theme that all of them use and the colours of the marks."""
    inks = {"x-light": INK["X"], "o-light": INK["O"], "x-dark": DARK_INK["X"], "o-dark": DARK_INK["O"]}
    colours = "".join(f"--{ink}: {colour};" for ink, colour in inks.items())
    return "\n".join([f".ttt-themed {{ {colours} }}", *map(read, ("statistics_theme.css", *names))])


def read(name: str) -> str:
    """A script or a style sheet of this folder."""
    return (_HERE / name).read_text("utf-8")
