"""The server inside the sandbox: runs a submitted interface, and answers requests to play on it.

It imports nothing from `ttt.grading`, since nothing else of that package is mounted in the sandbox. A request and its
answer are one line of JSON each. The client trusts none of the answers.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import ipywidgets
from IPython.core.interactiveshell import InteractiveShell
from ipywidgets.embed import dependency_state
from traitlets.config import Config

from ttt.widgets import BoardView

LONGEST = 300  # characters of a message
MOST_TEXTS = 400


class Server:
    """A student's notebook, run once, and the widget that its `interface()` returns."""

    def __init__(self) -> None:
        self.shell: Any = InteractiveShell.instance(config=Config({"HistoryManager": {"enabled": False}}))
        self.widget: Any = None

    def run(self, cells: Sequence[str]) -> dict[str, object]:
        """Run all cells in order, even after an error; returns the number and the error of each that failed."""
        results = [self.shell.run_cell(cell) for cell in cells]
        errors = [(number, result.error_before_exec or result.error_in_exec) for number, result in enumerate(results)]
        return {"errors": [[number, _in_words(error)] for number, error in errors if error]}

    def open(self) -> dict[str, object]:
        """Call `interface()`; returns the classes of the widgets, and how many things can be clicked."""
        self.widget = self.shell.user_ns["interface"]()
        kinds = {f"{kind.__module__}.{kind.__qualname__}" for each in _tree(self.widget) for kind in type(each).__mro__}
        return {"kinds": sorted(kinds), "clicks": len(self.clicks())}

    def play(self, cell: int) -> dict[str, object]:
        """Play a cell; returns the board and the score after it, and the exception if there was one."""
        return self._done(lambda: self.widget.play(cell))

    def new_game(self) -> dict[str, object]:
        """Start a new game."""
        return self._done(self.widget.new_game)

    def click(self, number: int) -> dict[str, object]:
        """Click, as a person would, the thing with this number."""
        return self._done(self.clicks()[number])

    def texts(self) -> dict[str, object]:
        """The texts on the screen."""
        models = dependency_state([self.widget]).values()
        shown = (model["state"] for model in models if not model["model_name"].endswith(("LayoutModel", "StyleModel")))
        return {"texts": [text[:LONGEST] for state in shown for text in _texts(state)][:MOST_TEXTS]}

    def picture(self) -> dict[str, object]:
        """The state of the widget and of all widgets in it, to draw them on a page."""
        return {"root": self.widget.model_id, "state": dependency_state([self.widget], drop_defaults=False)}

    def clicks(self) -> list[Callable[[], None]]:
        """Everything that can be clicked, in order: the buttons, and the cells of `ttt`'s own boards."""
        widgets = list(_tree(self.widget))
        buttons = [widget.click for widget in widgets if isinstance(widget, ipywidgets.Button)]
        boards = [widget for widget in widgets if isinstance(widget, BoardView)]
        cells = [(board, cell) for board in boards for cell in range(len(board.board))]
        return [*buttons, *(partial(board._handle_custom_msg, {"play": cell}, []) for board, cell in cells)]

    def _done(self, action: Callable[[], None]) -> dict[str, object]:
        raised = ""
        try:
            action()
        except Exception as error:  # a fine way to refuse a taken cell
            raised = _in_words(error)
        return {"board": "".join(self.widget.board), "score": self._score(), "raised": raised}

    def _score(self) -> list[int] | None:
        try:
            return [int(number) for number in self.widget.score]
        except Exception:
            return None


def _tree(widget: Any) -> Iterator[Any]:
    yield widget
    for child in getattr(widget, "children", ()):
        yield from _tree(child)


def _texts(value: object) -> Iterator[str]:
    """The texts and numbers in a widget's state, without the names that widgets use internally, which begin with _."""
    if isinstance(value, dict):
        for name, part in value.items():
            if not name.startswith("_"):
                yield from _texts(part)
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from _texts(part)
    elif isinstance(value, (str, int, float)) and not isinstance(value, bool):
        text = str(value)
        if text and not text.startswith("IPY_MODEL_"):
            yield text


def _in_words(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"[:LONGEST]


def serve() -> None:
    """Answer requests until there are no more. Standard input and output are closed to the student's code."""
    requests, answers = os.fdopen(os.dup(0), encoding="utf-8"), os.fdopen(os.dup(1), "w", encoding="utf-8")
    null = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(null, standard)
    server = Server()
    for line in requests:
        request = json.loads(line)
        try:
            answer = getattr(server, request.pop("do"))(**request)
        except (Exception, SystemExit, KeyboardInterrupt) as error:
            answer = {"error": _in_words(error)}
        answers.write(json.dumps(answer, default=str) + "\n")
        answers.flush()


if __name__ == "__main__":
    serve()
