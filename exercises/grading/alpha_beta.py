"""The key of the exercise alpha-beta: questions, what the right search visits, and marks.

The marks, the hints, the right search and the edits of it that are mistakes are in `alpha_beta.toml` beside this file.
What is compared is the value, and the boards that the heuristic was asked about, in order: these are what alpha-beta
looks at, fail-hard or fail-soft.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import product
from math import inf
from pathlib import Path
from random import Random
from typing import Any

from exercises.grading.key import Key, Part, Slip, answered, known, packed_case, slip
from ttt.board import Board
from ttt.exercises.asking import Answer, Question, heuristic_named
from ttt.exercises.checking import Verdict
from ttt.exercises.exercise import SENTENCES, Case, Exercise, Node, load

NAME = "alpha_beta"
SETTINGS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
SMALL_TREE = 45  # nodes of a whole tree that is drawn where a function goes wrong
SMALL = 40  # questions with such trees
MIDDLE = 9  # questions with larger ones, by which mistakes are told apart
REFUSAL = "In this exercise the search is yours to write: the searches and players of ttt may not be called."

# --------------------------------------------------------------------------- the right search, in four hands, and edits

SIDES, NEGAMAX = SETTINGS["searches"]["sides"], SETTINGS["searches"]["negamax"]


def edited(text: str, edits: Sequence[str]) -> str:
    """A text with edits made, each what is replaced and by what; "" where one of them doesn't fit."""
    for old, new in zip(edits[::2], edits[1::2], strict=True):
        if old not in text:
            return ""
        text = text.replace(old, new)
    return text


FORMS = (
    SIDES,
    edited(SIDES, ["best = -inf if board.turn == me else inf", "best = alpha if board.turn == me else beta"]),
    NEGAMAX,
    edited(NEGAMAX, ["best = -inf\n", "best = alpha\n"]),
)


def function(text: str) -> Callable[..., Any]:
    """The function that a text defines."""
    names: dict[str, Any] = {"inf": inf}
    exec(text, names)
    return names[NAME]  # type: ignore[no-any-return]


def ways(name: str) -> Iterator[list[str]]:
    """The ways in which a mistake is made, each as edits."""
    for old, new, *more in SETTINGS["edits"][name]:
        for one in [new] if isinstance(new, str) else new:
            yield [old, one, *more]


def slips() -> Iterator[Slip]:
    """The mistakes, each in all forms of the search that it fits."""
    for name in SETTINGS["edits"]:
        texts = dict.fromkeys(edited(form, way) for way in ways(name) for form in FORMS)
        yield slip(name, SENTENCES[NAME][name], *(function(text) for text in texts if text))


# -------------------------------------------------------------------------------------------------- the questions

BOARDS = (((3, 3), 3), ((3, 4), 3), ((4, 4), 4))  # shapes, and how many in a row win
MADE_UP = ("numbers to 1", "numbers to 3", "numbers to 99")  # with many ties, with some, and with few


def tree_size(board: Board, depth: int) -> int:
    """The nodes of the whole tree."""
    if board.over or depth == 0:
        return 1
    return 1 + sum(tree_size(board.play(move), depth - 1) for move in board.moves)


def played(rng: Random, shape: tuple[int, ...], k: int, free: int) -> Board:
    """An unfinished board from a random game, with so many free cells."""
    while True:
        board = Board(shape, k)
        while not board.over and len(board.moves) > free:
            board = board.play(rng.choice(board.moves))
        if not board.over:
            return board


def finished(rng: Random, winner: str | None) -> Board:
    """The end of a random game that this side has won, or nobody."""
    while True:
        board = Board()
        while not board.over:
            board = board.play(rng.choice(board.moves))
        if board.winner == winner:
            return board


