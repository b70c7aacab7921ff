"""Grading many at once: with any executor, and whatever a submission does to the process that grades it."""

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from ttt.grading import alpha_beta, batch
from ttt.grading.batch import Task
from ttt.grading.grade import Grade
from ttt.grading.gradebook import Gradebook, Record
from ttt.grading.submissions import Submission
from ttt.pools import processes

GRADE = Grade((), "wrong", "")


def tasks(*students):
    return [Task(student, Path(student), f"digest of {student}", "heuristic_1", "full", 15) for student in students]


def fake(task):
    """Gives each student as many points as the name has letters; some names do harm instead."""
    match task.student.split()[0]:
        case "kills":
            os._exit(1)
        case "raises":
            raise ValueError("broken in \x00\ud800 our code")
        case "overflows":
            return fake(task)
        case "hangs":
            time.sleep(60)
        case "slow":
            time.sleep(0.4)
    return Record(task.student, "wrong", "", len(task.student), 15, isolation="full")


def impatient(task):
    batch.PATIENCE = 1
    batch.faulthandler.dump_traceback_later(1, exit=True, file=Path(os.devnull).open("w"))  # noqa: SIM115
    return fake(task)


class AtOnce(Executor):
    """An executor of the simplest kind: it works where it is called."""

    def submit(self, function, /, *arguments):
        future = Future()
        future.set_result(function(*arguments))
        return future


def test_the_whole_class_is_asked_the_same_and_again_when_it_is_regraded(tmp_path, monkeypatch):
    """A wrong function that only some drawn questions find out would get other marks from another worker."""
    asked = []
    monkeypatch.setattr(batch.marking, "mark_file", lambda key, *_: asked.append(key.questions) or GRADE)
    found = [Submission(student, tmp_path / f"{student}.py") for student in ("ann", "bo")]
    for one in found:
        one.file.write_text("")
    for _ in range(2):
        alpha_beta.key.cache_clear()  # as in another process
        with Gradebook(tmp_path / "grades.db", "alpha_beta") as book:
            _, planned = batch.plan(found, book, "alpha_beta", "full")
            for task in planned:
                book.keep_record(batch.judged(task), task.digest)
            book.forget(["ann", "bo"])
    assert len(asked) == 4 and len(set(asked)) == 1
    with Gradebook(tmp_path / "other.db", "alpha_beta") as other:
        assert other.seed != planned[0].seed


def test_any_executor_gives_each_task_its_grade_once():
    students = [f"student {n}" for n in range(30)]
    with ThreadPoolExecutor(2) as threads:
        for pool in (processes(2), threads, AtOnce(), None):
            graded = [(task.student, record.score) for task, record in batch.graded(tasks(*students), pool, fake)]
            assert sorted(graded) == sorted((student, len(student)) for student in students)


def test_who_kills_the_grader_has_a_problem_and_nobody_else():
    students = ["ann", "kills 1", "bo", "raises", "overflows", "kills 2", *(f"s{n}" for n in range(12))]
    graded = {task.student: record for task, record in batch.graded(tasks(*students), processes(2), fake)}
    assert graded.keys() == set(students)
    harmed = {student for student, record in graded.items() if record.status == "problem"}
    assert harmed == {"kills 1", "kills 2", "raises", "overflows"}
    assert all(graded[student].score is None and graded[student].max_score == 15 for student in harmed)
    assert "ValueError: broken in" in graded["raises"].reason and graded["raises"].reason.isprintable()
    assert all(graded[student].score == len(student) for student in set(students) - harmed)


def test_who_hangs_the_grader_is_given_up_and_nobody_else():
    graded = {
        task.student: record.status
        for task, record in batch.graded(tasks("ann", "hangs", "bo"), processes(2), impatient)
    }
    assert graded == {"ann": "wrong", "hangs": "problem", "bo": "wrong"}


def test_an_interrupt_waits_for_what_is_in_work_and_keeps_it():
    reached = []
    interrupt = threading.Timer(1.5, signal.raise_signal, [signal.SIGINT])
    interrupt.start()
    with pytest.raises(KeyboardInterrupt):
        for task, _ in batch.graded(tasks(*(f"slow {n}" for n in range(100))), processes(2), fake):
            reached.append(task.student)
    assert 2 <= len(reached) < 40 and len(set(reached)) == len(reached)


def workers_of(pid):
    listed = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True).stdout
    return [int(line) for line in listed.split()]


