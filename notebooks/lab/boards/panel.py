"""The base of every widget here: Python sends HTML to show, and the page reports what the user did.

`panel.js` updates the page to match the HTML and leaves unchanged parts alone, so the focus stays put. An element
with `data-do="undo"` reports a press, a changed value or a form's fields to `when_undo(value)`.

A panel saves a drawing of itself in the notebook for hosts that can't run it, such as GitHub.
"""

from __future__ import annotations

import re
from html import escape
from pathlib import Path
from typing import Any

import anywidget
import traitlets

from lab.drawing.cards import CSS
from lab.timeouts import explained
from ttt.svg import DARK_INK, Picture

STUDENT_ERRORS = (Exception, KeyboardInterrupt, SystemExit)  # what a student's code may raise
_HERE = Path(__file__).parent
_DARK = f'body[data-jp-theme-light="false"] .ttt{{--ttt-x:{DARK_INK["X"]};--ttt-o:{DARK_INK["O"]};}}'


def shorter(code: str) -> str:
    """A script or style sheet without comments and indentation, as each widget in a saved notebook carries it.

    >>> shorter("/* All of it. */\\n.ttt {\\n  padding: 0; // none\\n}\\n")
    '.ttt {\\npadding: 0;\\n}'
    """
    code = re.sub(r"/\*.*?\*/|(?:^|\s)//\s.*?$", "", code, flags=re.DOTALL | re.MULTILINE)
    return "\n".join(filter(None, map(str.strip, code.splitlines())))


class Panel(anywidget.AnyWidget):
    """An HTML widget with a message above it; screen readers announce changes of the message.

    Frequent changes take a shortcut, so that the rest needn't be sent again: `parts` maps the name of an element, its
    `data-part`, to the attributes to set on it, with its text under "text".
    """

    _esm = shorter((_HERE / "panel.js").read_text("utf-8"))
    _css = re.sub(r"\s*([{};])\s*", r"\1", shorter(f"{_DARK}\n{CSS}\n{(_HERE / 'panel.css').read_text('utf-8')}"))

    html = traitlets.Unicode().tag(sync=True)  # the HTML to show
    parts: traitlets.Dict[str, dict[str, str]] = traitlets.Dict().tag(sync=True)
    heard = traitlets.Int(0).tag(sync=True)  # how many reports Python has received; the page waits for them
    said: traitlets.Dict[str, Any] = traitlets.Dict({"text": "", "tone": "", "count": 0}).tag(sync=True)
    room = traitlets.Unicode().tag(sync=True)  # the longest message to expect; reserves its lines
    _complete = False

    def __init__(self) -> None:
        super().__init__()
        self.on_msg(self._hear)

    def open(self) -> None:
        """Tell the page of this widget, but not before it is complete: a busy page may miss what is sent after that."""
        if self._complete:
            super().open()

    @property
    def model_id(self) -> str:
        """The widget's name on the page, which is told of the widget when somebody asks for its name to show it."""
        self._complete = True
        self.open()
        return str(self.comm.comm_id)

    @property
    def message(self) -> str:
        return str(self.said["text"])

    @property
    def tone(self) -> str:
        """The message's tone: "", "end", "error", "guess", "hint", or "thinking", which is shown after a moment."""
        return str(self.said["tone"])

    def say(self, text: str, tone: str = "") -> None:
        """Write a message above the panel. Screen readers announce it, even if it repeats."""
        self.said = {"text": text, "tone": tone, "count": self.said["count"] + 1}

    def do(self, action: str, value: Any = None) -> None:
        """Handle a press or change on the page. Errors, which would otherwise go unnoticed, become the message."""
        try:
            getattr(self, f"when_{action}")(*[] if value is None else [value])
        except STUDENT_ERRORS as error:
            self.show_error(error)

    def show_error(self, error: BaseException) -> None:
        """Say what went wrong."""
        self.say(explained(error, type(self).__name__), "error")

    def _hear(self, _widget: object, content: dict[str, Any], _buffers: object) -> None:
        with self.hold_sync():  # answer the press with everything it changed, at once
            self.heard += 1
            self.do(str(content.get("do")), content.get("value"))

    def snapshot(self) -> Picture | None:
        """Draw the panel in its current state; None if there is nothing to draw."""
        return None

    def _repr_mimebundle_(self, **arguments: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        shown: Any = super()._repr_mimebundle_(**arguments)
        data, metadata = shown
        if picture := self.snapshot():
            data["image/svg+xml"] = str(picture)
        return data, metadata


_ZOOM = (
    f'<button type="button" data-turn="{way}" data-key="{way}" aria-label="{way.capitalize()}">{sign}</button>'
    for way, sign in (("smaller", "−"), ("larger", "+"))
)
ZOOM = f'<span class="zoom" data-key="zoom">Size {"".join(_ZOOM)}</span>'


def attributes(**given: object) -> str:
    """An element's attributes as text; False and None are left out, and `_` becomes `-`.

    >>> attributes(data_do="play", disabled=False, title='a "b"')
    ' data-do="play" title="a &quot;b&quot;"'
    """
    parts = ""
    for name, value in given.items():
        if value is not None and value is not False:
            text = "" if value is True else f'="{escape(str(value))}"'
            parts += f" {name.rstrip('_').replace('_', '-')}{text}"
    return parts


def button(label: str, action: str, **given: object) -> str:
    return f"<button{attributes(type='button', data_do=action, **given)}>{escape(label)}</button>"


def checkbox(label: str, action: str, checked: bool) -> str:
    box = attributes(type="checkbox", data_do=action, checked=checked)
    return f"<label><input{box}> {escape(label)}</label>"


def menu(label: str, action: str, options: dict[str, str], chosen: str) -> str:
    """A drop-down menu of values with labels."""
    items = ""
    for value, words in options.items():
        items += f"<option{attributes(value=value, selected=value == chosen)}>{escape(words)}</option>"
    return f"<label>{escape(label)} <select{attributes(data_do=action)}>{items}</select></label>"


def stepper(last: int) -> str:
    """A slider of steps with buttons to step back, step forward and play; the page itself moves it."""
    at = attributes(type="range", data_do="step", data_part="step", min=0, max=last, value=0, aria_label="Step")
    return (
        '<div class="steps"><button type="button" data-turn="-1" aria-label="Step back">◀</button>'
        '<button type="button" data-turn="1" aria-label="Step forward">▶</button>'
        f'<button type="button" data-turn="play" aria-pressed="false">Play</button><input{at}></div>'
    )
