"""Marks for a submitted function: it is asked in a sandbox, and its answers are compared with an exercise's key."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from ttt.exercises import ANSWER_MISTAKES, NO_MOVE_COUNTED, STOPS, Mistake, in_common, misnamed
from ttt.exercises.showing import question_in_words
from ttt.grading import judge
from ttt.grading.grade import NOT_STARTED, PROBLEM, RIGHT, WRONG, Case, Grade, PartMarks
from ttt.grading.inside.submission import NO_ANSWER
from ttt.grading.judge import TOO_MANY_CALLS, Answers
from ttt.grading.key import Key
from ttt.grading.source import Unreadable, read_source

ASKED_AGAIN = 500  # questions, or a few more
RAISED = (STOPS, "endless loop", "the board changed")  # mistakes that are errors in Python
MOST_ASKED = 200  # boards that the heuristic was asked about, to be shown
VALUES_RIGHT = "The values are right there, but the heuristic is asked about other boards, or in another order."


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
    """Judge a submission's source and grade it.

    Raises `sandbox.TooLittleIsolation`, and `GradingError` if students have another variant of the exercise.
    If the answers are wrong and no mistake explains them, some questions are asked again: a function that then gives
    other answers keeps something from call to call.
    """
    key.require_current()
    answers = _asked(key, source, isolation, first=key.asked_first, decided=key.decided)
    if answers.stopped and (final or not answers.late):
        answers = _asked_by_parts(key, source, isolation, answers)
    if answers.problem.startswith("There is no function"):
        answers = replace(answers, problem=f"{answers.problem} {_meant(source, key.name)}".strip())
    graded = grade(key, answers)
    certain = graded.misconception and (answers.odd or key.is_recognised(answers.taken(key.probes)))
    if graded.status == WRONG and not certain and _keeps_state(key, source, isolation, answers):
        graded = grade(key, answers, ANSWER_MISTAKES["state kept between calls"])
    return answers, graded


def _keeps_state(key: Key, source: str, isolation: str, answers: Answers) -> bool:
    """Whether a function gives other answers to a wrong question asked alone, or to some in another order."""
    wrong = key.wrong(answers.values, answers.asked) & answers.values.keys()
    some = range(0, len(key.questions), max(1, len(key.questions) // ASKED_AGAIN))
    for places in ([min(wrong)], some) if wrong else ():
        again = _asked(key, source, isolation, places=places)
        if again.taken(again.values) != answers.taken(again.values):
            return True
    return False


def _asked(key: Key, source: str, isolation: str, **which: Any) -> Answers:
    """What a submission answers to the key's questions; `judge.ask` says which of them may be chosen."""
    return judge.ask(source, key.questions, key.name, isolation, takes=key.takes, **which)


def _asked_by_parts(key: Key, source: str, isolation: str, answers: Answers) -> Answers:
    """The answers of a submission that came to a stop, together with those to the parts where nothing is wrong so far.

    The order of questions is chance, and so is which of them came before the one that stopped it. A part that is asked
    alone is answered rightly, or not, whatever stops the others.
    """
    for part in key.parts:
        known = answers.taken(part.questions)
        if part.questions.isdisjoint(answers.odd) and key.earns(known, replace(part, questions=frozenset(known))):
            more = _asked(key, source, isolation, places=sorted(part.questions))
            answers = replace(
                answers,
                values=answers.values | more.values,
                odd=answers.odd | more.odd,
                asked={**answers.asked, **more.asked},
            )
            endless = more.late or more.problem == TOO_MANY_CALLS
            if endless and not answers.values:  # it would be as long about each of the other parts
                break
    return answers


def _meant(source: str, name: str) -> str:
    """A sentence on a function that has nearly the name asked for."""
    defined = re.findall(r"^[ \t]*(?:def[ \t]+(\w+)|(\w+)[ \t]*=)", source, re.MULTILINE)
    return misnamed(name, [found for pair in defined for found in pair if found])


def grade(key: Key, answers: Answers, known: Mistake | None = None) -> Grade:
    """The marks for a submission's answers. A part is earned if all of its questions are answered rightly.

    Args:
        known: the mistake, where the answers alone don't show it.
    """
    wrong = key.wrong(answers.values, answers.asked)
    earned = key.earned(answers.values, wrong)
    status, reason, mistake = (WRONG, known.sentence, known) if known else _verdict(key, answers, wrong)
    if status in (WRONG, PROBLEM) and earned:
        reason += f" Right already: {'; '.join(part.title for part in earned)}."
    return Grade(
        tuple(
            PartMarks(part.name, part.title, part.marks if part in earned else 0.0, part.marks) for part in key.parts
        ),
        status,
        reason,
        mistake.name if mistake else "",
        _case(key, answers, wrong, mistake),
        answers.seconds,
        answers.isolation,
        tuple(_kept(key, answers, wrong, key.cases if mistake else key.compared)),
        late=answers.late and bool(wrong),
    )


