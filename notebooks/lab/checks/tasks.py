"""The lessons' tasks: which one a function is for, and which questions test it.

The right functions, and the sentences for mistakes, are in `tasks.toml`.
"""

import sys
import tomllib
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, reduce, wraps
from inspect import signature, unwrap
from itertools import islice, product
from math import inf
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NoReturn

from lab.checks.calling import Function, Question, taken
from lab.checks.exercise import Case, Exercise, Mistake, each_way, edited, function, positions
from lab.checks.graded import GRADED, settings
from lab.checks.graded import load as load_graded
from lab.checks.verdict import misnamed
from ttt.board import Board, BoardError, Mark
from ttt.heuristics import as_number
from ttt.players import PLAYERS
from ttt.players.player import Player
from ttt.words import unknown_name

YOURS = "  # yours"  # at the end of a line that the student writes, where a lesson gives the others


def _read() -> tuple[dict[str, Any], dict[str, Any]]:
    """All about the tasks, each with the lines of its right function that a lesson gives; and those with own checks."""
    tasks = tomllib.loads(Path(__file__).with_name("tasks.toml").read_text(encoding="utf-8"))
    of_its_own = tasks.pop("checks_of_their_own")
    for about in tasks.values():
        lines = about["right"].splitlines() if YOURS in about["right"] else ()
        about["given"] = [line for line in lines if YOURS not in line]
        about["right"] = about["right"].replace(YOURS, "")
    return tasks, of_its_own


TASKS, OF_ITS_OWN = _read()
TAKES: dict[str, tuple[str, ...]] = {  # the parameters of each task's function
    **{name: tuple(about["takes"]) for name, about in TASKS.items()},
    **{name: tuple(settings(name)["takes"]) for name in GRADED},
    **{name: tuple(about["takes"]) for name, about in OF_ITS_OWN.items()},
}
SIDES: tuple[Mark, Mark] = ("X", "O")
EVERY = {6: 4, 7: 9}  # of the positions with this many free cells, whose searches take longest, one in so many is asked


class Unknown(ValueError):
    """No task belongs to this function; the message says why and lists the tasks."""


@dataclass(frozen=True)
class Task(Exercise):
    """A task of a lesson: an exercise that is not handed in, so the right answers may be computed here."""

    def through(self, asked: Function) -> Function:
        """The function wrapped for asking, so that answers other than numbers and cells are converted."""
        call = _on_a_path(asked) if self.name == "back_up" else asked

        @wraps(asked)
        def looked_at(board: Board, *rest: Any) -> Any:
            given = (board, *rest) if "board" in self.takes else rest
            return self._meant(call(*given), board, rest)

        return looked_at

    def _meant(self, returned: Any, board: Board, rest: Sequence[Any]) -> Any:
        """The part of a returned value that matters. Raises `BoardError` for moves other than the free cells."""
        if self.returns == "order" and returned is not None:
            if not isinstance(returned, Iterable):
                raise BoardError(f"`in_order` must give all free cells in a list, but here it gives `{returned!r}`")
            moves = [board.cell(move) for move in islice(returned, len(board) + 1)]
            if sorted(moves) != list(board.moves):
                taken = [f". Cell {cell} is taken" for cell in moves if board[cell] != "-"]
                taken += [f". Cell {cell} comes more than once" for cell in moves if moves.count(cell) > 1]
                missing = [str(cell) for cell in board.moves if cell not in moves]
                taken += [f". Missing: {', '.join(missing)}"]
                odd = taken[0]
                raise BoardError(f"`in_order` must give each free cell exactly once, but it gives `{moves}`{odd}")
            return moves
        if self.returns == "move" and returned is not None:
            return _cells_played(Player(self.name, lambda board: returned), board)
        if isinstance(returned, bool) and ("how" in self.takes or self.returns == "truth"):
            return int(returned)  # True and False are compared as 1 and 0
        if "alpha" in self.takes and as_number(returned) is not None:  # outside the window, a value is only a bound
            *_, alpha, beta = rest
            return min(max(returned, alpha), beta)
        if not isinstance(returned, int) and (value := as_number(returned)) is not None:
            return round(value, 9)  # the last digits depend on the order of addition
        return returned


def _cells_played(player: Player, board: Board) -> tuple[int, ...]:
    """The cells that a player may choose. Where it wins at once, one winning cell is as good as another."""
    played = {*player.policy(board)}
    wins = {move for move in board.moves if board.play(move).winner}
    return tuple(wins if wins and played <= wins else played)


