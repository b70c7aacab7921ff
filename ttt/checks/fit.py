"""Names the mistake in a function that should add up what lines are worth, by fitting it rather than from a list.

A reading of the boards says which lines count, how often, and what they are worth. The first one that gives all of a
function's answers exactly, with other worths by least squares or with something done to its sum, is the explanation;
how it differs from the formula is the mistake. Where nothing is exact, nothing is told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import chain, combinations, product
from typing import Any, TypeAlias

import numpy as np

from ttt.board import Board, Line, opponent
from ttt.checks.asking import Answer, Question, Value
from ttt.checks.exercise import SENTENCES, Exercise, Mistake, number_word, positions

Array: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"
Kind = tuple[int, int]  # of a line: the player's marks and the opponent's marks in it
Worths = Array  # what a line counts, by the player's marks and the opponent's in it

TOLERANCE = 1e-7  # what a sum of floats may be off by
LARGEST = 1e8  # in size; beyond it the tolerance would hide an error
MOST_TOLD = 3  # differences, and kinds of lines in each; an explanation that is longer explains little
LINES = Board().line_cells
TRIPLES = tuple(combinations(range(9), 3))
KINDS: tuple[Kind, ...] = tuple((own, other) for own, other in product(range(4), repeat=2) if own + other <= 3)
BY_KIND = tuple(np.array(KINDS).T)  # takes their worths out of a table, in their order
NUMBERED = np.arange(16).reshape(4, 4)  # a table with a number for each kind
ALONE: tuple[Kind, ...] = ((1, 0), (2, 0), (0, 1), (0, 2))  # with marks of one side, not completed
OTHERS: dict[str, tuple[Kind, ...]] = {  # which count nothing
    "blocked": ((1, 1), (2, 1), (1, 2)),
    "completed": ((3, 0), (0, 3)),
    "empty": ((0, 0),),
}
ROUNDINGS: tuple[Callable[[Array], Array], ...] = (np.floor, np.trunc, np.ceil, np.round)
LOSES = (-1, -1, -1)  # what the opponent's weights for one, two and three marks are multiplied by


@dataclass(frozen=True)
class Finding:
    """One way in which a function differs from the formula."""

    name: str  # always the same for the same mistake
    parts: tuple[str, ...]  # of the marks
    sentence: str  # for the student
    lines: tuple[Line, ...] = ()  # that it is about, to be drawn
    kinds: tuple[Kind, ...] = ()  # of lines that it is about


Findings = list[Finding]


def finding(name: str, lines: Iterable[Line] = (), **found: str) -> Finding:
    """A mistake with its sentence from `mistakes.toml`, in which what was found is put."""
    parts, sentence = SENTENCES["heuristic_1"][name]
    return Finding(name.format(**found), tuple(parts.split()), sentence.format(**found), tuple(lines))


def diagnosed(exercise: Exercise, answers: Sequence[Answer]) -> Mistake | None:
    """The mistake of a function that gives these answers to every position; None if no explanation is exact."""
    findings = fitted(tuple(answer.value for answer in answers), exercise.weights)
    if not findings:
        return None

    def shown(question: Question) -> tuple[Line, ...]:
        board, player = question
        kinds = {kind for one in findings for kind in one.kinds}
        marks = dict(zip(board.line_cells, board.lines, strict=True))
        alike = [line for line in marks if (marks[line].count(player), marks[line].count(opponent(player))) in kinds]
        return tuple(sorted({*alike, *chain.from_iterable(one.lines for one in findings)}))

    sentence = " ".join(one.sentence for one in findings)
    return Mistake(findings[0].name, sentence, tuple(part for one in findings for part in one.parts), shown)


@lru_cache(64)
def fitted(values: tuple[Value, ...], weights: tuple[int, ...]) -> Findings | None:
    """How a function with these values differs from the formula; None if nothing explains them exactly."""
    answers, boards = np.array(values, float), boards_with(weights)
    if not np.abs(answers).max() <= LARGEST:  # or something is no number
        return None
    if (answers == answers[0]).all():
        return [finding("always the same number", found=plain(float(answers[0])))]
    found = summed(answers, boards.rows, boards)
    if found is not None:
        return found or [finding("rounding errors")]
    return by_sides(answers, boards) or outcomes_apart(answers, boards) or other_orders(answers, boards)


# ------------------------------------------------------------------------------------------------- boards as arrays


@dataclass(frozen=True)
class Reading:
    """A way to add up lines."""

    findings: Findings  # how it differs from the formula
    worths: Worths
    times: Array  # how often each of a board's lines counts, for each question or for all
    change: Callable[[Array], Array] = np.asarray  # what is done to the numbers of lines of each kind


class Boards:
    """All questions as arrays, a row for each, with what the formula says of them, and other readings."""

    def __init__(self, weights: tuple[int, ...]) -> None:
        asked = [(board, player, ("-", player, opponent(player))) for board in positions() for player in "XO"]
        self.weights, self.formula = weights, formula_of(weights)
        self.rows = np.arange(len(asked))
        self.moving = np.array([board.turn == player for board, player, _ in asked])
        self.over = np.array([board.over for board, _, _ in asked])
        self.winner = np.array([marks.index(board.winner or "-") for board, _, marks in asked])
        self.cells = np.array([[marks.index(cell) for cell in board] for board, _, marks in asked])
        marks = self.cells[:, np.array(LINES)]
        self.patterns = marks @ np.array([9, 3, 1])
        self.kinds = looked_up(NUMBERED, marks)
        self.blocked = (marks == 1).any(-1) & (marks == 2).any(-1)
        self.worths = looked_up(self.formula, marks)
        self.right: Array = self.worths.sum(1)
        values = {(board, player): right for (board, player, _), right in zip(asked, self.right.tolist(), strict=True)}
        after = [[values[board.play(m), side] for m in board.moves if not board.over] or [0] for board, side in values]
        most, least = np.array([max(some) for some in after]), np.array([min(some) for some in after])
        self.ahead = [most, least, np.where(self.moving, most, least)]  # by the best, worst and likely next move
        self.readings = [*self._readings()]

    def numbers(self, reading: Reading, rows: Array) -> Array:
        """For some of the questions, how many lines of each kind a reading counts."""
        times = np.broadcast_to(reading.times, self.kinds.shape)[rows]
        chosen = [self.kinds[rows] == NUMBERED[kind] for kind in KINDS]
        return reading.change(np.stack([(some * times).sum(1) for some in chosen], 1))

    def _readings(self) -> Iterator[Reading]:
        """The formula; something done to the numbers of lines; a few other worths; and other choices of lines."""
        once, kept, (_, one, two, _) = np.ones(8), self.formula, self.weights
        yield Reading([], kept, once)
        yield Reading([finding("squared numbers of lines")], kept, once, np.square)
        yield Reading([finding("numbers of lines halved")], kept, once, lambda numbers: numbers // 2)
        both = kept.copy()
        for own, other in OTHERS["blocked"]:
            both[own, other] = self.weights[own] - self.weights[other]
        least = (0, min(one, two), min(one, two), 0)
        for worths in (both, formula_of(least), formula_of(self.weights, theirs=(0, 0, 0))):
            yield Reading(worths_told(worths, self.weights), worths, once)
        for (inside, outside), group in product(((0.0, 1.0), (2.0, 1.0), (1.0, 0.0)), GROUPS):
            factors = {line: inside if line in group else outside for line in LINES}
            yield Reading(factors_told(factors), kept, np.array([*factors.values()]))
        places, counted = np.arange(8), self.worths != 0
        first = np.stack([(self.patterns[:, :n] != self.patterns[:, [n]]).all(1) for n in places], 1)
        for name, chosen in (
            ("returned inside the loop", places == counted.argmax(1)[:, None]),
            ("only the last line", places == 7 - counted[:, ::-1].argmax(1)[:, None]),
            ("only the best line", places == self.worths.argmax(1)[:, None]),
            ("equal lines counted once", first),
            ("stops at a blocked line", np.cumsum(self.blocked, 1) == 0),
            ("stops at a line that doesn't count", np.cumsum(~counted, 1) == 0),
        ):
            yield Reading([finding(name)], kept, chosen)
        for names in (self.patterns, np.broadcast_to(places, self.kinds.shape)):  # of lines, to remove them by
            times = np.zeros(self.kinds.shape)
            for row, (marks, wrong) in enumerate(zip(names.tolist(), self.blocked.tolist(), strict=True)):
                left = list(range(8))
                for place in left:  # which passes over the line after each that is removed, as the student's loop does
                    if wrong[place]:
                        left.remove(next(other for other in left if marks[other] == marks[place]))
                times[row, left] = 1
            yield Reading([finding("list changed while it is walked")], both, times)


boards_with = lru_cache(4)(Boards)


def formula_of(weights: Sequence[float], mine: float = 1, theirs: Sequence[float] = LOSES) -> Worths:
    """A line with marks of one side alone counts for that side, whose weights are multiplied by a number."""
    worths = np.zeros((4, 4))
    worths[1:, 0] = np.multiply(mine, weights[1:])
    worths[0, 1:] = np.multiply(theirs, weights[1:])
    return worths


def looked_up(table: Array, marks: Array) -> Array:
    """What a table has for lines with these marks: 1 is the player's mark, and 2 the opponent's."""
    found: Array = table[(marks == 1).sum(-1), (marks == 2).sum(-1)]
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
    """The first explanation, the simplest coming first, that gives the answers exactly."""
    if same(boards.right[rows], answers[rows]):
        return []
    models = (other_weights, done_with_the_sum)
    explanations = chain.from_iterable(model(answers, rows, boards) for model in models)
    return next((findings for findings in explanations if len(findings) <= MOST_TOLD), None)


def other_weights(answers: Array, rows: Array, boards: Boards) -> Iterator[Findings]:
    """Other worths for kinds of lines, in any reading; or the formula's, and other factors for any three cells."""
    for reading in boards.readings:
        found = solved(partial(boards.numbers, reading), answers, rows, reading.worths[BY_KIND])
        if found is not None:
            worths = np.zeros((4, 4))
            worths[BY_KIND] = found
            same_worths = (worths == reading.worths).all()
            yield reading.findings if same_worths else [*reading.findings, *worths_told(worths, boards.weights)]
    expected = np.array([float(line in LINES) for line in TRIPLES])
    triples = np.array(TRIPLES)
    found = solved(lambda some: looked_up(boards.formula, boards.cells[some][:, triples]), answers, rows, expected)
    if found is not None and (found != expected).sum() <= len(LINES):
        yield factors_told(dict(zip(TRIPLES, found.tolist(), strict=True)))


