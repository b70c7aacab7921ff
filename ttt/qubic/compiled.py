"""The gains engine's inner functions, compiled by numba. Imported only where a search is long enough to be worth it."""

from __future__ import annotations

import sys
from functools import cache
from hashlib import sha256
from pathlib import Path
from types import FunctionType
from typing import Any

import numba
import numpy

from ttt.qubic import kernels, tables
from ttt.qubic.tables import CELLS

TABLES = ("BIT", "ENDS", "MOST_LINES", "OTHER_CHANGE", "OWN_CHANGE", "THROUGH")
TYPE = numpy.int64  # throughout
PLACE = numpy.uint32  # but in a few loops: numba need not ask there if a place is below 0, and so can use vectors


# The next loops also end with `m`, which they never reach: numba would write a loop of known length out, cell by cell.


def highest(m: Any, row: Any) -> Any:
    """The highest gain in a row."""
    best, start = m[row], PLACE(row)
    for cell in range(min(CELLS, len(m))):
        best = max(best, m[start + cell])
    return best


def first(m: Any, row: Any, gain: Any) -> Any:
    """The first cell with this gain."""
    cell = 0
    while m[row + cell] != gain:
        cell += 1
    return cell


def copy(m: Any, source: Any, target: Any, length: Any) -> None:
    """Make one stretch like another."""
    start, end = PLACE(source), PLACE(target)
    for i in range(min(length, len(m))):
        m[end + i] = m[start + i]


SHORT = (highest, first, copy, kernels.put, kernels.take_back, kernels.last_ply, kernels.last_reply)
LONG = (
    kernels.find_symmetries,
    kernels.drop_twins,
    kernels.unlike,
    kernels.canonical,
    kernels.last_two,
    kernels.visit,
)


def array(numbers: list[int]) -> Any:
    """A row of numbers as numba wants it."""
    return numpy.array(numbers, TYPE)


@cache
def functions() -> dict[str, Any]:
    """The functions of `kernels`, compiled when they are first called and kept on disk.

    numba looks names up where a function was defined, so each gets a copy of that place in which the tables are
    arrays and the other functions compiled ones.
    """
    scope: dict[str, Any] = dict(vars(kernels)) | {"PLACE": PLACE}
    scope |= {name: array(scope[name]) for name in TABLES}
    scope |= {function.__name__: _compiled(function, scope) for function in SHORT + LONG}
    return scope


def _compiled(function: Any, scope: dict[str, Any]) -> Any:
    """A function compiled in a place of its own; not kept where no folder can be written to.

    To hand an array on costs more than what a short function does. So the short ones are put in line, and none counts
    who holds the array (`_nrt`), since none makes or keeps one: whoever calls from outside holds it all the while.
    """
    placed = FunctionType(function.__code__, scope, function.__name__)
    placed.__qualname__ = f"{function.__name__}_{_version()}"
    options: dict[str, Any] = {"nogil": True, "forceinline": function in SHORT, "_nrt": False}
    try:
        return numba.njit(cache=True, **options)(placed)
    except RuntimeError:
        return numba.njit(**options)(placed)


@cache
def _version() -> str:
    """Changes with any of the sources: numba looks at one of them only before it takes what it has kept."""
    return sha256(b"".join(Path(str(source.__file__)).read_bytes() for source in _SOURCES)).hexdigest()[:8]


_SOURCES = (tables, kernels, sys.modules[__name__])
