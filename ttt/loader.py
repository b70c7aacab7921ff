"""A function in a student's own file, a notebook or a program: run in this very process, without a sandbox."""

from __future__ import annotations

import ast
import io
import json
import sys
from collections.abc import Callable, Mapping
from contextlib import redirect_stdout, suppress
from functools import cache, partial
from pathlib import Path
from symtable import symtable
from types import ModuleType
from typing import Any

from ttt.board import Board
from ttt.limits import explained
from ttt.players import Player, PlayerError

FUNCTION = "my_player"  # what a player's file defines
DEFINITIONS = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef)


class NoPlayer(PlayerError):
    """A file can't be read or defines no player; the message says which."""


class _NoShell:
    """Takes the place of IPython's shell: every magic and shell command does nothing."""

    def __getattr__(self, name: str) -> Callable[..., None]:
        return lambda *_: None


def load_player(path: Path) -> Player:
    """The player in a notebook or a program that you trust, as its function `my_player`. Raises `NoPlayer`.

    In a notebook, all cells up to the last one that defines the function are run, without what they show, and only
    the definitions in the cells after it. A cell that fails is skipped.
    """
    _function(path)
    return Player(path.stem, partial(_answer, path), f"The player in {path.name}.")


def _answer(path: Path, board: Board) -> Any:
    return _function(path)(board)  # each process loads the file itself: a partial of this can be pickled


@cache
def _function(path: Path) -> Callable[[Board], Any]:
    advice = f"it must define a function {FUNCTION}(board) that returns a free cell."
    return defined(FUNCTION, sources(path), f"{path} has no player: {advice}")


def defined(name: str, sources: Mapping[str, str], missing: str) -> Callable[..., Any]:
    """The function of this name in a notebook or a program that you trust, whose `sources` these are.

    They are run as `load_player` runs them. Raises `NoPlayer`, which says `missing`, unless they define the function.
    """
    module = ModuleType(f"{name} in {next(iter(sources), '')}")
    sys.modules[module.__name__] = module  # dataclasses look there
    vars(module)["get_ipython"] = _NoShell
    problem = _run(sources, module, name)
    function: Callable[..., Any] | None = getattr(module, name, None)
    if not callable(function):
        raise NoPlayer(f"{missing} {problem}".strip())
    return function


def sources(path: Path) -> dict[str, str]:
    """A notebook's code cells as plain Python, or the whole text of a program, by name. Raises `NoPlayer`."""
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
    return {f"{path}, code cell {n}": _plain(cell) for n, cell in enumerate(cells, 1)}


def _plain(cell: str) -> str:
    """A notebook's cell as Python: magics and shell commands become calls."""
    from IPython.core.inputtransformer2 import TransformerManager  # takes a while to load

    manager: Any = TransformerManager
    return str(manager().transform_cell(cell.partition("\n")[2] if cell.startswith("%%") else cell))


def _run(sources: Mapping[str, str], module: ModuleType, function: str) -> str:
    """Run what may define the function; returns a sentence about the first part that fails."""
    problem = ""
    last = max((n for n, source in enumerate(sources.values()) if _defines(function, source)), default=-1)
    with redirect_stdout(io.StringIO()):
        for n, (name, source) in enumerate(sources.items()):
            try:
                tree = _worth_running(ast.parse(source), whole=n <= last)
                exec(compile(tree, name, "exec"), vars(module))
            except (Exception, SystemExit) as error:
                problem = problem or f"{explained(error, name)}."
    return problem


def _defines(function: str, source: str) -> bool:
    with suppress(SyntaxError, ValueError, RecursionError):
        names = symtable(source, "", "exec")
        return function in names.get_identifiers() and names.lookup(function).is_assigned()
    return False


def _worth_running(tree: ast.Module, whole: bool) -> ast.Module:
    """A cell without a last line that only shows something; or just its definitions."""
    body = [node for node in tree.body if whole or isinstance(node, DEFINITIONS)]
    if body and isinstance(body[-1], ast.Expr):
        body = body[:-1]
    return ast.Module(body, [])
