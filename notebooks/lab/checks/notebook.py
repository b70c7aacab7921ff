"""The functions a notebook calls: `check`, `hint`, `expect`, `hand_in` and the challenge's `ladder`."""

import os
import sys
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from inspect import signature
from itertools import cycle
from pkgutil import resolve_name
from types import ModuleType
from typing import Any

from lab.checks import calling, names, tasks
from lab.checks.calling import INTERRUPTED, PRINTED, RAISED, REFUSED, Answer
from lab.checks.causes import DOTS, Wrong, cells_of, gaps_in, names_told, remarks, why, with_cause
from lab.checks.exercise import Exercise, Mistake
from lab.checks.ladder import ladder
from lab.checks.source import EDITED, is_edited, is_out_of_date
from lab.checks.tasks import load
from lab.checks.verdict import CHANGES, Check, changes_told, counts_table, lines_picture, misnamed, shown_below, verdict
from lab.checks.visits import judged_by_visits, ordered
from lab.drawing.cards import notice
from lab.timeouts import Clock
from ttt.progress import progress

__all__ = ["Check", "Hint", "NotYetRight", "check", "expect", "hand_in", "hint", "ladder"]

PATIENT = 0.5  # seconds of CPU time for all questions, after which a wrong answer is shown as soon as it has a name
ENOUGH = 20  # give up after this many errors
NOT_STARTED = "Write your function in the cell above, run that cell, then this one."
OUT_OF_DATE = (
    "Your function is still its old version: the last run of its cell ended with an error, so Python didn't take your"
    " changes. Correct that error, run the cell until no error appears, then run this one."
)


class NotYetRight(AssertionError):
    """Raised while nbgrader validates a notebook, because nbgrader looks only for errors."""


def check(function: Callable[..., Any], task: str = "") -> Check:
    """Test a function on the questions of its task, and say how it did. Put it last in a cell to see the answer.

    The function's name and parameters tell the task, unless you name it. Raises
    `NotYetRight` if the function is not right and nbgrader's Validate runs the cell.
    """
    global _checked
    if not callable(function):
        told = f"`check()` needs your function itself, not `{function!r}`. Pass just its name: `check(heuristic_1)`."
        return Check("not yet", told)
    try:
        task = task or tasks.task_of(function)
    except tasks.Unknown as error:
        return Check("not yet", str(error))
    if is_edited(function):
        return Check("not yet", EDITED.format(function.__name__), "cell not run")
    _checked = task
    if task in tasks.OF_ITS_OWN:
        about = tasks.OF_ITS_OWN[task]
        own: Check = resolve_name(about["check"])(function)
        return own if own.right else replace(own, hints=about["hints"])
    exercise = load(task)
    found = Check("not yet", OUT_OF_DATE, "cell failed") if is_out_of_date(function) else _refused(function, exercise)
    if not found:
        found = judged_before(function, task)
        if not found or not found.right:  # the words for a wrong one depend on other cells, too
            found = _checked_by_asking(function, exercise)
            _verdicts[task] = _state(function), found
    if not found.right and os.environ.get("NBGRADER_EXECUTION") == "validate":
        raise NotYetRight(found.message)
    return found if found.right else replace(found, hints=exercise.hints)


_checked = ""  # the last task checked
_verdicts: dict[str, tuple["State", Check]] = {}  # the last by task, each with the function as it was then
State = tuple[list[Any], dict[Any, Any]]  # objects that must be the same, and copies of data that must be equal


def _state(function: Callable[..., Any]) -> State:
    """All that a function's answers depend on: the code, its own and of what it uses, and the globals it reads."""
    kept: calling.Kept = {}
    calling.remember(function, kept)
    inside = [*names.behind(function)]
    objects: list[Any] = [function]
    for one in inside:
        objects += [one, one.__code__, *(one.__closure__ or ())]
    objects += [use.function.__globals__.get(use.name) for use in names.uses(function)]
    return objects, {place: value for place, (_, _, value) in kept.items()}


