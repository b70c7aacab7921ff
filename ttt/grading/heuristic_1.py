"""The key of the exercise heuristic 1: the formula, the slips that its check must not let pass, and the marks.

The formula's weights, the marks and the texts for students are in `heuristic_1.toml` beside this file.
"""

from __future__ import annotations

import tomllib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, reduce
from itertools import chain, combinations, product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ttt.board import Board, Line, Mark, opponent
from ttt.exercises import Case, Drawing, positions
from ttt.exercises.wording import directions, number_word
from ttt.grading.judge import Question
from ttt.grading.key import FormulaKey, Function, Part, digest

if TYPE_CHECKING:
    from ttt.exercises.fitting import Array

NAME = "heuristic_1"
SETTINGS = Path(__file__).with_suffix(".toml")
KINDS = ("singles", "pairs", "blocked", "completed")  # of boards

Done = Callable[[int], float]
Worth = Callable[[int, int], int]  # what a line is worth, by the player's and the opponent's marks in it


@cache
def key() -> FormulaKey:
    """The key, worked out from the settings."""
    return key_for(settings())


def settings() -> dict[str, Any]:
    """What `heuristic_1.toml` says."""
    return tomllib.loads(SETTINGS.read_text(encoding="utf-8"))


def key_for(settings: Mapping[str, Any]) -> FormulaKey:
    """The key that follows from settings. Raises `ValueError` for weights that don't make an exercise."""
    start, weights = Board(), settings["weights"]
    if len(weights) != start.k + 1 or not any(weights[1:]):
        needs = f"weights needs {start.k + 1} numbers, one for each number of marks from none to {start.k}"
        raise ValueError(f"{needs}, and not only zeros.")
    right = total(weighed(weights))
    boards = sorted(positions(start.shape, start.k), key=lambda board: len(board) - len(board.moves))
    kinds = [kind(board) for board in boards]
    values = [right(board, "X") for board in boards]
    middle = len(start) // 2
    first, second = reduce(Board.play, (0, middle), start), reduce(Board.play, (0, middle, 1), start)
    parts = part_questions(kinds, settings["parts"])
    return FormulaKey(
        name=NAME,
        right=right,
        slipped=lambda questions: slipped(start, weights, questions),
        named_by="fitting",
        made_from=digest([settings[name] for name in ("weights", "texts")]),
        questions=tuple(Question(board, player) for board in boards for player in "XO"),
        right_values=tuple(side for value in values for side in (value, -value)),  # what X gains, O loses
        scope="every position, seen from both sides",
        parts=tuple(
            Part(name, settings["parts"][name], marks, parts[name]) for name, marks in settings["marks"].items()
        ),
        basic=basic_questions(boards, kinds, values),
        first=parts["singles"] | parts["pairs"] | parts["sides"],
        worked=tuple(
            explained(Question(board, player), right, weights)
            for board, player in ((first, "X"), (first, "O"), (second, "X"))
        ),
        hints=tuple(hint.format(**counts_in_words(weights)) for hint in settings["texts"]["hints"]),
        explain=lambda question: explained(question, right, weights),
        earlier=tuple(last_years(settings.get("earlier", []), weights)),
    )


# ---------------------------------------------------------------------------------------------------- the formula


def weighed(weights: Sequence[int]) -> Worth:
    """A line with n marks of one side alone is worth weights[n]; the opponent's lines count against."""
    return lambda own, other: (0 if other else weights[own]) - (0 if own else weights[other])


def last_years(tables: Iterable[Sequence[int]], weights: Sequence[int]) -> Iterator[Function]:
    """The functions that were right in earlier years. Lines with more marks than they knew of count nothing in them."""
    for table in tables:
        if list(table) != list(weights):
            yield total(weighed([*table, *[0] * len(weights)]))


def total(worth: Worth) -> Function:
    """The function that sums up what lines are worth, seen from a player's side."""

    def function(board: Board, player: Mark) -> int:
        rival = opponent(player)
        return sum(worth(line.count(player), line.count(rival)) for line in board.lines)

    return function


def counts_in_words(weights: Sequence[int]) -> dict[str, str]:
    """How many kinds of line count, and with how many marks, for the hints: "four", "with two or with one"."""
    counted = [number_word(n) for n in reversed(range(1, len(weights))) if weights[n]]
    return {"kinds": number_word(2 * len(counted)), "numbers": " or ".join(f"with {word}" for word in counted)}


def explained(question: Question, right: Function, weights: Sequence[int]) -> Case:
    """The case of a question, with the lines that count: how many, in words and by name, and highlighted."""
    board, player = question.board, question.player
    counted = {mark: lines_alone(board, mark) for mark in (player, opponent(player))}
    worth = {mark: {n: lines for n, lines in counted[mark].items() if weights[n]} for mark in counted}
    words = [
        f"{number_word(len(lines))} {'line' if len(lines) == 1 else 'lines'} with just {number_word(n)} {mark}"
        for mark, by_number in worth.items()
        for n, lines in sorted(by_number.items(), reverse=True)
        if lines
    ]
    named = [n for n in range(1, board.k + 1) if n < board.k or weights[n]]
    return Case(
        (board, player),
        right(board, player),
        "",
        f"The lines that count: {', '.join(words) or 'none'}.",
        {f"{mark}{n}".lower(): len(counted[mark][n]) for mark in "XO" for n in named},
        tuple(Drawing(m, f"lines of {m} alone", tuple(chain(*lines.values()))) for m, lines in worth.items()),
    )


