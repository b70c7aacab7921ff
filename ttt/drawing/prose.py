"""Text below a cell as HTML: in a column aligned with other outputs, with code in a code font."""

import re
from collections.abc import Iterable
from html import escape

COLUMN = 'style="max-width:46em;padding-left:8px"'  # aligned with printed output


def prose(text: str) -> str:
    """Convert text to HTML; text between backquotes becomes code.

    >>> prose("`a < b` holds")
    '<code>a &lt; b</code> holds'
    """
    return re.sub("`([^`]+)`", r"<code>\1</code>", escape(text))


def notice(heading: str, points: Iterable[str] = (), below: str = "") -> str:
    """A heading, a list of points, and a picture below; screen readers announce the text."""
    items = [prose(point) for point in points]
    kind = "li" if len(items) > 1 else "p"
    told = "\n".join(f"<{kind}>{item}</{kind}>" for item in items)
    if len(items) > 1:
        told = f"<ul>{told}</ul>"
    return f'<div role="status" {COLUMN}><p><strong>{prose(heading)}</strong></p>\n{told}</div>{below}'
