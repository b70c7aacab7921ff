"""Names the mistake in a function that should add up line values, from what its answers prove.

Least squares finds from the answers how much each kind of line counts, which lines, and for which side. Only what
reproduces all answers exactly is reported, so a sentence is true however the function is written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import combinations, product
from typing import Any, TypeAlias

import numpy as np

from lab.checks.calling import COLLECTION, Answer
from lab.checks.exercise import Exercise, Kind, Mistake, positions
from lab.checks.wording import LINES, cells, counts_told, factors_told, mistake, plain, weights_told
from ttt.board import Board
from ttt.geometry import Line

Array: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"
Mistakes: TypeAlias = "list[Mistake] | None"  # that together explain values; [] if all right, None if nothing fits

PARTS = "parts returned instead of the value"
COUNT = re.compile(r"(?<![\w.])(\d+)(?:\.0?)?(?=[,)\]}])")  # a number in a tuple, list or array; no key of a dictionary
TOLERANCE = 1e-7  # for rounding errors in sums of floats
LARGEST = 1e8  # absolute value; beyond it the tolerance would hide an error
MOST_READ = 4  # cells, in place of a line
OWN, OTHER = 4, 1  # codes for marks, so that the sum over a line's cells identifies its kind
SIGNS = {0: "-", OWN: "X", OTHER: "O"}
KINDS: list[Kind] = [(own, other) for own, other in product(range(4), repeat=2)]
TRIPLES: list[Line] = [*combinations(range(9), 3)]


def diagnosed(exercise: Exercise, answers: Sequence[Answer], known: Mistake | None) -> list[Mistake]:
    """The mistakes that explain all answers, under a known name if there is one; [] if nothing fits exactly.

    Of a function that counts each line once, only which lines it leaves out, repeats or misreads.
    """
    if exercise.weights and parts_returned(exercise, answers):
        return [mistake(PARTS)]
    returned = [answer.value if isinstance(answer.value, int | float) else np.nan for answer in answers]
    values, asked = np.array(returned[: len(exercise.cases)], float), boards_of(exercise)
    rows = np.flatnonzero(np.isfinite(values))
    if not exercise.weights:
        mistakes = [] if known or len(rows) < len(asked.cells) else by_lines(values, asked) or []
        return [] if any(one.counts for one in mistakes) else mistakes
    if 10 * len(rows) < len(asked.cells) or np.abs(values[rows]).max() > LARGEST:
        return []
    boards = asked.only(rows)
    if known and not constant(values[rows]):
        return with_facts(known, summed(values[rows], boards) or [])
    models = (fitted, with_marks, always_from_one_side, by_sides, by_patterns, but_one_line)
    return first_of(models, values[rows], boards) or []


def parts_returned(exercise: Exercise, answers: Sequence[Answer]) -> bool:
    """Whether the function returns the four right counts, or the two right halves, and not their value."""
    several = [answer for answer in answers if isinstance(answer.value, tuple) or answer.fault == COLLECTION]
    if len(several) < len(exercise.questions):
        return False
    given = [{*(answer.value or map(int, COUNT.findall(answer.words)))} for answer in several]  # type: ignore[misc]
    boards = boards_of(exercise)
    marks = [(boards.kinds == kind).sum(1) for kind in (2 * OWN, OWN, 2 * OTHER, OTHER)]
    _, one, two, _ = exercise.weights
    halves = [two * marks[0] + one * marks[1], two * marks[2] + one * marks[3]]
    return any(all(map(set.__eq__, given, map(set, zip(*parts, strict=True)))) for parts in (marks, halves))


def with_facts(known: Mistake, mistakes: Sequence[Mistake]) -> list[Mistake]:
    """A mistake recognised by all its values, with the fit's findings; or only these, where it comes to no more.

    So does `>=` in an `elif`, where only completed lines count wrongly.
    """
    if "added" in known.findings:  # the sum has a constant term, which is no weight of lines
        mistakes = []
    counts = {kind: count for one in mistakes for kind, count in one.counts.items()}
    lines = tuple(line for one in mistakes for line in one.lines)
    besides = () if {"or", "added", "heuristic-2"}.intersection(known.findings) else ("blocked", "completed")
    parts = {part: None for one in mistakes for part in one.findings if part in besides}
    if parts and all({*one.findings} <= {*besides} for one in mistakes):
        return [*mistakes]
    told = f"{known.sentence} {counts_told(counts)}".strip()
    return [replace(known, sentence=told, findings=(*known.findings, *parts), lines=lines, counts=counts)]


class Boards:
    """Boards, each from one side's point of view, as arrays with one row per board."""

    def __init__(self, cells: Array, sides: Mapping[str, Array], formula: Array) -> None:
        self.cells = cells
        self.sides = sides  # by name: the boards on which it is the side in question
        self.formula = formula  # the right weight of each kind of line
        self.kinds = cells[:, LINES].sum(2)
        self.worths = formula[self.kinds]

    def only(self, rows: Array) -> Boards:
        """A selection of these boards."""
        return Boards(self.cells[rows], {side: asked[rows] for side, asked in self.sides.items()}, self.formula)

    def seen_from(self, side: str) -> Boards:
        """The boards from this side's point of view, whichever side is in question."""
        turned = np.select([self.cells == OWN, self.cells == OTHER], [OTHER, OWN])
        return Boards(np.where(self.sides[side][:, None], self.cells, turned), self.sides, self.formula)


