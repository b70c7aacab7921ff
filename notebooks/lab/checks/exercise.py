"""Exercises: their questions, and what tells right from wrong.

Students get an exercise as a JSON file of plain data: cases with their values and digests of known mistakes,
or the weights of a formula.
"""

import json
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from hashlib import sha256
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from lab.checks.calling import Answer, Question, Value, unpacked_question
from ttt.arena.games import reachable
from ttt.board import Board, unknown_name
from ttt.geometry import Line
from ttt.heuristics import LineWeights

Kind = tuple[int, int]  # of a line: (the player's marks, the opponent's marks)
Counts = Mapping[Kind, tuple[float, float]]  # what kinds of lines should count, and what they do

REPEATED = 200  # how many questions (or all, if fewer) to repeat, to detect state kept between calls
SENTENCES = tomllib.loads(Path(__file__).with_name("mistakes.toml").read_text(encoding="utf-8"))


class Case(NamedTuple):
    """A question with its right answer."""

    question: Question
    value: Value
    digest: str = ""  # of the calls the heuristic must get; "" without a heuristic


@dataclass(frozen=True)
class Mistake:
    """A mistake in a function."""

    name: str  # always the same for the same mistake
    sentence: str  # the sentence for the student
    findings: tuple[str, ...] = ()  # the bare facts behind it, used for the points
    lines: tuple[Line, ...] = ()  # the lines it is about, drawn on the board shown
    counts: Counts = field(default_factory=dict)  # for kinds of lines with a wrong weight: the right and the actual one


@dataclass(frozen=True)
class Exercise:
    """An exercise: its questions, and what tells right from wrong."""

    name: str  # also the name of the function to write, unless `function` says otherwise
    takes: tuple[str, ...]  # the function's parameters; the first is a board
    returns: str  # "number" or "cells"
    cases: tuple[Case, ...]  # the questions with their answers, simplest first
    hints: tuple[str, ...] = ()  # each says a little more than the one before
    worked: tuple[tuple[Any, Mapping[str, float]], ...] = ()  # worked by hand in the notebook, numbers by name
    weights: tuple[int, ...] = ()  # of a formula: the worth of a line by its number of marks of one side alone
    mistakes: Mapping[str, Mistake] = field(default_factory=dict)  # keyed by a digest of the answers
    known_by: int = 0  # how many of the first cases the digests cover
    withheld: tuple[str, ...] = ()  # methods the function may not call
    refusal: str = ""  # the sentence if it does
    function: str = ""  # the function's name, if it differs from `name`
    done: str = ""  # the sentence for a right answer

    @cached_property
    def again(self) -> dict[int, int]:
        """The indices of repeated questions, each with the index of its first occurrence."""
        number = len(self.cases)
        return dict(enumerate(range(number)[:: number // REPEATED | 1][::-1], number))

    @cached_property
    def asked(self) -> tuple[Case, ...]:
        """The cases in the order of asking: each once, then some of them again."""
        return (*self.cases, *(self.cases[place] for place in self.again.values()))

    @cached_property
    def once(self) -> tuple[Question, ...]:
        """The questions without repeats."""
        return tuple(case.question for case in self.cases)

    @cached_property
    def questions(self) -> tuple[Question, ...]:
        """The questions in the order of asking, with repeats."""
        return tuple(case.question for case in self.asked)

    def numbers(self, answers: Sequence[Answer]) -> list[Answer]:
        """The answers, with numbers inside a text or a list treated as if they had been returned."""
        if self.returns != "number":
            return [*answers]
        one_in_a_list = all(len(answer.value) == 1 for answer in answers if isinstance(answer.value, tuple))
        numbers = []
        for answer in answers:
            if isinstance(answer.value, tuple) and one_in_a_list:
                answer = answer._replace(value=answer.value[0])
            elif answer.fault and answer.value is not None:
                answer = answer._replace(fault="", words="")
            numbers.append(answer)
        return numbers

    def known(self, answers: Sequence[Answer]) -> Mistake | None:
        """The known mistake with these answers, if there is one."""
        return self.mistakes.get(digest(answers[: self.known_by]))

    def through(self, asked: Callable[..., Any]) -> Callable[..., Any]:
        """Wrap a student's function for asking."""
        return asked

    def call(self, question: Question) -> str:
        """A question as the call of the function."""
        given = ["board"] if "board" in self.takes else []
        given += [repr(part) for part in question[1:]]
        return f"`{self.function or self.name}({', '.join(given)})`"

    def lines(self, question: Question) -> tuple[Line, ...]:
        """The lines to draw on a board answered wrongly."""
        return ()

    def wrong(self, answers: Sequence[Answer]) -> list[int]:
        """The indices of wrong answers, judged by the value or by the heuristic's calls on the way."""
        given = ((answer.value, answer.fault, answer.digest if answer.asked else "") for answer in answers)
        right = ((case.value, "", case.digest) for case in self.asked)
        return [place for place, (yours, ours) in enumerate(zip(given, right, strict=False)) if yours != ours]


@cache
def positions() -> tuple[Board, ...]:
    """All 3×3 positions, simplest first."""
    return tuple(sorted(reachable("random"), key=lambda board: (len(board) - len(board.moves), board.x, board.o)))


@cache
def formula_cases(weights: tuple[int, ...]) -> tuple[Case, ...]:
    """Every position from both sides, with the value of the formula with these weights."""
    formula = LineWeights(*weights)
    return tuple(Case((board, player), formula(board, player)) for board, player in product(positions(), ("X", "O")))


@cache
def load(name: str) -> Exercise:
    """Load the exercise of this name as students get it."""
    return read(path_of(name).read_text(encoding="utf-8"))


def path_of(name: str) -> Path:
    """The students' file of an exercise. Raises `ValueError` for an unknown name."""
    paths = {path.stem: path for path in sorted(Path(__file__).parent.glob("*.json"))}
    if name not in paths:
        raise ValueError(unknown_name("exercise", name, paths))
    return paths[name]


def read(text: str) -> Exercise:
    """Read an exercise from JSON."""
    data = json.loads(text)
    for name in ("takes", "hints", "weights", "withheld"):
        data[name] = tuple(data.get(name, ()))
    data["cases"] = tuple(_case(*row) for row in data.get("cases", ())) or formula_cases(data["weights"])
    data["worked"] = tuple(
        # a tree on paper is nested lists of leaves; a board is written as in a question
        (tuple(map(tuple, question)) if isinstance(question[0], list) else unpacked_question(question), terms)
        for question, terms in data.get("worked", ())
    )
    named = data.get("mistakes", {}).items()
    data["mistakes"] = {
        known: Mistake(name, sentence, tuple(parts)) for name, (sentence, digests, *parts) in named for known in digests
    }
    return Exercise(**data)


def _case(question: list[Any], value: Any, digest: str = "") -> Case:
    return Case(unpacked_question(question), tuple(value) if isinstance(value, list) else value, digest)


def digest(answers: Iterable[Answer]) -> str:
    """A digest of answers, the same for equal numbers of any type. It doesn't reveal the answers."""
    return sha256(" ".join(map(_text, answers)).encode()).hexdigest()[:32]


def _text(answer: Answer) -> str:
    value = answer.value
    if isinstance(value, tuple):
        return ",".join(map(str, value))
    told = f"{answer.fault} {answer.words[:9]}" if value is None else f"{float(value):.9g}"
    return f"{told}:{answer.digest}"


def number_word(number: int) -> str:
    """A small number as a word."""
    return ("no", "one", "two", "three", "four", "five", "six", "seven", "eight")[number]
