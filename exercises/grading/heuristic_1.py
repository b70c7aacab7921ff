"""The key of the exercise heuristic 1, whose weights, points and texts for students are in `heuristic_1.toml`."""

import json
from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from exercises.grading.key import Key, Part, known, parts_of, settings, slips, written
from ttt.board import Board
from ttt.checks.asking import Answer, packed_question
from ttt.checks.checking import Verdict, alone
from ttt.checks.exercise import SENTENCES, Exercise, formula_cases, load, path_of

NAME = "heuristic_1"
SETTINGS = Path(__file__).with_suffix(".toml")
NOTEBOOK = Path(__file__).parents[1] / NAME / f"{NAME}.ipynb"
BY_HAND = (("X-- -O- ---", "X"), ("X-- -O- ---", "O"), ("XX- -O- ---", "X"))  # which the notebook works out
LOST = {finding: parts.split() for finding, parts in settings(NAME)["lost"].items()}


@cache
def key(_seed: str = "") -> Key:
    """The key; nothing in it depends on chance."""
    return Key(load(NAME), points)


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
    forms = [form.replace("ONE", str(weights[1])).replace("TWO", str(weights[2])) for form in found["forms"].values()]
    cases = formula_cases(tuple(weights))
    edits = json.loads(json.dumps(found["edits"]).replace("ONE", str(weights[1])).replace("TWO", str(weights[2])))
    sentences = SENTENCES[NAME]
    mistakes = slips(NAME, forms, {name: (sentences[name][1], ways) for name, ways in edits.items()})
    questions, right = [case.question for case in cases], [Answer(case.value) for case in cases]
    return {
        **found["about"],
        "known_by": len(cases),
        "weights": list(weights),
        **found["rules"],
        "worked": worked,
        **found["texts"],
        "mistakes": {
            name: (*about, *sentences[name][0].split()) for name, about in known(mistakes, questions, right).items()
        },
    }


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


def points(exercise: Exercise, answers: Sequence[Answer], verdict: Verdict) -> dict[str, int]:
    """The points by part for a function that is not right: those that its findings leave, or else by the share."""
    values = [None if answer.fault else answer.value for answer in answers[: len(exercise.once)]]
    first: dict[Any, Any] = {}  # the answer to who asks and to the outcome
    asked = ((player, board.winner, board.over) for board, player in exercise.once)
    if all(first.setdefault(told, value) == value for told, value in zip(asked, values, strict=False)):
        return {part.name: 0 for part in parts_of(NAME)}  # the function tells no more than these
    lost = {part for finding in verdict.findings for part in LOST.get(finding, ())}
    failed = {place for place, value in enumerate(values) if value is None}
    wrong = [place for place, value in enumerate(values) if value not in (None, exercise.cases[place].value)]
    explained = len(answers) == len(exercise.questions) and bool(lost or not wrong)
    if explained and len({exercise.once[place][1] for place in failed}) == 1:
        failed, lost = set(), lost | {"sides"}
    earned = {}
    for part, places in places_of_parts().items():
        right = sum(values[place] == exercise.cases[place].value for place in places if place < len(values))
        by_chance = max(Counter(exercise.cases[place].value for place in places).values(), default=0)
        if part.name in lost:
            earned[part.name] = 0
        elif explained and failed.isdisjoint(places):
            earned[part.name] = part.points
        else:
            earned[part.name] = part.points * right // len(places) if right > by_chance else 0
    return earned


@cache
def places_of_parts() -> dict[Part, list[int]]:
    """The places of the questions that belong to each part; two parts have no boards of their own."""
    kinds = [kind(board) for board, _ in load(NAME).once]
    return {part: [place for place, name in enumerate(kinds) if name == part.name] for part in parts_of(NAME)}


def kind(board: Board) -> str:
    """The part that a board belongs to: somebody has won, some line holds marks of both sides, or neither."""
    if board.winner:
        return "completed"
    blocked = any("X" in line and "O" in line for line in board.lines)
    return "blocked" if blocked else "counts"
