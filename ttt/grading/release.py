"""The student bundle: the suite with its exercises as handed out, and nothing that is the instructor's."""

from __future__ import annotations

import errno
import json
import os
import shutil
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ttt.grading import leaflet

ROOT = Path(__file__).parents[2]
NAME = "tic-tac-toe-lab"
FILES = ("LICENSE", "Makefile", "README.md", "pyproject.toml", "requirements.txt")
FOLDERS = ("notebooks", "ttt", "exercises")
INSTRUCTORS = shutil.ignore_patterns(
    "grading", "prover", "__pycache__", ".ipynb_checkpoints", "README.md", "*.toml", "nbgrader_*"
)


class AlreadyThere(FileExistsError):
    """The bundle's folder or zip exists; nothing is overwritten."""


class NoNotebooks(FileNotFoundError):
    """This is the package alone, as it is installed from a wheel, and the bundle is made from the repository."""


def release(out: Path) -> Path:
    """Write the student bundle into a folder, as a folder and as a zip, and return the zip's path.

    Solutions between "### BEGIN SOLUTION" and "### END SOLUTION" and all stored results are taken out of the notebooks.
    The bundle is there whole or not at all. Raises `NoNotebooks`, `AlreadyThere`, and `OSError` where it can't be
    written.
    """
    if not all((ROOT / name).exists() for name in (*FILES, *FOLDERS)):
        raise NoNotebooks(
            "The notebooks aren't here: ttt is installed as a package alone. Run `ttt release` in a clone of the "
            "lab's repository, after `make lab` has set it up there."
        )
    bundle, archive = out / NAME, out / f"{NAME}.zip"
    for path in (bundle, archive):
        if path.exists():
            raise AlreadyThere(f"{path} is there already. Remove it, or choose another folder.")
    if out.exists() and not out.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(out))
    near = out if out.exists() else out.parent
    near.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix=".release-", dir=near) as place:
        made = Path(place) / NAME
        _fill(made)
        _zip(made, Path(place) / archive.name)
        out.mkdir(exist_ok=True)
        made.rename(bundle)
        (Path(place) / archive.name).rename(archive)
    return archive


def _fill(bundle: Path) -> None:
    """Everything that students get, in a folder that is made for it."""
    bundle.mkdir()
    for name in FILES:
        shutil.copy(ROOT / name, bundle / name)
    for name in FOLDERS:
        shutil.copytree(ROOT / name, bundle / name, ignore=INSTRUCTORS)
    for path in bundle.rglob("*.ipynb"):
        path.write_text(stripped(path.read_text(encoding="utf-8")), encoding="utf-8")
    for name, shortened in (("README.md", leaflet.readme), ("Makefile", leaflet.makefile)):
        (bundle / name).write_text(shortened((ROOT / name).read_text(encoding="utf-8"), bundle), encoding="utf-8")


def stripped(notebook: str) -> str:
    """A notebook's text without stored results and without solutions."""
    content: dict[str, Any] = json.loads(notebook)
    for cell in content["cells"]:
        if cell["cell_type"] == "code":
            cell["outputs"], cell["execution_count"] = [], None
            cell["source"] = _unsolved("".join(cell["source"])).splitlines(keepends=True)
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


def _unsolved(source: str) -> str:
    """The source with each solution replaced by the stub that the check knows as not started."""
    kept, inside = [], False
    for line in source.splitlines():
        if "### BEGIN SOLUTION" in line:
            inside = True
            kept.append(line[: len(line) - len(line.lstrip())] + "raise NotImplementedError")
        elif "### END SOLUTION" in line:
            inside = False
        elif not inside:
            kept.append(line)
    return "\n".join(kept)


def _zip(folder: Path, archive: Path) -> None:
    """The same files give the same zip, byte for byte."""
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as bundle:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                entry = zipfile.ZipInfo(str(path.relative_to(folder.parent)))
                entry.external_attr = 0o644 << 16
                bundle.writestr(entry, path.read_bytes(), zipfile.ZIP_DEFLATED)
