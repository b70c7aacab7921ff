"""The jail: a process that sees Python, the package's public part, and nothing else of this machine.

Full isolation is bubblewrap's namespaces (no network, no other processes, a file system made of a few read-only
folders), a seccomp filter (no sockets, no new processes, no tracing), resource limits and a clock. What a machine
really gives is found out by starting a jailed process, since some forbid namespaces.
"""

from __future__ import annotations

import ctypes
import importlib.util
import marshal
import os
import platform
import resource
import shutil
import struct
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path

PACKAGE = Path(__file__).parents[1]
SITE = Path(sysconfig.get_path("platlib"))
RUNNER = Path(__file__).with_name("runner.py")
LEVELS = ("full", "limits", "none")  # of isolation, the best first
NOBODY = 65_000 + os.getpid() % 500  # an id that owns nothing
MEGABYTE = 1 << 20
LIMITS = {
    resource.RLIMIT_CPU: 3,
    resource.RLIMIT_AS: 768 * MEGABYTE,
    resource.RLIMIT_FSIZE: MEGABYTE,
    resource.RLIMIT_NOFILE: 64,
    resource.RLIMIT_CORE: 0,
}


class TooLittleIsolation(RuntimeError):
    """This machine can't shut submissions in as well as was asked for."""


@cache
def isolation_level() -> str:
    """The best level that this machine really gives: "full", "limits" or "none"."""
    return next(level for level in LEVELS if _works(level))


def require(level: str) -> None:
    """Make sure that a level is reached. Raises `TooLittleIsolation` with what to do, `ValueError` for no level."""
    if level not in LEVELS:
        raise ValueError(f"The levels of isolation are {', '.join(LEVELS)}, not {level!r}.")
    reached = isolation_level()
    if LEVELS.index(reached) > LEVELS.index(level):
        raise TooLittleIsolation(
            f"This machine gives isolation {reached!r} and not {level!r}. On Debian or Ubuntu install bubblewrap "
            f"(sudo apt install bubblewrap), or pass --isolation {reached} to grade without it."
        )


@dataclass(frozen=True)
class Cell:
    """What a jailed process is given.

    Args:
        script: the file that it runs, the only one of the judge's own.
        limits: resource limits.
        room: bytes of files that it may keep in /tmp.
        site: the folder of all installed packages, to import from; numpy alone where there is none.
        settings: its environment.
    """

    script: Path = RUNNER
    limits: Mapping[int, int] = field(default_factory=lambda: LIMITS)
    room: int = MEGABYTE
    site: Path | None = None
    settings: Mapping[str, str] = field(default_factory=lambda: {"PATH": "/usr/bin:/bin"})


@contextmanager
def jailed(level: str, cell: Cell | None = None) -> Iterator[subprocess.Popen[bytes]]:
    """A process in the jail, with pipes to its standard input and output; killed with all its kin at the end."""
    given = cell or Cell()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, ExitStack() as files:
        script = files.enter_context(_holding(_program(given.script)))
        calls = files.enter_context(_holding(_seccomp_filter())) if level == "full" else 0
        process = subprocess.Popen(
            _command(level, given, script, calls),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=dict(given.settings),
            cwd=folder,
            pass_fds=[script, calls] if level == "full" else [script],
            start_new_session=True,
            preexec_fn=None if level == "none" else partial(_shut_in, given.limits, level == "limits"),
        )
        try:
            yield process
        finally:
            _kill(process)


@contextmanager
def _holding(data: bytes) -> Iterator[int]:
    """The descriptor of a file without a name, to be read by whoever gets it."""
    with tempfile.TemporaryFile() as file:
        file.write(data)
        file.seek(0)
        yield file.fileno()


@cache
def _program(script: Path) -> bytes:
    """A script translated for Python once, so that not every process has to."""
    return marshal.dumps(compile(script.read_bytes(), script.name, "exec", dont_inherit=True))


def _shut_in(limits: Mapping[int, int], alone: bool) -> None:
    """What a new process does before it becomes Python or bubblewrap; the filter where it stands alone."""
    for limit, value in limits.items():
        with suppress(ValueError, OSError):  # some limit is lower already, or unknown to this system
            resource.setrlimit(limit, (value, value))
    if alone and sys.platform == "linux" and platform.machine() in SYSCALLS:
        _filter_calls()


