"""Names the mistake in a function that should add up what lines are worth, by what its values prove.

What each kind of line counts, which cells, and for which side, comes out of the answers by least squares. Only what
gives all of them exactly is told, so a sentence holds of a function however it is written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import combinations, product
from typing import Any, TypeAlias

import numpy as np

from ttt.board import opponent
from ttt.checks.asking import Answer
from ttt.checks.exercise import Exercise, Mistake, number_word, positions
from ttt.checks.facts import (
    ALONE,
    BLOCKED,
    GROUPS,
    KINDS,
    LINES,
    counts_told,
    factors_told,
    mistake,
    plain,
    weights_told,
)

Array: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"
Mistakes: TypeAlias = "list[Mistake] | None"  # that explain values together; [] if they are right, None if nothing does

Model: TypeAlias = "Callable[[Array, Array, Boards], Mistakes]"  # given values, which questions they are for, and all

TOLERANCE = 1e-7  # what a sum of floats may be off by
LARGEST = 1e8  # in size; beyond it the tolerance would hide an error
TRIPLES = np.array([*combinations(range(9), 3)])
NUMBERED = np.zeros((4, 4), int)  # a table with a number for each kind of line
NUMBERED[tuple(np.array(KINDS).T)] = range(len(KINDS))


def diagnosed(exercise: Exercise, answers: Sequence[Answer], known: Mistake | None) -> list[Mistake]:
    """What explains all numbers that were answered, under its known name if it has one; [] if nothing is exact."""
    numbers = [answer.value if isinstance(answer.value, int | float) else np.nan for answer in answers]
    values, boards = np.array(numbers, float), boards_with(exercise.weights)
    rows = np.flatnonzero(np.isfinite(values))
    if 2 * len(rows) < len(boards.right) or np.abs(values[rows]).max() > LARGEST:
        return []
    if known is None:
        return explained((summed, apart, depending, by_sides, by_wrong_line), values, rows, boards) or []
    mistakes = explained((summed, by_sides) if "sides" in known.findings else (summed,), values, rows, boards) or []
    counts = {kind: count for one in mistakes for kind, count in one.counts.items()}
    facts = counts_told(counts) if counts else " ".join(one.sentence for one in mistakes)
    lines = tuple(line for one in mistakes for line in one.lines)
    parts = {part: None for one in mistakes for part in one.findings if part in ("blocked", "completed")}
    findings = (*known.findings, *parts)
    return [replace(known, sentence=f"{known.sentence} {facts}".strip(), findings=findings, lines=lines, counts=counts)]


class Boards:
    """All questions as arrays, a row for each, with what the formula says of them."""

    def __init__(self, weights: tuple[int, ...]) -> None:
        asked = [(board, player, ("-", player, opponent(player))) for board in positions() for player in "XO"]
        formula = [weights[own] if not other else -weights[other] if not own else 0 for own, other in KINDS]
        self.formula = np.array(formula, float)
        self.is_x = np.array([player == "X" for _, player, _ in asked])
        self.moving = np.array([board.turn == player for board, player, _ in asked])
        self.winner = np.array([marks.index(board.winner or "-") for board, _, marks in asked])
        self.cells = np.array([[marks.index(cell) for cell in board] for board, _, marks in asked])
        lines = self.cells[:, np.array(LINES)]
        self.patterns = lines @ np.array([9, 3, 1])
        self.kinds = kinds_of(lines)
        self.right: Array = self.formula[self.kinds].sum(1)
        self.readings = [*self._readings()]

    def _readings(self) -> Iterator[tuple[list[Mistake], Array]]:
        """Other choices of lines, and how often each of a board's lines counts in them."""
        for (inside, outside), group in product(((0.0, 1.0), (2.0, 1.0), (1.0, 0.0)), GROUPS):
            factors = {line: inside if line in group else outside for line in LINES}
            yield factors_told(factors), np.array([*factors.values()])
        worths, places = self.formula[self.kinds], np.arange(len(LINES))
        counted, blocked = worths != 0, np.isin(self.kinds, [NUMBERED[kind] for kind in BLOCKED])
        new = np.array([[row.index(marks) == n for n, marks in enumerate(row)] for row in self.patterns.tolist()])
        for name, chosen in (
            ("only the first line that counts", places == counted.argmax(1)[:, None]),
            ("only the last line that counts", places == 7 - counted[:, ::-1].argmax(1)[:, None]),
            ("only the best line", places == worths.argmax(1)[:, None]),
            ("equal lines counted once", new),
            ("stops at a blocked line", np.cumsum(blocked, 1) == 0),
            ("stops at a line that doesn't count", np.cumsum(~counted, 1) == 0),
        ):
            yield [mistake(name)], chosen


