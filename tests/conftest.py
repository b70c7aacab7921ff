"""Shared by the tests: all positions of 3×3, JupyterLab in a real browser, and what to do where a program is missing.

Notebooks run as students run them, on the student bundle's package, which has no grading in it.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
from nbformat.v4 import new_code_cell, new_notebook
from xdist.scheduler import LoadFileScheduling

from exercises.grading.release import release
from exercises.grading.sandbox import reached as isolation_level
from ttt import PLAYERS, Board

os.environ["TQDM_DISABLE"] = "1"  # a bar is a widget, and nbval waits in vain for its words
signal.signal(signal.SIGINT, signal.default_int_handler)  # or Ctrl-C does nothing in a background job
ROOT = Path(__file__).parent.parent
CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
SANDBOX = ("bwrap",)
KERNEL = {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}
IPYKERNEL_6 = "ipykernel>=6.29,<7"
FLAGS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
)


# ------------------------------------------------------------------------------------------- programs and their absence


@dataclass(frozen=True)
class Need:
    """A part of the suite that needs programs, Debian's packages for them, and a function that tells if they work."""

    part: str
    packages: str
    there: Callable[[], object]

    @property
    def reason(self):
        return f"needs {self.packages}"


def _has_index():
    """Whether pip finds a package."""
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--ignore-installed", "--dry-run"]
    return not subprocess.run([*pip, IPYKERNEL_6], capture_output=True).returncode


NEEDS = {
    "browser": Need("boards, notebooks and pages in a browser", "chromium", lambda: any(map(shutil.which, CHROMIUM))),
    "sandbox": Need("the full sandbox", "bubblewrap", lambda: isolation_level() == "full"),
    "index": Need("boards on an older kernel", "a package index", _has_index),
    "npm": Need("the site, and what axe finds", "nodejs npm", lambda: shutil.which("node") and shutil.which("npm")),
}


def need(name):
    """Skip a test if the machine lacks what it needs; in CI, fail it."""
    if not NEEDS[name].there():
        (pytest.fail if "CI" in os.environ else pytest.skip)(NEEDS[name].reason)


def pytest_addoption(parser):
    parser.addoption("--games", type=int, help="games that the perfect player of 4×4×4 plays against each defender")


def pytest_configure(config):
    if hasattr(config, "workerinput"):
        return  # xdist's workers inherit the environment
    folder = Path(config.stash.setdefault(SCRATCH, tempfile.mkdtemp(prefix="ttt-tests-")))
    kernel = folder / "jupyter" / "kernels" / "python3"
    kernel.mkdir(parents=True)
    bundle = release(folder).with_suffix("")
    (kernel / "kernel.json").write_text(json.dumps(KERNEL | {
        "argv": [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"],
        "env": {"PYTHONPATH": str(bundle)},
    }))  # fmt: skip
    os.environ |= {"JUPYTER_PATH": str(kernel.parents[1]), "TTT_BUNDLE": str(bundle)}


SCRATCH = pytest.StashKey[str]()


def pytest_unconfigure(config):
    if SCRATCH in config.stash:
        shutil.rmtree(config.stash[SCRATCH])


class Scheduler(LoadFileScheduling):
    """Keeps the tests of a file together, and all that use the browser, which share one JupyterLab."""

    def _split_scope(self, nodeid):
        file = super()._split_scope(nodeid)
        return "browser" if _in_browser(ROOT / file) else file


@cache
def _in_browser(path):
    return path.suffix == ".py" and "from playwright" in path.read_text()


def pytest_xdist_make_scheduler(config, log):
    return Scheduler(config, log)


def pytest_collection_modifyitems(config, items):
    """Start with what takes longest: the browser, then the notebooks."""
    items.sort(key=lambda item: (not _in_browser(item.path), item.path.suffix == ".py"))


def pytest_terminal_summary(terminalreporter):
    """Say which parts this machine could not test, and what to install for them."""
    reasons = Counter(report.longrepr[2] for report in terminalreporter.stats.get("skipped", []))
    missing = {need: count for need in NEEDS.values() if (count := reasons[f"Skipped: {need.reason}"])}
    if missing:
        terminalreporter.section("not tested on this machine")
        for need, count in missing.items():
            terminalreporter.line(f"{need.part}: {count} skipped for lack of {need.packages}")
        root = "" if os.name == "nt" or os.getuid() == 0 else "sudo "
        packages = " ".join(need.packages for need in missing if need is not NEEDS["index"])
        if packages:
            terminalreporter.line(f"To test them too, on Debian or Ubuntu: {root}apt install {packages}")
        if NEEDS["sandbox"] in missing and all(map(shutil.which, SANDBOX)):
            terminalreporter.line("bubblewrap is installed, but this system does not let it create namespaces.")


# ------------------------------------------------------------------------------------------------------------ fixtures


def moves_to(winner, person="X", board=None):
    """A person's moves with which a game against the clever computer, who leaves nothing to chance, ends as wanted."""
    board = Board() if board is None else board
    if board.over:
        return [] if board.winner == winner else None
    moves = board.moves if board.turn == person else PLAYERS["flash-clever"].policy(board)
    for move in moves:
        rest = moves_to(winner, person, board.play(move))
        if rest is not None:
            return [move, *rest] if board.turn == person else rest
    return None


@pytest.fixture(scope="session")
def positions():
    """Every position that play can reach on 3×3, the finished ones included."""
    seen, fresh = {Board()}, [Board()]
    while fresh:
        board = fresh.pop()
        if not board.over:
            following = {board.play(move) for move in board.moves} - seen
            seen |= following
            fresh += following
    return seen


@pytest.fixture(scope="session")
def lab(browser, tmp_path_factory):
    """The address of a JupyterLab on a copy of the notebooks and exercises, to be completed by `format(path)`.

    It is there for the browser alone, so without a browser it isn't started.
    """
    folder = tmp_path_factory.mktemp("lab")
    for name in ("notebooks", "exercises"):
        shutil.copytree(ROOT / name, folder / name)
    environment = os.environ | {"JUPYTER_CONFIG_DIR": str(folder / "config"), "HOME": str(folder)}
    command = [sys.executable, "-m", "jupyterlab", "--allow-root", "--no-browser", "--ip=127.0.0.1"]
    command += [f"--ServerApp.root_dir={folder}", "--IdentityProvider.token=token"]
    port = 8900 + os.getpid() % 1000
    with (folder / "server.log").open("w") as log:
        server = subprocess.Popen([*command, f"--port={port}"], stdout=log, stderr=log, env=environment)
        try:
            yield running_server(server, folder / "server.log") + "/lab/tree/{}?token=token&reset"
        finally:
            server.terminate()
            server.wait(20)


def running_server(server, log):
    """The server's address, once it answers; it may not have got the port it asked for, so its log tells."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and server.poll() is None:
        for line in log.read_text().splitlines():
            if "http://127.0.0.1:" in line:
                base = "http://127.0.0.1:" + line.split("http://127.0.0.1:")[1].split("/")[0]
                try:
                    urllib.request.urlopen(f"{base}/api?token=token", timeout=5)
                    return base
                except urllib.error.URLError:
                    pass
        time.sleep(0.2)
    raise RuntimeError(f"JupyterLab did not start:\n{log.read_text()}")


@pytest.fixture(scope="session")
def older_kernel(tmp_path_factory):
    """The name of a kernel with ipykernel 6, which has no subshells. It is installed beside the environment's."""
    folder = tmp_path_factory.mktemp("ipykernel")
    need("index")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(folder)]
    subprocess.run([*pip, IPYKERNEL_6], check=True, capture_output=True)
    kernels = Path(os.environ["JUPYTER_PATH"]) / "kernels"
    spec = json.loads((kernels / "python3" / "kernel.json").read_text())
    spec["env"]["PYTHONPATH"] = os.pathsep.join([str(folder), spec["env"]["PYTHONPATH"]])
    (kernels / "ipykernel-6").mkdir(exist_ok=True)
    (kernels / "ipykernel-6" / "kernel.json").write_text(json.dumps(spec))
    return "ipykernel-6"


