"""Guess, then see, without a browser: what a notebook is told to show, and what it keeps through everything."""

import json
import re
import subprocess
import sys

import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

from ttt import guess, reveal
from ttt.guesses import MIME, BadGuess, in_notebook

FIRST = ["a corner", "an edge cell", "the centre"]
WIDGET = "application/vnd.jupyter.widget-view+json"


class Notebook:
    """A notebook's cells with their results, as a front end keeps them: what is shown anew replaces what was there."""

    def __init__(self, questions):
        self.cells = {}
        self._questions = questions

    def run(self, name, *arguments, **options):
        """Run a cell, a call of guess or reveal; its results replace those of its earlier run."""
        function, cell = {"guess": (guess, f"guess {arguments[0]}"), "reveal": (reveal, f"reveal {arguments[0]}")}[name]
        self.cells[cell] = {}
        self._keep(cell, lambda: function(*arguments, **options))
        return self.text(cell)

    def enter(self, name, given):
        """Use a question's form as the page does; what it answers."""
        form = self._questions[name]._form
        self._keep(None, lambda: form._handle_custom_msg({"guess": given}, []))
        return form.status["text"]

    def _keep(self, cell, action):
        with capture_output() as captured:
            action()
        for output in captured._outputs:
            identity = (output["transient"] or {}).get("display_id", "")
            for name, shown in self.cells.items():
                if identity in shown if output.get("update") else name == cell:
                    shown[identity] = output["data"]

    def text(self, cell):
        return "\n".join(filter(None, (data["text/plain"] for data in self.cells[cell].values())))

    def shown(self, cell):
        """The types of all results below a cell."""
        return {kind for data in self.cells[cell].values() for kind in data}

    @property
    def content(self):
        """The notebook as its file has it."""
        cells = [
            {"cell_type": "code", "outputs": [{"output_type": "display_data", "data": data} for data in shown.values()]}
            for shown in self.cells.values()
        ]
        return json.loads(json.dumps({"cells": cells}))


@pytest.fixture
def notebook(monkeypatch):
    """A notebook whose kernel has just started."""
    module = sys.modules["ttt.widgets.guess"]
    InteractiveShell.instance()
    for name in ("_questions", "_shown"):
        monkeypatch.setattr(module, name, {})
    monkeypatch.delenv("JPY_SESSION_NAME", raising=False)
    yield Notebook(module._questions)
    InteractiveShell.clear_instance()


def restarted(notebook, monkeypatch, path):
    """Save the notebook, and start its kernel again."""
    path.write_text(json.dumps(notebook.content))
    monkeypatch.setenv("JPY_SESSION_NAME", str(path))
    notebook._questions.clear()


def test_a_number_is_kept_and_shown_beside_the_result(notebook):
    assert notebook.run("guess", "nodes") == "A form for your guess: a number"
    assert notebook.enter("nodes", "500,000") == "Kept: 500,000. You can change it until the result is shown."
    assert notebook.text("guess nodes").endswith("Your guess: 500,000.")
    assert notebook.run("reveal", "nodes", 549_946) == "It is 549,946. You guessed 500,000: too low by a factor of 1.1."
    assert in_notebook(notebook.content)["nodes"].guess == 500_000


def test_a_choice_and_an_order_are_kept_likewise(notebook):
    notebook.run("guess", "first", choices=FIRST)
    notebook.enter("first", "a corner")
    assert notebook.run("reveal", "first", "the centre") == "It is “the centre”. You guessed “a corner”: not right."
    notebook.run("guess", "order", order=FIRST)
    notebook.enter("order", FIRST[::-1])
    said = "You guessed the centre, an edge cell, a corner: 0 of the 3 pairs are in the right order"
    assert said in notebook.run("reveal", "order", FIRST)


