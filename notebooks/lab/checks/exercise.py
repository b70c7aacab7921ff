"""Tasks of lessons and graded exercises: their questions, and what tells right from wrong.

A mistake is known if an edit of a right function, which makes that mistake, gives the same answers.
"""

import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import product
from math import inf, log, sqrt
from pathlib import Path
from threading import Lock
from types import CodeType
from typing import Any, NamedTuple

from lab.checks import calling
from lab.checks.calling import Answer, Function, Question, Value
from lab.checks.shared_tree import answer_of
from lab.timeouts import Clock
from ttt.arena.games import reachable
from ttt.board import Board, Mark, opponent
from ttt.geometry import Line
from ttt.heuristics import LineWeights, open_for, open_lines
from ttt.players.player import greedy
from ttt.players.rules import threats

Comparable = tuple[object, ...]  # what must be equal for two answers to count as the same
Kind = tuple[int, int]  # of a line: (the player's marks, the opponent's marks)
Counts = Mapping[Kind, tuple[float, float]]  # what kinds of lines should count, and what they do

_asking = Lock()  # the grader judges in several threads
SENTENCES = tomllib.loads(Path(__file__).with_name("mistakes.toml").read_text(encoding="utf-8"))


class Case(NamedTuple):
    """A question with its right answer."""

    question: Question
    value: Value
    asked: tuple[str, ...] = ()  # the calls the heuristic must get

    def answered_by(self, answer: Answer) -> bool:
        """Whether an answer is right: its value, and the heuristic's calls on the way."""
        return answer.value == self.value and not answer.fault and answer.asked == self.asked

    def bettered_by(self, answer: Answer, before: Answer) -> bool:
        """Whether an answer is right, or at least no error like the one before."""
        return self.answered_by(answer) or (before.fault in calling.RAISED and answer.fault not in calling.RAISED)


@dataclass(frozen=True)
class Mistake:
    """A mistake in a function."""

    name: str  # always the same for the same mistake
    sentence: str  # the sentence for the student
    findings: tuple[str, ...] = ()  # the bare facts behind it, used for the points
    lines: tuple[Line, ...] = ()  # the lines it is about, drawn on the board shown
    patterns: tuple[str, ...] = ()  # lines that look like this, where X is the player: "X-X"
    counts: Counts = field(default_factory=dict)  # for kinds of lines with a wrong weight: the right and the actual one


def mistake_named(name: str, exercise: str, lines: Iterable[Line] = (), **found: object) -> Mistake:
    """Make a mistake from its entry in `mistakes.toml`, filling in what was found."""
    told = SENTENCES[exercise][name]
    findings, sentence = told if isinstance(told, list) else ("", told)
    return Mistake(name.format(**found), sentence.format(**found), tuple(findings.split()), tuple(lines))