def done_with_the_sum(answers: Array, rows: Array, boards: Boards) -> Iterator[Findings]:
    """A reading's sum with something done to it, each side's sum squared, or the right values after a move."""
    low, high = float(answers[rows].min()), float(answers[rows].max())
    for reading in boards.readings:
        found: Findings = []
        for some in samples(rows, 100):
            total = boards.numbers(reading, some) @ reading.worths[BY_KIND]
            found = [one for one, values in changed(total, low, high) if same(values, answers[some])]
            if not found:
                break
        yield from ([one, *reading.findings] for one in found)
    own, other = boards.worths.clip(0, None).sum(1), boards.worths.clip(None, 0).sum(1)
    if same((own**2 - other**2)[rows], answers[rows]):
        yield [finding("squared numbers of lines")]
    for values in boards.ahead:
        if same(np.where(boards.over, answers, values)[rows], answers[rows]):
            yield [finding("looked up one move ahead")]


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


def by_sides(answers: Array, boards: Boards) -> Findings | None:
    """The board is always seen from one side, or one side's answers have another explanation than the other's."""
    is_x, found = boards.rows % 2 == 0, []
    for chosen, names in ((is_x, ("X", "O")), (boards.moving, ("the side to move", "the side that has just moved"))):
        sides = zip((chosen, ~chosen), names, strict=True)
        told = {name: summed(answers, boards.rows[rows], boards) for rows, name in sides}
        both = sorted([(some, name) for name, some in told.items() if some is not None], key=lambda one: len(one[0]))
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
    right = looked_up(boards.formula, np.array(orders))

    def numbers(some: Array) -> Array:
        return np.stack([(boards.patterns[some] == place).sum(1) for place in range(len(orders))], 1)

    found = solved(numbers, answers, boards.rows, right)
    if found is None:
        return None
    words = ("free", "yours", "the opponent's")
    off = [
        count_told(f"a line that reads {', '.join(words[mark] for mark in marks)}", float(should), float(value))
        for marks, value, should in zip(orders, found, right, strict=True)
        if value != should
    ]
    one = finding("order of marks in a line")
    return [replace(one, sentence=" ".join([one.sentence, *off[:2]]))]


