"""What several tests need: all positions of 3×3, and a JupyterLab in a real browser."""

import json
import os
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from pathlib import Path

import pytest
from nbformat.v4 import new_code_cell, new_notebook

from ttt import PLAYERS, Board

os.environ["TQDM_DISABLE"] = "1"  # a bar is a widget, and nbval waits in vain for its words
ROOT = Path(__file__).parent.parent
KERNEL = {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}
FLAGS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
)


def pytest_addoption(parser):
    parser.addoption("--games", type=int, help="games that the perfect player of 4×4×4 plays against each defender")


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
def lab(tmp_path_factory):
    """The address of a JupyterLab on a copy of the notebooks and exercises, to be completed by `format(path)`."""
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
            yield _running_server(server, folder / "server.log") + "/lab/tree/{}?token=token&reset"
        finally:
            server.terminate()
            server.wait(20)


def _running_server(server, log):
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
def browser():
    """Chromium, headless. Where there is none the test is skipped, but in CI it fails."""
    from playwright.sync_api import sync_playwright

    executable = shutil.which("chromium") or shutil.which("google-chrome")
    if executable is None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)("no Chromium: install Debian's package chromium")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=executable, args=FLAGS.split())
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def opened(lab, browser):
    """Opens a notebook by its path, or a new one of these cells, with its kernel there and its first cell selected."""

    @contextmanager
    def opened(path, cells=(), height=900):
        if cells:
            _upload(lab, path, cells)
        page = browser.new_page(viewport={"width": 1280, "height": height})
        page.set_default_timeout(15_000)
        page.goto(lab.format(path))
        page.get_by_text("Python 3 (ipykernel) | Idle").wait_for(timeout=60_000)  # before, a run is lost
        if cells:
            page.keyboard.press("Control+b")  # the list of files goes
        page.locator(".jp-Notebook .jp-CodeCell").first.click()
        yield page
        page.close()

    return opened


def _upload(lab, path, cells):
    """A notebook for the server to open; without the name of its kernel, Lab would ask for one."""
    notebook = new_notebook(cells=[new_code_cell(source) for source in cells], metadata={"kernelspec": KERNEL})
    address = f"{lab.partition('/lab/')[0]}/api/contents/{path}?token=token"
    body = json.dumps({"type": "notebook", "format": "json", "content": notebook}).encode()
    urllib.request.urlopen(urllib.request.Request(address, body, method="PUT")).close()


@pytest.fixture
def page(browser):
    """A fresh page, 1280 pixels wide."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    yield page
    page.close()
