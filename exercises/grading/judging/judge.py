"""The judge: has a submission asked in the sandbox, which never sees right answers, and compares answers outside."""

import ast
import gc
import json
import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache, lru_cache
from hashlib import sha256
from importlib.util import find_spec
from itertools import groupby
from typing import Any, NamedTuple

from lab.checks.calling import ENDLESS, RAISED, REFUSED, STOPS, TOO_LARGE, Answer, Question, plain_number, shortened
from lab.checks.exercise import Exercise
from lab.checks.names import (
    DEFINES,
    MAX_NAME,
    MAX_TOLD,
    MIXED,
    SENTENCES,
    TAKEN,
    UNREADABLE,
    Remark,
    bound,
    fitting,
    told,
)
from lab.checks.verdict import CHANGES, FAULTS, Verdict, counts_table, left, misnamed, shown_below, verdict

from exercises.grading.intake.reading import defines, handed_out
from exercises.grading.isolation.sandbox import ENDED, FUNCTION, INTERFACES, NotStarted, SandboxKind, sandboxed
from exercises.grading.judging.key import (
    HIDING,
    INTERFACE,
    PROBLEM,
    RIGHT,
    UNCERTAIN,
    UNTOUCHED,
    WAITING,
    WRONG,
    Earned,
    Grade,
    Key,
    Lost,
    Row,
    key,
    parts_of,
)
from exercises.grading.people import plain, quoted

TRIES = 3  # attempts to start a sandbox on a busy machine
WHY_IT_CHANGES = re.sub(r"^.*?(?= Either)", "", FAULTS[CHANGES])  # all that it may be
COPY = "Copy the function itself into the notebook."
SHORT = 58  # characters at most of a quotation inside a sentence, without its quotation marks
_UNREADABLE = "The submission's output can't be read"
BY_HAND = "Your instructor will read it and give the points."
NUMBERS = ("infinity", "−infinity")  # words sent in place of a number


class Judging(NamedTuple):
    """A submission to judge, as sent to a worker anywhere."""

    student: str
    exercise: str
    cells: tuple[str, ...]
    seed: str
    level: str
    beside: tuple[str, ...] = ()  # the texts of cells that aren't code


class Heard(NamedTuple):
    """A sandbox's reply: answers to the first questions, in order, or findings; and why there are no more."""

    answers: tuple[Answer, ...] = ()
    findings: Mapping[str, Any] = {}
    problem: str | None = ""  # None if it stopped without a reason
    slow: bool = False  # whether the time for all answers ran out although no single one took too long
    waited: bool = False  # whether it was stopped because it only waited
    seconds: float = 0.0  # seconds until the reply ended
    remarks: tuple[Remark, ...] = ()  # about the names that the function uses
    hidden: str = ""  # the error that the function hides with `except`


def judged(task: Judging) -> Grade:
    """Judge a submission. Errors in the grader itself are reported but not stored."""
    begun = time.monotonic()
    judge = _interface if task.exercise == INTERFACE else _function
    for _ in range(TRIES):
        try:
            return replace(judge(task), seconds=round(time.monotonic() - begun, 2), isolation=task.level)
        except Exception as error:
            failure = f"{type(error).__name__}: {error}"
            if not isinstance(error, NotStarted):
                break
    reason = f"The grader itself failed, so there is no grade yet: {failure}"
    return Grade(task.student, PROBLEM, plain(reason, 300), kept=False)


def _function(task: Judging) -> Grade:
    judges = key(task.exercise, task.seed)
    exercise = judges.exercise
    about = {"function": exercise.name, "withheld": exercise.withheld, "refusal": exercise.refusal}
    about |= {"takes": exercise.takes, "handed_out": handed_out(exercise.name)}
    order = {"cells": task.cells, "once": len(exercise.cases), **about}

    def asked(**more: str) -> Heard:
        asks = packed_questions(task.exercise, task.seed)
        return heard_of(task.level, FUNCTION, {**order, **more}, asks, len(exercise.questions))

    heard = asked()
    if heard.waited:
        return _for_a_person(task, f"{heard.problem} {BY_HAND}")
    if heard.slow and heard.seconds > FUNCTION.total / 2:  # otherwise its claim is not believed
        why = f"Your function is slow: in {FUNCTION.total:g} seconds of computing it {left(exercise, heard.answers)}."
        return _for_a_person(task, f"{why} {BY_HAND}")
    return _graded(task, judges, heard, lambda kind: asked(as_before=kind))


