"""What is told of a class: the counts are right, the page says the same, and an earlier run stands beside it."""

import csv
import re
from dataclasses import replace
from functools import cache

import pytest

from ttt.grading import batch, statistics
from ttt.grading.grade import NOT_GRADED, GradingError, PartMarks
from ttt.grading.gradebook import Record, write_grades

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


def written(folder, records, earlier=None):
    folder.mkdir(exist_ok=True)
    boards = statistics.most_missed(records, key())
    statistics.write_files(folder, counted(records), records, RUBRIC, boards, earlier)
    write_grades(folder / "grades.csv", records, RUBRIC)
    return " ".join(re.sub("<[^>]*>", " ", (folder / "statistics.html").read_text()).split())


def test_everything_is_counted_in_the_table(tmp_path):
    written(tmp_path, CLASS)
    rows = list(csv.reader((tmp_path / "statistics.csv").open(encoding="utf-8")))
    assert rows[0] == ["kind", "name", "part", "students", "of"]
    assert [[*row[:3], f"{row[3]}/{row[4]}"] for row in rows[1:-2]] == [
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
    assert [(row[0], row[3], row[4]) for row in rows[-2:]] == [("board", "3", "4"), ("board", "1", "4")]


def test_the_boards_most_got_wrong_come_with_what_most_of_them_gave():
    first, second = statistics.most_missed(CLASS, key())
    question = key().questions[PLACES[0]]
    assert (first.board, first.words, first.right) == (question.board, "seen from X", key().values[PLACES[0]])
    assert (first.given, first.times, second.given) == (7, 2, None)


def test_a_submission_that_was_left_out_is_counted_with_the_other_statuses():
    left_out = Record("gus", NOT_GRADED, "", None, 5)
    counts = [count for count in counted([*CLASS, left_out]) if count.kind == "status"]
    assert (counts[-1].name, sum(count.students for count in counts)) == ("not graded", len(CLASS) + 1)


def test_somebody_whose_code_never_ran_has_missed_no_board_and_got_none_right():
    by_hand = replace(record("gus", 2, 3, "right"), isolation="")
    assert statistics.most_missed([*CLASS, by_hand], key()) == statistics.most_missed(CLASS, key())


def test_the_page_says_what_the_table_says_and_draws_the_boards(tmp_path):
    text = written(tmp_path, CLASS)
    for said in ("2.2 of 5 marks on average", "6 students: 1 right, 3 wrong,", "the first part 4 80 %", "2 said 7"):
        assert said in text
    assert (tmp_path / "statistics.html").read_text().count("mark-X") == 1  # each board once, not from both sides


@pytest.mark.parametrize("records", [[], [CLASS[-1]], [CLASS[4]]], ids=["nobody", "missing", "open"])
def test_a_class_with_hardly_any_marks_has_a_page(records, tmp_path):
    assert "Heuristic 1: the class" in written(tmp_path, records)


def test_no_text_of_a_students_becomes_markup(tmp_path):
    nasty = "<script>alert(1)</script>"
    written(tmp_path / "earlier", [record(nasty, 2, 3)])
    earlier = statistics.load(tmp_path / "earlier", "heuristic_1")
    written(tmp_path, [record(nasty, 0, 0, mistake=nasty)], earlier)
    page = (tmp_path / "statistics.html").read_text()
    assert "<script" not in page and page.count("&lt;script&gt;") >= 3 and " style=" not in page


def test_an_earlier_run_stands_beside_this_one(tmp_path):
    folder = tmp_path / "earlier\udcff"  # as Python names a folder that is not named in UTF-8
    written(folder, CLASS)
    now = [record("ann", 2, 0, mistake="rows missing"), replace(CLASS[1]), record("new", 2, 3, "right")]
    text = written(tmp_path, now, statistics.load(folder, "heuristic_1"))
    assert "the second part 1 33 % 25 %" in text and "rows missing 2 67 % 40 %" in text
    assert text.endswith("student before now ann 5 2")


def test_an_earlier_run_must_be_of_the_same_exercise_and_whole(tmp_path):
    written(tmp_path, CLASS)
    with pytest.raises(GradingError, match="results of heuristic_1, not of interface"):
        statistics.load(tmp_path, "interface")
    for damaged in ("kind,name,part,students,of\nscore,five,,x,1\n", "a\n1\n"):
        (tmp_path / "statistics.csv").write_text(damaged)
        with pytest.raises(GradingError, match="damaged"):
            statistics.load(tmp_path, "heuristic_1")
    with pytest.raises(GradingError, match=r"no statistics\.csv"):
        statistics.load(tmp_path / "nowhere", "heuristic_1")


@pytest.mark.parametrize("most, bars", [(5, 6), (15, 16), (20, 21), (21, 11), (100, 21), (2.5, 3)])
def test_the_distribution_has_few_bars_and_everybody_in_one(most, bars):
    scores = [statistics.Count("score", f"{most * n / 10:g}", "", n, 55) for n in range(11)]
    drawn = statistics.distribution(scores, most)
    assert len(drawn) == bars and sum(students for _, students, _ in drawn) == 55
