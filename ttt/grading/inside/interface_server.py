"""The server inside the sandbox: runs a submitted interface, and answers requests to play on it.

It imports nothing of `ttt.grading` but `inside`, since nothing else of that package is mounted in the sandbox. A
request and its answer are one line of JSON each. The client trusts none of the answers, but for the first: what `scan`
finds, before any of the submission has been run.
"""

from __future__ import annotations

import ast
import linecache
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from json import dumps, loads
from typing import Any

from IPython.core.interactiveshell import InteractiveShell
from ipywidgets.embed import dependency_state
from traitlets.config import Config

from ttt import widgets
from ttt.grading.inside.submission import in_words, lines_of, parsed, split
from ttt.widgets.driver import InterfaceDriver

LONGEST = 300  # characters of a line of code
UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)  # what reading a cell can raise

# What an interface has no use for, and what it takes to change the answers of this program from within.
TAMPERING_MODULES = {
    "__main__",
    "_thread",
    "builtins",
    "ctypes",
    "gc",
    "importlib",
    "inspect",
    "unittest",
    "ttt.grading",
    "ttt.widgets.driver",
}
TAMPERING_NAMES = {
    *("InterfaceDriver", "driver"),
    *("__builtins__", "__import__", "compile", "eval", "exec", "setattr", "delattr", "vars"),
    *("__closure__", "__code__", "__dict__", "__globals__", "__setattr__", "__subclasses__"),
    *("_current_frames", "_getframe", "cr_frame", "f_back", "f_globals", "f_locals", "gi_frame", "tb_frame"),
    *("attrgetter", "methodcaller", "modules", "setprofile", "settrace", "dup", "dup2", "fdopen"),
}


class Server(InterfaceDriver):
    """A student's notebook, run once, and the widget that its `interface()` returns."""

    def __init__(self) -> None:
        self.shell: Any = InteractiveShell.instance(config=Config({"HistoryManager": {"enabled": False}}))
        super().__init__(self.shell.user_ns)
        vars(widgets)["check_interface"] = lambda: None  # it would play all the games once more

    def scan(self, cells: Sequence[str]) -> dict[str, object]:
        """The first line that could reach into this program, or ""."""
        code = [piece for cell in cells for piece in _code(cell)]
        imported = {alias.asname or alias.name.partition(".")[0] for node, _ in code for alias in _imports(node)}
        return {"line": next((line for node, line in code if _tampers(node, imported)), "")}

    def run(self, cells: Sequence[str]) -> dict[str, object]:
        """Run all cells in order, even after an error; returns a sentence on the first error, or ""."""
        stopped = []
        for number, cell in enumerate(cells, 1):
            stopped += [f"Code cell {number} stopped with {error}." for error in self._run(cell, f"cell {number}")]
        return {"stopped": stopped[0] if stopped else ""}

    def _run(self, cell: str, file: str) -> Iterator[str]:
        """Run a cell, one statement at a time, so that one that fails loses no other; yields the errors."""
        lines_of[file] = cell.split("\n")
        linecache.cache[file] = len(cell), None, cell.splitlines(keepends=True), file  # for sentences on exceptions
        try:
            statements = parsed(cell, file)
        except UNREADABLE as error:
            yield in_words(error)
            return
        for statement in statements:
            for part in split(statement):
                try:
                    with self.shell.builtin_trap:
                        exec(compile(ast.Module([part], []), file, "exec"), self.shell.user_ns)
                except (Exception, SystemExit, KeyboardInterrupt) as error:
                    yield in_words(error)

    def picture(self) -> dict[str, object]:
        """The state of the widget and of all widgets in it, to draw them on a page."""
        return {"root": self.widget.model_id, "state": dependency_state([self.widget], drop_defaults=False)}


def _code(cell: str) -> Iterator[tuple[Any, str]]:
    """The pieces of a cell's code, each with the line that it begins on; none if the cell can't be read, nor run."""
    lines = cell.split("\n")
    with suppress(*UNREADABLE):
        for statement in parsed(cell, "cell"):
            for node in ast.walk(statement):
                yield node, lines[getattr(node, "lineno", 1) - 1].strip()[:LONGEST]


def _imports(node: ast.AST) -> list[ast.alias]:
    return node.names if isinstance(node, (ast.Import, ast.ImportFrom)) else []


def _tampers(node: Any, imported: set[str]) -> bool:
    """Whether a piece of code could reach into this program, where some names are known to be imported."""
    module = getattr(node, "module", "") or ""
    modules = [module, *(f"{module}.{alias.name}".lstrip(".") for alias in _imports(node))]
    if any(f"{name}.".startswith(f"{tampering}.") for name in modules for tampering in TAMPERING_MODULES):
        return True
    if isinstance(node, ast.ImportFrom):
        return not TAMPERING_NAMES.isdisjoint(alias.name for alias in node.names)
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str) and node.value in TAMPERING_NAMES
    if isinstance(node, ast.Name):
        return node.id in TAMPERING_NAMES
    if isinstance(node, ast.Attribute):
        changed = not isinstance(node.ctx, ast.Load)
        return (changed and _root(node) in imported) or node.attr in TAMPERING_NAMES - {"compile"}  # re.compile
    if isinstance(node, ast.Call) and _root(node.func) == "getattr":
        return not any(isinstance(name, ast.Constant) for name in node.args[1:2])
    return False


def _root(node: ast.expr) -> str:
    """The name that a chain of attributes begins with."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def serve() -> None:
    """Answer requests until there are no more. Standard input and output are closed to the student's code."""
    requests, answers = os.fdopen(os.dup(0), encoding="utf-8"), os.fdopen(os.dup(1), "w", encoding="utf-8")
    null = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(null, standard)
    server = Server()
    for line in requests:
        request = loads(line)
        try:
            answer = getattr(server, request.pop("do"))(**request)
        except (Exception, SystemExit, KeyboardInterrupt) as error:
            answer = {"raised": f"it stopped with {in_words(error)}."}
        answers.write(dumps(answer, default=str) + "\n")
        answers.flush()


if __name__ == "__main__":
    serve()
