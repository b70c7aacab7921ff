"""What a class guessed: read from the cells and from their outputs, and shown without names."""

import json
import re

import pytest
from conftest import naming
from lab.boards import guesses as students

from exercises.grading import GradingError, reading
from exercises.grading.guesses import drawing, guessed, question


def notebook(source, *records):
    output = [{"data": {reading.GUESS: record}} for record in records]
    return json.dumps({"cells": [{"cell_type": "code", "source": source, "outputs": output}]})


def test_the_records_are_called_as_students_side_calls_them():
    assert students.MIME == reading.GUESS


def test_the_page_shows_all_early_guesses_and_no_name(tmp_path):
    record = {"name": "nodes", "guess": 100, "truth": 549946, "late": False}
    files = {
        "ann": notebook("guess(nodes=100)", record),
        "bo": notebook("guess(nodes=1_000_000)", record | {"guess": 7}, record | {"guess": 1_000_000, "truth": None}),
        "cy": notebook("guess(nodes=549946)", record | {"guess": 549946, "late": True}),
        "di": notebook("guess(nodes=...)"),
        "eve": notebook(
            "guess(x=1)", "nonsense", {"name": "<b>", "guess": 1}, {"name": "nodes", "guess": {"a": 1}}, [1]
        ),
    }
    for name, text in files.items():
        (tmp_path / f"{name}.ipynb").write_text(text)
    said = guessed(tmp_path, tmp_path / "out.html")
    page = (tmp_path / "out.html").read_text()
    (told,) = re.findall("<p>(.*?)</p>", page)
    assert re.findall(r"\d[\d,]*\d|\d", told) == ["2", "100", "1,000,000", "500,050", "549,946", "1"]
    assert not any(name in page.split("<body>")[1] for name in ("ann", "eve", "<b>"))
    assert any("di" in line for line in said)


def test_a_large_and_a_negative_number_stand_there_with_all_their_digits():
    given = [{"guess": guess, "truth": -2, "late": False} for guess in (-1, 1234567)]
    assert re.search(naming("2", "−1", "1,234,567", "−2."), question("value", given)["words"])
    assert re.search(naming("one guess", "−1", "−2."), question("value", given[:1])["words"])


def test_choices_are_counted():
    given = [{"guess": text, "truth": "killer", "late": False} for text in ("table", "killer", "table")]
    shown = question("saves_most", given)
    assert shown["others"] == [("table", 2), ("killer", 1)] and "killer" in shown["words"]


def test_an_order_is_shown_as_a_text_and_its_result_too(tmp_path):
    record = {"name": "ranking", "guess": ["perfect", "random"], "truth": ["random", "perfect"], "late": False}
    (tmp_path / "ann.ipynb").write_text(notebook("guess(ranking=...)", record))
    guessed(tmp_path, tmp_path / "out.html")
    page = (tmp_path / "out.html").read_text()
    assert "perfect, random" in page and "random, perfect." in page


def places(*numbers):
    """Where the dots stand, from left to right."""
    return [float(x) for x in re.findall(r'x="([\d.]+)" y="[\d.]+" style="fill: #d55e00', drawing(numbers, None))]


def test_far_numbers_stand_on_a_logarithmic_scale():
    """Each factor of ten is as wide as the next."""
    one, hundred, ten_thousand = places(1, 100, 10_000)
    assert hundred - one == pytest.approx(ten_thousand - hundred, abs=0.2)
    one, two, five = places(1, 2, 5)
    assert five - two == pytest.approx(3 * (two - one), abs=0.5)


@pytest.mark.parametrize("text", ["x = 1", "guess(nodes=...)"])
def test_a_class_that_guessed_nothing_is_told_so(text, tmp_path):
    (tmp_path / "ann.ipynb").write_text(notebook(text))
    with pytest.raises(GradingError, match=naming("no guess", "saved")):
        guessed(tmp_path, tmp_path / "out.html")
