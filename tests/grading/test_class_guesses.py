"""`ttt guesses`, run as a teacher runs it: a class's notebooks in every layout, broken ones, and hostile ones."""

import csv
import json
import re
import zipfile
from base64 import b64decode
from xml.etree import ElementTree

import pytest
from conftest import folder
from typer.testing import CliRunner

from ttt import plots
from ttt.cli import app
from ttt.grading import guesses
from ttt.guesses import MIME, Guess

FIRST = ("a corner", "an edge cell", "the centre")
NODES = (1_000, 20_000, 500_000, 3_000_000)


def notebook(*records, source="pass"):
    """A notebook that keeps these records; a cell of it would end the command if it were run."""
    outputs = [
        {"output_type": "display_data", "metadata": {}, "data": {"text/plain": "", MIME: record}} for record in records
    ]
    cell = {"cell_type": "code", "id": "a", "metadata": {}, "execution_count": 1, "source": source, "outputs": outputs}
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [cell]})


def lesson(nodes, first="a corner"):
    """A student's notebook with both questions."""
    return notebook(
        Guess("nodes", guess=nodes, truth=549_946).record,
        Guess("first", "choice", FIRST, first, truth="the centre").record,
    )


CLASS = {f"student{n}": lesson(nodes, FIRST[n % 2 * 2]) for n, nodes in enumerate(NODES)}
LAYOUTS = {
    "a folder a student": "{}/06_minimax.ipynb",
    "a file a student": "{}.ipynb",
    "nbgrader": "submitted/{}/06_minimax/06_minimax.ipynb",
    "Moodle": "{0}_10{0[7]}_assignsubmission_file/06_minimax.ipynb",
    "Canvas": "{0}_{0[7]}_7{0[7]}_06_minimax.ipynb",
}


def run(*arguments):
    """The command; it ends without a traceback."""
    done = CliRunner().invoke(app, ["guesses", *map(str, arguments)])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.output
    return done


def table(path):
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
@pytest.mark.parametrize("zipped", [False, True])
def test_a_class_is_read_in_every_layout(tmp_path, layout, zipped):
    files = {layout.format(student): text for student, text in CLASS.items()}
    source = folder(tmp_path / "in", files)
    if zipped:
        source = tmp_path / "in.zip"
        with zipfile.ZipFile(source, "w") as archive:
            for name, text in files.items():
                archive.writestr(name, text)
    done = run(source, "--out", tmp_path / "out.csv", "--notebook", "06_minimax")
    assert done.exit_code == 0, done.output
    rows = table(tmp_path / "out.csv")
    assert [int(row["guess"]) for row in rows if row["question"] == "nodes"] == sorted(NODES)
    assert [row["guess"] for row in rows if row["question"] == "first"] == ["a corner"] * 2 + ["the centre"] * 2
    assert {row["result"] for row in rows} == {"549946", "the centre"}


def test_the_page_shows_each_question_and_nobodys_name(tmp_path):
    source = folder(tmp_path / "in", {f"{name}/work.ipynb": text for name, text in CLASS.items()})
    done = run(source, "--out", tmp_path / "out.html")
    page = (tmp_path / "out.html").read_text()
    drawn = [b64decode(image).decode() for image in re.findall(r"base64,([^\"]+)", page)]
    words = [ElementTree.fromstring(image).get("aria-label") for image in drawn]
    assert "half of the guesses are within a factor of" in words[0]
    assert "2 of 4 guessed “the centre”, which is right" in words[1] and len(words) == 2
    assert not any("student" in text for text in (page, *drawn))
    assert "nodes: half of the guesses" in done.output and "student" not in done.output


def test_a_drawing_has_all_questions_one_below_the_other(tmp_path):
    source = folder(tmp_path / "in", {f"{name}/work.ipynb": text for name, text in CLASS.items()})
    run(source, "--out", tmp_path / "out.svg")
    parts = list(ElementTree.parse(tmp_path / "out.svg").getroot())
    heights = [float(part.get("height").removesuffix("pt")) for part in parts]
    places = [float(part.get("y").removesuffix("pt")) for part in parts]
    assert len(parts) == 2 and places[0] == 0 and places[1] > heights[0]


def test_nothing_of_a_notebook_is_run(tmp_path):
    danger = f"from pathlib import Path; Path({str(tmp_path / 'ran')!r}).touch()"
    text = notebook(Guess("nodes", guess=5).record, source=danger)
    assert run(folder(tmp_path / "in", {"ann.ipynb": text}), "--out", tmp_path / "out.html").exit_code == 0
    assert not (tmp_path / "ran").exists()


