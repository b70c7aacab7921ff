"""The sandbox: a process that sees Python, a folder with the few files it needs, and nothing else of this machine.

| level | what stops a submission |
| --- | --- |
| full | bubblewrap (no network, no other process, few files, all read-only); seccomp; limits; a clock |
| limits | on Linux seccomp; limits; a clock. It can read and write whatever the user can |

Some machines forbid namespaces, so the level that is really reached is found out by starting a sandboxed process. The
limits and, below the full level, the filter of system calls are set inside, by `inside.py`, before anything of the
submission is run; a process can't take them back. Limits on threads count by user: started by root, each sandbox has a
user of its own, started by anybody else a user namespace of its own.
"""

from __future__ import annotations

import atexit
import compileall
import importlib.util
import os
import secrets
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import cache, partial
from pathlib import Path
from threading import Event, Thread

from exercises.grading import ROOT, GradingError, syscalls

LEVELS = ("full", "limits")  # of isolation, the better one first
HOME = Path("/sandbox")  # where our files are, seen from inside
SYSTEM = ("/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache", "/etc/alternatives")
IMPORTABLE = ("numpy", "pandas")  # what submissions may import besides Python's own modules and ttt
NEEDED = ("dateutil", "pytz", "six", "tzdata")  # by pandas
MEGABYTE = 1 << 20
PATIENCE = 40.0  # seconds that a process may wait without computing
LOOK = 5.0  # seconds between two looks at how long it has computed

# The files of `ttt` that a function is asked with, and what of `ttt` a player and an interface don't see.
ASKING = ("__init__", "board", "heuristics", "limits", "loader", "progress", "symmetry", "exercises/asking")
NOT_FOR_PLAYERS = ("cli", "exercises", "jupyter", "plots", "qubic/prover", "recaps", "statistics", "widgets")
NOT_FOR_INTERFACES = ("cli", "qubic/prover", "exercises/*.json")


@dataclass(frozen=True)
class Kind:
    """What a sandboxed process is given.

    Args:
        modules: of `ttt`, by their names.
        without: where there is anything, all of `ttt` is there but this, and then the modules.
        packages: whether all installed packages are there, rather than those in `IMPORTABLE`.
        seconds: of computing.
        memory: bytes.
        disk: bytes of files in /tmp, where it starts.
    """

    modules: tuple[str, ...] = ASKING
    without: tuple[str, ...] = ()
    packages: bool = False
    seconds: int = 45
    memory: int = 768 * MEGABYTE
    disk: int = MEGABYTE


FUNCTION = Kind()
PLAYER = Kind(ASKING, NOT_FOR_PLAYERS, seconds=90)
INTERFACE = Kind(ASKING, NOT_FOR_INTERFACES, True, 60, 4096 * MEGABYTE, 32 * MEGABYTE)


@cache
def reached() -> str:
    """The best level that this machine reaches. Raises `GradingError` if there is none."""
    for level in LEVELS:
        if _works(level):
            return level
    raise GradingError("Submissions can't be isolated on this machine: it is neither Linux nor macOS.")


def require(level: str) -> None:
    """Make sure that this machine reaches a level. Raises `GradingError`, which says what to do."""
    if level not in LEVELS:
        raise GradingError(f"The levels of isolation are {' and '.join(LEVELS)}, not {level!r}.")
    if LEVELS.index(reached()) > LEVELS.index(level):
        raise GradingError(
            f"This machine reaches isolation {reached()!r}, not {level!r}. On Debian or Ubuntu install bubblewrap "
            f"(sudo apt install bubblewrap), or write --isolation {reached()} to grade without it."
        )


@contextmanager
def sandboxed(level: str, kind: Kind = FUNCTION) -> Iterator[subprocess.Popen[bytes]]:
    """A process that runs `inside.py`, with pipes to its input and output; killed with all its children at the end."""
    with ExitStack() as opened:
        passed: tuple[int, ...] = ()
        if level == "full":
            passed = (_piped(opened, syscalls.seccomp_filter()),)
            command = _bubblewrap(kind, passed[0])
            place = "/"
        else:
            place = opened.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))
            home = Path(place) / HOME.name
            packages = [package.name for package in _packages(kind)]
            shutil.copytree(files(kind), home, ignore=shutil.ignore_patterns(*packages))  # since it could write there
            for package in _packages(kind):
                (home / "packages" / package.name).symlink_to(package)
            command = [sys.executable, *_python(home)]
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=_environment(place),
            cwd=place,
            pass_fds=passed,
            start_new_session=True,
        )
        try:
            yield process
        finally:
            _kill(process)


