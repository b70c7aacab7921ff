"""Names the mistake in a function that should add up what lines are worth, by fitting it rather than from a list.

A reading of the boards says which lines count, how often, and what they are worth. The first one that gives all of a
function's answers exactly, with other worths by least squares or with something done to its sum, is the explanation;
how it differs from the formula is the mistake. Where nothing is exact, nothing is told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from itertools import chain, combinations, product
from math import isclose
from typing import Any, TypeAlias

import numpy as np

from ttt.board import Board, Line, opponent
from ttt.exercises.asking import Answer, Question
from ttt.exercises.exercise import SENTENCES, Exercise, Mistake, number_word, positions

Array: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"
Kind = tuple[int, int]  # of a line: the player's marks and the opponent's marks in it
Worths = dict[Kind, float]  # what a line of each kind counts

TOLERANCE = 1e-7  # what a sum of floats may be off by
LARGEST = 1e8  # in size; beyond it the tolerance would hide an error
MOST_TOLD = 3  # differences, and kinds of lines in each; an explanation that is longer explains little
LINES = Board().line_cells
TRIPLES = tuple(combinations(range(9), 3))
KINDS: tuple[Kind, ...] = tuple((own, other) for own, other in product(range(4), repeat=2) if own + other <= 3)
ALONE: tuple[Kind, ...] = ((1, 0), (2, 0), (0, 1), (0, 2))  # with marks of one side, not completed
BLOCKED: tuple[Kind, ...] = ((1, 1), (2, 1), (1, 2))
COMPLETED: tuple[Kind, ...] = ((3, 0), (0, 3))
ROUNDINGS: tuple[Callable[[Array], Array], ...] = (np.floor, np.trunc, np.ceil, np.round)


@dataclass(frozen=True)
class Finding:
    """One way in which a function differs from the formula."""

    name: str  # always the same for the same mistake
    parts: tuple[str, ...]  # of the marks
    sentence: str  # for the student
    kinds: tuple[Kind, ...] = ()  # of lines that it is about, to be drawn
    lines: tuple[Line, ...] = ()


Findings = list[Finding]


def finding(name: str, more: str = "", lines: Iterable[Line] = (), **found: str) -> Finding:
    """A mistake with its sentence from `mistakes.toml`, with what was found put in, and what more there is to say."""
    parts, sentence = SENTENCES["heuristic_1"][name]
    words = f"{sentence.format(**found)} {more}".strip()
    return Finding(name.format(**found), tuple(parts.split()), words, (), tuple(lines))


def diagnosed(exercise: Exercise, answers: Sequence[Answer]) -> Mistake | None:
    """The mistake of a function that gives these answers to every position; None if no explanation is exact."""
    values = tuple(float(answer.value) for answer in answers if isinstance(answer.value, (int, float)))
    if len(values) < len(answers) or max(map(abs, values)) > LARGEST:
        return None
    findings = fitted(values, exercise.weights)
    if not findings:
        return None

    def shown(question: Question) -> tuple[Line, ...]:
        board, player = question
        kinds = [(marks.count(player), marks.count(opponent(player))) for marks in board.lines]
        alike = {
            line for line, kind in zip(board.line_cells, kinds, strict=True) for one in findings if kind in one.kinds
        }
        return tuple(sorted(alike.union(*(one.lines for one in findings))))

    sentence = " ".join(one.sentence for one in findings)
    return Mistake(findings[0].name, sentence, tuple(part for one in findings for part in one.parts), shown)


@lru_cache(64)
def fitted(values: tuple[float, ...], weights: tuple[int, ...]) -> Findings | None:
    """How a function with these values differs from the formula; None if nothing explains them exactly."""
    if len(set(values)) == 1:
        return [finding("always the same number", found=plain(values[0]))]
    answers, boards = np.array(values), boards_with(weights)
    found = summed(answers, boards.rows, boards)
    if found is not None:
        return found or [finding("rounding errors")]
    return by_sides(answers, boards) or outcomes_apart(answers, boards) or other_orders(answers, boards)


def plain(value: float) -> str:
    """A number as text, without needless decimals: 3, −0.5, 1,000,000.

    >>> plain(3.0), plain(-0.125), plain(1e6)
    ('3', '−0.125', '1,000,000')
    """
    return f"{round(value, 4):,}".removesuffix(".0").replace("-", "−")


# ------------------------------------------------------------------------------------------------- boards as arrays


@dataclass(frozen=True)
class Reading:
    """A way to add up lines."""

    findings: Findings  # how it differs from the formula
    worths: Worths
    times: Array  # how often each of a board's lines counts, for each question or for all
    change: Callable[[Array], Array] = np.asarray  # what is done to the numbers of lines of each kind


class Boards:
    """All questions as arrays, a row for each, with what the formula says of them."""

    def __init__(self, weights: tuple[int, ...]) -> None:
        asked = [(board, player, ("-", player, opponent(player))) for board in positions() for player in "XO"]
        self.weights, self.formula = weights, formula_of(weights)
        self.rows = np.arange(len(asked))
        self.moving = np.array([board.turn == player for board, player, _ in asked])
        self.over = np.array([board.over for board, _, _ in asked])
        self.winner = np.array([marks.index(board.winner or "-") for board, _, marks in asked])
        self.cells = np.array([[marks.index(cell) for cell in board] for board, _, marks in asked])
        self.marks = self.cells[:, np.array(LINES)]
        self.patterns = self.marks @ np.array([9, 3, 1])
        self.kinds = kinds_of(self.marks)
        self.blocked = np.isin(self.kinds, [KINDS.index(kind) for kind in BLOCKED])
        self.worths = by_kind(self.formula)[self.kinds]
        self.right: Array = self.worths.sum(1)

    def numbers(self, reading: Reading, rows: Array) -> Array:
        """For some of the questions, how many lines of each kind a reading counts."""
        times = np.broadcast_to(reading.times, self.kinds.shape)[rows]
        return reading.change(np.stack([((self.kinds[rows] == n) * times).sum(1) for n in range(len(KINDS))], 1))

    @cached_property
    def ahead(self) -> list[Array]:
        """The right values of boards after a move: the highest, the lowest, and what the side to move takes."""
        values = dict(zip(product(positions(), "XO"), self.right.tolist(), strict=True))
        after = [[values[board.play(m), side] for m in board.moves if not board.over] or [0] for board, side in values]
        most, least = np.array([max(some) for some in after]), np.array([min(some) for some in after])
        return [most, least, np.where(self.moving, most, least)]

    @cached_property
    def readings(self) -> list[Reading]:
        """The formula; something done to the numbers of lines; a few other worths; and other choices of lines."""
        once, kept, (_, one, two, _) = np.ones(8), self.formula, self.weights
        both = kept | {kind: self.weights[kind[0]] - self.weights[kind[1]] for kind in BLOCKED}
        other_worths = (both, formula_of((0, min(one, two), min(one, two), 0)), {k: kept[k] * (k[0] > 0) for k in kept})
        return [
            Reading([], kept, once),
            Reading([finding("squared numbers of lines")], kept, once, np.square),
            Reading([finding("numbers of lines halved")], kept, once, lambda numbers: numbers // 2),
            *(Reading(worths_told(worths, self.weights), worths, once) for worths in other_worths),
            *(Reading(factors_told(some), kept, np.array([some[line] for line in LINES])) for some in line_groups()),
            *(Reading([finding(name)], kept, chosen) for name, chosen in self._chosen()),
            *(Reading([finding("list changed while it is walked")], both, left) for left in self._left()),
        ]

    def _chosen(self) -> Iterator[tuple[str, Array]]:
        """The lines that count if it depends on the marks, or on the lines before, which of them do."""
        places, counted = np.arange(8), self.worths != 0
        first = np.stack([(self.patterns[:, :n] != self.patterns[:, [n]]).all(1) for n in places], 1)
        yield "returned inside the loop", places == counted.argmax(1)[:, None]
        yield "only the last line", places == 7 - counted[:, ::-1].argmax(1)[:, None]
        yield "only the best line", places == self.worths.argmax(1)[:, None]
        yield "equal lines counted once", first
        yield "stops at a blocked line", np.cumsum(self.blocked, 1) == 0
        yield "stops at a line that doesn't count", np.cumsum(~counted, 1) == 0

    def _left(self) -> Iterator[Array]:
        """The lines that are left where a loop removes blocked ones from its own list, by marks or by place."""
        for names in (self.patterns, np.broadcast_to(np.arange(8), self.kinds.shape)):
            times = np.zeros(self.kinds.shape)
            for row, (marks, blocked) in enumerate(zip(names.tolist(), self.blocked.tolist(), strict=True)):
                left = list(range(8))
                for place in left:  # which passes over the line after each that is removed, as the student's loop does
                    if blocked[place]:
                        left.remove(next(other for other in left if marks[other] == marks[place]))
                times[row, left] = 1
            yield times


boards_with = lru_cache(4)(Boards)


def formula_of(weights: Sequence[float]) -> Worths:
    """A line with marks of one side alone counts for that side."""
    return {(own, other): (0 if other else weights[own]) - (0 if own else weights[other]) for own, other in KINDS}


def by_kind(worths: Worths) -> Array:
    """What lines count, in the order of `KINDS`."""
    return np.array([worths[kind] for kind in KINDS], float)


def kinds_of(marks: Array) -> Array:
    """The places among `KINDS` of lines with these marks."""
    places = np.zeros((4, 4), int)
    places[tuple(zip(*KINDS, strict=True))] = range(len(KINDS))
    found: Array = places[(marks == 1).sum(-1), (marks == 2).sum(-1)]
    return found


def same(values: Array, answers: Array) -> bool:
    """Whether two lists of numbers are equal, but for the rounding of floats."""
    return bool((np.abs(values - answers) <= TOLERANCE * (1 + np.abs(answers))).all())


def samples(rows: Array, size: int) -> tuple[Array, Array]:
    """A few of the rows, in which most of what is wrong shows, and then all."""
    return rows[:: len(rows) // size | 1], rows


def solved(features: Callable[[Array], Array], answers: Array, rows: Array, expected: Array) -> Array | None:
    """What each feature counts, so that all answers come out, as expected if it may; None if nothing is exact."""
    for some in samples(rows, 4 * len(expected)):
        table = features(some)
        off, _, rank, _ = np.linalg.lstsq(table, answers[some] - table @ expected, rcond=None)
        found: Array = (expected + off).round(9) + 0.0
        if not same(table @ found, answers[some]):
            return None
    return found if rank == table.any(0).sum() or not off.round(6).any() else None


# --------------------------------------------------------------------------------------------------- explanations


def summed(answers: Array, rows: Array, boards: Boards) -> Findings | None:
    """What explains the answers to some of the questions as a sum over lines; an empty list if they are right."""
    found = first_explanation(answers, rows, boards)
    added = float(answers[rows[0]])  # on the empty board, where nothing counts
    rest = first_explanation(answers - added, rows, boards) if added else None
    if rest is None or (found is not None and len(found) <= len(rest) + 1):
        return found
    return [finding("a number added", found=f"{plain(abs(added))} {'more' if added > 0 else 'less'}"), *rest]


def first_explanation(answers: Array, rows: Array, boards: Boards) -> Findings | None:
    """The first of all readings, the simplest coming first, that gives the answers, perhaps with another mistake."""
    if same(boards.right[rows], answers[rows]):
        return []
    models = (other_worths, other_lines, done_with_the_sum, other_values)
    explanations = chain.from_iterable(model(answers, rows, boards) for model in models)
    return next((findings for findings in explanations if len(findings) <= MOST_TOLD), None)


def other_worths(answers: Array, rows: Array, boards: Boards) -> Iterator[Findings]:
    """Other worths for some kinds of lines, in any reading."""
    for reading in boards.readings:
        found = solved(partial(boards.numbers, reading), answers, rows, by_kind(reading.worths))
        if found is not None:
            worths = dict(zip(KINDS, found.tolist(), strict=True))
            yield reading.findings + ([] if worths == reading.worths else worths_told(worths, boards.weights))


def other_lines(answers: Array, rows: Array, boards: Boards) -> Iterator[Findings]:
    """The formula's worths, but some lines missing or counted several times, or three cells that are no line."""
    worths, places = by_kind(boards.formula), np.array(TRIPLES)
    expected = np.array([float(line in LINES) for line in TRIPLES])
    found = solved(lambda some: worths[kinds_of(boards.cells[some][:, places])], answers, rows, expected)
    if found is not None and (found != expected).sum() <= len(LINES):
        yield factors_told(dict(zip(TRIPLES, found.tolist(), strict=True)))