def judged_before(function: Callable[..., Any], task: str) -> Check | None:
    """The last verdict on a function that hasn't changed since."""
    if task not in _verdicts:
        return None
    (objects, data), found = _verdicts[task]
    if objects[0] is not function:
        return None
    now, copies = _state(function)
    same = len(now) == len(objects) and all(one is other for one, other in zip(now, objects, strict=True))
    return found if same and not _differs(copies, data) else None


def _refused(function: Callable[..., Any], exercise: Exercise) -> Check | None:
    """The result for a function that is not to be asked: with other parameters, or a call of the lab."""
    if work := _doing_the_work(function, exercise.withheld):
        return Check("not yet", _refusal(function, exercise, work), REFUSED)
    if tasks.can_call(function, exercise.takes):
        return None
    call = f"{exercise.function or exercise.name}({', '.join(exercise.takes)})"
    told = f"The check calls `{call}`, but yours is `{getattr(function, '__name__', 'it')}{signature(function)}`."
    last = "Write the same parameters; any other needs a default value."
    if exercise.takes == ("board",):
        last = "Here it takes only the board; any other parameter needs a default value."
    return Check("not yet", f"{told} {last}")


def _doing_the_work(function: Callable[..., Any], withheld: Iterable[str]) -> set[str]:
    """The names that a function and the student's own code behind it read of what does their work; "" for itself."""
    objects = [("", function)]
    objects += [("", value) for one in names.behind(function) for value in calling.closed_over(one)]
    for use in names.uses(function):
        value = use.function.__globals__[use.name]
        inside = use.function.__code__.co_names if isinstance(value, ModuleType) else ()
        parts = [value, *(getattr(value, part, None) for part in inside)]
        parts += [getattr(one, part, None) for one in parts if isinstance(one, ModuleType) for part in inside]
        objects += [(use.name, one) for one in parts]
    return {name for name, one in objects for call in withheld if _does_the_work(one, call)}


def _refusal(function: Callable[..., Any], exercise: Exercise, work: Collection[str]) -> str:
    """Why a function isn't asked, with the names that do its work and the cells that gave them."""
    found = [one for one in remarks(function, exercise) if one.name in work] if "" not in work else []
    taken = all(one.kind == "taken" for one in found) and found  # then the student's own function is meant
    return "\n".join([*names_told(found, exercise, cells_of(function)), *([] if taken else [exercise.refusal])])


def _does_the_work(used: object, withheld: str) -> bool:
    """Whether an object has or is the withheld method, or is one of the lab's searches where these are withheld."""
    work, owner = resolve_name(withheld), resolve_name(withheld.rpartition(".")[0])
    searches = withheld.startswith("ttt.search.")
    module = getattr(used, "__module__", None) or ""
    method_of = getattr(used, "__self__", used)
    return (
        used is work
        or used is owner
        or (isinstance(owner, type) and isinstance(method_of, owner))
        or (searches and module.startswith("ttt.search."))
    )


def _checked_by_asking(function: Callable[..., Any], exercise: Exercise) -> Check:
    """The result for a function, after all questions."""
    dots = gaps_in(function)
    untouched = dots >= tasks.TASKS.get(exercise.name, {}).get("gaps", 1)
    kept: calling.Kept = {}
    calling.remember(function, kept)
    answers = _answers(function, exercise, untouched)
    found = verdict(exercise, answers)
    nothing = untouched or len(exercise.wrong(answers)) == len(answers)  # is done
    if dots and nothing and found.outcome == "wrong" and answers[-1].fault != PRINTED:
        return Check("not started", DOTS)
    if found.outcome == "not started":
        name = exercise.function or exercise.name
        others = names.bound(cells_of(function)).keys() - {name}
        return Check("not started", f"{NOT_STARTED} {misnamed(name, others)}".strip())
    if found.outcome == "right":
        return _praised(function, exercise, untouched)
    if found.place == len(answers):  # stopped before any wrong answer
        return Check("not yet", f"{found.sentence}\nRun this cell again to ask all of them.", found.mistake)
    changed = [name for there, name, value in kept.values() if isinstance(there, dict) and _differs(there[name], value)]
    calling.put_back(kept)
    return _explained(Wrong(function, exercise, answers, found, changed))


