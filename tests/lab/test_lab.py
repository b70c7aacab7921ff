"""`make lab` starts JupyterLab, here without a terminal."""

import json
import os
import re
import shutil
import signal
import subprocess
import urllib.request

import pytest
import websocket
from conftest import ROOT, TIMEOUT, running_server, stop
from lab.__main__ import main

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="no make here")
SAID = 'echo "found: $(command -v ttt)"'


@pytest.fixture(scope="module")
def started(tmp_path_factory):
    """A server that the recipe starts, which writes into `server.log`; nothing is built first."""
    folder = tmp_path_factory.mktemp("lab")
    make = ["make", "--just-print", "--no-print-directory", "--old-file=.venv/lab", "lab"]
    recipe = subprocess.run(make, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    home = {"HOME": str(folder), "JUPYTER_RUNTIME_DIR": str(folder / "runtime")}
    environment = os.environ | home | {"SHELL": shutil.which("bash")}
    with (folder / "server.log").open("w") as log:
        command = f"exec env {recipe.strip()} --no-browser --ip=127.0.0.1 --ServerApp.base_url=/here/"
        server = subprocess.Popen(["sh", "-c", command], cwd=ROOT, stdout=log, stderr=log, env=environment)
        try:
            server.address = running_server(server, folder)
            yield server, folder / "server.log"
        finally:
            stop(server)


def token(log):
    return re.search(r"\?token=(\w{20,})", log.read_text())[1]


def test_a_terminal_in_the_lab_finds_the_command(started):
    server, log = started
    known = f"?token={token(log)}"
    request = urllib.request.Request(f"{server.address}/api/terminals{known}", method="POST")
    with urllib.request.urlopen(request) as answer:
        name = json.load(answer)["name"]
    socket = server.address.replace("http", "ws")
    terminal = websocket.create_connection(f"{socket}/terminals/websocket/{name}{known}")
    terminal.send(json.dumps(["stdin", f"{SAID}\r"]))
    terminal.settimeout(120)
    shown = ""
    while "found: /" not in shown and "found: \r" not in shown:
        kind, *content = json.loads(terminal.recv())
        shown += content[0] if kind == "stdout" else ""
    terminal.close()
    assert f"found: {ROOT / '.venv' / 'bin' / 'ttt'}" in shown


def test_what_is_open_is_saved_in_the_folder_apart_from_other_copies_of_the_lab(started):
    server, log = started
    address, kept = f"{server.address}/lab/api/workspaces/tested?token={token(log)}", ROOT / ".venv" / "workspaces"
    workspace = json.dumps({"data": {}, "metadata": {"id": "tested"}}).encode()
    urllib.request.urlopen(urllib.request.Request(address, workspace, method="PUT")).close()
    assert list(kept.glob("tested-*"))
    urllib.request.urlopen(urllib.request.Request(address, method="DELETE")).close()
    assert not list(kept.glob("tested-*"))


def test_it_says_where_the_lab_is_and_how_to_end_it_and_nothing_else(started):
    server, log = started
    server.send_signal(signal.SIGINT)
    assert server.wait(TIMEOUT / 1000) == 0 and server.address.endswith("/here")
    first, last = log.read_text().splitlines()
    at = f"{server.address}/lab/tree/notebooks/00_play"
    assert re.fullmatch(rf"The lab is open at {at}\.ipynb\?token=\w{{20,}}", first) and last == "Ctrl+C ends it."


WRITTEN = {
    "": "00_play",
    "1": "01_random_play",
    "01": "01_random_play",
    "10": "10_a_game_of_your_own",
    "03_heuristic_1": "03_heuristic_1",
    "heuristic_1": "heuristic_1",
    "notebooks/06_minimax.ipynb": "06_minimax",
    "index": "index",
}


@pytest.mark.parametrize("written", WRITTEN)
def test_the_notebooks_are_trusted_and_a_lesson_is_opened_by_its_number_or_name(monkeypatch, written):
    trusted, paths = [], []
    monkeypatch.setattr("lab.__main__._trust", trusted.extend)
    monkeypatch.setattr("lab.__main__._open", lambda root, notebook, others: paths.append((notebook.stem, others)))
    main([*written.split(), "--port=9999"])
    assert paths == [(WRITTEN[written], ["--port=9999"])]
    assert {path.name for path in trusted} >= {"index.ipynb", "00_play.ipynb", "heuristic_1.ipynb"}
    assert main([*written.split(), "--trust"]) == 0 and len(paths) == 1  # and nothing else is done


def test_if_there_is_nothing_to_open_this_is_told_with_what_there_is(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr("lab.__main__._trust", lambda notebooks: pytest.fail("nothing is opened"))
    names = sorted(path.stem for path in (*ROOT.glob("notebooks/*.ipynb"), *ROOT.glob("exercises/*/*.ipynb")))
    nothing = "there are no lessons here. Run it in the lab's folder, the one with notebooks/ in it.\n"
    for root, said in (
        (ROOT, f"there is no notebook 99. The notebooks are {', '.join(names)}.\n"),
        (tmp_path, nothing),
    ):
        monkeypatch.setattr("lab.__main__._root", lambda root=root: root)
        with pytest.raises(SystemExit) as ended:
            main(["99"])
        assert ended.value.code == 2 and capsys.readouterr().err.endswith(f"python -m lab: error: {said}")
