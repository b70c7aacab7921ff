"""The notebooks' frame; that every cell runs and every fact holds is nbval's part."""

import itertools
import re
from functools import cache
from pathlib import Path

import kept as kept_module
import nbformat
import pytest
from approved import all_approved
from conftest import ROOT
from kept import kept
from lab import GameBoard, check
from lab.checks.exercise import function
from lab.checks.tasks import TASKS
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

NOTEBOOKS = sorted((ROOT / "notebooks").glob("[0-9]*.ipynb"))
START = ROOT / "notebooks" / "index.ipynb"
WIDEST = 96  # characters of code that fit beside JupyterLab's side bar on a 1280-pixel screen
VARIES = {"in-10", "cube-measure"}  # the cells that chance has a part in
# A cell that shows a widget, unless it asks for its picture.
WIDGET = r"\b(GameBoard|CubeGame|Explorer|fill_in|guess|interact|recap|view)\((?!.*\)\.picture\()"
EXERCISES = sorted((ROOT / "exercises").glob("*/*.ipynb"))
notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
every = pytest.mark.parametrize("path", [START, *NOTEBOOKS, *EXERCISES], ids=lambda path: path.stem)


read = cache(nbformat.read)


@cache
def cells(path, kind):
    found = [cell for cell in read(path, 4).cells if cell.cell_type == kind]
    assert found
    return found


def prose(path):
    return "\n\n".join(cell.source for cell in cells(path, "markdown"))


def links(path):
    """The files that a notebook links, all of which are there."""
    found = [link.split("#")[0] for link in re.findall(r"\]\(([^)]+)\)", prose(path)) if "://" not in link]
    assert all((path.parent / link).exists() for link in found)
    return found


@notebook
def test_below_its_title_one_paragraph_in_italics_says_its_time_what_it_needs_and_what_you_will_learn(path):
    title, *paragraphs = cells(path, "markdown")[1].source.split("\n\n")
    assert re.fullmatch(rf"# {path.name[:2]} \w.*", title)
    paragraphs = [" ".join(each.split()) for each in paragraphs]
    [takes] = [each for each in paragraphs if re.fullmatch(r"\*[^*].*[^*]\*", each)]
    assert re.fullmatch(r"\*Time: \d+ minutes[^.]*\. You need .+\. You will learn to [^.]+\.\*", takes)


@notebook
def test_above_its_title_is_the_row_of_lessons_which_links_all_the_others_and_the_start_page(path):
    [*lessons, last] = cells(path, "markdown")[0].source.removeprefix("Lesson ").split(" ")
    numbers = [f"[{one.name[:2]}]({one.name})" for one in NOTEBOOKS]
    numbers[NOTEBOOKS.index(path)] = f"**{path.name[:2]}**"
    assert lessons == numbers and last == f"[all]({START.name})"
    assert read(path, 4).cells[0] == cells(path, "markdown")[0]


def test_a_lesson_that_is_put_in_between_renumbers_those_behind_it_and_all_rows(monkeypatch, tmp_path):
    names = ["00_play.ipynb", "01_new.ipynb", "02_random_play.ipynb"]
    monkeypatch.setattr(kept_module, "LESSONS", [tmp_path / name for name in names])
    for old in ("# Random play\n\nWhy?", "# 01 Random play\n\nWhy?"):  # as it is first written, before the new lesson
        notebook = new_notebook(cells=[new_markdown_cell(old), new_code_cell("1 + 1")])
        for _ in range(2):
            notebook = kept(notebook, tmp_path / names[2])
            row, opening, code = notebook.cells
            assert row.source == "Lesson [00](00_play.ipynb) [01](01_new.ipynb) **02** [all](index.ipynb)"
            assert opening.source == "# 02 Random play\n\nWhy?" and code.source == "1 + 1"
    elsewhere = new_notebook(cells=[new_markdown_cell("# An exercise")])
    assert [cell.source for cell in kept(elsewhere, tmp_path / "exercise.ipynb").cells] == ["# An exercise"]


@every
def test_it_has_one_title_its_headings_are_in_order_and_something_is_further_if_it_says_so(path):
    levels = [len(heading) for heading in re.findall(r"^(#+) ", prose(path), re.MULTILINE)]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))
    says_so = bool(re.search(r"\*Time: \d+ minutes, plus \d+ for Further\b", prose(path)))
    assert ("## Further" in prose(path).splitlines()) == says_so


@every
def test_no_line_of_a_paragraph_is_taken_for_a_list_or_a_quotation_and_none_after_a_closed_answer_for_html(path):
    for cell in cells(path, "markdown"):
        for before, line in itertools.pairwise(cell.source.splitlines()):
            goes_on = before and not before.startswith((">", "-", " ", "#"))
            assert not (goes_on and line.startswith(("> ", "- ", "# "))), f"{before}\n{line}"
        assert not re.search(r"</details>(?!\s*\n\s*\n|\s*\Z)", cell.source), cell.id


