"""Runs a student's notebook or program, in the sandbox too. So it needs nothing of the lab but `limits`."""

from __future__ import annotations

import ast
import codeop
import json
import linecache
import re
from collections.abc import Callable, Collection, Coroutine, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext, redirect_stdout, suppress
from types import CoroutineType
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
MEASURED = re.compile(r"\s*%%(?:time|timeit|capture|prun)\b.*")  # the line above what is run as any cell
TIMED = re.compile(r"^([ \t]*)%time[ \t]+(?!-)", re.MULTILINE)  # before a statement
UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)  # what Python raises for a text that it can't read


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
        self.compile.flags |= ast.PyCF_ALLOW_TOP_LEVEL_AWAIT

    def read(self, source: str, title: str) -> None:
        """Run a cell or a program; a text that is not Python is passed over."""
        linecache.cache[title] = len(source), None, source.splitlines(keepends=True), title  # messages show its lines
        try:
            statements = list(separate(ast.parse(source, title).body))
            codes = [self.compile(ast.Module([one], []), title, "exec") for one in statements]  # type: ignore[arg-type]
        except UNREADABLE as error:
            self._fail([one or other for one, other in DEFINES.findall(source)], error, title)
            return
        for statement, code in zip(statements, codes, strict=True):
            try:
                with self.limit(statement):
                    returned = eval(code, self.names)
                    if isinstance(returned, CoroutineType):
                        run_through(returned)
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                self._fail(defined(statement), error, title)

    def _fail(self, names: Collection[str], error: BaseException, title: str) -> None:
        """Remember why these names are missing; an older definition of the function is forgotten."""
        if self.name in names:
            self.names.pop(self.name, None)
        said = self.explained(error, title)
        self.failures = {name: said for name in names if name not in self.names} | self.failures

    def function(self) -> Callable[..., Any]:
        """The function that is asked for, after all has been read. Raises `NoPlayer`."""
        function: Callable[..., Any] | None = self.names.get(self.name)
        if not callable(function):
            raise NoPlayer(f"There is no function {self.name}. {self.failures.get(self.name, '')}".strip())
        return function

    def explained(self, error: BaseException, name: str) -> str:
        """One sentence on an error as by `ttt.runtime.limits.explained`; before it, why the missing name is missing."""
        missing = getattr(error, "name", None) if isinstance(error, NameError) else None
        if missing in self.failures:
            return f"{self.failures[missing]}; so {explained(error, name)}"
        advice = f"; write `from ttt import {missing}` above it" if missing in ttt.__all__ else ""
        return explained(error, name) + advice


def separate(statements: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements; an import of several names comes as one for each."""
    for statement in statements:
        if isinstance(statement, IMPORTS):
            yield from (type(statement)(**{**vars(statement), "names": [alias]}) for alias in statement.names)
        else:
            yield statement


def defined(statement: ast.stmt) -> set[str]:
    """The names that a statement defines."""
    names = set()
    for node in ast.walk(statement):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.alias):
            names.add(node.asname or node.name.partition(".")[0])
    return names


def run_through(awaits: Coroutine[Any, Any, Any]) -> None:
    """Run what awaits something without an event loop, which the sandbox can't have."""
    with suppress(StopIteration):
        while True:
            awaits.send(None)


def as_python(cell: str) -> str:
    """A cell as the Python that IPython makes of it, on the same lines; what can't be understood stays as it is."""
    while measured := MEASURED.match(cell):
        cell = "\n" * measured[0].count("\n") + cell[measured.end() :]
    try:
        ast.parse(cell)
    except UNREADABLE:
        from IPython.core.inputtransformer2 import TransformerManager  # which the sandbox doesn't have

        above = cell[: len(cell) - len(cell.lstrip("\n"))]
        with suppress(*UNREADABLE):
            transformer: Any = TransformerManager()  # type: ignore[no-untyped-call]
            return above + str(transformer.transform_cell(TIMED.sub(r"\1", cell))).removesuffix("\n")
    return cell


def load(sources: Mapping[str, str], name: str) -> Callable[..., Any]:
    """The function in cells or a program, which are run in this very process, and print nothing. Raises `NoPlayer`."""
    session = Session(name)
    with redirect_stdout(Nothing()):  # type: ignore[type-var]
        for title, source in sources.items():
            session.read(as_python(source), title)
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
