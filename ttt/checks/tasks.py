"""The tasks of the lessons: which one a function is meant for, what it is asked, and how many boards a search visits.

What is right, and what is said of what isn't, is in `tasks.toml`.
"""

import io
import sys
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from functools import cache, reduce, wraps
from inspect import signature
from itertools import islice, product
from math import inf
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from ttt.board import Board, BoardError, Line, Mark, opponent
from ttt.checks import asking
from ttt.checks.asking import Answer, Function, Question, taken
from ttt.checks.checking import Check, alone, misnamed
from ttt.checks.exercise import Case, Exercise, Mistake, positions
from ttt.checks.exercise import load as load_exercise
from ttt.drawing.svg import draw
from ttt.heuristics import LineWeights, number, open_for, open_lines
from ttt.players import missing
from ttt.runtime.limits import LAB, Clock

TASKS = tomllib.loads(Path(__file__).with_name("tasks.toml").read_text(encoding="utf-8"))
# What an exercise that is handed in is called with; what is asked about is in its own file.
HANDED_IN = {"heuristic_1": ("board", "player"), "alpha_beta": ("board", "depth", "heuristic"), "interface": ()}
HANDED_IN["MisereNim"] = ("heaps",)  # which is a game, and not handed in
SIDES: tuple[Mark, Mark] = ("X", "O")
NUMBERED = 18_297  # nodes of alpha-beta on the empty board, with the moves as the cells are numbered

# What the right functions call.
GIVEN = {
    "cache": cache,
    "heuristic_1": LineWeights(0, 1, 3, 0),
    "in_order": lambda board: board.moves,
    "inf": inf,
    "open_lines": open_lines,
    "opponent": opponent,
    "weights": LineWeights(0, 1, 10, 100, 0),
}


class Unknown(ValueError):
    """A function can't be checked, since no task is its; the message says why, and which tasks there are."""


@dataclass(frozen=True)
class Task(Exercise):
    """A task of a lesson: an exercise that is not handed in, so that what is right may be worked out here."""

    def known(self, answers: Sequence[Answer]) -> Mistake | None:
        """The mistake with just these answers: the one whose functions give them all, asked until one differs."""
        text = TASKS[self.name]["right"]
        for name, (sentence, ways) in TASKS[self.name].get("mistakes", {}).items():
            for way in each_way(ways):
                wrong = self.through(function(self.function, edited(text, way)))
                theirs = asking.answers(wrong, self.questions, Clock())
                if all(yours.value == other.value for yours, other in zip(answers, theirs, strict=False)):
                    return Mistake(name, sentence)
        return None

    def through(self, asked: Function) -> Function:
        """A function as it is asked: what is neither a number nor cells is looked at on the way."""

        @wraps(asked)
        def looked_at(board: Board, *rest: Any) -> Any:
            return self._meant(asked(board, *rest), board, rest)

        return looked_at

    def _meant(self, returned: Any, board: Board, rest: Sequence[Any]) -> Any:
        """What counts of a value that was returned. Raises `BoardError` for moves that aren't the free cells."""
        if self.returns == "order" and returned is not None:
            moves = [board.cell(move) for move in islice(returned, len(board) + 1)]
            if sorted(moves) != list(board.moves):
                raise BoardError(f"Each free cell must be there once, and on this board in_order gives {moves}")
            return moves
        if "how" in self.takes and isinstance(returned, bool):  # whether a game counts is as good as 1 or 0
            return int(returned)
        if "alpha" in self.takes and number(returned) is not None:  # outside of its window, a value says no more
            *_, alpha, beta = rest
            return min(max(returned, alpha), beta)
        if self.name == "expected" and (value := number(returned)) is not None:
            return round(value, 9)  # the last digits depend on how it is added up
        return returned

    def lines(self, question: Question) -> tuple[Line, ...]:
        """The lines to be drawn on a board that came out wrong."""
        board, *rest = question
        if self.name == "my_open_lines":
            return open_for(board, rest[0])
        if self.name == "lines_with":
            return alone(board, *rest)
        return ()


