"""Marks for a submitted function: it is asked in a sandbox, and its answers are compared with an exercise's key."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from ttt.exercises import ANSWER_MISTAKES, Mistake
from ttt.grading import judge
from ttt.grading.grade import Case, Grade, PartMarks
from ttt.grading.judge import Answers
from ttt.grading.key import Key
from ttt.grading.source import Unreadable, read_source

# How the judge's words for an answer that is not a number begin, and the mistake that it is.
ODD = {
    "Unchangeable": "the board changed",
    "the text": "text returned",
    "a tuple": "tuple returned",
    "a list": "tuple returned",
}
ASKED_AGAIN = 20  # of so many questions, one is asked again


def mark_file(key: Key, path: Path, isolation: str = "full", final: bool = True) -> Grade:
    """Grade a submission's file. Raises `sandbox.TooLittleIsolation`.

    Args:
        final: False if a submission that was late is judged again in any case.
    """
    try:
        return mark(key, read_source(path), isolation, final)[1]
    except Unreadable as unreadable:
        return grade(key, Answers({}, {}, False, str(unreadable), True, 0, ""))


def mark(key: Key, source: str, isolation: str = "full", final: bool = True) -> tuple[Answers, Grade]:
    """Judge a submission's source and grade it. Raises `sandbox.TooLittleIsolation`.

    If the answers are wrong and no known mistake fits, some questions are asked again: a function that then gives other
    answers keeps something from call to call.
    """
    answers = judge.ask(source, key.questions, key.name, isolation, first=key.asked_first, decided=key.decided)
    if answers.stopped and (final or not answers.late):
        answers = _asked_by_parts(key, source, isolation, answers)
    graded = grade(key, answers)
    if graded.status == "wrong" and not graded.misconception and answers.values:
        places = range(0, len(key.questions), ASKED_AGAIN)
        again = judge.ask(source, key.questions, key.name, isolation, places=places)
        if any(answers.values.get(place) != value for place, value in again.values.items()):
            state = ANSWER_MISTAKES["state kept between calls"]
            graded = replace(graded, reason=state.sentence, misconception=state.name)
    return answers, graded


def _asked_by_parts(key: Key, source: str, isolation: str, answers: Answers) -> Answers:
    """The answers of a submission that came to a stop, together with those to the parts where nothing is wrong so far.

    The order of questions is chance, and so is which of them came before the one that stopped it. A part that is asked
    alone is answered rightly, or not, whatever stops the others.
    """
    values, odd = dict(answers.values), dict(answers.odd)
    for part in key.parts:
        if all(
            place not in odd and values.get(place, key.values[place]) == key.values[place] for place in part.questions
        ):
            more = judge.ask(source, key.questions, key.name, isolation, places=sorted(part.questions))
            values |= more.values
            odd |= more.odd
    return replace(answers, values=values, odd=odd)


def grade(key: Key, answers: Answers) -> Grade:
    """The marks for a submission's answers. A part is earned if all of its questions are answered rightly."""
    wrong = {place for place, value in enumerate(key.values) if answers.values.get(place) != value}
    earned = [part for part in key.parts if wrong.isdisjoint(part.questions)]
    status, reason, mistake = _verdict(key, answers, wrong)
    return Grade(
        tuple(
            PartMarks(part.name, part.title, part.marks if part in earned else 0.0, part.marks) for part in key.parts
        ),
        status,
        reason,
        mistake,
        _case(key, answers, wrong, mistake),
        answers.seconds,
        answers.isolation,
        tuple(_kept(answers, wrong, key.cases if mistake else key.compared)),
        late=answers.late and bool(wrong),
    )


def _kept(answers: Answers, wrong: set[int], places: Iterable[int]) -> Iterator[tuple[int, float | None]]:
    """The wrong answers to some questions, each with its place, and None for what is no number."""
    for place in sorted(places):
        if place in wrong and (place in answers.values or place in answers.odd):
            yield place, answers.values.get(place)


def _verdict(key: Key, answers: Answers, wrong: set[int]) -> tuple[str, str, str]:
    """The status, a sentence on why marks were lost, and the name of the known mistake that fits."""
    if not wrong:
        return "right", "", ""
    if not answers.started:
        return "not started", "The function is still as it was handed out.", ""
    if answers.problem:
        return "problem", answers.problem, ""
    mistake = _mistake(key, answers)
    if mistake:
        return "wrong", mistake.sentence, mistake.name
    if len(answers.odd) == len(key.questions):
        return "wrong", f"The function returned no number but {next(iter(answers.odd.values()))}.", ""
    return "wrong", f"Wrong on {len(wrong):,} of {len(key.questions):,}: {key.scope}.", ""


def _mistake(key: Key, answers: Answers) -> Mistake | None:
    odd = next(iter(answers.odd.values()), "")
    if odd == "None":
        return ANSWER_MISTAKES["printed instead of returned" if answers.printed else "nothing returned"]
    for start, name in ODD.items():
        if odd.startswith(start):
            return ANSWER_MISTAKES[name]
    return key.diagnosed(answers.values)


def _case(key: Key, answers: Answers, wrong: set[int], mistake: str) -> Case | None:
    """The simplest board that went wrong; if the mistake is known, the check's boards come first."""
    if not wrong or not (answers.values or answers.odd):
        return None
    order: Sequence[int] = range(len(key.questions))
    if mistake:
        order = (*key.cases, *order)
    place = next(place for place in order if place in wrong)
    given = answers.values.get(place, answers.odd.get(place, "no answer"))
    question = key.questions[place]
    return Case(question.board, question.player, key.values[place], str(given))
