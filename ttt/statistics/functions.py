"""Heuristics and searches by name or from your own file, and a digest of their source."""

from __future__ import annotations

import hashlib
import inspect
import marshal
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import ttt
from ttt.exercises.loader import NoPlayer, load, sources
from ttt.heuristics import LineWeights, open_lines
from ttt.runtime.limits import explained

FOLDER = Path(ttt.__file__).parent
SEARCHED_BY = ("board.py", "heuristics.py", "symmetry.py", "search/*.py", "search/engine/*.py")
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


@cache
def _loaded(own: FromFile) -> Callable[..., Any]:
    """The function, which each process loads once."""
    try:
        return load(dict(own.sources), own.name)
    except NoPlayer as error:
        raise ValueError(f"{own.file} must define a function {own.name}. {error}") from None


def function_from(text: str) -> Callable[..., Any] | None:
    """The function that a text names: none, open-lines, LineWeights(0, 1, 3, 9), or your own as FILE.py:NAME.

    A notebook will do in place of a program: FILE.ipynb:NAME. Raises `ValueError`.
    """
    path, colon, name = text.rpartition(":")
    if colon:
        own = FromFile(Path(path).name, name, tuple(sources(Path(path)).items()))
        _loaded(own)
        return own
    if weights := re.fullmatch(r"LineWeights\(([-\d., ]+)\)", text):
        return LineWeights(*(float(number) if "." in number else int(number) for number in weights[1].split(",")))
    if text not in NAMED:
        more = "LineWeights(0, 1, 3, 9), or FILE.py:NAME for your own"
        raise ValueError(f"There is no {text!r}: choose {', '.join(NAMED)}, {more}.")
    return NAMED[text]


def name_of(function: Callable[..., Any] | str | None) -> str:
    """The name of a function in a table: "none", "open-lines", "LineWeights(0, 1, 3, 9)", "mine.py:corners"."""
    if isinstance(function, str | FromFile):
        return str(function)
    names = [name for name, named in NAMED.items() if function is named]
    return names[0] if names else str(getattr(function, "__name__", type(function).__name__)).strip("<>")


def require_sendable(functions: Iterable[Callable[..., Any] | str | None]) -> None:
    """Raises `ValueError` if other processes can't import a function of yours, such as one in a notebook."""
    for function in functions:
        if isinstance(function, FunctionType):
            module = sys.modules[function.__module__]
            if not hasattr(module, "__file__") or getattr(module, function.__name__, None) is not function:
                name = name_of(function)
                raise ValueError(f"{name} can't be sent to other processes: define it in a file, or use n_jobs=1.")


def digest(*functions: Callable[..., Any] | str | None) -> str:
    """Eight letters that change with the package's searches, and eight more for each function of your own."""
    own = [one for one in functions if not isinstance(one, str) and one not in NAMED.values()]
    return _of_the_package() + "".join(_hash(_parts(one, [])) for one in own)


@cache
def _of_the_package() -> str:
    return _hash(file.read_text("utf-8") for name in SEARCHED_BY for file in sorted(FOLDER.glob(name)))


def _hash(texts: Iterable[str]) -> str:
    return hashlib.sha256(repr([*texts]).encode()).hexdigest()[:8]


def _parts(thing: Any, seen: list[Any]) -> Iterator[str]:
    """What the answers of your own function depend on: its text, and what its names mean."""
    if isinstance(thing, FromFile):
        yield repr([text for _, text in thing.sources])  # wherever the file is
    elif not isinstance(thing, FunctionType) or f"{thing.__module__}".startswith("ttt."):
        yield re.sub(r" at 0x[0-9a-f]+", "", repr(thing))
    elif thing not in seen:
        seen.append(thing)
        try:
            yield inspect.getsource(thing)
        except OSError:  # it has none, as in `python -c`
            yield marshal.dumps(thing.__code__).hex()
        names = sorted(_names(thing.__code__) & {*thing.__globals__})
        for used in (*inspect.getclosurevars(thing).nonlocals.values(), *map(thing.__globals__.get, names)):
            if not inspect.ismodule(used):
                yield from _parts(used, seen)


def _names(code: CodeType) -> set[str]:
    """The names that a function uses, also in the functions within it."""
    inner = (_names(part) for part in code.co_consts if isinstance(part, CodeType))
    return {*code.co_names}.union(*inner)
