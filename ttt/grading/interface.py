"""The lab sheet's other assessment, a redesigned interface: what a program can judge of it.

The submitted notebook runs in a sandbox, behind `inside/interface_server.py`. `ttt.exercises.interface` plays forty
games on it and checks every answer here. Whether the interface is *better* is for a person to say, in `review.csv`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from hashlib import sha256
from pathlib import Path
from time import monotonic
from typing import Any

from ttt.exercises.interface import Finding, InterfaceError, Trial
from ttt.grading.grade import NOT_STARTED, PROBLEM, WAITING, Grade, PartMarks
from ttt.grading.interface_client import Client, connected
from ttt.grading.roster import plain
from ttt.grading.source import Unreadable, read_cells

PARTS = {
    "a": ("works", "(a) the interface works"),
    "b": ("heuristic_2", "(b) heuristic 2 plays"),
    "c": ("better", "(c) the interface is better"),
    "d": ("scores", "(d) the scores of both sides are shown"),
}
BY_A_PERSON = "c"


@cache
def settings() -> dict[str, Any]:
    """The marks, and the digest of the notebook as handed out, from `interface.toml`. Raises `ValueError`."""
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


def rubric() -> tuple[PartMarks, ...]:
    """The parts, with no marks yet."""
    marks = settings()["marks"]
    return tuple(PartMarks(part, title, None, float(marks[name])) for part, (name, title) in PARTS.items())


def mark_file(path: Path, isolation: str, page: Path) -> Grade:
    """Judge a submission, and write the evidence next to the page's name, as text. Raises `TooLittleIsolation`."""
    begun = monotonic()
    grade = _judged(path, isolation, page)
    return replace(grade, seconds=monotonic() - begun, isolation=isolation)


def _judged(path: Path, isolation: str, page: Path) -> Grade:
    try:
        cells = read_cells(path)
    except Unreadable as error:
        return Grade(_marks({}), PROBLEM, str(error))
    if digest(cells) == settings()["handed_out"]:
        return Grade(_marks({}), NOT_STARTED, "The notebook is still as it was handed out.")
    page.parent.mkdir(parents=True, exist_ok=True)
    findings = watch(cells, page, isolation)
    evidence = " ".join(f"({part}) {found}" for part, found in findings.items())
    return Grade(_marks(findings), WAITING, evidence)


def _marks(findings: Mapping[str, Finding]) -> tuple[PartMarks, ...]:
    """The marks for what was found. Without any finding there are none, and nothing is left for a person to judge."""
    earned = {part.name: part.most for part in rubric() if part.name in findings and findings[part.name].holds}
    left = BY_A_PERSON if findings else ""
    return tuple(part._replace(got=None if part.name == left else earned.get(part.name, 0.0)) for part in rubric())


def digest(cells: list[str]) -> str:
    """A digest of a notebook's code cells, by which the notebook as handed out is recognised."""
    return sha256("\0".join(cells).encode("utf-8", "replace")).hexdigest()


def watch(cells: list[str], page: Path, isolation: str = "full") -> dict[str, Finding]:
    """Judge (a), (b) and (d), and write the evidence next to the page's name, as text."""
    with connected(isolation) as client:
        findings = found_on(client, cells)
    lines = [f"({part}) {found}" for part, found in findings.items()]
    page.with_suffix(".txt").write_text("\n".join([*lines, ""]), encoding="utf-8")
    return findings


def found_on(client: Client, cells: list[str]) -> dict[str, Finding]:
    """Run a notebook and play on its interface; returns what was found on (a), (b) and (d)."""
    trial = Trial(client.ask)
    try:
        stopped = client.ask("run", cells=cells).get("stopped", "")
    except InterfaceError as error:
        findings = trial.stopped(str(error))
    else:
        findings = trial.findings()
        if not trial.opened and stopped:
            findings = trial.stopped(f"{findings['a'].evidence} {stopped}")
    return {part: replace(found, evidence=plain(found.evidence)) for part, found in findings.items()}
