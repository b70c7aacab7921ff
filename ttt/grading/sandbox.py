"""The sandbox: a process that sees Python, the package's public part, and nothing else of this machine.

At the full level, bubblewrap gives the process namespaces of its own (no network, no other processes, a file system of
a few read-only folders), a seccomp filter refuses system calls, and there are resource limits and a clock. At the level
"limits" there are no namespaces. Some machines forbid them, so the level that is really reached is found out by
starting a sandboxed process.
"""

from __future__ import annotations

import importlib.util
import os
import resource
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path

from ttt.grading import syscalls
from ttt.grading.grade import GradingError

PACKAGE = Path(__file__).parents[1]
INSIDE = Path(__file__).with_name("inside")
SITE = Path(sysconfig.get_path("platlib"))
LEVELS = ("full", "limits", "none")  # of isolation, the best first
NOBODY = 65_000 + os.getpid() % 500  # a user id that owns nothing
MEGABYTE = 1 << 20
LIMITS = {  # for a function; interface_client.py allows an interface more, contest.py gives a player time for each move
    resource.RLIMIT_CPU: 3,
    resource.RLIMIT_AS: 768 * MEGABYTE,
    resource.RLIMIT_FSIZE: MEGABYTE,
    resource.RLIMIT_NOFILE: 64,
    resource.RLIMIT_CORE: 0,
}


class TooLittleIsolation(GradingError):
    """This machine can't isolate submissions as well as was asked for."""


@cache
def isolation_level() -> str:
    """The best level that this machine reaches: "full", "limits" or "none"."""
    return next(level for level in LEVELS if _works(level))


