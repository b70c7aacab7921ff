"""The README and the Makefile of the student bundle: those of the repository without what a student has not got."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

SECTIONS = ("For instructors",)
CLAUSES = (", and `git clone` of this repository",)  # the bundle is unpacked
GOAL = "lab"  # the target that students have
GONE = re.compile(rf"`make (?!{GOAL}\b)|`ttt (grade|release|variant)\b|`(ttt/)?grading\b|`tests?/|\.github/|git clone")
LINK = re.compile(r"\]\((?!\w+:)([^)#\s]+)|src=\"(?!\w+:)([^\"]+)")  # to a file
SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z`*\[])")
HEAD = f"# `make {GOAL}` opens the lab. It builds .venv first, and again when what it needs changes."
WIDTH = 120


def readme(text: str, bundle: Path) -> str:
    """The README without the instructors' sections, and without what names a target, a command or a file of theirs."""
    for section in SECTIONS:
        text = re.sub(rf"^## {section}\n.*?(?=^## |\Z)", "", text, flags=re.DOTALL | re.MULTILINE)
    for clause in CLAUSES:
        text = text.replace(clause, "")
    prose_and_code = re.split(r"(^```.*?^```$)", text, flags=re.DOTALL | re.MULTILINE)
    kept = [part if part.startswith("```") else _prose(part, bundle) for part in prose_and_code]
    return re.sub(r"\n{3,}", "\n\n", "".join(kept)).rstrip() + "\n"


def _prose(text: str, bundle: Path) -> str:
    """Paragraphs, list items and rows of tables, each as far as it holds for the bundle."""
    blocks = (re.split(r"\n(?=[|-])", block) for block in text.split("\n\n"))
    return "\n\n".join("\n".join(filter(None, (_piece(piece, bundle) for piece in block))) for block in blocks)


def _piece(piece: str, bundle: Path) -> str:
    """A row goes as a whole; of a paragraph some sentences, and all of it with its first one."""
    if not _names_what_is_gone(piece, bundle):
        return piece
    first, *rest = [piece] if piece.startswith("|") else SENTENCE.split(piece)
    if _names_what_is_gone(first, bundle):
        return ""
    kept = [first, *(sentence for sentence in rest if not _names_what_is_gone(sentence, bundle))]
    return textwrap.fill(" ".join(kept), WIDTH, break_long_words=False, break_on_hyphens=False)


def _names_what_is_gone(text: str, bundle: Path) -> bool:
    links = ("".join(found) for found in LINK.findall(text))
    return GONE.search(text) is not None or not all((bundle / link).exists() for link in links)


def makefile(text: str, bundle: Path) -> str:
    """The Makefile with the one target that students have, and what it needs."""
    rules = re.findall(r"^([\w./-]+):(?!=)(.*)", text, re.MULTILINE)
    kept, fresh = set[str](), {GOAL}
    while fresh:
        kept |= fresh
        fresh = {need for target, needs in rules if target in kept for need in needs.split()} - kept
    phony = " ".join(name for target, names in rules if target == ".PHONY" for name in names.split() if name in kept)
    blocks = [block for block in text.split("\n\n")[1:] if _targets(block) <= kept | {".PHONY"}]
    made = re.sub(r"^\.PHONY:.*", f".PHONY: {phony}", "\n\n".join([HEAD, *blocks]), flags=re.MULTILINE)
    unused = [name for name in re.findall(r"^(\w+) [:?]?= ", made, re.MULTILINE) if f"$({name})" not in made]
    return re.sub(rf"^({'|'.join(unused) or '(?!)'}) [:?]?= .*\n", "", made, flags=re.MULTILINE).rstrip() + "\n"


def _targets(block: str) -> set[str]:
    return set(re.findall(r"^([\w./-]+):(?!=)", block, re.MULTILINE))