def _for_a_person(task: Judging, reason: str) -> Grade:
    """The grade for a submission that needs a person."""
    return Grade(task.student, WAITING, reason, {part.name: None for part in parts_of(task.exercise)})


def _graded(task: Judging, judges: Key, heard: Heard, as_before: Callable[[str], Heard]) -> Grade:
    """The grade for the answers received; `as_before` asks again, with names as they were before a cell took them."""
    exercise = judges.exercise
    if not heard.answers:
        why = undefined(task.cells, exercise.name, task.beside) or heard.problem or ENDED
        return Grade(task.student, PROBLEM, why)
    found = verdict(exercise, heard.answers)
    earned = judges.earned(heard.answers, found)
    if found.outcome == "wrong":
        return _wrong(task, judges, heard, found, earned, as_before)
    if found.outcome == "not started":
        return Grade(task.student, UNTOUCHED, _untouched(task, found.sentence), earned.points)
    return Grade(task.student, RIGHT, found.sentence, earned.points)


def _wrong(
    task: Judging, judges: Key, heard: Heard, found: Verdict, earned: Earned, as_before: Callable[[str], Heard]
) -> Grade:
    """The grade for a wrong function, unless it is better without the cell that took one of its names."""
    exercise = judges.exercise
    call = f"{exercise.name}({', '.join(exercise.takes)})"
    fits, better = _names_to_tell(exercise, found, heard, as_before)
    about = told(fits, call, ("", *task.cells), "code cell {}")
    if missing := re.search(r"NameError: name '(\w+)' is not defined", found.sentence):
        from lab.checks.tasks import of_a_lesson  # which reads the tasks of all lessons

        about += filter(None, [of_a_lesson(missing[1])])
    if better:  # the function isn't to blame for what another cell has taken
        grade = _graded(task, judges, better._replace(remarks=()), as_before)
        if (grade.score or 0) >= sum(earned.points.values()):
            return replace(grade, reason="\n".join(filter(None, [*about, grade.reason])))
    mistake = _mistake(exercise, heard.answers, found, earned)
    lost = _explained_by(about, found, earned.lost) if about else earned.lost
    if any(one.kind.startswith("kept") for one in fits):  # so it is neither chance nor a clock
        sentences = [one.sentence.replace(WHY_IT_CHANGES, "").replace(f"\n{MIXED}", "") for one in lost]
        lost = [one._replace(sentence=sentence) for one, sentence in zip(lost, sentences, strict=True)]
    told_already = any(found.sentence in one.sentence for one in lost)
    endless = ENDLESS in found.mistake  # which says more than why the program was stopped
    stops = found.sentence if (STOPS in found.mistake or endless) and not told_already else ""
    return Grade(
        task.student,
        WAITING if earned.unsure else WRONG,
        "\n".join(filter(None, (stops, heard.hidden, "" if endless else heard.problem))),
        earned.points,
        mistake=mistake,
        lost=[_row(exercise, found, one, heard.answers) for one in lost],
        table=counts_table(exercise, found.counts),
        answers="" if mistake else sha256(repr(heard.answers).encode()).hexdigest(),
    )


def _mistake(exercise: Exercise, answers: Sequence[Answer], found: Verdict, earned: Earned) -> str:
    """The names of the mistakes that the class page counts; "" if none explains a wrong value."""
    if earned.mistake:  # known changes explain all values, so only what was wrong with their form is added
        return "; ".join([*(one.name for one in found.mistakes if one.name in FAULTS), earned.mistake])
    if found.mistake in UNCERTAIN and answers[found.place].value != exercise.asked[found.place].value:
        return ""
    return found.mistake