def _on_a_path(back_up: Function) -> Function:
    """The function called on the nodes of a path; it returns one number of one node after that."""

    node = type("Node", (SimpleNamespace,), {})  # named as the lesson's

    def number_after(path: Sequence[tuple[int, float]], result: float, place: int, number: str) -> Any:
        nodes, board = [], Board()
        for visits, wins in path:
            nodes.append(node(board=board, visits=visits, wins=wins, children={}))
            board = board.play(board.moves[0])
        back_up([*nodes], result)
        return getattr(nodes[place], number)

    return number_after


# --------------------------------------------------------------------------------------- which task a function is for


def named(task: str) -> str:
    """The name of a task's function."""
    return str(TASKS.get(task, {}).get("function", task))


def of_a_lesson(missing: str | None) -> str:
    """Where a missing function is, if it is one that a lesson asks for; otherwise ""."""
    if missing == "in_order":
        return "If no cell of this notebook defines `in_order`, use `board.moves` here. If one does, run that cell."
    told = (
        f"`{missing}` is a function that you write in a lesson. If a cell of this notebook defines it, run that cell."
    )
    told = f"{told} If none does, copy it from its lesson."
    return told if missing in [*map(named, TAKES)] else ""


def calls(tasks: Iterable[str]) -> str:
    """The calls of several tasks' functions, as a list in words."""
    return ", ".join(f"`{named(task)}({', '.join(TAKES[task])})`" for task in tasks)


def task_of(asked: Function) -> str:
    """Find a function's task by its name and parameters. Raises `Unknown`."""
    name = getattr(asked, "__name__", type(asked).__name__)
    every = [*TAKES]
    tasks = [task for task in every if named(task) == name]
    if not tasks:  # a lambda, an object or what a factory has made: the name it has been given counts
        there = vars(sys.modules["__main__"])
        tasks = [task for task in every if there.get(named(task)) is asked]
    if len(tasks) > 1:
        return _of_this_notebook(asked, tasks)
    if not tasks:
        close = next(filter(None, (misnamed(named(task), [name]) for task in every)), "")
        told = f"No task asks for a function named `{name}`. {close}".strip()
        raise Unknown(f'{told}\nThe tasks are {calls(every)}.\nOr name the task: `check({name}, "{every[0]}")`.')
    return tasks[0]


def _of_this_notebook(asked: Function, tasks: Iterable[str]) -> str:
    """The task of several that the function's notebook has: of these, the one with most of what the function takes."""
    there = getattr(unwrap(asked), "__globals__", vars(sys.modules["__main__"]))
    here = [task for task in tasks if TASKS[task].get("needs") in (None, *there)]
    return max([task for task in here if can_call(asked, TAKES[task])] or here, key=lambda task: len(TAKES[task]))


def can_call(function: Function, given: Sequence[str]) -> bool:
    """Whether a function can be called with these arguments, as far as its signature says."""
    with suppress(ValueError):  # some functions written in C have no signature
        try:
            signature(function).bind(*given)
        except TypeError:
            return False
    return True


@cache
def load(task: str) -> Exercise:
    """Load the task or exercise with this name. Raises `ValueError` for an unknown name."""
    if task in GRADED:
        return load_graded(task)
    if task not in TASKS:
        raise ValueError(unknown_name("task", task, [*GRADED, *OF_ITS_OWN, *TASKS]))
    about = TASKS[task]
    unasked = Task(
        name=task,
        takes=TAKES[task],
        returns=about.get("returns", "number"),
        cases=(),
        hints=tuple(about["hints"]),
        worked=tuple((Board.from_text(text), terms) for text, terms in about.get("worked", ())),
        function=named(task),
        done=about["done"],
        withheld=tuple(about.get("withheld", ())),
        refusal=about.get("refusal", ""),
        given=tuple(about.get("given", ())),
    )
    right = unasked.through(function(named(task), about["right"]))
    cases = [Case(question, taken(right(*question), question[0]).value) for question in QUESTIONS[about["asks"]]()]
    mistakes = [
        (Mistake(name, sentence), source)
        for name, (sentence, ways) in about.get("mistakes", {}).items()
        for way in each_way(ways)
        if (source := edited(about["right"], way))
    ]
    return replace(unasked, cases=tuple(cases), mistakes=tuple(mistakes))


# ------------------------------------------------------------------------------------------------- what is asked about


