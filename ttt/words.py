"""Words for messages: numbers with their nouns, the nearest known name, and objects as they are written."""

import re
from collections.abc import Iterable


def count_phrase(number: int, noun: str, plural: str = "") -> str:
    """A number with its noun in the singular or plural.

    >>> count_phrase(1, "ply", "plies"), count_phrase(1000, "node"), count_phrase(0, "node")
    ('1 ply', '1,000 nodes', '0 nodes')
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def unknown_name(kind: str, name: object, names: Iterable[str]) -> str:
    """The error message for an unknown name: its closest match, then all known names."""
    from difflib import get_close_matches  # loaded only when needed

    known = [*names]
    close = get_close_matches(str(name), known, n=1)
    suggestion = f" Did you mean {close[0]!r}?" if close else ""
    return f"There is no {kind} {name!r}.{suggestion} The {kind}s are {', '.join(known)}."


def short_repr(thing: object) -> str:
    """An object's `repr`, without the scope of its class and its memory address."""
    return without_addresses(repr(thing))


def without_addresses(text: str) -> str:
    """Remove the scopes of classes and memory addresses from a text."""
    return re.sub(r"[\w.]*<locals>\.| at 0x\w+", "", text)
