"""The student bundle: it has nothing for instructors, and everything in it runs."""

import ast
import importlib
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from contextlib import suppress
from functools import reduce
from itertools import permutations
from pathlib import Path

import nbformat
import pytest
from conftest import need
from jupyter_client.manager import start_new_kernel
from nbclient import NotebookClient
from typer.testing import CliRunner

from ttt import Board, exercises, match
from ttt.checks import ladder
from ttt.cli import app
from ttt.grading import batch, heuristic_1, marking
from ttt.grading import release as module
from ttt.grading.interface import found_on
from ttt.grading.interface_client import connected
from ttt.grading.release import ReleaseError, release, stripped
from ttt.grading.sandbox import isolation_level
from ttt.players.rules import fork


@pytest.fixture(scope="module")
def bundle(tmp_path_factory):
    return release(tmp_path_factory.mktemp("release")).with_suffix("")


def functions(folder, *takes):
    """Every function in the bundle's Python files and notebook cells that takes these arguments first."""
    for path in sorted(folder.rglob("*.py")):
        yield from _functions(path.read_text(), path, list(takes))
    for path in sorted(folder.rglob("*.ipynb")):
        for cell in json.loads(path.read_text())["cells"]:
            if cell["cell_type"] == "code":
                yield from _functions("".join(cell["source"]), path, list(takes))


def _functions(source, path, takes):
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef) and [arg.arg for arg in node.args.args][: len(takes)] == takes:
            yield path, ast.get_source_segment(source, node)


def test_no_function_in_the_bundle_computes_heuristic_1(bundle):
    asked = list(functions(bundle, "board", "player"))
    assert {"open_lines", "heuristic_1", "my_open_lines"} <= {source.split("(")[0][4:] for _, source in asked}
    for path, source in asked:
        scope = {}
        exec("from ttt import *\nfrom ttt.heuristics import *", scope)
        exec(f"from __future__ import annotations\n{source}", scope)
        function = scope[source.split("(")[0][4:]]
        try:
            values = [
                function(Board(x=case.board.x, o=case.board.o), case.player)
                for case in exercises.load("heuristic_1").cases
            ]
        except Exception:
            continue
        assert values != [case.value for case in exercises.load("heuristic_1").cases], f"{path}: {source}"


def right_on(key, place, function):
    """Whether a search of any form is right on one of the check's questions."""
    try:
        answer = key.answer(lambda *given: getattr(found := function(*given), "value", found), key.questions[place])
    except Exception:
        return False
    return key.is_right(place, answer)


def test_no_function_in_the_bundle_searches_as_alpha_beta_must(bundle):
    key = batch.key_of("alpha_beta")
    assert all(right_on(key, place, key.right) for place in range(len(key.cases)))
    asked = list(functions(bundle, "board", "depth"))
    assert {"alphabeta", "minimax", "negamax"} <= {source.split("(")[0][4:] for _, source in asked}
    searches = [vars(importlib.import_module(f"ttt.search.{name}")) for name in ("minimax", "alphabeta")]
    for path, source in asked:
        scope = searches[0] | searches[1]
        with suppress(NameError):  # it needs more than the searches do
            exec(f"from __future__ import annotations\n{source}", scope)
            function = scope[source.split("(")[0][4:]]
            assert not all(right_on(key, place, function) for place in range(len(key.cases))), f"{path}: {source}"


def test_nothing_of_the_instructors_is_in_the_bundle(bundle):
    names = {path.relative_to(bundle).as_posix() for path in bundle.rglob("*")}
    assert not any("grading" in name or name.startswith("tests") for name in names)
    settings = {name for name in names if name.endswith(".toml") and not name.startswith("ttt/recaps/")}
    assert settings == {"pyproject.toml"}
    assert {"ttt/checks.py", "ttt/exercises/heuristic_1.json", "ttt/widgets/panel.js", "Makefile", "README.md",
            "exercises/heuristic_1/heuristic_1.ipynb", "notebooks/00_play.ipynb"} <= names  # fmt: skip
    for name in ("SOLUTION", "right_value", "HIDDEN"):
        assert not any(name in path.read_text(errors="replace") for path in bundle.rglob("*.py"))


