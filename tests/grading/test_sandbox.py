"""The sandbox: the system calls that are refused, and each of its layers with the others switched off."""

import fnmatch
import json
import os
import platform
import re
import shutil
import struct
import subprocess
import sys
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

import pytest
from conftest import naming, need
from lab.checks.graded import GRADED, load

from exercises.grading import GradingError
from exercises.grading.isolation import bubblewrap, sandbox, syscalls
from exercises.grading.judging import judge
from exercises.grading.results import grade_store

HEADERS = {
    "x86_64": Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
    "aarch64": Path("/usr/include/asm-generic/unistd.h"),  # which aarch64 uses as it is
}
LEVELS = sandbox.LEVELS[sandbox.LEVELS.index(sandbox.reached()) :]
BOARD = "[[[[3, 3], 3], [[0, 0]]]]"


def asked(cells, level):
    """The reply of a submission's function f, asked about the empty board."""
    return judge.heard_of(level, sandbox.FUNCTION, {"cells": cells, "function": "f", "once": 1}, BOARD, 1)


TRIED = """
import ctypes, os, socket, sys, tempfile
def tried(what, *given):
    try:
        return what(*given)
    except (MemoryError, OSError) as error:
        return type(error).__name__
"""


def said(source, level="full"):
    """The value of the expression on a submission's last line, as text."""
    *before, last = source.strip().split("\n")
    code = "\n".join([TRIED, *before, "def f(board):", f"    raise RuntimeError(repr({last}))"])
    heard = asked([code], level)
    assert heard.answers, heard
    return heard.answers[0].words.partition("RuntimeError: ")[2].partition(", in line")[0]


@pytest.mark.parametrize("machine", HEADERS)
def test_the_numbers_of_the_system_calls_are_the_kernels(machine):
    if not HEADERS[machine].exists():
        pytest.skip("needs the kernel's headers")
    numbers = dict(re.findall(r"#define __NR(?:3264)?_(\w+) (\d+)", HEADERS[machine].read_text()))
    column = list(syscalls.MACHINES).index(machine)
    for name, both in (syscalls.REFUSED_CALLS | {"clone": syscalls.CLONE, "clone3": syscalls.CLONE3}).items():
        assert name not in numbers or int(numbers[name]) == both[column], name
    assert {"memfd_create", "memfd_secret", "socket", "fork", "ptrace"} <= set(syscalls.REFUSED_CALLS)


@pytest.mark.parametrize("machine", HEADERS)
def test_the_filter_refuses_each_of_them_and_kills_what_calls_for_another_machine(machine, monkeypatch):
    monkeypatch.setattr(platform, "machine", lambda: machine)
    column = list(syscalls.MACHINES).index(machine)

    def answer(number, flags=0, architecture=syscalls.MACHINES[machine]):
        """The filter's answer to a system call, by the rules of the kernel's packet-filter language."""
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

    for numbers in syscalls.REFUSED_CALLS.values():
        if numbers[column] is not None:
            assert answer(numbers[column]) == syscalls.NOT_PERMITTED
    assert answer(syscalls.CLONE[column]) == syscalls.NOT_PERMITTED
    assert answer(syscalls.CLONE[column], syscalls.CLONE_THREAD) == syscalls.ALLOW
    assert answer(syscalls.CLONE3[column]) == syscalls.NOT_IMPLEMENTED
    assert answer(63) == syscalls.ALLOW
    assert answer(63, architecture=0x40000003) == answer(syscalls.X32 | 1) == syscalls.KILL


def test_a_level_is_one_of_two_and_nothing_is_graded_below_the_one_asked_for(monkeypatch):
    with pytest.raises(GradingError, match=naming("full", "limits", "not 'none'")):
        sandbox.require("none")
    monkeypatch.setattr(sandbox, "reached", lambda: "limits")
    sandbox.require("limits")
    with pytest.raises(GradingError) as found:
        sandbox.require("full")
    install = "On Debian or Ubuntu install bubblewrap (`sudo apt install bubblewrap`)"
    told = f"This machine can provide isolation 'limits', not 'full'. {install}, or add `--isolation limits` to grade"
    assert str(found.value) == f"{told} without it."
    monkeypatch.setattr(sandbox, "reached", lambda: "full")
    for level in sandbox.LEVELS:
        sandbox.require(level)


