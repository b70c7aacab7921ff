"""Runs a student's notebook or program, in the sandbox too. So it needs nothing of the lab but `limits`."""

from __future__ import annotations

import ast
import codeop
import linecache
import re
from collections.abc import Callable, Collection, Coroutine, Iterator, Mapping
from contextlib import suppress
from types import CoroutineType
from typing import Any

import ttt
from ttt.runtime.limits import explained

FUNCTION = "my_player"  # what a player's file defines
IMPORTS = (ast.Import, ast.ImportFrom)
DEFINES = re.compile(r"^[ \t]*(?:(?:async[ \t]+)?def|class)[ \t]+(\w+)|^[ \t]*(\w+)[ \t]*=(?!=)", re.MULTILINE)
MEASURED = re.compile(r"\s*%%(?:time|timeit|capture|prun)\b.*")  # the line above what is run as any cell
TIMED = re.compile(r"^([ \t]*)%time[ \t]+(?!-)", re.MULTILINE)  # before a statement
UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)  # what Python raises for a text that it can't read


class NoFunction(ValueError):
    """Code doesn't define the function that is asked for; the message says why."""


class Nothing:
    """Stands in for what shows or is IPython's: it has every name, takes every call, and does nothing."""

    def __call__(self, *_: object, **__: object) -> Nothing:
        return self

    def __getattr__(self, name: str) -> Nothing:
        if name.startswith("__"):
            raise AttributeError(name)
        return self


class Session:
    """A student's code as it is run: the names that it defines, and why others are missing.

    A statement that fails or takes too long is passed over, as a notebook goes on with its next cell. Each is run in
    `limit`, which may raise an exception to end it. The code finds the `given` names without importing them.
    """

    def __init__(self, name: str, limit: Callable[[ast.stmt], Any], given: Mapping[str, Any] = {}) -> None:
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
        """The function that is asked for, after all has been read. Raises `NoFunction`."""
        function: Callable[..., Any] | None = self.names.get(self.name)
        if not callable(function):
            raise NoFunction(f"There is no function {self.name}. {self.failures.get(self.name, '')}".strip())
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