def each_way(ways: Iterable[Sequence[Any]]) -> Iterator[list[str]]:
    """The ways to make a mistake, one by one, each as edits."""
    for old, new, *more in ways:
        for text in [new] if isinstance(new, str) else new:
            yield [old, text, *more]


def edited(text: str, edits: Sequence[str]) -> str:
    """A text with edits made; "" where one of them doesn't fit."""
    for old, new in zip(edits[::2], edits[1::2], strict=True):
        if old not in text:
            return ""
        text = text.replace(old, new)
    return text


def function(name: str, text: str, **given: Any) -> Function:
    """The function of that name that a text defines, which finds the given names."""
    names: dict[str, Any] = {**GIVEN, **given}
    exec(text, names)
    return names[name]  # type: ignore[no-any-return]


# --------------------------------------------------------------------------------------- which task a function is for


def takes(task: str) -> tuple[str, ...]:
    """What the function of a task is given, by name."""
    return HANDED_IN[task] if task in HANDED_IN else tuple(TASKS[task]["takes"])


def named(task: str) -> str:
    """The name of the function that a task asks for."""
    return str(TASKS.get(task, {}).get("function", task))


def calls(tasks: Iterable[str]) -> str:
    """How the functions of tasks are called, as a list in words."""
    return ", ".join(f"{named(task)}({', '.join(takes(task))})" for task in tasks)


def task_of(asked: Function) -> str:
    """The task that a function is for, by its name and its parameters. Raises `Unknown`."""
    name = getattr(asked, "__name__", type(asked).__name__)
    every = [*TASKS, *HANDED_IN]
    tasks = [task for task in every if named(task) == name]
    if len(tasks) > 1:
        tasks = [task for task in tasks if len(takes(task)) == len(signature(asked).parameters)]
        if not tasks:
            several = calls(task for task in every if named(task) == name)
            raise Unknown(f"{name}{signature(asked)} belongs to no task. A function of this name may be {several}.")
    if not tasks:
        close = next(filter(None, (misnamed(named(task), [name]) for task in every)), "")
        told = f"There is no task for a function named {name}. {close}".strip()
        raise Unknown(f'{told}\nThe tasks: {calls(every)}.\nAny name will do in check({name}, "{every[0]}").')
    return tasks[0]


@cache
def load(task: str) -> Exercise:
    """The task or exercise of that name. Raises `ValueError` for a name that is none."""
    if task not in TASKS and task not in HANDED_IN:
        raise ValueError(missing("task", task, [*HANDED_IN, *TASKS]))
    if task in HANDED_IN:
        return load_exercise(task)
    about = TASKS[task]
    unasked = Task(
        name=task,
        takes=takes(task),
        returns=about.get("returns", "number"),
        cases=(),
        hints=tuple(about["hints"]),
        worked=tuple((Board.from_text(text), terms) for text, terms in about.get("worked", ())),
        function=named(task),
        done=about["done"],
    )
    right = unasked.through(function(named(task), about["right"]))
    cases = [Case(question, taken(right(*question), question[0]).value) for question in QUESTIONS[about["asks"]]()]
    return replace(unasked, cases=tuple(cases))


# ------------------------------------------------------------------------------------------------- what is asked about


def _unfinished() -> list[Question]:
    return [(board,) for board in positions() if not board.over]


def _late(most: int = 7) -> list[Board]:
    """The positions with so few free cells that a search needs no patience, those next to the end first."""
    return [board for board in reversed(positions()) if len(board.moves) <= most]


def _windows() -> list[Question]:
    """All of them with the widest window, and some with a narrow one, outside of which a bound is enough."""
    narrow = product(_late(5)[::20], ((-1, 0), (0, 1), (-1, 1)))
    return [(board, -inf, inf) for board in _late(6)] + [(board, *window) for board, window in narrow]


def _depths() -> list[Question]:
    """Every position with no ply and one, and fewer with more; the fewest plies first."""
    every = [(board, depth) for depth in (0, 1) for board in positions()]
    return every + [(board, depth) for depth in (2, 3) for board in _late()[:: 10 * depth]]


