"""The instructor's commands: `ttt grade` a class, `release` the lab, and make a `variant`."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ttt.progress import bar
from ttt.terminal import INTERRUPTED, stop, stop_for

if TYPE_CHECKING:  # loaded when something is graded: the other commands need none of it
    from ttt.grading.gradebook import Gradebook, Record
    from ttt.grading.statistics import Count
    from ttt.grading.submissions import Submission

MOST_NAMES = 10
MOST_MISTAKES = 5
FILE: dict[str, Any] = {"exists": True, "dir_okay": False}


@dataclass(frozen=True)
class Options:
    """What was asked for on the command line."""

    submissions: Path
    out: Path
    exercise: str
    isolation: str
    workers: int
    dask: str
    canvas: Path | None
    moodle: Path | None
    regrade: bool


def grade(
    submissions: Annotated[Path, typer.Argument(help="A folder of submissions, or a Moodle or Canvas download.")],
    out: Annotated[Path, typer.Option(help="The folder for grades.csv, grades.db and feedback/.")],
    exercise: Annotated[str, typer.Option(help="Which exercise it is.")] = "heuristic_1",
    isolation: Annotated[str, typer.Option(help="The isolation to insist on: full or limits.")] = "full",
    workers: Annotated[int, typer.Option(min=0, help="How many to judge at once; 0 for one per core.")] = 0,
    dask: Annotated[str, typer.Option(help="A dask scheduler, such as tcp://HOST:8786, whose workers judge.")] = "",
    canvas: Annotated[Path | None, typer.Option(help="A gradebook from Canvas, to be filled in.", **FILE)] = None,
    moodle: Annotated[Path | None, typer.Option(help="A worksheet from Moodle, to be filled in.", **FILE)] = None,
    regrade: Annotated[bool, typer.Option("--regrade", help="Grade everything again.")] = False,
) -> None:
    """Grade a class: writes grades.csv, a feedback page for each student, and pages on the class.

    If it was killed or interrupted, run it again: it continues, and grades again only what has changed. Marks and
    comments in review.csv, which it writes too, override the judge's.
    """
    from ttt.grading.grade import GradingError
    from ttt.pools import NoCluster
    from ttt.store import StoreError

    asked = Options(submissions, out, exercise, isolation, workers, dask, canvas, moodle, regrade)
    try:
        done = _run(asked)
    except (GradingError, StoreError, NoCluster) as error:
        stop(str(error))
    if not done:
        raise typer.Exit(INTERRUPTED)


def release(
    out: Annotated[Path, typer.Argument(help="The folder that gets the bundle and its zip.")],
    solutions: Annotated[bool, typer.Option("--solutions", help="Write the instructor's edition instead.")] = False,
) -> None:
    """Write the student bundle: the lab and its exercises, without solutions and without the grader.

    In the instructor's edition all exercises are solved and explained.
    """
    from ttt.grading.grade import GradingError
    from ttt.grading.release import ReleaseError, release
    from ttt.grading.roster import listing

    try:
        what = "instructor's edition" if solutions else "student bundle"
        archive = release(out, solutions)
        typer.echo(f"The {what} is {archive}, and unpacked beside it.")
        exercises = sorted(path.stem for path in archive.with_suffix("").glob("exercises/*/*.ipynb"))
        typer.echo(f"Its exercises are {listing(exercises)}.")
    except (ReleaseError, GradingError) as error:
        stop(str(error))
    except OSError as error:
        stop_for(error, out)


def variant(exercise: Annotated[str, typer.Argument(help="Which exercise it is.")] = "heuristic_1") -> None:
    """Work out again what an exercise's check knows, after a change of its settings in ttt/grading."""
    from ttt.grading import batch
    from ttt.grading.grade import GradingError
    from ttt.grading.release import ROOT
    from ttt.grading.roster import listing

    try:
        key = batch.key_of(exercise)
        typer.echo(f"Written: {key.write()}.")
        for part in key.still_earned():
            typer.echo(f"Answers of earlier years are still right on: {part.title} ({part.marks:g} marks).")
    except (GradingError, ValueError) as error:
        stop(str(error))
    except OSError as error:
        stop_for(error, f"{exercise}.json")
    texts = [f"exercises/{exercise}/{exercise}.ipynb", f"ttt/grading/solutions/{exercise}.md"]
    texts += [f"notebooks/{path.name}" for path in (ROOT / "notebooks").glob(f"*_{exercise}.ipynb")]
    where = "" if (ROOT / texts[0]).exists() else " in a clone of the lab's repository"
    typer.echo(f"Now make the texts say the same{where}: {listing(texts)}.")


