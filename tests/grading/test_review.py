"""The review form: what a person has entered stays, over every later run and whatever students are called."""

import codecs
import csv
from pathlib import Path

import pytest
from approved import all_approved

from exercises.grading.judging.key import Grade, parts_of
from exercises.grading.results.review import REVIEW_FORM, reviewed
from exercises.grading.tables import Sheet, csv_text, write

PARTS = parts_of("heuristic_1")
FULL = {part.name: part.points for part in PARTS}
NOTHING = dict.fromkeys(FULL, 0)
ONE_LOST = FULL | {"counts": 0}
LOST = [(4, "It is wrong.", "", ())]
SAID = Path(__file__).with_name("said") / "review.txt"
NAMES = ("'t Hooft", "=1+1", "-ann", "@bo", "Lee, Cy", "Zoë", "''")


@pytest.fixture
def form(tmp_path):
    return tmp_path / REVIEW_FORM


def rows(form):
    with form.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.reader(file))


def test_what_a_person_enters_stays_over_every_later_run_whatever_a_student_is_called(form):
    grades = [Grade(name, "problem") for name in NAMES]
    assert reviewed(grades, form, PARTS) == (grades, [])
    sheet = Sheet.read(form)
    columns = sheet.column("lines"), sheet.column("comment")
    for row in sheet.rows[1:]:
        for column, text in zip(columns, ("2", f"seen: {row[0]}"), strict=True):
            row[column] = text
    write(form, sheet.filled({}))
    before = rows(form)
    for _ in range(3):
        found, notes = reviewed(grades, form, PARTS)
        assert [grade.points["lines"] for grade in found] == [2] * len(NAMES)
        assert all("seen:" in grade.comment for grade in found)
        assert rows(form) == before and len(before) == 1 + len(NAMES)
        assert all("empty parts" in note for note in notes)


def test_a_row_says_what_the_grader_gave_even_after_a_person_has_changed_it(form):
    points = FULL | {"lines": 2, "form": -3}
    others = [Grade("bo", "problem"), Grade("cy", "needs a person", points={"lines": None})]
    reviewed([Grade("ann", "wrong", points=points), *others], form, PARTS)
    earned = "11 of 15: lines 2 of 3, counts 4 of 4, blocked 3 of 3, completed 2 of 2, sides 3 of 3, form -3"
    assert [row[-1] for row in rows(form)] == ["grader", earned, "problem", "needs a person"]
    write(form, form.read_text().replace("ann,,", "ann,,1", 1))
    for lines in (2, 3):
        (changed, *_), notes = reviewed([Grade("ann", "wrong", points=points | {"lines": lines}), *others], form, PARTS)
        told = earned.replace("11", f"{9 + lines}").replace("lines 2", f"lines {lines}")
        assert (changed.points["lines"], rows(form)[1][-1], notes) == (1, told, [])


CLASS = [  # a grade, and what a person enters, by column
    (Grade("Half", "wrong", points=FULL | {"counts": 0}, lost=LOST), {"counts": "2", "comment": "Half of it"}),
    (Grade("Fewer", "right", "Everything is right.", FULL), {"counts": "3"}),
    (Grade("Unread", "problem", "No cell."), {part: str(points) for part, points in FULL.items()}),
    (Grade("Pardoned", "wrong", "No.", NOTHING, lost=LOST), {part: str(points) for part, points in FULL.items()}),
    (Grade("On paper", "problem", "Hand in one that Jupyter opens."), {"lines": "2", "comment": "On paper."}),
    (Grade("Own and shared", "wrong", points=ONE_LOST, mistake="weights swapped"), {"comment": "See me."}),
    (Grade("Own points", "wrong", points=ONE_LOST, mistake="text returned; weights swapped"), {"counts": "1"}),
    (Grade("Two shared", "wrong", points=ONE_LOST, mistake="weights swapped; bracket lost"), {}),
    (Grade("No row", "wrong", points=ONE_LOST, mistake="signs swapped"), {}),
    (
        Grade("Too many", "wrong", points=ONE_LOST, mistake="signs swapped"),
        {"lines": "3.5", "form": "-4", "state": "-11"},
    ),
    (Grade("No number", "wrong", points=ONE_LOST), {"lines": "x", "form": "0.5"}),
    (Grade("At the limits", "wrong", points=ONE_LOST), {"lines": "3", "counts": "0", "form": "-3", "state": "-10"}),
    (Grade("Confirmed", "needs a person", "It waits.", FULL | {"lines": 1}), {"lines": "1"}),
    (Grade("Changed", "needs a person", "It waits.", FULL | {"lines": 1}), {"lines": "2", "sides": "2"}),
    (Grade("Twice there", "wrong", points=ONE_LOST), {"lines": "2"}),
    (Grade("Twice there", "wrong", points=ONE_LOST), {"lines": "1"}),
]
ROWS = [  # without a student
    {"mistake": "weights swapped", "counts": "3", "comment": "Half right."},
    {"mistake": "bracket lost", "counts": "2"},
    {"mistake": "no such", "lines": "1"},
    {"student": "Nobody", "lines": "1"},
    {"student": "No row", "line": "1", "Style": "2"},
]


def seen(grade):
    """All of a grade that is not as it was at first."""
    points = [f"{part} {got:g}" for part, got in grade.points.items() if got is not None]
    lost = [f"{points:g} lost: {why}" for points, why, *_ in grade.lost]
    said = {"comment": grade.comment, "by hand": grade.by_hand, "reason": grade.reason}
    about = f"{grade.student}: {grade.status}, {grade.score}: {', '.join(points)}"
    return "\n".join([about, *lost, *(f"{name}: {text}" for name, text in said.items() if text)])


def test_what_a_person_enters_has_this_effect_and_no_other(form):
    columns = ["student", "mistake", *FULL, "comment", "line", "Style"]
    filled = [entries | {"student": grade.student} for grade, entries in CLASS if entries] + ROWS
    write(form, csv_text([columns, *([row.get(column, "") for column in columns] for row in filled)]))
    grades = [*{grade.student: grade for grade, _ in CLASS}.values()]
    found, notes = reviewed(grades, form, PARTS)
    added = [", ".join(filter(None, row)) for row in rows(form)[1 + len(filled) :]]
    assert all_approved(
        SAID, {"grades": "\n\n".join(map(seen, found)), "notes": "\n".join(notes), "new": "\n".join(added)}
    )


def test_a_reason_of_the_graders_stays_until_a_person_has_marked_what_it_is_about(form):
    said = "The check said: “(a) Not yet.”"
    for proposed in None, 1:  # 1 is confirmed below
        waiting = Grade("ann", "needs a person", said, {"a": 0, "b": 4, "c": proposed, "d": 3})
        for marks, reason in ({"c": "1"}, said), ({"a": "2", "c": "1"}, ""), ({"a": "4", "c": "4"}, ""):
            write(form, csv_text([["student", *marks], ["ann", *marks.values()]]))
            (found,), _ = reviewed([waiting], form, parts_of("interface"))
            assert found.reason == reason and found.status != "needs a person"


def test_the_form_has_one_byte_order_mark_however_often_it_is_read(form):
    """By it, Excel knows that the names are in UTF-8."""
    for _ in range(3):
        reviewed([Grade("Zoë", "problem")], form, PARTS)
        assert form.read_bytes().count(codecs.BOM_UTF8) == 1 and form.read_bytes().startswith(codecs.BOM_UTF8)
