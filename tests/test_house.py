"""The house: what may import what, and what `import ttt` may load."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import ttt

PACKAGE = Path(ttt.__file__).parent
FLOORS = {
    "board": 0,
    "progress": 0,
    "terminal": 0,
    "store": 0,
    "jobs": 1,
    "ratings": 0,
    "heuristics": 1,
    "symmetry": 1,
    "players": 2,
    "search": 2,
    "qubic": 2,
    "arena": 3,
    "sweep": 3,
    "tournament": 3,
    "svg": 4,
    "plots": 4,
    "widgets": 4,
    "exercises": 4,
    "checks": 5,
    "bench": 4,
    "__main__": 4,
}
BESIDE = {
    *(("plots", "svg"), ("widgets", "svg"), ("exercises", "svg")),  # faces share the drawing's colours and words
    *(("qubic", "search"), ("players", "search"), ("players", "qubic")),  # some players search
    *(("tournament", "arena"), ("__main__", "plots"), ("__main__", "bench"), ("bench", "plots")),
}
WINGS = {
    "grading": {
        *("board", "heuristics", "players", "exercises", "svg", "progress", "terminal", "jobs", "store", "grading")
    }
}  # the instructor's; the command finds it where it is
LOOKED_AT = {("board", "svg"), ("arena", "svg")}  # a value shows itself: imported when it is drawn, not before


def room(path):
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "ttt":
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("ttt."):
            yield node.module.split(".")[1]


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_room_imports_only_what_is_below_it(path):
    if path.parent == PACKAGE and path.name == "__init__.py":
        return
    own = room(path)
    for other in imports(ast.parse(path.read_text())):
        if own in WINGS:
            inside = path.parent.name == "inside"  # it runs in the sandbox, on the submission's side
            assert other in WINGS[own] or inside, f"{own} imports {other}"
            continue
        if (own, other) == ("__main__", "grading"):
            continue
        allowed = other == own or FLOORS[other] < FLOORS[own] or (own, other) in BESIDE | LOOKED_AT
        assert allowed, f"{own} imports {other}"


def loaded_by(code):
    script = f"{code}\nimport sys; print(*sorted(sys.modules))"
    return set(
        subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split()
    )


def test_import_ttt_loads_nothing_heavy():
    for code in ("import ttt", "from ttt import Board, PLAYERS, play; play('random', 'flash-clever')"):
        heavy = {"numpy", "matplotlib", "ipywidgets", "numba", "anywidget", "IPython", "typer", "rich", "xml"}
        assert not heavy & loaded_by(code)


def test_the_engines_are_loaded_when_something_searches():
    for code in ("from ttt import PLAYERS, greedy", "import ttt.__main__"):
        rooms = {name.split(".")[1] for name in loaded_by(code) if name.startswith("ttt.")}
        assert not {"search", "qubic", "sweep", "tournament", "bench", "plots", "widgets"} & rooms


def test_everything_that_ttt_names_is_there():
    assert all(getattr(ttt, name) is not None for name in ttt.__all__)
    with pytest.raises(AttributeError, match="no attribute 'GameBord'"):
        ttt.GameBord  # noqa: B018
