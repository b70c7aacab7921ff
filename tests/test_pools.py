"""Long jobs: any workers answer each task once, also on a real dask cluster while workers are killed."""

import csv
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import pytest

from ttt import Board, pools
from ttt.grading import sandbox
from ttt.grading.gradebook import SEED
from ttt.pools import FailedTask, NoCluster, each, processes

LEVEL = sandbox.isolation_level()


def doubled(task):
    """Twice a number; some texts do harm instead."""
    if not isinstance(task, str):
        time.sleep(0.005)
        return 2 * task
    match task.split():
        case ["kills"]:
            os.kill(os.getpid(), signal.SIGKILL)
        case ["kills", "once", flag] if not Path(flag).exists():
            Path(flag).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        case ["fails"]:
            raise ValueError("no number")
        case ["slow"]:
            time.sleep(0.5)
    return task


def answers(tasks, pool):
    """The answer to each task, when each has come once."""
    found = list(each(doubled, tasks, pool))
    assert Counter(task for task, _ in found) == Counter(tasks)
    return dict(found)


# ------------------------------------------------------------------------------------------------- on this machine


@pytest.mark.parametrize("executor", [ThreadPoolExecutor, ProcessPoolExecutor])
def test_each_task_is_answered_once_by_any_workers(executor):
    with executor(2) as given:  # forks that outlive their test hold whatever was open, such as the browser's pipes
        for pool in (given, processes(2), None):
            assert answers(list(range(50)), pool) == {n: 2 * n for n in range(50)}
            assert answers([], pool) == {}


def test_tasks_are_taken_only_when_they_are_needed():
    taken = []
    found = each(doubled, (taken.append(n) or n for n in range(1000)), processes(2))
    next(found)
    found.close()
    assert len(taken) < 20


def test_a_worker_that_dies_costs_only_its_task_which_is_done_again(tmp_path):
    tasks = [*range(20), f"kills once {tmp_path / 'flag'}", *range(20, 40)]
    found = answers(tasks, processes(2))
    assert not [answer for answer in found.values() if isinstance(answer, FailedTask)] and found[39] == 78


def test_only_a_task_that_kills_twice_has_failed():
    found = answers([*range(10), "kills", *range(10, 20)], processes(2))
    assert [task for task, answer in found.items() if isinstance(answer, FailedTask)] == ["kills"]


def test_what_the_work_raises_is_raised_and_the_rest_is_cancelled():
    for pool in (None, ThreadPoolExecutor(1), processes(2)):
        with pytest.raises(ValueError, match="no number"):
            list(each(doubled, [1, "fails", *range(200)], pool))


def test_an_executor_of_the_callers_is_not_replaced():
    with ProcessPoolExecutor(1) as pool, pytest.raises(BrokenExecutor):
        list(each(doubled, ["kills", 1], pool))


def test_an_interrupt_yields_what_is_in_progress_and_ends_the_workers():
    found = []
    threading.Timer(1.2, signal.raise_signal, [signal.SIGINT]).start()
    with pytest.raises(KeyboardInterrupt):
        for task, _ in each(doubled, ["slow"] * 100, processes(2)):
            found.append(task)
    assert 1 <= len(found) < 20 and signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_one_worker_means_this_process():
    assert pools.pool(1) is None and pools.pool(3).workers == 3
    assert (pools.pool(0) is None) == (os.cpu_count() == 1)


# ------------------------------------------------------------------------------------------------- a dask cluster


