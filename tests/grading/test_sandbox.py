"""The sandbox: the system calls that are refused, and what a process inside sees of the file system."""

import csv
import platform
import re
import struct
import subprocess
import sys
import time
import tomllib
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import need
from typer.testing import CliRunner

from ttt import Board
from ttt.cli import app
from ttt.grading import batch, heuristic_1, judge, marking, sandbox, syscalls
from ttt.grading.contest import Contestant
from ttt.grading.judge import Question

HEADERS = {
    "x86_64": Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
    "aarch64": Path("/usr/include/asm-generic/unistd.h"),  # which aarch64 uses as it is
}


def test_the_sandboxs_clock_follows_the_times_that_are_given_inside_it():
    change = """
import resource
from ttt.grading.inside import runner, submission
submission.ALL_SECONDS["imports"] += {}
runner.ANSWERS_SECONDS += {}
from ttt.grading.sandbox import LIMITS
print(LIMITS[resource.RLIMIT_CPU])
"""
    usual, imports, answers = (
        int(subprocess.run([sys.executable, "-c", change.format(*more)], capture_output=True, check=True).stdout)
        for more in ((0, 0), (20, 0), (0, 3))
    )
    assert (imports - usual, answers - usual) == (20, 3)


@pytest.mark.parametrize("machine", HEADERS)
def test_the_numbers_of_the_system_calls_are_the_kernels(machine):
    if not HEADERS[machine].exists():
        pytest.skip("needs the kernel's headers")
    found = re.findall(r"#define __NR(?:3264)?_(\w+) (\d+)", HEADERS[machine].read_text())
    numbers = {name: int(number) for name, number in found}
    column = list(syscalls.MACHINES).index(machine)
    named = syscalls.REFUSED | {"clone": syscalls.CLONE, "clone3": syscalls.CLONE3}
    assert {name: numbers.get(name) for name in named} == {name: both[column] for name, both in named.items()}


@pytest.mark.parametrize("machine", HEADERS)
def test_the_filter_refuses_each_of_them_and_kills_what_calls_for_another_machine(machine, monkeypatch):
    monkeypatch.setattr(platform, "machine", lambda: machine)
    column = list(syscalls.MACHINES).index(machine)

    def answer(number, flags=0, architecture=syscalls.MACHINES[machine]):
        """What the filter answers to a system call, by the rules of the kernel's packet-filter language."""
        shown = {syscalls.CALL_NUMBER: number, syscalls.ARCHITECTURE: architecture, syscalls.FIRST_ARGUMENT: flags}
        program, place, loaded = list(struct.iter_unpack("HBBI", syscalls.seccomp_filter())), 0, 0
        while True:
            code, if_so, if_not, value = program[place]
            place += 1
            if code == syscalls.ANSWER:
                return value
            if code == syscalls.LOAD:
                loaded = shown[value]
                continue
            tests = {syscalls.IS: loaded == value, syscalls.IS_AT_LEAST: loaded >= value}
            place += if_so if tests.get(code, loaded & value) else if_not

    for numbers in syscalls.REFUSED.values():
        if numbers[column] is not None:
            assert answer(numbers[column]) == syscalls.NOT_PERMITTED
    assert answer(syscalls.CLONE[column]) == syscalls.NOT_PERMITTED
    assert answer(syscalls.CLONE[column], syscalls.CLONE_THREAD) == syscalls.ALLOW
    assert answer(syscalls.CLONE3[column]) == syscalls.NOT_IMPLEMENTED
    assert answer(63) == syscalls.ALLOW
    assert answer(63, architecture=0x40000003) == answer(syscalls.X32 | 1) == syscalls.KILL


def test_a_level_must_be_one_of_the_two():
    with pytest.raises(ValueError, match="not 'some'"):
        sandbox.require("some")


# ------------------------------------------------------------------------------------------------- what is inside

LEVELS = sandbox.LEVELS[sandbox.LEVELS.index(sandbox.isolation_level()) :]
QUESTION = [Question(Board(), "X")]


def said(source, level="full"):
    """What a submission says to one question, in words."""
    answers = judge.ask(source, QUESTION, "heuristic_1", level)
    assert not answers.problem
    return next(iter([*answers.values.values(), *(odd.words for odd in answers.odd.values())]))


