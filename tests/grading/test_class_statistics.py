"""What is told of a class: the counts are right, and the page says the same."""

import re
from dataclasses import replace
from functools import cache

import pytest

from ttt.grading import batch, statistics
from ttt.grading.grade import PartMarks
from ttt.grading.gradebook import Record

RUBRIC = (PartMarks("one", "the first part", None, 2), PartMarks("two", "the second part", None, 3))


def record(student, one, two, status="wrong", mistake="", wrong=()):
    parts = (RUBRIC[0]._replace(got=one), RUBRIC[1]._replace(got=two))
    score = sum(got for got in (one, two) if got is not None)
    return Record(student, status, "", score, 5, 0.1, "full", mistake, parts, wrong=wrong)


@cache
def key():
    return batch.key_of("heuristic_1")


PLACES = key().cases[:2]
CLASS = [
    record("ann", 2, 3, "right"),
    record("bo", 2, 0, mistake="rows missing", wrong=((PLACES[0], 7),)),
    record("cy", 0, 0, mistake="rows missing", wrong=((PLACES[0], 7), (PLACES[1], None))),
    record("di", 2, 0, wrong=((PLACES[0], 8),)),
    record("ed", 2, None, "needs a person"),
    Record("fay", "missing", "", None, 5),
]


def counted(records):
    return statistics.counted("heuristic_1", records, RUBRIC, statistics.most_missed(records, key()))


def written(folder, records):
    boards = statistics.most_missed(records, key())
    statistics.write_page(folder, counted(records), records, RUBRIC, boards)
    return " ".join(re.sub("<[^>]*>", " ", (folder / "statistics.html").read_text()).split())


def test_everything_is_counted():
    rows = counted(CLASS)
    assert [[*row[:3], f"{row[3]}/{row[4]}"] for row in rows[:-2]] == [
        ["exercise", "heuristic_1", "", "6/6"],
        ["status", "right", "", "1/6"],
        ["status", "wrong", "", "3/6"],
        ["status", "needs a person", "", "1/6"],
        ["status", "missing", "", "1/6"],
        ["score", "0", "", "1/5"],
        ["score", "2", "", "3/5"],
        ["score", "5", "", "1/5"],
        ["part", "one", "", "4/5"],
        ["part", "two", "", "1/4"],
        ["mistake", "rows missing", "", "2/5"],
        ["mistake", "no mistake named", "", "1/5"],
        ["lost", "rows missing", "one", "1/2"],
        ["lost", "rows missing", "two", "2/2"],
        ["lost", "no mistake named", "one", "0/1"],
        ["lost", "no mistake named", "two", "1/1"],
    ]
    assert [(row[0], row[3], row[4]) for row in rows[-2:]] == [("board", 3, 4), ("board", 1, 4)]


def test_the_boards_most_got_wrong_come_with_what_most_of_them_gave():
    first, second = statistics.most_missed(CLASS, key())
    question = key().questions[PLACES[0]]
    assert (first.board, first.words, first.right) == (question.board, "seen from X", key().values[PLACES[0]])
    assert (first.given, first.times, second.given) == (7, 2, None)


def test_somebody_whose_code_never_ran_has_missed_no_board_and_got_none_right():
    by_hand = replace(record("gus", 2, 3, "right"), isolation="")
    assert statistics.most_missed([*CLASS, by_hand], key()) == statistics.most_missed(CLASS, key())


def test_the_page_says_what_was_counted_and_draws_the_boards(tmp_path):
    text = written(tmp_path, CLASS)
    for said in ("2.2 of 5 marks on average", "6 students: 1 right, 3 wrong,", "the first part 4 80 %", "2 said 7"):
        assert said in text
    assert (tmp_path / "statistics.html").read_text().count("mark-X") == 1  # each board once, not from both sides


@pytest.mark.parametrize("records", [[], [CLASS[-1]], [CLASS[4]]], ids=["nobody", "missing", "open"])
def test_a_class_with_hardly_any_marks_has_a_page(records, tmp_path):
    assert "Heuristic 1: the class" in written(tmp_path, records)


def test_no_text_of_a_students_becomes_markup(tmp_path):
    nasty = "<script>alert(1)</script>"
    written(tmp_path, [record(nasty, 0, 0, mistake=nasty)])
    page = (tmp_path / "statistics.html").read_text()
    assert "<script" not in page and page.count("&lt;script&gt;") >= 2 and " style=" not in page


@pytest.mark.parametrize("most, bars", [(5, 6), (15, 16), (20, 21), (21, 11), (100, 21), (2.5, 3)])
def test_the_distribution_has_few_bars_and_everybody_in_one(most, bars):
    scores = [statistics.Count("score", f"{most * n / 10:g}", "", n, 55) for n in range(11)]
    drawn = statistics.distribution(scores, most)
    assert len(drawn) == bars and sum(students for _, students in drawn) == 55
