"""`yours`: a lesson goes on with the student's function if it is right, and with the lab's if it isn't."""

import ast
from functools import cache
from types import SimpleNamespace
from typing import NamedTuple

import nbformat
import pytest
from conftest import ROOT
from lab import yours
from lab.checks import notebook, tasks
from lab.checks.exercise import each_way, edited
from lab.checks.tasks import TASKS
from lab.checks.yours import labs_version
from own_names import fewer, function

PAGES = sorted([*ROOT.glob("notebooks/*.ipynb"), *ROOT.glob("exercises/*/*.ipynb")])


class Use(NamedTuple):
    """A statement of a lesson that asks for `yours`."""

    lesson: str
    statement: ast.stmt
    call: ast.Call

    @property
    def name(self):
        """The name of the student's function."""
        return self.call.args[0].id

    @property
    def task(self):
        """The task that it is for."""
        named = [word.value for word in self.call.args[1:]]
        return named[0] if named else next(task for task in TASKS if tasks.named(task) == self.name)

    def run(self, names):
        """Do in a notebook with these names what the statement does: as a whole, or just the call within it."""
        alone = getattr(self.statement, "value", None) is self.call
        statement = self.statement if alone else ast.Expr(self.call)
        exec(compile(ast.fix_missing_locations(ast.Module([statement], [])), self.lesson, "exec"), names)


def uses():
    for path in PAGES:
        for cell in nbformat.read(path, 4).cells:
            if cell.cell_type == "code" and "yours(" in cell.source:
                for statement in ast.parse(cell.source).body:
                    for node in ast.walk(statement):
                        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "yours":
                            yield pytest.param(Use(path.stem, statement, node), id=f"{path.stem}: {cell.id}")


def right(task):
    return function(task, TASKS[task]["right"])


@cache
def wrong(task):
    """A function that makes the first known mistake of a task."""
    _, ways = next(iter(TASKS[task]["mistakes"].values()))
    return function(task, edited(TASKS[task]["right"], next(each_way(ways))))


@pytest.mark.parametrize("use", [*uses()])
def test_a_lesson_goes_on_with_the_labs_function_or_a_right_one_and_keeps_the_students_name(use, monkeypatch, capsys):
    mine_right = right(use.task)
    found = SimpleNamespace(right=True), SimpleNamespace(right=False)  # what a check of the two would take long to find
    monkeypatch.setattr("lab.checks.yours.check", lambda mine, task: found[(mine, task) != (mine_right, use.task)])
    told = {
        wrong(use.task): f"Until your function {use.name} is right, the lesson uses the lab's.\n",
        mine_right: f"The lesson uses your function {use.name}.\n",
    }
    for mine, words in told.items():
        names = {use.name: mine, "yours": yours, "rules": {}}
        use.run(names)
        assert capsys.readouterr().out == words and names[use.name] is mine


def test_what_is_not_right_gives_a_right_function_of_the_same_task_and_what_is_right_gives_itself(monkeypatch, capsys):
    monkeypatch.setattr(notebook, "load", fewer)
    given = yours(wrong("best_cell"), "best_cell")
    assert notebook.check(given, "best_cell").right and given is yours(wrong("best_cell"), "best_cell")
    mine = right("best_cell")
    assert yours(mine, "best_cell") is mine
    capsys.readouterr()


def test_the_labs_own_function_is_known_again_without_a_check(monkeypatch, capsys):
    monkeypatch.setattr("lab.checks.yours.check", None)  # which would fail if it were called
    labs = labs_version("cube")
    assert yours(labs, "cube") is labs
    assert capsys.readouterr().out == "The lesson uses the lab's function worth.\n"


def test_a_function_may_belong_to_another_task_of_its_name_if_that_is_named(monkeypatch, capsys):
    monkeypatch.setitem(globals(), "heuristic_1", lambda board, player: 0)  # as in lesson 07

    @cache
    def worth(board, depth=9):
        raise ValueError

    assert yours(worth) is labs_version("depth")
    assert yours(worth, "minimax") is labs_version("minimax")
    assert capsys.readouterr().out.count("Until your function worth is right") == 2


def test_a_name_that_no_lesson_asks_for_is_an_error_that_tells_the_tasks():
    with pytest.raises(ValueError, match="must_block"):
        yours(lambda board: 0)
    with pytest.raises(ValueError, match="heuristic_1"):  # what is handed in has no version to give away
        yours(lambda board, player: 0, "heuristic_1")
