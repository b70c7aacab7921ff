"""The tasks of lessons: what is wrong is refused in words that help, and what is right is right in any style."""

import re
import tomllib
from functools import cache
from math import inf
from pathlib import Path

import nbformat
import pytest
from conftest import ROOT

from ttt import Board
from ttt.checks.lessons import check_task
from ttt.heuristics import LineWeights

TASKS = {  # the lesson, and what is checked
    "negamax": ("06_minimax", ["worth_to_mover"]),
    "order": ("08_alpha_beta", ["in_order", "worth"]),
    "depth": ("09_three_dimensions", ["worth"]),
}
WRITTEN = tomllib.loads(Path(__file__).with_name("lessons.toml").read_text(encoding="utf-8"))


def cases(kind):
    return [
        pytest.param(task, changes, id=f"{task}: {name}")
        for task in TASKS
        for name, changes in WRITTEN[task][kind].items()
    ]


@cache
def given_and_answered(lesson, name):
    """The code of a lesson that defines a function of this name: in its cells, and in its answers."""
    cells = nbformat.read(ROOT / "notebooks" / f"{lesson}.ipynb", 4).cells
    answers = [code for cell in cells for code in re.findall(r"```python\n(.*?)```", cell.source, re.DOTALL)]
    codes = [[cell.source for cell in cells if cell.cell_type == "code"], answers]
    return tuple([code for code in part if f"def {name}(" in code] for part in codes)


def checked(task, *changes, handed_out=False):
    """The check of the lesson's own answer, with other code after it, or with one text in place of another."""
    lesson, names = TASKS[task]
    given, answered = given_and_answered(lesson, names[0])
    code = (given[-1] if handed_out else answered[-1]) + "\n"
    if task == "order":
        code = given[0].partition("\nvalue = ")[0] + "\n" + code
    if len(changes) == 1:
        code += changes[0]
    for before, after in zip(changes[::2], changes[1::2], strict=False):
        assert before in code
        code = code.replace(before, after)
    code = code.replace("def worth_to_mover", "@cache\ndef worth_to_mover")  # or it takes a few seconds
    space = {"Board": Board, "inf": inf, "cache": cache, "visited": 0, "weights": LineWeights(0, 1, 10, 100, 0)}
    exec(code, space)
    return check_task(task, *(space[name] for name in names))


@pytest.mark.parametrize(("task", "changes"), cases("right"))
def test_what_is_right_is_right_in_any_style(task, changes):
    found = checked(task, *changes[1:])
    assert found.right, found
    assert task != "order" or " nodes; 18,297 as the cells are numbered" in found.message


@pytest.mark.parametrize(("task", "changes"), cases("wrong"))
def test_what_is_wrong_is_refused_in_words_that_help(task, changes):
    found = checked(task, *changes[1:])
    assert found.outcome == "not yet" and re.search(changes[0], found.message) and found.picture, found


@pytest.mark.parametrize("task", TASKS)
def test_what_is_handed_out_is_not_started(task):
    assert checked(task, handed_out=True).outcome == "not started"
