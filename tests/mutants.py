"""Slips: a program with a single token changed, as when somebody writes one word or sign for another."""

import io
import keyword
import tokenize
from collections.abc import Iterator

SLIPS = {
    ">=": (">", "<="),
    "<=": ("<", ">="),
    ">": (">=", "<"),
    "<": ("<=", ">"),
    "==": ("!=", ">="),
    "!=": ("==",),
    "+": ("-",),
    "-": ("+",),
    "*": ("+",),
    "+=": ("=", "-="),
    "-=": ("=", "+="),
    "and": ("or",),
    "or": ("and",),
    "not": ("",),
    "max": ("min",),
    "min": ("max",),
    "break": ("continue",),
    "continue": ("break",),
    "alpha": ("beta",),
    "beta": ("alpha",),
    "player": ("other",),
    "other": ("player",),
    "mine": ("theirs",),
    "theirs": ("mine",),
    '"X"': ('"O"',),
    '"O"': ('"X"',),
}
PYTHON = {*keyword.kwlist, "max", "min"}


def mutants(source: str) -> Iterator[str]:
    """Yield the source with each token changed in each way that leaves it a program."""
    lines = source.splitlines(keepends=True)
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        ways = SLIPS.get(token.string, ())
        if token.string.isidentifier() and token.string not in PYTHON:  # another name of the same program
            ways = tuple(way for way in ways if source.count(way) > 1)
        if token.type == tokenize.NUMBER and token.string.isdecimal():
            ways = tuple(str(int(token.string) + step) for step in (1, -1) if int(token.string) + step >= 0)
        for new in ways:
            row, start = token.start
            line = lines[row - 1]
            text = "".join((*lines[: row - 1], line[:start], new, line[token.end[1] :], *lines[row:]))
            try:
                compile(text, "", "exec")
            except SyntaxError:
                continue
            yield text
