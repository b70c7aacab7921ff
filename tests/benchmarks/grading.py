"""Grading the same twenty submissions with nbgrader's autograde and with `ttt grade`, side by side in one run.

    .venv/bin/python tests/benchmarks/grading.py
    .venv/bin/python tests/benchmarks/grading.py costs

Every other submission is right, the rest have known mistakes. Both programs are started once, as an instructor starts
them, and their start-up counts; the exercise's own notebook is what nbgrader has to run for each student.

The costs are those of `ttt grade` alone, in seconds of CPU, which depend little on what else the machine does: what one
more submission costs when it is judged, and when only its pages are written again; what the store takes; and what dask
adds to a task. From these follows what a class of any size costs.
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
import tomllib
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

ROOT = Path(__file__).parents[2]
EXERCISE = ROOT / "exercises" / "heuristic_1" / "heuristic_1.ipynb"
SUBMISSIONS = ROOT / "tests" / "grading" / "submissions"
SCRIPTS = sysconfig.get_path("scripts")
STUDENTS = 20
SMALL, LARGE = 10, 160  # classes, from whose difference the cost of one more submission follows
CLASSES = (30, 3_000, 300_000)
ROWS = 5_000  # for the store
TASKS = 1_000  # for dask


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
    right, wrong = (tomllib.loads((SUBMISSIONS / f"{kind}.toml").read_text()) for kind in ("right", "wrong"))
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


@dataclass(frozen=True)
class Costs:
    """Seconds of CPU: to start, to judge one more submission, to write its pages again, to store it, to send it."""

    start: float
    judge: float
    write: float
    store: float
    dask: float | None


def costs():
    """All costs, measured now."""
    with tempfile.TemporaryDirectory() as place:
        course = Path(place)
        found = sources()
        for size in (SMALL, LARGE):
            for number in range(size):
                source = f"{found[number % len(found)]}\n# {number}\n"
                hand_in(course / f"class{size}" / f"student{number:04d}" / "heuristic_1", source)
        commands = {size: ["ttt", "grade", f"class{size}", "--out", f"out{size}"] for size in (SMALL, LARGE)}
        judged, written = ({size: cpu(command, course) for size, command in commands.items()} for _ in range(2))
        judge, write = ((times[LARGE] - times[SMALL]) / (LARGE - SMALL) for times in (judged, written))
        return Costs(written[SMALL] - SMALL * write, judge, write, stored(course), sent())


def stored(folder):
    """Seconds of CPU that the gradebook takes for a record."""
    from ttt.grading.gradebook import Gradebook, Record

    record = Record("student", "wrong", "A sentence on why marks were lost. " * 5, 7, 15, wrong=((1, 2.0),) * 100)
    with Gradebook(folder / "grades.db", "heuristic_1") as book:
        begun = time.process_time()
        for number in range(ROWS):
            book.keep_record(replace(record, student=f"student {number}"), "digest")
        return (time.process_time() - begun) / ROWS


def sent():
    """Seconds of CPU that dask takes for a task with 20 kB: client, scheduler and worker; None without dask."""
    if not importlib.util.find_spec("distributed"):
        return None
    from distributed import LocalCluster

    from ttt.pools import cluster, each

    options = {"processes": False, "protocol": "tcp://", "dashboard_address": None}  # all in this process
    with LocalCluster(n_workers=1, threads_per_worker=1, **options) as local:
        pool = cluster(local.scheduler_address)
        tasks = [os.urandom(20_000) for _ in range(TASKS)]
        begun = time.process_time()
        assert len(list(each(len, tasks, pool))) == TASKS
        return (time.process_time() - begun) / TASKS


def tell(costs):
    """Print the costs, and what follows from them."""
    rows = [
        ("to start", costs.start),
        ("to judge a submission and write its pages", costs.judge),
        ("to write the pages of one that is judged already", costs.write),
        ("to store a grade", costs.store),
        ("to send one to dask and back", costs.dask),
    ]
    print("seconds of CPU")
    for what, seconds in rows:
        print(f"{what:<50}" + ("not installed" if seconds is None else f"{seconds:10.5f}"))
    for students in CLASSES:
        judged, again = (costs.start + students * each for each in (costs.judge, costs.write))
        print(f"{students:>9,} submissions: {judged / 60:10,.1f} min, and again {again / 60:8,.2f} min")


def main():
    if "costs" in sys.argv[1:]:
        tell(costs())
        return
    figures = measure()
    print(f"{STUDENTS} submissions on {os.cpu_count()} cores, start-up included")
    for figure in figures:
        each = figure.seconds / figure.submissions
        print(f"{figure.system:<10}{figure.seconds:8.2f} s{1000 * each:8.0f} ms a submission", end="")
        print(f"{figure.seconds / figures[0].seconds:8.1f} ×")


if __name__ == "__main__":
    main()
