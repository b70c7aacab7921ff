"""Exercises: what is asked, and what tells right from wrong.

What students have of an exercise is a JSON file of plain data: cases with their values and digests of known mistakes,
or the weights of a formula.
"""

import json
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from ttt.board import Board, Line, opponent
from ttt.checks.asking import Answer, Question, Value, unpacked_question
from ttt.players import missing

Kind = tuple[int, int]  # of a line: the player's marks and the opponent's marks in it
Counts = Mapping[Kind, tuple[float, float]]  # what kinds of lines should count, and what they do

REPEATED = 200  # questions at least, or all, that are asked again, to see what is kept between calls
SENTENCES = tomllib.loads(Path(__file__).with_name("mistakes.toml").read_text(encoding="utf-8"))


class Case(NamedTuple):
    """A question with what tells the right answer."""

    question: Question
    value: Value
    digest: str = ""  # of what the heuristic must be asked; "" where there is none to ask


@dataclass(frozen=True)
class Mistake:
    """A mistake in a function."""

    name: str  # always the same for the same mistake
    sentence: str  # what the student who made it is told
    findings: tuple[str, ...] = ()  # the plain facts behind it, for the points
    lines: tuple[Line, ...] = ()  # that it is about, to be drawn on the board shown
    counts: Counts = field(default_factory=dict)  # of the kinds of lines that count something else


@dataclass(frozen=True)
class Exercise:
    """An exercise: what is asked, and what tells right from wrong."""

    name: str  # that of the function to be written, where nothing else says so
    takes: tuple[str, ...]  # what the function is given, by name; the first is a board
    returns: str  # "number" or "cells"
    cases: tuple[Case, ...]  # what is asked, the simplest first
    hints: tuple[str, ...] = ()  # each tells a little more than the one before
    worked: tuple[tuple[Any, Mapping[str, float]], ...] = ()  # what the notebook works out by hand, its numbers by name
    weights: tuple[int, ...] = ()  # of a formula: what a line with so many marks of one side alone is worth
    mistakes: Mapping[str, Mistake] = field(default_factory=dict)  # by a digest of the answers
    known_by: int = 0  # to so many cases, from the first on
    withheld: tuple[str, ...] = ()  # what the function may not call
    refusal: str = ""  # what is said if it does
    function: str = ""  # the name of the function, where it is another
    done: str = ""  # what the student is told who has it right

    @cached_property
    def again(self) -> dict[int, int]:
        """The places of the questions that are asked again, each with that of the same question before."""
        number = len(self.cases)
        return dict(enumerate(range(number)[:: number // REPEATED | 1][::-1], number))

    @cached_property
    def asked(self) -> tuple[Case, ...]:
        """The cases in the order in which they are asked: each once, and then some of them again."""
        return (*self.cases, *(self.cases[place] for place in self.again.values()))

    @cached_property
    def once(self) -> tuple[Question, ...]:
        """The questions, each once."""
        return tuple(case.question for case in self.cases)

    @cached_property
    def questions(self) -> tuple[Question, ...]:
        """The questions, in the order in which they are asked."""
        return tuple(case.question for case in self.asked)

    def numbers(self, answers: Sequence[Answer]) -> list[Answer]:
        """The answers, with a number that stands in a text or in a list as if it had been returned as such."""
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
        """The mistake that is known by these answers, if there is one."""
        return self.mistakes.get(digest(answers[: self.known_by]))

    def through(self, asked: Callable[..., Any]) -> Callable[..., Any]:
        """The function as it is asked."""
        return asked

    def lines(self, question: Question) -> tuple[Line, ...]:
        """The lines to be drawn on a board that came out wrong."""
        return ()

    def wrong(self, answers: Sequence[Answer]) -> list[int]:
        """The places of wrong answers: of what was returned, or of what was asked on the way."""
        given = ((answer.value, answer.fault, answer.digest if answer.asked else "") for answer in answers)
        right = ((case.value, "", case.digest) for case in self.asked)
        return [place for place, (yours, ours) in enumerate(zip(given, right, strict=False)) if yours != ours]


@cache
def positions() -> tuple[Board, ...]:
    """All positions of 3×3, the simplest first."""
    boards = [Board()]
    known = set(boards)
    for board in boards:  # which grows meanwhile
        following = [] if board.over else map(board.play, board.moves)
        new = [after for after in following if after not in known]
        boards += new
        known.update(new)
    return tuple(sorted(boards, key=lambda board: (len(board) - len(board.moves), board.x, board.o)))


@cache
def formula_cases(weights: tuple[int, ...]) -> tuple[Case, ...]:
    """What a formula with these weights says of every position, from both sides: what X gains, O loses."""
    cases = []
    for board in positions():
        x, o = (
            sum(weights[line.count(mark)] for line in board.lines if opponent(mark) not in line) for mark in ("X", "O")
        )
        cases += [Case((board, "X"), x - o), Case((board, "O"), o - x)]
    return tuple(cases)


@cache
def load(name: str) -> Exercise:
    """The exercise of that name, as students have it."""
    return read(path_of(name).read_text(encoding="utf-8"))


def path_of(name: str) -> Path:
    """The file of what students have of an exercise. Raises `ValueError` for a name that is none."""
    paths = {path.stem: path for path in sorted(Path(__file__).parent.glob("*.json"))}
    if name not in paths:
        raise ValueError(missing("exercise", name, paths))
    return paths[name]


def read(text: str) -> Exercise:
    """The exercise that a JSON text describes."""
    data = json.loads(text)
    for name in ("takes", "hints", "weights", "withheld"):
        data[name] = tuple(data.get(name, ()))
    data["cases"] = tuple(_case(*row) for row in data.get("cases", ())) or formula_cases(data["weights"])
    data["worked"] = tuple(
        # a tree on paper is lists of leaves, and a board is written as in a question
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
    """A digest of answers, the same for equal numbers of any type. It tells whether they are equal, but not what is."""
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