@notebook
def test_its_links_lead_somewhere_and_to_its_neighbours(path):
    at = NOTEBOOKS.index(path)
    neighbours = {other.name for other in NOTEBOOKS[max(at - 1, 0) : at + 2]} - {path.name}
    assert neighbours <= set(links(path))


@notebook
def test_its_code_fits_a_screen_and_its_prose_a_breath(path):
    for cell in cells(path, "code"):
        assert all(len(line) <= WIDEST for line in cell.source.splitlines())
    for cell in cells(path, "markdown"):
        assert len(cell.source.split()) <= 180


@every
def test_its_widgets_are_live_and_the_results_that_it_keeps_must_not_change(path):
    for cell in cells(path, "code"):
        tags = {*cell["metadata"].get("tags", [])}
        assert ("live" in tags) == bool(re.search(WIDGET, cell.source)) or path in EXERCISES
        told_apart = {"nbval-check-output", "nbval-ignore-output", "live"} & tags
        assert told_apart or not cell.outputs or cell.id in VARIES, cell.id


@notebook
def test_each_guess_has_a_name_of_its_own_and_its_result_in_a_later_cell(path):
    sources = [cell.source for cell in cells(path, "code")]
    asked = [re.findall(r"\bguess\(\s*(\w+)=\.\.\.", source) for source in sources]  # unfilled, as it is shipped
    shown = [re.findall(r'\breveal\("(\w+)"', source) for source in sources]
    assert sum(map(len, asked)) == sum(source.count("guess(") for source in sources)
    names = [name for found in asked for name in found]
    assert len(set(names)) == len(names) and sorted(names) == sorted(name for found in shown for name in found)
    for place, found in enumerate(asked):
        assert not set(found) & {name for earlier in shown[: place + 1] for name in earlier}


def test_the_course_begins_with_a_drawing_of_its_first_board_and_keeps_no_other_widget():
    def shown(path):
        outputs = [new_output("execute_result", GameBoard()._repr_mimebundle_()[0], execution_count=1)]
        cells = [new_code_cell("GameBoard()", outputs=outputs, metadata={"tags": ["live"]}) for _ in range(2)]
        notebook = kept(kept(new_notebook(cells=[new_markdown_cell("# A title"), *cells]), path), path)
        return [cell for cell in notebook.cells if cell.cell_type == "code"]

    first, second = shown(NOTEBOOKS[0])
    [still] = first.outputs
    assert [*still.data] == ["image/svg+xml", "text/plain"] and "Run this to play" in still.data["image/svg+xml"]
    assert first.metadata.jupyter.outputs_hidden and not second.outputs
    assert not any(cell.outputs for cell in shown(NOTEBOOKS[1]))


@every
def test_it_is_as_make_notebooks_keeps_it(path):
    assert path.read_text() == nbformat.writes(kept(nbformat.read(path, 4), path)) + "\n"


@every
def test_it_keeps_no_traceback_no_dead_widget_and_no_path_of_its_authors_and_hides_results_until_a_cell_is_run(path):
    outputs = [output for cell in cells(path, "code") for output in cell.outputs]
    assert "error" not in {output.output_type for output in outputs}
    assert not any("widget-view" in kind for output in outputs for kind in output.get("data", {}))
    assert all(cell.metadata.jupyter.outputs_hidden for cell in cells(path, "code") if cell.outputs)
    assert str(ROOT) not in path.read_text() and "site-packages" not in path.read_text()


@every
def test_its_pictures_tell_in_words_what_they_show(path):
    """Pictures in the text have words in brackets; plots and drawn boards bring theirs along."""
    assert all(len(words) >= 10 for words in re.findall(r"!\[(.*?)\]\(", prose(path)))
    assert all("alt=" in picture for picture in re.findall(r"<img[^>]*>", prose(path)))
    bundles = [output["data"] for cell in cells(path, "code") for output in cell["outputs"] if "data" in output]
    for data in bundles:
        for picture in re.findall(r"<img\b[^>]*>", "".join(data.get("text/html", ""))):
            assert re.search(r'alt="[^"]+"', picture), picture[:200]
        drawing = "".join(data.get("image/svg+xml", ""))  # within it, boards are parts of the picture
        plot = re.search('class="ttt-(wide|one)"', drawing)
        assert ("image/png" in data) == bool(plot), "a plot is kept as PNG, too"
        told = re.match(r'<svg [^>]*role="img"[^>]*><title>[^<]+</title><desc>[^<]', drawing)
        assert told or not drawing, drawing[:200]


