"""Grades a class: collects the submissions, judges the new ones, stores each grade at once, and writes the reports."""

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import psutil
from lab.checks.graded import GRADED

from exercises.grading import GradingError
from exercises.grading.intake.collect import collected, without_other_exercises
from exercises.grading.intake.uploads import Submission
from exercises.grading.isolation import sandbox
from exercises.grading.judging.judge import Judging, judged, packed_questions
from exercises.grading.judging.key import EXERCISES, STATUSES, Grade, parts_of, total
from exercises.grading.people import listing
from exercises.grading.results import feedback, platforms
from exercises.grading.results.grade_store import GradeStore, digest
from exercises.grading.results.review import REVIEW_FORM, reviewed
from exercises.grading.tables import cell, csv_text, write
from ttt.progress import progress

LAST = ("mistake", "status", "reason", "comment", "seconds", "isolation")  # columns of grades.csv


class Options(NamedTuple):
    """The command's options."""

    source: Path  # the submissions
    out: Path  # the folder of results
    exercise: str = "heuristic_1"
    isolation: str = "full"  # the required level
    workers: int = 0  # how many to judge at once; 0 for one per core
    canvas: Path | None = None  # a sheet to fill in
    moodle: Path | None = None  # a sheet to fill in
    regrade: bool = False  # whether to judge everything again


def graded(options: Options) -> tuple[list[Grade], list[str]]:
    """Grade a class and write all files; return the grades and notes for the instructor. Raises `GradingError`."""
    exercise = options.exercise
    parts_of(exercise)  # report an unknown exercise, and problems with sheets, before any work
    sandbox.require(options.isolation)
    if options.out.resolve() == options.source.resolve():
        raise GradingError("`--out` needs a folder of its own: the results would be taken for submissions.")
    submissions, notes = collected(options.source, exercise, options.out)
    submissions = without_other_exercises(submissions, exercise, EXERCISES)
    sheets = {}
    if options.canvas:
        sheets["canvas.csv"] = platforms.canvas(options.canvas, exercise, submissions)
    if options.moodle:
        sheets["moodle.csv"], submissions = platforms.moodle(options.moodle, submissions)
    return _written(options, submissions, sheets, notes)


def _written(
    options: Options,
    submissions: Sequence[Submission],
    sheets: Mapping[str, platforms.Template],
    notes: list[str],
) -> tuple[list[Grade], list[str]]:
    """Judge what is new and write all files; return the grades and the notes."""
    exercise, out = options.exercise, options.out
    store = GradeStore(out, exercise)
    grades = _judged(options, submissions, store)
    grades, told = reviewed(grades, out / REVIEW_FORM, parts_of(exercise))
    notes += told
    several = [one for one in submissions if one.others]
    if files := [f"{one.student} ({one.graded} was graded, not {', '.join(one.others)})" for one in several]:
        notes.append(f"Several files: {'; '.join(files)}.")
    grades = [  # notes on the files may have changed since the code was judged
        replace(grade, reason=" ".join(filter(None, (*one.notes, grade.reason))))
        if grade.status == one.status or not one.status
        else grade  # a person has marked what could not be read
        for one, grade in zip(submissions, grades, strict=True)
    ]
    notes += _fill_in(sheets, out, submissions, grades)
    pages = feedback.pages_of(out / "feedback", submissions)
    write(out / "grades.csv", _table(exercise, grades))
    feedback.write_pages(pages, grades, submissions, exercise)
    notes += platforms.write_feedback_zip(out / "feedback.zip", submissions, pages)
    write(out / "class.html", feedback.class_page(grades, exercise, submissions, pages, notes))
    return grades, notes


def _fill_in(
    sheets: Mapping[str, platforms.Template], out: Path, submissions: Sequence[Submission], grades: Sequence[Grade]
) -> Iterator[str]:
    """Fill in the platforms' sheets; yield notes on them, and on those of an earlier run."""
    for name in ("canvas.csv", "moodle.csv"):
        if name in sheets:
            write(out / name, sheets[name].filled(grades))
            yield from sheets[name].notes(submissions, grades)
        elif (out / name).exists():
            yield f"{out / name} is from an earlier run. To fill it in again, add `--{name[:-4]}`."


def _table(exercise: str, grades: Sequence[Grade]) -> str:
    """The grades as a CSV file: a row for each student, with the points of each part."""
    parts = parts_of(exercise)
    rows: list[list[Any]] = [["student", "score", "max_score", *(part.name for part in parts), *LAST]]
    for grade in grades:
        points = [grade.points.get(part.name) for part in parts]
        grade = replace(grade, reason=grade.told.replace("\n", " "))
        rows.append([grade.student, grade.score, total(exercise), *points, *(getattr(grade, name) for name in LAST)])
    return csv_text([list(map(cell, row)) for row in rows])


def _judged(options: Options, submissions: Sequence[Submission], store: GradeStore) -> list[Grade]:
    """Everybody's grade, in order. Grades that are stored and still valid are kept; the others are judged anew."""
    tasks = [
        Judging(one.student, options.exercise, one.cells, store.seed, options.isolation, one.beside)
        for one in submissions
        if one.cells is not None and not one.status
    ]
    digests = {task.student: digest(task.cells) for task in tasks}
    stand = {} if options.regrade else {student: store.kept(student, text) for student, text in digests.items()}
    grades = {student: grade for student, grade in stand.items() if grade}
    if options.exercise in GRADED:
        packed_questions(options.exercise, store.seed)  # otherwise each of the first workers would compute the key
    with ThreadPoolExecutor(options.workers or cores()) as executor:  # each submission is a process of its own
        waiting = [executor.submit(judged, task) for task in tasks if task.student not in grades]
        try:
            for future in progress(as_completed(waiting), "submissions", len(waiting)):
                grade = future.result()
                grades[grade.student] = store.keep(grade, digests[grade.student]) if grade.kept else grade
        except BaseException:  # on an interrupt, start nothing more and don't wait for what runs
            executor.shutdown(wait=False, cancel_futures=True)
            sandbox.kill_all()
            raise
    return [grades.get(one.student) or Grade(one.student, one.status) for one in submissions]


def cores() -> int:
    """The number of cores this process may use; two threads of a core count once, because they slow each other down."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(usable, psutil.cpu_count(logical=False) or usable)


def closing_message(options: Options, grades: Sequence[Grade], notes: Sequence[str]) -> str:
    """The command's closing message."""
    statuses = Counter(grade.status for grade in grades)
    lines = [f"{statuses[status]:5} {status}" for status in STATUSES if statuses[status]]
    for status in ("needs a person", "problem", "submitted twice", "not started", "missing"):
        if statuses[status]:
            names = [grade.student for grade in grades if grade.status == status]
            lines.append(f"{status.capitalize()}: {listing(names, None)}.")
    out = options.out
    end = f"Everything is in {out}. Start with {out / 'class.html'} and {out / 'grades.csv'}."
    sheets = [name for name, given in (("canvas.csv", options.canvas), ("moodle.csv", options.moodle)) if given]
    uploads = [*sheets, *(["feedback.zip"] if (out / "feedback.zip").exists() else [])]
    if uploads:
        end += f" For the platform: {' and '.join(str(out / name) for name in uploads)}."
    return "\n".join([*lines, *notes, end])
