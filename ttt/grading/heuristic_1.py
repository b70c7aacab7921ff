"""The key of the exercise heuristic 1: the formula, the mistakes that students make with it, and the marks.

The formula's weights, its board, the marks and the sentences for students are in `heuristic_1.toml` beside this file.
"""

from __future__ import annotations

import tomllib
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import cache, reduce
from itertools import chain
from pathlib import Path
from random import Random
from typing import Any

from ttt.board import Board, Line, Mark, opponent
from ttt.exercises import Case, Drawing
from ttt.grading.judge import Question
from ttt.grading.key import Function, Key, KnownMistake, Part

NAME = "heuristic_1"
SETTINGS = Path(__file__).with_suffix(".toml")
ENUMERABLE = 9  # cells; on larger boards the questions come from random games
DRAWN = 5000  # boards from random games
COMPLETED = (2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 16, 20, 27, 30, 50, 99, 100, 999, 1000, 10_000)  # worths people give
NUMBERS = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight")
KINDS = ("singles", "pairs", "blocked", "completed")  # of boards

Marks = tuple[Mark, ...]
Worth = Callable[[int, int], int]  # what a line is worth, by the player's and the opponent's marks in it


@cache
def key() -> Key:
    """The key, worked out from the settings."""
    settings: dict[str, Any] = tomllib.loads(SETTINGS.read_text(encoding="utf-8"))
    start, weights = Board(tuple(settings["shape"]), settings["k"]), settings["weights"]
    right = total(weighed(weights))
    boards = reachable(start)
    kinds = [kind(board) for board in boards]
    values = [right(board, "X") for board in boards]
    middle = len(start) // 2
    first, second = reduce(Board.play, (0, middle), start), reduce(Board.play, (0, middle, 1), start)
    functions = wrong_functions(weights)
    if unpaired := functions.keys() ^ settings["mistakes"].keys():
        raise ValueError(f"A known mistake needs a function and a sentence: {', '.join(sorted(unpaired))}.")
    parts = part_questions(kinds, settings["parts"])
    everything = "every position" if len(start) <= ENUMERABLE else "positions from random games"
    return Key(
        name=NAME,
        start=start,
        right=right,
        mistakes=tuple(
            KnownMistake(name, sentence.format(pair=weights[2]), tuple(functions[name]))
            for name, sentence in settings["mistakes"].items()
        ),
        questions=tuple(Question(board, player) for board in boards for player in "XO"),
        values=tuple(side for value in values for side in (value, -value)),  # what a board is worth to X it costs O
        scope=f"{everything}, seen from both sides",
        parts=tuple(
            Part(name, settings["parts"][name], marks, parts[name]) for name, marks in settings["marks"].items()
        ),
        basic=basic_questions(boards, kinds, values),
        first=parts["singles"] | parts["pairs"] | parts["sides"],
        worked=(Question(first, "X"), Question(first, "O"), Question(second, "X")),
        hints=tuple(settings["texts"]["hints"]),
        explained=lambda question: explained(question, right),
    )


# ---------------------------------------------------------------------------------------------------- the formula


def weighed(weights: Sequence[int]) -> Worth:
    """A line with n marks of one side alone is worth weights[n]; the opponent's lines count against."""
    return lambda own, other: (0 if other else weights[own]) - (0 if own else weights[other])


def total(worth: Worth, lines: Callable[[Board], Sequence[Marks]] = lambda board: board.lines) -> Function:
    """The function that sums up what lines are worth, seen from a player's side."""

    def function(board: Board, player: Mark) -> int:
        rival = opponent(player)
        return sum(worth(line.count(player), line.count(rival)) for line in lines(board))

    return function


def explained(question: Question, right: Function) -> Case:
    """The case of a question, with the lines that count: how many, in words and by name, and highlighted."""
    board, player = question.board, question.player
    counted = {mark: lines_alone(board, mark) for mark in (player, opponent(player))}
    words = [
        f"{NUMBERS[len(lines)] if len(lines) < len(NUMBERS) else len(lines)} with {n} {mark} alone"
        for mark, by_number in counted.items()
        for n, lines in sorted(by_number.items(), reverse=True)
        if lines
    ]
    return Case(
        board,
        player,
        right(board, player),
        f"The lines that count: {', '.join(words) or 'none'}.",
        {f"{mark}{n}".lower(): len(lines) for mark in "XO" for n, lines in counted[mark].items()},
        tuple(Drawing(m, f"lines of {m} alone", tuple(chain(*lines.values()))) for m, lines in counted.items()),
    )


def lines_alone(board: Board, mark: Mark) -> dict[int, tuple[Line, ...]]:
    """By number of marks, the incomplete lines that hold as many marks of one side and none of the other."""
    lines = list(zip(board.line_cells, board.lines, strict=True))
    return {
        n: tuple(cells for cells, marks in lines if marks.count(mark) == n and opponent(mark) not in marks)
        for n in range(1, board.k)
    }


# --------------------------------------------------------------------------------------------------- the mistakes


