"""Puts into words how a function that adds up what lines are worth differs from the formula that was asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ttt.board import Line

NUMBERS = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight")
SEVERAL = 3  # of the differences at most are told one by one
MOST_COST = 4  # of an explanation; differences with a higher cost are told together
Kind = tuple[int, int]  # of a line: the player's marks and the opponent's marks in it
Worths = Mapping[Kind, float]  # what a line of each kind is worth


@dataclass(frozen=True)
class Finding:
    """One way in which a function differs from the formula.

    Args:
        name: a short name, always the same for the same mistake.
        sentence: what the student is told.
        cost: how much it takes to say; among explanations, that with the lowest sum is the simplest.
        kinds, lines: the lines that it is about, by their marks or by their cells, to be drawn.
    """

    name: str
    sentence: str
    cost: float = 1
    kinds: frozenset[Kind] = frozenset()
    lines: tuple[Line, ...] = ()


def plain(value: float) -> str:
    """A number as text, without needless decimals: 3, −0.5, 1,000,000.

    >>> plain(3.0), plain(-0.125), plain(1e6)
    ('3', '−0.125', '1,000,000')
    """
    text = f"{value:.6g}" if abs(value) < 1000 else f"{value:,.2f}".rstrip("0").rstrip(".")
    return text.replace("-", "−")


def listed(words: Sequence[str]) -> str:
    """Words with commas and "and": a, b and c."""
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def number_word(number: int) -> str:
    """A small number as a word, a larger one in figures."""
    return NUMBERS[number] if number < len(NUMBERS) else str(number)


# ---------------------------------------------------------------------------------------------- what a line is worth


def kind_in_words(kind: Kind, k: int) -> str:
    """A kind of line, as in "a line with two of yours and one of the opponent's"."""
    own, other = kind
    if kind == (0, 0):
        return "an empty line"
    if own == k:
        return "a completed line of yours"
    if other == k:
        return "a completed line of the opponent's"
    if own == 0:
        return f"a line with {number_word(other)} of the opponent's and none of yours"
    return f"a line with {number_word(own)} of yours and {number_word(other)} of the opponent's"


def worths_told(found: Worths, formula: Worths, k: int) -> list[Finding]:
    """How the worths of lines that were found differ from the formula's; nothing where they don't."""
    if whole := _whole(found, formula, k):
        return [whole]
    off = {kind: found[kind] for kind in found if found[kind] != formula[kind]}
    blocked = [kind for kind in off if min(kind) > 0]
    completed = [kind for kind in off if max(kind) == k]
    alone = [kind for kind in off if 0 < max(kind) < k and min(kind) == 0]
    findings = []
    if alone:
        weights = _weights(found, formula, k, alone, completed)
        findings.append(weights)
        completed = [kind for kind in completed if kind not in weights.kinds]
    if blocked:
        advice = "You count lines that hold marks of both sides. Such a line is blocked: nobody can complete it, and "
        advice += "it counts for nobody."
        cost = 1 if _regular(off, blocked, formula) else len(blocked)
        findings.append(_told("blocked lines counted", advice, blocked, found, formula, k, cost))
    if completed:
        findings.append(_completed(completed, found, formula, k))
    if (0, 0) in off:
        advice = "You count empty lines. A line counts only if one side has a mark in it."
        findings.append(_told("empty lines counted", advice, [(0, 0)], found, formula, k))
    if sum(finding.cost for finding in findings) > MOST_COST:
        advice = "Many kinds of lines don't count what they should. These are some of them."
        return [_told("many kinds of lines", advice, list(off), found, formula, k, MOST_COST)]
    return findings


def _told(
    name: str, advice: str, kinds: Sequence[Kind], found: Worths, formula: Worths, k: int, cost: float = 1
) -> Finding:
    """A finding with its numbers: what some lines should count, and what they do."""
    shown = sorted(kinds, key=lambda kind: (kind[0] < kind[1], -sum(kind)))[:SEVERAL]
    numbers = [
        f"{kind_in_words(kind, k).capitalize()} should count {plain(formula[kind])}; "
        f"in your function it counts {plain(found[kind])}."
        for kind in shown
    ]
    return Finding(name, " ".join([advice, *numbers]).strip(), cost, frozenset(kinds))


def _regular(off: Worths, blocked: Iterable[Kind], formula: Worths) -> bool:
    """Whether blocked lines are worth what they would be if only one side's marks, or both sides', were looked at."""
    own = {kind: formula[kind[0], 0] for kind in blocked}
    other = {kind: formula[0, kind[1]] for kind in blocked}
    return all(off[kind] in (own[kind], other[kind], own[kind] + other[kind]) for kind in blocked)


def _whole(found: Worths, formula: Worths, k: int) -> Finding | None:
    """What holds for all kinds of lines at once."""
    if all(found[kind] == -formula[kind] for kind in found):
        return signs_swapped()
    factors = {found[kind] / formula[kind] for kind in found if formula[kind]}
    if len(factors) == 1 and all(found[kind] == 0 for kind in found if not formula[kind]):
        return scaled(factors.pop()) if factors != {1.0} else None
    open_lines = {(n, 0): 1 for n in range(1, k + 1)} | {(0, n): -1 for n in range(1, k + 1)}
    if all(found[kind] == open_lines.get(kind, 0) for kind in found):
        advice = "These are the values of heuristic 2, the open lines. Heuristic 1 weighs the lines by the number of "
        advice += "marks in them."
        off = [kind for kind in found if found[kind] != formula[kind]]
        return _told("heuristic 2 instead", advice, off, found, formula, k)
    return None


def signs_swapped() -> Finding:
    """The opponent's side of the sum added, and one's own taken off."""
    sentence = "Your values have the wrong sign throughout. The player's lines add, the opponent's subtract."
    return Finding("signs swapped", sentence)


def always(value: float) -> Finding:
    """The same answer to every question."""
    return Finding("always the same number", f"Your function always returns {plain(value)}.")


def scaled(factor: float) -> Finding:
    """All values multiplied by a number."""
    if factor == 0:
        return always(0)
    if abs(factor) < 1:
        sentence = f"Your values are the right ones divided by {plain(1 / factor)}. You were asked for the sum itself."
        return Finding("values divided", sentence)
    return Finding("values multiplied", f"Your values are the right ones multiplied by {plain(factor)}.")


def _completed(kinds: Sequence[Kind], found: Worths, formula: Worths, k: int) -> Finding:
    if formula[k, 0] == 0:
        advice = "You count a completed line. It is in neither term of the formula, so it is worth nothing, odd as "
        advice += "that may seem."
        return _told("completed lines counted", advice, kinds, found, formula, k)
    nothing = all(found[kind] == 0 for kind in kinds)
    name = "completed lines not counted" if nothing else "weight of completed lines"
    return _told(name, "", kinds, found, formula, k)


@dataclass(frozen=True)
class _Rule:
    """A common mistake with weights: its name, advice, and what a completed line is worth if the mistake goes on."""

    name: str
    advice: str
    completed: float = 0


def _weights(found: Worths, formula: Worths, k: int, off: Sequence[Kind], completed: Sequence[Kind]) -> Finding:
    """What differs on lines with marks of one side, and on completed lines if they have to do with it."""
    numbers = [n for n in range(1, k) if (n, 0) in found and (0, n) in found]
    right = [formula[n, 0] for n in numbers]
    own = [found[n, 0] for n in numbers]
    other = [-found[0, n] for n in numbers]
    rules = list(_both(own, right, numbers, k) if own == other else _sides(own, other, right))
    going_on = [rule for rule in rules if all(abs(found[kind]) == rule.completed for kind in completed)]
    if rules:
        rule = (going_on or rules)[0]
        return _told(rule.name, rule.advice, [*off, *(completed if going_on else [])], found, formula, k)
    wrong = {max(kind) for kind in off}
    whose = ""
    if own == right:
        whose = "the opponent's "
    elif other == right:
        whose = "your own "
    name = f"weight of {whose}{_lines_of(min(wrong))}" if len(wrong) == 1 else f"weights of {whose}lines"
    return _told(name, "", off, found, formula, k, cost=len(wrong))


def _lines_of(number: int) -> str:
    return {1: "single marks", 2: "pairs"}.get(number, f"lines of {number_word(number)}")


def _sides(own: list[float], other: list[float], right: list[float]) -> Iterator[_Rule]:
    """What is wrong with the opponent's terms alone, or with one's own alone."""
    if own == right and not any(other):
        yield _Rule("opponent ignored", "Your values leave out the opponent's lines. They should be subtracted.")
    if own == right and other == [-weight for weight in right]:
        yield _Rule("opponent added", "The opponent's lines are added. They should be subtracted.")
    if own == right and list(map(abs, other)) == list(map(abs, right)):
        advice = "The minus sign belongs to the whole bracket: all of the opponent's terms are subtracted."
        yield _Rule("bracket lost", advice)
    if other == right and not any(own):
        yield _Rule("own lines ignored", "Your values leave out the player's own lines. They should be added.")


def _both(own: list[float], right: list[float], numbers: list[int], k: int) -> Iterator[_Rule]:
    """What is wrong with the weights, the same for both players."""
    counted = [weight for weight in right if weight]
    missing = [n for n, is_, should in zip(numbers, own, right, strict=True) if is_ == 0 != should]
    kept = all(is_ in (0, should) for is_, should in zip(own, right, strict=True))
    if kept and len(missing) == 1 and len(counted) > 1:
        advice = f"Lines with {_marks(missing[0])} are missing from your sum."
        yield _Rule(f"{_lines_of(missing[0])} not counted", advice)
    least, last = min(counted, key=abs, default=0), right[-1]
    if own == [least if weight else 0 for weight in right]:
        others = listed([plain(weight) for weight in dict.fromkeys(counted) if weight != least])
        advice = "Not all lines weigh the same: look at the factors in the formula."
        yield _Rule(f"the {others} forgotten", advice, least)
    if own == [last if weight else 0 for weight in right]:
        advice = "The factor belongs to one kind of line alone, not to the whole sum."
        yield _Rule(f"the {plain(last)} times all", advice, last)
    reverse = iter(reversed(counted))
    if own == [next(reverse) if weight else 0 for weight in right]:
        advice = "The weights are the wrong way round: see in the formula which lines have the factor."
        yield _Rule("weights swapped", advice)
    if own == [sum(right[: n + 1]) for n in range(len(right))]:
        advice = "You count lines with at least n marks where exactly n are meant, so a line with more marks is also "
        yield _Rule("at least for exactly", advice + "counted among those with fewer.", sum(right))
    if own == numbers:
        yield _Rule("marks counted", "A line counts as much as it has marks. The formula has its own weights.", k)
    for power in (2, 3, 4):
        if own == [n**power for n in numbers]:
            advice = "You take a power of the number of marks. The formula has its own weights."
            yield _Rule("powers of the marks", advice, k**power)


def _marks(number: int) -> str:
    return "one mark" if number == 1 else f"{number_word(number)} marks"


# ----------------------------------------------------------------------------------------------------- which lines


def directions(lines: Sequence[Line], shape: tuple[int, ...]) -> dict[str, frozenset[int]]:
    """The places of a flat board's rows, columns and diagonals among its lines; other boards have no such names."""
    if len(shape) != 2 or len(lines[0]) < 2:
        return {}
    names = {(0, 1): "rows", (1, 0): "columns", (1, 1): "main diagonal"}
    found: dict[str, set[int]] = {"rows": set(), "columns": set(), "main diagonal": set(), "other diagonal": set()}
    for place, line in enumerate(lines):
        (row, column), (next_row, next_column) = (divmod(cell, shape[1]) for cell in line[:2])
        found[names.get((next_row - row, next_column - column), "other diagonal")].add(place)
    found["both diagonals"] = found["main diagonal"] | found["other diagonal"]
    return {name: frozenset(places) for name, places in found.items() if places}


