"""The key of an exercise: the right answers, the slips that its check must find, and the marks. For instructors."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ttt.board import Board, Mark
from ttt.exercises import Answer, Case, Exercise, KnownMistake, Mistake, load
from ttt.exercises.answers import ANSWER_TYPES, Value, call, digest_of
from ttt.exercises.exercise import path_of
from ttt.grading.grade import GradingError
from ttt.grading.judge import Odd, Question

if TYPE_CHECKING:
    from ttt.exercises.fitting import Array

KEPT = 256  # questions whose wrong answers are kept, besides the check's
FOUND_ON = 2  # of the check's boards, each slip

Function = Callable[..., Any]


def digest(settings: object) -> str:
    """A few characters that are the same for the same settings."""
    return hashlib.sha256(json.dumps(settings).encode()).hexdigest()[:16]


class Position(NamedTuple):
    """A question of an exercise whose function is given a board alone."""

    board: Board

    @property
    def player(self) -> Mark:
        """The side to move."""
        return self.board.turn


@dataclass(frozen=True)
class Part:
    """What marks are given for.

    Args:
        name: in one word.
        title: in the words of the notebook.
        questions: the places of the questions which must all be answered rightly.
        asked: whether what the function asks its heuristic must be right, too, and not only what it returns.
    """

    name: str
    title: str
    marks: float
    questions: frozenset[int]
    asked: bool = False


@dataclass(frozen=True)
class Slip:
    """A mistake that the check knows by its answers, in each way in which it is made.

    Args:
        sentence: what the student who made it is told.
        functions: those that are wrong in this way.
    """

    name: str
    sentence: str
    functions: tuple[Function, ...]


@dataclass(frozen=True)
class Key:
    """The key of an exercise. Questions are named by their places in `questions`.

    Args:
        name: the exercise's name, which is also that of the function asked for.
        right: the right function.
        questions: everything that a submission is asked, the simplest first. Each is a tuple with names: `board` and
            `player`, whose side it is seen from.
        parts: what marks are given for.
        hints: each tells a little more than the one before.
        takes, returns, named_by: what students' exercise has under these names.
        made_from: a digest of the settings.
        slips: mistakes that the check knows by their answers.
        worked: what the notebook works out by hand.
        scope: in words, what is asked.
        first: further questions to be asked before the others.
        earlier: the right functions of earlier years, which are about.
    """

    name: str
    right: Function
    questions: tuple[Any, ...]
    parts: tuple[Part, ...]
    hints: tuple[str, ...] = ()
    takes: tuple[str, ...] = ("board", "player")
    returns: str = "number"
    named_by: str = ""
    made_from: str = ""
    slips: tuple[Slip, ...] = ()
    worked: tuple[Case, ...] = ()
    scope: str = "all boards asked"
    first: frozenset[int] = frozenset()
    earlier: tuple[Function, ...] = ()

    @property
    def start(self) -> Board:
        """The empty board that most questions come from."""
        board: Board = self.questions[0].board
        return Board(board.shape, board.k)

    def answer(self, function: Function, question: Sequence[Any]) -> Answer:
        """What a function answers to a question."""
        made = call(function, self.takes, tuple(question))
        return Answer(ANSWER_TYPES[self.returns].plain(made.returned, question[0]), made.asked)

    @cached_property
    def answers(self) -> tuple[Answer, ...]:
        """The right answers to the questions."""
        return tuple(self.answer(self.right, question) for question in self.questions)

    @property
    def values(self) -> tuple[Value, ...]:
        """What must be returned for each question."""
        return tuple(answer.value for answer in self.answers)

    def explained(self, question: Any) -> Case:
        """The case of a question, with all that a student is shown of it."""
        answer = self.answer(self.right, question)
        return Case(tuple(question), answer.value, answer.digest)

    def in_words(self, question: Sequence[Any]) -> str:
        """What the function is given besides the board: "seen from X", or "depth 2, heuristic open-lines"."""
        given = zip(self.takes[1:], question[1:], strict=True)
        return ", ".join(f"seen from {part}" if name == "player" else f"{name} {part}" for name, part in given)

    def drawn_with(self, seed: str) -> Key:
        """The key with the questions that this seed draws, if any are drawn."""
        return self

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
    def places(self) -> dict[tuple[Any, ...], int]:
        """Where each question stands."""
        return {question: place for place, question in enumerate(self.questions)}

    @cached_property
    def cases(self) -> tuple[int, ...]:
        """The questions that the check asks, in its order."""
        return tuple(self.places[case.question] for case in self.exercise.cases)

    @cached_property
    def probes(self) -> tuple[int, ...]:
        """The questions that a mistake is named by, in the exercise's order."""
        return tuple(self.places[probe] for probe in self.exercise.probes)

    @cached_property
    def asked_first(self) -> tuple[int, ...]:
        """What a mistake is named by, the check's questions, some small parts as a whole, and the empty board."""
        return tuple({*self.probes, *self.cases, *self.first, 0, 1})

    @property
    def compared(self) -> tuple[int, ...]:
        """The questions whose unexplained wrong answers are kept: the check's, which are the same for everybody."""
        return self.cases

    def diagnosed(self, answers: Mapping[int, Answer], shown: int) -> Mistake | None:
        """The mistake of a function that gives these answers, or None. It is drawn on the question shown."""
        if not all(place in answers for place in self.probes):
            return None
        return self.exercise.diagnosed([answers[place] for place in self.probes], self.questions[shown])

    def is_recognised(self, answers: Mapping[int, Answer]) -> bool:
        """Whether a mistake is known by these answers, rather than told from some of them, which might be chance."""
        if not self.slips or not all(place in answers for place in self.probes):
            return not self.slips
        return self.exercise.recognised([answers[place] for place in self.probes]) is not None

    def is_right(self, place: int, answer: Answer | None, part: Part | None = None) -> bool:
        """Whether the answer to a question is right, or as much of it as a part asks for."""
        right = self.answers[place]
        if part is None or part.asked:
            return answer == right
        return answer is not None and answer.value == right.value

    def wrong(self, values: Mapping[int, Value], asked: Mapping[int, Sequence[Any]]) -> set[int]:
        """The questions that are not answered rightly, by what was returned and what the heuristic was asked."""
        return {
            place
            for place, right in enumerate(self.answers)
            if values.get(place) != right.value or tuple(asked.get(place, ())) != right.asked
        }

    def earned(self, values: Mapping[int, Value], wrong: Collection[int]) -> list[Part]:
        """The parts that are earned by what was returned for the questions, some of which are answered wrongly."""
        returned = {place for place in wrong if values.get(place) != self.answers[place].value}
        return [part for part in self.parts if part.questions.isdisjoint(wrong if part.asked else returned)]

    def earns(self, answers: Mapping[int, Answer], part: Part) -> bool:
        """Whether these answers earn a part."""
        return all(self.is_right(place, answers.get(place), part) for place in part.questions)

    def decided(self, answers: Mapping[int, Answer], odd: Mapping[int, Odd]) -> bool:
        """Whether these answers decide the grade: each part is lost or answered as a whole, and the mistake has a name.

        If one answer is odd or missing, everything is asked.
        """
        wrong = {place for place, answer in answers.items() if not self.is_right(place, answer)}
        if odd or not wrong:
            return False
        return all(map(partial(self._is_decided, answers), self.parts)) and bool(self.diagnosed(answers, min(wrong)))

    def _is_decided(self, answers: Mapping[int, Answer], part: Part) -> bool:
        known = part.questions & answers.keys()
        return known == part.questions or not all(self.is_right(place, answers[place], part) for place in known)

    def still_earned(self) -> list[Part]:
        """The parts on which an earlier year's answer gives the right values, and so earns the marks."""
        return [part for part in self.parts if any(self._earns(answer, part) for answer in self.earlier)]

    def _earns(self, function: Function, part: Part) -> bool:
        return all(self.is_right(place, self.answer(function, self.questions[place]), part) for place in part.questions)

    def check_questions(self) -> Sequence[Any]:
        """What the check asks: everything, unless a subclass says otherwise."""
        return self.questions

    def worked_out(self) -> Exercise:
        """What students are to get, worked out afresh."""
        asked = self.check_questions()
        return Exercise(
            self.name,
            self.start.shape,
            self.start.k,
            tuple(map(self.explained, asked)),
            self.worked,
            self.hints,
            self.takes,
            self.returns,
            tuple(self.known(slip, asked) for slip in self.slips),
            self.named_by,
            self.made_from,
        )

    def known(self, slip: Slip, asked: Sequence[Any]) -> KnownMistake:
        """A mistake as students' check knows it."""
        ways = ([self.answer(function, question) for question in asked] for function in slip.functions)
        return KnownMistake(slip.name, slip.sentence, tuple(dict.fromkeys(map(digest_of, ways))))

    def write(self) -> Path:
        """Write the file of what students get, and return its path."""
        path = path_of(self.name)
        path.write_text(self.worked_out().to_json(), encoding="utf-8")
        return path


