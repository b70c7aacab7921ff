"""What `import ttt` exports and loads. What may import what is checked by import-linter: see pyproject.toml."""

import re
import subprocess
import sys
from types import FunctionType

import pytest
from mypy import api

import ttt

HEAVY = {"numpy", "matplotlib", "ipywidgets", "pandas", "numba", "anywidget", "IPython", "typer", "rich", "xml"}
ENGINES = {"search", "qubic", "statistics", "plots", "widgets"}


def loaded_by(code):
    script = f"{code}\nimport sys; print(*sorted(sys.modules))"
    return set(
        subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split()
    )


LIGHT = ("import ttt", "from ttt import Board, PLAYERS, play; play('random', 'flash-clever')")


@pytest.mark.parametrize("code", LIGHT)
def test_import_ttt_loads_nothing_heavy(code):
    assert not HEAVY & loaded_by(code)


def test_the_engines_are_loaded_when_something_searches():
    assert not {f"ttt.{name}" for name in ENGINES} & loaded_by("from ttt import PLAYERS, greedy")


def test_pandas_is_loaded_for_plots_of_searches_alone():
    loaded = loaded_by("from ttt import plots; plots.columns({1: 2}, 'title', 'x', 'y').figure.svg")
    assert "matplotlib.figure" in loaded and "pandas" not in loaded


def test_everything_that_ttt_exports_is_there_and_nothing_else():
    assert all(getattr(ttt, name) is not None for name in ttt.__all__) and dir(ttt) == sorted(ttt.__all__)
    assert sorted([*ttt._MODULE, *ttt._MODULES]) == dir(ttt)
    with pytest.raises(AttributeError, match="no attribute 'GameBord'"):
        ttt.GameBord  # noqa: B018


def test_a_checker_knows_the_types_of_all_exports_and_refuses_a_name_that_does_not_exist(tmp_path):
    file = tmp_path / "mine.py"
    lines = ["import ttt", *(f"reveal_type(ttt.{name})" for name in ttt.__all__), "from ttt import GameBord"]
    file.write_text("\n".join([*lines, "print(ttt.exact('random', 'random').draw)"]))
    out, _, _ = api.run([str(file)])
    types = re.findall(r"Revealed type is \"(.*)\"", out)
    assert len(types) == len(ttt.__all__) and "Any" not in types
    assert re.findall(r'error: .* no attribute "(\w+)"', out) == ["GameBord", "draw"]


def test_the_tournament_that_is_exported_is_the_function():
    assert isinstance(ttt.tournament, FunctionType) and ttt.search.minimax and ttt.svg.draw and ttt.plots.columns