def test_the_notebooks_come_without_results_and_the_zip_holds_the_same_files(bundle):
    for path in bundle.rglob("*.ipynb"):
        cells = json.loads(path.read_text())["cells"]
        assert all(not cell["outputs"] for cell in cells if cell["cell_type"] == "code")
    with zipfile.ZipFile(bundle.with_suffix(".zip")) as archive:
        held = {name: archive.read(name) for name in archive.namelist()}
    assert held == {
        path.relative_to(bundle.parent).as_posix(): path.read_bytes() for path in bundle.rglob("*") if path.is_file()
    }


def test_solutions_are_cut_out():
    source = "def f(board):\n    ### BEGIN SOLUTION\n    return 42\n    ### END SOLUTION\n\n\nf"
    notebook = {"cells": [{"cell_type": "code", "source": source, "outputs": [1], "execution_count": 3}]}
    cell = json.loads(stripped(json.dumps(notebook)))["cells"][0]
    assert "".join(cell["source"]) == "def f(board):\n    raise NotImplementedError\n\n\nf"
    assert cell["outputs"] == [] and cell["execution_count"] is None


def test_the_notebooks_that_are_tested_are_the_bundles_and_run_on_the_package_of_one(bundle):
    def code(path):
        return [cell["source"] for cell in json.loads(path.read_text())["cells"] if cell["cell_type"] == "code"]

    for path in bundle.rglob("*.ipynb"):
        if "widgets" not in path.parts:
            assert code(path) == code(module.ROOT / path.relative_to(bundle))
    manager, client = start_new_kernel(cwd=module.ROOT / "notebooks")
    said = []
    client.execute_interactive("import ttt; print(ttt.__file__)", output_hook=said.append, timeout=30)
    client.stop_channels()
    manager.shutdown_kernel()
    assert [message["content"]["text"] for message in said if message["msg_type"] == "stream"] == [
        str(Path(os.environ["TTT_BUNDLE"], "ttt", "__init__.py")) + "\n"
    ]


def variant(monkeypatch, weights):
    """Change the weights, as if `ttt variant` had not run yet."""
    key = heuristic_1.key_for(heuristic_1.settings() | {"weights": weights})
    monkeypatch.setattr(heuristic_1, "key", lambda: key)
    return key


def test_a_stale_exercise_is_not_handed_out(tmp_path, monkeypatch):
    variant(monkeypatch, [0, 1, 4, 0])
    done = CliRunner().invoke(app, ["release", str(tmp_path / "out")])
    assert done.exit_code == 1 and "Run `ttt variant` first" in done.output and not (tmp_path / "out").exists()


def test_last_years_solution_is_refused(tmp_path, monkeypatch):
    key = variant(monkeypatch, [0, 1, 4, 0])
    monkeypatch.setattr(type(key), "exercise", key.worked_out())
    with pytest.raises(ReleaseError, match=r"gets 2 of 15 marks.* change ttt/grading/solutions/heuristic_1\.md"):
        release(tmp_path / "out", solved=True)
    assert not (tmp_path / "out").exists()


def test_nothing_is_overwritten(bundle):
    with pytest.raises(ReleaseError, match="exists already"):
        release(bundle.parent)


