"""Functions that read names of other cells, from `grading/submissions/names.toml`, and notebooks that run them."""

import json
import linecache
import sys
from dataclasses import replace
from functools import cache
from itertools import count
from types import ModuleType

from conftest import ROOT
from lab.checks import tasks
from lab.checks.names import as_python
from submissions import FOLDER, read

IMPORTS = "from math import inf\nfrom ttt import Board, open_lines, opponent\nfrom lab import check, hand_in"
TABLES = read(FOLDER / "names.toml")
titles = count(1)


def code(cell):
    """A cell's text; a list is the names of right functions, and by turns what is replaced in them and by what."""
    if isinstance(cell, str):
        return cell
    names, *edits = cell
    text = "".join(TABLES["right_functions"][name] for name in names.split(", "))
    for old, new in zip(edits[::2], edits[1::2], strict=True):
        assert old in text, (names, old)
        text = text.replace(old, new)
    return text


def cases(table, *wanted):
    """A table's cases by name, each with its cells and other columns."""
    return {
        name: ([*map(code, about["cells"])], *(about.get(column, "") for column in wanted))
        for name, about in TABLES[table].items()
    }


def handed_out(exercise):
    """An exercise's code cells."""
    notebook = json.loads((ROOT / "exercises" / exercise / f"{exercise}.ipynb").read_text(encoding="utf-8"))
    return ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]


def stub(exercise):
    """The cell that a student replaces."""
    return next(cell for cell in handed_out(exercise) if f"write {exercise} first" in cell)


def filled(exercise, cells, end=()):
    """The notebook's code cells with a student's in place of the one to write; "as handed out" is that one."""
    given = handed_out(exercise)
    place = given.index(stub(exercise))
    mine = [given[place] if cell == "as handed out" else cell for cell in cells]
    return [*given[:place], *mine, *given[place + 1 :], *end]


@cache
def fewer(task, every=21, first=40):
    """A task with fewer questions: the simplest ones, and one in so many of the others."""
    whole = tasks.load(task)
    if whole.known_by:  # then there are few already
        return whole
    return replace(whole, cases=whole.cases[:first] + whole.cases[first::every])


def run(names, *cells):
    """Run cells with these names, whose text can then be read as a notebook's; returns the names."""
    for cell in cells:
        title = f"<cell {next(titles)}>"
        linecache.cache[title] = len(cell), None, cell.splitlines(keepends=True), title
        exec(compile(as_python(cell), title, "exec"), names)
    return names


class Notebook:
    """A notebook in this process that runs cells as `__main__`, and remembers them as IPython does."""

    def __init__(self, monkeypatch):
        main = ModuleType("__main__")
        monkeypatch.setitem(sys.modules, "__main__", main)
        self.names = vars(main)
        self.names["In"] = [""]

    def run(self, *cells):
        for cell in cells:
            self.names["In"].append(cell)
            run(self.names, cell)
