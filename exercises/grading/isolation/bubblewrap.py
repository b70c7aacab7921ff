"""What a sandboxed process sees: builds a folder with the few files it needs, and the command that hides all else."""

import ast
import atexit
import compileall
import os
import secrets
import shutil
import sys
import sysconfig
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

from exercises.grading import ROOT

_HOME = Path("/sandbox")  # the folder as seen from inside
SCRATCH = "ttt-sandbox-"  # prefix of temporary folders
SYSTEM = ("/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache", "/etc/alternatives")
SITE = Path(sysconfig.get_path("platlib"))  # where packages are installed
# What submissions may import besides the standard library and ttt, with dependencies.
PACKAGES = ("numpy", "numpy.libs", "pandas", "pandas.libs", "dateutil", "pytz", "six.py", "tzdata")
NAMESPACES = (
    *("--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"),
    *("--die-with-parent", "--new-session", "--cap-drop", "ALL"),
)
SOURCES = {"ttt": ROOT / "ttt", "lab": ROOT / "notebooks" / "lab"}
# Their files that are needed to ask a function.
PARTS = {
    "ttt": "board geometry heuristics position symmetry",
    "lab": "timeouts",
    "lab/checks": "calling names",
}
ASKING = [f"{folder}/{name}.py" for folder, names in PARTS.items() for name in ("__init__", *names.split())]


@cache
def scratch() -> Path:
    """This process's own temporary folder. It is removed at exit or, after a kill, when the next process starts."""
    for other in Path(tempfile.gettempdir()).glob(f"{SCRATCH}*"):
        if _locked(other):  # no other process holds it
            shutil.rmtree(other, ignore_errors=True)
    new = Path(tempfile.mkdtemp(prefix=f".{SCRATCH}"))
    _locked(new)  # before others can find it
    place = new.rename(new.with_name(new.name.removeprefix(".")))
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    return place


def _locked(folder: Path) -> bool:
    """Try to lock a folder of this user until the process ends; return whether that worked."""
    import fcntl  # missing on Windows and in the sandbox

    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return os.fstat(descriptor).st_uid == os.getuid()
    return False


@cache
def contents(without: tuple[str, ...], everything: bool, withheld: tuple[str, ...] = ()) -> dict[str, Path]:
    """The folder's contents, by name: all packages or those in `PACKAGES`, and compiled copies of `ttt` and
    `lab`.

    The copies leave out what matches a pattern, except files needed to ask, and also the code of methods that are
    withheld, such as "ttt.heuristics.LineWeights.__call__": a submission can read these files.
    """
    copy = Path(tempfile.mkdtemp(dir=scratch()))
    for package, source in SOURCES.items():
        for path in filter(Path.is_file, source.rglob("*")):
            name = f"{package}/{path.relative_to(source).as_posix()}"
            if name in ASKING or not any(fnmatch(name, pattern) for pattern in (*without, "*.pyc")):
                (copy / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, copy / name)
    for call in withheld:
        module, owner, method = call.rsplit(".", 2)
        path = copy / f"{module.replace('.', '/')}.py"
        if path.exists():
            path.write_text(_without(path.read_text(encoding="utf-8"), owner, method), encoding="utf-8")
    compileall.compile_dir(copy, quiet=2)
    copy.chmod(0o755)
    wanted = (path for path in SITE.iterdir() if path.name not in SOURCES)
    packages = [path for path in wanted if everything or path.name in PACKAGES]
    # Error messages skip files in a folder "packages", so a line of inside.py is never shown as the student's.
    inside = Path(__file__).with_name("inside.py")
    found = {package: copy / package for package in SOURCES}
    return found | {f"packages/{path.name}": path for path in (inside, *packages)}


def _without(source: str, owner: str, method: str) -> str:
    """A module's source in which one method does nothing but raise `NotYours`."""
    module = ast.parse(source)
    for node in ast.walk(module):
        if isinstance(node, ast.ClassDef) and node.name == owner:
            for part in node.body:
                if isinstance(part, ast.FunctionDef) and part.name == method:
                    part.body = ast.parse("from lab.checks.calling import NotYours\nraise NotYours").body
    return ast.unparse(module)


def copied(what: Mapping[str, Path], place: Path) -> list[str]:
    """The command without bubblewrap. The folder is copied to this place, because a submission could write into it."""
    (place / "packages").mkdir()
    for name, path in what.items():
        if path.is_relative_to(SITE):
            (place / name).symlink_to(path)
        else:
            (shutil.copytree if path.is_dir() else shutil.copy)(path, place / name)
    return _python(place)


def _python(home: Path) -> list[str]:
    """Python, isolated from its environment (-I), without site-packages (-S), and writing no bytecode (-B)."""
    return [str(Path(sys.executable).resolve()), "-I", "-S", "-B", str(home / "packages/inside.py")]


def command(what: Mapping[str, Path], disk: int) -> list[str]:
    """The command that starts a process in its own namespaces, with these contents in its folder.

    Everything it sees is read-only, except for `disk` bytes in /tmp. The lab itself, with the answers, is hidden if
    it is inside a visible folder. Parent folders are made by name, because those made by bubblewrap are private.
    """
    system = {path: path for path in (*map(Path, SYSTEM), Path(sys.base_prefix).resolve()) if path.exists()}
    mounts = []
    for target, source in (system | {_HOME / name: path for name, path in what.items()}).items():
        for parent in reversed(target.parents[:-1]):
            mounts += ["--dir", str(parent)]
        mounts += ["--ro-bind", str(source), str(target)]
    if any(map(ROOT.is_relative_to, system)):
        mounts += ["--tmpfs", str(ROOT), "--remount-ro", str(ROOT)]
    mounts += ["--proc", "/proc", "--dev", "/dev", "--remount-ro", "/dev"]
    mounts += ["--dev-bind", "/dev/null", "/proc/1/cmdline"]  # process 1 is bubblewrap, whose command has our paths
    mounts += ["--size", str(disk), "--perms", "1777", "--tmpfs", "/tmp", "--chdir", "/tmp", "--remount-ro", "/"]
    program, rights = _python(_HOME), ["--unshare-user-try"]
    if os.getuid() == 0:  # change user, so that the process can't use root's rights
        user = _unused_user()
        rights = ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
        without = ["--clear-groups", "--inh-caps=-all"]
        program = ["/usr/bin/setpriv", f"--reuid={user}", f"--regid={user}", *without, *program]
    return ["bwrap", *NAMESPACES, *rights, *mounts, "--", *program]


def _unused_user() -> int:
    """A user id that owns nothing, from a range so large that no two sandboxes share one."""
    rows = (map(int, line.split()) for line in Path("/proc/self/uid_map").read_text(encoding="ascii").splitlines())
    end = min(1 << 31, max(first + count for first, _, count in rows))
    half = max(1 << 15, end // 2)  # with fewer ids this one doesn't exist, and the level is not reached
    return half + secrets.randbelow(half)