# ------------------------------------------------------------------------------------------------ what a line counts


SIDES: tuple[tuple[str, int, tuple[int, ...]], ...] = (  # what each side's weights are multiplied by
    ("", 1, LOSES),
    ("signs swapped", -1, (1, 1, 1)),
    ("opponent ignored", 1, (0, 0, 0)),
    ("own lines ignored", 0, LOSES),
    ("opponent added", 1, (1, 1, 1)),
    ("bracket lost", 1, (1, -1, -1)),
    ("bracket lost", 1, (-1, 1, -1)),
)


def weighings(one: float, two: float, three: float) -> Iterator[tuple[str, float, Sequence[float]]]:
    """The common mistakes, what each costs, and what no to three marks count, the last rightly or in keeping."""
    least, most = sorted((one, two))
    yield "", 0, (0, one, two, three)
    yield "heuristic 2 instead", 1, (0, 1, 1, 1)
    yield "weights swapped", 1, (0, two, one, three)
    yield "pairs not counted", 1, (0, one, 0, three)
    yield "single marks not counted", 1, (0, 0, two, three)
    for name, first, second, last in (
        ("the {factor} forgotten", least, least, least),
        ("the {factor} times all", most, most, most),
        ("at least for exactly", one, one + two, one + two),
        ("marks counted", 1, 2, 3),
        ("powers of the marks", 1, 4, 9),
        ("powers of the marks", 1, 8, 27),
    ):
        yield name, 1, (0, first, second, three)
        yield name, 1, (0, first, second, last)


