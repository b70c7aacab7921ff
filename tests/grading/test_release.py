"""What students get: what is on the list and nothing else; the edition with solutions; and other weights."""

import json
import os
import re
import shutil
import tomllib
import zipfile
from pathlib import Path

import pytest
from conftest import SCRATCH, edition, naming
from lab import check, hint
from lab.checks import tasks
from lab.checks.exercise import each_way, edited, function
from lab.checks.graded import GRADED, forms, path_of, settings

from exercises.grading import ROOT, GradingError, release
from exercises.grading.judging import heuristic_1
from exercises.grading.judging.key import Grade, parts_of

NAME = "tic-tac-toe-lab"
EXERCISES = ("heuristic_1", "alpha_beta", "interface", "challenge")


@pytest.fixture(scope="module")
def files():
    """The content of each file in the students' zip, by name."""
    edition()
    with zipfile.ZipFile(Path(os.environ[SCRATCH]) / f"{NAME}.zip") as archive:
        assert {name.partition("/")[0] for name in archive.namelist()} == {NAME}
        return {name.partition("/")[2]: archive.read(name) for name in archive.namelist()}


def source(name):
    """The file that students get under a name."""
    return (release.BUNDLE if name in ("Makefile", "README.md") else ROOT) / name


def cells(text):
    """A notebook's cells, without what running them leaves in it."""
    left = {"outputs": [], "execution_count": None}
    return [cell | (left if cell["cell_type"] == "code" else {}) for cell in json.loads(text)["cells"]]


def test_students_get_what_is_on_the_list_as_it_is_and_nothing_else(files):
    packages = [path for name in ("ttt", "notebooks/lab") for path in (ROOT / name).rglob("[!.]*") if path.is_file()]
    names = {path.relative_to(ROOT).as_posix() for path in packages if path.parent.name != "__pycache__"}
    for pattern in ("notebooks/*.ipynb", "notebooks/images/*"):
        names |= {path.relative_to(ROOT).as_posix() for path in ROOT.glob(pattern)}
    names |= {f"exercises/{name}/{name}.ipynb" for name in EXERCISES}
    assert release.NOT_RELEASED("ttt", ["__pycache__", ".DS_Store", "a.py"]) == {"__pycache__", ".DS_Store"}
    sealed = {path_of(name).relative_to(ROOT).as_posix() for name in GRADED}
    assert {*files} == names | {"LICENSE", "Makefile", "README.md", "pyproject.toml", "requirements.txt"}
    for name, content in files.items():
        if name.endswith(".ipynb"):
            assert json.loads(content)["cells"] == cells(source(name).read_bytes()), name
        else:
            assert (content == source(name).read_bytes()) == (name not in sealed), name
    folder = edition()
    assert {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()} >= {*files}


@pytest.mark.parametrize("name", GRADED)
def test_a_graded_exercise_is_sealed_and_its_check_is_the_same(files, monkeypatch, name):
    text = files[f"notebooks/lab/checks/{name}.toml"].decode()
    assert not any(line.strip() in text for form in forms(name) for line in form.splitlines() if len(line) > 12)
    whole = settings(name)
    monkeypatch.setattr("lab.checks.graded.path_of", lambda name: edition() / f"notebooks/lab/checks/{name}.toml")
    assert {key: value for key, value in settings.__wrapped__(name).items() if key != "sealed"} == whole


def test_the_same_files_make_the_same_zip_and_nothing_is_overwritten(files, tmp_path):
    archive = release.release(tmp_path / "out")
    assert archive.read_bytes() == (Path(os.environ[SCRATCH]) / f"{NAME}.zip").read_bytes()
    assert archive == tmp_path / f"out/{NAME}.zip" and len([*archive.parent.iterdir()]) == 2
    for there, gone in ((archive.with_suffix(""), None), (archive, archive.with_suffix(""))):
        shutil.rmtree(gone or tmp_path / "nothing", ignore_errors=True)
        with pytest.raises(GradingError) as caught:
            release.release(tmp_path / "out")
        assert str(caught.value) == f"{there} already exists. Remove it or choose another folder."


def test_solutions_are_in_their_cells_and_are_right(files, tmp_path):
    archive = release.release(tmp_path, solved=True)
    assert archive == tmp_path / f"{NAME}-solved.zip"
    solved = archive.with_suffix("")
    for path in solved.rglob("*.ipynb"):
        name = path.relative_to(solved).as_posix()
        made, given = cells(path.read_bytes()), json.loads(files[name])["cells"]
        solutions = release.SOLUTIONS / f"{path.stem}.md"
        assert json.loads(path.read_bytes())["cells"] == made  # it has not been run
        assert made == (release.solve(given, solutions.read_text("utf-8")) if solutions.exists() else given), name
    assert {path.stem for path in release.SOLUTIONS.glob("*.md")} <= {path.stem for path in solved.rglob("*.ipynb")}
    for name in GRADED:
        assert "NotImplementedError" not in (solved / f"exercises/{name}/{name}.ipynb").read_text("utf-8")
        assert (solved / path_of(name).relative_to(ROOT)).read_bytes() == path_of(name).read_bytes()


