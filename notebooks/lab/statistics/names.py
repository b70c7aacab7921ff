"""What a table and a file call a value, and fingerprints by which a file knows whether a function has changed."""

import re
from dis import get_instructions
from hashlib import blake2b
from itertools import chain
from types import CellType, CodeType, FunctionType
from typing import Any

PLAIN = (bool, int, float, str, bytes)
HELD: tuple[str, ...] = (
    "__qualname__",
    "__code__",
    "__defaults__",
    "__kwdefaults__",
    "__wrapped__",
    "__func__",
    "__self__",
)
HELD = (*HELD, "func", "args", "keywords", "co_code", "co_names", "co_consts")  # of `functools.partial` and of code


def simple(value: Any) -> Any:
    """An option or a move as a table and a file hold it: None, a number (Python's, not numpy's), or a text."""
    if value is None or isinstance(value, int | float | str):
        return value
    return value.item() if getattr(value, "ndim", 1) == 0 else name_of(value)


def name_of(function: Any) -> str:
    """A method's or heuristic's name in the table: "alphabeta", "open_lines", "LineWeights(0, 1, 3, 9)", "none"."""
    name = "none" if function is None else f"{getattr(function, '__name__', function)}"
    if getattr(function, "__module__", "") == "ttt.search.compiled":
        name = f"compiled.{name}"
    return " ".join(_without_address(name).strip("<>").split())  # one line, the same in every run


def _without_address(text: str) -> str:
    return re.sub(r" at 0x\w+", "", text)


def fingerprint(*values: Any) -> str | None:
    """A short text that changes with the code of functions and objects; None if all are plain values or the lab's.

    It covers what they hold, and what they use of their own module: functions, classes, numbers, texts and tuples. It
    leaves out what a search may change while it runs, such as lists, dictionaries, sets and counters, and what is
    imported from elsewhere.
    """
    own = [value for value in values if not _is_plain(value)]
    return blake2b(described(own).encode(), digest_size=5).hexdigest() if own else None


def _is_plain(value: Any) -> bool:
    of_the_lab = f"{getattr(value, '__module__', '')}".partition(".")[0] == "ttt"
    return value is None or isinstance(value, PLAIN) or of_the_lab


def described(value: Any, seen: list[Any] | None = None) -> str:
    """A value as a text that is equal for values with equal code and contents."""
    if _is_plain(value):
        return _without_address(repr(value))
    seen = [] if seen is None else seen
    for n, known in enumerate(seen):
        if known is value:  # such as a function that calls itself
            return f"again {n}"
    seen.append(value)
    return f"{type(value).__name__}({', '.join(described(part, seen) for part in _inside(value))})"


def _inside(value: Any) -> list[Any]:
    """What a value consists of."""
    if isinstance(value, list | tuple):
        return [*value]
    if isinstance(value, dict | set | frozenset):
        return sorted(map(repr, value)) if isinstance(value, frozenset) else []
    if isinstance(value, type):
        return [value.__qualname__, *(member for member in vars(value).values() if isinstance(member, FunctionType))]
    if hasattr(value, "tolist"):  # numpy's
        return [value.tolist()]
    parts = [getattr(value, name, None) for name in HELD]
    parts = [sorted(part.items()) if isinstance(part, dict) else part for part in parts]
    if isinstance(value, FunctionType):
        return [*parts, [cell.cell_contents for cell in value.__closure__ or () if cell != CellType()], _used(value)]
    if type(value).__module__ not in ("builtins", "functools"):
        state = getattr(value, "__dict__", None)
        parts += [type(value), sorted(state.items()) if isinstance(state, dict) else _without_address(repr(value))]
    return parts


def _used(function: FunctionType) -> list[Any]:
    """What a function uses of its own module and doesn't change: functions, classes, numbers, texts and tuples."""
    stored = {step.argval for step in get_instructions(function.__code__) if step.opname == "STORE_GLOBAL"}
    there = [function.__globals__.get(name) for name in _names(function.__code__) if name not in stored]
    code = [isinstance(one, FunctionType | type) or hasattr(one, "__wrapped__") for one in there]  # also with a cache
    own = [getattr(one, "__module__", None) == function.__module__ for one in there]
    return [
        one for one, *is_own in zip(there, code, own, strict=True) if all(is_own) or isinstance(one, (*PLAIN, tuple))
    ]


def _names(code: CodeType) -> list[str]:
    nested = (_names(part) for part in code.co_consts if isinstance(part, CodeType))
    return [*code.co_names, *chain.from_iterable(nested)]
