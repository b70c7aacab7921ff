"""Names as people, Canvas and Moodle write them: safe to print, safe as files, and matched with each other.

A match is never a guess: where two people could be meant, neither is matched, and the caller says so.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

LONGEST_TEXT = 1000  # characters of a text from a student
LONGEST_NAME = 80  # bytes of a file's name
MOST_NAMES = 5  # in a sentence
RESERVED = re.compile(r"(con|prn|aux|nul|(com|lpt)\d)(\..*)?", re.IGNORECASE)  # no file names on Windows
TAGGED = re.compile(r"-[0-9a-f]{16}$", re.IGNORECASE)


class Person(NamedTuple):
    """A line of a list of people: their names in any form, and their number on a learning platform."""

    names: tuple[str, ...]
    number: str = ""


def plain(text: str, longest: int = LONGEST_TEXT) -> str:
    """The text as one line of visible characters, safe for files, databases and terminals, and not too long."""
    shown = unicodedata.normalize("NFC", "".join(map(_visible, text[: 4 * longest]))).strip()
    return shown if len(shown) <= longest else f"{shown[: longest - 1]}…"


def _visible(character: str) -> str:
    if character.isprintable():
        return character
    return " " if character.isspace() else "\N{REPLACEMENT CHARACTER}"


def listing(names: Iterable[str]) -> str:
    """Names in a sentence: "a, b, c, d, e and 2 more", or "Lee, Ann; Ek, Bo" where names have commas themselves."""
    shown = sorted(plain(name, 60) for name in names)
    more = f" and {len(shown) - MOST_NAMES} more" if len(shown) > MOST_NAMES else ""
    between = "; " if any("," in name for name in shown) else ", "
    return between.join(shown[:MOST_NAMES]) + more


def letters(name: str) -> str:
    """A name's letters and digits, in lower case and without accents."""
    bare = unicodedata.normalize("NFKD", name).casefold()
    return "".join(mark for mark in bare if mark.isalnum())


def file_names(students: Sequence[str]) -> dict[str, str]:
    """A file name for each student that every system accepts, no two the same in any case.

    It is the student's own name where possible; otherwise a few characters are added, always the same ones. A name that
    looks as if they had been added gets them, too: nobody can be called as another's file.
    """
    safe = {student: _safe(student) for student in students}
    folded = {student: unicodedata.normalize("NFKC", name.casefold()) for student, name in safe.items()}
    times = Counter(folded.values())
    names = {}
    for student, name in safe.items():
        own = name == student and times[folded[student]] == 1 and not TAGGED.search(name)
        names[student] = name if own else f"{name}-{hashlib.sha256(student.encode()).hexdigest()[:16]}"
    return names


def _safe(student: str) -> str:
    name = re.sub(r"[^\w .-]", "_", student).strip(" .-")
    name = name.encode()[:LONGEST_NAME].decode(errors="ignore").rstrip(" .")
    return "student" if not name or RESERVED.fullmatch(name) else name


# ---------------------------------------------------------------------------------------------- who is who


def paired(some: Sequence[Person], others: Sequence[Person]) -> dict[int, int]:
    """For each of some people, by index, the index of the one other who is certainly the same.

    Numbers are compared first, then names as written, then their letters alone, with the words in any order.
    """
    found: dict[int, int] = {}
    for keys in (_number, _names, _letters):
        ours = {n: keys(person) for n, person in enumerate(some) if n not in found}
        theirs = {m: keys(person) for m, person in enumerate(others) if m not in found.values()}
        may_be = {n: [m for m in theirs if not ours[n].isdisjoint(theirs[m])] for n in ours}
        times = Counter(m for each in may_be.values() for m in each)
        found |= {n: each[0] for n, each in may_be.items() if len(each) == 1 and times[each[0]] == 1}
    return found


def alike(one: Person, other: Person) -> bool:
    """Whether two people have a name in common, but for accents, capitals and the order of its words."""
    return not _letters(one).isdisjoint(_letters(other))


def _number(person: Person) -> set[str]:
    return {person.number.strip()} - {""}


def _names(person: Person) -> set[str]:
    return {plain(name) for name in person.names} - {""}


def _letters(person: Person) -> set[str]:
    """The letters of the names, family name last and first: Canvas writes "leeann" into its file names."""
    keys = set()
    for name in person.names:
        words = [word for part in reversed(name.split(",")) for word in part.split()]
        keys |= {letters(" ".join(words[-n:] + words[:-n])) for n in range(len(words))}
    return keys - {""}