def _untouched(task: Judging, sentence: str) -> str:
    """What to tell if the function is as handed out: perhaps another cell has it under another name."""
    own = [cell for cell in task.cells if cell not in handed_out(task.exercise)]
    return f"{sentence} {misnamed(task.exercise, bound(own).keys() - {task.exercise})}".strip()


def _names_to_tell(
    exercise: Exercise, found: Verdict, heard: Heard, as_before: Callable[[str], Heard]
) -> tuple[list[Remark], Heard | None]:
    """The remarks about names that matter; and the answers as they are without a cell that takes a name."""
    better: dict[str, Heard] = {}

    def helps(kind: str) -> bool:
        better[kind] = as_before(kind)
        before, after = (one.answers[found.place : found.place + 1] for one in (heard, better[kind]))
        return bool(before and after) and exercise.asked[found.place].bettered_by(after[0], before[0])

    stops = found.sentence if STOPS in found.mistake else ""
    refused = exercise.refusal != "" and exercise.refusal[:SHORT] in found.sentence
    changes = next((one.sentence for one in found.mistakes if one.name == CHANGES), "")
    fits = fitting(heard.remarks, stops, changes, refused, helps)
    return fits, next((better[one.kind] for one in fits if one.kind in TAKEN), None)


def _explained_by(names: Sequence[str], found: Verdict, lost: Sequence[Lost]) -> list[Lost]:
    """What was lost, if odd names explain it: no other mistake is named then but an error, and the answers' form."""
    raised = [found.sentence] if STOPS in found.mistake or REFUSED in found.mistake else []
    form = [one for one in lost if one.sentence in (*FAULTS.values(), MIXED)]
    points = sum(one.points for one in lost if one not in form)
    if not points:  # only how it answers has cost something
        return [one._replace(sentence="\n".join([*names, one.sentence])) for one in form]
    return [Lost(points, "\n".join([*names, *raised]), found.place), *form]


def _row(exercise: Exercise, found: Verdict, one: Lost, answers: Sequence[Answer]) -> Row:
    """What was lost: points, why, and a question that shows it, as a picture and the text below it."""
    place = _shown(exercise, found, one, answers)
    if place is None:
        return one.points, one.sentence, "", ()
    about = replace(found, place=place, mistakes=one.mistakes or found.mistakes)
    lines, picture = shown_below(exercise, about, exercise.numbers(answers) if one.mistakes else answers)
    return one.points, one.sentence, str(picture), lines


def _shown(exercise: Exercise, found: Verdict, one: Lost, answers: Sequence[Answer]) -> int | None:
    """The question that shows a mistake: instead of an empty board, where no line counts, the first with marks and with
    an answer to quote, if there is one."""
    if one.place is None or not exercise.weights or exercise.asked[one.place].question[0].x:
        return one.place
    for place in found.wrong:
        if exercise.asked[place].question[0].x and place < len(answers):
            answer = answers[place]
            if answer.fault not in RAISED and not isinstance(answer.value, tuple):  # no longer in the student's words
                return place
    return None


