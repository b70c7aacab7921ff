"""The lab in a container, on Binder, on Windows, as a page of HTML: what their files name is there and works."""

import hashlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from itertools import product
from pathlib import Path
from urllib.parse import unquote

import nbformat
import pytest
from approved import approved
from conftest import ROOT
from lab import GameBoard
from lab.plots import outcomes
from nbconvert import HTMLExporter
from nbformat.sign import NotebookNotary
from nbformat.v4 import new_code_cell, new_notebook, new_output
from packaging.specifiers import SpecifierSet
from times import minutes
from traitlets.config import Config

from ttt import Board, exact, svg

SAID = ROOT / "tests/said/site.txt"
CONTAINER = json.loads((ROOT / ".devcontainer" / "devcontainer.json").read_text())
BINDER = ROOT / ".binder"
FIRST = "notebooks/00_play.ipynb"
PYTHONS = SpecifierSet(tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["requires-python"])
NOTEBOOKS = [*ROOT.glob("notebooks/*.ipynb"), *ROOT.glob("exercises/*/*.ipynb")]


@pytest.mark.skipif(shutil.which("make") is None, reason="no make here")
@pytest.mark.parametrize("when", ["postCreateCommand", "postAttachCommand"])
def test_the_container_asks_make_for_what_the_makefile_has(when):
    program, *targets = CONTAINER[when].split()
    assert program == "make" and targets
    done = subprocess.run(["make", "--just-print", *targets], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_container_opens_the_first_lesson_with_the_python_of_make_lab():
    editor = CONTAINER["customizations"]
    assert editor["codespaces"]["openFiles"] == [FIRST] and (ROOT / FIRST).exists()
    interpreter = editor["vscode"]["settings"]["python.defaultInterpreterPath"]
    assert interpreter.removeprefix("${containerWorkspaceFolder}/") == ".venv/bin/python"
    assert "python" in CONTAINER["image"] and CONTAINER["image"].partition(":")[2] in PYTHONS


def test_binder_installs_the_package_with_a_python_that_it_runs_on():
    assert (BINDER / "requirements.txt").read_text().split() == ["."]  # test_wheel.py installs it
    assert re.fullmatch(r"python-(.*)\n", (BINDER / "runtime.txt").read_text())[1] in PYTHONS


def test_binder_trusts_the_notebooks(tmp_path):
    some = [ROOT / FIRST, ROOT / "notebooks/index.ipynb", ROOT / "exercises/challenge/challenge.ipynb"]
    for path in some:
        copy = tmp_path / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copy)
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = os.environ | {"JUPYTER_DATA_DIR": str(tmp_path / "data"), "PATH": programs}
    subprocess.run([BINDER / "postBuild"], cwd=tmp_path, env=environment, check=True, capture_output=True)
    notary = NotebookNotary(data_dir=str(tmp_path / "data"))
    assert all(notary.check_signature(nbformat.read(path, 4)) for path in some)


def test_binder_opens_the_first_lesson():
    told = subprocess.run([BINDER / "start", "echo", "jupyter lab"], capture_output=True, text=True, check=True).stdout
    assert told == f"jupyter lab --LabApp.default_url=/lab/tree/{FIRST}\n"


WITHOUT = """
import os, signal, subprocess, sys, tempfile
import IPython, psutil, xdist  # they know other systems by themselves
sys.modules |= dict.fromkeys(["fcntl", "grp", "pwd", "resource", "termios"])
for module, names in {os: "O_DIRECTORY fork getuid killpg", signal: "SIGBUS SIGKILL SIGPROF SIGXCPU setitimer"}.items():
    for name in names.split():
        vars(module).pop(name, None)
import conftest, lab.__main__
from lab import GameBoard, check, plots
from exercises.grading.__main__ import app
app(["release", sys.argv[1]])
"""


def test_what_windows_lacks_is_not_needed_to_test_the_engine_to_open_the_lab_or_to_release_it(tmp_path):
    paths = {"PYTHONPATH": os.pathsep.join(map(str, (ROOT / "tests", ROOT, ROOT / "notebooks")))}
    command = [sys.executable, "-c", WITHOUT, tmp_path]
    done = subprocess.run(command, cwd=ROOT, env=os.environ | paths, capture_output=True, text=True)
    assert done.returncode == 0 and [*tmp_path.glob("*.zip")], done.stderr


