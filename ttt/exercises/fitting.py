"""Names the mistake in a function that should add up what lines are worth, by fitting it, not from a list.

The function is asked about many boards. Then the simplest model is looked for that gives its answers exactly: other
worths for lines, other lines, another side to see them from, something done with the sum, or two of these. What
distinguishes the model from the formula is the mistake, told with its numbers. So nothing is told that doesn't hold on
every board asked, and a model that those boards leave open is not told at all.

The formula itself is fitted in the same way, to the values of an exercise's cases.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import combinations
from math import comb
from typing import Any, TypeAlias

import numpy as np

from ttt.board import Board
from ttt.exercises.answers import Answer, Drawing, Mistake, Question, Value
from ttt.exercises.exercise import Exercise
from ttt.exercises.wording import (
    MOST_COST,
    Finding,
    Kind,
    always,
    directions,
    factors_told,
    listed,
    patterns_told,
    plain,
    scaled,
    signs_swapped,
    worths_told,
    wrong_line,
)

Array: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"
Findings = list[Finding]
STATES = 3  # of a cell: free, the player's, the opponent's
TOLERANCE = 1e-9  # of the largest answer; what a sum of floats may be off by
SPARE = 10  # answers more than coefficients
# With more sets of k cells than this, wrong lines are looked for one at a time, and beyond MOST_SETS not at all.
MOST_TRIPLES = 200
MOST_SETS = 5000
MOST_COMPARED = 4_000_000  # sets of k cells times answers
MOST_ANSWER = 1e8  # in size; beyond it the tolerance would hide an error
CELLS_COST = 1.5  # of a bonus for cells, which explains little


class Table:
    """Questions as arrays, a row for each: what the cells and the lines hold, seen from the player.

    Args:
        cells: for each question and cell, 0 for a free cell, 1 for the player's mark, 2 for the opponent's.
        facts: for each question whether X is the player, whether the player is to move, who has won (0 nobody,
            1 the player, 2 the opponent), and whether the game is over.
        worth: what a line is worth by the formula, by the number of its kind; see `number_of`.
    """

    def __init__(self, board: Board, cells: Array, facts: dict[str, Array], worth: Array | None = None) -> None:
        self.board, self.cells, self.facts = board, cells, facts
        self.k, self.lines = board.k, board.line_cells
        self.worth = np.zeros((self.k + 1) ** 2) if worth is None else worth

    @classmethod
    def of(cls, questions: Sequence[Question]) -> Table:
        """The table of some questions."""
        numbers = {("-", "X"): 0, ("-", "O"): 0, ("X", "X"): 1, ("O", "O"): 1, ("X", "O"): 2, ("O", "X"): 2}
        cells = [[numbers[mark, player] for mark in board] for board, player in questions]
        facts = {
            "X": [player == "X" for _, player in questions],
            "to move": [player == board.turn for board, player in questions],
            "won": [numbers[board.winner or "-", player] for board, player in questions],
            "over": [board.over for board, _ in questions],
        }
        return cls(questions[0][0], np.array(cells), {name: np.array(fact) for name, fact in facts.items()})

    def where(self, rows: Array) -> Table:
        """The table of some of the questions."""
        facts = {name: fact[rows] for name, fact in self.facts.items()}
        return Table(self.board, self.cells[rows], facts, self.worth)

    def swapped(self, rows: Array) -> Table:
        """The table with some of the questions seen from the other side."""
        cells = np.where(rows[:, None], (STATES - self.cells) % STATES, self.cells)
        return Table(self.board, cells, self.facts, self.worth)

    @cached_property
    def marks(self) -> Array:
        """For each question and line, the marks in its cells."""
        return self.cells[:, np.array(self.lines)]

    @cached_property
    def kinds(self) -> Array:
        """For each question and line, the number of its kind."""
        return kinds_of(self.marks, self.k)

    @property
    def formula(self) -> dict[Kind, float]:
        """What a line of each kind is worth by the formula."""
        return {kind_of(number, self.k): float(worth) for number, worth in enumerate(self.worth)}

    @cached_property
    def worths(self) -> Array:
        """For each question and line, what it is worth by the formula."""
        worths: Array = self.worth[self.kinds]
        return worths

    @cached_property
    def right(self) -> Array:
        """The formula's value for each question."""
        values: Array = self.worths.sum(1)
        return values

    def counts(self, factors: Array | None = None) -> tuple[Array, Array]:
        """The numbers of the kinds that occur, and for each question how many lines there are of each.

        Lines may count several times, or not at all, by their factors.
        """
        present, found = self._found
        return present, found @ (np.ones(len(self.lines)) if factors is None else factors)

    @cached_property
    def _found(self) -> tuple[Array, Array]:
        """The numbers of the kinds that occur; for each question, kind and line 1 if the line is of that kind."""
        present = np.unique(self.kinds)
        return present, (self.kinds[:, None, :] == present[:, None]).astype(float)