def test_what_can_not_be_read_is_named_and_the_others_are_shown(tmp_path):
    files = {
        "ann/06.ipynb": lesson(5),
        "bo/06.ipynb": "{",
        "cy/06.py": "print(5)",
        "di/06.ipynb": notebook(),
        "ed/one.ipynb": lesson(5),
        "ed/two.ipynb": lesson(5),
        "fay/06.ipynb": lesson(6),
        "gus/06.ipynb": "[" * 100_000,
        "hal/06.ipynb": b"\xff\xfe\x00",
    }
    done = run(folder(tmp_path / "in", files), "--out", tmp_path / "out.csv")
    assert done.exit_code == 0
    for said in (
        "Note: The notebook can't be read: bo, gus, hal.",
        "Note: Handed in no notebook: cy.",
        "Note: No guess is kept in the notebook: di.",
        "Note: Handed in several notebooks; choose one with --notebook: ed.",
    ):
        assert said in done.output
    assert [row["guess"] for row in table(tmp_path / "out.csv") if row["question"] == "nodes"] == ["5", "6"]


def test_where_there_is_nothing_to_show_the_command_says_why_and_writes_nothing(tmp_path):
    out = tmp_path / "out.html"
    empty = tmp_path / "empty"
    empty.mkdir()
    none = folder(tmp_path / "none", {"ann.ipynb": notebook(), "bo.ipynb": "{"})
    for source, said in {
        empty: "contains no submissions",
        tmp_path / "nowhere": "does not exist",
        none: "No guesses are kept in the notebooks in",
    }.items():
        done = run(source, "--out", out)
        assert done.exit_code == 1 and said in done.output and not out.exists()
    some = folder(tmp_path / "some", {"ann.ipynb": lesson(5)})
    done = run(some, "--out", tmp_path / "out.pdf")
    assert done.exit_code == 1 and "ends in .html, .svg or .csv, not out.pdf" in done.output
    done = run(some, "--out", tmp_path / "no folder" / "out.csv")
    assert done.exit_code == 1 and "can't be written" in done.output


def test_late_guesses_are_counted_and_not_drawn(tmp_path):
    late = Guess("nodes", later=7, truth=7).record
    files = {"ann.ipynb": notebook(Guess("nodes", guess=5, truth=7).record), "bo.ipynb": notebook(late)}
    done = run(folder(tmp_path / "in", files), "--out", tmp_path / "out.html")
    for told in (done.output, (tmp_path / "out.html").read_text()):
        assert "1 student guessed only after the result was shown." in told
    (asked,), _ = guesses.of_class(tmp_path / "in")
    assert asked.guesses == (5,) and asked.late == 1


def test_one_result_that_somebody_made_up_does_not_stand_for_the_class(tmp_path):
    files = {f"{n}.ipynb": notebook(Guess("nodes", guess=5, truth=truth).record) for n, truth in enumerate((7, 1, 7))}
    (asked,), _ = guesses.of_class(folder(tmp_path, files))
    assert asked.question.truth == 7


NASTY = [
    "<script>alert(1)</script>",
    "=1+1",
    "$\\frac{",
    "$x^",
    "a" * 200,
    "😀 🎲",
    "]]>",
    '"><img src=x onerror=alert(1)>',
    "{{ 7 * 7 }}",
]


@pytest.mark.parametrize("ending", ["html", "svg", "csv"])
def test_hostile_texts_are_only_text(tmp_path, ending):
    options = tuple(NASTY)
    records = [
        Guess("<script>alert(2)</script>", "choice", options, options[1], truth=options[2]).record,
        Guess("$order_{", "order", options, options, truth=options[::-1]).record,
        Guess("=2+2", guess=10**99, truth=1).record,
        Guess("zero", guess=0, truth=0).record,
        Guess("tiny", guess=1e-99, truth=1e99).record,
    ]
    source = folder(tmp_path / "in", {"ann.ipynb": notebook(*records), "bo.ipynb": notebook(*records)})
    out = tmp_path / f"out.{ending}"
    done = run(source, "--out", out)
    assert done.exit_code == 0, done.output
    text = out.read_text()
    if ending == "html":
        assert "<script>" not in text and "<img src=x" not in text and ">49<" not in text
    if ending == "csv":
        assert not any(cell.startswith("=") for row in table(out) for cell in row.values())
    if ending == "svg":
        names = {element.tag.rpartition("}")[2] for element in ElementTree.fromstring(text).iter()}
        assert not names & {"script", "img", "foreignObject"}


def test_a_record_with_options_that_are_none_is_passed_over(tmp_path):
    odd = Guess("nodes", guess=5, truth=7).record | {"options": [[1]]}
    asked, _ = guesses.of_class(folder(tmp_path, {"ann.ipynb": lesson(5), "bo.ipynb": notebook(odd)}))
    assert [one.guesses for one in asked] == [(5,), ("a corner",)]


def test_a_question_of_one_students_own_is_not_shown_to_the_class(tmp_path):
    rude = notebook(Guess("nodes", guess=5, truth=7).record, Guess("rude", guess=5).record)
    files = {f"{n}.ipynb": lesson(5) for n in range(3)} | {"rude.ipynb": rude}
    asked, _ = guesses.of_class(folder(tmp_path, files))
    assert [one.question.name for one in asked] == ["nodes", "first"]


