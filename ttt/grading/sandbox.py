"""The sandbox: a process that sees Python, the package's public part, and nothing else of this machine.

At the full level, bubblewrap gives the process namespaces of its own (no network, no other processes, a file system of
a few read-only folders), a seccomp filter refuses system calls, and there are resource limits and a clock. At the level
"limits" there are no namespaces: the process has a copy of the package without the keys, but could read and write
whatever its user can. Some machines forbid namespaces, so the level that is really reached is found out by starting a
sandboxed process.

Limits on processes, which include threads, count by user. Started by root, each sandbox has a user of its own; started
by anybody else, a user namespace of its own, which Linux counts apart since version 5.14 (before, threads of one
sandbox can use up those of another). At the lower levels threads are limited by memory alone.
"""

from __future__ import annotations

import importlib.util
import os
import resource
import secrets
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path

from ttt.grading import syscalls
from ttt.grading.grade import GradingError
from ttt.grading.inside.runner import ANSWERS_SECONDS
from ttt.grading.inside.submission import ALL_SECONDS

PACKAGE = Path(__file__).parents[1]
INSIDE = Path(__file__).with_name("inside")
ANSWERS = tuple(PACKAGE.glob("exercises/*.json"))  # the right values of some boards
SITE = Path(sysconfig.get_path("platlib"))
HOME = Path("/sandbox")  # where our files are, seen from inside
PACKAGES = HOME / "packages"
GRADING = HOME / "ttt" / "grading"
# What submissions may import besides Python's own modules and ttt, where it is installed, and what that needs itself.
IMPORTABLE = ("numpy", "pandas")
NEEDED = ("dateutil", "pytz", "six", "tzdata")
LEVELS = ("full", "limits")  # of isolation, the best first
SEARCHES = {  # the parts of ttt that are not there where a search is to be written, and why
    "engine": "the searches, compiled",
    "exercises": "what it draws of a search has to be searched",
    "players": "some of them search",
    "qubic": "it searches for forced wins",
    "search": "the searches of the lessons",
    "widgets": "the explorer records searches",
}
MEGABYTE = 1 << 20
# Of computing: for the submission to be read, rounded up as the runner does, and then for all answers.
SECONDS = int(sum(ALL_SECONDS.values())) + 1 + ANSWERS_SECONDS
LIMITS = {  # for a function; interface_client.py allows an interface more, contest.py gives a player time for each move
    resource.RLIMIT_CPU: SECONDS,
    resource.RLIMIT_AS: 768 * MEGABYTE,
    resource.RLIMIT_FSIZE: MEGABYTE,
    resource.RLIMIT_NOFILE: 64,
    resource.RLIMIT_CORE: 0,
}


class TooLittleIsolation(GradingError):
    """This machine can't isolate submissions as well as was asked for."""


@cache
def isolation_level() -> str:
    """The best level that this machine reaches: "full", "limits", or "" if it can't limit programs at all."""
    return next((level for level in LEVELS if _works(level)), "")


def require(level: str) -> None:
    """Make sure that this machine reaches a level.

    Raises `TooLittleIsolation`, which says what to do, and `ValueError` if there is no such level.
    """
    reached = isolation_level()
    if not reached:
        raise TooLittleIsolation("This machine can't limit what submissions do: grade on Linux or macOS, or in WSL.")
    if level not in LEVELS:
        raise ValueError(f"The levels of isolation are {', '.join(LEVELS)}, not {level!r}.")
    if LEVELS.index(reached) > LEVELS.index(level):
        raise TooLittleIsolation(
            f"This machine reaches isolation {reached!r}, not {level!r}. On Debian or Ubuntu install bubblewrap "
            f"(sudo apt install bubblewrap), or pass --isolation {reached} to grade without it."
        )


@dataclass(frozen=True)
class Sandbox:
    """What a sandboxed process is given.

    Args:
        program: what it runs, the name of a module in `inside`.
        limits: resource limits.
        disk: bytes of files that it may keep in /tmp.
        site: the folder of all installed packages, to import from; without it only those in `IMPORTABLE` are there.
        environment: its environment variables.
        threads: how many it may have at the full level.
        absent: the folders of our package that are not there.
    """

    program: str = "runner"
    limits: Mapping[int, int] = field(default_factory=lambda: LIMITS)
    disk: int = MEGABYTE
    site: Path | None = None
    environment: Mapping[str, str] = field(default_factory=lambda: {"PATH": "/usr/bin:/bin"})
    threads: int = 16
    absent: tuple[str, ...] = ()