@dataclass(frozen=True)
class Exercise:
    """An exercise: its questions, and what tells right from wrong."""

    name: str  # also the name of the function to write, unless `function` says otherwise
    takes: tuple[str, ...]  # the function's parameters; the first is a board
    returns: str  # "number", "truth" or "cells"
    cases: tuple[Case, ...]  # the questions with their answers, simplest first
    hints: tuple[str, ...] = ()  # each says a little more than the one before
    worked: tuple[tuple[Any, Mapping[str, float]], ...] = ()  # worked by hand in the notebook, numbers by name
    weights: tuple[int, ...] = ()  # of a formula: the worth of a line by its number of marks of one side alone
    mistakes: tuple[tuple[Mistake, str], ...] = ()  # the known ones, each with the source of a function that makes it
    known_by: int = 0  # how many of the first questions tell them apart; 0 for all
    withheld: tuple[str, ...] = ()  # methods the function may not call
    refusal: str = ""  # the sentence if it does
    function: str = ""  # the function's name, if it differs from `name`
    done: str = ""  # the sentence for a right answer
    given: tuple[str, ...] = ()  # the lines that a lesson gives, if it gives some besides the first
    repeats: int = 70  # how many questions (or all, if fewer) to repeat, each with another, to detect state kept

    @cached_property
    def again(self) -> dict[int, int]:
        """The indices of repeated questions, each with the index of its first occurrence.

        Each is asked after its neighbour, which may be about the same board, and then again.
        """
        number = len(self.cases)
        some = range(number)[:: number // self.repeats | 1][::-1]
        return dict(enumerate((one for place in some for one in (place ^ 1, place, place) if one < number), number))

    @cached_property
    def asked(self) -> tuple[Case, ...]:
        """The cases in the order of asking: each once, then some of them again."""
        return (*self.cases, *(self.cases[place] for place in self.again.values()))

    @property
    def explained_by(self) -> str:
        """The module that says what wrong values prove: of sums of lines, or of a search; "" if there is none."""
        if self.weights or self.name == "my_open_lines":
            return "line_sums"
        return "search_trace" if "heuristic" in self.takes else ""

    @property
    def enough(self) -> int:
        """How many answers are enough to tell mistakes apart."""
        return self.known_by or len(self.cases)

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
        if all(not answer.fault and not isinstance(answer.value, tuple) for answer in answers):
            return [*answers]  # fast path
        one_in_a_list = all(len(answer.value) == 1 for answer in answers if isinstance(answer.value, tuple))
        if self.explained_by == "search_trace":
            answers = self._first_or_last(answers)
        numbers = []
        for answer in answers:
            if isinstance(answer.value, tuple) and one_in_a_list:
                answer = answer._replace(value=answer.value[0])
            elif answer.fault and answer.value is not None:
                answer = answer._replace(fault="", words="")
            numbers.append(answer)
        return numbers

    def _first_or_last(self, answers: Sequence[Answer]) -> Sequence[Answer]:
        """The answers, with the last number of each tuple instead of the first if more of these are right."""

        def number_right(some: Sequence[Answer]) -> int:
            return sum(answer.value == case.value for answer, case in zip(some, self.asked, strict=False))

        ends = [calling.last_number(one.words) if one.fault == calling.COLLECTION else one.value for one in answers]
        last = [answer._replace(value=value) for answer, value in zip(answers, ends, strict=True)]
        return max(answers, last, key=number_right)  # the first, if as many are right

    def known(self, answers: Sequence[Answer]) -> Mistake | None:
        """The first known mistake with these answers, if there is one."""
        some = answers[: self.known_by or None]
        wrong, mine = self.wrong(some), [*map(comparable, some)]
        if not wrong:
            return None
        places = [wrong[0], wrong[-1], *range(len(some))]  # most functions differ on one of the first two
        with _asking:
            for mistake, made, theirs in self._mistaken:
                if all(self._given(made, theirs, place) == mine[place] for place in places):
                    return mistake
        return None

    @cached_property
    def _mistaken(self) -> list[tuple[Mistake, Function, dict[int, Comparable]]]:
        """The known mistakes, each with a function that makes it and the answers it has given so far."""
        name = self.function or self.name
        return [(mistake, self.through(function(name, source)), {}) for mistake, source in self.mistakes]

    def _given(self, made: Function, theirs: dict[int, Comparable], place: int) -> Comparable:
        """The answer of one of our own functions, which always ends. It is asked each question once."""
        if place not in theirs:
            question = self.questions[place]
            search = "heuristic" in self.takes
            theirs[place] = comparable(answer_of(made, question) if search else calling.ask(made, question, Clock()))
        return theirs[place]

    def through(self, asked: Function) -> Function:
        """Wrap a student's function for asking."""
        return asked

    def call(self, question: Question) -> str:
        """A question as the call of the function."""
        if self.name == "back_up":
            _, path, result, place, number = question
            nodes = ", then ".join(f"{visits} and {wins}" for visits, wins in path)
            told = f"after `back_up(path, {result})` on nodes with visits and wins {nodes}"
            return f"{told}, the {number} of `path[{place}]`"
        given = ["board"] if "board" in self.takes else []
        given += [repr(part) for part in question[1:]]
        return f"`{self.function or self.name}({', '.join(given)})`"

    def wrong(self, answers: Sequence[Answer]) -> list[int]:
        """The indices of wrong answers, judged by the value or by the heuristic's calls on the way."""
        asked = zip(self.asked, answers, strict=False)
        return [place for place, (case, answer) in enumerate(asked) if not case.answered_by(answer)]

    def changes(self, answers: Sequence[Answer]) -> bool:
        """Whether a value was another one when its question was asked again, or fewer boards were enough.

        What is remembered is never asked about more boards, whereas moves in a random order sometimes are.
        """
        both = [(answers[then], answers[now]) for now, then in self.again.items() if now < len(answers)]
        if any(one._replace(asked=()) != other._replace(asked=()) for one, other in both):
            return True
        boards = [({*one.asked}, {*other.asked}) for one, other in both]
        return all(now <= then for then, now in boards) and any(now < then for then, now in boards)

    def mixes_players(self, answers: Sequence[Answer]) -> bool:
        """Whether each changed value, or else each wrong one, is what the other player got for the board before."""
        changed = {now for now, then in self.again.items() if now < len(answers) and answers[now] != answers[then]}
        off = changed or {*self.wrong(answers)}
        latest: dict[int, Answer] = {}  # by question; of a formula, each two questions are about one board
        for now, then in enumerate((*range(len(self.cases)), *self.again.values())[: len(answers)]):
            if now in off and answers[now] != latest.get(then ^ 1):
                return False
            latest[then] = answers[now]
        return bool(self.weights and off)


@cache
def positions() -> tuple[Board, ...]:
    """All 3×3 positions, simplest first."""
    return tuple(sorted(reachable("random"), key=lambda board: (len(board) - len(board.moves), board.x, board.o)))


@cache
def formula_cases(weights: tuple[int, ...]) -> tuple[Case, ...]:
    """Every position from both sides, with the value of the formula with these weights."""
    formula = LineWeights(*weights)
    return tuple(Case((board, player), formula(board, player)) for board, player in product(positions(), ("X", "O")))


def comparable(answer: Answer) -> Comparable:
    """What must be equal for two answers to count as the same: numbers of any type, and what came instead of one.

    An error must be the same to the letter, for everything else its beginning is enough."""
    value: object = answer.value
    if value is None:
        value = answer.fault, answer.words if answer.fault == calling.STOPS else answer.words[:9]
    elif not isinstance(value, tuple):
        value = f"{float(answer.value) + 0.0:.9g}"  # type: ignore[arg-type]
    return value, answer.asked


# ---------------------------------------------------------------------------------------- mistakes as edits of a source


def each_way(ways: Iterable[Sequence[Any]]) -> Iterator[list[str]]:
    """Yield the ways to make a mistake, each as a list of edits: what to replace everywhere, with what, and so on.

    A list of replacements stands for several ways.
    """
    for old, new, *more in ways:
        for text in [new] if isinstance(new, str) else new:
            yield [old, text, *more]


def edited(text: str, edits: Sequence[str]) -> str:
    """The text after the edits; "" if one of them doesn't fit."""
    for old, new in zip(edits[::2], edits[1::2], strict=True):
        if old not in text:
            return ""
        text = text.replace(old, new)
    return text


# The names that the sources use.
GIVEN = {
    "cache": cache,
    "greedy": greedy,
    "heuristic_1": LineWeights(0, 1, 3, 0),
    "in_order": lambda board: board.moves,
    "inf": inf,
    "log": log,
    "open_lines": open_lines,
    "opponent": opponent,
    "sqrt": sqrt,
    "threats": threats,
    "weights": LineWeights(0, 1, 10, 100, 0),
}


@cache
def _compiled(source: str) -> CodeType:
    return compile(source, "<string>", "exec")


def function(name: str, source: str, **given: Any) -> Function:
    """Run a source with the given names, and return the function with this name."""
    names: dict[str, Any] = {**GIVEN, **given}
    exec(_compiled(source), names)
    return names[name]  # type: ignore[no-any-return]


def alone(board: Board, mark: Mark, number: int) -> tuple[Line, ...]:
    """The lines with exactly this many marks of one side and none of the other."""
    return tuple(cells for cells in open_for(board, mark) if [board[cell] for cell in cells].count(mark) == number)


def number_word(number: int) -> str:
    """A small number as a word."""
    return ("no", "one", "two", "three", "four", "five", "six", "seven", "eight")[number]