def require(level: str) -> None:
    """Make sure that this machine reaches a level.

    Raises `TooLittleIsolation`, which says what to do, and `ValueError` if there is no such level.
    """
    if level not in LEVELS:
        raise ValueError(f"The levels of isolation are {', '.join(LEVELS)}, not {level!r}.")
    reached = isolation_level()
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
        site: the folder of all installed packages, to import from; without it numpy alone is there.
        environment: its environment variables.
    """

    program: str = "runner"
    limits: Mapping[int, int] = field(default_factory=lambda: LIMITS)
    disk: int = MEGABYTE
    site: Path | None = None
    environment: Mapping[str, str] = field(default_factory=lambda: {"PATH": "/usr/bin:/bin"})


@contextmanager
def sandboxed(level: str, sandbox: Sandbox | None = None) -> Iterator[subprocess.Popen[bytes]]:
    """A sandboxed process, with pipes to its standard input and output; killed with all its children at the end."""
    given = sandbox or Sandbox()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, ExitStack() as files:
        passed: list[int] = []
        command = [sys.executable, *_python(given.program, PACKAGE.parent, given.site or SITE)]
        if level == "full":
            passed = [files.enter_context(_open_file(syscalls.seccomp_filter()))]
            command = _bubblewrap(given, passed[0])
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=dict(given.environment),
            cwd=folder,
            pass_fds=passed,
            start_new_session=True,
            preexec_fn=None if level == "none" else partial(_limit, given.limits, filtered=level == "limits"),
        )
        try:
            yield process
        finally:
            _kill(process)


# Python runs the script as it is: isolated from the environment (-I), without site-packages (-S), and without writing
# bytecode (-B). So isolated it has no folder of ours on its path; those to import from are the last arguments.
RUN = """
import sys
script, sys.path[:0] = sys.argv[1], sys.argv[2:]
exec(compile(open(script, "rb").read(), script, "exec"))
"""


def _python(program: str, home: Path, packages: Path) -> list[str]:
    """The arguments that let Python run a program, given the folder of our package and that of the others."""
    script = home / "ttt" / "grading" / "inside" / f"{program}.py"
    return ["-I", "-S", "-B", "-c", RUN, str(script), str(home), str(packages)]


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
    if filtered and sys.platform == "linux" and syscalls.known():
        syscalls.filter_own_calls()


def _kill(process: subprocess.Popen[bytes]) -> None:
    try:
        os.killpg(process.pid, 9)
    except ProcessLookupError:
        process.kill()
    for pipe in (process.stdin, process.stdout):
        with suppress(BrokenPipeError):
            if pipe:
                pipe.close()
    process.wait()


def _works(level: str) -> bool:
    if level == "full" and not (shutil.which("bwrap") and syscalls.known()):
        return False
    if level != "none" and sys.platform not in ("linux", "darwin"):
        return False
    nothing = b'{"source": "", "function": "f", "shape": [1], "k": 1, "first": 0}\n[]\n'
    try:
        with sandboxed(level) as process:
            answer, _ = process.communicate(nothing, timeout=20)
        return answer.startswith(b"{")
    except (OSError, subprocess.TimeoutExpired):
        return False


# -------------------------------------------------------------------------------------------------------- bubblewrap

HOME = Path("/sandbox")  # where our files are, seen from inside
PACKAGES = HOME / "packages"
GRADING = HOME / "ttt" / "grading"
SYSTEM = ("/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache", "/etc/alternatives")
NAMESPACES = (
    *("--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"),
    *("--die-with-parent", "--new-session", "--clearenv"),
    *("--cap-drop", "ALL"),
)


def _bubblewrap(sandbox: Sandbox, seccomp: int) -> list[str]:
    """The command that starts a process in namespaces of its own, with the filter that a descriptor leads to."""
    python = [str(Path(sys.executable).resolve()), *_python(sandbox.program, HOME, PACKAGES)]
    rights: list[str] = []
    if os.getuid() == 0:  # the process becomes nobody, so that it can't use root's rights
        nobody = [f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--no-new-privs", "--inh-caps=-all"]
        python, rights = ["/usr/bin/setpriv", *nobody, *python], ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    environment = [word for name, value in sandbox.environment.items() for word in ("--setenv", name, value)]
    files = [*_read_only(sandbox.site), *_writable(sandbox.disk)]
    return ["bwrap", *NAMESPACES, *rights, *environment, *files, "--seccomp", str(seccomp), "--", *python]


@cache
def _read_only(site: Path | None) -> tuple[str, ...]:
    """What the file system is made of, all of it read-only.

    | seen inside | what it is | why |
    | --- | --- | --- |
    | `/usr`, `/lib`, ..., Python's own folder | this machine's | Python and the libraries it is linked with |
    | `/sandbox/ttt` | our package | submissions import it |
    | `/sandbox/ttt/grading` | only `inside`, the code that runs | keys and students' data stay out |
    | `/sandbox/ttt/exercises/*.json` | empty | they hold the right values of some boards |
    | `/sandbox/packages` | numpy, or all installed packages | submissions import them |
    | `/proc`, `/dev` | the process's own | Python needs them |
    """
    shown = [path for path in (*map(Path, SYSTEM), Path(sys.base_prefix).resolve()) if path.exists()]
    packages = [(site, PACKAGES)] if site else [(path, PACKAGES / path.name) for path in _numpy()]
    mounts = [*((path, path) for path in shown), (PACKAGE, HOME / "ttt"), *packages]
    hidden = [GRADING]
    if any(PACKAGE.is_relative_to(folder) for folder in shown):  # it can be seen there as well, grading and all
        hidden.append(PACKAGE.parent)
    if site and (site / "ttt").is_dir():  # and among the installed packages
        hidden.append(PACKAGES / "ttt")
    answers = [path.relative_to(PACKAGE) for path in PACKAGE.glob("exercises/*.json")]
    arguments = [
        *_bound(mounts),
        *(word for folder in hidden for word in ("--tmpfs", str(folder))),
        *_bound([(INSIDE, GRADING / "inside")]),
        *(word for folder in hidden for word in ("--remount-ro", str(folder))),
        *(word for path in answers for word in ("--ro-bind", "/dev/null", str(HOME / "ttt" / path))),
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


def _numpy() -> list[Path]:
    """numpy's folders, if it is installed."""
    found = importlib.util.find_spec("numpy")
    folder = Path(found.origin).parent if found and found.origin else SITE / "numpy"
    return [path for path in (folder, folder.with_name("numpy.libs")) if path.exists()]