@pytest.mark.parametrize("level", LEVELS)
def test_no_key_can_be_imported_at_any_level(level):
    """Below the full level, a submission imported the right function and got all marks."""
    source = """
import importlib, pathlib, sys
import ttt
found = []
def look():
    for name in ("heuristic_1", "key", "judge", "marking", "gradebook"):
        try:
            found.append(importlib.import_module(f"ttt.grading.{name}"))
        except ImportError:
            pass
look()
for name in [name for name in sys.modules if name.startswith("ttt")]:
    sys.modules.pop(name)
look()
for folder in sys.path:
    if "ttt" in folder or "site-packages" in folder or "sandbox" in folder:
        paths = [*pathlib.Path(folder).rglob("grading/*.py"), *pathlib.Path(folder).rglob("exercises/*.json")]
        found += [path for path in paths if path.read_bytes()]
searched = True

def heuristic_1(board, player):
    return str(searched and found)
"""
    assert said(source, level) == "the text '[]'"


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("package", ["numpy", "pandas"])
def test_packages_that_the_readme_names_can_be_imported(package, level):
    pytest.importorskip(package)
    assert said(f"import {package}\ndef heuristic_1(board, player):\n    return {package}.__name__", level) == (
        f"the text '{package}'"
    )


def test_a_program_with_the_function_alone_has_what_the_notebook_imports_or_is_told_what_is_missing():
    alone = "def heuristic_1(board, player):\n    return (opponent(player) == 'O') + isinstance(board, Board)"
    assert said(alone, LEVELS[0]) == 2
    for code, missing in {
        "greedy(board)": "write `from ttt import greedy` above it",
        "scipy.zeros(3)": "stopped with ModuleNotFoundError: No module named 'scipy' (line 1: import scipy)",
    }.items():
        told = said(f"import scipy\ndef heuristic_1(board, player):\n    return {code}", LEVELS[0])
        assert told.startswith("NameError: name") and told.endswith(missing)


def test_a_notebook_is_the_main_program_and_a_name_is_told_with_what_should_have_given_it():
    guarded = "if __name__ == '__main__':\n    worth = 7\ndef heuristic_1(board, player):\n    return worth"
    assert said(guarded, LEVELS[0]) == 7
    failed = "worth = np.array([1])\ndef heuristic_1(board, player):\n    return worth"
    told = said(failed, LEVELS[0])
    assert "the line that should define it stopped with NameError: name 'np' is not defined (line 1: worth" in told


THREADS = """
import threading
def my_player(board):
    started = 0
    try:
        for started in range(60):
            threading.Thread(target=threading.Event().wait, daemon=True).start()
    except RuntimeError:
        pass
    return started
"""


def test_threads_of_one_sandbox_do_not_starve_another():
    """All sandboxes of a process ran as the same user, whose processes and threads the kernel counts together."""
    need("sandbox")
    cube = Board((4, 4, 4))
    players = [Contestant(name, THREADS) for name in ("one", "two", "three")]
    with ExitStack() as games:
        asked = [games.enter_context(player.session(cube, 1)) for player in players]
        started = [ask(cube) for ask in asked]
    assert all(8 <= number < 20 for number in started)


def test_a_process_that_a_submission_leaves_behind_is_killed(monkeypatch):
    monkeypatch.setattr(syscalls, "filter_own_calls", lambda: None)  # which refuses to start any
    source = """
import os, time
child = os.fork()
if not child:
    os.execv("/bin/sleep", ["sleep", "61"])
def heuristic_1(board, player):
    return child
"""
    child = said(source, "limits")
    deadline = time.monotonic() + 5
    while Path(f"/proc/{child}").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not Path(f"/proc/{child}").exists()


# ------------------------------------------------------------------------------------------------- time