def lines_alone(board: Board, mark: Mark) -> dict[int, tuple[Line, ...]]:
    """By number of marks, the lines that hold as many marks of one side and none of the other."""
    lines = list(zip(board.line_cells, board.lines, strict=True))
    return {
        n: tuple(cells for cells, marks in lines if marks.count(mark) == n and opponent(mark) not in marks)
        for n in range(1, board.k + 1)
    }


# ------------------------------------------------------------------------------------------------------ the slips


@dataclass(frozen=True)
class Slip:
    """The formula with one thing changed.

    Args:
        name: what is changed.
        worth: what a line is worth, by its marks.
        lines: the lines that are looked at; one that stands twice counts twice.
        done: what is done with the sum.
    """

    name: str
    worth: Worth
    lines: tuple[Line, ...]
    done: Done = int

    def function(self, board: Board, player: Mark) -> float:
        """The function with this slip."""
        marks, rival = tuple(board), opponent(player)
        lines = [[marks[cell] for cell in line] for line in self.lines]
        return self.done(sum(self.worth(line.count(player), line.count(rival)) for line in lines))


def slips(start: Board, weights: Sequence[int]) -> list[Slip]:
    """What can go wrong in writing down the formula: each condition, each weight, each line, and the sum."""
    lines, worth = start.line_cells, weighed(weights)
    return [
        *(Slip(name, changed, lines) for name, changed in chain(_conditions(weights), _other_weights(weights))),
        *(Slip(name, worth, chosen) for name, chosen in _other_lines(start)),
        *(Slip(name, worth, lines, done) for name, done in _sums(2 * max(map(abs, weights)) * len(lines) // 3)),
    ]


def _conditions(weights: Sequence[int]) -> Iterator[tuple[str, Worth]]:
    """Each condition of each term negated, weakened, moved by one, or dropped; for one side or for both."""
    counts: dict[str, Callable[[int, int], bool]] = {
        "==": lambda count, n: count == n,
        "!=": lambda count, n: count != n,
        ">=": lambda count, n: count >= n,
        "<=": lambda count, n: count <= n,
        "> ": lambda count, n: count > n,
        "< ": lambda count, n: count < n,
        "==1+": lambda count, n: count == n + 1,
        "dropped": lambda count, n: True,
    }
    others: dict[str, Callable[[int], bool]] = {
        "== 0": lambda count: count == 0,
        "!= 0": lambda count: count != 0,
        "== 1": lambda count: count == 1,
        "<= 1": lambda count: count <= 1,
        "!= 1": lambda count: count != 1,
        "<= 2": lambda count: count <= 2,
        "dropped": lambda count: True,
    }
    terms = [n for n, weight in enumerate(weights) if n and weight]
    for n, (first, holds), (second, free), sides in product(
        terms, counts.items(), others.items(), ("own", "rival", "both")
    ):
        if (first, second) != ("==", "== 0"):
            yield f"{sides} {n}: {first}, {second}", _with_term(weights, n, sides, holds, free)


def _with_term(
    weights: Sequence[int], n: int, sides: str, holds: Callable[[int, int], bool], free: Callable[[int], bool]
) -> Worth:
    """The formula with other conditions for the lines with n marks."""
    rest = weighed([0 if number == n else weight for number, weight in enumerate(weights)])

    def worth(own: int, other: int) -> int:
        mine, theirs = own == n and other == 0, other == n and own == 0
        if sides != "rival":
            mine = holds(own, n) and free(other)
        if sides != "own":
            theirs = holds(other, n) and free(own)
        return rest(own, other) + (weights[n] if mine else 0) - (weights[n] if theirs else 0)

    return worth


def _other_weights(weights: Sequence[int]) -> Iterator[tuple[str, Worth]]:
    """Each weight changed, for one side or for both, completed and empty lines too, and a kind of blocked lines."""
    values = [*range(-2, 11), *(-weight for weight in weights), 100]
    for n, value in product(range(len(weights)), dict.fromkeys(values)):
        changed = [value if number == n else weight for number, weight in enumerate(weights)]
        if changed != list(weights):
            own, both = weighed(weights), weighed(changed)
            yield f"weight {n}: {value}", both
            yield f"own weight {n}: {value}", _sided(both, own)
            yield f"rival's weight {n}: {value}", _sided(own, both)
    for kind_, value in product(
        ((a, b) for a in range(1, len(weights)) for b in range(1, len(weights) - a)), (1, -1, 3)
    ):
        yield f"blocked {kind_}: {value}", _kind_worth(weights, kind_, value)


def _sided(own: Worth, other: Worth) -> Worth:
    """One worth for lines of the player alone and for empty ones, another for the rest."""
    return lambda mine, theirs: own(mine, theirs) if theirs == 0 else other(mine, theirs)


def _kind_worth(weights: Sequence[int], kind_: tuple[int, int], value: int) -> Worth:
    right = weighed(weights)
    return lambda own, other: value if (own, other) == kind_ else right(own, other)


def _other_lines(start: Board) -> Iterator[tuple[str, tuple[Line, ...]]]:
    """Each line, each pair of lines and each direction missing, each line doubled, and each cell of a line mistyped."""
    lines = start.line_cells
    groups = [{one} for one in range(len(lines))]
    groups += [set(two) for two in combinations(range(len(lines)), 2)]
    groups += map(set, directions(lines, start.shape).values())
    for group in groups:
        rest = tuple(line for place, line in enumerate(lines) if place not in group)
        chosen = tuple(lines[place] for place in group)
        yield f"without {chosen}", rest
        yield f"twice {chosen}", lines + chosen
        yield f"only {chosen}", chosen
    for place, at in product(range(len(lines)), range(start.k)):
        for cell in {lines[place][at] - 1, lines[place][at] + 1} & set(range(len(start))) - set(lines[place]):
            wrong = (*lines[place][:at], cell, *lines[place][at + 1 :])
            yield f"{wrong} for {lines[place]}", (*lines[:place], wrong, *lines[place + 1 :])


def _sums(most: int) -> Iterator[tuple[str, Done]]:
    """What may be done with the sum: absolute, divided, cut off at any limit, taken for 0 beyond it."""
    yield "absolute", abs
    yield "sign", lambda value: max(-1, min(value, 1))
    for divisor in (2, 3, 8):
        yield from _divided(divisor)
    for limit in range(most + 1):
        yield from _limited(limit)


def _divided(divisor: int) -> Iterator[tuple[str, Done]]:
    yield f"divided by {divisor}", lambda value: value / divisor
    yield f"divided by {divisor}, whole", lambda value: value // divisor
    yield f"rounded to {divisor}s", lambda value: divisor * round(value / divisor)


def _limited(limit: int) -> Iterator[tuple[str, Done]]:
    yield f"at most {limit}", lambda value: min(value, limit)
    yield f"at least -{limit}", lambda value: max(value, -limit)
    yield f"0 above {limit}", lambda value: 0 if value > limit else value
    yield f"0 below -{limit}", lambda value: 0 if value < -limit else value


def slipped(start: Board, weights: Sequence[int], questions: Sequence[Question]) -> Array:
    """For each slip, its values for some questions."""
    import numpy as np  # needed for `ttt variant` alone

    from ttt.exercises.fitting import Table, kind_of, kinds_of

    table = Table.of([(question.board, question.player) for question in questions])
    kinds = [kind_of(number, start.k) for number in range((start.k + 1) ** 2)]
    worths, rows = {}, []
    for slip in slips(start, weights):
        reachable = np.array([slip.worth(*kind) if sum(kind) <= start.k else 0 for kind in kinds])
        if slip.lines not in worths:
            worths[slip.lines] = kinds_of(table.cells[:, np.array(slip.lines)], start.k)
        sums, places = np.unique(reachable[worths[slip.lines]].sum(1), return_inverse=True)
        rows.append(np.array([slip.done(int(value)) for value in sums])[places])
    return np.array(rows)


# -------------------------------------------------------------------------------------------------- the questions


def kind(board: Board) -> str:
    """The part of the marks that a board belongs to."""
    if board.winner:
        return "completed"
    lines = board.lines
    if any("X" in line and "O" in line for line in lines):
        return "blocked"
    return "pairs" if any(len(line) - line.count("-") > 1 for line in lines) else "singles"


def part_questions(kinds: Sequence[str], names: Iterable[str]) -> dict[str, frozenset[int]]:
    """The questions of each part. The first four are seen from X; "sides" asks the first two from O."""
    places: defaultdict[str, list[int]] = defaultdict(list)
    for number, name in enumerate(kinds):
        from_x, from_o = 2 * number, 2 * number + 1
        places[name].append(from_x)
        if name in ("singles", "pairs"):
            places["sides"].append(from_o)
        places["all"] += from_x, from_o
    return {part: frozenset(places[part]) for part in names}


def basic_questions(boards: Sequence[Board], kinds: Sequence[str], values: Sequence[int]) -> tuple[Question, ...]:
    """The first two boards of each kind on which the value is not 0, and the first on which marks cancel out to 0."""
    chosen = defaultdict(list)
    for board, name, value in zip(boards, kinds, values, strict=True):
        if len(board.moves) > 2 and board.x:
            chosen[name if value else "balanced"].append(board)
    unequal = [Question(board, player) for name in KINDS for player in "XO" for board in chosen[name][:2]]
    return (*unequal, *(Question(board, "X") for board in chosen["balanced"][:1]))
