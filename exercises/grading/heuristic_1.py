"""The key of the exercise heuristic 1: the formula's weights, and marks for what is right in a function.

The weights, the marks and the texts for students are in `heuristic_1.toml` beside this file.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from exercises.grading.key import Key, Part, written
from ttt.board import Board
from ttt.exercises.asking import Answer, Value, packed_question
from ttt.exercises.checking import Verdict, alone
from ttt.exercises.exercise import Exercise, number_word, path_of, read

NAME = "heuristic_1"
SETTINGS = Path(__file__).with_suffix(".toml")
NOTEBOOK = Path(__file__).parents[1] / NAME / f"{NAME}.ipynb"
REFUSAL = "LineWeights may not be called: in this exercise the formula is yours to write."


@cache
def key(_seed: str = "") -> Key:
    """The key; nothing in it depends on chance."""
    settings = tomllib.loads(SETTINGS.read_text(encoding="utf-8"))
    parts = tuple(Part(name, title, marks) for name, (marks, title) in settings["parts"].items())
    return Key(read(written(students_file())), parts, marks)


def students_file(weights: Sequence[int] = ()) -> dict[str, Any]:
    """What students have of the exercise, with the settings' weights or others. Raises `ValueError` for odd ones."""
    settings = tomllib.loads(SETTINGS.read_text(encoding="utf-8"))
    weights = weights or settings["weights"]
    if len(weights) != 4 or weights[0] or not weights[1] or not weights[2]:
        raise ValueError(
            "weights needs four numbers: 0 for an empty line, then what a line with one, two and three marks counts, "
            "the first two of which are not 0."
        )
    by_hand = [("X-- -O- ---", "X"), ("X-- -O- ---", "O"), ("XX- -O- ---", "X")]
    counts = {
        "kinds": number_word(2 * sum(map(bool, weights))),
        "numbers": " or ".join(f"with {number_word(n)}" for n in (3, 2, 1) if weights[n]),
    }
    return {
        "name": NAME,
        "takes": ["board", "player"],
        "returns": "number",
        "weights": list(weights),
        "withheld": ["ttt.heuristics.LineWeights.__call__"],
        "refusal": REFUSAL,
        "worked": [worked(Board.from_text(text), player, weights) for text, player in by_hand],
        "hints": [hint.format(**counts) for hint in settings["texts"]["hints"]],
    }


def worked(board: Board, player: str, weights: Sequence[int]) -> list[Any]:
    """A board that the notebook works out by hand, with its value and the terms that make it up."""
    lines = {mark: {n: len(alone(board, mark, n)) for n in (1, 2, 3)} for mark in "XO"}
    worth = {mark: sum(weights[n] * lines[mark][n] for n in (1, 2, 3)) for mark in "XO"}
    value = worth[player] - worth["O" if player == "X" else "X"]
    told = (1, 2, 3) if weights[3] else (1, 2)
    terms = {f"{mark}{n}".lower(): lines[mark][n] for mark in "XO" for n in told}
    return [packed_question((board, player)), {"value": value, **terms}]


# ----------------------------------------------------------------------------------------------------- other weights


def variant(weights: Sequence[int]) -> dict[Path, str]:
    """The texts of all files that other weights change: the settings, the students' file and the notebook.

    Raises `ValueError` for weights that make no exercise, and where a file does not state the present ones.
    """
    data = students_file(weights)  # which judges the weights
    if weights[3] or weights[1] == weights[2]:
        raise ValueError("in the exercise completed lines count 0, and two marks count differently from one.")
    before = tomllib.loads(SETTINGS.read_text(encoding="utf-8"))["weights"]
    changes = {
        SETTINGS: [(f"weights = {list(before)}", f"weights = {list(weights)}")],
        NOTEBOOK: list(zip(formulas(before), formulas(weights), strict=True)),
    }
    texts = {path_of(NAME): written(data)}
    for path, replaced in changes.items():
        text = path.read_text(encoding="utf-8")
        for old, new in replaced:
            if old not in text:
                raise ValueError(f"{path.name} does not say {old}, so it can't be changed to {new}.")
            text = text.replace(old, new)
        texts[path] = text
    return texts


