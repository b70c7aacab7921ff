"""The key to the exercise heuristic 1, which is in `lab/checks/heuristic_1.toml`: its points, and other weights."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from lab.checks.calling import Answer, Value
from lab.checks.exercise import Exercise, Mistake, each_way, edited
from lab.checks.graded import forms, load, path_of, settings
from lab.checks.line_sums import LARGEST, OWN, PARTS, Array, boards_asked
from lab.checks.verdict import Verdict
from lab.checks.wording import LINES, mistake

from exercises.grading import ROOT, GradingError
from exercises.grading.judging.key import HIDING, Earned, Key, Lost, full_points, parts_of, total
from exercises.grading.tables import write
from ttt.board import Board, opponent

_NAME = "heuristic_1"
NOTEBOOK = ROOT / "exercises" / _NAME / f"{_NAME}.ipynb"
LOST: dict[str, dict[str, float]] = settings(_NAME)["lost"]
PROPERTIES: dict[str, str] = settings(_NAME)["properties"]
VAGUE = ("the halves put together differently", "the four numbers put together differently")
UNANSWERED = "questions unanswered"
MOST_FAILED = 0.99  # of the boards, if the others are to tell anything


@cache
def make_key(_seed: str = "") -> Key:
    """Build the key; nothing in it is random."""
    return Key(load(_NAME), _points)


def change_weights(what: str) -> list[Path]:
    """Give the exercise weights such as "0,1,4,0"; return the files that change. Raises `GradingError`."""
    try:
        weights = [int(weight) for weight in what.split(",")]
        if len(weights) != 4 or weights[0] or weights[3] or len({0, *weights}) < 3:
            raise ValueError("the first and the last must be 0, and the two between them must differ and not be 0.")
    except ValueError as error:
        raise GradingError(f"The weights must look like 0,1,4,0, not {what!r}: {error}") from None
    before = settings(_NAME)["weights"]
    if weights == before:
        return []
    changes = [(path_of(_NAME), f"weights = {list(before)}", f"weights = {weights}")]
    changes += [(NOTEBOOK, *both) for both in zip(formulas(before), formulas(weights), strict=True)]
    texts: dict[Path, str] = {}
    for path, old, new in changes:
        text = texts.get(path) or path.read_text(encoding="utf-8")
        if old not in text:
            raise GradingError(f"{path.name} does not contain `{old}`, so it can't be changed to `{new}`.")
        texts[path] = text.replace(old, new)
    for path, text in texts.items():
        write(path, text)
    return list(texts)


def formulas(weights: Sequence[int]) -> tuple[str, str]:
    """The formula as in the notebook's first cell and in the function's docstring, escaped for JSON."""

    def side(mark: str, times: str, index: str) -> str:
        two, one = ("" if weights[n] == 1 else f"{weights[n]}{times}" for n in (2, 1))
        return f"{two}{mark}{index}2 + {one}{mark}{index}1".replace("+ -", "- ")

    return f"$${side('X', '', '_')} - ({side('O', '', '_')})$$", f"{side('X', '·', '')} − ({side('O', '·', '')})"


def _points(exercise: Exercise, answers: Sequence[Answer], verdict: Verdict) -> Earned:
    """The points by part for a wrong function: less what its mistakes cost, or what can be measured of each part."""
    given = [None if answer.fault else answer.value for answer in answers[: len(exercise.once)]]
    values = [value if isinstance(value, int | float) and abs(value) < LARGEST else None for value in given]
    values += [None] * (len(exercise.once) - len(values))
    if verdict.mistake == PARTS:
        return by_mistakes(exercise, values, verdict)
    first: dict[Any, Any] = {}  # the first answer by player and outcome, and by free cells if no mistake has a name
    free = not verdict.mistake
    asked = ((player, board.winner, board.over, free and len(board.moves)) for board, player in exercise.once)
    if all(first.setdefault(told, value) == value for told, value in zip(asked, values, strict=True)):
        told = "Your function tells boards apart only by who has won and by the number of free cells."
        told = verdict.sentence if verdict.mistake else told
        return Earned(dict.fromkeys(full_points(_NAME), 0), [Lost(total(_NAME), told, verdict.place)])
    right = [value == case.value for value, case in zip(values, exercise.cases, strict=True)]
    explained = any(not LOST.keys().isdisjoint(one.findings) for one in verdict.mistakes)
    explained = explained or sum(right) + values.count(None) == len(right)
    if not explained or verdict.mistake in VAGUE:
        both = with_pairs().known([*map(Answer, values)])
        if both:
            found = replace(verdict, mistakes=tuple(map(mistake, both.name.split("; "))))
            return by_mistakes(exercise, values, found)._replace(mistake=both.name)
    return by_mistakes(exercise, values, verdict) if explained else by_properties(values, right)


@cache
def with_pairs() -> Exercise:
    """The exercise with pairs of mistakes that are made together: what lines are worth, and what is done with it."""
    together = settings(_NAME)["together"]
    edits = settings(_NAME)["edits"] | together["more"]
    pairs = [
        (Mistake(f"{worth}; {done}", ""), source)
        for worth, done in product([*together["worths"], *together["more"]], together["done"])
        for first, second, form in product(each_way(edits[worth]), each_way(edits[done]), forms(_NAME))
        if (source := edited(edited(form, first), second))
    ]
    return replace(load(_NAME), mistakes=tuple(pairs))


def by_mistakes(exercise: Exercise, values: Sequence[Value], verdict: Verdict) -> Earned:
    """What each mistake costs; boards on which the function fails count in their parts."""
    points, lost = full_points(_NAME), list[Lost]()
    failed = {place for place, value in enumerate(values) if value is None}
    if UNANSWERED in verdict.mistake:  # at least when it was asked again
        failed.add(len(values) - 1)
    fitted = [one for one in verdict.mistakes if one.name not in ("", *HIDING, UNANSWERED)]
    for one in sorted(verdict.mistakes, key=lambda one: one not in fitted):
        before, place = sum(points.values()), verdict.place
        if one in fitted and len(fitted) > 1:
            place = where_alone(exercise, one, fitted, verdict.wrong)
        for part, number in (item for finding in one.findings for item in LOST.get(finding, {}).items()):
            points[part] = max(0, points[part] - number)
        if one not in fitted and one_sided(exercise, failed):
            points["sides"] = 0
        elif one not in fitted:
            place = min(failed, default=place)
            gone = singled_out([value is None for value in values])
            kept = {part: answered_share(failed, len(values), part) for part in points}
            points = {part: points[part] * (part not in gone if gone else kept[part]) // 1 for part in points}
        if (taken := before - sum(points.values())) or not lost:
            lost.append(Lost(taken, one.sentence, place, (one,)))
        else:  # it belongs to the mistake before it, or its part is lost already
            lost[-1] = lost[-1]._replace(sentence=f"{lost[-1].sentence} {one.sentence}")
    return Earned(points, lost)


def one_sided(exercise: Exercise, failed: set[int]) -> bool:
    """Whether a function fails for one player only, or just where the right value has one of the two signs."""
    signs = ({place for place, case in enumerate(exercise.cases) if sign * case.value > 0} for sign in (1, -1))  # type: ignore[operator]
    return len(failed) > 1 and (len({exercise.once[place][1] for place in failed}) == 1 or failed in signs)


def where_alone(exercise: Exercise, one: Mistake, mistakes: Sequence[Mistake], wrong: Sequence[int]) -> int:
    """The first question that goes wrong by this mistake and no other, as far as its lines tell."""

    def touches(mistake: Mistake, place: int) -> bool:
        board, player = exercise.questions[place]
        kinds = [(line.count(player), line.count(opponent(player))) for line in board.lines]
        weighed = [cells for cells, kind in zip(board.line_cells, kinds, strict=True) if 0 in kind and any(kind)]
        return not mistake.counts.keys().isdisjoint(kinds) or not {*mistake.lines}.isdisjoint(weighed)

    others = [other for other in mistakes if other is not one]
    return min(wrong, key=lambda place: (not touches(one, place), any(touches(other, place) for other in others)))


def singled_out(failed: Sequence[bool]) -> set[str]:
    """The parts whose lines are on just the boards on which the function fails; none if no lines tell these apart."""
    asked, off = boards_asked(load(_NAME).weights), np.array(failed)
    if off.mean() > MOST_FAILED:
        return set()
    for boards in (asked, asked.seen_from("X")):
        marks = boards.cells[:, LINES] @ 5 ** np.arange(3)
        single = ~np.isin(marks, marks[~off])  # with marks that no board has on which it answers
        if (single.any(1) == off).all():
            alone = single & (single.sum(1) == 1)[:, None]
            return {part_of_line(kind) for kind in boards.kinds[alone]}
    return set()


def part_of_line(kind: int) -> str:
    """The part that a kind of line belongs to."""
    own, other = divmod(kind, OWN)
    if own and other:
        return "blocked"
    return "completed" if 3 in (own, other) else "counts"


def answered_share(failed: Collection[int], number: int, part: str) -> float:
    """The share of a part's own boards without a failure; of the parts without boards, all or nothing."""
    own = places_of_parts()[part]
    return 1 - len(own.intersection(failed)) / len(own) if own else 2 * len(failed) <= number


