"""Short errors in notebooks: only the reader's own lines and the message, no lines of the lab or of libraries.

`%xmode Verbose`, then `%tb` shows everything. Outside notebooks nothing changes.
"""

import dis
import json
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from functools import wraps
from pathlib import Path
from types import TracebackType
from typing import Any

from lab.timeouts import OURS, is_own

MAX_FRAMES, FIRST, LAST = 12, 3, 1  # frames shown, at most; if there are more, the first and the last
_DEFINES = r"^(?:(?:def|class) +{0}\b|(?:import|from)\b.*\b{0}\b|(?:[\w, ]*, *)?{0}(?: *,[\w, ]*)? *=[^=])"
FAULT = (
    "This error comes from inside the lab, so all of it is shown. If your cell doesn't explain it, it is a bug in "
    "the lab. Please report it."
)


def install() -> None:
    """Shorten errors from now on, if this is a notebook."""
    from IPython import get_ipython

    shell: Any = get_ipython()
    if not hasattr(shell, "kernel") or hasattr(shell.InteractiveTB.format_exception_as_a_whole, "__wrapped__"):
        return
    shown = shell.InteractiveTB
    whole, before = shown.format_exception_as_a_whole, shown.get_parts_of_chained_exception

    @wraps(whole)
    def shortened(kind: Any, error: Any, traceback: Any, context: int, offset: Any) -> Any:
        """An error as text, by the reader's own frames."""
        if shown.mode != "Context":
            return whole(kind, error, traceback, context, offset)
        fault, own = _is_fault(error), _own(traceback)
        if own and not fault:
            traceback, offset = own, 0  # IPython's own frames are gone, too
        [lines] = whole(kind, error, traceback, context, offset)
        lines[-1] = f"\x1b[1m{lines[-1]}\x1b[22m"  # the message, in bold
        return [[*lines, *([FAULT] if fault else _notes(error, shell))]]

    def before_it(error: Any) -> Any:
        """The error that led to this one; one without own frames explains nothing to the reader."""
        parts = before(error)
        while parts and shown.mode == "Context" and not _is_fault(error) and not _own(parts[2]):
            parts = before(parts[1])
        return parts

    shown.format_exception_as_a_whole, shown.get_parts_of_chained_exception = shortened, before_it
    listed = shell.SyntaxTB.structured_traceback  # IPython shows the errors of Python's parser in another way

    def with_notes(kind: Any, error: Any, *more: Any, **options: Any) -> Any:
        *lines, last = listed(kind, error, *more, **options)
        place, line, message = last.rstrip("\n").rpartition("\n")
        return [*lines, f"{place}{line}\x1b[1m{message}\x1b[22m", *_notes(error, shell)]

    shell.SyntaxTB.structured_traceback = with_notes


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
    if isinstance(error, SyntaxError) and (product := re.search(r"\b(\d+)([A-Za-z]\w*)", error.text or "")):
        yield f"Write `*` in a product: `{product[1]} * {product[2]}`, not `{product[0]}`."
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
