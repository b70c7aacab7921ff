"""The key of an exercise: what is asked, the marks for what is right, and the students' file worked out from it."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from ttt.board import Board
from ttt.exercises.asking import Answer, Clock, Question, ask, packed_question
from ttt.exercises.checking import Verdict
from ttt.exercises.exercise import Exercise, Mistake, digest, path_of

GRADED = ("heuristic_1", "alpha_beta")  # asked in the sandbox
INTERFACE = "interface"  # which has a check of its own
CHECKED = ("heuristic_1", "alpha_beta", "worth", "my_fork")  # which have a file for students


@dataclass(frozen=True)
class Part:
    """What marks are given for.

    Args:
        name: in one word.
        title: in the words of the notebook.
    """

    name: str
    title: str
    marks: int


@dataclass(frozen=True)
class Key:
    """An exercise with what only instructors have.

    Args:
        exercise: what the judge asks; the questions of the students' file come first.
        parts: what marks are given for.
        marking: the marks by part for answers and the verdict on them.
    """

    exercise: Exercise
    parts: tuple[Part, ...]
    marking: Callable[[Exercise, Sequence[Answer], Verdict], dict[str, int]]

    @property
    def total(self) -> int:
        """The marks for a right function."""
        return sum(part.marks for part in self.parts)

    def marks(self, answers: Sequence[Answer], verdict: Verdict) -> dict[str, int]:
        """The marks by part."""
        if verdict.outcome == "right":
            return {part.name: part.marks for part in self.parts}
        if verdict.outcome == "not started" or not answers:
            return {part.name: 0 for part in self.parts}
        return self.marking(self.exercise, answers, verdict)


@cache
def key(name: str, seed: str = "") -> Key:
    """The key of a graded exercise.

    Args:
        seed: draws the questions that students don't have, where there are such.
    """
    if name not in GRADED:
        raise ValueError(f"There is no key for {name!r}: the graded exercises are {', '.join(GRADED)}.")
    found: Key = import_module(f"exercises.grading.{name}").key(seed)
    return found


# -------------------------------------------------------------------------------------------------- the students' files


def write(name: str) -> Path:
    """Work out the file of what students have of an exercise, and return its path."""
    path = path_of(name)
    path.write_text(text_of(name), encoding="utf-8")
    return path


def text_of(name: str) -> str:
    """What stands in the file of what students have of an exercise."""
    data: dict[str, Any] = import_module(f"exercises.grading.{name}").students_file()
    return written(data)


def written(data: dict[str, Any]) -> str:
    """Plain data as JSON, with a line for each case, hint and mistake."""
    rows = []
    for name, value in data.items():
        text = json.dumps(value, ensure_ascii=False)
        if name in ("cases", "hints", "worked"):
            text = "[\n " + ",\n ".join(json.dumps(one, ensure_ascii=False) for one in value) + "\n]"
        elif name == "mistakes":
            each = (f"{json.dumps(key)}: {json.dumps(one, ensure_ascii=False)}" for key, one in value.items())
            text = "{\n " + ",\n ".join(each) + "\n}"
        rows.append(f'"{name}": {text}')
    return "{" + ",\n".join(rows) + "}\n"


@dataclass(frozen=True)
class Slip:
    """A mistake that is known by its answers, in each way in which it is made."""

    mistake: Mistake
    functions: tuple[Callable[..., Any], ...]


def slip(name: str, sentence: str, *functions: Callable[..., Any]) -> Slip:
    """A mistake with its sentence, and the functions that make it."""
    return Slip(Mistake(name, sentence), functions)


def answered(function: Callable[..., Any], questions: Sequence[Question]) -> list[Answer]:
    """What a function of ours answers to questions."""
    clock = Clock(total=600, each=60)
    with clock.ticking():
        return [ask(function, question, clock) for question in questions]


def known(
    slips: Sequence[Slip], questions: Sequence[Question], right: Sequence[Answer]
) -> dict[str, tuple[str, list[str]]]:
    """The mistakes as the students' file has them: by name the sentence, and the digests of the answers they give."""
    found: dict[str, tuple[str, list[str]]] = {}
    taken = {digest(right)}
    for one in slips:
        digests = dict.fromkeys(digest(answered(function, questions)) for function in one.functions)
        fresh = [text for text in digests if text not in taken]
        taken.update(fresh)
        found[one.mistake.name] = (one.mistake.sentence, fresh)
    return found


def packed_case(question: Question, right: Answer) -> list[Any]:
    """A case as the students' file has it."""
    row = [packed_question(question), list(right.value) if isinstance(right.value, tuple) else right.value]
    return [*row, right.digest] if right.asked else row


def boards_file(
    name: str, right: Callable[..., Any], boards: Sequence[Board], slips: Sequence[Slip], returns: str = "number"
) -> dict[str, Any]:
    """What students have of an exercise whose function is given a board alone.

    Args:
        boards: what is asked, the simplest first.
    """
    questions: list[Question] = [(board,) for board in boards]
    answers = answered(right, questions)
    return {
        "name": name,
        "takes": ["board"],
        "returns": returns,
        "known_by": len(questions),
        "mistakes": known(slips, questions, answers),
        "cases": [packed_case(question, answer) for question, answer in zip(questions, answers, strict=True)],
    }