def test_bad_input_is_told_and_what_was_kept_before_is_not_lost(notebook):
    notebook.run("guess", "nodes")
    notebook.enter("nodes", "7")
    for given, said in {
        "ten": "'ten' is not a number. Write a number, such as 500000.",
        "": "The field is empty. Write a number, such as 500000.",
    }.items():
        assert notebook.enter("nodes", given) == said
    notebook.run("guess", "first", choices=FIRST)
    assert notebook.enter("first", "") == 'Choose one of "a corner", "an edge cell", "the centre".'
    assert in_notebook(notebook.content)["nodes"].guess == 7


def test_a_guess_in_code_needs_no_form(notebook):
    assert notebook.run("guess", "nodes", 500_000) == "Your guess: 500,000."
    assert WIDGET not in notebook.shown("guess nodes")
    assert notebook.run("guess", "first", "a corner", choices=FIRST) == "Your guess: “a corner”."
    for wrong in (lambda: guess("nodes", "ten"), lambda: guess("first", "x", choices=FIRST), lambda: guess(5)):
        with pytest.raises(BadGuess):
            wrong()
    with pytest.raises(BadGuess, match="not both"):
        guess("both", choices=FIRST, order=FIRST)


def test_run_again_the_cell_still_has_the_guess_and_the_form_begins_with_it(notebook):
    notebook.run("guess", "nodes")
    notebook.enter("nodes", "5e5")
    assert "Your guess: 500,000." in notebook.run("guess", "nodes")
    assert notebook._questions["nodes"]._form.form["entry"] == "500,000"
    notebook.run("guess", "order", order=FIRST)
    notebook.enter("order", FIRST[::-1])
    notebook.run("guess", "order", order=FIRST)
    assert notebook._questions["order"]._form.form["entry"] == FIRST[::-1]


def test_once_the_result_is_shown_no_form_is_left_that_would_be_dead_tomorrow(notebook):
    notebook.run("guess", "nodes")
    assert WIDGET in notebook.shown("guess nodes")
    notebook.enter("nodes", "5")
    notebook.run("reveal", "nodes", 7)
    for cell in notebook.cells:
        assert WIDGET not in notebook.shown(cell)
    assert notebook.text("guess nodes") == "Your guess: 5."


def test_a_guess_after_the_result_is_told_apart_from_the_first(notebook):
    notebook.run("guess", "nodes", 5)
    notebook.run("reveal", "nodes", 7)
    notebook.run("guess", "nodes")
    assert notebook._questions["nodes"]._form.status["text"].startswith("The result has been shown.")
    notebook.enter("nodes", "7")
    assert notebook.text("guess nodes").endswith("Your guess: 5. Changed after the result was shown: 7.")
    assert notebook.run("reveal", "nodes", 7) == "It is 7. After the result was shown, you guessed 7: right."
    kept = in_notebook(notebook.content)["nodes"]
    assert (kept.guess, kept.later) == (5, 7)


def test_a_first_guess_after_the_result_counts_as_late(notebook):
    """Whether the form was there and left empty, or its cell was not run at all."""
    notebook.run("guess", "nodes")
    assert notebook.run("reveal", "nodes", 7) == "It is 7. No guess was made."
    assert notebook.text("guess nodes") == "There was no guess before the result was shown."
    assert notebook.run("reveal", "others", 7) == "It is 7. No guess was made."
    for name in ("nodes", "others"):
        notebook.run("guess", name, 7)
        kept = in_notebook(notebook.content)[name]
        assert (kept.guess, kept.later) == (None, 7)


def test_a_guess_outlives_the_kernel_if_the_notebook_was_saved(notebook, monkeypatch, tmp_path):
    notebook.run("guess", "nodes")
    notebook.enter("nodes", "500,000")
    restarted(notebook, monkeypatch, tmp_path / "lesson.ipynb")
    assert "Your guess: 500,000." in notebook.run("guess", "nodes")  # as Run All does
    assert "You guessed 500,000" in notebook.run("reveal", "nodes", 549_946)
    restarted(notebook, monkeypatch, tmp_path / "lesson.ipynb")
    assert "You guessed 500,000" in notebook.run("reveal", "nodes", 549_946)  # though the cell above was not run
    notebook.run("guess", "nodes", 7)
    assert "Changed after the result was shown: 7." in notebook.text("guess nodes")


