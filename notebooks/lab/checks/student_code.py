"""Runs a student's notebook or program, also in the sandbox, so it needs nothing of the lab but `timeouts`."""

from __future__ import annotations

import ast
import codeop
import linecache
import re
from collections.abc import Callable, Collection, Coroutine, Iterable, Iterator, Mapping
from contextlib import suppress
from types import CoroutineType
from typing import Any

import ttt
from lab.timeouts import explained

FUNCTION = "my_player"  # the function a player's file must define
IMPORTS = (ast.Import, ast.ImportFrom)
DEFINES = re.compile(r"^[ \t]*(?:(?:async[ \t]+)?def|class)[ \t]+(\w+)|^[ \t]*(\w+)[ \t]*=(?!=)", re.MULTILINE)
MEASURED = re.compile(r"\s*%%(?:time|timeit|capture|prun)\b.*")  # a cell magic above ordinary code
TIMED = re.compile(r"^([ \t]*)%time[ \t]+(?!-)", re.MULTILINE)  # a line magic before a statement
UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)  # raised by Python for unreadable source text


class NoFunction(ValueError):
    """The code doesn't define the required function; the message says why."""


class Nothing:
    """Stands in for `display` and IPython: has every attribute, accepts every call, and does nothing."""

    def __call__(self, *_: object, **__: object) -> Nothing:
        return self

    def __getattr__(self, name: str) -> Nothing:
        if name.startswith("__"):
            raise AttributeError(name)
        return self


class Session:
    """A run of a student's code: the names it defines, and why others are missing.

    A statement that fails or takes too long is skipped, as a notebook continues with its next cell. Each runs inside
    `limit`, which may raise an exception to end it. The code can use the `given` names without importing them.

    What the student's own statements name stays theirs: a statement that is as `handed_out`, a text of code, may read
    these names, but not give them to something else.
    """

    def __init__(
        self, name: str, limit: Callable[[ast.stmt], Any], given: Mapping[str, Any] = {}, handed_out: Iterable[str] = ()
    ) -> None:
        self.name, self.limit = name, limit
        self.own: set[str] = set()  # the names that the student's own statements have given
        self.handed_out = {ast.dump(one) for text in handed_out for one in separate(ast.parse(text).body)}
        self.names = {"__name__": "__main__", "display": Nothing(), "get_ipython": Nothing(), **given}
        self._before = dict(self.names)
        self.failures: dict[str, str] = {}  # for each missing name, what went wrong where it should be defined
        self.compile = codeop.Compile()  # `from __future__ import ...` applies to everything that follows
        self.compile.flags |= ast.PyCF_ALLOW_TOP_LEVEL_AWAIT

    def read(self, source: str, title: str) -> None:
        """Run a cell or a program; text that is not Python is skipped."""
        linecache.cache[title] = len(source), None, source.splitlines(keepends=True), title  # for the lines in messages
        try:
            statements = list(separate(ast.parse(source, title).body))
            codes = [self.compile(ast.Module([one], []), title, "exec") for one in statements]  # type: ignore[arg-type]
        except UNREADABLE as error:
            self._fail([one or other for one, other in DEFINES.findall(source)], error, title)
            return
        for statement, code in zip(statements, codes, strict=True):
            given = self.is_handed_out(statement)
            if given:
                self._claim()
                own = {name: self.names[name] for name in self.own & self.names.keys()}
            try:
                with self.limit(statement):
                    returned = eval(code, self.names)
                    if isinstance(returned, CoroutineType):
                        run_through(returned)
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                self._fail(defined(statement), error, title)
            if given:
                self.names |= own
                self._before = dict(self.names)
        self._claim()

    def _claim(self) -> None:
        """Note which names the student's own statements have given since the last time."""
        self.own |= {name for name, value in self.names.items() if self._before.get(name, self) is not value}
        self._before = dict(self.names)

    def is_handed_out(self, statement: ast.stmt) -> bool:
        """Whether a statement is as handed out, wherever it stands."""
        return bool(self.handed_out) and ast.dump(statement) in self.handed_out

    def _fail(self, names: Collection[str], error: BaseException, title: str) -> None:
        """Record why these names are missing, and forget any older definition of the function."""
        if self.name in names:
            self.names.pop(self.name, None)
        said = f"{title} stopped with {type(error).__name__}"
        with suppress(BaseException):  # an exception of the student's own may raise another when it is shown
            said = self.explained(error, title)
        self.failures = {name: said for name in names if name not in self.names} | self.failures

    def function(self) -> Callable[..., Any]:
        """The required function, once everything has been read. Raises `NoFunction`."""
        function: Callable[..., Any] | None = self.names.get(self.name)
        if not callable(function):
            raise NoFunction(f"There is no function `{self.name}`. {self.failures.get(self.name, '')}".strip())
        return function

    def explained(self, error: BaseException, name: str) -> str:
        """Word an error as `lab.timeouts.explained` does, after the reason why a missing name is missing."""
        missing = getattr(error, "name", None) if isinstance(error, NameError) else None
        if missing in self.failures:
            return f"{self.failures[missing]}; so {explained(error, name)}"
        advice = f"; write `from ttt import {missing}` above it" if missing in ttt.__all__ else ""
        return explained(error, name) + advice


def separate(statements: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements, with an import of several names split into one per name."""
    for statement in statements:
        if isinstance(statement, IMPORTS):
            yield from (type(statement)(**{**vars(statement), "names": [alias]}) for alias in statement.names)
        else:
            yield statement


def defined(statement: ast.stmt) -> set[str]:
    """The names a statement defines, or fills, as in `table[2] = 3`."""
    names = set()
    for node in ast.walk(statement):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store) and isinstance(node.value, ast.Name):
            names.add(node.value.id)
        elif isinstance(node, ast.alias):
            names.add(node.asname or node.name.partition(".")[0])
    return names


def run_through(awaits: Coroutine[Any, Any, Any]) -> None:
    """Run a coroutine without an event loop, which the sandbox can't have."""
    with suppress(StopIteration):
        while True:
            awaits.send(None)


def as_python(cell: str) -> str:
    """Translate a cell to Python as IPython does, on the same lines; unreadable text stays as it is."""
    while measured := MEASURED.match(cell):
        cell = "\n" * measured[0].count("\n") + cell[measured.end() :]
    try:
        ast.parse(cell)
    except UNREADABLE:
        from IPython.core.inputtransformer2 import TransformerManager  # missing in the sandbox

        above = cell[: len(cell) - len(cell.lstrip("\n"))]
        with suppress(*UNREADABLE):
            transformer: Any = TransformerManager()  # type: ignore[no-untyped-call]
            return above + str(transformer.transform_cell(TIMED.sub(r"\1", cell))).removesuffix("\n")
    return cell