@contextmanager
def sandboxed(level: str, sandbox: Sandbox | None = None) -> Iterator[subprocess.Popen[bytes]]:
    """A sandboxed process, with pipes to its standard input and output; killed with all its children at the end."""
    given = sandbox or Sandbox()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, ExitStack() as files:
        passed: list[int] = []
        filtered = level == "limits" and sys.platform == "linux" and syscalls.known()
        if level == "full":
            passed = [files.enter_context(_open_file(syscalls.seccomp_filter()))]
            command = _bubblewrap(given, passed[0])
        else:
            home = Path(folder) / HOME.name
            _copy(home, given)
            threads = 0 if filtered else given.threads
            command = [sys.executable, *_python(given.program, home, threads)]
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=dict(given.environment),
            cwd=folder,
            pass_fds=passed,
            start_new_session=True,
            preexec_fn=partial(_limit, given.limits, filtered),
        )
        try:
            yield process
        finally:
            _kill(process)


def cpu_seconds(process: subprocess.Popen[bytes]) -> float:
    """The CPU time that a sandboxed program has used so far; the wall clock where a system doesn't tell.

    bubblewrap starts a process that starts the program, so the program is the last of a chain of children.
    """
    number = process.pid
    with suppress(OSError):
        while children := Path(f"/proc/{number}/task/{number}/children").read_text(encoding="ascii").split():
            number = int(children[0])
    try:
        return time.clock_gettime(~number << 3 | 2)  # its CPU-time clock, by the formula of clock_getcpuclockid()
    except OSError:  # it has ended, or this is not Linux
        return time.monotonic() if sys.platform != "linux" else 0.0


# Python runs the script as it is: isolated from the environment (-I), without site-packages (-S), and without writing
# bytecode (-B). So isolated it has no folder of ours on its path; those to import from are the last arguments. The
# limit on threads can be set only here, where the process has become another user.
RUN = """
import sys
script, threads, sys.path[:0] = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
if threads:
    import resource
    resource.setrlimit(resource.RLIMIT_NPROC, (threads, threads))
exec(compile(open(script, "rb").read(), script, "exec"))
"""


def _python(program: str, home: Path, threads: int) -> list[str]:
    """The arguments that let Python run a program, given the folder that ours is in; 0 threads are any number."""
    script = home / "ttt" / "grading" / "inside" / f"{program}.py"
    return ["-I", "-S", "-B", "-c", RUN, str(script), str(threads), str(home), str(home / PACKAGES.name)]


def _copy(home: Path, sandbox: Sandbox) -> None:
    """Copy our package without the keys to a folder, with links to the installed packages beside it."""
    absent = {PACKAGE / name for name in sandbox.absent}

    def kept_out(folder: str, names: list[str]) -> list[str]:
        if Path(folder) == INSIDE.parent:
            return [name for name in names if name != INSIDE.name]
        return [name for name in names if Path(folder, name) in absent.union(ANSWERS)]

    shutil.copytree(PACKAGE, home / "ttt", ignore=kept_out)
    packages = home / PACKAGES.name
    packages.mkdir()
    for path in sandbox.site.iterdir() if sandbox.site else _installed():
        if path.name != PACKAGE.name:
            (packages / path.name).symlink_to(path)


def _installed() -> list[Path]:
    """The files and folders of the installed packages that submissions may import."""
    specs = (importlib.util.find_spec(name) for name in (*IMPORTABLE, *NEEDED))
    files = [Path(spec.origin) for spec in specs if spec and spec.origin]
    modules = [file.parent if file.name == "__init__.py" else file for file in files]
    libraries = [module.with_name(f"{module.name}.libs") for module in modules]
    return [path for path in (*modules, *libraries) if path.exists()]


@contextmanager
def _open_file(data: bytes) -> Iterator[int]:
    """The descriptor of a nameless file that holds the data."""
    with tempfile.TemporaryFile() as file:
        file.write(data)
        file.seek(0)
        yield file.fileno()


def _limit(limits: Mapping[int, int], filtered: bool) -> None:
    """Limit the new process before it becomes Python or bubblewrap, which installs the filter itself."""
    for limit, value in limits.items():
        with suppress(ValueError, OSError):  # a limit that is lower already, or unknown to this system
            resource.setrlimit(limit, (value, value))
    if filtered:
        syscalls.filter_own_calls()


def _kill(process: subprocess.Popen[bytes]) -> None:
    try:
        os.killpg(process.pid, 9)
    except OSError:  # nobody is left, or on macOS only what has ended
        process.kill()
    for pipe in (process.stdin, process.stdout):
        with suppress(BrokenPipeError):
            if pipe:
                pipe.close()
    process.wait()


def _works(level: str) -> bool:
    if level == "full" and not (shutil.which("bwrap") and syscalls.known()):
        return False
    if sys.platform not in ("linux", "darwin"):
        return False
    nothing = b'{"source": "", "function": "f", "shape": [1], "k": 1, "first": 0, "absent": []}\n[]\n'
    try:
        with sandboxed(level) as process:
            answer, _ = process.communicate(nothing, timeout=20)
        return answer.startswith(b"{")
    except (OSError, subprocess.TimeoutExpired):
        return False


