"""What is said under a cell, as HTML: in one width, in line with the other outputs, with code in code font."""

import re
from collections.abc import Iterable
from html import escape

COLUMN = 'style="max-width:46em;padding-left:5px"'  # as far in as JupyterLab shows printed text


def prose(text: str) -> str:
    """A text as HTML; what stands between backquotes is code.

    >>> prose("`a < b` holds")
    '<code>a &lt; b</code> holds'
    """
    return re.sub("`([^`]+)`", r"<code>\1</code>", escape(text))


def notice(heading: str, points: Iterable[str] = (), below: str = "") -> str:
    """A heading, a list of what there is to know, and a picture below; screen readers say the text."""
    items = "".join(f"<li>{prose(point)}</li>" for point in points)
    listed = f"<ul>{items}</ul>" if items else ""
    return f'<div role="status" {COLUMN}><p><strong>{prose(heading)}</strong></p>{listed}{below}</div>'
