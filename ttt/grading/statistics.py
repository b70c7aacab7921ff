"""What a class got right and wrong, as a page to look at: `statistics.html`."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import mean, median
from typing import NamedTuple

from ttt.board import Board
from ttt.exercises.answers import Value
from ttt.grading import pages
from ttt.grading.grade import RIGHT, STATUSES, WRONG, PartMarks
from ttt.grading.gradebook import Record, write
from ttt.grading.key import Key

UNNAMED = "no mistake named"
MOST_BOARDS = 6
MOST_BARS = 21  # in the distribution of scores


class Count(NamedTuple):
    """How many of some students something holds for.

    Args:
        kind: "exercise", "status", "score" and "mistake" say how many students have it; "part" says how many have
            earned it, "lost" how many who made a mistake have lost a part, and "board" how many got it wrong.
        name: which exercise, status, score, mistake, part or board.
        part: the part that was lost.
    """

    kind: str
    name: str
    part: str
    students: int
    of: int

    @property
    def share(self) -> float:
        """The share of the students, from 0 to 1."""
        return self.students / self.of if self.of else 0.0


@dataclass(frozen=True)
class Missed:
    """A board that some students got wrong, and the wrong number that was given most often.

    Args:
        words: what else the function was given.
    """

    board: Board
    words: str
    right: Value
    count: Count
    given: float | None
    times: int


# ------------------------------------------------------------------------------------------------- counting


def counted(
    exercise: str, records: Sequence[Record], rubric: Sequence[PartMarks], boards: Sequence[Missed]
) -> list[Count]:
    """All counts, those of the boards last."""
    statuses = Counter(record.status for record in records)
    marked = [record for record in records if record.parts]
    scores = Counter(record.score for record in marked if record.score is not None)
    return [
        Count("exercise", exercise, "", len(records), len(records)),
        *(Count("status", name, "", statuses[name], len(records)) for name in STATUSES if statuses[name]),
        *(Count("score", f"{score:g}", "", scores[score], len(marked)) for score in sorted(scores)),
        *(_earned(n, part, marked) for n, part in enumerate(rubric)),
        *_mistakes(marked, rubric),
        *(missed.count for missed in boards),
    ]


def _earned(n: int, part: PartMarks, marked: Sequence[Record]) -> Count:
    decided = [record.parts[n] for record in marked if record.parts[n].got is not None]
    return Count("part", part.name, "", sum(part.full for part in decided), len(decided))


def _mistakes(marked: Sequence[Record], rubric: Sequence[PartMarks]) -> Iterator[Count]:
    """Each mistake, the most common first, and then for each the parts that it cost."""
    made = defaultdict(list)
    for record in marked:
        if record.misconception or record.status == WRONG:
            made[record.misconception or UNNAMED].append(record)
    mistakes = sorted(made.items(), key=lambda item: -len(item[1]))
    for name, students in mistakes:
        yield Count("mistake", name, "", len(students), len(marked))
    for name, students in mistakes:
        for n, part in enumerate(rubric):
            lost = sum(not record.parts[n].full for record in students)
            yield Count("lost", name, part.name, lost, len(students))


def most_missed(records: Sequence[Record], key: Key | None) -> list[Missed]:
    """The boards of the check, those wrong most often first, counting the students whose code ran.

    Without a key there are none.
    """
    if key is None:
        return []
    ran = [dict(record.wrong) for record in records if record.isolation and (record.wrong or record.status == RIGHT)]
    found = []
    for place in key.cases:
        question = key.questions[place]
        given = Counter(answers[place] for answers in ran if place in answers)
        numbers = Counter({value: times for value, times in given.items() if value is not None})
        value, times = next(iter(numbers.most_common(1)), (None, 0))
        words = key.in_words(question)
        count = Count("board", f"{' '.join(str(question.board).split())}, {words}", "", given.total(), len(ran))
        found.append(Missed(question.board, words, key.answers[place].value, count, value, times))
    return sorted((missed for missed in found if missed.count.students), key=lambda missed: -missed.count.students)


def each_once(boards: Iterable[Missed]) -> list[Missed]:
    """Each board once, as it was asked about where more got it wrong."""
    shown: dict[Board, Missed] = {}
    for missed in boards:
        shown.setdefault(missed.board, missed)
    return list(shown.values())


# ------------------------------------------------------------------------------------------------- the page


def write_page(
    folder: Path,
    counts: Sequence[Count],
    records: Sequence[Record],
    rubric: Sequence[PartMarks],
    boards: Sequence[Missed],
) -> None:
    """Write the page. Raises `GradingError`."""
    scores = [record.score for record in records if record.parts and record.score is not None]
    most = sum(part.most for part in rubric)
    kinds = {kind: [count for count in counts if count.kind == kind] for kind in ("status", "part", "mistake", "lost")}
    page = pages.render(
        "statistics.html",
        title=pages.title(counts[0].name),
        students=len(records),
        most=most,
        mean=mean(scores) if scores else None,
        median=median(scores) if scores else None,
        scores=distribution([count for count in counts if count.kind == "score"], most),
        marked=len(scores),
        titles={part.name: part.title for part in rubric},
        boards=each_once(boards)[:MOST_BOARDS],
        **kinds,
    )
    write(folder / "statistics.html", page)


def distribution(scores: Sequence[Count], most: float) -> list[tuple[str, int]]:
    """How many students have how many points, the most points first.

    A bar is for one point, or for several where there would be too many bars.
    """
    step = math.ceil((most + 1) / MOST_BARS)
    edges = [step * n for n in range(math.floor(most / step) + 2)]
    bars = []
    for low, high in pairwise(edges):
        name = f"{low}" if step == 1 else f"{low}–{high - 1}"
        bars.append((name, sum(count.students for count in scores if low <= float(count.name) < high)))
    return bars[::-1]
