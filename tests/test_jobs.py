"""Processes for long jobs: they end with their parent, and say why they can't do what they are to do."""

import signal
import subprocess
import sys
import textwrap
import time

import psutil
import pytest

from ttt.runtime.jobs import processes


def until(condition):
    """Wait for something that must come; only a broken program takes minutes."""
    deadline = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def run(folder, program):
    (folder / "program.py").write_text(textwrap.dedent(program))
    return subprocess.run([sys.executable, "program.py"], cwd=folder, capture_output=True, text=True)


def test_processes_work_in_the_order_of_the_tasks():
    with processes(2, [str, "alphabeta", None]) as pool:
        assert list(pool.map(str, range(150))) == [*map(str, range(150))]


def test_a_function_of_a_notebook_which_is_no_file_is_told_before(tmp_path):
    cells = "from ttt.runtime.jobs import processes\ndef mine(): pass\nwith processes(2, [mine]): pass"
    program = [sys.executable, "-c", cells]
    outcome = subprocess.run(program, cwd=tmp_path, capture_output=True, text=True)
    assert "ValueError: A function can't be sent" in outcome.stderr and "'mine'" in outcome.stderr
    assert outcome.stderr.count("Traceback") == 1


def test_a_script_without_its_guard_is_told_so_in_one_traceback(tmp_path):
    outcome = run(tmp_path, "from ttt.runtime.jobs import processes\nwith processes(2): pass\n")
    last = outcome.stderr.splitlines()[-1]
    assert outcome.returncode == 1 and "RuntimeError" in last and 'if __name__ == "__main__":' in last
    assert outcome.stderr.count("Traceback") == 1


def test_a_function_and_a_class_of_a_guarded_script_can_be_sent(tmp_path):
    program = """
        from ttt import Board
        from ttt.statistics import sweep

        def mine(board, player):
            return 1

        class Weights:
            def __call__(self, board, player):
                return 2

        if __name__ == "__main__":
            print(*sweep(Board(), 1, heuristic=[mine, Weights()], n_jobs=2)["value"])
    """
    assert run(tmp_path, program).stdout == "-1.0 -2.0\n"


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_processes_end_with_their_parent_however_it_ends(tmp_path, number):
    program = """
        import time
        from pathlib import Path
        from ttt.runtime.jobs import processes

        def sleep(folder):
            Path(folder).touch()
            time.sleep(600)

        if __name__ == "__main__":
            with processes(2, [sleep]) as pool:
                list(pool.map(sleep, ["one", "two"]))
    """
    (tmp_path / "program.py").write_text(textwrap.dedent(program))
    parent = subprocess.Popen([sys.executable, "program.py"], cwd=tmp_path, stderr=subprocess.DEVNULL)
    until(lambda: (tmp_path / "one").exists() and (tmp_path / "two").exists())
    started = psutil.Process(parent.pid).children()
    assert len(started) >= 2
    parent.send_signal(number)
    until(lambda: parent.poll() is not None)
    until(lambda: not any(child.is_running() and child.status() != psutil.STATUS_ZOMBIE for child in started))
