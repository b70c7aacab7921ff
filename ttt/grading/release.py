"""The student bundle: the suite with its exercises as handed out, and nothing that is the instructor's."""

from __future__ import annotations

import json
import shutil
import zipfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
NAME = "tic-tac-toe-lab"
FILES = ("LICENSE", "Makefile", "README.md", "pyproject.toml", "requirements.txt")
FOLDERS = ("notebooks", "ttt", "exercises")
INSTRUCTORS = shutil.ignore_patterns(
    "grading", "__pycache__", ".ipynb_checkpoints", "README.md", "*.toml", "nbgrader_*"
)


class AlreadyThere(FileExistsError):
    """The bundle's folder or zip exists; nothing is overwritten."""


def release(out: Path) -> Path:
    """Write the student bundle into a folder, as a folder and as a zip, and return the zip's path.

    Solutions between "### BEGIN SOLUTION" and "### END SOLUTION" and all stored results are taken out of the notebooks.
    Raises `AlreadyThere`.
    """
    bundle, archive = out / NAME, out / f"{NAME}.zip"
    for path in (bundle, archive):
        if path.exists():
            raise AlreadyThere(f"{path} is there already. Remove it, or choose another folder.")
    bundle.mkdir(parents=True)
    for name in FILES:
        shutil.copy(ROOT / name, bundle / name)
    for name in FOLDERS:
        shutil.copytree(ROOT / name, bundle / name, ignore=INSTRUCTORS)
    for path in bundle.rglob("*.ipynb"):
        path.write_text(stripped(path.read_text()))
    _zip(bundle, archive)
    return archive


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