def factors_told(factors: Sequence[float], lines: Sequence[Line], shape: tuple[int, ...]) -> list[Finding]:
    """What to say if each line counts so many times; nothing if each counts once."""
    missing = frozenset(place for place, factor in enumerate(factors) if factor == 0)
    others = {place: factor for place, factor in enumerate(factors) if factor not in (0, 1)}
    told = tuple(lines[place] for place in sorted(missing | others.keys()))
    sentences = []
    if missing:
        sentences.append(_missing(missing, lines, shape))
    if others:
        sentences.append(_times(others, lines, shape))
    if not sentences:
        return []
    name, sentence = sentences[0]
    if len(sentences) == 2:
        name = "wrong line" if len(missing) == len(others) == 1 else name
        sentence = f"{sentence} {sentences[1][1]}"
    irregular = len(set(others.values())) > 1 or any(factor != int(factor) for factor in others.values())
    return [Finding(name, sentence, 1 + len(others) if irregular else 1, lines=told)]


def _missing(missing: frozenset[int], lines: Sequence[Line], shape: tuple[int, ...]) -> tuple[str, str]:
    """The name and the sentence for lines that don't count."""
    groups = directions(lines, shape)
    left = frozenset(range(len(lines))) - missing
    if left == {0}:
        sentence = "Only the first line counts. Does your function return from inside the loop? Sum up first, and "
        return "returned inside the loop", sentence + "return once, after the loop."
    if left == {len(lines) - 1}:
        sentence = "Only the last line counts. Is your total set to 0 anew for each line? Set it once, before the loop."
        return "only the last line", sentence
    for name, places in groups.items():
        which = _direction(name, [lines[place] for place in sorted(places)])
        if missing == places:
            return f"{name} missing", f"The {which} {'is' if len(places) == 1 else 'are'} missing."
        if left == places:
            verb = "counts" if len(places) == 1 else "count"
            return f"only {name}", f"Only the {which} {verb}. A line may run in any direction."
    cells = [_cells(lines[place]) for place in sorted(missing)]
    if len(cells) == 1:
        return "line missing", f"The line of the cells {cells[0]} is missing."
    return "lines missing", f"These lines are missing: {'; '.join(cells)}."


