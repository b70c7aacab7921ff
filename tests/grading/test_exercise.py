"""The exercises done from the first cell to the last, with a student's function in place of the one to write."""

import ast
import io
import linecache
import re
import sys
from contextlib import redirect_stdout
from types import ModuleType

import pytest
from conftest import naming
from lab.checks.names import as_python
from own_names import code, filled

RIGHT = {"heuristic_1": code(["lines"]), "alpha_beta": code(["helping, alpha_beta"])}
WRONG = {  # an edit, and what the check then names
    "heuristic_1": ("theirs == 0", "theirs < 9", ["not yet", "blocked"]),
    "alpha_beta": ("alpha >= beta", "alpha > beta", ["not yet", "alpha", "equal", "beta", "only yours"]),
}
SHOWN = {  # the beginning of a cell's last line, and what that cell shows
    "heuristic_1": {"hand_in(": "right.*Save the notebook", "    print(exact(": r"clever_1 \(O\) wins"},
    "alpha_beta": {
        "hand_in(": "right.*Save the notebook",
        '    print(f"{either': r"\b323 calls",
        '    print(f"depth {plies}: {calls': r"\b323 of 3,024",
    },
}


def shown(cells, monkeypatch):
    """What each cell shows, by its last line."""
    main = ModuleType("__main__")
    monkeypatch.setitem(sys.modules, "__main__", main)
    names, found = vars(main), {}
    names |= {"In": [""], "display": print}
    for number, cell in enumerate(cells):
        title = f"<exercise's cell {number}>"
        linecache.cache[title] = len(cell), None, cell.splitlines(keepends=True), title
        names["In"].append(cell)
        body = ast.parse(as_python(cell)).body
        last = body.pop().value if body and isinstance(body[-1], ast.Expr) else ast.parse("None").body[0].value
        with redirect_stdout(io.StringIO()) as page:
            exec(compile(ast.Module(body, []), title, "exec"), names)
            value = eval(compile(ast.Expression(last), title, "eval"), names)
        found[(cell.splitlines() or [""])[-1]] = f"{page.getvalue()}{value}"
    return found


@pytest.mark.parametrize("exercise", RIGHT)
def test_an_exercise_shows_what_it_should_in_every_cell_once_its_function_is_right(exercise, monkeypatch):
    found = shown(filled(exercise, [RIGHT[exercise]]), monkeypatch)
    for begin, pattern in SHOWN[exercise].items():
        assert [text for line, text in found.items() if line.startswith(begin) and re.search(pattern, text, re.DOTALL)]


@pytest.mark.parametrize("exercise", WRONG)
def test_a_wrong_function_is_told_what_is_wrong_with_it(exercise, monkeypatch):
    old, new, words = WRONG[exercise]
    cells = filled(exercise, [RIGHT[exercise].replace(old, new)])
    place = next(place for place, cell in enumerate(cells) if cell.startswith("check("))
    *_, told = shown(cells[: place + 1], monkeypatch).values()
    assert naming(*words).search(told)
