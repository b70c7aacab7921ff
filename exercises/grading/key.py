"""The key of an exercise: what is asked, the marks for what is right, and the students' file worked out from it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from typing import Any, NamedTuple

from ttt.board import Board
from ttt.exercises.asking import Answer, Clock, Question, ask, packed_question
from ttt.exercises.checking import Verdict
from ttt.exercises.exercise import Exercise, Mistake, digest

GRADED = ("heuristic_1", "alpha_beta")  # asked in the sandbox
INTERFACE = "interface"  # which has a check of its own
CHECKED = ("heuristic_1", "alpha_beta", "worth", "my_fork")  # which have a file for students


class Part(NamedTuple):
    """What marks are given for."""

    name: str  # in one word
    title: str  # in the words of the notebook
    marks: int


@dataclass(frozen=True)
class Key:
    """An exercise with what only instructors have."""

    exercise: Exercise  # what the judge asks; the questions of the students' file come first
    parts: tuple[Part, ...]
    marking: Callable[[Exercise, Sequence[Answer], Verdict], dict[str, int]]  # the marks by part for wrong answers

    @property
    def total(self) -> int:
        """The marks for a right function."""
        return sum(part.marks for part in self.parts)

    def marks(self, answers: Sequence[Answer], verdict: Verdict) -> dict[str, int]:
        """The marks by part."""
        if verdict.outcome == "wrong" and answers:
            return self.marking(self.exercise, answers, verdict)
        return {part.name: part.marks if verdict.outcome == "right" else 0 for part in self.parts}


@cache
def key(name: str, seed: str = "") -> Key:
    """The key of a graded exercise; the seed draws the questions that students don't have, where there are such."""
    found: Key = import_module(f"exercises.grading.{name}").key(seed)
    return found


# -------------------------------------------------------------------------------------------------- the students' files


def text_of(name: str) -> str:
    """What stands in the file of what students have of an exercise."""
    return written(import_module(f"exercises.grading.{name}").students_file())


def written(data: Mapping[str, Any]) -> str:
    """Plain data as JSON, with a line for each case, hint and mistake."""
    json_of = partial(json.dumps, ensure_ascii=False)
    rows = []
    for name, value in data.items():
        text = json_of(value)
        if name in ("cases", "hints", "worked"):
            text = "[\n " + ",\n ".join(map(json_of, value)) + "\n]"
        elif name == "mistakes":
            text = "{\n " + ",\n ".join(f"{json_of(key)}: {json_of(one)}" for key, one in value.items()) + "\n}"
        rows.append(f'"{name}": {text}')
    return "{" + ",\n".join(rows) + "}\n"


class Slip(NamedTuple):
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
    for mistake, functions in slips:
        digests = dict.fromkeys(digest(answered(function, questions)) for function in functions)
        found[mistake.name] = (mistake.sentence, [text for text in digests if text not in taken])
        taken.update(digests)
    return found


def packed_case(question: Question, right: Answer) -> list[Any]:
    """A case as the students' file has it."""
    row = [packed_question(question), list(right.value) if isinstance(right.value, tuple) else right.value]
    return [*row, right.digest] if right.asked else row


def boards_file(
    name: str, right: Callable[..., Any], boards: Sequence[Board], slips: Sequence[Slip], returns: str = "number"
) -> dict[str, Any]:
    """What students have of an exercise whose function is given a board alone; the boards, the simplest first."""
    questions: list[Question] = [(board,) for board in boards]
    answers = answered(right, questions)
    return {
        "name": name,
        "takes": ["board"],
        "returns": returns,
        "known_by": len(questions),
        "mistakes": known(slips, questions, answers),
        "cases": list(map(packed_case, questions, answers)),
    }
