"""The server inside the sandbox: runs a submitted interface, and answers requests to play on it.

It imports nothing of `ttt.grading` but `inside`, since nothing else of that package is mounted in the sandbox. A
request and its answer are one line of JSON each. The client trusts none of the answers.
"""

from __future__ import annotations

import ast
import linecache
import os
from collections.abc import Iterator, Sequence
from json import dumps, loads
from typing import Any

from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from ttt import widgets
from ttt.grading.inside.submission import in_words, lines_of, parsed, split
from ttt.widgets.driver import InterfaceDriver

UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)  # what reading a cell can raise


class Server(InterfaceDriver):
    """A student's notebook, run once, and the widget that its `interface()` returns."""

    def __init__(self) -> None:
        self.shell: Any = InteractiveShell.instance(config=Config({"HistoryManager": {"enabled": False}}))
        super().__init__(self.shell.user_ns)
        vars(widgets)["check_interface"] = lambda: None  # it would play all the games once more

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