def _direction(name: str, lines: Sequence[Line]) -> str:
    """The lines of one of the `directions` in a sentence."""
    if len(lines) == 1:
        return f"{'diagonal' if 'diagonal' in name else 'line'} of the cells {_cells(lines[0])}"
    words = {
        "both diagonals": "two diagonals" if len(lines) == 2 else "diagonals",
        "main diagonal": "diagonals that run down to the right",
        "other diagonal": "diagonals that run down to the left",
    }
    return words.get(name, name)


def _times(times: Mapping[int, float], lines: Sequence[Line], shape: tuple[int, ...]) -> tuple[str, str]:
    """The name and the sentence for lines that count more than once, or in part."""
    factor = next(iter(times.values()))
    same = len(set(times.values())) == 1
    words = {2.0: "twice", 3.0: "three times"}
    often = words.get(factor, f"{plain(factor)} times")
    for name, places in directions(lines, shape).items():
        if same and times.keys() == places and len(places) > 1:
            which = _direction(name, [lines[place] for place in sorted(places)])
            return f"{name.removeprefix('both ')} counted {often}", f"The {which} are counted {often}."
    if len(times) == 1:
        place = next(iter(times))
        return "line counted more than once", f"The line of the cells {_cells(lines[place])} is counted {often}."
    each = [f"that of {_cells(lines[place])} counts {plain(value)} times" for place, value in times.items()]
    return "lines counted more than once", f"Not every line counts once: {'; '.join(each[:SEVERAL])}."


