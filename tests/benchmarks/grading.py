"""Grading the same twenty submissions with nbgrader's autograde and with `ttt grade`, side by side in one run.

    .venv/bin/python tests/benchmarks/grading.py

Every other submission is right, the rest have known mistakes. Both programs are started once, as an instructor starts
them, and their start-up counts; the exercise's own notebook is what nbgrader has to run for each student.
"""

import importlib.util
import json
import os
import resource
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median

ROOT = Path(__file__).parents[2]
EXERCISE = ROOT / "exercises" / "heuristic_1" / "heuristic_1.ipynb"
SCRIPTS = sysconfig.get_path("scripts")
STUDENTS = 20


CONFIG = """
from nbgrader.converters import GenerateAssignment
from nbgrader.preprocessors import ClearSolutions

c = get_config()
c.GenerateAssignment.preprocessors = [
    step for step in GenerateAssignment.preprocessors.default() if step is not ClearSolutions
]
"""


@dataclass(frozen=True)
class Figure:
    """What one program took for all."""

    system: str
    seconds: float
    submissions: int


def sources():
    """Twenty sources, right and wrong by turns."""
    sys.path.append(str(ROOT / "tests"))
    import submissions

    right, wrong = (submissions.sources(kind) for kind in ("right", "wrong"))
    plain = [
        source for name, source in right.items() if "cells" not in name and "guard" not in name and "own" not in name
    ]
    pairs = zip(plain, wrong.values(), strict=False)
    return [source for pair in pairs for source in pair][:STUDENTS]


def run(command, folder):
    """Seconds that a command takes."""
    environment = os.environ | {"PATH": f"{SCRIPTS}{os.pathsep}{os.environ['PATH']}"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # which no instructor sets, and which makes Python start slowly
    begun = time.perf_counter()
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{command} failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return time.perf_counter() - begun


def cpu(command, folder):
    """Seconds of CPU that a command and its processes take."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run(command, folder)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def hand_in(folder, source):
    notebook = json.loads(EXERCISE.read_text())
    for cell in notebook["cells"]:
        if cell["metadata"].get("nbgrader", {}).get("grade_id") == "heuristic_1":
            cell["source"] = source
    folder.mkdir(parents=True)
    (folder / "heuristic_1.ipynb").write_text(json.dumps(notebook))


def measure(students=STUDENTS):
    """The figures of both programs, nbgrader's where it is installed; ours is the median of three runs."""
    figures = []
    with tempfile.TemporaryDirectory() as place:
        course = Path(place)
        for number, source in enumerate(sources()[:students]):
            hand_in(course / "submitted" / f"student{number:02d}" / "heuristic_1", source)
        ours = median(run(["ttt", "grade", "submitted", "--out", f"results{n}"], course) for n in range(3))
        figures.append(Figure("ttt grade", ours, students))
        if importlib.util.find_spec("nbgrader"):
            (course / "source" / "heuristic_1").mkdir(parents=True)
            shutil.copy(EXERCISE, course / "source" / "heuristic_1")
            (course / "nbgrader_config.py").write_text(CONFIG)
            run(["nbgrader", "generate_assignment", "heuristic_1"], course)
            figures.append(Figure("nbgrader", run(["nbgrader", "autograde", "heuristic_1"], course), students))
    return figures


def main():
    figures = measure()
    print(f"{STUDENTS} submissions on {os.cpu_count()} cores, start-up included")
    for figure in figures:
        each = figure.seconds / figure.submissions
        print(f"{figure.system:<10}{figure.seconds:8.2f} s{1000 * each:8.0f} ms a submission", end="")
        print(f"{figure.seconds / figures[0].seconds:8.1f} ×")


if __name__ == "__main__":
    main()
