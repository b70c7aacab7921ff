"""Names as people, Canvas and Moodle write them: made safe to print and for files, and matched with each other.

A match is never a guess: where two people could be meant, neither is matched, and the caller reports it.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

LONGEST = 1000  # characters of a text from a student
MOST_NAMES = 5  # in a sentence
LONGEST_NAME = 80  # bytes
RESERVED = re.compile(r"(con|prn|aux|nul|(com|lpt)[\d¹²³])(\..*)?", re.IGNORECASE)  # no file names on Windows
TAGGED = re.compile(r"-[0-9a-f]{16}$", re.IGNORECASE)


@dataclass(frozen=True)
class Person:
    """A line of a list of students: their names in any form, and their numbers in a learning platform."""

    names: tuple[str, ...]
    numbers: tuple[str, ...] = ()


def plain(text: str, longest: int = LONGEST) -> str:
    """The text as one line without invisible characters, safe for files, databases and terminals, and not too long."""
    shown = unicodedata.normalize("NFC", "".join(map(_visible, text))).strip()
    return shown if len(shown) <= longest else f"{shown[: longest - 1]}…"


def listing(names: Iterable[str]) -> str:
    """Names in a sentence, sorted and made plain, not too many and not too long.

    >>> listing("gfedcba")
    'a, b, c, d, e and 2 more'
    """
    shown = sorted(plain(name, 60) for name in names)
    more = f" and {len(shown) - MOST_NAMES} more" if len(shown) > MOST_NAMES else ""
    return ", ".join(shown[:MOST_NAMES]) + more


def repeated(names: Iterable[str]) -> list[str]:
    """The names that occur more than once, each once, in order."""
    return [name for name, times in Counter(names).items() if times > 1]


def file_names(students: Sequence[str]) -> dict[str, str]:
    """A file name for each student that every system accepts, no two the same in any case.

    It is the student's own name where possible; otherwise a few characters are added, always the same ones. A name that
    looks as if they had been added gets them, too: nobody can be called as another's file.

    >>> file_names(["Ann Lee"])
    {'Ann Lee': 'Ann Lee.html'}
    """
    safe = {student: _safe(student) for student in students}
    times = Counter(_seen(name) for name in safe.values())
    names = {}
    for student, name in safe.items():
        own = name == student and times[_seen(name)] == 1 and not TAGGED.search(name)
        names[student] = f"{name}.html" if own else f"{name}-{_tag(student)}.html"
    return names


def _safe(student: str) -> str:
    name = re.sub(r"[^\w .-]", "_", student).strip(" .-")
    name = name.encode()[:LONGEST_NAME].decode(errors="ignore").rstrip(" .")
    return "student" if not name or RESERVED.fullmatch(name) else name


def _seen(name: str) -> str:
    """What a file system may take a name for."""
    return unicodedata.normalize("NFKC", name.casefold())


def _tag(student: str) -> str:
    return hashlib.sha256(student.encode()).hexdigest()[:16]


def _visible(character: str) -> str:
    if character.isprintable():
        return character
    return " " if character.isspace() else "\N{REPLACEMENT CHARACTER}"


def paired(some: Sequence[Person], others: Sequence[Person]) -> dict[int, int]:
    """For each of some people, by index, the index of the one other who is certainly the same.

    Numbers are compared first, then names as written, then their letters alone, with the words in any order.

    >>> paired([Person(("leeann",)), Person(("Bo Ek",))], [Person(("Ek, Bo",)), Person(("Ann Lee",))])
    {0: 1, 1: 0}
    """
    found: dict[int, int] = {}
    for keys in (_numbers, _names, _word_orders):
        matched = set(found.values())
        left = {n: keys(person) for n, person in enumerate(some) if n not in found}
        right = {n: keys(person) for n, person in enumerate(others) if n not in matched}
        found |= dict(_certain(left, right))
    return found


def _certain(left: dict[int, set[str]], right: dict[int, set[str]]) -> Iterable[tuple[int, int]]:
    """The pairs that share a key, and neither of which shares a key with anybody else."""
    of_left, of_right = _by_key(left), _by_key(right)
    for n, keys in left.items():
        candidates = {m for key in keys for m in of_right[key]}
        if len(candidates) == 1:
            (m,) = candidates
            if {other for key in right[m] for other in of_left[key]} == {n}:
                yield n, m


def _by_key(people: dict[int, set[str]]) -> defaultdict[str, set[int]]:
    index = defaultdict(set)
    for n, keys in people.items():
        for key in keys:
            index[key].add(n)
    return index


def _numbers(person: Person) -> set[str]:
    return {number.strip() for number in person.numbers} - {""}


def _names(person: Person) -> set[str]:
    return {plain(name) for name in person.names} - {""}


def _word_orders(person: Person) -> set[str]:
    """The letters of the names, family name last and first: Canvas writes "leeann" into its file names."""
    keys = set()
    for name in person.names:
        words = [word for part in reversed(name.split(",")) for word in part.split()]
        keys |= {letters(" ".join(words[-n:] + words[:-n])) for n in range(len(words))}
    return keys - {""}


def alike(one: Person, other: Person) -> bool:
    """Whether two people have a name in common, but for accents, capitals and the order of its words."""
    return not _word_orders(one).isdisjoint(_word_orders(other))


def letters(name: str) -> str:
    """A name's letters and digits, in lower case and without accents."""
    bare = unicodedata.normalize("NFKD", name).casefold()
    return "".join(mark for mark in bare if mark.isalnum())
