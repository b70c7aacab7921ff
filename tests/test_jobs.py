"""Long jobs: answers come in the tasks' order, a dead worker names its task, and workers end with their parent."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import psutil
import pytest

from ttt.runtime.jobs import WorkerDied, each, workers


def text_unless_seven(number):
    if number == 7:
        os._exit(1)
    return str(number)


def until(condition):
    """Wait for something that must come; only a broken program takes minutes."""
    deadline = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_answers_come_in_the_order_of_the_tasks_wherever_they_are_worked_on():
    numbers = [*range(150)]
    expected = [*map(str, numbers)]
    assert list(each(str, numbers)) == expected
    with ThreadPoolExecutor(3) as threads:
        assert list(each(str, numbers, [threads])) == expected
    with workers(2) as processes:
        assert list(each(str, numbers, processes, ahead=5)) == expected


def test_tasks_that_wait_are_cancelled_when_one_fails():
    done, failed = [], threading.Event()

    def note(number):
        if number == 0:
            raise ValueError("no")
        failed.wait()
        done.append(number)

    with ThreadPoolExecutor(1) as thread:
        with pytest.raises(ValueError, match="no"):
            list(each(note, range(1000), [thread], ahead=1000))
        failed.set()
    assert done in ([], [1])


@pytest.mark.parametrize(
    ("work", "tasks", "error", "said"),
    [(text_unless_seven, range(40), WorkerDied, "worked on 7 ended"), (int, [*"0123456x89"], ValueError, "'x'")],
)
def test_what_came_before_a_failure_or_a_death_is_answered_and_the_task_is_named(work, tasks, error, said):
    done = []
    with workers(3) as processes, pytest.raises(error, match=said):
        for answer in each(work, tasks, processes):
            done.append(answer)
    assert done == [*map(work, tasks[:7])]


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_workers_end_with_their_parent_however_it_ends(tmp_path, number):
    program = """
        import time
        from pathlib import Path
        from ttt.runtime.jobs import each, workers

        def sleep(folder):
            Path(folder).touch()
            time.sleep(600)

        if __name__ == "__main__":
            with workers(2) as processes:
                list(each(sleep, ["one", "two"], processes))
    """
    (tmp_path / "program.py").write_text(textwrap.dedent(program))
    parent = subprocess.Popen([sys.executable, "program.py"], cwd=tmp_path, stderr=subprocess.DEVNULL)
    until(lambda: (tmp_path / "one").exists() and (tmp_path / "two").exists())
    started = psutil.Process(parent.pid).children()
    assert len(started) >= 2
    parent.send_signal(number)
    parent.wait()
    until(lambda: not any(one.is_running() and one.status() != psutil.STATUS_ZOMBIE for one in started))
