"""The student bundle, the lab with its exercises as handed out; and the instructor's edition, with all of them solved.

A file of `solutions/` is for the notebook of its name. Each section there is headed by the id of a cell: its first
block of code replaces the cell, if that is one of code, and everything else becomes cells after it.
"""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ttt.grading import batch, marking, sandbox
from ttt.grading.grade import RIGHT

ROOT = Path(__file__).parents[2]
BUNDLE = Path(__file__).with_name("bundle")  # the README and the Makefile that students get
SOLUTIONS = Path(__file__).with_name("solutions")
NAME, SOLVED = "tic-tac-toe-lab", "tic-tac-toe-lab-solved"
FILES = ("LICENSE", "pyproject.toml", "requirements.txt")
FOLDERS = ("notebooks", "ttt", "exercises")
LEFT_OUT = shutil.ignore_patterns("grading", "prover", "__pycache__", ".ipynb_checkpoints", "README.md")


class ReleaseError(RuntimeError):
    """The bundle can't be made here; the message says why and what to do."""


def release(out: Path, solved: bool = False) -> Path:
    """Write the student bundle into a folder, as a folder and as a zip, and return the zip's path.

    The instructor's edition is the same with its exercises solved. Solutions between "### BEGIN SOLUTION" and
    "### END SOLUTION" and all stored results are taken out of the notebooks. The bundle appears whole or not at all,
    and overwrites nothing. Raises `ReleaseError`, `GradingError` if students would get another exercise than the one to
    be graded, and `OSError` if the folder can't be written.
    """
    if not all((ROOT / name).exists() for name in (*FILES, *FOLDERS)):
        raise ReleaseError(
            "The notebooks aren't here: only the package ttt is installed. Run `ttt release` in a clone of the lab's "
            "repository, after `make lab`."
        )
    for exercise in batch.KEYED:
        batch.key_of(exercise).require_current()
    name = SOLVED if solved else NAME
    bundle, archive = out / name, out / f"{name}.zip"
    for path in (bundle, archive):
        if path.exists():
            raise ReleaseError(f"{path} exists already. Remove it, or choose another folder.")
    if out.exists() and not out.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(out))
    near = out if out.exists() else out.parent
    near.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix=".release-", dir=near) as place:
        made = Path(place) / name
        _fill(made)
        if solved:
            _solve(made)
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


def _solve(bundle: Path) -> None:
    """Put the solutions into the notebooks of a bundle. Raises `ReleaseError` if the judge finds one wrong."""
    for notebook in bundle.rglob("*.ipynb"):
        solutions = SOLUTIONS / f"{notebook.stem}.md"
        if solutions.exists():
            text = solved(notebook.read_text(encoding="utf-8"), solutions.read_text(encoding="utf-8"))
            notebook.write_text(text, encoding="utf-8")
    for exercise in batch.KEYED:
        notebook = bundle / "exercises" / exercise / f"{exercise}.ipynb"
        if not notebook.exists():  # it stands in a lesson, and is not handed in
            continue
        grade = marking.mark_file(batch.key_of(exercise), notebook, sandbox.isolation_level())
        if grade.status != RIGHT:
            raise ReleaseError(
                f"The solution of {exercise} gets {grade.score:g} of {grade.max_score:g} marks: {grade.reason} After a "
                f"change of the exercise's settings, change ttt/grading/solutions/{exercise}.md, too."
            )


def solved(notebook: str, solutions: str) -> str:
    """A notebook's text with its solutions. Raises `ReleaseError` if one is for a cell that is not there."""
    content: dict[str, Any] = json.loads(notebook)
    _, *sections = re.split(r"^## (\S+)\n", solutions, flags=re.MULTILINE)
    parts = {cell: _blocks(cell, text) for cell, text in zip(sections[::2], sections[1::2], strict=True)}
    cells = []
    for cell in content["cells"]:
        added = parts.pop(cell["id"], [])
        code = [block for block in added if block["cell_type"] == "code"]
        if code and cell["cell_type"] == "code":
            cell["source"] = code[0]["source"]
            added.remove(code[0])
        if "raises-exception" in cell["metadata"].get("tags", []):
            cell["metadata"]["tags"].remove("raises-exception")
        cells += [cell, *added]
    if parts:
        raise ReleaseError(f"There are solutions for cells that no notebook has: {', '.join(parts)}.")
    return json.dumps(content | {"cells": cells}, ensure_ascii=False, indent=1) + "\n"


def _blocks(cell: str, text: str) -> list[dict[str, Any]]:
    """The cells of a section: text and code by turns."""
    blocks: list[dict[str, Any]] = []
    for n, part in enumerate(re.split(r"^```(?:python)?\n", text, flags=re.MULTILINE)):
        if source := part.strip().splitlines(keepends=True):
            block: dict[str, Any] = {"id": f"{cell}-solution-{n}", "metadata": {}, "source": source}
            code: dict[str, Any] = {"cell_type": "code", "outputs": [], "execution_count": None}
            blocks.append(block | (code if n % 2 else {"cell_type": "markdown"}))
    return blocks


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
