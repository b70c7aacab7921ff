"""Names the mistake in a function that should add up what lines are worth, by fitting it rather than from a list.

The simplest model is looked for that gives all of a function's answers exactly: other worths for kinds of lines, other
lines, another side to see them from, something done with the sum, or two of these. What distinguishes the model from
the formula is the mistake, and it is told with its numbers. Where nothing is exact, nothing is told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache
from itertools import chain, combinations, product
from typing import Any, TypeAlias

import numpy as np

from ttt.board import Board, Line, opponent
from ttt.exercises.asking import Answer, Question
from ttt.exercises.exercise import SENTENCES, Exercise, Mistake, number_word, positions

Array: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"
Kind = tuple[int, int]  # of a line: the player's marks and the opponent's marks in it
Worth = dict[Kind, float]  # what a line of each kind is worth

TOLERANCE = 1e-7  # what a sum of floats may be off by
LARGEST = 1e8  # in size; beyond it the tolerance would hide an error
MOST_TOLD = 3  # kinds of lines
MOST_COST = 4  # of an explanation; one that is longer explains little
LINES = Board().line_cells
KINDS: tuple[Kind, ...] = tuple((own, other) for own, other in product(range(4), repeat=2) if own + other <= 3)
ALONE: tuple[Kind, ...] = ((2, 0), (1, 0), (0, 2), (0, 1))  # with marks of one side, not completed
BLOCKED: tuple[Kind, ...] = ((2, 1), (1, 2), (1, 1))
COMPLETED: tuple[Kind, ...] = ((3, 0), (0, 3))


@dataclass(frozen=True)
class Finding:
    """One way in which a function differs from the formula.

    Args:
        name: always the same for the same mistake.
        parts: of the marks that it is about.
        sentence: what the student is told.
        cost: how much it takes to say; the explanation with the lowest sum is the simplest.
        kinds, lines: the lines that it is about, by their marks or by their cells, to be drawn.
    """

    name: str
    parts: tuple[str, ...]
    sentence: str
    cost: float = 1
    kinds: tuple[Kind, ...] = ()
    lines: tuple[Line, ...] = ()


Findings = list[Finding]
Known = tuple[Findings, Array]  # a way to go astray, and the values that it gives; nan where any will do


def finding(name: str, cost: float = 1, lines: Sequence[Line] = (), **found: str) -> Finding:
    """A mistake with its sentence from `mistakes.toml`, where what was found is put in."""
    parts, sentence = SENTENCES["heuristic_1"][name]
    words = sentence.format(**found)
    return Finding(name.format(**found), tuple(parts.split()), words, cost, (), tuple(lines))


def and_says(one: Finding, more: str) -> Finding:
    """A finding that says something more."""
    return replace(one, sentence=f"{one.sentence} {more}")


def diagnosed(exercise: Exercise, answers: Sequence[Answer]) -> Mistake | None:
    """The mistake of a function that gives these answers to every position; None if no explanation is exact."""
    values = tuple(float(answer.value) for answer in answers if isinstance(answer.value, (int, float)))
    if len(values) < len(answers) or max(map(abs, values)) > LARGEST:
        return None
    findings = fitted(values, exercise.weights)
    if not findings:
        return None
    sentence = " ".join(finding.sentence for finding in findings)
    parts = tuple(part for finding in findings for part in finding.parts)
    return Mistake(findings[0].name, sentence, parts, lambda question: _shown(findings, question))


def _shown(findings: Findings, question: Question) -> tuple[Line, ...]:
    """The lines of a board that the findings are about."""
    board, player = question
    kinds = {kind for finding in findings for kind in finding.kinds}
    lines = {line for finding in findings for line in finding.lines}
    for line, marks in zip(board.line_cells, board.lines, strict=True):
        if (marks.count(player), marks.count(opponent(player))) in kinds:
            lines.add(line)
    return tuple(sorted(lines))


@lru_cache(64)
def fitted(values: tuple[float, ...], weights: tuple[int, ...]) -> Findings | None:
    """How a function with these values differs from the formula, in the simplest way; None if nothing is exact."""
    answers, table = np.array(values), Table(*everything(), weights)
    best: Findings | None = None
    for least, model in MODELS:
        for findings in model(answers, table):
            if findings and _cost(findings) < (MOST_COST + 1 if best is None else _cost(best)):
                best = findings
            if best is not None and _cost(best) <= least:
                return best
    return best


def _cost(findings: Findings) -> float:
    return sum(finding.cost for finding in findings)


# ---------------------------------------------------------------------------------------------- positions as arrays


@cache
def everything() -> tuple[Array, Array]:
    """All questions, a row for each: the nine cells, 1 for the player's mark and 2 for the opponent's; and the facts.

    The facts are whether X is the player, whether the player is to move, who has won (0 nobody, 1 the player, 2 the
    opponent), and whether the game is over.
    """
    numbers = {"-": 0, "X": 1, "O": 2}
    cells = np.array([[numbers[mark] for mark in board] for board in positions()])
    facts = np.array([[1, board.turn == "X", numbers[board.winner or "-"], board.over] for board in positions()])
    other = np.column_stack([1 - facts[:, 0], 1 - facts[:, 1], (3 - facts[:, 2]) % 3, facts[:, 3]])
    return _by_turns(cells, (3 - cells) % 3), _by_turns(facts, other)


def _by_turns(first: Array, second: Array) -> Array:
    """The rows of two arrays by turns."""
    return np.stack([first, second], 1).reshape(-1, first.shape[1])


class Table:
    """Questions as arrays, with what the formula says of them.

    Args:
        cells, facts: as `everything` gives them.
        weights: of the formula.
    """

    def __init__(self, cells: Array, facts: Array, weights: tuple[int, ...]) -> None:
        self.cells, self.facts, self.weights = cells, facts, weights
        self.x, self.turn, self.won, self.over = facts[:, 0] == 1, facts[:, 1] == 1, facts[:, 2], facts[:, 3] == 1

    def where(self, rows: Array) -> Table:
        """Some of the questions."""
        return Table(self.cells[rows], self.facts[rows], self.weights)

    def turned(self, rows: Array) -> Table:
        """Some of the questions seen from the other side."""
        return Table(np.where(rows[:, None], (3 - self.cells) % 3, self.cells), self.facts, self.weights)

    @property
    def formula(self) -> Worth:
        """What a line of each kind is worth."""
        return formula_of(self.weights)

    @cached_property
    def marks(self) -> Array:
        """For each question and line its three marks."""
        return self.cells[:, np.array(LINES)]

    @cached_property
    def kinds(self) -> Array:
        """For each question and line the place of its kind among `KINDS`."""
        return _kinds(self.marks)

    @cached_property
    def counts(self) -> Array:
        """For each question, kind and line, 1 if the line is of that kind."""
        found: Array = (self.kinds[:, None, :] == np.arange(len(KINDS))[:, None]).astype(float)
        return found

    @cached_property
    def worths(self) -> Array:
        """For each question and line what the formula gives for it."""
        return self.by(self.formula)

    @cached_property
    def right(self) -> Array:
        """The formula's values."""
        values: Array = self.worths.sum(1)
        return values

    def by(self, worth: Worth) -> Array:
        """For each question and line what it is worth by another table."""
        worths: Array = np.array([worth[kind] for kind in KINDS])[self.kinds]
        return worths

    def numbers(self, kind: Kind) -> Array:
        """For each question how many lines there are of a kind."""
        found: Array = self.counts[:, KINDS.index(kind)].sum(1)
        return found


