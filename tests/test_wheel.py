"""The package as it is installed from a wheel: far from its checkout, and with nothing of it at hand."""

import ast
import importlib.metadata
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
from functools import cache
from pathlib import Path

import pytest
from conftest import ROOT
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from submissions import sources

PLAYER = "def my_player(board):\n    return board.moves[-1]\n"
CHECK = f"{sources('right')['four counters']}\nfrom lab import check\nprint(check(heuristic_1).outcome)"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """A wheel, made of the files that git would hand to somebody else."""
    source = tmp_path_factory.mktemp("source")
    for name in ("LICENSE", "README.md", "pyproject.toml", "requirements.txt"):
        shutil.copy(ROOT / name, source)
    for package in ("ttt", "notebooks/lab"):
        shutil.copytree(ROOT / package, source / package, ignore=shutil.ignore_patterns("__pycache__"))
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", source / "wheel", source]
    subprocess.run(pip, check=True)
    return next((source / "wheel").glob("ttt-*.whl"))


@pytest.fixture(scope="module")
def environment(wheel, tmp_path_factory):
    """The scripts of an environment with nothing but this wheel; what it needs is borrowed from the tests'."""
    folder = tmp_path_factory.mktemp("installed") / "in a folder"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    python = folder / Path(sysconfig.get_path("scripts")).name / "python"
    pip = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-deps", wheel]
    subprocess.run(pip, check=True)
    where = [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    packages = Path(subprocess.run(where, capture_output=True, text=True, check=True).stdout.strip())
    borrowed = sysconfig.get_path("purelib")  # without the checkout, which has a .pth there
    (packages / "borrowed.pth").write_text(borrowed)
    return python.parent


@pytest.fixture
def run(environment, tmp_path):
    """Runs a program of the environment in an empty folder."""

    def run(program, *arguments, **options):
        command = [environment / program, *map(str, arguments)]
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "TTT"))}
        done = subprocess.run(command, cwd=tmp_path, env=clean, capture_output=True, text=True, **options)
        assert "Traceback" not in done.stderr, done.stderr
        return done

    return run


@pytest.mark.slow
def test_the_command_says_where_the_grader_is(run):
    done = run("ttt", "--help")
    assert done.returncode == 1 and "exercises/grading" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "said"),
    [
        (CHECK, "right"),
        ("from lab import recap; print(recap('00_play'))", "\n   ○"),
        (f"from ttt import tournament\n{PLAYER}\nprint(tournament([my_player, 'random']))", "my_player"),
        ("from ttt import Board; from ttt.search import alphabeta; print(alphabeta(Board()))", "18,297 nodes"),
    ],
    ids=["check", "recap", "tournament", "search"],
)
def test_what_students_use_works(run, code, said):
    done = run("python", "-c", code)
    assert done.returncode == 0 and said in done.stdout, done.stderr


@pytest.mark.slow
def test_jupyterlab_finds_the_extension_and_saves_what_boards_show(run, environment):
    share, etc = environment.parent / "share" / "jupyter", environment.parent / "etc" / "jupyter"
    about = json.loads((share / "labextensions" / "ttt-lab" / "package.json").read_text())
    extension = share / "labextensions" / "ttt-lab" / about["jupyterlab"]["_build"]["load"]
    for name in ("style", "page"):  # the stylesheets that it loads
        assert f"'{name}'" in extension.read_text() and (extension.parent / f"{name}.css").exists()
    assert "lab.reading" in (etc / "jupyter_config.json").read_text()
    assert (etc / "labconfig" / "page_config.d" / "ttt_lab.json").exists()
    read = "from jupyterlab_server.settings_utils import _get_overrides; print(_get_overrides('nowhere')[0])"
    found = ast.literal_eval(run("python", "-c", read).stdout)
    assert found["@jupyter-widgets/jupyterlab-manager:plugin"] == {"saveState": True}
    assert found["@jupyterlab/apputils-extension:kernels-settings"] == {"commsOverSubshells": "disabled"}


@cache
def declared():
    """The packages that requirements.txt and the extras name."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lines = [line.partition("#")[0] for line in (ROOT / "requirements.txt").read_text().splitlines()]
    extras = [line for lines in project["optional-dependencies"].values() for line in lines]
    return {canonicalize_name(Requirement(line).name) for line in filter(str.strip, lines + extras)}


def imported():
    """The names of what the package imports, with the file that does so; its own and Python's left out."""
    for path in sorted([*(ROOT / "ttt").rglob("*.py"), *(ROOT / "notebooks/lab").rglob("*.py")]):
        source = path.read_text(encoding="utf-8")
        names = set(re.findall(r'import_module\("([\w.]+)"\)', source))
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Import):
                names |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                names.add(node.module)
        for name in {name.partition(".")[0] for name in names} - sys.stdlib_module_names - {"lab", "ttt", "runner"}:
            yield name, path.relative_to(ROOT)


def test_what_is_imported_is_required_and_what_is_required_is_imported_or_says_why_it_is_there():
    packages, used = importlib.metadata.packages_distributions(), set()
    for name, path in imported():
        found = {canonicalize_name(package) for package in packages[name]}
        assert found & declared(), (name, path)
        used |= found
    for line in (ROOT / "requirements.txt").read_text().splitlines():
        assert "# " in line or canonicalize_name(Requirement(line).name) in used, line
