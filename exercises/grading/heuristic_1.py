"""The key to the exercise heuristic 1, which is in `lab/checks/heuristic_1.toml`: its points, and other weights."""

from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from lab.checks.calling import Answer
from lab.checks.exercise import Exercise
from lab.checks.graded import load, path_of, settings
from lab.checks.verdict import Verdict

from exercises.grading import GradingError
from exercises.grading.key import Earned, Key, Part, parts_of
from exercises.grading.tables import write
from ttt.board import Board

_NAME = "heuristic_1"
NOTEBOOK = Path(__file__).parents[1] / _NAME / f"{_NAME}.ipynb"
LOST = {finding: parts.split() for finding, parts in settings(_NAME)["lost"].items()}


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
    """The points by part for a wrong function: those its findings leave, or in proportion to right answers."""
    values = [None if answer.fault else answer.value for answer in answers[: len(exercise.once)]]
    first: dict[Any, Any] = {}  # the first answer by player and outcome
    asked = ((player, board.winner, board.over) for board, player in exercise.once)
    if all(first.setdefault(told, value) == value for told, value in zip(asked, values, strict=False)):
        return Earned({part.name: 0 for part in parts_of(_NAME)})  # it distinguishes nothing more than these
    findings = [finding for one in verdict.mistakes for finding in one.findings]
    lost = {part for finding in findings for part in LOST.get(finding, ())}
    failed = {place for place, value in enumerate(values) if value is None}
    wrong = [place for place, value in enumerate(values) if value not in (None, exercise.cases[place].value)]
    explained = len(answers) == len(exercise.questions) and bool(lost or not wrong)
    if explained and len({exercise.once[place][1] for place in failed}) == 1:
        failed, lost = set(), lost | {"sides"}
    seldom = 2 * len(failed) > len(values)  # then no more is known of the lines and the sides
    earned: dict[str, float] = {}
    for part, places in places_of_parts().items():
        right = sum(values[place] == exercise.cases[place].value for place in places if place < len(values))
        by_chance = max(Counter(exercise.cases[place].value for place in places).values(), default=0)
        if part.name in lost or (seldom and not places):
            earned[part.name] = 0
        elif explained and failed.isdisjoint(places):
            earned[part.name] = part.points
        else:
            earned[part.name] = part.points * right // len(places) if right > by_chance else 0
    return Earned(earned)


@cache
def places_of_parts() -> dict[Part, list[int]]:
    """The indices of the questions of each part; two parts have no boards of their own."""
    kinds = [kind(board) for board, _ in load(_NAME).once]
    return {part: [place for place, name in enumerate(kinds) if name == part.name] for part in parts_of(_NAME)}


def kind(board: Board) -> str:
    """The part a board belongs to: somebody has won, some line holds marks of both sides, or neither."""
    if board.winner:
        return "completed"
    blocked = any("X" in line and "O" in line for line in board.lines)
    return "blocked" if blocked else "counts"