def worths_told(found: Worths, weights: tuple[int, ...]) -> Findings:
    """How worths of lines differ from the formula's, most simply put; nothing where they don't."""
    right = formula_of(weights)
    off = [kind for kind in KINDS if found[kind] != right[kind]]
    for findings, worths in whole_tables(found, weights):
        if off and np.allclose(found, worths, 1e-9, 0):
            return [with_numbers(findings[0], off, found, right), *findings[1:]]
    told, explained = simplest(found, weights, off) if any(kind in ALONE for kind in off) else ([], [])
    if told:
        told[-1] = with_numbers(told[-1], explained, found, right)
    for name, group in OTHERS.items():
        if some := [kind for kind in group if kind in off and kind not in explained]:
            told.append(with_numbers(finding(f"{name} lines counted"), some, found, right))
    return told


def simplest(found: Worths, weights: tuple[int, ...], off: Sequence[Kind]) -> tuple[Findings, Sequence[Kind]]:
    """The simplest mistake in what lines of one side alone count, and the kinds of lines that it explains."""
    alone, completed = [kind for kind in off if kind in ALONE], OTHERS["completed"]
    candidates = [(1.5 if len(alone) == 1 else 5.0, "", "weight of {found}", alone, alone)]
    own, opponents = (found[1, 0], found[2, 0]), (-found[0, 1], -found[0, 2])
    other = [("weight of {found}", 3.0, (0, *some, weights[3])) for some in (own, opponents, (-own[0], -own[1]))]
    for (side, mine, theirs), (name, cost, counts) in product(SIDES, [*weighings(*weights[1:]), *other]):
        worths, before = formula_of(counts, mine, theirs), formula_of(weights, mine, theirs)
        agree = [kind for kind in (*ALONE, *completed) if found[kind] == worths[kind]]
        if not {*ALONE}.issubset(agree) or (name == "heuristic 2 instead" and not {*completed}.issubset(agree)):
            continue
        differ = [kind for kind in ALONE if worths[kind] != before[kind]]
        if len({max(kind) for kind in differ}) < 2:
            cost = min(cost, 1.5)
        left_over = [kind for kind in completed if kind in off and kind not in agree]
        explained = [kind for kind in off if kind in agree]
        candidates.append((cost + bool(side) + len(left_over) / 2, side, name, differ, explained))
    _, side, name, differ, explained = min(candidates, key=lambda one: one[0])
    told = [finding(side)] if side else []
    if name:
        told.append(finding(name, factor=plain(max(weights[1:3])), found=whose(differ)))
    return told, explained


def whole_tables(found: Worths, weights: tuple[int, ...]) -> Iterator[tuple[Findings, Worths]]:
    """Mistakes with what lines of all kinds count: multiples, and each choice of terms with an or.

    A term's condition with an or holds where the number of marks is right, or where the other side has none.
    """
    heuristic_2 = finding("heuristic 2 instead")
    for first, counts in (([], weights), ([heuristic_2], (0, 1, 1, 1))):
        factor = found[1, 0] / counts[1]
        simpler = factor in (0, 1, -1) or (first and factor == max(weights))  # such as "the 3 times all"
        if not simpler:
            name, times = ("values divided", 1 / factor) if abs(factor) < 1 else ("values multiplied", factor)
            yield first or [finding(name, found=plain(times))], factor * formula_of(counts)
    sides = ("yours", "the opponent's")
    terms = list(product((0, 1), (1, 2)))  # a side, and a number of its marks
    for wrong in chain.from_iterable(combinations(terms, size) for size in range(1, 5)):
        worths = np.zeros((4, 4))
        for kind, (side, number) in product(KINDS, terms):
            conditions = kind[side] == number, kind[1 - side] == 0
            if all(conditions) or ((side, number) in wrong and any(conditions)):
                worths[kind] += -weights[number] if side else weights[number]
        names = [f"{number_word(number)} of {sides[side]}" for side, number in wrong]
        yield [finding("or instead of and", found=", ".join(names))], worths


