"""Short errors in notebooks: only the reader's own lines and the message, no lines of the lab or of libraries.

`%xmode Verbose`, then `%tb` shows everything. Outside notebooks nothing changes.
"""

import dis
import json
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import wraps
from pathlib import Path
from types import TracebackType
from typing import Any

from lab.timeouts import OURS, is_own

MAX_FRAMES, FIRST, LAST = 12, 3, 1  # frames shown, at most; if there are more, the first and the last
LINKS = ("__traceback__", "__cause__", "__context__", "__suppress_context__")
_DEFINES = r"^(?:(?:def|class) +{0}\b|(?:import|from)\b.*\b{0}\b|(?:[\w, ]*, *)?{0}(?: *,[\w, ]*)? *=[^=])"
FAULT = (
    "This error comes from inside the lab, so all of it is shown. If your cell doesn't explain it, it is a bug in "
    "the lab. Please report it."
)


def install() -> None:
    """Shorten errors from now on, if this is a notebook."""
    from IPython import get_ipython

    if not hasattr(get_ipython(), "kernel"):
        return
    kind: Any = type(get_ipython())  # patch the class, because others temporarily replace the shell's method
    whole = kind.showtraceback
    if hasattr(whole, "__wrapped__"):
        return

    @wraps(whole)
    def showtraceback(
        self: Any, exc_tuple: Any = None, filename: Any = None, tb_offset: Any = None, *rest: Any, **more: Any
    ) -> None:
        error = (exc_tuple or sys.exc_info())[1]
        if error is None:  # %tb shows the last error again
            error = getattr(sys, "last_value", None)
        if error is None or self.InteractiveTB.mode != "Context":
            whole(self, exc_tuple, filename, tb_offset, *rest, **more)
            return
        traceback = error.__traceback__
        with _shortened(error, self):
            offset = tb_offset if error.__traceback__ is traceback else 0  # IPython's own frames are removed
            whole(self, (type(error), error, error.__traceback__), filename, offset, *rest, **more)
        sys.last_traceback = traceback  # for %tb and %debug

    kind.showtraceback = showtraceback


@contextmanager
def _shortened(error: BaseException, shell: Any) -> Iterator[None]:
    """Temporarily remove all but the reader's own frames from an error and the errors chained to it."""
    before: list[tuple[BaseException, list[Any]]] = []
    attributes, fault = vars(error).copy(), _is_fault(error)  # includes its notes
    try:
        if not fault:
            _shorten(error, before)
        for note in [FAULT] if fault else _notes(error, shell):
            error.add_note(note)
        yield
    finally:
        for member, links in before:
            for name, value in zip(LINKS, links, strict=True):
                setattr(member, name, value)
        error.__dict__ = attributes


def _shorten(error: BaseException | None, before: list[tuple[BaseException, list[Any]]]) -> BaseException | None:
    """Remove others' frames from an error, and drop errors without own frames from its chain.

    Returns the first error kept. `before` records what was changed.
    """
    if error is None or any(error is member for member, _ in before):  # chains may be circular
        return error
    before.append((error, [getattr(error, name) for name in LINKS]))
    link = "__context__" if error.__cause__ is None else "__cause__"
    setattr(error, link, _shorten(getattr(error, link), before))
    own = _own(error.__traceback__)
    if own is None:
        following: BaseException | None = getattr(error, link)
        return following
    error.__traceback__ = own
    return error


def _own(traceback: TracebackType | None) -> TracebackType | None:
    """The traceback with only the reader's own frames; if there are very many, only the first and the last."""
    own = [entry for entry in _entries(traceback) if is_own(entry.tb_frame)]
    if len(own) > MAX_FRAMES:
        own[FIRST:-LAST] = []
    shorter = None
    for entry in reversed(own):
        shorter = TracebackType(shorter, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return shorter


def _entries(traceback: TracebackType | None) -> Iterator[TracebackType]:
    while traceback:
        yield traceback
        traceback = traceback.tb_next


def _is_fault(error: BaseException) -> bool:
    """Whether an error arose in the lab's code without a deliberate `raise`."""
    if not isinstance(error, Exception) or isinstance(error, RecursionError):
        return False
    fault = False
    for entry in _entries(error.__traceback__):
        code = entry.tb_frame.f_code
        if code.co_filename.startswith(OURS):
            fault = dis.opname[code.co_code[entry.tb_lasti]] != "RAISE_VARARGS"
        elif is_own(entry.tb_frame):
            fault = False
    return fault


def _notes(error: BaseException, shell: Any) -> Iterator[str]:
    """Yield notes to add to an error's message."""
    if isinstance(error, RecursionError):
        yield "Infinite recursion: a function keeps calling itself. Most of the calls are omitted here."
    if isinstance(error, NameError) and _defined_elsewhere(str(error.name), shell):
        yield f"`{error.name}` is defined in another cell of this notebook. Run that cell first."


def _defined_elsewhere(name: str, shell: Any) -> bool:
    """Whether another cell of the notebook, as last saved, defines a name."""
    file = shell.user_ns.get("__vsc_ipynb_file__") or os.environ.get("JPY_SESSION_NAME", "")
    with suppress(OSError, ValueError, KeyError):
        cells = json.loads(Path(file).read_text("utf-8"))["cells"]
        sources = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
        here = shell.user_ns["In"][-1]
        return any(re.search(_DEFINES.format(name), source, re.M) for source in sources if source != here)
    return False
