"""What `ttt` and `lab` load. What may import what is checked by import-linter: see pyproject.toml."""

import subprocess
import sys

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