def wrong_functions(weights: Sequence[int]) -> dict[str, list[Function]]:
    """By name, the functions with the mistakes that students make with the formula."""
    worth, largest = weighed(weights), max(weights)
    right, ones = total(worth), [min(weight, 1) for weight in weights]
    diagonals = ("main diagonal", "other diagonal")

    def at_least(own: int, other: int) -> int:
        return (0 if other else sum(weights[1 : own + 1])) - (0 if own else sum(weights[1 : other + 1]))

    def bracket_lost(own: int, other: int) -> int:
        """3·X2 + X1 − 3·O2 + O1: the minus reaches the first of the opponent's terms only."""
        positive = not own and weights[other] == min(filter(None, weights))
        return abs(worth(own, other)) if positive else worth(own, other)

    def first_worth(board: Board, player: Mark) -> int:
        """Returns from inside the condition: the first line that counts is the answer."""
        worths = (worth(line.count(player), line.count(opponent(player))) for line in board.lines)
        return next(filter(None, worths), 0)

    def without(*directions: str) -> Function:
        return total(worth, lambda board: repeated(board, directions, 0))

    def twice(*directions: str) -> Function:
        return total(worth, lambda board: repeated(board, directions, 2))

    return {
        "blocked lines counted": [total(lambda own, other: weights[own] - weights[other])],
        "signs swapped": [lambda board, player: -right(board, player)],
        "always seen from X": [lambda board, player: right(board, "X")],
        "always seen from the side to move": [lambda board, player: right(board, board.turn)],
        "the 3 forgotten": [total(weighed(ones))],
        "weights swapped": [total(weighed(swapped(weights)))],
        "single marks not counted": [total(weighed([0 if weight == 1 else weight for weight in weights]))],
        "pairs not counted": [total(weighed([weight if weight == 1 else 0 for weight in weights]))],
        "bracket lost": [total(bracket_lost)],
        "the 3 times all": [total(weighed([largest * one for one in ones]))],
        "main diagonal missing": [without("main diagonal")],
        "other diagonal missing": [without("other diagonal")],
        "both diagonals missing": [without(*diagonals)],
        "columns missing": [without("columns")],
        "rows missing": [without("rows")],
        "only rows": [without("columns", *diagonals)],
        "rows counted twice": [twice("rows")],
        "columns counted twice": [twice("columns")],
        "diagonals counted twice": [twice(*diagonals)],
        "at least for exactly": [total(at_least)],
        "completed lines counted": [total(weighed([*weights[:-1], completed])) for completed in COMPLETED],
        "empty lines counted": [total(lambda own, other: worth(own, other) + (1 if own == other == 0 else 0))],
        "absolute value": [lambda board, player: abs(right(board, player))],
        "heuristic 2 instead": [total(weighed([1] * len(weights)))],
        "opponent ignored": [
            total(lambda own, other: 0 if other else weights[own]),
            total(lambda own, other: weights[own]),
        ],
        "opponent added": [total(lambda own, other: worth(own, other) if own else -worth(own, other))],
        "returned inside the loop": [total(worth, lambda board: board.lines[:1]), first_worth],
    }


def swapped(weights: Sequence[int]) -> list[int]:
    """The weights that are not 0 in the opposite order."""
    others = [weight for weight in weights if weight]
    return [others.pop() if weight else 0 for weight in weights]


def repeated(board: Board, directions: Sequence[str], times: int) -> list[Marks]:
    """The lines of a board, those of some directions not at all or twice."""
    lines = zip(board.line_cells, board.lines, strict=True)
    columns = board.shape[-1]
    return [marks for cells, marks in lines for _ in range(times if direction(cells, columns) in directions else 1)]


def direction(line: Line, columns: int) -> str:
    """In which direction a line of cells runs on a flat board."""
    step = line[1] - line[0]
    return {1: "rows", columns: "columns", columns + 1: "main diagonal"}.get(step, "other diagonal")


# -------------------------------------------------------------------------------------------------- the questions


def reachable(start: Board) -> list[Board]:
    """All positions of the game, or on larger boards those of random games, the same ones each time."""
    if len(start) > ENUMERABLE:
        return random_positions(start, Random(1))
    boards, latest = [start], [start]
    while latest:
        following = {(b.x, b.o): b for board in latest if not board.over for b in map(board.play, board.moves)}
        latest = [following[marks] for marks in sorted(following)]
        boards += latest
    return boards


def random_positions(start: Board, rng: Random) -> list[Board]:
    """The positions of random games, the simplest first."""
    boards = {start: None}
    while len(boards) < DRAWN:
        board = start
        while not board.over:
            board = board.play(rng.choice(board.moves))
            boards[board] = None
    return sorted(boards, key=lambda board: len(board) - len(board.moves))


def kind(board: Board) -> str:
    """The part of the marks that a board belongs to."""
    if board.winner:
        return "completed"
    lines = board.lines
    if any("X" in line and "O" in line for line in lines):
        return "blocked"
    return "pairs" if any(len(line) - line.count("-") > 1 for line in lines) else "singles"


def part_questions(kinds: Sequence[str], names: Iterable[str]) -> dict[str, frozenset[int]]:
    """The questions of each part. The first four are seen from X; "sides" asks the first two from O."""
    places: defaultdict[str, list[int]] = defaultdict(list)
    for number, name in enumerate(kinds):
        from_x, from_o = 2 * number, 2 * number + 1
        places[name].append(from_x)
        if name in ("singles", "pairs"):
            places["sides"].append(from_o)
        places["all"] += from_x, from_o
    return {part: frozenset(places[part]) for part in names}


def basic_questions(boards: Sequence[Board], kinds: Sequence[str], values: Sequence[int]) -> tuple[Question, ...]:
    """The first two boards of each kind on which the value is not 0, and the first on which marks cancel out to 0."""
    chosen = defaultdict(list)
    for board, name, value in zip(boards, kinds, values, strict=True):
        if len(board.moves) > 2 and board.x:
            chosen[name if value else "balanced"].append(board)
    unequal = [Question(board, player) for name in KINDS for player in "XO" for board in chosen[name][:2]]
    return (*unequal, Question(chosen["balanced"][0], "X"))