def test_thousands_of_records_make_no_thousands_of_plots(tmp_path):
    many = notebook(*(Guess(f"question{n}", guess=n).record for n in range(5_000)))
    source = folder(tmp_path, {"ann.ipynb": many, "bo.ipynb": many})
    asked, notes = guesses.of_class(source)
    assert len(asked) == guesses.MOST and "Left out: 4,960 more questions." in notes


# ------------------------------------------------------------------------------------------------- the plots


def test_the_plot_of_numbers_has_a_dot_for_each_at_its_place():
    figure = plots.guesses(Guess("nodes", truth=549_946), NODES)
    dots, truth = figure.axes[0].lines
    assert sorted(dots.get_xdata()) == list(NODES) and set(truth.get_xdata()) == {549_946}
    assert figure.axes[0].get_xscale() == "log" and figure.axes[0].get_yticks().size == 0
    assert figure.title == "nodes: half of the guesses are within a factor of 16 of 549,946"


def test_equal_numbers_stand_above_one_another_and_shares_have_no_log_scale():
    figure = plots.guesses(Guess("share", truth=0.585), [0.5, 0.5, 0.5, 0.9])
    dots = figure.axes[0].lines[0]
    assert sorted(zip(dots.get_xdata(), dots.get_ydata(), strict=True)) == [(0.5, 1), (0.5, 2), (0.5, 3), (0.9, 1)]
    assert figure.axes[0].get_xscale() == "linear"


def test_what_is_too_far_off_to_be_drawn_is_counted():
    figure = plots.guesses(Guess("nodes", truth=100), [50, 100, 10**40])
    assert list(figure.axes[0].lines[0].get_xdata()) == [50, 100] and "1 too far off to be drawn" in figure.words


def test_one_guess_of_0_does_not_take_the_log_scale_from_the_others():
    figure = plots.guesses(Guess("nodes", truth=1000), [0, 500, 1000, 2000])
    assert figure.axes[0].get_xscale() == "log" and list(figure.axes[0].lines[0].get_xdata()) == [500, 1000, 2000]
    assert "1 too far off to be drawn" in figure.words and "within a factor of 2 of" in figure.title
    assert plots.guesses(Guess("nodes", truth=1000), [-5, 50]).axes[0].get_xscale() == "linear"


def test_where_most_guesses_are_right_the_others_are_drawn_too():
    figure = plots.guesses(Guess("share", truth=0.5), [0.5, 0.5, 0.5, 0.6])
    assert list(figure.axes[0].lines[0].get_xdata()) == [0.5, 0.5, 0.5, 0.6]
    assert figure.title == "share: half of the guesses or more are right: 0.5"


def test_the_plot_of_choices_has_a_bar_for_each_and_marks_the_right_one():
    figure = plots.guesses(Guess("first", "choice", FIRST, truth="the centre"), ["a corner", "the centre", "a corner"])
    assert [bar.get_width() for bar in figure.axes[0].patches] == [2, 0, 1]
    labels = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert labels == ["a corner", "an edge cell", "✓ the centre"]


def test_the_plot_of_orders_has_mean_places():
    given = [("a", "b", "c"), ("b", "a", "c"), ("a", "b", "c")]
    figure = plots.guesses(Guess("order", "order", ("a", "b", "c"), truth=("c", "b", "a")), given)
    means, truth = figure.axes[0].lines
    assert list(means.get_xdata()) == pytest.approx([3, 5 / 3, 4 / 3]) and list(truth.get_xdata()) == [1, 2, 3]
    assert figure.title == "order: 0.3 of the 3 pairs are in the right order on average"


def test_without_guesses_there_is_no_plot():
    with pytest.raises(plots.BadPlot, match="Nobody has guessed nodes"):
        plots.guesses(Guess("nodes"), [])


def test_of_questions_with_one_name_the_class_has_the_commonest(tmp_path):
    other = Guess("nodes", "choice", FIRST, FIRST[0]).record
    files = {f"{name}.ipynb": notebook(Guess("nodes", guess=5, truth=7).record) for name in ("ann", "bo", "cy")}
    files |= {f"{name}.ipynb": notebook(other) for name in ("aa", "ab")}
    [asked], _ = guesses.of_class(folder(tmp_path / "in", files))
    assert (asked.question.kind, asked.guesses) == ("number", (5, 5, 5))


def test_a_page_for_a_folder_that_is_not_there_is_refused_with_the_folder(tmp_path):
    source, out = folder(tmp_path / "in", {"ann.ipynb": lesson(5)}), tmp_path / "missing" / "guesses.html"
    done = CliRunner().invoke(app, ["guesses", str(source), "--out", str(out)])
    assert done.exit_code == 1 and f"there is no folder {out.parent}" in " ".join(done.output.split())
