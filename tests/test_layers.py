"""What `ttt` and `lab` export and load. What may import what is checked by import-linter: see pyproject.toml."""

import re
import subprocess
import sys

import lab
import pytest
from conftest import ROOT

import ttt

HEAVY = {"numpy", "matplotlib", "ipywidgets", "pandas", "numba", "anywidget", "IPython", "typer", "rich", "xml"}


# What is done in one process, one after another, and what must not be loaded after it.
NEEDLESS = {
    "import ttt": HEAVY,
    "from ttt import PLAYERS, play; play('random', 'flash-clever')": HEAVY,
    "import lab": HEAVY,
    "from ttt import Board; from ttt.search import alphabeta; alphabeta(Board((4, 4, 4)), 2)": {"numba", "numpy"},
    "lab.check(lambda board, player: None, 'heuristic_1')": {"numpy"},
    "from lab import GameBoard; GameBoard()._repr_mimebundle_()": {"matplotlib", "pandas"},
    "from lab import plots; from ttt import exact; str(plots.outcomes(exact('perfect', 'random')))": {"pandas"},
}


def test_the_engine_needs_nothing_but_python_and_nothing_heavy_is_loaded_that_is_not_needed():
    script = "import sys; print(*sys.modules)\n" + "".join(f"{code}; print(*sys.modules)\n" for code in NEEDLESS)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    before, *loaded = ({*line.split()} for line in done.stdout.splitlines())
    for (code, needless), modules in zip(NEEDLESS.items(), loaded, strict=True):
        assert not needless & modules, code
    assert {name.partition(".")[0] for name in loaded[0] - before} - sys.stdlib_module_names <= {"ttt", "__mp_main__"}


def test_the_engine_knows_no_page_and_names_the_lab_only_to_say_where_a_name_is():
    """Drawings are SVG; what a lesson shows round them is the lab's. Imports are checked by import-linter."""
    naming_the_lab = []
    for file in sorted((ROOT / "ttt").rglob("*.py")):
        code = file.read_text("utf-8")
        assert not re.search(r"_repr_html_|</?(div|p|span|strong|ul|li|button)\b|ttt-card", code), file
        if re.search(r"\b(from|import) lab\b|[\"']lab[\"'.]|sys\.modules\[.lab", code):
            naming_the_lab.append(file.relative_to(ROOT).as_posix())
    assert naming_the_lab == ["ttt/__init__.py"]


@pytest.mark.parametrize("package, other", [(ttt, lab), (lab, ttt)], ids=lambda package: package.__name__)
def test_a_name_asked_of_the_wrong_package_says_where_it_is(package, other):
    """That what a package exports is there is seen in test_defaults.py, which lists the options of all of it."""
    here = package.__name__
    for name in package.__all__:
        with pytest.raises(ImportError, match=f"^{name} is in {here}: from {here} import {name}$"):
            exec(f"from {other.__name__} import {name}")
    with pytest.raises(AttributeError, match="no attribute 'GameBord'"):
        package.GameBord  # noqa: B018
