"""`make lab` starts JupyterLab, here without a terminal."""

import json
import os
import re
import shutil
import signal
import subprocess
import urllib.request
from contextlib import contextmanager

import pytest
import websocket
from conftest import ROOT, TIMEOUT, running_server, stop
from lab.__main__ import main

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="no make here")
SAID = 'echo "found: $(command -v ttt)"'


@contextmanager
def started(folder, options=""):
    """A server that the recipe starts, which writes into `server.log`; nothing is built first."""
    make = ["make", "--just-print", "--no-print-directory", "--old-file=.venv/lab", "lab"]
    recipe = subprocess.run(make, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    home = {"HOME": str(folder), "JUPYTER_RUNTIME_DIR": str(folder / "runtime")}
    environment = os.environ | home | {"SHELL": shutil.which("bash")}
    with (folder / "server.log").open("w") as log:
        command = f"exec env {recipe.strip()} --no-browser --ip=127.0.0.1 {options}"
        server = subprocess.Popen(["sh", "-c", command], cwd=ROOT, stdout=log, stderr=log, env=environment)
        try:
            yield server
        finally:
            stop(server)


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """The address of a server."""
    folder = tmp_path_factory.mktemp("lab")
    with started(folder, "--IdentityProvider.token=token") as server:
        yield running_server(server, folder)


def test_it_says_where_the_lab_is_and_how_to_end_it_and_nothing_else(tmp_path):
    with started(tmp_path) as server:
        address = running_server(server, tmp_path)
        server.send_signal(signal.SIGINT)
        assert server.wait(TIMEOUT / 1000) == 0
    first, last = (tmp_path / "server.log").read_text().splitlines()
    assert re.fullmatch(rf"The lab is open at {address}/lab/tree/notebooks/00_play\.ipynb\?token=\w{{20,}}", first)
    assert last == "Ctrl+C ends it."


def test_a_terminal_in_the_lab_finds_the_command(lab):
    request = urllib.request.Request(f"{lab}/api/terminals?token=token", method="POST")
    with urllib.request.urlopen(request) as answer:
        name = json.load(answer)["name"]
    terminal = websocket.create_connection(f"{lab.replace('http', 'ws')}/terminals/websocket/{name}?token=token")
    terminal.send(json.dumps(["stdin", f"{SAID}\r"]))
    terminal.settimeout(120)
    shown = ""
    while "found: /" not in shown and "found: \r" not in shown:
        kind, *content = json.loads(terminal.recv())
        shown += content[0] if kind == "stdout" else ""
    terminal.close()
    assert f"found: {ROOT / '.venv' / 'bin' / 'ttt'}" in shown


def test_what_is_open_is_saved_in_the_folder_apart_from_other_copies_of_the_lab(lab):
    address, kept = f"{lab}/lab/api/workspaces/tested?token=token", ROOT / ".venv" / "workspaces"
    workspace = json.dumps({"data": {}, "metadata": {"id": "tested"}}).encode()
    urllib.request.urlopen(urllib.request.Request(address, workspace, method="PUT")).close()
    assert list(kept.glob("tested-*"))
    urllib.request.urlopen(urllib.request.Request(address, method="DELETE")).close()
    assert not list(kept.glob("tested-*"))


@pytest.mark.parametrize(
    "written, opened",
    [
        ("1", "01_"),
        ("01", "01_"),
        ("2", "02_"),
        ("10", "10_"),
        ("0", "00_"),
        ("03_heuristic_1", "03_"),
        ("index", "index"),
    ],
)
def test_a_lesson_is_opened_by_its_number_with_or_without_the_zero(monkeypatch, written, opened):
    paths = []
    monkeypatch.setattr("lab.__main__._trust", lambda notebooks: None)
    monkeypatch.setattr("lab.__main__._open", lambda root, notebook, others: paths.append(notebook))
    main([written])
    assert len(paths) == 1 and paths[0].name.startswith(opened)