def on_boards(
    name: str,
    right: Function,
    boards: Sequence[Board],
    slips: Sequence[Slip],
    hints: Sequence[str] = (),
    returns: str = "number",
    title: str = "every board asked",
) -> Key:
    """The key of an exercise whose function is given a board alone. Its one mark is for being right on all boards.

    Args:
        boards: what the check and the judge ask, the simplest first.
        slips: mistakes that are to be named.
        returns: the type of the answer, one of `answers.ANSWER_TYPES`.
    """
    questions = tuple(map(Position, boards))
    part = Part("all", title, 1, frozenset(range(len(questions))))
    return Key(name, right, questions, (part,), tuple(hints), takes=("board",), returns=returns, slips=tuple(slips))


@dataclass(frozen=True, kw_only=True)
class FormulaKey(Key):
    """The key of an exercise whose function works out a formula on every position of the game, seen from both sides.

    Args:
        right_values: the right answers, worked out together.
        slipped: for each slip in the formula that the check must find, its values for some questions, as an array.
        basic: some simple questions, which the check asks in any case.
        explain: the case of a question, with all that a student is shown of it.
    """

    right_values: tuple[int, ...]
    slipped: Callable[[Sequence[Question]], Array]
    basic: tuple[Question, ...]
    explain: Callable[[Question], Case]

    @cached_property
    def answers(self) -> tuple[Answer, ...]:
        return tuple(map(Answer, self.right_values))

    @property
    def values(self) -> tuple[int, ...]:
        return self.right_values

    @cached_property
    def compared(self) -> tuple[int, ...]:
        """The check's questions, and some from everywhere."""
        every = max(1, len(self.questions) // KEPT)
        return tuple(sorted({*self.cases, *range(0, len(self.questions), every)}))

    def explained(self, question: Any) -> Case:
        return self.explain(question)

    def check_questions(self) -> Sequence[Any]:
        """A few questions that find each slip, and those that tell the formula."""
        return self.deciding_cases(self.chosen_cases())

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
        """What students are to get, with the right values on all positions as a digest."""
        exercise = super().worked_out()
        answers = [self.answers[self.places[Question(*one)]] for one in exercise.questions]
        exercise = replace(exercise, everywhere=digest_of(answers))
        return replace(exercise, probed=tuple(self.values[self.places[Question(*probe)]] for probe in exercise.probes))