def done_with_the_sum(answers: Array, rows: Array, boards: Boards) -> Iterator[Findings]:
    """The right sum, or that of another reading, and then something done with it."""
    low, high = float(answers[rows].min()), float(answers[rows].max())
    for reading in boards.readings:
        found: list[Finding] = []
        for some in samples(rows, 100):
            total = boards.numbers(reading, some) @ by_kind(reading.worths)
            found = [one for one, values in changed(total, low, high) if same(values, answers[some])]
            if not found:
                break
        yield from ([one, *reading.findings] for one in found)


def changed(total: Array, low: float, high: float) -> Iterator[tuple[Finding, Array]]:
    """What can be done with sums, and the values that it gives, which are cut off at the lowest and the highest."""
    yield finding("absolute value"), np.abs(total)
    yield finding("only the sign"), np.sign(total)
    for divisor, rounded in product((2, 3, 4, 8), ROUNDINGS):
        yield finding("values rounded", found=plain(divisor)), rounded(total / divisor)
    below, above = f"never below {plain(low)}", f"never above {plain(high)}"
    yield finding("values cut off", found=below), total.clip(low, None)
    yield finding("values cut off", found=above), total.clip(None, high)
    yield finding("values cut off", found=f"{below}, and {above}"), total.clip(low, high)


