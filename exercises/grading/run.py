"""Grades a class: collects, has judged what is new, stores each grade as it is reached, and writes what people read."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from exercises.grading import GradingError, feedback, platforms, sandbox
from exercises.grading.book import Book, digest
from exercises.grading.collect import Class, Submission, collected, without_other_exercises
from exercises.grading.grade import EXERCISES, STATUSES, Grade, parts_of, total
from exercises.grading.judge import Task, judged
from exercises.grading.people import listing
from exercises.grading.review import FORM, add_students, reviewed
from exercises.grading.tables import write, write_table
from ttt.progress import progress

AHEAD = 4  # tasks handed out for each worker
FUNCTIONS = {name: name for name in EXERCISES}  # the function that is handed in


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
    exercise = options.exercise
    parts = parts_of(exercise)
    if not options.dask:
        sandbox.require(options.isolation)
    found = collected(options.source, exercise, options.out)
    submissions = without_other_exercises(found.submissions, exercise, FUNCTIONS)
    notes = list(found.notes)
    sheets = _sheets(options, submissions, notes)
    if "moodle.csv" in sheets:
        submissions = platforms.numbered(sheets["moodle.csv"], submissions)
    with Book(options.out, exercise) as book:
        grades = _judged(options, submissions, book)
        seed = book.seed
    grades, told = reviewed(grades, options.out / FORM, parts)
    notes += told
    add_students(options.out / FORM, [grade.student for grade in grades], parts)
    for name, template in sheets.items():
        write(options.out / name, template.filled(grades, escaped=name == "moodle.csv"))
        notes += template.notes(submissions, grades)
    _write(options, found, submissions, grades, seed, notes)
    return grades, notes


def _sheets(options: Options, submissions: Sequence[Submission], notes: list[str]) -> dict[str, platforms.Template]:
    """The platforms' sheets, by the names of the files they become: what is wrong with one is said before any work."""
    sheets = {}
    if options.canvas:
        sheets["canvas.csv"], told = platforms.canvas(
            options.canvas, options.exercise, submissions, total(options.exercise)
        )
        notes += told
    if options.moodle:
        sheets["moodle.csv"] = platforms.moodle(options.moodle, submissions)
    return sheets


def _write(
    options: Options,
    found: Class,
    submissions: Sequence[Submission],
    grades: Sequence[Grade],
    seed: str,
    notes: list[str],
) -> None:
    """Write the table of grades, the pages, and what goes back to a platform."""
    out, exercise = options.out, options.exercise
    columns, rows = feedback.csv_rows(grades, exercise)
    write_table(out / "grades.csv", columns, rows)
    folder = out / "feedback"
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise GradingError(f"{folder} can't be written: {error.strerror}.") from None
    pages = feedback.write_pages(folder, grades, exercise)
    notes += platforms.write_feedback_zip(out / "feedback.zip", submissions, pages)
    if found.shape == "nbgrader":
        platforms.write_nbgraders_tree(out / "nbgrader", exercise, submissions, pages)
    write(out / "class.html", feedback.class_page(grades, exercise, seed, submissions, notes))


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
        if kept is None:
            tasks.append(Task(one.student, options.exercise, one.cells, book.seed, options.isolation))
        else:
            grades[one.student] = kept
    with _executor(options) as (executor, workers):
        for grade in progress(reached(tasks, executor, workers * AHEAD), "submissions", len(tasks)):
            grades[grade.student] = book.keep(grade, digests[grade.student]) if grade.kept else grade
    return [_noted(grades[one.student], one) for one in submissions]


def _noted(grade: Grade, one: Submission) -> Grade:
    """The grade with what was said of the files, which may have changed since the code was judged."""
    if one.cells is None or not one.notes:
        return grade
    return grade.changed(reason=" ".join(filter(None, (*one.notes, grade.reason))))


def reached(tasks: Iterable[Task], executor: Executor, ahead: int) -> Iterator[Grade]:
    """The grades, in the order in which they are reached; not too many tasks are handed out at once."""
    waiting = iter(tasks)
    running: set[Future[Grade]] = set()
    try:
        while True:
            running |= {executor.submit(judged, task) for task in islice(waiting, ahead - len(running))}
            if not running:
                return
            done, running = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                yield future.result()
    finally:
        for future in running:
            future.cancel()


def _executor(options: Options) -> AbstractContextManager[tuple[Executor, int]]:
    """What judges: threads, since each submission is a process of its own, or the workers of a cluster."""
    if options.dask:
        return nullcontext(_cluster(options.dask))
    workers = options.workers or os.cpu_count() or 1
    return _Threads(workers)


class _Threads(AbstractContextManager[tuple[Executor, int]]):
    """Threads that don't go on with what waits when the command is interrupted."""

    def __init__(self, workers: int) -> None:
        self.executor, self.workers = ThreadPoolExecutor(workers), workers

    def __enter__(self) -> tuple[Executor, int]:
        return self.executor, self.workers

    def __exit__(self, *_: object) -> None:
        self.executor.shutdown(cancel_futures=True)


def _cluster(address: str) -> tuple[Executor, int]:
    """The workers of a dask scheduler, and how many there are. Raises `GradingError`."""
    try:
        from distributed import Client
    except ImportError:
        raise GradingError('dask is not installed: pip install "ttt[cluster]".') from None
    try:
        connect: Any = Client
        client = connect(address, timeout="10s", set_as_default=False)
        workers = sum(client.nthreads().values())
    except (OSError, ValueError) as error:
        raise GradingError(f"No dask scheduler answers at {address}: {error}.") from None
    if not workers:
        raise GradingError(f"The dask scheduler at {address} has no workers: start one with `dask worker {address}`.")
    return client.get_executor(pure=False), workers


# ---------------------------------------------------------------------------------------------- what is said


def summary(options: Options, grades: Sequence[Grade], notes: Sequence[str]) -> str:
    """What the command says at its end."""
    lines = []
    statuses = Counter(grade.status for grade in grades)
    lines += [f"{statuses[status]:5} {status}" for status in STATUSES if statuses[status]]
    mistakes = Counter(grade.mistake for grade in grades if grade.mistake)
    if mistakes:
        most = ", ".join(f"{name} ({count})" for name, count in mistakes.most_common(5))
        lines.append(f"Most common mistakes: {most}.")
    for status in ("problem", "submitted twice", "missing", "needs a person"):
        names = [grade.student for grade in grades if grade.status == status]
        if names:
            lines.append(f"{status.capitalize()}: {listing(names)}.")
    scores = [grade.score for grade in grades if grade.score is not None]
    if scores:
        lines.append(f"Mean of the {len(scores)} graded: {sum(scores) / len(scores):.2f} of {total(options.exercise)}.")
    folder = options.out
    lines += [*notes, f"Everything is in {folder}: begin with {folder / 'class.html'} and {folder / 'grades.csv'}."]
    return "\n".join(lines)