def test_a_machine_without_bubblewrap_reaches_the_lower_level_and_windows_none(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda _: None)
    assert sandbox.reached.__wrapped__() == "limits"
    monkeypatch.setattr(sys, "platform", "win32")
    with pytest.raises(GradingError, match=r"^Submissions can't be isolated .*: isolation needs Linux or macOS\.$"):
        sandbox.reached.__wrapped__()


def test_the_guide_tells_how_much_time_there_is():
    guide = " ".join(Path("exercises/grading.md").read_text().split())
    one, player = sandbox.FUNCTION, sandbox.PLAYER
    assert all(kind.seconds > kind.total for kind in (one, player, sandbox.INTERFACES))
    for told in (
        f"A call that takes more than {one.each:g} seconds",
        f"calls all end has {one.total:g} seconds for all questions",
        f"stopped after {sandbox.MAX_WAIT:g} seconds of waiting",
        f"A sandbox has {one.seconds} seconds of computing and {sandbox.MAX_WAIT:g} of waiting",
        f"A player has {player.each:g} seconds of computing for a move and {player.total:g} for all",
    ):
        assert told in guide


def test_a_grader_that_was_killed_leaves_no_temporary_folder_after_the_next_start(tmp_path):
    """And one that is alive keeps its own."""
    code = "from exercises.grading.isolation import bubblewrap as b; b.contents(('*',), False); "
    code += "print(b.scratch(), flush=True); {}"

    def started(then):
        command, environment = [sys.executable, "-c", code.format(then)], os.environ | {"TMPDIR": str(tmp_path)}
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, text=True)
        return process, Path(process.stdout.readline().strip())

    killed, left = started("input()")
    alive, kept = started("input()")
    killed.kill()
    killed.wait()
    assert left.name.startswith("ttt-sandbox-") and [*left.iterdir()]
    done, own = started("")
    done.communicate()
    assert not left.exists() and kept.exists() and not own.exists()
    alive.communicate("\n")
    assert not [*tmp_path.iterdir()]


# ---------------------------------------------------------------------------------------------- what is inside


@pytest.mark.parametrize("level", LEVELS)
def test_a_function_is_asked_where_only_the_files_are_that_ask_it(level):
    found = said(
        """
home = next(path for path in sys.path if os.path.exists(path + "/ttt"))
folders = [folder for package in ("lab", "ttt") for folder in os.walk(home + "/" + package)]
found = [os.path.join(place, name)[len(home) + 1:] for place, _, names in folders for name in names]
sorted(path for path in found if not path.endswith(".pyc"))
""",
        level,
    )
    assert found == repr(sorted(bubblewrap.ASKING))


def test_other_sandboxes_have_only_those_parts_of_the_checks_that_ask_a_submission():
    asking = {name for name in bubblewrap.ASKING if name.startswith("lab/checks")}
    for kind, more in ((sandbox.PLAYER, set()), (sandbox.INTERFACES, {"lab/checks/interface.py"})):
        lab = bubblewrap.contents(kind.without, kind.everything)["lab"]
        found = {path.relative_to(lab.parent).as_posix() for path in lab.rglob("checks/*.*")}
        assert {name for name in found if "__pycache__" not in name} == asking | more


def test_every_pattern_of_files_matches_one_and_every_withheld_method_is_there():
    """Otherwise a file that has moved might be visible in the sandbox, or no longer count for a stored grade."""
    sources = bubblewrap.SOURCES.items()
    lab = [f"{name}/{path.relative_to(source).as_posix()}" for name, source in sources for path in source.rglob("*.*")]
    for kind in (sandbox.FUNCTION, sandbox.PLAYER, sandbox.INTERFACES):
        for pattern in kind.without:
            assert fnmatch.filter(lab, pattern), pattern
    assert {*bubblewrap.ASKING} <= {*lab}
    for pattern in grade_store.JUDGING:
        assert [*grade_store.ROOT.glob(pattern)], pattern
    for exercise in GRADED:
        for call in load(exercise).withheld:
            module, owner, method = call.rsplit(".", 2)
            assert callable(vars(getattr(import_module(module), owner))[method]), call


