"""The exercise *a better interface*: what its check has found, as marks. All of it waits for a person.

The check runs in the submission's own process, which could say anything of itself, and whether the interface is
*better* is for a person alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256

from exercises.grading.key import Part
from ttt.exercises.interface import Finding

# A digest of the notebook's code cells as handed out, made by `digest`.
HANDED_OUT = "9eb5da21afd6f575829f475abbf9cf8a881ac688a4e4bb4e7b98c0dcf6035143"
BY_A_PERSON = "c"
parts = (
    Part("a", "(a) the interface works", 4),
    Part("b", "(b) heuristic 2 plays", 4),
    Part(BY_A_PERSON, "(c) the interface is better", 4),
    Part("d", "(d) the scores of both sides are shown", 3),
)


def marks(findings: Mapping[str, Finding]) -> dict[str, int]:
    """The marks by part for what was found; none for what only a person can judge."""
    return {part.name: part.marks if part.name in findings and findings[part.name].holds else 0 for part in parts}


def is_handed_out(code_cells: Sequence[str]) -> bool:
    """Whether a notebook is still as it was handed out."""
    return digest(code_cells) == HANDED_OUT


def digest(code_cells: Sequence[str]) -> str:
    """A digest of a notebook's code cells."""
    return sha256("\0".join(code_cells).encode("utf-8", "replace")).hexdigest()
