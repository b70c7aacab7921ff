"""A check names the cause that the source or the answers prove, and no other."""

import linecache
import re
import tomllib
from itertools import count
from math import inf
from pathlib import Path

import pytest
from conftest import naming, sampled
from lab import check
from lab.checks import exercise, notebook, tasks
from lab.timeouts import Clock

from ttt import Board
from ttt.players.rules import threats

ROWS = tomllib.loads(Path(__file__).with_name("causes.toml").read_text(encoding="utf-8"))["row"]
cells = count(1)


@pytest.fixture(autouse=True)
def no_hurry(monkeypatch):
    """A slow machine finds the same causes."""
    for module in (notebook, exercise):
        monkeypatch.setattr(module, "Clock", lambda *_, **__: Clock(each=inf))
    for name in ("MAX_REPAIR_SECONDS", "MAX_PROOF_SECONDS"):
        monkeypatch.setattr(f"lab.checks.source.{name}", 60.0)
    monkeypatch.setattr(notebook, "PATIENT", inf)


def function(task, code, before=""):
    """The function that a cell defines, after another cell."""
    names = exercise.GIVEN | {"__name__": "__main__", "Board": Board, "threats": threats}
    for text in (before, code):
        place, text = f"<causes {next(cells)}>", text.strip() + "\n"
        linecache.cache[place] = len(text), None, text.splitlines(keepends=True), place
        exec(compile(text, place, "exec"), names)
    return names[tasks.named(task)]


def told(task, code, before=""):
    return check(function(task, code, before), task)


@pytest.mark.parametrize("row", sampled(ROWS, 4), ids=lambda row: f"{row['task']}: {row['label']}")
def test_what_a_check_says_is_the_cause(row):
    found = told(row["task"], row["code"], row.get("before", ""))
    message = " ".join(str(found).split())
    assert found.right == ("said" not in row), found
    assert re.search(row.get("said", ""), message, re.IGNORECASE), found
    assert "never" not in row or not re.search(row["never"], message), found
