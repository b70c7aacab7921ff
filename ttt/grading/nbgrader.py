"""nbgrader with our judge: its autograde step asks the submitted function in a sandbox instead of running the notebook.

Assigning, collecting, the gradebook, feedback and export stay nbgrader's own. `exercises/nbgrader_config.py` uses this.
"""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import nbformat
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from nbformat import NotebookNode
from nbgrader.api import Gradebook
from nbgrader.converters import Autograde
from nbgrader.preprocessors import Execute, NbGraderPreprocessor
from traitlets import Unicode

from ttt.grading import batch, marking
from ttt.grading.grade import Grade
from ttt.grading.roster import plain

as_node: Any = nbformat.from_dict  # which comes without types


class Mend(NbGraderPreprocessor):  # type: ignore[misc]
    """Puts right what marks a cell as nbgrader's: it is in the notebook, where a student can change, copy or delete it.

    A cell that names itself as one of the assignment's is marked as the gradebook has it, the first of several; any
    other is the student's own. Without this, one notebook with damaged marks would end the grading of all.
    """

    def preprocess(self, notebook: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        """Mend one submission."""
        given = resources["nbgrader"]
        with Gradebook(given["db_url"]) as gradebook:
            assigned = gradebook.find_notebook(given["notebook"], given["assignment"])
            points = {cell.name: cell.max_score for cell in assigned.grade_cells}
            answers = {cell.name for cell in assigned.solution_cells}
            cells = {cell.name: cell for cell in assigned.source_cells}
        for cell in notebook.cells:
            marks = cell.metadata.pop("nbgrader", None)
            name = marks.get("grade_id") if isinstance(marks, dict) else None
            source = cells.pop(name, None) if isinstance(name, str) else None
            if source is None:
                continue
            cell.metadata.nbgrader = as_node(
                {
                    "schema_version": 3,
                    "grade_id": name,
                    "cell_type": source.cell_type,
                    "locked": source.locked,
                    "grade": name in points,
                    "solution": name in answers,
                    "task": False,
                }
            )
            if name in points:
                cell.metadata.nbgrader.points = points[name]
        return notebook, resources


class Judge(NbGraderPreprocessor):  # type: ignore[misc]
    """Puts the judge's score into the output of the graded cell. No cell is run.

    The notebook is named for its exercise, and the graded cell is `check_` and that name. nbgrader reads the cell's
    output as a number, for partial credit.
    """

    isolation = Unicode("full", help="The level of isolation to insist on: full, limits or none.").tag(config=True)

    def preprocess(self, notebook: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        """Judge one submission. Raises `sandbox.TooLittleIsolation`."""
        exercise = resources["nbgrader"]["notebook"]
        grade = self._judged(notebook, exercise)
        self.log.info("Judged: %s, %g of %g", grade.status, grade.score, grade.max_score)
        cell = _graded_cell(notebook, f"check_{exercise}")
        points = _points(f"check_{exercise}", **resources["nbgrader"])
        cell.metadata.nbgrader |= {"grade": True, "solution": False, "locked": True, "task": False, "points": points}
        cell.outputs = outputs(grade, points)
        return notebook, resources

    def _judged(self, notebook: NotebookNode, exercise: str) -> Grade:
        """The judge's verdict on the notebook, which is read from a file as any submission is."""
        with TemporaryDirectory(prefix="ttt-nbgrader-") as folder:
            path = Path(folder) / f"{exercise}.ipynb"
            path.write_text(json.dumps(notebook), encoding="utf-8")
            return marking.mark_file(batch.key_of(exercise), path, self.isolation)


def _graded_cell(notebook: NotebookNode, grade_id: str) -> Any:
    """The cell that carries the marks. If it was deleted, it is put back at the end."""
    for cell in notebook.cells:
        if cell.metadata.get("nbgrader", {}).get("grade_id") == grade_id:
            return cell
    metadata = {"nbgrader": {"grade_id": grade_id, "schema_version": 3, "cell_type": "code"}}
    cell = {"cell_type": "code", "id": grade_id, "metadata": metadata, "execution_count": None}
    notebook.cells.append(as_node(cell | {"source": "# The cell with the check was missing.", "outputs": []}))
    return notebook.cells[-1]


def _points(grade_id: str, assignment: str, notebook: str, db_url: str, **_others: str) -> float:
    """What nbgrader's gradebook says the cell is worth; the notebook is the student's to change."""
    with Gradebook(db_url) as gradebook:
        return float(gradebook.find_graded_cell(grade_id, notebook, assignment).max_score)


def outputs(grade: Grade, points: float) -> list[NotebookNode]:
    """What the graded cell shows: the parts and why marks were lost, as text, and the score as a number."""
    lines = [f"{got:g} of {most:g}: {part}" for part, got, most in grade.parts]
    text = "\n".join([*lines, plain(grade.reason) or "All of it is right.", ""])
    score = {"text/plain": repr(grade.score * points / grade.max_score)}
    return [
        as_node({"output_type": "stream", "name": "stdout", "text": text}),
        as_node({"output_type": "execute_result", "data": score, "metadata": {}, "execution_count": 1}),
    ]


def first_steps() -> list[type[Any]]:
    """nbgrader's own first steps of autograding, once the cells' marks are mended."""
    return [Mend, *Autograde.sanitize_preprocessors.default()]


def steps() -> list[type[Any]]:
    """nbgrader's own steps of autograding, with the judge in place of the one that runs the notebook."""
    return [Judge if step is Execute else step for step in Autograde.autograde_preprocessors.default()]


def escaped_markdown(source: str) -> str:
    """A student's text cell as HTML, with tags of its own shown as they are written, and so without effect."""
    return str(MarkdownWithMath(renderer=IPythonRenderer(escape=True)).render(source))