@pytest.mark.parametrize("again", ["importlib.reload(h)", "exec(open(h.__file__).read(), vars(h))"])
def test_what_is_withheld_is_not_in_the_files_either(again):
    """A module can be loaded again, or run from its text."""
    source = f"import importlib, ttt.heuristics as h\n{again}\ndef heuristic_1(board, player):\n"
    cells = (source + "    return h.LineWeights(0, 1, 3, 0)(board, player)",)
    found = judge.judged(judge.Judging("ann", "heuristic_1", cells, "", LEVELS[0]))
    assert (found.score, found.mistake) == (0, "not allowed here")
    assert re.search(naming("may not", "LineWeights"), found.told)


def test_neither_files_nor_processes_can_be_seen_and_only_the_working_directory_can_be_written(tmp_path):
    need("sandbox")
    (tmp_path / "secret").write_text("x")
    source = f"""
secret, lab = {str(tmp_path / "secret")!r}, {str(Path.cwd())!r}
processes = [name for name in os.listdir("/proc") if name.isdigit()]
commands = [tried(lambda: open("/proc/" + number + "/cmdline").read()) for number in processes]
seen = tried(lambda: open(secret).read()), tried(lambda: os.listdir(lab)) in ([], "FileNotFoundError")
mounts = [line.split() for line in open("/proc/self/mounts")]
mounts = [mount[1] for mount in mounts if "rw" in mount[3].split(",") and not mount[1].startswith(("/dev/", "/proc"))]
places = "/", "/usr", "/sandbox", "/sandbox/ttt", "/dev", "/proc", "/tmp"
writable = [path for path in places if os.access(path, os.W_OK)]
[*seen, len(processes) < 5, any("bwrap" in command or lab in command for command in commands), mounts, writable]
"""
    assert said(source) == "['FileNotFoundError', True, True, False, ['/tmp'], ['/tmp']]"


CONNECTS = """
tried(lambda: socket.create_connection(("127.0.0.1", {port})) and "connected")
"""


@contextmanager
def listening():
    """The port of a server on this machine."""
    import socket

    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def test_the_network_is_out_of_reach_with_either_layer_off(monkeypatch):
    """The filter refuses the socket; without it the namespace has no network to reach."""
    need("sandbox")
    with listening() as port:
        assert said(CONNECTS.format(port=port)) == repr("PermissionError")
        shared = [flag for flag in bubblewrap.NAMESPACES if flag != "--unshare-net"]
        with monkeypatch.context() as change:
            change.setattr(bubblewrap, "NAMESPACES", tuple(shared))
            assert said(CONNECTS.format(port=port)) == repr("PermissionError")
        with monkeypatch.context() as change:
            allowed = {name: call for name, call in syscalls.REFUSED_CALLS.items() if name != "socket"}
            change.setattr(syscalls, "REFUSED_CALLS", allowed)
            assert said(CONNECTS.format(port=port)) == repr("ConnectionRefusedError")
            change.setattr(bubblewrap, "NAMESPACES", tuple(shared))
            assert said(CONNECTS.format(port=port)) == repr("connected")  # or the test would show nothing


FILE = "lambda: open(tempfile.mkdtemp() + '/x', 'wb').write(bytes({} << 10))"
REACHES_FOR = {  # what a submission tries to get, and what it gets
    "os.fork": "PermissionError",
    "os.memfd_create, 'x'": "PermissionError",
    "ctypes.CDLL(None).syscall, 447, 0": -1,
    "lambda: 'NoNewPrivs:\\t1' in open('/proc/self/status').read()": True,
    "lambda: len(bytearray(500 << 20))": 500 << 20,
    "lambda: len(bytearray(768 << 20))": "MemoryError",
    FILE.format(1000): 1000 << 10,
    FILE.format(1100): "OSError",
    "lambda: len([open('/dev/null') for _ in range(240)])": 240,
    "lambda: len([open('/dev/null') for _ in range(256)])": "OSError",
    "os.environ.get, 'SECRET'": None,
}


@pytest.mark.parametrize("level", LEVELS)
def test_what_a_submission_reaches_for_is_refused_or_has_limits(level, monkeypatch):
    if not syscalls.known():
        pytest.skip("needs Linux")
    monkeypatch.setenv("SECRET", "x")
    tries = "\n".join(f"tried({reached})," for reached in REACHES_FOR)
    assert said(f"found = [\n{tries}\n]\nfound", level) == repr([*REACHES_FOR.values()])
    if level == "full":  # where the user is its own
        assert said("import resource\nresource.getrlimit(resource.RLIMIT_NPROC)") == "(16, 16)"