def _cubes() -> list[Question]:
    start = Board(shape=(4, 4, 4))
    return [(reduce(Board.play, moves, start), plies, -inf, inf) for moves, plies in TASKS["cube"]["cubes"]]


QUESTIONS: dict[str, Callable[[], Sequence[Question]]] = {
    "positions": lambda: [*product(positions())],
    "positions, for each side": lambda: [*product(positions(), SIDES)],
    "positions, for each side and number": lambda: [
        *product(positions(), SIDES, (1, 2)),
        *product(positions()[::7], SIDES, (0, 3)),
    ],
    "positions, to a depth": _depths,
    "unfinished": _unfinished,
    "late": lambda: [*product(_late())],
    "late, for each end": lambda: [*product(_late(), (*SIDES, None))],
    "late, with a window": _windows,
    "cubes, to a depth, with a window": _cubes,
}


# ------------------------------------------------------------------------------------ how many boards a search visits


def visits(search: Function, question: Question) -> int:
    """How many boards a search visits: the calls of those of its functions that call themselves, or one another."""
    running: Counter[CodeType] = Counter()
    called: Counter[CodeType] = Counter()
    again = set()

    def look(frame: FrameType, event: str, argument: object) -> None:
        code = frame.f_code
        if event == "call" and not code.co_filename.startswith(LAB) and not code.co_name.startswith("<"):
            called[code] += 1
            running[code] += 1
            if running[code] > 1:
                again.add(code)
        elif event == "return" and code in running:
            running[code] -= 1

    before = sys.getprofile()
    with redirect_stdout(io.StringIO()):
        sys.setprofile(look)
        try:
            search(*question)
        finally:
            sys.setprofile(before)
    return sum(called[code] for code in again)


def too_many(task: str, search: Function) -> Check | None:
    """What is said of a search that visits more boards than alpha-beta does, on the first board where it does.

    The moves come in the order of the notebook's `in_order`, where there is one. Searches that visit just as many
    boards have made the same mistake.
    """
    names, text = getattr(search, "__globals__", {}), TASKS[task]["right"]
    order = {"in_order": names["in_order"]} if callable(names.get("in_order")) else {}
    boards = [(board, -inf, inf) for board in positions() if len(board.moves) == 7][::20]
    asked = [question for question in _cubes() if question[1] == 2] if task == "cube" else boards

    def counts(search: Function) -> list[int]:
        return [visits(search, question) for question in asked]

    yours, least = counts(search), counts(function(named(task), text, **order))
    place = next((n for n, (more, fewer) in enumerate(zip(yours, least, strict=True)) if more > fewer), 0)
    picture = draw(asked[place][0], numbers=True)
    if not any(yours):
        told = "The values are right, but your function never calls itself: the search is to be yours."
        return Check("not yet", told, picture=picture)
    if sum(yours) <= sum(least):
        return None
    told = f"The values are right, but from this board your function visits {yours[place]:,} boards, and alpha-beta"
    told = f"{told} {least[place]:,}: {yours[place] - least[place]:,} more than it must."
    for name, (sentence, ways) in TASKS["cuts"]["slower"].items():
        if any(counts(function(named(task), edited(text, way), **order)) == yours for way in each_way(ways)):
            return Check("not yet", f"{told}\n{sentence}", name, picture)
    return Check("not yet", told, picture=picture)


def ordered(in_order: Function) -> Check:
    """What is said of a right order of moves, by how many boards a search visits in it."""
    if all(list(in_order(board)) == list(board.moves) for (board,) in _unfinished()):
        return Check("not started", "The order is still that of the cells.")
    search = function("worth", TASKS["cuts"]["right"], in_order=in_order)
    yours = visits(search, (Board(),))
    if yours > NUMBERED:
        told = f"In your order the search visits {yours:,} nodes, and in that of the cells {NUMBERED:,}."
        told = f"{told} The sooner a good move comes, the more is cut off."
        return Check("not yet", told, picture=draw(Board(), numbers=True))
    return Check("right", str(TASKS["in_order"]["done"]).format(yours=yours, numbered=NUMBERED))
