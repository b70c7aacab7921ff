"""The key of an exercise: the right values, the known mistakes as functions, and the marks. For instructors only."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from pathlib import Path

from ttt.board import Board, Mark
from ttt.exercises import Case, Exercise, Mistake, load
from ttt.exercises.exercise import path_of
from ttt.grading.judge import Number, Question

MOST_CASES = 24  # that the check asks
KEPT = 256  # questions whose wrong answers are kept, besides the check's
TRIED = 1500  # questions from which they are chosen

Function = Callable[[Board, Mark], int]


@dataclass(frozen=True)
class KnownMistake:
    """A mistake that students make: its name, a sentence for them, and the functions that make it."""

    name: str
    sentence: str
    functions: tuple[Function, ...]


@dataclass(frozen=True)
class Part:
    """What marks are given for.

    Args:
        name: in one word.
        title: in the words of the notebook.
        questions: the places of the questions which must all be answered rightly.
    """

    name: str
    title: str
    marks: float
    questions: frozenset[int]


@dataclass(frozen=True)
class Key:
    """The key of an exercise. Questions are named by their places in `questions`.

    Args:
        name: the exercise's name, which is also that of the function asked for.
        start: the empty board.
        right: the right function.
        questions: everything that a submission is asked, the simplest boards first.
        values: the right answers to them.
        scope: in words, what is asked.
        parts: what marks are given for.
        basic: some simple questions, which the check asks in any case.
        first: further questions to be asked before the others.
        explained: the case of a question, with all that a student is shown of it.
    """

    name: str
    start: Board
    right: Function
    mistakes: tuple[KnownMistake, ...]
    questions: tuple[Question, ...]
    values: tuple[int, ...]
    scope: str
    parts: tuple[Part, ...]
    basic: tuple[Question, ...]
    first: frozenset[int]
    worked: tuple[Question, ...]
    hints: tuple[str, ...]
    explained: Callable[[Question], Case]

    @property
    def points(self) -> float:
        """The points that the exercise gives at most."""
        return sum(part.marks for part in self.parts)

    @property
    def exercise(self) -> Exercise:
        """What students have of the exercise, as it is kept in its file."""
        return load(self.name)

    @cached_property
    def cases(self) -> tuple[int, ...]:
        """The questions that the check asks, in its order; they tell the known mistakes apart."""
        places = {question: place for place, question in enumerate(self.questions)}
        return tuple(places[Question(case.board, case.player)] for case in self.exercise.cases)

    @cached_property
    def asked_first(self) -> tuple[int, ...]:
        """What tells the known mistakes apart, some small parts as a whole, and the empty board."""
        return tuple({*self.cases, *self.first, 0, 1})

    @cached_property
    def compared(self) -> tuple[int, ...]:
        """The questions whose unexplained wrong answers are kept: the check's, and some from everywhere."""
        every = max(1, len(self.questions) // KEPT)
        return tuple(sorted({*self.cases, *range(0, len(self.questions), every)}))

    def diagnosed(self, values: Mapping[int, Number]) -> Mistake | None:
        """The known mistake that gives exactly these answers to the check's questions, or None."""
        return self.exercise.diagnose([values.get(place) for place in self.cases])

    def decided(self, values: Mapping[int, Number], odd: Mapping[int, str]) -> bool:
        """Whether these answers decide the grade: the mistake is known, and each part is lost or answered as a whole.

        If one answer is odd or missing, everything is asked.
        """
        if odd or self.diagnosed(values) is None:
            return False
        wrong = {place for place, value in values.items() if value != self.values[place]}
        return all(wrong & part.questions or part.questions <= values.keys() for part in self.parts)

    def chosen_cases(self) -> list[Question]:
        """A few simple questions that tell the right function and every known mistake apart.

        The basic ones come first; then always the question that tells most of the remaining pairs apart.
        """
        functions = [("", self.right), *((known.name, one) for known in self.mistakes for one in known.functions)]
        small = [question for question in self.questions if len(question.board.moves) > 2]
        small = small[:: max(1, len(small) // TRIED)]
        chosen = list(self.basic)
        values = {q: [function(q.board, q.player) for _, function in functions] for q in (*chosen, *small)}
        pairs = {(a, b) for a, b in combinations(range(len(functions)), 2) if functions[a][0] != functions[b][0]}

        def told_apart(question: Question) -> set[tuple[int, int]]:
            return {(a, b) for a, b in pairs if values[question][a] != values[question][b]}

        for question in chosen:
            pairs -= told_apart(question)
        while pairs and len(chosen) < MOST_CASES:
            chosen.append(max(small, key=lambda question: len(told_apart(question))))
            pairs -= told_apart(chosen[-1])
        if pairs:
            alike = [(functions[a][0], functions[b][0]) for a, b in sorted(pairs)]
            raise ValueError(f"{MOST_CASES} questions are not enough to tell these mistakes apart: {alike}.")
        return sorted(chosen, key=lambda question: len(question.board) - len(question.board.moves))

    def worked_out(self) -> Exercise:
        """What students are to get, worked out afresh. Raises `ValueError` if no few cases tell the mistakes apart."""
        cases = self.chosen_cases()
        return Exercise(
            self.name,
            self.start.shape,
            self.start.k,
            tuple(map(self.explained, cases)),
            tuple(map(self.explained, self.worked)),
            tuple(
                Mistake(known.name, known.sentence, tuple(function(case.board, case.player) for case in cases))
                for known in self.mistakes
                for function in known.functions
            ),
            self.hints,
        )

    def write(self) -> Path:
        """Write the file of what students get, and return its path."""
        path = path_of(self.name)
        path.write_text(self.worked_out().to_json(), encoding="utf-8")
        return path