def other_values(answers: Array, rows: Array, boards: Boards) -> Iterator[Findings]:
    """Each side's sum squared, or the right values of boards after a move rather than of the board itself."""
    own, other = boards.worths.clip(0, None).sum(1), boards.worths.clip(None, 0).sum(1)
    if same((own**2 - other**2)[rows], answers[rows]):
        yield [finding("squared numbers of lines")]
    for values in boards.ahead:
        if same(np.where(boards.over, answers, values)[rows], answers[rows]):
            yield [finding("looked up one move ahead")]


def by_sides(answers: Array, boards: Boards) -> Findings | None:
    """The board is always seen from one side, or one side's answers have another explanation than the other's."""
    is_x, found = boards.rows % 2 == 0, []
    for chosen, names in ((is_x, ("X", "O")), (boards.moving, ("the side to move", "the side that has just moved"))):
        told = [
            (summed(answers, boards.rows[rows], boards), name)
            for rows, name in zip((chosen, ~chosen), names, strict=True)
        ]
        both = sorted(
            ((findings, name) for findings, name in told if findings is not None), key=lambda one: len(one[0])
        )
        if same(answers[is_x], answers[~is_x]):
            found += [[finding("always seen from {found}", found=name), *findings] for findings, name in both]
        elif len(both) == 2:
            (right, first), (wrong, second) = both
            name = "sides treated differently" if right else "right for {found} only"
            wrong = wrong if right else [replace(one, parts=()) for one in wrong]
            found.append([finding(name, found=first, other=second), *wrong, *right])
    return min(found, key=len, default=None)


