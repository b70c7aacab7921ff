"""Errors in a notebook: they show the reader's own lines and the message, and no line of the lab or of a library.

`%xmode Verbose` and then `%tb` show everything. Outside of notebooks nothing changes.
"""

import dis
import json
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import wraps
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any

LAB = f"{Path(__file__).parents[1]}{os.sep}"
STANDARD = f"{Path(os.__file__).parent}{os.sep}"
FIRST, LAST = 3, 1  # frames that are shown of a function that calls itself without end
LINKS = ("__traceback__", "__cause__", "__context__", "__suppress_context__")
FAULT = (
    "This error came up inside the lab, so all of it is shown. If nothing in your cell explains it, it is a fault of "
    "the lab: please report it."
)


def install() -> None:
    """Shorten the errors that this notebook shows, if it is one."""
    from IPython import get_ipython

    if not hasattr(get_ipython(), "kernel"):
        return
    kind: Any = type(get_ipython())  # the class, since others replace the method of the shell for a time
    whole = kind.showtraceback
    if hasattr(whole, "__wrapped__"):
        return

    @wraps(whole)
    def showtraceback(
        self: Any, exc_tuple: Any = None, filename: Any = None, tb_offset: Any = None, *rest: Any, **more: Any
    ) -> None:
        error = (exc_tuple or sys.exc_info())[1]
        if error is None:  # %tb shows the last one again
            error = getattr(sys, "last_value", None)
        if error is None or self.InteractiveTB.mode != "Context":
            whole(self, exc_tuple, filename, tb_offset, *rest, **more)
            return
        traceback = error.__traceback__
        with _shortened(error, self):
            offset = tb_offset if error.__traceback__ is traceback else 0  # IPython's own frames are gone
            whole(self, (type(error), error, error.__traceback__), filename, offset, *rest, **more)
        sys.last_traceback = traceback  # for %tb and %debug

    kind.showtraceback = showtraceback


@contextmanager
def _shortened(error: BaseException, shell: Any) -> Iterator[None]:
    """Take everything but the reader's own frames out of an error, and of those that it is chained to, for a while."""
    members, attributes = _members(error), vars(error).copy()  # among them its notes
    before = [(member, [getattr(member, name) for name in LINKS]) for member in members]
    own = {id(member): _own(member.__traceback__) for member in members}
    fault = _is_fault(error)
    try:
        for member in () if fault else members:
            _link(member, own)
            member.__traceback__ = own[id(member)] or member.__traceback__
        for note in [FAULT] if fault else _notes(error, shell):
            error.add_note(note)
        yield
    finally:
        for member, values in before:
            for name, value in zip(LINKS, values, strict=True):
                setattr(member, name, value)
        error.__dict__ = attributes


def _link(member: BaseException, own: Mapping[int, TracebackType | None]) -> None:
    """Chain an error to the next one that has frames of the reader's."""
    name = "__context__" if member.__cause__ is None else "__cause__"
    following = getattr(member, name)
    for _ in own:  # a chain may be a ring
        if following is not None and own[id(following)] is None:
            following = following.__context__ if following.__cause__ is None else following.__cause__
    setattr(member, name, following)


def _members(error: BaseException) -> list[BaseException]:
    """The error, all that it came from, and the parts of groups."""
    members: list[BaseException] = []
    ahead = [error]
    while ahead:
        member = ahead.pop()
        if not any(member is other for other in members):
            members.append(member)
            ahead += [each for each in (member.__cause__, member.__context__) if each is not None]
            ahead += member.exceptions if isinstance(member, BaseExceptionGroup) else ()
    return members


def _frames(traceback: TracebackType | None) -> Iterator[TracebackType]:
    while traceback:
        yield traceback
        traceback = traceback.tb_next


def _is_own(frame: FrameType) -> bool:
    """Whether a frame runs code of the reader's: of a cell, or of a file that belongs to no library."""
    if frame.f_globals.get("__name__") == "__main__":
        return True
    file = frame.f_code.co_filename
    return Path(file).is_file() and not file.startswith((LAB, STANDARD)) and "-packages" not in file


def _own(traceback: TracebackType | None) -> TracebackType | None:
    """The traceback with the reader's own frames; of very many the first and the last."""
    own = [each for each in _frames(traceback) if _is_own(each.tb_frame)]
    if len(own) > 12:
        own[FIRST:-LAST] = []
    shorter = None
    for each in reversed(own):
        shorter = TracebackType(shorter, each.tb_frame, each.tb_lasti, each.tb_lineno)
    return shorter


def _is_fault(error: BaseException) -> bool:
    """Whether an error came up in the lab's code, and no `raise` of the lab's meant it."""
    frames = [each for each in _frames(error.__traceback__) if _is_own(each.tb_frame) or _is_labs(each.tb_frame)]
    if not isinstance(error, Exception) or isinstance(error, RecursionError) or not frames:
        return False
    code = frames[-1].tb_frame.f_code
    return _is_labs(frames[-1].tb_frame) and dis.opname[code.co_code[frames[-1].tb_lasti]] != "RAISE_VARARGS"


def _is_labs(frame: FrameType) -> bool:
    return frame.f_code.co_filename.startswith(LAB)


def _notes(error: BaseException, shell: Any) -> Iterator[str]:
    """What to add to an error's message."""
    if isinstance(error, RecursionError):
        yield "A function calls itself without end; most of the calls are left out here."
    if isinstance(error, NameError) and _defined_elsewhere(error.name, shell):
        yield f"A cell of this notebook defines {error.name}: run the cell that defines it first."


def _defined_elsewhere(name: str | None, shell: Any) -> bool:
    """Whether another cell of the notebook, as it was last saved, defines a name."""
    place = shell.user_ns.get("__vsc_ipynb_file__") or os.environ.get("JPY_SESSION_NAME", "")
    with suppress(OSError, ValueError, KeyError):
        for cell in json.loads(Path(place).read_text("utf-8"))["cells"]:
            source = "".join(cell["source"])
            if cell["cell_type"] != "code" or source == shell.user_ns["In"][-1]:
                continue
            with suppress(SyntaxError):
                steps = dis.get_instructions(compile(shell.transform_cell(source), "cell", "exec"))
                if any(step.opname == "STORE_NAME" and step.argval == name for step in steps):
                    return True
    return False