@pytest.fixture(scope="session")
def browser():
    """Chromium, headless. Where there is none the test is skipped, but in CI it fails."""
    from playwright.sync_api import expect, sync_playwright

    need("browser")
    expect.set_options(timeout=15_000)  # a busy machine is slow, and not wrong
    executable = next(filter(None, map(shutil.which, CHROMIUM)))
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=executable, args=FLAGS.split())
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def opened(lab, browser):
    """Opens a notebook by its path, or a new one of these cells (source, or with outputs), with its first selected.

    Its kernel may still be starting, as it is for students who are quick.
    """

    @contextmanager
    def opened(path, cells=(), height=900, kernel="python3"):
        if cells:
            upload(lab, path, cells, kernel)
        page = browser.new_page(viewport={"width": 1280, "height": height})
        page.set_default_timeout(15_000)
        page.goto(lab.format(path))
        wait_for_cells(page)
        if cells:
            page.keyboard.press("Control+b")  # the list of files goes
        page.locator(".jp-Notebook .jp-CodeCell").first.click()
        yield page
        page.close()

    return opened


def wait_for_cells(page):
    """Wait until a notebook shows its cells. A page whose start came to nothing on a busy machine is loaded again."""
    from playwright.sync_api import Error

    first = page.locator(".jp-Notebook .jp-CodeCell").first
    try:
        first.wait_for(timeout=60_000)
    except Error:
        page.reload()
        first.wait_for(timeout=120_000)


def wear(page, theme):
    """Change Lab's theme."""
    from playwright.sync_api import expect

    page.get_by_role("menuitem", name="Settings", exact=True).click()
    for item in ("Theme", theme):
        page.locator(".lm-Menu-itemLabel").get_by_text(item, exact=True).click()
    expect(page.locator("body")).to_have_attribute("data-jp-theme-name", theme)


def upload(lab, path, cells, kernel="python3"):
    """A notebook for the server to open; without the name of its kernel, Lab would ask for one."""
    made = [new_code_cell(cell) if isinstance(cell, str) else cell for cell in cells]
    notebook = new_notebook(cells=made, metadata={"kernelspec": KERNEL | {"name": kernel}})
    address = f"{lab.partition('/lab/')[0]}/api/contents/{path}?token=token"
    body = json.dumps({"type": "notebook", "format": "json", "content": notebook}).encode()
    urllib.request.urlopen(urllib.request.Request(address, body, method="PUT")).close()


def folder(place, files):
    """Write files, each a name with its text or bytes, into a folder, and return that."""
    for name, text in files.items():
        path = place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return place


@pytest.fixture
def page(browser):
    """A fresh page, 1280 pixels wide."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    yield page
    page.close()