boards_with = lru_cache(4)(Boards)


def kinds_of(lines: Array) -> Array:
    """The numbers of the kinds of lines with these marks: 1 is the player's mark, and 2 the opponent's."""
    kinds: Array = NUMBERED[(lines == 1).sum(-1), (lines == 2).sum(-1)]
    return kinds


def numbers(kinds: Array, times: Array | float = 1) -> Array:
    """How many lines of each kind there are, for questions with lines of these kinds that count so often."""
    return np.stack([np.where(kinds == n, times, 0).sum(1) for n in range(len(KINDS))], 1)


def same(values: Array, answers: Array) -> bool:
    """Whether two lists of numbers are equal, but for the rounding of floats."""
    return bool((np.abs(values - answers) <= TOLERANCE * (1 + np.abs(answers))).all())


def solved(features: Callable[[Array], Array], values: Array, rows: Array, expected: Array) -> Array | None:
    """What each feature counts, as expected if it may, so that all values come out; None if nothing is exact."""
    for some in (rows[:: len(rows) // (3 * len(expected) + 50) | 1], rows):  # a few show most of what is wrong
        table = features(some)
        off, _, rank, _ = np.linalg.lstsq(table, values[some] - table @ expected, rcond=None)
        counts: Array = (expected + off).round(9) + 0.0
        if not same(table @ counts, values[some]):
            return None
    return counts if rank == table.any(0).sum() or not off.round(6).any() else None


def explained(models: Iterable[Model], values: Array, rows: Array, boards: Boards) -> Mistakes:
    """What the first of some models says that explains all of these values."""
    told = (model(values, rows, boards) for model in models)
    return next((mistakes for mistakes in told if mistakes is not None), None)


def summed(values: Array, rows: Array, boards: Boards) -> Mistakes:
    """What explains values of some of the questions as a sum over lines or cells."""
    if same(boards.right[rows], values[rows]):
        return []
    if same(values[rows], values[rows[:1]]):
        return [mistake("always the same number", found=plain(values[rows[0]]))]
    models = (by_kinds, by_cells, by_triples, by_readings, by_orders)
    mistakes = explained(models, values, rows, boards)
    added = values[rows[0]]  # on the empty board, where nothing counts
    if not added or rows[0] > 1:
        return mistakes
    rest = summed(values - added, rows, boards)
    if rest is None or (mistakes and len(mistakes) <= len(rest) + 1):
        return mistakes
    return [mistake("a number added", found=plain(added)), *rest]


def by_kinds(values: Array, rows: Array, boards: Boards) -> Mistakes:
    """What each kind of line counts."""
    return counted(lambda some: numbers(boards.kinds[some]), values, rows, boards)


def counted(features: Callable[[Array], Array], values: Array, rows: Array, boards: Boards) -> Mistakes:
    """What each kind of line counts, by the numbers of lines of each kind that there are."""
    found = solved(features, values, rows, boards.formula)
    if found is None:
        return None
    return weights_told(dict(zip(KINDS, zip(boards.formula.tolist(), found.tolist(), strict=True), strict=True)))


def by_cells(values: Array, rows: Array, boards: Boards) -> Mistakes:
    """What a mark counts in each cell, where no lines are looked at."""
    marks = np.hstack([boards.cells == 1, boards.cells == 2]).astype(float)
    found = solved(lambda some: marks[some], values, rows, np.zeros(18))
    if found is None:
        return None
    own, other = (", ".join(map(plain, some if np.ptp(some) else some[:1])) for some in np.split(found, 2))
    return [mistake("marks on the board counted", own=own, other=other)]


def by_triples(values: Array, rows: Array, boards: Boards) -> Mistakes:
    """How often each three cells count what the formula says."""
    triples = [*map(tuple, TRIPLES.tolist())]
    expected = np.array([float(triple in LINES) for triple in triples])
    found = solved(lambda some: boards.formula[kinds_of(boards.cells[some][:, TRIPLES])], values, rows, expected)
    if found is None or (found != expected).sum() > len(LINES):
        return None
    return factors_told(dict(zip(triples, found.tolist(), strict=True)))


def by_readings(values: Array, rows: Array, boards: Boards) -> Mistakes:
    """What each kind of line counts, where other lines count than should."""
    for mistakes, times in boards.readings:
        often = np.broadcast_to(times, boards.kinds.shape)
        weights = counted(lambda some: numbers(boards.kinds[some], often[some]), values, rows, boards)  # noqa: B023
        if weights is not None:
            return [*mistakes, *weights]
    return None


def by_wrong_line(values: Array, rows: Array, boards: Boards) -> Mistakes:
    """What each kind of line counts, where three cells that are no line stand for one."""
    kinds, places = kinds_of(boards.cells[:, TRIPLES]), np.arange(len(LINES))
    others = [(n, cells) for n, cells in enumerate(map(tuple, TRIPLES.tolist())) if cells not in LINES]
    for (n, cells), line in product(others, places):
        weights = counted(
            lambda some: numbers(np.where(places == line, kinds[some][:, [n]], boards.kinds[some])),  # noqa: B023
            *(values, rows, boards),
        )
        if weights is not None:
            return [*factors_told(dict.fromkeys((*LINES[:line], *LINES[line + 1 :], cells), 1.0)), *weights]
    return None


def by_orders(values: Array, rows: Array, boards: Boards) -> Mistakes:
    """What a line counts by the order of the marks in it."""
    expected = boards.formula[kinds_of(np.array([*product(range(3), repeat=3)]))]
    orders = np.arange(len(expected))
    found = solved(lambda some: (boards.patterns[some][:, :, None] == orders).sum(1), values, rows, expected)
    return None if found is None else [mistake("order of marks in a line")]


def apart(values: Array, rows: Array, boards: Boards) -> Mistakes:
    """Boards on which the game is over, or with few marks, have a value of their own."""
    marks, winner = (boards.cells[rows] > 0).sum(1), boards.winner[rows]
    won, lost = ("boards that you have won", winner == 1), ("boards that the opponent has won", winner == 2)
    ends = (won, lost, ("drawn boards", (winner == 0) & (marks == 9)))
    few = [((f"boards with at most {number_word(n)} marks", marks <= n),) for n in range(1, 6)]
    for every in (ends[:2], ends, *combinations(ends, 1), *few):
        group = [(which, chosen) for which, chosen in every if chosen.any()]
        if not group or any(np.ptp(values[rows[chosen]]) > TOLERANCE for _, chosen in group):
            continue
        mistakes = summed(values, rows[~np.any([chosen for _, chosen in group], 0)], boards)
        if mistakes is not None:
            firsts = [(which, plain(values[rows[chosen]][0])) for which, chosen in group]
            told = " ".join(f"On {which} your function always gives {value}." for which, value in firsts)
            name = "boards with few marks apart" if every in few else "ends of the game apart"
            return [*mistakes, mistake(name, found=told)]
    return None


def by_sides(values: Array, rows: Array, boards: Boards) -> Mistakes:
    """The board is always seen from one side, or one side's values have another explanation than the other's."""
    turns = (boards.moving, "the side to move", "the side that has just moved")
    for chosen, *names in ((boards.is_x, "X", "O"), turns):
        sides = zip((chosen, ~chosen), names, strict=True)
        both = [(explained((summed, apart, depending), values, rows[side[rows]], boards), name) for side, name in sides]
        exact = sorted([(some, name) for some, name in both if some is not None], key=lambda one: len(one[0]))
        if exact and len(rows) == len(boards.right) and same(values[boards.is_x], values[~boards.is_x]):
            mistakes, name = exact[0]
            if not mistakes or chosen is boards.moving:
                return [mistake("always seen from {found}", found=name), *mistakes]
        elif len(exact) == 2:
            (first, one), (second, other) = exact
            name = "sides treated differently" if first else "right for {found} only"
            about = [*for_side(other, second, not first), *for_side(one, first)]
            return [mistake(name, found=one, other=other), *about]
    return None


def for_side(side: str, mistakes: list[Mistake], alone: bool = False) -> list[Mistake]:
    """Mistakes in the values of one side; those that are made for that side alone cost the part of the sides only."""
    return [
        replace(
            one,
            sentence=f"For {side}: {one.sentence}",
            counts={},
            findings=() if alone or "constant" in one.findings else one.findings,
        )
        for one in mistakes
    ]


def depending(values: Array, rows: Array, boards: Boards) -> Mistakes:
    """The formula's numbers of lines decide the values, but are put together in another way."""
    kinds = [NUMBERED[kind] for kind in ALONE]
    four = numbers(boards.kinds[rows])[:, kinds]
    halves = np.add.reduceat(four * boards.formula[kinds], [0, 2], 1)
    for name, terms in (
        ("something done to the sum", halves.sum(1, keepdims=True)),
        ("the halves put together differently", halves),
        ("the four numbers put together differently", four),
    ):
        _, first, where = np.unique(terms, axis=0, return_index=True, return_inverse=True)
        if same(values[rows[first]][where.ravel()], values[rows]):
            return [mistake(name)]
    return None
