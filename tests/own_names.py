"""Functions that read names of other cells, from `grading/submissions/names.toml`, and notebooks that run them."""

import json
import linecache
import sys
from dataclasses import replace
from functools import cache
from itertools import count
from math import inf
from types import ModuleType

from conftest import ROOT
from lab.checks import causes, exercise, notebook, source, tasks
from lab.checks.names import as_python
from lab.timeouts import Clock
from submissions import FOLDER, read

from ttt import Board

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
def fewer(task):
    """A task with fewer questions: the simplest ones, then some pairs. A formula needs more to name a mistake."""
    whole = tasks.load(task)
    pairs = 7 if task == "heuristic_1" else len(whole.cases) // 300 | 1
    few = [case for place, case in enumerate(whole.cases) if place < 40 or place // 2 % pairs == 0]
    return replace(whole, cases=whole.cases if whole.known_by else tuple(few), repeats=7)


def unhurried(monkeypatch, each=inf):
    """Whatever comes to an end may take as long as it needs, on any machine; or a call takes no more seconds than that.

    Then no repair is long enough to help.
    """
    for module in (notebook, causes, exercise, source):
        monkeypatch.setattr(module, "Clock", lambda *_, **__: Clock(each=each))
    for name in ("MAX_REPAIR_SECONDS", "MAX_PROOF_SECONDS"):
        monkeypatch.setattr(source, name, min(each, 60.0))
    monkeypatch.setattr(notebook, "PATIENT", inf)


def run(names, *cells):
    """Run cells with these names, whose text can then be read as a notebook's; returns the names."""
    for cell in cells:
        title = f"<cell {next(titles)}>"
        linecache.cache[title] = len(cell), None, cell.splitlines(keepends=True), title
        exec(compile(as_python(cell), title, "exec"), names)
    return names


def function(task, code, **names):
    """The function that a cell defines for a task, whose text can be read as a notebook's."""
    given = exercise.GIVEN | {"__name__": "__main__", "Board": Board, "visited": 0} | names
    return run(given, code.strip() + "\n")[tasks.named(task)]


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
