"""Plays on a student's interface in place of a person, for its check and for the grading."""

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

from ttt.checks.checking import Check, short
from ttt.checks.interface import InterfaceError, Trial, called
from ttt.runtime.limits import explained, timeout
from ttt.widgets.board_view import BoardView

SECONDS = 10.0  # for an answer, which takes far less; this long means an endless loop
UNSEEN = ("heard", "count")  # of a panel
MARKUP = re.compile(r"<[^>]*>|IPY_MODEL_\w*")


class InterfaceDriver:
    """Does with the `interface` among what a notebook defines what a person would; says in plain data what came of it.

    `play`, `new_game` and `click` return the board and the score after it, and a sentence on the exception, if any.
    """

    def __init__(self, names: Mapping[str, Any]) -> None:
        self.function = names.get("interface")
        self.widget: Any = None

    def open(self) -> dict[str, object]:
        """Call `interface()`; returns the classes of the widgets, and how many things can be clicked."""
        if not callable(function := self.function):
            return {"raised": "there is no function interface(): define it, and run its cell."}
        raised = _raised("interface()", lambda: setattr(self, "widget", function()))
        if raised or not isinstance(self.widget, ipywidgets.Widget):
            return {"raised": raised, "returned": short(self.widget)}
        kinds = {f"{kind.__module__}.{kind.__qualname__}" for each in _tree(self.widget) for kind in type(each).__mro__}
        return {"kinds": sorted(kinds), "clicks": len(self._clicks())}

    def play(self, cell: int) -> dict[str, object]:
        return self._done(called("play", cell), lambda: self.widget.play(cell))

    def new_game(self) -> dict[str, object]:
        return self._done(called("new_game"), lambda: self.widget.new_game())

    def click(self, number: int) -> dict[str, object]:
        """Click, as a person would, the thing with this number, counted from 1."""
        return self._done(*self._clicks()[number - 1])

    def texts(self) -> dict[str, object]:
        """The texts on the screen."""
        models = dependency_state([self.widget]).values()
        shown = [model["state"] for model in models if not model["model_name"].endswith(("LayoutModel", "StyleModel"))]
        return {"texts": list(_texts(shown))}

    def _clicks(self) -> list[tuple[str, Callable[[], object]]]:
        """Everything that can be clicked, in order and with a name: buttons, and the cells of `ttt`'s own boards."""
        clicks: list[tuple[str, Callable[[], object]]] = []
        for widget in _tree(self.widget):
            if isinstance(widget, ipywidgets.Button):
                words = widget.description.strip()  # a mark, or nothing, is no name
                name = f"the button “{words}”" if len(words) > 1 else f"button {len(clicks) + 1}"
                clicks.append((f"a click on {name}", (lambda: None) if widget.disabled else widget.click))
            elif isinstance(widget, BoardView):
                cells = range(len(widget.shown))
                clicks += [(f"a click on cell {cell}", partial(widget.do, "play", cell)) for cell in cells]
        return clicks

    def _done(self, name: str, action: Callable[[], object]) -> dict[str, object]:
        done: dict[str, object] = {"raised": _raised(name, action)}
        with contextlib.suppress(Exception):
            done["board"] = "".join(self.widget.board)
        with contextlib.suppress(Exception):
            done["score"] = [int(number) for number in self.widget.score]
        return done


def check_interface() -> Check:
    """Play forty games on the interface that this notebook defines, and say what is found on (a), (b) and (d)."""
    driver = InterfaceDriver(vars(sys.modules["__main__"]))

    def ask(do: str, **details: int) -> dict[str, Any]:
        try:
            with timeout(SECONDS), contextlib.redirect_stdout(io.StringIO()):
                answer: dict[str, Any] = getattr(driver, do)(**details)
        except TimeoutError:
            loop = f"{called(do, **details)} gave no answer within {SECONDS:g} s: an endless loop?"
            raise InterfaceError(loop) from None
        return answer

    findings = Trial(ask).findings()
    lines = [f"({part}) {found}" for part, found in findings.items()]
    outcome = "right" if all(found.holds for found in findings.values()) else "not yet"
    return Check(outcome, "\n".join(["(c) is left to a person.", *lines]))


def _raised(name: str, action: Callable[[], object]) -> str:
    """Do something; returns a sentence on what it raised, or "".

    ipywidgets does not raise what a click's handler raises, nor does its `Output`: both have IPython show it.
    """
    caught: list[Any] = []
    shell: Any = get_ipython()
    if shell:
        shell.showtraceback = lambda error=None, **_: caught.append(error[1] if error else sys.exc_info()[1])
    try:
        action()
    except (Exception, SystemExit) as error:
        caught.append(error)
    finally:
        if shell:
            del shell.showtraceback
    return explained(caught[0], name).removesuffix(".") + "." if caught else ""


def _tree(widget: Any) -> Iterator[Any]:
    yield widget
    for child in getattr(widget, "children", ()):
        yield from _tree(child)


def _texts(value: object) -> Iterator[str]:
    """The texts and numbers in a widget's state, without what begins with _, which widgets use internally."""
    if isinstance(value, dict):
        value = [part for name, part in value.items() if not name.startswith("_") and name not in UNSEEN]
    if isinstance(value, list | tuple):
        for part in value:
            yield from _texts(part)
    elif isinstance(value, str | int | float):
        yield MARKUP.sub(" ", str(value)).strip()
