"""Heuristics and searches by name or from your own file, and a digest of their source."""

from __future__ import annotations

import hashlib
import inspect
import marshal
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import ttt
from ttt.heuristics import LineWeights, open_lines
from ttt.limits import explained
from ttt.loader import NoPlayer, load, sources

FOLDER = Path(ttt.__file__).parent
SEARCHED_BY = ("board.py", "symmetry.py", "heuristics.py", "record.py", "search", "engine")  # what rows depend on
NAMED: dict[str, Callable[..., Any] | None] = {"none": None, "open-lines": open_lines}


@dataclass(frozen=True)
class FromFile:
    """A function in your own file, which carries its source, so that workers on other machines can run it."""

    file: str
    name: str
    sources: tuple[tuple[str, str], ...]

    def __call__(self, *arguments: Any) -> Any:
        """What the function says. Raises `ValueError` where it fails."""
        function = _loaded(self)
        try:
            return function(*arguments)
        except Exception as error:
            raise ValueError(f"On {arguments[0]!r}, {explained(error, str(self))}.") from None

    def __str__(self) -> str:
        return f"{self.file}:{self.name}"


def function_from(text: str) -> Callable[..., Any] | None:
    """The function that a text names: none, open-lines, LineWeights(0, 1, 3, 9), or your own as FILE.py:NAME.

    A notebook will do in place of a program: FILE.ipynb:NAME. Raises `ValueError`.

    >>> function_from("LineWeights(0,1,3,9)")
    LineWeights(0, 1, 3, 9)
    """
    path, colon, name = text.rpartition(":")
    if colon:
        try:
            own = FromFile(Path(path).name, name, tuple(sources(Path(path)).items()))
        except NoPlayer as error:
            raise ValueError(str(error)) from None
        _loaded(own)
        return own
    if weights := re.fullmatch(r"LineWeights\(([-\d., ]+)\)", text):
        return LineWeights(*(float(number) if "." in number else int(number) for number in weights[1].split(",")))
    if text not in NAMED:
        more = "LineWeights(0, 1, 3, 9), or FILE.py:NAME for your own"
        raise ValueError(f"There is no {text!r}: choose {', '.join(NAMED)}, {more}.")
    return NAMED[text]


@cache
def _loaded(own: FromFile) -> Callable[..., Any]:
    """The function, which each process loads once."""
    try:
        return load(dict(own.sources), own.name)
    except NoPlayer as error:
        raise ValueError(f"{own.file} must define a function {own.name}. {error}") from None


def name_of(function: Callable[..., Any] | None) -> str:
    """The name of a function in a table: "none", "open-lines", "LineWeights(0, 1, 3, 9)", "mine.py:corners"."""
    for name, named in NAMED.items():
        if function is named:
            return name
    if isinstance(function, FromFile):
        return str(function)
    return str(getattr(function, "__name__", type(function).__name__)).strip("<>")


def digest(*functions: Callable[..., Any] | None) -> str:
    """Eight letters that change with the package's searches, and eight more for functions of your own."""
    own = [text for function in functions if (text := _source(function))]
    return "".join(hashlib.sha256(text.encode()).hexdigest()[:8] for text in [_of_the_package(), *own])


@cache
def _of_the_package() -> str:
    files = [file for name in SEARCHED_BY for file in sorted([FOLDER / name, *(FOLDER / name).glob("*.py")])]
    return "".join(file.read_text("utf-8") for file in files if file.is_file())


def _source(function: Any) -> str:
    """What the answers of your own function depend on: its text, and what it uses of its own module."""
    if isinstance(function, FromFile):
        return repr([text for _, text in function.sources])  # wherever the file is
    if not isinstance(function, FunctionType) or f"{function.__module__}".startswith("ttt."):
        return "" if function in (None, open_lines) else name_of(function)
    found: dict[str, str] = {}
    _collect(function, found)
    return repr(found)


def _collect(function: FunctionType, found: dict[str, str]) -> None:
    code = function.__code__
    try:
        found[function.__qualname__] = inspect.getsource(function)
    except (OSError, TypeError):
        found[function.__qualname__] = marshal.dumps(code).hex()
    held = {f"{function.__qualname__}.{n}": cell.cell_contents for n, cell in enumerate(function.__closure__ or ())}
    used = {name: function.__globals__[name] for name in _names(code) if name in function.__globals__}
    for name, thing in (held | used).items():
        if isinstance(thing, FunctionType) and not f"{thing.__module__}".startswith("ttt."):
            if thing.__qualname__ not in found:
                _collect(thing, found)
        elif not inspect.ismodule(thing):
            found[name] = repr(thing)


def _names(code: CodeType) -> set[str]:
    """The names that a function uses, also in the functions within it."""
    inner = [_names(part) for part in code.co_consts if isinstance(part, CodeType)]
    return set(code.co_names).union(*inner)