def whose(kinds: Sequence[Kind]) -> str:
    """Kinds of lines in a few words: "your own pairs"."""
    side = "your own " if all(own for own, _ in kinds) else ""
    side = "the opponent's " if all(other for _, other in kinds) else side
    numbers = {max(kind) for kind in kinds}
    return side + ("lines" if len(numbers) > 1 else "single marks" if 1 in numbers else "pairs")


def with_numbers(one: Finding, kinds: Sequence[Kind], found: Worths, right: Worths) -> Finding:
    """A finding about some kinds of lines, with what they should count, and what they do."""
    told = [one.sentence]
    for kind in sorted(kinds, key=lambda kind: (kind[0] < kind[1], -sum(kind)))[:MOST_TOLD]:
        own, other = (number_word(number) if number else "none" for number in kind)
        line = f"a line with {own} of yours and {other} of the opponent's"
        told.append(count_told(line, right[kind], found[kind]))
    parts = [*one.parts, *(part for part in ("blocked", "completed") if {*OTHERS[part]} & {*kinds})]
    return replace(one, parts=tuple(dict.fromkeys(parts)), kinds=tuple(kinds), sentence=" ".join(told))


def count_told(line: str, right: float, found: float) -> str:
    """A sentence on what a line should count, and what it does."""
    return f"{line.capitalize()} should count {plain(right)}; in your function it counts {plain(found)}."


def plain(value: float) -> str:
    """A number as text, without needless decimals: 3, −0.5, 1,000,000."""
    return f"{round(value, 4):,}".removesuffix(".0").replace("-", "−")


# ------------------------------------------------------------------------------------------------------- which lines


GROUPS: dict[tuple[Line, ...], str] = {
    LINES[:3]: "rows",
    LINES[3:6]: "columns",
    LINES[6:]: "diagonals",
    LINES[6:7]: "main diagonal",
    LINES[7:]: "other diagonal",
    **{(line,): "line" for line in LINES[:6]},
}


def factors_told(factors: Mapping[Line, float]) -> Findings:
    """What to say if three cells count so many times; nothing if each line counts once, and nothing else does."""
    missing = tuple(line for line in LINES if not factors[line])
    left = tuple(line for line in LINES if factors[line])
    often = tuple(line for line in left if factors[line] != 1)
    others = tuple(line for line, factor in factors.items() if factor and line not in LINES)
    extra = (*others, *often)
    if left in (LINES[:1], LINES[7:]) and not extra:
        return [finding("returned inside the loop" if left == LINES[:1] else "only the last line", missing)]
    if len(missing) == len(extra) == 1 or others:
        instead = in_words(missing) if missing else "the eight lines alone"
        return [finding("wrong line", extra, found=cells(extra), instead=instead)]
    told = []
    if left in GROUPS:
        told.append(finding("only {found}", missing, found=GROUPS[left], where=in_words(left)))
    elif missing:
        told.append(finding("{found} missing", missing, found=GROUPS.get(missing, "lines"), where=in_words(missing)))
    if often:
        factor, *more = {factors[line] for line in often}
        times = "several times" if more else {2.0: "twice", 3.0: "three times"}.get(factor, f"{plain(factor)} times")
        name = GROUPS.get(often, "lines")
        told.append(finding("{found} counted {often}", often, found=name, often=times, where=in_words(often)))
    return told


def in_words(lines: tuple[Line, ...]) -> str:
    """Some lines with their cells: "the main diagonal (cells 0, 4, 8)"."""
    return f"the {GROUPS.get(lines, 'lines')} (cells {cells(lines)})"


def cells(lines: Iterable[Line]) -> str:
    """The cells of some lines: "0, 4, 8; 2, 4, 6"."""
    return "; ".join(", ".join(map(str, line)) for line in lines)