def limits(level: str, kind: Kind) -> dict[str, object]:
    """What `inside.py` sets before it runs anything: limits by name, and the filter where bubblewrap sets none."""
    found: dict[str, object] = {
        "RLIMIT_CPU": kind.seconds,
        "RLIMIT_AS": kind.memory,
        "RLIMIT_FSIZE": kind.disk,
        "RLIMIT_NOFILE": 256 if kind.packages else 64,
        "RLIMIT_CORE": 0,
    }
    if level == "full":
        found["RLIMIT_NPROC"] = 16
    elif syscalls.known():
        found["filter"] = syscalls.seccomp_filter().hex()
    return found


def _python(home: Path) -> list[str]:
    """Python, isolated from its environment (-I), without site-packages (-S), and writing no bytecode (-B)."""
    return ["-I", "-S", "-B", str(home / "packages/inside.py")]


def _environment(place: str) -> dict[str, str]:
    threads = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "TQDM_DISABLE")
    return {"HOME": place if place != "/" else "/tmp", "PATH": "/usr/bin:/bin", "MPLBACKEND": "agg"} | dict.fromkeys(
        threads, "1"
    )


@cache
def files(kind: Kind) -> Path:
    """The folder with the files that a sandbox sees, compiled; made once, and removed when this process ends."""
    home = Path(tempfile.mkdtemp(prefix="ttt-sandbox-"))
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    (home / "packages").mkdir()
    shutil.copy(Path(__file__).with_name("inside.py"), home / "packages/inside.py")  # no line of it is a student's
    package = home / "ttt"
    if kind.without:
        shutil.copytree(ROOT / "ttt", package, ignore=partial(_left_out, kind.without))
    for name in kind.modules:
        target = package / f"{name}.py"
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / "ttt" / target.relative_to(package), target)
    (package / "exercises/__init__.py").touch()  # empty, where there is none
    compileall.compile_dir(home, quiet=2, stripdir=home, prependdir=HOME)
    home.chmod(0o755)
    return home


def _left_out(without: tuple[str, ...], folder: str, names: list[str]) -> list[str]:
    inside = Path(folder).relative_to(ROOT / "ttt")
    patterns = (*without, "*__pycache__")
    return [name for name in names if any(fnmatch(str(inside / name), pattern) for pattern in patterns)]


@cache
def _packages(kind: Kind) -> tuple[Path, ...]:
    """The files and folders of the installed packages that are there."""
    if kind.packages:
        site = Path(sysconfig.get_path("platlib"))
        return tuple(path for path in site.iterdir() if path.name != "ttt")
    specs = (importlib.util.find_spec(name) for name in (*IMPORTABLE, *NEEDED))
    origins = [Path(spec.origin) for spec in specs if spec and spec.origin]
    modules = [origin.parent if origin.name == "__init__.py" else origin for origin in origins]
    libraries = [module.with_name(f"{module.name}.libs") for module in modules]
    return tuple(path for path in (*modules, *libraries) if path.exists())


def _piped(opened: ExitStack, data: bytes) -> int:
    """A descriptor from which the data can be read."""
    read, write = os.pipe()
    opened.callback(os.close, read)
    os.write(write, data)
    os.close(write)
    return read


