"""The one way to ask for numba: functions as machine code where it is installed, and as plain Python where it isn't.

A compiled function computes with signed 64-bit numbers, so that cell 63 of a mask is the sign: see `signed`.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from functools import cache
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from types import FunctionType, MappingProxyType
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])
Ints = list[int]  # compiled, an array of int64


@cache
def compiles() -> bool:
    """Whether functions become machine code: numba is installed and not switched off. Loads numba."""
    try:
        return not import_module("numba").config.DISABLE_JIT
    except ImportError:
        return False


def compiled(function: Function, **options: Any) -> Function:
    """The function as machine code, kept on disk where a folder can be written to; itself without numba.

    Args:
        options: numba's own.
    """
    if not compiles():
        return function
    njit = import_module("numba").njit
    fast: Function
    try:
        fast = njit(cache=True, nogil=True, **options)(function)
    except RuntimeError:  # no folder can be written to
        fast = njit(nogil=True, **options)(function)
    return fast


def compiled_copies(
    functions: Mapping[str, Callable[..., Any]],
    replacements: Mapping[str, Any] = MappingProxyType({}),
    inlined: Container[str] = (),
    **options: Any,
) -> dict[str, Any]:
    """The functions as machine code, by name. They call each other; the originals stay plain Python.

    numba looks a name up where its function was defined, so the copies get a copy of their modules, in which every
    tuple of whole numbers is an array.

    Args:
        functions: each by the name under which the others call it.
        replacements: what other names mean to the copies.
        inlined: the names of functions that are copied into their callers.
        options: numba's own.
    """
    module: dict[str, Any] = {}
    for function in reversed(list(functions.values())):
        module |= function.__globals__
    tables = {name: ints(value) for name, value in module.items() if _is_table(value)}
    copies = {**module, **tables, **replacements}
    version = _version(functions.values(), module)
    for name, function in functions.items():
        copy = FunctionType(function.__code__, copies, name)
        copy.__qualname__ = f"{name}_{version}"
        copies[name] = compiled(copy, forceinline=name in inlined, **options)
    return copies


def ints(values: Iterable[int]) -> Ints:
    """Whole numbers that a compiled function can read and write: an array; without numba a list."""
    if not compiles():
        return list(values)
    numpy = import_module("numpy")
    array: Ints = numpy.array([signed(value) for value in values], numpy.int64)
    return array


def zeros(many: int) -> Ints:
    """Counters that a compiled function can read and write: an array; without numba a list."""
    if not compiles():
        return [0] * many
    numpy = import_module("numpy")
    array: Ints = numpy.zeros(many, numpy.int64)
    return array


def signed(mask: int) -> int:
    """A mask of 64 bits as compiled functions take it; without numba as it is."""
    return mask - (1 << 64) if mask >> 63 == 1 and compiles() else mask


def _is_table(value: Any) -> bool:
    return isinstance(value, tuple) and all(type(entry) is int for entry in value)


def _version(functions: Iterable[Callable[..., Any]], module: dict[str, Any]) -> str:
    """A name for the code and the numbers that go into it: numba itself looks at a function's file only."""
    files = sorted({function.__code__.co_filename for function in functions})
    numbers = sorted((name, value) for name, value in module.items() if type(value) is int or _is_table(value))
    return sha256(b"".join(Path(file).read_bytes() for file in files) + repr(numbers).encode()).hexdigest()[:8]