def share_right(right: Sequence[bool], part: str) -> float:
    """The share of a part's own boards with the right value, if that is more than always one value would get."""
    own = places_of_parts().get(part) or ()
    due = Counter(load(_NAME).cases[place].value for place in own)
    number = sum(right[place] for place in own)
    return number / len(own) if number > max(due.values(), default=0) else 0


def by_properties(values: Sequence[Value], right: Sequence[bool]) -> Earned:
    """The points by part for values that nothing explains: what is true of them, and on how many boards."""
    points, lost = full_points(_NAME), list[Lost]()
    for part, off in violations(np.array([np.nan if value is None else value for value in values], float)).items():
        own = sorted(places_of_parts()[part])
        share = share_right(right, part) if off is None else float(not off.any())
        wrong = [place for place in own if not right[place]] if off is None else np.flatnonzero(off).tolist()
        told = f"{PROPERTIES[part]} (in {len(wrong):,} of {len(own if off is None else values):,} calls)."
        if part == "lines" and not share_right(right, "counts"):  # nought is nought however it is turned
            share, wrong, told = 0, [place for place, good in enumerate(right) if not good], PROPERTIES["nothing"]
        points[part] = points[part] * share // 0.5 / 2
        if taken := full_points(_NAME)[part] - points[part]:
            lost.append(Lost(taken, told, wrong[0]))
    return Earned(points, lost, unsure=True)


