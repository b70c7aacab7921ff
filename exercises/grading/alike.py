"""Who handed in the same: the same code but for names and layout, or the same wrong answers that no mistake explains.

Both are found by digests, so that a class of any size takes one look at each student. It is something to look at, and
never a mark: what is short and does the same is often alike.
"""

from __future__ import annotations

import builtins
import io
import keyword
import tokenize
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256

LEAST_CODE = 40  # tokens; less is alike by itself
LONGEST_CODE = 30_000  # characters that are compared
LAYOUT = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
KEPT = frozenset(keyword.kwlist) | frozenset(dir(builtins))


def code_digest(cells: Sequence[str], handed_out: Sequence[str]) -> str:
    """A digest of a submission's code without what was handed out, the same for any names and layout; "" if short."""
    own = "\n".join(cell for cell in cells if cell not in handed_out)[:LONGEST_CODE]
    numbers: dict[str, str] = {}
    tokens = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(own).readline):
            if token.type in LAYOUT:
                continue
            if token.type == tokenize.NAME and token.string not in KEPT:
                tokens.append(numbers.setdefault(token.string, f"name {len(numbers)}"))
            elif not (token.type == tokenize.STRING and token.line.strip() == token.string):  # not a docstring
                tokens.append(token.string)
    except (tokenize.TokenError, SyntaxError, ValueError):
        pass  # what came before the mistake is compared
    if len(tokens) < LEAST_CODE:
        return ""
    return sha256("\n".join(tokens).encode("utf-8", "replace")).hexdigest()[:16]


def groups(digests: Mapping[str, str]) -> list[list[str]]:
    """The students who have a digest in common, the largest group first."""
    holders: defaultdict[str, list[str]] = defaultdict(list)
    for student, digest in digests.items():
        if digest:
            holders[digest].append(student)
    return sorted(
        (sorted(group) for group in holders.values() if len(group) > 1), key=lambda group: (-len(group), group)
    )


def answers_digest(answers: Iterable[object]) -> str:
    """A digest of all the answers of a submission, in order."""
    return sha256("\n".join(map(repr, answers)).encode("utf-8", "replace")).hexdigest()[:16]