def _explained(wrong: Wrong) -> Check:
    """The result for a wrong function: why it is wrong, and a board that shows it."""
    if wrong.keeps:
        told = changes_told(wrong.exercise, wrong.answers)
        mistake = Mistake(CHANGES, told, counts=wrong.found.counts)
        wrong = replace(wrong, found=replace(wrong.found, mistakes=(mistake,)))
    found, exercise = wrong.found, wrong.exercise
    lines, picture = shown_below(exercise, found, wrong.answers)
    reason, *more = why(wrong).splitlines()
    below = (*lines, *more) if found.counts else (*more, *lines)  # the table says the rest, and the board is above
    message = "\n".join([reason, *below])
    return Check("not yet", message, found.mistake, picture, counts_table(exercise, found.counts))


def _differs(value: object, other: object) -> bool:
    with suppress(Exception):  # some things refuse to be compared
        return bool(value != other)
    return False


def _praised(function: Callable[..., Any], exercise: Exercise, dots: bool) -> Check:
    """The result for a function with only right answers; a search is also judged by the boards it visits."""
    if exercise.returns == "order":
        return ordered(function)
    if "alpha" in exercise.takes and (told := judged_by_visits(exercise.name, function)):
        return Check("not started", DOTS) if dots else told
    if exercise.done:
        return Check("right", exercise.done.replace(" Next:", "\nNext:"))
    every = "every board" if exercise.weights else "every board tested"
    looks = ", and looks only at the boards it must" if "heuristic" in exercise.takes else ""
    return Check("right", f"Your function gives the right value on {every}{looks}.\nNext: let it play.")


def _answers(function: Callable[..., Any], exercise: Exercise, dots: bool) -> tuple[Answer, ...]:
    """The answers to all questions, or to those before an interrupt.

    Stops early at a wrong answer if the function still contains `...`, in a lesson's task after `ENOUGH` errors, and
    if it is slow, has answered enough questions to name a mistake, and one of them wrongly.
    """
    clock, stopped, some_wrong = Clock(), 0, False
    answers: list[Answer] = []
    asked = exercise.through(function)
    with suppress(KeyboardInterrupt):
        coming = calling.answers(asked, exercise.questions, clock, with_cause)
        for answer in progress(coming, "questions", len(exercise.questions)):
            answers.append(answer)
            stopped += answer.fault in RAISED
            wrong = answer.fault or answer.value != exercise.asked[len(answers) - 1].value
            some_wrong = some_wrong or bool(wrong)
            named = some_wrong and len(answers) >= exercise.enough and clock.used > PATIENT
            if (dots and wrong) or (exercise.function and stopped == ENOUGH) or named:
                break
    if len(answers) > 1 and answers[-1].fault == INTERRUPTED:
        answers.pop()
    return tuple(answers)


def hand_in(exercise: str = "heuristic_1") -> Check:
    """Check the function as this notebook would hand it in now. Raises `NotYetRight` as `check` does.

    Choose Kernel → Restart Kernel and Run All Cells first, so that nothing is left over from cells you have since
    changed or deleted; your notebook is marked the same way.
    """
    there = vars(sys.modules["__main__"])
    function = there.get(exercise)
    if not callable(function):
        missing = f"There is no `{exercise}`: run all cells from the top. If its cell raises an error, fix that first."
        return Check("not started", misnamed(exercise, there) or missing)
    found = check(function, exercise)
    last = {"right": "\nSave the notebook and hand it in.", "not yet": "\nIf you hand it in now, you will lose marks."}
    told = replace(found, message=found.message + last.get(found.outcome, ""))
    return told if found.right else _right_but_for_names(function, load(exercise)) or told


