"""Recolours another program's SVG: black becomes the colour of the page's text.

JupyterLab shows a drawing as an image, which only knows whether the page is light or dark. Other pages embed the
drawing, so its text takes their text colour.
"""

import re
from html import escape

from ttt.svg import DARK_TEXT

_DARK = f"<style>@media (prefers-color-scheme:dark){{svg:root{{color:{DARK_TEXT}}}}}</style>"
_LEFT_OUT = re.compile(r"\A.*?(?=<svg)|<metadata>.*?</metadata>|<style.*?</style>|(?<=<g) id=\"[^\"]*\"", re.DOTALL)
_FONT = re.compile(r"'DejaVu Sans',[^;\"]*?sans-serif")  # replaced by the page's own font


def inked(svg: str, title: str, text: str) -> str:
    """The SVG as one line of ASCII, with a title and a description for readers who can't see it."""
    svg = _FONT.sub("system-ui, sans-serif", " ".join(_LEFT_OUT.sub("", svg).split()))  # a single line in a notebook
    start, drawing = svg.replace("#000000", "currentColor").split(">", 1)
    start += ' role="img" fill="currentColor" stroke-linejoin="round" style="max-width:100%;height:auto"'
    words = f"<title>{escape(title)}</title><desc>{escape(text)}</desc>"
    return f"{start}>{words}{_DARK}{drawing}".encode("ascii", "xmlcharrefreplace").decode()
