"""How long the lessons' cells take.

`python tests/times.py` says so for all lessons, `python tests/times.py 12_learning` for one. Seconds are seconds of
computing; those of a loop that never changes stand beside them, so that a slow machine is told from a slow cell.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from time import process_time

import nbformat
from kept import LESSONS
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell

LONG = 5  # seconds; of a cell that takes longer, the lesson says so
BEGIN = """
from time import process_time as _now
_seconds = [-_now()]
get_ipython().events.register("pre_run_cell", lambda info: _seconds.append(-_now()))
get_ipython().events.register("post_run_cell", lambda result: _seconds.append(_seconds.pop() + _now()))
"""
END = "import json; print(json.dumps(_seconds[1:-1]))"


def cells(lesson: Path) -> Iterator[tuple[str, float]]:
    """The id of each cell of code in a lesson, and the seconds of computing that it took."""
    notebook = nbformat.read(lesson, 4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    notebook.cells = [new_code_cell(BEGIN), *code, new_code_cell(END)]
    NotebookClient(notebook, timeout=600, allow_errors=True, resources={"metadata": {"path": lesson.parent}}).execute()
    seconds = json.loads(notebook.cells[-1].outputs[0].text)
    return zip([cell.id for cell in code], seconds, strict=True)


def loop() -> float:
    """The seconds that a fixed loop of Python takes here: the least of three."""

    def once() -> float:
        begin = process_time()
        sum(number * number % 7 for number in range(10_000_000))
        return process_time() - begin

    return min(once(), once(), once())


def slowest() -> tuple[float, str]:
    """The longest that a cell of a lesson takes, as a multiple of the fixed loop, and which cell it is."""
    unit = loop()
    return max((seconds / unit, f"{path.stem}, {cell}") for path in LESSONS for cell, seconds in cells(path))


def main(names: list[str]) -> None:
    print(f"The fixed loop takes {loop():.2f} s.")
    for path in LESSONS:
        for cell, seconds in cells(path) if not names or path.stem in names else ():
            if seconds > LONG:
                print(f"{path.stem:22} {cell:8} {seconds:5.1f} s")


if __name__ == "__main__":
    main(sys.argv[1:])
