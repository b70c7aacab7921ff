"""Shared by the tests: all positions of 3×3, JupyterLab in a real browser, and what to do if a program is missing.

Notebooks run as students run them, on the student bundle's package, which has no grading in it.
"""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import Counter
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

import kernels
import pytest
from nbformat.v4 import new_code_cell, new_notebook
from oracles import POSITIONS
from xdist.scheduler import LoadFileScheduling

from exercises.grading import GradingError
from exercises.grading.intake import collect, reading
from exercises.grading.isolation.sandbox import reached as isolation_level
from exercises.grading.release import release
from ttt import PLAYERS, Board

os.environ["TQDM_DISABLE"] = "1"  # a progress bar is a widget, and nbval would wait for its text in vain
signal.signal(signal.SIGINT, signal.default_int_handler)  # or Ctrl-C does nothing in a background job
ROOT = Path(__file__).parent.parent
CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
SETTINGS = {"@jupyterlab/notebook-extension:tracker": {"windowingMode": "none"}}  # all cells are there, in sight or not
TIMEOUT = 120_000  # milliseconds; a busy machine is slow, not wrong
DRAWINGS = (
    "image/svg+xml",
    "image/png",
    "text/html",
)  # which a lesson's cell also shows in words, and these must agree
KERNEL = {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}
LONGEST = ("test_judge", "test_tasks", "12_boxes", "test_run", "test_mistakes", "test_points", "test_stat", ".ipynb")
FLAGS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
)


# What a part of the suite needs: the marker of its tests, Debian's packages, and whether they are there and work.
NEEDS = {
    "browser": ("chromium", lambda: any(map(shutil.which, CHROMIUM))),
    "npm": ("nodejs npm", lambda: shutil.which("node") and shutil.which("npm")),
    "sandbox": ("bubblewrap, and a system that lets it create namespaces", lambda: isolation_level() == "full"),
}


def need(name):
    """Skip a test if the machine lacks what it needs."""
    packages, there = NEEDS[name]
    if not there():
        pytest.skip(f"needs {packages}")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    for marker in item.iter_markers():
        if marker.name in NEEDS:
            need(marker.name)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item):
    """In CI nothing may be missing."""
    report = yield
    if report.skipped and "CI" in os.environ:
        report.outcome = "failed"
    return report


def pytest_terminal_summary(terminalreporter):
    """One line says which tests did not run, and what they need."""
    skipped = Counter(report.longrepr[2] for report in terminalreporter.stats.get("skipped", ()))
    if skipped:
        told = [f"{number} ({reason.removeprefix('Skipped: ')})" for reason, number in skipped.most_common()]
        terminalreporter.write_line(f"Tests that did not run: {', '.join(told)}.")


KERNELS = pytest.StashKey()  # the process that kernels are forks of
SCRATCH = "TTT_TESTS"  # where this run keeps the students' edition and the kernel that runs on it
WHOLE = "TTT_WHOLE"  # set if all tests run, as in `make test-all`


def pytest_configure(config):
    """Notebooks run on a kernel that finds the students' edition, which the first test that needs it releases."""
    if hasattr(config, "workerinput"):
        return  # xdist's workers inherit the environment
    folder = Path(tempfile.mkdtemp(prefix="ttt-tests-"))
    students = folder / "tic-tac-toe-lab"
    write_kernel(folder / "jupyter", "python3", students, students / "notebooks")
    if kernels.AVAILABLE:
        command = [sys.executable, kernels.__file__]
        log = (folder / "kernels.log").open("w")
        config.stash[KERNELS] = subprocess.Popen([*command, "serve", folder / "kernels"], stdout=log, stderr=log)
        argv = [*command, folder / "kernels", "{connection_file}"]
        write_kernel(folder / "jupyter", "python3", students, students / "notebooks", argv=[*map(str, argv)])
    os.environ |= {SCRATCH: str(folder), "JUPYTER_PATH": str(folder / "jupyter")}
    if not config.option.markexpr:
        os.environ[WHOLE] = "1"


@cache
def edition():
    """The students' edition. One of xdist's workers releases it, and the others wait."""
    folder = Path(os.environ[SCRATCH])
    try:
        (folder / "begun").mkdir()
    except FileExistsError:
        while not (folder / "ended").exists():
            time.sleep(0.1)
    else:
        try:
            release(folder)
        finally:
            (folder / "ended").touch()
    return folder / "tic-tac-toe-lab"


