"""The pages about a class, about each student and about a tournament, read as a whole: every word that is on them."""

import base64
import hashlib
import re
from dataclasses import replace
from pathlib import Path

import pytest
from approved import all_approved, approved
from page_words import shown

from exercises.grading.intake.uploads import Submission
from exercises.grading.judging.key import EXERCISES, Grade, parts_of
from exercises.grading.results import feedback
from ttt import PLAYERS, Board, Player, tournament
from ttt.svg import draw

SAID = Path(__file__).with_name("said")
FULL = {part.name: part.points for part in parts_of("heuristic_1")}
LOST = [
    (4, "Your `x` gives -1.", str(draw(Board().play(4))), ("O is to move.", "It is -2.")),
    (0, "It also waits.", "", ()),
]
CHANGED = [(-1, "More for the lines.", "", ())]
TABLE = (("player's marks", "0", "1"), ("0", "0", "4, not −3"))
GRADES = [
    Grade("Ann", "right", "Everything is right.", FULL),
    Grade("Bo & Ek", "wrong", "A `<b>` & -1.", FULL | {"counts": 0}, "weights swapped; <i>swapped", LOST, TABLE),
    Grade(
        "Cy", "wrong", "Two.\nLines.", FULL | {"counts": 1, "lines": 1.5, "form": -3}, "weights swapped", comment="<b>."
    ),
    Grade("Di", "graded", points=FULL | {"lines": 1}, by_hand="By hand: -2.", lost=CHANGED),
    Grade("Ed", "needs a person", "It waits.", FULL | {"lines": None}),
    Grade("Fay", "not started", "As handed out.", dict.fromkeys(FULL, 0)),
    Grade("Gus", "problem", "The `file` is empty."),
    Grade("Hal", "submitted twice"),
    Grade("Ida", "missing"),
    Grade("Joe", "problem", "The grader failed.", kept=False),
]
CODE = "def heuristic_1(board, player):\n    return 1  # \u202e<b>"
ALIKE = {"Ann": "1", "Cy": "1", "Di": "2"}
HANDED_IN = [
    Submission(one.student, cells=(CODE,) * (one.student == "Bo & Ek"), alike=ALIKE.get(one.student, ""))
    for one in GRADES
]


@pytest.fixture
def pages(tmp_path):
    """The pages of the students, by name, and of the class."""
    names = feedback.pages_of(tmp_path / "feedback", HANDED_IN)
    feedback.write_pages(names, GRADES, HANDED_IN, "heuristic_1")
    links = {name: page for name, page in names.items() if name in ("Ann", "Bo & Ek", "Cy")}
    together = feedback.class_page(GRADES, "heuristic_1", HANDED_IN, links, ["A note on `x`.", "-2 & more."])
    return {name: page.read_text() for name, page in names.items()} | {"the class": together}


def test_the_pages_say_this_and_nothing_else(pages):
    sheet = {"in sheets": "\n\n".join(f"{one.student}: {one.told}" for one in GRADES if one.told)}
    assert all_approved(SAID / "pages.txt", {name: shown(page) for name, page in pages.items()} | sheet)


@pytest.mark.parametrize("exercise", EXERCISES)
def test_the_page_of_a_right_submission_says_what_is_next(exercise, tmp_path):
    right = Grade("Ann", "right", points={part.name: part.points for part in parts_of(exercise)})
    feedback.write_pages({"Ann": tmp_path / "a"}, [right], [Submission("Ann", called="Ann Lee")], exercise)
    assert approved(SAID / "next.txt", exercise, shown((tmp_path / "a").read_text()))


def test_the_page_of_a_tournament_says_this_and_nothing_else():
    last = Player("last <i>", lambda board: board.moves[-1])
    results = tournament(["random", last, "perfect"], notes=["A note on `<b>`.", "-2 & more."])
    told = shown(feedback.rendered("tournament.html", results=results, lab=PLAYERS))
    assert all_approved(SAID / "tournament.txt", {"the page": told})


@pytest.mark.parametrize(
    ("grades", "lines"),
    [
        ([GRADES[8]], ["Nobody has any points yet.", "1 student (missing: 1)."]),
        ([GRADES[0], GRADES[6]], ["Average of 1 student: 15.0 of 15 points", "No mistakes were found."]),
        ([GRADES[0]] * 2 + GRADES[3:4], ["3 students (right: 2, graded: 1). Median: 15 points."]),
        ([GRADES[3]], ["No mistake was named, but not everybody has all points."]),
        ([Grade("Jo", "wrong", points=FULL | {"lines": 0})], ["⟨no mistake named⟩ | | 1"]),
        (
            [replace(one, answers="same") for one in GRADES[1:3]],
            ["⟨Bo & Ek⟩, ⟨Cy⟩", "The same wrong answers that no known mistake explains"],
        ),
    ],
)
def test_the_class_page_says_of_how_many_its_figures_are(grades, lines):
    text = shown(feedback.class_page(grades, "heuristic_1", [], {})).splitlines()
    assert {*lines} <= {*text}


