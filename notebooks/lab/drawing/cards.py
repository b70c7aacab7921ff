"""What the lab says under a cell, as a card in HTML: in one width, with one headline, and code in a code font.

A card is plain HTML in reading order, so it also works without a stylesheet, as on GitHub. Its look is in
`style.css`, which the JupyterLab extension loads for the whole page.
"""

import re
from collections.abc import Sequence
from html import escape
from pathlib import Path

CSS = Path(__file__).with_name("style.css").read_text("utf-8")
EDGES = {"good": "#1f9d4d", "soon": "#dd9f00", "you": "#9a5fe0", "plain": "#8884"}  # as in style.css
TRY = "Try it yourself: "  # in front of a call
LEGEND = "In the tree: "  # in front of what a drawing means
MAX_HEADLINE = 90  # letters; a longer first sentence is ordinary text
STRESSED = re.compile(r"(?<![\w*])\*(\w[^*`\n]*(?<=\w))\*(?![\w*])")  # words, not products or arguments


def prose(text: str) -> str:
    """Convert text to HTML: text between backquotes becomes code, and words between asterisks are stressed.

    >>> prose("`a < b` *always* holds")
    '<code>a &lt; b</code> <em>always</em> holds'
    """
    parts = re.split("`([^`]+)`", escape(text))
    parts[::2] = [STRESSED.sub(r"<em>\1</em>", part) for part in parts[::2]]
    parts[1::2] = [f"<code>{part}</code>" for part in parts[1::2]]
    return "".join(parts)


def card(kind: str, inner: str) -> str:
    """A card: "good", "soon" (not right yet), "you" (the reader's own, such as a guess or a hint), or "plain".

    Its own style is for pages without the stylesheet.
    """
    bare = f"max-width:66ch;padding:10px 16px;border-left:4px solid {EDGES[kind.split()[0]]}"
    return f'<div class="ttt-card {kind}" role="status" style="{bare}">{inner}</div>'


def proved(verification: object) -> str:
    """The card of a proof that holds; the first line of its text is the verdict."""
    verdict, *others = str(verification).split("\n")
    return card("good", f"<p><strong>{verdict}</strong></p>{''.join(f'<p>{each}</p>' for each in others)}")


def folded_hints(hints: Sequence[str]) -> str:
    """Hints to open one after the other: each is inside the one before. They need no kernel."""
    inner = ""
    for number, hint in reversed([*enumerate(hints, 1)]):
        inner = f"<details><summary>Hint {number} of {len(hints)}</summary><p>{prose(hint)}</p>{inner}</details>"
    return inner


def notice(heading: str, points: Sequence[str] = (), shown: str = "", below: str = "", kind: str = "plain") -> str:
    """A card with a heading, the first point, what is shown, the other points, a call to try, and what is below.

    The headline is the first sentence, if it is short. With a legend, which is below what is shown, the other points
    come first: they say more than a tree. The call is folded.
    """
    first, *others = (point for point in points or ("",) if not point.startswith((LEGEND, TRY)))
    legend = [f'<p class="legend">{prose(point)}</p>' for point in points if point.startswith(LEGEND)]
    lead, _, rest = first.partition(". ")
    if rest:
        lead += "."
    if len(lead) > MAX_HEADLINE or lead.count("`") % 2:  # too long, or a full stop inside code
        lead, rest = "", first
    told = [f"<p><strong>{prose(heading)}</strong></p>"] if heading else []
    if lead:
        told.append(f'<p class="lead">{prose(lead)}</p>')
    if rest:
        told.append(f"<p>{prose(rest)}</p>")
    more = [f"<p>{prose(point)}</p>" for point in others]
    if len(others) > 1:
        more = [f"<ul>{''.join(f'<li>{prose(point)}</li>' for point in others)}</ul>"]
    told += [*more, shown, *legend] if legend else [shown, *more]
    for point in points:
        if point.startswith(TRY):
            call = prose(point.removeprefix(TRY))
            told.append(f"<details><summary>{TRY[:-2]}</summary><p>{call}</p></details>")
    return card(kind, "\n".join(filter(None, told)) + below)
