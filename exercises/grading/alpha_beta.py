"""The key to the exercise alpha-beta, which is in `lab/checks/alpha_beta.toml`: its points, by what is right.

The worth that the function gives a win is measured on boards where only one result is possible, and everything but the
ends is judged by that worth. Both fail-hard and fail-soft are right.
"""

from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from itertools import groupby
from math import isclose
from random import Random
from statistics import fmean

from lab.checks.calling import Answer, Question, Value
from lab.checks.exercise import Exercise, function
from lab.checks.graded import answered, forms, load, questions
from lab.checks.search_trace import WIN
from lab.checks.verdict import Verdict

from exercises.grading.alpha_beta_questions import (
    Group,
    PointQuestion,
    WinWorth,
    boards_due,
    items,
    leaves,
    right_answer,
    search_with,
    thousand,
)
from exercises.grading.alpha_beta_words import told
from exercises.grading.key import Earned, Key, parts_of
from ttt.board import Board

_NAME = "alpha_beta"
AHEAD = ("one", "deeper")  # the parts with values ahead where no game ends
NEARLY = 0.75  # of a group's questions right: half of its share, in the parts ahead
ON_3X3 = 0.6  # how much of a part its groups on 3×3 are worth
FULL, HALF = 0.6, 0.25  # of the boards that alpha-beta saves: all points for cuts, and half of them

Shares = dict[Group, float]  # how much of its share each group of a part earns, from 0 to 1


@cache
def make_key(seed: str = "") -> Key:
    """Build the key; the seed draws the questions students don't have."""
    exercise = load(_NAME)
    small, deep = questions(Random(f"{_NAME} {seed}"))
    fresh = [*small[::2], *deep, *(item.question for item in items(seed))]
    more = answered(function(_NAME, forms(_NAME)[0]), fresh)
    return Key(replace(exercise, cases=(*exercise.cases, *more)), partial(_points, items(seed)))


def _points(given: Sequence[PointQuestion], exercise: Exercise, answers: Sequence[Answer], _verdict: Verdict) -> Earned:
    """The points by part, in proportion to what is right, and a sentence for each part that lost some."""
    first = len(exercise.cases) - len(given)
    mine = [*answers[first : len(exercise.cases)], *[Answer()] * len(given)][: len(given)]
    judged = Judged(given, mine)
    most = {part.name: part.points for part in parts_of(_NAME) if part.points}
    earned = {part: in_halves(points * mean(judged.shares[part]), points) for part, points in most.items()}
    lost: defaultdict[str, float] = defaultdict(float)
    for part, words in told(judged, earned, most).items() if any(earned.values()) else ():
        lost[words] += most[part] - earned[part]
    sentences = [f"{words} (−{number:g})" for words, number in lost.items()]
    if earned == most and (wrong := exercise.wrong(answers[:first])):  # the groups happen to miss this mistake
        earned["order"] -= 1
        sentences = [f"Your function is wrong on {len(wrong)} of {first} other questions. (−1)"]
    return Earned(earned, sentences, "another worth for a win" if judged.other_worth else "")


def mean(shares: Shares) -> float:
    """The share of a part that is earned: its groups on 3×3 count three fifths together, and the others the rest."""
    small = [share for group, share in shares.items() if group.shape == "3×3"]
    larger = [share for group, share in shares.items() if group.shape != "3×3"]
    return ON_3X3 * fmean(small) + (1 - ON_3X3) * fmean(larger)


def in_halves(points: float, most: int) -> float:
    """The points to the nearest half, but not all of them if something was lost."""
    return most if points == most else min(int(2 * points + 0.5) / 2, most - 0.5)


def near(value: Value, other: float) -> bool:
    """Whether a function returned this number, but for rounding."""
    return isinstance(value, int | float) and (value == other or isclose(value, other, rel_tol=1e-9))


def value_of(answer: Answer) -> Value:
    """The number a function returned, infinity and very large ones, too."""
    if answer.value is None and answer.fault in ("no number", "number too large"):
        with suppress(ValueError):
            return float(answer.words.strip("“”").replace("−", "-").removeprefix("np.float64(").rstrip(")"))
    return answer.value


