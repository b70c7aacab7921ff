"""The notebooks' frame; that every cell runs and every fact holds is nbval's part."""

import itertools
import json
import re
from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).parent.parent / "notebooks").glob("*.ipynb"))
WIDEST = 96  # characters of code that fit beside JupyterLab's side bar on a 1280-pixel screen
# What is `live`, but for the picture of a widget.
WIDGET = r"\b(GameBoard|CubeGame|Explorer|StatisticsView|fill_in|guess|recap)\((?!.*\)\.picture\()"
EXERCISES = sorted((Path(__file__).parent.parent / "exercises").glob("*/*.ipynb"))
notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
every = pytest.mark.parametrize("path", NOTEBOOKS + EXERCISES, ids=lambda path: path.stem)


def cells(path, kind):
    found = [cell for cell in json.loads(path.read_text())["cells"] if cell["cell_type"] == kind]
    assert found
    return found


def prose(path):
    return "\n\n".join("".join(cell["source"]) for cell in cells(path, "markdown"))


@notebook
def test_it_says_at_its_top_what_one_will_be_able_to_do_how_long_it_takes_and_what_it_needs(path):
    first = "".join(cells(path, "markdown")[0]["source"])
    assert re.search(r"\*\*You will be able to\*\*.*\*\*Time:\*\* \d+ minutes.*\*\*You need:\*\*", first, re.DOTALL)


@every
def test_it_has_one_title_and_its_headings_are_in_order(path):
    levels = [len(heading) for heading in re.findall(r"^(#+) ", prose(path), re.MULTILINE)]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))


@every
def test_no_line_of_a_paragraph_begins_as_a_quotation_or_a_list(path):
    for cell in cells(path, "markdown"):
        lines = [line.rstrip("\n") for line in cell["source"]]
        for before, line in itertools.pairwise(lines):
            goes_on = before and not before.startswith((">", "-", " ", "#"))
            assert not (goes_on and line.startswith(("> ", "- ", "# "))), f"{before}\n{line}"


@notebook
def test_its_links_lead_somewhere_and_to_its_neighbours(path):
    links = [link.split("#")[0] for link in re.findall(r"\]\(([^)]+)\)", prose(path)) if "://" not in link]
    assert all((path.parent / link).exists() for link in links)
    at = NOTEBOOKS.index(path)
    neighbours = {other.name for other in NOTEBOOKS[max(at - 1, 0) : at + 2]} - {path.name}
    assert neighbours <= set(links)


@notebook
def test_its_code_fits_a_screen_and_its_prose_a_breath(path):
    for cell in cells(path, "code"):
        assert all(len(line.rstrip("\n")) <= WIDEST for line in cell["source"])
    for cell in cells(path, "markdown"):
        assert len("".join(cell["source"]).split()) <= 180


@notebook
def test_it_is_kept_with_results_but_without_dead_boards(path):
    assert json.loads(path.read_text())["metadata"]["kernelspec"]["name"] == "python3"
    for cell in cells(path, "code"):
        live = "live" in cell["metadata"].get("tags", [])
        assert not any("widget-view" in kind for output in cell["outputs"] for kind in output.get("data", {}))
        assert live == bool(re.search(WIDGET, "".join(cell["source"])))
    assert any("nbval-check-output" in cell["metadata"].get("tags", []) for cell in cells(path, "code"))


@every
def test_it_keeps_no_traceback_and_no_path_of_its_authors(path):
    assert not [
        output for cell in cells(path, "code") for output in cell["outputs"] if output["output_type"] == "error"
    ]
    assert str(Path(__file__).parents[1]) not in path.read_text() and "site-packages" not in path.read_text()


@every
def test_its_pictures_tell_in_words_what_they_show(path):
    """Pictures in the text have words in brackets; plots and drawn boards bring theirs along."""
    assert all(words.strip() for words in re.findall(r"!\[(.*?)\]\(", prose(path)))
    bundles = [output["data"] for cell in cells(path, "code") for output in cell["outputs"] if "data" in output]
    for data in bundles:
        assert "image/png" not in data
        for picture in re.findall(r"<img\b[^>]*>", "".join(data.get("text/html", ""))):
            assert re.search(r'alt="[^"]+"', picture), picture[:200]
        for picture in re.findall(r"<svg\b[^>]*>.{9}", "".join(data.get("image/svg+xml", ""))):
            assert 'role="img"' in picture and re.search(r"<title>[^<]", picture), picture[:200]
