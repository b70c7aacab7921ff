"""What is said under a cell, as HTML: in one width, in line with the other outputs, with code in code font."""

import re
from collections.abc import Iterable
from html import escape

COLUMN = 'style="max-width:46em;padding-left:8px"'  # as far in as what a cell prints


def prose(text: str) -> str:
    """A text as HTML; what stands between backquotes is code.

    >>> prose("`a < b` holds")
    '<code>a &lt; b</code> holds'
    """
    return re.sub("`([^`]+)`", r"<code>\1</code>", escape(text))


def notice(heading: str, points: Iterable[str] = (), below: str = "") -> str:
    """A heading, a list of what there is to know, and a picture below; screen readers say the text."""
    items = [prose(point) for point in points]
    kind = "li" if len(items) > 1 else "p"
    told = "\n".join(f"<{kind}>{item}</{kind}>" for item in items)
    if len(items) > 1:
        told = f"<ul>{told}</ul>"
    return f'<div role="status" {COLUMN}><p><strong>{prose(heading)}</strong></p>\n{told}</div>{below}'
