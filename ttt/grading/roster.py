"""Who is who: names as people, Canvas and Moodle write them, made safe to print and matched with each other.

A match is never a guess: where two people could be meant, nobody is matched, and whoever asked tells it.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

LONGEST = 1000  # characters of any text that came from a student


@dataclass(frozen=True)
class Person:
    """One line of a list of people: the numbers a learning platform knows them by, and their names in any form."""

    names: tuple[str, ...]
    numbers: tuple[str, ...] = ()


def plain(text: str, longest: int = LONGEST) -> str:
    """A text that every file, database and terminal takes: one line, nothing invisible, not too long."""
    shown = "".join(
        mark if mark.isprintable() else " " if mark.isspace() else "\N{REPLACEMENT CHARACTER}" for mark in text
    )
    composed = unicodedata.normalize("NFC", shown).strip()
    return composed if len(composed) <= longest else f"{composed[: longest - 1]}…"


def paired(some: Sequence[Person], others: Sequence[Person]) -> dict[int, int]:
    """For each of some people, by place in the list, the one of the others who is surely the same.

    Numbers go before names, and a name as it is written before its letters alone, its words in whatever order.

    >>> paired([Person(("leeann",)), Person(("Bo Ek",))], [Person(("Ek, Bo",)), Person(("Ann Lee",))])
    {0: 1, 1: 0}
    """
    found: dict[int, int] = {}
    for keys in (_numbers, _names, _orders):
        left = [n for n in range(len(some)) if n not in found]
        right = sorted(set(range(len(others))) - set(found.values()))
        found |= dict(_sure(left, right, some, others, keys))
    return found


def _sure(
    left: list[int],
    right: list[int],
    some: Sequence[Person],
    others: Sequence[Person],
    keys: Callable[[Person], set[str]],
) -> Iterable[tuple[int, int]]:
    """The pairs in which neither could be anybody else, by the keys that are looked at."""
    holders, wanted = _by_key(right, others, keys), _by_key(left, some, keys)
    for n in left:
        candidates = {m for key in keys(some[n]) for m in holders[key]}
        if len(candidates) == 1:
            (m,) = candidates
            if {other for key in keys(others[m]) for other in wanted[key]} == {n}:
                yield n, m


def _by_key(
    places: Iterable[int], people: Sequence[Person], keys: Callable[[Person], set[str]]
) -> defaultdict[str, set[int]]:
    index = defaultdict(set)
    for place in places:
        for key in keys(people[place]):
            index[key].add(place)
    return index


def _numbers(person: Person) -> set[str]:
    return {number.strip() for number in person.numbers} - {""}


def _names(person: Person) -> set[str]:
    return {plain(name) for name in person.names} - {""}


def _orders(person: Person) -> set[str]:
    """The letters of the names, the family name last and first: Canvas writes "leeann" into its file names."""
    keys = set()
    for name in person.names:
        words = [word for part in reversed(name.split(",")) for word in part.split()]
        keys |= {letters(" ".join(words[-n:] + words[:-n])) for n in range(len(words))}
    return keys - {""}


def letters(name: str) -> str:
    """A name's letters and digits alone, in lower case and without accents."""
    bare = unicodedata.normalize("NFKD", name).casefold()
    return "".join(mark for mark in bare if mark.isalnum())