# -------------------------------------------------------------------------------------------------------- bubblewrap

SYSTEM = ("/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache", "/etc/alternatives")
NAMESPACES = (
    *("--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"),
    *("--die-with-parent", "--new-session", "--clearenv"),
    *("--cap-drop", "ALL"),
)


def _bubblewrap(sandbox: Sandbox, seccomp: int) -> list[str]:
    """The command that starts a process in namespaces of its own, with the filter that a descriptor leads to."""
    python = [str(Path(sys.executable).resolve()), *_python(sandbox.program, HOME, sandbox.threads)]
    rights = ["--unshare-user-try"]
    if os.getuid() == 0:  # the process becomes somebody else, so that it can't use root's rights
        user = _unused_user()
        rights = ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
        without = ["--clear-groups", "--no-new-privs", "--inh-caps=-all"]
        python = ["/usr/bin/setpriv", f"--reuid={user}", f"--regid={user}", *without, *python]
    environment = [word for name, value in sandbox.environment.items() for word in ("--setenv", name, value)]
    files = [*_read_only(sandbox.site, sandbox.absent), *_writable(sandbox.disk)]
    return ["bwrap", *NAMESPACES, *rights, *environment, *files, "--seccomp", str(seccomp), "--", *python]


def _unused_user() -> int:
    """The number of a user that owns nothing, out of so many that no two sandboxes have the same."""
    rows = (map(int, line.split()) for line in Path("/proc/self/uid_map").read_text(encoding="ascii").splitlines())
    end = min(1 << 31, max(first + count for first, _, count in rows))
    half = max(1 << 15, end // 2)  # where fewer are there, this one isn't, and the level is not reached
    return half + secrets.randbelow(half)


@cache
def _read_only(site: Path | None, absent: tuple[str, ...]) -> tuple[str, ...]:
    """What the file system is made of, all of it read-only.

    | seen inside | what it is | why |
    | --- | --- | --- |
    | `/usr`, `/lib`, ..., Python's own folder | this machine's | Python and the libraries it is linked with |
    | `/sandbox/ttt` | our package | submissions import it |
    | `/sandbox/ttt/grading` | only `inside`, the code that runs | keys and students' data stay out |
    | `/sandbox/ttt/exercises/*.json` | empty | they hold the right values of some boards |
    | the absent folders of our package | empty | they would do the student's work |
    | `/sandbox/packages` | numpy and pandas, or all installed packages | submissions import them |
    | `/proc`, `/dev` | the process's own | Python needs them |
    """
    shown = [path for path in (*map(Path, SYSTEM), Path(sys.base_prefix).resolve()) if path.exists()]
    packages = [(site, PACKAGES)] if site else [(path, PACKAGES / path.name) for path in _installed()]
    mounts = [*((path, path) for path in shown), (PACKAGE, HOME / "ttt"), *packages]
    hidden = [GRADING, *(HOME / "ttt" / name for name in absent)]
    if any(PACKAGE.is_relative_to(folder) for folder in shown):  # it can be seen there as well, grading and all
        hidden.append(PACKAGE.parent)
    if site and (site / "ttt").is_dir():  # and among the installed packages
        hidden.append(PACKAGES / "ttt")
    answers = [HOME / path.relative_to(PACKAGE.parent) for path in ANSWERS if path.parent.name not in absent]
    arguments = [
        *_bound(mounts),
        *(word for folder in hidden for word in ("--tmpfs", str(folder))),
        *_bound([(INSIDE, GRADING / "inside")]),
        *(word for folder in hidden for word in ("--remount-ro", str(folder))),
        *(word for path in answers for word in ("--ro-bind", "/dev/null", str(path))),
    ]
    return (*arguments, "--proc", "/proc", "--dev", "/dev")


def _bound(mounts: list[tuple[Path, Path]]) -> Iterator[str]:
    """The arguments that show files and folders inside, each missing parent first: bubblewrap would make it private."""
    made = {Path("/")}
    for source, target in mounts:
        for parent in reversed(target.parents):
            if parent not in made:
                made.add(parent)
                yield from ("--dir", str(parent))
        made.add(target)
        yield from ("--ro-bind", str(source), str(target))


def _writable(size: int) -> list[str]:
    """A folder /tmp of so many bytes, where the process starts; nothing else can be written."""
    folder = ["--size", str(size), "--perms", "1777", "--tmpfs", "/tmp", "--chdir", "/tmp"]
    return [*folder, "--remount-ro", "/dev", "--remount-ro", "/"]
