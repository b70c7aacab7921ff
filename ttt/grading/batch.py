"""Grades a class, each submission by itself: whatever one of them breaks, the others get their grades.

Any `concurrent.futures.Executor` will do. The usual workers are processes, so even a crash of the interpreter concerns
only one submission.
"""

from __future__ import annotations

import faulthandler
import hashlib
import importlib
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from ttt.grading import marking
from ttt.grading.grade import PROBLEM, WRONG, Grade, GradingError, PartMarks
from ttt.grading.gradebook import Gradebook, Record
from ttt.grading.key import Key
from ttt.grading.roster import file_names, plain
from ttt.grading.sandbox import LEVELS
from ttt.grading.submissions import Submission
from ttt.pools import FailedTask, WorkerPool, disposable, each

HERE = Path(__file__).parent
# Exercises that ask for a function: students have a file on each, and the module of that name here has the key.
KEYED = tuple(sorted(path.stem for path in HERE.parent.glob("exercises/*.json") if (HERE / f"{path.stem}.py").exists()))
# With those whose module grades them, and writes into the results' folder itself. All have settings here.
EXERCISES = tuple(sorted({*KEYED, *(path.stem for path in HERE.glob("*.toml"))}))
PATIENCE = 900  # seconds that a worker may spend on one submission before it is ended
SHOWN = "The page shows a board where it goes wrong."
JUDGES = (
    "batch.py",
    "conversation.py",
    "grade.py",
    "gradebook.py",
    "judge.py",
    "key.py",
    "marking.py",
    "roster.py",
    "sandbox.py",
    "syscalls.py",
    "source.py",
    "interface_client.py",
    "inside/*.py",
)


@dataclass(frozen=True)
class Task:
    """One submission to be graded.

    Args:
        most: the points that the exercise gives at most.
        seed: draws the questions that students don't have: the same ones for the whole class.
        out: the folder for results.
        page: the name of the student's feedback page.
        content: the file's content, for a worker that can't open it.
        final: whether this attempt stands even if the submission was late.
    """

    student: str
    file: Path
    digest: str
    exercise: str
    isolation: str
    most: float
    seed: str = ""
    out: Path = Path()
    page: str = ""
    content: bytes | None = field(default=None, repr=False)
    final: bool = False


Judge = Callable[[Task], Record]


# ------------------------------------------------------------------------------------------------- one submission


def judged(task: Task) -> Record:
    """The grade of one submission: its source read, judged in a sandbox, and marked."""
    if task.exercise in KEYED:
        key = key_of(task.exercise).drawn_with(task.seed)
        return _record(task.student, marking.mark_file(key, task.file, task.isolation, task.final))
    from ttt.grading import interface  # which loads widgets

    if not task.out.is_dir():
        raise FileNotFoundError(f"{task.exercise} writes into {task.out}, which this worker does not share")
    return _record(task.student, interface.mark_file(task.file, task.isolation, task.out / "interface" / task.page))


def key_of(exercise: str) -> Key:
    """The key of an exercise that asks for a function. Raises `GradingError` if it has none, or bad settings."""
    module = importlib.import_module(f"ttt.grading.{exercise}") if (HERE / f"{exercise}.py").exists() else None
    key: Callable[[], Key] | None = getattr(module, "key", None)
    if key is None:
        raise GradingError(f"There is no key for {exercise!r}; there is one for {', '.join(KEYED)}.")
    with _settings_explained(exercise):
        return key()


def rubric(exercise: str) -> tuple[PartMarks, ...]:
    """The parts of an exercise, with no marks yet. Raises `GradingError` if its settings make no sense."""
    if exercise in KEYED:
        return tuple(PartMarks(part.name, part.title, None, part.marks) for part in key_of(exercise).parts)
    with _settings_explained(exercise):
        from ttt.grading import interface

        return interface.rubric()


@contextmanager
def _settings_explained(exercise: str) -> Iterator[None]:
    try:
        yield
    except KeyError as error:
        raise GradingError(f"{exercise}.toml in ttt/grading can't be used: {error} is missing.") from None
    except (OSError, ValueError, TypeError, AttributeError, IndexError) as error:
        raise GradingError(f"{exercise}.toml in ttt/grading can't be used: {error}.") from None


def _record(student: str, grade: Grade) -> Record:
    """What the gradebook keeps of a grade. Everything that may come from a student is made plain text here."""
    case = grade.case and replace(grade.case, given=plain(grade.case.given, 200))
    shown = case and grade.status == WRONG and not grade.misconception
    return Record(
        student,
        grade.status,
        reason=plain(grade.reason) + (f" {SHOWN}" if shown else ""),
        score=grade.score,
        max_score=grade.max_score,
        seconds=round(grade.seconds, 3),
        isolation=grade.isolation,
        misconception=grade.misconception,
        parts=grade.parts,
        example=case,
        wrong=grade.wrong,
        late=grade.late,
    )


# ------------------------------------------------------------------------------------------------- what is to be done


def version(exercise: str) -> str:
    """A digest of all that decides on a grade and its words: the board, the exercise, its key and marks, and the judge.

    What the pages and tables say is made anew on every run.
    """
    here = Path(__file__).parent
    package = here.parent
    files = [package / "board.py", package / "heuristics.py", *sorted((package / "exercises").glob("*.py"))]
    files += [package / "exercises" / f"{exercise}.json", here / f"{exercise}.py", here / f"{exercise}.toml"]
    files += [package / "widgets" / "driver.py"]
    files += [file for name in JUDGES for file in sorted(here.glob(name))]
    return _digest(file.read_bytes() for file in files if file.exists())