@pytest.mark.parametrize("level", LEVELS)
def test_a_program_that_ends_by_a_signal_is_told_why(level):
    code = "import os, signal\ndef f(board):\n    os.kill(os.getpid(), signal.SIGSEGV)"
    assert asked([code], level).problem == sandbox.BROKEN


OVER = "The program used too much time or memory, so it was stopped. Is there an endless loop?"
BROKEN = "The program crashed Python. Does a function never stop calling itself, or did it use too much memory?"
ENDED = "The program ended before it had answered everything."
ENDS = {  # how a program ends, below bubblewrap by a number for its signal, and what is said of it
    **dict.fromkeys(["kill -XCPU $$", "kill -KILL $$", "exit 137"], OVER),
    **dict.fromkeys(["kill -SEGV $$", "kill -BUS $$", "kill -ABRT $$", "exit 139"], BROKEN),
    **dict.fromkeys(["true", "exit 3", "exit 128", "exit 255", "kill -TERM $$"], ENDED),
    "exec sleep 60 >&-": "The program closed its output but kept running.",
    "head -c 524288 /dev/zero; exec sleep 60": "The program produced far more output than expected, so it was stopped.",
}


@pytest.mark.parametrize("script", ENDS)
def test_why_a_program_ended_is_told_whatever_ended_it(script):
    with subprocess.Popen(["sh", "-c", script], stdout=subprocess.PIPE) as process:
        ended = sandbox.Sandbox(process)
        assert not [*ended.lines] and ended.why_it_ended() == ENDS[script]
        process.kill()


def test_at_the_lower_level_each_submission_has_files_of_its_own():
    """Otherwise one could write into the package, and the next would import it."""
    writes = """
import ttt.board
open(ttt.board.__file__, "a").write("raise SystemExit")
"""
    said(writes.strip() + "\n1", "limits")
    assert said("1", "limits") == "1"


def test_what_the_notebook_imports_can_be_imported_and_what_is_absent_stops_what_uses_it():
    content = json.loads(Path("exercises/heuristic_1/heuristic_1.ipynb").read_text())
    cells = ["".join(cell["source"]) for cell in content["cells"] if cell["cell_type"] == "code"]
    cells = [cell for cell in cells if "import" in cell] + ["def f(board):\n    return exact('random', 'random')"]
    heard = asked(cells, LEVELS[0])
    assert heard.answers[0].fault == "stops with an error" and "exact" in heard.answers[0].words


def test_a_missing_name_is_traced_to_the_cell_that_failed_whatever_fails_below_it():
    [answer] = asked(["a = 1 / 0", "b = [][0]", "def f(board): return a"], LEVELS[0]).answers
    assert "“Cell 1 stopped with ZeroDivisionError: division by zero, in line 1: `a = 1 / 0`; so f" in answer.words


def test_a_changed_line_in_any_file_of_the_grader_or_that_asks_judges_anew(tmp_path, monkeypatch):
    """A grade must not outlive the code and the settings that gave it, wherever they are."""
    folders = [grade_store.ROOT / name for name in ("exercises/grading", "notebooks/lab/checks", "ttt/search")]
    files = {file for place in folders for end in ("py", "toml") for file in place.rglob(f"*.{end}")}
    for name in (*bubblewrap.ASKING, "ttt/players/rules.py"):
        files.add(bubblewrap.SOURCES[name.partition("/")[0]] / name.partition("/")[2])
    assert files <= {path for pattern in grade_store.JUDGING for path in grade_store.ROOT.glob(pattern)}

    def digest(text, *cells):
        (tmp_path / "ttt").mkdir(exist_ok=True)
        (tmp_path / "ttt/board.py").write_text(text)
        grade_store._judging.cache_clear()
        return grade_store.digest(cells)

    monkeypatch.setattr(grade_store, "ROOT", tmp_path)
    digests = digest("", "x = 1"), digest("# changed", "x = 1"), digest("", "x = 2"), digest("", "x ", "= 1")
    assert len({*digests}) == 4 and digest("", "x = 1") == digests[0]
    grade_store._judging.cache_clear()  # it read the copy
