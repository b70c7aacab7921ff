"""Files of one's own: the player that a notebook or a program defines, run in this very process, without a jail."""

from __future__ import annotations

import ast
import io
import json
import re
import sys
from collections.abc import Callable
from contextlib import redirect_stdout, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from ttt.board import Board
from ttt.players import Player, PlayerError, explained

FUNCTION = "my_player"  # what a player's file defines
# A line that only a notebook knows: %magic, !shell and ?help, also behind an equals sign, and help?
# The jail has its own copy, since it loads no player before it must.
MAGIC = re.compile(r"(\s*)(?:(?:[\w.,\s*]+=\s*)?[%!?].*|[%\w.*]+\?{1,2}\s*)")


class NoPlayer(PlayerError):
    """A file has no player, or can't be read; the message says which."""


@dataclass(frozen=True)
class Own:
    """The function `my_player` of a file that one trusts, run in this very process; others load it for themselves."""

    path: Path

    def __call__(self, board: Board) -> Any:
        return _function(self.path)(board)


def load_player(path: Path) -> Player:
    """The player in a notebook or a program of one's own. Raises `NoPlayer`.

    Of a notebook all cells up to the last one that defines the function are run, but for what they show, and of the
    cells after it the definitions; one that fails is passed over.
    """
    _function(path)
    return Player(path.stem, Own(path), f"The player in {path.name}.")


@cache
def _function(path: Path) -> Callable[[Board], Any]:
    module, problem = ModuleType(f"player {path}"), ""
    sys.modules[module.__name__] = module  # dataclasses look there
    sources = _sources(path)
    cells = [_parsed(source) for source in sources]
    last = max((n for n, cell in enumerate(cells) if cell and FUNCTION in _defined(cell)), default=-1)
    with redirect_stdout(io.StringIO()):
        for n, (source, cell) in enumerate(zip(sources, cells, strict=True)):
            name = str(path) if path.suffix.lower() == ".py" else f"{path}, code cell {n + 1},"
            try:
                exec(compile(_worth_running(cell, n <= last) if cell else source, name, "exec"), vars(module))
            except (Exception, SystemExit) as error:
                problem = problem or f" {explained(error, name)}."
    function: Callable[[Board], Any] = getattr(module, FUNCTION, None)  # type: ignore[assignment]
    if not callable(function):
        raise NoPlayer(
            f"{path} has no player: it must define a function {FUNCTION}(board) that returns a free cell.{problem}"
        )
    return function


def _sources(path: Path) -> list[str]:
    """A notebook's code cells, or the one text of a program."""
    try:
        text = path.read_text(encoding="utf-8-sig")
        if path.suffix.lower() != ".ipynb":
            return [text]
        return ["".join(cell["source"]) for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
    except OSError as error:
        raise NoPlayer(f"{path} can't be read: {error.strerror}.") from None
    except (ValueError, KeyError, TypeError):
        raise NoPlayer(f"{path} can't be read as {'text' if path.suffix.lower() == '.py' else 'a notebook'}.") from None


def _parsed(source: str) -> ast.Module | None:
    """A cell without the lines that only a notebook knows; None where that is no Python."""
    plain = "\n".join(f"{line[1]}pass" if (line := MAGIC.fullmatch(one)) else one for one in source.split("\n"))
    for text in (source, plain):
        with suppress(SyntaxError, ValueError, RecursionError):
            return ast.parse(text)
    return None


def _defined(cell: ast.Module) -> set[str]:
    """The names that a cell gives to something."""
    nodes = list(ast.walk(cell))
    named = {node.name for node in nodes if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    return named | {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}


def _worth_running(cell: ast.Module, whole: bool) -> ast.Module:
    """A cell without what it shows, its last line, or its definitions alone."""
    definitions = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef)
    if not whole:
        return ast.Module([node for node in cell.body if isinstance(node, definitions)], [])
    shows = cell.body and isinstance(cell.body[-1], ast.Expr)
    return ast.Module(cell.body[:-1] if shows else cell.body, [])