def test_results_that_a_notebook_is_handed_out_with_do_not_make_a_guess_late(notebook, monkeypatch, tmp_path):
    """As the notebooks of this repository are: nobody guesses there, and the results are kept."""
    notebook.run("guess", "nodes")
    notebook.run("reveal", "nodes", 7)
    restarted(notebook, monkeypatch, tmp_path / "lesson.ipynb")
    assert notebook.run("guess", "nodes", 5) == "Your guess: 5."
    assert in_notebook(notebook.content)["nodes"].later is None


@pytest.mark.parametrize("content", ["", "{", "[]", '{"cells": 5}', "[" * 100_000, None])
def test_a_notebook_file_that_is_damaged_or_gone_is_no_obstacle(notebook, monkeypatch, tmp_path, content):
    path = tmp_path / "lesson.ipynb"
    if content is not None:
        path.write_text(content)
    monkeypatch.setenv("JPY_SESSION_NAME", str(path))
    assert notebook.run("guess", "nodes", 5) == "Your guess: 5."


def test_vs_code_says_in_another_way_which_file_the_notebook_is(notebook, monkeypatch, tmp_path):
    notebook.run("guess", "nodes", 5)
    (tmp_path / "lesson.ipynb").write_text(json.dumps(notebook.content))
    notebook._questions.clear()
    monkeypatch.setattr(sys.modules["__main__"], "__vsc_ipynb_file__", str(tmp_path / "lesson.ipynb"), raising=False)
    assert "Your guess: 5." in notebook.run("guess", "nodes")


def test_a_question_that_has_changed_forgets_the_answer_to_the_old_one(notebook):
    notebook.run("guess", "first", "a corner", choices=FIRST)
    assert "Your guess" not in notebook.run("guess", "first", choices=FIRST[:2])
    notebook.run("guess", "first", 5)
    assert in_notebook({"cells": notebook.content["cells"][-1:]})["first"].kind == "number"


@pytest.mark.parametrize("given, truth", [(1, 10**30), (10**90, 2), (0, 0), (-5, 3), (0.2, 0.9), (1, 1), (7, 0.001)])
def test_any_two_numbers_can_be_drawn_and_the_drawing_stays_inside(notebook, given, truth):
    notebook.run("guess", "x", given)
    notebook.run("reveal", "x", truth)
    html = next(iter(notebook.cells["reveal x"].values()))["text/html"]
    across = [float(x) for x in re.findall(r'cx="([^"]+)"', html)]
    assert len(across) == 2 and all(30 <= x <= 410 for x in across)
    order = (across[0] > across[1]) - (across[0] < across[1])
    assert order == (given > truth) - (given < truth)
    assert html.count("<text") <= 2 + 12


def test_a_students_text_is_text_and_no_markup(notebook):
    notebook.run("guess", "first", "<b>", choices=["<b>", "<i>"])
    notebook.run("reveal", "first", "<i>")
    for shown in notebook.cells.values():
        assert all("<b>" not in data.get("text/html", "") for data in shown.values())


def test_the_result_is_kept_as_a_record_too(notebook):
    notebook.run("guess", "nodes", 5)
    notebook.run("reveal", "nodes", 7)
    (data,) = notebook.cells["reveal nodes"].values()
    assert data[MIME] == {"name": "nodes", "kind": "number", "options": (), "guess": 5, "later": None, "truth": 7}


def test_in_a_program_the_words_are_printed():
    code = "from ttt import guess, reveal; guess('nodes', 5); reveal('nodes', 7)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["Your guess: 5.", "It is 7. You guessed 5: too low by 2."]