def boards_of(exercise: Exercise) -> Boards:
    """The boards that an exercise asks about, each from X's point of view and from O's."""
    return boards_asked(exercise.weights or (0, 1, 1, 1), tuple(board for board, _ in exercise.once[::2]))


@lru_cache(4)
def boards_asked(weights: tuple[int, ...], boards: tuple[Board, ...] = ()) -> Boards:
    """These boards, or all, each from X's point of view and from O's."""
    asked = [(board, player) for board in boards or positions() for player in "XO"]
    cells = [[OWN if mark == player else OTHER if mark != "-" else 0 for mark in board] for board, player in asked]
    is_x = np.array([player == "X" for _, player in asked])
    moves = np.array([player == board.turn for board, player in asked])
    sides = {"X": is_x, "O": ~is_x, "the side to move": moves, "the side that has just moved": ~moves}
    formula = [weights[own] if not other else -weights[other] if not own else 0 for own, other in KINDS]
    return Boards(np.array(cells), sides, np.array(formula, float))


def same(values: Array, answers: Array) -> bool:
    """Whether numbers equal others, or a single one, up to rounding."""
    return bool((np.abs(values - answers) <= TOLERANCE * (1 + np.abs(answers))).all())


def constant(values: Array) -> bool:
    """Whether there are values and all are equal."""
    return len(values) > 0 and same(values, values[0])


def numbers(kinds: Array, times: Any = 1) -> Array:
    """Count the lines of each kind on boards with lines of these kinds; each line counts `times`."""
    places = kinds + len(KINDS) * np.arange(len(kinds))[:, None]
    often = np.broadcast_to(times, kinds.shape)
    return np.bincount(places.ravel(), often.ravel(), len(KINDS) * len(kinds)).reshape(-1, len(KINDS))


