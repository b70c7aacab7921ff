"""An exercise as students get it: questions with their answers, hints, and how its mistakes are named."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cache, cached_property
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from ttt.board import Board, Mark
from ttt.exercises.answers import Answer, Drawing, Mistake, Question, Value, digest_of

PROBED = 400  # positions, seen from both sides, that a formula's function is asked about besides the cases


class TreeNode(NamedTuple):
    """A node that the right search visits. All numbers are seen from the side to move at the root.

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
    """A question with its right answer.

    Args:
        question: the board, and what else the function is given.
        value: what the function must return.
        digest: of what it must ask the heuristic that it is given; "" where there is none to ask.
        explanation: a sentence on what makes up the value.
        terms: the numbers that make up the value, under the names that the notebook gives them.
        drawings: what makes up the value, to be shown on the board.
        tree: what the right search visits, in its order, where the question is to be shown as a tree.
    """

    question: Question
    value: Value
    digest: str = ""
    explanation: str = ""
    terms: Mapping[str, int] = field(default_factory=dict)
    drawings: Sequence[Drawing] = ()
    tree: tuple[TreeNode, ...] = ()

    @property
    def board(self) -> Board:
        """The board that it is about."""
        board: Board = self.question[0]
        return board

    @property
    def player(self) -> Mark:
        """The player whose side it is seen from: the one asked for, or the side to move."""
        named: list[Mark] = [given for given in self.question[1:2] if given in ("X", "O")]
        return named[0] if named else self.board.turn

    def is_answered_by(self, answer: Answer) -> bool:
        """Whether an answer is right: what was returned, and what was asked on the way."""
        return answer.value == self.value and answer.digest == self.digest


@dataclass(frozen=True)
class KnownMistake:
    """A mistake that is recognised by the answers it gives.

    Args:
        digests: of the answers to all cases, one for each way in which the mistake is made.
    """

    name: str
    sentence: str
    digests: tuple[str, ...]


