"""The graded exercises, from `heuristic_1.toml` and `alpha_beta.toml`, and what alpha-beta is asked.

The last part of these files, which would give the answers away, is sealed in the students' edition: the check reads it,
but people can't at a glance.
"""

import tomllib
import zlib
from base64 import b85decode, b85encode
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

from lab.checks.calling import Question
from lab.checks.exercise import Case, Exercise, Mistake, alone, each_way, edited, formula_cases, function, mistake_named
from lab.checks.shared_tree import answer_of
from ttt.board import Board, opponent
from ttt.words import unknown_name

GRADED = ("heuristic_1", "alpha_beta")
SEAL = "# ---- Everything below is sealed in the students' edition.\n"
BOARDS = (Board(), Board((3, 4), 3), Board((4, 4), 4))  # for alpha-beta
MADE_UP = ("numbers to 1", "numbers to 3", "numbers to 99")  # heuristics with many, some and few ties
FREE_CELLS = {2: 9, 3: 7, 4: 6}  # on a board, by search depth
MAX_SMALL_TREE = 45  # nodes in a drawing that can be read
SMALL = 40  # questions with such trees
MIDDLE = 9  # questions with larger trees, to tell mistakes apart


def path_of(name: str) -> Path:
    """The file of a graded exercise. Raises `ValueError` for an unknown name."""
    if name not in GRADED:
        raise ValueError(unknown_name("exercise", name, GRADED))
    return Path(__file__).with_name(f"{name}.toml")


@cache
def settings(name: str) -> dict[str, Any]:
    """All about a graded exercise."""
    found = tomllib.loads(path_of(name).read_text(encoding="utf-8"))
    if "sealed" in found:
        found |= tomllib.loads(zlib.decompress(b85decode(found["sealed"])).decode())
    return found


def sealed(text: str) -> str:
    """The text of an exercise's file as students get it."""
    shown, _, hidden = text.partition(SEAL)
    return f"sealed = '{b85encode(zlib.compress(hidden.encode(), 9)).decode()}'\n{shown}"


@cache
def forms(name: str) -> list[str]:
    """The right function of a graded exercise, in all its forms."""
    found = settings(name)
    weighed = "ONE, TWO = {1}, {2}\n".format(*found["weights"]) if "weights" in found else ""
    written = [weighed + form for form in found["forms"].values()]
    for ways in found.get("more_forms", {}).values():
        written += filter(None, [edited(form, way) for form in written for way in ways])
    return written


@cache
def load(name: str) -> Exercise:
    """Load a graded exercise."""
    found = settings(name)
    weights = tuple(found.get("weights", ()))
    if weights:
        cases, known_by = formula_cases(weights), 0
    else:
        small, deep = questions(Random(name))
        cases, known_by = answered(function(name, forms(name)[0]), [*small, *deep]), len(small)
    return Exercise(
        name=name,
        takes=tuple(found["takes"]),
        returns="number",
        cases=cases,
        hints=tuple(found["hints"]),
        worked=tuple(by_hand(row, weights) for row in found["worked"]),
        weights=weights,
        mistakes=tuple(_mistakes(name, found["edits"])),
        known_by=known_by,
        withheld=tuple(found["withheld"]),
        refusal=found["refusal"],
    )


def _mistakes(name: str, edits: Mapping[str, Any]) -> Iterable[tuple[Mistake, str]]:
    """The known mistakes, each with the source of every function that makes it."""
    for mistake, ways in edits.items():
        for source in dict.fromkeys(source for way in each_way(ways) for source in made(name, mistake, way)):
            yield mistake_named(mistake, name), source


def made(name: str, mistake: str, way: Sequence[str]) -> list[str]:
    """The right function with a mistake that is made in this way: in as many forms as there are different answers."""
    sources = {source: number for number, form in enumerate(forms(name)) if (source := edited(form, way))}
    some = settings(name).get("in_forms", {mistake: range(len(forms(name)))}).get(mistake)
    return [source for source, number in sources.items() if number in some] if some else [*sources][:1]


def by_hand(row: list[Any], weights: tuple[int, ...]) -> tuple[Any, Mapping[str, float]]:
    """What is worked out by hand in the notebook: a question, and its numbers by name.

    A board with a player is a question of a formula, whose numbers are computed; a tree is nested lists of leaves.
    """
    question, about = row
    if not weights:
        return tuple(map(tuple, question)), about
    board, player = Board.from_text(question), about
    terms = {(mark, n): len(alone(board, mark, n)) for mark in "XO" for n in (1, 2)}
    value: float = sum(weights[n] * (terms[player, n] - terms[opponent(player), n]) for n in (1, 2))
    return (board, player), {"value": value} | {f"{mark}{n}".lower(): count for (mark, n), count in terms.items()}


# ------------------------------------------------------------------------------------------- what alpha-beta is asked


def answered(right: Callable[..., Any], asked: Iterable[Question]) -> tuple[Case, ...]:
    """The questions with the answers of one of our own searches."""
    found = [(question, answer_of(right, question)) for question in asked]
    return tuple(Case(question, answer.value, answer.asked) for question, answer in found)


def tree_size(question: Question) -> int:
    """The number of nodes in a question's whole tree."""
    board, depth, *rest = question
    if board.over or depth == 0:
        return 1
    return 1 + sum(tree_size((board.play(move), depth - 1, *rest)) for move in board.moves)


def played(rng: Random, board: Board, free: int, wanted: Callable[[Board], bool] = lambda end: not end.over) -> Board:
    """The board of a random game when this many cells are free (or at its end), if it is wanted."""
    while True:
        end = board
        while not end.over and len(end.moves) > free:
            end = end.play(rng.choice(end.moves))
        if wanted(end):
            return end


def questions(rng: Random) -> tuple[list[Question], list[Question]]:
    """The questions used to recognise mistakes, mostly with small trees, and others two to four plies deep."""

    def seeded(numbers: str) -> str:
        return f"{numbers}, {rng.getrandbits(40):x}"

    ends = [
        (played(rng, Board(), 0, lambda end: end.winner == winner), depth, "open-lines")  # noqa: B023
        for depth in (0, 2)
        for winner in (None, "X", "O")
    ]
    late = [played(rng, BOARDS[number % 3], rng.randint(2, 5)) for number in range(120)]
    small = [
        (board, depth, seeded(rng.choice(MADE_UP)) if number % 3 else "open-lines")
        for number, (board, depth) in enumerate(product(late, range(5)))
        if tree_size((board, depth)) <= MAX_SMALL_TREE
    ]
    small = sorted(dict.fromkeys(small), key=tree_size)
    middle = [(played(rng, BOARDS[number % 3], 6), 4, seeded(MADE_UP[number % 3])) for number in range(MIDDLE)]
    deep = []
    for depth, board, numbers in product(FREE_CELLS, BOARDS, (*MADE_UP, "")):
        heuristic = seeded(numbers) if numbers else "open-lines"
        deep.append((played(rng, board, FREE_CELLS[depth] - rng.randint(0, 1)), depth, heuristic))
    return sorted([*ends, *small[:: max(1, len(small) // SMALL)], *middle], key=tree_size), deep
