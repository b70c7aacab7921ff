"""The student bundle, the lab with its exercises as handed out; the instructor's edition, solved; and other weights.

A file of `solutions/` is for the notebook of its name. Each section there is headed by the id of a cell: its first
block of code replaces the cell, if that is one of code, and everything else becomes cells after it.
"""

from __future__ import annotations

import json
import re
import shutil
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from exercises.grading import ROOT, GradingError, heuristic_1, sandbox
from exercises.grading.grade import RIGHT, total
from exercises.grading.judge import Task, judged
from exercises.grading.key import CHECKED, GRADED, text_of
from exercises.grading.tables import write
from ttt.exercises.exercise import path_of

BUNDLE = Path(__file__).with_name("bundle")  # the README and the Makefile that students get
SOLUTIONS = Path(__file__).with_name("solutions")
NAME, SOLVED = "tic-tac-toe-lab", "tic-tac-toe-lab-solved"
FILES = ("LICENSE", "pyproject.toml", "requirements.txt")
NOT_OF_TTT = shutil.ignore_patterns("prover", "__pycache__", ".*")  # all else of `ttt` goes out


def release(out: Path, solved: bool = False) -> Path:
    """Write the student bundle into a folder, as a folder and as a zip, and return the zip's path.

    The instructor's edition is the same with its exercises solved. Stored results are taken out of the notebooks. The
    bundle appears whole or not at all, and overwrites nothing. Raises `GradingError` and `OSError`.
    """
    if not (ROOT / "notebooks").exists():
        raise GradingError("The notebooks aren't here. Run this in a clone of the lab's repository.")
    for exercise in GRADED:  # nothing is handed out that the key does not know
        if path_of(exercise).read_text(encoding="utf-8") != text_of(exercise):
            raise GradingError(f"{path_of(exercise)} is not what the key of {exercise} gives: run `ttt variant` first.")
    name = SOLVED if solved else NAME
    for path in (out / name, out / f"{name}.zip"):
        if path.exists():
            raise GradingError(f"{path} exists already. Remove it, or choose another folder.")
    out.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix=".release-", dir=out) as place:
        made = Path(place) / name
        _fill(made)
        if solved:
            _solve(made)
        _zip(made, Path(place) / f"{name}.zip")
        made.rename(out / name)
        return (Path(place) / f"{name}.zip").rename(out / f"{name}.zip")


def _fill(bundle: Path) -> None:
    """Make the folder, with everything that students get, no stored results, and nothing that is not named here."""
    shutil.copytree(BUNDLE, bundle)
    for name in FILES:
        shutil.copy(ROOT / name, bundle / name)
    shutil.copytree(ROOT / "ttt", bundle / "ttt", ignore=NOT_OF_TTT)
    shutil.copytree(ROOT / "notebooks/images", bundle / "notebooks/images")
    for path in [*ROOT.glob("notebooks/*.ipynb"), *ROOT.glob("exercises/*/*.ipynb")]:
        target = bundle / path.relative_to(ROOT)
        if path.parent.name in ("notebooks", path.stem):  # an exercise's notebook is called as its folder is
            target.parent.mkdir(parents=True, exist_ok=True)
            content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            for cell in content["cells"]:
                if cell["cell_type"] == "code":
                    cell |= {"outputs": [], "execution_count": None}
            target.write_text(_text(content), encoding="utf-8")


def _text(notebook: dict[str, Any]) -> str:
    return json.dumps(notebook, ensure_ascii=False, indent=1) + "\n"


def _zip(folder: Path, archive: Path) -> None:
    """Zip a folder. The same files always make the same zip, byte for byte."""
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as bundle:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                entry = zipfile.ZipInfo(str(path.relative_to(folder.parent)))
                entry.external_attr = 0o644 << 16
                bundle.writestr(entry, path.read_bytes(), zipfile.ZIP_DEFLATED)


# ---------------------------------------------------------------------------------------------- solved


def _solve(bundle: Path) -> None:
    """Put the solutions into the notebooks of a bundle. Raises `GradingError` if the judge finds one wrong."""
    for notebook in bundle.rglob("*.ipynb"):
        solutions = SOLUTIONS / f"{notebook.stem}.md"
        if solutions.exists():
            text = solved(notebook.read_text(encoding="utf-8"), solutions.read_text(encoding="utf-8"))
            notebook.write_text(text, encoding="utf-8")
    for exercise in GRADED:
        notebook = bundle / "exercises" / exercise / f"{exercise}.ipynb"
        cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
        code = tuple("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
        grade = judged(Task("the solution", exercise, code, "", sandbox.reached()))
        if grade.status != RIGHT:
            raise GradingError(
                f"The solution of {exercise} gets {grade.score or 0:g} of {total(exercise)} marks: {grade.reason} "
                f"Other weights need another exercises/grading/solutions/{exercise}.md."
            )


def solved(notebook: str, solutions: str) -> str:
    """A notebook's text with its solutions. Raises `GradingError` if one is for a cell that is not there."""
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
        raise GradingError(f"There are solutions for cells that no notebook has: {', '.join(parts)}.")
    return _text(content | {"cells": cells})


def _blocks(cell: str, text: str) -> list[dict[str, Any]]:
    """The cells of a section: text and code by turns."""
    blocks: list[dict[str, Any]] = []
    for n, part in enumerate(re.split(r"^```(?:python)?\n", text, flags=re.MULTILINE)):
        if source := part.strip().splitlines(keepends=True):
            block: dict[str, Any] = {"id": f"{cell}-solution-{n}", "metadata": {}, "source": source}
            code: dict[str, Any] = {"cell_type": "code", "outputs": [], "execution_count": None}
            blocks.append(block | (code if n % 2 else {"cell_type": "markdown"}))
    return blocks


# ---------------------------------------------------------------------------------------------- other weights


def variant(what: str = "") -> list[Path]:
    """Give heuristic 1 other weights, in all files that state them; or work out afresh what students have.

    Args:
        what: what a line with 0, 1, 2 and 3 marks counts, as "0,1,4,0"; or an exercise; or nothing, for all of them.

    Returns the files that have changed. Raises `GradingError`.
    """
    try:
        if re.fullmatch(r"[-\d, ]+", what):
            texts = heuristic_1.variant([int(weight) for weight in what.split(",")])
        else:
            texts = {path_of(name): text_of(name) for name in ([what] if what else CHECKED)}
    except ModuleNotFoundError:
        raise GradingError(f"There is no key exercises/grading/{what}.py. Weights look like 0,1,4,0.") from None
    except ValueError as error:
        raise GradingError(f"Weights such as 0,1,4,0 are needed, not {what!r}: {error}") from None
    changed = [path for path in texts if not path.exists() or path.read_text(encoding="utf-8") != texts[path]]
    for path in changed:
        write(path, texts[path])
    return changed
