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

TABLES = ("BIT", "ENDS", "MOST_LINES", "OTHER_CHANGE", "OWN_CHANGE", "THROUGH")
SHORT = ("put", "take_back", "last_ply", "last_reply")
NAMES = ("find_symmetries", "drop_twins", "unlike", "canonical", *SHORT, "last_two", "visit")
TYPE = numpy.int64  # throughout: mixed with an unsigned number it would become a float
PLACE = numpy.uint64  # but for these three, which loop faster where numba need not look for places below 0


def highest(m: Any, row: Any) -> Any:
    """The highest gain in a row."""
    best, start = m[row], PLACE(row)
    for cell in range(PLACE(64)):
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
    for i in range(PLACE(length)):
        m[end + i] = m[start + i]


def array(numbers: list[int]) -> Any:
    """A row of numbers as numba wants it."""
    return numpy.array(numbers, TYPE)


@cache
def functions() -> dict[str, Any]:
    """The functions of `kernels`, compiled when they are first called and kept on disk.

    numba looks names up where a function was defined, so each gets a copy of that place in which the tables are
    arrays and the other functions compiled ones. The short ones are put in line, since to hand even one array on
    costs more than what they do.
    """
    scope: dict[str, Any] = dict(vars(kernels))
    scope |= {name: array(row) for name, row in scope.items() if name in TABLES} | {"PLACE": PLACE}
    for function in (highest, first, copy):
        scope[function.__name__] = _compiled(function, scope)
    for name in NAMES:
        scope[name] = _compiled(getattr(kernels, name), scope)
    return scope


def _compiled(function: Any, scope: dict[str, Any]) -> Any:
    """A function compiled in a place of its own; not kept where no folder can be written to."""
    placed = FunctionType(function.__code__, scope, function.__name__)
    placed.__qualname__ = f"{function.__name__}_{_version()}"
    short = function.__name__ in SHORT
    try:
        return numba.njit(cache=True, nogil=True, forceinline=short)(placed)
    except RuntimeError:
        return numba.njit(nogil=True, forceinline=short)(placed)


@cache
def _version() -> str:
    """Changes with any of the sources: numba looks at one of them only before it takes what it has kept."""
    return sha256(b"".join(Path(str(source.__file__)).read_bytes() for source in _SOURCES)).hexdigest()[:8]


_SOURCES = (tables, kernels, sys.modules[__name__])