@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes as Linux lists them")
def test_no_worker_outlives_a_killed_grader():
    code = (
        f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})\n"
        "from test_batch import batch, fake, processes, tasks\n"
        "if __name__ == '__main__':\n"
        "    for n, _ in enumerate(batch.graded(tasks(*(f'slow {n}' for n in range(99))), processes(2), fake)):\n"
        "        print(n, flush=True)\n"
    )
    grader = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    grader.stdout.readline()
    workers = workers_of(grader.pid)
    grader.kill()
    grader.communicate()
    deadline = time.monotonic() + 10
    while any(Path(f"/proc/{pid}/cmdline").exists() for pid in workers) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert len(workers) >= 2 and not any(Path(f"/proc/{pid}").exists() for pid in workers)


@pytest.fixture
def book(tmp_path):
    with Gradebook(tmp_path / "grades.db", "heuristic_1") as book:
        yield book


@pytest.fixture
def submissions(tmp_path):
    for name in ("ann", "bo"):
        (tmp_path / f"{name}.py").write_text(f"# {name}")
    gone = Submission("gone", tmp_path / "gone.py")
    return [
        *(Submission(name, tmp_path / f"{name}.py") for name in ("ann", "bo")),
        Submission("cy", status="missing"),
        gone,
    ]


def planned(submissions, book, isolation="full"):
    records, todo = batch.plan(submissions, book, "heuristic_1", isolation)
    return {name: record.status for name, record in records.items()}, [task.student for task in todo]


def keep_all(submissions, book, isolation):
    for task in batch.plan(submissions, book, "heuristic_1", "full")[1]:
        book.keep_record(Record(task.student, "right", "", 15, 15, isolation=isolation), task.digest)


def test_only_what_has_changed_is_graded_again(submissions, book, monkeypatch):
    others = {"cy": "missing", "gone": "problem"}
    assert planned(submissions, book) == (others, ["ann", "bo"])
    keep_all(submissions, book, "full")
    assert planned(submissions, book) == (others | {"ann": "right", "bo": "right"}, [])
    submissions[0].file.write_text("# changed")
    assert planned(submissions, book) == (others | {"bo": "right"}, ["ann"])
    monkeypatch.setattr(batch, "version", lambda exercise: "another version")
    assert planned(submissions, book) == (others, ["ann", "bo"])


def test_a_grade_reached_under_less_isolation_does_not_stand_where_more_is_asked_for(submissions, book):
    keep_all(submissions, book, "limits")
    assert planned(submissions, book, "full")[1] == ["ann", "bo"]
    assert planned(submissions, book, "limits")[1] == []
    keep_all(submissions, book, "")
    assert planned(submissions, book, "full")[1] == []


@pytest.mark.parametrize(
    "name", ["heuristic_1.toml", "judge.py", "batch.py", "roster.py", "conversation.py", "../board.py"]
)
def test_the_version_of_an_exercise_follows_its_marks_its_judge_its_words_and_the_board(name, monkeypatch, tmp_path):
    shutil.copytree(Path(batch.__file__).parents[1], tmp_path / "ttt")
    before = batch.version("heuristic_1")
    monkeypatch.setattr(batch, "__file__", str(tmp_path / "ttt" / "grading" / "batch.py"))
    assert batch.version("heuristic_1") == before
    with (tmp_path / "ttt" / "grading" / name).open("a") as file:
        file.write("# changed\n")
    assert batch.version("heuristic_1") != before


# ------------------------------------------------------------------------------------------------- out of time


def late_at_first(task):
    """Late for the first time, and then right; notes when each attempt begins and ends."""
    begun = time.monotonic()
    late = task.student == "late" and not any(task.file.parent.glob("late *"))
    time.sleep(0.1)
    (task.file.parent / f"{task.student} {begun} {time.monotonic()}").touch()
    return Record(task.student, "problem" if late else "right", "", 0 if late else 15, 15, late=late)


@pytest.mark.parametrize("pool", [None, processes(1), processes(4)], ids=["none", "1", "4"])
def test_what_was_late_is_judged_again_when_nothing_else_runs(pool, tmp_path):
    students = ["late", *(f"s{n}" for n in range(8))]
    given = [replace(task, file=tmp_path / task.student) for task in tasks(*students)]
    graded = [(task.student, record.score) for task, record in batch.graded(given, pool, late_at_first)]
    assert sorted(graded) == sorted((student, 15) for student in students)
    times = [(path.name.split()[0], *map(float, path.name.split()[1:])) for path in tmp_path.iterdir()]
    last = max(begun for student, begun, _ in times if student == "late")
    assert all(end <= last for student, begun, end in times if begun != last)