def kinds_of(marks: Array, k: int) -> Array:
    """The number of a line's kind, from its marks: k + 1 for each of the player's, 1 for each of the opponent's."""
    numbers: Array = (marks == 1).sum(-1) * (k + 1) + (marks == 2).sum(-1)
    return numbers


def kind_of(number: int, k: int) -> Kind:
    """A line's kind from its number."""
    return divmod(int(number), k + 1)


def solved(features: Array, answers: Array, spare: int = SPARE) -> Array | None:
    """The coefficients that give the answers exactly; None if none do, or if the questions leave them open.

    There have to be some more answers than coefficients, so that no fit is exact by chance.
    """
    columns = features.shape[1]
    if len(answers) < columns + spare:
        return None
    some = slice(None, None, max(1, len(answers) // columns // 3))
    if not _exact(features[some], answers[some])[0]:  # quickly seen, and most often the case
        return None
    exact, found, rank = _exact(features, answers)
    rounded: Array = found.round(9) + 0.0
    return rounded if exact and rank == columns else None


def _exact(features: Array, answers: Array) -> tuple[bool, Array, int]:
    """Whether some coefficients give the answers exactly; the best coefficients, and the rank of the features."""
    found, _, rank, _ = np.linalg.lstsq(features, answers, rcond=None)
    return same(features @ found, answers), found, int(rank)


def same(values: Array, answers: Array) -> bool:
    """Whether two lists of numbers are equal, but for the rounding of floats."""
    return bool(np.abs(values - answers).max(initial=0) <= TOLERANCE * (1 + np.abs(answers).max(initial=0)))


# ------------------------------------------------------------------------------------------------------ the fit


def deciding(chosen: Sequence[Question], others: Sequence[Question]) -> list[Question]:
    """The first of other questions that are needed besides the chosen ones to tell what each kind of line is worth."""
    table = Table.of([*chosen, *others])
    _, counts = table.counts()
    rows, rank = counts[: len(chosen)], np.linalg.matrix_rank(counts[: len(chosen)])
    needed = []
    for question, row in zip(others, counts[len(chosen) :], strict=True):
        if rank == counts.shape[1]:
            break
        more = np.vstack([rows, row])
        if np.linalg.matrix_rank(more) > rank:
            rows, rank = more, rank + 1
            needed.append(question)
    return needed


def diagnosed(exercise: Exercise, answers: Sequence[Answer], shown: Question) -> Mistake | None:
    """The mistake of a function that gives these answers to the exercise's probes; None if no explanation is exact.

    What is no number counts as 0.
    """
    cases = tuple((case.question, plain_number(case.value)) for case in exercise.cases)
    table = table_of(cases, exercise.probes)
    findings = fitted(tuple(plain_number(answer.value) for answer in answers), table)
    if not findings:
        return None
    sentence = " ".join(finding.sentence for finding in findings)
    return Mistake(findings[0].name, sentence, tuple(drawn(findings, table, shown)))


def plain_number(value: Value) -> int | float:
    """The value if it is a number, else 0."""
    return value if isinstance(value, (int, float)) else 0


def drawn(findings: Findings, table: Table, shown: Question) -> Iterator[Drawing]:
    """The lines that the findings are about, on the board that is shown."""
    kinds = {kind for finding in findings for kind in finding.kinds}
    there = [kind_of(number, table.k) for number in Table.of([shown]).kinds[0]]
    lines = {line for line, kind in zip(table.lines, there, strict=True) if kind in kinds}
    lines |= {line for finding in findings for line in finding.lines}
    if lines:
        yield Drawing("-", "look at this line" if len(lines) == 1 else "look at these lines", tuple(sorted(lines)))


@lru_cache(4)
def table_of(cases: tuple[tuple[Question, float], ...], questions: tuple[Question, ...]) -> Table:
    """The table of some questions, with the formula's worths fitted to the cases' values.

    Raises `ValueError` if no sum over the lines gives the values, or several do.
    """
    table = Table.of([question for question, _ in cases])
    present, counts = table.counts()
    worths = solved(counts, np.array([float(value) for _, value in cases]), spare=0)
    if worths is None:
        raise ValueError("The cases' values are not what lines are worth, or leave it open.")
    asked = Table.of(questions)
    asked.worth[present] = worths
    return asked


@lru_cache(16)
def fitted(answers: tuple[float, ...], table: Table) -> Findings | None:
    """How a function with these answers differs from the formula, in the simplest way; None if nothing fits exactly."""
    if max(map(abs, answers), default=0) > MOST_ANSWER:
        return None
    values = np.array(answers, dtype=float)
    if np.array_equal(values, table.right):  # what is wrong is on other boards
        return None
    best: Findings | None = None
    for least, models in STAGES:
        if best is not None and cost(best) <= least:
            break
        for findings in models(values, table):
            if findings and cost(findings) < (MOST_COST + 1 if best is None else cost(best)):
                best = findings
    return best


def cost(findings: Findings) -> float:
    """How much it takes to say what was found."""
    return sum(one.cost for one in findings)


def simple(answers: Array, table: Table) -> Findings | None:
    """The simplest single difference that gives the answers; an empty list if they are right."""
    if same(table.right, answers):
        return []
    found = (one for models in SIMPLE for one in models(answers, table) if one)
    return min(found, key=cost, default=None)


# --------------------------------------------------------------------------------------------------- single models


def wholes(answers: Array, table: Table) -> Iterator[Findings]:
    """One thing done with every value: nothing but rounding, a factor, another side, a number added."""
    right = table.right
    if same(right, answers):
        sentence = "Your values are right except for rounding errors. Calculate with whole numbers."
        yield [Finding("rounding errors", sentence)]
    if len(answers) and not same(right, np.zeros(1)) and len(np.unique(answers)) == 1:
        yield [always(answers[0])]
    factor = solved(right[:, None], answers)
    if factor is not None and factor[0] not in (0, 1):
        yield [signs_swapped() if factor[0] == -1 else scaled(factor[0])]
    for finding, rows in sides(table):
        if same(table.swapped(rows).right, answers):
            yield [finding]
    added = solved(np.ones((len(answers), 1)), answers - right)
    if added is not None and added[0]:
        sign = "more" if added[0] > 0 else "less"
        yield [Finding("a number added", f"Each of your values is {plain(abs(added[0]))} {sign} than the right one.")]


def sides(table: Table) -> list[tuple[Finding, Array]]:
    """From whose side else a board can be seen, and the questions on which that is another side."""
    advice = "Use the parameter player, and take the other side as the opponent."
    x, turn = table.facts["X"], table.facts["to move"]
    seen = "Your values are {0}'s, whichever player is asked for. "
    moving = (
        "Your values are seen from {}. Use the parameter player: a board may be asked about from either side, no "
        "matter whose turn it is."
    )
    next_, last = "the side to move", "the side that has just moved"
    return [
        (Finding("always seen from X", seen.format("X") + advice), ~x),
        (Finding("always seen from O", seen.format("O") + advice), x),
        (Finding(f"always seen from {next_}", moving.format(next_)), ~turn),
        (Finding(f"always seen from {last}", moving.format(last)), turn),
    ]


def other_worths(answers: Array, table: Table, factors: Array | None = None) -> Iterator[Findings]:
    """All lines counted, but other worths for some kinds of them."""
    present, counts = table.counts(factors)
    worths = solved(counts, answers)
    if worths is None:
        return
    kinds = [kind_of(number, table.k) for number in present]
    found = dict(zip(kinds, map(float, worths), strict=True))
    yield worths_told(found, table.formula, table.k)


def other_factors(answers: Array, table: Table) -> Iterator[Findings]:
    """The formula's worths, but some lines missing, or counted several times."""
    factors = solved(table.worths, answers)
    if factors is not None:
        yield factors_told([float(factor) for factor in factors], table.lines, table.board.shape)


def other_lines(answers: Array, table: Table) -> Iterator[Findings]:
    """The formula's worths, but one line in another's place, or one too many."""
    triples = _triples(len(table.board), table.k)
    if len(answers) * len(triples) > MOST_COMPARED:
        return
    worths = table.worth[kinds_of(table.cells[:, triples], table.k)]
    rest = answers - table.right
    for place, line in [(None, None), *enumerate(table.lines)]:
        left = rest if place is None else rest + table.worths[:, place]
        found = np.flatnonzero((np.abs(worths - left[:, None]) < TOLERANCE).all(0))
        told = [tuple(map(int, triples[one])) for one in found]
        if len(told) == 1 and told[0] not in table.lines:
            yield [wrong_line(told[0], line)]


@lru_cache(2)
def _triples(cells: int, k: int) -> Array:
    return np.array(list(combinations(range(cells), k)) if comb(cells, k) <= MOST_SETS else np.empty((0, k), int))


def several_lines(answers: Array, table: Table) -> Iterator[Findings]:
    """The formula's worths, but for several lines that are none."""
    triples = _triples(len(table.board), table.k)
    if not 0 < len(triples) <= MOST_TRIPLES:
        return
    times = solved(table.worth[kinds_of(table.cells[:, triples], table.k)], answers)
    if times is None:
        return
    counted = {tuple(map(int, line)): float(n) for line, n in zip(triples, times, strict=True)}
    lines = set(map(tuple, map(sorted, table.lines)))
    wrong = [wrong_line(line, None, n) for line, n in counted.items() if n and line not in lines]
    factors = [counted[tuple(sorted(line))] for line in table.lines]
    yield [*wrong, *factors_told(factors, table.lines, table.board.shape)]


def other_orders(answers: Array, table: Table) -> Iterator[Findings]:
    """Other worths that depend on the order of the marks in a line."""
    numbers = table.marks @ (STATES ** np.arange(table.k))
    present, places = np.unique(numbers, return_index=True)
    worths = solved(np.stack([(numbers == one).sum(1) for one in present], 1), answers)
    if worths is None:
        return
    patterns = [tuple(map(int, marks)) for marks in table.marks.reshape(-1, table.k)[places]]
    right = table.worth[table.kinds.reshape(-1)[places]]
    found = dict(zip(patterns, map(float, worths), strict=True))
    yield patterns_told(found, dict(zip(patterns, map(float, right), strict=True)))


def cells_added(answers: Array, table: Table) -> Iterator[Findings]:
    """The formula, and something for a mark in a certain cell."""
    features = np.concatenate([table.cells == 1, table.cells == 2], 1).astype(float)
    found = solved(features, answers - table.right)
    if found is None:
        return
    own, other = np.split(found, 2)
    told = [f"{plain(n)} for a mark of yours in cell {cell}" for cell, n in enumerate(own) if n]
    told += [f"{plain(n)} for one of the opponent's in cell {cell}" for cell, n in enumerate(other) if n]
    if told:
        sentence = f"Besides the lines, your function counts {listed(told[:4])}."
        yield [Finding("cells counted", sentence, CELLS_COST)]


# ---------------------------------------------------------------------------------- what is done with the lines' sum

DONE: dict[str, tuple[str, Callable[[Array], Array]]] = {
    "absolute value": (
        "Your values are never negative. A board that is better for the opponent has a negative value.",
        np.abs,
    ),
    "only the sign": ("Your function returns only 1, 0 or −1. You were asked for the sum itself.", np.sign),
}
PICKED = {
    "returned inside the loop": "Your function returns from inside the loop, so the lines after the first that counts "
    "never count. Sum up first, and return once, after the loop.",
    "only the last line": "Only the last line that counts is in your values. Add to the total, rather than setting it.",
    "only the best line": "Only the line that is worth most is in your values. All lines are summed up.",
    "equal lines counted once": "Of several lines with the same marks you count one only. A set, or a dict, keeps "
    "equal things once; go through board.lines itself.",
    "stops at a blocked line": "Your function stops at the first line that holds marks of both sides. Go on with the "
    "next line instead.",
    "stops at a line that doesn't count": "Your function stops at the first line that doesn't count. Go on with the "
    "next line instead.",
}


def done_with_the_sum(answers: Array, table: Table) -> Iterator[Findings]:
    """The right sum, or one with another mistake, and then something done with it; or a few of the lines only."""
    for base, worths in bases(table):
        total = worths.sum(1)
        for name, (sentence, done) in DONE.items():
            if same(done(total), answers):
                yield [Finding(name, sentence), *base]
        yield from ([*one, *base] for one in rounded(answers, total, len(table.lines)))
        for name, values in picked(worths, table):
            if same(values, answers):
                yield [Finding(name, PICKED[name]), *base]


def rounded(answers: Array, total: Array, lines: int) -> Iterator[Findings]:
    """The sum divided by a number, and rounded."""
    for divisor in sorted({2, 3, 4, lines}):
        for rounding in (np.floor, np.trunc, np.ceil, np.round):
            if same(rounding(total / divisor), answers):
                told = f"Your values are the right ones divided by {divisor} and rounded. "
                told += "You were asked for the sum itself."
                yield [Finding("values rounded", told)]
                return


def bases(table: Table) -> Iterator[tuple[Findings, Array]]:
    """The formula's worth of each line, and that with one common mistake."""
    yield [], table.worths
    k = table.k
    weights = table.worth[(k + 1) * np.arange(k + 1)]
    own, other = np.divmod(np.arange((k + 1) ** 2), k + 1)
    present = np.unique(table.kinds)
    least = min((weight for weight in weights if weight), key=abs, default=0)
    same_weight = np.where(weights != 0, least, 0)
    tables = [
        weights[own.clip(0, k)] - weights[other.clip(0, k)],
        np.where(own > 0, table.worth, 0),
        np.where(other > 0, 0, same_weight[own]) - np.where(own > 0, 0, same_weight[other]),
    ]
    for worth in tables:
        found = {kind_of(number, k): float(worth[number]) for number in present}
        yield worths_told(found, table.formula, k), worth[table.kinds]
    for findings, rows in sides(table):
        yield [findings], table.swapped(rows).worths
    for told, factors in groups(table.board):
        yield told, table.worths * factors


def picked(worths: Array, table: Table) -> Iterator[tuple[str, Array]]:
    """By name, the values if only some of a board's lines are summed up."""
    rows = np.arange(len(worths))
    counted = worths != 0
    yield "returned inside the loop", worths[rows, counted.argmax(1)]
    yield "only the last line", worths[rows, -1 - counted[:, ::-1].argmax(1)]
    yield "only the best line", worths.max(1)
    numbers = table.marks @ (STATES ** np.arange(table.k))
    first = np.stack([(numbers[:, :n] != numbers[:, [n]]).all(1) for n in range(numbers.shape[1])], 1)
    yield "equal lines counted once", (worths * first).sum(1)
    own, other = np.divmod(table.kinds, table.k + 1)
    for name, stop in (
        ("stops at a blocked line", (own > 0) & (other > 0)),
        ("stops at a line that doesn't count", ~counted),
    ):
        yield name, (worths * (np.cumsum(stop, 1) == 0)).sum(1)


def cut_off(answers: Array, table: Table) -> Iterator[Findings]:
    """Values that are never above, or never below, a limit; what lies between shows what lines are worth."""
    low, high = answers.min(), answers.max()
    for lower, upper in ((low, None), (None, high), (low, high)):
        inside = np.ones(len(answers), bool)
        inside &= True if lower is None else answers > lower
        inside &= True if upper is None else answers < upper
        if not inside.any() or inside.all():
            continue
        part = table.where(inside)
        for base, values in _between(answers[inside], part, table):
            if same(np.clip(values, lower, upper), answers) and not same(values, answers):
                yield [_limits(lower, upper), *base]


def _between(answers: Array, part: Table, table: Table) -> Iterator[tuple[Findings, Array]]:
    """What explains the answers between the limits, and the values that it gives on all boards."""
    if same(part.right, answers):
        yield [], table.right
        return
    present, counts = part.counts()
    worths = solved(counts, answers)
    if worths is None or len(present) < len(np.unique(table.kinds)):
        return
    worth = np.zeros_like(table.worth)
    worth[present] = worths
    yield next(other_worths(answers, part)), worth[table.kinds].sum(1)


def _limits(lower: float | None, upper: float | None) -> Finding:
    limits = [
        f"never {word} {plain(limit)}" for word, limit in (("below", lower), ("above", upper)) if limit is not None
    ]
    return Finding("values cut off", f"Your values are {listed(limits)}. The formula has no such limits.")


# ----------------------------------------------------------------------------------------------- two models at once


@lru_cache(4)
def groups(start: Board) -> tuple[tuple[Findings, Array], ...]:
    """The choices of lines that come with other mistakes: one or one direction missing, alone, or twice."""
    everything = frozenset(range(len(start.line_cells)))
    one_each = {frozenset([place]) for place in everything} if len(everything) <= 20 else set()
    directed = set(directions(start.line_cells, start.shape).values())
    chosen = [
        *((places, 0.0) for places in sorted(one_each | directed, key=sorted)),
        *((everything - places, 0.0) for places in sorted(directed, key=sorted)),
        *((places, 2.0) for places in sorted(one_each | directed, key=sorted)),
    ]
    found = []
    for places, factor in chosen:
        factors = np.ones(len(start.line_cells))
        factors[sorted(places)] = factor
        told = factors_told([float(one) for one in factors], start.line_cells, start.shape)
        if told:
            found.append((told, factors))
    return tuple(found)


def pairs(answers: Array, table: Table) -> Iterator[Findings]:
    """Other worths together with another side to see them from, or with other lines."""
    views = [([], table), *(([finding], table.swapped(rows)) for finding, rows in sides(table))]
    for seen, view in views:
        if seen:
            yield from ([*seen, *found] for found in (*other_worths(answers, view), *other_factors(answers, view)))
        for chosen, factors in groups(table.board):
            yield from ([*found, *seen, *chosen] for found in other_worths(answers, view, factors) if found)


SPLITS = {"X": ("O", "X"), "to move": ("the side that has just moved", "the side to move")}  # what is not, what is


def split(answers: Array, table: Table) -> Iterator[Findings]:
    """One model for one player, or for the side to move, and another for the other side."""
    for fact, names in SPLITS.items():
        chosen = table.facts[fact]
        no, yes = (simple(answers[rows], table.where(rows)) for rows in (~chosen, chosen))
        if no is not None and yes is not None:
            yield [_split(names, no, yes)]


def _split(names: Sequence[str], no: Findings, yes: Findings) -> Finding:
    """What to say where the two sides are treated differently."""
    told = [(names[0], no), (names[1], yes)]
    if not no:
        told.reverse()  # the wrong side comes first
    (wrong_name, wrong), (right_name, right) = told
    said = " ".join(one.sentence for one in wrong)
    total = 1 + cost(no) + cost(yes)
    if not right:
        sentence = f"For {right_name} your values are right. For {wrong_name} they are not: {said}"
        return Finding(f"right for {right_name} only", sentence, total)
    more = " ".join(one.sentence for one in right)
    return Finding("sides treated differently", f"For {wrong_name}: {said} For {right_name}: {more}", total)


def won_apart(answers: Array, table: Table) -> Iterator[Findings]:
    """Boards on which somebody has won, or the game is over, have values of their own."""
    won, over = table.facts["won"], table.facts["over"]
    cases = {
        "boards that you have won": won == 1,
        "boards that the opponent has won": won == 2,
        "drawn boards": over & (won == 0),
    }
    going = simple(answers[~over], table.where(~over))
    if going is None:
        return
    told = []
    for name, rows in cases.items():
        part, values = table.where(rows), answers[rows]
        if not rows.any() or same(part.right, values):
            continue
        if len(np.unique(values)) > 1:
            return
        told.append(f"On {name} your function always gives {plain(values[0])}.")
    if told:
        sentence = f"{' '.join(told)} The formula treats them like any other board."
        yield [*going, Finding("won boards apart", sentence, 1)]


SIMPLE = (wholes, other_worths, other_factors)
STAGES: tuple[tuple[float, Callable[[Array, Table], Iterator[Findings]]], ...] = (
    *((1, models) for models in SIMPLE),
    (1, other_lines),
    (1, done_with_the_sum),
    (1, cut_off),
    (1, won_apart),
    (1.25, cells_added),
    (1.5, split),
    (1.5, pairs),
    (2, several_lines),
    (2.5, other_orders),
)
