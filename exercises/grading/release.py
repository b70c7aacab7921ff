"""Builds the student edition, with exercises as handed out, and the instructor's edition, solved.

Each section of `solutions/NAME.md` is headed by the id of a cell in that notebook: its first code block replaces the
cell, if that is a code cell, and everything else becomes cells after it.
"""

import json
import re
import shutil
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from lab.checks.graded import GRADED, path_of, sealed

from exercises.grading import ROOT, GradingError
from exercises.grading.isolation import sandbox
from exercises.grading.judging.judge import Judging, judged
from exercises.grading.judging.key import RIGHT, total
from exercises.grading.tables import write, zipped
from ttt.progress import progress

BUNDLE = Path(__file__).with_name("bundle")  # the students' README and Makefile
SOLUTIONS = Path(__file__).with_name("solutions")
NAME, SOLVED = "tic-tac-toe-lab", "tic-tac-toe-lab-solved"
FILES = ("LICENSE", "pyproject.toml", "requirements.txt")
NOT_RELEASED = shutil.ignore_patterns("__pycache__", ".*")  # everything else of `ttt` and `lab` is

_Cell = dict[str, Any]
CODE: _Cell = {"cell_type": "code", "outputs": [], "execution_count": None}


def release(out: Path, solved: bool = False) -> Path:
    """Write the student or instructor's edition as a folder and a zip; return the zip's path. Raises `GradingError`."""
    target = out / (SOLVED if solved else NAME)
    archive = out / f"{target.name}.zip"
    for path in (target, archive):
        if path.exists():
            raise GradingError(f"{path} already exists. Remove it or choose another folder.")
    out.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix=".release-", dir=out) as place:
        made = Path(place) / target.name
        shutil.copytree(BUNDLE, made)
        for name in FILES:
            shutil.copy(ROOT / name, made / name)
        for package in ("ttt", "notebooks/lab"):
            shutil.copytree(ROOT / package, made / package, ignore=NOT_RELEASED)
        for path in () if solved else map(path_of, GRADED):
            write(made / path.relative_to(ROOT), sealed(path.read_text(encoding="utf-8")))
        shutil.copytree(ROOT / "notebooks/images", made / "notebooks/images")
        exercises = [path for path in ROOT.glob("exercises/*/*.ipynb") if path.stem == path.parent.name]
        for path in progress((*ROOT.glob("notebooks/*.ipynb"), *exercises), "notebooks"):
            write(made / path.relative_to(ROOT), _notebook(path, solved))
        files = sorted(filter(Path.is_file, made.rglob("*")))
        write(archive, zipped({str(path.relative_to(place)): path.read_bytes() for path in files}))
        made.rename(target)
    return archive


def _notebook(path: Path, solved: bool) -> str:
    """A notebook's text without outputs and, if wanted, with solutions, which the judge must find right."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            cell |= CODE
    exercise = path.stem
    solutions = SOLUTIONS / f"{exercise}.md"
    if solved and solutions.exists():
        notebook["cells"] = solve(notebook["cells"], solutions.read_text(encoding="utf-8"))
        code = tuple("".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code")
        if exercise in GRADED:
            grade = judged(Judging("the solution", exercise, code, "", sandbox.reached()))
            if grade.status != RIGHT:
                raise GradingError(
                    f"The solution of {exercise} gets {grade.score or 0:g} of {total(exercise)} points: {grade.reason} "
                    f"New weights need a new exercises/grading/solutions/{exercise}.md."
                )
    return json.dumps(notebook, ensure_ascii=False, indent=1) + "\n"


def solve(cells: Iterable[_Cell], solutions: str) -> list[_Cell]:
    """Put the solutions into and after the cells. Raises `GradingError` for a solution without its cell."""
    _, *sections = re.split(r"^## (\S+)\n", solutions, flags=re.MULTILINE)
    parts = dict(zip(sections[::2], sections[1::2], strict=True))
    found = []
    for cell in cells:
        found.append(cell)
        if "raises-exception" in cell["metadata"].get("tags", []):
            cell["metadata"]["tags"].remove("raises-exception")
        wanted = cell["cell_type"] == "code"  # whether the cell still needs replacing
        section = parts.pop(cell["id"], "")
        for n, text in enumerate(map(str.strip, re.split(r"^```(?:python)?\n", section, flags=re.MULTILINE))):
            if wanted and n % 2:  # text and code alternate
                cell["source"], wanted = text, False
            elif text:
                added = {"id": f"{cell['id']}-solution-{n}", "metadata": {}, "source": text}
                found.append({**added, **(CODE if n % 2 else {"cell_type": "markdown"})})
    if parts:
        raise GradingError(f"The notebook has no cells for these solutions: {', '.join(parts)}.")
    return found
