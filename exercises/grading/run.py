"""Grades a class: collects, has judged what is new, stores each grade as it is reached, and writes what people read."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any

from exercises.grading import GradingError, feedback, platforms, sandbox
from exercises.grading.book import Book, digest
from exercises.grading.collect import collected, without_other_exercises
from exercises.grading.grade import EXERCISES, STATUSES, Grade, parts_of, total
from exercises.grading.judge import Task, judged
from exercises.grading.people import listing
from exercises.grading.review import FORM, add_students, reviewed
from exercises.grading.tables import write, write_table
from exercises.grading.uploads import Submission
from ttt.progress import progress


@dataclass(frozen=True)
class Options:
    """What was asked for.

    Args:
        source: the submissions.
        out: the folder of results.
        exercise: which exercise they are of.
        isolation: the level to insist on.
        workers: how many to judge at once; 0 for one per core.
        dask: the address of a scheduler whose workers judge.
        canvas, moodle: sheets to be filled in.
        regrade: whether to judge everything again.
    """

    source: Path
    out: Path
    exercise: str = "heuristic_1"
    isolation: str = "full"
    workers: int = 0
    dask: str = ""
    canvas: Path | None = None
    moodle: Path | None = None
    regrade: bool = False


def graded(options: Options) -> tuple[list[Grade], list[str]]:
    """Grade a class and write all files; returns the grades, and sentences for the instructor.

    Raises `GradingError`.
    """
    exercise, out = options.exercise, options.out
    parts = parts_of(exercise)
    if not options.dask:
        sandbox.require(options.isolation)
    found = collected(options.source, exercise, out)
    submissions, notes = without_other_exercises(found.submissions, exercise, EXERCISES), list(found.notes)
    sheets = {}  # what is wrong with one is said before any work
    if options.canvas:
        sheets["canvas.csv"], told = platforms.canvas(options.canvas, exercise, submissions, total(exercise))
        notes += told
    if options.moodle:
        sheets["moodle.csv"] = platforms.moodle(options.moodle, submissions)
        submissions = platforms.numbered(sheets["moodle.csv"], submissions)
    with Book(out, exercise) as book:
        grades, seed = _judged(options, submissions, book), book.seed
    grades, told = reviewed(grades, out / FORM, parts)
    add_students(out / FORM, [grade.student for grade in grades], parts)
    notes += told
    for name, sheet in sheets.items():
        write(out / name, sheet.filled(grades, escaped=name == "moodle.csv"))
        notes += sheet.notes(submissions, grades)
    write_table(out / "grades.csv", *feedback.csv_rows(grades, exercise))
    pages = feedback.write_pages(out / "feedback", grades, exercise)
    notes += platforms.write_feedback_zip(out / "feedback.zip", submissions, pages)
    if found.shape == "nbgrader":
        platforms.write_nbgraders_tree(out / "nbgrader", exercise, submissions, pages)
    write(out / "class.html", feedback.class_page(grades, exercise, seed, submissions, notes))
    return grades, notes


# ---------------------------------------------------------------------------------------------- judging


def _judged(options: Options, submissions: Sequence[Submission], book: Book) -> list[Grade]:
    """Everybody's grade, in order: those that stand, and the others as they are reached."""
    grades: dict[str, Grade] = {}
    tasks, digests = [], {}
    for one in submissions:
        if one.cells is None:
            grades[one.student] = Grade(one.student, one.status, " ".join(one.notes))
            continue
        digests[one.student] = digest(one.cells)
        kept = None if options.regrade else book.kept(one.student, digests[one.student])
        if kept:
            grades[one.student] = kept
        else:
            tasks.append(Task(one.student, options.exercise, one.cells, book.seed, options.isolation))
    with _executor(options) as executor:
        for grade in progress(reached(tasks, executor), "submissions", len(tasks)):
            grades[grade.student] = book.keep(grade, digests[grade.student]) if grade.kept else grade
    return [_noted(grades[one.student], one) for one in submissions]


def _noted(grade: Grade, one: Submission) -> Grade:
    """The grade with what was said of the files, which may have changed since the code was judged."""
    if one.cells is None or not one.notes:
        return grade
    return grade.changed(reason=" ".join(filter(None, (*one.notes, grade.reason))))


def reached(tasks: Iterable[Task], executor: Executor) -> Iterator[Grade]:
    """The grades, in the order in which they are reached."""
    for future in as_completed([executor.submit(judged, task) for task in tasks]):
        yield future.result()


@contextmanager
def _executor(options: Options) -> Iterator[Executor]:
    """What judges: threads, since each submission is a process of its own, or the workers of a cluster.

    When the command is interrupted, threads don't go on with what waits.
    """
    if options.dask:
        yield _cluster(options.dask)
        return
    executor = ThreadPoolExecutor(options.workers or os.cpu_count())
    try:
        yield executor
    finally:
        executor.shutdown(cancel_futures=True)


def _cluster(address: str) -> Executor:
    """The workers of a dask scheduler. Raises `GradingError`."""
    try:
        from distributed import Client
    except ImportError:
        raise GradingError('dask is not installed: pip install "ttt[cluster]".') from None
    try:
        connect: Any = Client
        client = connect(address, timeout="10s", set_as_default=False)
    except (OSError, ValueError) as error:
        raise GradingError(f"No dask scheduler answers at {address}: {error}.") from None
    if not client.nthreads():
        raise GradingError(f"The dask scheduler at {address} has no workers: start one with `dask worker {address}`.")
    executor: Executor = client.get_executor(pure=False)
    return executor


# ---------------------------------------------------------------------------------------------- what is said


def summary(options: Options, grades: Sequence[Grade], notes: Sequence[str]) -> str:
    """What the command says at its end."""
    statuses = Counter(grade.status for grade in grades)
    lines = [f"{statuses[status]:5} {status}" for status in STATUSES if statuses[status]]
    mistakes = Counter(grade.mistake for grade in grades if grade.mistake)
    if mistakes:
        most = ", ".join(f"{name} ({count})" for name, count in mistakes.most_common(5))
        lines.append(f"Most common mistakes: {most}.")
    for status in ("problem", "submitted twice", "missing", "needs a person"):
        if statuses[status]:
            names = [grade.student for grade in grades if grade.status == status]
            lines.append(f"{status.capitalize()}: {listing(names)}.")
    scores = [grade.score for grade in grades if grade.score is not None]
    if scores:
        lines.append(f"Mean of the {len(scores)} graded: {mean(scores):.2f} of {total(options.exercise)}.")
    out = options.out
    return "\n".join(
        [*lines, *notes, f"Everything is in {out}: begin with {out / 'class.html'} and {out / 'grades.csv'}."]
    )
