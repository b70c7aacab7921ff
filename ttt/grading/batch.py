"""Grades a pile of submissions on all cores, each by itself: whatever one of them breaks, the others get their grades.

Any `concurrent.futures.Executor` will do. The usual one is a pool of processes, so that not even a crash of the
interpreter is more than one submission's problem.
"""

from __future__ import annotations

import faulthandler
import gc
import hashlib
import importlib
import multiprocessing
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ttt.grading.gradebook import Example, Gradebook, Record
from ttt.grading.jail import LEVELS
from ttt.grading.people import plain
from ttt.grading.submissions import PROBLEM, Submission

EXERCISES = ("heuristic_1", "interface")  # modules with SETTINGS, mark_file and depends_on
PATIENCE = 120  # seconds after which a worker that still sits at one submission is given up
JUDGES = ("judge.py", "jail.py", "runner.py", "source.py", "stage.py")


@dataclass(frozen=True)
class Task:
    """One submission to be graded; most are the points that the exercise gives at most, out is the results' folder."""

    student: str
    file: Path
    digest: str
    exercise: str
    isolation: str
    most: float
    out: Path = Path()


Judged = Callable[[Task], Record]


# ------------------------------------------------------------------------------------------------- one submission


def judged(task: Task) -> Record:
    """The grade of one submission: its source read, judged in a jail, and marked."""
    marked = _module(task.exercise).mark_file(task.file, task.isolation, task.out, task.student)
    return _record(task.student, *marked)


def most_points(exercise: str) -> float:
    """The points that an exercise gives at most."""
    return float(sum(_module(exercise).SETTINGS["marks"].values()))


def _module(exercise: str) -> Any:
    return importlib.import_module(f"ttt.grading.{exercise}")


def _record(student: str, answers: Any, grade: Any) -> Record:
    """What the gradebook keeps of a grade. Whatever may come from a student is made plain text here, once."""
    case = grade.case and Example(grade.case.board, grade.case.player, grade.case.right, plain(grade.case.given, 200))
    return Record(
        student,
        grade.status,
        plain(grade.reason),
        grade.score,
        grade.max_score,
        round(answers.seconds, 3),
        answers.isolation,
        grade.misconception,
        grade.parts,
        case,
    )


# ------------------------------------------------------------------------------------------------- what is to be done


def version(exercise: str) -> str:
    """A digest of all that decides on a grade: the board, the exercise's key and marks, and the judge."""
    here = Path(__file__).parent
    package = here.parent
    files = [package / "board.py", package / "checks.py", package / f"{exercise}.json", here / f"{exercise}.py"]
    files += [here / name for name in JUDGES]
    files += sorted((package.parent / "exercises" / exercise).glob("*.toml"))
    return _digest(file.read_bytes() for file in files if file.exists())


def _digest(parts: Iterable[bytes]) -> str:
    sums = b"".join(hashlib.sha256(part).digest() for part in parts)
    return hashlib.sha256(sums).hexdigest()


def plan(
    submissions: Sequence[Submission], book: Gradebook, exercise: str, isolation: str, out: Path = Path()
) -> tuple[dict[str, Record], list[Task]]:
    """The grades that stand already or need no judge, by student, and the tasks that are left.

    A grade that was kept stands unless it was reached under a lower level of isolation than is asked for now.
    """
    current, most = version(exercise).encode(), most_points(exercise)
    records, tasks = {}, []
    for one in submissions:
        if one.file is None:
            records[one.student] = Record(one.student, one.status, "", None, most)
            continue
        try:
            more = _module(exercise).depends_on(out, one.student)
            digest = _digest((current, one.file.suffix.encode(), one.file.read_bytes(), more))
        except OSError as error:
            why = f"The file can't be read: {error.strerror}."
            records[one.student] = Record(one.student, PROBLEM, why, None, most)
            continue
        kept = book.kept(one.student, digest)
        if kept and _level(kept.isolation) <= _level(isolation):
            records[one.student] = kept
        else:
            tasks.append(Task(one.student, one.file, digest, exercise, isolation, most, out))
    return records, tasks


