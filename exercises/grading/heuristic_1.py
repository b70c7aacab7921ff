"""The key to the exercise heuristic 1, which is in `lab/checks/heuristic_1.toml`: its points, and other weights."""

from collections import Counter
from collections.abc import Collection, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from lab.checks.calling import Answer, Value
from lab.checks.exercise import Exercise
from lab.checks.graded import load, path_of, settings
from lab.checks.line_sums import OWN, boards_asked, same, settled
from lab.checks.verdict import Verdict

from exercises.grading import GradingError
from exercises.grading.key import Earned, Key, parts_of
from exercises.grading.tables import write
from ttt.board import Board

_NAME = "heuristic_1"
NOTEBOOK = Path(__file__).parents[1] / _NAME / f"{_NAME}.ipynb"
LOST: dict[str, dict[str, float]] = settings(_NAME)["lost"]


@cache
def make_key(_seed: str = "") -> Key:
    """Build the key; nothing in it is random."""
    return Key(load(_NAME), _points)


def change_weights(what: str) -> list[Path]:
    """Give the exercise weights such as "0,1,4,0"; return the files that change. Raises `GradingError`."""
    try:
        weights = [int(weight) for weight in what.split(",")]
        if len(weights) != 4 or weights[0] or weights[3] or len({0, *weights}) < 3:
            raise ValueError("the first and the last must be 0, and the two between them must differ and not be 0.")
    except ValueError as error:
        raise GradingError(f"The weights must look like 0,1,4,0, not {what!r}: {error}") from None
    before = settings(_NAME)["weights"]
    if weights == before:
        return []
    changes = [(path_of(_NAME), f"weights = {list(before)}", f"weights = {weights}")]
    changes += [(NOTEBOOK, *both) for both in zip(formulas(before), formulas(weights), strict=True)]
    texts: dict[Path, str] = {}
    for path, old, new in changes:
        text = texts.get(path) or path.read_text(encoding="utf-8")
        if old not in text:
            raise GradingError(f"{path.name} does not contain `{old}`, so it can't be changed to `{new}`.")
        texts[path] = text.replace(old, new)
    for path, text in texts.items():
        write(path, text)
    return list(texts)


def formulas(weights: Sequence[int]) -> tuple[str, str]:
    """The formula as in the notebook's first cell and in the function's docstring, escaped for JSON."""

    def side(mark: str, times: str, index: str) -> str:
        two, one = ("" if weights[n] == 1 else f"{weights[n]}{times}" for n in (2, 1))
        return f"{two}{mark}{index}2 + {one}{mark}{index}1".replace("+ -", "- ")

    return f"$${side('X', '', '_')} - ({side('O', '', '_')})$$", f"{side('X', '·', '')} − ({side('O', '·', '')})"


def _points(exercise: Exercise, answers: Sequence[Answer], verdict: Verdict) -> Earned:
    """The points by part for a wrong function: less what its mistakes cost, or what can be measured of each part."""
    given = [None if answer.fault else answer.value for answer in answers[: len(exercise.once)]]
    values = [value if isinstance(value, int | float) else None for value in given]
    several = any(isinstance(answer.value, tuple) for answer in answers)  # it may hold what is right
    first: dict[Any, Any] = {}  # the first answer by player and outcome
    asked = ((player, board.winner, board.over) for board, player in exercise.once)
    if all(first.setdefault(told, value) == value for told, value in zip(asked, values, strict=False)):
        return Earned({part.name: 0 for part in parts_of(_NAME)}, unsure=several)  # it tells nothing more apart
    points: dict[str, float] = {part.name: part.points for part in parts_of(_NAME)}
    findings = {finding for one in verdict.mistakes for finding in one.findings}
    failed = {place for place, value in enumerate(values) if value is None}
    every = [place for place, value in enumerate(values) if value not in (None, exercise.cases[place].value)]
    if len(answers) == len(exercise.questions) and (not findings.isdisjoint(LOST) or not every):
        for lost in (LOST[finding] for finding in findings & LOST.keys()):
            points |= {part: max(0, points[part] - number) for part, number in lost.items()}
        if len({exercise.once[place][1] for place in failed}) == 1:
            return Earned(points | {"sides": 0})
        return Earned({part: points[part] * answered_share(failed, len(values), part) // 1 for part in points})
    if 2 * len(failed) > len(values) or len(answers) < len(exercise.questions):
        if not every and not failed:  # it stopped before the end, and was right so far
            return Earned({part: points[part] * len(values) // (len(exercise.once) + 1) for part in points})
        return Earned({part: points[part] * by_share(exercise, values, part) // 1 for part in points})
    return Earned({part: points[part] * holds(exercise, values, part) // 0.5 / 2 for part in points}, unsure=True)


def answered_share(failed: Collection[int], number: int, part: str) -> float:
    """The share of a part's own boards without a failure; of the parts without boards, all or nothing."""
    own = places_of_parts()[part]
    return 1 - len(own.intersection(failed)) / len(own) if own else 2 * len(failed) <= number


def by_share(exercise: Exercise, values: Sequence[Value], part: str) -> float:
    """The share of a part's own boards with the right value, if that is more than always one value would get."""
    own = sorted(places_of_parts()[part])
    due = [exercise.cases[place].value for place in own]
    right = sum(place < len(values) and values[place] == value for place, value in zip(own, due, strict=True))
    return right / len(own) if own and right > max(Counter(due).values()) else 0


def holds(exercise: Exercise, values: Sequence[Value], part: str) -> float:
    """Whether what a part is about is true of these values: all, a half or nothing of its points."""
    number = np.array([np.nan if value is None else value for value in values], float)
    boards = boards_asked(exercise.weights)
    blocked = (boards.kinds % OWN > 0) & (boards.kinds > OWN) & (boards.kinds % OWN != boards.kinds)
    if part == "sides":
        return float(same(number[::2], -number[1::2]))
    if part == "blocked":  # boards that differ in blocked lines only
        left = np.where(blocked, 15, boards.kinds)
        return float(settled(number, left @ (16 ** np.arange(8))))
    if part == "lines":  # boards that differ by a turn or a reflection
        cells = boards.cells[::2].reshape(-1, 3, 3)
        codes = [
            turned.reshape(-1, 9) @ (5 ** np.arange(9)) for turned in (cells, cells.transpose(0, 2, 1), cells[:, ::-1])
        ]
        places = [np.searchsorted(codes[0], one, sorter=np.argsort(codes[0])) for one in codes[1:]]
        return bool(by_share(exercise, values, "counts")) * float(
            all(same(number[::2], number[::2][np.argsort(codes[0])[some]]) for some in places)
        )
    return by_share(exercise, values, part)


@cache
def places_of_parts() -> dict[str, set[int]]:
    """The indices of the questions of each part; two parts have no boards of their own."""
    kinds = [kind(board) for board, _ in load(_NAME).once]
    return {part.name: {place for place, name in enumerate(kinds) if name == part.name} for part in parts_of(_NAME)}


def kind(board: Board) -> str:
    """The part a board belongs to: somebody has won, some line holds marks of both sides, or neither."""
    if board.winner:
        return "completed"
    blocked = any("X" in line and "O" in line for line in board.lines)
    return "blocked" if blocked else "counts"