def _kept(key: Key, answers: Answers, wrong: set[int], places: Iterable[int]) -> Iterator[tuple[int, float | None]]:
    """The wrong answers to some questions, each with its place, and None for what is not a wrong number."""
    for place in sorted(places):
        if place in wrong and (place in answers.values or place in answers.odd):
            value = answers.values.get(place)
            yield place, None if value == key.answers[place].value else value


def _verdict(key: Key, answers: Answers, wrong: set[int]) -> tuple[str, str, Mistake | None]:
    """The status, a sentence on why marks were lost, and the mistake if it has a name."""
    if not wrong:
        return RIGHT, "", None
    if not answers.started:
        return NOT_STARTED, "The function is still as it was handed out.", None
    if answers.problem:
        endless = any(odd.mistake == "endless loop" for odd in answers.odd.values())
        return PROBLEM, answers.problem, ANSWER_MISTAKES["endless loop"] if endless else None
    mistake = _odd_mistake(key, answers)
    mistake = mistake or key.diagnosed(answers.taken(key.probes), _shown(key, answers, wrong))
    if mistake:
        return WRONG, mistake.sentence, mistake
    share = f"Wrong on {len(wrong):,} of {len(key.questions):,}: {key.scope}."
    if all(answers.values.get(place) == key.answers[place].value for place in wrong):
        return WRONG, f"{share} {VALUES_RIGHT}", None
    return WRONG, f"{share} {in_common(key.takes, key.questions, wrong)}".strip(), None


def _odd_mistake(key: Key, answers: Answers) -> Mistake | None:
    """The mistake if some answers are no numbers: what came instead, with the line if it is an error.

    As in the check, an error comes before an answer of the wrong type.
    """
    if not answers.odd:
        return None
    first = min(answers.odd, key=lambda place: (answers.odd[place].mistake not in RAISED, place))
    name, words = answers.odd[first]
    times = sum(odd.mistake == name for odd in answers.odd.values())
    often = "" if times == len(key.questions) else f" on {times:,} of {len(key.questions):,} boards"
    if name == STOPS:
        return Mistake(name, f"Your function stops{often} with {words}.")
    if name == "nothing returned" and answers.printed:
        name = "printed instead of returned"
    mistake = ANSWER_MISTAKES[name]
    searches = "infinity" in words and "depth" in key.takes
    finite = NO_MOVE_COUNTED if searches else "Return a finite number."
    told = {
        "endless loop": f"{mistake.sentence} It was stopped{often}{words.removeprefix(NO_ANSWER)}.",
        "no number": f"Your function returns {words}{often}. {finite}",
        "number too large": f"Your function returns {words}{often}. Return a number below 10¹⁵ in size.",
    }
    return replace(mistake, sentence=told.get(name, mistake.sentence))


def _shown(key: Key, answers: Answers, wrong: set[int]) -> int:
    """The question that a student is shown: the simplest that got no number, or went wrong; the check's come first."""
    asked = answers.odd.keys() or wrong & answers.values.keys() or wrong
    return min(asked & set(key.cases), default=min(asked))


def _case(key: Key, answers: Answers, wrong: set[int], mistake: Mistake | None) -> Case | None:
    """The board that is shown, with the lines that count and those that the mistake is about.

    There is none where the program came to a stop: which boards it had answered by then is chance.
    """
    if not (answers.odd or wrong & answers.values.keys()):
        return None
    place = _shown(key, answers, wrong)
    question = key.questions[place]
    given = answers.odd[place].words if place in answers.odd else answers.values.get(place, "no answer")
    case = key.explained(question)
    drawings = [*case.drawings, *(mistake.drawings if mistake else ())]
    return Case(
        question.board,
        question.player,
        key.values[place],
        str(given),
        " ".join(filter(None, (question_in_words(key.name, key.takes, case), case.explanation))),
        tuple((one.player, one.caption, one.lines) for one in drawings),
        tuple(part for part in question[1:] if part not in ("X", "O")),
        case.tree,
        tuple(answers.asked.get(place, ())[:MOST_ASKED]),
    )
