"""Web pages: one for each student, with a question answered wrongly, and one about the class.

A page loads no files, escapes all text, and runs no script but the one that sorts the class, so nothing that a student
hands in can run in a browser.
"""

import hashlib
import html
import re
from base64 import b64encode
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache, reduce
from pathlib import Path
from statistics import mean, median
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from lab.drawing.cards import prose
from markupsafe import Markup

from exercises.grading.intake.uploads import Submission
from exercises.grading.judging.key import PROBLEM, RIGHT, STATUSES, TWICE, WAITING, WRONG, Grade, parts_of, total
from exercises.grading.people import file_names, visible
from exercises.grading.tables import write
from ttt.board import Board
from ttt.svg import draw

TITLES = {"heuristic_1": "Heuristic 1", "alpha_beta": "Alpha-beta", "interface": "A better interface"}
NEXT = {  # to do after full marks
    "heuristic_1": "Next: change it. “Further”, at the end of the exercise, asks whether it should also block.",
    "alpha_beta": "Next: count what it saves on larger boards, and take it into a third dimension in lesson 09.",
    "interface": "Next: let somebody play on it who has never seen it, and watch without a word.",
}
MOST_LINES, LONGEST_LINE = 200, 200  # lines of code on a page at most, and characters of a line


def pages_of(folder: Path, submissions: Sequence[Submission]) -> dict[str, Path]:
    """The path of each student's page."""
    names = file_names([submission.student for submission in submissions])
    return {student: folder / f"{name}.html" for student, name in names.items()}


def write_pages(
    pages: Mapping[str, Path], grades: Sequence[Grade], submissions: Sequence[Submission], exercise: str
) -> None:
    """Write a page for each student, replacing those of an earlier run. Raises `GradingError`."""
    for folder in {page.parent for page in pages.values()}:
        for old in {*folder.glob("*.html")}.difference(pages.values()):
            with suppress(OSError):  # e.g. a file open in another program
                old.unlink()
    for grade, submission in zip(grades, submissions, strict=True):
        result = result_of(grade, exercise)
        parts = [part for part in parts_of(exercise) if grade.points and (part.points or grade.points[part.name])]
        if grade.lost and grade.score == total(exercise) - sum(points for points, *_ in grade.lost):
            parts = []  # what was lost says it all, unless a person has changed the points
        code = code_of(submission.cells or (), exercise, grade.told)
        done = NEXT[exercise] if grade.status == RIGHT else ""
        name = submission.called or submission.student
        shown = {"student": name, "grade": grade, "parts": parts, "result": result, "code": code, "done": done}
        page = rendered("feedback.html", exercise, **shown)
        write(pages[grade.student], page)


def result_of(grade: Grade, exercise: str) -> str:
    """The result in a few words; if there are no points, what to do, which the grade's reason explains."""
    if grade.score is None:
        again = grade.kept and grade.status in (PROBLEM, TWICE)
        return "Hand in again, because …" if again else "No points yet"
    verdict = "not right yet" if grade.status == WRONG else grade.status
    so_far = " so far" if None in grade.points.values() else " proposed" if grade.status == WAITING else ""
    return f"{grade.score:g} of {total(exercise)} points{so_far}: {verdict}"


def code_of(cells: Sequence[str], function: str, reason: str) -> list[list[tuple[str, bool]]]:
    """The lines of cells that define the function or contain a line of the reason, each marked if it is such a line."""
    named = re.findall(r"\bline (\d+)(?: of `?\w+`?)?: `?([^`]{1,20})", reason)
    told = [(int(number), start.rstrip("”.")) for number, start in named]
    shown = []
    for cell in cells:
        lines = [visible(line.expandtabs()[:LONGEST_LINE]) for line in cell.rstrip().split("\n")]
        marked = [
            any(n == m and line.strip().startswith(start) for m, start in told) for n, line in enumerate(lines, 1)
        ]
        if any(marked) or re.search(rf"^(def {function}\b|{function} *=)", cell, re.MULTILINE):
            shown.append([*zip(lines, marked, strict=True)][:MOST_LINES])
    return shown


