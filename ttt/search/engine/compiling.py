"""The one way to ask for numba: functions as machine code where it is installed, and as plain Python where it isn't.

A compiled function computes with signed 64-bit numbers, so that cell 63 of a mask is the sign: see `signed`.
"""

from collections.abc import Callable
from contextlib import suppress
from ctypes import CFUNCTYPE, POINTER, c_int64
from functools import cache
from importlib import import_module
from inspect import Parameter, Signature, signature
from types import FunctionType, ModuleType
from typing import Any

Ints = list[int]  # for machine code, an array of ctypes


@cache
def compiles() -> bool:
    """Whether functions become machine code: numba is installed and not switched off. Loads numba."""
    try:
        return not import_module("numba").config.DISABLE_JIT
    except ImportError:
        return False


@cache
def compiled(module: ModuleType) -> Callable[..., int]:
    """A module's last function as machine code, kept on disk where a folder can be written to.

    It and the functions that it calls, which stand before it, are copies: the originals stay plain Python. Where there
    are two, `copy` and `copy_by_loop`, the second is for machine code. Rows are handed down as bare pointers, the
    module's `INLINED` are optimised only where they end up, and a function that calls itself is typed only once: each
    saves much of the time that this takes. Optimising more than level 1 takes longer and gains nothing.
    """
    numba = import_module("numba")
    types = {"Numbers": numba.types.CPointer(numba.int64), "int": numba.int64, "None": numba.void}
    names, level = dict(vars(module)), numba.config.OPT
    *others, last = [function for function in names.values() if isinstance(function, FunctionType)]

    def compiler_of(function: FunctionType) -> Any:
        name, inlined = function.__name__, function.__name__ in module.INLINED
        source = names.get(f"{name}_by_loop", function)
        copy = FunctionType(source.__code__, names, name)
        copy.__qualname__ = name
        options = {"no_cpython_wrapper": True, "no_cfunc_wrapper": function is not last, "forceinline": inlined}
        compiler = numba.njit(_nrt=False, error_model="numpy", **options)(copy)
        if function is last:
            with suppress(RuntimeError):  # no folder can be written to
                compiler.enable_caching()
        *arguments, result = [types[kind] for kind in source.__annotations__.values()]
        types_of_call = result(*arguments)
        names[name] = numba.extending.intrinsic(_recursive_call(source, types_of_call))
        numba.config.OPT = type(level)(0 if inlined else 1)
        try:
            compiler.compile(types_of_call)
        finally:
            numba.config.OPT = level
        compiler.disable_compile()
        names[name] = compiler
        return compiler

    try:
        compiler = compiler_of(last)
    except numba.core.errors.TypingError:  # it isn't on disk yet, and needs the others
        for function in others:
            if not function.__name__.endswith("_by_loop"):
                compiler_of(function)
        compiler = compiler_of(last)
    [(arguments, code)] = compiler.overloads.items()
    address = code.library.get_pointer_to_function(code.fndesc.llvm_cfunc_wrapper_name)
    kinds = [POINTER(c_int64) if kind == types["Numbers"] else c_int64 for kind in arguments]
    machine_code: Callable[..., int] = CFUNCTYPE(c_int64, *kinds)(address)
    return machine_code


def _recursive_call(function: FunctionType, types: Any) -> Callable[..., Any]:
    """What numba makes of a call inside a function to itself: a call with known types, to the code being written.

    Without it, numba works out the types of the whole function once more for each such call. The status of the call is
    ignored, since these functions raise nothing.
    """

    def call(context: Any, builder: Any, _: Any, arguments: Any) -> Any:
        _status, value = context.call_conv.call_function(
            builder, builder.function, types.return_type, types.args, arguments
        )
        return value

    def types_and_code(_: Any, *arguments: Any) -> Any:
        return types, call

    names = ["typing_context", *signature(function).parameters]
    parameters = [Parameter(name, Parameter.POSITIONAL_OR_KEYWORD) for name in names]
    types_and_code.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    return types_and_code


def ints(values: list[int], machine_code: bool) -> Ints:
    """Whole numbers that a function can read and write: an array for machine code, else a list."""
    array: Any = (c_int64 * len(values))(*values) if machine_code else values
    numbers: Ints = array
    return numbers


def signed(mask: int) -> int:
    """A mask of 64 bits as a signed number."""
    return mask - (1 << 64) if mask >> 63 == 1 else mask