def test_the_class_page_names_those_whose_files_have_the_same_problem_together_and_shortens_the_reason():
    long = "“A”: " + "the code contains invalid characters" + " in it" * 30
    files = {"Ann": "The file is `empty`.", "Bo": long, "Cy": "The file is `empty`."}
    text = shown(feedback.class_page([Grade(one, "problem", files[one]) for one in files], "heuristic_1", [], {}))
    top, roster = text.split("Everybody")
    assert re.search(r"(?m)^Problem: ⟨Ann⟩, ⟨Cy⟩ \(⟨The file is `empty`⟩\); ⟨Bo⟩ \(⟨“A”: the code .{,60}…⟩\)\.$", top)
    assert f"⟨{long}⟩" in roster


def test_points_that_are_proposed_are_called_so():
    result = feedback.result_of(replace(GRADES[4], points=FULL), "heuristic_1")
    assert result == "15 of 15 points proposed: needs a person"


def test_the_largest_group_that_is_alike_comes_first():
    digests = dict(zip("abcdefg", ("1", "2", "1", "2", "2", "", ""), strict=True))
    assert feedback.groups_alike(digests) == [["b", "d", "e"], ["a", "c"]]


def test_pages_of_an_earlier_run_go(tmp_path):
    for some in (HANDED_IN, HANDED_IN[1:]):
        names = feedback.pages_of(tmp_path, some)
        feedback.write_pages(names, GRADES[-len(some) :], some, "heuristic_1")
        assert {*tmp_path.iterdir()} == {*names.values()}


def test_only_the_class_page_has_a_script_and_it_is_the_one_that_its_policy_allows(pages):
    (script,) = re.findall(r"<script>(.*?)</script>", pages.pop("the class"), re.DOTALL)
    assert not any("<script" in page for page in pages.values())
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in feedback.class_page(GRADES, "heuristic_1", [], {})


@pytest.mark.browser
def test_a_click_on_a_heading_sorts_the_class_by_it_and_another_one_the_other_way_round(page):
    """Points are sorted as numbers."""
    from playwright.sync_api import expect

    points = {"Ann": 9, "bo": 15, "Cy": 2.5}
    grades = [Grade(name, "graded", points=FULL | {"lines": mark - 12}) for name, mark in points.items()]
    page.set_content(feedback.class_page(grades, "heuristic_1", [], {}))
    rows = page.locator(".roster tbody th")
    for head, names in {"points": ["Cy", "Ann", "bo"], "name": ["Ann", "bo", "Cy"]}.items():
        for direction in ("ascending", "descending"):
            page.get_by_role("button", name=head).click()
            expect(rows).to_have_text(names if direction == "ascending" else names[::-1])
            expect(page.locator("th[aria-sort]")).to_have_attribute("aria-sort", direction)


def test_each_line_that_a_reason_names_is_marked_in_the_cell_that_has_it():
    cells = ("total = 0", "def heuristic_1(board, player):\n    return total", "print(1)")
    told = "`total` is outside your function (code cell 1, line 1: `total = 0`), in line 2: `return total`."
    assert feedback.code_of(cells, "heuristic_1", told) == [
        [("total = 0", True)],
        [("def heuristic_1(board, player):", False), ("    return total", True)],
    ]


WORDS = {  # a message, and how a page shows it
    "Write `return a < b`, not `-1`: -2 < 3.": "Write <code>return a &lt; b</code>, not <code>-1</code>: −2 &lt; 3.",
    "It said: “one ` <b>”. Write `x` and `y`.": "It said: “one ` &lt;b&gt;”. Write <code>x</code> and <code>y</code>.",
    "It said: “return `<b>` -1”. It is -1.": "It said: “return <code>&lt;b&gt;</code> -1”. It is −1.",
    "“a `”, `code`, “b `”": "“a `”, <code>code</code>, “b `”",
}


@pytest.mark.parametrize("told, shown", WORDS.items())
def test_pages_show_code_as_code_and_pair_no_backquote_of_a_student_with_ours(told, shown):
    assert feedback.marked_up(told) == shown


def test_a_page_shows_the_right_board_of_a_player_that_fails_or_loses():
    failed, lost = "fails on O-- / -X- / ---: mine gave no answer.", "can lose as O in 5 moves: 0 4 3 1 6"
    board = str(draw(Board.from_text("O-- -X- ---")))
    assert feedback.drawn(failed) == ("fails on this board: mine gave no answer.", board)
    assert feedback.drawn(lost) == (lost, str(draw(Board.from_text("XO- XO- X--"), last=6)))
    assert feedback.drawn("never loses") == ("never loses", "")