@dataclass(frozen=True)
class Judged:
    """A function's answers to the items, and what is right in them."""

    items: Sequence[PointQuestion]
    answers: Sequence[Answer]

    @cached_property
    def values(self) -> list[Value]:
        """The numbers that were returned."""
        return [value_of(answer) for answer in self.answers]

    def places(self, *parts: str) -> list[int]:
        """The indices of the items of these parts."""
        return [place for place, item in enumerate(self.items) if item.part in parts]

    @cached_property
    def worths(self) -> dict[tuple[int, int], list[float]]:
        """What a win was worth to its winner where nothing else could happen, by plies from the root and plies left."""
        found = defaultdict(list)
        for item, value in zip(self.items, self.values, strict=True):
            if item.winner and item.part and isinstance(value, int | float):
                board, depth, _ = item.question
                found[item.ply, depth - item.ply].append(value if item.winner == board.turn else -value)
        return dict(found)

    @cached_property
    def other_worth(self) -> bool:
        """Whether each win is worth something to its winner, but not always 1,000."""
        all_worths = [worth for some in self.worths.values() for worth in some]
        return all(worth > 0 for worth in all_worths) and not all(near(worth, WIN) for worth in all_worths)

    @cached_property
    def measured(self) -> list[WinWorth]:
        """The worths of a win that these answers may follow: 1,000, by plies, or by the final board."""
        by_ply = {plies: some[0] for plies, some in self.worths.items()}
        boards = {
            item.question[:2]: -value
            for item, value in zip(self.items, self.values, strict=True)
            if not item.part and isinstance(value, int | float)
        }

        def by_board(end: Board, _ply: int, left: int) -> float:
            return boards.get((end, left), WIN)

        others = [lambda _end, ply, left: by_ply.get((ply, left), WIN), by_board]
        return [thousand, *others] if self.other_worth else [thousand]

    @cached_property
    def right(self) -> list[bool]:
        """Whether each value is right. Where some games end, the worth that fits best decides."""
        found = [near(value, right_answer(one.question)[0]) for one, value in zip(self.items, self.values, strict=True)]
        mixed = self.places("mixed")
        fits = [
            [near(self.values[n], search_with(self.items[n].question, worth)[0]) for n in mixed]
            for worth in self.measured
        ]
        for place, fine in zip(mixed, max(fits, key=sum), strict=True):
            found[place] = fine
        return found

    def calls(self, place: int) -> list[str]:
        """The boards the heuristic was asked about, in order."""
        return [call[:-1] for call in self.answers[place].asked]

    def grouped(self, part: str) -> dict[Group, list[int]]:
        """The indices of a part's items, by group."""
        found = defaultdict(list)
        for place in self.places(part):
            found[self.items[place].group].append(place)
        return found

    @cached_property
    def shares(self) -> dict[str, Shares]:
        """How much of each part is earned, by group."""
        found: dict[str, Shares] = defaultdict(dict)
        for part in dict.fromkeys(item.part for item in self.items if item.part):
            for group, places in self.grouped(part).items():
                share = sum(self.right[place] for place in places) / len(places)
                found[part][group] = 1 if share == 1 else 0.5 if share >= NEARLY and part in AHEAD else 0
                if part in AHEAD:
                    found["asked"][group] = all(map(self._asks_well, places))
                if part == "deeper":
                    found["order"][group] = all(self.calls(n) == boards_due(self.items[n].question) for n in places)
        if self.other_worth:
            found |= {part: dict.fromkeys(found[part], 0) for part in ("over", "ends")}
        level = 1 if self.saved >= FULL else 0.5 if self.saved >= HALF else 0
        found["cuts"] = {group: level * (share == 1) for group, share in found["deeper"].items()}
        return found

    @cached_property
    def saved(self) -> float:
        """The share of the boards that alpha-beta saves which the function saves, where its values are right."""
        shares = []
        for places in self.grouped("deeper").values():
            if all(self.right[place] for place in places):
                some = [place for place in places if " to 99" in self.items[place].question[2]]
                shares.append(sum(map(self._saved, some)) / sum(most_saved(self.items[n].question) for n in some))
        return sum(shares) / len(shares) if shares else 0

    def _asks_well(self, place: int) -> bool:
        """Whether the heuristic is asked, only for the side to move at the root, and only at the given depth."""
        (board, depth, _), calls = self.items[place].question, self.answers[place].asked
        plies = {len(board.moves) - call.count("-") for call in calls}
        return {call[-1] for call in calls} == {board.turn} and plies == {depth}

    def _saved(self, place: int) -> int:
        question = self.items[place].question
        asked = len([*groupby(self.calls(place))])  # asking twice in a row is no board more
        return max(0, leaves(*question[:2]) - max(asked, len(boards_due(question))))


def most_saved(question: Question) -> int:
    """How many boards alpha-beta saves of those minimax asks about."""
    return leaves(*question[:2]) - len(boards_due(question))