def write_kernel(place, name, *paths, argv=(sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}")):
    """Tell Jupyter how to start a kernel that finds packages in these folders first."""
    environment = {"PYTHONPATH": os.pathsep.join(map(str, paths))}
    folder(place, {f"kernels/{name}/kernel.json": json.dumps(KERNEL | {"argv": argv, "env": environment})})


def pytest_unconfigure(config):
    if server := config.stash.get(KERNELS, None):
        stop(server)
    if not hasattr(config, "workerinput"):
        shutil.rmtree(os.environ[SCRATCH])


class Scheduler(LoadFileScheduling):
    """Keeps the tests of a file together, and all that use the browser, which share one page of one JupyterLab."""

    def _split_scope(self, nodeid):
        file = super()._split_scope(nodeid)
        return "browser" if file in in_browser() else file


@cache
def in_browser():
    """The files of tests that use a browser."""
    files = [path for path in ROOT.glob("tests/**/test_*.py") if "from playwright" in path.read_text()]
    return {str(path.relative_to(ROOT)) for path in files}


def pytest_xdist_auto_num_workers():
    """One process more than there are cores, since one that drives a browser mostly waits for it."""
    return (os.cpu_count() or 1) + 1


def pytest_xdist_make_scheduler(config, log):
    return Scheduler(config, log)


def pytest_collection_modifyitems(config, items):
    """Start with what takes longest: the browser, the long files, then the notebooks."""
    lessons = {item.parent for item in items if item.path.suffix == ".ipynb"}
    if lessons:
        edition()  # hooks of single tests, which could wait, don't reach beyond this folder
    for each in lessons:
        each.skip_compare += DRAWINGS

    def rank(item):
        known = [place for place, name in enumerate(LONGEST) if name in item.nodeid]
        return (item.location[0] not in in_browser(), known[0] if known else len(LONGEST))

    items.sort(key=rank)


def sampled(family, every):
    """The first of every few members of a family, always the same ones; all of them in `make test-all`."""
    return [*family][:: 1 if WHOLE in os.environ else every]


# ------------------------------------------------------------------------------------------------------------ messages


def naming(*words):
    """A pattern for messages that name all of these, in any order: the cell, the line, the player, what to do.

    Wording may change, and so may backquotes and small and capital letters; what a message is about may not. Marks and
    numbers are whole: O is not the o of a word, and cell 1 not cell 12. Python and browsers understand the pattern.
    """

    def edge(letter, word):
        return r"\b" if letter.isdigit() or word in ("X", "O") else ""

    there = ""
    for word in words:
        there += rf"(?=[\s\S]*{edge(word[0], word)}{re.escape(word)}{edge(word[-1], word)})"
    return re.compile(f"^{there}", re.IGNORECASE)


# ------------------------------------------------------------------------------------------------------------ fixtures


def moves_to(winner, person="X", board=None):
    """A person's moves that give a game against the clever computer, which never plays at random, this winner."""
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
    return set(POSITIONS)


@pytest.fixture(scope="session")
def lab(browser, tmp_path_factory):
    """The address of a JupyterLab on a copy of the notebooks and exercises, to be completed by `format(path)`.

    It is there for the browser alone, so without a browser it isn't started.
    """
    edition()
    folder = tmp_path_factory.mktemp("lab")
    for name in ("notebooks", "exercises"):
        shutil.copytree(ROOT / name, folder / name)
    environment = os.environ | {"JUPYTER_CONFIG_DIR": str(folder / "config"), "HOME": str(folder)}
    (folder / "config/labconfig").mkdir(parents=True)
    (folder / "config/labconfig/default_setting_overrides.json").write_text(json.dumps(SETTINGS))
    command = [sys.executable, "-m", "jupyterlab", "--allow-root", "--no-browser", "--ip=127.0.0.1"]
    command += [f"--ServerApp.root_dir={folder}", "--IdentityProvider.token=token"]
    command += ["--ServerApp.port=0", "--LabApp.expose_app_in_browser=True"]  # any free port
    environment["JUPYTER_RUNTIME_DIR"] = str(folder / "runtime")
    with (folder / "server.log").open("w") as log:
        server = subprocess.Popen(command, stdout=log, stderr=log, env=environment)
        try:
            yield running_server(server, folder) + "/lab/tree/{}?token=token&reset"
        finally:
            stop(server)


def stop(server):
    """End a server, even if it waits in vain for its kernels."""
    server.terminate()
    try:
        server.wait(TIMEOUT / 1000)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()


def running_server(server, folder):
    """The server's address, once it is there; it may not have got the port it asked for."""
    while server.poll() is None:
        for about in folder.glob("runtime/jpserver-*.json"):
            if about.stat().st_size:
                found = json.loads(about.read_text())
                with suppress(OSError):  # it writes down where it is just before it listens there
                    socket.create_connection(("127.0.0.1", found["port"])).close()
                    return found["url"].rstrip("/")
        time.sleep(0.1)
    raise RuntimeError(f"JupyterLab did not start:\n{(folder / 'server.log').read_text()}")


@pytest.fixture(scope="session")
def browser():
    """Chromium, headless."""
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=TIMEOUT)
    executable = next(filter(None, map(shutil.which, CHROMIUM)))
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=executable, args=FLAGS.split())
        yield chromium
        chromium.close()