def _run(asked: Options) -> bool:
    """Grade, and write the results; returns whether everything was graded before an interrupt."""
    from ttt.grading import batch, similar, submissions
    from ttt.grading.gradebook import Gradebook

    _check(asked)
    _check_forms(asked)
    with submissions.opened(asked.submissions, asked.exercise, asked.out) as (found, notes):
        submissions.require_exercise(found, asked.exercise, batch.EXERCISES)
        if asked.moodle:
            found = submissions.checked_with_worksheet(found, asked.moodle)
        _make(asked.out)
        with Gradebook(asked.out / "grades.db", asked.exercise) as book:
            if asked.regrade:
                book.forget(one.student for one in found)
            records, done = _graded(found, book, asked)
        if done:
            similar.write_page(asked.out / "similar.html", asked.exercise, found, records)
    _write(records, notes, found, asked, done)
    return done


def _check(asked: Options) -> None:
    """Refuse what can't be done before anything is touched, and say which isolation is used."""
    from ttt.grading import batch, sandbox
    from ttt.grading.grade import GradingError

    if asked.exercise not in batch.EXERCISES:
        raise GradingError(f"There is no exercise {asked.exercise!r}; the exercises are {', '.join(batch.EXERCISES)}.")
    if asked.isolation not in sandbox.LEVELS:
        raise GradingError(f"The levels of isolation are {', '.join(sandbox.LEVELS)}, not {asked.isolation!r}.")
    batch.rubric(asked.exercise)
    if asked.exercise in batch.KEYED:
        key = batch.key_of(asked.exercise)
        key.require_current()
        if key.returns != "number":
            raise GradingError(
                f"{asked.exercise} is for the check alone: only functions that return numbers are graded."
            )
    if asked.dask:
        typer.echo(f"Isolation: {asked.isolation}, on the workers of {asked.dask}.")
        return
    sandbox.require(asked.isolation)
    reached = sandbox.isolation_level()
    better = f" This machine reaches {reached}." if reached != asked.isolation else ""
    typer.echo(f"Isolation: {asked.isolation}.{better}")


def _check_forms(asked: Options) -> None:
    """Refuse a platform's file that can't be filled in, and what is not a review form."""
    from ttt.grading import batch, gradebook, review

    review.load(asked.out / review.FORM, batch.rubric(asked.exercise))
    if asked.canvas:
        gradebook.canvas_sheet(asked.canvas, asked.exercise)
    if asked.moodle:
        gradebook.moodle_sheet(asked.moodle)


def _make(out: Path) -> None:
    from ttt.grading.grade import GradingError

    try:
        (out / "feedback").mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise GradingError(f"The folder {out} can't be created or written: {error.strerror}.") from None


def _graded(found: Sequence[Submission], book: Gradebook, asked: Options) -> tuple[list[Record], bool]:
    """The records reached so far, and whether those are all."""
    from ttt import pools
    from ttt.grading import batch

    records, tasks = batch.plan(found, book, asked.exercise, asked.isolation, asked.out)
    count = min(asked.workers or os.cpu_count() or 1, len(tasks))
    pool = pools.cluster(asked.dask) if asked.dask else pools.processes(max(1, count))
    with bar("submissions", len(found)) as reach, suppress(KeyboardInterrupt):
        reach(len(records))
        for task, record in batch.graded(tasks, pool):
            record = batch.better(record, book.kept_record(task.student, task.digest), asked.isolation)
            if record.score is not None:
                book.keep_record(record, task.digest)
            records[task.student] = record
            reach(len(records))
    done = all(task.student in records for task in tasks)
    return [records[one.student] for one in found if one.student in records], done


# ------------------------------------------------------------------------------------------------- what comes out