def outcomes_apart(answers: Array, boards: Boards) -> Findings | None:
    """Boards on which the game is over have values of their own."""
    going = summed(answers, np.flatnonzero(~boards.over), boards)
    told = []
    for winner, name in enumerate(("drawn boards", "boards that you have won", "boards that the opponent has won")):
        rows = boards.over & (boards.winner == winner)
        if same(boards.right[rows], answers[rows]):
            continue
        if len(values := np.unique(answers[rows])) > 1:
            return None
        told.append(f"On {name} your function always gives {plain(float(values[0]))}.")
    return [*going, finding("won boards apart", found=" ".join(told))] if going is not None else None


def other_orders(answers: Array, boards: Boards) -> Findings | None:
    """Other worths that depend on the order of the marks in a line."""
    orders = list(product(range(3), repeat=3))
    right = by_kind(boards.formula)[kinds_of(np.array(orders))]

    def numbers(some: Array) -> Array:
        return np.stack([(boards.patterns[some] == place).sum(1) for place in range(len(orders))], 1)

    found = solved(numbers, answers, boards.rows, right)
    if found is None:
        return None
    words = ("free", "yours", "the opponent's")
    off = [
        f"A line that reads {', '.join(words[mark] for mark in marks)} should count {plain(float(should))}; in your "
        f"function it counts {plain(float(value))}."
        for marks, value, should in zip(orders, found, right, strict=True)
        if value != should
    ]
    return [finding("order of marks in a line", " ".join(off[:2]))]


# ------------------------------------------------------------------------------------------------ what a line counts


SIDES = (  # what the player's weights are multiplied by, and the opponent's for one, two and three marks
    ("", 1, (-1, -1, -1)),
    ("signs swapped", -1, (1, 1, 1)),
    ("opponent ignored", 1, (0, 0, 0)),
    ("own lines ignored", 0, (-1, -1, -1)),
    ("opponent added", 1, (1, 1, 1)),
    ("bracket lost", 1, (1, -1, -1)),
    ("bracket lost", 1, (-1, 1, -1)),
)


