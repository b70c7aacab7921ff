"""The key to the exercise alpha-beta; points, hints, the right search and mistakes are in `alpha_beta.toml`.

An answer is right if its value is, and if the heuristic was asked about the right boards, in the right order. Both
fail-hard and fail-soft are right.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from itertools import combinations, product
from math import inf, isclose
from random import Random
from typing import Any

from lab.checks.calling import Answer, Question
from lab.checks.exercise import SENTENCES, Case, Exercise, load
from lab.checks.search_trace import SMALL_TREE, WIN
from lab.checks.tasks import edited, function
from lab.checks.verdict import Verdict

from exercises.grading.key import Key, answered, known, packed_case, parts_of, settings, slips
from ttt.board import Board

NAME = "alpha_beta"
SETTINGS = settings(NAME)
SMALL = 40  # questions with trees small enough to draw
MIDDLE = 9  # questions with larger trees, to tell mistakes apart
SIDES, NEGAMAX = SETTINGS["searches"]["sides"], SETTINGS["searches"]["negamax"]
FAIL_HARD = ["best = -inf if board.turn == me else inf", "best = alpha if board.turn == me else beta"]
FORMS = (SIDES, edited(SIDES, FAIL_HARD), NEGAMAX, edited(NEGAMAX, ["best = -inf\n", "best = alpha\n"]))
RIGHT = function(NAME, SIDES)
BOARDS = (Board(), Board((3, 4), 3), Board((4, 4), 4))
MADE_UP = ("numbers to 1", "numbers to 3", "numbers to 99")  # with many, some and few ties
FREE = {2: 9, 3: 7, 4: 6}  # free cells on a board, by search depth


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
        if tree_size((board, depth)) <= SMALL_TREE
    ]
    small = sorted(dict.fromkeys(small), key=tree_size)
    middle = [(played(rng, BOARDS[number % 3], 6), 4, seeded(MADE_UP[number % 3])) for number in range(MIDDLE)]
    deep = []
    for depth, board, numbers in product(FREE, BOARDS, (*MADE_UP, "")):
        heuristic = seeded(numbers) if numbers else "open-lines"
        deep.append((played(rng, board, FREE[depth] - rng.randint(0, 1)), depth, heuristic))
    return sorted([*ends, *small[:: max(1, len(small) // SMALL)], *middle], key=tree_size), deep


def students_file() -> dict[str, Any]:
    """The exercise's file for students."""
    small, deep = questions(Random(NAME))
    mistakes = {name: (SENTENCES[NAME][name], ways) for name, ways in SETTINGS["edits"].items()}
    return {
        **SETTINGS["about"],
        "known_by": len(small),
        **SETTINGS["texts"],
        "mistakes": known(slips(NAME, FORMS, mistakes), small, answered(RIGHT, small)),
        "cases": list(map(packed_case, [*small, *deep], answered(RIGHT, [*small, *deep]))),
    }


@cache
def key(seed: str = "") -> Key:
    """Build the key; the seed draws the questions students don't have."""
    exercise = load(NAME)
    small, deep = questions(Random(f"{NAME} {seed}"))
    fresh = [*small[::2], *deep]
    right = answered(RIGHT, fresh)
    more = tuple(Case(question, one.value, one.digest) for question, one in zip(fresh, right, strict=True))
    return Key(replace(exercise, cases=(*exercise.cases, *more)), points)


def points(exercise: Exercise, answers: Sequence[Answer], _verdict: Verdict) -> dict[str, int]:
    """The points by part. If a win has another worth, only the ends are lost: the rest is judged by that worth."""
    earned = points_by(exercise, answers, "1000")
    others = [points_by(exercise, answers, worth) | {"ends": 0} for worth in other_worths(exercise, answers)]
    return max([earned, *others], key=lambda points: sum(points.values()))


def points_by(exercise: Exercise, answers: Sequence[Answer], worth: str) -> dict[str, int]:
    """The points by part if a win has this worth: all or nothing for each part, but a share for the cuts."""
    lost = set()
    saved = most = 0  # boards minimax asks about but the function (or alpha-beta) does not
    for place, (question, right) in enumerate(zip(exercise.once, searched(exercise.once, worth), strict=True)):
        board, depth, _ = question
        minimax = leaves(board, depth)
        answer = answers[place] if place < len(answers) else Answer()
        if (answer.value, answer.fault, answer.words) != (right.value, right.fault, right.words):
            by_depth = "deep" if depth > 2 else "values" if board.turn == "X" else "sides"
            lost.add("ends" if board.over or depth >= len(board.moves) else by_depth)
        elif depth > 1:
            saved += minimax - min(minimax, max(len(answer.asked), len(right.asked)))
        if depth > 1:
            most += minimax - len(right.asked)
            lost |= {"leaves"} if answer.digest != right.digest else set()
    earned = {part.name: 0 if part.name in lost else part.points for part in parts_of(NAME)}
    return earned | {"cuts": earned["cuts"] * saved // most}


@cache
def leaves(board: Board, depth: int) -> int:
    """The number of boards minimax asks the heuristic about."""
    if board.over or depth == 0:
        return int(not board.over)
    return sum(leaves(board.play(move), depth - 1) for move in board.moves)


@cache
def searched(questions: tuple[Question, ...], worth: str) -> list[Answer]:
    """Alpha-beta's answers if a win has this worth."""
    form = edited(SIDES, ["me = board.turn\n", "me = board.turn\n    start = len(board.moves)\n", "1000", f"({worth})"])
    return answered(function(NAME, form), questions)


def other_worths(exercise: Exercise, answers: Sequence[Answer]) -> set[str]:
    """Possible worths of a win, judging by the function's answers: another constant, or less the later it comes."""
    wins = [
        (board, depth, abs(answer.value))
        for (board, depth, _), case, answer in zip(exercise.once, exercise.cases, answers, strict=False)
        if case.value in (WIN, -WIN) and isinstance(answer.value, int | float)
    ]
    ends = [(board, depth, value) for board, depth, value in wins if board.over]
    worths = {f"{value:g}" for _, _, value in ends} | {"inf" for answer in answers if answer.words == "infinity"}
    for (board, depth, value), (other, left, worth) in combinations(ends, 2):
        free, fewer = len(board.moves), len(other.moves)
        if worth != value and depth != left:
            worths.add(f"{value:g} + {(worth - value) / (left - depth):g} * (depth - {depth})")
        if worth != value and free != fewer:
            worths.add(f"{value:g} + {(worth - value) / (fewer - free):g} * (len(board.moves) - {free})")
    for _, depth, value in [win for win in wins if not win[0].over][:1]:
        steps = {(value - WIN) / plies for plies in range(1, depth + 1)}
        worths |= {f"{WIN} + {step:g} * (start - len(board.moves))" for step in steps if step}
    return {worth for worth in worths - {str(WIN)} if all(fits(worth, *end) for end in ends)}


def fits(worth: str, board: Board, depth: int, value: float) -> bool:
    """Whether a win on a finished board has this value under this worth."""
    named = {"board": board, "depth": depth, "start": len(board.moves), "inf": inf}
    return isclose(eval(worth, named), value, rel_tol=1e-5)