def _right_but_for_names(function: Callable[..., Any], exercise: Exercise) -> Check | None:
    """The result for a function that is right, but for a name that another cell of the notebook has taken."""
    there = vars(sys.modules["__main__"])
    cells = (*map(names.as_python, there.get("In", ())),)
    before = names.earlier(exercise.name, cells, there)
    if before and _checked_by_asking(function, exercise).outcome == "not started":
        found = _refused(before, exercise) or _checked_by_asking(before, exercise)
        cell, line, _ = names.bound(cells)[exercise.name][-1]
        told = f"In this notebook, the `{exercise.name}` of In [{cell}], line {line}, as it was handed out, has"
        told = f"{found.message}\n{told} replaced yours. Delete that cell, {names.RESTART}"
        return replace(found, message=told)
    odd = remarks(function, exercise)
    for kind in names.REPLACED:
        some = [one for one in odd if one.kind == kind]
        with names.as_before(function, some, cells):
            better = _checked_by_asking(function, exercise) if some else None
        if better and better.right:
            told = f"{better.message} But in this notebook it doesn't work yet."
            told = "\n".join([told, *names_told(some, exercise, cells)])
            return replace(better, message=told, outcome="right" if kind in names.TAKEN else "not yet")
    return None


_missed: set[str] = set()  # exercises whose numbers on paper were wrong before; then their lines are drawn


def expect(*question: Any, exercise: str = "heuristic_1", **expected: object) -> Check:
    """Check the numbers you worked out by hand for one of the exercise's boards or for its tree."""
    asked = load(exercise)
    paper = question[0] if len(question) == 1 else question
    right = next((terms for worked, terms in asked.worked if worked == paper), None)
    if right is None:
        told = "`expect()` knows only this exercise's boards, each with the player named in the notebook. Pass each"
        return Check("not yet", f"{told} number by its name, such as `value=4`.")
    if unknown := expected.keys() - right.keys():
        return Check("not yet", f"There is no {_code(sorted(unknown))} here. The names are {_code(right)}.")
    missing = [name for name, answer in expected.items() if answer is ...]
    wrong = [name for name, answer in expected.items() if answer not in (..., right[name])]
    if len(missing) == len(expected):
        return Check("not started", "Replace the three dots with your numbers and run this cell again.")
    told = f"Look again at {_code(wrong)}." if wrong else "All these numbers are correct."
    if missing:
        told = f"{told if wrong else 'Correct so far.'}\nStill to work out: {_code(missing)}."
    shown = asked.weights and (exercise in _missed if wrong else not missing)
    _missed.update([exercise] if wrong else [])
    picture = lines_picture(asked, question) if shown else None
    return Check("not yet" if wrong or missing else "right", told, picture=picture)


def _code(names: Iterable[str]) -> str:
    """Names in a sentence, as code."""
    *others, last = (f"`{name}`" for name in names)
    return f"{', '.join(others)} and {last}" if others else last


class Hint(str):
    """A hint, shown as text rather than as a string in quotes."""

    def _repr_html_(self) -> str:
        number, _, text = self.partition(": ") if self.startswith("Hint ") else ("", "", self)
        return notice(number, [text], kind="you")

    __repr__ = str.__str__


_hints: dict[str, Iterator[Hint]] = {}  # the hints still to come, by task


def hint(task: str = "") -> Hint:
    """The next hint for the task that was checked last, or for the one named.

    Each hint tells a little more; after the last, the first comes again.
    """
    task = task or _checked
    if not task:
        return Hint("Run `check(...)` on your function first: `hint()` belongs to the last task you checked.")
    texts = tasks.OF_ITS_OWN[task]["hints"] if task in tasks.OF_ITS_OWN else load(task).hints
    if not texts:
        return Hint(f"There are no hints for `{task}`. Its check says what to look at.")
    hints = (Hint(f"Hint {n} of {len(texts)}: {text}") for n, text in enumerate(texts, 1))
    return next(_hints.setdefault(task, cycle(hints)))