class Cluster:
    """A scheduler and workers, each a process of its own, that talk over TCP; dead workers are replaced."""

    def __init__(self, folder):
        self.folder, self.file, self.workers = folder, folder / "scheduler.json", []
        options = ["--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(self.file)]
        self.scheduler = self.start("scheduler", *options)
        deadline = time.monotonic() + 30
        while not self.file.exists() or not self.file.read_text().endswith("}"):
            assert time.monotonic() < deadline
            time.sleep(0.05)
        self.address = json.loads(self.file.read_text())["address"]

    def start(self, *what):
        script = "import sys; from dask.__main__ import main; main()"
        tests = Path(__file__).parent
        environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(tests.parent), str(tests)])}
        quiet = {"cwd": self.folder, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        return subprocess.Popen([sys.executable, "-c", script, *what], env=environment, **quiet)

    def with_workers(self, count):
        """The address, with this many workers or more at work."""
        options = ["--scheduler-file", str(self.file), "--nthreads", "1", "--no-dashboard", "--no-nanny"]
        self.workers = [worker for worker in self.workers if worker.poll() is None]
        self.workers += [self.start("worker", *options) for _ in range(count - len(self.workers))]
        return self.address

    def end(self):
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    pytest.importorskip("distributed")
    cluster = Cluster(tmp_path_factory.mktemp("cluster"))
    yield cluster
    cluster.end()


def test_on_a_cluster_each_task_is_answered_once_while_workers_die(tmp_path, cluster):
    pool = pools.cluster(cluster.with_workers(3))
    tasks = [*range(300), f"kills once {tmp_path / 'flag'}", *range(300, 400)]
    found = answers(tasks, pool)
    assert not [answer for answer in found.values() if isinstance(answer, FailedTask)] and found[399] == 798
    assert (tmp_path / "flag").exists()
    with pytest.raises(ValueError, match="no number"):
        list(each(doubled, [1, "fails", *range(20)], pool))


def test_a_cluster_that_is_missing_or_has_other_code_is_reported(cluster, monkeypatch):
    with monkeypatch.context() as hasty:
        hasty.setattr(pools, "CONNECT", 1)
        for address in ("tcp://127.0.0.1:9", "nonsense"):
            with pytest.raises(NoCluster, match="No dask scheduler answers at"):
                pools.cluster(address)
    monkeypatch.setattr(pools, "code", lambda: "another version")
    with pytest.raises(NoCluster, match="need this version of ttt"):
        list(each(doubled, [1], pools.cluster(cluster.with_workers(1))))


RIGHT = """from ttt import opponent

def heuristic_1(board, player):
    other = opponent(player)
    def worth(me, you):
        return sum({{1: 1, 2: {two}}}.get(line.count(me), 0) for line in board.lines if you not in line)
    return worth(player, other) {minus} worth(other, player)  # {name}
"""


def hand_in(folder, count):
    """Submissions of three kinds: right, with the 3 forgotten, and with the other side added; every tenth crashes."""
    folder.mkdir()
    for n in range(count):
        source = RIGHT.format(two=3 if n % 3 else 1, minus="+" if n % 5 == 4 else "-", name=n)
        (folder / f"student {n:04}.py").write_text(source if n % 10 else source.replace("opponent(player)", "1 / 0"))
    return folder


def graded(out, **wanted):
    """The command that grades into a folder."""
    options = [word for name, value in wanted.items() for word in (f"--{name}", str(value))]
    command = [sys.executable, "-m", "ttt", "grade", out.parent / "in", "--out", out, "--isolation", LEVEL, *options]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def grades(out):
    """Everything that was found, except how long it took."""
    with (out / "grades.csv").open(newline="") as file:
        rows = [row | {"seconds": ""} for row in csv.DictReader(file)]
    pages = {page.name: page.read_text() for page in (out / "feedback").iterdir()}
    return rows, pages


def reached(out):
    import sqlite3

    try:
        database = sqlite3.connect(f"file:{out / 'grades.db'}?mode=ro", uri=True, timeout=30)
        return database.execute("select count(*) from results where key != ?", (SEED,)).fetchone()[0]
    except sqlite3.Error:
        return 0


def test_grades_are_the_same_on_a_cluster_with_a_worker_killed_and_in_one_process(tmp_path, cluster):
    hand_in(tmp_path / "in", 30)
    alone = graded(tmp_path / "alone", workers=1)
    assert alone.wait() == 0, alone.stdout.read()
    spread = graded(tmp_path / "spread", dask=cluster.with_workers(2))
    one, *others = cluster.workers
    while reached(tmp_path / "spread") < 5:
        assert spread.poll() is None, spread.stdout.read()
        time.sleep(0.01)
    one.kill()
    said = spread.communicate(timeout=60)[0]
    assert spread.returncode == 0 and all(other.poll() is None for other in others), said
    rows, pages = grades(tmp_path / "spread")
    assert len(rows) == len(pages) == 30 and (rows, pages) == grades(tmp_path / "alone")
    assert "30 students" in said and reached(tmp_path / "spread") == 30


def test_a_sweep_is_the_same_file_on_a_cluster(tmp_path, cluster):
    (tmp_path / "mine.py").write_text(
        "def corners(board, player):\n    return (board[0] == player) - (board[8] == player)\n"
    )
    heuristics = f"none,{tmp_path / 'mine.py'}:corners"
    options = ["--positions", "all", "--depths", "1-2", "--method", "alphabeta", "--heuristic", heuristics]
    for name, who in (("here.csv", ["--workers", "1"]), ("there.csv", ["--dask", cluster.with_workers(2)])):
        command = [sys.executable, "-m", "ttt", "search-stats", *options, *who, "--out", tmp_path / name]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "here.csv").read_bytes() == (tmp_path / "there.csv").read_bytes()


def test_a_tournament_is_the_same_on_a_cluster_with_submitted_players_in_it(cluster):
    from ttt.grading.contest import Contestant
    from ttt.tournament import tournament

    source = "import random\ndef my_player(board):\n    return random.choice(board.moves)\n"
    players = [Contestant("ann", source, LEVEL, 10), "random", "cube-easy"]
    alone = tournament(players, 4, Board((4, 4, 4)), seed=7)
    pool = pools.cluster(cluster.with_workers(2))
    assert tournament(players, 4, Board((4, 4, 4)), seed=7, executor=pool) == alone
