"""The student bundle: the lab with its exercises as handed out, and nothing for instructors."""

from __future__ import annotations

import errno
import json
import os
import shutil
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

ROOT = Path(__file__).parents[2]
BUNDLE = Path(__file__).with_name("bundle")  # the README and the Makefile that students get
NAME = "tic-tac-toe-lab"
FILES = ("LICENSE", "pyproject.toml", "requirements.txt")
FOLDERS = ("notebooks", "ttt", "exercises")
LEFT_OUT = shutil.ignore_patterns(
    "grading", "prover", "__pycache__", ".ipynb_checkpoints", "README.md", "*.toml", "nbgrader_*"
)


class ReleaseError(RuntimeError):
    """The bundle can't be made here; the message says why and what to do."""


def release(out: Path) -> Path:
    """Write the student bundle into a folder, as a folder and as a zip, and return the zip's path.

    Solutions between "### BEGIN SOLUTION" and "### END SOLUTION" and all stored results are taken out of the notebooks.
    The bundle appears whole or not at all, and overwrites nothing. Raises `ReleaseError`, and `OSError` if the folder
    can't be written.
    """
    if not all((ROOT / name).exists() for name in (*FILES, *FOLDERS)):
        raise ReleaseError(
            "The notebooks aren't here: only the package ttt is installed. Run `ttt release` in a clone of the lab's "
            "repository, after `make lab`."
        )
    bundle, archive = out / NAME, out / f"{NAME}.zip"
    for path in (bundle, archive):
        if path.exists():
            raise ReleaseError(f"{path} exists already. Remove it, or choose another folder.")
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
    """Make the folder, with everything that students get."""
    bundle.mkdir()
    for name in FILES:
        shutil.copy(ROOT / name, bundle / name)
    for name in FOLDERS:
        shutil.copytree(ROOT / name, bundle / name, ignore=LEFT_OUT)
    for path in bundle.rglob("*.ipynb"):
        path.write_text(stripped(path.read_text(encoding="utf-8")), encoding="utf-8")
    for path in BUNDLE.iterdir():
        shutil.copy(path, bundle / path.name)


def stripped(notebook: str) -> str:
    """A notebook's text without stored results and without solutions."""
    content: dict[str, Any] = json.loads(notebook)
    for cell in content["cells"]:
        if cell["cell_type"] == "code":
            cell["outputs"], cell["execution_count"] = [], None
            cell["source"] = _unsolved("".join(cell["source"])).splitlines(keepends=True)
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


def _unsolved(source: str) -> str:
    """The source with `raise NotImplementedError` for each solution, which the check reports as not started."""
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
    """Zip a folder. The same files always make the same zip, byte for byte."""
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as bundle:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                entry = zipfile.ZipInfo(str(path.relative_to(folder.parent)))
                entry.external_attr = 0o644 << 16
                bundle.writestr(entry, path.read_bytes(), zipfile.ZIP_DEFLATED)
