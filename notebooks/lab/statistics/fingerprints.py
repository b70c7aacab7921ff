"""Fingerprints of functions and objects, by which a sweep's file knows whether their code has changed."""

import re
from collections.abc import Iterator
from functools import partial
from hashlib import blake2b
from itertools import chain
from types import CellType, CodeType, FunctionType, MethodType
from typing import Any

PLAIN = (bool, int, float, str, bytes)


def fingerprint(*values: Any) -> str | None:
    """A short text that changes with the code of functions and objects; None if all are plain values or the lab's.

    It covers what they hold, and what they use of their own module: functions, classes, numbers, texts and lists. It
    leaves out dictionaries and sets, which often remember results, and what is imported from elsewhere.
    """
    own = [value for value in values if not isinstance(value, (*PLAIN, type(None))) and not _is_of_the_lab(value)]
    return blake2b(described(own).encode(), digest_size=5).hexdigest() if own else None


def _is_of_the_lab(value: Any) -> bool:
    return f"{getattr(value, '__module__', '')}".partition(".")[0] == "ttt"


def described(value: Any) -> str:
    """A value as a text that is equal for values with equal code and contents."""
    return "\n".join(_parts(value, []))


def _parts(value: Any, seen: list[Any]) -> Iterator[str]:
    if value is None or isinstance(value, PLAIN):
        yield repr(value)
        return
    if any(value is known for known in seen):  # such as a function that calls itself
        yield f"the same as {[value is known for known in seen].index(True)}"
        return
    seen.append(value)
    yield type(value).__name__
    for part in _inside(value):
        yield from _parts(part, seen)


def _inside(value: Any) -> list[Any]:
    """What a value consists of."""
    if isinstance(value, list | tuple):
        return [*value]
    if isinstance(value, frozenset):
        return sorted(map(repr, value))  # their order changes from run to run
    if isinstance(value, dict | set):
        return []
    if isinstance(value, CodeType):
        return [value.co_code, value.co_names, value.co_consts]
    if isinstance(value, partial):
        return [value.func, value.args, sorted(value.keywords.items())]
    if isinstance(value, MethodType):
        return [value.__self__, value.__func__]
    if isinstance(value, FunctionType):
        held = [cell.cell_contents for cell in value.__closure__ or () if cell != CellType()]
        return [value.__code__, value.__defaults__, [*(value.__kwdefaults__ or {}).items()], held, _used(value)]
    if isinstance(value, type):
        return [value.__qualname__, *(member for member in vars(value).values() if isinstance(member, FunctionType))]
    if hasattr(value, "tolist"):  # numpy's
        return [value.tolist()]
    if hasattr(value, "__wrapped__"):  # as by `functools.cache`
        return [value.__wrapped__]
    kind = [] if type(value).__module__ == "builtins" else [type(value)]
    return [*kind, sorted(vars(value).items()) if hasattr(value, "__dict__") else re.sub(r" at 0x\w+", "", repr(value))]


def _used(function: FunctionType) -> list[Any]:
    """What a function uses of its own module."""
    there = [function.__globals__.get(name) for name in _names(function.__code__)]
    own = [getattr(one, "__module__", None) == function.__module__ for one in there]
    return [one for one, is_own in zip(there, own, strict=True) if is_own or isinstance(one, (*PLAIN, list, tuple))]


def _names(code: CodeType) -> list[str]:
    nested = (_names(part) for part in code.co_consts if isinstance(part, CodeType))
    return [*code.co_names, *chain.from_iterable(nested)]
