"""What a table and a file call a value, and fingerprints by which a file knows whether a function has changed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dis import get_instructions
from hashlib import blake2b
from types import CellType, CodeType, FunctionType
from typing import TYPE_CHECKING, Any

from ttt.words import without_addresses

if TYPE_CHECKING:
    from pandas import DataFrame

PLAIN = (bool, int, float, str, bytes)
CODE = re.compile(r"(.+?) ([0-9a-f]{10})(?:, |$)")  # the parts of a fingerprint
RENAME = "Rename one before the sweep, as in `mine.__name__ = 'linear'`"
HELD = ["__qualname__", "__code__", "__defaults__", "__kwdefaults__", "__wrapped__", "__func__", "__self__"]
HELD += ["func", "args", "keywords", "co_code", "co_names", "co_consts"]  # of `functools.partial` and of code


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
    return " ".join(without_addresses(name).strip("<>").split())  # one line, the same in every run


def fingerprint(used: Mapping[str, Any]) -> str | None:
    """A text that changes with the code of functions and objects: "heuristic mine 0f31c2a94b", joined by commas.

    None if all are plain values or the lab's. It covers what they hold, and what they use of their own module:
    functions, classes, numbers, texts and tuples. It leaves out what a search may change while it runs, such as
    dictionaries and sets, and what is imported.
    """
    own = {f"{role} {name_of(value)}": value for role, value in used.items() if not _is_plain(value)}
    codes = (blake2b(described(value).encode(), digest_size=5).hexdigest() for value in own.values())
    return ", ".join(map(" ".join, zip(own, codes, strict=True))) or None


def two_versions(frame: DataFrame) -> str:
    """A sentence about two functions of one name in a table, and what to do; empty if there are none."""
    known: dict[str, str] = {}
    for name, code in CODE.findall(", ".join(frame["code"].dropna().unique())):
        other = known.setdefault(name, code)
        if other != code:
            there = f"There are two versions of the {name} in the column `code`, {other} and {code}."
            return f'{there} {RENAME}, or choose rows, as in `frame[frame["code"].str.contains("{code}")]`.'
    return ""


def is_of_the_lab(value: Any) -> bool:
    """Whether a function or an object comes from `ttt` or `lab`, whose code belongs to a version."""
    return f"{getattr(value, '__module__', '')}".partition(".")[0] in ("ttt", "lab")


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(value, PLAIN) or is_of_the_lab(value)


def described(value: Any, seen: list[Any] | None = None) -> str:
    """A value as a text that is equal for values with equal code and contents."""
    if _is_plain(value):
        return without_addresses(repr(value))
    seen = [] if seen is None else seen
    if any(value is one for one in seen):  # such as a function that calls itself
        return "again"
    seen.append(value)
    return f"{type(value).__name__}({', '.join(described(part, seen) for part in _parts(value))})"


def _parts(value: Any) -> list[Any]:
    """What a value consists of."""
    if isinstance(value, list | tuple):
        return [*value]
    if isinstance(value, dict | set | frozenset):
        return sorted(map(repr, value)) if isinstance(value, frozenset) else []
    if isinstance(value, type):
        return [value.__qualname__, *(member for member in vars(value).values() if isinstance(member, FunctionType))]
    if hasattr(value, "tolist"):  # numpy's
        return [value.tolist()]
    held = [getattr(value, name, None) for name in HELD]
    if isinstance(value, FunctionType):
        held += [[cell.cell_contents for cell in value.__closure__ or () if cell != CellType()], _used(value)]
    elif type(value).__module__ not in ("builtins", "functools"):
        held += [type(value), getattr(value, "__dict__", None) or without_addresses(repr(value))]
    return [sorted(part.items()) if isinstance(part, dict) else part for part in held]


def _used(function: FunctionType) -> list[Any]:
    """What a function uses of its own module and doesn't change: functions, classes, numbers, texts and tuples."""
    changed = {step.argval for step in get_instructions(function.__code__) if step.opname == "STORE_GLOBAL"}
    used = []
    for value in (function.__globals__.get(name) for name in _names(function.__code__) if name not in changed):
        is_code = isinstance(value, FunctionType | type) or hasattr(value, "__wrapped__")  # also one with a cache
        is_of_module = is_code and getattr(value, "__module__", None) == function.__module__
        if is_of_module or isinstance(value, (*PLAIN, tuple)):
            used.append(value)
    return used


def _names(code: CodeType) -> list[str]:
    """The names that a function and the functions inside use."""
    return [*code.co_names, *(name for part in code.co_consts if isinstance(part, CodeType) for name in _names(part))]