def wrong_line(looked_at: Line, instead_of: Line | None, times: float = 1) -> Finding:
    """A line that is none, in place of one or besides all."""
    sentence = f"You look at the cells {_cells(looked_at)} as if they were a line"
    sentence += f", instead of {_cells(instead_of)}." if instead_of else f", besides the lines ({plain(times)} times)."
    return Finding("wrong line", sentence, lines=(looked_at,))


def _cells(line: Line) -> str:
    return listed(list(map(str, line)))


# -------------------------------------------------------------------------------------------- order within a line


def patterns_told(found: Mapping[tuple[int, ...], float], right: Mapping[tuple[int, ...], float]) -> list[Finding]:
    """What to say if a line's worth depends on the order of its marks, and nothing if it doesn't.

    Args:
        found, right: what a line is worth, by its marks: 0 for a free cell, 1 for one's own, 2 for the opponent's.
    """
    by_kind: dict[Kind, set[float]] = {}
    for marks, worth in found.items():
        by_kind.setdefault((marks.count(1), marks.count(2)), set()).add(worth)
    if all(len(worths) == 1 for worths in by_kind.values()):
        return []
    off = [marks for marks in found if found[marks] != right[marks]]
    names = ("free", "yours", "the opponent's")
    shown = [marks for marks in off if 2 not in marks] or off
    sentences = [
        f"A line that reads {', '.join(names[mark] for mark in marks)} should count {plain(right[marks])}; "
        f"in your function it counts {plain(found[marks])}."
        for marks in shown[:2]
    ]
    kinds = frozenset((marks.count(1), marks.count(2)) for marks in off)
    advice = "What a line counts does not depend on where in it the marks are."
    return [Finding("order of marks in a line", " ".join([advice, *sentences]), 3, kinds)]