def violations(values: Array) -> dict[str, Array | None]:
    """The calls whose values contradict what each part is about; None for a part judged by its own boards."""
    boards = boards_asked(load(_NAME).weights)
    blocked = (boards.kinds % OWN > 0) & (boards.kinds > OWN) & (boards.kinds % OWN != boards.kinds)
    cells = boards.cells.reshape(-1, 3, 3)
    around = [
        np.rot90(one, turns, (1, 2)).reshape(-1, 9) @ 5 ** np.arange(9)
        for one in (cells, cells[:, ::-1])
        for turns in range(4)
    ]
    alike = {"lines": np.min(around, axis=0), "blocked": np.where(blocked, 15, boards.kinds) @ (16 ** np.arange(8))}
    found: dict[str, Array | None] = {"lines": None, "counts": None, "blocked": None, "completed": None}
    for part, codes in alike.items():
        _, first, group = np.unique(codes, return_index=True, return_inverse=True)
        found[part] = ~np.isclose(values, values[first][group])
    return found | {"sides": ~np.isclose(values, -values.reshape(-1, 2)[:, ::-1].ravel())}


@cache
def places_of_parts() -> dict[str, set[int]]:
    """The indices of the questions of each part; two parts have no boards of their own."""
    kinds = [kind(board) for board, _ in load(_NAME).once]
    return {part.name: {place for place, name in enumerate(kinds) if name == part.name} for part in parts_of(_NAME)}


def kind(board: Board) -> str:
    """The part a board belongs to: somebody has won, some line holds marks of both sides, or neither."""
    if board.winner:
        return "completed"
    blocked = any("X" in line and "O" in line for line in board.lines)
    return "blocked" if blocked else "counts"