def _write(
    records: Sequence[Record],
    notes: list[str],
    found: Sequence[Submission],
    asked: Options,
    done: bool,
) -> None:
    """Write the files, then the summary. Doubts about a submission go into what the instructor alone reads."""
    from ttt.grading import batch, feedback, gradebook, review, statistics, submissions

    rubric = batch.rubric(asked.exercise)
    key = batch.key_of(asked.exercise) if asked.exercise in batch.KEYED else None
    records, more = review.applied(records, asked.out / review.FORM, rubric)
    submitted = {one.student: one for one in found}
    records = [batch.told(record, submitted[record.student]) for record in records]
    doubts = {one.student: one.doubts for one in found}
    gradebook.write_grades(asked.out / "grades.csv", [_with_doubts(record, doubts) for record in records], rubric)
    pages = feedback.write_pages(asked.out / "feedback", records, asked.exercise)
    review.add_students(asked.out / review.FORM, [record.student for record in records], rubric)
    boards = statistics.most_missed(records, key)
    counts = statistics.counted(asked.exercise, records, rubric, boards)
    statistics.write_page(asked.out, counts, records, rubric, boards)
    _summarise(records, counts)
    notes += [*more, *_told(doubts)]
    if done and asked.canvas:
        notes += gradebook.fill_canvas(asked.canvas, asked.out / "canvas.csv", records, asked.exercise)
    if done and asked.moodle:
        notes += gradebook.fill_moodle(asked.moodle, asked.out / "moodle.csv", records)
    if done:
        notes += submissions.write_feedback_zip(asked.out / "feedback.zip", found, pages)
    for note in notes:
        typer.echo(f"Note: {note}")
    if done:
        typer.echo(f"Everything is in {asked.out}.")
    else:
        typer.echo(f"What is done so far is in {asked.out}.")
        typer.echo("Interrupted: run the same command again, and it continues.")


def _with_doubts(record: Record, doubts: Mapping[str, Sequence[str]]) -> Record:
    """The record with the doubts about its submission as the first of its reasons."""
    return replace(record, reason=" ".join(filter(None, (*doubts[record.student], record.reason))))


def _told(doubts: Mapping[str, Sequence[str]]) -> list[str]:
    """A sentence for each doubt, with the students whom it concerns."""
    from ttt.grading.roster import listing

    students: dict[str, list[str]] = {}
    for student, sentences in doubts.items():
        for sentence in sentences:
            students.setdefault(sentence, []).append(student)
    return [f"{sentence.removesuffix('.')}: {listing(names)}." for sentence, names in students.items()]


def _summarise(records: Sequence[Record], counts: Sequence[Count]) -> None:
    from ttt.grading.grade import PROBLEM, TWICE
    from ttt.grading.statistics import UNNAMED

    statuses = [(count.name, count.students) for count in counts if count.kind == "status"]
    mistakes = [(count.name, count.students) for count in counts if count.kind == "mistake" and count.name != UNNAMED]
    typer.echo(f"{_students(len(records))}\n{_table(statuses, mistakes[:MOST_MISTAKES])}")
    if len(mistakes) > MOST_MISTAKES:
        typer.echo(f"and {len(mistakes) - MOST_MISTAKES} more, in statistics.html")
    for status in (PROBLEM, TWICE):  # a teacher must look at these, so their names are shown
        if names := [record.student for record in records if record.status == status]:
            typer.echo(f"{status.capitalize()}: {_listed(names)}.")
    scores = [record.score for record in records if record.score is not None]
    if scores:
        mean = sum(scores) / len(scores)
        whose = "Score of the 1" if len(scores) == 1 else f"Mean score of the {len(scores)}"
        typer.echo(f"{whose} graded: {mean:.2f} of {records[0].max_score:g}.")


def _students(number: int) -> str:
    return "1 student" if number == 1 else f"{number} students"


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return ", ".join(names[:MOST_NAMES]) + more


def _table(*sections: Sequence[tuple[str, int]]) -> str:
    """Names and numbers in two columns, with a rule between the sections."""
    width = max(len(name) for section in sections for name, _ in section)
    upright, across, cross = "│─┼" if "utf" in (sys.stdout.encoding or "").lower() else "|-+"
    rule = f"\n{across * (width + 1)}{cross}{across * 9}\n"
    rows = ([f"{name:<{width}} {upright} {number:8}" for name, number in section] for section in sections)
    return rule.join("\n".join(section) for section in rows if section)
