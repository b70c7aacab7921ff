"""What `import ttt` exports and loads. What may import what is checked by import-linter: see pyproject.toml."""

import subprocess
import sys

import pytest

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
    with pytest.raises(AttributeError, match="no attribute 'GameBord'"):
        ttt.GameBord  # noqa: B018
