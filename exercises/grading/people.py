"""Names and texts as people, Canvas and Moodle write them: safe to print and as file names; matched, never guessed."""

import codecs
import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

LONGEST_TEXT = 1000  # characters of a student's text at most
LONGEST_NAME = 80  # bytes of a file name at most
MOST_NAMES = 5  # names in a sentence unless all are wanted
# Forbidden file names: empty, Windows devices, and names that look as if they ended with a digest.
_REFUSED = re.compile(r"$|(con|prn|aux|nul|(com|lpt)\d)(\.|$)|.*-[0-9a-f]{16}$", re.IGNORECASE)
MARK = "\ufeff"  # a byte order mark


def decoded(data: bytes) -> tuple[str, str]:
    """A file's text, and the byte order mark to write back, which Excel needs to detect the encoding."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16"), MARK
    try:
        return data.decode("utf-8-sig"), MARK if data.startswith(codecs.BOM_UTF8) else ""
    except UnicodeDecodeError:  # probably saved on Windows
        return data.decode("cp1252"), MARK


def plain(text: str, longest: int = LONGEST_TEXT) -> str:
    """The text as one line of visible characters, safe for files, databases and terminals, and shortened."""
    spaced = re.sub(r"\s", " ", text[: 4 * longest])
    shown = unicodedata.normalize("NFC", visible(spaced)).strip()
    return shown if len(shown) <= longest else f"{shown[: longest - 1]}…"


def visible(text: str) -> str:
    """The text without characters that hide other text or change its direction."""
    return "".join(one if one.isprintable() else "\N{REPLACEMENT CHARACTER}" for one in text)


def quoted(text: str, longest: int = 400) -> str:
    """The text in quotation marks, with none inside, so that nobody mistakes it for somebody else's."""
    inside = plain(text.translate({ord("“"): "❝", ord("”"): "❞"}), longest)
    return f"“{inside}”"


def listing(names: Iterable[str], most: int | None = MOST_NAMES) -> str:
    """Names in a sentence: "a, b, c, d, e and 2 more", or "Lee, Ann; Ek, Bo" if names contain commas.

    If `most` is None, all of them.
    """
    # Names that could be read as sentences, or as code, are quoted, unless they already are.
    odd = re.compile("^(?!“).*([:;!?`]|.{40})")
    shown = [quoted(name, 58) if odd.search(name) else plain(name, 60) for name in sorted(names, key=natural)]
    more = f" and {len(shown) - most} more" if most is not None and len(shown) > most else ""
    between = "; " if any("," in name for name in shown) else ", "
    return between.join(shown[:most]) + more


def natural(name: str) -> str:
    """A name to sort by: numbers as numbers, and no difference between small and capital letters."""
    return re.sub(r"\d+", lambda number: number[0].zfill(LONGEST_NAME), name.casefold())


def letters(name: str) -> str:
    """A name's letters and digits, in lower case and without accents."""
    bare = unicodedata.normalize("NFKD", name).casefold()
    return "".join(mark for mark in bare if mark.isalnum())


def file_names(students: Sequence[str]) -> dict[str, str]:
    """A file name for each student, valid on every system and unique ignoring case: the student's name if possible."""
    names = {}
    times = Counter(map(letters, students))
    for student in students:
        name = re.sub(r"[^\w .-]", "_", student).strip(" .-")
        name = name.encode()[:LONGEST_NAME].decode(errors="ignore").rstrip(" .")
        if name != student or times[letters(name)] > 1 or _REFUSED.match(name):
            name = f"{name.replace('.', '_') or 'student'}-{hashlib.sha256(student.encode()).hexdigest()[:16]}"
        names[student] = name
    return names


class Person(NamedTuple):
    """A person's names, in any form, and number on a learning platform."""

    names: tuple[str, ...]
    number: str = ""

    @property
    def letters(self) -> set[str]:
        """The letters of the names, with the family name last and first: Canvas writes "leeann" into file names."""
        words = [[word for part in reversed(name.split(",")) for word in part.split()] for name in self.names]
        return {letters(" ".join(each[-n:] + each[:-n])) for each in words for n in range(len(each))} - {""}

    @property
    def keys(self) -> tuple[set[str], ...]:
        """What identifies a person, most reliable first: the number, the names as written, their letters."""
        return {self.number.strip()} - {""}, {plain(name) for name in self.names} - {""}, self.letters


def certain_matches(some: Sequence[Person], others: Sequence[Person]) -> dict[int, int]:
    """Match people by the most reliable key: the index of each person's only certain match, by index."""
    found: dict[int, int] = {}
    for level in range(3):
        ours, theirs = ([one.keys[level] for one in people] for people in (some, others))
        left = set(range(len(others))) - set(found.values())
        may_be = {n: [m for m in left if key & theirs[m]] for n, key in enumerate(ours) if n not in found}
        times = Counter(m for each in may_be.values() for m in each)
        found |= {n: each[0] for n, each in may_be.items() if len(each) == 1 and times[each[0]] == 1}
    return found