def undefined(cells: Sequence[str], function: str, beside: Iterable[str] = ()) -> str:
    """Why code defines no function of this name, judging by its text; "" if it seems to define one."""
    if defines(cells, function):
        return inside_something(cells, function)
    for number, cell in enumerate(cells, 1):
        if hidden := re.search(rf"run_cell_magic\('(\w+)'.*(?:\b|\\n[ \t]*)def {function}\b", cell):
            return f"The cell with `{function}` begins with `%%{hidden[1]}`, so it defines nothing. Delete that line."
        if re.search(rf"^[ \t]*#+[ \t]*(?:async )?def[ \t]+{function}\b", cell, re.MULTILINE):
            return f"In code cell {number}, `{function}` is commented out. Take the `#` from the start of its lines."
        if file := re.search(rf"^[ \t]*from[ \t]+(\S+)[ \t]+import\b.*\b{function}\b", cell, re.MULTILINE):
            told = f"Code cell {number} imports `{function}` from `{file[1]}`, a file that isn't in your notebook."
            return f"{told} {COPY}"
        if (file := re.search(r"^from[ \t]+(\w+)[ \t]+import[ \t]*\*", cell, re.MULTILINE)) and not find_spec(file[1]):
            return f"Code cell {number} imports everything from `{file[1]}`, a file that isn't in your notebook. {COPY}"
    if defines(beside, function):
        told = f"`{function}` is in a cell that isn't code but text, so it isn't run. Click that cell, choose Code"
        return f"{told} in the list in the bar above the notebook, and run it."
    names = [name for cell in cells for names in DEFINES.findall(cell) for name in names if name]
    if misspelt := misnamed(function, names):
        return misspelt
    if len(cells) == 1:
        return f"Your program does not define `{function}`."
    return f"None of your cells defines `{function}`. Was its cell deleted?"


def inside_something(cells: Sequence[str], function: str) -> str:
    """Why code that has the function's text defines no such function: it is inside something else."""
    with suppress(*UNREADABLE):
        for tree in map(ast.parse, reversed([cell for cell in cells if defines([cell], function)])):
            for node in ast.walk(tree):
                body = getattr(node, "body", ())
                here = isinstance(body, list) and any(getattr(one, "name", "") == function for one in body)
                match node:
                    case ast.ClassDef(name) if here:
                        told = f"`{function}` is inside the class `{name}`."
                        return f"{told} Put it at the start of a line, without `self`."
                    case ast.FunctionDef(name) if here:
                        return f"`{function}` is inside the function `{name}`. Put it at the start of a line."
                    case ast.If(test) if here:
                        told = f"`{function}` is below `if {plain(ast.unparse(test), SHORT)}`, and that wasn't run."
                        return f"{told} Put it at the start of a line."
                    case ast.Constant(str(text)) if defines([text], function):
                        return f"`{function}` is inside quotation marks in line {node.lineno}, so it is only a text."
    return ""


def _interface(task: Judging) -> Grade:
    """The grade from an interface's check, which ran inside the submission's own process and could be forged."""
    if list(task.cells) == handed_out(INTERFACE):
        nothing = {part.name: 0.0 for part in parts_of(INTERFACE)}
        return Grade(task.student, UNTOUCHED, "The notebook is unchanged since it was handed out.", nothing)
    heard = heard_of(task.level, INTERFACES, {"cells": task.cells, "function": INTERFACE})
    findings = {}
    with suppress(TypeError, ValueError):
        findings = {part: (holds is True, str(said)) for part, (holds, said) in heard.findings.items()}
    grade = _for_a_person(task, heard.problem or "The interface could not be played on.")
    if not findings:
        return grade
    points = {part.name: part.points * findings[part.name][0] for part in parts_of(INTERFACE) if part.name in findings}
    evidence = " ".join(f"({part}) {said}" for part, (_, said) in findings.items())
    reason = f"The check, which runs in the same process as the submission, said: {quoted(evidence)}"
    return replace(grade, reason=reason, points={**grade.points, **points})


@cache
def packed_questions(exercise: str, seed: str) -> str:
    """An exercise's questions as JSON."""
    text = json.dumps(pack_questions(key(exercise, seed).exercise.questions))
    gc.freeze()  # the key and the answers of our own searches stay in memory: scanning them takes longer than a verdict
    gc.set_threshold(100_000)
    return text


def pack_questions(questions: Iterable[Question]) -> list[list[Any]]:
    """Pack questions as plain data: shape and k, then the questions on such boards, by cells."""
    kinds = groupby(questions, lambda question: (question[0].shape, question[0].k))
    return [[kind, [[board.x, board.o, *rest] for board, *rest in some]] for kind, some in kinds]


