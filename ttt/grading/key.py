"""The key of an exercise: the right values, the slips that its check must find, and the marks. For instructors only."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from ttt.board import Board, Mark
from ttt.exercises import Case, Exercise, Mistake, load
from ttt.exercises.exercise import digest_of_values, path_of
from ttt.grading.grade import GradingError
from ttt.grading.judge import Number, Odd, Question

if TYPE_CHECKING:
    from ttt.exercises.fitting import Array

KEPT = 256  # questions whose wrong answers are kept, besides the check's
FOUND_ON = 2  # of the check's boards, each slip

Function = Callable[[Board, Mark], int]


def digest(settings: object) -> str:
    """A few characters that are the same for the same settings."""
    return hashlib.sha256(json.dumps(settings).encode()).hexdigest()[:16]


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
        slipped: for each slip that the check must find, its values for some questions, as an array.
        named_by, made_from: what students' exercise has under these names.
        questions: everything that a submission is asked, the simplest boards first.
        values: the right answers to them.
        scope: in words, what is asked.
        parts: what marks are given for.
        basic: some simple questions, which the check asks in any case.
        first: further questions to be asked before the others.
        explained: the case of a question, with all that a student is shown of it.
        earlier: the right functions of earlier years, which are about.
    """

    name: str
    start: Board
    right: Function
    slipped: Callable[[Sequence[Question]], Array]
    named_by: str
    made_from: str
    questions: tuple[Question, ...]
    values: tuple[int, ...]
    scope: str
    parts: tuple[Part, ...]
    basic: tuple[Question, ...]
    first: frozenset[int]
    worked: tuple[Question, ...]
    hints: tuple[str, ...]
    explained: Callable[[Question], Case]
    earlier: tuple[Function, ...] = ()

    @cached_property
    def exercise(self) -> Exercise:
        """What students have of the exercise, as it is kept in its file."""
        return load(self.name)

    def require_current(self) -> None:
        """Raise `GradingError` if students' exercise was worked out from other settings than the key."""
        if self.exercise.made_from != self.made_from:
            raise GradingError(
                f"The settings of {self.name} have changed since its check was worked out. Run `ttt variant` first; "
                "students need the exercise that it writes."
            )

    @cached_property
    def places(self) -> dict[tuple[Board, Mark], int]:
        """Where each question stands."""
        return {question: place for place, question in enumerate(self.questions)}

    @cached_property
    def cases(self) -> tuple[int, ...]:
        """The questions that the check asks, in its order."""
        return tuple(self.places[case.board, case.player] for case in self.exercise.cases)

    @cached_property
    def probes(self) -> tuple[int, ...]:
        """The questions that a mistake is named by, in the exercise's order."""
        return tuple(self.places[probe] for probe in self.exercise.probes)

    @cached_property
    def asked_first(self) -> tuple[int, ...]:
        """What a mistake is named by, the check's questions, some small parts as a whole, and the empty board."""
        return tuple({*self.probes, *self.cases, *self.first, 0, 1})

    @cached_property
    def compared(self) -> tuple[int, ...]:
        """The questions whose unexplained wrong answers are kept: the check's, and some from everywhere."""
        every = max(1, len(self.questions) // KEPT)
        return tuple(sorted({*self.cases, *range(0, len(self.questions), every)}))

    def diagnosed(self, values: Mapping[int, Number], shown: int) -> Mistake | None:
        """The mistake of a function that gives these answers, or None. It is drawn on the question shown."""
        if not all(place in values for place in self.probes):
            return None
        return self.exercise.diagnosed([values[place] for place in self.probes], self.questions[shown])

    def decided(self, values: Mapping[int, Number], odd: Mapping[int, Odd]) -> bool:
        """Whether these answers decide the grade: each part is lost or answered as a whole, and the mistake has a name.

        If one answer is odd or missing, everything is asked.
        """
        wrong = {place for place, value in values.items() if value != self.values[place]}
        if odd or not wrong:
            return False
        decided = all(wrong & part.questions or part.questions <= values.keys() for part in self.parts)
        return decided and self.diagnosed(values, min(wrong)) is not None

    def still_earned(self) -> list[Part]:
        """The parts on which an earlier year's answer gives the right values, and so earns the marks."""
        return [part for part in self.parts if any(self._earns(answer, part) for answer in self.earlier)]

    def _earns(self, function: Function, part: Part) -> bool:
        asked = ((self.questions[place], self.values[place]) for place in part.questions)
        return all(function(*question) == value for question, value in asked)

    def chosen_cases(self) -> list[Question]:
        """A few questions, of which each slip answers two wrongly if it answers as many wrongly at all.

        The basic ones come first; then always the question on which most of the remaining slips show, the simplest of
        those.
        """
        wrong = self.slipped(self.questions) != list(self.values)
        chosen = [self.places[question] for question in self.basic]
        needed = wrong.sum(1).clip(0, FOUND_ON) - wrong[:, chosen].sum(1)
        while (needed > 0).any():
            gain = wrong[needed > 0].sum(0)
            gain[chosen] = 0
            chosen.append(int(gain.argmax()))
            needed = needed - wrong[:, chosen[-1]]
        return [self.questions[place] for place in sorted(chosen)]

    def deciding_cases(self, chosen: Sequence[Question]) -> list[Question]:
        """With further questions, if the module that names mistakes needs them to tell the formula."""
        if not self.named_by:
            return list(chosen)
        naming = import_module(f"ttt.exercises.{self.named_by}")
        return sorted({*chosen, *naming.deciding(chosen, self.questions)}, key=self.places.__getitem__)

    def worked_out(self) -> Exercise:
        """What students are to get, worked out afresh."""
        cases = self.deciding_cases(self.chosen_cases())
        exercise = Exercise(
            self.name,
            self.start.shape,
            self.start.k,
            tuple(map(self.explained, cases)),
            tuple(map(self.explained, self.worked)),
            self.hints,
            self.named_by,
            self.made_from,
        )
        probed = tuple(self.values[self.places[Question(*probe)]] for probe in exercise.probes)
        everywhere = digest_of_values(self.values[self.places[Question(*one)]] for one in exercise.questions)
        return replace(exercise, probed=probed, everywhere=everywhere)

    def write(self) -> Path:
        """Write the file of what students get, and return its path."""
        path = path_of(self.name)
        path.write_text(self.worked_out().to_json(), encoding="utf-8")
        return path
