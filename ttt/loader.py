"""A function in a student's notebook or program: the code is run as a notebook runs it, and what fails is passed over.

The sandbox runs students' code by this very module. So it needs nothing of the lab but `ttt.limits`.
"""

from __future__ import annotations

import ast
import codeop
import json
import linecache
import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext, redirect_stdout
from copy import copy
from pathlib import Path
from typing import TYPE_CHECKING, Any

import ttt
from ttt.limits import explained, timeout

if TYPE_CHECKING:
    from ttt.players import Player

FUNCTION = "my_player"  # what a player's file defines
SECONDS = 2.0  # for a statement outside of functions; those that take longer show or measure something

Limit = Callable[[ast.stmt], AbstractContextManager[object]]
IMPORTS = (ast.Import, ast.ImportFrom)
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
DEFINES = re.compile(r"^[ \t]*(?:(?:async[ \t]+)?def|class)[ \t]+(\w+)|^[ \t]*(\w+)[ \t]*=(?!=)", re.MULTILINE)
# What only a notebook knows: %magic, !shell and ?help, also behind an equals sign, and help?
MAGIC = re.compile(r"(\s*)(?:(?:[\w.,*][\w.,\s*]*=\s*)?[%!?].*|[%\w.*]+\?{1,2}\s*)")
RUNS_ITS_CELL = ("%%time", "%%timeit", "%%capture", "%%prun")


class NoPlayer(ValueError):
    """A file can't be read, or doesn't define the function that is asked for; the message says why."""


def timed(statement: ast.stmt) -> AbstractContextManager[object]:
    """The usual limit: two seconds, and for an import as long as it takes."""
    return nullcontext() if isinstance(statement, IMPORTS) else timeout(SECONDS)


class Session:
    """A student's code as it is run: the names that it defines, and why others are missing.

    Every statement is run. One that fails or takes too long is passed over, as a notebook goes on with its next cell.

    Args:
        name: the function that is asked for.
        limit: what each statement outside of functions is run in; it may raise an exception to end it.
        given: names that the code finds without importing them.
    """

    def __init__(self, name: str, limit: Limit = timed, given: Mapping[str, Any] | None = None) -> None:
        self.name, self.limit = name, limit
        self.names: dict[str, Any] = {"__name__": "__main__", "display": Nothing(), "get_ipython": Nothing()}
        self.names |= given or {}
        self.failures: dict[str, str] = {}  # for a name that is missing, what went wrong where it should be defined
        self.compile = codeop.Compile()  # `from __future__ import ...` holds for all that follows

    def read(self, source: str, title: str) -> None:
        """Run a cell or a program; a text that is not Python is passed over."""
        linecache.cache[title] = len(source), None, source.splitlines(keepends=True), title  # messages show its lines
        try:
            statements = parsed(source, title)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            self._fail({one or other for one, other in DEFINES.findall(source)}, error, title)
            return
        for statement in statements:
            try:
                code = self.compile(ast.Module([statement], []), title, "exec")  # type: ignore[arg-type]
                with self.limit(statement):
                    exec(code, self.names)
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                self._fail(set(_names(statement)), error, title, forget=isinstance(statement, DEFINITIONS))

    def _fail(self, names: set[str], error: BaseException, title: str, forget: bool = True) -> None:
        """Remember why these names are missing; of the function no older definition is left."""
        self.failures |= dict.fromkeys(names, self.explained(error, title))
        if forget and self.name in names:
            self.names.pop(self.name, None)

    def function(self) -> Callable[..., Any]:
        """The function that is asked for, after all has been read. Raises `NoPlayer`."""
        function: Callable[..., Any] | None = self.names.get(self.name)
        if not callable(function):
            reason = self.failures.get(self.name)
            raise NoPlayer(f"There is no function {self.name}{f': {reason}' if reason else ''}.")
        return function

    def explained(self, error: BaseException, name: str) -> str:
        """One sentence on an error as by `ttt.limits.explained`, and why the name that it misses is missing."""
        said, missing = explained(error, name), getattr(error, "name", None)
        if not isinstance(error, NameError) or not missing:
            return said
        reason = self.failures.get(missing) or self.failures.get("*")
        if not reason and missing in ttt.__all__:
            reason = f"write `from ttt import {missing}` above it"
        return f"{said}; {reason}" if reason else said


class Nothing:
    """Stands in for what shows or is IPython's: it has every name, takes every call, and does nothing."""

    def __call__(self, *_: object, **__: object) -> Nothing:
        return self

    def __getattr__(self, name: str) -> Nothing:
        if name.startswith("__"):
            raise AttributeError(name)
        return self


def parsed(source: str, title: str) -> list[ast.stmt]:
    """The statements of a cell or a program. A line that Python stumbles over and a notebook knows does nothing.

    An import of several names comes as one for each, so that a missing one does not lose the others. Raises what
    `ast.parse` raises.
    """
    cell_magic = re.match(r"\s*(%%\w+)", source)
    lines = [] if cell_magic and cell_magic[1] not in RUNS_ITS_CELL else source.split("\n")
    while True:
        try:
            return [part for statement in ast.parse("\n".join(lines), title).body for part in _split(statement)]
        except SyntaxError as error:
            number = (error.lineno or 0) - 1
            magic = MAGIC.fullmatch(lines[number]) if 0 <= number < len(lines) else None
            if magic is None:
                raise
            lines[number] = f"{magic[1]}pass"


def _split(statement: ast.stmt) -> Iterator[ast.stmt]:
    if not isinstance(statement, IMPORTS):
        yield statement
        return
    for alias in statement.names:
        part = copy(statement)
        part.names = [alias]
        yield part


def _names(statement: ast.stmt) -> Iterator[str]:
    """The names that a statement imports, defines or sets."""
    for node in ast.walk(statement):
        if isinstance(node, ast.alias):
            yield node.asname or node.name.partition(".")[0]
        elif isinstance(node, DEFINITIONS):
            yield node.name
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def load(sources: Mapping[str, str], name: str) -> Callable[..., Any]:
    """The function of this name in a notebook or a program, which is run in this very process and prints nothing.

    Args:
        sources: the text of each cell, or of the whole program, by what messages call it.
        name: the function.

    Raises `NoPlayer`.
    """
    session = Session(name)
    with Path(os.devnull).open("w") as nowhere, redirect_stdout(nowhere):
        for title, source in sources.items():
            session.read(source, title)
    return session.function()


def sources(path: Path) -> dict[str, str]:
    """A notebook's code cells, or the whole text of a program, each by what messages call it. Raises `NoPlayer`."""
    is_notebook = path.suffix.lower() == ".ipynb"
    try:
        text = path.read_text(encoding="utf-8-sig")
        if not is_notebook:
            return {str(path): text}
        cells = ["".join(cell["source"]) for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
    except OSError as error:
        raise NoPlayer(f"{path} can't be read: {error.strerror}.") from None
    except (ValueError, KeyError, TypeError):
        raise NoPlayer(f"{path} can't be read as {'a notebook' if is_notebook else 'text'}.") from None
    return {f"{path}, code cell {n}": cell for n, cell in enumerate(cells, 1)}


def load_player(path: Path) -> Player:
    """The player in a notebook or a program that you trust, as its function `my_player`. Raises `NoPlayer`."""
    from ttt.players import Player  # the sandbox has none

    try:
        return Player(path.stem, load(sources(path), FUNCTION), f"The player in {path.name}.")
    except NoPlayer as problem:
        advice = f"it must define a function {FUNCTION}(board) that returns a free cell."
        raise NoPlayer(f"{path} has no player: {advice} {problem}") from None