def class_page(
    grades: Sequence[Grade],
    exercise: str,
    submissions: Sequence[Submission],
    pages: Mapping[str, Path],
    notes: Sequence[str] = (),
) -> str:
    """The class page as HTML: points, mistakes, and similar submissions."""
    graded = [grade for grade in grades if grade.score is not None]
    scores = [grade.score or 0.0 for grade in graded]
    wrong: defaultdict[str, list[str]] = defaultdict(list)  # the students with each mistake
    for grade in graded:
        if grade.mistake or grade.status == WRONG:
            for mistake in (grade.mistake or "no mistake named").split("; "):
                wrong[mistake].append(grade.student)
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
        parts=[(part, sum(grade.points[part.name] == part.points for grade in graded)) for part in parts_of(exercise)],
        examples=examples_of(wrong, graded, submissions, exercise),
        mistakes=sorted(wrong.items(), key=lambda one: -len(one[1])),
        pages={student: f"feedback/{quote(page.name)}" for student, page in pages.items()},
        same_code=groups_alike({one.student: one.alike for one in submissions}),
        same_answers=groups_alike({grade.student: grade.answers for grade in grades}),
    )


def examples_of(
    wrong: Mapping[str, Sequence[str]], grades: Sequence[Grade], submissions: Sequence[Submission], exercise: str
) -> dict[str, list[list[tuple[str, bool]]]]:
    """The code of the first student with each mistake."""
    cells = {one.student: one.cells for one in submissions}
    reasons = {grade.student: grade.told for grade in grades}
    shown = {name: code_of(cells.get(first) or (), exercise, reasons[first]) for name, (first, *_) in wrong.items()}
    return {name: code for name, code in shown.items() if code}


def groups_alike(digests: Mapping[str, str]) -> list[list[str]]:
    """Groups of students who share a digest, largest first."""
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for student, digest in digests.items():
        groups[digest].append(student)
    groups.pop("", None)
    found = [group for group in groups.values() if len(group) > 1]
    return sorted(found, key=lambda group: -len(group))


@cache
def _templates() -> Environment:
    folder = FileSystemLoader(Path(__file__).with_name("templates"))
    found = Environment(loader=folder, autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined)
    found.filters |= {"image": image_url, "words": words, "minus": minus, "drawn": drawn, "prose": marked_up}
    for name, file in (("style", "page.css"), ("roster", "roster.js")):
        text = found.get_template(file).render()
        digest = b64encode(hashlib.sha256(text.encode()).digest()).decode()
        found.globals |= {name: text, f"{name}_digest": digest}
    return found


def rendered(name: str, title: str = "", **values: object) -> str:
    """Render a template with these values; the title is made from an exercise's name."""
    return _templates().get_template(name).render(values, title=TITLES.get(title, title))


def image_url(svg: str) -> str:
    """A drawing as an image URL."""
    return "data:image/svg+xml;base64," + b64encode(svg.encode()).decode()


def words(svg: str) -> str:
    """A drawing's text: title and description."""
    found = re.findall(r"<(title|desc)[^>]*>(.*?)</\1>", svg, re.DOTALL)
    return ". ".join(html.unescape(text) for _, text in found[:2])


def drawn(told: str) -> tuple[str, str]:
    """A tournament's remark on a player, with a drawing of the board where the player fails or loses."""
    if failed := re.match(r"fails on ([-XO]+ / [-XO]+ / [-XO]+): ", told):
        return f"fails on this board: {told[failed.end() :]}", str(draw(Board.from_text(failed[1].replace("/", ""))))
    if lost := re.fullmatch(r"can lose as [XO] in \d moves: (.*)", told):
        *_, last = cells = [int(cell) for cell in lost[1].split()]
        return told, str(draw(reduce(Board.play, cells, Board()), last=last))
    return told, ""


def marked_up(text: str) -> Markup:
    """A text as HTML, with minus signs, and with code where it has backquotes.

    Quotations may be a student's. They get no minus signs, and their backquotes pair only with each other: if one is
    left over, all of them stay as they are.
    """
    parts = re.split("(`[^`]*`|“[^”]*”)", text)  # our own words alternate with code and quotations
    parts[::2] = map(minus, parts[::2])
    return Markup("".join(html.escape(part) if part.count("`") % 2 else prose(part) for part in parts))


def minus(text: str) -> str:
    """Replace the hyphen before each number by a minus sign."""
    return re.sub(r"(?<![\w-])-(?=\d)", "−", text)
