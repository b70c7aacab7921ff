"""The key of the exercise heuristic 1, whose weights, marks and texts for students are in `heuristic_1.toml`."""

from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from exercises.grading.key import Key, parts_of, settings, written
from ttt.board import Board
from ttt.checks.asking import Answer, packed_question
from ttt.checks.checking import Verdict, alone
from ttt.checks.exercise import Exercise, path_of, read

NAME = "heuristic_1"
SETTINGS = Path(__file__).with_suffix(".toml")
NOTEBOOK = Path(__file__).parents[1] / NAME / f"{NAME}.ipynb"
BY_HAND = (("X-- -O- ---", "X"), ("X-- -O- ---", "O"), ("XX- -O- ---", "X"))  # which the notebook works out
LOST = {finding: parts.split() for finding, parts in settings(NAME)["lost"].items()}


@cache
def key(_seed: str = "") -> Key:
    """The key; nothing in it depends on chance."""
    return Key(read(written(students_file())), marks)


def students_file(weights: Sequence[int] = ()) -> dict[str, Any]:
    """What students have of the exercise, with the settings' weights or others."""
    weights = weights or settings(NAME)["weights"]
    worked = []
    for text, player in BY_HAND:
        board = Board.from_text(text)
        terms = {(mark, n): len(alone(board, mark, n)) for mark in "XO" for n in (1, 2)}
        value = sum(weights[n] * number * (1 if mark == player else -1) for (mark, n), number in terms.items())
        named = {f"{mark}{n}".lower(): number for (mark, n), number in terms.items()}
        worked.append([packed_question((board, player)), {"value": value, **named}])
    found = settings(NAME)
    return {**found["about"], "weights": list(weights), **found["rules"], "worked": worked, **found["texts"]}


def variant(weights: Sequence[int]) -> dict[Path, str]:
    """The texts of the files that other weights change. Raises `ValueError` where they can't be changed."""
    if len(weights) != 4 or weights[0] or weights[3] or len({0, *weights}) < 3:
        raise ValueError("the four numbers are 0, what one mark and two marks count (neither 0 nor the same), and 0.")
    before = settings(NAME)["weights"]
    changes = [(SETTINGS, f"weights = {list(before)}", f"weights = {list(weights)}")]
    changes += [(NOTEBOOK, *both) for both in zip(formulas(before), formulas(weights), strict=True)]
    texts = {path_of(NAME): written(students_file(weights))}
    for path, old, new in changes:
        text = texts.get(path) or path.read_text(encoding="utf-8")
        if old not in text:
            raise ValueError(f"{path.name} does not say {old}, so it can't be changed to {new}.")
        texts[path] = text.replace(old, new)
    return texts


def formulas(weights: Sequence[int]) -> tuple[str, str]:
    """The formula as the notebook states it, in its first cell and in the function's docstring, as JSON has them."""

    def side(mark: str, times: str, index: str) -> str:
        two, one = ("" if weights[n] == 1 else f"{weights[n]}{times}" for n in (2, 1))
        return f"{two}{mark}{index}2 + {one}{mark}{index}1".replace("+ -", "- ")

    return f"$${side('X', '', '_')} - ({side('O', '', '_')})$$", f"{side('X', '·', '')} − ({side('O', '·', '')})"


def marks(exercise: Exercise, answers: Sequence[Answer], verdict: Verdict) -> dict[str, int]:
    """The marks by part for a function that is not right: those that its findings leave, or else by the share."""
    values = [None if answer.fault else answer.value for answer in answers[: len(exercise.once)]]
    earned = {part.name: 0 for part in parts_of(NAME)}
    first: dict[Any, Any] = {}  # the answer to who asks and to the outcome
    asked = ((player, board.winner, board.over) for board, player in exercise.once)
    if all(first.setdefault(told, value) == value for told, value in zip(asked, values, strict=False)):
        return earned  # the function tells no more than these
    lost = {part for finding in verdict.findings for part in LOST.get(finding, ())}
    for part in parts_of(NAME):
        places = places_of_parts()[part.name]
        if lost:
            earned[part.name] = 0 if part.name in lost else part.marks
        elif places:  # two parts have no boards of their own
            right = sum(values[place] == exercise.cases[place].value for place in places if place < len(values))
            by_chance = max(Counter(exercise.cases[place].value for place in places).values())
            earned[part.name] = part.marks * right // len(places) if right > by_chance else 0
    return earned


@cache
def places_of_parts() -> dict[str, list[int]]:
    """The places of the questions that belong to each part."""
    found: dict[str, list[int]] = {part.name: [] for part in parts_of(NAME)}
    for place, (board, _) in enumerate(key().exercise.once):
        found[kind(board)].append(place)
    return found


def kind(board: Board) -> str:
    """The part that a board belongs to: somebody has won, some line holds marks of both sides, or neither."""
    if board.winner:
        return "completed"
    blocked = any("X" in line and "O" in line for line in board.lines)
    return "blocked" if blocked else "counts"
