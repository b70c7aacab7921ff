"""nbgrader with our judge: its autograde asks the submitted function from outside, where it would run the notebook.

Assigning, collecting, the gradebook, feedback and export stay nbgrader's own. `exercises/nbgrader_config.py` uses this.
"""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbgrader.api import Gradebook
from nbgrader.converters import Autograde
from nbgrader.preprocessors import Execute, NbGraderPreprocessor
from traitlets import Unicode

from ttt.grading import heuristic_1
from ttt.grading.grade import Grade
from ttt.grading.roster import plain

as_node: Any = nbformat.from_dict  # which comes without types

GRADED = "check_heuristic_1"  # the grade_id of the cell that carries the marks


class Judge(NbGraderPreprocessor):  # type: ignore[misc]
    """Puts the judge's score into the output of the graded cell. No cell is run.

    nbgrader takes a number there for partial credit.
    """

    isolation = Unicode("full", help="The level of isolation to insist on: full, limits or none.").tag(config=True)

    def preprocess(self, notebook: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        """Judge one submission. Raises `judge.TooLittleIsolation`."""
        grade = self._judged(notebook)
        self.log.info("Judged: %s, %g of %g", grade.status, grade.score, grade.max_score)
        cell = _graded_cell(notebook)
        points = _points(**resources["nbgrader"])
        cell.metadata.nbgrader |= {"grade": True, "solution": False, "locked": True, "task": False, "points": points}
        cell.outputs = outputs(grade, points)
        return notebook, resources

    def _judged(self, notebook: NotebookNode) -> Grade:
        """The judge's verdict on the notebook, which is read from a file as any submission is."""
        with TemporaryDirectory(prefix="ttt-nbgrader-") as place:
            path = Path(place) / "heuristic_1.ipynb"
            path.write_text(json.dumps(notebook), encoding="utf-8")
            return heuristic_1.mark_file(path, self.isolation, Path(place), "")


def _graded_cell(notebook: NotebookNode) -> Any:
    """The cell that carries the marks, brought back at the end where it was deleted."""
    for cell in notebook.cells:
        if cell.metadata.get("nbgrader", {}).get("grade_id") == GRADED:
            return cell
    metadata = {"nbgrader": {"grade_id": GRADED, "schema_version": 3, "cell_type": "code"}}
    cell = {"cell_type": "code", "id": GRADED, "metadata": metadata, "execution_count": None}
    notebook.cells.append(as_node(cell | {"source": "# The cell with the check was missing.", "outputs": []}))
    return notebook.cells[-1]


def _points(assignment: str, notebook: str, db_url: str, **_others: str) -> float:
    """What nbgrader's gradebook says the cell is worth; the notebook is the student's to change."""
    with Gradebook(db_url) as gradebook:
        return float(gradebook.find_graded_cell(GRADED, notebook, assignment).max_score)


def outputs(grade: Grade, points: float) -> list[NotebookNode]:
    """What the graded cell shows: the parts and why marks were lost, as text, and the score as a number."""
    told = [f"{got:g} of {most:g}: {part}" for part, got, most in grade.parts]
    text = "\n".join([*told, plain(grade.reason) or "All of it is right.", ""])
    score = {"text/plain": repr(grade.score * points / grade.max_score)}
    return [
        as_node({"output_type": "stream", "name": "stdout", "text": text}),
        as_node({"output_type": "execute_result", "data": score, "metadata": {}, "execution_count": 1}),
    ]


def steps() -> list[type[Any]]:
    """nbgrader's own steps of autograding, with the judge in place of the one that runs the notebook."""
    return [Judge if step is Execute else step for step in Autograde.autograde_preprocessors.default()]
