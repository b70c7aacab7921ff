"""Pages for browsers: one for each student, with a question that came out wrong, and one on the class.

A page has no scripts, loads no files, and escapes all text: nothing a student has handed in can act in a browser.
"""

import hashlib
import html
import re
from base64 import b64encode
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from statistics import mean, median

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from exercises.grading.key import INTERFACE, STATUSES, WRONG, Grade, key, parts_of, total
from exercises.grading.people import file_names
from exercises.grading.tables import write
from exercises.grading.uploads import Submission
from ttt.board import Board
from ttt.checks.checking import described_question
from ttt.drawing.svg import draw

MOST_BOARDS = 6


def write_pages(folder: Path, grades: Sequence[Grade], exercise: str) -> dict[str, Path]:
    """Write a page for each student, in place of an earlier run's; returns the pages. Raises `GradingError`."""
    pages = {student: folder / f"{name}.html" for student, name in file_names([one.student for one in grades]).items()}
    for old in {*folder.glob("*.html")}.difference(pages.values()):
        with suppress(OSError):  # such as one that is open in another program
            old.unlink()
    for grade in grades:
        result = f"Not graded: {grade.status}"
        if grade.score is not None:
            verdict = "not right yet" if grade.status == WRONG else grade.status
            so_far = " so far" if None in grade.marks.values() else ""
            result = f"{grade.score:g} of {total(exercise)} marks{so_far}: {verdict}"
        parts = parts_of(exercise) if grade.marks else ()
        write(pages[grade.student], rendered("feedback.html", exercise, grade=grade, parts=parts, result=result))
    return pages


def class_page(
    grades: Sequence[Grade], exercise: str, seed: str, submissions: Sequence[Submission], notes: Sequence[str] = ()
) -> str:
    """The page on the class, as HTML: who got what, what went wrong, and what is alike."""
    marked = [grade for grade in grades if grade.score is not None]
    scores = [grade.score or 0.0 for grade in marked]
    wrong = [grade.mistake or "no mistake named" for grade in marked if grade.mistake or grade.status == WRONG]
    times = Counter(map(int, scores))
    return rendered(
        "class.html",
        exercise,
        grades=grades,
        notes=notes,
        statuses=Counter(sorted((grade.status for grade in grades), key=STATUSES.index)).items(),
        most=total(exercise),
        mean=mean(scores) if scores else None,
        median=median(scores) if scores else None,
        scores=[(n, times[n]) for n in range(total(exercise), -1, -1)],
        parts=[(part, sum(grade.marks[part.name] == part.marks for grade in marked)) for part in parts_of(exercise)],
        mistakes=Counter(wrong).most_common(),
        boards=boards_most_often_wrong(marked, exercise, seed),
        same_code=alike({one.student: one.alike for one in submissions}),
        same_answers=alike({grade.student: grade.answers for grade in grades}),
    )


def alike(digests: Mapping[str, str]) -> list[list[str]]:
    """The students who have a digest in common, the largest group first."""
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for student, digest in sorted(digests.items()):
        groups[digest].append(student)
    groups.pop("", None)
    return sorted((group for group in groups.values() if len(group) > 1), key=lambda group: (-len(group), group))


def boards_most_often_wrong(grades: Sequence[Grade], exercise: str, seed: str) -> list[tuple[str, str, int]]:
    """The boards that most students got wrong: a drawing, how they were asked about, and the number of students."""
    if exercise == INTERFACE:
        return []
    asked = key(exercise, seed).exercise
    students: defaultdict[Board, set[str]] = defaultdict(set)
    places: defaultdict[Board, set[int]] = defaultdict(set)
    for grade in grades:
        for place in grade.wrong:
            board = asked.questions[place][0]
            students[board].add(grade.student)
            places[board].add(place)
    found = []
    for board in sorted(students, key=lambda board: (-len(students[board]), min(places[board])))[:MOST_BOARDS]:
        first, *others = dict.fromkeys(described_question(asked, place) for place in sorted(places[board]))
        words = " and ".join([first, *(way.partition(", ")[2] for way in others)])
        found.append((str(draw(board)), words, len(students[board])))
    return found


@cache
def _templates() -> Environment:
    folder = FileSystemLoader(Path(__file__).with_name("templates"))
    found = Environment(loader=folder, autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined)
    found.filters |= {"image": image, "words": words, "minus": minus}
    style = found.get_template("page.css").render()
    digest = b64encode(hashlib.sha256(style.encode()).digest()).decode()
    found.globals |= {"style": style, "digest": digest}
    return found


def rendered(name: str, title: str = "", **values: object) -> str:
    """The text of a template with these values; the title is an exercise's name."""
    return _templates().get_template(name).render(values, title=title.replace("_", " ").capitalize())


def image(svg: str) -> str:
    """A drawing as the address of an image."""
    return "data:image/svg+xml;base64," + b64encode(svg.encode()).decode()


def words(svg: str) -> str:
    """What a drawing says in words: its title and its description."""
    found = re.findall(r"<(title|desc)[^>]*>(.*?)</\1>", svg, re.DOTALL)
    return ". ".join(html.unescape(text) for _, text in found[:2])


def minus(text: str) -> str:
    """A text with the minus sign in place of each hyphen before a number."""
    return re.sub(r"(?<![\w-])-(?=\d)", "−", text)
