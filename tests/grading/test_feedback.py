"""The feedback pages: what a student reads, and that nothing on them can act."""

import base64
import hashlib
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from ttt import Board, svg
from ttt.grading.feedback import page, write_pages
from ttt.grading.grade import Case, PartMarks
from ttt.grading.gradebook import Record
from ttt.grading.roster import file_names

BOARD = Board.from_text("XO- -X- ---")
ANN = Record(
    "Ann",
    "wrong",
    "You count lines that hold marks of both sides.",
    9.5,
    15,
    misconception="blocked lines counted",
    parts=(PartMarks("singles", "single marks", 2, 2), PartMarks("blocked", "blocked lines", 0, 3)),
    example=Case(BOARD, "O", -4, "7"),
)
NASTY = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>&\u202egnp.exe</bdi></title>"


class Tags(HTMLParser):
    """All tags of a page with their attributes, and its text."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.text = [], ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.text += data


def test_the_page_has_the_score_the_mistake_the_parts_and_both_values():
    text = Tags(page(ANN, "heuristic_1")).text
    assert "9.5 of 15 marks: not right yet" in text
    for said in ("Heuristic 1: Ann", "hold marks of both sides", "blocked lines counted"):
        assert said in text
    assert "✓ single marks2 of 2" in text and "✗ blocked lines0 of 3" in text and "1 of 2 parts are right" in text
    assert "from O’s side" in text and "returned7therightvalueis−4" in re.sub(r"\s", "", text)


def test_a_persons_comment_is_told_and_what_a_person_must_mark_is_open():
    parts = (*ANN.parts, PartMarks("c", "(c) it is better", None, 4))
    text = Tags(page(replace(ANN, parts=parts, comment="Come and see me."), "interface")).text
    assert "From your instructor: Come and see me." in text and "… (c) it is betternot yet marked, of 4" in text


def test_the_board_is_drawn_with_its_text_inside():
    text = page(ANN, "heuristic_1")
    drawing = Tags(text[text.index("<svg") : text.index("</svg>")])
    assert "X O 2\n3 X 5\n6 7 8" in drawing.text and svg.draw(BOARD).body in text
    assert drawing.tags[0][1]["role"] == "img" and [tag for tag, _ in drawing.tags].count("svg") == 1


def test_the_page_shows_the_lines_that_count_as_the_check_does():
    drawings = (("O", "lines of O alone", ((2, 5, 8),)), ("X", "lines of X alone", ((0, 3, 6), (3, 4, 5))))
    case = replace(ANN.example, explanation="The lines that count: one line with just one O.", drawings=drawings)
    text = page(replace(ANN, example=case), "heuristic_1")
    assert "The lines that count: one line with just one O." in Tags(text).text
    assert text.count('class="line"') == 3 and "lines of O alone" in text and "lines of X alone" in text


def test_a_board_of_layers_is_drawn_with_their_names():
    cube = replace(ANN, example=replace(ANN.example, board=Board(shape=(4, 4, 4)).play(63)))
    assert all(f"layer {n}" in Tags(page(cube, "heuristic_1")).text for n in (1, 2, 3, 4))


def test_a_student_who_was_not_graded_has_a_page_that_says_so():
    text = Tags(page(Record("Ann", "missing", "Nothing was handed in.", None, 15), "heuristic_1")).text
    assert "Not graded: missing" in text and "of 15" not in text


@pytest.mark.parametrize("field", ["student", "status", "reason", "misconception", "comment", "given", "parts"])
def test_nothing_from_a_student_becomes_markup(field):
    changed = {
        "given": {"example": replace(ANN.example, given=NASTY)},
        "parts": {"parts": (PartMarks("nasty", NASTY, 1, 1),)},
    }.get(field, {field: NASTY})
    clean, nasty = (
        Tags(page(replace(ANN, comment="Ask me."), "heuristic_1")),
        Tags(page(replace(ANN, **changed), "heuristic_1")),
    )
    assert {tag for tag, _ in nasty.tags} <= {tag for tag, _ in clean.tags}
    assert NASTY in nasty.text
    assert not any(name.startswith("on") for _, attributes in nasty.tags for name in attributes)


def test_the_page_allows_itself_nothing_but_its_own_style_and_pictures():
    text = page(ANN, "heuristic_1")
    style = re.search("<style>(.*?)</style>", text, re.DOTALL)[1]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = next(a["content"] for _, a in Tags(text).tags if a.get("http-equiv") == "Content-Security-Policy")
    allowed = f"style-src 'sha256-{digest}'; img-src data:"
    assert policy == f"default-src 'none'; {allowed}; base-uri 'none'; form-action 'none'"
    assert text.index("Content-Security-Policy") < text.index("<style>") and " style=" not in text
    assert "http:" not in text and "https:" not in text and "url(" not in text and "@import" not in text


def test_the_page_can_be_read_aloud_and_in_the_dark():
    tags = Tags(page(ANN, "heuristic_1")).tags
    assert ("html", {"lang": "en"}) in tags and "main" in dict(tags) and "title" in dict(tags)
    assert {attributes["scope"] for tag, attributes in tags if tag == "th"} == {"row", "col"}
    assert "prefers-color-scheme: dark" in page(ANN, "heuristic_1")


@pytest.mark.parametrize(
    "name",
    ["../../etc/passwd", "a/b", "a\\b", "C:x", "con", "NUL.txt", "", "...", "x" * 500, "ü" * 300, "a\0b", "-rf", "<b>"],
)
def test_a_file_name_stays_in_its_folder_and_suits_every_system(name):
    (made,) = file_names([name]).values()
    assert re.fullmatch(r"\w[\w .-]*-[0-9a-f]{16}\.html", made) and len(made.encode()) <= 110
    assert made.split(".")[0].casefold() not in ("con", "nul")


def test_file_names_are_unique_whatever_their_case_and_the_same_each_time():
    students = ["Ann", "ann", "a/n", "a_n", "a:n", "Bo Ek", "Zoë"]
    names = file_names(students)
    assert len({name.casefold() for name in names.values()}) == len(students)
    assert names["Bo Ek"] == "Bo Ek.html" and names["Zoë"] == "Zoë.html"
    assert file_names(students[::-1]) == names


def test_nobody_gets_a_page_by_choosing_the_name_of_another_students():
    page_of_a = file_names(["a/n"])["a/n"].removesuffix(".html")
    names = file_names(["a/n", page_of_a, page_of_a.upper()])
    assert len({name.casefold() for name in names.values()}) == 3 and names["a/n"] == f"{page_of_a}.html"


def test_each_student_gets_a_page_of_their_own(tmp_path):
    write_pages(tmp_path, [ANN, replace(ANN, student="../Bo")], "heuristic_1")
    assert len(list(tmp_path.iterdir())) == 2 and "Heuristic 1: Ann" in Tags((tmp_path / "Ann.html").read_text()).text
