"""What a sandboxed process sees: a folder with the few files it needs, and the command that shows it nothing else."""

from __future__ import annotations

import atexit
import compileall
import importlib.util
import os
import secrets
import shutil
import sys
import sysconfig
import tempfile
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

from exercises.grading import ROOT

HOME = Path("/sandbox")  # where our files are, seen from inside
SYSTEM = ("/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache", "/etc/alternatives")
PACKAGES = ("numpy", "pandas")  # what submissions may import besides Python's own modules and ttt
NEEDED = ("dateutil", "pytz", "six", "tzdata")  # by pandas
MEGABYTE = 1 << 20
NAMESPACES = (
    *("--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"),
    *("--die-with-parent", "--new-session", "--clearenv", "--cap-drop", "ALL"),
)

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
        everything: whether all installed packages are there, rather than those in `PACKAGES`.
        seconds: of computing.
        memory: bytes.
        disk: bytes of files in /tmp, where it starts.
    """

    modules: tuple[str, ...] = ASKING
    without: tuple[str, ...] = ()
    everything: bool = False
    seconds: int = 45
    memory: int = 768 * MEGABYTE
    disk: int = MEGABYTE


FUNCTION = Kind()
PLAYER = Kind(without=NOT_FOR_PLAYERS, seconds=90)
INTERFACE = Kind(without=NOT_FOR_INTERFACES, everything=True, seconds=60, memory=4 << 30, disk=32 * MEGABYTE)


def python(home: Path) -> list[str]:
    """Python, isolated from its environment (-I), without site-packages (-S), and writing no bytecode (-B)."""
    return ["-I", "-S", "-B", str(home / "packages/inside.py")]


def environment(place: str) -> dict[str, str]:
    """The environment of a process that starts in this folder."""
    single = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "TQDM_DISABLE"), "1")
    return {"HOME": place, "PATH": "/usr/bin:/bin", "MPLBACKEND": "agg", **single}


@cache
def files(modules: tuple[str, ...], without: tuple[str, ...]) -> Path:
    """The folder with the files that a sandbox sees, compiled; made once, and removed when this process ends."""
    home = Path(tempfile.mkdtemp(prefix="ttt-sandbox-"))
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    (home / "packages").mkdir()
    shutil.copy(Path(__file__).with_name("inside.py"), home / "packages")  # no line of it is a student's

    def left_out(folder: str, names: list[str]) -> list[str]:
        inside = Path(folder).relative_to(ROOT / "ttt")
        patterns = (*without, "*__pycache__")
        return [name for name in names if any(fnmatch(str(inside / name), pattern) for pattern in patterns)]

    if without:
        shutil.copytree(ROOT / "ttt", home / "ttt", ignore=left_out)
    for name in modules:
        target = home / "ttt" / f"{name}.py"
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / "ttt" / f"{name}.py", target)
    (home / "ttt/exercises/__init__.py").touch()  # empty, where there is none
    compileall.compile_dir(home, quiet=2, stripdir=home, prependdir=HOME)
    home.chmod(0o755)
    return home


@cache
def packages(everything: bool) -> tuple[Path, ...]:
    """The files and folders of the installed packages that are there."""
    if everything:
        site = Path(sysconfig.get_path("platlib"))
        return tuple(path for path in site.iterdir() if path.name != "ttt")
    specs = (importlib.util.find_spec(name) for name in (*PACKAGES, *NEEDED))
    origins = [Path(spec.origin) for spec in specs if spec and spec.origin]
    modules = [origin.parent if origin.name == "__init__.py" else origin for origin in origins]
    libraries = [module.with_name(f"{module.name}.libs") for module in modules]
    return tuple(path for path in (*modules, *libraries) if path.exists())


def command(kind: Kind, seccomp: int) -> list[str]:
    """The command that starts a process in namespaces of its own, with the filter that a descriptor leads to."""
    program = [str(Path(sys.executable).resolve()), *python(HOME)]
    rights = ["--unshare-user-try"]
    if os.getuid() == 0:  # the process becomes somebody else, so that it can't use root's rights
        user = _unused_user()
        rights = ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
        without = ["--clear-groups", "--no-new-privs", "--inh-caps=-all"]
        program = ["/usr/bin/setpriv", f"--reuid={user}", f"--regid={user}", *without, *program]
    variables = [word for item in environment("/tmp").items() for word in ("--setenv", *item)]
    return ["bwrap", *NAMESPACES, *rights, *variables, *_mounts(kind), "--seccomp", str(seccomp), "--", *program]


def _unused_user() -> int:
    """The number of a user that owns nothing, out of so many that no two sandboxes have the same."""
    rows = (map(int, line.split()) for line in Path("/proc/self/uid_map").read_text(encoding="ascii").splitlines())
    end = min(1 << 31, max(first + count for first, _, count in rows))
    half = max(1 << 15, end // 2)  # where fewer are there, this one isn't, and the level is not reached
    return half + secrets.randbelow(half)


@cache
def _mounts(kind: Kind) -> tuple[str, ...]:
    """What the file system is made of: all of it read-only, but for a small /tmp.

    The lab itself, with the answers in it, is hidden where it lies in a folder that is shown. A missing parent folder
    is made first, since bubblewrap would make it private.
    """
    home = files(kind.modules, kind.without)
    shown = {path: path for path in (*map(Path, SYSTEM), Path(sys.base_prefix).resolve()) if path.exists()}
    hidden = ["--tmpfs", str(ROOT), "--remount-ro", str(ROOT)] if any(map(ROOT.is_relative_to, shown)) else []
    inside = {home: HOME}
    for path in packages(kind.everything):
        inside[path] = HOME / "packages" / path.name
        place = home / "packages" / path.name
        place.mkdir(exist_ok=True) if path.is_dir() else place.touch()
    made = {Path("/"), HOME, HOME / "packages"}
    words = []
    for source, target in (shown | inside).items():
        for parent in reversed(target.parents):
            if parent not in made:
                words += ["--dir", str(parent)]
                made.add(parent)
        words += ["--ro-bind", str(source), str(target)]
        made.add(target)
    return (
        *words,
        *hidden,
        *("--proc", "/proc", "--dev", "/dev"),
        *("--size", str(kind.disk), "--perms", "1777", "--tmpfs", "/tmp", "--chdir", "/tmp"),
        *("--remount-ro", "/dev", "--remount-ro", "/"),
    )