def solved(features: Array, values: Array, expected: Array) -> Array | None:
    """Solve for feature weights that give all values, preferring the expected ones; None if none fit exactly."""
    few = slice(None, None, len(values) // (3 * len(expected) + 50) | 1)
    for some in (few, slice(None)):  # a few boards reveal most mistakes
        table = features[some]
        off, _, rank, _ = np.linalg.lstsq(table, values[some] - table @ expected, rcond=None)
        counts: Array = (expected + off).round(9) + 0.0
        if not same(table @ counts, values[some]):
            return None
    return counts if rank == features.any(0).sum() or not off.round(6).any() else None


def first_of(models: Iterable[Callable[..., Mistakes]], values: Array, boards: Boards) -> Mistakes:
    """The result of the first model that explains these values."""
    found = (model(values, boards) for model in models)
    return next((mistakes for mistakes in found if mistakes is not None), None)


def always_from_one_side(values: Array, boards: Boards) -> Mistakes:
    """Model: all boards are judged from the same side's point of view; picks what keeps signs, then the simplest."""
    if len(values) % 2 or not same(values[::2], values[1::2]):
        return None
    exact = []
    for side in boards.sides:
        mistakes = fitted(values, boards.seen_from(side))
        if mistakes is not None:
            exact.append([mistake("always seen from {found}", found=side), *mistakes])
    return min(exact, key=lambda told: (turned(told), sum(1 + len(one.counts) for one in told)), default=None)


def turned(told: Iterable[Mistake]) -> int:
    """How many weights have the wrong sign in an explanation."""
    weights = [pair for one in told for pair in one.counts.values()]
    return sum(should * does < 0 for should, does in weights) + sum(one.name == "signs swapped" for one in told)


def by_sides(values: Array, boards: Boards) -> Mistakes:
    """Model: the two sides are treated differently."""
    for pair in (("X", "O"), ("the side to move", "the side that has just moved")):
        asked = {side: boards.sides[side] for side in pair if boards.sides[side].any()}
        found = {side: fitted(values[rows], boards.only(rows)) for side, rows in asked.items()}
        if len(found) == 2 and None not in found.values():
            right = "".join(side for side in pair if not found[side])
            name = "right for {found} only" if right else "sides treated differently"
            wrong = [for_side(side, one, bool(right)) for side in pair for one in found[side] or ()]
            return [mistake(name, found=right), *wrong]
    return None


def for_side(side: str, one: Mistake, alone: bool) -> Mistake:
    """Restrict a mistake to one side; if only that side is wrong, it costs only the points for sides."""
    findings = () if alone or "constant" in one.findings else one.findings
    sentence = f"For {side}, {one.sentence[0].lower()}{one.sentence[1:]}"
    return replace(one, name=f"{one.name} for {side}", sentence=sentence, findings=findings, counts={})


def fitted(values: Array, boards: Boards) -> Mistakes:
    """The mistakes that explain values on these boards."""
    return first_of((summed, apart, depending), values, boards)


def summed(values: Array, boards: Boards) -> Mistakes:
    """Model: the values are a weighted sum of lines."""
    right = boards.worths.sum(1)
    if same(values, right):
        return []
    if same(values, values[0]):
        return [mistake("always the same number", found=plain(values[0]))]
    if same(values - right, values[0] - right[0]):
        return [mistake("a number added", found=plain(values[0] - right[0]))]
    return first_of((by_cells, counted, by_lines), values, boards)


def by_cells(values: Array, boards: Boards) -> Mistakes:
    """Model: each mark counts by its own cell, whatever else is in its lines."""
    marks = np.hstack([boards.cells == OWN, boards.cells == OTHER]).astype(float)
    found = solved(marks, values, np.zeros(18))
    if found is None:
        return None
    own, other = np.split(found, 2)
    findings = ("cells",) if same(other, -own) else ("cells", "sides")
    return [replace(mistake("marks counted one by one"), findings=findings)]


def counted(values: Array, boards: Boards, kinds: Array | None = None, times: Any = 1) -> Mistakes:
    """Model: a weight for each kind of line; all lines count once, or lines of these kinds `times`."""
    lines = numbers(boards.kinds if kinds is None else kinds, times)
    found = solved(lines, values, boards.formula)
    if found is None:
        return None
    return weights_told(dict(zip(KINDS, zip(boards.formula.tolist(), found.tolist(), strict=True), strict=True)))


def by_lines(values: Array, boards: Boards) -> Mistakes:
    """Model: which triples of cells count, and how often, guessed from a few boards with right or fitted weights."""
    some = slice(None, None, 11)
    kinds = boards.cells[some][:, TRIPLES].sum(2)

    def guess(weights: Array) -> Array:
        table = weights[kinds]
        return np.abs(np.linalg.solve(table.T @ table + 1e-6 * np.eye(len(TRIPLES)), table.T @ values[some]))

    seeming = guess(np.linalg.lstsq(numbers(boards.kinds[some]), values[some], rcond=None)[0])
    seeming /= seeming.max() or 1
    for times in (guess(boards.formula), seeming, 2 * seeming):
        factors = {cells: often for cells, often in zip(TRIPLES, times.round().tolist(), strict=True) if often}
        if 0 < len(factors) <= 2 * len(LINES):
            weights = counted(values, boards, boards.cells[:, [*factors]].sum(2), [*factors.values()])
            if weights is not None and len(weights) <= 2:  # otherwise lines only happen to fit something else
                return [*factors_told(factors), *weights]
    return None


def apart(values: Array, boards: Boards) -> Mistakes:
    """Model: finished boards share one value; the others are a sum or share one, too."""
    won, lost = ((boards.kinds == 3 * mark).any(1) for mark in (OWN, OTHER))
    full = (boards.cells > 0).all(1)
    ends = {"boards that the player has won": won, "boards that the opponent has won": lost}
    draws = {"drawn boards": ~won & ~lost & full}
    for groups in (ends, ends | draws):
        alike = [name for name, chosen in groups.items() if constant(values[chosen])]
        if not alike:
            continue
        told = [f"Your function always returns {plain(values[groups[name]][0])} on {name}." for name in alike]
        others = ~np.any([groups[name] for name in alike], axis=0)
        if constant(values[others]):
            told.append(f"On all other boards it always returns {plain(values[others][0])}.")
            return [mistake("no lines counted", found=" ".join(told))]
        mistakes = summed(values[others], boards.only(others))
        if mistakes is not None:
            return [*mistakes, mistake("ends of the game apart", found=" ".join(told))]
    return None


def depending(values: Array, boards: Boards) -> Mistakes:
    """Model: the formula's line counts determine the values, but are combined in another way."""
    lines = numbers(boards.kinds)
    is_own = np.array([other == 0 for _, other in KINDS])
    own, other = (lines @ np.where(half, boards.formula, 0) for half in (is_own, ~is_own))
    ways = {
        "something done to the sum": [own + other],
        "the halves put together differently": [own, other],
        "the four numbers put together differently": [*lines.T[boards.formula != 0]],
    }

    for name, terms in ways.items():
        alike = 100.0 ** np.arange(len(terms)) @ np.stack(terms)
        _, first, group = np.unique(alike, return_index=True, return_inverse=True)
        if same(values[first][group], values):  # they depend on nothing else
            return [mistake(one_sign_wrong(values, sum(terms)) if len(terms) == 1 else name)]
    return None


def one_sign_wrong(values: Array, right: Array) -> str:
    """The name of what is done to the sum: perhaps all its values of one sign are wrong, and only these."""
    for name, wrong in (("negative values wrong", right < 0), ("positive values wrong", right > 0)):
        if ((np.abs(values - right) > TOLERANCE) == wrong).all():
            return name
    return "something done to the sum"


def by_patterns(values: Array, boards: Boards) -> Mistakes:
    """Model: the places of a line's marks matter, where lines with one mark count, those with two, or both."""
    places = boards.cells[:, LINES]
    patterns = [marks for marks in product((0, OWN, OTHER), repeat=3) if 0 in marks and len({*marks}) == 2]
    for some in (1, 2), (1,), (2,):
        chosen = [marks for marks in patterns if 3 - marks.count(0) in some]
        expected = boards.formula[[sum(marks) for marks in chosen]]
        table = np.stack([(places == marks).all(2).sum(1) for marks in chosen], 1)
        counts = solved(table, values - boards.worths.sum(1) + table @ expected, expected)
        if counts is not None:
            off = [marks for marks, good in zip(chosen, np.isclose(expected, counts), strict=True) if not good]
            wrong = tuple("".join(SIGNS[mark] for mark in marks) for marks in off)
            found = mistake("lines told apart by their order", found=" or ".join(f"`{one}`" for one in wrong))
            return [replace(found, patterns=wrong)]
    return None


def with_marks(values: Array, boards: Boards) -> Mistakes:
    """Model: the right sum, plus or times something that the marks decide, by their number or each by its cell."""
    right, marks = boards.worths.sum(1), np.stack([boards.cells == OWN, boards.cells == OTHER], 1)
    numbers, some = marks.sum(2) @ (10, 1), right != 0
    each = np.hstack([marks.reshape(-1, 18), np.ones((len(marks), 1))]).astype(float)
    times = not values[~some].any() and settled(values[some] / right[some], numbers[some])
    if times or settled(values - right, numbers) or solved(each, values - right, np.zeros(19)) is not None:
        return [mistake("more than lines counted")]
    return None


def settled(values: Array, codes: Array) -> bool:
    """Whether boards with the same code have the same value."""
    _, first, group = np.unique(codes, return_index=True, return_inverse=True)
    return same(values[first][group], values)


def but_one_line(values: Array, boards: Boards) -> Mistakes:
    """Model: seven lines count as they should; instead of the eighth, a few other cells do."""
    without, found = values - boards.worths.sum(1), list[tuple[list[int], Line]]()
    codes = np.where(boards.cells == OWN, 2, boards.cells) @ (4 ** np.arange(9))
    for number, line in enumerate(LINES):
        rest = without + boards.worths[:, number]
        read = [cell for cell in range(9) if not settled(rest, codes - (codes >> 2 * cell) % 4 * 4**cell)]
        if len(read) <= MOST_READ and settled(rest, sum((codes >> 2 * cell) % 4 * 4**cell for cell in read)):
            found.append((read, line))
    if not found:
        return None
    read, line = min(found, key=lambda one: len(one[0]))
    return [mistake("one line read wrongly", lines=[line], found=cells([(*read,)]), instead=cells([line]))]
