"""The site: it is whole, its Python does what the lessons do, and a browser plays on its boards."""

import functools
import html
import http.server
import json
import re
import subprocess
import sys
import threading
import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import expect

from ttt import Board

pytestmark = [pytest.mark.npm, pytest.mark.slow]
ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A folder, built as `make site` does."""
    folder = tmp_path_factory.mktemp("site")
    subprocess.run([sys.executable, ROOT / ".site/build.py", folder], check=True)
    return folder


@pytest.fixture(scope="module")
def lock(site):
    """What the site's Pyodide knows of each package."""
    return json.loads((site / "static/pyodide/pyodide-lock.json").read_text())["packages"]


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Files, without a word on each."""

    def log_message(self, *_):
        pass


def test_it_has_every_notebook_and_exercise_as_students_get_them(site):
    found = [path for name in ("notebooks", "exercises") for path in ROOT.glob(f"{name}/**/*.ipynb")]
    notebooks = {path.relative_to(ROOT) for path in found if ".ipynb_checkpoints" not in path.parts}  # of a lab here
    assert {path.relative_to(site / "files") for path in (site / "files").rglob("*.ipynb")} == notebooks
    for path in (site / "files").rglob("*.ipynb"):
        assert "BEGIN SOLUTION" not in path.read_text()
    assert "](notebooks/00_play.ipynb)" in (site / "files" / "README.md").read_text()


def test_each_lesson_and_exercise_is_a_page_that_the_first_one_links(site):
    linked = re.findall(r'href="(read/\w+\.html)"', (site / "index.html").read_text())
    notebooks = [*ROOT.glob("notebooks/[0-9]*.ipynb"), *ROOT.glob("exercises/*/*.ipynb")]
    assert sorted(linked) == sorted(f"read/{path.stem}.html" for path in notebooks)
    for page in linked:
        text = (site / page).read_text()
        assert "<h1" in text
        assert "No description" not in text and ".ttt-card" in text, page
        here = re.findall(r'(?:href|src)="([^":?#]+)["?#]', text)
        assert all((site / "read" / link).exists() for link in here), page


def test_the_package_is_typed_and_whole(site):
    wheel = next((site / "static/pyodide").glob("ttt-*.whl"))
    names = zipfile.ZipFile(wheel).namelist()
    own = {str(path.relative_to(ROOT)) for path in (ROOT / "ttt").rglob("*.py")}
    own |= {str(path.relative_to(ROOT / "notebooks")) for path in (ROOT / "notebooks/lab").rglob("*.py")}
    assert "ttt/py.typed" in names and "lab/boards/panel.js" in names
    assert {name for name in names if name.endswith(".py")} == own


def test_all_that_is_plain_python_is_in_the_site(site, lock):
    elsewhere, found, fresh = set(), set(), {"ttt", "ipython", "jedi"}
    while fresh:
        found |= fresh
        elsewhere |= {name for name in fresh if "://" in lock[name]["file_name"]}
        fresh = {need.lower().replace("_", "-") for name in fresh for need in lock[name]["depends"]} - found
    assert elsewhere == {"contourpy", "kiwisolver", "matplotlib", "numpy", "pandas", "pillow"}
    assert all((site / "static/pyodide" / lock[name]["file_name"]).is_file() for name in found - elsewhere)


def test_the_widgets_are_as_new_in_the_kernel_as_in_the_page(site, lock):
    page = json.loads((site / "extensions/anywidget/package.json").read_text())
    assert lock["anywidget"]["version"] == page["version"]


def test_the_reference_has_a_page_for_each_module_and_none_on_grading(site):
    pages = {f"{path.parent.name}.{path.stem}" for path in (site / "reference").glob("*/*.html")}
    assert {"ttt.board", "ttt.players", "ttt.search", "ttt.arena", "lab.boards", "lab.checks"} <= pages
    assert Board.__doc__.partition("\n")[0] in html.unescape((site / "reference/ttt/board.html").read_text())
    assert not any("grading" in path.name for path in (site / "reference").rglob("*"))


def test_the_lesson_runs_in_pyodide(site):
    command = ["node", ROOT / "tests/lite/run.mjs", site / "static/pyodide", ROOT / "tests/lite/lesson.py"]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 0 and not run.stderr, run.stdout + run.stderr


@pytest.mark.browser
def test_a_browser_opens_the_first_notebook_and_plays_a_move(site, page):
    """Served from this machine alone, and in a folder as on a Git host's pages."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=site.parent))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}/{site.name}/"
    page.route(lambda url: not url.startswith(address), lambda route: route.abort())
    page.goto(address)
    expect(page.get_by_role("listitem").filter(has_text="08 Alpha-beta")).to_be_visible()
    page.get_by_role("link", name="Play", exact=True).click()
    expect(page.get_by_role("region", name="file browser").get_by_text("08_alpha_beta.ipynb")).to_be_visible()
    page.locator(".jp-Notebook .jp-CodeCell").first.click()
    page.keyboard.press("Shift+Enter")
    page.get_by_role("grid", name="Tic-tac-toe board").get_by_role("gridcell").nth(4).click()
    expect(page.get_by_text(re.compile("O.*cell 0.*your move", re.IGNORECASE)).first).to_be_visible()
    server.shutdown()