class KnownPolicy:
    """The policy of one of the lab's players, asked once about each board; its `repr` is the code that gives it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._answers: dict[Board, Any] = {}

    def __call__(self, board: Board) -> Any:
        if board not in self._answers:
            self._answers[board] = PLAYERS[self.name].policy(board)
        return self._answers[board]

    def __iter__(self) -> NoReturn:
        raise TypeError("`policy` is a function. Call it with a board: `policy(board)`")

    def __repr__(self) -> str:
        return f"PLAYERS[{self.name!r}].policy"


def _late(most: int = 7) -> list[Board]:
    """Positions with few enough free cells for a quick search, nearest to the end first; only some of the largest."""
    found = [[board for board in reversed(positions()) if len(board.moves) == free] for free in range(most + 1)]
    return [board for free, some in enumerate(found) for board in some[:: EVERY.get(free, 1)]]


def _windows() -> list[Question]:
    """All late positions with the widest window, and some with a narrow one, outside which a bound is enough."""
    narrow = product(_late(5)[::20], ((-1, 0), (0, 1), (-1, 1)))
    return [(board, -inf, inf) for board in _late(6)] + [(board, *window) for board, window in narrow]


def _policies() -> list[Question]:
    """Late positions, and the empty board at the end, for each side and for players that choose in different ways."""
    policies = [*map(KnownPolicy, ("rules-coded", "flash-fixed", "open-lines", "random"))]
    return [*product(_late(5)[::17], SIDES, policies), *product([Board()], SIDES, policies[:3])]


def _judgements() -> list[Question]:
    """Finished and unfinished positions, with numbers inside and outside the range of a result."""
    return [*product(positions()[::61], (-2.5, -1, -0.5, 0, 0.25, 1, 1.75))]


def _regrets() -> list[Question]:
    """Three regrets, and which of the three is asked about."""
    all_three = [(2, 1, 1), (1, 0, 0), (0, 0, 0), (-1, -2, -0.5), (3, -1, 1), (-2, 0.5, 2), (0, 4, -3), (-3, 0, 0)]
    return [(Board(), regrets, n) for regrets in all_three for n in range(3)]


def _depths() -> list[Question]:
    """Every position at depths 0 and 1, and fewer at larger depths; smallest depth first."""
    every = [(board, depth) for depth in (0, 1) for board in positions()]
    return every + [(board, depth) for depth in (2, 3) for board in _late()[:: 10 * depth]]


def _cubes() -> list[Question]:
    start = Board(shape=(4, 4, 4))
    return [(reduce(Board.play, moves, start), plies, -inf, inf) for moves, plies in TASKS["cube"]["cubes"]]


def _corrections() -> list[Question]:
    """Old numbers, rewards, best next numbers and rates. After a win there is no next number: it is 0."""
    ahead = [(1, 0), *product((0,), (-1, -0.5, 0, 0.25, 1))]
    return [(Board(), old, *more, rate) for old, more, rate in product((0, 1, -1, 0.5), ahead, (1, 0.5, 0.1))]


def _tries() -> list[Question]:
    """Wins, visits and the parent's visits, with several weights of the bonus."""
    counts = [(visits, parent) for visits, parent in product((1, 2, 7, 40), (1, 2, 10, 100, 2000)) if visits <= parent]
    wins = [(won, *count) for count in counts for won in {0, 0.5, count[0] // 2, count[0]}]
    return [(Board(), *won, c) for won, c in product(wins, (1.4, 1, 0, 7))]


def _paths() -> list[Question]:
    """Paths of up to four nodes, the result of a game, and a number of a node to look at afterwards."""
    nodes = ((9, 4.5), (5, 2), (2, 1), (0, 0))
    paths = [nodes[4 - length :] for length in (1, 2, 3, 4)]
    every = product(paths, (1, 0.5, 0), range(4), ("visits", "wins"))
    return [(Board(), path, result, place, number) for path, result, place, number in every if place < len(path)]


QUESTIONS: dict[str, Callable[[], Sequence[Question]]] = {
    "positions": lambda: [*product(positions())],
    "positions, for each side": lambda: [*product(positions(), SIDES)],
    "positions, for each side and number": lambda: [
        *product(positions(), SIDES, (1, 2)),
        *product(positions()[::7], SIDES, (0, 3)),
    ],
    "positions, to a depth": _depths,
    "unfinished": lambda: [(board,) for board in positions() if not board.over],
    "finished, for each side": lambda: [*product([board for board in positions() if board.over], SIDES)],
    "numbers to correct": _corrections,
    "counts of games": _tries,
    "paths in a tree": _paths,
    "late": lambda: [*product(_late())],
    "late, for each side and policy": _policies,
    "boards and numbers": _judgements,
    "regrets": _regrets,
    "late, for each end": lambda: [*product(_late(), (*SIDES, None))],
    "late, with a window": _windows,
    "cubes, to a depth, with a window": _cubes,
}
