"""What a fit has found, in words: what kinds of lines count, and which lines, as mistakes with their sentences."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import product

from ttt.board import Board, Line
from ttt.checks.exercise import SENTENCES, Counts, Kind, Mistake, number_word

MOST_TOLD = 3  # kinds of lines in a sentence
LINES = Board().line_cells
KINDS: tuple[Kind, ...] = tuple((own, other) for own, other in product(range(4), repeat=2) if own + other <= 3)
ALONE: tuple[Kind, ...] = ((2, 0), (1, 0), (0, 2), (0, 1))  # with marks of one side, not completed
BLOCKED: tuple[Kind, ...] = ((2, 1), (1, 1), (1, 2))
WRONG_COUNTS: dict[str, tuple[Kind, ...]] = {  # mistakes, and the kinds of lines that they are about
    "weight of {found}": ALONE,
    "blocked lines counted": BLOCKED,
    "completed lines counted": ((3, 0), (0, 3)),
    "empty lines counted": ((0, 0),),
}
GROUPS: dict[tuple[Line, ...], str] = {
    LINES[:3]: "rows",
    LINES[3:6]: "columns",
    LINES[6:]: "diagonals",
    LINES[6:7]: "main diagonal",
    LINES[7:]: "other diagonal",
    **{(line,): "line" for line in LINES[:6]},
}


def mistake(name: str, lines: Iterable[Line] = (), **found: str) -> Mistake:
    """A mistake with its sentence from `mistakes.toml`, in which what was found is put."""
    parts, sentence = SENTENCES["heuristic_1"][name]
    return Mistake(name.format(**found), sentence.format(**found), tuple(parts.split()), tuple(lines))


def weights_told(counts: Counts) -> list[Mistake]:
    """How what each kind of line counts differs from the formula, most simply put; [] where it doesn't."""
    should, does = counts[1, 0]
    factor = does / should
    if factor not in (0, 1) and all(abs(does - factor * should) < 1e-9 for should, does in counts.values()):
        name, times = ("values divided", 1 / factor) if abs(factor) < 1 else ("values multiplied", factor)
        return [mistake(name, found=plain(times))]
    told = []
    for name, kinds in WRONG_COUNTS.items():
        if off := {kind: counts[kind] for kind in kinds if counts[kind][0] != counts[kind][1]}:
            one = mistake(name, found=whose([*off]))
            told.append(replace(one, counts=off, sentence=f"{one.sentence} {counts_told(off)}"))
    return told


def counts_told(counts: Counts) -> str:
    """Sentences on what kinds of lines count, and what they should."""
    told = []
    for (own, other), (should, does) in [*counts.items()][:MOST_TOLD]:
        marks = [f"{number_word(n)} of {side}" for n, side in ((own, "yours"), (other, "the opponent's")) if n]
        line = f"A line with {' and '.join(marks) or 'no mark'}"
        told.append(f"{line} counts {plain(does)}; it should count {plain(should)}.")
    return " ".join(told)


def whose(kinds: Sequence[Kind]) -> str:
    """Kinds of lines in a few words: "your own pairs"."""
    side = "your own " if all(own for own, _ in kinds) else ""
    side = "the opponent's " if all(other for _, other in kinds) else side
    numbers = {max(kind) for kind in kinds}
    return side + ("lines" if len(numbers) > 1 else "single marks" if 1 in numbers else "pairs")


def factors_told(factors: Mapping[Line, float]) -> list[Mistake]:
    """What to say if three cells count so many times; nothing if each line counts once, and nothing else does."""
    left = tuple(line for line in LINES if factors.get(line))
    missing = tuple(line for line in LINES if not factors.get(line))
    others = tuple(line for line, factor in factors.items() if factor and line not in LINES)
    told = []
    if others:
        name = "wrong line" if len(others) == len(missing) else "what is no line counted"
        told.append(mistake(name, others, found=cells(others), instead=cells(missing)))
    if missing and len(others) != len(missing):
        only = left in GROUPS
        name = "only one line" if len(left) == 1 else "only {found}" if only else "{found} missing"
        group = left if only else missing
        told.append(mistake(name, missing, found=GROUPS.get(group, "lines"), where=in_words(group)))
    for factor in sorted({*factors.values()} - {0, 1}):
        often = tuple(line for line in factors if factors[line] == factor)
        times = {2.0: "twice", 3.0: "three times"}.get(factor, f"{plain(factor)} times")
        if often == left and told:
            return [replace(told[0], sentence=f"{told[0].sentence.removesuffix('.')}, {times}."), *told[1:]]
        name = GROUPS.get(often, "lines")
        told.append(mistake("{found} counted {often}", often, found=name, often=times, where=in_words(often)))
    return told


def in_words(lines: tuple[Line, ...]) -> str:
    """Some lines with their cells: "the main diagonal (cells 0, 4, 8)"."""
    return f"the {GROUPS.get(lines, 'lines')} (cells {cells(lines)})"


def cells(lines: Iterable[Line]) -> str:
    """The cells of some lines: "0, 4, 8; 2, 4, 6"."""
    return "; ".join(", ".join(map(str, line)) for line in lines)


def plain(value: float) -> str:
    """A number as text, without needless decimals: 3, −0.5, 1,000,000."""
    return f"{round(float(value), 4):,}".removesuffix(".0").replace("-", "−")
