"""The one way to ask for numba: functions as machine code where it is installed, and as plain Python where it isn't.

A compiled function computes with signed 64-bit numbers, so that cell 63 of a mask is the sign: see `signed`.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import cache
from importlib import import_module
from types import FunctionType, ModuleType
from typing import Any

Ints = list[int]  # compiled, an array of int64


@cache
def compiles() -> bool:
    """Whether functions become machine code: numba is installed and not switched off. Loads numba."""
    try:
        return not import_module("numba").config.DISABLE_JIT
    except ImportError:
        return False


@cache
def compiled(module: ModuleType, name: str) -> Callable[..., int]:
    """A module's function as machine code, kept on disk where a folder can be written to.

    It and the functions that it calls are copies, so that the originals stay plain Python. Where there are two, `copy`
    and `copy_by_loop`, the second is for machine code; and what `place` makes is unsigned. Arrays belong to the caller,
    so references to them are not counted (`_nrt`). The module's `INLINED` are copied into the functions that call them.
    """
    numba, numpy = import_module("numba"), import_module("numpy")
    names = {**vars(module), "place": numpy.uint32, "unsigned": numpy.uint64}
    for other, function in vars(module).items():
        if isinstance(function, FunctionType) and not other.endswith("_by_loop"):
            source = vars(module).get(f"{other}_by_loop", function)
            copy = FunctionType(source.__code__, names, other)
            copy.__qualname__ = other
            inner = {} if other == name else {"no_cpython_wrapper": True, "forceinline": other in module.INLINED}
            names[other] = numba.njit(nogil=True, _nrt=False, no_cfunc_wrapper=True, **inner)(copy)
    with suppress(RuntimeError):  # no folder can be written to
        names[name].enable_caching()
    machine_code: Callable[..., int] = names[name]
    return machine_code


def ints(values: list[int], machine_code: bool) -> Ints:
    """Whole numbers that a function can read and write: an array for machine code, else a list."""
    if not machine_code:
        return values
    numpy: Any = import_module("numpy")
    array: Ints = numpy.array(values, numpy.int64)
    return array


def signed(mask: int) -> int:
    """A mask of 64 bits as a signed number."""
    return mask - (1 << 64) if mask >> 63 == 1 else mask
