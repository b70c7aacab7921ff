"""Runs a student's notebook or program, in the sandbox too. So it needs nothing of the lab but `limits`."""

from __future__ import annotations

import ast
import codeop
import json
import linecache
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext, redirect_stdout
from typing import TYPE_CHECKING, Any

import ttt
from ttt.runtime.limits import explained, timeout

if TYPE_CHECKING:
    from pathlib import Path

    from ttt.players import Player

FUNCTION = "my_player"  # what a player's file defines
SECONDS = 2.0  # for a statement outside of functions; those that take longer show or measure something

IMPORTS = (ast.Import, ast.ImportFrom)
DEFINES = re.compile(r"^[ \t]*(?:(?:async[ \t]+)?def|class)[ \t]+(\w+)|^[ \t]*(\w+)[ \t]*=(?!=)", re.MULTILINE)
# What only a notebook knows: %magic, !shell and ?help, also behind an equals sign, and help?
MAGIC = re.compile(r"(\s*)(?:(?:[\w.,*][\w.,\s*]*=\s*)?[%!?].*|[%\w.*]+\?{1,2}\s*)")
OTHER_LANGUAGE = re.compile(r"\s*%%(?!(?:time|timeit|capture|prun)\b)\w")


class NoPlayer(ValueError):
    """A file can't be read, or doesn't define the function that is asked for; the message says why."""


class Nothing:
    """Stands in for what shows or is IPython's: it has every name, takes every call, and does nothing."""

    def __call__(self, *_: object, **__: object) -> Nothing:
        return self

    def __getattr__(self, name: str) -> Nothing:
        if name.startswith("__"):
            raise AttributeError(name)
        return self


def timed(statement: ast.stmt) -> AbstractContextManager[object]:
    """The usual limit for a statement; an import may take as long as it does."""
    return nullcontext() if isinstance(statement, IMPORTS) else timeout(SECONDS)


class Session:
    """A student's code as it is run: the names that it defines, and why others are missing.

    A statement that fails or takes too long is passed over, as a notebook goes on with its next cell. Each is run in
    `limit`, which may raise an exception to end it. The code finds the `given` names without importing them.
    """

    def __init__(self, name: str, limit: Callable[[ast.stmt], Any] = timed, given: Mapping[str, Any] = {}) -> None:
        self.name, self.limit = name, limit
        self.names = {"__name__": "__main__", "display": Nothing(), "get_ipython": Nothing(), **given}
        self.failures: dict[str, str] = {}  # for a name that is missing, what went wrong where it should be defined
        self.compile = codeop.Compile()  # `from __future__ import ...` holds for all that follows

    def read(self, source: str, title: str) -> None:
        """Run a cell or a program; a text that is not Python is passed over."""
        linecache.cache[title] = len(source), None, source.splitlines(keepends=True), title  # messages show its lines
        try:
            statements = list(parsed(source, title))
            codes = [self.compile(ast.Module([one], []), title, "exec") for one in statements]  # type: ignore[arg-type]
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            names = [one or other for one, other in DEFINES.findall(source)]
            self._fail(names, error, title, forget=names)
            return
        for statement, code in zip(statements, codes, strict=True):
            try:
                with self.limit(statement):
                    exec(code, self.names)
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                self._fail(code.co_names, error, title, forget=[getattr(statement, "name", "")])

    def _fail(self, names: Collection[str], error: BaseException, title: str, forget: Collection[str]) -> None:
        """Remember why these names are missing; the function's older definition is forgotten, if its name is there."""
        if self.name in forget:
            self.names.pop(self.name, None)
        said = self.explained(error, title)
        self.failures = {name: said for name in names if name not in self.names} | self.failures

    def function(self) -> Callable[..., Any]:
        """The function that is asked for, after all has been read. Raises `NoPlayer`."""
        function: Callable[..., Any] | None = self.names.get(self.name)
        if not callable(function):
            reason = f": {self.failures[self.name]}" if self.name in self.failures else ""
            raise NoPlayer(f"There is no function {self.name}{reason}.")
        return function

    def explained(self, error: BaseException, name: str) -> str:
        """One sentence on an error as by `ttt.runtime.limits.explained`, and why the name that it misses is missing."""
        missing = getattr(error, "name", None) if isinstance(error, NameError) else None
        advice = f"write `from ttt import {missing}` above it" if missing in ttt.__all__ else ""
        reason = self.failures.get(missing or "", advice)
        return f"{explained(error, name)}; {reason}" if reason else explained(error, name)


def parsed(source: str, title: str) -> Iterator[ast.stmt]:
    """The statements of a cell, without a notebook's own lines; an import of several names comes as one for each."""
    lines = [] if OTHER_LANGUAGE.match(source) else source.split("\n")
    statements = None
    while statements is None:
        try:
            statements = ast.parse("\n".join(lines), title).body
        except SyntaxError as error:
            number = min(error.lineno or 1, len(lines)) - 1
            magic = MAGIC.fullmatch(lines[number])
            if magic is None:
                raise
            lines[number] = f"{magic[1]}pass"
    for statement in statements:
        if isinstance(statement, IMPORTS):
            yield from (type(statement)(**{**vars(statement), "names": [alias]}) for alias in statement.names)
        else:
            yield statement


def load(sources: Mapping[str, str], name: str) -> Callable[..., Any]:
    """The function in cells or a program, which are run in this very process, and print nothing. Raises `NoPlayer`."""
    session = Session(name)
    with redirect_stdout(Nothing()):  # type: ignore[type-var]
        for title, source in sources.items():
            session.read(source, title)
    return session.function()


def sources(path: Path) -> dict[str, str]:
    """A notebook's code cells, or the whole text of a program, each by what messages call it. Raises `NoPlayer`."""
    try:
        text = path.read_text(encoding="utf-8-sig")
        if path.suffix.lower() != ".ipynb":
            return {str(path): text}
        cells = ["".join(cell["source"]) for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        reason = getattr(error, "strerror", None) or "it is neither text nor a notebook"
        raise NoPlayer(f"{path} can't be read: {reason}.") from None
    return {f"{path}, code cell {n}": cell for n, cell in enumerate(cells, 1)}


def load_player(path: Path) -> Player:
    """The player in a notebook or a program that you trust, as its function `my_player`. Raises `NoPlayer`."""
    from ttt.players import Player  # the sandbox has none

    try:
        return Player(path.stem, load(sources(path), FUNCTION), f"The player in {path.name}.")
    except NoPlayer as problem:
        advice = f"it must define a function {FUNCTION}(board) that returns a free cell."
        raise NoPlayer(f"{path} has no player: {advice} {problem}") from None