def _filter_calls() -> None:
    """Lay the system-call filter on this very process, for good."""
    program = ctypes.create_string_buffer(_seccomp_filter())
    described = struct.pack("HP", len(program) // 8, ctypes.addressof(program))
    control = ctypes.CDLL(None).prctl
    control(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)  # without which the kernel takes no filter
    control(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, described, 0, 0)


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
    if level == "full" and not (shutil.which("bwrap") and platform.machine() in SYSCALLS):
        return False
    if level != "none" and sys.platform not in ("linux", "darwin"):
        return False
    try:
        with jailed(level) as process:
            answer, _ = process.communicate(
                b'{"source": "", "function": "f", "shape": [1], "k": 1, "first": 0}\n[]\n', timeout=20
            )
        return answer.startswith(b"{")
    except (OSError, subprocess.TimeoutExpired):
        return False


def _command(level: str, cell: Cell, script: int, calls: int) -> list[str]:
    """What starts the process, given the descriptors of the script and of the system-call filter."""
    if level != "full":
        return [sys.executable, *OPTIONS, f"/dev/fd/{script}", str(PACKAGE.parent), str(cell.site or SITE)]
    python, rights = [str(Path(sys.executable).resolve()), *OPTIONS, "/jail/script", "/jail", "/jail/packages"], []
    if os.getuid() == 0:  # root's rights stay outside
        nobody = [f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--no-new-privs", "--inh-caps=-all"]
        python, rights = ["/usr/bin/setpriv", *nobody, *python], ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    settings = [word for name, value in cell.settings.items() for word in ("--setenv", name, value)]
    given = ["--seccomp", str(calls), "--perms", "0444", "--ro-bind-data", str(script), "/jail/script"]
    return ["bwrap", *NAMESPACES, *rights, *settings, *_folders(cell.site), *given, *_closed(cell), "--", *python]


SYSTEM = ("/lib", "/lib64", "/bin", "/etc/ld.so.cache", "/etc/alternatives")  # besides /usr and Python's own folder
BOOT = "import marshal, sys; sys.path[:0] = sys.argv[2:]; exec(marshal.load(open(sys.argv[1], 'rb')))"
OPTIONS = ("-I", "-S", "-B", "-c", BOOT)
NAMESPACES = (
    *("--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"),
    *("--die-with-parent", "--new-session", "--clearenv"),
    *("--cap-drop", "ALL"),
)


@cache
def _folders(site: Path | None) -> list[str]:
    """What the jail's file system is made of, each missing parent folder first: bubblewrap would make it private."""
    shown = [Path("/usr"), Path(sys.base_prefix).resolve(), *map(Path, SYSTEM)]
    mounts = [(path, path) for path in shown if path.exists()]
    mounts.append((PACKAGE, Path("/jail/ttt")))
    if site:
        mounts.append((site, Path("/jail/packages")))
    else:
        mounts += [(path, Path("/jail/packages") / path.name) for path in _numpy()]
    arguments: list[str] = []
    made = {Path("/")}
    for source, target in mounts:
        for parent in reversed(target.parents):
            if parent not in made:
                made.add(parent)
                arguments += ["--dir", str(parent)]
        made.add(target)
        arguments += ["--ro-bind", str(source), str(target)]
    secret = ["/jail/ttt/grading"]
    if any(PACKAGE.is_relative_to(folder) for folder in shown):  # installed there, grading and all
        secret.append(str(PACKAGE.parent))
    if site and (site / "ttt").is_dir():  # the lab is installed there as a whole
        secret.append("/jail/packages/ttt")
    hidden = [word for folder in secret for word in ("--tmpfs", folder, "--remount-ro", folder)]
    for values in PACKAGE.glob("*.json"):  # the right values of some boards
        hidden += ["--ro-bind", "/dev/null", f"/jail/ttt/{values.name}"]
    return [*arguments, *hidden, "--proc", "/proc", "--dev", "/dev"]


def _closed(cell: Cell) -> list[str]:
    """The room that may be written, and nothing else."""
    room = ["--size", str(cell.room), "--perms", "1777", "--tmpfs", "/tmp", "--chdir", "/tmp"]
    return [*room, "--remount-ro", "/dev", "--remount-ro", "/"]


def _numpy() -> list[Path]:
    """numpy's folders, where it is installed."""
    found = importlib.util.find_spec("numpy")
    folder = Path(found.origin).parent if found and found.origin else SITE / "numpy"
    return [path for path in (folder, folder.with_name("numpy.libs")) if path.exists()]


# ------------------------------------------------------------------------------------------- the system-call filter

# number of each call that is refused, of clone and of clone3, by machine
SYSCALLS = {
    "x86_64": {
        "architecture": 0xC000003E,
        "clone": 56,
        "clone3": 435,
        "refused": (29, 41, 53, 57, 58, 64, 68, 101, 155, 161, 165, 166, 169, 175, 176, 240, 246, 248, 249, 250, 272,
                    298, 308, 310, 311, 313, 319, 320, 321, 323, 425, 426, 427, 428, 429, 430, 442),
    },
    "aarch64": {
        "architecture": 0xC00000B7,
        "clone": 220,
        "clone3": 435,
        "refused": (39, 40, 41, 51, 97, 104, 105, 106, 117, 142, 180, 186, 190, 194, 198, 199, 217, 218, 219, 241, 268,
                    270, 271, 273, 279, 280, 282, 294, 425, 426, 427, 428, 429, 430, 442),
    },
}  # fmt: skip
CLONE_THREAD = 0x10000
ALLOW, KILL, EPERM, ENOSYS = 0x7FFF0000, 0x80000000, 0x00050001, 0x00050026
PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2


def _seccomp_filter() -> bytes:
    """A program in the kernel's packet-filter code: refuses sockets, tracing, mounting, new processes, and
    memory that no limit counts.

    Threads are let through, being processes that share everything; clone3 hides its flags behind a pointer, so it is
    said to be missing, and the C library falls back to clone.
    """
    numbers = SYSCALLS[platform.machine()]
    load, equal, at_least, has_bits, answer = 0x20, 0x15, 0x35, 0x45, 0x06
    refused = numbers["refused"]
    assert isinstance(refused, tuple)
    program = [
        (load, 0, 0, 4),
        (equal, 1, 0, numbers["architecture"]),
        (answer, 0, 0, KILL),
        (load, 0, 0, 0),
        (at_least, 0, 1, 0x40000000),  # the 32-bit variant of the calls
        (answer, 0, 0, KILL),
    ]
    for number in refused:
        program += [(equal, 0, 1, number), (answer, 0, 0, EPERM)]
    program += [
        (equal, 0, 1, numbers["clone3"]),
        (answer, 0, 0, ENOSYS),
        (equal, 0, 3, numbers["clone"]),
        (load, 0, 0, 16),
        (has_bits, 1, 0, CLONE_THREAD),
        (answer, 0, 0, EPERM),
        (answer, 0, 0, ALLOW),
    ]
    return b"".join(struct.pack("HBBI", *instruction) for instruction in program)