@dataclass(frozen=True)
class Exercise:
    """What students get of an exercise.

    Args:
        name: the exercise's name, which is also that of the function to be written.
        shape, k: the board it is about; a case may have another.
        cases: what the check asks, the simplest first.
        worked: what the notebook works out by hand.
        hints: each tells a little more than the one before.
        takes: what the function is given, by name. The first is a board. A "heuristic" is named in the questions, and
            given as a function that `answers.heuristic` makes; what it is asked is part of the answer.
        returns: the type of the answer, one of `answers.ANSWER_TYPES`.
        mistakes: those that are recognised by their answers.
        named_by: the module of `ttt.exercises` whose `diagnosed(exercise, answers, shown)` names other mistakes, from
            the answers that a function gives on the `probes`; "" if none does.
        probed: the right values on the `probes`, where there are more of these than cases.
        everywhere: the digest of the right answers to all positions of the game, seen from both sides; "" where only
            the cases are asked.
        made_from: a digest of the settings that the exercise was worked out from.
    """

    name: str
    shape: tuple[int, ...]
    k: int
    cases: tuple[Case, ...]
    worked: tuple[Case, ...]
    hints: tuple[str, ...]
    takes: tuple[str, ...] = ("board", "player")
    returns: str = "number"
    mistakes: tuple[KnownMistake, ...] = ()
    named_by: str = ""
    made_from: str = ""
    probed: tuple[int, ...] = ()
    everywhere: str = ""

    @property
    def questions(self) -> Iterator[Question]:
        """Every position, seen from both sides."""
        return ((board, player) for board in positions(self.shape, self.k) for player in "XO")

    @cached_property
    def probes(self) -> tuple[Question, ...]:
        """What a function is asked: the cases, and then, if all positions count, boards from the whole game."""
        asked = [case.question for case in self.cases]
        if not self.everywhere:
            return tuple(asked)
        boards = positions(self.shape, self.k)
        some = boards[:: max(1, len(boards) // PROBED)]
        return tuple(dict.fromkeys([*asked, *((board, player) for board in some for player in "XO")]))

    def case(self, place: int) -> Case:
        """The case that stands at a place among the probes, or one made of the question and its value."""
        if place < len(self.cases):
            return self.cases[place]
        return Case(self.probes[place], self.probed[place])

    def wrong(self, answers: Sequence[Answer]) -> set[int]:
        """The places of the probes to which these answers, from the first probe on, are wrong."""
        return {place for place, answer in enumerate(answers) if not self.case(place).is_answered_by(answer)}

    def diagnosed(self, answers: Sequence[Answer], shown: Question) -> Mistake | None:
        """The mistake of a function that gives these answers to the probes, or None if no explanation is exact.

        Args:
            shown: the question that the student is shown, on which the mistake is drawn if it can be.
        """
        if recognised := self.recognised(answers):
            return recognised
        with suppress(ImportError):  # where a module needs numpy, and there is none
            if self.named_by:
                named: Mistake | None = import_module(f"ttt.exercises.{self.named_by}").diagnosed(self, answers, shown)
                return named
        return None

    def recognised(self, answers: Sequence[Answer]) -> Mistake | None:
        """The mistake that is known by these answers to the cases; None if none is."""
        given = digest_of(answers[: len(self.cases)]) if self.mistakes else ""
        return next((Mistake(one.name, one.sentence) for one in self.mistakes if given in one.digests), None)

    def to_json(self) -> str:
        """The exercise as text, from which `from_json` makes it again, each case in a line."""
        data = {one.name: getattr(self, one.name) for one in fields(self)}
        several: dict[str, list[Any]] = {
            "mistakes": [asdict(mistake) for mistake in data.pop("mistakes")],
            "cases": [self._case_data(case) for case in data.pop("cases")],
            "worked": [self._case_data(case) for case in data.pop("worked")],
            "hints": data.pop("hints"),
        }
        head = json.dumps(data, ensure_ascii=False)[:-1]
        rows = [
            f'"{name}": [\n {rows}\n]'
            for name, some in several.items()
            if some
            for rows in [",\n ".join(json.dumps(one, ensure_ascii=False) for one in some)]
        ]
        return ",\n".join([head, *rows]) + "}\n"

    @classmethod
    def from_json(cls, text: str) -> Exercise:
        """The exercise that a text describes."""
        data: dict[str, Any] = json.loads(text)
        for name in ("shape", "hints", "takes", "probed"):
            data[name] = tuple(data.get(name, ()))
        data["mistakes"] = tuple(
            KnownMistake(one["name"], one["sentence"], tuple(one["digests"])) for one in data.get("mistakes", ())
        )
        empty = cls(**data | {"cases": (), "worked": ()})
        cases, worked = (tuple(map(empty._case_from, data.get(name, ()))) for name in ("cases", "worked"))
        return replace(empty, cases=cases, worked=worked)

    def _case_data(self, case: Case) -> dict[str, Any]:
        """A case as it is written: what the function is given under its names, and then what is not empty of the rest.

        A board is written as text, with its shape if that is another than the exercise's.
        """
        data = dict(zip(self.takes, case.question, strict=False))
        board = case.question[0]
        if isinstance(board, Board):
            data["board"] = _text(board)
            if (board.shape, board.k) != (self.shape, self.k):
                data |= {"shape": board.shape, "k": board.k}
        rest = {one.name: getattr(case, one.name) for one in fields(case) if one.name != "question"}
        rest["drawings"] = [asdict(drawing) for drawing in case.drawings]
        return data | {name: value for name, value in rest.items() if name == "value" or value}

    def _case_from(self, data: dict[str, Any]) -> Case:
        given = {name: data.pop(name) for name in self.takes if name in data}
        shape, k = tuple(data.pop("shape", self.shape)), data.pop("k", self.k)
        board = given["board"]
        given["board"] = Board.from_text(board, shape, k) if isinstance(board, str) else _tuples(board)
        drawings = tuple(Drawing(d["player"], d["caption"], _tuples(d["lines"])) for d in data.pop("drawings", ()))
        tree = tuple(TreeNode(*map(_tuples, node)) for node in data.pop("tree", ()))
        data["value"] = _tuples(data["value"])
        return Case(tuple(given.values()), drawings=drawings, tree=tree, **data)


def _tuples(data: Any) -> Any:
    """Plain data with tuples in place of lists."""
    return tuple(map(_tuples, data)) if isinstance(data, list) else data


@cache
def positions(shape: tuple[int, ...], k: int) -> tuple[Board, ...]:
    """All positions of the game, the simplest first.

    >>> len(positions((3, 3), 3))
    5478
    """
    start = Board(shape, k)
    boards, known = [start], {start}
    for board in boards:  # which grows meanwhile
        for after in () if board.over else map(board.play, board.moves):
            if after not in known:
                known.add(after)
                boards.append(after)
    return tuple(sorted(boards, key=lambda board: (len(board) - len(board.moves), board.x, board.o)))


def _text(board: Board) -> str:
    """The board's marks with a space between rows, as `Board.from_text` reads it."""
    columns, marks = board.shape[-1], "".join(board)
    return " ".join(marks[start : start + columns] for start in range(0, len(marks), columns))


def path_of(name: str) -> Path:
    """The file that holds what students get of an exercise."""
    return Path(__file__).with_name(f"{name}.json")


@cache
def load(name: str) -> Exercise:
    """The exercise of that name."""
    return Exercise.from_json(path_of(name).read_text(encoding="utf-8"))