def _digest(parts: Iterable[bytes]) -> str:
    sums = b"".join(hashlib.sha256(part).digest() for part in parts)
    return hashlib.sha256(sums).hexdigest()


def plan(
    submissions: Sequence[Submission],
    book: Gradebook,
    exercise: str,
    isolation: str,
    out: Path = Path(),
) -> tuple[dict[str, Record], list[Task]]:
    """The grades that are known already or need no judge, by student, and the tasks that are left.

    A kept grade is used again unless it was reached under a lower level of isolation than is asked for now, or the
    submission was late, and may do better this time.
    """
    current, most = version(exercise).encode(), sum(part.most for part in rubric(exercise))
    pages = file_names([one.student for one in submissions])
    records, tasks = {}, []
    for one in submissions:
        if one.file is None:
            records[one.student] = Record(one.student, one.status, "", None, most)
            continue
        try:
            digest = _digest((current, one.file.suffix.encode(), one.file.read_bytes()))
        except OSError as error:
            why = f"The file can't be read: {error.strerror}."
            records[one.student] = Record(one.student, PROBLEM, why, None, most)
            continue
        kept = book.kept_record(one.student, digest)
        if kept and _level(kept.isolation) <= _level(isolation) and not kept.late:
            records[one.student] = kept
        else:
            page = pages[one.student]
            tasks.append(Task(one.student, one.file, digest, exercise, isolation, most, book.seed, out, page))
    return records, tasks


def better(record: Record, kept: Record | None, isolation: str) -> Record:
    """The record, or the one kept of the same submission if that has more marks: a grade never falls on a rerun.

    One that was kept under a lower level of isolation than is asked for now does not count.
    """
    if kept is None or kept.score is None or _level(kept.isolation) > _level(isolation):
        return record
    return kept if record.score is None or record.score < kept.score else record


def _level(isolation: str) -> int:
    """The place of a level among all, the safest first. If nothing was run, there is no level, which is as safe."""
    if not isolation:
        return 0
    return LEVELS.index(isolation) if isolation in LEVELS else len(LEVELS)


def told(record: Record, submission: Submission) -> Record:
    """A grade with the other notes on the submission: late, submitted twice, not on the roster."""
    reason = " ".join(filter(None, (*submission.notes, record.reason)))
    return replace(record, reason=reason, number=submission.number)


# ------------------------------------------------------------------------------------------------- all of them


def graded(
    tasks: Sequence[Task], pool: WorkerPool | Executor | None, judge: Judge = judged
) -> Iterator[tuple[Task, Record]]:
    """Each task with its grade, in the order in which they are reached.

    If a worker dies, the submissions that it was grading are tried again, one at a time. So are, at the end, those that
    took too long: beside others they may be slow for no fault of their own.
    """
    late = []
    for task, record in _reached(tasks, pool, judge):
        if record.late:
            late.append(task)
        else:
            yield task, record
    alone = replace(pool, workers=min(1, pool.workers)) if isinstance(pool, WorkerPool) else pool
    for task in late:
        yield from _reached([replace(task, final=True)], alone, judge)


def _reached(tasks: Sequence[Task], pool: WorkerPool | Executor | None, judge: Judge) -> Iterator[tuple[Task, Record]]:
    """Each task with its grade."""
    far = isinstance(pool, WorkerPool) and pool.far
    sent = map(_packed, tasks) if far else iter(tasks)
    for task, record in each(partial(_attempt, judge), sent, pool):
        if isinstance(record, FailedTask):
            record = failed(task, "the process that graded it ended, or took too long")
        yield replace(task, content=None), record


def failed(task: Task, why: str) -> Record:
    """The record if the grader itself failed. It is never kept, so the next run tries again."""
    reason = f"The grader itself failed here, so there is no grade yet; please look at it yourself: {plain(why)}."
    return Record(task.student, PROBLEM, reason, None, task.most, parts=rubric(task.exercise))


def _packed(task: Task) -> Task:
    """The task with the file's content, for a worker that can't see this machine's files."""
    with suppress(OSError):  # opening the file later says why it can't be read
        return replace(task, content=task.file.read_bytes(), out=task.out.absolute())
    return task


@contextmanager
def _unpacked(task: Task) -> Iterator[Task]:
    """The task with a file on this machine that holds the submission."""
    if task.content is None:
        yield task
        return
    with TemporaryDirectory(prefix="ttt-grade-") as folder:
        file = Path(folder) / task.file.name
        file.write_bytes(task.content)
        yield replace(task, file=file, content=None)


def _attempt(judge: Judge, task: Task) -> Record:
    """The grade, or a record of what failed in the grader. A process that hangs is ended."""
    alone = disposable()
    try:
        with Path(os.devnull).open("w") as null, _unpacked(task) as here:
            if alone:
                faulthandler.dump_traceback_later(PATIENCE, exit=True, file=null)
            return judge(here)
    except Exception as error:
        return failed(task, f"{type(error).__name__}: {error}")
    finally:
        if alone:
            faulthandler.cancel_dump_traceback_later()
