"""The one way to ask for numba: functions as machine code where it is installed, and as plain Python where it isn't.

A compiled function computes with signed 64-bit numbers, so that cell 63 of a mask is the sign: see `signed`.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from functools import cache
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from types import FunctionType
from typing import Any

Ints = list[int]  # compiled, an array of int64


@cache
def compiles() -> bool:
    """Whether functions become machine code: numba is installed and not switched off. Loads numba."""
    try:
        return not import_module("numba").config.DISABLE_JIT
    except ImportError:
        return False


def compiled_copies(
    module: Mapping[str, Any], replacements: Mapping[str, Any], inlined: Container[str] = (), **options: Any
) -> dict[str, Any]:
    """A module's functions as machine code, by name. They call each other; the originals stay plain Python.

    numba looks a name up where its function was defined, so the copies get a copy of the module and of those that it
    takes functions from, in which every tuple of whole numbers is an array. A function is compiled when it is first
    called, and kept on disk where a folder can be written to.

    Args:
        module: everything by name, as `globals()` has it.
        replacements: what some names mean to the copies.
        inlined: the names of functions that are copied into their callers.
        options: numba's own.
    """
    functions = {name: value for name, value in {**module, **replacements}.items() if _can_be_compiled(value)}
    names: dict[str, Any] = {}
    for function in functions.values():
        names |= function.__globals__
    names |= module
    tables = {name: ints(value) for name, value in names.items() if _is_table(value)}
    version = _version(functions.values(), names)
    copies = {**names, **tables, **replacements}
    for name, function in functions.items():
        copy = FunctionType(function.__code__, copies, name)
        copy.__qualname__ = f"{name}_{version}"
        copies[name] = _compiled(copy, forceinline=name in inlined, **options)
    return copies


def _compiled(function: FunctionType, **options: Any) -> Any:
    """The function as machine code."""
    njit = import_module("numba").njit
    try:
        return njit(cache=True, nogil=True, **options)(function)
    except RuntimeError:  # no folder can be written to
        return njit(nogil=True, **options)(function)


def ints(values: Iterable[int]) -> Ints:
    """Whole numbers that a compiled function can read and write: an array; without numba a list."""
    if not compiles():
        return list(values)
    numpy = _numpy()
    array: Ints = numpy.array([signed(value) for value in values], numpy.int64)
    return array


def zeros(many: int) -> Ints:
    """Counters that a compiled function can read and write: an array; without numba a list."""
    if not compiles():
        return [0] * many
    numpy = _numpy()
    array: Ints = numpy.zeros(many, numpy.int64)
    return array


def signed(mask: int) -> int:
    """A mask of 64 bits as compiled functions take it; without numba as it is."""
    return mask - (1 << 64) if mask >> 63 == 1 and compiles() else mask


@cache
def _numpy() -> Any:
    return import_module("numpy")


def _is_table(value: Any) -> bool:
    return isinstance(value, tuple) and all(type(entry) is int for entry in value)


def _can_be_compiled(value: Any) -> bool:
    return isinstance(value, FunctionType) and value.__module__.startswith("ttt.") and value.__module__ != __name__


def _version(functions: Iterable[FunctionType], names: Mapping[str, Any]) -> str:
    """A name for the code and the numbers that go into it: numba itself looks at a function's file only."""
    files = sorted({function.__code__.co_filename for function in functions})
    numbers = sorted((name, value) for name, value in names.items() if type(value) is int or _is_table(value))
    return sha256(b"".join(Path(file).read_bytes() for file in files) + repr(numbers).encode()).hexdigest()[:8]