def formulas(weights: Sequence[int]) -> tuple[str, str]:
    """The formula as the notebook states it, in its first cell and in the function's docstring, as JSON has them."""
    terms = [(n, weights[n]) for n in (3, 2, 1) if weights[n]]
    first = {mark: _sum(terms, "{}" + f"{mark}_{{}}") for mark in "XO"}
    second = {mark: _sum(terms, "{}·" + f"{mark}{{}}") for mark in "XO"}
    return f"$${first['X']} - ({first['O']})$$", f"{second['X']} − ({second['O']})"


def _sum(terms: Sequence[tuple[int, int]], form: str) -> str:
    """The terms with their factors, of which a 1 is not written."""
    factors = [form.format(weight, n) for n, weight in terms]
    alone = [text.removeprefix("1·").removeprefix("1") for text in factors]
    told = [short if weight == 1 else text for (_, weight), text, short in zip(terms, factors, alone, strict=True)]
    return " + ".join(told).replace("+ -", "- ")


# ------------------------------------------------------------------------------------------------------------ the marks

# The parts that a function loses, by what the fit finds in it. What is not about the lines' sum at all, or does
# something with it, keeps five marks at most.
LOST = {
    "lines": ("lines",),
    "one-line": ("lines", "counts", "sides"),
    "counts": ("counts",),
    "empty": ("counts",),
    "order": ("counts",),
    "opponent": ("counts", "blocked", "sides"),
    "heuristic-2": ("counts", "blocked", "sides"),
    "sum": ("counts", "blocked", "sides"),
    "blocked": ("blocked",),
    "completed": ("completed",),
    "sides": ("sides",),
    "ahead": ("counts", "sides"),
    "constant": ("lines", "counts", "blocked", "completed", "sides"),
}
BY_SHARE = ("counts", "blocked", "completed")  # what an unexplained function can earn


def marks(exercise: Exercise, answers: Sequence[Answer], verdict: Verdict) -> dict[str, int]:
    """The marks by part for a function that is not right."""
    parts = key().parts
    values = [None if answer.fault else answer.value for answer in answers[: len(exercise.once)]]
    if _is_constant(exercise, values):
        return {part.name: 0 for part in parts}
    found = [finding for finding in verdict.findings if finding in LOST]
    if found:
        lost = {part for finding in found for part in LOST[finding]}
        return {part.name: 0 if part.name in lost else part.marks for part in parts}
    return {part.name: _by_share(exercise, values, part) if part.name in BY_SHARE else 0 for part in parts}


def _is_constant(exercise: Exercise, values: Sequence[Value]) -> bool:
    """Whether a function tells no more than who is asked for, who has won, and whether the game is over."""
    seen: dict[tuple[Any, ...], set[Value]] = {}
    for (board, player), value in zip(exercise.once, values, strict=False):
        seen.setdefault((player, board.winner, board.over), set()).add(value)
    return all(len(some) == 1 for some in seen.values())


def _by_share(exercise: Exercise, values: Sequence[Value], part: Part) -> int:
    """The share of the part's marks that a function earns by the part's boards, more of which a constant gets wrong."""
    places = [place for place, (board, _) in enumerate(exercise.once) if kind(board) == part.name]
    right = [exercise.values[place] for place in places]
    given = [values[place] if place < len(values) else None for place in places]
    earned = sum(one == other for one, other in zip(given, right, strict=True))
    by_chance = max(Counter(right).values())
    return part.marks * earned // len(places) if earned > by_chance else 0


@cache
def kind(board: Board) -> str:
    """The part that a board belongs to: somebody has won, some line holds marks of both sides, or neither."""
    if board.winner:
        return "completed"
    blocked = any("X" in line and "O" in line for line in board.lines)
    return "blocked" if blocked else "counts"
