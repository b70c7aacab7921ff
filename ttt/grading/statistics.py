"""What a class got right and wrong, as a page to look at and as a table: `statistics.html` and `statistics.csv`.

The counts of students on the page are all in the table, so that a later run can be compared with it.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import mean, median
from typing import NamedTuple

from ttt.board import Board
from ttt.exercises.answers import Value
from ttt.grading import pages
from ttt.grading.grade import RIGHT, STATUSES, WRONG, GradingError, PartMarks
from ttt.grading.gradebook import Record, write, write_table
from ttt.grading.key import Key
from ttt.grading.roster import plain
from ttt.grading.sheet import Sheet
from ttt.store import unescape_formula

TABLE = "statistics.csv"
UNNAMED = "no mistake named"
MOST_BOARDS = 6
MOST_BARS = 21  # in the distribution of scores
MOST_CHANGES = 50


class Count(NamedTuple):
    """How many of some students something holds for; a row of the table.

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


@dataclass(frozen=True)
class Earlier:
    """An earlier run's shares by kind, name and part, and its students' scores."""

    folder: str
    shares: dict[tuple[str, str, str], float]
    scores: dict[str, float]


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


# ------------------------------------------------------------------------------------------------- an earlier run


def load(folder: Path, exercise: str) -> Earlier:
    """What an earlier run wrote into its folder. Raises `GradingError` if that was another exercise, or is missing."""
    if not (folder / TABLE).exists():
        raise GradingError(f"{folder} has no {TABLE} to compare with: run its grading again, or choose another folder.")
    rows = Sheet.read(folder / TABLE).cells(*Count._fields)
    try:
        found = [Count(kind, unescape_formula(name), part, int(n), int(of)) for kind, name, part, n, of in rows]
        scores = Sheet.read(folder / "grades.csv").cells("student", "score")
        by_student = {unescape_formula(student): float(score) for student, score in scores if score}
    except ValueError as error:
        raise GradingError(f"The tables in {folder} are damaged: {error}. Run its grading again.") from None
    exercises = [count.name for count in found if count.kind == "exercise"]
    if exercises != [exercise]:
        raise GradingError(f"{folder} has the results of {', '.join(exercises) or 'no exercise'}, not of {exercise}.")
    shares = {(count.kind, count.name, count.part): count.share for count in found}
    return Earlier(plain(str(folder)), shares, by_student)


def changes(records: Iterable[Record], earlier: Earlier) -> list[tuple[str, float, float]]:
    """The students whose score is not what it was, with both scores."""
    both = [(record.student, earlier.scores.get(record.student), record.score) for record in records]
    return [(student, old, new) for student, old, new in both if old is not None and new is not None and old != new]


# ------------------------------------------------------------------------------------------------- the files


def write_files(
    folder: Path,
    counts: Sequence[Count],
    records: Sequence[Record],
    rubric: Sequence[PartMarks],
    boards: Sequence[Missed],
    earlier: Earlier | None = None,
) -> None:
    """Write the table and the page. Raises `GradingError`."""
    write_table(folder / TABLE, Count._fields, counts)
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
        scores=distribution([count for count in counts if count.kind == "score"], most, earlier),
        marked=len(scores),
        titles={part.name: part.title for part in rubric},
        boards=each_once(boards)[:MOST_BOARDS],
        earlier=earlier,
        was=earlier.shares if earlier else {},
        changes=changes(records, earlier) if earlier else [],
        most_changes=MOST_CHANGES,
        **kinds,
    )
    write(folder / "statistics.html", page)


def distribution(
    scores: Sequence[Count], most: float, earlier: Earlier | None = None
) -> list[tuple[str, int, float | None]]:
    """How many students have how many points, the most points first, and the earlier share of students.

    A bar is for one point, or for several where there would be too many bars.
    """
    step = math.ceil((most + 1) / MOST_BARS)
    edges = [step * n for n in range(math.floor(most / step) + 2)]
    before = _earlier_scores(earlier.shares) if earlier else []
    bars = []
    for low, high in pairwise(edges):
        name = f"{low}" if step == 1 else f"{low}–{high - 1}"
        students = sum(count.students for count in scores if low <= float(count.name) < high)
        share = sum(share for score, share in before if low <= score < high) if earlier else None
        bars.append((name, students, share))
    return bars[::-1]


def _earlier_scores(shares: Mapping[tuple[str, str, str], float]) -> list[tuple[float, float]]:
    return [(float(name), share) for (kind, name, _), share in shares.items() if kind == "score"]
