"""A large course graded by two processes, by a dask cluster of two workers, and once more with one of them killed.

    .venv/bin/python tests/benchmarks/cluster.py [submissions]

The submissions are those of tests/grading, right and wrong by turns, each with a line of its own. All runs must reach
the same grades, each once; what is told besides is how long they took.
"""

import csv
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
import tomllib
from dataclasses import dataclass
from pathlib import Path

from ttt.grading.gradebook import SEED

TESTS = Path(__file__).parents[1]
sys.path.insert(0, str(TESTS))
SUBMISSIONS = TESTS / "grading" / "submissions"


@dataclass(frozen=True)
class Figure:
    """What one run took, and what came of it."""

    system: str
    seconds: float
    submissions: int
    grades: int  # in the gradebook
    same: bool  # as the first run's


def hand_in(folder, count):
    """So many submissions."""
    kinds = [tomllib.loads((SUBMISSIONS / f"{kind}.toml").read_text()) for kind in ("right", "wrong")]
    sources = [source for kind in kinds for source in kind.values() if isinstance(source, str)]
    folder.mkdir()
    for n in range(count):
        (folder / f"student {n:04}.py").write_text(f"{sources[n % len(sources)]}\n# {n}\n")


def reached(out):
    """How many grades there are so far."""
    try:
        database = sqlite3.connect(f"file:{out / 'grades.db'}?mode=ro", uri=True, timeout=30)
        count = "select count(*), count(distinct key) from results where key != ?"
        return database.execute(count, (SEED,)).fetchone()
    except sqlite3.Error:
        return 0, 0


def graded(handed_in, out, *options, victim=None, at=0):
    """Seconds that a run takes, and the grades; where a victim is given it is killed once so many are reached."""
    command = [sys.executable, "-m", "ttt", "grade", str(handed_in), "--out", str(out), *options]
    begun = time.perf_counter()
    run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    while victim and run.poll() is None and reached(out)[0] < at:
        time.sleep(0.02)
    if victim:
        victim.kill()
    said = run.communicate()[0]
    seconds = time.perf_counter() - begun
    if run.returncode:
        sys.exit(said)
    with (out / "grades.csv").open(newline="") as file:
        return seconds, [[row["student"], row["score"], row["status"], row["reason"]] for row in csv.DictReader(file)]


def measure(count=1000):
    """All runs in turn."""
    from test_pools import LEVEL, Cluster

    figures, first = [], None
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        hand_in(folder / "in", count)

        def take(system, *options, **more):
            nonlocal first
            out = folder / f"out {len(figures)}"
            seconds, grades = graded(folder / "in", out, *options, "--isolation", LEVEL, **more)
            first = first or grades
            rows, students = reached(out)
            kept = rows if rows == students else -1
            figures.append(Figure(system, seconds, count, kept, grades == first))

        take("one process", "--workers", "1")
        take("two processes", "--workers", "2")
        cluster = Cluster(folder)
        take("two dask workers", "--dask", cluster.with_workers(2))
        victim = cluster.workers[0]
        take("two dask workers, one killed", "--dask", cluster.address, victim=victim, at=count // 3)
        cluster.end()
    return figures


def main():
    figures = measure(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
    base = next(figure.seconds for figure in figures if figure.system == "two processes")
    print(f"{figures[0].submissions} submissions on {os.cpu_count()} cores, start-up included")
    for f in figures:
        each, same = 1000 * f.seconds / f.submissions, "same grades" if f.same else "OTHER GRADES"
        print(f"{f.system:30}{f.seconds:8.2f} s{each:8.1f} ms each{f.seconds / base:7.2f} ×{f.grades:7} kept, {same}")


if __name__ == "__main__":
    main()