RIGHTS = tomllib.loads((Path(__file__).parent / "submissions" / "right.toml").read_text())
RIGHT = RIGHTS["four counters"]
SLOW_DISK = """
import importlib.abc, importlib.util, sys, threading

class Disk(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path, target=None):
        return importlib.util.spec_from_loader(name, self) if name == "far_away" else None
    def exec_module(self, module):
        threading.Event().wait(3)
        module.nothing = 0

sys.meta_path.insert(0, Disk())
"""
WAITS = f"""
import threading
{RIGHT.replace("def heuristic_1(board, player):", "def heuristic_1(board, player):" + chr(10) + "    wait()")}
calls = []
def wait():
    calls.append(1)
    if len(calls) < 60:
        threading.Event().wait(0.1)
"""


@pytest.mark.parametrize(
    "source",
    [
        SLOW_DISK + "import far_away\n" + RIGHT.replace("x2 = x1", "x2 = far_away.nothing; x1"),
        SLOW_DISK + RIGHT.replace("    other", "    import far_away\n    other"),
        WAITS,
        "import time\n" + RIGHT.replace("    other", "    time.sleep(0.1)\n    other"),
    ],
    ids=["import", "import in the function", "waiting", "sleep"],
)
def test_what_a_right_function_waits_for_costs_no_marks(source):
    """Two seconds for an import and five for all, by the wall clock, made right answers endless loops."""
    key = heuristic_1.key()
    answers, grade = marking.mark(key, source, LEVELS[0])
    assert (grade.status, grade.score) == ("right", 15), (answers.problem, grade.reason)


def test_marks_do_not_depend_on_chance_where_some_boards_stop_the_program():
    """Which questions came before the one that stopped it was chance, and so was which parts were earned."""
    key = heuristic_1.key()
    source = RIGHT.replace("    other =", "    if not board.moves:\n        os._exit(0)\n    other =", 1)
    grades = [marking.mark(key, f"import os\n{source}", LEVELS[0])[1] for _ in range(3)]
    assert len({replace(grade, seconds=0) for grade in grades}) == 1 and grades[0].score > 0
    assert [part.got > 0 for part in grades[0].parts] == [
        all(key.questions[place].board.moves for place in part.questions) for part in key.parts
    ]


CLASS = {
    "ann": RIGHTS["four counters"],
    "bo": RIGHTS["numpy"],
    "cy": RIGHTS["fractions"],
    "ed": "def heuristic_1(board, player):\n    return len(board.lines) // 0\n",
}
LATE = "def heuristic_1(board, player):\n    while not board.moves:\n        pass\n    return 0\n"


@pytest.fixture
def students(tmp_path):
    """A folder with a class in it."""
    (tmp_path / "class").mkdir()
    for student, source in CLASS.items():
        (tmp_path / "class" / f"{student}.py").write_text(source)
    return tmp_path


@pytest.fixture
def one_late(students):
    """The same class, and a student whose function runs out of time, which takes long to find out."""
    (students / "class" / "di.py").write_text(LATE)
    return students


def grades(folder, *options):
    """What `ttt grade` writes to its table, without the seconds."""
    command = ["grade", str(folder / "class"), "--out", str(folder / "out"), "--isolation", sandbox.isolation_level()]
    done = CliRunner().invoke(app, [*command, *options])
    assert done.exit_code == 0, done.output
    with (folder / "out" / "grades.csv").open(newline="") as file:
        return [row | {"seconds": ""} for row in csv.DictReader(file)]


def test_a_class_gets_the_same_grades_with_any_workers_on_a_busy_machine(one_late):
    """Sixteen workers on two cores made right answers endless loops."""
    need("sandbox")
    hogs = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2)]
    try:
        alone, together = (grades(one_late, "--regrade", "--workers", str(workers)) for workers in (1, 16))
    finally:
        for hog in hogs:
            hog.kill()
            hog.wait()
    assert alone == together
    assert [row["score"] for row in alone][:3] == ["15"] * 3 and alone[3]["status"] == "problem"


def test_what_was_late_is_tried_again_on_the_next_run(one_late, monkeypatch):
    need("sandbox")
    first = grades(one_late, "--workers", "1")
    asked, judged = [], batch.judged
    monkeypatch.setattr(batch.graded, "__defaults__", (lambda task: asked.append(task.student) or judged(task),))
    monkeypatch.setattr("ttt.pools.processes", lambda workers: None)
    assert grades(one_late) == first and set(asked) == {"di"}