def weighings(weights: tuple[int, ...]) -> list[tuple[str, Sequence[float]]]:
    """The common mistakes with what one, two and three marks count, the last as the formula has it or in keeping."""
    _, one, two, three = weights
    least, most = sorted((one, two))
    return [
        ("heuristic 2 instead", (1, 1, 1)),
        *(("the {factor} forgotten", (least, least, last)) for last in (three, least)),
        *(("the {factor} times all", (most, most, last)) for last in (three, most)),
        ("weights swapped", (two, one, three)),
        *(("at least for exactly", (one, one + two, last)) for last in (three, one + two)),
        ("pairs not counted", (one, 0, three)),
        ("single marks not counted", (0, two, three)),
        *(("marks counted", (1, 2, last)) for last in (3, three)),
        *(("powers of the marks", (1, 2**power, last)) for power in (2, 3) for last in (3**power, three)),
    ]


def worths_told(found: Worths, weights: tuple[int, ...]) -> Findings:
    """How worths of lines differ from the formula's; nothing where they don't."""
    right = formula_of(weights)
    off = [kind for kind in KINDS if found[kind] != right[kind]]
    factor = found[1, 0] / weights[1]
    if off and abs(factor) not in (0, 1) and all(isclose(found[kind], factor * right[kind]) for kind in KINDS):
        name, times = ("values divided", 1 / factor) if abs(factor) < 1 else ("values multiplied", factor)
        return [finding(name, found=plain(times))]
    for terms, worths in or_for_and(weights):
        if found == worths:
            return [with_numbers(finding("or instead of and", found=terms), off, found, right)]
    told, left = alone_told(found, weights) if {*off} & {*ALONE} else ([], off)
    for name, kinds in (
        ("blocked lines counted", BLOCKED),
        ("completed lines counted", COMPLETED),
        ("empty lines counted", ((0, 0),)),
    ):
        if some := [kind for kind in kinds if kind in left]:
            told.append(with_numbers(finding(name), some, found, right))
    return told


def or_for_and(weights: tuple[int, ...]) -> Iterator[tuple[str, Worths]]:
    """Each choice of terms whose condition has an or: the number of marks is right, or the other side has none."""
    terms = {
        (0, 1): "one of yours",
        (0, 2): "two of yours",
        (1, 1): "one of the opponent's",
        (1, 2): "two of the opponent's",
    }
    for wrong in chain.from_iterable(combinations(terms, size) for size in range(1, 5)):
        worths = dict.fromkeys(KINDS, 0.0)
        for kind, (side, number) in product(KINDS, terms):
            conditions = kind[side] == number, kind[1 - side] == 0
            if all(conditions) or ((side, number) in wrong and any(conditions)):
                worths[kind] += -weights[number] if side else weights[number]
        yield ", ".join(terms[term] for term in wrong), worths


def alone_told(found: Worths, weights: tuple[int, ...]) -> tuple[Findings, list[Kind]]:
    """What is wrong with lines that hold marks of one side, most simply put; and the kinds that are left to be told."""
    right = formula_of(weights)
    off = [kind for kind in KINDS if found[kind] != right[kind]]
    alone = [kind for kind in off if kind in ALONE]
    explanations = [(1.5 if len(alone) == 1 else 5, "", "weight of {found}", alone, alone)]
    own, opponents = (found[1, 0], found[2, 0]), (-found[0, 1], -found[0, 2])
    other = [("weight of {found}", (*some, weights[3])) for some in (own, opponents, (-own[0], -own[1]))]
    for (side, mine, theirs), (name, counts) in product(SIDES, [("", weights[1:]), *weighings(weights), *other]):
        worths, before = (one_sided(mine, theirs, some) for some in (counts, weights[1:]))
        as_found = {kind for kind in worths if found[kind] == worths[kind]}
        if as_found.issuperset(worths if name == "heuristic 2 instead" else ALONE):
            changed = [kind for kind in ALONE if worths[kind] != before[kind]]
            simple = len({max(kind) for kind in changed}) < 2
            cost = bool(side) + {"": 0, "weight of {found}": 1.5 if simple else 3}.get(name, 1)
            told = [kind for kind in off if kind in as_found]
            left_over = 0.5 * len({*off} & {*COMPLETED} - as_found)
            explanations.append((cost + left_over, side, name, changed, told))
    _, side, name, changed, told = min(explanations, key=lambda one: one[0])
    findings = [finding(side)] if side else []
    if name:
        findings.append(finding(name, factor=plain(max(weights[1:3])), found=whose(changed)))
    findings[-1] = with_numbers(findings[-1], told, found, right)
    return findings, [kind for kind in off if kind not in told]


