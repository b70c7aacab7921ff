"""Names as people, Canvas and Moodle write them: safe to print, safe as files, and matched with each other.

A match is never a guess: where two people could be meant, neither is matched, and the caller says so.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
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
    times = Counter(_folded(name) for name in safe.values())
    names = {}
    for student, name in safe.items():
        if name == student and times[_folded(name)] == 1 and not TAGGED.search(name):
            names[student] = name
        else:
            names[student] = f"{name}-{hashlib.sha256(student.encode()).hexdigest()[:16]}"
    return names


def _safe(student: str) -> str:
    name = re.sub(r"[^\w .-]", "_", student).strip(" .-")
    name = name.encode()[:LONGEST_NAME].decode(errors="ignore").rstrip(" .")
    return "student" if not name or RESERVED.fullmatch(name) else name


def _folded(name: str) -> str:
    """What a file system may take a name for."""
    return unicodedata.normalize("NFKC", name.casefold())


# ---------------------------------------------------------------------------------------------- who is who


def paired(some: Sequence[Person], others: Sequence[Person]) -> dict[int, int]:
    """For each of some people, by index, the index of the one other who is certainly the same.

    Numbers are compared first, then names as written, then their letters alone, with the words in any order.
    """
    found: dict[int, int] = {}
    for keys in (_number, _names, _letters):
        taken = set(found.values())
        left = {n: keys(person) for n, person in enumerate(some) if n not in found}
        right = {n: keys(person) for n, person in enumerate(others) if n not in taken}
        found |= _certain(left, right)
    return found


def alike(one: Person, other: Person) -> bool:
    """Whether two people have a name in common, but for accents, capitals and the order of its words."""
    return not _letters(one).isdisjoint(_letters(other))


Keys = Callable[[Person], set[str]]


def _certain(left: dict[int, set[str]], right: dict[int, set[str]]) -> dict[int, int]:
    """The pairs that share a key, and neither of which shares a key with anybody else."""
    of_left, of_right = _by_key(left), _by_key(right)
    found = {}
    for n, keys in left.items():
        candidates = {m for key in keys for m in of_right[key]}
        if len(candidates) == 1:
            m = candidates.pop()
            if {other for key in right[m] for other in of_left[key]} == {n}:
                found[n] = m
    return found


def _by_key(people: dict[int, set[str]]) -> defaultdict[str, set[int]]:
    index = defaultdict(set)
    for n, keys in people.items():
        for key in keys:
            index[key].add(n)
    return index


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