def test_a_solution_that_is_not_right_is_told_with_its_points_and_nothing_is_written(tmp_path, monkeypatch):
    asked = []
    wrong = Grade("the solution", "wrong", "It is wrong.", {"lines": 2.5})
    monkeypatch.setattr(release, "judged", lambda task: (asked.append(task), wrong)[1])
    told = r"^The solution of (\w+) gets 2.5 of 15 points: It is wrong. New weights need a new \S+/solutions/\1.md\.$"
    with pytest.raises(GradingError, match=told):
        release.release(tmp_path, solved=True)
    assert not [*tmp_path.iterdir()] and asked[0].exercise in GRADED


SOLUTIONS = """No cell's.
## a
Before.
```python
x = 1
```
Because.
```
y = 2
```
## b
Why.
"""


def test_a_solution_replaces_its_cell_and_has_its_text_around_it():
    tags = {"tags": ["raises-exception", "other"]}
    given = [{"id": "a", "metadata": tags, "source": "", **release.CODE}]
    given += [{"id": name, "metadata": {}, "cell_type": "markdown", "source": "?"} for name in "bc"]
    shown = [(one["id"], one["cell_type"], one["source"], one["metadata"]) for one in release.solve(given, SOLUTIONS)]
    assert shown == [
        ("a", "code", "x = 1", {"tags": ["other"]}),
        ("a-solution-0", "markdown", "Before.", {}),
        ("a-solution-2", "markdown", "Because.", {}),
        ("a-solution-3", "code", "y = 2", {}),
        ("b", "markdown", "?", {}),
        ("b-solution-0", "markdown", "Why.", {}),
        ("c", "markdown", "?", {}),
    ]
    with pytest.raises(GradingError, match=r"^The notebook has no cells for these solutions: id-2, id-3\.$"):
        release.solve(given, "## id-2\n```python\nx = 1\n```\n## id-3\n")


@pytest.mark.parametrize("name", GRADED)
def test_a_notebook_tells_its_parts_in_the_words_of_the_feedback_page(name):
    content = json.loads((ROOT / f"exercises/{name}/{name}.ipynb").read_text(encoding="utf-8"))
    text = "\n".join("".join(one["source"]) for one in content["cells"] if one["cell_type"] == "markdown")
    for part in parts_of(name):
        title, points = re.escape(part.title).replace(r"\ ", r"\s+"), part.points
        assert not points or re.search(rf"{title}(\s+\({points}\)| \| {points} \|)", text), part.title


def test_other_weights_change_the_settings_and_the_formula_in_the_notebook(monkeypatch):
    written = {}
    monkeypatch.setattr(heuristic_1, "write", lambda path, text: written.update({path: text}))
    changed = heuristic_1.change_weights("0,1,4,0")
    assert {*changed} == {*written} == {path_of("heuristic_1"), heuristic_1.NOTEBOOK}
    assert "weights = [0, 1, 4, 0]" in written[path_of("heuristic_1")]
    formula = "".join("".join(one["source"]) for one in json.loads(written[heuristic_1.NOTEBOOK])["cells"])
    assert "4·X2" in formula and "3·X2" not in formula
    assert "4X_2 + X_1 - (4O_2 + O_1)" in formula and "3X_2" not in formula
    assert heuristic_1.change_weights("0,1,3,0") == []


@pytest.mark.parametrize("weights", ["0,1", "1,1,1,1", "0,0,3,0", "0,1,3,9", "0,1,0,0", "0,2,2,0", "0,,3,0", "none"])
def test_weights_that_make_no_exercise_are_refused(weights):
    with pytest.raises(GradingError, match=naming("weights", "0,1,4,0", weights)):
        heuristic_1.change_weights(weights)


def test_weights_are_not_blamed_for_a_file_that_has_no_place_for_them(monkeypatch):
    monkeypatch.setattr(heuristic_1, "formulas", lambda weights: ("no such formula", "nor this"))
    with pytest.raises(GradingError, match=naming("heuristic_1.ipynb", "no such formula")) as caught:
        heuristic_1.change_weights("0,1,4,0")
    assert "0,1,4,0" not in str(caught.value)


def test_the_recipe_for_a_new_task_works(monkeypatch):
    """The section on the page is added as it stands, and its check names its mistakes."""
    page = (ROOT / "exercises/new_exercise.md").read_text()
    (source,) = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    (task,) = tomllib.loads(source).items()
    monkeypatch.setitem(tasks.TASKS, *task)
    monkeypatch.setitem(tasks.TAKES, task[0], tuple(task[1]["takes"]))
    right = task[1]["right"]
    assert check(function("wins_at_once", right)).right and task[1]["hints"][0] in hint()
    for mistake, (_, ways) in task[1]["mistakes"].items():
        for way in each_way(ways):
            found = check(function("wins_at_once", edited(right, way)))
            assert (found.outcome, found.mistake) == ("not yet", mistake)