def test_it_appears_whole_or_not_at_all(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(module, "_zip", full)
    for out in (tmp_path, tmp_path / "new"):
        with pytest.raises(OSError, match="No space left"):
            release(out)
        assert not list(tmp_path.iterdir())


def test_it_needs_no_special_locale_and_refuses_a_file_in_its_place(tmp_path):
    environment = os.environ | {"LC_ALL": "C", "PYTHONUTF8": "0"}
    command = [sys.executable, "-m", "ttt", "release"]
    done = subprocess.run([*command, tmp_path / "out"], env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    (tmp_path / "file").write_text("mine")
    done = subprocess.run([*command, tmp_path / "file"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and "file can't be read or written: Not a directory." in done.stderr


def relative_links(path):
    """What a page or a notebook links to or shows, but for other sites and its own headings."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".ipynb":
        cells = json.loads(text)["cells"]
        text = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    found = (one or other for one, other in re.findall(r'\]\(([^)#\s]+)|(?:src|href)="([^"#]+)', text))
    return [link for link in found if not re.match(r"\w+:", link)]


def test_every_link_in_the_bundle_leads_somewhere(bundle):
    pages = [*bundle.rglob("*.md"), *bundle.rglob("*.ipynb")]
    links = {(path, link) for path in pages for link in relative_links(path)}
    assert len(links) > 30 and all((path.parent / link).exists() for path, link in links)


def test_its_readme_is_for_students_and_names_only_what_they_have(bundle):
    text = (bundle / "README.md").read_text(encoding="utf-8")
    for said in ("# The tic-tac-toe lab", "make lab", "00_play.ipynb", "ttt verify qubic"):
        assert said in text
    for kept in ("nstructors", "grading", "make test", "make site", "make notebooks", "ttt grade", "git clone"):
        assert kept not in text, kept
    modules = text.partition("| in `ttt/`")[2]
    named = re.findall(r"`([\w/]+(?:\.py|/))`", modules)
    assert len(named) > 8 and all((bundle / "ttt" / name).exists() for name in named), named


def test_its_readme_has_the_lessons_and_the_example_of_ours(bundle):
    texts = [(folder / "README.md").read_text(encoding="utf-8") for folder in (bundle, module.ROOT)]
    lessons, our_lessons = (re.findall(r"^\| \[.+", text, re.MULTILINE) for text in texts)
    example, our_example = (re.findall("^```python\n.*?^```", text, re.MULTILINE | re.DOTALL) for text in texts)
    notebooks = [*bundle.glob("notebooks/[0-9]*.ipynb"), *bundle.glob("exercises/*/*.ipynb")]
    assert lessons == our_lessons and len(lessons) == len(notebooks)
    assert example and set(example) <= set(our_example)


def test_its_makefile_does_what_ours_does(bundle):
    text, ours = ((folder / "Makefile").read_text(encoding="utf-8") for folder in (bundle, module.ROOT))
    recipes, our_recipes = (re.findall(r"^\t.*", makefile, re.MULTILINE) for makefile in (text, ours))
    assert recipes and set(recipes) <= set(our_recipes)


@pytest.mark.skipif(shutil.which("make") is None, reason="no make here")
def test_its_makefile_opens_the_lab_and_does_no_more(bundle):
    def make(target):
        return subprocess.run(["make", "-n", target], cwd=bundle, capture_output=True, text=True)

    assert make("lab").returncode == 0 and "jupyterlab" in make("lab").stdout
    for target in ("test", "site", "clean"):
        assert make(target).returncode == 2 and f"No rule to make target '{target}'" in make(target).stderr


def without_encoding(tree):
    """Calls that read or write text as the machine's locale has it."""
    for call in ast.walk(tree):
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
            continue
        mode = call.args[0].value if call.args and isinstance(call.args[0], ast.Constant) else None
        given = any(word.arg == "encoding" for word in call.keywords)
        match call.func.attr:
            case "read_text" if not given and not call.args:
                yield call.lineno
            case "write_text" if not given and len(call.args) < 2:
                yield call.lineno
            case "open" if not given and mode in ("r", "w", "a", "x", "rt", "wt") and "devnull" not in ast.dump(call):
                yield call.lineno


def test_no_text_depends_on_the_machines_locale():
    paths = [*(module.ROOT / "ttt").rglob("*.py"), module.ROOT / ".site" / "build.py"]
    found = {path.name: list(without_encoding(ast.parse(path.read_text(encoding="utf-8")))) for path in paths}
    assert {name: lines for name, lines in found.items() if lines} == {}


@pytest.fixture(scope="module")
def solved_edition(tmp_path_factory):
    return release(tmp_path_factory.mktemp("solved"), solved=True).with_suffix("")


def code_of(notebook):
    """The sources of a notebook's code cells, by their ids."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return {cell["id"]: "".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"}


def run_all(sources):
    """Run code in a namespace of its own, and return that."""
    scope = {"__name__": "solutions"}
    for source in sources:
        exec(compile(source, "solution", "exec"), scope)
    return scope


def test_every_exercise_is_solved_and_none_of_it_is_in_the_bundle(bundle, solved_edition):
    lessons = [path for path in bundle.glob("notebooks/*.ipynb") if "## Exercises" in path.read_text(encoding="utf-8")]
    assert len(lessons) > 5
    for path in (*lessons, *bundle.glob("exercises/*/*.ipynb")):
        handed_out, done = code_of(path), code_of(solved_edition / path.relative_to(bundle))
        new = {cell for cell in done if handed_out.get(cell) != done[cell]}
        assert new and handed_out.keys() <= done.keys(), path.name
        shown = "\n".join(handed_out.values())
        assert not any(done[cell] in shown for cell in new)


@pytest.mark.parametrize("name", ["heuristic_1", "alpha_beta"])
def test_the_solved_exercises_get_all_marks_from_the_judge(solved_edition, name):
    notebook = solved_edition / "exercises" / name / f"{name}.ipynb"
    grade = marking.mark_file(batch.key_of(name), notebook, isolation_level())
    assert (grade.status, grade.score) == ("right", 15), grade.reason


def test_nothing_is_wrong_with_the_solved_interface(solved_edition):
    need("sandbox")
    notebook = solved_edition / "exercises" / "interface" / "interface.ipynb"
    with connected() as client:
        findings = found_on(client, list(code_of(notebook).values()))
    assert all(found.holds for found in findings.values()), findings


def test_the_solved_challenge_stands_on_top_of_the_ladder_and_plays_on_the_cube(solved_edition):
    player = run_all([code_of(solved_edition / "exercises" / "challenge" / "challenge.ipynb")["ch-01"]])["my_player"]
    found = ladder(player)
    assert found.height == len(found.rungs) == 5, found
    cube = Board(shape=(4, 4, 4))
    assert match(player, "random", games=2, board=cube).winners == ("X", "X")


@pytest.mark.parametrize(
    "name, checks",
    {
        "heuristic_1": ("he-06", "he-07", "he-10", "he-14"),
        "alpha_beta": ("ab-04", "ab-06", "ab-10", "ab-24"),
    }.items(),
)
def test_the_solved_exercises_run_as_notebooks(name, checks, solved_edition):
    notebook = nbformat.read(solved_edition / "exercises" / name / f"{name}.ipynb", as_version=4)
    NotebookClient(notebook, timeout=120, resources={"metadata": {"path": solved_edition}}).execute()
    shown = {cell.id: str(cell.get("outputs")) for cell in notebook.cells}
    for cell in checks:
        assert "Right" in shown[cell], shown[cell]


LEARNING = "11_learning"
BY_THEMSELVES = sorted({path.stem for path in module.SOLUTIONS.glob("[01]*.md")} - {LEARNING})


@pytest.mark.parametrize("lesson", BY_THEMSELVES)
def test_the_solutions_of_a_lesson_run_by_themselves(lesson, solved_edition, capsys):
    code = code_of(solved_edition / "notebooks" / f"{lesson}.ipynb")
    run_all(source for cell, source in code.items() if "-solution-" in cell)


def test_the_solutions_on_learning_go_on_from_the_lessons_functions(solved_edition):
    notebook = nbformat.read(solved_edition / "notebooks" / f"{LEARNING}.ipynb", as_version=4)
    NotebookClient(notebook, timeout=120, resources={"metadata": {"path": solved_edition}}).execute()
    shown = [
        cell.outputs[-1]["text"] for cell in notebook.cells if "-solution-" in cell.id and cell.cell_type == "code"
    ]
    assert "13583 numbers are right" in shown[0] and "'perfect': 0.4497" in shown[1]


def test_the_fork_of_lesson_05_is_the_labs(solved_edition):
    code = code_of(solved_edition / "notebooks" / "05_eight_rules.ipynb")
    threats = next(source for source in code.values() if "import threats" in source)
    my_fork = run_all([threats.partition("\n\n")[0], code["05-12"]])["my_fork"]
    boards = [reduce(Board.play, cells, Board()) for cells in permutations(range(9), 4)]
    assert any(map(my_fork, boards)) and all(set(my_fork(board)) == set(fork(board)) for board in boards)


def test_a_solution_for_no_cell_is_refused():
    with pytest.raises(ReleaseError, match="x-99"):
        module.solved('{"cells": []}', "## x-99\n\nText.\n")
