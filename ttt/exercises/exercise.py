"""Exercises: what is asked, and what tells right from wrong.

What students have of an exercise is a JSON file of plain data: cases with their values and digests of known mistakes,
or the weights of a formula.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from ttt.board import Board, Line, opponent
from ttt.exercises.asking import Answer, Question, Value, unpacked_question

REPEATED = 60  # questions that are asked again at the end, to see whether something is kept from call to call
SENTENCES = tomllib.loads(Path(__file__).with_name("mistakes.toml").read_text(encoding="utf-8"))


class Node(NamedTuple):
    """A node that the right search visits; numbers are seen from the side to move at the root.

    Args:
        moves: from the root to the node.
        alpha, beta: the window when the search gets there; None for what has no bound yet.
        value: what comes back.
    """

    moves: tuple[int, ...]
    alpha: float | None
    beta: float | None
    value: float


@dataclass(frozen=True)
class Case:
    """A question with what tells the right answer.

    Args:
        digest: of what the heuristic must be asked; "" where there is none to ask.
        tree: what the right search visits, in its order, where that is small enough to be drawn.
    """

    question: Question
    value: Value
    digest: str = ""
    tree: tuple[Node, ...] = ()


@dataclass(frozen=True)
class Mistake:
    """A mistake in a function.

    Args:
        name: always the same for the same mistake.
        sentence: what the student who made it is told.
        findings: the plain facts behind it, for the marks.
        lines: the lines that it is about, to be drawn on the board that is shown.
    """

    name: str
    sentence: str
    findings: tuple[str, ...] = ()
    lines: Callable[[Question], tuple[Line, ...]] | None = None


@dataclass(frozen=True)
class Exercise:
    """An exercise: what is asked, and what tells right from wrong.

    Args:
        name: which is also that of the function to be written.
        takes: what the function is given, by name; the first is a board.
        returns: "number" or "cells".
        hints: each tells a little more than the one before.
        worked: what the notebook works out by hand, each with the numbers under the names that the notebook gives them.
        cases: what is asked, the simplest first; where there are weights, every position from both sides is.
        weights: where the function is a formula, what a line with so many marks of one side alone is worth.
        mistakes: name and sentence by the digest of the answers to the first `known_by` cases.
        withheld, refusal: what a function may not call, and what it is told then.
    """

    name: str
    takes: tuple[str, ...]
    returns: str
    hints: tuple[str, ...]
    worked: tuple[tuple[Any, Mapping[str, float]], ...] = ()
    cases: tuple[Case, ...] = ()
    weights: tuple[int, ...] = ()
    mistakes: Mapping[str, Mistake] = field(default_factory=dict)
    known_by: int = 0
    withheld: tuple[str, ...] = ()
    refusal: str = ""

    @cached_property
    def once(self) -> tuple[Question, ...]:
        """The questions, each once, the simplest first."""
        if self.weights:
            return tuple((board, player) for board in positions() for player in "XO")
        return tuple(case.question for case in self.cases)

    @cached_property
    def questions(self) -> tuple[Question, ...]:
        """What is asked, in order: the questions, and then some of them again."""
        step = max(1, len(self.once) // REPEATED)
        return (*self.once, *self.once[::step][::-1])

    @cached_property
    def again(self) -> dict[int, int]:
        """The places of the questions that are asked again, each with that of the same question before."""
        first = {question: place for place, question in enumerate(self.once)}
        return {place: first[self.questions[place]] for place in range(len(self.once), len(self.questions))}

    @cached_property
    def values(self) -> tuple[Value, ...]:
        """The right values, question by question."""
        once = formula_values(self.weights) if self.weights else [case.value for case in self.cases]
        return (*once, *(once[place] for place in self.again.values()))

    def case(self, place: int) -> Case:
        """The case of a question."""
        if self.weights:
            return Case(self.questions[place], self.values[place])
        return self.cases[self.again.get(place, place)]

    def is_right(self, place: int, answer: Answer) -> bool:
        """Whether an answer is right: what was returned, and what was asked on the way."""
        if answer.fault or answer.value != self.values[place] or isinstance(answer.value, tuple) != self.wants_cells:
            return False
        return bool(self.weights) or answer.digest == self.case(place).digest

    @property
    def wants_cells(self) -> bool:
        """Whether the function returns cells rather than a number."""
        return self.returns == "cells"


@cache
def positions() -> tuple[Board, ...]:
    """All positions of 3×3, the simplest first."""
    boards = [Board()]
    known = set(boards)
    for board in boards:  # which grows meanwhile
        for move in () if board.over else board.moves:
            after = board.play(move)
            if after not in known:
                known.add(after)
                boards.append(after)
    return tuple(sorted(boards, key=lambda board: (len(board) - len(board.moves), board.x, board.o)))


@lru_cache(8)
def formula_values(weights: tuple[int, ...]) -> tuple[int, ...]:
    """What a formula with these weights says of every position, from both sides: what X gains, O loses."""
    gains = {"X": 1, "O": -1}
    values = [
        sum(
            gains[mark] * weights[line.count(mark)]
            for line in board.lines
            for mark in {*line} - {"-"}
            if opponent(mark) not in line
        )
        for board in positions()
    ]
    return tuple(side for value in values for side in (value, -value))


@cache
def load(name: str) -> Exercise:
    """The exercise of that name, as students have it."""
    return read(path_of(name).read_text(encoding="utf-8"))


def path_of(name: str) -> Path:
    """The file of what students have of an exercise."""
    return Path(__file__).with_name(f"{name}.json")


def read(text: str) -> Exercise:
    """The exercise that a JSON text describes."""
    data = json.loads(text)
    for name in ("takes", "hints", "weights", "withheld"):
        data[name] = tuple(data.get(name, ()))
    data["cases"] = tuple(_case(*row) for row in data.get("cases", ()))
    data["worked"] = tuple(
        # a tree on paper is lists of leaves, and a board is written as in a question
        (tuple(map(tuple, question)) if isinstance(question[0], list) else unpacked_question(question), terms)
        for question, terms in data.get("worked", ())
    )
    named = data.get("mistakes", {}).items()
    data["mistakes"] = {known: Mistake(name, sentence) for name, (sentence, digests) in named for known in digests}
    return Exercise(**data)


def _case(question: list[Any], value: Any, digest: str = "", tree: Sequence[Any] = ()) -> Case:
    nodes = tuple(Node(tuple(moves), *rest) for moves, *rest in tree)
    return Case(unpacked_question(question), tuple(value) if isinstance(value, list) else value, digest, nodes)


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