def computed(process: subprocess.Popen[bytes]) -> float:
    """The CPU time that a sandboxed program has used so far; the wall clock where a system doesn't tell.

    bubblewrap starts a process that starts the program, so the program is the last of a chain of children.
    """
    number = process.pid
    try:
        while children := Path(f"/proc/{number}/task/{number}/children").read_text(encoding="ascii").split():
            number = int(children[0])
        fields = Path(f"/proc/{number}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError):
        return time.monotonic() if not Path("/proc/self/stat").exists() else 0.0


@contextmanager
def watched(process: subprocess.Popen[bytes]) -> Iterator[Event]:
    """Kill a process that waits without computing; the event tells that it did. A busy machine makes nobody late."""
    done, waited = Event(), Event()

    def watch() -> None:
        last, idle = 0.0, 0
        while not done.wait(LOOK):
            now = computed(process)
            idle = idle + 1 if now - last < LOOK / 100 else 0
            last = now
            if idle * LOOK >= PATIENCE:
                waited.set()
                process.kill()
                return

    watcher = Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield waited
    finally:
        done.set()


def _kill(process: subprocess.Popen[bytes]) -> None:
    try:
        os.killpg(process.pid, 9)
    except OSError:  # nobody is left, or on macOS only what has ended
        process.kill()
    for pipe in (process.stdin, process.stdout):
        with suppress(OSError):
            if pipe:
                pipe.close()
    process.wait()


def _works(level: str) -> bool:
    if sys.platform not in ("linux", "darwin"):
        return False
    if level == "full" and not (shutil.which("bwrap") and syscalls.known()):
        return False
    from exercises.grading.judge import answers_of  # it uses this module

    try:
        return bool(answers_of(("def f(board): return 1",), "f", b"[[[1], 1, 0, 0, null]]\n", 1, level=level).answers)
    except (OSError, GradingError):
        return False


# ---------------------------------------------------------------------------------------------- bubblewrap

NAMESPACES = (
    *("--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"),
    *("--die-with-parent", "--new-session", "--clearenv", "--cap-drop", "ALL"),
)


def _bubblewrap(kind: Kind, seccomp: int) -> list[str]:
    """The command that starts a process in namespaces of its own, with the filter that a descriptor leads to."""
    python = [str(Path(sys.executable).resolve()), *_python(HOME)]
    rights = ["--unshare-user-try"]
    if os.getuid() == 0:  # the process becomes somebody else, so that it can't use root's rights
        user = _unused_user()
        rights = ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
        without = ["--clear-groups", "--no-new-privs", "--inh-caps=-all"]
        python = ["/usr/bin/setpriv", f"--reuid={user}", f"--regid={user}", *without, *python]
    environment = [word for item in _environment("/").items() for word in ("--setenv", *item)]
    return ["bwrap", *NAMESPACES, *rights, *environment, *_mounts(kind), "--seccomp", str(seccomp), "--", *python]


def _unused_user() -> int:
    """The number of a user that owns nothing, out of so many that no two sandboxes have the same."""
    rows = (map(int, line.split()) for line in Path("/proc/self/uid_map").read_text(encoding="ascii").splitlines())
    end = min(1 << 31, max(first + count for first, _, count in rows))
    half = max(1 << 15, end // 2)  # where fewer are there, this one isn't, and the level is not reached
    return half + secrets.randbelow(half)


@cache
def _mounts(kind: Kind) -> tuple[str, ...]:
    """What the file system is made of: all of it read-only, but for a small /tmp.

    The lab itself, with the answers in it, is hidden where it lies in a folder that is shown.
    """
    shown = [path for path in (*map(Path, SYSTEM), Path(sys.base_prefix).resolve()) if path.exists()]
    packages = [(path, HOME / "packages" / path.name) for path in _packages(kind)]
    for path, target in packages:
        place = files(kind) / target.relative_to(HOME)
        place.mkdir(exist_ok=True) if path.is_dir() else place.touch()
    hidden = [ROOT] if any(ROOT.is_relative_to(folder) for folder in shown) else []
    return (
        *_bound([(path, path) for path in shown]),
        *(word for folder in hidden for word in ("--tmpfs", str(folder), "--remount-ro", str(folder))),
        *_bound([(files(kind), HOME), *packages]),
        *("--proc", "/proc", "--dev", "/dev"),
        *("--size", str(kind.disk), "--perms", "1777", "--tmpfs", "/tmp", "--chdir", "/tmp"),
        *("--remount-ro", "/dev", "--remount-ro", "/"),
    )


def _bound(mounts: list[tuple[Path, Path]]) -> Iterator[str]:
    """The arguments that show files and folders inside, each missing parent first: bubblewrap would make it private."""
    made = {Path("/"), HOME, HOME / "packages"}
    for source, target in mounts:
        for parent in reversed(target.parents):
            if parent not in made:
                made.add(parent)
                yield from ("--dir", str(parent))
        made.add(target)
        yield from ("--ro-bind", str(source), str(target))