def answers():
    """The answers that lessons show: the name of the task if it has one, and the text with the lesson's imports."""
    for path in NOTEBOOKS:
        code = ""
        for cell in read(path, 4).cells:
            if cell.cell_type == "code":
                code += f"{cell.source}\n"
                continue
            for name, task in re.findall(r'\bcheck\((\w+)(?:, "(\w+)")?\)', code)[-1:]:
                shown = rf"^```python\n((?:(?!```).)*?def {name}\b.*?)^```"
                for answer in re.findall(shown, cell.source, re.DOTALL | re.MULTILINE):
                    imports = re.findall("^(?:from|import) .*", code, re.MULTILINE)
                    yield f"{path.stem[:2]} {name}", (task, "\n".join([*imports, answer]))


def test_the_answers_that_lessons_show_are_approved():
    shown = {name: text[text.index("def ") :] for name, (_, text) in answers()}
    assert all_approved(Path(__file__).parent / "said/answers.txt", shown)


@pytest.mark.slow
@pytest.mark.parametrize("name", dict(answers()))
def test_each_of_them_is_right(name):
    task, text = dict(answers())[name]
    assert check(function(name[3:], text), task).right


@pytest.mark.parametrize("task", ["depth", "cuts", "cube"])
def test_a_search_of_an_earlier_lesson_is_no_answer_in_a_later_one(task):
    lesson = next(path for path in NOTEBOOKS if path.stem[:2] == {"depth": "07", "cuts": "08", "cube": "09"}[task])
    checks = [cell.source for cell in cells(lesson, "code") if "check(worth" in cell.source]
    assert checks and all(f'check(worth, "{task}")' in source for source in checks)
    earlier = {"depth": "minimax", "cuts": "minimax", "cube": "cuts"}[task]
    told = check(function("worth", TASKS[earlier]["right"]), task)
    assert not told.right and all(f"{name}" in told.message for name in ["worth", *TASKS[task]["takes"]])


def test_what_the_pages_import_from_the_project_is_there():
    pages = [START, *NOTEBOOKS, *EXERCISES, *ROOT.glob("*.md"), *ROOT.glob("exercises/**/*.md")]
    for page in pages:
        for module, names in re.findall(r"from ((?:ttt|lab)[.\w]*) import ((?:\w+, )*\w+)", page.read_text()):
            exec(f"from {module} import {names}", {})


# ------------------------------------------------------------------------------------------------- the start page


def rows(text, before):
    """Of a page's table: the file of each lesson or exercise, its minutes on the short route (0: none), and in all."""
    row = r"^\| \[[^]]+\]\((\S+\.ipynb)\) \|.*\| (\d+|–) \| (\d+) \|$"
    found = re.findall(row, text, re.MULTILINE)
    return [((before / file).resolve(), int(core.replace("–", "0")), int(whole)) for file, core, whole in found]


def test_the_start_page_and_both_readmes_name_all_lessons_and_the_short_route_takes_no_more_than_eight_hours():
    named = rows(prose(START), START.parent)
    assert {path for path, _, _ in named} == {*NOTEBOOKS, *EXERCISES} and len(named) == len(NOTEBOOKS + EXERCISES)
    assert rows((ROOT / "exercises/grading/bundle/README.md").read_text(), ROOT) == named
    assert sum(core for _, core, _ in named) <= 480  # the short route: eight hours
    table = "\n".join(re.findall(r"^\| \*\*.*$", (ROOT / "README.md").read_text(), re.MULTILINE))
    linked = [(ROOT / link).resolve() for link in re.findall(r"\]\(([^)]+)\)", table)]
    assert sorted(linked) == sorted([*NOTEBOOKS, *EXERCISES])


def test_what_the_start_page_explains_is_in_the_lesson_that_it_links():
    rows = re.findall(r"^\| (.+?) \| .+ \| \[\d+\]\((\w+\.ipynb)\) \|$", prose(START), re.MULTILINE)
    assert len(rows) > 30
    for what, lesson in rows:
        word = re.search(r"`(?:Board\.|board\.)?(\w+)", what) or re.match(r"([\w ]+)", what)
        path = START.with_name(lesson)
        code = "\n".join(cell.source for cell in cells(path, "code"))
        assert re.search(rf"\b{word[1]}", code + prose(path)), (what, lesson)


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "exercises/grading/bundle/README.md"])
def test_the_files_that_a_page_names_are_there(page):
    named = set(re.findall(r"`([a-z_/]+\.(?:py|js)|(?!_site)[a-z][a-z_/]+/)`", (ROOT / page).read_text()))
    folders = ("ttt", "notebooks", "tests", "exercises")
    there = {f"/{path}" for folder in folders for path in (folder, *(ROOT / folder).rglob("*"))}
    assert named - {"ttt/players/yours.py"}  # which is the reader's to write
    for name in named - {"ttt/players/yours.py"}:
        assert any(path.endswith(f"/{name.rstrip('/')}") for path in there), name