# These run in the page: one opens a notebook, one says whether its first cell gets the keys, and one closes all without
# a question.
OPEN = "async path => { await jupyterapp.commands.execute('docmanager:open', {path}); }"
SELECTED = (
    "() => document.activeElement.closest('.jp-Notebook')?.querySelector('.jp-CodeCell')?.matches('.jp-mod-active')"
)
CLOSE = "() => [...jupyterapp.shell.widgets('main')].forEach(widget => widget.dispose())"


@pytest.fixture(scope="session")
def opened(lab, browser):
    """Opens a notebook by its path, or a new one of these cells (source, or with outputs), with its first selected.

    Its kernel may still be starting, as it is for students who are quick. `prepare` gets the page before that. All
    notebooks are opened one after another in one page, since JupyterLab takes long to load; a test that fails may leave
    anything behind, so the next one has a new page.
    """
    pages = []

    @contextmanager
    def opened(path, cells=(), height=900, prepare=lambda page: None):
        if cells:
            upload(lab, path, cells)
        fresh = not pages
        page = browser.new_page(reduced_motion="reduce") if fresh else pages.pop()
        page.set_default_timeout(TIMEOUT)
        page.set_viewport_size({"width": 1280, "height": height})
        prepare(page)
        first = page.locator(".jp-Notebook .jp-CodeCell").first
        if fresh:
            page.goto(lab.format(path))
            first.click()
            page.keyboard.press("Control+b")  # the list of files goes
        else:
            page.evaluate(OPEN, path)
        while not page.evaluate(SELECTED):  # a cell may move away under a click while the page is laid out
            first.click()
        yield page
        page.unroute_all(behavior="wait")
        page.evaluate(CLOSE)
        pages.append(page)

    return opened


def choose(page, menu, *items):
    """Choose from a menu of Lab, or from a menu within it."""
    page.get_by_role("menuitem", name=menu, exact=True).click()
    for item in items:
        page.locator(".lm-Menu-itemLabel").get_by_text(item, exact=True).click()


def wear(page, theme):
    """Change Lab's theme."""
    from playwright.sync_api import expect

    choose(page, "Settings", "Theme", theme)
    expect(page.locator("body")).to_have_attribute("data-jp-theme-name", theme)
    expect(page.locator("#jupyterlab-splash")).to_have_count(0)  # it fades over the page


def ask(lab, what, method="GET", body=None):
    """What Jupyter's server answers."""
    address = f"{lab.partition('/lab/')[0]}/api/{what}{'&' if '?' in what else '?'}token=token"
    data = json.dumps(body).encode() if body else None
    with urllib.request.urlopen(urllib.request.Request(address, data, method=method)) as answer:
        return json.loads(answer.read() or "null")


def save(page):
    """Save a notebook; its file is written when this returns."""
    with page.expect_response(lambda answer: answer.request.method == "PUT" and "/api/contents/" in answer.url):
        page.keyboard.press("Control+s")


def upload(lab, path, cells, kernel="python3"):
    """A notebook for the server to open; without the name of its kernel, Lab would ask for one."""
    made = [new_code_cell(cell) if isinstance(cell, str) else cell for cell in cells]
    notebook = new_notebook(cells=made, metadata={"kernelspec": KERNEL | {"name": kernel}})
    ask(lab, f"contents/{path}", "PUT", {"type": "notebook", "format": "json", "content": notebook})


def folder(place, files):
    """Write files, each a name with its text or bytes, into a folder, and return that."""
    for name, text in files.items():
        path = place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return place


@pytest.fixture
def here(monkeypatch):
    """What a class handed in is read in the tests' process, so that none has to be started for each test."""

    def lines(order):
        try:
            yield from (json.loads(json.dumps(said)) for said in reading.found(**order))
        except GradingError as error:
            yield {"problem": str(error)}

    monkeypatch.setattr(collect, "_lines", lines)


@pytest.fixture
def page(browser):
    """A fresh page, 1280 pixels wide."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.set_default_timeout(TIMEOUT)
    yield page
    page.close()