def questions(rng: Random) -> tuple[list[Question], list[Question]]:
    """The questions that mistakes are known by, most with small trees, and others two to four plies deep."""
    ends: list[Question] = [
        (finished(rng, winner), depth, "open-lines") for depth in (0, 2) for winner in (None, "X", "O")
    ]
    late = [played(rng, *BOARDS[number % 3], rng.randint(2, 5)) for number in range(120)]
    asked = [
        (board, depth, f"{rng.choice(MADE_UP)}, {rng.getrandbits(40):x}" if number % 3 else "open-lines")
        for number, (board, depth) in enumerate(product(late, range(5)))
        if tree_size(board, depth) <= SMALL_TREE
    ]
    asked = sorted(dict.fromkeys(asked), key=lambda question: tree_size(*question[:2]))
    small = [*ends, *asked[:: max(1, len(asked) // SMALL)]]
    small += [
        (played(rng, *BOARDS[number % 3], 6), 4, f"{MADE_UP[number % 3]}, {rng.getrandbits(40):x}")
        for number in range(MIDDLE)
    ]
    deep = [
        (played(rng, shape, k, {2: 9, 3: 7, 4: 6}[depth] - rng.randint(0, 1)), depth, name)
        for depth, (shape, k), kind in product((2, 3, 4), BOARDS, (*MADE_UP, "open-lines"))
        for name in [kind if kind == "open-lines" else f"{kind}, {rng.getrandbits(40):x}"]
    ]
    return sorted(small, key=lambda question: tree_size(*question[:2])), deep


# -------------------------------------------------------------------------------------------- the key, and the file


def visited(board: Board, depth: int, heuristic: str) -> list[Node]:
    """What the right search visits, in its order."""
    says, me = heuristic_named(heuristic), board.turn
    nodes: list[Node] = []

    def go(board: Board, depth: int, alpha: float, beta: float, moves: tuple[int, ...]) -> float:
        place = len(nodes)
        nodes.append(Node(moves, _bound(alpha), _bound(beta), 0))
        if board.over:
            value: float = 0 if board.winner is None else 1000 if board.winner == me else -1000
        elif depth == 0:
            value = says(board, me)
        else:
            value = -inf if board.turn == me else inf
            for move in board.moves:
                found = go(board.play(move), depth - 1, alpha, beta, (*moves, move))
                value = max(value, found) if board.turn == me else min(value, found)
                alpha, beta = (max(alpha, value), beta) if board.turn == me else (alpha, min(beta, value))
                if alpha >= beta:
                    break
        nodes[place] = nodes[place]._replace(value=value)
        return value

    go(board, depth, -inf, inf, ())
    return nodes


def _bound(bound: float) -> float | None:
    """A bound as plain data, which knows no infinity."""
    return bound if abs(bound) < inf else None


def students_file() -> dict[str, Any]:
    """What students have of the exercise."""
    small, deep = questions(Random(NAME))
    rows = []
    for question, right in zip([*small, *deep], answered(function(SIDES), [*small, *deep]), strict=True):
        row = packed_case(question, right)
        if tree_size(*question[:2]) <= SMALL_TREE and question[1] and not question[0].over:
            row = [*row, *[""][len(row) - 2 :], visited(*question)]
        rows.append(row)
    return {
        "name": NAME,
        "takes": ["board", "depth", "heuristic"],
        "returns": "number",
        "withheld": ["ttt.record.Search.__init__"],
        "refusal": REFUSAL,
        "known_by": len(small),
        "worked": [
            [((4, 7, 5), (3, 9, 8), (6, 2, 1)), {"value": 4, "a": 4, "b": 3, "c": 2, "looked_at": 6}],
            [((5, 6, 7), (5, 1, 2), (8, 5, 0)), {"value": 5, "looked_at": 6}],
        ],
        "hints": SETTINGS["texts"]["hints"],
        "mistakes": known(list(slips()), small, answered(function(SIDES), small)),
        "cases": rows,
    }


@cache
def key(seed: str = "") -> Key:
    """The key.

    Args:
        seed: draws the questions that students don't have.
    """
    exercise = load(NAME)
    small, deep = questions(Random(f"{NAME} {seed}"))
    fresh = [*small[::2], *deep]
    right = answered(function(SIDES), fresh)
    more = tuple(Case(question, one.value, one.digest) for question, one in zip(fresh, right, strict=True))
    parts = tuple(Part(name, title, marks) for name, (marks, title) in SETTINGS["parts"].items())
    return Key(replace(exercise, cases=(*exercise.cases, *more)), parts, marks)


def marks(exercise: Exercise, answers: Sequence[Answer], verdict: Verdict) -> dict[str, int]:
    """The marks by part: a part is earned when every one of its questions is answered rightly."""
    lost = {"all"}
    for place, question in enumerate(exercise.once):
        if place >= len(answers) or answers[place].fault or answers[place].value != exercise.values[place]:
            lost.add(kind(question))
        if question[1] > 1 and place in verdict.wrong:
            lost.add("leaves")
    return {part.name: 0 if part.name in lost else part.marks for part in key().parts}


def kind(question: Question) -> str:
    """The part of the marks for its value that a question belongs to."""
    board, depth, _ = question
    if board.over or depth >= len(board.moves):
        return "ends"
    if depth > 2:
        return "deep"
    return "values" if board.turn == "X" else "sides"