def test_a_page_of_html_shows_the_picture_of_a_saved_game_without_javascript():
    game = GameBoard("flash-clever")
    game.play(4)
    data, metadata = game._repr_mimebundle_()
    assert {"application/vnd.jupyter.widget-view+json", "image/svg+xml"} <= data.keys()
    saved = new_notebook(cells=[new_code_cell("game", outputs=[new_output("display_data", data, metadata=metadata)])])
    config = Config(json.loads((ROOT / "notebooks/lab/jupyter/nbconvert.json").read_text()))
    html, _ = HTMLExporter(config=config).from_notebook_node(saved)
    shown = re.sub(r"<script.*?</script>", "", html, flags=re.DOTALL)
    [picture] = re.findall(r'<img[^>]* src="data:image/svg\+xml,([^"]*)"', shown)
    assert unquote(picture) == data["image/svg+xml"] and "widget-view" not in html


def site_builder():
    spec = importlib.util.spec_from_file_location("build", ROOT / ".site" / "build.py")
    spec.loader.exec_module(build := importlib.util.module_from_spec(spec))
    return build


def reading(theme):
    """A page with a board, a saved game and a plot, as nbconvert makes it."""
    drawings = [svg.draw(Board.from_text("X-O -X- --O"), caption='Is it "over"?'), GameBoard().snapshot()]
    drawings.append(outcomes(exact("random", "flash-clever")))
    outputs = [new_output("display_data", {"image/svg+xml": str(drawing)}) for drawing in drawings]
    cells = [new_code_cell(outputs=outputs)]
    config = Config(json.loads((ROOT / "notebooks/lab/jupyter/nbconvert.json").read_text()))
    return HTMLExporter(config=config, theme=theme).from_notebook_node(new_notebook(cells=cells))[0]


def test_a_lesson_that_nbconvert_makes_a_page_has_the_lessons_look_and_tells_what_its_drawings_show():
    html = reading("light")
    rows = "X empty O; empty X empty; empty empty O"
    assert f"""alt='Tic-tac-toe: X to move; {rows}; Is it "over"?' src="data:image/svg""" in html
    assert 'alt="Tic-tac-toe: X to move; empty empty empty; empty' in html and "Run this to play." in html
    for sheet in ("drawing/style.css", "jupyter/page.css"):
        assert (ROOT / "notebooks/lab" / sheet).read_text() in html


@pytest.mark.browser
def test_a_page_to_read_looks_the_same_in_a_light_and_a_dark_system(page):
    page.route("https://**", lambda route: route.abort())
    pictures = {}
    for theme, system in product(["light", "dark"], ["light", "dark"]):
        page.emulate_media(color_scheme=system)
        page.set_content(reading(theme))
        pictures[theme, system] = page.locator("img").first.screenshot()
        assert page.locator("img").last.bounding_box()["width"] == pytest.approx(614)  # of a plot, where there is room
    assert pictures["light", "light"] == pictures["light", "dark"]
    assert pictures["dark", "light"] == pictures["dark", "dark"] != pictures["light", "dark"]


def test_a_page_to_read_has_the_lessons_look_folds_its_answers_and_tells_what_its_drawings_show(tmp_path):
    build = site_builder()
    build.add_readings(tmp_path, [ROOT / FIRST])
    page = (tmp_path / "00_play.html").read_text()
    assert approved(
        SAID, "drawings of lesson 00", "\n".join(re.findall('<img alt="([^"]*)" src="data:image/svg', page))
    )
    folds = re.findall(r"<details><summary>.*?</summary>(.*?)</details>", page, re.DOTALL)
    assert len(folds) == (ROOT / FIRST).read_text().count("<details>") and all(fold.strip() for fold in folds)
    images = re.findall(r'src="(images/[^"]+)"', page)
    assert images and all((tmp_path / image).exists() for image in images)
    link = f'<a href="../lab/index.html?path={FIRST}">▶ Open this lesson</a>'
    assert f"</h1><p>{link} to play on its boards and to write in it.</p>" in re.sub(
        "<a class=.*?</a></h1>", "</h1>", page
    )
    assert "No description" not in page and 'href="01_random_play.html"' in page and page.count(".ipynb") == 1
    for sheet in ("drawing/style.css", "jupyter/page.css"):
        assert (ROOT / "notebooks/lab" / sheet).read_text() in page
    assert "@media (prefers-color-scheme: dark) {" in page
    dark = '<script>document.body.dataset.jpThemeLight = !matchMedia("(prefers-color-scheme: dark)").matches</script>'
    assert page.count(dark) == 1
    other = build.as_page("<h1>A</h1>", ROOT / "exercises/challenge/challenge.ipynb")
    assert '<a href="../lab/index.html?path=exercises/challenge/challenge.ipynb">▶ Open this exercise</a>' in other
    assert "Open this" not in build.as_page("<h1>A</h1>", ROOT / "notebooks/index.ipynb")