def _level(isolation: str) -> int:
    """A level's place. Where nothing of a student's was run there is none, and that is as safe as can be."""
    return LEVELS.index(isolation) if isolation in LEVELS else len(LEVELS) if isolation else 0


def told(record: Record, submission: Submission) -> Record:
    """A grade with what else there is to say about the submission: late, twice, not on the roster."""
    reason = " ".join(filter(None, (*submission.notes, record.reason)))
    return replace(record, reason=reason, number=submission.number)


# ------------------------------------------------------------------------------------------------- all of them


def processes(workers: int) -> Executor:
    """A pool of processes that leave interrupts to their parent, and end when it does, however it ends.

    Forks have at once all that the parent has loaded and worked out. They are for Linux, and safe as long as the
    parent has no other threads, whose locks nobody would open again.
    """
    quick = sys.platform == "linux" and threading.active_count() == 1
    context = multiprocessing.get_context("fork" if quick else "spawn")
    return ProcessPoolExecutor(workers, mp_context=context, initializer=_settle)


def _settle() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.freeze()  # what is there already stays, and need not be looked through again and again
    threading.Thread(target=_follow_parent, daemon=True).start()


def _follow_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def graded(
    tasks: Sequence[Task],
    workers: int,
    judged: Judged = judged,
    executor: Callable[[int], Executor] = processes,
) -> Iterator[tuple[Task, Record]]:
    """Each task with its grade, in the order in which they are reached.

    Where a worker dies, those that were in work are tried once more, each alone: who kills a worker again is told so.
    """
    waiting = deque(tasks)
    while waiting:
        suspects = yield from _round(waiting, workers, judged, executor)
        for task in suspects:
            if (yield from _round(deque([task]), 1, judged, executor)):
                yield task, failed(task, "the process that graded it ended, or took too long")


def failed(task: Task, why: str) -> Record:
    """What is told, and never kept, where it is the grader that failed: the grade is open until it is tried again."""
    reason = f"The grader itself failed here, so the grade is open; please look at it yourself: {plain(why)}."
    return Record(task.student, PROBLEM, reason, None, task.most)


def _round(
    waiting: deque[Task], workers: int, judged: Judged, executor: Callable[[int], Executor]
) -> Generator[tuple[Task, Record], None, list[Task]]:
    """Grades what is waiting until nothing is, or a worker dies; returns what was in work then."""
    running: dict[Future[Record], Task] = {}
    pool = executor(workers)
    try:
        while waiting or running:
            while waiting and len(running) < 2 * workers:  # few, for these are the suspects if a worker dies
                running[pool.submit(_attempt, judged, waiting[0])] = waiting[0]
                waiting.popleft()
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                record = future.result()
                yield running.pop(future), record
    except BrokenExecutor:
        return list(running.values())
    except KeyboardInterrupt:
        pool.shutdown(cancel_futures=True)  # what is in work takes some seconds at most, and counts
        yield from ((task, future.result()) for future, task in running.items() if _finished(future))
        raise
    finally:
        pool.shutdown(cancel_futures=True)
    return []


def _finished(future: Future[Record]) -> bool:
    return future.done() and not future.cancelled() and future.exception() is None


def _attempt(judged: Judged, task: Task) -> Record:
    """The grade, or that there is none because of a fault of ours. A process that hangs is ended."""
    alone = multiprocessing.parent_process() is not None
    try:
        with Path(os.devnull).open("w") as nowhere:
            if alone:
                faulthandler.dump_traceback_later(PATIENCE, exit=True, file=nowhere)
            return judged(task)
    except Exception as error:
        return failed(task, f"{type(error).__name__}: {error}")
    finally:
        if alone:
            faulthandler.cancel_dump_traceback_later()
