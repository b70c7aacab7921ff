"""The pages about a class, about each student and about a tournament, read as a whole: every word that is on them."""

import base64
import hashlib
import re
from dataclasses import replace
from html import unescape

import pytest

from exercises.grading.intake.uploads import Submission
from exercises.grading.judging.key import Grade, parts_of
from exercises.grading.results import feedback
from ttt import PLAYERS, Board, Player, tournament
from ttt.svg import draw

FULL = {part.name: part.points for part in parts_of("heuristic_1")}
LOST = [
    (4, "Your `x` gives -1.", str(draw(Board().play(4))), ("O is to move.", "It is -2.")),
    (0, "It also waits.", "", ()),
]
TABLE = (("opponent's marks", "0", "1"), ("0 yours", "0", "4, not −3"))
GRADES = [
    Grade("Ann", "right", "Everything is right.", FULL),
    Grade("Bo & Ek", "wrong", "A `<b>` & -1.", FULL | {"counts": 0}, "weights swapped; <i>swapped", LOST, TABLE),
    Grade(
        "Cy", "wrong", "Two.\nLines.", FULL | {"counts": 0, "lines": 1.5, "form": -3}, "weights swapped", comment="<b>."
    ),
    Grade("Di", "graded", points=FULL | {"lines": 1}, by_hand="By hand: -2."),
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
RESULTS = [  # what the page of each says first
    *("✓ 15 of 15 points: right", "✗ 11 of 15 points: not right yet", "✗ 6.5 of 15 points: not right yet"),
    *("13 of 15 points: graded", "12 of 15 points so far: needs a person", "0 of 15 points: not started"),
    *("Hand in again, because …", "Hand in again, because …", "No points yet", "No points yet"),
]


def shown(page):
    """The words of a page, a line for each heading, paragraph and row; ⟨⟩ is a text by somebody else."""
    text = " ".join(page.partition("<main>")[2].partition("</main>")[0].split())
    text = text.replace("<bdi>", "⟨").replace("</bdi>", "⟩")
    text = re.sub(r'<img [^>]*alt="([^"]*)"[^>]*>', r" [\1] ", text)
    text = re.sub(r'<a href="([^"]*)">(.*?)</a>', r"\2(\1)", text)
    text = re.sub(r"</?code>", "`", re.sub(r"</?i>", "*", text))
    text = re.sub(r"\s*</t[dh]>\s*(</tr>)?\s*", lambda end: "\n" if end[1] else " | ", text)
    text = unescape(re.sub(r"<[^>]+>", "", re.sub(r"\s*</(?:h\d|p|li|summary)>\s*", "\n", text)))
    return "\n".join(" ".join(line.split()) for line in text.splitlines() if line.strip())


PAGES = {
    "the class": """
Heuristic 1: the class
Average of 6 students: 9.6 of 15 points
10 students (right: 1, wrong: 2, graded: 1, needs a person: 1, not started: 1, problem: 2, submitted twice: 1, missing: 1). Median: 11.5 points.
Needs a person: ⟨Ed⟩.
Problem: ⟨Gus⟩ (⟨The `file` is empty⟩); ⟨Joe⟩ (⟨The grader failed⟩).
Submitted twice: ⟨Hal⟩.
Not started: ⟨Fay⟩ (⟨As handed out⟩).
Missing: ⟨Ida⟩.
⟨A note on `x`.⟩
⟨−2 & more.⟩
Mistakes
mistake | | students
⟨weights swapped⟩ | | 2
⟨Bo & Ek⟩(feedback/Bo%20_%20Ek-5dd182190f26197a.html), ⟨Cy⟩(feedback/Cy.html) The code of ⟨Bo & Ek⟩
`def heuristic_1(board, player):`
` return 1 # �<b>`
⟨<i>swapped⟩ | | 1
⟨Bo & Ek⟩(feedback/Bo%20_%20Ek-5dd182190f26197a.html) The code of ⟨Bo & Ek⟩
`def heuristic_1(board, player):`
` return 1 # �<b>`
Everybody
Click a heading to sort by it.
name | points | status | mistake, or why not | reviewed
⟨Ann⟩(feedback/Ann.html) | 15 | right | ⟨⟩ |
⟨Bo & Ek⟩(feedback/Bo%20_%20Ek-5dd182190f26197a.html) | 11 | wrong | ⟨weights swapped; <i>swapped⟩ |
⟨Cy⟩(feedback/Cy.html) | 6.5 | wrong | ⟨weights swapped⟩ | reviewed
⟨Di⟩ | 13 | graded | ⟨⟩ | reviewed
⟨Ed⟩ | 12 | needs a person | ⟨⟩ |
⟨Fay⟩ | 0 | not started | ⟨⟩ |
⟨Gus⟩ | | problem | ⟨The `file` is empty.⟩ |
⟨Hal⟩ | | submitted twice | ⟨⟩ |
⟨Ida⟩ | | missing | ⟨⟩ |
⟨Joe⟩ | | problem | ⟨The grader failed.⟩ |
Points
points | | students
⟨15⟩ | | 1
⟨14⟩ | | 0
⟨13⟩ | | 1
⟨12⟩ | | 1
⟨11⟩ | | 1
⟨10⟩ | | 0
⟨9⟩ | | 0
⟨8⟩ | | 0
⟨7⟩ | | 0
⟨6⟩ | | 1
⟨5⟩ | | 0
⟨4⟩ | | 0
⟨3⟩ | | 0
⟨2⟩ | | 0
⟨1⟩ | | 0
⟨0⟩ | | 1
Full marks by part
part | | of 6
⟨the eight lines⟩ | | 2
⟨what one and two marks count⟩ | | 3
⟨blocked lines count nothing⟩ | | 5
⟨completed lines count nothing⟩ | | 5
⟨both points of view⟩ | | 5
⟨the number is returned as it is: not printed, not as text, not in a list⟩ | | 5
⟨the same question always gets the same answer⟩ | | 6
Similar submissions
Worth a look, but not proof: short code for the same task is often similar, and students may have worked together as you allowed. No points depend on this.
The same code except for names and layout
⟨Ann⟩(feedback/Ann.html), ⟨Cy⟩(feedback/Cy.html)
""",  # noqa: E501
    "Ann": """
Heuristic 1: ⟨Ann⟩
✓ 15 of 15 points: right
All of it is right. Well done! Next: change it. “Further”, at the end of the exercise, asks whether it should also block.
⟨Everything is right.⟩
Your points
part | points
✓ the eight lines | 3 of 3
✓ what one and two marks count | 4 of 4
✓ blocked lines count nothing | 3 of 3
✓ completed lines count nothing | 2 of 2
✓ both points of view | 3 of 3
""",  # noqa: E501
    "Bo & Ek": """
Heuristic 1: ⟨Bo & Ek⟩
✗ 11 of 15 points: not right yet
⟨A `<b>` & −1.⟩
Your mistakes in short: ⟨weights swapped; <i>swapped⟩.
What was lost
why, and a board that shows it | points
⟨Your `x` gives −1.⟩ [Tic-tac-toe: O to move. - - - - X - - - -] ⟨O is to move.⟩
⟨It is −2.⟩
| −4
⟨It also waits.⟩ | 0
Your code
`def heuristic_1(board, player):`
` return 1 # �<b>`
How much each kind of line counts in your function
| opponent's marks
| 0 | 1
0 yours | 0 | ✗ 4, not −3
""",
    "Cy": """
Heuristic 1: ⟨Cy⟩
✗ 6.5 of 15 points: not right yet
⟨Two.⟩
⟨Lines.⟩
Your mistake in short: ⟨weights swapped⟩.
From your instructor: ⟨<b>.⟩
Your points
part | points
✗ the eight lines | 1.5 of 3
✗ what one and two marks count | 0 of 4
✓ blocked lines count nothing | 3 of 3
✓ completed lines count nothing | 2 of 2
✓ both points of view | 3 of 3
✗ the number is returned as it is: not printed, not as text, not in a list | −3
""",
    "Ed": """
Heuristic 1: ⟨Ed⟩
12 of 15 points so far: needs a person
⟨It waits.⟩
Your points
part | points
… the eight lines | not yet marked (out of 3)
✓ what one and two marks count | 4 of 4
✓ blocked lines count nothing | 3 of 3
✓ completed lines count nothing | 2 of 2
✓ both points of view | 3 of 3
""",
}
TOURNAMENT = """
The tournament
Everybody plays everybody, as X and as O. A win gives 1 point, a draw half a point and a loss none. Results are shares: a player with 75.0 % wins three quarters of the points in its games. A player that never loses isn't always first, because another may beat weak players more often. Players in *italics* belong to the lab.
player | share of the points | quickest loss
*perfect* | 96.8 % | ⟨never loses⟩
⟨last <i>⟩ | 31.5 % | ⟨can lose as O in 5 moves: 0 8 1 7 2⟩ [Tic-tac-toe: X has won. X X X - - - - O O]
*random* | 21.7 % | ⟨can lose as O in 5 moves: 0 1 3 2 6⟩ [Tic-tac-toe: X has won. X O O X - - X - -]
Each player as X against each as O: X's share
| *perfect* | ⟨last <i>⟩ | *random*
*perfect* | | 100.0 % | 98.4 %
⟨last <i>⟩ | 0.0 % | | 80.2 %
*random* | 11.1 % | 54.1 % |
⟨A note on `<b>`.⟩
⟨−2 & more.⟩
"""  # noqa: E501


@pytest.fixture
def pages(tmp_path):
    """The pages of the students, by name, and of the class."""
    names = feedback.pages_of(tmp_path / "feedback", HANDED_IN)
    feedback.write_pages(names, GRADES, HANDED_IN, "heuristic_1")
    links = {name: page for name, page in names.items() if name in ("Ann", "Bo & Ek", "Cy")}
    together = feedback.class_page(GRADES, "heuristic_1", HANDED_IN, links, ["A note on `x`.", "-2 & more."])
    return {name: page.read_text() for name, page in names.items()} | {"the class": together}


@pytest.mark.parametrize("name", PAGES)
def test_a_page_says_this_and_nothing_else(name, pages):
    assert shown(pages[name]) == PAGES[name].strip()


def test_the_page_of_a_tournament_says_this_and_nothing_else():
    last = Player("last <i>", lambda board: board.moves[-1])
    results = tournament(["random", last, "perfect"], notes=["A note on `<b>`.", "-2 & more."])
    assert shown(feedback.rendered("tournament.html", results=results, lab=PLAYERS)) == TOURNAMENT.strip()


@pytest.mark.parametrize(
    ("grades", "lines"),
    [
        ([GRADES[8]], ["Nobody has any points yet.", "1 student (missing: 1)."]),
        ([GRADES[0], GRADES[6]], ["Average of 1 student: 15.0 of 15 points", "No mistakes were found."]),
        (
            [GRADES[0]] * 2 + GRADES[3:4],
            ["3 students (right: 2, graded: 1). Median: 15 points."],
        ),
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


@pytest.mark.parametrize(("grade", "result"), [*zip(GRADES, RESULTS, strict=True)], ids=RESULTS)
def test_a_page_says_first_what_came_out_and_what_to_do(grade, result, pages):
    assert shown(pages[grade.student]).splitlines()[1] == result
    proposed = replace(GRADES[4], points=FULL)
    assert feedback.result_of(proposed, "heuristic_1") == "15 of 15 points proposed: needs a person"


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
