"""The student bundle: nothing of the instructor's in it, and everything in it runs."""

import ast
import json
import os
import subprocess
import sys
import zipfile

import pytest

from ttt import Board, checks
from ttt.grading.release import AlreadyThere, release, stripped


@pytest.fixture(scope="module")
def bundle(tmp_path_factory):
    return release(tmp_path_factory.mktemp("release")).with_suffix("")


def functions(folder):
    """Every function in the bundle's Python files and notebook cells that takes a board and a player."""
    for path in sorted(folder.rglob("*.py")):
        yield from _functions(path.read_text(), path)
    for path in sorted(folder.rglob("*.ipynb")):
        for cell in json.loads(path.read_text())["cells"]:
            if cell["cell_type"] == "code":
                yield from _functions("".join(cell["source"]), path)


def _functions(source, path):
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef) and [arg.arg for arg in node.args.args][:2] == ["board", "player"]:
            yield path, ast.get_source_segment(source, node)


def test_no_function_in_the_bundle_computes_heuristic_1(bundle):
    asked = list(functions(bundle))
    assert {"open_lines", "heuristic_1", "my_open_lines"} <= {source.split("(")[0][4:] for _, source in asked}
    for path, source in asked:
        scope = {}
        exec("from ttt import *\nfrom ttt.heuristics import *", scope)
        exec(f"from __future__ import annotations\n{source}", scope)
        function = scope[source.split("(")[0][4:]]
        try:
            values = [function(Board(x=case.board.x, o=case.board.o), case.player) for case in checks.cases()]
        except Exception:
            continue
        assert values != [case.value for case in checks.cases()], f"{path}: {source}"


def test_nothing_of_the_instructors_is_in_the_bundle(bundle):
    names = {path.relative_to(bundle).as_posix() for path in bundle.rglob("*")}
    assert not any("grading" in name or name.startswith("tests") or name.endswith(".toml") for name in names - {
        "pyproject.toml"})  # fmt: skip
    assert {"ttt/checks.py", "ttt/heuristic_1.json", "ttt/widgets/board.js", "Makefile", "README.md",
            "exercises/heuristic_1/heuristic_1.ipynb", "notebooks/00_play.ipynb"} <= names  # fmt: skip
    for name in ("SOLUTION", "right_value", "hidden"):
        assert not any(name in path.read_text(errors="replace") for path in bundle.rglob("*.py"))


def test_the_notebooks_come_without_results_and_the_zip_holds_the_same_files(bundle):
    for path in bundle.rglob("*.ipynb"):
        cells = json.loads(path.read_text())["cells"]
        assert all(not cell["outputs"] for cell in cells if cell["cell_type"] == "code")
    with zipfile.ZipFile(bundle.with_suffix(".zip")) as archive:
        held = {name: archive.read(name) for name in archive.namelist()}
    assert held == {
        path.relative_to(bundle.parent).as_posix(): path.read_bytes() for path in bundle.rglob("*") if path.is_file()
    }


def test_solutions_are_cut_out():
    source = "def f(board):\n    ### BEGIN SOLUTION\n    return 42\n    ### END SOLUTION\n\n\nf"
    notebook = {"cells": [{"cell_type": "code", "source": source, "outputs": [1], "execution_count": 3}]}
    cell = json.loads(stripped(json.dumps(notebook)))["cells"][0]
    assert "".join(cell["source"]) == "def f(board):\n    raise NotImplementedError\n\n\nf"
    assert cell["outputs"] == [] and cell["execution_count"] is None


def test_the_bundles_notebooks_run_on_the_bundles_own_package(bundle):
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--nbval-lax", "notebooks", "exercises"]
    environment = os.environ | {"PYTHONPATH": str(bundle)}
    done = subprocess.run(command, cwd=bundle, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout[-3000:]
    script = "import ttt; print(ttt.__file__)"
    where = subprocess.run([sys.executable, "-c", script], cwd=bundle, env=environment, capture_output=True, text=True)
    assert where.stdout.startswith(str(bundle))


def test_nothing_is_overwritten(bundle):
    with pytest.raises(AlreadyThere, match="is there already"):
        release(bundle.parent)