def formula_of(weights: Sequence[float]) -> Worth:
    """A line with marks of one side alone counts for that side."""
    return {(own, other): (0 if other else weights[own]) - (0 if own else weights[other]) for own, other in KINDS}


def _kinds(marks: Array) -> Array:
    numbers = np.zeros((4, 4), int)
    for place, kind in enumerate(KINDS):
        numbers[kind] = place
    found: Array = numbers[(marks == 1).sum(-1), (marks == 2).sum(-1)]
    return found


def same(values: Array, answers: Array) -> bool:
    """Whether two lists of numbers are equal, but for the rounding of floats."""
    return bool((np.abs(values - answers) <= TOLERANCE * (1 + np.abs(answers))).all())


def solved(features: Array, answers: Array) -> Array | None:
    """The coefficients that give the answers exactly; None if none do, or if the questions leave them open."""
    some = slice(None, None, max(1, len(answers) // features.shape[1] // 4))
    found, _, rank, _ = np.linalg.lstsq(features[some], answers[some], rcond=None)
    if not same(features[some] @ found, answers[some]):
        return None
    if rank < features.shape[1]:
        found, _, rank, _ = np.linalg.lstsq(features, answers, rcond=None)
    rounded: Array = found.round(6) + 0.0
    return rounded if rank == features.shape[1] and same(features @ rounded, answers) else None


# ------------------------------------------------------------------------------------------------ what a line counts


def other_worths(answers: Array, table: Table) -> Iterator[Findings]:
    """All lines counted, but other worths for some kinds of them."""
    yield from _worths(table.counts.sum(2), answers, table.weights)


def _worths(counts: Array, answers: Array, weights: tuple[int, ...]) -> Iterator[Findings]:
    present = np.asarray(counts.any(0))
    found = solved(counts[:, present], answers)
    if found is not None:
        kinds = [kind for kind, there in zip(KINDS, present.tolist(), strict=True) if there]
        yield worths_told(formula_of(weights) | dict(zip(kinds, map(float, found), strict=True)), weights)


def worths_told(found: Worth, weights: tuple[int, ...]) -> Findings:
    """How worths of lines differ from the formula's; nothing where they don't."""
    right = formula_of(weights)
    off = [kind for kind in KINDS if found[kind] != right[kind]]
    if not off:
        return []
    for rule, worth in rules(weights):
        if found == worth:
            return [_with_numbers(rule, off, found, right)]
    factor = found[1, 0] / weights[1]
    if factor and all(found[kind] == factor * right[kind] for kind in KINDS):
        if abs(factor) < 1:
            return [finding("values divided", found=plain(1 / factor))]
        return [finding("values multiplied", found=plain(factor))]
    told = [_alone(found, right, weights)] if any(kind in off for kind in ALONE) else []
    for name, kinds in (
        ("blocked lines counted", BLOCKED),
        ("completed lines counted", COMPLETED),
        ("empty lines counted", ((0, 0),)),
    ):
        left = [kind for kind in kinds if kind in off and not any(kind in one.kinds for one in told)]
        if left:
            regular = kinds != BLOCKED or _regular(found, left, right)
            told.append(_with_numbers(finding(name, 1 if regular else len(left)), left, found, right))
    return told


def _with_numbers(one: Finding, kinds: Sequence[Kind], found: Worth, right: Worth) -> Finding:
    """A finding about some kinds of lines, with what they should count, and what they do."""
    more = tuple(part for part, some in (("blocked", BLOCKED), ("completed", COMPLETED)) if {*some} & {*kinds})
    parts = tuple(dict.fromkeys((*one.parts, *more)))
    return and_says(replace(one, parts=parts, kinds=tuple(kinds)), numbers_told(kinds, found, right))


def _regular(found: Worth, blocked: Sequence[Kind], right: Worth) -> bool:
    """Whether blocked lines are worth what they would be if only one side's marks, or both sides', were looked at."""
    own = {kind: right[kind[0], 0] for kind in blocked}
    other = {kind: right[0, kind[1]] for kind in blocked}
    return all(found[kind] in (own[kind], other[kind], own[kind] + other[kind]) for kind in blocked)


def _alone(found: Worth, right: Worth, weights: tuple[int, ...]) -> Finding:
    """What is wrong with lines that hold marks of one side, whatever blocked, completed and empty lines count."""
    off = [kind for kind in ALONE if found[kind] != right[kind]]
    for rule, worth in rules(weights):
        if "blocked" not in rule.parts and all(found[kind] == worth[kind] for kind in ALONE):
            on = [kind for kind in COMPLETED if found[kind] == worth[kind] != right[kind]]
            return _with_numbers(rule, [*off, *on], found, right)
    whose = "your own " if all(own for own, _ in off) else "the opponent's " if all(other for _, other in off) else ""
    numbers = {max(kind) for kind in off}
    what = {1: "single marks", 2: "pairs"}[min(numbers)] if len(numbers) == 1 else "lines"
    mirrored = all(found[kind] == -found[kind[::-1]] for kind in off)
    cost = len(numbers) if mirrored or whose else len(off)
    return _with_numbers(finding("weight of {found}", cost, found=whose + what), off, found, right)


def numbers_told(kinds: Sequence[Kind], found: Worth, right: Worth) -> str:
    """What some kinds of lines should count, and what they do."""
    shown = sorted(kinds, key=lambda kind: (kind[0] < kind[1], -sum(kind)))[:MOST_TOLD]
    return " ".join(
        f"{_kind_in_words(kind).capitalize()} should count {plain(right[kind])}; "
        f"in your function it counts {plain(found[kind])}."
        for kind in shown
    )


def _kind_in_words(kind: Kind) -> str:
    own, other = kind
    if kind == (0, 0):
        return "an empty line"
    if kind in COMPLETED:
        return f"a completed line of {'yours' if own else 'the opponent'}"
    if not own:
        return f"a line with {number_word(other)} of the opponent's and none of yours"
    return f"a line with {number_word(own)} of yours and {number_word(other) if other else 'none'} of the opponent's"


def plain(value: float) -> str:
    """A number as text, without needless decimals: 3, −0.5, 1,000,000.

    >>> plain(3.0), plain(-0.125), plain(1e6)
    ('3', '−0.125', '1,000,000')
    """
    return f"{round(value, 4):,}".removesuffix(".0").replace("-", "−")


@lru_cache(4)
def rules(weights: tuple[int, ...]) -> tuple[tuple[Finding, Worth], ...]:
    """The common mistakes with what a line counts, and what each kind is worth then."""
    _, one, two, three = weights
    least, most = sorted((one, two))
    kept, negative = formula_of(weights), tuple(-weight for weight in weights)
    tables: list[tuple[str, Worth]] = [
        ("signs swapped", formula_of(negative)),
        ("heuristic 2 instead", formula_of((0, 1, 1, 1))),
        *(("the {factor} forgotten", formula_of((0, least, least, last))) for last in (three, least)),
        *(("the {factor} times all", formula_of((0, most, most, last))) for last in (three, most)),
        ("weights swapped", formula_of((0, two, one, three))),
        *(("at least for exactly", formula_of((0, one, one + two, last))) for last in (three, one + two)),
        ("pairs not counted", formula_of((0, one, 0, three))),
        ("single marks not counted", formula_of((0, 0, two, three))),
        ("opponent ignored", {kind: worth if kind[0] else 0 for kind, worth in kept.items()}),
        ("own lines ignored", {kind: 0 if kind[0] else worth for kind, worth in kept.items()}),
        ("opponent added", {kind: worth if kind[0] else -worth for kind, worth in kept.items()}),
        *(("bracket lost", kept | {(0, number): weights[number]}) for number in (1, 2)),
        *(("marks counted", formula_of((0, 1, 2, last))) for last in (3, 0)),
        *(("powers of the marks", formula_of((0, 1, 2**power, last))) for power in (2, 3) for last in (3**power, 0)),
    ]
    factor = plain(most)
    return (*((finding(name, factor=factor), worth) for name, worth in tables), *_or_for_and(weights))


def _or_for_and(weights: tuple[int, ...]) -> Iterator[tuple[Finding, Worth]]:
    """Each choice of terms whose condition has an or: the number of marks is right, or the other side has none."""
    terms = [(side, number) for side in (0, 1) for number in (1, 2)]
    words = {(0, 1): "one of yours", (0, 2): "two of yours", (1, 1): "one of the opponent's"}
    for wrong in (some for size in range(1, 5) for some in combinations(terms, size)):
        worth = dict.fromkeys(KINDS, 0.0)
        for kind, (side, number) in product(KINDS, terms):
            conditions = kind[side] == number, kind[1 - side] == 0
            if all(conditions) or ((side, number) in wrong and any(conditions)):
                worth[kind] += -weights[number] if side else weights[number]
        told = ", ".join(words.get(term, "two of the opponent's") for term in wrong)
        yield finding("or instead of and", found=told), worth


# ------------------------------------------------------------------------------------------------------- which lines


DIRECTIONS = {
    "rows": (0, 1, 2),
    "columns": (3, 4, 5),
    "both diagonals": (6, 7),
    "main diagonal": (6,),
    "other diagonal": (7,),
}


def other_factors(answers: Array, table: Table) -> Iterator[Findings]:
    """The formula's worths, but some lines missing, or counted several times."""
    factors = solved(table.worths, answers)
    if factors is not None:
        yield factors_told([float(factor) for factor in factors])


def factors_told(factors: Sequence[float]) -> Findings:
    """What to say if each line counts so many times; nothing if each counts once."""
    missing = tuple(place for place, factor in enumerate(factors) if factor == 0)
    others = {place: factor for place, factor in enumerate(factors) if factor not in (0, 1)}
    left = tuple(place for place in range(8) if place not in missing)
    lines: list[Line] = [LINES[place] for place in (*missing, *others)]
    if left in ((0,), (7,)) and not others:
        return [finding("returned inside the loop" if left == (0,) else "only the last line", lines=lines)]
    told = []
    if missing:
        kept = next((name for name, places in DIRECTIONS.items() if places == left), "")
        name, words = ("only {found}", _which(left)) if kept else ("{found} missing", _which(missing))
        told.append(finding(name, lines=lines, found=kept or _direction(missing), where=words))
    if others:
        factor = next(iter(others.values()))
        same_ = len({*others.values()}) == 1
        often = {2.0: "twice", 3.0: "three times"}.get(factor, "more than once") if same_ else "more than once"
        each = [f"{_which((place,))} counts {plain(value)} times" for place, value in others.items()]
        cost = 1 if same_ else 1 + len(others)
        name = "{found} counted {often}"
        found = _direction(tuple(others)).removeprefix("both ")
        told.append(finding(name, cost, lines, found=found, often=often, where="; ".join(each[:MOST_TOLD])))
    if len(missing) == len(others) == 1:
        told[0] = replace(told[0], name="wrong line")
    return told[:1] if len(told) == 1 else [and_says(told[0], told[1].sentence)]


def _direction(places: tuple[int, ...]) -> str:
    """The name of some of the lines: a direction, or what is left to say."""
    named = next((name for name, some in DIRECTIONS.items() if some == places), "")
    return named or ("line" if len(places) == 1 else "lines")


def _which(places: tuple[int, ...]) -> str:
    """Some of the lines in a sentence."""
    if len(places) > 1 and places in DIRECTIONS.values():
        return f"the {_direction(places).replace('both', 'two')}"
    return "; ".join(f"the {'diagonal' if place > 5 else 'line'} of {cells(LINES[place])}" for place in places)


def cells(line: Sequence[int]) -> str:
    """The cells of a line, in words."""
    return f"the cells {line[0]}, {line[1]} and {line[2]}"


TRIPLES = tuple(combinations(range(9), 3))


def other_lines(answers: Array, table: Table) -> Iterator[Findings]:
    """Three cells that are no line, in the place of one or besides all of them."""
    worths = np.array([table.formula[kind] for kind in KINDS])[_kinds(table.cells[:, np.array(TRIPLES)])]
    for place in (None, *range(8)):
        rest = answers - table.right + (0 if place is None else table.worths[:, place])
        fits = np.flatnonzero((np.abs(worths - rest[:, None]) < TOLERANCE).all(0))
        instead = "besides the lines" if place is None else f"instead of {cells(LINES[place])}"
        for triple in (TRIPLES[one] for one in fits if TRIPLES[one] not in LINES):
            yield [finding("wrong line", lines=[triple], found=cells(triple), instead=instead)]
    times = solved(worths, answers)
    if times is not None:
        counted = dict(zip(TRIPLES, map(float, times), strict=True))
        wrong = [triple for triple, factor in counted.items() if factor and triple not in LINES]
        told = [finding("wrong line", lines=[one], found=cells(one), instead="which it is not") for one in wrong]
        yield [*told, *factors_told([counted[line] for line in map(_sorted, LINES)])]


def _sorted(line: Line) -> tuple[int, int, int]:
    first, second, third = sorted(line)
    return first, second, third


def other_orders(answers: Array, table: Table) -> Iterator[Findings]:
    """Other worths that depend on the order of the marks in a line."""
    numbers = table.marks @ np.array([9, 3, 1])
    present, places = np.unique(numbers, return_index=True)
    found = solved(np.stack([(numbers == one).sum(1) for one in present], 1).astype(float), answers)
    if found is None:
        return
    words = ("free", "yours", "the opponent's")
    right = table.worths.reshape(-1)[places]
    off = [
        f"A line that reads {', '.join(words[mark] for mark in marks)} should count {plain(float(should))}; in your "
        f"function it counts {plain(float(value))}."
        for marks, value, should in zip(table.marks.reshape(-1, 3)[places], found, right, strict=True)
        if value != should
    ]
    yield [and_says(finding("order of marks in a line", 3), " ".join(off[:2]))]


def cells_added(answers: Array, table: Table) -> Iterator[Findings]:
    """The formula, and something for a mark in a certain cell."""
    found = solved(np.concatenate([table.cells == 1, table.cells == 2], 1).astype(float), answers - table.right)
    if found is not None and found.any():
        told = [
            f"{plain(float(worth))} for a mark of {'yours' if place < 9 else 'the opponent'} in cell {place % 9}"
            for place, worth in enumerate(found)
            if worth
        ]
        yield [finding("cells counted", 1.5, found=", ".join(told[:4]))]


# ------------------------------------------------------------------------------------------- from whose side it is seen


def sides(table: Table) -> list[tuple[Finding, Array]]:
    """From whose side else a board can be seen, and the questions on which that is another side."""
    named = {
        "X": ~table.x,
        "O": table.x,
        "the side to move": ~table.turn,
        "the side that has just moved": table.turn,
    }
    return [(finding("always seen from {found}", found=who), rows) for who, rows in named.items()]


def split(answers: Array, table: Table) -> Iterator[Findings]:
    """One model for one player, or for the side to move, and another for the other side."""
    for chosen, names in ((table.x, ("X", "O")), (table.turn, ("the side to move", "the side that has just moved"))):
        models = [_simple(answers[rows], table.where(rows)) for rows in (chosen, ~chosen)]
        (first, found), (second, wrong) = sorted(zip(names, models, strict=True), key=lambda one: len(one[1] or ()))
        if found is None or wrong is None:
            continue
        said = " ".join(one.sentence for one in wrong)
        cost = 1 + _cost(found) + _cost(wrong)
        if not found:
            yield [and_says(finding("right for {found} only", cost, found=first, other=second), said)]
        else:
            said = f"For {second}: {said} For {first}: {' '.join(one.sentence for one in found)}"
            told = and_says(finding("sides treated differently", cost, found=first, other=second), said)
            yield [replace(told, parts=("sides", *(part for one in (*found, *wrong) for part in one.parts)))]


def _simple(answers: Array, table: Table) -> Findings | None:
    """The simplest single difference that gives the answers; an empty list if they are right."""
    if same(table.right, answers):
        return []
    found = (one for model in (whole, other_worths, other_factors) for one in model(answers, table) if one)
    return min(found, key=_cost, default=None)


# -------------------------------------------------------------------------------------------- what is done with the sum


def whole(answers: Array, table: Table) -> Iterator[Findings]:
    """The same answer everywhere, or a number added."""
    if len(np.unique(answers)) == 1:
        yield [finding("always the same number", found=plain(float(answers[0])))]
    elif same(table.right, answers):
        yield [finding("rounding errors")]
    more = np.unique((answers - table.right).round(6))
    if len(more) == 1 and more[0]:
        told = f"{plain(abs(float(more[0])))} {'more' if more[0] > 0 else 'less'}"
        yield [finding("a number added", found=told)]


def known(answers: Array, table: Table) -> Iterator[Findings]:
    """What gives these answers of all ways to go astray whose values can be worked out beforehand."""
    ways = (other_sides(table), done_with_the_sum(answers, table), numbers_of_lines(table), one_move_ahead(table))
    for found, values in (*chain(*ways), *walked_and_changed(table)):
        if same(np.where(np.isnan(values), answers, values), answers):
            yield found


def other_sides(table: Table) -> Iterator[Known]:
    """The right values, seen from another side."""
    yield from (([one], table.turned(rows).right) for one, rows in sides(table))


def done_with_the_sum(answers: Array, table: Table) -> Iterator[Known]:
    """The right sum, or one with another mistake, and then something done with it; or a few of the lines only."""
    low, high = float(answers.min()), float(answers.max())
    limits = {
        f"never below {plain(low)}": (low, np.inf),
        f"never above {plain(high)}": (-np.inf, high),
        f"never below {plain(low)}, and never above {plain(high)}": (low, high),
    }
    rounding: tuple[Callable[[Array], Array], ...] = (np.floor, np.trunc, np.ceil, np.round)
    for base, worths, view in _bases(table):
        total = worths.sum(1)
        yield from (([finding(name), *base], values) for name, values in _picked(worths, view))
        yield [finding("absolute value"), *base], np.abs(total)
        yield [finding("only the sign"), *base], np.sign(total)
        for divisor, rounded in product((2, 3, 4, 8), rounding):
            yield [finding("values rounded", found=plain(divisor)), *base], rounded(total / divisor)
        for told, limit in limits.items():
            if low < high and not same(total, answers):
                yield [finding("values cut off", found=told), *base], total.clip(*limit)


def _bases(table: Table) -> Iterator[tuple[Findings, Array, Table]]:
    """The formula's worth of each line, and that with one common mistake."""
    yield [], table.worths, table
    _, one, two, _ = table.weights
    kept, least = table.formula, min(one, two)
    for worth in (
        kept | {kind: kept[kind[0], 0] + kept[0, kind[1]] for kind in BLOCKED},
        formula_of((0, least, least, 0)),
        {kind: worth if kind[0] else 0 for kind, worth in kept.items()},
    ):
        yield worths_told(worth, table.weights), table.by(worth), table
    for seen, rows in sides(table):
        turned = table.turned(rows)
        yield [seen], turned.worths, turned
    for told, factors in line_groups():
        yield told, table.worths * factors, table


def _picked(worths: Array, table: Table) -> Iterator[tuple[str, Array]]:
    """By name, the values if only some of a board's lines are summed up."""
    rows = np.arange(len(worths))
    counted = worths != 0
    yield "returned inside the loop", worths[rows, counted.argmax(1)]
    yield "only the last line", worths[rows, -1 - counted[:, ::-1].argmax(1)]
    yield "only the best line", worths.max(1)
    numbers = table.marks @ np.array([9, 3, 1])
    first = np.stack([(numbers[:, :place] != numbers[:, [place]]).all(1) for place in range(8)], 1)
    yield "equal lines counted once", (worths * first).sum(1)
    blocked = np.isin(table.kinds, [KINDS.index(kind) for kind in BLOCKED])
    for name, stop in (("stops at a blocked line", blocked), ("stops at a line that doesn't count", ~counted)):
        yield name, (worths * (np.cumsum(stop, 1) == 0)).sum(1)


def numbers_of_lines(table: Table) -> Iterator[Known]:
    """The formula with something done to the numbers of lines before they are weighed."""
    _, one, two, _ = table.weights
    x2, x1, o2, o1 = (table.numbers(kind) for kind in ALONE)
    yield [finding("squared numbers of lines")], two * x2**2 + one * x1**2 - two * o2**2 - one * o1**2
    yield [finding("squared numbers of lines")], (two * x2 + one * x1) ** 2 - (two * o2 + one * o1) ** 2
    yield [finding("numbers of lines halved")], two * (x2 // 2) + one * (x1 // 2) - two * (o2 // 2) - one * (o1 // 2)


def won_apart(answers: Array, table: Table) -> Iterator[Findings]:
    """Boards on which somebody has won, or the game is over, have values of their own."""
    going = _simple(answers[~table.over], table.where(~table.over))
    if going is None:
        return
    told = []
    for name, rows in (
        ("boards that you have won", table.won == 1),
        ("boards that the opponent has won", table.won == 2),
        ("drawn boards", table.over & (table.won == 0)),
    ):
        values = np.unique(answers[rows])
        if len(values) == 1:
            told.append(f"On {name} your function always gives {plain(float(values[0]))}.")
        elif not same(table.right[rows], answers[rows]):
            return
    if told:
        yield [*going, finding("won boards apart", found=" ".join(told))]


# ------------------------------------------------------------------------------------------- other ways to go astray


def one_move_ahead(table: Table) -> Iterator[Known]:
    """The values of the boards after a move, rather than of the board itself."""
    yield from (([finding("looked up one move ahead")], values) for values in _ahead(table.weights))


@lru_cache(2)
def _ahead(weights: tuple[int, ...]) -> tuple[Array, ...]:
    """The right values of boards after a move, for each way to choose one; nan where the game is over."""
    right = Table(*everything(), weights).right
    places = {board: place for place, board in enumerate(positions())}
    ways: tuple[list[float], ...] = ([], [], [], [], [])
    for board, side in product(positions(), (0, 1)):
        after = [] if board.over else [float(right[2 * places[board.play(move)] + side]) for move in board.moves]
        least, most = min(after, default=np.nan), max(after, default=np.nan)
        mine = (board.turn == "X") == (side == 0)
        first, last = (after[0], after[-1]) if after else (np.nan, np.nan)
        for way, value in zip(ways, (most, least, most if mine else least, first, last), strict=True):
            way.append(value)
    return tuple(map(np.array, ways))


def walked_and_changed(table: Table) -> Iterator[Known]:
    """Lines are taken out of a list while a loop walks over it, which passes over the line after each."""
    _, one, two, _ = table.weights
    both = {kind: table.weights[kind[0]] - table.weights[kind[1]] for kind in BLOCKED}
    worths = table.by(formula_of((0, one, two, 0)) | both)
    yield from (([finding("list changed while it is walked")], (worths * kept).sum(1)) for kept in _kept(table))


def _kept(table: Table) -> Iterator[Array]:
    """For each question and line whether it is left, if blocked lines are removed by their marks or by their place."""
    numbers = table.marks @ np.array([9, 3, 1])
    blocked = np.isin(table.kinds, [KINDS.index(kind) for kind in BLOCKED])
    for by_marks in (True, False):
        rows = []
        for row, bad in zip(numbers.tolist(), blocked.tolist(), strict=True):
            left = list(range(8))
            place = 0
            while place < len(left):
                line = left[place]
                if bad[line]:
                    first = next(other for other in left if row[other] == row[line]) if by_marks else line
                    left.remove(first)
                place += 1
            rows.append([line in left for line in range(8)])
        yield np.array(rows)


# ------------------------------------------------------------------------------------------------- two models at once


@cache
def line_groups() -> tuple[tuple[Findings, Array], ...]:
    """The choices of lines that come with other mistakes: one or one direction missing, alone, or twice."""
    places = [*((place,) for place in range(8)), *(some for some in DIRECTIONS.values() if len(some) > 1)]
    several = [some for some in places if len(some) > 1]
    found = []
    for chosen, inside, outside in ((places, 0, 1), (places, 2, 1), (several, 1, 0)):
        for some in chosen:
            factors = np.full(8, float(outside))
            factors[list(some)] = inside
            found.append((factors_told(factors.tolist()), factors))
    return tuple(found)


def pairs(answers: Array, table: Table) -> Iterator[Findings]:
    """Other worths together with another side to see them from, or with other lines."""
    views: list[tuple[Findings, Table]] = [([], table)]
    views += [([seen], table.turned(rows)) for seen, rows in sides(table)]
    for seen, view in views:
        if seen:
            for found in (*other_worths(answers, view), *other_factors(answers, view)):
                yield [*seen, *found]
        for chosen, factors in line_groups():
            for found in _worths(view.counts @ factors, answers, table.weights):
                if found:
                    yield [*found, *seen, *chosen]


Model = Callable[[Array, Table], Iterator[Findings]]
MODELS: tuple[tuple[float, Model], ...] = (  # each with the least that its findings cost
    *((1, model) for model in (whole, other_worths, other_factors, known, other_lines, won_apart)),
    (1.5, cells_added),
    (1.5, split),
    (1.5, pairs),
    (2.5, other_orders),
)
