"""The key to the exercise alpha-beta, which is in `lab/checks/alpha_beta.toml`: its points.

An answer is right if its value is, and if the heuristic was asked about the right boards, in the right order. Both
fail-hard and fail-soft are right.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import combinations
from math import inf, isclose
from random import Random

from lab.checks.calling import Answer, Question, ask
from lab.checks.exercise import Exercise, edited, function
from lab.checks.graded import answered, forms, load, questions
from lab.checks.search_trace import WIN
from lab.checks.verdict import Verdict
from lab.timeouts import Clock

from exercises.grading.key import Key, parts_of
from ttt.board import Board

NAME = "alpha_beta"


@cache
def key(seed: str = "") -> Key:
    """Build the key; the seed draws the questions students don't have."""
    exercise = load(NAME)
    small, deep = questions(Random(f"{NAME} {seed}"))
    fresh = [*small[::2], *deep]
    more = answered(function(NAME, forms(NAME)[0]), fresh)
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
            lost |= {"leaves"} if answer.asked != right.asked else set()
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
    start = ["me = board.turn\n", "me = board.turn\n    start = len(board.moves)\n"]
    form = edited(forms(NAME)[0], [*start, "1000", f"({worth})"])
    search, clock = function(NAME, form), Clock()
    return [ask(search, question, clock) for question in questions]


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