def one_sided(mine: int, theirs: Sequence[int], counts: Sequence[float]) -> Worths:
    """What lines with marks of one side count, if each side's weights are multiplied by these numbers."""
    worths = {(number, 0): mine * count for number, count in enumerate(counts, 1)}
    return worths | {(0, n): sign * count for n, (sign, count) in enumerate(zip(theirs, counts, strict=True), 1)}


def whose(kinds: Sequence[Kind]) -> str:
    """Kinds of lines in a few words."""
    side = (
        "your own " if all(own for own, _ in kinds) else "the opponent's " if all(other for _, other in kinds) else ""
    )
    numbers = {max(kind) for kind in kinds}
    return side + ("lines" if len(numbers) > 1 else "single marks" if 1 in numbers else "pairs")


def with_numbers(one: Finding, kinds: Sequence[Kind], found: Worths, right: Worths) -> Finding:
    """A finding about some kinds of lines, with what they should count, and what they do."""
    more = tuple(part for part, some in (("blocked", BLOCKED), ("completed", COMPLETED)) if {*some} & {*kinds})
    told = [
        f"{kind_in_words(kind).capitalize()} should count {plain(right[kind])}; "
        f"in your function it counts {plain(found[kind])}."
        for kind in sorted(kinds, key=lambda kind: (kind[0] < kind[1], -sum(kind)))
    ]
    parts = tuple(dict.fromkeys((*one.parts, *more)))
    return replace(one, parts=parts, kinds=tuple(kinds), sentence=" ".join([one.sentence, *told[:MOST_TOLD]]))


def kind_in_words(kind: Kind) -> str:
    """A kind of line: "a line with two of yours and none of the opponent's"."""
    own, other = (number_word(number) if number else "none" for number in kind)
    return f"a line with {own} of yours and {other} of the opponent's"


# ------------------------------------------------------------------------------------------------------- which lines


GROUPS: dict[tuple[Line, ...], str] = {
    LINES[:3]: "rows",
    LINES[3:6]: "columns",
    LINES[6:]: "diagonals",
    LINES[6:7]: "main diagonal",
    LINES[7:]: "other diagonal",
    **{(line,): "line" for line in LINES[:6]},
}


def line_groups() -> Iterator[dict[Line, float]]:
    """How often each line counts, if some are missing or counted twice, or if there are no others."""
    for inside, outside in ((0.0, 1.0), (2.0, 1.0), (1.0, 0.0)):
        yield from ({line: inside if line in group else outside for line in LINES} for group in GROUPS)


def factors_told(factors: Mapping[Line, float]) -> Findings:
    """What to say if three cells count so many times; nothing if each line counts once, and nothing else does."""
    missing = tuple(line for line in LINES if not factors[line])
    left = tuple(line for line in LINES if factors[line])
    often = {line: factors[line] for line in left if factors[line] != 1}
    others = tuple(line for line, factor in factors.items() if factor and line not in LINES)
    extra = (*others, *often)
    if left in (LINES[:1], LINES[7:]) and not extra:
        return [finding("returned inside the loop" if left == LINES[:1] else "only the last line", lines=missing)]
    if len(missing) == len(extra) == 1 or others:
        instead = in_words(missing) if missing else "the eight lines alone"
        return [finding("wrong line", lines=extra, found=cells(extra), instead=instead)]
    told = []
    if left in GROUPS:
        told.append(finding("only {found}", lines=missing, found=GROUPS[left], where=in_words(left)))
    elif missing:
        told.append(finding("{found} missing", lines=missing, found=named(missing), where=in_words(missing)))
    if often:
        factor, *more = {*often.values()}
        times = "several times" if more else {2.0: "twice", 3.0: "three times"}.get(factor, f"{plain(factor)} times")
        told.append(
            finding("{found} counted {often}", "", often, found=named(often), often=times, where=in_words(often))
        )
    return told


def named(lines: Iterable[Line]) -> str:
    """The name of some of the lines."""
    return GROUPS.get(tuple(lines), "lines")


def in_words(lines: Iterable[Line]) -> str:
    """Some lines with their cells: "the main diagonal (cells 0, 4, 8)"."""
    return f"the {named(lines)} (cells {cells(lines)})"


def cells(lines: Iterable[Line]) -> str:
    """The cells of some lines: "0, 4, 8; 2, 4, 6"."""
    return "; ".join(", ".join(map(str, line)) for line in lines)