def test_the_sites_first_page_has_each_lesson_and_exercise_in_the_readmes_groups_with_its_minutes():
    page = site_builder().first_page("Owner/name")
    lessons = re.findall(
        r'href="read/(\w+)\.html">[^<]+</a><small>[A-Z][^<]+\.</small></div> <span>([\d +]+) min<', page
    )
    assert sorted(stem for stem, _ in lessons) == sorted(path.stem for path in NOTEBOOKS if path.stem != "index")
    for path in NOTEBOOKS:
        assert path.stem == "index" or sum(map(int, dict(lessons)[path.stem].split("+"))) == sum(minutes(path))
    groups = re.findall("<h3>.*</ul>", page, re.DOTALL)[0]
    assert approved(SAID, "groups of lessons", re.sub(r"\d+( \+ \d+)? min", "… min", groups))
    github = (
        '<a href="https://github.com/Owner/name">The project</a> has a plan for teachers and a grader. <a href="ref'
    )
    assert f'<a class="play" href="lab/index.html?path={FIRST}">Play</a>' in page
    assert github in page and "The project" not in site_builder().first_page("")


def test_a_site_has_the_packages_that_its_kernel_needs_and_knows_where_the_others_are(tmp_path):
    build = site_builder()
    lock = {name: {"depends": needs} for name, needs in {"a": ["B_b"], "b-b": ["c", "a"], "c": [], "d": ["a"]}.items()}
    assert build.with_what_they_need(["a"], lock) == {"a", "b-b", "c"}
    (tmp_path / "here.whl").write_bytes(b"wheel")
    here, there = {"file_name": "here.whl"}, {"file_name": "there.whl"}
    build.locate(here, tmp_path)
    build.locate(there, tmp_path)
    assert here == {"file_name": "here.whl", "sha256": hashlib.sha256(b"wheel").hexdigest()}
    assert there == {"file_name": f"{build.PYODIDE_CDN_URL}/there.whl"}
    wheel = tmp_path / "my_own-1.2-py3-none-any.whl"
    wants = ["c", "anywidget>=1", "unknown", 'd; sys_platform == "emscripten"', 'a; sys_platform == "linux"']
    about = "\n".join(
        ["Metadata-Version: 2.1", "Name: My.Own", "Version: 1.2", *(f"Requires-Dist: {w}" for w in wants)]
    )
    with zipfile.ZipFile(wheel, "w") as file:
        for name, text in {"own/a.py": "", "own_too.py": "", "my_own-1.2.dist-info/METADATA": about}.items():
            file.writestr(name, text)
    build.add_wheel(wheel, lock)
    known = lock["my-own"]
    assert [known[key] for key in ("name", "version", "file_name")] == ["my-own", "1.2", wheel.name]
    assert (known["depends"], known["imports"]) == (["anywidget", "c", "d"], ["own"])


def test_the_sites_readme_has_the_addresses_of_the_repository_that_it_is_built_from():
    build = site_builder()
    plain = (ROOT / "README.md").read_text()
    assert build.addressed(plain, "") == plain
    text = build.addressed(plain, "Owner/name")
    assert (
        "(https://owner.github.io/name/)" in text and "use [Binder](https://mybinder.org/v2/gh/Owner/name/HEAD)" in text
    )
    assert "git clone https://github.com/Owner/name lab\n" in text
    assert "this page's address" not in text and "ADDRESS" not in text and "../" not in text
    links = re.findall(r"\]\(([^)]+)\)", text)
    local = [link for link in links if not link.startswith("http")]
    assert local and all(link.endswith(".ipynb") and (ROOT / link).exists() for link in local)
    there = [link for link in links if link.startswith("https://github.com/Owner/name/blob/HEAD/")]
    assert there and all((ROOT / link.partition("/HEAD/")[2].partition("#")[0]).exists() for link in there)
