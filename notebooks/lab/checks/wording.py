"""Puts the results of a fit into words: which kinds of lines count, and which lines, as mistakes with sentences."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from lab.checks.exercise import Counts, Kind, Mistake, mistake_named, number_word
from ttt.board import Board
from ttt.geometry import Line

MAX_KINDS_TOLD = 3  # max. kinds of lines in a sentence
LINES = Board().line_cells
FORMULA = "weight of {found}"
COUNTED = re.compile(r" A line with [^;\n]*; it should count \S*\.(?!\S)")  # by `counts_told`
WEIGHTS: dict[str, tuple[Kind, ...]] = {  # mistakes, with the kinds of lines that they are about
    FORMULA: ((2, 0), (1, 0), (0, 2), (0, 1)),
    "blocked lines counted": ((2, 1), (1, 1), (1, 2)),
    "completed lines counted": ((3, 0), (0, 3)),
    "empty lines counted": ((0, 0),),
}
HALVES: dict[str, tuple[Kind, ...]] = {"opponent ignored": ((0, 2), (0, 1)), "own lines ignored": ((2, 0), (1, 0))}
mistake = partial(mistake_named, exercise="heuristic_1")
GROUPS: dict[tuple[Line, ...], str] = {
    LINES[:3]: "rows",
    LINES[3:6]: "columns",
    LINES[6:]: "diagonals",
    LINES[6:7]: "main diagonal",
    LINES[7:]: "other diagonal",
    **{(line,): "line" for line in LINES[:6]},
}


def weights_told(counts: Counts) -> list[Mistake]:
    """Say how the line weights differ from the formula, as simply as possible; [] if they don't."""
    should, does = counts[1, 0]
    factor, size = does / should, abs(does / should)
    if factor not in (0, 1) and all(abs(does - factor * should) < 1e-9 for should, does in counts.values()):
        times = [mistake("values multiplied", found=plain(size))] if size > 1 else []
        times += [mistake("values divided", found=plain(1 / size))] if size < 1 else []
        return [mistake("signs swapped"), *times] if factor < 0 else times
    told = []
    left = {kind: (should, does) for kind, (should, does) in counts.items() if should != does}
    for name, kinds in (half_lost(counts) | swapped_or_lost(counts) | WEIGHTS).items():
        if off := {kind: left.pop(kind) for kind in kinds if kind in left}:
            weights = mistake(name, found=whose([*off]))
            told.append(replace(weights, counts=off, sentence=f"{weights.sentence} {counts_told(off)}"))
    return told


def half_lost(counts: Counts) -> dict[str, tuple[Kind, ...]]:
    """The mistake and its kinds of lines, if half of the formula is left out, or some or all of it has wrong signs."""
    ignored = {name: kinds for name, kinds in HALVES.items() if not any(counts[kind][1] for kind in kinds)}
    if len(ignored) == 1:
        return ignored
    turned = {kind for kind in WEIGHTS[FORMULA] if counts[kind][1] == -counts[kind][0]}
    if len(turned) == 4:
        return {"signs swapped": WEIGHTS[FORMULA]}
    theirs = HALVES["opponent ignored"]
    return {"opponent added": theirs} if turned.issuperset(theirs) else {}


def swapped_or_lost(counts: Counts) -> dict[str, tuple[Kind, ...]]:
    """The mistake, with its kinds of lines, if both sides have the same weights, and these are the formula's in other
    places; the opponent's may be left out."""
    (two, own_two), (one, own_one), (_, other_two), (_, other_one) = (counts[kind] for kind in WEIGHTS[FORMULA])
    names = {
        (one, two): "weights swapped",
        (one, one): "the factor forgotten",
        (two, two): "the factor times all",
        (0, one): "pairs not counted",
        (two, 0): "single marks not counted",
    }
    alike = (other_two, other_one) in ((-own_two, -own_one), (0, 0))
    return {names[own_two, own_one]: WEIGHTS[FORMULA]} if alike and (own_two, own_one) in names else {}


def counts_told(counts: Counts) -> str:
    """What some kinds of lines count, and what they should count, in sentences."""
    told = []
    for (own, other), (should, does) in [*counts.items()][:MAX_KINDS_TOLD]:
        theirs = "the opponent's" if own else "the opponent's marks"
        marks = [f"{number_word(n)} of {side}" for n, side in ((own, "the player's marks"), (other, theirs)) if n]
        line = f"A line with {' and '.join(marks) or 'no mark'}"
        told.append(f"{line} counts {plain(does)}; it should count {plain(should)}.")
    return " ".join(told)


def whose(kinds: Sequence[Kind]) -> str:
    """Name kinds of lines: "your own pairs"."""
    side = "your own " if all(own for own, _ in kinds) else ""
    side = "the opponent's " if all(other for _, other in kinds) else side
    numbers = {max(kind) for kind in kinds}
    return side + ("lines" if len(numbers) > 1 else "single marks" if 1 in numbers else "pairs")


def factors_told(factors: Mapping[Line, float]) -> list[Mistake]:
    """The mistakes if triples of cells count that often; [] if each line counts once and nothing else counts."""
    left = tuple(line for line in LINES if line in factors)
    missing = tuple(line for line in LINES if line not in factors)
    others = tuple(line for line in factors if line not in LINES)
    told = []
    for factor in sorted({*factors.values()} - {1}):
        often = tuple(line for line in factors if factors[line] == factor)
        times = "twice" if factor == 2 else f"{plain(factor)} times"
        told.append(mistake("{found} counted {often}", lines=often, often=times, **in_words(often)))
    if others:
        name = "wrong line" if len(others) == len(missing) else "what is no line counted"
        told.append(mistake(name, lines=others, found=cells(others), instead=cells(missing)))
    elif missing:
        name = "only one line" if len(left) == 1 else "only {found}" if left in GROUPS else "{found} missing"
        told.append(mistake(name, lines=missing, **in_words(left if left in GROUPS else missing)))
    return told


def in_words(lines: tuple[Line, ...]) -> dict[str, str]:
    """Name some lines, and the same with their cells: "the main diagonal (cells 0, 4, 8)"."""
    name = GROUPS.get(lines, "lines")
    return {"found": name, "where": f"the {name} (cells {cells(lines)})"}


def cells(lines: Iterable[Line]) -> str:
    """The cells of some lines: "0, 4, 8; 2, 4, 6"."""
    return "; ".join(", ".join(map(str, line)) for line in lines)


def plain(value: float) -> str:
    """A number as text, without needless decimals: 3, −0.5, 1,000,000."""
    return f"{round(float(value), 4):,}".removesuffix(".0").replace("-", "−")