def heard_of(level: str, kind: SandboxKind, order: Mapping[str, Any], questions: str = "", most: int = 0) -> Heard:
    """Send a sandboxed submission one line with at most this many questions; return its reply. Raises `NotStarted`."""
    with sandboxed(level, kind, order) as sandbox:
        sandbox.send(questions)
        begun = time.monotonic()
        heard = understood(sandbox.lines, most)._replace(seconds=time.monotonic() - begun)
        if heard.problem is not None:
            return heard
        return heard._replace(problem=sandbox.why_it_ended(), waited=sandbox.waited)


def understood(lines: Iterable[Any], most: int) -> Heard:
    """Parse a sandbox's output as far as it makes sense."""
    answers: tuple[Answer, ...] = ()
    remarks: tuple[Remark, ...] = ()
    hidden = ""
    for line in lines:
        match line:
            case list(some):
                answers += tuple([_answer(data) for data in some[: most - len(answers)]])
            case {"findings": dict(findings)}:
                return Heard(findings=findings)
            case {"names": list(found)}:
                remarks = (*taken_over(found),)
            case {"hidden": str(words)}:
                hidden = words and f"Your function hides an error. {said(words)}"
            case {"done": bool(done)}:
                return Heard(answers, slow=not done, remarks=remarks, hidden=hidden)
            case {"problem": str(problem)}:
                return Heard(answers, problem=said(problem))
    return Heard(answers, problem=None)


def taken_over(data: object) -> list[Remark]:
    """Remarks from a sandbox, which are not trusted: what makes no sense is left out."""
    found = []
    for row in data[:MAX_TOLD] if isinstance(data, list) else ():
        match row:
            case [str(kind), str(name), int(line), str(of), int(cell), int(at), str(parameter)]:
                words = all(one.isidentifier() and len(one) <= MAX_NAME for one in (name, of or "_", parameter or "_"))
                if kind in SENTENCES and words and all(0 <= number < 10**6 for number in (line, cell, at)):
                    found.append(Remark(kind, name, line, of, cell, at, parameter))
    return found


def said(words: str) -> str:
    """Quote the submission's own words, so that they are not mistaken for the grader's."""
    return f"The submission said: {quoted(words)}"


def _answer(data: object) -> Answer:
    """Unpack an answer; plain numbers are sent as they are."""
    if type(data) is int and -TOO_LARGE < data < TOO_LARGE:
        return plain_number(data)
    with suppress(TypeError, ValueError):
        value, *rest = data if isinstance(data, list) else [data, "", "", ""]
        return _in_words(tuple(value) if isinstance(value, list) else value, *rest)
    return Answer(None, (), STOPS, _UNREADABLE)


@lru_cache(typed=True)  # functions that print or return text repeat a few texts
def _in_words(value: object, asked: object, fault: object, words: object) -> Answer:
    """An answer with the submission's own words quoted. Raises `ValueError` if it makes no sense."""
    answer = unpacked([value, asked, fault, words])
    if answer.fault and answer.fault not in HIDING:
        raise ValueError
    if not answer.words or answer.words in NUMBERS:
        return answer
    if answer.fault == STOPS:
        return answer._replace(words=said(answer.words))
    return answer._replace(words=quoted(answer.words, 200))


def unpacked(data: object) -> Answer:
    """Unpack what `packed` packed. Raises `ValueError` for anything else, since the data is not trusted."""
    match data:
        case [list() | tuple() as cells, str(asked), str(fault), str(words)]:
            value: Any = tuple(cells)
            sound = all(type(cell) is int and 0 <= cell < 10**4 for cell in cells)
        case [None, str(asked), str(fault), str(words)]:
            value, sound = None, bool(fault)
        case [int() | float() as value, str(asked), str(fault), str(words)]:
            sound = not isinstance(value, bool) and abs(value) < TOO_LARGE
        case _:
            sound = False
    if not sound:
        raise ValueError("This is not an answer.")
    return Answer(value, tuple(asked.split()), fault[:60], shortened(words))
