"""Plays on a student's interface in place of a person, for its check and for the grading."""

from __future__ import annotations

import contextlib
import io
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import ipywidgets
from IPython.core.getipython import get_ipython
from ipywidgets.embed import dependency_state

from ttt.exercises.checking import Check, short
from ttt.exercises.interface import InterfaceError, Trial, called
from ttt.limits import explained, timeout
from ttt.widgets.board_view import BoardView

SECONDS = 10.0  # for an answer, which takes far less; this long means an endless loop
LONGEST = 300  # characters of a text on the screen
MOST_TEXTS = 400
COUNTS = ("heard", "count")  # of a panel, which nobody sees
WITHOUT_TAGS = re.compile(r"<[^>]*>")  # what is seen of a panel


class InterfaceDriver:
    """Does with an interface what a person would, and says in plain data what came of it.

    Args:
        names: what the notebook defines, `interface` among it.
    """

    def __init__(self, names: Mapping[str, Any]) -> None:
        self.names = names
        self.widget: Any = None

    def open(self) -> dict[str, object]:
        """Call `interface()`; returns the classes of the widgets, and how many things can be clicked."""
        function = self.names.get("interface")
        if not callable(function):
            return {"raised": "there is no function interface()."}
        made: list[Any] = []
        if raised := _raised("interface()", lambda: made.append(function())):
            return {"raised": raised}
        [self.widget] = made
        if not isinstance(self.widget, ipywidgets.Widget):
            return {"returned": short(self.widget)}
        kinds = {f"{kind.__module__}.{kind.__qualname__}" for each in _tree(self.widget) for kind in type(each).__mro__}
        return {"kinds": sorted(kinds), "clicks": len(self.clicks())}

    def play(self, cell: int) -> dict[str, object]:
        """Play a cell; returns the board and the score after it, and a sentence on the exception if there was one."""
        return self._done(called("play", cell), lambda: self.widget.play(cell))

    def new_game(self) -> dict[str, object]:
        """Start a new game."""
        return self._done(called("new_game"), lambda: self.widget.new_game())

    def click(self, number: int) -> dict[str, object]:
        """Click, as a person would, the thing with this number, counted from 1."""
        label, action = self.clicks()[number - 1]
        return self._done(f"a click on {label}", action)

    def texts(self) -> dict[str, object]:
        """The texts on the screen."""
        models = dependency_state([self.widget]).values()
        shown = (model["state"] for model in models if not model["model_name"].endswith(("LayoutModel", "StyleModel")))
        return {"texts": [text[:LONGEST] for state in shown for text in _texts(state)][:MOST_TEXTS]}

    def clicks(self) -> list[tuple[str, Callable[[], None]]]:
        """Everything that can be clicked, in order: the buttons, and the cells of `ttt`'s own boards."""
        widgets = list(_tree(self.widget))
        buttons = [widget for widget in widgets if isinstance(widget, ipywidgets.Button)]
        boards = [widget for widget in widgets if isinstance(widget, BoardView)]
        cells = [(board, cell) for board in boards for cell in range(len(board.shown))]
        return [
            *((_label(number, button), partial(_press, button)) for number, button in enumerate(buttons, 1)),
            *((f"cell {cell}", partial(board.do, "play", cell)) for board, cell in cells),
        ]

    def _done(self, name: str, action: Callable[[], object]) -> dict[str, object]:
        raised = _raised(name, action)
        return {"board": self._marks(), "score": self._score(), "raised": raised}

    def _marks(self) -> str | None:
        try:
            return "".join(self.widget.board)
        except Exception:
            return None

    def _score(self) -> list[int] | None:
        try:
            return [int(number) for number in self.widget.score]
        except Exception:
            return None


def check_interface() -> Check:
    """Play forty games on the interface that this notebook defines, and say what is found on (a), (b) and (d)."""
    driver = InterfaceDriver(vars(sys.modules["__main__"]))
    with _closed_afterwards():
        findings = Trial(partial(_answer, driver)).findings()
    lines = [f"({part}) {found}" for part, found in findings.items()]
    outcome = "right" if all(found.holds for found in findings.values()) else "not yet"
    return Check(outcome, "\n".join(["(c) is left to a person.", *lines]))


def _answer(driver: InterfaceDriver, do: str, **details: int) -> dict[str, Any]:
    """The driver's answer to a request. Raises `InterfaceError` if it takes too long."""
    try:
        with timeout(SECONDS), contextlib.redirect_stdout(io.StringIO()):
            answer: dict[str, Any] = getattr(driver, do)(**details)
    except TimeoutError:
        raise InterfaceError(f"{called(do, **details)} gave no answer within {SECONDS:g} s: an endless loop?") from None
    return answer


@contextlib.contextmanager
def _closed_afterwards() -> Iterator[None]:
    """Close the widgets that are made inside, which nobody has seen, so that none is saved with the notebook."""
    made: list[ipywidgets.Widget] = []
    ipywidgets.Widget.on_widget_constructed(made.append)
    try:
        yield
    finally:
        ipywidgets.Widget.on_widget_constructed(None)
        for widget in made:
            widget.close()


def _raised(name: str, action: Callable[[], object]) -> str:
    """Do something; returns a sentence on what it raised, or "".

    ipywidgets does not raise what a click's handler raises, nor does its `Output`: both have IPython show it.
    """
    caught: list[Any] = []

    def keep(error: Any = None, **_: object) -> None:
        caught.append(error[1] if error else sys.exc_info()[1])

    shell: Any = get_ipython()
    if shell:
        shell.showtraceback = keep
    try:
        action()
    except (Exception, SystemExit) as error:
        caught.append(error)
    finally:
        if shell:
            del shell.showtraceback
    return explained(caught[0], name).removesuffix(".") + "." if caught else ""


def _press(button: ipywidgets.Button) -> None:
    if not button.disabled:
        button.click()


def _label(number: int, button: ipywidgets.Button) -> str:
    """How a button is called in a sentence; those that show a mark, or nothing, are called by their number."""
    words = button.description.strip()
    return f"the button “{words}”" if len(words) > 1 else f"button {number}"


def _tree(widget: Any) -> Iterator[Any]:
    yield widget
    for child in getattr(widget, "children", ()):
        yield from _tree(child)


def _texts(value: object) -> Iterator[str]:
    """The texts and numbers in a widget's state, without what begins with _, which widgets use internally."""
    if isinstance(value, dict):
        for name, part in value.items():
            if not name.startswith("_") and name not in COUNTS:
                yield from _texts(WITHOUT_TAGS.sub(" ", part) if name == "html" else part)
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from _texts(part)
    elif isinstance(value, (str, int, float)) and not isinstance(value, bool):
        text = str(value)
        if text and not text.startswith("IPY_MODEL_"):
            yield text
