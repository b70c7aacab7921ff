"""How long the lessons take their readers, as every page tells."""

import re

import pytest
from conftest import ROOT, sampled
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, writes
from times import NOTEBOOKS, SHORT_ROUTE, inside, minutes, pages, told

TOLD = r"(?<=, )\d+(?= min\b| minutes \|)|(?<=\*Time: )\d+|(?<=takes )\d+(?= minutes)|(?<=\d \()\d+(?= minutes\))"
ROW = r"(\.ipynb\).* \| )\d+(?= \| \d+ \|)"


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_tells_the_minutes_that_the_formula_gives(page):
    assert page.read_text("utf-8") == told(page), "`python tests/times.py` writes them"


@pytest.mark.parametrize("page", sampled(pages(), 8), ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_that_tells_other_minutes_gets_those_of_the_formula(page, tmp_path):
    text, other = page.read_text("utf-8"), tmp_path / page.name
    other.write_text(re.sub(ROW, r"\g<1>1", re.sub(TOLD, "1", text)), "utf-8")
    assert other.read_text("utf-8") != text == told(other)


PLAN = (ROOT / "exercises/plan.md").read_text("utf-8")


def test_the_plan_has_the_short_route_in_double_lessons_with_ten_minutes_to_spare():
    rows = re.findall(r"^\| \w+ \| (.* min) \|$", PLAN, re.MULTILINE)
    lessons = [sum(map(int, re.findall(r"(\d+) min", row))) for row in rows]
    assert sum(lessons) == sum(minutes(path)[0] for path in SHORT_ROUTE) and max(lessons) <= 80


def test_the_plan_has_the_minutes_inside_every_notebook():
    named = re.findall(r"^<!-- minutes (\w+) -->$", PLAN, re.MULTILINE)
    assert sorted(named) == sorted(path.stem for path in NOTEBOOKS)


def test_the_minutes_inside_are_told_by_section_and_a_short_one_joins_the_one_before(tmp_path):
    words = [
        ("words", f"## {name}\n{'word ' * number}") for name, number in (("Much", 599), ("Little", 60), ("Further", 1))
    ]
    path = lesson(tmp_path, ("words", "word " * 300), *words, WRITE, ("words", "## More\n" + "word " * 149))
    assert inside(path) == "**5 min:** opening 2 · Much 4 · *Further* 10"


def lesson(folder, *cells):
    path = folder / "00_lesson.ipynb"
    made = [new_markdown_cell(text) if kind == "words" else new_code_cell(text) for kind, text in cells]
    path.write_text(writes(new_notebook(cells=made)), "utf-8")
    return path


WRITE = ("code", "def f(board):\n    ...  # your work")
PLAY = ("code", 'GameBoard("random")')


@pytest.mark.parametrize(
    ("asked", "core", "further"),
    [
        ([("words", "word " * 1500)], 10, 0),
        ([("words", "Lesson **00** [01](01.ipynb) " + "word " * 1500)], 0, 0),  # the row of lessons
        ([("words", "[word](" + "address/" * 1500 + ")")], 0, 0),
        ([("words", "**Why?** " * 20)], 15, 0),
        ([WRITE] * 5, 45, 0),
        ([("code", "def f(board):\n    return ...  # your work: one number")] * 5, 20, 0),
        ([PLAY] * 4, 10, 0),
        ([("code", "1 + 1")] * 20, 10, 0),
        ([*[WRITE] * 5, ("words", "word " * 750 + "\n\n## Further\n\n" + "word " * 1500), *[PLAY] * 4], 50, 20),
    ],
)
def test_minutes_are_those_of_the_words_the_questions_and_the_work_rounded_to_five(tmp_path, asked, core, further):
    assert minutes(lesson(tmp_path, *asked)) == (core, further)
