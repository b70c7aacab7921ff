"""What students get: what is on the list and nothing else; the edition with solutions; and other weights."""

import json
import re
import shutil
import tomllib
import zipfile

import pytest
from conftest import naming
from lab import check, hint
from lab.checks import tasks
from lab.checks.exercise import each_way, edited, function
from lab.checks.graded import GRADED, forms, path_of, settings

from exercises.grading import ROOT, GradingError, release
from exercises.grading.judging import heuristic_1
from exercises.grading.judging.key import Grade, parts_of

ALLOWED = re.compile(
    r"LICENSE|Makefile|README\.md|pyproject\.toml|requirements\.txt|notebooks/(images/)?[^/]+\.(ipynb|png|svg)|(ttt|notebooks/lab)/.+"
    r"|exercises/(?P<name>\w+)/(?P=name)\.ipynb"
)


@pytest.fixture(scope="module")
def bundle(tmp_path_factory):
    return release.release(tmp_path_factory.mktemp("release"))


def test_students_get_what_is_on_the_list_and_nothing_else(bundle):
    names = [name.partition("/")[2] for name in zipfile.ZipFile(bundle).namelist()]
    assert [name for name in names if not ALLOWED.fullmatch(name)] == []
    assert not any("grading" in name or "pycache" in name for name in names)
    assert {"ttt/board.py", "notebooks/lab/checks/heuristic_1.toml", "notebooks/00_play.ipynb", "README.md"} <= set(
        names
    )
    assert {f"exercises/{one}/{one}.ipynb" for one in ("heuristic_1", "alpha_beta", "interface", "challenge")} <= set(
        names
    )


def test_nothing_that_students_get_tells_where_the_answers_are(bundle):
    folder = bundle.with_suffix("")
    for path in folder.rglob("*.ipynb"):
        for one in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            assert not one.get("outputs") and not one.get("execution_count")
            assert "SOLUTION" not in "".join(one["source"])


@pytest.mark.parametrize("name", GRADED)
def test_a_graded_exercise_is_sealed_and_its_check_is_the_same(bundle, monkeypatch, name):
    path = bundle.with_suffix("") / "notebooks/lab/checks" / f"{name}.toml"
    text = path.read_text(encoding="utf-8")
    assert not any(line.strip() in text for form in forms(name) for line in form.splitlines() if len(line) > 12)
    whole = settings(name)
    monkeypatch.setattr("lab.checks.graded.path_of", lambda name: path)
    assert {key: value for key, value in settings.__wrapped__(name).items() if key != "sealed"} == whole


def test_the_same_files_make_the_same_zip_and_nothing_is_overwritten(bundle, tmp_path):
    assert release.release(tmp_path).read_bytes() == bundle.read_bytes()
    with pytest.raises(GradingError, match=naming("tic-tac-toe-lab", "exists", "remove")):
        release.release(tmp_path)
    shutil.rmtree(tmp_path / "tic-tac-toe-lab")
    with pytest.raises(GradingError, match=naming("tic-tac-toe-lab.zip", "exists", "remove")):
        release.release(tmp_path)
    shutil.copy(bundle, tmp_path / "tic-tac-toe-lab.zip")


def test_solutions_are_in_their_cells_and_are_right(tmp_path):
    solved = release.release(tmp_path, solved=True).with_suffix("")
    for path in solved.rglob("*.ipynb"):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            assert not cell.get("outputs") and not cell.get("execution_count")
            if (release.SOLUTIONS / f"{path.stem}.md").exists():
                assert "raises-exception" not in cell["metadata"].get("tags", ()), (path, cell["id"])
    assert "NotImplementedError" not in (solved / "exercises/heuristic_1/heuristic_1.ipynb").read_text("utf-8")


def test_a_solution_that_is_not_right_is_told_with_its_points(tmp_path, monkeypatch):
    wrong = Grade("the solution", "wrong", "It is wrong.", {"lines": 2.5})
    monkeypatch.setattr(release, "judged", lambda task: wrong)
    told = r"The solution of (\w+) gets 2.5 of 15 points: It is wrong. New weights need a new \S+/solutions/\1.md\.$"
    with pytest.raises(GradingError, match=told):
        release.release(tmp_path, solved=True)
    assert not [*tmp_path.iterdir()]


def test_each_file_of_solutions_belongs_to_a_notebook():
    notebooks = {path.stem for folder in ("notebooks", "exercises/*") for path in ROOT.glob(f"{folder}/*.ipynb")}
    assert {path.stem for path in release.SOLUTIONS.glob("*.md")} <= notebooks


def test_a_solution_for_a_cell_that_is_not_there_is_refused():
    cells = [{"id": "a", "cell_type": "code", "source": "", "metadata": {}}]
    found = release.solve(cells, "## a\n```python\nx = 1\n```\nBecause.\n")
    assert ["".join(cell["source"]) for cell in found] == ["x = 1", "Because."]
    with pytest.raises(GradingError, match=naming("cells", "id-2")):
        release.solve(cells, "## id-2\n```python\nx = 1\n```\n")


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
    assert set(changed) == set(written) == {path_of("heuristic_1"), heuristic_1.NOTEBOOK}
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
