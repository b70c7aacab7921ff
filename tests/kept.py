"""What the repository keeps of a notebook that was run. `make notebooks` runs them, and then this.

It is what JupyterLab writes when it saves the notebook, so that opening it changes nothing, without what differs from
run to run: timestamps, and the version of Python.
"""

import re
import sys
from pathlib import Path

import nbformat
from nbconvert.preprocessors.coalescestreams import CoalesceStreamsPreprocessor
from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell, new_output

DRAWING = "image/svg+xml"
DEAD = {"live", "raises-exception"}  # tags of a cell with a widget, or that fails until the reader has solved a task
NO_RESULT = re.compile("○ Not started|Below the first rung")
KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
LESSONS = sorted((Path(__file__).parent.parent / "notebooks").glob("[0-9]*.ipynb"))
ROW = "lessons"  # the id of the cell with the row of lessons
METADATA = {"kernelspec": KERNEL, "language_info": {"name": "python"}}


def kept(notebook: NotebookNode, path: Path) -> NotebookNode:
    """The notebook as the repository keeps it."""
    notebook, _ = CoalesceStreamsPreprocessor(enabled=True)(notebook, {})
    notebook.metadata = nbformat.from_dict(METADATA)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    for cell in code:
        still = _still(cell) if path in LESSONS[:1] and cell is code[0] else []  # the course begins with a board
        _keep_results(cell)
        if still:
            cell.outputs, cell.execution_count = still, 1
        _keep_metadata(cell)
    if path in LESSONS:
        _keep_header(notebook.cells, path)
    return notebook


def _keep_header(cells: list[NotebookNode], path: Path) -> None:
    """A lesson begins with the row of lessons, in a cell of its own, and has its number in its title."""
    row = ["Lesson"]
    for lesson in LESSONS:
        number = lesson.name[:2]
        row.append(f"**{number}**" if lesson == path else f"[{number}]({lesson.name})")
    if cells[0].id != ROW:
        cells.insert(0, new_markdown_cell(id=ROW))
    cells[0].source = " ".join([*row, "[all](index.ipynb)"])
    cells[1].source = re.sub(r"\A# (\d\d )?", f"# {path.name[:2]} ", cells[1].source)


def _still(cell: NotebookNode) -> list[NotebookNode]:
    """What a cell with a board shows to those who only read: its drawing."""
    drawn = [output.data for output in cell.outputs if DRAWING in output.get("data", {})]
    return [new_output("display_data", {kind: data[kind] for kind in (DRAWING, "text/plain")}) for data in drawn]


def _keep_results(cell: NotebookNode) -> None:
    if DEAD & {*cell.metadata.get("tags", ())} or any(NO_RESULT.match(_text(output)) for output in cell.outputs):
        cell.outputs, cell.execution_count = [], None
    for output in cell.outputs:
        if DRAWING in output.get("data", {}):
            output.data.pop("text/html", None)  # the same tree again, so that it scrolls in pages made from a run


def _text(output: NotebookNode) -> str:
    return str(output.get("text") or output.get("data", {}).get("text/plain", ""))


def _keep_metadata(cell: NotebookNode) -> None:
    """Tags, what nbgrader needs, and whether the code is hidden; results are, until the cell is run."""
    cell.metadata = {name: cell.metadata[name] for name in ("jupyter", "nbgrader", "tags") if name in cell.metadata}
    folds = cell.metadata.pop("jupyter", {})
    folds.pop("outputs_hidden", None)
    if cell.outputs:
        folds["outputs_hidden"] = cell.metadata["collapsed"] = True  # two names for one thing; JupyterLab writes both
    if folds:
        cell.metadata["jupyter"] = folds


if __name__ == "__main__":
    for path in map(Path.resolve, map(Path, sys.argv[1:])):
        nbformat.write(kept(nbformat.read(path, 4), path), path)
